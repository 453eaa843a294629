# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of tests/mpi/test_reduce on 3 ranks, read by others' readers."""
import json
import sys

import h5py

folder = sys.argv[1]


def refuse(name):
    raise ValueError(name + " is not JSON")


for name in ["summary.json"] + [
    f"{a}_{kind}.json" for a in range(6) for kind in ("output", "per_epoch_stats")
]:
    with open(f"{folder}/{name}", encoding="utf-8") as f:
        json.load(f, parse_constant=refuse)

with h5py.File(f"{folder}/steps.h5", "r") as f:
    assert f.attrs["unit"] in ("100 ns", b"100 ns"), f.attrs["unit"]
    load, compute, gate = f["load"][:], f["compute"][:], f["gate"][:]
    assert load.shape == (6, 5), load.shape
    assert list(f["accelerator"]) == list(range(6))
    assert f["blocks"][:].tolist() == [[1, 1, 0, 5]]
    for g in range(6):
        assert (load[g] == (g + 1) * 10000).all(), load[g]
        assert (compute[g] == 200000).all(), compute[g]
        assert (gate[g] == (6 - g - 1) * 10000).all(), gate[g]
    print("steps.h5: 6 accelerators x 5 steps as recorded")
