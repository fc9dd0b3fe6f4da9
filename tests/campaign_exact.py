#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Random port-precise designs, random faults, and whether ftcheck names each of them port by port.

The designs and most of the faults are those of campaign.py. Here the plan says which port every cable is in and, as a
rule, where every host is, so a fault cannot be read in two ways: a round is right if each finding names exactly the
ports that were changed, and plan and findings are what is observed (oracle.py), or wrong. In half of the rounds all switches have one name: nothing but ports and structure
tells then which switch is which.

  campaign_exact.py [--seed N] [--rounds N] [--replay SEED:ROUND] [--keep DIR]
"""
import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign  # noqa: E402
import oracle  # noqa: E402
from fabric import Fabric  # noqa: E402


# SEED:ROUND of OneSwitch.
ONCE_WRONG = ("2:129", "2:424", "3:41", "10100:87")


class Fault:
    """What a finding has to say: all places in @ends, and none beyond @ends and @extra."""

    def __init__(self, code, ends, extra=(), count=1):
        self.code = code
        self.ends = set(ends)
        self.extra = set(extra)
        self.count = count

    def renamed(self, guids):
        turn = lambda places: {(guids[g], p) for g, p in places}  # noqa: E731
        return Fault(self.code, turn(self.ends), turn(self.extra), self.count)

    def explains(self, finding):
        where = {(int(p["guid"], 16) if p["guid"] else 0, p["port"]) for p in finding["where"]}
        if self.code in ("core-missing", "edge-isolated"):
            # The ports that went dark, whichever they are.
            return finding["code"] == self.code and {g for g, _ in where} == {g for g, _ in self.ends}
        return (finding["code"] == self.code and finding["count"] == self.count and self.ends <= where
                and where <= self.ends | self.extra)

    def __str__(self):
        return "%s x%d %s" % (self.code, self.count, ", ".join("%x[%s]" % e for e in sorted(self.ends, key=str)))


class Exact(campaign.Broken):
    """Faults, and the ports they concern."""

    def __init__(self, rng, plan, fabric, hosts_listed):
        super().__init__(rng, plan, fabric)
        self.hosts_listed = hosts_listed
        self.faults = []
        self.pulled = collections.defaultdict(list)  # pair -> ends of its cables

    def fault(self, code, ends, extra=(), count=1):
        self.faults.append(Fault(code, ends, extra, count))
        self.use(*ends, *extra)
        return True

    def note(self, code, *ends, count=1):
        return self.fault(code, ends, count=count)

    def pull_one(self):
        cables = self.spare_cables()
        if not cables:
            return False
        edge, port, core, far_port = self.rng.choice(cables)
        self.fabric.unlink(edge, port)
        self.pulled[edge, core] += [(edge, port), (core, far_port)]
        self.use((edge, port), (core, far_port))
        return True

    def plug_elsewhere(self, kept, old, to):
        """The end in @old of the cable at @kept goes into a spare port of @to."""
        port = self.spare_port(to)
        rate = self.fabric.unlink(*kept)
        self.fabric.link(*kept, to, port, rate)
        return self.fault("cable-wrong-port" if to == old[0] else "cable-misplaced", [kept, (to, port)], [old])

    def unplanned_cable(self):
        """One more between two switches that lack one would be that one in other ports."""
        lacking = {guid for pair in self.pulled for guid in pair}
        ends = [g for g in self.with_spare(self.all) if g not in lacking]
        if len(ends) < 2:
            return False
        a, b = self.rng.sample(ends, 2)
        ports = self.spare_port(a), self.spare_port(b)
        self.fabric.link(a, ports[0], b, ports[1], self.uplink_rate())
        return self.note("cable-unplanned", (a, ports[0]), (b, ports[1]))

    def wrong_port(self):
        cables = self.spare_cables()
        if not cables:
            return False
        edge, port, core, far_port = self.rng.choice(cables)
        kept, old = ((edge, port), (core, far_port)) if self.rng.random() < 0.5 else ((core, far_port), (edge, port))
        return bool(self.spare_ports(old[0])) and self.plug_elsewhere(kept, old, old[0])

    def misplace(self):
        cables = self.spare_cables()
        if not cables:
            return False
        edge, port, core, far_port = self.rng.choice(cables)
        kept, old = ((edge, port), (core, far_port)) if self.rng.random() < 0.5 else ((core, far_port), (edge, port))
        others = [s for s in self.with_spare(self.same_tier(old[0])) if s not in (old[0], kept[0])]
        return bool(others) and self.plug_elsewhere(kept, old, self.rng.choice(others))

    def swap_within_pair(self):
        pairs = collections.defaultdict(list)
        for edge, port, core, far_port in self.cables():
            pairs[edge, core].append((port, far_port))
        pairs = sorted((pair, cables) for pair, cables in pairs.items() if len(cables) >= 2)
        if not pairs:
            return False
        (edge, core), cables = self.rng.choice(pairs)
        chosen = self.rng.sample(cables, self.rng.randint(2, min(3, len(cables))))
        rates = [self.fabric.unlink(edge, port) for port, _ in chosen]
        ends = []
        for i, (port, _) in enumerate(chosen):
            far_port = chosen[(i + 1) % len(chosen)][1]
            self.fabric.link(edge, port, core, far_port, rates[i])
            ends += [(edge, port), (core, far_port)]
        return self.fault("cables-swapped", ends, count=len(chosen))

    def free_hosts(self):
        return [h for h in self.fabric.hosts() if 1 in h.links and (h.guid, 1) not in self.touched
                and h.links[1] not in self.touched and h.links[1][0] in self.edges]

    def move_host(self):
        hosts, others = self.free_hosts(), self.host_ports()
        if not self.hosts_listed or not hosts or not others:
            return False
        host, to = self.rng.choice(hosts), self.rng.choice(others)
        old = host.links[1]
        rate = self.fabric.unlink(host.guid, 1)
        self.fabric.link(host.guid, 1, *to, rate)
        return self.fault("host-misplaced", [(host.guid, 1), to], [old])

    def host_ports(self):
        """Free ports for hosts, which no cable of the plan has."""
        return [(e, p) for e in self.alive(self.edges) for p in self.spare_ports(e) if p <= self.to_nodes]

    def swap_hosts(self):
        hosts = self.free_hosts()
        if not self.hosts_listed or len(hosts) < 2:
            return False
        one, two = self.rng.sample(hosts, 2)
        ends = one.links[1], two.links[1]
        rates = self.fabric.unlink(one.guid, 1), self.fabric.unlink(two.guid, 1)
        self.fabric.link(one.guid, 1, *ends[1], rates[0])
        self.fabric.link(two.guid, 1, *ends[0], rates[1])
        return self.fault("host-misplaced", [(one.guid, 1), (two.guid, 1), *ends], count=2)

    KINDS = [(pull_one, 4), (wrong_port, 4), (misplace, 4), (swap_within_pair, 3), (campaign.Broken.swap_two, 3),
             (campaign.Broken.swap_three, 2), (campaign.Broken.dead_core, 2), (campaign.Broken.dead_edge, 2),
             (unplanned_cable, 2), (campaign.Broken.loopback, 1), (move_host, 2), (swap_hosts, 2)]

    def all_faults(self):
        result = list(self.faults)
        for ends in self.pulled.values():
            result.append(Fault("cable-missing", ends, count=len(ends) // 2))
        for finding in self.findings:
            victim = finding.places[0][0]
            ends = {a if b == victim else b for a, b in self.bundles if victim in (a, b)} - self.dead
            result.append(Fault(finding.code, [(g, None) for g in sorted(ends)]))
        return result


class AtOneSwitch(Exact):
    """Up to four faults of cables of one switch, which makes it look like a stranger."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.hub = self.rng.choice(self.all)

    def spare_cables(self):
        return [c for c in super().spare_cables() if self.hub in (c[0], c[2])]

    KINDS = [(Exact.pull_one, 1), (Exact.misplace, 2)]


class Miscounted(Exact):
    """All cables of a switch, and all hosts of one, are a few ports too high or too low, and one more fault."""

    def shift(self):
        hub = self.rng.choice(self.all)
        node, by = self.fabric.nodes[hub], self.rng.choice([-2, -1, 1, 2])
        cables = [(c[1], c[2:]) if c[0] == hub else (c[3], c[:2]) for c in self.cables() if hub in (c[0], c[2])]
        moved, ports = sorted(cables), {port for port, _ in cables}
        free = {p for p in range(1, node.ports + 1) if p not in node.links} | ports
        if len(moved) < 4 or not {p + by for p in ports} <= free or max(ports) - min(ports) >= len(ports):
            return False
        rates = [self.fabric.unlink(hub, port) for port, _ in moved]
        for (port, far), rate in zip(moved, rates):
            self.fabric.link(hub, port + by, *far, rate)
        ends = [end for port, far in moved for end in ((hub, port + by), far)]
        return self.fault("cable-wrong-port", ends, [(hub, port) for port in ports], len(moved))

    def shift_hosts(self):
        """The same of all hosts of an edge switch."""
        edge, by = self.rng.choice(self.alive(self.edges)), self.rng.choice([-1, 1])
        moved = sorted((h.links[1][1], h.guid) for h in self.free_hosts() if h.links[1][0] == edge)
        ports, node = {port for port, _ in moved}, self.fabric.nodes[edge]
        free = set(node.free_ports()) | ports
        if not self.hosts_listed or len(moved) < 4 or not {p + by for p in ports} <= free & {
                *ports, *self.spare_ports(edge)} or max(ports) - min(ports) >= len(ports):
            return False
        rates = [self.fabric.unlink(edge, port) for port, _ in moved]
        for (port, host), rate in zip(moved, rates):
            self.fabric.link(edge, port + by, host, 1, rate)
        ends = [end for port, host in moved for end in ((edge, port + by), (host, 1))]
        return self.fault("host-misplaced", ends, [(edge, port) for port in ports], len(moved))

    def break_it(self, count):
        for fault in (self.shift, self.shift_hosts):
            if fault():
                self.kinds.append(fault.__name__)
        super().break_it(min(count, 1))


def explained(faults, findings):
    """(faults that no finding names, findings of no fault)."""
    left, lost = list(findings), []
    for fault in faults:
        match = next((f for f in left if fault.explains(f)), None)
        if match is None:
            lost.append(fault)
        else:
            left.remove(match)
    return lost, left


class Campaign:
    name = "exact"
    breaks = Exact

    def __init__(self, options):
        self.options = options
        build = os.environ.get("FT_BUILDDIR", ".")
        self.ftplan, self.ftcheck = os.path.join(build, "ftplan"), os.path.join(build, "ftcheck")
        self.directory = tempfile.TemporaryDirectory(prefix="ftcheck-campaign.")
        self.hit, self.lost, self.false = collections.Counter(), collections.Counter(), collections.Counter()
        self.kinds = collections.Counter()

    def ftplan_run(self, design, form):
        done = subprocess.run([self.ftplan, "-", "--format", form], input=json.dumps(design).encode(),
                              capture_output=True, timeout=60, check=False)
        return done.stdout if done.returncode == 0 else None

    def draw(self, rng):
        for _ in range(100):
            levels = rng.choice([2, 2, 3])
            draw = campaign.draw_pods if levels == 3 else campaign.draw_pinned
            design = draw(rng)
            design.update(ftcheck=1, name="exact", topology="fat-tree", rate="4xHDR", cables="plan")
            text = self.ftplan_run(design, "json")
            if text is None:
                continue
            plan = json.loads(text)["plan"]
            if plan["core"]["count"] >= 2 and plan["edge"]["count"] >= 2 and len(plan["switches"]) <= 90:
                return design, plan, self.ftplan_run(design, "ibsim")
        raise RuntimeError("no design was accepted in 100 draws")

    def round(self, number):
        rng = random.Random("exact:%d:%d" % (self.options.seed, number))
        design, plan, net = self.draw(rng)
        hosts_listed = rng.random() < 0.7
        if hosts_listed:
            design["hosts"] = self.hosts_of(Fabric.read(net))
        while True:
            broken = self.breaks(rng, plan, Fabric.read(net), hosts_listed)
            broken.break_it(rng.choices([0, 1, 2, 3, 4], [1, 4, 4, 3, 2])[0])
            hosts = [h.guid for h in broken.fabric.hosts() if h.links]
            entry = rng.choice(hosts) if hosts else rng.choice(broken.alive(broken.cores))
            if len(broken.fabric.reachable(entry)) == len(broken.fabric.nodes):
                break
        fabric, guids = disguise(rng, broken.fabric)
        faults = [f.renamed(guids) for f in broken.all_faults()]
        self.intend(plan, net, ports=True)
        return self.judge(number, design, broken, faults, fabric.write(entry=guids[entry]))

    def intend(self, plan, net, ports):
        """What a report is held against: the plan, with its ports or without."""
        self.intended = oracle.Plan.read(plan)
        self.intended.learn_ports(Fabric.read(net))
        if not ports:
            self.intended.cables = None

    def judge(self, number, design, broken, faults, text):
        """True where something was not found, or was found that is not there."""
        report, words = self.ask(design, text)
        if report:
            words = oracle.inconsistency(self.intended, Fabric.read(text), report) or ""
        lost, false = explained(faults, report["findings"] if report else [])
        self.kinds.update(broken.kinds)
        self.hit.update(f.code for f in faults)
        self.hit.subtract(f.code for f in lost)
        self.lost.update(f.code for f in lost)
        self.false.update(f["code"] for f in false)
        wrong = bool(lost or false or words or not report)
        if wrong or self.options.replay:
            self.show(number, broken, faults, report, words, design, text)
        return wrong

    @staticmethod
    def hosts_of(fabric):
        return [{"name": h.description.decode().split()[0], "edge": fabric.nodes[h.links[1][0]].description.decode(),
                 "port": h.links[1][1]} for h in fabric.hosts()]

    def ask(self, design, text):
        path = os.path.join(self.directory.name, "design.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(design, file)
        done = subprocess.run([self.ftcheck, "--plan", path, "--from", "-", "--format", "json", "--critical", "100"],
                              input=text, capture_output=True, timeout=60, check=False)
        if not done.stdout or done.stderr:
            return None, "status %d: %s" % (done.returncode, done.stderr.decode(errors="replace"))
        return json.loads(done.stdout), ""

    def show(self, number, broken, faults, report, words, design, text):
        print("round %d:%d (%s) %s" % (self.options.seed, number, ", ".join(broken.kinds) or "healthy", words))
        for fault in faults:
            print("  broken: %s" % fault)
        for finding in (report or {"findings": []})["findings"]:
            print("  found:  %s x%d %s (%s)" % (finding["code"], finding["count"], ", ".join(
                "%s[%s]" % (p["guid"], p["port"]) for p in finding["where"]), finding["text"]))
        if not self.options.keep:
            self.options.keep = tempfile.mkdtemp(prefix="ftcheck-rounds.")
        os.makedirs(self.options.keep, exist_ok=True)
        base = os.path.join(self.options.keep, "%s-%d-%d" % (self.name, self.options.seed, number))
        with open(base + ".design.json", "w", encoding="utf-8") as file:
            json.dump(design, file, indent=1)
        with open(base + ".net", "wb") as file:
            file.write(text)
        print("  kept:   %s.design.json %s.net" % (base, base))

    def rounds(self):
        """Returns how many were wrong."""
        return sum(self.round(n) for n in self.numbers())

    def numbers(self):
        return [int(self.options.replay.split(":")[1])] if self.options.replay else range(self.options.rounds)

    def run(self):
        print("campaign, %s: seed %d, %d rounds" % (self.name, self.options.seed, self.options.rounds))
        wrong = self.rounds()
        campaign.table_print(self.hit, self.lost, self.false)
        print("faults: %s" % ", ".join("%s %d" % item for item in sorted(self.kinds.items())))
        print("campaign, %s: seed %d: %d of %d rounds wrong" % (self.name, self.options.seed, wrong,
                                                                len(self.numbers())))
        return 1 if wrong else 0


class OneSwitch(Campaign):
    name = "exact, at one switch"
    breaks = AtOneSwitch


class Shifted(Campaign):
    name = "exact, miscounted"
    breaks = Miscounted


def disguise(rng, fabric):
    """Other GUIDs, names and order of records; the ports stay. Returns the fabric and what became of the GUIDs."""
    guids = {g: g for g in fabric.nodes}
    if rng.random() < 0.7:
        guids = dict(zip(guids, rng.sample(range(0x0002C90300000000, 0x0002C90300FFFFF0, 16), len(guids))))
    if rng.random() < 0.5:
        for node in fabric.switches():
            node.description = b"MT Switch"
    order = list(fabric.nodes)
    rng.shuffle(order)
    return fabric.renamed(guids, order, systems=False), guids


def read_options(arguments):
    parser = argparse.ArgumentParser(description="Random faults in random fabrics, and whether ftcheck names them.")
    parser.add_argument("--seed", type=int, default=1, help="default: 1")
    parser.add_argument("--rounds", type=int, default=150)
    parser.add_argument("--replay", metavar="SEED:ROUND", help="one round again, in full")
    parser.add_argument("--keep", metavar="DIR", help="where wrong rounds are kept")
    options = parser.parse_args(arguments)
    if options.replay:
        options.seed = int(options.replay.split(":")[0])
    return options


def run(arguments=None, kind=Campaign):
    return kind(read_options(arguments)).run()


def run_and_replay(kind, once_wrong, kind_of_these=None):
    """As run(); without options also the rounds SEED:ROUND that were wrong once."""
    status = run(kind=kind)
    for replay in once_wrong if len(sys.argv) == 1 else ():
        status |= run(["--replay", replay], kind_of_these or kind)
    return status


if __name__ == "__main__":
    status = run_and_replay(Campaign, ONCE_WRONG, OneSwitch)
    for kind in () if sys.argv[1:] else (OneSwitch, Shifted):
        status |= run(["--rounds", "100"], kind)
    sys.exit(status)
