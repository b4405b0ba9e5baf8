"""Builds, prepares the data, runs the mix under each policy on a local cluster, prints and writes what came out."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from entry import Failed, Interrupts, exit_code_of, hold_standard_files, say  # noqa: E402

INTERRUPTS = Interrupts()
hold_standard_files()
import argparse  # noqa: E402
import glob  # noqa: E402
import json  # noqa: E402
import re  # noqa: E402
import shutil  # noqa: E402
import signal  # noqa: E402
import subprocess  # noqa: E402
import time  # noqa: E402

import processes  # noqa: E402
from local_cluster import ROOT, LocalCluster, binary, run_hadar  # noqa: E402

TARGETS = ["hadar", "hadard", "hadar-trainer", "hadar_job"]
DEFAULT_POLICIES = "hadare,hadar,yarn-cs"
DEFAULT_ROUND_S = 6.0
RUN_LIMIT_S = 900.0
CLUSTER = os.path.join(ROOT, "configs", "clusters", "local-5.toml")
MIXES = {"default": "default-mix", "one": "one"}


class OneLineParser(argparse.ArgumentParser):
    def error(self, message):
        print(f"quickstart: {message}; see launchers/quickstart --help", file=sys.stderr)
        sys.exit(2)


def parse():
    parser = OneLineParser(prog="quickstart", allow_abbrev=False)
    parser.add_argument("--began", type=float, default=time.time(), help=argparse.SUPPRESS)
    parser.add_argument("--mix", choices=sorted(MIXES), default="default")
    parser.add_argument("--policies", default=DEFAULT_POLICIES)
    parser.add_argument("--round", type=float, default=DEFAULT_ROUND_S)
    parser.add_argument("--state", default=os.path.join(ROOT, "build", "quickstart"))
    parser.add_argument("--json")
    parser.add_argument("--report")
    parser.add_argument("--keep", action="store_true", help="keep the clusters' state folders")
    options = parser.parse_args()
    options.policies = [name for name in options.policies.split(",") if name]
    if not options.policies or len(set(options.policies)) != len(options.policies):
        parser.error("--policies must name at least one policy, each once, separated by commas")
    if not 0.5 <= options.round <= 3600:
        parser.error(f"--round: got {options.round:g}, must be from 0.5 to 3600 seconds")
    options.state = os.path.abspath(options.state)
    options.report = os.path.abspath(options.report or os.path.join(options.state, "report.html"))
    return options


class Quickstart:
    def __init__(self, options, interrupts):
        self.options = options
        self.interrupts = interrupts
        # With --json - stdout belongs to the result.
        self.out = sys.stderr if options.json == "-" else sys.stdout

    def say(self, text=""):
        elapsed = time.time() - self.options.began
        say(f"[{elapsed:6.1f} s] {text}" if text else "", self.out)

    def wait_child(self, child, tick=None, limit_s=None):
        """Waits for a child, looking at signals; on an interrupt or a fault the child's whole session ends."""
        deadline = None if limit_s is None else time.monotonic() + limit_s
        try:
            while child.poll() is None:
                self.interrupts.check()
                if deadline is not None and time.monotonic() > deadline:
                    raise Failed(f"{child.args[0]} took longer than {limit_s:g} s")
                if tick:
                    tick()
                time.sleep(0.1)
        except BaseException:
            end_session(child)
            raise
        return child.returncode

    def run_logged(self, command, log, what):
        with open(log, "ab") as file:
            child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                     start_new_session=True)
        shown = [time.monotonic()]

        def tick():
            if time.monotonic() - shown[0] < 10:
                return
            shown[0] = time.monotonic()
            step = re.findall(r"^\[(\d+/\d+)\]", "\n".join(processes.last_lines(log, 5)), re.MULTILINE)
            self.say(f"  {what}{': ' + step[-1] if step else ''}")

        if self.wait_child(child, tick) != 0:
            lines = "".join(f"\n  | {line}" for line in processes.last_lines(log, 25))
            raise Failed(f"{what} failed with exit code {child.returncode}; the end of {log}:{lines}")

    # ---- before the runs ----

    def build(self):
        if os.environ.get("HADAR_BIN"):
            self.say(f"using the programs in {os.environ['HADAR_BIN']}")
            return
        log = os.path.join(self.options.state, "build.log")
        with open(log, "wb"):
            pass
        self.say("building hadar, hadard and the trainer into build/ (a first build takes some minutes)")
        self.run_logged(["cmake", "--preset", "release"], log, "configuring")
        self.run_logged(["cmake", "--build", "build", "--target", *TARGETS], log, "building")

    def prepare_data(self):
        self.say("preparing the training data (Debian packages, kept in ~/.cache/hadar/data)")
        child = subprocess.Popen([os.path.join(ROOT, "launchers", "prepare-data")], stdin=subprocess.DEVNULL,
                                 stdout=self.out, start_new_session=True)
        if self.wait_child(child) != 0:
            raise Failed("the training data could not be prepared; see above")

    def check_policies(self):
        code, out, error = run_hadar(["policies", "--json"])
        if code != 0:
            raise Failed(error)
        known = [policy["policy"] for policy in json.loads(out)]
        for name in self.options.policies:
            if name not in known:
                raise Failed(f"--policies: no policy is called '{name}'; there are {', '.join(known)}", 2)

    # ---- one run ----

    def run_policy(self, policy, jobs):
        state = os.path.join(self.options.state, "run-" + policy)
        events = os.path.join(self.options.state, f"events-{policy}.jsonl")
        cluster = LocalCluster(state)
        cluster.refuse_live()
        shutil.rmtree(state, ignore_errors=True)
        self.say()
        self.say(f"{policy}: starting the cluster, rounds of {self.options.round:g} s")
        up = argparse.Namespace(cluster=CLUSTER, policy=policy, round=self.options.round, separate=True, limit=60.0,
                                set=[])
        cluster.up(up, self.interrupts)
        try:
            self.say(f"{policy}: {len(cluster.data['processes'])} processes are up; submitting {len(jobs)} jobs")
            self.submit(state, jobs)
            self.wait_for_jobs(state, len(jobs))
            self.collect_events(state, events)
        finally:
            killed = cluster.down()
        if killed:
            raise Failed(f"{', '.join(killed)} did not end by themselves within 15 s and were killed")
        self.say(f"{policy}: all jobs ended, all processes ended")
        return events, state

    def submit(self, state, jobs):
        for job in jobs:
            self.interrupts.check()
            code, _, error = run_hadar(["submit", job, "--state", state])
            if code != 0:
                raise Failed(f"{job}: {error}")

    def wait_for_jobs(self, state, count):
        """Follows the events until every job ended; the live view runs beside it."""
        stream = subprocess.Popen([binary("hadar"), "events", "-f", "--json", "--state", state], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        watch = subprocess.Popen([binary("hadar"), "watch", "--state", state], stdin=subprocess.DEVNULL, stdout=self.out,
                                 start_new_session=True)
        ended = set()
        deadline = time.monotonic() + RUN_LIMIT_S
        os.set_blocking(stream.stdout.fileno(), False)
        rest = b""
        try:
            while len(ended) < count:
                self.interrupts.check()
                if stream.poll() is not None:
                    raise Failed(f"the event stream ended: {stream.stderr.read().decode('utf-8', 'replace').strip()}")
                if time.monotonic() > deadline:
                    raise Failed(f"{count - len(ended)} jobs did not end within {RUN_LIMIT_S:g} s; see the logs in {state}/log")
                *lines, rest = (rest + (stream.stdout.read() or b"")).split(b"\n")
                for line in lines:
                    event = json.loads(line)
                    if event["kind"] in ("Completed", "Failed", "Cancelled"):
                        ended.add(event["job"])
                time.sleep(0.1)
            time.sleep(0.6)  # the live view shows the end
        finally:
            end_session(watch, signal.SIGINT)
            end_session(stream, signal.SIGINT)
            stream.stdout.close()
            stream.stderr.close()

    def collect_events(self, state, events):
        code, out, error = run_hadar(["events", "--json", "--state", state])
        if code != 0:
            raise Failed(f"events: {error}")
        processes.write_file(events, out)

    # ---- after the runs ----

    def summarise(self, events):
        os.makedirs(os.path.dirname(self.options.report), exist_ok=True)
        code, out, error = run_hadar(["report", *events, "-o", self.options.report, "--json", "-"])
        if code != 0:
            raise Failed(f"report: {error}")
        return json.loads(out)

    def print_result(self, runs):
        self.say()
        lines = result_lines(runs)
        say("\n".join(lines), self.out)
        self.say(f"report: {self.options.report}")

    def run(self):
        jobs = sorted(glob.glob(os.path.join(ROOT, "configs", "workloads", MIXES[self.options.mix], "*.toml")))
        os.makedirs(self.options.state, exist_ok=True)
        self.build()
        self.prepare_data()
        self.check_policies()
        ran = [self.run_policy(policy, jobs) for policy in self.options.policies]
        summary = self.summarise([events for events, _ in ran])
        self.print_result(summary["runs"])
        if self.options.json:
            write_result(self.options.json, summary)
        faults = faults_of(summary["runs"])
        if faults:
            raise Failed("; ".join(faults))
        if not self.options.keep:
            for _, state in ran:
                shutil.rmtree(state, ignore_errors=True)


def end_session(child, first=signal.SIGINT):
    """Asks a child to end, then ends its whole session."""
    for number, limit_s in ((first, 5), (signal.SIGTERM, 3), (signal.SIGKILL, 3)):
        if child.poll() is not None:
            return
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            pass
        try:
            child.wait(limit_s)
        except subprocess.TimeoutExpired:
            continue


def write_result(target, summary):
    text = json.dumps(summary, indent=2, allow_nan=False)
    if target == "-":
        say(text)
    else:
        processes.write_file(target, text + "\n")


def faults_of(runs):
    faults = []
    for run in runs:
        for job in run["jobs"]:
            if job["state"] != "COMPLETED":
                faults.append(f"{run['policy']}: job {job['name']} ended {job['state']}")
            elif job["steps_credited"] != job["steps_requested"]:
                faults.append(f"{run['policy']}: job {job['name']} has {job['steps_credited']} steps credited of "
                              f"{job['steps_requested']} requested")
    return faults


def number(value, digits=1):
    return "-" if value is None else f"{value:.{digits}f}"


def table_lines(header, rows):
    widths = [max(len(row[at]) for row in [header, *rows]) for at in range(len(header))]
    return ["  ".join(cell.ljust(width) if at == 0 else cell.rjust(width)
                      for at, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in [header, *rows]]


def result_lines(runs):
    lines = []
    for run in runs:
        rows = [[job["name"], number(job["jct_s"]), f"{job['steps_credited']}/{job['steps_requested']}",
                 str(job["forks_max"]), str(job["consolidations"]),
                 f"{job['metric_name'] or ''} {number(job['metric'], 3)}".strip(), number(job["baseline_metric"], 3)]
                for job in run["jobs"]]
        lines += [f"{run['policy']}"]
        lines += ["  " + line for line in table_lines(
            ["job", "JCT s", "steps", "forks", "merges", "metric", "baseline"], rows)] + [""]
    rows = [[run["policy"], number(run["makespan_s"]), number(run["cru"], 3), number(run["avg_jct_s"]),
             str(run["pace_missed"])] for run in runs]
    lines += table_lines(["policy", "makespan s", "CRU", "mean JCT s", "pace missed"], rows)
    first = runs[0]
    for other in runs[1:]:
        if first["makespan_s"] > 0 and first["avg_jct_s"] > 0:
            lines.append(f"{first['policy']} against {other['policy']}: makespan {other['makespan_s'] / first['makespan_s']:.2f}x"
                         f" shorter, mean JCT {other['avg_jct_s'] / first['avg_jct_s']:.2f}x shorter, nodes training"
                         f" {100 * first['cru']:.0f} % against {100 * other['cru']:.0f} % of the time")
    return lines + [""]


def run():
    options = parse()
    INTERRUPTS.check()
    Quickstart(options, INTERRUPTS).run()


if __name__ == "__main__":
    sys.exit(exit_code_of("quickstart", run))
