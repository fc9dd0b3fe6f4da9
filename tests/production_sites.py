# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
More fabrics as they are found in production, for infer_production.py: trees that grew, pods that are half built, leaves
of unlike oversubscription, wings of another make, rails, directors by their chips, half-populated racks, and what is
cabled to a fabric later. Each builder takes (rng, site) and returns the names of the leaves and of the top switches.
"""
WAYS = ("blocks", "turns")
MAKES = (b"Infiniscale-IV Mellanox Technologies", b"SwitchX -  Mellanox Technologies", b"SwitchIB Mellanox Technologies",
         b"Quantum Mellanox Technologies")


class TooLarge(Exception):
    pass


def least_ports(needed):
    """Of the switches one can buy, or a director without its inside."""
    for ports in (36, 40, 64, 108, 144, 216):
        if ports >= needed:
            return ports
    raise TooLarge


class Laying:
    """Cables port by port: each switch has a next port, as whoever lays them counts."""

    def __init__(self, site):
        self.site = site
        self.next = {}

    def lay(self, low, high, count, first=1, regular=True, rate=None):
        for _ in range(count):
            ports = [self.next.get(name, first if name == low else 1) for name in (low, high)]
            for name, port in zip((low, high), ports):
                if port > self.site.of[name].ports:
                    raise TooLarge
                self.next[name] = port + 1
            self.site.cable(low, ports[0], high, ports[1], rate, regular)

    def step(self, lows, highs, widths, first, way="blocks", regular=True, rate=None):
        """Each of @lows to @highs by @widths: bundle after bundle, or a cable of each in turn."""
        for low in lows:
            if way == "blocks":
                for high, width in zip(highs, widths):
                    self.lay(low, high, width, first, regular, rate)
                continue
            for k in range(max(widths)):
                for high, width in zip(highs, widths):
                    if k < width:
                        self.lay(low, high, 1, first, regular, rate)


def leaves_make(site, names, ports, hosts, rate=None):
    for name in names:
        site.switch(name, ports)
        site.hosts(name, hosts() if callable(hosts) else hosts, rate=rate)
    return names


def grown(rng, site):
    """Two levels that grew: generations of leaves, and a second pair of cores."""
    old, more = rng.choice([2, 2, 4]), rng.choice([0, 0, 2])
    gens = rng.choice([2, 2, 3])
    sizes = [rng.randint(5, 16) for _ in range(gens)]
    uplinks, widths, ports, hosts = [], [], [], []
    for g in range(gens):
        p = rng.choice([36, 36, 40]) if g else 36
        up = rng.choice([12, 16, 18]) if p == 36 else rng.choice([16, 20])
        uplinks.append(up)
        ports.append(p)
        hosts.append(p - up - rng.choice([0, 0, 2]))
        if more and g == 0:
            widths.append([max(1, up // old)] * old + [0] * more if rng.random() < 0.5 else
                          [max(2, up // (old + more)) + 1] * old + [max(1, up // (old + more) - 1)] * more)
        else:
            widths.append([max(1, up // (old + more))] * (old + more))
    hosts = [min(h, p - sum(w)) for h, p, w in zip(hosts, ports, widths)]
    needed = [sum(n * w[c] for n, w in zip(sizes, widths)) for c in range(old + more)]
    size = least_ports(max(needed) + 4)
    core = [site.switch("core%02d" % (c + 1), size) for c in range(old + more)]
    site.spines += core
    laying, names, way = Laying(site), [], rng.choice(WAYS)
    for g in range(gens):
        made = leaves_make(site, ["leaf%d%02d" % (g + 1, i + 1) for i in range(sizes[g])], ports[g], hosts[g])
        laying.step(made, core, widths[g], hosts[g] + 1, way)
        names += made
    site.features.append("grew %d times: %s" % (gens - 1, ", ".join(
        "%d x %s" % (n, "+".join(map(str, w))) for n, w in zip(sizes, widths))))
    return names, core


def unlike_ratio(rng, site):
    """Leaves of 2:1 and of 3:1, side by side, and perhaps some for storage at 1:1."""
    cores = rng.choice([2, 3, 4, 6])
    kinds = [(24, 12 // cores), (27, max(1, 9 // cores))] + ([(12, max(1, 18 // cores))] if rng.random() < 0.4 else [])
    sizes = [rng.randint(4, 20) for _ in kinds]
    size = least_ports(sum(n * w for n, (_, w) in zip(sizes, kinds)) + 4)
    core = [site.switch("core%02d" % (c + 1), size) for c in range(cores)]
    site.spines += core
    order = [k for k, n in enumerate(sizes) for _ in range(n)]
    if rng.random() < 0.5:
        rng.shuffle(order)
    laying, names, way = Laying(site), [], rng.choice(WAYS)
    for number, k in enumerate(order):
        hosts, width = kinds[k]
        names += leaves_make(site, ["leaf%03d" % (number + 1)], 36, hosts)
        laying.step(names[-1:], core, [width] * cores, hosts + 1, way)
    site.features.append("leaves of unlike oversubscription: %s" % sizes)
    return names, core


def unlike_cores(rng, site):
    """Bundles of unlike width to the cores, the same from every leaf."""
    widths = rng.choice([[4, 4, 2], [6, 6, 3, 3], [9, 6], [8, 8, 2], [3, 3, 3, 2, 2], [5, 4], [10, 5, 5], [2, 1, 1, 1]])
    leaves, hosts = rng.randint(8, 30), rng.choice([14, 16, 18])
    core = [site.switch("core%02d" % (c + 1), least_ports(leaves * w + 4)) for c, w in enumerate(widths)]
    site.spines += core
    names = leaves_make(site, ["leaf%03d" % (i + 1) for i in range(leaves)], 40, hosts)
    Laying(site).step(names, core, widths, hosts + 1, rng.choice(WAYS))
    site.features.append("bundles of %s" % "+".join(map(str, widths)))
    return names, core


def half_populated(rng, site):
    """Racks with a few hosts, or none yet."""
    cores, leaves = rng.choice([2, 3, 4, 6, 9]), rng.randint(10, 36)
    width = rng.choice([12, 18]) // cores
    core = [site.switch("core%02d" % (c + 1), least_ports(leaves * width + 2)) for c in range(cores)]
    site.spines += core
    names = leaves_make(site, ["leaf%03d" % (i + 1) for i in range(leaves)], 36,
                        lambda: rng.choice([18, 18, 16, 12, 8, 4, 3, 2, 1, rng.randint(1, 18)]))
    Laying(site).step(names, core, [width] * cores, 19, rng.choice(WAYS))
    site.features.append("half-populated racks")
    return names, core


def half_pod(rng, site):
    """Three levels, the last pod half built: fewer leaves, and perhaps half of its spines."""
    pods, leaves, spines = rng.randint(3, 8), rng.randint(4, 12), rng.choice([2, 4, 6, 8])
    cores, hosts, wide = rng.choice([2, 4, 6, 8]), rng.choice([16, 18, 20]), rng.choice([1, 2])
    full, up = rng.random() < 0.5, rng.choice([1, 2])
    half = spines if full else spines // 2
    one_plane = full is False or rng.random() < 0.5
    tops = 1 if one_plane else spines
    core = [[site.switch("core%03d" % (t * cores + c + 1),
                         least_ports((pods * spines if one_plane else pods) * up + 2)) for c in range(cores)]
            for t in range(tops)]
    laying, names, spine_names = Laying(site), [], []
    for pod in range(pods):
        last = pod == pods - 1
        count = max(2, leaves // 2) if last else leaves
        n = half if last else spines
        spine = [site.switch("spine%02d-%d" % (pod + 1, s + 1), least_ports(leaves * wide * 2 + cores * up)) for s in range(n)]
        spine_names += spine
        made = leaves_make(site, ["leaf%02d-%02d" % (pod + 1, i + 1) for i in range(count)], 64, hosts)
        laying.step(made, spine, [wide * (2 if last and not full and wide == 1 else 1)] * n, hosts + 1)
        for s, name in enumerate(spine):
            for c in core[0 if one_plane else s]:
                laying.lay(name, c, up, leaves * wide * 2 + 1)
        names += made
    site.spines += spine_names + [c for plane in core for c in plane]
    site.features.append("the last of %d pods half built%s" % (pods, "" if full else ", with half of its spines"))
    return names, [c for plane in core for c in plane]


def unlike_spines(rng, site):
    """Three levels, one plane: pods with unlike numbers of spines."""
    pods = [(rng.randint(3, 10), rng.choice([2, 2, 3, 4])) for _ in range(rng.randint(3, 7))]
    cores, hosts = rng.choice([4, 6, 9, 12]), rng.choice([16, 18])
    core = [site.switch("core%03d" % (c + 1), least_ports(sum(s for _, s in pods) + 2)) for c in range(cores)]
    laying, names = Laying(site), []
    for pod, (count, spines) in enumerate(pods):
        width = max(1, 12 // spines)
        spine = [site.switch("spine%02d-%d" % (pod + 1, s + 1), least_ports(count * width + cores)) for s in range(spines)]
        site.spines += spine
        made = leaves_make(site, ["leaf%02d-%02d" % (pod + 1, i + 1) for i in range(count)], 36, hosts)
        laying.step(made, spine, [width] * spines, hosts + 1)
        laying.step(spine, core, [1] * cores, count * width + 1)
        names += made
    site.spines += core
    site.features.append("pods of %s spines" % [s for _, s in pods])
    return names, core


def superpod(rng, site):
    """Scalable units of nodes with eight rails: leaf i of each unit has rail i; spines of all, or of each pair of rails."""
    units, nodes, rails = rng.randint(2, 6), rng.choice([16, 20, 32]), rng.choice([8, 8, 4])
    ports = 40 if nodes <= 20 else 64
    split = rng.random() < 0.4
    laying, names, core = Laying(site), [], []
    leaf = {}
    site.features.append("%d units of %d nodes, %d rails, %s" % (units, nodes, rails, "spines by rail" if split else "all"))
    for unit in range(units):
        for rail in range(rails):
            name = site.switch("ib-su%d-leaf%d" % (unit + 1, rail + 1), ports)
            leaf[unit, rail] = name
            for k in range(nodes):
                site.host("dgx%03d-mlx5_%d" % (unit * nodes + k + 1, rail), name, k + 1)
            names.append(name)
    if split:
        width, spines, cores = 2, rng.choice([5, 8, 10]), rng.choice([4, 5, 7])
        for rail in range(rails):
            group = [site.switch("ib-g%d-spine%d" % (rail + 1, s + 1), least_ports(units * width + cores * 2)) for s in range(spines)]
            site.spines += group
            laying.step([leaf[u, rail] for u in range(units)], group, [width] * spines, nodes + 1)
            laying.next.update((name, units * width + 1) for name in group)
            if rail == 0:
                core = [site.switch("ib-core%d" % (c + 1), least_ports(spines * rails * 2)) for c in range(cores)]
            laying.step(group, core, [2] * cores, units * width + 1)
        return names, core
    spines = rng.choice([4, 8, 10, 16])
    width = max(1, nodes // spines)
    core = [site.switch("ib-spine%02d" % (s + 1), least_ports(units * rails * width)) for s in range(spines)]
    site.spines += core
    laying.step(names, core, [width] * spines, nodes + 1, rng.choice(WAYS))
    return names, core


# Line boards, fabric chips, traces between each two, outer ports of a board, ports of a chip, model.
CHIPS = ((6, 3, 6, 18, 36, "IS5100"), (12, 6, 3, 18, 36, "IS5200"), (18, 9, 2, 18, 36, "IS5300"),
         (36, 18, 1, 18, 36, "SX6536"), (40, 20, 1, 20, 40, "CS8500"))


def chips(rng, site):
    """Leaves on directors by their chips, whose inner ports are in the maker's order, outer ones below or above."""
    lines, fabric, traces, outer, ports, model = rng.choice(CHIPS)
    count, low = rng.choice([1, 1, 2]), rng.random() < 0.5
    filled = sorted(rng.sample(range(1, lines + 1), max(2, rng.randint(lines // 3, lines))))
    inner = list(range(1 if low else outer + 1, outer + 1 if low else ports + 1))
    inner_order, spine_order = list(inner), list(range(1, ports + 1))
    if rng.random() < 0.6:
        rng.shuffle(inner_order)
        rng.shuffle(spine_order)
    first_outer = outer + 1 if low else 1
    way = rng.choice(["named", "named", "none"])
    tops = []
    for d in range(count):
        system = 0x0002C90300F00000 + 256 * d if rng.random() < 0.8 else 0
        of = {}
        for kind, numbers in (("S", range(1, fabric + 1)), ("L", filled)):
            for n in numbers:
                # Names are keys of the site: what the chip says is set afterwards.
                of[kind, n] = site.switch("dir%d-%s%02d" % (d + 1, kind, n), ports, system)
                site.of[of[kind, n]].description = MAKES[0] if way == "none" else b"MF0;dir%d:%s/%s%02d/U1" % (
                    d + 1, model.encode(), kind.encode(), n)
                site.of[of[kind, n]].fixed = True
        for n in filled:
            for s in range(fabric):
                for k in range(traces):
                    site.cable(of["L", n], inner_order[s * traces + k], of["S", s + 1],
                               spine_order[((n - 1) * traces + k) % ports])
        tops.append([of["L", n] for n in filled])
    leaves = rng.randint(6, max(7, min(40, len(filled) * outer // 6)))
    width = max(1, min(18 // count // rng.choice([1, 2]), len(filled) * outer // leaves))
    names = leaves_make(site, ["leaf%03d" % (i + 1) for i in range(leaves)], 36, 18)
    taken = [0] * count
    for leaf in names:
        for d in range(count):
            for k in range(width):
                board, port = divmod(taken[d], outer)
                taken[d] += 1
                site.cable(leaf, 19 + d * width + k, tops[d][board], first_outer + port)
    if rng.random() < 0.5:
        for boards in tops:
            for board in boards[(taken[0] + outer - 1) // outer:]:
                for k in range(rng.randint(4, outer)):
                    site.host("cn%05d HCA-1" % len(site.of), board, first_outer + k)
    site.features.append("%d directors %s by their chips, %d of %d boards, names %s" % (count, model, len(filled), lines, way))
    return names, []


def wings(rng, site):
    """Wings of one fabric: leaves, hosts and uplinks of each at a rate of their own."""
    cores, ways = rng.choice([2, 3, 4, 6]), rng.sample(["4xFDR", "4xEDR", "4xHDR", "4xNDR", "2xHDR"], rng.choice([2, 2, 3]))
    parts = [(rate, rng.randint(4, 16), rng.choice([16, 18, 20, 22]), max(1, rng.choice([12, 14, 16, 18]) // cores)) for rate in ways]
    size = least_ports(sum(n * w for _, n, _, w in parts) + 4)
    core = [site.switch("core%02d" % (c + 1), size) for c in range(cores)]
    site.spines += core
    laying, names = Laying(site), []
    for number, (rate, count, hosts, width) in enumerate(parts):
        made = leaves_make(site, ["%s-leaf%02d" % (["skl", "amd", "knl"][number], i + 1) for i in range(count)], 40, hosts, rate)
        laying.step(made, core, [width] * cores, hosts + 1, rate=rate)
        names += made
    site.features.append("wings at %s" % ", ".join(ways))
    return names, core


# ---- what was added later ----


def storage(rng, site, names, tops):
    """A pair of storage switches, cabled to each other, with two cables to each core."""
    tops = [t for t in tops if len(site.of[t].free_ports()) >= 4]
    if len(tops) < 2:
        return
    pair = [site.switch("gpfs-sw%d" % (i + 1), 36) for i in range(2)]
    for k in range(rng.choice([0, 2, 4])):
        site.cable(pair[0], 36 - k, pair[1], 36 - k, regular=False)
    for name in pair:
        for top in tops if len(tops) <= 8 else tops[:2]:
            for _ in range(2):
                site.cable(name, site.free(name, True), top, site.free(top, True), regular=False)
    servers = rng.randint(4, 10)
    for k in range(servers):
        for i, name in enumerate(pair):
            site.host("nsd%02d HCA-%d" % (k + 1, i + 1), name, k + 1)
    site.features.append("a pair of storage switches")


def rate_on(site, name):
    """Most cables of a switch run at that."""
    rates = list(site.of[name].rates.values())
    return max(sorted(set(rates)), key=rates.count)


def routers(rng, site, names, tops):
    """Gateways: switches without hosts on the cores, or adapters on the leaves."""
    tops = [t for t in tops if len(site.of[t].free_ports()) >= 6]
    if len(tops) < 2 or rng.random() < 0.4:
        for number, name in enumerate(names[:rng.choice([2, 4])]):
            if site.of[name].free_ports():
                site.host("gw%02d SKY8200" % (number + 1), name, site.free(name, True), rate_on(site, name))
        site.features.append("gateways on leaves")
        return
    for number in range(rng.choice([1, 2])):
        name = site.switch("ib-router%d" % (number + 1), 36)
        # One cable each to two cores may be a mistake: nothing tells.
        each = rng.choice([2, 3])
        for top in tops[:2]:
            for _ in range(each):
                site.cable(name, site.free(name), top, site.free(top, True), regular=False)
    site.features.append("routers")


def chained(rng, site, names, tops):
    """Management switches, each behind the last."""
    behind = next((t for t in (tops or names) if site.of[t].free_ports()), None)
    if not behind:
        return
    count = rng.choice([2, 3])
    for number in range(count):
        name = site.switch("mgmt-chain%d" % (number + 1), 36)
        for _ in range(rng.choice([1, 2]) if site.of[behind].ports - len(site.of[behind].links) > 1 else 1):
            site.cable(behind, site.free(behind, True), name, site.free(name, True), regular=False)
        site.hosts(name, rng.randint(2, 6), "mg")
        behind = name
    site.features.append("%d management switches in a chain" % count)


def login(rng, site, names, tops):
    """Login nodes, or an NFS server, on top switches."""
    for number, top in enumerate(tops[:2]):
        # A single host on a single one may be a mistake.
        for k in range(rng.randint(1 if number else 2, 3)):
            if site.of[top].free_ports():
                site.host("login%d%d HCA-1" % (number + 1, k + 1), top, site.free(top, True), rate_on(site, top))
    if tops:
        site.features.append("login nodes on top switches")


MORE_BASES = (grown, unlike_ratio, unlike_cores, half_populated, half_pod, unlike_spines, superpod, chips, wings)
MORE_ADDED = (storage, routers, chained, login)


# ---- the order of ports, and names ----


def turn_ports(rng, site):
    """Ports in order, mirrored, or with one left out, the same on all switches of a kind."""
    kinds = {}
    for node in site.fabric.switches():
        kinds.setdefault((node.ports, node.description[:3]), []).append(node)
    turned = {}
    for nodes in kinds.values():
        way = rng.choice(["order", "order", "mirrored", "left out"])
        last = max((max(n.links, default=0) for n in nodes), default=0)
        ports = nodes[0].ports
        if way == "left out" and last >= ports:
            way = "order"
        hole = rng.randint(2, max(2, last))
        for node in nodes:
            turned[node.guid] = {p: ports + 1 - p if way == "mirrored" else p + 1 if way == "left out" and p >= hole else p
                                 for p in range(1, ports + 1)}
    links = [(a, p, b, q, site.fabric.nodes[a].rates[p]) for a, p, b, q in site.fabric.edges()]
    for node in site.fabric.nodes.values():
        node.links, node.rates = {}, {}
    for a, p, b, q, rate in links:
        site.fabric.link(a, turned.get(a, {}).get(p, p), b, turned.get(b, {}).get(q, q), rate)
    site.regular = [(name, turned.get(site.of[name].guid, {}).get(p, p)) for name, p in site.regular]


def name_switches(rng, site):
    """Names as found: one's own, wrapped by the maker's form, racks and units, GUIDs, serial numbers, a make, a mixture."""
    way = rng.choice(["own", "own", "own", "wrapped", "racks", "one", "make", "hex", "serial", "guid", "mixed"])
    make = rng.choice(MAKES)
    for number, node in enumerate(site.fabric.switches()):
        own = node.description
        if node.system or getattr(node, "fixed", False):
            continue
        if way == "wrapped":
            node.description = b"MF0;" + own + b":MQM8700/U1"
        elif way == "racks":
            node.description = b"r%02du%02d-ib" % (number // 3 + 1, 40 + number % 3)
        elif way == "one":
            node.description = b"MF0;switch:MQM8700/U1"
        elif way == "make" or way == "mixed" and rng.random() < 0.3:
            node.description = make
        elif way == "hex":
            node.description = b"switch-%06x" % rng.getrandbits(24)
        elif way == "serial":
            node.description = b"MT%04dX%05d" % (rng.randint(1900, 2200), rng.randint(1, 99999))
        elif way == "guid":
            node.description = b"sw-%016x" % node.guid
    return way


def write_ports(site, order):
    """As "ibnetdiscover -p" lists them: every port of a switch, also those that are down."""
    kinds = {"S": b"SW", "H": b"CA"}
    # Each port of a host has a LID of its own.
    ends = [(node.guid, port) for node in site.fabric.nodes.values() if node.kind == "H" for port in sorted(node.links)]
    lids = {end: 0x4000 + i for i, end in enumerate(ends)}
    for guid in order:
        node = site.fabric.nodes[guid]
        for port in range(node.ports, 0, -1) if node.kind == "S" else sorted(node.links):
            head = b"%s %5d %2d 0x%016x " % (kinds[node.kind], lids.get((guid, port), node.lid), port,
                                             node.guid if node.kind == "S" else site.fabric.port_guid(node, port))
            if port not in node.links:
                yield head + b"4x ???                                    '%s'" % node.description
                continue
            far, number = node.links[port]
            far = site.fabric.nodes[far]
            rate = node.rates[port].encode()
            yield head + b"%s %s - %s %5d %2d 0x%016x ( '%s' - '%s' )" % (
                rate[:2], rate[2:], kinds[far.kind], lids.get((far.guid, number), far.lid), number,
                far.guid if far.kind == "S" else site.fabric.port_guid(far, number), node.description, far.description)
