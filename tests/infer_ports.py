#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Made-up fabrics of many shapes without some cables: by the inferred design each is named with the ports that it was in,
and nothing else from warnings on. Each row is a rule by which ports are told.

  infer_ports.py [NAME...]
"""
import itertools
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from infer_graphs import Net  # noqa: E402


def at(net, a, p, b, q):
    net.ports[a][p], net.ports[b][q] = (b, q), (a, p)


def leaf(net, name, hosts, ports=40):
    """Not every leaf has all of its hosts: a plan sorts leaves by that, and nobody else does."""
    net.add(name, ports)
    for p in range(1, hosts + 1 - len(net.ports) % 3):
        net.ports[name][p] = "host"
    return name


def planes(net):
    """Pods whose leaves are in no order of the plan; two spines of each pod share a plane."""
    cores = [net.add("core%02d" % c, 40) for c in range(24)]
    for pod in range(5):
        spines = [net.add("spine%d-%d" % (pod, s), 40) for s in range(4)]
        for number in range(6):
            name = leaf(net, "leaf%d-%d" % (pod, number), 18)
            for s, spine in enumerate(spines):
                for k in range(2):
                    at(net, name, 21 + 2 * s + k, spine, 1 + 2 * number + k)
        for s, spine in enumerate(spines):
            for c in range(12):
                at(net, spine, 13 + c, cores[s // 2 * 12 + c], 1 + 2 * pod + s % 2)


def unordered(net):
    """Cables in whatever port: which is left tells."""
    spines = [net.add("spine%d" % s, 36) for s in range(6)]
    used = dict.fromkeys(spines, 0)
    for number in range(12):
        name = leaf(net, "leaf%02d" % number, 18, 36)
        for k in range(18):
            spine = spines[(k * 5 + number * 7 + k // 6) % 6]
            at(net, name, 19 + k, spine, 1 + used[spine] * 7 % 36)
            used[spine] += 1


def lattice(net, sides, wrap, wide):
    places = list(itertools.product(*map(range, sides)))
    for place in places:
        leaf(net, str(place), 8, 36)
    for d, side in enumerate(sides):
        for place in places:
            if place[d] + 1 < side or wrap:
                there = place[:d] + ((place[d] + 1) % side,) + place[d + 1:]
                for k in range(wide):
                    at(net, str(place), 9 + 2 * d * wide + k, str(there), 9 + (2 * d + 1) * wide + k)


def torus(net):
    """No two neighbours of a switch have it in the same port; what each port leads to does it everywhere."""
    lattice(net, (4, 4, 4), True, 1)


def generations(net):
    """Leaves of 4 and of 5 cables to each core, each with its hosts below: one of 5 that lacks some looks like one of 4."""
    cores = [net.add("core%d" % c, 108) for c in range(4)]
    used = dict.fromkeys(cores, 0)
    for number in range(16):
        wide = 4 + number % 2
        name = leaf(net, "leaf%02d" % number, 36 - 4 * wide, 36)
        for c, core in enumerate(cores):
            for k in range(wide):
                used[core] += 1
                at(net, name, 37 - 4 * wide + c * wide + k, core, used[core])


def mesh(net):
    """At a corner, ports are dark on purpose."""
    lattice(net, (6, 6), False, 3)


def dragonfly(net):
    """Port 20 + R leads to router R of the group: on router R itself it is dark, and that is no hole."""
    routers, groups = 8, 9
    for g in range(groups):
        for r in range(routers):
            leaf(net, "g%d-r%d" % (g, r), 8)
            for s in range(r):
                at(net, "g%d-r%d" % (g, s), 20 + r, "g%d-r%d" % (g, r), 20 + s)
    for g in range(groups):
        for o in range(g):
            at(net, "g%d-r%d" % (g, o), 30, "g%d-r%d" % (o, g - 1), 30)


def hoffman_singleton(net):
    """The Slim Fly of q = 5: no two neighbours have another in common, so that two links that lack are told by that."""
    def join(a, b):
        at(net, a, next(p for p in range(8, 37) if net.ports[a][p] is None),
           b, next(p for p in range(8, 37) if net.ports[b][p] is None))

    for s, x, y in itertools.product(range(2), range(5), range(5)):
        leaf(net, "sf-%d-%d-%d" % (s, x, y), 6, 36)
    for x, y in itertools.product(range(5), range(5)):
        for z in range(y):
            join("sf-%d-%d-%d" % (0 if (y - z) % 5 in (1, 4) else 1, x, z),
                 "sf-%d-%d-%d" % (0 if (y - z) % 5 in (1, 4) else 1, x, y))
        for m, c in itertools.product(range(5), range(5)):
            if (m * x + c - y) % 5 == 0:
                join("sf-0-%d-%d" % (x, y), "sf-1-%d-%d" % (m, c))


def boards(net, lines, spines, ports, outer):
    for s in spines:
        net.add("MF0;dir:CS8500/S%02d/U1" % s, ports, 0x0002c90000f00000)
    for n in lines:
        net.add("MF0;dir:CS8500/L%02d/U1" % n, ports, 0x0002c90000f00000)
        for s in spines:
            at(net, "MF0;dir:CS8500/L%02d/U1" % n, outer + s, "MF0;dir:CS8500/S%02d/U1" % s, n)
    return ["MF0;dir:CS8500/L%02d/U1" % n for n in lines]


def director(net):
    """One director, that nothing else is wired like: its boards are wired like each other."""
    lines = boards(net, [n for n in range(1, 21) if n not in (4, 19)], range(1, 21), 40, 20)
    for number in range(16):
        name = leaf(net, "leaf%02d" % number, 20)
        for n, line in enumerate(lines):
            at(net, name, 23 + n, line, number + 1)


def empty_slots(net):
    """A director that is all there is: boards that were never bought are no edge switches that are off."""
    for line in boards(net, [n for n in range(1, 31) if n not in (7, 8, 22)], range(1, 19), 36, 18):
        for p in range(1, 17):
            net.ports[line][p] = "host"


def tree(net, leaves, cores, bundle):
    """Of switches of 36 ports, half of a leaf's for hosts."""
    for c in range(cores):
        net.add("core%d" % c, 36)
    for number in range(leaves):
        name = leaf(net, "leaf%02d" % number, 18, 36)
        for c in range(cores):
            for k in range(bundle):
                at(net, name, 19 + bundle * c + k, "core%d" % c, 1 + bundle * number + k)


def island(net):
    """A few cables lead to switches of an older make: they are no slower than these can be."""
    tree(net, 11, 6, 3)
    for t in range(2):
        net.add("old%d" % t, 24)
    for number in range(4):
        name = leaf(net, "old-leaf%d" % number, 14, 24)
        for t in range(2):
            for k in range(5):
                at(net, name, 15 + 5 * t + k, "old%d" % t, 1 + 5 * number + k)
    at(net, "old0", 21, "core0", 35)
    at(net, "old0", 22, "core0", 36)
    at(net, "old1", 21, "core1", 35)


def small_island(net):
    """An old switch on one cable, with one behind it on two: three cables are no majority, and not to be as new ones."""
    tree(net, 5, 2, 6)
    for number in range(2):
        leaf(net, "older%d" % number, 14, 24)
    at(net, "older0", 23, "leaf02", 36)
    for k in range(2):
        at(net, "older0", 17 + k, "older1", 17 + k)


def two_rows(net):
    """The upper row of each panel is cabled, so that every other port leads to a core, one of which has hosts, too."""
    cores = [net.add("core%d" % c, 36) for c in range(2)]
    for number in range(6):
        name = net.add("leaf%02d" % number, 36)
        for p in [*range(1, 17), *range(18, 33, 2)]:
            net.ports[name][p] = "host"
        for k in range(8):
            at(net, name, 21 + 2 * k, cores[k // 4], (1, 15, 27)[number // 2] + 2 * (k % 4) + number % 2)
    for p in (9, 11, 24):
        net.ports["core1"][p] = "host"


def by_hand(net):
    """Leaves in no common order, some cables crossed, dark ports elsewhere: those beside a hole tell what it was."""
    cores = ("north", "south")
    for core in cores:
        net.add(core, 36)
    for name, hosts, *blocks in (
            ("leaf01", range(7, 19), (1, 0, (16, 17, 18)), (4, 1, (16, 17, 18)), (19, 0, (31, 33, 32)),
             (22, 1, (31, 32, 33))),
            ("leaf02", (9, 15, 16, 29, 33, 34), (1, 1, (4, 5, 6)), (4, 0, (5, 4, 6)), (19, 1, (22, 23, 24)),
             (22, 0, (22, 23, 24))),
            ("leaf03", range(7, 15), (1, 1, (1, 2, 3)), (4, 0, (1, 2, 3)), (19, 1, (19, 20, 21)), (22, 0, (19, 20, 21))),
            ("leaf04", [*range(1, 12), *range(18, 28)], (12, 1, range(7, 13)), (30, 0, range(25, 31))),
            ("leaf05", [*range(1, 12), *range(18, 28)], (12, 0, range(7, 13)), (30, 1, range(25, 31)))):
        net.add(name, 36)
        for p in hosts:
            net.ports[name][p] = "host"
        for first, core, numbers in blocks:
            for k, number in enumerate(numbers):
                at(net, name, first + k, cores[core], number)


def serving_core(net):
    """One large switch that has more hosts than all others: it is no core without hosts, and they are in their places."""
    net.add("core", 250)
    for number in range(10):
        name = leaf(net, "leaf%02d" % number, 16, 24)
        for k in range(8):
            at(net, name, 17 + k, "core", 1 + 8 * number + k)
    for p in range(90, 240):
        net.ports["core"][p] = "host"


def wing(net):
    """A leaf has two cables to a leaf of an older tree beside its own: it is wired as the other leaves all the same."""
    spines = [net.add("spine%d" % s, 36) for s in range(9)]
    for number in range(14):
        name = leaf(net, "leaf%02d" % number, 24 if number == 13 else 27, 36)
        for s, spine in enumerate(spines):
            at(net, name, 28 + s, spine, 1 + number)
    cores = [net.add("wingcore%d" % c, 24) for c in range(2)]
    for number in range(4):
        name = leaf(net, "wingleaf%d" % number, 10, 24)
        for c, core in enumerate(cores):
            for k in range(6):
                at(net, name, 13 + 6 * c + k, core, 1 + 6 * number + k)
    for k in range(2):
        at(net, "wingleaf0", 11 + k, "leaf13", 27 - k)


DIR = "MF0;dir:CS8500/"
ROWS = {
    "a spine and its leaf": (planes, [("leaf2-3", 24), ("spine4-1", 8)]),
    "a spine and its core": (planes, [("spine1-2", 15), ("spine3-3", 24), ("core05", 7)]),
    "what is left": (unordered, [("leaf03", 22), ("leaf09", 31)]),
    "a torus": (torus, [("(1, 2, 3)", 9), ("(3, 0, 0)", 13)]),
    "the corner of a mesh": (mesh, [("(0, 5)", 9), ("(3, 3)", 16)]),
    "a dragonfly, between groups": (dragonfly, [("g5-r2", 30)]),
    "a dragonfly, in a group": (dragonfly, [("g5-r2", 24), ("g7-r1", 22)]),
    "two of a Slim Fly": (hoffman_singleton, [("sf-0-1-2", 9), ("sf-1-3-0", 11)]),
    "a director's outer ports": (director, [("leaf07", 29), ("leaf00", 33), (DIR + "L12/U1", 16)]),
    "a director with empty slots": (empty_slots, [(DIR + "L03/U1", 20)]),
    "an old island": (island, [("leaf04", 25)]),
    "beside a small island": (small_island, [("leaf04", 25)]),
    "beside a tree": (wing, [("leaf13", 36)]),
    "every other port, the last": (two_rows, [("leaf03", 35)]),
    "every other port, the last but one": (two_rows, [("leaf02", 33)]),
    "in a parallel bundle": (by_hand, [("leaf02", 20)]),
    "the first of its block": (by_hand, [("leaf03", 22)]),
    "between two of its bundle": (by_hand, [("leaf01", 2)]),
    "the middle of a crossed bundle": (by_hand, [("leaf02", 23)]),
    "a core with hosts": (serving_core, [("leaf03", 20)]),
    "one of each bundle of a leaf of 5, which has 4 then, as others": (
        generations, [("leaf03", 17 + 1), ("leaf03", 17 + 6), ("leaf03", 17 + 11), ("leaf03", 17 + 16)]),
    "the last of a bundle, and one of the next leaf": (generations, [("leaf05", 21), ("leaf06", 27)]),
}
# Of the two cables between two switches the one in the port that no other switch uses so was moved there.
MOVED = (planes, ("spine3-0", 14), ("core07", 25))
# Two cables of a leaf that another switch hangs on, and so are not wired alike in number, with those of another leaf.
SWAPPED = (small_island, ("leaf02", 22), ("leaf04", 27))
# So many traces of one chip are a fault of that chip, however many findings that makes.
CHIP = (empty_slots, DIR + "S05/U1", range(9, 19))


def findings(text):
    build = os.environ.get("FT_BUILDDIR", ".")
    inferred = subprocess.run([os.path.join(build, "ftplan"), "--infer", "-"], input=text, stdout=subprocess.PIPE,
                              check=True).stdout
    with open("infer_ports.%d" % os.getpid(), "wb") as file:
        file.write(text)
    try:
        done = subprocess.run([os.path.join(build, "ftcheck"), "--plan", "-", "--from", file.name, "--format", "json"],
                              input=inferred, stdout=subprocess.PIPE, check=False)
    finally:
        os.unlink(file.name)
    return [f for f in json.loads(done.stdout)["findings"] if f["severity"] != "info"]


def found(net):
    """(what it is called, where, the words) of each finding from warnings on."""
    text, ids = net.text({a: "old Infiniscale-III" if re.match("old[^e]", a) else a for a in net.ports})
    names = {guid: a for a, guid in ids.items()}
    old = False
    lines = []
    for line in text.split("\n"):
        if line.startswith(("Switch", "Ca")):
            old = '# "old' in line
        lines.append(line.replace("4xHDR", "4xDDR") if old or '# "old' in line or '"old' in line else line)
    return [(f["code"], {(names.get(int(w["guid"], 16)), w["port"]) for w in f["where"] if w["guid"]}, f["text"])
            for f in findings("\n".join(lines).encode())]


def tell(name, complaint):
    print("not ok - %s: %s" % (name, complaint) if complaint else "ok - %s" % name)
    return 1 if complaint else 0


def judge(name):
    shape, pulled = ROWS[name]
    net, ends = Net(), set()
    shape(net)
    for a, p in pulled:
        ends |= {(a, p), net.ports[a][p]}
        net.pull(a, p)
    said, other = set(), []
    for code, where, words in found(net):
        if code == "cable-missing":
            said |= where
        else:
            other.append(words)
    return tell(name, said != ends and "not named %s, named in vain %s" % (ends - said, said - ends) or other)


def judge_moved():
    shape, near, there = MOVED
    net = Net()
    shape(net)
    # Two spines have hosts, and are a kind of their own.
    for p in (30, 31, 32):
        net.ports["spine0-0"][p] = net.ports["spine0-1"][p] = "host"
    net.pull(*near)
    at(net, *near, *there)
    said = found(net)
    return tell("a moved cable", [words for code, where, words in said
                                  if code != "cable-misplaced" or not where >= {near, there}] or not said)


def judge_swapped():
    shape, (a, p), (b, q) = SWAPPED
    net = Net()
    shape(net)
    (c, r), (d, s) = net.ports[a][p], net.ports[b][q]
    at(net, a, p, d, s)
    at(net, b, q, c, r)
    said = found(net)
    return tell("two swapped cables", [words for code, where, words in said
                                       if code != "cables-swapped" or not where >= {(a, p), (b, q), (c, r), (d, s)}]
                or not said)


def judge_chip():
    shape, chip, ports = CHIP
    net = Net()
    shape(net)
    for p in ports:
        net.pull(chip, p)
    said = found(net)
    return tell("many traces of one chip, and empty slots", [
        words for _, where, words in said if not {name for name, _ in where} & {chip} or
        any(name != chip and "/S" in str(name) for name, _ in where)] or not said)


def judge_board():
    """The slot of the board is empty, and others beside it are not."""
    shape, chip, _ = CHIP
    net = Net()
    shape(net)
    for p, end in enumerate(net.ports[chip]):
        if end:
            net.pull(chip, p)
    del net.ports[chip]
    said = found(net)
    return tell("a fabric board that is gone",
                [words for code, _, words in said if code != "board-missing" or "S05/U1 of" not in words] or
                len(said) != 1 and "not named")


def main():
    failed = sum(judge(name) for name in sys.argv[1:] or ROWS)
    if not sys.argv[1:]:
        failed += judge_moved() + judge_swapped() + judge_chip() + judge_board()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
