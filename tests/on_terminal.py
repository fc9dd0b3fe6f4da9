#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
  on_terminal.py FILE COMMAND...    runs it on a terminal of 80 columns of its own; what it wrote there is in FILE

The exit status is that of the command.
"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

mine, its = pty.openpty()
fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=its, stderr=its)
os.close(its)
with open(sys.argv[1], "wb") as file:
    while True:
        try:
            more = os.read(mine, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        file.write(more)
sys.exit(child.wait())
