/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A plan port by port: the bundles and hosts of each switch, and all names. All writers use it, so that their outputs
 * agree.
 */
#ifndef FT_PLANNER_PLAN_WIRING_H
#define FT_PLANNER_PLAN_WIRING_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/plan/design.h"
#include "planner/plan/plan.h"

struct ft_wiring {
	uint32_t *first_host;	/* of each switch: its number among all hosts, from 0, edge by edge */
	uint32_t *first_bundle; /* of each switch and one more: where in @bundles its own begin */
	uint32_t *bundles;	/* numbers of the bundles that end at the switch, in the plan's order */
	uint32_t *first_cable;	/* of each bundle: where in @cables its own begin */
	struct ft_wire *cables; /* bundle by bundle */
	struct ft_host_wire *hosts;
};

/* The ports of a cable between switches. */
struct ft_wire {
	uint32_t a_port, b_port;
};

/* The port of a host. */
struct ft_host_wire {
	uint32_t port;	 /* of its edge switch */
	uint32_t listed; /* its number in the plan's list of hosts; FT_NONE: unlisted */
};

/*
 * Ports given by the plan are kept; otherwise cables get the ports of their bundle if these are free, and hosts the
 * lowest free ports.
 *
 * Returns 0 or -ENOMEM. ft_wiring_release() is fine on one of zeros.
 */
int ft_wiring_make(const struct ft_plan *plan, struct ft_wiring *ret_wiring);
void ft_wiring_release(struct ft_wiring *wiring);

enum { FT_HOST_NAME_SIZE = 16 };

/* Hosts of the tree, and those of islands behind them. */
uint32_t ft_plan_host_total(const struct ft_plan *plan);

/* The name of host @host (from 0, edge by edge): "node001", with as many digits as the last has. Returns @buffer. */
const char *ft_plan_host_name(const struct ft_plan *plan, uint32_t host, char buffer[FT_HOST_NAME_SIZE]);

/* The same for a plan that may list its hosts: the name in the list, or "unlisted001" for an unlisted one. */
const char *ft_wiring_host_name(const struct ft_plan *plan, const struct ft_wiring *wiring, uint32_t host,
				char buffer[FT_HOST_NAME_SIZE]);

/*
 * @stem and @number with as many digits as @count has, @digits_min at least. @buffer has room for them (ten, if
 * @digits_min is no more) and a NUL. Returns @buffer.
 */
const char *ft_numbered_name(const char *stem, uint32_t number, uint32_t count, uint32_t digits_min, char *buffer);

/* The number of the host of that name, or FT_NONE. */
uint32_t ft_plan_find_host(const struct ft_plan *plan, const char *name);

/* The number of the first switch of @tier, and how many there are. */
uint32_t ft_plan_tier_first(const struct ft_plan *plan, enum ft_tier tier);
uint32_t ft_plan_tier_count(const struct ft_plan *plan, enum ft_tier tier);

/* True if switch @index is a director: on the fabric only its chips are visible. */
static inline bool ft_plan_is_director(const struct ft_plan *plan, uint32_t index)
{
	const struct ft_plan_switch *sw = &plan->switches[index];

	return !ft_plan_is_beside(plan, index) && (plan->directors[sw->tier] || sw->ports > FT_PORTS_MAX);
}

static inline bool ft_plan_has_directors(const struct ft_plan *plan)
{
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (ft_plan_is_director(plan, i))
			return true;
	return false;
}

/* The GUID that switch @index is bound to, or 0. */
uint64_t ft_plan_bound_guid(const struct ft_design *design, const struct ft_plan *plan, uint32_t index);

/* What the design binds a switch by that is of the tree or the graph: in a network of a family one list is of all. */
const struct ft_bind *ft_plan_bind(const struct ft_design *design, const struct ft_plan *plan, uint32_t index);

/*
 * Names of the switches for programs that accept only plain characters: all but letters, digits, "_", "." and "-"
 * become "_"; if two names become equal, or one equals a host's, the later gets its number in the plan appended
 * ("leaf.17"), or the next free number. The words of @taken (NULL-terminated; NULL: none) are not used.
 */
struct ft_plain_names {
	char **names; /* one a switch, owned */
	uint32_t count;
};

/* Returns 0 or -ENOMEM. ft_plain_names_release() is fine on one of zeros. */
int ft_plain_names_make(const struct ft_plan *plan, const char *const *taken, struct ft_plain_names *ret_names);
void ft_plain_names_release(struct ft_plain_names *names);

#endif
