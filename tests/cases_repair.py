#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Cases of repairs, directors and hosts that came out wrong once: what ftcheck finds in each, and what its repair foretells.
They are read in $FT_SHARED/cases, and skipped where that is absent. Such faults in made-up fabrics, and repairs that are
carried out, are in test_repair, test_directors, test_exact and campaign_repair.
"""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

SHARED = os.path.join(os.environ.get("FT_SHARED") or os.path.join(os.environ["FT_SRCDIR"], "..", "shared"), "cases")
FTCHECK = os.path.join(os.environ["FT_BUILDDIR"], "ftcheck")

# The codes found, words that one of the sentences has, and what the repair foretells at its end: verdict, findings,
# uplinks, hosts.
CASES = {
    "d-repair-cycle": (["cable-missing", "cable-missing", "cables-swapped"], "3 cables are swapped", ("ok", 0, 64, 128)),
    "d2-repair-cycle": (["cable-missing", "cable-unplanned", "cables-swapped"], "3 cables are swapped",
                        ("ok", 0, 50, 100)),
    "e-host-of-dead-edge": (["edge-isolated", "host-misplaced"],
                            "node00050 HCA-1 port 1 is on p01-leaf01 port 3, but belongs on P01-LEAF09 port 2",
                            ("ok", 0, 50, 60)),
    "f-star-chip": (["board-missing"], "chip 1 of line board L06 of sw is missing", ("ok", 0, 0, 57)),
    "g-trace-port": (["cable-missing"], "between core01 L05/U1 port 14 and core01 S02/U1 port 14", ("ok", 0, 144, 144)),
    "h-repair-director-dead": (["core-missing"], "core switch core03 is missing", ("ok", 0, 96, 48)),
    "h-repair-edge-isolated": (["edge-isolated"], "edge012 in the plan", ("ok", 0, 72, 72)),
    "h-repair-line-board": (["board-missing"], "line board L02/U1 of core02", ("ok", 0, 60, 40)),
    "h-repair-outer-pulled": (["cable-missing"], "between ib12 port 16 and core02 L06/U2 port 10", ("ok", 0, 96, 96)),
    "h-repair-outer-misplaced": (["cable-misplaced"], "but belongs on", ("ok", 0, 48, 48)),
    "j-port-of-dead-edge": (["cable-misplaced", "cable-unplanned", "cable-unplanned", "edge-isolated"],
                            "but belongs on core06", ("ok", 0, 216, 72)),
    "k-repair-hosts": (["cable-unplanned", "cable-unplanned", "edge-isolated", "edge-overloaded"], "has 4 hosts",
                       ("ok", 0, 198, 80)),
    "exact-20261123-1481": (["host-misplaced", "loopback", "switch-replaced"], "core-4-04 in the place of core-3-04",
                            ("ok", 1, 72, 71)),
    "exact-31-581": (["cable-unplanned", "host-misplaced", "loopback", "switch-replaced"],
                     "core-3-03 in the place of core-1-02", ("ok", 1, 72, 46)),
    "exact-31-368": (["cable-missing", "cable-slow", "edge-isolated", "switch-replaced"],
                     "p06l06 in the place of p04l02", ("ok", 1, 84, 66)),
    "c-pod-swap-pull": (["cable-missing", "cables-swapped", "edge-isolated"], "2 cables are swapped", ("ok", 0, 84, 46)),
    "l-cycle-unplanned": (["cable-unplanned", "cables-swapped"], "3 cables are swapped", ("ok", 0, 45, 90)),
}


def ask(name):
    base = os.path.join(SHARED, name)
    cables = ["--cables", base + ".csv"] if os.path.exists(base + ".csv") else []
    done = subprocess.run([FTCHECK, "--plan", base + ".json", *cables, "--from", base + ".net", "--repair", "--format",
                           "json"], capture_output=True, timeout=60, check=False)
    return json.loads(done.stdout) if done.stdout else {"findings": [], "repair": [], "error": done.stderr.decode()}


def wrong(report, codes, words, end):
    """What is not as it should be, or None."""
    found = sorted(f["code"] for f in report["findings"])
    if found != codes:
        return "found %s%s" % (found, report.get("error", ""))
    if not any(words in f["text"] for f in report["findings"]):
        return "no finding says %s: %s" % (words, [f["text"] for f in report["findings"]])
    if not report["repair"]:
        return "nothing is to be done"
    then = report["repair"][-1]["then"]
    seen = (then["verdict"], then["findings"], then["uplinks_up"], then["hosts_found"])
    if seen != end:
        return "the repair ends in %s" % (seen,)
    spoken = [s["text"] for s in report["repair"]] + [x["text"] for x in report.get("left", [])]
    if any("f7c4ec" in text for text in spoken):
        return "a GUID that no node has: %s" % spoken
    return None


def main():
    if not os.path.isdir(SHARED):
        print("skipped: no %s" % SHARED)
        return 77
    failures = 0
    for number, (name, expected) in enumerate(CASES.items(), 1):
        if not os.path.exists(os.path.join(SHARED, name + ".net")):
            print("ok %d - %s # SKIP not there" % (number, name))
            continue
        words = wrong(ask(name), *expected)
        print("%s %d - %s%s" % ("not ok" if words else "ok", number, name, ": " + words if words else ""))
        failures += bool(words)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
