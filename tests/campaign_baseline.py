#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
campaign.py with a memory: ftcheck is given the healthy fabric (--before) beside the broken one, on fabrics whose names,
GUIDs and ports tell nothing. It takes the options of campaign.py.

A round is judged as there, and is wrong, too, where

  - more is found than without the memory, and it is not what was injected;
  - of a round that is exact: a dead switch is not called by its own GUID and name, a pulled cable not by both the ports
    it was in, a cable that was moved or swapped not by the ports it is in, a host that is gone not by its name.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign  # noqa: E402
from fabric import Fabric  # noqa: E402


class Masked:
    """One disguise for the fabric before and after: GUIDs, ports and the order of records drawn; names that say nothing."""

    def __init__(self, rng, before, after):
        everybody = list(before.nodes) + [g for g in after.nodes if g not in before.nodes]
        fresh = rng.sample(range(0x0002C90300000000, 0x0002C90300FFFFF0, 16), len(everybody))
        self.guids = dict(zip(everybody, fresh))
        patternless = rng.choice([0, 0, 1])
        self.ports = {}
        for guid in everybody:
            node = after.nodes.get(guid) or before.nodes[guid]
            numbers = list(range(1, node.ports + 1))
            if node.kind == "S" and rng.random() < patternless:
                last = [numbers.pop()] if any(n.is_aggregation for n in after.nodes.values()) else []
                rng.shuffle(numbers)
                numbers += last
            self.ports[guid] = dict(zip(range(1, node.ports + 1), numbers))
        same = rng.random() < 0.3
        switches = [g for g in everybody if (after.nodes.get(g) or before.nodes[g]).kind == "S"]
        self.names = {g: b"MT Switch" if same else b"sw-%04x" % number
                      for g, number in zip(switches, rng.sample(range(0x10000), len(switches)))}
        self.rng = rng

    def wear(self, fabric):
        order = list(fabric.nodes)
        self.rng.shuffle(order)
        for guid in fabric.nodes:
            if guid in self.names:
                fabric.nodes[guid].description = self.names[guid]
        return fabric.renamed(self.guids, order, self.ports, systems=False)

    def end(self, guid, port):
        return self.guids[guid], None if port is None else self.ports[guid][port]


def cables(fabric):
    switches = {n.guid for n in fabric.switches()}
    return {frozenset(((a, p), (b, q))) for a, p, b, q in fabric.edges() if a in switches and b in switches}


class Remembering(campaign.Campaign):
    def round(self, number):
        rng = campaign.random.Random("%d:%d" % (self.options.seed, number))
        design, plan, net = self.draw(rng)
        broken, entry = self.break_fabric(rng, plan, net)
        before = Fabric.read(net)
        if any(n.is_aggregation for n in broken.fabric.nodes.values()):
            campaign.add_aggregation(before)
        mask = Masked(rng, before, broken.fabric)
        truth = [campaign.Finding(f.code, [mask.end(*p) for p in f.places], f.count) for f in broken.truth()]
        self.planned_hosts = broken.planned_hosts
        dead = [(mask.guids[g], mask.names[g].decode()) for g in broken.dead]
        hosts_before = {n.guid: n.description for n in before.hosts()}
        self.before = mask.wear(before)
        fabric = mask.wear(broken.fabric)
        gone = [hosts_before[g].decode() for g in hosts_before if mask.guids[g] not in fabric.nodes]
        text = fabric.write(entry=mask.guids[entry])
        verdict, words, report = self.ask(design, plan, fabric, text, truth)
        if report and verdict == "exact":
            words = self.forgotten(fabric, report, dead, gone)
            verdict = "wrong" if words else verdict
        if report and verdict not in ("wrong", "exact") and len(report["findings"]) > self.blind:
            verdict, words = "wrong", "more is found with a memory than without"
        for kind in broken.kinds:
            self.faults[kind] += 1
        self.count(verdict, words, truth, report)
        if verdict == "wrong" or self.options.replay:
            self.show(number, verdict, words, broken.kinds, truth, report, design, text)
            with open(os.path.join(self.options.keep, "%d-%d.before.net" % (self.options.seed, number)), "wb") as file:
                file.write(self.before.write())
        return verdict

    def ask(self, design, plan, fabric, text, truth):
        path = os.path.join(self.directory.name, "design.json")
        past = os.path.join(self.directory.name, "before.net")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(design, file)
        with open(past, "wb") as file:
            file.write(self.before.write())
        command = [self.ftcheck, "--plan", path, "--from", "-", "--format", "json", "--critical", "100"]
        done = self.run_program(*command, stdin=text, statuses=(0, 1, 2, 3))
        self.blind = len(json.loads(done.stdout)["findings"])
        done = self.run_program(*command, "--before", past, stdin=text, statuses=(0, 1, 2, 3))
        report = json.loads(done.stdout)
        verdict, words = campaign.judge(plan, fabric, report, truth)
        return verdict, words, report

    def forgotten(self, fabric, report, dead, gone):
        """What is not called by the name and the ports that it had; None where all is."""
        was, now = cables(self.before), cables(fabric)
        found = report["findings"]
        subjects = {(int(f["subject"]["guid"], 16), f["subject"]["name"]) for f in found if "subject" in f}
        # Which of several edges without names was planned for few hosts, and which has lost many, stays a guess.
        uneven = len({self.planned_hosts[g] for g in self.planned_hosts}) > 1 and gone
        if subjects != set(dead) and not uneven:
            return "dead: %s, called: %s" % (sorted(dead), sorted(subjects))
        for f in found:
            ends = [(int(p["guid"], 16), p["port"]) for p in f["where"] if p["port"]]
            pulled = [c for c in was - now if c <= set(ends)]
            if f["code"] == "cable-missing" and (len(ends) != 2 * f["count"] or len(pulled) != f["count"]):
                return "pulled: not by its ports: %s" % f["text"]
            if f["code"] == "cables-swapped" and not all(c in now - was for c in
                                                         {c for c in now if c & set(ends)}):
                return "swapped: not the cables that were moved: %s" % f["text"]
            if f["code"] == "cable-misplaced" and frozenset(ends) not in now - was:
                return "misplaced: not the cable that was moved: %s" % f["text"]
            if f["code"] == "hosts-missing":
                words = json.dumps(f)
                lost = [h for h in gone if h not in words]
                if len(gone) == f["count"] and lost:
                    return "gone hosts are not named: %s" % lost
        return None


if __name__ == "__main__":
    sys.exit(Remembering(campaign.read_options(sys.argv[1:])).run())
