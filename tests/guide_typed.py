#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Types every command of a guide, in its order, and holds what is printed against what the guide shows.

guide_typed.py GUIDE SHELL...       SHELL reads commands from its standard input
UPDATE_GOLDEN=1               writes what was printed into GUIDE instead

Commands are the lines of indented blocks that begin with "# " or "$ ". "[...]" stands for any lines, blank lines and
indentation do not count, and what differs from one run to the next (times, hashes, process ids) is compared by its form. A
command that only looks is typed again until it shows what the guide does, for what it looks at may need a moment.
"""
import os
import re
import selectors
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import readme_shown  # noqa: E402

PATIENCE_S = 60
# A command that waits for more than was typed, or for what does not come.
LIMIT_S = int(os.environ.get("FT_STEP_LIMIT_S", "180"))
# What they print is their own matter.
INSTALLS = "apt install"
LOOKS = re.compile(r"(ftcheck (?!.*--(accept|save))|systemctl status|journalctl|cat /var|grep) ?")
FORMS = [
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?( ?(Z|UTC|[A-Z]{3,4}|[+-]\d\d:?\d\d))?", "TIME"),
    (r"\bhash [0-9a-f]{12}\b", "hash HASH"),
    (r"\b\d+(\.\d+)? ?(ms|s|min|h)\b( \d+ (ms|s|min)\b)?", "SPAN"),
    (r"\b\d+ packets\b", "N packets"),
    (r"\bby root\b", "by USER"),
]


class Command:
    def __init__(self, line, number):
        self.line = line
        self.number = number
        self.shown = []
        self.printed = None
        self.wrong = None


def commands(path):
    """Those of the guide, and of each the lines that follow it."""
    found, inside, blank = [], False, 0
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line.startswith("    "):
                # A blank line within a block is one of the output.
                inside = inside and not line
                blank += 1
                continue
            if re.match(r"    [#$] ", line):
                found.append(Command(line[6:], number))
                inside = True
            elif inside:
                found[-1].shown += [""] * blank + [line[4:].rstrip()]
            blank = 0
    return found


def form(line):
    for pattern, word in FORMS:
        line = re.sub(pattern, word, line)
    return " ".join(line.split())


def differs(shown, printed):
    """Returns what is not as shown, or None."""
    return readme_shown.differs(*([form(line) for line in lines if line.strip()] for lines in (shown, printed)))


class Shell:
    MARK = "guide-command-is-over"

    def __init__(self, words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)
        self.early = b""  # printed in the background since the last command
        self.readable = selectors.DefaultSelector()
        self.readable.register(self.process.stdout, selectors.EVENT_READ)

    def type(self, line):
        """Returns the lines that it printed, and why it went no further, or None."""
        self.process.stdin.write(f"{line}\necho; echo {self.MARK}\n".encode())
        end, data, over = time.monotonic() + LIMIT_S, self.early, f"\n{self.MARK}\n".encode()
        stuck = None
        while not stuck and over not in data:
            # What runs in the background keeps the pipe open where the shell itself has ended.
            if not self.readable.select(max(0, end - time.monotonic())):
                stuck = f"it is not over after {LIMIT_S} s"
                break
            more = self.process.stdout.read(65536)
            data += more
            stuck = None if more else "the shell ended"
        data, _, self.early = data.partition(over)
        return [answer.rstrip() for answer in data.decode(errors="replace").removesuffix("\n").split("\n")], stuck

    def close(self):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()


def run(shell, command, patience_s):
    """Whether another command can follow."""
    end = time.monotonic() + patience_s
    while True:
        # What the simulator's library says of itself is nothing of ours. Packages are not below /usr/local.
        printed, stuck = shell.type(command.line)
        command.printed = [line.replace("/usr/local/etc/", "/etc/") for line in printed if not line.startswith("ibwarn:")]
        command.wrong = stuck or (None if command.line.startswith(INSTALLS) else differs(command.shown, command.printed))
        if stuck or not command.wrong or not LOOKS.match(command.line) or time.monotonic() >= end:
            return not stuck
        time.sleep(0.2)


def update(path, done):
    """Of commands whose output is not shortened."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for command in reversed(done):
        if command.wrong and "[...]" not in command.shown:
            at = command.number
            end = at + len(command.shown)
            lines[at:end] = [f"    {line}".rstrip() for line in command.printed]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def main():
    path = sys.argv[1]
    golden = bool(os.environ.get("UPDATE_GOLDEN"))
    found = commands(path)
    if not found:
        raise SystemExit(f"{path}: no command")
    shell = Shell(sys.argv[2:])
    wrong = 0
    for command in found:
        goes_on = run(shell, command, 6 if golden else PATIENCE_S)
        print(f"{'not ok' if command.wrong else 'ok'} - line {command.number}: {command.line}", flush=True)
        if command.wrong:
            wrong += 1
            print(f"  {command.wrong}\n  all of it:")
        print("\n".join(f"    {line}" for line in command.printed), flush=True)
        if not goes_on:
            break
    shell.close()
    if golden and goes_on:
        update(path, found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
