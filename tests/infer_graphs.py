#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Random fabrics as people have them and no plain tree is: planes that share spines, leaves of unlike classes, cascaded
leaves, hosts on spines, chips of directors that are partly filled, rings, tori, dragonflies. Each is broken by a few
faults and disguised, then inferred, and what the design plans is held against what was meant, pair by pair:

  named    planned as meant, or nearer to it than seen: a finding
  missed   planned as seen, and meant otherwise
  false    planned neither as meant nor as seen, or seen as meant and planned otherwise: a finding about nothing

  infer_graphs.py [--seed N] [--rounds N] [--family NAME] [--replay SEED:ROUND] [--keep DIR]
"""
import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import infer_residual  # noqa: E402

# A false finding is worse than one that is missed.
FALSE_SHARE = 25
SENTENCE_MAX = 500
MISSED_SHARE = 3


class Net:
    """Switches with numbered ports: what is in each is None, a host's name, or (switch, port)."""

    def __init__(self, scatter=None):
        self.ports, self.system = {}, {}
        self.scatter = scatter

    def add(self, name, ports, system=None):
        self.ports[name] = [None] * (ports + 1)
        self.system[name] = system
        return name

    def free(self, name):
        dark = [p for p in range(1, len(self.ports[name])) if self.ports[name][p] is None]
        return self.scatter.choice(dark) if self.scatter else dark[0]

    def link(self, a, b, count=1):
        for _ in range(count):
            p, q = self.free(a), self.free(b)
            self.ports[a][p], self.ports[b][q] = (b, q), (a, p)

    def hosts(self, name, count):
        for _ in range(count):
            self.ports[name][self.free(name)] = "host"

    def cables(self):
        return [(a, p, *end) for a, ports in self.ports.items() for p, end in enumerate(ports)
                if isinstance(end, tuple) and (a, p) < end]

    def pull(self, a, p):
        b, q = self.ports[a][p]
        self.ports[a][p] = self.ports[b][q] = None

    def graph(self):
        return collections.Counter(frozenset((a, b)) for a, _, b, _ in self.cables())

    def text(self, names):
        """As ibnetdiscover prints it. @names: what each switch says it is."""
        ids = {name: 0x0002c90000100000 + 16 * i for i, name in enumerate(self.ports)}
        lids = {name: i + 1 for i, name in enumerate(ids)}
        lines, ca = ["#", "# Topology file: generated on Fri Nov 20 10:00:00 2026", "#"], []
        for a, ports in self.ports.items():
            lines += ["", "vendid=0x2c9", "devid=0xd2f0", "sysimgguid=0x%x" % (self.system[a] or ids[a]),
                      "switchguid=0x%x(%x)" % (ids[a], ids[a]),
                      'Switch\t%d "S-%016x"\t\t# "%s" base port 0 lid %d lmc 0' % (len(ports) - 1, ids[a], names[a], lids[a])]
            for p, end in enumerate(ports):
                if end is None:
                    continue
                if isinstance(end, tuple):
                    lines.append('[%d]\t"S-%016x"[%d]\t\t# "%s" lid %d 4xHDR' % (
                        p, ids[end[0]], end[1], names[end[0]], lids[end[0]]))
                    continue
                guid = 0x0002c90000800000 + 16 * len(ca)
                lines.append('[%d]\t"H-%016x"[1](%x)\t\t# "node%d" lid %d 4xHDR' % (
                    p, guid, guid + 1, len(ca), len(lids) + len(ca) + 1))
                ca.append((guid, ids[a], p, names[a]))
        for number, (guid, switch, port, name) in enumerate(ca):
            lines += ["", "vendid=0x2c9", "devid=0x101b", "sysimgguid=0x%x" % guid, "caguid=0x%x" % guid,
                      'Ca\t1 "H-%016x"\t\t# "node%d"' % (guid, number),
                      '[1](%x)\t"S-%016x"[%d]\t\t# lid %d lmc 0 "%s" lid 1 4xHDR' % (
                          guid + 1, switch, port, len(lids) + number + 1, name)]
        return "\n".join(lines) + "\n", ids


# ---- families ----


def two_levels(rng, net):
    cores = rng.choice([2, 2, 3, 4, 6])
    widths = [rng.choice([2, 3, 4, 5]) - (c >= cores // 2 and rng.random() < 0.3) for c in range(cores)]
    leaves, hosts = rng.randint(6, 24), rng.randint(8, 18)
    leaf = [net.add("leaf%02d" % i, 48) for i in range(1, leaves + 1)]
    core = [net.add("core%d" % i, 254) for i in range(1, cores + 1)]
    service = [net.add("leaf%02d" % i, 64) for i in range(leaves + 1, leaves + 1 + rng.choice([0, 0, 2, 4, 8]))]
    for a in leaf:
        net.hosts(a, rng.randint(hosts - 2, hosts))
    for a in service:
        net.hosts(a, hosts // 2)
    for a in leaf:
        for c, b in enumerate(core):
            net.link(a, b, widths[c])
    for a in service:
        for c, b in enumerate(core):
            net.link(a, b, widths[c] * 2)
    if rng.random() < 0.4:
        behind = net.add("leaf99", 36)
        net.link(rng.choice(leaf), behind, rng.randint(1, 3))
        net.hosts(behind, rng.randint(10, 27))
    if rng.random() < 0.4:
        net.hosts(rng.choice(core), rng.randint(3, 6))
    if rng.random() < 0.3:
        for i in range(2):
            net.hosts(net.add("ddr%d" % i, 24), 16)
        net.link("ddr0", "ddr1", 4)
        net.link("ddr0", core[0], 2)


def three_levels(rng, net):
    pods, per_plane = rng.randint(3, 8), rng.choice([1, 2, 2, 4])
    planes = rng.choice([1, 2, 3, 5])
    spines, cores, wide = planes * per_plane, rng.randint(3, 12), rng.choice([1, 2, 3])
    up = rng.choice([1, 1, 2])
    leaves = [rng.randint(4, 8)] * pods
    for i in range(rng.choice([0, 0, 1, 2])):
        leaves[-1 - i] = rng.randint(3, 8)
    core = [[net.add("core%03d" % (p * cores + c + 1), 64) for c in range(cores)] for p in range(planes)]
    number = 0
    for pod in range(pods):
        spine = [net.add("spine%03d" % (pod * spines + s + 1), 96) for s in range(spines)]
        for _ in range(leaves[pod]):
            number += 1
            leaf = net.add("leaf%03d" % number, 96)
            net.hosts(leaf, rng.randint(16, 20))
            for s in spine:
                net.link(leaf, s, wide)
        for s, name in enumerate(spine):
            for c in core[s // per_plane]:
                net.link(name, c, up)
            if pod == pods - 1 and s < 2 and rng.random() < 0.3:
                net.hosts(name, 5)


def pods_and_service(rng, net):
    three_levels(rng, net)
    spines = [name for name in net.ports if name.startswith("spine001")]
    del spines
    pod = sorted({end[0] for end in net.ports["leaf001"] if isinstance(end, tuple)})
    for i in range(rng.choice([1, 2, 3])):
        leaf = net.add("io%d" % (i + 1), 96)
        net.hosts(leaf, 6)
        for s in pod:
            net.link(leaf, s, 4)


def director(rng, net):
    """Chips of directors of which not all boards are there, some of other make, and leaves and hosts on them."""
    system = 0x0002c90000f00000
    tops = []
    for d in range(rng.choice([1, 1, 2])):
        lines, boards, traces = rng.randint(4, 18), rng.choice([3, 6, 9, 18]), rng.choice([1, 2])
        own = system + 256 * d if rng.random() < 0.7 else None
        leaf = [net.add("dir%d L%d" % (d, i + 1), 36, own) for i in range(lines)]
        spine = [net.add("dir%d S%d" % (d, i + 1), 36, own) for i in range(boards)]
        tops.append(leaf)
        unlike = boards > 3 and rng.random() < 0.3
        for number, a in enumerate(leaf):
            for s, b in enumerate(spine):
                # Boards of an older make have but half of the traces.
                if not (unlike and number >= lines - 2 and s % 2):
                    net.link(a, b, traces if boards < 18 else 1)
    for i in range(rng.randint(0, 12)):
        leaf = net.add("edge%02d" % i, 36)
        net.hosts(leaf, rng.randint(14, 18))
        for top in tops:
            for a in top[:2]:
                net.link(leaf, a, 1)
    for top in tops:
        for a in top[2:]:
            net.hosts(a, rng.randint(3, 8))


def torus(rng, net):
    sides = rng.choice([(4, 4), (5, 5), (3, 4, 4), (4, 4, 4), (6, 6), (3, 5, 2), (8,), (5,)])
    wide = [rng.choice([1, 1, 2, 3]) for _ in sides]
    places = [()]
    for side in sides:
        places = [place + (i,) for place in places for i in range(side)]
    name = {place: net.add("sw-" + "-".join(map(str, place)), 36) for place in places}
    for place in places:
        net.hosts(name[place], rng.choice([4, 4, 4, 3]))
    for d, side in enumerate(sides):
        for place in places:
            there = place[:d] + ((place[d] + 1) % side,) + place[d + 1:]
            if side > 2 or place[d] == 0:
                net.link(name[place], name[there], wide[d])


def mesh(rng, net):
    sides = rng.choice([(4, 5), (6, 6), (3, 3, 3), (9,), (12, 12)])
    wide = rng.choice([1, 2, 3])
    places = [()]
    for side in sides:
        places = [place + (i,) for place in places for i in range(side)]
    name = {place: net.add("sw-" + "-".join(map(str, place)), 36) for place in places}
    for place in places:
        net.hosts(name[place], 4)
        for d, side in enumerate(sides):
            if place[d] > 0:
                net.link(name[place], name[place[:d] + (place[d] - 1,) + place[d + 1:]], wide)


def dragonfly(rng, net):
    a = rng.choice([4, 6])
    h = rng.choice([1, 2])
    groups = a * h + 1 if rng.random() < 0.7 else rng.randint(3, a * h)
    name = [[net.add("g%02d-r%d" % (g, r), 36) for r in range(a)] for g in range(groups)]
    for g in range(groups):
        for r in range(a):
            net.hosts(name[g][r], 4)
    for g in range(groups):
        for r in range(a):
            for other in range(r):
                net.link(name[g][other], name[g][r])
    load = [0] * groups
    for g in range(groups):
        for other in range(g):
            net.link(name[g][load[g] // h % a], name[other][load[other] // h % a])
            load[g] += 1
            load[other] += 1


def hyperx(rng, net):
    rows, columns, wide = rng.randint(3, 6), rng.randint(3, 6), rng.choice([1, 2])
    name = [[net.add("h%d-%d" % (r, c), 48) for c in range(columns)] for r in range(rows)]
    for r in range(rows):
        for c in range(columns):
            net.hosts(name[r][c], 6)
            for other in range(r):
                net.link(name[other][c], name[r][c], wide)
            for other in range(c):
                net.link(name[r][other], name[r][c], wide)


def irregular(rng, net):
    name = [net.add("x%02d" % i, 36) for i in range(rng.randint(2, 14))]
    for i, a in enumerate(name):
        net.hosts(a, rng.randint(0, 8) if i else 4)
        if i:
            net.link(a, name[rng.randrange(i)], rng.choice([1, 1, 2, 3, 6]))
    for _ in range(len(name) // 2):
        a, b = rng.sample(name, 2)
        if sum(end is None for end in net.ports[a][1:]) > 4 and sum(end is None for end in net.ports[b][1:]) > 4:
            net.link(a, b, rng.choice([1, 2]))


def rotated(rng, net):
    """Bundles that are uneven by turns: nobody lacks anything."""
    leaves, cores = rng.randint(6, 20), rng.choice([3, 4, 6])
    uplinks = cores * rng.choice([1, 2]) + rng.randint(1, cores - 1)
    leaf = [net.add("leaf%02d" % i, 36) for i in range(leaves)]
    core = [net.add("core%d" % i, 120) for i in range(cores)]
    turn = 0
    for a in leaf:
        net.hosts(a, 12)
        for _ in range(uplinks):
            net.link(a, core[turn % cores])
            turn += 1


def disjoint(rng, net):
    for part in "ab":
        leaves, cores, wide = rng.randint(3, 6), rng.choice([2, 3]), rng.choice([2, 3])
        core = [net.add("%score%d" % (part, c), 40) for c in range(cores)]
        for i in range(leaves):
            leaf = net.add("%sleaf%d" % (part, i), 40)
            net.hosts(leaf, 10)
            for c in core:
                net.link(leaf, c, wide)


FAMILIES = {f.__name__: f for f in (two_levels, three_levels, pods_and_service, director, torus, mesh, dragonfly, hyperx,
                                    irregular, rotated, disjoint)}


# Those with classes to speak of: what lacks there is to be named. In a lattice a moved cable is not to be told from one
# that was meant so.
CLASSED = (two_levels, three_levels, pods_and_service, director, disjoint)


# ---- faults ----


def pull(rng, net):
    a, p, _, _ = rng.choice(net.cables())
    net.pull(a, p)
    return "pull"


def move(rng, net):
    """One end of a cable into a free port of a switch like the one where it was."""
    a, p, b, q = rng.choice(net.cables())
    kind = b.rstrip("0123456789- ")
    others = [name for name, ports in net.ports.items()
              if name.rstrip("0123456789- ") == kind and name not in (a, b) and None in ports[1:]]
    if not others:
        return pull(rng, net)
    net.pull(a, p)
    there = rng.choice(others)
    port = net.free(there)
    net.ports[a][p], net.ports[there][port] = (there, port), (a, p)
    del q
    return "move"


def swap(rng, net):
    (a, p, b, q), (c, r, d, s) = rng.sample(net.cables(), 2)
    if len({a, b, c, d}) < 4:
        return pull(rng, net)
    net.pull(a, p)
    net.pull(c, r)
    net.ports[a][p], net.ports[d][s] = (d, s), (a, p)
    net.ports[c][r], net.ports[b][q] = (b, q), (c, r)
    return "swap"


def disguise(rng, net):
    way = rng.choice(["own", "own", "one", "hex", "empty"])
    return {name: {"own": name, "one": "MF0;switch:MQM8700/U1", "hex": "switch-%06x" % rng.getrandbits(24),
                   "empty": ""}[way] for name in net.ports}, way


class Campaign:
    def __init__(self, options):
        self.options = options
        self.ftplan, self.ftcheck = (os.path.join(os.environ.get("FT_BUILDDIR", "."), name)
                                     for name in ("ftplan", "ftcheck"))
        self.directory = tempfile.TemporaryDirectory(prefix="ftcheck-graphs.")
        self.tally = collections.defaultdict(collections.Counter)

    def infer(self, text):
        done = subprocess.run([self.ftplan, "--infer", "-"], input=text.encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        return (json.loads(done.stdout) if done.returncode == 0 else None), done.stderr.decode()

    def round(self, number):
        rng = random.Random("%d:%d" % (self.options.seed, number))
        family = self.options.family or rng.choice(sorted(FAMILIES))
        net = Net(rng if rng.random() < 0.15 else None)
        FAMILIES[family](rng, net)
        meant = net.graph()
        faults = []
        if sum(meant.values()) > 8:
            count = rng.choice([0, 1, 1, 2, 3, 4]) if FAMILIES[family] in CLASSED else rng.choice([0, 0, 1, 2])
            faults = [rng.choice([pull, pull, pull, move, swap])(rng, net) for _ in range(count)]
        names, way = disguise(rng, net)
        text, ids = net.text(names)
        design, words = self.infer(text)
        tally = self.tally[family]
        tally["rounds"] += 1
        if design is None:
            tally["refused"] += 1
            print("%d: %s %s: refused: %s" % (number, family, way, words.strip()))
            return
        if design.get("topology") != "graph":
            tally["trees"] += 1
            self.judge_tree(number, family, way, faults, design, text, meant, net.graph(), tally)
            return
        self.judge(number, family, way, faults, design, text, {v: k for k, v in ids.items()}, meant, net.graph(), tally)

    def check(self, design, text):
        """What ftcheck finds, from warnings on."""
        path = os.path.join(self.directory.name, "fabric")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([self.ftcheck, "--plan", "-", "--from", path, "--format", "json"],
                              input=json.dumps(design).encode(), stdout=subprocess.PIPE, check=False)
        return [f for f in json.loads(done.stdout)["findings"] if f["severity"] != "info"]

    def judge_tree(self, number, family, way, faults, design, text, meant, seen, tally):
        """A tree is held against what was meant by how many cables ftcheck finds fault with."""
        found = self.check(design, text)
        cables = sum(f.get("count", 1) for f in found)
        broken = sum(abs(meant[pair] - seen[pair]) for pair in set(meant) | set(seen))
        tally["named"] += min(cables, broken)
        tally["missed"] += max(broken - cables, 0) if not found else 0
        if cables > broken:
            tally["false"] += cables - broken
            print("%d: %s, names %s, %s: a tree, %d broken, found %s" % (
                number, family, way, " ".join(faults) or "whole", broken, [f["text"][:100] for f in found][:6]))
            self.keep(number, text)

    def keep(self, number, text):
        if self.options.keep:
            with open(os.path.join(self.options.keep, "%d.net" % number), "w", encoding="utf-8") as file:
                file.write(text)

    def judge(self, number, family, way, faults, design, text, name_of, meant, seen, tally):
        plan, fabric = infer_residual.Plan(design), infer_residual.Fabric(text)
        ids = infer_residual.ids_of(plan, fabric)
        planned = {frozenset(name_of[ids[name]] for name in pair): count for pair, count in plan.links.items()
                   if all(name in ids for name in pair)}
        # No switch was taken away.
        words = ["  false: %s, which never was" % name for name in plan.switches if name not in ids]
        tally["false"] += len(words)
        found = self.check(design, text)
        lacks = sum(abs(planned.get(pair, 0) - seen[pair]) for pair in set(planned) | set(seen))
        if (lacks > 0) != bool(found) or any(len(f["text"]) > SENTENCE_MAX for f in found):
            tally["false"] += 1
            words.append("  false: %d cables are left by the plan, found %s" % (lacks, [f["text"] for f in found]))
        for pair in set(planned) | set(meant) | set(seen):
            p, m, s = planned.get(pair, 0), meant[pair], seen[pair]
            verdict = "named" if p == m != s or s < p < m else "missed" if p == s != m else "false" if p != m else None
            if verdict:
                tally[verdict] += 1
            if verdict in ("false", "missed"):
                words.append("  %s: %s: meant %d, seen %d, planned %d" % (verdict, " - ".join(sorted(pair)), m, s, p))
        if words and (self.options.verbose or any("false" in line for line in words)):
            print("%d: %s, names %s, %s" % (number, family, way, " ".join(faults) or "whole"))
            print("\n".join(sorted(words)[:12]))
            self.keep(number, text)

    def run(self):
        print("infer graphs: seed %d, %d rounds" % (self.options.seed, self.options.rounds))
        start = time.monotonic()
        numbers = [int(self.options.replay.split(":")[1])] if self.options.replay else range(self.options.rounds)
        for number in numbers:
            self.round(number)
        everything = collections.Counter()
        for family, tally in sorted(self.tally.items()):
            everything.update(tally)
            print("infer graphs: %-17s %s" % (family, ", ".join("%s %d" % item for item in sorted(tally.items()))))
        print("infer graphs: seed %d: %d named, %d missed, %d false, %d refused in %.1f s" % (
            self.options.seed, everything["named"], everything["missed"], everything["false"], everything["refused"],
            time.monotonic() - start))
        return self.verdict(everything)

    def verdict(self, everything):
        faults = everything["named"] + everything["missed"]
        classed = collections.Counter()
        for family in CLASSED:
            classed.update(self.tally[family.__name__])
        missed = classed["missed"] * MISSED_SHARE > max(classed["named"] + classed["missed"], MISSED_SHARE)
        return 1 if missed or everything["refused"] or \
            everything["false"] * FALSE_SHARE > max(faults, FALSE_SHARE) else 0


def main():
    parser = argparse.ArgumentParser(description="Infers random fabrics that are no plain trees.")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("FT_SEED", "1")))
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("FT_RUNS", "120")))
    parser.add_argument("--family", choices=sorted(FAMILIES))
    parser.add_argument("--replay", metavar="SEED:ROUND")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("-v", "--verbose", action="store_true", help="tell what is missed, too")
    options = parser.parse_args()
    if options.replay:
        options.seed = int(options.replay.split(":")[0])
    sys.exit(Campaign(options).run())


if __name__ == "__main__":
    main()
