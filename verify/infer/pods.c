/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A graph of three ranks as a fat-tree: edge switches with the same spines above them are a pod, spines with the same
 * core switches a plane. Spines are in the pod of most of their cables downwards, core switches in the plane of most.
 *
 * Invariant: the plan has exactly the cables of the graph between every two switches, all of which are bound. So the
 * findings are the graph's. Cost: sorting, and O(pairs).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/infer/by_rule.h"
#include "verify/infer/tree.h"

enum { EDGE, SPINE, CORE, RANKS };

static uint32_t all_count(const struct ft_intent *intent)
{
	return intent->count + intent->absent_count;
}

/* Pods, of edge switches and the spines above them, or planes, of spines and the core switches above them. */
struct groups {
	uint32_t *of;	 /* by switch: a twin set of the lower rank; 0 for switches of the third rank */
	uint32_t *first; /* by group: its lower switch that comes first by name */
	uint32_t *size;	 /* by group: its lower switches */
	uint32_t count;
};

struct pods {
	const struct ft_intent *intent;
	struct ft_tree tree;
	struct groups pod, plane;
	uint32_t ring[RANKS];
};

/* The set of most planned cables downwards of a switch. */
static uint32_t set_below(const struct pods *x, uint32_t i, uint32_t *votes)
{
	const struct ft_intent *intent = x->intent;
	const struct ft_multigraph *g = &intent->f->graph;
	const struct ft_absent *absent = i < intent->count ? NULL : &intent->absent[i - intent->count];
	uint32_t count = absent ? absent->count : ft_adjacent_count(g, i), best = FT_NONE;

	for (uint32_t k = 0; k < 2 * count; k++) {
		uint32_t near = absent ? absent->links[k % count].observed : ft_adjacent_of(g, i)[k % count].vertex;
		uint32_t set = intent->twins[FT_SIDE_UP].set_of[near];
		bool add = k >= count;

		if (intent->rank[near] + 1 != ft_intent_rank_of(intent, i) || set == FT_NONE)
			continue;
		votes[set] = add ? votes[set] + ft_meant_between(intent, i, near) : 0;
		if (add && (best == FT_NONE || votes[set] > votes[best]))
			best = set;
	}
	return best;
}

static void groups_begin(const struct ft_intent *intent, uint32_t *known, struct groups *groups)
{
	struct ft_arena *memory = intent->f->memory;
	uint32_t sets = intent->twins[FT_SIDE_UP].set_count + 1;

	*groups = (struct groups){
		.of = known ? known : ft_arena_numbers(memory, all_count(intent), FT_NONE),
		.first = ft_arena_numbers(memory, sets, FT_NONE),
		.size = ft_arena_numbers(memory, sets, 0),
	};
}

/* Counts a lower switch of a group. */
static void groups_add(const struct ft_inference *f, struct groups *groups, uint32_t i)
{
	uint32_t own = groups->of[i];

	if (groups->first[own] == FT_NONE || ft_infer_compare(f, i, groups->first[own]) < 0)
		groups->first[own] = i;
	groups->count += groups->size[own]++ == 0;
}

/* Returns 1, 0 if some switch is in no pod or plane, or -ENOMEM. */
static int groups_find(struct pods *x)
{
	const struct ft_intent *intent = x->intent;
	const uint32_t *set_of = intent->twins[FT_SIDE_UP].set_of;
	uint32_t *votes = ft_arena_numbers(intent->f->memory, intent->twins[FT_SIDE_UP].set_count, 0);
	struct groups *pods = &x->pod, *planes = &x->plane;

	groups_begin(intent, intent->pod, pods);
	groups_begin(intent, intent->plane, planes);
	if (intent->f->memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < all_count(intent); i++) {
		uint32_t rank = ft_intent_rank_of(intent, i);

		if (!ft_intent_in_tree(intent, i))
			continue;
		/* A design of three ranks has no classes of rates. */
		if (i < intent->count && ft_infer_slower_rate(intent->f, i).speed != FT_SPEED_UNKNOWN)
			return 0;
		/* An unseen spine has the plane of those like it; an unseen edge is not known of. */
		if (!intent->pod) {
			pods->of[i] = rank == EDGE    ? (i < intent->count ? set_of[i] : FT_NONE)
				      : rank == SPINE ? set_below(x, i, votes)
						      : 0;
			planes->of[i] = rank == SPINE  ? set_of[ft_intent_like(intent, i)]
					: rank == CORE ? set_below(x, i, votes)
						       : 0;
		}
		if (pods->of[i] == FT_NONE || planes->of[i] == FT_NONE)
			return 0;
		if (i < intent->count && rank != CORE)
			groups_add(intent->f, rank == EDGE ? pods : planes, i);
	}
	return 1;
}

/* Large groups first, then by name; one that only unseen switches are in last. */
static int group_compare(const struct pods *x, const struct groups *groups, uint32_t p, uint32_t q)
{
	uint32_t a = groups->of[p], b = groups->of[q];

	if (a == b || groups->size[a] != groups->size[b])
		return FT_ORDER(groups->size[b], groups->size[a]);
	return groups->size[a] == 0 ? FT_ORDER(a, b)
				    : ft_infer_compare(x->intent->f, groups->first[a], groups->first[b]);
}

static int place_compare(const void *a, const void *b, void *arg)
{
	const struct pods *x = arg;
	uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b, rank = ft_intent_rank_of(x->intent, p);
	int r = rank == CORE ? 0 : group_compare(x, &x->pod, p, q);

	if (r == 0 && rank != EDGE)
		r = group_compare(x, &x->plane, p, q);
	if (r == 0 && (p >= x->intent->count || q >= x->intent->count))
		return FT_ORDER(p, q);
	return r ? r : ft_infer_compare(x->intent->f, p, q);
}

static void order_make(struct pods *x)
{
	for (uint32_t rank = 0; rank < RANKS; rank++)
		qsort_r(x->tree.order[rank], x->tree.count[rank], sizeof(*x->tree.order[rank]), place_compare, x);
}

/* The planned width of most bundles between two ranks, and the cables upwards of each lower switch. */
static uint32_t width_of(const struct pods *x, uint32_t rank)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < x->intent->pair_count; i++) {
		const struct ft_meant *pair = &x->intent->pairs[i];
		uint32_t a = x->intent->rank[pair->a], b = x->intent->rank[pair->b];

		if (pair->planned > 0 && a + b == 2 * rank + 1 && a != b)
			ft_tally_add(&tally, pair->planned);
	}
	return ft_tally_mode(&tally, 1);
}

/* Pods alike are a number; else the list has the large ones first. */
static void pods_write(const struct pods *x, struct ft_text *text)
{
	const char *separator = ",\n\t\"pods\": [";

	for (uint32_t i = 0, count, size; i < x->tree.count[EDGE]; i += count * size) {
		size = x->pod.size[x->pod.of[x->tree.order[EDGE][i]]];
		for (count = 0; i + count * size < x->tree.count[EDGE] &&
				x->pod.size[x->pod.of[x->tree.order[EDGE][i + count * size]]] == size;
		     count++)
			;
		if (count == x->pod.count) {
			ft_text_printf(text, ",\n\t\"pods\": %u", count);
			return;
		}
		ft_text_printf(text, "%s{\"count\": %u, \"edges\": %u}", separator, count, size);
		separator = ", ";
	}
	ft_text_puts(text, "]");
}

static void design_write(const struct pods *x, const char *name, const bool *by_guid, struct ft_text *text)
{
	const struct ft_inference *f = x->intent->f;
	uint32_t below = width_of(x, EDGE), above = width_of(x, SPINE), hosts = 1;
	uint32_t spines = x->tree.count[SPINE] / x->pod.count, cores = x->tree.count[CORE] / x->plane.count;
	bool even = true;

	for (uint32_t i = 0; i < x->tree.count[EDGE]; i++) {
		even &= x->intent->hosts[x->tree.order[EDGE][i]] == x->intent->hosts[x->tree.order[EDGE][0]];
		hosts = ft_number_most(hosts, x->intent->hosts[x->tree.order[EDGE][i]]);
	}
	ft_text_reset(text);
	ft_infer_write_head(text, f->snapshot, name);
	ft_text_printf(text,
		       ",\n\t\"why\": {\n\t\t\"topology\": \"3 levels: %u edge switch%s in %u pod%s, %u spine%s in %u "
		       "plane%s, %u core switch%s\"",
		       x->tree.count[EDGE], ft_text_es(x->tree.count[EDGE]), x->pod.count, ft_text_s(x->pod.count),
		       x->tree.count[SPINE], ft_text_s(x->tree.count[SPINE]), x->plane.count, ft_text_s(x->plane.count),
		       x->tree.count[CORE], ft_text_es(x->tree.count[CORE]));
	ft_infer_by_rule_notes(f, x->intent, text);
	ft_infer_tell_tiers(x->tree.tiers, RANKS, text);
	ft_text_printf(text, "\n\t},\n\t\"topology\": \"fat-tree\",\n\t\"levels\": 3,\n\t\"nodes\": %u",
		       ft_tree_hosts(&x->tree));
	ft_infer_write_tier(&x->tree.tiers[EDGE], text);
	ft_text_printf(text, ", \"count\": %u, \"ports_to_nodes\": %u, \"ports_to_core\": %u", x->tree.count[EDGE],
		       hosts, below * spines);
	if (!even)
		ft_infer_by_rule_hosts(x->intent->hosts, x->tree.order[EDGE], x->tree.count[EDGE], 0, text);
	ft_text_puts(text, "}");
	ft_infer_write_tier(&x->tree.tiers[SPINE], text);
	ft_text_printf(text, ", \"count\": %u, \"ports_to_core\": %u}", x->tree.count[SPINE], above * cores);
	ft_infer_write_tier(&x->tree.tiers[CORE], text);
	ft_text_printf(text, ", \"count\": %u}", x->tree.count[CORE]);
	pods_write(x, text);
	ft_text_printf(text, ",\n\t\"planes\": %u,\n\t\"bundle\": {\"edge\": %u, \"spine\": %u}", x->plane.count, below,
		       above);
	ft_tree_write_rings(x->ring[SPINE], x->ring[CORE], text);
	ft_infer_write_rates(text, f);
	ft_tree_write_end(&x->tree, by_guid, text);
}

int ft_infer_pods(const struct ft_intent *intent, const char *name, struct ft_text *text)
{
	struct pods x = {.intent = intent};
	const bool *by_guid;
	int r;

	if (intent->host_total == 0)
		return 0;
	r = ft_tree_collect(&x.tree, intent, RANKS);
	if (r > 0)
		r = groups_find(&x);
	if (r <= 0)
		return r;
	/* Only switches that nobody saw may be left of a rank. */
	if (x.pod.count == 0 || x.plane.count == 0)
		return 0;
	by_guid = ft_infer_by_rule_names(intent->f);
	if (!by_guid)
		return -ENOMEM;
	order_make(&x);
	x.ring[SPINE] = ft_tree_rings(&x.tree, SPINE, x.pod.of, x.plane.count == 1);
	x.ring[CORE] = ft_tree_rings(&x.tree, CORE, NULL, x.plane.count == 1);
	design_write(&x, name, by_guid, text);
	return ft_tree_check(&x.tree, text);
}

/* The switch with the most hosts, alone. */
int ft_infer_star(const struct ft_inference *f, const struct ft_intent *intent, const char *name, struct ft_text *text)
{
	const bool *by_guid = ft_infer_by_rule_names(f);
	struct ft_infer_tier tier;
	uint32_t hub = 0;

	for (uint32_t i = 1; i < f->observed->switch_count; i++)
		if (f->hosts[i] > f->hosts[hub])
			hub = i;
	if (!by_guid || ft_infer_tier(f, "edge", &hub, 1, &tier) < 0)
		return -ENOMEM;
	ft_infer_write_head(text, f->snapshot, name);
	ft_text_puts(text, ",\n\t\"why\": {\n\t\t\"topology\": \"one switch has the hosts, and no other switch joins "
			   "it to more of them\"");
	ft_infer_by_rule_notes(f, intent, text);
	ft_infer_tell_tiers(&tier, 1, text);
	ft_text_printf(text, "\n\t},\n\t\"topology\": \"star\",\n\t\"nodes\": %u", f->hosts[hub]);
	ft_infer_write_tier(&tier, text);
	ft_text_puts(text, "}");
	ft_infer_write_rates(text, f);
	ft_text_puts(text, ",\n\t\"bind\": {\n\t\t\"edge\": ");
	ft_infer_by_rule_bind(f, &hub, 1, by_guid, NULL, text);
	ft_text_puts(text, "\n\t}\n}\n");
	return ft_text_failed(text) ? -ENOMEM : 1;
}
