// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Findings, and alerts that no finding of the report stands for.

const opened = new Set(); // ids of findings whose evidence is shown
let shownRows = ROWS;
let knownIds = null; // of the last summary: what is not among them is news

// An alert covers all missing cables between two switches: its id has no number of them.
const alertId = (finding) => (finding.code === "cable-missing" ? finding.id.replace(/\*[^*]*$/, "") : finding.id);

function allFindings() {
	const alerts = new Map(summary.alerts.map((alert) => [alert.id, alert]));
	const findings = (summary.report?.findings ?? []).map((finding) => {
		const alert = alerts.get(alertId(finding));

		alerts.delete(alertId(finding));
		return {...finding, key: alertId(finding), since: alert?.since, state: alert?.state};
	});

	return [...alerts.values()].map((alert) => ({...alert, key: alert.id, where: [], fix: "", symptoms: [],
		alternatives: []})).concat(findings);
}

function place(where) {
	return el("span", {className: "name"}, el("bdi", {}, where.name ?? "not known"),
		where.interface ? ` ${where.interface}` : where.port ? ` port ${where.port}` : "");
}

// Of these both ends of each cable are given, one after the other.
const isCables = (finding) => /^(cable|cables|loopback)\b/.test(finding.code) && finding.where.length % 2 === 0;

function ends(finding) {
	const list = el("p", {className: "ends"});
	const between = isCables(finding) ? [" ↔ ", "; "] : [", ", ", "];
	const most = isCables(finding) ? 8 : 4;

	finding.where.slice(0, most).forEach((where, i) => list.append(i ? between[(i + 1) % 2] : "", place(where)));
	if (finding.where.length > most)
		list.append(` and ${finding.where.length - most} more`);
	return finding.where.length ? list : null;
}

const impactWords = {
	links_lost: (n) => `${plural(n, "cable")} lost`,
	hosts_cut_off: (n) => `${plural(n, "host")} cut off`,
	hosts_at_risk: (n) => `${n} cut off by one more failure`,
	bisection_lost: (n) => `${Math.round(n * 1000) / 10} % of the bisection lost`,
	edges: (n) => `${n} ${n === 1 ? "switch" : "switches"} with less bandwidth`,
};

function impact(finding) {
	return Object.entries(impactWords)
		.filter(([key]) => finding.impact?.[key] > 0)
		.map(([key, words]) => words(finding.impact[key])).join(", ");
}

function cutOff(finding) {
	const names = finding.hosts ?? [];

	return names.slice(0, 100).join(", ") + (names.length > 100 ? ` and ${names.length - 100} more` : "");
}

function evidence(finding) {
	const rows = [["Planned", finding.expected], ["Seen", finding.observed], ["Known by", finding.evidence],
		["Impact", impact(finding)], ["Cut off", cutOff(finding)], ["Since", finding.since ? moment(finding.since) : ""],
		["Waived", finding.waived], ["Name", finding.id]].filter(([, value]) => value);
	const list = el("dl", {className: "pairs"});
	const box = el("div", {className: "evidence"}, list);

	for (const [name, value] of rows)
		list.append(el("dt", {}, name), el("dd", {className: "name"}, String(value)));
	for (const [title, texts] of [["It explains", finding.symptoms.map((symptom) => symptom.text)],
		["Or it may be", finding.alternatives]])
		if (texts.length)
			box.append(el("p", {}, title), el("ul", {}, ...texts.map((text) => el("li", {className: "name"}, text))));
	return box;
}

const stateWords = {pending: "seen", raised: "", clearing: "no longer seen", flapping: "comes and goes"};

function findingRow(finding) {
	const more = opened.has(finding.key);
	const since = finding.since ? `${stateWords[finding.state]} since ${clock(finding.since)} (${ago(finding.since)})`.trim()
		: "";
	const box = more ? evidence(finding) : null;
	const toggle = el("button", {type: "button", "aria-expanded": String(more)}, "Evidence");
	const buttons = el("div", {className: "buttons"});
	const row = el("li", {className: finding.severity},
		el("span", {className: "icon", "aria-hidden": "true"}, verdicts[finding.severity]?.icon ?? "i"),
		el("div", {},
			el("p", {className: "head"}, el("b", {}, finding.waived ? "waived" : finding.severity),
				el("span", {}, finding.code), el("span", {className: "soft"}, since)),
			el("p", {className: "said name"}, finding.text),
			ends(finding),
			finding.fix ? el("p", {className: "fix name"}, "To do: ", finding.fix) : null,
			buttons, box));

	if (finding.where.length || finding.subject)
		buttons.append(el("button", {type: "button", onclick: () => markFinding(finding)}, "Show in the picture"));
	buttons.append(toggle);
	toggle.onclick = () => {
		opened[more ? "delete" : "add"](finding.key);
		renderFindings();
	};
	row.dataset.key = finding.key;
	row.classList.toggle("marked", marked.key === finding.key);
	return row;
}

// A change elsewhere must not take the focus of who is just reading: rows that stay the same stay where they are.
const rowTexts = new Map();

function renderFindings() {
	const list = byId("findings");
	const findings = allFindings();
	const old = new Map([...list.children].map((row) => [row.dataset.key, row]));
	const focused = document.activeElement?.closest?.("#findings > li")?.dataset.key;
	const focusedAt = focused ? [...old.get(focused).querySelectorAll("button")].indexOf(document.activeElement) : -1;
	const rows = findings.slice(0, shownRows).map((finding) => {
		const text = JSON.stringify([finding, opened.has(finding.key), marked.key === finding.key,
			finding.since && ago(finding.since)]);
		const row = rowTexts.get(finding.key) === text && old.get(finding.key) || findingRow(finding);

		rowTexts.set(finding.key, text);
		return row;
	});
	const left = findings.length - rows.length;
	const unsent = summary.findings - (summary.report?.findings.length ?? 0);

	list.replaceChildren(...rows);
	if (focused)
		rows.find((row) => row.dataset.key === focused)?.querySelectorAll("button")[focusedAt]?.focus();
	if (!rows.length && summary.report)
		list.append(el("li", {className: "ok"}, el("span", {className: "icon", "aria-hidden": "true"}, "✓"),
			el("div", {}, el("p", {}, "Nothing differs from the plan."))));
	byId("findings-more").replaceChildren(
		...(left > 0 ? [el("button", {type: "button", onclick: () => { shownRows += ROWS; renderFindings(); }},
			`Show ${Math.min(ROWS, left)} more of ${left}`)] : []),
		...(unsent > 0 ? [` ${unsent} further findings are in `, el("a", {href: "/report"}, "/report"), "."] : []));
	tellNews(findings);
}

function tellNews(findings) {
	const ids = new Set(findings.map((finding) => finding.key));
	const fresh = knownIds ? findings.filter((finding) => !knownIds.has(finding.key)) : [];
	const gone = knownIds ? [...knownIds].filter((id) => !ids.has(id)).length : 0;

	knownIds = ids;
	if (fresh.length)
		setText("news", `New: ${fresh.slice(0, 3).map((finding) => finding.text).join("; ")}` +
			`${fresh.length > 3 ? ` and ${fresh.length - 3} more` : ""}`);
	else if (gone)
		setText("news", `${plural(gone, "finding")} gone`);
}
