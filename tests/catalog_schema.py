#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The catalog's JSON Schema and the reader agree: on the catalogs that are shipped, and on what both refuse."""
import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: no python3-jsonschema")
    sys.exit(77)

SOURCE = os.environ["FT_SRCDIR"]
TOOL = os.path.join(os.environ["FT_BUILDDIR"], "tests", "catalog_tool")
CATALOGS = os.path.join(SOURCE, "etc", "catalog")
SEEDS = os.path.join(SOURCE, "tests", "data", "fuzz_catalog")

with open(os.path.join(SOURCE, "etc", "catalog.schema.json"), encoding="utf-8") as f:
    SCHEMA = json.load(f)
jsonschema.Draft7Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)

CATALOG = {"ftcheck_catalog": 1, "name": "t", "switches": [{"model": "m", "roles": ["core"], "ports": 36}]}
FIXED = {"model": "a", "roles": ["edge"], "ports": 36}
RANGE = {"model": "c", "roles": ["edge"], "any_ports": {"from": 8, "to": 17, "step": 2}}
BOARDS = {"model": "b", "roles": {"core": "all"}, "line_boards": {"slots": 6, "ports": 18}}

# What is merged into a good catalog, a fixed and a modular switch, and by that must become refused by both. None takes
# a key away.
BAD_CATALOGS = [
    {"ftcheck_catalog": 2}, {"ftcheck_catalog": "1"}, {"ftcheck_catalog": None}, {"name": ""}, {"name": 1},
    {"name": "x" * 201}, {"name": None}, {"source": 1}, {"source": ""}, {"source": "x" * 4001}, {"notice": []},
    {"currency": 1}, {"prices_of": 2013}, {"cable_cost": "80"}, {"cable_cost": -1}, {"cable_cost": 1000000001}, {"switches": []},
    {"switches": {}}, {"switches": [1]}, {"switches": None}, {"note": 1}, {"why": "x"}, {"why": {"a": 1}},
    {"colour": 1}, {"ftcheck": 1},
    {"cables": []}, {"cables": {}}, {"cables": [1]}, {"cables": [{}]}, {"cables": [{"type": "copper"}]},
    {"cables": [{"type": "optical", "max_m": -1}]}, {"cables": [{"type": "optical", "cost": "1"}]},
    {"cables": [{"type": "optical", "length": 1}]},
]
BAD_FIXED = [
    {"model": None}, {"model": ""}, {"name": "{port}"}, {"name": "}"}, {"vendor": 1}, {"technology": ""},
    {"connector": []}, {"roles": None}, {"roles": []}, {"roles": "edge"}, {"roles": ["leaf"]},
    {"roles": ["edge", "edge"]}, {"roles": {"edge": "all"}}, {"ports": None}, {"ports": 1}, {"ports": 36.5},
    {"ports": 4097, "modular": True}, {"ports": 255}, {"ports": 255, "modular": False}, {"modular": 1}, {"cost": -0.1},
    {"cost": True}, {"power_w": "1"}, {"weight_kg": []}, {"size_u": 1000000000.5}, {"chassis": {}},
    {"fabric_boards": {"slots": 1}}, {"line_boards": {"slots": 6, "ports": 18}}, {"blade": {}}, {"blade": []},
    {"blade": {"servers": 0}}, {"blade": {"servers": 1, "size_u": 0}}, {"blade": {"servers": 1, "rack_chassis": 101}},
    {"blade": {"servers": 1, "pass_through": ""}}, {"blade": {"servers": 1}, "modular": True}, {"why": []},
    {"note": None}, {"port": 36},
]
BAD_MODULAR = [
    {"modular": False}, {"ports": 108}, {"cost": 1}, {"power_w": None}, {"weight_kg": 1}, {"size_u": 1},
    {"blade": {"servers": 1}}, {"roles": {}}, {"roles": {"leaf": "all"}}, {"roles": {"edge": "half"}},
    {"roles": {"edge": 0}}, {"roles": {"edge": True}}, {"line_boards": {}}, {"line_boards": {"slots": 6}},
    {"line_boards": {"ports": 6}}, {"line_boards": {"slots": 0, "ports": 18}}, {"line_boards": {"slots": 1001, "ports": 2}},
    {"line_boards": {"slots": 6, "ports": 1}}, {"line_boards": {"slots": 6, "ports": 18, "min": 0}},
    {"line_boards": {"slots": 6, "ports": 18, "size_u": 1}}, {"chassis": {"slots": 1}}, {"chassis": {"cost": "1"}},
    {"fabric_boards": {}}, {"fabric_boards": {"slots": 1, "ports": 1}}, {"fabric_boards": {"slots": 1, "cost": -1}},
    {"fabric_boards": {"slots": 1, "why": 1}}, {"chassis": {"note": 1}},
]

BAD_RANGE = [
    {"any_ports": {"from": 1, "to": 8}}, {"any_ports": {"from": 8}}, {"any_ports": {"to": 255, "from": 8}},
    {"any_ports": {"from": 8, "to": 16, "step": 0}}, {"any_ports": {"from": 8, "to": 16, "cost": 1}}, {"ports": 36},
    {"modular": False}, {"blade": {"servers": 4}}, {"chassis": {}}, {"line_boards": {"slots": 6, "ports": 18}},
    {"roles": {"edge": "all"}},
]

# Merged the same way, these stay good. The second of each is how many switches there are then, CATALOG's own included.
FINE_CATALOGS = [
    {}, {"cable_cost": None}, {"cable_cost": 79.99}, {"source": "s", "notice": "n", "currency": "EUR", "prices_of": "2013"},
    {"note": "", "why": {"a": "b"}},
    {"cables": [{"type": "electric", "max_m": 2.5, "cost": 1, "cost_per_m": None, "note": ""}, {"type": "optical"}]},
]
FINE_FIXED = [
    ({}, 2), ({"name": "{model} {ports} {boards}"}, 2), ({"roles": ["edge", "spine", "core", "star"]}, 2),
    ({"ports": 254}, 2), ({"ports": 36, "modular": True}, 2), ({"ports": 4096, "modular": True}, 2),
    ({"ports": 36, "modular": False}, 2), ({"cost": None, "power_w": 0, "weight_kg": 77.3, "size_u": 1}, 2),
    ({"blade": {"servers": 16, "size_u": 10, "rack_chassis": 4, "pass_through": "p", "note": "", "why": {}}}, 2),
    ({"vendor": "v", "technology": "t", "connector": "c", "note": "n", "why": {"cost": "c"}}, 2),
]
FINE_RANGE = [
    ({}, 6), ({"cost": 100, "power_w": None, "size_u": 1}, 6), ({"name": "{ports} ports"}, 6),
    ({"any_ports": {"from": 254, "to": 254, "step": 7, "cost_per_port": 1.5, "cost_less": 3, "power_w_per_port": 2.8,
                    "note": "", "why": {}}}, 2),
]
FINE_MODULAR = [
    ({}, 7), ({"modular": True}, 7), ({"roles": ["edge", "core"]}, 7), ({"roles": {"edge": "full"}}, 2),
    ({"roles": {"edge": "full", "spine": 4, "core": 3, "star": "full"}}, 5),
    ({"line_boards": {"slots": 6, "ports": 18, "min": 5, "cost": 1, "power_w": 2, "weight_kg": 2.8}}, 3),
    ({"fabric_boards": {"slots": 3, "cost": None, "power_w": 1, "weight_kg": 0.5, "note": "", "why": {}}}, 7),
    ({"chassis": {"cost": 1, "power_w": 2, "weight_kg": 3, "size_u": 4, "note": "", "why": {}}}, 7),
    ({"chassis": {}}, 7),
]

failures = []


def expect(what, truth, why=""):
    if not truth:
        failures.append(what)
        print(f"not ok - {what} {why}")


def read(text):
    """What the reader makes of a catalog: its status, its switches and its error."""
    result = subprocess.run([TOOL, "/dev/stdin"], input=text, capture_output=True, encoding="utf-8", check=False)
    return result.returncode, result.stdout.splitlines(), result.stderr


def check_good(what, text, count=None):
    errors = [e.message for e in VALIDATOR.iter_errors(json.loads(text))]
    expect(f"{what}: the schema takes it", not errors, errors)
    status, switches, error = read(text)
    expect(f"{what}: the reader takes it", status == 0, error)
    expect(f"{what}: {count} switches", count in (None, len(switches)), len(switches))


def check_bad(what, catalog):
    expect(f"{what}: the schema refuses it", not VALIDATOR.is_valid(catalog))
    status, switches, error = read(json.dumps(catalog))
    expect(f"{what}: the reader refuses it with a place", status == 3 and not switches and ":1:" in error, error)


def with_switch(switch):
    return {**CATALOG, "switches": CATALOG["switches"] + [switch]}


shipped = sorted(name for name in os.listdir(CATALOGS) if name.endswith(".json"))
expect("there are catalogs", len(shipped) >= 3)
for directory, names in ((CATALOGS, shipped), (SEEDS, ["every_key.json", "plain.json"])):
    for name in names:
        with open(os.path.join(directory, name), encoding="utf-8") as f:
            check_good(name, f.read())
for change in FINE_CATALOGS:
    check_good(f"with {change}", json.dumps({**CATALOG, **change}), 1)
for switch, changes in ((FIXED, FINE_FIXED), (RANGE, FINE_RANGE), (BOARDS, FINE_MODULAR)):
    for change, count in changes:
        check_good(f"{switch['model']} with {change}", json.dumps(with_switch({**switch, **change})), count)
for change in BAD_CATALOGS:
    check_bad(f"with {change}", {**CATALOG, **change})
for switch, changes in ((FIXED, BAD_FIXED), (RANGE, BAD_RANGE), (BOARDS, BAD_MODULAR)):
    for change in changes:
        check_bad(f"{switch['model']} with {change}", with_switch({**switch, **change}))
for switch in (FIXED, RANGE, BOARDS):
    for key in switch:
        check_bad(f"{switch['model']} without {key}", with_switch({k: v for k, v in switch.items() if k != key}))
for key in CATALOG:
    check_bad(f"without {key}", {k: v for k, v in CATALOG.items() if k != key})

print(f"{len(shipped)} catalogs shipped, {len(BAD_CATALOGS + BAD_FIXED + BAD_RANGE + BAD_MODULAR)} bad ones, {len(failures)} failures")
sys.exit(1 if failures else 0)
