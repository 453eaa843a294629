# SPDX-License-Identifier: GPL-3.0-or-later
"""Our Parquet files in hyparquet's hands.  TAP."""
import json
import os
import random
import subprocess
import sys

import numpy as np

from content import content
from tap import TMP, ok, run

TOOL = os.path.join(os.environ["LB_TOP_BUILDDIR"], "tests/interop/make_parquet")
SCRIPT = os.path.join(os.environ["LB_TOP_SRCDIR"], "tests/interop/parquet.mjs")
SEED = 10

CODECS = {"none": "UNCOMPRESSED", "snappy": "SNAPPY", "gzip": "GZIP",
          "zstd": "ZSTD", "lz4": "LZ4_RAW"}
# dtype: physical type, bits and sign of its annotation
TYPES = {"float16": ("FIXED_LEN_BYTE_ARRAY", None), "float32": ("FLOAT", None),
         "float64": ("DOUBLE", None), "int8": ("INT32", (8, True)),
         "int16": ("INT32", (16, True)), "int32": ("INT32", None),
         "int64": ("INT64", None), "uint8": ("INT32", (8, False)),
         "uint16": ("INT32", (16, False)), "uint32": ("INT32", (32, False)),
         "uint64": ("INT64", (64, False)), "bool": ("BOOLEAN", None)}


class File:
    """rows, rows of a group, compression, columns (name, dtype, size)."""

    def __init__(self, name, rows, group, codec, columns, nbytes=0):
        self.path = os.path.join(TMP, name + ".parquet")
        self.name, self.rows, self.group = name, rows, min(group, rows)
        self.codec, self.columns, self.nbytes = codec, columns, nbytes
        self.width = [np.dtype(t).itemsize * s for _, t, s in columns]
        self.row = nbytes or sum(self.width)
        self.payload = None

    def tool(self, what):
        args = [TOOL, what, self.path, self.rows, self.group, self.codec]
        args += [":".join(map(str, c)) for c in self.columns] or [self.nbytes]
        return subprocess.run([str(a) for a in args], capture_output=True,
                              text=True)

    def expected(self, i, row):
        """Bytes of column i (-1: the only one, of bytes) in a row: a row
        group's columns follow each other in the content."""
        if self.payload is None:
            self.payload = content(SEED, 0, 0, self.rows * self.row)
        g = row // self.group
        rows = min(self.group, self.rows - g * self.group)
        before = sum(self.width[:i]) if i >= 0 else 0
        width = self.width[i] if i >= 0 else self.nbytes
        at = g * self.group * self.row + rows * before
        at += (row - g * self.group) * width
        return self.payload[at:at + width]

    def ranges(self):
        last, mid = self.rows, self.group
        some = {(0, min(3, last)), (max(0, mid - 1), min(mid + 1, last)),
                (last - 1, last)}
        if self.row > 1 << 20:  # in text they are long
            some = {(last - 1, last)}
        return sorted(some)

    def question(self):
        return {"path": self.path, "ranges": self.ranges(),
                "columns": [c[0] for c in self.columns] or None}


def numbers(dtype, raw):
    x = np.frombuffer(raw, "u1" if dtype == "bool" else dtype)
    return x & 1 if dtype == "bool" else x


def same(dtype, size, raw, got):
    want = numbers(dtype, raw)
    got = got if size > 1 else [got]
    if len(got) != len(want):
        return False
    if dtype.startswith("float"):
        with np.errstate(invalid="ignore"):
            return np.array_equal(want.astype("f8"), np.array(got, "f8"),
                                  equal_nan=True)
    return [int(v) for v in want] == [int(v) for v in got]


def check_schema(f, schema):
    at = 1
    good = True
    for name, dtype, size in f.columns:
        physical, bits = TYPES[dtype]
        if size > 1:
            good &= schema[at]["name"] == name
            good &= schema[at]["logical"] == {"type": "LIST"}
            good &= schema[at + 1]["repetition"] == "REPEATED"
            at += 2
        leaf = schema[at]
        good &= leaf["name"] == (name if size == 1 else "element")
        good &= leaf["type"] == physical and leaf["repetition"] == "REQUIRED"
        logical = leaf["logical"]
        if dtype == "float16":
            good &= logical == {"type": "FLOAT16"} and leaf["length"] == 2
        elif bits:
            good &= logical == {"type": "INTEGER", "bitWidth": bits[0],
                                "isSigned": bits[1]}
        else:
            good &= logical is None
        at += 1
    if not f.columns:
        good &= schema[at]["name"] == "data"
        good &= schema[at]["length"] == f.nbytes
        at += 1
    ok(good and at == len(schema), "%s: names, types, lists" % f.name)


def check_values(f, values):
    bad = []
    for (first, end), found in zip(f.ranges(), values):
        for k in range(end - first):
            for i, (name, dtype, size) in enumerate(f.columns):
                if not same(dtype, size, f.expected(i, first + k),
                            found[name][k]):
                    bad.append((name, first + k))
            if not f.columns and \
                    bytes(found["data"][k]) != f.expected(-1, first + k):
                bad.append(("data", first + k))
    ok(not bad, "%s: values of %s %s" % (f.name, f.ranges(), bad[:3]))


def check(f, said):
    if "error" in said:
        ok(False, "%s: %s" % (f.name, said["error"]))
        return
    groups = [f.group] * (f.rows // f.group)
    groups += [f.rows % f.group] if f.rows % f.group else []
    ok(int(said["rows"]) == f.rows and [int(g) for g in said["groups"]] ==
       groups and said["codecs"] == [CODECS[f.codec]],
       "%s: %d rows in %d groups, %s" % (f.name, f.rows, len(groups), f.codec))
    check_schema(f, said["schema"])
    check_values(f, said["values"])
    r = f.tool("verify")
    ok(r.returncode == 0, "%s: we verify it, too %s" % (f.name, r.stderr))


def files():
    rnd = random.Random(7)
    every = [("c_" + t, t, 1) for t in TYPES]
    for codec in CODECS:
        yield File("types_" + codec, 400, 150, codec, every)
        yield File("lists_" + codec, 70, 32, codec,
                   [("l_" + t, t, rnd.choice([2, 3, 8, 63, 64, 500]))
                    for t in TYPES])
        yield File("bytes_" + codec, 9, 4, codec, [], rnd.randrange(1, 99999))
    for codec in ("none", "snappy"):
        yield File("pages_" + codec, 150000, 140000, codec,
                   [("a", "float64", 1), ("b", "int8", 1), ("c", "bool", 1),
                    ("d", "float16", 3)])
    for codec in ("none", "gzip"):
        yield File("wide_" + codec, 2, 1, codec,
                   [("t5", "float32", 524328), ("clip", "float32", 409),
                    ("time", "float32", 7)])
    yield File("one", 1, 1, "none", [("x", "uint8", 1)])
    yield File("many", 500, 100, "none",
               [("feature_%03d" % i, rnd.choice(list(TYPES)), 1)
                for i in range(200)])


def main():
    made = []
    for f in files():
        r = f.tool("make")
        if r.returncode == 77:
            ok(True, "%s # SKIP %s" % (f.name, r.stderr.strip()))
            continue
        size, how = (r.stdout.split() + ["", ""])[:2]
        there = os.path.getsize(f.path) if r.returncode == 0 else -1
        ok(how == "estimated" or size == str(there),
           "%s: size as planned %s" % (f.name, r.stderr))
        made.append(f)
    asked = "".join(json.dumps(f.question()) + "\n" for f in made)
    r = subprocess.run(["node", SCRIPT, sys.argv[1]], input=asked, text=True,
                       stdout=subprocess.PIPE)
    answers = r.stdout.splitlines()
    ok(len(answers) == len(made), "hyparquet answers")
    for f, line in zip(made, answers):
        check(f, json.loads(line))


run(main)
