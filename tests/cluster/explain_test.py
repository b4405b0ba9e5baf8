"""Why a job waits, or can never run: a true reason with numbers, which goes when its cause goes."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster_case import ClusterCase  # noqa: E402

ONE = """
emulated = true
[[nodes]]
name = "a"
gpus = [{ type = "V100", count = 2 }]
"""


class Explain(ClusterCase):
    def test_a_job_that_waits_for_gpus(self):
        self.up(policy="yarn-cs", cluster=ONE, round_s=1)
        first = self.submit_sleep("first", 400, more="gpus = 2\nforkable = false")
        self.wait_running(first)
        second = self.submit_sleep("second", 100, more="gpus = 2\nforkable = false")
        self.events.wait_for_kind("PlanOutcome", job=second, outcome="waiting")
        why = self.json("explain", "second")
        self.assertEqual((why["job"], why["state"]), (second, "WAITING"))
        self.assertTrue(why["code"].startswith("waiting"), why)
        self.assertNotEqual(why["text"], "")
        self.assertTrue(why["numbers"], why)
        self.assertEqual(self.json("show", "second")["reason"], why["code"])
        self.wait_completed(first)
        self.wait_running(second)
        self.wait_completed(second)

    def test_a_job_that_can_never_fit(self):
        self.up(cluster=ONE, round_s=1)
        error = self.submit_sleep("huge", 100, more="gpus = 6", code=1)
        self.assertIn("6", error)
        self.assertIn("2", error)
        kept = self.submit_sleep("huge", 100, more="gpus = 6", options=("--keep-infeasible",))
        why = self.json("explain", str(kept))
        self.assertEqual(why["state"], "INFEASIBLE")
        self.assertIn(6, why["numbers"].values())
        self.assertIn(2, why["numbers"].values())
        behind = self.submit_sleep("behind", 100)
        self.wait_completed(behind)

    def test_a_held_job_says_so(self):
        self.up(cluster=ONE, round_s=1)
        job = self.submit_sleep("kept", 5000)
        self.hadar("hold", "kept")
        self.events.wait_for_kind("Held", job=job)
        self.assertIn("held", self.json("explain", "kept")["code"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
