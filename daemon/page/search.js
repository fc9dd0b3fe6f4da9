// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
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
