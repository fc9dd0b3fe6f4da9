# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
The tables of an Ethernet plan in real switches: Open vSwitch's user-space datapath runs the scripts that ftplan wrote,
over virtual cables, with hosts in network namespaces. Every host pings every other; counters of the cables show which
way the packets took; broadcasts arrive once.
"""
import ctypes
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from results import until  # pylint: disable=wrong-import-position

FTPLAN = os.path.join(os.environ["FT_BUILDDIR"], "ftplan")
SCHEMA = "usr/share/openvswitch/vswitch.ovsschema"
DAEMON = "usr/lib/openvswitch-switch/ovs-vswitchd"
TYPE = 0x88b5  # IEEE 802: for experiments
DESIGN = {"ftcheck": 1, "name": "small", "technology": "ethernet", "nodes": 12, "edge": {"ports": 8}, "core": {"ports": 8}}
HOSTS, EDGES, EACH, VLANS = 12, 3, 4, 4
DEADLINE = 60

failed = 0
children = []


def skip(why):
    print("skipped: %s" % why, file=sys.stderr)
    sys.exit(77)


def result(what, good, *said):
    global failed
    print("%s - %s" % ("ok" if good else "not ok", what))
    if not good:
        failed += 1
        for line in said:
            print("  %s" % (str(line)[:1000],))


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, **options)
    if done.returncode:
        raise RuntimeError("%s: %s" % (" ".join(command), done.stderr or done.stdout))
    return done.stdout


def found(path):
    """A file of Debian's package: installed, or unpacked with ovs-vsctl (quickstart), which is in its usr/bin."""
    unpacked = os.path.join(os.path.dirname(shutil.which("ovs-vsctl") or "/usr/bin/x"), "../..", path)
    return next((p for p in ("/" + path, unpacked) if os.path.exists(p)), None)


def enter():
    """Into a network namespace of this test's own."""
    if os.environ.get("FT_OVS_INSIDE"):
        return
    missing = [name for name in ("ovs-vsctl", "ovs-ofctl", "ovsdb-server", "ovsdb-tool", "ping", "nsenter", "unshare", "ip")
               if not shutil.which(name)] + [path for path in (DAEMON, SCHEMA) if not found(path)]
    if missing:
        skip("no %s here: packages openvswitch-switch and iputils-ping" % ", ".join(missing))
    probe = "ip link add name ft-a type veth peer name ft-b"
    for options in (["--net"], ["--map-root-user", "--net"]):
        if subprocess.run(["unshare", *options, "sh", "-c", probe], capture_output=True, check=False).returncode == 0:
            os.environ["FT_OVS_INSIDE"] = "1"
            os.execvp("unshare", ["unshare", *options, sys.executable, *sys.argv])
    skip("no network namespace with virtual cables to be had")


def start_switches(work):
    os.environ.update({name: work for name in ("OVS_RUNDIR", "OVS_LOGDIR", "OVS_DBDIR", "OVS_SYSCONFDIR")})
    run("ovsdb-tool", "create", "conf.db", found(SCHEMA))
    for command in (["ovsdb-server", "conf.db", "--remote=punix:%s/db.sock" % work], [found(DAEMON), "unix:%s/db.sock" % work]):
        with open("%s.log" % os.path.basename(command[0]), "wb") as log:
            children.append(subprocess.Popen(command, stdout=log, stderr=log))
        until(lambda: os.path.exists("db.sock"), "the socket of the database", DEADLINE)
    run("ovs-vsctl", "--no-wait", "init")


class Host:
    """A network namespace with one port."""

    def __init__(self, number, port):
        self.address = "10.0.0.%d" % (number + 1)
        self.mac = "02:00:00:00:00:%02x" % (number + 1)
        self.process = subprocess.Popen(["unshare", "--net", "sleep", "600"])
        children.append(self.process)
        mine = os.readlink("/proc/self/ns/net")
        until(lambda: os.readlink("/proc/%d/ns/net" % self.process.pid) != mine, "a namespace", DEADLINE)
        run("ip", "link", "add", "name", port, "type", "veth", "peer", "name", "h%d" % number)
        run("ip", "link", "set", "dev", "h%d" % number, "netns", str(self.process.pid), "name", "eth0", "address", self.mac)
        self.run("sh", "-c", "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6; ip link set dev lo up && "
                 "ip address add %s/24 dev eth0 && ip link set dev eth0 up" % self.address)

    def command(self, *command):
        return ["nsenter", "--net=/proc/%d/ns/net" % self.process.pid, *command]

    def run(self, *command):
        return run(*self.command(*command))

    def socket(self):
        """For frames of our own; it stays in the namespace that it was made in."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open("/proc/self/ns/net", "rb") as back, open("/proc/%d/ns/net" % self.process.pid, "rb") as there:
            if libc.setns(there.fileno(), 0):
                raise OSError(ctypes.get_errno(), "setns")
            made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
            made.bind(("eth0", 0))
            libc.setns(back.fileno(), 0)
        made.setsockopt(263, 8, 1)  # SOL_PACKET, PACKET_AUXDATA: tells of a VLAN tag
        made.setblocking(False)
        return made


def ping_all(hosts):
    """Of all ordered pairs those without an answer."""
    running = []
    for a in hosts:
        script = "".join("ping -c 1 -W 10 -q %s >/dev/null && echo %s; " % (b.address, b.address) for b in hosts if b is not a)
        running.append((a, subprocess.Popen(a.command("sh", "-c", script + "true"), stdout=subprocess.PIPE, encoding="utf-8")))
    lost = []
    for a, process in running:
        answered = process.communicate()[0].split()
        lost += [(a.address, b.address) for b in hosts if b is not a and b.address not in answered]
    return lost


def counters(ports):
    """Of each port: packets that the switch got from it, and gave to it."""
    links = {link["ifname"]: link["stats64"] for link in json.loads(run("ip", "-j", "-s", "link", "show"))}
    return {port: (links[port]["rx"]["packets"], links[port]["tx"]["packets"]) for port in ports}


def growth(before, after):
    return {port: tuple(after[port][i] - before[port][i] for i in (0, 1)) for port in before}


def receive(sockets, seconds=1.0):
    """All frames of our type that arrive until none did for a while: (host, payload, whether it has a tag)."""
    frames, quiet = [], time.monotonic() + seconds
    while time.monotonic() < quiet:
        for number, sock in enumerate(sockets):
            try:
                data, ancillary, _, address = sock.recvmsg(2048, 256)
            except BlockingIOError:
                continue
            tagged = any(struct.unpack("=IIIHHHH", item[2][:20])[0] & 0x10 for item in ancillary)
            protocol = struct.unpack("!H", data[12:14])[0]
            if address[2] != socket.PACKET_OUTGOING and (protocol == TYPE or protocol == 0x8100):
                frames.append((number, data[14:16], tagged or protocol == 0x8100))
                quiet = time.monotonic() + seconds
        time.sleep(0.005)
    return frames


def frame(target, source, payload):
    return bytes.fromhex(target.replace(":", "")) + bytes.fromhex(source.replace(":", "")) + struct.pack("!H", TYPE) + \
        payload + bytes(46 - len(payload))


def build(work):
    """Switches, cables and hosts by what ftplan says of them. Returns the hosts and the ports between switches."""
    with open("design.json", "w", encoding="utf-8") as file:
        json.dump(DESIGN, file)
    cables = [row.split(",") for row in run(FTPLAN, "--format", "cables", "design.json").splitlines()]
    at = {name: i for i, name in enumerate(cables[0])}
    hosts, between = [], []
    # The machine's own stack stays silent on the ports of the switches.
    for which in ("all", "default"):
        with open("/proc/sys/net/ipv6/conf/%s/disable_ipv6" % which, "w", encoding="utf-8") as file:
            file.write("1")
    start_switches(work)
    for row in cables[1:]:
        a, b = ("%s-%s" % (row[at[end]], row[at[end + "_port"]]) for end in "ab")
        if row[at["kind"]] == "host":
            hosts.append(Host(len(hosts), b))
            continue
        run("ip", "link", "add", "name", a, "type", "veth", "peer", "name", b)
        between += [a, b]
    return hosts, between


def configure():
    ports = run(FTPLAN, "--format", "vlans", "design.json").splitlines()
    for name in sorted({row.split(",")[0] for row in ports[1:]}):
        environment = dict(os.environ, BRIDGE=name, PORT="%s-" % name, DATAPATH="netdev")
        with open("script.sh", "w", encoding="utf-8") as file:
            file.write(run(FTPLAN, "--format", "openvswitch", "design.json"))
        run("sh", "script.sh", name, env=environment)
        run("sh", "script.sh", name, env=environment)  # and once more: what is there is replaced


def check_pings(hosts, between):
    lost = ping_all(hosts)
    result("pings of all %d ordered pairs, by the hosts' own ARP" % (HOSTS * (HOSTS - 1)), not lost, lost)
    for host in hosts:
        for other in hosts:
            if other is not host:
                host.run("ip", "neigh", "replace", other.address, "lladdr", other.mac, "nud", "permanent", "dev", "eth0")
    before = counters(between)
    lost = ping_all(hosts)
    result("pings without ARP", not lost, lost)
    grown = growth(before, counters(between))
    # Each host asks, and answers, each host elsewhere, into its own VLAN: so many frames cross each cable each way.
    share = 2 * (HOSTS - EACH)
    wrong = {port: counts for port, counts in grown.items() if counts != (share, share)}
    result("every cable between switches carried exactly %d frames each way, so every bundle its share" % share, not wrong, wrong)


def check_local(hosts, between):
    before = counters(between)
    lost = ping_all(hosts[:EACH])
    grown = growth(before, counters(between))
    result("pairs of one switch do not leave it", not lost and not any(sum(counts) for counts in grown.values()), lost, grown)


def check_flood(what, hosts, sockets, between, target):
    """From each host in turn: every other host gets the frame once, without a tag, over its VLAN's cables only."""
    for number, host in enumerate(hosts):
        receive(sockets, 0.05)
        before = counters(between)
        payload = struct.pack("!H", number)
        sockets[number].send(frame(target, host.mac, payload))
        frames = receive(sockets, 0.3)
        arrived = sorted(n for n, data, tagged in frames if data == payload and not tagged)
        expected = [n for n in range(HOSTS) if n != number]
        crossed = {port: counts for port, counts in growth(before, counters(between)).items() if sum(counts)}
        if arrived != expected or len(frames) != len(expected) or len(crossed) != 2 * EDGES:
            result("%s of host %d arrives at each other host once" % (what, number), False, frames, crossed)
            return
    result("%s of each host arrives at each other host once, without a tag, over the %d cables of its VLAN" % (what, EDGES), True)


def main():
    enter()
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        try:
            hosts, between = build(work)
            configure()
            result("%d hosts, %d cables between switches" % (len(hosts), len(between) // 2),
                   len(hosts) == HOSTS and len(between) == 2 * EDGES * VLANS)
            check_pings(hosts, between)
            check_local(hosts, between)
            sockets = [host.socket() for host in hosts]
            check_flood("a broadcast", hosts, sockets, between, "ff:ff:ff:ff:ff:ff")
            check_flood("what is sent to a group", hosts, sockets, between, "01:00:5e:01:02:03")
            check_flood("what is sent to nobody known", hosts, sockets, between, "02:00:00:00:99:99")
        except RuntimeError as error:
            result("the fabric runs", False, error)
        finally:
            os.chdir("/")
            for child in reversed(children):
                child.send_signal(signal.SIGTERM)
            for child in children:
                child.wait()
    return int(failed > 0)


sys.exit(main())
