# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What tests of whole programs in Python have in common: a line for each result, and files of their own."""
import atexit
import os
import tempfile
import time

FTCHECK, FTPLAN = (os.path.join(os.environ["FT_BUILDDIR"], name) for name in ("ftcheck", "ftplan"))
failed = 0
_work = tempfile.TemporaryDirectory()
atexit.register(_work.cleanup)


def result(what, good, *said):
    """Says whether @what is @good, and else what was @said instead."""
    global failed
    print("%s - %s" % ("ok" if good else "not ok", what))
    if not good:
        failed += 1
        for line in said:
            print("  %s" % (str(line)[:400],))


def write(name, data):
    """A file of that name; returns its path."""
    path = os.path.join(_work.name, name)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return path


def status():
    """The exit status of the test."""
    return int(failed > 0)


def until(ready, what, seconds):
    """Asks again until it is @ready; who waits for longer than that is told for @what."""
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise RuntimeError("waited too long for %s" % what)
        time.sleep(0.02)
