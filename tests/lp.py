#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Throughput and max-min fair shares against a linear program solver (glpsol of GLPK), on small random networks.

  lp.py [--seed N] [--rounds N]

ftplan --throughput: its value is no more than the optimum, its bound no less, and both as near as was asked for. The fair
shares are those of workloads.py, which ftplan --workload is held against there.
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
import workloads  # pylint: disable=wrong-import-position
from results import result as check  # pylint: disable=wrong-import-position

GAP = 0.002


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


def concurrent_flow(hosts, links):
    """All to all: each host sends 1 in all. A flow from each source to all others, and as much for every host of them."""
    arcs = {**links, **{(b, a): n for (a, b), n in links.items()}}
    all_hosts, rows = sum(hosts), []
    for arc, count in arcs.items():
        rows.append(({f"f{s}_{arc[0]}_{arc[1]}": 1 for s in range(len(hosts)) if hosts[s]}, "<=", count))
    for s, v in itertools.product(range(len(hosts)), repeat=2):
        if s == v or not hosts[s]:
            continue
        row = {f"f{s}_{a}_{b}": 1 if b == v else -1 for a, b in arcs if v in (a, b)}
        row["t"] = -hosts[s] * hosts[v] / (all_hosts - 1)
        rows.append((row, "=", 0))
    return solve({"t": 1}, rows)


def throughput(rng, rounds):
    for i in range(rounds):
        design, hosts, links = random_graph(rng)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(design, file)
            file.flush()
            result = json.loads(workloads.ftplan(file.name, "--throughput=all-to-all", "--gap", str(GAP), "--format", "json"))
        row, = result["throughput"]
        truth = min(1, concurrent_flow(hosts, links))
        check(f"throughput {i}: {len(hosts)} switches", row["value"] <= truth * 1.00001 and row["bound"] >= truth * 0.99999 and
              row["value"] >= truth * (1 - GAP) * 0.99999, f"the optimum is {truth}", row, json.dumps(design))


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
    fair_shares(rng, options.rounds // 2)
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
