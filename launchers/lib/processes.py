"""Starting, watching and ending processes, so that none is ever left behind and none but ours is ever ended."""
import os
import signal
import stat
import subprocess
import time

from entry import Failed


def start_ticks(pid):
    """When a living process started, in clock ticks since boot; None when it is gone or a zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def is_alive(pid, ticks):
    """Whether this very process lives: a number that was given to another process in the meantime does not count."""
    return pid is not None and start_ticks(pid) == ticks and ticks is not None


def start(command, output, folder=None):
    """Starts a process in a session of its own; stdout and stderr go to the end of the file `output`."""
    with open(output, "ab") as file:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                start_new_session=True, cwd=folder)


def end_child(child, grace_s=15.0):
    """Ends a child of this very process, whatever is known about it, and takes its exit code."""
    child.terminate()
    try:
        child.wait(grace_s)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait(5.0)


def write_file(path, text):
    """Writes a text file whole or not at all, through symbolic links; what is no regular file is written to."""
    try:
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return
        target = os.path.realpath(path)
        partial = f"{target}.partial-{os.getpid()}"
        try:
            with open(partial, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(partial, target)
        except BaseException:
            if os.path.exists(partial):
                os.unlink(partial)
            raise
    except OSError as error:
        raise Failed(f"{path}: cannot be written: {error.strerror}") from None


def send(pid, ticks, number):
    """Signals this very process; False when it is gone."""
    if not is_alive(pid, ticks):
        return False
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def wait_gone(processes, limit_s, poll_s=0.02):
    """Waits until all (pid, ticks) are gone or the limit has passed; returns those that live."""
    deadline = time.monotonic() + limit_s
    while True:
        left = [one for one in processes if is_alive(*one)]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(poll_s)


def end(processes, grace_s=15.0):
    """SIGTERM to all (pid, ticks), SIGKILL to those that stay. Returns those that had to be killed."""
    for pid, ticks in processes:
        send(pid, ticks, signal.SIGTERM)
    stubborn = wait_gone(processes, grace_s)
    for pid, ticks in stubborn:
        send(pid, ticks, signal.SIGKILL)
    left = wait_gone(stubborn, 5.0)
    if left:
        raise Failed(f"processes {', '.join(str(pid) for pid, _ in left)} do not end, not even by SIGKILL")
    return stubborn


def last_lines(path, count=15):
    """The end of a text file; empty when it cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - 16384))
            return file.read().decode("utf-8", "replace").splitlines()[-count:]
    except OSError:
        return []
