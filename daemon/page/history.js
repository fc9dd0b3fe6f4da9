// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// History and evidence.

let shownEvents = ROWS;

function renderHistory() {
	const known = pastEvents(), events = known.slice(0, shownEvents);

	byId("history").replaceChildren(...events.map((event) =>
		el("li", {className: event.event === "cleared" ? "ok" : event.severity},
			el("time", {dateTime: event.time}, new Date(event.time).toLocaleString()), el("b", {}, event.event),
			el("span", {className: "name"}, event.text,
				event.event === "cleared" ? ` (after ${span(event.duration_s)})` : ""))));
	byId("history-text").replaceChildren(events.length ? pastWhy :
		`No alert was raised or cleared as far back as is known. ${pastWhy}`,
	moreButton(events.length, known.length, () => { shownEvents += ROWS; renderHistory(); }));
}

function renderAbout() {
	const report = summary.report;
	const {hash, accepted} = report?.plan ?? {};
	const rows = [["Plan", report?.plan.name ?? summary.fabric], ["Plan file", report?.plan.file],
		["Plan hash", hash], ["Accepted", accepted &&
			`${accepted.count} findings, the last by ${accepted.by} at ${accepted.at}`],
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
