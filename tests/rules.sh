#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Metrics, alerting rules and dashboard fit together: tests/metrics_tool writes what the daemon would in made-up states,
# promtool judges the pages, and the rules are played on series recorded from them. So no name can drift from another.
set -u

command -v promtool >/dev/null || { echo "skipped: no promtool"; exit 77; }

exec python3 - "${FT_BUILDDIR:?}/tests/metrics_tool" "${FT_SRCDIR:?}" <<'END'
import json
import re
import subprocess
import sys
import tempfile

TOOL, SRC = sys.argv[1:]
RULES = SRC + "/etc/prometheus/ftcheck.rules.yml"
DASHBOARD = SRC + "/etc/grafana/ftcheck.json"
TARGET = 'job="ftcheckd", instance="127.0.0.1:9683"'
JOURNAL = "journalctl -u ftcheckd"
STATUS = "ftcheck --status"
failed = 0


def result(name, good, seen=""):
    global failed
    print(("ok - " if good else "not ok - ") + name + ("" if good else "\n  " + str(seen)[:3000]), flush=True)
    failed += not good


def run(*command, given=None):
    done = subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode(errors="replace")


# The texts that people will read. Fields in braces come with each expectation.
ON = "127.0.0.1:9683"
ALERTS = {
    "FtcheckDown": ("critical", "ftcheckd does not answer{on}",
                    "The cabling of the fabric is not being watched. Check: systemctl status ftcheckd"),
    "FtcheckFabricCritical": ("critical", "Fabric demo: a part of it, or some hosts, are cut off",
                              f"The verdict of ftcheckd on {ON} is critical. What is wrong: {STATUS}"),
    "FtcheckFabricDegraded": ("warning", "Fabric demo is not as planned",
                              f"The verdict of ftcheckd on {ON} is warning. What is wrong: {STATUS}"),
    "FtcheckFabricUnknown": ("warning", "Fabric demo cannot be judged",
                             f"ftcheckd on {ON} sees too little of it. Reason: {STATUS}"),
    "FtcheckCoreMissing": ("warning", "Core switches missing: {count}",
                           f"Seen by ftcheckd on {ON}. Which, and what it costs: {STATUS}"),
    "FtcheckUplinksMissing": ("warning", "Switch {switch} ({guid}) lacks uplinks: {count}",
                              f"It is {{planned_as}} in the plan. Which cables: {STATUS}"),
    "FtcheckNoData": ("warning", f"ftcheckd on {ON} has not seen the whole fabric for half an hour",
                      f"Its metrics and its report may be out of date. Reason: {JOURNAL}"),
    "FtcheckNotListening": ("info", f"ftcheckd on {ON} gets no events from the fabric",
                            "It only polls, so faults are found late. Does the subnet manager answer? "
                            f"Reason: {JOURNAL}"),
    "FtcheckSweepsIncomplete": ("warning", f"Most sweeps of ftcheckd on {ON} fail or are incomplete",
                                f"Faults may go unnoticed. Switches that do not respond are listed by: {STATUS}"),
    "FtcheckHooksFailing": ("warning", f"Hooks of ftcheckd on {ON} fail",
                            f"Alerts are delivered late. Which hook, and why: {JOURNAL}"),
    "FtcheckAlertsLost": ("critical", f"Hooks of ftcheckd on {ON} failed until alerts were given up",
                          f"Alerts were not delivered. Which: {JOURNAL}"),
    "FtcheckHooksRefused": ("warning", f"Hooks of ftcheckd on {ON} are refused: {{count}}",
                            f"Alerts are not delivered. Which hook, and the command that mends it: {JOURNAL}"),
    "FtcheckStateNotSaved": ("warning", f"ftcheckd on {ON} cannot save its alerts",
                             "After a restart, some may be raised twice or never cleared. Is the disk full? "
                             f"Reason: {JOURNAL}"),
}

HERE = {"job": "ftcheckd", "instance": ON}
PLAN = {**HERE, "plan": "demo"}
HOOK = {**HERE, "result": "failed"}
CORE = {**HERE, "code": "core-missing", "severity": "warning", "count": "1"}
EDGE_A = {**HERE, "switch": "edge-a", "guid": "0x0000000000100001", "tier": "edge", "planned_as": "edge001"}
EDGE_B = {**HERE, "switch": 'edge "b\\x0a\\xff', "guid": "0x0000000000100002", "tier": "edge", "planned_as": "edge002"}
NOT_LABELS = ("count", "on")

# NAME, MINUTES, {MINUTE: commands of metrics_tool, and of minute() below}, {MINUTE: {ALERT: [labels and fields]}}
# At each minute named, every alert that is not is silent. Sweeps are every five minutes.
SCENARIOS = [
    ("healthy for two hours", 120, {}, {0: {}, 1: {}, 30: {}, 60: {}, 120: {}}),
    ("a cable is pulled and put back", 40,
     {10: ["set verdict 1", "up 0 17", "up 2 17", "finding cable-missing warning"],
      30: ["set verdict 0", "up 0 18", "up 2 18", "findings none"]},
     {9: {}, 14: {}, 16: {"FtcheckFabricDegraded": [PLAN], "FtcheckUplinksMissing": [{**EDGE_A, "count": "1"}]},
      29: {"FtcheckFabricDegraded": [PLAN], "FtcheckUplinksMissing": [{**EDGE_A, "count": "1"}]}, 31: {}}),
    ("cables of two switches, one of a hostile name", 30,
     {0: ["name 1 edge \"b\\x0a\\xff"], 10: ["set verdict 1", "up 0 15", "up 1 16"]},
     {5: {}, 20: {"FtcheckFabricDegraded": [PLAN],
                  "FtcheckUplinksMissing": [{**EDGE_A, "count": "3"}, {**EDGE_B, "count": "2"}]}}),
    ("a cable flickers", 60,
     {m: (["set verdict 1", "up 0 17"] if m % 4 < 2 else ["set verdict 0", "up 0 18"]) for m in range(10, 60)},
     {12: {}, 20: {}, 33: {}, 50: {}}),
    ("a core switch dies: one alert, not one an edge", 30,
     {10: ["set verdict 1", "up 0 9", "up 1 9", "up 2 0", "finding core-missing warning"]},
     {10: {}, 12: {"FtcheckCoreMissing": [CORE]},
      25: {"FtcheckCoreMissing": [CORE], "FtcheckFabricDegraded": [PLAN]}}),
    ("a core switch that is known to be away", 30,
     {0: ["up 0 9", "up 1 9", "up 2 0", "finding core-missing info"]}, {10: {}, 30: {}}),
    ("a cable that is known to be away", 30, {0: ["up 0 17", "finding cable-missing info"]}, {10: {}, 30: {}}),
    ("an edge is cut off", 20, {5: ["set verdict 2", "up 0 0", "finding edge-isolated critical"]},
     {5: {}, 7: {"FtcheckFabricCritical": [PLAN]},
      15: {"FtcheckFabricCritical": [PLAN], "FtcheckUplinksMissing": [{**EDGE_A, "count": "18"}]}}),
    ("it cannot be judged", 40, {5: ["set verdict 3"]},
     {15: {}, 25: {"FtcheckFabricUnknown": [PLAN]}}),
    ("the daemon dies and comes back", 60, {10: ["down"], 30: ["back"]},
     {9: {}, 12: {}, 16: {"FtcheckDown": [{**HERE, "on": " on " + ON}]}, 31: {}, 60: {}}),
    ("nobody scrapes it", 20, {5: ["gone"]},
     {4: {}, 9: {}, 15: {"FtcheckDown": [{"job": "ftcheckd", "on": ""}]}}),
    ("the fabric was never seen", 45, {0: ["report off", "sweeps none", "set last-success-ms 0", "set listens 0"]},
     {10: {}, 30: {}, 40: {"FtcheckNoData": [HERE]}}),
    ("sweeps hang", 90, {10: ["sweeps none"]},
     {40: {}, 50: {"FtcheckNoData": [HERE]}, 90: {"FtcheckNoData": [HERE]}}),
    ("one sweep in six fails", 120, {m: ["add sweeps-failed 1"] for m in range(10, 120, 30)},
     {30: {}, 60: {}, 90: {}, 120: {}}),
    ("all sweeps fail, then they go well again", 240, {60: ["sweeps failed"], 150: ["sweeps complete"]},
     {60: {}, 80: {}, 120: {"FtcheckNoData": [HERE], "FtcheckSweepsIncomplete": [HERE]}, 240: {}}),
    ("all sweeps are incomplete", 120, {0: ["sweeps incomplete"]},
     {120: {"FtcheckNoData": [HERE], "FtcheckSweepsIncomplete": [HERE]}}),
    ("no events for a while, then for long", 180,
     {10: ["set listens 0"], 60: ["set listens 1"], 70: ["set listens 0"], 160: ["set listens 1"]},
     {40: {}, 65: {}, 120: {}, 140: {"FtcheckNotListening": [HERE]}, 161: {}}),
    ("a hook fails once", 60, {20: ["add hooks-failed 1"]}, {20: {}, 30: {}, 60: {}}),
    ("a hook fails again and again, and gives up", 240,
     {**{m: ["add hooks-failed 1"] for m in range(20, 60, 2)}, 60: ["add hooks-given-up 1"]},
     {20: {}, 40: {"FtcheckHooksFailing": [HOOK]},
      62: {"FtcheckHooksFailing": [HOOK], "FtcheckAlertsLost": [{**HERE, "result": "given_up"}]}, 240: {}}),
    ("a hook that anybody may write", 60, {20: ["set hooks-refused 1"], 40: ["set hooks-refused 0"]},
     {20: {}, 30: {"FtcheckHooksRefused": [{**HERE, "count": "1"}]}, 60: {}}),
    ("the disk is full", 120, {m: ["add state-failures 1"] for m in range(20, 40, 3)},
     {20: {}, 35: {"FtcheckStateNotSaved": [HERE]}, 100: {}}),
]


class Daemon:
    """The pages of one scenario, a minute each, from the tool; all in one run."""

    def __init__(self):
        self.given = []
        self.counts = {}
        self.sweeps = "complete"
        self.up = "1"
        self.ups = []

    def set(self, name, value):
        self.counts[name] = value
        self.given.append(f"set {name} {value}")

    def minute(self, m, commands):
        if m == 0:
            self.given.append("report on")
            self.set("listens", 1)
        for command in commands:
            words = command.split(" ", 2)
            if words[0] == "sweeps":
                self.sweeps = words[1]
            elif words[0] == "add":
                self.set(words[1], self.counts.get(words[1], 0) + int(words[2]))
            elif words[0] in ("down", "gone", "back"):
                self.up = {"down": "0", "gone": "stale", "back": "1"}[words[0]]
            else:
                self.given.append(command)
        if m % 5 == 0 and self.sweeps != "none":
            name = "sweeps-" + self.sweeps
            self.set(name, self.counts.get(name, 0) + 1)
            if self.sweeps == "complete":
                self.set("last-success-ms", m * 60000)
        self.given.append("print")
        self.ups.append(self.up)

    def pages(self):
        status, text = run(TOOL, given="\n".join(self.given + [""]).encode())
        pages = text.split("# end\n")
        assert status == 0 and pages.pop() == "" and len(pages) == len(self.ups), (status, text[-500:])
        return pages


def samples(page):
    for line in page.splitlines():
        if not line.startswith("#"):
            series, value = line.rsplit(" ", 1)
            yield series, value


def record(daemon, pages):
    """Series as promtool takes them: what is not on a page is stale from there on."""
    series = {f"up{{{TARGET}}}": daemon.ups}
    for m, page in enumerate(pages):
        for name, value in samples(page) if daemon.ups[m] == "1" else ():
            bare, _, labels = name.partition("{")
            full = f"{bare}{{{TARGET}" + (f", {labels}" if labels else "}")
            values = series.setdefault(full, ["_"] * len(pages))
            values[m] = value
    for name, values in series.items():
        for m in range(1, len(values)):
            if values[m] == "_" and values[m - 1] != "_":
                values[m] = "stale"
    return [{"series": name, "values": " ".join(values)} for name, values in series.items()]


def expectation(alert, minute, seen):
    severity, summary, description = ALERTS[alert]
    alerts = []
    for fields in seen:
        labels = {k: v for k, v in fields.items() if k not in NOT_LABELS}
        alerts.append({"exp_labels": {**labels, "severity": severity},
                       "exp_annotations": {"summary": summary.format(**fields),
                                           "description": description.format(**fields)}})
    return {"eval_time": f"{minute}m", "alertname": alert, "exp_alerts": alerts}


# The rules and the tests name the same alerts.
with open(RULES) as f:
    rules = f.read()
named = re.findall(r"^ +- alert: (\w+)$", rules, re.M)
result("each rule has its texts here", sorted(named) == sorted(ALERTS), set(named) ^ set(ALERTS))
fired = {alert for scenario in SCENARIOS for at in scenario[3].values() for alert in at}
result("each rule fires in some scenario", fired == set(ALERTS), set(ALERTS) - fired)
code, said = run("promtool", "check", "rules", RULES)
result("promtool check rules", code == 0 and f"SUCCESS: {len(ALERTS)} rules found" in said, said)

# Pages of all states.
tests, known, pages_seen = [], set(), {}
for name, minutes, changes, expected in SCENARIOS:
    daemon = Daemon()
    for m in range(minutes + 1):
        daemon.minute(m, changes.get(m, []))
    pages = daemon.pages()
    for page in pages:
        # One page a set of series is enough for the next check.
        key = frozenset(series for series, _ in samples(page))
        pages_seen.setdefault(key, (name, page))
        known |= key
    tests.append({"interval": "1m", "name": name, "input_series": record(daemon, pages),
                  "alert_rule_test": [expectation(alert, m, at.get(alert, []))
                                      for m, at in sorted(expected.items()) for alert in ALERTS]})
for name, page in pages_seen.values():
    code, said = run("promtool", "check", "metrics", given=page.encode())
    result(f"promtool check metrics: {name}", code == 0 and said == "", said)

with tempfile.TemporaryDirectory() as work:
    # A file a scenario, so that a failure names it. JSON is YAML.
    for i, test in enumerate(tests):
        path = f"{work}/{i}.yml"
        with open(path, "w") as f:
            json.dump({"rule_files": [RULES], "evaluation_interval": "1m", "tests": [test]}, f)
        code, said = run("promtool", "test", "rules", path)
        result(f"rules: {test['name']} ({len(test['alert_rule_test'])} expectations)", code == 0, said)

# Whatever is asked for is there: each selector of the rules and of the dashboard fits some series seen above.
label = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
known_labels = [(series.partition("{")[0], dict(label.findall(series.partition("{")[2]))) for series in known]
matches = {"=": lambda v, p: v == p, "!=": lambda v, p: v != p,
           "=~": lambda v, p: re.fullmatch(p, v) is not None, "!~": lambda v, p: re.fullmatch(p, v) is None}


def unknown(text):
    """The selectors in an expression that no series of the daemon fits."""
    for metric, selector in re.findall(r"\b(ftcheck_\w+)(?:\{([^}]*)\})?", text):
        wanted = [(k, op, v) for k, op, v in re.findall(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"', selector)
                  if k not in ("job", "instance")]
        if not any(metric == name and all(k in labels and matches[op](labels[k], v) for k, op, v in wanted)
                   for name, labels in known_labels):
            yield f"{metric}{{{selector}}}"


result("the rules ask for what is there", not list(unknown(rules)), list(unknown(rules)))
result("and a name that is not is seen", list(unknown('ftcheck_verdict and ftcheck_nothing{a="b"}')) ==
       ['ftcheck_nothing{a="b"}'] and list(unknown('ftcheck_findings{code="no-such"}')) != [])

# The dashboard.
with open(DASHBOARD) as f:
    dashboard = json.load(f)
panels = dashboard["panels"]
targets = [(panel["title"], target) for panel in panels for target in panel.get("targets", [])]
exprs = [target["expr"] for _, target in targets]
variables = {variable["name"] for variable in dashboard["templating"]["list"]}
result("dashboard: it has panels", len(exprs) >= 10 and dashboard["schemaVersion"] >= 37 and dashboard["title"])
result("dashboard: panels have ids of their own", len({panel["id"] for panel in panels}) == len(panels))
queries = exprs + [variable["definition"] for variable in dashboard["templating"]["list"] if "definition" in variable]
result("dashboard: it asks for what is there", not [u for expr in queries for u in unknown(expr)],
       [u for expr in queries for u in unknown(expr)])
legends = [(title, name) for title, target in targets for name in re.findall(r"{{(\w+)}}", target["legendFormat"])
           if name != "instance" and not any(name in labels for metric, labels in known_labels
                                             if metric in target["expr"])]
result("dashboard: legends name labels that are there", not legends, legends)
used = set(re.findall(r"\$\{?(\w+)", json.dumps(dashboard))) - {"__rate_interval"}
result("dashboard: its variables are defined", used == variables, used ^ variables)
cells = [(x, y) for panel in panels for g in [panel["gridPos"]]
         for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])]
result("dashboard: no panel lies on another", len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24)
with tempfile.TemporaryDirectory() as work:
    rows = [{"record": f"dashboard:{i}", "expr": expr.replace("$__rate_interval", "5m").replace("$instance", ".*")}
            for i, expr in enumerate(exprs)]
    with open(work + "/dashboard.yml", "w") as f:
        json.dump({"groups": [{"name": "dashboard", "rules": rows}]}, f)
    code, said = run("promtool", "check", "rules", work + "/dashboard.yml")
result(f"dashboard: promtool takes its {len(exprs)} queries", code == 0 and f"SUCCESS: {len(exprs)} rules" in said, said)

# What is counted is for somebody: a rule or a panel shows it.
names = {name for name, _ in known_labels}
shown = set(re.findall(r"ftcheck_\w+", rules + json.dumps(dashboard)))
print(f"# {len(names)} metrics, {len(names & shown)} of them in rules or on the dashboard; "
      f"in neither: {' '.join(sorted(names - shown))}")
sys.exit(failed != 0)
END
