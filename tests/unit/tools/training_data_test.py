"""launchers/prepare-data and tools/data/read_rdata.py. HADAR_SOURCE names the project's folder; no network is used."""
import bz2
import gzip
import lzma
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest
import zlib

SOURCE = pathlib.Path(os.environ["HADAR_SOURCE"])
READER = SOURCE / "tools/data/read_rdata.py"
PREPARE = SOURCE / "launchers/prepare-data"


def word(number):
    return struct.pack(">i", number)


def text(value):
    return word(9) + word(len(value)) + value.encode()


def strings(*values):
    return word(16) + word(len(values)) + b"".join(map(text, values))


def pair(name, value):
    return word(2 | 1 << 10) + word(1) + text(name) + value


NIL = word(254)
HEADER = b"X\n" + word(3) + word(0) * 2 + word(5) + b"UTF-8"


def integers(*values, attributes=b""):
    flags = 13 | (1 << 9 if attributes else 0)
    return word(flags) + word(len(values)) + b"".join(map(word, values)) + attributes


def doubles(*values):
    return word(14) + word(len(values)) + struct.pack(f">{len(values)}d", *values)


def integer_range(first, count):
    info = word(2) + word(1) + text("compact_intseq") + NIL
    return word(238) + info + doubles(count, first, 1) + NIL


def frame():
    factor = integers(2, 1, 2, attributes=pair("levels", strings("low", "high")) + NIL)
    columns = factor + doubles(1.5, -2, 3) + integer_range(7, 3)
    return word(19 | 1 << 9) + word(3) + columns + pair("names", strings("f", "x", "n")) + NIL


EXPECTED = "f,x,n\nhigh,1.5,7\nlow,-2.0,8\nhigh,3.0,9\n"


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def expect_one_line(self, result, exit_code, *texts):
        self.assertEqual(result.returncode, exit_code, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        for expected in texts:
            self.assertIn(expected, result.stderr)


class ReadRdata(Scratch):
    def read(self, path, name):
        return subprocess.run(["python3", READER, path, name], text=True, capture_output=True, timeout=60)

    def test_reads_a_workspace_however_it_is_packed(self):
        workspace = b"RDX3\n" + HEADER + pair("d", frame()) + NIL
        for pack in (bytes, gzip.compress, bz2.compress, lzma.compress):
            path = self.folder / "w.rda"
            path.write_bytes(pack(workspace))
            result = self.read(path, "d")
            self.assertEqual((result.stdout, result.stderr), (EXPECTED, ""), pack)

    def test_reads_a_lazy_load_pair(self):
        body = HEADER + frame()
        chunk = word(len(body)) + zlib.compress(body)
        places = word(19 | 1 << 9) + word(1) + integers(5, len(chunk)) + pair("names", strings("d")) + NIL
        index = word(19 | 1 << 9) + word(1) + places + pair("names", strings("variables")) + NIL
        (self.folder / "p.rdx").write_bytes(zlib.compress(HEADER + index))
        (self.folder / "p.rdb").write_bytes(b"other" + chunk)
        self.assertEqual(self.read(self.folder / "p.rdx", "d").stdout, EXPECTED)

    def test_bad_input_gets_one_line(self):
        path = self.folder / "w.rda"
        whole = b"RDX3\n" + HEADER + pair("d", frame()) + NIL
        for data, complaint in ((whole[:90], "ends early"), (b"PK", "not an R workspace"),
                                (b"RDX3\n" + HEADER + pair("d", word(6)) + NIL, "R type 6")):
            path.write_bytes(data)
            self.expect_one_line(self.read(path, "d"), 2, "w.rda", complaint)
        path.write_bytes(whole)
        self.expect_one_line(self.read(path, "e"), 2, "has no 'e', only d")
        self.expect_one_line(self.read(self.folder / "none.rda", "d"), 2, "none.rda: No such file")
        self.expect_one_line(self.read(self.folder / "w.txt", "d"), 2, "usage: ")


class PrepareData(Scratch):
    """Runs with programs of our own in front of the path, so that nothing is fetched."""

    def setUp(self):
        super().setUp()
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        self.data = self.folder / "data"

    def program(self, name, script):
        path = self.programs / name
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)

    def prepare(self, *arguments):
        environment = dict(os.environ, HADAR_DATA=str(self.data), TMPDIR=str(self.folder),
                           PATH=f"{self.programs}:{os.environ['PATH']}")
        return subprocess.run([PREPARE, *arguments], env=environment, text=True, capture_output=True, timeout=120)

    def fill(self):
        self.data.mkdir()
        for name, head, lines, columns in (("digits", 0, 1797, 65), ("wind", 1, 6574, 15), ("insteval", 1, 73421, 7)):
            line = ",".join(["1"] * columns) + "\n"
            (self.data / f"{name}.csv").write_text(line * (head + lines))

    def test_whole_files_are_left_alone_without_a_network(self):
        self.fill()
        self.program("apt-get", "echo 'E: called' >&2; exit 100\n")
        result = self.prepare()
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_a_file_with_a_missing_row_is_fetched_again(self):
        self.fill()
        self.program("apt-get", "echo 'E: Unable to locate package' >&2; exit 100\n")
        wind = self.data / "wind.csv"
        wind.write_text("".join(wind.read_text().splitlines(True)[:-1]))
        self.expect_one_line(self.prepare(), 1, "cannot download the package r-cran-gstat", "E: Unable to locate")
        self.assertEqual(sorted(path.name for path in self.data.iterdir()), ["digits.csv", "insteval.csv", "wind.csv"])

    def test_a_package_with_other_content_is_refused_and_nothing_left_behind(self):
        root = self.folder / "package"
        place = root / "usr/lib/python3/dist-packages/sklearn/datasets/data"
        place.mkdir(parents=True)
        (place / "digits.csv.gz").write_bytes(gzip.compress(b"1,2,3\n"))
        (root / "DEBIAN").mkdir()
        (root / "DEBIAN/control").write_text(
            "Package: python3-sklearn\nVersion: 1\nArchitecture: all\nMaintainer: t <t@t.invalid>\nDescription: t\n")
        subprocess.run(["dpkg-deb", "--build", root, self.folder / "made.deb"], check=True, capture_output=True)
        self.program("apt-get", f"cp {self.folder}/made.deb python3-sklearn_1_all.deb\n")
        self.expect_one_line(self.prepare(), 1, "digits.csv", "other rows or columns")
        self.assertEqual(list(self.data.iterdir()), [])
        self.assertEqual(list(self.folder.glob("tmp.*")), [], "the temporary folder is gone")

    def test_arguments_and_unusable_folders_are_refused(self):
        self.expect_one_line(self.prepare("--force"), 2, "usage: ")
        self.data = pathlib.Path("/proc/none/data")
        self.expect_one_line(self.prepare(), 1, "/proc/none/data: cannot be created; set HADAR_DATA")


if __name__ == "__main__":
    unittest.main()
