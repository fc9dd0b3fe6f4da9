#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
How long from a pulled cable to the alert, on a running ibsim with OpenSM, and what the daemon costs meanwhile.

  events.py --plan DESIGN --net FILE --console FIFO --host ID --other ID --rounds N

A cable between two switches is pulled and put back, again and again. Another subscriber on another host (listen_tool)
hears the same Reports: what OpenSM and the simulator take until the first of them comes is theirs; the rest is ours. An alert is
told when it is in the journal (here: on standard error, which stands in for it); how long until the end of a hook, a shell
script, is printed beside. The environment: FT_BUILDDIR, SIM_PRELOAD, IBSIM_SOCKNAME, TMPDIR.
"""
import argparse
import json
import os
import queue
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from processes import family, resident_kib

BUILD = os.environ["FT_BUILDDIR"]
IDLE_LOOKS_MAX = 100  # after an event there are two or three
LOOKS = ("sweeps", "rereads")
RESULTS = ("complete", "incomplete", "failed")


def environment(host):
    return dict(os.environ, SIM_HOST=host,
                LD_PRELOAD=os.environ["SIM_PRELOAD"] + ":" + os.path.join(BUILD, "tests", "issm.so"))


def reader(stream, lines):
    for line in stream:
        lines.put((time.monotonic(), line))


def lines_of(stream):
    lines = queue.Queue()
    threading.Thread(target=reader, args=(stream, lines), daemon=True).start()
    return lines


def wait_for(lines, wanted, seconds):
    """The time of the first line that is wanted, and the line."""
    end = time.monotonic() + seconds
    while True:
        try:
            when, line = lines.get(timeout=max(0, end - time.monotonic()))
        except queue.Empty:
            return None, None
        if wanted(line):
            return when, line


def drain(lines):
    while not lines.empty():
        lines.get_nowait()


def cpu_seconds(pid):
    """Of a process, of all it has started, and of all these that have ended: those to a tick of the clock."""
    with open("/proc/%d/stat" % pid) as file:
        fields = file.read().rsplit(")", 1)[1].split()
    total = sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")
    for one in family(pid):
        try:
            # CLOCK_PROCESS_CPUTIME_ID of another process, as clock_getcpuclockid(3) has it: its threads that ended, too.
            total += time.clock_gettime((~one << 3) | 2)
        except OSError:
            pass
    return total


def cables_of(path):
    """Cables between switches: the end "ID"[port] of each, once."""
    cables, node = [], None
    for line in open(path):
        match = re.match(r'Switch\s+\d+\s+"(S-[0-9a-f]+)"', line)
        if match:
            node = match.group(1)
        elif not line.startswith("["):
            node = None if line.startswith(("Ca", "Hca")) else node
        elif node:
            match = re.match(r'\[(\d+)\]\s*"(S-[0-9a-f]+)"\[(\d+)\]', line)
            if match and node < match.group(2):
                cables.append('"%s"[%s]' % (node, match.group(1)))
    return cables


class Daemon:
    def __init__(self, options, directory):
        self.directory = directory
        fifo = os.path.join(directory, "alerts")
        os.mkfifo(fifo)
        os.mkdir(os.path.join(directory, "hooks"))
        os.mkdir(os.path.join(directory, "state"))
        hook = os.path.join(directory, "hooks", "tell")
        with open(hook, "w") as file:
            file.write("#!/bin/sh\nexec cat >'%s'\n" % fifo)
        os.chmod(hook, 0o755)
        # Open for writing too, so that it never is at its end.
        self.alerts = lines_of(os.fdopen(os.open(fifo, os.O_RDWR), "r"))
        config = os.path.join(directory, "conf")
        with open(config, "w") as file:
            file.write("plan = %s\nhooks = %s/hooks\nsweep_interval = 1h\nlisten = 127.0.0.1:0\nflap_count = 0\n"
                       % (os.path.abspath(options.plan), directory))
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(os.path.join(directory, "notify"))
        self.notify.settimeout(120)
        self.process = subprocess.Popen(
            [os.path.join(BUILD, "ftcheckd"), "--config", config, "--state-directory", directory + "/state"],
            env=dict(environment(options.host), NOTIFY_SOCKET=directory + "/notify"), cwd=directory,
            stderr=subprocess.PIPE, text=True)
        self.errors = lines_of(self.process.stderr)
        while b"READY=1" not in self.notify.recv(65536):
            pass
        threading.Thread(target=self.listen, daemon=True).start()
        _, line = wait_for(self.errors, lambda l: "HTTP on port" in l, 5)
        self.url = "http://127.0.0.1:%s/metrics" % line.split()[-1]

    def listen(self):
        self.notify.settimeout(None)
        while True:
            self.notify.recv(65536)

    def metric(self, name):
        for line in urllib.request.urlopen(self.url, timeout=20).read().decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        return None

    def metric_wait(self, name, value, seconds):
        end = time.monotonic() + seconds
        while (self.metric(name) or 0) < value:
            if time.monotonic() > end:
                sys.exit("no %s >= %g" % (name, value))
            time.sleep(0.1)


def percentile(values, percent):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * percent / 100))]


def show(name, values):
    print("  %-44s p50 %7.1f ms   p99 %7.1f ms" %
          (name, 1000 * percentile(values, 50), 1000 * percentile(values, 99)))


def quiet(heard, seconds):
    """Until nothing was heard for so long."""
    while wait_for(heard, lambda line: True, seconds)[0]:
        pass


def latency(options, daemon, heard, console, settle):
    had = {(what, result): looks(daemon, what, result) for what in LOOKS for result in RESULTS}
    cables = cables_of(options.net)
    forwarding, ours, total, ended, hook, mads = [], [], [], [], [], []
    rng = random.Random(options.seed)
    for _ in range(options.rounds):
        cable = rng.choice(cables)
        for command, event in (("Unlink", "raised"), ("Relink", "cleared")):
            quiet(heard, settle)
            drain(daemon.alerts)
            drain(daemon.errors)
            before = daemon.metric("ftcheck_mads_total")
            began = time.monotonic()
            os.write(console, ("%s %s\n" % (command, cable)).encode())
            told, _ = wait_for(daemon.errors, lambda line: "cable-missing:" in line and
                               line.startswith("ftcheckd: repaired") == (event == "cleared"), 60)
            after, _ = wait_for(daemon.alerts, lambda line: json.loads(line)["event"] == event, 60)
            first, _ = wait_for(heard, lambda line: line.startswith("trap 128"), 1)
            if not told or not after or not first:
                sys.exit("%s %s: no %s" % (command, cable, "alert" if not told else "event"))
            forwarding.append(first - began)
            ours.append(told - first)
            total.append(told - began)
            ended.append(after - first)
            hook.append(after - began)
            mads.append(daemon.metric("ftcheck_mads_total") - before)
    show("from the pulled cable to the event (OpenSM)", forwarding)
    show("from the event to the alert (ftcheckd)", ours)
    show("from the event to the end of a hook", ended)
    show("from the pulled cable to the alert", total)
    show("from the pulled cable to the end of a hook", hook)
    print("  MADs an event: median %d, most %d" % (percentile(mads, 50), max(mads)))
    slowest = sorted(zip(ended, mads), reverse=True)[:5]
    print("  the slowest to the end of a hook: %s" %
          ", ".join("%.0f ms (%d MADs)" % (1000 * took, count) for took, count in slowest))
    print("  meanwhile: %s" % ", ".join("%d %s %s" % (looks(daemon, *key) - count, key[1], key[0])
                                        for key, count in had.items() if looks(daemon, *key) > count))
    good = percentile(ended, 99) < 0.15
    print("  goal: p99 from the event to the end of a hook below 150 ms: %s" % ("met" if good else "MISSED"))


def looks(daemon, what, result):
    """How many sweeps or readings there were that ended so."""
    return daemon.metric('ftcheck_%s_total{result="%s"}' % (what, result)) or 0


def looks_all(daemon):
    return sum(looks(daemon, what, result) for what in LOOKS for result in RESULTS)


def idle(daemon, seconds):
    """
    The first interval in which nothing is read: for some time after the last event its place is read once more, and
    the fabric is swept because the subnet manager was busy. What the intervals before took is printed beside.
    """
    followed, spent = 0, 0.0
    while followed < IDLE_LOOKS_MAX:
        had = looks_all(daemon)
        before, began = cpu_seconds(daemon.process.pid), time.monotonic()
        time.sleep(seconds)
        used, took = cpu_seconds(daemon.process.pid) - before, time.monotonic() - began
        more = looks_all(daemon) - had
        if more == 0:
            break
        followed, spent = followed + more, spent + used
    else:
        sys.exit("no %g seconds without a sweep" % seconds)
    if followed:
        print("  after the last event: %d sweeps and readings, %.3f s of a core" % (followed, spent))
    rss, pss = resident_kib(family(daemon.process.pid))
    percent = used / took * 100
    print("  between sweeps: %.3f %% of a core (goal 0.1: %s), resident %.1f MiB (%.1f with shared pages once)" %
          (percent, "met" if percent < 0.1 else "MISSED", rss / 1024, pss / 1024))


def sweeping(daemon):
    """The most that all processes have resident while a full sweep runs."""
    most = (0, 0)
    had = daemon.metric('ftcheck_sweeps_total{result="complete"}')
    os.kill(daemon.process.pid, signal.SIGHUP)
    end = time.monotonic() + 120
    while daemon.metric('ftcheck_sweeps_total{result="complete"}') <= had and time.monotonic() < end:
        for _ in range(20):
            most = max(most, resident_kib(family(daemon.process.pid)), key=lambda pair: pair[1])
            time.sleep(0.005)
    print("  during a sweep: resident %.1f MiB (%.1f with shared pages once; goal 64: %s), %.2f s" %
          (most[0] / 1024, most[1] / 1024, "met" if most[1] < 64 * 1024 else "MISSED",
           daemon.metric("ftcheck_sweep_duration_seconds")))


def polling(options):
    """One run of iblinkinfo, which is how often it could be asked at most."""
    if not shutil.which("iblinkinfo"):
        return
    times = []
    for _ in range(5):
        began = time.monotonic()
        subprocess.run(["iblinkinfo", "-l"], env=environment(options.other), stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        times.append(time.monotonic() - began)
    one = percentile(times, 50)
    print("  iblinkinfo -l takes %.0f ms: asked all the time, on average %.0f ms from the pulled cable to its line" %
          (1000 * one, 1500 * one))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plan", required=True)
    parser.add_argument("--net", required=True)
    parser.add_argument("--console", required=True)
    parser.add_argument("--host", required=True)
    parser.add_argument("--other", required=True)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--settle", type=float, default=0.5, help="seconds without an event before the next cable")
    parser.add_argument("--idle", type=float, default=20, help="seconds to watch the idle daemon")
    options = parser.parse_args()
    console = os.open(options.console, os.O_WRONLY)
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, "listener"))
        listener = subprocess.Popen([os.path.join(BUILD, "tests", "listen_tool")], env=environment(options.other),
                                    cwd=os.path.join(directory, "listener"), stdout=subprocess.PIPE, text=True)
        heard = lines_of(listener.stdout)
        daemon = None
        try:
            if not wait_for(heard, lambda line: line.startswith("subscribed"), 60)[0]:
                sys.exit("no subscription")
            daemon = Daemon(options, directory)
            daemon.metric_wait("ftcheck_listening", 1, 60)
            daemon.metric_wait('ftcheck_sweeps_total{result="complete"}', 1, 60)
            quiet(heard, max(3, options.settle))
            latency(options, daemon, heard, console, options.settle)
            quiet(heard, max(3, options.settle))
            idle(daemon, options.idle)
            sweeping(daemon)
            polling(options)
        finally:
            listener.kill()
            if daemon:
                daemon.process.kill()


main()
