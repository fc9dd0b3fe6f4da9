#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Throughput and max-min fair shares against a linear program solver (glpsol of GLPK), on small random networks and small ones
of families.

  lp.py [--seed N] [--rounds N]

ftplan --throughput: its value is no more than the optimum, its bound no less, and both as near as was asked for. Of networks
with symmetry also larger ones: all switches that a permutation leads to each other need the flows of one of them
(symmetry.py). The fair shares are those of workloads.py, which ftplan --workload is held against there.
"""
import argparse
import collections
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import results  # pylint: disable=wrong-import-position
import symmetry  # pylint: disable=wrong-import-position
import workloads  # pylint: disable=wrong-import-position
from results import result as check  # pylint: disable=wrong-import-position

GAP = 0.002
GAP_LARGE = 0.01  # the usual one: searches for less take seconds


def solve(objective, rows):
    """The maximum of @objective, {name: factor}, with all names at least 0. Rows: ({name: factor}, "<=" or "=" or ">=", number)."""
    def expression(factors):
        return " ".join(f"{'+' if factor >= 0 else '-'} {abs(factor):.15g} {name}" for name, factor in factors.items())

    lines = ["Maximize", f" goal: {expression(objective)}", "Subject To"]
    lines += [f" r{i}: {expression(factors)} {sense} {number:.15g}" for i, (factors, sense, number) in enumerate(rows)]
    with tempfile.TemporaryDirectory() as work:
        paths = [os.path.join(work, name) for name in ("problem.lp", "solution")]
        with open(paths[0], "w", encoding="utf-8") as file:
            file.write("\n".join(lines + ["End", ""]))
        subprocess.run(["glpsol", "--lp", paths[0], "--write", paths[1]], check=True, stdout=subprocess.DEVNULL)
        with open(paths[1], encoding="utf-8") as file:
            # "s bas ROWS COLUMNS f f OBJECTIVE": feasible, the primal and the dual.
            line = next(line.split() for line in file if line.startswith("s "))
    if line[4:6] != ["f", "f"]:
        raise RuntimeError(f"glpsol: {line}")
    return float(line[6])


# ---- throughput ----


def random_graph(rng):
    count = rng.randint(3, 6)
    hosts = [rng.randint(0, 5) for _ in range(count)]
    hosts[0] += 1
    hosts[1] += 1
    links = collections.Counter({(i, i + 1): rng.randint(1, 3) for i in range(count - 1)})
    for _ in range(rng.randint(0, 4)):
        links[tuple(sorted(rng.sample(range(count), 2)))] += 1
    design = {"ftcheck": 1, "name": "t", "topology": "graph",
              "switches": [{"name": f"s{i}", "ports": 64, "hosts": n} for i, n in enumerate(hosts)],
              "links": [{"a": f"s{a}", "b": f"s{b}", "count": n} for (a, b), n in sorted(links.items())]}
    return design, hosts, links


def concurrent_flow(links, demands):
    """How much of all demands {(from, to): amount} flows at once. A flow from each source to all that it sends to."""
    arcs = {**links, **{(b, a): n for (a, b), n in links.items()}}
    sources, vertices = sorted({s for s, _ in demands}), sorted({v for arc in arcs for v in arc})
    rows = [({f"f{s}_{arc[0]}_{arc[1]}": 1 for s in sources}, "<=", count) for arc, count in arcs.items()]
    for s, v in itertools.product(sources, vertices):
        if s == v:
            continue
        row = {f"f{s}_{a}_{b}": 1 if b == v else -1 for a, b in arcs if v in (a, b)}
        if (s, v) in demands:
            row["t"] = -demands[s, v]
        rows.append((row, "=", 0))
    return solve({"t": 1}, rows)


def symmetric_flow(hosts, links):
    """The same of all pairs of hosts. A flow from one switch of each orbit; an orbit of arcs carries, in the mean of all
    permutations, the same on each of its arcs."""
    network = symmetry.Network(hosts, links)
    switches, orbits = network.orbits()
    sources = sorted({switches[v] for v, count in enumerate(hosts) if count})
    many, members, demands = collections.Counter(switches), collections.defaultdict(list), all_to_all(hosts)
    for arc, orbit in orbits.items():
        members[orbit].append(arc)
    rows = [({f"f{s}_{a}_{b}": many[s] / len(arcs) for s in sources for a, b in arcs}, "<=", network.arcs[orbit])
            for orbit, arcs in members.items()]
    for s, v in itertools.product(sources, range(network.count)):
        if s == v:
            continue
        row = {f"f{s}_{v}_{u}": -1 for u, _ in network.near[v]} | {f"f{s}_{u}_{v}": 1 for u, _ in network.near[v]}
        if (s, v) in demands:
            row["t"] = -demands[s, v]
        rows.append((row, "=", 0))
    return solve({"t": 1}, rows), len(sources), len(members)


def all_to_all(hosts):
    """Each host sends 1 in all to the others."""
    return {(a, b): hosts[a] * hosts[b] / (sum(hosts) - 1) for a, b in itertools.permutations(range(len(hosts)), 2)
            if hosts[a] and hosts[b]}


def permutation(hosts, seed):
    """Sattolo's cycle of all hosts, by the same numbers as ftplan's."""
    at = [switch for switch, count in enumerate(hosts) for _ in range(count)]
    sinks, numbers, demands = list(at), workloads.splitmix(seed), collections.Counter()
    for i in range(len(at) - 1, 0, -1):
        other = (next(numbers) >> 32) * i >> 32
        sinks[i], sinks[other] = sinks[other], sinks[i]
    for a, b in zip(at, sinks):
        if a != b:
            demands[a, b] += 1
    return demands


def throughput_of(name, design, hosts, links):
    """Both patterns of one network."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(design, file)
        file.flush()
        result = json.loads(workloads.ftplan(file.name, "--throughput=all-to-all,permutation", "--seed", "3", "--gap", str(GAP),
                                             "--format", "json"))
    for row, demands in zip(result["throughput"], (all_to_all(hosts), permutation(hosts, 3)), strict=True):
        truth = min(1, concurrent_flow(links, demands)) if demands else 1
        check(f"{name}, {row['traffic']}: {len(hosts)} switches", row["value"] <= truth * 1.00001 and
              row["bound"] >= truth * 0.99999 and row["value"] >= truth * (1 - GAP) * 0.99999, f"the optimum is {truth}", row,
              json.dumps(design))


def throughput(rng, rounds):
    for i in range(rounds):
        throughput_of(f"throughput {i}", *random_graph(rng))


# Of each family a small one; they stand for any other size.
FAMILIES = [
    {"topology": "torus", "dims": [3, 5], "bundle": 1, "edge": {"ports": 12, "ports_to_nodes": 3}},
    {"topology": "mesh", "dims": [3, 4], "bundle": 1, "edge": {"ports": 12, "ports_to_nodes": 2}},
    {"topology": "hypercube", "dimensions": 4, "bundle": 1, "edge": {"ports": 9, "ports_to_nodes": 4}},
    {"topology": "hyperx", "dims": [3, 4], "bundle": 1, "edge": {"ports": 12, "ports_to_nodes": 5}},
    {"topology": "slim-fly", "q": 3, "edge": {"ports": 12, "ports_to_nodes": 7}},
    {"topology": "polarfly", "q": 3, "edge": {"ports": 12, "ports_to_nodes": 4}},
    {"topology": "dragonfly", "group": {"routers": 3, "global": 1}, "groups": 4, "edge": {"ports": 8, "ports_to_nodes": 3}},
]


def network_of(keys):
    """The design, the hosts by switch, and the links."""
    design = {"ftcheck": 1, "name": "t", **keys}
    plan = workloads.planned(design)
    names = {s["name"]: i for i, s in enumerate(plan["switches"])}
    links = collections.Counter()
    for bundle in plan["bundles"]:
        links[tuple(sorted((names[bundle["a"]], names[bundle["b"]])))] += bundle["count"]
    return design, [s["hosts"] for s in plan["switches"]], links


def families():
    for keys in FAMILIES:
        throughput_of(keys["topology"], *network_of(keys))


# Larger ones.
SYMMETRIC = [
    {"topology": "slim-fly", "q": 4, "edge": {"ports": 12, "ports_to_nodes": 6}},
    {"topology": "slim-fly", "q": 5, "edge": {"ports": 12, "ports_to_nodes": 5}},
    {"topology": "slim-fly", "q": 7, "edge": {"ports": 20, "ports_to_nodes": 9}},
    {"topology": "slim-fly", "q": 8, "edge": {"ports": 24, "ports_to_nodes": 12}},
    {"topology": "slim-fly", "q": 9, "edge": {"ports": 24, "ports_to_nodes": 11}},
    {"topology": "polarfly", "q": 5, "edge": {"ports": 12, "ports_to_nodes": 6}},
    {"topology": "polarfly", "q": 7, "edge": {"ports": 16, "ports_to_nodes": 8}},
    {"topology": "torus", "dims": [5, 5], "bundle": 1, "edge": {"ports": 12, "ports_to_nodes": 4}},
    {"topology": "torus", "dims": [4, 7], "bundle": [2, 1], "edge": {"ports": 12, "ports_to_nodes": 4}},
    {"topology": "torus", "dims": [3, 4, 5], "bundle": 1, "edge": {"ports": 12, "ports_to_nodes": 4}},
    {"topology": "torus", "dims": [2, 3, 6], "bundle": 1, "edge": {"ports": 12, "ports_to_nodes": 4}},
    {"topology": "mesh", "dims": [5, 5], "bundle": 1, "edge": {"ports": 12, "ports_to_nodes": 3}},
    {"topology": "mesh", "dims": [4, 6], "bundle": 1, "edge": {"ports": 12, "ports_to_nodes": 3}},
    {"topology": "hypercube", "dimensions": 6, "bundle": 1, "edge": {"ports": 12, "ports_to_nodes": 4}},
    {"topology": "hyperx", "dims": [5, 7], "bundle": 1, "edge": {"ports": 24, "ports_to_nodes": 8}},
    {"topology": "hyperx", "dims": [3, 4, 5], "bundle": 1, "edge": {"ports": 24, "ports_to_nodes": 7}},
    {"topology": "hyperx", "dims": [4, 8], "bundle": [2, 1], "edge": {"ports": 24, "ports_to_nodes": 9}},
    {"topology": "dragonfly", "group": {"routers": 4, "global": 2}, "groups": 9, "edge": {"ports": 8, "ports_to_nodes": 3}},
    {"topology": "dragonfly", "group": {"routers": 4, "global": 1}, "groups": 5, "arrangement": "relative",
     "edge": {"ports": 8, "ports_to_nodes": 3}},
    {"topology": "dragonfly+", "group": {"leafs": 3, "spines": 3, "global": 2}, "groups": 4, "edge": {"ports": 8, "ports_to_nodes": 4}},
]


def symmetric():
    for keys in SYMMETRIC:
        design, hosts, links = network_of(keys)
        name = " ".join(str(keys[key]) for key in ("topology", "q", "dims", "dimensions", "group", "degree") if key in keys)
        truth, sources, arcs = symmetric_flow(hosts, links)
        truth = min(1, truth)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(design, file)
            file.flush()
            row = json.loads(workloads.ftplan(file.name, "--throughput", "--gap", str(GAP_LARGE), "--format", "json"))["throughput"][0]
        check(f"{name}: {len(hosts)} switches by {sources} sources and {arcs} orbits of arcs",
              row["value"] <= truth * 1.00001 and row["bound"] >= truth * 0.99999 and
              row["value"] >= truth * (1 - GAP_LARGE) * 0.99999, f"the optimum is {truth}", row, json.dumps(design))


# ---- fair shares ----


def fair_by_lp(flows):
    """The lowest rate as high as it can be; those that cannot be higher are fixed, and so on."""
    links, fixed = sorted({link for flow in flows for link in flow}), {}
    names = [f"x{i}" for i in range(len(flows))]
    base = [({names[i]: flow[link] for i, flow in enumerate(flows) if link in flow}, "<=", workloads.RATE) for link in links]
    while len(fixed) < len(flows):
        kept = base + [({names[i]: 1}, "=", rate) for i, rate in fixed.items()]
        free = [i for i in range(len(flows)) if i not in fixed]
        lowest = solve({"t": 1}, kept + [({names[i]: 1, "t": -1}, ">=", 0) for i in free])
        at_least = kept + [({names[i]: 1}, ">=", lowest * (1 - 1e-9)) for i in free]
        stuck = [i for i in free if solve({names[i]: 1}, at_least) <= lowest * (1 + 1e-6)]
        fixed.update({i: lowest for i in stuck})
    return [fixed[i] for i in range(len(flows))]


def fair_shares(rng, rounds):
    for i in range(rounds):
        links = [f"l{n}" for n in range(rng.randint(2, 6))]
        flows = [{link: rng.choice([1, 1, 0.5, 0.25]) for link in rng.sample(links, rng.randint(1, len(links)))}
                 for _ in range(rng.randint(2, 7))]
        found, wanted = workloads.fair(flows), fair_by_lp(flows)
        check(f"fair shares {i}: {len(flows)} flows over {len(links)} links",
              all(abs(a - b) <= 1e-5 * b for a, b in zip(found, wanted)), found, wanted, flows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default="1")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    if not shutil.which("glpsol"):
        print("skipped: glpsol (glpk-utils) is not installed")
        return 77
    print(f"seed {options.seed}")
    rng = random.Random(options.seed)
    throughput(rng, options.rounds)
    families()
    symmetric()
    fair_shares(rng, options.rounds // 2)
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
