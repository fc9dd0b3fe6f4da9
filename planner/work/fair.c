/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/work/fair.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

/* Rates and loads that differ by less, relatively, are equal: far more than the rounding of long sums. */
#define TOLERANCE 1e-9

void ft_fair_release(struct ft_fair *f)
{
	for (uint32_t i = 0; f->resources && i < f->resource_count; i++)
		free(f->resources[i].users);
	for (uint32_t i = 0; i < f->class_count; i++)
		free(f->classes[i].seats);
	free(f->resources);
	free(f->capacity);
	free(f->load);
	free(f->hot);
	free(f->classes);
	free(f->free_classes);
	free(f->filled);
	free(f->touched);
	ft_queue_release(&f->rising);
}

int ft_fair_make(const double *capacities, uint32_t count, const double *extra_capacities, uint32_t extra,
		 struct ft_fair *ret)
{
	size_t all = (size_t)count + extra;

	ret->resources = calloc(all + 1, sizeof(*ret->resources));
	ret->capacity = calloc(all + 1, sizeof(*ret->capacity));
	ret->load = calloc(all + 1, sizeof(*ret->load));
	ret->hot = calloc(all + 1, sizeof(*ret->hot));
	ret->touched = calloc(all + 1, sizeof(*ret->touched));
	if (!ret->resources || !ret->capacity || !ret->load || !ret->hot || !ret->touched ||
	    ft_queue_reserve(&ret->rising, (uint32_t)all) < 0)
		return -ENOMEM;
	ret->resource_count = (uint32_t)all;
	for (uint32_t i = 0; i < all; i++)
		ret->capacity[i] = i < count ? capacities[i] : extra_capacities[i - count];
	return 0;
}

void ft_fair_begin(struct ft_fair *f)
{
	f->update++;
	f->filled_count = 0;
	f->touched_count = 0;
}

static uint32_t resources_of(const struct ft_fair_class *c)
{
	return c->share_count + (c->extra != FT_FAIR_NONE);
}

/* Resource @n of a class, and its share of it. */
static uint32_t resource_of(const struct ft_fair_class *c, uint32_t n, double *ret_share)
{
	*ret_share = n < c->share_count ? c->shares[n].share : 1;
	return n < c->share_count ? c->shares[n].resource : c->extra;
}

/* Not even at their limits do its users overload it: then it is nobody's bottleneck. */
static bool may_fill(const struct ft_fair *f, uint32_t resource)
{
	return f->resources[resource].potential > f->capacity[resource] * (1 + TOLERANCE);
}

/* ---- members ---- */

static void touch(struct ft_fair *f, uint32_t resource)
{
	if (f->resources[resource].touched == f->update)
		return;
	f->resources[resource].touched = f->update;
	f->touched[f->touched_count++] = resource;
}

/* The class is filled in this update. There is room for all classes: each is listed once. */
static void fill_too(struct ft_fair *f, uint32_t class)
{
	if (f->classes[class].filled == f->update)
		return;
	f->classes[class].filled = f->update;
	f->filled[f->filled_count++] = class;
}

static int classes_grow(struct ft_fair *f)
{
	uint32_t size = f->class_size ? 2 * f->class_size : 256;
	struct ft_fair_class *classes = reallocarray(f->classes, size, sizeof(*classes));
	uint32_t *list;

	if (!classes)
		return -ENOMEM;
	f->classes = classes;
	list = reallocarray(f->free_classes, size, sizeof(*list));
	if (!list)
		return -ENOMEM;
	f->free_classes = list;
	list = reallocarray(f->filled, size, sizeof(*list));
	if (!list)
		return -ENOMEM;
	f->filled = list;
	f->class_size = size;
	return 0;
}

int ft_fair_add(struct ft_fair *f, const struct ft_path *path, uint32_t extra, double limit, uint32_t *ret_class)
{
	uint32_t needed = path->share_count + 1, index;
	struct ft_fair_class *c;

	if (f->free_count == 0 && f->class_count == f->class_size && classes_grow(f) < 0)
		return -ENOMEM;
	index = f->free_count > 0 ? f->free_classes[f->free_count - 1] : f->class_count;
	c = &f->classes[index];
	if (f->free_count == 0)
		*c = (struct ft_fair_class){0};
	if (c->seat_size < needed) {
		uint32_t *seats = reallocarray(c->seats, needed, sizeof(*seats));

		if (!seats)
			return -ENOMEM;
		c->seats = seats;
		c->seat_size = needed;
	}
	if (f->free_count > 0)
		f->free_count--;
	else
		f->class_count++;
	*c = (struct ft_fair_class){.shares = path->shares,
				    .share_count = path->share_count,
				    .extra = extra,
				    .seats = c->seats,
				    .seat_size = c->seat_size,
				    .limit = limit,
				    .bottleneck = FT_FAIR_NONE,
				    .filled = c->filled};
	*ret_class = index;
	return 0;
}

static int user_add(struct ft_fair_resource *r, uint32_t class, uint32_t share, uint32_t *ret_seat)
{
	if (r->user_count == r->user_size) {
		uint32_t size = r->user_size ? 2 * r->user_size : 8;
		struct ft_fair_user *users = reallocarray(r->users, size, sizeof(*users));

		if (!users)
			return -ENOMEM;
		r->users = users;
		r->user_size = size;
	}
	*ret_seat = r->user_count;
	r->users[r->user_count++] = (struct ft_fair_user){class, share};
	return 0;
}

static void user_remove(struct ft_fair *f, uint32_t resource, uint32_t seat)
{
	struct ft_fair_resource *r = &f->resources[resource];
	struct ft_fair_user last = r->users[--r->user_count];

	r->users[seat] = last;
	f->classes[last.class].seats[last.share] = seat;
	/* Nothing is left of rounding errors where nothing is left. */
	if (r->user_count == 0)
		f->load[resource] = r->potential = 0;
}

int ft_fair_join(struct ft_fair *f, uint32_t class)
{
	struct ft_fair_class *c = &f->classes[class];
	bool limited = false;

	for (uint32_t n = 0; n < resources_of(c); n++) {
		double share;
		uint32_t at = resource_of(c, n, &share);
		struct ft_fair_resource *r = &f->resources[at];

		if (c->members == 0 && user_add(r, class, n, &c->seats[n]) < 0) {
			/* Nobody sits who is no member. */
			while (n-- > 0)
				user_remove(f, resource_of(c, n, &share), c->seats[n]);
			return -ENOMEM;
		}
		r->potential += share * c->limit;
		f->load[at] += share * c->rate;
		if (may_fill(f, at)) {
			limited = true;
			touch(f, at);
		}
	}
	c->members++;
	if (limited || c->members == 1)
		fill_too(f, class);
	return 0;
}

void ft_fair_leave(struct ft_fair *f, uint32_t class)
{
	struct ft_fair_class *c = &f->classes[class];

	c->members--;
	for (uint32_t n = 0; n < resources_of(c); n++) {
		double share;
		uint32_t at = resource_of(c, n, &share);
		struct ft_fair_resource *r = &f->resources[at];

		if (may_fill(f, at))
			touch(f, at);
		else
			f->hot[at] = 0;
		r->potential -= share * c->limit;
		f->load[at] -= share * c->rate;
		if (c->members == 0)
			user_remove(f, at, c->seats[n]);
	}
	if (c->members > 0)
		return;
	if (c->bottleneck != FT_FAIR_NONE)
		f->resources[c->bottleneck].bottleneck_of--;
	c->bottleneck = FT_FAIR_NONE;
	f->free_classes[f->free_count++] = class;
}

/* ---- filling ---- */

static double level_of(const struct ft_fair_resource *r)
{
	double level = r->rest / r->weight;

	return level > 0 ? level : 0;
}

static void settle(struct ft_fair *f, uint32_t class, double rate, uint32_t bottleneck)
{
	struct ft_fair_class *c = &f->classes[class];

	for (uint32_t n = 0; n < resources_of(c); n++) {
		double share;
		uint32_t at = resource_of(c, n, &share);
		struct ft_fair_resource *r = &f->resources[at];

		if (!f->hot[at])
			continue;
		r->rest -= share * c->members * rate;
		r->weight -= share * c->members;
		r->unsettled--;
	}
	if (c->bottleneck != FT_FAIR_NONE)
		f->resources[c->bottleneck].bottleneck_of--;
	if (bottleneck != FT_FAIR_NONE)
		f->resources[bottleneck].bottleneck_of++;
	c->bottleneck = bottleneck;
	c->rate = rate;
	c->settled = true;
}

static void fill_begin_class(struct ft_fair *f, struct ft_fair_class *c)
{
	c->settled = false;
	c->rate_filled = c->rate;
	f->work += resources_of(c);
	for (uint32_t n = 0; n < resources_of(c); n++) {
		double share;
		uint32_t at = resource_of(c, n, &share);
		struct ft_fair_resource *r = &f->resources[at];

		if (!f->hot[at])
			continue;
		if (r->in_fill != f->fill) {
			r->in_fill = f->fill;
			r->rest = f->capacity[at] - f->load[at];
			r->weight = 0;
			r->unsettled = 0;
			ft_queue_append(&f->rising, at, 0);
			touch(f, at);
		}
		r->rest += share * c->members * c->rate;
		r->weight += share * c->members;
		r->unsettled++;
	}
}

/* What the classes to be filled have together: all that the others leave of each resource. */
static void fill_begin(struct ft_fair *f)
{
	f->fill++;
	f->rising.count = 0;
	for (uint32_t i = 0; i < f->filled_count; i++)
		fill_begin_class(f, &f->classes[f->filled[i]]);
	for (uint32_t i = 0; i < f->rising.count; i++)
		f->rising.items[i].key = level_of(&f->resources[f->rising.items[i].number]);
	ft_queue_order(&f->rising, NULL);
}

/*
 * The resource that is full first, and its level; FT_FAIR_NONE: none is any more. Levels only rise while classes
 * settle: old ones are too low, and a resource that is first by its present one is the first of all.
 */
static uint32_t fullest(struct ft_fair *f, double *ret_level)
{
	while (!ft_queue_is_empty(&f->rising)) {
		uint32_t first = ft_queue_first(&f->rising);

		if (f->resources[first].unsettled == 0) {
			ft_queue_take(&f->rising, NULL);
			continue;
		}
		*ret_level = level_of(&f->resources[first]);
		if (*ret_level <= ft_queue_key(&f->rising))
			return first;
		ft_queue_defer(&f->rising, NULL, *ret_level);
	}
	return FT_FAIR_NONE;
}

static int compare_limits(const void *a, const void *b, void *data)
{
	const struct ft_fair *f = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	double p = f->classes[x].limit, q = f->classes[y].limit;

	if (p < q || p > q)
		return p < q ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void settle_users(struct ft_fair *f, uint32_t resource, double level)
{
	const struct ft_fair_resource *r = &f->resources[resource];

	for (uint32_t i = 0; i < r->user_count && r->unsettled > 0; i++) {
		const struct ft_fair_class *c = &f->classes[r->users[i].class];

		if (c->filled == f->update && !c->settled)
			settle(f, r->users[i].class, level, resource);
	}
}

/* By their limits, which mostly are all equal. */
static void filled_sort(struct ft_fair *f)
{
	bool sorted = true;

	for (uint32_t i = 1; i < f->filled_count && sorted; i++)
		sorted = f->classes[f->filled[i - 1]].limit <= f->classes[f->filled[i]].limit;
	if (!sorted)
		qsort_r(f->filled, f->filled_count, sizeof(*f->filled), compare_limits, f);
}

/* The loads that the new rates make. Resources that are overloaded by them were not minded, and are now. */
static bool loads_fit(struct ft_fair *f)
{
	bool fit = true;

	for (uint32_t i = 0; i < f->filled_count; i++) {
		const struct ft_fair_class *c = &f->classes[f->filled[i]];
		double change = c->members * (c->rate - c->rate_filled);

		for (uint32_t n = 0; n < resources_of(c) && (change > 0 || change < 0); n++) {
			double share;
			uint32_t at = resource_of(c, n, &share);

			f->load[at] += share * change;
		}
	}
	for (uint32_t i = 0; i < f->filled_count; i++) {
		const struct ft_fair_class *c = &f->classes[f->filled[i]];

		for (uint32_t n = 0; n < resources_of(c); n++) {
			double share;
			uint32_t at = resource_of(c, n, &share);

			if (f->hot[at] || f->load[at] <= f->capacity[at] * (1 + TOLERANCE))
				continue;
			f->hot[at] = 1;
			fit = false;
		}
	}
	return fit;
}

/* Progressive filling: the rates of all classes rise together; each settles at its limit or with its resource. */
static void fill(struct ft_fair *f)
{
	uint32_t next = 0;

	fill_begin(f);
	while (next < f->filled_count) {
		struct ft_fair_class *c = &f->classes[f->filled[next]];
		double level = 0;
		uint32_t resource;

		if (c->settled) {
			next++;
			continue;
		}
		resource = fullest(f, &level);
		if (resource == FT_FAIR_NONE || level >= c->limit)
			settle(f, f->filled[next++], c->limit, FT_FAIR_NONE);
		else
			settle_users(f, resource, level);
	}
}

/* ---- checking the others ---- */

struct rates {
	double load;
	double highest;
	double lowest; /* of those that have their bottleneck here */
};

static struct rates rates_of(struct ft_fair *f, uint32_t resource)
{
	const struct ft_fair_resource *r = &f->resources[resource];
	struct rates rates = {0, 0, -1};

	f->work += r->user_count;
	for (uint32_t i = 0; i < r->user_count; i++) {
		const struct ft_fair_class *c = &f->classes[r->users[i].class];
		double share = r->users[i].share < c->share_count ? c->shares[r->users[i].share].share : 1;

		rates.load += c->members * share * c->rate;
		if (c->rate > rates.highest)
			rates.highest = c->rate;
		if (c->bottleneck == resource && (rates.lowest < 0 || c->rate < rates.lowest))
			rates.lowest = c->rate;
	}
	return rates;
}

/*
 * It is the bottleneck of some classes. If it is not full any more, these are filled. If it is, those below the highest
 * rate have lost their bottleneck, and those above the lowest rate stand in the way of the lowest.
 */
static void check(struct ft_fair *f, uint32_t resource)
{
	struct ft_fair_resource *r = &f->resources[resource];
	struct rates rates;
	bool full;

	if (r->bottleneck_of == 0)
		return;
	rates = rates_of(f, resource);
	f->load[resource] = rates.load;
	full = rates.load >= f->capacity[resource] * (1 - TOLERANCE);
	if (full && rates.highest <= rates.lowest * (1 + TOLERANCE))
		return;
	for (uint32_t i = 0; i < r->user_count; i++) {
		const struct ft_fair_class *c = &f->classes[r->users[i].class];
		bool low = c->bottleneck == resource && (!full || c->rate < rates.highest * (1 - TOLERANCE));
		bool high = full && c->rate > rates.lowest * (1 + TOLERANCE);

		if (low || high)
			fill_too(f, r->users[i].class);
	}
}

/* Without the classes that were removed after they had been listed. */
static void filled_clean(struct ft_fair *f)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->filled_count; i++)
		if (f->classes[f->filled[i]].members > 0)
			f->filled[count++] = f->filled[i];
	f->filled_count = count;
}

static void rates_remember(struct ft_fair *f, uint32_t from)
{
	for (uint32_t i = from; i < f->filled_count; i++)
		f->classes[f->filled[i]].rate_before = f->classes[f->filled[i]].rate;
}

/* A change of its members surely changes the rates of those that have their bottleneck there. */
static void fill_bottlenecked(struct ft_fair *f, uint32_t resource)
{
	const struct ft_fair_resource *r = &f->resources[resource];

	for (uint32_t i = 0; i < r->user_count && r->bottleneck_of > 0; i++)
		if (f->classes[r->users[i].class].bottleneck == resource)
			fill_too(f, r->users[i].class);
}

void ft_fair_update(struct ft_fair *f)
{
	uint32_t known;

	filled_clean(f);
	for (uint32_t i = 0; i < f->touched_count; i++)
		fill_bottlenecked(f, f->touched[i]);
	rates_remember(f, 0);
	do {
		known = f->filled_count;
		filled_sort(f);
		do
			fill(f);
		while (!loads_fit(f));
		for (uint32_t i = 0; i < f->touched_count; i++)
			check(f, f->touched[i]);
		rates_remember(f, known);
	} while (f->filled_count > known);
}
