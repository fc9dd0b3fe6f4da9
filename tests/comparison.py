#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""ftplan --compare against its schema, and against published figures where they are at hand.

Those are the tables of the Slim Fly document (sc14-tables.json), medians of an independent simulation of failing cables
(resilience-monte-carlo.csv), and sizes of Slim Fly networks (slimfly.csv). What cannot be as printed is computed from the
construction, and why is said here and in ftplan(1).
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

SHARED = os.path.join(os.environ.get("FT_SHARED", "../shared"), "reference", "topologies")
FTPLAN = os.path.join(os.environ.get("FT_BUILDDIR", "."), "ftplan")
SOURCE = os.environ["FT_SRCDIR"]
CATALOG = os.path.join(SOURCE, "etc", "catalog", "slim-fly-2014.json")
failures = 0


def result(good, what, *details):
    global failures
    print(("ok - " if good else "not ok - ") + what)
    for line in () if good else details[:10]:
        print(f"  {line}"[:400])
    failures += not good


def compare(*arguments):
    output = subprocess.run([FTPLAN, "--compare", *arguments], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
    return output


def rows_of(designs, directory, *arguments):
    """The row of each design, by its name."""
    paths = []
    for name, design in designs.items():
        paths.append(os.path.join(directory, name + ".json"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            json.dump({"ftcheck": 1, "name": name, **design}, file)
    rows = json.loads(compare(*paths, "--format", "json", *arguments))["rows"]
    return {row["asked"]: {name: figure["value"] for name, figure in row["figures"].items()} | {"all": row}
            for row in rows}


def with_hosts(topology, ports, hosts_each, nodes, **keys):
    return {"topology": topology, "nodes": nodes, "edge": {"ports": ports, "ports_to_nodes": hosts_each}, **keys}


def priced(topology, ports, hosts_each, nodes, **keys):
    design = with_hosts(topology, ports, hosts_each, nodes, **keys)
    design["edge"]["model"] = "router"
    return design


def check_schema():
    try:
        import jsonschema
    except ImportError:
        print("ok - the schema # SKIP no python3-jsonschema")
        return
    with open(os.path.join(SOURCE, "etc", "comparison.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    for arguments in (["all", "--nodes", "200"], ["all", "--nodes", "50..200..75"], ["star", "--nodes", "5000"],
                      ["torus", "--nodes", "90", "--catalog", "infiniband"], ["star", "--nodes", "1"],
                      ["all", "--nodes", "90", "--catalog", CATALOG]):
        errors = [e.message for e in validator.iter_errors(json.loads(compare(*arguments, "--format", "json")))]
        result(not errors, f"the schema takes {' '.join(arguments[:3])}", *errors)


def check_csv():
    """csv and json say the same."""
    listed = list(csv.DictReader(compare("all", "--nodes", "200", "--format", "csv").splitlines()))
    rows = json.loads(compare("all", "--nodes", "200", "--format", "json"))["rows"]
    differ = []
    for row, other in zip(listed, rows, strict=True):
        for name, figure in other.get("figures", {}).items():
            value = None if row[name] == "" else float(row[name])
            if value != figure["value"] or row.get(name + "_how", figure["how"]) != figure["how"]:
                differ.append((row["asked"], name, row[name], figure))
    result(not differ, "csv and json have the same figures", *differ)


def check_designs_of_the_document(directory):
    """Hosts, switches, watts and, where they follow from the construction, cables of the two tables."""
    with open(os.path.join(SHARED, "sc14-tables.json"), encoding="utf-8") as file:
        document = json.load(file)
    radix, size = ({row["topology"]: row for row in document[table]}
                   for table in ("cost_power_same_radix", "cost_power_same_hosts"))
    # The ports of a design are those that it needs: of a dragonfly and of a random network the printed ones.
    designs = {
        "slim-fly": (priced("slim-fly", 44, 15, 10830, q=19), radix["slim fly"]),
        "dragonfly 27": (priced("dragonfly", 27, 7, 9702, group={"routers": 14, "global": 7}, groups=99), size["dragonfly"]),
        "random 28": (priced("random", 28, 7, 9702, degree=21, seed=1), size["random"]),
        "butterfly 10": (priced("hyperx", 37, 10, 10000, dims=[10, 10, 10], bundle=1), size["flattened butterfly"]),
        "unbalanced": (priced("dragonfly", 43, 11, 10890, group={"routers": 22, "global": 11}, groups=45),
                       document["cost_power_dragonfly_unbalanced"][0]),
    }
    rows = rows_of({name: design for name, (design, _) in designs.items()}, directory, "--catalog", CATALOG)
    for name, (design, printed) in designs.items():
        row, ports = rows[name], design["edge"]["ports"]
        seen = (row["all"]["nodes"], row["switches"])
        result(seen == (printed["hosts"], printed["switches"]), f"{name}: hosts and switches", seen, printed)
        watts = printed["switches"] * ports * 4 * 0.7 / printed["hosts"]
        result(abs(row["power_w_per_host"] - watts) < 1e-3, f"{name}: watts per host", row["power_w_per_host"], watts)
        if ports == printed["switch_ports"]:
            result(abs(row["power_w_per_host"] - printed["watt_per_host"]) < 0.06, f"{name}: watts as printed",
                   row["power_w_per_host"], printed)
        cost = row["cost"] / design["nodes"]
        result(abs(cost - row["cost_per_host"]) < 0.01, f"{name}: cost per host", cost, row["cost_per_host"])
        result(row["electric_cables"] + row["optical_cables"] == row["host_cables"] + row["switch_cables"],
               f"{name}: a cable is electric or optical", row)
    row, printed = rows["dragonfly 27"], size["dragonfly"]
    result(row["group_cables"] == printed["electric_cables"], "dragonfly: cables within groups", row, printed)
    # Each two groups have one cable; the document prints h^2 more.
    result(row["switch_cables"] - row["group_cables"] == printed["fiber_cables"] - 7 * 7,
           "dragonfly: cables between groups", row, printed)
    row, printed = rows["butterfly 10"], size["flattened butterfly"]
    result(row["group_cables"] == printed["electric_cables"], "butterfly: cables of one dimension", row, printed)
    # The document counts one more a switch.
    result(row["switch_cables"] - row["group_cables"] == printed["fiber_cables"] - printed["switches"],
           "butterfly: cables of the others", row, printed)
    # A group of the plan is two of the construction, one of each kind, as the document puts them into one rack: 19 * 19
    # cables more. 29 ports to switches, by construction: 722 * 29 / 2 cables, and with 15 hosts 44 ports, not 43.
    row = rows["slim-fly"]
    result((row["switch_cables"], row["group_cables"]) == (10469, 3610 + 19 * 19), "slim-fly: cables by construction", row)
    order = sorted(("slim-fly", "dragonfly 27", "random 28"), key=lambda name: rows[name]["cost_per_host"])
    result(order == ["slim-fly", "dragonfly 27", "random 28"], "the cheaper networks are the document's", order)


def resilience_design(what):
    words = what.split()
    if words[0] == "torus":
        dims = [int(size) for size in words[1].split("x")]
        return with_hosts("torus", 2 * len(dims) + 1, 1, math.prod(dims), dims=dims, bundle=1)
    if words[0] == "hypercube":
        dimensions = int(words[1])
        return with_hosts("hypercube", dimensions + 1, 1, 2 ** dimensions, dimensions=dimensions, bundle=1)
    parameter = int(words[1].split("=")[1])
    if words[0] == "dragonfly":
        routers, groups = 2 * parameter, 2 * parameter * parameter + 1
        return with_hosts("dragonfly", 4 * parameter - 1, parameter, routers * groups * parameter, groups=groups,
                          group={"routers": routers, "global": parameter})
    return with_hosts("slim-fly", 64, 1, 2 * parameter * parameter, q=parameter)


def check_resilience(directory):
    """
    Medians of as many orders, drawn elsewhere. Of about normal samples the median's error is 1.25 sigma / sqrt(60), and
    sigma a 2.56th of the middle four fifths; two medians differ by less than four times sqrt(2) of that.
    """
    with open(os.path.join(SHARED, "resilience-monte-carlo.csv"), newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    designs = {row["topology"]: resilience_design(row["topology"]) for row in table}
    rows = rows_of(designs, directory)
    medians = {}
    for row in table:
        name, seen = row["topology"], rows[row["topology"]]
        result((seen["switches"], seen["switch_cables"]) == (int(row["switches"]), int(row["links"])),
               f"{name}: switches and cables", seen, row)
        error = 1.25 * (float(row["p90"]) - float(row["p10"])) / 2.56 / math.sqrt(60)
        expected = float(row["median_share_removed_at_disconnection"])
        result(abs(seen["links_lost"] - expected) < 4 * math.sqrt(2) * error, f"{name}: links lost",
               f"{seen['links_lost']}, expected {expected} +- {4 * math.sqrt(2) * error:.3f}")
        medians.setdefault(row["approx_hosts_in_the_paper"], []).append((seen["links_lost"], float(row["published_percent"]), name))
    for hosts, found in medians.items():
        # Where the document says that one withstands more by ten percent or so, it does.
        wrong = [(a, b) for a in found for b in found if a[1] >= b[1] + 10 and a[0] <= b[0]]
        result(not wrong, f"the document's order at {hosts} hosts", *wrong)


def check_slim_flies(directory):
    with open(os.path.join(SHARED, "slimfly.csv"), newline="", encoding="utf-8") as file:
        table = [row for row in csv.DictReader(file) if int(row["q"]) <= 13]
    designs = {row["q"]: with_hosts("slim-fly", int(row["switch_ports"]), int(row["hosts_per_switch"]), int(row["hosts"]),
                                    q=int(row["q"])) for row in table}
    rows = rows_of(designs, directory)
    for row in table:
        seen = rows[row["q"]]
        good = (seen["switches"] == int(row["switches"]) and seen["switch_cables"] == int(row["sw_links"])
                and seen["group_cables"] == int(row["links_within_groups"]) + int(row["q"]) ** 2 and seen["diameter"] == int(row["diameter"])
                and abs(seen["mean_hops"] - float(row["mean_hops"])) < 1e-4
                and abs(seen["of_moore"] - float(row["of_moore"])) < 1e-4)
        result(good, f"slim-fly q={row['q']}", seen, row)


check_schema()
check_csv()
if os.path.isdir(SHARED):
    with tempfile.TemporaryDirectory() as work:
        check_designs_of_the_document(work)
        check_resilience(work)
        check_slim_flies(work)
else:
    print("ok - published figures # SKIP no reference data")
print(f"{failures} failures")
sys.exit(1 if failures else 0)
