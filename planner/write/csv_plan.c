/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/choice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/write/csv.h"
#include "planner/plan/tree.h"

/* What a row says of a design, wherever it comes from. */
struct row {
	uint32_t nodes, nodes_max, levels;
	bool star;
	const struct ft_layout *layout; /* of a family; else NULL */
	bool dims;			/* there is a column for what the layout is called */
	const char *edge_model, *spine_model, *core_model;
	uint32_t edges, spines, cores, pods;
	uint32_t ports_to_nodes, ports_to_core, bundle, spine_bundle;
	bool uniform;
	uint32_t links, spare_ports, expandable_to;
	struct ft_quantity blocking;
	int64_t cost, power_w, weight_kg, size_u;
};

void ft_csv_header(struct ft_text *text, uint32_t levels, bool family)
{
	ft_text_puts(
		text,
		"nodes,nodes_max,topology,edge_model,edge_count,core_model,core_count,ports_to_nodes,ports_to_core,"
		"bundle,fill,links,spare_ports,expandable_to,blocking,cost,power_w,weight_kg,size_u");
	if (levels == 3)
		ft_text_puts(text, ",spine_model,spine_count,pods,spine_bundle");
	ft_text_puts(text, family ? ",dims\n" : "\n");
}

static void add_count(struct ft_text *text, uint32_t count)
{
	ft_csv_add_count(text, count);
	ft_text_puts(text, ",");
}

static void add_model(struct ft_text *text, const char *model)
{
	if (model)
		ft_csv_add(text, model);
	ft_text_puts(text, ",");
}

static void add_amount(struct ft_text *text, int64_t amount)
{
	if (amount != FT_AMOUNT_UNKNOWN)
		ft_quantity_add(text, ft_quantity_amount(amount));
}

/* Spreadsheets take 19:7 for a time of the day: decimals, in thousandths rounded up so that a limit is never met by it.
 */
static void add_blocking(struct ft_text *text, struct ft_quantity blocking)
{
	enum { DIGITS = 1000 };

	ft_quantity_add(text, (struct ft_quantity){(blocking.num * DIGITS + blocking.den - 1) / blocking.den, DIGITS});
	ft_text_puts(text, ",");
}

static void add_row(struct ft_text *text, const struct row *row)
{
	add_count(text, row->nodes);
	add_count(text, row->nodes_max);
	ft_text_puts(text, row->layout ? ft_layout_called(row->layout) : row->star ? "star" : "fat-tree");
	ft_text_puts(text, ",");
	add_model(text, row->edge_model);
	add_count(text, row->edges);
	add_model(text, row->core_model);
	if (row->layout)
		ft_text_puts(text, ",");
	else
		add_count(text, row->cores);
	add_count(text, row->ports_to_nodes);
	add_count(text, row->ports_to_core);
	/* In a star, links run singly. */
	add_count(text, row->star ? 1 : row->bundle);
	ft_text_puts(text, row->star ? "," : row->uniform ? "uniform," : "dense,");
	add_count(text, row->links);
	add_count(text, row->spare_ports);
	add_count(text, row->expandable_to);
	add_blocking(text, row->blocking);
	add_amount(text, row->cost);
	ft_text_puts(text, ",");
	add_amount(text, row->power_w);
	ft_text_puts(text, ",");
	add_amount(text, row->weight_kg);
	ft_text_puts(text, ",");
	add_amount(text, row->size_u);
	if (row->levels == 3) {
		ft_text_puts(text, ",");
		add_model(text, row->spine_model);
		add_count(text, row->spines);
		add_count(text, row->pods);
		ft_csv_add_count(text, row->spine_bundle);
	}
	if (row->dims)
		ft_text_puts(text, row->star ? ",1" : ",");
	if (row->layout) {
		row->layout->family->label(text, row->layout);
	}
	ft_text_puts(text, "\n");
}

static const char *name_of(const struct ft_candidate *candidate, enum ft_tier tier)
{
	return candidate->types[tier] ? candidate->types[tier]->name : NULL;
}

void ft_csv_row(struct ft_text *text, const struct ft_design *design, const struct ft_candidate *c)
{
	const struct ft_shape *s;
	struct row row;

	if (!c) {
		ft_text_printf(text, "%" PRIu32 ",%" PRIu32 ",none,,,,,,,,,,,,,,,,%s%s\n", design->nodes,
			       design->nodes_max, design->levels == 3 ? ",,,," : "",
			       design->family || design->any ? "," : "");
		return;
	}
	s = &c->shape;
	row = (struct row){
		.nodes = design->nodes,
		.nodes_max = design->nodes_max,
		.levels = design->levels,
		.star = s->topology == FT_TOPOLOGY_STAR,
		.layout = c->layout.family ? &c->layout : NULL,
		.dims = design->family || design->any,
		.edge_model = name_of(c, FT_TIER_EDGE),
		.spine_model = name_of(c, FT_TIER_SPINE),
		.core_model = name_of(c, FT_TIER_CORE),
		.edges = s->e,
		.spines = ft_shape_spines(s),
		.cores = s->cores,
		.pods = s->pods,
		.ports_to_nodes = s->n,
		.ports_to_core = s->c,
		.bundle = s->b,
		.spine_bundle = s->spine_b,
		.uniform = s->even,
		.links = c->links,
		.spare_ports = (uint32_t)ft_candidate_metric(design, c, FT_METRIC_SPARE_PORTS).num,
		.expandable_to = (uint32_t)ft_candidate_metric(design, c, FT_METRIC_EXPANDABLE_TO).num,
		.blocking = ft_candidate_metric(design, c, FT_METRIC_BLOCKING),
		.cost = c->cost,
		.power_w = c->power_w,
		.weight_kg = c->weight_kg,
		.size_u = c->size_u,
	};
	add_row(text, &row);
}

/* A number that all switches have, or an empty cell. */
struct common {
	uint32_t value;
	bool known, differs;
};

static void common_note(struct common *common, uint32_t value)
{
	common->differs |= common->known && common->value != value;
	common->value = value;
	common->known = true;
}

static void add_common(struct ft_text *text, const struct common *common)
{
	if (common->known && !common->differs)
		ft_csv_add_count(text, common->value);
	ft_text_puts(text, ",");
}

/* The columns behind expandable_to. */
static void csv_family_end(struct ft_text *text, const struct ft_plan *plan)
{
	const int64_t amounts[] = {plan->cost, plan->power_w, plan->weight_kg, plan->size_u};

	if (plan->tree->ports_to_core)
		add_blocking(text, (struct ft_quantity){plan->tree->ports_to_nodes, plan->tree->ports_to_core});
	else
		ft_text_puts(text, "1,");
	for (size_t i = 0; i < FT_COUNT(amounts); i++) {
		add_amount(text, amounts[i]);
		ft_text_puts(text, ",");
	}
	ft_csv_add(text, plan->label);
	ft_text_puts(text, "\n");
}

/* All switches of a graph are in the columns of edge switches; what is not the same for all of them is left empty. */
static int csv_graph(struct ft_text *text, const struct ft_plan *plan)
{
	_cleanup_free_ uint32_t *cables = calloc(plan->switch_count + 1UL, sizeof(*cables));
	struct common hosts = {0}, links = {0}, bundle = {0};

	if (!cables)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		common_note(&bundle, plan->bundles[i].count);
		cables[plan->bundles[i].a] += plan->bundles[i].count;
		cables[plan->bundles[i].b] += plan->bundles[i].count;
	}
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		common_note(&hosts, plan->switches[i].hosts);
		common_note(&links, cables[i]);
	}
	add_count(text, plan->nodes);
	add_count(text, plan->nodes_max);
	ft_text_printf(text, "%s,", plan->called ? plan->called : "graph");
	add_model(text, plan->models[FT_TIER_EDGE]);
	add_count(text, plan->switch_count);
	ft_text_puts(text, ",,");
	add_common(text, &hosts);
	add_common(text, &links);
	add_common(text, &bundle);
	ft_text_puts(text, ",");
	add_count(text, plan->links);
	add_count(text, plan->spare_ports);
	add_count(text, plan->tree->expandable_to);
	if (plan->label)
		csv_family_end(text, plan);
	else
		ft_text_puts(text, ",,,,\n");
	return 0;
}

int ft_csv_plan(struct ft_text *text, const struct ft_plan *plan)
{
	struct row row = {
		.nodes = plan->nodes,
		.nodes_max = plan->nodes_max,
		.levels = plan->tree->levels,
		.star = plan->topology == FT_TOPOLOGY_STAR,
		.edge_model = plan->models[FT_TIER_EDGE],
		.spine_model = plan->models[FT_TIER_SPINE],
		.core_model = plan->models[FT_TIER_CORE],
		.edges = plan->tree->edge_count,
		.spines = plan->tree->spine_count,
		.cores = plan->tree->core_count,
		.pods = plan->tree->pods,
		.ports_to_nodes = plan->tree->ports_to_nodes,
		.ports_to_core = plan->tree->ports_to_core,
		.bundle = plan->tree->bundle,
		.spine_bundle = plan->tree->spine_bundle,
		.uniform = plan->tree->fill == FT_FILL_UNIFORM,
		.links = plan->links,
		.spare_ports = plan->spare_ports,
		.expandable_to = plan->tree->expandable_to,
		.blocking = {plan->tree->blocking.num, plan->tree->blocking.den},
		.cost = plan->cost,
		.power_w = plan->power_w,
		.weight_kg = plan->weight_kg,
		.size_u = plan->size_u,
	};

	if (plan->topology == FT_TOPOLOGY_GRAPH)
		return csv_graph(text, plan);
	add_row(text, &row);
	return 0;
}
