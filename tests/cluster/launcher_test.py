"""The launcher when things go wrong around it: no process is left or unknown, and one line says what it was."""
import copy
import json
import os
import resource
import signal
import subprocess
import sys
import types
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster_case import LAUNCHER, ROOT, ClusterCase, processes_of, run  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "launchers", "lib"))
import processes  # noqa: E402
from entry import Failed  # noqa: E402
from local_cluster import LocalCluster  # noqa: E402

ONE = 'emulated = true\n[[nodes]]\nname = "a"\ngpus = [{ type = "V100", count = 1 }]\n'
NEVER = types.SimpleNamespace(signal=None, check=lambda: None)


class Base(ClusterCase):
    def up_words(self, round_s="1"):
        return [LAUNCHER, "up", "--cluster", self.write("c.toml", ONE), "--policy", "hadare", "--round", round_s, "--state", self.state]

    def launch(self, *words, code=0, **more):
        done = subprocess.run([LAUNCHER, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, **more)
        self.assertEqual(done.returncode, code, done.stderr or done.stdout)
        if code:
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr if code else done.stdout


class Writing(Base):
    def test_a_start_that_cannot_be_written_down_is_undone(self):
        options = types.SimpleNamespace(cluster=self.write("c.toml", ONE), policy="hadare", round=1.0, separate=True, limit=30.0, set=[])
        whole = processes.write_file
        self.addCleanup(setattr, processes, "write_file", whole)
        failures = 0
        for good in range(100):
            left = [good]

            def write_file(path, text, left=left):
                if left[0] == 0:
                    raise Failed(f"{path}: cannot be written: No space left on device")
                left[0] -= 1
                whole(path, text)

            processes.write_file = write_file
            cluster = LocalCluster(self.state)
            try:
                cluster.up(options, NEVER)
            except Failed as failure:
                self.assertIn(self.state, str(failure))
                self.assertEqual(processes_of(self.state), {}, f"after {good} files")
                failures += 1
                for child in cluster.children.values():
                    child.wait(10)
                continue
            break
        self.assertGreater(failures, 6, "each process is written down when it starts")
        processes.write_file = whole
        LocalCluster(self.state).down()
        for child in cluster.children.values():
            child.wait(10)

    def test_a_restart_that_cannot_be_written_down_is_undone(self):
        self.launch(*self.up_words()[1:])
        self.launch("kill", "a", "--state", self.state)
        before = processes_of(self.state)
        error = self.launch("restart", "a", "--state", self.state, code=1,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY)))
        self.assertIn(os.path.join(self.state, "cluster.json"), error)
        self.assertEqual(processes_of(self.state), before)
        self.launch("restart", "a", "--state", self.state)

    def test_a_full_disk(self):
        os.mkdir(self.state)
        if run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", self.state])[0] != 0:
            self.skipTest("a small file system can only be mounted by root")
        try:
            code, _, error = run(self.up_words())
            self.assertEqual(code, 0, error)
            self.launch("kill", "a", "--state", self.state)
            before = processes_of(self.state)
            with self.assertRaises(OSError), open(os.path.join(self.state, "fill"), "wb", buffering=0) as file:
                while file.write(bytes(4096)):
                    pass
            error = self.launch("restart", "a", "--state", self.state, code=1)
            self.assertIn(os.path.join(self.state, "cluster.json"), error)
            self.assertTrue(set(processes_of(self.state)) <= set(before), "nothing new runs")
            os.unlink(os.path.join(self.state, "fill"))
            self.launch("down", "--state", self.state)
            self.assertEqual(processes_of(self.state), {})
        finally:
            run(["umount", "-l", self.state])


class Descriptions(Base):
    def refused(self, text):
        with open(os.path.join(self.state, "cluster.json"), "w", encoding="utf-8") as file:
            file.write(text)
        for words in (["status"], ["status", "--json"], ["logs"], ["logs", "a"], ["kill", "a"], ["restart", "a"], ["down"]):
            error = self.launch(*words, "--state", self.state, code=2)
            self.assertIn("cluster.json", error)
        code, _, error = run(self.up_words())
        self.assertEqual((code, len(error.splitlines())), (2, 1), error)
        self.assertNotIn("Traceback", error)

    def test_a_wrong_description_is_refused_by_every_command(self):
        os.mkdir(self.state)
        process = {key: "x" for key in ("role", "endpoint", "log", "output", "config", "state")}
        right = {"cluster_id": "c", "endpoint": "tcp://127.0.0.1:1", "settings": [],
                 "processes": [{"name": "a", "roles": ["x"], "pid": None, "start_ticks": None} | process]}
        with open(os.path.join(self.state, "cluster.json"), "w", encoding="utf-8") as file:
            json.dump(right, file)
        self.assertIn("a", self.launch("status", "--state", self.state), "the right one is taken")
        wrong = ["", "[]", "3", "[" * 100000, '{"processes":[{"name":"a"}]}', json.dumps(right)[:-2]]
        for key in right:
            wrong.append(json.dumps({name: value for name, value in right.items() if name != key}))
            wrong.append(json.dumps(right | {key: 7}))
        for change in ({"pid": "1"}, {"pid": -1}, {"pid": 1.5}, {"start_ticks": True}, {"log": "\0"}, {"name": ""}, *({key: 7} for key in process)):
            one = copy.deepcopy(right)
            one["processes"][0] |= change
            wrong.append(json.dumps(one))
        for key in ("name", *process):
            one = copy.deepcopy(right)
            del one["processes"][0][key]
            wrong.append(json.dumps(one))
        wrong += [json.dumps(right | {"processes": [7]}), json.dumps(right | {"processes": right["processes"] * 2})]
        for text in wrong:
            with self.subTest(text[:200]):
                self.refused(text)
        os.unlink(os.path.join(self.state, "cluster.json"))


class Signals(Base):
    def test_ctrl_c_at_any_moment_of_the_start(self):
        for at in range(40):
            child = subprocess.Popen(self.up_words(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                child.wait(0.004 * at)  # the moment is what is tried
            except subprocess.TimeoutExpired:
                pass
            child.send_signal(signal.SIGINT)
            output, error = child.communicate(timeout=60)
            if "nodes up" in output:  # it came too late to stop a start that was over
                self.launch("down", "--state", self.state)
                continue
            with self.subTest(f"{4 * at} ms"):
                self.assertIn(child.returncode, (130, -signal.SIGINT), error)
                self.assertLessEqual(len(error.splitlines()), 1, error)
                self.assertEqual(processes_of(self.state), {})

    def test_numbers_outside_their_range_are_refused(self):
        for words in (["logs", "--lines"], ["restart", "a", "--limit"], [*self.up_words()[1:], "--limit"]):
            for value in ("-1", "0", "nan", "inf", "1e400", "99999999999999999999", "x", ""):
                error = self.launch(*words, value, "--state", self.state, code=2)
                self.assertIn(words[-1], error)

    def test_a_round_too_short_to_plan_is_refused_at_once(self):
        for value in ("1e-9", "0.0999", "0", "-1", "nan", "inf", "90000", "x"):
            code, _, error = run(self.up_words(value), 10)
            self.assertEqual((code, len(error.splitlines())), (2, 1), error)
            self.assertIn("--round", error)
        self.assertFalse(os.path.exists(self.state))


class Output(Base):
    def test_what_could_not_be_printed_is_a_failure(self):
        self.launch(*self.up_words()[1:])
        for words in (["status"], ["status", "--json"], ["logs"]):
            for where in (">/dev/full", ">&-"):
                code, _, error = run(["sh", "-c", f'exec "$0" "$@" {where}', LAUNCHER, *words, "--state", self.state])
                self.assertEqual((code, len(error.splitlines())), (1, 1), f"{words} {where} {error}")
                self.assertIn("stdout", error)
            code, _, error = run(["bash", "-c", f'"$0" "$@" | true; exit ${{PIPESTATUS[0]}}', LAUNCHER, *words, "--state", self.state])
            self.assertEqual((code, error), (0, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
