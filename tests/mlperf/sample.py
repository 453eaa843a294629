# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds a results tree that keeps every rule, from nothing but numbers.

closed/acme   one    unet3d: a dataset bound by memory, one host
              two    retinanet: two hosts
              three  llama3-8b: one leaf that writes and reads
              four   llama3-8b: one leaf that writes, one that reads
open/acme     five   unet3d with another loader; llama3-70b on 24 accelerators
"""

import datetime
import hashlib
import json
import os

GIB = 2**30
BEGIN = datetime.datetime(2026, 11, 30, 8, 0, 0)


def up(a, b):
    return -(-a // b)


def files_needed(memory_gib, record, batch, accelerators):
    return max(up(5 * memory_gib * GIB, record), 500 * batch * accelerators)


MODELS = {
    "unet3d": dict(record=146600628, batch=7, epochs=5, au=0.90,
                   hash="0d3ad0dec188becd"),
    "retinanet": dict(record=322957, batch=24, epochs=8, au=0.85,
                      hash="20c73f53486caba0"),
    "llama3-8b": dict(gib=104.705, hash="68df04b7240e3fb0"),
    "llama3-70b": dict(gib=911.212, hash="3c53fe70d64f91d4"),
}


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def write_json(path, value):
    write(path, json.dumps(value, indent=2) + "\n")


def stamp(time):
    return time.strftime("%Y%m%d_%H%M%S")


def iso(time):
    return time.strftime("%Y-%m-%dT%H:%M:%S.%f") + "+00:00"


def tree_hash(folder):
    """md5-tree-v2 of a folder without anything that is left out of it."""
    names = []
    for at, _, files in os.walk(folder):
        for f in files:
            if f != ".code-hash.json":
                names.append(os.path.relpath(os.path.join(at, f), folder))
    md5 = hashlib.md5()
    for name in sorted(names, key=lambda n: n.encode()):
        md5.update(name.encode())
        with open(os.path.join(folder, name), "rb") as f:
            md5.update(f.read())
    return md5.hexdigest()


def write_image(folder, text):
    """An image of one file; its hash."""
    write(os.path.join(folder, "program"), text)
    digest = tree_hash(folder)
    write_json(os.path.join(folder, ".code-hash.json"), {
        "hash": digest, "algorithm": "md5-tree-v2",
        "captured_at": "2026-11-30T07:59:00Z", "mlpstorage_version": "3.0.27",
        "git_sha": None})
    return digest


def add_image(root, text):
    """An image in the pool, under its name; its hash."""
    new = os.path.join(root, "code-images", "new")
    digest = write_image(new, text)
    os.rename(new, os.path.join(root, "code-images", "code-" + digest[:8]))
    return digest


def description(name, hosts, memory):
    several = "true"
    return f"""system_under_test:
  solution:
    submission_name: {name}
    friendly_description: A sample
    architecture:
      storage_location: remote
      benchmark_API: file
      product_API: file
      client_footprint: open_source
      client_installation: in_box
    capabilities:
      multi_host: {several}
      simultaneous_write: true
      simultaneous_read: true
      remap_time_in_seconds: 0
  deployment: cloud
  product_nodes:
    - friendly_description: A server
      quantity: 4
      chassis: &box
        model_name: m1
        cpu_model: c1
        cpu_qty: 2
        cpu_cores: 64
        memory_capacity: 512
      networking: &ports
        - unit_count: 1
          type: ethernet
          state: "up"
          speed: 100
          traffic: [data]
      operating_system: &os
        name: Debian
        version: "12"
  clients:
    - friendly_description: A client
      quantity: {hosts}
      chassis:
        model_name: m2
        cpu_model: c2
        cpu_qty: 2
        cpu_cores: 64
        memory_capacity: {memory}
      networking:
        - unit_count: 1
          type: ethernet
          state: "up"
          speed: 100
          traffic: [data]
      operating_system:
        name: Debian
        version: "12"
""".replace(" &box", "").replace(" &ports", "").replace(" &os", "")


class Tree:
    """root: the results folder; data: where the datasets would be."""

    def __init__(self, root, data):
        self.root, self.data = root, data
        self.now = BEGIN
        write(os.path.join(root, "mlperf-results.yaml"),
              "mlperf_results_version: 3\norgname: acme\n"
              "initialized_at: 2026-11-30T07:00:00Z\ninitialized_by: a test\n")
        write(os.path.join(root, "code-images", ".mlps-image-pool"), "")
        self.image = add_image(root, "the program")

    def system(self, mode, name, hosts, memory):
        self.mode, self.name = mode, name
        self.hosts, self.memory = hosts, memory
        at = os.path.join(self.root, mode, "acme", "systems", name)
        write(at + ".yaml", description(name, hosts, memory))
        write(at + ".pdf", "%PDF-1.4\n")

    # ---- leaves ----

    def place(self, kind, model, command):
        parts = [self.root, self.mode, "acme", "results", self.name, kind,
                 model]
        if kind == "training":
            parts.append(command)
        return os.path.join(*parts, stamp(self.now))

    def metadata(self, kind, model, command, processes, accelerator):
        args = {
            "model": model, "command": command,
            "hosts": [f"h{i}" for i in range(self.hosts)],
            "results_dir": self.root, "num_processes": processes,
            "accelerator_type": accelerator,
            "client_host_memory_in_gb": self.memory,
        }
        folder = "data_dir" if kind == "training" else "checkpoint_folder"
        args[folder] = self.data
        return {
            "benchmark_type": kind, "model": model, "command": command,
            "run_datetime": stamp(self.now), "num_processes": processes,
            "accelerator": accelerator,
            "result_dir": self.place(kind, model, command),
            "parameters": {}, "override_parameters": {},
            "verification": self.mode, "status": "complete",
            "provenance_file": "provenance.json",
            "invocation_start_time": iso(self.now), "args": args,
        }

    def write_leaf(self, kind, model, command, metadata, summary):
        leaf = self.place(kind, model, command)
        name = f"{kind}_{metadata['run_datetime']}_metadata.json"
        write_json(os.path.join(leaf, name), metadata)
        write(os.path.join(leaf, ".mlps-code-image"),
              f"md5-tree-v2:{self.image}\n")
        self.write_provenance(leaf, kind, model)
        if command == "datasize":
            return leaf
        for stream in ("stdout", "stderr"):
            write(os.path.join(leaf, f"{kind}_{command}.{stream}.log"), "")
        write(os.path.join(leaf, "dlio.log"), "")
        for part in ("config", "hydra", "overrides"):
            write(os.path.join(leaf, "dlio_config", part + ".yaml"), "a: 1\n")
        if command == "datagen":
            return leaf
        write_json(os.path.join(leaf, "summary.json"), summary)
        write_json(os.path.join(leaf, "0_output.json"), {})
        write_json(os.path.join(leaf, "0_per_epoch_stats.json"), {})
        folder = metadata["args"].get("data_dir", self.data)
        write_json(os.path.join(leaf, "fs_separation.json"), {
            "version": 1, "method": "link_exdev",
            "data_or_chkpt_path": folder, "results_path": self.root,
            "data_or_chkpt_realpath": folder, "results_realpath": self.root,
            "same_filesystem": False, "probed_at": iso(self.now),
            "probed_by_rank": 0, "probed_by_host": "h0"})
        return leaf

    def write_provenance(self, leaf, kind, model):
        write_json(os.path.join(leaf, "provenance.json"), {
            "schema": "mlps-run-provenance/1", "rules_edition": "3.0",
            "layout_version": 3,
            "tool": {"name": "loadbank", "version": "0.1.0",
                     "git_sha": "unknown",
                     "code_image": "md5-tree-v2:" + self.image},
            "dlio": {"version": "unknown", "source": "unknown",
                     "commit": "unknown"},
            "storage_library": {"name": "none"},
            "core_config": {"algorithm": "core-config-v1",
                            "allowlist": kind + "@1",
                            "hash": MODELS[model]["hash"],
                            "keys": ["framework"]},
            "stamped_at": "2026-11-30T08:00:00Z", "stamped_by": "a test",
            "provenance": {
                "rules_edition": "tool-constant",
                "layout_version": "tool-constant", "tool": "runtime",
                "dlio": "n/a", "storage_library": "n/a",
                "core_config": "runtime"}})

    def summary(self, accelerators, seconds):
        return {
            "start": iso(self.now + datetime.timedelta(seconds=1)),
            "end": iso(self.now + datetime.timedelta(seconds=1 + seconds)),
            "num_accelerators": accelerators, "num_hosts": self.hosts,
            "host_memory_GB": [self.memory] * self.hosts,
            "host_cpu_count": [64] * self.hosts,
            "metric": {}, "loadbank": {"status": "complete"},
        }

    def dataset(self, model, files):
        m = MODELS[model]
        return {
            "dataset": {"num_files_train": files, "num_samples_per_file": 1,
                        "num_subfolders_train": 0,
                        "record_length_bytes": m["record"]},
            "reader": {"batch_size": m["batch"]},
            "metric": {"au": m["au"]},
        }

    # ---- workloads ----

    def training(self, model, accelerators, overrides=None, runs=6,
                 seconds=600):
        m = MODELS[model]
        files = files_needed(self.memory * self.hosts, m["record"], m["batch"],
                             accelerators)
        sizes = {"dataset": {"num_files_train": files,
                             "num_subfolders_train": 0,
                             "total_disk_bytes": files * m["record"]}}
        steps = [("datasize", 1), ("datagen", 60)] + [("run", seconds)] * runs
        for n, (command, time) in enumerate(steps):
            data = self.metadata("training", model, command, accelerators,
                                 "b200")
            data["args"]["max_accelerators"] = accelerators
            data["parameters"] = (sizes if command == "datasize"
                                  else self.dataset(model, files))
            data["override_parameters"] = {"dataset.num_files_train": files,
                                           **(overrides or {})}
            if overrides:
                data["verification"] = "OPEN"
            s = self.summary(accelerators, time)
            au = [95.0 + 0.25 * (n + e) for e in range(m["epochs"])]
            s.update(num_files_train=files, num_files_eval=0,
                     num_samples_per_file=1)
            s["metric"] = {
                "train_au_percentage": au,
                "train_au_mean_percentage": sum(au) / len(au),
                "train_au_meet_expectation": "success",
                "train_throughput_mean_samples_per_second":
                    10.0 * accelerators}
            leaf = self.write_leaf("training", model, command, data, s)
            for a in range(accelerators if command == "run" else 0):
                write_json(os.path.join(leaf, f"{a}_output.json"), {
                    str(1 + e): {"au": {"block1": au[e]},
                                 "throughput": {"block1": 10.0}}
                    for e in range(m["epochs"])})
            self.now += datetime.timedelta(seconds=time + 20)
        place = os.path.dirname(self.place("training", model, "run"))
        self.table(place, f"{self.name}-{model}")

    def checkpointing(self, model, processes, phases, seconds=900, pause=10):
        gib = MODELS[model]["gib"]
        for writes, reads in phases:
            data = self.metadata("checkpointing", model, "run", processes,
                                 "b200")
            data["args"].update(num_checkpoints_write=writes,
                                num_checkpoints_read=reads)
            data["parameters"] = {"checkpoint": {
                "fsync": True, "num_checkpoints_write": writes,
                "num_checkpoints_read": reads}}
            s = self.summary(processes, seconds)
            s["metric"] = {"checkpoint_size_GB": gib}
            self.write_leaf("checkpointing", model, "run", data, s)
            self.now += datetime.timedelta(seconds=1 + seconds + pause)
        self.table(os.path.dirname(self.place("checkpointing", model, "run")),
                   f"{self.name}-{model}")

    def table(self, folder, public_id):
        write_json(os.path.join(folder, "results.json"),
                   [{"Public ID": public_id}])

    def rollup(self, mode, ids):
        write_json(os.path.join(self.root, mode, "acme", "results",
                                "results.json"),
                   [{"Public ID": i} for i in ids])


def build(root, data):
    t = Tree(root, data)
    t.system("closed", "one", 1, 768)
    t.training("unet3d", 8)
    t.system("closed", "two", 2, 64)
    t.training("retinanet", 16)
    t.system("closed", "three", 1, 128)
    t.checkpointing("llama3-8b", 8, [(10, 10)])
    t.system("closed", "four", 1, 128)
    t.checkpointing("llama3-8b", 8, [(10, 0), (0, 10)])
    t.rollup("closed", ["one-unet3d", "two-retinanet", "three-llama3-8b",
                        "four-llama3-8b"])
    t.system("open", "five", 2, 128)
    t.training("unet3d", 16, {"reader.data_loader": "pytorch"})
    t.checkpointing("llama3-70b", 24, [(10, 10)])
    t.rollup("open", ["five-unet3d", "five-llama3-70b"])
    return t
