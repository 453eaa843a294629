# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of text and deflated archives: ours in the hands of Python's modules,
pandas and zipinfo, and theirs in ours.  TAP."""
import bz2
import csv
import gzip
import io
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

from content import absent, content

try:
    import pandas as pd
except ImportError:
    pd = None

absent({"pandas": pd is not None, "zipinfo": shutil.which("zipinfo")})
TOOL = os.path.join(os.environ["LB_TOP_BUILDDIR"], "tests/interop/make_dataset")
TMP = tempfile.mkdtemp(prefix="loadbank-interop-")
ENDINGS = {"none": "", "gzip": ".gz", "zip": ".zip", "bz2": ".bz2",
           "xz": ".xz"}
LACKING = set()  # compressions that this build has no library for
checks = failed = 0


def ok(good, text):
    global checks, failed
    checks += 1
    failed += not good
    print("%sok %d - %s" % ("" if good else "not ", checks, text))


def tool(what, fmt, path, samples, nbytes, dtype, kind="none", index=0):
    args = [TOOL, what, fmt, path, samples, nbytes, dtype, "train", index,
            "compression=" + kind]
    return subprocess.run([str(a) for a in args], capture_output=True,
                          text=True)


def at(name):
    return os.path.join(TMP, name)


def text_of(path):
    """What a file says, by the module that its name asks for."""
    if path.endswith(".zip"):
        with zipfile.ZipFile(path) as z:
            (name,) = z.namelist()
            return z.read(name).decode()
    opener = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    with opener.get(os.path.splitext(path)[1], open)(path, "rb") as f:
        return f.read().decode()


def values_of(text, dtype):
    rows = list(csv.reader(io.StringIO(text)))
    words = {"True": 1, "False": 0}
    values = [[words[v] if dtype == "bool" else int(v) for v in row[1:]]
              for row in rows[1:]]
    return rows[0], [row[0] for row in rows[1:]], values


def ours_csv(kind, dtype, samples, columns, i):
    size = np.dtype(dtype).itemsize
    path = at("%d.csv%s" % (i, ENDINGS[kind]))
    r = tool("make", "csv", path, samples, columns * size, dtype, kind, i)
    name = "csv, %s, %s %dx%d" % (kind, dtype, samples, columns)
    made = os.path.getsize(path)
    ok(r.returncode == 0 and made * 2 / 3 - 100 < int(r.stdout) <
       made * 3 / 2 + 100,
       "%s: %d bytes, estimated %s %s" % (name, made, r.stdout.strip(),
                                          r.stderr))
    raw = content(10, 0, i, samples * columns * size)
    want = np.frombuffer(raw, "u1" if dtype == "bool" else dtype)
    if dtype == "bool":
        want = want & 1
    head, numbers, values = values_of(text_of(path), dtype)
    ok(head == [""] + [str(c) for c in range(columns)] and
       numbers == [str(s) for s in range(samples)],
       name + ": column numbers and samples' numbers")
    ok(values == want.reshape(samples, columns).tolist(),
       name + ": the values, by the csv module")
    r = tool("verify", "csv", path, samples, columns * size, dtype, kind, i)
    ok(r.returncode == 0 and " sample %d" % (columns * size) in r.stdout,
       name + ": verified " + r.stderr)
    with open(path, "rb") as f:
        before = f.read()
    tool("make", "csv", path, samples, columns * size, dtype, kind, i)
    with open(path, "rb") as f:
        ok(f.read() == before, name + ": made again, the same bytes")
    if pd is None:
        return
    # Else columns of int64 and of uint64 meet in an array of floats.
    how = {"dtype": dtype} if dtype == "uint64" else {}
    table = pd.read_csv(path, compression="infer", **how).to_numpy()
    ok(table.shape == (samples, columns + 1) and
       table[:, 1:].tolist() == want.reshape(samples, columns).tolist(),
       name + ": the values, by pandas")


def reads(fmt, path, samples, nbytes, dtype, text, kind="none"):
    r = tool("read", fmt, path, samples, nbytes, dtype, kind)
    m = re.search(r"payload (\d+) sample (\d+)", r.stdout)
    ok(r.returncode == 0 and m and int(m[2]) == nbytes,
       "%s: %s %s" % (fmt, text, r.stderr.strip()))


def theirs_csv():
    gen = np.random.default_rng(3)
    table = gen.integers(0, 256, size=(5, 1000), dtype=np.uint8)
    lines = [",".join(str(v) for v in row) for row in table]
    plain = ("\n".join(lines) + "\n").encode()
    for kind, pack in (("gzip", gzip.compress), ("bz2", bz2.compress),
                       ("xz", lzma.compress)):
        if kind in LACKING:
            continue
        with open(at("t"), "wb") as f:
            f.write(pack(plain))
        reads("csv", at("t"), 5, 1000, "uint8", "Python's " + kind, kind)
        with open(at("t"), "wb") as f:
            f.write(pack(plain[:7000]) + pack(plain[7000:]))
        reads("csv", at("t"), 5, 1000, "uint8", "two streams of " + kind, kind)
    if pd is None:
        return
    for kind, ending in ENDINGS.items():
        if kind in LACKING:
            continue
        path = at("p.csv" + ending)
        how = None if kind == "none" else {"method": kind}
        pd.DataFrame(data=list(table)).to_csv(path, compression=how)
        reads("csv", path, 5, 1000, "uint8", "pandas, " + kind, kind)
        pd.DataFrame(table).to_csv(path, compression=how, index=False,
                                   header=False)
        reads("csv", path, 5, 1000, "uint8", "no header, " + kind, kind)


def deflated_npz():
    for i, (samples, nbytes, dtype) in enumerate(
            [(1, 1, "uint8"), (3, 50000, "uint8"), (4, 4000, "float32")]):
        path = at("%d.npz" % i)
        tool("make", "npz", path, samples, nbytes, dtype, "zip", i)
        with zipfile.ZipFile(path) as z:
            ok(z.testzip() is None and z.namelist() == ["x.npy", "y.npy"] and
               all(m.compress_type == zipfile.ZIP_DEFLATED
                   for m in z.infolist()),
               "npz %d: members x and y, deflated, checksums right" % i)
        with np.load(path) as f:
            x, y = f["x"], f["y"]
        got = b"".join(x[..., k].tobytes(order="F") for k in range(samples))
        ok(x.dtype == dtype and got == content(10, 0, i, samples * nbytes) and
           y.shape == (samples,) and not y.any(), "npz %d: the content" % i)
        r = tool("verify", "npz", path, samples, nbytes, dtype, "zip", i)
        ok(r.returncode == 0, "npz %d: verified %s" % (i, r.stderr))
        if shutil.which("zipinfo"):
            r = subprocess.run(["zipinfo", "-t", path], capture_output=True,
                               text=True)
            ok(r.returncode == 0 and r.stdout.startswith("2 files"),
               "npz %d: zipinfo: %s" % (i, r.stdout.strip()))
    x = np.random.default_rng(4).integers(0, 256, (300, 400, 4), np.uint8)
    np.savez_compressed(at("t.npz"), x=x, y=[0] * 4)
    reads("npz", at("t.npz"), 4, 120000, "uint8", "np.savez_compressed")
    np.savez_compressed(at("t.npz"), x=np.zeros((4000, 4000, 4), "u1"))
    r = tool("read", "npz", at("t.npz"), 4, 1000, "uint8")
    ok(r.returncode == 1 and "64000128" in r.stderr and at("t.npz") in r.stderr,
       "npz: 64 MB where 4 kB should be: " + r.stderr.strip())


def traced(path):
    """Requests that give bytes of the file, and the bytes, of pandas."""
    log = at("strace")
    subprocess.run(["strace", "-f", "-y", "-s", "0", "-o", log, "-e",
                    "trace=read", "--", sys.executable, "-c",
                    "import sys,pandas; pandas.read_csv(sys.argv[1])", path],
                   check=True, capture_output=True)
    pattern = re.compile(r"read\(\d+<" + re.escape(path) + r">,.*= (\d+)$")
    got = [int(m[1]) for m in map(pattern.search, open(log)) if m]
    return sum(n > 0 for n in got), sum(got)


def same_cost(kind):
    path = at("cost.csv" + ENDINGS[kind])
    if pd is None or tool("make", "csv", path, 100, 4000, "uint8",
                          kind).returncode:
        return
    r = tool("read", "csv", path, 100, 4000, "uint8", kind)
    m = re.match(r"open 1 read (\d+) bytes (\d+)", r.stdout)
    try:
        requests, nbytes = traced(os.path.realpath(path))
    except (OSError, subprocess.CalledProcessError):
        ok(True, "csv, %s: cost # SKIP strace does not work here" % kind)
        return
    ok(m and abs(int(m[1]) - requests) <= 2 and abs(int(m[2]) - nbytes) <= 8192,
       "csv, %s: %s requests, %s bytes; pandas: %d, %d" %
       (kind, m[1], m[2], requests, nbytes))


def main():
    if pd is None:
        print("# pandas is absent: what it would check is not")
    for i, kind in enumerate(ENDINGS):
        path = at("probe.csv")
        r = tool("make", "csv", path, 1, 1, "uint8", kind)
        if r.returncode:
            ok("this build lacks" in r.stderr, "%s # SKIP %s" %
               (kind, r.stderr.strip()))
            LACKING.add(kind)
            continue
        ours_csv(kind, "uint8", 30, 1000, 10 * i)
        ours_csv(kind, "int32", 2, 501, 10 * i + 1)
        ours_csv(kind, "bool", 5, 77, 10 * i + 2)
    for i, dtype in enumerate(("int8", "int16", "int64", "uint16", "uint32",
                               "uint64")):
        ours_csv("none", dtype, 4, 99, 100 + i)
    theirs_csv()
    deflated_npz()
    for kind in ("none", "gzip"):
        same_cost(kind)
    print("1..%d" % checks)
    return failed != 0


try:
    status = main()
finally:
    shutil.rmtree(TMP)
sys.exit(status)
