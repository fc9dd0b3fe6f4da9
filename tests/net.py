#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Network files for the ibsim tests: a plan's own one, disguised or with faults that ibsim cannot inject while it runs.

  net.py IN OUT [change...]   reads a network file, changes it in order, writes OUT and OUT.sh

OUT.sh is for a shell: ID[name] is the node id of a planned switch or host ("S-…", "H-…"), GUID[name] its "0x…",
PORT["edge001 core02 1"] the number of edge001's port that holds its first cable to core02 (in the order of the plan's
file), and the same from the core's side; HOSTS[edge001] the names of the hosts there. Names stay the plan's, whatever
the changes call the nodes.

Changes:
  shuffle SEED            other GUIDs, ports and order of records, so that the plan's order is nowhere to be seen
  same DESCRIPTION        every switch has this description
  scramble SEED           the switches exchange their descriptions at random
  rate A B K RATE         rate of the K-th cable between A and B
  option A B K TEXT       an option of ibsim's (w=1, s=1) on A's end of it, in place of the rate
  lid A B                 B gets the LID of A
  remove A                without that node
  without-hosts EDGE      without the hosts of that edge
  boxed GUID DESCRIPTION PORTS   one more switch, which nothing leads to: its ports, as fast as the others, face each other
  stray GUID DESCRIPTION PORTS A...   one more switch, with a cable to a spare port of each A
"""
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fabric import Fabric, Node  # noqa: E402


class Net:
    def __init__(self, data):
        self.fabric = Fabric.read(data)
        self.guid = {n.description.decode(): n.guid for n in self.fabric.nodes.values()}
        self.options = {}  # (guid, port) -> text
        self.cables = {}  # (guid, guid) -> ports of the first one's, in the plan's order
        for node in self.fabric.nodes.values():
            for port in sorted(node.links):
                self.cables.setdefault((node.guid, node.links[port][0]), []).append(port)

    def renumber(self, guids, ports):
        """Other GUIDs and ports. The names follow."""
        new = Fabric()
        for node in self.fabric.nodes.values():
            copy = new.add(Node(node.kind, guids[node.guid], node.ports, node.description, node.lid))
            for port, (far, far_port) in node.links.items():
                copy.links[ports[node.guid][port]] = (guids[far], ports[far][far_port])
                copy.rates[ports[node.guid][port]] = node.rates[port]
        new.check()
        self.fabric = new
        self.guid = {name: guids[guid] for name, guid in self.guid.items()}
        self.cables = {(guids[a], guids[b]): [ports[a][p] for p in numbers]
                       for (a, b), numbers in self.cables.items()}

    def change_shuffle(self, seed):
        rng = random.Random(int(seed))
        fresh = rng.sample(range(0x0002C90300000000, 0x0002C90300FFFFF0, 16), len(self.fabric.nodes))
        ports = {}
        for guid, node in self.fabric.nodes.items():
            numbers = list(range(1, node.ports + 1))
            rng.shuffle(numbers)
            ports[guid] = dict(zip(range(1, node.ports + 1), numbers))
        self.renumber(dict(zip(self.fabric.nodes, fresh)), ports)
        order = list(self.fabric.nodes.items())
        rng.shuffle(order)
        self.fabric.nodes = dict(order)

    def change_same(self, description):
        for node in self.fabric.switches():
            node.description = description.encode()

    def change_scramble(self, seed):
        switches = self.fabric.switches()
        names = [n.description for n in switches]
        random.Random(int(seed)).shuffle(names)
        for node, name in zip(switches, names):
            node.description = name

    def cable(self, a, b, k):
        return self.guid[a], self.cables[self.guid[a], self.guid[b]][int(k) - 1]

    def change_rate(self, a, b, k, rate):
        self.fabric.set_rate(*self.cable(a, b, k), rate)

    def change_option(self, a, b, k, text):
        self.options[self.cable(a, b, k)] = text

    def change_lid(self, a, b):
        self.fabric.nodes[self.guid[b]].lid = self.fabric.nodes[self.guid[a]].lid

    def change_remove(self, name):
        self.fabric.remove(self.guid[name])

    def change_without_hosts(self, edge):
        for guid in self.hosts_of(self.guid[edge]):
            self.fabric.remove(guid)

    def change_stray(self, guid, description, ports, *ends):
        node = self.fabric.add(Node("S", int(guid, 16), int(ports), description.encode(), 0xBF00))
        self.guid[description] = node.guid
        for number, name in enumerate(ends, 1):
            end = self.fabric.nodes[self.guid[name]]
            rate = next(r for p, r in sorted(end.rates.items()) if end.links[p][0] != node.guid)
            self.fabric.link(end.guid, end.free_ports()[-1], node.guid, number, rate)

    def change_boxed(self, guid, description, ports):
        rate = next(iter(self.fabric.switches()[0].rates.values()))
        node = self.fabric.add(Node("S", int(guid, 16), int(ports), description.encode(), 0xBF01))
        self.guid[description] = node.guid
        for number in range(1, int(ports), 2):
            self.fabric.link(node.guid, number, node.guid, number + 1, rate)

    def hosts_of(self, guid):
        hosts = {far for far, _ in self.fabric.nodes[guid].links.values() if self.fabric.nodes[far].kind == "H"}
        return sorted(hosts)

    def text(self):
        """ibsim takes a link's rate from the line's end, or an option; the rate would outdo the option."""
        lines, node = [], None
        ids = {b'"%s-%016x"' % (n.kind.encode(), n.guid): n.guid for n in self.fabric.nodes.values()}
        for line in self.fabric.write().split(b"\n"):
            if line.startswith((b"Switch", b"Ca")):
                node = ids[line.split()[2]]
            if line.startswith(b"[") and (node, int(line[1:line.index(b"]")])) in self.options:
                text = self.options[node, int(line[1:line.index(b"]")])]
                line = line[:line.rindex(b" lid ")] + b" " + text.encode()
            lines.append(line)
        return b"\n".join(lines)

    def shell(self):
        yield "declare -gA ID=() GUID=() PORT=() HOSTS=()"
        name_of = {guid: name for name, guid in self.guid.items()}
        for name, guid in self.guid.items():
            if guid in self.fabric.nodes:
                yield "ID[%s]=%s-%016x GUID[%s]=0x%016x" % (name, self.fabric.nodes[guid].kind, guid, name, guid)
        for (a, b), ports in self.cables.items():
            for k, port in enumerate(ports, 1):
                if a in name_of and b in name_of:
                    yield "PORT[%s\\ %s\\ %d]=%d" % (name_of[a], name_of[b], k, port)
        for node in self.fabric.switches():
            hosts = [name_of[h] for h in self.hosts_of(node.guid)]
            yield "HOSTS[%s]='%s'" % (name_of[node.guid], " ".join(sorted(hosts)))


CHANGES = {"shuffle": 1, "same": 1, "scramble": 1, "rate": 4, "option": 4, "lid": 2, "remove": 1, "without-hosts": 1,
           "boxed": 3}


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    with open(arguments[0], "rb") as file:
        net = Net(file.read())
    words = arguments[2:]
    while words:
        name = words.pop(0)
        if name == "stray":
            net.change_stray(*words)
            break
        count = CHANGES[name]
        getattr(net, "change_" + name.replace("-", "_"))(*words[:count])
        words = words[count:]
    with open(arguments[1], "wb") as file:
        file.write(net.text())
    with open(arguments[1] + ".sh", "w", encoding="ascii") as file:
        file.write("\n".join(net.shell()) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
