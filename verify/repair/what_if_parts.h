/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Shared by the files of the what-if fabric. Private to what_if.c and what_if_directors.c. */
#ifndef FT_VERIFY_REPAIR_WHAT_IF_PARTS_H
#define FT_VERIFY_REPAIR_WHAT_IF_PARTS_H

#include "base/map.h"
#include "planner/plan/wiring.h"
#include "probe/draft.h"
#include "verify/model/model.h"
#include "verify/repair/what_if.h"

/* The two kinds of cables, which have separate rates. */
enum ft_what_if_kind { FT_WHAT_IF_UPLINK, FT_WHAT_IF_HOST, FT_WHAT_IF_KINDS };

struct ft_what_if {
	const struct ft_design *design;
	const struct ft_plan *plan;
	const struct ft_report *report;
	const struct ft_model *m; /* the observed fabric; the numbers of its nodes and ports hold for @draft, too */
	struct ft_draft draft;	  /* the working copy; it only grows */
	struct ft_map by_guid;	  /* node */
	struct ft_wiring wiring;
	uint32_t *node_of;    /* by switch of the plan: its node, or FT_NONE; of a director FT_NONE */
	bool *awaits_power;   /* by switch of the plan: an action of its own will restore it */
	bool *spoken;	      /* by port: a later action names it; grows with the ports */
	bool *apart;	      /* by node: observed, though unreachable from the entry of the sweep */
	bool *host_is_there;  /* by host that the plan lists */
	uint32_t first_count; /* nodes that were seen */
	uint32_t start;	      /* the entry of the sweep, or the nearest equivalent; FT_NONE: an empty fabric */
	struct ft_rate rates[FT_WHAT_IF_KINDS];
	uint32_t made_up;	/* GUIDs */
	uint32_t hosts_back;	/* number of restored hosts */
	struct ft_arena memory; /* of the other lists */
};

/* what_if.c */

/* The port that @place names, or FT_NONE. */
uint32_t ft_what_if_port(const struct ft_what_if *w, const struct ft_place *place);

/*
 * True if the port is free, and no later action names it. One that is up without a known far end, or was not read, may
 * be occupied.
 */
static inline bool ft_what_if_is_free(const struct ft_what_if *w, uint32_t port)
{
	return w->draft.s.ports[port].peer == FT_NONE && w->draft.s.ports[port].link == FT_LINK_DOWN &&
	       !w->spoken[port];
}

/* what_if_directors.c */

/* True where switch @index of the plan is a director that was seen. */
bool ft_what_if_has_chips(const struct ft_what_if *w, uint32_t index);

/* The director of that GUID: index of the plan's switches, or FT_NONE. */
uint32_t ft_what_if_director(const struct ft_what_if *w, uint64_t guid);

/*
 * An outer port of director @index, which was seen, for a cable: number @planned of the director if it is free (0: not
 * given), else one that @because names (NULL: none), else any. FT_NONE: none is free.
 */
uint32_t ft_what_if_outer_port(const struct ft_what_if *w, uint32_t index, uint32_t planned,
			       const struct ft_finding *because);

/* A port of the chip @node that is for a trace, and free, or FT_NONE. */
uint32_t ft_what_if_trace_port(const struct ft_what_if *w, uint32_t node);

#endif
