/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the steps of making directors whole share. Private to chassis.c and the files of its steps. */
#ifndef FT_VERIFY_CHASSIS_PARTS_H
#define FT_VERIFY_CHASSIS_PARTS_H

#include "planner/wiring.h"
#include "verify/chassis.h"

#define FT_NO_GROUP UINT32_MAX

/* What a chip is in its group. */
enum ft_chip_role { FT_CHIP_NONE, FT_CHIP_LINE, FT_CHIP_FABRIC };

/* The switch nodes of a fabric, as far as they belong together. */
struct ft_groups {
	const struct ft_snapshot *chips;
	const struct ft_design *design; /* or NULL */
	const struct ft_plan *plan;	/* or NULL */
	uint32_t *group;		/* by node: its group, or FT_NO_GROUP */
	uint8_t *role;			/* by node: enum ft_chip_role */
	uint8_t *pattern;		/* by node: the tier whose chassis pattern matches, or FT_TIER_COUNT */
	uint32_t count;			/* groups; each is a director */
};

/* chassis_groups.c: finds what belongs together. The caller releases @ret also on failure. Returns 0 or -ENOMEM. */
int ft_groups_find(const struct ft_snapshot *chips, const struct ft_design *design, const struct ft_plan *plan,
		   struct ft_groups *ret);
void ft_groups_release(struct ft_groups *g);

/* chassis_boards.c: gives each chip its board and number, and each director what is seen of its inside. */
int ft_boards_number(struct ft_chassis *c, const struct ft_snapshot *chips, const struct ft_plan *plan);

/* What the plan says of directors of @tier; all 0 where there is none. */
static inline struct ft_inside ft_inside_planned(const struct ft_plan *plan, enum ft_tier tier)
{
	return plan ? plan->inside[tier] : (struct ft_inside){0};
}

/* The ports that the plan gives directors of @tier, or 0. */
static inline uint32_t ft_ports_planned(const struct ft_plan *plan, enum ft_tier tier)
{
	const uint32_t ports[FT_TIER_COUNT] = {
		[FT_TIER_EDGE] = plan ? plan->edge_ports : 0,
		[FT_TIER_SPINE] = plan ? plan->spine_ports : 0,
		[FT_TIER_CORE] = plan ? plan->core_ports : 0,
	};

	return ports[tier];
}

/* True where the plan has directors in @tier. */
static inline bool ft_tier_has_directors(const struct ft_plan *plan, enum ft_tier tier)
{
	uint32_t ports = ft_ports_planned(plan, tier);

	return ports > 0 && (plan->directors[tier] || ports > FT_PORTS_MAX);
}

#endif
