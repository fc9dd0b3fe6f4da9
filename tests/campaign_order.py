#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
The rounds of campaign.py once more with the records of the fabric in another order: the report must be the same, ids and
texts too. It takes the options of campaign.py; without any, rounds of both two and three levels are run, and those of
campaign_exact.py.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign  # noqa: E402
import campaign_exact  # noqa: E402
import oracle  # noqa: E402
from fabric import Fabric  # noqa: E402


def shuffled(text):
    """The fabric in another order; where the sweep began stays the same: "# Initiated from node 0123… port 0123…"."""
    fabric = Fabric.read(text)
    order = list(fabric.nodes)
    campaign.random.Random(len(text)).shuffle(order)
    entry = text.partition(b"# Initiated from node ")[2].split()
    return fabric.write(order=order, entry=int(entry[0], 16) if entry else None)


def differs(one, other):
    """The first member of two reports that is not the same, or None."""
    return next((key for key in one if one[key] != other[key]), None)


class Shuffled(campaign.Campaign):
    def ask(self, design, plan, fabric, text, truth):
        path = os.path.join(self.directory.name, "design.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(design, file)
        reports = []
        for stdin in (text, shuffled(text)):
            done = self.run_program(self.ftcheck, "--plan", path, "--from", "-", "--format", "json", stdin=stdin,
                                    statuses=(0, 1, 2))
            reports.append(json.loads(done.stdout))
        key = differs(*reports)
        if key:
            return "wrong", "in another order, \"%s\" differs" % key, reports[1]
        trouble = oracle.inconsistency(oracle.Plan.read(plan), fabric, reports[0])
        return ("wrong", trouble, reports[0]) if trouble else ("exact", "", reports[0])

    def count(self, verdict, words, truth, report):
        self.tally[verdict] += 1


class ShuffledExact(campaign_exact.Campaign):
    def ask(self, design, text):
        report, words = super().ask(design, text)
        if not report:
            return report, words
        other, words = super().ask(design, shuffled(text))
        key = other and differs(report, other)
        return (None, "in another order, \"%s\" differs" % key) if key else (other, words)


def run(arguments):
    return Shuffled(campaign.read_options(arguments)).run()


if __name__ == "__main__":
    status = run(sys.argv[1:] or ["--rounds", "60"])
    if not sys.argv[1:]:
        status |= run(["--levels", "3", "--rounds", "40"])
        status |= campaign_exact.run(["--rounds", "60"], ShuffledExact)
    sys.exit(status)
