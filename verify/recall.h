/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The baseline, held beside the fabric that is verified: which planned switch a switch was, and what each of its ports
 * led to. All of it answers "not known" where there is no baseline. Private to verify/.
 */
#ifndef FT_VERIFY_RECALL_H
#define FT_VERIFY_RECALL_H

#include "verify/baseline.h"
#include "verify/model.h"

/* The places and the live switches are known. 0 or -ENOMEM. Cost: O(n) of all that there is. */
int ft_recall_init(struct ft_model *m);
void ft_recall_release(struct ft_recall *recall);

/* The place that @live had, or FT_NONE. */
uint32_t ft_recall_place(const struct ft_model *m, uint32_t live);

/*
 * Those that the matching took for strangers for want of cables, but whose cables, as far as they are up, are all in
 * the ports where they were: they have their places again.
 */
void ft_recall_seat(struct ft_model *m);

/* The switch that was in @place, or NULL. */
const struct ft_baseline_switch *ft_recall_switch(const struct ft_model *m, uint32_t place);

/* What port @number of @live led to when it was last seen in good order. */
enum ft_recalled { FT_RECALLED_NOTHING, FT_RECALLED_SWITCH, FT_RECALLED_HOST };

/* @ret_place: of a switch, its place now if it is there, else the one that it had. */
enum ft_recalled ft_recall_port(const struct ft_model *m, uint32_t live, uint32_t number, uint32_t *ret_place);

/* The port of the snapshot that @port of it led to, where that is a switch's and seen; else FT_NONE. */
uint32_t ft_recall_far(const struct ft_model *m, uint32_t port);

/*
 * The hosts that are remembered on the switch in @place and are nowhere now: indices into the baseline's, at most
 * @room. Returns how many there are, which may be more.
 */
uint32_t ft_recall_hosts_gone(const struct ft_model *m, uint32_t place, uint32_t *ret_hosts, uint32_t room);

/* When an entry of the baseline was seen last, "2026-11-20T12:00:00Z"; "" where that is not known. */
const char *ft_recall_until(const struct ft_model *m, int64_t gone_s, char ret_string[FT_TIME_SIZE]);

#endif
