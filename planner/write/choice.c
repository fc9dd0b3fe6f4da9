/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/choice.h"

#include <string.h>

#include "base/numbers.h"
#include "base/text.h"

enum { NAME_WIDTH = 16, COLUMN_WIDTH_MIN = 12 };

/* "34 x Mellanox SX6036 (36 ports)", or "-" where there is no such tier. */
static void add_switches(struct ft_text *text, const struct ft_candidate *c, enum ft_tier tier)
{
	const uint32_t counts[FT_TIER_COUNT] = {c->shape.e, ft_shape_spines(&c->shape), c->shape.cores};
	const struct ft_switch_type *type = c->types[tier];

	if (!type || counts[tier] == 0) {
		ft_text_puts(text, "-");
		return;
	}
	ft_text_printf(text, "%u x ", counts[tier]);
	if (type->name)
		ft_text_add_safe(text, type->name, strlen(type->name));
	else
		ft_text_printf(text, "%u port%s", type->ports, ft_text_s(type->ports));
}

static void add_topology(struct ft_text *text, const struct ft_design *design, const struct ft_candidate *c)
{
	(void)design;
	if (c->shape.topology == FT_TOPOLOGY_STAR)
		ft_text_puts(text, "star");
	else if (c->layout.family) {
		ft_text_printf(text, "%s ", ft_layout_called(&c->layout));
		c->layout.family->label(text, &c->layout);
	} else
		ft_text_printf(text, "fat-tree, %u levels", c->shape.levels);
}

static void add_split(struct ft_text *text, const struct ft_design *design, const struct ft_candidate *c)
{
	(void)design;
	if (c->shape.topology == FT_TOPOLOGY_STAR)
		ft_text_printf(text, "%u to nodes", c->shape.n);
	else if (c->layout.family)
		ft_text_printf(text, "%u to nodes, %u on", c->shape.n, c->shape.c);
	else
		ft_text_printf(text, "%u down, %u up", c->shape.n, c->shape.c);
}

static void add_bundle(struct ft_text *text, const struct ft_design *design, const struct ft_candidate *c)
{
	(void)design;
	if (c->shape.topology == FT_TOPOLOGY_STAR)
		ft_text_puts(text, "-");
	else if (c->shape.levels == 3)
		ft_text_printf(text, "%u and %u", c->shape.b, c->shape.spine_b);
	else
		ft_text_printf(text, "%u", c->shape.b);
}

/* All cables are those of both ends: to hosts, and between switches. */
static void add_host_cables(struct ft_text *text, const struct ft_design *design, const struct ft_candidate *c)
{
	ft_text_printf(text, "%u", ft_number_least(design->nodes, c->links));
}

static void add_switch_cables(struct ft_text *text, const struct ft_design *design, const struct ft_candidate *c)
{
	ft_text_printf(text, "%u", c->links - ft_number_least(design->nodes, c->links));
}

/* The rows of the table: what stands in the cell of one design. */
static const struct {
	const char *name;
	void (*add)(struct ft_text *text, const struct ft_design *design, const struct ft_candidate *c);
	enum ft_metric metric; /* where there is no function */
	int tier;	       /* switches of it, else -1 */
} rows[] = {
	{"topology", add_topology, 0, -1},
	{"edge", NULL, 0, FT_TIER_EDGE},
	{"spine", NULL, 0, FT_TIER_SPINE},
	{"core", NULL, 0, FT_TIER_CORE},
	{"edge ports", add_split, 0, -1},
	{"bundle", add_bundle, 0, -1},
	{"blocking", NULL, FT_METRIC_BLOCKING, -1},
	{"clos", NULL, FT_METRIC_CLOS, -1},
	{"switches", NULL, FT_METRIC_SWITCHES, -1},
	{"cables", NULL, FT_METRIC_CABLES, -1},
	{"  to nodes", add_host_cables, 0, -1},
	{"  on", add_switch_cables, 0, -1},
	{"spare_ports", NULL, FT_METRIC_SPARE_PORTS, -1},
	{"expandable_to", NULL, FT_METRIC_EXPANDABLE_TO, -1},
	{"cost", NULL, FT_METRIC_COST, -1},
	{"power_w", NULL, FT_METRIC_POWER_W, -1},
	{"weight_kg", NULL, FT_METRIC_WEIGHT_KG, -1},
	{"size_u", NULL, FT_METRIC_SIZE_U, -1},
};

static void add_cell(struct ft_text *text, const struct ft_design *design, const struct ft_candidate *c, size_t row)
{
	if (rows[row].add)
		rows[row].add(text, design, c);
	else if (rows[row].tier >= 0)
		add_switches(text, c, (enum ft_tier)rows[row].tier);
	else
		ft_quantity_add(text, ft_candidate_metric(design, c, rows[row].metric));
}

/* How wide the column of a design must be. */
static size_t column_width(const struct ft_design *design, const struct ft_candidate *c, struct ft_text *cell)
{
	size_t width = COLUMN_WIDTH_MIN;

	for (size_t row = 0; row < FT_COUNT(rows); row++) {
		ft_text_reset(cell);
		add_cell(cell, design, c, row);
		width = cell->length > width ? cell->length : width;
	}
	return width;
}

static void add_padded(struct ft_text *text, const struct ft_text *cell, size_t width, bool last)
{
	ft_text_puts(text, ft_text_string(cell));
	if (!last)
		ft_text_printf(text, "%*s", (int)(width > cell->length ? width - cell->length : 0) + 2, "");
}

static bool row_is_empty(const struct ft_search *search, size_t row)
{
	for (size_t i = 0; i < search->count; i++)
		if (rows[row].tier < 0 || search->best[i].types[rows[row].tier])
			return false;
	return true;
}

/* What is not on the table, and why. */
static void add_unpriced(struct ft_text *text, const struct ft_search *search)
{
	if (search->unpriced)
		ft_text_printf(text,
			       "\n%llu more are left out: a figure that this goes by is not known of their switches.\n",
			       (unsigned long long)search->unpriced);
}

void ft_write_alternatives(struct ft_text *text, const struct ft_design *design, const struct ft_search *search)
{
	_cleanup_(ft_text_release) struct ft_text cell = {0};

	ft_text_add_safe(text, design->name, strlen(design->name));
	ft_text_printf(text, ": %zu design%s for %u node%s, by %s", search->count, search->count == 1 ? "" : "s",
		       design->nodes, ft_text_s(design->nodes), ft_metric_name(search->objective));
	ft_text_puts(text, search->fallback ? ", then by cables (no cost is known)\n\n" : "\n\n");
	ft_text_printf(text, "%-*s", NAME_WIDTH, "");
	for (size_t i = 0; i < search->count; i++) {
		ft_text_reset(&cell);
		ft_text_printf(&cell, "%zu", i + 1);
		/* The widths are found anew for each row: there are few. */
		ft_text_puts(text, ft_text_string(&cell));
		if (i + 1 < search->count) {
			size_t used = cell.length, width = column_width(design, &search->best[i], &cell);

			ft_text_printf(text, "%*s", (int)(width - used) + 2, "");
		}
	}
	ft_text_puts(text, "\n");
	for (size_t row = 0; row < FT_COUNT(rows); row++) {
		if (row_is_empty(search, row))
			continue;
		ft_text_printf(text, "%-*s", NAME_WIDTH, rows[row].name);
		for (size_t i = 0; i < search->count; i++) {
			size_t width = column_width(design, &search->best[i], &cell);

			ft_text_reset(&cell);
			add_cell(&cell, design, &search->best[i], row);
			add_padded(text, &cell, width, i + 1 == search->count);
		}
		ft_text_puts(text, "\n");
	}
	add_unpriced(text, search);
	text->failed |= cell.failed;
}

static void add_front_types(struct ft_text *text, const struct ft_candidate *c)
{
	const char *between = "";

	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++) {
		if (!c->types[tier])
			continue;
		ft_text_puts(text, between);
		add_switches(text, c, tier);
		between = " + ";
	}
}

void ft_write_front(struct ft_text *text, const struct ft_design *design, const struct ft_search *search,
		    enum ft_metric a, enum ft_metric b)
{
	_cleanup_(ft_text_release) struct ft_text cell = {0};
	const enum ft_metric metrics[] = {a, b};

	ft_text_add_safe(text, design->name, strlen(design->name));
	ft_text_printf(text, ": %zu design%s for %u node%s that none is better than in both %s and %s\n\n",
		       search->count, search->count == 1 ? "" : "s", design->nodes, ft_text_s(design->nodes),
		       ft_metric_name(a), ft_metric_name(b));
	ft_text_printf(text, "%-*s%-*sswitches\n", NAME_WIDTH, ft_metric_name(a), NAME_WIDTH, ft_metric_name(b));
	for (size_t i = 0; i < search->count; i++) {
		for (size_t k = 0; k < FT_COUNT(metrics); k++) {
			ft_text_reset(&cell);
			ft_quantity_add(&cell, ft_candidate_metric(design, &search->best[i], metrics[k]));
			ft_text_printf(text, "%-*s", NAME_WIDTH, ft_text_string(&cell));
		}
		add_front_types(text, &search->best[i]);
		ft_text_puts(text, "\n");
	}
	add_unpriced(text, search);
	text->failed |= cell.failed;
}
