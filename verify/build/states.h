/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The state of each planned cable, from a model that is explained. Private to verify/build/.
 *
 * Bundle by bundle: first observed cables in their planned ports, then those in other ports; then those that a finding
 * says are elsewhere; the rest is missing, or could not be told. Hosts likewise: listed ones, then others. Last come
 * rates, errors and phases, which only change the state of a cable in its place, or of one that is missing.
 *
 * Invariant: a row gets a state once, and an observed cable or host is in one row at most. Cost: for each bundle its
 * wires times the cables of its switch.
 */
#ifndef FT_VERIFY_BUILD_STATES_H
#define FT_VERIFY_BUILD_STATES_H

#include "planner/plan/wiring.h"
#include "planner/write/cable_rows.h"
#include "planner/write/floor.h"
#include "planner/write/phases.h"
#include "verify/build/build.h"
#include "verify/model/model.h"

/* The rows of the whole plan, and their states. */
struct ft_states {
	const struct ft_plan *plan; /* the input's */
	struct ft_wiring wiring;
	struct ft_floor *floor;	       /* NULL: it has no room for the plan */
	struct ft_cable_row *rows;     /* owned */
	struct ft_build_cable *states; /* [count]: what the checks tell of each row; its ends and words are unset */
	uint32_t count;
	bool rails;		/* as in struct ft_build */
	struct ft_arena memory; /* of @states */
};

/*
 * @m       explained, by the whole plan or by what is due of it; the rows are those of the whole plan
 * @phases  NULL: all is due
 * Returns 0 or -ENOMEM. The caller releases @ret_states in any case.
 */
int ft_states_make(const struct ft_model *m, const struct ft_phases *phases, const char *day,
		   struct ft_states *ret_states);
void ft_states_release(struct ft_states *states);

#endif
