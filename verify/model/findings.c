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

#include "base/list.h"
#include "verify/model/bounds.h"
#include "verify/model/model.h"

int ft_string_set_args(char **string, const char *format, va_list args)
{
	char *fresh;

	if (vasprintf(&fresh, format, args) < 0)
		return -ENOMEM;
	free(*string);
	*string = fresh;
	return 0;
}

int ft_string_set(char **string, const char *format, ...)
{
	va_list args;
	int r;

	va_start(args, format);
	r = ft_string_set_args(string, format, args);
	va_end(args);
	return r;
}

void ft_say(struct ft_model *m, char **string, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	m->failed |= ft_string_set_args(string, format, args) < 0;
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
		ft_finding_release(&m->lost);
		m->lost = (struct ft_finding){.code = code};
		return &m->lost;
	}
	f = FT_LIST_MORE(report->findings, report->finding_count);
	if (!f) {
		/* Writes to it are discarded, and no report is made. */
		m->failed = true;
		ft_finding_release(&m->lost);
		m->lost = (struct ft_finding){.code = code};
		return &m->lost;
	}
	*f = (struct ft_finding){.code = code, .severity = ft_codes[code].severity, .evidence = evidence, .count = 1};
	return f;
}

/* A new element of a list of a finding; NULL: no memory. */
#define LIST_MORE(m, list, count)                                      \
	({                                                             \
		__typeof__(list) ft_fresh = FT_LIST_MORE(list, count); \
		(m)->failed |= !ft_fresh;                              \
		ft_fresh;                                              \
	})

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

/* The name of @place is moved. */
static void where_add(struct ft_model *m, struct ft_finding *f, struct ft_place place)
{
	struct ft_place *where = place.name ? LIST_MORE(m, f->where, f->where_count) : NULL;

	m->failed |= !place.name;
	if (where)
		*where = place;
	else
		free(place.name);
}

void ft_finding_lack(struct ft_model *m, struct ft_finding *f, uint32_t p, uint32_t q, uint32_t cables)
{
	struct ft_lack *lack = LIST_MORE(m, f->lacks, f->lack_count);

	if (lack)
		*lack = (struct ft_lack){ft_plan_index(m, p), ft_plan_index(m, q), cables, 0};
}

void ft_finding_subject(struct ft_model *m, struct ft_finding *f, const char *name, uint64_t guid)
{
	f->subject = (struct ft_place){.name = strdup(name), .guid = guid};
	m->failed |= !f->subject.name;
}

void ft_finding_gone(struct ft_model *m, struct ft_finding *f, uint32_t place)
{
	uint32_t *gone = LIST_MORE(m, f->gone, f->gone_count);

	if (gone)
		*gone = ft_plan_index(m, place);
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
	whole = n->port_count > 0 ? m->chassis->whole_port[n->first_port] : FT_NO_PORT;
	return whole == FT_NO_PORT ? FT_NONE : m->observed.switch_of_node[m->snapshot->ports[whole].node];
}

struct ft_place ft_chip_place(const struct ft_model *m, uint32_t node, uint32_t port)
{
	const struct ft_node *n = &m->chips->nodes[node];
	struct ft_place place = {.name = ft_text_safe_dup(ft_node_description(m->chips, n), n->description_length),
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

/* A port of an observed switch, of a director that of the chip, if it was seen; 0: none. The name is owned. */
static struct ft_place switch_place(const struct ft_model *m, uint32_t observed, uint32_t port_number)
{
	uint32_t chip_port = chip_port_of(m, observed, port_number);
	struct ft_place place;

	if (chip_port != FT_NONE)
		return ft_chip_place(m, m->chips->ports[chip_port].node, chip_port);
	place = place_of_observed(m, observed, port_number);
	place.name = strdup(m->observed.switches[observed].name);
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

int ft_place_copy(const struct ft_place *from, struct ft_place *ret)
{
	*ret = (struct ft_place){0};
	if (!from || !from->name)
		return 0;
	*ret = *from;
	ret->name = strdup(from->name);
	return ret->name ? 0 : -ENOMEM;
}

void ft_finding_act(struct ft_model *m, struct ft_finding *f, enum ft_act act, const struct ft_place *a,
		    const struct ft_place *b)
{
	struct ft_action *action = LIST_MORE(m, f->actions, f->action_count);

	if (!action)
		return;
	*action = (struct ft_action){.act = act};
	m->failed |= ft_place_copy(a, &action->a) < 0 || ft_place_copy(b, &action->b) < 0;
}

/*
 * Where an action is done: the port, as it was read; of an unknown one, or one of a board that was not seen, the switch
 * in @place, if any is given. The name is owned.
 */
static struct ft_place act_place(struct ft_model *m, uint32_t port, uint32_t place)
{
	uint32_t origin = port == FT_NONE ? FT_NONE : ft_port_origin(m, port);
	struct ft_place at = {0};

	if (origin != FT_NONE) {
		at = ft_chip_place(m, m->chips->ports[origin].node, origin);
	} else if (place != FT_NONE) {
		const struct ft_observed_switch *sw = ft_observed_at(m, place);

		at = (struct ft_place){.name = strdup(sw ? sw->name : m->places[place]->name),
				       .guid = sw ? sw->guid : 0};
	}
	m->failed |= !at.name && (origin != FT_NONE || place != FT_NONE);
	return at;
}

void ft_finding_act_ends(struct ft_model *m, struct ft_finding *f, enum ft_act act, struct ft_act_end a,
			 struct ft_act_end b)
{
	_cleanup_free_ char *a_name = NULL, *b_name = NULL;
	struct ft_place x = act_place(m, a.port, a.place), y = act_place(m, b.port, b.place);

	a_name = x.name;
	b_name = y.name;
	ft_finding_act(m, f, act, &x, &y);
}

/* @place is moved. */
static void symptom_add(struct ft_model *m, struct ft_finding *f, struct ft_place place, const char *format,
			va_list args) __attribute__((format(printf, 4, 0)));
static void symptom_add(struct ft_model *m, struct ft_finding *f, struct ft_place place, const char *format,
			va_list args)
{
	struct ft_symptom *symptom = LIST_MORE(m, f->symptoms, f->symptom_count);

	if (!symptom) {
		free(place.name);
		return;
	}
	*symptom = (struct ft_symptom){.place = place};
	if (vasprintf(&symptom->text, format, args) < 0)
		symptom->text = NULL;
	m->failed |= !symptom->text || !symptom->place.name;
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
	char *text = NULL, **alternative;
	bool told = false;
	va_list args;

	va_start(args, format);
	m->failed |= ft_string_set_args(&text, format, args) < 0;
	va_end(args);
	/* Of another placing of the same fabric it may have been told before. */
	for (size_t i = 0; text && i < f->alternative_count; i++)
		told |= strcmp(f->alternatives[i], text) == 0;
	alternative = text && !told ? LIST_MORE(m, f->alternatives, f->alternative_count) : NULL;
	if (alternative)
		*alternative = text;
	else
		free(text);
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

const char *ft_place_text(const struct ft_model *m, uint32_t port, struct ft_text *buffer)
{
	ft_text_reset(buffer);
	owner_add(m, port, buffer);
	port_add(buffer, m->snapshot, &m->snapshot->ports[port], own_number(m, port));
	return ft_text_string(buffer);
}

/* True if two ports are on the same switch, and on the same chip of a director. */
static bool owner_is_same(const struct ft_model *m, uint32_t a, uint32_t b)
{
	uint32_t x = ft_port_origin(m, a), y = ft_port_origin(m, b);

	if (x == FT_NONE || y == FT_NONE)
		return x == y;
	return m->chips->ports[x].node == m->chips->ports[y].node;
}

const char *ft_ports_text(const struct ft_model *m, uint32_t observed, const uint32_t *ports, uint32_t count,
			  struct ft_text *buffer)
{
	ft_text_reset(buffer);
	if (count == 0)
		ft_text_puts(buffer, m->observed.switches[observed].label);
	for (uint32_t i = 0; i < count; i++) {
		bool again = i > 0 && owner_is_same(m, ports[i - 1], ports[i]);
		bool more = i + 1 < count && owner_is_same(m, ports[i], ports[i + 1]);

		if (!again) {
			ft_text_puts(buffer, i > 0 ? ", " : "");
			owner_add(m, ports[i], buffer);
		}
		if (interface_of(m, ports[i])[0]) {
			ft_text_puts(buffer, again ? "," : "");
			port_add(buffer, m->snapshot, &m->snapshot->ports[ports[i]], 0);
			continue;
		}
		ft_text_printf(buffer, "%s%u", again ? ", " : more ? " ports " : " port ", own_number(m, ports[i]));
	}
	return ft_text_string(buffer);
}

uint32_t ft_port_order(const struct ft_model *m, uint32_t port)
{
	const struct ft_port *p = &m->chips->ports[port];

	if (ft_port_node(m->chips, p)->type != FT_NODE_SWITCH)
		return UINT32_MAX;
	return m->origin ? 0 : ft_rank_of_observed(m, m->observed.switch_of_node[p->node]);
}

const char *ft_chip_port_text(const struct ft_model *m, uint32_t port, struct ft_text *buffer)
{
	const struct ft_port *p = &m->chips->ports[port];
	const struct ft_node *node = ft_port_node(m->chips, p);
	const struct ft_chip *chip;

	if (!m->origin)
		return ft_place_text(m, port, buffer);
	chip = chip_of_node(m, p->node);
	if (!chip && m->chassis->whole_port[port] != FT_NO_PORT)
		return ft_place_text(m, m->chassis->whole_port[port], buffer);
	ft_text_reset(buffer);
	if (chip)
		chip_add(m, chip, buffer);
	else
		ft_text_add_safe(buffer, ft_node_description(m->chips, node), node->description_length);
	port_add(buffer, m->chips, p, p->number);
	return ft_text_string(buffer);
}

const char *ft_chip_text(const struct ft_model *m, uint32_t node, struct ft_text *buffer)
{
	ft_text_reset(buffer);
	chip_add(m, chip_of_node(m, node), buffer);
	return ft_text_string(buffer);
}

const char *ft_switch_text(const struct ft_model *m, uint32_t node, struct ft_text *buffer)
{
	const struct ft_node *chip = &m->chips->nodes[node];
	uint32_t whole = FT_NO_PORT;

	ft_text_reset(buffer);
	if (chip_of_node(m, node)) {
		chip_add(m, chip_of_node(m, node), buffer);
		return ft_text_string(buffer);
	}
	if (chip->port_count > 0)
		whole = m->origin ? m->chassis->whole_port[chip->first_port] : chip->first_port;
	if (whole != FT_NO_PORT)
		owner_add(m, whole, buffer);
	else
		ft_text_add_safe(buffer, ft_node_description(m->chips, chip), chip->description_length);
	return ft_text_string(buffer);
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

static int place_compare(const void *a, const void *b)
{
	const struct ft_place *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->port < y->port ? -1 : x->port > y->port;
}

/* The places that tell what it is: of switches that are cut off, but seen, these alone, and not the ports that face
 * them. */
static size_t places_of_id(const struct ft_model *m, const struct ft_finding *f)
{
	size_t own = 0;

	for (; f->code == FT_CODE_EDGE_ISOLATED && own < f->where_count && f->where[own].port == 0; own++) {
		uint32_t observed = ft_observed_of_place(&f->where[own]);
		uint32_t place = observed == FT_NONE ? FT_NONE : m->observed.switches[observed].planned;

		if (place == FT_NONE || m->status[place] != FT_STATUS_ISOLATED)
			break;
	}
	return own > 0 ? own : f->where_count;
}

/* The two lowest places. */
static int id_add_places(const struct ft_model *m, struct ft_text *id, const struct ft_finding *f)
{
	_cleanup_free_ struct ft_place *places = malloc((f->where_count + 1) * sizeof(*places));
	size_t count = places_of_id(m, f);

	if (!places)
		return -ENOMEM;
	if (count > 0)
		memcpy(places, f->where, count * sizeof(*places));
	qsort(places, count, sizeof(*places), place_compare);
	for (size_t i = 0; i < count && i < 2; i++) {
		ft_text_printf(id, "%c0x%016" PRIx64, i ? '-' : ':', places[i].guid);
		if (places[i].port)
			ft_text_printf(id, ":%u", places[i].port);
	}
	return 0;
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
 * it counts.
 */
static int finding_id(const struct ft_model *m, const struct ft_finding *f, bool known, char **ret_id)
{
	_cleanup_(ft_text_release) struct ft_text id = {0};
	int r = 0;

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
		r = id_add_places(m, &id, f);
	if (r < 0)
		return r;
	return id.failed ? -ENOMEM : ft_string_set(ret_id, "%s", ft_text_string(&id));
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
			if (ft_string_set(&f->id, "%.*s#%u", (int)length, f->id, n) < 0)
				return -ENOMEM;
			r = ft_map_add(&ids, ft_text_hash(f->id), (uint32_t)i, NULL);
			next[first] = n - 1;
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static int waiver_expired_say(struct ft_finding *f, const struct ft_waiver *waiver)
{
	_cleanup_free_ char *why = ft_text_safe_dup(waiver->why, strlen(waiver->why));
	_cleanup_free_ char *text = FT_STEAL(f->text);

	if (!why)
		return -ENOMEM;
	return ft_string_set(&f->text, "%s (its waiver ended on %s%s%s)", text, waiver->until, why[0] ? ": " : "", why);
}

static int waiver_apply(struct ft_finding *f, const struct ft_waiver *waiver)
{
	_cleanup_free_ char *why = ft_text_safe_dup(waiver->why, strlen(waiver->why));

	if (!why)
		return -ENOMEM;
	f->severity = FT_SEVERITY_INFO;
	return ft_string_set(&f->waived, "%s%s%s%s", waiver->until[0] ? "until " : "", waiver->until,
			     waiver->until[0] && why[0] ? ": " : "", why);
}

/* The waiver may date from before the baseline identified the switch. */
static int waiver_covers(const struct ft_model *m, const struct ft_finding *f, const struct ft_waiver *waiver)
{
	_cleanup_free_ char *other = NULL;
	int r = 0;

	if (strcmp(waiver->id, f->id) == 0)
		return 1;
	if (f->subject.name)
		r = finding_id(m, f, false, &other);
	return r < 0 ? r : other && strcmp(waiver->id, other) == 0;
}

/* A waiver that is in force wins over those that have ended. */
static int waivers_apply(struct ft_model *m, struct ft_finding *f)
{
	const struct ft_expect *expect = &m->design->expect;
	const struct ft_waiver *expired = NULL;

	for (size_t i = 0; !f->vague && i < expect->waiver_count; i++) {
		const struct ft_waiver *waiver = &expect->waivers[i];
		int r = waiver_covers(m, f, waiver);

		if (r < 0)
			return r;
		if (r == 0)
			continue;
		if (!waiver->until[0] || strcmp(m->today, waiver->until) <= 0)
			return waiver_apply(f, waiver);
		expired = waiver;
	}
	return expired ? waiver_expired_say(f, expired) : 0;
}

static int finding_compare(const void *a, const void *b)
{
	const struct ft_finding *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	if (x->where_count && y->where_count) {
		int d = ft_text_natural_compare(x->where[0].name, y->where[0].name);

		if (d)
			return d;
		if (x->where[0].port != y->where[0].port)
			return x->where[0].port < y->where[0].port ? -1 : 1;
	}
	return ft_text_natural_compare(x->id, y->id);
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

		if (ft_finding_has(f, FT_TRAIT_PASSING) && ft_map_get(&known, ft_text_hash(f->id)) == FT_MAP_NONE)
			ft_finding_release(f);
		else
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
	int r = m->failed ? -ENOMEM : 0;
	struct ft_bounds bounds;

	for (size_t i = 0; r == 0 && i < report->finding_count; i++)
		r = finding_id(m, &report->findings[i], true, &report->findings[i].id);
	if (r == 0)
		r = ids_separate(report) ?: fresh_drop(m);
	for (size_t i = 0; r == 0 && i < report->finding_count; i++)
		doubts_name(m, &report->findings[i]);
	for (size_t i = 0; r == 0 && i < report->finding_count; i++)
		r = waivers_apply(m, &report->findings[i]);
	if (r < 0 || m->failed)
		return -ENOMEM;
	r = ft_report_limit(report, &m->input->limits);
	if (r < 0)
		return r;
	ft_bounds_of_plan(m->plan, &bounds);
	return ft_report_bound(report, bounds.max_findings, m->unsaid);
}
