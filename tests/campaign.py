#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Random designs, random faults, and whether ftcheck names them.

Each round draws a design, lets ftplan plan it and print it as a network file, breaks a copy of that fabric in one to
four ways, and runs the whole ftcheck over the result. What it finds is held against what was broken: the set of
(code, GUIDs of "where"), the ports of "where", the counts, the status of every switch, the verdict, the exit status.

When can faults not be told apart? A plain fabric shows how many cables join each pair of switches, and which planned
switch a live one is was never written on it. An explanation (an assignment of live to planned switches, and findings)
is sound where plan and findings are what is observed, cable by cable: oracle.py, which is asked in every round. The
price is (findings, cables in them, edges called short or over of hosts), the first weighing most. A round is

  exact      ftcheck's findings are the injected ones;
  cheaper    they are not, but they are sound, and their price is lower: nobody could have told better. Nor is it wrong
             to read two long cycles of swaps as more, shorter ones, which take fewer moves to mend;
  ambiguous  they are not, but they are sound, and the price is the same. Then a finding that differs must carry the
             other reading among its alternatives, or the round counts as wrong (a guess). Which of several like edges
             is short of hosts where the plan gives them unlike numbers is no fault, and needs no alternative;
  wrong      anything else.

Precision and recall are those of the exact and the wrong rounds. Rates, hosts on cores, LIDs and switches that do not
exist in the plan are never ambiguous: a difference there is wrong.

Without --seed the rounds are the same each time, so that "make check" says the same of the same tree; "make campaign"
draws fresh ones.

Fabrics have two levels, or with --levels 3 three; campaign_levels.py is for those. There, a spine that died is
core-missing as a core is.

With --across, rounds are of one class, in which fewer faults have told more wrong than many others: a switch is dead,
two cables of different levels are swapped, and a cable may be on a switch of another pod.

  campaign.py [--levels 2|3] [--across] [--seed N] [--rounds N] [--replay SEED:ROUND] [--keep DIR]
"""
import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fabric import Fabric, Node  # noqa: E402
from oracle import Finding, Oracle, Plan  # noqa: E402

STRUCTURE = {"cable-missing", "cable-misplaced", "cables-swapped", "cable-unplanned", "core-missing",
             "edge-isolated", "switch-unplanned", "hosts-missing", "hosts-unplanned"}
HOSTS = {"hosts-missing", "hosts-unplanned"}
CRITICAL = {"edge-isolated"}
INFO = {"hosts-missing", "hosts-unplanned", "switch-replaced"}
NAME_CABLES = {"cable-misplaced", "cables-swapped", "cable-unplanned", "loopback"}
EXIT = {"ok": 0, "warning": 1, "critical": 2, "unknown": 3}
SLOWER = {"4xNDR": "4xHDR", "4xHDR": "4xEDR", "4xEDR": "4xFDR", "4xFDR": "4xQDR", "4xQDR": "4xDDR"}


class Refused(Exception):
    """ftplan took this design for impossible; another one is drawn."""


# Designs


def draw_design(rng, size, levels, across=False):
    if across:
        draw = draw_across
    elif levels == 3:
        draw = rng.choices([draw_pods, draw_unlike_pods, draw_computed_pods], [6, 2, 2])[0]
    else:
        draw = rng.choices([draw_pinned, draw_computed, draw_large], [6, 3, 1 if size == "all" else 0])[0]
    design = draw(rng)
    design["ftcheck"] = 1
    design["name"] = "campaign"
    design["topology"] = "fat-tree"
    if rng.random() < 0.6:
        design["rate"] = rng.choice(["4xHDR", "4xEDR", "4xNDR", {"uplink": "4xHDR", "host": ["4xHDR", "4xEDR"]}])
    return design


def draw_across(rng):
    """Three levels, computed: also with planes of a single core, whose bundles are as thick as a spine's other half."""
    if rng.random() < 0.3:
        return draw_pods(rng)
    ports = rng.choice([8, 12, 16, 24, 36])
    design = {"levels": 3, "nodes": rng.randint(ports * ports // 2, min(ports ** 3 // 4, 1200)),
              "edge": {"ports": ports}, "spine": {"ports": ports}, "core": {"ports": ports}}
    if rng.random() < 0.5:
        design["blocking"] = rng.choice([2, "3:2"])
    if rng.random() < 0.3:
        design["bundles"] = "thick"
    return design


def draw_pinned(rng):
    edges = rng.choice([2, 3, 4, 5, 6, 8, 12, 17, 23, 31, 40])
    cores = rng.choice([2, 2, 3, 4, 6, 9, 12])
    bundle = rng.choice([1, 1, 2, 3, 4, 6, 9])
    while cores * bundle > 36 or edges * bundle > 200:
        bundle = max(1, bundle - 1) if bundle > 1 else bundle
        cores = cores - 1 if cores * bundle > 36 else cores
    spread = rng.choice(["even", "even", "thick"])
    least = (cores - 1) * bundle + 1
    to_core = cores * bundle if rng.random() < 0.6 else rng.randint(least, cores * bundle)
    if spread == "even":
        bundle = -(-to_core // cores)
    to_nodes = rng.randint(1, 12)
    design = {
        "nodes": rng.randint(max(1, edges * to_nodes * 2 // 3), edges * to_nodes),
        "edge": {"ports": to_nodes + to_core + rng.choice([0, 2, 4, 8]), "count": edges,
                 "ports_to_nodes": to_nodes, "ports_to_core": to_core},
        "core": {"ports": edges * bundle + rng.choice([0, 2, 4, 8]), "count": cores},
        "bundles": spread,
        "blocking": "%d:1" % max(1, -(-to_nodes // to_core)),
    }
    if rng.random() < 0.5:
        design["bundle"] = bundle
    if rng.random() < 0.5:
        design["fill"] = rng.choice(["dense", "uniform"])
    return design


def draw_computed(rng):
    edge_ports = rng.choice([8, 12, 18, 24, 36, 40])
    core_ports = rng.choice([p for p in (12, 18, 24, 36, 40, 64) if p >= edge_ports // 2])
    blocking = rng.choice([1, 1, 1, "2:1", "3:1", 1.5, "2.6:1"])
    design = {
        "nodes": rng.randint(edge_ports, min(350, edge_ports * core_ports // 2)),
        "edge": {"ports": edge_ports},
        "core": {"ports": core_ports},
        "blocking": blocking,
    }
    if rng.random() < 0.3:
        design["nodes_max"] = design["nodes"] + rng.randint(0, edge_ports * 2)
    if rng.random() < 0.3:
        design["bundles"] = "thick"
    if rng.random() < 0.3:
        design["prefer_expandable"] = True
    return design


def draw_large(rng):
    edges = rng.randint(30, 36)
    return {"nodes": rng.randint(edges * 16, edges * 18), "edge": {"ports": 40, "count": edges, "ports_to_nodes": 18,
            "ports_to_core": 18}, "core": {"ports": 40, "count": 18}, "bundle": 1}


def draw_pods(rng):
    """Pods of one size, but for the last."""
    pods, edges, spines = rng.randint(3, 6), rng.randint(3, 6), rng.randint(3, 5)
    edge_bundle, spine_bundle = rng.choice([1, 1, 2, 3]), rng.choice([1, 1, 2])
    to_nodes, plane_cores = rng.randint(2, 8), rng.randint(2, 3)
    to_core = edge_bundle * spines - (rng.randint(0, spines - 1) if edge_bundle > 1 and rng.random() < 0.3 else 0)
    count = (pods - 1) * edges + rng.choice([edges, edges, rng.randint(3, edges)])
    full = count * to_nodes
    return {
        "levels": 3,
        "nodes": rng.randint(full - to_nodes // 2, full),
        "edge": {"ports": to_nodes + to_core + rng.choice([0, 2, 4]), "count": count, "ports_to_nodes": to_nodes,
                 "ports_to_core": to_core},
        "spine": {"ports": edges * edge_bundle + plane_cores * spine_bundle + rng.choice([0, 2, 4]),
                  "count": pods * spines, "ports_to_core": plane_cores * spine_bundle},
        "core": {"ports": pods * spine_bundle + rng.choice([0, 2, 4]), "count": spines * plane_cores},
        "pods": pods,
        "bundle": {"edge": edge_bundle, "spine": spine_bundle},
        "blocking": "%d:1" % max(1, -(-to_nodes // to_core), edges * edge_bundle),
    }


def draw_unlike_pods(rng):
    design = draw_pods(rng)
    spines = design["spine"]["count"] // design["pods"]
    sizes = sorted(rng.sample(range(3, 8), 2), reverse=True)
    kinds = [{"count": rng.randint(1, 3), "edges": n} for n in sizes]
    count = sum(k["count"] * k["edges"] for k in kinds)
    pods = sum(k["count"] for k in kinds)
    bundle = design["bundle"]
    design["edge"]["count"] = count
    design["nodes"] = count * design["edge"]["ports_to_nodes"]
    design["pods"] = kinds
    design["spine"]["count"] = pods * spines
    design["spine"]["ports"] = sizes[0] * bundle["edge"] + design["spine"]["ports_to_core"] + rng.choice([0, 2])
    design["core"]["ports"] = max(4, pods * bundle["spine"]) + rng.choice([0, 2])
    design["blocking"] = "%d:1" % max(1, design["edge"]["ports_to_nodes"], sizes[0] * bundle["edge"])
    return design


def draw_computed_pods(rng):
    ports = rng.choice([6, 8, 8, 10])
    half = ports // 2
    return {"levels": 3, "nodes": rng.randint(half * half * 2 + 1, half * half * min(ports, 6)),
            "edge": {"ports": ports}, "spine": {"ports": ports}, "core": {"ports": ports}}


# Faults


def draw_faults(broken, count):
    """Faults of its KINDS, by their weights, until there are so many; notes the names of those that could be done."""
    functions, weights = zip(*broken.KINDS)
    for _ in range(40):
        if len(broken.kinds) == count:
            break
        fault = broken.rng.choices(functions, weights)[0]
        if fault(broken):
            broken.kinds.append(fault.__name__)


class Broken:
    """The fabric of a plan, broken step by step, and the truth about it."""

    def __init__(self, rng, plan, fabric):
        self.rng = rng
        self.plan = plan
        self.fabric = fabric
        by_name = {n.description.decode(): n.guid for n in fabric.switches()}
        self.guid_of = by_name
        self.edges = [by_name[s["name"]] for s in plan["switches"] if s["tier"] == "edge"]
        self.cores = [by_name[s["name"]] for s in plan["switches"] if s["tier"] == "core"]
        self.spines = [by_name[s["name"]] for s in plan["switches"] if s["tier"] == "spine"]
        self.tier = {by_name[s["name"]]: s["tier"] for s in plan["switches"]}
        self.all = self.edges + self.spines + self.cores
        self.to_nodes = plan["edge"]["ports_to_nodes"]
        self.bundles = {(by_name[b["a"]], by_name[b["b"]]): b["count"] for b in plan["bundles"]}
        self.planned_hosts = {by_name[s["name"]]: s["hosts"] for s in plan["switches"]}
        self.touched = set()  # (guid, port) of cables that a fault has used
        self.involved = set()  # switches that a fault has used, so that they must not die
        self.dead = set()
        self.kinds = []
        self.missing = collections.Counter()  # (edge, core) -> cables
        self.findings = []  # all others
        self.host_fault = False
        # A fault that plugs something in takes a port that the plan leaves open: in the port of a pulled cable it
        # would be the pulled cable's reason, and one fault.
        self.spare = {n.guid: set(n.free_ports()) for n in fabric.switches()}
        self.next_guid = 0x300000

    def alive(self, guids):
        return [g for g in guids if g not in self.dead]

    def cables(self):
        """Right, untouched cables between live switches: (edge, port, core, port), or with spines likewise."""
        result = []
        for edge in self.alive(self.edges + self.spines):
            for port, (far, far_port) in self.fabric.nodes[edge].links.items():
                if (edge, port) not in self.touched and (edge, far) in self.bundles and far not in self.dead:
                    result.append((edge, port, far, far_port))
        return result

    def spare_cables(self):
        """Those that may be taken away with another right cable left on both switches."""
        cables = self.cables()
        left = collections.Counter()
        for edge, _, core, _ in cables:
            left[edge, "up"] += 1
            left[core, "down"] += 1
        return [c for c in cables if left[c[0], "up"] > 1 and left[c[2], "down"] > 1]

    def same_tier(self, guid):
        return [g for g in self.all if self.tier[g] == self.tier[guid]]

    def other_side(self, guid):
        """Where a cable that belongs on @guid has no business at all: its far end is among these, or beyond them."""
        side = {"edge": ("edge", "core"), "core": ("edge", "core"), "spine": ("spine",)}
        if self.spines:
            return [g for g in self.all if self.tier[g] not in side[self.tier[guid]]]
        return [g for g in self.all if self.tier[g] != self.tier[guid]]

    def spare_ports(self, guid):
        return sorted(self.spare[guid] - set(self.fabric.nodes[guid].links))

    def spare_port(self, guid):
        return self.rng.choice(self.spare_ports(guid) or [None])

    def with_spare(self, guids, ports=1):
        return [g for g in self.alive(guids) if len(self.spare_ports(g)) >= ports]

    def use(self, *ends):
        self.touched.update(ends)
        self.involved.update(guid for guid, _ in ends)

    def note(self, code, *ends, count=1):
        self.findings.append(Finding(code, ends, count))
        self.use(*ends)
        return True

    def pull(self):
        return self.pull_of_pair(1)

    def pull_several(self):
        return self.pull_of_pair(self.rng.randint(2, 4))

    def pull_of_pair(self, count):
        pairs = collections.defaultdict(list)
        for edge, port, core, far_port in self.spare_cables():
            pairs[edge, core].append((port, far_port))
        pairs = {p: c for p, c in pairs.items() if len(c) >= count}
        if not pairs:
            return False
        (edge, core), cables = self.rng.choice(sorted(pairs.items()))
        for port, far_port in self.rng.sample(cables, count):
            others = {c[0] for c in self.spare_cables()} & {edge}
            if not others or not any(c[2] == core for c in self.spare_cables()):
                break
            self.fabric.unlink(edge, port)
            self.missing[edge, core] += 1
            self.involved.update((edge, core))
        return self.missing[edge, core] > 0

    def move(self, near, other_end, to):
        """The cable at @near = (guid, port) leaves @other_end and goes to a spare port of @to."""
        rate = self.fabric.unlink(*near)
        port = self.spare_port(to)
        self.fabric.link(*near, to, port, rate)
        self.involved.add(other_end)
        return self.note("cable-misplaced", near, (to, port))

    def misplace_core_end(self):
        cables = self.spare_cables()
        if not cables:
            return False
        edge, port, core, _ = self.rng.choice(cables)
        others = [c for c in self.with_spare(self.same_tier(core)) if c != core]
        return bool(others) and self.move((edge, port), core, self.rng.choice(others))

    def misplace_edge_end(self):
        cables = self.spare_cables()
        if not cables:
            return False
        edge, _, core, far_port = self.rng.choice(cables)
        others = [e for e in self.with_spare(self.same_tier(edge)) if e != edge]
        return bool(others) and self.move((core, far_port), edge, self.rng.choice(others))

    def misplace_across(self):
        """A core end on an edge, or an edge end on a core."""
        cables = self.spare_cables()
        if not cables:
            return False
        edge, port, core, far_port = self.rng.choice(cables)
        if self.rng.random() < 0.5:
            others = [e for e in self.with_spare(self.other_side(core)) if e != edge]
            return bool(others) and self.move((edge, port), core, self.rng.choice(others))
        others = [c for c in self.with_spare(self.other_side(edge)) if c != core]
        return bool(others) and self.move((core, far_port), edge, self.rng.choice(others))

    def swap(self, k):
        cables, chosen = self.spare_cables(), []
        self.rng.shuffle(cables)
        for cable in cables:
            if all(cable[0] != c[0] and cable[2] != c[2] and self.tier[cable[0]] == self.tier[c[0]] for c in chosen):
                chosen.append(cable)
            if len(chosen) == k:
                break
        else:
            return False
        rates = [self.fabric.unlink(edge, port) for edge, port, _, _ in chosen]
        ends = []
        for i, (edge, port, _, _) in enumerate(chosen):
            _, _, core, far_port = chosen[(i + 1) % k]
            self.fabric.link(edge, port, core, far_port, rates[i])
            ends += [(edge, port), (core, far_port)]
        return self.note("cables-swapped", *ends, count=k)

    def swap_two(self):
        return self.swap(2)

    def swap_three(self):
        return self.swap(3)

    def swap_across(self):
        """A cable between an edge and a spine and one between a spine and a core, exchanged at one end of each."""
        cables = self.spare_cables()
        below = [c for c in cables if self.tier[c[0]] == "edge"]
        above = [c for c in cables if self.tier[c[0]] == "spine"]
        if not below or not above:
            return False
        edge, port, spine, spine_port = self.rng.choice(below)
        above = [c for c in above if c[0] != spine]
        if not above:
            return False
        other, other_port, core, core_port = self.rng.choice(above)
        one, two = (spine, spine_port), (core, core_port)
        rates = self.fabric.unlink(edge, port), self.fabric.unlink(other, other_port)
        self.fabric.link(edge, port, *two, rates[0])
        self.fabric.link(other, other_port, *one, rates[1])
        return self.note("cables-swapped", (edge, port), one, (other, other_port), two, count=2)

    def misplace_in_another_pod(self):
        """The spine end of an edge's cable, on a spine that none of the edge's cables should go to."""
        cables = [c for c in self.spare_cables() if self.tier[c[0]] == "edge"]
        if not cables:
            return False
        edge, port, spine, _ = self.rng.choice(cables)
        others = [s for s in self.with_spare(self.spines) if (edge, s) not in self.bundles]
        return bool(others) and self.move((edge, port), spine, self.rng.choice(others))

    def break_across(self):
        """The faults of --across. A dead one first: what is involved in another fault does not die."""
        dead = self.rng.choice([self.dead_spine, self.dead_core, self.dead_edge])
        for fault in [dead, self.swap_across] + [self.misplace_in_another_pod] * self.rng.randint(0, 1):
            if fault():
                self.kinds.append(fault.__name__)

    def kill(self, guids, code):
        victims = [g for g in self.alive(guids) if g not in self.involved]
        if not victims or len(self.alive(guids)) < 2:
            return False
        victim = self.rng.choice(victims)
        ends = {far for far, _ in self.fabric.nodes[victim].links.values()}
        hosts = [g for g in ends if self.fabric.nodes[g].kind == "H"]
        if self.involved & set(hosts):
            return False
        self.dead.add(victim)
        if not all(self.degree_ok(g) for g in ends - set(hosts)):
            self.dead.discard(victim)
            return False
        for guid in hosts + [victim]:
            self.fabric.remove(guid)
        self.findings.append(Finding(code, [(victim, None)]))
        self.involved.update(ends)
        return True

    def degree_ok(self, guid):
        if self.tier[guid] == "spine":
            cables = self.cables()
            return any(guid == c[0] for c in cables) and any(guid == c[2] for c in cables)
        return any(guid in (c[0], c[2]) for c in self.cables())

    def dead_core(self):
        tier = self.spines if self.spines and self.rng.random() < 0.5 else self.cores
        return self.kill(tier, "core-missing")

    def dead_spine(self):
        return self.kill(self.spines, "core-missing")

    def dead_edge(self):
        return self.kill(self.edges, "edge-isolated")

    def unplanned_cable(self):
        ends = self.with_spare(self.all)
        if len(ends) < 2:
            return False
        a, b = self.rng.sample(ends, 2)
        ports = self.spare_port(a), self.spare_port(b)
        self.fabric.link(a, ports[0], b, ports[1], self.uplink_rate())
        return self.note("cable-unplanned", (a, ports[0]), (b, ports[1]))

    def uplink_rate(self):
        edge, port, _, _ = self.cables()[0]
        return self.fabric.nodes[edge].rates[port]

    def loopback(self):
        ends = self.with_spare(self.all, 2)
        if not ends:
            return False
        guid = self.rng.choice(ends)
        a, b = self.rng.sample(self.spare_ports(guid), 2)
        self.fabric.link(guid, a, guid, b, self.uplink_rate())
        return self.note("loopback", (guid, a), (guid, b))

    def unplanned_switch(self):
        ends = self.with_spare(self.all)
        if not ends:
            return False
        ends = self.rng.sample(ends, min(len(ends), self.rng.randint(1, 3)))
        node = self.fabric.add(Node("S", self.new_guid(), 36, b"stray", 20000 + self.next_guid % 9999))
        for i, guid in enumerate(ends):
            self.fabric.link(guid, self.spare_port(guid), node.guid, i + 1, self.uplink_rate())
        self.involved.update(ends)
        return self.note("switch-unplanned", (node.guid, None))

    def new_guid(self):
        self.next_guid += 2
        return self.next_guid

    def new_host(self, guid, port):
        host = self.fabric.add(Node("H", self.new_guid(), 1, b"node%d" % self.next_guid,
                                    30000 + self.next_guid % 9999))
        rate = next((n.rates[1] for n in self.fabric.hosts() if n.links and 1 in n.rates), None) or self.uplink_rate()
        self.fabric.link(guid, port, host.guid, 1, rate)
        return host.guid

    def change_rate(self, code, rate_of):
        if self.host_cable_next():
            hosts = [h for h in self.fabric.hosts() if (h.guid, 1) not in self.touched and 1 in h.links]
            if not hosts:
                return False
            host = self.rng.choice(hosts)
            ends = host.links[1], (host.guid, 1)
        else:
            cables = self.cables()
            if not cables:
                return False
            edge, port, core, far_port = self.rng.choice(cables)
            ends = (edge, port), (core, far_port)
        rate = rate_of(self.fabric.nodes[ends[0][0]].rates[ends[0][1]])
        if not rate:
            return False
        self.fabric.set_rate(*ends[0], rate)
        return self.note(code, *ends)

    def host_cable_next(self):
        return self.rng.random() < 0.3

    def slow(self):
        # Two steps down, so that it is slow also where two rates are allowed.
        return self.few_enough() and self.change_rate("cable-slow", lambda r: SLOWER.get(SLOWER.get(r)))

    def narrow(self):
        return self.few_enough() and self.change_rate("cable-narrow", lambda r: r.replace("4x", "1x", 1))

    def few_enough(self):
        """One odd cable among equals stands out only where the equals are many."""
        return len(self.cables()) >= 12 and len(self.fabric.hosts()) >= 12

    def host_on_core(self):
        cores = self.with_spare(self.spines + self.cores)
        hosts = [h for h in self.fabric.hosts() if (h.guid, 1) not in self.touched and 1 in h.links]
        if self.host_fault or not cores or len(hosts) < 4 * len(self.edges):
            return False
        self.host_fault = True
        core = self.rng.choice(cores)
        port = self.spare_port(core)
        host = self.rng.choice(hosts)
        self.involved.update(g for g, _ in (host.links[1], (core, 0)))
        if self.rng.random() < 0.7:
            rate = self.fabric.unlink(host.guid, 1)
            self.fabric.link(core, port, host.guid, 1, rate)
            return self.note("host-on-core", (core, port), (host.guid, 1))
        return self.note("host-on-core", (core, port), (self.new_host(core, port), 1))

    def hosts_of(self, edge):
        return sorted(far for far, _ in self.fabric.nodes[edge].links.values()
                      if far in self.fabric.nodes and self.fabric.nodes[far].kind == "H"
                      and not self.fabric.nodes[far].is_aggregation)

    def pull_hosts(self):
        edges = [e for e in self.alive(self.edges) if self.hosts_of(e)]
        if self.host_fault or not edges or len(self.fabric.hosts()) < 6:
            return False
        self.host_fault = True
        short = self.rng.sample(edges, min(len(edges), self.rng.randint(1, 3)))
        count = 0
        for edge in short:
            hosts = [h for h in self.hosts_of(edge) if (h, 1) not in self.touched]
            if self.rng.random() < 0.7 or len(short) == len(edges):
                hosts = self.rng.sample(hosts, min(len(hosts), self.rng.randint(1, 3)))
            for host in hosts:
                self.fabric.remove(host)
            count += len(hosts)
        self.involved.update(short)
        return count > 0

    def add_hosts(self):
        edges = self.with_spare(self.edges)
        if self.host_fault or not edges:
            return False
        self.host_fault = True
        edge = self.rng.choice(edges)
        free = self.spare_ports(edge)
        for port in self.rng.sample(free, self.rng.randint(1, min(3, len(free)))):
            self.new_host(edge, port)
        self.involved.add(edge)
        return True

    def same_lid(self):
        a, b = self.rng.sample(sorted(self.fabric.nodes), 2)
        nodes = self.fabric.nodes
        if nodes[a].is_aggregation or nodes[b].is_aggregation or not nodes[a].lid:
            return False
        if any(f.code == "lid-duplicate" for f in self.findings):
            return False
        nodes[b].lid = nodes[a].lid
        self.involved.update((a, b))
        self.touched.update(((a, 1), (b, 1)))
        self.findings.append(Finding("lid-duplicate", [(a, None), (b, None)]))
        return True

    KINDS = [(pull, 4), (pull_several, 3), (misplace_core_end, 4), (misplace_edge_end, 4), (misplace_across, 2),
             (swap_two, 4), (swap_three, 3), (dead_core, 3), (dead_edge, 3), (unplanned_cable, 3), (loopback, 2),
             (unplanned_switch, 2), (slow, 2), (narrow, 2), (host_on_core, 2), (pull_hosts, 3), (add_hosts, 2),
             (same_lid, 1)]

    def break_it(self, count):
        draw_faults(self, count)

    def truth(self):
        """What was broken, in the terms of the report."""
        findings = []
        for (edge, core), count in self.missing.items():
            findings.append(Finding("cable-missing", [(edge, None), (core, None)], count))
        for finding in self.findings:
            if finding.code in ("core-missing", "edge-isolated"):
                victim = finding.places[0][0]
                ends = {a if b == victim else b for a, b in self.bundles if victim in (a, b)}
                finding = Finding(finding.code, [(g, None) for g in sorted(ends - self.dead)])
            findings.append(finding)
        return findings + self.host_findings()

    def host_findings(self):
        if any(f.code == "host-on-core" for f in self.findings):
            return []
        found = {e: len(self.hosts_of(e)) for e in self.alive(self.edges)}
        short = [e for e in found if found[e] < self.planned_hosts[e]]
        over = [e for e in found if self.planned_hosts[e] < found[e] <= self.to_nodes]
        result = [Finding("edge-overloaded", [(e, None)]) for e in found if found[e] > self.to_nodes]
        for code, edges in (("hosts-missing", short), ("hosts-unplanned", over)):
            if edges:
                count = sum(abs(found[e] - self.planned_hosts[e]) for e in edges)
                result.append(Finding(code, [(e, None) for e in edges], count))
        return result


# What does not matter to the truth


def add_aggregation(fabric):
    """SHARP aggregation nodes on a port of their own, as on current switches."""
    for i, node in enumerate(fabric.switches()):
        node.ports += 1
        name = b"Mellanox Technologies Aggregation Node"
        agent = fabric.add(Node("H", 0x900000 + 2 * i, 1, name, 40000 + i))
        fabric.link(node.guid, node.ports, agent.guid, 1, "4xHDR")


def disguise(rng, fabric, findings):
    """Other GUIDs, ports, names, order of records. Returns the fabric and the findings in the new terms."""
    guids = {g: g for g in fabric.nodes}
    if rng.random() < 0.6:
        fresh = rng.sample(range(0x0002C90300000000, 0x0002C90300FFFFF0, 16), len(guids))
        guids = dict(zip(guids, fresh))
    ports = {}
    # How much of the fabric is wired without a pattern.
    patternless = rng.choice([0, 0, 1])
    for guid, node in fabric.nodes.items():
        numbers = list(range(1, node.ports + 1))
        if node.kind == "S" and rng.random() < patternless:
            last = [numbers.pop()] if any(fabric.nodes[f].is_aggregation for f, _ in node.links.values()) else []
            rng.shuffle(numbers)
            numbers += last
        ports[guid] = dict(zip(range(1, node.ports + 1), numbers))
    names = rename(rng, fabric)
    order = list(fabric.nodes)
    if rng.random() < 0.6:
        rng.shuffle(order)

    for guid, name in names.items():
        fabric.nodes[guid].description = name
    result = fabric.renamed(guids, order, ports, systems=False)
    renamed = [Finding(f.code, [(guids[g], None if p is None else ports[g][p]) for g, p in f.places], f.count)
               for f in findings]
    return result, renamed, guids


def rename(rng, fabric):
    switches = [n.guid for n in fabric.switches()]
    names = {g: n.description for g, n in fabric.nodes.items()}
    way = rng.choice(["keep", "keep", "same", "shuffle"])
    if way == "same":
        names.update({g: b"MT Switch" for g in switches})
    elif way == "shuffle":
        shuffled = [names[g] for g in switches]
        rng.shuffle(shuffled)
        names.update(zip(switches, shuffled))
    return names


# Judging


class Judge:
    def __init__(self, plan, fabric, report):
        self.plan = plan
        self.fabric = fabric
        self.report = report
        self.oracle = Oracle(Plan.read(plan), fabric, report)
        self.findings = self.oracle.findings

    @staticmethod
    def read(finding):
        return Finding.read(finding)

    def unsound(self):
        """Why the findings do not account for what is observed; None where they do."""
        return self.oracle.inconsistency()

    def cables_of(self, finding):
        """The pairs of the cables whose ends are @finding's places; None where they are no cables."""
        cables = self.oracle.cables_of(finding)
        return None if cables is None else [frozenset(g for g, _ in cable) for cable in cables]

    def wrong_figures(self, truth):
        """What is wrong with counts, status and verdict, given that @truth is what is wrong with the fabric."""
        counts, planned = self.report["counts"], collections.Counter()
        by_name = {v: g for g, v in self.oracle.vertex.items() if v in self.oracle.assigned}
        up = collections.Counter()
        total_up = 0
        named = collections.Counter(pair for f in self.findings if f.code in NAME_CABLES
                                    for pair in self.cables_of(f) or [])
        for bundle in self.plan["bundles"]:
            planned[bundle["a"]] += bundle["count"]
            planned[bundle["b"]] += bundle["count"]
            a, b = by_name.get(bundle["a"]), by_name.get(bundle["b"])
            if a and b:
                n = min(bundle["count"], len(self.fabric.links_between(a, b)) - named[frozenset((a, b))])
                up[bundle["a"]] += n
                up[bundle["b"]] += n
                total_up += n
        complaints = []

        def expect(what, is_, should):
            if is_ != should:
                complaints.append("%s is %s, should be %s" % (what, is_, should))

        codes = collections.Counter(f.code for f in truth)
        moved = codes["cable-misplaced"] + sum(f.count for f in truth if f.code == "cables-swapped")
        total = sum(b["count"] for b in self.plan["bundles"])
        expect("uplinks.planned", counts["uplinks"]["planned"], total)
        expect("uplinks.up", counts["uplinks"]["up"], total_up)
        expect("uplinks.misplaced", counts["uplinks"]["misplaced"], moved)
        expect("uplinks.missing", counts["uplinks"]["missing"], total - total_up - moved)
        expect("uplinks.unplanned", counts["uplinks"]["unplanned"], codes["cable-unplanned"])
        slow = sum(1 for f in truth if f.code in ("cable-slow", "cable-narrow")
                   and all(self.fabric.nodes[g].kind == "S" for g, _ in f.places))
        expect("uplinks.slow", counts["uplinks"]["slow"], slow)
        dead = codes["core-missing"]
        for tier, lost in (("edge", "isolated"), ("spine", "missing"), ("core", "missing")):
            mine = [s["name"] for s in self.plan["switches"] if s["tier"] == tier]
            if tier not in counts and not mine:
                continue
            degraded = sum(1 for n in mine if n in by_name and up[n] < planned[n])
            expect(tier + ".planned", counts[tier]["planned"], len(mine))
            expect(tier + ".found", counts[tier]["found"], sum(1 for n in mine if n in by_name))
            expect(tier + "." + lost, counts[tier][lost], len(mine) - sum(1 for n in mine if n in by_name))
            dead -= counts[tier][lost] if lost == "missing" else 0
            expect(tier + ".degraded", counts[tier]["degraded"], degraded)
            expect(tier + ".ok", counts[tier]["ok"], sum(1 for n in mine if n in by_name) - degraded)
        expect("switches missing beyond the dead", dead, 0)
        expect("edge.isolated", counts["edge"]["isolated"], codes["edge-isolated"])
        expect("hosts.found", counts["hosts"]["found"], len(self.fabric.hosts()))
        for row in self.report["switches"]:
            name = row["planned_as"]
            if name in by_name:
                expect(name + " planned", row["uplinks"]["planned"], planned[name])
                expect(name + " up", row["uplinks"]["up"], up[name])
                expect(name + " status", row["status"], "ok" if up[name] == planned[name] else "degraded")
        worst = "ok"
        for finding in truth:
            if finding.code in CRITICAL:
                worst = "critical"
            elif finding.code not in INFO and worst == "ok":
                worst = "warning"
        expect("verdict", self.report["verdict"], worst)
        return complaints

    def wrong_ports(self, truth):
        """Exact findings name exact ports, where the ports of the fabric tell them."""
        exact = ("cable-misplaced", "cables-swapped", "cable-unplanned", "loopback", "cable-slow", "cable-narrow",
                 "host-on-core")
        mine = sorted((f.code, sorted(f.places)) for f in self.findings if f.code in exact)
        theirs = sorted((f.code, sorted(f.places)) for f in truth if f.code in exact)
        if mine != theirs:
            # Cables of one pair are alike: which of three is the unplanned one, nobody can tell.
            for finding in self.findings:
                if finding.code in exact and self.cables_of(finding) is None:
                    return "%s does not name cables as they are" % finding
        counts = sorted((f.key, f.count) for f in self.findings if f.code == "cable-missing")
        if counts != sorted((f.key, f.count) for f in truth if f.code == "cable-missing"):
            return "cable-missing counts differ"
        for finding in self.findings:
            if finding.code in ("cable-missing", "core-missing", "edge-isolated"):
                for guid, port in finding.places:
                    if port is not None and port in self.fabric.nodes[guid].links:
                        return "%s names a port that is cabled" % finding
        return None


def moves(findings):
    """What it takes to mend them: k cables in one cycle k - 1 exchanges, any other fault of structure one move."""
    return sum(f.count - 1 if f.code == "cables-swapped" else 1 for f in findings if f.code in STRUCTURE)


def price(findings):
    structural = [f for f in findings if f.code in STRUCTURE]
    return (len(structural), sum(f.count if f.code == "cable-missing" else 1 for f in structural),
            sum(len(f.places) for f in structural if f.code in HOSTS))


def difference(truth, found):
    """(only in the truth, only in the report), as lists of findings."""
    a = collections.Counter(f.key for f in truth)
    b = collections.Counter(f.key for f in found)
    only = [], []
    for index, (findings, extra) in enumerate(((truth, a - b), (found, b - a))):
        extra = extra.copy()
        for finding in findings:
            if extra[finding.key] > 0:
                extra[finding.key] -= 1
                only[index].append(finding)
    return only


def rates_of_named(judged, lost):
    """Takes those off @lost that are of cables which another finding calls out of place: of the like cables of one pair
    it took the slow one, which is as good as any, and a cable that is out of place is one finding whatever its rate."""
    named = [set(f.places) for f in judged.findings if f.code in NAME_CABLES]
    unnoticed = [f for f in lost if f.code in ("cable-slow", "cable-narrow") and
                 any(set(f.places) <= places for places in named)]
    return [f for f in lost if f not in unnoticed], unnoticed


def judge(plan, fabric, report, truth):
    """(class, words)."""
    judged = Judge(plan, fabric, report)
    lost, false = difference(truth, judged.findings)
    if not lost and not false:
        trouble = judged.wrong_ports(truth) or judged.unsound()
        figures = judged.wrong_figures(truth)
        if trouble or figures:
            return "wrong", "; ".join(filter(None, [trouble] + figures))
        return "exact", ""
    lost, unnoticed = rates_of_named(judged, lost)
    kind = "%s read as %s" % tuple(" + ".join(sorted(f.code for f in x)) or "nothing" for x in (lost, false))
    if any(f.code not in STRUCTURE for f in lost + false):
        return "wrong", kind
    trouble = judged.unsound()
    if trouble:
        return "wrong", "%s: %s" % (kind, trouble)
    if unnoticed and not lost and not false:
        return "ambiguous", "the rate of a cable that is called out of place"
    if price(judged.findings) > price(truth) and moves(judged.findings) < moves(truth):
        return "cheaper", kind
    if price(judged.findings) > price(truth):
        return "wrong", "%s: price %s, the truth's is %s" % (kind, price(judged.findings), price(truth))
    if price(judged.findings) < price(truth):
        return "cheaper", kind
    if not any(f.alternatives for f in false) and {f.code for f in lost + false} - HOSTS:
        return "wrong", "%s: as good an explanation as the truth, but no alternative is named" % kind
    return "ambiguous", kind


# Rounds


def table_print(hit, lost, false):
    print("%-18s %6s %6s %6s %10s %7s" % ("code", "right", "lost", "false", "precision", "recall"))
    for code in sorted(set(hit) | set(lost) | set(false)):
        print("%-18s %6d %6d %6d %10.4f %7.4f" % (code, hit[code], lost[code], false[code],
                                                  hit[code] / max(1, hit[code] + false[code]),
                                                  hit[code] / max(1, hit[code] + lost[code])))


class Campaign:
    explained = ("cheaper", "ambiguous")  # verdicts of rounds whose report is as good as the truth
    difference = staticmethod(difference)

    def __init__(self, options):
        self.options = options
        build = os.environ.get("FT_BUILDDIR", ".")
        self.ftplan = os.path.join(build, "ftplan")
        self.ftcheck = os.path.join(build, "ftcheck")
        self.directory = tempfile.TemporaryDirectory(prefix="ftcheck-campaign.")
        self.tally = collections.Counter()
        self.kinds = collections.Counter()
        self.faults = collections.Counter()
        self.hit, self.lost, self.false = collections.Counter(), collections.Counter(), collections.Counter()
        self.refused = 0

    def run_program(self, *command, stdin=b"", statuses=(0,)):
        done = subprocess.run(command, input=stdin, capture_output=True, timeout=60, check=False)
        if done.returncode not in statuses:
            raise RuntimeError("%s: status %d: %s" % (" ".join(command), done.returncode,
                                                      done.stderr.decode(errors="replace").strip()))
        return done

    def plan(self, design):
        """(plan, network file)."""
        text = json.dumps(design).encode()
        done = self.run_program(self.ftplan, "-", "--format", "json", stdin=text, statuses=(0, 3))
        if done.returncode == 3:
            raise Refused(done.stderr.decode(errors="replace").strip())
        plan = json.loads(done.stdout)["plan"]
        net = self.run_program(self.ftplan, "-", "--format", "ibsim", stdin=text).stdout
        return plan, net

    def draw(self, rng):
        for _ in range(50):
            design = draw_design(rng, self.options.size, self.options.levels, self.options.across)
            try:
                plan, net = self.plan(design)
            except Refused as refused:
                self.refused += 1
                if self.options.verbose:
                    print("refused: %s: %s" % (refused, json.dumps(design)))
                continue
            most = 60 if self.options.levels == 2 else 180 if self.options.across else 130
            if plan["core"]["count"] >= 2 and plan["edge"]["count"] >= 2 and len(plan["switches"]) <= most:
                return design, plan, net
        raise RuntimeError("no design was accepted in 50 draws")

    def round(self, number):
        rng = random.Random("%d:%d" % (self.options.seed, number))
        design, plan, net = self.draw(rng)
        broken, entry = self.break_fabric(rng, plan, net)
        fabric, truth, guids = disguise(rng, broken.fabric, broken.truth())
        text = fabric.write(entry=guids[entry])
        verdict, words, report = self.ask(design, plan, fabric, text, truth)
        for kind in broken.kinds:
            self.faults[kind] += 1
        self.count(verdict, words, truth, report)
        if verdict == "wrong" or self.options.replay:
            self.show(number, verdict, words, broken.kinds, truth, report, design, text)
        return verdict

    def break_fabric(self, rng, plan, net):
        """The broken fabric, all of it within reach of the node that the sweep begins on."""
        while True:
            broken = Broken(rng, plan, Fabric.read(net))
            if rng.random() < 0.2:
                add_aggregation(broken.fabric)
            weights = [1, 4, 4, 3, 2] if self.options.levels == 2 else [1, 5, 5, 1, 0]
            if self.options.across:
                broken.break_across()
            else:
                broken.break_it(rng.choices([0, 1, 2, 3, 4], weights)[0])
            entry = self.entry(rng, broken)
            if len(broken.fabric.reachable(entry)) == len(broken.fabric.nodes):
                return broken, entry

    @staticmethod
    def entry(rng, broken):
        hosts = [h.guid for h in broken.fabric.hosts() if h.links]
        return rng.choice(hosts) if hosts else rng.choice(broken.alive(broken.cores))

    def ask(self, design, plan, fabric, text, truth):
        path = os.path.join(self.directory.name, "design.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(design, file)
        try:
            done = self.run_program(self.ftcheck, "--plan", path, "--from", "-", "--format", "json",
                                    "--critical", "100", stdin=text, statuses=(0, 1, 2, 3))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return "wrong", str(error), None
        if not done.stdout:
            return "wrong", "status %d: %s" % (done.returncode, done.stderr.decode(errors="replace").strip()), None
        report = json.loads(done.stdout)
        if EXIT.get(report["verdict"]) != done.returncode:
            return "wrong", "status %d with verdict %s" % (done.returncode, report["verdict"]), report
        if done.stderr:
            return "wrong", "on stderr: %s" % done.stderr.decode(errors="replace").strip(), report
        verdict, words = judge(plan, fabric, report, truth)
        return verdict, words, report

    def count(self, verdict, words, truth, report):
        self.tally[verdict] += 1
        if verdict in self.explained:
            self.kinds[verdict, words] += 1
            return
        found = [Finding.read(f) for f in report["findings"]] if report else []
        lost, false = self.difference(truth, found)
        self.lost.update(f.code for f in lost)
        self.false.update(f.code for f in false)
        self.hit.update(f.code for f in truth)
        self.hit.subtract(f.code for f in lost)

    def show(self, number, verdict, words, kinds, truth, report, design, text):
        print("round %d:%d (%s): %s: %s" % (self.options.seed, number, ", ".join(kinds) or "healthy", verdict, words))
        for finding in sorted(map(str, truth)):
            print("  broken: %s" % finding)
        for finding in (report or {"findings": []})["findings"]:
            print("  found:  %s (%s)%s" % (Judge.read(finding), finding["text"],
                                           " or: %s" % "; ".join(finding["alternatives"])
                                           if finding.get("alternatives") else ""))
        if not self.options.keep:
            self.options.keep = tempfile.mkdtemp(prefix="ftcheck-rounds.")
        os.makedirs(self.options.keep, exist_ok=True)
        base = os.path.join(self.options.keep, "%d-%d" % (self.options.seed, number))
        with open(base + ".design.json", "w", encoding="utf-8") as file:
            json.dump(design, file, indent=1)
        with open(base + ".net", "wb") as file:
            file.write(text)
        print("  kept:   %s.design.json %s.net; again: --replay %d:%d" % (base, base, self.options.seed, number))

    def rounds(self):
        """Returns how many were wrong."""
        for number in self.numbers():
            self.round(number)
        return self.tally["wrong"]

    def run(self):
        print("campaign: seed %d, %d rounds" % (self.options.seed, self.options.rounds))
        start = time.monotonic()
        self.rounds()
        self.table()
        seconds = time.monotonic() - start
        print("campaign: seed %d: %d exact, %d cheaper, %d ambiguous, %d wrong in %.1f s; %d designs refused" % (
            self.options.seed, self.tally["exact"], self.tally["cheaper"], self.tally["ambiguous"],
            self.tally["wrong"], seconds, self.refused))
        return 1 if self.tally["wrong"] or any(self.lost.values()) or any(self.false.values()) else 0

    def numbers(self):
        if self.options.replay:
            return [int(self.options.replay.split(":")[1])]
        return range(self.options.rounds)

    def table(self):
        table_print(self.hit, self.lost, self.false)
        for (verdict, words), count in sorted(self.kinds.items()):
            print("%-9s %5d x %s" % (verdict, count, words))
        print("faults: %s" % ", ".join("%s %d" % item for item in sorted(self.faults.items())))


def read_options(arguments):
    parser = argparse.ArgumentParser(description="Random faults in random fabrics, and whether ftcheck names them.")
    parser.add_argument("--seed", type=int, default=1, help="default: 1; 0: of the clock")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--replay", metavar="SEED:ROUND", help="one round again, in full")
    parser.add_argument("--keep", metavar="DIR", help="where wrong rounds are kept")
    parser.add_argument("--size", choices=["small", "all"], default="all")
    parser.add_argument("--levels", type=int, choices=[2, 3], default=2)
    parser.add_argument("--across", action="store_true", help="a dead switch and cables swapped across levels; with "
                        "--levels 3")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the designs that ftplan refuses")
    options = parser.parse_args(arguments)
    if options.across and options.levels != 3:
        parser.error("--across is for --levels 3")
    if options.replay:
        options.seed = int(options.replay.split(":")[0])
    if options.seed == 0:
        options.seed = int(time.time()) % 1000000
    return options


def run(arguments=None):
    return Campaign(read_options(arguments)).run()


def main(arguments, replayed):
    """@replayed: rounds that were wrong once; with no arguments on the command line they are run as well."""
    status = run(arguments + sys.argv[1:])
    for number in () if sys.argv[1:] else replayed:
        status = run(arguments + ["--replay", number]) or status
    return status


if __name__ == "__main__":
    sys.exit(main([], ["1:201", "9101:105", "9101:576", "9124:303", "9131:53", "9131:457", "9131:981", "9124:234", "9141:977", "9151:429", "10100:942", "10100:793", "9131:56", "9141:875", "11101:242", "11101:428"]))
