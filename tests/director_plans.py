#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
Random designs with directors, of one, two and three levels: the network file of each, as ibsim takes it, is what ftcheck
expects of the live fabric; and a design inferred from it says the same of the directors, and is content with it too.

  director_plans.py [--seed N] [--rounds N] [--replay SEED:ROUND] [--keep DIR]
"""
import argparse
import functools
import json
import operator
import os
import random
import subprocess
import sys
import tempfile

BUILD = os.environ["FT_BUILDDIR"]
TRACES_MAX = 4


def inside(rng):
    """What a director is made of; with an empty slot now and then."""
    chips = rng.choice([1, 1, 1, 2])
    boards = rng.randint(2, 6)
    per_chip = rng.choice([2, 3, 4, 6, 8])
    fabric_chips = rng.choice([1, 1, 2])
    traces = rng.randint(1, TRACES_MAX)
    fabric = max(2, per_chip // (traces * fabric_chips))
    made = {"line_boards": boards, "line_ports": per_chip * chips, "line_chips": chips, "fabric_boards": fabric,
            "fabric_chips": fabric_chips, "traces": traces}
    if rng.random() < 0.3:
        made["line_boards_max"] = boards + rng.randint(1, 2)
    if rng.random() < 0.2:
        made["fabric_boards_max"] = fabric + 1
    return made


def role(rng, director):
    if not director:
        return {"ports": rng.choice([8, 12, 16, 24, 36])}
    made = {"inside": inside(rng)}
    if rng.random() < 0.3:
        made["inside"] = {key: made["inside"][key] for key in ("line_boards", "line_ports")}
    return made


def ports(made):
    return made.get("ports") or made["inside"]["line_boards"] * made["inside"]["line_ports"]


def design(rng):
    """A design that may contradict itself: ftplan is asked."""
    levels = rng.choice([1, 2, 2, 2, 3])
    directors = [rng.random() < 0.5 for _ in range(3)]
    if levels == 1:
        edge = role(rng, True)
        return {"ftcheck": 1, "name": "t", "topology": "star", "nodes": rng.randint(2, ports(edge)), "edge": edge}
    if not any(directors):
        directors[2] = True
    edge, spine, core = (role(rng, is_director) for is_director in directors)
    nodes = rng.randint(2, 5) * max(1, ports(edge) // 2)
    made = {"ftcheck": 1, "name": "t", "topology": "fat-tree", "nodes": nodes, "edge": edge, "core": core}
    if levels == 3:
        made.update({"levels": 3, "spine": spine})
    for tier in ("edge", "spine", "core"):
        # Behind the name there is the slot; the second way, every chip of a director has one name.
        if "inside" in made.get(tier, {}) and rng.random() < 0.3:
            made[tier]["chassis"] = rng.choice(["^(%s[0-9]+) ", "^(%s[0-9]+) maker's$"]) % tier
    return made


def product(numbers):
    return functools.reduce(operator.mul, numbers)


class Round:
    def __init__(self, directory, number):
        self.path = {name: os.path.join(directory, "%u.%s" % (number, name)) for name in ("json", "net", "inferred")}

    def run(self, program, *arguments):
        return subprocess.run([os.path.join(BUILD, program), *arguments], capture_output=True, text=True, check=False,
                              timeout=60)

    def checked(self, plan):
        done = self.run("ftcheck", "--plan", plan, "--from", self.path["net"], "--format", "json")
        if done.returncode == 3:
            return None, done.stderr
        report = json.loads(done.stdout)
        return report, "; ".join(finding["text"] for finding in report["findings"])

    def judge(self, made):
        """Why it is wrong, None if it is not, False where there is no such plan."""
        with open(self.path["json"], "w", encoding="utf-8") as file:
            json.dump(made, file, indent=1)
        done = self.run("ftplan", "--format", "ibsim", "-o", self.path["net"], self.path["json"])
        if done.returncode != 0:
            return False
        report, text = self.checked(self.path["json"])
        if not report or report["findings"] or report["verdict"] != "ok":
            return "not as planned: " + text
        return self.judge_inferred(made)

    def judge_inferred(self, made):
        done = self.run("ftplan", "--infer", self.path["net"], "-o", self.path["inferred"])
        if done.returncode != 0:
            return "nothing inferred: " + done.stderr
        report, text = self.checked(self.path["inferred"])
        if not report or report["findings"]:
            return "not as inferred: " + text
        with open(self.path["inferred"], encoding="utf-8") as file:
            inferred = json.load(file)
        return self.compare(made, inferred)

    @staticmethod
    def compare(made, inferred):
        for tier in ("edge", "spine", "core"):
            given, found = made.get(tier, {}).get("inside"), inferred.get(tier, {}).get("inside")
            if tier not in inferred and tier != "edge":
                continue
            if (given is None) != (found is None):
                return "%s: inside is %s, inferred %s" % (tier, given, found)
            if given is None:
                continue
            # Which chips share a board only names tell.
            bare = "maker" in made[tier].get("chassis", "")
            for keys in (("line_boards", "line_chips"), ("fabric_boards", "fabric_chips"), ("traces",)):
                if not all(key in given for key in keys):
                    continue
                here, there = ([what.get(key, 0) for key in keys] for what in (given, found))
                if bare:
                    here, there = (product(numbers) for numbers in (here, there))
                if here != there:
                    return "%s: %s is %s, inferred %s" % (tier, " and ".join(keys), given, found)
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int(os.environ.get("FT_SEED", "1"), 0))
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("FT_RUNS", "60")))
    parser.add_argument("--replay")
    parser.add_argument("--keep")
    options = parser.parse_args()
    rounds, seed = range(options.rounds), options.seed
    if options.replay:
        seed, only = (int(part) for part in options.replay.split(":"))
        rounds = [only]
    with tempfile.TemporaryDirectory() as directory:
        directory = options.keep or directory
        planned = wrong = 0
        print("director plans: seed %d" % seed)
        for number in rounds:
            made = design(random.Random("%d:%d" % (seed, number)))
            why = Round(directory, number).judge(made)
            planned += why is not False
            if why:
                wrong += 1
                print("round %d:%d: %s\n  %s" % (seed, number, why[:400], json.dumps(made)))
        print("director plans: %d of %d rounds had a plan, %d wrong" % (planned, len(rounds), wrong))
        # A generator that makes no plans tests nothing.
        return 1 if wrong or planned * 3 < len(rounds) else 0


if __name__ == "__main__":
    sys.exit(main())
