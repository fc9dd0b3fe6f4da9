#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
What is wrong with a real two-level fabric, computed from its dump alone, and whether a report says just that.

  real_truth.py DUMP REPORT CORES BUNDLE    compares; CORES is a pattern on the descriptions of its core switches
  real_truth.py --summary REPORT            what golden files keep: no names and no GUIDs of other people's fabrics
"""
import collections
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fabric import Fabric  # noqa: E402


class Truth:
    def __init__(self, path, pattern, bundle):
        with open(path, "rb") as file:
            self.fabric = Fabric.read(file.read())
        switches = self.fabric.switches()
        self.cores = [n.guid for n in switches if re.search(pattern.encode(), n.description)]
        self.edges = [n.guid for n in switches if n.guid not in self.cores]
        self.bundle = bundle
        self.short = {}  # (edge, core) -> cables that are not there
        self.up = collections.Counter()
        self.hosts_on_cores = set()
        self.hosts = 0
        self.look()

    def look(self):
        for edge in self.edges:
            for core in self.cores:
                cables = len(self.fabric.links_between(edge, core))
                if cables > self.bundle:
                    raise SystemExit("more than %d cables between %x and %x" % (self.bundle, edge, core))
                if cables < self.bundle:
                    self.short[edge, core] = self.bundle - cables
                self.up[edge] += cables
                self.up[core] += cables
        for host in self.fabric.hosts():
            for port, (far, far_port) in host.links.items():
                self.hosts += 1
                if far in self.cores:
                    self.hosts_on_cores.add(((far, far_port), (host.guid, port)))
        inside = [(a, b) for a, _, b, _ in self.fabric.edges() if {a, b} <= set(self.edges) or
                  {a, b} <= set(self.cores)]
        if inside:
            raise SystemExit("cables inside a tier: %s" % inside)

    def odd_rates(self):
        """Links slower than most of their kind."""
        kinds = collections.defaultdict(collections.Counter)
        links = []
        for a, port, b, far_port in self.fabric.edges():
            nodes = self.fabric.nodes[a], self.fabric.nodes[b]
            if any(n.is_aggregation for n in nodes):
                continue
            kind = "".join(sorted(n.kind for n in nodes))
            kinds[kind][nodes[0].rates[port]] += 1
            links.append((kind, nodes[0].rates[port], ((a, port), (b, far_port))))
        usual = {kind: rates.most_common(1)[0][0] for kind, rates in kinds.items()}
        return [link for link in links if link[1] != usual[link[0]]]


def compare(truth, report):
    complaints = []

    def expect(what, is_, should):
        if is_ != should:
            complaints.append("%s: is %s, should be %s" % (what, is_, should))

    def places(finding):
        return tuple(sorted((int(p["guid"], 16), p["port"]) for p in finding["where"]))

    findings = collections.defaultdict(list)
    for finding in report["findings"]:
        findings[finding["code"]].append(finding)
    if truth.odd_rates():
        raise SystemExit("the dump has links of odd rates: %s" % truth.odd_rates())

    short = {tuple(sorted(pair)): n for pair, n in truth.short.items()}
    said = {}
    for finding in findings.pop("cable-missing", []):
        pair = tuple(sorted({g for g, _ in places(finding)}))
        if pair in said:
            complaints.append("two findings for the pair %x %x" % pair)
        said[pair] = finding["count"]
        for guid, port in places(finding):
            if port is not None and port in truth.fabric.nodes[guid].links:
                complaints.append("%x port %d is called missing and is cabled" % (guid, port))
    for pair in sorted(set(short) | set(said)):
        expect("cables missing between %x and %x" % pair, said.get(pair, 0), short.get(pair, 0))

    on_core = {places(f) for f in findings.pop("host-on-core", [])}
    expect("hosts on cores", on_core, {tuple(sorted(p)) for p in truth.hosts_on_cores})
    for code in ("hosts-missing", "hosts-unplanned"):
        if report["counts"]["hosts"]["planned"] != truth.hosts:
            findings.pop(code, None)
    expect("other findings", {c: len(f) for c, f in findings.items()}, {})

    total = len(truth.edges) * len(truth.cores) * truth.bundle
    missing = sum(truth.short.values())
    counts = report["counts"]
    expect("uplinks", counts["uplinks"], {"planned": total, "up": total - missing, "missing": missing,
                                          "misplaced": 0, "unplanned": 0, "slow": 0})
    expect("hosts found", counts["hosts"]["found"], truth.hosts)
    for tier, guids, place in (("edge", truth.edges, 0), ("core", truth.cores, 1)):
        degraded = {pair[place] for pair in truth.short}
        rows = {int(r["guid"], 16): r for r in report["switches"] if r["guid"] and int(r["guid"], 16) in guids}
        expect(tier + " switches", set(rows), set(guids))
        expect(tier + " degraded", {g for g, r in rows.items() if r["status"] == "degraded"}, degraded)
        expect(tier + " ok", {g for g, r in rows.items() if r["status"] == "ok"}, set(guids) - degraded)
        expect(tier + " counts", (counts[tier]["found"], counts[tier]["degraded"]), (len(guids), len(degraded)))
        for guid, row in rows.items():
            expect("uplinks up of %x" % guid, row["uplinks"]["up"], truth.up[guid])
            expect("tier of %x" % guid, row["tier"], tier)
    expect("verdict", report["verdict"], "warning" if truth.short or truth.hosts_on_cores else "ok")
    return complaints


def summary(report):
    """Findings by code, evidence, count and ports, without whose they are."""
    findings = sorted([f["code"], f["severity"], f["evidence"], f["count"],
                       sorted((p["port"] for p in f["where"]), key=lambda p: -1 if p is None else p)]
                      for f in report["findings"])
    status = collections.Counter("%s %s %d/%d" % (r["tier"], r["status"], r["uplinks"]["up"], r["uplinks"]["planned"])
                                 for r in report["switches"])
    return json.dumps({"verdict": report["verdict"], "counts": report["counts"], "clos": report["clos"],
                       "switches": dict(sorted(status.items())), "findings": "@"},
                      indent=1).replace('"@"', "[\n  %s\n ]" % ",\n  ".join(map(json.dumps, findings)))


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--summary":
        with open(arguments[1], encoding="utf-8") as file:
            print(summary(json.load(file)))
        return 0
    if len(arguments) != 4:
        sys.exit(__doc__)
    truth = Truth(arguments[0], arguments[2], int(arguments[3]))
    with open(arguments[1], encoding="utf-8") as file:
        complaints = compare(truth, json.load(file))
    for complaint in complaints:
        print("  " + complaint)
    print("  dump: %d pairs short of %d cables, %d degraded edges, %d hosts on cores" % (
        len(truth.short), sum(truth.short.values()), len({e for e, _ in truth.short}), len(truth.hosts_on_cores)))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
