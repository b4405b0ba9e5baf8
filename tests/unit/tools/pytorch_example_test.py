"""The PyTorch example: how far its two forms differ, and that both train. Needs a Python with torch.

HADAR_SOURCE names the project's folder, HADAR_JOB_LIBRARY the SDK's library; the data folder must be filled.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["HADAR_SOURCE"])
EXAMPLES = SOURCE / "tools/examples"
SDK = SOURCE / "tools/sdk/python"
MOST_LINES = 6


def run(script, **variables):
    environment = {name: value for name, value in os.environ.items() if name != "HADAR_TRAINER_SOCKET"}
    environment.update(PYTHONPATH=str(SDK), OMP_NUM_THREADS="1", **variables)
    return subprocess.run([sys.executable, EXAMPLES / script], env=environment, text=True, capture_output=True,
                          timeout=240)


def printed_accuracy(result):
    return float(re.fullmatch(r"accuracy ([\d.]+)\n", result.stdout).group(1))


class PyTorchExample(unittest.TestCase):
    def test_the_difference_is_at_most_six_lines(self):
        plain, hadar = ((EXAMPLES / name).read_text().splitlines() for name in ("digits_plain.py", "digits_hadar.py"))
        changes = list(difflib.ndiff(plain, hadar))
        added = [line for line in changes if line.startswith("+ ")]
        removed = [line for line in changes if line.startswith("- ")]
        self.assertGreater(len(added), 0)
        self.assertLessEqual(len(added), MOST_LINES, added)
        self.assertLessEqual(len(removed), len(added), removed)

    def test_the_plain_script_trains(self):
        result = run("digits_plain.py")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreaterEqual(printed_accuracy(result), 0.95)

    def test_the_hadar_script_trains_and_hands_its_weights_over(self):
        with tempfile.TemporaryDirectory() as folder:
            weights = os.path.join(folder, "weights.safetensors")
            result = run("digits_hadar.py", HADAR_STANDALONE_STEPS="1000", HADAR_STANDALONE_RESULT=weights)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertGreaterEqual(printed_accuracy(result), 0.95)
            sys.path.insert(0, str(SDK))
            import hadar_job
            shapes = {name: entry[1] for name, entry in hadar_job.load_safetensors(weights, raw=True).items()}
        self.assertEqual(shapes, {"0.weight": [128, 64], "0.bias": [128], "2.weight": [10, 128], "2.bias": [10]})


if __name__ == "__main__":
    unittest.main()
