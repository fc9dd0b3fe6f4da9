#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The hooks that are shipped, against servers and a sendmail of this test's own."""

import datetime
import email
import email.policy
import hashlib
import hmac
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.parse

HOOKS = os.path.join(os.environ['FT_SRCDIR'], 'etc', 'hooks')
DEADLINE = 120

EVENT = {'ftcheck_alert': 1, 'seq': 7, 'event': 'raised', 'time': '2023-11-14T22:13:20.000Z', 'fabric': 'lab',
         'instance': '', 'id': 'cable-missing:0x1:20-0x2:8', 'code': 'cable-missing', 'severity': 'warning',
         'text': 'the cable between edge001 and core01 is missing', 'fix': 'plug it in',
         'raised_at': '2023-11-14T22:13:20.000Z', 'duration_s': 0,
         'finding': {'where': [{'name': 'edge001', 'guid': '0x0000000000000001', 'port': 20}]}}
LABELS = {'alertname': 'cable-missing', 'severity': 'warning', 'id': 'cable-missing:0x1:20-0x2:8', 'fabric': 'lab',
          'switch': 'edge001', 'guid': '0x0000000000000001', 'port': '20'}

passes = failures = 0


def result(what, wrong):
    global passes, failures
    print(f'{"not ok" if wrong else "ok"} - {what}')
    if wrong:
        failures += 1
        print('  ' + str(wrong)[:2000].replace('\n', '\n  '))
    else:
        passes += 1


class Server(http.server.ThreadingHTTPServer):
    """Answers as it is told; keeps what it was asked."""

    daemon_threads = True

    def __init__(self, status=200, body=b'[]', silent=False):
        super().__init__(('127.0.0.1', 0), Handler)
        self.status, self.body, self.silent, self.asked, self.headers = status, body, silent, [], []
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.serve_forever, kwargs={'poll_interval': 0.01})
        self.thread.start()
        self.url = f'http://127.0.0.1:{self.server_address[1]}'

    def __exit__(self, *_args):
        self.ending.set()
        self.shutdown()
        self.thread.join()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self):
        length = int(self.headers.get('Content-Length', 0))
        body = self.rfile.read(length)
        self.server.asked.append((self.command, self.path, json.loads(body) if body else None))
        self.server.headers.append(dict(self.headers))
        if self.server.silent:
            self.server.ending.wait(DEADLINE)
            return
        self.send_response(self.server.status)
        if self.server.status // 100 == 3:
            self.send_header('Location', '/elsewhere')
        self.send_header('Content-Length', str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    do_GET = do_POST = answer

    def log_message(self, *_args):
        pass


def run(hook, event, settings, path=None, data=None):
    """As the daemon does: the JSON on standard input, the essentials in the environment."""
    where = ((event.get('finding') or {}).get('where') or [{}])[0]
    environment = {'PATH': '/usr/bin:/bin', 'FTCHECK_HOOKS_CONF': '/dev/null', 'FTCHECK_EVENT': event['event'],
                   'FTCHECK_TEXT': event['text'], 'FTCHECK_FIX': event['fix'] or '', 'FTCHECK_SEVERITY': event['severity'],
                   'FTCHECK_FABRIC': event['fabric'], 'FTCHECK_INSTANCE': event['instance'], 'FTCHECK_CODE': event['code'],
                   'FTCHECK_ID': event['id'], 'FTCHECK_TIME': event['time'], 'FTCHECK_RAISED_AT': event['raised_at'],
                   'FTCHECK_SEQ': str(event['seq']), 'FTCHECK_SWITCH': where.get('name') or '',
                   'FTCHECK_GUID': where.get('guid') or '', 'FTCHECK_PORT': str(where.get('port') or ''), **settings}
    environment = {name: value for name, value in environment.items() if value is not None}
    # Strangers' environments have proxies.
    environment['no_proxy'] = '*'
    return subprocess.run([path or os.path.join(HOOKS, hook)], input=(data or json.dumps(event)).encode(), cwd='/',
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=DEADLINE, check=False)


def time_of(string):
    return datetime.datetime.fromisoformat(string.replace('Z', '+00:00'))


# Alertmanager.

OTHER = {**LABELS, 'severity': 'critical'}
ALERTMANAGER = [
    # What differs from EVENT; the label sets that stand there; those that stand afterwards; those that are over.
    ('raised', {}, [], [LABELS], []),
    ('raised again', {}, [LABELS], [LABELS], []),
    ('changed', {'event': 'changed', 'severity': 'critical'}, [LABELS], [OTHER], [LABELS]),
    ('cleared', {'event': 'cleared', 'text': 'repaired: the cable'}, [LABELS], [], [LABELS]),
    ('cleared after a change', {'event': 'cleared'}, [OTHER], [], [LABELS, OTHER]),
    ('cleared, the clock was set back', {'event': 'cleared', 'raised_at': '2099-01-01T00:00:00.000Z'}, [LABELS], [], [LABELS]),
    ('changed, the clock was set back', {'event': 'changed', 'severity': 'critical', 'raised_at': '2099-01-01T00:00:00.000Z'},
     [LABELS], [OTHER], [LABELS]),
    ('cleared, and unknown there', {'event': 'cleared'}, [], [], [LABELS]),
    ('without a place', {'finding': None, 'instance': 'mlx5_0:1'}, [],
     [{**{name: LABELS[name] for name in ('alertname', 'severity', 'id', 'fabric')}, 'instance': 'mlx5_0:1'}], []),
    ('a hostile name', {'id': 'a"\\b\n{}', 'text': '"}], é &=', 'finding': {'where': [{'name': '"x",\\', 'guid': None, 'port': 0}]}},
     [], [{'alertname': 'cable-missing', 'severity': 'warning', 'id': 'a"\\b\n{}', 'fabric': 'lab', 'switch': '"x",\\',
           'port': '0'}], []),
]


def test_alertmanager():
    for name, changes, before, standing, over in ALERTMANAGER:
        event = {**EVENT, **changes}
        with Server(body=json.dumps([{'labels': labels} for labels in before]).encode()) as server:
            done = run('alertmanager', event, {'FTCHECK_ALERTMANAGER_URL': server.url + '/'})
            now = datetime.datetime.now(datetime.timezone.utc)
            asked = server.asked
        if done.returncode or [command for command, _path, _body in asked] != ['GET', 'POST']:
            result(f'alertmanager: {name}', (done.returncode, done.stdout, asked))
            continue
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(asked[0][1]).query)['filter']
        sent = asked[1][2]
        found = ([alert['labels'] for alert in sent if time_of(alert['endsAt']) > now],
                 [alert['labels'] for alert in sent if time_of(alert['endsAt']) <= now])
        identity = event['id'].replace('\\', '\\\\').replace('"', '\\"').replace('\n', '\\n')
        good = (found == (standing, over) and asked[1][1] == '/api/v2/alerts' and query[0] == f'id="{identity}"' and
                all(alert['annotations'] == {'summary': event['text'], 'fix': 'plug it in'} and
                    time_of(alert['startsAt']) == min(time_of(event['raised_at']), time_of(alert['endsAt']))
                    for alert in sent))
        result(f'alertmanager: {name}', None if good else (query, sent))


# Slack.

SLACK = [
    ('raised', {}, ':rotating_light: *warning raised* on `lab`\n`the cable between edge001 and core01 is missing`\n'
                   'fix: `plug it in`'),
    ('changed', {'event': 'changed', 'instance': 'mlx5_0:1', 'fix': None},
     ':warning: *warning changed* on `lab (mlx5_0:1)`\n`the cable between edge001 and core01 is missing`'),
    ('cleared', {'event': 'cleared', 'text': 'repaired: it'},
     ':white_check_mark: *warning cleared* on `lab`\n`repaired: it`'),
    ('a hostile name', {'text': '<@U1> <!channel> a&b `x` @all [a](http://b)\n"é"', 'fix': ''},
     ":rotating_light: *warning raised* on `lab`\n"
     "`&lt;@U1&gt; &lt;!channel&gt; a&amp;b 'x' @all [a](http://b) \"é\"`"),
]


def test_slack():
    for name, changes, expected in SLACK:
        with Server(body=b'ok') as server:
            done = run('slack', {**EVENT, **changes}, {'FTCHECK_SLACK_URL': server.url + '/services/T0/secret'})
            good = done.returncode == 0 and server.asked == [('POST', '/services/T0/secret', {'text': expected})]
            result(f'slack: {name}', None if good else (done.returncode, done.stdout, server.asked))


# Any other address.

def test_webhook():
    with Server(body=b'ok') as server:
        done = run('webhook', EVENT, {'FTCHECK_WEBHOOK_URL': server.url + '/secret', 'FTCHECK_WEBHOOK_SECRET': 'key'})
        good = done.returncode == 0 and server.asked == [('POST', '/secret', EVENT)]
        result('webhook: the event as it is', None if good else (done.returncode, done.stdout, server.asked))
        signature = 'sha256=' + hmac.new(b'key', json.dumps(EVENT).encode(), hashlib.sha256).hexdigest()
        result('webhook: signed', None if server.headers[0]['X-Ftcheck-Signature'] == signature else server.headers)
        result('webhook: each event has a key of its own',
               None if server.headers[0]['Idempotency-Key'] == EVENT['id'] + '#7' else server.headers)
    with Server(body=b'ok') as server:
        done = run('webhook', {**EVENT, 'id': 'a\r\nX-Evil: 1'}, {'FTCHECK_WEBHOOK_URL': server.url})
        good = done.returncode == 0 and 'X-Evil' not in server.headers[0] and 'X-Ftcheck-Signature' not in server.headers[0]
        result('webhook: a name that would be a header', None if good else (done.stdout, server.headers))


# Slurm: what tests/slurm.sim, with Debian's, does not show.

SINFO = """#!/bin/sh
cat <<'END'
n1|none|fabric,big|(null)|
n2|none|fabric|(null)|
n3|ftcheck: edge-isolated:e1|fabric|(null)|
n4|its fan|fabric|(null)|
n5|none|big|ftcheck: edge-isolated:e1|
n6|none|fabric|(null)|
END
"""
SLURM = [
    # What differs from EVENT, its hosts, settings, the commands of scontrol.
    ('raised', {}, ['n1', 'n2', 'n4'], {},
     ['update NodeName=n1,n2 State=DRAIN Reason=ftcheck: edge-isolated:e1', 'update NodeName=n3 State=RESUME']),
    ('cleared', {'event': 'cleared'}, ['n1', 'n2'], {}, ['update NodeName=n3 State=RESUME']),
    ('hosts that are no nodes', {}, ['n1', 'n3', '-x', 'n9,n6', 'ALL'], {},
     ['update NodeName=n1 State=DRAIN Reason=ftcheck: edge-isolated:e1']),
    ('other names', {}, ['n1-ib0', 'n3-ib1'], {'FTCHECK_SLURM_NODE': '/-ib[0-9]$//'},
     ['update NodeName=n1 State=DRAIN Reason=ftcheck: edge-isolated:e1']),
    ('a hostile id', {'id': 'x y"\'\n,State=DOWN'}, ['n1'], {},
     ['update NodeName=n1 State=DRAIN Reason=ftcheck: x?y???,State=DOWN']),
    ('a feature', {}, ['n1', 'n2'], {'FTCHECK_SLURM_ACTION': 'feature'},
     ['update NodeName=n1 ActiveFeatures=big Comment=ftcheck: edge-isolated:e1',
      'update NodeName=n2 ActiveFeatures= Comment=ftcheck: edge-isolated:e1',
      'update NodeName=n5 ActiveFeatures=big,fabric Comment=']),
    ('raised without names', {}, [], {}, []),
    ('changed to none', {'event': 'changed'}, [], {}, ['update NodeName=n3 State=RESUME']),
]


def test_slurm(work):
    sinfo, scontrol, log = (os.path.join(work, name) for name in ('sinfo', 'scontrol', 'slurm.log'))
    for path, text in (sinfo, SINFO), (scontrol, f'#!/bin/sh\nprintf "%s " "$@" >>"{log}"\necho >>"{log}"\n'):
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        os.chmod(path, 0o755)
    settings = {'FTCHECK_SINFO': sinfo, 'FTCHECK_SCONTROL': scontrol, 'FTCHECK_SLURM_SHARE': '60'}

    def commands(changes, hosts, more):
        with open(log, 'w', encoding='utf-8'):
            pass
        event = {**EVENT, 'id': 'edge-isolated:e1', **changes, 'finding': {**EVENT['finding'], 'hosts': hosts}}
        done = run('slurm', event, {**settings, **more})
        with open(log, encoding='utf-8') as file:
            return done, sorted(line.rstrip() for line in file)

    for name, changes, hosts, more, expected in SLURM:
        done, said = commands(changes, hosts, more)
        result(f'slurm: {name}', None if done.returncode == 0 and said == sorted(expected) else (done.stdout, said))
    for name, hosts, more, expected in (
            ('more than a share', ['n1', 'n2', 'n6'], {'FTCHECK_SLURM_SHARE': '40'},
             b'3 of 6 nodes are cut off, more than 40 percent'),
            ('no such action', ['n1'], {'FTCHECK_SLURM_ACTION': 'reboot'}, b'FTCHECK_SLURM_ACTION is to be drain or feature'),
            ('no such rule', ['n1'], {'FTCHECK_SLURM_NODE': 's/x'}, b'is to be of the form'),
            ('sinfo fails', ['n1'], {'FTCHECK_SINFO': '/bin/false'}, b'false: status 1'),
            ('no sinfo', ['n1'], {'FTCHECK_SINFO': '/nowhere'}, b'FileNotFoundError')):
        done, said = commands({}, hosts, more)
        good = done.returncode == 1 and expected in done.stdout and b'Traceback' not in done.stdout and not said
        result(f'slurm: {name}', None if good else (done.returncode, done.stdout, said))


# What may go wrong with either.

def closed_port():
    with socket.socket() as sock:
        sock.bind(('127.0.0.1', 0))
        return f'http://127.0.0.1:{sock.getsockname()[1]}/secret'


def test_failures():
    for hook, name in ('alertmanager', 'FTCHECK_ALERTMANAGER_URL'), ('slack', 'FTCHECK_SLACK_URL'), \
            ('webhook', 'FTCHECK_WEBHOOK_URL'):
        for status in 400, 404, 500, 302, 307:
            with Server(status=status) as server:
                done = run(hook, EVENT, {name: server.url})
                result(f'{hook}: status {status} is a failure', None if done.returncode == 1 else done.returncode)
        with Server(silent=True) as server:
            done = run(hook, EVENT, {name: server.url, 'FTCHECK_HTTP_TIMEOUT': '0.2'})
            result(f'{hook}: a server that does not answer', None if done.returncode == 1 else done.returncode)
        for what, url in ('nobody there', closed_port()), ('no address', 'secret'), ('no such scheme', 'gopher://secret'):
            done = run(hook, EVENT, {name: url})
            leaked = hook != 'alertmanager' and b'secret' in done.stdout
            result(f'{hook}: {what}', None if done.returncode == 1 and done.stdout and b'Traceback' not in done.stdout
                   and not leaked else (done.returncode, done.stdout))
        done = run(hook, EVENT, {name: 'http://127.0.0.1:9'}, data='{"no": json')
        result(f'{hook}: no JSON', None if done.returncode == 1 and b'Traceback' not in done.stdout else done.stdout)
    done = run('slack', EVENT, {})
    result('slack: no address is set', None if (done.returncode, done.stdout) == (1, b'FTCHECK_SLACK_URL is not set\n')
           else (done.returncode, done.stdout))
    with Server(body=b'{"not": "a list"}') as server:
        done = run('alertmanager', EVENT, {'FTCHECK_ALERTMANAGER_URL': server.url})
        result('alertmanager: an answer that makes no sense', None if done.returncode == 1 and
               b'Traceback' not in done.stdout else done.stdout)


# Mail.

SENDMAIL = '#!/bin/sh\nprintf "%s\\n" "$*" >"{0}/arguments"\ncat >"{0}/mail"\nexit {1}\n'


class Mailer:
    def __init__(self, work):
        self.work, self.path = work, os.path.join(work, 'sendmail')

    def script(self, text):
        with open(self.path, 'w', encoding='utf-8') as file:
            file.write(text)
        os.chmod(self.path, 0o755)

    def send(self, event, status=0, **settings):
        self.script(SENDMAIL.format(self.work, status))
        done = run('mail', event, {'FTCHECK_SENDMAIL': self.path, **settings})
        with open(os.path.join(self.work, 'arguments'), encoding='utf-8') as file:
            arguments = file.read()
        with open(os.path.join(self.work, 'mail'), 'rb') as file:
            return done, arguments, file.read()


HEADERS = ['To', 'Subject', 'X-Ftcheck-Id', 'Auto-Submitted', 'MIME-Version', 'Content-Type', 'Content-Transfer-Encoding']
MAILS = [
    # What differs from EVENT, settings, headers, what the body has.
    ('raised', {}, {}, {'To': 'root', 'Subject': '[lab] warning raised: the cable between edge001 and core01 is missing'},
     'the cable between edge001 and core01 is missing\n\nwhat to do: plug it in\nevent:      raised\n'
     'severity:   warning\nfabric:     lab\nswitch:     edge001\nGUID:       0x0000000000000001\nport:       20\n'
     'time:       2023-11-14T22:13:20.000Z\nsince:      2023-11-14T22:13:20.000Z\ncode:       cable-missing\n'
     'id:         cable-missing:0x1:20-0x2:8\n'),
    ('without a place, to many', {'finding': None, 'fix': None, 'instance': 'mlx5_0:1'},
     {'FTCHECK_MAILTO': 'a@example.org, b@example.org', 'FTCHECK_MAILFROM': 'ft@example.org'},
     {'To': 'a@example.org, b@example.org', 'From': 'ft@example.org'}, 'fabric:     lab (mlx5_0:1)\ntime:'),
    ('a name that would be headers', {'text': 'x\nBcc: evil@example.org\r\nTo: y\n\nbody', 'id': 'a\nBcc: b', 'fabric': '%s\n'},
     {}, {'To': 'root', 'Subject': '[%s?] warning raised: x?Bcc: evil@example.org??To: y??body', 'X-Ftcheck-Id': 'a?Bcc: b'}, ''),
    ('settings that would be headers', {}, {'FTCHECK_MAILTO': 'a\nBcc: evil', 'FTCHECK_MAILFROM': 'b\r\nBcc: c'},
     {'To': 'aBcc: evil', 'From': 'bBcc: c'}, ''),
    ('not ASCII', {'text': 'é `$(id)` "x" %s \\n'}, {}, {'Subject': '[lab] warning raised: ?? `$(id)` "x" %s \\n'},
     'é `$(id)` "x" %s \\n\n'),
    ('a text without an end', {'text': 'word ' * 800}, {},
     {'Subject': ('[lab] warning raised: ' + 'word ' * 800)[:200]}, 'word word\n'),
]


def headers_of(mail):
    """As they are in the bytes: nothing else may have become one."""
    head = mail.split(b'\n\n', 1)[0].decode('ascii')
    return dict(line.split(': ', 1) for line in head.split('\n'))


def test_mail(work):
    mailer = Mailer(work)
    for name, changes, settings, headers, body in MAILS:
        done, arguments, mail = mailer.send({**EVENT, **changes}, **settings)
        found = headers_of(mail)
        wanted = set(HEADERS) | ({'From'} if 'From' in headers else set())
        parsed = email.message_from_bytes(mail, policy=email.policy.default)
        text = parsed.get_content()
        good = (done.returncode == 0 and arguments == '-t -i\n' and set(found) == wanted and
                all(found[key] == value for key, value in headers.items()) and body in text.replace(' \n', '\n') and
                max(map(len, mail.split(b'\n'))) <= 998)
        result(f'mail: {name}', None if good else (done.returncode, done.stdout, arguments, mail.decode()))
    done, _arguments, _mail = mailer.send(EVENT, status=75)
    result('mail: sendmail fails', None if done.returncode == 75 else done.returncode)
    done = run('mail', EVENT, {'FTCHECK_SENDMAIL': os.path.join(work, 'nowhere')})
    result('mail: no sendmail', None if done.returncode == 127 else done.returncode)
    mailer.script('#!/bin/sh\nexit 1\n')
    done = run('mail', {**EVENT, 'text': 'x' * 100000}, {'FTCHECK_SENDMAIL': mailer.path})
    result('mail: sendmail fails and reads nothing', None if done.returncode == 1 else done.returncode)


# Where settings are looked for: a file beside the hook directory, if the environment has none.

def test_settings(work):
    directory = os.path.join(work, 'etc', 'hooks.d')
    conf = os.path.join(work, 'etc', 'hooks.conf')
    os.makedirs(directory)
    links = {hook: os.path.join(directory, hook) for hook in ('mail', 'alertmanager', 'slack')}
    for hook, link in links.items():
        os.symlink(os.path.join(HOOKS, hook), link)
    mailer = Mailer(work)
    mailer.script(SENDMAIL.format(work, 0))
    with Server() as server:
        with open(conf, 'w', encoding='utf-8') as file:
            file.write(f'# settings\nFTCHECK_MAILTO = ops@example.org\nFTCHECK_SENDMAIL={mailer.path}\n'
                       f'FTCHECK_SLACK_URL={server.url}/slack\nFTCHECK_ALERTMANAGER_URL = {server.url}/am\n')
        for hook, link in links.items():
            done = run(hook, EVENT, {'FTCHECK_HOOKS_CONF': None}, path=link)
            result(f'{hook}: settings in a file', None if done.returncode == 0 else (done.returncode, done.stdout))
        paths = {path.split('?')[0] for _command, path, _body in server.asked}
        result('they are those of the file', None if paths == {'/slack', '/am/api/v2/alerts'} else paths)
        with open(os.path.join(work, 'mail'), 'rb') as file:
            to = headers_of(file.read())['To']
        result('mail: to whom the file says', None if to == 'ops@example.org' else to)
        run('mail', EVENT, {'FTCHECK_HOOKS_CONF': None, 'FTCHECK_MAILTO': 'me'}, path=links['mail'])
        with open(os.path.join(work, 'mail'), 'rb') as file:
            to = headers_of(file.read())['To']
        result('mail: the environment comes first', None if to == 'me' else to)


def main():
    work = tempfile.mkdtemp(prefix='ftcheck-hooks.')
    try:
        test_alertmanager()
        test_slack()
        test_webhook()
        test_slurm(work)
        test_failures()
        test_mail(work)
        test_settings(work)
    finally:
        shutil.rmtree(work)
    print(f'{passes} passed, {failures} failed')
    sys.exit(1 if failures else 0)


main()
