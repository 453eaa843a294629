# SPDX-License-Identifier: GPL-3.0-or-later
"""loadbank size on simulated storage of known bandwidth, against the closed
form of docs/sizing.md.

  size_settings.py FOLDER LAUNCHER LOADBANK [SETTING...]

Works in FOLDER.  One line a setting: "ok NAME: ...", "not ok NAME: ...", or
"ok NAME: ... # SKIP" where the client was too busy to keep time.
"""
import json
import math
import os
import shlex
import subprocess
import sys

# Name: ranks, compute (ms), batch, sample (bytes), readers, metric.au, the knee
# (accelerators that the bandwidth feeds), most accelerators.  At the answer and
# at the next number AU is at least 1.5 points from the threshold.
# Narrow ones are on one rank: ranks that share few processors make a model of
# storage slower than configured (docs/accuracy.md).
SETTINGS = {
    "two": (2, 15, 4, 100000, 1, 0.90, 2.4, 8),
    "none": (1, 20, 2, 50000, 1, 0.90, 0.7, 8),
    "five": (2, 15, 8, 65536, 2, 0.90, 5.0, 16),
    "one": (4, 30, 1, 400000, 1, 0.85, 1.2, 32),
    "three": (1, 25, 16, 10000, 2, 0.60, 2.1, 12),
    "seven": (4, 30, 2, 250000, 1, 0.70, 5.25, 64),
    "ten": (2, 40, 4, 120000, 4, 0.90, 9.45, 32),
    "twelve": (1, 30, 3, 30000, 1, 0.50, 6.25, 16),
    "sixteen": (1, 40, 8, 20000, 2, 0.80, 13.2, 100),
    "twenty": (1, 50, 4, 131072, 1, 0.90, 18.45, 24),
}
MOST_POINTS = 12
# Lateness of the client, % of the time, that cannot move the answer.
LATE = 1.0


def yaml(setting, bandwidth):
    ranks, ms, batch, sample, readers, au, knee, most = setting
    return f"""model: {{name: sized}}
framework: pytorch
workflow: {{generate_data: false, train: true}}
storage: {{storage_type: simulated, storage_options: {{read_bandwidth: {bandwidth}}}}}
dataset: {{data_folder: data, format: npy, num_files_train: 100000, record_length_bytes: {sample}}}
reader: {{data_loader: pytorch, batch_size: {batch}, read_threads: {readers}, prefetch_size: {2 * readers}}}
train: {{computation_time: {ms / 1000}}}
metric: {{au: {au}}}
"""


def write(name, text):
    with open(f"{name}.yaml", "w", encoding="utf-8") as f:
        f.write(text)


def plan(loadbank, name):
    out = subprocess.run([loadbank, "plan", f"./{name}.yaml", "--format", "json"],
                         check=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)


def size(launcher, loadbank, name, setting):
    command = shlex.split(launcher) + ["-n", str(setting[0])] if setting[0] > 1 else []
    command += [loadbank, "size", f"./{name}.yaml", "--max", str(setting[7]),
                "--min-seconds", "0", "--min-steps", "16", "--format", "json",
                "--results", f"{name}-results"]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         stdin=subprocess.DEVNULL, timeout=120)
    if not run.stdout:
        return None, run.stderr.decode(errors="replace")
    return json.loads(run.stdout), run.stderr.decode(errors="replace")


def judge(loadbank, launcher, name):
    setting = SETTINGS[name]
    ranks, ms, batch, sample, readers, au, knee, most = setting
    write(name, yaml(setting, 0))
    read = plan(loadbank, name)["train"]["sample_operations"]["bytes_read"]
    demand = batch * read / (ms / 1000)
    bandwidth = round(knee * demand)
    write(name, yaml(setting, bandwidth))

    def au_of(n):
        return min(1, bandwidth / (n * demand))

    want = math.floor(bandwidth / (demand * au))
    assert want == 0 or au_of(want) >= au + 0.015, name
    assert au_of(want + 1) <= au - 0.015 and want < most, name
    got, err = size(launcher, loadbank, name, setting)
    if got is None:
        return f"not ok {name}: {err}"
    answer, points = got["answer"], got["points"]
    runs = sum(p["runs"] for p in points)
    late = max(p["late_percentage"] for p in points)
    text = (f"{name}: {answer['accelerators']} for {want}, {len(points)} points, "
            f"{runs} runs, {late:.2f} % late, {got['seconds']:.1f} s")
    good = (answer["accelerators"] == want and answer["misses"] == want + 1
            and answer["limited_by"] == "storage" and not answer["at_least"]
            and runs <= MOST_POINTS and got["status"] == "complete"
            and abs(answer["knee"]["accelerators"] / knee - 1) < 0.1)
    if not good and late > LATE:
        return f"ok {text} # SKIP the machine is too busy"
    return f"{'ok' if good else 'not ok'} {text}"


def main():
    os.chdir(sys.argv[1])
    for name in sys.argv[4:] or SETTINGS:
        print(judge(sys.argv[3], sys.argv[2], name), flush=True)


main()
