#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Breaks a fabric on ibsim, and carries out on it what "ftcheck --repair" says, for tests/repair.sim. Where the cables are
is kept in STATE. What is printed are commands for ibsim's console.

  repair_walk.py widen NET STATE          adds cables between all ports that are free to NET, and prints what takes them out again:
                                     ibsim's ports have the rate of the cable that they begin with
  repair_walk.py break SEED STATE [COUNT]     faults drawn from SEED; what they are goes to standard error
  repair_walk.py step STATE REPORT N      step N (from 0) of the report
  repair_walk.py compare REPORT N NOW     the report NOW is what REPORT foretold after step N: else status 1 and the difference
  repair_walk.py steps REPORT             how many steps there are
"""
import json
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fabric import Fabric  # noqa: E402


class State:
    """Cables by their ends, (node, port) both ways, and the switches that are off, with the cables that hang in them."""

    def __init__(self, fabric=None):
        self.names, self.ports, self.links, self.off, self.commands = {}, {}, {}, {}, []
        if not fabric:
            return
        for node in fabric.nodes.values():
            key = "%s-%016x" % (node.kind, node.guid)
            self.names[key] = node.description.decode()
            self.ports[key] = node.ports
            for port, (far, far_port) in node.links.items():
                self.links[key, port] = "%s-%016x" % (fabric.nodes[far].kind, far), far_port

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump([self.names, self.ports, [[a, b] for a, b in self.links.items()],
                       [[key, links] for key, links in self.off.items()]], file)

    @classmethod
    def load(cls, path):
        state = cls()
        with open(path, encoding="utf-8") as file:
            state.names, state.ports, links, off = json.load(file)
        state.links = {tuple(a): tuple(b) for a, b in links}
        state.off = {key: [(tuple(a), tuple(b)) for a, b in links] for key, links in off}
        return state

    def pull(self, end):
        far = self.links.pop(end)
        self.links.pop(far, None)
        self.commands.append('Unlink "%s"[%d]' % end)
        return far

    def put(self, a, b):
        if a in self.links or b in self.links:
            sys.exit("there is a cable in %s or %s already" % (a, b))
        self.links[a], self.links[b] = b, a
        self.commands.append('Link "%s"[%d] "%s"[%d]' % (a + b))

    def switch_off(self, key):
        self.off[key] = [(a, b) for a, b in self.links.items() if a[0] == key]
        for a, b in self.off[key]:
            del self.links[a], self.links[b]
        self.commands.append('Unlink "%s"' % key)

    def switch_on(self, key):
        """Not by "Relink": that remembers the cables of widen(), too."""
        for a, b in self.off.pop(key):
            self.put(a, b)

    def free(self, key, spoken=()):
        held = {b for links in self.off.values() for _, b in links}
        return [p for p in range(1, self.ports[key] + 1)
                if (key, p) not in self.links and (key, p) not in held and (key, p) not in spoken]

    def switches(self):
        return [key for key in self.names if key[0] == "S" and key not in self.off]

    def cables(self):
        """Between switches, the end with the lower id first."""
        return [(a, b) for a, b in self.links.items() if a[0][0] == b[0][0] == "S" and a < b]


class Breaker:
    def __init__(self, state, rng):
        self.state, self.rng = state, rng
        self.touched = set()  # switches: faults that meet may have a cheaper reading
        self.first = next(far[0] for (key, _), far in state.links.items() if key[0] == "H")
        self.told = []

    def cable(self):
        """One of two switches that are untouched yet; the lower tier's end first."""
        free = [c for c in self.state.cables() if not self.touched & {c[0][0], c[1][0]} and self.first != c[0][0]]
        if not free:
            return None
        cable = self.rng.choice(free)
        self.touched |= {cable[0][0], cable[1][0]}
        return cable

    def pull(self):
        cable = self.cable()
        if cable:
            self.state.pull(cable[0])
        return cable

    def swap(self):
        cables = [c for c in (self.cable() for _ in range(self.rng.randint(2, 4))) if c]
        if len(cables) < 2:
            return None
        for a, _ in cables:
            self.state.pull(a)
        for i, (a, _) in enumerate(cables):
            self.state.put(a, cables[(i + 1) % len(cables)][1])
        return cables

    def misplace(self):
        cable = self.cable()
        others = [k for k in self.state.switches() if k not in self.touched and self.state.free(k)]
        if not cable or not others:
            return None
        other = self.rng.choice(others)
        self.touched.add(other)
        self.state.pull(cable[0])
        self.state.put(cable[0], (other, self.state.free(other)[-1]))
        return cable, other

    def unplanned(self):
        free = [k for k in self.state.switches() if k not in self.touched and self.state.free(k)]
        if len(free) < 2:
            return None
        a, b = self.rng.sample(free, 2)
        self.touched |= {a, b}
        self.state.put((a, self.state.free(a)[-1]), (b, self.state.free(b)[-1]))
        return a, b

    def loop(self):
        cable = self.cable()
        more = cable and [c for c in self.state.cables() if c[0][0] == cable[0][0] and c != cable]
        if not more:
            return None
        other = self.rng.choice(more)
        self.touched.add(other[1][0])
        self.state.pull(cable[0])
        self.state.pull(other[0])
        self.state.put(cable[0], other[0])
        return cable, other

    def power(self):
        free = [k for k in self.state.switches() if k not in self.touched and k != self.first]
        hosts = {k for k in free if any(far[0][0] == "H" for (key, _), far in self.state.links.items() if key == k)}
        free = [k for k in free if k not in hosts] if self.rng.random() < 0.7 else free
        if not free or self.state.off:
            return None
        key = self.rng.choice(free)
        self.touched.add(key)
        self.touched |= {far[0] for (k, _), far in self.state.links.items() if k == key} if key in hosts else set()
        self.state.switch_off(key)
        return key

    def run(self, count):
        kinds = [self.pull, self.swap, self.misplace, self.unplanned, self.loop, self.power]
        # A switch that goes takes its cables with it; what happens to them before is not seen any more.
        drawn = sorted((self.rng.choice(kinds) for _ in range(count)), key=lambda kind: kind != self.power)
        for kind in drawn:
            what = kind()
            if what:
                self.told.append("%s %s" % (kind.__name__, what))


def node_at(state, place):
    if place["guid"]:
        for kind in "SH":
            key = "%s-%s" % (kind, place["guid"][2:])
            if key in state.names:
                return key
        sys.exit("no node %s" % place)
    for key, name in state.names.items():
        if name == place["name"] and key[0] == "S":
            return key
    return None


def spoken_for(state, steps):
    return {(node_at(state, p), p["port"]) for s in steps for p in (s["a"], s.get("b")) if p and p["port"]}


def end_at(state, place, spoken):
    key = node_at(state, place)
    if place["port"]:
        return key, place["port"]
    free = state.free(key, spoken)
    if not free:
        sys.exit("no free port on %s" % key)
    return key, free[-1]


def carry_out(state, steps, number):
    step = steps[number]
    spoken = spoken_for(state, steps[number:])
    a, b, do = step["a"], step.get("b"), step["do"]
    if do == "connect":
        state.put(end_at(state, a, spoken), end_at(state, b, spoken))
    elif do == "remove":
        end = end_at(state, a, spoken)
        if state.links.get(end) != end_at(state, b, spoken):
            sys.exit("there is no such cable: %s" % step["text"])
        state.pull(end)
    elif do == "move":
        to = end_at(state, b, spoken)
        state.put(state.pull(end_at(state, a, spoken)), to)
    elif do == "exchange":
        ends = end_at(state, a, spoken), end_at(state, b, spoken)
        fars = [state.pull(end) for end in ends]
        state.put(fars[0], ends[1])
        state.put(fars[1], ends[0])
    elif do == "power":
        # Where the fabric has no names of the plan's, only one can be meant.
        key = node_at(state, a) or next(iter(state.off))
        if key not in state.off:
            sys.exit("that switch is on: %s" % step["text"])
        state.switch_on(key)
    else:
        sys.exit("what is to %s?" % do)


def widen(path, state_path):
    with open(path, "rb") as file:
        fabric = Fabric.read(file.read())
    state = State(fabric)
    rate = next(rate for node in fabric.switches() for rate in node.rates.values())
    free = [(node, port) for node in fabric.switches() for port in node.free_ports()]
    for (a, a_port), (b, b_port) in zip(free[::2], free[1::2]):
        fabric.link(a.guid, a_port, b.guid, b_port, rate)
        print('Unlink "S-%016x"[%d]' % (a.guid, a_port))
    # The one that is left over has no rate, and is not used.
    for node, port in free[len(free) // 2 * 2:]:
        state.ports["S-%016x" % node.guid] = port - 1 if port == node.ports else node.ports
    with open(path, "wb") as file:
        file.write(fabric.write())
    state.save(state_path)


def summary(report):
    counts = report["counts"]
    return {"verdict": report["verdict"], "findings": len(report["findings"]), "uplinks_up": counts["uplinks"]["up"],
            "hosts_found": counts["hosts"]["found"]}


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main(arguments):
    if arguments[0] == "widen":
        widen(arguments[1], arguments[2])
    elif arguments[0] == "break":
        state = State.load(arguments[2])
        rng = random.Random(arguments[1])
        breaker = Breaker(state, rng)
        breaker.run(int(arguments[3]) if len(arguments) > 3 else rng.randint(1, 5))
        print("\n".join(breaker.told), file=sys.stderr)
        state.save(arguments[2])
        print("\n".join(state.commands))
    elif arguments[0] == "step":
        state = State.load(arguments[1])
        carry_out(state, read(arguments[2])["repair"], int(arguments[3]))
        state.save(arguments[1])
        print("\n".join(state.commands))
    elif arguments[0] == "compare":
        then, now = read(arguments[1])["repair"][int(arguments[2])]["then"], summary(read(arguments[3]))
        if then != now:
            seen = "".join("\n    %s: %s" % (f["code"], f["text"]) for f in read(arguments[3])["findings"])
            sys.exit("  foretold %s, seen %s%s" % (then, now, seen))
    elif arguments[0] == "steps":
        print(len(read(arguments[1])["repair"]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
