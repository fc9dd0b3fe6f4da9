#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
How long one check takes where VL15 buffers run over, by turns; for bench.sh kindness.

  kindness.py --ftcheck FTCHECK --plan DESIGN --nodes N --depth N [--delay US] [--window N] [--timeout MS]
              [--retries N] [--rounds N]

The environment is that of a program on the simulated fabric; BENCH_PRELOAD is LD_PRELOAD of the commands alone, with
tests/vl15.so before ibsim's library. Prints of each command the median and the least time, what it sent and what of it
was dropped, and whether it saw the whole fabric. Status 1 where ours did not find the healthy fabric healthy.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time


class Run:
    """One run of a command: seconds, figures of the wire (see vl15.c), and whether it saw all that there is."""

    def __init__(self, command, env, nodes):
        with tempfile.NamedTemporaryFile("r") as figures:
            env = dict(env, FT_VL15_STATS=figures.name)
            begin = time.perf_counter()
            done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
            self.seconds = time.perf_counter() - begin
            self.figures = {}
            for line in figures:
                words = line.split()
                for name, value in zip(words[::2], map(int, words[1::2])):
                    self.figures[name] = self.figures.get(name, 0) + value
        if done.stdout.startswith(b"{"):
            self.read_report(json.loads(done.stdout), done.returncode)
        else:
            self.read_dump(done.stdout, nodes)
        if not self.figures:
            sys.exit("status %d, and nothing was sent: %s" % (done.returncode, " ".join(command)))

    def read_report(self, report, status):
        self.whole = status == 0 and not report["findings"] and report["source"]["complete"]
        self.said = "status %d, %d findings, %s" % (
            status, len(report["findings"]), "complete" if report["source"]["complete"] else "incomplete")

    def read_dump(self, text, nodes):
        seen = len(re.findall(rb"(?m)^(?:Switch|Ca|Hca|Rt)\s", text))
        self.whole = seen == nodes
        self.said = "saw %d of %d nodes" % (seen, nodes)


def verdict(good):
    return "met" if good else "MISSED"


def commands(o):
    def ftcheck(engine, window):
        return [o.ftcheck, "--plan", o.plan, "--format", "json", "--deadline", "900", "--retries", str(o.retries),
                "-t", str(o.timeout), "--engine", engine, "-o", str(window)]

    return {
        "libibumad": ftcheck("libibumad", o.window),
        "libibnetdisc": ftcheck("libibnetdisc", o.window),
        "ibnetdiscover": ["ibnetdiscover", "-t", str(o.timeout), "-o", str(o.window)],
        # What there is to be had by who knows.
        "libibumad, right window": ftcheck("libibumad", o.depth),
        "libibnetdisc, right window": ftcheck("libibnetdisc", o.depth),
    }


def show(name, command, runs):
    def mean(figure):
        return statistics.mean(run.figures[figure] for run in runs)

    # Of all that differ: what was said most often would hide the one that failed.
    said = sorted({run.said for run in runs})
    print("  %-20s -o %-4s median %8.2f s   least %8.2f s   %7.0f SMPs, %6.0f dropped   %s" % (
        name, command[command.index("-o") + 1], statistics.median(run.seconds for run in runs),
        min(run.seconds for run in runs), mean("sent"), mean("dropped"), "; ".join(said)), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ftcheck", required=True)
    parser.add_argument("--plan", required=True)
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--depth", type=int, required=True)
    parser.add_argument("--delay", type=int, default=1000)
    parser.add_argument("--window", type=int, default=512)
    parser.add_argument("--timeout", type=int, default=200)
    parser.add_argument("--retries", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    o = parser.parse_args()
    env = dict(os.environ, LD_PRELOAD=os.environ["BENCH_PRELOAD"], FT_VL15_DEPTH=str(o.depth),
               FT_VL15_DELAY_US=str(o.delay))
    runs = {name: [] for name in commands(o)}
    for _ in range(o.rounds):
        for name, command in commands(o).items():
            runs[name].append(Run(command, env, o.nodes))
    for name, command in commands(o).items():
        show(name, command, runs[name])
    median = {name: statistics.median(run.seconds for run in of) for name, of in runs.items()}
    whole = all(run.whole for run in runs["libibumad"])
    print("  healthy, complete and without a finding: %s" % verdict(whole))
    ratio = median["libibumad"] / median["libibnetdisc"]
    print("  ratio libibumad / libibnetdisc: %.2f   goal: at most 0.5: %s" % (ratio, verdict(ratio <= 0.5)))
    for name in ("ibnetdiscover", "libibumad, right window", "libibnetdisc, right window"):
        print("  beside it, libibumad / %s: %.2f" % (name, median["libibumad"] / median[name]))
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
