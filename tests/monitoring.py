#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What a test asks of Prometheus and Alertmanager, and whoever Alertmanager tells.

    monitoring.py receive PORT-FILE >LOG       a receiver: "STATUS ALERTNAME FABRIC INSTANCE", a line an alert; its port is
                                               written to PORT-FILE
    monitoring.py query URL EXPRESSION         what Prometheus finds: "VALUE LABELS", a line a series
    monitoring.py dashboard URL FILE           the queries of a dashboard that find nothing or fail, a line each
    monitoring.py alerts URL                   Alertmanager's alerts: "STATE ALERTNAME FABRIC INSTANCE", a line each
    monitoring.py silence URL NAME=VALUE...    silences alerts with these labels for an hour
"""

import datetime
import http.server
import json
import os
import re
import sys
import threading
import urllib.parse
import urllib.request

# Strangers' environments have proxies.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def ask(url, data=None):
    headers = {'Content-Type': 'application/json'} if data else {}
    with OPENER.open(urllib.request.Request(url, data, headers), timeout=20) as answer:
        return json.load(answer)


def line_of(word, labels):
    return ' '.join([word, labels['alertname'], labels.get('fabric', '-'), labels.get('instance', '-')])


class Handler(http.server.BaseHTTPRequestHandler):
    # Each request has a thread, and print() writes a line and its end one after the other: two lines became one.
    printing = threading.Lock()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        with self.printing:
            for alert in body['alerts']:
                print(line_of(alert['status'], alert['labels']), flush=True)
        self.send_response(200)
        self.send_header('Content-Length', '0')
        self.end_headers()

    def log_message(self, *_args):
        pass


def receive(port_file):
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    with open(port_file + '.new', 'w', encoding='utf-8') as file:
        print(server.server_address[1], file=file)
    os.rename(port_file + '.new', port_file)
    server.serve_forever()


def found(url, expression):
    return ask(url + '/api/v1/query?' + urllib.parse.urlencode({'query': expression}))['data']['result']


def query(url, expression):
    for series in found(url, expression):
        print(series['value'][1], json.dumps(series['metric'], sort_keys=True))


def panels_of(panels):
    for panel in panels:
        yield panel
        yield from panels_of(panel.get('panels', []))


def dashboard(url, path):
    """With its variables as Grafana sets them: all instances, and four scrapes of this test's second each."""
    with open(path, encoding='utf-8') as file:
        root = json.load(file)
    asked = 0
    for panel in panels_of(root['panels']):
        for target in panel.get('targets', []):
            expression = target['expr'].replace('$instance', '.*').replace('$__rate_interval', '4s')
            asked += 1
            if '$' in expression:
                print(f'{panel["title"]}: a variable is left in {expression}')
            elif not found(url, expression):
                print(f'{panel["title"]}: {expression}')
    for variable in root['templating']['list']:
        if variable['type'] == 'query':
            metric = re.fullmatch(r'label_values\((\w+), (\w+)\)', variable['query']['query'])
            asked += 1
            if not metric or not all(metric[2] in series['metric'] for series in found(url, metric[1])):
                print(f'{variable["name"]}: {variable["query"]["query"]}')
    if asked < 20:
        print(f'only {asked} queries were found')


def alerts(url):
    for alert in ask(url + '/api/v2/alerts'):
        print(line_of(alert['status']['state'], alert['labels']))


def silence(url, *labels):
    now = datetime.datetime.now(datetime.timezone.utc)
    matchers = [{'name': name, 'value': value, 'isRegex': False, 'isEqual': True}
                for name, value in (label.split('=', 1) for label in labels)]
    ask(url + '/api/v2/silences', json.dumps({
        'matchers': matchers, 'startsAt': now.isoformat(), 'endsAt': (now + datetime.timedelta(hours=1)).isoformat(),
        'createdBy': 'a test', 'comment': 'it is known'}).encode())


{'receive': receive, 'query': query, 'dashboard': dashboard, 'alerts': alerts, 'silence': silence}[sys.argv[1]](*sys.argv[2:])
