// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Events before those of the summary, page by page from /history, and when each finding began and ended.

const WEEKS_MS = 28 * 86400 * 1000;
const DAY_MS = 86400 * 1000;

const past = new Map(); // events by number, of the summary and of /history
let pastEnd = false; // there is nothing before
let pastWhy = "";
let shownSpans = ROWS;

// The newest first. The summary drops old ones as new ones come: what was known stays.
function pastEvents() {
	for (const event of summary.history)
		past.set(event.seq, event);
	return [...past.values()].sort((a, b) => b.seq - a.seq);
}

async function loadPast() {
	const first = pastEvents().at(-1)?.seq;
	const response = await fetch(first ? `/history?before=${first}` : "/history").catch(() => null);

	if (!response?.ok)
		return;
	const {kept, events} = await response.json();

	pastWhy = kept ? "" : "No history is kept on disk. ";
	pastEnd = events.length === 0;
	events.forEach((event) => past.set(event.seq, event));
	renderHistory();
	renderSpans();
}

// A button for more rows: of those that are known, and then of older ones.
function moreButton(shown, known, show) {
	if (shown < known)
		return el("button", {type: "button", onclick: show}, "Show more");
	return pastEnd ? "" : el("button", {type: "button", onclick: () => { show(); loadPast(); }}, "Show older");
}

// What stands, and what was cleared: an event of that says how long it had stood.
function spans() {
	const standing = summary.alerts.filter((alert) => alert.state !== "pending")
		.map((alert) => ({...alert, began: Date.parse(alert.since), ended: null}));
	const cleared = pastEvents().filter((event) => event.event === "cleared")
		.map((event) => ({...event, began: Date.parse(event.time) - event.duration_s * 1000,
			ended: Date.parse(event.time)}));

	return standing.concat(cleared).sort((a, b) => b.began - a.began);
}

// Where in the time that is shown it stood: a picture of what the row says, so it is not read out.
function spanBar(item, from, to) {
	const inside = (time) => 100 * Math.min(1, Math.max(0, (time - from) / (to - from)));
	const mark = el("span", {className: "stood"});

	mark.style.left = `${inside(item.began)}%`;
	mark.style.width = `${Math.max(0.7, inside(item.ended ?? to) - inside(item.began))}%`;
	return el("span", {className: "span-bar", ariaHidden: "true"}, mark);
}

function renderSpans() {
	const all = spans(), shown = all.slice(0, shownSpans), to = now();
	const oldest = Math.min(to - DAY_MS, ...shown.map((item) => item.began));
	const from = Math.max(oldest, to - WEEKS_MS);

	byId("spans").replaceChildren(...shown.map((item) =>
		el("li", {className: item.ended ? "ok" : item.severity},
			el("span", {}, el("time", {dateTime: new Date(item.began).toISOString()}, clock(item.began)), " to ",
				item.ended ? el("time", {dateTime: new Date(item.ended).toISOString()}, clock(item.ended)) : "now"),
			el("b", {}, item.ended ? span(Math.round((item.ended - item.began) / 1000)) : "stands"),
			el("span", {className: "name"}, item.text.replace(/^repaired: /, ""), spanBar(item, from, to)))));
	byId("spans-text").replaceChildren(
		all.length ? `The bars are from ${clock(from)} to now. ` : "No finding that raised an alert has ended or stands.",
		moreButton(shown.length, all.length, () => { shownSpans += ROWS; renderSpans(); }));
}
