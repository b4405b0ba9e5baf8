"""Waiting with a limit, for tests that watch other processes. The only place in the tests that sleeps."""

import time


def wait_until(condition, limit_s, what):
    """The first true value of condition(); after limit_s an AssertionError that says what was waited for."""
    deadline = time.monotonic() + limit_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {limit_s} s in vain for {what}")
        time.sleep(0.05)
