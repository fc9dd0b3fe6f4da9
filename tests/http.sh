#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The daemon's HTTP: pages, methods, hosts, bad and slow clients, many at once, sockets handed over. The server is
# tests/http_tool, a single thread: whatever one client does, the others are answered.
set -u

exec python3 - "${FT_BUILDDIR:?}/tests/http_tool" <<'END'
import base64
import glob
import hashlib
import json
import os
import re
import select
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

TOOL = sys.argv[1]
DEADLINE = 120  # of anything that is waited for; machines that run tests are busy
failed = 0


def result(name, good, seen=""):
    global failed
    print(("ok - " if good else "not ok - ") + name + ("" if good else "\n  " + str(seen)[:600]), flush=True)
    failed += not good


def ready_s(pid):
    """How long the threads of this process have computed, and how long they have waited for a processor; 0 where the
    kernel does not say."""
    computed = kept = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        try:
            with open(path) as f:
                ran, waited, _ = f.read().split()
        except OSError:  # a thread that has just ended
            continue
        computed += int(ran)
        kept += int(waited)
    return computed / 1e9, kept / 1e9


class Watch:
    """How long the server has kept this test waiting: not the time that this test computes, nor that in which a busy
    machine lets either wait for a processor."""

    def __init__(self, server):
        self.pid = server.process.pid
        self.begun, self.other = time.monotonic(), self.other_s()

    def other_s(self):
        return sum(ready_s("self")) + ready_s(self.pid)[1]

    def kept_s(self):
        return time.monotonic() - self.begun - (self.other_s() - self.other)


class Server:
    def __init__(self, *args, **kwargs):
        self.process = subprocess.Popen([TOOL, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        bufsize=1, **kwargs)
        self.said = self.process.stdout.readline().strip()
        self.port = int(self.said.split()[1]) if self.said.startswith("port ") else None

    def command(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline().strip()
        assert said == "ok", (line, said)

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=DEADLINE)
        self.process.stdout.close()
        return status

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_mib(self):
        with open(f"/proc/{self.process.pid}/status") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1024


def connect(server, host="127.0.0.1", receive=None):
    s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    if receive:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    s.settimeout(DEADLINE)
    s.connect((host, server.port))
    return s


def read_head(s, data=b""):
    while b"\r\n\r\n" not in data:
        more = s.recv(65536)
        if not more:
            return data, None
        data += more
    head, rest = data.split(b"\r\n\r\n", 1)
    return head, rest


def parse(head):
    lines = head.decode("latin-1").split("\r\n")
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return int(lines[0].split()[1]), headers


def read_answer(s, data=b"", head_only=False):
    """Status, headers, body and what came behind it; None if the connection was closed before all of it came."""
    head, rest = read_head(s, data)
    if rest is None:
        return None
    status, headers = parse(head)
    length = 0 if head_only else int(headers.get("content-length", 0))
    while len(rest) < length:
        more = s.recv(1 << 20)
        if not more:
            return None
        rest += more
    return status, headers, rest[:length], rest[length:]


def ask(server, request, head_only=False, host="127.0.0.1"):
    with connect(server, host) as s:
        try:
            s.sendall(request)
        except (BrokenPipeError, ConnectionResetError):
            pass
        try:
            return read_answer(s, head_only=head_only)
        except ConnectionResetError:
            return None


def is_closed(s):
    """Does the server close it, without another byte?"""
    try:
        return s.recv(1) == b""
    except ConnectionResetError:
        return True


def get(path, version="1.1", host="localhost", more="", method="GET"):
    head = f"{method} {path} HTTP/{version}\r\n" + (f"Host: {host}\r\n" if host is not None else "")
    return (head + more + "\r\n").encode("latin-1")


def serves(server):
    answer = ask(server, get("/healthz"))
    return answer is not None and answer[0] == 200 and answer[2] == b"ok\n"


METRICS = b"# HELP test_value A value.\n# TYPE test_value gauge\ntest_value 1\n"
PLAIN = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"

server = Server("127.0.0.1:0")
if server.port is None:
    print("not ok - starts\n  " + server.said)
    sys.exit(1)
server.command("report 1000 a")


class Dripping(threading.Thread):
    """A client that sends a byte now and then, or none at all; notes when it was closed."""

    def __init__(self, socket, byte):
        super().__init__(daemon=True)
        self.socket, self.byte = socket, byte
        self.begun, self.closed = time.monotonic(), None
        socket.settimeout(0.5)

    def run(self):
        while self.closed is None and time.monotonic() < self.begun + DEADLINE:
            try:
                self.socket.sendall(self.byte)
                if self.socket.recv(1000) == b"":
                    self.closed = time.monotonic() - self.begun
            except TimeoutError:
                pass
            except OSError:
                self.closed = time.monotonic() - self.begun


class Trickling(threading.Thread):
    """A client that reads its large answer, but a little now and then; notes when it was closed."""

    def __init__(self, socket):
        super().__init__(daemon=True)
        self.socket, self.begun, self.closed, self.size = socket, time.monotonic(), None, 0

    def run(self):
        try:
            while piece := self.socket.recv(65536):
                self.size += len(piece)
                time.sleep(0.5)
        except OSError:
            pass
        self.closed = time.monotonic() - self.begun


class Told:
    """News without a pause, and streams that read it: none of them may end, also where a beat falls due in between. In a
    process of its own, so that a Watch does not count it."""

    def __init__(self, seconds):
        self.server = Server("127.0.0.1:0")
        self.sockets = [connect(self.server) for _ in range(16)]
        for s in self.sockets:
            s.sendall(get("/events"))
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os._exit(self.run(seconds))
            except BaseException as error:
                print(f"  {error!r}", flush=True)
                os._exit(100)

    def run(self, seconds):
        begun, ended = time.monotonic(), 0
        while time.monotonic() - begun < seconds:
            self.server.command("tell")
            for s in select.select(self.sockets, [], [], 0)[0]:
                if not s.recv(1 << 16):
                    self.sockets.remove(s)
                    ended += 1
        return ended

    def join(self):
        """How many ended."""
        _, status = os.waitpid(self.pid, 0)
        self.server.end()
        return os.waitstatus_to_exitcode(status)


# Longer than two beats. Before any thread: it forks.
told = Told(21)

# What of these is closed by time alone is begun now and looked at last. They have a server of their own: on another,
# they might give way to those that come later.
quiet = Server("127.0.0.1:0")
mute = Dripping(connect(quiet), b"")
dripping = Dripping(connect(quiet), b"X")
dripping.socket.sendall(b"GET /metrics HTTP/1.1\r\n")
kept = Dripping(connect(quiet), b"")
kept.socket.sendall(get("/healthz"))
read_answer(kept.socket)
quiet.command("report 8000000 a")
trickling = Trickling(connect(quiet, receive=65536))
trickling.socket.sendall(get("/report"))
for client in (mute, dripping, kept, trickling):
    client.start()


# Pages. REQUEST, status, type, body (None: any)
report = b'"' + b"a" * 1000 + b'"\n'
rows = [
    (get("/metrics"), 200, "text/plain; version=0.0.4; charset=utf-8", METRICS),
    (get("/metrics?name=x"), 200, "text/plain; version=0.0.4; charset=utf-8", METRICS),
    (get("/report"), 200, "application/json", report),
    (get("/healthz"), 200, PLAIN, b"ok\n"),
    (get("/"), 200, HTML, None),
    (get("/", version="1.0", host=None), 200, HTML, None),
    (get("/summary"), 200, "application/json", b'{"size": 1000}\n'),
    (get("/drawing.svg"), 202, PLAIN, b"it is being drawn\n"),
    (get("/build"), 202, PLAIN, b"it is being drawn\n"),
    (get("/nodes"), 200, "application/json", b'"none" "none"\n'),
    (get("/nodes?name=a%20%22b%00c&guid=0x1"), 200, "application/json", b'"a \\"b" "0x1"\n'),
    (get("/report", version="1.0", host=None), 200, "application/json", report),
    (get("/nothing"), 404, PLAIN, b"no such page; / lists them all\n"),
    (get("/metrics/"), 404, PLAIN, None),
    (get("//metrics"), 404, PLAIN, None),
    (get("/../metrics"), 404, PLAIN, None),
    (get("/Metrics"), 404, PLAIN, None),
    (get("http://rebound.example/metrics"), 404, PLAIN, None),
    (get("*", method="OPTIONS"), 404, PLAIN, None),
    (get("/nothing", method="POST"), 404, PLAIN, None),
]
for request, status, kind, body in rows:
    answer = ask(server, request)
    # What has a tag may be kept, and is asked for again.
    cache = "no-cache" if answer is not None and "etag" in answer[1] else "no-store"
    good = (answer is not None and answer[0] == status and answer[1].get("content-type") == kind and
            answer[1].get("cache-control") == cache and answer[1].get("x-content-type-options") == "nosniff" and
            answer[1].get("referrer-policy") == "no-referrer" and
            answer[1].get("content-security-policy", "").startswith("default-src 'none'; ") and (body is None or answer[2] == body) and answer[3] == b"")
    result(f"{request.splitlines()[0].decode()}: {status}", good, answer)

answer = ask(server, get("/"))
listed = answer[2].decode()
result("/ lists the pages", all(f'"{page}"' in listed for page in (
    "/summary", "/drawing.svg", "/build", "/nodes", "/events", "/metrics", "/report", "/healthz")), listed)
policy = dict(part.strip().split(" ", 1) for part in answer[1]["content-security-policy"].split(";"))
for tag in ("style", "script"):
    source = listed.split(f"<{tag}>", 1)[1].split(f"</{tag}>", 1)[0]
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    result(f"the policy allows that {tag} and no other", listed.count(f"<{tag}") == 1 and
           policy.pop(tag + "-src") == f"'sha256-{digest}'", answer[1]["content-security-policy"])
result("the policy allows nothing else but requests to the daemon", policy == {
    "default-src": "'none'", "connect-src": "'self'", "img-src": "'self' data:", "base-uri": "'none'",
    "form-action": "'none'", "frame-ancestors": "'none'"}, policy)
outside = re.findall(r"(?:https?:)?//[\w.-]+\.\w+|url\([^#]|@import", listed.replace("http://www.w3.org/2000/svg", ""))
result("it asks for nothing outside", not outside, outside)
for name in ("/", "/summary"):
    tag = ask(server, get(name))[1]["etag"]
    rows = [(tag, 304), (f'W/"x", {tag}', 304), ('"0123456789abcdef"', 200), ("*" + tag[1:], 200)]
    for own, status in rows:
        answer = ask(server, get(name, more=f"If-None-Match: {own}\r\n"))
        result(f"{name}, kept as {own}: {status}", answer is not None and answer[0] == status and
               answer[1].get("etag") == tag and (answer[2] == b"") == (status == 304), answer)

for path in ("/metrics", "/report", "/healthz", "/", "/summary", "/drawing.svg", "/nodes", "/nothing"):
    whole = ask(server, get(path))
    with connect(server) as s:
        s.sendall(get(path, method="HEAD", more="Connection: close\r\n"))
        head, rest = read_head(s)
        while rest is not None and (more := s.recv(4096)):
            rest += more
    status, headers = parse(head)
    result(f"HEAD {path}: the head of GET, and no body", status == whole[0] and rest == b"" and
           headers["content-length"] == str(len(whole[2])) and headers["content-type"] == whole[1]["content-type"],
           (status, headers, rest))

# Methods.
for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "get", "BREW"):
    answer = ask(server, get("/metrics", method=method))
    result(f"{method}: 405, and what is allowed", answer is not None and answer[0] == 405 and
           answer[1].get("allow") == "GET, HEAD" and answer[1].get("cache-control") == "no-store", answer)

# Bodies: none is read.
rows = [
    ("POST with a body", get("/report", method="POST", more="Content-Length: 5\r\n") + b"hello", 405),
    ("POST of a terabyte", get("/report", method="POST", more="Content-Length: 1099511627776\r\n") + b"x" * 5000, 405),
    ("POST in chunks", get("/report", method="POST", more="Transfer-Encoding: chunked\r\n") + b"5\r\nhello\r\n", 405),
    ("POST that waits for 100", get("/report", method="POST", more="Content-Length: 5\r\nExpect: 100-continue\r\n"),
     405),
    ("GET with a body", get("/report", more="Content-Length: 5\r\n") + b"hello", 413),
    ("GET in chunks", get("/report", more="Transfer-Encoding: chunked\r\n") + b"5\r\nhello\r\n", 413),
    ("GET with an empty body", get("/report", more="Content-Length: 0\r\n"), 200),
]
for name, request, status in rows:
    with connect(server) as s:
        s.sendall(request)
        answer = read_answer(s)
        closed = status == 200 or is_closed(s)
    result(f"{name}: {status}", answer is not None and answer[0] == status and closed, (answer, closed))

# Which names of this host are believed.
rows = [
    ("localhost", 200), ("LocalHost:9683", 200), ("127.0.0.1", 200), ("127.0.0.1:9683", 200), ("[::1]", 200),
    ("[::1]:9683", 200), ("192.0.2.7:80", 200), ("", 200), ("localhost:", 200), (None, 200),
    ("rebound.example", 403), ("rebound.example:9683", 403), ("localhost.rebound.example", 403),
    ("127.0.0.1.rebound.example", 403), ("127.0.0.1:9683.rebound.example", 403), ("[::1].rebound.example", 403),
    ("[rebound.example]", 403), ("[::1", 403), ("::1", 403), ("localhost:9683:9", 403), ("a" * 300, 403),
    ("local\xe9host", 403), ("[]", 403), ("[", 403), ("0x7f.1", 403), ("localhost@rebound.example", 403),
]
for host, status in rows:
    version = "1.0" if host is None else "1.1"
    answer = ask(server, get("/report", host=host, version=version))
    result(f"Host {host if host is None else ascii(host)[:40]}: {status}",
           answer is not None and answer[0] == status and (status == 200 or b"aaa" not in answer[2]), answer)
answer = ask(server, get("/report", more="Host: rebound.example\r\n"))
result("two Hosts, one of them bad: 403", answer is not None and answer[0] == 403, answer)
answer = ask(server, get("/report", host="rebound.example", more="Host: localhost\r\n"))
result("two Hosts, the other bad: 403", answer is not None and answer[0] == 403, answer)

# What is no request, or too much of one: refused or closed, and nobody else is the worse for it.
rows = [
    ("a header of 1 MB", get("/metrics", more="X: " + "x" * 1000000 + "\r\n"), (431, 413, 400)),
    ("10,000 headers", get("/metrics", more="X: y\r\n" * 10000), (431, 413, 400)),
    ("a path of 1 MB", get("/" + "x" * 1000000), (414, 431, 400)),
    ("a TLS handshake", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 505 + b"\r\n\r\n", (400, 404, 405)),
    ("zeros", b"\0" * 100000, (400, 414, 431)),
    ("an endless line", b"x" * 1000000, (400, 414, 431)),
    ("a version of its own", b"GET /metrics HTTP/9.9\r\nHost: localhost\r\n\r\n", (200, 400, 505)),
    ("two lengths", get("/report", more="Content-Length: 5\r\nContent-Length: 6\r\n") + b"hello", (400, 413)),
    ("a length below zero", get("/report", more="Content-Length: -5\r\n"), (400, 413)),
]
for name, request, statuses in rows:
    answer = ask(server, request)
    result(f"{name}: refused", (answer is None or answer[0] in statuses) and serves(server), answer)

# States.
server.command("report none")
answer = ask(server, get("/report"))
result("no report yet: 503 and why", answer[0] == 503 and answer[2] == b"the first sweep is not done yet\n" and
       answer[1]["content-type"] == PLAIN, answer)
answer = ask(server, get("/report", method="HEAD"), head_only=True)
result("no report yet: 503 for HEAD too", answer is not None and answer[0] == 503, answer)
server.command("health bad")
answer = ask(server, get("/healthz"))
result("no progress: 503 and why", answer[0] == 503 and answer[2] == b"no progress for 99 s\n", answer)
server.command("health good")
server.command("report 10 b")
result("no X-Ftcheck-State where there is nothing to say", "x-ftcheck-state" not in ask(server, get("/report"))[1])
for said, shown in (("polling: no SM answers", "polling: no SM answers"), ("a^Set-Cookie: b", "a\\x0aSet-Cookie: b"),
                    ("caf\xe9", "caf??"), ("ends^", "ends")):
    server.command("state " + said)
    answer = ask(server, get("/report"))
    result(f"X-Ftcheck-State: {shown}", answer[1].get("x-ftcheck-state") == shown and "set-cookie" not in answer[1] and
           answer[2] == b'"bbbbbbbbbb"\n', answer)
result("X-Ftcheck-State stands on /report only", "x-ftcheck-state" not in ask(server, get("/metrics"))[1])

# Streams of events.
STREAMS = 16


class Stream:
    """One of /events, as its client sees it."""

    def __init__(self, server, receive=None):
        self.socket = connect(server, receive=receive)
        self.socket.sendall(get("/events"))
        self.head, self.data = read_head(self.socket)

    def status(self):
        return parse(self.head)[0]

    def take(self):
        """What has come so far, without waiting."""
        try:
            self.data += self.socket.recv(1 << 20, socket.MSG_DONTWAIT)
        except BlockingIOError:
            pass

    def next(self):
        """The number of the next event, without comments."""
        while not (found := re.search(rb"id: (\d+)\nevent: change\ndata: \1\n\n", self.data)):
            more = self.socket.recv(4096)
            if not more:
                return None
            self.data += more
        self.data = self.data[found.end():]
        return int(found.group(1))


begun = server.descriptors()
stream = Stream(server)
head = parse(stream.head)
result("/events is a stream", head[0] == 200 and head[1]["content-type"] == "text/event-stream" and
       head[1]["cache-control"] == "no-store" and "content-length" not in head[1], stream.head)
first = stream.next()
server.command("tell")
asked = Watch(server)
result("an event comes at once, and the next when there is something new", first is not None and
       stream.next() == first + 1 and asked.kept_s() < 4, first)
for _ in range(5):
    server.command("tell")
seen = first + 1
while seen is not None and seen < first + 6:
    seen = stream.next()
result("a client that is late sees the last one", seen == first + 6, seen)
with connect(server) as s:
    s.sendall(get("/events", method="HEAD"))
    head = parse(read_head(s)[0])
    result("HEAD /events: no stream", head[0] == 200 and head[1]["content-type"] == "text/event-stream", head)
answer = ask(server, get("/events", method="POST"))
result("POST /events: 405", answer is not None and answer[0] == 405, answer)
answer = ask(server, get("/events", host="rebound.example"))
result("/events for another host: 403", answer is not None and answer[0] == 403, answer)
streams = [stream] + [Stream(server) for _ in range(STREAMS - 1)]
result(f"{STREAMS} streams", all(s.status() == 200 for s in streams), [s.head for s in streams])
answer = ask(server, get("/events"))
result("one more: 503", answer is not None and answer[0] == 503 and b"too many" in answer[2], answer)
result("and all else is served", serves(server))
streams.pop().socket.close()
asked = time.monotonic()
while (status := (again := Stream(server)).status()) != 200 and time.monotonic() - asked < DEADLINE:
    again.socket.close()
result("in place of one that has gone, another", status == 200, status)
streams.append(again)
clients = [connect(server) for _ in range(300)]
for c in clients:
    c.sendall(b"GET /rep")
result("300 connections that come to nothing do not cost a stream its place", serves(server), None)
server.command("tell")
seen = [0 if s.next() is None else 1 for s in streams]
result("all streams are told", sum(seen) == STREAMS, seen)
for c in clients:
    c.close()
deaf = streams.pop()
deaf.socket.close()
while (deaf := Stream(server, receive=1024)).status() != 200:
    deaf.socket.close()
for number in range(30000):
    server.command("tell")
    # The others read all the time: whoever does not for a while is taken for gone.
    if number % 100 == 0:
        for s in streams:
            s.take()
result("one that does not read holds nobody up", serves(server) and all(s.next() for s in streams))
asked = time.monotonic()
cpu = server.cpu_s()
comment = b""
while b":\n\n" not in comment:
    comment = streams[0].socket.recv(4096)
    if not comment:
        break
result("a stream without news sends a comment now and then", b":\n\n" in comment, comment)
result("and nothing turns meanwhile", server.cpu_s() - cpu < 0.1 * (time.monotonic() - asked) + 0.2, server.cpu_s() - cpu)
for s in streams + [deaf]:
    s.socket.close()
asked = time.monotonic()
while (held := server.descriptors()) > begun and time.monotonic() - asked < DEADLINE:
    serves(server)
    time.sleep(0.01)
result("streams that have gone leave nothing behind", held <= begun, (begun, held))

# Connections that stay, requests that come at once, and clients that close their half.
with connect(server) as s:
    answers = []
    for path in ("/metrics", "/nothing", "/report", "/healthz"):
        s.sendall(get(path))
        answers.append(read_answer(s))
    result("four requests on one connection", [a and a[0] for a in answers] == [200, 404, 200, 200], answers)
with connect(server) as s:
    s.sendall(get("/healthz") + get("/metrics", method="HEAD") + get("/report") + get("/nothing") +
              get("/metrics", more="Connection: close\r\n"))
    answers, rest = [], b""
    for head_only in (False, True, False, False, False):
        answer = read_answer(s, rest, head_only)
        rest = answer[3]
        answers.append(answer)
    result("five requests in a row without waiting", [a[0] for a in answers] == [200, 200, 200, 404, 200] and
           [len(a[2]) for a in answers] == [3, 0, 13, 31, len(METRICS)] and rest == b"" and is_closed(s), answers)
with connect(server) as s:
    s.sendall(get("/healthz", version="1.0"))
    result("HTTP/1.0 is closed after its answer", read_answer(s)[0] == 200 and is_closed(s))
with connect(server) as s:
    s.sendall(get("/metrics"))
    s.shutdown(socket.SHUT_WR)
    answer = read_answer(s)
    result("half closed after the request: answered", answer is not None and answer[2] == METRICS, answer)
with connect(server) as s:
    s.sendall(b"GET /metr")
    s.shutdown(socket.SHUT_WR)
    result("half closed within the request: closed", is_closed(s))
with connect(server) as s:
    for byte in get("/healthz"):
        s.sendall(bytes([byte]))
    answer = read_answer(s)
    result("a request byte by byte", answer is not None and answer[0] == 200, answer)

# Many at once: all connect, all ask, then all read.
clients = [connect(server) for _ in range(50)]
for c in clients:
    c.sendall(get("/metrics"))
answers = [read_answer(c) for c in clients]
result("50 clients at once", all(a is not None and a[0] == 200 and a[2] == METRICS for a in answers))
for c in clients:
    c.close()

# Large pages, and who does not fetch them.
LARGE = 8000000
server.command(f"report {LARGE} c")
answer = ask(server, get("/report"))
result("a report of 8 MB", answer is not None and answer[2] == b'"' + b"c" * LARGE + b'"\n')
with connect(server) as s:
    s.sendall(get("/report"))
    s.shutdown(socket.SHUT_WR)
    answer = read_answer(s)
    result("a report of 8 MB to a client that closed its half", answer is not None and len(answer[2]) == LARGE + 3)
for _ in range(5):
    s = connect(server)
    s.sendall(get("/report"))
    s.recv(100)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()
result("clients that reset amid a large answer", serves(server))

unread = [connect(server, receive=4096) for _ in range(40)]
for c in unread:
    c.sendall(get("/report"))
    c.recv(1)
result("40 clients that do not read their 8 MB keep nobody waiting", serves(server) and
       len(ask(server, get("/report"))[2]) == LARGE + 3)
sanitized = "libasan" in open(f"/proc/{server.process.pid}/maps").read()
if sanitized:
    print("ok - and share one copy # skip ASan keeps what is freed")
else:
    result(f"and share one copy ({server.peak_mib():.0f} MiB)", server.peak_mib() < 64)
# The report changes under them: whoever holds the older ones gives way, so that what they hold is bounded.
for letter in "defghijkl":
    server.command(f"report {LARGE} {letter}")
    c = connect(server, receive=4096)
    c.sendall(get("/report"))
    status = parse(read_head(c)[0])[0]
    unread.append(c)
    if status != 200:
        break
result("nine reports of different age asked for and not read: each is sent", status == 200, (letter, status))
result("and all else is served", serves(server) and ask(server, get("/metrics"))[2] == METRICS)
answer = ask(server, get("/report"))
result("and the newest report", answer[0] == 200 and answer[2] == b'"' + b"l" * LARGE + b'"\n')
if sanitized:
    print("ok - in bounded memory # skip ASan keeps what is freed")
else:
    result(f"in bounded memory ({server.peak_mib():.0f} MiB)", server.peak_mib() < 96)
for c in unread:
    c.close()

# Who asks at once and reads the answer is served at once, whatever others did before and do meanwhile. The limit is less
# than what any deadline frees a place in.
AT_ONCE = 4
# The same where all that is sent is 8 MB, again and again.
AT_ONCE_LARGE = 12


def scrape(server, size, limit=AT_ONCE):
    """What is wrong with the three pages; None if nothing is."""
    for path, length in (("/report", size + 3), ("/metrics", len(METRICS)), ("/healthz", 3)):
        watch = Watch(server)
        answer = ask(server, get(path, more="Connection: close\r\n"))
        took = watch.kept_s()
        if answer is None or answer[0] != 200 or len(answer[2]) != length:
            return path, answer and answer[:2]
        if took > limit:
            return path, f"{took:.1f} s"
    return None


def send(s, data):
    """As much as goes without waiting, to one that may have closed."""
    s.setblocking(False)
    try:
        s.send(data)
    except OSError:
        pass
    s.setblocking(True)


def reset(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


# 300 connections that come to nothing, closed by their clients. WHAT, what is sent, what is done before it is closed
rows = [
    ("nothing sent", b"", None),
    ("a part of a request", b"GET /rep", None),
    ("no HTTP", b"\0\1\2\3" * 100, None),
    ("no HTTP, in lines", b"hello\r\n\r\n", None),
    ("a head that is too long", get("/report", more="X: " + "x" * 30000 + "\r\n"), None),
    ("a reset", b"GET /rep", reset),
    ("a request whose answer is not read", get("/report"), None),
    ("two requests, the second a part", get("/metrics") + b"GET /rep", None),
    ("a hundred requests at once", get("/metrics") * 100, None),
    ("a body that does not come", get("/report", method="POST", more="Content-Length: 100\r\n") + b"abc", None),
]
server.command("report 100000 m")
base = server.descriptors()
for name, sent, before in rows:
    begun = time.monotonic()
    for _ in range(300):
        with connect(server) as s:
            send(s, sent)
            if before:
                before(s)
    wrong = scrape(server, 100000)
    result(f"300 connections closed after {name}: then all is served at once", wrong is None, wrong)
    watch = Watch(server)
    while (held := server.descriptors()) > base and watch.kept_s() < AT_ONCE:
        time.sleep(0.01)
    result(f"300 connections closed after {name}: none is left", held <= base, (held, base))

# Connections that stay open. WHAT, how many, what is sent at first and then now and then
rows = [
    ("that send nothing", 200, b"", b""),
    ("that drip", 80, b"GET /rep", b"o"),
    ("that drip, and many", 400, b"GET /rep", b"o"),
    ("that drip a head", 200, b"GET /report HTTP/1.1\r\n", b"X: y\r\n"),
    ("that wait between two requests", 200, get("/metrics"), b""),
    ("that drip their second request", 200, get("/metrics"), b"G"),
    ("that send requests and read nothing", 100, get("/report") * 20, get("/report")),
]
for name, count, first, then in rows:
    holders = []
    for _ in range(count):
        holders.append(connect(server, receive=4096))
        send(holders[-1], first)
    wrong = None
    for _ in range(5):
        wrong = wrong or scrape(server, 100000)
        for c in holders:
            send(c, then)
    result(f"{count} connections {name}: all is served at once", wrong is None, wrong)
    for c in holders:
        c.close()

server.command(f"report {LARGE} n")
holders = [connect(server, receive=4096) for _ in range(100)]
for c in holders:
    send(c, get("/report"))
wrong = scrape(server, LARGE, AT_ONCE_LARGE)
result("100 connections that never read a large report: all is served at once", wrong is None, wrong)
for c in holders:
    c.close()

# Of those that may give way, one that fetches something does so last.
slow = connect(server, receive=4096)
slow.sendall(get("/report"))
begun = slow.recv(1)
holders = []
for _ in range(200):
    holders.append(connect(server))
    send(holders[-1], b"GET /rep")
wrong = scrape(server, LARGE, AT_ONCE_LARGE)
answer = read_answer(slow, begun)
result("200 connections that drip do not cost the place of one that reads slowly", wrong is None and
       answer is not None and len(answer[2]) == LARGE + 3, (wrong, answer and answer[:2]))
for c in holders + [slow]:
    c.close()

# Nor do answers to queries, each another one, cost more than so much.
server.command(f"report {LARGE} n")
holders, statuses = [], set()
for number in range(16):
    holders.append(connect(server, receive=4096))
    holders[-1].sendall(get(f"/nodes?name=all&guid={number}"))
    statuses.add(parse(read_head(holders[-1])[0])[0])
result("16 other queries asked and not read: each is answered", statuses == {200} and serves(server), statuses)
if sanitized:
    print("ok - in bounded memory too # skip ASan keeps what is freed")
else:
    result(f"in bounded memory too ({server.peak_mib():.0f} MiB)", server.peak_mib() < 96)
for c in holders:
    c.close()

# What one asks of the nodes is no newer than what another does. A report that has a newer one gives way first.
slow = connect(server, receive=4096)
slow.sendall(get("/nodes?name=all"))
begun = slow.recv(1)
ask(server, get("/nodes?name=other"))
holders = []
for letter in "opqr":
    server.command(f"report {LARGE} {letter}")
    holders.append(connect(server, receive=4096))
    holders[-1].sendall(get("/report"))
    read_head(holders[-1])
answer = read_answer(slow, begun)
result("nodes that are read slowly are not cut for those that others ask for", answer is not None and
       len(answer[2]) == LARGE + 3 + len('"all" "none"\n'), answer and answer[:2])
for c in holders + [slow]:
    c.close()

# A client that closed its half and has its answers is let go.
begun = server.descriptors()
halves = []
for request in (get("/metrics"), get("/metrics") * 3, get("/metrics") + b"GET /rep", b"GET /rep", b"\0\1\2"):
    halves.append(connect(server))
    halves[-1].sendall(request)
    halves[-1].shutdown(socket.SHUT_WR)
watch = Watch(server)
heads = []
for c in halves:
    data = b""
    while more := c.recv(65536):
        data += more
    heads.append(data.count(b"HTTP/1.1 200 OK"))
ended = watch.kept_s()
result("clients that closed their half are answered, and let go at once", heads == [1, 3, 1, 0, 0] and ended < AT_ONCE,
       (heads, ended))

# And the server does not turn in circles while connections wait.
cpu = server.cpu_s()
begun = time.monotonic()
idle = [connect(server) for _ in range(60)]
waiting = connect(server, receive=4096)
waiting.sendall(get("/report"))
closed = all(is_closed(c) for c in idle)
cpu = server.cpu_s() - cpu
result("60 idle clients are closed in the end", closed and time.monotonic() - begun > AT_ONCE, time.monotonic() - begun)
result("and nothing turned meanwhile", cpu < 0.1 * (time.monotonic() - begun) + 0.2,
       f"{cpu} s of CPU in {time.monotonic() - begun} s")
for c in idle + [waiting]:
    c.close()
result("all are gone, and it serves", serves(server))

# Those that only time ends. One byte now and then keeps a connection from being idle, but not for ever.
for client in (mute, dripping, kept, trickling):
    client.join()
ended = told.join()
result("streams that are read stay, also while there is always something new", ended == 0, ended)
result("a client that never sends is closed, not before its time", (mute.closed or 0) > 4.5, mute.closed)
result("a client that sends a byte now and then is closed in the end, not before its time", (dripping.closed or 0) > 4.5,
       dripping.closed)
result("a client between two requests is given more time", (kept.closed or 0) > 14, kept.closed)
result(f"a client that reads too slowly ({trickling.closed:.0f} s) is closed in the end, not before its time",
       trickling.closed > 19 and trickling.size < 8000000, (trickling.closed, trickling.size))
result("the quiet server ends cleanly", quiet.end() == 0)

# Other ways to listen.
other = Server(f"127.0.0.1:{server.port}")
result("a port that is taken", other.process.wait(timeout=DEADLINE) == 1 and
       other.said == f"cannot listen on 127.0.0.1:{server.port}: Address already in use", other.said)
result("ends cleanly", server.end() == 0)
held = connect(again := Server("127.0.0.1:0"))
stream = Stream(again)
stream.next()
result("ends cleanly with clients on it", again.end() == 0 and is_closed(held) and stream.next() is None)

# Linux has 127.0.0.0/8 whole.
server = Server("127.9.9.9:0")
answer = ask(server, get("/healthz", host="rebound.example"), host="127.9.9.9")
result("127.9.9.9 is loopback too", answer is not None and answer[0] == 403 and server.end() == 0, answer)

server = Server("[::1]:0")
if server.port is None:
    print(f"ok - IPv6 # skip {server.said}")
else:
    answer = ask(server, get("/healthz", host=f"[::1]:{server.port}"), host="::1")
    result("IPv6", answer is not None and answer[2] == b"ok\n" and
           ask(server, get("/healthz", host="rebound.example"), host="::1")[0] == 403, answer)
    result("IPv6 ends cleanly", server.end() == 0)

with tempfile.TemporaryDirectory() as work:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(work + "/s")
    listener.listen(16)
    server = Server("--fd", str(listener.fileno()), pass_fds=[listener.fileno()])
    listener.close()
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(DEADLINE)
        s.connect(work + "/s")
        # No browser comes this way, and clients make up a name.
        s.sendall(get("/metrics", host="whatever"))
        answer = read_answer(s)
    result("an AF_UNIX socket that was handed over", server.port == 0 and answer is not None and
           answer[2] == METRICS, answer)
    result("and ends cleanly", server.end() == 0)

listener = socket.create_server(("127.0.0.1", 0))
server = Server("--fd", str(listener.fileno()), pass_fds=[listener.fileno()])
same = server.port == listener.getsockname()[1]
listener.close()
result("a TCP socket that was handed over", same and serves(server) and
       ask(server, get("/healthz", host="rebound.example"))[0] == 403 and server.end() == 0)

for name, make in (("one that does not listen", lambda: socket.socket()),
                   ("a datagram socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
                   ("a file", lambda: open(os.devnull))):
    with make() as f:
        server = Server("--fd", str(f.fileno()), pass_fds=[f.fileno()])
        result(f"handed over: {name}", server.said == f"file descriptor {f.fileno()} is no listening stream socket" and
               server.process.wait(timeout=DEADLINE) == 1, server.said)

# Addresses.
form = '"%s" is not ADDRESS:PORT, such as 127.0.0.1:9683 or [::1]:9683'
far = '"%s" is no loopback address; for others let systemd open the socket, or a proxy'
port = '"%s" is not a port, 0 to 65535'
rows = [
    ("127.0.0.1:9683", "good"), ("127.255.255.254:1", "good"), ("[::1]:65535", "good"), ("localhost:9683", "good"),
    ("127.0.0.1:0", "good"), ("[::ffff:127.0.0.1]:1", "good"),
    ("", form), ("9683", form), (":9683", form), ("127.0.0.1", form), ("::1:9683", form), ("[::1]", port % "1]"),
    ("[::1:9683", form), ("[]:9683", form), ("[127.0.0.1]:9683", form), ("example.com:80", form), ("127.1:80", form),
    ("127.0.0.1:80:90", form), ("a" * 100 + ":80", form), (" 127.0.0.1:80", form),
    ("127.0.0.1:", port % ""), ("127.0.0.1:x", port % "x"), ("127.0.0.1:+1", port % "+1"),
    ("127.0.0.1:65536", port % "65536"), ("127.0.0.1:000080", port % "000080"), ("127.0.0.1:80 ", port % "80 "),
    ("0.0.0.0:9683", far), ("[::]:9683", far), ("192.0.2.1:9683", far), ("[fe80::1]:9683", far),
    ("[::ffff:192.0.2.1]:9683", far), ("128.0.0.1:9683", far), ("255.255.255.255:1", far),
]
for address, said in rows:
    seen = subprocess.run([TOOL, "--check", address], stdout=subprocess.PIPE, text=True).stdout.strip("\n")
    result(f"address {json.dumps(address)[:40]}", seen == (said % address if "%s" in said else said), seen)

sys.exit(failed != 0)
END
