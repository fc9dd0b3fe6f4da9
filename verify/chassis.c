/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Directors made whole: which ports of their chips are outside, and the fabric with each of them as one switch. */
#include "config.h"

#include "verify/chassis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "verify/chassis_parts.h"

void ft_chassis_free(struct ft_chassis *c)
{
	if (!c)
		return;
	ft_snapshot_free(c->snapshot);
	free(c->origin);
	free(c->whole_port);
	free(c->chip_of);
	free(c->chips);
	free(c->directors);
	free(c->kinds);
	free(c);
}

/* How often ports of a number are used for traces, and for what is plugged in from outside. */
struct port_uses {
	uint32_t trace[256], outer[256];
};

/* While directors are made whole. */
struct build {
	struct ft_chassis *c;
	const struct ft_snapshot *chips;
	const struct ft_design *design;
	const struct ft_plan *plan;
	const struct ft_groups *groups;
	const struct ft_seat *seats;	    /* or NULL */
	uint32_t line_ports[FT_TIER_COUNT]; /* outer ports of a line board */
	uint32_t boards[FT_TIER_COUNT];	    /* line boards, by the highest number */
	struct port_uses *uses;		    /* by kind */
};

/* ---- chips and directors ---- */

static int chip_compare(const void *a, const void *b, void *arg)
{
	const struct ft_snapshot *s = arg;
	const struct ft_chip *x = a, *y = b;

	if (x->director != y->director)
		return x->director < y->director ? -1 : 1;
	if (s->nodes[x->node].guid != s->nodes[y->node].guid)
		return s->nodes[x->node].guid < s->nodes[y->node].guid ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static int place_compare(const void *a, const void *b)
{
	const struct ft_chip *x = a, *y = b;

	if (x->director != y->director)
		return x->director < y->director ? -1 : 1;
	if (x->line != y->line)
		return x->line ? -1 : 1;
	if (x->board != y->board)
		return x->board < y->board ? -1 : 1;
	return (x->chip > y->chip) - (x->chip < y->chip);
}

static void chips_index(struct ft_chassis *c, const struct ft_snapshot *chips)
{
	for (uint32_t i = 0; i < chips->node_count; i++)
		c->chip_of[i] = FT_NO_NODE;
	for (uint32_t i = 0; i < c->chip_count; i++)
		c->chip_of[c->chips[i].node] = i;
}

static int chips_collect(struct build *b)
{
	struct ft_chassis *c = b->c;
	const struct ft_groups *g = b->groups;

	c->chips = calloc(b->chips->node_count + 1UL, sizeof(*c->chips));
	c->chip_of = malloc((b->chips->node_count + 1UL) * sizeof(*c->chip_of));
	c->directors = calloc(g->count + 1UL, sizeof(*c->directors));
	if (!c->chips || !c->chip_of || !c->directors)
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
	chips_index(c, b->chips);
	return 0;
}

/* ---- what tier a director is of ---- */

static bool has_hosts(const struct build *b, const struct ft_director *d)
{
	uint32_t hosts = 0, links = 0;

	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		const struct ft_node *node = &b->chips->nodes[b->c->chips[i].node];

		for (uint32_t p = node->first_port; p < node->first_port + node->port_count; p++) {
			const struct ft_port *far = ft_port_peer(b->chips, &b->chips->ports[p]);
			uint32_t chip = far ? b->c->chip_of[far->node] : FT_NO_NODE;

			if (!far || ft_chip_port_aggregates(b->chips, p) ||
			    (chip != FT_NO_NODE && b->c->chips[chip].director == b->c->chips[i].director))
				continue;
			links++;
			hosts += ft_port_node(b->chips, far)->type == FT_NODE_CA;
		}
	}
	return hosts > 0 && hosts * 8 >= links;
}

/* By how much the chips of @d differ from what the plan has in a director of @tier. */
static uint64_t tier_distance(const struct build *b, const struct ft_director *d, enum ft_tier tier)
{
	struct ft_inside in = ft_inside_planned(b->plan, tier);
	uint64_t lines = (uint64_t)in.line_boards * in.line_chips,
		 fabrics = (uint64_t)in.fabric_boards * in.fabric_chips;
	int64_t line_gap, fabric_gap;
	uint32_t count = 0;

	for (uint32_t i = d->first; i < d->first + d->count; i++)
		count += b->c->chips[i].line;
	line_gap = lines ? (int64_t)lines - count : 0;
	fabric_gap = fabrics ? (int64_t)fabrics - (d->count - count) : 0;
	return (uint64_t)(llabs(line_gap) + llabs(fabric_gap));
}

/* Whether hosts are on the switch, or on the director that the chip is of; of directors the tier says so for now. */
static bool node_has_hosts(const struct build *b, uint32_t n)
{
	const struct ft_node *node = &b->chips->nodes[n];

	if (b->c->chip_of[n] != FT_NO_NODE)
		return b->c->directors[b->c->chips[b->c->chip_of[n]].director].tier == FT_TIER_EDGE;
	for (uint32_t p = node->first_port; p < node->first_port + node->port_count; p++) {
		const struct ft_port *far = ft_port_peer(b->chips, &b->chips->ports[p]);

		if (far && ft_port_node(b->chips, far)->type == FT_NODE_CA && !ft_chip_port_aggregates(b->chips, p))
			return true;
	}
	return false;
}

/* Whether a good part of the outer cables leads down, to switches with hosts, and a good part up, to others. */
static bool is_between(const struct build *b, const struct ft_director *d)
{
	uint32_t up = 0, down = 0;

	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		const struct ft_node *node = &b->chips->nodes[b->c->chips[i].node];

		for (uint32_t p = node->first_port; p < node->first_port + node->port_count; p++) {
			const struct ft_port *far = ft_port_peer(b->chips, &b->chips->ports[p]);
			uint32_t chip = far ? b->c->chip_of[far->node] : FT_NO_NODE;

			if (!far || ft_port_node(b->chips, far)->type != FT_NODE_SWITCH ||
			    (chip != FT_NO_NODE && b->c->chips[chip].director == b->c->chips[i].director))
				continue;
			if (node_has_hosts(b, far->node))
				down++;
			else
				up++;
		}
	}
	return up > 0 && down > 0 && up * 8 >= down && down * 8 >= up;
}

static bool both_upper_tiers(const struct build *b)
{
	return ft_tier_has_directors(b->plan, FT_TIER_SPINE) && ft_tier_has_directors(b->plan, FT_TIER_CORE);
}

static enum ft_tier tier_of(const struct build *b, const struct ft_director *d)
{
	bool hosts = d->tier == FT_TIER_EDGE;
	enum ft_tier best = FT_TIER_COUNT;

	for (uint32_t i = d->first; i < d->first + d->count; i++)
		if (b->groups->pattern[b->c->chips[i].node] < FT_TIER_COUNT)
			return b->groups->pattern[b->c->chips[i].node];
	if (b->plan && hosts && ft_tier_has_directors(b->plan, FT_TIER_EDGE))
		return FT_TIER_EDGE;
	if (!hosts && (!b->plan || both_upper_tiers(b)))
		return is_between(b, d) ? FT_TIER_SPINE : FT_TIER_CORE;
	/* From the top: of two tiers that fit as well, hosts would tell the edges. */
	for (unsigned int i = 0; b->plan && i < FT_TIER_COUNT; i++) {
		enum ft_tier tier = FT_TIER_COUNT - 1 - i;

		if (!ft_tier_has_directors(b->plan, tier))
			continue;
		if (tier == FT_TIER_EDGE && best != FT_TIER_COUNT)
			continue;
		if (best == FT_TIER_COUNT || tier_distance(b, d, tier) < tier_distance(b, d, best))
			best = tier;
	}
	if (best != FT_TIER_COUNT)
		return best;
	return hosts ? FT_TIER_EDGE : FT_TIER_CORE;
}

static bool design_binds(const struct build *b, uint64_t guid)
{
	for (unsigned int tier = 0; b->design && tier < FT_TIER_COUNT; tier++)
		for (size_t i = 0; i < b->design->binds[tier].count; i++)
			if (guid != 0 && b->design->binds[tier].guids[i] == guid)
				return true;
	return false;
}

/* A SystemImageGUID that only some of the chips have is that of a board. */
static uint64_t guid_of(const struct build *b, const struct ft_director *d)
{
	const struct ft_chip *chips = b->c->chips + d->first;
	uint64_t lowest = UINT64_MAX, system = b->chips->nodes[chips[0].node].system_guid;

	for (uint32_t i = 0; i < d->count; i++) {
		const struct ft_node *node = &b->chips->nodes[chips[i].node];

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
	for (uint32_t i = 0; i < b->c->director_count; i++)
		b->c->directors[i].tier = has_hosts(b, &b->c->directors[i]) ? FT_TIER_EDGE : FT_TIER_COUNT;
	/* Those without hosts are told by who is below them, so the others keep their mark until then. */
	for (uint32_t i = 0; i < b->c->director_count; i++)
		if (b->c->directors[i].tier != FT_TIER_EDGE)
			b->c->directors[i].tier = tier_of(b, &b->c->directors[i]);
	for (uint32_t i = 0; i < b->c->director_count; i++) {
		if (b->c->directors[i].tier == FT_TIER_EDGE)
			b->c->directors[i].tier = tier_of(b, &b->c->directors[i]);
		b->c->directors[i].guid = guid_of(b, &b->c->directors[i]);
	}
}

/* ---- which ports are outside ---- */

static int kinds_collect(struct build *b)
{
	struct ft_chassis *c = b->c;

	c->kinds = calloc(c->chip_count + 1UL, sizeof(*c->kinds));
	if (!c->kinds)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->chip_count; i++) {
		struct ft_chip *chip = &c->chips[i];
		struct ft_chip_kind kind = {.tier = c->directors[chip->director].tier,
					    .chip = chip->chip,
					    .ports = b->chips->nodes[chip->node].port_count};
		uint32_t k = 0;

		if (!chip->line)
			continue;
		while (k < c->kind_count && (c->kinds[k].tier != kind.tier || c->kinds[k].chip != kind.chip ||
					     c->kinds[k].ports != kind.ports))
			k++;
		if (k == c->kind_count)
			c->kinds[c->kind_count++] = kind;
		chip->kind = k;
	}
	return 0;
}

static bool is_trace(const struct ft_chassis *c, const struct ft_snapshot *chips, uint32_t port)
{
	const struct ft_port *near = &chips->ports[port], *far = ft_port_peer(chips, near);
	uint32_t a = c->chip_of[near->node], b = far ? c->chip_of[far->node] : FT_NO_NODE;

	return a != FT_NO_NODE && b != FT_NO_NODE && c->chips[a].director == c->chips[b].director &&
	       c->chips[a].line != c->chips[b].line;
}

static void uses_add(const struct build *b, const struct ft_chip *chip, struct port_uses *uses)
{
	const struct ft_node *node = &b->chips->nodes[chip->node];

	for (uint32_t n = 1; chip->line && n <= node->port_count && n < 256; n++) {
		uint32_t port = node->first_port + n - 1;

		if (b->chips->ports[port].peer == FT_NO_PORT || ft_chip_port_aggregates(b->chips, port))
			continue;
		if (is_trace(b->c, b->chips, port))
			uses->trace[n]++;
		else
			uses->outer[n]++;
	}
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* One number in ten is a trace here and a cable there: then numbers tell nothing. */
static bool uses_are_mixed(const struct port_uses *uses)
{
	uint32_t mixed = 0, used = 0;

	for (uint32_t n = 1; n < 256; n++) {
		mixed += lesser(uses->outer[n], uses->trace[n]);
		used += uses->outer[n] + uses->trace[n];
	}
	return mixed * 10 > used;
}

static void uses_count(struct build *b)
{
	memset(b->uses, 0, b->c->kind_count * sizeof(*b->uses));
	for (uint32_t i = 0; i < b->c->chip_count; i++)
		uses_add(b, &b->c->chips[i], &b->uses[b->c->chips[i].kind]);
}

static void director_uses(const struct build *b, const struct ft_director *d, uint32_t kind, struct port_uses *ret_uses)
{
	*ret_uses = (struct port_uses){{0}, {0}};
	for (uint32_t n = d->first; n < d->first + d->count; n++)
		if (b->c->chips[n].line && b->c->chips[n].kind == kind)
			uses_add(b, &b->c->chips[n], ret_uses);
}

/* A port number that several chips have a trace in, and no chip of the other director. */
static bool has_own_traces(const struct port_uses *uses, const struct port_uses *other)
{
	enum { AGREE = 2 };

	for (uint32_t n = 1; n < 256; n++)
		if (uses->trace[n] >= AGREE && other->trace[n] == 0)
			return true;
	return false;
}

/*
 * True where the chips of two directors are made in different ways: each has traces in ports in which the other has
 * none. If only one has, the other lacks a fabric board.
 */
static bool uses_differ(const struct port_uses *a, const struct port_uses *b)
{
	return has_own_traces(a, b) && has_own_traces(b, a);
}

/* Port numbers that both use for the same. */
static uint32_t uses_in_common(const struct port_uses *a, const struct port_uses *b)
{
	uint32_t count = 0;

	for (uint32_t n = 1; n < 256; n++)
		count += (a->trace[n] > 0 && b->trace[n] > 0) + (a->outer[n] > 0 && b->outer[n] > 0);
	return count;
}

/* What became of @kind in director @d, or FT_NO_NODE where it has none of that kind. */
static uint32_t kind_in(const struct build *b, const struct ft_director *d, uint32_t kind)
{
	const struct ft_chip_kind *like = &b->c->kinds[kind];

	for (uint32_t n = d->first; n < d->first + d->count; n++) {
		const struct ft_chip *chip = &b->c->chips[n];
		const struct ft_chip_kind *own = &b->c->kinds[chip->kind];

		if (chip->line && own->tier == like->tier && own->chip == like->chip && own->ports == like->ports)
			return chip->kind;
	}
	return FT_NO_NODE;
}

/* The chips of director @d that are of @from are of @to. */
static void kind_change(struct build *b, const struct ft_director *d, uint32_t from, uint32_t to)
{
	for (uint32_t n = d->first; n < d->first + d->count; n++)
		if (b->c->chips[n].line && b->c->chips[n].kind == from)
			b->c->chips[n].kind = to;
}

/*
 * The kind that the chips of director @number join which are of @kind: that of the director with which they have most
 * in common, of those in @done that they do not differ from. FT_NO_NODE: they differ from all.
 */
static uint32_t kind_choose(const struct build *b, uint32_t kind, uint32_t number, const bool *done,
			    const struct port_uses *uses)
{
	uint32_t best = FT_NO_NODE, most = 0;
	bool first = true;

	for (uint32_t i = 0; i < b->c->director_count; i++) {
		uint32_t own = done[i] ? kind_in(b, &b->c->directors[i], kind) : FT_NO_NODE, common;

		if (own == FT_NO_NODE)
			continue;
		first = false;
		common = uses_in_common(&uses[number], &uses[i]);
		if (uses_differ(&uses[number], &uses[i]) || (best != FT_NO_NODE && common <= most))
			continue;
		best = own;
		most = common;
	}
	return first ? kind : best;
}

/* The director that is not done and has chips of @kind with traces in the most ports, or FT_NO_NODE. */
static uint32_t director_next(const struct build *b, uint32_t kind, const bool *done, const struct port_uses *uses)
{
	uint32_t best = FT_NO_NODE, most = 0;

	for (uint32_t i = 0; i < b->c->director_count; i++) {
		uint32_t count = 0;

		if (done[i] || kind_in(b, &b->c->directors[i], kind) != kind)
			continue;
		for (uint32_t n = 1; n < 256; n++)
			count += uses[i].trace[n] > 0;
		if (best != FT_NO_NODE && count <= most)
			continue;
		best = i;
		most = count;
	}
	return best;
}

/*
 * Directors of one tier that are made in different ways have kinds of their own: the whole ones first, for what one
 * without a fabric board has in common with several tells little. There are no more kinds than chips. 0 or -ENOMEM.
 */
static int kinds_split(struct build *b)
{
	struct ft_chassis *c = b->c;
	_cleanup_free_ bool *done = calloc(c->director_count + 1UL, sizeof(*done));
	_cleanup_free_ struct port_uses *uses = calloc(c->director_count + 1UL, sizeof(*uses));
	uint32_t count = c->kind_count, next;

	if (!done || !uses)
		return -ENOMEM;
	for (uint32_t kind = 0; kind < count; kind++) {
		memset(done, 0, c->director_count * sizeof(*done));
		for (uint32_t i = 0; i < c->director_count; i++)
			director_uses(b, &c->directors[i], kind, &uses[i]);
		while ((next = director_next(b, kind, done, uses)) != FT_NO_NODE) {
			uint32_t to = kind_choose(b, kind, next, done, uses);

			if (to == FT_NO_NODE) {
				to = c->kind_count++;
				c->kinds[to] = c->kinds[kind];
			}
			kind_change(b, &c->directors[next], kind, to);
			done[next] = true;
		}
	}
	return 0;
}

/* How many outer ports each line chip of a tier should have; 0: nobody says. */
static uint32_t outer_wanted(const struct build *b, enum ft_tier tier)
{
	struct ft_inside in = ft_inside_planned(b->plan, tier);
	uint32_t ports = ft_ports_planned(b->plan, tier), boards = in.line_boards, chips = in.line_chips;

	for (uint32_t i = 0; i < b->c->kind_count && !in.line_chips; i++)
		if (b->c->kinds[i].tier == tier && b->c->kinds[i].chip >= chips)
			chips = b->c->kinds[i].chip + 1;
	boards = boards ? boards : b->boards[tier];
	if (!in.line_ports && boards && ports % boards == 0)
		in.line_ports = ports / boards;
	return chips && in.line_ports % chips == 0 ? in.line_ports / chips : 0;
}

/* A port that nobody uses is outside if it lies nearest to those that are, and there should be more. */
static uint32_t idle_port_nearest(const struct build *b, uint32_t kind, const bool *outer)
{
	const struct ft_chip_kind *k = &b->c->kinds[kind];
	uint32_t last = k->ports % 2 == 1 ? k->ports - 1 : k->ports;
	uint32_t best = 0, least = UINT32_MAX;

	for (uint32_t n = 1; n <= last && n < 256; n++) {
		if (outer[n] || b->uses[kind].trace[n] > 0)
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
	const struct port_uses *uses = &b->uses[kind];
	bool outer[256] = {false};

	for (uint32_t n = 1; n < 256; n++) {
		outer[n] = uses->outer[n] > uses->trace[n];
		k->is_trace[n] = uses->trace[n] > 0 && !outer[n];
		count += outer[n];
		low = outer[n] && !low ? n : low;
		high = outer[n] ? n : high;
	}
	k->irregular = uses_are_mixed(uses);
	while (count < wanted && (next = idle_port_nearest(b, kind, outer)) > 0) {
		outer[next] = true;
		count++;
	}
	/* Nobody says how many: what lies between those in use is outside as well. */
	for (uint32_t n = low; !wanted && n < high; n++)
		outer[n] |= !k->is_trace[n];
	for (uint32_t n = 1; n < 256; n++)
		if (outer[n])
			k->outer_ports[k->outer++] = (uint8_t)n;
}

/* The chips of a board share its ports, each kind as many as the one of that number with most. */
static void kinds_number(struct build *b)
{
	for (uint32_t i = 0; i < b->c->kind_count; i++) {
		struct ft_chip_kind *k = &b->c->kinds[i];

		for (uint32_t chip = 0; chip <= k->chip; chip++) {
			uint32_t most = outer_wanted(b, k->tier);

			for (uint32_t n = 0; n < b->c->kind_count; n++)
				if (b->c->kinds[n].tier == k->tier && b->c->kinds[n].chip == chip &&
				    b->c->kinds[n].outer > most)
					most = b->c->kinds[n].outer;
			if (chip < k->chip)
				k->first += most;
			else if (k->first + most > b->line_ports[k->tier])
				b->line_ports[k->tier] = k->first + most;
		}
	}
	for (unsigned int tier = 0; tier < FT_TIER_COUNT; tier++) {
		uint32_t planned = ft_inside_planned(b->plan, tier).line_ports;

		b->line_ports[tier] = planned > b->line_ports[tier] ? planned : b->line_ports[tier];
	}
}

static void boards_count(struct build *b)
{
	for (uint32_t i = 0; i < b->c->chip_count; i++) {
		const struct ft_chip *chip = &b->c->chips[i];
		uint32_t *boards = &b->boards[b->c->directors[chip->director].tier];

		if (chip->line && chip->board >= *boards)
			*boards = chip->board + 1;
	}
}

static int ports_learn(struct build *b)
{
	int r;

	boards_count(b);
	r = kinds_collect(b);
	if (r < 0)
		return r;
	b->uses = calloc(b->c->chip_count + 1UL, sizeof(*b->uses));
	if (!b->uses)
		return -ENOMEM;
	uses_count(b);
	r = kinds_split(b);
	if (r < 0)
		return r;
	uses_count(b);
	for (uint32_t i = 0; i < b->c->kind_count; i++)
		kind_learn(b, i);
	kinds_number(b);
	/* What the plan has beyond what is there has numbers, too. */
	for (unsigned int tier = 0; tier < FT_TIER_COUNT; tier++) {
		uint32_t planned = ft_inside_planned(b->plan, tier).line_boards;

		b->boards[tier] = planned > b->boards[tier] ? planned : b->boards[tier];
	}
	return 0;
}

/* ---- what is seen of the inside ---- */

enum { TRACES_MAX = 256 };

static void traces_count(const struct build *b, const struct ft_director *d, uint32_t votes[TRACES_MAX])
{
	for (uint32_t i = d->first; i < d->first + d->count; i++)
		for (uint32_t n = d->first; b->c->chips[i].line && n < d->first + d->count; n++) {
			const struct ft_node *node = &b->chips->nodes[b->c->chips[i].node];
			uint32_t count = 0;

			if (b->c->chips[n].line)
				continue;
			for (uint32_t p = node->first_port; p < node->first_port + node->port_count; p++) {
				const struct ft_port *far = ft_port_peer(b->chips, &b->chips->ports[p]);

				count += far && far->node == b->c->chips[n].node;
			}
			votes[count]++;
		}
}

static uint32_t votes_winner(const uint32_t *votes, uint32_t count)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++)
		if (votes[i] > 0 && votes[i] >= votes[best])
			best = i;
	return best;
}

/* Chips of a board, as most boards of that side have them. */
static uint32_t chips_usual(const struct build *b, const struct ft_director *d, bool line, uint32_t *ret_boards)
{
	uint32_t votes[TRACES_MAX] = {0}, boards = 0;

	for (uint32_t i = d->first; i < d->first + d->count;) {
		const struct ft_chip *first = &b->c->chips[i];
		uint32_t count = 0;

		for (; i < d->first + d->count && b->c->chips[i].line == first->line &&
		       b->c->chips[i].board == first->board;
		     i++)
			count++;
		if (first->line != line)
			continue;
		boards++;
		votes[count < TRACES_MAX ? count : TRACES_MAX - 1]++;
	}
	*ret_boards = boards;
	return votes_winner(votes, TRACES_MAX);
}

static void inside_describe(struct build *b, struct ft_director *d)
{
	uint32_t votes[TRACES_MAX] = {0};
	const struct ft_chip *last_line = NULL, *last = &b->c->chips[d->first + d->count - 1];

	for (uint32_t i = d->first; i < d->first + d->count; i++)
		last_line = b->c->chips[i].line ? &b->c->chips[i] : last_line;
	d->seen.line_chips = chips_usual(b, d, true, &d->seen.line_boards);
	d->seen.fabric_chips = chips_usual(b, d, false, &d->seen.fabric_boards);
	d->seen.line_boards_max = last_line ? last_line->board + 1 : 0;
	d->seen.fabric_boards_max = last->line ? 0 : last->board + 1;
	d->seen.line_ports = b->line_ports[d->tier];
	traces_count(b, d, votes);
	d->seen.traces = votes_winner(votes, TRACES_MAX);
}

static uint32_t line_chips_of(const struct build *b, const struct ft_director *d)
{
	uint32_t count = 0;

	for (uint32_t i = d->first; i < d->first + d->count; i++)
		count += b->c->chips[i].line;
	return count;
}

/* What most directors of the tier that have any of @member have of it; of two equally common numbers the larger. */
static uint32_t usual_of(const struct build *b, enum ft_tier tier, size_t member)
{
	enum { MOST = 1024 };
	uint32_t votes[MOST] = {0};

	for (uint32_t i = 0; i < b->c->director_count; i++) {
		const struct ft_director *d = &b->c->directors[i];
		uint32_t value = *(const uint32_t *)((const char *)&d->seen + member);

		if (d->tier == tier && value > 0 && value < MOST)
			votes[value]++;
	}
	return votes_winner(votes, MOST);
}

/* Places of line or fabric boards where at least half of the directors of the tier have one. */
static uint32_t boards_usual(const struct build *b, enum ft_tier tier, bool line)
{
	enum { MOST = 1024 };
	uint32_t votes[MOST] = {0}, directors = 0, count = 0;

	for (uint32_t i = 0; i < b->c->director_count; i++)
		directors += b->c->directors[i].tier == tier;
	for (uint32_t i = 0; i < b->c->chip_count; i++) {
		const struct ft_chip *chip = &b->c->chips[i], *last = i > 0 ? chip - 1 : NULL;

		if (chip->line != line || b->c->directors[chip->director].tier != tier || chip->board >= MOST)
			continue;
		/* A board is counted with the first of its chips. */
		votes[chip->board] +=
			!last || last->director != chip->director || last->line != line || last->board != chip->board;
	}
	for (uint32_t i = 0; i < MOST; i++)
		count += votes[i] > 0 && votes[i] * 2 >= directors;
	return count;
}

static void usual_find(struct build *b, enum ft_tier tier)
{
	static const size_t members[] = {
		offsetof(struct ft_inside, line_ports),
		offsetof(struct ft_inside, line_chips),
		offsetof(struct ft_inside, fabric_chips),
		offsetof(struct ft_inside, traces),
	};
	struct ft_inside *usual = &b->c->usual[tier];

	*usual = ft_inside_planned(b->plan, tier);
	for (size_t i = 0; i < FT_COUNT(members); i++) {
		uint32_t *member = (uint32_t *)((char *)usual + members[i]);

		if (*member == 0)
			*member = usual_of(b, tier, members[i]);
	}
	if (usual->line_boards == 0)
		usual->line_boards = boards_usual(b, tier, true);
	if (usual->fabric_boards == 0)
		usual->fabric_boards = boards_usual(b, tier, false);
}

static void losses_count(struct build *b)
{
	for (uint32_t i = 0; i < b->c->director_count; i++) {
		struct ft_director *d = &b->c->directors[i];
		const struct ft_inside *usual = &b->c->usual[d->tier];
		uint32_t wanted = usual->line_boards * usual->line_chips, seen = line_chips_of(b, d);

		if (wanted > seen && usual->line_chips > 0)
			d->lost_ports = (wanted - seen) * (b->line_ports[d->tier] / usual->line_chips);
	}
}

/* ---- the whole fabric ---- */

/* The number of @port of a line chip among the ports of its board, from 0; UINT32_MAX: it has none. */
static uint32_t place_of_port(const struct ft_chassis *c, const struct ft_chip *chip, uint32_t number)
{
	const struct ft_chip_kind *k = &c->kinds[chip->kind];

	for (uint32_t i = 0; chip->line && i < k->outer; i++)
		if (k->outer_ports[i] == number)
			return k->first + i;
	return UINT32_MAX;
}

/* A port that leads somewhere outside and that no board has a number for. */
static bool is_extra(const struct build *b, const struct ft_chip *chip, uint32_t port)
{
	return b->chips->ports[port].peer != FT_NO_PORT && !is_trace(b->c, b->chips, port) &&
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

static uint32_t ports_of(const struct build *b, const struct ft_director *d)
{
	return b->boards[d->tier] * b->line_ports[d->tier] + extras_count(b, d);
}

/*
 * What the whole is called: what its chips' names have in common, without what the vendor's switch software puts around
 * it ("MF0;core01:SX6536/L01/U1").
 */
static size_t name_find(const struct build *b, const struct ft_director *d, const char **ret_name)
{
	const struct ft_node *first = &b->chips->nodes[b->c->chips[d->first].node];
	const char *name = ft_node_description(b->chips, first), *end;
	size_t length = first->description_length, least = 0;

	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		const struct ft_node *node = &b->chips->nodes[b->c->chips[i].node];
		const char *other = ft_node_description(b->chips, node);
		size_t same = 0;

		least = b->c->chips[i].named && !least ? b->c->chips[i].slot.chassis_length : least;
		while (same < length && same < node->description_length && name[same] == other[same])
			same++;
		length = same;
	}
	/* One chip of another name does not take it from all. */
	if (length < least)
		for (uint32_t i = d->first; i < d->first + d->count; i++)
			if (b->c->chips[i].named) {
				name = ft_node_description(b->chips, &b->chips->nodes[b->c->chips[i].node]);
				length = b->c->chips[i].slot.chassis_length;
				break;
			}
	if (least > 0 && length > least)
		length = least;
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

/* The name that a chassis pattern finds. Returns 1, 0 or -ENOMEM. */
static int name_by_pattern(const struct build *b, const struct ft_director *d, const char **ret_name,
			   size_t *ret_length)
{
	for (uint32_t i = d->first; b->design && i < d->first + d->count; i++) {
		const struct ft_node *node = &b->chips->nodes[b->c->chips[i].node];
		unsigned int tier = b->groups->pattern[b->c->chips[i].node];
		const char *description = ft_node_description(b->chips, node);
		size_t start, end;
		int r;

		if (tier >= FT_TIER_COUNT)
			continue;
		r = ft_pattern_find(b->design->roles[tier].chassis, description, node->description_length, &start,
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

/* What the name of a director takes at most: it is a part of one of its chips' descriptions. */
static uint32_t name_room(const struct build *b, const struct ft_director *d)
{
	uint32_t longest = 0;

	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		uint32_t length = b->chips->nodes[b->c->chips[i].node].description_length;

		longest = length > longest ? length : longest;
	}
	return longest + 1;
}

static int whole_alloc(struct build *b)
{
	const struct ft_snapshot *from = b->chips;
	struct ft_snapshot *s = calloc(1, sizeof(*s));
	uint64_t ports = from->port_count, names = from->strings_length;

	b->c->snapshot = s;
	if (!s)
		return -ENOMEM;
	s->source = from->source;
	for (uint32_t i = 0; i < b->c->director_count; i++) {
		ports += ports_of(b, &b->c->directors[i]);
		names += name_room(b, &b->c->directors[i]);
	}
	if (ports >= UINT32_MAX || names >= UINT32_MAX)
		return -ENOMEM;
	s->nodes = malloc((from->node_count + 1UL) * sizeof(*s->nodes));
	s->ports = malloc((ports + 1UL) * sizeof(*s->ports));
	s->strings = malloc(names);
	b->c->origin = malloc((ports + 1UL) * sizeof(*b->c->origin));
	b->c->whole_port = malloc((from->port_count + 1UL) * sizeof(*b->c->whole_port));
	if (!s->nodes || !s->ports || !s->strings || !b->c->origin || !b->c->whole_port)
		return -ENOMEM;
	memcpy(s->strings, from->strings, from->strings_length);
	s->strings_length = from->strings_length;
	for (uint32_t i = 0; i < from->port_count; i++)
		b->c->whole_port[i] = FT_NO_PORT;
	return 0;
}

/* Puts a port of the chips' snapshot at @to of the whole's. */
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
							   .peer = FT_NO_PORT,
							   .number = (uint16_t)(i + 1),
							   .link = FT_LINK_DOWN};
		b->c->origin[s->port_count++] = FT_NO_PORT;
	}
	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		const struct ft_chip *chip = &b->c->chips[i];
		const struct ft_node *node = &b->chips->nodes[chip->node];

		for (uint32_t n = 1; n <= node->port_count; n++) {
			uint32_t port = node->first_port + n - 1, place = place_of_port(b->c, chip, n);

			if (place != UINT32_MAX && !is_trace(b->c, b->chips, port)) {
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

		if (port->peer == FT_NO_PORT)
			continue;
		port->peer = b->c->whole_port[port->peer];
		if (port->peer == FT_NO_PORT)
			port->link = FT_LINK_DOWN;
	}
}

static int whole_make(struct build *b)
{
	int r = whole_alloc(b);

	for (uint32_t i = 0; r == 0 && i < b->chips->node_count; i++) {
		uint32_t chip = b->c->chip_of[i];
		struct ft_director *d = chip == FT_NO_NODE ? NULL : &b->c->directors[b->c->chips[chip].director];

		if (!d)
			node_copy(b, i);
		else if (d->node == FT_NO_NODE)
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

/* More ports than anybody's director has, nor any that it could be: then it is taken for its chips. */
static bool sizes_are_sane(const struct build *b)
{
	for (uint32_t i = 0; i < b->c->director_count; i++) {
		const struct ft_director *d = &b->c->directors[i];

		if ((uint64_t)b->boards[d->tier] * b->line_ports[d->tier] + extras_count(b, d) >
		    4 * FT_DIRECTOR_PORTS_MAX)
			return false;
	}
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
	r = ft_boards_number(b->c, b->chips, b->plan);
	if (r < 0)
		return r;
	seats_take(b);
	qsort(b->c->chips, b->c->chip_count, sizeof(*b->c->chips), place_compare);
	chips_index(b->c, b->chips);
	r = ports_learn(b);
	if (r < 0)
		return r;
	if (!sizes_are_sane(b)) {
		b->c->director_count = b->c->chip_count = 0;
		return 0;
	}
	for (uint32_t i = 0; i < b->c->director_count; i++) {
		b->c->directors[i].node = FT_NO_NODE;
		inside_describe(b, &b->c->directors[i]);
	}
	for (unsigned int tier = 0; tier < FT_TIER_COUNT; tier++)
		usual_find(b, tier);
	losses_count(b);
	return whole_make(b);
}

int ft_chassis_find(const struct ft_snapshot *chips, const struct ft_design *design, const struct ft_plan *plan,
		    const struct ft_seat *seats, struct ft_chassis **ret)
{
	_cleanup_(ft_groups_release) struct ft_groups groups = {0};
	_cleanup_(ft_chassis_freep) struct ft_chassis *c = calloc(1, sizeof(*c));
	struct build b = {.c = c, .chips = chips, .design = design, .plan = plan, .groups = &groups, .seats = seats};
	int r;

	if (!c)
		return -ENOMEM;
	r = ft_groups_find(chips, design, plan, &groups);
	if (r == 0 && groups.count > 0)
		r = chassis_build(&b);
	free(b.uses);
	if (r < 0)
		return r;
	*ret = FT_STEAL(c);
	return 0;
}
