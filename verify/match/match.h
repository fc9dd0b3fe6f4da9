/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Shared by the steps of the matching. Private to match.c and the files of its steps.
 *
 * Flow (match.c has the order): name_index.c tells which names the observed switches carry. port_votes.c collects the
 * votes of port numbers and listed hosts, if the plan has such. bind.c binds by GUID, name, port numbers and baseline,
 * and leaves the rest to assign.c, which knows only graphs. aliases.c then resolves the names by which islands know
 * switches of the tree. Finally port_exchange.c exchanges structurally equal switches if more cables are in their ports
 * then, listed_hosts.c matches the hosts, and port_use.c learns what port numbers are used for.
 */
#ifndef FT_VERIFY_MATCH_MATCH_H
#define FT_VERIFY_MATCH_MATCH_H

#include "verify/model/model.h"

/*
 * name_index.c: numbered names, and which of them each observed switch carries. A switch carries the name that is
 * exactly its own. Else it carries the name whose short form is the same regardless of case, unless that short form
 * belongs to two numbers, another switch has that number already, or a second switch has the same short form. A switch
 * that the design tolerates carries none. O(n).
 */
struct ft_name_index {
	struct ft_map exact, brief;
	const char **name; /* by number */
	uint32_t *claims;  /* by number: switches with its short name; two or more: the short name decides nothing */
	struct ft_arena memory;
};
/* @count: all numbers are below it. 0 or -ENOMEM; the caller releases it in any case. */
int ft_name_index_init(struct ft_name_index *names, uint32_t count);

/* 0 or -ENOMEM. @name is kept, not copied. */
int ft_name_index_add(struct ft_name_index *names, const char *name, uint32_t number);
void ft_name_index_release(struct ft_name_index *names);

/*
 * @found  by observed switch; in: the number that it is known to have from elsewhere, or FT_NONE; out: the same, or
 * else that of the name it carries
 */
void ft_name_index_tell(const struct ft_model *m, struct ft_name_index *names, uint32_t *found);

/*
 * port_votes.c: identifies switches by port numbers, where the plan says which cable is in which port. A cable between
 * port p of a lower and port q of an upper switch has one vote, shared equally by the planned switches with a cable of
 * these two numbers; a listed host has one for its edge. A plan without ports has no votes.
 */
int ft_port_map_votes_init(struct ft_model *m); /* 0 or -ENOMEM */

/* The free one of @count places from @first with the most votes of @observed; FT_NONE if none has votes, or two tie. */
uint32_t ft_port_map_vote_best(struct ft_model *m, uint32_t observed, uint32_t first, uint32_t count);

/* The votes that one cable, or one host, shares out. */
enum { FT_PORT_MAP_VOTE = 1 << 12 };

/* match.c: how many switches are in the places of their names, and how many in others. O(V). */
struct ft_names_tally {
	uint32_t right, wrong;
};
struct ft_names_tally ft_names_tally(const struct ft_model *m);

/* True if so many names are right that the others are the exception. */
static inline bool ft_names_are_right(struct ft_names_tally tally)
{
	return tally.right > 0 && tally.right >= 3 * tally.wrong;
}

/* port_exchange.c: exchanges seated switches if that puts more cables into their ports. 0 or -ENOMEM. */
int ft_port_map_settle(struct ft_model *m);

/*
 * bind.c: the place of each switch in a plan of any graph. @loose: leave out the cables of switches that the plan knows
 * by an alias (aliases.c). Returns 0 or -ENOMEM.
 */
int ft_switches_match(struct ft_model *m, bool loose);

/*
 * aliases.c: if the plan has switches beside the tree: copies the plan into the model, finds whether it has aliases and
 * which observed cables lead from a switch beside the tree to an aliased one, and, once all switches have places,
 * corrects the ends of these cables. 0 or -ENOMEM.
 */
int ft_aliases_init(struct ft_model *m);
bool ft_aliases_exist(const struct ft_model *m);
int ft_aliases_loose(const struct ft_model *m, bool **ret_loose);
int ft_aliases_resolve(struct ft_model *m);

/*
 * bind.c: named_at: seated switches that carry each other's names. Names that the plan has invented count as names if
 * the plan lists cables and most switches carry them. 0 or -ENOMEM.
 */
int ft_exchanged_find(struct ft_model *m);

#endif
