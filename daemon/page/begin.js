// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The page of ftcheckd. It fetches /summary, then /drawing.svg, and fetches them again whenever /events says that
// something is new; where there is no stream of events, it polls. All text of the fabric becomes text nodes, and the
// drawing is copied element by element: nothing that a node calls itself is ever markup.
//
// The files of this folder are one script (PAGE_SCRIPT in Makefile.am): this one has what all others use, live.js is the
// last and starts it. render() there calls the function of each section.
"use strict";

const POLL_MS = 5000; // without a stream of events
const STREAM_RETRY_MS = 10000;
const LOST_MS = 12000; // the daemon sends something every 10 s; a request that takes longer is lost
const ROWS = 40; // findings and events that are shown at once; more on demand

const byId = (id) => document.getElementById(id);

// An element with these properties and children; strings become text.
function el(name, properties, ...children) {
	const element = document.createElement(name);

	for (const [key, value] of Object.entries(properties ?? {})) {
		if (key in element)
			element[key] = value;
		else
			element.setAttribute(key, value);
	}
	element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
	return element;
}

function setText(id, text) {
	const element = byId(id);

	// A live region is not read out again for the same words.
	if (element.textContent !== text)
		element.textContent = text;
}

// For measurements: when that was done the first time.
function markOnce(name) {
	if (!performance.getEntriesByName(name).length)
		performance.mark(name);
}

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

// Times.

let skewMs = 0; // of the daemon's clock, ahead of this one

const now = () => Date.now() + skewMs;
const two = (number) => String(number).padStart(2, "0");

// In the browser's zone, in the order of the command line: that of a language's own habit may put the month or the day
// first, and count hours to 12 or from 24.
function moment(time) {
	const date = new Date(time);

	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
		`${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

// "UTC+01:00", and the zone's name if the browser knows it.
function zone(date) {
	const minutes = -date.getTimezoneOffset(), {timeZone} = Intl.DateTimeFormat().resolvedOptions();
	const offset = minutes === 0 ? "UTC" :
		`UTC${minutes < 0 ? "−" : "+"}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;

	return timeZone && timeZone !== "UTC" ? `${offset} (${timeZone})` : offset;
}

// To the minute; of today without the date.
function clock(time) {
	const [day, hours] = moment(time).split(" ");

	return `${day === moment(now()).split(" ")[0] ? "" : `${day} `}${hours.slice(0, 5)}`;
}

function ago(time) {
	const seconds = Math.max(0, Math.round((now() - new Date(time)) / 1000));

	for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]])
		if (seconds >= size)
			return `${plural(Math.floor(seconds / size), unit)} ago`;
	return seconds < 10 ? "just now" : "less than a minute ago";
}

function span(seconds) {
	for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]])
		if (seconds >= size)
			return plural(Math.floor(seconds / size), unit);
	return plural(seconds, "second");
}
