# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
A table of measurements as tab-separated text: of how many nodes, by which tool, what, and how much of it. "what" is one
of median_s, least_s, cpu_s (processor time, median), rounds, largest_kib (the largest process), together_kib (all
processes), smps, smps_bound.
"""
HEAD = ("nodes", "tool", "what", "value")


def add(path, nodes, tool, what, value):
    with open(path, "a") as file:
        if file.tell() == 0:
            print(*HEAD, sep="\t", file=file)
        print(nodes, tool, what, value, sep="\t", file=file)


def read(path):
    """{(nodes, tool, what): value}; of what is there twice, the last."""
    result = {}
    with open(path) as file:
        for line in list(file)[1:]:
            nodes, tool, what, value = line.rstrip("\n").split("\t")
            result[int(nodes), tool, what] = float(value)
    return result
