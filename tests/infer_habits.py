#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Fabrics by the habits of sites, and as these grow (site_habits.py, site_growth.py). Up to six faults are put into each: a
missing cable, two exchanged ones, a misplaced one, a slow one, a dead switch, a host that is off. The design is inferred,
and ftcheck may find nothing from a warning on that has no part in a fault, in sentences that can be read. Of the faults
whose twins tell of them most must be named by a port. The same fabric with its records in another order and from another
entry has the same findings and ids, with other GUIDs the same findings.

  infer_habits.py [--seed N] [--rounds N] [--kinds A,B] [--healthy] [--replay KIND:SEED] [--keep DIR] [-v]
"""
import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fabric import lids_by_port  # noqa: E402
from site_growth import GROWN  # noqa: E402
from site_habits import KINDS as HABITS, TooMany  # noqa: E402

KINDS = HABITS + GROWN
SENTENCE_MAX = 500
# One fault may look like another one where several meet: so many of those named may be false, or missed.
FALSE_SHARE = 100
MISSED_SHARE = 3
# One in so many rounds is asked again in other words.
AGAIN_SHARE = 6
TOLD = ("missing", "swapped", "misplaced", "slow")
SLOWER = {"4xQDR": ["4xDDR", "1xQDR"], "4xFDR": ["4xQDR", "4xFDR10", "1xFDR"], "4xEDR": ["4xFDR", "1xEDR"],
          "4xHDR": ["4xEDR", "2xHDR"], "4xNDR": ["4xHDR", "2xNDR"], "2xHDR": ["1xHDR"]}


def draw(kind, seed):
    for attempt in range(60):
        rng = random.Random("habits:%s:%d:%d" % (kind.__name__, seed, attempt))
        try:
            return kind(rng), rng
        except TooMany:
            pass
    raise SystemExit("%s: nothing fits" % kind.__name__)


def ends_of(*cables):
    return {end for c in cables for end in ((c.a.guid, c.pa), (c.b.guid, c.pb))}


class Fault:
    def __init__(self, kind, ends, near=()):
        self.kind, self.ends = kind, ends
        self.near = {guid for guid, _ in ends} | set(near)
        self.findings = []

    def is_named(self):
        """By a port; of exchanged cables any of their bundles may be told."""
        for finding in self.findings:
            places = places_of(finding)
            if self.ends & places or (self.kind == "swapped" and finding["code"] == "cables-swapped" and
                                      len({guid for guid, _ in places} & self.near) > 3):
                return True
        return False


class Breaker:
    """Puts faults into a fabric. A cable is touched once."""

    def __init__(self, site, rng):
        self.site, self.rng, self.touched = site, rng, set()

    def known(self, several=False):
        left = [c for c in self.site.cables if c.known and c.what not in ("host", "backplane") and c not in self.touched]
        count = collections.Counter((c.a, c.b) for c in left)
        return [c for c in left if not several or count[c.a, c.b] > 1]

    def missing(self, several=False):
        pool = self.known(several)
        if not pool:
            return None
        cable = self.rng.choice(pool)
        self.site.cables.remove(cable)
        return Fault("missing", ends_of(cable))

    def of_bundle(self):
        return self.missing(True)

    def swapped(self):
        pool = self.known()
        if not pool:
            return None
        one = self.rng.choice(pool)
        pool = [c for c in pool if c.what == one.what and not {c.a, c.b} & {one.a, one.b}]
        if not pool:
            return None
        other = self.rng.choice(pool)
        fault = Fault("swapped", ends_of(one, other))
        one.b, one.pb, other.b, other.pb = other.b, other.pb, one.b, one.pb
        self.touched |= {one, other}
        return fault

    def misplaced(self):
        pool = self.known()
        if not pool:
            return None
        cable = self.rng.choice(pool)
        used = ends_of(*self.site.cables)
        tier = self.site.tier
        places = [(s, p) for s in self.site.switches if s not in (cable.a, cable.b) and tier[s] == tier[cable.b] and
                  s.ports == cable.b.ports for p in range(1, s.ports + 1 - s.ports % 2) if (s.guid, p) not in used]
        if not places:
            return None
        to, port = self.rng.choice(places)
        fault = Fault("misplaced", ends_of(cable) | {(to.guid, port)})
        cable.b, cable.pb = to, port
        self.touched.add(cable)
        return fault

    def slow(self, hosts=False):
        pool = [c for c in (self.site.cables if hosts else self.known()) if c.rate in SLOWER and c not in self.touched and
                (c.what == "host") == hosts]
        if not pool:
            return None
        cable = self.rng.choice(pool)
        cable.rate = self.rng.choice(SLOWER[cable.rate])
        self.touched.add(cable)
        return Fault("slow host" if hosts else "slow", ends_of(cable))

    def slow_host(self):
        return self.slow(True)

    def dead(self):
        pool = [s for s in self.site.switches if any(s in (c.a, c.b) for c in self.known())]
        if not pool or self.rng.random() < 0.6:
            return None
        switch = self.rng.choice(pool)
        gone = [c for c in self.site.cables if switch in (c.a, c.b)]
        self.site.cables = [c for c in self.site.cables if c not in gone]
        return Fault("dead", set(), [guid for guid, _ in ends_of(*gone)])

    def off(self):
        pool = [c for c in self.site.cables if c.what == "host" and c not in self.touched]
        cable = self.rng.choice(pool)
        self.site.cables.remove(cable)
        return Fault("off", set(), [cable.b.guid])

    WAYS = (missing, missing, missing, of_bundle, swapped, misplaced, slow, slow_host, dead, off)

    def faults(self, count):
        made = [self.rng.choice(self.WAYS)(self) for _ in range(count)]
        return [fault for fault in made if fault]


def places_of(finding):
    return {(int(place["guid"], 16), place.get("port")) for place in finding["where"] if place.get("guid")}


def essence(report, back, ids=True):
    return sorted((f["code"], f["severity"], f["count"], f["id"] if ids else "",
                   sorted((back.get(guid, guid), port or 0) for guid, port in places_of(f))) for f in report["findings"])


class Campaign:
    def __init__(self, options, work):
        self.options, self.work = options, work
        build = os.environ.get("FT_BUILDDIR", ".")
        self.ftplan, self.ftcheck = (os.path.join(build, name) for name in ("ftplan", "ftcheck"))
        self.tally = collections.Counter()

    def report(self, text, name):
        """Of a dump, or None with the complaint."""
        dump, design = (os.path.join(self.work, name + end) for end in (".net", ".json"))
        with open(dump, "wb") as file:
            file.write(lids_by_port(text))
        done = subprocess.run([self.ftplan, "--infer", dump, "-o", design], capture_output=True, check=False)
        if done.returncode:
            return None, done.stderr.decode()
        done = subprocess.run([self.ftcheck, "--plan", design, "--from", dump, "--format", "json"], capture_output=True,
                              check=False)
        return (json.loads(done.stdout) if done.stdout else None), done.stderr.decode()

    def judge(self, faults, report):
        words = []
        for finding in report["findings"]:
            places = places_of(finding)
            guids = {guid for guid, _ in places}
            for text in (finding["text"], finding.get("fix") or ""):
                if len(text) > SENTENCE_MAX:
                    words.append("long: %s" % text)
            part = [f for f in faults if f.ends & places] or \
                   [f for f in faults if guids and len(guids & f.near) >= min(len(guids), 2 if f.kind == "missing" else 1)]
            for fault in part[:1]:
                fault.findings.append(finding)
            if not part and finding["severity"] != "info":
                words.append("false: %s: %s" % (finding["code"], finding["text"]))
        for fault in faults:
            if fault.kind not in TOLD or any(f.kind == "dead" and f.near & fault.near for f in faults):
                continue
            self.tally["named" if fault.is_named() else "missed"] += 1
            if not fault.is_named() and self.options.verbose:
                words.append("missed: %s %s" % (fault.kind, sorted("%x[%d]" % end for end in fault.ends)))
        return words

    def again(self, fabric, report, name, rng):
        """In another order and from another entry, and with other GUIDs."""
        words, order = [], list(fabric.nodes)
        rng.shuffle(order)
        entry = rng.choice([n.guid for n in fabric.hosts() or fabric.switches()])
        new = dict(zip(order, rng.sample(range(1 << 40, 1 << 41), len(order))))
        for what, text, back, ids in (
                ("another order", fabric.write(order=order, entry=entry), {}, True),
                ("other GUIDs", fabric.renamed(new, list(fabric.nodes), systems=False).write(),
                 {to: guid for guid, to in new.items()}, False)):
            if not ids and any(n.system != n.guid for n in fabric.switches()):
                continue
            other, err = self.report(text, name + "-again")
            self.tally["again"] += 1
            if not other or essence(other, back, ids) != essence(report, {}, ids):
                words.append("false: %s, and other findings %s" % (what, err))
        return words

    def round(self, kind, seed):
        site, rng = draw(kind, seed)
        faults = Breaker(site, rng).faults(0 if self.options.healthy else rng.choice([0, 1, 1, 2, 3, 4, 5, 6]))
        fabric = site.fabric()
        name = "%s-%d" % (kind.__name__, seed)
        report, err = self.report(fabric.write(), name)
        words = ["refused: %s" % err] if not report else self.judge(faults, report)
        if report and seed % AGAIN_SHARE == 0:
            words += self.again(fabric, report, name, rng)
        for word in words:
            self.tally[word.split(":")[0]] += not word.startswith("missed")
        if words or self.options.verbose:
            print("%s:%d %s; %s" % (kind.__name__, seed, site.habit, ", ".join(f.kind for f in faults) or "healthy"))
            print("".join("  %s\n" % word[:300] for word in words[:6]), end="")

    def run(self):
        start = time.monotonic()
        of = {kind.__name__: kind for kind in KINDS}
        if self.options.replay:
            name, seed = self.options.replay.split(":")
            rounds = [(of[name], int(seed))]
        else:
            kinds = [of[k] for k in self.options.kinds.split(",")] if self.options.kinds else KINDS
            rounds = [(kinds[i % len(kinds)], self.options.seed + i // len(kinds)) for i in range(self.options.rounds)]
        for kind, seed in rounds:
            self.round(kind, seed)
        tally = self.tally
        print("infer habits: seed %d, %d rounds: %s in %.1f s" % (
            self.options.seed, len(rounds), ", ".join("%d %s" % (tally[key], key) for key in sorted(tally)),
            time.monotonic() - start))
        return 1 if tally["refused"] or tally["long"] or tally["false"] * FALSE_SHARE > tally["named"] or \
            tally["missed"] * MISSED_SHARE > tally["named"] + (1 if self.options.replay else 0) * MISSED_SHARE else 0


def main():
    parser = argparse.ArgumentParser(description="Infers fabrics by the habits of sites.")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("FT_SEED", "1")))
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("FT_RUNS", "60")))
    parser.add_argument("--kinds")
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--replay", metavar="KIND:SEED")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ftcheck-habits.") as work:
        sys.exit(Campaign(options, options.keep or work).run())


if __name__ == "__main__":
    main()
