#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Holds a report against what a test expects. What is not named must be as in a healthy fabric.

  expect.py REPORT STATUS [expectation...]

REPORT is the JSON report, STATUS the exit status of the program. Expectations:

  verdict=warning             default: ok, and it must agree with STATUS
  CODE:NODE,NODE[xCOUNT]      one finding, with exactly these nodes in "where" (COUNT: and this count)
  ports:CODE:NODE[PORT],…     a finding of that code, with exactly these ports in "where"
  evidence:CODE=GRADE         every finding of that code is of this grade
  uplinks.KEY=N, edge.KEY=N, core.KEY=N, hosts.KEY=N    in "counts", and spine.KEY=N where there are three levels
  degraded=NODE,…             status of these switches; also isolated, missing, mute, unplanned, unreached. All others
                              are to be "ok". A planned switch that was not seen goes by its planned name
  status=any                  do not look at the status of switches
  any=CODE                    findings of that code are not looked at
  alternatives:CODE           a finding of that code names another reading
  waived:CODE                 a finding of that code is waived, hence only info
  text:CODE=PATTERN           text, fix, expected or observed of a finding of that code matches

NODE is a GUID with 0x. A node that comes twice in "where" is named once.
"""
import collections
import json
import re
import sys

EXIT = {"ok": 0, "warning": 1, "critical": 2, "unknown": 3}
ZERO = ("uplinks.missing", "uplinks.misplaced", "uplinks.unplanned", "uplinks.slow", "edge.degraded", "edge.isolated",
        "core.degraded", "core.missing")


class Expectation:
    def __init__(self, report, status):
        self.report = report
        self.status = status
        self.complaints = []
        self.findings = collections.Counter()
        self.counted = {}  # (code, nodes) -> counts
        self.ignored = set()
        self.verdict = "ok"
        self.counts = {}
        self.statuses = {}
        self.look_at_status = True

    def complain(self, what, is_, should):
        self.complaints.append("%s: is %s, should be %s" % (what, is_, should))

    def of_code(self, code):
        found = [f for f in self.report["findings"] if f["code"] == code]
        if not found:
            self.complaints.append("no %s" % code)
        return found

    def take(self, word):
        for pattern, take in self.FORMS:
            match = re.fullmatch(pattern, word)
            if match:
                take(self, *match.groups())
                return
        sys.exit("expect.py: not understood: %s" % word)

    def take_verdict(self, verdict):
        self.verdict = verdict

    def take_count(self, key, value):
        self.counts[key] = int(value)

    def take_status(self, status, nodes):
        for node in filter(None, nodes.split(",")):
            self.statuses[node] = status

    def take_any_status(self):
        self.look_at_status = False

    def take_any(self, code):
        self.ignored.add(code)

    def take_finding(self, code, nodes, count):
        key = code, tuple(sorted(set(filter(None, nodes.split(",")))))
        self.findings[key] += 1
        if count:
            self.counted.setdefault(key, []).append(int(count))

    def take_ports(self, code, ports):
        want = sorted(ports.split(","))
        have = [sorted("%s[%s]" % (p["guid"], p["port"]) for p in f["where"]) for f in self.of_code(code)]
        if want not in have:
            self.complain("ports of " + code, have, want)

    def take_evidence(self, code, grade):
        for finding in self.of_code(code):
            if finding["evidence"] != grade:
                self.complain("evidence of " + code, finding["evidence"], grade)

    def take_alternatives(self, code):
        if not any(f.get("alternatives") for f in self.of_code(code)):
            self.complaints.append("no %s names an alternative" % code)

    def take_waived(self, code):
        for finding in self.of_code(code):
            if not finding.get("waived") or finding["severity"] != "info":
                self.complaints.append("%s is not waived" % code)

    def take_text(self, code, pattern):
        texts = [" / ".join(str(f[k]) for k in ("text", "fix", "expected", "observed")) for f in self.of_code(code)]
        if not any(re.search(pattern, t) for t in texts):
            self.complain("words of " + code, texts, "like " + pattern)

    FORMS = [
        (r"verdict=(\w+)", take_verdict),
        (r"((?:uplinks|edge|spine|core|hosts)\.\w+)=(\d+)", take_count),
        (r"status=any", take_any_status),
        (r"(degraded|isolated|missing|mute|unplanned|unreached)=(.*)", take_status),
        (r"any=([\w-]+)", take_any),
        (r"ports:([\w-]+):(.+)", take_ports),
        (r"evidence:([\w-]+)=(\w+)", take_evidence),
        (r"alternatives:([\w-]+)", take_alternatives),
        (r"waived:([\w-]+)", take_waived),
        (r"text:([\w-]+)=(.+)", take_text),
        (r"([\w-]+):(0x[0-9a-f]+(?:,0x[0-9a-f]+)*|)(?:x(\d+))?", take_finding),
    ]

    def check(self):
        self.check_verdict()
        self.check_findings()
        self.check_counts()
        if self.look_at_status:
            self.check_statuses()
        return self.complaints

    def check_verdict(self):
        if self.report["verdict"] != self.verdict:
            self.complain("verdict", self.report["verdict"], self.verdict)
        if EXIT[self.verdict] != self.status:
            self.complain("exit status", self.status, EXIT[self.verdict])

    def check_findings(self):
        found = collections.Counter()
        counts = {}
        for finding in self.report["findings"]:
            if finding["code"] in self.ignored:
                continue
            key = finding["code"], tuple(sorted({p["guid"] or p["name"] for p in finding["where"]}))
            found[key] += 1
            counts.setdefault(key, []).append(finding["count"])
        for key in (self.findings - found).elements():
            self.complaints.append("not found: %s %s" % (key[0], ",".join(key[1])))
        for key in (found - self.findings).elements():
            self.complaints.append("found, but not there: %s %s" % (key[0], ",".join(key[1])))
        for key, want in self.counted.items():
            if sorted(counts.get(key, [])) != sorted(want):
                self.complain("count of %s %s" % (key[0], ",".join(key[1])), counts.get(key), want)

    def check_counts(self):
        counts = self.report["counts"]
        for key in ZERO + (("spine.degraded", "spine.missing") if "spine" in counts else ()):
            self.counts.setdefault(key, 0)
        uplinks = counts["uplinks"]
        if "uplinks.up" not in self.counts:
            self.counts["uplinks.up"] = uplinks["planned"] - uplinks["missing"] - uplinks["misplaced"]
        for key, want in self.counts.items():
            group, name = key.split(".")
            if counts[group][name] != want:
                self.complain("counts." + key, counts[group][name], want)
        for tier, lost in (("edge", "isolated"), ("spine", "missing"), ("core", "missing")):
            if tier not in counts:
                continue
            tier = counts[tier]
            if tier["ok"] + tier["degraded"] + tier[lost] != tier["planned"] and self.look_at_status:
                self.complain("sum of counts", tier, "planned")

    def check_statuses(self):
        left = dict(self.statuses)
        for row in self.report["switches"]:
            name = row["guid"] if row["guid"] in left else row["planned_as"] or row["name"]
            want = left.pop(name, "ok")
            if row["status"] != want:
                self.complain("status of %s %s" % (row["guid"], row["planned_as"]), row["status"], want)
        for node, status in left.items():
            self.complaints.append("no switch %s in the table, should be %s" % (node, status))


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    with open(arguments[0], encoding="utf-8") as file:
        report = json.load(file)
    expectation = Expectation(report, int(arguments[1]))
    for word in arguments[2:]:
        expectation.take(word)
    complaints = expectation.check()
    for complaint in complaints:
        print("  " + complaint)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
