#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the daemon logs: each field of a journal entry, and where it goes if there is no journal or none that reads."""

import contextlib
import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import uuid

SOURCE, BUILD = os.environ['FT_SRCDIR'], os.environ['FT_BUILDDIR']
TOOL = os.path.join(BUILD, 'tests', 'log_tool')
NAMESPACE = uuid.UUID('6d5b0f7c-40a1-4c1e-9b3e-2f1d7a64c8e5')
DEADLINE = 120

RAISED, CHANGED, CLEARED = range(3)
INFO, WARNING, CRITICAL = range(3)

CABLE = {'seq': 7, 'id': 'cable-missing:0x1:20-0x2:8', 'code': 'cable-missing', 'severity': WARNING,
         'text': 'the cable between edge001 and core01 is missing', 'fix': 'plug it in', 'name': 'edge001', 'guid': 0x1,
         'port': 20, 'finding': '{"id": "cable-missing:0x1:20-0x2:8"}', 'wall_ms': 1700000000000,
         'raised_ms': 1700000000000, 'fabric': 'lab', 'instance': 'mlx5_0:1'}

CABLE_FIELDS = {
    'MESSAGE': 'the cable between edge001 and core01 is missing; fix: plug it in', 'PRIORITY': '4',
    'SYSLOG_IDENTIFIER': 'ftcheckd', 'FTCHECK_EVENT': 'raised', 'FTCHECK_SEQ': '7', 'FTCHECK_CODE': 'cable-missing',
    'FTCHECK_ID': 'cable-missing:0x1:20-0x2:8', 'FTCHECK_SEVERITY': 'warning',
    'FTCHECK_TEXT': 'the cable between edge001 and core01 is missing', 'FTCHECK_FIX': 'plug it in',
    'FTCHECK_SWITCH': 'edge001', 'FTCHECK_GUID': '0x0000000000000001', 'FTCHECK_PORT': '20', 'FTCHECK_FABRIC': 'lab',
    'FTCHECK_INSTANCE': 'mlx5_0:1', 'FTCHECK_TIME': '2023-11-14T22:13:20.000Z',
    'FTCHECK_RAISED_AT': '2023-11-14T22:13:20.000Z', 'FTCHECK_DURATION_S': '0.000',
    'FTCHECK_FINDING': '{"id": "cable-missing:0x1:20-0x2:8"}', '_by': 'datagram'}

# What differs from CABLE; what differs from CABLE_FIELDS (None: is not there).
ENTRIES = [
    ('a raised one', {}, {}),
    ('a changed one', {'event': CHANGED, 'severity': CRITICAL, 'wall_ms': 1700000005000, 'duration_ms': 5000},
     {'MESSAGE': 'changed: the cable between edge001 and core01 is missing; fix: plug it in', 'PRIORITY': '2',
      'FTCHECK_EVENT': 'changed', 'FTCHECK_SEVERITY': 'critical', 'FTCHECK_TIME': '2023-11-14T22:13:25.000Z',
      'FTCHECK_DURATION_S': '5.000'}),
    ('a cleared one', {'event': CLEARED, 'text': 'repaired: the cable: a thing', 'wall_ms': 1700000185250,
                       'duration_ms': 185250},
     {'MESSAGE': 'repaired after 3 min: the cable: a thing', 'PRIORITY': '5', 'FTCHECK_EVENT': 'cleared',
      'FTCHECK_TEXT': 'repaired: the cable: a thing', 'FTCHECK_TIME': '2023-11-14T22:16:25.250Z',
      'FTCHECK_DURATION_S': '185.250'}),
    ('a cleared one that was not repaired', {'event': CLEARED, 'text': 'no alert any more: the cable',
                                             'duration_ms': 90061000},
     {'MESSAGE': 'no alert any more after 1 d 1 h: the cable', 'PRIORITY': '5', 'FTCHECK_EVENT': 'cleared',
      'FTCHECK_TEXT': 'no alert any more: the cable', 'FTCHECK_DURATION_S': '90061.000'}),
    ('a cleared one without a reason', {'event': CLEARED, 'text': 'the cable'},
     {'MESSAGE': 'over after 0 s: the cable', 'PRIORITY': '5', 'FTCHECK_EVENT': 'cleared', 'FTCHECK_TEXT': 'the cable'}),
    ('information', {'severity': INFO}, {'PRIORITY': '6', 'FTCHECK_SEVERITY': 'info'}),
    ('one of a flapping link', {'code': 'link-flapping', 'id': 'link-flapping:0x1:20'},
     {'FTCHECK_CODE': 'link-flapping', 'FTCHECK_ID': 'link-flapping:0x1:20'}),
    ('one without a place', {'name': None, 'guid': 0, 'port': 0, 'fix': '', 'instance': '', 'finding': None},
     {'MESSAGE': 'the cable between edge001 and core01 is missing', 'FTCHECK_SWITCH': None, 'FTCHECK_GUID': None,
      'FTCHECK_PORT': None, 'FTCHECK_FIX': None, 'FTCHECK_INSTANCE': None, 'FTCHECK_FINDING': None}),
    ('names that were hostile', {'name': '\\x0aFTCHECK_CODE=x é "=" \\', 'text': 'a=b; \\x1b[2J', 'guid': 0x7fffffffffffffff,
                                 'port': 254},
     {'MESSAGE': 'a=b; \\x1b[2J; fix: plug it in', 'FTCHECK_TEXT': 'a=b; \\x1b[2J',
      'FTCHECK_SWITCH': '\\x0aFTCHECK_CODE=x é "=" \\', 'FTCHECK_GUID': '0x7fffffffffffffff', 'FTCHECK_PORT': '254'}),
    ('more than a datagram takes', {'long': 20 << 20}, {'FTCHECK_FINDING': 'x' * (20 << 20), '_by': 'memfd'}),
    ('and one after it', {'seq': 2 ** 63 - 1}, {'FTCHECK_SEQ': '9223372036854775807'}),
]

KINDS = ['raised', 'changed', 'cleared']
failures = passes = 0


def result(what, wrong):
    global failures, passes
    print(f'{"not ok" if wrong else "ok"} - {what}')
    if wrong:
        failures += 1
        print('  ' + str(wrong)[:2000].replace('\n', '\n  '))
    else:
        passes += 1


def event(changes):
    return {'event': RAISED, **CABLE, **changes}


def fields(changes, differences):
    row = event(changes)
    expected = {**CABLE_FIELDS, **differences}
    expected['MESSAGE_ID'] = uuid.uuid5(NAMESPACE, f'{row["code"]}/{KINDS[row["event"]]}').hex
    return {key: value for key, value in expected.items() if value is not None}


def lines(rows):
    return ''.join(json.dumps(row) + '\n' for row in rows)


def shell(work, script, rows, **arguments):
    """Runs it with journal.sh at hand; the rows on standard input."""
    whole = 'set -eu\n. "$FT_SRCDIR/tests/journal.sh"\ntool=$1 work=$2\n' + script
    done = subprocess.run(['bash', '-c', whole, 'log', TOOL, work], input=lines(rows), text=True, timeout=DEADLINE,
                          stdout=subprocess.PIPE, check=False, **arguments)
    if done.returncode == 77:
        print("skipped: no mount namespace to be had")
        sys.exit(77)
    return done


def test_entries(work):
    rows = [event(changes) for _name, changes, _differences in ENTRIES]
    # Of our own begin to end: the journal that is found is there before, and read to its end after.
    done = shell(work, 'journal_start "$work"\njournal_run "$tool"\njournal_stop\n', rows, stderr=subprocess.PIPE)
    result('every entry is taken', (done.returncode, done.stdout, done.stderr)
           if done.returncode or done.stdout.split() != ['0'] * len(rows) or done.stderr else None)
    with open(os.path.join(work, 'journal.log'), encoding='utf-8') as file:
        entries = [json.loads(line) for line in file]
    result('one entry each', None if len(entries) == len(rows) else len(entries))
    for (name, changes, differences), entry in zip(ENTRIES, entries):
        expected = fields(changes, differences)
        wrong = [f'{key}: {str(expected.get(key))[:200]!r} expected, found {str(entry.get(key))[:200]!r}'
                 for key in sorted(set(expected) | set(entry)) if expected.get(key) != entry.get(key)]
        result(name, '\n'.join(wrong))
    # The whole test inside, as the daemon's tests do it.
    inside = os.path.join(work, 'inside.sh')
    with open(inside, 'w', encoding='utf-8') as file:
        file.write('. "$FT_SRCDIR/tests/journal.sh"\njournal_enter "$0" "$@"\nset -eu\njournal_start "$2"\n'
                   '"$1"\njournal_wait 1\njournal_exec true &\nwait $!\njournal_stop\ncat "$JOURNAL_LOG"\n')
    done = subprocess.run(['bash', inside, TOOL, work], input=lines([event({})]), text=True, timeout=DEADLINE,
                          stdout=subprocess.PIPE, check=False)
    found = done.stdout.split('\n', 1)
    result('a test that is all inside', None if found[0] == '0' and json.loads(found[1]) == fields({}, {}) else done.stdout)


ON_STDERR = 'the cable between edge001 and core01 is missing; fix: plug it in [warning cable-missing:0x1:20-0x2:8]\n'

# The state of /run/systemd/journal in which nobody takes an entry.
NOBODY = [
    ('no socket', 'journal_stop\nrm "$JOURNAL_DIR/socket"\n'),
    ('a socket that nobody listens at', 'journal_stop\n'),
    ('no directory for it', 'journal_stop\nrm "$JOURNAL_DIR/socket"\n: >"$JOURNAL_DIR/socket"\n'),
]


def test_nobody(work):
    for name, script in NOBODY:
        done = shell(work, 'journal_start "$work"\n' + script + 'journal_run "$tool"\n', [event({})], stderr=subprocess.PIPE)
        result(f'{name}: to standard error',
               None if (done.stdout, done.stderr) == ('0\n', 'ftcheckd: ' + ON_STDERR) else (done.stdout, done.stderr))


def fill(path, senders):
    """By one more sender: each has a limit of its own, beside that of the queue. Returns how many it could send."""
    sender = senders.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    sender.setblocking(False)
    sender.connect(path)
    for count in itertools.count():
        try:
            sender.send(b'x')
        except BlockingIOError:
            return count


def test_full(work):
    """A journal that reads nothing: nobody waits for it."""
    directory = os.path.join(work, 'journal')
    path = os.path.join(directory, 'socket')
    os.makedirs(directory, exist_ok=True)
    if os.path.exists(path):
        os.unlink(path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stuck, contextlib.ExitStack() as senders:
        stuck.bind(path)
        while fill(path, senders) > 0:
            pass
        script = 'journal_find_unshare\nJOURNAL_DIR=$work/journal\njournal_run "$tool"\n'
        done = shell(work, script, [event({})], stderr=subprocess.PIPE)
        result('a journal that does not read: told so, and nothing elsewhere',
               None if (done.stdout, done.stderr) == ('EAGAIN\n', '') else (done.stdout, done.stderr))
        # Nor for whoever should read standard error, where there is no journal.
        os.unlink(path)
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        try:
            while True:
                os.write(writing, b'x' * 65536)
        except BlockingIOError:
            pass
        os.set_blocking(writing, True)
        done = shell(work, script, [event({}), {'log': 3, 'text': 'lost'}], stderr=writing)
        result('nor does anybody read standard error: told so', None if done.stdout == 'EAGAIN\n0\n' else done.stdout)
        os.close(reading)
        done = shell(work, script, [event({}), {'log': 3, 'text': 'lost'}], stderr=writing)
        result('standard error is gone: told so', None if done.stdout == 'EPIPE\n0\n' else done.stdout)
        os.close(writing)


LINES = [
    ('plain', 3, 'cannot go on', 'cannot go on'),
    ('hostile', 4, 'a\n<0>b\x1b[2J\u202e', 'a\\x0a<0>b\\x1b[2J\\xe2\\x80\\xae'),
    ('empty', 6, '', ''),
]


def test_lines(work):
    for name, priority, text, expected in LINES:
        path = os.path.join(work, 'stderr')
        for connected in False, True:
            with open(path, 'w+', encoding='utf-8') as file:
                status = os.fstat(file.fileno())
                stream = f'{status.st_dev}:{status.st_ino + (0 if connected else 1)}'
                subprocess.run([TOOL], input=lines([{'log': priority, 'text': text}]), text=True, stdout=subprocess.PIPE,
                               stderr=file, env={**os.environ, 'JOURNAL_STREAM': stream}, timeout=DEADLINE, check=False)
                file.seek(0)
                found = file.read()
            prefix = f'<{priority}>' if connected else 'ftcheckd: '
            result(f'a line, {name}, {"with" if connected else "without"} a journal behind standard error',
                   None if found == prefix + expected + '\n' else repr(found))
    for stream in '', ':', '8', '8:', '8:1:2', 'x', '8:1 ':
        done = subprocess.run([TOOL], input=lines([{'log': 3, 'text': 'x'}]), text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, 'JOURNAL_STREAM': stream}, timeout=DEADLINE,
                              check=False)
        result(f'JOURNAL_STREAM={stream!r}', None if done.stderr == 'ftcheckd: x\n' else repr(done.stderr))
    done = subprocess.run([TOOL], input=lines([{'log': 3, 'text': 'x' * 100000}]), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=DEADLINE, check=False)
    result('a line is cut at what a pipe takes at once',
           None if done.stderr == 'ftcheckd: ' + 'x' * 4085 + '\n' else len(done.stderr))


def main():
    work = tempfile.mkdtemp(prefix='ftcheck-log.')
    try:
        test_lines(work)
        test_entries(work)
        test_nobody(work)
        test_full(work)
    finally:
        shutil.rmtree(work)
    print(f'{passes} passed, {failures} failed')
    sys.exit(1 if failures else 0)


main()
