"""Everything about the tree that is not an include: names, sizes, words, READMEs, headers, scripts."""

import os
import re
import subprocess

from tree import CODE, HEADERS, ROOMS, ROOT_FILES, Violation

LONGEST_FILE = 800

# Written in parts, so that this file does not break its own rules.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
WORKPLACE = re.compile(r"(?<![\w.~-])/wo" r"rk/|\.\./sha" r"red\b|\b(DESIGN|papers|users|toolchain|feasibility|solvers|style|data)" r"\.m" r"d\b")
DISABLED = re.compile(r"\bDISAB" r"LED_\w")
SKIPPED = re.compile(r"\bGTEST_SK" r"IP\b")
SLEEP = re.compile(r"\b(sleep_(for|until)|usleep|nanosleep|(?<!_)sleep)[ \t]*\(|^[ \t]*sleep[ \t]+[\d.$]", re.M)
CLOCK = re.compile(r"\b(steady_clock|system_clock|high_resolution_clock)::now\b|\brandom_device\b|\bgettimeofday\b|\btime\(nullptr\)")
WORLD = re.compile(r"\b(std::cout|std::cerr|printf|fprintf|getenv|ifstream|ofstream|std::thread|std::mutex)\b")
SIMULATE = re.compile(r"\bif[ \t]*\([^)]*\bsimulat", re.I)
NAME = re.compile(r"^[a-z][a-z0-9_]*$")

PURE = ("actors/policy/", "actors/pricing/", "actors/throughput/", "actors/consolidation/")
MAY_SKIP = ("tests/unit/devices/", "tests/unit/transport/endpoint_test.cpp")  # hardware or IPv6 may be absent
MAY_SLEEP = ("tests/support/wait_until.py",)  # the one poll with a limit that script tests share


def check_house(tree):
    for rule in (_top_level, _names, _sizes, _readmes, _words, _headers, _purity, _scripts):
        yield from rule(tree)


def _top_level(tree):
    for name in tree.top:
        if not name.startswith(".") and name not in ROOMS + ROOT_FILES + ["build"]:
            yield Violation(name, 0, "top-level", f"the top level holds only {', '.join(ROOMS + ROOT_FILES)} and dot-files")


def _names(tree):
    for path, _ in tree.code():
        stem = os.path.basename(path).rsplit(".", 1)[0]
        if not NAME.match(stem):
            yield Violation(path, 0, "file-name", "source files are named in snake_case")


def _sizes(tree):
    for path, text in tree.code(CODE + (".cmake", ".txt", ".js", ".html", ".css")):
        lines = text.count("\n")
        if lines > LONGEST_FILE:
            yield Violation(path, 0, "file-size", f"{lines} lines; at most {LONGEST_FILE}, better below 300: split it")


def _readmes(tree):
    folders = {os.path.dirname(path) for path, _ in tree.code()} | {room for room in ROOMS if room in tree.top}
    for folder in sorted(folders):
        covered = folder.startswith("tests/unit/")  # tests/unit/README.md speaks for its folders
        if folder and not covered and f"{folder}/README.md" not in tree.files:
            yield Violation(folder, 0, "readme", "needs a README.md: what belongs here, what not, where to start reading")


def _lines(pattern, text):
    for hit in pattern.finditer(text):
        start = hit.start() + len(hit[0]) - len(hit[0].lstrip())
        yield text.count("\n", 0, start) + 1, hit[0].strip()


def _words(tree):
    for path, text in tree.text_files():
        for line, word in _lines(UNFINISHED, text):
            yield Violation(path, line, "unfinished", f"'{word}': finish it or file it as an issue")
        for line, word in _lines(WORKPLACE, text):
            yield Violation(path, line, "workplace", f"'{word}' names something that is not part of the project")
        for line, word in _lines(DISABLED, text):
            yield Violation(path, line, "disabled-test", f"'{word}…': a test runs or does not exist")
        if not path.startswith(MAY_SKIP):
            for line, _ in _lines(SKIPPED, text):
                yield Violation(path, line, "skipped-test", "only tests of absent hardware may skip")
        if path.startswith("tests/") and path not in MAY_SLEEP:
            for line, word in _lines(SLEEP, text):
                yield Violation(path, line, "sleep", f"'{word}': wait for the event, with a limit")


def _headers(tree):
    for path, text in tree.code(HEADERS):
        if "#pragma once" not in text and not (path.endswith(".h") and "#ifndef" in text):
            yield Violation(path, 1, "header-guard", "needs #pragma once")
        if not text.startswith(("//", "/*")):
            yield Violation(path, 1, "header-comment", "starts with a comment that says what it is for")


def _purity(tree):
    for path, text in tree.code((".hpp", ".cpp")):
        if path.startswith("actors/"):
            for line, word in _lines(CLOCK, text):
                yield Violation(path, line, "clock", f"'{word}': actors take time and seeds from their world")
            for line, _ in _lines(SIMULATE, text):
                yield Violation(path, line, "simulate", "actors do not know in which world they run")
        if path.startswith(PURE):
            for line, word in _lines(WORLD, text):
                yield Violation(path, line, "pure", f"'{word}': decisions are pure; no streams, threads or environment")


def _scripts(tree):
    for path, text in tree.text_files():
        if not text.startswith("#!"):
            continue
        full = os.path.join(tree.root, path)
        if not os.access(full, os.X_OK):
            yield Violation(path, 1, "script", "has a #! line but is not executable")
        first = text.split("\n", 1)[0]
        if first.endswith("bash"):
            result = subprocess.run(["bash", "-n", full], capture_output=True, text=True, timeout=20)
            if result.returncode != 0:
                yield Violation(path, 1, "script", result.stderr.strip().splitlines()[0])
        elif "python3" in first:
            try:
                compile(text, path, "exec")
            except SyntaxError as error:
                yield Violation(path, error.lineno or 1, "script", f"is no Python: {error.msg}")
