// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The page of ftcheckd. It fetches /summary, then /drawing.svg, and fetches them again whenever /events says that
// something is new; where there is no stream of events, it polls. All text of the fabric becomes text nodes, and the
// drawing is copied element by element: nothing that a node calls itself is ever markup.
"use strict";

const POLL_MS = 5000; // without a stream of events
const STREAM_RETRY_MS = 10000;
const LOST_MS = 12000; // the daemon sends something every 10 s; a request that takes longer is lost
const ROWS = 40; // findings and events that are shown at once; more on demand

const byId = (id) => document.getElementById(id);

// An element with these properties and children; strings become text.
function el(name, properties, ...children) {
	const element = document.createElement(name);

	for (const [key, value] of Object.entries(properties ?? {})) {
		if (key in element)
			element[key] = value;
		else
			element.setAttribute(key, value);
	}
	element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
	return element;
}

function setText(id, text) {
	const element = byId(id);

	// A live region is not read out again for the same words.
	if (element.textContent !== text)
		element.textContent = text;
}

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

// Times.

let skewMs = 0; // of the daemon's clock, ahead of this one

const now = () => Date.now() + skewMs;

function clock(time) {
	const date = new Date(time);
	const today = new Date(now()).toDateString() === date.toDateString();
	const hours = date.toLocaleTimeString([], {hour: "2-digit", minute: "2-digit", hour12: false});

	return today ? hours : `${date.toLocaleDateString()} ${hours}`;
}

function ago(time) {
	const seconds = Math.max(0, Math.round((now() - new Date(time)) / 1000));

	for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]])
		if (seconds >= size)
			return `${plural(Math.floor(seconds / size), unit)} ago`;
	return seconds < 10 ? "just now" : "less than a minute ago";
}

function span(seconds) {
	for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]])
		if (seconds >= size)
			return plural(Math.floor(seconds / size), unit);
	return plural(seconds, "second");
}

// The verdict.

let summary = null;
let lostSince = null; // when the daemon was last heard, if it is not heard now

const verdicts = {
	ok: {icon: "✓", word: "As planned"},
	warning: {icon: "!", word: "Warning"},
	critical: {icon: "✕", word: "Critical"},
	unknown: {icon: "?", word: "Not known"},
};

// Why the last verdict may not hold any more; null: it does.
function doubt() {
	if (lostSince)
		return `This page does not reach the daemon since ${clock(lostSince)}.`;
	if (!summary.report)
		return summary.trouble || "The first sweep has not ended yet.";
	if (!summary.verified)
		return summary.trouble || "The last sweep did not see everything.";
	if (!summary.stale_at || now() > new Date(summary.stale_at))
		return "No sweep has ended for too long.";
	return null;
}

function renderVerdict() {
	const why = doubt();
	const report = summary?.report;
	const verdict = why || !report ? "unknown" : report.verdict;
	const since = summary?.verified_at ? ` since ${clock(summary.verified_at)}` : "";
	const word = why ? (summary?.report ? `Not verified${since}` : "Not verified yet") : verdicts[verdict].word;
	const last = why && report ? `${why} Last known: ${verdicts[report.verdict].word.toLowerCase()}. ` : why ?? "";

	byId("verdict").className = verdict;
	setText("verdict-icon", verdicts[verdict].icon);
	setText("verdict-word", word);
	setText("verdict-text", why && !report ? why : `${last}${sentence()}`);
	setText("verdict-age", report ? age(report) : "");
	document.title = `${verdicts[verdict].icon} ${word} – ${summary?.fabric ?? "ftcheckd"}`;
}

function sentence() {
	const counts = summary.report.counts;

	return `${counts.uplinks.up} of ${plural(counts.uplinks.planned, "cable")} between switches up, ` +
		`${counts.hosts.found} of ${plural(counts.hosts.planned, "host")} there, ${plural(summary.findings, "finding")}.`;
}

function age(report) {
	const unseen = report.source.unreached.length;
	const swept = summary.verified_at ? `Whole fabric read ${ago(summary.verified_at)} (${clock(summary.verified_at)})` :
		"The whole fabric was not read yet";
	const coverage = report.source.complete ? "everything answered" :
		`not everything answered${unseen ? `: ${report.source.unreached.slice(0, 5).join(", ")}` : ""}`;

	return `${swept}, last change read ${ago(report.time)}; ${coverage}.`;
}

// Counts.

function renderCounts() {
	const counts = summary.report?.counts;
	const rows = [];
	const share = (found, planned) => ({value: `${found} / ${planned}`, bad: found < planned});

	if (counts) {
		for (const [tier, name] of [["edge", "Edge switches"], ["spine", "Spine switches"], ["core", "Core switches"]])
			if (counts[tier]?.planned)
				rows.push([`${name} complete`, share(counts[tier].ok, counts[tier].planned)]);
		rows.push(["Cables up", share(counts.uplinks.up, counts.uplinks.planned)]);
		rows.push(["Hosts", share(counts.hosts.found, counts.hosts.planned)]);
		rows.push(["Bisection", {value: `${Math.floor(summary.report.bisection * 1000) / 10} %`,
			bad: summary.report.bisection < 1}]);
		rows.push(["Findings", {value: String(summary.findings), bad: false}]);
	}
	byId("counts").replaceChildren(...rows.map(([name, {value, bad}]) =>
		el("div", {className: bad ? "bad" : ""}, el("dt", {}, name), el("dd", {}, value))));
}

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
		where.port ? ` port ${where.port}` : "");
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

function evidence(finding) {
	const rows = [["Planned", finding.expected], ["Seen", finding.observed], ["Known by", finding.evidence],
		["Impact", impact(finding)], ["Since", finding.since ? new Date(finding.since).toLocaleString() : ""],
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

// History and evidence.

let shownEvents = ROWS;

function renderHistory() {
	const events = summary.history.slice(0, shownEvents);

	byId("history").replaceChildren(...events.map((event) =>
		el("li", {className: event.event === "cleared" ? "ok" : event.severity},
			el("time", {dateTime: event.time}, new Date(event.time).toLocaleString()), el("b", {}, event.event),
			el("span", {className: "name"}, event.text,
				event.event === "cleared" ? ` (after ${span(event.duration_s)})` : ""))));
	byId("history-text").replaceChildren(events.length ? "As far back as this daemon runs, the last 200. " :
		"No alert was raised or cleared since the daemon was started.",
	summary.history.length > events.length ? el("button", {type: "button",
		onclick: () => { shownEvents += ROWS; renderHistory(); }}, "Show more") : "");
}

function renderAbout() {
	const report = summary.report;
	const rows = [["Plan", report?.plan.name ?? summary.fabric], ["Plan file", report?.plan.file],
		["Plan SHA-256", report?.plan.sha256], ["Instance", summary.instance], ["Events", summary.listening],
		["Swept from", report?.source.entry?.name], ["Source", report?.source.detail], ["Engine", report?.source.engine],
		["Worst links", report?.counters ? `${report.counters.read} of ${report.counters.ports} ports read` :
			"error counters are not read by the daemon"],
		["ftcheckd", summary.version]].filter(([, value]) => value);

	byId("about").className = "pairs";
	byId("about").replaceChildren(...rows.flatMap(([name, value]) =>
		[el("dt", {}, name), el("dd", {className: "name"}, String(value))]));
	setText("fabric", summary.instance ? `${summary.fabric} (${summary.instance})` : summary.fabric);
}

function render() {
	renderVerdict();
	if (!summary)
		return;
	renderCounts();
	renderFindings();
	renderHistory();
	renderAbout();
}

// The picture.

const SVG = "http://www.w3.org/2000/svg";
const drawn = new Set(["g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "title",
	"defs", "pattern", "marker"]);
const WHOLE = "all"; // what the view shows unless somebody zoomed
let svg = null;
let whole = null; // the box of all of it
let view = WHOLE;
const marked = {key: null, names: []};

// A copy of what may be in a drawing, and nothing else.
function copy(from, to) {
	for (const node of from.childNodes) {
		if (node.nodeType === Node.TEXT_NODE) {
			to.append(node.data);
			continue;
		}
		if (node.nodeType !== Node.ELEMENT_NODE || !drawn.has(node.localName) || node.getAttribute("class") === "words")
			continue;
		const element = document.createElementNS(SVG, node.localName);

		for (const {name, value} of node.attributes)
			if (!/^on|href|style|class/i.test(name) && (!/url\(/i.test(value) || /^url\(#\w+\)$/.test(value)))
				element.setAttribute(name, value);
		copy(node, element);
		if (node.localName === "g" && node.firstElementChild?.localName === "title")
			element.classList.add("mark");
		to.append(element);
	}
}

function draw(text) {
	const source = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
	const fresh = document.createElementNS(SVG, "svg");
	let box;

	if (source.localName !== "svg")
		return;
	for (const name of ["font-family", "fill"])
		fresh.setAttribute(name, source.getAttribute(name));
	fresh.setAttribute("role", "img");
	fresh.setAttribute("aria-label", "The fabric, with what is wrong marked; the findings say the same in words");
	copy(source, fresh);
	// The paper, which would cover the words left out too.
	fresh.querySelector(":scope > rect")?.remove();
	fresh.querySelector(":scope > title")?.remove();
	byId("picture").replaceChildren(fresh);
	svg = fresh;
	box = svg.getBBox();
	whole = {x: box.x - 12, y: box.y - 12, width: box.width + 24, height: box.height + 24};
	showView();
	showMarks();
}

function showView() {
	const box = view === WHOLE ? whole : view;

	svg?.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
	byId("picture").classList.toggle("near", view !== WHOLE);
}

// Around a point, given as shares of the view; 0.8 is nearer.
function zoom(factor, at = {x: 0.5, y: 0.5}) {
	const box = view === WHOLE ? whole : view;
	const width = Math.min(box.width * factor, whole.width), height = Math.min(box.height * factor, whole.height);

	if (width < whole.width / 60)
		return;
	view = width >= whole.width ? WHOLE : {x: box.x + (box.width - width) * at.x, y: box.y + (box.height - height) * at.y,
		width, height};
	showView();
}

function move(x, y) {
	if (view === WHOLE)
		return;
	view = {...view, x: Math.max(whole.x - view.width / 2, Math.min(view.x + x, whole.x + whole.width - view.width / 2)),
		y: Math.max(whole.y - view.height / 2, Math.min(view.y + y, whole.y + whole.height - view.height / 2))};
	showView();
}

// Is that one of the names in the words of a mark? "edge1" is not in "edge12 - core01: 9 cables".
function says(words, name) {
	const letter = /[\p{L}\p{N}_.-]/u;

	for (let at = words.indexOf(name); at >= 0; at = words.indexOf(name, at + 1))
		if (!letter.test(words[at - 1] ?? " ") && !letter.test(words[at + name.length] ?? " "))
			return true;
	return false;
}

// The drawing has short names: what stands before the first semicolon, colon or comma.
const shortName = (name) => name.split(/[;:,]/).pop().trim() || name;

function showMarks() {
	const names = marked.names.flatMap((name) => [name, shortName(name)]);
	let hits = 0;

	byId("unmark").hidden = !names.length;
	if (!svg)
		return;
	svg.classList.toggle("marking", false);
	for (const mark of svg.querySelectorAll("g.mark")) {
		const words = mark.firstElementChild.textContent;
		// A cable between two of a finding's places; else all that has to do with the place.
		const hit = marked.both ? names.some((name) => words.startsWith(name) && /^[;:]?$/.test(words.charAt(name.length))) ||
			marked.names.every((name) => says(words, name) || says(words, shortName(name))) :
			names.some((name) => says(words, name));

		mark.classList.toggle("hit", hit);
		hits += hit;
	}
	svg.classList.toggle("marking", hits > 0);
	if (names.length)
		setText("picture-text", hits ? `Marked: ${marked.names.join(", ")}` :
			`${marked.names.join(", ")} is not drawn by itself in this picture.`);
	else
		setText("picture-text", "");
}

function mark(key, names, both) {
	Object.assign(marked, {key, names: [...new Set(names.filter(Boolean))], both: false});
	marked.both = both && marked.names.length === 2;
	showMarks();
	if (marked.both && svg && !svg.querySelector("g.hit")) {
		marked.both = false;
		showMarks();
	}
	if (summary)
		renderFindings();
}

function markFinding(finding) {
	const places = finding.subject?.name ? [finding.subject] : finding.where;

	mark(finding.key, places.map((where) => where.name), isCables(finding) && places.length === 2);
	byId("picture").scrollIntoView({block: "nearest"});
}

function pictureBegin() {
	const picture = byId("picture");
	const fingers = new Map();
	const keys = {"+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25), "0": () => zoom(Infinity),
		ArrowLeft: () => move(-view.width / 8, 0), ArrowRight: () => move(view.width / 8, 0),
		ArrowUp: () => move(0, -view.height / 8), ArrowDown: () => move(0, view.height / 8)};
	const share = (event) => {
		const box = picture.getBoundingClientRect();

		return {x: (event.clientX - box.x) / box.width, y: (event.clientY - box.y) / box.height};
	};
	const apart = () => {
		const [a, b] = [...fingers.values()];

		return Math.hypot(a.x - b.x, a.y - b.y);
	};

	picture.onkeydown = (event) => {
		if (!svg || !keys[event.key] || event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key.startsWith("Arrow") && view === WHOLE)
			return;
		event.preventDefault();
		keys[event.key]();
	};
	picture.addEventListener("wheel", (event) => {
		// A wheel alone scrolls the page.
		if (!svg || !event.ctrlKey)
			return;
		event.preventDefault();
		zoom(event.deltaY < 0 ? 0.85 : 1.18, share(event));
	}, {passive: false});
	picture.ondblclick = (event) => svg && zoom(0.5, share(event));
	picture.onpointerdown = (event) => fingers.set(event.pointerId, share(event));
	picture.onpointerup = picture.onpointercancel = picture.onpointerleave = (event) => fingers.delete(event.pointerId);
	picture.onpointermove = (event) => {
		const before = fingers.get(event.pointerId), after = share(event);
		const span = fingers.size === 2 ? apart() : 0;

		if (!svg || !before)
			return;
		fingers.set(event.pointerId, after);
		if (fingers.size === 2 && apart() > 0)
			zoom(span / apart(), after);
		else if (view !== WHOLE)
			move((before.x - after.x) * view.width, (before.y - after.y) * view.height);
	};
	for (const button of document.querySelectorAll("[data-zoom]"))
		button.onclick = () => svg && zoom({in: 0.7, out: 1.4, all: Infinity}[button.dataset.zoom]);
	byId("unmark").onclick = () => {
		mark(null, [], false);
		picture.focus();
	};
}

// Search.

let searchTimer = null, searchNumber = 0;

async function search(query) {
	const number = ++searchNumber;
	const hits = byId("search-hits");
	const answer = await fetch(`/nodes?${new URLSearchParams(query)}`).then((response) => response.json()).catch(() => null);

	if (number !== searchNumber)
		return;
	if (!answer)
		hits.replaceChildren(el("p", {}, "The daemon does not answer."));
	else if (query.guid && answer.nodes.length)
		hits.replaceChildren(nodeDetails(answer.nodes[0]));
	else if (!answer.nodes.length)
		hits.replaceChildren(el("p", {}, "Nothing of that name was seen or planned."));
	else
		hits.replaceChildren(el("div", {className: "hits"}, ...answer.nodes.map(nodeButton)),
			el("p", {className: "soft"}, answer.more ? "And more: write more of the name." : ""));
}

function nodeButton(node) {
	const choose = () => {
		mark(null, [node.name], false);
		if (node.guid)
			search({guid: node.guid});
		else
			byId("search-hits").replaceChildren(nodeDetails(node));
	};

	return el("button", {type: "button", onclick: choose}, el("bdi", {}, node.name), node.guid ? "" : " (not seen)");
}

function nodeDetails(node) {
	const cables = node.cables ?? [];
	const findings = allFindings().filter((finding) => finding.where.some((where) =>
		where.name === node.name || (where.guid && where.guid === node.guid)));
	const rows = cables.map((cable) => el("tr", {}, el("td", {}, String(cable.port)),
		el("td", {}, nodeButton(cable), ` port ${cable.peer_port}`), el("td", {}, cable.rate)));

	return el("div", {},
		el("p", {}, el("b", {className: "name"}, node.name), node.guid ? `, ${node.type} ${node.guid}: ` +
			`${cables.length} of ${plural(node.ports, "port")} cabled` : ", planned, and not seen"),
		...findings.map((finding) => el("p", {className: `name ${finding.severity}`}, `${finding.severity}: ${finding.text}`)),
		rows.length ? el("table", {}, el("thead", {}, el("tr", {}, ...["Port", "Far end", "Rate"].map((title) =>
			el("th", {scope: "col"}, title)))), el("tbody", {}, ...rows)) : null);
}

function searchBegin() {
	const input = byId("search-name");
	const run = () => {
		clearTimeout(searchTimer);
		if (input.value.trim())
			search({name: input.value.trim()});
		else {
			searchNumber++;
			byId("search-hits").replaceChildren();
		}
	};

	input.oninput = () => {
		clearTimeout(searchTimer);
		searchTimer = setTimeout(run, 200);
	};
	byId("search").onsubmit = (event) => {
		event.preventDefault();
		run();
	};
}

// Staying up to date.

let loading = false, loadAgain = false;
let drawingTag = null, drawingTimer = null;
let heardAt = Date.now();

function heard(response) {
	const date = Date.parse(response.headers.get("Date"));

	heardAt = Date.now();
	lostSince = null;
	// The header is in whole seconds.
	if (date && Math.abs(date - Date.now()) > 2000)
		skewMs = date - Date.now();
}

async function loadDrawing() {
	const response = await fetch("/drawing.svg", {cache: "no-cache"}).catch(() => null);

	clearTimeout(drawingTimer);
	if (!response)
		return;
	if (response.status !== 200) {
		const why = (await response.text()).trim();

		if (!svg)
			setText("picture-text", why);
		// An event tells when it is drawn; this is for those without.
		drawingTimer = setTimeout(loadDrawing, POLL_MS);
		return;
	}
	if (!svg)
		setText("picture-text", "");
	if (svg && response.headers.get("ETag") === drawingTag)
		return;
	drawingTag = response.headers.get("ETag");
	draw(await response.text());
}

async function load() {
	if (loading) {
		loadAgain = true;
		return;
	}
	loading = true;
	try {
		const response = await fetch("/summary", {cache: "no-cache", signal: AbortSignal.timeout(LOST_MS)});

		summary = await response.json();
		heard(response);
	} catch {
		lostSince ??= heardAt + skewMs;
	}
	loading = false;
	if (summary)
		render();
	else
		setText("verdict-text", "The daemon does not answer.");
	if (summary?.report && !lostSince)
		loadDrawing();
	if (loadAgain) {
		loadAgain = false;
		load();
	}
}

function listen() {
	const stream = new EventSource("/events");

	stream.onopen = () => setText("link", "Live");
	stream.addEventListener("change", load);
	stream.onerror = () => {
		setText("link", lostSince ? "No connection" : `Asks every ${POLL_MS / 1000} s`);
		load();
		// The browser itself tries again, except after a refusal.
		if (stream.readyState === EventSource.CLOSED)
			setTimeout(listen, STREAM_RETRY_MS);
	};
	stream.addEventListener("change", () => setText("link", "Live"));
	return stream;
}

pictureBegin();
searchBegin();
load();
listen();
setInterval(() => {
	// A stream tells nothing while nothing changes: the daemon may be gone all the same.
	if (byId("link").textContent !== "Live" || Date.now() - heardAt > LOST_MS)
		load();
	else if (summary)
		renderVerdict();
}, POLL_MS);
