/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The construction of findings, and what is done to them at the end: ids, waivers, doubts about
 * places, the order, the verdict.
 *
 * Invariant: an id does not depend on the order of the sweep, on names, or on other faults (finding_id()). O(n log n)
 * in the findings.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/model/bounds.h"
#include "verify/model/model.h"
#include "verify/model/recall.h"

int ft_steps_take(struct ft_model *m, ft_step_fn *const steps[], size_t count)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++) {
		r = steps[i](m);
		if (m->memory.failed || (m->report && m->report->memory.failed))
			r = -ENOMEM;
	}
	return r;
}

void ft_say(struct ft_model *m, char **string, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	*string = ft_arena_print_args(&m->report->memory, format, args);
	va_end(args);
}

const char *ft_plural(uint32_t count, const char *one, char buffer[48])
{
	snprintf(buffer, 48, "%u %s%s", count, one, count == 1 ? "" : "s");
	return buffer;
}

struct ft_finding *ft_finding_add(struct ft_model *m, enum ft_code code, enum ft_evidence evidence)
{
	struct ft_report *report = m->report;
	struct ft_finding *f;

	if (report->finding_count >= m->findings_max && code != FT_CODE_SWEEP_INCOMPLETE) {
		/* Only counted (bounds.h). */
		m->unsaid++;
		m->lost = (struct ft_finding){.code = code};
		return &m->lost;
	}
	f = FT_ARENA_MORE(&report->memory, report->findings, report->finding_count);
	if (!f) {
		/* Writes to it are discarded, and no report is made. */
		m->lost = (struct ft_finding){.code = code};
		return &m->lost;
	}
	*f = (struct ft_finding){.code = code, .severity = ft_codes[code].severity, .evidence = evidence, .count = 1};
	return f;
}

const char *ft_port_words(const struct ft_place *place, char buffer[FT_PORT_WORDS_SIZE])
{
	buffer[0] = '\0';
	if (place->interface[0])
		snprintf(buffer, FT_PORT_WORDS_SIZE, " %s", place->interface);
	else if (place->port > 0)
		snprintf(buffer, FT_PORT_WORDS_SIZE, " port %u", place->port);
	return buffer;
}

bool ft_place_interface_set(struct ft_place *place, const char *name)
{
	size_t length = name ? strlen(name) : 0;

	if (length == 0 || length >= sizeof(place->interface))
		return false;
	for (size_t i = 0; i < length; i++)
		if (name[i] < '!' || name[i] > '~')
			return false;
	memcpy(place->interface, name, length + 1);
	return true;
}

/* A name that is too long, or no plain text, is left out: the port is known by its number. */
static void interface_set(const struct ft_snapshot *s, const struct ft_port *port, struct ft_place *place)
{
	if (port)
		ft_place_interface_set(place, ft_port_name(s, port));
}

static struct ft_place place_of_observed(const struct ft_model *m, uint32_t observed, uint32_t number)
{
	const struct ft_node *node = &m->snapshot->nodes[m->observed.switches[observed].node];
	struct ft_place place = {
		.guid = m->observed.switches[observed].guid, .port = number, .switch_number = observed + 1};

	interface_set(m->snapshot, ft_node_port(m->snapshot, node, number), &place);
	return place;
}

const char *ft_observed_port_words(const struct ft_model *m, uint32_t observed, uint32_t number,
				   char buffer[FT_PORT_WORDS_SIZE])
{
	struct ft_place place = place_of_observed(m, observed, number);

	return ft_port_words(&place, buffer);
}

const char *ft_planned_port_words(const struct ft_model *m, uint32_t place, uint32_t number,
				  char buffer[FT_PORT_WORDS_SIZE])
{
	if (m->observed_of[place] != FT_NONE)
		return ft_observed_port_words(m, m->observed_of[place], number, buffer);
	return ft_port_words(&(struct ft_place){.port = number}, buffer);
}

static void where_add(struct ft_model *m, struct ft_finding *f, struct ft_place place)
{
	struct ft_place *where = FT_ARENA_MORE(&m->report->memory, f->where, f->where_count);

	if (where)
		*where = place;
}

void ft_finding_lack(struct ft_model *m, struct ft_finding *f, uint32_t p, uint32_t q, uint32_t cables)
{
	struct ft_lack *lack = FT_ARENA_MORE(&m->report->memory, f->lacks, f->lack_count);

	if (lack)
		*lack = (struct ft_lack){ft_plan_index(m, p), ft_plan_index(m, q), cables, 0};
}

void ft_finding_subject(struct ft_model *m, struct ft_finding *f, const char *name, uint64_t guid)
{
	f->subject = (struct ft_place){.name = ft_arena_string(&m->report->memory, name), .guid = guid};
}

void ft_finding_unseen(struct ft_model *m, struct ft_finding *f, const char *name, uint64_t guid)
{
	struct ft_place *unseen = FT_ARENA_MORE(&m->report->memory, f->unseen, f->unseen_count);

	if (unseen)
		*unseen = (struct ft_place){.name = ft_arena_string(&m->report->memory, name), .guid = guid};
}

void ft_finding_gone(struct ft_model *m, struct ft_finding *f, uint32_t place)
{
	uint32_t *gone = FT_ARENA_MORE(&m->report->memory, f->gone, f->gone_count);
	const struct ft_baseline_switch *was = ft_recall_absent(m, place);
	const struct ft_recall *recall = &m->recall;

	if (gone)
		*gone = ft_plan_index(m, place);
	if (!was)
		return;
	ft_finding_unseen(m, f, was->name, was->guid);
	for (uint32_t i = recall->chip_first[recall->switch_at[place]]; i != FT_NONE; i = recall->chip_next[i])
		if (recall->chip_node[i] == FT_NONE)
			ft_finding_unseen(m, f, recall->baseline->chips[i].name, recall->baseline->chips[i].guid);
}

/* The chip of a director that node @node of the chips' snapshot is, or NULL. */
static const struct ft_chip *chip_of_node(const struct ft_model *m, uint32_t node)
{
	return m->origin ? ft_chip_of(m->chassis, node) : NULL;
}

/* The observed switch of node @node of the chips' snapshot, or FT_NONE. */
static uint32_t observed_of_node(const struct ft_model *m, uint32_t node)
{
	const struct ft_chip *chip = chip_of_node(m, node);
	const struct ft_node *n = &m->chips->nodes[node];
	uint32_t whole;

	if (!m->origin)
		return m->observed.switch_of_node[node];
	if (chip)
		return m->observed.switch_of_node[m->chassis->directors[chip->director].node];
	whole = n->port_count > 0 ? m->chassis->whole_port[n->first_port] : FT_NONE;
	return whole == FT_NONE ? FT_NONE : m->observed.switch_of_node[m->snapshot->ports[whole].node];
}

struct ft_place ft_chip_place(const struct ft_model *m, uint32_t node, uint32_t port)
{
	const struct ft_node *n = &m->chips->nodes[node];
	struct ft_place place = {
		.name = ft_arena_safe(&m->report->memory, ft_node_description(m->chips, n), n->description_length),
		.guid = n->guid,
		.switch_number = observed_of_node(m, node) + 1};

	if (port != FT_NONE) {
		place.port = m->chips->ports[port].number;
		interface_set(m->chips, &m->chips->ports[port], &place);
	}
	return place;
}

/* The port of the chips' snapshot for port @port_number of a director, or FT_NONE: no director, or not seen. */
static uint32_t chip_port_of(const struct ft_model *m, uint32_t observed, uint32_t port_number)
{
	const struct ft_node *node = &m->snapshot->nodes[m->observed.switches[observed].node];

	if (!ft_observed_is_director(m, observed) || port_number == 0 || port_number > node->port_count)
		return FT_NONE;
	return ft_port_origin(m, node->first_port + port_number - 1);
}

/* A port of an observed switch, of a director that of the chip, if it was seen; 0: none. */
static struct ft_place switch_place(const struct ft_model *m, uint32_t observed, uint32_t port_number)
{
	uint32_t chip_port = chip_port_of(m, observed, port_number);
	struct ft_place place;

	if (chip_port != FT_NONE)
		return ft_chip_place(m, m->chips->ports[chip_port].node, chip_port);
	place = place_of_observed(m, observed, port_number);
	place.name = ft_arena_string(&m->report->memory, m->observed.switches[observed].name);
	return place;
}

void ft_finding_where_switch(struct ft_model *m, struct ft_finding *f, uint32_t observed, uint32_t port_number)
{
	where_add(m, f, switch_place(m, observed, port_number));
}

void ft_finding_where_port(struct ft_model *m, struct ft_finding *f, uint32_t port)
{
	uint32_t origin = ft_port_origin(m, port);

	m->port_claimed[port] = true;
	if (origin != FT_NONE)
		ft_finding_where_chip_port(m, f, origin);
	else
		ft_finding_where_switch(m, f, m->observed.switch_of_node[m->snapshot->ports[port].node],
					m->snapshot->ports[port].number);
}

void ft_finding_where_chip(struct ft_model *m, struct ft_finding *f, uint32_t node)
{
	where_add(m, f, ft_chip_place(m, node, FT_NONE));
}

void ft_finding_where_chip_port(struct ft_model *m, struct ft_finding *f, uint32_t port)
{
	where_add(m, f, ft_chip_place(m, m->chips->ports[port].node, port));
}

void ft_finding_where_cable(struct ft_model *m, struct ft_finding *f, const struct ft_observed_cable *cable)
{
	/* The lower rank first, then the lower GUID, so that the id is the same in every sweep. */
	const struct ft_observed_switch *a = &m->observed.switches[cable->a], *b = &m->observed.switches[cable->b];
	uint32_t a_rank = ft_rank_of_observed(m, cable->a), b_rank = ft_rank_of_observed(m, cable->b);
	bool turn = a_rank != b_rank	 ? a_rank > b_rank
		    : a->guid != b->guid ? a->guid > b->guid
					 : cable->a_port > cable->b_port;

	ft_finding_where_port(m, f, turn ? cable->b_port : cable->a_port);
	ft_finding_where_port(m, f, turn ? cable->a_port : cable->b_port);
}

void ft_finding_act(struct ft_model *m, struct ft_finding *f, enum ft_act act, struct ft_place a, struct ft_place b)
{
	struct ft_action *action = FT_ARENA_MORE(&m->report->memory, f->actions, f->action_count);

	if (action)
		*action = (struct ft_action){.act = act, .a = a, .b = b};
}

/*
 * Where an action is done: the port, as it was read; of an unknown one, or one of a board that was not seen, the switch
 * in @place, if any is given.
 */
static struct ft_place act_place(struct ft_model *m, struct ft_act_end end)
{
	uint32_t origin = end.port == FT_NONE ? FT_NONE : ft_port_origin(m, end.port);
	const struct ft_observed_switch *sw;

	if (origin != FT_NONE)
		return ft_chip_place(m, m->chips->ports[origin].node, origin);
	if (end.place == FT_NONE)
		return (struct ft_place){0};
	sw = ft_observed_at(m, end.place);
	return (struct ft_place){
		.name = ft_arena_string(&m->report->memory, sw ? sw->name : m->places[end.place]->name),
		.guid = sw ? sw->guid : 0,
	};
}

void ft_finding_act_ends(struct ft_model *m, struct ft_finding *f, enum ft_act act, struct ft_act_end a,
			 struct ft_act_end b)
{
	ft_finding_act(m, f, act, act_place(m, a), act_place(m, b));
}

static void symptom_add(struct ft_model *m, struct ft_finding *f, struct ft_place place, const char *format,
			va_list args) __attribute__((format(printf, 4, 0)));
static void symptom_add(struct ft_model *m, struct ft_finding *f, struct ft_place place, const char *format,
			va_list args)
{
	struct ft_symptom *symptom = FT_ARENA_MORE(&m->report->memory, f->symptoms, f->symptom_count);

	if (symptom)
		*symptom = (struct ft_symptom){ft_arena_print_args(&m->report->memory, format, args), place};
}

void ft_finding_symptom(struct ft_model *m, struct ft_finding *f, uint32_t observed, uint32_t port_number,
			const char *format, ...)
{
	va_list args;

	va_start(args, format);
	symptom_add(m, f, switch_place(m, observed, port_number), format, args);
	va_end(args);
}

void ft_finding_symptom_chip(struct ft_model *m, struct ft_finding *f, uint32_t node, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	symptom_add(m, f, ft_chip_place(m, node, FT_NONE), format, args);
	va_end(args);
}

void ft_finding_alternative(struct ft_model *m, struct ft_finding *f, const char *format, ...)
{
	char *text, **alternative;
	bool told = false;
	va_list args;

	va_start(args, format);
	text = ft_arena_print_args(&m->report->memory, format, args);
	va_end(args);
	/* Of another placing of the same fabric it may have been told before. */
	for (size_t i = 0; text && i < f->alternative_count; i++)
		told |= strcmp(f->alternatives[i], text) == 0;
	alternative = text && !told ? FT_ARENA_MORE(&m->report->memory, f->alternatives, f->alternative_count) : NULL;
	if (alternative)
		*alternative = text;
}

/* "core01 L05", or, where names tell no slots, "core01 line chip 0x0002c90000000602". */
static void chip_add(const struct ft_model *m, const struct ft_chip *chip, struct ft_text *text)
{
	const struct ft_node *node = &m->chips->nodes[chip->node];
	uint32_t observed = m->observed.switch_of_node[m->chassis->directors[chip->director].node];
	const char *word = ft_node_description(m->chips, node) + chip->slot.word;
	size_t length = node->description_length - chip->slot.word;

	ft_text_puts(text, m->observed.switches[observed].label);
	while (chip->named && length > 0 && word[length - 1] == ' ')
		length--;
	if (chip->named) {
		ft_text_puts(text, " ");
		ft_text_add_safe(text, word, length);
	} else {
		ft_text_printf(text, " %s chip 0x%016" PRIx64, chip->line ? "line" : "fabric", node->guid);
	}
}

/* Adds the name of the switch, or the chip of a director, that has port @port of the snapshot. */
static void owner_add(const struct ft_model *m, uint32_t port, struct ft_text *text)
{
	const struct ft_port *p = &m->snapshot->ports[port];
	uint32_t observed = m->observed.switch_of_node[p->node], origin = ft_port_origin(m, port);
	const struct ft_chip *chip = origin == FT_NONE ? NULL : chip_of_node(m, m->chips->ports[origin].node);
	const struct ft_node *node = ft_port_node(m->snapshot, p);

	if (chip)
		chip_add(m, chip, text);
	else if (observed != FT_NONE)
		ft_text_puts(text, m->observed.switches[observed].label);
	else if (node->description_length > 0)
		ft_text_add_safe(text, ft_node_description(m->snapshot, node), node->description_length);
	else
		ft_text_printf(text, "0x%016" PRIx64, node->guid);
}

/* The interface's name; "": it has none. */
static const char *interface_of(const struct ft_model *m, uint32_t port)
{
	return ft_port_name(m->snapshot, &m->snapshot->ports[port]);
}

/* " port 20", or " swp20" of an interface with a name. */
static void port_add(struct ft_text *text, const struct ft_snapshot *s, const struct ft_port *port, uint32_t number)
{
	const char *name = ft_port_name(s, port);

	if (!name[0]) {
		ft_text_printf(text, " port %u", number);
		return;
	}
	ft_text_puts(text, " ");
	ft_text_add_safe(text, name, strlen(name));
}

/* The port number on the switch or chip. */
static uint32_t own_number(const struct ft_model *m, uint32_t port)
{
	uint32_t origin = ft_port_origin(m, port);

	return origin == FT_NONE ? m->snapshot->ports[port].number : m->chips->ports[origin].number;
}

const char *ft_model_text(const struct ft_model *m, struct ft_text *text)
{
	return ft_arena_text(&m->report->memory, text) ?: "";
}

const char *ft_place_text(const struct ft_model *m, uint32_t port)
{
	struct ft_text text = {0};

	owner_add(m, port, &text);
	port_add(&text, m->snapshot, &m->snapshot->ports[port], own_number(m, port));
	return ft_model_text(m, &text);
}

/* True if two ports are on the same switch, and on the same chip of a director. */
static bool owner_is_same(const struct ft_model *m, uint32_t a, uint32_t b)
{
	uint32_t x = ft_port_origin(m, a), y = ft_port_origin(m, b);

	if (x == FT_NONE || y == FT_NONE)
		return x == y;
	return m->chips->ports[x].node == m->chips->ports[y].node;
}

const char *ft_ports_text(const struct ft_model *m, uint32_t observed, const uint32_t *ports, uint32_t count)
{
	struct ft_text text = {0};

	if (count == 0)
		ft_text_puts(&text, m->observed.switches[observed].label);
	for (uint32_t i = 0; i < count; i++) {
		bool again = i > 0 && owner_is_same(m, ports[i - 1], ports[i]);
		bool more = i + 1 < count && owner_is_same(m, ports[i], ports[i + 1]);

		if (!again) {
			ft_text_puts(&text, i > 0 ? ", " : "");
			owner_add(m, ports[i], &text);
		}
		if (interface_of(m, ports[i])[0]) {
			ft_text_puts(&text, again ? "," : "");
			port_add(&text, m->snapshot, &m->snapshot->ports[ports[i]], 0);
			continue;
		}
		ft_text_printf(&text, "%s%u", again ? ", " : more ? " ports " : " port ", own_number(m, ports[i]));
	}
	return ft_model_text(m, &text);
}

uint32_t ft_port_order(const struct ft_model *m, uint32_t port)
{
	const struct ft_port *p = &m->chips->ports[port];

	if (ft_port_node(m->chips, p)->type != FT_NODE_SWITCH)
		return UINT32_MAX;
	return m->origin ? 0 : ft_rank_of_observed(m, m->observed.switch_of_node[p->node]);
}

const char *ft_chip_port_text(const struct ft_model *m, uint32_t port)
{
	const struct ft_port *p = &m->chips->ports[port];
	const struct ft_node *node = ft_port_node(m->chips, p);
	const struct ft_chip *chip;
	struct ft_text text = {0};

	if (!m->origin)
		return ft_place_text(m, port);
	chip = chip_of_node(m, p->node);
	if (!chip && m->chassis->whole_port[port] != FT_NONE)
		return ft_place_text(m, m->chassis->whole_port[port]);
	if (chip)
		chip_add(m, chip, &text);
	else
		ft_text_add_safe(&text, ft_node_description(m->chips, node), node->description_length);
	port_add(&text, m->chips, p, p->number);
	return ft_model_text(m, &text);
}

const char *ft_switch_text(const struct ft_model *m, uint32_t node)
{
	const struct ft_node *chip = &m->chips->nodes[node];
	uint32_t whole = FT_NONE;
	struct ft_text text = {0};

	if (chip->port_count > 0)
		whole = m->origin ? m->chassis->whole_port[chip->first_port] : chip->first_port;
	if (chip_of_node(m, node))
		chip_add(m, chip_of_node(m, node), &text);
	else if (whole != FT_NONE)
		owner_add(m, whole, &text);
	else
		ft_text_add_safe(&text, ft_node_description(m->chips, chip), chip->description_length);
	return ft_model_text(m, &text);
}

bool ft_guid_is_of(const struct ft_model *m, uint64_t guid, const struct ft_observed_switch *sw)
{
	for (uint32_t i = 0; m->origin && i < m->chassis->chip_count; i++) {
		const struct ft_chip *chip = &m->chassis->chips[i];

		if (m->chassis->directors[chip->director].node == sw->node && m->chips->nodes[chip->node].guid == guid)
			return true;
	}
	return sw->guid == guid;
}

const char *ft_place_label(const struct ft_model *m, const struct ft_place *place)
{
	uint32_t observed = ft_observed_of_place(place);

	return observed == FT_NONE ? place->name : m->observed.switches[observed].label;
}

static int place_compare(const struct ft_place *x, const struct ft_place *y)
{
	return FT_ORDER(x->guid, y->guid) ?: FT_ORDER(x->port, y->port);
}

/* The places that tell what it is: of switches that are cut off, but seen, these alone, and not the ports that face
 * them. */
static size_t places_of_id(const struct ft_model *m, const struct ft_finding *f)
{
	size_t own = 0;

	for (; f->code == FT_CODE_EDGE_ISOLATED && own < f->where_count && f->where[own].port == 0; own++) {
		uint32_t observed = ft_observed_of_place(&f->where[own]);
		uint32_t place = ft_place_of(m, observed);

		if (place == FT_NONE || m->status[place] != FT_STATUS_ISOLATED)
			break;
	}
	/* Of several that have moved equally far the one that is mended last. */
	if (f->count > 1 && (f->code == FT_CODE_CABLE_WRONG_PORT || f->code == FT_CODE_HOST_MISPLACED) &&
	    f->action_count > 0 && f->actions[0].act == FT_ACT_MOVE)
		return f->where_count < 2 ? f->where_count : 2;
	return own > 0 ? own : f->where_count;
}

/* The two lowest places. */
static void id_add_places(const struct ft_model *m, struct ft_text *id, const struct ft_finding *f)
{
	const struct ft_place *end = f->where + places_of_id(m, f), *low[2] = {NULL, NULL};

	for (const struct ft_place *place = f->where; place < end; place++) {
		if (!low[0] || place_compare(place, low[0]) < 0) {
			low[1] = low[0];
			low[0] = place;
		} else if (!low[1] || place_compare(place, low[1]) < 0) {
			low[1] = place;
		}
	}
	for (size_t i = 0; i < 2 && low[i]; i++) {
		ft_text_printf(id, "%c0x%016" PRIx64, i ? '-' : ':', low[i]->guid);
		if (low[i]->port)
			ft_text_printf(id, ":%u", low[i]->port);
	}
}

/*
 * The pair of switches, and the number of its missing cables: whether their ports are known depends on the other
 * faults. The number is part of the id, so that a waiver for one missing cable does not hide a second one of the same
 * pair.
 */
static void id_add_pair(const struct ft_model *m, struct ft_text *id, const struct ft_finding *f)
{
	uint64_t low = f->where_count ? f->where[0].guid : 0, high = low;
	const struct ft_observed_switch *a = f->lack_count ? ft_observed_at(m, m->place_of[f->lacks[0].a]) : NULL;
	const struct ft_observed_switch *b = f->lack_count ? ft_observed_at(m, m->place_of[f->lacks[0].b]) : NULL;

	for (size_t i = 0; i < f->where_count; i++) {
		low = f->where[i].guid < low ? f->where[i].guid : low;
		high = f->where[i].guid > high ? f->where[i].guid : high;
	}
	/* Which chip of a director it is depends on the other faults, too. */
	if (a && b) {
		low = a->guid < b->guid ? a->guid : b->guid;
		high = a->guid < b->guid ? b->guid : a->guid;
	}
	ft_text_printf(id, ":0x%016" PRIx64 "-0x%016" PRIx64, low, high);
	if (f->count > 1)
		ft_text_printf(id, "*%u", f->count);
}

/* A board that is gone: by a chip that was on it, else by its place in the director, or its side alone. */
static void id_add_board(struct ft_text *id, const struct ft_finding *f, bool known)
{
	const struct ft_finding_board *board = &f->board;

	if (known && f->subject.guid) {
		ft_text_printf(id, ":0x%016" PRIx64, f->subject.guid);
		return;
	}
	ft_text_printf(id, ":0x%016" PRIx64 ":%s", board->director, board->line ? "line" : "fabric");
	if (board->board)
		ft_text_printf(id, "-%u", board->board);
	if (board->chip)
		ft_text_printf(id, "/%u", board->chip);
}

/* A word of the design, in the characters allowed in an id. */
static void id_add_word(struct ft_text *id, const char *word)
{
	ft_text_puts(id, ":");
	for (; *word; word++)
		ft_text_add(id, *word > ' ' && *word <= '~' ? word : "_", 1);
}

/*
 * The id: the code and where it is. It holds GUIDs and ports, and slots of boards, so it stays the same when names, the
 * order of the sweep or other faults change; of a planned switch that was not seen, its planned name where that is
 * known. A finding about the fabric as a whole is known by its code alone. @known: what the baseline or names tell of
 * it counts. NULL: no memory.
 */
static char *finding_id(const struct ft_model *m, const struct ft_finding *f, bool known)
{
	struct ft_text id = {0};

	ft_text_puts(&id, ft_codes[f->code].name);
	if (known && f->planned_as)
		ft_text_printf(&id, ":%s", f->planned_as);
	else if (f->board.gap)
		id_add_board(&id, f, known);
	else if (f->code == FT_CODE_EXPECT_UNKNOWN || f->code == FT_CODE_PLAN_CONTRADICTION)
		id_add_word(&id, f->observed);
	else if (f->code == FT_CODE_CABLE_MISSING && f->board.known && f->where_count)
		/* Of a chip: the next trace that it loses does not change it. */
		ft_text_printf(&id, ":0x%016" PRIx64, f->where[0].guid);
	else if (f->code == FT_CODE_CABLE_MISSING)
		id_add_pair(m, &id, f);
	else if (!ft_finding_has(f, FT_TRAIT_FABRIC))
		id_add_places(m, &id, f);
	return ft_arena_text(&m->report->memory, &id);
}

/* Findings with the same id (two cables of a pair, ports unknown) are numbered in their order. */
static int ids_separate(struct ft_report *report)
{
	_cleanup_(ft_map_release) struct ft_map ids = {0};
	_cleanup_free_ unsigned int *next = calloc(report->finding_count + 1UL, sizeof(*next));

	if (!next)
		return -ENOMEM;
	for (size_t i = 0; i < report->finding_count; i++) {
		struct ft_finding *f = &report->findings[i];
		size_t length = strlen(f->id);
		uint32_t first;
		int r = ft_map_add(&ids, ft_text_hash(f->id), (uint32_t)i, &first);

		/* The numbers below @next are taken: thousands of findings with one id must not try each of them. */
		for (unsigned int n = 2 + (r == 0 ? next[first] : 0); r == 0; n++) {
			f->id = ft_arena_print(&report->memory, "%.*s#%u", (int)length, f->id, n);
			if (!f->id)
				return -ENOMEM;
			r = ft_map_add(&ids, ft_text_hash(f->id), (uint32_t)i, NULL);
			next[first] = n - 1;
		}
		if (r < 0)
			return r;
	}
	return 0;
}

/* The waiver is in force, or has ended. */
static void waiver_tell(struct ft_model *m, struct ft_finding *f, const struct ft_waiver *waiver, bool ended)
{
	const char *why = ft_arena_safe(&m->report->memory, waiver->why, strlen(waiver->why));
	const char *colon = waiver->until[0] && why && why[0] ? ": " : "";

	if (ended) {
		ft_say(m, &f->text, "%s (its waiver ended on %s%s%s)", f->text, waiver->until, colon, why);
		return;
	}
	f->severity = FT_SEVERITY_INFO;
	ft_say(m, &f->waived, "%s%s%s%s", waiver->until[0] ? "until " : "", waiver->until, colon, why);
}

/* A waiver that is in force wins over those that have ended. It may date from before the baseline identified the
 * switch.
 */
static void waivers_apply(struct ft_model *m, struct ft_finding *f)
{
	const struct ft_expect *expect = &m->design->expect;
	const char *other = expect->waiver_count > 0 && f->subject.name ? finding_id(m, f, false) : NULL;
	const struct ft_waiver *expired = NULL;

	for (size_t i = 0; !f->vague && i < expect->waiver_count; i++) {
		const struct ft_waiver *waiver = &expect->waivers[i];

		if (strcmp(waiver->id, f->id) != 0 && (!other || strcmp(waiver->id, other) != 0))
			continue;
		if (!waiver->until[0] || strcmp(m->today, waiver->until) <= 0) {
			waiver_tell(m, f, waiver, false);
			return;
		}
		expired = waiver;
	}
	if (expired)
		waiver_tell(m, f, expired, true);
}

static int finding_compare(const void *a, const void *b)
{
	const struct ft_finding *x = a, *y = b;

	int d = FT_ORDER(y->severity, x->severity) ?: FT_ORDER(x->code, y->code);

	if (d == 0 && x->where_count && y->where_count)
		d = ft_text_natural_compare(x->where[0].name, y->where[0].name)
			    ?: FT_ORDER(x->where[0].port, y->where[0].port);
	return d ?: ft_text_natural_compare(x->id, y->id);
}

bool ft_finding_names(const struct ft_finding *f, uint32_t observed)
{
	for (size_t n = 0; n < f->where_count; n++)
		if (ft_observed_of_place(&f->where[n]) == observed)
			return true;
	return false;
}

bool ft_finding_is_at(const struct ft_finding *f, uint64_t guid, uint32_t number)
{
	for (size_t i = 0; i < f->where_count; i++)
		if (f->where[i].guid == guid && f->where[i].port == number)
			return true;
	return false;
}

static void rival_name(struct ft_model *m, struct ft_finding *f, const struct ft_observed_switch *sw)
{
	const struct ft_observed_switch *other = ft_observed_at(m, sw->rival);

	if (other)
		ft_finding_alternative(m, f,
				       "%s and %s each stand in the other's place, and other cables of theirs are the "
				       "wrong ones; their labels tell",
				       sw->label, other->label);
	else
		ft_finding_alternative(
			m, f,
			"%s stands in the place of %s, which was not seen, and other cables of it are the "
			"wrong ones; its name plate tells",
			sw->label, m->places[sw->rival]->name);
}

/*
 * A switch that fits another place equally well may belong there: findings about it have an alternative.
 */
static void doubts_name(struct ft_model *m, struct ft_finding *f)
{
	if (f->code != FT_CODE_CABLE_MISSING && !ft_finding_has(f, FT_TRAIT_STRAY))
		return;
	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		const struct ft_observed_switch *sw = &m->observed.switches[i];

		if (sw->rival != FT_NONE && ft_finding_names(f, i)) {
			rival_name(m, f, sw);
			return;
		}
	}
}

/* The ids of a report's findings, by hash. */
static int ids_known(const struct ft_report *report, struct ft_map *ids)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < report->finding_count; i++)
		r = ft_map_add(ids, ft_text_hash(report->findings[i].id), (uint32_t)i, NULL);
	return r < 0 ? r : 0;
}

/* While the fabric is changing, transient findings are not reported for the first time. 0 or -ENOMEM. */
static int fresh_drop(struct ft_model *m)
{
	_cleanup_(ft_map_release) struct ft_map known = {0};
	struct ft_report *report = m->report;
	size_t kept = 0;

	if (!m->input->before)
		return 0;
	if (ids_known(m->input->before, &known) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < report->finding_count; i++) {
		struct ft_finding *f = &report->findings[i];

		if (!ft_finding_has(f, FT_TRAIT_PASSING) || ft_map_get(&known, ft_text_hash(f->id)) != FT_NONE)
			report->findings[kept++] = *f;
	}
	report->finding_count = kept;
	return 0;
}

void ft_findings_sort(struct ft_report *report)
{
	if (report->finding_count)
		qsort(report->findings, report->finding_count, sizeof(*report->findings), finding_compare);
}

void ft_verdict_raise(enum ft_verdict *verdict, enum ft_severity severity)
{
	static const enum ft_verdict of[] = {FT_VERDICT_OK, FT_VERDICT_WARNING, FT_VERDICT_CRITICAL};

	if (of[severity] > *verdict)
		*verdict = of[severity];
}

void ft_findings_judge(struct ft_report *report)
{
	if (report->verdict == FT_VERDICT_UNKNOWN)
		return;
	report->verdict = FT_VERDICT_OK;
	for (size_t i = 0; i < report->finding_count; i++)
		ft_verdict_raise(&report->verdict, report->findings[i].severity);
}

int ft_findings_finish(struct ft_model *m)
{
	struct ft_report *report = m->report;
	struct ft_bounds bounds;
	int r;

	for (size_t i = 0; i < report->finding_count; i++)
		report->findings[i].id = finding_id(m, &report->findings[i], true);
	r = report->memory.failed ? -ENOMEM : ids_separate(report) ?: fresh_drop(m);
	for (size_t i = 0; r == 0 && i < report->finding_count; i++) {
		doubts_name(m, &report->findings[i]);
		waivers_apply(m, &report->findings[i]);
	}
	if (r < 0 || report->memory.failed)
		return -ENOMEM;
	ft_bounds_of_plan(m->plan, &bounds);
	return ft_report_limit(report, &m->input->limits) ?: ft_report_bound(report, bounds.max_findings, m->unsaid);
}
