/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the steps of the matching in three levels share. Private to levels.c and share.c.
 */
#ifndef FT_VERIFY_LEVELS_H
#define FT_VERIFY_LEVELS_H

#include "verify/match.h"

/* Places of one tier that lie side by side: the edges or the spines of a pod, the cores of a plane. */
struct ft_span {
	uint32_t first, count;
};

struct ft_levels {
	struct ft_model *m;
	struct ft_clusters c;
	uint32_t pods, planes;	/* planned */
	struct ft_span *edges;	/* by planned pod */
	struct ft_span *spines; /* likewise; in the order of planes */
	struct ft_span *cores;	/* by planned plane */
	uint32_t *pod_as;	/* by live pod: the planned one, or FT_NONE */
	uint32_t *plane_as;	/* by live plane */
	uint32_t *live;		/* scratch: live switches, in lists by planned pod or plane */
	uint32_t *first;	/* scratch: where each list begins, and the end of all */
	uint32_t *values;	/* scratch: by place */
};

static inline const struct ft_live_switch *live_at(const struct ft_levels *l, uint32_t live)
{
	return &l->m->live.switches[live];
}

/* share.c: which planned pod, and which planned plane, each live one is: pod_as, plane_as. Returns 0 or -ENOMEM. */
int ft_pods_share(struct ft_levels *l);
int ft_planes_share(struct ft_levels *l);

#endif
