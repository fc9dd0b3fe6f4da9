#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Fabrics for tests/engines.sim, and whether what two engines saw of one is the same, and true.

  engines_cases.py draw SEED ROUND DIR   a planned fabric, with faults: DIR/net for ibsim, DIR/commands for its console,
                                         DIR/truth.json for judge, DIR/case.sh with ENTRY, MODE, CASE and the OPTIONS of
                                         the sweeps for the shell
  engines_cases.py line COUNT NET        so many switches in a row, with a host at either end
  engines_cases.py judge MODE TRUTH ENGINE=SNAPSHOT...   status 1 and what is wrong; TRUTH "-": none is known. What each
                                         of them cost and missed goes to standard output

Both engines see the same fabric by ways of their own, so nodes are laid side by side by walking from the entry, port by
port, and not by their numbers, of which two may be the same. MODE is

  whole   nothing is lost: both are complete, and every value is the same, with none that one side does not know; the
          SMPs of libibumad are no more than the fabric takes (see cost())
  twins   some nodes have the GUID of another one: libibumad is complete, and all of it is true. The other one is not
          judged: libibnetdisc takes such nodes for one, mixes up what they are called, and may crash
  mute    somebody never answers a certain question: the same, but that they are not complete
  lossy   packets get lost: nothing that is said is false, and what says that it is complete is the whole

What is said is held against TRUTH, too: a silent port has a cable, one that is down has none.
"""
import json
import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign  # noqa: E402
import director_plans  # noqa: E402
from fabric import Fabric, Node  # noqa: E402

KINDS = {"S": "switch", "H": "ca", "R": "router"}
RATES = ["4xSDR", "4xDDR", "4xQDR", "4xFDR10", "4xFDR", "4xEDR", "4xHDR", "1xHDR", "2xEDR", "8xQDR", "12xDDR"]
# NodeDescription, NodeInfo, PortInfo.
ATTRIBUTES = [16, 17, 21]
NODES_MAX = 260


# Fabrics


def draw_star(rng):
    return {"ftcheck": 1, "name": "t", "topology": "star", "nodes": rng.randint(1, 36), "edge": {"ports": 36}}


def draw_levels(rng):
    return campaign.draw_design(rng, "small", rng.choice([2, 2, 3]))


def draw_islands(rng):
    bundle = rng.randint(1, 3)
    return {"ftcheck": 1, "name": "t", "nodes": rng.randint(9, 30), "edge": {"ports": 12}, "core": {"ports": 24},
            "islands": [{"name": "m", "switches": ["m[1-2]", {"name": ["n[08-10,12]"], "ports": 5, "hosts": 1}],
                         "bundles": [{"a": "m1", "b": "m2", "count": bundle}, {"a": ["m1", "m2"], "b": "core01"},
                                     {"a": "n08", "b": "m1"}, {"a": "n09", "b": "n08"}]}]}


DESIGNS = [(draw_star, 1), (draw_levels, 6), (director_plans.design, 3), (draw_islands, 2)]


def draw_fabric(rng):
    draws, weights = zip(*DESIGNS)
    draw = rng.choices(draws, weights)[0]
    for _ in range(1000):
        design = draw(rng)
        done = subprocess.run([os.path.join(os.environ["FT_BUILDDIR"], "ftplan"), "--format", "ibsim", "-"],
                              input=json.dumps(design).encode(), capture_output=True, check=False)
        if done.returncode == 0 and done.stdout.count(b"\nSwitch") + done.stdout.count(b"\nCa") <= NODES_MAX:
            # ibsim knows no NDR.
            return draw.__name__, Fabric.read(done.stdout.replace(b"NDR", b"HDR"))
    raise RuntimeError("ftplan takes none of %s" % draw.__name__)


# Faults


class Breaker:
    """What is done to the fabric before anybody sees it; a fault that the fabric has no room for is left out."""

    def __init__(self, rng, fabric):
        self.rng, self.fabric = rng, fabric
        self.next_guid = 0x700000

    def cable(self):
        cables = list(self.fabric.edges())
        return self.rng.choice(cables) if cables else None

    def free(self, kinds="S"):
        ends = [(n.guid, p) for n in self.fabric.nodes.values() if n.kind in kinds for p in n.free_ports()]
        return self.rng.choice(ends) if ends else None

    def node(self, kind):
        return self.rng.choice([n for n in self.fabric.nodes.values() if n.kind == kind] or [None])

    def new(self, kind, ports):
        self.next_guid += 16
        return self.fabric.add(Node(kind, self.next_guid, ports, b"new %d" % self.next_guid,
                                    20000 + self.next_guid // 16 % 20000))

    def pull(self):
        for _ in range(self.rng.randint(1, 4)):
            cable = self.cable()
            if cable:
                self.fabric.unlink(*cable[:2])

    def swap(self):
        one, two = self.cable(), self.cable()
        if not one or len({one[:2], one[2:], two[:2], two[2:]}) < 4:
            return
        rates = self.fabric.unlink(*one[:2]), self.fabric.unlink(*two[:2])
        self.fabric.link(*one[:2], *two[2:], rates[0])
        self.fabric.link(*two[:2], *one[2:], rates[1])

    def move(self):
        cable, to = self.cable(), self.free()
        if cable and to:
            self.fabric.link(*cable[:2], *to, self.fabric.unlink(*cable[:2]))

    def loop(self):
        node = self.node("S")
        ports = node.free_ports() if node else []
        if len(ports) >= 2:
            a, b = self.rng.sample(ports, 2)
            self.fabric.link(node.guid, a, node.guid, b, "4xHDR")

    def extra(self):
        a, b = self.free(), self.free()
        if a and b and a != b:
            self.fabric.link(*a, *b, self.rng.choice(RATES))

    def dead_switch(self):
        node = self.node("S")
        if node:
            self.fabric.remove(node.guid)

    def dead_hosts(self):
        for _ in range(self.rng.randint(1, 4)):
            node = self.node("H")
            if node:
                self.fabric.remove(node.guid)

    def cut_off(self):
        """All that leads from some switches to the others."""
        switches = [n.guid for n in self.fabric.switches()]
        island = set(self.rng.sample(switches, self.rng.randint(0, len(switches) // 2)))
        for a, port, b, _ in list(self.fabric.edges()):
            if a in switches and b in switches and (a in island) != (b in island):
                self.fabric.unlink(a, port)

    def wrong_rate(self):
        for _ in range(self.rng.randint(1, 4)):
            cable = self.cable()
            if cable:
                self.fabric.set_rate(*cable[:2], self.rng.choice(RATES))

    def two_ports(self):
        """One more port for a CA: on any switch, on another CA or on nothing."""
        host = self.node("H")
        if not host:
            return
        host.ports += 1
        to = self.rng.choice([self.free(), self.free("H"), None])
        if to and to != (host.guid, host.ports):
            self.fabric.link(host.guid, host.ports, *to, self.rng.choice(RATES))

    def bridge(self):
        """A CA with a leg in the fabric and one in a switch beyond, which nobody gets to through a CA."""
        near, beyond = self.free(), self.new("S", 8)
        if near:
            host = self.new("H", 2)
            self.fabric.link(host.guid, 1, *near, "4xHDR")
            self.fabric.link(host.guid, 2, beyond.guid, 3, "4xHDR")

    def stray(self):
        end = self.free()
        if end:
            self.fabric.link(self.new("S", self.rng.choice([1, 2, 36, 64])).guid, 1, *end, "4xEDR")

    def chain(self):
        """Many hops."""
        for _ in range(self.rng.randint(2, 20)):
            self.stray()

    def names(self):
        name = self.rng.choice([b"MT Switch", b" ", b"x" * 62])
        for node in self.fabric.nodes.values():
            if self.rng.random() < 0.7:
                node.description = name

    def lids(self):
        lid = self.rng.choice([0, 1, 65535])
        for node in self.fabric.nodes.values():
            if self.rng.random() < 0.5:
                node.lid = lid

    FAULTS = [(pull, 4), (swap, 3), (move, 3), (loop, 3), (extra, 2), (dead_switch, 3), (dead_hosts, 2), (cut_off, 2),
              (wrong_rate, 3), (two_ports, 3), (bridge, 2), (stray, 2), (chain, 1), (names, 1), (lids, 1)]

    def run(self, count):
        faults, weights = zip(*self.FAULTS)
        drawn = self.rng.choices(faults, weights, k=count)
        for fault in drawn:
            fault(self)
        return [f.__name__ for f in drawn]


def renamed(rng, fabric):
    """GUIDs that use all of their bits, in any order."""
    if rng.random() < 0.5:
        return fabric
    guids = {g: rng.getrandbits(64) | 1 for g in fabric.nodes}
    order = list(fabric.nodes)
    rng.shuffle(order)
    return fabric.renamed(guids, order)


def node_id(node):
    return "%s-%016x" % (node.kind, node.guid)


def draw_entry(rng, fabric):
    ways = [n for n in fabric.nodes.values() if n.links and (n.kind == "S" or 1 in n.links)]
    hosts = [n for n in ways if n.kind == "H"]
    return rng.choice(hosts if hosts and rng.random() < 0.85 else ways) if ways else None


class Trouble:
    """What is done to the fabric while it runs: console commands, the mode to judge by, and GUIDs that have changed."""

    def __init__(self, rng, fabric, entry):
        self.rng, self.fabric, self.entry = rng, fabric, entry
        self.commands, self.guids = [], {}

    def none(self):
        return "whole"

    def twins(self):
        """
        Two nodes of one GUID, of the same kind; also more of them, and more than once. Two CAs of two ports may be one by
        all that they say.
        """
        nodes = [n for n in self.fabric.nodes.values() if n.kind == "S" or n.ports == 1]
        for _ in range(self.rng.randint(1, 3)):
            a, b = self.rng.choice(nodes), self.rng.choice(nodes)
            if a.kind == b.kind and not self.is_plug(a, b):
                self.guids[b.guid] = a.guid
                self.commands.append('Guid "%s" 0x%x' % (node_id(b), a.guid))
        return "twins"

    def is_plug(self, a, b):
        """Would a cable seem to end on the port that it began at? So it is for those who had that GUID before, too."""
        twins = {g for g in self.fabric.nodes if self.guids.get(g, g) in (self.guids.get(a.guid, a.guid), b.guid)}
        twins |= {a.guid, b.guid}
        return any(g in twins and far in twins and g != far and port == far_port
                   for g, port, far, far_port in self.fabric.edges())

    def mute(self):
        """An attribute that somebody does not tell, or all that comes by."""
        for node in self.rng.sample(list(self.fabric.nodes.values()), self.rng.randint(1, 2)):
            attribute = self.rng.choice(ATTRIBUTES + [None])
            if node is not self.entry:
                self.commands.append('Error "%s" 100 %s' % (node_id(node), attribute or ""))
        return "mute"

    def loss(self):
        percent = self.rng.choice([1, 2, 3, 5, 8, 12, 20, 30, 40])
        self.commands = ['Error "%s" %d' % (node_id(n), percent) for n in self.fabric.nodes.values()]
        return "lossy"

    def bad_nodes(self):
        nodes = list(self.fabric.nodes.values())
        for node in self.rng.sample(nodes, min(len(nodes), self.rng.randint(1, 5))):
            self.commands.append('Error "%s" %d' % (node_id(node), self.rng.choice([5, 20, 40, 70])))
        return "lossy"

    KINDS = [(none, 9), (twins, 4), (mute, 3), (loss, 3), (bad_nodes, 2)]

    def run(self):
        kinds, weights = zip(*self.KINDS)
        kind = self.rng.choices(kinds, weights)[0]
        return kind.__name__, kind(self)


def draw_options(rng, mode):
    """
    Nothing that is seen depends on them; but without repetitions more is missed. With hundreds on the wire libibnetdisc and
    the simulator wait for each other now and then, for ever.
    """
    options = []
    if rng.random() < 0.3:
        options.append("max_smps=%d" % rng.choice([1, 2, 3, 32]))
    if rng.random() < 0.2:
        options.append("max_smps_per_switch=%d" % rng.choice([1, 2, 100]))
    if mode == "lossy" and rng.random() < 0.6:
        options.append("retries=%d" % rng.choice([0, 0, 1, 20]))
    return options


def truth_of(fabric, entry, guids):
    number = {guid: i for i, guid in enumerate(fabric.nodes)}
    return {"entry": number[entry.guid],
            "nodes": [{"type": KINDS[n.kind], "guid": guids.get(n.guid, n.guid), "port_count": n.ports, "lid": n.lid,
                       "description": n.description.decode("latin-1")} for n in fabric.nodes.values()],
            "links": [[number[g], p, number[far], far_port, n.rates[p]] for g, n in fabric.nodes.items()
                      for p, (far, far_port) in n.links.items()]}


def draw(seed, number, directory):
    rng = random.Random("%s:%s" % (seed, number))
    entry = None
    while not entry:
        kind, fabric = draw_fabric(rng)
        faults = Breaker(rng, fabric).run(rng.choice([0, 1, 1, 2, 3, 4, 6]))
        fabric = renamed(rng, fabric)
        entry = draw_entry(rng, fabric)
    trouble = Trouble(rng, fabric, entry)
    name, mode = trouble.run()
    options = draw_options(rng, mode)
    # Who knows how many switches there are asks one end of a cable only, if all are there.
    if number % 3:
        options.append("planned_switches=%d" % (len(fabric.switches()) + number % 3 - 1))
    with open(os.path.join(directory, "net"), "wb") as file:
        file.write(fabric.write())
    with open(os.path.join(directory, "commands"), "w", encoding="ascii") as file:
        file.write("".join(c + "\n" for c in trouble.commands))
    with open(os.path.join(directory, "truth.json"), "w", encoding="ascii") as file:
        json.dump(truth_of(fabric, entry, trouble.guids), file)
    with open(os.path.join(directory, "case.sh"), "w", encoding="ascii") as file:
        file.write("ENTRY=%s\nMODE=%s\nOPTIONS=(%s)\nCASE='%s, %d nodes, %s; %s, from %s%s'\n" % (
            node_id(entry), mode, " ".join(options), kind, len(fabric.nodes), " ".join(faults) or "no faults", name,
            node_id(entry), "".join(", " + o for o in options)))


def draw_line(count, path):
    fabric = Fabric()
    last = fabric.add(Node("H", 0x100000, 1, b"first", 1)).guid, 1
    for number in range(1, count + 1):
        node = fabric.add(Node("S", 0x200000 + number, 4, b"switch%d" % number, 1 + number))
        fabric.link(*last, node.guid, 1, "4xHDR")
        last = node.guid, 2
    fabric.link(*last, fabric.add(Node("H", 0x100010, 1, b"last", 2 + count)).guid, 1, "4xHDR")
    with open(path, "wb") as file:
        file.write(fabric.write())


# Judging


class Seen:
    """A snapshot."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            snapshot = json.load(file)
        self.source, self.nodes = snapshot["source"], snapshot["nodes"]
        self.entry = self.source["entry"]
        self.links, self.ports = {}, {}
        for a, a_port, b, b_port in snapshot["links"]:
            self.links[a, a_port], self.links[b, b_port] = (b, b_port), (a, a_port)
        for i, node in enumerate(self.nodes):
            for number in range(1, node["port_count"] + 1):
                self.ports[i, number] = {"link": "down"}
            for port in node["ports"]:
                # Ports that are alike are one entry, "number" to "last".
                like = {k: v for k, v in port.items() if k != "last"}
                for number in range(port["number"], port.get("last", port["number"]) + 1):
                    self.ports[i, number] = {"link": "up", **like, "number": number}

    def walk(self):
        """The nodes' numbers in the order in which one comes to them from the entry; then those that one does not."""
        order = [self.entry[0]] if self.entry else []
        place = {n: i for i, n in enumerate(order)}
        for node in order:
            for number in range(1, self.nodes[node]["port_count"] + 1):
                far = self.links.get((node, number))
                if far and far[0] not in place:
                    place[far[0]] = len(order)
                    order.append(far[0])
        return order, [n for n in range(len(self.nodes)) if n not in place]

    def lines(self):
        """All that is known, in words that only the fabric determines."""
        order, rest = self.walk()
        order += sorted(rest, key=lambda n: json.dumps(self.nodes[n], sort_keys=True))
        place = {n: i for i, n in enumerate(order)}
        chassis = {0: 0}
        yield "entry %s complete %s lists_down_ports %s" % (
            self.entry and [place[self.entry[0]], self.entry[1]], self.source["complete"], self.source["lists_down_ports"])
        for node in order:
            values = {k: v for k, v in self.nodes[node].items() if k != "ports"}
            values["chassis"] = chassis.setdefault(values.get("chassis", 0), len(chassis))
            yield "node %d %s" % (place[node], json.dumps(values, sort_keys=True))
            for number in range(1, values["port_count"] + 1):
                far = self.links.get((node, number))
                yield "node %d (%s) port %d %s to %s" % (
                    place[node], values["guid"], number, json.dumps(self.ports[node, number], sort_keys=True),
                    far and (place[far[0]], far[1]))

    def gaps(self):
        """How often something stayed unknown."""
        count = {"silent": 0, "unread": 0, "nameless": 0}
        for node in self.nodes:
            count["nameless"] += "description" not in node or not node["description"]
        for port in self.ports.values():
            if port["link"] in count:
                count[port["link"]] += 1
            count["unread"] += port["link"] == "up" and "phys_state" not in port
        return count


def cost(seen):
    """
    SMPs that it takes: of a switch its ports and port 0, what it is and what it is called; of a CA port what and how it is;
    of a cable who is at either end; ourselves and our neighbour. FDR10 is told from QDR by one more.
    """
    result = 2
    for i, node in enumerate(seen.nodes):
        ports = range(1, node["port_count"] + 1)
        cabled = [p for p in ports if (i, p) in seen.links or seen.ports[i, p]["link"] == "silent"]
        if node["type"] == "switch":
            result += node["port_count"] + 2
            result += sum(1 for p in cabled if (i, p) not in seen.links or
                          seen.nodes[seen.links[i, p][0]]["type"] == "switch")
        else:
            result += 3 * len(cabled)
        result += sum("QDR" in seen.ports[i, p].get("rate", "") or "FDR10" in seen.ports[i, p].get("rate", "")
                      for p in cabled)
    return result


class Truth:
    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            self.__dict__.update(json.load(file))
        self.far = {(a, a_port): (b, b_port) for a, a_port, b, b_port, _ in self.links}
        self.rate = {(a, a_port): rate for a, a_port, _, _, rate in self.links}

    def reachable(self, entry_port):
        """The ways of a sweep: not through a CA, and out of our own by the port that is ours."""
        order, seen = [self.entry], {self.entry}
        for node in order:
            for port in range(1, self.nodes[node]["port_count"] + 1):
                far = self.far.get((node, port))
                if self.nodes[node]["type"] != "switch" and (node, port) != (self.entry, entry_port):
                    continue
                if far and far[0] not in seen:
                    seen.add(far[0])
                    order.append(far[0])
        return seen

    def wrong_of_node(self, known, node):
        if known["type"] != node["type"] or int(known["guid"], 16) != node["guid"]:
            yield "is a %s of GUID %#x" % (node["type"], node["guid"])
        if known["port_count"] != node["port_count"]:
            yield "has %d ports" % node["port_count"]
        if known.get("description", node["description"]) != node["description"]:
            yield "is called %s" % node["description"]
        if node["type"] == "switch" and known.get("lid", node["lid"]) != node["lid"]:
            yield "has LID %d" % node["lid"]

    def wrong_of_port(self, known, at):
        cabled = at in self.far
        if known["link"] != "unread" and cabled != (known["link"] in ("silent", "up")):
            yield "has %s cable" % ("a" if cabled else "no")
        rate = known.get("rate", "?")
        if cabled and "?" not in rate and not rate.startswith("unknown") and rate != self.rate[at]:
            yield "is at %s" % self.rate[at]

    def wrong(self, seen):
        """What is said and not so; and of what says that it is complete, what is missing."""
        if not seen.entry:
            return
        order, rest = seen.walk()
        same = {seen.entry[0]: self.entry}
        for n in order:
            # Behind a cable that there is not.
            if n not in same:
                continue
            name = "node %s" % seen.nodes[n]["guid"]
            for why in self.wrong_of_node(seen.nodes[n], self.nodes[same[n]]):
                yield "%s (%s) %s" % (name, json.dumps({**seen.nodes[n], "ports": 0}), why)
            for number in range(1, min(seen.nodes[n]["port_count"], self.nodes[same[n]]["port_count"]) + 1):
                at = same[n], number
                known, far = seen.ports[n, number], seen.links.get((n, number))
                # Of a CA, ports that no way leads through are not asked for.
                if seen.nodes[n]["type"] == "switch" or far or known["link"] != "unread":
                    for why in self.wrong_of_port(known, at):
                        yield "%s port %d (%s) %s" % (name, number, json.dumps(known), why)
                if far and at in self.far and (self.far[at][1] != far[1] or
                                               same.setdefault(far[0], self.far[at][0]) != self.far[at][0]):
                    yield "%s port %d is cabled to another port" % (name, number)
        if rest and seen.source["complete"]:
            yield "%d nodes are cabled to nobody" % len(rest)
        if seen.source["complete"] and set(same.values()) != self.reachable(seen.entry[1]):
            yield "complete, and %d of %d nodes are seen" % (len(same), len(self.reachable(seen.entry[1])))


def first_difference(seen):
    """In words; None where there is none, or nothing to be the same as."""
    if len(seen) < 2:
        return None
    names, rows = list(seen), [list(s.lines()) for s in seen.values()]
    for i in range(max(map(len, rows))):
        one, two = (r[i] if i < len(r) else "nothing" for r in rows)
        if one != two:
            return "%s: %s\n    %s: %s" % (names[0], one, names[1], two)
    return None


def judge(mode, truth, seen):
    complete = [s.source["complete"] for s in seen.values()]
    if mode in ("whole", "twins"):
        yield from ("%s is not complete" % name for name, s in seen.items() if not s.source["complete"])
    difference = first_difference(seen)
    if difference and (mode != "lossy" or all(complete)):
        yield difference
    for name, s in seen.items():
        yield from ("%s: %s" % (name, why) for why in (truth.wrong(s) if truth else []))
    mads, most = seen["libibumad"].source["mads"], cost(seen["libibumad"])
    if mode == "whole" and mads > most:
        yield "libibumad sent %d SMPs, and %d are enough" % (mads, most)


def judge_files(mode, truth, *files):
    seen = {name: Seen(path) for name, path in (f.split("=") for f in files)}
    print("; ".join("%s %d SMPs, %d lost, %s, %s" % (
        name, s.source.get("mads", 0), s.source.get("timeouts", 0), "complete" if s.source["complete"] else "incomplete",
        " ".join("%d %s" % (count, what) for what, count in s.gaps().items())) for name, s in seen.items()))
    wrong = list(judge(mode, None if truth == "-" else Truth(truth), seen))
    if wrong:
        sys.exit("\n".join("    " + w for w in wrong[:8]))


def main(arguments):
    if arguments[:1] == ["draw"] and len(arguments) == 4:
        draw(arguments[1], int(arguments[2]), arguments[3])
    elif arguments[:1] == ["line"] and len(arguments) == 3:
        draw_line(int(arguments[1]), arguments[2])
    elif arguments[:1] == ["judge"] and len(arguments) > 3:
        judge_files(*arguments[1:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
