// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
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
