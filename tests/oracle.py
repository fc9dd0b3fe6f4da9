# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Plan + findings = observed: whether a report accounts for a fabric, cable by cable.

The plan is a multigraph of switches, whatever its topology; so is the observed fabric. The report says which observed
switch stands for which planned one (planned_as of its table). Its findings are changes of the plan:

  core-missing, edge-isolated, switch-mute   without that switch and its cables
  board-missing                              without the cables it took with it
  returning                                  without those cables of the switch that are not up yet
  cable-missing                              without that many cables of the pair; without the traces of one chip that
                                             its symptoms name
  cable-unplanned, loopback                  with the named cable
  switch-unplanned                           with the named switch and all of its cables
  cable-misplaced, cable-wrong-port,         with the named cables, and without as many others: those that the
  cables-swapped                             finding expects where its words tell (a misplaced cable has one end in
                                             its old place, k swapped cables have together the same ends as before)
  hosts-missing, hosts-unplanned, …          with other numbers of hosts

The report is sound if the changed plan is exactly what was observed. Origins of moved cables that the words do not tell
are looked for by backtracking: the cables that are left over must be shared out among the moved ones, none remaining.

Where the plan says ports, and it is told which node is which, the same is asked port by port.

This shares nothing with the programs under test. Cost: O(cables), but for the backtracking.
"""
import collections
import itertools
import re

GONE = {"core-missing", "edge-isolated", "switch-mute", "switch-missing"}
NAMED = {"cable-misplaced", "cables-swapped", "cable-unplanned", "cable-wrong-port", "loopback"}
MOVED = {"cable-misplaced", "cables-swapped", "cable-wrong-port"}
GUID = re.compile(r"0x[0-9a-f]{16}")
TRIES = 20000  # of the backtracking


class Finding:
    """One finding, of the truth or of a report: what is compared."""

    def __init__(self, code, places, count=1, alternatives=()):
        self.code = code
        self.places = list(places)  # (guid, port or None)
        self.count = count
        self.alternatives = list(alternatives)
        self.json = {}

    @classmethod
    def read(cls, finding):
        result = cls(finding["code"], [place(p) for p in finding["where"]], finding["count"],
                     finding.get("alternatives", []))
        result.json = finding
        return result

    @property
    def key(self):
        return self.code, tuple(sorted({guid for guid, _ in self.places}))

    def __str__(self):
        where = ", ".join("%x%s" % (g, "" if p is None else "[%d]" % p) for g, p in self.places)
        return "%s x%d {%s}" % (self.code, self.count, where)


def place(json):
    return (int(json["guid"], 16) if json["guid"] else 0), json["port"]


class Plan:
    """The intended graph: switches by name, and cables between any two."""

    def __init__(self):
        self.kinds = {}  # name -> what it is called: "edge", "core", …
        self.hosts = {}  # name -> how many
        self.room = {}  # name -> ports for hosts, where the plan leaves open which switches have how many
        self.pairs = collections.Counter()  # frozenset of names -> cables
        self.cables = None  # port by port: {frozenset((name, port), (name, port))}, names of chips where it has some
        self.traces = None  # pairs of chips -> traces on a backplane

    def add(self, name, kind, hosts):
        self.kinds[name] = kind
        self.hosts[name] = hosts

    def link(self, a, b, count=1):
        self.pairs[frozenset((a, b))] += count

    @classmethod
    def read(cls, json):
        """Of the "plan" of "ftplan --format json"."""
        plan = cls()
        for switch in json["switches"]:
            plan.add(switch["name"], switch.get("tier") or switch["kind"], switch["hosts"])
            if switch.get("tier") == "edge":
                plan.room[switch["name"]] = json["edge"]["ports_to_nodes"]
        for bundle in json["bundles"]:
            plan.link(bundle["a"], bundle["b"], bundle["count"])
        return plan

    def learn_ports(self, fabric):
        """Of the fabric as it should be, whose names are those of the plan."""
        name = {n.guid: n.description.decode() for n in fabric.switches()}
        self.cables, self.traces = set(), collections.Counter()
        for a, p, b, q in fabric.edges():
            if a not in name or b not in name:
                continue
            if whole(name[a]) == whole(name[b]) and name[a] != name[b]:
                self.traces[frozenset((name[a], name[b]))] += 1
            else:
                self.cables.add(frozenset(((name[a], p), (name[b], q))))

    def neighbours(self, names):
        return {n for pair in self.pairs if pair & names for n in pair} - names

    def parts(self, names):
        """The connected parts of the plan with these switches only."""
        near = collections.defaultdict(set)
        for pair in self.pairs:
            if pair <= names:
                for n in pair:
                    near[n] |= pair
        left, result = set(names), []
        while left:
            part, todo = set(), [left.pop()]
            while todo:
                name = todo.pop()
                part.add(name)
                todo += near[name] & left
                left -= near[name]
            result.append(part)
        return result


def plain_name(description):
    """"core01 F05/2" of "MF0;core01:MSX6536/S05/2", as switch software writes it."""
    text = description.decode(errors="replace")
    match = re.fullmatch(r"MF0;(.+?):[^/]*/(?:U1|([LS])(\d+)(?:/(?:U1|(\d+)))?)", text)
    if not match:
        return text
    slot = "" if match[2] is None else " %s%s" % (match[2].replace("S", "F"), match[3])
    return match[1] + slot + ("/" + match[4] if match[4] else "")


def whole(name):
    """The director that a chip of this name belongs to."""
    return name.partition(" ")[0]


class Inconsistent(Exception):
    """What the report does not account for."""


class Oracle:
    def __init__(self, plan, fabric, report, hosts=True, intruders=False):
        self.plan = plan
        self.hosts = hosts
        self.intruders = intruders
        self.fabric = fabric
        self.report = report
        self.findings = [Finding.read(f) for f in report["findings"]]
        self.codes = collections.Counter(f.code for f in self.findings)

    def inconsistency(self):
        """The first thing that plan and findings do not account for; None if there is none."""
        if "findings-omitted" in self.codes:
            return None
        try:
            self.bind()
            self.check_gone()
            self.check_strays()
            self.check_cables()
            self.check_hosts()
            self.check_rates()
            self.check_ports()
            self.check_traces()
        except Inconsistent as reason:
            return str(reason)
        return None

    # Who is who

    def bind(self):
        """Vertices: a planned switch by its name, a switch that the plan does not know by (its guid)."""
        chips = collections.defaultdict(list)
        for node in self.fabric.switches():
            chips[node.system or node.guid].append(node.guid)
        system = {g: s for s, group in chips.items() for g in group}
        self.vertex, self.row = {}, {}
        for row in self.report["switches"]:
            guid = int(row["guid"], 16) if row["guid"] else 0
            home = guid if guid in chips else system.get(guid)
            name = row["planned_as"]
            if name is not None and name not in self.plan.kinds:
                raise Inconsistent("planned_as %r is not in the plan" % name)
            if home is None:
                continue
            members = chips[home] if len(chips[home]) > 1 and guid in (home, chips[home][0]) else [guid]
            members = [m for m in members if m in self.fabric.nodes]
            for member in members or chips[home]:
                if member in self.vertex:
                    raise Inconsistent("%#x comes twice in the table of switches" % member)
                self.vertex[member] = name if name is not None else (home,)
            self.row[name if name is not None else (home,)] = row
        names = [v for v in {(v, system[g]) for g, v in self.vertex.items()} if isinstance(v[0], str)]
        twice = [n for n, c in collections.Counter(n for n, _ in names).items() if c > 1]
        if twice:
            raise Inconsistent("two observed switches are planned as %s" % twice[0])
        for node in self.fabric.switches():
            if node.guid not in self.vertex:
                raise Inconsistent("%#x is not in the table of switches" % node.guid)
        self.system = {s: self.vertex[group[0]] for s, group in chips.items()}
        self.assigned = {v for v in self.vertex.values() if isinstance(v, str)}
        self.gone = set(self.plan.kinds) - self.assigned
        self.strays = {v for v in self.vertex.values() if not isinstance(v, str)}
        self.by_label = collections.defaultdict(set)
        for node in self.fabric.switches():
            self.by_label[node.description.decode(errors="replace").strip()].add(self.vertex[node.guid])
            self.by_label[whole(node.description.decode(errors="replace"))].add(self.vertex[node.guid])
        for name in self.gone:
            self.by_label[name].add(name)

    def vertex_at(self, guid):
        return self.vertex.get(guid) or self.system.get(guid)

    def vertices(self, finding):
        return [v for v in (self.vertex_at(g) for g, _ in finding.places) if v]

    def label_vertex(self, text):
        """Whom "edge009 port 2", "MT Switch 0x0002c9… (hosts node1-node2) port 3" mean; None: not clear."""
        text = re.sub(r" \([^()]*\)", "", text)
        guid = GUID.search(text)
        if guid:
            return self.vertex_at(int(guid.group(), 16))
        text = re.sub(r" ports? [0-9, -]+$", "", text).strip()
        found = self.by_label.get(text, set())
        return next(iter(found)) if len(found) == 1 else None

    # Switches

    def check_gone(self):
        """Each planned switch that was not seen has a cause, and each cause a switch."""
        causes = [f for f in self.findings if f.code in GONE]
        unreached = {r["planned_as"] for r in self.report["switches"] if r["status"] == "unreached"}
        seen = [f for f in causes if f.code == "edge-isolated" and self.is_seen_isolated(f)]
        causes = [f for f in causes if f not in seen and "returning" not in f.json]
        if "plan-foreign" in self.codes:
            raise Inconsistent("the report calls it another fabric")
        left = set(self.gone)
        if seen or "sweep-incomplete" in self.codes:
            left -= unreached
        covers = {i: self.covered(f, left) for i, f in enumerate(causes)}
        for i, finding in enumerate(causes):
            if not covers[i] and finding.code != "switch-mute":
                raise Inconsistent("no planned switch that was not seen fits %s" % finding)
        parts = self.plan.parts(left)
        fits = [[i for i, names in covers.items() if names & part] for part in parts]
        alone = unmatched(fits)
        if alone:
            raise Inconsistent("no finding says that %s is not there" % sorted(parts[alone[0]])[0])
        if len([i for i in covers if covers[i]]) > len(left):
            raise Inconsistent("%d findings for %d switches that were not seen" % (len(causes), len(left)))

    def is_seen_isolated(self, finding):
        return any(self.row[v]["status"] == "isolated" for v in self.vertices(finding) if v in self.row)

    def covered(self, finding, gone):
        """The switches that were not seen that a finding may be about."""
        named = {n for n in gone if finding.json["id"].split("#")[0] == "%s:%s" % (finding.code, n)}
        if named:
            return {n for part in self.plan.parts(gone) if part & named for n in part}
        near = set(self.vertices(finding))
        result = set()
        for part in self.plan.parts(gone):
            around = self.plan.neighbours(part)
            if near <= around | part and (near or not around & self.assigned):
                result |= part
        return result

    def check_strays(self):
        named = {v for f in self.findings if f.code == "switch-unplanned" for v in self.vertices(f)}
        wrong = named - self.strays
        if wrong:
            raise Inconsistent("%s is planned and called unplanned" % sorted(map(str, wrong))[0])
        near = collections.defaultdict(set)
        for a, _, b, _ in self.fabric.edges():
            if a in self.vertex and b in self.vertex and {self.vertex[a], self.vertex[b]} <= self.strays:
                near[self.vertex[a]].add(self.vertex[b])
                near[self.vertex[b]].add(self.vertex[a])
        todo, told = list(named), set(named)
        while todo:
            for v in near[todo.pop()] - told:
                told.add(v)
                todo.append(v)
        if self.strays - told:
            raise Inconsistent("nothing is said of %#x, which stands for no planned switch" % min(self.strays - told))

    # Cables

    def check_cables(self):
        self.delta = self.difference()
        moved = []
        for finding in self.findings:
            if finding.code in NAMED:
                pairs = self.named_pairs(finding)
                self.delta.update(pairs)
                if finding.code in MOVED:
                    moved.append((finding, pairs))
        for finding in self.findings:
            if finding.code == "cable-missing":
                self.take_missing(finding)
            elif finding.code == "board-missing":
                self.take_board(finding)
        for pair in self.delta:
            if any(v in self.strays for v in pair):
                self.delta[pair] = max(self.delta[pair], 0)
        returning = [f for f in self.findings if "returning" in f.json]
        left = [p for p, n in sorted(self.delta.items(), key=str) for _ in range(max(n, 0))]
        for pair, n in sorted(self.delta.items(), key=str):
            if n < 0:
                raise Inconsistent("%d of the cables between %s are neither planned nor in a finding, or are missing in "
                                   "one although they are there" % (-n, words(pair)))
        self.tries = [TRIES]
        single = [(f, p) for f, p in moved if f.code == "cable-misplaced"]
        reason = self.origins([m for m in moved if m not in single], single, left, returning)
        if reason:
            raise Inconsistent(reason)

    def difference(self):
        """Pair of vertices -> planned cables that were not observed; negative: more were than are planned."""
        delta = collections.Counter({p: n for p, n in self.plan.pairs.items() if not p & self.gone})
        for a, _, b, _ in self.fabric.edges():
            if a in self.vertex and b in self.vertex and (a == b or not self.is_inner(a, b)):
                delta[frozenset((self.vertex[a], self.vertex[b]))] -= 1
        if self.blind():
            for pair in list(delta):
                if delta[pair] > 0:
                    delta[pair] = 0
        return delta

    def blind(self):
        """The sweep began on a switch that is cut off: what is beyond it was not seen."""
        return any(f.code == "edge-isolated" and self.is_seen_isolated(f) for f in self.findings)

    def is_inner(self, a, b):
        """A trace on a director's backplane."""
        return self.vertex[a] == self.vertex[b]

    def take_missing(self, finding):
        at = set(self.vertices(finding))
        if len(at) == 1 and len({g for g, _ in finding.places}) > 1:
            return  # a trace
        pair = frozenset(at)
        if len(pair) != 2:
            raise Inconsistent("%s is not of two switches" % finding)
        if self.delta[pair] < finding.count:
            raise Inconsistent("%d cables are called missing between %s, where %d are" % (
                finding.count, words(pair), max(0, self.delta[pair])))
        self.delta[pair] -= finding.count

    def take_board(self, finding):
        """What its symptoms say: "edge009 lacks 3 cables"."""
        lost = collections.Counter()
        for symptom in finding.json["symptoms"]:
            number = re.search(r"lacks (\d+) cable", symptom["text"])
            if number and symptom.get("where"):
                lost[self.vertex_at(place(symptom["where"])[0])] += int(number.group(1))
        director = set(self.vertices(finding)) - set(lost)
        if lost and len(director) != 1:
            raise Inconsistent("%s: which director it is of is not clear" % finding)
        for other, count in lost.items():
            pair = frozenset((other, *director))
            if self.delta[pair] < count:
                raise Inconsistent("%s takes %d cables between %s with it, where %d are missing" % (
                    finding, count, words(pair), max(0, self.delta[pair])))
            self.delta[pair] -= count

    def cables_of(self, finding):
        """The observed cables whose ends are its places; None where they are no cables. Cables that belong in ports which
        are free may be named together with these."""
        ends, cables, over = set(finding.places), [], []
        if len(ends) != len(finding.places):
            return None
        while ends:
            guid, port = ends.pop()
            far = self.fabric.nodes[guid].links.get(port) if guid in self.fabric.nodes else None
            if far in ends:
                ends.remove(far)
                cables.append(frozenset(((guid, port), far)))
            else:
                over.append((guid, port))
        free = {"cable-misplaced": 1, "cable-wrong-port": finding.count}
        if len(over) > free.get(finding.code, 0):
            return None
        return cables

    def named_pairs(self, finding):
        cables = self.cables_of(finding)
        if cables is None or len(cables) != finding.count:
            raise Inconsistent("%s does not name cables as they are" % finding)
        between = [cable for cable in cables if all(g in self.vertex for g, _ in cable)]
        if len(between) < len(cables) and finding.code != "cables-swapped":
            raise Inconsistent("%s names a cable of a host" % finding)
        return [frozenset(self.vertex[g] for g, _ in cable) for cable in between]

    def claims(self, finding, count):
        """The pairs it expects the cables to be of, as far as its words are clear: "edge001 port 2 - core03, …"."""
        text = re.sub(r" \([^()]*\)", "", finding.json["expected"])
        parts = re.findall(r"(?:^|, )(.+?) - (.+?)(?=$|, [^,]+? - )", text)
        pairs = []
        for a, b in parts:
            ends = self.label_vertex(a), self.label_vertex(b)
            pairs.append(frozenset(ends) if None not in ends else None)
        return pairs if len(pairs) == count else [None] * count

    def origins(self, moved, single, left, returning):
        """Can @left be shared out as the origins of @moved and @single, with none over but those of a switch that is
        coming back? Returns what is wrong, or None."""
        if not moved:
            return self.settled(single, left, returning)
        finding, pairs = moved[0]
        reason = "no planned cable that lacks is where %s comes from" % finding
        for choice in self.choices(finding, pairs, left):
            self.tries[0] -= 1
            rest = list(left)
            for pair in choice:
                rest.remove(pair)
            reason = self.origins(moved[1:], single, rest, returning)
            if reason is None:
                return None
        return reason if self.tries[0] > 0 else None

    def choices(self, finding, pairs, left):
        if finding.code == "cable-wrong-port":
            return [pairs] if pairs[0] in left else []
        if len(pairs) < finding.count:
            # With a host's cable, whose place no pair of switches says.
            near = set(self.vertices(finding))
            return [list(c) for c in set(itertools.combinations([p for p in left if p <= near], len(pairs)))]
        claimed = self.claims(finding, len(pairs))
        if all(claimed):
            need = collections.Counter(v for p in pairs for v in ends_of(p))
            same = collections.Counter(v for p in claimed for v in ends_of(p)) == need
            there = not collections.Counter(claimed) - collections.Counter(left)
            return [claimed] if same and there else []
        return same_ends(pairs, left, self.tries)

    def settled(self, single, left, returning):
        """Each misplaced cable takes one of @left, and none is left over. Both hold at once where each holds alone: a
        theorem of Mendelsohn and Dulmage on matchings."""
        for finding in returning:
            mine = self.of_returning(finding, left)
            of = finding.json["returning"]
            if len(mine) != of["of"] - of["up"]:
                return "%d of %d cables are said to be up, and %d lack: %s" % (of["up"], of["of"], len(mine), finding)
            left = [p for p in left if p not in mine]
        origins = [self.origins_of(finding, pairs[0]) for finding, pairs in single]
        stray = unmatched([[i for i, pair in enumerate(left) if fits(pair)] for fits in origins if fits])
        if stray:
            return "no planned cable that lacks is where %s comes from" % [
                single[i][0] for i, fits in enumerate(origins) if fits][stray[0]]
        takers = [fits for fits in origins if fits] + [lambda pair, v=v: v in pair for v in self.intruding_ends()]
        over = unmatched([[i for i, fits in enumerate(takers) if fits(pair)] for pair in left])
        if len(over) > self.unjudged():
            return "nothing is said of a cable that lacks between %s" % words(left[over[0]])
        return None

    def origins_of(self, finding, pair):
        """A test of where a misplaced cable may come from; None: from a switch that is not there, with its cables."""
        claimed = self.claims(finding, 1)[0]
        if claimed and claimed & self.gone and claimed in self.plan.pairs and claimed & pair:
            return None
        if claimed:
            return lambda other: other == claimed and other & pair
        return lambda other: other & pair and other != pair

    def of_returning(self, finding, left):
        at = {v for v in self.assigned if finding.json["id"].split("#")[0].endswith(":" + v)}
        subject = finding.json.get("subject")
        at |= {self.vertex_at(place(subject)[0])} if subject else set()
        return [p for p in left if p & at]

    def unjudged(self):
        """Cables of which the report says that it could not judge them."""
        text = " ".join(f.json["text"] for f in self.findings if f.code == "sweep-incomplete")
        return sum(map(int, re.findall(r"(\d+) planned cables? not judged", text)))

    def intruding_ends(self):
        """Ends of what may be in the port of a planned cable, which is therefore not there: a loopback, a stranger's
        cable, a host on a core, a surplus cable."""
        ends = []
        for finding in self.findings if self.intruders else ():
            if finding.code in ("loopback", "host-on-core", "cable-unplanned", "cable-misplaced", "edge-overloaded"):
                ends += [self.vertex[g] for g, _ in finding.places if g in self.vertex]
            if finding.code == "switch-unplanned":
                for guid in [g for g, v in self.vertex.items() if v in self.vertices(finding)]:
                    ends += [self.vertex[far] for far, _ in self.fabric.nodes[guid].links.values() if far in self.vertex]
        return ends

    # Hosts

    def check_hosts(self):
        if self.blind() or not self.hosts:
            return
        found = collections.Counter()
        for host in self.fabric.hosts():
            for far, _ in host.links.values():
                found[self.vertex.get(far)] += 1
        told = collections.defaultdict(set)
        moved, elsewhere = 0, collections.Counter()
        for finding in self.findings:
            if finding.code in ("hosts-missing", "hosts-unplanned", "edge-overloaded"):
                told[finding.code] |= set(self.vertices(finding))
            if finding.code in ("host-on-core", "host-misplaced", "hosts-swapped"):
                for guid, port in finding.places:
                    far = self.fabric.nodes[guid].links.get(port) if guid in self.fabric.nodes else None
                    if guid in self.vertex and far and far[0] not in self.vertex:
                        elsewhere[self.vertex[guid]] += 1
                        moved += 1
        over = {v: found[v] - elsewhere[v] - self.plan.hosts[v] for v in self.assigned}
        most = {v: found[v] - self.plan.hosts[v] for v in self.assigned}
        for code in ("hosts-unplanned", "edge-overloaded"):
            for v in told[code]:
                if most.get(v, 1) <= 0:
                    raise Inconsistent("%s says that %s has too many hosts, which has not" % (code, v))
        for v in told["hosts-missing"]:
            if over.get(v, 0) >= 0:
                raise Inconsistent("hosts are called missing on %s, where none are" % v)
        # Which of several alike it is that was not seen is not to be known, so that one with fewer hosts may be.
        most_of = collections.Counter()
        for name in self.plan.kinds if any(self.plan.hosts[v] for v in self.gone) else ():
            most_of[self.plan.kinds[name]] = max(most_of[self.plan.kinds[name]], self.plan.hosts[name])
        # In a tree an edge switch may have any that its ports are enough for: these are of another one's share.
        most_in = {v: max(most_of[self.plan.kinds[v]], self.plan.room.get(v, 0)) for v in self.assigned}
        silent = [v for v in sorted(self.assigned) if over[v] > 0 and found[v] > most_in[v]
                  and v not in told["hosts-unplanned"] | told["edge-overloaded"]]
        if silent:
            raise Inconsistent("nothing is said of %d hosts too many on %s" % (over[silent[0]], silent[0]))
        # Those of a switch that was not seen, or that are elsewhere, may be any that lack.
        lost = {v: -over[v] for v in self.assigned if over[v] < 0 and v not in told["hosts-missing"]}
        away = moved + sum(self.plan.hosts[v] for v in self.gone)
        away += sum(n for v, n in over.items() if n > 0 and v in self.plan.room)
        if sum(lost.values()) > away and "board-missing" not in self.codes:
            raise Inconsistent("nothing is said of %d hosts that lack on %s" % (sum(lost.values()), min(lost)))

    # Rates

    def check_rates(self):
        for finding in self.findings:
            if finding.code in ("cable-slow", "cable-narrow"):
                cables = self.cables_of(finding)
                if not cables:
                    raise Inconsistent("%s does not name a cable as it is" % finding)
                rates = {self.fabric.nodes[g].rates[p] for cable in cables for g, p in cable}
                if not any(rate and rate in finding.json["observed"] for rate in rates):
                    raise Inconsistent("%s says %s, where it is %s" % (finding, finding.json["observed"], rates))

    # Port by port

    def node_names(self):
        """What each observed node is in the plan, chip by chip; None where that is not to be known."""
        names = {n.guid: plain_name(n.description) for n in self.fabric.switches()}
        shared = collections.Counter(names.values())
        chips = {whole(n) for pair in self.plan.traces for n in pair}
        result = {}
        for node in self.fabric.switches():
            vertex = self.vertex[node.guid]
            if vertex not in chips:
                result[node.guid] = vertex
            elif shared[names[node.guid]] > 1 or whole(names[node.guid]) != vertex:
                return None
            else:
                result[node.guid] = names[node.guid]
        return result

    def check_ports(self):
        """The same port by port: every cable that is not as planned, and every port that lacks its cable, is in a
        finding that names it."""
        if self.plan.cables is None or self.blind():
            return
        names = self.node_names()
        if names is None:
            return
        there = set(names.values())
        missing = {c for c in self.plan.cables if {n for n, _ in c} <= there}
        surplus = set()
        for a, p, b, q in self.fabric.edges():
            if a in names and b in names and (a == b or whole(str(names[a])) != whole(str(names[b]))):
                cable = frozenset(((names[a], p), (names[b], q)))
                if cable in missing:
                    missing.discard(cable)
                elif not {names[a], names[b]} & self.strays:
                    surplus.add(cable)
        moved = []
        for finding in self.findings:
            at = {(names.get(g), p) for g, p in finding.places}
            if finding.code == "cable-missing" and len(set(self.vertices(finding))) == 2:
                mine = {c for c in missing if c <= at}
                if len(mine) != finding.count:
                    raise Inconsistent("%s does not name the ports that lack a cable" % finding)
                missing -= mine
            elif finding.code in NAMED:
                mine = {c for c in surplus if c <= at}
                if len(mine) != finding.count:
                    raise Inconsistent("%s does not name cables that are out of place" % finding)
                surplus -= mine
                if finding.code in MOVED:
                    moved.append((finding, at))
        for finding, at in moved:
            ends = [c for c in missing if c & at] if finding.count == 1 else [c for c in missing if c <= at]
            if finding.count == 1 and len(ends) > 1:
                ends = [c for c in ends if c <= at or self.says(finding, c)][:1] or ends[:1]
            if len(ends) != finding.count:
                raise Inconsistent("%s: %d planned cables lack at its ports" % (finding, len(ends)))
            missing -= set(ends)
        if surplus:
            raise Inconsistent("nothing is said of the cable %s" % sorted(map(cable_words, surplus))[0])
        if missing:
            raise Inconsistent("nothing is said of the cable that lacks: %s" % sorted(map(cable_words, missing))[0])

    @staticmethod
    def says(finding, cable):
        return all("%s port %s" % end in finding.json["expected"] for end in cable)

    def check_traces(self):
        """Traces on backplanes, pair by pair of chips; a chip that is not there is on a board that is not."""
        if self.plan.traces is None:
            return
        names = self.node_names()
        if names is None:
            return
        there = set(names.values())
        delta = collections.Counter({p: n for p, n in self.plan.traces.items() if p <= there})
        for a, _, b, _ in self.fabric.edges():
            if a in names and b in names and a != b and self.is_inner(a, b) and isinstance(self.vertex[a], str):
                delta[frozenset((names[a], names[b]))] -= 1
        for finding in self.findings:
            if finding.code != "cable-missing" or len(set(self.vertices(finding))) != 1:
                continue
            for pair, count in self.dead_traces(finding, names):
                delta[pair] -= count
        for pair, n in sorted(delta.items(), key=str):
            if n:
                raise Inconsistent("%d traces between %s are not accounted for" % (n, words(pair)))
        boards = {(whole(n), n.partition(" ")[2].split("/")[0]) for p in self.plan.traces for n in p - there
                  if whole(n) in self.assigned}
        count = self.codes["board-missing"]
        if len(boards) != count:
            raise Inconsistent("%d boards lack chips, and %d are called missing" % (len(boards), count))


    @staticmethod
    def dead_traces(finding, names):
        """(pair of chips, traces) of a finding: of two chips; or of its first place and each that a symptom names, and
        which it names itself: "core01 L05 lacks 2 traces to it"."""
        at = [names.get(g) for g, _ in finding.places]
        if len(set(at)) == 2:
            return [(frozenset(at), finding.count)]
        result = []
        for symptom in finding.json["symptoms"]:
            number = re.search(r"lacks (\d+) trace", symptom["text"])
            far = names.get(int(symptom["where"]["guid"], 16)) if number else None
            if number and far in at[1:]:
                result.append((frozenset((at[0], far)), int(number.group(1))))
        if sum(n for _, n in result) != finding.count:
            raise Inconsistent("%s: its symptoms account for other traces" % finding)
        return result


def unmatched(fits):
    """Each row of @fits lists what it may be matched with, one to one: the rows that a maximum matching leaves over.
    Augmenting paths."""
    owner = {}

    def augment(row, tried):
        for i in fits[row]:
            if i not in tried:
                tried.add(i)
                if i not in owner or augment(owner[i], tried):
                    owner[i] = row
                    return True
        return False

    return [row for row in range(len(fits)) if not augment(row, set())]


def words(pair):
    return " and ".join(sorted(v if isinstance(v, str) else "%#x" % v for v in pair))


def cable_words(cable):
    return " - ".join(sorted("%s[%s]" % end for end in cable))


def ends_of(pair):
    """Both ends of a pair of vertices: of a loop, twice the same."""
    return tuple(pair) * (3 - len(pair))


def same_ends(cables, left, tries):
    """All ways to choose len(cables) pairs of @left that together have the ends of @cables: the first end that is not
    served yet takes each pair in turn that has it, so that dead ends show at once. Gives up after @tries[0] steps, which
    it counts down."""
    need = collections.Counter(v for pair in cables for v in ends_of(pair))
    left = {p: n for p, n in collections.Counter(left).items() if set(p) <= set(need)}

    def choose(chosen):
        tries[0] -= 1
        end = next((v for v in need if need[v]), None)
        if end is None:
            yield list(chosen)
            return
        for pair in [p for p in left if end in p and left[p] and not collections.Counter(ends_of(p)) - need]:
            if tries[0] <= 0:
                return
            left[pair] -= 1
            need.subtract(ends_of(pair))
            yield from choose(chosen + [pair])
            left[pair] += 1
            need.update(ends_of(pair))

    return choose([])


def inconsistency(plan, fabric, report, hosts=True, intruders=False):
    """The first thing that @plan and the findings of @report do not account for in @fabric; None if there is none.
    Without @hosts, hosts are not looked at: the plan does not say how many are where. With @intruders, what is plugged
    into the port of a planned cable accounts for that cable."""
    return Oracle(plan, fabric, report, hosts, intruders).inconsistency()
