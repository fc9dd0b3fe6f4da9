# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Random networks of many shapes, as any graph: switches, hosts, cables, and groups that can fail as a whole. For
campaign_graph.py.

A graph writes its own design file ("topology": "graph"; trees also as "fat-tree") and its own fabric, so that nothing of
what is tested takes part in making up what should be found.
"""
import collections
import itertools
import json
import os
import re
import subprocess

import oracle
from fabric import Fabric, Node

RATE = "4xHDR"


class Switch:
    def __init__(self, name, kind, hosts, spare):
        self.name, self.kind, self.hosts, self.spare = name, kind, hosts, spare


class Graph:
    """A network as it is planned."""

    def __init__(self, family):
        self.family = family
        self.switches = {}  # name -> Switch, in the plan's order
        self.cables = collections.Counter()  # (a, b), the earlier switch first -> cables
        self.groups = []  # sets of names: pods, rings' halves, chains …
        self.tree = None  # the same as a fat-tree design, where it is one
        self.tree_only = False  # what a graph's design cannot say: rates of classes
        self.tree_named = False  # as a fat-tree it needs names: those of islands
        self.rates = {}  # switch -> the rate of its cables, of those that are slower than the others

    def add(self, name, kind="switch", hosts=0, spare=4):
        self.switches[name] = Switch(name, kind, hosts, spare)
        return name

    def link(self, a, b, count=1):
        """The order of a pair is that in which it was first named."""
        if count:
            self.cables[(b, a) if (b, a) in self.cables else (a, b)] += count

    def degree(self, name):
        return sum(n for pair, n in self.cables.items() if name in pair)

    def ports(self, name):
        switch = self.switches[name]
        return switch.hosts + self.degree(name) + switch.spare

    def plan(self):
        plan = oracle.Plan()
        for switch in self.switches.values():
            plan.add(switch.name, switch.kind, switch.hosts)
        for (a, b), count in self.cables.items():
            plan.link(a, b, count)
        return plan

    def is_connected(self):
        return len(self.plan().parts(set(self.switches))) == 1

    # The design file

    def design(self, rng, guids=None):
        """In the compact form, or name by name; @guids: name -> GUID, of switches that are to be told by it."""
        design = {"ftcheck": 1, "name": "campaign", "topology": "graph",
                  "switches": self.design_switches(rng.random() < 0.7, guids or {}),
                  "links": self.design_links(rng.random() < 0.7)}
        if rng.random() < 0.5:
            design["rate"] = RATE
        return design

    def design_switches(self, compact, guids):
        result = []
        for switch in self.switches.values():
            entry = {"kind": switch.kind, "ports": self.ports(switch.name), "hosts": switch.hosts}
            if switch.name in guids:
                entry["guid"] = "0x%016x" % guids[switch.name]
            last = result[-1] if result else None
            if compact and last and "guid" not in entry and {k: last[k] for k in last if k != "name"} == entry:
                last["name"].append(switch.name)
            else:
                result.append(dict(entry, name=[switch.name]))
        return [dict(entry, name=ranges(entry["name"])) for entry in result]

    def design_links(self, compact):
        if not compact:
            return [{"a": a, "b": b, "count": n} for (a, b), n in self.cables.items()]
        far = collections.defaultdict(list)
        for (a, b), n in self.cables.items():
            far[a, n].append(b)
        near = collections.defaultdict(list)
        for (a, n), others in far.items():
            near[tuple(others), n].append(a)
        return [{"a": ranges(a), "b": ranges(list(others)), **({"count": n} if n > 1 else {})}
                for (others, n), a in near.items()]

    def rate(self, *names):
        return next((self.rates[n] for n in names if n in self.rates), RATE)

    # The fabric

    def fabric(self, rng):
        """As planned: hosts first, then cables, or without a pattern. Names are the plan's."""
        fabric, next_host = Fabric(), 0x200001
        for number, name in enumerate(self.switches):
            fabric.add(Node("S", 0x100001 + number, self.ports(name), name.encode(), 1 + number))
        guid = {n.description.decode(): n.guid for n in fabric.switches()}
        patternless = rng.random() < 0.3
        free = {}
        for name, node in zip(self.switches, fabric.switches()):
            free[name] = list(range(1, node.ports + 1))
            if patternless:
                rng.shuffle(free[name])
        for switch in self.switches.values():
            for _ in range(switch.hosts):
                number = (next_host - 0x200001) // 2 + 1
                host = fabric.add(Node("H", next_host, 1, b"node%03d" % number, 10000 + number))
                fabric.link(guid[switch.name], free[switch.name].pop(0), host.guid, 1, self.rate(switch.name))
                next_host += 2
        pairs = [pair for pair, n in self.cables.items() for _ in range(n)]
        for a, b in pairs:
            fabric.link(guid[a], free[a].pop(0), guid[b], free[b].pop(0), self.rate(a, b))
        return fabric


def ranges(names):
    """"sw-[0-3]" of sw-0 to sw-3; a string where it is one, else a list."""
    result = []
    for name in names:
        match = re.fullmatch(r"(.*?)(\d+)", name)
        if match and result and isinstance(result[-1], list):
            prefix, first, last = result[-1]
            if prefix == match[1] and len(match[2]) == len(first) and int(match[2]) == int(last) + 1:
                result[-1][2] = match[2]
                continue
        result.append([match[1], match[2], match[2]] if match else name)
    words = [w if isinstance(w, str) else w[0] + w[1] if w[1] == w[2] else "%s[%s-%s]" % tuple(w) for w in result]
    return words[0] if len(words) == 1 else words


# Families


def random_regular(rng):
    """A simple graph in which each switch has the same number of neighbours, by pairing ends at random."""
    graph = Graph("random")
    degree = rng.randint(3, 6)
    count = rng.randint(degree + 3, 28)
    count += degree * count % 2
    names = [graph.add("sw%02d" % i, hosts=0) for i in range(count)]
    hosts = rng.randint(1, 5)
    for name in names:
        graph.switches[name].hosts = hosts
    for pair in pairing(rng, names, degree):
        graph.link(*pair)
    return graph


def pairing(rng, names, degree):
    while True:
        ends = names * degree
        rng.shuffle(ends)
        pairs = {}
        while ends:
            a = ends.pop()
            others = [i for i, b in enumerate(ends) if b != a and frozenset((a, b)) not in pairs]
            if not others:
                break
            b = ends.pop(rng.choice(others))
            pairs[frozenset((a, b))] = min(a, b), max(a, b)
        else:
            return sorted(pairs.values())


def grid(rng, graph, dims, wrap, bundles, hosts):
    names = {}
    for at in itertools.product(*(range(d) for d in dims)):
        names[at] = graph.add("sw-" + "-".join(map(str, at)), hosts=hosts)
    for at, name in names.items():
        for axis, size in enumerate(dims):
            if at[axis] + 1 < size or (wrap and size > 1):
                far = at[:axis] + ((at[axis] + 1) % size,) + at[axis + 1:]
                graph.link(name, names[far], bundles[axis])
    for axis, size in enumerate(dims):
        for value in range(size):
            graph.groups.append({n for at, n in names.items() if at[axis] == value})
    return graph


def torus(rng):
    dims = rng.choice([[3, 3], [3, 4], [4, 4], [4, 6], [5, 5], [3, 3, 3], [2, 3, 4], [6, 2], [2, 2, 2, 3]])
    return grid(rng, Graph("torus"), dims, True, [rng.randint(1, 3) for _ in dims], rng.randint(1, 6))


def mesh(rng):
    dims = rng.choice([[3, 3], [3, 5], [4, 4], [6, 2], [3, 3, 3], [5, 5]])
    return grid(rng, Graph("mesh"), dims, False, [rng.randint(1, 3) for _ in dims], rng.randint(1, 6))


def hypercube(rng):
    dims = [2] * rng.randint(3, 5)
    return grid(rng, Graph("hypercube"), dims, False, [rng.randint(1, 2)] * len(dims), rng.randint(1, 5))


def ring(rng):
    graph = Graph("ring")
    count, bundle, hosts = rng.randint(3, 12), rng.randint(1, 4), rng.randint(1, 8)
    names = [graph.add("ring%02d" % (i + 1), hosts=hosts) for i in range(count)]
    for i, name in enumerate(names):
        graph.link(name, names[(i + 1) % count], bundle)
    graph.groups.append(set(names[1:1 + count // 3]))
    return graph


def hyperx(rng):
    graph = Graph("hyperx")
    rows, columns = rng.randint(2, 4), rng.randint(3, 5)
    hosts, bundles = rng.randint(1, 5), [rng.randint(1, 2), rng.randint(1, 2)]
    names = {(r, c): graph.add("hx-%d-%d" % (r, c), hosts=hosts) for r in range(rows) for c in range(columns)}
    for (r, c), name in names.items():
        for d in range(c + 1, columns):
            graph.link(name, names[r, d], bundles[0])
        for d in range(r + 1, rows):
            graph.link(name, names[d, c], bundles[1])
    graph.groups += [{n for (r, _), n in names.items() if r == row} for row in range(rows)]
    return graph


def dragonfly(rng):
    graph = Graph("dragonfly")
    routers, hosts = rng.randint(2, 5), rng.randint(1, 4)
    ends = rng.randint(1, 2)  # global cables of a router
    groups = rng.randint(3, min(9, routers * ends + 1))
    local, between = rng.randint(1, 2), max(1, routers * ends // (groups - 1))
    names = [[graph.add("g%02d-r%02d" % (g, r), hosts=hosts) for r in range(routers)] for g in range(groups)]
    for members in names:
        for a, b in itertools.combinations(members, 2):
            graph.link(a, b, local)
        graph.groups.append(set(members))
    used = collections.Counter()
    for g, h in itertools.combinations(range(groups), 2):
        for _ in range(between):
            graph.link(names[g][used[g] % routers], names[h][used[h] % routers])
            used.update((g, h))
    return graph


def tree_pods(graph, pods, edges, spines, bundle, hosts):
    """[(edges, spines) of each pod]"""
    result = []
    for p in range(pods):
        result.append(([graph.add("edge%03d" % (p * edges + i + 1), "edge", hosts) for i in range(edges)], []))
    for p in range(pods):
        result[p][1].extend(graph.add("spine%02d" % (p * spines + i + 1), "spine") for i in range(spines))
        for a in result[p][0]:
            for b in result[p][1]:
                graph.link(a, b, bundle)
        graph.groups.append(set(result[p][0] + result[p][1]))
    return result


def planes(rng):
    """Three levels, in which several spines of a pod share a plane of core switches, down to a single plane."""
    graph = Graph("planes")
    count = rng.choice([1, 1, 2, 2, 3, 4])
    spines = count * rng.choice([2, 2, 3, 4] if count < 3 else [1, 2])
    pods, edges, hosts = rng.randint(2, 5), rng.randint(2, 5), rng.randint(1, 6)
    bundle, spine_bundle, cores = rng.randint(1, 2), rng.randint(1, 2), rng.randint(2, 3)
    result = tree_pods(graph, pods, edges, spines, bundle, hosts)
    numbers = iter(range(1, count * cores + 1))
    for plane in range(count):
        tops = [graph.add("core%02d" % next(numbers), "core") for _ in range(cores)]
        for _, members in result:
            for j, spine in enumerate(members):
                if j // (spines // count) == plane:
                    for top in tops:
                        graph.link(spine, top, spine_bundle)
    down = edges * bundle
    graph.tree = {"levels": 3, "nodes": pods * edges * hosts, "pods": pods, "planes": count,
                  "edge": {"ports": graph.ports("edge001"), "count": pods * edges, "ports_to_nodes": hosts,
                           "ports_to_core": spines * bundle},
                  "spine": {"ports": graph.ports("spine01"), "count": pods * spines,
                            "ports_to_core": cores * spine_bundle},
                  "core": {"ports": graph.ports("core01"), "count": count * cores},
                  "bundle": {"edge": bundle, "spine": spine_bundle},
                  "blocking": {"edge": "%d:1" % max(1, hosts), "spine": "%d:1" % max(1, down)}}
    return graph


def classes(rng):
    """A tree of two levels, with leaves at the end that have other uplinks and hosts than most."""
    graph = Graph("classes")
    edges, cores, hosts, bundle = rng.randint(6, 16), rng.randint(2, 4), rng.randint(2, 8), rng.randint(1, 3)
    odd = [graph_class(rng, cores, bundle, hosts) for _ in range(rng.choice([1, 1, 2]))]
    rows = [([bundle] * cores, hosts)] * edges + [(row, h) for count, row, h in odd for _ in range(count)]
    names = [graph.add("edge%03d" % (i + 1), "edge", h) for i, (_, h) in enumerate(rows)]
    tops = [graph.add("core%02d" % (i + 1), "core") for i in range(cores)]
    for name, (row, _) in zip(names, rows):
        for top, n in zip(tops, row):
            graph.link(name, top, n)
    graph.groups.append(set(names[edges:]))
    graph.tree = {"nodes": sum(h for _, h in rows), "bundle": bundle, "blocking": "%d:1" % hosts,
                  "edge": {"ports": graph.ports("edge001"), "count": len(rows), "ports_to_nodes": hosts,
                           "ports_to_core": cores * bundle},
                  "core": {"ports": max(graph.ports(t) for t in tops), "count": cores},
                  "classes": [{"count": n, "hosts": h, "ports": h + sum(row) + 4,
                               "bundle": row[0] if len(set(row)) == 1 else row} for n, row, h in odd]}
    if rng.random() < 0.4:
        graph.tree_only = True
        graph.tree["classes"][-1]["rate"] = "4xEDR"
        graph.rates = {name: "4xEDR" for name in names[-odd[-1][0]:]}
    return graph


def graph_class(rng, cores, bundle, hosts):
    row = [bundle + rng.randint(0, 3) for _ in range(cores)]
    if rng.random() < 0.3:
        row = [0] + row[1:] if cores > 2 else row
    if row == [bundle] * cores:
        row[-1] += 2
    return rng.randint(2, 5), row, rng.choice([0, 1, 2, hosts])


def tree(rng):
    """A plain tree of two levels: what is expected of any other graph is seen in this one, too."""
    graph = Graph("tree")
    edges, cores, hosts, bundle = rng.randint(4, 16), rng.randint(2, 6), rng.randint(1, 8), rng.randint(1, 3)
    names = [graph.add("edge%03d" % (i + 1), "edge", hosts) for i in range(edges)]
    tops = [graph.add("core%02d" % (i + 1), "core") for i in range(cores)]
    for name in names:
        for top in tops:
            graph.link(name, top, bundle)
    graph.tree = {"nodes": edges * hosts, "bundle": bundle, "blocking": "%d:1" % max(1, hosts),
                  "edge": {"ports": graph.ports("edge001"), "count": edges, "ports_to_nodes": hosts,
                           "ports_to_core": cores * bundle},
                  "core": {"ports": graph.ports("core01"), "count": cores}}
    return graph


def islands(rng):
    """A tree of two levels and a management network beside it, which hangs on core or edge switches."""
    graph = tree(rng)
    graph.family = "islands"
    inside = [graph.add("mgmt%d" % (i + 1), "management", rng.randint(0, 3)) for i in range(rng.randint(2, 4))]
    bundles = [(a, b, rng.randint(1, 2)) for a, b in itertools.combinations(inside, 2)]
    bundles += [(rng.choice(inside), name, rng.randint(1, 2))
                for name in rng.sample([n for n, s in graph.switches.items() if s.kind in ("edge", "core")], 2)]
    for bundle in bundles:
        graph.link(*bundle)
    graph.groups.append(set(inside))
    graph.tree_named = True
    for kind in ("edge", "core"):
        names = [n for n, s in graph.switches.items() if s.kind == kind]
        most = max(map(graph.ports, names))
        graph.tree[kind]["ports"] = most
        for name in names:
            graph.switches[name].spare += most - graph.ports(name)
    graph.tree["islands"] = [{"name": "management", "switches": [
        {"name": n, "ports": graph.ports(n), "hosts": graph.switches[n].hosts} for n in inside],
        "bundles": [{"a": a, "b": b, "count": n} for a, b, n in bundles]}]
    return graph


def irregular(rng):
    """A tree that grew: leaves behind leaves, pods of unlike size, a management network beside it."""
    graph = Graph("irregular")
    tops = [graph.add("core%d" % (i + 1), "core") for i in range(rng.randint(2, 4))]
    leaves = []
    for i in range(rng.randint(5, 12)):
        leaves.append(graph.add("leaf%02d" % (i + 1), "leaf", rng.choice([2, 4, 4, 6])))
        for top in tops:
            graph.link(leaves[-1], top, rng.choice([1, 2, 2, 2, 3]))
    for i in range(rng.randint(1, 3)):
        # A chain of leaves that hang on a leaf, or on two.
        above = rng.sample(leaves, rng.choice([1, 1, 2]))
        chain = set()
        for k in range(rng.randint(1, 2)):
            name = graph.add("far%d-%d" % (i + 1, k + 1), "leaf", rng.randint(1, 5))
            for up in above:
                graph.link(name, up, rng.randint(1, 3))
            chain.add(name)
            above = [name]
        graph.groups.append(chain)
    if rng.random() < 0.7:
        island = [graph.add("mgmt%d" % (i + 1), "management", rng.choice([0, 1, 2])) for i in range(rng.randint(2, 3))]
        for a, b in itertools.combinations(island, 2):
            graph.link(a, b, rng.randint(1, 2))
        for name in rng.sample(tops, 2):
            graph.link(island[0], name)
        graph.groups.append(set(island))
    return graph


def full(rng):
    """All to all."""
    graph = Graph("full")
    count, bundle, hosts = rng.randint(3, 9), rng.randint(1, 3), rng.randint(1, 6)
    names = [graph.add("sw%d" % i, hosts=hosts) for i in range(count)]
    for a, b in itertools.combinations(names, 2):
        graph.link(a, b, bundle)
    return graph


# What ftplan makes of a few words. Their graphs are checked elsewhere (test_families*.c, families_reference.py).

def planned(rng, family, keys, hosts):
    """The network of a family, with some ports left over; half of the rounds take these words for their design."""
    edge = {"ports": 254, **keys.pop("edge", {}), "ports_to_nodes": hosts}
    design = {"ftcheck": 1, "name": "campaign", "topology": family, "edge": edge, **keys}
    done = subprocess.run([os.path.join(os.environ.get("FT_BUILDDIR", "."), "ftplan"), "--format", "json", "-"],
                          input=json.dumps(design).encode(), stdout=subprocess.PIPE, check=True)
    plan = json.loads(done.stdout)["plan"]
    graph = Graph(family)
    graph.label = "%s %s" % (family, plan["dims"])
    for switch in plan["switches"]:
        graph.add(switch["name"], switch["kind"], switch["hosts"])
    for bundle in plan["bundles"]:
        graph.link(bundle["a"], bundle["b"], bundle["count"])
    ports = max(graph.degree(name) for name in graph.switches) + hosts + rng.randint(1, 4)
    for switch in graph.switches.values():
        switch.spare = ports - switch.hosts - graph.degree(switch.name)
    graph.tree = {**design, "edge": {**edge, "ports": ports}}
    return graph


def slim_fly(rng):
    return planned(rng, "slim-fly", {"q": rng.choice([3, 4, 5])}, rng.randint(1, 4))


def polarfly(rng):
    return planned(rng, "polarfly", {"q": rng.choice([3, 4, 5])}, rng.randint(1, 4))


def dragonfly_plus(rng):
    group = {"leafs": rng.randint(2, 4), "spines": rng.randint(2, 4), "global": rng.randint(1, 3)}
    return planned(rng, "dragonfly+", {"group": group, "groups": rng.randint(2, min(5, 1 + group["spines"] * group["global"]))},
                   rng.randint(1, 4))


def clos(rng):
    n = rng.randint(2, 5)
    return planned(rng, "clos", {"m": rng.randint(2, 5), "n": n, "r": rng.randint(3, 8)}, n)


def ring_by_rule(rng):
    hosts = rng.randint(1, 5)
    return planned(rng, "ring", {"nodes": hosts * rng.randint(5, 12), "bundle": rng.randint(1, 3)}, hosts)


def random_by_rule(rng):
    degree = rng.randint(3, 6)
    switches = 2 * rng.randint(degree // 2 + 2, 14)
    keys = {"degree": degree, "seed": rng.randint(0, 1000), "edge": {"ports": 254, "count": switches}}
    return planned(rng, "random", keys, rng.randint(1, 5))


def torus_by_rule(rng):
    dims = rng.choice([[3, 4], [4, 5], [5, 6], [2, 3, 4], [3, 3, 3], [9], [2, 6], [3, 4, 5]])
    # A ring of single cables without one of them is a line.
    least = 2 if len(dims) == 1 else 1
    return planned(rng, "torus", {"dims": dims, "bundle": [rng.randint(least, 3) for _ in dims]}, rng.randint(1, 5))


def mesh_by_rule(rng):
    dims = rng.choice([[3, 4], [4, 5], [2, 3, 4], [3, 3, 3], [2, 6]])
    return planned(rng, "mesh", {"dims": dims, "bundle": rng.randint(1, 3)}, rng.randint(1, 5))


def hypercube_by_rule(rng):
    return planned(rng, "hypercube", {"dimensions": rng.randint(3, 5), "bundle": rng.randint(1, 3)}, rng.randint(1, 5))


def hyperx_by_rule(rng):
    dims = rng.choice([[3, 4], [4, 5], [2, 3, 3], [7], [3, 6]])
    return planned(rng, "hyperx", {"dims": dims, "bundle": [rng.randint(1, 3) for _ in dims]}, rng.randint(1, 5))


def dragonfly_by_rule(rng):
    routers, ports = rng.randint(2, 4), rng.randint(1, 3)
    keys = {"group": {"routers": routers, "global": ports}, "groups": rng.randint(3, min(6, 1 + routers * ports)),
            "arrangement": rng.choice(["absolute", "relative", "circulant"])}
    if rng.random() < 0.5:
        keys["bundle"] = {"local": rng.randint(1, 2), "global": rng.randint(1, 2)}
    return planned(rng, "dragonfly", keys, rng.randint(1, 4))


BY_RULE = {"torus": torus_by_rule, "mesh": mesh_by_rule, "hypercube": hypercube_by_rule, "hyperx": hyperx_by_rule,
           "slim-fly": slim_fly, "polarfly": polarfly, "dragonfly": dragonfly_by_rule, "dragonfly+": dragonfly_plus}
# Rings without a cable are lines, Clos networks are trees, and no numbers tell a random network.
RULES = {**BY_RULE, "ring": ring_by_rule, "random": random_by_rule, "clos": clos}


FAMILIES = {"tree": tree, "planes": planes, "classes": classes, "islands": islands, "irregular": irregular,
            "random": random_regular, "torus": torus, "mesh": mesh, "hypercube": hypercube, "ring": ring, "hyperx": hyperx,
            "dragonfly": dragonfly, "full": full, **{name + " by rule": draw for name, draw in RULES.items()}}


def draw(rng, families, most=1000):
    """A network of at most so many switches."""
    while True:
        graph = FAMILIES[rng.choice(families)](rng)
        if len(graph.switches) <= most and graph.is_connected() and max(map(graph.ports, graph.switches)) <= 254:
            return graph
