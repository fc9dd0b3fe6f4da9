#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Large fabrics as they are found in production, which are no plain trees: planes with several spines of each pod, pods of
unlike size, service leaves with other uplinks, storage leaves of another rate, an island of an older make, cascaded
leaves, hosts on two rails, directors with empty slots and unlike boards. Wired port by port as people do, by names that
say something or nothing. Some cables are pulled, some hosts are off, a spine may be dead; then the design is inferred, and
ftcheck must name every pulled cable by its ports, and nothing else from a warning on, in sentences that can be read.

  infer_production.py [--seed N] [--rounds N] [--replay SEED:ROUND] [--keep DIR] [-v]
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

from fabric import Fabric, Node, lids_by_port  # noqa: E402
from production_sites import MORE_ADDED, MORE_BASES, TooLarge, least_ports, name_switches, turn_ports, write_ports  # noqa: E402

SENTENCE_MAX = 500
# In a small fabric with many faults no majority may be left to go by. A false finding is worse than a missed one.
FALSE_SHARE = 50
MISSED_SHARE = 8
# One in so many rounds is inferred again, in another order.
ORDERS_SHARE = 5
SWITCH_GUID, HOST_GUID, SYSTEM_GUID = 0x0002C90300100000, 0x0002C90300800000, 0x0002C90300F00000


class Site:
    """A fabric in the making. Switches and hosts by name."""

    def __init__(self, rng):
        self.rng = rng
        self.fabric = Fabric()
        self.of = {}  # name -> Node
        self.regular = []  # (name, port): cables of which enough are alike to miss one
        self.spines = []  # names of switches that may die
        self.rate = rng.choice(["4xHDR", "4xEDR", "4xFDR", "4xNDR", "4xQDR"])
        self.features = []

    def switch(self, name, ports, system=0):
        node = Node("S", SWITCH_GUID + 16 * len(self.of), ports, name.encode(), len(self.of) + 1, system)
        self.of[name] = self.fabric.add(node)
        return name

    def cable(self, a, p, b, q, rate=None, regular=True):
        self.fabric.link(self.of[a].guid, p, self.of[b].guid, q, rate or self.rate)
        if regular:
            self.regular.append((a, p))

    def free(self, name, last=False):
        return self.of[name].free_ports()[-1 if last else 0]

    def host(self, name, switch, port, rate=None, rails=1):
        """Its next port on that switch. @rails: how many it has."""
        if name not in self.of:
            guid = HOST_GUID + 16 * len(self.of)
            self.of[name] = self.fabric.add(Node("H", guid, rails, name.encode(), 0x4000 + len(self.of), guid))
        node = self.of[name]
        self.fabric.link(self.of[switch].guid, port, node.guid, len(node.links) + 1, rate or self.rate)

    def text(self, order):
        return lids_by_port(self.fabric.write(order=order))

    def hosts(self, switch, count, prefix="cn", rate=None):
        for k in range(count):
            self.host("%s%05d HCA-1" % (prefix, len(self.of)), switch, k + 1, rate)


# ---- what a fabric is made of ----


def leaf_names(rng, count):
    way = rng.choice(["leaf%03d", "isw-r%02d", "ib-leaf-%d", "swl%02d"])
    return [way % (i + 1) for i in range(count)]


def two_levels(rng, site):
    """Leaves and cores; some leaves may be service leaves with other uplinks, or for storage at another rate."""
    leaves, cores = rng.randint(10, 40), rng.choice([2, 2, 4, 6, 9, 12, 18])
    width = max(1, rng.choice([18, 16, 20]) // cores)
    hosts = rng.choice([16, 18, 20, 24])
    service = rng.choice([0, 0, 3, 4, 8])
    service_width = rng.choice([w for w in (2 * width, width + 1, max(1, width // 2)) if w != width] or [2])
    unlike = rng.random() < 0.3 and width > 1
    ports = 36 if hosts + cores * width <= 36 else 40 if hosts + cores * width <= 40 else 64
    names = leaf_names(rng, leaves)
    core_ports = least_ports(leaves * width + service * service_width + 12)
    core = [site.switch("core%02d" % (c + 1), core_ports) for c in range(cores)]
    site.spines += core
    for number, name in enumerate(names):
        site.switch(name, ports)
        site.hosts(name, hosts)
        for c in range(cores):
            mine = width - (unlike and c >= cores // 2)
            for k in range(mine):
                site.cable(name, hosts + 1 + c * width + k, core[c], 1 + number * width + k)
    storage = service and rng.random() < 0.5
    for number in range(service):
        name = site.switch("srv%02d" % (number + 1), 64)
        rate = {"4xHDR": "4xEDR", "4xEDR": "4xFDR"}.get(site.rate) if storage else None
        site.hosts(name, rng.randint(6, 10), "io", rate)
        for c in range(cores):
            for k in range(service_width):
                site.cable(name, 13 + c * service_width + k if cores * service_width <= 51 else site.free(name), core[c],
                           1 + leaves * width + number * service_width + k, rate)
    if service:
        site.features.append("%d %s leaves" % (service, "storage" if storage else "service"))
    return names, core


def three_levels(rng, site):
    """Pods of leaves and spines; planes of cores, each with one or several spines of each pod."""
    pods, per_plane, planes = rng.randint(3, 10), rng.choice([1, 2, 2, 4, 8]), rng.choice([1, 2, 2, 4, 5])
    while per_plane * planes > 20:
        planes = max(1, planes // 2)
    while per_plane * planes < 2:
        planes += 1
    spines, wide, up = per_plane * planes, rng.choice([1, 1, 2]), rng.choice([1, 1, 2])
    cores, hosts, size = rng.randint(4, 12), rng.choice([16, 18, 20]), rng.randint(4, 10)
    sizes = [size] * pods
    for i in range(rng.choice([0, 0, 1, 2])):
        sizes[-1 - i] = rng.randint(max(2, size // 2), size)
    if len(set(sizes)) > 1:
        site.features.append("unlike pods")
    site.features.append("%d planes of %d spines of each of %d pods" % (planes, per_plane, pods))
    ports = 36 if hosts + spines * wide <= 36 else 64 if hosts + spines * wide <= 64 else 96
    spine_ports = 36 if size * wide + cores * up <= 34 else 64
    core_ports = least_ports(pods * per_plane * up + 2)
    core = [[site.switch("core%03d" % (p * cores + c + 1), core_ports) for c in range(cores)] for p in range(planes)]
    names = leaf_names(rng, sum(sizes))
    at = 0
    tops = []
    for pod, count in enumerate(sizes):
        spine = [site.switch("spine%03d" % (pod * spines + s + 1), spine_ports) for s in range(spines)]
        tops += spine
        for number in range(count):
            name = site.switch(names[at], ports)
            at += 1
            site.hosts(name, hosts)
            for s in range(spines):
                for k in range(wide):
                    site.cable(name, hosts + 1 + s * wide + k, spine[s], 1 + number * wide + k)
        for s in range(spines):
            for c in range(cores):
                for k in range(up):
                    site.cable(spine[s], size * wide + 1 + c * up + k, core[s // per_plane][c],
                               1 + (pod * per_plane + s % per_plane) * up + k)
    site.spines += [c for plane in core for c in plane] + tops
    if rng.random() < 0.3:
        site.features.append("hosts on two spines")
        for name in tops[:2]:
            for k in range(min(3, len(site.of[name].free_ports()))):
                site.host("mgmt%d%s HCA-1" % (k, name), name, site.free(name, last=True))
    return names, [c for plane in core for c in plane]


DIRECTORS = ((12, 6, 3, "IS5200"), (18, 9, 2, "CS7510"), (36, 18, 1, "SX6536"))


def directors(rng, site):
    """Leaves on one or more directors of which not all slots are filled."""
    slots, fabric, traces, model = rng.choice(DIRECTORS)
    count, outer = rng.choice([1, 2, 2, 3]), 18
    lines = sorted(rng.sample(range(1, slots + 1), rng.randint(slots // 2, slots)))
    half = rng.random() < 0.3 and fabric > 6
    if half:
        site.features.append("unlike boards")
    site.features.append("%d directors with %d of %d line boards" % (count, len(lines), slots))
    tops = []
    for d in range(count):
        system = SYSTEM_GUID + 256 * d
        spine = [site.switch("MF0;dir%d:%s/S%02d/U1" % (d + 1, model, s + 1), 36, system) for s in range(fabric)]
        boards = [site.switch("MF0;dir%d:%s/L%02d/U1" % (d + 1, model, n), 36, system) for n in lines]
        for i, (n, board) in enumerate(zip(lines, boards)):
            for s in range(fabric):
                # The last two boards are of a make with half of the traces.
                if half and i >= len(boards) - 2 and s % 2:
                    continue
                for k in range(traces):
                    site.cable(board, outer + 1 + s * traces + k, spine[s], 1 + (n - 1) * traces + k)
        tops.append(boards)
    leaves = rng.randint(8, max(9, min(40, len(lines) * outer // 8)))
    width = max(1, 18 // count // rng.choice([1, 2]))
    width = min(width, len(lines) * outer // leaves)
    names = leaf_names(rng, leaves)
    taken = [0] * count
    for name in names:
        site.switch(name, 36)
        site.hosts(name, 18)
        for d in range(count):
            for k in range(width):
                board, port = divmod(taken[d], outer)
                taken[d] += 1
                site.cable(name, 19 + d * width + k, tops[d][board], port + 1)
    if rng.random() < 0.4:
        site.features.append("hosts on the boards")
        for boards in tops:
            for board in boards[(taken[0] + outer - 1) // outer:]:
                for k in range(rng.randint(4, outer)):
                    site.host("cn%05d HCA-1" % len(site.of), board, k + 1)
    return names, []


def four_post(rng, site):
    """Clusters of racks on four switches, which are a ring, and a ring of four above them."""
    clusters, racks, hosts = rng.randint(3, 8), rng.randint(8, 24), rng.randint(16, 24)
    ring, core_ring, up = rng.choice([4, 8]), rng.choice([8, 16]), rng.choice([1, 2, 4])
    ports = least_ports(racks + 4 * up + 2 * ring)
    core = [site.switch("fc%d" % (c + 1), least_ports(clusters * 4 * up + 2 * core_ring)) for c in range(4)]
    names = []
    for cluster in range(clusters):
        csw = [site.switch("csw%02d-%d" % (cluster + 1, s + 1), ports) for s in range(4)]
        for number in range(racks):
            names.append(site.switch("rsw%02d-%02d" % (cluster + 1, number + 1), 36))
            site.hosts(names[-1], hosts)
            for s in range(4):
                site.cable(names[-1], hosts + 1 + s, csw[s], 1 + number)
        for s in range(4):
            for c in range(4):
                for k in range(up):
                    site.cable(csw[s], racks + 1 + c * up + k, core[c], 1 + (cluster * 4 + s) * up + k)
            for k in range(ring):
                site.cable(csw[s], ports - k, csw[(s + 1) % 4], ports - ring - k)
    for c in range(4):
        last = site.of[core[c]].ports
        for k in range(core_ring):
            site.cable(core[c], last - k, core[(c + 1) % 4], last - core_ring - k)
    site.features.append("rings")
    return names, core


def rails(rng, site):
    """Hosts with a port on each of two trees, which may share their cores or have no cable between them."""
    leaves, cores, hosts, width = rng.randint(6, 20), rng.choice([2, 3, 6]), rng.choice([16, 18]), 0
    width = 18 // cores
    apart = rng.random() < 0.5
    site.features.append("two rails, %s" % ("two trees" if apart else "one tree"))
    names = []
    ports = least_ports(leaves * width * (1 if apart else 2) + 2)
    for rail in range(2):
        if rail == 0 or apart:
            core = [site.switch("core-%s%d" % ("ab"[rail], c + 1), ports) for c in range(cores)]
            site.spines += core
        for number in range(leaves):
            name = site.switch("leaf-%s%02d" % ("ab"[rail], number + 1), 36)
            names.append(name)
            for k in range(hosts):
                site.host("gpu%03d mlx5" % (number * hosts + k), name, k + 1, rails=2)
            for c in range(cores):
                for k in range(width):
                    site.cable(name, 19 + c * width + k, core[c],
                               1 + (number + (0 if apart else rail * leaves)) * width + k)
    return names, core


# ---- what was added later ----


def island(rng, site, names, tops):
    """Switches of an older make, with a few cables to two cores."""
    if not tops or site.rate == "4xQDR" and rng.random() < 0.3:
        return
    tops = [t for t in tops if len(site.of[t].free_ports()) > 2][:2]
    if not tops:
        return
    rate = "4xDDR" if site.rate in ("4xQDR", "4xFDR") else "4xQDR"
    top = [site.switch("old-core%d" % (t + 1), 24) for t in range(2)]
    for number in range(rng.randint(3, 5)):
        leaf = site.switch("old-leaf%d" % (number + 1), 24)
        site.hosts(leaf, 14, "old", rate)
        for t in range(2):
            for k in range(4):
                site.cable(leaf, 15 + 4 * t + k, top[t], 1 + 4 * number + k, rate)
    for t in range(2):
        for k in range(2):
            site.cable(top[t], 23 + k, tops[t % len(tops)], site.free(tops[t % len(tops)], True), rate, regular=False)
    site.features.append("an old island")


def cascade(rng, site, names, tops):
    """A leaf behind another leaf."""
    behind = rng.choice(names)
    wide = rng.randint(1, 3)
    if len(site.of[behind].free_ports()) < wide:
        for port in list(site.of[behind].links)[:wide]:
            site.fabric.remove(site.of[behind].links[port][0])
    name = site.switch("annex1", 36)
    for k in range(wide):
        site.cable(behind, site.free(behind), name, 36 - k, regular=False)
    site.hosts(name, rng.randint(10, 27), "ann")
    site.features.append("a cascaded leaf on %d cables" % wide)


def managers(rng, site, names, tops):
    """A management switch with a cable to each of two cores, and a few hosts."""
    tops = [t for t in tops if site.of[t].free_ports()][:2]
    if len(tops) < 2:
        return
    name = site.switch("mgmt-sw1", 36)
    site.hosts(name, rng.randint(3, 8), "adm")
    for k, top in enumerate(tops):
        site.cable(name, 35 + k, top, site.free(top, True), regular=False)
    site.features.append("a management switch")


BASES = {f.__name__: f for f in (two_levels, three_levels, directors, rails, four_post) + MORE_BASES}
ADDED = (island, cascade, managers) + MORE_ADDED


# ---- faults ----


def pull(rng, site, count):
    """Cables that are missing: Counter of {frozenset of two GUIDs}, and their ends."""
    pulled, ends = collections.Counter(), []
    for name, port in rng.sample(site.regular, min(count, len(site.regular) // 20)):
        guid = site.of[name].guid
        if port not in site.of[name].links:
            continue
        far, far_port = site.of[name].links[port]
        rate = site.fabric.unlink(guid, port)
        if len(site.of[name].links) == 0 or len(site.fabric.nodes[far].links) == 0:
            site.fabric.link(guid, port, far, far_port, rate)
            continue
        pulled[frozenset((guid, far))] += 1
        ends.append(((guid, port), (far, far_port)))
    return pulled, ends


class Round:
    def __init__(self, seed, number):
        rng = random.Random("production:%d:%d" % (seed, number))
        while True:
            self.site = site = Site(rng)
            self.base = rng.choice(sorted(BASES))
            try:
                names, tops = BASES[self.base](rng, site)
                break
            except TooLarge:
                pass
        for add in ADDED:
            if rng.random() < 0.12:
                add(rng, site, names, tops)
        turn_ports(rng, site)
        self.dead = None
        if site.spines and rng.random() < 0.15:
            name = rng.choice(site.spines)
            self.dead = site.of[name].guid
            site.regular = [(a, p) for a, p in site.regular if a != name and p in site.of[a].links and
                            site.of[a].links[p][0] != self.dead]
            self.peers = {far for far, _ in site.of[name].links.values()}
            site.fabric.remove(self.dead)
            site.features.append("%s is dead" % name)
        self.pulled, self.ends = pull(rng, site, rng.choice([0, 1, 2, 3, 5, 8, 12, 20]))
        share = rng.choice([0, 0.01, 0.04])
        for host in site.fabric.hosts():
            if rng.random() < share:
                site.fabric.remove(host.guid)
        self.way = name_switches(rng, site)
        nodes = list(site.fabric.nodes)
        rng.shuffle(nodes)
        self.order = nodes
        self.listed = rng.random() < 0.3

    def describe(self):
        return "%s, %d switches, %s: %s; %d pulled" % (
            self.base, len(self.site.fabric.switches()), self.way, ", ".join(self.site.features) or "plain",
            sum(self.pulled.values()))


def run(program, *arguments, stdin=b""):
    return subprocess.run([program, *arguments], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


class Campaign:
    def __init__(self, options):
        self.options = options
        build = os.environ.get("FT_BUILDDIR", ".")
        self.ftplan, self.ftcheck = (os.path.join(build, name) for name in ("ftplan", "ftcheck"))
        self.tally = collections.Counter()

    def round(self, number):
        fabric = Round(self.options.seed, number)
        text = fabric.site.text(fabric.order)
        if fabric.listed:
            text = b"\n".join(write_ports(fabric.site, fabric.order)) + b"\n"
        if self.options.keep:
            with open(os.path.join(self.options.keep, "%d-%d.net" % (self.options.seed, number)), "wb") as file:
                file.write(text)
        inferred = run(self.ftplan, "--infer", "-", stdin=text)
        words = []
        if inferred.returncode:
            self.tally["refused"] += 1
            words.append("refused: %s" % inferred.stderr.decode().strip())
        else:
            with tempfile.NamedTemporaryFile(prefix="ftcheck-production.") as file:
                file.write(text)
                file.flush()
                done = run(self.ftcheck, "--plan", "-", "--from", file.name, "--format", "json", stdin=inferred.stdout)
            words += self.judge(fabric, json.loads(done.stdout)["findings"])
            if number % ORDERS_SHARE == 0 and not fabric.listed:
                words += self.reorder(fabric, inferred.stdout)
        topology = "" if inferred.returncode else json.loads(inferred.stdout)["topology"]
        if words or self.options.verbose:
            print("%d:%d %s, as %s" % (self.options.seed, number, fabric.describe(), topology))
            print("".join("  %s\n" % word[:600] for word in words[:self.options.lines]), end="")
        self.tally["wrong rounds"] += any(not w.startswith("untold") for w in words)
        sys.stdout.flush()

    def reorder(self, fabric, design):
        """The same fabric with its records in another order has the same design."""
        order = list(reversed(fabric.order))
        again = run(self.ftplan, "--infer", "-", stdin=fabric.site.text(order))
        self.tally["reordered"] += 1
        if again.stdout == design:
            return []
        self.tally["false"] += 1
        return ["false: another design of the same fabric in another order"]

    def judge(self, fabric, findings):
        words = []
        left = collections.Counter(fabric.pulled)
        ends = {end for pair in fabric.ends for end in pair}
        dead = fabric.dead
        for finding in findings:
            if len(finding["text"]) > SENTENCE_MAX:
                self.tally["long"] += 1
                words.append("long: %s" % finding["text"])
            if finding["severity"] == "info":
                continue
            if finding["code"] == "core-missing" and dead:
                dead = None
                continue
            named = self.pairs(finding, left, ends) if finding["code"] == "cable-missing" else 0
            self.tally["named"] += named
            if named < finding["count"]:
                self.tally["false"] += 1
                words.append("false: %s: %s" % (finding["code"], finding["text"]))
        for pair, count in left.items():
            if count:
                self.tally["missed"] += count
                words.append("missed: %s x %d" % (" - ".join(
                    "%s%s" % (fabric.site.fabric.nodes[g].description.decode(),
                              [p for e in fabric.ends for h, p in e if h == g]) for g in sorted(pair)), count))
        if fabric.dead:
            self.tally["untold dead" if dead else "told dead"] += 1
            if dead:
                words.append("untold: the dead spine")
        return words

    @staticmethod
    def pairs(finding, left, ends):
        """How many of a finding's cables were pulled, which it takes from @left."""
        guids = sorted({int(place["guid"], 16) for place in finding["where"] if place.get("guid")})
        named = 0
        for i, a in enumerate(guids):
            for b in guids[:i]:
                pair = frozenset((a, b))
                taken = min(left[pair], finding["count"] - named)
                left[pair] -= taken
                named += taken
        return named

    def run(self):
        start = time.monotonic()
        numbers = [int(self.options.replay.split(":")[1])] if self.options.replay else range(self.options.rounds)
        for number in numbers:
            self.round(number)
        print("infer production: seed %d, %d rounds: %s in %.1f s" % (
            self.options.seed, len(numbers), ", ".join("%d %s" % (self.tally[key], key) for key in sorted(self.tally)),
            time.monotonic() - start))
        named = self.tally["named"]
        return 1 if self.tally["refused"] or self.tally["long"] or self.tally["false"] * FALSE_SHARE > named or \
            self.tally["missed"] * MISSED_SHARE > named else 0


def main():
    parser = argparse.ArgumentParser(description="Infers large fabrics as they are found in production.")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("FT_SEED", "1")))
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("FT_RUNS", "60")))
    parser.add_argument("--replay", metavar="SEED:ROUND")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--lines", type=int, default=5)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    if options.replay:
        options.seed = int(options.replay.split(":")[0])
    sys.exit(Campaign(options).run())


if __name__ == "__main__":
    main()
