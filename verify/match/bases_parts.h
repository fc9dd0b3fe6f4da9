/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Shared by bases.c, which follows the stages in the fabric, and stages.c, which makes them of the plan. */
#ifndef FT_VERIFY_MATCH_BASES_PARTS_H
#define FT_VERIFY_MATCH_BASES_PARTS_H

#include "verify/match/assign_parts.h"

enum { FT_STAGES_MAX = 192 };

/* Steps of one run. */
#define FT_BASES_STEPS_MAX 60000000U

/* How the stages are made, and what is asked of the fabric. */
struct ft_bases_run {
	bool by_ways;		/* the first stage after degrees is that of two-hop walks */
	bool early;		/* the first base comes before refinement: where that would take many stages */
	bool grounded;		/* the class of at least a quarter of the switches does not count as neighbours */
	uint32_t turn;		/* the bases are others in each */
	uint32_t agree_percent; /* of the switches have to agree, class by class, at each stage after the first base */
};

/* One partition of the planned switches. A class has the number of its place in the order of (parent, key). */
struct ft_stage {
	uint32_t base;	  /* this planned switch was given a class of its own, the last; FT_NONE: refined */
	uint32_t *class;  /* by planned switch */
	uint32_t *size;	  /* by class */
	uint32_t *member; /* by class: one of its switches */
	uint64_t *key;	  /* by class: what its members have in common */
	uint32_t *child;  /* by class of the stage before, and one more: its first class */
	uint32_t count;	  /* classes */
	uint32_t ground;  /* the class of most switches, which as neighbours do not count; or FT_NONE */
};

struct ft_bases {
	struct ft_assign_work *w;
	struct ft_arena *memory;
	struct ft_stage stage[FT_STAGES_MAX];
	uint32_t stage_count;
	struct ft_bases_run run;
	uint32_t first;	      /* the stage of the first base */
	uint64_t limit;	      /* of w->steps */
	uint32_t root;	      /* the first observed switch that is tried as the image of the first base */
	uint32_t *class;      /* by observed switch: its class, or FT_NONE; low and high follow it in memory */
	uint32_t *low, *high; /* by observed switch without a class: it is of @low … @high - 1 */
	uint32_t *next, *odd, odd_count;
	bool again;	 /* the last stage is repeated */
	uint32_t *tally; /* scratch, by class: all 0 */
};

/* ---- stages.c ---- */

/* All stages of the plan. 0 or -ENOMEM. */
int ft_stages_make(struct ft_bases *b);

/* The classes of the neighbours of @v, in no order, apart from @ground. */
uint64_t ft_stage_key(struct ft_bases *b, const struct ft_multigraph *g, const uint32_t *class, uint32_t ground,
		      uint32_t v);
/* The numbers of two-hop walks from @v. */
uint64_t ft_stage_ways_key(const struct ft_ways *ways, uint32_t v);

#endif
