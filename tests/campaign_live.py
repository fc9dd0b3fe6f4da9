#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
The faults of campaign_graph.py in running networks of every family: each is planned by its rule, started on ibsim as
planned, and broken by ibsim's console; ftcheck sweeps it, live. What it says is judged as there, and each step of its
repair is carried out as campaign_repair.py does, on the running network, and ends in what was foretold.

Half of the sweeps are made with libibnetdisc, half with libibumad. A switch that was replaced has another name here, or
another GUID where the design has GUIDs.

  campaign_live.py [--seed N] [--rounds N] [--families A,B,…] [--names WAY,…] [--replay SEED:ROUND] [--keep DIR]

ROUNDS are those of each family: so many with names, and as many with GUIDs. A round is repeated with its --families and
--names.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign_graph  # noqa: E402
import campaign_repair  # noqa: E402
import graphs  # noqa: E402
from fabric import Fabric  # noqa: E402
from oracle import Finding  # noqa: E402

FAMILIES = sorted(graphs.RULES)
WAYS = ["planned,none,half", "guids"]
# A shell with a simulator: it runs what it is told, and says how that ended.
SHELL = r'. "$FT_SRCDIR/tests/sim.sh"; while IFS= read -r line; do eval "$line" >"$SIM_DIR/out" 2>"$SIM_DIR/errors"; ' \
    r'echo "$? $SIM_DIR"; done'


class Simulator:
    """One of tests/sim.sh, with the network that is wanted."""

    def __init__(self):
        self.shell = subprocess.Popen(["bash", "-c", SHELL], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      text=True)
        self.rates, self.links, self.mute, self.kinds = {}, set(), set(), {}
        self.ask("true")

    def ask(self, *words):
        """(status, standard output, standard error) of a command of the shell."""
        self.shell.stdin.write(" ".join(map(shlex.quote, words)) + "\n")
        self.shell.stdin.flush()
        answer = self.shell.stdout.readline().split()
        if not answer:
            sys.exit(self.shell.wait() or 1)
        self.directory = answer[1]
        texts = []
        for name in ("out", "errors"):
            with open(os.path.join(self.directory, name), "rb") as file:
                texts.append(file.read())
        return int(answer[0]), *texts

    def told(self, *words):
        status, _, said = self.ask(*words)
        if status:
            raise RuntimeError("%s: %s" % (words[0], said.decode(errors="replace")))

    def begin(self):
        """The next network is another one."""
        self.rates = {}

    def end(self):
        self.shell.stdin.close()
        self.shell.wait()

    def become(self, fabric, intact, mute):
        """Makes the network that runs this one: of the planned one where a rate has to be another, which no console changes.
        Nodes that are not in it are cabled to nothing; @mute are there and do not answer."""
        rates = {(g, p): r for g, n in fabric.nodes.items() for p, r in n.rates.items()}
        if any(self.rates.get(end) != rate for end, rate in rates.items()):
            self.start(fabric, intact, rates)
        wanted = links_of(fabric)
        self.do(["Unlink %s" % self.end_of(min(link)) for link in sorted(self.links - wanted, key=sorted)])
        self.do(["Link %s %s" % tuple(map(self.end_of, sorted(link))) for link in sorted(wanted - self.links, key=sorted)])
        self.do(['Error "S-%016x" 100 17' % g for g in sorted(mute - self.mute)] +
                ['Error "S-%016x" 0' % g for g in sorted(self.mute - mute)])
        self.links, self.mute = wanted, mute

    def do(self, commands):
        if commands:
            self.told("sim_do", *commands)

    def end_of(self, end):
        return '"%s-%016x"[%d]' % (self.kinds[end[0]], *end)

    def start(self, fabric, intact, rates):
        """Ports have the rate of the cable that they begin with: those that will have one get one, and lose it again."""
        whole = intact.copy()
        for guid, node in fabric.nodes.items():
            if guid not in whole.nodes:
                whole.nodes[guid] = type(node)(node.kind, guid, node.ports, node.description, node.lid, node.system)
        for node in whole.nodes.values():
            for port in node.links:
                node.rates[port] = rates.get((node.guid, port), node.rates[port])
        planned = links_of(whole)
        free = [(node.guid, port) for node in whole.nodes.values() for port in node.free_ports()]
        # One may be left over.
        free.sort(key=lambda end: end not in rates)
        for a, b in zip(free[::2], free[1::2]):
            whole.link(*a, *b, rates.get(a, rates.get(b, graphs.RATE)))
        self.kinds = {guid: node.kind for guid, node in whole.nodes.items()}
        self.rates = {(g, p): r for g, n in whole.nodes.items() for p, r in n.rates.items()}
        path = os.path.join(self.directory, "net")
        with open(path, "wb") as file:
            file.write(whole.write())
        self.told("sim_start", path)
        self.mute = set()
        self.links = links_of(whole)
        self.do(["Unlink %s" % self.end_of(min(link)) for link in sorted(self.links - planned, key=sorted)])
        self.links = planned


def links_of(fabric):
    """Each cable as the set of its ends."""
    return {frozenset((c[:2], c[2:])) for c in fabric.edges()}


def seen_of(text):
    """(fabric, ends whose far end does not answer) of a dump or a snapshot"""
    if text.startswith(b"#"):
        return Fabric.read(text), []
    snapshot = json.loads(text)
    fabric = Fabric.read_snapshot(snapshot)
    entry, port = snapshot["source"]["entry"]
    fabric.entry = int(snapshot["nodes"][entry]["guid"], 16), port
    silent = [(int(n["guid"], 16), p["number"]) for n in snapshot["nodes"] for p in n["ports"] if p.get("link") == "silent"]
    return fabric, silent


def with_mute(fabric, intact, silent):
    """(the same with the switches that do not answer, their GUIDs)"""
    whole = fabric.copy()
    for end in silent:
        far, port = intact.nodes[end[0]].links[end[1]]
        if far not in whole.nodes:
            old = intact.nodes[far]
            whole.add(type(old)(old.kind, far, old.ports, old.description, old.lid, old.system))
        whole.link(*end, far, port, intact.nodes[end[0]].rates[end[1]])
    return whole, set(whole.nodes) - set(fabric.nodes)


class Live(campaign_repair.Repairs):
    """The rounds of one family."""

    # The ports of slow cables are set to no more: that is how a simulated one is slow.
    beyond_hands = campaign_repair.BEYOND_HANDS | {"cable-slow", "cable-narrow"}

    def __init__(self, simulator, family, names, options):
        super().__init__("graph", options, ["--trees", "1", "--families", family + " by rule", "--names", names])
        self.simulator, self.family, self.masked, self.graph, self.intact = simulator, family, None, None, None
        self.campaign.ask = self.live
        self.campaign.tree_design = lambda graph, rng: dict(graph.tree, rate=graphs.RATE)
        self.campaign.with_guids, self.campaign.binds = self.with_guids, True
        self.replaced = None

    def with_guids(self, design, graph, broken, masked, rng):
        """All switches are told by their GUIDs, and one of them has been replaced."""
        old = {name: masked.guids[guid] for name, guid in broken.guid.items()}
        here = [n for n, g in broken.guid.items() if g in broken.fabric.nodes and g not in broken.involved]
        self.replaced = rng.choice(here) if here else None
        bind = ["0x%016x" % (old[n] + (n == self.replaced)) for n in graph.switches]
        if self.replaced:
            masked.truth.append(Finding("switch-replaced", [(old[self.replaced], None)]))
        return dict(design, bind={"edge": bind})

    def live(self, design, graph, masked, text):
        self.graph, self.masked, self.intact = graph, masked, None
        self.simulator.begin()
        self.judge(design, text, self.what + (["replaced"] if self.replaced else []))
        self.replaced = None
        return "", "", None

    def check(self, design, text, *more):
        path = os.path.join(self.campaign.directory.name, "design.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(design, file)
        fabric, silent = seen_of(text)
        if not self.intact:
            self.intact = self.memory.intact(fabric).intact
        whole, mute = with_mute(fabric, self.intact, silent)
        self.simulator.become(whole, self.intact, mute)
        engine = ("libibnetdisc", "libibumad")[self.number % 2]
        status, out, errors = self.simulator.ask("sim_run", "H-%016x" % fabric.entry[0], self.ftcheck, "--plan", path,
                                                 "--format", "json", "--critical", "100", "--engine", engine, *more)
        if not out:
            raise RuntimeError("status %d: %s" % (status, errors.decode(errors="replace")))
        return json.loads(out)

    def follow(self, design, text, report):
        verdict, words = campaign_graph.judge(self.graph, self.masked.fabric, report, self.masked.truth)
        return words if verdict == "wrong" else super().follow(design, text, report)


def main():
    parser = argparse.ArgumentParser(description="Faults in running networks of families, and their repairs.")
    parser.add_argument("--seed", type=int, default=1, help="default: 1")
    parser.add_argument("--rounds", type=int, default=1, help="of each family and way of names; default: 1")
    parser.add_argument("--families", type=campaign_graph.words_of(FAMILIES), default=FAMILIES, metavar="NAME,…",
                        help=", ".join(FAMILIES))
    parser.add_argument("--names", action="append", metavar="WAY,…",
                        help="may be repeated; of %s; default: --names %s" % (", ".join(campaign_graph.NAMES), " --names ".join(WAYS)))
    parser.add_argument("--replay", metavar="SEED:ROUND", help="one round again, in full")
    parser.add_argument("--keep", metavar="DIR", help="where wrong rounds are kept")
    options = parser.parse_args()
    if options.replay:
        options.seed = int(options.replay.split(":")[0])
    simulator = Simulator()
    wrong = 0
    for family in options.families:
        for names in options.names or WAYS:
            print("# %s, %s" % (family, names))
            # Each family has other faults.
            mine = argparse.Namespace(**dict(vars(options), seed=options.seed + (
                0 if options.replay else 1000 * FAMILIES.index(family))))
            wrong += Live(simulator, family, names, mine).run()
    simulator.end()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
