#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
What is found does not depend on the way there. Cables are pulled and put back, exchanged, hosts and switches go and come again,
in random order; one daemon's memory has seen it all, now in part and now as a whole, across restarts. After each step its report
is that of a memory that knows the healthy fabric and what is there now, and nothing else: findings, ids, figures, alternatives.

  daemon_carried.py [--seed N] [--rounds N] [--only NETWORK] [--keep DIR]
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import daemon_recall  # noqa: E402
from daemon_recall import RETURNING_S, Rig, exchange, networks  # noqa: E402

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
STEPS = 20
FAULTS_MAX = 5  # at a time


def differences(where, known, new):
    """Of two reports, but for times: since when something is not seen any more, only one of the two knows."""
    if isinstance(known, dict) and isinstance(new, dict):
        for key in sorted((known.keys() | new.keys()) - {"time"}):
            yield from differences(where + "." + key, known.get(key), new.get(key))
    elif isinstance(known, list) and isinstance(new, list) and len(known) == len(new):
        for number, pair in enumerate(zip(known, new)):
            yield from differences("%s[%d]" % (where, number), *pair)
    elif isinstance(known, str) and isinstance(new, str) and TIME.sub("", known) == TIME.sub("", new):
        return
    elif known != new:
        yield "%s: %s, without the way there %s" % (where, known, new)


class Carried(Rig):
    def __init__(self, network, keep):
        super().__init__(network, keep)
        self.fresh = Rig(network, keep)

    def end(self):
        self.fresh.end()
        self.bad += self.fresh.bad
        super().end()

    def draw(self, faults):
        """One more fault that is possible beside these; None if this one is not."""
        there = self.net.fabric.copy()
        self.apply(there, faults)
        kind = self.rng.choice(["cable", "cable", "cable", "swap", "host", "switch"])
        # None that is exchanged already: which exchange undid which is not to be seen.
        healthy = set(self.net.cables())
        cables = [c for c in self.net.cables(there) if c in healthy]
        if kind == "switch":
            whole = self.rng.choice(self.net.mortal())
            return None if any(f[0] == "switch" for f in faults) else ("switch", whole)
        if kind == "host":
            hosts = [h.guid for h in there.hosts() if h.links and h.guid != self.net.entry]
            return ("host", self.rng.choice(hosts)) if hosts else None
        if kind == "cable":
            return ("cable", self.rng.choice(cables)) if cables else None
        pair = self.rng.sample(cables, 2) if len(cables) > 1 else []
        return ("swap", *pair) if self.net.are_apart(pair) else None

    def holds(self, faults):
        """All switches with power are seen: of parts of which one is not seen, there are several explanations."""
        fabric = self.net.fabric.copy()
        self.apply(fabric, faults)
        seen = fabric.reachable(self.net.entry)
        dead = {what[0] for kind, *what in faults if kind == "switch"}
        return all(chips & seen for whole, chips in self.net.units.items() if whole not in dead)

    def apply(self, fabric, faults):
        for kind, *what in faults:
            if kind == "switch":
                self.killed(fabric, what[0])
            elif kind == "host":
                for port in list(fabric.nodes[what[0]].links):
                    fabric.unlink(what[0], port)
            elif all(fabric.nodes[c[0]].links.get(c[1]) == c[2:] for c in what):
                if kind == "swap":
                    exchange(fabric, *what)
                else:
                    fabric.unlink(*what[0][:2])

    def compare(self, faults):
        """The same recording for one that knows the healthy fabric only."""
        fresh = self.fresh
        with open(self.path, "rb") as file:
            there = self.file("there.json", file.read())
        fresh.tell("forget")
        fresh.tell("plan " + self.design_file)
        fresh.look(self.net.fabric)
        fresh.tell("clock %d" % (RETURNING_S + 1))
        fresh.tell("look all %s" % there)
        fresh.hear()
        unlike = list(differences("", self.report, fresh.report))
        self.check(not unlike, "after %s: %s" % (faults, "; ".join(unlike[:8])))

    def carried(self, _):
        faults = []
        for _ in range(STEPS):
            gone = [f for f in faults if f[0] == "switch"]
            if faults and (len(faults) >= FAULTS_MAX or self.rng.random() < 0.4):
                back = self.rng.choice(faults)
                faults = [f for f in faults if f != back]
            else:
                more = self.draw(faults)
                faults = faults + [more] if more and self.holds(faults + [more]) else faults
            fabric = self.net.fabric.copy()
            self.apply(fabric, faults)
            self.look(fabric, self.either())
            # A switch that is back is coming back for a while.
            self.look(fabric, self.either(), RETURNING_S + 1 if gone else 1)
            if self.rng.random() < 0.2:
                self.tell("restart")
            self.compare(faults)

    COURSES = [carried]


if __name__ == "__main__":
    sys.exit(daemon_recall.main(Carried, networks("carried"), 13))
