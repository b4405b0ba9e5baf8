#!/usr/bin/env python3
"""Prints one data frame out of an R data file as CSV, without R.

    read_rdata.py FILE.rda FRAME       a saved workspace, plain or packed with gzip, bzip2 or xz
    read_rdata.py FILE.rdx FRAME       a package's lazy-load index; FILE.rdb must lie beside it

Understands the parts of R's XDR serialisation (versions 2 and 3) that data frames of numbers, strings and factors are
made of. Factors are printed as their labels. Anything else ends with one line on stderr and exit code 2.
"""
import bz2
import csv
import gzip
import lzma
import pathlib
import struct
import sys
import zlib


class RDataError(Exception):
    pass


class Vector:
    """An R vector: its elements and its attributes by name."""

    def __init__(self, elements, attributes=None):
        self.elements = elements
        self.attributes = attributes or {}

    def names(self):
        return self.attributes["names"].elements

    def by_name(self):
        return dict(zip(self.names(), self.elements))


class Parser:
    """Reads one serialised R value. Each method named `_read_…` takes the flags word of the item it reads."""

    HAS_ATTRIBUTES, HAS_TAG = 1 << 9, 1 << 10
    NIL_CODES = {242: "empty environment", 251: "missing argument", 253: "global environment", 254: "nil"}

    def __init__(self, data):
        self.data = data
        self.at = 0
        self.seen = []  # what back references point to
        self.readers = {
            1: self._read_symbol, 2: self._read_pairs, 9: self._read_text, 10: self._read_integers,
            13: self._read_integers, 14: self._read_doubles, 16: self._read_list, 19: self._read_list,
            238: self._read_compact, 255: self._read_reference,
        }

    def parse(self):
        if self._bytes(2) != b"X\n":
            raise RDataError("not in R's XDR serialisation")
        version = self._int()
        self._bytes(8)  # versions of the writing and the oldest reading R
        if version == 3:
            self._bytes(self._int())  # name of the native encoding
        elif version != 2:
            raise RDataError(f"serialisation version {version}; 2 and 3 are understood")
        return self._item()

    def _bytes(self, count):
        piece = self.data[self.at:self.at + count]
        if count < 0 or len(piece) < count:
            raise RDataError(f"ends early, at byte {len(self.data)}")
        self.at += count
        return piece

    def _int(self):
        return struct.unpack(">i", self._bytes(4))[0]

    def _item(self):
        flags = self._int()
        code = flags & 0xFF
        if code in self.NIL_CODES:
            return None
        reader = self.readers.get(code)
        if reader is None:
            raise RDataError(f"holds a value of R type {code} at byte {self.at}, which no data frame needs")
        return reader(flags)

    def _attributes(self, flags):
        return (self._item() or {}) if flags & self.HAS_ATTRIBUTES else {}

    def _read_symbol(self, _flags):
        name = self._item()
        self.seen.append(name)
        return name

    def _read_reference(self, flags):
        return self.seen[(flags >> 8 or self._int()) - 1]

    def _read_text(self, _flags):
        length = self._int()
        return None if length == -1 else self._bytes(length).decode("utf-8", "replace")

    def _read_pairs(self, flags):
        """A tagged chain of cells; becomes a dict, untagged cells under their position."""
        cells = {}
        while flags & 0xFF == 2:
            self._attributes(flags)
            tag = self._item() if flags & self.HAS_TAG else len(cells)
            cells[tag] = self._item()
            flags = self._int()
        if flags & 0xFF not in self.NIL_CODES:
            raise RDataError(f"a pair list ends in R type {flags & 0xFF} at byte {self.at}")
        return cells

    def _numbers(self, flags, code, width):
        count = self._int()
        elements = list(struct.unpack(f">{count}{code}", self._bytes(count * width)))
        return Vector(elements, self._attributes(flags))

    def _read_integers(self, flags):
        return self._numbers(flags, "i", 4)

    def _read_doubles(self, flags):
        return self._numbers(flags, "d", 8)

    def _read_list(self, flags):
        elements = [self._item() for _ in range(self._int())]
        return Vector(elements, self._attributes(flags))

    def _read_compact(self, _flags):
        """R's alternative forms of vectors: ranges, numbers not yet turned into text, and wrapped vectors."""
        kind, state, _ = self._item()[0], self._item(), self._item()
        if kind == "compact_intseq":
            count, first, step = (int(number) for number in state.elements)
            return Vector([first + step * i for i in range(count)])
        inner = next(iter(state.values())) if isinstance(state, dict) else state.elements[0]
        if kind == "deferred_string":
            return Vector([str(number) for number in inner.elements])
        if kind.startswith("wrap_"):
            return inner
        raise RDataError(f"holds a compact vector of unknown kind '{kind}'")


def unpack_workspace(data):
    for magic, module in ((b"\x1f\x8b", gzip), (b"BZh", bz2), (b"\xfd7zXZ", lzma)):
        if data.startswith(magic):
            return module.decompress(data)
    return data


def unpack_chunk(chunk):
    """One value of a lazy-load store: four bytes of its size, perhaps a letter naming the packer, the packed bytes."""
    letter, body = chunk[4:5], chunk[5:]
    if letter == b"2":
        return bz2.decompress(body)
    if letter == b"Z":
        return lzma.decompress(body, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2}])
    return zlib.decompress(chunk[4:])


def read_workspace(path, frame):
    data = unpack_workspace(path.read_bytes())
    if data[:5] not in (b"RDX2\n", b"RDX3\n"):
        raise RDataError("not an R workspace (no RDX2 or RDX3 at its start)")
    values = Parser(data[5:]).parse()
    if frame not in values:
        raise RDataError(f"has no '{frame}', only {', '.join(map(str, values))}")
    return values[frame]


def read_lazy_store(path, frame):
    index = Parser(zlib.decompress(path.read_bytes(), 47)).parse().by_name()
    places = index["variables"].by_name()
    if frame not in places:
        raise RDataError(f"has no '{frame}', only {', '.join(places)}")
    start, size = places[frame].elements
    return Parser(unpack_chunk(path.with_suffix(".rdb").read_bytes()[start:start + size])).parse()


def labelled(column):
    levels = column.attributes.get("levels")
    if levels is None:
        return column.elements
    return [levels.elements[code - 1] for code in column.elements]


def print_csv(frame, out):
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(frame.names())
    writer.writerows(zip(*(labelled(column) for column in frame.elements)))


def main(arguments):
    if len(arguments) != 2 or pathlib.Path(arguments[0]).suffix not in (".rda", ".rdx"):
        print("usage: read_rdata.py FILE.rda|FILE.rdx FRAME", file=sys.stderr)
        return 2
    path, frame = pathlib.Path(arguments[0]), arguments[1]
    read = read_workspace if path.suffix == ".rda" else read_lazy_store
    try:
        print_csv(read(path, frame), sys.stdout)
    except OSError as error:
        print(f"read_rdata.py: {error.filename or path}: {error.strerror or error}", file=sys.stderr)
        return 2
    except (RDataError, ValueError, LookupError, EOFError, zlib.error, lzma.LZMAError) as error:
        print(f"read_rdata.py: {path}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
