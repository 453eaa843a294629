# SPDX-License-Identifier: GPL-3.0-or-later
# Files of make_torch: PyTorch loads them, and its own archive writer, given
# the same records, makes the same bytes.  Python's zipfile and zipinfo agree.
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile

import torch

import tap
from tap import ok, skip

make = os.path.abspath(sys.argv[1])
program = os.path.abspath(sys.argv[2])
dtypes = {"fp64": torch.float64, "fp32": torch.float32, "fp16": torch.float16,
          "bf16": torch.bfloat16, "int64": torch.int64, "int32": torch.int32,
          "int16": torch.int16, "int8": torch.int8, "uint8": torch.uint8,
          "bool": torch.bool, "complex64": torch.complex64}
version = tuple(int(n) for n in re.findall(r"\d+", torch.__version__)[:2])
old = version[0] < 2


def run(*args):
    return subprocess.run([make, *map(str, args)], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def words(tensors):
    return [w for t in tensors for w in t]


def payload(t, n):
    return bytes((i + t) % 251 for i in range(n))


def same(tensor, t, dtype, elements):
    want = torch.empty(elements, dtype=dtypes[dtype])
    raw = payload(t, elements * want.element_size())
    if tensor.dtype != want.dtype or list(tensor.shape) != [elements]:
        return False
    return not elements or bytes(tensor.contiguous().view(torch.uint8)
                                 .numpy()) == raw


def pickled(data):
    return zipfile.ZipFile(io.BytesIO(data)).read("archive/data.pkl")


def saved(what):
    out = io.BytesIO()
    torch.save(what, out)
    return out.getvalue()


def rewritten(path):
    """The file that PyTorch's archive writer makes of the same records."""
    records = zipfile.ZipFile(path)
    out = io.BytesIO()
    writer = torch._C.PyTorchFileWriter(out)
    for member in records.infolist():
        data = records.read(member)
        writer.write_record(member.filename[len("archive/"):], data, len(data))
    writer.write_end_of_file()
    return out.getvalue()


def good_zip(path):
    good = zipfile.ZipFile(path).testzip() is None
    info = subprocess.run(["zipinfo", "-t", path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return good and info.returncode == 0


def check_state(tensors, what):
    run("s.pt", "state", *words(tensors))
    with open("s.pt", "rb") as f:
        data = f.read()
    loaded = torch.load("s.pt", weights_only=True)
    ok(list(loaded) == [t[0] for t in tensors]
       and all(same(loaded[t[0]], i, t[1], t[2])
               for i, t in enumerate(tensors)), what + ": torch.load")
    empty = {t[0]: torch.zeros(t[2], dtype=dtypes[t[1]]) for t in tensors}
    ok(pickled(data) == pickled(saved(empty)), what + ": the same pickle")
    if old:  # later writers make an identity of their own
        ok(data == rewritten("s.pt"), what + ": the bytes of PyTorch's writer")
    ok(good_zip("s.pt"), what + ": zipfile and zipinfo")


def check_count(n):
    run("--count", n, "c.pt")
    with open("c.pt", "rb") as f:
        data = f.read()
    empty = {"t%d" % i: torch.zeros(1, dtype=torch.uint8) for i in range(n)}
    ok(pickled(data) == pickled(saved(empty)), "%d tensors: pickle" % n)
    loaded = torch.load("c.pt", weights_only=True)
    ok(len(loaded) == n and all(v.item() == int(k[1:]) % 251
                                for k, v in loaded.items()),
       "%d tensors: torch.load" % n)


def check_items(tensors):
    run("i.distcp", "items", *words(tensors))
    with open("i.distcp", "rb") as f:
        data = f.read()
    ends = [m.end() + 18 for m in re.finditer(b"PK\5\6", data)]
    parts = [data[a:b] for a, b in zip([0] + ends, ends)]
    ok(len(parts) == len(tensors) and ends[-1] == len(data),
       "an archive for each tensor")
    ok(all(same(torch.load(io.BytesIO(p), weights_only=True), i, t[1], t[2])
           for i, (p, t) in enumerate(zip(parts, tensors))),
       "each of them loads")
    ok(all(pickled(p) == pickled(saved(torch.zeros(t[2], dtype=dtypes[t[1]])))
           for p, t in zip(parts, tensors)), "the same pickles")


def check_huge():
    """Beyond 4 GiB only in size: most of the file is a hole."""
    tensors = [("a", "uint8", 10), ("b", "fp32", 1200000000),
               ("c", "bf16", 33)]
    run("h.pt", "state", *words(tensors))
    info = zipfile.ZipFile("h.pt").infolist()
    sizes = [m.file_size for m in info if "/data/" in m.filename]
    ok(sizes == [10, 4800000000, 66], "sizes beyond 4 GiB")
    ok(subprocess.run(["zipinfo", "h.pt"], stdout=subprocess.DEVNULL)
       .returncode == 0, "zipinfo beyond 4 GiB")
    reader = torch._C.PyTorchFileReader("h.pt")
    ok(reader.get_record("data/2") == payload(2, 66),
       "PyTorch reads behind 4 GiB")
    os.unlink("h.pt")


def seen_reads(path):
    """What torch.load of this PyTorch asks of the file."""
    code = ("import os, sys, torch\n"
            "torch.load(sys.argv[1], weights_only=True)\n")
    subprocess.run(["strace", "-f", "-e", "trace=openat,read,lseek,close",
                    "-o", "trace", sys.executable, "-c", code, path],
                   check=True)
    fd, at, reads = None, 0, []
    for line in open("trace"):
        m = re.search(r'openat\(.*"%s".* = (\d+)$' % re.escape(path), line)
        if m:
            fd, at, reads = m.group(1), 0, []
        m = re.search(r" lseek\((\d+), .* = (\d+)$", line)
        if m and m.group(1) == fd:
            at = int(m.group(2))
        m = re.search(r" read\((\d+), .* = (\d+)$", line)
        if m and m.group(1) == fd:
            reads.append((at, int(m.group(2))))
            at += int(m.group(2))
    return reads


def check_reads():
    if not shutil.which("strace") or subprocess.run(
            ["strace", "-o", "trace", "true"]).returncode:
        return skip("strace cannot look here")
    tensors = [("t%d" % i, "fp32", n) for i, n in
               enumerate((300000, 10, 0, 700, 300000))]
    path = os.path.abspath("r.pt")
    run(path, "state", *words(tensors))
    out = run("--reads", int(old), os.stat(path).st_blksize, path, "state",
              *words(tensors))
    planned = [tuple(map(int, line.split())) for line in out.splitlines()]
    seen = seen_reads(path)
    ok(seen == planned, "the reads of torch.load")
    if seen != planned:
        print("# seen", seen, "\n# planned", planned)


def leaves(state):
    for value in state.values():
        if isinstance(value, dict):
            yield from leaves(value)
        elif isinstance(value, torch.Tensor):
            yield value


# A small transformer: 2 layers of hidden 64, all its files by two accelerators.
workload = """
model:
  {name: tiny, type: transformer, num_layers: 2, model_datatype: fp16,
   optimizer_datatype: fp32, parallelism: {zero_stage: 1},
   transformer: {vocab_size: 100, hidden_size: 64, ffn_hidden_size: 200,
                 num_attention_heads: 4, num_kv_heads: 2}}
framework: pytorch
workflow: {train: false, checkpoint: true}
checkpoint: {checkpoint_folder: ck, container: torch, request_size: 4096,
             num_checkpoints_write: 1, num_checkpoints_read: 1}
"""
# P = 2 V h + h + L (2 h + h (h + 2 d) + h h + 3 F h), d = h / A K
parameters = 2 * 100 * 64 + 64 + 2 * (2 * 64 + 64 * (64 + 2 * 32) + 64 * 64 +
                                      3 * 200 * 64)


def save(scheme, verify):
    shutil.rmtree("ck", ignore_errors=True)
    with open("tiny.yaml", "w", encoding="ascii") as f:
        f.write(workload)
    done = subprocess.run(
        [program, "run", "tiny.yaml", "--accelerators", "2", "--results",
         "res-%s-%s" % (scheme, verify), "checkpoint.scheme=" + scheme,
         "reader.verify=" + verify], capture_output=True, text=True, check=False)
    ok(done.returncode == 0, "%s, verify %s: saved and loaded" % (scheme, verify))
    if done.returncode:
        print("#", done.stderr.strip().replace("\n", "\n# "))
    return sorted(os.path.join(d, n) for d, _, names in os.walk("ck")
                  for n in names if not n.startswith("."))


def check_checkpoint(scheme, weights):
    save(scheme, "full")
    files = save(scheme, "off")
    counts = {torch.float16: 0, torch.float32: 0}
    stamps = set()
    for path in files:
        for t in leaves(torch.load(path, weights_only=True)):
            counts[t.dtype] += t.numel()
            if t.numel() > 4096:
                stamps.add(t.numpy().tobytes()[:8192])
        with zipfile.ZipFile(path) as z:
            ok(z.testzip() is None, "%s: %s: checksums" % (scheme, path))
    ok(counts[torch.float16] == weights, "%s: all weights" % scheme)
    ok(len(stamps) > 1, "%s: no two tensors are equal" % scheme)
    return counts[torch.float32]


def check_checkpoints():
    # Each of two has 3 (g + 5 h) elements, g half of all parameters.
    n = check_checkpoint("dlio", parameters)
    ok(n == 2 * 3 * (parameters // 2 + 5 * 64), "dlio: the optimizer's state")
    for scheme in ("full_state_dict", "ddp"):
        n = check_checkpoint(scheme, parameters)
        ok(n == 3 * parameters, "%s: the optimizer's state" % scheme)
    save("fsdp", "full")


def main():
    every = [("layer.%d" % i, t, 3 + 100 * i) for i, t in enumerate(dtypes)
             if t != "bool"]
    check_state(every, "every type")
    check_state([("w", "fp16", 70000), ("none", "fp32", 0)], "sizes")
    for n in (0, 1, 1000, 1001):
        check_count(n)
    check_items([("a", "fp32", 300), ("b", "bf16", 7), ("c", "int64", 0)])
    check_huge()
    check_reads()
    check_checkpoints()


if version < (1, 13):
    print("1..0 # SKIP this PyTorch is older than 1.13")
    sys.exit(0)
os.chdir(tap.TMP)
tap.run(main)
