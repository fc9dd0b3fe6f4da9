#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Networks of families with a few cables missing, under names that say nothing: whether --infer recognises the family, and
whether its design then names just the cables that were pulled; also once all switches have lost their names.

With --dead a switch is off instead, which the design plans, and misses.

  infer_families.py [--dead] [--seed N] [--rounds N] [--replay SEED:ROUND] [--families A,B,…] [--keep DIR]
"""
import argparse
import collections
import copy
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import graphs  # noqa: E402

FTPLAN, FTCHECK = (os.path.join(os.environ.get("FT_BUILDDIR", "."), name) for name in ("ftplan", "ftcheck"))
# Switches of networks in which one cable may be missing as well as another.
SMALL = 12
# Of so many rounds of a dragonfly+ without a switch ports tell a leaf in some.
TOLD_ROUNDS = 60
# Networks as others build them, once each. That of the primitive element 7 is none of 2, the smallest of 11 elements.
LARGER = (("slim-fly", {"q": 11, "primitive": 7}), ("slim-fly", {"q": 13}), ("polarfly", {"q": 11}),
          ("dragonfly", {"group": {"routers": 6, "global": 3}, "groups": 19}),
          ("torus", {"dims": [5, 3, 4], "edge": {"ports_to_core": 11}}))


def draw(rng, families):
    """A network of eight switches or more: fewer are planned as they are seen, or a line is as good as a ring."""
    while True:
        graph = graphs.BY_RULE[rng.choice(families)](rng)
        if len(graph.switches) >= 8:
            return graph


def cables_of(fabric):
    """Between switches."""
    switches = {n.guid for n in fabric.switches()}
    return [c for c in fabric.edges() if c[0] in switches and c[2] in switches]


def pull(rng, fabric, most):
    """Up to so many cables, and no two switches apart by it."""
    pulled = collections.Counter()
    for cable in rng.sample(cables_of(fabric), rng.randint(0, most)):
        rate = fabric.unlink(*cable[:2])
        if len(fabric.reachable(cable[0])) < len(fabric.nodes):
            fabric.link(*cable, rate)
        else:
            pulled[frozenset((cable[0], cable[2]))] += 1
    return pulled


def disguise(rng, fabric):
    """(the fabric with other GUIDs and names, its GUIDs by the new ones)"""
    own = list(fabric.nodes)
    fresh = rng.sample(range(0x0002C90300000000, 0x0002C90300FFFFF0, 16), len(own))
    order = own[:]
    rng.shuffle(order)
    way = rng.choice(["own", "one", "hex"])
    for node in fabric.switches():
        if way == "one":
            node.description = b"MT Switch"
        elif way == "hex":
            node.description = b"switch-%06x" % rng.getrandbits(24)
    return fabric.renamed(dict(zip(own, fresh)), order, systems=False), dict(zip(fresh, own))


def run(program, *arguments, stdin=b""):
    return subprocess.run([program, *arguments], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def kill(rng, fabric):
    """A switch and its hosts; None: the others would be no network."""
    victim = rng.choice(fabric.switches())
    hosts = [far for far, _ in victim.links.values() if fabric.nodes[far].kind == "H"]
    for guid in hosts + [victim.guid]:
        fabric.remove(guid)
    first = next(iter(fabric.nodes))
    return victim.guid if len(fabric.reachable(first)) == len(fabric.nodes) else None


def check(design, text):
    with tempfile.NamedTemporaryFile(prefix="ftcheck-families.") as file:
        file.write(text)
        file.flush()
        return json.loads(run(FTCHECK, "--plan", "-", "--from", file.name, "--format", "json", stdin=design).stdout)


def unnamed(fabric):
    """The same where all switches have lost their names."""
    for node in fabric.switches():
        node.description = b"MF0;localhost:MQM8700/U1"
    return fabric.write()


def missing(report, own):
    """Cables that the report calls missing, by the pair of switches; None: it says something else as well."""
    result = collections.Counter()
    for finding in report["findings"]:
        if finding["code"] != "cable-missing":
            return None
        result[frozenset(own[int(place["guid"], 16)] for place in finding["where"])] += finding["count"]
    return result


def inferred(graph, fabric):
    """(design, what is wrong with it)"""
    judge.text = fabric.write()
    done = run(FTPLAN, "--infer", "-", stdin=judge.text)
    if done.returncode:
        return None, "refused: %s" % done.stderr.decode().strip()
    family = json.loads(done.stdout).get("topology")
    # Some networks are of two families: rings of four are squares, and groups that are all to all have one dimension. A
    # HyperX of two dimensions is a dragonfly, too, but says more.
    if family == "graph" or (graph.family, family) == ("hyperx", "dragonfly"):
        return None, "it is %s" % family
    return done.stdout, None


def judge(rng, graph):
    """What is wrong with the inference of a network; None: nothing is."""
    fabric = graph.fabric(rng)
    pulled = pull(rng, fabric, max(1, min(3, len(cables_of(fabric)) // 24)))
    fabric, own = disguise(rng, fabric)
    design, trouble = inferred(graph, fabric)
    if trouble:
        return "with %d cables pulled: %s" % (sum(pulled.values()), trouble)
    for words, text in (("", judge.text), ("without names, ", unnamed(fabric))):
        report = check(design, text)
        found = missing(report, own)
        # Another place may do as well: a ladder without a rung has other ladders in it.
        if found is None or sum(found.values()) != sum(pulled.values()) or \
                (found != pulled and len(graph.switches) > SMALL):
            return "%spulled %s, found %s" % (words, sum(pulled.values()), [f["text"][:90] for f in report["findings"][:3]])
    return None


def leaf_is_told(graph, fabric, names, leaf):
    """True if ports tell a leaf of a dragonfly+ that is off from one that was never there: with three groups and more, each
    spine of its group has a later port with a leaf, and no port below a leaf is dark anywhere. Of spines there may be
    fewer in a group as well."""
    if graph.family != "dragonfly+":
        return True
    if "leaf" not in names[leaf] or len({name.split("-")[0] for name in names.values()}) < 3:
        return False
    for node in fabric.switches():
        leafs = [port for port, far in node.links.items() if "leaf" in names.get(far[0], "")]
        if "spine" not in names[node.guid] or not leafs:
            continue
        if any(port not in node.links for port in range(1, max(leafs))):
            return False
        if leaf in {far for far, _ in node.links.values()} and node.links[max(leafs)][0] == leaf:
            return False
    return True


def idle_spines(graph, fabric):
    """Spines of a dragonfly+ with fewer global cables than others: where global ports are left over, nothing tells to which of
    them a spine that is off was cabled."""
    if graph.family != "dragonfly+":
        return set()
    spines = {n.guid for n in fabric.switches() if b"spine" in n.description}
    cables = collections.Counter(end for c in cables_of(fabric) if {c[0], c[2]} <= spines for end in (c[0], c[2]))
    most = max(cables[guid] for guid in spines)
    return {fabric.nodes[guid].description.decode() for guid in spines if cables[guid] < most}


def judge_dead(rng, graph):
    """The same of a network without one of its switches. A ring is a line then, and small ones are other networks."""
    if len(graph.switches) <= SMALL or all(len(graph.plan().neighbours({name})) == 2 for name in graph.switches):
        return None
    fabric = graph.fabric(rng)
    names = {n.guid: n.description.decode() for n in fabric.switches()}
    before = copy.deepcopy(fabric)
    victim = kill(rng, fabric)
    if victim is None:
        return None
    told = leaf_is_told(graph, before, names, victim)
    judge_dead.told += told and graph.family == "dragonfly+"
    idle = idle_spines(graph, fabric) if "spine" in names[victim] else set()
    fabric, own = disguise(rng, fabric)
    design, trouble = inferred(graph, fabric)
    if trouble:
        return "without %s: %s" % (names[victim], trouble)
    if not told and not check(design, judge.text)["findings"]:
        return None
    around = set(graph.plan().neighbours({names[victim]}))
    for words, text in (("", judge.text), ("without names, ", unnamed(fabric))):
        findings = check(design, text)["findings"]
        where = {names[own[int(p["guid"], 16)]] for f in findings for p in f["where"] if p["guid"]}
        if [f["code"] in ("edge-isolated", "core-missing") for f in findings] != [True] or \
                len(where) != len(around) or not where ^ around <= idle:
            return "%swithout %s, found %s" % (words, names[victim], [f["text"][:90] for f in findings[:3]])
    return None


def main():
    parser = argparse.ArgumentParser(description="Networks of families, inferred with a few cables missing.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--families", type=lambda text: text.split(","), default=sorted(graphs.BY_RULE))
    parser.add_argument("--dead", action="store_true", help="a switch is off, and no cable is pulled")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--replay", metavar="SEED:ROUND")
    options = parser.parse_args()
    tally = collections.defaultdict(collections.Counter)
    judge_it = judge_dead if options.dead else judge
    judge_dead.told = 0
    numbers = range(options.rounds + (0 if options.dead else len(LARGER)))
    if options.replay:
        options.seed, first = map(int, options.replay.split(":"))
        numbers, options.rounds = range(first, first + 1), first + 1
    for number in numbers:
        rng = random.Random("families:%d:%d" % (options.seed, number))
        larger = number - options.rounds
        graph = graphs.planned(rng, *LARGER[larger], 2) if larger >= 0 else draw(rng, options.families)
        trouble = judge_it(rng, graph)
        tally[graph.family]["wrong" if trouble else "right"] += 1
        if trouble:
            print("round %d: %s of %d switches: %s" % (number, graph.label, len(graph.switches), trouble))
            if options.keep:
                with open(os.path.join(options.keep, "%d.net" % number), "wb") as file:
                    file.write(judge.text)
    for family in sorted(tally):
        told = ", %d told by ports" % judge_dead.told if options.dead and family == "dragonfly+" else ""
        print("%-12s %4d right, %d wrong%s" % (family, tally[family]["right"], tally[family]["wrong"], told))
    # Rounds that are not told are right as well without a finding: these alone would prove nothing.
    untold = options.dead and sum(tally["dragonfly+"].values()) >= TOLD_ROUNDS and judge_dead.told == 0
    if untold:
        print("no leaf of a dragonfly+ is told by ports")
    return untold or any(row["wrong"] for row in tally.values())


if __name__ == "__main__":
    sys.exit(main())
