#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
ftcheckd on a fabric of real LLDP agents: two leaves, two spines and two hosts are namespaces joined by virtual cables,
each with its own lldpd, which hand their neighbors over into one directory. A cable is pulled and put back, cables are
exchanged and moved, a host goes, a switch falls silent, another one dies. Nothing is timed; how long the daemon took is
printed.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from results import until  # pylint: disable=wrong-import-position

BUILD = os.environ["FT_BUILDDIR"]
DEADLINE = 120
CABLES = [("leaf01", "swp1", "host1", "eth0"), ("leaf02", "swp1", "host2", "eth0"),
          ("leaf01", "swp2", "spine01", "swp1"), ("leaf01", "swp3", "spine02", "swp1"),
          ("leaf02", "swp2", "spine01", "swp2"), ("leaf02", "swp3", "spine02", "swp2")]
PLAN = {"ftcheck": 1, "name": "agents", "technology": "ethernet", "topology": "graph",
        "switches": [{"name": "leaf[01-02]", "kind": "leaf", "ports": 4, "hosts": 1},
                     {"name": "spine[01-02]", "kind": "spine", "ports": 4}],
        "cables": [{"a": a, "a_port": int(a_port[3:]), "b": b, "b_port": int(b_port[3:])} for a, a_port, b, b_port in CABLES[2:]]}
USER = "_lldpd"

failed = 0
children = []


def skip(why):
    print("skipped: %s" % why, file=sys.stderr)
    sys.exit(77)


def result(what, good, *said):
    global failed
    print("%s - %s" % ("ok" if good else "not ok", what), flush=True)
    if not good:
        failed += 1
        for line in said:
            print("  %s" % (str(line)[:3000],))


def run(*command):
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise RuntimeError("%s: %s" % (" ".join(command), done.stderr or done.stdout))
    return done.stdout


class Machine:
    """Its own network, name and /run; the agent's user may be unknown here."""

    def __init__(self, name, work):
        self.name, self.directory = name, os.path.join(work, "lldp")
        # Read before the agent begins, or its first announcement takes half a minute.
        self.settings = os.path.join(work, "settings.conf")
        with open(self.settings, "w", encoding="utf-8") as file:
            file.write("configure lldp tx-interval 1\n")
        accounts = []
        for file, line in (("passwd", "%s:x:990:990::/run/lldpd:/usr/sbin/nologin"), ("group", "%s:x:990:")):
            path = os.path.join(work, file)
            with open("/etc/" + file, encoding="utf-8") as system:
                text = system.read()
            if USER + ":" not in text:
                text += line % USER + "\n"
            with open(path, "w", encoding="utf-8") as own:
                own.write(text)
            accounts.append(path)
        script = ("mount -t tmpfs tmpfs /run && mkdir /run/lldpd && mount --bind %s /etc/passwd && "
                  "mount --bind %s /etc/group && hostname %s && ip link set lo up && echo ready && exec sleep 100000"
                  % (accounts[0], accounts[1], name))
        self.process = subprocess.Popen(["unshare", "--net", "--uts", "--mount", "sh", "-c", script],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        children.append(self.process)
        if self.process.stdout.readline() != "ready\n":
            skip("no namespaces to be had: %s" % self.process.stderr.read().strip())

    def inside(self, *command):
        return ("nsenter", "-t", str(self.process.pid), "-n", "-u", "-m", *command)

    def agent(self, log):
        cli = shutil.which("lldpcli")
        self.lldpd = subprocess.Popen(self.inside(shutil.which("lldpd"), "-d", "-L", cli, "-O", self.settings), stdout=log,
                                      stderr=log)
        children.append(self.lldpd)
        until(lambda: subprocess.run(self.inside(cli, "show", "chassis"), capture_output=True,
                                     check=False).returncode == 0, "the agent of " + self.name, DEADLINE)
        self.watch = subprocess.Popen(self.inside("stdbuf", "-oL", cli, "-f", "json0", "watch"), stdout=subprocess.PIPE,
                                      stderr=log, encoding="utf-8")
        children.append(self.watch)
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()

    def hand_over(self):
        shown = subprocess.run(self.inside(shutil.which("lldpcli"), "show", "neighbors", "-f", "json"),
                               capture_output=True, check=False)
        path = os.path.join(self.directory, self.name)
        if shown.returncode == 0 and shown.stdout.strip():
            with open(path + ".new", "wb") as file:
                file.write(shown.stdout)
            os.rename(path + ".new", path + ".json")

    def follow(self):
        """A change is an object over several lines."""
        self.hand_over()
        for line in self.watch.stdout:
            if line.startswith("}"):
                self.hand_over()


    def die(self):
        """Its agent and its network end at once; its file stays. It is not one that has just begun."""
        path = os.path.join(self.directory, self.name + ".json")
        until(lambda: time.time() - os.stat(path).st_mtime > 5, "the file of %s to be old" % self.name, DEADLINE)
        self.stop()
        self.lldpd.send_signal(signal.SIGKILL)
        self.process.send_signal(signal.SIGKILL)
        self.lldpd.wait()
        self.process.wait()

    def stop(self):
        """Nothing is handed over any more."""
        self.watch.kill()
        self.thread.join()


def plug(machines, a, a_port, b, b_port):
    run("ip", "link", "add", a_port, "netns", str(machines[a].process.pid), "type", "veth", "peer", "name", b_port,
        "netns", str(machines[b].process.pid))
    run(*machines[a].inside("ip", "link", "set", a_port, "up"))
    run(*machines[b].inside("ip", "link", "set", b_port, "up"))


def unplug(machines, a, a_port, *_):
    run(*machines[a].inside("ip", "link", "del", a_port))


def start(work):
    machines = {}
    for cable in CABLES:
        for name in (cable[0], cable[2]):
            machines[name] = machines.get(name) or Machine(name, work)
    for cable in CABLES:
        plug(machines, *cable)
    with open(os.path.join(work, "agents.log"), "wb") as log:
        for machine in machines.values():
            machine.agent(log)
    return machines


class Daemon:
    def __init__(self, work):
        self.log = os.path.join(work, "daemon.log")
        self.seen = 0
        with open(os.path.join(work, "plan.json"), "w", encoding="utf-8") as file:
            json.dump(PLAN, file)
        with open(os.path.join(work, "conf"), "w", encoding="utf-8") as file:
            file.write("plan = plan.json\nlldp = lldp\nlisten = 127.0.0.1:0\nsweep_interval = 1h\n")
        os.mkdir(os.path.join(work, "state"))
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([os.path.join(BUILD, "ftcheckd"), "--config", os.path.join(work, "conf"),
                                             "--state-directory", os.path.join(work, "state")], stdout=log, stderr=log)
        children.append(self.process)
        until(lambda: "HTTP on port" in self.said(), "the daemon", DEADLINE)
        self.port = self.said().split("HTTP on port ")[1].split()[0]

    def said(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read()

    def report(self, *options):
        return subprocess.run([os.path.join(BUILD, "ftcheck"), "--status=127.0.0.1:" + self.port, *options],
                              capture_output=True, encoding="utf-8", check=False)

    def page(self, path):
        with urllib.request.urlopen("http://127.0.0.1:" + self.port + path, timeout=DEADLINE) as answer:
            return json.load(answer)

    def wait(self, ready, what):
        until(lambda: ready(self.report()), "%s\n%s%s" % (what, self.report().stdout, self.said()), DEADLINE)


def newest(work):
    directory = os.path.join(work, "lldp")
    return max(os.stat(os.path.join(directory, name)).st_mtime for name in os.listdir(directory) if name.endswith(".json"))


def said_after(daemon, words, work, what):
    """The daemon says so; how long after the last change of a file, as its log has it."""
    before = len(daemon.said())
    daemon.wait(lambda report: words in daemon.said()[daemon.seen:], what)
    daemon.seen = max(before, daemon.said().rindex(words))
    print("note: %s: %.0f ms after the last file" % (what, 1000 * (os.stat(daemon.log).st_mtime - newest(work))))


def test(work):
    machines = start(work)
    daemon = Daemon(work)
    daemon.wait(lambda report: "nothing to report" in report.stdout, "a fabric that is as planned")
    result("six agents of lldpd are a fabric as planned", "2 of 2 hosts" in daemon.report().stdout, daemon.report().stdout)
    result("the daemon says what it watches", "listening to events of " + os.path.join(work, "lldp") in daemon.said())

    node = daemon.page("/nodes?name=leaf01")["nodes"][0]
    ends = {cable["interface"]: (cable["name"], cable["peer_interface"])
            for cable in daemon.page("/nodes?guid=" + node["guid"])["nodes"][0]["boards"][0]["ports"]
            if "peer_port" in cable}
    result("a node's cables have the names of their interfaces",
           ends == {"swp1": ("host1", "eth0"), "swp2": ("spine01", "swp1"), "swp3": ("spine02", "swp1")}, ends)

    daemon.seen = len(daemon.said())
    pull = machines["leaf01"].inside("ip", "link", "set", "swp2")
    run(*pull, "down")
    said_after(daemon, "the cable between leaf01 swp2 and spine01 swp1 is missing", work, "a pulled cable")
    result("a pulled cable is an alert", True)
    result("and the only finding", daemon.report().stdout.count("warning ") == 1, daemon.report().stdout)
    run(*pull, "up")
    said_after(daemon, "the cable between leaf01 swp2 and spine01 swp1 was missing", work, "a cable put back")
    daemon.wait(lambda report: "nothing to report" in report.stdout, "the fabric as planned again")
    result("a cable put back is a repair", "repaired after" in daemon.said(), daemon.said())

    first, second = CABLES[2], CABLES[3]
    crossed = [(*first[:2], *second[2:]), (*second[:2], *first[2:])]
    for what, code, old, new in (
            ("cables in each other's ports", "cables-swapped", [first, second], crossed),
            ("a cable on the wrong switch", "cable-misplaced", [CABLES[5]], [("leaf02", "swp3", "spine01", "swp3")]),
            ("a cable in a wrong port", "cable-wrong-port", [CABLES[4]], [("leaf02", "swp2", "spine01", "swp4")])):
        daemon.seen = len(daemon.said())
        for cable in old:
            unplug(machines, *cable)
        for cable in new:
            plug(machines, *cable)
        said_after(daemon, "[warning %s:" % code, work, what)
        daemon.wait(lambda report, code=code: "warning " + code in report.stdout and report.stdout.count("Fix:") == 1,
                    what + ", and nothing else")
        result(what, True)
        for cable in new:
            unplug(machines, *cable)
        for cable in old:
            plug(machines, *cable)
        daemon.wait(lambda report: "nothing to report" in report.stdout, "the fabric as planned again")
        result("and back", True)
    machines["host2"].die()
    daemon.wait(lambda report: "hosts-missing" in report.stdout and report.stdout.count("Fix:") == 1, "a host that is gone")
    result("a host that is gone is one finding", "host-" not in daemon.report().stdout, daemon.report().stdout)
    daemon.seen = len(daemon.said())
    machines["spine02"].die()
    said_after(daemon, "spine02", work, "a dead switch")
    daemon.wait(lambda report: "core-missing" in report.stdout and "spine02" in report.stdout, "a dead switch")
    result("a switch that is gone is missing, though its file is there",
           os.path.exists(os.path.join(work, "lldp", "spine02.json")) and "switch-mute" not in daemon.report().stdout,
           daemon.report().stdout)
    os.unlink(os.path.join(work, "lldp", "spine02.json"))

    # Whoever cannot be read any more is silent, and its cables are not missing.
    daemon.seen = len(daemon.said())
    machines["spine01"].stop()
    with open(os.path.join(work, "lldp", "spine01.json"), "w", encoding="utf-8") as file:
        file.write('{"lldp": {"interface": 5}}')
    said_after(daemon, "spine01 is silent", work, "a damaged file")
    result("a damaged file makes its own machine silent", "cable-missing" not in daemon.report().stdout,
           daemon.report().stdout)
    words = daemon.report("-v").stdout + daemon.said()
    result("no word of InfiniBand", not [w for w in ("LID", "GUID", "SMP", "InfiniBand", "subnet manager") if w in words],
           words)


def main():
    missing = [name for name in ("lldpd", "lldpcli", "unshare", "nsenter", "ip", "stdbuf") if not shutil.which(name)]
    if missing:
        skip("no %s here: packages lldpd and iproute2" % ", ".join(missing))
    if os.geteuid() != 0:
        skip("network namespaces with LLDP agents take root")
    # Unpacked by quickstart, lldpd has its library beside it.
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("lldpd")))))
    libraries = os.path.join(top, "usr/lib", os.uname().machine + "-linux-gnu")
    if top != "/" and os.path.isdir(libraries):
        os.environ["LD_LIBRARY_PATH"] = libraries
    if subprocess.run(["lldpd", "-v"], capture_output=True, check=False).returncode != 0:
        skip("lldpd does not run here: package libsnmp40")
    work = tempfile.mkdtemp()
    os.chmod(work, 0o755)
    os.mkdir(os.path.join(work, "lldp"))
    try:
        test(work)
    except RuntimeError as error:
        result("the test runs to its end", False, error)
    finally:
        for child in reversed(children):
            child.send_signal(signal.SIGTERM)
        for child in reversed(children):
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()
        shutil.rmtree(work, ignore_errors=True)
    sys.exit(1 if failed else 0)


main()
