#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Times commands by turns, so that whatever else the machine does hits all of them alike.

  alternate.py [--rounds N] [--warm N] [--goal RATIO] [--memory] [--below MS] NAME=COMMAND...

Prints the median and the least wall-clock time of each, and the ratio of the first to the fastest of the others, by
their medians. --memory adds the largest resident set (needs time(1)). With --below, the first one's median is held
against that many milliseconds. The environment variable BENCH_PRELOAD is LD_PRELOAD of the commands alone.

With --table FILE, medians, least times, processor time and --memory are rows of that table too (see table.py), for as many nodes as
--nodes says, without ratio and goal; --memory then also says what all processes of a command hold together. With
--choose, nothing is printed but the name of the one that took the least time. With --printed, the times are what the
commands print, in milliseconds.
"""
import argparse
import os
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import processes
import table


def environment():
    result = dict(os.environ)
    if result.get("BENCH_PRELOAD"):
        result["LD_PRELOAD"] = result["BENCH_PRELOAD"]
    return result


def processor_seconds():
    """Of all that have ended below this process."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, env, printed):
    """Seconds by the clock, and of processors."""
    before, begin = processor_seconds(), time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE if printed else subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, env=env, check=False)
    seconds = time.perf_counter() - begin
    # 3 is what ours says when it could not do it.
    if done.returncode < 0 or done.returncode >= 3:
        sys.exit("status %d: %s" % (done.returncode, shlex.join(command)))
    return (float(done.stdout) / 1000 if printed else seconds), processor_seconds() - before


def resident_kib(command, env):
    """Of the largest process, and of all at a time, with pages that they share counted once."""
    # Not by wait4() from here: a process starts with the size of the one that it was forked from.
    inner = ["env", "LD_PRELOAD=" + env["LD_PRELOAD"]] if "LD_PRELOAD" in env else []
    clean = {k: v for k, v in env.items() if k != "LD_PRELOAD"}
    together = 0
    with tempfile.NamedTemporaryFile("r") as said:
        process = subprocess.Popen(["time", "-f", "%M", "-o", said.name] + inner + command, env=clean,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None:
            # But for time(1) itself.
            together = max(together, processes.resident_kib(processes.family(process.pid)[1:])[1])
            time.sleep(0.002)
        return int(said.read().split()[-1]), together


def verdict(good):
    return "met" if good else "MISSED"


def time_all(commands, options, env):
    """For each its times by the clock, and those of processors."""
    times, used = ({name: [] for name in commands} for _ in range(2))
    for number in range(-options.warm, options.rounds):
        for name, command in commands.items():
            seconds, processor = run(command, env, options.printed)
            if number >= 0:
                times[name].append(seconds)
                used[name].append(processor)
    return times, used


def compare(options, median):
    first, *others = median
    if options.below:
        print("  goal: below %g ms: %.2f ms: %s" % (options.below, 1000 * median[first],
                                                    verdict(1000 * median[first] < options.below)))
    if others:
        fastest = min(others, key=lambda name: median[name])
        ratio = median[first] / median[fastest]
        goal = "" if options.goal is None else "   goal: at most %g: %s" % (options.goal,
                                                                            verdict(ratio <= options.goal))
        print("  ratio %s / %s: %.2f%s" % (first, fastest, ratio, goal))


def compare_memory(commands, env):
    first, *others = commands
    kib = {name: resident_kib(command, env)[0] for name, command in commands.items()}
    print("  resident: %s   goal: no larger: %s" % (
        ", ".join("%s %.1f MiB" % (name, value / 1024) for name, value in kib.items()),
        verdict(kib[first] <= min(kib[name] for name in others))))


def record(options, times, used):
    for name, values in times.items():
        table.add(options.table, options.nodes, name, "median_s", "%.6f" % statistics.median(values))
        table.add(options.table, options.nodes, name, "least_s", "%.6f" % min(values))
        if not options.printed:
            table.add(options.table, options.nodes, name, "cpu_s", "%.6f" % statistics.median(used[name]))
        table.add(options.table, options.nodes, name, "rounds", len(values))


def record_memory(options, commands, env):
    for name, command in commands.items():
        largest, together = resident_kib(command, env)
        print("  %-32s resident %.1f MiB (all of its processes together: %.1f)" % (name, largest / 1024, together / 1024))
        table.add(options.table, options.nodes, name, "largest_kib", largest)
        table.add(options.table, options.nodes, name, "together_kib", together)


def show(options, times, used):
    median = {name: statistics.median(values) for name, values in times.items()}
    for name, values in times.items():
        print("  %-32s median %8.2f ms   least %8.2f ms" % (name, 1000 * median[name], 1000 * min(values)), flush=True)
    if options.table:
        record(options, times, used)
    else:
        compare(options, median)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--warm", type=int, default=2, help="rounds before that, which warm caches up")
    parser.add_argument("--goal", type=float)
    parser.add_argument("--below", type=float, metavar="MS")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--table", metavar="FILE")
    parser.add_argument("--nodes", type=int, default=0)
    parser.add_argument("--choose", action="store_true")
    parser.add_argument("--printed", action="store_true")
    parser.add_argument("commands", nargs="+", metavar="NAME=COMMAND")
    options = parser.parse_args()
    env = environment()
    commands = {}
    for item in options.commands:
        name, _, command = item.partition("=")
        commands[name] = shlex.split(command)
    times, used = time_all(commands, options, env)
    if options.choose:
        print(min(times, key=lambda name: min(times[name])))
        return
    # With --rounds 0, only the memory is of interest.
    if options.rounds:
        show(options, times, used)
    if options.memory and shutil.which("time"):
        if options.table:
            record_memory(options, commands, env)
        else:
            compare_memory(commands, env)


if __name__ == "__main__":
    main()
