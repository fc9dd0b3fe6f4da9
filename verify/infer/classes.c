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
	uint32_t *order[RANKS];	   /* observed switches in the plan's order */
	uint32_t *class_of;	   /* by observed switch */
	struct sort *sorts[RANKS]; /* one a class; most switches are of the first one */
	uint32_t class_count[RANKS];
	uint32_t count[RANKS];
	enum ft_spread spread;
	uint32_t bundle;  /* 0: follows from the number of core switches */
	uint32_t uplinks; /* of the edge switches of the first class */
	struct ft_class_sets sets;
	struct ft_class_rates rates;
};

/* ---- who is alike ---- */

static bool rows_equal(const struct classes *x, uint32_t a, uint32_t b)
{
	for (uint32_t c = 0; c < x->count[CORE]; c++)
		if (ft_meant_between(x->intent, a, x->order[CORE][c]) !=
		    ft_meant_between(x->intent, b, x->order[CORE][c]))
			return false;
	return true;
}

/* Core switches are told apart by their hosts, edge switches by their bundles. */
static bool are_alike(const struct classes *x, uint32_t rank, uint32_t a, uint32_t b)
{
	const struct ft_inference *f = x->intent->f;

	return ft_infer_ports(f, a) == ft_infer_ports(f, b) &&
	       (rank == CORE ? f->hosts[a] == f->hosts[b] : rows_equal(x, a, b)) &&
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
	struct sort *sorts = x->sorts[rank] = ft_arena_zeros(f->memory, x->count[rank], sizeof(*sorts));

	if (!sorts)
		return -ENOMEM;
	for (uint32_t i = 0, k; i < x->count[rank]; i++) {
		uint32_t observed = x->order[rank][i], hosts = f->hosts[observed];

		for (k = 0; k < x->class_count[rank] && !are_alike(x, rank, sorts[k].first, observed); k++)
			;
		if (k == x->class_count[rank]) {
			if (rank == EDGE && k * CLASS_SHARE >= x->count[EDGE])
				return 0;
			sorts[x->class_count[rank]++] = (struct sort){observed, 0, hosts, true};
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
	for (uint32_t i = 0; i < x->count[rank]; i++)
		for (uint32_t k = x->class_count[rank]; k-- > 0;)
			if (are_alike(x, rank, x->sorts[rank][k].first, x->order[rank][i]))
				x->class_of[x->order[rank][i]] = k;
}

/* ---- the plan's order ---- */

/* By class, then core switches with the thickest bundles first, edge switches with the most hosts, and by name. */
static int place_compare(const void *a, const void *b, void *arg)
{
	const struct classes *x = arg;
	const struct ft_inference *f = x->intent->f;
	uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b, more, less;
	bool core = x->intent->rank[p] == CORE;

	if (x->class_of[p] != x->class_of[q])
		return x->class_of[p] < x->class_of[q] ? -1 : 1;
	more = core ? ft_meant_between(x->intent, x->sorts[EDGE][0].first, p) : f->hosts[p];
	less = core ? ft_meant_between(x->intent, x->sorts[EDGE][0].first, q) : f->hosts[q];
	if (more != less)
		return more > less ? -1 : 1;
	return ft_infer_compare(f, p, q);
}

static void order_sort(struct classes *x, uint32_t rank)
{
	qsort_r(x->order[rank], x->count[rank], sizeof(*x->order[rank]), place_compare, x);
}

static int ranks_collect(struct classes *x)
{
	const struct ft_intent *intent = x->intent;

	x->class_of = ft_arena_numbers(intent->f->memory, intent->count, 0);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		x->order[rank] = ft_intent_members(intent, rank, &x->count[rank]);
	return intent->f->memory->failed ? -ENOMEM : 0;
}

/* ---- the rule ---- */

/* The rule that spreads the uplinks of the first class over the core switches in their order, if there is one. */
static bool rule_find(struct classes *x)
{
	uint32_t edge = x->sorts[EDGE][0].first, cores = x->count[CORE], most, least, thick = 0;

	most = ft_meant_between(x->intent, edge, x->order[CORE][0]);
	least = ft_meant_between(x->intent, edge, x->order[CORE][cores - 1]);
	x->uplinks = 0;
	for (uint32_t c = 0; c < cores; c++) {
		uint32_t width = ft_meant_between(x->intent, edge, x->order[CORE][c]);

		/* Classes of core switches come last, whatever their bundles. */
		if (width == 0 || (c > 0 && width > ft_meant_between(x->intent, edge, x->order[CORE][c - 1])))
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
	uint32_t first = ft_meant_between(x->intent, edge, x->order[CORE][0]);
	bool equal = true;

	for (uint32_t c = 1; c < x->count[CORE]; c++)
		equal &= ft_meant_between(x->intent, edge, x->order[CORE][c]) == first;
	ft_text_printf(text, ", \"bundle\": %s%u", equal ? "" : "[", first);
	for (uint32_t c = 1; c < x->count[CORE] && !equal; c++)
		ft_text_printf(text, ", %u", ft_meant_between(x->intent, edge, x->order[CORE][c]));
	ft_text_puts(text, equal ? "" : "]");
}

static void rates_write(const struct classes *x, uint32_t set, const char *before, struct ft_text *text)
{
	const struct ft_rates_told *hosts = &x->rates.hosts[set];

	ft_infer_write_rates_of(text, before, x->rates.uplink[set], hosts->rates, hosts->count);
}

/* @each: all edge switches have the hosts of their class. */
static void class_write(const struct classes *x, uint32_t rank, uint32_t k, bool each, struct ft_text *text)
{
	const struct ft_inference *f = x->intent->f;
	const struct sort *sort = &x->sorts[rank][k], *usual = &x->sorts[rank][0];

	ft_text_printf(text, "{%s\"count\": %u", rank == CORE ? "\"tier\": \"core\", " : "", sort->count);
	if (ft_infer_ports(f, sort->first) != ft_infer_ports(f, usual->first))
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
	uint32_t others = x->count[EDGE] - x->sorts[EDGE][0].count, classes = x->class_count[EDGE] - 1;

	ft_text_printf(text,
		       ",\n\t\"why\": {\n\t\t\"topology\": \"2 levels: %u edge switches, cabled to %u core switch%s",
		       x->count[EDGE], x->count[CORE], ft_text_es(x->count[CORE]));
	if (others > 0)
		ft_text_printf(text, "; %u of them are cabled otherwise than most, or of another make: %u class%s",
			       others, classes, ft_text_es(classes));
	if (x->class_count[CORE] > 1)
		ft_text_printf(text, "; %u core switch%s unlike the others, in ports, hosts or rate",
			       x->count[CORE] - x->sorts[CORE][0].count,
			       x->count[CORE] - x->sorts[CORE][0].count == 1 ? " is" : "es are");
	ft_text_printf(text, "; %s\"",
		       ft_intent_has_faults(intent) ? "planned as they were seen but for what \\\"links\\\" says"
						    : "planned as they were seen, nothing was held to be missing");
	ft_infer_by_rule_notes(intent->f, intent, text);
	rates_why(x, text);
	ft_text_puts(text, "\n\t}");
}

static bool hosts_are_even(const struct classes *x)
{
	bool even = true;

	for (uint32_t k = 0; k < x->class_count[EDGE]; k++)
		even &= x->sorts[EDGE][k].even;
	return even && x->sorts[EDGE][0].hosts > 0;
}

static void design_write(const struct classes *x, const char *name, const bool *by_guid, struct ft_text *text)
{
	static const char *const ranks[RANKS] = {"edge", "core"};
	const struct ft_inference *f = x->intent->f;
	const struct sort *usual = &x->sorts[EDGE][0];
	bool each = hosts_are_even(x);

	ft_infer_write_head(text, f->snapshot, name);
	why_write(x, text);
	ft_text_printf(text, ",\n\t\"topology\": \"fat-tree\",\n\t\"nodes\": %u", f->host_total);
	ft_text_printf(text,
		       ",\n\t\"edge\": {\"ports\": %u, \"count\": %u, \"ports_to_nodes\": %u, \"ports_to_core\": %u",
		       ft_infer_ports(f, usual->first), x->count[EDGE], usual->hosts ? usual->hosts : 1, x->uplinks);
	if (!each)
		ft_infer_by_rule_hosts(f, x->order[EDGE], x->count[EDGE], 0, text);
	ft_text_printf(text, "},\n\t\"core\": {\"ports\": %u, \"count\": %u}",
		       ft_infer_ports(f, x->sorts[CORE][0].first), x->count[CORE]);
	if (x->bundle > 0)
		ft_text_printf(text, ",\n\t\"bundle\": %u", x->bundle);
	if (x->spread == FT_SPREAD_THICK)
		ft_text_puts(text, ",\n\t\"bundles\": \"thick\"");
	classes_write(x, each, text);
	rates_write(x, 0, ",\n\t", text);
	ft_text_puts(text, ",\n\t\"bind\": {");
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		ft_text_printf(text, "%s\n\t\t\"%s\": ", rank ? "," : "", ranks[rank]);
		ft_infer_by_rule_bind(f, x->order[rank], x->count[rank], by_guid, text);
	}
	ft_text_puts(text, "\n\t}\n}\n");
}

/* ---- */

/* True if all planned cables lead from edge to core switches. */
static bool has_two_ranks(const struct classes *x)
{
	const struct ft_intent *intent = x->intent;

	for (uint32_t i = 0; i < intent->pair_count; i++)
		if (intent->pairs[i].planned > 0 &&
		    intent->rank[intent->pairs[i].a] == intent->rank[intent->pairs[i].b])
			return false;
	return x->count[EDGE] > 1 && x->count[CORE] > 0;
}

/* Fills all but the design. Returns 1, 0 if the graph is no such tree, or -ENOMEM. */
static int tree_find(struct classes *x)
{
	const struct ft_intent *intent = x->intent;
	int r;

	if (!intent->layered || intent->ranks != RANKS || intent->f->observed->part_count > 1 ||
	    intent->f->host_total == 0 || intent->absent_count > 0)
		return 0;
	r = ranks_collect(x);
	if (r < 0 || !has_two_ranks(x))
		return r;
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
		x->sets.of[i] = x->class_of[i] + (intent->rank[i] == CORE ? x->sets.edges : 0);
	return ft_infer_class_rates(intent->f, &x->sets, &x->rates);
}

/* True if the plan has the graph's cables between every two switches. */
static bool plan_is_the_graph(const struct classes *x, const struct ft_plan *plan)
{
	uint64_t planned = 0, meant = 0;

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];

		if (bundle->a >= x->count[EDGE] || bundle->b < x->count[EDGE] ||
		    bundle->b - x->count[EDGE] >= x->count[CORE] ||
		    ft_meant_between(x->intent, x->order[EDGE][bundle->a],
				     x->order[CORE][bundle->b - x->count[EDGE]]) != bundle->count)
			return false;
		planned += bundle->count;
	}
	for (uint32_t i = 0; i < x->intent->pair_count; i++)
		meant += x->intent->pairs[i].planned;
	return planned == meant && plan->switch_count == x->intent->count;
}

/* Reads the design back. Returns 1 if it plans the graph, 0, or -ENOMEM. */
static int design_check(const struct classes *x, const struct ft_text *text)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	int r;

	if (ft_text_failed(text))
		return -ENOMEM;
	r = ft_design_read(text->data, text->length, &design, &plan, NULL);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	return plan_is_the_graph(x, plan);
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
	ft_text_reset(text);
	design_write(&x, name, by_guid, text);
	return design_check(&x, text);
}
