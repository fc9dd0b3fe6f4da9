/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The general reading (general.h): its steps in their order, the pairs that they plan, and what two switches share. */
#include "config.h"

#include "base/numbers.h"
#include "verify/infer/by_rule.h"
#include "verify/infer/general.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ft_intent_release(struct ft_intent *intent)
{
	ft_map_release(&intent->pair_at);
}

uint32_t *ft_intent_members(const struct ft_intent *intent, uint32_t rank, uint32_t *ret_count)
{
	uint32_t *members = ft_arena_numbers(intent->f->memory, intent->count, 0);

	*ret_count = 0;
	for (uint32_t i = 0; members && i < intent->count; i++)
		if (intent->rank[i] == rank)
			members[(*ret_count)++] = i;
	return members;
}

static const struct ft_port *port_of(const struct ft_inference *f, uint32_t observed, uint32_t number)
{
	return ft_node_port(f->snapshot, &f->snapshot->nodes[f->observed->switches[observed].node], number);
}

bool ft_infer_port_is_dark(const struct ft_inference *f, uint32_t observed, uint32_t number)
{
	const struct ft_port *port = port_of(f, observed, number);

	return port && port->peer == FT_NONE && !ft_infer_port_is_joined(f, observed, number);
}

uint32_t ft_infer_port_far(const struct ft_inference *f, uint32_t observed, uint32_t number)
{
	const struct ft_port *port = port_of(f, observed, number);

	return port && port->peer != FT_NONE ? f->observed->switch_of_node[f->snapshot->ports[port->peer].node]
					     : FT_NONE;
}

bool ft_infer_same_system(const struct ft_inference *f, uint32_t a, uint32_t b)
{
	const struct ft_node *x = &f->snapshot->nodes[f->observed->switches[a].node];
	const struct ft_node *y = &f->snapshot->nodes[f->observed->switches[b].node];

	return (x->system_guid && x->system_guid == y->system_guid) || (x->chassis && x->chassis == y->chassis);
}

/* The end of the leading letters and digits. */
static size_t word_length(const char *name)
{
	size_t length = 0;

	while (isalnum((unsigned char)name[length]))
		length++;
	return length;
}

/* True for numbers, also hexadecimal ones: "33fd4e", "2003". */
static bool is_number(const char *word, size_t length)
{
	size_t digits = 0;

	for (size_t i = 0; i < length; i++) {
		if (!isxdigit((unsigned char)word[i]))
			return false;
		digits += isdigit((unsigned char)word[i]) != 0;
	}
	return digits > 0;
}

/* The next byte of a name that is not in a number; 0 at the end. */
static char next_letter(const char **name, size_t *word)
{
	while (**name) {
		char c = **name;

		if (*word == 0) {
			*word = word_length(*name);
			if (is_number(*name, *word)) {
				*name += *word;
				*word = 0;
				continue;
			}
		}
		*word -= *word > 0;
		++*name;
		if (!isdigit((unsigned char)c))
			return c;
	}
	return '\0';
}

uint64_t ft_infer_name_key(const char *name)
{
	uint64_t key = 0xcbf29ce484222325U; /* FNV-1a */
	size_t word = 0;

	for (char c = next_letter(&name, &word); c; c = next_letter(&name, &word))
		key = (key ^ (unsigned char)c) * 0x100000001b3U;
	return key;
}

const char *ft_infer_short_name(const struct ft_inference *f, uint32_t observed)
{
	size_t length;
	const char *start = ft_text_short_name(f->observed->switches[observed].name, &length);

	return ft_arena_print(f->memory, "%.*s", (int)length, start);
}

/* True if one has hosts, and the other none or hardly any. */
static bool hosts_unlike(uint32_t a, uint32_t b)
{
	return a * 4 < b || b * 4 < a;
}

/*
 * Finds out if names tell kinds. They do not where two kinds of them are in the same two ranks, and not only a few of
 * many: they tell the rack then, or somebody mixed them up. Two names that were exchanged are no such sign.
 * O(switches x ranks^2).
 */
static int names_judge(struct ft_intent *intent)
{
	enum { RANKS = 8, FEW_SHARE = 8 };
	struct ft_arena *memory = intent->f->memory;
	_cleanup_(ft_map_release) struct ft_map kinds = {0};
	uint32_t(*seen)[RANKS] = ft_arena_zeros(memory, intent->count, sizeof(*seen));
	uint32_t in_both[RANKS][RANKS] = {0}; /* kinds */

	if (!seen)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->count; i++) {
		uint32_t kind;

		if (ft_map_add(&kinds, intent->f->name_key[i], i, &kind) < 0)
			return -ENOMEM;
		seen[kind][ft_number_least(intent->rank[i], RANKS - 1)]++;
	}
	for (uint32_t kind = 0; kind < intent->count; kind++)
		for (uint32_t a = 0; a < RANKS; a++)
			for (uint32_t b = a + 1; b < RANKS; b++) {
				uint32_t less = ft_number_least(seen[kind][a], seen[kind][b]);

				if (less > 0 && less * FEW_SHARE >= ft_number_most(seen[kind][a], seen[kind][b]))
					intent->unnamed |= ++in_both[a][b] > 1;
			}
	return 0;
}

bool ft_intent_alike(const struct ft_intent *intent, uint32_t a, uint32_t b)
{
	const struct ft_inference *f = intent->f;

	return ft_intent_same_make(intent, a, b) && !hosts_unlike(f->hosts[a], f->hosts[b]);
}

/* ---- pairs ---- */

static uint64_t pair_key(uint32_t a, uint32_t b)
{
	return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

struct ft_meant *ft_meant_find(const struct ft_intent *intent, uint32_t a, uint32_t b)
{
	uint32_t at = ft_map_get(&intent->pair_at, pair_key(a, b));

	return at == FT_NONE ? NULL : &intent->pairs[at];
}

struct ft_meant *ft_meant_get(struct ft_intent *intent, uint32_t a, uint32_t b)
{
	struct ft_meant *pair = ft_meant_find(intent, a, b);

	if (pair)
		return pair;
	pair = FT_ARENA_MORE(intent->f->memory, intent->pairs, intent->pair_count);
	if (!pair || ft_map_add(&intent->pair_at, pair_key(a, b), intent->pair_count - 1, NULL) < 0) {
		intent->pair_count -= pair != NULL;
		return NULL;
	}
	*pair = (struct ft_meant){.a = a < b ? a : b, .b = a < b ? b : a};
	return pair;
}

static int pairs_collect(struct ft_intent *intent)
{
	const struct ft_inference *f = intent->f;

	for (uint32_t i = 0; i < intent->count; i++)
		ft_each_adjacent(n, &f->graph, i) {
			struct ft_meant *pair;

			if (n->vertex < i)
				continue;
			pair = ft_meant_get(intent, i, n->vertex);
			if (!pair)
				return -ENOMEM;
			pair->seen = pair->planned = n->count;
		}
	return 0;
}

static int hosts_collect(struct ft_intent *intent)
{
	const struct ft_inference *f = intent->f;

	intent->hosts = ft_arena_numbers(f->memory, intent->count + FT_ABSENT_MAX, 0);
	intent->beside = ft_arena_zeros(f->memory, intent->count, sizeof(*intent->beside));
	if (f->memory->failed)
		return -ENOMEM;
	memcpy(intent->hosts, f->hosts, intent->count * sizeof(*intent->hosts));
	intent->host_total = f->host_total;
	return 0;
}

/* ---- */

/* Takes planned cables from a pair until neither end has more than ports; @keep: those that its ports prove are left.
 */
static void pair_respect(const struct ft_intent *intent, struct ft_meant *pair, uint32_t *load, bool keep)
{
	const uint32_t ends[] = {pair->a, pair->b};
	uint32_t least = pair->seen + (keep ? pair->proven : 0);

	for (size_t e = 0; e < FT_COUNT(ends); e++)
		while (pair->planned > least && load[ends[e]] > ft_infer_ports(intent->f, ends[e])) {
			pair->planned--;
			load[pair->a]--;
			load[pair->b]--;
		}
}

/* True if a switch has more planned cables than ports, and just as many of them outside of all blocks. */
static bool has_taken(const struct ft_intent *intent, uint32_t observed, const uint32_t *load, const uint32_t *outside)
{
	uint32_t ports = ft_infer_ports(intent->f, observed);

	return load[observed] > ports && load[observed] - ports == outside[observed];
}

/* True if cables of blocks lead to the switch: it keeps its place without those outside of them. */
static bool is_in_blocks(const struct ft_intent *intent, uint32_t observed, const uint32_t *load,
			 const uint32_t *outside)
{
	return load[observed] > intent->f->hosts[observed] + outside[observed];
}

/*
 * A cable that takes the port of one that its switch lacks is that one, misplaced, if nothing else explains it. What
 * hangs on such cables alone, as a gateway or a storage switch does, is there on purpose.
 */
static void taken_find(struct ft_intent *intent, uint32_t *load, uint32_t *outside)
{
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		struct ft_meant *pair = &intent->pairs[i];

		if (pair->settled || pair->planned != pair->seen || !is_in_blocks(intent, pair->a, load, outside) ||
		    !is_in_blocks(intent, pair->b, load, outside) ||
		    !(has_taken(intent, pair->a, load, outside) || has_taken(intent, pair->b, load, outside)))
			continue;
		for (unsigned int end = 0; end < 2; end++) {
			load[end ? pair->a : pair->b] -= pair->planned;
			outside[end ? pair->a : pair->b] -= pair->planned;
		}
		pair->planned = 0;
	}
}

/* A switch without a free port for a cable does not lack it. What ports prove goes last. */
static int ports_respect(struct ft_intent *intent)
{
	uint32_t *load = intent->load = ft_arena_numbers(intent->f->memory, intent->count, 0);
	uint32_t *outside = ft_arena_numbers(intent->f->memory, intent->count, 0);

	if (!load || !outside)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->count; i++)
		load[i] = intent->f->hosts[i];
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		load[intent->pairs[i].a] += intent->pairs[i].planned;
		load[intent->pairs[i].b] += intent->pairs[i].planned;
		outside[intent->pairs[i].a] += intent->pairs[i].settled ? 0 : intent->pairs[i].planned;
		outside[intent->pairs[i].b] += intent->pairs[i].settled ? 0 : intent->pairs[i].planned;
	}
	taken_find(intent, load, outside);
	for (unsigned int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < intent->pair_count; i++)
			pair_respect(intent, &intent->pairs[i], load, round == 0);
	return 0;
}

static void sums_count(struct ft_intent *intent)
{
	const struct ft_inference *f = intent->f;

	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i];

		/* That a switch is isolated counts once. */
		if (f->graph.degree[pair->a] == 0 || f->graph.degree[pair->b] == 0)
			continue;
		intent->missing += pair->planned > pair->seen ? pair->planned - pair->seen : 0;
		intent->surplus += pair->seen > pair->planned ? pair->seen - pair->planned : 0;
	}
}

bool ft_intent_has_faults(const struct ft_intent *intent)
{
	bool faults = false;

	for (uint32_t i = 0; i < intent->pair_count; i++)
		faults |= intent->pairs[i].planned != intent->pairs[i].seen;
	return faults;
}

int ft_intent_numbers(const struct ft_intent *intent, uint32_t rank, struct ft_numbers *lacking)
{
	uint32_t count, kept = 0, *member = ft_intent_members(intent, rank, &count);

	if (!member)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		if (!intent->stray[member[i]] && !intent->beside[member[i]])
			member[kept++] = member[i];
	return kept == 0 ? 0 : ft_infer_numbers(intent->f, &(struct ft_infer_set){member, kept}, lacking);
}

/* Takes the first name of a list; @ret: 64 bytes. */
static const char *name_take(const char *names, char *ret)
{
	size_t length = strcspn(names, ",");

	snprintf(ret, 64, "%.*s", (int)length, names);
	return names + length + strspn(names + length, ", ");
}

/* Where as many names lack in the series of a rank as it has switches that nobody saw, these have them. */
static int absent_numbers(struct ft_intent *intent, uint32_t rank)
{
	struct ft_numbers lacking = {0};
	uint32_t nameless = 0;
	const char *names;
	int r;

	for (uint32_t k = 0; k < intent->absent_count; k++)
		nameless += ft_intent_rank_of(intent, intent->count + k) == rank && !intent->absent_name[k][0];
	if (nameless == 0)
		return 0;
	r = ft_intent_numbers(intent, rank, &lacking);
	if (r < 0 || lacking.first + lacking.inside != nameless)
		return r;
	names = lacking.first > 0 ? lacking.first_names : lacking.names;
	for (uint32_t k = 0; k < intent->absent_count; k++) {
		if (ft_intent_rank_of(intent, intent->count + k) != rank || intent->absent_name[k][0])
			continue;
		names = name_take(names, intent->absent_name[k]);
		if (!*names)
			names = lacking.names;
	}
	return 0;
}

/* Names for the others: such as no switch has. */
static int absent_names(struct ft_intent *intent)
{
	uint32_t number = 0;

	for (uint32_t rank = 0; intent->layered && rank < intent->ranks; rank++)
		if (absent_numbers(intent, rank) < 0)
			return -ENOMEM;
	for (uint32_t k = 0; k < intent->absent_count; k++) {
		char *name = intent->absent_name[k];
		uint32_t rank = ft_intent_rank_of(intent, intent->count + k);

		while (name[0] == '\0' || ft_infer_by_rule_taken(intent->f, name))
			snprintf(name, sizeof(intent->absent_name[k]), "%s-unseen-%u",
				 rank == 0		    ? "leaf"
				 : rank + 1 < intent->ranks ? "spine"
							    : "core",
				 ++number);
	}
	return 0;
}

/* Pairs of switches that nobody saw: these have the numbers after all others. They are found, and in no list. */
static int absent_pairs(struct ft_intent *intent)
{
	uint32_t count = intent->pair_count;

	for (uint32_t k = 0; k < intent->absent_count; k++)
		for (uint32_t i = 0; i < intent->absent[k].count; i++) {
			struct ft_meant *pair =
				ft_meant_get(intent, intent->absent[k].links[i].observed, intent->count + k);

			if (!pair)
				return -ENOMEM;
			pair->planned = intent->absent[k].links[i].width;
			pair->settled = true;
		}
	intent->pair_count = count;
	return 0;
}

/* What is not all of one pattern. */
static int patterns_find(struct ft_intent *intent)
{
	int r = ft_intent_blocks(intent) ?: ft_intent_cliques(intent) ?: ft_intent_between(intent);

	r = r ?: ft_intent_regular(intent) ?: ft_intent_rings(intent) ?: ports_respect(intent);
	return r ?: ft_intent_strays(intent) ?: ft_intent_absent(intent) ?: ft_intent_odd(intent) ?: ft_intent_absent_respect(intent);
}

int ft_intent_make(struct ft_intent *intent, const struct ft_inference *f)
{
	int r;

	*intent = (struct ft_intent){.f = f, .count = f->observed->switch_count};
	r = ft_intent_rank(intent);
	if (r == 0)
		r = names_judge(intent);
	if (r == 0)
		r = ft_intent_strangers(intent);
	if (r == 0)
		r = ft_intent_twins(intent);
	if (r == 0)
		r = pairs_collect(intent);
	if (r == 0)
		r = ft_intent_proven(intent);
	if (r == 0)
		r = hosts_collect(intent);
	if (r == 0)
		r = ft_intent_planes(intent);
	if (r == 0 && !intent->pod)
		r = patterns_find(intent);
	if (r == 0)
		r = ft_intent_hosts(intent);
	if (r == 0)
		sums_count(intent);
	if (r == 0)
		r = absent_pairs(intent);
	if (r == 0)
		r = absent_names(intent);
	return r;
}
