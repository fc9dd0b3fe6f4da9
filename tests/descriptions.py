#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Descriptions that want to do harm, and whether any output lets them.

  descriptions.py nets IN OUT       a network file whose nodes have every hostile description that a line of text can hold
  descriptions.py snapshot IN OUT   the same in a snapshot file: those with newlines too (a NUL ends a description)
  descriptions.py check FORMAT STATUS FILE   an output of ftcheck: nothing of it reaches a terminal, and it is in one piece
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fabric import Fabric  # noqa: E402

# Fit for a line of text.
LINE = [
    b"\x1b[31mred\x1b[0m", b"\x1b]0;title\x07", b"\x1b[2J\x1b[H", b'say "hi"', b"it's", b"back\\slash", b"\\x41\\n",
    b"tab\there", b"bell\x07", b"\x7fdelete", b"\xff\xfe\x80", b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80", b"\xc2\x9b31mred", "\u202eesrever".encode(), "\u2028line".encode(), "\u2066x".encode(),
    b"", b" ", b"  leading", b"trailing  ", b"x" * 64, b"\xe2\x82" * 32, b"$(reboot)", b"`reboot`", b"; reboot",
    b"../../etc/passwd", b"<script>alert(1)</script>", b"a|b=1;2;3", b"| up=0", b"%s%n%s%n", b"# comment", b"{}[]",
    b"=cmd|' /C calc'!A0", "Gr\u00fc\u00dfe".encode(), "\u0440\u0443\u0441".encode(), "\u4e2d\u6587".encode(),
    b"carriage\rreturn", b"\x1b[1A\x1b[2Kftcheck: ok", b'" enhanced port 0 lid 1 lmc 0', b'", "verdict": "ok',
]
# Only where the format of the file allows them.
ANY = [b"two\nlines", b"\n", b"OK\n\nOK - all is well", b"\r\n\x1b[0m"]

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def rename(fabric, descriptions):
    """Each node one of them, in turn."""
    for number, node in enumerate(fabric.nodes.values()):
        node.description = descriptions[number % len(descriptions)]


def make_net(source, target):
    with open(source, "rb") as file:
        fabric = Fabric.read(file.read())
    rename(fabric, [d for d in LINE if b"\n" not in d and not d.endswith(b"\r")])
    with open(target, "wb") as file:
        file.write(fabric.write())


def escaped(description):
    """As the snapshot file has it: backslashes twice, bytes that are no plain ASCII as \\xNN."""
    return "".join(chr(b) * (2 if b == 0x5c else 1) if 0x20 <= b < 0x7f else "\\x%02x" % b for b in description)


def make_snapshot(source, target):
    with open(source, encoding="utf-8") as file:
        snapshot = json.load(file)
    descriptions = LINE + ANY
    for number, node in enumerate(snapshot["nodes"]):
        node["description"] = escaped(descriptions[number % len(descriptions)])
    with open(target, "w", encoding="utf-8") as file:
        json.dump(snapshot, file)


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)
        if isinstance(value, dict):
            yield from value


def check_json(text, status):
    report = json.loads(text)
    yield from ("control in a string: %r" % s for s in strings(report) if CONTROL.search(s) or "\n" in s)
    if {"ok": 0, "warning": 1, "critical": 2, "unknown": 3}[report["verdict"]] != status:
        yield "verdict %s, status %d" % (report["verdict"], status)


def check_nagios(text, status):
    if text.count("\n") != 1 or not text.endswith("\n"):
        yield "not one line"
    word = ("OK", "WARNING", "CRITICAL", "UNKNOWN")[status]
    if not text.startswith("FTCHECK %s - " % word):
        yield "does not begin with FTCHECK %s" % word
    if text.count("|") != 1:
        yield "%d bars" % text.count("|")
    perfdata = text.rstrip("\n").split("|")[-1].strip()
    form = re.compile(r"'?[^'= ]+'?=[0-9.]+(s|ms|%)?(;[0-9.:~@]*){0,4}")
    for item in perfdata.split():
        if not form.fullmatch(item):
            yield "bad performance data: %r" % item


def check_text(text, status):
    if any(line.startswith("OK - all") for line in text.split("\n")):
        yield "a description became a line"
    if not text.split("\n")[0]:
        yield "the first line is empty"
    del status


CHECKS = {"json": check_json, "nagios": check_nagios, "text": check_text}


def check(kind, status, path):
    with open(path, "rb") as file:
        data = file.read()
    complaints = []
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        print("  %s" % error)
        return 1
    complaints += ["control at %d: %r" % (m.start(), text[max(0, m.start() - 30):m.end() + 30])
                   for m in CONTROL.finditer(text)]
    complaints += CHECKS[kind](text, int(status))
    for complaint in complaints[:10]:
        print("  " + complaint)
    return 1 if complaints else 0


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "nets":
        make_net(*arguments[1:])
    elif len(arguments) == 3 and arguments[0] == "snapshot":
        make_snapshot(*arguments[1:])
    elif len(arguments) == 4 and arguments[0] == "check":
        return check(*arguments[1:])
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
