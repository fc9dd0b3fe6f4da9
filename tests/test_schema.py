#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The design's JSON Schema and ftplan agree: on the samples, on what ftplan writes, and on what both refuse."""
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: no python3-jsonschema")
    sys.exit(77)

SOURCE = os.environ["FT_SRCDIR"]
FTPLAN = os.path.join(os.environ["FT_BUILDDIR"], "ftplan")
SAMPLES = os.path.join(SOURCE, "etc", "examples")
SEEDS = os.path.join(SOURCE, "tests", "data", "fuzz_design")

with open(os.path.join(SOURCE, "etc", "design.schema.json"), encoding="utf-8") as f:
    SCHEMA = json.load(f)
jsonschema.Draft7Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)

CATALOGS = ("mellanox-fdr-2013", "hp-blade-fdr-2013", "infiniband")
GOOD = {"ftcheck": 1, "name": "t", "nodes": 72, "edge": {"ports": 36}, "core": {"ports": 36}}
WAIVER = {"id": "x", "until": "2026-12-31", "why": "y"}

ISLAND_BUNDLE = {"a": "m1", "b": "core01"}

# What is merged into a good design, and by that must become refused by both: shape, not arithmetic.
BAD = [
    {"ftcheck": 2}, {"ftcheck": "1"}, {"name": ""}, {"name": 1}, {"nodes": 0}, {"nodes": "72"}, {"nodes": 1000001},
    {"nodes": 72.5}, {"nodes_max": None}, {"topology": "thorus"}, {"dims": [4, 4]}, {"bundle": [1, 2]}, {"q": 5}, {"bundle": {"local": 1}}, {"levels": 4}, {"levels": "2"}, {"blocking": 0.5},
    {"blocking": "3:"}, {"blocking": True}, {"blocking": -1}, {"edge": 36}, {"edge": {"ports": 1}}, {"edge": {"ports": 4097}},
    {"edge": {"ports": 36, "fabric_boards": 3}}, {"edge": {"ports": 36, "port": 1}}, {"edge": {"ports": 36, "count": 0}},
    {"edge": {"model": 1}}, {"core": {"count": -1}}, {"core": {"ports": 4097}},
    {"core": {"ports": 36, "ports_to_nodes": 2}}, {"core": []}, {"bundle": 0}, {"bundles": "odd"}, {"bundles": {}},
    {"bundles": {"multiple": 0}}, {"fill": "full"}, {"prefer_expandable": 1}, {"objective": "beauty"}, {"limits": []},
    {"limits": {"max_beauty": 1}}, {"limits": {"max_cost": -1}}, {"limits": {"cost": 1}},
    {"spine": {"colour": 36}}, {"levels": 3, "spine": {"ports": 36}, "pods": [{"count": 1}]}, {"pods": 0},
    {"blocking": {"edge": 0.5}}, {"blocking": {"core": 2}}, {"bundle": {"core": 2}}, {"cables": []}, {"hosts": []}, {"cables": "all"}, {"cables": [{"a": "edge001", "b": "core01", "port": 1}]},
    {"cables": [{"a": "edge001"}]}, {"cables": [{"a": "edge001", "a_port": 0, "b": "core01"}]}, {"cables_complete": 1},
    {"cables": [{"a": "edge001", "a_port": "L1", "b": "core01"}], "cables_complete": False},
    {"hosts": [{"edge": "edge001"}]}, {"hosts": [{"name": "n"}]}, {"hosts": [{"guid": "12", "edge": "edge001"}]},
    {"hosts": [{"guid": "0x0", "edge": "edge001"}]}, {"names": []}, {"names": [{"match": "x"}]}, {"colour": 1}, {"rate": "HDR"}, {"rate": 4},
    {"rate": "3xHDR"}, {"rate": {"host": []}}, {"rate": {"uplinks": "4xHDR"}}, {"bind": []}, {"bind": {"edge": []}},
    {"bind": {"edge": {}}}, {"bind": {"edge": [1, "b", "c", "d"]}}, {"bind": {"edge": ["a", "a", "b", "c"]}},
    {"bind": {"edge": ["0x12g", "b", "c", "d"]}}, {"bind": {"spine": []}}, {"bind": {"edge": {"match": ""}}},
    {"bind": {"edge": ["x" * 65, "b", "c", "d"]}}, {"why": []}, {"why": {"a": 1}}, {"expect": 1},
    {"expect": {"hosts_down": -1}}, {"expect": {"hosts_down": "a"}}, {"expect": {"hosts_down": [1]}},
    {"expect": {"unplanned": "a"}}, {"expect": {"waive": {}}}, {"expect": {"waive": [{"why": "x"}]}},
    {"accepted": []}, {"accepted": [{"id": "x", "by": "y", "at": "z", "changes": []}]},
    {"accepted": [{"id": "x", "by": "y", "at": "z", "changes": [{"gone": True}]}]},
    {"accepted": [{"id": "x", "by": "y", "at": "z", "changes": [{"a": "core01", "gone": True, "hosts": 1}]}]},
    {"accepted": [{"id": "x", "by": "y", "at": "z", "changes": [{"a": "core01", "add": 1}]}]},
    {"phases": []}, {"phases": [{"name": "a", "due": "2026-12-31"}]}, {"phases": [{"name": "a", "racks": "A01"}]},
    {"phases": [{"due": "2026-12-31", "racks": "A01"}]}, {"phases": [{"name": "a", "due": "soon", "racks": "A01"}]},
    {"phases": [{"name": "a", "due": "2026-12-31", "racks": []}]}, {"phases": [{"name": "a", "due": "2026-12-31", "hosts": "A01"}]},
    {"expect": {"waive": [dict(WAIVER, until="31.12.2026")]}}, {"expect": {"waive": [dict(WAIVER, till="x")]}},
    {"expect": {"waive": [dict(WAIVER, until="2026-13-01")]}}, {"plan": []}, {"plan": {"colour": 1}},
    {"plan": {"topology": "auto"}}, {"plan": {"switches": [{"rank": 1}]}}, {"plan": {"catalog": 1}},
    {"islands": []}, {"islands": {}}, {"islands": [{"name": "i", "switches": [], "bundles": [ISLAND_BUNDLE]}]},
    {"islands": [{"name": "i", "switches": ["m1"], "bundles": []}]}, {"islands": [{"switches": ["m1"], "bundles": [ISLAND_BUNDLE]}]},
    {"islands": [{"name": "i", "switches": [{"ports": 8}], "bundles": [ISLAND_BUNDLE]}]},
    {"islands": [{"name": "i", "switches": ["m1"], "bundles": [dict(ISLAND_BUNDLE, count=0)]}]},
    {"islands": [{"name": "i", "switches": [["m1"]], "bundles": [ISLAND_BUNDLE]}]},
    {"switches": [{"name": "s", "ports": 8}]}, {"links": [{"a": "s1", "b": "s2"}]}, {"links_file": "x"}, {"topology": "graph"},
    {"levels": 3, "spine": {"ports": 36}, "planes": 0}, {"levels": 3, "spine": {"ports": 36}, "planes": "2"}, {"classes": []},
    {"classes": [{"hosts": 4}]}, {"classes": [{"count": 1, "tier": "top"}]}, {"classes": [{"count": 1, "bundle": []}]},
    {"classes": [{"count": 1, "bundle": [-1]}]}, {"classes": [{"count": 1, "ports": 1}]}, {"classes": [{"count": 0}]},
    {"classes": [{"count": 1, "rate": "HDR"}]}, {"classes": [{"count": 1, "match": ""}]}, {"classes": {"count": 1}},
    {"technology": "token ring"}, {"technology": None}, {"vlan_first": 2}, {"macs": ["02:00:00:00:00:0a"]},
    {"technology": "ethernet", "rate": "4xHDR"}, {"technology": "ethernet", "vlan_first": 0}, {"technology": "ethernet", "vlan_first": 4095},
    {"technology": "ethernet", "edge": {"ports": 36, "mac_table": 0}}, {"technology": "ethernet", "macs": []},
    {"technology": "ethernet", "nodes": 1, "macs": ["02:00:00:00:00"]}, {"technology": "ethernet", "nodes": 1, "macs": {"node1": []}},
    {"technology": "ethernet", "nodes": 1, "macs": [{"mac": "02:00:00:00:00:0a"}]},
    {"technology": "ethernet", "nodes": 1, "macs": [{"mac": "02:00:00:00:00:0a", "edge": "edge001"}]},
    {"technology": "ethernet", "nodes": 1, "macs": [{"mac": "02:00:00:00:00:0a", "host": "n", "port": 1, "edge": "edge001"}]},
    {"plan": {"islands": []}}, {"edge": {"ports": 36, "hosts": []}}, {"edge": {"ports": 36, "hosts": [{"count": 4}]}},
    {"edge": {"ports": 36, "hosts": [{"count": 4, "hosts": "18"}]}}, {"edge": {"ports": 36, "hosts": 18}}, {"plan": {"edge": {"family": None}}}, {"core": {}, "plan": {"core": {"model": "", "ports": 36}}},
]

# Merged the same way, these stay good.
FINE = [
    {"nodes": 54, "islands": [{"name": "i", "switches": ["m1", {"name": ["m[2-3]", "n"], "ports": 8, "hosts": 0}],
                  "bundles": [dict(ISLAND_BUNDLE, count=2), {"a": ["m2", "m3"], "b": "m1"}]}]},
    {"edge": {"ports": 36, "hosts": [{"count": 3, "hosts": 18}, {"count": 2, "hosts": 9}]}},
    {"technology": "ethernet"}, {"technology": "infiniband"}, {"technology": "ethernet", "vlan_first": 100},
    {"technology": "ethernet", "edge": {"ports": 36, "mac_table": 1296}, "core": {"mac_table": 648}},
    {"technology": "ethernet", "nodes": 2, "macs": ["02:00:00:00:00:0a", "02-00-00-00-00-0B"]},
    {"technology": "ethernet", "nodes": 2, "macs": {"node001": ["0200.0000.000a", "020000000001"], "node002": "02:00:00:00:00:0B"}},
    {"technology": "ethernet", "nodes": 2, "macs": [{"mac": "02:00:00:00:00:0a", "host": "node002"},
                                                    {"mac": "02:00:00:00:00:0b", "edge": "edge001", "port": 1}]},
    {}, {"blocking": "2.6:1"}, {"blocking": 2.6}, {"levels": 2}, {"objective": "cost"}, {"bundles": "thick"},
    {"bundles": {"multiple": 3}}, {"rate": "4xhdr"}, {"rate": {}}, {"rate": {"uplink": ["4xHDR", "2xNDR"]}},
    {"bind": {"edge": ["a", "b", "c", "0xAB"]}}, {"bind": {"core": {"match": "^spine"}}}, {"why": {"a": "b"}},
    {"accepted": [{"id": "x", "by": "y", "at": "z", "why": "w", "finding": "f", "changes": [
        {"remove": 1, "a": "edge001", "b": "core01"}, {"add": 2, "a": "core02", "b": "edge001"}, {"gone": True, "a": "core02"},
        {"hosts": 3, "a": "edge001"}, {"rate": "4xEDR", "a": "edge001", "a_port": 2}]}]},
    {"phases": [{"name": "a", "due": "2026-12-31", "racks": "A01", "switches": ["edge[001-002]", "core01"]}]},
    {"expect": {"hosts_down": 3, "unplanned": ["^x"], "waive": [WAIVER, {"id": "y"}]}}, {"expect": {"hosts_down": []}},
    {"nodes": 20, "core": {"count": 0}}, {"edge": {}, "core": {}}, {"edge": {"model": "Mellanox SX6036"}},
    {"core": {"model": "Mellanox SX6506", "fabric_boards": 2}}, {"objective": "cables"}, {"limits": {}},
    {"limits": {"max_links": 1000, "min_spare_ports": 0, "max_blocking": "3:1"}}, {"blocking": {"edge": 2}},
    {"levels": 3, "spine": {"ports": 36}}, {"levels": 3, "pods": 2, "blocking": {"edge": "3:2", "spine": 1.5}},
    {"levels": 3, "spine": {"ports": 36}, "pods": [{"count": 1, "edges": 3}, {"count": 1, "edges": 1}]},
    {"levels": 3, "spine": {"ports": 36, "ports_to_core": 18}, "bundle": {"edge": 9, "spine": 18}}, {"plan": {}}, {"plan": {"bundle": 9, "cost": None}}, {"cables": "plan"},
    {"cables": [{"a": "core02", "a_port": 7, "b": "edge001", "b_port": 30}], "cables_complete": False},
    {"hosts": [{"name": "n1", "edge": "edge001"}, {"guid": "0xAB", "edge": "edge002", "port": 7}]},
    {"names": [{"match": "^ib-([0-9]+)$", "as": "edge\\1"}]},
    {"levels": 3, "spine": {"ports": 36}, "pods": 2, "planes": 1, "core": {"ports": 254}},
    {"nodes": 66, "classes": [{"count": 1, "hosts": 12, "rate": {"host": "4xEDR"}, "match": "^svc"}, {"tier": "core", "count": 1, "ports": 40}]},
    {"nodes": 66, "classes": [{"count": 1, "hosts": 12, "ports_to_core": 9, "bundle": [9, 0]}]},
]

GRAPH = {"ftcheck": 1, "name": "g", "topology": "graph", "switches": [{"name": "s[1-4]", "ports": 8, "hosts": 2}],
         "links": [{"a": "s[1-4]", "b": "s[1-4]", "count": 2}]}
FINE_GRAPHS = [
    {}, {"nodes": 8}, {"rate": "4xHDR"}, {"expect": {"hosts_down": 1}}, {"hosts": [{"name": "n1", "edge": "s2", "port": 8}]},
    {"switches": [{"name": ["s[1-3]", "s4"], "kind": "leaf", "ports": 8}, {"name": "top", "ports": 4, "guid": "0xAB"}]},
    {"cables": [{"a": "s1", "a_port": 8, "b": "s3"}], "cables_complete": False}, {"cables": "plan"},
]
BAD_GRAPHS = [
    {"switches": []}, {"switches": ["s1"]}, {"switches": [{"name": "s[1-4]"}]}, {"switches": [{"ports": 8}]}, {"links": []},
    {"switches": [{"name": "s[1-4]", "ports": 255}]}, {"switches": [{"name": "s[1-4]", "ports": 8, "kind": ""}]},
    {"switches": [{"name": "s[1-4]", "ports": 8, "tier": "edge"}]}, {"switches": [{"name": "s1", "ports": 8, "guid": "0x0"}]},
    {"links": {"a": "s1", "b": "s2"}}, {"links": [{"a": "s1"}]}, {"links": [{"a": "s1", "b": "s2", "count": 0}]},
    {"links": [{"a": "s1", "b": []}]}, {"links_file": "x.csv"}, {"edge": {"ports": 8}}, {"bind": {}}, {"planes": 1},
    {"classes": [{"count": 1}]}, {"blocking": 2}, {"islands": []},
]

FAMILY = {"ftcheck": 1, "name": "f", "topology": "torus", "nodes": 24, "edge": {"ports": 36}}
FINE_FAMILIES = [
    {}, {"dims": [2, 3]}, {"dims": [2, 3], "bundle": 2}, {"dims": [2, 3], "bundle": [2, 1]}, {"dimensions": 3},
    {"topology": "any", "core": {"ports": 36}}, {"topology": "hypercube", "dimensions": 2}, {"topology": "ring", "bundle": 3},
    {"dims": [2], "edge": {"ports": 36, "hosts": [{"count": 2, "hosts": 12}]}}, {"dims": [2], "bind": {"edge": ["a", "0xAB"]}},
    {"edge": {}, "objective": "cables", "limits": {"max_switches": 3}}, {"fill": "dense"}, {"blocking": 2},
    {"topology": "dragonfly", "nodes": 4, "group": {"routers": 2}, "groups": 2, "bundle": {"local": 2},
     "links": [{"a": "g0-r0", "b": "g1-r1"}]},
]
BAD_FAMILIES = [
    {"dims": []}, {"dims": [0]}, {"dims": 4}, {"dims": [2] * 13}, {"dimensions": 0}, {"dimensions": 13}, {"bundle": 0},
    {"bundle": {"edge": 1}, "dims": [3]}, {"q": 5}, {"degree": 3}, {"group": {"routers": 3}}, {"groups": 3}, {"m": 2},
    {"arrangement": "absolute"}, {"topology": "ring", "dims": [3]}, {"levels": 3}, {"core": {"ports": 36}}, {"planes": 2},
    {"bind": {"core": ["a"]}}, {"bind": {"edge": {"match": "x"}}}, {"switches": [{"name": "s", "ports": 8}]}, {"nodes_max": 30},
    {"links": [{"a": "sw-0", "b": "sw-1"}]},
    {"topology": "dragonfly", "group": {"routers": 2}, "links": [{"a": "g0-r0", "b": "g1-r1"}]},
    {"topology": "dragonfly", "group": {"routers": 2}, "groups": 2, "arrangement": "relative",
     "links": [{"a": "g0-r0", "b": "g1-r1"}]},
    {"topology": "dragonfly", "group": {"routers": 2}, "groups": 2, "bundle": {"global": 2},
     "links": [{"a": "g0-r0", "b": "g1-r1"}]},
]

failures = []


def planned(text, *options):
    return subprocess.run([FTPLAN, *options, "-"], input=text, capture_output=True, encoding="utf-8", check=False)


def plan_keys(design):
    """What a whole plan has: spines and pods are of three levels, chassis of blades, the catalog of models."""
    keys = set(SCHEMA["definitions"]["plan"]["properties"]) - {"chassis"}
    if all(design["plan"].get(tier, {}).get("model") is None for tier in ("edge", "spine", "core")):
        keys -= {"catalog"}
    if "islands" not in design:
        keys -= {"islands"}
    if design.get("technology") != "ethernet":
        keys -= {"ethernet"}
    graph = {"topology", "nodes", "clos", "switch_hops", "kinds", "links", "spare_ports", "switches", "bundles"}
    if design.get("topology") == "graph":
        return graph
    if "dims" in design["plan"]:
        return graph | (keys & {"catalog", "dims", "edge", "expandable_to", "cost", "power_w", "weight_kg", "size_u"}) \
            | ({"figures"} & set(design["plan"]))
    keys -= {"nodes", "switch_hops", "kinds", "dims"}
    if "classes" in design or "rings" in design:
        keys -= {"figures"}
    return keys if design.get("levels") == 3 else keys - {"spine", "pods"}


def expect(what, truth, why=""):
    if not truth:
        failures.append(what)
        print(f"not ok - {what} {why}")


def check_good(what, text):
    """Both take the design, and what ftplan makes of it is a design to both, the same when written again."""
    design = json.loads(text)
    errors = [e.message for e in VALIDATOR.iter_errors(design)]
    expect(f"{what}: the schema takes it", not errors, errors)
    first = planned(text, "--format", "json")
    expect(f"{what}: ftplan takes it", first.returncode == 0, first.stderr)
    if first.returncode != 0:
        return
    written = json.loads(first.stdout)
    errors = [e.message for e in VALIDATOR.iter_errors(written)]
    expect(f"{what}: the schema takes ftplan's JSON", not errors, errors)
    expect(f"{what}: the design is kept", {k: v for k, v in written.items() if k != "plan"} ==
           {k: v for k, v in design.items() if k != "plan"})
    expect(f"{what}: the order of keys is kept", [k for k in written if k != "plan"] == [k for k in design if k != "plan"])
    expect(f"{what}: ftplan's JSON has a whole plan",
           set(written["plan"]) == plan_keys(written))
    second = planned(first.stdout, "--format", "json")
    expect(f"{what}: ftplan's JSON gives itself", second.stdout == first.stdout, second.stderr)


def check_catalog_known(name):
    """Prices are those of the catalog that the plan was made with, though it is not named again."""
    what = f"a plan from {name}"
    chosen = planned(json.dumps({"ftcheck": 1, "name": "t", "nodes": 600}), "--catalog", name, "--format", "json")
    expect(f"{what}: it has the name", json.loads(chosen.stdout)["plan"]["catalog"] == name)
    bill = planned(chosen.stdout, "--format", "bom")
    expect(f"{what}: the same bill", bill.stdout == planned(chosen.stdout, "--format", "bom", "--catalog", name).stdout,
           bill.stdout + bill.stderr)
    expect(f"{what}: a bill", bill.returncode == 0 and "total," in bill.stdout, bill.stderr)
    for other in CATALOGS:
        result = planned(chosen.stdout, "--catalog", other)
        line = result.stderr.partition(": ")[2]
        expect(f"{what}: read with {other}", result.returncode == 0 if other == name else line ==
               f"\"plan.catalog\" is \"{name}\" here, but the design gives \"{other}\"\n", result.stderr)


def check_catalog_unknown():
    """Of a catalog that is not built in, the file knows no more than its plan; nor is a file read by its word."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "shop.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"ftcheck_catalog": 1, "name": path, "cable_cost": 3, "switches": [
                {"model": "S8", "roles": ["edge", "core"], "ports": 8, "cost": 40}]}, file)
        chosen = planned(json.dumps({"ftcheck": 1, "name": "t", "nodes": 9}), "--catalog", path, "--format", "json")
        expect("a plan from a file: it has the name", json.loads(chosen.stdout)["plan"]["catalog"] == path)
        bill = planned(chosen.stdout, "--format", "bom", "--catalog", path)
        expect("a plan from a file: a bill with prices", bill.stdout.splitlines()[-1].split(",")[5] == "263", bill.stdout)
        bill = planned(chosen.stdout, "--format", "bom")
        expect("a plan from a file: a bill without", bill.returncode == 0 and bill.stdout.splitlines()[-1].split(",")[5] == "" and
               f"prices are not known, as the catalog \"\"{path}\"\" is not at hand: name it with --catalog" in bill.stdout,
               bill.stdout + bill.stderr)


samples = sorted(name for name in os.listdir(SAMPLES) if name.endswith(".json"))
expect("there are samples", len(samples) >= 3)
for name in samples:
    with open(os.path.join(SAMPLES, name), encoding="utf-8") as f:
        sample = f.read()
    check_good(name, sample)
    notes = json.loads(sample).get("why", {})
    for key, value in json.loads(sample).items():
        inner = [f"{key}.{k}" for k in value] if isinstance(value, dict) else []
        expect(f"{name}: \"why\" explains \"{key}\"",
               key == "why" or key in notes or (inner and all(k in notes for k in inner)))
for name in ("every_key.json", "star.json", "uniform.json", "plan.json", "graph.json", "classes.json"):
    with open(os.path.join(SEEDS, name), encoding="utf-8") as f:
        check_good(name, f.read())
for change in FINE:
    check_good(f"with {change}", json.dumps({**GOOD, **change}))
for change in FINE_GRAPHS:
    check_good(f"a graph with {change}", json.dumps({**GRAPH, **change}))
for change in FINE_FAMILIES:
    check_good(f"a family with {change}", json.dumps({**FAMILY, **change}))
for change, base in [(c, GOOD) for c in BAD] + [(c, GRAPH) for c in BAD_GRAPHS] + [(c, FAMILY) for c in BAD_FAMILIES]:
    design = {**base, **change}
    expect(f"with {change}: the schema refuses it", not VALIDATOR.is_valid(design))
    result = planned(json.dumps(design))
    expect(f"with {change}: ftplan refuses it with a place and status 3",
           result.returncode == 3 and result.stderr.startswith("-:1:") and not result.stdout, result.stderr)
for name in CATALOGS:
    check_catalog_known(name)
check_catalog_unknown()
for key in ("ftcheck", "name", "nodes"):
    design = {k: v for k, v in GOOD.items() if k != key}
    expect(f"without {key}: the schema refuses it", not VALIDATOR.is_valid(design))
    expect(f"without {key}: ftplan refuses it", planned(json.dumps(design)).returncode == 3)

print(f"{len(samples)} samples, {len(FINE + FINE_GRAPHS + FINE_FAMILIES)} good and {len(BAD + BAD_GRAPHS + BAD_FAMILIES) + 3} bad designs, {len(failures)} failures")
sys.exit(1 if failures else 0)
