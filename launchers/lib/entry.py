"""What a launcher does first and last: it takes signals before anything large is loaded, and ends with one line.

Nothing is imported here that the interpreter has not loaded anyway, but for `signal`.
"""
import os
import signal
import sys


class Failed(Exception):
    """What went wrong, where, and what would be right: one line. `code` is the documented exit code."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


class Interrupts:
    """SIGINT, SIGTERM and SIGHUP as something to look at between steps, so that no step is cut in half.

    Launchers are started with SIGINT blocked (env --block-signal): one that came while the interpreter loaded is
    delivered here.
    """

    def __init__(self):
        self.signal = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._note)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])

    def _note(self, number, _frame):
        self.signal = number

    def check(self):
        if self.signal is not None:
            raise Failed(f"stopped by {signal.Signals(self.signal).name}", 128 + self.signal)


def hold_standard_files():
    """Keeps closed standard descriptors from being given to the next file; writing to what stands in for one fails."""
    while (descriptor := os.open(os.devnull, os.O_RDONLY)) <= 2:
        if descriptor == 1:
            sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        elif descriptor == 2:
            sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    os.close(descriptor)


def say(text, file=None):
    """Prints at once. A reader that went away wanted no more; any other loss is a failure."""
    file = file or sys.stdout
    try:
        print(text, file=file, flush=True)
    except OSError as error:
        # What is still buffered must not fail again when the interpreter ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, file.fileno())
        os.close(nowhere)
        if not isinstance(error, BrokenPipeError):
            where = "stdout" if file is sys.stdout else "stderr"
            raise Failed(f"{where}: {error.strerror}; not everything could be written to it") from None


def exit_code_of(name, work):
    """Runs `work`; says a failure in one line. Returns the exit code."""
    try:
        work()
        return 0
    except Failed as failure:
        line, code = str(failure), failure.code
    except OSError as error:
        line, code = f"{error.filename or error}: {error.strerror or 'refused'}", 1
    try:
        say(f"{name}: {line}", sys.stderr)
    except Failed:
        pass
    return code
