#!/usr/bin/env python3
"""Plants one violation at a time into a small clean tree: every rule must fire, at the right place, and alone."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

from house_rules import check_house  # noqa: E402
from include_table import check_includes  # noqa: E402
from tree import ROOMS, read_tree  # noqa: E402

HEADER = "// What it is for.\n#pragma once\n"
FOLDERS = ["messages/types", "messages/codec", "runtime/store", "runtime/transport", "actors/policy", "actors/tracker",
           "tools/cli", "tests/unit", "tests/cluster"]
CLEAN = {
    **{f"{folder}/README.md": "What belongs here.\n" for folder in ROOMS + FOLDERS},
    "messages/types/job.hpp": HEADER + "#include <string>\n#include <tl/expected.hpp>\n",
    "messages/codec/job_codec.hpp": HEADER + '#include "messages/types/job.hpp"\n',
    "messages/codec/job_codec.cpp": '#include "messages/codec/job_codec.hpp"\n#include <capnp/message.h>\n#include "messages/schema/job.capnp.h"\n',
    "runtime/store/blob_store.hpp": HEADER + '#include "messages/types/job.hpp"\n#include <sys/stat.h>\n',
    "runtime/transport/socket.hpp": HEADER + "#include <zmq.hpp>\n",
    "runtime/transport/socket.cpp": '#include "runtime/transport/socket.hpp"\n',
    "actors/policy/policy.hpp": HEADER + '#include "messages/types/job.hpp"\n',
    "actors/tracker/tracker.cpp": '#include <caf/all.hpp>\n#include "runtime/store/blob_store.hpp"\n',
    "tools/cli/main.cpp": '#include <CLI/CLI.hpp>\n#include "messages/codec/job_codec.hpp"\n',
    "tests/unit/job_test.cpp": '#include <gtest/gtest.h>\n#include "actors/policy/policy.hpp"\n',
    "tests/cluster/run.py": "#!/usr/bin/env python3\nprint('sleep workload')\n",
    "CMakeLists.txt": "",
    ".gitignore": "/build/\n",
}


def violations_of(changes):
    """The violations of the clean tree with these files changed (None removes one)."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**CLEAN, **changes}.items():
            if text is None:
                continue
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "wb") as file:
                file.write(text.encode() if isinstance(text, str) else text)
            os.chmod(full, 0o755 if path.endswith("run.py") or path.endswith("start") else 0o644)
        tree = read_tree(root)
        return [*check_includes(tree), *check_house(tree)]


class CleanTree(unittest.TestCase):
    def test_breaks_no_rule(self):
        self.assertEqual([str(v) for v in violations_of({})], [])

    def test_data_files_that_are_no_text_are_passed_over(self):
        self.assertEqual(violations_of({"tests/golden/frame.bin": b"\xff\xfe\x00"}), [])


class Fires(unittest.TestCase):
    def fires(self, rule, path, text, line=0, others=None):
        found = violations_of({path: text, **(others or {})})
        self.assertEqual([(v.rule, v.path) for v in found], [(rule, path)], [str(v) for v in found])
        if line:
            self.assertEqual(found[0].line, line)

    def adds(self, rule, path, added):
        """Appended to a clean file: the rule fires at the line added."""
        self.fires(rule, path, CLEAN[path] + added, CLEAN[path].count("\n") + 1)

    # ---- includes -------------------------------------------------------------------------------------------------
    def test_arrows_between_rooms(self):
        ours = '#include "{}"\n'.format
        for path, included in [
            ("messages/types/job.hpp", "messages/codec/job_codec.hpp"),
            ("messages/types/job.hpp", "runtime/store/blob_store.hpp"),
            ("messages/codec/job_codec.hpp", "actors/policy/policy.hpp"),
            ("runtime/store/blob_store.hpp", "actors/policy/policy.hpp"),
            ("runtime/store/blob_store.hpp", "runtime/transport/socket.cpp"),
            ("actors/policy/policy.hpp", "messages/codec/job_codec.hpp"),
            ("actors/policy/policy.hpp", "runtime/store/blob_store.hpp"),
            ("actors/policy/policy.hpp", "actors/tracker/tracker.cpp"),
            ("actors/tracker/tracker.cpp", "tools/cli/main.cpp"),
            ("actors/tracker/tracker.cpp", "tests/unit/job_test.cpp"),
            ("tools/cli/main.cpp", "actors/policy/policy.hpp"),
            ("tools/cli/main.cpp", "tests/unit/job_test.cpp"),
        ]:
            with self.subTest(path=path, included=included):
                self.adds("include-table", path, ours(included))

    def test_nothing_below_includes_launchers(self):
        self.fires("include-table", "actors/tracker/tracker.cpp", '#include "launchers/policies.hpp"\n', 1,
                   {"launchers/policies.hpp": HEADER})

    def test_libraries_outside_their_rooms(self):
        for path, included in [
            ("actors/policy/policy.hpp", "caf/typed_actor.hpp"),
            ("runtime/store/blob_store.hpp", "caf/actor.hpp"),
            ("actors/tracker/tracker.cpp", "zmq.hpp"),
            ("tools/cli/main.cpp", "zmq.h"),
            ("tools/cli/main.cpp", "capnp/message.h"),
            ("actors/tracker/tracker.cpp", "cuda_runtime.h"),
            ("actors/tracker/tracker.cpp", "nlohmann/json.hpp"),
            ("messages/types/job.hpp", "nlohmann/json_fwd.hpp"),
            ("actors/tracker/tracker.cpp", "spdlog/spdlog.h"),
            ("actors/tracker/tracker.cpp", "sqlite3.h"),
            ("tools/cli/main.cpp", "gtest/gtest.h"),
            ("tools/cli/main.cpp", "boost/asio.hpp"),
        ]:
            with self.subTest(path=path, included=included):
                self.adds("include-table", path, f"#include <{included}>\n")

    def test_generated_schema_outside_the_codec(self):
        self.adds("include-table", "actors/tracker/tracker.cpp", '#include "messages/schema/job.capnp.h"\n')

    def test_a_path_not_counted_from_the_root(self):
        self.adds("include-table", "actors/tracker/tracker.cpp", '#include "tracker_state.hpp"\n')

    def test_caf_all_in_a_header(self):
        self.fires("heavy-header", "actors/tracker/tracker.hpp", HEADER + "#include <caf/all.hpp>\n", 3)

    def test_a_heavy_header_that_leaves_its_folder(self):
        self.fires("heavy-header", "actors/tracker/tracker.cpp", '#include "runtime/transport/socket.hpp"\n', 1)

    # ---- words ----------------------------------------------------------------------------------------------------
    def test_unfinished_work(self):
        for word in ["TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK"]:
            with self.subTest(word=word):
                self.adds("unfinished", "tools/cli/main.cpp", f"// {word}: later\n")

    def test_the_workplace(self):
        for text in ["/wo" "rk/main/build", "../sha" "red/data", "see papers" ".md 5.2", "DESIGN" ".md"]:
            with self.subTest(text=text):
                self.adds("workplace", "messages/types/README.md", text + "\n")

    def test_disabled_and_skipped_tests(self):
        self.adds("disabled-test", "tests/unit/job_test.cpp", "TEST(Job, DISAB" "LED_Runs) {}\n")
        self.adds("skipped-test", "tests/unit/job_test.cpp", "GTEST_SK" "IP();\n")
        self.assertEqual(violations_of({"tests/unit/devices/gpu_test.cpp": "GTEST_SK" "IP();\n"}), [])

    def test_sleeping_tests(self):
        for call in ["std::this_thread::sleep_" "for(1s);", "usle" "ep(5);", "  sle" "ep(1);"]:
            with self.subTest(call=call):
                self.adds("sleep", "tests/unit/job_test.cpp", call + "\n")
        self.adds("sleep", "tests/cluster/run.py", "time.sle" "ep(1)\n")
        self.fires("sleep", "tests/cluster/start", "#!/usr/bin/env bash\nsle" "ep 1\n", 2)

    # ---- files ----------------------------------------------------------------------------------------------------
    def test_top_level(self):
        self.fires("top-level", "docs", "text\n")

    def test_file_names(self):
        self.fires("file-name", "tools/cli/MainCommand.cpp", "")
        self.fires("file-name", "tests/cluster/run-it.py", "")

    def test_file_sizes(self):
        self.fires("file-size", "tools/cli/long.cpp", "int x;\n" * 801)
        self.assertEqual(violations_of({"tools/cli/long.cpp": "int x;\n" * 800}), [])

    def test_readmes(self):
        found = violations_of({"runtime/loop/loop.cpp": ""})
        self.assertEqual([(v.rule, v.path) for v in found], [("readme", "runtime/loop")])
        found = violations_of({"actors/README.md": None})
        self.assertEqual([(v.rule, v.path) for v in found], [("readme", "actors")])
        self.assertEqual(violations_of({"tests/unit/store/store_test.cpp": ""}), [])

    def test_headers(self):
        self.fires("header-guard", "messages/types/job.hpp", "// What it is for.\n")
        self.fires("header-comment", "messages/types/job.hpp", "#pragma once\n")
        self.assertEqual(violations_of({"tools/cli/job.h": "/* C. */\n#ifndef JOB_H\n#endif\n"}), [])

    # ---- actors ---------------------------------------------------------------------------------------------------
    def test_clocks_and_worlds_in_actors(self):
        for call in ["std::chrono::steady_clock::now();", "std::random_device seed;"]:
            with self.subTest(call=call):
                self.adds("clock", "actors/tracker/tracker.cpp", call + "\n")
        self.adds("simulate", "actors/tracker/tracker.cpp", "if (simulated) return;\n")

    def test_impure_decisions(self):
        for text in ["std::cout << 1;", 'std::getenv("X");', "std::mutex lock;"]:
            with self.subTest(text=text):
                self.adds("pure", "actors/policy/policy.hpp", text + "\n")

    # ---- scripts --------------------------------------------------------------------------------------------------
    def test_scripts(self):
        self.fires("script", "tests/cluster/start", "#!/usr/bin/env bash\nif true; then\n", 1)
        self.fires("script", "tests/cluster/run.py", "#!/usr/bin/env python3\ndef broken(:\n", 2)
        self.fires("script", "tests/cluster/other.py", "#!/usr/bin/env python3\n", 1)  # not executable


class Program(unittest.TestCase):
    def test_exit_code_and_one_line_per_violation(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_tree.py")
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "tools"))
            with open(os.path.join(root, "tools", "README.md"), "w", encoding="utf-8") as file:
                file.write("clean\n")
            clean = subprocess.run([sys.executable, script, root], capture_output=True, text=True, timeout=30)
            self.assertEqual((clean.returncode, clean.stdout), (0, "1 files, 0 violations\n"))
            os.remove(os.path.join(root, "tools", "README.md"))
            empty = subprocess.run([sys.executable, script, root], capture_output=True, text=True, timeout=30)
            self.assertEqual(empty.returncode, 1)
            self.assertIn("tools: [readme]", empty.stdout)


if __name__ == "__main__":
    unittest.main()
