# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Fabrics by the habits of sites, for infer_habits.py. Each kind is a function of a random number generator: islands of
unlike age under a few tops, pods half full, a third spine to which not all leaves were moved, directors with unlike
boards as cores, appliances, blades, rails, split ports, leaves in pairs, tori and hypercubes of several rails.

A Habit holds switches, adapters and cables. Cables are drawn in bundles, and wire() gives them ports as installers do:
in runs by neighbour, one to each neighbour in turn, shuffled within a tray or wholly; hosts first, last, or on odd
ports; one leaf may be shifted by a port. A cable is known if its twins tell that it is missing once it is pulled.
"""
import collections
import itertools

from fabric import Fabric, Node

class Thing:
    """A switch, adapter or router."""

    def __init__(self, kind, ports, name, guid, system=None):
        self.kind, self.ports, self.name, self.guid = kind, ports, name, guid
        self.system = system or guid
        self.host_ports = self.free_out = 0


class TooMany(ValueError):
    """More cables than ports: another draw."""


class Cable:
    def __init__(self, a, b, rate, what, known):
        self.a, self.b, self.rate, self.what, self.known = a, b, rate, what, known
        self.pa = self.pb = 0


class Habit:
    def __init__(self, r):
        self.r = r
        self.switches, self.hosts, self.cables = [], [], []
        self.next_guid = r.randrange(1, 1 << 12) << 12
        self.oui = r.choice([0x0002c903, 0xe41d2d03, 0xec0d9a03, 0x08c0eb03, 0xb8599f03])
        self.tier = {}
        self.habit = ""

    def guid(self, step=16):
        self.next_guid += step
        return (self.oui << 32) + self.next_guid

    def switch(self, ports, name, tier, system=None):
        n = Thing("S", ports, name, self.guid(64), system)
        self.switches.append(n)
        self.tier[n] = tier
        return n

    def host(self, name, sw, port=None, rate="4xEDR", ports=1, hca_port=1, node=None):
        """One adapter port on a switch. An adapter of two ports is given as node the second time."""
        if node is None:
            node = Thing("H", ports, name, self.guid())
            self.hosts.append(node)
        c = Cable(node, sw, rate, "host", True)
        c.pa, c.pb = hca_port, port or 0
        self.cables.append(c)
        return node

    def bundle(self, a, b, n, rate, what, known=True):
        for _ in range(n):
            self.cables.append(Cable(a, b, rate, what, known))

    # Ports

    def wire(self, habits=None):
        """Gives every cable without ports its ports: hosts and uplinks of a switch by the fabric's habit."""
        r = self.r
        h = habits or {}
        order_up = h.get("up", r.choice(["runs", "runs", "runs", "turns", "tray", "random"]))
        order_down = h.get("down", r.choice(["runs", "runs", "turns", "tray", "random"]))
        layout = h.get("layout", r.choice(["hosts first", "hosts first", "up first", "up last", "odd"]))
        shifted = None
        if h.get("shift", r.random() < 0.15):
            leafs = [s for s in self.switches if self.tier[s] == 1]
            shifted = r.choice(leafs) if leafs else None
        self.habit = "%s/%s/%s%s" % (layout, order_up, order_down, " shifted" if shifted else "")
        rank = {s: i for i, s in enumerate(self.switches)}
        ends = {s: {"h": [], "u": [], "d": []} for s in self.switches}
        for c in self.cables:
            for me, other in ((c.a, c.b), (c.b, c.a)):
                if me.kind != "S":
                    continue
                if (c.pa if me is c.a else c.pb):
                    continue
                if other.kind != "S":
                    ends[me]["h"].append((c, other))
                elif self.tier[other] > self.tier[me] or (self.tier[other] == self.tier[me] and rank[other] > rank[me]):
                    ends[me]["u"].append((c, other))
                else:
                    ends[me]["d"].append((c, other))
        for s in self.switches:
            used = set()
            for c in self.cables:
                if c.a is s and c.pa:
                    used.add(c.pa)
                if c.b is s and c.pb:
                    used.add(c.pb)
            limit = s.ports - (1 if s.ports in (37, 41, 65, 81, 129) else 0)
            free = [p for p in range(1, limit + 1) if p not in used]
            e = ends[s]
            hosts, up, down = e["h"], self.sort(e["u"], order_up, s), self.sort(e["d"], order_down, s)
            need = len(hosts) + len(up) + len(down)
            if need > len(free):
                raise TooMany("%s: %d cables, %d ports" % (s.name, need, len(free)))
            half = s.host_ports or max(len(hosts), limit - limit // 2 if up else 0)
            if down and not hosts and not used:
                # A spine: those below on low ports, those above after the half of the ports.
                if up and len(down) <= limit // 2 and len(up) <= limit // 2:
                    lo, hi = [p for p in free if p <= limit // 2], [p for p in free if p > limit // 2]
                    self.put(s, down, lo)
                    self.put(s, up, hi)
                else:
                    self.put(s, down + up, free)
            elif down:
                self.put(s, hosts + down + up, free)
            elif layout == "hosts first" and half + len(up) <= limit and half >= len(hosts):
                lo, hi = [p for p in free if p <= half], [p for p in free if p > half]
                if len(lo) >= len(hosts) and len(hi) >= len(up):
                    self.put(s, hosts, lo)
                    if s is shifted and len(hi) > len(up):
                        hi = hi[1:]
                    self.put(s, up, hi)
                else:
                    self.put(s, hosts + up, free)
            elif layout == "up last":
                self.put(s, up, sorted(free)[len(free) - len(up):] if up else [])
                left = [p for p in free if p not in [self.port(c, s) for c, _ in up]]
                self.put(s, hosts, left)
            elif layout == "odd" and 2 * max(len(hosts), len(up)) <= limit:
                self.put(s, hosts, [p for p in free if p % 2 == 1])
                self.put(s, up, [p for p in free if p % 2 == 0])
            elif layout == "up first":
                self.put(s, up, free)
                rest = free[len(up):]
                self.put(s, hosts, rest)
            else:
                self.put(s, hosts + up, free)
        for c in self.cables:
            assert c.pa and c.pb, (c.a.name, c.b.name, c.what)

    @staticmethod
    def port(c, s):
        return c.pa if c.a is s else c.pb

    def sort(self, ends, order, s):
        if order == "runs":
            return ends
        if order == "random":
            e = list(ends)
            self.r.shuffle(e)
            return e
        if order == "tray":
            out = []
            for i in range(0, len(ends), 6):
                e = ends[i:i + 6]
                self.r.shuffle(e)
                out += e
            return out
        by = {}
        for c, o in ends:
            by.setdefault(id(o), []).append((c, o))
        out = []
        for row in itertools.zip_longest(*by.values()):
            out += [x for x in row if x]
        return out

    @staticmethod
    def put(s, ends, free):
        if len(ends) > len(free):
            raise TooMany("%s: %d ends, %d ports" % (s.name, len(ends), len(free)))
        for (c, _), p in zip(ends, free):
            if c.a is s:
                c.pa = p
            else:
                c.pb = p

    def fabric(self):
        """As the tests see it, and as it is written: what has no cable is not seen."""
        fabric = Fabric()
        cabled = {thing for c in self.cables for thing in (c.a, c.b)}
        for lid, thing in enumerate(self.switches + self.hosts):
            if thing in cabled:
                fabric.add(Node(thing.kind, thing.guid, thing.ports, thing.name.encode(), lid + 1, thing.system))
        for c in self.cables:
            fabric.link(c.a.guid, c.pa, c.b.guid, c.pb, c.rate)
        return fabric


# Names

# The height in the rack at which a kind of switches is mounted.
UNITS = {"le": 40, "sp": 20, "co": 10, "to": 5, "st": 30}


def switch_names(r):
    """A way to name a switch: (tier word, index, count) -> description."""
    style = r.choice(["leaf", "leaf", "mf0", "mf0", "rack", "ibsw", "none", "hex", "dup", "voltaire", "cluster"])

    def name(word, i, model="SX6036"):
        if style == "leaf":
            return "%s%02d" % (word, i + 1)
        if style == "mf0":
            return "MF0;%s-%02d:%s/U1" % (word, i + 1, model)
        if style == "rack":
            return "r%02du%02d-ib" % (i + 1, UNITS.get(word[:2], 15) + len(word) % 3)
        if style == "ibsw":
            return "ibsw-%s%d" % (word[0], i + 1)
        if style == "none":
            return {"SX6036": "MT51000 Mellanox Technologies"}.get(model, "SwitchIB Mellanox Technologies")
        if style == "hex":
            return "MF0;switch-%06x:%s/U1" % (r.randrange(1 << 24), model)
        if style == "dup":
            return "MF0;switch:%s/U1" % model
        if style == "voltaire":
            return "Voltaire 4036 # %s-%02d" % (word, i + 1)
        return "isw%d-%s" % (i + 1, word)
    name.style = style
    return name


def host_names(r):
    style = r.choice(["node", "node", "cn", "rack", "gpu"])
    hca = r.choice([" HCA-1", " HCA-1", " mlx5_0", " mlx4_0", ""])

    def name(i, word=None, hca_name=None):
        h = hca if hca_name is None else " " + hca_name
        if word:
            return "%s%02d%s" % (word, i + 1, h)
        if style == "node":
            return "node%03d%s" % (i + 1, h)
        if style == "cn":
            return "cn-%04d%s" % (i + 1, h)
        if style == "rack":
            return "r%02di%02dn%02d%s" % (i // 64, i // 16 % 4, i % 16, h)
        return "gpu%d%s" % (i + 1, h)
    return name


# By rate: model and ports, and a director of it.
MODELS = {"QDR": ("IS5030", 36), "FDR": ("SX6036", 36), "EDR": ("MSB7800", 36), "HDR": ("MQM8700", 40),
          "NDR": ("MQM9700", 64)}
DIRECTORS = {"QDR": "IS5300", "FDR": "SX6536", "EDR": "CS7500", "HDR": "CS8500"}


def down_hosts(r):
    """How many of n host places of a leaf are taken: full in most fabrics, ragged in some."""
    habit = r.choice(["full", "full", "few", "many"])
    return lambda n: n if habit == "full" else n - r.choice([0, 0, 0, 1, 2] if habit == "few" else range(n // 2 + 1))


class Count:
    def __init__(self):
        self.n = 0

    def __call__(self):
        self.n += 1
        return self.n - 1


# Kinds

def leafs_of(f, r, names, hn, count, n, per, gen, tier=1, word="leaf", up_down=None, first=0, rate=None):
    model, ports = MODELS[gen]
    out = []
    some = up_down or down_hosts(r)
    for i in range(n):
        s = f.switch(ports, names(word, first + i, model), tier)
        s.host_ports = per
        for _ in range(some(per)):
            f.host(hn(count()), s, rate=rate or "4x" + gen)
        out.append(s)
    return out


def spines_of(f, names, n, gen, tier=2, word="spine", first=0):
    model, ports = MODELS[gen]
    return [f.switch(ports, names(word, first + i, model), tier) for i in range(n)]


def mesh(f, lower, upper, n, rate, what, known=True):
    for a in lower:
        for b in upper:
            f.bundle(a, b, n, rate, what, known)


def pruned_islands(r):
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    gens = r.sample(["QDR", "FDR", "EDR", "HDR"], r.choice([2, 3]))
    tops = spines_of(f, names, 2, max(gens, key=lambda g: list(MODELS).index(g)), 3, "top")
    nl = ns = 0
    for g in gens:
        ports = MODELS[g][1]
        ls = r.choice([4, 6, 8, 10])
        ss = r.choice([2, 3])
        up = r.choice([2, 3, 4])
        le = leafs_of(f, r, names, hn, count, ls, ports - ss * up - r.choice([0, 0, 2]), g, first=nl)
        sp = spines_of(f, names, ss, g, first=ns)
        nl, ns = nl + ls, ns + ss
        mesh(f, le, sp, up, "4x" + g, "island " + g)
        mesh(f, sp, tops, r.choice([1, 2, 3]), "4x" + g, "join " + g, known=ss > 2)
    f.wire()
    return f


def half_pod(r):
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["FDR", "EDR", "HDR"])
    half = MODELS[g][1] // 2
    pods, spn = r.choice([3, 4, 5]), r.choice([3, 6, 9])
    lpp = r.choice([6, 8, 9])
    b = half // spn
    cores = r.choice([c for c in (3, 6, 9) if c <= half])
    cb = max(1, min(half // cores, lpp * b // cores))
    co = spines_of(f, names, cores, g, 3, "core")
    nl = ns = 0
    last = r.randrange(1, lpp)
    for p in range(pods):
        n = last if p == pods - 1 else lpp
        le = leafs_of(f, r, names, hn, count, n, half, g, first=nl)
        sp = spines_of(f, names, spn, g, first=ns)
        nl, ns = nl + n, ns + spn
        mesh(f, le, sp, b, "4x" + g, "pod")
        if pods * spn * cb <= MODELS[g][1]:
            mesh(f, sp, co, cb, "4x" + g, "core")
        else:
            # Spine k of every pod goes to its own share of the cores.
            per = max(1, cores // 3)
            for k, s in enumerate(sp):
                for c in range(per):
                    f.bundle(s, co[(k * per + c) % cores], 1, "4x" + g, "core")
    f.wire()
    return f


def third_spine(r):
    """A third spine came; new leafs have 4 cables to each, some old ones still 6 to each of two."""
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["FDR", "EDR"])
    sp = spines_of(f, names, 3, g)
    old, moved = r.choice([2, 3, 4]), r.choice([2, 3])
    new = max(1, 36 // 6 - old) if old * 6 + 4 * (moved + 2) > 36 else 2
    n = 0
    for kind, k in (("old", old), ("moved", moved), ("new", new)):
        le = leafs_of(f, r, names, hn, count, k, 24, g, first=n)
        n += k
        if kind == "old":
            mesh(f, le, sp[:2], 6, "4x" + g, "old", known=k > 2)
        else:
            mesh(f, le, sp, 4, "4x" + g, "new", known=moved + new > 2)
    f.wire()
    return f


def director(f, name, gen, spines, ext, intb, tier, filled):
    """A director of line chips with ext outer ports and fabric chips, intb cables between each. filled line boards."""
    ports = MODELS[gen][1]
    system = f.guid(64)
    chip = "MF0;%s:%s/%%s%%02d/U1" % (name, DIRECTORS[gen])
    fab = [f.switch(ports, chip % ("S", i + 1), tier + 1, system) for i in range(spines)]
    chips = []
    for i in filled:
        c = f.switch(ports, chip % ("L", i + 1), tier, system)
        chips.append(c)
        for k, s in enumerate(fab):
            for j in range(intb):
                cab = Cable(c, s, "4x" + gen, "backplane", True)
                cab.pa = ext + 1 + k * intb + j
                cab.pb = i * intb + j + 1
                f.cables.append(cab)
    return chips, fab


def director_core(r):
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g, lines, spines, ext, intb = r.choice([("QDR", 18, 9, 18, 2), ("FDR", 18, 9, 18, 2), ("FDR", 36, 18, 18, 1),
                                            ("EDR", 18, 9, 18, 2), ("HDR", 20, 10, 20, 2)])
    cores = []
    for d in range(r.choice([1, 2, 2])):
        n = r.choice([lines // 2, lines // 3, lines * 2 // 3])
        filled = range(n) if r.random() < 0.7 else sorted(r.sample(range(lines), n))
        chips, _ = director(f, "core%d" % (d + 1), g, spines, ext, intb, 2, filled)
        cores.append(chips)
    up = r.choice([4, 6, 8])
    room = min(len(c) for c in cores) * ext
    nl = min(r.choice([10, 14, 20, 24]), room // up)
    le = leafs_of(f, r, names, hn, count, nl, MODELS[g][1] - up * len(cores), g)
    for chips in cores:
        slots = [c for c in chips for _ in range(ext)]
        if r.random() < 0.4:
            # Spread: cable k of every leaf on another board.
            slots = [c for k in range(ext) for c in chips]
        at = 0
        for l in le:
            for _ in range(up):
                f.bundle(l, slots[at], 1, "4x" + g, "to director")
                at += 1
    # Some hosts sit on the director itself.
    if r.random() < 0.4:
        chips = cores[0]
        for i in range(r.choice([4, 12])):
            taken = collections.Counter(x.b for x in f.cables if x.what != "backplane")
            c = next((c for c in reversed(chips) if taken[c] < ext), None)
            if c:
                f.host(hn(i, "io"), c, rate="4x" + g)
    f.wire({"layout": "hosts first", "shift": False})
    return f


def services(r):
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["FDR", "EDR", "HDR"])
    ports = MODELS[g][1]
    nsp = r.choice([2, 3, 4])
    b = r.choice([2, 3])
    nl = min((ports - 12) // b, r.choice([8, 10, 12, 16]))
    sp = spines_of(f, names, nsp, g)
    le = leafs_of(f, r, names, hn, count, nl, ports - b * nsp, g)
    mesh(f, le, sp, b, "4x" + g, "compute")
    room = ports - nl * b
    nst = r.choice([2, 3])
    sb = max(1, min(b + r.choice([1, 2, 3]), room // nst))
    rate = "4x" + r.choice([g, "FDR" if g != "FDR" else "QDR"])
    st = []
    for i in range(nst):
        s = f.switch(ports, names("storage", i, MODELS[g][0]), 1)
        for j in range(r.choice([6, 8, 12])):
            f.host(hn(count(), "oss"), s, rate=rate)
        st.append(s)
    mesh(f, st, sp, sb, "4x" + g, "storage", known=nst * nsp > 2)
    f.wire()
    return f


def spine_hosts(r):
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["QDR", "FDR", "EDR", "HDR"])
    ports = MODELS[g][1]
    nsp, b = r.choice([(2, 4), (2, 6), (3, 4), (4, 3), (6, 2), (6, 3)])
    nl = min(r.choice([4, 6, 7, 9]), (ports - 4) // b)
    sp = spines_of(f, names, nsp, g)
    le = leafs_of(f, r, names, hn, count, nl, ports - b * nsp, g)
    mesh(f, le, sp, b, "4x" + g, "leaf")
    for i, s in enumerate(sp[:r.choice([1, 2, nsp])]):
        for j in range(r.choice([1, 2, 3, 4])):
            f.host(hn(count(), r.choice(["login", "gw", "mgmt"])), s, rate="4x" + g)
    f.wire()
    return f


def two_rails(r):
    """Dual adapters, or two-port ones; each rail a fabric of its own, or both on common spines."""
    f, names, hn = Habit(r), switch_names(r), host_names(r)
    g = r.choice(["FDR", "EDR", "HDR"])
    ports = MODELS[g][1]
    nl, nsp, b = r.choice([3, 4, 6, 8]), r.choice([2, 3]), r.choice([2, 3, 4])
    per = ports - nsp * b - r.choice([0, 2, 4])
    common = r.random() < 0.4 and 2 * nl * b <= ports
    rails = []
    sp = None
    for rail in range(2):
        if not common or sp is None:
            sp = spines_of(f, names, nsp, g, word="spine%s" % ("" if common else "AB"[rail]))
        le = []
        for i in range(nl):
            s = f.switch(ports, names("leaf" + "AB"[rail], i, MODELS[g][0]), 1)
            s.host_ports = per
            le.append(s)
        mesh(f, le, sp, b, "4x" + g, "rail")
        rails.append(le)
    twoport = r.random() < 0.5
    some = down_hosts(r)
    k = 0
    for i in range(nl):
        for j in range(some(per)):
            if twoport:
                n = f.host(hn(k, None, "HCA-1"), rails[0][i], rate="4x" + g, ports=2)
                f.host(None, rails[1][i], rate="4x" + g, hca_port=2, node=n)
            else:
                f.host(hn(k, None, "mlx5_0"), rails[0][i], rate="4x" + g)
                f.host(hn(k, None, "mlx5_1"), rails[1][i], rate="4x" + g)
            k += 1
    f.wire()
    return f


def rails_ai(r):
    """Scalable units of 8 leafs, leaf k for adapter k; spines to all, or spines of a rail."""
    f, hn = Habit(r), host_names(r)
    g = r.choice(["HDR", "NDR"])
    ports = 41 if g == "HDR" else 65
    su, nodes = r.choice([2, 3, 4]), r.choice([8, 16, 20] if g == "HDR" else [16, 31, 32])
    per_rail = r.random() < 0.4
    style = r.choice(["MF0;P1-LEAF-%(su)02d-%(rail)02d:MQM/U1", "leaf-su%(su)d-r%(rail)d", "MF0;ibl-%(n)03d:MQM/U1",
                      "Quantum Mellanox Technologies"])
    up = (20 if g == "HDR" else 32)
    nsp = r.choice([4, 5, 10] if g == "HDR" else [4, 8, 16])
    b = up // nsp
    leafs = []
    for s in range(su):
        row = []
        for k in range(8):
            row.append(f.switch(ports, style % {"su": s + 1, "rail": k + 1, "n": s * 8 + k + 1}, 1))
            row[-1].host_ports = up
        leafs.append(row)
    if per_rail:
        n2 = r.choice([2, 4])
        for k in range(8):
            sp = [f.switch(ports, ("MF0;P1-SPINE-R%d-%02d:MQM/U1" % (k + 1, i + 1)), 2) for i in range(n2)]
            bb = min(up // n2, (ports - 1) // su)
            mesh(f, [leafs[s][k] for s in range(su)], sp, bb, "4x" + g, "rail", known=su > 2 or n2 > 2)
    else:
        b = max(1, min(b, (ports - 1) // (8 * su)))
        sp = [f.switch(ports, "MF0;P1-SPINE-%02d:MQM/U1" % (i + 1), 2) for i in range(nsp)]
        mesh(f, [l for row in leafs for l in row], sp, b, "4x" + g, "spine")
    names8 = r.choice([["mlx5_%d" % i for i in range(8)], ["mlx5_%d" % i for i in (0, 3, 4, 5, 6, 9, 10, 11)],
                       ["HCA-%d" % (i + 1) for i in range(8)]])
    for s in range(su):
        have = nodes if s < su - 1 else r.choice([nodes, nodes // 2 + 1])
        for t in range(have):
            for k in range(8):
                f.host("dgx-%02d-%02d %s" % (s + 1, t + 1, names8[k]), leafs[s][k], port=t + 1, rate="4x" + g)
    f.wire({"layout": "hosts first", "shift": False})
    if r.random() < 0.6:
        for s in list(f.switches):
            f.host("Mellanox Technologies Aggregation Node", s, port=ports, rate="4x" + g)
    return f


def dragonfly_plus(r):
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["EDR", "HDR"])
    groups, le_n, sp_n = r.choice([3, 4, 5, 6]), r.choice([4, 6, 8]), r.choice([4, 6, 8])
    half = MODELS[g][1] // 2
    b = 2 if 2 * max(le_n, sp_n) <= half and r.random() < 0.5 else 1
    rows = []
    for i in range(groups):
        le = leafs_of(f, r, names, hn, count, le_n, half - 2, g, first=i * le_n)
        sp = spines_of(f, names, sp_n, g, first=i * sp_n)
        mesh(f, le, sp, b, "4x" + g, "group")
        rows.append(sp)
    glob = r.choice([1, 2])
    how = r.choice(["same", "turn", "random"])
    for a in range(groups):
        for c in range(a + 1, groups):
            for k in range(sp_n):
                o = {"same": k, "turn": (k + a + c) % sp_n, "random": None}[how]
                if o is None:
                    perm = list(range(sp_n))
                    r.shuffle(perm)
                    o = perm[0]
                f.bundle(rows[a][k], rows[c][o], glob, "4x" + g, "global", known=how == "same" or glob > 1)
    f.wire()
    return f


def split_ports(r):
    """Quantum with hosts on halves of its ports (80 ports of two lanes, 81 with the aggregation node)."""
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    nl, nsp, b = r.choice([6, 10, 16]), r.choice([2, 4, 5]), r.choice([2, 3, 4])
    split = r.choice([80, 81])
    if nl * b > 40:
        b = 40 // nl
    if nsp * b > 16:
        b = 16 // nsp
    sp = [f.switch(41, names("spine", i, "MQM8700"), 2) for i in range(nsp)]
    up0 = 40 - nsp * b
    per = r.choice([2 * up0, 2 * up0 - 8, up0])
    for i in range(nl):
        s = f.switch(split, names("leaf", i, "MQM8790"), 1)
        for j in range(per):
            f.host(hn(count()), s, port=j + 1, rate="2xHDR")
        for k in range(nsp):
            for j in range(b):
                c = Cable(s, sp[k], "4xHDR", "leaf", True)
                c.pa = 2 * (up0 + k * b + j) + 1
                f.cables.append(c)
    f.wire({"shift": False})
    return f


def hyperx(r):
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["QDR", "EDR"])
    x, y, b = r.choice([(3, 4, 2), (4, 4, 1), (2, 5, 3), (3, 3, 3), (4, 6, 1)])
    per = min(16, 36 - b * (x + y - 2))
    some = down_hosts(r)
    sw = {}
    for i in range(x):
        for j in range(y):
            s = f.switch(36, names("sw", i * y + j, MODELS[g][0]), 1)
            sw[i, j] = s
            for _ in range(some(per)):
                f.host(hn(count()), s, rate="4x" + g)
    for i in range(x):
        for j in range(y):
            for k in range(i + 1, x):
                f.bundle(sw[i, j], sw[k, j], b, "4x" + g, "x")
            for k in range(j + 1, y):
                f.bundle(sw[i, j], sw[i, k], b, "4x" + g, "y")
    f.wire({"shift": False})
    return f


def mesh_2d(r):
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["QDR", "FDR"])
    x, y, b = r.choice([(3, 3, 3), (4, 4, 2), (3, 5, 3), (4, 6, 2)])
    torus = r.random() < 0.3
    sw = {}
    for i in range(x):
        for j in range(y):
            s = f.switch(36, names("sw", i * y + j, MODELS[g][0]), 1)
            sw[i, j] = s
            for _ in range(16):
                f.host(hn(count()), s, rate="4x" + g)
    for i in range(x):
        for j in range(y):
            if i + 1 < x or torus:
                f.bundle(sw[i, j], sw[(i + 1) % x, j], b, "4x" + g, "x")
            if j + 1 < y or torus:
                f.bundle(sw[i, j], sw[i, (j + 1) % y], b, "4x" + g, "y")
    f.wire({"shift": False})
    return f


def blades(r):
    """Blade chassis with one internal switch: 16 hosts inside, 16 outer ports, of which some are cabled."""
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["QDR", "FDR"])
    ports = r.choice([32, 36])
    n, nsp, b = r.choice([6, 8, 9, 12]), r.choice([2, 4]), r.choice([2, 3, 4])
    if n * b > 34:
        b = 34 // n
    sp = spines_of(f, names, nsp, g, word="core")
    some = down_hosts(r)
    for i in range(n):
        s = f.switch(ports, r.choice([names("enc", i, "HP"), "MF0;c7000-%d:SX60XX/U1" % (i + 1)]), 1)
        taken = sorted(r.sample(range(16), some(16)))
        for j in taken:
            f.host("enc%02d-bl%02d HCA-1" % (i + 1, j + 1), s, port=j + 1, rate="4x" + g)
        outer = list(range(17, 33))
        if r.random() < 0.3:
            outer = outer[::2] + outer[1::2]
        at = 0
        for k in range(nsp):
            for j in range(b):
                c = Cable(s, sp[k], "4x" + g, "chassis", True)
                c.pa = outer[at]
                at += 1
                f.cables.append(c)
    # rack servers on a leaf of their own
    if r.random() < 0.6 and n * b + b <= 36:
        le = leafs_of(f, r, names, hn, count, r.choice([1, 2]) if (n + 2) * b <= 36 else 1, 20, g)
        mesh(f, le, sp, b, "4x" + g, "rack", known=True)
    f.wire({"layout": "hosts first", "shift": False})
    return f


def cascaded(r):
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["QDR", "FDR", "EDR"])
    nsp, b, nl = r.choice([(2, 4, 6), (2, 6, 5), (3, 4, 8), (4, 3, 9)])
    sp = spines_of(f, names, nsp, g)
    le = leafs_of(f, r, names, hn, count, nl, 36 - nsp * b - 2, g)
    mesh(f, le, sp, b, "4x" + g, "leaf")
    for i in range(r.choice([1, 2])):
        s = f.switch(36, names("extra", i, MODELS[g][0]), 1)
        for _ in range(r.choice([8, 20, 27])):
            f.host(hn(count()), s, rate="4x" + g)
        f.bundle(le[-1 - i], s, r.choice([1, 2]), "4x" + g, "cascade", known=False)
    f.wire({"layout": "hosts first"})
    return f


def paired_leafs(r):
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["FDR", "EDR"])
    nsp, b, pairs, isl = r.choice([2, 4]), r.choice([2, 3]), r.choice([3, 4, 5]), r.choice([1, 2, 4])
    sp = spines_of(f, names, nsp, g)
    le = leafs_of(f, r, names, hn, count, 2 * pairs, 36 - nsp * b - isl - r.choice([0, 4]), g)
    mesh(f, le, sp, b, "4x" + g, "leaf")
    for i in range(pairs):
        f.bundle(le[2 * i], le[2 * i + 1], isl, "4x" + g, "pair", known=pairs > 2)
    f.wire({"layout": "hosts first"})
    return f


def spares(r):
    """Switches without hosts among the leafs: cabled and waiting."""
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["FDR", "EDR", "HDR"])
    ports = MODELS[g][1]
    nsp, b, nl = r.choice([(2, 4, 6), (3, 3, 9), (6, 2, 12), (6, 3, 10)])
    sp = spines_of(f, names, nsp, g)
    le = leafs_of(f, r, names, hn, count, nl, ports - nsp * b, g)
    sparel = [f.switch(ports, names("leaf", nl + i, MODELS[g][0]), 1) for i in range(r.choice([1, 2]))]
    if (nl + len(sparel)) * b > ports:
        sparel = sparel[:1] if (nl + 1) * b <= ports else []
    for s in sparel:
        s.host_ports = ports - nsp * b
    f.switches = [s for s in f.switches if s in sp or s in le or s in sparel]
    mesh(f, le + sparel, sp, b, "4x" + g, "leaf")
    if r.random() < 0.4 and (nl + len(sparel)) * b < ports:
        lab = f.switch(12, "MF0;lab-sx:SX6012/U1", 1)
        for i in range(3):
            f.host(hn(i, "lab"), lab, rate="4x" + g)
        f.bundle(lab, sp[0], 1, "4x" + g, "lab", known=False)
    f.wire()
    return f


def exadata(r):
    """Racks of an appliance: two leafs with 7 cables between them and one to a spine; of several, all to all spines."""
    f, hn, count = Habit(r), host_names(r), Count()
    racks = r.choice([1, 2, 3, 4])
    le, sp = [], []
    for i in range(racks):
        for j, w in enumerate("ab"):
            s = f.switch(36, "SUN DCS 36P QDR dm%02dsw-ib%s0 10.1.%d.%d" % (i + 1, w, i, 2 + j), 1)
            le.append(s)
        sp.append(f.switch(36, "SUN DCS 36P QDR dm%02dsw-ibs0 10.1.%d.1" % (i + 1, i), 2))
        for k in range(22):
            name = "dm%02d%s%02d S 192.168.%d.%d HCA-1" % (i + 1, "db" if k < 8 else "cel", k + 1, i, k + 10)
            n = f.host(name, le[-2], rate="4xQDR", ports=2)
            f.host(None, le[-1], rate="4xQDR", hca_port=2, node=n)
    if racks == 1:
        f.bundle(le[0], le[1], 7, "4xQDR", "isl", known=False)
        f.bundle(le[0], sp[0], 1, "4xQDR", "up", known=False)
        f.bundle(le[1], sp[0], 1, "4xQDR", "up", known=False)
    else:
        per = 8 // racks
        mesh(f, le, sp, per, "4xQDR", "up", known=racks > 1)
    f.wire({"layout": "hosts first", "shift": False})
    return f


def hypercube_ice(r):
    """Enclosures of an enhanced hypercube: two switch blades an enclosure, low dimensions doubled."""
    f, hn, count = Habit(r), host_names(r), Count()
    d = r.choice([3, 4])
    mult = [r.choice([1, 2, 3]) for _ in range(d)]
    g = r.choice(["QDR", "FDR"])
    planes = r.choice([1, 2])
    for p in range(planes):
        sw = []
        for i in range(1 << d):
            s = f.switch(36, r.choice(["r%di%ds%d SW%d" % (i // 4 + 1, i % 4, p, 0)]), 1)
            sw.append(s)
        for i in range(1 << d):
            for k in range(d):
                if i < i ^ (1 << k):
                    f.bundle(sw[i], sw[i ^ (1 << k)], mult[k], "4x" + g, "dim%d" % k)
        for i in range(1 << d):
            for j in range(18 if planes == 1 else 16):
                f.host("r%di%dn%d HCA-%d" % (i // 4 + 1, i % 4, j, p + 1), sw[i], port=j + 1, rate="4x" + g)
    f.wire({"layout": "hosts first", "shift": False})
    return f


def three_level_planes(r):
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["EDR", "HDR"])
    half = MODELS[g][1] // 2
    pods, spn, lpp = r.choice([2, 3, 4, 6]), r.choice([4, 5, 6]), r.choice([4, 6, 8])
    b = half // spn
    if lpp * b > half:
        b = max(1, half // lpp)
    per_plane = r.choice([2, 3, 4])
    cb = r.choice([1, 2])
    if pods * cb > MODELS[g][1]:
        cb = 1
    cores = [spines_of(f, names, per_plane, g, 3, "core", p * per_plane) for p in range(spn)]
    for p in range(pods):
        le = leafs_of(f, r, names, hn, count, lpp, half, g, first=p * lpp)
        sp = spines_of(f, names, spn, g, first=p * spn)
        mesh(f, le, sp, b, "4x" + g, "pod")
        for k, s in enumerate(sp):
            for c in cores[k]:
                f.bundle(s, c, cb, "4x" + g, "core", known=pods * per_plane > 3)
    f.wire()
    return f


def ragged_trunk(r):
    """A core pair; leafs bought over the years have each their own number of uplinks, hosts of all ages."""
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    sp = spines_of(f, names, 2, "EDR", word="core")
    n, left = 0, 36
    while left >= 3 and n < 9:
        b = min(left, r.choice([2, 3, 4, 6]))
        g = r.choice(["QDR", "FDR", "EDR"])
        le = leafs_of(f, r, names, hn, count, 1, 36 - 2 * b - r.choice([0, 3, 6]), g, first=n)
        for s in sp:
            f.bundle(le[0], s, b, "4x" + g, "ragged", known=False)
        left -= b
        n += 1
    f.wire()
    return f


def routers(r):
    """One subnet, with routers on its spines."""
    f = spine_hosts(r)
    sp = [s for s in f.switches if f.tier[s] == 2]
    for i, s in enumerate(sp[:2]):
        used = {c.pa if c.a is s else c.pb for c in f.cables if s in (c.a, c.b)}
        free = [p for p in range(1, s.ports + 1) if p not in used and p not in (37, 41, 65)]
        if free:
            n = Thing("R", 2, "MF0;ibr-%d:SB7780/U1" % (i + 1), f.guid())
            f.hosts.append(n)
            c = Cable(n, s, "4x" + "EDR", "router", False)
            c.pa, c.pb = 1, free[-1]
            f.cables.append(c)
    return f


def many_down(r):
    """A large tree in which most hosts are off."""
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["EDR", "HDR"])
    nsp, b, nl = r.choice([(4, 2, 12), (6, 3, 10), (9, 2, 16), (18, 1, 20)])
    per = 18
    sp = spines_of(f, names, nsp, g)
    le = leafs_of(f, r, names, hn, count, nl, per, g, up_down=lambda n: r.choice([0, 0, 1, 3, n // 2, n]))
    mesh(f, le, sp, b, "4x" + g, "leaf")
    f.wire({"layout": "hosts first"})
    return f


def pods_unlike(r):
    """Three levels whose pods are unlike in size, uplinks and age; a small service pod."""
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    cores = spines_of(f, names, r.choice([4, 6]), "HDR", 3, "core")
    nl = ns = 0
    left = 40
    for p in range(r.choice([3, 4])):
        g = r.choice(["EDR", "HDR", "HDR"])
        half = MODELS[g][1] // 2
        lpp, spn = r.choice([3, 4, 6, 8]), r.choice([2, 3, 4])
        b = max(1, min(half // spn, half // lpp))
        le = leafs_of(f, r, names, hn, count, lpp, half - r.choice([0, 2]), g, first=nl)
        sp = spines_of(f, names, spn, g, first=ns)
        nl, ns = nl + lpp, ns + spn
        mesh(f, le, sp, b, "4x" + g, "pod%d" % p)
        cb = max(1, min(left // spn // 2, half // len(cores), r.choice([1, 2])))
        if cb * spn > left:
            break
        left -= cb * spn
        mesh(f, sp, cores, cb, "4x" + g, "core%d" % p)
    f.wire()
    return f


def star(r):
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g = r.choice(["QDR", "FDR", "EDR"])
    if r.random() < 0.5:
        le = leafs_of(f, r, names, hn, count, 2, 20, g)
        f.bundle(le[0], le[1], r.choice([4, 8, 12]), "4x" + g, "trunk", known=False)
    else:
        le = leafs_of(f, r, names, hn, count, 3, 18, g)
        n = r.choice([3, 6, 8])
        for a, b in ((0, 1), (1, 2), (0, 2)):
            f.bundle(le[a], le[b], n, "4x" + g, "trunk", known=True)
    f.wire({"layout": "hosts first", "shift": False})
    return f


def director_alone(r):
    """Hosts plugged straight into a director, partly filled boards, and a few leafs hanging on it."""
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    g, lines, spines, ext, intb = r.choice([("QDR", 18, 9, 18, 2), ("FDR", 36, 18, 18, 1), ("EDR", 18, 9, 18, 2)])
    n = r.choice([lines // 2, lines - 2, lines])
    filled = sorted(r.sample(range(lines), n))
    chips, _ = director(f, "big", g, spines, ext, intb, 2, filled)
    for c in chips:
        k = r.choice([ext, ext, ext - 1, ext // 2, 0, r.randrange(ext + 1)])
        for j in range(k):
            f.host(hn(count()), c, port=j + 1, rate="4x" + g)
        c.free_out = ext - k
    wide = [c for c in chips if c.free_out >= 6]
    if wide and r.random() < 0.6:
        le = leafs_of(f, r, names, hn, count, min(len(wide), 3), 24, g)
        for l, c in zip(le, wide):
            for j in range(6):
                cab = Cable(l, c, "4x" + g, "hanging", False)
                cab.pb = ext - j
                f.cables.append(cab)
    f.wire({"layout": "hosts first", "shift": False})
    return f


def frontera(r):
    """Leafs with hosts on halves of their ports; uplinks to several directors, each to another line chip."""
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    cores, up = r.choice([(3, 3), (4, 2), (6, 3), (6, 1)])
    nl = r.choice([8, 12, 20])
    boards = []
    for d in range(cores):
        need = -(-nl * up // 20) + r.choice([0, 1])
        chips, _ = director(f, "core%d" % (d + 1), "HDR", 5, 20, 4, 2, range(max(need, 2)))
        boards.append(chips)
    spread = r.random() < 0.5
    at = [0] * cores
    for i in range(nl):
        s = f.switch(80, names("leaf", i, "MQM8790"), 1)
        for j in range(44 if r.random() < 0.8 else r.choice([30, 40])):
            f.host(hn(count()), s, port=j + 1, rate="2xHDR")
        n = 0
        for d in range(cores):
            for j in range(up):
                k = at[d]
                at[d] += 1
                chips = boards[d]
                chip, port = (chips[k % len(chips)], k // len(chips) + 1) if spread else (chips[k // 20], k % 20 + 1)
                c = Cable(s, chip, "4xHDR", "uplink", True)
                c.pa, c.pb = 45 + 2 * n, port
                n += 1
                f.cables.append(c)
    f.wire({"layout": "hosts first", "shift": False})
    return f


def multi_plane(r):
    """Several trees that have only the hosts in common, in one list; not all of one size."""
    f, names, hn = Habit(r), switch_names(r), host_names(r)
    planes, nl, nsp, b = r.choice([(2, 4, 2, 4), (3, 4, 2, 6), (4, 3, 2, 4), (2, 6, 3, 3)])
    g = r.choice(["EDR", "HDR"])
    per = MODELS[g][1] - nsp * b - 2
    rows = []
    for p in range(planes):
        sp = spines_of(f, names, nsp, g, word="spine" + "abcd"[p])
        n = nl - (1 if p == planes - 1 and r.random() < 0.3 else 0)
        le = [f.switch(MODELS[g][1], names("leaf" + "abcd"[p], i, MODELS[g][0]), 1) for i in range(n)]
        mesh(f, le, sp, b, "4x" + g, "plane%d" % p)
        rows.append(le)
    k = 0
    for i in range(nl):
        for j in range(per):
            for p in range(planes):
                if i < len(rows[p]):
                    f.host(hn(k, None, "mlx5_%d" % p), rows[p][i], rate="4x" + g)
            k += 1
    f.wire({"layout": "hosts first"})
    return f


def xdr_planes(r):
    """Chassis of four chips, one for each plane of an adapter with four ports."""
    f, hn = Habit(r), host_names(r)
    nl, nsp, b, per = r.choice([(4, 2, 8, 32), (6, 3, 4, 24), (8, 4, 4, 16), (8, 2, 9, 18)])
    half = r.choice([72, 36])
    def box(name, tier):
        system = f.guid(64)
        return [f.switch(144, "MF0;%s:Q3400-RA/U%d" % (name, k + 1), tier, system) for k in range(4)]
    le = [box("xleaf%02d" % (i + 1), 1) for i in range(nl)]
    sp = [box("xspine%02d" % (i + 1), 2) for i in range(nsp)]
    for i in range(nl):
        for j in range(per):
            node = None
            for k in range(4):
                name = "gb%02d-%02d mlx5_%d" % (i, j // 4, j % 4)
                node = f.host(name, le[i][k], port=j + 1, rate="1xXDR", ports=4, hca_port=k + 1, node=node)
        for s in range(nsp):
            for j in range(b):
                for k in range(4):
                    c = Cable(le[i][k], sp[s][k], "1xXDR", "plane", True)
                    c.pa, c.pb = half + s * b + j + 1, i * b + j + 1
                    f.cables.append(c)
    f.wire({"layout": "hosts first", "shift": False})
    return f


def torus_rails(r):
    """Two rails, each a three-dimensional torus of switches with 16 hosts and 3 cables to each neighbour."""
    f, hn = Habit(r), host_names(r)
    x, y, z, b = r.choice([(3, 3, 3, 3), (4, 4, 2, 3), (4, 3, 3, 3), (4, 4, 4, 2)])
    rails = r.choice([1, 2])
    for rail in range(rails):
        sw = {}
        for c in itertools.product(range(x), range(y), range(z)):
            s = f.switch(36, "ibsw-%d-%d%d%d" % ((rail,) + c), 1)
            sw[c] = s
            for j in range(16):
                f.host("gcn-%d%d%d-%d mlx4_%d" % (c + (j, rail)), s, port=j + 1, rate="4xQDR")
        for c in sw:
            for d, size in enumerate((x, y, z)):
                o = list(c)
                o[d] = (c[d] + 1) % size
                if size > 2 or c[d] == 0:
                    f.bundle(sw[c], sw[tuple(o)], b, "4xQDR", "dim%d" % d)
    f.wire({"layout": "hosts first", "shift": False})
    return f


def old_new_directors(r):
    """An old director and a new one as cores of the same leafs, of another number of boards and another bundle."""
    f, names, hn, count = Habit(r), switch_names(r), host_names(r), Count()
    a, _ = director(f, "old", "QDR", 9, 18, 2, 2, range(r.choice([4, 6])))
    b, _ = director(f, "new", "FDR", 9, 18, 2, 2, range(r.choice([6, 9])))
    nl = r.choice([9, 12, 16])
    le = leafs_of(f, r, names, hn, count, nl, 24, "FDR")
    for chips, up, rate in ((a, 4 if 4 * nl <= 18 * len(a) else 3, "4xQDR"), (b, 6, "4xFDR")):
        slots = [c for c in chips for _ in range(18)]
        for i, l in enumerate(le):
            for j in range(up):
                if i * up + j < len(slots):
                    f.bundle(l, slots[i * up + j], 1, rate, "to director")
    f.wire({"layout": "hosts first", "shift": False})
    return f


KINDS = (pruned_islands, half_pod, third_spine, director_core, services, spine_hosts, two_rails, rails_ai, dragonfly_plus,
         split_ports, hyperx, mesh_2d, blades, cascaded, paired_leafs, spares, exadata, hypercube_ice, three_level_planes,
         ragged_trunk, routers, many_down, pods_unlike, star, director_alone, frontera, multi_plane, xdr_planes,
         torus_rails, old_new_directors)
