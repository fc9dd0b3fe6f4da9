#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Takes cables between switches out of a network of ibsim, each between another pair: cut.py FILE COUNT >OUT"""
import re
import sys


def main():
    lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
    left = int(sys.argv[2])
    node, gone, pairs = None, set(), set()
    for line in lines:
        if head := re.match(r'(Switch|Ca|Hca)\s+\d+\s+"([^"]+)"', line):
            node = head.group(2)
        cable = re.match(r'\[(\d+)\]\s*"(S-[0-9a-f]+)"\[(\d+)\]', line)
        if not cable or not node.startswith("S-") or left == 0:
            continue
        port, far, far_port = cable.groups()
        pair = (min(node, far), max(node, far))
        # One of a pair, and one of its neighbours.
        if pair in pairs or (node, port) in gone:
            continue
        pairs.add(pair)
        gone |= {(node, port), (far, far_port)}
        left -= 1
    node = None
    for line in lines:
        if head := re.match(r'(Switch|Ca|Hca)\s+\d+\s+"([^"]+)"', line):
            node = head.group(2)
        end = re.match(r"\[(\d+)\]", line)
        if not end or (node, end.group(1)) not in gone:
            print(line)


if __name__ == "__main__":
    main()
