// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
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
	markOnce("ftcheck-picture");
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

// As near as all that is marked allows, and no nearer than an eighth of the whole, so that its neighbours say where it is.
function showMarked() {
	const boxes = svg ? [...svg.querySelectorAll("g.hit")].map((hit) => hit.getBoundingClientRect()) : [];
	const back = svg?.getScreenCTM()?.inverse();

	if (!boxes.length || !back)
		return;
	const from = new DOMPoint(Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top)))
		.matrixTransform(back);
	const to = new DOMPoint(Math.max(...boxes.map((box) => box.right)), Math.max(...boxes.map((box) => box.bottom)))
		.matrixTransform(back);
	const share = Math.max(1.25 * (to.x - from.x) / whole.width, 1.25 * (to.y - from.y) / whole.height, 1 / 8);
	const width = whole.width * share, height = whole.height * share;
	const inside = (middle, size, begin, all) => Math.max(begin, Math.min(middle - size / 2, begin + all - size));

	view = share >= 1 ? WHOLE : {x: inside((from.x + to.x) / 2, width, whole.x, whole.width),
		y: inside((from.y + to.y) / 2, height, whole.y, whole.height), width, height};
	showView();
}

function markFinding(finding) {
	const places = finding.subject?.name ? [finding.subject] : finding.where;

	mark(finding.key, places.map((where) => where.name), isCables(finding) && places.length === 2);
	showMarked();
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
	picture.onclick = chooseDrawn;
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
