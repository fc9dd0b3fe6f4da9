# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Fabrics as sites let them grow, for infer_habits.py, in the manner of site_habits.py: leaves bought in lots of unlike
uplinks, a storage tree beside the compute tree, an old pod with half of the spines, login and visualisation leaves,
pods of rails of which the last one is part full, border leaves with gateways, racks in a chain, small full meshes,
two sites on a few long cables, directors that are the whole fabric, leaves of two makes under the same spines.
"""
from site_habits import (MODELS, Count, Habit, TooMany, director, host_names, leafs_of, mesh, spines_of, switch_names)


def start(r):
    return Habit(r), switch_names(r), host_names(r), Count()


def lots(r):
    """Leaves of several orders: each order has another number of hosts, and of cables to each spine."""
    f, names, hn, count = start(r)
    g = r.choice(["FDR", "EDR", "HDR"])
    sp = spines_of(f, names, r.choice([2, 3, 4]), g)
    first = 0
    for bundle in r.sample([1, 2, 3, 4], r.choice([2, 3, 4])):
        n = r.choice([3, 4, 6])
        le = leafs_of(f, r, names, hn, count, n, MODELS[g][1] // 2 - r.choice([0, 2, 4]), g, first=first)
        first += n
        mesh(f, le, sp, bundle, "4x" + g, "lot", known=False)
    f.wire()
    return f


def storage_tree(r):
    """A storage tree of its own, whose spines are joined to those of the compute tree."""
    f, names, hn, count = start(r)
    g, old = r.choice([("HDR", "EDR"), ("EDR", "FDR"), ("NDR", "HDR")])
    half = MODELS[g][1] // 2
    spines = r.choice([4, 6])
    le = leafs_of(f, r, names, hn, count, r.choice([8, 10, 12]), half, g)
    sp = spines_of(f, names, spines, g)
    mesh(f, le, sp, 2, "4x" + g, "compute")
    st = leafs_of(f, r, names, hn, count, r.choice([3, 4]), 12, old, word="stleaf")
    top = spines_of(f, names, 2, old, word="stspine")
    mesh(f, st, top, r.choice([3, 4]), "4x" + old, "storage")
    for t in top:
        for s in sp:
            f.bundle(t, s, 1, "4x" + old, "join", False)
    f.wire()
    return f


def old_pod(r):
    """Three levels; the oldest pod has half of the spines, with bundles of two."""
    f, names, hn, count = start(r)
    g = r.choice(["EDR", "HDR"])
    planes = r.choice([4, 6])
    co = spines_of(f, names, 2 * planes, g, 3, "core")
    nl = ns = 0
    for pod in range(r.choice([3, 4])):
        spines = planes // 2 if pod == 0 else planes
        n = r.choice([6, 8])
        le = leafs_of(f, r, names, hn, count, n, MODELS[g][1] // 2, g, first=nl)
        sp = spines_of(f, names, spines, g, first=ns)
        nl, ns = nl + n, ns + spines
        mesh(f, le, sp, 2 if pod == 0 else 1, "4x" + g, "pod")
        for i, s in enumerate(sp):
            for k in range(2 * planes // spines):
                f.bundle(s, co[(i * 2 * planes // spines + k) % len(co)], 2, "4x" + g, "core", pod > 0)
    f.wire()
    return f


def login_leaf(r):
    """A leaf for logins and one for visualisation, with few hosts and a cable to each spine."""
    f, names, hn, count = start(r)
    g = r.choice(["FDR", "EDR", "HDR"])
    sp = spines_of(f, names, r.choice([3, 4, 6]), g)
    b = MODELS[g][1] // 2 // len(sp)
    le = leafs_of(f, r, names, hn, count, r.choice([6, 8]), MODELS[g][1] - b * len(sp), g)
    mesh(f, le, sp, b, "4x" + g, "compute")
    for word in ("login", "viz")[:r.choice([1, 2])]:
        s = f.switch(MODELS[g][1], names(word, 0, MODELS[g][0]), 1)
        for i in range(r.choice([2, 4, 6])):
            f.host(hn(i, word), s, rate="4x" + g)
        for t in sp:
            f.bundle(s, t, 1, "4x" + g, word, False)
    f.wire()
    return f


def rail_pods(r):
    """Pods of machines with a port on each of several rail leaves; rail k of every pod is on the spines of rail k."""
    f, names, hn, count = start(r)
    rails, pods, spines, machines = r.choice([4, 8]), r.choice([2, 3]), r.choice([2, 3]), r.choice([8, 12, 16])
    sp = [spines_of(f, names, spines, "NDR", first=k * spines) for k in range(rails)]
    b = -(-machines // spines // 2) + 1
    for pod in range(pods):
        le = [f.switch(64, names("leaf", pod * rails + k, "MQM9700"), 1) for k in range(rails)]
        for s in le:
            s.host_ports = 32
        for _ in range(machines if pod < pods - 1 else r.randrange(1, machines)):
            n = count()
            for k in range(rails):
                f.host(hn(n, hca_name="mlx5_%d" % k), le[k], rate="4xNDR")
        for k in range(rails):
            mesh(f, le[k:k + 1], sp[k], b, "4xNDR", "rail")
    f.wire()
    return f


def border_leafs(r):
    """Two border leaves with gateways on them, joined to all spines and to each other."""
    f, names, hn, count = start(r)
    g = r.choice(["EDR", "HDR"])
    sp = spines_of(f, names, r.choice([2, 4]), g)
    b = r.choice([3, 4])
    le = leafs_of(f, r, names, hn, count, r.choice([5, 8]), MODELS[g][1] // 2, g)
    mesh(f, le, sp, b, "4x" + g, "compute")
    pair = [f.switch(MODELS[g][1], names("border", i, MODELS[g][0]), 1) for i in range(2)]
    for i in range(r.choice([2, 4])):
        for k, s in enumerate(pair):
            f.host("gw%02d mlx5_%d" % (i + 1, k), s, rate="4x" + g)
    mesh(f, pair, sp, r.choice([1, 2]), "4x" + g, "border", False)
    f.bundle(pair[0], pair[1], r.choice([1, 2, 4]), "4x" + g, "pair", False)
    f.wire()
    return f


def chain(r):
    """Racks in a chain, with some cables from each to the next one."""
    f, names, hn, count = start(r)
    g = r.choice(["QDR", "FDR", "EDR"])
    b = r.choice([2, 3, 6])
    le = leafs_of(f, r, names, hn, count, r.choice([2, 3, 4, 5]), MODELS[g][1] - 2 * b, g)
    for one, other in zip(le, le[1:]):
        f.bundle(one, other, b, "4x" + g, "next", False)
    f.wire()
    return f


def small_mesh(r):
    """A few switches all cabled to each other."""
    f, names, hn, count = start(r)
    g = r.choice(["FDR", "EDR", "HDR"])
    n = r.choice([3, 4, 5, 6])
    b = r.choice([b for b in (1, 2, 3, 4) if b * (n - 1) <= 18])
    le = leafs_of(f, r, names, hn, count, n, MODELS[g][1] - b * (n - 1), g)
    for i, one in enumerate(le):
        for other in le[:i]:
            f.bundle(other, one, b, "4x" + g, "mesh", n > 4 and b > 1)
    f.wire()
    return f


def two_sites(r):
    """Two trees, with a switch for long cables on each side."""
    f, names, hn, count = start(r)
    g = r.choice(["FDR", "EDR"])
    ends = []
    for site in range(2):
        n, spines = r.choice([4, 6, 8]), r.choice([2, 3])
        le = leafs_of(f, r, names, hn, count, n, 18, g, first=10 * site)
        sp = spines_of(f, names, spines, g, first=10 * site)
        mesh(f, le, sp, 36 // n // spines or 1 if n * spines <= 12 else 2, "4x" + g, "site", n > 4)
        end = f.switch(36, names("long", site, "TX6100"), 2)
        for s in sp:
            f.bundle(end, s, 1, "4xQDR", "to long", False)
        ends.append(end)
    f.bundle(ends[0], ends[1], r.choice([1, 2, 4]), "4xFDR10", "long", False)
    f.wire()
    return f


def director_pair(r):
    """Two directors with all hosts on their boards, joined by a trunk between boards."""
    f, names, hn, count = start(r)
    g = r.choice(["QDR", "FDR"])
    boards = r.choice([4, 6])
    sides = [director(f, "dir%d" % (d + 1), g, 9, 18, 2, 1, range(boards))[0] for d in range(2)]
    trunk = r.choice([1, 2, 3])
    for one, other in zip(*sides):
        f.bundle(one, other, trunk, "4x" + g, "trunk", boards > 4)
    for chips in sides:
        for c in chips:
            for _ in range(18 - trunk - r.choice([0, 0, 1, 3])):
                f.host(hn(count()), c, rate="4x" + g)
    f.wire({"layout": "hosts first"})
    return f


def two_makes(r):
    """Leaves of two makes under the same spines, of unlike ports, rates and bundles."""
    f, names, hn, count = start(r)
    sp = spines_of(f, names, r.choice([3, 4, 5]), "HDR")
    first = 0
    for g, b in (("EDR", 3), ("HDR", r.choice([2, 4]))):
        n = r.choice([4, 5, 6])
        if len(sp) * b > 20:
            raise TooMany("uplinks")
        le = leafs_of(f, r, names, hn, count, n, 16, g, first=first)
        first += n
        mesh(f, le, sp, b, "4x" + g, g)
    f.wire()
    return f


GROWN = (lots, storage_tree, old_pod, login_leaf, rail_pods, border_leafs, chain, small_mesh, two_sites, director_pair, two_makes)
