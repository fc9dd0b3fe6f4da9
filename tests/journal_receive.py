#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A journal for tests: takes entries in systemd's native protocol and writes each as a JSON object on a line.

    journal_receive.py SOCKET OUTPUT

SOCKET is a datagram socket's path, which is made; OUTPUT is appended to and appears once the socket is there. Ends by
SIGTERM, after what was sent before was taken in. Values that are no UTF-8 come out as {"hex": "…"}; fields that are there
more than once as lists. How an entry came is in "_by": "datagram" or "memfd".

The protocol: systemd.io/JOURNAL_NATIVE_PROTOCOL. Lines "NAME=value"; a value with newlines as "NAME", newline, its length
as 64 bits little endian, the value, newline. What is too large for a datagram comes as a sealed memory file, its
descriptor in an empty datagram.
"""

import array
import fcntl
import json
import os
import select
import signal
import socket
import struct
import sys

F_GET_SEALS = 1034
SEALS = 0xF  # seal, shrink, grow, write


def text(value):
    try:
        return value.decode('utf-8')
    except UnicodeDecodeError:
        return {'hex': value.hex()}


def decode(data):
    """The fields of an entry; ValueError where it is none."""
    fields, at = {}, 0
    while at < len(data):
        end = data.find(b'\n', at)
        if end < 0:
            raise ValueError('a field without an end')
        line = data[at:end]
        name, equals, value = line.partition(b'=')
        at = end + 1
        if not equals:
            if at + 8 > len(data):
                raise ValueError('a length is cut off')
            length = struct.unpack_from('<Q', data, at)[0]
            at += 8
            value = data[at:at + length]
            if len(value) < length or data[at + length:at + length + 1] != b'\n':
                raise ValueError('a value is cut off')
            at += length + 1
        key = name.decode('ascii')
        if not key or key[0] in '_0123456789' or not key.replace('_', '').isalnum() or key != key.upper():
            raise ValueError(f'a bad name: {key!r}')
        if key in fields:
            before = fields[key] if isinstance(fields[key], list) else [fields[key]]
            fields[key] = before + [text(value)]
        else:
            fields[key] = text(value)
    return fields


def read_file(fd):
    """What the journal itself accepts: a sealed file, read from its beginning."""
    if fcntl.fcntl(fd, F_GET_SEALS) & SEALS != SEALS:
        raise ValueError('a memory file without seals')
    parts, at = [], 0
    while True:
        part = os.pread(fd, 1 << 20, at)
        if not part:
            return b''.join(parts)
        parts.append(part)
        at += len(part)


def receive(sock):
    descriptors = array.array('i')
    data, ancillary, _flags, _address = sock.recvmsg(1 << 24, socket.CMSG_LEN(16))
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(content[:len(content) - len(content) % descriptors.itemsize])
    try:
        if not descriptors:
            return {**decode(data), '_by': 'datagram'}
        return {**decode(read_file(descriptors[0])), '_by': 'memfd'}
    except (ValueError, OSError) as error:
        return {'_error': str(error)}
    finally:
        for fd in descriptors:
            os.close(fd)


def main():
    path, output = sys.argv[1:]
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    sock.setblocking(False)
    sock.bind(path)
    os.chmod(path, 0o666)
    # SIGTERM is heard of between two entries only.
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGTERM, lambda _number, _frame: None)
    ended = False
    with open(output, 'a', encoding='utf-8') as out:
        while True:
            try:
                print(json.dumps(receive(sock), sort_keys=True), file=out, flush=True)
            except BlockingIOError:
                if ended:
                    return
                ended = woken in select.select([sock, woken], [], [])[0]


main()
