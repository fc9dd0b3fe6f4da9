/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Catalogs by their names, built in or files, and what else is asked of one that is read. */
#include "planner/plan/catalog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "planner/design/catalog_data.h"
#include "planner/plan/keys.h"
#include "planner/plan/plan.h"

enum { CATALOG_SIZE_MAX = 16 << 20 };

void ft_catalog_add_currency(struct ft_text *text, const struct ft_catalog *catalog)
{
	if (catalog && catalog->currency[0])
		ft_text_printf(text, " %s", catalog->currency);
}

void ft_catalog_add_time(struct ft_text *text, const struct ft_catalog *catalog)
{
	if (catalog && catalog->prices_of[0])
		ft_text_printf(text, " (prices of %s)", catalog->prices_of);
}

const char *ft_catalog_builtin_name(size_t index)
{
	return ft_catalog_data[index].name;
}

const char *ft_catalog_builtin_text(size_t index)
{
	return ft_catalog_data[index].text;
}

static bool is_file_name(const char *name)
{
	static const char suffix[] = ".json";
	size_t length = strlen(name), tail = strlen(suffix);

	return strchr(name, '/') || (length >= tail && strcmp(name + length - tail, suffix) == 0);
}

static int nowhere(struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text names = {0};

	for (size_t i = 0; ft_catalog_data[i].name; i++)
		ft_text_printf(&names, "%s%s", i ? ", " : "", ft_catalog_data[i].name);
	return ft_error_set(err, -ENOENT, 0, 0, "there is no such file, and the built-in catalogs are %s",
			    ft_text_string(&names));
}

int ft_catalog_load(const char *name, struct ft_catalog **ret_catalog, struct ft_error *err)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int r;

	if (err)
		err->file = name;
	for (size_t i = 0; !is_file_name(name) && ft_catalog_data[i].name; i++)
		if (strcmp(ft_catalog_data[i].name, name) == 0)
			return ft_catalog_read(ft_catalog_data[i].text, strlen(ft_catalog_data[i].text), ret_catalog,
					       err);
	r = ft_file_read(name, CATALOG_SIZE_MAX, &text, &length, err);
	if (r == -ENOENT && !is_file_name(name))
		return nowhere(err);
	if (r < 0)
		return r;
	return ft_catalog_read(text, length, ret_catalog, err);
}

bool ft_model_is(const char *name, const char *family, const char *asked)
{
	const char *whole = family ? family : name;
	size_t length = strlen(whole), suffix = strlen(asked);

	if (strcmp(name, asked) == 0 || strcmp(whole, asked) == 0)
		return true;
	return suffix > 0 && suffix < length && whole[length - suffix - 1] == ' ' &&
	       strcmp(whole + length - suffix, asked) == 0;
}

int ft_plan_catalog(const struct ft_plan *plan, struct ft_catalog **ret_catalog, struct ft_error *err)
{
	for (size_t i = 0; plan->catalog && ft_catalog_data[i].name; i++)
		if (strcmp(ft_catalog_data[i].name, plan->catalog) == 0)
			return ft_catalog_load(plan->catalog, ret_catalog, err);
	return 0;
}

/* ---- cables ---- */

const struct ft_cable_type *ft_catalog_cable(const struct ft_catalog *catalog, uint32_t length_mm)
{
	for (size_t i = 0; i < catalog->cable_count; i++)
		if (length_mm <= catalog->cables[i].length_max_mm)
			return &catalog->cables[i];
	return NULL;
}

int64_t ft_catalog_cable_cost(const struct ft_catalog *catalog, uint32_t length_mm)
{
	const struct ft_cable_type *type;
	int64_t cost;

	if (!catalog)
		return FT_AMOUNT_UNKNOWN;
	if (catalog->cable_count == 0)
		return catalog->cable_cost;
	type = ft_catalog_cable(catalog, length_mm);
	if (!type || type->cost == FT_AMOUNT_UNKNOWN || type->cost_per_m == FT_AMOUNT_UNKNOWN)
		return FT_AMOUNT_UNKNOWN;
	/* No price is beyond what a catalog may say, so that sums of many stay in range. */
	if (__builtin_mul_overflow(type->cost_per_m, (int64_t)length_mm, &cost) ||
	    type->cost + cost / 1000 > (int64_t)FT_KEY_AMOUNT_MAX * FT_AMOUNT_UNIT)
		return FT_AMOUNT_UNKNOWN;
	return type->cost + cost / 1000;
}
