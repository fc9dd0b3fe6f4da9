# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Processes with all below them, and what they hold of memory."""


def family(pid):
    """The process and all below it."""
    found, todo = [], [pid]
    while todo:
        one = todo.pop()
        found.append(one)
        try:
            with open("/proc/%d/task/%d/children" % (one, one)) as file:
                todo += map(int, file.read().split())
        except OSError:
            pass
    return found


def resident_kib(pids):
    """Sums of resident memory, shared pages counted once a process, and counted once."""
    rss = pss = 0
    for pid in pids:
        try:
            with open("/proc/%d/smaps_rollup" % pid) as file:
                for line in file:
                    if line.startswith("Rss:"):
                        rss += int(line.split()[1])
                    elif line.startswith("Pss:"):
                        pss += int(line.split()[1])
        except OSError:
            pass
    return rss, pss
