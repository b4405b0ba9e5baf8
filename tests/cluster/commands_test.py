"""What the command line does with its own output and files, and through a restart of the control plane."""
import json
import os
import stat
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster_case import BIN, ROOT, ClusterCase, run  # noqa: E402

HADAR = os.path.join(BIN, "hadar")
TABLE = "model,batch_size,gpus,gpu_type,placement,steps_per_s\nm,1,1,V100,packed,5\n"


class Losing(ClusterCase):
    """What every command does when its output is lost."""

    def lost(self, words, where, code=1):
        got, _, error = run(["sh", "-c", f'exec "$0" "$@" {where}', HADAR, *words])
        self.assertEqual((got, len(error.splitlines())), (code, 1), f"{words} {where}: {error}")
        self.assertIn("stdout", error)

    def left(self, words):
        """A reader that went away is no failure."""
        code, _, error = run(["bash", "-c", '"$0" "$@" | true; exit ${PIPESTATUS[0]}', HADAR, *words])
        self.assertEqual((code, error), (0, ""), words)


class Local(Losing):
    """Commands that need no cluster."""

    def test_lost_output_is_a_failure(self):
        cluster = self.write("c.toml", "[[nodes]]\nname = 'a'\ngpus = [{ type = 'V100', count = 1 }]\n")
        for words in (["--help"], ["jobs", "--help"], ["version"], ["version", "--json"], ["policies"], ["policies", "--json"], ["config", "show"],
                      ["config", "show", "--json"], ["config", "check", cluster], ["trace", "formats"],
                      ["trace", "generate", "--profile", "uniform", "--jobs", "9", "--rate", "1", "-o", "-"]):
            for where in (">/dev/full", ">&-"):
                self.lost(words, where)
            self.left(words)

    def test_event_files_that_were_cut(self):
        lines = ['{"seq":1,"t_s":0,"kind":"Held","job":1}', '{"seq":2,"t_s":1,"kind":"Released","job":1}']
        for text, code in (("\n".join(lines) + "\n", 0), ("\n".join(lines), 0), ("\n".join(lines)[:-5], 3),
                           (lines[0] + "\n" + lines[1][:-5] + "\n", 2), (lines[0][:-5] + "\n" + lines[1], 2), (lines[0][:9], 2)):
            path = self.write("events.jsonl", text)
            got, out, error = run([HADAR, "report", path, "--json", "-"])
            self.assertEqual(got, code, f"{text}: {error}")
            self.assertEqual(len(error.splitlines()), 0 if code == 0 else 1, error)
            if code == 3:
                self.assertIn("events.jsonl:2", error)
                self.assertEqual(len(json.loads(out)["runs"]), 1)

    def test_outputs_that_are_no_regular_files(self):
        events = self.write("events.jsonl", '{"seq":1,"t_s":0,"kind":"Held","job":1}\n')
        generate = ["trace", "generate", "--profile", "uniform", "--jobs", "9", "--rate", "1"]
        for words in (["report", events, "--json"], ["report", events, "-o"], [*generate, "-o"]):
            code, _, error = run([HADAR, *words, "/dev/full"])
            self.assertEqual((code, len(error.splitlines())), (1, 1), error)
            self.assertIn("/dev/full", error)
            self.assertEqual(run([HADAR, *words, "/dev/null"])[0], 0)
            for device in ("/dev/full", "/dev/null"):
                self.assertTrue(stat.S_ISCHR(os.stat(device).st_mode))
            with subprocess.Popen([HADAR, *words, "/dev/stdout"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as child:
                self.assertGreater(len(child.stdout.read()), 40)
            self.assertEqual(child.returncode, 0)
            kept = self.write("kept", "old")
            link = os.path.join(self.folder, "link")
            os.symlink("kept", link)
            self.assertEqual(run([HADAR, *words, link])[0], 0)
            self.assertTrue(os.path.islink(link))
            with open(kept, encoding="utf-8") as file:
                self.assertNotEqual(file.read(), "old")
            os.unlink(link)

    def test_config_check_reads_the_table_a_file_names(self):
        self.write("good.csv", TABLE)
        self.write("bad.csv", TABLE.replace("5", "fast"))
        self.write("empty.csv", "")
        os.mkfifo(os.path.join(self.folder, "fifo"))
        files = {"cluster.toml": "throughputs = '{}'\n[[nodes]]\nname = 'a'\ngpus = [{{ type = 'V100', count = 1 }}]\n",
                 "tracker.toml": "[tracker]\nthroughputs = '{}'\n", "node.toml": "[node]\nthroughputs = '{}'\n"}
        for name, text in files.items():
            for table, code in (("good.csv", 0), ("bad.csv", 2), ("empty.csv", 2), ("none.csv", 2), ("/dev/zero", 2), ("/dev/null", 2), ("fifo", 2), (".", 2)):
                got, _, error = run([HADAR, "config", "check", self.write(name, text.format(table))], 10)
                self.assertEqual(got, code, f"{name} {table}: {error}")
                if code:
                    self.assertEqual(len(error.splitlines()), 1)
                    self.assertIn(name, error)
                    self.assertIn(table.strip("."), error)

    def test_a_process_file_without_roles_passes_and_says_so(self):
        everything = os.path.join(ROOT, "configs", "all_options.toml")
        code, out, error = run([HADAR, "config", "check", everything])
        self.assertEqual(code, 0, error)
        self.assertIn("--role", out)
        self.assertEqual(json.loads(run([HADAR, "config", "check", everything, "--json"])[1])["roles"], [])
        code, _, error = run([os.path.join(BIN, "hadard"), "--config", everything])
        self.assertEqual(code, 2, error)
        self.assertIn("roles", error)
        bad = self.write("bad.toml", "[transport]\nsilence_s = 1\nping_s = 2\n")
        self.assertEqual(run([HADAR, "config", "check", bad])[0], 2)

    def test_a_wrong_description_is_refused(self):
        os.mkdir(self.state)
        self.write("state/rounds", "")
        for text in ("[]", "{}", '{"processes":7}'):
            self.write("state/cluster.json", text)
            code, _, error = run([HADAR, "replay", "1", "--policy", "hadare", "--state", self.state])
            self.assertEqual((code, len(error.splitlines())), (2, 1), error)
        self.write("state/cluster.json", '{"processes":[7,{"role":7},{"role":"scheduler","state":7}]}')
        self.assertEqual(run([HADAR, "replay", "1", "--policy", "hadare", "--state", self.state])[0], 1)
        os.unlink(os.path.join(self.state, "cluster.json"))


class Live(Losing):
    """Commands that ask a cluster."""

    def test_lost_output_is_a_failure(self):
        self.up(round_s=1)
        job = self.submit_sleep("one", 100, sleep="checkpoint_bytes = 4096")
        self.wait_completed(job)
        where = ["--state", self.state]
        for words in (["jobs", "--all"], ["nodes"], ["show", "one"], ["explain", "one"], ["doctor"], ["prices"], ["model", "one"], ["events"], ["watch"]):
            for more in ([], ["--json"]):
                for lost in (">/dev/full", ">&-"):
                    self.lost([*words, *where, *more], lost)
                if words != ["watch"]:
                    self.left([*words, *where, *more])
        self.lost(["model", "one", "-o", "-", *where], ">/dev/full")
        code, _, error = run([HADAR, "model", "one", "-o", "/dev/full", *where])
        self.assertEqual((code, len(error.splitlines())), (1, 1), error)
        self.lost(["events", "-f", *where], ">/dev/full")
        self.hadar("model", "one", "-o", os.path.join(self.folder, "m"))
        self.assertEqual(os.path.getsize(os.path.join(self.folder, "m")), len(subprocess.run([HADAR, "model", "one", "-o", "-", *where], capture_output=True, check=True).stdout))

    def test_a_round_file_needs_no_cluster(self):
        self.up(round_s=1)
        self.wait_completed(self.submit_sleep("one", 100))
        rounds = os.path.join(self.state, "processes", "control", "rounds")
        name = sorted(os.listdir(rounds))[-1]
        clean = {key: value for key, value in os.environ.items() if not key.startswith("HADAR_")}
        done = subprocess.run([HADAR, "replay", os.path.join(rounds, name), "--policy", "hadare"], env=clean, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("byte for byte", done.stdout)
        done = subprocess.run([HADAR, "replay", "no/such.round", "--policy", "hadare"], env=clean, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("no/such.round", done.stderr)

    def test_followers_go_on_through_a_restart(self):
        self.up(round_s=1)
        job = self.submit_sleep("long", 1500, more="forkable = false", sleep="log_bytes_per_s = 200")
        self.wait_running(job)
        files = [open(os.path.join(self.folder, name), "w+", encoding="utf-8") for name in ("out", "err")]
        for file in files:
            self.addCleanup(file.close)
        child = subprocess.Popen([HADAR, "logs", "long", "-f", "--state", self.state, "--timeout", "1"], stdin=subprocess.DEVNULL, stdout=files[0], stderr=files[1])
        self.addCleanup(child.kill)
        self.kill("control")
        with self.assertRaises(subprocess.TimeoutExpired):
            child.wait(3)  # longer than a request's limit: it waits for the cluster
        self.restart("control")
        self.wait_completed(job, 120)
        code = child.wait(30)
        files[1].seek(0)
        self.assertEqual(code, 0, files[1].read())
        files[0].seek(0)
        self.assertNotEqual(files[0].read(), "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
