/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Twins differ only in their hosts, and in the rates that the plan gives to some: which member of a class gets which of
 * its places.
 *
 * Both are sorted by hosts. The sum of differences is least if the order is kept, so only the places that are left out
 * have to be chosen: dynamic programming over (switch, place). Cost: O(n log n) for a class in which all hosts are
 * right, O(switches * places left out) for the rest; those with the wrong rate are compared with all.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "verify/match/assign_parts.h"

/* A switch or a place, sorted by hosts, then by order. Places of unlike rates are apart. */
struct dealt {
	uint32_t hosts, rank, index, rates;
};

static int dealt_compare(const void *a, const void *b)
{
	const struct dealt *x = a, *y = b;

	return FT_ORDER(x->hosts, y->hosts) ?: FT_ORDER(x->rates, y->rates) ?: FT_ORDER(x->rank, y->rank);
}

/* The price of different numbers of hosts: first the sum of differences, then the number of switches that differ. */
static uint32_t hosts_apart(uint32_t a, uint32_t b)
{
	return 2 * ft_number_apart(a, b) + (a != b);
}

/* Assigns switches to places with the same number of hosts. Both lists are sorted; the unassigned remain in them. */
static void equals_deal(struct ft_assign_work *w, struct dealt *who, uint32_t *who_count, struct dealt *seats,
			uint32_t *seat_count)
{
	uint32_t i = 0, k = 0, who_left = 0, seats_left = 0;

	while (i < *who_count || k < *seat_count) {
		if (i < *who_count && k < *seat_count && who[i].hosts == seats[k].hosts)
			ft_assign_seat_move(w, who[i++].index, seats[k++].index);
		else if (k == *seat_count || (i < *who_count && who[i].hosts < seats[k].hosts))
			who[who_left++] = who[i++];
		else
			seats[seats_left++] = seats[k++];
	}
	*who_count = who_left;
	*seat_count = seats_left;
}

/*
 * Assigns the others with the smallest sum of host differences: both in sorted order, with some places left out. There
 * are at least as many places as switches. Dynamic programming over (switch, place): O(switches * places left out), of
 * which a row of costs and a bit of each choice are kept. Twins share a neighbour, so they are no more than its ports.
 */
static int others_deal(struct ft_assign_work *w, const struct dealt *who, uint32_t n, const struct dealt *seats,
		       uint32_t m)
{
	enum { BITS = 8 };
	uint32_t extra = m - n;
	size_t width = extra + 1UL;
	/* cost[k]: of the first i switches, with k places left out before that of the last. */
	_cleanup_free_ uint32_t *cost = n > 0 ? calloc(width, sizeof(*cost)) : NULL;
	/* Bit i * width + k: the place k before switch i is left out. */
	_cleanup_free_ uint8_t *leaves = n > 0 ? calloc(n * width / BITS + 1, 1) : NULL;

	if (n > 0 && (!cost || !leaves))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < width; k++) {
			size_t bit = i * width + k;

			cost[k] += hosts_apart(who[i].hosts, seats[i + k].hosts);
			if (k == 0 || cost[k] < cost[k - 1])
				continue;
			cost[k] = cost[k - 1];
			leaves[bit / BITS] |= (uint8_t)(1U << bit % BITS);
		}
	for (uint32_t i = n, k = extra; i > 0;) {
		size_t bit = (i - 1) * width + k;

		if (leaves[bit / BITS] >> bit % BITS & 1) {
			k--;
			continue;
		}
		i--;
		ft_assign_seat_move(w, who[i].index, seats[i + k].index);
	}
	return 0;
}

static uint32_t hosts_apart_at(const struct ft_assign *in, uint32_t o, uint32_t p)
{
	return o == FT_NONE ? 0 : hosts_apart(in->observed_at[o].hosts, in->planned_at[p].hosts);
}

/* True if the sum of host differences is no larger once @a, at @p, and @b, at @q, are exchanged. Either may be none. */
static bool hosts_let_exchange(const struct ft_assign *in, uint32_t a, uint32_t p, uint32_t b, uint32_t q)
{
	return hosts_apart_at(in, a, q) + hosts_apart_at(in, b, p) <=
	       hosts_apart_at(in, a, p) + hosts_apart_at(in, b, q);
}

/* True for a switch that is in the place of its name, or bound. */
static bool stays(const struct ft_assign *in, uint32_t o, uint32_t p)
{
	return o != FT_NONE && (in->fixed[o] || in->named[o] == p);
}

/* Moves switches to the places of their names if that does not change the sum of host differences. */
static void names_deal(struct ft_assign_work *w, uint32_t c)
{
	const struct ft_assign *in = w->in;

	for (uint32_t i = w->members_first[c]; i < w->members_first[c + 1]; i++) {
		uint32_t from = w->members[i], o = w->origin[from], to = o == FT_NONE ? FT_NONE : in->named[o];

		if (to == FT_NONE || w->twin[to] != c || stays(in, o, from) || stays(in, w->origin[to], to))
			continue;
		if (hosts_let_exchange(in, o, from, w->origin[to], to))
			ft_assign_exchange(w, o, to);
	}
}

/* How many rates are not as the place says. */
static uint32_t rates_apart(const struct ft_assign *in, uint32_t o, uint32_t p)
{
	const uint16_t *seen, *said = in->planned_at[p].rate;
	uint32_t apart = 0;

	if (o == FT_NONE)
		return 0;
	seen = in->observed_at[o].rate;
	for (unsigned int n = 0; n < 2; n++)
		apart += said[n] && seen[n] && said[n] != seen[n];
	return apart;
}

/*
 * Exchanges two switches if more of their rates are those of their places then, and the sum of host differences is no
 * larger. A switch in the place of its name stays.
 */
static void rates_deal(struct ft_assign_work *w, uint32_t c)
{
	const struct ft_assign *in = w->in;
	const uint32_t *first = w->members + w->members_first[c], *end = w->members + w->members_first[c + 1];

	for (const uint32_t *p = first; p < end; p++)
		for (const uint32_t *q = first; q < end; q++) {
			uint32_t a = w->origin[*p], b = w->origin[*q];

			if (rates_apart(in, a, *p) == 0 || stays(in, a, *p))
				break;
			if (q == p || stays(in, b, *q) || !hosts_let_exchange(in, a, *p, b, *q))
				continue;
			if (rates_apart(in, a, *q) + rates_apart(in, b, *p) <
			    rates_apart(in, a, *p) + rates_apart(in, b, *q))
				ft_assign_exchange(w, a, *q);
		}
}

/*
 * Among places with equal hosts and rates, seats the switches that are not in the place of their name in the order of
 * ranks.
 */
static void ranks_deal(struct ft_assign_work *w, uint32_t c, struct dealt *who, struct dealt *seats)
{
	const struct ft_assign *in = w->in;
	uint32_t count = 0;

	for (uint32_t i = w->members_first[c]; i < w->members_first[c + 1]; i++) {
		uint32_t p = w->members[i], o = w->origin[p];

		if (o != FT_NONE && !stays(in, o, p))
			seats[count++] =
				(struct dealt){in->planned_at[p].hosts, i, p,
					       (uint32_t)in->planned_at[p].rate[0] << 16 | in->planned_at[p].rate[1]};
	}
	qsort(seats, count, sizeof(*seats), dealt_compare);
	for (uint32_t first = 0, end; first < count; first = end) {
		for (end = first;
		     end < count && seats[end].hosts == seats[first].hosts && seats[end].rates == seats[first].rates;
		     end++) {
			uint32_t o = w->origin[seats[end].index];

			who[end - first] = (struct dealt){.rank = in->order[o], .index = o};
			ft_assign_seat_move(w, o, FT_NONE);
		}
		qsort(who, end - first, sizeof(*who), dealt_compare);
		for (uint32_t i = first; i < end; i++)
			ft_assign_seat_move(w, who[i - first].index, seats[i].index);
	}
}

/*
 * Within a class, switches with the name and the hosts of a place get it first, then those with its hosts, then the
 * rest. A switch in the place of its name stays there, if names count.
 */
static int class_deal(struct ft_assign_work *w, uint32_t c, struct dealt *who, struct dealt *seats)
{
	const struct ft_assign *in = w->in;
	uint32_t count = 0, left = 0, seat_count = 0;
	int e;

	for (uint32_t i = w->members_first[c]; i < w->members_first[c + 1]; i++) {
		uint32_t o = w->origin[w->members[i]];

		if (o != FT_NONE && !in->fixed[o] && (in->names_weak || in->named[o] != w->image[o]))
			who[count++] = (struct dealt){in->observed_at[o].hosts, in->order[o], o, 0};
	}
	for (uint32_t i = 0; i < count; i++)
		ft_assign_seat_move(w, who[i].index, FT_NONE);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t p = in->named[who[i].index];

		if (p != FT_NONE && w->twin[p] == c && w->origin[p] == FT_NONE &&
		    (in->names_first || in->planned_at[p].hosts == who[i].hosts))
			ft_assign_seat_move(w, who[i].index, p);
		else
			who[left++] = who[i];
	}
	for (uint32_t i = w->members_first[c]; i < w->members_first[c + 1]; i++)
		if (w->origin[w->members[i]] == FT_NONE)
			seats[seat_count++] = (struct dealt){in->planned_at[w->members[i]].hosts, i, w->members[i], 0};
	qsort(who, left, sizeof(*who), dealt_compare);
	qsort(seats, seat_count, sizeof(*seats), dealt_compare);
	equals_deal(w, who, &left, seats, &seat_count);
	e = others_deal(w, who, left, seats, seat_count);
	if (e < 0)
		return e;
	names_deal(w, c);
	rates_deal(w, c);
	ranks_deal(w, c, who, seats);
	return 0;
}

int ft_assign_twins_deal(struct ft_assign_work *w)
{
	size_t size = w->in->planned->count + 1UL;
	_cleanup_free_ struct dealt *who = malloc(size * sizeof(*who));
	_cleanup_free_ struct dealt *seats = malloc(size * sizeof(*seats));
	int r = who && seats ? 0 : -ENOMEM;

	for (uint32_t c = 0; r == 0 && c < w->class_count; c++)
		r = class_deal(w, c, who, seats);
	return r;
}
