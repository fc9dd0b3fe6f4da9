#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
What `bench.sh sweep` makes of its measurements, and what it needs to know of a fabric.

  sweep.py bound NETWORK     how many SMPs libibnetdisc takes for the fabric of that ibnetdiscover text
  sweep.py smps < REPORT     how many a sweep took, from what ftcheck --format json printed
  sweep.py goals TABLE       which goals are met
  sweep.py summary TABLE     the medians, as a table for people (Markdown)
  sweep.py plot TABLE SVG    time against nodes, drawn by gnuplot
"""
import json
import re
import subprocess
import sys

import table

OURS = "ftcheck"
DEEP, LARGE = 13284, 30528

# The tools, in the order of the drawing; each by its name at its defaults and, after a comma, at its best.
TOOLS = [
    # name, colour, point
    (OURS, "#0060ad", 7),
    ("ftcheck --engine libibnetdisc", "#56b4e9", 5),
    ("ibnetdiscover", "#d55e00", 9),
    ("iblinkinfo", "#009e73", 13),
    ("ibqueryerrors", "#7f7f7f", 11),
]


def bound(path):
    """S(P+2) + 3H + 2L + 2: P ports of each of S switches, H ports of CAs and routers, L cables between switches."""
    total, kind, ends = 2, None, 0
    for line in open(path):
        match = re.match(r'(Switch|Ca|Hca|Rt|Router)\s+(\d+)\s', line)
        if match:
            kind = match.group(1)
            total += int(match.group(2)) + 2 if kind == "Switch" else 0
        elif line.startswith("["):
            if kind != "Switch":
                total += 3
            elif re.match(r'\[\d+\](\([0-9a-fx]+\))?\s*"S-', line):
                ends += 1
    return total + ends


class Goals:
    def __init__(self, values):
        self.values = values

    def judge(self, what, value, most, form, beside=""):
        """One line: the value, None if it was not measured, held against the most that it may be."""
        if value is None:
            print("  %-88s not measured" % what)
            return
        print(("  %-88s " + form + ", goal at most " + form + ": %s%s") %
              (what, value, most, "met" if value <= most else "MISSED", beside))

    def get(self, nodes, tool, what):
        return self.values.get((nodes, tool, what))

    def quotient(self, above, below):
        a, b = self.get(*above), self.get(*below)
        return None if a is None or not b else a / b

    def times(self, what, above, below, most):
        """The quotient of medians; those of the least times and of processor times are told beside."""
        beside = [text % value for text, value in (
            ("of the least times %.3f", self.quotient(above + ("least_s",), below + ("least_s",))),
            ("of processor times %.3f", self.quotient(above + ("cpu_s",), below + ("cpu_s",)))) if value is not None]
        self.judge(what, self.quotient(above + ("median_s",), below + ("median_s",)), most, "%.3f",
                   " (%s)" % ", ".join(beside) if beside else "")

    def best(self, nodes, tool):
        """The name of the tool with its best window, by which it was measured."""
        for at, name, _ in self.values:
            if at == nodes and name.startswith(tool + " -o "):
                return name
        return tool + " -o ?"


def goals(values):
    g = Goals(values)
    for nodes, default, best in ((DEEP, 0.15, 0.3), (LARGE, 0.06, 0.1)):
        g.times("%d nodes: %s / ibnetdiscover" % (nodes, OURS), (nodes, OURS), (nodes, "ibnetdiscover"), default)
        name = g.best(nodes, "ibnetdiscover")
        g.times("%d nodes: %s / %s" % (nodes, OURS, name), (nodes, OURS), (nodes, name), best)
    g.times("%s: %d / %d nodes" % (OURS, LARGE, DEEP), (LARGE, OURS), (DEEP, OURS), 2.6)
    for nodes, tool in sorted({(nodes, tool) for nodes, tool, what in values if what == "smps"}):
        g.judge("%d nodes: SMPs of %s" % (nodes, tool), g.get(nodes, tool, "smps"), g.get(nodes, tool, "smps_bound"),
                "%.0f")
    g.times("%d nodes: ftcheck --from / ibnetdiscover --load-cache" % DEEP, (DEEP, "ftcheck --from"),
            (DEEP, "ibnetdiscover --load-cache"), 0.15)
    median, least = (g.get(DEEP, "verifying alone", what) for what in ("median_s", "least_s"))
    g.judge("%d nodes: verifying alone, ms of a processor" % DEEP, median and 1000 * median, 50, "%.1f",
            "" if least is None else " (least %.1f)" % (1000 * least))
    for nodes in (DEEP, LARGE):
        for what, text in (("largest_kib", "the largest process"), ("together_kib", "all processes together")):
            g.judge("%d nodes: memory of %s / ibnetdiscover, %s" % (nodes, OURS, text),
                    g.quotient((nodes, OURS, what), (nodes, "ibnetdiscover", what)), 1, "%.2f")


def split(tool):
    """The tool as TOOLS has it, and its window or None."""
    name, _, window = tool.partition(" -o ")
    return name, window or None


def series(values):
    """[(name, best, [(nodes, seconds, window)])], of those in TOOLS that were measured."""
    result = []
    for name, _, _ in TOOLS:
        for best in (False, True):
            points = sorted((nodes, seconds, split(tool)[1]) for (nodes, tool, what), seconds in values.items()
                            if what == "median_s" and split(tool)[0] == name and (split(tool)[1] is not None) == best)
            if points:
                result.append((name, best, points))
    return result


def human(seconds):
    return "%.0f ms" % (1000 * seconds) if seconds < 1 else "%.2f s" % seconds if seconds < 10 else "%.1f s" % seconds


def summary(values):
    found = series(values)
    sizes = sorted({nodes for _, _, points in found for nodes, _, _ in points})
    print("| nodes | " + " | ".join(format(nodes, ",") for nodes in sizes) + " |")
    print("|---|" + "---:|" * len(sizes))
    for name, best, points in found:
        cells = {nodes: human(seconds) + (" (%s)" % window if best else "") for nodes, seconds, window in points}
        title = "`%s`" % name + (", best `-o`" if best else "")
        print("| %s | " % title + " | ".join(cells.get(nodes, "") for nodes in sizes) + " |")


def plot(values, path):
    found = series(values)
    look = {name: (colour, point) for name, colour, point in TOOLS}
    script = [
        'set terminal svg size 860,540 font "sans-serif,13" background "#ffffff"',
        "set output '%s'" % path,
        "set title 'One check or sweep of a whole fabric, on the simulator ibsim'",
        "set xlabel 'nodes (switches and hosts)'",
        "set ylabel 'seconds, median'",
        "set logscale xy",
        "set xrange [550:40000]",
        "set xtics (%s)" % ", ".join("'%s' %d" % (format(nodes, ","), nodes)
                                     for nodes in sorted({p[0] for _, _, points in found for p in points})),
        "set ytics ('10 ms' 0.01, '30 ms' 0.03, '0.1' 0.1, '0.3' 0.3, '1' 1, '3' 3, '10' 10, '30' 30, '100' 100)",
        "set grid xtics ytics lc rgb '#dddddd' lt 1",
        "set key outside right center Left reverse spacing 1.4",
        "set border 3",
        "set tics nomirror",
    ]
    drawn = []
    for index, (name, best, points) in enumerate(found):
        colour, point = look[name]
        script.append("$data%d << END\n%s\nEND" % (index, "\n".join("%d %.6f" % p[:2] for p in points)))
        drawn.append("$data%d using 1:2 with linespoints lc rgb '%s' lw %s dt %d pt %d ps %s title '%s'" % (
            index, colour, 3 if name == OURS else 2, 2 if best else 1, point, 0.5 if best else 0.8,
            name + (", best -o" if best else "")))
    script.append("plot " + ", ".join(drawn))
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


def main():
    command, *arguments = sys.argv[1:] or [""]
    if command == "bound" and len(arguments) == 1:
        print(bound(arguments[0]))
    elif command == "smps" and not arguments:
        print(json.load(sys.stdin)["source"]["mads"])
    elif command == "goals" and len(arguments) == 1:
        goals(table.read(arguments[0]))
    elif command == "summary" and len(arguments) == 1:
        summary(table.read(arguments[0]))
    elif command == "plot" and len(arguments) == 2:
        plot(table.read(arguments[0]), arguments[1])
    else:
        sys.exit(__doc__.strip())


if __name__ == "__main__":
    main()
