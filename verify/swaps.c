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

/*
 * Swaps: strays s1 … sk, each with one end that is right (it keeps its place) and one that is not, where the switch of
 * each right end lacks a cable to the switch on which the next one's wrong end is: a closed alternating trail of cables
 * too many and too few. Every cycle of k turns k faults into one, so what is sought are disjoint cycles that cover the
 * most strays. Few strays are searched through; among many, the shortest cycle from each is taken.
 *
 * Each stray may be read both ways. The cycle as a whole may, too, and is the same then.
 */
enum { TURNS = 2, RING_MAX = 8, SEARCH_STRAYS_MAX = 12, SEARCH_STEPS_MAX = 200000 };

/* A stray, and which of its ends is right. */
struct turned {
	uint32_t stray;
	uint32_t keep, wrong; /* places */
};

struct ring {
	struct turned at[RING_MAX];
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
	uint32_t stray[SEARCH_STRAYS_MAX]; /* those that count as cables of pairs */
	uint32_t count;
	bool used[SEARCH_STRAYS_MAX];
	struct ring_set now, best;
	uint32_t equals; /* other sets as good as the best, by faults saved and by ports */
	uint32_t steps;
};

static struct turned turned_make(const struct explain *x, uint32_t stray, unsigned int turn)
{
	const struct stray *s = &x->strays[stray];

	return turn ? (struct turned){stray, s->b, s->a} : (struct turned){stray, s->a, s->b};
}

/* True where @from's right end lacks a cable to where the wrong end of @to is. */
static bool link_lacks(struct explain *x, const struct turned *from, const struct turned *to)
{
	return from->keep != to->wrong && from->wrong != to->wrong && *deficit_at(x, from->keep, to->wrong) > 0;
}

/* How port numbers speak for @from belonging where @to's wrong end is. */
static int link_score(const struct explain *x, const struct turned *from, const struct turned *to)
{
	return stray_usual(x->m, &x->strays[from->stray], from->keep, to->wrong) +
	       stray_usual(x->m, &x->strays[to->stray], to->wrong, from->keep);
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
	struct explain *x = q->x;
	const struct turned *last = &ring->at[depth - 1], *head = &ring->at[0];

	if (q->steps++ > SEARCH_STEPS_MAX)
		return;
	if (depth >= 2 && link_lacks(x, last, head)) {
		int score = link_score(x, last, head);
		uint32_t *deficit = deficit_at(x, last->keep, head->wrong);

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
	for (uint32_t i = first + 1; depth < RING_MAX && i < q->count; i++)
		for (unsigned int turn = 0; !q->used[i] && turn < TURNS; turn++) {
			struct turned next = turned_make(x, q->stray[i], turn);
			uint32_t *deficit;
			int score;

			if (!link_lacks(x, last, &next))
				continue;
			deficit = deficit_at(x, last->keep, next.wrong);
			score = link_score(x, last, &next);
			q->used[i] = true;
			(*deficit)--;
			ring->at[depth] = next;
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
	/* A cycle may be gone round either way: read as the first way would have it, its lowest stray is unturned. */
	q->now.rings[q->now.count].at[0] = turned_make(q->x, q->stray[from], 0);
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
		strays[i] = &x->strays[ring->at[i].stray];
		keeps[i] = ring->at[i].keep;
		belongs[i] = ring->at[(i + 1) % ring->k].wrong;
	}
	swap_report(x, strays, keeps, belongs, ring->k);
}

/* True where no pair is asked for more cables than it lacks. */
static bool ring_is_covered(struct explain *x, const struct ring *ring)
{
	bool covered = true;
	uint32_t taken = 0;

	/* Nor is any stray in it read both ways. */
	for (uint32_t i = 0; i < ring->k; i++)
		for (uint32_t j = i + 1; j < ring->k; j++)
			if (ring->at[i].stray == ring->at[j].stray)
				return false;

	for (; covered && taken < ring->k; taken++) {
		uint32_t *deficit = deficit_at(x, ring->at[taken].keep, ring->at[(taken + 1) % ring->k].wrong);

		covered = *deficit > 0;
		if (!covered)
			break;
		(*deficit)--;
	}
	while (taken > 0) {
		taken--;
		(*deficit_at(x, ring->at[taken].keep, ring->at[(taken + 1) % ring->k].wrong))++;
	}
	return covered;
}

/*
 * The shortest ring through stray @start by breadth-first search over strays, each read either way; at most RING_MAX
 * long. States are numbered stray by stray, TURNS each.
 */
static bool ring_shortest(struct explain *x, uint32_t start, uint32_t *before, uint32_t *queue, struct ring *ret)
{
	const unsigned int ways = TURNS;
	uint32_t head = 0, tail = 0;
	const struct turned first = turned_make(x, start, 0);

	for (uint32_t i = 0; i < ways * x->stray_count; i++)
		before[i] = FT_NONE;
	queue[tail++] = ways * start;
	before[ways * start] = ways * start;
	while (head < tail) {
		uint32_t here = queue[head++];
		const struct turned s = turned_make(x, here / ways, here % ways);

		if (here != ways * start && link_lacks(x, &s, &first)) {
			uint32_t k = 1;

			for (uint32_t at = here; at != ways * start; at = before[at])
				k++;
			if (k > RING_MAX)
				return false;
			ret->k = k;
			for (uint32_t at = here; k-- > 0; at = before[at])
				ret->at[k] = turned_make(x, at / ways, at % ways);
			return ring_is_covered(x, ret);
		}
		for (uint32_t i = 0; i < ways * x->stray_count; i++) {
			const struct stray *t = &x->strays[i / ways];
			struct turned next = turned_make(x, i / ways, i % ways);

			if (t->used || i / ways == start || before[i] != FT_NONE || !stray_crosses(x->m, t) ||
			    !link_lacks(x, &s, &next))
				continue;
			before[i] = here;
			queue[tail++] = i;
		}
	}
	return false;
}

static int swaps_of_many(struct explain *x)
{
	size_t states = (size_t)TURNS * x->stray_count;
	_cleanup_free_ uint32_t *scratch = malloc((2 * states + 1) * sizeof(*scratch));

	if (!scratch)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->stray_count; i++) {
		struct ring ring;

		if (!x->strays[i].used && stray_crosses(x->m, &x->strays[i]) &&
		    ring_shortest(x, i, scratch, scratch + states, &ring))
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

	return r;
}
