#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
What is wrong with a real three-level fabric, computed from its dump alone, and whether a report says just that.

  selene_truth.py [--islands] DUMP REPORT

Pods and planes are what is connected between the leaves and the spines, and between the spines and the cores, told by
their names; a management island is left out, or (--islands) all right as it is, and planned. No cable of that fabric is astray, so every pair of a pod should have as
many cables as most of its pairs.
"""
import collections
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fabric import Fabric  # noqa: E402

TIERS = [("edge", rb"(?<!M)LG\d"), ("spine", rb"CSPINE"), ("core", rb"CCORE")]


def groups(fabric, lower, upper):
    """The connected parts of two tiers, as (lower GUIDs, upper GUIDs)."""
    both, seen = lower | upper, set()
    for start in sorted(both):
        if start in seen:
            continue
        part, todo = {start}, [start]
        while todo:
            for far, _ in fabric.nodes[todo.pop()].links.values():
                if far in both and far not in part:
                    part.add(far)
                    todo.append(far)
        seen |= part
        yield sorted(part & lower), sorted(part & upper)


class Truth:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.fabric = Fabric.read(file.read())
        self.tier = {}
        for node in self.fabric.switches():
            for tier, pattern in TIERS:
                if re.search(pattern, node.description):
                    self.tier[node.guid] = tier
        self.short = {}  # pair -> cables that are not there
        self.planned = 0
        self.sizes = {}
        for lower, upper in (("edge", "spine"), ("spine", "core")):
            self.look(self.of(lower), self.of(upper), lower)
        self.islanders = {n.guid for n in self.fabric.switches()} - set(self.tier)
        self.island_cables = sum(1 for a, _, b, _ in self.fabric.edges()
                                 if {a, b} & self.islanders and self.fabric.nodes[a].kind == "S"
                                 and self.fabric.nodes[b].kind == "S")
        self.hosts_on = collections.Counter(far for h in self.fabric.hosts() for far, _ in h.links.values())
        self.hosts = sum(self.hosts_on[g] for g in self.tier)

    def uplinks(self, guid, tier):
        """Cables of a switch to switches of that tier."""
        return sum(1 for far, _ in self.fabric.nodes[guid].links.values() if self.tier.get(far) == tier)

    def hops(self, counted):
        """Pairs of hosts on the switches @counted, by switches on the shortest way; breadth first, one by one."""
        pairs = collections.Counter()
        near = {n.guid: {far for far, _ in n.links.values() if self.fabric.nodes[far].kind == "S"}
                for n in self.fabric.switches()}
        for start in counted:
            chips, front = {start: 1}, [start]
            while front:
                coming = []
                for here in front:
                    for far in near[here]:
                        if far not in chips:
                            chips[far] = chips[here] + 1
                            coming.append(far)
                front = coming
            for far, distance in chips.items():
                if far in counted:
                    pairs[distance] += self.hosts_on[start] * (self.hosts_on[far] - (far == start))
        return {str(distance): count // 2 for distance, count in sorted(pairs.items()) if count}

    def of(self, tier):
        return {g for g, t in self.tier.items() if t == tier}

    def look(self, lower, upper, name):
        between = {g: [far for far, _ in self.fabric.nodes[g].links.values() if far in lower | upper]
                   for g in lower | upper}
        for low, high in groups(self.fabric, lower, upper):
            cables = {(a, b): between[a].count(b) for a in low for b in high}
            usual = collections.Counter(cables.values()).most_common(1)[0][0]
            self.sizes.setdefault(name, collections.Counter())[len(low), len(high), usual] += 1
            for pair, count in cables.items():
                self.planned += usual
                if count > usual:
                    raise SystemExit("%x and %x have more cables than others" % pair)
                if count < usual:
                    self.short[tuple(sorted(pair))] = usual - count


def known_figures(truth, expect):
    """What the README beside the dump says of it."""
    up = [truth.uplinks(g, "spine") for g in truth.of("edge")]
    expect("leaves by uplinks", dict(collections.Counter(up)), {20: 187, 19: 13})
    up = [truth.uplinks(g, "core") for g in truth.of("spine")]
    expect("spines by cables to cores", dict(collections.Counter(up)), {14: 305, 13: 14, 12: 1})


def compare_islands(truth, report, rows, expect):
    count = len(truth.islanders)
    expect("islands", report["counts"]["islands"],
           {"planned": count, "found": count, "ok": count, "degraded": 0, "missing": 0})
    for guid in truth.islanders:
        links = truth.fabric.nodes[guid].links.values()
        cables = sum(1 for far, _ in links if truth.fabric.nodes[far].kind == "S")
        expect("island switch %x" % guid, [rows[guid][k] for k in ("tier", "status", "uplinks", "hosts")],
               ["island", "ok", {"planned": cables, "up": cables}, truth.hosts_on[guid]])


def compare(truth, report, islands):
    complaints = []

    def expect(what, is_, should):
        if is_ != should:
            complaints.append("%s: is %s, should be %s" % (what, is_, should))

    said, others = {}, collections.Counter()
    for finding in report["findings"]:
        if finding["code"] != "cable-missing":
            others[finding["code"]] += 1
            continue
        said[tuple(sorted({int(p["guid"], 16) for p in finding["where"]}))] = finding["count"]
        for place in finding["where"]:
            if place["port"] in truth.fabric.nodes[int(place["guid"], 16)].links:
                complaints.append("%s port %d is called missing and is cabled" % (place["guid"], place["port"]))
    for pair in sorted(set(said) | set(truth.short)):
        expect("cables missing between %x and %x" % pair, said.get(pair, 0), truth.short.get(pair, 0))
    expect("other findings", dict(others), {})

    if os.path.basename(truth.path) == "selene.compute.txt":
        known_figures(truth, expect)
    counted = set(truth.tier) | (truth.islanders if islands else set())
    hosts = sum(truth.hosts_on[g] for g in counted)
    planned = truth.planned + (truth.island_cables if islands else 0)
    missing, counts = sum(truth.short.values()), report["counts"]
    expect("uplinks", counts["uplinks"], {"planned": planned, "up": planned - missing, "missing": missing,
                                          "misplaced": 0, "unplanned": 0, "slow": 0})
    expect("hosts found", counts["hosts"]["found"], hosts)
    rows = {int(r["guid"], 16): r for r in report["switches"] if r["guid"]}
    degraded = {g for pair in truth.short for g in pair}
    for tier, _ in TIERS:
        mine = truth.of(tier)
        expect(tier + " counts", [counts[tier][k] for k in ("planned", "found", "ok", "degraded")],
               [len(mine), len(mine), len(mine - degraded), len(mine & degraded)])
    for guid, tier in truth.tier.items():
        expect("tier of %x" % guid, rows[guid]["tier"], tier)
        expect("status of %x" % guid, rows[guid]["status"], "degraded" if guid in degraded else "ok")
    hops = truth.hops({g for g in counted if truth.hosts_on[g]})
    expect("hops", report["hops"]["found"], hops)
    expect("pairs planned", sum(report["hops"]["planned"].values()), hosts * (hosts - 1) // 2)
    expect("pairs without a way", report["hops"]["unreachable"], 0)
    farthest = max(int(n) for n in hops)
    expect("clos", report["clos"], {"planned": farthest, "found": farthest})
    if islands:
        compare_islands(truth, report, rows, expect)
    expect("verdict", report["verdict"], "warning" if truth.short else "ok")
    return complaints


def main(arguments):
    islands = arguments[:1] == ["--islands"]
    arguments = arguments[islands:]
    if len(arguments) != 2:
        sys.exit(__doc__)
    truth = Truth(arguments[0])
    with open(arguments[1], encoding="utf-8") as file:
        complaints = compare(truth, json.load(file), islands)
    for complaint in complaints:
        print("  " + complaint)
    for tier, sizes in truth.sizes.items():
        print("  dump: from the %s level: %s" % (tier, ", ".join("%d groups of %d x %d by %d" % ((n,) + size)
                                                                  for size, n in sorted(sizes.items()))))
    print("  dump: %d pairs short of %d cables" % (len(truth.short), sum(truth.short.values())))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
