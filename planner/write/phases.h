/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which part of a plan is to be built in which phase of its design.
 *
 * A phase names racks of the floor plan (floor.h), and switches. A switch that is named is of that phase, and so are
 * its hosts; any other switch or host is of the phase of its rack. A cable is of the later phase of its two ends. What
 * no phase names is due at once.
 */
#ifndef FT_PLANNER_WRITE_PHASES_H
#define FT_PLANNER_WRITE_PHASES_H

#include <stdbool.h>

#include "base/error.h"
#include "planner/plan/plan.h"

struct ft_phases {
	const struct ft_design *design; /* borrowed */
	uint32_t *of_switch;		/* by index into plan->switches: the design's phase, or FT_NONE */
	uint32_t *of_host;		/* likewise, by the host's number (plan/wiring.h) */
};

/*
 * The phases of @design on @plan.
 *
 * @ret_phases  out: the caller frees it; NULL if the design has none. Untouched on failure.
 * @err         on -EINVAL: the place in the design of a rack or switch that the plan does not have
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_phases_make(const struct ft_design *design, const struct ft_plan *plan, struct ft_phases **ret_phases,
		   struct ft_error *err);
void ft_phases_free(struct ft_phases *phases);
static inline void ft_phases_freep(struct ft_phases **phases)
{
	ft_phases_free(*phases);
}

/* Whether phase @phase is not over on @day, "2026-12-31"; FT_NONE never is open. */
bool ft_phase_is_open(const struct ft_design *design, uint32_t phase, const char *day);

/* Whether any is. */
bool ft_phases_open(const struct ft_phases *phases, const char *day);

/* The one that ends later; of two that end on one day the later in the design. */
uint32_t ft_phase_later(const struct ft_design *design, uint32_t one, uint32_t other);

#endif
