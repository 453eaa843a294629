# SPDX-License-Identifier: GPL-3.0-or-later
"""The planned lists are what the real readers ask of the storage, call by call,
as strace sees it.  Calls that the storage does not see (lseek, ioctl) and reads
that return nothing, which find the end of a file, are left out of both."""

import os
import re
import subprocess
import sys
import tempfile

make = os.path.join(os.environ.get("LB_TOP_BUILDDIR", "."),
                    "tests/interop/make_dataset")
CALLS = ("openat,fstat,newfstatat,stat,lstat,statx,lseek,read,pread64,readv,"
         "preadv,preadv2,flock,close,dup,fcntl")
# module, its reading, file, samples, their bytes, further options
READERS = {
    "npy": ("numpy", "numpy.load(p)", "a.npy", 3, 100000, []),
    "npz": ("numpy", "numpy.load(p)['x']", "a.npz", 3, 200000, []),
    "npz, small": ("numpy", "numpy.load(p)['x']", "b.npz", 1, 1000, []),
    "hdf5": ("h5py", "f = h5py.File(p, 'r'); f['records_0'][1]; f.close()",
             "a.hdf5", 3, 100000, []),
    "hdf5, small": ("h5py",
                    "f = h5py.File(p, 'r'); f['records_0'][1]; f.close()",
                    "c.hdf5", 3, 4096, []),
    "hdf5, sieve": ("h5py",
                    "f = h5py.File(p, 'r'); f['records_0'][1]; f.close()",
                    "d.hdf5", 3, 40000, []),
    "hdf5, chunks": ("h5py",
                     "f = h5py.File(p, 'r'); f['records_0'][1]; f.close()",
                     "b.hdf5", 3, 100000, ["chunks=1,50000"]),
    "jpeg": ("PIL.Image, numpy", "numpy.asarray(PIL.Image.open(p))", "a.jpeg",
             1, 300000, []),
    "png": ("PIL.Image, numpy", "numpy.asarray(PIL.Image.open(p))", "a.png", 1,
            300000, []),
    "csv": ("pandas", "pandas.read_csv(p)", "a.csv", 3, 100000, []),
    "csv, gzip": ("pandas", "pandas.read_csv(p)", "a.csv.gz", 3, 10000,
                  ["compression=gzip"]),
}


class Trace:
    """The calls on one file.  What is read with read() has one position: NumPy's
    second, C, file is a descriptor of the same open file."""

    def __init__(self):
        self.at = 0
        self.calls = []

    def take(self, name, args, result):
        if name == "openat":
            self.calls.append("open")
            self.at = 0
        elif name in ("fstat", "newfstatat", "stat", "lstat", "statx"):
            self.calls.append("stat")
        elif name == "lseek":
            self.at = int(result)
        elif name == "read" and int(result) > 0:
            self.calls.append(f"read {self.at} {result}")
            self.at += int(result)
        elif name == "pread64":
            self.calls.append(f"read {args.rsplit(',', 1)[1].strip()} {result}")
        elif name == "flock":
            self.calls.append("lock")
        elif name == "close":
            self.calls.append("close")


def trace(readings):
    """The calls on each path of (path, module, statement)."""
    script = "import bz2, gzip, lzma, zipfile\n"
    for _, module, _ in readings:
        script += f"import {module}\n"
    for path, _, statement in readings:
        script += f"p = {path!r}\n{statement}\n"
    command = ["strace", "-f", "--seccomp-bpf", "-y", "-s0", "-e",
               "trace=" + CALLS]
    traces = {path: Trace() for path, _, _ in readings}
    with tempfile.NamedTemporaryFile("r") as out:
        subprocess.run(command + ["-o", out.name, sys.executable, "-B", "-c",
                                  script], check=True,
                       stderr=subprocess.DEVNULL)
        for line in out:
            m = re.match(r"\d+ +(\w+)\((.*)\) += (\d+)", line)
            named = re.findall(r"/[^\"<>]*", m[2]) if m else []
            for path in traces.keys() & set(named):
                traces[path].take(m[1], m[2], m[3])
    return {path: closes_once(t.calls) for path, t in traces.items()}


def planned(path, fmt, samples, size, options):
    lines = subprocess.run(
        [make, "trace", fmt, path, str(samples), str(size), "uint8", "train",
         "0"] + options, check=True, capture_output=True,
        text=True).stdout.splitlines()
    return lines


def closes_once(calls):
    """NumPy's second, C, file is a descriptor of the same open file: the
    storage sees one close, the last."""
    closes = calls.count("close")
    out = []
    for c in calls:
        closes -= c == "close"
        if c != "close" or closes == 0:
            out.append(c)
    return out


def absent(module):
    return subprocess.run([sys.executable, "-c", f"import {module}"],
                          stderr=subprocess.DEVNULL).returncode != 0


def prepare(folder):
    """Makes the files; why a reader cannot be tried, or its path."""
    paths, why = {}, {}
    gone = {m: absent(m) for m in {r[0] for r in READERS.values()}}
    for name, (module, _, file, samples, size, options) in READERS.items():
        paths[name] = os.path.join(folder, file)
        if gone[module]:
            why[name] = module + " is absent"
        elif subprocess.run([make, "make", name.split(",")[0], paths[name],
                             str(samples), str(size), "uint8", "train", "0"] +
                            options, stdout=subprocess.DEVNULL).returncode:
            why[name] = "not in this build"
    return paths, why


def compare(have, want):
    if have == want:
        return ""
    n = next((i for i, (a, b) in enumerate(zip(have, want)) if a != b),
             min(len(have), len(want)))
    return (f": call {n + 1}: planned {have[n:n + 3]}, really {want[n:n + 3]} "
            f"({len(have)} and {len(want)} calls)")


def main():
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        paths, why = prepare(folder)
        real = trace([(paths[n], r[0], r[1]) for n, r in READERS.items()
                      if n not in why])
        for i, (name, r) in enumerate(READERS.items(), 1):
            if name in why:
                print(f"ok {i} - {name} # SKIP {why[name]}")
                continue
            have = planned(paths[name], name.split(",")[0], r[3], r[4], r[5])
            wrong = compare(have, real[paths[name]])
            failed |= bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {i} - {name}: planned as the "
                  f"real reader asks{wrong}")
    print(f"1..{len(READERS)}")
    sys.exit(failed)


main()
