// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The front panel of a switch: its ports in two rows, cage by cage, and of a director all its boards. One port at a time
// is in the order of the Tab key, arrow keys go to the others; what a port says is its label, and a line below shows it.

const portStates = {
	up: {icon: "●", says: "up"},
	down: {icon: "", says: "no cable, and none is missing"},
	missing: {icon: "✕", says: "the planned cable is missing"},
	wrong: {icon: "≠", says: "not as planned"},
	slow: {icon: "▾", says: "slower than planned"},
	errors: {icon: "!", says: "errors"},
	inactive: {icon: "◌", says: "linked, and carries nothing"},
	silent: {icon: "?", says: "the far end does not answer"},
	unread: {icon: "?", says: "not read"},
};

const BOARDS = 6; // that are shown at once; more on demand

function portSays(port) {
	const far = port.name ? `, to ${port.name} port ${port.peer_port}, ${port.rate}` : "";

	return `Port ${port.port}: ${portStates[port.state].says}${far}`;
}

// The finding is opened in its list, and gets the focus.
function showFinding(id) {
	const at = allFindings().findIndex((finding) => finding.id === id);

	if (at < 0)
		return false;
	const key = allFindings()[at].key;

	shownRows = Math.max(shownRows, at + 1);
	opened.add(key);
	renderFindings();
	const row = [...byId("findings").children].find((child) => child.dataset.key === key);

	row.scrollIntoView({block: "center"});
	row.querySelector("button").focus();
	return true;
}

function portChosen(port) {
	if (port.finding && showFinding(port.finding))
		return;
	if (port.guid)
		search({guid: port.guid});
}

function portButton(port, said) {
	const button = el("button", {type: "button", className: `port ${port.state}`, tabIndex: -1, title: portSays(port),
		"aria-label": portSays(port) + (port.finding ? "; opens the finding" : port.guid ? "; opens the far end" : ""),
		onclick: () => portChosen(port)},
	el("span", {"aria-hidden": "true"}, String(port.port)),
	el("b", {"aria-hidden": "true"}, portStates[port.state].icon));

	button.onfocus = button.onmouseenter = () => { said.textContent = portSays(port); };
	return button;
}

// Ports are numbered from the top to the bottom, then to the right; so are cages, of one port or several.
function portKeys(event, buttons) {
	const at = buttons.indexOf(document.activeElement);
	const steps = {ArrowUp: -1, ArrowDown: 1, ArrowLeft: -2, ArrowRight: 2, Home: -at, End: buttons.length - 1 - at};
	const to = buttons[at + steps[event.key]];

	if (!(event.key in steps) || event.ctrlKey || event.altKey || event.metaKey)
		return;
	event.preventDefault();
	if (!to)
		return;
	buttons[at].tabIndex = -1;
	to.tabIndex = 0;
	to.focus();
}

function boardPanel(board) {
	const said = el("p", {className: "soft name said-port"}, "");
	const buttons = board.ports.map((port) => portButton(port, said));
	const panel = el("div", {className: "panel", role: "group", "aria-label": `Ports of ${board.name}`});
	const bad = board.ports.filter((port) => !["up", "down"].includes(port.state)).length;
	const up = board.ports.filter((port) => port.state === "up").length;

	for (let first = 0; first < buttons.length; first += board.cage)
		panel.append(board.cage === 1 ? buttons[first] : el("span", {className: "cage"},
			...buttons.slice(first, first + board.cage)));
	if (buttons.length)
		buttons[0].tabIndex = 0;
	panel.onkeydown = (event) => portKeys(event, buttons);
	return el("div", {className: "board"},
		el("p", {}, el("b", {className: "name"}, board.name),
			` ${up} of ${plural(board.ports.length, "port")} up${bad ? `, ${bad} to look at` : ""}` +
			`${board.cage > 1 ? `, ${board.cage} ports a cage` : ""}`),
		panel, said);
}

// All boards of a node; those with something to look at come before the others.
function panelOf(boards) {
	const bad = (board) => board.ports.some((port) => !["up", "down"].includes(port.state));
	const rest = boards.slice(1);
	const sorted = [boards[0], ...rest.filter(bad), ...rest.filter((board) => !bad(board))];
	const box = el("div", {className: "boards"});
	const more = (from) => {
		const left = sorted.length - from - BOARDS;

		box.append(...sorted.slice(from, from + BOARDS).map(boardPanel));
		if (left > 0) {
			const button = el("button", {type: "button"}, `Show ${Math.min(BOARDS, left)} more of ${plural(left, "board")}`);

			button.onclick = () => {
				button.remove();
				more(from + BOARDS);
			};
			box.append(button);
		}
	};

	more(0);
	return box;
}
