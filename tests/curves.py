#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The curves of ftplan --nodes A..B against the reference tool's answers, field by field.

Where its answers are at hand (../shared/reference/planner), they are read; a made-up catalog is at hand everywhere. Beyond them, its rules are computed here
once more, with fractions, from its own catalogue: for other blocking factors, for networks that are to grow, and for
blades. Its known faults are listed one by one, with the right answer derived:

- clamp: after uniform fill B is not clamped again to the fewer uplinks. N=33 on blades: three edges of 11 nodes and
  11 uplinks; it says B=12, but one core switch cannot have 12 cables from an edge that has 11. Right: B=11.
- spare: uniform fill of a network that is to grow keeps the number of edges of the dense one. N=125 of 128: dense, 7
  edges of 18 hold 125 nodes; uniform, an edge has 16 ports for nodes, and 7 x 16 = 112: it promises -13 spare ports.
  Right: 8 edges, and their cables and costs.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction

SHARED = os.environ.get("FT_SHARED", "../shared")
FTPLAN = os.path.join(os.environ.get("FT_BUILDDIR", "."), "ftplan")
FIELDS = ("topology edge_model edge_count core_model core_count ports_to_nodes ports_to_core bundle fill links "
          "spare_ports expandable_to cost power_w weight_kg size_u").split()
CABLE = 80
failures = 0


def result(good, what, *details):
    global failures
    print(("ok - " if good else "not ok - ") + what)
    for line in details[:10]:
        print("  " + line)
    failures += not good


def ceil(dividend, divisor):
    return -(-dividend // divisor)


def number(text):
    value = Fraction(text.replace(",", "."))
    return int(value) if value.denominator == 1 else value


def catalogue(name):
    """The edge and core switches of one csv each, in its order."""
    def rows(role):
        path = f"{SHARED}/reference/switch-catalog/fat-tree_{name}_{role}.csv"
        with open(path, newline="", encoding="utf-8") as file:
            return [{"model": row["network_switch_model"], "ports": int(row["network_switch_port_count"]),
                     "cost": number(row["network_switch_cost"]), "power": number(row["network_switch_power"]),
                     "size": number(row["network_switch_size"]), "weight": number(row["network_switch_weight"])}
                    for row in csv.DictReader(file)]
    return rows("edge"), rows("core")


def priced(shape, edge, core):
    links = shape["nodes"] + shape["edge_count"] * shape["ports_to_core"]
    shape["cost"] = shape["edge_count"] * edge["cost"] + shape["core_count"] * core["cost"] + links * CABLE
    shape.update(links=links, edge=edge, core=core)
    return shape


def completed(shape):
    """The sums over switches that only the best is asked for."""
    parts = [(shape["edge_count"], shape["edge"]), (shape["core_count"], shape["core"])]
    shape.update(
        edge_model=shape["edge"]["model"], core_model=shape["core"]["model"],
        spare_ports=shape["edge_count"] * shape["ports_to_nodes"] - shape["nodes"],
        power_w=sum(n * s["power"] for n, s in parts), weight_kg=sum(n * s["weight"] for n, s in parts),
        size_u=sum(n * s["size"] for n, s in parts))
    return shape


NO_SWITCH = {"model": "", "ports": 0, "cost": 0, "power": 0, "size": 0, "weight": 0}


def star(nodes, nodes_max, edge):
    return priced({"nodes": nodes, "topology": "star", "edge_count": 1, "core_count": 0, "bundle": 1, "fill": "",
                   "ports_to_nodes": edge["ports"], "ports_to_core": 0, "expandable_to": edge["ports"],
                   "faults": set()}, edge, NO_SWITCH) if edge["ports"] >= nodes_max else None


def tree(nodes, nodes_max, blocking, expandable, edge, core, right):
    """SPEC 4. @right: with its known faults mended; else as it computes."""
    down = edge["ports"] * blocking.numerator // (blocking.numerator + blocking.denominator)
    up = edge["ports"] - down
    edges_max, edges = ceil(nodes_max, down), ceil(nodes, down)
    if down * core["ports"] < nodes_max:
        return None
    bundle = min(core["ports"] // edges_max, up)
    cores, fill, faults = ceil(up, bundle), "dense", set()
    even_down = ceil(nodes_max, edges_max)
    even_up = ceil(even_down * blocking.denominator, blocking.numerator)
    if ceil(even_up, bundle) < cores and not expandable:
        down, up, cores, fill = even_down, even_up, ceil(even_up, bundle), "uniform"
        if bundle > up:
            faults.add("clamp")
            bundle = up if right else bundle
        if edges * down < nodes:
            faults.add("spare")
            edges = ceil(nodes, down) if right else edges
    return priced({"nodes": nodes, "topology": "fat-tree", "edge_count": edges, "core_count": cores,
                   "bundle": bundle, "fill": fill, "ports_to_nodes": down, "ports_to_core": up,
                   "expandable_to": edges_max * down, "faults": faults}, edge, core)


def best(nodes, nodes_max, blocking, expandable, edges, cores, right):
    """The first of the cheapest, stars before trees."""
    found = [star(nodes, nodes_max, e) for e in edges]
    found += [tree(nodes, nodes_max, blocking, expandable, e, c, right) for e in edges for c in cores]
    found = [f for f in found if f]
    return completed(min(found, key=lambda f: f["cost"])) if found else None


def ours(*options):
    run = subprocess.run([FTPLAN, "--format", "csv", *options], capture_output=True, text=True, timeout=120, check=False)
    if run.returncode:
        return run.stderr.strip()
    return {int(row["nodes"]): row for row in csv.DictReader(run.stdout.splitlines())}


def differences(row, expected):
    """Fields in which a row of ours is not what is expected."""
    out = []
    for field in FIELDS:
        value = row[field]
        if isinstance(expected[field], str):
            same = value == expected[field]
        else:
            same = value != "" and number(value) == expected[field]
        if not same:
            out.append(f"N={row['nodes']}: {field} is {value}, expected {expected[field]}")
    return out


def curve(what, catalog, csvs, first, last, options, nodes_max=None, blocking=1, expandable=False, every=1):
    """One curve of ours against the rules computed here; where it differs from the reference tool's, by which fault."""
    edges, cores = csvs
    rows = ours("--catalog", catalog, "--nodes", f"{first}..{last}..{every}", *options)
    if isinstance(rows, str):
        result(False, what, rows)
        return
    wrong, faults, nowhere = [], {"clamp": [], "spare": []}, 0
    for nodes in range(first, last + 1, every):
        limit = max(nodes, nodes_max or 0)
        right = best(nodes, limit, Fraction(blocking), expandable, edges, cores, True)
        theirs = best(nodes, limit, Fraction(blocking), expandable, edges, cores, False)
        if not right:
            nowhere += 1
            if rows[nodes]["topology"] != "none":
                wrong.append(f"N={nodes}: {rows[nodes]['topology']}, but none exists")
            continue
        wrong += differences(rows[nodes], right)
        if any(right[f] != theirs[f] for f in FIELDS):
            if not right["faults"] | theirs["faults"]:
                wrong.append(f"N={nodes}: the reference tool would answer otherwise, and by none of its known faults")
            for fault in right["faults"] | theirs["faults"]:
                faults[fault].append(nodes)
    note = "".join(f"; {len(ns)} by its fault '{f}', N={ns[0]}.." for f, ns in faults.items() if ns)
    result(not wrong, f"{what}: {len(rows)} rows, {nowhere} without a design{note}", *wrong)


REFERENCE = {
    "topology": "network_topology", "edge_model": "network_edge_switch_model",
    "edge_count": "network_edge_switch_count", "core_model": "network_core_switch_model",
    "core_count": "network_core_switch_count", "ports_to_nodes": "network_edge_ports_to_nodes",
    "ports_to_core": "network_edge_ports_to_core_level", "bundle": "network_links_run_in_bundles",
    "fill": "network_edge_uniform_distribution", "links": "network_link_count",
    "spare_ports": "network_spare_ports", "expandable_to": "network_expandable_to", "cost": "network_cost",
    "power_w": "network_power", "weight_kg": "network_weight", "size_u": "network_equipment_size",
}


def answer(row):
    """A row of the reference tool's as ours are written."""
    out = {}
    for field, key in REFERENCE.items():
        value = row[key]
        if field == "fill":
            value = {"True": "uniform", "False": "dense", "": ""}[value]
        elif field == "core_model":
            value = "" if value.startswith("N/A") else value
        elif field not in ("topology", "edge_model"):
            value = number(value)
        out[field] = value
    return out


def answers(name):
    with open(f"{SHARED}/reference/planner/{name}", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def reference_curve(rows):
    wrong, count = [], 0
    for row in answers("fattree_1-648_bl1.csv"):
        count += 1
        wrong += differences(rows[int(row["nodes"])], answer(row))
    result(not wrong, f"{count} answers of the reference tool, N=1..648", *wrong)


def reference_breakpoints(rows):
    """Where the answer changes, and to what, up to N=2592."""
    expected, found, before = [], [], None
    for row in answers("breakpoints_bl1.csv"):
        core = "" if row["core_model"].startswith("N/A") else row["core_model"]
        fill = {"True": "uniform", "False": "dense", "": ""}[row["uniform"]]
        expected.append((int(row["first_node_count"]), row["topology"], row["edge_model"], core, row["core_count"],
                         row["B"], fill, row["cost_at_first"]))
    for nodes in sorted(rows):
        row = rows[nodes]
        kind = tuple(row[k] for k in ("topology", "edge_model", "core_model", "core_count", "bundle", "fill"))
        if kind != before:
            found.append((nodes, *kind, row["cost"]))
        before = kind
    wrong = [f"expected {e}, found {f}" for e, f in zip(expected, found) if e != f]
    result(not wrong and len(expected) == len(found), f"{len(expected)} changes of its answer, N=1..2592", *wrong)


def reference_expansion():
    wrong, count = [], 0
    for row in answers("fattree_mellanox_fdr_expansion.csv"):
        count += 1
        rows = ours("--nodes", row["nodes"], "--nodes-max", row["nodes_future_max"])
        wrong += [rows] if isinstance(rows, str) else differences(rows[int(row["nodes"])], answer(row))
    result(not wrong, f"{count} answers of the reference tool for networks that grow", *wrong)


def limited(constraint):
    name, value = constraint.split("=")
    name = {"max_network_equipment_size": "max_size_u", "max_network_power": "max_power_w",
            "max_network_cost": "max_cost", "max_network_weight": "max_weight_kg"}[name]
    design = '{"ftcheck": 1, "name": "t", "nodes": 600, "limits": {"%s": %s}}' % (name, value)
    return subprocess.run([FTPLAN, "--format", "csv", "--catalog", "mellanox-fdr-2013", "-"], input=design, capture_output=True,
                          text=True, timeout=60, check=False)


def reference_limits():
    wrong, count = [], 0
    for row in answers("fattree_mellanox_fdr_600_constraints.csv"):
        text = next(v for v in list(row.values())[::-1] if v and "#constraint" in v)
        run = limited(text.split("#constraint ")[1])
        row = {k: (v.split(" #constraint")[0] if v else "") for k, v in row.items()}
        count += 1
        if row["nodes_future_max"] == "NONE":
            if run.returncode != 3 or "nothing fits" not in run.stderr:
                wrong.append(f"{text}: {run.stdout or run.stderr}")
        else:
            wrong += differences(next(csv.DictReader(run.stdout.splitlines())), answer(row))
    result(not wrong and count > 0, f"{count} answers of the reference tool within limits", *wrong)


def nearest_root(value, power):
    """round(value ^ (1 / power)); no root of a whole number ends in .5."""
    root = 1
    while (2 * root + 1) ** power <= value * 2 ** power:
        root += 1
    return root


def torus(nodes, blocking, switch):
    """The rules of the reference tool for tori (SPEC 9). All ports to neighbours have cables, so far as they pair up."""
    down = switch["ports"] * blocking.numerator // (blocking.numerator + blocking.denominator)
    up = switch["ports"] - down
    count = ceil(nodes, down)
    dims = [1]
    shape = {"topology": "star", "ports_to_nodes": switch["ports"], "ports_to_core": 0, "expandable_to": switch["ports"]}
    if nodes > switch["ports"]:
        d = 1 + sum(count > most for most in (3, 36, 125, 2401))
        side = nearest_root(count, d) if d > 1 else count
        dims = [side] * (d - 1) + [ceil(count, side ** (d - 1))]
        count = 1
        for size in dims:
            count *= size
        shape = {"topology": "torus" if d > 1 else "ring", "ports_to_nodes": down, "ports_to_core": up,
                 "expandable_to": count * down}
    links = nodes + count * shape["ports_to_core"] // 2
    if nodes <= switch["ports"]:
        count = 1
    return {**shape, "dims": "x".join(map(str, dims)), "edge_model": switch["model"], "edge_count": count, "links": links,
            "spare_ports": shape["expandable_to"] - nodes, "cost": count * switch["cost"] + links * CABLE,
            "power_w": count * switch["power"], "weight_kg": count * switch["weight"], "size_u": count * switch["size"]}


def torus_curves():
    """Of each switch that the tool knows for tori, and of one with an odd number of ports."""
    switches = [{"model": "Twin 35", "ports": 35, "cost": 9000, "power": 200, "size": 1, "weight": 8}]
    for name in ("mellanox", "hp-blade"):
        with open(f"{SHARED}/reference/switch-catalog/torus_{name}_torus.csv", newline="", encoding="utf-8") as file:
            switches += [{"model": row["network_switch_model"], "ports": int(row["network_switch_port_count"]),
                          "cost": number(row["network_switch_cost"]), "power": number(row["network_switch_power"]),
                          "size": number(row["network_switch_size"]), "weight": number(row["network_switch_weight"])}
                         for row in csv.DictReader(file)]
    for switch in switches:
        catalog = {"ftcheck_catalog": 1, "name": "tori", "currency": "USD", "cable_cost": CABLE, "switches": [
            {"model": switch["model"], "roles": ["edge", "star"], "ports": switch["ports"], "cost": switch["cost"],
             "power_w": switch["power"], "weight_kg": float(switch["weight"]), "size_u": switch["size"]}]}
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump(catalog, file)
            file.flush()
            for blocking in ("1", "3:2", "2", "3"):
                ratio = Fraction(blocking.replace(":", "/"))
                rows = ours("--catalog", file.name, "--topology", "torus", "--nodes", "1..5000", "--blocking", blocking)
                what = f"tori of {switch['model'].split(' (')[0]}, blocking {blocking}"
                if isinstance(rows, str):
                    result(False, what, rows)
                    continue
                wrong = []
                for nodes, row in rows.items():
                    for field, expected in torus(nodes, ratio, switch).items():
                        same = row[field] == expected if isinstance(expected, str) else number(row[field]) == expected
                        if not same:
                            wrong.append(f"N={nodes}: {field} is {row[field]}, expected {expected}")
                result(not wrong and len(rows) == 5000, what, *wrong)


def made_up():
    """The same rules on a catalog of switches that nobody sells."""
    switches = [{"model": model, "ports": ports, "cost": cost, "power": power, "size": size, "weight": weight}
                for model, ports, cost, power, size, weight in (
                    ("Twin 12", 12, 2100, 60, 1, 4), ("Twin 24", 24, 5200, 110, 1, 7), ("Twin 48", 48, 17500, 310, 2, 15))]
    roles = (["edge", "core", "star"], ["edge", "core", "star"], ["core"])
    catalog = {"ftcheck_catalog": 1, "name": "twins", "currency": "EUR", "cable_cost": CABLE, "switches": [
        {"model": s["model"], "roles": r, "ports": s["ports"], "cost": s["cost"], "power_w": s["power"],
         "weight_kg": s["weight"], "size_u": s["size"]} for s, r in zip(switches, roles)]}
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(catalog, file)
        file.flush()
        csvs = switches[:2], switches
        curve("a made-up catalog", file.name, csvs, 1, 576, [])
        curve("a made-up catalog, blocking 2", file.name, csvs, 1, 768, ["--blocking", "2"], blocking=2, every=3)
        curve("a made-up catalog, to grow to 400", file.name, csvs, 1, 400, ["--nodes-max", "400"], nodes_max=400, every=3)


def main():
    made_up()
    if not os.path.isdir(f"{SHARED}/reference"):
        print("ok - answers of the reference tool # SKIP no ../shared (answers of the reference tool)")
        return 1 if failures else 0
    rows = ours("--nodes", "1..2592")
    if isinstance(rows, str):
        result(False, "the curve of the tutorial's exercise", rows)
        return 1
    reference_curve(rows)
    reference_breakpoints(rows)
    reference_expansion()
    reference_limits()
    mellanox, blades = catalogue("mellanox"), catalogue("hp-blade")
    for blocking in ("1", "2", "4", "2.6", "3:2"):
        ratio = Fraction(*map(int, blocking.split(":"))) if ":" in blocking else Fraction(blocking)
        curve(f"blocking {blocking}", "mellanox-fdr-2013", mellanox, 1, 2592, ["--blocking", blocking], blocking=ratio, every=5)
        curve(f"blades, blocking {blocking}", "hp-blade-fdr-2013", blades, 1, 2592, ["--blocking", blocking],
              blocking=ratio, every=3)
    torus_curves()
    curve("blades, every N", "hp-blade-fdr-2013", blades, 1, 400, [])
    for most in (128, 700, 1500, 2592):
        curve(f"to grow to {most}", "mellanox-fdr-2013", mellanox, 1, most, ["--nodes-max", str(most)], nodes_max=most,
              every=1 if most < 200 else 7)
    curve("to grow to 640 on blades", "hp-blade-fdr-2013", blades, 1, 640, ["--nodes-max", "640"], nodes_max=640, every=3)
    curve("expandable", "mellanox-fdr-2013", mellanox, 1, 2592, ["--prefer-expandable"], expandable=True, every=7)
    curve("large", "mellanox-fdr-2013", mellanox, 2593, 210500, [], every=1499)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
