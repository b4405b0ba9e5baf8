"""A job's life on real processes, with all roles in one process and each in its own."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster_case import BIN, ClusterCase, run  # noqa: E402

TRIO = """
emulated = true
[[nodes]]
name = "n"
count = 3
gpus = [{ type = "V100", count = 1 }]
"""


DIGITS = os.path.join(os.environ.get("HADAR_DATA") or os.path.expanduser("~/.cache/hadar/data"), "digits.csv")


class Life(ClusterCase):
    def run_mix(self, separate, policy):
        status = self.up(policy=policy, separate=separate)
        self.assertEqual(len(status), 7 if separate else 3)
        jobs = [self.submit_sleep("long", 900), self.submit_sleep("short", 150),
                self.submit_sleep("gang", 100, more="gpus = 2\ngpu_types = ['K80']\nforkable = false")]
        for job in jobs:
            self.wait_completed(job)
        result, path = self.checked_events()
        for job, steps in zip(jobs, (900, 150, 100)):
            shown = self.json("show", str(job))
            self.assertEqual((shown["state"], shown["steps_credited"], shown["steps_total"]), ("COMPLETED", steps, steps))
            mine = result["jobs"][str(job)]
            self.assertEqual(mine["steps_credited"], steps)
            self.assertAlmostEqual(mine["jct_s"], shown["finished_t_s"] - shown["submitted_t_s"], places=6)
        code, out, error = run([os.path.join(BIN, "hadar"), "report", path, "--json", "-"])
        self.assertEqual(code, 0, error)
        summary = json.loads(out)["runs"][0]
        self.assertAlmostEqual(summary["cru"], result["cru"], places=9)
        self.assertAlmostEqual(summary["makespan_s"], result["makespan_s"], places=9)
        self.assertEqual(summary["policy"], policy)
        return jobs

    def test_shared_processes_under_hadare(self):
        self.run_mix(False, "hadare")

    def test_separate_processes_under_hadare(self):
        self.run_mix(True, "hadare")
        self.check_replay("hadare")

    def test_separate_processes_under_hadar(self):
        self.run_mix(True, "hadar")
        self.check_replay("hadar")

    def test_shared_processes_under_yarn_cs(self):
        self.run_mix(False, "yarn-cs")

    def check_replay(self, policy):
        """Every kept round plans to the same bytes again."""
        rounds = {event["round"] for event in self.events.seen if event["kind"] == "RoundOpened"}
        replayed = 0
        for number in sorted(rounds):
            code, out, error = run([os.path.join(BIN, "hadar"), "replay", str(number), "--policy", policy, "--state",
                                    self.state, "--json"])
            if code == 1 and "no round" in error:
                continue
            self.assertEqual(code, 0, error or out)
            self.assertTrue(json.loads(out)["equal"])
            replayed += 1
        self.assertGreater(replayed, 0)

    @unittest.skipUnless(os.path.exists(DIGITS), "launchers/prepare-data has not run")
    def test_a_target_metric_ends_a_job(self):
        self.up(policy="hadare")
        file = self.write("digits.toml", "name = 'digits'\nworkload = 'image'\ntotal_steps = 100000000\n"
                          "[target]\nmetric = 'accuracy'\nat_least = 0.6\n")
        job = self.json("submit", file)["job"]
        self.wait_completed(job)
        self.checked_events()
        shown = self.json("show", str(job))
        self.assertEqual(shown["reason"], "completed_target")
        self.assertGreaterEqual(shown["metrics"]["accuracy"], 0.6)
        self.assertLess(shown["steps_credited"], shown["steps_total"])

    def test_a_forked_job_trains_on_every_node_at_once(self):
        self.up(cluster=TRIO, separate=True)
        job = self.submit_sleep("forked", 1500, "V100 = 100", sleep="checkpoint_bytes = 65536")
        self.wait_completed(job)
        self.checked_events()
        shown = self.json("show", str(job))
        self.assertEqual(shown["forks_max"], 3)
        self.assertGreaterEqual(shown["consolidations"], 1)
        nodes = {lease["node"] for event in self.events.seen if event["kind"] == "LeasesGranted"
                 for lease in event["leases"]}
        self.assertEqual(nodes, {"n-1", "n-2", "n-3"})
        target = os.path.join(self.folder, "model.safetensors")
        model = json.loads(self.hadar("model", str(job), "-o", target, "--json"))
        self.assertEqual(os.path.getsize(target), model["size_bytes"])

    def test_hold_release_cancel_and_logs(self):
        self.up()
        held = self.submit_sleep("held", 3000)
        self.wait_running(held)
        self.hadar("hold", "held")
        self.events.wait_for_kind("Held", job=held)
        self.assertEqual(self.json("show", "held")["state"], "HELD")
        other = self.submit_sleep("other", 100, sleep="log_bytes_per_s = 2000")
        self.wait_completed(other)
        self.assertNotEqual(self.hadar("logs", "other"), "")
        self.hadar("release", "held")
        self.events.wait_for_kind("Released", job=held)
        self.hadar("cancel", "held")
        self.events.wait_for_kind("Cancelled", job=held)
        self.assertEqual(self.json("show", "held")["state"], "CANCELLED")
        self.assertEqual([job["name"] for job in self.json("jobs")], [])
        self.assertEqual(sorted(job["name"] for job in self.json("jobs", "--all")), ["held", "other"])

    def test_the_same_key_is_the_same_job(self):
        self.up()
        first = self.submit_sleep("keyed", 200, options=("--key", "k1"))
        again = self.submit_sleep("keyed", 200, options=("--key", "k1"))
        self.assertEqual(first, again)
        error = self.submit_sleep("keyed", 300, options=("--key", "k1"), code=1)
        self.assertIn("total_steps", error)
        self.assertNotEqual(self.submit_sleep("keyed-2", 200), first)

    def test_wait_ends_with_the_job(self):
        self.up()
        path = self.write("w.toml", 'name = "w"\nworkload = "sleep"\ntotal_steps = 100\n[sleep]\nsteps_per_s = { V100 = 100 }\n')
        self.assertIn("COMPLETED", self.hadar("submit", path, "--wait"))
        crash = self.write("c.toml", 'name = "c"\ncommand = ["/bin/false"]\ntotal_steps = 100\n')
        code, out, _ = run([os.path.join(BIN, "hadar"), "submit", crash, "--wait", "--state", self.state], 120)
        self.assertEqual(code, 1)
        self.assertIn("FAILED", out)

    def test_drain_moves_work_away_and_undrain_brings_it_back(self):
        self.up(cluster=TRIO)
        job = self.submit_sleep("mover", 2500, "V100 = 100")
        self.wait_running(job)
        self.hadar("drain", "n-1", "--reason", "fan", "--deadline", "4")
        node = next(one for one in self.json("nodes") if one["node"] == "n-1")
        self.assertEqual((node["state"], node["leases"]), ("DRAINED", []))
        self.assertIn("fan", node["reason"])
        at = len(self.events.seen)
        self.hadar("undrain", "n-1")
        self.events.wait_for_kind("NodeUndrained", node="n-1")
        self.events.wait_for(lambda one: one["kind"] == "LeasesGranted" and any(lease["node"] == "n-1" for lease in one["leases"]), start=at)
        self.wait_completed(job)
        self.checked_events()


if __name__ == "__main__":
    unittest.main(verbosity=2)
