# SPDX-License-Identifier: GPL-3.0-or-later
"""sweep.py FOLDER [OTHER]: reads lines `what: expression' and prints a TAP verdict of
each.  The expressions see what a sweep has left in FOLDER: s (sweep.json), runs,
points, rows (sweep.csv) and folder; kept(n): how many runs of OTHER, an older copy
of sweep.json, stand in it unchanged."""

import csv
import json
import os
import sys

folder = sys.argv[1]


def load(path):
    def refuse(name):
        raise ValueError(name + " is not JSON")

    with open(path) as f:
        return json.load(f, parse_constant=refuse)


s = load(os.path.join(folder, "sweep.json"))
runs, points = s["runs"], s["points"]
with open(os.path.join(folder, "sweep.csv"), newline="") as f:
    rows = list(csv.DictReader(f))
other = load(sys.argv[2])["runs"] if len(sys.argv) > 2 else []
kept = sum(r in runs for r in other)
has = lambda path: os.path.exists(os.path.join(folder, path))
au = lambda r: r["metric"]["train_au_mean_percentage"]
# Storage that takes 2 ms for a sample of any accelerator.
form = lambda r: 100 * min(
    1,
    float(r["values"]["train.computation_time"])
    / (r["accelerators"] * int(r["values"]["reader.batch_size"]) * 0.002),
)
names = {n: v for n, v in globals().items() if not n.startswith("_")}
for line in sys.stdin:
    what, _, expression = line.strip().partition(": ")
    try:
        good = bool(eval(expression, names))
        note = ""
    except Exception as e:  # a missing key is a failed check
        good, note = False, f"# {type(e).__name__}: {e}"
    print(("ok " if good else "not ok ") + what)
    if not good:
        print(note or f"# {expression}")
