#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Times commands by turns, so that whatever else the machine does hits all of them alike.

  alternate.py [--rounds N] [--goal RATIO] [--memory] [--below MS] NAME=COMMAND...

Prints the median and the least wall-clock time of each, and the ratio of the first to the fastest of the others, by
their medians. --memory adds the largest resident set (needs time(1)). With --below, the first one's median is held
against that many milliseconds. The environment variable BENCH_PRELOAD is LD_PRELOAD of the commands alone.
"""
import argparse
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import time


def environment():
    result = dict(os.environ)
    if result.get("BENCH_PRELOAD"):
        result["LD_PRELOAD"] = result["BENCH_PRELOAD"]
    return result


def run(command, env):
    begin = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, check=False)
    return time.perf_counter() - begin, done.returncode


def resident_kib(command, env):
    # Not by wait4() from here: a process starts with the size of the one that it was forked from.
    inner = ["env", "LD_PRELOAD=" + env["LD_PRELOAD"]] if "LD_PRELOAD" in env else []
    clean = {k: v for k, v in env.items() if k != "LD_PRELOAD"}
    done = subprocess.run(["time", "-f", "%M", "-o", "/dev/stderr"] + inner + command, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, env=clean, check=False)
    return int(done.stderr.split()[-1])


def verdict(good):
    return "met" if good else "MISSED"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--goal", type=float)
    parser.add_argument("--below", type=float, metavar="MS")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("commands", nargs="+", metavar="NAME=COMMAND")
    options = parser.parse_args()
    env = environment()
    commands = {}
    for item in options.commands:
        name, _, command = item.partition("=")
        commands[name] = shlex.split(command)
    times = {name: [] for name in commands}
    for number in range(options.rounds + 2):
        for name, command in commands.items():
            seconds, status = run(command, env)
            if status < 0 or status > 3:
                sys.exit("%s: status %d: %s" % (name, status, shlex.join(command)))
            if number >= 2:  # the first two warm caches up
                times[name].append(seconds)
    median = {name: statistics.median(values) for name, values in times.items()}
    for name, values in times.items():
        print("  %-32s median %8.2f ms   least %8.2f ms" % (name, 1000 * median[name], 1000 * min(values)))
    first, *others = commands
    if options.below:
        print("  goal: below %g ms: %.2f ms: %s" % (options.below, 1000 * median[first],
                                                    verdict(1000 * median[first] < options.below)))
    if others:
        fastest = min(others, key=lambda name: median[name])
        ratio = median[first] / median[fastest]
        goal = "" if options.goal is None else "   goal: at most %g: %s" % (options.goal,
                                                                            verdict(ratio <= options.goal))
        print("  ratio %s / %s: %.2f%s" % (first, fastest, ratio, goal))
    if options.memory and shutil.which("time"):
        kib = {name: resident_kib(command, env) for name, command in commands.items()}
        least = min(kib[name] for name in others)
        print("  resident: %s   goal: no larger: %s" % (
            ", ".join("%s %.1f MiB" % (name, value / 1024) for name, value in kib.items()),
            verdict(kib[first] <= least)))


if __name__ == "__main__":
    main()
