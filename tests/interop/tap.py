# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks as TAP, and a folder for their files that goes with the program."""
import atexit
import os
import shutil
import sys
import tempfile

TMP = tempfile.mkdtemp(prefix="loadbank-interop-")
atexit.register(shutil.rmtree, TMP)
checks = failed = 0


def ok(good, text):
    global checks, failed
    checks += 1
    failed += not good
    print("%sok %d - %s" % ("" if good else "not ", checks, text))


def skip(text):
    ok(True, "# SKIP " + text)


def at(name):
    """The path of a file in the folder."""
    return os.path.join(TMP, name)


def run(main):
    """Ends the program: with the plan, and with 1 if a check failed."""
    main()
    print("1..%d" % checks)
    sys.exit(failed != 0)
