#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a daemon tells systemd (sd_notify(3)): one line a message, with the seconds since the start of this in front.

    notify.py SOCKET >LOG

Listens on SOCKET (a path, which must not exist) until it is killed. Several assignments of one message are on one line,
with " | " between them.
"""
import os
import socket
import sys
import time


def say(line):
    """At one go: others write to the log, too, and print() writes the end of a line by itself where nothing is buffered."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main():
    began = time.monotonic()
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.bind(sys.argv[1])
    os.chmod(sys.argv[1], 0o666)
    say("0.000 listening")
    while True:
        message = sock.recv(65536).decode("utf-8", "backslashreplace")
        say("%.3f %s" % (time.monotonic() - began, " | ".join(message.split("\n"))))


main()
