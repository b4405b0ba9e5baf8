#!/usr/bin/env python3
"""connections_bench.py BUILD [--nodes N] [--jobs N] [--seconds S] [--check]: what the scheduler costs while N nodes, each a
process of its own with a GPU, hold a connection to it: share of a core and peak memory, first with one job of S seconds,
then with many; and nodes that it took for lost though none was. All processes are on this machine, so their start is the
longest part.

--check exits 1 when the budget is missed: less than one core, less than 500 MB, no node lost."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAUNCHER = os.path.join(HOME, "launchers", "local-cluster")
MOST_CORES = 1
MOST_MIB = 500e6 / 2**20
ROUND_S = 10
UP_LIMIT_S = 900
STEPS_PER_S = 10


def ran(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def cpu_s(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mib(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM:"))


class Cluster:
    def __init__(self, build, folder, nodes):
        self.hadar_path = os.path.join(build, "bin", "hadar")
        self.folder = folder
        self.state = os.path.join(folder, "state")
        cluster = self.write("cluster.toml", f'[[nodes]]\nname = "n"\ncount = {nodes}\ngpus = [{{ type = "T4", count = 1 }}]\n')
        started = time.monotonic()
        ran(LAUNCHER, "up", "--state", self.state, "--cluster", cluster, "--policy", "hadar", "--round", str(ROUND_S),
            "--separate", "--limit", str(UP_LIMIT_S))
        print(f"{nodes} nodes up after {time.monotonic() - started:.0f} s", flush=True)
        processes = json.loads(ran(LAUNCHER, "status", "--state", self.state, "--json"))
        self.scheduler = next(p["pid"] for p in processes if p["role"] == "scheduler")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def hadar(self, *words):
        return ran(self.hadar_path, *words, "--state", self.state)

    def run_jobs(self, jobs, seconds):
        job = self.write("job.toml", f'name = "s"\nworkload = "sleep"\ngpus = 1\ntotal_steps = {int(seconds * STEPS_PER_S)}\n'
                                     f"[sleep]\nsteps_per_s = {{ T4 = {STEPS_PER_S} }}\n")
        for _ in range(jobs - 1):
            self.hadar("submit", job)
        self.hadar("submit", job, "--wait")

    def lost(self):
        return sum(json.loads(line)["kind"] == "NodeLost" for line in self.hadar("events", "--json").splitlines())

    def cores_while(self, what):
        started, before = time.monotonic(), cpu_s(self.scheduler)
        what()
        return (cpu_s(self.scheduler) - before) / (time.monotonic() - started)

    def down(self):
        subprocess.run([LAUNCHER, "down", "--state", self.state], capture_output=True)


def measure(cluster, jobs, seconds):
    idle_cores = cluster.cores_while(lambda: cluster.run_jobs(1, seconds))
    busy_cores = cluster.cores_while(lambda: cluster.run_jobs(jobs, seconds))
    mib, lost = peak_mib(cluster.scheduler), cluster.lost()
    print(f"one job {idle_cores:.3f} cores, {jobs} jobs {busy_cores:.3f} cores  bar {MOST_CORES}\n"
          f"peak {mib:.0f} MiB  bar {MOST_MIB:.0f} MiB\nnodes taken for lost: {lost}  bar 0", flush=True)
    return max(idle_cores, busy_cores) < MOST_CORES and mib < MOST_MIB and lost == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    os.environ["HADAR_BIN"] = os.path.join(os.path.abspath(given.build), "bin")
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(os.path.abspath(given.build), folder, given.nodes)
        try:
            kept = measure(cluster, given.jobs, given.seconds)
        finally:
            cluster.down()
    sys.exit(1 if given.check and not kept else 0)


if __name__ == "__main__":
    main()
