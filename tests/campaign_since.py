#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""ftcheck --diff under random known changes: one to four at a time, of every kind, in recordings of trees, a torus and a
dragonfly, with names, without, and with the same name everywhere. What is told must be what was done: each change is
one finding that names it, or a part of one that lists all of its kind, and there is no other finding.

    campaign_since.py [--rounds N] [--seed N]
"""
import argparse
import copy
import json
import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fabric import Fabric, Node  # noqa: E402
import results  # noqa: E402
from results import FTCHECK, FTPLAN, result, write  # noqa: E402

DESIGNS = {
    "tree": {"nodes": 60, "edge": {"ports": 24, "ports_to_nodes": 12, "ports_to_core": 8}, "core": {"ports": 24}, "bundle": 2},
    "three levels": {"nodes": 64, "levels": 3, "edge": {"ports": 8}, "spine": {"ports": 8}, "core": {"ports": 8}},
    "directors": {"topology": "fat-tree", "nodes": 24, "bundle": 2,
                  "edge": {"ports": 12, "count": 6, "ports_to_nodes": 4, "ports_to_core": 6},
                  "core": {"ports": 24, "count": 3,
                           "inside": {"line_boards": 4, "line_ports": 6, "fabric_boards": 3, "traces": 2}}},
    "torus": {"topology": "torus", "dims": [4, 4], "edge": {"ports": 24}},
    "dragonfly": {"topology": "dragonfly", "nodes": 72, "edge": {"ports": 12}},
}


class Cannot(Exception):
    """There is no place for that change."""


class Scene:
    """A recording, a later one, and what was done in between."""

    def __init__(self, fabric, chance):
        self.before, self.now, self.chance = fabric, copy.deepcopy(fabric), chance
        self.touched = set()
        self.wanted = []  # (code, words in the text)
        self.fresh = 0xabc0000000

    def new_guid(self):
        self.fresh += 0x100
        return self.fresh

    def take(self, *guids):
        """Each switch or host is changed once."""
        if self.touched & set(guids):
            raise Cannot
        self.touched |= set(guids)

    def name(self, guid):
        return self.now.nodes[guid].description.decode()

    def pick(self, kind):
        nodes = [n for n in self.now.nodes.values() if n.kind == kind and n.guid not in self.touched and n.guid in self.before.nodes]
        if not nodes:
            raise Cannot
        return self.chance.choice(nodes)

    def cable(self):
        """Of two switches that nothing was done to: (guid, port, far guid, far port)."""
        cables = [e for e in self.now.edges() if self.now.nodes[e[0]].kind == self.now.nodes[e[2]].kind == "S" and
                  e[0] != e[2] and not self.touched & {e[0], e[2]}]
        if not cables:
            raise Cannot
        a, port, b, far = self.chance.choice(cables)
        return (a, port, b, far) if self.chance.random() < 0.5 else (b, far, a, port)

    def switch_of(self, host):
        """The only cable of a host: its switch and port there, and its own port."""
        links = list(self.now.nodes[host].links.items())
        if len(links) != 1:
            raise Cannot
        port, (guid, far) = links[0]
        return guid, far, port


def pull(s):
    a, port, b, far = s.cable()
    s.take(a, b)
    s.now.unlink(a, port)
    return "cable-missing", ["port %d" % port, "port %d" % far]


def move(s):
    a, port, b, far = s.cable()
    other = s.pick("S")
    if other.guid in (a, b) or not other.free_ports():
        raise Cannot
    s.take(a, b, other.guid)
    to = s.chance.choice(other.free_ports())
    rate = s.now.unlink(a, port)
    s.now.link(a, port, other.guid, to, rate)
    return "cable-misplaced", [s.name(a), s.name(b), s.name(other.guid)]


def move_port(s):
    a, port, b, far = s.cable()
    if not s.now.nodes[b].free_ports():
        raise Cannot
    s.take(a, b)
    to = s.chance.choice(s.now.nodes[b].free_ports())
    rate = s.now.unlink(a, port)
    s.now.link(a, port, b, to, rate)
    return "cable-wrong-port", [s.name(b), "port %d" % far, "%d" % to]


def swap(s):
    a, port, b, far = s.cable()
    s.touched |= {a, b}
    try:
        c, port_c, d, far_d = s.cable()
    finally:
        s.touched -= {a, b}
    s.take(a, b, c, d)
    one, two = s.now.unlink(a, port), s.now.unlink(c, port_c)
    s.now.link(a, port, d, far_d, one)
    s.now.link(c, port_c, b, far, two)
    return "cables-swapped", [s.name(g) for g in (a, b, c, d)]


def swap_same(s):
    """Two cables between the same two switches: a list of ports that are cabled does not differ."""
    a, port, b, far = s.cable()
    others = [p for p in s.now.links_between(a, b) if p != port]
    if not others:
        raise Cannot
    s.take(a, b)
    port_c = s.chance.choice(others)
    far_c = s.now.nodes[a].links[port_c][1]
    one, two = s.now.unlink(a, port), s.now.unlink(a, port_c)
    s.now.link(a, port, b, far_c, one)
    s.now.link(a, port_c, b, far, two)
    return "cables-swapped", [s.name(a), s.name(b)]


def slow(s):
    a, port, b, far = s.cable()
    s.take(a, b)
    s.now.set_rate(a, port, "4xSDR")
    return "cable-slow", ["port %d" % port, "port %d" % far, "4xSDR"]


def faster(s):
    a, port, b, far = s.cable()
    s.take(a, b)
    s.now.set_rate(a, port, "4xNDR")
    return "cable-faster", ["port %d" % port, "port %d" % far, "4xNDR"]


def hosts_on(fabric, guid):
    return [far for far, _ in fabric.nodes[guid].links.values() if fabric.nodes[far].kind == "H"]


def dead(s):
    sw = s.pick("S")
    hosts = hosts_on(s.now, sw.guid)
    s.take(sw.guid, *hosts, *{far for far, _ in sw.links.values() if s.now.nodes[far].kind == "S"})
    name = s.name(sw.guid)
    for guid in [sw.guid] + hosts:
        s.now.remove(guid)
    if len(s.now.reachable(next(iter(s.now.nodes)))) < len(s.now.nodes):
        raise Cannot
    return "edge-isolated" if hosts else "core-missing", [name]


def director(s):
    """One as a whole, of a fabric that has another."""
    systems = {}
    for sw in s.now.switches():
        systems.setdefault(sw.system, []).append(sw.guid)
    whole = [chips for chips in systems.values() if len(chips) > 1 and not s.touched & set(chips)]
    if not whole:
        raise Cannot
    chips = s.chance.choice(whole)
    s.take(*chips, *{far for guid in chips for far, _ in s.now.nodes[guid].links.values() if far not in chips})
    return chips


def director_gone(s):
    chips = director(s)
    name = s.name(chips[0])
    for guid in chips:
        s.now.remove(guid)
    return "core-missing", [name.split()[0] + " is gone as a whole" if " " in name else "is gone as a whole"]


def director_new(s):
    chips = director(s)
    for guid in chips:
        s.before.remove(guid)
    return "switch-unplanned", ["%d more switch chips of one director are new" % (len(chips) - 1)]


def replaced(s):
    sw = s.pick("S")
    s.take(sw.guid)
    guid = s.new_guid()
    rename_guid(s.now, {sw.guid: guid})
    s.touched.add(guid)
    return "switch-replaced", [s.name(guid), "0x%016x" % sw.guid, "0x%016x" % guid]


def rename_guid(f, turn):
    guids = {guid: turn.get(guid, guid) for guid in f.nodes}
    by_new = {new: old for old, new in guids.items()}
    order = [guid for guid in f.nodes]
    g = f.renamed(guids, order)
    for new, old in by_new.items():
        g.nodes[new].port_guids = dict(f.nodes[old].port_guids) if new == old else {}
    f.nodes = {guid: g.nodes[guid] for guid in g.nodes}
    f.entry = None


def exchanged(s):
    one, two = s.pick("S"), s.pick("S")
    # Two switches with the same neighbours in the same ports, as of one bundle: nobody could tell.
    if one.guid == two.guid or one.ports != two.ports:
        raise Cannot
    s.take(one.guid, two.guid)
    rename_guid(s.now, {one.guid: two.guid, two.guid: one.guid})
    a, b = s.now.nodes[one.guid], s.now.nodes[two.guid]
    a.description, b.description = b.description, a.description
    a.system, b.system = b.system, a.system
    return "switch-replaced", [s.name(one.guid), s.name(two.guid), "changed places"]


def new_cable(s):
    a, b = s.pick("S"), s.pick("S")
    if a.guid == b.guid or not a.free_ports() or not b.free_ports():
        raise Cannot
    s.take(a.guid, b.guid)
    port, far = s.chance.choice(a.free_ports()), s.chance.choice(b.free_ports())
    s.now.link(a.guid, port, b.guid, far, "4xHDR")
    return "cable-unplanned", ["port %d" % port, "port %d" % far, "is new"]


def new_switch(s):
    """It takes the end of a cable of two others, which are not cabled to each other by it any more."""
    a, port, b, far = s.cable()
    s.take(a, b)
    guid = s.new_guid()
    s.now.add(Node("S", guid, 24, b"brandnew" if s.name(a) else b""))
    rate = s.now.unlink(a, port)
    s.now.link(a, port, guid, 1, rate)
    s.now.link(b, far, guid, 2, rate)
    s.touched.add(guid)
    return "switch-unplanned", ["port %d" % port, "port %d" % far]


def host_gone(s):
    host = s.pick("H")
    guid, port, _ = s.switch_of(host.guid)
    s.take(host.guid, guid)
    s.now.remove(host.guid)
    return "hosts-missing", ["port %d" % port]


def host_new(s):
    sw = s.pick("S")
    ports = [p for p in sw.free_ports()]
    if not ports or not hosts_on(s.now, sw.guid):
        raise Cannot
    # Not where a host was.
    ports = [p for p in ports if p not in s.before.nodes[sw.guid].links]
    if not ports:
        raise Cannot
    s.take(sw.guid)
    guid = s.new_guid()
    s.now.add(Node("H", guid, 1, b"newcomer HCA-1"))
    port = s.chance.choice(ports)
    s.now.link(sw.guid, port, guid, 1, "4xHDR")
    s.touched.add(guid)
    return "hosts-unplanned", ["port %d" % port]


def host_moved(s):
    host, sw = s.pick("H"), s.pick("S")
    was, port, own = s.switch_of(host.guid)
    ports = [p for p in sw.free_ports() if p not in s.before.nodes[sw.guid].links]
    if sw.guid == was or not ports or not hosts_on(s.now, sw.guid):
        raise Cannot
    s.take(host.guid, sw.guid, was)
    rate = s.now.unlink(host.guid, own)
    to = s.chance.choice(ports)
    s.now.link(host.guid, own, sw.guid, to, rate)
    return "host-misplaced", [s.name(host.guid).split()[0] if s.name(host.guid) else "", "port %d" % to]


def hosts_swapped(s):
    one, two = s.pick("H"), s.pick("H")
    if one.guid == two.guid:
        raise Cannot
    (a, port, own), (b, far, other) = s.switch_of(one.guid), s.switch_of(two.guid)
    s.take(one.guid, two.guid)
    rates = s.now.unlink(one.guid, own), s.now.unlink(two.guid, other)
    s.now.link(one.guid, own, b, far, rates[1])
    s.now.link(two.guid, other, a, port, rates[0])
    return "host-misplaced", ["in each other's ports"] + [s.name(g).split()[0] if s.name(g) else "" for g in (one.guid, two.guid)]


def adapter(s):
    host = s.pick("H")
    sw, port, _ = s.switch_of(host.guid)
    s.take(host.guid)
    guid = s.new_guid()
    rename_guid(s.now, {host.guid: guid})
    s.touched.add(guid)
    if s.chance.random() < 0.5:
        s.now.nodes[guid].description = b"another HCA-1"
    return "host-replaced", ["port %d" % port]


def renamed(s, kind):
    node = s.pick(kind)
    if not node.description:
        raise Cannot
    s.take(node.guid)
    node.description = b"renamed%x" % node.guid
    return "renamed", ["renamed%x" % node.guid]


def renamed_switch(s):
    return renamed(s, "S")


def renamed_host(s):
    return renamed(s, "H")


CHANGES = [pull, move, move_port, swap, swap_same, slow, faster, dead, director_gone, director_new, replaced, exchanged, new_cable, new_switch, host_gone,
           host_new, host_moved, hosts_swapped, adapter, renamed_switch, renamed_host]
LISTED = {"hosts-missing", "hosts-unplanned", "host-replaced", "renamed", "cable-faster"}


def told(report):
    return [(f["code"], f["text"] + " " + " ".join(y["text"] for y in f["symptoms"])) for f in report["findings"]]


def same(wanted, found, listed=()):
    """Each change in a finding of its own, or listed; and no other finding."""
    if not wanted:
        return all(f in listed for f in found)
    code, words = wanted[0]
    for f in found:
        if f[0] != code or not all(w in f[1] for w in words):
            continue
        if code in LISTED and same(wanted[1:], found, listed + (f,)):
            return True
        if code not in LISTED and same(wanted[1:], [g for g in found if g is not f], listed):
            return True
    return False


def fabrics():
    for name, design in DESIGNS.items():
        net = subprocess.run([FTPLAN, "--format", "ibsim", write("d.json", json.dumps({"ftcheck": 1, "name": "d", **design}))],
                             capture_output=True, check=True).stdout
        whole = Fabric.read(net)
        for guid, port, _, _ in list(whole.edges()):
            whole.set_rate(guid, port, "4xHDR")
        # Ports for what is new.
        for node in whole.switches():
            node.ports += 4
        yield name, whole


def described(whole, how):
    f = copy.deepcopy(whole)
    for node in f.nodes.values():
        if how == "nameless":
            node.description = b""
        elif how == "of one name" and node.kind == "S":
            node.description = b"Mellanox Technologies"
    return f


def plain(words, how):
    """The words that a fabric without names has, too."""
    return [w for w in words if how == "named" or w.startswith(("port ", "renamed", "4x", "0x", "is new", "is gone as", "6 more", "changed", "in each other"))]


def round_run(name, whole, how, chance):
    s = Scene(described(whole, how), chance)
    done = []
    for _ in range(chance.randint(1, 4)):
        change = chance.choice(CHANGES)
        kept = copy.deepcopy((s.before, s.now, s.touched))
        try:
            code, words = change(s)
        except Cannot:
            s.before, s.now, s.touched = kept
            continue
        s.wanted.append((code, plain(words, how)))
        done.append(change.__name__)
    run = subprocess.run([FTCHECK, "--diff", write("before", s.before.write()), write("now", s.now.write()),
                          "--format", "json"], capture_output=True, text=True, timeout=60)
    if not run.stdout:
        return done, s, [run.stderr], False
    report = json.loads(run.stdout)
    found = told(report)
    whole_counts = all(report["counts"][k]["found" if k == "hosts" else "up"] <= report["counts"][k]["planned"]
                       for k in ("hosts", "uplinks"))
    return done, s, found, same(s.wanted, found) and whole_counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("FT_SEED", 1)))
    parser.add_argument("--keep", help="a directory for the recordings that were told wrongly")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    all_fabrics = list(fabrics())
    wrong = 0
    counts = {}
    for n in range(options.rounds):
        name, whole = chance.choice(all_fabrics)
        how = chance.choice(["named", "named", "nameless", "of one name"])
        done, s, found, good = round_run(name, whole, how, chance)
        for kind in done:
            counts[kind] = counts.get(kind, 0) + 1
        if good:
            continue
        wrong += 1
        print("round %d: %s, %s: %s" % (n, name, how, ", ".join(done)))
        for line in s.wanted:
            print("  wanted %s" % (line,))
        for line in found:
            print("  found  %s" % (line,))
        if options.keep:
            for end, fabric in (("before", s.before), ("now", s.now)):
                with open(os.path.join(options.keep, "%d.%s" % (n, end)), "wb") as file:
                    file.write(fabric.write())
    result("%d rounds (FT_SEED=%d), %d changes: told as they were done" % (options.rounds, options.seed, sum(counts.values())),
           wrong == 0, "%d rounds are told wrongly" % wrong)
    result("changes of all kinds", len(counts) == len(CHANGES) or options.rounds < 120 or options.seed != 1, sorted(counts))
    return results.status()


sys.exit(main())
