/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/grid.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

char *ft_grid_switch_name(const struct ft_layout *layout, const uint32_t *at)
{
	char name[FT_DIMENSIONS_MAX * 11 + 3] = "sw";
	size_t length = 2;

	for (uint32_t i = 0; i < layout->keys.dim_count; i++)
		length += (size_t)snprintf(name + length, sizeof(name) - length, "-%0*u",
					   ft_digits_below(layout->keys.dims[i]), at[i]);
	return strdup(name);
}

void ft_grid_step(const struct ft_layout *layout, uint32_t *at)
{
	for (uint32_t i = layout->keys.dim_count; i-- > 0;) {
		if (++at[i] < layout->keys.dims[i])
			return;
		at[i] = 0;
	}
}

void ft_grid_label(struct ft_text *text, const struct ft_layout *layout)
{
	for (uint32_t i = 0; i < layout->keys.dim_count; i++)
		ft_text_printf(text, "%s%u", i ? "x" : "", layout->keys.dims[i]);
}
