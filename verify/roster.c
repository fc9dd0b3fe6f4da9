/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Who gets which of several places: the assignment of live switches to places that costs least. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/match.h"
#include "verify/recall.h"

void ft_roster_release(struct ft_roster *r)
{
	free(r->live);
	free(r->class_of);
	free(r->value);
	free(r->cost);
	free(r->drop);
	free(r->best);
	free(r->named);
}

/* Where the plan says which ports cables are in, these tell what names do not. */
static void roster_ports(struct ft_roster *r)
{
	struct ft_model *m = r->m;

	for (uint32_t i = 0; i < r->live_count && m->exact.votes; i++) {
		uint32_t place =
			r->named[i] == FT_NONE ? ft_exact_vote_best(m, r->live[i], r->first, r->count) : FT_NONE;

		if (place != FT_NONE)
			r->named[i] = place - r->first;
	}
}

/* The number of @place among those of the roster, where it is one of them and free; or FT_NONE. */
static uint32_t roster_free(const struct ft_roster *r, uint32_t place)
{
	return place >= r->first && place < r->first + r->count && r->m->live_of[place] == FT_NONE ? place - r->first
												   : FT_NONE;
}

/* Which free places the waiting switches name. */
static void roster_names(struct ft_roster *r)
{
	for (uint32_t i = 0; i < r->live_count; i++) {
		r->named[i] = roster_free(r, r->m->named[r->live[i]]);
		/* Where it was is as good as a name, and tells where there are none. */
		if (r->named[i] == FT_NONE)
			r->named[i] = roster_free(r, ft_recall_place(r->m, r->live[i]));
	}
	roster_ports(r);
}

/* Groups the places by what tells them apart by structure. */
static void roster_classes(struct ft_roster *r, const uint32_t *values)
{
	for (uint32_t i = 0; i < r->count; i++) {
		uint32_t c = 0;

		while (c < r->class_count && r->value[c] != values[i])
			c++;
		if (c == r->class_count)
			r->value[r->class_count++] = values[i];
		r->class_of[i] = c;
	}
}

int ft_roster_init(struct ft_roster *r, struct ft_model *m, uint32_t first, uint32_t count, const uint32_t *values,
		   const uint32_t *live, uint32_t live_count)
{
	*r = (struct ft_roster){.m = m, .first = first, .count = count, .live_count = live_count};
	r->live = malloc((live_count + 1UL) * sizeof(*r->live));
	r->class_of = malloc((count + 1UL) * sizeof(*r->class_of));
	r->value = malloc((count + 1UL) * sizeof(*r->value));
	if (!r->live || !r->class_of || !r->value)
		return -ENOMEM;
	if (live_count > 0)
		memcpy(r->live, live, live_count * sizeof(*live));
	roster_classes(r, values);
	r->cost = calloc((size_t)live_count * (r->class_count + 1UL) + 1, sizeof(*r->cost));
	r->drop = calloc(live_count + 1UL, sizeof(*r->drop));
	r->best = calloc(live_count + 1UL, sizeof(*r->best));
	r->named = calloc(live_count + 1UL, sizeof(*r->named));
	if (!r->cost || !r->drop || !r->best || !r->named)
		return -ENOMEM;
	roster_names(r);
	return 0;
}

static void place_take(struct ft_model *m, uint32_t planned, uint32_t live)
{
	m->live_of[planned] = live;
	m->live.switches[live].planned = planned;
}

/*
 * The switch that entry @n of a binding means: by its GUID or its description to the letter, or else the only one by
 * its short name ("leaf07" of "MF0;leaf07:MQM8700/U1"). FT_NONE: there is none.
 */
static uint32_t bound_find(const struct ft_model *m, const struct ft_bind *bind, size_t n, bool brief)
{
	uint32_t found = FT_NONE;

	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		const struct ft_live_switch *sw = &m->live.switches[i];
		const char *description = ft_node_description(m->snapshot, &m->snapshot->nodes[sw->node]);

		if (sw->planned != FT_NONE)
			continue;
		if (!brief && (bind->guids[n] ? bind->guids[n] == sw->guid : strcmp(bind->names[n], description) == 0))
			return i;
		if (!brief || bind->guids[n] || !ft_text_short_equal(bind->names[n], description))
			continue;
		if (found != FT_NONE)
			return FT_NONE;
		found = i;
	}
	return found;
}

void ft_bound_take(struct ft_model *m, enum ft_tier tier, uint32_t first)
{
	const struct ft_bind *bind = &m->design->binds[tier];

	for (int brief = 0; brief < 2; brief++)
		for (size_t n = 0; n < bind->count; n++) {
			uint32_t live = m->live_of[first + n] == FT_NONE ? bound_find(m, bind, n, brief) : FT_NONE;

			if (live != FT_NONE)
				place_take(m, first + (uint32_t)n, live);
		}
}

static void roster_remove(struct ft_roster *r, uint32_t i)
{
	uint32_t last = --r->live_count;

	r->live[i] = r->live[last];
	r->drop[i] = r->drop[last];
	r->best[i] = r->best[last];
	r->named[i] = r->named[last];
	memcpy(&r->cost[(size_t)i * r->class_count], &r->cost[(size_t)last * r->class_count],
	       r->class_count * sizeof(*r->cost));
}

/*
 * Leaves out the live switches that fit no place of the plan: those that are cheaper as "unplanned" (one fault, another
 * for the place left empty, and one for every cable and host that would be right by chance), and where there are too
 * many, those that fit worst.
 */
static void roster_weed(struct ft_roster *r, uint32_t free_count)
{
	for (uint32_t i = r->live_count; i-- > 0;)
		if (r->best[i] > (int64_t)r->drop[i]) {
			r->m->live.switches[r->live[i]].passed_over = r->live_count <= free_count;
			roster_remove(r, i);
		}
	while (r->live_count > free_count) {
		uint32_t worst = 0;

		for (uint32_t i = 1; i < r->live_count; i++) {
			/* What is lost by leaving it out: the more of the plan it stands for, the more. */
			int64_t a = (int64_t)r->drop[i] - r->best[i], b = (int64_t)r->drop[worst] - r->best[worst];
			const struct ft_live_switch *x = &r->m->live.switches[r->live[i]];
			const struct ft_live_switch *y = &r->m->live.switches[r->live[worst]];
			int by_name = (r->named[i] != FT_NONE) - (r->named[worst] != FT_NONE);

			if (a < b || (a == b && (by_name < 0 || (by_name == 0 && x->guid > y->guid))))
				worst = i;
		}
		roster_remove(r, worst);
	}
}

/* Those that fit hardly better than "unplanned": within one fault. */
static void roster_doubt(struct ft_roster *r)
{
	enum { ONE_FAULT = 2 };

	for (uint32_t i = 0; i < r->live_count; i++)
		r->m->live.switches[r->live[i]].doubtful = r->best[i] + ONE_FAULT >= (int64_t)r->drop[i];
}

struct gain {
	int64_t gain;
	uint32_t item;
};

static int gain_compare(const void *a, const void *b)
{
	const struct gain *x = a, *y = b;

	if (x->gain != y->gain)
		return x->gain < y->gain ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

/*
 * Two classes (a bundle width and its remainder): sorted by how much dearer the second class is, a prefix goes to the
 * first. Exact.
 */
static int classes_split(const struct ft_choice *r, const uint32_t *capacity, uint32_t *ret_class)
{
	uint32_t n = r->count, first = n > capacity[1] ? n - capacity[1] : 0;
	uint32_t high = n < capacity[0] ? n : capacity[0];
	_cleanup_free_ struct gain *order = malloc((n + 1UL) * sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		order[i] = (struct gain){r->cost[(size_t)i * 2] - r->cost[(size_t)i * 2 + 1], i};
	qsort(order, n, sizeof(*order), gain_compare);
	while (first < high && order[first].gain <= 0)
		first++;
	for (uint32_t i = 0; i < n; i++)
		ret_class[order[i].item] = i < first ? 0 : 1;
	return 0;
}

/* The class that is cheapest for switch @item of those that have seats; FT_NONE where no single one is. */
static uint32_t class_cheapest(const struct ft_choice *r, const uint32_t *capacity, uint32_t item)
{
	const int64_t *cost = &r->cost[(size_t)item * r->class_count];
	uint32_t cheapest = FT_NONE;
	bool single = false;

	for (uint32_t c = 0; c < r->class_count; c++) {
		if (capacity[c] == 0)
			continue;
		if (cheapest == FT_NONE || cost[c] < cost[cheapest]) {
			cheapest = c;
			single = true;
		} else if (cost[c] == cost[cheapest]) {
			single = false;
		}
	}
	return single ? cheapest : FT_NONE;
}

/*
 * Seats the first switches, each in the class that is cheapest for it alone and has nobody yet: as long as all sit
 * best, no chain of moves is cheaper. Where spines are in order, these are all. Returns how many they are.
 */
static uint32_t classes_begin(const struct ft_choice *r, const uint32_t *capacity, uint32_t *left, uint32_t *ret_class)
{
	for (uint32_t i = 0; i < r->count; i++) {
		uint32_t c = class_cheapest(r, capacity, i);

		if (c == FT_NONE || left[c] < capacity[c])
			return i;
		left[c]--;
		ret_class[i] = c;
	}
	return r->count;
}

/*
 * Any number of classes: the assignment problem, by shortest augmenting paths over classes (a class has as many seats
 * as capacity). Each switch enters in turn; the cheapest chain of moves between classes makes room for it. Exact, and
 * quick because classes are few and most switches sit well at once: O(n^2 k + n k^2) for the others.
 */
static int classes_chain(const struct ft_choice *r, const uint32_t *capacity, uint32_t *ret_class)
{
	uint32_t n = r->count, k = r->class_count;
	_cleanup_free_ uint32_t *left = malloc((k + 1UL) * sizeof(*left));
	_cleanup_free_ uint32_t *before = malloc((k + 1UL) * sizeof(*before));
	_cleanup_free_ uint32_t *mover = malloc((k + 1UL) * sizeof(*mover));
	_cleanup_free_ int64_t *price = malloc((k + 1UL) * sizeof(*price));

	if (!left || !before || !mover || !price)
		return -ENOMEM;
	memcpy(left, capacity, k * sizeof(*left));
	for (uint32_t i = classes_begin(r, capacity, left, ret_class); i < n; i++) {
		uint32_t to = FT_NONE;
		bool cheaper = true;

		for (uint32_t c = 0; c < k; c++) {
			price[c] = r->cost[(size_t)i * k + c];
			before[c] = FT_NONE;
			mover[c] = i;
		}
		/* Bellman and Ford: moves may be worth less than nothing. */
		for (uint32_t round = 0; cheaper && round < k; round++) {
			cheaper = false;
			for (uint32_t j = 0; j < i; j++)
				for (uint32_t c = 0; c < k; c++) {
					uint32_t from = ret_class[j];
					int64_t moved = price[from] + r->cost[(size_t)j * k + c] -
							r->cost[(size_t)j * k + from];

					if (c == from || capacity[c] == 0 || moved >= price[c])
						continue;
					price[c] = moved;
					before[c] = from;
					mover[c] = j;
					cheaper = true;
				}
		}
		for (uint32_t c = 0; c < k; c++)
			if (left[c] > 0 && (to == FT_NONE || price[c] < price[to]))
				to = c;
		left[to]--;
		while (to != FT_NONE) {
			ret_class[mover[to]] = to;
			to = before[to];
		}
	}
	return 0;
}

int ft_classes_assign(const struct ft_choice *choice, const uint32_t *capacity, uint32_t *ret_class)
{
	if (choice->class_count == 1)
		return 0;
	return choice->class_count == 2 ? classes_split(choice, capacity, ret_class)
					: classes_chain(choice, capacity, ret_class);
}

int ft_live_compare(const void *a, const void *b, void *arg)
{
	const struct ft_model *m = arg;
	const struct ft_live_switch *x = &m->live.switches[*(const uint32_t *)a];
	const struct ft_live_switch *y = &m->live.switches[*(const uint32_t *)b];
	int d = ft_text_natural_compare(x->name, y->name);

	if (d)
		return d;
	return x->guid < y->guid ? -1 : x->guid > y->guid;
}

/* Within a class all places are equal: planned names go to the switches that carry them, the rest by order. */
static int class_seat(struct ft_roster *r, uint32_t c, const uint32_t *class_of_item)
{
	struct ft_model *m = r->m;
	_cleanup_free_ uint32_t *items = malloc((r->live_count + 1UL) * sizeof(*items));
	uint32_t count = 0, seat = 0;

	if (!items)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->live_count; i++) {
		uint32_t place = r->named[i];

		if (class_of_item[i] != c)
			continue;
		if (place != FT_NONE && r->class_of[place] == c && m->live_of[r->first + place] == FT_NONE)
			place_take(m, r->first + place, r->live[i]);
		else
			items[count++] = r->live[i];
	}
	qsort_r(items, count, sizeof(*items), ft_live_compare, m);
	for (uint32_t i = 0; i < count; i++) {
		while (m->live_of[r->first + seat] != FT_NONE || r->class_of[seat] != c)
			seat++;
		place_take(m, r->first + seat, items[i]);
	}
	return 0;
}

/* True where the bound tier names every place, so that whoever sits in a free one has replaced somebody. */
static void replaced_mark(struct ft_model *m, const struct ft_roster *r)
{
	if (m->design->binds[ft_tier_of(m, r->first)].count == 0)
		return;
	for (uint32_t i = 0; i < r->live_count; i++)
		if (m->live.switches[r->live[i]].planned != FT_NONE)
			m->replaced[m->live.switches[r->live[i]].planned] = true;
}

int ft_roster_seat(struct ft_roster *r)
{
	struct ft_model *m = r->m;
	_cleanup_free_ uint32_t *capacity = calloc(r->class_count + 1UL, sizeof(*capacity));
	_cleanup_free_ uint32_t *class_of_item = NULL;
	uint32_t free_count = 0;
	int e;

	if (!capacity)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->count; i++)
		if (m->live_of[r->first + i] == FT_NONE) {
			capacity[r->class_of[i]]++;
			free_count++;
		}
	roster_weed(r, free_count);
	roster_doubt(r);
	for (uint32_t i = 0; i < r->live_count; i++) {
		for (uint32_t c = 0; c < r->class_count; c++) {
			int64_t *cost = &r->cost[(size_t)i * r->class_count + c];

			*cost = *cost * FT_NAMES_SCALE + (r->named[i] != FT_NONE && r->class_of[r->named[i]] != c);
		}
	}
	class_of_item = calloc(r->live_count + 1UL, sizeof(*class_of_item));
	if (!class_of_item)
		return -ENOMEM;
	e = ft_classes_assign(&(struct ft_choice){r->cost, r->live_count, r->class_count}, capacity, class_of_item);
	for (uint32_t c = 0; e == 0 && c < r->class_count; c++)
		e = class_seat(r, c, class_of_item);
	if (e == 0)
		replaced_mark(m, r);
	return e;
}
