#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
A fabric is cabled step by step under a daemon that has never seen it whole, in random order, across restarts; one exchange of
two cables is undone before the end. Where nothing has the plan's names, the places that switches had were guessed. None is
called replaced on the way, nothing is said to be built otherwise than planned where one without a memory says nothing of the kind,
and once the fabric is as planned there are no findings.

  daemon_grown.py [--seed N] [--rounds N] [--only NETWORK] [--keep DIR]
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import daemon_recall  # noqa: E402
from daemon_recall import Rig, exchange, networks  # noqa: E402


# Something is there that the plan has not, or has elsewhere.
OTHERWISE = {"cable-misplaced", "cable-unplanned", "cable-wrong-port", "cables-swapped", "loopback", "switch-unplanned",
             "edge-overloaded", "host-on-core", "host-misplaced"}


class Grown(Rig):
    def __init__(self, network, keep):
        super().__init__(network, keep)
        self.blind = Rig(network, keep)

    def end(self):
        self.blind.end()
        self.bad += self.blind.bad
        super().end()

    def otherwise(self):
        """What only the one with a memory finds, if the other judges this fabric at all and finds nothing of the kind."""
        self.blind.tell("forget")
        self.blind.tell("plan " + self.design_file)
        self.blind.tell("look all " + self.path)
        self.blind.hear()
        blind = {f["code"] for f in self.blind.report["findings"]}
        if blind & (OTHERWISE | {"plan-foreign"}):
            return []
        return [f["text"] for f in self.report["findings"] if f["code"] in OTHERWISE]

    def begin(self):
        self.tell("forget")
        self.plan(self.net.design)

    def grown(self, _):
        cables = [tuple(c) for c in self.net.fabric.edges()]
        self.rng.shuffle(cables)
        between = self.net.cables()
        pair = self.rng.sample(between, 2) if len(between) > 1 else []
        steps = self.rng.randrange(6, 14)
        undone = self.rng.randrange(steps // 2, steps)
        for step in range(1, steps + 1):
            fabric = self.net.fabric.copy()
            for cable in cables[len(cables) * step // steps:]:
                fabric.unlink(*cable[:2])
            if self.net.are_apart(pair) and step <= undone and \
                    all(fabric.nodes[c[0]].links.get(c[1]) == c[2:] for c in pair):
                exchange(fabric, *pair)
            self.look(fabric, self.either())
            replaced = [f["text"] for f in self.report["findings"] if f["code"] == "switch-replaced"]
            self.check(not replaced, "step %d of %d: %s" % (step, steps, replaced))
            otherwise = self.otherwise()
            self.check(not otherwise, "step %d of %d, only with a memory: %s" % (step, steps, otherwise))
            if self.rng.random() < 0.2:
                self.tell("restart")
        self.check(self.report["verdict"] == "ok", "as planned: %s" % [f["text"] for f in self.report["findings"]])

    COURSES = [grown]


if __name__ == "__main__":
    sys.exit(daemon_recall.main(Grown, networks("grown"), 26, 5))
