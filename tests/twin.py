#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A made-up fabric in the place of one that was captured: the network of a plan, in another order, without some cables and
hosts. For tests that read captured fabrics, where those are not at hand.

twin.py NETWORK OUTPUT CABLES HOSTS [SEED]   so many cables between switches are out, and so many hosts
"""
import random
import re
import sys

NODE = re.compile(r'^(?:Switch|Ca)\s*\d+\s*"([^"]+)"', re.M)
PORT = re.compile(r'^\[(\d+)\](?:\([0-9a-f]+\))?\s*"([^"]+)"\[(\d+)\]', re.M)


def main():
    source, output, cables, hosts = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    dice = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    with open(source, encoding="utf-8") as file:
        records = [record for record in file.read().split("\n\n") if NODE.search(record)]
    ends, out = [], set()
    for record in records:
        node = NODE.search(record).group(1)
        for port, far, far_port in PORT.findall(record):
            ends.append(((node, port), (far, far_port)))
    between = sorted(end for end in ends if end[0][0][0] == "S" and end[1][0][0] == "S" and end[0] < end[1])
    last = max(end[0][0] for end in ends if end[0][0][0] == "H")
    leaves = sorted(end for end in ends if end[0][0][0] == "H" and end[0][0] != last)
    for end in dice.sample(between, cables) + dice.sample(leaves, hosts):
        out.update(end)
    kept = []
    for record in records:
        node = NODE.search(record).group(1)
        lines = [line for line in record.split("\n")
                 if not (PORT.match(line) and (node, PORT.match(line).group(1)) in out)]
        if node[0] == "S" or any(PORT.match(line) for line in lines):
            kept.append("\n".join(line for line in lines if not line.startswith("#")).strip("\n"))
    dice.shuffle(kept)
    with open(output, "w", encoding="utf-8") as file:
        file.write("#\n# Topology file: made up\n#\n\n" + "\n\n".join(kept) + "\n")


if __name__ == "__main__":
    main()
