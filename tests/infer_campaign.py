#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Random designs, built, broken and disguised as in campaign.py; then the design is inferred from what is left, and ftcheck
with it must find what it finds with the true one, or what was broken.

Hosts are not compared one by one: how many there should be where nobody saw them is not to be known. A switch that is off
leaves no trace in a plain dump unless the ports of all the others are wired alike; such a round counts as "untold", and
all other findings must agree. One round is

  exact    the findings are those that were broken;
  same     they are those that ftcheck has with the true design, which reads the faults another way;
  untold   as one of these, but for switches that nobody saw and that left no trace: the design is without them;
  missed   as one of these, but for some faults that are planned as they were seen: nothing that is found is false;
  wrong    anything else, and a refusal.

A false finding costs more trust than one that is missed, so fewer rounds may have any.

  infer_campaign.py [--levels 2|3] [--seed N] [--rounds N] [--replay SEED:ROUND] [--keep DIR]
"""
import argparse
import collections
import json
import os
import random
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign  # noqa: E402
import infer_residual  # noqa: E402
import oracle  # noqa: E402

EDGES_MIN = 4
CORES_MIN = 2
# In a small fabric three faults may leave no majority to go by.
WRONG_SHARE, MISSED_SHARE = 30, 20
UNSEEN = {"core-missing", "edge-isolated"}
# With hosts nobody can say how many are planned, and what is too many.
NOT_COMPARED = campaign.HOSTS | {"edge-overloaded"}


class Inference(campaign.Campaign):
    def __init__(self, options):
        super().__init__(options)
        self.infer = [self.ftplan, "--infer"]

    def draw(self, rng):
        while True:
            design, plan, net = super().draw(rng)
            if plan["edge"]["count"] >= EDGES_MIN and plan["core"]["count"] >= CORES_MIN:
                return design, plan, net

    def round(self, number):
        rng = random.Random("%d:%d" % (self.options.seed, number))
        design, plan, net = self.draw(rng)
        broken, entry = self.break_fabric(rng, plan, net)
        fabric, truth, guids = campaign.disguise(rng, broken.fabric, broken.truth())
        text = fabric.write(entry=guids[entry])
        path = os.path.join(self.directory.name, "fabric")
        with open(path, "wb") as file:
            file.write(text)
        verdict, words, inferred, report = self.compare(plan, design, text, path, truth)
        self.tally[verdict] += 1
        for kind in broken.kinds:
            self.faults[kind] += 1
        if verdict == "wrong" or self.options.replay:
            self.show(number, verdict, words, broken.kinds, truth, report, design, text)
            if inferred is not None:
                print("  inferred: %s" % json.dumps({k: v for k, v in inferred.items() if k != "bind"}, indent=1))
        return verdict

    def break_fabric(self, rng, plan, net):
        while True:
            broken = campaign.Broken(rng, plan, campaign.Fabric.read(net))
            if rng.random() < 0.2:
                campaign.add_aggregation(broken.fabric)
            broken.break_it(rng.choices([0, 1, 2, 3], [1, 4, 4, 3])[0])
            entry = self.entry(rng, broken)
            if len(broken.fabric.reachable(entry)) == len(broken.fabric.nodes):
                return broken, entry

    def check(self, design, path):
        done = self.run_program(self.ftcheck, "--plan", "-", "--from", path, "--format", "json",
                                stdin=json.dumps(design).encode(), statuses=(0, 1, 2))
        return json.loads(done.stdout)

    def unaccounted(self, inferred, text, report):
        """What the inferred plan and the findings do not account for; None if there is nothing. Islands are in no plan."""
        if "islands" in inferred:
            return None
        done = self.run_program(self.ftplan, "-", "--format", "json", stdin=json.dumps(inferred).encode())
        plan = oracle.Plan.read(json.loads(done.stdout)["plan"])
        return oracle.inconsistency(plan, campaign.Fabric.read(text), report, hosts=False)

    def compare(self, plan, design, text, path, truth):
        """(class, words, inferred design, its report)"""
        done = self.run_program(*self.infer, path, statuses=(0, 3))
        if done.returncode != 0:
            return "wrong", done.stderr.decode(errors="replace").strip(), None, None
        inferred = json.loads(done.stdout)
        report = self.check(inferred, path)
        trouble = self.unaccounted(inferred, text, report)
        if trouble:
            return "wrong", "by the inferred design, " + trouble, inferred, report
        found = keys([campaign.Judge.read(f) for f in report["findings"]])
        with_true = keys([campaign.Judge.read(f) for f in self.check(design, path)["findings"]])
        broken = keys(truth)
        for name, expected in (("exact", broken), ("same", with_true)):
            if found == expected:
                return name, "", inferred, report
        unseen = collections.Counter(f.code for f in truth if f.code in UNSEEN)
        edges, above = tiers(inferred)
        short = {"core-missing": sum(s["tier"] != "edge" for s in plan["switches"]) - above,
                 "edge-isolated": plan["edge"]["count"] - edges}
        if any(unseen.values()) and all(0 <= short[code] <= unseen[code] for code in UNSEEN):
            left = [f for f in truth if f.code not in UNSEEN]
            seen = collections.Counter({k: v for k, v in found.items() if k[0] not in UNSEEN})
            told = sum(v for k, v in found.items() if k[0] in UNSEEN)
            true_left = collections.Counter({k: v for k, v in with_true.items() if k[0] not in UNSEEN})
            if seen in (keys(left), true_left) and told + sum(short.values()) == sum(unseen.values()):
                return "untold", "", inferred, report
        return "wrong" if found - broken else "missed", "lost %s, false %s, with the true design %s" % (
            sorted(map(str, (broken - found))), sorted(map(str, (found - broken))),
            "as was broken" if with_true == broken else sorted(map(str, with_true - broken))), inferred, report

    def run(self):
        print("infer: seed %d, %d rounds" % (self.options.seed, self.options.rounds))
        start = time.monotonic()
        for number in self.numbers():
            self.round(number)
        print("infer: faults: %s" % ", ".join("%s %d" % item for item in sorted(self.faults.items())))
        print("infer: seed %d: %d exact, %d same, %d untold, %d missed, %d wrong in %.1f s" % (
            self.options.seed, self.tally["exact"], self.tally["same"], self.tally["untold"], self.tally["missed"],
            self.tally["wrong"], time.monotonic() - start))
        return 1 if (self.tally["wrong"] > self.options.rounds // WRONG_SHARE or
                     self.tally["missed"] > self.options.rounds // MISSED_SHARE) else 0


def tiers(design):
    """How many switches are planned for hosts, and how many above."""
    if design["topology"] != "graph":
        above = design.get("core", {"count": 0})["count"] + design.get("spine", {"count": 0})["count"]
        return design["edge"].get("count", 1), above
    kinds = collections.Counter(entry["kind"] for entry in infer_residual.Plan(design).switches.values())
    return kinds["leaf"], sum(kinds.values()) - kinds["leaf"]


def keys(findings):
    return collections.Counter(f.key for f in findings if f.code not in NOT_COMPARED)


def main():
    parser = argparse.ArgumentParser(description="Infers random broken fabrics, and checks them by what was inferred.")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("FT_SEED", "1")), help="default: 1; 0: of the clock")
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("FT_RUNS", "60")))
    parser.add_argument("--levels", type=int, choices=[2, 3], default=2)
    parser.add_argument("--replay", metavar="SEED:ROUND", help="one round again, in full")
    parser.add_argument("--keep", metavar="DIR", help="where wrong rounds are kept")
    parser.add_argument("--size", choices=["small", "all"], default="all")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the designs that ftplan refuses")
    parser.set_defaults(across=False)
    options = parser.parse_args()
    if options.replay:
        options.seed = int(options.replay.split(":")[0])
    if options.seed == 0:
        options.seed = int(time.time()) % 1000000
    options.keep = options.keep or tempfile.mkdtemp(prefix="ftcheck-infer.")
    sys.exit(Inference(options).run())


if __name__ == "__main__":
    main()
