#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
The rounds of campaign.py once more with the records of the fabric in another order: the report must be the same, ids and
texts too. It takes the options of campaign.py; without any, rounds of both two and three levels are run.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign  # noqa: E402
import oracle  # noqa: E402


class Shuffled(campaign.Campaign):
    def ask(self, design, plan, fabric, text, truth):
        path = os.path.join(self.directory.name, "design.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(design, file)
        order = list(fabric.nodes)
        campaign.random.Random(len(text)).shuffle(order)
        # Where the sweep began stays the same: "# Initiated from node 0123… port 0123…".
        entry = int(text.split(b"# Initiated from node ")[1].split()[0], 16)
        reports = []
        for stdin in (text, fabric.write(order=order, entry=entry)):
            done = self.run_program(self.ftcheck, "--plan", path, "--from", "-", "--format", "json", stdin=stdin,
                                    statuses=(0, 1, 2))
            reports.append(json.loads(done.stdout))
        for key in reports[0]:
            if reports[0][key] != reports[1][key]:
                return "wrong", "in another order, \"%s\" differs" % key, reports[1]
        trouble = oracle.inconsistency(oracle.Plan.read(plan), fabric, reports[0])
        return ("wrong", trouble, reports[0]) if trouble else ("exact", "", reports[0])

    def count(self, verdict, words, truth, report):
        self.tally[verdict] += 1


def run(arguments):
    return Shuffled(campaign.read_options(arguments)).run()


if __name__ == "__main__":
    status = run(sys.argv[1:] or ["--rounds", "60"])
    if not sys.argv[1:]:
        status |= run(["--levels", "3", "--rounds", "40"])
    sys.exit(status)
