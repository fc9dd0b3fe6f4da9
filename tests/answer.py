#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Servers that answer well or badly, for the tests of ftcheck --status.

  answer.py DIRECTORY

For each file NAME.MODE in DIRECTORY, listens on a port of its own, and writes the lines "NAME PORT" to DIRECTORY.ports once
all do. Runs until standard input ends. What was asked goes to DIRECTORY.NAME.request. The modes:

  raw      sends the file's bytes and hangs up
  raw6     the same on ::1
  keep     sends them and waits for the other to hang up
  drip     sends them a byte at a time, slowly
  endless  sends them, and the last of them again and again
  reset    resets the connection at once
  closed   holds the port and does not listen
"""
import os
import socket
import struct
import sys
import threading


def drip(connection, data):
    for byte in data:
        connection.sendall(bytes([byte]))
        # The other side hangs up, or time goes by.
        connection.settimeout(0.25)
        try:
            if not connection.recv(1):
                return
        except TimeoutError:
            pass


def endless(connection, data):
    connection.sendall(data)
    more = data[-1:] * 65536
    while True:
        connection.sendall(more)


def keep(connection, data):
    connection.sendall(data)
    while connection.recv(4096):
        pass


def reset(connection, data):
    del data
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


MODES = {"raw": lambda c, data: c.sendall(data), "raw6": lambda c, data: c.sendall(data), "keep": keep, "drip": drip,
         "endless": endless, "reset": reset}


def request_read(connection):
    request = b""
    while b"\r\n\r\n" not in request:
        piece = connection.recv(4096)
        if not piece:
            break
        request += piece
    return request


def answer(connection, mode, data, request_path):
    with connection:
        try:
            request = request_read(connection)
            with open(request_path, "wb") as file:
                file.write(request)
            MODES[mode](connection, data)
        except OSError:
            pass


def serve(server, mode, data, request_path):
    while True:
        connection, _ = server.accept()
        threading.Thread(target=answer, args=(connection, mode, data, request_path), daemon=True).start()


def server_open(mode):
    family, address = (socket.AF_INET6, "::1") if mode == "raw6" else (socket.AF_INET, "127.0.0.1")
    server = socket.socket(family, socket.SOCK_STREAM)
    server.bind((address, 0))
    if mode != "closed":
        server.listen()
    return server


def main(directory):
    ports, held = [], []
    for entry in sorted(os.listdir(directory)):
        name, _, mode = entry.rpartition(".")
        with open(os.path.join(directory, entry), "rb") as file:
            data = file.read()
        try:
            server = server_open(mode)
        except OSError as error:
            print("%s: %s" % (entry, error), file=sys.stderr)
            continue
        held.append(server)
        ports.append("%s %d\n" % (name, server.getsockname()[1]))
        if mode != "closed":
            threading.Thread(target=serve, args=(server, mode, data, "%s.%s.request" % (directory, name)),
                             daemon=True).start()
    with open(directory + ".ports.new", "w", encoding="ascii") as file:
        file.writelines(ports)
    os.rename(directory + ".ports.new", directory + ".ports")
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
