#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
ftcheck --after of degraded fabrics of every family that is no tree: what it says of one and of two more failures, against
all of them tried one by one here.

  after.py [--seed N] [--pulled N]
"""
import argparse
import collections
import fractions
import itertools
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import degraded  # noqa: E402
import results  # noqa: E402

FIGURES = ("edges_isolated", "hosts_cut_off", "clos", "mean_hops", "pairs_cut_off")


class Network:
    """Switches with hosts, and cables, of which some fail."""

    def __init__(self, plan):
        self.hosts = {s["name"]: s["hosts"] for s in plan["switches"]}
        self.cables = [(b["a"], b["b"]) for b in plan["bundles"] for _ in range(b["count"])]

    def parts(self, dead, cables):
        """Switches that reach each other, as lists of (switch, distances from it)."""
        near = collections.defaultdict(set)
        for a, b in cables:
            if a not in dead and b not in dead:
                near[a].add(b)
                near[b].add(a)
        far = {}
        for name in self.hosts:
            if name in dead:
                continue
            steps, edge = {name: 0}, [name]
            for at in edge:
                for to in sorted(near[at]):
                    if to not in steps:
                        steps[to] = steps[at] + 1
                        edge.append(to)
            far[name] = steps
        return far

    def figures(self, dead=frozenset(), gone=frozenset()):
        far = self.parts(dead, [c for i, c in enumerate(self.cables) if i not in gone])
        largest = max(far.values(), key=lambda steps: (len(steps), sum(self.hosts[n] for n in steps)))
        lost = [n for n, hosts in self.hosts.items() if hosts and n not in largest]
        total = sum(self.hosts.values())
        pairs, chips, farthest = 0, 0, 0
        for a, b in itertools.combinations_with_replacement(sorted(self.hosts), 2):
            count = self.hosts[a] * self.hosts[b] if a != b else self.hosts[a] * (self.hosts[a] - 1) // 2
            if count and a in far and b in far[a]:
                pairs += count
                chips += count * (far[a][b] + 1)
                farthest = max(farthest, far[a][b] + 1)
        return {"edges_isolated": len(lost), "hosts_cut_off": sum(self.hosts[n] for n in lost), "clos": farthest,
                "mean_hops": chips / pairs if pairs else 0, "pairs_cut_off": total * (total - 1) // 2 - pairs}

    def after(self, kind, count):
        """(worst, mean) of every way in which so many fail."""
        items = sorted(self.hosts) if kind == "switch" else range(len(self.cables))
        ways = [self.figures(**{"dead" if kind == "switch" else "gone": frozenset(way)})
                for way in itertools.combinations(items, count)]
        return ({f: max(w[f] for w in ways) for f in FIGURES}, {f: sum(w[f] for w in ways) / len(ways) for f in FIGURES})


def differences(said, expected):
    return ["%s is %s, expected %s" % (f, said[f], float(expected[f])) for f in FIGURES
            if abs(float(fractions.Fraction(str(said[f]).replace(":", "/"))) - expected[f]) > 0.001 * max(1, expected[f])]


def family(rng, name, keys, pulled):
    design, plan, fabric = degraded.planned(keys)
    network = Network(degraded.degrade(rng, fabric, plan, pulled))
    for count in (1, 2):
        for row in degraded.ftcheck(design, fabric, "--after", str(count))["after"]:
            worst, mean = network.after(row["kind"], count)
            wrong = differences(row["worst"], worst) + ["mean " + w for w in differences(row["mean"], mean)]
            results.result("%s: after %d of %s" % (name, count, row["kind"]), not wrong and row["fail"] == count, *wrong,
                           row)


def main():
    parser = argparse.ArgumentParser(description="What --after foretells, against trying all failures.")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--pulled", type=int, default=2, help="cables that are missing; default: 2")
    options = parser.parse_args()
    print("seed %s" % options.seed)
    for name, keys in degraded.FAMILIES.items():
        if "levels" not in name:
            family(random.Random("%s/%s" % (options.seed, name)), name, keys, options.pulled)
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
