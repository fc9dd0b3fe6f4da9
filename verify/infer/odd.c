/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What is odd in a fabric whose cables are nearly all in patterns: a switch without hosts on a few single cables, a
 * lone host above the leaves, and single cables outside of all patterns. They are planned as if they were not there.
 * Where there are many of them, they are there on purpose.
 *
 * Invariant: only cables that were seen and planned as seen lose their plan; and a cable that was moved plans the one
 * that it was. Cost: O(pairs) for each odd cable.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/infer/general.h"

/* ---- switches and hosts ---- */

enum { STRAYS_MAX = 2, STRAY_CABLES = 3 };

/* True for a switch without hosts on a few single cables. */
static bool may_stray(const struct ft_inference *f, uint32_t observed)
{
	uint32_t cables = f->graph.degree[observed];

	return f->hosts[observed] == 0 && cables > 0 && cables <= STRAY_CABLES &&
	       ft_adjacent_count(&f->graph, observed) == cables;
}

/* True if all switches of the kind of each neighbour are cabled to it as well: it is a rank of its own. */
static bool takes_all(const struct ft_intent *intent, uint32_t observed)
{
	const struct ft_inference *f = intent->f;

	ft_each_adjacent(n, &f->graph, observed)
		for (uint32_t i = 0; i < intent->count; i++)
			if (i != observed && ft_intent_alike(intent, i, n->vertex) &&
			    ft_edges_between(&f->graph, i, observed) == 0)
				return false;
	return true;
}

/* True if one has the kind of another, or its ports, and all of its neighbours. */
static bool is_like(const struct ft_intent *intent, uint32_t observed, uint32_t other)
{
	const struct ft_inference *f = intent->f;

	if (intent->rank[observed] == intent->rank[other] && ft_intent_alike(intent, observed, other))
		return true;
	ft_each_adjacent(n, &f->graph, other)
		if (ft_edges_between(&f->graph, observed, n->vertex) == 0)
			return false;
	return f->graph.degree[other] > 0 && ft_infer_ports(f, observed) == ft_infer_ports(f, other);
}

/*
 * Switches on a few single cables that are like no other, and are cabled to some of a kind only, are in no pattern. The
 * case that bit: one on two of four leaves, which was held for a core switch that the other two lack.
 */
int ft_intent_strangers(struct ft_intent *intent)
{
	intent->stray = ft_arena_zeros(intent->f->memory, intent->count, sizeof(*intent->stray));
	if (!intent->stray)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->count; i++) {
		intent->stray[i] = intent->layered && may_stray(intent->f, i) && !takes_all(intent, i);
		for (uint32_t k = 0; k < intent->count && intent->stray[i]; k++)
			intent->stray[i] = k == i || !is_like(intent, i, k);
	}
	return 0;
}

/* Marks switches without hosts that hang on a few single cables, none of them in a pattern, if others are above. */
static void strays_mark(struct ft_intent *intent)
{
	const struct ft_inference *f = intent->f;
	uint32_t strays = 0, above = 0;
	bool left = false; /* some cable is not a stray's: a design of several switches has one */

	for (uint32_t i = 0; i < intent->count; i++)
		intent->stray[i] = f->hosts[i] == 0 && f->graph.degree[i] > 0 && f->graph.degree[i] <= STRAY_CABLES;
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i];

		if (pair->seen > 1 || pair->planned > pair->seen || pair->patterned)
			intent->stray[pair->a] = intent->stray[pair->b] = false;
	}
	/* One of those that others are like is one of them, and may have lost cables. */
	for (uint32_t i = 0; i < intent->count; i++)
		for (uint32_t k = 0; intent->stray[i] && k < intent->count; k++)
			intent->stray[i] = k == i || intent->stray[k] || f->graph.degree[k] == 0 ||
					   intent->rank[i] != intent->rank[k] || !ft_intent_alike(intent, i, k);
	for (uint32_t i = 0; i < intent->count; i++) {
		strays += intent->stray[i];
		above += !intent->stray[i] && intent->rank[i] > 0;
	}
	for (uint32_t i = 0; i < intent->pair_count; i++)
		left |= intent->pairs[i].planned > 0 && !intent->stray[intent->pairs[i].a] &&
			!intent->stray[intent->pairs[i].b];
	if (strays > STRAYS_MAX || ((above == 0 || !left) && strays + 1 < intent->count))
		memset(intent->stray, 0, intent->count * sizeof(*intent->stray));
}

/*
 * Counts routers above the leaves, and hosts there. Returns those of them that are there on purpose: routers, hosts
 * beside one, and such as are called like no host of a leaf, as a subnet manager or a gateway. Where most names of
 * these are of no kind that several share, they tell nothing. FT_NONE: no memory.
 */
static uint32_t meant_above_count(const struct ft_intent *intent, uint32_t *ret_above)
{
	_cleanup_(ft_map_release) struct ft_map kinds = {0};
	const struct ft_snapshot *s = intent->f->snapshot;
	const struct ft_observed_fabric *observed = intent->f->observed;
	uint32_t below = 0, named = 0, meant = 0;

	*ret_above = 0;
	for (uint32_t i = 0; i < observed->host_count; i++) {
		int r = intent->rank[observed->hosts[i].observed] > 0
				? 0
				: ft_map_add(&kinds, ft_infer_host_key(intent->f, &observed->hosts[i]), i, NULL);

		if (r < 0)
			return FT_NONE;
		below += intent->rank[observed->hosts[i].observed] == 0;
		named += r > 0;
	}
	for (uint32_t i = 0; i < observed->host_count; i++) {
		bool above = intent->rank[observed->hosts[i].observed] > 0;

		*ret_above += above;
		meant += above && 2 * named < below &&
			 ft_map_get(&kinds, ft_infer_host_key(intent->f, &observed->hosts[i])) == FT_NONE;
	}
	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *peer = ft_port_peer(s, &s->ports[i]);
		uint32_t near = observed->switch_of_node[s->ports[i].node];

		meant += peer && near != FT_NONE && s->nodes[peer->node].type == FT_NODE_ROUTER &&
			 intent->rank[near] > 0;
	}
	return meant;
}

int ft_intent_host_is_odd(const struct ft_intent *intent, bool *ret_odd)
{
	uint32_t above, meant = meant_above_count(intent, &above);

	if (meant == FT_NONE)
		return -ENOMEM;
	*ret_odd = above == 1 && meant == 0;
	return 0;
}

/* A host alone above the leaves, on a switch of a pattern, is not planned there. */
int ft_intent_hosts(struct ft_intent *intent)
{
	bool *in = ft_arena_zeros(intent->f->memory, intent->count, sizeof(*in));
	bool odd;

	if (!in || ft_intent_host_is_odd(intent, &odd) < 0)
		return -ENOMEM;
	if (!intent->layered)
		return 0;
	for (uint32_t i = 0; i < intent->pair_count; i++)
		if (intent->pairs[i].patterned)
			in[intent->pairs[i].a] = in[intent->pairs[i].b] = true;
	for (uint32_t i = 0; odd && i < intent->count; i++)
		if (intent->rank[i] > 0 && in[i]) {
			intent->host_total -= intent->hosts[i];
			intent->hosts[i] = 0;
		}
	return 0;
}

int ft_intent_strays(struct ft_intent *intent)
{
	if (!intent->layered)
		return 0;
	strays_mark(intent);
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		struct ft_meant *pair = &intent->pairs[i];

		if (intent->stray[pair->a] || intent->stray[pair->b])
			pair->planned = pair->seen = 0;
	}
	return 0;
}

/* ---- cables ---- */

/* In a fabric with more odd cables, or more than one in so many, they are there on purpose. */
enum { ODD_MAX = 6, ODD_SHARE = 8, ODD_OF_ONE = 1, ODD_CABLES = 2 };

struct odd {
	struct ft_intent *intent;
	uint32_t *inside; /* by observed switch: bundles in patterns */
	uint32_t pair[ODD_MAX];
	uint32_t count;
	uint64_t all; /* planned cables */
};

/* True for a switch of another make, as of an old island: it follows no pattern of the others. */
static bool is_older(const struct ft_intent *intent, uint32_t observed)
{
	return ft_infer_own_rate(intent->f, observed).speed != FT_SPEED_UNKNOWN;
}

/*
 * A single cable outside of all patterns, or one or two more than its block has, between two switches of patterns.
 * Nobody plugs in a trace of a director by mistake.
 */
static bool is_odd(const struct odd *x, const struct ft_meant *pair)
{
	return x->inside[pair->a] > 0 && x->inside[pair->b] > 0 && pair->planned == pair->seen &&
	       !ft_infer_same_system(x->intent->f, pair->a, pair->b) &&
	       (pair->settled ? pair->more > 0 && (pair->more == 1 || pair->more == pair->loose) &&
					pair->more <= ODD_CABLES && pair->planned > 0 &&
					!is_older(x->intent, pair->a) && !is_older(x->intent, pair->b)
			      : pair->seen == 1);
}

/* False: there are more than ODD_MAX. */
static bool odd_collect(struct odd *x)
{
	const struct ft_intent *intent = x->intent;

	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i];

		x->all += pair->planned;
		if (pair->patterned && pair->planned > pair->loose) {
			x->inside[pair->a]++;
			x->inside[pair->b]++;
		}
	}
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		if (!is_odd(x, &intent->pairs[i]))
			continue;
		if (x->count == ODD_MAX)
			return false;
		x->pair[x->count++] = i;
	}
	return true;
}

/* The twin set of a switch: by what is above it; if nothing is, by what is below. */
static uint32_t set_of(const struct ft_intent *intent, uint32_t observed)
{
	uint32_t up = intent->twins[FT_SIDE_UP].set_of[observed];

	return up != FT_NONE ? up : intent->twins[FT_SIDE_UP].set_count + intent->twins[FT_SIDE_DOWN].set_of[observed];
}

/*
 * True if other cables outside of all patterns join the same two sets, and have as many ends in one of them as its
 * half: they were laid on purpose. Among 21 leaves, or at one of 7 core switches, two cables are two mistakes.
 */
static int has_like(const struct ft_intent *intent, const struct ft_meant *odd, bool *ret_like)
{
	bool *end = ft_arena_zeros(intent->f->memory, intent->count, sizeof(*end));
	uint32_t a = set_of(intent, odd->a), b = set_of(intent, odd->b), like = 0;
	uint32_t ends[2] = {0}, all[2] = {0};

	if (!end)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *other = &intent->pairs[i];
		uint32_t p = set_of(intent, other->a), q = set_of(intent, other->b);

		if (other->settled || other->seen == 0 || other->planned != other->seen ||
		    !((p == a && q == b) || (p == b && q == a)))
			continue;
		end[other->a] = end[other->b] = true;
		like++;
	}
	for (uint32_t i = 0; i < intent->count; i++) {
		uint32_t set = set_of(intent, i);

		if (set != a && set != b)
			continue;
		ends[set == b] += end[i];
		all[set == b]++;
	}
	*ret_like = like > 1 && ((a != b && 2 * ends[0] >= all[0]) || 2 * ends[1] >= all[1]);
	return 0;
}

/* True if another pair lacks a cable in a port of one end, where ports prove none missing: the odd one was moved there.
 */
static bool has_taken_port(const struct ft_intent *intent, const struct ft_meant *odd)
{
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i];
		bool a = pair->a == odd->a || pair->a == odd->b, b = pair->b == odd->a || pair->b == odd->b;

		if (a != b && pair->planned > pair->seen + pair->proven)
			return true;
	}
	return false;
}

static uint32_t odd_at(const struct odd *x, uint32_t observed)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < x->count; i++)
		count += x->intent->pairs[x->pair[i]].a == observed || x->intent->pairs[x->pair[i]].b == observed;
	return count;
}

/* The cables that are planned for a switch before odd ones are judged. */
static uint32_t cables_of(const struct ft_intent *intent, uint32_t observed)
{
	return intent->load[observed] - intent->f->hosts[observed];
}

/*
 * True for the only two of a kind in their rank, or the only ones of it with that many other cables: what joins them is
 * there on purpose, as between two border leaves, or the two ends of a long way. Where they are the whole rank, it must
 * be their only odd cable, and no other's.
 */
static bool are_a_couple(const struct odd *x, const struct ft_meant *odd)
{
	const struct ft_intent *intent = x->intent;
	uint32_t others = 0, a = odd->a, b = odd->b;

	for (uint32_t i = 0; i < intent->count; i++) {
		if (i == a || i == b || intent->rank[i] != intent->rank[a])
			continue;
		if (ft_intent_same_make(intent, i, a) && cables_of(intent, i) + odd->planned == cables_of(intent, a))
			return false;
		others++;
	}
	return intent->rank[a] == intent->rank[b] && ft_intent_same_make(intent, a, b) &&
	       cables_of(intent, a) == cables_of(intent, b) &&
	       (others > 0 || (odd_at(x, a) == 1 && odd_at(x, b) == 1 && !has_taken_port(intent, odd)));
}

/* True if without the cable the fabric would be two: each with patterns of its own, so that it was laid to join them.
 */
static int is_bridge(const struct ft_intent *intent, const struct ft_meant *odd, bool *ret_bridge)
{
	const struct ft_inference *f = intent->f;
	uint32_t *queue = ft_arena_numbers(f->memory, intent->count, 0), tail = 0;
	bool *reached = ft_arena_zeros(f->memory, intent->count, sizeof(*reached));

	if (!queue || !reached)
		return -ENOMEM;
	reached[odd->a] = true;
	queue[tail++] = odd->a;
	for (uint32_t head = 0; head < tail; head++)
		ft_each_adjacent(n, &f->graph, queue[head]) {
			if (reached[n->vertex] || (queue[head] == odd->a && n->vertex == odd->b))
				continue;
			reached[n->vertex] = true;
			queue[tail++] = n->vertex;
		}
	*ret_bridge = odd->seen == 1 && !reached[odd->b];
	return 0;
}

/*
 * The pair that lacks a cable by its block and shares one end with the odd one, which was moved from there: its other
 * end has a port for it.
 */
static struct ft_meant *moved_from(const struct ft_intent *intent, const struct ft_meant *odd)
{
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		struct ft_meant *pair = &intent->pairs[i];
		bool a = pair->a == odd->a || pair->a == odd->b, b = pair->b == odd->a || pair->b == odd->b;
		uint32_t end = a ? pair->b : pair->a;

		if (pair->lacks > 0 && a != b && !intent->stray[end] &&
		    intent->load[end] < ft_infer_ports(intent->f, end))
			return pair;
	}
	return NULL;
}

/* True if a switch has more planned cables, one to @far among them, than most others that are like it, or none is. */
static bool has_more(const struct ft_intent *intent, uint32_t observed, uint32_t far)
{
	uint32_t alike = 0, fewer = 0;

	for (uint32_t i = 0; i < intent->count; i++) {
		if (i == observed || i == far || intent->rank[i] != intent->rank[observed] ||
		    intent->f->graph.degree[i] == 0 || !ft_intent_alike(intent, i, observed))
			continue;
		alike++;
		fewer += cables_of(intent, i) < cables_of(intent, observed);
	}
	return 2 * fewer >= alike;
}

static int odd_settle(struct odd *x, uint32_t odd)
{
	struct ft_meant *pair = &x->intent->pairs[x->pair[odd]], *from;
	uint32_t surplus;
	bool bridge, like;

	if (is_bridge(x->intent, pair, &bridge) < 0 || has_like(x->intent, pair, &like) < 0)
		return -ENOMEM;
	if (bridge || (!pair->settled && (like || are_a_couple(x, pair))))
		return 0;
	/* A cable too many, or in the wrong place, is one more there than others of the kind have. */
	if (!pair->settled && !has_more(x->intent, pair->a, pair->b) && !has_more(x->intent, pair->b, pair->a))
		return 0;
	from = moved_from(x->intent, pair);
	/* A cable more than its block has, of a switch with several: a class of its own. */
	if (pair->settled && pair->loose == 0 &&
	    (!from || odd_at(x, pair->a) > ODD_OF_ONE || odd_at(x, pair->b) > ODD_OF_ONE))
		return 0;
	/* What its block has more may be proven by ports, and without a port for it no longer planned. */
	surplus = pair->settled && pair->loose > 0 ? ft_number_least(pair->more, pair->planned) : 1;
	pair->planned -= surplus;
	x->intent->load[pair->a] -= surplus;
	x->intent->load[pair->b] -= surplus;
	if (from) {
		from->lacks--;
		from->planned++;
		x->intent->load[from->a]++;
		x->intent->load[from->b]++;
		from->settled = true;
	}
	return 0;
}

int ft_intent_odd(struct ft_intent *intent)
{
	struct odd x = {.intent = intent, .inside = ft_arena_numbers(intent->f->memory, intent->count, 0)};

	if (!x.inside)
		return -ENOMEM;
	if (!intent->layered || !odd_collect(&x) || (uint64_t)x.count * ODD_SHARE > x.all)
		return 0;
	for (uint32_t i = 0; i < x.count; i++)
		if (odd_settle(&x, i) < 0)
			return -ENOMEM;
	return 0;
}
