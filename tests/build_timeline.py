#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
ftcheck --build on fabrics that are cabled step by step, with mistakes: each planned cable has one state, the states add up
to the plan, and text, CSV, JSON and the report agree; what is not due is no fault.

  build_timeline.py [--seed N] [--rounds N]
"""
import argparse
import csv
import io
import json
import os
import random
import re
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

import results
from results import FTCHECK, FTPLAN, result, write

STATES = ("right", "missing", "half", "wrong-port", "wrong-switch", "wrong-rail", "slow", "not-due", "unknown")
IN_PLACE = ("right", "half", "slow")
TREE = {"ftcheck": 1, "name": "tree", "nodes": 72, "edge": {"ports": 12}, "core": {"ports": 36}, "rate": "4xHDR"}
TORUS = {"ftcheck": 1, "name": "torus", "topology": "torus", "dims": [3, 4], "edge": {"ports": 12}, "nodes": 48}
PHASES = [{"name": "first", "due": "2026-06-01", "switches": "edge[001-006]"},
          {"name": "second", "due": "2026-07-01", "switches": ["edge[007-012]"]}]


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


def shape_is_right(built):
    """By the schema, where there is something to check it by; else it is tested elsewhere."""
    with open(os.path.join(os.environ["FT_SRCDIR"], "etc", "build.schema.json"), encoding="utf-8") as file:
        return not jsonschema or jsonschema.Draft7Validator(json.load(file)).is_valid(built)


class Network:
    """The planned network: its links, and what the dump says of its nodes."""

    def __init__(self, design):
        text = subprocess.run([FTPLAN, design, "--format", "ibsim"], check=True, capture_output=True, text=True).stdout
        self.heads, self.names, links, node = {}, {}, set(), None
        for line in text.splitlines():
            head = re.match(r'^(?:Switch|Ca)\s+\d+\s+"([^"]+)"\s*# "([^"]*)"', line)
            link = re.match(r'^\[(\d+)\](?:\([^)]*\))?\s*"([^"]+)"\[(\d+)\]', line)
            if head:
                node = head[1]
                self.heads[node], self.names[node] = line, head[2]
            elif link:
                links.add(tuple(sorted([(node, int(link[1])), (link[2], int(link[3]))])))
        self.links = sorted(links)

    def dump(self, links, rates=None, start=None):
        """The part around a host, by default the first, as ibnetdiscover would print it; @rates: of some cables, by an end."""
        ends = {}
        for a, b in links:
            ends.setdefault(a[0], {})[a[1]] = b
            ends.setdefault(b[0], {})[b[1]] = a
        start = start or min((n for n in ends if n.startswith("H")), key=lambda n: self.names[n])
        seen, todo, lines = {start}, [start], []
        while todo:
            for far in ends[todo.pop()].values():
                if far[0] not in seen:
                    seen.add(far[0])
                    todo.append(far[0])
        for node in self.heads:
            if node not in seen:
                continue
            lines.append(self.heads[node])
            for port, far in sorted(ends[node].items()):
                rate = (rates or {}).get((node, port)) or (rates or {}).get(far) or "4xHDR"
                lines.append('[%d]\t"%s"[%d]\t\t# "%s" lid 0 %s' % (port, far[0], far[1], self.names[far[0]], rate))
            lines.append("")
        return "\n".join(lines)


def exchange(rng, links):
    """Two cables between switches change ends."""
    (a, b), (c, d) = pair = rng.sample([link for link in links if all(end[0].startswith("S") for end in link)], 2)
    for link in pair:
        links.remove(link)
    links += [tuple(sorted([a, d])), tuple(sorted([b, c]))]


def steps(rng, network, count):
    order = sorted(network.links, key=lambda link: (min(network.names[e[0]] for e in link if e[0].startswith("S")),
                                                    rng.random()))
    host = min((e[0] for link in order for e in link if e[0].startswith("H")), key=lambda n: network.names[n])
    first = [link for link in order if host in (link[0][0], link[1][0])]
    for step in range(1, count + 1):
        here = [link for link in order[:len(order) * step // count] if link not in first] + first
        slow = {}
        if step < count:
            exchange(rng, here)
            for link in rng.sample([link for link in here if link not in first], 3):
                here.remove(link)
            slow = {rng.choice(here)[0]: "4xSDR"}
        yield step == count, network.dump(here, slow)


def check_step(what, design, dump, day, cables, last):
    common = ("--plan", design, "--from", dump, "--day", day)
    # A plan without phases is judged as one that is built up by --build alone.
    report = run(FTCHECK, *common, "--format", "json")
    built = run(FTCHECK, *common, "--build", "--format", "json")
    rows = run(FTCHECK, *common, "--build", "--format", "csv", "-v")
    if built.returncode > 2 or report.returncode > 2:
        result(what, False, built.stderr, report.stderr)
        return
    build, counts = json.loads(built.stdout), json.loads(report.stdout)["counts"]
    tally = {state: sum(c["state"] == state for c in build["cables"]) for state in STATES}
    bad = []
    if sum(tally.values()) != len(cables) or len(build["cables"]) != len(cables):
        bad.append("the states of %d cables add up to %d" % (len(cables), sum(tally.values())))
    if any(build["all"][state] != tally[state] for state in STATES):
        bad.append("all: %s" % build["all"])
    for table in ("racks", "groups", "kinds", "phases"):
        if build[table] and any(sum(r[s] for r in build[table]) != tally[s] for s in STATES):
            bad.append("the %s do not add up" % table)
    if any(sum(r[s] for s in STATES) != r["planned"] for t in ("racks", "kinds") for r in build[t]):
        bad.append("a row does not add up")
    for cable, row in zip(build["cables"], cables):
        ends = [(cable[e]["name"], str(cable[e]["port"]), cable[e]["rack"], str(cable[e]["unit"])) for e in "ab"]
        if ends != [(row[e], row[e + "_port"], row[e + "_rack"], row[e + "_unit"]) for e in "ab"]:
            bad.append("cable %d is %s and in the list %s" % (cable["cable"], ends, row))
            break
    if [(r["cable"], r["state"]) for r in csv.DictReader(io.StringIO(rows.stdout))] != \
            [(str(c["cable"]), c["state"]) for c in build["cables"]]:
        bad.append("CSV and JSON differ")
    codes = {f["code"] for f in json.loads(report.stdout)["findings"]}
    if "phases" in design_keys(design):
        # In half a torus with exchanged cables, several ways to place the switches may fit as well.
        if "edge" in cables[-1]["a"] and codes & {"switch-replaced", "switch-unplanned"}:
            bad.append("all switches have the names of their places: %s" % codes)
        between = [c["state"] for c in build["cables"] if c["kind"] != "host"]
        up = sum(between.count(s) for s in IN_PLACE)
        up_planned = len(between) - between.count("not-due")
        uplinks = counts["uplinks"]
        if (uplinks["planned"], uplinks["up"], uplinks["missing"]) != (up_planned, up, between.count("missing")):
            bad.append("the report has %s, the build %d, %d, %d" % (uplinks, up_planned, up, between.count("missing")))
        if built.returncode != report.returncode:
            bad.append("exit status %d and %d" % (built.returncode, report.returncode))
        if day < "2026-06-01" and codes & {"edge-isolated", "core-missing", "cable-missing", "hosts-missing",
                                           "switch-unplanned", "sweep-incomplete", "plan-foreign"}:
            bad.append("not due, and a fault: %s" % codes)
    if last and (tally["right"] != len(cables) or built.returncode != 0):
        bad.append("all is cabled: %s, %d" % (tally, built.returncode))
    result(what, not bad, *bad)


def design_keys(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def check_design(name, design, rng):
    path = write(name + ".json", json.dumps(design))
    network = Network(path)
    listed = run(FTPLAN, path, "--format", "cables").stdout
    cables = list(csv.DictReader(io.StringIO(listed)))
    for number, (last, dump) in enumerate(steps(rng, network, 6), 1):
        for day in ("2026-05-01", "2026-06-20", "2026-07-02"):
            check_step("%s, step %d, %s" % (name, number, day), path, write("step.net", dump), day, cables, last)


def check_exact():
    """Two cables of one pair in each other's ports, and one in a spare port."""
    path = write("exact.json", json.dumps({**TREE, "cables": "plan"}))
    network = Network(path)
    between = [link for link in network.links if all(end[0].startswith("S") for end in link)]
    links = list(network.links)
    (a, b), (c, d) = between[0], between[1]
    for link in between[:2]:
        links.remove(link)
    links += [(a, d), (c, b)]
    built = json.loads(run(FTCHECK, "--plan", path, "--from", write("exact.net", network.dump(links)), "--build",
                           "--format", "json").stdout)
    wrong = [c["cable"] for c in built["cables"] if c["state"] == "wrong-port"]
    result("exchanged ports are wrong ports", len(wrong) == 2 and built["ports"], built["all"])


def check_rails():
    """Adapters of one host on two switches, exchanged: each is on the other's rail."""
    hosts = [{"name": "n%d" % i, "edge": "edge%03d" % r, "adapter": "HCA-%d" % r, "port": i}
             for r in (1, 2) for i in range(1, 4)]
    path = write("rails.json", json.dumps({**TREE, "nodes": 12, "topology": "fat-tree",
                                           "edge": {"ports": 12, "count": 2}, "core": {"ports": 36}, "hosts": hosts}))
    network = Network(path)
    text = network.dump(network.links)
    swapped = text.replace("n1 HCA-1", "@@").replace("n1 HCA-2", "n1 HCA-1").replace("@@", "n1 HCA-2")
    built = json.loads(run(FTCHECK, "--plan", path, "--from", write("rails.net", swapped), "--build", "--format",
                           "json").stdout)
    result("adapters on each other's switch are on a wrong rail",
           built["rails"] and built["all"]["wrong-rail"] == 2, built["all"])


def check_distances():
    """Two edge switches that have no core switch in common yet are farther apart than they will be, which is no fault."""
    path = write("phased.json", json.dumps({**TREE, "phases": PHASES}))
    network = Network(path)

    def laid(link):
        edge, far = sorted((network.names[end[0]] for end in link), key=lambda name: not name.startswith("edge"))
        return edge in ("edge001", "edge002", "edge003") and (
            not far.startswith("core") or edge == "edge003" or (far <= "core01") == (edge == "edge001"))

    dump = write("far.net", network.dump([link for link in network.links if laid(link)]))
    for day, expected in (("2026-05-01", []), ("2026-06-02", ["cable-missing", "edge-isolated"])):
        report = run(FTCHECK, "--plan", path, "--from", dump, "--day", day, "--format", "json")
        found = sorted({f["code"] for f in json.loads(report.stdout)["findings"]})
        result("far apart on %s" % day, found == expected, report.stdout[:2000])


def check_uneven():
    """Hosts may be spread unevenly over the edge switches, also while a part of the tree is not due."""
    edge = {"ports": 12, "count": 12, "ports_to_nodes": 6}
    path = write("uneven.json", json.dumps({**TREE, "nodes": 60, "edge": edge, "fill": "uniform", "phases": PHASES}))
    network = Network(path)
    host = next(link for link in network.links if any(network.names[end[0]] == "edge001" for end in link)
                and any(end[0].startswith("H") for end in link))
    other = next(node for node in network.names if network.names[node] == "edge002")
    links = [link for link in network.links if link != host and not any(network.names[end[0]] == "edge012" for end in link)]
    free = next(port for port in range(1, 13) if all((other, port) not in link for link in links))
    links.append(tuple(sorted([next(end for end in host if end[0].startswith("H")), (other, free)])))
    report = run(FTCHECK, "--plan", path, "--from", write("uneven.net", network.dump(links)), "--day", "2026-06-20",
                 "--format", "json")
    result("uneven hosts, and an edge switch that is not due", json.loads(report.stdout)["findings"] == [],
           report.stdout[:2000])


def check_state(rng):
    path, state = write("phased.json", json.dumps({**TREE, "phases": PHASES})), write("state.json", b"")
    os.unlink(state)
    network = Network(path)
    right = []
    for _, dump in steps(rng, network, 4):
        one = run(FTCHECK, "--plan", path, "--from", write("step.net", dump), "--build", "--state", state, "--format",
                  "json")
        built = json.loads(one.stdout)
        right.append(built["all"]["right"])
    samples = built["over_time"]
    result("it is as the schema says", shape_is_right(built), samples)
    result("the state has the last check", samples and samples[-1]["right"] == right[-1] and
           all(sum(s[k] for k in STATES) == s["planned"] for s in samples), samples)
    result("nothing is done without counters", built["all"]["done"] == 0, built["all"])
    write("state.json", b'{"ftcheck_build_state": 1}')
    bad = run(FTCHECK, "--plan", path, "--from", write("step.net", dump), "--build", "--state", state)
    result("a damaged state is refused", bad.returncode == 3 and "state.json:1:1: this is no state" in bad.stderr
           and bad.stdout == "", bad.stderr)


def check_refused():
    for phases, expected in (
            ([{"name": "a", "due": "2026-06-01", "racks": ["Z99"]}], 'the floor plan has no rack "Z99"'),
            ([{"name": "a", "due": "2026-06-01", "switches": ["leaf1"]}], 'the plan has no switch "leaf1"')):
        path = write("refused.json", json.dumps({**TREE, "phases": phases}))
        done = run(FTCHECK, "--plan", path, "--from", write("empty.net", ""))
        found = run(FTCHECK, "--plan", path, "--from", write("full.net", Network(write("t.json", json.dumps(TREE)))
                    .dump(Network(write("t.json", json.dumps(TREE))).links)))
        result(expected, found.returncode == 3 and re.search(r"refused.json:1:\d+: " + re.escape(expected),
                                                             found.stderr), found.stderr, done.stderr)
    for options, expected in ((["--state", "x"], "--state is about a build"), (["--clean", "3"], "--clean is about"),
                              (["--format", "csv"], "--format csv is about"),
                              (["--build", "--repair"], "--repair does not go with it"),
                              (["--build", "--format", "svg"], "--build is shown as text, json or csv"),
                              (["--day", "2026-02-30"], "--day takes a day")):
        done = run(FTCHECK, "--plan", "x.json", "--from", "y", *options)
        result(" ".join(options), done.returncode == 3 and expected in done.stderr, done.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    print("seed %d" % options.seed)
    # A cable that a first explanation took to be in a wrong place was missing in the second, and not due.
    check_design("moved", {**TREE, "phases": PHASES}, random.Random(595247508))
    # A cable of a swap was taken for one of the same pair, not laid yet, in a wrong port.
    check_design("swapped", {**TREE, "cables": "plan", "phases": PHASES}, random.Random(6))
    # The few cables that were there fitted better where an edge switch was taken for a core switch.
    check_design("named", {**TREE, "cables": "plan", "phases": PHASES}, random.Random(8))
    for _ in range(options.rounds):
        check_design("tree", {**TREE, "phases": PHASES}, rng)
        check_design("torus", {**TORUS, "phases": [{"name": "x", "due": "2026-06-01", "switches": "sw-[0-2]-[0-3]"}]},
                     rng)
        check_design("plain", TREE, rng)
        check_design("exact", {**TREE, "cables": "plan", "phases": PHASES}, rng)
    check_exact()
    check_rails()
    check_distances()
    check_uneven()
    check_state(rng)
    check_refused()
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
