/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the files of a fabric on paper share. Private to rework.c and rework_directors.c. */
#ifndef FT_VERIFY_REWORK_PARTS_H
#define FT_VERIFY_REWORK_PARTS_H

#include "base/map.h"
#include "planner/wiring.h"
#include "verify/model.h"
#include "verify/rework.h"

/* The two kinds of cables, which run at rates of their own. */
enum ft_rework_kind { FT_REWORK_UPLINK, FT_REWORK_HOST, FT_REWORK_KINDS };

/* A chip of a director: one that was seen, or one that came back. */
struct ft_rework_chip {
	uint32_t node;
	uint32_t index;		    /* of the plan's switches: the director */
	const struct ft_chip *like; /* itself, or the one that it is made after */
	uint32_t board, chip;	    /* its place; on which side is that of @like */
};

struct ft_rework {
	const struct ft_design *design;
	const struct ft_plan *plan;
	const struct ft_report *report;
	struct ft_model m;    /* of the fabric as it was seen; the numbers of its nodes and ports hold for @s, too */
	struct ft_snapshot s; /* what is worked on; it only grows */
	uint32_t nodes_size, ports_size, strings_size;
	struct ft_map by_guid; /* node */
	struct ft_wiring wiring;
	uint32_t *node_of;    /* by switch of the plan: its node, or FT_NONE; of a director FT_NONE */
	bool *awaits_power;   /* by switch of the plan: an action of its own will bring it back */
	bool *spoken;	      /* by port: an action to come names it */
	bool *apart;	      /* by node: was seen though nothing led to it from where the sweep began */
	bool *host_is_there;  /* by host that the plan lists */
	uint32_t first_count; /* nodes that were seen */
	uint32_t start;	      /* where the sweep began, or what comes nearest to that; FT_NONE: an empty fabric */
	struct ft_rate rates[FT_REWORK_KINDS];
	uint32_t made_up;    /* GUIDs */
	uint32_t hosts_back; /* so many hosts came back */
	struct ft_rework_chip *chips;
	uint32_t chip_count, chips_size;
};

/* rework.c */

/* The node of that GUID, or FT_NONE. */
uint32_t ft_rework_node(const struct ft_rework *w, uint64_t guid);

/* The port that @place names, or FT_NONE. */
uint32_t ft_rework_port(const struct ft_rework *w, const struct ft_place *place);

/* A node that was not seen, with all ports down. @guid 0, or of another node: one is made up. 0 or -ENOMEM. */
int ft_rework_node_add(struct ft_rework *w, enum ft_node_type type, uint64_t guid, const char *name, uint32_t ports,
		       uint32_t *ret_node);

/* A cable, or a trace, between two ports; what they held before is not looked at. */
void ft_rework_put(struct ft_rework *w, uint32_t a, uint32_t b, struct ft_rate rate);

/* True where nothing is in the port, and no action to come names it. */
static inline bool ft_rework_is_free(const struct ft_rework *w, uint32_t port)
{
	return w->s.ports[port].peer == FT_NO_PORT && w->s.ports[port].link == FT_LINK_DOWN && !w->spoken[port];
}

/* Array @array with room for @more beyond @count elements; NULL: no memory. */
void *ft_rework_room(void *array, uint32_t *size, uint32_t count, uint32_t more, size_t element);

/* rework_directors.c */

/* The chips that were seen, once the model is there. 0 or -ENOMEM. */
int ft_rework_chips_find(struct ft_rework *w);

/* True where switch @index of the plan is a director of which chips are there. */
bool ft_rework_has_chips(const struct ft_rework *w, uint32_t index);

/* The director of that GUID: index of the plan's switches, or FT_NONE. */
uint32_t ft_rework_director(const struct ft_rework *w, uint64_t guid);

/*
 * An outer port of director @index for a cable: number @planned of the whole if that is free (0: none in particular),
 * or one that @because names (NULL: nothing does), or any. @own: only of chips from that one on. FT_NONE: none is free.
 */
uint32_t ft_rework_outer_port(const struct ft_rework *w, uint32_t index, uint32_t planned,
			      const struct ft_finding *because, uint32_t own);

/* A port of the chip @node that is for a trace, and free, or FT_NONE. */
uint32_t ft_rework_trace_port(const struct ft_rework *w, uint32_t node);

/* Outer port @number of director @index, if it is free and on one of the chips from number @first on; else FT_NONE. */
uint32_t ft_rework_new_port(const struct ft_rework *w, uint32_t index, uint32_t number, uint32_t first);

/*
 * The chips of director @index come back, or those of the board that @because is about, with their traces.
 *
 * @ret_first  out: the first of them among the chips
 * Returns 0; -ENOTSUP (there is none that they could be made after); -ENOMEM.
 */
int ft_rework_director_return(struct ft_rework *w, uint32_t index, uint32_t *ret_first);
int ft_rework_board_return(struct ft_rework *w, const struct ft_finding *because, uint32_t *ret_first);

#endif
