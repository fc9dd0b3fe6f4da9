#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The plans of families against figures that were computed elsewhere ($FT_SHARED/reference/topologies), row by row.

Each row is planned by ftplan. Switches, cables, ports and hosts are then counted in its JSON, and distances measured by a
breadth-first search from every switch; the label and all that the family knows of its figures play no part.
"""
import csv
import json
import os
import subprocess
import sys

SHARED = os.path.join(os.environ.get("FT_SHARED", "../shared"), "reference/topologies")
FTPLAN = os.path.join(os.environ.get("FT_BUILDDIR", "."), "ftplan")
failures = 0


def result(good, what, detail=""):
    global failures
    print(("ok - " if good else "not ok - ") + what)
    if not good:
        print("  " + detail)
    failures += not good


def rows(name):
    with open(os.path.join(SHARED, name), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def planned(keys):
    design = json.dumps({"ftcheck": 1, "name": "reference", **keys})
    done = subprocess.run([FTPLAN, "--format", "json", "/dev/stdin"], input=design, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)["plan"]


def distances(near):
    """The longest distance, and the sum of all, by searches whose sets of switches are the bits of a number."""
    longest = total = 0
    count = len(near)
    for start in range(count):
        seen = front = 1 << start
        reached, steps = [start], 0
        while seen.bit_count() < count:
            grown = 0
            for switch in reached:
                grown |= near[switch]
            front = grown & ~seen
            if not front:
                raise RuntimeError("in parts")
            seen |= front
            steps += 1
            total += steps * front.bit_count()
            # Of the last step nothing more is asked.
            reached = bits(front) if seen.bit_count() < count else []
        longest = max(longest, steps)
    return longest, total


def bits(number):
    found = []
    while number:
        lowest = number & -number
        found.append(lowest.bit_length() - 1)
        number ^= lowest
    return found


def measured(plan):
    """What the rows name, counted."""
    place = {switch["name"]: i for i, switch in enumerate(plan["switches"])}
    near, ports = [0] * len(place), [0] * len(place)
    for bundle in plan["bundles"]:
        a, b = place[bundle["a"]], place[bundle["b"]]
        near[a] |= 1 << b
        near[b] |= 1 << a
        ports[a] += bundle["count"]
        ports[b] += bundle["count"]
    longest, total = distances(near)
    hosts = [switch["hosts"] for switch in plan["switches"]]
    return {
        "switches": len(place), "sw_links": sum(bundle["count"] for bundle in plan["bundles"]),
        "net_radix": max(ports), "hosts": sum(hosts), "hosts_per_switch": max(hosts), "diameter": longest,
        "halving_cut": plan.get("figures", {}).get("bisection_links"),
        "mean_hops": total / (len(place) * (len(place) - 1)), "evenly": min(ports) == max(ports),
        "crossed": plan["clos"], "apart": ratio(plan["switch_hops"])}


def ratio(value):
    """A number, or "13:7"."""
    over, _, under = str(value).partition(":")
    return float(over) / float(under or 1)


def check(what, keys, expected):
    """@expected: by measured()'s names the texts of the row; the mean is compared to as many digits as are printed."""
    try:
        found = measured(planned(keys))
    except RuntimeError as error:
        result(False, what, str(error))
        return
    wrong = [f"{key} is {found[key]}, not {text}" for key, text in expected.items() if text != ""
             and (abs(found[key] - float(text)) > 0.51 * 10.0 ** -len(text.partition(".")[2])
                  if key == "mean_hops" else found[key] != int(text))]
    if not found["evenly"]:
        wrong.append("switches have unlike numbers of cables")
    if found["crossed"] != found["diameter"] + 1:
        wrong.append(f"the plan says that a packet crosses up to {found['crossed']} switches")
    if abs(found["apart"] - found["mean_hops"]) > 1e-3:
        wrong.append(f"the plan says that switches are {found['apart']} cables apart on average, not {found['mean_hops']}")
    result(not wrong, what, "; ".join(wrong))


def pick(row, **names):
    return {ours: row[theirs] for ours, theirs in names.items()}


FIGURES = {"switches": "switches", "sw_links": "sw_links", "diameter": "diameter"}


def slim_flies():
    for row in rows("slimfly.csv"):
        check(f"slim fly q={row['q']}", {"topology": "slim-fly", "q": int(row["q"]),
                                         "edge": {"ports": int(row["switch_ports"])}},
              pick(row, **FIGURES, net_radix="net_radix", mean_hops="mean_hops", hosts="hosts",
                   hosts_per_switch="hosts_per_switch"))


def tori():
    for row in rows("torus.csv"):
        check(f"torus {row['dims']} of {row['links_per_direction']}",
              {"topology": "torus", "dims": [int(size) for size in row["dims"].split("x")],
               "bundle": int(row["links_per_direction"]), "edge": {"ports": int(row["net_ports"]) + 1}},
              pick(row, **FIGURES, net_radix="net_ports", mean_hops="mean_hops", halving_cut="halving_cut_links"))


def indirect_cubes():
    """Switches of 36 ports, of which 20 are of hosts and 4 of each direction."""
    for row in rows("seed001-indirect-cube.csv"):
        check(f"indirect cube of {row['racks']} racks",
              {"topology": "torus", "dims": [int(row["grid_x"]), int(row["grid_y"])], "bundle": 4,
               "edge": {"ports": 36}}, pick(row, **FIGURES, mean_hops="mean_sw_hops", hosts="hosts",
                                        halving_cut="halving_cut_links"))


def hyperx():
    for row in rows("hyperx.csv"):
        # Cables between one column and the other two: these are no halves.
        cut = {} if row["dims"] == "4x3" else {"halving_cut": "halving_cut_links"}
        hosts = int(row["hosts_per_switch"])
        check(f"HyperX {row['dims']}",
              {"topology": "hyperx", "dims": [int(size) for size in row["dims"].split("x")],
               "edge": {"ports": int(row["net_radix"]) + max(hosts, 1)}},
              pick(row, **FIGURES, net_radix="net_radix", mean_hops="mean_hops", **cut,
                   **({"hosts": "hosts", "hosts_per_switch": "hosts_per_switch"} if hosts else {})))


def main():
    if not os.path.exists(os.path.join(SHARED, "slimfly.csv")):
        print(f"skipped: no {SHARED}")
        return 77
    slim_flies()
    tori()
    indirect_cubes()
    hyperx()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
