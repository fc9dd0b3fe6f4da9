/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Shared by the files of the what-if fabric. Private to what_if.c and what_if_directors.c. */
#ifndef FT_VERIFY_REPAIR_WHAT_IF_PARTS_H
#define FT_VERIFY_REPAIR_WHAT_IF_PARTS_H

#include "base/map.h"
#include "planner/plan/wiring.h"
#include "verify/model/model.h"
#include "verify/repair/what_if.h"

/* The two kinds of cables, which have separate rates. */
enum ft_what_if_kind { FT_WHAT_IF_UPLINK, FT_WHAT_IF_HOST, FT_WHAT_IF_KINDS };

/* A chip of a director: observed or restored. */
struct ft_what_if_chip {
	uint32_t node;
	uint32_t index;		    /* of the plan's switches: the director */
	const struct ft_chip *like; /* itself, or the chip that it was copied from */
	uint32_t board, chip;	    /* its place; on which side is that of @like */
};

struct ft_what_if {
	const struct ft_design *design;
	const struct ft_plan *plan;
	const struct ft_report *report;
	const struct ft_model *m; /* the observed fabric; the numbers of its nodes and ports hold for @s, too */
	struct ft_snapshot s;	  /* the working copy; it only grows */
	uint32_t nodes_size, ports_size, strings_size;
	struct ft_map by_guid; /* node */
	struct ft_wiring wiring;
	uint32_t *node_of;	      /* by switch of the plan: its node, or FT_NONE; of a director FT_NONE */
	struct ft_plan_switch *bound; /* the switches of the input's plan: see ft_what_if_plan() */
	bool *awaits_power;	      /* by switch of the plan: an action of its own will restore it */
	bool *spoken;		      /* by port: a later action names it */
	bool *apart;		      /* by node: observed, though unreachable from the entry of the sweep */
	bool *host_is_there;	      /* by host that the plan lists */
	uint32_t first_count;	      /* nodes that were seen */
	uint32_t start;		      /* the entry of the sweep, or the nearest equivalent; FT_NONE: an empty fabric */
	struct ft_rate rates[FT_WHAT_IF_KINDS];
	uint32_t made_up;    /* GUIDs */
	uint32_t hosts_back; /* number of restored hosts */
	struct ft_what_if_chip *chips;
	uint32_t chip_count, chips_size;
};

/* what_if.c */

/* The node of that GUID, or FT_NONE. */
uint32_t ft_what_if_node(const struct ft_what_if *w, uint64_t guid);

/* The port that @place names, or FT_NONE. */
uint32_t ft_what_if_port(const struct ft_what_if *w, const struct ft_place *place);

/* Adds a missing node, with all ports down. @guid 0, or that of an existing node: one is made up. 0 or -ENOMEM. */
int ft_what_if_node_add(struct ft_what_if *w, enum ft_node_type type, uint64_t guid, const char *name, uint32_t ports,
			uint32_t *ret_node);

/* Adds a cable, or a trace, between two ports; their previous links are not checked. */
void ft_what_if_put(struct ft_what_if *w, uint32_t a, uint32_t b, struct ft_rate rate);

/* True if the port is free, and no later action names it. */
static inline bool ft_what_if_is_free(const struct ft_what_if *w, uint32_t port)
{
	return w->s.ports[port].peer == FT_NO_PORT && w->s.ports[port].link == FT_LINK_DOWN && !w->spoken[port];
}

/* Makes room in @array for @more beyond @count elements; NULL: no memory. */
void *ft_what_if_room(void *array, uint32_t *size, uint32_t count, uint32_t more, size_t element);

/* what_if_directors.c */

/* Lists the observed chips, after the model is complete. 0 or -ENOMEM. */
int ft_what_if_chips_find(struct ft_what_if *w);

/* True where switch @index of the plan is a director of which chips are there. */
bool ft_what_if_has_chips(const struct ft_what_if *w, uint32_t index);

/* The director of that GUID: index of the plan's switches, or FT_NONE. */
uint32_t ft_what_if_director(const struct ft_what_if *w, uint64_t guid);

/*
 * An outer port of director @index for a cable: number @planned of the director if it is free (0: not given), else one
 * that @because names (NULL: none), else any. @own: only of chips from that one on. FT_NONE: none is free.
 */
uint32_t ft_what_if_outer_port(const struct ft_what_if *w, uint32_t index, uint32_t planned,
			       const struct ft_finding *because, uint32_t own);

/* A port of the chip @node that is for a trace, and free, or FT_NONE. */
uint32_t ft_what_if_trace_port(const struct ft_what_if *w, uint32_t node);

/* Outer port @number of director @index, if it is free and on one of the chips from number @first on; else FT_NONE. */
uint32_t ft_what_if_new_port(const struct ft_what_if *w, uint32_t index, uint32_t number, uint32_t first);

/*
 * Restores the chips of director @index, or those of the board that @because is about, with their traces.
 *
 * @ret_first  out: the first of them among the chips
 * Returns 0; -ENOTSUP (there is no other one to copy); -ENOMEM.
 */
int ft_what_if_director_return(struct ft_what_if *w, uint32_t index, uint32_t *ret_first);
int ft_what_if_board_return(struct ft_what_if *w, const struct ft_finding *because, uint32_t *ret_first);

#endif
