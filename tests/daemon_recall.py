#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
The daemon's memory, without a fabric to wait for: on networks of many kinds, whose names, GUIDs and ports tell nothing, a
healthy fabric is seen (tests/memory_tool), then something happens, now and then across a restart. What is dead, pulled,
swapped or gone must be called by the names and the ports that it had, by hooks (FTCHECK_SWITCH) and by "ftcheck --before"
too; a switch that reboots is one alert; and after a plan or a fabric was changed on purpose, the memory must not find
anything that is not found without it.

A row is one course of events on one network. --seed draws other ones; the default is the same each time.

  daemon_recall.py [--seed N] [--rounds N] [--only NETWORK] [--keep DIR]
"""
import argparse
import collections
import copy
import json
import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign_directors  # noqa: E402
import graphs  # noqa: E402
import results  # noqa: E402
from fabric import Fabric, Node  # noqa: E402
from results import FTCHECK, FTPLAN, result  # noqa: E402

TOOL = os.path.join(os.environ["FT_BUILDDIR"], "tests", "memory_tool")
RETURNING_S = 300  # for so long a switch is coming back
GONE = {"core-missing", "edge-isolated", "switch-missing"}
FAMILIES = ["tree", "classes", "planes", "torus", "mesh", "hyperx", "dragonfly", "irregular", "islands", "full", "slim-fly by rule",
            "ring by rule"]


def exchange(fabric, one, two):
    """Two cables exchange an end, each with its rate. Returns what they are then."""
    rates = [fabric.unlink(*cable[:2]) for cable in (one, two)]
    moved = [(*one[:2], *two[2:]), (*two[:2], *one[2:])]
    for cable, rate in zip(moved, rates):
        fabric.link(*cable, rate)
    return moved


class Network:
    """A plan, and the healthy fabric of it in disguise."""

    def __init__(self, rng, label, design, fabric, hosting):
        self.rng, self.label, self.design = rng, label, design
        guids = dict(zip(fabric.nodes, rng.sample(range(0x0002C90300000000, 0x0002C90300FFFFF0, 16), len(fabric.nodes))))
        systems = {n.system for n in fabric.switches() if n.system and n.system != n.guid}
        guids.update(zip(sorted(systems - set(guids)), rng.sample(range(0x0002C90400000000, 0x0002C90400FFFFF0, 16),
                                                                  len(systems - set(guids)))))
        ports = {}
        patternless = not systems and rng.random() < 0.5
        for node in fabric.nodes.values():
            numbers = list(range(1, node.ports + 1))
            if patternless and node.kind == "S":
                rng.shuffle(numbers)
            ports[node.guid] = dict(zip(range(1, node.ports + 1), numbers))
        planned = {node.guid: node.description for node in fabric.switches()}
        same = rng.random() < 0.4
        for number, node in zip(rng.sample(range(0x10000), len(fabric.nodes)), fabric.switches()):
            node.description = b"MT Switch" if same else b"sw-%04x" % number
        order = list(fabric.nodes)
        rng.shuffle(order)
        self.fabric = fabric.renamed(guids, order, ports, systems=False)
        self.hosting = {guids[g] for g in hosting}
        self.units = collections.defaultdict(set)  # a switch, or the chips of a director, by the GUID of the whole
        for node in fabric.switches():
            whole = node.system if node.system in systems else node.guid
            self.fabric.nodes[guids[node.guid]].system = guids[whole] if whole in systems else 0
            self.units[guids[whole]].add(guids[node.guid])
        self.unit_of = {chip: whole for whole, chips in self.units.items() for chip in chips}
        self.planned = {guids[guid]: name for guid, name in planned.items()}  # of switches: their names in the plan
        self.boards = collections.defaultdict(set)  # the chips of a board, by (director, slot), where that is known
        self.entry = rng.choice([h.guid for h in self.fabric.hosts() if h.links])

    def cables(self, fabric=None):
        """Between switches, but not on a backplane: (guid, port, guid, port)"""
        return [c for c in (fabric or self.fabric).edges() if c[0] in self.unit_of and c[2] in self.unit_of
                and self.unit_of[c[0]] != self.unit_of[c[2]]]

    def are_apart(self, cables):
        """Two cables of four switches: so that an exchange of them is seen."""
        return len({self.unit_of[guid] for c in cables for guid in (c[0], c[2])}) == 4

    def seen(self, fabric):
        """What a sweep from the entry sees of it."""
        there = fabric.reachable(self.entry)
        fabric = fabric.copy()
        for guid in [g for g in fabric.nodes if g not in there]:
            fabric.remove(guid)
        return fabric

    def cut_off(self, *dead):
        """The switches that are not seen once these are dead: themselves, and those behind them."""
        fabric = self.fabric.copy()
        for whole in dead:
            for chip in self.units[whole]:
                fabric.remove(chip)
        there = fabric.reachable(self.entry)
        return {w for w, chips in self.units.items() if not chips & there}

    def mortal(self):
        """Switches that may die alone."""
        if not hasattr(self, "_mortal"):
            home = self.fabric.nodes[self.entry].links[1][0]
            self._mortal = [w for w in self.units if home not in self.units[w] and self.cut_off(w) == {w}]
        return self._mortal

    def hosts_at(self, fabric, whole):
        return sorted(far for chip in self.units[whole] for far, _ in fabric.nodes[chip].links.values()
                      if fabric.nodes[far].kind == "H")

    def name(self, whole):
        """Of a switch that has one of its own; of chips of a director none is expected."""
        if self.units[whole] != {whole}:
            return None
        return self.fabric.nodes[whole].description.decode()


def graph_network(rng, family):
    graph = graphs.draw(rng, [family], 40)
    design = graph.design(rng)
    if graph.tree is not None and not graph.tree_named and (graph.tree_only or rng.random() < 0.5):
        design = {"ftcheck": 1, "name": "rig", "topology": "fat-tree", **graph.tree}
    fabric = graph.fabric(rng)
    hosting = [n.guid for n in fabric.switches() if graph.switches[n.description.decode()].hosts]
    return Network(rng, family, design, fabric, hosting)


def director_network(rng):
    while True:
        design = campaign_directors.draw_design(rng)
        done = subprocess.run([FTPLAN, "--format", "ibsim", "-"], input=json.dumps(design).encode(), capture_output=True,
                              check=False)
        if done.returncode == 0:
            break
    fabric = Fabric.read(done.stdout)
    hosting = [n.guid for n in fabric.switches() if any(fabric.nodes[far].kind == "H" for far, _ in n.links.values())]
    return Network(rng, "directors", design, fabric, hosting)


def ends_of(finding):
    return {(int(p["guid"], 16), p["port"]) for p in finding["where"] if p["port"]}


class Rig:
    """One course of events: what is seen in turn, and what is wrong with what is said."""

    def __init__(self, network, keep):
        self.net, self.rng, self.keep = network, network.rng, keep
        self.bad, self.checks, self.files = [], 0, 0
        self.tool = subprocess.Popen([TOOL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self):
        self.tool.stdin.close()
        if self.tool.wait(60) != 0:
            self.bad.append(self.tool.stderr.read())
        self.tool.stdout.close()
        self.tool.stderr.close()

    def tell(self, line):
        try:
            self.tool.stdin.write(line + "\n")
            self.tool.stdin.flush()
        except BrokenPipeError as error:
            raise RuntimeError(self.tool.stderr.read()) from error

    def file(self, name, data):
        if not self.keep:
            return results.write(name, data)
        path = os.path.join(self.keep, "%s-%d-%s" % (self.net.label.replace(" ", "_"), self.files, name))
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return path

    def check(self, good, what):
        self.checks += 1
        if not good:
            self.bad.append(what)
        return good

    def plan(self, design):
        self.design_file = self.file("design-%d.json" % self.files, json.dumps(design))
        self.files += 1
        self.tell("plan " + self.design_file)

    def look(self, fabric, kind="all", later=1):
        self.tell("clock %d" % later)
        shown = self.net.seen(fabric)
        order = list(shown.nodes)
        self.rng.shuffle(order)
        self.path = self.file("seen.json", shown.write_snapshot(order=order, entry=self.net.entry))
        self.files += 1
        self.tell("look %s %s" % (kind, self.path))
        return self.hear()

    def hear(self):
        line = self.tool.stdout.readline()
        if not line:
            raise RuntimeError(self.tool.stderr.read())
        said = json.loads(line)
        self.report, self.events = said["report"], said["events"]
        return self.events

    def either(self):
        """After an event a part is read, else all."""
        return self.rng.choice(["all", "part"])

    def perhaps_restart(self, fabric):
        """In between: nothing is said again."""
        if self.rng.random() < 0.5:
            return
        self.tell("restart")
        ids = sorted(f["id"] for f in self.report["findings"])
        self.quiet(fabric, "after a restart")
        self.check(sorted(f["id"] for f in self.report["findings"]) == ids, "other ids after a restart")

    def quiet(self, fabric, when, kind="all"):
        events = self.look(fabric, kind)
        self.check(not events, "%s: %s" % (when, [e["alert"]["text"] for e in events]))

    def begin(self):
        self.tell("forget")
        self.plan(self.net.design)
        self.past = None
        events = self.look(self.net.fabric)
        self.past = self.file("before.json", self.net.seen(self.net.fabric).write_snapshot(entry=self.net.entry))
        self.check(not events and self.report["verdict"] == "ok", "not as planned: %s" % self.told())
        if self.rng.random() < 0.3:
            self.tell("restart")

    def told(self):
        return ["%s: %s" % (e["alert"]["event"], e["alert"]["text"]) for e in self.events] + \
               ["found: " + f["text"] for f in self.report["findings"]]

    def warnings(self, report=None):
        return [f for f in (report or self.report)["findings"] if f["severity"] != "info"]

    def expect(self, *wanted):
        """The events of the last look are these: "EVENT CODE"; codes in GONE are "gone"."""
        said = sorted("%s %s" % (e["alert"]["event"], "gone" if e["alert"]["code"] in GONE else e["alert"]["code"])
                      for e in self.events)
        return self.check(said == sorted(wanted), "expected %s: %s" % (list(wanted), self.told()))

    def ftcheck(self):
        """The findings of the same fabric with the healthy one beside it."""
        done = subprocess.run([FTCHECK, "--plan", self.design_file, "--from", self.path, "--before", self.past,
                               "--format", "json"], capture_output=True, check=False)
        return json.loads(done.stdout)

    def both(self, good, what):
        """Holds for what the daemon found, and for what ftcheck finds with the healthy fabric beside."""
        self.check(good(self.report), "%s: %s" % (what, self.told()))
        report = self.ftcheck()
        self.check(good(report), "--before: %s: %s" % (what, [f["text"] for f in report["findings"]]))

    def well_again(self, fabric=None):
        self.check(self.report["verdict"] == "ok" and not self.warnings(), "not well again: %s" % self.told())
        self.quiet(fabric or self.net.fabric, "once all is well")

    # What happens

    def killed(self, fabric, whole):
        for chip in self.net.units[whole]:
            for port in list(fabric.nodes[chip].links):
                if port in fabric.nodes[chip].links:
                    fabric.unlink(chip, port)

    def is_named(self, report, whole):
        gone = [f for f in self.warnings(report) if f["code"] in GONE]
        if len(gone) != 1 or len(self.warnings(report)) != 1:
            return False
        # The ports of its neighbours that its cables were in, which are dark now.
        chips = self.net.units[whole]
        dark = {end for c in self.net.cables() for end, near in ((c[:2], c[2]), (c[2:], c[0])) if near in chips}
        if not ends_of(gone[0]) or not ends_of(gone[0]) <= dark:
            return False
        subject, name = gone[0].get("subject") or {"guid": "0", "name": ""}, self.net.name(whole)
        return int(subject["guid"], 16) == whole and name in (None, subject["name"]) and \
            (name is None or name in gone[0]["text"])

    def dies(self, fabric, whole, kind=None):
        """A switch dies, and is called by its name. Returns the id of its alert."""
        self.killed(fabric, whole)
        self.look(fabric, kind or self.either())
        if not self.expect("raised gone"):
            return None
        self.both(lambda report: self.is_named(report, whole), "the dead switch %x is not called by its name" % whole)
        fields = self.events[0]["fields"]
        self.check(int(fields["FTCHECK_GUID"], 16) == whole and self.net.name(whole) in (None, fields["FTCHECK_SWITCH"]),
                   "a hook is told of %s %s" % (fields["FTCHECK_SWITCH"], fields["FTCHECK_GUID"]))
        return self.events[0]["alert"]["id"]

    def dead(self, whole):
        fabric = self.net.fabric.copy()
        name = self.dies(fabric, whole)
        self.perhaps_restart(fabric)
        self.look(self.net.fabric, self.either())
        self.expect("cleared gone")
        self.check(all(e["alert"]["id"] == name and e["alert"]["text"].startswith("repaired: ") for e in self.events),
                   "not repaired: %s" % self.told())
        self.well_again()

    def cables_of(self, whole):
        """Those to other switches first one, then the others in any order; then those to hosts."""
        cables = [c for c in self.net.fabric.edges() if c[0] in self.net.units[whole] or c[2] in self.net.units[whole]]
        between = [c for c in self.net.cables() if whole in (self.net.unit_of[c[0]], self.net.unit_of[c[2]])]
        inside = [c for c in cables if c not in between and {c[0], c[2]} <= self.net.units[whole]]
        hosts = [c for c in cables if c not in between and c not in inside]
        self.rng.shuffle(between)
        self.rng.shuffle(hosts)
        return inside, between, hosts

    def join(self, fabric, cable):
        fabric.link(*cable, self.net.fabric.nodes[cable[0]].rates[cable[1]])

    def reboot(self, whole):
        """It dies, and its links come up one after the other: that is one alert, whose id does not change."""
        fabric = self.net.fabric.copy()
        name = self.dies(fabric, whole)
        self.perhaps_restart(fabric)
        inside, between, hosts = self.cables_of(whole)
        for cable in inside:
            self.join(fabric, cable)
        events, steps = [], 0
        rest = between + hosts
        if self.rng.random() < 0.5:
            rest = between[:1] + self.rng.sample(rest[1:], len(rest) - 1)
        restart = self.rng.randrange(6)
        while rest:
            count = max(1, self.rng.randint(1, 1 + len(rest) // 3))
            for cable in rest[:count]:
                self.join(fabric, cable)
            rest = rest[count:]
            if steps == restart:
                self.tell("restart")
            steps += 1
            events += self.look(fabric, self.either())
            others = [f["text"] for f in self.report["findings"] if f["code"] not in GONE]
            self.check(not others, "while it comes back: %s" % others)
        kinds = [e["alert"]["event"] for e in events]
        self.check(kinds in (["cleared"], ["changed", "cleared"]) and all(e["alert"]["id"] == name for e in events),
                   "a reboot is not one alert: %s" % [(e["alert"]["event"], e["alert"]["text"]) for e in events])
        over = events[-1]["alert"]["text"] if events else ""
        self.check(over.startswith("repaired: ") and over.endswith(" is back") == (len(events) > 1), "over: %s" % over)
        self.well_again()

    def pulled(self, cable, fabric, had=()):
        fabric.unlink(*cable[:2])
        self.look(fabric, self.either())
        self.expect("changed cable-missing" if had else "raised cable-missing")
        ends = {cable[:2], cable[2:]}.union(*({c[:2], c[2:]} for c in had))
        self.both(lambda report: [ends_of(f) for f in self.warnings(report)] == [ends],
                  "a pulled cable is not called by its ports %s" % sorted(ends))
        fields = self.events[0]["fields"] if self.events else {"FTCHECK_GUID": "0"}
        self.check(int(fields["FTCHECK_GUID"], 16) in {g for g, _ in ends} | {self.net.unit_of[g] for g, _ in ends},
                   "a hook is told of %s" % fields)

    def draw_cable(self):
        cables = self.net.cables()
        self.rng.shuffle(cables)
        for cable in cables[:60]:
            fabric = self.net.fabric.copy()
            fabric.unlink(*cable[:2])
            if len(fabric.reachable(self.net.entry)) == len(fabric.nodes):
                return cable
        return None

    def pull(self, _):
        cable = self.draw_cable()
        if not cable:
            return
        fabric = self.net.fabric.copy()
        self.pulled(cable, fabric)
        self.perhaps_restart(fabric)
        more = [c for c in self.net.cables(fabric) if {self.net.unit_of[c[0]], self.net.unit_of[c[2]]} ==
                {self.net.unit_of[cable[0]], self.net.unit_of[cable[2]]}]
        # Of the same bundle, which is the same alert.
        if len(more) > 1 and self.net.label != "directors":
            self.pulled(more[0], fabric, [cable])
            self.join(fabric, more[0])
            self.look(fabric, self.either())
            self.expect("changed cable-missing")
        self.join(fabric, cable)
        self.look(fabric, self.either())
        self.expect("cleared cable-missing")
        self.check(all(e["alert"]["text"].startswith("repaired: ") for e in self.events), self.told())
        self.well_again()

    def swap(self, _):
        """Two cables that share no switch exchange an end."""
        cables = self.net.cables()
        for _ in range(40):
            pair = self.rng.sample(cables, 2) if len(cables) > 1 else []
            if not self.net.are_apart(pair):
                continue
            fabric = self.net.fabric.copy()
            moved = exchange(fabric, *pair)
            pairs = lambda f: collections.Counter(frozenset(self.net.unit_of[g] for g in (c[0], c[2]))  # noqa: E731
                                                  for c in self.net.cables(f))
            if pairs(fabric) != pairs(self.net.fabric) and len(fabric.reachable(self.net.entry)) == len(fabric.nodes):
                break
        else:
            return
        self.look(fabric, self.either())
        self.expect("raised cables-swapped")
        ends = {e for c in moved for e in (c[:2], c[2:])}
        self.both(lambda report: [ends_of(f) for f in self.warnings(report)] == [ends],
                  "swapped cables are not those that were moved: %s" % sorted(ends))
        self.perhaps_restart(fabric)
        self.look(self.net.fabric, self.either())
        self.expect("cleared cables-swapped")
        self.well_again()

    def beside_a_host(self, _):
        """While a cable is out, hosts at its ends come and go: no news of the cable."""
        cable = self.draw_cable()
        hosts = [h for h in self.hosts() if cable and self.net.fabric.nodes[h].links[1][0] in (cable[0], cable[2])]
        if not hosts:
            return
        fabric = self.net.fabric.copy()
        self.pulled(cable, fabric)
        without = fabric.copy()
        for host in self.rng.sample(hosts, self.rng.randint(1, len(hosts))):
            fabric.unlink(host, 1)
        self.quiet(fabric, "hosts have gone", self.either())
        self.perhaps_restart(fabric)
        self.quiet(without, "hosts are back", self.either())

    def misplace(self, _):
        cable = self.draw_cable()
        if not cable:
            return
        near, far = self.rng.choice([(cable[:2], cable[2:]), (cable[2:], cable[:2])])
        others = [w for w in self.net.units if w not in (self.net.unit_of[near[0]], self.net.unit_of[far[0]])
                  and self.net.units[w] == {w} and self.net.fabric.nodes[w].free_ports()]
        if not others:
            return
        to = self.rng.choice(others)
        fabric = self.net.fabric.copy()
        end = to, self.rng.choice(fabric.nodes[to].free_ports())
        fabric.link(*near, *end, fabric.unlink(*near))
        if len(fabric.reachable(self.net.entry)) != len(fabric.nodes):
            return
        self.look(fabric, self.either())
        self.expect("raised cable-misplaced")
        self.both(lambda report: [ends_of(f) for f in self.warnings(report)] == [{near, end}],
                  "a misplaced cable is not that which was moved: %s" % [near, end])
        self.perhaps_restart(fabric)
        self.look(self.net.fabric, self.either())
        self.expect("cleared cable-misplaced")
        self.well_again()

    def hosts(self):
        return [h.guid for h in self.net.fabric.hosts() if h.guid != self.net.entry and h.links]

    def host_gone(self, _):
        hosts = self.hosts()
        gone = self.rng.sample(hosts, min(len(hosts), self.rng.randint(1, 3)))
        names = [self.net.fabric.nodes[h].description.decode() for h in gone]
        fabric = self.net.fabric.copy()
        for host in gone:
            fabric.unlink(host, 1)
        self.quiet(fabric, "hosts are gone", self.either())
        self.both(lambda report: len(report["findings"]) == 1 and
                  all(n in json.dumps(report["findings"][0]) for n in names), "gone hosts are not named: %s" % names)
        self.perhaps_restart(fabric)
        self.quiet(self.net.fabric, "they are back", self.either())
        self.check(not self.report["findings"], self.told())

    def hosts_exchanged(self, _):
        """Two hosts change places, which is nobody's fault; then one of them goes, from where it is now."""
        hosts = self.hosts()
        pairs = [(a, b) for a in hosts[:8] for b in hosts if self.net.fabric.nodes[a].links[1][0] !=
                 self.net.fabric.nodes[b].links[1][0]]
        if not pairs:
            return
        a, b = self.rng.choice(pairs)
        fabric = self.net.fabric.copy()
        at_a, at_b = fabric.nodes[a].links[1], fabric.nodes[b].links[1]
        rate_at_a, rate_at_b = fabric.unlink(a, 1), fabric.unlink(b, 1)
        fabric.link(a, 1, *at_b, rate_at_b)
        fabric.link(b, 1, *at_a, rate_at_a)
        self.quiet(fabric, "exchanged hosts", self.either())
        self.check(not self.report["findings"], "exchanged hosts: %s" % self.told())
        self.perhaps_restart(fabric)
        fabric.unlink(b, 1)
        self.quiet(fabric, "one of them is gone", self.either())
        name = self.net.fabric.nodes[b].description.decode()
        found = self.report["findings"]
        self.check(len(found) == 1 and found[0].get("hosts") == [name] and
                   (*at_a, name) in [(int(s["where"]["guid"], 16), s["where"]["port"], s["text"].split()[0])
                                     for s in found[0]["symptoms"] if s["where"]],
                   "%s, gone from %x[%d], is not named: %s" % (name, *at_a, json.dumps(found)))

    def replaced(self, whole):
        """Another switch in the same place and the same ports, with another GUID and name; later that one dies."""
        if self.net.units[whole] != {whole}:
            return
        fabric = self.net.fabric.copy()
        if self.rng.random() < 0.5:
            self.dies(fabric, whole)
            self.perhaps_restart(fabric)
        old, fresh = self.net.fabric.nodes[whole], 0x0002C905000000F0
        fabric = self.net.fabric.copy()
        fabric.remove(whole)
        name = b"MT Switch" if old.description == b"MT Switch" else b"fresh-one"
        fabric.add(Node("S", fresh, old.ports, name, old.lid))
        for port, (far, far_port) in old.links.items():
            fabric.link(fresh, port, far, far_port, old.rates[port])
        had = self.report["findings"] and self.report["verdict"] != "ok"
        self.look(fabric, self.either())
        self.expect(*(["cleared gone"] if had else []))
        self.check(self.report["verdict"] == "ok", "a replaced switch: %s" % self.told())
        self.quiet(fabric, "a replaced switch stays quiet")
        self.perhaps_restart(fabric)
        healthy, net = fabric, self.net
        fabric = healthy.copy()
        # From here on the new one is expected by its own name.
        units, unit_of, known = net.units, net.unit_of, net.fabric
        net.units = {**{w: c for w, c in units.items() if w != whole}, fresh: {fresh}}
        net.unit_of = {chip: w for w, chips in net.units.items() for chip in chips}
        net.fabric = healthy
        past, self.past = self.past, self.file("again.json", net.seen(healthy).write_snapshot(entry=net.entry))
        self.dies(fabric, fresh)
        self.look(healthy, self.either())
        self.expect("cleared gone")
        net.units, net.unit_of, net.fabric, self.past = units, unit_of, known, past

    def cable_then_switch(self, whole):
        """A cable is out, then the switch at its end dies; it comes back without the cable, which is told at once."""
        between = [c for c in self.net.cables() if whole in (self.net.unit_of[c[0]], self.net.unit_of[c[2]])]
        if len(between) < 3:
            return
        cable = self.rng.choice(between)
        fabric = self.net.fabric.copy()
        self.pulled(cable, fabric)
        without = fabric.copy()
        self.killed(fabric, whole)
        self.look(fabric, self.either())
        self.expect("raised gone", "cleared cable-missing")
        self.check(all(e["alert"]["text"].startswith("now part of ") for e in self.events
                       if e["alert"]["event"] == "cleared"), "not a part of it: %s" % self.told())
        self.perhaps_restart(fabric)
        half = without.copy()
        half.unlink(*next(c for c in self.net.cables(without) if whole in (self.net.unit_of[c[0]], self.net.unit_of[c[2]]))[:2])
        if len(half.reachable(self.net.entry)) == len(half.nodes):
            self.look(half, self.either())
            self.expect("changed gone")
        self.look(without, self.either())
        self.expect("cleared gone", "raised cable-missing")
        self.check([f["code"] for f in self.warnings()] == ["cable-missing"] and
                   ends_of(self.warnings()[0]) == {cable[:2], cable[2:]}, "it is back without a cable: %s" % self.told())
        self.look(self.net.fabric, self.either())
        self.expect("cleared cable-missing")
        self.well_again()

    def slow_repair(self, whole):
        """All cables of a switch to others were pulled; they are put back one by one, with a long pause in between."""
        fabric = self.net.fabric.copy()
        inside, between, hosts = self.cables_of(whole)
        for cable in between:
            fabric.unlink(*cable[:2])
        self.look(fabric, self.either())
        self.expect("raised gone")
        events, pause = list(self.events), self.rng.randrange(len(between) + 1)
        del inside, hosts
        for number, cable in enumerate(between):
            self.join(fabric, cable)
            events += self.look(fabric, self.either())
            if number == pause:
                events += self.look(fabric, "all", RETURNING_S + 1)
            strange = [f["text"] for f in self.warnings() if f["code"] not in GONE | {"cable-missing"}]
            self.check(not strange, "in the middle of a repair: %s" % strange)
        gone = [e["alert"]["event"] for e in events if e["alert"]["code"] in GONE]
        self.check(gone.count("raised") == 1 and gone[-1] == "cleared", "raised again in a repair: %s" %
                   [(e["alert"]["event"], e["alert"]["text"]) for e in events])
        self.well_again()

    def siege(self, whole):
        """The neighbours of a switch, if they are few and can die, and nothing else is cut off then; else none."""
        near = {w for c in self.net.cables() for w in (self.net.unit_of[c[0]], self.net.unit_of[c[2]])
                if whole in (self.net.unit_of[c[0]], self.net.unit_of[c[2]])} - {whole}
        fits = len(near) in (2, 3) and not near - set(self.net.mortal()) and self.net.cut_off(*near) == near | {whole}
        return near if fits else set()

    def surrounded_slowly(self, whole):
        """A switch dies, then its neighbours do, one after the other: it is a part of what takes it in, not repaired."""
        fabric = self.net.fabric.copy()
        near = self.siege(whole)
        for switch in [whole, *self.rng.sample(sorted(near), len(near))] if near else []:
            self.killed(fabric, switch)
            self.look(fabric, self.either())
            over = [e["alert"]["text"] for e in self.events if e["alert"]["event"] == "cleared"]
            self.check(all(text.startswith("now part of ") for text in over), "while more die: %s" % over)

    def surrounded(self, whole):
        """The only neighbours of a switch die, and it is not seen either: one alert names all of them."""
        near = self.siege(whole)
        gone = near | {whole}
        if len(gone) == 1:
            return
        fabric = self.net.fabric.copy()
        for switch in near:
            self.killed(fabric, switch)
        self.look(fabric, self.either())
        found = [f for f in self.warnings() if f["code"] in GONE]
        if len(found) == 1 and " switches are cut off" in found[0]["text"]:
            names = [self.net.name(w) for w in gone]
            self.check(all(name is None or name in found[0]["text"] for name in names), "%s in %s" % (names, found[0]["text"]))

    def two_dead(self, whole):
        """Two switches that are no neighbours die one after the other, and come back in any order."""
        near = {w for c in self.net.cables() for w in (self.net.unit_of[c[0]], self.net.unit_of[c[2]])
                if whole in (self.net.unit_of[c[0]], self.net.unit_of[c[2]])}
        others = [w for w in self.net.mortal() if w not in near and self.net.cut_off(whole, w) == {whole, w}]
        if not others:
            return
        other = self.rng.choice(others)
        fabric = self.net.fabric.copy()
        self.dies(fabric, whole)
        self.killed(fabric, other)
        self.look(fabric, self.either())
        self.expect("raised gone")
        self.check(int(self.events[0]["fields"]["FTCHECK_GUID"], 16) == other, "a hook is told of %s" % self.events)
        self.perhaps_restart(fabric)
        self.both(lambda report: {int((f.get("subject") or {"guid": "0"})["guid"], 16) for f in self.warnings(report)} ==
                  {whole, other} and len(self.warnings(report)) == 2, "two dead switches are not called by their names")
        first = self.rng.choice([whole, other])
        for cable in sum(self.cables_of(first), []):
            self.join(fabric, cable)
        self.look(fabric, self.either())
        self.expect("cleared gone")
        self.look(self.net.fabric, self.either())
        self.expect("cleared gone")
        self.well_again()

    def neighbours_reboot(self, whole):
        """Two neighbours die one after the other and come back likewise: one alert each, of which the other is no news."""
        near = {self.net.unit_of[c[i]] for c in self.net.cables() for i in (0, 2)
                if whole in (self.net.unit_of[c[0]], self.net.unit_of[c[2]])}
        others = [w for w in self.net.mortal() if w in near - {whole} and self.net.cut_off(whole, w) == {whole, w}]
        if not others:
            return
        other = self.rng.choice(others)
        fabric = self.net.fabric.copy()
        names = {whole: self.dies(fabric, whole)}
        self.killed(fabric, other)
        self.look(fabric, self.either())
        self.expect("raised gone")
        names[other] = self.events[0]["alert"]["id"] if self.events else None
        self.perhaps_restart(fabric)
        first = self.rng.choice([whole, other])
        for back, dead in ((first, whole + other - first), (whole + other - first, None)):
            inside, between, hosts = self.cables_of(back)
            for cable in inside:
                self.join(fabric, cable)
            rest = [c for c in between if dead not in (self.net.unit_of[c[0]], self.net.unit_of[c[2]])] + hosts
            events = []
            for cable in rest:
                self.join(fabric, cable)
                events += self.look(fabric, self.either())
                for f in self.report["findings"]:
                    up = f.get("returning", {"up": 0, "of": 1})
                    self.check(up["up"] < up["of"], "nothing lacks: %s" % f["text"])
            self.check([e["alert"]["event"] for e in events] in (["cleared"], ["changed", "cleared"]) and
                       all(e["alert"]["id"] == names[back] for e in events),
                       "not one alert: %s" % [(e["alert"]["event"], e["alert"]["text"]) for e in events])
        self.well_again()

    def reboot_beside_a_cable(self, whole):
        """A cable is out for days; a switch elsewhere reboots, which changes nothing about it."""
        between = [c for c in self.net.cables() if whole not in (self.net.unit_of[c[0]], self.net.unit_of[c[2]])]
        self.rng.shuffle(between)
        for cable in between[:20]:
            fabric = self.net.fabric.copy()
            fabric.unlink(*cable[:2])
            without = fabric.copy()
            self.killed(fabric, whole)
            if {w for w, chips in self.net.units.items() if not chips & fabric.reachable(self.net.entry)} == {whole}:
                break
        else:
            return
        self.pulled(cable, self.net.fabric.copy())
        self.look(fabric, self.either(), 86400)
        self.expect("raised gone")
        name = self.events[0]["alert"]["id"] if self.events else None
        self.perhaps_restart(fabric)
        inside, near, hosts = self.cables_of(whole)
        rest, events = near + hosts, []
        for back in inside:
            self.join(fabric, back)
        while rest:
            for back in rest[:1 + len(rest) // 2]:
                self.join(fabric, back)
            rest = rest[1 + len(rest) // 2:]
            events += self.look(fabric, self.either())
        self.check([e["alert"]["event"] for e in events] in (["cleared"], ["changed", "cleared"]) and
                   all(e["alert"]["id"] == name for e in events), "not one alert: %s" % [e["alert"]["text"] for e in events])
        self.check([ends_of(f) for f in self.warnings()] == [{cable[:2], cable[2:]}], "the cable: %s" % self.told())
        self.quiet(without, "only the cable is out")
        self.look(self.net.fabric, self.either())
        self.expect("cleared cable-missing")
        self.well_again()

    # Changes on purpose

    def no_memory(self, design, fabric):
        """The findings of a daemon that has never seen anything."""
        other = Rig(self.net, self.keep)
        other.plan(design)
        other.look(fabric)
        other.end()
        return collections.Counter(f["code"] for f in other.report["findings"])

    def same_as_without(self, design, fabric, what):
        """That a switch stands where another one did is no fault, and nothing that one without a memory knows."""
        blind = self.no_memory(design, fabric)
        found = collections.Counter(f["code"] for f in self.report["findings"] if f["code"] != "switch-replaced")
        self.check(found == blind, "%s: found %s, without a memory %s: %s" % (what, dict(found), dict(blind), self.told()))

    def replan(self, _):
        """The plan has one cable less, then the cable goes; a plan that lists its switches in another order."""
        if self.net.design["topology"] != "graph" or "switches" not in self.net.design:
            return
        design = copy.deepcopy(self.net.design)
        self.rng.shuffle(design["switches"])
        self.rng.shuffle(design["links"])
        self.plan(design)
        self.look(self.net.fabric, "replanned")
        self.expect()
        self.quiet(self.net.fabric, "a plan in another order")
        self.same_as_without(design, self.net.fabric, "a plan in another order")
        # One host more on each switch of one entry is planned: nothing but hosts is missing.
        entry = self.rng.choice(design["switches"])
        entry["hosts"] += 1
        self.plan(design)
        self.look(self.net.fabric, "replanned")
        self.same_as_without(design, self.net.fabric, "more hosts are planned")
        self.quiet(self.net.fabric, "more hosts are planned")
        self.plan(self.net.design)
        self.look(self.net.fabric, "replanned")
        self.well_again()

    def replan_while_broken(self, whole):
        """The plan is replaced by itself while a switch is dead, which stays the same alert with the same name."""
        fabric = self.net.fabric.copy()
        name = self.dies(fabric, whole)
        self.plan(self.net.design)
        self.look(fabric, "replanned")
        self.expect()
        self.quiet(fabric, "after the plan was read again")
        self.check([f["id"] for f in self.warnings()] == [name] and self.is_named(self.report, whole),
                   "after the plan was read again: %s" % self.told())

    def rewired(self, _):
        """Plan and fabric are changed together: two switches have exchanged all their cables and hosts."""
        alike = collections.defaultdict(list)
        for whole in self.net.mortal():
            if self.net.units[whole] == {whole}:
                alike[self.net.fabric.nodes[whole].ports, len(self.net.fabric.nodes[whole].links)].append(whole)
        alike = [w for w in alike.values() if len(w) > 1]
        if not alike:
            return
        a, b = self.rng.sample(self.rng.choice(alike), 2)
        fabric = self.net.fabric.copy()
        links = {w: dict(fabric.nodes[w].links) for w in (a, b)}
        if any(far in (a, b) for w in (a, b) for far, _ in links[w].values()):
            return
        rates = {w: dict(fabric.nodes[w].rates) for w in (a, b)}
        for w in (a, b):
            for port in links[w]:
                fabric.unlink(w, port)
        for w, other in ((a, b), (b, a)):
            for port, far in links[other].items():
                fabric.link(w, port, *far, rates[other][port])
        self.look(fabric, "all")
        self.same_as_without(self.net.design, fabric, "two switches that stand in each other's place")

    COURSES = [dead, dead, dead, reboot, reboot, pull, pull, swap, swap, misplace, beside_a_host, host_gone, hosts_exchanged, replaced,
               cable_then_switch, cable_then_switch, slow_repair, slow_repair, replan, replan_while_broken, rewired, two_dead, two_dead, surrounded,
               reboot_beside_a_cable, reboot_beside_a_cable, neighbours_reboot, neighbours_reboot, surrounded_slowly, surrounded_slowly]


def network(rng, label):
    return director_network(rng) if label == "directors" else graph_network(rng, label)


def networks(test, labels=(*FAMILIES, "directors"), known=()):
    """By options: the networks of a test, one of each kind in turn, then those of @known: seed and number."""
    def drawn(options):
        for seed, number in [(options.seed, n) for n in range(options.rounds)] + list(known):
            label = labels[number % len(labels)]
            if not options.only or options.only == label:
                yield number, network(random.Random("%s:%d:%d" % (test, seed, number)), label)
    return drawn


LABELS = (*FAMILIES, "directors", "directors")
# What bit. 7002:7: two switches with one cable each, and their hosts, exchange their places. 5:11: both neighbours of a
# dead switch of a ring die.
KNOWN = [(7002, 7), (5, 11)]


def main(kind=Rig, drawn=networks("recall", LABELS, KNOWN), rounds=14, least=20):
    """@least: checks of a network; networks without a course test nothing."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int(os.environ.get("FT_SEED", "1"), 0))
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--only")
    parser.add_argument("--keep")
    options = parser.parse_args()
    checks = 0
    print("recall: seed %d" % options.seed)
    for number, net in drawn(options):
        if not net.mortal():
            continue
        rig = kind(net, options.keep)
        for turn, course in enumerate(kind.COURSES):
            rig.bad, had = [], rig.checks
            victim = net.rng.choice(net.mortal())
            try:
                rig.begin()
                course(rig, victim)
            except RuntimeError as error:
                rig.bad.append("the tool failed: %s" % error)
                result("%s %d: %s" % (net.label, number, course.__name__), False, *rig.bad)
                break
            if rig.bad or rig.checks - had > 1:
                result("%s %d.%d: %s" % (net.label, number, turn, course.__name__.replace("_", " ")), not rig.bad, *rig.bad)
        rig.end()
        checks += rig.checks
    print("recall: %d checks" % checks)
    return results.status() or int(checks < least * options.rounds and not options.only)


if __name__ == "__main__":
    sys.exit(main())
