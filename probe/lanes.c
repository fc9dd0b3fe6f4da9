/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ft_lanes_free(struct ft_lanes *lanes)
{
	if (!lanes)
		return;
	free(lanes->rows);
	free(lanes->weights);
	ft_map_release(&lanes->weights_of);
	ft_map_release(&lanes->row_of);
	ft_map_release(&lanes->level_of);
	free(lanes);
}

int ft_lanes_new(struct ft_lanes **ret_lanes)
{
	*ret_lanes = calloc(1, sizeof(**ret_lanes));
	return *ret_lanes ? 0 : -ENOMEM;
}

static uint64_t crossing_key(const struct ft_crossing *at)
{
	return (uint64_t)at->node << 16 | (unsigned int)at->in << 8 | at->out;
}

int ft_lanes_set_row(struct ft_lanes *lanes, const struct ft_crossing *at, const uint8_t row[FT_LANE_LEVELS])
{
	uint32_t number;
	int r;

	if (lanes->row_count == lanes->row_size) {
		uint32_t size = lanes->row_size ? lanes->row_size * 2 : 64;
		void *rows = reallocarray(lanes->rows, size, sizeof(*lanes->rows));

		if (!rows)
			return -ENOMEM;
		lanes->rows = rows;
		lanes->row_size = size;
	}
	r = ft_map_add(&lanes->row_of, crossing_key(at), lanes->row_count, &number);
	if (r < 0)
		return r;
	memcpy(lanes->rows[number], row, sizeof(*lanes->rows));
	lanes->row_count += (uint32_t)r;
	return 0;
}

int ft_lanes_set_level(struct ft_lanes *lanes, const struct ft_lane_path *path, unsigned int level)
{
	int r = ft_map_add(&lanes->level_of, (uint64_t)path->from << 16 | path->to, level, NULL);

	return r < 0 ? r : 0;
}

int ft_lanes_add_weights(struct ft_lanes *lanes, uint32_t node, uint8_t out, uint16_t weights)
{
	uint32_t number;
	int r;

	if (lanes->weight_count == lanes->weight_size) {
		uint32_t size = lanes->weight_size ? lanes->weight_size * 2 : 64;
		void *more = reallocarray(lanes->weights, size, sizeof(*lanes->weights));

		if (!more)
			return -ENOMEM;
		lanes->weights = more;
		lanes->weight_size = size;
	}
	r = ft_map_add(&lanes->weights_of, (uint64_t)node << 8 | out, lanes->weight_count, &number);
	if (r < 0)
		return r;
	if (r == 1)
		lanes->weights[lanes->weight_count++] = 0;
	lanes->weights[number] |= weights;
	return 0;
}

bool ft_lanes_is_sent(const struct ft_lanes *lanes, const struct ft_crossing *at, unsigned int lane)
{
	uint32_t number = ft_map_get(&lanes->weights_of, (uint64_t)at->node << 8 | at->out);

	return number == FT_NONE || lanes->weights[number] == 0 || (lanes->weights[number] >> lane & 1) != 0;
}

unsigned int ft_lanes_level(const struct ft_lanes *lanes, uint16_t from, uint16_t to)
{
	uint32_t level = ft_map_get(&lanes->level_of, (uint64_t)from << 16 | to);

	return level == FT_NONE ? FT_LANE_UNKNOWN : level;
}

unsigned int ft_lanes_lane(const struct ft_lanes *lanes, const struct ft_crossing *at, unsigned int level)
{
	uint32_t number = ft_map_get(&lanes->row_of, crossing_key(at));
	const uint8_t *row;

	if (number == FT_NONE)
		return FT_LANE_UNKNOWN;
	row = lanes->rows[number];
	if (level < FT_LANE_LEVELS)
		return row[level];
	for (unsigned int i = 1; i < FT_LANE_LEVELS; i++)
		if (row[i] != row[0])
			return FT_LANE_UNKNOWN;
	return row[0];
}
