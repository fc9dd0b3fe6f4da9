/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the steps of the matching share. Private to match.c and the files of its steps.
 *
 * Flow: exact_votes.c collects what port numbers and listed hosts tell, where the plan has such. match_general.c binds
 * by GUID, name, port numbers and memory, and leaves the rest to assign.c, which knows only graphs. At the end
 * exact_settle.c has switches that look alike exchange places where more cables are in their ports then.
 */
#ifndef FT_VERIFY_MATCH_H
#define FT_VERIFY_MATCH_H

#include "verify/model.h"

/*
 * exact_votes.c: what port numbers tell of who is who, where the plan says which cable is in which port. A cable
 * between port p of a lower and port q of an upper switch has one vote, shared out among the planned ones with these
 * two numbers; a listed host has one for its edge. What is not port-precise has no votes.
 */
int ft_exact_votes_init(struct ft_model *m); /* 0 or -ENOMEM */

/* Of @count places from @first on, the free one that most votes of @live are for; FT_NONE where none, or two, are. */
uint32_t ft_exact_vote_best(struct ft_model *m, uint32_t live, uint32_t first, uint32_t count);

/* What one cable, or one host, has to share out. */
enum { FT_EXACT_VOTE = 1 << 12 };

/* exact_settle.c: what those who have places tell of one another: exchanges that put more cables into their ports. */
int ft_exact_settle(struct ft_model *m);

/* match_general.c: everybody's place in a plan that is any graph. Returns 0 or -ENOMEM. */
int ft_general_match(struct ft_model *m);

/*
 * match_general.c: switches that carry each other's names, once all have places: named_at. The names that a plan has
 * invented are taken for names where the plan lists cables and they are those of most switches. 0 or -ENOMEM.
 */
int ft_exchanged_find(struct ft_model *m);

#endif
