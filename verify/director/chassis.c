/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Merges the chips of each director into one switch: finds the outer ports, and builds the fabric of whole directors. A
 * port number is an outer one if most line chips of its kind have cables there, and not traces.
 *
 * Invariant: every cable that is no trace has the same two ends in the merged fabric (origin, whole_port). Cost:
 * O(ports), and O(directors * (directors + chips)) for the makes.
 */
#include "config.h"

#include "base/numbers.h"
#include "probe/facts.h"
#include "verify/model/chassis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/director/chassis_parts.h"

void ft_chassis_free(struct ft_chassis *c)
{
	if (!c)
		return;
	ft_multigraph_release(&c->traces);
	ft_arena_release(&c->memory);
	free(c);
}

/* How often ports of a number are used for traces, and for outer cables. */
struct port_uses {
	uint32_t trace[256], outer[256];
};

/* The state while directors are built. */
struct build {
	struct ft_chassis *c;
	const struct ft_snapshot *chips;
	struct ft_chip_graph g;
	struct ft_groups groups;
	const struct ft_seat *seats;		/* or NULL */
	uint32_t line_ports[FT_DIRECTOR_KINDS]; /* outer ports of a line board */
	uint32_t boards[FT_DIRECTOR_KINDS];	/* line boards, as the highest board number */
};

static void build_release(struct build *b)
{
	ft_multigraph_release(&b->g.cables);
	ft_groups_release(&b->groups);
}

static const struct ft_node *chip_node(const struct build *b, const struct ft_chip *chip)
{
	return &b->chips->nodes[chip->node];
}

static const struct ft_director *director_of(const struct build *b, const struct ft_chip *chip)
{
	return &b->c->directors[chip->director];
}

/* ---- chips and directors ---- */

static int chip_compare(const void *a, const void *b, void *arg)
{
	const struct ft_snapshot *s = arg;
	const struct ft_chip *x = a, *y = b;

	return FT_ORDER(x->director, y->director) ?: FT_ORDER(s->nodes[x->node].guid, s->nodes[y->node].guid) ?: FT_ORDER(x->node, y->node);
}

static int place_compare(const void *a, const void *b)
{
	const struct ft_chip *x = a, *y = b;

	return FT_ORDER(x->director, y->director) ?: FT_ORDER(y->line, x->line) ?: FT_ORDER(x->board, y->board) ?: FT_ORDER(x->chip, y->chip);
}

static void chips_index(struct ft_chassis *c)
{
	for (uint32_t i = 0; i < c->parts->node_count; i++)
		c->chip_of[i] = FT_NONE;
	for (uint32_t i = 0; i < c->chip_count; i++)
		c->chip_of[c->chips[i].node] = i;
}

const struct ft_chip *ft_chip_at(const struct ft_chassis *c, const struct ft_director *d, const struct ft_chip *like)
{
	for (uint32_t i = d->first; i < d->first + d->count; i++)
		if (c->chips[i].line == like->line && c->chips[i].board == like->board &&
		    c->chips[i].chip == like->chip)
			return &c->chips[i];
	return NULL;
}

static int chips_collect(struct build *b)
{
	struct ft_chassis *c = b->c;
	const struct ft_groups *g = &b->groups;

	c->chips = ft_arena_zeros(&c->memory, b->chips->node_count + 1UL, sizeof(*c->chips));
	c->chip_of = ft_arena_numbers(&c->memory, b->chips->node_count, FT_NONE);
	c->directors = ft_arena_zeros(&c->memory, g->count, sizeof(*c->directors));
	if (c->memory.failed)
		return -ENOMEM;
	c->director_count = g->count;
	for (uint32_t i = 0; i < b->chips->node_count; i++) {
		const struct ft_node *node = &b->chips->nodes[i];
		struct ft_chip *chip = &c->chips[c->chip_count];

		if (g->group[i] == FT_NO_GROUP)
			continue;
		*chip = (struct ft_chip){.node = i, .director = g->group[i], .line = g->role[i] == FT_CHIP_LINE};
		chip->named = ft_slot_read(ft_node_description(b->chips, node), node->description_length, &chip->slot);
		c->chip_count++;
	}
	qsort_r(c->chips, c->chip_count, sizeof(*c->chips), chip_compare, (void *)b->chips);
	for (uint32_t i = c->chip_count; i-- > 0;) {
		struct ft_director *d = &c->directors[c->chips[i].director];

		d->first = i;
		d->count++;
	}
	chips_index(c);
	return 0;
}

static int traces_collect(struct ft_chassis *c)
{
	const struct ft_snapshot *s = c->parts;
	_cleanup_free_ struct ft_edge *edges = malloc((s->port_count + 1UL) * sizeof(*edges));
	uint32_t count = 0;

	if (!edges)
		return -ENOMEM;
	for (uint32_t p = 0; p < s->port_count; p++) {
		const struct ft_chip *far = s->ports[p].peer < p ? NULL : ft_trace_far(c, p);

		if (far)
			edges[count++] = (struct ft_edge){c->chip_of[s->ports[p].node], (uint32_t)(far - c->chips), 1};
	}
	return ft_multigraph_make(c->chip_count, edges, count, &c->traces);
}

/* ---- kinds of directors ---- */

/* The peers of a director's outer cables. */
struct outside {
	uint32_t links, hosts, down, up; /* all; hosts; switches with hosts; other switches */
};

/* True if the switch has hosts, or the director of the chip is, so far, of the kind with hosts. */
static bool node_has_hosts(const struct build *b, uint32_t node)
{
	const struct ft_chip *chip = ft_chip_of(b->c, node);

	return chip ? director_of(b, chip)->tier == FT_DIRECTOR_OF_HOSTS : ft_chip_hosts(&b->g, node) > 0;
}

static struct outside outside_of(const struct build *b, const struct ft_director *d)
{
	struct outside o = {0};

	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		uint32_t node = b->c->chips[i].node;

		ft_each_adjacent(a, &b->g.cables, node) {
			const struct ft_chip *far = ft_chip_of(b->c, a->vertex);
			bool host = b->chips->nodes[a->vertex].type == FT_NODE_CA;

			if (far && director_of(b, far) == d)
				continue;
			o.links += a->count;
			*(host ? &o.hosts : node_has_hosts(b, a->vertex) ? &o.down : &o.up) += a->count;
		}
	}
	return o;
}

static uint32_t line_chips_of(const struct build *b, const struct ft_director *d)
{
	uint32_t count = 0;

	for (uint32_t i = d->first; i < d->first + d->count; i++)
		count += b->c->chips[i].line;
	return count;
}

/* The difference between the chips of @d and those of a planned director of @kind. */
static uint64_t kind_distance(const struct build *b, const struct ft_director *d, unsigned int kind)
{
	struct ft_inside in = ft_inside_planned(&b->g, kind);
	int64_t lines = (int64_t)in.line_boards * in.line_chips, fabrics = (int64_t)in.fabric_boards * in.fabric_chips;
	int64_t count = line_chips_of(b, d);

	return (uint64_t)((lines ? llabs(lines - count) : 0) + (fabrics ? llabs(fabrics - (d->count - count)) : 0));
}

/* True if each line chip has enough ports for the outer ports and traces of one of @kind. */
static bool kind_is_possible(const struct build *b, const struct ft_director *d, unsigned int kind)
{
	struct ft_inside in = ft_inside_planned(&b->g, kind);
	uint32_t need = in.fabric_boards * in.fabric_chips * in.traces;

	need += in.line_chips ? in.line_ports / in.line_chips : 0;
	for (uint32_t i = d->first; i < d->first + d->count; i++)
		if (b->c->chips[i].line && chip_node(b, &b->c->chips[i])->port_count < need)
			return false;
	return true;
}

static unsigned int kind_of(const struct build *b, const struct ft_director *d)
{
	bool hosts = d->tier == FT_DIRECTOR_OF_HOSTS;
	const uint32_t *planned = b->g.ports;
	unsigned int best = FT_DIRECTOR_KINDS;

	for (uint32_t i = d->first; i < d->first + d->count; i++)
		if (b->groups.pattern[b->c->chips[i].node] < FT_DIRECTOR_KINDS)
			return b->groups.pattern[b->c->chips[i].node];
	if (hosts && planned[FT_DIRECTOR_OF_HOSTS])
		return FT_DIRECTOR_OF_HOSTS;
	if (!hosts && (!b->g.plan || (planned[FT_DIRECTOR_BETWEEN] && planned[FT_DIRECTOR_ON_TOP]))) {
		struct outside o = outside_of(b, d);

		/* A considerable share of the cables leads down, to switches with hosts, and one up, to others. */
		return (o.up > 0 && o.down > 0 && o.up * 8 >= o.down && o.down * 8 >= o.up) ||
				       (!kind_is_possible(b, d, FT_DIRECTOR_ON_TOP) &&
					kind_is_possible(b, d, FT_DIRECTOR_BETWEEN))
			       ? FT_DIRECTOR_BETWEEN
			       : FT_DIRECTOR_ON_TOP;
	}
	/* From the top: of two kinds that fit equally, the lower one would show hosts. */
	for (unsigned int kind = FT_DIRECTOR_KINDS; kind-- > 0;)
		if (planned[kind] &&
		    (best == FT_DIRECTOR_KINDS ||
		     (kind != FT_DIRECTOR_OF_HOSTS && kind_distance(b, d, kind) < kind_distance(b, d, best))))
			best = kind;
	return best != FT_DIRECTOR_KINDS ? best : hosts ? FT_DIRECTOR_OF_HOSTS : FT_DIRECTOR_ON_TOP;
}

static bool design_binds(const struct build *b, uint64_t guid)
{
	for (unsigned int kind = 0; b->g.design && kind < FT_DIRECTOR_KINDS; kind++)
		for (size_t i = 0; i < b->g.design->binds[kind].count; i++)
			if (guid != 0 && b->g.design->binds[kind].guids[i] == guid)
				return true;
	return false;
}

/* A SystemImageGUID that only some of the chips have is a board's. */
static uint64_t guid_of(const struct build *b, const struct ft_director *d)
{
	const struct ft_chip *chips = b->c->chips + d->first;
	uint64_t lowest = UINT64_MAX, system = chip_node(b, chips)->system_guid;

	for (uint32_t i = 0; i < d->count; i++) {
		const struct ft_node *node = chip_node(b, &chips[i]);

		if (design_binds(b, node->guid))
			return node->guid;
		if (design_binds(b, node->system_guid))
			return node->system_guid;
		lowest = node->guid < lowest ? node->guid : lowest;
		system = node->system_guid == system ? system : 0;
	}
	return system ? system : lowest;
}

static void directors_describe(struct build *b)
{
	struct ft_director *directors = b->c->directors;
	uint32_t count = b->c->director_count;

	for (uint32_t i = 0; i < count; i++) {
		struct outside o = outside_of(b, &directors[i]);

		directors[i].tier = o.hosts > 0 && o.hosts * 8 >= o.links ? FT_DIRECTOR_OF_HOSTS : FT_DIRECTOR_KINDS;
		directors[i].guid = guid_of(b, &directors[i]);
	}
	/* Directors without hosts first: they are judged by the switches below, whose marks must not change before. */
	for (unsigned int hosts = 0; hosts < 2; hosts++)
		for (uint32_t i = 0; i < count; i++)
			if ((directors[i].tier == FT_DIRECTOR_OF_HOSTS) == (hosts == 1))
				directors[i].tier = kind_of(b, &directors[i]);
}

/* ---- which ports are outer ---- */

static void uses_add(const struct build *b, const struct ft_chip *chip, struct port_uses *uses)
{
	const struct ft_node *node = chip_node(b, chip);

	for (uint32_t n = 1; chip->line && n <= node->port_count && n < 256; n++) {
		uint32_t port = node->first_port + n - 1;

		if (b->chips->ports[port].peer == FT_NONE || ft_chip_port_aggregates(b->chips, port))
			continue;
		if (ft_trace_far(b->c, port))
			uses->trace[n]++;
		else
			uses->outer[n]++;
	}
}

/* True if one port number in ten is used both for traces and for cables: then numbers prove nothing. */
static bool uses_are_mixed(const struct port_uses *uses)
{
	uint32_t mixed = 0, used = 0;

	for (uint32_t n = 1; n < 256; n++) {
		mixed += uses->outer[n] < uses->trace[n] ? uses->outer[n] : uses->trace[n];
		used += uses->outer[n] + uses->trace[n];
	}
	return mixed * 10 > used;
}

/* True if several chips use a port number, for traces or for outer cables, that none of the other director does. */
static bool has_own(const uint32_t *uses, const uint32_t *other)
{
	enum { AGREE = 2 };

	for (uint32_t n = 1; n < 256; n++)
		if (uses[n] >= AGREE && other[n] == 0)
			return true;
	return false;
}

/*
 * True if each has traces in ports where the other has none: if only one has, the other lacks a fabric board. So it is
 * with outer cables, if they are in more ports than the @wanted of a chip (0: unknown).
 */
static bool makes_differ(const struct port_uses *a, const struct port_uses *b, uint32_t wanted)
{
	uint32_t outer = 0;

	if (has_own(a->trace, b->trace) && has_own(b->trace, a->trace))
		return true;
	for (uint32_t n = 1; n < 256; n++)
		outer += a->outer[n] > 0 || b->outer[n] > 0;
	return wanted > 0 && outer > wanted && has_own(a->outer, b->outer) && has_own(b->outer, a->outer);
}

/* Port numbers that both use alike; of a director with itself, all those with traces. */
static uint32_t uses_in_common(const struct port_uses *a, const struct port_uses *b)
{
	uint32_t count = 0;

	for (uint32_t n = 1; n < 256; n++)
		count += (a->trace[n] > 0 && b->trace[n] > 0) + (a != b && a->outer[n] > 0 && b->outer[n] > 0);
	return count;
}

/* Expected outer ports of each line chip of a director; 0: unknown. */
static uint32_t outer_wanted(const struct build *b, unsigned int tier)
{
	struct ft_inside in = ft_inside_planned(&b->g, tier);
	uint32_t ports = b->g.ports[tier], boards = in.line_boards, chips = in.line_chips;

	for (uint32_t i = 0; i < b->c->chip_count && !in.line_chips; i++)
		if (b->c->chips[i].line && director_of(b, &b->c->chips[i])->tier == tier)
			chips = ft_number_most(chips, b->c->chips[i].chip + 1);
	boards = boards ? boards : b->boards[tier];
	if (!in.line_ports && boards && ports % boards == 0)
		in.line_ports = ports / boards;
	return chips && in.line_ports % chips == 0 ? in.line_ports / chips : 0;
}

/*
 * The make of director @number: that of the director in @done, of the same kind and not different from it, with which
 * it has most in common; @own if it differs from all.
 */
static uint32_t make_choose(const struct build *b, uint32_t number, const bool *done, const struct port_uses *uses,
			    uint32_t own)
{
	const struct ft_director *directors = b->c->directors;
	uint32_t best = own, most = 0, wanted = outer_wanted(b, directors[number].tier);

	for (uint32_t i = 0; i < b->c->director_count; i++) {
		uint32_t common = done[i] ? uses_in_common(&uses[number], &uses[i]) : 0;

		if (!done[i] || directors[i].tier != directors[number].tier ||
		    makes_differ(&uses[number], &uses[i], wanted) || (best != own && common <= most))
			continue;
		best = directors[i].make;
		most = common;
	}
	return best;
}

/* The director with traces in the most ports, of those not done, or FT_NONE. */
static uint32_t director_next(const struct build *b, const bool *done, const struct port_uses *uses)
{
	uint32_t best = FT_NONE, most = 0;

	for (uint32_t i = 0; i < b->c->director_count; i++) {
		uint32_t count = done[i] ? 0 : uses_in_common(&uses[i], &uses[i]);

		if (done[i] || (best != FT_NONE && count <= most))
			continue;
		best = i;
		most = count;
	}
	return best;
}

/*
 * Groups directors of one kind by makes. Complete ones come first, because a director without a fabric board has little
 * in common with any. O(directors * (directors + chips)). 0 or -ENOMEM.
 */
static int makes_tell(struct build *b)
{
	struct ft_chassis *c = b->c;
	_cleanup_free_ bool *done = calloc(c->director_count + 1UL, sizeof(*done));
	_cleanup_free_ struct port_uses *uses = calloc(c->director_count + 1UL, sizeof(*uses));
	uint32_t next, makes = 0;

	if (!done || !uses)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->chip_count; i++)
		uses_add(b, &c->chips[i], &uses[c->chips[i].director]);
	while ((next = director_next(b, done, uses)) != FT_NONE) {
		c->directors[next].make = make_choose(b, next, done, uses, makes);
		makes += c->directors[next].make == makes;
		done[next] = true;
	}
	return 0;
}

static int kinds_collect(struct build *b)
{
	struct ft_chassis *c = b->c;

	c->kinds = ft_arena_zeros(&c->memory, c->chip_count, sizeof(*c->kinds));
	if (!c->kinds)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->chip_count; i++) {
		struct ft_chip *chip = &c->chips[i];
		struct ft_chip_kind kind = {.tier = director_of(b, chip)->tier,
					    .make = director_of(b, chip)->make,
					    .chip = chip->chip,
					    .ports = chip_node(b, chip)->port_count};
		uint32_t k = 0;

		if (!chip->line)
			continue;
		while (k < c->kind_count && (c->kinds[k].make != kind.make || c->kinds[k].chip != kind.chip ||
					     c->kinds[k].ports != kind.ports))
			k++;
		if (k == c->kind_count)
			c->kinds[c->kind_count++] = kind;
		chip->kind = k;
	}
	return 0;
}

/* The unused port nearest to the outer ones: outer as well, if there should be more. */
static uint32_t idle_port_nearest(const struct ft_chip_kind *k, const struct port_uses *uses, const bool *outer)
{
	uint32_t last = k->ports % 2 == 1 ? k->ports - 1 : k->ports;
	uint32_t best = 0, least = UINT32_MAX;

	for (uint32_t n = 1; n <= last && n < 256; n++) {
		if (outer[n] || uses->trace[n] > 0)
			continue;
		for (uint32_t p = 1; p < 256; p++)
			if (outer[p] && (p > n ? p - n : n - p) < least) {
				least = p > n ? p - n : n - p;
				best = n;
			}
	}
	return best;
}

static void kind_learn(struct build *b, uint32_t kind)
{
	struct ft_chip_kind *k = &b->c->kinds[kind];
	uint32_t wanted = outer_wanted(b, k->tier), count = 0, next = 0, low = 0, high = 0;
	struct port_uses uses = {{0}, {0}};
	bool outer[256] = {false};

	for (uint32_t i = 0; i < b->c->chip_count; i++)
		if (b->c->chips[i].line && b->c->chips[i].kind == kind)
			uses_add(b, &b->c->chips[i], &uses);
	for (uint32_t n = 1; n < 256; n++) {
		outer[n] = uses.outer[n] > uses.trace[n];
		count += outer[n];
		low = outer[n] && !low ? n : low;
		high = outer[n] ? n : high;
	}
	k->irregular = uses_are_mixed(&uses);
	while (count < wanted && (next = idle_port_nearest(k, &uses, outer)) > 0) {
		outer[next] = true;
		count++;
	}
	/* The expected number is unknown: unused ports between outer ones are outer as well. */
	for (uint32_t n = low; !wanted && n < high; n++)
		outer[n] |= uses.trace[n] == 0 || uses.outer[n] > uses.trace[n];
	for (uint32_t n = 1; n < 256; n++)
		if (outer[n])
			k->outer_ports[k->outer++] = (uint8_t)n;
}

/* The chips of a board share its port numbers; each chip number gets as many as its kind with the most ports. */
static void kinds_number(struct build *b)
{
	const struct ft_chip_kind *kinds = b->c->kinds;

	for (uint32_t i = 0; i < b->c->kind_count; i++) {
		struct ft_chip_kind *k = &b->c->kinds[i];
		uint32_t wanted = outer_wanted(b, k->tier);

		for (uint32_t chip = 0; chip <= k->chip; chip++) {
			uint32_t most = wanted;

			for (uint32_t n = 0; n < b->c->kind_count; n++)
				if (kinds[n].tier == k->tier && kinds[n].chip == chip)
					most = ft_number_most(most, kinds[n].outer);
			if (chip < k->chip)
				k->first += most;
			else
				b->line_ports[k->tier] = ft_number_most(b->line_ports[k->tier], k->first + most);
		}
	}
}

static int ports_learn(struct build *b)
{
	int r;

	for (uint32_t i = 0; i < b->c->chip_count; i++) {
		const struct ft_chip *chip = &b->c->chips[i];
		uint32_t *boards = &b->boards[director_of(b, chip)->tier];

		*boards = chip->line ? ft_number_most(*boards, chip->board + 1) : *boards;
	}
	r = makes_tell(b) ?: kinds_collect(b);
	for (uint32_t i = 0; r == 0 && i < b->c->kind_count; i++)
		kind_learn(b, i);
	kinds_number(b);
	/* Planned boards beyond the seen ones are numbered, too. */
	for (unsigned int kind = 0; kind < FT_DIRECTOR_KINDS; kind++) {
		b->line_ports[kind] = ft_number_most(b->line_ports[kind], ft_inside_planned(&b->g, kind).line_ports);
		b->boards[kind] = ft_number_most(b->boards[kind], ft_inside_planned(&b->g, kind).line_boards);
	}
	return r;
}

/* ---- the observed inside ---- */

enum { VOTES = 1024 };

static void vote(uint32_t *votes, uint32_t value)
{
	votes[value < VOTES ? value : VOTES - 1]++;
}

/* The most frequent number; of equals the larger. */
static uint32_t votes_winner(const uint32_t *votes)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < VOTES; i++)
		if (votes[i] > 0 && votes[i] >= votes[best])
			best = i;
	return best;
}

/* True if chip @i is the first of its board. */
static bool begins_board(const struct ft_chassis *c, uint32_t i)
{
	const struct ft_chip *a = &c->chips[i], *b = i > 0 ? a - 1 : NULL;

	return !b || a->director != b->director || a->line != b->line || a->board != b->board;
}

static void inside_describe(struct build *b, struct ft_director *d)
{
	uint32_t chips[2][VOTES] = {{0}}, traces[VOTES] = {0}, boards[2] = {0}, slots[2] = {0};
	uint32_t fabrics = d->count - line_chips_of(b, d);

	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		const struct ft_chip *chip = &b->c->chips[i];
		uint32_t end = i + 1, near = b->c->traces.first[i + 1] - b->c->traces.first[i];

		slots[chip->line] = chip->board + 1;
		if (begins_board(b->c, i)) {
			while (end < d->first + d->count && !begins_board(b->c, end))
				end++;
			boards[chip->line]++;
			vote(chips[chip->line], end - i);
		}
		for (uint32_t n = 0; chip->line && n < near; n++)
			vote(traces, ft_adjacent_of(&b->c->traces, i)[n].count);
		traces[0] += chip->line ? fabrics - near : 0;
	}
	d->seen = (struct ft_inside){.line_boards = boards[true],
				     .line_boards_max = slots[true],
				     .line_ports = b->line_ports[d->tier],
				     .line_chips = votes_winner(chips[true]),
				     .fabric_boards = boards[false],
				     .fabric_boards_max = slots[false],
				     .fabric_chips = votes_winner(chips[false]),
				     .traces = votes_winner(traces)};
}

/* The most frequent value of @member among the directors of the kind that have any. */
static uint32_t usual_of(const struct build *b, unsigned int kind, size_t member)
{
	uint32_t votes[VOTES] = {0};

	for (uint32_t i = 0; i < b->c->director_count; i++) {
		const struct ft_director *d = &b->c->directors[i];
		uint32_t value = *(const uint32_t *)((const char *)&d->seen + member);

		if (d->tier == kind && value > 0 && value < VOTES)
			vote(votes, value);
	}
	return votes_winner(votes);
}

/*
 * Places of line boards that at least half of the directors of the kind use, of fabric boards a third: line boards are
 * bought as they are needed. Fabric boards seldom are, unless half of the directors have the first ones alone; and of
 * three directors two may have lost the same one.
 */
static uint32_t boards_usual(const struct build *b, unsigned int kind, bool line)
{
	uint32_t votes[VOTES] = {0}, directors = 0, count = 0, most = 0, few = 0;

	for (uint32_t i = 0; i < b->c->director_count; i++)
		if (b->c->directors[i].tier == kind) {
			directors++;
			most = ft_number_most(most, b->c->directors[i].seen.fabric_boards);
		}
	for (uint32_t i = 0; i < b->c->director_count; i++)
		few += b->c->directors[i].tier == kind && ft_director_has_first_boards(&b->c->directors[i], most);
	for (uint32_t i = 0; i < b->c->chip_count; i++) {
		const struct ft_chip *chip = &b->c->chips[i];

		if (chip->line == line && director_of(b, chip)->tier == kind && chip->board < VOTES)
			votes[chip->board] += begins_board(b->c, i);
	}
	for (uint32_t i = 0; i < VOTES; i++)
		count += votes[i] > 0 && votes[i] * (line || few * 2 >= directors ? 2 : 3) >= directors;
	return count;
}

static void usual_find(struct build *b, unsigned int kind)
{
	static const size_t members[] = {
		offsetof(struct ft_inside, line_ports),
		offsetof(struct ft_inside, line_chips),
		offsetof(struct ft_inside, fabric_chips),
		offsetof(struct ft_inside, traces),
	};
	struct ft_inside *usual = &b->c->usual[kind];

	*usual = ft_inside_planned(&b->g, kind);
	for (size_t i = 0; i < FT_COUNT(members); i++) {
		uint32_t *member = (uint32_t *)((char *)usual + members[i]);

		if (*member == 0)
			*member = usual_of(b, kind, members[i]);
	}
	if (usual->line_boards == 0)
		usual->line_boards = boards_usual(b, kind, true);
	if (usual->fabric_boards == 0)
		usual->fabric_boards = boards_usual(b, kind, false);
}

static void insides_describe(struct build *b)
{
	for (uint32_t i = 0; i < b->c->director_count; i++)
		inside_describe(b, &b->c->directors[i]);
	for (unsigned int kind = 0; kind < FT_DIRECTOR_KINDS; kind++)
		usual_find(b, kind);
	for (uint32_t i = 0; i < b->c->director_count; i++) {
		struct ft_director *d = &b->c->directors[i];
		const struct ft_inside *usual = &b->c->usual[d->tier];
		uint32_t wanted = usual->line_boards * usual->line_chips, seen = line_chips_of(b, d);

		if (wanted > seen && usual->line_chips > 0)
			d->lost_ports = (wanted - seen) * (b->line_ports[d->tier] / usual->line_chips);
	}
}

/* ---- the whole fabric ---- */

/* The index of @port of a line chip among the outer ports of its board; UINT32_MAX: none. */
static uint32_t place_of_port(const struct ft_chassis *c, const struct ft_chip *chip, uint32_t number)
{
	const struct ft_chip_kind *k = &c->kinds[chip->kind];

	for (uint32_t i = 0; chip->line && i < k->outer; i++)
		if (k->outer_ports[i] == number)
			return k->first + i;
	return UINT32_MAX;
}

/* True for a port with an outer cable that has no number on its board. */
static bool is_extra(const struct build *b, const struct ft_chip *chip, uint32_t port)
{
	return b->chips->ports[port].peer != FT_NONE && !ft_trace_far(b->c, port) &&
	       place_of_port(b->c, chip, b->chips->ports[port].number) == UINT32_MAX;
}

static uint32_t extras_count(const struct build *b, const struct ft_director *d)
{
	uint32_t extras = 0;

	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		const struct ft_chip *chip = &b->c->chips[i];
		const struct ft_node *node = &b->chips->nodes[chip->node];

		for (uint32_t p = node->first_port; p < node->first_port + node->port_count; p++)
			extras += is_extra(b, chip, p);
	}
	return extras;
}

static uint64_t ports_of(const struct build *b, const struct ft_director *d)
{
	return (uint64_t)b->boards[d->tier] * b->line_ports[d->tier] + extras_count(b, d);
}

/*
 * The name of a director: the common part of its chips' names, without the additions of the vendor's switch software
 * ("MF0;core01:SX6536/L01/U1").
 */
static size_t name_find(const struct build *b, const struct ft_director *d, const char **ret_name)
{
	const struct ft_node *first = chip_node(b, &b->c->chips[d->first]);
	const char *name = ft_node_description(b->chips, first), *end;
	size_t length = first->description_length;

	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		const struct ft_node *node = chip_node(b, &b->c->chips[i]);
		const char *other = ft_node_description(b->chips, node);
		size_t same = 0;

		/* A single chip with a different name does not invalidate it. */
		if (b->c->chips[i].named) {
			name = other;
			length = b->c->chips[i].slot.chassis_length;
			break;
		}
		while (same < length && same < node->description_length && name[same] == other[same])
			same++;
		length = same;
	}
	while (length > 0 && strchr(" /:-_#.,", name[length - 1]))
		length--;
	end = length > 4 && strncmp(name, "MF0;", 4) == 0 ? memrchr(name, ':', length) : NULL;
	if (end && end > name + 4) {
		length = (size_t)(end - name) - 4;
		name += 4;
	}
	*ret_name = name;
	return length;
}

/* The name that a chassis pattern gives. Returns 1, 0 or -ENOMEM. */
static int name_by_pattern(const struct build *b, const struct ft_director *d, const char **ret_name,
			   size_t *ret_length)
{
	for (uint32_t i = d->first; b->g.design && i < d->first + d->count; i++) {
		const struct ft_node *node = &b->chips->nodes[b->c->chips[i].node];
		unsigned int kind = b->groups.pattern[b->c->chips[i].node];
		const char *description = ft_node_description(b->chips, node);
		size_t start, end;
		int r;

		if (kind >= FT_DIRECTOR_KINDS)
			continue;
		r = ft_pattern_find(b->g.design->roles[kind].chassis, description, node->description_length, &start,
				    &end);
		if (r < 0)
			return r;
		if (r == 0 || end == start)
			continue;
		*ret_name = description + start;
		*ret_length = end - start;
		return 1;
	}
	return 0;
}

static int whole_alloc(struct build *b)
{
	const struct ft_snapshot *from = b->chips;
	struct ft_arena *memory = &b->c->memory;
	struct ft_snapshot *s = ft_arena_zeros(memory, 1, sizeof(*s));
	uint64_t ports = from->port_count, names = from->strings_length;

	b->c->snapshot = s;
	if (!s)
		return -ENOMEM;
	s->source = from->source;
	for (uint32_t i = 0; i < b->c->director_count; i++)
		ports += ports_of(b, &b->c->directors[i]);
	/* A name is a part of the description of one of the chips. */
	for (uint32_t i = 0; i < b->c->chip_count; i++)
		names += chip_node(b, &b->c->chips[i])->description_length + 1U;
	if (ports >= UINT32_MAX || names >= UINT32_MAX)
		return -ENOMEM;
	s->nodes = ft_arena_zeros(memory, from->node_count, sizeof(*s->nodes));
	s->ports = ft_arena_zeros(memory, ports, sizeof(*s->ports));
	s->strings = ft_arena_zeros(memory, names, 1);
	b->c->origin = ft_arena_zeros(memory, ports, sizeof(*b->c->origin));
	b->c->whole_port = ft_arena_numbers(memory, from->port_count, FT_NONE);
	if (memory->failed)
		return -ENOMEM;
	memcpy(s->strings, from->strings, from->strings_length);
	s->strings_length = from->strings_length;
	return 0;
}

/* Copies a port of the chips' snapshot to @to of the merged one. */
static void port_put(struct build *b, uint32_t from, uint32_t to, uint32_t node, uint32_t number)
{
	struct ft_port *port = &b->c->snapshot->ports[to];

	*port = b->chips->ports[from];
	port->node = node;
	port->number = (uint16_t)number;
	b->c->origin[to] = from;
	b->c->whole_port[from] = to;
}

static void node_copy(struct build *b, uint32_t from)
{
	struct ft_snapshot *s = b->c->snapshot;
	struct ft_node *node = &s->nodes[s->node_count];

	*node = b->chips->nodes[from];
	node->first_port = s->port_count;
	for (uint32_t i = 0; i < node->port_count; i++)
		port_put(b, b->chips->nodes[from].first_port + i, s->port_count++, s->node_count, i + 1);
	if (b->chips->source.entry_node == from)
		s->source.entry_node = s->node_count;
	s->node_count++;
}

static void director_ports(struct build *b, const struct ft_director *d)
{
	struct ft_snapshot *s = b->c->snapshot;
	uint32_t first = s->port_count, regular = b->boards[d->tier] * b->line_ports[d->tier];

	for (uint32_t i = 0; i < regular; i++) {
		s->ports[s->port_count] = (struct ft_port){.guid = d->guid,
							   .node = d->node,
							   .peer = FT_NONE,
							   .number = (uint16_t)(i + 1),
							   .link = FT_LINK_DOWN};
		b->c->origin[s->port_count++] = FT_NONE;
	}
	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		const struct ft_chip *chip = &b->c->chips[i];
		const struct ft_node *node = &b->chips->nodes[chip->node];

		for (uint32_t n = 1; n <= node->port_count; n++) {
			uint32_t port = node->first_port + n - 1, place = place_of_port(b->c, chip, n);

			if (place != UINT32_MAX && !ft_trace_far(b->c, port)) {
				place += chip->board * b->line_ports[d->tier];
				port_put(b, port, first + place, d->node, place + 1);
			} else if (is_extra(b, chip, port)) {
				port_put(b, port, s->port_count, d->node, s->port_count - first + 1);
				s->port_count++;
			}
		}
	}
}

static int director_put(struct build *b, struct ft_director *d)
{
	struct ft_snapshot *s = b->c->snapshot;
	const struct ft_node *like = &b->chips->nodes[b->c->chips[d->first].node];
	const char *name = NULL;
	size_t length = 0;
	int r = name_by_pattern(b, d, &name, &length);

	if (r < 0)
		return r;
	if (r == 0)
		length = name_find(b, d, &name);
	d->node = s->node_count;
	s->nodes[s->node_count++] = (struct ft_node){.guid = d->guid,
						     .system_guid = d->guid,
						     .vendor_id = like->vendor_id,
						     .device_id = like->device_id,
						     .first_port = s->port_count,
						     .description = s->strings_length,
						     .description_length = (uint16_t)length,
						     .type = FT_NODE_SWITCH};
	memcpy(s->strings + s->strings_length, name, length);
	s->strings[s->strings_length + length] = '\0';
	s->strings_length += (uint32_t)length + 1;
	director_ports(b, d);
	s->nodes[d->node].port_count = (uint16_t)(s->port_count - s->nodes[d->node].first_port);
	return 0;
}

static void peers_join(struct build *b)
{
	struct ft_snapshot *s = b->c->snapshot;

	for (uint32_t i = 0; i < s->port_count; i++) {
		struct ft_port *port = &s->ports[i];

		if (port->peer == FT_NONE)
			continue;
		port->peer = b->c->whole_port[port->peer];
		if (port->peer == FT_NONE)
			port->link = FT_LINK_DOWN;
	}
}

static int whole_make(struct build *b)
{
	int r = whole_alloc(b);

	for (uint32_t i = 0; i < b->c->director_count; i++)
		b->c->directors[i].node = FT_NONE;
	for (uint32_t i = 0; r == 0 && i < b->chips->node_count; i++) {
		uint32_t chip = b->c->chip_of[i];
		struct ft_director *d = chip == FT_NONE ? NULL : &b->c->directors[b->c->chips[chip].director];

		if (!d)
			node_copy(b, i);
		else if (d->node == FT_NONE)
			r = director_put(b, d);
		if (d && b->chips->source.entry_node == i) {
			b->c->snapshot->source.entry_node = d->node;
			b->c->snapshot->source.entry_port = 0;
		}
	}
	if (r == 0)
		peers_join(b);
	return r;
}

/* False if a director has more ports than any real one, or any fitting one: then its chips are not merged. */
static bool sizes_are_sane(const struct build *b)
{
	for (uint32_t i = 0; i < b->c->director_count; i++)
		if (ports_of(b, &b->c->directors[i]) > 4 * FT_DIRECTOR_PORTS_MAX)
			return false;
	return true;
}

static void seats_take(struct build *b)
{
	for (uint32_t i = 0; b->seats && i < b->c->chip_count; i++) {
		struct ft_chip *chip = &b->c->chips[i];

		if (!chip->line)
			continue;
		chip->board = b->seats[chip->node].board;
		chip->chip = b->seats[chip->node].chip;
	}
}

static int chassis_build(struct build *b)
{
	int r = chips_collect(b);

	if (r < 0)
		return r;
	directors_describe(b);
	r = ft_boards_number(b->c, &b->g);
	if (r < 0)
		return r;
	seats_take(b);
	qsort(b->c->chips, b->c->chip_count, sizeof(*b->c->chips), place_compare);
	chips_index(b->c);
	r = traces_collect(b->c) ?: ports_learn(b);
	if (r < 0)
		return r;
	if (!sizes_are_sane(b)) {
		b->c->director_count = b->c->chip_count = 0;
		return 0;
	}
	insides_describe(b);
	return whole_make(b);
}

int ft_chassis_find(const struct ft_snapshot *chips, const struct ft_design *design, const struct ft_plan *plan,
		    const struct ft_seat *seats, struct ft_chassis **ret)
{
	_cleanup_(ft_chassis_freep) struct ft_chassis *c = calloc(1, sizeof(*c));
	_cleanup_(build_release) struct build b = {.c = c, .chips = chips, .seats = seats};
	int r;

	if (!c)
		return -ENOMEM;
	c->parts = chips;
	r = ft_chip_graph_make(chips, design, plan, &b.g) ?: ft_groups_find(&b.g, &b.groups);
	if (r == 0 && b.groups.count > 0)
		r = chassis_build(&b);
	if (r < 0)
		return r;
	*ret = FT_STEAL(c);
	return 0;
}
