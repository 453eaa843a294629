# SPDX-License-Identifier: GPL-3.0-or-later
"""The dataset's content, written a second time from its definition (see
src/format/content.c), to check the C code's files with."""
import os

import numpy as np

M = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
CONTENT = 3  # what the random stream is for


def mix(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & M
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & M
    return x ^ (x >> 31)


def source(seed, which, index):
    key = mix((seed + GOLDEN) & M)
    key = mix((key + GOLDEN * CONTENT) & M)
    key = mix((key + GOLDEN * (which + 1)) & M)
    key = mix((key + GOLDEN * (index + 1)) & M)
    gamma = mix((key + GOLDEN) & M) | 1
    if bin(gamma ^ (gamma >> 1)).count("1") < 24:
        gamma ^= 0xAAAAAAAAAAAAAAAA
    return key, gamma


def content(seed, which, index, n):
    """The first n bytes of file `index' of set `which' (0 train, 1 valid)."""
    key, gamma = source(seed, which, index)
    with np.errstate(over="ignore"):
        x = np.arange((n + 7) // 8, dtype=np.uint64)
        x = x * np.uint64(gamma) + np.uint64(key)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
    return x.astype("<u8").tobytes()[:n]


def absent(readers):
    """Those of {name: there} that are not; none, where all must be."""
    gone = [name for name, there in readers.items() if not there]
    if gone and os.environ.get("LB_NEED_READERS"):
        print("Bail out! absent: " + ", ".join(gone))
        raise SystemExit(99)
    return gone
