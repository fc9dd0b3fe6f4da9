/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a walk over the tables of Ethernet switches found. */
#ifndef FT_PLANNER_WRITE_WALK_H
#define FT_PLANNER_WRITE_WALK_H

#include "planner/ethernet/walk.h"

struct ft_text;

/* A walk, and what it was over. */
struct ft_walked {
	const struct ft_ethernet *ethernet;
	const struct ft_tables *tables;
	const struct ft_table_walk *walk;
};

/* For people; as JSON (etc/walk.schema.json); and the load of each bundle as CSV. They return 0 or -ENOMEM. */
int ft_write_walk(struct ft_text *text, const struct ft_walked *walked);
int ft_write_walk_json(struct ft_text *text, const struct ft_walked *walked);
int ft_write_walk_csv(struct ft_text *text, const struct ft_walked *walked);

#endif
