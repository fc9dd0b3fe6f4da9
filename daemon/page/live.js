// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Staying up to date.

function render() {
	renderVerdict();
	if (!summary)
		return;
	renderCounts();
	renderFindings();
	renderHistory();
	renderLinks();
	renderSpans();
	loadBuild();
	renderAbout();
	renderNode();
	markOnce("ftcheck-verdict");
}

let loading = false, loadAgain = false;
let drawingTag = null, drawingTimer = null;
let drawingsAsked = 0, drawingShown = 0; // by number
let heardAt = Date.now();

function heard(response) {
	const date = Date.parse(response.headers.get("Date"));

	heardAt = Date.now();
	lostSince = null;
	// The header is in whole seconds.
	if (date && Math.abs(date - Date.now()) > 2000)
		skewMs = date - Date.now();
}

// A large answer may come after that to a later question, and does not take its place then.
async function loadDrawing() {
	const number = ++drawingsAsked;
	const response = await fetch("/drawing.svg", {cache: "no-cache"}).catch(() => null);
	const text = await response?.text().catch(() => null) ?? null;

	if (text === null || number < drawingShown)
		return;
	drawingShown = number;
	clearTimeout(drawingTimer);
	if (response.status !== 200) {
		if (!svg)
			setText("picture-text", text.trim());
		// An event tells when it is drawn; this is for those without.
		drawingTimer = setTimeout(loadDrawing, POLL_MS);
		return;
	}
	if (!svg)
		setText("picture-text", "");
	if (svg && response.headers.get("ETag") === drawingTag)
		return;
	drawingTag = response.headers.get("ETag");
	draw(text);
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
