"""SIGKILL in mid-round: jobs still end with exactly the steps that were asked for, and nothing is left behind."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster_case import ClusterCase, processes_of  # noqa: E402

PAIR = """
emulated = true
[[nodes]]
name = "n"
count = 2
gpus = [{ type = "V100", count = 1 }]
"""


class Kills(ClusterCase):
    def start(self, separate=True, steps=1200):
        """Two jobs that train for several rounds; returns once a merge has happened and a round is under way."""
        self.up(separate=separate, cluster=PAIR)
        jobs = [self.submit_sleep("one", steps, "V100 = 100", sleep="checkpoint_bytes = 4096"),
                self.submit_sleep("two", steps, "V100 = 100", sleep="checkpoint_bytes = 4096")]
        self.events.wait_for_kind("Consolidated")
        self.events.wait_for_kind("LeasesGranted", start=len(self.events.seen))
        return jobs

    def finish(self, jobs, steps=1200):
        for job in jobs:
            self.wait_completed(job, 120)
        result, _ = self.checked_events()
        self.assertEqual([result["jobs"][str(job)]["steps_credited"] for job in jobs], [steps] * len(jobs))
        for node in self.json("nodes"):
            if node["state"] == "UP":
                self.assertEqual([group["idle"] for group in node["gpus"]], [group["count"] for group in node["gpus"]])

    def test_a_node_worker(self):
        jobs = self.start()
        folder = self.status()["n-1"]["config"]
        self.kill("n-1")
        lost = self.events.wait_for_kind("NodeLost", node="n-1")
        self.assertNotEqual(lost["reason"], "")
        trainers = {pid: line for pid, line in processes_of(os.path.join(self.state, "processes", "n-1")).items()}
        self.assertEqual(trainers, {}, "its trainers died with it")
        self.assertTrue(os.path.exists(folder))
        at = len(self.events.seen)
        self.restart("n-1")
        self.events.wait_for_kind("NodeUp", node="n-1", start=at)
        self.finish(jobs)

    def test_a_node_worker_that_never_comes_back(self):
        jobs = self.start()
        self.kill("n-2")
        self.events.wait_for_kind("NodeLost", node="n-2")
        self.finish(jobs)
        node = next(one for one in self.json("nodes") if one["node"] == "n-2")
        self.assertEqual((node["state"], sum(group["idle"] for group in node["gpus"])), ("LOST", 0))

    def test_the_tracker(self):
        jobs = self.start()
        self.kill("job-tracker")
        self.restart("job-tracker")
        self.finish(jobs)

    def test_the_scheduler(self):
        jobs = self.start()
        self.kill("scheduler")
        self.restart("scheduler")
        self.events.wait_for(lambda event: event["kind"] == "SchedulerStarted" and event["term"] == 2)
        self.finish(jobs)

    def test_the_whole_control_process(self):
        jobs = self.start(separate=False)
        self.kill("control")
        self.restart("control")
        self.finish(jobs)

    def test_policy_and_oracle(self):
        jobs = self.start()
        for name in ("policy", "price-oracle"):
            self.kill(name)
            self.restart(name)
        self.finish(jobs)


if __name__ == "__main__":
    unittest.main(verbosity=2)
