#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
ftcheckd on recordings of LLDP neighbors: a directory whose files change, grow old or are left behind by machines that
died, and a command that prints them, fails, hangs and prints nonsense.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from results import result, status, until  # pylint: disable=wrong-import-position

BUILD = os.environ["FT_BUILDDIR"]
HERE = os.path.dirname(os.path.abspath(__file__))
DEADLINE = 60
# Keys of JSON ("guid", "mads") and names of metrics aside.
WORDS = re.compile(r"(?i)(?<![\w\"])(?:LIDs?|GUIDs?|SMPs?|MADs?|SMA|HCAs?|CAs?|subnet manager|subnet|InfiniBand|channel adapters?|OpenSM)(?![\w\"=])")
PLAN = {"ftcheck": 1, "name": "recorded", "technology": "ethernet", "topology": "graph",
        "switches": [{"name": "leaf[01-02]", "kind": "leaf", "ports": 4, "hosts": 1},
                     {"name": "spine[01-02]", "kind": "spine", "ports": 4}],
        "links": [{"a": "leaf[01-02]", "b": "spine[01-02]", "count": 1}]}
LINKS = ["leaf01 swp1 host1 eth0", "leaf02 swp1 host2 eth0", "leaf01 swp2 spine01 swp1", "leaf01 swp3 spine02 swp1",
         "leaf02 swp2 spine01 swp2", "leaf02 swp3 spine02 swp2"]

def recordings(output, links, *options):
    shutil.rmtree(output, ignore_errors=True)
    subprocess.run([sys.executable, os.path.join(HERE, "lldp.py"), "links", output, *options], input="\n".join(links),
                   encoding="utf-8", check=True)


class Daemon:
    def __init__(self, work, *settings, fresh=True):
        self.log = os.path.join(work, "daemon.log")
        self.settings = os.path.join(work, "conf")
        with open(os.path.join(work, "plan.json"), "w", encoding="utf-8") as file:
            json.dump(PLAN, file)
        with open(self.settings, "w", encoding="utf-8") as file:
            file.write("\n".join(("plan = plan.json", "listen = 127.0.0.1:0", *settings, "")))
        state = os.path.join(work, "state")
        if fresh:
            shutil.rmtree(state, ignore_errors=True)
            os.mkdir(state)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([os.path.join(BUILD, "ftcheckd"), "--config", self.settings,
                                             "--state-directory", state], stdout=log, stderr=log)
        until(lambda: "HTTP on port" in self.said(), "the daemon", DEADLINE)
        self.port = self.said().split("HTTP on port ")[1].split()[0]

    def said(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read()

    def events(self):
        """Of alerts, the oldest first: "raised core-missing"."""
        with urllib.request.urlopen("http://127.0.0.1:%s/history" % self.port, timeout=DEADLINE) as answer:
            return ["%s %s" % (e["event"], e["code"]) for e in reversed(json.loads(answer.read())["events"])]

    def told(self, what, *events):
        """Waits until these events, and no others, were told."""
        try:
            until(lambda: self.events() == list(events), what, DEADLINE)
            result(what, True)
        except RuntimeError:
            result(what, False, self.events(), self.said())

    def report(self):
        done = subprocess.run([os.path.join(BUILD, "ftcheck"), "--status=127.0.0.1:" + self.port], capture_output=True,
                              encoding="utf-8", check=False)
        return done.stdout + done.stderr

    def shows(self, what, *words):
        """Waits until the report has all of these words."""
        try:
            until(lambda: all(word in self.report() for word in words), what, DEADLINE)
            result(what, True)
        except RuntimeError:
            result(what, False, self.report(), self.said())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(DEADLINE)


class Directory:
    """Files are renamed into it, as by machines; each is younger than those before."""

    def __init__(self, work):
        self.path = os.path.join(work, "lldp")
        self.made = os.path.join(work, "made")
        os.mkdir(self.path)

    def hand_over(self, links, *machines):
        recordings(self.made, links)
        for machine in machines or [name[:-5] for name in os.listdir(self.made)]:
            path = os.path.join(self.path, machine)
            shutil.copyfile(os.path.join(self.made, machine + ".json"), path + ".new")
            os.utime(path + ".new")
            os.rename(path + ".new", path + ".json")

    def age(self, machine, seconds):
        path = os.path.join(self.path, machine + ".json")
        os.utime(path, (time.time() - seconds,) * 2)


def test_directory(work):
    directory = Directory(work)
    directory.hand_over(LINKS)
    with Daemon(work, "lldp = lldp", "sweep_interval = 1h") as daemon:
        daemon.shows("all is as planned", "nothing to report")
        # spine02 lost its power: its neighbors write what they still hear, and its own file stays as it was.
        alive = [link for link in LINKS if "spine02" not in link]
        for machine in os.listdir(directory.path):
            directory.age(machine[:-5], 60)
        directory.hand_over(alive, "leaf01")
        daemon.shows("one of two neighbors does not hear it any more", "spine02 swp1 is silent: it hears leaf01 swp3")
        directory.hand_over(alive, "leaf02")
        daemon.shows("a dead switch, whose file is still there", "core-missing: spine switch spine02")
        result("and that alone", daemon.report().count("Fix:") == 1, daemon.report())
        for page in ("/", "/metrics", "/report", "/summary", "/history"):
            with urllib.request.urlopen("http://127.0.0.1:" + daemon.port + page, timeout=DEADLINE) as answer:
                text = answer.read().decode()
            words = WORDS.findall(re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL))
            result("no word of InfiniBand: %s" % page, not words, words)
        directory.hand_over(LINKS, "leaf01", "leaf02")
        directory.hand_over(LINKS, "spine02")
        daemon.shows("it is back", "nothing to report")


def test_arrival(work):
    """It starts while machines hand over their first files, and again while a switch is dead."""
    directory = Directory(work)
    directory.hand_over(LINKS, "leaf01")
    wait = "no alerts yet: %s handed over no neighbors"
    with Daemon(work, "lldp = lldp", "sweep_interval = 1h", "lldp_wait = 1h") as daemon:
        daemon.shows("one machine of four is there", "spine02 is silent")
        result("it says that alerts wait", wait % "3 switches have" in daemon.said(), daemon.said())
        directory.hand_over(LINKS, "leaf02", "spine01")
        until(lambda: wait % "1 switch has" in daemon.said(), "the next two", DEADLINE)
        result("nothing is told", daemon.events() == [], daemon.events())
        directory.hand_over(LINKS, "spine02")
        daemon.shows("all are there", "nothing to report")
        directory.hand_over(LINKS[:-1], "leaf02", "spine02")
        daemon.told("from then on, faults are told at once", "raised cable-missing")
    directory.hand_over(LINKS)
    for machine in ("leaf02", "spine01", "spine02"):
        os.unlink(os.path.join(directory.path, machine + ".json"))
    with Daemon(work, "lldp = lldp", "sweep_interval = 1h", "lldp_wait = 1h", fresh=False) as daemon:
        daemon.shows("after a restart", "spine02 is silent")
        daemon.told("an alert from before goes on", "raised cable-missing")
        directory.hand_over(LINKS)
        daemon.told("and is repaired once all are there", "raised cable-missing", "cleared cable-missing")
    os.unlink(os.path.join(directory.path, "spine02.json"))
    with Daemon(work, "lldp = lldp", "sweep_interval = 1h", "lldp_wait = 1s") as daemon:
        daemon.told("one that does not come is told in the end", "raised switch-mute")
    # A switch that is not planned, and hands over nothing.
    directory.hand_over(LINKS + ["spine01 swp4 internet swp1"], "leaf01", "leaf02", "spine01", "spine02")
    with Daemon(work, "lldp = lldp", "sweep_interval = 1h", "lldp_wait = 1h") as daemon:
        daemon.told("one that is not planned is not waited for", "raised switch-unplanned")


def test_age(work):
    directory = Directory(work)
    directory.hand_over(LINKS)
    with Daemon(work, "lldp = lldp", "sweep_interval = 2s", "lldp_max_age = 1h") as daemon:
        daemon.shows("young files count", "nothing to report")
        directory.age("spine01", 7200)
        daemon.shows("one that is too old does not: its machine is silent", "switch-mute: spine01 is silent")
        directory.hand_over(LINKS, "spine01")
        daemon.shows("until it writes again", "nothing to report")
        for machine in os.listdir(directory.path):
            directory.age(machine[:-5], 7200)
        daemon.shows("if all are, the fabric is not seen", "has no neighbors that are young enough (lldp_max_age)")


def test_command(work):
    printed = os.path.join(work, "all.lldp")

    def say(links, *options):
        recordings(os.path.join(work, "made"), links, "lines", *options)
        os.rename(os.path.join(work, "made", "all.lldp"), printed)

    say(LINKS)
    command = os.path.join(work, "command")

    def become(*lines):
        with open(command + ".new", "w", encoding="utf-8") as file:
            file.write("\n".join(("#!/bin/sh", *lines, "")))
        os.chmod(command + ".new", 0o755)
        os.rename(command + ".new", command)

    become("cat %s" % printed)
    with Daemon(work, "lldp_command = %s" % command, "sweep_interval = 1s", "deadline = 3s") as daemon:
        daemon.shows("a command prints the neighbors", "nothing to report")
        say(LINKS[:-1], "json0")
        daemon.shows("a pulled cable", "the cable between leaf02", "is missing")
        say(LINKS)
        daemon.shows("it is put back", "nothing to report")
        become("cat %s" % printed, "exit 3")
        time_before = daemon.said()
        daemon.shows("a command that fails at the end counts", "nothing to report")
        result("without a word", daemon.said() == time_before or "lldp_command" not in daemon.said()[len(time_before):],
               daemon.said())
        become("echo no such machine >&2", "exit 3")
        daemon.shows("one that prints nothing does not", "lldp_command printed nothing, and exited with status 3")
        become("echo nonsense")
        daemon.shows("nor one that prints nonsense", "what lldp_command printed, 1:")
        marker, began = os.path.join(work, "left-behind"), time.monotonic()
        become("sh -c 'sleep 5; touch %s' &" % marker, "sleep 100")
        daemon.shows("one that hangs is killed", "lldp_command did not end in time")
        become("cat %s" % printed)
        daemon.shows("then it prints again", "nothing to report")
        until(lambda: time.monotonic() > began + 8, "what a command left behind", DEADLINE)
        result("and what a killed one had started is gone too", not os.path.exists(marker))


def test_refusals(work):
    for settings, error in ((["lldp = lldp", "lldp_command = true"],
                             "conf:3:16: neighbors come from \"lldp\" or from \"lldp_command\", not from both"),
                            (["lldp = lldp", "lldp_max_age = never"], "\"lldp_max_age\" takes a time")):
        with open(os.path.join(work, "conf"), "w", encoding="utf-8") as file:
            file.write("\n".join(("plan = plan.json", *settings, "")))
        with open(os.path.join(work, "plan.json"), "w", encoding="utf-8") as file:
            json.dump(PLAN, file)
        done = subprocess.run([os.path.join(BUILD, "ftcheckd"), "--config", os.path.join(work, "conf"), "--check-config"],
                              capture_output=True, encoding="utf-8", check=False)
        result("refused: %s" % error, done.returncode and error in done.stderr + done.stdout, done.stderr, done.stdout)


def main():
    if not os.path.exists(os.path.join(BUILD, "ftcheckd")):
        print("skipped: built without ftcheckd", file=sys.stderr)
        sys.exit(77)
    for test in (test_directory, test_arrival, test_age, test_command, test_refusals):
        work = tempfile.mkdtemp()
        try:
            test(work)
        except RuntimeError as error:
            result("%s runs to its end" % test.__name__, False, error)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    sys.exit(status())


main()
