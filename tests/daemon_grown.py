#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
A fabric is cabled step by step under a daemon that has never seen it whole, in random order, across restarts; one exchange of
two cables is undone before the end. Where nothing has the plan's names, the places that switches had were guessed. None is
called replaced on the way, and once the fabric is as planned there are no findings.

  daemon_grown.py [--seed N] [--rounds N] [--only NETWORK] [--keep DIR]
"""
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import daemon_recall  # noqa: E402
from daemon_recall import FAMILIES, Rig, director_network, graph_network  # noqa: E402


class Grown(Rig):
    def begin(self):
        self.tell("forget")
        self.plan(self.net.design)

    def exchange(self):
        """Two cables of four switches, so that the exchange is seen; or none."""
        cables = self.net.cables()
        pair = self.rng.sample(cables, 2) if len(cables) > 1 else []
        return pair if len({self.net.unit_of[e] for c in pair for e in (c[0], c[2])}) == 4 else []

    def grown(self, _):
        cables = [tuple(c) for c in self.net.fabric.edges()]
        self.rng.shuffle(cables)
        pair = self.exchange()
        steps = self.rng.randrange(6, 14)
        undone = self.rng.randrange(steps // 2, steps)
        for step in range(1, steps + 1):
            fabric = self.net.fabric.copy()
            for cable in cables[len(cables) * step // steps:]:
                fabric.unlink(*cable[:2])
            if pair and step <= undone and all(fabric.nodes[c[0]].links.get(c[1]) == c[2:] for c in pair):
                rates = [fabric.unlink(*c[:2]) for c in pair]
                fabric.link(*pair[0][:2], *pair[1][2:], rates[0])
                fabric.link(*pair[1][:2], *pair[0][2:], rates[1])
            self.look(fabric, self.either())
            replaced = [f["text"] for f in self.report["findings"] if f["code"] == "switch-replaced"]
            self.check(not replaced, "step %d of %d: %s" % (step, steps, replaced))
            if self.rng.random() < 0.2:
                self.tell("restart")
        self.check(self.report["verdict"] == "ok", "as planned: %s" % [f["text"] for f in self.report["findings"]])

    COURSES = [grown]


def networks(options):
    labels = FAMILIES + ["directors"]
    for number in range(options.rounds):
        label = labels[number % len(labels)]
        rng = random.Random("grown:%d:%d" % (options.seed, number))
        net = director_network(rng) if label == "directors" else graph_network(rng, label)
        if not options.only or options.only == label:
            yield number, net


if __name__ == "__main__":
    sys.exit(daemon_recall.main(Grown, networks, 52, 5))
