/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Cables that would be right after exchanging their ends: cycles of strays. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "verify/explain.h"

/*
 * One cycle: the end of strays[i] on planned switch keeps[i] is right; its other end should be on belongs[i], and is
 * where the other end of another of them belongs.
 */
static void swap_report(struct explain *x, struct stray **strays, const uint32_t *keeps, const uint32_t *belongs,
			uint32_t k)
{
	struct ft_model *m = x->m;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_CABLES_SWAPPED, FT_EVIDENCE_SEEN);
	_cleanup_(ft_text_release) struct ft_text expected = {0};
	_cleanup_(ft_text_release) struct ft_text observed = {0};
	_cleanup_(ft_text_release) struct ft_text ends = {0};
	uint32_t first = FT_NONE;

	f->count = k;
	for (uint32_t i = 0; i < k; i++) {
		const struct ft_live_cable *cable = &m->live.cables[strays[i]->cable];
		uint32_t far = strays[i]->a == keeps[i] ? strays[i]->b : strays[i]->a;

		/* Each cable belongs where the next one ends: an exchange puts one right, the last one two. */
		if (i == 0)
			first = stray_port(m, strays[i], far);
		else
			ft_finding_act_ports(m, f, FT_ACT_EXCHANGE, first, stray_port(m, strays[i], far));

		strays[i]->used = true;
		m->misplaced[strays[i]->cable] = true;
		(*deficit_at(x, keeps[i], belongs[i]))--;
		ft_finding_lack(m, f, keeps[i], belongs[i], 1);
		ft_text_printf(&expected, "%s%s - %s", i ? ", " : "", label_of(m, keeps[i]), label_of(m, belongs[i]));
		ft_text_printf(&observed, "%s%s ends on ", i ? ", " : "",
			       ft_place_text(m, stray_port(m, strays[i], keeps[i]), &x->text_a));
		ft_text_puts(&observed, ft_place_text(m, stray_port(m, strays[i], far), &x->text_b));
		ft_text_printf(&ends, "%s%s",
			       i == 0	    ? ""
			       : i + 1 == k ? " and "
					    : ", ",
			       ft_place_text(m, stray_port(m, strays[i], far), &x->text_c));
		ft_finding_where_cable(m, f, cable);
	}
	ft_say(m, &f->expected, "%s", ft_text_string(&expected));
	ft_say(m, &f->observed, "%s", ft_text_string(&observed));
	ft_say(m, &f->text, "%u cables are swapped: %s", k, ft_text_string(&observed));
	if (k == 2)
		ft_say(m, &f->fix, "exchange the two cable ends at %s", ft_text_string(&ends));
	else
		ft_say(m, &f->fix, "move the cable ends at %s round, so that: %s", ft_text_string(&ends),
		       ft_text_string(&expected));
	m->failed |= expected.failed || observed.failed || ends.failed;
}

/* A pair beside the tiers, of two rows and of two columns, is two planned cables with one end of each exchanged. */
static void swaps_inside(struct explain *x)
{
	const struct ft_model *m = x->m;

	for (uint32_t i = 0; i < x->stray_count; i++)
		for (uint32_t j = 0; j < x->stray_count; j++) {
			struct stray *s = &x->strays[i], *t = &x->strays[j];
			bool straight, crossed;

			/* @s between rows, @t between columns. */
			if (s->used || t->used || s->a == s->b || t->a == t->b || !is_row(m, s->b) || is_row(m, t->a))
				continue;
			straight = *deficit_at(x, s->a, t->a) && *deficit_at(x, s->b, t->b);
			crossed = *deficit_at(x, s->a, t->b) && *deficit_at(x, s->b, t->a);
			if (straight || crossed)
				swap_report(x, (struct stray *[]){s, t}, (uint32_t[]){s->a, straight ? t->b : t->a},
					    (uint32_t[]){straight ? t->a : t->b, s->b}, 2);
		}
}

/*
 * Swaps: strays s1 … sk between the tiers, where the row of each lacks a cable to the column on which the next one
 * ends. Every cycle of k turns k faults into one, so what is sought are disjoint cycles that cover the most strays. Few
 * strays are searched through; among many, the shortest cycle from each is taken.
 */
enum { RING_MAX = 8, SEARCH_STRAYS_MAX = 12, SEARCH_STEPS_MAX = 200000 };

struct ring {
	uint32_t stray[RING_MAX];
	uint32_t k;
};

struct ring_set {
	struct ring rings[SEARCH_STRAYS_MAX / 2];
	uint32_t count;
	uint32_t covered; /* strays in the rings */
	int score;	  /* how well port numbers speak for it */
};

struct search {
	struct explain *x;
	uint32_t stray[SEARCH_STRAYS_MAX]; /* those between the tiers */
	uint32_t count;
	bool used[SEARCH_STRAYS_MAX];
	struct ring_set now, best;
	uint32_t equals; /* other sets as good as the best, by faults saved and by ports */
	uint32_t steps;
};

/* How port numbers speak for stray @s ending where @t does belonging to @s's row. */
static int link_score(const struct explain *x, uint32_t s, uint32_t t)
{
	const struct stray *a = &x->strays[s], *b = &x->strays[t];

	return stray_usual(x->m, a, a->a, b->b) + stray_usual(x->m, b, b->b, a->a);
}

/* >0 where @a is the better set: it covers more strays; then port numbers decide, then the shorter cycles. */
static int ring_set_compare(const struct ring_set *a, const struct ring_set *b)
{
	if (a->covered != b->covered)
		return a->covered > b->covered ? 1 : -1;
	if (a->score != b->score)
		return a->score > b->score ? 1 : -1;
	return (a->count > b->count) - (a->count < b->count);
}

static void ring_search(struct search *q, uint32_t from);

/* Extends the last ring of q->now, whose stray number @depth - 1 looks for the next. */
static void ring_extend(struct search *q, uint32_t first, uint32_t depth)
{
	struct ring *ring = &q->now.rings[q->now.count];
	const struct stray *last = &q->x->strays[ring->stray[depth - 1]];
	const struct stray *head = &q->x->strays[ring->stray[0]];
	uint32_t *deficit;

	if (q->steps++ > SEARCH_STEPS_MAX)
		return;
	deficit = deficit_at(q->x, last->a, head->b);
	if (depth >= 2 && *deficit && last->b != head->b) {
		int score = link_score(q->x, ring->stray[depth - 1], ring->stray[0]);

		(*deficit)--;
		ring->k = depth;
		q->now.count++;
		q->now.covered += depth;
		q->now.score += score;
		ring_search(q, first + 1);
		q->now.score -= score;
		q->now.covered -= depth;
		q->now.count--;
		(*deficit)++;
	}
	for (uint32_t i = first + 1; depth < RING_MAX && i < q->count; i++) {
		const struct stray *next = &q->x->strays[q->stray[i]];
		int score;

		deficit = deficit_at(q->x, last->a, next->b);
		if (q->used[i] || !*deficit || last->b == next->b)
			continue;
		score = link_score(q->x, ring->stray[depth - 1], q->stray[i]);
		q->used[i] = true;
		(*deficit)--;
		ring->stray[depth] = q->stray[i];
		q->now.score += score;
		ring_extend(q, first, depth + 1);
		q->now.score -= score;
		(*deficit)++;
		q->used[i] = false;
	}
}

/* Every set of rings whose lowest strays are @from or higher. */
static void ring_search(struct search *q, uint32_t from)
{
	while (from < q->count && q->used[from])
		from++;
	if (from >= q->count || q->now.count == SEARCH_STRAYS_MAX / 2) {
		int better = ring_set_compare(&q->now, &q->best);

		if (better == 0 && q->now.count > 0)
			q->equals++;
		if (better > 0) {
			q->best = q->now;
			q->equals = 0;
		}
		return;
	}
	q->used[from] = true;
	q->now.rings[q->now.count].stray[0] = q->stray[from];
	ring_extend(q, from, 1);
	/* Or this stray is in no ring. */
	ring_search(q, from + 1);
	q->used[from] = false;
}

static void ring_report(struct explain *x, const struct ring *ring)
{
	struct stray *strays[RING_MAX];
	uint32_t keeps[RING_MAX], belongs[RING_MAX];

	for (uint32_t i = 0; i < ring->k; i++) {
		strays[i] = &x->strays[ring->stray[i]];
		keeps[i] = strays[i]->a;
		belongs[i] = x->strays[ring->stray[(i + 1) % ring->k]].b;
	}
	swap_report(x, strays, keeps, belongs, ring->k);
}

/* The shortest ring through stray @start by breadth-first search over strays; at most RING_MAX long. */
static bool ring_shortest(struct explain *x, uint32_t start, uint32_t *before, uint32_t *queue, struct ring *ret)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t i = 0; i < x->stray_count; i++)
		before[i] = FT_NONE;
	queue[tail++] = start;
	before[start] = start;
	while (head < tail) {
		uint32_t here = queue[head++];
		const struct stray *s = &x->strays[here];

		if (here != start && *deficit_at(x, s->a, x->strays[start].b) && s->b != x->strays[start].b) {
			uint32_t k = 1;

			for (uint32_t at = here; at != start; at = before[at])
				k++;
			if (k > RING_MAX)
				return false;
			ret->k = k;
			for (uint32_t at = here; k-- > 0; at = before[at])
				ret->stray[k] = at;
			return true;
		}
		for (uint32_t i = 0; i < x->stray_count; i++) {
			const struct stray *t = &x->strays[i];

			if (t->used || before[i] != FT_NONE || !stray_crosses(x->m, t) || t->b == s->b ||
			    !*deficit_at(x, s->a, t->b))
				continue;
			before[i] = here;
			queue[tail++] = i;
		}
	}
	return false;
}

static int swaps_of_many(struct explain *x)
{
	_cleanup_free_ uint32_t *scratch = malloc((2UL * x->stray_count + 1) * sizeof(*scratch));

	if (!scratch)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->stray_count; i++) {
		struct ring ring;

		if (!x->strays[i].used && stray_crosses(x->m, &x->strays[i]) &&
		    ring_shortest(x, i, scratch, scratch + x->stray_count, &ring))
			ring_report(x, &ring);
	}
	return 0;
}

static int swaps_across(struct explain *x)
{
	struct search q = {.x = x};
	size_t first = x->m->report->finding_count;
	uint32_t crossing = 0;

	for (uint32_t i = 0; i < x->stray_count; i++)
		if (!x->strays[i].used && stray_crosses(x->m, &x->strays[i]) && crossing++ < SEARCH_STRAYS_MAX)
			q.stray[q.count++] = i;
	if (crossing > SEARCH_STRAYS_MAX)
		return swaps_of_many(x);
	ring_search(&q, 0);
	for (uint32_t i = 0; i < q.best.count; i++)
		ring_report(x, &q.best.rings[i]);
	for (size_t i = first; q.equals > 0 && i < x->m->report->finding_count; i++)
		ft_finding_alternative(
			x->m, &x->m->report->findings[i],
			"the same cables can be paired in another way that mends as much: check the labels "
			"of both ends before moving one");
	return 0;
}

int ft_swaps_explain(struct explain *x)
{
	int r = swaps_across(x);

	if (r == 0)
		swaps_inside(x);
	return r;
}
