#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""ftcheck --switch: one switch, port by port, by any of its names; as a table and as JSON."""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import results  # noqa: E402
from results import FTCHECK, FTPLAN, result, write  # noqa: E402


def look(design, net, name, *more):
    run = subprocess.run([FTCHECK, "--plan", design, "--from", net, "--switch", name, *more], capture_output=True,
                         text=True, timeout=60)
    return run.stdout, run.stderr, run.returncode


def ports(design, net, name):
    out, err, status = look(design, net, name, "--format", "json")
    report = json.loads(out) if out else {}
    return report, {p["port"]: p for p in report.get("ports", [])}, status


base = {"ftcheck": 1, "name": "t", "nodes": 72, "edge": {"ports": 40, "ports_to_nodes": 18, "ports_to_core": 18},
        "core": {"ports": 40}, "bundle": 9}
plain = write("plain.json", json.dumps(base))
net = subprocess.run([FTPLAN, "--format", "ibsim", plain], capture_output=True, text=True, check=True).stdout


def change(cut=(), dead=(), rename=()):
    """The network without these cables (node's GUID, port), these nodes, and with other descriptions."""
    lines, node = [], None
    for line in net.splitlines(True):
        head = re.match(r'(Switch|Ca)\s+\d+\s+"[SH]-0*([0-9a-f]+)"', line)
        cable = re.match(r'\[(\d+)\].*?"[SH]-0*([0-9a-f]+)"\[(\d+)\]', line)
        if head:
            node = head[2]
        if (head and node in dead) or (cable and (node in dead or cable[2] in dead)):
            continue
        if cable and ((node, int(cable[1])) in cut or (cable[2], int(cable[3])) in cut):
            continue
        for old, new in rename:
            line = line.replace('"%s"' % old, '"%s"' % new)
        lines.append(line)
    return write("net", "".join(lines))


healthy = change()
for name in ("edge002", "EDGE002", "0x0000000000100002", "0x100002"):
    report, rows, status = ports(plain, healthy, name)
    result("by %s" % name, report.get("name") == "edge002" and status == 0, report, status)
result("a host and an uplink", rows[1]["seen"] == "node019 port 1" and rows[1]["planned"] == "host" and
       rows[19]["seen"] == "core01 port 10" and rows[19]["planned"] == "core01" and rows[19]["rate"] == "4xHDR", rows)
result("a port that is for nothing", rows[40]["planned"] is None and rows[40]["seen"] is None and
       rows[40]["link"] == "down", rows[40])
result("all ports are there", sorted(rows) == list(range(1, 41)), rows)

broken = change(cut={("100001", 20)})
report, rows, status = ports(plain, broken, "edge001")
result("a pulled cable", status == 1 and report["verdict"] == "warning" and rows[20]["link"] == "down" and
       rows[20]["planned"] == "core01" and rows[20]["findings"] == "cable-missing", rows[20], status)
result("and its finding", [f["code"] for f in report["findings"]] == ["cable-missing"], report["findings"])
report, rows, status = ports(plain, broken, "edge002")
result("another switch is not blamed", status == 0 and report["findings"] == [], report["findings"])
report, rows, status = ports(plain, broken, "core01")
result("the other end is", status == 1 and rows[2]["findings"] == "cable-missing", rows[2])

out, err, status = look(plain, broken, "edge001")
result("a table", re.search(r"^ +20  core01   +-  +down  -  +cable-missing$", out, re.M) and
       out.startswith("edge001 (0x0000000000100001), edge switch: degraded, 17 of 18 uplinks, 18 hosts\nport  planned") and
       out.splitlines()[-1].startswith("warning cable-missing: "), out)

dead = change(dead={"100006"})
report, rows, status = ports(plain, dead, "core02")
result("a switch that is not there", status == 2 and report["name"] is None and report["planned_as"] == "core02" and
       [p["planned"] for p in report["ports"]] == ["edge%03d: 9 cables" % n for n in range(1, 5)], report)

other = change(rename=(("edge003", "MF0;leaf-c:MQM8700/U1"),))
for name in ("leaf-c", "MF0;leaf-c:MQM8700/U1", "Edge003"):
    report, rows, status = ports(plain, other, name)
    result("seen under another name: %s" % name, report.get("guid") == "0x0000000000100003" and
           report.get("planned_as") == "edge003", report)
twins = change(rename=(("edge003", "twin"), ("edge004", "twin")))
out, err, status = look(plain, twins, "twin")
result("two of one name", status == 3 and out == "" and err ==
       '--switch: 2 switches are called "twin": give one by its GUID, 0x0000000000100003, 0x0000000000100004\n', err)
for name, said in (("edge02", "did you mean edge002, edge001 or edge003?"), ("corr01", "did you mean core01 or core02?"),
                   ("quite-another", "give its name, its name in the plan, or its GUID with 0x; "
                                     "-v without --switch lists them"),
                   ("0xabc", "give its name, its name in the plan, or its GUID with 0x; -v without --switch lists them")):
    out, err, status = look(plain, healthy, name)
    result("unknown: %s" % name, status == 3 and out == "" and
           err == '--switch: no switch is called "%s", on the fabric or in the plan: %s\n' % (name, said), err)

exact = write("exact.json", json.dumps({**base, "cables": [
    {"a": "edge001", "a_port": 18 + n, "b": "core01", "b_port": n} for n in range(1, 10)] + [
    {"a": "edge%03d" % e, "a_port": 19 + n + 9 * c, "b": "core%02d" % (c + 1), "b_port": (e - 1) * 9 + n + 1}
    for e in range(1, 5) for c in range(2) for n in range(9) if e > 1 or c > 0],
    "hosts": [{"name": "node%03d" % n, "edge": "edge001", "port": n} for n in range(1, 19)]}))
report, rows, status = ports(exact, change(cut={("100001", 20), ("100001", 3)}), "edge001")
result("ports of the plan's list", rows[20]["planned"] == "core01 port 2" and rows[20]["link"] == "down" and
       rows[3]["planned"] == "node003" and rows[3]["seen"] is None and rows[40]["planned"] is None, rows, status)
report, rows, status = ports(exact, dead, "core02")
result("ports of a switch that is not there", rows.get(1, {}).get("planned") == "edge001 port 28", report)
out, err, status = look(plain, healthy, "edge001", "--format", "nagios")
result("not for Nagios", status == 3 and out.startswith("FTCHECK UNKNOWN - --switch shows a table or JSON"), out)

sys.exit(results.status())
