"""What every cluster test needs: a cluster of its own in a temporary folder, and ways to wait for what happens in it."""
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("HADAR_BIN", os.path.join(ROOT, "build", "bin"))
LAUNCHER = os.path.join(ROOT, "launchers", "local-cluster")
LIMIT_S = 60

# Short limits, so that a lost node is noticed within seconds.
QUICK = ["--set", "scheduler.dead_after_s=3", "--set", "scheduler.waiting_window_s=4", "--set", "transport.silence_s=2",
         "--set", "transport.ping_s=0.5", "--set", "node.stop_grace_s=3"]

CLUSTER = """
emulated = true
[[nodes]]
name = "fast"
gpus = [{ type = "V100", count = 1 }]
[[nodes]]
name = "slow"
gpus = [{ type = "K80", count = 2 }]
"""


def run(command, limit_s=LIMIT_S):
    """Runs a command to its end; (exit code, stdout, stderr)."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit_s)
    return done.returncode, done.stdout, done.stderr


def processes_of(folder):
    """Living processes whose command line or environment names the folder: {pid: command line}."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) == os.getpid():
            continue
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read().replace(b"\0", b" ").decode("utf-8", "replace")
            with open(f"/proc/{pid}/environ", "rb") as file:
                surroundings = file.read().decode("utf-8", "replace")
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                state = file.read().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state not in "ZX" and (folder in line or folder in surroundings):
            found[int(pid)] = line.strip()
    return found


class Events:
    """The cluster's events as they happen; waiting is bounded and never polls by sleeping."""

    def __init__(self, where):
        self.seen = []
        self.child = subprocess.Popen([os.path.join(BIN, "hadar"), "events", "-f", "--json", *where],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        os.set_blocking(self.child.stdout.fileno(), False)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.child.stdout, selectors.EVENT_READ)
        self.rest = b""

    def wait_for(self, matches, limit_s=LIMIT_S, start=0):
        """The first event from position `start` on that matches; fails after the limit with the last events seen."""
        deadline = time.monotonic() + limit_s
        at = start
        while True:
            for event in self.seen[at:]:
                if matches(event):
                    return event
            at = len(self.seen)
            left = deadline - time.monotonic()
            if left <= 0 or not self.selector.select(left):
                last = "\n".join(json.dumps(event)[:300] for event in self.seen[-8:])
                raise AssertionError(f"no such event within {limit_s} s; the last ones were:\n{last}")
            self.read()

    def read(self):
        data = self.child.stdout.read()
        if data == b"":
            raise AssertionError(f"the event stream ended with exit code {self.child.wait(10)}")
        *lines, self.rest = (self.rest + data).split(b"\n")
        self.seen += [json.loads(line) for line in lines]

    def wait_for_kind(self, kind, limit_s=LIMIT_S, start=0, **members):
        return self.wait_for(lambda event: event["kind"] == kind and all(event.get(key) == value for key, value in members.items()),
                             limit_s, start)

    def close(self):
        self.child.send_signal(signal.SIGINT)
        try:
            code = self.child.wait(10)
        finally:
            self.child.kill()
            self.child.stdout.close()
            self.selector.close()
        return code


class ClusterCase(unittest.TestCase):
    """Ends its cluster after each test and holds it to having left nothing behind."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="hadar-cluster-")
        self.state = os.path.join(self.folder, "state")
        self.events = None
        self.addCleanup(shutil.rmtree, self.folder, True)

    def tearDown(self):
        if self.events:
            self.assertEqual(self.events.close(), 0, "events -f ends on Ctrl-C with 0")
        if os.path.exists(os.path.join(self.state, "cluster.json")):
            code, _, error = run([LAUNCHER, "down", "--state", self.state])
            self.assertEqual((code, error), (0, ""), "every process ends by itself")
        self.assertEqual(processes_of(self.folder), {}, "no process is left")
        if self._outcome_failed():
            self.show_logs()

    def _outcome_failed(self):
        outcome = getattr(self, "_outcome", None)
        errors = getattr(getattr(outcome, "result", None), "failures", []) + getattr(getattr(outcome, "result", None), "errors", [])
        return any(test is self for test, _ in errors)

    def show_logs(self):
        print(run([LAUNCHER, "logs", "--lines", "40", "--state", self.state])[1], file=sys.stderr)

    # ---- the cluster ----

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def up(self, policy="hadare", round_s=2, separate=False, cluster=CLUSTER, settings=QUICK):
        command = [LAUNCHER, "up", "--cluster", self.write("cluster.toml", cluster), "--policy", policy, "--round",
                   str(round_s), "--state", self.state, *settings, *(["--separate"] if separate else [])]
        code, _, error = run(command, 90)
        self.assertEqual(code, 0, error)
        self.events = Events(["--state", self.state])
        return self.status()

    def status(self):
        code, out, error = run([LAUNCHER, "status", "--json", "--state", self.state])
        self.assertEqual(code, 0, error)
        return {one["name"]: one for one in json.loads(out)}

    def kill(self, name, how="KILL"):
        code, _, error = run([LAUNCHER, "kill", name, "--signal", how, "--state", self.state])
        self.assertEqual(code, 0, error)

    def restart(self, name):
        code, _, error = run([LAUNCHER, "restart", name, "--state", self.state])
        self.assertEqual(code, 0, error)

    # ---- the command line ----

    def hadar(self, *words, code=0):
        """Runs a command against this cluster; checks its exit code; returns stdout, or the error line when it failed."""
        got, out, error = run([os.path.join(BIN, "hadar"), *words, "--state", self.state])
        self.assertEqual(got, code, f"hadar {' '.join(words)}: {error or out}")
        if got != 0:
            self.assertEqual(len(error.strip().splitlines()), 1, f"one line, got: {error}")
        return out if got == 0 else error

    def json(self, *words):
        return json.loads(self.hadar(*words, "--json"))

    def submit_sleep(self, name, steps, speeds="V100 = 100, K80 = 20", code=0, more="", sleep="", options=()):
        text = (f'name = "{name}"\nworkload = "sleep"\ntotal_steps = {steps}\n{more}\n'
                f"[sleep]\nsteps_per_s = {{ {speeds} }}\n{sleep}\n")
        out = self.hadar("submit", self.write(name + ".toml", text), *options, "--json", code=code)
        return json.loads(out)["job"] if code == 0 else out

    def wait_completed(self, job, limit_s=LIMIT_S):
        event = self.events.wait_for(lambda one: one["kind"] in ("Completed", "Failed", "Cancelled") and one["job"] == job, limit_s)
        self.assertEqual(event["kind"], "Completed", event)
        return event

    def wait_running(self, job, limit_s=LIMIT_S):
        self.events.wait_for(lambda one: one["kind"] == "LeasesGranted" and
                             any(lease["job"] == job for lease in one["leases"]), limit_s)

    def checked_events(self):
        """All events, held to what the independent script finds in them."""
        path = self.write("events.jsonl", self.hadar("events", "--json"))
        code, out, error = run([sys.executable, os.path.join(ROOT, "tests", "cluster", "check_events.py"), path])
        self.assertEqual(code, 0, out + error)
        return json.loads(out), path
