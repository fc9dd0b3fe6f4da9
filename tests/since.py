#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""ftcheck --diff and --since: what changed from one recording to another, as findings; there is no plan. Whole fabrics first,
which did not change, then one change a row."""
import copy
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fabric import Fabric, Node  # noqa: E402
import results  # noqa: E402
from results import FTCHECK, FTPLAN, result, write  # noqa: E402

SHARED = os.environ.get("FT_SHARED", "")


def check(*arguments):
    return subprocess.run([FTCHECK, *arguments], capture_output=True, text=True, timeout=60)


def findings(before, after):
    run = check("--diff", write("before", before.write()), write("after", after.write()), "--format", "json")
    if not run.stdout:
        return run.stderr, run.returncode
    assert all(f["fix"] for f in json.loads(run.stdout)["findings"]), run.stdout
    return sorted((f["code"], f["text"]) for f in json.loads(run.stdout)["findings"]), run.returncode


def fabric(design):
    net = subprocess.run([FTPLAN, "--format", "ibsim", write("design.json", json.dumps(design).encode())],
                         capture_output=True, check=True).stdout
    whole = Fabric.read(net)
    for guid, port, _, _ in list(whole.edges()):
        whole.set_rate(guid, port, "4xHDR" if whole.nodes[guid].kind == "S" and guid % 2 else "4xEDR")
    return whole


def named(whole, name):
    return next(n for n in whole.nodes.values() if n.description.split(b" ")[0] == name.encode())


def between(whole, a, b):
    a, b = named(whole, a), named(whole, b)
    return [(a.guid, port) for port in whole.links_between(a.guid, b.guid)]


def pull(f):
    f.unlink(*between(f, "edge001", "core01")[0])


def pull_host(f):
    host = named(f, "node001")
    f.remove(host.guid)


def swap(f):
    one, two = between(f, "edge001", "core01")[0], between(f, "edge002", "core02")[0]
    far_one, far_two = f.nodes[one[0]].links[one[1]], f.nodes[two[0]].links[two[1]]
    rates = f.unlink(*one), f.unlink(*two)
    f.link(*one, *far_two, rates[0])
    f.link(*two, *far_one, rates[1])


def slow(f):
    f.set_rate(*between(f, "edge001", "core01")[0], "4xSDR")


def fast(f):
    f.set_rate(*between(f, "edge001", "core01")[0], "4xNDR")


def dead(f):
    f.remove(named(f, "core02").guid)


def replaced(f):
    old = named(f, "core02")
    guids = {guid: guid for guid in f.nodes}
    guids[old.guid] = 0xabcdef0001
    g = f.renamed(guids, list(f.nodes))
    f.nodes = g.nodes
    f.entry = (guids[f.entry[0]], f.entry[1]) if f.entry else None


def guids_turned(f, turn):
    guids = {guid: turn.get(guid, guid) for guid in f.nodes}
    f.nodes = f.renamed(guids, list(f.nodes)).nodes


def exchanged(f):
    """The boxes, each with its name; the cables stay."""
    one, two = named(f, "edge001"), named(f, "edge003")
    one.description, two.description = two.description, one.description
    guids_turned(f, {one.guid: two.guid, two.guid: one.guid})


def adapter(f):
    guids_turned(f, {named(f, "node001").guid: 0xabcdef0002})


def renames(f):
    named(f, "core01").description = b"spine01"
    named(f, "node001").description = b"login001 HCA-1"


def stolen(f):
    edge, port = between(f, "edge001", "core01")[0]
    rate = f.unlink(edge, port)
    thief = f.add(Node("S", 0xabcdef0003, 36, b"thief"))
    f.link(thief.guid, 1, named(f, "core01").guid, 1, rate)


def new_cable(f):
    a, b = named(f, "edge001"), named(f, "edge002")
    f.link(a.guid, a.free_ports()[-1], b.guid, b.free_ports()[-1], "4xHDR")


def new_host(f):
    edge = named(f, "edge003")
    host = f.add(Node("H", 0x7777, 1, b"node999 HCA-1"))
    f.link(edge.guid, edge.free_ports()[0], host.guid, 1, "4xEDR")


def moved_host(f):
    host, edge = named(f, "node001"), named(f, "edge003")
    rate = f.unlink(host.guid, 1)
    f.link(edge.guid, edge.free_ports()[0], host.guid, 1, rate)


TREE = {"ftcheck": 1, "name": "t", "nodes": 66, "edge": {"ports": 40, "ports_to_nodes": 18, "ports_to_core": 18},
        "core": {"ports": 40}, "bundle": 9}
CHANGES = [
    ("nothing", None, []),
    ("a cable pulled", pull, [("cable-missing", "edge001 port 19", "core01 port 1")]),
    ("two cables exchanged", swap, [("cables-swapped", "edge001", "edge002", "core01", "core02")]),
    ("a cable slower than it was", slow, [("cable-slow", "edge001 port 19", "4xSDR instead of 4x")]),
    ("a cable faster than it was", fast, [("cable-faster", "1 cable is faster than it was: edge001 port 19 - core01 port 1 at 4xNDR instead of 4xHDR")]),
    ("a switch gone", dead, [("core-missing", "core switch core02 is missing")]),
    ("two switches exchanged", exchanged, [("switch-replaced", "2 switches have changed places", "edge001 in the place of edge003", "edge003 in the place of edge001")]),
    ("another adapter", adapter, [("host-replaced", "1 host was replaced: the adapter of node001", "on edge001 port 1")]),
    ("other names", renames, [("renamed", "1 host has another name: node001"), ("renamed", "1 switch has another name: core01 is called spine01 now")]),
    ("a switch in the ports of a cable", stolen, [("switch-unplanned", "thief is new", "it took the ports of 1 cable: core01 port 1 - edge001")]),
    ("a switch replaced", replaced, [("switch-replaced", "core02 was replaced: its GUID was 0x", " and is 0x000000abcdef0001 now")]),
    ("a new cable", new_cable, [("cable-unplanned", "the cable between edge001 port 40 and edge002 port 40 is new")]),
    ("a host gone", pull_host, [("hosts-missing", "1 host is gone: node001 on edge001 port 1")]),
    ("a new host", new_host, [("hosts-unplanned", "1 host is new: node999 HCA-1 on edge003 port 37")]),
    ("a host moved", moved_host, [("host-misplaced", "node001", "edge003")]),
]

tree = fabric(TREE)
for what, change, wanted in CHANGES:
    later = copy.deepcopy(tree)
    if change:
        change(later)
    found, status = findings(tree, later)
    severe = {"core-missing": 2, "switch-replaced": 0, "hosts-missing": 0, "hosts-unplanned": 0, "cable-faster": 0,
              "host-replaced": 0, "renamed": 0}
    least = max((severe.get(w[0], 1) for w in wanted), default=0)
    good = (isinstance(found, list) and len(found) == len(wanted) and status == least and
            all(f[0] == w[0] and all(part in f[1] for part in w[1:]) for f, w in zip(found, wanted)))
    result(what, good, "status %s" % status, *found)

# A new switch within a cable makes paths longer, which is no change of its own.
whole = fabric({"ftcheck": 1, "name": "t", "topology": "dragonfly", "groups": 9, "group": {"routers": 4, "global": 2},
                "edge": {"ports": 12, "ports_to_nodes": 2}})
later = copy.deepcopy(whole)
near, far = named(later, "g0-r0"), named(later, "g0-r1")
port, far_port = next((port, end[1]) for port, end in near.links.items() if end[0] == far.guid)
rate = later.unlink(near.guid, port)
thief = later.add(Node("S", 0xabcdef0003, 12, b"thief"))
later.link(near.guid, port, thief.guid, 1, rate)
later.link(far.guid, far_port, thief.guid, 2, rate)
found, status = findings(whole, later)
result("a switch within a cable of a dragonfly", [f[0] for f in found] == ["switch-unplanned"], found)

# Fabrics without names and with odd ones: the GUIDs tell them apart.
for family in ({"topology": "torus", "dims": [4, 4]}, {"topology": "slim-fly", "q": 5}):
    whole = fabric({"ftcheck": 1, "name": "t", "edge": {"ports": 36}, **family})
    for number, node in enumerate(n for n in whole.nodes.values() if n.kind == "S"):
        node.description = [b"", b"switch", b'a "b" [1-3]', b"\xff\x1b[2J"][number % 4]
    found, status = findings(whole, whole)
    result("%s, nameless: nothing changed" % family["topology"], found == [] and status == 0, found)
    later = copy.deepcopy(whole)
    guid, port, far, far_port = next(e for e in later.edges() if later.nodes[e[0]].kind == later.nodes[e[2]].kind == "S")
    later.unlink(guid, port)
    found, status = findings(whole, later)
    result("%s, nameless: a cable pulled" % family["topology"],
           [f[0] for f in found] == ["cable-missing"] and "port %d" % port in found[0][1], found)

# Recordings that are odd in themselves did not change either: what is odd is no change.
def odd(what, change, refused=None):
    whole = copy.deepcopy(tree)
    change(whole)
    found, status = findings(whole, whole)
    if refused:
        result("%s: refused" % what, status == 3 and refused in found, found)
    else:
        result("%s: nothing changed" % what, found == [], found)


def alone(name):
    def change(f):
        edge = named(f, "edge001")
        edge.description = name
        keep = {edge.guid} | {far for far, _ in edge.links.values() if f.nodes[far].kind == "H"}
        for guid in [guid for guid in f.nodes if guid not in keep]:
            f.remove(guid)
        f.entry = None
    return change


def rename(old, new):
    def change(f):
        named(f, old).description = new
    return change


def both(*changes):
    def change(f):
        for each in changes:
            each(f)
    return change


def aggregate(f):
    edge = named(f, "edge001")
    node = f.add(Node("H", 0x8888, 1, b"Mellanox Technologies Aggregation Node"))
    f.link(edge.guid, edge.ports, node.guid, 1, "4xHDR")


def uncable(f):
    for guid, port, _, _ in [e for e in f.edges() if f.nodes[e[0]].kind == f.nodes[e[2]].kind == "S"]:
        f.unlink(guid, port)


odd("one switch", alone(b"edge001"))
odd("one switch called like a GUID", alone(b"0xbad"))
odd("one switch with a prefix of a GUID", alone(b"0xyz"))
odd("one switch with a name that is a range", alone(b"sw [1]"))
called = copy.deepcopy(tree)
both(rename("edge001", b"bad[2]"), lambda f: rename("edge002", b"switch-0x%016x" % named(f, "bad[2]").guid)(f))(called)
found, status = findings(called, called)
result("a switch called as one without a name would be: no refusal", status == 0, found)
odd("an aggregation node", aggregate)
odd("a LID of two hosts", lambda f: [setattr(named(f, name), "lid", 77) for name in ("node001", "node002")])
odd("no cable between switches", uncable, "no two switches are cabled to each other")
with_node = copy.deepcopy(tree)
aggregate(with_node)
result("an aggregation node comes and goes", findings(tree, with_node)[0] == [] and findings(with_node, tree)[0] == [],
       findings(tree, with_node), findings(with_node, tree))

# What was recorded of a switch may end at any port, and a host may be on its last.
odd_ports = Fabric()
pair = [odd_ports.add(Node("S", 0x100 + i, 3, b"edge%d" % i)) for i in (1, 2)]
odd_ports.link(pair[0].guid, 1, pair[1].guid, 1, "4xHDR")
for i, (sw, port) in enumerate(((pair[0], 2), (pair[1], 2), (pair[1], 3)), 1):
    odd_ports.link(sw.guid, port, odd_ports.add(Node("H", 0x200 + i, 1, b"server%d" % i)).guid, 1, "4xHDR")
fewer = copy.deepcopy(odd_ports)
fewer.remove(named(fewer, "server3").guid)
result("a host on the last port of three goes and comes",
       [c for c, _ in findings(odd_ports, fewer)[0]] == ["hosts-missing"] and
       [c for c, _ in findings(fewer, odd_ports)[0]] == ["hosts-unplanned"],
       findings(odd_ports, fewer), findings(fewer, odd_ports))

# Real ones did not change since they were recorded.
for path in ("topograph/example.out", "selene/selene.compute.txt", "plafrim/ib-subnet.txt", "plafrim2/ib-subnet-1.txt",
             "x5/X5.topofile", "avakas/ib-subnet.txt", "ibutils/RhinoBased512.lst", "shapes/dual_rail.txt",
             "shapes/two_planes_disjoint.txt", "shapes/las_dup.txt"):
    file = os.path.join(SHARED, "fabrics", path)
    if not os.path.exists(file):
        print("ok - %s # SKIP it is not at hand" % path)
        continue
    run = check("--diff", file, file)
    result(path, run.returncode == 0 and "nothing to report" in run.stdout, run.stdout, run.stderr)



def links(f):
    """As iblinkinfo -l prints it: of a host it has the GUIDs of the ports alone, which are others than the node's."""
    lines = []
    rates = {"4xHDR": b"53.125 Gbps", "4xEDR": b"25.78125 Gbps"}
    for node in f.nodes.values():
        for port in range(1, node.ports + 1):
            far, far_port = node.links.get(port, (None, 0))
            guids = [n and (n.guid if n.kind == "S" else f.port_guid(n, p))
                     for n, p in ((node, port), (f.nodes.get(far), far_port))]
            near = b'0x%016x "%30s" %6d %4d[  ] ==(' % (guids[0], node.description, node.lid, port)
            if far is None and node.kind == "H":
                continue
            if far is None:
                lines.append(near + b'                Down/ Polling)==>             [  ] "" ( )')
                continue
            lines.append(near + b' 4X %18s   Active/  LinkUp)==>  0x%016x %6d %4d[  ] "%s" ( )' % (
                rates[node.rates[port]], guids[1], f.nodes[far].lid, far_port, f.nodes[far].description))
    return b"\n".join(lines) + b"\n"


for number, node in enumerate(tree.nodes.values(), 1):
    node.lid = number
changed = copy.deepcopy(tree)
for change in (pull, swap, moved_host):
    change(changed)
forms = {"a dump": lambda f: f.write(), "a snapshot": lambda f: f.write_snapshot(), "iblinkinfo": links}
told = {}
for was, before in forms.items():
    for now, after in forms.items():
        same = check("--diff", write("before", before(tree)), write("after", after(tree)))
        result("%s and %s of one fabric" % (was, now), same.returncode == 0 and "nothing to report" in same.stdout, same.stdout,
               same.stderr)
        other = check("--diff", write("before", before(tree)), write("after", after(changed)), "--format", "json")
        told[was, now] = sorted(f["code"] for f in json.loads(other.stdout)["findings"])
        result("and of another", told[was, now] == told["a dump", "a dump"] and len(told[was, now]) == 3 and
               "  end" not in other.stdout, other.stdout)

# Of an adapter only the second port is cabled, as where the first one is for Ethernet.
second = copy.deepcopy(tree)
host = named(second, "node001")
edge, edge_port = host.links[1]
rate = second.unlink(host.guid, 1)
host.ports, host.port_guids = 2, {2: host.guid + 1}
second.link(edge, edge_port, host.guid, 2, rate)
for was, before in forms.items():
    for now, after in forms.items():
        same = check("--diff", write("before", before(second)), write("after", after(second)))
        result("%s and %s of an adapter's second port" % (was, now), same.returncode == 0 and "nothing to report" in same.stdout,
               same.stdout, same.stderr)

# Both ports have the GUID of the adapter, as in some dumps. The second one moves.
shared = copy.deepcopy(tree)
host = named(shared, "node001")
host.ports = 2
host.port_guids = {1: host.guid, 2: host.guid}
shared.link(named(shared, "edge003").guid, named(shared, "edge003").free_ports()[0], host.guid, 2, rate)
moved = copy.deepcopy(shared)
moved.unlink(host.guid, 2)
moved.link(named(moved, "edge002").guid, named(moved, "edge002").free_ports()[0], host.guid, 2, rate)
run = check("--since", write("before", shared.write()), "--from", write("after", moved.write()))
result("one of two ports with one GUID has moved", run.returncode == 1 and "host-misplaced: host node001 port 2 is on edge002" in
       run.stdout, run.stdout, run.stderr)

# From live to recorded, and what is typed wrong.
before, plan = write("before", tree.write()), write("plan.json", json.dumps(TREE).encode())
later = copy.deepcopy(tree)
pull(later)
run = check("--since", before, "--from", write("after", later.write()))
result("--since with --from", run.returncode == 1 and "cable-missing" in run.stdout, run.stdout, run.stderr)
torus = fabric({"ftcheck": 1, "name": "o", "topology": "torus", "dims": [5, 5], "edge": {"ports": 36}})
other = write("other", torus.renamed({guid: guid + (1 << 40) for guid in torus.nodes}, list(torus.nodes)).write())
pair = Fabric()
for guid in (1, 2):
    pair.add(Node("H", guid, 1, b"node%d HCA-1" % guid))
pair.link(1, 1, 2, 1, "4xHDR")
pair.entry = (1, 1)
hosts = write("hosts", pair.write())
for what, arguments, said in (
        ("one recording", ["--diff", before],
         "ftcheck: --diff takes two recordings; to hold one against the live fabric, --since; try 'ftcheck --help'"),
        ("three recordings", ["--diff", before, before, before], "belongs to no option"),
        ("a plan, too", ["--diff", before, before, "--plan", plan],
         "ftcheck: --diff compares with a recording, and --plan belongs to a plan: leave out one of them; try 'ftcheck --help'"),
        ("a list of cables, too", ["--since", before, "--cables", plan],
         "ftcheck: --since compares with a recording, and --cables belongs to a plan: leave out one of them; try 'ftcheck --help'"),
        ("a design", ["--diff", plan, before], plan + ":1:"),
        ("no file", ["--diff", "/nowhere", before], "/nowhere: No such file or directory"),
        ("standard input twice", ["--diff", "-", "-"], "only one recording can be standard input"),
        ("no switch", ["--diff", hosts, before], "no switch was seen")):
    run = check(*arguments)
    result("%s: refused" % what, run.returncode == 3 and said in run.stderr and not run.stdout, run.stdout, run.stderr)
run = check("--diff", before, other)
result("another fabric: not compared cable by cable", run.returncode == 3 and run.stdout.count("\n") < 4, run.stdout, run.stderr)
sys.exit(results.status())
