#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Reports against etc/report.schema.json.

  report_schema.py REPORT...   those; without any: the schema itself, by reports and by what it must refuse
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: no python3-jsonschema", file=sys.stderr)
    sys.exit(77)

SOURCE = os.environ.get("FT_SRCDIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
BUILD = os.environ.get("FT_BUILDDIR", ".")
DESIGN = {"ftcheck": 1, "name": "schema", "nodes": 72, "edge": {"ports": 36}, "core": {"ports": 36}}

RING = {"ftcheck": 1, "name": "ring", "topology": "graph", "switches": [{"name": "sw[1-4]", "ports": 8, "hosts": 2}],
        "links": [{"a": "sw[1,3]", "b": "sw[2,4]", "count": 2}]}

# Changes that make a report no report: (path, new value; None: taken away).
SPOILED = [
    (["verdict"], "fine"), (["time"], "yesterday"), (["plan", "sha256"], None), (["surplus"], 1),
    (["source", "kind"], "rumour"), (["counts", "uplinks", "up"], -1), (["counts", "hosts"], None),
    (["switches", 0, "guid"], "0x1"), (["switches", 0, "name"], "a\x1b[31mb"), (["switches", 0, "status"], "odd"),
    (["findings", 0, "code"], "cable-lost"), (["findings", 0, "text"], "two\nlines"),
    (["findings", 0, "where", 0, "port"], "3"), (["findings", 0, "alternatives"], "none"),
    (["findings", 0, "severity"], None), (["findings", 0, "id"], "with blank"),
]


def validator():
    with open(os.path.join(SOURCE, "etc", "report.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def complaints(report, against):
    return ["%s: %s" % ("/".join(map(str, e.absolute_path)), e.message[:300]) for e in against.iter_errors(report)]


def spoil(report, path, value):
    result = copy.deepcopy(report)
    place = result
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return result


def make_report(directory, fault, what=None, *options):
    """The report on the planned fabric of design @what with @fault(lines of the network file) in it."""
    design = os.path.join(directory, "design.json")
    with open(design, "w", encoding="utf-8") as file:
        json.dump(what or DESIGN, file)
    net = subprocess.run([os.path.join(BUILD, "ftplan"), design, "--format", "ibsim"], check=True,
                         capture_output=True).stdout
    lines = fault(net.split(b"\n"))
    done = subprocess.run([os.path.join(BUILD, "ftcheck"), "--plan", design, "--from", "-", "--format", "json", *options],
                          input=b"\n".join(lines), capture_output=True, check=False)
    return json.loads(done.stdout)


def without_one_cable(lines):
    """Takes away the first cable between two switches: the line in each switch's record."""
    cable = next(n for n, line in enumerate(lines) if line.startswith(b"[") and b'"S-' in line
                 and any(r.startswith(b"Switch") for r in lines[max(0, n - 40):n]))
    record = next(lines[n] for n in range(cable, -1, -1) if lines[n].startswith(b"Switch"))
    near = b'%s%s' % (record.split()[2], lines[cable].split()[0])
    return [l for n, l in enumerate(lines) if n != cable and not (l.startswith(b"[") and near in l)]


def self_test():
    against = validator()
    failures = 0
    with tempfile.TemporaryDirectory() as directory:
        healthy = make_report(directory, lambda lines: lines)
        broken = make_report(directory, without_one_cable)
        ring = make_report(directory, without_one_cable, RING, "--after", "1")
    for name, report, verdict in (("healthy", healthy, "ok"), ("a cable pulled", broken, "warning"),
                                  ("a cable of a graph", ring, "warning")):
        found = complaints(report, against)
        if report["verdict"] != verdict:
            found.append("the verdict is %s" % report["verdict"])
        failures += bool(found)
        print("%s - %s%s" % ("not ok" if found else "ok", name, "".join("\n  " + c for c in found)))
    for path, value in SPOILED:
        good = not complaints(spoil(broken, path, value), against)
        failures += good
        print("%s - refused: %s %s" % ("not ok" if good else "ok", "/".join(map(str, path)),
                                       "taken away" if value is None else "= %r" % (value,)))
    return 1 if failures else 0


def main(paths):
    if not paths:
        return self_test()
    against = validator()
    failures = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found = complaints(json.load(file), against)
        failures += bool(found)
        for complaint in found:
            print("%s: %s" % (path, complaint))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
