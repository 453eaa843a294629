# SPDX-License-Identifier: GPL-3.0-or-later
"""Our files in NumPy's and h5py's hands, and theirs in ours.  TAP."""
import hashlib
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import warnings
import zipfile
import zlib

import numpy as np

from content import absent, content
from tap import TMP, at, ok, run

try:
    import h5py
except ImportError:
    h5py = None

try:
    from PIL import Image
except ImportError:
    Image = None

absent({"h5py": h5py, "Pillow": Image, "h5dump": shutil.which("h5dump"),
        "strace": shutil.which("strace")})
TOOL = os.path.join(os.environ["LB_TOP_BUILDDIR"], "tests/interop/make_dataset")
LZF = False


def tool(what, fmt, path, samples, nbytes, dtype, which="train", index=0,
         dims=(), opts=()):
    args = [TOOL, what, fmt, path, samples, nbytes, dtype, which, index, *opts,
            *dims]
    return subprocess.run([str(a) for a in args], capture_output=True,
                          text=True)


IMAGES = ("jpeg", "png")
INDEXED = ("indexed_binary", "mmap_indexed_binary")
rnd = random.Random(2024)
# samples, bytes of a sample, element type, record_dims
CASES = [
    (1, 1, "uint8", ()),
    (1, rnd.randrange(2, 5000), "uint8", ()),
    (1, rnd.randrange(100000, 3000000), "uint8", ()),
    (rnd.randrange(2, 9), rnd.randrange(5000, 60000), "uint8", ()),
    (3, 4 * 1111, "float32", ()),
    (2, 13 * 7 * 2, "int16", (13, 7)),
    (5, 3 * 4 * 5 * 8, "float64", (3, 4, 5)),
    (2, 64 * 2, "float16", (8, 8)),
    (1, 77, "bool", (7, 11)),
]


def same_bytes(array, samples, want):
    """Sample by sample, the last index being the sample's."""
    got = b"".join(array[..., i].tobytes(order="F") for i in range(samples))
    return got == want


def ours_npy(case, i):
    samples, nbytes, dtype, dims = case
    path = at("%d.npy" % i)
    r = tool("make", "npy", path, samples, nbytes, dtype, index=i, dims=dims)
    ok(r.returncode == 0 and int(r.stdout) == os.path.getsize(path),
       "npy %d: size as planned %s" % (i, r.stderr))
    x = np.load(path)
    want = (*dims, samples) if dims else (nbytes // x.itemsize, 1, samples)
    ok(x.shape == want and x.dtype == dtype and x.flags.f_contiguous,
       "npy %d: %s %s, samples contiguous" % (i, x.shape, x.dtype))
    ok(same_bytes(x, samples, content(10, 0, i, samples * nbytes)),
       "npy %d: the content" % i)
    if hasattr(np.lib.format, "GROWTH_AXIS_MAX_DIGITS") and samples > 1:
        np.save(at("numpy.npy"), x)
        ok(open(path, "rb").read() == open(at("numpy.npy"), "rb").read(),
           "npy %d: byte for byte as np.save() writes it" % i)


def ours_npz(case, i):
    samples, nbytes, dtype, dims = case
    path = at("%d.npz" % i)
    r = tool("make", "npz", path, samples, nbytes, dtype, "valid", i, dims)
    ok(r.returncode == 0 and int(r.stdout) == os.path.getsize(path),
       "npz %d: size as planned %s" % (i, r.stderr))
    with zipfile.ZipFile(path) as z:
        ok(z.testzip() is None and z.namelist() == ["x.npy", "y.npy"] and
           all(m.compress_type == zipfile.ZIP_STORED for m in z.infolist()),
           "npz %d: members x and y, stored, checksums right" % i)
    with np.load(path) as f:
        x, y = f["x"], f["y"]
    want = (*dims, samples) if dims else (nbytes // x.itemsize, 1, samples)
    ok(x.shape == want and x.dtype == dtype and x.flags.f_contiguous,
       "npz %d: %s %s, samples contiguous" % (i, x.shape, x.dtype))
    ok(same_bytes(x, samples, content(10, 1, i, samples * nbytes)),
       "npz %d: the content" % i)
    ok(y.dtype == np.int64 and y.shape == (samples,) and not y.any(),
       "npz %d: labels" % i)


def ours_hdf5(case, i):
    samples, nbytes, dtype, dims = case
    path = at("%d.hdf5" % i)
    r = tool("make", "hdf5", path, samples, nbytes, dtype, index=i, dims=dims)
    ok(r.returncode == 0 and int(r.stdout) == os.path.getsize(path),
       "hdf5 %d: size as planned %s" % (i, r.stderr))
    with h5py.File(path, "r") as f:
        names, x, y = sorted(f), f["records_0"], f["labels"]
        want = (samples, *(dims or (nbytes // x.dtype.itemsize,)))
        ok(names == ["labels", "records_0"] and x.shape == want and
           x.dtype == dtype and x.chunks is None,
           "hdf5 %d: %s %s, contiguous" % (i, x.shape, x.dtype))
        ok(x[...].tobytes() == content(10, 0, i, samples * nbytes),
           "hdf5 %d: the content" % i)
        ok(y.dtype == np.int64 and y.shape == (samples,) and not y[...].any(),
           "hdf5 %d: labels" % i)


# samples, element type, dims of a sample, options, what h5py calls the chunks
WAYS = [
    (4, "uint8", (300, 40), ("chunks=1,100,40",), (1, 100, 40)),
    (5, "float32", (7, 9), ("chunks=2,3,4",), (2, 3, 4)),
    (3, "int64", (50, 60), ("chunks=3,50,60",), (3, 50, 60)),
    (3, "uint8", (300, 400), ("chunk_size=4000",), (1, 10, 400)),
    (3, "uint8", (300, 400), ("compression=gzip",), "guess"),
    (3, "uint8", (300, 400), ("compression=lzf",), "guess"),
    (5, "float16", (31, 17), ("compression=lzf", "chunks=2,16,16"), (2, 16, 16)),
    (5, "bool", (31, 17), ("compression=gzip", "chunks=2,16,16"), (2, 16, 16)),
    (4, "complex64", (8, 9), (), None),
    (4, "complex128", (8, 9), ("compression=gzip", "chunks=1,8,9"), (1, 8, 9)),
    (4, "uint16", (6, 50), ("sets=3",), None),
    (4, "uint16", (3, 50), ("sets=3",), None),
    (4, "uint8", (24, 50), ("sets=12", "compression=gzip"), "guess"),
    (4, "uint8", (24, 50), ("sets=2", "chunks=3,5,50"), (3, 5, 50)),
    (3, "uint8", (20, 30), ("max=40,60", "chunks=1,10,10"), (1, 10, 10)),
    (3, "uint8", (20, 30), ("max=-1,30",), "guess"),
    (3, "uint8", (20, 30), ("max=-1,-1", "compression=gzip"), "guess"),
    (2, "uint8", (1, 30, 40), ("compression=gzip",), "guess"),
    (2, "uint8", (1500, 1600), ("chunks=2,1000,1100",), (2, 1000, 1100)),
]


def limits(opts, shape):
    """maxshape by h5py's rules."""
    for o in opts:
        if o.startswith("max="):
            return (shape[0], *(None if v == "-1" else int(v)
                                for v in o[4:].split(",")))
    return shape


def h5dump(path):
    """h5dump of the last dataset but the numbers, or why not."""
    r = subprocess.run(["h5dump", "-p", "-H", path], capture_output=True,
                       text=True)
    return r.returncode == 0 and "records_0" in r.stdout


def ours_hdf5_way(way, i):
    samples, dtype, dims, opts, chunks = way
    path, size = at("way%d.hdf5" % i), np.dtype(dtype).itemsize
    sets = next((int(o[5:]) for o in opts if o.startswith("sets=")), 1)
    nbytes = int(np.prod(dims)) * size
    r = tool("make", "hdf5", path, samples, nbytes, dtype, index=i, dims=dims,
             opts=opts)
    if r.returncode and "not in this build" in r.stderr:
        return
    name = "hdf5 way %d %s" % (i, " ".join(opts))
    ok(r.returncode == 0, name + ": made " + r.stderr)
    part = [dims[0] // sets, *dims[1:]]
    shape = (samples, *(part[1:] if part[0] == 1 else part))
    if chunks == "guess":
        chunks = h5py._hl.filters.guess_chunk(shape, None, size)
    want = content(10, 0, i, samples * nbytes)
    with h5py.File(path, "r") as f:
        sets_ok = sorted(f) == sorted(["labels"] + ["records_%d" % k
                                                    for k in range(sets)])
        x = [f["records_%d" % k] for k in range(sets)]
        ok(sets_ok and all(d.shape == shape and d.dtype == dtype and
                           d.chunks == chunks and
                           d.maxshape == limits(opts, shape) for d in x),
           "%s: %s %s %s" % (name, x[0].shape, x[0].dtype, x[0].chunks))
        comp = next((o[12:] for o in opts if o.startswith("compression=")), None)
        ok(x[0].compression == comp and
           x[0].compression_opts == (4 if comp == "gzip" else None),
           "%s: compression %s" % (name, x[0].compression))
        got = b"".join(d[s].tobytes() for s in range(samples) for d in x)
        ok(got == want and not f["labels"][...].any(), name + ": the content")
    if shutil.which("h5dump"):
        ok(h5dump(path), name + ": h5dump")
    reads("hdf5", path, samples, nbytes, dtype, nbytes, name + ": by us", dims,
          opts)


def ours_indexed(fmt, case, i):
    samples, nbytes, dtype, dims = case
    path = at("%d.%s" % (i, fmt))
    r = tool("make", fmt, path, samples, nbytes, dtype, index=i,
             dims=dims)
    ok(r.returncode == 0 and int(r.stdout) == os.path.getsize(path),
       "%s %d: size as planned %s" % (fmt, i, r.stderr))
    offsets = np.memmap(path + ".off.idx", "<u8", "r")
    sizes = np.memmap(path + ".sz.idx", "<u8", "r")
    ok(offsets.shape == sizes.shape == (samples,),
       "%s %d: an entry a sample" % (fmt, i))
    data = np.memmap(path, "u1", "r")
    got = b"".join(data[o:o + n].tobytes() for o, n in zip(offsets, sizes))
    ok(got == data.tobytes() == content(10, 0, i, samples * nbytes),
       "%s %d: the content, by the index" % (fmt, i))


def open_image(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Image.open(path) as im:
            return im.format, np.asarray(im)


def ours_images():
    """Many sizes, around those at which a part more is needed."""
    sizes = [180, 181, 189, 190, 4095, 4096, 4097, 65535, 65536, 131072,
             131073, 322957, 1 << 20]
    sizes += [rnd.randrange(180, 30000) for _ in range(40)]
    bad, dims = [], set()
    for i, n in enumerate(sizes):
        path = at("%d.jpeg" % i)
        tool("make", "jpeg", path, 1, n, "uint8", index=i)
        kind, x = open_image(path)
        dims.add(x.shape)
        left = n - 170 - x.size // 64 * 10
        if (kind != "JPEG" or x.ndim != 2 or os.path.getsize(path) != n or
                not 0 <= left < 500 or x.std() < 1):
            bad.append(n)
    ok(not bad and len(dims) > 30,
       "jpeg: %d sizes, each exactly that long, decode %s" % (len(sizes), bad))
    bad = []
    for i, n in enumerate([1, 2, 3, 4, 5, 99, 100, 101] + sizes):
        path = at("%d.png" % i)
        r = tool("make", "png", path, 1, n, "uint8", index=i)
        kind, x = open_image(path)
        h, w = x.shape
        if (kind != "PNG" or int(r.stdout) != os.path.getsize(path) or
                not n <= x.size < n + w or
                x.tobytes() != content(10, 0, i, x.size)):
            bad.append(n)
    ok(not bad, "png: %d sizes, the pixels are the content %s" %
       (len(sizes) + 8, bad))
    tool("make", "png", at("d.png"), 1, 600, "uint8", dims=(20, 30))
    ok(open_image(at("d.png"))[1].shape == (20, 30), "png: record_dims")
    # the signature, the image header, one zlib stream, the end: all of them
    raw, p, at_byte = b"", open(path, "rb").read(), 8
    while at_byte < len(p):
        n, = struct.unpack(">I", p[at_byte:at_byte + 4])
        body = p[at_byte + 4:at_byte + 8 + n]
        if zlib.crc32(body) != int.from_bytes(
                p[at_byte + 8 + n:at_byte + 12 + n], "big"):
            break
        raw += body[4:] if body[:4] == b"IDAT" else b""
        at_byte += 12 + n
    ok(at_byte == len(p) and len(zlib.decompress(raw)) == h * (w + 1),
       "png: checksums of chunks and of the stream")


def theirs_images():
    """Pillow's own, as DLIO has them made, and others."""
    gen = np.random.default_rng(3)
    grey = gen.integers(0, 255, size=(300, 300), dtype=np.uint8)
    colour = gen.integers(0, 255, size=(90, 120, 3), dtype=np.uint8)
    decodes = all(tool("decode", fmt, "/dev/null", 1, 200, "uint8").returncode
                  != 77 for fmt in IMAGES)
    for what in ("read", "decode") if decodes else ("read",):
        for fmt, nbytes in (("JPEG", None), ("PNG", 90000)):
            path = at("t." + fmt.lower())
            Image.fromarray(grey).save(path, format=fmt, bits=8)
            size = nbytes or os.path.getsize(path)
            reads(fmt.lower(), path, 1, size, "uint8", size, "Pillow's, " + what,
                  what=what)
        Image.fromarray(colour).save(at("t.png"))
        reads("png", at("t.png"), 1, 32400, "uint8", 32400, "colours, " + what,
              what=what)
        Image.fromarray(colour).quantize(16).save(at("t.png"))
        reads("png", at("t.png"), 1, 5400, "uint8", 5400,
              "a palette of 4 bits, " + what, what=what)
        Image.fromarray(colour).save(at("t.jpeg"), progressive=True, quality=90)
        size = os.path.getsize(at("t.jpeg"))
        reads("jpeg", at("t.jpeg"), 1, size, "uint8", size,
              "progressive, colours, " + what, what=what)
        with open(at("t.jpeg"), "ab") as f:
            f.write(b"behind")
        reads("jpeg", at("t.jpeg"), 1, size + 6, "uint8", size + 6,
              "something behind its end, " + what, what=what)
    shutil.copy(at("t.png"), at("u.jpeg"))
    refuses("jpeg", at("u.jpeg"), 1, 5400, "uint8", ["89 50 4e"], "a PNG")
    if not decodes:
        return
    Image.new("L", (20000, 20000)).save(at("bomb.png"))
    refuses("png", at("bomb.png"), 1, 100000, "uint8", ["20000 x 20000"],
            "a bomb of %d bytes" % os.path.getsize(at("bomb.png")), "decode")


def reads(fmt, path, samples, nbytes, dtype, payload, text, dims=(), opts=(),
          what="read"):
    r = tool(what, fmt, path, samples, nbytes, dtype, dims=dims, opts=opts)
    m = re.search(r"payload (\d+) sample (\d+)", r.stdout)
    ok(r.returncode == 0 and m and int(m[1]) == payload and
       int(m[2]) == nbytes, "%s: %s %s" % (fmt, text, r.stderr.strip()))


def refuses(fmt, path, samples, nbytes, dtype, words, text, what="read",
            opts=()):
    r = tool(what, fmt, path, samples, nbytes, dtype, opts=opts)
    ok(r.returncode == 1 and path in r.stderr and
       all(w in r.stderr for w in words),
       "%s: %s: %s" % (fmt, text, r.stderr.strip().replace(TMP, "")))


def theirs_numpy():
    gen = np.random.default_rng(1)
    x = gen.integers(0, 256, size=(150, 151, 4), dtype=np.uint8)
    n, all_n = 150 * 151, 150 * 151 * 4
    for order in "CF":
        a = np.array(x, order=order)
        np.save(at("t.npy"), a)
        reads("npy", at("t.npy"), 4, n, "uint8", all_n,
              "np.save, order " + order)
        np.savez(at("t.npz"), x=a, y=[0] * 4)
        reads("npz", at("t.npz"), 4, n, "uint8", all_n,
              "np.savez, order " + order)
        np.savez(at("t.npz"), y=[0] * 4, x=a)
        reads("npz", at("t.npz"), 4, n, "uint8", all_n,
              "np.savez, x behind y, order " + order)
    np.savez_compressed(at("t.npz"), x=np.zeros((500, 500, 4), "u1"), y=[0] * 4)
    reads("npz", at("t.npz"), 4, 250000, "uint8", 1000000, "deflated")
    small = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.save(at("t.npy"), small)
    reads("npy", at("t.npy"), 4, 24, "float32", 96, "record_dims", (2, 3))
    refuses("npy", at("t.npy"), 4, 24, "float64", ["<f4", "float64"], "type")
    refuses("npy", at("t.npy"), 6, 24, "float32", ["4", "6"], "count")
    np.save(at("t.npy"), small.astype(">f4"))
    refuses("npy", at("t.npy"), 4, 24, "float32", [">f4"], "big-endian")
    np.save(at("t.npy"), np.array([{"a": 1}]), allow_pickle=True)
    refuses("npy", at("t.npy"), 1, 24, "float32", ["type"], "objects")
    np.savez(at("t.npz"), data=small)
    refuses("npz", at("t.npz"), 4, 24, "float32", ["x.npy"], "no member x")


def theirs_h5py():
    gen = np.random.default_rng(2)
    x = gen.integers(0, 256, size=(4, 150, 151), dtype=np.uint8)
    for text, how in (("contiguous", {}), ("chunked", {"chunks": (1, 150, 151)}),
                      ("gzip", {"compression": "gzip"}),
                      ("lzf", {"compression": "lzf"}),
                      ("gzip, shuffled", {"compression": "gzip",
                                          "shuffle": True}),
                      ("lzf, shuffled, summed", {"compression": "lzf",
                                                 "shuffle": True,
                                                 "fletcher32": True}),
                      ("small chunks", {"chunks": (3, 20, 20)}),
                      ("gzip, small chunks", {"chunks": (3, 20, 20),
                                              "compression": "gzip"}),
                      ("resizable", {"maxshape": (None, 150, 151)})):
        if "lzf" in text and not LZF:
            continue
        for libver in ("earliest", "latest"):
            with h5py.File(at("t.hdf5"), "w", libver=libver) as f:
                f.create_dataset("records_0", data=x, **how)
                f.create_dataset("labels", data=np.zeros(4, np.int64))
            reads("hdf5", at("t.hdf5"), 4, 150 * 151, "uint8", 150 * 151,
                  "h5py, %s, %s" % (text, libver))
    with h5py.File(at("t.hdf5"), "w", libver="latest") as f:
        for k in range(10):
            f.create_dataset("records_%d" % k, data=x, compression="gzip")
    reads("hdf5", at("t.hdf5"), 4, 10 * 150 * 151, "uint8", 10 * 150 * 151,
          "h5py, 10 datasets", (1500, 151), ("sets=10",))
    refuses("hdf5", at("t.hdf5"), 4, 11 * 150 * 151, "uint8", ["records_10"],
            "11 datasets wanted", opts=("sets=11",))
    for dtype in ("bool", "float16", "int64", "float32", "complex64",
                  "complex128", "int8", "uint32", "float64"):
        with h5py.File(at("t.hdf5"), "w") as f:
            f.create_dataset("records_0", data=np.zeros((3, 5), dtype))
        reads("hdf5", at("t.hdf5"), 3, 5 * np.dtype(dtype).itemsize, dtype,
              5 * np.dtype(dtype).itemsize, "h5py, " + dtype)
    refuses("hdf5", at("t.hdf5"), 3, 20, "int32", ["int32", "floats"], "type")
    refuses("hdf5", at("t.hdf5"), 2, 20, "float32", ["3", "2"], "count")


def theirs_indexed():
    """As DLIO writes it: offsets begin anew with each piece of a file."""
    path = at("t.indexed_binary")
    np.arange(100 * 300, dtype="u1").tofile(path)
    np.tile(np.arange(50, dtype="<u8") * 300, 2).tofile(path + ".off.idx")
    np.full(100, 300, "<u8").tofile(path + ".sz.idx")
    for fmt in INDEXED:
        reads(fmt, path, 100, 300, "uint8", 300, "NumPy's")
        refuses(fmt, path, 101, 300, "uint8", ["800", "101"], "count")
    with open(path, "r+b") as f:
        f.truncate(14999)
    for fmt in INDEXED:
        refuses(fmt, path, 100, 300, "uint8", ["14999", "15000"], "cut short")


def traced(code, path):
    """Opens of the file, reads and bytes of them by a Python program."""
    log = at("strace")
    subprocess.run(["strace", "-f", "-o", log, "-e",
                    "trace=openat,read,pread64,close,fcntl", "--",
                    sys.executable, "-c", code, path], check=True,
                   capture_output=True)
    fds, opens, reads_, nbytes = set(), 0, 0, 0
    for line in open(log, errors="replace"):
        m = re.search(r'openat\([^"]*"([^"]*)".*= (\d+)$', line)
        if m and m[1] == path:
            fds.add(m[2])
            opens += 1
        m = re.search(r"fcntl\((\d+), F_DUPFD_CLOEXEC.*= (\d+)$", line)
        if m and m[1] in fds:
            fds.add(m[2])
        m = re.search(r"(?:read|pread64)\((\d+),.*= (\d+)$", line)
        if m and m[1] in fds:
            reads_ += 1
            nbytes += int(m[2])
        m = re.search(r"close\((\d+)\)", line)
        if m:
            fds.discard(m[1])
    return opens, reads_, nbytes


def same_cost():
    """What the lists ask for is what the frameworks ask for."""
    rows = [("npy", "import sys,numpy as n; n.load(sys.argv[1])", ()),
            ("npz", "import sys,numpy as n; n.load(sys.argv[1])['x']", ())]
    h5 = ("import sys,h5py; f=h5py.File(sys.argv[1],'r'); "
          "[f['records_%%d' %% i][1] for i in range(%d)]; f.close()")
    if h5py:
        rows += [("hdf5", h5 % 1, ()),
                 ("hdf5", h5 % 3, ("sets=3",)),
                 ("hdf5", h5 % 12, ("sets=12",)),
                 ("hdf5", h5 % 1, ("chunks=2,100000",)),
                 ("hdf5", h5 % 1, ("chunks=1,1100000",)),
                 ("hdf5", h5 % 1, ("chunks=1,7000", "compression=gzip")),
                 ("hdf5", h5 % 2, ("sets=2", "max=3000000"))]
    if Image:
        rows += [(fmt, "import sys,numpy as n; from PIL import Image; "
                       "n.asarray(Image.open(sys.argv[1]))", ())
                 for fmt in ("jpeg", "png")]
    for fmt, code, opts in rows:
        path, samples = at("cost." + fmt), 1 if fmt in IMAGES else 2
        if tool("make", fmt, path, samples, 1500000, "uint8",
                opts=opts).returncode == 77:
            continue
        r = tool("read", fmt, path, samples, 1500000, "uint8", opts=opts)
        m = re.match(r"open (\d+) read (\d+) bytes (\d+)", r.stdout)
        try:
            opens, reads_, nbytes = traced(code, path)
        except (OSError, subprocess.CalledProcessError):
            ok(True, "%s: cost # SKIP strace does not work here" % fmt)
            continue
        near = 8192 + 0.01 * nbytes * (len(opts) > 0)
        ok(int(m[1]) == opens and abs(int(m[3]) - nbytes) <= near,
           "%s %s: %s open, %s bytes in %s reads; the framework: %d, %d in %d" %
           (fmt, " ".join(opts), m[1], m[3], m[2], opens, nbytes, reads_))


def incompressible():
    blocks, n = set(), 0
    for i in range(6):
        for fmt in ("npy", "npz"):
            path = at("u." + fmt)
            tool("make", fmt, path, 1, 1 << 20, "uint8", "valid" if fmt == "npz"
                 else "train", i)
            data = open(path, "rb").read()
            if i == 0:
                ratio = len(data) / len(zlib.compress(data, 9))
                ok(ratio < 1.01, "%s: zlib -9 gains nothing (%.4f)" %
                   (fmt, ratio))
            for k in range(0, len(data) - 512, 512):
                blocks.add(hashlib.sha256(data[k:k + 512]).digest())
                n += 1
    ok(len(blocks) == n, "%d aligned blocks of 512 bytes, all different" % n)


def main():
    global LZF
    hdf5 = h5py and tool("make", "hdf5", at("p.hdf5"), 1, 1,
                         "uint8").returncode == 0
    if not hdf5:
        print("# hdf5 is not tried: h5py or our HDF5 is absent")
    for i, case in enumerate(CASES):
        ours_npy(case, i)
        ours_npz(case, i)
        for fmt in INDEXED:
            ours_indexed(fmt, case, i)
        if hdf5:
            ours_hdf5(case, i)
    if Image:
        ours_images()
        theirs_images()
    else:
        print("# images are not tried: Pillow is absent")
    theirs_numpy()
    theirs_indexed()
    if hdf5:
        LZF = tool("make", "hdf5", at("p.hdf5"), 1, 100, "uint8",
                   opts=("compression=lzf",)).returncode == 0
        for i, way in enumerate(WAYS):
            ours_hdf5_way(way, i)
        theirs_h5py()
    same_cost()
    incompressible()


run(main)
