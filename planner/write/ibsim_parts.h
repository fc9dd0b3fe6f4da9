/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What writes the network file of ibsim, in parts: whether a plan fits (ibsim_check.c), what its switches are called
 * (ibsim_names.c), and the file (ibsim.c). Private to these.
 */
#ifndef FT_PLANNER_WRITE_IBSIM_PARTS_H
#define FT_PLANNER_WRITE_IBSIM_PARTS_H

#include "planner/plan/chips.h"
#include "planner/plan/plan.h"

enum {
	FT_IBSIM_NAME_MAX = 63, /* ibsim keeps one byte of the 64 of a description for a NUL */
	FT_IBSIM_SLOT_MAX = 12, /* " L0123/100" behind the name of a director */
};

/* GUIDs that are made up begin here: of switches, of hosts, of chips of directors. */
enum {
	FT_IBSIM_SWITCH_GUID = 0x100001,
	FT_IBSIM_HOST_GUID = 0x200001,
	FT_IBSIM_CHIP_GUID = 0x1000001,
};

/*
 * The directors of each tier, where what is not known is as usual; all 0 for tiers of other switches. Returns 0, or
 * -EINVAL with @err filled.
 */
int ft_ibsim_insides(const struct ft_plan *plan, struct ft_inside insides[FT_TIER_COUNT], struct ft_error *err);

/*
 * Names for switches whose planned names cannot be used.
 *
 * @names  [plan->switch_count], all NULL; out: a name in place of the plan's, or NULL. Owned by the caller, whatever is
 *         returned
 * Returns 0 or -ENOMEM.
 */
int ft_ibsim_names_find(const struct ft_design *design, const struct ft_plan *plan, char **names);

/* The array too; NULL is fine. */
void ft_ibsim_names_free(const struct ft_plan *plan, char **names);

/* What stands before the slot in the names of the chips of a director. */
struct ft_ibsim_chassis {
	char *stem; /* owned; NULL: the name of the director */
	bool bare;  /* no slot may stand behind it: all chips have one name */
};

/*
 * A name for a director of a tier whose design has a pattern for chassis.
 *
 * @number  its number in the tier, from 1
 * @name    what it is called otherwise
 * @free    it may be called anything
 * @ret     all 0, and so it stays where no name is found that serves: it keeps @name
 * Returns 0 or -ENOMEM.
 */
int ft_ibsim_chassis_name(const struct ft_pattern *pattern, uint32_t number, const char *name, bool free,
			  struct ft_ibsim_chassis *ret);

/* [count], the array too; NULL is fine. */
void ft_ibsim_chassis_free(struct ft_ibsim_chassis *chassis, uint32_t count);

#endif
