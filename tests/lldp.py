#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""LLDP neighbours as lldpcli prints them, from a list of cables or from a recorded table.

lldp.py links OUTPUT_DIR [OPTION]... < LINKS     LINKS: lines "leaf01 swp1 spine01 swp3"; a file a machine
lldp.py table OUTPUT_DIR NAMESPACE < TABLE       TABLE: rows as in suzieq-cndcn-live.csv
lldp.py dot LAB < CSV                            a ptmd topology.dot of the rows of a plan: lab,a,a_port,b,b_port

Options of links: json0 (the regular form), lines (one file, {"machine": …} a line), mac (port ids are MAC addresses),
domain=NAME (machines announce their long names), silent=MACHINE (it has no file), mute=MACHINE (it announces nothing)
"""
import csv
import json
import os
import sys
import zlib


def mac(machine, port):
    number = zlib.crc32(f"{machine} {port}".encode())
    return "02:00:" + ":".join(f"{number >> shift & 255:02x}" for shift in (24, 16, 8, 0))


class Neighbour:
    def __init__(self, interface, machine, port, options):
        self.interface, self.machine, self.port = interface, machine, port
        self.by_mac = "mac" in options
        self.name = machine + ("." + options["domain"] if "domain" in options else "")
        self.bridge = not machine.startswith(("server", "host", "node"))

    def port_id(self):
        if self.by_mac:
            return "mac", mac(self.machine, self.port), ""
        return "ifname", self.port, self.port

    def json(self):
        kind, value, description = self.port_id()
        port = {"id": {"type": kind, "value": value}, "ttl": "120"}
        if description:
            port["descr"] = description
        return {self.interface: {
            "via": "LLDP", "rid": "1", "age": "0 day, 00:10:00",
            "chassis": {self.name: {"id": {"type": "mac", "value": mac(self.machine, "")}, "descr": "made up",
                                    "capability": [{"type": "Bridge", "enabled": self.bridge},
                                                   {"type": "Station", "enabled": not self.bridge}]}},
            "port": port}}

    def json0(self):
        kind, value, description = self.port_id()
        port = {"id": [{"type": kind, "value": value}], "ttl": [{"value": "120"}]}
        if description:
            port["descr"] = [{"value": description}]
        return {"name": self.interface, "via": "LLDP", "rid": "1", "age": "0 day, 00:10:00",
                "chassis": [{"id": [{"type": "mac", "value": mac(self.machine, "")}], "name": [{"value": self.name}],
                             "capability": [{"type": "Bridge", "enabled": self.bridge}]}],
                "port": [port]}


def document(neighbours, regular):
    """As lldpcli prints it: none, one and several have three shapes in "json", and one in "json0"."""
    if regular:
        return {"lldp": [{"interface": [n.json0() for n in neighbours]} if neighbours else {}]}
    if not neighbours:
        return {"lldp": {}}
    return {"lldp": {"interface": neighbours[0].json() if len(neighbours) == 1 else [n.json() for n in neighbours]}}


def write(output, machines, options):
    if "lines" in options:
        with open(os.path.join(output, "all.lldp"), "w", encoding="utf-8") as file:
            for machine in sorted(machines):
                file.write(json.dumps({"machine": machine, **document(machines[machine], "json0" in options)}) + "\n")
        return
    for machine, neighbours in machines.items():
        name = machine + (".json0" if "json0" in options else ".json")
        with open(os.path.join(output, name), "w", encoding="utf-8") as file:
            json.dump(document(neighbours, "json0" in options), file, indent=2)


def options_of(words):
    options = {"silent": [], "mute": []}
    for word in words:
        key, _, value = word.partition("=")
        if key in ("silent", "mute"):
            options[key].append(value)
        else:
            options[key] = value
    return options


def links(output, options):
    machines = {}
    for line in sys.stdin:
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        a, a_port, b, b_port = words
        for here, port, there, far in {(a, a_port, b, b_port), (b, b_port, a, a_port)}:
            machines.setdefault(here, [])
            if there not in options["mute"]:
                machines[here].append(Neighbour(port, there, far, options))
    for neighbours in machines.values():
        neighbours.sort(key=lambda n: (len(n.interface), n.interface))
    write(output, {m: n for m, n in machines.items() if m not in options["silent"]}, options)


def table(output, namespace):
    machines = {}
    for row in csv.DictReader(sys.stdin):
        if row["namespace"] == namespace:
            machines.setdefault(row["host"], []).append(Neighbour(row["interface"], row["peer"], row["port_id"], {}))
    for neighbours in machines.values():
        for neighbour in neighbours:
            neighbour.bridge = neighbour.machine != "edge01"
    write(output, machines, {})


def dot(lab):
    print(f'graph "{lab}" {{')
    for row in csv.DictReader(sys.stdin):
        if row["lab"] == lab:
            print(f'  "{row["a"]}":"{row["a_port"]}" -- "{row["b"]}":"{row["b_port"]}"')
    print("}")


def main():
    what = sys.argv[1]
    if what == "dot":
        dot(sys.argv[2])
        return
    os.makedirs(sys.argv[2], exist_ok=True)
    if what == "links":
        links(sys.argv[2], options_of(sys.argv[3:]))
    else:
        table(sys.argv[2], sys.argv[3])


if __name__ == "__main__":
    main()
