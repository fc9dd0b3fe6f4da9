#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Random fabrics with directors at the core, broken at the level of their chips, and whether ftcheck names each fault.

A director is several switch chips under one SystemImageGUID: line chips, which have the outer ports, and fabric chips
behind them. Broken are outer cables (pulled, on the wrong switch, exchanged), traces on the backplane, one by one or many
of one chip, boards, and whole directors. Names are left out in half of the rounds, so that a chassis is told by its SystemImageGUID alone. What
is compared: code, count, and which chips a finding names.

  campaign_directors.py [--seed N] [--rounds N] [--replay SEED:ROUND] [--keep DIR]
"""
import collections
import json
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign  # noqa: E402
import campaign_exact  # noqa: E402
from fabric import Fabric  # noqa: E402


class Fault:
    """What a finding has to say: the sets that each need a place in it, all that it may name, and a count or None."""

    def __init__(self, code, needs, may=(), count=1):
        self.code = code
        self.needs = [set(n) for n in needs]
        self.may = set(may).union(*self.needs) if self.needs else set(may)
        self.count = count

    def renamed(self, guids):
        # Chips that are gone, and a director as a whole, have no other GUID.
        turn = lambda some: {guids.get(g, g) for g in some}  # noqa: E731
        return Fault(self.code, [turn(n) for n in self.needs], turn(self.may), self.count)

    def explains(self, finding):
        where = {int(p["guid"], 16) if p["guid"] else 0 for p in finding["where"]}
        return (finding["code"] == self.code and self.count in (None, finding["count"]) and where <= self.may
                and all(need & where for need in self.needs))

    def __str__(self):
        return "%s x%s %s" % (self.code, self.count, " + ".join(
            "{%s}" % ", ".join("%x" % g for g in sorted(n)) for n in self.needs))


class Directors:
    """The fabric of a plan, chip by chip, and what is broken of it."""

    def __init__(self, rng, plan, inside, fabric):
        self.rng = rng
        self.plan = plan
        self.inside = inside
        self.fabric = fabric
        self.name = {n.guid: n.description.decode() for n in fabric.switches()}
        self.director = collections.defaultdict(list)  # planned name -> chips
        self.board = {}  # chip -> (director, "L05")
        self.system = {}  # planned name -> SystemImageGUID
        for guid, name in self.name.items():
            whole, _, slot = name.partition(" ")
            if slot:
                self.director[whole].append(guid)
                self.board[guid] = whole, slot.split("/")[0]
                self.system[whole] = fabric.nodes[guid].system
        self.edges = [g for g in self.name if g not in self.board]
        self.faults = []
        self.kinds = []
        self.pulled = collections.Counter()  # (edge, director) -> cables
        self.bared = set()  # chips that have lost a cable, so that they must not die: it would be part of that
        self.used = set()  # directors, edges that a fault has touched
        self.dead = set()
        self.short = set()  # directors of which a board is dead, and nothing else: what is plugged in may still be wrong

    def chips(self, director):
        return [g for g in self.director[director] if g in self.fabric.nodes]

    def all_of(self, director):
        """What a place in it may be called by: its chips or, where none of them is meant, its SystemImageGUID."""
        return {*self.director[director], self.system[director]}

    def is_line(self, chip):
        return self.board[chip][1].startswith("L")

    def uplinks(self, edge):
        return [(port, far, far_port) for port, (far, far_port) in sorted(self.fabric.nodes[edge].links.items())
                if far in self.board]

    def free_outer(self, director):
        """Outer ports of its line chips that no cable is in, nor a trace."""
        result = []
        for chip in self.chips(director):
            if self.is_line(chip):
                result += [(chip, p) for p in self.fabric.nodes[chip].free_ports() if p in self.outer[chip]]
        return result

    def learn_outer(self):
        """Which ports of a line chip are for cables: those that no trace is in."""
        self.outer = {c: {p for p in range(1, self.fabric.nodes[c].ports + 1)
                          if self.fabric.nodes[c].links.get(p, (None, 0))[0] not in self.director[self.board[c][0]]}
                      for c in self.board if self.is_line(c)}

    def fresh_edges(self):
        return [e for e in self.edges if e not in self.used and len(self.uplinks(e)) > 2]

    def fresh_directors(self):
        return [d for d in sorted(self.director) if d not in self.used]

    def pull(self):
        edges = self.fresh_edges()
        if not edges:
            return False
        edge = self.rng.choice(edges)
        port, chip, _ = self.rng.choice(self.uplinks(edge))
        self.fabric.unlink(edge, port)
        self.pulled[edge, self.board[chip][0]] += 1
        self.bared.add(chip)
        self.used.add(edge)
        return True

    def misplace(self):
        edges = self.fresh_edges()
        if not edges:
            return False
        edge = self.rng.choice(edges)
        port, chip, _ = self.rng.choice(self.uplinks(edge))
        home = self.board[chip][0]
        free = [p for d in self.fresh_directors() if d != home for p in self.free_outer(d)]
        if not free or home in self.used - self.short:
            return False
        to = self.rng.choice(free)
        self.fabric.link(edge, port, *to, self.fabric.unlink(edge, port))
        self.used.update((edge, home, self.board[to[0]][0]))
        self.short -= {home}
        self.faults.append(Fault("cable-misplaced", [{edge}, {to[0]}], self.director[home]))
        return True

    def swap(self):
        edges = self.fresh_edges()
        if len(edges) < 2:
            return False
        one, two = self.rng.sample(edges, 2)
        cables = [(a, b) for a in self.uplinks(one) for b in self.uplinks(two)
                  if self.board[a[1]][0] != self.board[b[1]][0]]
        if not cables:
            return False
        (p, chip_a, q), (r, chip_b, s) = self.rng.choice(cables)
        if {self.board[chip_a][0], self.board[chip_b][0]} & (self.used - self.short):
            return False
        rates = self.fabric.unlink(one, p), self.fabric.unlink(two, r)
        self.fabric.link(one, p, chip_b, s, rates[0])
        self.fabric.link(two, r, chip_a, q, rates[1])
        self.used.update((one, two, self.board[chip_a][0], self.board[chip_b][0]))
        self.short -= {self.board[chip_a][0], self.board[chip_b][0]}
        # Of the cables to one director, which are alike, any may be named.
        homes = [set(self.director[self.board[chip][0]]) for chip in (chip_a, chip_b)]
        self.faults.append(Fault("cables-swapped", [{one}, {two}, *homes], count=2))
        return True

    def trace_pairs(self):
        result = collections.defaultdict(list)
        for director in self.fresh_directors():
            for chip in self.chips(director):
                if not self.is_line(chip):
                    continue
                for port, (far, _) in self.fabric.nodes[chip].links.items():
                    if far in self.board and not self.is_line(far) and self.board[far][0] == director:
                        result[chip, far].append(port)
        return result

    def trace(self):
        pairs = self.trace_pairs()
        left = collections.Counter()
        for (line, fabric_chip), ports in pairs.items():
            left[line] += len(ports)
            left[fabric_chip] += len(ports)
        pairs = sorted((pair, ports) for pair, ports in pairs.items() if all(left[c] > len(ports) for c in pair))
        if not pairs:
            return False
        (line, fabric_chip), ports = self.rng.choice(pairs)
        gone = self.rng.sample(ports, self.rng.randint(1, len(ports)))
        for port in gone:
            self.fabric.unlink(line, port)
        self.faults.append(Fault("cable-missing", [{line}, {fabric_chip}], count=len(gone)))
        self.used.add(self.board[line][0])
        return True

    def weak_chip(self):
        """A chip that is there and has lost traces to more than three others."""
        pairs = self.trace_pairs()
        left, near = collections.Counter(), collections.defaultdict(dict)
        for (line, fabric_chip), ports in pairs.items():
            for chip, far in ((line, fabric_chip), (fabric_chip, line)):
                left[chip] += len(ports)
                near[chip][far] = ports
        chips = sorted(c for c in near if sum(left[f] > len(p) for f, p in near[c].items()) > 4)
        if not chips:
            return False
        chip = self.rng.choice(chips)
        fars = sorted(f for f, p in near[chip].items() if left[f] > len(p))
        fars = self.rng.sample(fars, self.rng.randint(4, len(fars) - 1))
        count = 0
        for far in fars:
            ports = near[chip][far]
            gone = self.rng.sample(ports, self.rng.randint(1, len(ports)))
            count += len(gone)
            for port in gone:
                self.fabric.unlink(chip if self.is_line(chip) else far, port)
        self.faults.append(Fault("cable-missing", [{chip}, *({f} for f in fars)], count=count))
        self.used.add(self.board[chip][0])
        return True

    def dead_board(self, letter):
        """One board of several; the chips that are left are its witnesses."""
        directors = [d for d in self.fresh_directors()
                     if len({self.board[c] for c in self.chips(d) if self.board[c][1][0] == letter}) > 2]
        if not directors:
            return False
        director = self.rng.choice(directors)
        boards = sorted({self.board[c] for c in self.chips(director) if self.board[c][1][0] == letter})
        gone = self.rng.choice(boards)
        chips = [c for c in self.chips(director) if self.board[c] == gone]
        lost = collections.Counter(far for c in chips for far, _ in self.fabric.nodes[c].links.values()
                                   if far in self.edges)
        if any(e in self.used or len(self.uplinks(e)) - n < 1 for e, n in lost.items()) or self.bared & set(chips):
            return False
        for chip in chips:
            self.fabric.remove(chip)
        self.used.update([director, *lost])
        self.short.add(director)
        self.faults.append(Fault("board-missing", [self.all_of(director)], lost))
        return True

    def dead_line_board(self):
        return self.dead_board("L")

    def dead_fabric_board(self):
        return self.dead_board("F")

    def dead_director(self):
        if self.dead or len(self.director) < 2 or not self.fresh_directors():
            return False
        director = self.rng.choice(self.fresh_directors())
        ends = {far for c in self.chips(director) for far, _ in self.fabric.nodes[c].links.values()} & set(self.edges)
        if any(all(self.board[far][0] == director for _, far, _ in self.uplinks(e)) for e in ends):
            return False
        if ends & self.used or self.bared & set(self.director[director]):
            return False
        for chip in self.chips(director):
            self.fabric.remove(chip)
        self.dead.add(director)
        self.used.update([director, *ends])
        self.faults.append(Fault("core-missing", [{e} for e in ends]))
        return True

    def dead_edge(self):
        edges = [e for e in self.fresh_edges() if not {self.board[c][0] for _, c, _ in self.uplinks(e)} & self.used]
        if self.dead or len(self.edges) < 3 or not edges:
            return False
        edge = self.rng.choice(edges)
        chips = [chip for _, chip, _ in self.uplinks(edge)]
        systems = sorted({self.board[c][0] for c in chips})
        for guid in [far for far, _ in self.fabric.nodes[edge].links.values() if far not in self.board] + [edge]:
            self.fabric.remove(guid)
        self.dead.add(edge)
        self.bared.update(chips)
        self.edges.remove(edge)
        self.used.update([edge, *systems])
        self.faults.append(Fault("edge-isolated", [self.all_of(d) for d in systems], count=None))
        return True

    KINDS = [(pull, 4), (misplace, 3), (swap, 3), (trace, 4), (dead_line_board, 3), (dead_fabric_board, 3),
             (dead_director, 1), (dead_edge, 2)]

    def break_it(self, count):
        campaign.draw_faults(self, count)
        # Drawn apart, so that the other faults of a round are what they were before there was this one.
        rng, self.rng = self.rng, random.Random(str(self.rng.getstate()))
        if self.rng.random() < 0.3 and self.weak_chip():
            self.kinds.append("weak_chip")
        self.rng = rng
        for (edge, director), cables in self.pulled.items():
            self.faults.append(Fault("cable-missing", [{edge}, self.all_of(director)], count=cables))


class Campaign(campaign_exact.Campaign):
    name = "directors"

    def draw(self, rng):
        for _ in range(100):
            design = draw_design(rng)
            text = self.ftplan_run(design, "json")
            if text is None:
                continue
            plan = json.loads(text)["plan"]
            net = self.ftplan_run(design, "ibsim")
            if net is not None:
                return design, plan, net
        raise RuntimeError("no design was accepted in 100 draws")

    def round(self, number):
        rng = random.Random("directors:%d:%d" % (self.options.seed, number))
        design, plan, net = self.draw(rng)
        while True:
            broken = Directors(rng, plan, design["core"]["inside"], Fabric.read(net))
            broken.learn_outer()
            broken.break_it(rng.choices([0, 1, 2, 3], [1, 5, 4, 2])[0])
            entry = rng.choice([h.guid for h in broken.fabric.hosts() if h.links])
            if len(broken.fabric.reachable(entry)) == len(broken.fabric.nodes):
                break
        fabric, guids = disguise(rng, broken)
        faults = [f.renamed(guids) for f in broken.faults]
        self.intend(plan, net, ports=False)
        return self.judge(number, design, broken, faults, fabric.write(entry=guids[entry]))


class Sparse(Campaign):
    """Of the inside the design gives the numbers of line boards and of their ports, and no more. What tells how many chips are
    on a board is missing where they have no names, unless the ports need as many."""
    name = "directors, of a sparse design"

    def judge(self, number, design, broken, faults, text):
        core = design["core"]
        inside = {key: core["inside"][key] for key in ("line_boards", "line_ports")}
        return super().judge(number, {**design, "core": {**core, "inside": inside}}, broken, faults, text)


def draw_design(rng):
    boards, line_chips, fabric_chips = rng.randint(3, 6), rng.choice([1, 1, 2]), rng.choice([1, 1, 2])
    line_ports = rng.choice([4, 6, 8]) * line_chips
    cores, bundle = rng.randint(2, 3), rng.choice([1, 2, 3])
    edges = rng.randint(4, max(4, boards * line_ports // bundle))
    to_nodes = rng.randint(2, 4)
    inside = {"line_boards": boards, "line_ports": line_ports, "line_chips": line_chips,
              "fabric_boards": rng.randint(3, 4), "fabric_chips": fabric_chips, "traces": rng.choice([1, 1, 2, 3])}
    return {
        "ftcheck": 1, "name": "directors", "topology": "fat-tree", "nodes": edges * to_nodes, "rate": "4xHDR",
        "blocking": "%d:1" % max(1, -(-to_nodes // (cores * bundle))),
        "edge": {"ports": to_nodes + cores * bundle + 2, "count": edges, "ports_to_nodes": to_nodes,
                 "ports_to_core": cores * bundle},
        "core": {"ports": boards * line_ports, "count": cores, "inside": inside},
        "bundle": bundle,
    }


def vendors_name(name):
    """ "core01 L05/U1" as switch software writes it."""
    whole, _, slot = name.partition(" ")
    if not slot:
        return "MF0;%s:MSX6036/U1" % name
    return "MF0;%s:MSX6536/%s" % (whole, slot.replace("F", "S") if "/" in slot else slot.replace("F", "S") + "/U1")


def chips_turned(rng, fabric):
    """Ports of chips as other makers count them: traces first. Not all directors of a fabric need be of one maker."""
    whole = {n.guid: n.system for n in fabric.switches() if n.system and n.system != n.guid}
    turned = {system for system in sorted(set(whole.values())) if rng.random() < 0.3}
    return {n.guid: {p: n.ports + 1 - p if whole.get(n.guid) in turned else p for p in range(1, n.ports + 1)}
            for n in fabric.nodes.values()}


def disguise(rng, broken, ports=True):
    """Other GUIDs and order of records; ports of chips counted the other way; chips without names in half of the
    rounds."""
    fabric = broken.fabric
    guids = {g: g for g in fabric.nodes}
    if rng.random() < 0.7:
        guids = dict(zip(guids, rng.sample(range(0x0002C90300000000, 0x0002C90300FFFFF0, 16), len(guids))))
    if rng.random() < 0.5:
        for node in fabric.switches():
            node.description = b"MT Switch"
    elif rng.random() < 0.5:
        for node in fabric.switches():
            node.description = vendors_name(node.description.decode()).encode()
    order = list(fabric.nodes)
    rng.shuffle(order)
    return fabric.renamed(guids, order, chips_turned(rng, fabric) if ports else None), guids


# What bit: a pulled cable beside a lost board that had none, or other cables; directors of two makes whose traces are in the
# same ports, or whose outer ports count the other way round.
ONCE_WRONG = ("1:198", "1:368", "62:250", "11100:36", "11100:101", "11100:107", "11100:126", "11100:219", "11100:487",
              "13001:150", "13001:307")


# Two chips on a board, of a director that lost one, and of both.
SPARSE_ONCE_WRONG = ("19340:78", "19340:104", "19340:124")


if __name__ == "__main__":
    status = campaign_exact.run_and_replay(Campaign, ONCE_WRONG)
    for replay in () if sys.argv[1:] else SPARSE_ONCE_WRONG:
        status |= campaign_exact.run(["--replay", replay], Sparse)
    sys.exit(status)
