#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Whether oracle.py can say no: reports of campaign rounds, each spoiled in one way, must be inconsistent.

A report that holds is spoiled by dropping a finding, counting one cable more, naming another port, calling a missing
cable that of another pair, and exchanging who is who of two switches with unlike cables. Of graphs, the reports are made
up from what was broken, so that they are right whatever ftcheck says.

  test_oracle.py [--seed N] [--rounds N]
"""
import argparse
import collections
import copy
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign  # noqa: E402
import campaign_directors  # noqa: E402
import campaign_exact  # noqa: E402
import campaign_graph  # noqa: E402
import graphs  # noqa: E402
import oracle  # noqa: E402
from fabric import Fabric  # noqa: E402

# Findings about cables and switches: without one of them, the rest explains less than what was observed.
STRUCTURE = {"cable-missing", "cable-misplaced", "cables-swapped", "cable-unplanned", "cable-wrong-port", "loopback",
             "core-missing", "edge-isolated", "switch-unplanned", "board-missing"}


def dropped(report):
    for i, finding in enumerate(report["findings"]):
        if finding["code"] in STRUCTURE:
            spoiled = copy.deepcopy(report)
            del spoiled["findings"][i]
            yield "without %s" % finding["code"], spoiled


def miscounted(report):
    for i, finding in enumerate(report["findings"]):
        if finding["code"] in STRUCTURE & (oracle.NAMED | {"cable-missing"}):
            spoiled = copy.deepcopy(report)
            spoiled["findings"][i]["count"] += 1
            yield "%s of one more" % finding["code"], spoiled


def elsewhere(report):
    for i, finding in enumerate(report["findings"]):
        if finding["code"] in oracle.NAMED:
            spoiled = copy.deepcopy(report)
            spoiled["findings"][i]["where"][0]["port"] += 1
            yield "%s in another port" % finding["code"], spoiled
        if finding["code"] == "cable-missing":
            spoiled = copy.deepcopy(report)
            others = [r["guid"] for r in report["switches"] if r["guid"] and r["status"] == "ok"]
            for place in spoiled["findings"][i]["where"][1:]:
                place["guid"] = others[0] if others else place["guid"]
            if others:
                yield "cable-missing at another switch", spoiled


def exchanged(report):
    rows = [i for i, r in enumerate(report["switches"]) if r["planned_as"] and r["guid"]]
    kinds = collections.defaultdict(list)
    for i in rows:
        kinds[report["switches"][i]["tier"]].append(i)
    if len(kinds) > 1:
        spoiled = copy.deepcopy(report)
        a, b = (spoiled["switches"][group[0]] for group in list(kinds.values())[:2])
        a["planned_as"], b["planned_as"] = b["planned_as"], a["planned_as"]
        yield "switches of two tiers exchanged", spoiled


class Spoiling:
    """Mixed into a campaign: its rounds are for their reports only."""

    def spoil(self, plan, fabric, report):
        if report is None or oracle.inconsistency(plan, fabric, report):
            self.unusable += 1
            return
        for way in (dropped, miscounted, elsewhere, exchanged):
            for words, spoiled in way(report):
                self.tried[words] += 1
                if oracle.inconsistency(plan, fabric, spoiled) is None:
                    self.believed.append(words)


class Trees(Spoiling, campaign.Campaign):
    unusable = 0

    def ask(self, design, plan, fabric, text, truth):
        verdict, words, report = super().ask(design, plan, fabric, text, truth)
        self.spoil(oracle.Plan.read(plan), fabric, report)
        return verdict, words, report


class Ports(Spoiling, campaign_exact.Campaign):
    unusable = 0

    def ask(self, design, text):
        report, words = super().ask(design, text)
        self.spoil(self.intended, Fabric.read(text), report)
        return report, words


class Chips(Spoiling, campaign_directors.Campaign):
    unusable = 0

    def ask(self, design, text):
        report, words = super().ask(design, text)
        # Without names, which chip is on which board is not told, and traces are not looked at.
        if b"MT Switch" not in text:
            self.spoil(self.intended, Fabric.read(text), report)
        return report, words


class Graphs(Spoiling, campaign_graph.Campaign):
    unusable = 0

    def round(self, number):
        rng = random.Random("oracle:%d:%d" % (self.options.seed, number))
        graph = graphs.draw(rng, list(graphs.FAMILIES))
        broken, _ = self.break_fabric(rng, graph, True)
        masked = campaign_graph.Masked(rng, broken, rng.choice(list(campaign_graph.NAMES)))
        self.spoil(graph.plan(), masked.fabric, ideal(broken, masked))


def ideal(broken, masked):
    """The report that says just what was broken."""
    rows = [{"guid": "0x%016x" % masked.guids[g] if g not in broken.dead else None, "planned_as": name,
             "tier": broken.plan.kinds[name], "status": "missing" if g in broken.dead else "ok"}
            for g, name in broken.name.items()]
    strays = [n.guid for n in broken.fabric.switches() if n.guid not in broken.name]
    rows += [{"guid": "0x%016x" % masked.guids[g], "planned_as": None, "tier": None, "status": "unplanned"} for g in strays]
    findings = []
    for finding in masked.truth:
        where = [{"guid": "0x%016x" % g, "port": p} for g, p in finding.places]
        findings.append({"id": finding.code, "code": finding.code, "where": where, "count": finding.count,
                         "expected": "", "symptoms": [],
                         "observed": " ".join(set(masked.fabric.nodes[g].rates.get(p) or "" for g, p in finding.places))})
    return {"switches": rows, "findings": findings}


def main():
    parser = argparse.ArgumentParser(description="Spoiled reports, and whether oracle.py believes them.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    failed = 0
    for kind, read, more in ((Trees, campaign.read_options, []), (Trees, campaign.read_options, ["--levels", "3"]),
                             (Ports, campaign_exact.read_options, []), (Chips, campaign_exact.read_options, []),
                             (Graphs, campaign_graph.read_options, [])):
        rounds = kind(read(more + ["--seed", str(options.seed), "--rounds", str(options.rounds)]))
        rounds.tried, rounds.believed = collections.Counter(), []
        rounds.rounds()
        believed = collections.Counter(rounds.believed)
        print("%s: %d reports spoiled in %d ways, %d believed, %d rounds unusable" % (
            " ".join([kind.__name__.lower()] + more), sum(rounds.tried.values()), len(rounds.tried),
            len(rounds.believed), rounds.unusable))
        for words, count in sorted(believed.items()):
            print("  believed: %s: %d of %d" % (words, count, rounds.tried[words]))
        failed += len(rounds.believed) + (rounds.unusable > options.rounds // 10) + (len(rounds.tried) < 8)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
