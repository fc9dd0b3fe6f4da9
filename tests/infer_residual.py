#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
What an inferred graph plans and the fabric does not have, or the other way round: one line a pair of switches. The
design is expanded here, and the dump of ibnetdiscover read here, so that nothing of the programs is trusted.

  infer_residual.py DESIGN DUMP    status 0 where the two are one
"""
import collections
import itertools
import json
import re
import sys


def expand(name):
    """The names that "leaf[01-03,7]" stands for."""
    match = re.search(r"\[([0-9,-]+)\]", name)
    if not match:
        return [name]
    names = []
    for part in match.group(1).split(","):
        first, _, last = part.partition("-")
        for number in range(int(first), int(last or first) + 1):
            names += expand("%s%0*d%s" % (name[:match.start()], len(first), number, name[match.end():]))
    return names


def names_of(value):
    return [name for text in (value if isinstance(value, list) else [value]) for name in expand(text)]


class Plan:
    """switches: name -> its entry; links: frozenset of two names -> cables"""

    def __init__(self, design):
        self.switches = {}
        self.links = collections.Counter()
        for entry in design["switches"]:
            for name in names_of(entry["name"]):
                assert name not in self.switches, name
                self.switches[name] = entry
        for entry in design["links"]:
            pairs = {frozenset(pair) for pair in itertools.product(names_of(entry["a"]), names_of(entry["b"]))}
            for pair in pairs:
                if len(pair) == 2:
                    assert all(name in self.switches for name in pair), pair
                    self.links[pair] += entry["count"]


class Fabric:
    """names: switch id -> description; links: frozenset of two ids -> cables; hosts: id -> host ports"""

    def __init__(self, text):
        self.names, self.links, self.hosts = {}, collections.Counter(), collections.Counter()
        here = None
        for line in text.splitlines():
            switch = re.match(r'Switch\s*(\d+)\s*"S-([0-9a-f]+)"\s*#\s*"(.*)"', line)
            if switch:
                here = int(switch.group(2), 16)
                self.names[here] = switch.group(3).strip()
            elif not line or line.startswith(("Ca", "Rt")):
                here = None
            far = re.match(r'\[(\d+)\]\s*"([SHR])-([0-9a-f]+)"\[(\d+)\]', line)
            if far and here is not None:
                there = int(far.group(3), 16)
                if far.group(2) == "H":
                    self.hosts[here] += "Aggregation Node" not in line
                elif far.group(2) == "S" and there != here:
                    self.links[frozenset((here, there))] += 1
        self.links = collections.Counter({pair: count // 2 for pair, count in self.links.items()})


def short(name):
    match = re.match(r"MF0;([^:]+):", name)
    return (match.group(1) if match else name).strip().lower()


def ids_of(plan, fabric):
    """name in the plan -> switch id, by GUID and by name; without planned switches that nobody saw"""
    by_name = collections.defaultdict(list)
    for number, name in fabric.names.items():
        by_name[short(name)].append(number)
    ids = {}
    for name, entry in plan.switches.items():
        found = [int(entry["guid"], 16)] if "guid" in entry else by_name[name.lower()]
        assert len(found) <= 1, (name, found)
        if found:
            ids[name] = found[0]
    return ids


def residual(design, text):
    """[(name, name, planned, seen)] where these differ"""
    plan, fabric = Plan(design), Fabric(text)
    ids = ids_of(plan, fabric)
    names = {number: name for name, number in ids.items()}
    assert set(names) == set(fabric.names), "switches that are not planned"
    planned = {frozenset(ids[name] for name in pair): count for pair, count in plan.links.items()
               if all(name in ids for name in pair)}
    return sorted((*sorted(names[number] for number in pair), planned.get(pair, 0), fabric.links[pair])
                  for pair in set(planned) | set(fabric.links) if planned.get(pair, 0) != fabric.links[pair])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        design = json.load(file)
    with open(sys.argv[2], encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    if design.get("topology") != "graph":
        print("  a %s" % design.get("topology"))
        return 0
    rows = residual(design, text)
    for row in rows:
        print("  %s - %s: planned %d, seen %d" % row)
    return 1 if rows else 0


if __name__ == "__main__":
    sys.exit(main())
