# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
The symmetry of a network: permutations of its switches that change nothing, found by search. With them a linear program of all
pairs has the flows of a few sources alone, because the mean of what all permutations make of a flow is a flow as good.
"""
import collections


class Network:
    """@weights by switch, and @links {(a, b): cables}. Permutations keep both."""

    def __init__(self, weights, links):
        self.weights = weights
        self.count = len(weights)
        self.arcs = {**links, **{(b, a): n for (a, b), n in links.items()}}
        self.near = [[] for _ in weights]
        for (a, b), n in self.arcs.items():
            self.near[a].append((b, n))

    def refine(self, *colours):
        """The colour of each switch in several colourings at once, by its own and by those of its neighbours, until nothing new is
        seen; None where the colourings differ."""
        while True:
            names = {}
            new = [[names.setdefault((own[v], tuple(sorted((own[u], n) for u, n in self.near[v]))), len(names))
                    for v in range(self.count)] for own in colours]
            if any(collections.Counter(own) != collections.Counter(new[0]) for own in new[1:]):
                return None
            if len(set(new[0])) == len(set(colours[0])):
                return new
            colours = new

    def permutation(self, fixed):
        """One that leads from each a to b of the pairs @fixed; None where there is none."""
        ours, theirs = ([(w, -1) for w in self.weights] for _ in range(2))
        for i, (a, b) in enumerate(fixed):
            ours[a], theirs[b] = (self.weights[a], i), (self.weights[b], i)
        return self._search(ours, theirs)

    def _search(self, ours, theirs):
        if collections.Counter(ours) != collections.Counter(theirs):
            return None
        refined = self.refine(ours, theirs)
        if not refined:
            return None
        ours, theirs = refined
        cells = collections.Counter(ours)
        cell = min((c for c in cells if cells[c] > 1), key=lambda c: (cells[c], c), default=None)
        if cell is None:
            to = {colour: v for v, colour in enumerate(theirs)}
            mapped = [to[colour] for colour in ours]
            return mapped if all(self.arcs.get((mapped[a], mapped[b])) == n for (a, b), n in self.arcs.items()) else None
        a = ours.index(cell)
        for b in (v for v, colour in enumerate(theirs) if colour == cell):
            found = self._search([-1 if v == a else c for v, c in enumerate(ours)],
                                 [-1 if v == b else c for v, c in enumerate(theirs)])
            if found:
                return found
        return None

    def orbits(self):
        """Which switches, and which arcs, permutations lead to each other: of each the first of its orbit. Those that are found
        first lead from the first switch of an orbit to others, then from its first neighbour to others while it stays."""
        switches, arcs = Joined(range(self.count)), Joined(self.arcs)
        for v in range(self.count):
            if switches.find(v) != v:
                continue
            for to in range(v + 1, self.count):
                if switches.find(to) == to:
                    self._join([(v, to)], switches, arcs)
            for i, (u, _) in enumerate(self.near[v]):
                if arcs.find((v, u)) != (v, u):
                    continue
                for to, _ in self.near[v][i + 1:]:
                    if arcs.find((v, to)) != arcs.find((v, u)):
                        self._join([(v, v), (u, to)], switches, arcs)
        return [switches.find(v) for v in range(self.count)], {arc: arcs.find(arc) for arc in self.arcs}

    def _join(self, fixed, switches, arcs):
        found = self.permutation(fixed)
        for v, to in enumerate(found or ()):
            switches.join(v, to)
        for a, b in self.arcs if found else ():
            arcs.join((a, b), (found[a], found[b]))


class Joined:
    """Sets that become joined; each goes by its first member."""

    def __init__(self, members):
        self.to = {member: member for member in members}

    def find(self, member):
        while self.to[member] != member:
            self.to[member] = self.to[self.to[member]]
            member = self.to[member]
        return member

    def join(self, a, b):
        a, b = sorted((self.find(a), self.find(b)))
        self.to[b] = a
