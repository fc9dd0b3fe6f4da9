#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Networks of families with a few cables missing, under names that say nothing: whether --infer recognises the family, and
whether its design then names just the cables that were pulled.

  infer_families.py [--seed N] [--rounds N] [--families A,B,…] [--keep DIR]
"""
import argparse
import collections
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
# Networks as others build them, once each. That of the primitive element 7 is none of 2, the smallest of 11 elements.
LARGER = (("slim-fly", {"q": 11, "primitive": 7}), ("slim-fly", {"q": 13}), ("polarfly", {"q": 11}),
          ("dragonfly", {"group": {"routers": 6, "global": 3}, "groups": 19}))


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


def missing(report, own):
    """Cables that the report calls missing, by the pair of switches; None: it says something else as well."""
    result = collections.Counter()
    for finding in report["findings"]:
        if finding["code"] != "cable-missing":
            return None
        result[frozenset(own[int(place["guid"], 16)] for place in finding["where"])] += finding["count"]
    return result


def judge(rng, graph):
    """What is wrong with the inference of a network; None: nothing is."""
    fabric = graph.fabric(rng)
    pulled = pull(rng, fabric, max(1, min(3, len(cables_of(fabric)) // 24)))
    fabric, own = disguise(rng, fabric)
    text = fabric.write()
    judge.text = text
    inferred = run(FTPLAN, "--infer", "-", stdin=text)
    if inferred.returncode:
        return "refused: %s" % inferred.stderr.decode().strip()
    family = json.loads(inferred.stdout).get("topology")
    # Some networks are of two families: rings of four are squares, and groups that are all to all have one dimension. A
    # HyperX of two dimensions is a dragonfly, too, but says more.
    if family == "graph" or (graph.family, family) == ("hyperx", "dragonfly"):
        return "with %d cables pulled it is %s" % (sum(pulled.values()), family)
    with tempfile.NamedTemporaryFile(prefix="ftcheck-families.") as file:
        file.write(text)
        file.flush()
        done = run(FTCHECK, "--plan", "-", "--from", file.name, "--format", "json", stdin=inferred.stdout)
    report = json.loads(done.stdout)
    found = missing(report, own)
    # Another place may do as well: a ladder without a rung has other ladders in it.
    if found is None or sum(found.values()) != sum(pulled.values()) or (found != pulled and len(graph.switches) > SMALL):
        return "pulled %s, found %s" % (sum(pulled.values()), [f["text"][:90] for f in report["findings"]])
    return None


def main():
    parser = argparse.ArgumentParser(description="Networks of families, inferred with a few cables missing.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--families", type=lambda text: text.split(","), default=sorted(graphs.BY_RULE))
    parser.add_argument("--keep", metavar="DIR")
    options = parser.parse_args()
    tally = collections.defaultdict(collections.Counter)
    for number in range(options.rounds + len(LARGER)):
        rng = random.Random("families:%d:%d" % (options.seed, number))
        larger = number - options.rounds
        graph = graphs.planned(rng, *LARGER[larger], 2) if larger >= 0 else draw(rng, options.families)
        trouble = judge(rng, graph)
        tally[graph.family]["wrong" if trouble else "right"] += 1
        if trouble:
            print("round %d: %s of %d switches: %s" % (number, graph.label, len(graph.switches), trouble))
            if options.keep:
                with open(os.path.join(options.keep, "%d.net" % number), "wb") as file:
                    file.write(judge.text)
    for family in sorted(tally):
        print("%-12s %4d right, %d wrong" % (family, tally[family]["right"], tally[family]["wrong"]))
    return any(row["wrong"] for row in tally.values())


if __name__ == "__main__":
    sys.exit(main())
