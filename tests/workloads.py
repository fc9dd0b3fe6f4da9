#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
ftplan --workload: its times against closed forms, against a simulation by brute force (every cable a link of its own,
all shares anew at every event), and against what the indirect cube document says of its systems; what flows do not give of
that, against a simulation of packets (packets.c).

  workloads.py [--seed N] [--rounds N]
"""
import argparse
import collections
import heapq
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import results  # pylint: disable=wrong-import-position
from results import result as check  # pylint: disable=wrong-import-position

FTPLAN = os.path.join(os.environ.get("FT_BUILDDIR", "."), "ftplan")
PACKETS = os.path.join(os.environ.get("FT_BUILDDIR", "."), "tests/packets")
FTCHECK = os.path.join(os.environ.get("FT_BUILDDIR", "."), "ftcheck")
EXAMPLES = os.path.join(os.environ.get("FT_SRCDIR", "."), "etc/examples")
RATE = 4.0  # bytes a nanosecond: 4xQDR
LATENCY = 100.0
LONG, SHORT = 10240, 1024
ALL = "all-to-all,binary-tree,butterfly,near-neighbor,n-bodies"


def close(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b))


def ftplan(*arguments):
    return subprocess.run([FTPLAN, *arguments], check=True, capture_output=True, text=True).stdout


def times(design, workloads, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(design, file)
        file.flush()
        result = json.loads(ftplan(file.name, "--workload", workloads, "--format", "json", *options))
    return {row["name"]: row["time_ns"] for row in result["workloads"]}, result


def planned(design):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(design, file)
        file.flush()
        return json.loads(ftplan(file.name, "--format", "json"))["plan"]


# ---- by brute force ----


class Network:
    """Paths as {link: share}; a link is (from, to, cable), or a host's ("in" or "out", host)."""

    RANKS = {"edge": 0, "spine": 1, "core": 2}

    def __init__(self, plan, routing):
        names = [s["name"] for s in plan["switches"]]
        self.hosts = [i for i, s in enumerate(plan["switches"]) for _ in range(s["hosts"])]
        self.tree = plan["topology"] == "fat-tree"
        self.rank = [self.RANKS.get(s.get("tier"), 0) for s in plan["switches"]]
        self.routing = routing
        self.near = [collections.Counter() for _ in names]
        for bundle in plan["bundles"]:
            a, b = names.index(bundle["a"]), names.index(bundle["b"])
            self.near[a][b] += bundle["count"]
            self.near[b][a] += bundle["count"]
        self.distances = {}

    def distance(self, to):
        if to not in self.distances:
            far, edge = {to: 0}, [to]
            while edge:
                following = []
                for at in edge:
                    for other in self.near[at]:
                        if other not in far:
                            far[other] = far[at] + 1
                            following.append(other)
                edge = following
            self.distances[to] = far
        return self.distances[to]

    def path(self, source, target):
        a, b = self.hosts[source], self.hosts[target]
        far = self.distance(b)
        links = collections.Counter({("out", source): 1.0, ("in", target): 1.0})
        here, divisor = {a: 1.0}, 1
        while here and b not in here:
            there = collections.Counter()
            for at, amount in here.items():
                cables = [(to, n) for to in sorted(self.near[at]) if far[to] < far[at] for n in range(self.near[at][to])]
                down = self.tree and all(self.rank[to] < self.rank[at] for to, _ in cables)
                if self.routing == "minimal":
                    divisor, cables = divisor * len(cables), [cables[target // divisor % len(cables)]]
                elif down and self.routing == "static":
                    cables = [cables[target % len(cables)]]
                for to, n in cables:
                    links[(at, to, n)] += amount / len(cables)
                    there[to] += amount / len(cables)
            here = there
        return dict(links), far[a] + 1


def fair(flows):
    """Progressive filling, literally: [{link: share}] -> rates."""
    rates, left, fixed = [0.0] * len(flows), collections.defaultdict(lambda: RATE), set()
    while len(fixed) < len(flows):
        weights = collections.defaultdict(float)
        for i, links in enumerate(flows):
            if i not in fixed:
                for link, share in links.items():
                    weights[link] += share
        level = min(left[link] / weight for link, weight in weights.items())
        full = {link for link, weight in weights.items() if left[link] / weight <= level * (1 + 1e-12)}
        for i, links in enumerate(flows):
            if i not in fixed and full & links.keys():
                fixed.add(i)
                rates[i] = level
                for link, share in links.items():
                    left[link] -= share * level
        for link in left:
            left[link] = max(left[link], 0.0)
    return rates


def all_to_all(i, n, _):
    for k in range(1, n):
        yield ("send", (i + k) % n, None)


def binary_tree(i, n, _):
    step = 1
    while step < n:
        if i & step:
            yield ("send", i - step, i)
            return
        if i + step < n:
            yield ("wait", i + step)
        step *= 2


def butterfly(i, n, _):
    step = 1
    while step < n:
        if i ^ step < n:
            yield ("send", i ^ step, (i, step))
            yield ("wait", (i ^ step, step))
        step *= 2


def near_neighbor(i, n, width):
    x, y = i % width, i // width
    row, column = min(width, n - y * width), len(range(x, n, width))
    for to in (y * width + (x + 1) % row, y * width + (x - 1) % row, (y + 1) % column * width + x,
               (y - 1) % column * width + x):
        if to != i:
            yield ("send", to, None)


def n_bodies(i, n, _):
    n -= n % 2 == 0
    if i >= n:
        return
    yield ("send", (i + 1) % n, (i, 1))
    for source in range(i - 1, i - 1 - (n - 1) // 2, -1):
        steps = i - source
        yield ("wait", (source % n, steps))
        last = steps == (n - 1) // 2
        yield ("send", source % n if last else (i + 1) % n, (source % n, steps + 1))


SIZE = {all_to_all: SHORT}


def simulate(network, pattern, width, latency, overhead=0.0):
    """Each task is a generator of what it does; it goes on when its message has left, or what it waits for has come."""
    n, now, count = len(network.hosts), 0.0, itertools.count()
    tasks = [pattern(i, n, width) for i in range(n)]
    waits, came, flows, events = {}, [set() for _ in range(n)], {}, []
    size = SIZE.get(pattern, LONG)

    def advance(i):
        for what in tasks[i]:
            if what[0] == "send":
                heapq.heappush(events, (now + overhead, next(count), "start", i, what[1], what[2]))
                return
            if what[1] not in came[i]:
                waits[i] = what[1]
                return

    for i in range(n):
        advance(i)
    while events or flows:
        keys = sorted(flows)
        rates = dict(zip(keys, fair([flows[i]["links"] for i in keys]))) if keys else {}
        end = min([now + flows[i]["left"] / rates[i] for i in keys] + [events[0][0]] if events else
                  [now + flows[i]["left"] / rates[i] for i in keys])
        for i in keys:
            flows[i]["left"] -= rates[i] * (end - now)
        now = end
        for i in keys:
            if flows[i]["left"] <= 1e-6:
                flow = flows.pop(i)
                heapq.heappush(events, (now + overhead + flow["switches"] * latency, next(count), "arrive", i,
                                        flow["to"], flow["tag"]))
                advance(i)
        while events and events[0][0] <= now + 1e-7:
            _, _, kind, i, to, tag = heapq.heappop(events)
            if kind == "start":
                links, switches = network.path(i, to)
                flows[i] = {"left": size, "links": links, "switches": switches, "to": to, "tag": tag}
            else:
                came[to].add(tag)
                if to in waits and waits[to] in came[to]:
                    del waits[to]
                    advance(to)
    return now


def splitmix(state):
    while True:
        state = (state + 0x9e3779b97f4a7c15) % 2**64
        x = state
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9 % 2**64
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb % 2**64
        yield x ^ (x >> 31)


def random_messages(tasks, seed):
    """40,000 of random sources and other destinations."""
    numbers = splitmix(seed)
    for _ in range(40000):
        source, target = next(numbers) % tasks, next(numbers) % (tasks - 1)
        yield source, target + (target >= source)


def simulate_random(network, wave, seed, latency):
    """Waves: each task sends its messages of a wave in their order; the next wave begins when the last one has arrived."""
    messages, now, known = list(random_messages(len(network.hosts), seed)), 0.0, {}
    paths = {pair: network.path(*pair) for pair in set(messages)}
    for begin in range(0, len(messages), wave):
        to_send, flows, end = collections.defaultdict(collections.deque), {}, now
        for source, target in messages[begin:begin + wave]:
            to_send[source].append(target)
        for source, targets in to_send.items():
            flows[source] = [targets.popleft(), LONG]
        while flows:
            pairs = tuple(sorted((source, flow[0]) for source, flow in flows.items()))
            if pairs not in known:
                known[pairs] = dict(zip(pairs, fair([paths[pair][0] for pair in pairs])))
            rates = known[pairs]
            step = min(left / rates[source, target] for source, (target, left) in flows.items())
            now += step
            for source, target in pairs:
                flows[source][1] -= step * rates[source, target]
                if flows[source][1] > 1e-6:
                    continue
                end = max(end, now + paths[source, target][1] * latency)
                if to_send[source]:
                    flows[source] = [to_send[source].popleft(), LONG]
                else:
                    del flows[source]
        now = end
    return now


PATTERNS = {"all-to-all": all_to_all, "binary-tree": binary_tree, "butterfly": butterfly,
            "near-neighbor": near_neighbor, "n-bodies": n_bodies}


def random_design(rng):
    """A small network: its cables scarce enough for contention."""
    base = {"ftcheck": 1, "name": "t", "rate": "4xQDR"}
    kind = rng.choice(["torus", "mesh", "two levels", "three levels", "graph", "hyperx"])
    if kind in ("torus", "mesh", "hyperx"):
        dims = rng.choice([[2, 3], [4], [3, 3], [5]])
        return {**base, "topology": kind, "dims": dims, "bundle": rng.randint(1, 2),
                "edge": {"ports": 36, "ports_to_nodes": rng.randint(1, 4)}}
    if kind == "two levels":
        return {**base, "topology": "fat-tree", "nodes": rng.randint(9, 20), "blocking": "2:1", "bundle": 2,
                "edge": {"ports": 12, "ports_to_nodes": 4, "ports_to_core": 4}, "core": {"ports": 36, "count": 2}}
    if kind == "three levels":
        return {**base, "topology": "fat-tree", "levels": 3, "nodes": 16, "pods": 2, "blocking": "2:1",
                "edge": {"ports": 8, "ports_to_nodes": 4, "ports_to_core": 2},
                "spine": {"ports": 8, "count": 4, "ports_to_core": 2}, "core": {"ports": 8, "count": 4},
                "bundle": {"edge": 1, "spine": 1}}
    count = rng.randint(3, 6)
    links = {(i, i + 1) for i in range(count - 1)} | {tuple(sorted(rng.sample(range(count), 2))) for _ in range(3)}
    return {**base, "topology": "graph",
            "switches": [{"name": f"s{i}", "ports": 36, "hosts": rng.randint(0, 4) + (i == 0) + (i == 1)}
                         for i in range(count)],
            "links": [{"a": f"s{a}", "b": f"s{b}", "count": rng.randint(1, 2)} for a, b in sorted(links)]}


def by_brute_force(seed, rounds):
    print(f"seed {seed}")
    for round_ in range(rounds):
        rng = random.Random(f"{seed}/{round_}")
        design = random_design(rng)
        plan = planned(design)
        routings = ["static", "adaptive"] + (["minimal"] if plan["topology"] == "fat-tree" else [])
        routing, latency, overhead = rng.choice(routings), rng.choice([0.0, 100.0, 700.0]), rng.choice([0.0, 300.0])
        found, result = times(design, ALL, "--routing", routing, "--switch-latency", f"{latency:g}",
                              "--host-overhead", f"{overhead:g}")
        network = Network(plan, routing)
        wrong = []
        for name, pattern in PATTERNS.items():
            expected = simulate(network, pattern, result["model"]["mesh_x"], latency, overhead)
            if not close(found[name], expected):
                wrong.append(f"{name}: {found[name]:.3f} ns, expected {expected:.3f}")
        check(f"round {round_}: {design['topology']} of {len(network.hosts)} hosts, {routing}", not wrong,
              json.dumps(design), *wrong)


# ---- closed forms ----


def star(nodes):
    return {"ftcheck": 1, "name": "star", "topology": "star", "nodes": nodes, "edge": {"ports": 36}, "rate": "4xQDR"}


def pair(hosts, cables):
    return {"ftcheck": 1, "name": "pair", "topology": "graph", "rate": "4xQDR",
            "switches": [{"name": n, "ports": 36, "hosts": hosts} for n in "ab"],
            "links": [{"a": "a", "b": "b", "count": cables}]}


def random_one_by_one(hosts_of_switch, count, seed, far):
    """Waves of one message: the sum of all."""
    return sum(LONG / RATE + LATENCY * (1 if source // hosts_of_switch == target // hosts_of_switch else far)
               for source, target in random_messages(count, seed))


def closed_forms():
    long_, short = LONG / RATE, SHORT / RATE
    rows = [
        ("one message through one switch", star(2), "binary-tree", [], long_ + LATENCY),
        ("no latency", star(2), "binary-tree", ["--switch-latency", "0"], long_),
        ("overhead of both hosts", star(2), "binary-tree", ["--host-overhead", "50"], long_ + LATENCY + 100),
        ("two steps of a tree of 4", star(4), "binary-tree", [], 2 * (long_ + LATENCY)),
        ("a tree of 5: three messages to one host", star(5), "binary-tree", [], 3 * long_ + LATENCY),
        ("three steps of a butterfly of 8", star(8), "butterfly", [], 3 * (long_ + LATENCY)),
        ("shifts of a ring", star(6), "all-to-all", [], 5 * short + LATENCY),
        ("a torus of 3 by 3 on a star", star(9), "near-neighbor", [], 4 * long_ + LATENCY),
        ("chains of 5 bodies: two steps, and back", star(5), "n-bodies", [], 3 * (long_ + LATENCY)),
        ("of 6 tasks one takes no part", star(6), "n-bodies", [], 3 * (long_ + LATENCY)),
        ("one message over two switches", pair(1, 1), "binary-tree", [], long_ + 2 * LATENCY),
        ("two messages on one cable", pair(2, 1), "butterfly", [], long_ + LATENCY + 2 * long_ + 2 * LATENCY),
        ("two messages on two cables", pair(2, 2), "butterfly", [], 2 * long_ + 3 * LATENCY),
        ("waves of one message", pair(3, 1), "random:1", [], random_one_by_one(3, 6, 1, 2)),
        ("another seed", pair(3, 1), "random:1", ["--seed", "7"], random_one_by_one(3, 6, 7, 2)),
    ]
    for name, design, workload, options, expected in rows:
        found = times(design, workload, *options)[0][workload]
        check(name, close(found, expected), f"{found:.3f} ns, expected {expected:.3f}")
    tree = {"ftcheck": 1, "name": "full", "topology": "fat-tree", "nodes": 64, "edge": {"ports": 16},
            "core": {"ports": 16}, "rate": "4xQDR"}
    found = times(tree, "all-to-all", "--routing", "adaptive", "--switch-latency", "0")[0]["all-to-all"]
    check("a tree of full bisection carries every shift at the hosts' rate", close(found, 63 * short), found)
    one = times(pair(4, 1), "random:200")[1]
    check("the same run gives the same times", one == times(pair(4, 1), "random:200")[1])


def random_by_brute_force():
    """
    Few hosts, so that the same messages are under way again and again. Longer waves amplify the least difference of rounding
    from message to message: both simulations differ by some tenths of a percent then, and each from itself by other latencies.
    """
    for design, wave in ((pair(2, 1), 200), (pair(2, 2), 500), (pair(3, 2), 7), (pair(3, 1), 100), (star(5), 50)):
        plan, name = planned(design), f"random:{wave}"
        found = times(design, name, "--seed", "5")[0][name]
        expected = simulate_random(Network(plan, "static"), wave, 5, LATENCY)
        check(f"{name} on {design['name']} of {plan['switches'][0]['hosts']} hosts a switch", close(found, expected),
              f"{found:.3f} ns, expected {expected:.3f}")


# ---- with faults ----


def found(net, design, workloads):
    """What ftcheck says of a recorded fabric."""
    with tempfile.TemporaryDirectory() as work:
        paths = [os.path.join(work, name) for name in ("plan.json", "net")]
        with open(paths[0], "w", encoding="utf-8") as file:
            json.dump(design, file)
        with open(paths[1], "w", encoding="utf-8") as file:
            file.write(net)
        result = subprocess.run([FTCHECK, "--plan", paths[0], "--from", paths[1], "--workload", workloads,
                                 "--format", "json"], capture_output=True, text=True, check=False)
    return json.loads(result.stdout)["workloads"]


def with_faults():
    long_ = LONG / RATE
    design = pair(2, 2)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(design, file)
        file.flush()
        lines = ftplan(file.name, "--format", "ibsim").splitlines(keepends=True)
    whole, = found("".join(lines), design, "butterfly")
    expected = {"name": "butterfly", "hosts": 4, "hosts_left_out": 0, "planned_ns": round(2 * long_ + 3 * LATENCY),
                "found_ns": round(2 * long_ + 3 * LATENCY), "ratio": 1}
    check("as planned: as long as planned", whole == expected, whole)
    cables = [line for line in lines if line.startswith("[") and '"S-' in line and "H-" not in line]
    between = [line for line in cables if '# "a"' in line or '# "b"' in line]
    port = between[0].split("]")[0] + "]"
    far = "[" + between[0].split('"[')[1].split("]")[0] + "]"
    less = [line for line in lines if not ('# "b"' in line and line.startswith(port)) and
            not ('# "a"' in line and line.startswith(far) and "]\t\"S-" in line)]
    row, = found("".join(less), design, "butterfly")
    check("one of two cables is missing: two messages share the other",
          row["found_ns"] == round(3 * long_ + 3 * LATENCY) and row["planned_ns"] == expected["found_ns"], row)
    alone = [line for line in lines if line not in between]
    row, = found("".join(alone), design, "binary-tree")
    check("cut in two: the hosts of one part", (row["hosts"], row["hosts_left_out"]) == (2, 2) and row["ratio"] == 1, row)


# ---- forwarding tables ----


def discovered():
    """What ibnetdiscover prints of pair(2, 2): hosts 1 to 4 have these LIDs, the switches 11 and 12."""
    lines = []
    for at, (name, hosts) in {11: ("a", (1, 2)), 12: ("b", (3, 4))}.items():
        other, far = (12, "b") if at == 11 else (11, "a")
        lines += [f"switchguid=0x{at:x}({at:x})", f'Switch\t36 "S-{at:016x}"\t\t# "{name}" enhanced port 0 lid {at} lmc 0']
        for port, host in enumerate(hosts, 1):
            lines.append(f'[{port}]\t"H-{host:016x}"[1]({host:x}) \t\t# "n{host} HCA-1" lid {host} 4xQDR')
        lines += [f'[{port}]\t"S-{other:016x}"[{port}]\t\t# "{far}" lid {other} 4xQDR' for port in (3, 4)] + [""]
    for host in range(1, 5):
        at, name = (11, "a") if host < 3 else (12, "b")
        lines += [f"caguid=0x{host:x}", f'Ca\t1 "H-{host:016x}"\t\t# "n{host} HCA-1"',
                  f'[1]({host:x}) \t"S-{at:016x}"[{2 - host % 2}]\t\t# lid {host} lmc 0 "{name}" lid {at} 4xQDR', ""]
    return "\n".join(lines)


def forwarding(ports):
    """What dump_lfts prints. Ports by LID of a switch, then by that of the destination."""
    lines = []
    for at, table in ports.items():
        lines += [f"Unicast lids [0x0-0xc] of switch Lid {at} guid 0x{at:016x} (s{at}):", "  Lid  Out   Destination",
                  "       Port     Info "]
        lines += [f"0x{lid:04x} {port:03} : (Channel Adapter portguid 0x{lid:016x}: 'n{lid}')" for lid, port in table.items()]
        lines.append(f"{len(table)} valid lids dumped ")
    return "\n".join(lines) + "\n"


def by_tables():
    long_ = LONG / RATE
    spread = {11: {1: 1, 2: 2, 3: 3, 4: 4, 11: 0, 12: 3}, 12: {1: 3, 2: 4, 3: 1, 4: 2, 11: 3, 12: 0}}
    one = {11: {**spread[11], 4: 3}, 12: spread[12]}
    less = {11: {lid: port for lid, port in spread[11].items() if lid != 4}, 12: spread[12]}
    rows = {"each route has a cable of its own": (spread, 2 * long_ + 3 * LATENCY),
            "two routes share a cable": (one, 3 * long_ + 3 * LATENCY), "a route is missing": (less, 0)}
    for name, (ports, wanted) in rows.items():
        with tempfile.TemporaryDirectory() as directory:
            paths = [os.path.join(directory, file) for file in ("plan.json", "dump", "tables")]
            for path, text in zip(paths, (json.dumps(pair(2, 2)), discovered(), forwarding(ports))):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            result = subprocess.run([FTCHECK, "--plan", paths[0], "--from", paths[1], "--routes", paths[2], "--workload",
                                     "butterfly", "--format", "json"], capture_output=True, text=True, check=False)
        row, = json.loads(result.stdout)["workloads"] if result.stdout else [{}]
        check(f"by forwarding tables: {name}", row.get("tables_ns") == round(wanted) and
              row["found_ns"] == row["planned_ns"] == round(2 * long_ + 3 * LATENCY), row, result.stderr)


# ---- the document ----


def example(kind, racks):
    with open(os.path.join(EXAMPLES, f"indirect-{kind}-{racks:02}.json"), encoding="utf-8") as file:
        return json.load(file)


def document():
    ratios = collections.defaultdict(list)
    sizes = (1, 4, 8)
    for racks in sizes:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as tree:
            json.dump(example("tree", racks), tree)
            tree.flush()
            workloads = "binary-tree,near-neighbor,butterfly,random:1,random:200" + (
                ",all-to-all,n-bodies" if racks <= 4 else "")
            result = times(example("cube", racks), workloads, "--against", tree.name)[1]
        check(f"{racks} racks: {120 * racks} hosts", all(n["hosts"] == 120 * racks for n in result["networks"]))
        check(f"{racks} racks: blocks of 5x4 on the cube alone",
              [n["placement"] for n in result["networks"]] == ["5x4", "consecutive"])
        check(f"{racks} racks: it is said of each time whether events were merged",
              all("merged" in row and "merged_against" in row for row in result["workloads"]))
        for row in result["workloads"]:
            ratios[row["name"]].append(row["ratio"])
    shown = {name: [f"{ratio:.3f}" for ratio in of] for name, of in ratios.items()}
    check("binary tree: about as fast", all(0.9 < ratio < 1.1 for ratio in ratios["binary-tree"]), shown)
    for name in ("butterfly", "random:1", "random:200", "all-to-all"):
        of = ratios[name]
        check(f"{name}: worse and worse", all(a < b for a, b in zip(of, of[1:])), shown)
    check("n-bodies: the same at every size", max(ratios["n-bodies"]) < 1.03 * min(ratios["n-bodies"]), shown)
    # The document has 0.8: see by_packets().
    check("near neighbour: faster on the cube, from the first three stages on",
          all(0.9 < ratio < 1 for ratio in ratios["near-neighbor"][1:]), shown)


def by_packets():
    """The two statements of the document that packets give, and flows do not (man ftplan)."""
    def ratio(racks, workload, packets, places=4):
        cube, tree = (float(subprocess.run([PACKETS, kind, str(racks), workload, str(packets), str(places)],
                                           check=True, capture_output=True, text=True).stdout) for kind in ("cube", "tree"))
        return cube / tree

    found = {racks: ratio(racks, "near-neighbor", 80) for racks in (4, 8, 16)}
    check("by packets: near neighbour about 20 % faster on the cube, with three stages",
          all(0.7 < of < 0.88 for of in found.values()), found)
    found = {racks: ratio(racks, "n-bodies", 20) for racks in (2, 3, 4)}
    check("by packets: n-bodies nearly twice as slow, at every size",
          all(1.6 < of < 1.9 for of in found.values()) and max(found.values()) < 1.1 * min(found.values()), found)
    found = {racks: ratio(racks, "n-bodies", 20, 64) for racks in (2, 4)}
    check("by packets: longer queues do not help", all(1.8 < of < 2.1 for of in found.values()), found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default=None)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    closed_forms()
    with_faults()
    by_tables()
    by_brute_force(options.seed or "1", options.rounds)
    random_by_brute_force()
    document()
    by_packets()
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
