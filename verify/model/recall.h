/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The baseline mapped to the fabric under verification: the former place of each switch, and the former far end of each
 * port. Without a baseline all results are "not known". Private to verify/.
 */
#ifndef FT_VERIFY_MODEL_RECALL_H
#define FT_VERIFY_MODEL_RECALL_H

#include "base/moment.h"
#include "verify/model/baseline.h"
#include "verify/model/model.h"

/*
 * Requires the places, their cells and the observed switches. A baseline of another plan that this one has no room for
 * counts as none. 0 or -ENOMEM. Cost: O(n log n) in the size of the baseline and the fabric.
 */
int ft_recall_init(struct ft_model *m);

/* True if all was once as this plan says; else places may be those of likes. */
bool ft_recall_is_of_plan(const struct ft_model *m);

/* The former place of @observed, or FT_NONE. */
uint32_t ft_recall_place(const struct ft_model *m, uint32_t observed);

/*
 * True if @observed is where it was: the plan is that which the baseline was learned with, and most of its cables are
 * in their former ports. Whatever happens elsewhere, or to single cables of it, it keeps its former place: places that
 * are alike are exchanged otherwise as soon as that seems to save a fault, as while a switch comes back cable by cable.
 */
bool ft_recall_stands(const struct ft_model *m, uint32_t observed);

/*
 * True if @observed was known, and none of its cables, two or more, is in its former ports, or neither its only one nor
 * any of its hosts: it was moved as a whole, maybe to the place of another.
 */
bool ft_recall_has_moved(const struct ft_model *m, uint32_t observed);

/*
 * Restores the places of switches that the matching left unplanned for want of cables, if they have not moved: of one
 * that boots the first link that comes up may be a cable that was swapped.
 */
void ft_recall_seat(struct ft_model *m);

/* The switch formerly in @place, or NULL. */
const struct ft_baseline_switch *ft_recall_switch(const struct ft_model *m, uint32_t place);

/* The same if it is not observed any more, not in another place either; else NULL. */
const struct ft_baseline_switch *ft_recall_absent(const struct ft_model *m, uint32_t place);

/*
 * True if the switch in @place is the former one, and was not seen before @back_s (one of its times in the baseline),
 * or came back less than the input's returning_s before.
 */
bool ft_recall_is_back(const struct ft_model *m, uint32_t place, const struct ft_baseline_switch *was, int64_t back_s);

/* The chip of a director that node @node of m->chips was, or NULL. */
const struct ft_baseline_chip *ft_recall_chip(const struct ft_model *m, uint32_t node);

/* Likewise, true if that chip is coming back. */
bool ft_recall_chip_is_back(const struct ft_model *m, uint32_t node);

/* The traces that a director had, and how many of them it is still to bring up. O(cables of the baseline). */
uint32_t ft_recall_traces(const struct ft_model *m, const struct ft_baseline_switch *was, uint32_t *ret_lacking);

/*
 * True if both switches or chips are there whose cable or trace was in @port of m->chips, and it went when one of them
 * did, or later. Requires a baseline.
 */
bool ft_recall_went(const struct ft_model *m, uint32_t port);

/* The GUID of the node that the cable or trace in port @port of m->chips led to; 0: not known, or to a host. */
uint64_t ft_recall_chip_behind(const struct ft_model *m, uint32_t port);

/* For so long a switch that was gone is coming back. */
uint32_t ft_recall_returning_s(const struct ft_model *m);

/* The far end of port @number of @observed in the baseline. */
enum ft_recalled { FT_RECALLED_NOTHING, FT_RECALLED_SWITCH, FT_RECALLED_HOST };

/* @ret_place: of a switch, its present place if it is there, else its former one. */
enum ft_recalled ft_recall_port(const struct ft_model *m, uint32_t observed, uint32_t number, uint32_t *ret_place);

/* The port of the snapshot that was the far end of @port, if it is an observed switch port; else FT_NONE. */
uint32_t ft_recall_far(const struct ft_model *m, uint32_t port);

/*
 * The hosts formerly on the switch in @place, which is seen, that are not observed anywhere: indices into the
 * baseline's hosts. Returns how many there are.
 */
uint32_t ft_recall_hosts_gone(const struct ft_model *m, uint32_t place, const uint32_t **ret_hosts);

/*
 * When an entry of the baseline with these times was last observed, "2026-11-20T12:00:00Z"; "" if not known. What goes
 * again while it comes back: before it first went.
 */
const char *ft_recall_until(const struct ft_model *m, int64_t gone_s, int64_t back_s, char ret_string[FT_TIME_SIZE]);

#endif
