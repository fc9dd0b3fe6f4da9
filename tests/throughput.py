#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""ftcheck --throughput: the share of its link that each host can use, as planned and as found, and what a finding takes of
it. The figures are maximum concurrent flows that are known exactly."""
import copy
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fabric import Fabric  # noqa: E402
from results import FTCHECK, FTPLAN, result, status, write  # noqa: E402

GAP = 0.006


def near(value, wanted):
    return abs(value - wanted) <= 2 * GAP * max(wanted, 0.1)


def check(fabric, *options):
    run = subprocess.run([FTCHECK, "--plan", design, "--from", write("net", fabric.write()), "--throughput", *options],
                         capture_output=True, text=True, timeout=120)
    return run.stdout


def report(fabric):
    return json.loads(check(fabric, "--format", "json"))


def cables(fabric):
    return [e for e in fabric.edges() if fabric.nodes[e[0]].kind == fabric.nodes[e[2]].kind == "S"]


def planned(keys):
    global design
    design = write("design.json", json.dumps({"ftcheck": 1, "name": "t", **keys}).encode())
    return Fabric.read(subprocess.run([FTPLAN, "--format", "ibsim", design], capture_output=True, check=True).stdout)


# 4x4, a cable a direction: between each two switches 1/8 of a cable, and 7/64 without one of them; 18 hosts on each send
# 1 to 287 others.
torus = planned({"topology": "torus", "dims": [4, 4], "bundle": 1, "edge": {"ports": 36, "ports_to_nodes": 18}})
unit = 287 / (18 * 18)
seen = report(torus)
result("a torus, intact", near(seen["throughput"]["planned"], unit / 8) and near(seen["throughput"]["found"], unit / 8) and
       not seen["findings"], seen["throughput"])
broken = copy.deepcopy(torus)
broken.unlink(*cables(torus)[0][:2])
seen = report(broken)
lost = [f["impact"].get("throughput_lost", 0) for f in seen["findings"]]
result("a torus without one cable: 12.5 % less", near(seen["throughput"]["found"], unit * 7 / 64) and len(lost) == 1 and
       abs(lost[0] - 0.125) < 0.01, seen["throughput"], lost)
said = check(broken, "-v")
result("so says the text", ", 12.5 % of the throughput" in said or ", 12.4 % of the throughput" in said or
       ", 12.6 % of the throughput" in said, said)
result("and the whole", "Throughput, if all hosts send to all: each can use 9.7 % of its link, planned 11." in said, said)

# A host that is off sends nothing, and nobody waits for it.
quiet = copy.deepcopy(torus)
quiet.remove(quiet.hosts()[-1].guid)
seen = report(quiet)
result("a host less: no throughput is lost", seen["throughput"]["found"] >= seen["throughput"]["planned"] * (1 - GAP) and
       all("throughput_lost" not in f["impact"] for f in seen["findings"]), seen)

# A tree that does not block: 18 hosts share 17 cables for what leaves their switch, 54 of 71 parts of it.
tree = planned({"nodes": 72, "edge": {"ports": 36}, "core": {"ports": 36}})
seen = report(tree)
result("a tree, intact", seen["throughput"] == {"planned": 1, "found": 1, "gap": 0}, seen["throughput"])
cut = copy.deepcopy(tree)
first = cables(cut)[0]
for port in sorted(cut.links_between(first[0], first[2]))[:9]:
    cut.unlink(first[0], port)
seen = report(cut)
wanted = min(1, 9 / (18 * 54 / 71))
lost = [f["impact"].get("throughput_lost", 0) for f in seen["findings"] if f["code"] == "cable-missing"]
result("half of the cables of a switch", near(seen["throughput"]["found"], wanted) and len(lost) == 1 and
       abs(lost[0] - (1 - wanted)) < 0.01, seen["throughput"], lost, wanted)
dead = copy.deepcopy(tree)
dead.remove(next(n for n in dead.switches() if n.description.startswith(b"core02")).guid)
seen = report(dead)
result("a dead core switch", near(seen["throughput"]["found"], wanted) and
       any(abs(f["impact"].get("throughput_lost", 0) - (1 - wanted)) < 0.01 for f in seen["findings"]), seen["throughput"])

# One host has nobody to send to.
star = planned({"nodes": 1, "topology": "star", "edge": {"ports": 36}})
result("one host: no throughput", "throughput" not in report(star))
said = subprocess.run([FTCHECK, "--plan", design, "--from", write("net", star.write()), "--throughput"], capture_output=True,
                      text=True, timeout=120).stderr
result("and it is said", said == "ftcheck: --throughput: there are fewer than two hosts, and no traffic between them\n", said)
sys.exit(status())
