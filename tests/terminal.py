#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
What a person sees on a terminal, and what of it a pipe does not get: lines broken between words at the terminal's width,
colours; and --help of all programs in 80 columns.
"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

BUILD, SOURCE = os.environ["FT_BUILDDIR"], os.environ["FT_SRCDIR"]
FTCHECK, FTPLAN, FTCHECKD = (os.path.join(BUILD, name) for name in ("ftcheck", "ftplan", "ftcheckd"))
SAMPLE = os.path.join(SOURCE, "etc/examples/sample.json")
ESCAPE = re.compile("\033\\[[0-9;]*m")
failed = 0


def result(what, good, *said):
    global failed
    print("%s - %s" % ("ok" if good else "not ok", what))
    if not good:
        failed += 1
        for line in said:
            print("  %r" % (line,))


def on_terminal(words, columns, env=()):
    """What the program writes to a terminal of so many columns, and its exit status."""
    mine, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
    environment.update({"TERM": "xterm", **dict(env)})
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=its, stderr=its, env=environment)
    os.close(its)
    out, end = b"", time.monotonic() + 60
    while time.monotonic() < end:
        if not select.select([mine], [], [], 1)[0]:
            continue
        try:
            more = os.read(mine, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        out += more
    os.close(mine)
    return out.decode().replace("\r\n", "\n"), child.wait(60)


def piped(words):
    return subprocess.run(words, capture_output=True, text=True, timeout=60).stdout


def unwrapped(text):
    """The lines as they are without breaks: what stands further in than a line's begin goes on with it."""
    return re.sub(r"\n {4,}", " ", text)


def words_of(text):
    return ESCAPE.sub("", text).split()


work = tempfile.mkdtemp()
broken = os.path.join(work, "broken.net")
net = piped([FTPLAN, "--format", "ibsim", SAMPLE]).splitlines(True)
node, kept = "", []
for line in net:  # a cable between edge001 port 19 and core01 port 1 is pulled, and node002 is off
    if line.startswith(("Switch", "Ca")):
        node = line.split('"')[1]
    gone = (node.endswith("100001") and line.startswith(("[19]", "[2]"))) or \
        (node.endswith("100005") and line.startswith("[1]"))
    if not gone and not (node.endswith("200003") and line.startswith("[1]")):
        kept.append(line)
with open(broken, "w", encoding="utf-8") as file:
    file.writelines(kept)

CHECK = [FTCHECK, "--plan", SAMPLE, "--from", broken]
plain = piped(CHECK)
result("a pipe gets whole lines", any(len(line) > 120 for line in plain.splitlines()), plain)
result("a pipe gets no colours", "\033" not in plain, plain)

for columns in (60, 80, 132):
    text, status = on_terminal(CHECK, columns)
    bare = ESCAPE.sub("", text)
    result("no line is longer than %d columns" % columns, all(len(line) <= columns for line in bare.splitlines()), text)
    result("no word is lost at %d columns" % columns, words_of(text) == plain.split(), text, plain)
    result("what is broken goes on four columns in, at %d" % columns,
           all(re.match(r"(    )?\S", line) for line in bare.splitlines()), bare)
    result("the exit status at %d columns" % columns, status == 1, status)

text, _ = on_terminal(CHECK, 100)
result("the verdict is coloured", text.startswith("\033[33mWARNING\033[0m"), text)
result("the severity is coloured", "\033[33mwarning\033[0m cable-missing" in text, text)
result("Fix: is coloured", text.count("\033[1mFix:\033[0m") == 2, text)
for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
    text, _ = on_terminal(CHECK, 100, env)
    result("no colours with %s" % env, "\033" not in text, text)
    result("lines are broken with %s" % env, all(len(line) <= 100 for line in text.splitlines()), text)

text, _ = on_terminal(CHECK + ["--verbose"], 60)
table = ESCAPE.sub("", text).split("\n\n")[-1]
result("the table stays as it is", table == piped(CHECK + ["--verbose"]).split("\n\n")[-1], table)
result("the status of a switch is coloured", "\033[33mdegraded \033[0m" in text and "\033[32mok       \033[0m" in text, text)

for program in (FTCHECK, FTPLAN, FTCHECKD):
    text = piped([program, "--help"])
    long = [line for line in text.splitlines() if len(line.expandtabs()) > 80]
    result("%s --help fits in 80 columns" % os.path.basename(program), text and not long, *long)

os.remove(broken)
os.rmdir(work)
sys.exit(1 if failed else 0)
