"""Bad input and strangers: one clear line, the documented exit code, and nothing changes."""
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster_case import BIN, LAUNCHER, ClusterCase, run  # noqa: E402

SLEEP = "\n[sleep]\nsteps_per_s = { V100 = 100, K80 = 20 }\n"
JOB = 'name = "j"\nworkload = "sleep"\ntotal_steps = 100\n'
# What is wrong, the file, the exit code, what the line must say.
BAD_JOBS = [
    ("unknown key", JOB + "nodes = 3\n" + SLEEP, 2, "nodes"),
    ("misspelt key", JOB.replace("total_steps", "total_step") + SLEEP, 2, "total_steps"),
    ("wrong type", JOB + 'gpus = "two"\n' + SLEEP, 2, "gpus"),
    ("zero GPUs", JOB + "gpus = 0\n" + SLEEP, 2, "gpus"),
    ("negative GPUs", JOB + "gpus = -1\n" + SLEEP, 2, "gpus"),
    ("no steps", JOB.replace("100", "0") + SLEEP, 2, "total_steps"),
    ("unknown workload", JOB.replace("sleep", "slep") + SLEEP, 2, "workload"),
    ("no speeds", JOB, 2, "steps_per_s"),
    ("no TOML", "name = ", 2, "bad.toml:1"),
    ("key twice", JOB + 'name = "k"\n' + SLEEP, 2, "name"),
    ("GPU type that does not exist", JOB + 'gpu_types = ["V1000"]\n' + SLEEP.replace("K80", "V1000"), 1, "V1000"),
    ("more GPUs than there are", JOB + "gpus = 6\n" + SLEEP, 1, "3"),
    ("more of a type than there are", JOB + 'gpus = 2\ngpu_types = ["V100"]\n' + SLEEP, 1, "1"),
]
# Arguments and the exit code.
BAD_COMMANDS = [
    (["submit", "/does/not/exist.toml"], 2), (["submit"], 2), (["show", "99"], 1), (["show", "nobody"], 1),
    (["cancel", "99"], 1), (["hold", "99"], 1), (["logs", "99"], 1), (["model", "99"], 1), (["explain", "x"], 1),
    (["drain", "nobody", "--reason", "r"], 1), (["drain", "fast"], 2), (["undrain", "fast"], 1),
    (["forget", "fast"], 1), (["bogus"], 2), (["jobs", "--nope"], 2), (["prices", "--rounds", "0"], 2),
    (["replay", "1", "--policy", "nobody"], 2), (["replay", "999999", "--policy", "hadare"], 1),
    (["drain", "fast", "--reason", "r", "--deadline", "-1"], 2),
]


class BadInput(ClusterCase):
    def test_is_refused_and_changes_nothing(self):
        self.up()
        before = self.facts()
        for what, text, code, said in BAD_JOBS:
            with self.subTest(what):
                self.assertIn(said, self.hadar("submit", self.write("bad.toml", text), code=code))
        for words, code in BAD_COMMANDS:
            with self.subTest(" ".join(words)):
                got, _, error = run([os.path.join(BIN, "hadar"), *words, *([] if words == ["bogus"] else ["--state", self.state])])
                self.assertEqual(got, code, error)
                self.assertEqual(len(error.strip().splitlines()), 1, error)
        self.assertEqual(self.facts(), before)

    def facts(self):
        lines = [json.loads(line) for line in self.hadar("events", "--json").splitlines()]
        return [event for event in lines if event["kind"] not in ("RoundOpened",)]

    def test_unreachable_and_wrong_cluster(self):
        status = self.up()
        gateway = status["control"]["endpoint"]
        code, _, error = run([os.path.join(BIN, "hadar"), "jobs", "--endpoint", gateway, "--cluster-id", "attic"])
        self.assertEqual(code, 1, error)
        self.assertIn("attic", error)
        code, _, error = run([os.path.join(BIN, "hadar"), "jobs", "--endpoint", gateway])
        self.assertEqual(code, 0, error)
        self.kill("control", "STOP")
        path = self.write("k.toml", JOB + SLEEP)
        code, _, error = run([os.path.join(BIN, "hadar"), "submit", path, "--state", self.state, "--timeout", "1"])
        self.assertEqual(code, 4, error)
        self.kill("control", "CONT")


class Strangers(ClusterCase):
    def hadard(self, text, *words):
        config = self.write("stranger.toml", text)
        return run([os.path.join(BIN, "hadard"), "--config", config, *words], 30)

    def worker(self, name, cluster, scheduler):
        folder = tempfile.mkdtemp(dir=self.folder)
        return (f'[cluster]\nid = "{cluster}"\n[process]\nname = "{name}"\nroles = ["node-worker"]\nstate = "{folder}"\n'
                f'[peers]\nscheduler = "{scheduler}"\n[node]\ngpus = [{{ type = "V100", count = 1 }}]\nemulated = true\n')

    def test_a_second_node_of_one_name_is_refused(self):
        status = self.up()
        job = self.submit_sleep("steady", 400)
        self.wait_running(job)
        with open(os.path.join(self.state, "cluster.json"), encoding="utf-8") as file:
            cluster = json.load(file)["cluster_id"]
        code, _, error = self.hadard(self.worker("fast", cluster, status["control"]["endpoint"]))
        self.assertEqual(code, 1, error)
        self.assertIn("fast", error)
        self.wait_completed(job)
        self.assertFalse(any(event["kind"] == "NodeLost" for event in self.events.seen))

    def test_another_cluster_is_refused(self):
        status = self.up()
        code, _, error = self.hadard(self.worker("x", "attic", status["control"]["endpoint"]))
        self.assertEqual(code, 1, error)
        self.assertIn("attic", error)
        self.assertEqual(sorted(node["node"] for node in self.json("nodes")), ["fast", "slow"])
        self.assertGreaterEqual(self.json("doctor")["refused"]["peers"], 1)

    def test_a_taken_port_is_named_with_its_setting(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            text = self.worker("x", "lab", "tcp://127.0.0.1:1").replace(
                'name = "x"', f'name = "x"\nlisten = "tcp://127.0.0.1:{taken.getsockname()[1]}"')
            code, _, error = self.hadard(text)
            self.assertEqual(code, 1, error)
            self.assertIn(str(taken.getsockname()[1]), error)
            self.assertIn("process.listen", error)

    def test_hadard_refuses_bad_configuration(self):
        for text, said in (("[process]\nnam = 'x'\n", "nam"), ("[proces]\n", "proces"), ("[process]\nroles = ['chef']\n", "chef"),
                           ("[scheduler]\nround_s = 'long'\n", "round_s"), ("[scheduler]\nround_s = 0\n", "round_s"), ("x", "stranger.toml:1")):
            with self.subTest(text):
                code, _, error = self.hadard(text)
                self.assertEqual(code, 2, error)
                self.assertIn(said, error)
        self.assertEqual(run([os.path.join(BIN, "hadard"), "--config", "/does/not/exist"])[0], 2)

    def test_random_frames_are_dropped_and_counted(self):
        status = self.up()
        job = self.submit_sleep("steady", 600)
        self.wait_running(job)
        host, port = status["control"]["endpoint"].removeprefix("tcp://").split(":")
        chance = random.Random(7)
        before = self.json("doctor")["refused"]["frames"]
        frames = 0
        while frames < 10000:
            with socket.create_connection((host, int(port)), 5) as stranger:
                stranger.settimeout(5)
                frames += self.send_frames(stranger, chance, min(500, 10000 - frames))
        with socket.create_connection((host, int(port)), 5) as browser:
            browser.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        self.wait_completed(job)
        self.assertGreater(self.json("doctor")["refused"]["frames"], before)
        self.assertEqual(self.status()["control"]["pid"], status["control"]["pid"])
        self.assertFalse(any(event["kind"] == "NodeLost" for event in self.events.seen))

    @staticmethod
    def send_frames(stranger, chance, count):
        """A proper ZMTP 3.0 greeting of a DEALER, then messages of random frames; returns how many frames went out."""
        stranger.sendall(b"\xff" + bytes(8) + b"\x7f" + b"\x03\x00" + b"NULL".ljust(20, b"\0") + b"\0" + bytes(31))
        ready = b"\x05READY" + b"\x0bSocket-Type" + (6).to_bytes(4, "big") + b"DEALER" + b"\x08Identity" + bytes(4)
        stranger.sendall(b"\x04" + bytes([len(ready)]) + ready)
        stranger.recv(64)
        sent = 0
        try:
            while sent < count:
                parts = chance.randrange(1, 4)
                for part in range(parts):
                    body = chance.randbytes(chance.randrange(0, 200))
                    stranger.sendall(bytes([1 if part < parts - 1 else 0, len(body)]) + body)
                    sent += 1
        except (BrokenPipeError, ConnectionResetError):
            pass  # it may hang up on us; what it took counts
        return max(sent, 1)


class Launcher(ClusterCase):
    def launcher(self, *words, code=0):
        got, out, error = run([LAUNCHER, *words], 60)
        self.assertEqual(got, code, error or out)
        return out, error

    def up_words(self, cluster="", **more):
        path = self.write("c.toml", cluster or 'emulated = true\n[[nodes]]\nname = "a"\ngpus = [{ type = "V100", count = 1 }]\n')
        words = {"--cluster": path, "--policy": "hadare", "--round": "1", "--state": self.state} | more
        return ["up", *(word for pair in words.items() for word in pair)]

    def test_bad_input_is_refused_before_anything_starts(self):
        cases = [(self.up_words(**{"--cluster": "/does/not/exist"}), "exist"), (self.up_words(**{"--round": "0"}), "--round"),
                 (self.up_words(**{"--round": "nan"}), "--round"), (self.up_words(cluster="[[node]]\nname = 'a'\n"), "node"),
                 (self.up_words(cluster="[[nodes]]\nname = 'a'\ngpus = [{ type = 'V100', count = 0 }]\n"), "count"),
                 (self.up_words(cluster="[[nodes]]\nname = 'a'\ngpus = [{ type = 'V100', count = -1 }]\n"), "count"),
                 (["up"], "--cluster"), (["status"], "--state"), (["status", "--state", self.state], "cluster.json"), (["bogus"], "bogus")]
        for words, said in cases:
            with self.subTest(" ".join(words)):
                _, error = self.launcher(*words, code=2)
                self.assertIn(said, error)
        self.assertFalse(os.path.exists(os.path.join(self.state, "cluster.json")))

    def test_the_first_failure_ends_it_and_is_shown(self):
        _, error = self.launcher(*self.up_words(**{"--policy": "nobody"}), code=2)
        self.assertIn("nobody", error)
        _, error = self.launcher(*self.up_words(), "--set", "scheduler.round_s=never", code=2)
        self.assertIn("round_s", error)

    def test_a_second_cluster_in_one_folder_is_refused(self):
        self.launcher(*self.up_words())
        _, error = self.launcher(*self.up_words(), code=1)
        self.assertIn("runs there", error)
        self.launcher("down", "--state", self.state)
        self.launcher("down", "--state", self.state)

    def test_a_stopped_cluster_goes_on_with_its_jobs(self):
        self.up()
        job = self.submit_sleep("later", 800)
        self.events.wait_for_kind("Consolidated")
        self.assertEqual(self.events.close(), 0)
        self.launcher("down", "--state", self.state)
        self.up()
        self.wait_completed(job)
        self.checked_events()

    def test_ctrl_c_leaves_no_process(self):
        for after_lines in range(3):
            child = subprocess.Popen([LAUNCHER, *self.up_words(), "--foreground"], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            with child.stdout, child.stderr:
                if after_lines == 2:  # ready; before that it is still starting
                    self.assertIn("nodes up", child.stdout.readline())
                elif after_lines == 1:
                    run([os.path.join(BIN, "hadar"), "nodes", "--state", self.state, "--timeout", "0.3"])
                child.terminate()
                child.wait(30)
            self.assertEqual(self.left(), {})

    def left(self):
        from cluster_case import processes_of
        return processes_of(self.state)


if __name__ == "__main__":
    unittest.main(verbosity=2)
