/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Restores missing boards, and whole directors: chip by chip, each as a copy of a model, a chip in the same place on
 * another board, of the same director or of another of its tier.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/repair/what_if_parts.h"

/* ---- observed chips ---- */

static int chip_add(struct ft_what_if *w, const struct ft_what_if_chip *chip)
{
	struct ft_what_if_chip *chips = ft_what_if_room(w->chips, &w->chips_size, w->chip_count, 1, sizeof(*chips));

	if (!chips)
		return -ENOMEM;
	w->chips = chips;
	chips[w->chip_count++] = *chip;
	return 0;
}

int ft_what_if_chips_find(struct ft_what_if *w)
{
	const struct ft_model *m = w->m;
	int r = 0;

	for (uint32_t i = 0; m->origin && i < m->chassis->director_count; i++) {
		const struct ft_director *d = &m->chassis->directors[i];
		uint32_t live = m->live.switch_of_node[d->node];
		uint32_t place = live == FT_NONE ? FT_NONE : m->live.switches[live].planned;

		for (uint32_t n = d->first; place != FT_NONE && r == 0 && n < d->first + d->count; n++) {
			const struct ft_chip *chip = &m->chassis->chips[n];

			r = chip_add(w, &(struct ft_what_if_chip){chip->node,
								  (uint32_t)(m->places[place] - m->plan->switches),
								  chip, chip->board, chip->chip});
		}
	}
	return r;
}

bool ft_what_if_has_chips(const struct ft_what_if *w, uint32_t index)
{
	for (uint32_t i = 0; i < w->chip_count; i++)
		if (w->chips[i].index == index)
			return true;
	return false;
}

uint32_t ft_what_if_director(const struct ft_what_if *w, uint64_t guid)
{
	for (uint32_t i = 0; i < w->chip_count; i++) {
		const struct ft_what_if_chip *chip = &w->chips[i];
		bool seen = chip->node < w->first_count;

		if (seen ? w->m->chassis->directors[chip->like->director].guid == guid
			 : w->s.nodes[chip->node].system_guid == guid)
			return chip->index;
	}
	return FT_NONE;
}

/*
 * The observed use of ports of that number on line chips of the same director: above 0 more often for cables, below 0
 * more often for traces. Directors of one tier may differ in that.
 */
static int port_votes(const struct ft_what_if *w, const struct ft_chip *like, uint32_t number)
{
	const struct ft_director *d = &w->m->chassis->directors[like->director];
	const struct ft_snapshot *s = w->m->chips;
	int votes = 0;

	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		const struct ft_chip *chip = &w->m->chassis->chips[i];
		const struct ft_port *port = ft_node_port(s, &s->nodes[chip->node], number);

		if (chip->line && chip->chip == like->chip && port && port->peer != FT_NO_PORT)
			votes += ft_trace_far(w->m->chassis, (uint32_t)(port - s->ports)) ? -1 : 1;
	}
	return votes;
}

/* The number of the model's port @number in its whole director, or 0: it is an inner one. */
static uint32_t whole_number(const struct ft_what_if *w, const struct ft_chip *like, uint32_t number)
{
	uint32_t whole = w->m->chassis->whole_port[w->m->chips->nodes[like->node].first_port + number - 1];

	return whole == FT_NO_PORT || !like->line ? 0 : w->m->snapshot->ports[whole].number;
}

/* Whether a cable can be plugged into that port: 0 no, 1 possibly, 2 yes. */
static unsigned int outer_rank(const struct ft_what_if *w, const struct ft_what_if_chip *chip, uint32_t number)
{
	int votes = whole_number(w, chip->like, number) > 0 ? port_votes(w, chip->like, number) : -1;

	return votes < 0 ? 0 : votes == 0 ? 1 : 2;
}

static const struct ft_what_if_chip *chip_of_node(const struct ft_what_if *w, uint32_t node)
{
	for (uint32_t i = 0; i < w->chip_count; i++)
		if (w->chips[i].node == node)
			return &w->chips[i];
	return NULL;
}

/* ---- outer ports ---- */

static uint32_t line_ports(const struct ft_what_if *w, const struct ft_what_if_chip *chip)
{
	return w->m->chassis->directors[chip->like->director].seen.line_ports;
}

/* The number of port @number of the chip among the outer ports of its director, or 0. */
static uint32_t chip_port_number(const struct ft_what_if *w, const struct ft_what_if_chip *chip, uint32_t number)
{
	uint32_t n = whole_number(w, chip->like, number), each = line_ports(w, chip);

	if (n == 0 || each == 0 || chip->node < w->first_count)
		return n;
	/* The chip is in another place than its model. */
	return (n - 1) / each == chip->like->board ? chip->board * each + (n - 1) % each + 1 : 0;
}

static bool port_is_named(const struct ft_what_if *w, const struct ft_finding *because, uint32_t port)
{
	for (size_t i = 0; i < because->where_count; i++)
		if (ft_what_if_port(w, &because->where[i]) == port)
			return true;
	return false;
}

/* A free outer port of the chip, of that outer_rank(); one that @because names, if that is not NULL. */
static uint32_t chip_port_free(const struct ft_what_if *w, const struct ft_what_if_chip *chip,
			       const struct ft_finding *because, unsigned int rank)
{
	const struct ft_node *node = &w->s.nodes[chip->node];

	for (uint32_t n = 1; chip->like->line && n <= node->port_count; n++) {
		uint32_t port = node->first_port + n - 1;

		if (ft_what_if_is_free(w, port) && (!because || port_is_named(w, because, port)) &&
		    outer_rank(w, chip, n) == rank)
			return port;
	}
	return FT_NONE;
}

static uint32_t port_numbered(const struct ft_what_if *w, uint32_t index, uint32_t number, uint32_t first)
{
	for (uint32_t i = first; number > 0 && i < w->chip_count; i++) {
		const struct ft_node *node = &w->s.nodes[w->chips[i].node];

		for (uint32_t n = 1; w->chips[i].index == index && n <= node->port_count; n++)
			if (chip_port_number(w, &w->chips[i], n) == number)
				return node->first_port + n - 1;
	}
	return FT_NONE;
}

uint32_t ft_what_if_new_port(const struct ft_what_if *w, uint32_t index, uint32_t number, uint32_t first)
{
	uint32_t port = port_numbered(w, index, number, first);

	return port != FT_NONE && ft_what_if_is_free(w, port) ? port : FT_NONE;
}

uint32_t ft_what_if_outer_port(const struct ft_what_if *w, uint32_t index, uint32_t planned,
			       const struct ft_finding *because, uint32_t own)
{
	uint32_t port = port_numbered(w, index, planned, 0);

	if (port != FT_NONE && w->s.ports[port].peer == FT_NO_PORT)
		return port;
	port = FT_NONE;
	/* Named ports before others, and certain outer ports before possible ones. */
	for (unsigned int pass = because ? 0 : 2; port == FT_NONE && pass < 4; pass++)
		for (uint32_t i = own; port == FT_NONE && i < w->chip_count; i++)
			if (w->chips[i].index == index)
				port = chip_port_free(w, &w->chips[i], pass < 2 ? because : NULL, 2 - pass % 2);
	return port;
}

/* ---- traces ---- */

uint32_t ft_what_if_trace_port(const struct ft_what_if *w, uint32_t node)
{
	const struct ft_what_if_chip *chip = chip_of_node(w, node);

	for (uint32_t n = 1; chip && n <= w->s.nodes[node].port_count; n++) {
		uint32_t port = w->s.nodes[node].first_port + n - 1;

		if (ft_what_if_is_free(w, port) && outer_rank(w, chip, n) < 2)
			return port;
	}
	return FT_NONE;
}

/* The port of @chip for a trace of a restored chip: one that @because names, or else any free one. */
static uint32_t trace_end(const struct ft_what_if *w, const struct ft_what_if_chip *chip,
			  const struct ft_finding *because)
{
	for (size_t i = 0; because && i < because->where_count; i++) {
		uint32_t port = ft_what_if_port(w, &because->where[i]);

		if (port != FT_NONE && w->s.ports[port].node == chip->node && ft_what_if_is_free(w, port) &&
		    outer_rank(w, chip, w->s.ports[port].number) < 2)
			return port;
	}
	return ft_what_if_trace_port(w, chip->node);
}

/* The number of traces between two nodes. */
static uint32_t traces_between(const struct ft_what_if *w, uint32_t a, uint32_t b)
{
	const struct ft_node *node = &w->s.nodes[a];
	uint32_t count = 0;

	for (uint32_t n = 0; n < node->port_count; n++) {
		uint32_t peer = w->s.ports[node->first_port + n].peer;

		count += peer != FT_NO_PORT && w->s.ports[peer].node == b;
	}
	return count;
}

/* The chip of director @index in the place of @chip. */
static const struct ft_what_if_chip *namesake(const struct ft_what_if *w, uint32_t index, const struct ft_chip *chip)
{
	for (uint32_t i = 0; i < w->chip_count; i++)
		if (w->chips[i].index == index && w->chips[i].like->line == chip->line &&
		    w->chips[i].board == chip->board && w->chips[i].chip == chip->chip)
			return &w->chips[i];
	return NULL;
}

/*
 * Restores the traces of a chip: those of its model, in the same port numbers; at the far end the model's port number
 * if both chips are new, else a port that is known for it or free.
 */
static void traces_return(struct ft_what_if *w, const struct ft_what_if_chip *chip, const struct ft_chip *after,
			  const struct ft_finding *because)
{
	const struct ft_snapshot *s = w->m->chips;
	const struct ft_node *like = &s->nodes[after->node];

	for (uint32_t n = 0; n < like->port_count; n++) {
		const struct ft_port *port = &s->ports[like->first_port + n];
		const struct ft_chip *far = ft_trace_far(w->m->chassis, like->first_port + n);
		const struct ft_what_if_chip *end = far ? namesake(w, chip->index, far) : NULL;
		uint32_t own = w->s.nodes[chip->node].first_port + n, to;

		if (!end || w->s.ports[own].peer != FT_NO_PORT)
			continue;
		to = w->s.nodes[end->node].first_port + s->ports[port->peer].number - 1;
		if (end->node < w->first_count || w->s.ports[to].peer != FT_NO_PORT)
			to = trace_end(w, end, because);
		if (to != FT_NONE)
			ft_what_if_put(w, own, to, port->rate);
	}
}

/*
 * The number of traces between two such chips: by the plan, else as many as most of their director have, because a
 * model may have lost some itself.
 */
static uint32_t traces_usual(const struct ft_what_if *w, const struct ft_chip *chip, const struct ft_chip *other)
{
	enum { MOST = 256 };
	const struct ft_chassis *c = w->m->chassis;
	const struct ft_director *d = &c->directors[chip->director];
	uint32_t votes[MOST] = {0}, best = 0, planned = w->plan->inside[d->tier].traces;

	for (uint32_t i = d->first; i < d->first + d->count && !planned; i++)
		for (const struct ft_adjacent *a = ft_adjacent_of(&c->traces, i);
		     c->chips[i].line == chip->line && c->chips[i].chip == chip->chip &&
		     a < ft_adjacent_of(&c->traces, i + 1);
		     a++)
			if (c->chips[a->vertex].chip == other->chip)
				votes[a->count < MOST ? a->count : MOST - 1]++;
	for (uint32_t i = 1; i < MOST; i++)
		best = votes[i] > 0 && votes[i] >= votes[best] ? i : best;
	return planned ? planned : best;
}

/* Adds the traces that a chip lacks, up to @wanted to each chip of the other side; 0: as usual, for seen chips. */
static void traces_complete(struct ft_what_if *w, const struct ft_what_if_chip *chip, uint32_t wanted,
			    const struct ft_finding *because)
{
	for (uint32_t i = 0; i < w->chip_count; i++) {
		const struct ft_what_if_chip *other = &w->chips[i];
		uint32_t most = wanted ? wanted : traces_usual(w, chip->like, other->like);

		if (other->index != chip->index || other->like->line == chip->like->line)
			continue;
		for (uint32_t n = traces_between(w, chip->node, other->node); n < most; n++) {
			uint32_t a = wanted ? ft_what_if_trace_port(w, chip->node) : trace_end(w, chip, because);
			uint32_t b = trace_end(w, other, because);

			if (a != FT_NONE && b != FT_NONE)
				ft_what_if_put(w, a, b, w->rates[FT_WHAT_IF_UPLINK]);
		}
	}
}

/* ---- chips ---- */

static uint32_t traces_of(const struct ft_what_if *w, const struct ft_chip *chip)
{
	return w->m->chassis->traces.degree[chip - w->m->chassis->chips];
}

/* The model for a chip in that place: of the same director if possible, with the most traces. NULL: none. */
static const struct ft_chip *likeness(const struct ft_what_if *w, uint32_t index, bool line, uint32_t chip)
{
	const struct ft_chip *best = NULL;
	uint32_t most = 0;

	for (uint32_t i = 0; i < w->m->chassis->chip_count; i++) {
		const struct ft_chip *c = &w->m->chassis->chips[i];
		const struct ft_what_if_chip *own = chip_of_node(w, c->node);
		uint32_t rank;

		if (c->line != line || c->chip != chip ||
		    w->m->chassis->directors[c->director].tier != w->plan->switches[index].tier)
			continue;
		rank = 2 * traces_of(w, c) + (own && own->index == index);
		if (best && rank <= most)
			continue;
		best = c;
		most = rank;
	}
	return best;
}

/* The chassis name of director @index, from the names of its seen chips; else the plan's name. */
static const char *chassis_name(const struct ft_what_if *w, uint32_t index)
{
	return index < w->report->switch_count && w->report->switches[index].guid ? w->report->switches[index].name
										  : w->plan->switches[index].name;
}

/* The name of a chip like @like: in director @index, with another board number. */
static int chip_name(const struct ft_what_if *w, const struct ft_chip *like, uint32_t index, uint32_t board,
		     struct ft_text *ret_name)
{
	const struct ft_model *m = w->m;
	const struct ft_node *node = &m->chips->nodes[like->node];
	const struct ft_what_if_chip *self = chip_of_node(w, like->node);
	const char *name = ft_node_description(m->chips, node);
	const char *from = self && self->index != index ? chassis_name(w, self->index) : NULL;
	size_t skip = from && strncmp(name, from, strlen(from)) == 0 ? strlen(from) : 0, tail;

	/* If all chips have the same name, this one has it, too. */
	if (!like->named || like->slot.word < skip) {
		ft_text_printf(ret_name, "%.*s", (int)node->description_length, name);
		return ret_name->failed ? -ENOMEM : 0;
	}
	tail = like->slot.word + like->slot.stem + like->slot.digits;
	ft_text_printf(ret_name, "%s", skip ? chassis_name(w, index) : "");
	ft_text_printf(ret_name, "%.*s", (int)(like->slot.word + like->slot.stem - skip), name + skip);
	ft_text_printf(ret_name, "%0*u", (int)like->slot.digits, like->slot.number - like->board + board);
	ft_text_printf(ret_name, "%.*s", (int)(node->description_length - tail), name + tail);
	return ret_name->failed ? -ENOMEM : 0;
}

/* If names give no slots, the order of GUIDs does: a GUID between those of its neighbours, or 0. */
static uint64_t chip_guid(const struct ft_what_if *w, const struct ft_chip *like, uint32_t index, uint32_t board,
			  uint32_t chip)
{
	const struct ft_what_if_chip *next = NULL, *last = NULL;
	uint64_t guid;

	for (uint32_t i = 0; !like->named && i < w->chip_count; i++) {
		const struct ft_what_if_chip *c = &w->chips[i];
		bool behind = c->board > board || (c->board == board && c->chip > chip);

		if (c->index != index || c->like->line != like->line)
			continue;
		if (behind && (!next || w->s.nodes[c->node].guid < w->s.nodes[next->node].guid))
			next = c;
		if (!behind && (!last || w->s.nodes[c->node].guid > w->s.nodes[last->node].guid))
			last = c;
	}
	if (!next && !last)
		return 0;
	guid = next ? w->s.nodes[next->node].guid - 1 : w->s.nodes[last->node].guid + 1;
	return ft_what_if_node(w, guid) == FT_NONE ? guid : 0;
}

static int chip_return(struct ft_what_if *w, uint32_t index, bool line, uint32_t board, uint32_t chip)
{
	const struct ft_chip *like = likeness(w, index, line, chip);
	_cleanup_(ft_text_release) struct ft_text name = {0};
	struct ft_what_if_chip back = {FT_NONE, index, like, board, chip};
	const struct ft_what_if_chip *own = NULL;
	const struct ft_node *node;
	int r;

	if (!like)
		return -ENOTSUP;
	for (uint32_t i = 0; !own && i < w->chip_count; i++)
		own = w->chips[i].index == index ? &w->chips[i] : NULL;
	node = &w->m->chips->nodes[like->node];
	r = chip_name(w, like, index, board, &name);
	if (r == 0)
		r = ft_what_if_node_add(w, FT_NODE_SWITCH, chip_guid(w, like, index, board, chip),
					ft_text_string(&name), node->port_count, &back.node);
	if (r < 0)
		return r;
	/* The first chip of a restored director gives it its SystemImageGUID, unless the design binds one. */
	if (own) {
		w->s.nodes[back.node].system_guid = w->s.nodes[own->node].system_guid;
		w->s.nodes[back.node].chassis = w->s.nodes[own->node].chassis;
	} else {
		uint64_t bound = ft_plan_bound_guid(w->design, w->plan, index);

		w->s.nodes[back.node].system_guid = bound ? bound : w->s.nodes[back.node].guid;
		w->s.nodes[back.node].chassis = node->chassis ? UINT32_MAX - index : 0;
	}
	return chip_add(w, &back);
}

static bool chip_is_there(const struct ft_what_if *w, uint32_t index, bool line, uint32_t board, uint32_t chip)
{
	return namesake(w, index, &(struct ft_chip){.line = line, .board = board, .chip = chip});
}

/* Restores board @board, or one chip of it, as far as it is missing. */
static int board_return(struct ft_what_if *w, uint32_t index, bool line, uint32_t board, uint32_t only)
{
	const struct ft_inside *want = &w->m->chassis->usual[w->plan->switches[index].tier];
	uint32_t chips = line ? want->line_chips : want->fabric_chips;
	int r = 0;

	for (uint32_t c = 0; r == 0 && c < chips; c++)
		if ((only == FT_NONE || c == only) && !chip_is_there(w, index, line, board, c))
			r = chip_return(w, index, line, board, c);
	return r;
}

/* Restores all missing boards of a director: without its fabric boards, the line boards behind them are unseen, too. */
static int boards_return(struct ft_what_if *w, uint32_t index)
{
	const struct ft_inside *want = w->m->origin ? &w->m->chassis->usual[w->plan->switches[index].tier] : NULL;
	int r = want && want->line_boards + want->fabric_boards > 0 ? 0 : -ENOTSUP;

	for (uint32_t b = 0; r == 0 && b < want->line_boards; b++)
		r = board_return(w, index, true, b, FT_NONE);
	for (uint32_t b = 0; r == 0 && b < want->fabric_boards; b++)
		r = board_return(w, index, false, b, FT_NONE);
	return r;
}

static void chips_join(struct ft_what_if *w, uint32_t first, const struct ft_finding *because)
{
	uint32_t end = w->chip_count;

	for (uint32_t i = first; i < end; i++)
		traces_return(w, &w->chips[i], w->chips[i].like, because);
	for (uint32_t i = first; i < end; i++) {
		uint32_t wanted = w->m->chassis->usual[w->plan->switches[w->chips[i].index].tier].traces;

		if (wanted > 0)
			traces_complete(w, &w->chips[i], wanted, because);
	}
}

/* Restores the missing traces, all or some, of the seen chips of the board. */
static void severed_mend(struct ft_what_if *w, const struct ft_finding *because)
{
	const struct ft_finding_board *board = &because->board;

	for (uint32_t i = 0; i < w->chip_count; i++) {
		const struct ft_what_if_chip *chip = &w->chips[i];
		const struct ft_chip *like;

		if (chip->index != board->of || chip->like->line != board->line || chip->board != board->board ||
		    (!board->whole && chip->chip != board->chip) || chip->node >= w->first_count)
			continue;
		if (because->code == FT_CODE_CABLE_MISSING)
			traces_complete(w, chip, 0, because);
		else if (traces_of(w, chip->like) == 0 && (like = likeness(w, chip->index, board->line, chip->chip)))
			traces_return(w, chip, like, because);
	}
}

int ft_what_if_board_return(struct ft_what_if *w, const struct ft_finding *because, uint32_t *ret_first)
{
	const struct ft_finding_board *board = &because->board;
	int r = 0;

	*ret_first = w->chip_count;
	if (!board->known || !w->m->origin)
		return -ENOTSUP;
	severed_mend(w, because);
	r = board->all ? boards_return(w, board->of)
		       : board_return(w, board->of, board->line, board->board, board->whole ? FT_NONE : board->chip);
	if (r == 0)
		chips_join(w, *ret_first, because);
	return r;
}

int ft_what_if_director_return(struct ft_what_if *w, uint32_t index, uint32_t *ret_first)
{
	int r;

	*ret_first = w->chip_count;
	r = boards_return(w, index);
	if (r == 0)
		chips_join(w, *ret_first, NULL);
	return r;
}
