#!/usr/bin/env python3
"""trace_imports.py HADAR FILE_OR_FOLDER…: imports every trace with `hadar trace import` and prints a table: form, rows, jobs,
drawn models, refused rows by rule, CPU seconds, peak memory. Exits 1 when a row is neither kept nor named, or when what was
written does not read back as the same bytes."""

import collections
import json
import os
import subprocess
import sys
import tempfile


def run(arguments):
    """Exit code, stdout, CPU seconds, peak KiB."""
    with tempfile.TemporaryFile() as out:
        pid = os.posix_spawn(arguments[0], arguments, os.environ,
                             file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
        _, status, usage = os.wait4(pid, 0)
        out.seek(0)
        return os.waitstatus_to_exitcode(status), out.read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def files_of(paths):
    for path in paths:
        if os.path.isdir(path):
            yield from (os.path.join(path, name) for name in sorted(os.listdir(path)))
        else:
            yield path


def check(hadar, path, imported):
    """One line of the table, and whether it is right."""
    code, out, cpu_s, peak_kib = run([hadar, "trace", "import", path, "-o", imported, "--json"])
    if code not in (0, 3):
        reason = subprocess.run([hadar, "trace", "check", path], capture_output=True, text=True).stderr.strip()
        return f"{os.path.basename(path):44} exit {code}: {reason}", False
    told = json.loads(out)
    again = run([hadar, "trace", "import", imported, "-o", "-"])
    with open(imported, "rb") as file:
        same = again[0] == 0 and again[1] == file.read()
    counted = told["rows"] == told["jobs"] + told["refused_rows"] + told["joined"]
    right = same and counted and len(told["refused"]) == told["refused_rows"] and code == (3 if told["refused"] else 0)
    reasons = collections.Counter(f"{row['column']}: {row['rule']}" for row in told["refused"])
    named = "; ".join(f"{count} × {reason}" for reason, count in reasons.most_common())
    return (f"{os.path.basename(path):44} {told['format']:16} {told['rows']:7} {told['jobs']:7} {told['drawn']:7} "
            f"{told['refused_rows']:7} {cpu_s:6.2f} {peak_kib / 1024:6.0f}  {named}{'' if right else '  WRONG'}"), right


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: trace_imports.py HADAR FILE_OR_FOLDER…")
    print(f"{'file':44} {'form':16} {'rows':>7} {'jobs':>7} {'drawn':>7} {'refused':>7} {'CPU s':>6} {'MiB':>6}  rules")
    all_right = True
    with tempfile.TemporaryDirectory() as folder:
        for path in files_of(sys.argv[2:]):
            line, right = check(os.path.abspath(sys.argv[1]), path, os.path.join(folder, "imported.csv"))
            print(line)
            all_right = all_right and right
    sys.exit(0 if all_right else 1)


if __name__ == "__main__":
    main()
