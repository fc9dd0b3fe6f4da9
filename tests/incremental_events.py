#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Random events on a running simulated fabric; after each, tests/incremental_tool reads again what the events' traps would
name, and that must be what a sweep sees. Started by tests/incremental.sim, which runs ibsim and the tool.

  incremental_events.py FABRIC NET SIM_DIR TOOL_IN TOOL_OUT ENTRY COUNT SEED [LOSS]
  incremental_events.py --odd NET SEED       writes a fabric of three levels and odds and ends; its first host is H-…b1

ENTRY is the node id of the host that the tool runs on. With LOSS, that many percent of packets are lost on the way into
each port while the tool reads again; then -ESTALE is as good an answer as any, but a wrong one still is none.
"""
import os
import random
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fabric import Fabric, Node  # noqa: E402

DEADLINE = 60


class Console:
    """ibsim's, as sim_do has it."""

    def __init__(self, directory):
        self.directory = directory
        self.fifo = open(directory + "/console", "w", buffering=1)
        self.log = open(directory + "/log", "rb")
        self.serial = 0

    def do(self, commands):
        if not commands:
            return
        self.serial += 1
        mark = b"# event %d." % self.serial
        with open(self.directory + "/events", "w") as out:
            out.write("".join(c + "\n" for c in commands))
        self.log.seek(0, os.SEEK_END)
        self.fifo.write("!%s/events\n%s\n" % (self.directory, mark.decode()))
        end = time.monotonic() + DEADLINE
        said = b""
        while mark not in said:
            if time.monotonic() > end:
                sys.exit("ibsim does not answer")
            piece = self.log.read()
            said += piece
            if not piece:
                time.sleep(0.0005)
        for word in (b"not found", b"not linked", b"bad ", b"already connected", b"no previous", b"skipped", b"can't"):
            if word in said:
                sys.exit("ibsim refuses %s: %s" % (commands, said.decode(errors="replace")))


class Tool:
    """The one that tests/incremental.sim starts, again and again: libibnetdisc leaves two agents of the simulator's library
    behind with each sweep, and there are 32."""

    LIFE = 12  # sweeps

    def __init__(self, to, from_):
        self.pipes = to, from_
        self.begin()

    def begin(self):
        self.to = open(self.pipes[0], "w", buffering=1)
        self.from_ = open(self.pipes[1])
        self.sweeps = 0
        self.read()

    def renew(self):
        """It begins with a sweep of its own."""
        if self.sweeps < self.LIFE:
            return
        self.end()
        self.begin()

    def end(self):
        self.to.close()
        self.from_.read()
        self.from_.close()

    def read(self):
        line = self.from_.readline()
        if not line:
            sys.exit("the tool ended")
        word, _, rest = line.strip().partition(" ")
        return word, rest

    def ask(self, *words):
        self.sweeps += words[0] != "reread"
        self.to.write(" ".join(words) + "\n")
        return self.read()


class World:
    """The fabric as it is, and what can be done to it."""

    def __init__(self, rng, fabric, entry, console):
        self.rng = rng
        self.fabric = fabric
        self.entry = entry
        self.console = console
        self.pulled = []  # cables that lie about: (end, end, rate)
        self.dead = {}  # switch -> the ends of its cables
        self.commands = []
        far, port = fabric.nodes[entry].links[1]
        self.protected = {(entry, 1), (far, port)}
        self.home = far

    def id(self, end):
        node = self.fabric.nodes[end[0]]
        return '"%s-%016x"[%d]' % (node.kind, end[0], end[1])

    def unlink(self, end):
        far = self.fabric.nodes[end[0]].links[end[1]]
        rate = self.fabric.unlink(*end)
        self.commands.append("Unlink " + self.id(end))
        return far, rate

    def link(self, a, b, rate):
        self.fabric.link(a[0], a[1], b[0], b[1], rate)
        self.commands.append("Link %s %s" % (self.id(a), self.id(b)))

    def is_free(self, end):
        return end[1] not in self.fabric.nodes[end[0]].links and end[0] not in self.dead

    def cables(self, switches_only=False):
        for a, a_port, b, b_port in self.fabric.edges():
            if (a, a_port) in self.protected or (b, b_port) in self.protected:
                continue
            if switches_only and "H" in (self.fabric.nodes[a].kind, self.fabric.nodes[b].kind):
                continue
            yield (a, a_port), (b, b_port)

    def some_cable(self, switches_only=None):
        if switches_only is None:
            switches_only = self.rng.random() < 0.7
        cables = list(self.cables(switches_only))
        return self.rng.choice(cables) if cables else None

    def free_port(self, kinds=("S",)):
        nodes = [n for n in self.fabric.nodes.values()
                 if n.kind in kinds and n.guid not in self.dead and n.free_ports()]
        if not nodes:
            return None
        node = self.rng.choice(nodes)
        return node.guid, self.rng.choice(node.free_ports())

    # Events. Each returns whether it happened.

    def pull(self, switches_only=None):
        cable = self.some_cable(switches_only)
        if not cable:
            return False
        _, rate = self.unlink(cable[0])
        self.pulled.append((cable[0], cable[1], rate))
        return True

    def push(self):
        """A cable that was pulled comes back, somewhere else where its ports are taken."""
        if not self.pulled:
            return False
        cable = self.pulled.pop(self.rng.randrange(len(self.pulled)))
        ends = [end if self.is_free(end) else self.free_port() for end in cable[:2]]
        if None in ends or ends[0] == ends[1]:
            return False
        self.link(ends[0], ends[1], cable[2])
        return True

    def move(self):
        """One end of a cable goes elsewhere."""
        cable = self.some_cable()
        to = self.free_port()
        if not cable or not to:
            return False
        near, far = cable if self.rng.random() < 0.5 else cable[::-1]
        if self.fabric.nodes[far[0]].kind == "H":
            near, far = far, near
        _, rate = self.unlink(near)
        self.link(near, to, rate)
        return True

    def connect(self):
        """A cable more, or a loop back to the same switch."""
        a = self.free_port()
        b = self.free_port()
        if not a or not b or a == b:
            return False
        self.link(a, b, "4xHDR")
        return True

    def swap(self):
        first, second = self.some_cable(), self.some_cable()
        if not first or not second or set(first) & set(second):
            return False
        kinds = [self.fabric.nodes[end[0]].kind for end in first + second]
        if kinds[0] == "H":
            first = first[::-1]
        if kinds[2] == "H":
            second = second[::-1]
        rates = [self.unlink(first[0])[1], self.unlink(second[0])[1]]
        self.link(first[0], second[1], rates[0])
        self.link(second[0], first[1], rates[1])
        return True

    def kill(self):
        alive = [n.guid for n in self.fabric.switches() if n.guid not in self.dead and n.guid != self.home]
        if not alive or len(self.dead) > len(alive) // 3:
            return False
        guid = self.rng.choice(alive)
        node = self.fabric.nodes[guid]
        ends = []
        for port in sorted(node.links):
            if port not in node.links:
                continue
            far, rate = self.unlink((guid, port))
            ends.append(((guid, port), far, rate))
        self.dead[guid] = ends
        return True

    def revive(self, guid=None):
        if not self.dead:
            return False
        guid = guid or self.rng.choice(list(self.dead))
        for near, far, rate in self.dead.pop(guid):
            if far[0] in self.dead:
                self.dead[far[0]].append((far, near, rate))
            elif self.is_free(near) and self.is_free(far):
                self.link(near, far, rate)
        return True

    def host_moves(self):
        hosts = [n for n in self.fabric.hosts() if n.guid != self.entry and n.links]
        to = self.free_port()
        if not hosts or not to:
            return False
        host = self.rng.choice(hosts)
        port = self.rng.choice(sorted(host.links))
        _, rate = self.unlink((host.guid, port))
        self.link((host.guid, port), to, rate)
        return True

    def apply(self):
        commands, self.commands = self.commands, []
        self.console.do(commands)

    def lose(self, percent):
        self.console.do(['Error "%s-%016x" %d' % (n.kind, n.guid, percent) for n in self.fabric.nodes.values()])


def ends_of(fabric):
    return {(guid, port): far for guid, node in fabric.nodes.items() for port, far in node.links.items()}


def reach(fabric, entry, links):
    """What a sweep sees over those links: nothing is behind a host."""
    seen, todo = {entry}, [entry]
    while todo:
        guid = todo.pop()
        node = fabric.nodes[guid]
        if node.kind != "S" and guid != entry:
            continue
        for port in range(1, node.ports + 1):
            far = links.get((guid, port))
            if far and far[0] not in seen:
                seen.add(far[0])
                todo.append(far[0])
    return seen


class Naming:
    """Which switches the traps of an event name, and which of these are enough."""

    def __init__(self, rng, fabric, entry, before, after, seen):
        self.rng = rng
        self.fabric = fabric
        self.seen = seen  # what the last snapshot holds
        self.changed = {end for end in before.keys() | after.keys() if before.get(end) != after.get(end)}
        self.visible = {end for end in self.changed if (end in before) != (end in after)}
        links = {frozenset((end, ends[end])) for ends in (before, after) for end in self.changed if end in ends}
        self.links = sorted(sorted(link) for link in links)
        stayed = {end: far for end, far in before.items() if after.get(end) == far}
        self.near = reach(fabric, entry, stayed)

    def can_name(self, end):
        return self.fabric.nodes[end[0]].kind == "S" and end[0] in self.seen

    def hidden(self):
        """Cables exchanged without a port going down or up."""
        return any(not any(end in self.visible for end in link) for link in self.links)

    def all(self):
        ends = self.visible or self.changed
        return {end[0] for end in ends if self.can_name(end)}

    def enough(self, dead):
        """Of a cable, one end will do; of a moved one, the ends that came up or went down. Of a switch that died, or
        came, one neighbour."""
        names = set()
        by_dead = {}
        for link in self.links:
            ends = [end for end in link if self.can_name(end)]
            shown = [end for end in ends if end in self.visible]
            owner = next((end[0] for end in link if end[0] in dead), None)
            if not ends:
                continue
            if len(shown) == 1 and len(link) == 2 and len(self.visible & set(link)) == 1:
                names.add(shown[0][0])
            elif owner is not None and all(end in self.visible for end in link):
                by_dead.setdefault(owner, []).extend([end for end in ends if end[0] not in dead] or ends)
            else:
                names |= self.some(ends)
        for ends in by_dead.values():
            names |= self.some(ends)
        return names

    def some(self, ends):
        """The switch of one that was in reach all along; of each where none was: nothing else leads to what is behind."""
        near = [end for end in ends if end[0] in self.near]
        return {self.rng.choice(near)[0]} if near else {end[0] for end in ends}


class Run:
    def __init__(self, name, world, tool, rng, loss):
        self.name = name
        self.world = world
        self.tool = tool
        self.rng = rng
        self.loss = loss
        self.events = 0
        self.stale = {}
        self.failures = 0
        self.costs = []  # SMPs of events of an uplink
        self.mads = 0
        self.microseconds = []

    def seen(self):
        return reach(self.world.fabric, self.world.entry, ends_of(self.world.fabric))

    def draw(self):
        world = self.world
        # The more is broken, the more is mended.
        kinds = [(world.pull, 25), (world.push, 10 + 3 * len(world.pulled)), (world.move, 10), (world.swap, 8),
                 (world.kill, 6), (world.revive, 3 + 6 * len(world.dead)), (world.host_moves, 6), (world.connect, 2),
                 (None, 11)]
        what = self.rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
        if what:
            return what.__name__, what()
        several = [world.pull, world.push, world.move, world.kill, world.revive, world.host_moves]
        done = [self.rng.choice(several)() for _ in range(self.rng.randint(2, 5))]
        return "several", any(done)

    def words(self, names):
        words = []
        for guid in sorted(names):
            node = self.world.fabric.nodes[guid]
            words.append("lid:%d" % node.lid if self.rng.random() < 0.5 else "0x%x" % guid)
        return words

    def uplink_only(self, naming):
        return (len(naming.links) == 1 and len(naming.links[0]) == 2 and
                all(self.world.fabric.nodes[end[0]].kind == "S" for end in naming.links[0]) and
                not self.loss)

    def one(self):
        self.tool.renew()
        world = self.world
        seen, before = self.seen(), ends_of(world.fabric)
        dead = set(world.dead)
        kind, happened = self.draw()
        if not happened:
            return
        dead ^= set(world.dead)
        naming = Naming(self.rng, world.fabric, world.entry, before, ends_of(world.fabric), seen)
        if kind == "several" and naming.hidden():
            # Nothing shows that, where something else does show: it is for the next full sweep.
            world.apply()
            self.tool.ask("sweep")
            return
        world.apply()
        how = self.rng.random()
        names = naming.all() if how < 0.5 or naming.hidden() and how < 0.7 else naming.enough(dead)
        if self.rng.random() < 0.1:
            names = names | set(self.rng.sample(sorted(g for g in seen if world.fabric.nodes[g].kind == "S"), 1))
        elif kind == "pull" and how < 0.5 and self.uplink_only(naming) and len(names) == 2:
            kind = "uplink"
        if self.loss:
            world.lose(self.loss)
        words = self.words(names)
        answer, rest = self.tool.ask("reread", *words) if words else ("merged", "0 0 0")
        if self.loss:
            world.lose(0)
        self.events += 1
        self.judge(kind, words, answer, rest)

    def judge(self, kind, words, answer, rest):
        if answer == "stale":
            self.stale[rest] = self.stale.get(rest, 0) + 1
            self.tool.ask("sweep")
            return
        if answer != "merged":
            self.fail(kind, words, answer + " " + rest)
            self.tool.ask("sweep")
            return
        mads, timeouts, microseconds = (int(x) for x in rest.split())
        self.mads += mads
        self.microseconds.append(microseconds)
        if kind == "uplink":
            self.costs.append(mads - timeouts)
        verdict, difference = self.tool.ask("check")
        if verdict != "equal":
            self.fail(kind, words, verdict + " " + difference)

    def fail(self, kind, words, why):
        self.failures += 1
        if self.failures <= 5:
            print("  event %d (%s, read again %s): %s" % (self.events, kind, " ".join(words), why))

    def result(self):
        seen = len(self.seen())
        ports = max(n.ports for n in self.world.fabric.switches())
        budget = 2 * (ports + 3) + 8
        stale = sum(self.stale.values())
        times = sorted(self.microseconds) or [0]
        # On a busy machine some SMPs are sent again before their late answers come, which are no time-outs then.
        cost = (sorted(self.costs) or [0])[len(self.costs) * 9 // 10]
        print("%s: %d events, %d wrong, %d of them for a sweep; %.1f SMPs an event; an uplink pulled: %d, nine times in ten "
              "(allowed: %d); p50 %.1f ms, p99 %.1f ms; %d of %d nodes in sight" %
              (self.name, self.events, self.failures, stale, self.mads / max(self.events, 1), cost, budget,
               times[len(times) // 2] / 1000, times[len(times) * 99 // 100] / 1000, seen, len(self.world.fabric.nodes)))
        for why, count in sorted(self.stale.items()):
            print("  %d: %s" % (count, why))
        good = self.failures == 0 and cost <= budget
        return good and (self.loss > 0 or stale * 50 <= self.events)


def odd_fabric(seed):
    """Edges, spines and cores; a chain of small switches, a ring, a loop back; hosts with two ports, on one switch or
    two; all of it with ports to spare, and ports of many numbers."""
    rng = random.Random(seed)
    fabric = Fabric()
    tiers = []
    for tier, (count, ports) in enumerate(((8, 14), (6, 18), (3, 24))):
        tiers.append([fabric.add(Node("S", 0x1000 * (tier + 1) + i, ports + i % 3, b"tier%d-%d" % (tier, i),
                                      100 * (tier + 1) + i)) for i in range(count)])

    def cable(a, b):
        a_port, b_port = rng.choice(a.free_ports()), rng.choice(b.free_ports())
        if (a.guid, a_port) != (b.guid, b_port):
            fabric.link(a.guid, a_port, b.guid, b_port, "4xHDR")

    for low, high, times in ((tiers[0], tiers[1], 3), (tiers[1], tiers[2], 4)):
        for node in low:
            for far in rng.sample(high, min(times, len(high))):
                cable(node, far)
    chain = [tiers[0][0]] + [fabric.add(Node("S", 0x5000 + i, 3 + i % 4, b"odd", 500 + i)) for i in range(7)]
    for a, b in zip(chain, chain[1:]):
        cable(a, b)
    cable(chain[2], chain[-1])
    cable(tiers[0][1], tiers[0][1])
    for i in range(30):
        host = fabric.add(Node("H", 0xb1 + 0x10 * i, 1 + (i % 4 == 3), b"host%d" % i, 1000 + i))
        for _ in range(host.ports):
            cable(host, rng.choice([n for n in tiers[0] + chain[3:] if len(n.free_ports()) > 1]))
    return fabric


def main():
    if sys.argv[1] == "--odd":
        with open(sys.argv[2], "wb") as file:
            file.write(odd_fabric(sys.argv[3]).write())
        return 0
    name, net, directory, to, from_, entry, count, seed = sys.argv[1:9]
    loss = int(sys.argv[9]) if len(sys.argv) > 9 else 0
    rng = random.Random("%s %s" % (seed, name))
    with open(net, "rb") as file:
        fabric = Fabric.read(file.read())
    tool = Tool(to, from_)
    world = World(rng, fabric, int(entry.split("-")[1], 16), Console(directory))
    run = Run(name, world, tool, rng, loss)
    tries = 0
    while run.events < int(count) and tries < 4 * int(count):
        tries += 1
        run.one()
    tool.end()
    return 0 if run.result() else 1


if __name__ == "__main__":
    sys.exit(main())
