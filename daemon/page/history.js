// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// History, worst links and evidence.

let shownEvents = ROWS;

function renderHistory() {
	const known = pastEvents(), events = known.slice(0, shownEvents);

	byId("history").replaceChildren(...events.map((event) =>
		el("li", {className: event.event === "cleared" ? "ok" : event.severity},
			el("time", {dateTime: event.time}, moment(event.time)), el("b", {}, event.event),
			el("span", {className: "name"}, event.text,
				event.event === "cleared" ? ` (after ${span(event.duration_s)})` : ""))));
	byId("history-text").replaceChildren(events.length ? pastWhy :
		`No alert was raised or cleared as far back as is known. ${pastWhy}`,
	moreButton(events.length, known.length, () => { shownEvents += ROWS; renderHistory(); }));
}

// The links that counted most errors in the last interval, whether or not these are more than a sound cable makes.
function renderLinks() {
	const worst = summary.worst_links;
	const place = ({name, port}) => `${name} port ${port}`;
	const names = ["Link", "", "Errors", "In"];

	byId("links").hidden = !worst;
	if (!worst)
		return;
	setText("links-text", worst.links.length ? `By the error counters that were read ${clock(new Date(worst.at))}. ` +
		"A few symbol errors are no fault; more than a sound cable makes are a finding." :
	`Until ${clock(new Date(worst.at))}, when error counters were read last, none had risen.`);
	byId("links-table").replaceChildren(worst.links.length ? el("table", {},
		el("thead", {}, el("tr", {}, ...names.map((name) => el("th", {scope: "col"}, name)))),
		el("tbody", {}, ...worst.links.map((link) => el("tr", {}, el("td", {className: "name"}, place(link.a)),
			el("td", {className: "name"}, link.b ? place(link.b) : "?"), el("td", {}, link.text),
			el("td", {}, span(Math.round(link.interval_ms / 1000))))))) : "");
}

function renderAbout() {
	const report = summary.report;
	const {hash, accepted} = report?.plan ?? {};
	const rows = [["Plan", report?.plan.name ?? summary.fabric], ["Plan file", report?.plan.file],
		["Plan hash", hash], ["Accepted", accepted &&
			`${accepted.count} findings, the last by ${accepted.by} at ${accepted.at}`],
		["Plan SHA-256", report?.plan.sha256], ["Instance", summary.instance], ["Events", summary.listening],
		["Swept from", report?.source.entry?.name], ["Source", report?.source.detail], ["Engine", report?.source.engine],
		["Error counters", summary.worst_links ? `read ${clock(new Date(summary.worst_links.at))}` :
			"not read (counters = yes)"],
		["Times", `${zone(new Date(now()))}, as this browser has it; those of the command line are UTC`],
		["ftcheckd", summary.version]].filter(([, value]) => value);

	byId("about").className = "pairs";
	byId("about").replaceChildren(...rows.flatMap(([name, value]) =>
		[el("dt", {}, name), el("dd", {className: "name"}, String(value))]));
	setText("fabric", summary.instance ? `${summary.fabric} (${summary.instance})` : summary.fabric);
}
