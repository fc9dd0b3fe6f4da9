#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Plan + findings = observed in every row of the unit tests: runs them with FT_ACCOUNT (account.c), and asks oracle.py
about each report that they got.

Not asked are reports of another fabric than the plan's, of incomplete sweeps in which a switch is cut off, of fabrics
with two nodes of one GUID, and of plans in which a switch has an alias: which one is meant is up to the fabric. Hosts
are not looked at: rows leave them out as they please. What is plugged into the port of a planned cable accounts for
that cable.

  accounted.py [PROGRAM...]
"""
import collections
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import oracle  # noqa: E402
from fabric import Fabric  # noqa: E402

BUILD = os.environ.get("FT_BUILDDIR", ".")
PROGRAMS = ["test_verify", "test_levels", "test_exact", "test_repair", "test_islands"]
FEWEST = 20  # reports of a program, or it has not taken down what it verified
SHOWN = 5


def unaccounted(record):
    """(whether it was asked, what is not accounted for)"""
    report = record["report"]
    codes = {f["code"] for f in report["findings"]}
    plan, beside = record["plan"], record["beside"]
    plan = dict(plan, **{key: plan[key] + beside[key] for key in ("switches", "bundles")})
    strangers = record["strangers"] and any(r["planned_as"] is None for r in report["switches"])
    apart = "sweep-incomplete" in codes and any(r["status"] == "isolated" and r["guid"] for r in report["switches"])
    # Who is who was not found, and the report says so instead of listing faults.
    unplaced = any(f["code"] == "sweep-incomplete" and f["text"].startswith("which switch is which planned one was not")
                   for f in report["findings"])
    if codes & {"plan-foreign", "guid-duplicate"} or beside["aliases"] or strangers or apart or unplaced:
        return False, None
    try:
        fabric = Fabric.read_snapshot(record["snapshot"])
    except ValueError:
        return False, None
    return True, oracle.inconsistency(oracle.Plan.read(plan), fabric, report, hosts=False, intruders=True)


def account(program):
    """True where all is accounted for."""
    tally, seen = collections.Counter(), set()
    # What one program verifies is some hundred megabytes, and much of it the same.
    reading, writing = os.pipe()
    with subprocess.Popen([os.path.join(BUILD, "tests", program)], pass_fds=[writing], stdout=subprocess.DEVNULL,
                          env=dict(os.environ, FT_ACCOUNT="/dev/fd/%d" % writing), stderr=subprocess.DEVNULL) as test:
        os.close(writing)
        with open(reading, "rb") as lines:
            for line in lines:
                if hash(line) in seen:
                    continue
                seen.add(hash(line))
                record = json.loads(line)
                asked, words = unaccounted(record)
                tally["asked" if asked else "not asked"] += 1
                if words:
                    tally["wrong"] += 1
                    if tally["wrong"] <= SHOWN:
                        show(words, record["report"])
    print("%s: status %d, %d reports, %d accounted for, %d not, %d not asked" % (
        program, test.returncode, len(seen), tally["asked"] - tally["wrong"], tally["wrong"], tally["not asked"]))
    return test.returncode == 0 and not tally["wrong"] and tally["asked"] >= FEWEST


def show(words, report):
    print("  %s" % words)
    for finding in report["findings"][:12]:
        print("    %s x%d: %s" % (finding["code"], finding["count"], finding["text"][:200]))


def main(programs):
    return 0 if all([account(program) for program in programs or PROGRAMS]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
