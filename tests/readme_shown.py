#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a Markdown file shows is what a program printed.

readme_shown.py FILE PATTERN PRINTED   the indented block, from the line of that pattern on, and what stands in the file
                                 PRINTED: "[...]" stands for any lines, blank lines do not count
"""
import re
import sys


def blocks(path):
    block = []
    with open(path, encoding="utf-8") as file:
        for line in [*file, "end"]:
            if line.startswith("    "):
                block.append(line[4:].rstrip())
            elif block and not line.strip():
                block.append("")
            else:
                if block:
                    yield block
                block = []


def find(path, pattern):
    found = [block[at:] for block in blocks(path) for at, line in enumerate(block) if re.search(pattern, line)]
    if len(found) != 1:
        sys.exit(f"{path}: {len(found)} lines of {pattern!r}")
    return found[0]


def differs(shown, printed):
    """Returns what is not as shown, or None."""
    at, free = 0, False
    for line in filter(None, shown):
        if line == "[...]":
            free = True
            continue
        while at < len(printed) and free and printed[at] != line:
            at += 1
        if at == len(printed):
            return f"shown, and not printed: {line}"
        if printed[at] != line:
            return f"shown:   {line}\n  printed: {printed[at]}"
        at, free = at + 1, False
    if at < len(printed) and not free:
        return f"printed, and not shown: {printed[at]}"
    return None


def main():
    shown = find(sys.argv[1], sys.argv[2])
    with open(sys.argv[3], encoding="utf-8") as file:
        printed = [line.rstrip() for line in file]
    wrong = differs(shown, [line for line in printed if line])
    if wrong:
        print(f"  {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
