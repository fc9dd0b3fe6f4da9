#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
ftcheck --build while a fabric is cabled rack by rack, held against what was done to each planned cable: laid, forgotten, slow,
with fewer lanes, in a wrong port, on a wrong switch, on a wrong rail, pulled again; and mended later.

  build_truth.py [--seed N] [--rounds N] [--steps N]

What nothing can tell is not demanded. A cable that is in the planned ports of two others, an end in each, is one of these; if only
one of them is due, that one. Where the plan gives no ports, only the number of cables between two switches tells. A cable whose
other switch was not seen yet may belong anywhere.
"""
import argparse
import collections
import csv
import datetime
import io
import json
import os
import random
import re
import subprocess
import sys

import results
from build_timeline import Network, run
from results import FTCHECK, FTPLAN, result, write

DUES = ("2026-06-10", "2026-06-20", "2026-06-30")
GONE = ("missing", "not-due")


def designs():
    """Each with the switches of its three phases."""
    hosts = [{"name": "n%02d" % (8 * unit + i), "edge": "edge%03d" % (4 * unit + rail + 1), "adapter": "mlx5_%d" % rail, "port": i}
             for unit in range(4) for rail in range(4) for i in range(1, 9)]
    yield ({"name": "tree", "nodes": 144, "edge": {"ports": 24}, "core": {"ports": 36}},
           ["edge[001-004]", "edge[005-008]", "edge[009-012]"])
    yield ({"name": "levels", "levels": 3, "nodes": 128, "edge": {"ports": 8}, "spine": {"ports": 8}, "core": {"ports": 8}},
           ["edge[001-008]", "edge[009-024]", "edge[025-032]"])
    yield ({"name": "rails", "topology": "fat-tree", "nodes": 128, "edge": {"ports": 16, "count": 16}, "core": {"ports": 36},
            "hosts": hosts}, ["edge[001-004]", "edge[005-008]", "edge[009-016]"])
    yield ({"name": "torus", "topology": "torus", "dims": [4, 4, 4], "bundle": 2, "edge": {"ports": 36, "ports_to_nodes": 4}},
           [["sw-%d-%d-[0-3]" % (x, y) for y in range(4)] for x in range(3)])
    yield ({"name": "dragonfly", "topology": "dragonfly", "groups": 9, "group": {"routers": 4, "global": 2},
            "edge": {"ports": 16, "ports_to_nodes": 2}},
           [["g%d-r[0-3]" % (3 * part + g) for g in range(3)] for part in range(3)])


def expand(names):
    found = set()
    for name in names if isinstance(names, list) else [names]:
        span = re.match(r"(.*)\[(\d+)-(\d+)\](.*)$", name)
        found |= {span[1] + str(n).zfill(len(span[2])) + span[4] for n in range(int(span[2]), int(span[3]) + 1)} \
            if span else {name}
    return found


class Cabling:
    """The planned cables, what is plugged in now, and what was done wrong."""

    def __init__(self, design, path, rng):
        self.rng, self.design, self.exact, self.path = rng, design, "cables" in design, path
        self.network = Network(path)
        self.rows = list(csv.DictReader(io.StringIO(subprocess.run([FTPLAN, path, "--format", "cables"], check=True,
                                                                   capture_output=True, text=True).stdout)))
        node_of, far = {name: node for node, name in self.network.names.items() if node.startswith("S")}, {}
        for a, b in self.network.links:
            far[a], far[b] = b, a
        self.ends = [(far[end], end) for end in ((node_of[row["b"]], int(row["b_port"])) for row in self.rows)]
        self.wire_at = {end: i for i, ends in enumerate(self.ends) for end in ends}
        self.plugs, self.rates, self.laid = {}, {}, {}
        self.faults = {}  # by cable: its state, and the end of it that stayed in its port
        racks = [max(row["a_rack"], row["b_rack"]) for row in self.rows]
        self.order = sorted(range(len(self.rows)),
                            key=lambda i: (racks[i] if rng.random() < 0.9 else rng.choice(racks), rng.random()))
        self.first = next(i for i in self.order if self.is_host(i))
        self.order.sort(key=lambda i: i != self.first)
        parts = [expand(phase["switches"]) for phase in design.get("phases", [])]
        self.due = [max([DUES[p] for p, part in enumerate(parts) for name in self.switches(i) if name in part], default="")
                    for i in range(len(self.rows))]

    def is_host(self, wire):
        return self.rows[wire]["kind"] == "host"

    def switches(self, wire):
        return [self.rows[wire][end] for end in ("b" if self.is_host(wire) else "ab")]

    def join(self, a, b, rate=None):
        self.plugs[a], self.plugs[b] = b, a
        if rate:
            self.rates[a] = rate

    def part(self, a):
        for end in (a, self.plugs.pop(a)):
            self.rates.pop(end, None)
            self.plugs.pop(end, None)

    def free(self, node):
        ports = int(re.match(r"\w+\s+(\d+)", self.network.heads[node])[1])
        return [(node, port) for port in range(1, ports + 1) if (node, port) not in self.plugs]

    def others(self, node, wire):
        """Switches that are called like this one; for a host those of other rails' units."""
        kind, names = re.sub(r"\d.*", "", self.network.names[node]), self.network.names
        unit = lambda n: (int(names[n][4:]) - 1) // 4
        return [n for n in names if n.startswith("S") and n != node and re.sub(r"\d.*", "", names[n]) == kind and
                not (self.is_host(wire) and unit(n) == unit(node)) and n not in (end[0] for end in self.ends[wire])]

    def wrong(self, wire, state):
        """Lays the cable that way, if that is possible."""
        a, b = self.ends[wire]
        host, listed = self.is_host(wire), "hosts" in self.design
        keep, move = (a, b) if host or self.rng.random() < 0.5 else (b, a)
        at = []
        if state == "missing":
            self.faults[wire] = (state, None)
        elif state in ("half", "slow"):
            self.join(a, b, "1xHDR" if state == "half" else "4xSDR")
            self.faults[wire] = (state, a)
        elif state == "wrong-port" and not host and self.exact:
            at = [end for end in self.free(move[0]) if end != move]
        elif state == "wrong-switch" and (listed or not host):
            at = [end for node in self.others(move[0], wire) for end in self.free(node)]
        elif state == "wrong-rail" and host and listed:
            return self.cross(wire)
        if at:
            self.join(keep, self.rng.choice(at))
            self.faults[wire] = (state, keep)
        return wire in self.faults

    def cross(self, wire):
        """The cables of two adapters of one host change their leaves."""
        a, b = self.ends[wire]
        name = self.rows[wire]["a"].split()[0]
        for other in self.order:
            c, d = self.ends[other]
            if not self.is_host(other) or other == wire or self.laid.get(other) or self.rows[other]["a"].split()[0] != name or \
                    c in self.plugs or d in self.plugs or b in self.plugs:
                continue
            self.join(a, d)
            self.join(c, b)
            self.faults[wire], self.faults[other] = ("wrong-rail", a), ("wrong-rail", c)
            self.laid[other] = True
            return True
        return False

    def lay(self, wire, mistakes):
        a, b = self.ends[wire]
        if a in self.plugs or b in self.plugs:
            return
        self.laid[wire] = True
        if wire == self.first or self.rng.random() >= mistakes or not self.wrong(wire, self.rng.choice(
                ("missing", "half", "slow", "wrong-port", "wrong-port", "wrong-switch", "wrong-switch", "wrong-rail"))):
            self.join(a, b)

    def mend(self, wire):
        _, keep = self.faults.pop(wire)
        if keep:
            self.part(keep)
        self.laid[wire] = False
        self.lay(wire, 0)

    def step(self, number, count):
        last = number > count - 3
        for wire in list(self.faults):
            if last or self.rng.random() < 0.2:
                self.mend(wire)
        for wire in self.order[:int(len(self.order) * number / (0.85 * count)) + 1]:
            if not self.laid.get(wire):
                self.lay(wire, 0 if last else 0.08)
        laid = [wire for wire, is_laid in self.laid.items() if is_laid and wire not in self.faults and wire != self.first]
        if not last and laid and self.rng.random() < 0.5:
            wire = self.rng.choice(laid)
            self.part(self.ends[wire][0])
            self.faults[wire] = ("missing", None)

    def seen(self):
        seen, todo = set(), [self.ends[self.first][0][0]]
        ends = collections.defaultdict(list)
        for a, b in self.plugs.items():
            ends[a[0]].append(b[0])
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo += ends[node]
        return seen

    def dump(self):
        return self.network.dump([(a, b) for a, b in self.plugs.items() if a < b], self.rates,
                                 self.ends[self.first][0][0])

    def truth(self, day, seen):
        """By cable the states that it may have."""
        states = []
        for wire, (a, b) in enumerate(self.ends):
            gone = "missing" if self.due[wire] < day else "not-due"
            state, keep = self.faults.get(wire, ("right", a)) if self.laid.get(wire) else ("missing", None)
            if state == "missing":
                states.append({gone})
            elif keep[0] not in seen:
                states.append({gone, "unknown"})
            elif state in ("wrong-port", "wrong-switch") and not {a[0], b[0]} <= seen:
                states.append({state, gone})
            else:
                states.append({state})
        return states

    def allow(self, states, found, day):
        """A cable that lies between the ports of two may be either; of one that is due and one that is not the former."""
        for wire, (state, keep) in self.faults.items():
            other = self.wire_at.get(self.plugs.get(keep)) if state.startswith("wrong") and not self.is_host(wire) else None
            if other is None or other == wire or found[other] == "right":
                continue
            mine, its = self.due[wire] < day, self.due[other] < day
            if found[wire] in GONE and found[other].startswith("wrong") and (its or not mine):
                states[wire], states[other] = {"missing" if mine else "not-due"}, {found[other]}
            elif found[wire].startswith("wrong"):
                states[wire] = {found[wire]}


def check_each(cabling, states, found):
    """By cable; of hosts that no list names by switch."""
    groups = collections.defaultdict(list)
    for wire, row in enumerate(cabling.rows):
        if cabling.is_host(wire) and "hosts" not in cabling.design:
            groups[row["b"]].append(wire)
        elif cabling.is_host(wire) or cabling.exact:
            groups[wire].append(wire)
    for wires in groups.values():
        either = set().union(*(states[w] for w in wires if len(states[w]) > 1))
        left = collections.Counter(found[w] for w in wires)
        left.subtract(min(states[w]) for w in wires if len(states[w]) == 1)
        if min(left.values()) < 0 or not set(+left) <= either:
            row = cabling.rows[wires[0]]
            yield "%s/%s - %s/%s: %s, and is %s" % (row["a"], row["a_port"], row["b"], row["b_port"],
                                                     [found[w] for w in wires], [states[w] for w in wires])


def check_counts(cabling, found, seen):
    """By pair of switches: as many cables are in place as were seen, and the wrong ones are no more than the surplus."""
    pair = lambda a, b: tuple(sorted((a, b)))
    names, at = cabling.network.names, collections.defaultdict(list)
    for wire, row in enumerate(cabling.rows):
        if not cabling.is_host(wire):
            at[pair(row["a"], row["b"])].append(found[wire])
    there = collections.Counter(pair(names[a[0]], names[b[0]]) for a, b in cabling.plugs.items()
                                if a < b and a[0].startswith("S") and b[0].startswith("S") and a[0] in seen)
    surplus = sum(max(0, there[key] - len(at[key])) for key in list(there))
    for key, states in at.items():
        in_place = sum(state in ("right", "half", "slow") for state in states)
        if in_place != min(there[key], len(states)):
            yield "%s - %s: %d cables are there, and %s" % (*key, there[key], states)
    wrong = sum(states.count("wrong-switch") for states in at.values())
    if wrong > surplus:
        yield "%d cables on wrong switches, where %d are not planned" % (wrong, surplus)


def check_step(what, cabling, day):
    common = ("--plan", cabling.path, "--from", write("step.net", cabling.dump()), "--day", day)
    built = run(FTCHECK, *common, "--build", "--format", "json")
    report = run(FTCHECK, *common, "--format", "json")
    if built.returncode > 2:
        result(what, False, built.stderr)
        return
    found = [cable["state"] for cable in json.loads(built.stdout)["cables"]]
    seen = cabling.seen()
    states = cabling.truth(day, seen)
    bad = []
    if "phases" in cabling.design:
        report = json.loads(report.stdout)
        if all(state <= {"right", "not-due"} for state in states) and report["verdict"] != "ok":
            bad.append("nothing is wrong, and it is %s" % [finding["text"] for finding in report["findings"]])
    if cabling.exact:
        cabling.allow(states, found, day)
    else:
        bad += check_counts(cabling, found, seen)
    bad += check_each(cabling, states, found)
    result(what, not bad, *bad[:5])


def check_design(design, phases, seed, steps):
    design = {"ftcheck": 1, "rate": "4xHDR", **design}
    if phases:
        design["phases"] = [{"name": "part %d" % n, "due": due, "switches": names}
                            for n, (due, names) in enumerate(zip(DUES, phases))]
    cabling = Cabling(design, write(design["name"] + ".json", json.dumps(design)), random.Random(seed))
    for step in range(1, steps + 1):
        cabling.step(step, steps)
        day = datetime.date(2026, 6, 1) + datetime.timedelta(days=40 * step // steps)
        check_step("%s%s%s of seed %d, step %d" % (design["name"], ", ports" if cabling.exact else "",
                                                    ", phases" if phases else "", seed, step), cabling, day.isoformat())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--steps", type=int, default=10)
    options = parser.parse_args()
    print("seed %d" % options.seed)
    for seed in range(options.seed, options.seed + options.rounds):
        for design, phases in designs():
            for ports in ({}, {"cables": "plan"}):
                for times in (phases, None):
                    check_design({**design, **ports}, times, seed, options.steps)
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
