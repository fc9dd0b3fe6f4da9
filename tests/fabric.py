# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
A fabric as the tests see it: read from the text form of ibnetdiscover (or of "ftplan --format ibsim"), changed, and
written again in a form that ibsim and "ftcheck --from" read.

It shares nothing with the programs under test, so that what they say can be held against it.
"""
import json
import re

RECORD = re.compile(rb'^(Switch|Ca|Rt)\s+(\d+)\s+"([SHR])-([0-9a-fA-F]+)"\s*#\s*"(.*)"(.*)$')
PORT = re.compile(rb'^\[(\d+)\](?:\(([0-9a-fA-F]+)\))?\s*"([SHR])-([0-9a-fA-F]+)"\[(\d+)\](?:\(([0-9a-fA-F]+)\))?(.*)$')
RATE = re.compile(rb'\b(\d+x(?:[A-Z]+\d*|\?+))\s*$')
LID = re.compile(rb'\blid\s+(-?\d+)')
AGGREGATION = b"Aggregation Node"


def lids_by_port(text):
    """Each port of a host has a LID of its own, which a Fabric does not know."""
    lines, lid = [], 0x4000
    for line in text.split(b"\n"):
        if b"](" in line and b"# lid" in line:
            lid += 1
            line = re.sub(rb"# lid \d+", b"# lid %d" % lid, line, count=1)
        lines.append(line)
    return b"\n".join(lines)


class Node:
    def __init__(self, kind, guid, ports, description, lid=0, system=0):
        self.kind = kind  # "S", "H" or "R"
        self.guid = guid
        self.ports = ports
        self.description = description  # bytes
        self.lid = lid
        self.system = system
        self.links = {}  # port -> (guid of the far node, its port)
        self.rates = {}  # port -> "4xHDR"
        self.port_guids = {}

    @property
    def is_aggregation(self):
        return self.kind == "H" and AGGREGATION in self.description

    def free_ports(self):
        return [p for p in range(1, self.ports + 1) if p not in self.links]


class Fabric:
    def __init__(self):
        self.nodes = {}  # guid -> Node, in the order of the file
        self.entry = None  # (guid, port)

    def copy(self):
        """One that can be changed by itself."""
        result = Fabric()
        result.entry = self.entry
        for guid, node in self.nodes.items():
            new = result.nodes[guid] = Node(node.kind, guid, node.ports, node.description, node.lid, node.system)
            new.links, new.rates, new.port_guids = dict(node.links), dict(node.rates), dict(node.port_guids)
        return result

    def add(self, node):
        if node.guid in self.nodes:
            raise ValueError("two nodes of GUID %#x" % node.guid)
        self.nodes[node.guid] = node
        return node

    def switches(self):
        return [n for n in self.nodes.values() if n.kind == "S"]

    def hosts(self):
        return [n for n in self.nodes.values() if n.kind == "H" and not n.is_aggregation]

    def link(self, a, a_port, b, b_port, rate):
        for guid, port in ((a, a_port), (b, b_port)):
            if port in self.nodes[guid].links:
                raise ValueError("port %#x[%d] is taken" % (guid, port))
        self.nodes[a].links[a_port] = (b, b_port)
        self.nodes[b].links[b_port] = (a, a_port)
        self.nodes[a].rates[a_port] = self.nodes[b].rates[b_port] = rate

    def unlink(self, guid, port):
        """Pulls the cable; returns its rate."""
        far, far_port = self.nodes[guid].links.pop(port)
        rate = self.nodes[guid].rates.pop(port)
        if (far, far_port) != (guid, port):
            del self.nodes[far].links[far_port]
            del self.nodes[far].rates[far_port]
        return rate

    def set_rate(self, guid, port, rate):
        far, far_port = self.nodes[guid].links[port]
        self.nodes[guid].rates[port] = self.nodes[far].rates[far_port] = rate

    def remove(self, guid):
        for port in list(self.nodes[guid].links):
            if port in self.nodes[guid].links:
                self.unlink(guid, port)
        del self.nodes[guid]

    def edges(self):
        """Every link once: (guid, port, far guid, far port), the nearer end the lesser one."""
        for guid, node in self.nodes.items():
            for port, (far, far_port) in node.links.items():
                if (guid, port) <= (far, far_port):
                    yield guid, port, far, far_port

    def reachable(self, start):
        seen, todo = {start}, [start]
        while todo:
            for far, _ in self.nodes[todo.pop()].links.values():
                if far not in seen:
                    seen.add(far)
                    todo.append(far)
        return seen

    def links_between(self, a, b):
        """The ports of @a whose cables end on @b."""
        return sorted(p for p, (far, _) in self.nodes[a].links.items() if far == b)

    def renamed(self, guids, order, ports=None, systems=True):
        """The same fabric with other GUIDs, its nodes in that order; @ports, by GUID: what became of port numbers. Without
        @systems, each node is a system of its own."""
        result = Fabric()
        for guid in order:
            node = self.nodes[guid]
            turn = ports[guid] if ports else {}
            new = result.add(Node(node.kind, guids[guid], node.ports, node.description, node.lid,
                                  node.system if systems else 0))
            for port, (far, far_port) in node.links.items():
                new.links[turn.get(port, port)] = (guids[far], (ports[far] if ports else {}).get(far_port, far_port))
                new.rates[turn.get(port, port)] = node.rates[port]
        result.check()
        return result

    # Reading

    @classmethod
    def read(cls, data):
        fabric = cls()
        node = None
        system = 0
        for line in data.split(b"\n"):
            line = line.rstrip(b"\r")
            match = RECORD.match(line)
            if match:
                _, ports, kind, guid, description, tail = match.groups()
                lid = LID.search(tail)
                node = fabric.add(Node(kind.decode(), int(guid, 16), int(ports), description,
                                       int(lid.group(1)) if lid else 0, system))
                system = 0
                continue
            match = PORT.match(line)
            if match and node:
                port, own_guid, _, far, far_port, _, tail = match.groups()
                rate = RATE.search(tail.split(b" s=")[0].split(b" w=")[0])
                node.links[int(port)] = (int(far, 16), int(far_port))
                node.rates[int(port)] = rate.group(1).decode() if rate else None
                if node.kind != "S":
                    node.port_guids[int(port)] = int(own_guid, 16) if own_guid else node.guid
                    lid = LID.search(tail)
                    node.lid = int(lid.group(1)) if lid else node.lid
                continue
            if line.startswith(b"sysimgguid="):
                system = int(line.split(b"=")[1], 16)
            entry = re.match(rb"# Initiated from node ([0-9a-f]+) port ([0-9a-f]+)", line)
            if entry:
                fabric.entry = (int(entry.group(1), 16), int(entry.group(2), 16))
        fabric.check()
        return fabric

    @classmethod
    def read_snapshot(cls, snapshot):
        """Of the JSON of "ftcheck --save". GUIDs that come twice are a ValueError."""
        fabric = cls()
        kinds = {"switch": "S", "ca": "H", "router": "R", "unknown": "?"}
        nodes = []
        for entry in snapshot["nodes"]:
            node = fabric.add(Node(kinds[entry["type"]], int(entry["guid"], 16), entry.get("port_count", 0),
                                   entry.get("description", "").encode(), entry.get("lid", 0),
                                   int(entry.get("system_guid", "0"), 16)))
            node.described = {n: port for port in entry.get("ports", [])
                              for n in range(port["number"], port.get("last", port["number"]) + 1)}
            nodes.append(node)
        for a, port, b, far_port in snapshot["links"]:
            nodes[a].links[port], nodes[b].links[far_port] = (nodes[b].guid, far_port), (nodes[a].guid, port)
            for node, number in ((nodes[a], port), (nodes[b], far_port)):
                node.rates[number] = node.described.get(number, {}).get("rate")
        return fabric

    def check(self):
        for guid, node in self.nodes.items():
            for port, (far, far_port) in node.links.items():
                if far not in self.nodes:
                    raise ValueError("%#x[%d] names %#x, which has no record" % (guid, port, far))
                if self.nodes[far].links.get(far_port) != (guid, port):
                    raise ValueError("the ends of %#x[%d] disagree" % (guid, port))

    # Writing

    def port_guid(self, node, port):
        return node.port_guids.get(port, node.guid + port)

    def write(self, order=None, entry=None):
        out = [b"#", b"# Topology file: generated on Fri Nov 20 10:00:00 2026", b"#"]
        entry = entry or (self.entry[0] if self.entry and self.entry[0] in self.nodes else None)
        if entry is not None:
            node = self.nodes[entry]
            port = node.guid if node.kind == "S" else self.port_guid(node, min(node.links, default=1))
            out.append(b"# Initiated from node %016x port %016x" % (entry, port))
        for guid in order or self.nodes:
            node = self.nodes[guid]
            out += self.write_switch(node) if node.kind == "S" else self.write_host(node)
        return b"\n".join(out) + b"\n"

    def write_snapshot(self, silent=(), order=None, entry=None):
        """As "ftcheck --save" writes it, with ports that are down; @silent: ends whose far end does not answer."""
        order = [self.nodes[g] for g in order or self.nodes]
        index = {node.guid: i for i, node in enumerate(order)}
        source = {"live": False, "complete": not silent, "lists_down_ports": True, "detail": "made up", "entry": None}
        if entry is not None:
            source["entry"] = [index[entry], min(self.nodes[entry].links, default=1)]
        nodes, links = [], []
        for node in order:
            ports = []
            for port in sorted(node.links):
                ports.append({"number": port, "rate": node.rates[port] or "4xQDR"})
                if node.kind != "S":
                    ports[-1].update(guid="0x%016x" % self.port_guid(node, port), lid=node.lid)
            ports += [{"number": port, "link": "silent", "rate": rate} for (g, port), rate in silent.items()
                      if g == node.guid] if silent else []
            ports.sort(key=lambda p: p["number"])
            nodes.append({"type": "switch" if node.kind == "S" else "ca", "guid": "0x%016x" % node.guid,
                          "description": node.description.decode(), "system_guid": "0x%016x" % (node.system or node.guid),
                          **({"lid": node.lid} if node.kind == "S" else {}), "port_count": node.ports, "ports": ports})
        for guid, port, far, far_port in self.edges():
            links.append([index[guid], port, index[far], far_port])
        return json.dumps({"ftcheck_snapshot": 2, "source": source, "nodes": nodes, "links": links}).encode()

    def far_end(self, node, port):
        far, far_port = node.links[port]
        far = self.nodes[far]
        text = b'"%s-%016x"[%d]' % (far.kind.encode(), far.guid, far_port)
        if far.kind != "S":
            text += b"(%x)" % self.port_guid(far, far_port)
        return far, text

    def write_switch(self, node):
        yield b""
        yield b"vendid=0x2c9"
        yield b"devid=0xd2f0"
        yield b"sysimgguid=0x%x" % (node.system or node.guid)
        yield b"switchguid=0x%x(%x)" % (node.guid, node.guid)
        yield b'Switch\t%d "S-%016x"\t\t# "%s" enhanced port 0 lid %d lmc 0' % (
            node.ports, node.guid, node.description, node.lid)
        for port in sorted(node.links):
            far, text = self.far_end(node, port)
            yield b'[%d]\t%s \t\t# "%s" lid %d %s' % (
                port, text, far.description, far.lid, (node.rates[port] or "4xQDR").encode())

    def write_host(self, node):
        yield b""
        yield b"vendid=0x2c9"
        yield b"devid=0x101b"
        yield b"sysimgguid=0x%x" % (node.system or node.guid)
        yield b"%sguid=0x%x" % (b"rt" if node.kind == "R" else b"ca", node.guid)
        yield b'%s\t%d "%s-%016x"\t\t# "%s"' % (b"Rt" if node.kind == "R" else b"Ca", node.ports, node.kind.encode(),
                                              node.guid, node.description)
        for port in sorted(node.links):
            far, text = self.far_end(node, port)
            yield b'[%d](%x) \t%s\t\t# lid %d lmc 0 "%s" lid %d %s' % (
                port, self.port_guid(node, port), text, node.lid, far.description, far.lid,
                (node.rates[port] or "4xQDR").encode())
