/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/design/catalog_parts.h"

#include <errno.h>
#include <stdlib.h>

/* ---- switches by their ports ---- */

#define RANGE(field) offsetof(struct ft_catalog_range, field)

int ft_catalog_key_range(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"from", ft_key_count, RANGE(from), 2, FT_PORTS_MAX, "the fewest ports there are"},
		{"to", ft_key_count, RANGE(to), 2, FT_PORTS_MAX, "the most ports there are"},
		{"step", ft_key_count, RANGE(step), 1, FT_PORTS_MAX, NULL},
		{"cost_per_port", ft_key_amount, RANGE(cost_per_port), 0, 0, NULL},
		{"cost_less", ft_key_amount, RANGE(cost_less), 0, 0, NULL},
		{"power_w_per_port", ft_key_amount, RANGE(power_w_per_port), 0, 0, NULL},
		{"note", ft_key_note, 0, 0, 0, NULL},
		{"why", ft_key_notes, 0, 0, 0, NULL},
	};
	struct ft_catalog_range *range = out;
	int r;

	*range = (struct ft_catalog_range){
		.step = 1, .cost_per_port = FT_AMOUNT_UNKNOWN, .power_w_per_port = FT_AMOUNT_UNKNOWN};
	r = ft_key_read_part(reader, at, keys, sizeof(keys) / sizeof(keys[0]), range);
	if (r == 0 && range->from > range->to)
		return ft_key_error(reader, at, "is from %u to %u, which is nothing", range->from, range->to);
	if (r == 0 && range->cost_less == FT_AMOUNT_UNKNOWN)
		range->cost_less = 0;
	return r;
}

/* @own: the part that is the same for any number of ports. */
static int64_t ports_amount(int64_t own, int64_t per_port, uint32_t ports)
{
	if (per_port == FT_AMOUNT_UNKNOWN)
		return own;
	return (own == FT_AMOUNT_UNKNOWN ? 0 : own) + per_port * ports;
}

void ft_catalog_range_price(const struct ft_catalog_range *range, struct ft_switch_type *type)
{
	type->cost = ports_amount(type->cost, range->cost_per_port, type->ports);
	type->power_w = ports_amount(type->power_w, range->power_w_per_port, type->ports);
	if (type->cost != FT_AMOUNT_UNKNOWN)
		type->cost = type->cost > range->cost_less ? type->cost - range->cost_less : 0;
}

/* ---- cables by their length ---- */

/* As it stands in the file. */
struct cable {
	struct ft_cable_type type;
	int64_t max_m; /* thousandths */
};

static int key_medium(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const char *const words[] = {"electric", "optical", NULL};
	enum ft_cable_medium *medium = out;
	int word, r = ft_key_find_word(reader, at, words, &word);

	if (r == 0)
		*medium = (enum ft_cable_medium)word;
	return r;
}

#define CABLE(field) offsetof(struct cable, field)

static int cable_read(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"type", key_medium, CABLE(type.medium), 0, 0, "electric or optical"},
		{"max_m", ft_key_amount, CABLE(max_m), 0, 0, NULL},
		{"cost", ft_key_amount, CABLE(type.cost), 0, 0, NULL},
		{"cost_per_m", ft_key_amount, CABLE(type.cost_per_m), 0, 0, NULL},
		{"note", ft_key_note, 0, 0, 0, NULL},
		{"why", ft_key_notes, 0, 0, 0, NULL},
	};
	struct cable cable = {{.cost = FT_AMOUNT_UNKNOWN, .cost_per_m = FT_AMOUNT_UNKNOWN}, FT_AMOUNT_UNKNOWN};
	struct ft_catalog *catalog = out;
	int r = ft_key_read_part(reader, at, keys, sizeof(keys) / sizeof(keys[0]), &cable);

	if (r < 0)
		return r;
	/* Thousandths of a metre are millimetres; beyond what a number holds, any cable is short enough. */
	cable.type.length_max_mm =
		cable.max_m == FT_AMOUNT_UNKNOWN || cable.max_m > UINT32_MAX ? UINT32_MAX : (uint32_t)cable.max_m;
	/* One of the two says the price; the other is nothing then. */
	if (cable.type.cost != FT_AMOUNT_UNKNOWN && cable.type.cost_per_m == FT_AMOUNT_UNKNOWN)
		cable.type.cost_per_m = 0;
	if (cable.type.cost_per_m != FT_AMOUNT_UNKNOWN && cable.type.cost == FT_AMOUNT_UNKNOWN)
		cable.type.cost = 0;
	catalog->cables[catalog->cable_count++] = cable.type;
	return 0;
}

int ft_catalog_key_cables(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_catalog *catalog = out;
	int r = ft_key_expect_filled_list(reader, at);

	if (r < 0)
		return r;
	catalog->cables = calloc(json_array_size(at->value), sizeof(*catalog->cables));
	if (!catalog->cables)
		return -ENOMEM;
	/* All into the same catalog. */
	return ft_key_read_elements(reader, at, cable_read, 0, catalog);
}
