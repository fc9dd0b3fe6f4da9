/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What fat-trees of two ranks and of three have in common: see tree.h. Cost: O(switches + pairs). */
#include "config.h"

#include "verify/infer/tree.h"

#include <errno.h>

#include "verify/infer/by_rule.h"

/* ---- beside the tree ---- */

/* True if names tell who is beside the tree, and who they are cabled to: an island is planned by name. */
static int names_serve(const struct ft_intent *intent, bool *ret_serve)
{
	const bool *by_guid = ft_infer_by_rule_names(intent->f);

	if (!by_guid)
		return -ENOMEM;
	*ret_serve = true;
	for (uint32_t i = 0; i < intent->count; i++) {
		if (!intent->beside[i])
			continue;
		*ret_serve &= !by_guid[i];
		ft_each_adjacent(n, &intent->f->graph, i)
			*ret_serve &= !by_guid[n->vertex];
	}
	return 0;
}

/* Marks what has at least as many cables to switches beside the tree as to others. Returns how many it marked. */
static uint32_t followers_mark(struct ft_intent *intent)
{
	uint32_t marked = 0;

	for (uint32_t i = 0; i < intent->count; i++) {
		uint32_t beside = 0;

		ft_each_adjacent(n, &intent->f->graph, i)
			beside += intent->beside[n->vertex] ? n->count : 0;
		if (intent->beside[i] || intent->stray[i] || beside == 0 || 2 * beside < intent->f->graph.degree[i])
			continue;
		intent->beside[i] = true;
		marked++;
	}
	return marked;
}

int ft_tree_beside(struct ft_intent *intent)
{
	enum { SHARE = 3 }; /* more than one switch in so many is no island, but another kind of fabric */
	bool *in = ft_arena_zeros(intent->f->memory, intent->count, sizeof(*in)), serve = false;
	uint32_t beside = 0, more;
	int r;

	if (!in)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->pair_count; i++)
		if (intent->pairs[i].patterned && intent->pairs[i].planned > 0)
			in[intent->pairs[i].a] = in[intent->pairs[i].b] = true;
	for (uint32_t i = 0; i < intent->count; i++) {
		intent->beside[i] = !in[i] && !intent->stray[i] && intent->f->graph.degree[i] > 0;
		beside += intent->beside[i];
	}
	if (beside == 0)
		return 0;
	while ((more = followers_mark(intent)) > 0 && beside * SHARE <= intent->count)
		beside += more;
	if (beside * SHARE > intent->count)
		return 0;
	r = names_serve(intent, &serve);
	return r < 0 ? r : serve;
}

/* ---- who is in the tree ---- */

int ft_tree_collect(struct ft_tree *tree, const struct ft_intent *intent, uint32_t ranks)
{
	struct ft_arena *memory = intent->f->memory;

	*tree = (struct ft_tree){.intent = intent, .ranks = ranks};
	for (uint32_t rank = 0; rank < ranks; rank++) {
		tree->order[rank] = ft_arena_numbers(memory, intent->count + intent->absent_count, 0);
		for (uint32_t i = 0; tree->order[rank] && i < intent->count + intent->absent_count; i++)
			if (ft_intent_rank_of(intent, i) == rank && ft_intent_in_tree(intent, i))
				tree->order[rank][tree->count[rank]++] = i;
	}
	if (memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->count; i++)
		if (ft_intent_in_tree(intent, i) && intent->rank[i] >= ranks)
			return 0;
	for (uint32_t rank = 0; rank < ranks; rank++)
		if (tree->count[rank] == 0)
			return 0;
	for (uint32_t rank = 0; rank < ranks; rank++) {
		if (ft_infer_tier(intent->f,
				  rank == 0	     ? "edge"
				  : rank + 1 < ranks ? "spine"
						     : "core",
				  tree->order[rank], tree->count[rank], &tree->tiers[rank]) < 0)
			return -ENOMEM;
		/* Directors among other switches have no chips in a plan. */
		if (tree->tiers[rank].mixed)
			return 0;
	}
	return intent->layered;
}

uint32_t ft_tree_hosts(const struct ft_tree *tree)
{
	uint32_t hosts = 0;

	for (uint32_t rank = 0; rank < tree->ranks; rank++)
		for (uint32_t i = 0; i < tree->count[rank]; i++)
			hosts += tree->intent->hosts[tree->order[rank][i]];
	return hosts;
}

/* ---- the plan and the graph ---- */

/* By switch of the plan: which one of the graph it is; those of islands by name. FT_NONE: none. NULL: no memory. */
static uint32_t *observed_find(const struct ft_tree *tree, const struct ft_plan *plan)
{
	const struct ft_intent *intent = tree->intent;
	_cleanup_(ft_map_release) struct ft_map named = {0};
	uint32_t *observed = ft_arena_numbers(intent->f->memory, plan->switch_count, FT_NONE), at = 0;

	for (uint32_t rank = 0; observed && rank < tree->ranks; rank++)
		for (uint32_t i = 0; i < tree->count[rank] && at < plan->switch_count; i++)
			observed[at++] = tree->order[rank][i];
	for (uint32_t i = 0; observed && i < intent->count; i++)
		if (intent->beside[i] &&
		    ft_map_add(&named, ft_text_short_hash(intent->f->observed->switches[i].name), i, NULL) < 0)
			return NULL;
	for (; observed && at < plan->switch_count; at++)
		observed[at] = ft_map_get(&named, ft_text_short_hash(plan->switches[at].name));
	return observed;
}

static uint64_t cables_planned(const struct ft_intent *intent)
{
	uint64_t cables = 0;

	for (uint32_t i = 0; i < intent->pair_count; i++)
		cables += intent->pairs[i].planned;
	for (uint32_t k = 0; k < intent->absent_count; k++)
		for (uint32_t i = 0; i < intent->absent[k].count; i++)
			cables += intent->absent[k].links[i].width;
	return cables;
}

static bool plan_is_the_graph(const struct ft_tree *tree, const struct ft_plan *plan, const uint32_t *observed)
{
	uint64_t planned = 0;

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];
		uint32_t a = observed[bundle->a], b = observed[bundle->b];

		if (a == FT_NONE || b == FT_NONE || ft_meant_between(tree->intent, a, b) != bundle->count)
			return false;
		planned += bundle->count;
	}
	return planned == cables_planned(tree->intent);
}

int ft_tree_check(const struct ft_tree *tree, const struct ft_text *text)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	const struct ft_intent *intent = tree->intent;
	uint32_t switches = 0, *observed;
	int r;

	if (ft_text_failed(text))
		return -ENOMEM;
	r = ft_design_read(text->data, text->length, &design, &plan, NULL);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (uint32_t rank = 0; rank < tree->ranks; rank++)
		switches += tree->count[rank];
	for (uint32_t i = 0; i < intent->count; i++)
		switches += intent->beside[i];
	observed = observed_find(tree, plan);
	if (!observed)
		return -ENOMEM;
	return plan->switch_count == switches && plan_is_the_graph(tree, plan, observed);
}

/* ---- parts of the design ---- */

void ft_tree_write_rings(uint32_t spine, uint32_t core, struct ft_text *text)
{
	if (spine + core == 0)
		return;
	ft_text_puts(text, ",\n\t\"rings\": {");
	if (spine > 0)
		ft_text_printf(text, "\"spine\": %u%s", spine, core > 0 ? ", " : "");
	if (core > 0)
		ft_text_printf(text, "\"core\": %u", core);
	ft_text_puts(text, "}");
}

/* The names of a rank's switches. */
static void bind_write(const struct ft_tree *tree, uint32_t rank, const bool *by_guid, struct ft_text *text)
{
	const struct ft_intent *intent = tree->intent;
	uint32_t *places = ft_arena_numbers(intent->f->memory, tree->count[rank], FT_NONE), unseen = 0;
	const char *names[FT_ABSENT_MAX];

	text->failed |= !places;
	for (uint32_t i = 0; places && i < tree->count[rank]; i++) {
		uint32_t k = tree->order[rank][i] - intent->count;

		if (tree->order[rank][i] < intent->count) {
			places[i] = tree->order[rank][i];
			continue;
		}
		names[unseen++] = intent->absent_name[k];
	}
	if (!text->failed)
		ft_infer_by_rule_bind(intent->f, places, tree->count[rank], by_guid, names, text);
}

void ft_tree_write_end(const struct ft_tree *tree, const bool *by_guid, struct ft_text *text)
{
	ft_text_puts(text, ",\n\t\"bind\": {");
	for (uint32_t rank = 0; rank < tree->ranks; rank++) {
		ft_text_printf(text, "%s\n\t\t\"%s\": ", rank ? "," : "", tree->tiers[rank].name);
		bind_write(tree, rank, by_guid, text);
	}
	ft_text_puts(text, "\n\t}");
	ft_infer_write_islands(tree->intent, text);
	ft_text_puts(text, "\n}\n");
}
