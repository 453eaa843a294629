# SPDX-License-Identifier: GPL-3.0-or-later
"""Breaks a results tree in one place after another: each time, exactly the
expected rules must say so.

    check.py LOADBANK            a sample tree that is built here
    check.py LOADBANK RESULTS    a copy of a tree that a real run has made
"""

import copy
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sample  # noqa: E402

NOBODY = 65534


class Absent(Exception):
    """This tree has nothing of the kind."""


class Edit:
    """Changes to a tree, which can be taken back."""

    def __init__(self, root, stash):
        self.root, self.stash, self.back, self.n = root, stash, [], 0

    def undo(self):
        for f in reversed(self.back):
            f()
        self.back = []

    def remove(self, path):
        if not os.path.lexists(path):
            raise Absent(path)
        self.n += 1
        kept = os.path.join(self.stash, str(self.n))
        os.rename(path, kept)
        self.back.append(lambda: os.rename(kept, path))

    def rename(self, old, new):
        if not os.path.lexists(old):
            raise Absent(old)
        os.rename(old, new)
        self.back.append(lambda: os.rename(new, old))

    def _made(self, path):
        def gone():
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        self.back.append(gone)

    def folder(self, path):
        while not os.path.isdir(os.path.dirname(path)):
            path = os.path.dirname(path)
        self._made(path)

    def mkdir(self, path):
        self.folder(path)
        os.makedirs(path)

    def text(self, path, text):
        if os.path.lexists(path):
            self.remove(path)
        self.folder(path)
        sample.write(path, text)

    def link(self, path, target):
        self._made(path)
        os.symlink(target, path)

    def copy(self, old, new):
        self._made(new)
        shutil.copytree(old, new, symlinks=True)

    def chmod(self, path, mode):
        before = os.stat(path).st_mode
        os.chmod(path, mode)
        self.back.append(lambda: os.chmod(path, before))

    def json(self, path, change):
        with open(path, encoding="utf-8") as f:
            value = json.load(f)
        change(value)
        self.text(path, json.dumps(value, indent=2) + "\n")


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


class Leaf:
    def __init__(self, edit, path):
        self.e, self.path = edit, path
        self.stamp = os.path.basename(path)

    def file(self, name):
        return os.path.join(self.path, name)

    def metadata(self):
        for name in sorted(os.listdir(self.path)):
            if "metadata" in name:
                return self.file(name)
        raise Absent(self.path)

    def pointer(self):
        with open(self.file(".mlps-code-image"), encoding="utf-8") as f:
            return f.read()

    def meta(self, change):
        self.e.json(self.metadata(), change)

    def summary(self, change):
        self.e.json(self.file("summary.json"), change)

    def provenance(self, change):
        self.e.json(self.file("provenance.json"), change)

    def values(self):
        return load(self.metadata()), load(self.file("summary.json"))

    def move(self, stamp):
        """To another stamp, with all that says so: a leaf of its own right."""
        new = Leaf(self.e, os.path.join(os.path.dirname(self.path), stamp))
        self.e.copy(self.path, new.path)
        old = new.metadata()
        value = load(old)
        value["run_datetime"] = stamp
        value["result_dir"] = value["result_dir"].replace(self.stamp, stamp)
        sample.write_json(old.replace(self.stamp, stamp), value)
        os.unlink(old)
        return new


class Workload:
    def __init__(self, edit, path):
        self.e, self.path = edit, path

    def file(self, *names):
        return os.path.join(self.path, *names)

    def leaves(self, command=""):
        at = self.file(command) if command else self.path
        if not os.path.isdir(at):
            raise Absent(at)
        return [Leaf(self.e, os.path.join(at, n)) for n in sorted(os.listdir(at))
                if os.path.isdir(os.path.join(at, n))]

    def run(self, n=-1):
        return self.leaves("run")[n]


class Tree:
    """What mutations name: the first workload of each kind."""

    def __init__(self, root, stash, data):
        self.root, self.data = root, data
        self.e = Edit(root, stash)
        found = {"T": [], "M": [], "S": [], "P": [], "O": [], "G": []}
        for mode in ("closed", "open"):
            for org in self.folders(mode):
                for system in self.folders(mode, org, "results"):
                    self.look(found, mode, org, system)
        self.found = found

    def folders(self, *parts):
        at = os.path.join(self.root, *parts)
        return [n for n in sorted(os.listdir(at))
                if os.path.isdir(os.path.join(at, n))] \
            if os.path.isdir(at) else []

    def look(self, found, mode, org, system):
        at = (mode, org, "results", system)
        for model in self.folders(*at, "training"):
            w = Workload(self.e, os.path.join(self.root, *at, "training", model))
            hosts = load(w.run().file("summary.json"))["num_hosts"]
            found["O" if mode == "open" else "T"].append(w)
            if hosts > 1 and mode == "closed":
                found["M"].append(w)
        for model in self.folders(*at, "checkpointing"):
            w = Workload(self.e,
                         os.path.join(self.root, *at, "checkpointing", model))
            kind = "G" if mode == "open" else "SP"[len(w.leaves()) - 1]
            found[kind].append(w)

    def first(self, kind):
        if not self.found[kind]:
            raise Absent(kind)
        return self.found[kind][0]

    def pointers(self):
        return {Leaf(self.e, at).pointer() for at, _, names in
                os.walk(self.root) if ".mlps-code-image" in names}

    T = property(lambda self: self.first("T"))  # closed, training
    M = property(lambda self: self.first("M"))  # the same on several hosts
    S = property(lambda self: self.first("S"))  # closed, writes and reads
    P = property(lambda self: self.first("P"))  # closed, writes, then reads
    O = property(lambda self: self.first("O"))  # open, training
    G = property(lambda self: self.first("G"))  # open, checkpointing

    def org(self):
        w = self.found["T"] or self.found["O"]
        return os.path.dirname(self.system(w[0] if w else self.S)[0])

    def system(self, w):
        """Folders of the organisation's systems, and the system's name."""
        parts = os.path.relpath(w.path, self.root).split(os.sep)
        return os.path.join(self.root, parts[0], parts[1], "systems"), parts[3]

    def description(self, w):
        folder, name = self.system(w)
        return os.path.join(folder, name + ".yaml")


MUTATIONS = []
# Options that are none of validate's.  sample: of the tree that is built here;
# real: may be so already in a real one; nobody: to be run as somebody who may
# not read everything; error, warning: how severe it must be.
MARKS = {"sample", "real", "nobody", "error", "warning"}


def mutation(ids, what, options=()):
    def add(f):
        MUTATIONS.append((set(ids.split()), what, options, f))
        return f
    return add


def put(value, path, new):
    """The value at a dotted path."""
    *way, last = path.split(".")
    for key in way:
        value = value[key]
    value[last] = new


def shift(text, seconds):
    time = sample.datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (time + sample.datetime.timedelta(seconds=seconds)).isoformat()


def shift_summary(leaf, seconds, keys=("start", "end")):
    leaf.summary(lambda s: s.update({k: shift(s[k], seconds) for k in keys}))


def replace_in(edit, path, old, new):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if old not in text:
        raise Absent(old)
    edit.text(path, text.replace(old, new))


# ---- the layout ----


@mutation("2.1.1", "an organisation with a blank in its name")
def _(t):
    t.e.mkdir(os.path.join(t.root, "closed", "b ad"))


@mutation("2.1.2", "a foreign folder at the root")
def _(t):
    t.e.mkdir(os.path.join(t.root, "extra"))


@mutation("2.1.2", "Closed beside closed")
def _(t):
    t.e.mkdir(os.path.join(t.root, "Closed"))


@mutation("2.1.2", "what-if results")
def _(t):
    t.e.mkdir(os.path.join(t.root, "whatif"))


@mutation("2.1.4", "a second submitter in a results folder of one")
def _(t):
    for part in ("results", "systems"):
        t.e.mkdir(os.path.join(t.root, "open", "other", part))


@mutation("2.1.5", "a foreign folder of an organisation")
def _(t):
    t.e.mkdir(os.path.join(t.org(), "extra"))


@mutation("2.1.5", "no systems/")
def _(t):
    t.e.remove(os.path.join(t.org(), "systems"))


@mutation("2.1.10", "a foreign category")
def _(t):
    t.e.mkdir(os.path.join(os.path.dirname(os.path.dirname(t.T.path)), "extra"))


@mutation("2.1.11", "a workload that is none")
def _(t):
    t.e.mkdir(os.path.join(os.path.dirname(t.T.path), "resnet50"))


@mutation("2.1.11", "a link that leads back to where it is")
def _(t):
    t.e.link(os.path.join(os.path.dirname(t.T.path), "loop"), "..")


@mutation("2.1.12", "a phase under another name")
def _(t):
    t.e.rename(t.T.file("datasize"), t.T.file("datasize2"))


@mutation("2.1.12", "no datagen")
def _(t):
    t.e.remove(t.T.file("datagen"))


@mutation("2.1.13", "two datagens")
def _(t):
    t.T.leaves("datagen")[0].move("20261130_080005")


@mutation("2.1.13", "a datagen that is not named by a time")
def _(t):
    leaf = t.T.leaves("datagen")[0]
    t.e.rename(leaf.path, leaf.path[:-6] + "250000")


@mutation("2.1.16", "no results.json of runs")
def _(t):
    t.e.remove(t.T.file("run", "results.json"))


@mutation("2.1.17", "five runs")
def _(t):
    t.e.remove(t.T.run().path)


@mutation("2.1.17", "a run in the middle under a name that is no time")
def _(t):
    leaf = t.T.run(2)
    t.e.rename(leaf.path, leaf.path + "x")


@mutation("2.1.17", "a link instead of a run")
def _(t):
    leaf = t.T.run(2)
    t.e.rename(leaf.path, os.path.join(t.e.stash, "run"))
    t.e.link(leaf.path, os.path.join(t.e.stash, "run"))


@mutation("2.1.21", "a model that is none")
def _(t):
    t.e.mkdir(os.path.join(os.path.dirname(t.S.path), "llama2-7b"))


@mutation("2.1.22", "no results.json of checkpoints")
def _(t):
    t.e.remove(t.S.file("results.json"))


@mutation("2.1.23", "three leaves of checkpoints")
def _(t):
    t.P.leaves()[0].move("20261130_235959")


@mutation("2.1.23", "no leaf of checkpoints")
def _(t):
    leaf = t.S.leaves()[0]
    pointer = leaf.pointer()
    t.e.remove(leaf.path)
    if pointer not in t.pointers(): # its image is nobody's now: CHECK-03
        t.e.remove(os.path.join(t.root, "code-images",
                                "code-" + pointer.split(":")[1][:8]))


@mutation("LB-04", "a folder that cannot be read", ("nobody",))
def _(t):
    t.e.chmod(t.T.file("run"), 0o300)


@mutation("LB-05", "a foreign file")
def _(t):
    t.e.text(t.T.file("run", "notes.txt"), "")


# ---- descriptions of systems ----


@mutation("2.1.7", "no .pdf")
def _(t):
    t.e.remove(t.description(t.T).replace(".yaml", ".pdf"))


@mutation("2.1.7", "a foreign file in systems/")
def _(t):
    t.e.text(os.path.join(t.system(t.T)[0], "x.txt"), "")


@mutation("2.1.7", "a description with a word where a number must be")
def _(t):
    replace_in(t.e, t.description(t.T), "cpu_qty: ", "cpu_qty: two ")


@mutation("2.1.7", "a description that is no YAML")
def _(t):
    t.e.text(t.description(t.T), "a: [1\n")


@mutation("2.1.8", "a description of another system's name")
def _(t):
    name = t.system(t.T)[1]
    replace_in(t.e, t.description(t.T), f"submission_name: {name}",
               "submission_name: other")


@mutation("2.1.8", "files under another name than the system's")
def _(t):
    path = t.description(t.T)
    for end in (".yaml", ".pdf"):
        old = path.replace(".yaml", end)
        if os.path.exists(old):
            t.e.rename(old, os.path.join(os.path.dirname(old), "other" + end))


@mutation("2.1.9", "more hosts than the description has clients")
def _(t):
    leaf = t.T.run()

    def change(s):
        hosts = s["num_hosts"] + 7
        even = s["num_accelerators"] % hosts == 0
        s["num_hosts"] = hosts if even else s["num_accelerators"]
    leaf.summary(change)
    leaf.meta(lambda m: m.get("gates", {}).update(
        {"CAP-02": [{"folder": "/x"}]}))


@mutation("2.1.9", "several hosts, but multi_host: false")
def _(t):
    replace_in(t.e, t.description(t.M), "multi_host: true", "multi_host: false")


# ---- leaves ----


@mutation("LB-01", "a run that was killed")
def _(t):
    leaf = t.T.run(2)
    leaf.meta(lambda m: m.update(status="running"))
    t.e.remove(leaf.file("summary.json"))


@mutation("LB-01", "an interrupted run of checkpointing")
def _(t):
    t.S.leaves()[0].summary(lambda s: put(s, "loadbank.status", "interrupted"))


@mutation("LB-01", "a killed run beside six whole ones")
def _(t):
    new = t.T.run().move("20261130_235959")
    new.meta(lambda m: m.update(status="failed"))


@mutation("LB-02", "a run under another time")
def _(t):
    leaf = t.T.run()
    t.e.rename(leaf.path, leaf.path[:-6] + "235959")


@mutation("LB-02", "a run of another system")
def _(t):
    leaf = t.T.run()
    name = t.system(t.T)[1]
    leaf.meta(lambda m: m.update(
        result_dir=m["result_dir"].replace(f"/{name}/", "/elsewhere/")))


@mutation("LB-02", "a run of checkpointing among runs of training")
def _(t):
    t.T.run(2).meta(lambda m: m.update(benchmark_type="checkpointing"))


@mutation("2.1.14", "a datagen without its log")
def _(t):
    t.e.remove(t.T.leaves("datagen")[0].file("training_datagen.stdout.log"))


@mutation("2.1.14", "a datagen whose metadata are cut off")
def _(t):
    t.e.text(t.T.leaves("datagen")[0].metadata(), '{"model": "unet')


@mutation("2.1.15", "a foreign file in a datagen's dlio_config/")
def _(t):
    t.e.text(t.T.leaves("datagen")[0].file("dlio_config/x.yaml"), "")


@mutation("2.1.19", "a run without summary.json")
def _(t):
    t.e.remove(t.T.run(2).file("summary.json"))


@mutation("2.1.19", "a run whose summary.json is cut off")
def _(t):
    t.e.text(t.T.run(2).file("summary.json"), "{\n")


@mutation("2.1.19", "a list where a number must be")
def _(t):
    t.T.run(2).summary(lambda s: s.update(num_accelerators=[8]))


@mutation("2.1.19", "a text where a number must be")
def _(t):
    t.T.run(2).meta(lambda m: put(m, "parameters.dataset.num_files_train", "7"))


@mutation("2.1.19", "two metadata files")
def _(t):
    t.e.text(t.T.run(2).file("training_metadata.json"), "{}\n")


@mutation("2.1.19", "an empty leaf")
def _(t):
    leaf = t.T.run(2)
    t.e.remove(leaf.path)
    t.e.mkdir(leaf.path)


@mutation("2.1.20", "a run's dlio_config/ without hydra.yaml")
def _(t):
    t.e.remove(t.T.run(2).file("dlio_config/hydra.yaml"))


@mutation("2.1.20", "a file instead of dlio_config/")
def _(t):
    leaf = t.T.run(2)
    t.e.remove(leaf.file("dlio_config"))
    t.e.text(leaf.file("dlio_config"), "")


@mutation("2.1.25", "checkpoints without an error log")
def _(t):
    t.e.remove(t.S.leaves()[0].file("checkpointing_run.stderr.log"))


@mutation("2.1.25", "checkpoints with an object where a number must be")
def _(t):
    t.S.leaves()[0].summary(
        lambda s: put(s, "metric.checkpoint_size_GB", {"GiB": 105}))


@mutation("2.1.26", "a foreign file in dlio_config/ of checkpoints")
def _(t):
    t.e.text(t.S.leaves()[0].file("dlio_config/old.yaml"), "")


@mutation("LB-03", "metadata and summary of different runs")
def _(t):
    t.T.run(2).meta(lambda m: m.update(num_processes=m["num_processes"] + 1))


@mutation("LB-06", "a rehearsal among the runs")
def _(t):
    set_scale(t.T.run(2), "time")


def set_scale(leaf, key):
    def change(m):
        scale = m.get("rehearsal") or {"files": 1, "bytes": 1, "time": 1}
        m["rehearsal"] = {**scale, key: scale[key] / 2}
    leaf.meta(change)


@mutation("LB-06", "a dataset of smaller records than the runs'")
def _(t):
    set_scale(t.T.leaves("datagen")[0], "bytes")


@mutation("", "sizes and a dataset of another scale of time")
def _(t):
    set_scale(t.T.leaves("datasize")[0], "time")
    set_scale(t.T.leaves("datagen")[0], "time")


# ---- gaps ----


@mutation("2.1.18", "an hour of idle time between two runs")
def _(t):
    leaf = t.T.run()
    shift_summary(leaf, 3600)


@mutation("2.1.18", "a clock that was set back between two runs")
def _(t):
    shift_summary(t.T.run(), -3600)


@mutation("2.1.18", "a clock that was set back within a run")
def _(t):
    shift_summary(t.T.run(), -86400, ("end",))


@mutation("2.1.18", "a run without a start")
def _(t):
    t.T.run().summary(lambda s: [s.pop(k, None)
                                 for k in ("start", "start_time")])


def set_phases(t, pause, seconds, early=1):
    """Writing and reading of so many seconds, with a pause between them."""
    w, r = t.P.leaves()
    begin = w.values()[1]["start"]
    times = [shift(begin, s) for s in (seconds, seconds + pause,
                                       2 * seconds + pause,
                                       seconds + pause - early)]
    w.summary(lambda s: s.update(end=times[0]))
    w.meta(lambda m: m.pop("invocation_end_time", None))
    r.summary(lambda s: s.update(start=times[1], end=times[2]))
    r.meta(lambda m: m.update(invocation_start_time=times[3]))


@mutation("2.1.24", "more time between writing and reading than they took")
def _(t):
    set_phases(t, 25, 20)


@mutation("", "processes that end late: the time up to that is not idle")
def _(t):
    set_phases(t, 25, 20)
    w = t.P.leaves()[0]
    w.meta(lambda m: m.update(invocation_end_time=shift(
        w.values()[1]["end"], 15)))


@mutation("4.7.1", "too long between writing and reading")
def _(t):
    set_phases(t, 45, 1000)


@mutation("4.7.1", "reading beside writing")
def _(t):
    set_phases(t, -45, 1000)


@mutation("4.7.1", "clocks that differ between writing and reading")
def _(t):
    set_phases(t, 10, 1000, early=15)


@mutation("4.7.1", "nine reads in one leaf")
def _(t):
    t.S.leaves()[0].meta(lambda m: put(m, "args.num_checkpoints_read", 9))


@mutation("4.7.1", "first reads, then writes")
def _(t):
    w, r = t.P.leaves()
    w.meta(lambda m: m["args"].update(num_checkpoints_write=0,
                                      num_checkpoints_read=10))
    r.meta(lambda m: m["args"].update(num_checkpoints_write=10,
                                      num_checkpoints_read=0))


@mutation("4.7.2", "checkpoints without an end")
def _(t):
    t.S.leaves()[0].summary(lambda s: [s.pop(k, None)
                                       for k in ("end", "end_time")])


def remap(t, w, seconds):
    path = t.description(w)
    replace_in(t.e, path, "simultaneous_read: true", "simultaneous_read: false")
    replace_in(t.e, path, "remap_time_in_seconds: 0",
               f"remap_time_in_seconds: {seconds}")


@mutation("4.7.3", "a shorter time between writing and reading than declared")
def _(t):
    remap(t, t.P, 100)


@mutation("4.7.4", "one leaf of a system that needs remapping")
def _(t):
    remap(t, t.S, 100)


# ---- training ----


def set_files(w, delta, commands=("datasize", "datagen", "run"), to=None):
    """Other numbers of files, in agreement with themselves."""
    for command in commands:
        for leaf in w.leaves(command):
            def change(m):
                d = m["parameters"]["dataset"]
                new = d["num_files_train"] + delta if to is None else to
                if "total_disk_bytes" in d:
                    d["total_disk_bytes"] = new * (d["total_disk_bytes"] //
                                                   d["num_files_train"])
                d["num_files_train"] = new
            leaf.meta(change)
            if command == "run":
                n = leaf.values()[0]["parameters"]["dataset"]["num_files_train"]
                leaf.summary(lambda s: s.update(num_files_train=n))


@mutation("3.1.1", "runs that do not know of a dataset")
def _(t):
    t.T.run().meta(lambda m: m["parameters"].pop("dataset"))


@mutation("3.1.1", "a datasize without its answer")
def _(t):
    t.T.leaves("datasize")[0].meta(
        lambda m: m["parameters"]["dataset"].pop("total_disk_bytes"))


@mutation("3.1.2", "a dataset of one file")
def _(t):
    set_files(t.T, 0, to=1)


@mutation("3.1.2", "one file less than five times the memory",
          ("sample",))
def _(t):
    set_files(t.T, -1)


@mutation("3.1.2", "five percent more memory than it was sized for",
          ("sample",))
def _(t):
    t.T.run().summary(lambda s: s.update(
        host_memory_GB=[1.05 * m for m in s["host_memory_GB"]]))


@mutation("3.1.2", "a host whose memory is not known")
def _(t):
    t.T.run().summary(lambda s: s["host_memory_GB"].__setitem__(0, None))


@mutation("3.2.1", "less generated than datasize asked for")
def _(t):
    set_files(t.T, -1, ("datagen",))


@mutation("3.3.1", "a run with more files than were generated")
def _(t):
    leaf = t.T.run()
    n = leaf.values()[1]["num_files_train"] + 1
    leaf.meta(lambda m: put(m, "parameters.dataset.num_files_train", n))
    leaf.summary(lambda s: s.update(num_files_train=n))


@mutation("3.3.1", "runs with fewer files than datasize asked for")
def _(t):
    set_files(t.T, 10, ("datasize", "datagen"))


def elsewhere(leaf):
    leaf.meta(lambda m: put(m, "args.data_dir", "/elsewhere"))


@mutation("3.3.1", "a datasize for another folder", ("warning",))
def _(t):
    elsewhere(t.T.leaves("datasize")[0])


@mutation("3.3.1", "two datasizes for another folder", ("error",))
def _(t):
    leaf = t.T.leaves("datasize")[0]
    elsewhere(leaf.move("20261130_080001"))
    elsewhere(leaf)


@mutation("3.3.1", "a datasize without a leaf")
def _(t):
    t.e.remove(t.T.leaves("datasize")[0].path)


@mutation("3.3.1", "two answers of datasize")
def _(t):
    new = t.T.leaves("datasize")[0].move("20261130_080001")
    new.meta(lambda m: put(m, "parameters.dataset.num_files_train", 5))


@mutation("3.3.1", "other subfolders than were generated")
def _(t):
    t.T.run().meta(lambda m: put(m, "parameters.dataset.num_subfolders_train",
                                 3))


@mutation("3.3.1", "a run that says nothing of evaluation")
def _(t):
    t.T.run().summary(lambda s: s.pop("num_files_eval"))


def forget_steps(leaf):
    """Nothing from which utilisation can be computed again."""
    for name in os.listdir(leaf.path):
        if name == "steps.h5" or name.endswith("_output.json"):
            leaf.e.remove(leaf.file(name))
    leaf.e.text(leaf.file("0_output.json"), "{}\n")


def set_au(leaf, epochs, mean, verdict):
    def change(s):
        m = s["metric"]
        n = len(m["train_au_percentage"])
        m["train_au_percentage"] = [epochs] * n
        m["train_au_mean_percentage"] = mean
        m["train_au_meet_expectation"] = verdict
    leaf.summary(change)


@mutation("3.3.2", "a low utilisation that is called a success")
def _(t):
    set_au(t.T.run(), 50.0, 50.0, "success")


@mutation("3.3.2", "a failure")
def _(t):
    set_au(t.T.run(), 50.0, 50.0, "fail")


@mutation("3.3.2", "a mean that is not that of the epochs")
def _(t):
    set_au(t.T.run(), 50.0, 97.0, "success")


@mutation("3.3.2", "an accelerator's own file that says something else")
def _(t):
    leaf = t.T.run()
    if os.path.exists(leaf.file("steps.h5")):
        t.e.remove(leaf.file("steps.h5"))
    t.e.json(leaf.file("1_output.json"),
             lambda o: put(o, "1.au.block1", 20.0))


@mutation("3.3.2", "no utilisation")
def _(t):
    t.T.run().summary(lambda s: s["metric"].pop("train_au_mean_percentage"))


@mutation("3.3.3", "two accelerators on one host", ("sample",))
def _(t):
    for leaf in t.T.leaves("run"):
        forget_steps(leaf)
        set_processes(leaf, 2)


@mutation("3.3.4", "a run on one host that names two", ("sample",))
def _(t):
    t.T.run().meta(lambda m: put(m, "args.hosts", ["a:4", "a:8", "b"]))


@mutation("3.3.6", "15 accelerators on two hosts")
def _(t):
    for leaf in t.M.leaves("run"):
        forget_steps(leaf)
        set_processes(leaf, 15)


@mutation("LB-08", "a run with half as many accelerators", ("sample",))
def _(t):
    leaf = t.T.run()
    forget_steps(leaf)
    set_processes(leaf, 4)


@mutation("3.3.7", "hosts with 64 and with 16 CPUs")
def _(t):
    t.T.run().summary(lambda s: s.update(host_cpu_count=[64, 16]))


@mutation("LB-07", "a data folder with fewer files than claimed", ("sample",))
def _(t):
    for i in range(3):
        t.e.text(os.path.join(t.data, "unet3d", "train", f"img_{i}.npz"), "x")
    # only the workloads of the first system look there
    for w in t.found["O"]:
        for leaf in w.leaves("run"):
            leaf.meta(lambda m: put(m, "args.data_dir", "/nowhere"))
            t.e.json(leaf.file("fs_separation.json"),
                     lambda p: p.update(data_or_chkpt_path="/nowhere"))
        for command in ("datasize", "datagen"):
            for leaf in w.leaves(command):
                leaf.meta(lambda m: put(m, "args.data_dir", "/nowhere"))


# ---- folders ----


@mutation("3.4.1", "data and results in one folder")
def _(t):
    t.T.run().meta(lambda m: put(m, "args.results_dir",
                                 m["args"]["data_dir"] + "/"))


@mutation("3.4.1", "a run that does not say where its data were")
def _(t):
    t.T.run().meta(lambda m: m["args"].pop("data_dir"))


@mutation("3.4.2", "data and results on one file system", ("real",))
def _(t):
    t.e.json(t.T.run().file("fs_separation.json"),
             lambda p: p.update(same_filesystem=True))


@mutation("3.4.2", "no proof of two file systems")
def _(t):
    t.e.remove(t.T.run().file("fs_separation.json"))


@mutation("4.4.1", "checkpoints and results in one folder")
def _(t):
    t.S.leaves()[0].meta(lambda m: put(m, "args.results_dir",
                                       m["args"]["checkpoint_folder"]))


@mutation("4.4.2", "no proof of two file systems for checkpoints")
def _(t):
    t.e.remove(t.S.leaves()[0].file("fs_separation.json"))


@mutation("CAP-01", "checkpoints larger than the free space")
def _(t):
    t.S.leaves()[0].meta(lambda m: m.update(gates={**m.get("gates", {}),
        "CAP-01": [{"folder": "/x", "required_bytes": 2**40,
                    "free_bytes": 2**39, "there_bytes": 2**38}]}))


@mutation("CAP-02", "a run on two hosts that did not compare their folders")
def _(t):
    t.M.run().meta(lambda m: m.update(gates={"CAP-01": []}))


@mutation("CAP-03", "a proof without its method")
def _(t):
    t.e.json(t.T.run().file("fs_separation.json"), lambda p: p.pop("method"))


@mutation("CAP-03", "a proof that is cut off")
def _(t):
    t.e.text(t.T.run().file("fs_separation.json"), "{")


@mutation("CAP-03", "a proof about another folder")
def _(t):
    t.e.json(t.S.leaves()[0].file("fs_separation.json"),
             lambda p: p.update(data_or_chkpt_path="/elsewhere"))


# ---- parameters ----


@mutation("3.6.2", "a parameter that closed does not leave free")
def _(t):
    t.T.run().meta(lambda m: m["override_parameters"].update(
        {"train.epochs": 1}))


@mutation("3.6.2", "a parameter that only open leaves free")
def _(t):
    t.T.run().meta(lambda m: m["override_parameters"].update(
        {"reader.data_loader": "tensorflow"}))


@mutation("3.6.2", "an open run among closed ones")
def _(t):
    t.T.run().meta(lambda m: m.update(verification="OPEN"))


@mutation("3.6.3", "a parameter that open does not leave free")
def _(t):
    t.O.run().meta(lambda m: m["override_parameters"].update(
        {"train.epochs": 1}))


@mutation("3.6.3", "a run that was invalid when it was made")
def _(t):
    t.O.run().meta(lambda m: m.update(verification="invalid"))


@mutation("4.6.3", "a parameter of checkpoints that is not free")
def _(t):
    t.S.leaves()[0].meta(lambda m: m["override_parameters"].update(
        {"model.num_layers": 1}))


# ---- checkpoints ----


@mutation("4.3.1", "checkpoints that fit into memory")
def _(t):
    t.S.leaves()[0].summary(
        lambda s: put(s, "metric.checkpoint_size_GB", 1e-7))


@mutation("4.3.2", "no fsync")
def _(t):
    t.S.leaves()[0].meta(lambda m: put(m, "parameters.checkpoint.fsync",
                                       "False"))


@mutation("4.3.3", "checkpoints of another model")
def _(t):
    t.S.leaves()[0].meta(lambda m: m.update(model="llama3-70b"))


@mutation("4.3.4", "a checkpoint larger than all accelerators")
def _(t):
    t.S.leaves()[0].summary(lambda s: put(s, "metric.checkpoint_size_GB", 1e6))


@mutation("4.3.4", "an accelerator that nobody knows")
def _(t):
    t.S.leaves()[0].meta(lambda m: m.update(accelerator="p100"))


@mutation("4.3.4", "an accelerator that is not recorded")
def _(t):
    def change(m):
        m.pop("accelerator")
        m["args"].pop("accelerator_type")
    t.S.leaves()[0].meta(change)


def set_processes(leaf, n):
    leaf.meta(lambda m: m.update(num_processes=n))
    leaf.summary(lambda s: s.update(num_accelerators=n))


@mutation("4.3.5", "a subset of 16 accelerators")
def _(t):
    leaf = t.S.leaves()[0]
    set_processes(leaf, 16)
    leaf.meta(lambda m: m["override_parameters"].update(
        {"checkpoint.mode": "subset"}))


@mutation("4.6.1", "16 accelerators instead of 8")
def _(t):
    set_processes(t.S.leaves()[0], 16)


@mutation("4.6.2", "four accelerators on each of two hosts", ("sample",))
def _(t):
    t.S.leaves()[0].summary(lambda s: s.update(num_hosts=2,
                                               host_memory_GB=[128, 128]))
    path = t.description(t.S)
    replace_in(t.e, path, "quantity: 1", "quantity: 2")


@mutation("4.6.4", "20 accelerators of groups of 8")
def _(t):
    if t.G.path.endswith("8b"):
        raise Absent("groups of several")
    set_processes(t.G.leaves()[0], 20)


# ---- code, provenance, tables ----


def use_image(leaf, digest):
    leaf.e.text(leaf.file(".mlps-code-image"), f"md5-tree-v2:{digest}\n")
    leaf.provenance(lambda p: put(p, "tool.code_image",
                                  f"md5-tree-v2:{digest}"))


def new_image(t):
    digest = sample.add_image(t.root, "another program")
    t.e._made(os.path.join(t.root, "code-images", "code-" + digest[:8]))
    return digest


@mutation("CHECK-01", "a leaf that names no code image")
def _(t):
    t.e.remove(t.T.run().file(".mlps-code-image"))


@mutation("CHECK-01", "a leaf that names what is no hash")
def _(t):
    t.e.text(t.T.run().file(".mlps-code-image"), "md5-tree-v1:12\n")


@mutation("CHECK-01", "a leaf that names a code image that is not there")
def _(t):
    use_image(t.T.leaves("datagen")[0], "0" * 32)


@mutation("CHECK-01", "no code images")
def _(t):
    t.e.remove(os.path.join(t.root, "code-images"))


@mutation("CHECK-02", "a code image with another byte")
def _(t):
    pool = os.path.join(t.root, "code-images")
    image = next(n for n in sorted(os.listdir(pool)) if n.startswith("code-"))
    t.e.text(os.path.join(pool, image, "more"), "x")


@mutation("CHECK-03", "a code image that nobody names")
def _(t):
    new_image(t)


@mutation("CHECK-04", "a pool without its marker")
def _(t):
    t.e.remove(os.path.join(t.root, "code-images", ".mlps-image-pool"))


@mutation("CHECK-04", "code/ beside a pool")
def _(t):
    t.e.text(os.path.join(t.org(), "code", "x"), "")


@mutation("2.1.6", "the older layout, with code that was changed")
def _(t):
    t.e.remove(os.path.join(t.root, "code-images"))
    for mode in ("closed", "open"):
        for org in t.folders(mode):
            code = os.path.join(t.root, mode, org, "code")
            t.e.mkdir(code)
            sample.write_image(code, "a program")
    with open(os.path.join(t.org(), "code", "program"), "a",
              encoding="utf-8") as f:
        f.write("changed")


@mutation("3.6.1", "a run by another program")
def _(t):
    use_image(t.T.run(), new_image(t))


@mutation("3.6.1", "another program than the reference",
          ("--reference-checksum", "f" * 32))
def _(t):
    pass


@mutation("PROV-01", "no provenance.json")
def _(t):
    t.e.remove(t.T.run().file("provenance.json"))


@mutation("PROV-01", "a provenance.json without its tool")
def _(t):
    t.T.run().provenance(lambda p: p.pop("tool"))


@mutation("PROV-01", "a provenance.json of another program")
def _(t):
    t.S.leaves()[0].provenance(
        lambda p: put(p, "tool.code_image", "md5-tree-v2:" + "1" * 32))


@mutation("PROV-02", "a manifest that lists nothing")
def _(t):
    t.e.text(os.path.join(t.org(), "submission.yaml"),
             'schema: mlps-submission-manifest/1\nrules_edition: "3.0"\n'
             "runs: []\n")


@mutation("EDN-01", "an edition of the rules that there is not")
def _(t):
    t.T.run().provenance(lambda p: p.update(rules_edition="9.9"))


@mutation("EDN-02", "a configuration of no class")
def _(t):
    t.T.run().provenance(lambda p: put(p, "core_config.hash",
                                       "deadbeefdeadbeef"))


@mutation("EDN-02", "the configuration of another workload", ("sample",))
def _(t):
    t.T.run().provenance(lambda p: put(p, "core_config.hash",
                                       sample.MODELS["retinanet"]["hash"]))


@mutation("EDN-03", "a revision of DLIO that is not the edition's")
def _(t):
    t.T.run().provenance(lambda p: put(p, "dlio.commit", "0" * 40))


@mutation("EDN-04 PROV-02", "a manifest of an earlier edition of the rules")
def _(t):
    t.e.text(os.path.join(t.org(), "submission.yaml"),
             'schema: mlps-submission-manifest/1\nrules_edition: "2.0"\n'
             "runs: []\n")


@mutation("RPT-01", "a result that the organisation's table does not have")
def _(t):
    path = os.path.join(t.org(), "results", "results.json")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if '"Public ID": "' not in text:
        raise Absent("Public ID")
    t.e.text(path, text.replace('"Public ID": "', '"Public ID": "x', 1))


@mutation("LEAF-01", "a run of kv_cache without metadata")
def _(t):
    system = os.path.dirname(os.path.dirname(t.T.path))
    t.e.mkdir(os.path.join(system, "kv_cache", "llama3.1-8b", "run",
                           "20261130_100000"))


# ---- carrying out ----


class Tap:
    def __init__(self):
        self.n, self.failed = 0, 0

    def ok(self, good, what, *details):
        self.n += 1
        print(f"{'ok' if good else 'not ok'} {self.n} - {what}")
        if not good:
            self.failed += 1
            for d in details:
                print("#", d)

    def skip(self, what, why):
        self.n += 1
        print(f"ok {self.n} - {what} # SKIP {why}")


def validate(loadbank, root, *options, **how):
    done = subprocess.run(
        [loadbank, "mlperf", "validate", root, "--format", "json", *options],
        capture_output=True, text=True, timeout=60, check=False, **how)
    value = json.loads(done.stdout) if done.stdout else None
    return done.returncode, value, done.stderr


def remarks(value):
    return {(r["id"], r["severity"], r["path"], r["message"])
            for r in value["remarks"] if r["severity"] != "info"}


def as_nobody(loadbank):
    """How to run as somebody who may not read everything; None: not at all."""
    if os.geteuid() != 0:
        return {}
    how = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    try:
        subprocess.run([loadbank, "--version"], capture_output=True, check=True,
                       **how)
    except (OSError, subprocess.SubprocessError):
        return None
    return how


def try_one(tap, loadbank, tree, before, row, real):
    ids, what, options, change = row
    name = f"{' '.join(sorted(ids))}: {what}"
    how = {}
    if "sample" in options and real:
        return tap.skip(name, "not of this tree")
    if "nobody" in options:
        how = as_nobody(loadbank)
        if how is None:
            return tap.skip(name, "cannot run as somebody else")
    try:
        change(tree)
        given = [o for o in options if o not in MARKS]
        rc, value, err = validate(loadbank, tree.root, *given, **how)
        if value is None:
            return tap.ok(False, name, f"rc {rc}", err)
        new = remarks(value) - before
        waived = {r[0] for r in before if r[1] == "waived"} - ids
        found = {r[0] for r in new if r[1] != "waived" or r[0] not in waived}
        bad = any(r[1] == "error" for r in new | before)
        if not found and "real" in options and real:
            return tap.skip(name, "it is so already")
        said = {r[1] for r in new} & set(options) or not \
            {"error", "warning"} & set(options)
        tap.ok(found == ids and rc == bad and said, name,
               f"rc {rc}, found {found}",
               *[" ".join(r) for r in sorted(new)])
    except Absent as e:
        tap.skip(name, f"this tree has no {e}")
    finally:
        tree.e.undo()
    return None


def check_covered(tap, loadbank):
    listed = json.loads(subprocess.run(
        [loadbank, "mlperf", "rules", "--format", "json"], capture_output=True,
        text=True, check=True).stdout)
    rules = {r["id"] for r in listed}
    tried = set().union(*[m[0] for m in MUTATIONS])
    tap.ok(rules == tried, "each rule has a mutation",
           f"without: {sorted(rules - tried)}",
           f"not in the table: {sorted(tried - rules)}")
    tap.ok(len(rules) == len(listed), "each rule is listed once")


# ---- stress ----

VALUES = ([], {}, "x", "", -1, 1e308, 2**62, None, True, [[]], [None, "a"])


def paths_of(value, way=()):
    if way:
        yield way
    if isinstance(value, dict):
        for k in value:
            yield from paths_of(value[k], way + (k,))


def set_at(value, way, new):
    for k in way[:-1]:
        value = value[k]
    value[way[-1]] = copy.deepcopy(new)


def wrong_types(tap, loadbank, tree, rounds):
    """In each round every JSON file has one value of another type."""
    draw = random.Random(7)
    files = [os.path.join(at, n) for at, _, names in os.walk(tree.root)
             for n in names if n.endswith(".json")]
    bad = []
    for i in range(rounds):
        for path in sorted(files):
            value = load(path)
            ways = list(paths_of(value)) if isinstance(value, dict) else []
            if ways:
                set_at(value, draw.choice(ways), draw.choice(VALUES))
            else:
                value = draw.choice(VALUES)
            tree.e.text(path, json.dumps(value))
        rc, value, err = validate(loadbank, tree.root)
        if rc not in (0, 1) or value is None:
            bad.append(f"round {i}: rc {rc}: {err[-300:]}")
        tree.e.undo()
    tap.ok(not bad, "values of wrong types: a verdict, no crash", *bad)


def odd_trees(tap, loadbank, work):
    rc, value, err = validate(loadbank, os.path.join(work, "nothing"))
    tap.ok(rc == 2 and "no folder" in err, "no such folder", rc, err)
    empty = os.path.join(work, "empty")
    os.mkdir(empty)
    rc, value, err = validate(loadbank, empty)
    tap.ok(rc == 1 and {r[0] for r in remarks(value)} == {"2.1.2"},
           "an empty folder", rc, err)
    for part in ("closed/a/results/s/training/unet3d/run", "open/b",
                 "closed/a/systems"):
        os.makedirs(os.path.join(empty, part))
    os.symlink("..", os.path.join(empty, "closed/a/results/s/training/loop"))
    rc, value, err = validate(loadbank, empty)
    tap.ok(rc == 1 and value, "empty folders below, and a loop", rc, err)


def many_leaves(tap, loadbank, tree, n):
    """One run many times: hard links, so that it takes little time."""
    first = tree.T.run()
    begin = sample.datetime.datetime(2020, 1, 1)
    folders = []
    for i in range(n):
        new = first.path[:-15] + sample.stamp(
            begin + sample.datetime.timedelta(seconds=i))
        folders.append(new)
        shutil.copytree(first.path, new, copy_function=os.link)
    clock = sample.datetime.datetime.now()
    done = subprocess.run([loadbank, "mlperf", "validate", tree.root],
                          capture_output=True, text=True, timeout=60,
                          check=False)
    took = sample.datetime.datetime.now() - clock
    tap.ok(done.returncode == 1 and f"same of {n - 1} more leaves" in
           done.stdout, f"{n} leaves, {took.total_seconds():.1f} s",
           done.stdout[:500], done.stderr)
    for f in folders:
        shutil.rmtree(f)


def prepare(work, source):
    root, data = os.path.join(work, "results"), os.path.join(work, "data")
    os.chmod(work, 0o755)
    os.mkdir(os.path.join(work, "stash"))
    if source:
        shutil.copytree(source, root, symlinks=True)
        for at, _, names in os.walk(root):
            if "submission.yaml" in names: # it lists the leaves: PROV-02
                os.unlink(os.path.join(at, "submission.yaml"))
    else:
        sample.build(root, data)
    return Tree(root, os.path.join(work, "stash"), data)


def main(loadbank, source=None):
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="loadbank-rules-") as work:
        tree = prepare(work, source)
        rc, value, err = validate(loadbank, tree.root)
        before = remarks(value) if value else set()
        tap.ok(rc == 0 and (source or not before), "the tree passes", rc, err,
               *[" ".join(r) for r in sorted(before)])
        for row in MUTATIONS:
            try_one(tap, loadbank, tree, before, row, source is not None)
        rc, value, err = validate(loadbank, tree.root)
        tap.ok(value and remarks(value) == before, "all was taken back", err)
        check_covered(tap, loadbank)
        wrong_types(tap, loadbank, tree, int(os.environ.get("LB_ROUNDS", 8)))
        if not source:
            odd_trees(tap, loadbank, work)
            many_leaves(tap, loadbank, tree,
                        int(os.environ.get("LB_LEAVES", 100)))
    print(f"1..{tap.n}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
