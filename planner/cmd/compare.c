/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/cmd/compare.h"

#include <errno.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/compare/chart.h"
#include "planner/compare/measure.h"
#include "planner/compare/names.h"
#include "planner/compare/table.h"

enum { POINTS_MAX = 400 }; /* numbers of nodes of a curve */

struct compare {
	const struct ft_plan_options *options;
	const struct ft_catalog *catalog; /* that networks are chosen from */
	struct ft_catalog *fallback;	  /* that, where the user names none; owned */
	const struct ft_catalog *named;	  /* that the user names; NULL: none */
	uint32_t *nodes;		  /* owned */
	size_t node_count;
	struct ft_comparison comparison;
	struct ft_text *refused; /* a line for each design that is */
	const struct ft_compare_progress *progress;
};

static void compare_release(struct compare *c)
{
	ft_catalog_free(c->fallback);
	free(c->nodes);
	ft_comparison_release(&c->comparison);
}

/* ---- numbers of nodes ---- */

/* Point @index of @count, in equal ratios from the first to the last number of nodes. */
static uint32_t spread(const struct ft_plan_options *options, uint32_t index, uint32_t count)
{
	double ratio = (double)options->last / options->first;

	if (index == 0 || count < 2)
		return options->first;
	return (uint32_t)(options->first * pow(ratio, (double)index / (count - 1)) + 0.5);
}

/* Every step of the range; where no step is given, so many numbers in equal ratios. */
static int nodes_list(struct compare *c, struct ft_error *err)
{
	enum { POINTS = 25 };
	const struct ft_plan_options *options = c->options;
	uint32_t range = options->last - options->first;
	uint32_t count = options->step ? range / options->step + 1 : range < POINTS ? range + 1 : POINTS;

	if (count > POINTS_MAX)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "--nodes %u..%u..%u has %u numbers of nodes, and %d are the most for a curve",
				    options->first, options->last, options->step, count, POINTS_MAX);
	c->nodes = calloc(count, sizeof(*c->nodes));
	if (!c->nodes)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t nodes = options->step ? options->first + i * options->step : spread(options, i, count);

		if (c->node_count == 0 || nodes > c->nodes[c->node_count - 1])
			c->nodes[c->node_count++] = nodes;
	}
	return 0;
}

/* ---- rows ---- */

static int string_put(char **where, const char *string)
{
	*where = string ? strdup(string) : NULL;
	return string && !*where ? -ENOMEM : 0;
}

static int row_prices(struct ft_compared *row, const struct ft_catalog *catalog)
{
	if (!catalog)
		return 0;
	row->cables_cost_alike = catalog->cable_count == 0 && catalog->cable_cost != FT_AMOUNT_UNKNOWN;
	if (string_put(&row->catalog, catalog->name) < 0 || string_put(&row->currency, catalog->currency) < 0 ||
	    string_put(&row->prices_of, catalog->prices_of) < 0)
		return -ENOMEM;
	return 0;
}

static void tell(const struct compare *c, const char *name, uint32_t nodes)
{
	if (c->progress)
		c->progress->tell(c->progress->data, name, nodes);
}

static int row_measure(struct compare *c, const struct ft_plan *plan, const struct ft_catalog *catalog,
		       struct ft_compared *row)
{
	const struct ft_compare_ask ask = {
		.catalog = catalog,
		.seed = c->comparison.seed,
		.orders = c->comparison.orders,
		.gap = c->options->gap,
		.brief = c->comparison.curve,
	};
	int r = row_prices(row, catalog);

	return r < 0 ? r : ft_compared_measure(plan, &ask, row);
}

/* "fat-tree, 3 levels". */
static int row_ask(struct ft_compared *row, const struct ft_compare_name *name)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_text_puts(&text, name->topology);
	if (name->levels)
		ft_text_printf(&text, ", %u levels", name->levels);
	if (ft_text_failed(&text))
		return -ENOMEM;
	row->asked = FT_STEAL(text.data);
	return 0;
}

/* One network for so many nodes: the one that --topology and --nodes choose. */
static int row_add_network(struct compare *c, const struct ft_compare_name *name, uint32_t nodes, struct ft_error *err)
{
	_cleanup_(ft_design_freep) struct ft_design *checked = NULL, *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_plan_options options = *c->options;
	struct ft_compared *row = ft_comparison_add(&c->comparison);
	struct ft_error why = {0};
	char levels[8];
	int r = row ? row_ask(row, name) : -ENOMEM;

	if (r < 0)
		return r;
	tell(c, row->asked, nodes);
	row->nodes = options.last = nodes;
	options.nodes = NULL;
	options.topology = name->topology;
	snprintf(levels, sizeof(levels), "%u", name->levels);
	options.levels = name->levels ? levels : NULL;
	r = ft_plan_options_design(&options, &text);
	/* Options that say nothing for any network are an error; that this one cannot be built is none. */
	if (r == 0)
		r = ft_design_read_unplanned(text.data, text.length, &checked, err);
	err->line = 0;
	if (r == 0)
		r = ft_design_read_with(text.data, text.length, c->catalog, &design, &plan, &why);
	if (r == -EINVAL && checked)
		return string_put(&row->refusal, why.text);
	return r < 0 ? r : row_measure(c, plan, c->catalog, row);
}

/* What is wrong with the design is a row: the others are compared all the same. */
static int row_refuse_design(struct compare *c, const char *path, int error, const struct ft_error *why)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_compared *row = ft_comparison_add(&c->comparison);

	if (!row)
		return -ENOMEM;
	row->asked_is_design = true;
	row->asked = ft_text_safe_dup(path, strlen(path));
	if (why->line)
		ft_text_printf(&text, "line %u, column %u: ", why->line, why->column);
	ft_text_puts(&text, why->text[0] ? why->text : strerror(-error));
	if (!row->asked || ft_text_failed(&text))
		return -ENOMEM;
	ft_text_puts(c->refused, row->asked);
	if (why->line)
		ft_text_printf(c->refused, ":%u:%u", why->line, why->column);
	ft_text_printf(c->refused, ": %s\n", why->text[0] ? why->text : strerror(-error));
	row->refusal = FT_STEAL(text.data);
	return 0;
}

static bool is_taken(const struct ft_comparison *comparison, const char *name)
{
	/* The last row is the one that is being named. */
	for (size_t i = 0; i + 1 < comparison->count; i++)
		if (strcmp(comparison->rows[i].asked, name) == 0)
			return true;
	return false;
}

/* Its name; of designs of one name "ours", "ours (2)", in the order in which they are given. */
static char *design_called(const struct ft_comparison *comparison, const char *name)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_text_add_safe(&text, name, strlen(name));
	for (int i = 2; !ft_text_failed(&text) && is_taken(comparison, ft_text_string(&text)); i++) {
		ft_text_reset(&text);
		ft_text_add_safe(&text, name, strlen(name));
		ft_text_printf(&text, " (%d)", i);
	}
	return ft_text_failed(&text) ? NULL : FT_STEAL(text.data);
}

static int row_add_design(struct compare *c, const char *path)
{
	_cleanup_(ft_catalog_freep) struct ft_catalog *own = NULL;
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct ft_compared *row;
	struct ft_error why = {0};
	int r;

	tell(c, path, 0);
	r = ft_design_load_with(path, c->named, &design, &plan, &why);
	if (r == 0 && !c->named)
		r = ft_plan_catalog(plan, &own, &why);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return row_refuse_design(c, path, r, &why);
	row = ft_comparison_add(&c->comparison);
	if (!row)
		return -ENOMEM;
	row->asked_is_design = true;
	row->asked = design_called(&c->comparison, design->name);
	return row->asked ? row_measure(c, plan, c->named ? c->named : own, row) : -ENOMEM;
}

/* ---- what is asked for ---- */

static bool is_file(const char *word, size_t length)
{
	return memchr(word, '/', length) || memchr(word, '.', length) || (length == 1 && word[0] == '-');
}

static int unknown_name(const char *word, size_t length, struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_text_puts(&text, "--compare knows no \"");
	ft_text_add_safe(&text, word, length);
	ft_text_puts(&text, "\"; there are ");
	ft_compare_add_names(&text);
	ft_text_puts(&text, ", and design files");
	return ft_text_failed(&text) ? -ENOMEM : ft_error_set(err, -EINVAL, 0, 0, "%s", ft_text_string(&text));
}

/* A range is not searched again for networks of other levels than --levels says. */
static bool is_wanted(const struct compare *c, const struct ft_compare_name *name)
{
	return !c->options->levels || !name->levels || name->levels == (uint32_t)strtoul(c->options->levels, NULL, 10);
}

static int add_networks(struct compare *c, const char *word, size_t length, struct ft_error *err)
{
	struct ft_compare_name names[FT_COMPARE_NAMES_MAX];
	size_t count = ft_compare_names(word, length, names);
	int r = 0;

	if (count == 0)
		return unknown_name(word, length, err);
	if (c->node_count == 0)
		return ft_error_set(err, -EINVAL, 0, 0, "--compare %.*s goes with --nodes", (int)length, word);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; r == 0 && is_wanted(c, &names[i]) && k < c->node_count; k++)
			r = row_add_network(c, &names[i], c->nodes[k], err);
	return r;
}

/* The words of the list behind --compare, and then the designs. */
static int add_all(struct compare *c, struct ft_error *err)
{
	const struct ft_plan_options *options = c->options;
	int r = 0;

	for (const char *word = options->compare, *end; r == 0; word = end + 1) {
		size_t length = strcspn(word, ",");

		end = word + length;
		if (is_file(word, length)) {
			_cleanup_free_ char *path = strndup(word, length);

			r = path ? row_add_design(c, path) : -ENOMEM;
		} else {
			r = add_networks(c, word, length, err);
		}
		if (*end == '\0')
			break;
	}
	for (int i = 0; r == 0 && i < options->design_count; i++)
		r = row_add_design(c, options->designs[i]);
	return r;
}

static int make(struct compare *c, struct ft_error *err)
{
	int r = 0;

	c->comparison.seed = FT_COMPARE_SEED;
	c->comparison.orders = FT_COMPARE_ORDERS;
	if (c->options->last > 0)
		r = nodes_list(c, err);
	if (r == 0 && !c->named)
		r = ft_catalog_load(FT_CATALOG_DEFAULT, &c->fallback, NULL);
	if (r < 0)
		return r;
	c->comparison.curve = c->node_count > 1;
	c->comparison.verbose = c->options->verbose;
	c->catalog = c->named ? c->named : c->fallback;
	r = add_all(c, err);
	if (r == 0 && c->comparison.count == 0)
		return ft_error_set(err, -EINVAL, 0, 0, "--compare: --levels leaves none of these networks");
	return r;
}

static const struct {
	const char *format;
	void (*write)(struct ft_text *text, const struct ft_comparison *comparison);
} writers[] = {
	{"text", ft_comparison_write_text},
	{"csv", ft_comparison_write_csv},
	{"json", ft_comparison_write_json},
	{"svg", ft_comparison_write_svg},
};

/* All that was asked for is designs, and each of them is refused. */
static bool is_all_refused(const struct ft_comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++)
		if (comparison->rows[i].network || !comparison->rows[i].asked_is_design)
			return false;
	return true;
}

int ft_compare_networks(const struct ft_plan_options *options, const struct ft_catalog *catalog, struct ft_text *text,
			struct ft_text *refused, const struct ft_compare_progress *progress, struct ft_error *err)
{
	_cleanup_(compare_release) struct compare c = {
		.options = options, .named = catalog, .refused = refused, .progress = progress};
	int r = make(&c, err);

	if (r < 0)
		return r;
	if (is_all_refused(&c.comparison))
		return 1;
	for (size_t i = 0; i < FT_COUNT(writers); i++)
		if (strcmp(options->format->name, writers[i].format) == 0)
			writers[i].write(text, &c.comparison);
	return ft_text_failed(text) ? -ENOMEM : 0;
}
