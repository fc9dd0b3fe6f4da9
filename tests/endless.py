#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A device that answers as more switches than there can be (tests/endless.c): ftcheck and ftcheckd stay small and quick,
say so in one finding, and go on telling of the fabric that is planned.

Bounded are the memory of every process, the time, the number of findings and alerts, and the size of the report.
"""
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

BUILD = os.path.abspath(os.environ.get("FT_BUILDDIR", "."))
FTCHECK = os.path.join(BUILD, "ftcheck")
FTCHECKD = os.path.join(BUILD, "ftcheckd")
PRELOAD = os.path.join(BUILD, "tests", "endless.so")
KINDS = ("tree", "clique", "table", "flood")
ENGINES = ("libibnetdisc", "libibumad")
# The daemon and its child together are to fit into the 256 MiB of its unit.
MEMORY_MB = 100
SECONDS = 60
REPORT_BYTES = 200000
# How long the daemon may leave a request without an answer.
PAUSE_S = 2.0
DEADLINE_S = 120
failures = 0


def result(good, what, *details):
    global failures
    print(("ok - " if good else "not ok - ") + what, flush=True)
    if not good:
        for line in details:
            print("  " + str(line)[:2000], flush=True)
    failures += not good


def sanitized():
    return b"__asan_init" in open(FTCHECK, "rb").read()


SANITIZED = sanitized()


def environment(kind, **more):
    env = dict(os.environ, LD_PRELOAD=PRELOAD, FT_ENDLESS=kind, **more)
    # Where memory is out, an allocation is to fail as it does without a sanitizer.
    env["ASAN_OPTIONS"] = "verify_asan_link_order=0:allocator_may_return_null=1"
    env["LSAN_OPTIONS"] = "detect_leaks=0"
    return env


def memory_is_small(peak_kb):
    return SANITIZED or peak_kb < MEMORY_MB * 1024


class Peak:
    """The most memory of any process that this one has waited for since; a process of its own, as that never sinks."""

    SCRIPT = ("import resource, subprocess, sys\n"
              "status = subprocess.run(sys.argv[2:]).returncode\n"
              "open(sys.argv[1], 'w').write('%d' % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
              "sys.exit(status)\n")

    @staticmethod
    def command(path, arguments):
        # The interpreter itself is not to have the preload: it is set for what it runs.
        return [sys.executable, "-c", Peak.SCRIPT, path] + arguments


def check(directory, kind, arguments, **more):
    """ftcheck of that device: (status, report or None, bytes, standard error, seconds, peak in kB)"""
    peak = os.path.join(directory, "peak")
    began = time.monotonic()
    run = subprocess.run(Peak.command(peak, [FTCHECK, "--plan", os.path.join(directory, "star.json"), "--format", "json"] +
                                      arguments),
                         env=environment(kind, **more), capture_output=True, timeout=DEADLINE_S, check=False)
    took = time.monotonic() - began
    report = json.loads(run.stdout) if run.stdout else None
    return run.returncode, report, len(run.stdout), run.stderr.decode(), took, int(open(peak).read())


def codes(report):
    return sorted(f["code"] for f in report["findings"])


def stopped(report):
    """The finding that says that the sweep was stopped, if there is one and no more."""
    said = [f for f in report["findings"] if f["code"] == "sweep-incomplete"]
    return said[0] if len(said) == 1 and said[0]["text"].startswith("the sweep was stopped: more than ") else None


def sweeps(directory):
    for kind in KINDS:
        for engine in ENGINES:
            for names in (False, True):
                more = {"FT_ENDLESS_NAMES": "1"} if names else {}
                status, report, size, errors, took, peak = check(directory, kind, ["--engine", engine], **more)
                name = "%s, %s%s" % (kind, engine, ", long names" if names else "")
                result(status == 1 and not errors and report is not None, name + ": a report", status, errors)
                if report is None:
                    continue
                said = stopped(report)
                result(said is not None and "the plan has 4 nodes" in said["text"] and not said["where"],
                       name + ": one finding says that the sweep was stopped", report["findings"])
                result(codes(report) == ["sweep-incomplete", "switch-unplanned"] and
                       any("edge001 port 36" in s["text"] for f in report["findings"] for s in f["symptoms"]),
                       name + ": and one where the device is cabled", codes(report))
                result(report["counts"]["hosts"] == {"planned": 3, "found": 3}, name + ": all hosts are found",
                       report["counts"])
                result(size < REPORT_BYTES, name + ": a small report", size)
                result(memory_is_small(peak), name + ": little memory", "%d kB" % peak)
                result(took < SECONDS, name + ": soon", took)
    status, report, *_ = check(directory, "none", [])
    result(status == 0 and codes(report) == [], "without the device nothing is said", report)


def saved(directory):
    """What a stopped sweep saved says so when it is read."""
    path = os.path.join(directory, "saved.json")
    check(directory, "tree", ["--engine", "libibumad", "--save", path])
    status, report, *_ = check(directory, "none", ["--from", path])
    result(status == 1 and stopped(report) is not None, "a snapshot of a stopped sweep says that it is one", report)


def large_dump(directory):
    """A dump of far more switches than are planned: every one is a finding, and few are listed."""
    path = os.path.join(directory, "dump.txt")
    count = 20000
    with open(path, "w") as dump:
        for i in range(count):
            dump.write('vendid=0x2c9\ndevid=0xbd36\nsysimgguid=0x%x\nswitchguid=0x%x(%x)\nSwitch\t36 "S-%016x"\t\t# '
                       '"made up %d" base port 0 lid %d lmc 0\n' % (i + 1, i + 1, i + 1, i + 1, i, i % 49000 + 1))
            if i + 1 < count:
                dump.write('[1]\t"S-%016x"[2]\t\t# "made up %d" lid 1 4xQDR\n' % (i + 2, i + 1))
            if i > 0:
                dump.write('[2]\t"S-%016x"[1]\t\t# "made up %d" lid 1 4xQDR\n' % (i, i - 1))
            dump.write("\n")
    status, report, size, errors, took, peak = check(directory, "none", ["--from", path])
    result(report is not None and status in (1, 2, 3), "a dump of %d strangers: a report" % count, status, errors)
    if report is None:
        return
    more = [f for f in report["findings"] if f["code"] == "findings-omitted"]
    result(len(report["findings"]) <= 1102 and len(more) == 1 and
           more[0]["count"] + len(report["findings"]) - 1 >= count - 100,
           "a dump of strangers: few findings, and one that says how many more there are",
           len(report["findings"]), more)
    result(len(report["switches"]) <= 1102, "a dump of strangers: few rows", len(report["switches"]))
    result(size < 4000000, "a dump of strangers: a report that can be read", size)
    result(SANITIZED or peak < 400 * 1024, "a dump of strangers: memory is bounded", "%d kB" % peak)


class Daemon:
    def __init__(self, directory, kind, engine):
        self.directory = os.path.join(directory, "daemon-" + kind)
        self.pull = os.path.join(self.directory, "pull")
        self.alerts_file = os.path.join(self.directory, "alerts")
        os.makedirs(os.path.join(self.directory, "hooks"))
        os.makedirs(os.path.join(self.directory, "state"))
        open(self.alerts_file, "w").close()
        hook = os.path.join(self.directory, "hooks", "keep")
        with open(hook, "w") as file:
            file.write("#!/bin/sh\nunset LD_PRELOAD\nexec cat >>'%s'\n" % self.alerts_file)
        os.chmod(hook, 0o755)
        conf = os.path.join(self.directory, "conf")
        with open(conf, "w") as file:
            file.write("plan = %s\nhooks = %s/hooks\nlisten = 127.0.0.1:0\nsm = no\nevents = no\nseverity = info\n"
                       "engine = %s\nsweep_interval = 1s\nincomplete_after = 2\n" %
                       (os.path.join(directory, "star.json"), self.directory, engine))
        self.errors_file = os.path.join(self.directory, "err")
        self.process = subprocess.Popen(
            [FTCHECKD, "--config", conf, "--state-directory", os.path.join(self.directory, "state")],
            env=environment(kind, FT_ENDLESS_PULL=self.pull), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=open(self.errors_file, "w"))
        self.port = None
        self.slowest = 0
        self.peak_kb = {}

    def errors(self):
        return open(self.errors_file).read()

    def alerts(self):
        return [json.loads(line) for line in open(self.alerts_file) if line.endswith("\n")]

    def look(self):
        """Notes the memory of the daemon and its children, and how long it takes to answer."""
        pid = self.process.pid
        tasks = "/proc/%d/task/%d/children" % (pid, pid)
        pids = [pid]
        try:
            pids += [int(p) for p in open(tasks).read().split()]
        except OSError:
            pass
        for p in pids:
            try:
                found = re.search(r"VmHWM:\s*(\d+)", open("/proc/%d/status" % p).read())
            except OSError:
                continue
            if found:
                self.peak_kb[p] = int(found.group(1))
        if self.port is None:
            found = re.search(r"HTTP on port (\d+)", self.errors())
            self.port = int(found.group(1)) if found else None
        if self.port is not None:
            began = time.monotonic()
            self.get("/metrics")
            self.slowest = max(self.slowest, time.monotonic() - began)

    def get(self, page):
        return urllib.request.urlopen("http://127.0.0.1:%d%s" % (self.port, page), timeout=60).read().decode()

    def wait(self, what, condition):
        end = time.monotonic() + DEADLINE_S
        while not condition():
            if time.monotonic() > end or self.process.poll() is not None:
                result(False, what, "waited in vain", self.errors()[-2000:], self.alerts()[-5:])
                return False
            self.look()
            time.sleep(0.05)
        result(True, what)
        return True

    def swept(self):
        if self.port is None:
            return 0
        return sum(float(value) for value in re.findall(r"^ftcheck_sweeps_total\S* (\S+)$", self.get("/metrics"), re.M))

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def watch(directory, kind, engine):
    name = "ftcheckd, %s, %s" % (kind, engine)
    daemon = Daemon(directory, kind, engine)
    try:
        if not daemon.wait(name + ": an alert says that the sweep was stopped", lambda: any(
                a["event"] == "raised" and a["code"] == "sweep-incomplete" for a in daemon.alerts())):
            return
        told = [a["code"] for a in daemon.alerts()]
        result(sorted(told) == ["sweep-incomplete", "switch-unplanned"],
               name + ": one, and one where the device is cabled", told[:20])
        status = subprocess.run([FTCHECK, "--status=127.0.0.1:%d" % daemon.port, "--format", "json"],
                                capture_output=True, check=False, timeout=DEADLINE_S)
        result(status.returncode == 1 and stopped(json.loads(status.stdout or b'{"findings": []}')) is not None,
               name + ": --status reads its report", status.returncode, status.stderr)
        result(len(status.stdout) < REPORT_BYTES, name + ": a small report", len(status.stdout))
        open(daemon.pull, "w").close()
        daemon.wait(name + ": a host that goes meanwhile is told", lambda: any(
            a["event"] == "raised" and a["code"] == "hosts-missing" for a in daemon.alerts()))
        os.unlink(daemon.pull)
        daemon.wait(name + ": and that it is back", lambda: any(
            a["event"] == "cleared" and a["code"] == "hosts-missing" for a in daemon.alerts()))
        swept = daemon.swept()
        daemon.wait(name + ": it sweeps on", lambda: daemon.swept() >= swept + 3)
        result(len(daemon.alerts()) == 4, name + ": no other alert", [a["code"] for a in daemon.alerts()][:20])
        result(daemon.slowest < PAUSE_S, name + ": it answers all the time", "%.2f s" % daemon.slowest)
        result(all(memory_is_small(kb) for kb in daemon.peak_kb.values()), name + ": little memory", daemon.peak_kb)
    finally:
        code = daemon.stop()
        result(code == 0, name + ": ends", code, daemon.errors()[-1000:])


def main():
    # A process that takes what it gets does not take the machine with it.
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    with tempfile.TemporaryDirectory(prefix="ftcheck-endless.") as directory:
        with open(os.path.join(directory, "star.json"), "w") as plan:
            json.dump({"ftcheck": 1, "name": "small", "topology": "star", "nodes": 3, "edge": {"ports": 36}}, plan)
        sweeps(directory)
        saved(directory)
        large_dump(directory)
        watch(directory, "tree", "libibnetdisc")
        watch(directory, "flood", "libibumad")
    print("%d failed" % failures)
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
