// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How far the fabric is built, while its plan has phases: tables of cables by state, and the way there.

const buildStates = ["right", "missing", "half", "wrong-port", "wrong-switch", "wrong-rail", "slow", "not-due", "unknown"];
const buildWords = {"wrong-port": "wrong port", "wrong-switch": "wrong switch", "wrong-rail": "wrong rail",
	"not-due": "not yet due", unknown: "not judged"};
const buildTables = {phases: "By phase", racks: "By rack", groups: "By group", kinds: "By kind"};

const ordersShown = 100;

let build = null;
let printing = false;
let buildTag = "", buildsAsked = 0, buildShown = 0;

// As loadDrawing().
async function loadBuild() {
	if (!summary?.building)
		return;
	const number = ++buildsAsked;
	const response = await fetch("/build", {headers: buildTag ? {"If-None-Match": buildTag} : {}}).catch(() => null);
	const fresh = response?.status === 200 ? await response.json().catch(() => null) : null;

	if (!fresh || number < buildShown)
		return;
	buildShown = number;
	buildTag = response.headers.get("ETag") || "";
	build = fresh;
	renderBuild();
}

// States that no cable has are left out of all tables alike.
function buildTable(caption, rows) {
	const states = buildStates.filter((state) => state === "right" || build.all[state] > 0);
	const head = ["", "planned", ...states.map((state) => buildWords[state] || state),
		...(build.counters ? ["done"] : [])];

	return el("table", {className: "build"}, el("caption", {}, caption),
		el("thead", {}, el("tr", {}, ...head.map((word) => el("th", {scope: "col"}, word)))),
		el("tbody", {}, ...rows.map((row) => el("tr", {}, el("th", {scope: "row"}, row.name),
			...[row.planned, ...states.map((state) => row[state]), ...(build.counters ? [row.done] : [])].map((number) =>
				el("td", {}, String(number)))))));
}

// The first and the last sample, and up to ten between them.
function buildSamples() {
	const samples = build.over_time || [];
	const step = Math.max(1, Math.ceil(samples.length / 11));

	return samples.filter((_, i) => i % step === 0 || i === samples.length - 1);
}

function renderBuild() {
	const section = document.getElementById("build");

	section.hidden = !build;
	if (!build)
		return;
	const {all} = build;
	const open = build.cables.length;

	document.getElementById("build-text").textContent =
		`${all.right} of ${all.planned} planned cables are right, ${all["not-due"]} are not yet due` +
		(open ? `; ${open === 5000 ? "at least " : ""}${open} to do.` : "; nothing is left to do.") +
		(build.rails ? "" : " The plan has no rails.") +
		(build.counters ? "" : " Error counters are not read, so what is done is not known.");
	document.getElementById("build-tables").replaceChildren(
		...Object.entries(buildTables).filter(([key]) => build[key].length > 0)
			.map(([key, caption]) => buildTable(caption, build[key])),
		buildTable("Over time", buildSamples().map((sample) => ({...sample, name: clock(new Date(sample.time))}))));
	renderOrders();
}

// Work orders by the rack of the near end, in the order of the racks of /build. Paper has all of them.
function renderOrders() {
	const shown = printing ? build.cables : build.cables.slice(0, ordersShown);
	const racks = new Map(shown.map((cable) => [cable.a.rack, []]));
	const order = (cable) => el("li", {}, `Cable ${cable.cable}: ${cable.a.name}/${cable.a.port} – ` +
		`${cable.b.rack && cable.b.rack !== cable.a.rack ? `${cable.b.rack}: ` : ""}${cable.b.name}/${cable.b.port}: ` +
		`${buildWords[cable.state] || cable.state}. ${cable.todo || ""}`);

	for (const cable of shown)
		racks.get(cable.a.rack).push(cable);
	document.getElementById("build-orders").replaceChildren(...[...racks].flatMap(([rack, cables]) => [
		el("h3", {}, rack ? `Rack ${rack}` : "No rack"), el("ol", {}, ...cables.map(order))]));
	document.getElementById("build-more").textContent = shown.length < build.cables.length ?
		`The first ${shown.length} of ${build.cables.length} work orders. Print the page, or run ftcheck --build, for all.` : "";
}

for (const kind of ["beforeprint", "afterprint"])
	window.addEventListener(kind, () => {
		printing = kind === "beforeprint";
		if (build)
			renderOrders();
	});
