#!/usr/bin/env python3
"""Checks the project's own rules: check_tree.py [ROOT]. One line per violation; exit code 1 when there is any."""

import os
import sys

sys.dont_write_bytecode = True

from house_rules import check_house  # noqa: E402
from include_table import check_includes  # noqa: E402
from tree import read_tree  # noqa: E402


def main():
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    tree = read_tree(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else default))
    violations = sorted({*check_includes(tree), *check_house(tree)}, key=lambda v: (v.path, v.line, v.rule))
    for violation in violations:
        print(violation)
    print(f"{len(tree.files)} files, {len(violations)} violations")
    return 1 if violations or not tree.files else 0


if __name__ == "__main__":
    sys.exit(main())
