#!/usr/bin/env python3
"""simulator_bench.py HADAR [--gavel-trace CSV] [--philly-trace CSV] [--only NAME…] [--check]: CPU seconds and peak memory
of `hadar simulate` beside the budgets. Traces that are not given are left out; the others are generated.

gavel         the Gavel artifact's static trace of single-GPU jobs on 36 GPUs under gavel-las, with and without its compat mode
philly-yarn   the 56,421 jobs of the public Philly trace on 1,000 nodes of eight GPUs under yarn-cs
philly-hadar  the same under hadar
large         10,000 jobs of Gavel's profile on 500 nodes of four GPUs under gavel-las, at the load of its published runs
              (2.4 jobs an hour on 108 GPUs); where all come within a day and a half it takes longer than the budget
policies      480 jobs on 60 GPUs under every policy but gavel-strategy-proof, one after another

Short runs are repeated and the least counts. --check exits 1 when a budget is missed."""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLUSTERS = os.path.join(HOME, "configs", "clusters")
SPEEDS = os.path.join(HOME, "configs", "throughputs", "gavel.csv")
NOT_COMPARED = {"gavel-strategy-proof"}
SHORT_S = 5
REPEATS = 5


def run_once(arguments):
    """CPU seconds and peak MiB of a run that must succeed."""
    pid = os.posix_spawn(arguments[0], arguments, os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 3):  # 3: rows of the trace were left out
        sys.exit("simulator_bench: failed: " + " ".join(arguments))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(arguments):
    cpu_s, mib = run_once(arguments)
    repeats = REPEATS - 1 if cpu_s < SHORT_S else 0
    for _ in range(repeats):
        again_s, again_mib = run_once(arguments)
        cpu_s, mib = min(cpu_s, again_s), max(mib, again_mib)
    return cpu_s, mib


class Bench:
    def __init__(self, hadar, folder):
        self.hadar = hadar
        self.folder = folder
        self.kept = True

    def simulate(self, cluster, trace, policy, *more):
        return [self.hadar, "simulate", "--cluster", cluster, "--trace", trace, "--policy", policy, "-j", "1",
                "--json", os.path.join(self.folder, "result.json"), *more]

    def generate(self, profile, jobs, rate):
        trace = os.path.join(self.folder, f"{profile}-{jobs}.csv")
        subprocess.run([self.hadar, "trace", "generate", "--profile", profile, "--jobs", str(jobs), "--rate", str(rate),
                        "--seed", "1", "-o", trace], check=True, stdout=subprocess.DEVNULL)
        return trace

    def cluster_of(self, nodes_of_a_type):
        path = os.path.join(self.folder, f"cluster-{nodes_of_a_type}.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'throughputs = "{SPEEDS}"\n')
            for gpu, nodes in nodes_of_a_type.items():
                file.write(f'[[nodes]]\nname = "{gpu.lower()}"\ncount = {nodes}\ngpus = [{{ type = "{gpu}", count = 4 }}]\n')
        return path

    def told(self, name, cpu_s, mib, bar_s=None, bar_mib=None):
        missed = (bar_s is not None and cpu_s > bar_s) or (bar_mib is not None and mib > bar_mib)
        self.kept = self.kept and not missed
        bar = "" if bar_s is None else f"bar {bar_s:g} s" + ("" if bar_mib is None else f", {bar_mib:g} MiB")
        print(f"{name:40} {cpu_s:9.3f} s {mib:7.0f} MiB  {bar}{'  MISSED' if missed else ''}", flush=True)

    def gavel(self, trace):
        cluster = os.path.join(CLUSTERS, "gavel-36.toml")
        self.told("gavel-las", *measure(self.simulate(cluster, trace, "gavel-las")), 0.12)
        compat = self.simulate(cluster, trace, "gavel-las", "--compat", "gavel-2022")
        self.told("gavel-las, compat gavel-2022", *measure(compat), 0.12)

    def philly(self, trace, policy, bar_s):
        cluster = os.path.join(CLUSTERS, "philly-8000.toml")
        self.told(f"philly, {policy}", *measure(self.simulate(cluster, trace, policy)), bar_s, 2048)

    def large(self):
        cluster = self.cluster_of({"V100": 167, "P100": 167, "K80": 166})
        trace = self.generate("gavel-multi", 10000, 44)
        self.told("10,000 jobs on 500 nodes, gavel-las", *measure(self.simulate(cluster, trace, "gavel-las")), 300)

    def policies(self):
        cluster = os.path.join(CLUSTERS, "hadar-60.toml")
        trace = self.generate("gavel-multi", 480, 12)
        listed = subprocess.run([self.hadar, "policies", "--json"], check=True, capture_output=True, text=True).stdout
        names = [entry["policy"] for entry in json.loads(listed)]
        total_s = most_mib = 0
        for name in names:
            if name in NOT_COMPARED:
                continue
            cpu_s, mib = run_once(self.simulate(cluster, trace, name))
            total_s, most_mib = total_s + cpu_s, max(most_mib, mib)
            self.told(f"480 jobs on 60 GPUs, {name}", cpu_s, mib)
        self.told("480 jobs on 60 GPUs, all of these", total_s, most_mib, 300)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hadar")
    parser.add_argument("--gavel-trace")
    parser.add_argument("--philly-trace")
    parser.add_argument("--only", nargs="+", choices=["gavel", "philly-yarn", "philly-hadar", "large", "policies"])
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(given.hadar), folder)
        parts = {"large": bench.large, "policies": bench.policies}
        if given.gavel_trace:
            parts["gavel"] = lambda: bench.gavel(given.gavel_trace)
        if given.philly_trace:
            parts["philly-yarn"] = lambda: bench.philly(given.philly_trace, "yarn-cs", 60)
            parts["philly-hadar"] = lambda: bench.philly(given.philly_trace, "hadar", 600)
        for name in given.only or parts:
            if name not in parts:
                sys.exit(f"simulator_bench: {name} needs its trace")
            parts[name]()
    sys.exit(1 if given.check and not bench.kept else 0)


if __name__ == "__main__":
    main()
