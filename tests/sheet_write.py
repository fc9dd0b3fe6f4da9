#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
The spreadsheet that a site may keep of a fabric, in one of several styles; and the fabric with a fault.

  sheet_write.py sheet STYLE NET          a list of cables, to standard output
  sheet_write.py wrong NUMBER SHEET       a list in the style "plain" with so many rows that cannot be right
  sheet_write.py exchange NET NAME NAME   two cables between these switches exchanged at the second
  sheet_write.py cut NET NAME PORT        the cable there is pulled
  sheet_write.py remove NET NAME...       without these nodes, or those whose names begin so
"""
import csv
import re
import sys

from fabric import Fabric

LINE_PORTS = 18  # of the directors in these tests


def called(node):
    """What people call it."""
    name = node.description.decode(errors="replace").strip()
    wrapped = re.match(r"[^;]*;([^:]+):", name)
    if node.kind == "S":
        return wrapped.group(1) if wrapped else name
    return name.split()[0]


def end_of(node, port):
    """The name and the port of the whole: "core01 L03" is a board of core01."""
    board = re.match(r"(.*) L(\d+)$", called(node)) if node.kind == "S" else None
    if board:
        return board.group(1), (int(board.group(2)), port)
    return called(node), port


def cables(fabric):
    for guid, port, far, far_port in fabric.edges():
        a, b = fabric.nodes[guid], fabric.nodes[far]
        names = [n.description.decode(errors="replace") for n in (a, b)]
        if a.is_aggregation or b.is_aggregation or any(re.search(r" F\d+$", n) for n in names):
            continue
        yield (a.kind, *end_of(a, port)), (b.kind, *end_of(b, far_port))


def label(end, form="%d", board="Blade %d_Port 2/%d"):
    kind, _, port = end
    if kind != "S":
        return "mlx5_%d" % (port - 1)
    return board % port if isinstance(port, tuple) else form % port


def plain(write, rows):
    write(["a", "a_port", "b", "b_port"])
    for a, b in rows:
        write([a[1], label(a, board="%d/%d"), b[1], label(b, board="%d/%d")])


def racks(write, rows):
    """A title, two lines of headings, labels and lengths, hosts last, a total."""
    write(["Cables of the machine", "", "", "", "", "", "", ""])
    write([""] * 8)
    write(["", "From", "", "", "To", "", "", ""])
    write(["Label", "Rack", "Switch", "Port", "Rack", "Device", "Port", "Length (m)"])
    for number, (a, b) in enumerate(rows):
        if a[0] != "S":
            a, b = b, a
        write(["IB-%04d" % number, "R%02d" % (number % 9), a[1].upper(), label(a, "Port %d"), "R7", b[1],
               label(b), "3,5"])
    write([""] * 8)
    write(["Total", "", "", "", "", "", "", "%d cables" % len(rows)])


def both_ways(write, rows):
    write(["Source Device", "Source Interface", "Destination Device", "Destination Interface", "Type"])
    for a, b in rows:
        for near, far in ((a, b), (b, a)):
            write([near[1], label(near, "IB1/%d"), far[1], label(far, "IB1/%d"), "IB"])
    for number in range(5):
        write(["mgmt%d" % number, number + 1, "n%d" % number, "eno1", "Ethernet"])


def inventory(write, rows):
    """As an inventory exports it: sides that are empty, and devices."""
    write("Label,Side A,Termination A,Device A,Side B,Termination B,Device B,Status,Type,Length".split(","))
    for number, (a, b) in enumerate(rows):
        far = b[1] if b[0] == "S" else b[1] + ".cluster.example.org"
        write(["#%d" % number, "", label(a, "IB1/%d"), a[1].lower(), "", label(b, "IB1/%d"), far.lower(), "Connected",
               "AOC", "3 m"])


def points(write, rows):
    """Rack, unit and name, then rack, unit (which has no name of its own) and name."""
    write("Rack,U,Name,HCA/Port,Rack,Name,Name,Port".split(","))
    for a, b in rows:
        if a[0] == "S" and b[0] != "S":
            a, b = b, a
        write(["R1", 3, a[1], label(a), "R2", 30, b[1], label(b)])


def words(write, rows):
    write(["cable", "end 1", "end 2"])
    for number, (a, b) in enumerate(rows):
        write([number + 1] + ["%s %s" % (e[1], label(e, "Port %d")) for e in (a, b)])


def slashes(write, rows):
    write(["from", "to"])
    for a, b in rows:
        write(["%s/%s" % (e[1], label(e, board="%d/%d")) for e in (a, b)])


STYLES = {f.__name__: f for f in (plain, racks, both_ways, inventory, points, words, slashes)}


def sheet(style, net):
    rows = list(cables(read(net)))
    STYLES[style](csv.writer(sys.stdout, delimiter=";" if style == "racks" else ",").writerow, rows)


def wrong(number, path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    for i in range(int(number)):
        row = rows[1 + i * (len(rows) - 1) // int(number)]
        kinds = (("1", "999"), ("3", "4O"), ("1", "0"))
        for at in (1, 3):
            row[at] = kinds[i % 3][1]
    csv.writer(sys.stdout).writerows(rows)


def read(path):
    with open(path, "rb") as file:
        return Fabric.read(file.read())


def node_of(fabric, name):
    return next(n for n in fabric.switches() if called(n) == name)


def exchange(net, one, other):
    fabric = read(net)
    a, b = node_of(fabric, one), node_of(fabric, other)
    first, second = fabric.links_between(a.guid, b.guid)[:2]
    ends = [a.links[port][1] for port in (first, second)]
    rates = [fabric.unlink(a.guid, port) for port in (first, second)]
    fabric.link(a.guid, first, b.guid, ends[1], rates[0])
    fabric.link(a.guid, second, b.guid, ends[0], rates[1])
    return fabric


def cut(net, name, port):
    fabric = read(net)
    fabric.unlink(node_of(fabric, name).guid, int(port))
    return fabric


def remove(net, *names):
    fabric = read(net)
    for node in list(fabric.nodes.values()):
        if called(node).startswith(names):
            fabric.remove(node.guid)
    return fabric


def main(what, *arguments):
    if what == "sheet":
        sheet(*arguments)
    elif what == "wrong":
        wrong(*arguments)
    else:
        fabric = {"exchange": exchange, "cut": cut, "remove": remove}[what](*arguments)
        # Each port of an adapter had one of its own; LID 0 is none.
        for node in fabric.nodes.values():
            node.lid = 0
        sys.stdout.buffer.write(fabric.write())


if __name__ == "__main__":
    main(*sys.argv[1:])
