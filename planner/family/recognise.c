/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/recognise.h"

#include "base/text.h"

void ft_family_keys_init(struct ft_family_keys *keys)
{
	*keys = (struct ft_family_keys){.seed = 1};
	keys->dimensions = keys->local_bundle = keys->global_bundle = FT_NONE;
	keys->routers = keys->leafs = keys->spines = keys->global = keys->groups = FT_NONE;
	keys->q = keys->primitive = keys->degree = keys->m = keys->n = keys->r = FT_NONE;
}

int ft_family_guess(const struct ft_sketch *sketch)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < ft_family_count; i++)
		if (ft_families[i]->recognise)
			r = ft_families[i]->recognise(sketch);
	return r;
}

static void add_list(struct ft_text *text, const char *key, const uint32_t *numbers, uint32_t count)
{
	if (count == 0)
		return;
	ft_text_printf(text, ",\n\t\"%s\": [", key);
	for (uint32_t i = 0; i < count; i++)
		ft_text_printf(text, "%s%u", i ? ", " : "", numbers[i]);
	ft_text_puts(text, "]");
}

static void add_number(struct ft_text *text, const char *key, uint32_t number)
{
	if (number != FT_NONE)
		ft_text_printf(text, ",\n\t\"%s\": %u", key, number);
}

/* The members of an object that are said. */
static void add_object(struct ft_text *text, const char *key, const char *const *names, const uint32_t *numbers,
		       size_t count)
{
	const char *between = "";

	for (size_t i = 0; i < count; i++) {
		if (numbers[i] == FT_NONE)
			continue;
		if (!*between)
			ft_text_printf(text, ",\n\t\"%s\": {", key);
		ft_text_printf(text, "%s\"%s\": %u", between, names[i], numbers[i]);
		between = ", ";
	}
	if (*between)
		ft_text_puts(text, "}");
}

/* Unlike groups of leafs and spines. */
static void add_sizes(struct ft_text *text, const struct ft_family_keys *keys)
{
	ft_text_puts(text, ",\n\t\"groups\": [");
	for (size_t i = 0; i < keys->size_count; i++)
		ft_text_printf(text, "%s{\"count\": %u, \"leafs\": %u, \"spines\": %u}", i ? ", " : "",
			       keys->sizes[i].count, keys->sizes[i].leafs, keys->sizes[i].spines);
	ft_text_puts(text, "]");
}

void ft_family_keys_write(struct ft_text *text, const struct ft_family_keys *keys)
{
	static const char *const group_names[] = {"routers", "leafs", "spines", "global"};
	static const char *const bundle_names[] = {"local", "global"};
	const uint32_t group[] = {keys->routers, keys->leafs, keys->spines, keys->global};
	const uint32_t bundle[] = {keys->local_bundle, keys->global_bundle};

	add_list(text, "dims", keys->dims, keys->dim_count);
	add_number(text, "dimensions", keys->dimensions);
	add_list(text, "bundle", keys->bundles, keys->bundle_count);
	add_object(text, "bundle", bundle_names, bundle, FT_COUNT(bundle));
	add_object(text, "group", group_names, group, FT_COUNT(group));
	if (keys->sizes)
		add_sizes(text, keys);
	else
		add_number(text, "groups", keys->groups);
	if (keys->arrangement == FT_ARRANGEMENT_RELATIVE)
		ft_text_puts(text, ",\n\t\"arrangement\": \"relative\"");
	if (keys->arrangement == FT_ARRANGEMENT_CIRCULANT)
		ft_text_puts(text, ",\n\t\"arrangement\": \"circulant\"");
	add_number(text, "q", keys->q);
	add_number(text, "primitive", keys->primitive);
	add_number(text, "degree", keys->degree);
}
