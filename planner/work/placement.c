/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/work/placement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Of the document: the 20 hosts of a TwinBlade enclosure. */
enum { DOCUMENT_X = 5, DOCUMENT_Y = 4, SIDE_MAX = 4096 };

static int side_read(const char **string, uint32_t *ret_side)
{
	size_t digits = strspn(*string, "0123456789");
	unsigned long value = digits > 0 && digits < 6 ? strtoul(*string, NULL, 10) : 0;

	if (value < 1 || value > SIDE_MAX)
		return -EINVAL;
	*string += digits;
	*ret_side = (uint32_t)value;
	return 0;
}

int ft_placement_read(const char *string, struct ft_placement *ret)
{
	struct ft_placement placement = {.automatic = strcmp(string, "auto") == 0};

	if (!placement.automatic && strcmp(string, "consecutive") != 0) {
		if (side_read(&string, &placement.x) < 0 || *string++ != 'x' || side_read(&string, &placement.y) < 0 ||
		    *string)
			return -EINVAL;
	}
	*ret = placement;
	return 0;
}

const char *ft_placement_name(struct ft_placement placement, char buffer[FT_PLACEMENT_NAME_SIZE])
{
	if (placement.x == 0)
		snprintf(buffer, FT_PLACEMENT_NAME_SIZE, "%s", placement.automatic ? "auto" : "consecutive");
	else
		snprintf(buffer, FT_PLACEMENT_NAME_SIZE, "%ux%u", placement.x, placement.y);
	return buffer;
}

uint32_t ft_placement_width(uint32_t tasks)
{
	uint32_t divisor = 1, root = 1;

	for (uint32_t i = 1; (uint64_t)i * i <= tasks; i++) {
		root = i;
		divisor = tasks % i == 0 ? i : divisor;
	}
	/* A torus thinner than 1:4 is none: then the last row is not full. */
	return (uint64_t)divisor * divisor * 4 >= tasks ? divisor : root;
}

/* Switches with hosts, if all have @each; 0: they have not. */
static uint32_t switches_of(const struct ft_work_net *t, uint32_t each)
{
	for (uint32_t i = 0; i < t->host_count; i++)
		if (t->hosts[i - i % each].sw != t->hosts[i].sw ||
		    (i >= each && t->hosts[i - each].sw == t->hosts[i].sw))
			return 0;
	return t->host_count % each == 0 ? t->host_count / each : 0;
}

static bool is_document_grid(const struct ft_work_net *t)
{
	return t->plan->dim_count == 2 &&
	       switches_of(t, DOCUMENT_X * DOCUMENT_Y) == t->plan->dims[0] * t->plan->dims[1];
}

/* Columns of the grid of switches. */
static uint32_t columns_of(const struct ft_work_net *t, const struct ft_placement *placement, uint32_t switches)
{
	uint64_t least = UINT64_MAX;
	uint32_t columns = 1;

	if (t->plan->dim_count == 2 && t->plan->dims[0] * t->plan->dims[1] == switches)
		return t->plan->dims[0];
	for (uint32_t i = 1; i <= switches; i++) {
		uint64_t x = (uint64_t)i * placement->x, y = (uint64_t)(switches / i) * placement->y;
		uint64_t uneven = x > y ? x - y : y - x;

		if (switches % i == 0 && uneven < least) {
			least = uneven;
			columns = i;
		}
	}
	return columns;
}

static int refuse(const struct ft_placement *placement, struct ft_error *err)
{
	return ft_error_set(err, -EINVAL, 0, 0,
			    "placement %ux%u takes %u hosts on each switch that has any; here they differ: use "
			    "--placement consecutive",
			    placement->x, placement->y, placement->x * placement->y);
}

int ft_placement_make(const struct ft_work_net *t, struct ft_placement *placement, uint32_t **ret_host_of,
		      uint32_t *ret_mesh_x, struct ft_error *err)
{
	_cleanup_free_ uint32_t *host_of = calloc(t->host_count + 1UL, sizeof(*host_of));
	uint32_t each, switches, rows, width = 0;

	if (!host_of)
		return -ENOMEM;
	if (placement->automatic)
		*placement = is_document_grid(t) ? (struct ft_placement){DOCUMENT_X, DOCUMENT_Y, false}
						 : (struct ft_placement){0};
	each = placement->x * placement->y;
	switches = each > 0 ? switches_of(t, each) : 0;
	if (each > 0 && switches == 0)
		return refuse(placement, err);
	if (each > 0)
		width = columns_of(t, placement, switches) * placement->x;
	rows = each > 0 ? switches / (width / placement->x) : 0;
	for (uint32_t host = 0; host < t->host_count; host++) {
		uint32_t task = host;

		/* The last coordinate of switches runs fastest, and of the tasks the first. */
		if (each > 0)
			task = (host / each % rows * placement->y + host % each / placement->x) * width +
			       host / each / rows * placement->x + host % each % placement->x;
		host_of[task] = host;
	}
	*ret_host_of = FT_STEAL(host_of);
	*ret_mesh_x = width;
	return 0;
}
