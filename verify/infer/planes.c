/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A graph of three ranks as a fat-tree, where that says it all: pods, in which every edge switch has a bundle of one
 * width to every spine; planes, in which every spine has one to every core switch, with equally many spines of each
 * pod; and perhaps rings of the spines of each pod, and of all core switches (the 4-post network). Where a plane has
 * one spine of each pod and there is no ring, fit.c has found it before.
 *
 * A pair of neighbours in a ring has as many cables as most have: what one lacks is missing by the rule. The design is
 * read back and verified, and taken if it finds no more than the graph does, and what the rings lack.
 *
 * Cost: O(cables), and a verification.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/infer/by_rule.h"

enum { EDGE, SPINE, CORE, RANKS };
enum { RING_SHARE = 4 }; /* at most one in so many of a ring's cables is missing */

struct planes {
	const struct ft_intent *intent;
	uint32_t *group[RANKS -
			1]; /* by step and observed switch: root of the union-find, then number of the pod or plane */
	uint32_t groups[RANKS - 1];
	uint32_t width[RANKS - 1]; /* by step: cables of each bundle */
	uint32_t ring[RANKS];	   /* cables between neighbours; 0: no ring */
	uint32_t *order[RANKS];	   /* observed switches in the plan's order */
	uint32_t count[RANKS];
	uint32_t *pod_edges; /* by pod */
	uint32_t pod_spines;
	uint32_t ports[RANKS];
	uint64_t lacks; /* cables that the rings lack */
};

static void planes_release(struct planes *x)
{
	for (unsigned int step = 0; step < RANKS - 1; step++)
		free(x->group[step]);
	for (unsigned int rank = 0; rank < RANKS; rank++)
		free(x->order[rank]);
	free(x->pod_edges);
}

static uint32_t planned_between(const struct planes *x, uint32_t a, uint32_t b)
{
	const struct ft_meant *pair = ft_meant_find(x->intent, a, b);

	return pair ? pair->planned : 0;
}

/* ---- pods and planes ---- */

static bool is_in_step(const struct planes *x, const struct ft_meant *pair, uint32_t step)
{
	uint32_t a = x->intent->rank[pair->a], b = x->intent->rank[pair->b];

	return pair->planned > 0 && a + b == 2 * step + 1 && (a == step || b == step);
}

/* Unites the connected parts of two ranks. False: there are none, or bundles differ in width. */
static bool groups_number(struct planes *x, uint32_t step)
{
	const struct ft_intent *intent = x->intent;
	uint32_t *group = x->group[step];

	for (uint32_t i = 0; i < intent->count; i++)
		group[i] = i;
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i];

		if (!is_in_step(x, pair, step))
			continue;
		if (x->width[step] && x->width[step] != pair->planned)
			return false;
		x->width[step] = pair->planned;
		group[ft_number_root(group, pair->a)] = ft_number_root(group, pair->b);
	}
	return x->width[step] > 0;
}

/* Replaces roots by numbers, in the order of the switches of @rank. Parts without one of that rank get FT_NONE. */
static int groups_renumber(struct planes *x, uint32_t step, uint32_t rank)
{
	const struct ft_intent *intent = x->intent;
	_cleanup_free_ uint32_t *number = malloc((intent->count + 1UL) * sizeof(*number));
	_cleanup_free_ uint32_t *root = malloc((intent->count + 1UL) * sizeof(*root));

	if (!number || !root)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->count; i++) {
		number[i] = FT_NONE;
		root[i] = ft_number_root(x->group[step], i);
	}
	for (uint32_t i = 0; i < x->count[rank]; i++)
		if (number[root[x->order[rank][i]]] == FT_NONE)
			number[root[x->order[rank][i]]] = x->groups[step]++;
	for (uint32_t i = 0; i < intent->count; i++)
		x->group[step][i] = number[root[i]];
	return 0;
}

/* The switches of a rank in a group. */
static uint32_t members_of(const struct planes *x, uint32_t step, uint32_t group, uint32_t rank)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < x->count[rank]; i++)
		count += x->group[step][x->order[rank][i]] == group;
	return count;
}

/* True if all switches of each group are cabled to all of the other rank: as many pairs as there can be. */
static bool groups_are_complete(const struct planes *x, uint32_t step)
{
	uint64_t pairs = 0, all = 0;

	for (uint32_t i = 0; i < x->intent->pair_count; i++)
		pairs += is_in_step(x, &x->intent->pairs[i], step);
	for (uint32_t g = 0; g < x->groups[step]; g++)
		all += (uint64_t)members_of(x, step, g, step) * members_of(x, step, g, step + 1);
	return pairs == all;
}

/* True if each pod has as many spines as the others, and each plane as many of each pod. */
static int shares_check(struct planes *x)
{
	uint32_t pods = x->groups[EDGE], planes = x->groups[SPINE];
	_cleanup_free_ uint32_t *spines = calloc((size_t)pods * planes + 1, sizeof(*spines));

	x->pod_edges = calloc(pods + 1UL, sizeof(*x->pod_edges));
	if (!spines || !x->pod_edges)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->count[EDGE]; i++)
		x->pod_edges[x->group[EDGE][x->order[EDGE][i]]]++;
	for (uint32_t i = 0; i < x->count[SPINE]; i++) {
		uint32_t observed = x->order[SPINE][i];

		/* Without an edge switch, or without a core switch. */
		if (x->group[EDGE][observed] >= pods || x->group[SPINE][observed] >= planes)
			return 0;
		spines[(size_t)x->group[EDGE][observed] * planes + x->group[SPINE][observed]]++;
	}
	for (size_t i = 0; i < (size_t)pods * planes; i++)
		if (spines[i] == 0 || spines[i] != spines[0])
			return 0;
	for (uint32_t g = 0; g < planes; g++)
		if (members_of(x, SPINE, g, CORE) * planes != x->count[CORE])
			return 0;
	x->pod_spines = spines[0] * planes;
	return 1;
}

/* ---- the plan's order ---- */

/* By pod, by plane, and by name. */
static int place_compare(const void *a, const void *b, void *arg)
{
	const struct planes *x = arg;
	const struct ft_observed_switch *switches = x->intent->f->observed->switches;
	uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b, rank = x->intent->rank[p];
	int r;

	for (uint32_t step = 0; step < RANKS - 1; step++)
		if ((rank == step || rank == step + 1) && x->groups[step] > 0 && x->group[step][p] != x->group[step][q])
			return x->group[step][p] < x->group[step][q] ? -1 : 1;
	r = ft_text_natural_compare(switches[p].name, switches[q].name);
	return r != 0 ? r : (p > q) - (p < q);
}

static void order_sort(struct planes *x, uint32_t rank)
{
	qsort_r(x->order[rank], x->count[rank], sizeof(*x->order[rank]), place_compare, x);
}

static int order_make(struct planes *x)
{
	const struct ft_intent *intent = x->intent;

	for (unsigned int step = 0; step < RANKS - 1; step++) {
		x->group[step] = malloc((intent->count + 1UL) * sizeof(*x->group[step]));
		if (!x->group[step])
			return -ENOMEM;
	}
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		x->order[rank] = ft_intent_members(intent, rank, &x->count[rank]);
		if (!x->order[rank])
			return -ENOMEM;
		order_sort(x, rank);
	}
	return 0;
}

/* ---- rings ---- */

/* Continues a ring of @count switches from @at: of those left, the one cabled to @from with the most cables is next. */
static void ring_walk(const struct planes *x, uint32_t *at, uint32_t count)
{
	for (uint32_t i = 0; i + 1 < count; i++) {
		uint32_t best = i + 1;

		for (uint32_t k = i + 2; k < count; k++)
			if (planned_between(x, at[i], at[k]) > planned_between(x, at[i], at[best]))
				best = k;
		for (uint32_t next = at[best]; best > i + 1; best--) {
			at[best] = at[best - 1];
			at[best - 1] = next;
		}
	}
}

/* Cables between neighbours of a ring, for each; the largest counts in @ring. Returns how many cables there are. */
static uint64_t ring_sum(const struct planes *x, const uint32_t *at, uint32_t count, uint32_t *ring)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count && count > 1; i++) {
		uint32_t cables = planned_between(x, at[i], at[(i + 1) % count]);

		/* Two are each other's neighbour on both sides. */
		cables = count == 2 ? (cables + (i == 0)) / 2 : cables;
		*ring = cables > *ring ? cables : *ring;
		sum += cables;
	}
	return sum;
}

/* The rings of a rank, of @each switches one after the other. Returns false if cables beside each other are none. */
static bool rings_find(struct planes *x, uint32_t rank, uint32_t each)
{
	const struct ft_intent *intent = x->intent;
	uint64_t beside = 0, sum = 0;

	for (uint32_t i = 0; i < intent->pair_count; i++)
		if (intent->rank[intent->pairs[i].a] == rank && intent->rank[intent->pairs[i].b] == rank)
			beside += intent->pairs[i].planned;
	if (beside == 0)
		return true;
	for (uint32_t i = 0; i < x->count[rank]; i += each) {
		/* Where planes part them, they are in the order of the planes. */
		if (x->groups[SPINE] == 1)
			ring_walk(x, x->order[rank] + i, each);
		sum += ring_sum(x, x->order[rank] + i, each, &x->ring[rank]);
	}
	x->lacks += (uint64_t)x->ring[rank] * x->count[rank] - sum;
	return sum == beside && x->lacks * RING_SHARE <= sum;
}

/* ---- the design ---- */

/* All switches of a rank have as many ports; only edge switches have hosts. */
static bool ranks_are_even(struct planes *x)
{
	const struct ft_inference *f = x->intent->f;

	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (uint32_t i = 0; i < x->count[rank]; i++) {
			uint32_t observed = x->order[rank][i], ports = ft_infer_ports(f, observed);

			if ((x->ports[rank] && x->ports[rank] != ports) || (rank > EDGE && f->hosts[observed] > 0))
				return false;
			x->ports[rank] = ports;
		}
	return true;
}

static void pods_write(const struct planes *x, struct ft_text *text)
{
	ft_text_puts(text, ",\n\t\"pods\": [");
	for (uint32_t pod = 0, run; pod < x->groups[EDGE]; pod += run) {
		for (run = 1; pod + run < x->groups[EDGE] && x->pod_edges[pod + run] == x->pod_edges[pod];)
			run++;
		ft_text_printf(text, "%s{\"count\": %u, \"edges\": %u}", pod ? ", " : "", run, x->pod_edges[pod]);
	}
	ft_text_puts(text, "]");
}

static void rings_write(const struct planes *x, struct ft_text *text)
{
	if (x->ring[SPINE] + x->ring[CORE] == 0)
		return;
	ft_text_puts(text, ",\n\t\"rings\": {");
	if (x->ring[SPINE])
		ft_text_printf(text, "\"spine\": %u%s", x->ring[SPINE], x->ring[CORE] ? ", " : "");
	if (x->ring[CORE])
		ft_text_printf(text, "\"core\": %u", x->ring[CORE]);
	ft_text_puts(text, "}");
}

static void why_write(const struct planes *x, struct ft_text *text)
{
	ft_text_printf(
		text,
		",\n\t\"why\": {\n\t\t\"topology\": \"3 levels: %u pods of %u spines, which share %u plane%s with "
		"those of the other pods%s",
		x->groups[EDGE], x->pod_spines, x->groups[SPINE], ft_text_s(x->groups[SPINE]),
		x->ring[SPINE] + x->ring[CORE] ? "; switches beside each other are cabled in rings" : "");
	if (x->intent->missing + x->lacks > 0)
		ft_text_printf(text, "; %llu of %llu cables are missing by this rule",
			       (unsigned long long)(x->intent->missing + x->lacks),
			       (unsigned long long)(x->intent->f->cable_total + x->intent->missing + x->lacks));
	ft_text_puts(text, "\"");
	ft_infer_by_rule_notes(x->intent->f, NULL, text);
	ft_text_puts(text, "\n\t}");
}

static void design_write(const struct planes *x, const char *name, const bool *by_guid, struct ft_text *text)
{
	static const char *const ranks[RANKS] = {"edge", "spine", "core"};
	const struct ft_inference *f = x->intent->f;
	uint32_t hosts = 1;

	for (uint32_t i = 0; i < x->count[EDGE]; i++)
		hosts = f->hosts[x->order[EDGE][i]] > hosts ? f->hosts[x->order[EDGE][i]] : hosts;
	ft_infer_write_head(text, f->snapshot, name);
	why_write(x, text);
	ft_text_printf(text, ",\n\t\"topology\": \"fat-tree\",\n\t\"levels\": 3,\n\t\"nodes\": %u", f->host_total);
	ft_text_printf(text,
		       ",\n\t\"edge\": {\"ports\": %u, \"count\": %u, \"ports_to_nodes\": %u, \"ports_to_core\": %u",
		       x->ports[EDGE], x->count[EDGE], hosts, x->width[EDGE] * x->pod_spines);
	/* Else each has as many, and there is nothing to tell. */
	if (f->host_total != x->count[EDGE] * hosts)
		ft_infer_by_rule_hosts(f, x->order[EDGE], x->count[EDGE], 0, text);
	ft_text_printf(text, "},\n\t\"spine\": {\"ports\": %u, \"count\": %u, \"ports_to_core\": %u}", x->ports[SPINE],
		       x->count[SPINE], x->width[SPINE] * (x->count[CORE] / x->groups[SPINE]));
	ft_text_printf(text, ",\n\t\"core\": {\"ports\": %u, \"count\": %u}", x->ports[CORE], x->count[CORE]);
	pods_write(x, text);
	ft_text_printf(text, ",\n\t\"planes\": %u,\n\t\"bundle\": {\"edge\": %u, \"spine\": %u}", x->groups[SPINE],
		       x->width[EDGE], x->width[SPINE]);
	rings_write(x, text);
	ft_infer_write_rates(text, f);
	ft_text_puts(text, ",\n\t\"bind\": {");
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		ft_text_printf(text, "%s\n\t\t\"%s\": ", rank ? "," : "", ranks[rank]);
		ft_infer_by_rule_bind(f, x->order[rank], x->count[rank], by_guid, text);
	}
	ft_text_puts(text, "\n\t}\n}\n");
}

/* Fills all but the design. Returns 1, 0 if the graph is no such tree, or -ENOMEM. */
static int planes_find(struct planes *x)
{
	const struct ft_intent *intent = x->intent;
	int r;

	if (!intent->layered || intent->ranks != RANKS || intent->f->observed->part_count > 1 ||
	    intent->absent_count > 0)
		return 0;
	r = order_make(x);
	if (r < 0)
		return r;
	if (!ranks_are_even(x) || !groups_number(x, EDGE) || !groups_number(x, SPINE))
		return 0;
	r = groups_renumber(x, EDGE, EDGE);
	if (r == 0)
		r = groups_renumber(x, SPINE, CORE);
	if (r == 0)
		r = shares_check(x);
	if (r <= 0 || !groups_are_complete(x, EDGE) || !groups_are_complete(x, SPINE))
		return r < 0 ? r : 0;
	for (uint32_t rank = 0; rank < RANKS; rank++)
		order_sort(x, rank);
	return rings_find(x, EDGE, x->count[EDGE]) && x->ring[EDGE] == 0 && rings_find(x, SPINE, x->pod_spines) &&
	       rings_find(x, CORE, x->count[CORE]);
}

int ft_infer_planes(const struct ft_intent *intent, const char *name, struct ft_text *text, uint64_t *ret_wrong)
{
	_cleanup_(planes_release) struct planes x = {.intent = intent};
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_free_ bool *by_guid = calloc(intent->count + 1UL, sizeof(*by_guid));
	int r = by_guid ? planes_find(&x) : -ENOMEM;

	if (r > 0 && ft_infer_by_rule_names(intent->f, by_guid) < 0)
		r = -ENOMEM;
	if (r <= 0)
		return r;
	ft_text_reset(text);
	design_write(&x, name, by_guid, text);
	r = ft_infer_by_rule_verify(intent->f, text, false, &report);
	if (r < 0)
		return r == -EINVAL ? 0 : r;
	*ret_wrong = ft_infer_by_rule_wrong(report, 0);
	return *ret_wrong <= intent->missing + intent->surplus + x.lacks;
}
