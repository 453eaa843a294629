# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of a results folder: results.py FOLDER, one check a line on stdin.

A line is `what is checked: an expression of Python', which is true or not.
Prints `ok TEXT' or `not ok TEXT', with the values that were compared.  Names
for the expressions: see NAMES below.
"""
import ast
import json
import math
import os
import sys


def strict(text):
    """JSON as the standard has it: no NaN, no infinity, no key twice."""
    def refuse(word):
        raise ValueError(f"{word} is not JSON")

    def unique(pairs):
        keys = [key for key, _ in pairs]
        if len(keys) != len(set(keys)):
            raise ValueError(f"a key twice in {keys}")
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def numbers(value):
    """All numbers in a value, however deep."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


class Folder:
    def __init__(self, path):
        self.path = path

    def json(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as f:
            return strict(f.read())

    def stats(self, accelerator):
        return self.json(f"{accelerator}_per_epoch_stats.json")

    def output(self, accelerator):
        return self.json(f"{accelerator}_output.json")

    def has(self, name):
        return os.path.exists(os.path.join(self.path, name))

    def files(self):
        return sorted(os.path.relpath(os.path.join(folder, name), self.path)
                      for folder, _, names in os.walk(self.path)
                      for name in names)

    def steps(self):
        """The datasets of steps.h5 as lists; None without h5py, or where this
        build writes none."""
        if os.environ.get("LB_TEST_NO_STEPS"):
            return None
        try:
            import h5py
        except ImportError:
            return None
        with h5py.File(os.path.join(self.path, "steps.h5"), "r") as f:
            return {name: f[name][()] for name in f
                    if isinstance(f[name], h5py.Dataset)}


def near(got, want, tolerance):
    return got is not None and abs(got - want) <= tolerance


def operands(node):
    """The parts of a failed expression whose values say why."""
    for part in ast.walk(node):
        if isinstance(part, ast.Compare):
            yield from [part.left] + part.comparators
        elif isinstance(part, ast.Call):
            yield from part.args


def explain(tree, names):
    for part in operands(tree):
        if isinstance(part, (ast.Constant, ast.GeneratorExp)):
            continue
        try:
            value = eval(compile(ast.Expression(part), "", "eval"), names)
        except Exception:  # a variable of a comprehension
            continue
        print(f"# {ast.unparse(part)} is {str(value)[:300]}")


def main():
    folder = Folder(sys.argv[1])
    summary = {"metric": {}, "loadbank": {}}
    if folder.has("summary.json"):
        summary = folder.json("summary.json")
    bank = summary["loadbank"]
    meta = [folder.json(name) for name in folder.files()
            if "metadata" in name]

    def count(phase, op, what="count"):
        return bank["io"].get(phase, {}).get(op, {}).get(what, 0)

    names = {
        "meta": meta[0] if len(meta) == 1 else None, "s": summary, "m": summary["metric"], "bank": bank, "count": count,
        "near": near, "numbers": numbers, "folder": folder, "math": math,
        "stats": folder.stats, "output": folder.output,
    }
    for line in sys.stdin:
        text, _, code = line.strip().partition(": ")
        if not code:
            continue
        try:
            tree = ast.parse(code, mode="eval").body
            good = eval(code, names)
        except Exception as err:
            tree, good = None, False
            print(f"# {type(err).__name__}: {err}")
        print(f"{'ok' if good else 'not ok'} {text}")
        if not good:
            print(f"# {code}")
            if tree:
                explain(tree, names)


main()
