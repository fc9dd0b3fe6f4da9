/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Rates: of most cables and hosts, those that are meant however few have them, and those of single switches. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer/infer_parts.h"

enum {
	RATE_LANES = 16,
	RATE_SHARE = 10, /* a rate must be that of one in so many hosts, and of so many at least, to be planned */
	RATE_HOSTS_MIN = 4,
};

struct rates {
	uint32_t votes[RATE_LANES][FT_SPEED_COUNT];
	uint32_t total;
};

/* The rate of a cable, from either end. */
static struct ft_rate rate_at(const struct ft_inference *f, uint32_t port)
{
	const struct ft_port *near = &f->snapshot->ports[port], *far = ft_port_peer(f->snapshot, near);

	return near->rate.lanes && near->rate.speed ? near->rate : far->rate;
}

static void rate_vote(const struct ft_inference *f, uint32_t port, struct rates *rates)
{
	struct ft_rate rate = rate_at(f, port);

	if (rate.lanes == 0 || rate.lanes >= RATE_LANES || rate.speed == 0 || rate.speed >= FT_SPEED_COUNT)
		return;
	rates->votes[rate.lanes][rate.speed]++;
	rates->total++;
}

/* Removes and returns the rate with the most votes; of unknown speed if none is left. */
static struct ft_rate rate_take(struct rates *rates, uint32_t *ret_votes)
{
	struct ft_rate best = {0};

	*ret_votes = 0;
	for (uint8_t lanes = 1; lanes < RATE_LANES; lanes++)
		for (uint8_t speed = 1; speed < FT_SPEED_COUNT; speed++)
			if (rates->votes[lanes][speed] > *ret_votes) {
				*ret_votes = rates->votes[lanes][speed];
				best = (struct ft_rate){lanes, speed};
			}
	if (*ret_votes > 0)
		rates->votes[best.lanes][best.speed] = 0;
	return best;
}

static void rates_collect(const struct ft_inference *f, struct rates *uplinks, struct rates *hosts)
{
	for (uint32_t i = 0; i < f->observed->cable_count; i++) {
		const struct ft_observed_cable *cable = &f->observed->cables[i];

		if (cable->a != cable->b)
			rate_vote(f, cable->a_port, uplinks);
	}
	for (uint32_t i = 0; i < f->observed->host_count; i++)
		rate_vote(f, f->observed->hosts[i].switch_port, hosts);
}

static bool is_among(struct ft_rate rate, const struct ft_rate *rates, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (ft_rates_equal(rates[i], rate))
			return true;
	return false;
}

uint64_t ft_infer_host_key(const struct ft_inference *f, const struct ft_observed_host *host)
{
	const struct ft_snapshot *s = f->snapshot;

	return ft_infer_name_key(ft_node_description(s, ft_port_node(s, &s->ports[host->port])));
}

bool ft_infer_rate_is_odd(struct ft_rate rate)
{
	return rate.lanes == 1 || rate.speed == FT_SPEED_SDR;
}

/* A host's port, what it is one of, and whether nearly all of these have its rate. */
struct grouped {
	uint64_t key;
	uint32_t port;
	bool shared;
};

static int grouped_compare(const void *a, const void *b)
{
	const struct grouped *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* True if others have the rate's speed on more lanes. */
static bool lacks_lanes(const struct rates *rates, struct ft_rate rate)
{
	for (unsigned int lanes = rate.lanes + 1U; lanes < RATE_LANES; lanes++)
		if (rates->votes[lanes][rate.speed] > 0)
			return true;
	return false;
}

/*
 * Marks the hosts whose rate at least @least hosts and more than @percent of their group have. Where others of it have
 * more lanes, some have not come up, unless nearly all have as few, as a rack behind splitters.
 */
static void groups_mark(const struct ft_inference *f, struct grouped *hosts, uint32_t count, uint32_t least,
			uint32_t percent)
{
	enum { LANES_PERCENT = 90 };

	qsort(hosts, count, sizeof(*hosts), grouped_compare);
	for (uint32_t i = 0, run; i < count; i += run) {
		struct rates own = {0};

		for (run = 0; i + run < count && hosts[i + run].key == hosts[i].key; run++)
			rate_vote(f, hosts[i + run].port, &own);
		for (uint32_t k = i; k < i + run; k++) {
			struct ft_rate rate = rate_at(f, hosts[k].port);
			bool known = rate.lanes < RATE_LANES && rate.speed < FT_SPEED_COUNT;
			uint32_t votes = known ? own.votes[rate.lanes][rate.speed] : 0;

			hosts[k].shared |= votes >= least && votes * 100 > own.total * percent &&
					   (votes * 100 > own.total * LANES_PERCENT || !lacks_lanes(&own, rate));
		}
	}
}

/* The rates that no host has but those that share it with others of their group. */
static void shared_take(struct ft_inference *f, const struct grouped *hosts, uint32_t count)
{
	struct ft_infer_rates *d = &f->rates;
	struct rates all = {0}, shared = {0};
	uint32_t votes;

	for (uint32_t i = 0; i < count; i++) {
		rate_vote(f, hosts[i].port, &all);
		if (hosts[i].shared)
			rate_vote(f, hosts[i].port, &shared);
	}
	for (struct ft_rate rate = rate_take(&all, &votes); votes > 0 && d->meant_count < FT_RATES_MAX;
	     rate = rate_take(&all, &votes))
		if (shared.votes[rate.lanes][rate.speed] == votes && !ft_infer_rate_is_odd(rate))
			d->meant[d->meant_count++] = rate;
}

/*
 * Finds rates that are meant, however few hosts have them: those of a good share of one edge switch's hosts, as of a
 * rack of half the width or in part of an older make, and of all of several whose names tell them from others, as
 * gateways of an older make. A rate that one more host has elsewhere is not: a design expects it of all hosts, and that
 * one's fault would be lost.
 */
static int hosts_mark(struct ft_inference *f)
{
	enum { LEAF_MIN = 4, LEAF_PERCENT = 30, NAMED_MIN = 2, NAMED_PERCENT = 99 };
	struct grouped *hosts = ft_arena_zeros(f->memory, f->observed->host_count, sizeof(*hosts));
	uint32_t count = 0;

	if (!hosts)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->host_count; i++) {
		const struct ft_observed_host *host = &f->observed->hosts[i];

		hosts[count++] = (struct grouped){ft_infer_host_key(f, host), host->switch_port, false};
	}
	groups_mark(f, hosts, count, NAMED_MIN, NAMED_PERCENT);
	for (uint32_t i = 0; i < count; i++)
		hosts[i].key = f->snapshot->ports[hosts[i].port].node;
	groups_mark(f, hosts, count, LEAF_MIN, LEAF_PERCENT);
	shared_take(f, hosts, count);
	return 0;
}

/* The rate of most; and all others that are those of many, or of several, if of many in all. */
static void rates_take(const struct ft_infer_rates *d, struct rates *rates, struct ft_rates_told *ret_told)
{
	uint32_t votes;

	*ret_told = (struct ft_rates_told){.total = rates->total};
	for (struct ft_rate rate = rate_take(rates, &votes); votes > 0; rate = rate_take(rates, &votes)) {
		if (ret_told->count > 0 && (ft_infer_rate_is_odd(rate) ||
					    (!is_among(rate, d->meant, d->meant_count) &&
					     (votes < RATE_HOSTS_MIN || (votes * RATE_SHARE < rates->total &&
									 !is_among(rate, d->hosts, d->host_count))))))
			continue;
		if (ret_told->count == FT_RATES_MAX)
			return;
		ret_told->rates[ret_told->count] = rate;
		ret_told->votes[ret_told->count++] = votes;
	}
}

void ft_infer_rates_at(const struct ft_inference *f, const uint32_t *ports, uint32_t count,
		       struct ft_rates_told *ret_told)
{
	struct rates rates = {0};

	for (uint32_t i = 0; i < count; i++)
		rate_vote(f, ports[i], &rates);
	rates_take(&f->rates, &rates, ret_told);
}

static void rates_tell(struct ft_inference *f)
{
	_cleanup_free_ struct rates *uplinks = calloc(1, sizeof(*uplinks)), *hosts = calloc(1, sizeof(*hosts));
	struct ft_infer_rates *d = &f->rates;
	struct ft_text *why = &f->why[FT_WHY_RATE];
	struct ft_rates_told told;
	char name[FT_RATE_NAME_SIZE];
	uint32_t votes;

	if (!uplinks || !hosts) {
		why->failed = true;
		return;
	}
	rates_collect(f, uplinks, hosts);
	d->uplink = f->usual_rate = rate_take(uplinks, &votes);
	if (votes > 0)
		ft_text_printf(why, "%u of %u cable%s between switches run%s at %s", votes, uplinks->total,
			       ft_text_s(uplinks->total), uplinks->total == 1 ? "s" : "",
			       ft_rate_name(d->uplink, name));
	rates_take(d, hosts, &told);
	for (uint32_t i = 0; i < told.count; i++) {
		d->hosts[d->host_count++] = told.rates[i];
		ft_text_printf(why, i == 0 ? "%s%u of %u %s at %s" : "%s%u of %u%.0s at %s",
			       ft_text_string(why)[0] == '\0' ? ""
			       : i == 0			      ? "; "
							      : ", ",
			       told.votes[i], told.total, ft_infer_plural(told.total, "host", "hosts"),
			       ft_rate_name(told.rates[i], name));
	}
}

struct ft_rate ft_infer_own_rate(const struct ft_inference *f, uint32_t observed)
{
	const struct ft_observed_switch *sw = &f->observed->switches[observed];
	struct rates rates = {0};
	struct ft_rate rate;
	bool hosts = false, slower = true;
	uint32_t votes;

	for (uint32_t n = 0; n < sw->cable_count; n++) {
		const struct ft_cable_end *end = &f->observed->ends[sw->first_cable + n];

		if (end->far == observed)
			continue;
		rate_vote(f, end->port, &rates);
		slower &= ft_rate_mbps(rate_at(f, end->port)) < ft_rate_mbps(f->usual_rate);
	}
	/* A single cable may train badly, unless the hosts are as slow. */
	for (uint32_t i = 0; i < f->observed->host_count && rates.total == 1; i++)
		hosts |= f->observed->hosts[i].observed == observed && f->hosts[observed] > 1;
	for (uint32_t i = 0; i < f->observed->host_count && hosts; i++)
		if (f->observed->hosts[i].observed == observed)
			rate_vote(f, f->observed->hosts[i].switch_port, &rates);
	rate = rate_take(&rates, &votes);
	/* One whose cables are all slower needs no majority: two to spines at one rate, two of another over a distance.
	 */
	if (rates.total < 2 || (votes * 2 <= rates.total && (!slower || hosts)) || ft_infer_rate_is_odd(rate) ||
	    ft_rate_mbps(rate) == ft_rate_mbps(f->usual_rate))
		return (struct ft_rate){0};
	return rate;
}

struct ft_rate ft_infer_slower_rate(const struct ft_inference *f, uint32_t observed)
{
	struct ft_rate rate = ft_infer_own_rate(f, observed);

	return ft_rate_mbps(rate) < ft_rate_mbps(f->usual_rate) ? rate : (struct ft_rate){0};
}

/*
 * True if most hosts at a rate are on switches that are slower throughout: it is that of an older part of the fabric,
 * and not expected of other hosts. The case that bit: an island at DDR, and one host at DDR among those at QDR.
 */
static bool is_of_slower_switches(const struct ft_inference *f, struct ft_rate rate)
{
	enum { PERCENT = 75 };
	uint32_t all = 0, slower = 0;

	for (uint32_t i = 0; i < f->observed->host_count; i++) {
		const struct ft_observed_host *host = &f->observed->hosts[i];

		if (!ft_rates_equal(rate_at(f, host->switch_port), rate))
			continue;
		all++;
		slower += ft_infer_slower_rate(f, host->observed).speed != FT_SPEED_UNKNOWN;
	}
	return slower < all && slower * 100 >= all * PERCENT;
}

/* Hosts of a switch, and those with the expected rate. */
struct rate_share {
	uint32_t all, expected;
};

static bool rate_is_among(struct ft_rate rate, const struct ft_rate *rates, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (ft_rate_mbps(rate) >= ft_rate_mbps(rates[i]))
			return true;
	return count == 0;
}

void ft_infer_graph_rates(struct ft_inference *f)
{
	struct ft_infer_rates *d = &f->rates;
	struct rate_share *hosts = ft_arena_zeros(f->memory, f->observed->switch_count, sizeof(*hosts));
	bool uplinks_slower = false, hosts_slower = false;

	if (ft_text_string(&f->why[FT_WHY_RATE])[0] == '\0')
		return;
	if (!hosts) {
		f->why[FT_WHY_RATE].failed = true;
		return;
	}
	for (uint32_t k = 0; k < d->host_count; k++)
		hosts_slower |= is_of_slower_switches(f, d->hosts[k]);
	for (uint32_t i = 0; i < f->observed->host_count; i++) {
		const struct ft_observed_host *host = &f->observed->hosts[i];

		hosts[host->observed].all++;
		hosts[host->observed].expected += rate_is_among(rate_at(f, host->switch_port), d->hosts, d->host_count);
	}
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		uplinks_slower |= ft_infer_slower_rate(f, i).speed != FT_SPEED_UNKNOWN;
		hosts_slower |= hosts[i].all > 1 && hosts[i].expected * 2 < hosts[i].all;
	}
	if (uplinks_slower)
		d->uplink = (struct ft_rate){0};
	if (hosts_slower)
		d->host_count = 0;
	if (uplinks_slower || hosts_slower)
		ft_text_puts(&f->why[FT_WHY_RATE],
			     "; some switches have slower ones throughout, so nothing is expected of all");
}

static void aggregation_tell(struct ft_inference *f)
{
	if (f->aggregations > 0)
		ft_text_printf(&f->why[FT_WHY_AGGREGATION],
			       "%u channel adapters are aggregation nodes inside of switches: neither they nor their "
			       "ports are counted",
			       f->aggregations);
}

void ft_infer_graph_counts(struct ft_inference *f)
{
	aggregation_tell(f);
	f->why[FT_WHY_RATE].failed |= hosts_mark(f) < 0;
	rates_tell(f);
}
