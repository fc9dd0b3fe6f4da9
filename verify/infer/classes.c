/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A graph of two ranks as a fat-tree with classes: edge switches of most have one row of bundles to the core switches,
 * which a rule of fat-trees spreads; others, with another row, another number of ports or another rate, are classes.
 * Core switches with hosts, or of another make, are classes of their tier.
 *
 * Invariant: the plan has exactly the cables of the graph between every two switches, all of which are bound. So the
 * findings are the graph's.
 *
 * Cost: O(edge switches x core switches x classes).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer/by_rule.h"
#include "verify/infer/tree.h"

enum { EDGE, CORE, RANKS };
enum { CLASS_SHARE = 3 }; /* of the edge switches, more than so many a class: else lists of links are shorter */

/* Switches of one rank that are alike. */
struct sort {
	uint32_t first; /* one of them */
	uint32_t count;
	uint32_t hosts; /* of each; of edge switches with unlike ones, the most */
	bool even;	/* each has as many hosts */
};

struct classes {
	const struct ft_intent *intent;
	struct ft_tree tree;
	uint32_t ring;		   /* cables between neighbours of the ring that the core switches are; 0: none */
	uint32_t *class_of;	   /* by observed switch */
	struct sort *sorts[RANKS]; /* one a class; most switches are of the first one */
	uint32_t class_count[RANKS];
	enum ft_spread spread;
	uint32_t bundle;  /* 0: follows from the number of core switches */
	uint32_t uplinks; /* of the edge switches of the first class */
	struct ft_class_sets sets;
	struct ft_class_rates rates;
};

/* ---- who is alike ---- */

static bool rows_equal(const struct classes *x, uint32_t a, uint32_t b)
{
	for (uint32_t c = 0; c < x->tree.count[CORE]; c++)
		if (ft_meant_between(x->intent, a, x->tree.order[CORE][c]) !=
		    ft_meant_between(x->intent, b, x->tree.order[CORE][c]))
			return false;
	return true;
}

/* A tier of directors has no classes with other ports. */
static bool ports_alike(const struct classes *x, uint32_t rank, uint32_t a, uint32_t b)
{
	return x->tree.tiers[rank].directors || ft_infer_ports(x->intent->f, a) == ft_infer_ports(x->intent->f, b);
}

/* Core switches are told apart by their hosts, edge switches by their bundles. */
static bool are_alike(const struct classes *x, uint32_t rank, uint32_t a, uint32_t b)
{
	const struct ft_inference *f = x->intent->f;

	if (rank == EDGE && !rows_equal(x, a, b))
		return false;
	a = ft_intent_like(x->intent, a);
	b = ft_intent_like(x->intent, b);
	return ports_alike(x, rank, a, b) && (rank == EDGE || x->intent->hosts[a] == x->intent->hosts[b]) &&
	       ft_rates_equal(ft_infer_own_rate(f, a), ft_infer_own_rate(f, b));
}

static int class_compare(const void *a, const void *b)
{
	const struct sort *x = a, *y = b;

	return FT_ORDER(y->count, x->count) ?: FT_ORDER(x->first, y->first);
}

/*
 * The classes of a rank, large ones first. Returns 1, 0 if edge switches have too many (which is asked at each new one:
 * of 3,000 unlike edge switches the comparisons of all were most of the time), or -ENOMEM.
 */
static int classes_find(struct classes *x, uint32_t rank)
{
	const struct ft_inference *f = x->intent->f;
	struct sort *sorts = x->sorts[rank] = ft_arena_zeros(f->memory, x->tree.count[rank], sizeof(*sorts));

	if (!sorts)
		return -ENOMEM;
	for (uint32_t i = 0, k; i < x->tree.count[rank]; i++) {
		uint32_t observed = x->tree.order[rank][i], hosts = x->intent->hosts[observed];

		for (k = 0; k < x->class_count[rank] && !are_alike(x, rank, sorts[k].first, observed); k++)
			;
		if (k == x->class_count[rank]) {
			if (rank == EDGE && k * CLASS_SHARE >= x->tree.count[EDGE])
				return 0;
			sorts[x->class_count[rank]++] =
				(struct sort){ft_intent_like(x->intent, observed), 0, hosts, true};
		}
		sorts[k].count++;
		sorts[k].even &= hosts == sorts[k].hosts;
		sorts[k].hosts = hosts > sorts[k].hosts ? hosts : sorts[k].hosts;
	}
	qsort(sorts, x->class_count[rank], sizeof(*sorts), class_compare);
	return 1;
}

/* Puts class @k of a rank first. */
static void class_lead(struct classes *x, uint32_t rank, uint32_t k)
{
	struct sort lead = x->sorts[rank][k];

	memmove(&x->sorts[rank][1], &x->sorts[rank][0], k * sizeof(lead));
	x->sorts[rank][0] = lead;
}

static void class_of_fill(struct classes *x, uint32_t rank)
{
	for (uint32_t i = 0; i < x->tree.count[rank]; i++)
		for (uint32_t k = x->class_count[rank]; k-- > 0;)
			if (are_alike(x, rank, x->sorts[rank][k].first, x->tree.order[rank][i]))
				x->class_of[x->tree.order[rank][i]] = k;
}

/* ---- the plan's order ---- */

/* By class, then core switches with the thickest bundles first, edge switches with the most hosts, and by name. */
static int place_compare(const void *a, const void *b, void *arg)
{
	const struct classes *x = arg;
	const struct ft_inference *f = x->intent->f;
	uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b, more, less;
	bool core = ft_intent_rank_of(x->intent, p) == CORE;

	if (x->class_of[p] != x->class_of[q])
		return x->class_of[p] < x->class_of[q] ? -1 : 1;
	more = core ? ft_meant_between(x->intent, x->sorts[EDGE][0].first, p) : x->intent->hosts[p];
	less = core ? ft_meant_between(x->intent, x->sorts[EDGE][0].first, q) : x->intent->hosts[q];
	if (more != less)
		return more > less ? -1 : 1;
	if (p >= x->intent->count || q >= x->intent->count)
		return FT_ORDER(p, q);
	return ft_infer_compare(f, p, q);
}

static void order_sort(struct classes *x, uint32_t rank)
{
	qsort_r(x->tree.order[rank], x->tree.count[rank], sizeof(*x->tree.order[rank]), place_compare, x);
}

/* ---- the rule ---- */

/* The rule that spreads the uplinks of the first class over the core switches in their order, if there is one. */
static bool rule_find(struct classes *x)
{
	uint32_t edge = x->sorts[EDGE][0].first, cores = x->tree.count[CORE], most, least, thick = 0;

	most = ft_meant_between(x->intent, edge, x->tree.order[CORE][0]);
	least = ft_meant_between(x->intent, edge, x->tree.order[CORE][cores - 1]);
	x->uplinks = 0;
	for (uint32_t c = 0; c < cores; c++) {
		uint32_t width = ft_meant_between(x->intent, edge, x->tree.order[CORE][c]);

		/* Classes of core switches come last, whatever their bundles. */
		if (width == 0 || (c > 0 && width > ft_meant_between(x->intent, edge, x->tree.order[CORE][c - 1])))
			return false;
		x->uplinks += width;
		thick += width == most;
	}
	x->spread = FT_SPREAD_EVEN;
	x->bundle = most == least ? most : 0;
	if (most - least <= 1)
		return true;
	x->spread = FT_SPREAD_THICK;
	x->bundle = most;
	return thick + 1 == cores;
}

/* Puts the largest class first whose bundles a rule gives. */
static bool first_class_find(struct classes *x)
{
	for (uint32_t k = 0; k < x->class_count[EDGE]; k++) {
		class_lead(x, EDGE, k);
		order_sort(x, CORE);
		if (rule_find(x))
			return true;
	}
	return false;
}

/* ---- the design ---- */

static void row_write(const struct classes *x, uint32_t edge, struct ft_text *text)
{
	uint32_t first = ft_meant_between(x->intent, edge, x->tree.order[CORE][0]);
	bool equal = true;

	for (uint32_t c = 1; c < x->tree.count[CORE]; c++)
		equal &= ft_meant_between(x->intent, edge, x->tree.order[CORE][c]) == first;
	ft_text_printf(text, ", \"bundle\": %s%u", equal ? "" : "[", first);
	for (uint32_t c = 1; c < x->tree.count[CORE] && !equal; c++)
		ft_text_printf(text, ", %u", ft_meant_between(x->intent, edge, x->tree.order[CORE][c]));
	ft_text_puts(text, equal ? "" : "]");
}

static void rates_write(const struct classes *x, uint32_t set, const char *before, struct ft_text *text)
{
	const struct ft_rates_told *hosts;

	/* A class that only one switch that nobody saw is of, whose like is beside the tree. */
	if (set == FT_NONE)
		return;
	hosts = &x->rates.hosts[set];
	ft_infer_write_rates_of(text, before, x->rates.uplink[set], hosts->rates, hosts->count);
}

/* @each: all edge switches have the hosts of their class. */
static void class_write(const struct classes *x, uint32_t rank, uint32_t k, bool each, struct ft_text *text)
{
	const struct ft_inference *f = x->intent->f;
	const struct sort *sort = &x->sorts[rank][k], *usual = &x->sorts[rank][0];

	ft_text_printf(text, "{%s\"count\": %u", rank == CORE ? "\"tier\": \"core\", " : "", sort->count);
	if (!ports_alike(x, rank, sort->first, usual->first))
		ft_text_printf(text, ", \"ports\": %u", ft_infer_ports(f, sort->first));
	if (each || rank == CORE)
		ft_text_printf(text, ", \"hosts\": %u", sort->hosts);
	if (rank == EDGE && !rows_equal(x, sort->first, usual->first))
		row_write(x, sort->first, text);
	rates_write(x, x->sets.of[sort->first], ", ", text);
	ft_text_puts(text, "}");
}

static void classes_write(const struct classes *x, bool each, struct ft_text *text)
{
	const char *separator = ",\n\t\"classes\": [\n\t\t";

	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (uint32_t k = 1; k < x->class_count[rank]; k++) {
			ft_text_puts(text, separator);
			class_write(x, rank, k, each, text);
			separator = ",\n\t\t";
		}
	if (x->class_count[EDGE] + x->class_count[CORE] > RANKS)
		ft_text_puts(text, "\n\t]");
}

static void rates_why(const struct classes *x, struct ft_text *text)
{
	uint32_t own = 0;

	for (uint32_t k = 1; k < x->sets.count; k++)
		own += x->rates.uplink[k].speed != FT_SPEED_UNKNOWN || x->rates.hosts[k].count > 0;
	if (own > 0)
		ft_text_printf(
			text,
			",\n\t\t\"classes\": \"%u of them %s rates of %s own: those of most of %s cables, or hosts\"",
			own, own == 1 ? "has" : "have", own == 1 ? "its" : "their", own == 1 ? "its" : "their");
}

static void why_write(const struct classes *x, struct ft_text *text)
{
	const struct ft_intent *intent = x->intent;
	uint32_t others = x->tree.count[EDGE] - x->sorts[EDGE][0].count, classes = x->class_count[EDGE] - 1;

	ft_text_printf(text,
		       ",\n\t\"why\": {\n\t\t\"topology\": \"2 levels: %u edge switch%s, cabled to %u core switch%s",
		       x->tree.count[EDGE], ft_text_es(x->tree.count[EDGE]), x->tree.count[CORE],
		       ft_text_es(x->tree.count[CORE]));
	if (others > 0)
		ft_text_printf(text, "; %u of them %s cabled otherwise than most, or of another make: %u class%s",
			       others, others == 1 ? "is" : "are", classes, ft_text_es(classes));
	if (x->class_count[CORE] > 1)
		ft_text_printf(text, "; %u core switch%s unlike the others, in ports, hosts or rate",
			       x->tree.count[CORE] - x->sorts[CORE][0].count,
			       x->tree.count[CORE] - x->sorts[CORE][0].count == 1 ? " is" : "es are");
	ft_text_printf(text, "; %s\"",
		       ft_intent_has_faults(intent) ? "planned as they were seen but for what \\\"links\\\" says"
						    : "planned as they were seen, nothing was held to be missing");
	ft_infer_by_rule_notes(intent->f, intent, text);
	rates_why(x, text);
	ft_infer_tell_tiers(x->tree.tiers, RANKS, text);
	ft_text_puts(text, "\n\t}");
}

static bool hosts_are_even(const struct classes *x)
{
	bool even = true;

	for (uint32_t k = 0; k < x->class_count[EDGE]; k++)
		even &= x->sorts[EDGE][k].even;
	return even && x->sorts[EDGE][0].hosts > 0;
}

/* True if the hosts are those of a uniform fill: a list would have to be changed with every host that comes. */
static bool hosts_are_uniform(const struct classes *x)
{
	uint32_t edges = x->tree.count[EDGE], nodes = ft_tree_hosts(&x->tree);
	bool uniform = x->class_count[EDGE] == 1;

	for (uint32_t i = 0; i < edges; i++)
		uniform &= x->intent->hosts[x->tree.order[EDGE][i]] == nodes / edges + (i < nodes % edges);
	return uniform;
}

static void design_write(const struct classes *x, const char *name, const bool *by_guid, struct ft_text *text)
{
	const struct ft_inference *f = x->intent->f;
	const struct sort *usual = &x->sorts[EDGE][0];
	bool each = hosts_are_even(x), uniform = hosts_are_uniform(x);

	ft_infer_write_head(text, f->snapshot, name);
	why_write(x, text);
	ft_text_printf(text, ",\n\t\"topology\": \"fat-tree\",\n\t\"nodes\": %u", ft_tree_hosts(&x->tree));
	ft_infer_write_tier(&x->tree.tiers[EDGE], text);
	ft_text_printf(text, ", \"count\": %u, \"ports_to_nodes\": %u, \"ports_to_core\": %u", x->tree.count[EDGE],
		       usual->hosts ? usual->hosts : 1, x->uplinks);
	if (!each && !uniform)
		ft_infer_by_rule_hosts(x->intent->hosts, x->tree.order[EDGE], x->tree.count[EDGE], 0, text);
	ft_text_puts(text, "}");
	ft_infer_write_tier(&x->tree.tiers[CORE], text);
	ft_text_printf(text, ", \"count\": %u}", x->tree.count[CORE]);
	if (x->bundle > 0)
		ft_text_printf(text, ",\n\t\"bundle\": %u", x->bundle);
	if (x->spread == FT_SPREAD_THICK)
		ft_text_puts(text, ",\n\t\"bundles\": \"thick\"");
	ft_tree_write_rings(0, x->ring, text);
	if (uniform && !each)
		ft_text_puts(text, ",\n\t\"fill\": \"uniform\"");
	classes_write(x, each, text);
	rates_write(x, 0, ",\n\t", text);
	ft_tree_write_end(&x->tree, by_guid, text);
}

/* ---- */

/* True if all planned cables of edge switches lead up. */
static bool has_two_ranks(const struct classes *x)
{
	const struct ft_intent *intent = x->intent;

	for (uint32_t i = 0; i < intent->pair_count; i++)
		if (intent->pairs[i].planned > 0 && ft_intent_in_tree(intent, intent->pairs[i].a) &&
		    ft_intent_in_tree(intent, intent->pairs[i].b) && intent->rank[intent->pairs[i].a] == EDGE &&
		    intent->rank[intent->pairs[i].b] == EDGE)
			return false;
	return true;
}

/* Fills all but the design. Returns 1, 0 if the graph is no such tree, or -ENOMEM. */
static int tree_find(struct classes *x)
{
	const struct ft_intent *intent = x->intent;
	int r;

	if (intent->host_total == 0)
		return 0;
	r = ft_tree_collect(&x->tree, intent, RANKS);
	x->class_of = ft_arena_numbers(intent->f->memory, intent->count + FT_ABSENT_MAX, 0);
	if (!x->class_of)
		return -ENOMEM;
	if (r <= 0 || !has_two_ranks(x))
		return r < 0 ? r : 0;
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		r = classes_find(x, rank);
		if (r <= 0)
			return r;
	}
	/* Core switches like the rest have no hosts. */
	for (uint32_t k = 0; k < x->class_count[CORE] && x->sorts[CORE][0].hosts > 0; k++)
		if (x->sorts[CORE][k].hosts == 0)
			class_lead(x, CORE, k);
	class_of_fill(x, CORE);
	if (x->sorts[CORE][0].hosts > 0 || !first_class_find(x))
		return 0;
	class_of_fill(x, EDGE);
	order_sort(x, EDGE);
	x->ring = ft_tree_rings(&x->tree, CORE, NULL, x->bundle > 0);
	return 1;
}

/* Of a tree that is found. */
static int rates_find(struct classes *x)
{
	const struct ft_intent *intent = x->intent;

	x->sets.edges = x->class_count[EDGE];
	x->sets.count = x->class_count[EDGE] + x->class_count[CORE];
	x->sets.of = ft_arena_numbers(intent->f->memory, intent->count, 0);
	if (!x->sets.of)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->count; i++)
		x->sets.of[i] = !ft_intent_in_tree(intent, i)
					? FT_NONE
					: x->class_of[i] + (intent->rank[i] == CORE ? x->sets.edges : 0);
	return ft_infer_class_rates(intent->f, &x->sets, &x->rates);
}

int ft_infer_classes(const struct ft_intent *intent, const char *name, struct ft_text *text)
{
	struct classes x = {.intent = intent};
	const bool *by_guid;
	/* Of Ethernet switches, a tree of two levels says the ports, too: not only how many cables there are. */
	int r = intent->f->snapshot->source.ethernet ? 0 : tree_find(&x);

	if (r <= 0)
		return r;
	by_guid = ft_infer_by_rule_names(intent->f);
	if (!by_guid || rates_find(&x) < 0)
		return -ENOMEM;
	for (uint32_t rank = 0; rank < RANKS; rank++)
		if (!x.tree.tiers[rank].directors)
			x.tree.tiers[rank].ports = ft_infer_ports(intent->f, x.sorts[rank][0].first);
	ft_text_reset(text);
	design_write(&x, name, by_guid, text);
	return ft_tree_check(&x.tree, text);
}
