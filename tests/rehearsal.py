#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Whatever ftplan plans, ftcheck finds in the network that ftplan writes of it: random designs of one to three levels.

FT_RUNS: how many; FT_SEED: from which seed.
"""
import json
import os
import random
import subprocess
import sys

BUILD = os.environ["FT_BUILDDIR"]
RUNS = int(os.environ.get("FT_RUNS", "150"))
SEED = int(os.environ.get("FT_SEED", "4"))
PORTS = (4, 6, 8, 12, 16, 18, 20, 24, 31, 32, 36, 40, 64)
failures = []
inferred = [0]


def design(dice):
    """A design by its ports; some of them cannot be planned."""
    levels = dice.choice((2, 2, 3))
    ports = dice.choice(PORTS)
    most = {2: ports * ports // 2, 3: ports ** 3 // 8}[levels]
    out = {"ftcheck": 1, "name": "r", "nodes": dice.randint(1, max(2, min(most, 900))),
           "edge": {"ports": ports}, "core": {"ports": dice.choice((ports, dice.choice(PORTS)))}}
    if levels == 3:
        out.update(levels=3, spine={"ports": dice.choice((ports, ports, dice.choice(PORTS)))})
    if dice.random() < .3:
        out["nodes_max"] = out["nodes"] + dice.randint(0, 200)
    if dice.random() < .4:
        out["blocking"] = dice.choice((1.5, 2, "3:1", 4, "7:3"))
    if dice.random() < .4:
        out["fill"] = dice.choice(("dense", "uniform"))
    if dice.random() < .4:
        out["bundles"] = dice.choice(("thick", {"multiple": 2}, {"multiple": 3}))
    if dice.random() < .2:
        out["topology"] = "fat-tree"
    return out


def run(program, *arguments, text=None):
    return subprocess.run([os.path.join(BUILD, program), *arguments], input=text, capture_output=True, encoding="utf-8",
                          timeout=120, check=False)


def rehearse(number, text):
    """True if it could be planned."""
    net = run("ftplan", "--format", "ibsim", "-", text=text)
    if net.returncode == 3:
        return False
    with open("design.json", "w", encoding="utf-8") as file:
        file.write(text)
    judge(f"{number}: {text}", "design.json", net.stdout)
    back = run("ftplan", "--infer", "-", "-o", "inferred.json", text=net.stdout)
    if back.returncode == 0:
        inferred[0] += 1
        judge(f"{number}, inferred: {text}", "inferred.json", net.stdout)
    return True


def judge(what, plan, net):
    """The network has no fault by that design."""
    check = run("ftcheck", "--plan", plan, "--from", "-", "--format", "json", text=net)
    report = json.loads(check.stdout) if check.stdout else {}
    if check.returncode or report["verdict"] != "ok" or report["findings"]:
        failures.append(what)
        print(f"not ok - {what}")
        print("  " + (check.stderr or "\n  ".join(f["text"] for f in report["findings"][:5])))


def main():
    dice = random.Random(SEED)
    planned = {2: 0, 3: 0}
    for number in range(RUNS):
        chosen = design(dice)
        if rehearse(number, json.dumps(chosen)):
            planned[chosen.get("levels", 2)] += 1
    print(f"FT_SEED={SEED}: {RUNS} designs, of which {planned[2]} of up to two levels and {planned[3]} of three could be "
          f"planned; {inferred[0]} were inferred back; {len(failures)} failures")
    # A test that plans nothing proves nothing; of a few designs all may be too much for their switches.
    idle = RUNS >= 30 and min(planned.values()) * 8 < RUNS
    return 1 if failures or idle else 0


if __name__ == "__main__":
    work = os.path.join(BUILD, "tests", f"rehearsal-{os.getpid()}")
    os.makedirs(work)
    os.chdir(work)
    try:
        sys.exit(main())
    finally:
        os.chdir(BUILD)
        subprocess.run(["rm", "-rf", work], check=False)
