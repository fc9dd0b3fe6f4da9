// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Search.

let searchTimer = null, searchNumber = 0, searchAnswered = 0;
let shownGuid = null, shownNode = null; // whose details are shown, and what they are made of

async function search(query) {
	const number = ++searchNumber;
	const hits = byId("search-hits");
	const asked = query.guid ? {guid: query.guid} : {name: query.name};
	const answer = await fetch(`/nodes?${new URLSearchParams(asked)}`, {signal: AbortSignal.timeout(LOST_MS)})
		.then((response) => response.json()).catch(() => null);

	if (number !== searchNumber)
		return;
	searchAnswered = number;
	if (query.again && hits.contains(document.activeElement))
		return;
	shownGuid = query.guid && answer?.nodes.length ? query.guid : null;
	if (!shownGuid)
		shownNode = null;
	if (!answer)
		hits.replaceChildren(el("p", {}, "The daemon does not answer."));
	else if (query.only && answer.nodes.length && answer.nodes[0].guid)
		nodeChosen(answer.nodes[0]);
	else if (query.guid && answer.nodes.length)
		showNode(answer.nodes[0]);
	else if (!answer.nodes.length)
		hits.replaceChildren(el("p", {}, "Nothing of that name was seen or planned."));
	else
		hits.replaceChildren(el("div", {className: "hits"}, ...answer.nodes.map(nodeButton)),
			el("p", {className: "soft"}, answer.more ? "And more: write more of the name." : ""));
}

// Nothing moves under who reads it while it stays the same.
function showNode(node) {
	const fresh = JSON.stringify([node, doubt(), summary.alerts.map((alert) => alert.id)]);

	if (shownNode !== fresh)
		byId("search-hits").replaceChildren(nodeDetails(node));
	shownNode = fresh;
}

function nodeChosen(node) {
	mark(null, [node.name], false);
	if (node.guid)
		search({guid: node.guid});
	else
		byId("search-hits").replaceChildren(nodeDetails(node));
}

function nodeButton(node) {
	return el("button", {type: "button", onclick: () => nodeChosen(node)}, el("bdi", {}, node.name), node.guid ? "" : " (not seen)");
}

function nodeDetails(node) {
	const boards = node.boards ?? [];
	const ports = boards[0]?.ports ?? [];
	const cables = ports.filter((port) => port.name);
	const why = doubt();
	const findings = allFindings().filter((finding) => finding.where.some((where) =>
		where.name === node.name || (where.guid && where.guid === node.guid)));
	const rows = cables.map((cable) => el("tr", {}, el("td", {}, cable.interface ?? String(cable.port)),
		el("td", {}, nodeButton(cable), cable.peer_interface ? ` ${cable.peer_interface}` : ` port ${cable.peer_port}`),
		el("td", {}, cable.rate),
		el("td", {}, portStates[cable.state].says)));

	return el("div", {className: why ? "doubtful" : ""},
		el("p", {}, el("b", {className: "name"}, node.name), node.guid ? `, ${node.type}${ports.some((port) => port.interface) ? "" : ` ${node.guid}`}: ` +
			`${cables.length} of ${plural(node.ports, "port")} cabled` : ", planned, and not seen"),
		why ? el("p", {className: "unknown"}, `Not verified, this is what was last known. ${why}`) : null,
		...findings.map((finding) => el("p", {className: `name ${finding.severity}`}, `${finding.severity}: ${finding.text}`)),
		boards.length && node.type === "switch" ? panelOf(boards) : null,
		rows.length ? el("details", {open: node.type !== "switch"}, el("summary", {}, plural(rows.length, "cable")),
			el("table", {}, el("thead", {}, el("tr", {}, ...["Port", "Far end", "Rate", "State"].map((title) =>
				el("th", {scope: "col"}, title)))), el("tbody", {}, ...rows))) : null);
}

function searchBegin() {
	const input = byId("search-name");
	const run = () => {
		clearTimeout(searchTimer);
		if (input.value.trim())
			search({name: input.value.trim()});
		else {
			searchNumber++;
			shownGuid = shownNode = null;
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

// What is shown of a node follows the fabric, unless somebody is just using it, also when the answer comes, or has asked for
// something else.
function renderNode() {
	if (shownGuid && searchAnswered === searchNumber && !byId("search-hits").contains(document.activeElement))
		search({guid: shownGuid, again: true});
}

// A switch of the picture was chosen: the words of its mark begin with its name. Those of a cable have two.
function chooseDrawn(event) {
	const words = event.target.closest?.("g.mark")?.firstElementChild?.textContent ?? "";
	const name = /^(.+?)[;:] /.exec(words)?.[1];

	if (name && !name.includes(" - "))
		search({name, only: true});
}
