/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the cables of classes of switches are expected to run at. A class has the rate that tells it from the others. It
 * is said if most cables of each class of edge switches to each core switch are as fast as is expected of them then.
 * Otherwise the usual rate is expected of all if no switch is slower; or else nothing is, and the verifier takes the
 * majority of each pair of classes. Hosts have the rates of many hosts of their class. Of a rate that many of the whole
 * fabric have, a few of the class suffice, and of any rate most hosts of a switch: they are taken to be meant so.
 *
 * Cost: sorting the cables.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/infer/by_rule.h"

enum { FEW = 4 }; /* fewer cables have no majority: so many have in the verifier (rates.c) */

/* A cable, by one of its ports, and what it belongs to: two classes, or the class of its switch. */
struct rated {
	uint64_t key;
	uint32_t port;
};

static int rated_compare(const void *a, const void *b)
{
	const struct rated *x = a, *y = b;

	return FT_ORDER(x->key, y->key) ?: FT_ORDER(x->port, y->port);
}

/* Counts the rates of the cables from @first on that have its key. Returns how many; @ports: scratch. */
static uint32_t run_take(const struct ft_inference *f, const struct rated *first, const struct rated *end,
			 uint32_t *ports, struct ft_rates_told *ret_told)
{
	uint32_t count = 0;

	for (const struct rated *at = first; at < end && at->key == first->key; at++)
		ports[count++] = at->port;
	ft_infer_rates_at(f, ports, count, ret_told);
	return count;
}

/* ---- uplinks ---- */

/*
 * True if what the design would say of the cables of a class of edge switches to one core switch is no more than they
 * run at: the class's own rate, or else that of the core switch's class, or of all. Core switches are asked one by one:
 * where most leaves are old, and a few new, an old core switch is not told from new ones by its cables to most.
 * @own  what most cables of the core switch run at, if that is not the usual rate: then it can do no more, and a few
 *       cables say so as well
 */
static bool pair_fits(const struct ft_class_rates *rates, uint32_t low, uint32_t high, struct ft_rate own,
		      const struct ft_rates_told *told)
{
	struct ft_rate below = rates->uplink[low], above = rates->uplink[high];
	unsigned int expected = ft_rate_mbps(ft_rates_equal(below, rates->uplink[0]) ? above : below);

	if (told->total == 0 || (told->total >= FEW && ft_infer_rate_is_odd(told->rates[0])))
		return true;
	if (ft_rate_mbps(told->rates[0]) >= expected && (told->total >= FEW || told->votes[0] == told->total))
		return true;
	if (own.speed != FT_SPEED_UNKNOWN && ft_rates_equal(own, told->rates[0]))
		return false;
	return told->total < FEW && expected <= ft_rate_mbps(below) && expected <= ft_rate_mbps(above);
}

static bool uplinks_fit(const struct ft_inference *f, const struct ft_class_sets *sets,
			const struct ft_class_rates *rates, const struct rated *cables, uint32_t count, uint32_t *ports)
{
	struct ft_rates_told told;
	bool fit = true;

	for (uint32_t i = 0, run; i < count && fit; i += run) {
		run = run_take(f, &cables[i], cables + count, ports, &told);
		fit = pair_fits(rates, (uint32_t)(cables[i].key >> 32), sets->of[(uint32_t)cables[i].key],
				ft_infer_own_rate(f, (uint32_t)cables[i].key), &told);
	}
	return fit;
}

/* @cables, @ports: scratch for all cables. */
static void uplinks_find(const struct ft_inference *f, const struct ft_class_sets *sets, struct rated *cables,
			 uint32_t *ports, struct ft_class_rates *rates)
{
	bool slower = false, fit;
	struct ft_rate all;
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		struct ft_rate own = ft_infer_own_rate(f, i);

		if (sets->of[i] == FT_NONE)
			continue;
		rates->uplink[sets->of[i]] = own.speed == FT_SPEED_UNKNOWN ? f->usual_rate : own;
		slower |= ft_infer_slower_rate(f, i).speed != FT_SPEED_UNKNOWN;
	}
	/* Nothing is said of most core switches, nor of others at the usual rate: what is expected of all holds there.
	 */
	for (uint32_t k = sets->edges; k < sets->count; k++)
		if (k == sets->edges || ft_rates_equal(rates->uplink[k], f->usual_rate))
			rates->uplink[k] = rates->uplink[0];
	for (uint32_t i = 0; i < f->observed->cable_count; i++) {
		const struct ft_observed_cable *cable = &f->observed->cables[i];
		bool up = sets->of[cable->a] < sets->edges;
		uint32_t edge = up ? cable->a : cable->b, core = up ? cable->b : cable->a;

		if (sets->of[edge] < sets->edges && sets->of[core] >= sets->edges && sets->of[core] != FT_NONE)
			cables[count++] = (struct rated){(uint64_t)sets->of[edge] << 32 | core, cable->a_port};
	}
	qsort(cables, count, sizeof(*cables), rated_compare);
	fit = uplinks_fit(f, sets, rates, cables, count, ports);
	all = rates->uplink[0];
	for (uint32_t k = 0; k < sets->count; k++)
		if (!fit || (k > 0 && ft_rates_equal(rates->uplink[k], all)))
			rates->uplink[k] = (struct ft_rate){0};
	/* Where classes cannot be told apart, and none is slow, the usual rate is right for all. */
	if (!fit && !slower)
		rates->uplink[0] = f->usual_rate;
}

/* ---- hosts ---- */

static bool is_among(struct ft_rate rate, const struct ft_rates_told *told)
{
	for (uint32_t i = 0; i < told->count; i++)
		if (ft_rates_equal(told->rates[i], rate))
			return true;
	return false;
}

static bool told_equal(const struct ft_rates_told *a, const struct ft_rates_told *b)
{
	bool equal = a->count == b->count;

	for (uint32_t i = 0; i < a->count; i++)
		equal &= is_among(a->rates[i], b);
	return equal;
}

/* Few hosts tell something only if all of several are alike, and a class only what is not odd. */
static bool is_telling(const struct ft_rates_told *told, uint32_t class_number)
{
	if (told->count == 0 || (class_number > 0 && ft_infer_rate_is_odd(told->rates[0])))
		return false;
	return told->total >= FEW || (told->total > 1 && told->votes[0] == told->total);
}

static bool is_below_all(struct ft_rate rate, const struct ft_rates_told *told)
{
	bool below = true;

	for (uint32_t i = 0; i < told->count; i++)
		below &= ft_rate_mbps(rate) < ft_rate_mbps(told->rates[i]);
	return below;
}

/* Where most hosts of a switch are slower than is expected of its class, they are old ones, and so may others be. */
static void older_hosts_add(const struct ft_inference *f, const struct ft_class_sets *sets, struct rated *hosts,
			    uint32_t *ports, struct ft_class_rates *rates)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->observed->host_count; i++)
		if (sets->of[f->observed->hosts[i].observed] != FT_NONE)
			hosts[count++] =
				(struct rated){f->observed->hosts[i].observed, f->observed->hosts[i].switch_port};
	qsort(hosts, count, sizeof(*hosts), rated_compare);
	for (uint32_t i = 0, run; i < count; i += run) {
		struct ft_rates_told *class_told = &rates->hosts[sets->of[hosts[i].key]], told;

		run = run_take(f, &hosts[i], hosts + count, ports, &told);
		if (told.total < 2 || told.votes[0] * 2 <= told.total || ft_infer_rate_is_odd(told.rates[0]) ||
		    class_told->count == 0 || class_told->count == FT_RATES_MAX ||
		    !is_below_all(told.rates[0], class_told))
			continue;
		class_told->rates[class_told->count++] = told.rates[0];
	}
}

static void hosts_find(const struct ft_inference *f, const struct ft_class_sets *sets, struct rated *hosts,
		       uint32_t *ports, struct ft_class_rates *rates)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->observed->host_count; i++) {
		uint32_t set = sets->of[f->observed->hosts[i].observed];

		if (set != FT_NONE)
			hosts[count++] = (struct rated){set, f->observed->hosts[i].switch_port};
	}
	qsort(hosts, count, sizeof(*hosts), rated_compare);
	for (uint32_t i = 0, run; i < count; i += run) {
		uint32_t k = (uint32_t)hosts[i].key;
		struct ft_rates_told told;

		run = run_take(f, &hosts[i], hosts + count, ports, &told);
		if (is_telling(&told, k))
			rates->hosts[k] = told;
	}
	older_hosts_add(f, sets, hosts, ports, rates);
	for (uint32_t k = 1; k < sets->count; k++)
		if (told_equal(&rates->hosts[k], &rates->hosts[0]))
			rates->hosts[k].count = 0;
}

/* ---- */

int ft_infer_class_rates(const struct ft_inference *f, const struct ft_class_sets *sets, struct ft_class_rates *rates)
{
	size_t count = f->observed->cable_count + (size_t)f->observed->host_count;
	struct rated *scratch = ft_arena_zeros(f->memory, count, sizeof(*scratch));
	uint32_t *ports = ft_arena_numbers(f->memory, count, 0);

	rates->uplink = ft_arena_zeros(f->memory, sets->count, sizeof(*rates->uplink));
	rates->hosts = ft_arena_zeros(f->memory, sets->count, sizeof(*rates->hosts));
	if (f->memory->failed)
		return -ENOMEM;
	uplinks_find(f, sets, scratch, ports, rates);
	hosts_find(f, sets, scratch, ports, rates);
	return 0;
}
