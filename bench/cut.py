#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Takes cables between switches out of a network of ibsim, each between another pair: cut.py FILE COUNT >OUT"""
import random
import re
import sys


def main():
    lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
    node, cables, gone, pairs = None, [], set(), set()
    for line in lines:
        if head := re.match(r'(Switch|Ca|Hca)\s+\d+\s+"([^"]+)"', line):
            node = head.group(2)
        cable = re.match(r'\[(\d+)\]\s*"(S-[0-9a-f]+)"\[(\d+)\]', line)
        if cable and node.startswith("S-") and node < cable.group(2):
            cables.append((node, *cable.groups()))
    random.Random(1).shuffle(cables)
    for node, port, far, far_port in cables:
        if len(pairs) < int(sys.argv[2]) and (node, far) not in pairs:
            pairs.add((node, far))
            gone |= {(node, port), (far, far_port)}
    node = None
    for line in lines:
        if head := re.match(r'(Switch|Ca|Hca)\s+\d+\s+"([^"]+)"', line):
            node = head.group(2)
        end = re.match(r"\[(\d+)\]", line)
        if not end or (node, end.group(1)) not in gone:
            print(line)


if __name__ == "__main__":
    main()
