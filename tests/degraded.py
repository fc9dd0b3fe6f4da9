#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
ftcheck --workload and --throughput of degraded fabrics of every family: the times against a simulation by brute force
(workloads.py), the throughput against a linear program solver (lp.py), each as planned and as found.

  degraded.py [--seed N]
"""
import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lp  # pylint: disable=wrong-import-position
import results  # pylint: disable=wrong-import-position
import workloads  # pylint: disable=wrong-import-position
from fabric import Fabric  # pylint: disable=wrong-import-position
from results import result as check  # pylint: disable=wrong-import-position

GAP = 0.01

# Small, with cables that are scarce.
FAMILIES = {
    "torus": {"topology": "torus", "dims": [3, 4], "bundle": 1, "edge": {"ports": 12, "ports_to_nodes": 2}},
    "torus with bundles": {"topology": "torus", "dims": [2, 3], "bundle": 2, "edge": {"ports": 24, "ports_to_nodes": 3}},
    "mesh": {"topology": "mesh", "dims": [3, 3], "bundle": 1, "edge": {"ports": 12, "ports_to_nodes": 2}},
    "hypercube": {"topology": "hypercube", "dimensions": 3, "bundle": 1, "edge": {"ports": 8, "ports_to_nodes": 2}},
    "ring": {"topology": "ring", "nodes": 14, "bundle": 2, "edge": {"ports": 8, "count": 7, "ports_to_nodes": 2}},
    "hyperx": {"topology": "hyperx", "dims": [3, 3], "bundle": 1, "edge": {"ports": 12, "ports_to_nodes": 3}},
    "slim fly": {"topology": "slim-fly", "q": 3, "edge": {"ports": 8, "ports_to_nodes": 2}},
    "polarfly": {"topology": "polarfly", "q": 2, "edge": {"ports": 8, "ports_to_nodes": 3}},
    "dragonfly": {"topology": "dragonfly", "group": {"routers": 3, "global": 1}, "groups": 4,
                  "edge": {"ports": 8, "ports_to_nodes": 2}},
    "random": {"topology": "random", "degree": 3, "seed": 1, "nodes": 20, "edge": {"ports": 8, "count": 10, "ports_to_nodes": 2}},
    "two levels": {"topology": "fat-tree", "nodes": 16, "blocking": "1:1", "bundle": 2,
                   "edge": {"ports": 8, "ports_to_nodes": 4, "ports_to_core": 4}, "core": {"ports": 8, "count": 2}},
    "three levels": {"topology": "fat-tree", "levels": 3, "nodes": 16, "pods": 2, "blocking": "2:1",
                     "edge": {"ports": 8, "ports_to_nodes": 4, "ports_to_core": 2},
                     "spine": {"ports": 8, "count": 4, "ports_to_core": 2}, "core": {"ports": 8, "count": 4},
                     "bundle": {"edge": 1, "spine": 1}},
}


# With three cables less, few of the others limit all.
LARGER = {
    "hyperx 4x5": {"topology": "hyperx", "dims": [4, 5], "bundle": 1, "edge": {"ports": 24, "ports_to_nodes": 8}},
    "dragonfly of 9 groups": {"topology": "dragonfly", "group": {"routers": 4, "global": 2}, "groups": 9,
                              "edge": {"ports": 12, "ports_to_nodes": 3}},
    "torus 4x5": {"topology": "torus", "dims": [4, 5], "bundle": 1, "edge": {"ports": 12, "ports_to_nodes": 4}},
    "slim fly 4": {"topology": "slim-fly", "q": 4, "edge": {"ports": 12, "ports_to_nodes": 6}},
}


def between(fabric):
    """Cables between switches."""
    return [end for end in fabric.edges() if fabric.nodes[end[0]].kind == fabric.nodes[end[2]].kind == "S"]


def is_connected(plan):
    seen, edge = {plan["switches"][0]["name"]}, [plan["switches"][0]["name"]]
    while edge:
        at = edge.pop()
        for bundle in plan["bundles"]:
            for one, other in ((bundle["a"], bundle["b"]), (bundle["b"], bundle["a"])):
                if one == at and bundle["count"] > 0 and other not in seen:
                    seen.add(other)
                    edge.append(other)
    return len(seen) == len(plan["switches"])


def degrade(rng, fabric, plan, count):
    """Pulls so many cables, none of which cuts the network in two. Returns the plan that is left."""
    left = json.loads(json.dumps(plan))
    for _ in range(count):
        for end in rng.sample(between(fabric), len(between(fabric))):
            names = {fabric.nodes[end[0]].description.decode(), fabric.nodes[end[2]].description.decode()}
            bundle = next(b for b in left["bundles"] if {b["a"], b["b"]} == names)
            bundle["count"] -= 1
            if is_connected(left):
                fabric.unlink(end[0], end[1])
                break
            bundle["count"] += 1
    left["bundles"] = [b for b in left["bundles"] if b["count"] > 0]
    return left


def optimum(plan):
    names = [s["name"] for s in plan["switches"]]
    links = collections.Counter()
    for bundle in plan["bundles"]:
        links[tuple(sorted((names.index(bundle["a"]), names.index(bundle["b"]))))] += bundle["count"]
    return min(1, lp.concurrent_flow(links, lp.all_to_all([s["hosts"] for s in plan["switches"]])))


def times_of(plan, width):
    network = workloads.Network(plan, "static")
    return {name: workloads.simulate(network, pattern, width, workloads.LATENCY)
            for name, pattern in workloads.PATTERNS.items()}


def ftcheck(design, fabric, *options):
    with tempfile.TemporaryDirectory() as work:
        paths = [os.path.join(work, name) for name in ("plan.json", "net")]
        with open(paths[0], "w", encoding="utf-8") as file:
            json.dump(design, file)
        with open(paths[1], "wb") as file:
            file.write(fabric.write())
        run = subprocess.run([workloads.FTCHECK, "--plan", paths[0], "--from", paths[1], "--format", "json", *options],
                             capture_output=True, text=True, check=False)
    return json.loads(run.stdout)


def planned(keys):
    """The design, its plan, and its fabric."""
    design = {"ftcheck": 1, "name": "t", "rate": "4xQDR", **keys}
    plan = workloads.planned(design)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(design, file)
        file.flush()
        fabric = Fabric.read(workloads.ftplan(file.name, "--format", "ibsim").encode())
    return design, plan, fabric


def throughput(name, said, plan, left):
    for which, of in (("planned", plan), ("found", left)):
        truth = optimum(of)
        check(f"{name}: throughput as {which}", truth * (1 - GAP) * 0.99999 <= said[which] <= truth * 1.00001 and
              said["gap"] <= GAP, f"the optimum is {truth}", said)


def larger(rng, name, keys):
    design, plan, fabric = planned(keys)
    left = degrade(rng, fabric, plan, 3)
    throughput(f"{name} without three cables", ftcheck(design, fabric, "--throughput")["throughput"], plan, left)


def family(rng, name, keys):
    design, plan, fabric = planned(keys)
    width = workloads.times(design, "near-neighbor")[1]["model"]["mesh_x"]
    left = degrade(rng, fabric, plan, 2)
    report = ftcheck(design, fabric, "--throughput", "--workload", workloads.ALL)
    whole, found = times_of(plan, width), times_of(left, width)
    wrong = [f"{row['name']}: {row['planned_ns']} and {row['found_ns']}, expected {whole[row['name']]:.0f} and "
             f"{found[row['name']]:.0f}" for row in report["workloads"]
             if abs(row["planned_ns"] - whole[row["name"]]) > 1 or abs(row["found_ns"] - found[row["name"]]) > 1]
    check(f"{name}: times", not wrong and len(report["workloads"]) == len(whole), *wrong, json.dumps(left["bundles"]))
    throughput(name, report["throughput"], plan, left)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    if not shutil.which("glpsol"):
        print("skipped: glpsol (glpk-utils) is not installed")
        return 77
    print(f"seed {options.seed}")
    for name, keys in FAMILIES.items():
        family(random.Random(f"{options.seed}/{name}"), name, keys)
    for name, keys in LARGER.items():
        larger(random.Random(f"{options.seed}/{name}"), name, keys)
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
