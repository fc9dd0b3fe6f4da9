#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Random graphs of many families, random faults that know nothing but a graph, and whether ftcheck names them.

Each round draws a network (graphs.py), writes it as a design, builds the fabric, breaks it in up to three ways and runs
ftcheck over it. Switches have the planned names, half of them, others that say nothing, or all one name; in designs with
GUIDs some are told by those. A round is

  exact    the findings are the injected ones;
  cheaper  they are not, but plan and findings are what is observed (oracle.py), and they are fewer, or of fewer cables;
  equal    likewise, and they are as many: nobody could have told better; or as many but for hosts, or swapped cables are
           told as exchanged switches: then an alternative must tell what was injected;
  wrong    anything else: a fault that is lost, a finding at warning or above without a cause, wrong counts, wrong exit
           status, or plan and findings are not what is observed.

Several switches that are dead together are one finding or more: each connected part of them at least one, and never more
than there are switches.

A metamorphic round asks again: with the records in another order, from another entry point, and with other GUIDs. The
findings must be the same then, in the first two cases the ids too.

  campaign_graph.py [--seed N] [--rounds N] [--families A,B,…] [--names WAY,…] [--crowded] [--replay SEED:ROUND]
                    [--keep-wrong DIR]
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign  # noqa: E402
import graphs  # noqa: E402
from fabric import Fabric, Node  # noqa: E402
from oracle import GONE, MOVED, NAMED, Finding, Oracle  # noqa: E402

NAMES = {"planned": 4, "none": 4, "half": 2, "strange": 1, "guids": 1}
# A cable that is slow among few of its sort is not known to be: the rate is voted by sort where the design says none.
RATE_VOTERS = 12
MANY_HOSTS = ("hosts-unplanned", "edge-overloaded")
# What another explanation may be made of. A switch that is not there and a stranger may be one that was replaced; where
# nothing has a name, one with too many hosts may be another one, and a switch with one host a leaf or a spine with a
# host on it.
READINGS = campaign.STRUCTURE | {"switch-replaced", "switch-mute", "edge-overloaded", "host-on-core"}


class Broken:
    """A fabric that is broken step by step, and what should be found."""

    def __init__(self, rng, graph, fabric, rate_said):
        self.rng, self.graph, self.fabric, self.rate_said = rng, graph, fabric, rate_said
        self.plan = graph.plan()
        self.guid = {n.description.decode(): n.guid for n in fabric.switches()}
        self.name = {g: n for n, g in self.guid.items()}
        self.hosting = {s.kind for s in graph.switches.values() if s.hosts}
        self.kinds = []
        self.touched = set()  # ends of cables that a fault has used
        self.involved = set()  # switches of a fault: they do not die as well
        self.missing = collections.Counter()  # pair of GUIDs -> cables that were pulled
        self.findings = []
        self.dead = set()  # GUIDs of switches that are not there
        self.parts = []  # sets of switches that died together
        self.silent = {}  # ends that face a switch that does not answer -> rate
        self.host_fault = False
        # What is plugged in goes into ports that the plan leaves open.
        self.spare = {n.guid: set(n.free_ports()) for n in fabric.switches()}
        self.next_guid = 0x300001

    def alive(self):
        return [g for g in self.name if g not in self.dead]

    def hosts_planned(self, guid):
        return self.graph.switches[self.name[guid]].hosts

    def cables(self):
        """Those of the plan that are as planned: (guid, port, guid, port), in the order of the plan."""
        return [c for c in self.fabric.edges() if c[0] in self.name and c[2] in self.name and c[0] != c[2]
                and c[:2] not in self.touched and c[2:] not in self.touched]

    def spare_cables(self):
        """Cables of switches that keep another one that is as planned."""
        cables = self.cables()
        left = collections.Counter(g for c in cables for g in (c[0], c[2]))
        return [c for c in cables if left[c[0]] > 1 and left[c[2]] > 1]

    def spare_ports(self, guid):
        return sorted(self.spare[guid] - set(self.fabric.nodes[guid].links))

    def with_spare(self, ports=1):
        return [g for g in self.alive() if len(self.spare_ports(g)) >= ports]

    def note(self, code, *ends, count=1):
        self.findings.append(Finding(code, ends, count))
        self.touched.update(ends)
        self.involved.update(g for g, _ in ends)
        return True

    def turned(self, cable):
        return cable if self.rng.random() < 0.5 else cable[2:] + cable[:2]

    # Cables

    def pull(self):
        cables = self.spare_cables()
        if not cables:
            return False
        a, port, b, far_port = self.rng.choice(cables)
        return self.pull_these([(a, port, b, far_port)])

    def pull_these(self, cables):
        for a, port, b, far_port in cables:
            self.fabric.unlink(a, port)
            self.missing[frozenset((a, b))] += 1
            self.touched.update(((a, port), (b, far_port)))
            self.involved.update((a, b))
        return True

    def pull_several(self):
        """Up to the whole bundle of a pair."""
        bundles = collections.defaultdict(list)
        for cable in self.cables():
            bundles[frozenset((cable[0], cable[2]))].append(cable)
        left = collections.Counter(g for c in self.cables() for g in (c[0], c[2]))
        bundles = [b for b in bundles.values() if len(b) > 1
                   and all(left[g] > len(b) for g in (b[0][0], b[0][2]))]
        if not bundles:
            return False
        bundle = self.rng.choice(bundles)
        return self.pull_these(self.rng.sample(bundle, self.rng.randint(2, len(bundle))))

    def misplace(self):
        """One end of a cable, in a free port of another switch."""
        cables = self.spare_cables()
        if not cables:
            return False
        near, port, old, old_port = self.turned(self.rng.choice(cables))
        others = [g for g in self.with_spare() if g not in (near, old)]
        if not others:
            return False
        to = self.rng.choice(others)
        to_port = self.rng.choice(self.spare_ports(to))
        self.fabric.link(near, port, to, to_port, self.fabric.unlink(near, port))
        self.involved.add(old)
        self.touched.add((old, old_port))
        return self.note("cable-misplaced", (near, port), (to, to_port))

    def swap(self, count):
        """One end each of cables that share no switch, exchanged in a cycle."""
        cables, chosen, used = self.spare_cables(), [], set()
        self.rng.shuffle(cables)
        for cable in map(self.turned, cables):
            if len(chosen) < count and not used & {cable[0], cable[2]}:
                chosen.append(cable)
                used |= {cable[0], cable[2]}
        if len(chosen) < count:
            return False
        moved = [frozenset((c[0], chosen[(i + 1) % count][2])) for i, c in enumerate(chosen)]
        planned = [frozenset((c[0], c[2])) for c in chosen]
        if collections.Counter(moved) == collections.Counter(planned):
            return False
        rates = [self.fabric.unlink(*c[:2]) for c in chosen]
        ends = []
        for i, cable in enumerate(chosen):
            far = chosen[(i + 1) % count][2:]
            self.fabric.link(*cable[:2], *far, rates[i])
            ends += [cable[:2], far]
        return self.note("cables-swapped", *ends, count=count)

    def swap_two(self):
        return self.swap(2)

    def swap_three(self):
        return self.swap(3)

    def unplanned_cable(self):
        ends = self.with_spare()
        if len(ends) < 2:
            return False
        a, b = self.rng.sample(ends, 2)
        a, b = (a, self.rng.choice(self.spare_ports(a))), (b, self.rng.choice(self.spare_ports(b)))
        self.fabric.link(*a, *b, graphs.RATE)
        return self.note("cable-unplanned", a, b)

    def loopback(self):
        ends = self.with_spare(2)
        if not ends:
            return False
        guid = self.rng.choice(ends)
        a, b = self.rng.sample(self.spare_ports(guid), 2)
        self.fabric.link(guid, a, guid, b, graphs.RATE)
        return self.note("loopback", (guid, a), (guid, b))

    def change_rate(self, code, rate_of):
        sort = collections.Counter(self.sort_of(c) for c in self.cables())
        cables = [c for c in self.cables() if self.rate_said or sort[self.sort_of(c)] >= RATE_VOTERS]
        if not cables or any(f.code in ("cable-slow", "cable-narrow") for f in self.findings):
            return False
        cable = self.rng.choice(cables)
        self.fabric.set_rate(*cable[:2], rate_of(self.fabric.nodes[cable[0]].rates[cable[1]]))
        return self.note(code, cable[:2], cable[2:])

    def sort_of(self, cable):
        return frozenset(self.plan.kinds[self.name[g]] for g in (cable[0], cable[2]))

    def slow(self):
        return self.change_rate("cable-slow", lambda rate: "4xFDR")

    def narrow(self):
        return self.change_rate("cable-narrow", lambda rate: rate.replace("4x", "1x"))

    # Switches

    def kill(self, victims, mute=False):
        """@victims die, with their hosts and with whatever hangs on the fabric by them only."""
        victims = set(victims) - self.dead
        if not victims or self.parts or len(victims) > len(self.alive()) // 3:
            return False
        gone = self.cut_off_with(victims)
        if gone is None or gone & self.involved or any(f in self.involved for f in self.hosts_on(gone)):
            return False
        around = {self.guid[n] for n in self.plan.neighbours({self.name[g] for g in gone})}
        if any(self.left(g, gone) < 1 for g in around):
            return False
        for guid in gone:
            for port, far in list(self.fabric.nodes[guid].links.items()):
                if mute and guid in victims and far[0] in self.name and far[0] not in gone:
                    self.silent[far] = self.fabric.nodes[guid].rates[port]
        for guid in self.hosts_on(gone) + sorted(gone):
            self.fabric.remove(guid)
        self.dead |= gone
        self.parts.append((gone, mute))
        self.involved |= around
        return True

    def left(self, guid, gone):
        """Its cables that are as planned and not to these."""
        return sum(guid in (c[0], c[2]) and not {c[0], c[2]} & gone for c in self.cables())

    def hosts_on(self, switches):
        return sorted({far for g in switches for far, _ in self.fabric.nodes[g].links.values() if far not in self.name
                       and self.fabric.nodes[far].kind == "H"})

    def cut_off_with(self, victims):
        """@victims and what is then not in the largest part; None where that is less than half of the fabric."""
        left = {self.name[g] for g in self.alive()} - {self.name[g] for g in victims}
        parts = sorted(self.plan.parts(left), key=len)
        if not parts or len(parts[-1]) < len(self.name) // 2:
            return None
        return set(victims) | {self.guid[n] for part in parts[:-1] for n in part}

    def dead_switch(self):
        return self.kill([self.rng.choice(self.alive())])

    def mute_switch(self):
        return self.kill([self.rng.choice(self.alive())], mute=True)

    def dead_group(self):
        groups = [g for g in self.graph.groups if g]
        return bool(groups) and self.kill({self.guid[n] for n in self.rng.choice(groups)})

    def unplanned_switch(self):
        ends = self.with_spare()
        if not ends:
            return False
        ends = self.rng.sample(ends, min(len(ends), self.rng.randint(1, 3)))
        node = self.fabric.add(Node("S", self.new_guid(), 36, b"stray", 20000 + self.next_guid % 9999))
        for number, guid in enumerate(ends, 1):
            self.fabric.link(guid, self.rng.choice(self.spare_ports(guid)), node.guid, number, graphs.RATE)
        self.involved.update(ends)
        return self.note("switch-unplanned", (node.guid, None))

    def new_guid(self):
        self.next_guid += 2
        return self.next_guid

    # Hosts

    def hosts_at(self, guid):
        return [h for h in self.hosts_on([guid]) if (h, 1) not in self.touched]

    def pull_hosts(self):
        switches = [g for g in self.alive() if self.hosts_at(g)]
        if self.host_fault or not switches or len(self.fabric.hosts()) < 6:
            return False
        self.host_fault = True
        for guid in self.rng.sample(switches, min(len(switches), self.rng.randint(1, 3))):
            hosts = self.hosts_at(guid)
            gone = self.rng.sample(hosts, self.rng.randint(1, min(3, len(hosts))))
            if len(self.fabric.hosts()) > len(gone) + 1:
                for host in gone:
                    self.fabric.remove(host)
            self.involved.add(guid)
        return True

    def add_hosts(self):
        switches = [g for g in self.with_spare() if self.hosts_planned(g)]
        if self.host_fault or not switches:
            return False
        self.host_fault = True
        guid = self.rng.choice(switches)
        free = self.spare_ports(guid)
        for port in self.rng.sample(free, self.rng.randint(1, min(3, len(free)))):
            self.new_host(guid, port)
        self.involved.add(guid)
        return True

    def new_host(self, guid, port):
        host = self.fabric.add(Node("H", self.new_guid(), 1, b"stray%d" % self.next_guid,
                                    30000 + self.next_guid % 9999))
        self.fabric.link(guid, port, host.guid, 1, graphs.RATE)
        return host.guid

    def host_on_core(self):
        """A host on a switch of a kind that has none."""
        switches = [g for g in self.with_spare() if self.plan.kinds[self.name[g]] not in self.hosting]
        hosts = [h.guid for h in self.fabric.hosts() if (h.guid, 1) not in self.touched]
        if self.host_fault or not switches or len(hosts) < 4:
            return False
        self.host_fault = True
        core = self.rng.choice(switches)
        port = self.rng.choice(self.spare_ports(core))
        host = self.rng.choice(hosts)
        if self.rng.random() < 0.6:
            self.involved.add(self.fabric.nodes[host].links[1][0])
            self.fabric.link(core, port, host, 1, self.fabric.unlink(host, 1))
        else:
            host = self.new_host(core, port)
        return self.note("host-on-core", (core, port), (host, 1))

    KINDS = [(pull, 4), (pull_several, 3), (misplace, 6), (swap_two, 4), (swap_three, 3), (unplanned_cable, 3),
             (loopback, 2), (dead_switch, 5), (mute_switch, 1), (dead_group, 2), (unplanned_switch, 2), (slow, 2),
             (narrow, 1), (pull_hosts, 3), (add_hosts, 1), (host_on_core, 2)]

    def break_it(self, count):
        campaign.draw_faults(self, count)

    def truth(self):
        """What was broken, in the terms of the report."""
        result = [Finding("cable-missing", [(g, None) for g in sorted(pair)], n) for pair, n in self.missing.items()]
        result += self.findings
        for gone, mute in self.parts:
            names = {self.name[g] for g in gone}
            around = {self.guid[n] for n in self.plan.neighbours(names)} - self.dead
            hosting = any(self.plan.kinds[n] in self.hosting for n in names)
            code = "switch-mute" if mute else "edge-isolated" if hosting else "core-missing"
            result.append(Finding(code, [(g, None) for g in sorted(around)]))
            result[-1].several = len(gone)
        return result + self.host_findings()

    def host_findings(self):
        if any(f.code == "host-on-core" for f in self.findings):
            return []
        found = {g: len(self.hosts_on([g])) for g in self.alive()}
        result = []
        for code, sign in (("hosts-missing", -1), ("hosts-unplanned", 1)):
            off = {g: sign * (n - self.hosts_planned(g)) for g, n in found.items()}
            switches = [g for g, n in off.items() if n > 0]
            if switches:
                result.append(Finding(code, [(g, None) for g in switches], sum(off[g] for g in switches)))
        return result


class Crowded(Broken):
    """Faults at the same few switches: beside a dead one, in ports that it left free, in half of a bundle, at both ends."""

    def both_ends(self):
        """A cable with both ends elsewhere is a missing and an unplanned one."""
        cables = self.spare_cables()
        if not cables:
            return False
        cable = self.rng.choice(cables)
        others = [g for g in self.with_spare() if g not in (cable[0], cable[2])]
        if len(others) < 2:
            return False
        a, b = ((g, self.rng.choice(self.spare_ports(g))) for g in self.rng.sample(others, 2))
        self.pull_these([cable])
        self.fabric.link(*a, *b, graphs.RATE)
        return self.note("cable-unplanned", a, b)

    def half_bundle(self):
        """Half of the cables between two switches, with their ends at one of them on another neighbour of the other."""
        bundles, left = collections.defaultdict(list), collections.Counter()
        for cable in self.cables():
            for near, port, far, far_port in (cable, cable[2:] + cable[:2]):
                bundles[near, far].append((near, port, far, far_port))
                left[near] += 1
        choices = [(near, old, to) for (near, old), cables in bundles.items() if len(cables) > 1
                   for (other, to) in bundles if other == near and to != old
                   and len(self.spare_ports(to)) >= len(cables) // 2 < left[old]]
        if not choices:
            return False
        near, old, to = self.rng.choice(sorted(choices))
        for cable in self.rng.sample(bundles[near, old], len(bundles[near, old]) // 2):
            self.plug(cable, (to, self.rng.choice(self.spare_ports(to))))
        return True

    def plug(self, cable, to):
        """The far end of a cable goes into another port."""
        self.fabric.link(*cable[:2], *to, self.fabric.unlink(*cable[:2]))
        self.involved.add(cable[2])
        self.touched.add(cable[2:])
        return self.note("cable-misplaced", cable[:2], to)

    def around_dead(self):
        """Neighbours of the switches that are dead; one dies if none has."""
        if not self.parts and not self.dead_switch():
            return set()
        gone = set().union(*(gone for gone, _ in self.parts))
        return {self.guid[n] for n in self.plan.neighbours({self.name[g] for g in gone})} - self.dead

    def swap_beside_dead(self):
        around, cables = self.around_dead(), [self.turned(c) for c in self.spare_cables()]
        self.rng.shuffle(cables)
        for one in (c for c in cables if around & {c[0], c[2]}):
            for two in (c for c in cables if not {one[0], one[2]} & {c[0], c[2]}):
                rates = self.fabric.unlink(*one[:2]), self.fabric.unlink(*two[:2])
                self.fabric.link(*one[:2], *two[2:], rates[0])
                self.fabric.link(*two[:2], *one[2:], rates[1])
                return self.note("cables-swapped", one[:2], two[2:], two[:2], one[2:], count=2)
        return False

    def misplace_beside_dead(self):
        """A cable of a neighbour of a dead switch, in a port of another neighbour, which may be one that went dark."""
        around = self.around_dead()
        cables = [c for c in map(self.turned, self.spare_cables()) if c[0] in around]
        if not cables:
            return False
        cable = self.rng.choice(cables)
        free = [(g, p) for g in sorted(around - {cable[0], cable[2]}) for p in self.fabric.nodes[g].free_ports()]
        return bool(free) and self.plug(cable, self.rng.choice(free))

    KINDS = [(both_ends, 1), (half_bundle, 1), (swap_beside_dead, 1), (misplace_beside_dead, 1)]


class Masked:
    """The fabric as it is shown to ftcheck: other GUIDs, names and order of records, and findings in those terms."""

    def __init__(self, rng, broken, way):
        fabric = broken.fabric
        everybody = list(fabric.nodes) + sorted(broken.dead)
        self.guids = dict(zip(everybody, rng.sample(range(0x0002C90300000000, 0x0002C90300FFFFF0, 16), len(everybody))))
        planned = {g for g in broken.name if g in fabric.nodes}
        known = {"planned": planned, "half": set(rng.sample(sorted(planned), len(planned) // 2))}.get(way, set())
        for node in fabric.switches():
            if node.guid in known:
                continue
            node.description = b"sw-%012x" % self.guids[node.guid] if way == "strange" else b"MT Switch"
        order = list(fabric.nodes)
        rng.shuffle(order)
        self.fabric = fabric.renamed(self.guids, order, systems=False)
        self.silent = {(self.guids[g], p): rate for (g, p), rate in broken.silent.items() if g in fabric.nodes}
        self.truth = []
        for finding in broken.truth():
            turned = Finding(finding.code, [(self.guids[g], p) for g, p in finding.places], finding.count)
            turned.several = getattr(finding, "several", 0)
            self.truth.append(turned)

    def write(self, entry, fabric=None, silent=None, order=None):
        fabric, silent = fabric or self.fabric, self.silent if silent is None else silent
        if silent:
            return fabric.write_snapshot(silent, order, entry)
        return fabric.write(order, entry)


def difference(truth, found):
    """(only in the truth, only in the report). Switches that died together are one finding or several, and hosts that are
    too many are called so or an overload."""
    truth, found = list(truth), list(found)
    if any(f.code == "switch-mute" for f in truth):
        # What lies behind it was not reached.
        found = [f for f in found if f.code != "sweep-incomplete"]
    for dead in [f for f in truth if getattr(f, "several", 0) > 1]:
        near = {g for g, _ in dead.places}
        mine = [f for f in found if f.code in GONE and {g for g, _ in f.places} <= near]
        if 0 < len(mine) <= dead.several and {g for f in mine for g, _ in f.places} == near:
            truth.remove(dead)
            found = [f for f in found if f not in mine]
    for many in [f for f in truth if f.code == "hosts-unplanned"]:
        mine = [f for f in found if f.code in MANY_HOSTS]
        if mine and {g for f in mine for g, _ in f.places} == {g for g, _ in many.places}:
            truth.remove(many)
            found = [f for f in found if f not in mine]
    return campaign.difference(truth, found)


def judge(graph, fabric, report, truth, figures=True, guids=None):
    """(class, words); @guids: GUID -> name, of switches that the design tells by it"""
    oracle = Oracle(graph.plan(), fabric, report)
    lost, false = difference(truth, oracle.findings)
    trouble = oracle.inconsistency()
    if not lost and not false:
        trouble = trouble or misnamed(oracle, guids or {}) or wrong_places(oracle, truth)
        trouble = trouble or (wrong_figures(oracle, truth) if figures else None)
        return ("wrong", trouble) if trouble else ("exact", "")
    words = "%s read as %s" % tuple(" + ".join(sorted(f.code for f in x)) or "nothing" for x in (lost, false))
    lost, _ = campaign.rates_of_named(oracle, lost)
    if any(f.code not in READINGS for f in lost + false):
        return "wrong", words
    if trouble:
        return "wrong", "%s: %s" % (words, trouble)
    trouble = misnamed(oracle, guids or {})
    if trouble and is_exchange(oracle, lost, false):
        return "equal", words
    if trouble:
        return "wrong", "%s: %s" % (words, trouble)
    mine, theirs = price(false), price(lost)
    if is_elsewhere(lost, false):
        return "equal", words
    if mine[:2] == theirs[:2] and is_other_reading(oracle, lost):
        return "equal", words
    if mine > theirs and moves(oracle.findings) >= moves(truth):
        return "wrong", "%s: price %s, the truth's is %s" % (words, mine, theirs)
    if mine != theirs:
        return "cheaper", words
    return "equal", words


def price(findings):
    """As campaign.price(), with all READINGS. A host on a core is a cable of which one end is wrong, and switches that died
    together are as many here."""
    _, cables, hosts = campaign.price(findings)
    together = sum(max(getattr(f, "several", 0) - 1, 0) for f in findings)
    return (sum(f.code in READINGS for f in findings) + together,
            cables + together + sum(f.code == "host-on-core" for f in findings), hosts)


def moves(findings):
    """As campaign.moves(), with all READINGS. Switches that died together are as many here."""
    return sum(f.count - 1 if f.code == "cables-swapped" else getattr(f, "several", 0) or 1 for f in findings
               if f.code in READINGS)


def misnamed(oracle, guids):
    """A switch that has the name of a planned one, or in @guids the GUID, but is taken for another: none is exchanged
    here."""
    for node in oracle.fabric.switches():
        name, vertex = node.description.decode(errors="replace"), oracle.vertex[node.guid]
        name = guids.get(node.guid, name)
        if name in oracle.plan.kinds and vertex != name:
            return "%s is taken for %s" % (name, vertex)
    return None


def place_of(names, guid):
    """A pattern of a switch in a sentence: its name, and its GUID, without which only a name that no other has tells it."""
    shared = sum(n == names[guid] for n in names.values()) > 1
    return r"%s(?: 0x%016x)%s(?: \([^)]*\))?" % (re.escape(names[guid]), guid, "" if shared else "?")


def is_exchange(oracle, lost, false):
    """Several swaps read as exchanged switches alone, with all ends of their cables in an alternative."""
    if len(lost) < 2 or {f.code for f in lost} != {"cables-swapped"} or {f.code for f in false} != {"switch-replaced"}:
        return False
    told = "; ".join(a for f in false for a in f.alternatives)
    names = {n.guid: n.description.decode(errors="replace") for n in oracle.fabric.switches()}
    return all(re.search(r"%s port %d\b" % (place_of(names, g), p), told)
               for f in lost for g, p in f.places)


def is_elsewhere(lost, false):
    """Switches that died together are all that was not told, and each is told, but beside switches that are like those it was
    cabled to; the report says so."""
    return len(lost) == 1 and getattr(lost[0], "several", 0) >= len(false) > 0 and all(
        f.code in GONE and any(a.startswith("it may have been cabled to another of") for a in f.alternatives) for f in false)


HOST_CODES = ("hosts-missing", "hosts-unplanned")
# How sentences of these begin, or go on.
SENTENCES = {"edge-isolated": "is cut off or powered down", "core-missing": "is missing",
             "switch-unplanned": "%s is not in the plan", "cable-misplaced": "the cable from %s"}


def is_other_reading(oracle, lost):
    """Its faults are told as the other reading, which is as short but for hosts: those of a dead switch are missing too."""
    names = {n.guid: n.description.decode(errors="replace") for n in oracle.fabric.switches()}
    told = "; ".join(a for f in oracle.findings for a in f.alternatives)
    faults = [f for f in lost if f.code not in HOST_CODES]
    return bool(faults) and all(is_told(f, names, told) for f in faults)


def is_told(finding, names, told):
    """Whether @told, sentences of alternatives, has one for @finding; one that names a switch must name one of its."""
    sentence = SENTENCES.get(finding.code)
    places = [g for g, _ in finding.places if g in names]
    if sentence is None or ("%s" in sentence and not places):
        return False
    named = "|".join(place_of(names, g) for g in places)
    return bool(re.search(sentence.replace("%s", "(?:%s)" % named), told))


def wrong_places(oracle, truth):
    """A finding that is right in code and switches, but not in cables and counts."""
    counts = [sorted((f.key, f.count) for f in findings if f.code == "cable-missing")
              for findings in (oracle.findings, truth)]
    if counts[0] != counts[1]:
        return "cable-missing counts differ"
    for finding in oracle.findings:
        if finding.code == "cable-missing" or finding.code in GONE - {"switch-mute"}:
            for guid, port in finding.places:
                if port is not None and port in oracle.fabric.nodes[guid].links:
                    return "%s names a port that is cabled" % finding
    return None


def wrong_figures(oracle, truth):
    """What of counts and verdict is not as it must be, given the truth."""
    counts, report = oracle.report["counts"], oracle.report
    codes = collections.Counter(f.code for f in truth)
    mute = any(f.code == "switch-mute" for f in truth)
    planned = sum(oracle.plan.pairs.values())
    named = collections.Counter(frozenset(oracle.vertex[g] for g, _ in cable) for f in oracle.findings
                                if f.code in NAMED for cable in oracle.cables_of(f))
    there = collections.Counter()
    for a, _, b, _ in oracle.fabric.edges():
        if a in oracle.vertex and b in oracle.vertex:
            there[frozenset((oracle.vertex[a], oracle.vertex[b]))] += 1
    up = sum(min(n, there[p] - named[p]) for p, n in oracle.plan.pairs.items())
    moved = sum(f.count for f in truth if f.code in MOVED)
    expected = {"uplinks.planned": planned, "hosts.found": len(oracle.fabric.hosts()),
                "hosts.planned": sum(oracle.plan.hosts.values())}
    if not mute:
        expected.update({"uplinks.up": up, "uplinks.misplaced": moved, "uplinks.missing": planned - up - moved,
                         "uplinks.unplanned": codes["cable-unplanned"]})
    for key, value in expected.items():
        group, name = key.split(".")
        if counts[group][name] != value:
            return "%s is %s, should be %s" % (key, counts[group][name], value)
    severities = {f["severity"] for f in report["findings"]}
    worst = next((v for v in ("critical", "warning") if v in severities), "ok")
    if report["verdict"] != worst:
        return "the verdict is %s, should be %s" % (report["verdict"], worst)
    return None


class Campaign(campaign.Campaign):
    explained = ("cheaper", "equal")
    difference = staticmethod(difference)
    binds = False  # with_guids() binds the switches of designs that list none

    def __init__(self, options):
        super().__init__(options)
        self.families = collections.defaultdict(collections.Counter)

    def round(self, number):
        rng = random.Random("graph:%d:%d" % (self.options.seed, number))
        graph = graphs.draw(rng, self.options.families, self.options.most)
        way = rng.choices(self.options.names, [NAMES[w] for w in self.options.names])[0]
        as_tree = graph.tree is not None and rng.random() < self.options.trees or graph.tree_only
        if as_tree and ((way == "guids" and not self.binds) or graph.tree_named):
            way = "planned"
        design = self.tree_design(graph, rng) if as_tree else graph.design(rng)
        broken, entry = self.break_fabric(rng, graph, "rate" in design)
        masked = Masked(rng, broken, way)
        if way == "guids":
            design = self.with_guids(design, graph, broken, masked, rng)
        text = masked.write(masked.guids[entry])
        self.asked_again = None
        verdict, words, report = self.ask(design, graph, masked, text)
        if verdict != "wrong" and report and rng.random() < self.options.metamorphic:
            trouble = self.metamorphic(rng, design, masked, report, masked.guids[entry], way)
            if trouble:
                verdict, words = "wrong", trouble
        self.families[graph.family][verdict] += 1
        for kind in broken.kinds:
            self.faults[kind] += 1
        self.count(verdict, words, masked.truth, report)
        if verdict == "wrong" or self.options.replay:
            words = "%s, names %s: %s" % (graph.family, way, words)
            self.show(number, verdict, words, broken.kinds, masked.truth, report, design, text)
        return verdict

    @staticmethod
    def tree_design(graph, rng):
        design = {"ftcheck": 1, "name": "campaign", "topology": "fat-tree", **graph.tree}
        if graph.rates or rng.random() < 0.5:
            design["rate"] = graphs.RATE
        return design

    @staticmethod
    def with_guids(design, graph, broken, masked, rng):
        """Two thirds of the switches are told by their GUIDs."""
        names = rng.sample(sorted(graph.switches), len(graph.switches) * 2 // 3)
        guids = {n: masked.guids[broken.guid[n]] for n in names}
        return dict(design, switches=graph.design_switches(True, guids))

    def break_fabric(self, rng, graph, rate_said):
        while True:
            broken = (Crowded if self.options.crowded else Broken)(rng, graph, graph.fabric(rng), rate_said)
            broken.break_it(rng.choices([0, 1, 2, 3], [1, 6, 4, 2])[0])
            hosts = [h.guid for h in broken.fabric.hosts() if h.links]
            entry = rng.choice(hosts) if hosts else rng.choice(broken.alive())
            if len(broken.fabric.reachable(entry)) == len(broken.fabric.nodes):
                return broken, entry

    def check(self, design, text):
        """(report, words): what ftcheck says of a fabric, or what is wrong with how it ended."""
        path = os.path.join(self.directory.name, "design.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(design, file)
        try:
            done = self.run_program(self.ftcheck, "--plan", path, "--from", "-", "--format", "json",
                                    "--critical", "100", stdin=text, statuses=(0, 1, 2, 3))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return None, str(error)
        if not done.stdout:
            return None, "status %d: %s" % (done.returncode, done.stderr.decode(errors="replace").strip())
        report = json.loads(done.stdout)
        if campaign.EXIT.get(report["verdict"]) != done.returncode:
            return report, "status %d with verdict %s" % (done.returncode, report["verdict"])
        if done.stderr:
            return report, "on stderr: %s" % done.stderr.decode(errors="replace").strip()
        return report, ""

    def ask(self, design, graph, masked, text):
        report, words = self.check(design, text)
        if words:
            return "wrong", words, report
        guids = {int(s["guid"], 16): s["name"] for s in design.get("switches", []) if "guid" in s}
        return (*judge(graph, masked.fabric, report, masked.truth, not self.options.no_figures, guids), report)

    def metamorphic(self, rng, design, masked, report, entry, way):
        """What differs where nothing may; None where nothing does."""
        order = list(masked.fabric.nodes)
        rng.shuffle(order)
        hosts = [h.guid for h in masked.fabric.hosts() if h.links] or [entry]
        for words, text in (("with the records in another order", masked.write(entry, order=order)),
                            ("from another entry point", masked.write(rng.choice(hosts)))):
            self.asked_again = text
            other, trouble = self.check(design, text)
            if trouble:
                return "%s: %s" % (words, trouble)
            if told(other) != told(report):
                return "%s: %s" % (words, unlike(told(report), told(other)))
        if any("guid" in s for s in design.get("switches", [])):
            return None
        fresh = rng.sample(range(0x0002C90300000000, 0x0002C90300FFFFF0, 16), len(order))
        guids = dict(zip(order, fresh))
        renamed = masked.fabric.renamed(guids, order, systems=False)
        for node in renamed.switches() if way == "strange" else ():
            node.description = b"sw-%012x" % node.guid
        silent = {(guids[g], p): rate for (g, p), rate in masked.silent.items()}
        self.asked_again = masked.write(guids[entry], renamed, silent, fresh)
        other, trouble = self.check(design, self.asked_again)
        if trouble:
            return "with other GUIDs: %s" % trouble
        # Which of several explanations that cost the same is told may hang on GUIDs where nothing else tells.
        if way == "planned":
            mine, theirs = told(report, guids), told(other, {g: g for g in fresh})
        else:
            mine, theirs = ([price([Finding.read(f) for f in r["findings"]])] for r in (report, other))
        return None if mine == theirs else "with other GUIDs: %s" % unlike(mine, theirs)

    def show(self, number, verdict, words, kinds, truth, report, design, text):
        super().show(number, verdict, words, kinds, truth, report, design, text)
        base = os.path.join(self.options.keep, "%d-%d" % (self.options.seed, number))
        if self.asked_again:
            with open(base + ".again.net", "wb") as file:
                file.write(self.asked_again)
        with open(base + ".expected.txt", "w", encoding="utf-8") as file:
            file.write("%s\n" % words + "".join("expected: %s\n" % f for f in sorted(map(str, truth))))

    def table(self):
        super().table()
        print("%-12s %6s %6s %8s %6s" % ("family", "exact", "equal", "cheaper", "wrong"))
        for family, tally in sorted(self.families.items()):
            print("%-12s %6d %6d %8d %6d" % (family, tally["exact"], tally["equal"], tally["cheaper"], tally["wrong"]))

    def run(self):
        print("campaign, graphs: seed %d, %d rounds" % (self.options.seed, self.options.rounds))
        start = time.monotonic()
        self.rounds()
        self.table()
        print("campaign, graphs: seed %d: %d exact, %d equal, %d cheaper, %d wrong in %.1f s" % (
            self.options.seed, self.tally["exact"], self.tally["equal"], self.tally["cheaper"], self.tally["wrong"],
            time.monotonic() - start))
        return 1 if self.tally["wrong"] > self.options.tolerate * self.options.rounds else 0


def told(report, guids=None):
    """The findings, as they can be compared; with @guids: in the terms of other GUIDs."""
    result = []
    for f in report["findings"]:
        where = [(int(p["guid"], 16) if p["guid"] else 0, p["port"]) for p in f["where"]]
        if guids is None:
            result.append((f["id"], f["code"], f["severity"], f["evidence"], f["count"], f["text"]))
        else:
            where = sorted((guids.get(g, g), -1 if p is None else p) for g, p in where)
            # An id begins with the least GUIDs of the places, which are others then.
            shape = re.sub(r"0x[0-9a-f]{16}(:[0-9]+)?", "", f["id"])
            result.append((f["code"], f["severity"], f["count"], where, shape))
    return sorted(result, key=str)


def unlike(mine, theirs):
    only = [[x for x in a if x not in b] for a, b in ((mine, theirs), (theirs, mine))]
    return "%s, and then %s" % tuple("; ".join(map(str, x))[:300] or "nothing" for x in only)


def words_of(choices):
    def read(text):
        words = text.split(",")
        unknown = [w for w in words if w not in choices]
        if unknown:
            raise argparse.ArgumentTypeError("%s is none of %s" % (unknown[0], ", ".join(choices)))
        return words
    return read


def read_options(arguments):
    parser = argparse.ArgumentParser(description="Random faults in random graphs, and whether ftcheck names them.")
    parser.add_argument("--seed", type=int, default=1, help="default: 1; 0: of the clock")
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--families", type=words_of(graphs.FAMILIES), default=list(graphs.FAMILIES), metavar="NAME,…",
                        help=", ".join(graphs.FAMILIES))
    parser.add_argument("--most", type=int, default=1000, metavar="N", help="networks of at most N switches")
    parser.add_argument("--names", type=words_of(NAMES), default=list(NAMES), metavar="WAY,…", help=", ".join(NAMES))
    parser.add_argument("--trees", type=float, default=0.5, metavar="SHARE", help="of the trees that are designed as such")
    parser.add_argument("--metamorphic", type=float, default=0.3, metavar="SHARE", help="of rounds that ask again")
    parser.add_argument("--crowded", action="store_true", help="faults at the same few switches")
    parser.add_argument("--tolerate", type=float, default=0, metavar="SHARE", help="of rounds that may be wrong; default: 0")
    parser.add_argument("--no-figures", action="store_true", help="look at findings only, not at counts")
    parser.add_argument("--replay", metavar="SEED:ROUND", help="one round again, in full")
    parser.add_argument("--keep-wrong", "--keep", dest="keep", metavar="DIR", help="where wrong rounds are kept")
    options = parser.parse_args(arguments)
    if options.replay:
        options.seed = int(options.replay.split(":")[0])
    if options.seed == 0:
        options.seed = int(time.time()) % 1000000
    options.keep = options.keep or (tempfile.mkdtemp(prefix="ftcheck-rounds.") if options.replay else None)
    return options


def run(arguments=None):
    return Campaign(read_options(arguments)).run()


# Rounds in which a seed here and there found no placing with so few faults as there are, or one that was thought to have
# as few and had more: of small networks, mostly without names.
REPLAYED = {"mesh by rule": (47, 168, 396, 406, 471), "random by rule": (39, 51, 246, 278, 379, 411, 416), "ring by rule": (279, 298, 356, 423, 452),
            "polarfly by rule": (71, 413), "clos by rule": (148, 329, 385), "dragonfly by rule": (1, 9, 96, 240, 303), "dragonfly+ by rule": (309,),
            "torus by rule": (320,)}


def replay():
    with tempfile.TemporaryDirectory() as directory:
        status = [run(["--replay", "1:%d" % number, "--families", family, "--keep", directory])
                  for family, numbers in REPLAYED.items() for number in numbers]
        # A half-named Clos network and a mesh, of which each placing that was found had another fault.
        status += [run(["--replay", "6:%d" % number, "--keep", directory]) for number in (371, 481)]
        # Several cables of one bundle, which were read as a dead switch and an unplanned one in its stead.
        status.append(run(["--replay", "13:116", "--families", "dragonfly+ by rule", "--keep", directory]))
        # A fault at the switches that were placed first, in every order that was tried.
        status.append(run(["--replay", "12:270", "--families", "random by rule", "--keep", directory]))
        # Swapped cables that make two switches look like each other; one swap of three joined to another by a cable that
        # is right; switches with few hosts and a part of their cables, which were read as a dead switch and an unplanned
        # one; a missing and an unplanned cable that ports tell from one that was moved; exchanged names of a tree.
        status += [run(["--replay", number, "--families", family + " by rule", "--keep", directory])
                   for number, family in (("12:121", "ring"), ("13:124", "dragonfly"), ("31:146", "ring"), ("31:254", "mesh"),
                                          ("13:255", "dragonfly"), ("31:90", "hyperx"), ("31:257", "dragonfly+"),
                                          ("31:264", "dragonfly"), ("33:297", "dragonfly+"))]
        # A host on a core that has the rate of its class of edge switches, and no other finding for that.
        status.append(run(["--replay", "51:81", "--keep", directory]))
        # Names that the plan of a tree has invented, where an edge and a core beside dead management switches were taken for
        # others together.
        status.append(run(["--replay", "1:151", "--keep", directory]))
        # A host on a core is one cable with a wrong end, as a misplaced one is.
        status.append(run(["--replay", "53:36", "--families", "dragonfly+ by rule", "--keep", directory]))
        status.append(run(["--replay", "6:143", "--keep", directory]))
        # Two closed trails that cover as many cables, of which one leaves a cable that cannot be paired.
        status.append(run(["--replay", "41:12", "--families", "polarfly by rule", "--keep", directory]))
        # A bundle that was pulled beside a dead leaf; a stranger with another number of ports between dead switches; and one
        # that has cables to the neighbours of a mute spine: each was taken for one of the switches that are not there.
        status.append(run(["--replay", "52:108", "--families", "dragonfly+ by rule", "--keep", directory]))
        status.append(run(["--replay", "1:399", "--keep", directory]))
        status.append(run(["--replay", "53:174", "--families", "clos by rule", "--keep", directory]))
        # Two dead switches beside a tree whose switches are all alike: which of them they were cabled to is said to be unknown.
        status.append(run(["--replay", "41:48", "--families", "islands", "--keep", directory]))
        # What hangs behind a dead switch is not a gap of the sweep.
        status.append(run(["--replay", "9121:89", "--keep", directory]))
        # Two swapped cables beside a dead router, which only the local search that prices the whole assignment tells.
        status.append(run(["--replay", "905:110", "--names", "none,half", "--metamorphic", "0", "--keep", directory]))
        # Of several cables between two switches, the one with the rate of other switches is the misplaced one.
        status.append(run(["--replay", "10100:152", "--metamorphic", "1", "--keep", directory]))
        # Which of two swaps is critical does not hang on GUIDs.
        status.append(run(["--replay", "10100:4", "--metamorphic", "1", "--keep", directory]))
        # A swap beside an unplanned second cable between two switches, which was read as two exchanged switches.
        status.append(run(["--replay", "11100:529", "--keep", directory]))
    return any(status)


def check():
    """For "make check". One round in eighty may be wrong: the search for which switch is which is bounded."""
    status = run(["--names", "planned", "--rounds", "80", "--tolerate", "0.0125"])
    status = replay() or status
    status = run(["--crowded", "--rounds", "60"]) or status
    return run(["--names", "none,half,strange,guids", "--rounds", "80", "--tolerate", "0.0125"]) or status


if __name__ == "__main__":
    sys.exit(run() if sys.argv[1:] else check())
