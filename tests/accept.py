#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
ftcheck --accept: the candidate has what was found as its plan, so that the accepted findings are gone and no others have
come; what cannot be accepted is refused with its reason, and no file is overwritten.
"""
import json
import os
import subprocess
import sys

import results
from build_timeline import TORUS, TREE, Network
from results import FTCHECK, FTPLAN, result, write

SPARE = {**TREE, "nodes": 60}
DRAGONFLY = {"ftcheck": 1, "name": "dragonfly", "topology": "dragonfly", "groups": 9, "group": {"routers": 4, "global": 2},
             "edge": {"ports": 16, "ports_to_nodes": 2}, "rate": "4xHDR"}
UNIFORM = {**SPARE, "edge": {"ports": 12, "count": 12, "ports_to_nodes": 6}, "fill": "uniform"}


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


def between(links):
    return [link for link in links if all(end[0].startswith("S") for end in link)]


def hosts(links):
    return [link for link in links if link not in between(links)]


def named(network, name):
    return next(node for node in network.names if network.names[node] == name)


def free(node, ports, links):
    used = {end for link in links for end in link}
    return next(port for port in range(1, ports + 1) if (node, port) not in used)


def pull(_network, links, _slow):
    links.remove(between(links)[5])


def swap(network, links, _slow):
    """Two cables of one edge switch exchange their ends on two core switches."""
    edge = named(network, "edge001")
    own = [link for link in between(links) if edge in (link[0][0], link[1][0])]
    (a, b), (c, d) = own[0], next(link for link in own if link[1][0] != own[0][1][0])
    links.remove((a, b))
    links.remove((c, d))
    links += [(a, d), (c, b)]


def slow_cable(_network, links, slow):
    slow[between(links)[3][0]] = "4xSDR"


def slow_host(_network, links, slow):
    slow[hosts(links)[7][0]] = "4xSDR"


def no_host(_network, links, _slow):
    links.remove(hosts(links)[20])


def uneven(network, links, slow):
    """A host more than on average on one edge switch, one fewer on another, as uniform fill allows."""
    few, many = named(network, "edge001"), named(network, "edge002")
    link = next(link for link in hosts(links) if few in (link[0][0], link[1][0]))
    links.remove(link)
    links.append(tuple(sorted([next(end for end in link if end[0] != few), (many, free(many, 12, links))])))
    pull(network, links, slow)


def dead(name):
    def kill(network, links, _slow):
        node = named(network, name)
        links[:] = [link for link in links if node not in (link[0][0], link[1][0])]
    return kill


def extra(network, links, _slow):
    edge, core = named(network, "edge010"), named(network, "core01")
    links.remove(next(link for link in hosts(links) if edge in (link[0][0], link[1][0])))
    links.append(tuple(sorted([(edge, free(edge, 12, links)), (core, free(core, 36, links))])))


def moved(network, links, _slow):
    edge = named(network, "edge002")
    link = next(link for link in between(links) if edge in (link[0][0], link[1][0]))
    ends = sorted(link, key=lambda end: network.names[end[0]] != "edge002")
    other = named(network, "core02" if network.names[ends[1][0]] == "core01" else "core01")
    links.remove(link)
    links.append(tuple(sorted([ends[0], (other, free(other, 36, links))])))


CASES = (("a missing cable", pull, "cable-missing"), ("a slow cable", slow_cable, "cable-slow"),
         ("a slow host", slow_host, "cable-slow"), ("a host that is gone", no_host, "hosts-missing"))
TREE_CASES = (("a dead core switch", dead("core02"), "core-missing"), ("a dead edge switch", dead("edge004"),
                                                                        "edge-isolated"),
              ("an unplanned cable", extra, "cable-unplanned"), ("a misplaced cable", moved, "cable-misplaced"))
UNIFORM_CASES = (("a missing cable beside uneven hosts", uneven, "cable-missing"),)
EXACT_CASES = (("swapped cables", swap, "cables-swapped"),)


def check_case(what, design, change, code):
    path, candidate = write("plan.json", json.dumps(design)), write("candidate.json", b"")
    os.unlink(candidate)
    network = Network(path)
    links, slow = list(network.links), {}
    change(network, links, slow)
    dump = write("now.net", network.dump(links, slow))
    before = json.loads(run(FTCHECK, "--plan", path, "--from", dump, "--format", "json").stdout)
    done = run(FTCHECK, "--plan", path, "--from", dump, "--accept", "all", "--candidate", candidate, "--by", "\x1b[1mwho",
               "--why", "so built")
    if done.returncode != 0 or code not in [f["code"] for f in before["findings"]]:
        result(what, False, done.stderr, [f["text"] for f in before["findings"]])
        return
    after = json.loads(run(FTCHECK, "--plan", candidate, "--from", dump, "--format", "json").stdout)
    text = run(FTCHECK, "--plan", candidate, "--from", dump).stdout
    with open(candidate, encoding="utf-8") as file:
        accepted = json.load(file)["accepted"]
    with open(path, encoding="utf-8") as file:
        unchanged = json.load(file) == design
    whole = run(FTCHECK, "--plan", candidate, "--from", write("full.net", network.dump(network.links)), "--format", "json")
    good = (not after["findings"] and after["verdict"] == "ok" and unchanged and
            after["plan"]["accepted"]["count"] == len(before["findings"]) == len(accepted) and
            after["plan"]["hash"] != before["plan"]["hash"] and
            all(entry["why"] == "so built" and entry["by"] == "\\x1b[1mwho" for entry in accepted) and
            "hash " + after["plan"]["hash"][:12] in text and "\x1b" not in text)
    result(what, good, done.stderr, text, after["findings"], accepted)
    # The plan as it was meant is a deviation now, except that faster cables are as good.
    result(what + ": its repair is told", code == "cable-slow" or json.loads(whole.stdout)["findings"], whole.stdout)


def check_refused():
    path = write("plan.json", json.dumps(SPARE))
    network = Network(path)
    links = list(network.links)
    edge = named(network, "edge010")
    for _ in range(2):
        links.remove(next(link for link in hosts(links) if edge in (link[0][0], link[1][0])))
    one = (edge, free(edge, 12, links))
    links.append((one, (edge, free(edge, 12, links + [(one, one)]))))
    dump = write("loop.net", network.dump(links))
    findings = json.loads(run(FTCHECK, "--plan", path, "--from", dump, "--format", "json").stdout)["findings"]
    loop = next(f["id"] for f in findings if f["code"] == "loopback")
    candidate = path + ".new"
    for what, options, expected in (
            ("a fault at any plan", ["--accept", loop, "--candidate", candidate], "cannot be accepted: it is a fault at any"),
            ("no such finding", ["--accept", "x:y", "--candidate", candidate], 'there is no finding "x:y"'),
            ("a file that exists", ["--accept", "all", "--candidate", path], "exists already"),
            ("no file", ["--accept", "all"], "add --candidate FILE"),
            ("nobody accepts", ["--by", "me"], "--by is about accepted findings"),
            ("of a build", ["--accept", "all", "--candidate", candidate, "--build"], "--build does not go with it")):
        done = run(FTCHECK, "--plan", path, "--from", dump, *options)
        result("refused: " + what, done.returncode == 3 and expected in done.stderr and not os.path.exists(candidate)
               and not done.stdout, done.stderr)


def check_hash():
    """The order of keys, blanks, notes and the computed plan do not matter; what is meant does."""
    dump = write("full.net", Network(write("plan.json", json.dumps(SPARE))).dump(Network(
        write("plan.json", json.dumps(SPARE))).links))
    turned = dict(reversed(list(SPARE.items())))
    planned = run(FTPLAN, write("plan.json", json.dumps(SPARE)), "--format", "json").stdout

    def hash_of(text):
        return json.loads(run(FTCHECK, "--plan", write("hashed.json", text), "--from", dump, "--format",
                              "json").stdout)["plan"]["hash"]

    first = hash_of(json.dumps(SPARE))
    result("the hash is of what is meant", first == hash_of(json.dumps(turned, indent=3)) == hash_of(planned) ==
           hash_of(json.dumps({**SPARE, "why": {"x": "y"}})) and first != hash_of(json.dumps({**SPARE, "rate": "4xEDR"})))


def main():
    for name, design, cases in (("tree", SPARE, CASES + TREE_CASES),
                                ("tree by ports", {**SPARE, "cables": "plan"}, CASES + TREE_CASES + EXACT_CASES),
                                ("uniform tree", UNIFORM, UNIFORM_CASES),
                                # A lost cable makes some paths longer, which is as accepted as the cable.
                                ("dragonfly", DRAGONFLY, (("a cable within a group", pull, "cable-missing"),)),
                                ("torus", TORUS, CASES + (("a dead switch", dead("sw-1-1"), "edge-isolated"),))):
        for what, change, code in cases:
            check_case("%s: %s" % (name, what), design, change, code)
    check_refused()
    check_hash()
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
