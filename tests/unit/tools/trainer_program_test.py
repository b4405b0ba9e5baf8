"""The hadar-trainer program as a user meets it. HADAR_TRAINER names it; its data folder must be filled."""
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

TRAINER = os.environ["HADAR_TRAINER"]


def run(*arguments, **variables):
    environment = {name: value for name, value in os.environ.items() if name != "HADAR_TRAINER_SOCKET"}
    environment.update({name: str(value) for name, value in variables.items()})
    return subprocess.run([TRAINER, *map(str, arguments)], env=environment, text=True, capture_output=True, timeout=60)


class TrainerProgram(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def expect_complaint(self, result, text):
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("hadar-trainer: "), result.stderr)
        self.assertIn(text, result.stderr)

    def test_bad_input_gets_one_line(self):
        self.expect_complaint(run(), "no workload; choose image")
        self.expect_complaint(run("video"), "workload 'video' is unknown; choose image, weather, recommendation")
        self.expect_complaint(run("image", "--bogus"), "--bogus")
        self.expect_complaint(run("sleep", HADAR_SLEEP="naps=3"), "HADAR_SLEEP: 'naps=3'")

    def test_a_missing_data_file_says_how_to_get_it(self):
        for workload, file in (("image", "digits"), ("weather", "wind"), ("recommendation", "insteval")):
            result = run(workload, HADAR_DATA=self.folder)
            self.expect_complaint(result, f"{self.folder}/{file}.csv: no such data file; run launchers/prepare-data")

    def test_a_damaged_data_file_is_named_with_its_line(self):
        (self.folder / "digits.csv").write_text(",".join(["1"] * 65) + "\n1,2,3\n")
        self.expect_complaint(run("image", HADAR_DATA=self.folder), "digits.csv:2: ")

    def test_trains_by_hand_and_scores_its_weights(self):
        weights = self.folder / "weights.safetensors"
        trained = run("image", HADAR_STANDALONE_STEPS=1000, HADAR_STANDALONE_RESULT=weights)
        self.assertEqual(trained.returncode, 0, trained.stderr)
        scored = run("evaluate", "image", weights, "--json")
        self.assertEqual(scored.returncode, 0, scored.stderr)
        metrics = json.loads(scored.stdout)
        self.assertGreater(metrics["accuracy"], 0.9)
        self.assertLess(metrics["baseline_accuracy"], 0.2)
        self.assertIn(f"accuracy {metrics['accuracy']:.4g}", trained.stdout)

    def test_weights_are_a_plain_safetensors_file(self):
        weights = self.folder / "weights.safetensors"
        run("recommendation", HADAR_STANDALONE_STEPS=1, HADAR_STANDALONE_RESULT=weights)
        data = weights.read_bytes()
        header = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
        tensors = {name: (entry["dtype"], entry["shape"]) for name, entry in header.items() if name != "__metadata__"}
        self.assertEqual(tensors, {
            "embed.user": ("F32", [2972, 8]), "embed.item": ("F32", [1128, 8]),
            "layer0.weight": ("F32", [32, 16]), "layer0.bias": ("F32", [32]),
            "layer1.weight": ("F32", [1, 32]), "layer1.bias": ("F32", [1])})

    def test_evaluate_refuses_other_weights(self):
        weights = self.folder / "weights.safetensors"
        run("weather", HADAR_STANDALONE_STEPS=1, HADAR_STANDALONE_RESULT=weights)
        self.expect_complaint(run("evaluate", "image", weights), "layer0.weight")
        self.expect_complaint(run("evaluate", "image", self.folder / "none"), "none")

    def test_too_little_memory_is_said_in_one_line(self):
        result = run("sleep", HADAR_SLEEP=f"checkpoint_bytes={2**60}", HADAR_STANDALONE_STEPS=1,
                     HADAR_STANDALONE_RESULT=self.folder / "weights.safetensors")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertTrue(result.stderr.startswith("hadar-trainer: out of memory: sleep "), result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_sleep_writes_the_ordered_log_and_size(self):
        weights = self.folder / "weights.safetensors"
        result = run("sleep", HADAR_SLEEP="checkpoint_bytes=40000,crash_at_step=0,log_bytes_per_s=1e9",
                     HADAR_STANDALONE_STEPS=20, HADAR_STANDALONE_RESULT=weights)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(len(result.stdout), 5000)
        self.assertTrue(40000 <= weights.stat().st_size < 41000)

    def test_sleep_crashes_as_ordered(self):
        result = run("sleep", HADAR_SLEEP="crash_at_step=3")
        self.assertEqual(result.returncode, 1)
        self.assertIn("crash at step 3, as ordered", result.stderr)


if __name__ == "__main__":
    unittest.main()
