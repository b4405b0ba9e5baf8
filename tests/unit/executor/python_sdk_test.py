"""The Python SDK stand-alone, and its safetensors files. NumPy and PyTorch are tested where they are installed."""

import importlib.util
import os
import struct
import subprocess
import sys
import tempfile
import unittest

import hadar_job

HERE = os.path.dirname(os.path.abspath(__file__))
ONE = {"b": ("F32", [2, 1], struct.pack("<2f", 1.5, -2)), "a": ("I64", [], struct.pack("<q", 7))}


def run_script(text, **environment):
    """Runs a script with the SDK; gives its output and exit code."""
    done = subprocess.run([sys.executable, "-c", text], env={**os.environ, **environment}, capture_output=True,
                          text=True, timeout=60, check=False)
    return done.stdout.strip() + done.stderr, done.returncode


class Safetensors(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "weights")

    def tearDown(self):
        self.folder.cleanup()

    def test_what_was_written_is_read(self):
        hadar_job.save_safetensors(self.path, ONE)
        self.assertEqual(hadar_job.load_safetensors(self.path, raw=True), ONE)

    def test_the_data_starts_at_a_multiple_of_eight(self):
        hadar_job.save_safetensors(self.path, ONE)
        with open(self.path, "rb") as file:
            self.assertEqual(struct.unpack("<Q", file.read(8))[0] % 8, 0)

    def test_broken_files_are_refused(self):
        hadar_job.save_safetensors(self.path, ONE)
        with open(self.path, "rb") as file:
            whole = file.read()
        for broken in (b"", whole[:7], whole[:-1], struct.pack("<Q", 1 << 60) + whole[8:]):
            with open(self.path, "wb") as file:
                file.write(broken)
            with self.assertRaises(ValueError):
                hadar_job.load_safetensors(self.path)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not installed")
    def test_numpy_arrays_survive(self):
        import numpy
        arrays = {"x": numpy.arange(6, dtype="<f4").reshape(2, 3), "n": numpy.array(3, dtype="<i8")}
        hadar_job.save_safetensors(self.path, arrays)
        output, code = run_script("import numpy, hadar_job\n"
                                  f"t = hadar_job.load_safetensors({self.path!r})\n"
                                  "print(t['x'].tolist(), t['x'].dtype, int(t['n']))")
        self.assertEqual((output, code), ("[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] float32 3", 0))


class Standalone(unittest.TestCase):
    def run_counter(self, script="", **environment):
        with open(os.path.join(HERE, "python_trainer.py"), encoding="utf-8") as file:
            return run_script(file.read() + script, **environment)

    def test_it_does_its_steps_and_writes_the_result(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result")
            output, code = self.run_counter(HADAR_STANDALONE_STEPS="12", HADAR_STANDALONE_RESULT=path)
            self.assertEqual((output, code), ("", 0))
            self.assertEqual(hadar_job.load_safetensors(path, raw=True)["total"][2], struct.pack("<q", 12))

    def test_without_a_number_of_steps_it_does_a_thousand(self):
        output, code = self.run_counter("print(model.total)")
        self.assertEqual((output, code), ("1000", 0))

    def test_a_number_of_steps_that_is_none_is_refused(self):
        output, code = self.run_counter(HADAR_STANDALONE_STEPS="many")
        self.assertNotEqual(code, 0)
        self.assertIn("HADAR_STANDALONE_STEPS is 'many'; it must be a whole number", output)

    def test_a_script_may_break_out_of_its_loop(self):
        output, code = run_script("import hadar_job\njob = hadar_job.Job(lambda path, seed: None, lambda path: None)\n"
                                  "for step in job.steps():\n  if step == 3: break\njob.close()\nprint('left', step)")
        self.assertEqual((output, code), ("left 3", 0))

    def test_a_metric_that_is_no_number_is_refused(self):
        output, code = run_script("import hadar_job\njob = hadar_job.Job(None, None)\n"
                                  "try: job.metric('loss', float('nan'))\nexcept ValueError as e: print(e)")
        self.assertEqual(code, 0)
        self.assertIn("'loss' is refused", output)

    def test_a_missing_library_is_named(self):
        output, code = run_script("import hadar_job\nhadar_job.Job(None, None)", HADAR_JOB_LIBRARY="/no/such.so")
        self.assertNotEqual(code, 0)
        self.assertIn("/no/such.so", output)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
    def test_a_torch_model_starts_from_the_seed_and_is_saved(self):
        script = ("import torch, hadar_job\nmodel = torch.nn.Linear(3, 2)\njob = hadar_job.attach(model)\n"
                  "for step in job.steps():\n  pass\nprint(model.state_dict())")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result")
            first, code = run_script(script, HADAR_STANDALONE_STEPS="1", HADAR_STANDALONE_RESULT=path)
            self.assertEqual(code, 0, first)
            # Another process: the file holds that model, and a fresh one starts from the same seed.
            again = script + ("\nfresh = torch.nn.Linear(3, 2)\n"
                              f"fresh.load_state_dict(hadar_job.load_safetensors({path!r}))\nprint(fresh.state_dict())")
            second, code = run_script(again, HADAR_STANDALONE_STEPS="1")
            self.assertEqual((second, code), (first + "\n" + first, 0))


if __name__ == "__main__":
    unittest.main()
