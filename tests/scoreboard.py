#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
What ftcheck finds: all campaigns, and one table of finding codes against kinds of fabrics, as the README has it.

A cell says how many faults were injected that are findings of that code, how many of them were not found, and how many
were reported that are not there: "412", or "412 (1 missed, 2 false)".

  scoreboard.py [--families] [--seed N] [--rounds N] [--keep DIR]
"""
import argparse
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign  # noqa: E402
import campaign_directors  # noqa: E402
import campaign_exact  # noqa: E402
import campaign_graph  # noqa: E402

# What is read, and with which options.
KINDS = [
    ("two levels", campaign.Campaign, campaign.read_options, []),
    ("three levels", campaign.Campaign, campaign.read_options, ["--levels", "3"]),
    ("directors", campaign_directors.Campaign, campaign_exact.read_options, []),
    ("exact ports", campaign_exact.Campaign, campaign_exact.read_options, []),
    ("graphs", campaign_graph.Campaign, campaign_graph.read_options, []),
]


def cell(board, code):
    asked = board.hit[code] + board.lost[code]
    remarks = ["%d %s" % (n, word) for n, word in ((board.lost[code], "missed"), (board.false[code], "false")) if n]
    if asked == 0 and not remarks:
        return ""
    return "%d%s" % (asked, " (%s)" % ", ".join(remarks) if remarks else "")


def print_table(boards):
    codes = sorted({code for _, board, _ in boards for c in (board.hit, board.lost, board.false) for code in c})
    print("| injected | %s |" % " | ".join(name for name, _, _ in boards))
    print("|---|%s" % ("---|" * len(boards)))
    for code in codes:
        cells = [cell(board, code) for _, board, _ in boards]
        if any(cells):
            print("| `%s` | %s |" % (code, " | ".join(cells)))
    print("| rounds (wrong) | %s |" % " | ".join("%d (%d)" % (len(board.numbers()), wrong)
                                                for _, board, wrong in boards))


# The other table: families that a design names by their rules.
FAMILIES = ("torus", "mesh", "hypercube", "ring", "hyperx", "dragonfly", "dragonfly+", "slim-fly", "polarfly", "random", "clos")


def print_families(options, seed):
    """One row a family; true if a round was wrong."""
    any_wrong = False
    print("| family | faults injected | missed | false | rounds (wrong) |")
    print("|---|---:|---:|---:|---:|")
    for name in FAMILIES:
        arguments = ["--seed", str(seed), "--rounds", str(options.rounds), "--families", name + " by rule"]
        board = campaign_graph.Campaign(campaign_graph.read_options(
            arguments + (["--keep", options.keep] if options.keep else [])))
        wrong = board.rounds()
        lost, false = sum(board.lost.values()), sum(board.false.values())
        print("| %s | %d | %d | %d | %d (%d) |" % (name, sum(board.hit.values()) + lost, lost, false,
                                                  len(board.numbers()), wrong))
        any_wrong |= wrong > 0
    return any_wrong


def main():
    parser = argparse.ArgumentParser(description="All campaigns in one table.")
    parser.add_argument("--seed", type=int, default=1, help="default: 1; 0: of the clock")
    parser.add_argument("--rounds", type=int, default=500, help="of each kind of fabric")
    parser.add_argument("--keep", metavar="DIR", help="where wrong rounds are kept")
    parser.add_argument("--families", action="store_true", help="the table of families instead")
    options = parser.parse_args()
    seed = options.seed or int(time.time()) % 1000000
    print("scoreboard: seed %d, %d rounds of each kind" % (seed, options.rounds))
    if options.families:
        return 1 if print_families(options, seed) else 0
    boards = []
    for name, kind, read, more in KINDS:
        arguments = more + ["--seed", str(seed), "--rounds", str(options.rounds)]
        board = kind(read(arguments + (["--keep", options.keep] if options.keep else [])))
        boards.append((name, board, board.rounds()))
    print_table(boards)
    return 1 if any(wrong for _, _, wrong in boards) else 0


if __name__ == "__main__":
    sys.exit(main())
