#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
More courses of events for the daemon's memory, in the manner of daemon_recall.py: switches that take minutes to boot, that die
while they come back or that lose a cable meanwhile, several faults at a time that are mended in any order, racks without power,
storms, links that flap, boards of directors that go and come back link by link, slow cables, replaced switches, a plan that grows, plans that "ftplan --infer" made
of the fabric. In between the daemon is restarted, or killed: then its memory is that of its last full sweep.

  daemon_courses.py [--seed N] [--rounds N] [--only NETWORK] [--keep DIR]
"""
import collections
import copy
import itertools
import json
import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign_directors  # noqa: E402
import daemon_recall  # noqa: E402
import graphs  # noqa: E402
import results  # noqa: E402
from daemon_recall import GONE, RETURNING_S, Network, Rig, director_network, ends_of, exchange, graph_network, network  # noqa: E402
from fabric import Node  # noqa: E402
from results import FTCHECK, FTPLAN  # noqa: E402

FAMILIES = ["dragonfly by rule", "dragonfly+ by rule", "classes", "planes", "islands", "irregular", "torus by rule", "hyperx by rule",
            "clos by rule", "polarfly by rule"]
GROWN = 0x0002C905000000E0  # of a switch that is added
# Seed and number of networks where something went wrong once. 10:2: with the new switch, a kind of spines has hosts.
KNOWN = [(10, 2)]
# Likewise of directors. 5:9: chips without slots that went one after the other, of one board.
KNOWN_BOARDS = [(5, 9)]


class Courses(Rig):
    def interrupted(self, fabric):
        """It goes on, is restarted or is killed: nothing is said again, and nothing has another id."""
        how = self.rng.choice(["", "restart", "kill"])
        if not how:
            return
        ids = sorted(f["id"] for f in self.report["findings"])
        self.tell(how)
        self.quiet(fabric, "after a %s" % how)
        now = sorted(f["id"] for f in self.report["findings"])
        self.check(now == ids, "after a %s, the ids %s are %s" % (how, ids, now))

    def one_alert(self, events, name, what):
        """The events of something that stood before, as @name: it may change once, and then it is cleared."""
        self.check([e["alert"]["event"] for e in events] in (["cleared"], ["changed", "cleared"]) and
                   all(e["alert"]["id"] == name for e in events),
                   "%s: %s" % (what, [(e["alert"]["event"], e["alert"]["text"]) for e in events]))

    def only_gone(self, when):
        others = [f["text"] for f in self.warnings() if f["code"] not in GONE]
        self.check(not others, "%s: %s" % (when, others))

    def subjects(self, report=None):
        return sorted(int((f.get("subject") or {"guid": "0"})["guid"], 16) for f in self.warnings(report) if f["code"] in GONE)

    # One switch

    def slow_boot(self, whole):
        """It is away for minutes, and so long its links take, too: one alert, which says how far it is."""
        fabric = self.net.fabric.copy()
        name = self.dies(fabric, whole)
        for _ in range(self.rng.randint(1, 3)):
            self.look(fabric, self.either(), self.rng.randint(20, 100))
            self.expect()
        self.interrupted(fabric)
        inside, between, hosts = self.cables_of(whole)
        for cable in inside:
            self.join(fabric, cable)
        rest, events = between + hosts, []
        pause = (RETURNING_S - 20) // len(rest)
        for number, cable in enumerate(rest):
            self.join(fabric, cable)
            events += self.look(fabric, self.either(), pause if number else 60)
            self.only_gone("while it boots")
            up = self.warnings()[0].get("returning") if self.warnings() else None
            self.check(not up or up["up"] < up["of"], "the alert does not say how far: %s" % up)
        self.one_alert(events, name, "a slow boot is not one alert")
        self.well_again()

    def boots_without_a_cable(self, whole):
        """A cable does not come up again: it is part of the alert, and later one of its own by its ports."""
        _, between, _ = self.cables_of(whole)
        for cable in between:
            without = self.net.fabric.copy()
            without.unlink(*cable[:2])
            if len(without.reachable(self.net.entry)) == len(without.nodes):
                break
        else:
            return
        name = self.dies(self.net.fabric.copy(), whole)
        events = list(self.look(without, self.either(), 120))
        self.only_gone("without a cable")
        self.check(len(self.warnings()) == 1 and "returning" in self.warnings()[0], "not coming back: %s" % self.told())
        self.interrupted(without)
        events += self.look(without, "all", RETURNING_S - 20)
        self.check(all(e["alert"]["event"] == "changed" and e["alert"]["id"] == name for e in events),
                   "told before its time: %s" % self.told())
        self.look(without, "all", 30)
        self.expect("cleared gone", "raised cable-missing")
        self.check([ends_of(f) for f in self.warnings()] == [{cable[:2], cable[2:]}], "the cable: %s" % self.told())
        self.interrupted(without)
        self.look(self.net.fabric, self.either())
        self.expect("cleared cable-missing")
        self.well_again()

    def dies_while_it_comes_back(self, whole):
        inside, between, hosts = self.cables_of(whole)
        if len(between) < 2:
            return
        fabric = self.net.fabric.copy()
        name = self.dies(fabric, whole)
        half = fabric.copy()
        for cable in inside + between[:len(between) // 2]:
            self.join(half, cable)
        events = list(self.look(half, self.either(), 30))
        self.interrupted(half)
        events += self.look(fabric, self.either(), 10)
        self.both(lambda report: self.is_named(report, whole), "the dead switch %x is not called by its name" % whole)
        self.check(all(e["alert"]["event"] == "changed" and e["alert"]["id"] == name for e in events),
                   "it dies once more: %s" % self.told())
        self.interrupted(fabric)
        events = self.look(self.net.fabric, self.either(), 90)
        self.one_alert(events, name, "back at last")
        self.well_again()

    def flaps(self, _):
        """A cable that comes and goes is one alert, by its ports, until it has kept still."""
        cable = self.draw_cable()
        if not cable:
            return
        without, events = self.net.fabric.copy(), []
        without.unlink(*cable[:2])
        for _ in range(8):
            events += self.look(without, self.either(), 20)
            events += self.look(self.net.fabric, self.either(), 20)
        flaps = [e["alert"] for e in events if e["alert"]["code"] == "link-flapping"]
        self.check([a["event"] for a in flaps] == ["raised"] and ends_of(flaps[0]["finding"]) == {cable[:2], cable[2:]},
                   "a flapping link: %s" % flaps)
        raised = [e["alert"]["event"] for e in events if e["alert"]["code"] == "cable-missing"]
        self.check(raised.count("raised") == raised.count("cleared") == 6, "while it flaps: %s" % raised)
        self.interrupted(self.net.fabric)
        self.look(self.net.fabric, "all", 601)
        self.expect("cleared link-flapping")
        self.well_again()

    def slow(self, _):
        """A cable comes up at a lower rate."""
        cable = self.draw_cable()
        rates = [r for n in self.net.fabric.switches() for r in n.rates.values()]
        if not cable or len(set(rates)) > 1 or len(self.net.cables()) < 4:
            return
        fabric = self.net.fabric.copy()
        fabric.set_rate(*cable[:2], "1x" + rates[0].split("x")[1])
        self.look(fabric, self.either())
        self.expect("raised cable-narrow")
        self.both(lambda report: [ends_of(f) for f in self.warnings(report)] == [{cable[:2], cable[2:]}],
                  "a narrow cable is not called by its ports")
        self.interrupted(fabric)
        self.look(self.net.fabric, self.either())
        self.expect("cleared cable-narrow")
        self.well_again()

    # Several

    def near(self, whole):
        return {w for c in self.net.cables() for w in (self.net.unit_of[c[0]], self.net.unit_of[c[2]])
                if whole in (self.net.unit_of[c[0]], self.net.unit_of[c[2]])}

    def apart(self, most):
        """Mortal switches that are no neighbours of each other, and cut nothing off together."""
        chosen = []
        for whole in self.rng.sample(self.net.mortal(), len(self.net.mortal())):
            if len(chosen) < most and not self.near(whole) & set(chosen) and \
                    self.net.cut_off(*chosen, whole) == {*chosen, whole}:
                chosen.append(whole)
        return chosen

    def rack_without_power(self, _):
        """Several switches die in a moment, each with its hosts, and come back one after the other."""
        dead = self.apart(self.rng.randint(2, 4))
        if len(dead) < 2:
            return
        fabric = self.net.fabric.copy()
        for whole in dead:
            self.killed(fabric, whole)
        self.look(fabric, self.either())
        self.expect(*["raised gone"] * len(dead))
        self.both(lambda report: self.subjects(report) == sorted(dead) and len(self.warnings(report)) == len(dead),
                  "dead switches are not called by their names: %s" % ["%x" % w for w in dead])
        ids = {int(e["fields"]["FTCHECK_GUID"] or "0", 16): e["alert"]["id"] for e in self.events}
        self.check(set(ids) == set(dead), "hooks are told of %s" % ids)
        self.interrupted(fabric)
        for whole in self.rng.sample(dead, len(dead)):
            inside, between, hosts = self.cables_of(whole)
            for cable in inside + between + hosts:
                self.join(fabric, cable)
            self.look(fabric, self.either(), 40)
            self.expect("cleared gone")
            self.check(all(e["alert"]["id"] == ids.get(whole) for e in self.events), "another one is back: %s" % self.told())
            self.interrupted(fabric)
        self.well_again()

    def fault_dead(self, used):
        for whole in self.rng.sample(self.net.mortal(), len(self.net.mortal())):
            if not self.near(whole) & used:
                return self.near(whole) | {whole}, [whole], lambda f: self.killed(f, whole), \
                    lambda f: [self.join(f, c) for c in sum(self.cables_of(whole), [])], "gone", lambda g: self.subject_is(g, whole)
        return None

    def subject_is(self, finding, whole):
        return int((finding.get("subject") or {"guid": "0"})["guid"], 16) == whole

    def units_of(self, *cables):
        return {self.net.unit_of[g] for c in cables for g in (c[0], c[2])}

    def fault_pulled(self, used):
        cables = [c for c in self.net.cables() if not self.units_of(c) & used]
        if not cables:
            return None
        cable = self.rng.choice(cables)
        return self.units_of(cable), [], lambda f: f.unlink(*cable[:2]), lambda f: self.join(f, cable), "cable-missing", \
            lambda g: ends_of(g) == {cable[:2], cable[2:]}

    def fault_swapped(self, used):
        cables = [c for c in self.net.cables() if not self.units_of(c) & used]
        neighbours = {frozenset(self.units_of(c)) for c in self.net.cables()}
        for one, two in itertools.islice(itertools.combinations(self.rng.sample(cables, len(cables)), 2), 200):
            moved = [(*one[:2], *two[2:]), (*two[:2], *one[2:])]
            if len(self.units_of(one, two)) < 4 or any(frozenset(self.units_of(c)) in neighbours for c in moved):
                continue
            ends = {e for c in moved for e in (c[:2], c[2:])}
            return self.units_of(one, two), [], lambda f: self.recabled(f, (one, two), moved), \
                lambda f: self.recabled(f, moved, (one, two)), "cables-swapped", lambda g: ends_of(g) == ends
        return None

    def recabled(self, fabric, old, new):
        rates = [fabric.unlink(*c[:2]) for c in old]
        for cable, rate in zip(new, rates):
            fabric.link(*cable, rate)

    def several(self, _):
        """Faults that have nothing to do with each other, one after the other, mended in any order."""
        faults, used, dead = [], set(), []
        for _ in range(5):
            fault = self.rng.choice([self.fault_dead, self.fault_pulled, self.fault_pulled, self.fault_swapped])(used)
            if not fault:
                continue
            fabric = self.net.fabric.copy()
            for known in [*faults, fault]:
                known[2](fabric)
            there = fabric.reachable(self.net.entry)
            if {w for w, chips in self.net.units.items() if not chips & there} != {*dead, *fault[1]}:
                continue
            used, dead, faults = used | fault[0], dead + fault[1], [*faults, fault]
        if len(faults) < 2:
            return
        fabric, ids = self.net.fabric.copy(), {}
        for fault in faults:
            fault[2](fabric)
            self.look(fabric, self.either(), self.rng.choice([1, 30, 3600]))
            if not self.expect("raised " + fault[4]):
                return
            ids[id(fault)] = self.events[0]["alert"]["id"]
            self.interrupted(fabric)
        self.both(lambda report: len(self.warnings(report)) == len(faults) and
                  all(sum(map(fault[5], self.warnings(report))) == 1 for fault in faults), "not each by its name and ports")
        for fault in self.rng.sample(faults, len(faults)):
            fault[3](fabric)
            self.look(fabric, self.either(), self.rng.choice([1, 30, 3600]))
            self.expect("cleared " + fault[4])
            self.check(all(e["alert"]["id"] == ids[id(fault)] and e["alert"]["text"].startswith("repaired: ") for e in self.events),
                       "another one is mended: %s" % self.told())
            self.interrupted(fabric)
        self.well_again()

    def two_swaps(self, _):
        """A second swap makes a cable where the first one took one away, which hides both: each is told by its own cables."""
        pair = lambda c: frozenset(self.units_of(c))  # noqa: E731
        cables = self.net.cables()
        for _ in range(400):
            first, second = (self.rng.sample(cables, 2) if len(cables) > 3 else [] for _ in range(2))
            if not self.net.are_apart(first) or not self.net.are_apart(second) or set(first) & set(second):
                continue
            fabric = self.net.fabric.copy()
            moved = exchange(fabric, *first), exchange(fabric, *second)
            lost, made = ({pair(c) for c in some} for some in (first + second, moved[0] + moved[1]))
            if len(lost) == len(made) == 4 and len(lost & made) == 1 and {pair(c) for c in first} & {pair(c) for c in moved[1]}:
                break
        else:
            return
        fabric = self.net.fabric.copy()
        for number, cables in enumerate((first, second)):
            exchange(fabric, *cables)
            self.look(fabric, self.either())
            if not self.expect("raised cables-swapped"):
                return
            self.both(lambda report: sorted(map(ends_of, self.warnings(report)), key=sorted) ==
                      sorted(({e for c in some for e in (c[:2], c[2:])} for some in moved[:number + 1]), key=sorted),
                      "not the cables that were swapped")
            self.interrupted(fabric)
        self.look(self.net.fabric, self.either())
        self.expect("cleared cables-swapped", "cleared cables-swapped")
        self.well_again()

    def reboot_beside_a_swap(self, _):
        """A switch reboots that has a swapped cable where others of the same pair are dark: that stands for none of these."""
        pair = lambda c: frozenset(self.units_of(c))  # noqa: E731
        cables = self.net.cables()
        planned = collections.Counter(map(pair, cables))
        for _ in range(400):
            swapped = self.rng.sample(cables, 2) if len(cables) > 3 else []
            if not self.net.are_apart(swapped):
                continue
            healthy = self.net.fabric.copy()
            moved = exchange(healthy, *swapped)
            near = [w for c in moved if planned[pair(c)] for w in pair(c) if w in self.net.mortal() and self.net.units[w] == {w}]
            if near and len(healthy.reachable(self.net.entry)) == len(healthy.nodes) and \
                    collections.Counter(map(pair, self.net.cables(healthy))) != planned:
                break
        else:
            return
        whole = self.rng.choice(near)
        self.look(healthy, self.either())
        if not self.expect("raised cables-swapped"):
            return
        dead = healthy.copy()
        self.killed(dead, whole)
        self.look(dead, self.either())
        self.interrupted(dead)
        back = [c for c in healthy.edges() if whole in (self.net.unit_of.get(c[0]), self.net.unit_of.get(c[2]))]
        self.rng.shuffle(back)
        back.sort(key=lambda c: c[0] not in self.net.unit_of or c[2] not in self.net.unit_of)
        events = []
        for cable in back:
            dead.link(*cable, healthy.nodes[cable[0]].rates[cable[1]])
            events += self.look(dead, self.either())
        missing = [e["alert"]["text"] for e in events if e["alert"]["code"] == "cable-missing"]
        self.check(not missing, "while it comes back: %s" % missing)
        self.check([ends_of(f) for f in self.warnings()] == [{e for c in moved for e in (c[:2], c[2:])}],
                   "not the cables that were swapped: %s" % self.told())
        self.look(self.net.fabric, self.either())
        self.expect("cleared cables-swapped")
        self.well_again()

    def storm(self, _):
        """So many cables at once that they are one alert."""
        fabric, pairs = self.net.fabric.copy(), set()
        cables = self.net.cables()
        for cable in self.rng.sample(cables, len(cables)):
            if frozenset(self.units_of(cable)) in pairs or len(pairs) == 60:
                continue
            rate = fabric.unlink(*cable[:2])
            if len(fabric.reachable(self.net.entry)) == len(fabric.nodes):
                pairs.add(frozenset(self.units_of(cable)))
            else:
                fabric.link(*cable, rate)
        self.look(fabric, self.either())
        if len([f for f in self.warnings() if f["severity"] == "warning"]) <= 30:
            return
        self.expect("raised alert-storm")
        self.interrupted(fabric)
        self.look(self.net.fabric, self.either())
        self.expect("cleared alert-storm")
        self.well_again()

    # Changes on purpose

    def two_replaced(self, _):
        """Two switches are replaced in one night, by ones that nobody has seen; later one of the new ones dies."""
        dead = [w for w in self.apart(2) if self.net.units[w] == {w}]
        if len(dead) < 2:
            return
        fabric, net = self.net.fabric.copy(), self.net
        for whole in dead:
            self.killed(fabric, whole)
        self.look(fabric, self.either())
        self.expect("raised gone", "raised gone")
        self.interrupted(fabric)
        healthy = net.fabric.copy()
        for number, whole in enumerate(dead):
            old = net.fabric.nodes[whole]
            name = b"MT Switch" if old.description == b"MT Switch" else b"fresh-%d" % number
            healthy.remove(whole)
            healthy.add(Node("S", GROWN + 16 * number, old.ports, name, old.lid))
        for number, whole in enumerate(dead):
            old = net.fabric.nodes[whole]
            for port, far in old.links.items():
                healthy.link(GROWN + 16 * number, port, *far, old.rates[port])
        self.look(healthy, self.either())
        self.expect("cleared gone", "cleared gone")
        self.check(self.report["verdict"] == "ok", "replaced switches: %s" % self.told())
        self.quiet(healthy, "replaced switches stay quiet")
        self.interrupted(healthy)
        known = net.units, net.unit_of, net.fabric, self.past
        fresh = GROWN + 16 * self.rng.randrange(2)
        net.units = {**{w: c for w, c in net.units.items() if w not in dead}, GROWN: {GROWN}, GROWN + 16: {GROWN + 16}}
        net.unit_of = {chip: w for w, chips in net.units.items() for chip in chips}
        net.fabric, self.past = healthy, self.file("again.json", net.seen(healthy).write_snapshot(entry=net.entry))
        self.dies(healthy.copy(), fresh)
        self.look(healthy, self.either())
        self.expect("cleared gone")
        net.units, net.unit_of, net.fabric, self.past = known

    def grown(self, whole):
        """While a switch is dead the plan gets one more, which is cabled later."""
        free = [w for w in self.net.units if self.net.units[w] == {w} and w != whole and self.net.fabric.nodes[w].free_ports()]
        names = {int(s["guid"], 16): s["planned_as"] for s in self.report["switches"] if s["guid"]}
        if len(free) < 2 or self.net.design["topology"] != "graph" or "switches" not in self.net.design:
            return
        above = self.rng.sample(free, 2)
        if self.near(whole) & set(above):
            return
        design = copy.deepcopy(self.net.design)
        kind = self.rng.choice(design["switches"])["kind"]
        design["switches"].append({"name": "grown", "kind": kind, "ports": 7, "hosts": 1})
        design["links"] += [{"a": names[w], "b": "grown"} for w in above]
        if "nodes" in design:
            design["nodes"] += 1
        fabric = self.net.fabric.copy()
        self.dies(fabric, whole)
        self.plan(design)
        self.look(fabric, "replanned")
        self.expect("raised gone")
        self.check(whole in self.subjects() and any("grown" in f["text"] for f in self.warnings()), "a switch more: %s" % self.told())
        self.interrupted(fabric)
        host = Node("H", GROWN + 32, 1, b"node-grown", 9999)
        for now in (fabric, self.net.fabric.copy()):
            now.add(Node("S", GROWN, 7, b"MT Switch", 9998))
            now.add(host) if now is fabric else now.add(Node("H", GROWN + 32, 1, b"node-grown", 9999))
            for port, to in enumerate(above):
                now.link(GROWN, port + 1, to, now.nodes[to].free_ports()[0], next(iter(self.net.fabric.nodes[to].rates.values())))
            now.link(GROWN, 7, GROWN + 32, 1, "4xHDR")
            self.look(now, self.either())
            self.expect("cleared gone")
            self.quiet(now, "it is there")
            self.interrupted(now)
        self.check(self.report["verdict"] == "ok", "a switch more: %s" % self.told())

    # Directors

    def lost(self, fabric, chips):
        for chip in chips:
            for port in list(fabric.nodes[chip].links):
                if port in fabric.nodes[chip].links:
                    fabric.unlink(chip, port)

    def draw_boards(self, count, least=1):
        """Boards of @least chips, of one side of a director, or of several directors, that take nothing else along but hosts."""
        boards = sorted(b for b in self.net.boards if len(self.net.boards[b]) >= least)
        for _ in range(20):
            drawn = self.rng.sample(boards, min(count, len(boards)))
            fabric, chips = self.net.fabric.copy(), set().union(*(self.net.boards[b] for b in drawn))
            if len(drawn) < count or any(a[0] == b[0] and a[1][0] != b[1][0] for a in drawn for b in drawn):
                continue
            self.lost(fabric, chips)
            gone = set(fabric.nodes) - fabric.reachable(self.net.entry) - chips
            left = {(b[0], b[1][0]) for b in self.net.boards if b not in drawn}
            if all(fabric.nodes[g].kind == "H" for g in gone) and all((b[0], b[1][0]) in left for b in drawn):
                return [self.net.boards[b] for b in drawn]
        return None

    def links_of(self, chips):
        """Traces to other boards, and outer cables."""
        mine = [c for c in self.net.fabric.edges() if c[0] in chips or c[2] in chips]
        traces = [c for c in mine if self.net.unit_of.get(c[0]) == self.net.unit_of.get(c[2])]
        outer = [c for c in mine if c not in traces]
        self.rng.shuffle(traces)
        self.rng.shuffle(outer)
        return traces, outer

    def board_dies(self, fabric, chips):
        """It is called by one of its chips. Returns the id of its alert."""
        self.lost(fabric, chips)
        self.look(fabric, self.either())
        if not self.expect("raised board-missing"):
            return None
        fields = self.events[0]["fields"]
        self.check(int(fields["FTCHECK_GUID"], 16) in chips, "a hook is told of %s %s: %s" %
                   (fields["FTCHECK_SWITCH"], fields["FTCHECK_GUID"], self.told()))
        return self.events[0]["alert"]["id"]

    def looks_joining(self, fabric, rest):
        """The cables @rest come up, some at a time: the events of a look after each time."""
        while rest:
            count = self.rng.randint(1, 1 + len(rest) // 3)
            for cable in rest[:count]:
                self.join(fabric, cable)
            rest = rest[count:]
            yield self.look(fabric, self.either())

    def board_reboots(self, _):
        """A board of a director is lost, and comes back link by link: one alert."""
        drawn = self.draw_boards(1)
        if not drawn:
            return
        fabric = self.net.fabric.copy()
        name = self.board_dies(fabric, drawn[0])
        self.interrupted(fabric)
        traces, outer = self.links_of(drawn[0])
        rest, events = traces + outer, []
        if self.rng.random() < 0.5:
            rest = traces[:1] + self.rng.sample(rest[1:], len(rest) - 1)
        for seen in self.looks_joining(fabric, rest):
            events += seen
            others = [f["text"] for f in self.warnings() if f["code"] != "board-missing"]
            self.check(not others, "while a board comes back: %s" % others)
        self.one_alert(events, name, "a board that comes back is not one alert")
        self.well_again()

    def two_boards(self, _):
        """Two boards are lost one after the other, and come back in any order."""
        drawn = self.draw_boards(2)
        if not drawn:
            return
        fabric, ids = self.net.fabric.copy(), []
        for chips in drawn:
            ids.append(self.board_dies(fabric, chips))
            self.interrupted(fabric)
        first = self.rng.randrange(2)
        for number in (first, 1 - first):
            fabric = self.net.fabric.copy()
            if number == first:
                self.lost(fabric, drawn[1 - first])
            self.look(fabric, self.either())
            self.expect("cleared board-missing")
            self.check([e["alert"]["id"] for e in self.events] == [ids[number]], "another board is back: %s" % self.told())
        self.well_again()

    def board_beside_a_chip(self, _):
        """A board is lost, then a chip of another one, which comes back: the alert of the board stands as it was."""
        boards = self.net.boards
        pairs = [(a, b) for a in sorted(boards) for b in sorted(boards)
                 if a[0] == b[0] and a[1][0] == b[1][0] and a < b and len(boards[a]) > 1]
        self.rng.shuffle(pairs)
        for part, whole in pairs if self.net.label != "boards, alike" else []:
            fabric = self.net.fabric.copy()
            self.lost(fabric, boards[whole])
            chipless = fabric.copy()
            self.lost(chipless, {min(boards[part])})
            gone = set(fabric.nodes) - chipless.reachable(self.net.entry) - boards[whole] - {min(boards[part])}
            if all(fabric.nodes[g].kind == "H" for g in gone):
                break
        else:
            return
        name = self.board_dies(self.net.fabric.copy(), boards[whole])
        for what, now, later in (("lost", chipless, 1), ("back", fabric, 600)):
            self.look(now, "all", later)
            moved = [e["alert"]["id"] for e in self.events if e["alert"]["id"] == name]
            self.check(not moved, "a chip of another board is %s: %s" % (what, self.told()))
        self.look(self.net.fabric, "all")
        self.check([e["alert"]["id"] for e in self.events] == [name], "not that board is back: %s" % self.told())
        self.well_again()

    def board_beside_dark_ports(self, _):
        """Traces and cables of a board are out, then all of it; it comes back without them. The id is that of the board."""
        drawn, ids = self.draw_boards(1), set()
        if not drawn:
            return
        for out in range(2):
            self.begin()
            fabric = self.net.fabric.copy()
            traces, outer = self.links_of(drawn[0])
            between = [c for c in outer if c[0] in self.net.unit_of and c[2] in self.net.unit_of]
            for cable in (traces[:1] if out else []) + (between[:1] if out else []):
                fabric.unlink(*cable[:2])
            if len(fabric.reachable(self.net.entry)) != len(fabric.nodes):
                return
            self.look(fabric, "all")
            without = fabric.copy()
            self.lost(fabric, drawn[0])
            self.look(fabric, self.either())
            found = [f for f in self.warnings() if f["code"] == "board-missing"]
            self.check(len(found) == 1 == len(self.warnings()), "a board beside dark ports: %s" % self.told())
            ids.update(f["id"] for f in found)
            over = [e["alert"]["text"] for e in self.events if e["alert"]["event"] == "cleared"]
            self.check(all(t.startswith("now part of ") for t in over), "not a part of it: %s" % over)
            self.interrupted(fabric)
            if out:
                self.look(without, self.either())
                self.check({f["code"] for f in self.warnings()} == {"cable-missing"}, "back without some: %s" % self.told())
            self.look(self.net.fabric, "all")
            self.well_again()
        self.check(len(ids) == 1, "the id of a board depends on dark ports: %s" % ids)

    def chip_reboots(self, _):
        """One chip of a board of several is lost, and comes back link by link: one alert, of that chip."""
        for chips in self.rng.sample(list(self.net.boards.values()), len(self.net.boards)):
            chip = self.rng.choice(sorted(chips))
            fabric = self.net.fabric.copy()
            self.lost(fabric, {chip})
            gone = set(fabric.nodes) - fabric.reachable(self.net.entry) - {chip}
            if len(chips) > 1 and all(fabric.nodes[g].kind == "H" for g in gone):
                break
        else:
            return
        name = self.board_dies(fabric, {chip})
        self.both(lambda report: [int((f.get("subject") or {"guid": "0"})["guid"], 16) for f in self.warnings(report)] == [chip],
                  "the lost chip %x is not called by its GUID" % chip)
        self.interrupted(fabric)
        traces, outer = self.links_of({chip})
        events = sum(self.looks_joining(fabric, traces[:1] + outer + traces[1:]), [])
        self.one_alert(events, name, "a chip that comes back is not one alert")
        self.well_again()

    def chips_one_by_one(self, _):
        """The chips of a board are lost one after the other: each is told as not seen, and none is called repaired."""
        drawn = self.draw_boards(1, 2)
        if not drawn:
            return
        fabric, lost = self.net.fabric.copy(), set()
        for chip in self.rng.sample(sorted(drawn[0]), len(drawn[0])):
            lost.add(chip)
            self.lost(fabric, {chip})
            for _ in range(2):
                self.look(fabric, self.either())
                over = [e["alert"]["text"] for e in self.events if e["alert"]["event"] == "cleared"]
                self.check(all(text.startswith("now part of ") for text in over), "one more chip is lost: %s" % over)
                self.both(lambda report: {int(p["guid"], 16) for f in self.warnings(report) for p in f.get("unseen", [])} == lost,
                          "the lost chips are not those that are told")
                self.interrupted(fabric)
        self.look(self.net.fabric, "all")
        self.well_again()

    def director_reboots_without_a_chip(self, _):
        """A chip is lost, then all of its director, which comes back without it and a cable: the chip is the same one."""
        drawn = self.draw_boards(1, 2)
        chip = self.rng.choice(sorted(drawn[0])) if drawn else 0
        whole = self.net.unit_of[chip] if drawn else 0
        if whole not in self.net.mortal():
            return
        without = self.net.fabric.copy()
        name = self.board_dies(without, {chip})
        dead = without.copy()
        self.killed(dead, whole)
        self.look(dead, self.either())
        slow = without.copy()
        slow.unlink(*next(c for c in self.links_of(self.net.units[whole] - {chip})[1] if without.nodes[c[0]].links.get(c[1]))[:2])
        for fabric, later in ((slow, 1), (slow, RETURNING_S + 1), (without, 1), (without, 1)):
            self.look(fabric, "all", later)
            if later > 1 or fabric is without:
                found = [f["id"] for f in self.warnings() if f["code"] == "board-missing"]
                self.check(found == [name], "a lost chip is %s, then %s" % (name, self.told()))
        self.look(self.net.fabric, "all")
        self.well_again()

    def board_replaced(self, _):
        """Other chips in the place of a board; later these go."""
        drawn = self.draw_boards(1)
        if not drawn:
            return
        fabric, turn = self.net.fabric.copy(), {}
        self.board_dies(fabric, drawn[0])
        healthy = self.net.fabric.copy()
        for number, chip in enumerate(sorted(drawn[0])):
            old = self.net.fabric.nodes[chip]
            turn[chip] = GROWN + 16 * number
            healthy.remove(chip)
            healthy.add(Node("S", turn[chip], old.ports, old.description, old.lid, old.system))
        for chip in turn:
            old = self.net.fabric.nodes[chip]
            for port, (far, far_port) in old.links.items():
                healthy.link(turn[chip], port, far, far_port, old.rates[port])
        self.look(healthy, self.either())
        self.expect("cleared board-missing")
        self.check(self.report["verdict"] == "ok", "a replaced board: %s" % self.told())
        self.quiet(healthy, "a replaced board stays quiet")
        self.interrupted(healthy)
        self.board_dies(healthy.copy(), set(turn.values()))

    def director_reboots(self, _):
        """All of a director, trace by trace."""
        whole = [w for w in self.net.mortal() if len(self.net.units[w]) > 1]
        if not whole:
            return
        whole = self.rng.choice(whole)
        fabric = self.net.fabric.copy()
        name = self.dies(fabric, whole)
        self.interrupted(fabric)
        inside, between, hosts = self.cables_of(whole)
        self.rng.shuffle(inside)
        # Some link shows each chip before the first one is seen without its traces.
        rest, events = inside + between + hosts, []
        for cable in rest[:len(inside) // 2]:
            self.join(fabric, cable)
        rest = rest[len(inside) // 2:]
        for seen in self.looks_joining(fabric, rest):
            events += seen
            self.only_gone("while a director comes back")
        self.one_alert(events, name, "a director that comes back is not one alert")
        self.well_again()

    COURSES = [Rig.dead, Rig.reboot, Rig.pull, Rig.swap, slow_boot, slow_boot, boots_without_a_cable, boots_without_a_cable, dies_while_it_comes_back, dies_while_it_comes_back,
               flaps, slow, rack_without_power, rack_without_power, several, several, several, several, storm, two_replaced, grown,
               board_reboots, board_reboots, two_boards, board_beside_a_chip, board_beside_a_chip,
               board_beside_dark_ports, chip_reboots, chip_reboots, chips_one_by_one, chips_one_by_one, director_reboots_without_a_chip,
               board_replaced, director_reboots, two_swaps, two_swaps, reboot_beside_a_swap, reboot_beside_a_swap,
               reboot_beside_a_swap]


def inferred_network(rng, number):
    """A plan of what is seen. Switches keep names that tell nothing."""
    net = director_network(rng) if number % 5 == 4 else graph_network(rng, rng.choice(FAMILIES))
    seen = net.seen(net.fabric).write_snapshot(entry=net.entry)
    done = subprocess.run([FTPLAN, "--infer", results.write("inferred.json", seen)], capture_output=True, check=False)
    net.label, net.design = "inferred " + net.label, None
    plan = results.write("inferred-plan.json", done.stdout)
    # What is inferred is not judged here.
    if done.returncode == 0 and subprocess.run([FTCHECK, "--plan", plan, "--from", results.write("inferred.json", seen)],
                                               capture_output=True, check=False).returncode == 0:
        net.design = json.loads(done.stdout)
    return net


def boards_network(rng, naming):
    """Directors whose chips have names with slots, of two makers, or tell nothing: those that are alike look as if they told a
    slot, and are no slot's for that. 1 or 2 chips are on a board."""
    net = director_network(rng)
    for guid, name in net.planned.items():
        if naming == "slots":
            net.fabric.nodes[guid].description = name
        elif naming == "vendor":
            net.fabric.nodes[guid].description = campaign_directors.vendors_name(name.decode()).encode()
        elif naming == "alike" and net.name(net.unit_of[guid]) is None:
            net.fabric.nodes[guid].description = b"sw-f298"
    net.label = "boards, " + naming
    for whole, chips in net.units.items():
        for chip in chips if len(chips) > 1 else ():
            net.boards[whole, net.planned[chip].decode().split(" ")[1].split("/")[0]].add(chip)
    return net


def networks(options):
    labels = FAMILIES + ["directors"]
    drawn = [(options.seed, number) for number in range(options.rounds)]
    for seed, number in drawn + [known for known in KNOWN if known not in drawn]:
        rng = random.Random("courses:%d:%d" % (seed, number))
        turn = number // 2
        if number % 2 == 0:
            label = labels[turn % len(labels)]
            net = network(rng, label)
        else:
            net = inferred_network(rng, turn)
        if net.design and (not options.only or options.only == net.label):
            yield number + 1000 * (seed if seed != options.seed else 0), net
    drawn = [(options.seed, number) for number in range(-(-options.rounds // 8))]
    for seed, number in drawn + [known for known in KNOWN_BOARDS if known not in drawn]:
        net = boards_network(random.Random("boards:%d:%d" % (seed, number)), ["slots", "alike", "vendor", "alike"][number % 4])
        if not options.only or options.only == net.label:
            yield number + 1000 * (seed if seed != options.seed else 1), net


if __name__ == "__main__":
    sys.exit(daemon_recall.main(Courses, networks, 22))
