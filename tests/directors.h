/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Directors for tests: switches of a snapshot (tests/bench.h) are taken apart into chips. Chip 1 of line board 5 of
 * core01 is core01/L05/U1, where a board has several chips, else core01/L05; fabric boards are F01 and up. Outer ports
 * are the first of a line chip; behind them are its traces, by fabric chip. In a fabric of two makes, as many ports are
 * behind these, and every second director has its outer cables there.
 */
#ifndef FT_TESTS_DIRECTORS_H
#define FT_TESTS_DIRECTORS_H

#include "planner/plan/tree.h"
#include "tests/bench.h"

/* What chips say of where they belong. */
enum naming {
	BY_SLOTS,	/* "core01/L05" */
	BY_SYSTEM_GUID, /* one description for all chips there are, one SystemImageGUID a director */
	BY_LIBRARY,	/* likewise, but libibnetdisc's chassis number */
	BY_NAME,	/* one description for the chips of a director */
	BY_NOTHING,	/* one description for all */
};

struct shape {
	enum ft_tier tiers[2]; /* which are directors; the second FT_TIER_COUNT: only the first */
	struct ft_inside inside;
	enum naming naming;
	bool shuffled; /* GUIDs are in no order */
	bool silent;   /* the plan does not tell the inside */
	bool makes;    /* there are two makes */
};

static inline void chip_name(const char *whole, bool line, const struct ft_inside *in, uint32_t number, char name[96])
{
	uint32_t chips = line ? in->line_chips : in->fabric_chips;

	if (chips > 1)
		snprintf(name, 96, "%s/%c%02u/U%u", whole, line ? 'L' : 'F', number / chips + 1, number % chips + 1);
	else
		snprintf(name, 96, "%s/%c%02u", whole, line ? 'L' : 'F', number + 1);
}

static inline struct ft_port *chip_port(struct ft_snapshot *s, uint32_t node, uint32_t number)
{
	assert_true(number >= 1 && number <= s->nodes[node].port_count);
	return &s->ports[s->nodes[node].first_port + number - 1];
}

static inline void cable_move(struct ft_snapshot *s, uint32_t from, struct ft_port *to)
{
	struct ft_port *old = &s->ports[from];

	to->peer = old->peer;
	to->link = old->link;
	to->rate = old->rate;
	if (to->peer != FT_NONE)
		s->ports[to->peer].peer = (uint32_t)(to - s->ports);
	end_drop(old, FT_LINK_DOWN);
}

enum make { MAKE_ONLY, MAKE_FIRST, MAKE_SECOND };

/* Node @whole becomes chips, which are behind all other nodes. @guid is that of the first. */
static inline void director_take_apart(struct ft_snapshot *s, uint32_t whole, const struct ft_inside *in, uint64_t guid,
				       enum make make)
{
	uint32_t lines = in->line_boards * in->line_chips, fabrics = in->fabric_boards * in->fabric_chips;
	uint32_t outer = in->line_ports / in->line_chips, first = s->node_count, traces = fabrics * in->traces;
	uint32_t spare = make == MAKE_ONLY ? 0 : outer, skipped = make == MAKE_SECOND ? outer + traces : 0;
	char owner[64], name[96];

	snprintf(owner, sizeof(owner), "%s", ft_node_description(s, &s->nodes[whole]));
	for (uint32_t i = 0; i < lines + fabrics; i++) {
		bool line = i < lines;

		chip_name(owner, line, in, line ? i : i - lines, name);
		node_add(s, name, guid + i, FT_NODE_SWITCH,
			 (uint16_t)(line ? outer + traces + spare : lines * in->traces));
	}
	for (uint32_t l = 0; l < lines; l++)
		for (uint32_t f = 0; f < fabrics; f++)
			for (uint32_t t = 0; t < in->traces; t++)
				/* Each fabric chip begins with another line chip. */
				cable_put(s, chip_port(s, first + l, outer + f * in->traces + t + 1),
					  chip_port(s, first + lines + f, (l + f) % lines * in->traces + t + 1));
	for (uint32_t p = 0; p < s->nodes[whole].port_count && p < lines * outer; p++)
		cable_move(s, s->nodes[whole].first_port + p, chip_port(s, first + p / outer, skipped + p % outer + 1));
}

static inline void wholes_forget(struct ft_snapshot *s, const bool *whole, uint32_t count)
{
	bool *keep = calloc(s->node_count + 1UL, sizeof(*keep));

	assert_non_null(keep);
	for (uint32_t i = 0; i < s->node_count; i++)
		keep[i] = i >= count || !whole[i];
	nodes_keep(s, keep);
	free(keep);
}

/* Switch chips on the way between two hosts: a director counts for three, each way up and down. */
static inline uint32_t clos_of(const struct ft_plan *plan)
{
	const uint32_t chips[FT_TIER_COUNT] = {
		[FT_TIER_EDGE] = plan->directors[FT_TIER_EDGE] ? 3 : 1,
		[FT_TIER_SPINE] = plan->directors[FT_TIER_SPINE] ? 3 : 1,
		[FT_TIER_CORE] = plan->directors[FT_TIER_CORE] ? 3 : 1,
	};

	if (plan->tree->levels == 1)
		return chips[FT_TIER_EDGE];
	return 2 * chips[FT_TIER_EDGE] + (plan->tree->levels == 3 ? 2 * chips[FT_TIER_SPINE] : 0) + chips[FT_TIER_CORE];
}

static inline void directors_take_apart(struct bench *b, const struct shape *shape)
{
	struct ft_snapshot *s = b->snapshot;
	uint32_t count = s->node_count;
	bool *whole = calloc(count + 1UL, sizeof(*whole));

	assert_non_null(whole);
	for (unsigned int t = 0; t < 2 && shape->tiers[t] < FT_TIER_COUNT; t++) {
		enum ft_tier tier = shape->tiers[t];

		b->plan->directors[tier] = true;
		if (!shape->silent)
			b->plan->inside[tier] = shape->inside;
		for (uint32_t i = 0; i < b->plan->switch_count; i++) {
			uint32_t node = node_find(s, b->plan->switches[i].name);
			enum make make = !shape->makes ? MAKE_ONLY : i % 2 ? MAKE_SECOND : MAKE_FIRST;

			if (b->plan->switches[i].tier != tier)
				continue;
			whole[node] = true;
			director_take_apart(s, node, &shape->inside, 0x1000000 + 0x1000 * (uint64_t)i, make);
		}
	}
	b->plan->clos = clos_of(b->plan);
	wholes_forget(s, whole, count);
	free(whole);
}

static inline bool is_chip(const struct ft_node *node)
{
	return node->guid >= 0x1000000 && node->guid < 0x2000000;
}

static inline void guid_set(struct ft_snapshot *s, uint32_t node, uint64_t guid)
{
	s->nodes[node].guid = guid;
	for (uint32_t p = 0; p < s->nodes[node].port_count; p++)
		s->ports[s->nodes[node].first_port + p].guid = guid;
}

/* Chips of a director exchange their GUIDs. */
static inline void guids_shuffle(struct ft_snapshot *s, uint64_t *seed)
{
	for (uint32_t i = 0; i < s->node_count; i++)
		for (uint32_t n = i + 1; n < s->node_count; n++) {
			uint64_t a = s->nodes[i].guid, b = s->nodes[n].guid;

			if (!is_chip(&s->nodes[i]) || !is_chip(&s->nodes[n]) || a >> 12 != b >> 12 ||
			    random_next(seed) % 4 > 0)
				continue;
			guid_set(s, i, b);
			guid_set(s, n, a);
		}
}

static inline void description_set(struct ft_snapshot *s, struct ft_node *node, const char *text)
{
	uint32_t length = (uint32_t)strlen(text);

	s->strings = realloc(s->strings, s->strings_length + length + 1);
	assert_non_null(s->strings);
	memcpy(s->strings + s->strings_length, text, length + 1);
	node->description = s->strings_length;
	node->description_length = (uint16_t)length;
	s->strings_length += length + 1;
}

static inline bool name_begins(const struct ft_snapshot *s, uint32_t node, const char *begin)
{
	return strncmp(ft_node_description(s, &s->nodes[node]), begin, strlen(begin)) == 0;
}

static inline void node_sever(struct ft_snapshot *s, uint32_t node, enum ft_link link, bool traces_only)
{
	for (uint32_t p = s->nodes[node].first_port; p < s->nodes[node].first_port + s->nodes[node].port_count; p++)
		if (!traces_only ||
		    (s->ports[p].peer != FT_NONE && is_chip(&s->nodes[s->ports[s->ports[p].peer].node])))
			cable_drop(s, &s->ports[p], link);
}

/*
 * Faults of bench.h, and
 *   board X     all nodes whose names begin so are off: a board, or core01/ for all of a director
 *   quiet X     they are up and silent
 *   sever X     their traces are dead
 */
static inline void chip_fault_apply(struct bench *b, char *words)
{
	struct ft_snapshot *s = b->snapshot;
	char *name = strchr(words, ' ');
	bool sever = strncmp(words, "sever", 5) == 0, quiet = strncmp(words, "quiet", 5) == 0;

	if (!sever && !quiet && strncmp(words, "board", 5) != 0) {
		fault_apply(b, words);
		return;
	}
	for (uint32_t i = 0; i < s->node_count; i++)
		if (is_chip(&s->nodes[i]) && name_begins(s, i, name + 1))
			node_sever(s, i, quiet ? FT_LINK_SILENT : FT_LINK_DOWN, sever);
	if (!sever)
		reached_keep(s, node_find(s, "node001"));
}

static inline void chip_faults_apply(struct bench *b, const char *faults)
{
	char copy[1024], *rest = copy, *fault;

	snprintf(copy, sizeof(copy), "%s", faults);
	while ((fault = strtok_r(rest, ";", &rest)))
		chip_fault_apply(b, fault + strspn(fault, " "));
}

/* What the chips say of themselves; last, for faults go by names. */
static inline void chips_name(struct ft_snapshot *s, enum naming naming)
{
	for (uint32_t i = 0; i < s->node_count; i++) {
		struct ft_node *node = &s->nodes[i];
		char name[64];

		if (!is_chip(node) || naming == BY_SLOTS)
			continue;
		if (naming == BY_SYSTEM_GUID)
			node->system_guid = (node->guid & ~0xfffULL) | 0xfff;
		if (naming == BY_LIBRARY)
			node->chassis = (uint32_t)(node->guid >> 12 & 0xff) + 1;
		snprintf(name, sizeof(name), "%s", ft_node_description(s, node));
		name[strcspn(name, "/")] = '\0';
		description_set(s, node, naming == BY_NAME ? name : "Chip");
	}
}

#endif
