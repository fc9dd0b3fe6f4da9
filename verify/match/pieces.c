/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Pieces of the plan that look alike, such as two pods, and differ in their hosts only: which of them is which.
 *
 * Two places may be exchanged if their other neighbours can be exchanged along with them: both rows of neighbours are
 * paired in their order, all but the shared ones, and each new pair likewise, until none is left. As the plan numbers
 * its pods alike, that is mostly a symmetry of the plan; it need not be, since an exchange is kept only if the whole
 * assignment is better. Cost: O(E) for each exchange, at most STEPS_MAX steps together.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/match/assign_parts.h"

enum { PIECE_MAX = 512 }; /* switches of a piece */
static const uint64_t STEPS_MAX = 1000000;

struct pieces {
	struct ft_assign_work *w;
	uint32_t *mate;	 /* by place: the one it is exchanged with, or FT_UNASSIGNED */
	uint32_t *tried; /* by place: the last place, and 1, that its piece was tried for */
	uint32_t a[PIECE_MAX], b[PIECE_MAX], count;
};

static bool are_alike(const struct ft_assign_work *w, uint32_t p, uint32_t q)
{
	const struct ft_assign_vertex *x = &w->in->planned_at[p], *y = &w->in->planned_at[q];

	return x->ports == y->ports && x->may_host == y->may_host &&
	       ft_adjacent_count(w->in->planned, p) == ft_adjacent_count(w->in->planned, q);
}

/* False if that contradicts a pair which is there already, or the piece is too large. */
static bool pair_add(struct pieces *x, uint32_t p, uint32_t q)
{
	if (x->mate[p] != FT_UNASSIGNED || x->mate[q] != FT_UNASSIGNED)
		return x->mate[p] == q && x->mate[q] == p;
	if (x->count == PIECE_MAX || !are_alike(x->w, p, q))
		return false;
	x->mate[p] = q;
	x->mate[q] = p;
	x->a[x->count] = p;
	x->b[x->count++] = q;
	return true;
}

/* The next neighbour from entry *@i on, up to @end, that @other has not as well. */
static const struct ft_adjacent *own_next(const struct ft_multigraph *g, uint32_t *i, uint32_t end, uint32_t other)
{
	while (*i < end) {
		const struct ft_adjacent *to = &g->adjacent[(*i)++];

		if (to->vertex != other && ft_edges_between(g, other, to->vertex) != to->count)
			return to;
	}
	return NULL;
}

/* Pairs the neighbours of @p with those of @q. */
static bool neighbours_pair(struct pieces *x, uint32_t p, uint32_t q)
{
	const struct ft_multigraph *g = x->w->in->planned;
	uint32_t i = g->first[p], k = g->first[q];

	for (;;) {
		const struct ft_adjacent *a = own_next(g, &i, g->first[p + 1], q);
		const struct ft_adjacent *b = own_next(g, &k, g->first[q + 1], p);

		if (!a || !b)
			return !a && !b;
		if (a->count != b->count || !pair_add(x, a->vertex, b->vertex))
			return false;
	}
}

static bool piece_find(struct pieces *x, uint32_t p, uint32_t q)
{
	bool found;

	x->count = 0;
	found = pair_add(x, p, q);
	for (uint32_t i = 0; found && i < x->count; i++)
		found = neighbours_pair(x, x->a[i], x->b[i]);
	for (uint32_t i = 0; i < x->count; i++) {
		x->mate[x->a[i]] = x->mate[x->b[i]] = FT_UNASSIGNED;
		x->tried[x->b[i]] = p + 1;
	}
	return found;
}

static void piece_exchange(struct pieces *x)
{
	struct ft_assign_work *w = x->w;

	for (uint32_t i = 0; i < x->count; i++) {
		uint32_t p = x->a[i], q = x->b[i], o = w->origin[p];

		if (o != FT_UNASSIGNED)
			ft_assign_exchange(w, o, q);
		else if (w->origin[q] != FT_UNASSIGNED)
			ft_assign_seat_move(w, w->origin[q], p);
	}
}

static bool piece_is_fixed(const struct pieces *x)
{
	const struct ft_assign_work *w = x->w;
	bool fixed = false;

	for (uint32_t i = 0; i < x->count; i++)
		for (unsigned int side = 0; side < 2; side++) {
			uint32_t o = w->origin[side ? x->b[i] : x->a[i]];

			fixed |= o != FT_UNASSIGNED && w->in->fixed[o];
		}
	return fixed;
}

/* True if the switch at @p has other hosts than planned there. */
static bool is_misfit(const struct ft_assign_work *w, uint32_t p)
{
	uint32_t o = w->origin[p];

	return o != FT_UNASSIGNED && !w->in->fixed[o] && w->in->observed_at[o].hosts != w->in->planned_at[p].hosts;
}

int ft_assign_pieces_exchange(struct ft_assign_work *w)
{
	uint32_t planned = w->in->planned->count;
	size_t size = w->in->observed->count * sizeof(*w->image);
	_cleanup_free_ uint32_t *kept = malloc(size + 1);
	_cleanup_free_ struct pieces *x = malloc(sizeof(*x));
	uint64_t limit = w->steps + STEPS_MAX;
	struct ft_assign_worth worth = {0};
	bool known = false;
	int r = kept && x ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	x->w = w;
	x->mate = ft_arena_numbers(&w->memory, planned, FT_UNASSIGNED);
	x->tried = ft_arena_zeros(&w->memory, planned, sizeof(*x->tried));
	if (w->memory.failed)
		return -ENOMEM;
	memcpy(kept, w->image, size);
	for (uint32_t p = 0; p < planned; p++)
		for (uint32_t q = 0; r == 0 && is_misfit(w, p) && q < planned && w->steps < limit; q++) {
			struct ft_assign_worth now;

			if (w->in->planned_at[q].hosts == w->in->planned_at[p].hosts || w->twin[p] == w->twin[q] ||
			    x->tried[q] == p + 1 || !piece_find(x, p, q) || piece_is_fixed(x))
				continue;
			worth = known ? worth : ft_assign_worth_of(w);
			known = true;
			piece_exchange(x);
			r = ft_assign_twins_deal(w);
			now = ft_assign_worth_of(w);
			if (r == 0 && ft_assign_is_better(&now, &worth)) {
				worth = now;
				memcpy(kept, w->image, size);
			} else {
				ft_assign_seats_copy(w, kept);
			}
		}
	return r;
}
