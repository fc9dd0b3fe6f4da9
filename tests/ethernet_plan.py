# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Plans of Ethernet switches: sizes as in the document, tables that a walk of this test's own follows too, and every
single change of a table found by ftplan --walk, with the pairs that it breaks.
"""
import collections
import csv
import io
import itertools
import json
import os
import random
import re
import subprocess
import sys

import jsonschema

from results import FTPLAN, result, status, write

SOURCE = os.environ["FT_SRCDIR"]
SHARED = os.environ.get("FT_SHARED", os.path.join(SOURCE, "..", "shared"))
REFERENCE = os.path.join(SHARED, "reference", "topologies", "ethernet-clos.csv")
# Systems of N. Eicker and T. Lippert, with their own arithmetic: switch ports, L1, L2, hosts, VLANs, virtual L2, entries.
DOCUMENT = [(8, 8, 4, 32, 4, 1, 128), (48, 6, 4, 144, 24, 6, 3456), (48, 6, 3, 144, 24, 8, 3456), (48, 22, 12, 528, 24, 2, 12672),
            (48, None, None, 682, 24, None, 16368)]
WORDS = re.compile(r"\b(lids?|guids?|smps?|hcas?|subnet|infiniband|opensm|[248]x[a-z]dr)\b", re.IGNORECASE)


def planned(*options, design=None):
    """ftplan, with the design as a file in front of the options where there is one."""
    path = [write("design.json", json.dumps(design) if isinstance(design, dict) else design)] if design is not None else []
    return subprocess.run([FTPLAN, *options, *path], capture_output=True, encoding="utf-8", check=False)


def design_of(**keys):
    return {"ftcheck": 1, "name": "crossbar", "technology": "ethernet", **keys}


def table(form, design, *options):
    done = planned("--format", form, *options, design=design)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def same(what, seen, expected):
    result(what, seen == expected, "seen: %s" % (seen,), "expected: %s" % (expected,))


# ---- a walk of this test's own: it knows the CSV and the cables, and none of ftplan's code ----


class Fabric:
    """Ports, what is at their other ends, and tables."""

    def __init__(self, design, vlans=None, macs=None):
        self.far, self.hosts = {}, []
        for row in table("cables", design):
            a, b = (row["a"], int(row["a_port"])), (row["b"], int(row["b_port"]))
            if row["kind"] == "host":
                self.hosts.append(b)
                self.far[b] = len(self.hosts) - 1
            else:
                self.far[a], self.far[b] = b, a
        self.load_vlans(table("vlans", design) if vlans is None else vlans)
        self.load_macs(table("macs", design) if macs is None else macs)

    def load_vlans(self, rows):
        self.pvid, self.tagged, self.untagged, self.members = {}, set(), set(), collections.defaultdict(list)
        for row in rows:
            port = row["switch"], int(row["port"])
            self.pvid[port] = int(row["pvid"] or 0)
            for vlan in map(int, row["tagged"].split()):
                self.tagged.add((port, vlan))
            for vlan in map(int, row["untagged"].split()):
                self.untagged.add((port, vlan))
            for vlan in set(map(int, (row["tagged"] + " " + row["untagged"]).split())):
                self.members[row["switch"], vlan].append(port)

    def load_macs(self, rows):
        self.entry = {(row["switch"], int(row["vlan"]), row["mac"]): (row["switch"], int(row["port"])) for row in rows}

    def send(self, source, mac):
        """The hosts that a frame reaches, one by one, and the cables that it crosses. Bounded: loops are cut."""
        port = self.hosts[source]
        vlan = self.pvid.get(port, 0)
        reached, crossed, seen = [], [], set()
        todo = [(port, vlan)] if port in self.members[port[0], vlan] else []
        while todo:
            port, vlan = todo.pop()
            if (port, vlan) in seen:
                continue
            seen.add((port, vlan))
            entry = self.entry.get((port[0], vlan, mac))
            for out in [entry] if entry else self.members[port[0], vlan]:
                if out == port or out not in self.members[port[0], vlan]:
                    continue
                far, bare = self.far.get(out), (out, vlan) in self.untagged
                if isinstance(far, int):
                    reached += [far] if bare else []
                elif far:
                    crossed.append((out, far))
                    arriving = self.pvid.get(far, 0) if bare else vlan
                    if far in self.members[far[0], arriving]:
                        todo.append((far, arriving))
        return reached, crossed


def lost_pairs(fabric):
    macs = ["02:00:00:00:%02x:%02x" % divmod(i + 1, 256) for i in range(len(fabric.hosts))]
    return sum(d not in fabric.send(s, macs[d])[0] for s, d in itertools.permutations(range(len(macs)), 2))


# ---- sizes ----


def writings(ports, lowers, uppers, hosts):
    """Ways to say the same system."""
    yield design_of(nodes=hosts, edge={"ports": ports}, core={"ports": ports, **({"count": uppers} if uppers else {})})
    if not uppers:
        return
    yield design_of(nodes=hosts, edge={"ports": ports}, core={"count": uppers})
    yield design_of(nodes=hosts, topology="fat-tree", edge={"ports": ports, "count": lowers}, core={"ports": ports, "count": uppers})
    yield design_of(topology="clos", m=uppers, n=hosts // lowers, r=lowers, edge={"ports": ports})
    share = ports // 2 // uppers
    yield design_of(topology="graph", switches=[{"name": "l[1-%d]" % lowers, "ports": ports, "hosts": hosts // lowers},
                                                {"name": "s[1-%d]" % uppers, "ports": ports}],
                    links=[{"a": "l[1-%d]" % lowers, "b": "s[1-%d]" % uppers, "count": share}])


def check_system(name, design, lowers, uppers, hosts, vlans, virtual, entries):
    ports, macs = table("vlans", design), table("macs", design)
    per_switch = collections.Counter(row["switch"] for row in macs)
    carried = collections.defaultdict(set)
    for row in macs:
        carried[row["switch"]].add(row["vlan"])
    upper = [switch for switch in carried if not any(row["pvid"] for row in ports if row["switch"] == switch)]
    same("%s: VLANs" % name, sorted({int(row["pvid"]) for row in ports if row["pvid"]}), list(range(1, vlans + 1)))
    same("%s: static entries of a switch" % name, max(per_switch.values()), entries)
    if lowers:
        same("%s: L1 and L2 switches" % name, (len(carried) - len(upper), len(upper)), (lowers, uppers))
        same("%s: virtual L2 switches of each" % name, {len(carried[switch]) for switch in upper}, {virtual})
    walked = json.loads(planned("--walk", "--format", "json", design=design).stdout)
    same("%s: pairs" % name, (walked["pairs"], walked["delivered"]), (hosts * (hosts - 1),) * 2)
    same("%s: nothing goes wrong" % name, (set(walked["harm"].values()), walked["findings"]), ({0}, []))
    if lowers:
        same("%s: every bundle has the same share" % name, len({(load["up"], load["down"]) for load in walked["loads"]}), 1)


def check_document():
    for ports, lowers, uppers, hosts, vlans, virtual, entries in DOCUMENT:
        for number, design in enumerate(writings(ports, lowers, uppers, hosts)):
            check_system("%d hosts, %s L2, way %d" % (hosts, uppers, number), design, lowers, uppers, hosts, vlans, virtual, entries)
    design = design_of(nodes=1152, edge={"ports": 48}, core={"ports": 48})
    same("1152 hosts: entries", json.loads(planned("--format", "json", design=design).stdout)["plan"]["ethernet"],
         {"vlans": 24, "virtual_switches": 1, "static_entries": 27648})


def check_reference():
    if not os.path.exists(REFERENCE):
        print("ok - the reference's systems # SKIP no captured data: FT_SHARED")
        return
    with open(REFERENCE, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    result("the reference has its systems", len(rows) >= 6)
    for row in rows:
        ports, hosts = int(row["switch_ports"]), int(row["hosts"])
        core = {"ports": ports, **({"count": int(row["l2"])} if row["l2"] else {})}
        done = planned("--format", "json", design=design_of(nodes=hosts, edge={"ports": ports}, core=core))
        plan = json.loads(done.stdout)["plan"]
        same("%s: VLANs and entries" % row["case"], (plan["ethernet"]["vlans"], plan["ethernet"]["static_entries"]),
             (int(row["vlans"]), int(row["static_entries_per_switch"])))
        if row["l2"]:
            same("%s: switches" % row["case"], (plan["edge"]["count"], plan["core"]["count"]), (int(row["l1"]), int(row["l2"])))
            same("%s: cables of a pair, virtual switches" % row["case"], (plan["bundle"], plan["ethernet"]["virtual_switches"]),
                 (int(row["links_l1_to_each_l2"]), int(row["virtual_l2_per_l2"])))
        small = planned(design=design_of(nodes=hosts, edge={"ports": ports, "mac_table": 16384}, core=core))
        same("%s: fits 16384 entries" % row["case"], small.returncode == 0, row["fits_16384"] == "yes")


# ---- the tables ----


def check_walk(name, design):
    """All pairs, local ones, and the share of each cable, by this test's own walk."""
    fabric = Fabric(design)
    count = len(fabric.hosts)
    macs = ["02:00:00:00:%02x:%02x" % divmod(i + 1, 256) for i in range(count)]
    wrong, left, load = [], [], collections.Counter()
    for s, d in itertools.permutations(range(count), 2):
        reached, crossed = fabric.send(s, macs[d])
        if reached != [d]:
            wrong.append((s, d, reached))
        if fabric.hosts[s][0] == fabric.hosts[d][0] and crossed:
            left.append((s, d))
        for a, b in crossed:
            load[a[0], b[0]] += 1
    result("%s: all %d pairs, by a walk that is not ftplan's" % (name, count * (count - 1)), not wrong, wrong[:5])
    result("%s: pairs of a switch stay in it" % name, not left, left[:5])
    seen = {(row["a"], row["b"]): int(row["up"]) for row in csv.DictReader(io.StringIO(
        planned("--walk", "--format", "csv", design=design).stdout))}
    seen.update({(row["b"], row["a"]): int(row["down"]) for row in csv.DictReader(io.StringIO(
        planned("--walk", "--format", "csv", design=design).stdout))})
    same("%s: the load of each bundle each way" % name, {k: v for k, v in seen.items() if v}, dict(load))
    once = all(sorted(fabric.send(s, "ff:ff:ff:ff:ff:ff")[0]) == [d for d in range(count) if d != s] for s in range(count))
    result("%s: broadcasts arrive once" % name, once)


def check_default_vlan():
    rows = table("vlans", design_of(nodes=100, edge={"ports": 48}, core={"ports": 48}, vlan_first=101))
    numbers = {int(n) for row in rows for n in (row["pvid"] + " " + row["tagged"] + " " + row["untagged"]).split()}
    same("another first VLAN: VLAN 1 is nowhere", (min(numbers), 1 in numbers), (101, False))
    rows = table("vlans", design_of(nodes=5, edge={"ports": 4}, core={"ports": 4}))
    closed = [row for row in rows if not row["pvid"] + row["tagged"] + row["untagged"]]
    same("ports without a planned cable are in no VLAN", [(row["switch"], row["port"]) for row in closed],
         [("edge003", "2"), ("core01", "4"), ("core02", "4")])
    settings = table("switch-settings", design_of(nodes=5, edge={"ports": 4}, core={"ports": 4}))
    result("the default VLAN is taken from every port, spanning tree too",
           sum(row["setting"] == "default-vlan" and row["vlan"] == "1" and row["value"] == "remove" for row in settings) == len(rows) and
           sum(row["setting"] == "spanning-tree" and row["value"] == "off" for row in settings) == len(rows) + 5)


def check_odd_systems():
    for name, keys, vlans in (
            ("fewer uplinks than hosts", {"nodes": 100, "edge": {"ports": 48}, "core": {"ports": 48}, "blocking": 2}, 16),
            ("one switch", {"nodes": 20, "edge": {"ports": 36}}, 1),
            ("an L1 switch that is not full", {"nodes": 50, "edge": {"ports": 48}, "core": {"ports": 48}, "fill": "dense"}, 24),
            ("bundles that differ", {"nodes": 60, "edge": {"ports": 24}, "core": {"ports": 24, "count": 5}}, 12),
            ("uplinks below the hosts", {"topology": "graph", "switches": [{"name": "l[1-3]", "ports": 6, "hosts": 3}, {"name": "s", "ports": 9}],
                                         "cables": [{"a": "l%d" % (i // 3 + 1), "a_port": i % 3 + 1, "b": "s", "b_port": i + 1}
                                                    for i in range(9)]}, 3)):
        design = design_of(**keys)
        rows = table("vlans", design)
        same("%s: VLANs" % name, len({row["pvid"] for row in rows} - {""}), vlans)
        check_walk(name, design)
        same("%s: ftplan --walk" % name, planned("--walk", design=design).returncode, 0)
    # An L2 switch more, with a cable to one L1 switch only: it carries nothing.
    design = design_of(topology="graph", switches=[{"name": "l[1-2]", "ports": 8, "hosts": 4}, {"name": "s[1-3]", "ports": 8}],
                       links=[{"a": "l[1-2]", "b": "s[1-2]", "count": 1}, {"a": "l1", "b": "s3", "count": 2}])
    result("cables that lead to some only stay closed", "Idle: 2 cables between switches carry no VLAN" in planned(design=design).stdout)
    check_walk("idle cables", design)


# ---- what is changed is found ----


LINES = {}  # by the id of a row: the row, which is not to be changed, and its line


def line_of(row):
    known = LINES.get(id(row))
    if not known:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerow(row.values())
        known = LINES[id(row)] = row, out.getvalue()
    return known[1]


def rows_text(rows):
    """Large tables that differ in one row are written hundreds of times."""
    return ",".join(rows[0]) + "\n" + "".join(map(line_of, rows))


def numbers(text, drop, add=None):
    return " ".join([n for n in text.split() if n != drop] + ([add] if add else []))


def changes_of_macs(rows, ports, vlans):
    for i, row in enumerate(rows):
        yield row, i, rows[:i] + rows[i + 1:]
        for port in ports:
            if port != row["port"]:
                yield row, i, rows[:i] + [dict(row, port=port)] + rows[i + 1:]
        for vlan in vlans + ["99"]:
            if vlan != row["vlan"]:
                yield dict(row, vlan=vlan), len(rows), rows + [dict(row, vlan=vlan)]
        yield dict(row, mac="02:99:00:00:00:01"), len(rows), rows + [dict(row, mac="02:99:00:00:00:01")]
        others = [other for other in rows if other["mac"] != row["mac"]]
        for change in ({"vlan": vlans[row["vlan"] == vlans[0]]}, {"vlan": "99"}, {"mac": others[i % len(others)]["mac"]},
                       {"mac": "02:99:00:00:00:01"}, {"switch": next(o["switch"] for o in rows if o["switch"] != row["switch"])}):
            yield row, i, rows[:i] + [dict(row, **change)] + rows[i + 1:]


def changes_of_vlans(rows, vlans):
    for i, row in enumerate(rows):
        changed = [dict(row, pvid=pvid) for pvid in [""] + vlans + ["99"]]
        for vlan in vlans + ["99"]:
            changed += [dict(row, tagged=numbers(row["tagged"], vlan, t), untagged=numbers(row["untagged"], vlan, u))
                        for t, u in ((None, None), (vlan, None), (None, vlan), (vlan, vlan))]
        for other in changed:
            if any(sorted(other[k].split()) != sorted(row[k].split()) for k in ("pvid", "tagged", "untagged")):
                yield row, i, rows[:i] + [other] + rows[i + 1:]
        if row["pvid"] + row["tagged"] + row["untagged"]:
            yield row, i, rows[:i] + rows[i + 1:]


VALIDATOR = None


def walk_of(design, path):
    done = subprocess.run([FTPLAN, "--walk", "--format", "json", path, design], capture_output=True, encoding="utf-8", check=False)
    if done.returncode not in (1, 2):
        return done.returncode, None, done.stderr
    walked = json.loads(done.stdout)
    VALIDATOR.validate(walked)
    return done.returncode, walked, done.stderr


def fault_of(design, kind, row, line, rows, fabric):
    """What is wrong with the answer to one change; None: nothing."""
    path = write("%s.csv" % kind, rows_text(rows))
    code, walked, said = walk_of(design, path)
    if walked is None:
        return "status %d: %s" % (code, said)
    if len(walked["findings"]) != 1:
        return "%d findings" % len(walked["findings"])
    finding = walked["findings"][0]
    place = (row["switch"],) + ((int(row["vlan"]), row["mac"]) if kind == "macs" else (int(row["port"]),))
    told = (finding["switch"],) + ((finding["vlan"], finding["mac"]) if kind == "macs" else (finding["port"],))
    if place != told or not finding["breaks"] or finding["kind"] == "unexplained":
        return "%s is told as %s: %s" % (place, told, finding)
    if finding["file"] != path or finding["line"] not in (0, line):
        return "its place is %s:%s, not line %d" % (finding["file"], finding["line"], line)
    if fabric:
        (fabric.load_vlans if kind == "vlans" else fabric.load_macs)(rows)
        if lost_pairs(fabric) != finding["harm"]["pairs_lost"] or finding["harm"] != walked["harm"]:
            return "%d pairs are lost by this test's walk: %s" % (lost_pairs(fabric), walked)
        if (code == 2) != any(finding["harm"][k] for k in ("pairs_lost", "broadcasts_missed", "broadcasts_doubled", "frames_tagged", "loops")):
            return "status %d" % code
    return None


def all_changes(macs, vlans):
    names = sorted({row["vlan"] for row in macs}, key=int)
    ports = sorted({row["port"] for row in vlans}, key=int)
    yield from (("macs", *change) for change in changes_of_macs(macs, ports, names))
    yield from (("vlans", *change) for change in changes_of_vlans(vlans, names))


def some_changes(macs, vlans):
    """A few of each kind, of large tables: all of them would be too many, and too long."""
    dice = random.Random(1)
    for i in (dice.randrange(len(macs)) for _ in range(4)):
        others = [port for port in ("1", "30", "48") if port != macs[i]["port"]]
        yield "macs", macs[i], i, macs[:i] + macs[i + 1:]
        yield "macs", macs[i], i, macs[:i] + [dict(macs[i], port=dice.choice(others))] + macs[i + 1:]
        for key in ("vlan", "mac", "switch"):
            value = dice.choice([row[key] for row in macs if row[key] != macs[i][key]])
            yield "macs", macs[i], i, macs[:i] + [dict(macs[i], **{key: value})] + macs[i + 1:]
    for i in (dice.randrange(len(vlans)) for _ in range(4)):
        yield "vlans", vlans[i], i, vlans[:i] + [dict(vlans[i], tagged=vlans[i]["tagged"] + " 99")] + vlans[i + 1:]
        yield "vlans", vlans[i], i, vlans[:i] + [dict(vlans[i], pvid="98")] + vlans[i + 1:]


def check_changes(name, design, changes, fabric):
    """Each change of one row of a table is one finding, at its place, with what it breaks."""
    path = write("changed.json", json.dumps(design))
    macs, vlans = table("macs", design), table("vlans", design)
    faults, count = [], 0
    for kind, row, at, rows in changes(macs, vlans):
        if fabric:
            fabric.load_vlans(vlans)
            fabric.load_macs(macs)
        fault = fault_of(path, kind, row, at + 2, rows, fabric)
        faults += ["%s %s: %s" % (kind, dict(row), fault)] if fault else []
        count += 1
    result("%s: each of %d changed, missing or additional entries is found, and what it breaks" % (name, count), not faults, *faults[:5])


def check_loop(design):
    """The first VLAN on a second cable too, at both ends: what one cable in a wrong VLAN does."""
    rows = table("vlans", design)
    first = next(row for row in rows if row["tagged"] == "1")
    cables = Fabric(design).far
    second = next(row for row in rows if row["switch"] == first["switch"] and row["tagged"] == "2")
    far = cables[second["switch"], int(second["port"])]
    other = next(row for row in rows if row["switch"] == far[0] and int(row["port"]) == far[1])
    third = next(row for row in rows if row["switch"] != first["switch"] and row["tagged"] == "2" and row["switch"].startswith("edge"))
    fourth_at = cables[third["switch"], int(third["port"])]
    fourth = next(row for row in rows if row["switch"] == fourth_at[0] and int(row["port"]) == fourth_at[1])
    for row in (second, other, third, fourth):
        row["tagged"] += " 1"
    path = write("loop.csv", rows_text(rows))
    code, walked, said = walk_of(write("loop.json", json.dumps(design)), path)
    result("a second way in a VLAN is a loop", code == 2 and walked and walked["harm"]["loops"] > 0 and walked["harm"]["broadcasts_doubled"] > 0,
           code, said, walked and walked["harm"])


# ---- what else is said ----


def check_words():
    design = design_of(nodes=144, edge={"ports": 48, "mac_table": 16384}, core={"ports": 48, "count": 4})
    runs = [["--format", form] for form in ("text", "json", "csv", "cables", "bom", "svg", "dot", "slurm", "vlans", "macs", "linux-bridge",
                                            "openvswitch", "switch-settings")]
    runs += [["--walk"], ["--walk", "--format", "json"], ["--throughput"]]
    for options in runs:
        done = planned(*options, design=design)
        found = WORDS.search(done.stdout + done.stderr)
        result("no word of another technology: %s" % " ".join(options), done.returncode == 0 and not found,
               done.stderr, found and done.stdout[max(0, found.start() - 40):found.end() + 40])
    for form in ("ibsim", "ibdm", "ibnl", "opensm", "opensm-cn"):
        done = planned("--format", form, design=design)
        result("%s is refused" % form, done.returncode == 3 and not done.stdout and
               'the form "%s" is of InfiniBand alone, and this plan is of Ethernet switches' % form in done.stderr, done.stderr)


def check_scripts():
    design = design_of(nodes=12, edge={"ports": 8}, core={"ports": 8})
    for form in ("linux-bridge", "openvswitch"):
        whole = planned("--format", form, design=design).stdout
        checked = subprocess.run(["sh", "-n"], input=whole, capture_output=True, encoding="utf-8", check=False)
        result("%s: a script of sh" % form, checked.returncode == 0 and whole.startswith("#!/bin/sh\n"), checked.stderr)
        unknown = subprocess.run(["sh", "-s", "nobody"], input=whole, capture_output=True, encoding="utf-8", check=False)
        result("%s: a switch that it does not know" % form, unknown.returncode == 3 and "this is no switch of the plan" in unknown.stderr)
        one = planned("--format", form, "--switch", "edge002", design=design).stdout
        entries = len([row for row in table("macs", design) if row["switch"] == "edge002"])
        result("%s: all entries of the switch" % form, one.count("fdb add " if form == "linux-bridge" else "dl_dst=") == entries)
        result("%s: of one switch, it is part of the whole" % form, one.split("set -eu\n", 1)[1] in whole)
    one = planned("--format", "linux-bridge", "--switch", "edge002", design=design).stdout
    result("no default VLAN, no spanning tree, ports last", "vlan_default_pvid 0 stp_state 0" in one and
           one.rindex("fdb add") < one.index("link set dev ${port}1 up"))


def check_addresses():
    base = {"nodes": 4, "topology": "fat-tree", "edge": {"ports": 4}, "core": {"ports": 4}}
    macs = ["02:aa:00:00:00:%02x" % i for i in range(1, 5)]
    names = ["node%03d" % i for i in range(1, 5)]
    ways = {
        "in the plan's order": design_of(macs=macs, **base),
        "by name": design_of(macs=dict(zip(reversed(names), reversed(macs))), **base),
        "by host": design_of(macs=[{"host": n, "mac": m.upper()} for n, m in zip(names, macs)], **base),
        "by port": design_of(macs=[{"edge": "edge%03d" % (i // 2 + 1), "port": i % 2 + 1, "mac": m} for i, m in enumerate(macs)], **base),
    }
    expected = planned("--format", "macs", design=ways["in the plan's order"])
    result("no note where addresses are given", expected.stderr == "" and len(expected.stdout.splitlines()) == 1 + 2 * 2 * 4 + 2 * 4, expected.stderr)
    for name, design in ways.items():
        same("addresses %s" % name, planned("--format", "macs", design=design).stdout, expected.stdout)
    files = {
        "of hosts": "host,mac\n" + "".join("%s,%s\n" % pair for pair in zip(names, macs)),
        "of ports": "mac;switch;port\n" + "".join("%s;edge%03d;%d\n" % (m, i // 2 + 1, i % 2 + 1) for i, m in enumerate(macs)),
        "as in ethers(5)": "# all\n\n" + "".join("%s\t%s # x\n" % (m, n) for n, m in zip(names, macs)),
    }
    for name, text in files.items():
        done = planned("--format", "macs", "--from", write("addresses", text), design=design_of(**base))
        same("a file %s" % name, done.stdout, expected.stdout)
        walked = planned("--walk", "--from", write("addresses", text), write("m.csv", expected.stdout), design=design_of(**base))
        same("a walk with a file %s" % name, walked.returncode, 0)
    done = planned("--format", "macs", design=design_of(**base))
    result("made-up addresses, and a note", done.stderr == 'ftplan: note: the addresses of the hosts are made up; "macs" in the design, or '
           "--from, gives them\n" and "02:00:00:00:00:01" in done.stdout, done.stderr)


def refuse(what, message, *options, design=None):
    done = planned(*options, design=design)
    result(what, done.returncode == 3 and not done.stdout and done.stderr.splitlines()[:1] and message in done.stderr.splitlines()[0],
           "expected: %s" % message, done.stderr or done.stdout)


def check_refusals():
    base = {"nodes": 4, "topology": "fat-tree", "edge": {"ports": 4}, "core": {"ports": 4}}
    macs = ["02:aa:00:00:00:%02x" % i for i in range(1, 5)]
    limit = '"mac_table" holds 16384: the most that fit are 682 hosts'
    for nodes in (683, 1152):
        refuse("%d hosts on switches of 16384 entries" % nodes, limit, design=design_of(nodes=nodes, edge={"ports": 48, "mac_table": 16384}))
    tight = dict(base, edge={"ports": 4, "mac_table": 8})
    same("tables that just fit", planned(design=design_of(**tight)).returncode, 0)
    refuse("a host with two addresses", "needs 10 static entries, for 5 addresses in each of 2 VLANs, and its \"mac_table\" holds 8: the most "
           "that fit are 4 addresses", design=design_of(macs=macs + [{"host": "node001", "mac": "02:bb:00:00:00:01"}], **tight))
    refuse("the same from a file", "the most that fit are 4 addresses", "--format", "macs", "--from",
           write("two.csv", "host,mac\nnode001,02:bb:00:00:00:01\n" + "".join("node%03d,%s\n" % (i + 1, m) for i, m in enumerate(macs))),
           design=design_of(**tight))
    catalog = write("catalog.json", json.dumps({"ftcheck_catalog": 1, "name": "shop", "switches": [
        {"model": "S48", "roles": ["edge", "core"], "ports": 48, "mac_table": 16384, "cost": 1, "technology": "Ethernet 1000BASE-T"}]}))
    refuse("the same by a catalog", limit, "--catalog", catalog, design=design_of(nodes=1152))
    same("what fits, by a catalog", planned("--catalog", catalog, design=design_of(nodes=682)).returncode, 0)
    refuse("no built-in catalog", "no built-in catalog has Ethernet switches", design=design_of(nodes=144))
    refuse("three levels", "these VLANs are of two levels", "--format", "vlans", design=design_of(nodes=2000, levels=3, edge={"ports": 48}))
    refuse("another technology", '"technology": "ethernet" is missing', "--format", "vlans",
           design={"ftcheck": 1, "name": "t", **base})
    refuse("a walk of another technology", '"technology": "ethernet" is missing', "--walk", design={"ftcheck": 1, "name": "t", **base})
    refuse("a workload", "workloads take the rates and routes of InfiniBand", "--workload", "all-to-all", design=design_of(**base))
    refuse("a rate", '"rate" is of InfiniBand alone', design=design_of(rate="4xHDR", **base))
    refuse("VLANs beyond 4094", "VLANs 4094 to 4095 are needed", "--format", "vlans", design=design_of(vlan_first=4094, **base))
    refuse("an unknown switch", 'the plan has no switch "edge9"', "--format", "vlans", "--switch", "edge9", design=design_of(**base))
    refuse("--switch of text", "--switch goes with", "--switch", "edge001", design=design_of(**base))
    refuse("a walk as a drawing", "a walk is written as text, json or csv", "--walk", "--format", "svg", design=design_of(**base))
    refuse("a walk without a design", "--walk needs the design file", "--walk", write("v.csv", "switch,port,pvid,tagged,untagged\n"))
    refuse("an address twice", "02:aa:00:00:00:01 is the address of node001 already", design=design_of(macs=macs[:1] * 4, **base))
    refuse("too few addresses", "node004 has no address", design=design_of(macs=macs[:3], **base))
    refuse("too many addresses", "one address more than the plan has hosts: 4", design=design_of(macs=macs + ["02:bb:00:00:00:01"], **base))
    refuse("a host that is not there", 'the plan has no host "node4"; did you mean "node004"?', design=design_of(macs={"node4": macs[0]}, **base))
    refuse("a group's address", "which is no address of a single port", design=design_of(macs=["01:00:5e:00:00:01"] * 4, **base))
    for what, text, message in (
            ("no such switch", "switch,vlan,mac,port\nedge01,1,%s,1\n" % macs[0], ':2:1: "edge01" is no switch of the plan; did you mean "edge001"?'),
            ("no such VLAN", "switch,vlan,mac,port\nedge001,4095,%s,1\n" % macs[0], ':2:9: "4095" is no VLAN'),
            ("no address", "switch,vlan,mac,port\nedge001,1,zz,1\n", ':2:11: "zz" is no address'),
            ("a port twice", "switch,port,pvid,tagged,untagged\nedge001,1,1,,1\nedge001,1,2,,1\n", ":3:9: port 1 of edge001 is in line 2 already"),
            ("no such port", "switch,port,pvid,tagged,untagged\nedge001,9,1,,1\n", ':2:9: "9" is no port of this switch'),
            ("no list of VLANs", "switch,port,pvid,tagged,untagged\nedge001,1,1,x,1\n", ':2:13: "x" is no list of VLANs'),
            ("other columns", "a,b\n1,2\n", ":1:1: the first row must name the columns: switch,port,pvid,tagged,untagged; or switch,vlan,mac,port"),
            ("an empty file", "", ":1:1: the file is empty")):
        refuse("a table with %s" % what, message, "--walk", write("t.csv", text), design=design_of(**base))
    vlans = planned("--format", "vlans", design=design_of(**base)).stdout
    refuse("a port in two files", "t1.csv already: a switch keeps what it is told last", "--walk", write("t1.csv", vlans), write("t2.csv", vlans),
           design=design_of(**base))
    refuse("a file of addresses with an error", ':2:9: "zz" is no address', "--format", "macs", "--from", write("a.csv", "host,mac\nnode001,zz\n"),
           design=design_of(**base))


def check_files():
    """Tables in a file for each switch: what is changed is told of its file."""
    design = design_of(nodes=12, edge={"ports": 4}, core={"ports": 6})
    names = sorted({row["switch"] for row in table("macs", design)})
    paths, expected = [], planned("--walk", design=design).stdout
    for kind in ("vlans", "macs"):
        for name in names:
            paths.append(write("%s-%s.csv" % (kind, name), planned("--format", kind, "--switch", name, design=design).stdout))
    same("a file for each switch and kind", planned("--walk", *paths, design=design).stdout, expected)
    for path, place in ((paths[1], "%s: %s port" % (paths[1], names[1])), (paths[-2], "%s: " % paths[-2])):
        with open(path, encoding="utf-8") as file:
            rows = file.read().splitlines(keepends=True)
        write(os.path.basename(path), "".join(rows[:2] + rows[3:]))
        told = planned("--walk", *paths, design=design)
        result("a row that is missing is told of its file: %s" % os.path.basename(path),
               place in told.stdout and told.stdout.count("  breaks: ") == 1, told.stdout, told.stderr)
        write(os.path.basename(path), "".join(rows))


def check_readme():
    """What the README shows is what is printed."""
    shown = subprocess.run([FTPLAN, "--walk", "etc/examples/ethernet.json"], capture_output=True, encoding="utf-8", check=False, cwd=SOURCE)
    done = subprocess.run([sys.executable, os.path.join(SOURCE, "tests", "readme_shown.py"), os.path.join(SOURCE, "README.md"),
                           "^crossbar: 10 switches", write("shown", shown.stdout)], capture_output=True, encoding="utf-8", check=False)
    result("the README's walk", done.returncode == 0, done.stdout, done.stderr)


def check_garbage(design):
    """Files with bytes of chance: an answer or one line, and never a crash."""
    dice = random.Random(7)
    base = [planned("--format", form, design=design).stdout for form in ("vlans", "macs")]
    path, bad = write("garbage.json", json.dumps(design)), []
    for _ in range(120):
        text = bytearray(dice.choice(base).encode())
        for _ in range(dice.randint(1, 6)):
            at = dice.randrange(len(text))
            text[at:at + dice.randint(0, 3)] = bytes(dice.choice(b'0123456789,;"\n\r -=ae\xff\0') for _ in range(dice.randint(0, 3)))
        done = subprocess.run([FTPLAN, "--walk", write("garbage.csv", bytes(text)), path], capture_output=True, check=False)
        if done.returncode not in (0, 1, 2, 3) or (done.returncode == 3) != (len(done.stderr.splitlines()) == 1):
            bad.append((done.returncode, bytes(text), done.stderr))
    result("files with bytes of chance", not bad, *bad[:3])


def main():
    global VALIDATOR
    with open(os.path.join(SOURCE, "etc", "walk.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    VALIDATOR = jsonschema.validators.validator_for(schema)(schema)
    small = design_of(nodes=5, edge={"ports": 4}, core={"ports": 4})
    large = design_of(nodes=528, edge={"ports": 48}, core={"ports": 48})
    check_document()
    check_reference()
    check_walk("5 hosts", small)
    check_walk("144 hosts", design_of(nodes=144, edge={"ports": 48}, core={"count": 4}))
    check_default_vlan()
    check_odd_systems()
    check_changes("5 hosts", small, all_changes, Fabric(small))
    check_changes("528 hosts", large, some_changes, None)
    check_loop(design_of(nodes=12, edge={"ports": 8}, core={"ports": 8}))
    check_words()
    check_scripts()
    check_addresses()
    check_files()
    check_refusals()
    check_readme()
    check_garbage(small)
    return status()


sys.exit(main())
