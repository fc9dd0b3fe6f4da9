/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The numbers of the design: ports, hosts, rates. */
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

static uint32_t usual_ports(const struct ft_inference *f, uint32_t rank)
{
	const struct ft_inside *inside = &f->design.inside[rank];
	struct ft_tally tally = {0};

	if (f->design.directors[rank] && inside->line_boards && inside->line_ports)
		return inside->line_boards * inside->line_ports;
	for (uint32_t i = 0; i < f->count[rank]; i++)
		ft_tally_add(&tally, ft_infer_ports(f, f->member[rank][i]));
	return ft_tally_mode(&tally, 1);
}

static void topology_tell(struct ft_inference *f)
{
	struct ft_text *why = &f->why[FT_WHY_TOPOLOGY];
	uint64_t total = f->cable_total, lacking = f->fit.lacking, wrong = f->fit.unexplained - lacking;

	if (f->fit.ranks == 1) {
		ft_text_puts(why, "one switch has the hosts, and no other switch joins it to more of them");
		return;
	}
	ft_text_printf(why, "%u levels: %llu of %llu cable%s between switches %s as in such a fat-tree", f->fit.ranks,
		       (unsigned long long)(total > wrong ? total - wrong : 0), (unsigned long long)total,
		       ft_text_s(total), total == 1 ? "is" : "are");
	if (lacking > 0)
		ft_text_printf(why, ", and %llu %s", (unsigned long long)lacking,
			       ft_infer_plural(lacking, "is missing", "are missing"));
}

static void aggregation_tell(struct ft_inference *f)
{
	if (f->aggregations > 0)
		ft_text_printf(&f->why[FT_WHY_AGGREGATION],
			       "%u channel adapters are aggregation nodes inside of switches: neither they nor their "
			       "ports are counted",
			       f->aggregations);
}

/* ---- hosts ---- */

/* The lowest and highest port of an edge that leads to other switches; low 0: none. */
static void uplink_range(const struct ft_inference *f, uint32_t observed, uint32_t *ret_low, uint32_t *ret_high)
{
	const struct ft_observed_switch *sw = &f->observed->switches[observed];

	*ret_low = *ret_high = 0;
	for (uint32_t n = 0; n < sw->cable_count; n++) {
		const struct ft_cable_end *end = &f->observed->ends[sw->first_cable + n];
		uint32_t number = f->snapshot->ports[end->port].number;

		if (end->far == observed || !ft_infer_in_tree(f, end->far))
			continue;
		if (*ret_low == 0 || number < *ret_low)
			*ret_low = number;
		if (number > *ret_high)
			*ret_high = number;
	}
}

/* Ports of an edge below, or above, all of its uplinks, if no edge has a host among them; else all other ports. */
static uint32_t ports_for_hosts(const struct ft_inference *f)
{
	struct ft_tally lows = {0}, highs = {0};
	uint32_t ports = f->design.ports[0], left = ports - f->design.up[0], low, high, most = 0, least = ports;

	for (uint32_t i = 0; i < f->count[0]; i++) {
		uplink_range(f, f->member[0][i], &low, &high);
		ft_tally_add(&lows, low);
		ft_tally_add(&highs, high);
	}
	low = ft_tally_mode(&lows, 1);
	high = ft_tally_mode(&highs, 1);
	for (uint32_t i = 0; i < f->observed->host_count; i++) {
		uint32_t number = f->snapshot->ports[f->observed->hosts[i].switch_port].number;

		if (f->fit.rank[f->observed->hosts[i].observed] != 0 ||
		    number > ft_infer_last_port(f, f->observed->hosts[i].observed))
			continue;
		most = number > most ? number : most;
		least = number < least ? number : least;
	}
	if (most > 0 && most < low && low - 1 < left)
		return low - 1;
	if (least > high && ports > high && ports - high < left)
		return ports - high;
	return left;
}

/* Hosts of an edge, counted from the crowded end, for one order of filling the edges. */
static uint32_t planned_hosts(uint32_t nodes, uint32_t edges, enum ft_fill fill, uint32_t room, uint32_t i)
{
	uint64_t before = (uint64_t)i * room;

	if (fill == FT_FILL_UNIFORM)
		return nodes / edges + (i < nodes % edges);
	return before >= nodes ? 0 : nodes - before < room ? nodes - (uint32_t)before : room;
}

static uint64_t fill_distance(const uint32_t *sorted, uint32_t nodes, uint32_t edges, enum ft_fill fill, uint32_t room)
{
	uint64_t distance = 0;

	for (uint32_t i = 0; i < edges; i++) {
		uint32_t planned = planned_hosts(nodes, edges, fill, room, i);

		distance += planned > sorted[i] ? planned - sorted[i] : sorted[i] - planned;
	}
	return distance;
}

static int more_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return FT_ORDER(y, x);
}

/* At least the hosts of the fullest edge, or one more host on another edge would be a fault; at most what fits. */
static uint32_t split_ports(struct ft_inference *f, uint32_t usual, uint32_t fullest)
{
	uint32_t left = f->design.ports[0] - f->design.up[0];

	if (fullest <= usual)
		return usual;
	ft_text_printf(&f->why[FT_WHY_SPLIT], "; as many as the fullest has: %u", fullest);
	if (fullest <= left)
		return fullest;
	ft_text_printf(&f->why[FT_WHY_SPLIT], ", but beside the uplinks there are no more than %u ports", left);
	return left;
}

/* If nearly all edges have equally many hosts, or one has more, the fullest decides. Else the remaining ports do. */
static void split_tell(struct ft_inference *f, const struct ft_tally *tally, uint32_t edges, uint32_t fullest)
{
	struct ft_inferred *d = &f->design;
	uint32_t usual = ft_tally_mode(tally, 1), above = 0;

	for (uint32_t i = usual + 1; i < tally->end; i++)
		above += tally->votes[i];
	if (tally->votes[usual] * 4 >= edges * 3 && edges >= 4 && above <= 1 + edges / 20) {
		ft_tally_tell(&f->why[FT_WHY_SPLIT], tally, usual, "edge switches", "host", "hosts");
	} else {
		usual = ports_for_hosts(f);
		ft_text_printf(&f->why[FT_WHY_SPLIT],
			       "edge switches have unlike numbers of hosts; of %u ports %u %s up, and %u are taken to "
			       "be for hosts",
			       d->ports[0], d->up[0], ft_infer_plural(d->up[0], "leads", "lead"), usual);
	}
	d->host_ports = split_ports(f, usual, fullest);
	if (f->fit.ranks == 2)
		ft_text_printf(&f->why[FT_WHY_SPLIT], "; %u %s up: the sum of the bundles", d->up[0],
			       ft_infer_plural(d->up[0], "port leads", "ports lead"));
}

/*
 * True if each kind has several edges, and kinds differ clearly: an edge with a host or two less has lost them, or is
 * not full yet.
 */
static bool kinds_are_clear(const struct ft_host_kind *kinds, uint32_t count)
{
	bool clear = true;

	for (uint32_t i = 0; i < count; i++) {
		clear &= kinds[i].count > 1;
		clear &= i == 0 || (kinds[i - 1].hosts - kinds[i].hosts) * 4 >= kinds[0].hosts;
	}
	return clear;
}

/*
 * Edges with a few different numbers of hosts. Sets them in the design if no fill order gives these numbers, and every
 * edge and every host was counted; with three ranks pods have kinds instead.
 */
static void kinds_tell(struct ft_inference *f, const uint32_t *sorted)
{
	struct ft_inferred *d = &f->design;
	struct ft_host_kind kinds[FT_HOST_KINDS_MAX];
	uint32_t count = 0;
	uint64_t hosts = 0;

	for (uint32_t i = 0; i < d->count[0]; i++) {
		if (i == 0 || sorted[i] != sorted[i - 1]) {
			if (count == FT_HOST_KINDS_MAX)
				return;
			kinds[count++] = (struct ft_host_kind){0, sorted[i]};
		}
		kinds[count - 1].count++;
		hosts += sorted[i];
	}
	if (f->fit.ranks != 2 || count < 2 || !kinds_are_clear(kinds, count) || hosts != d->nodes ||
	    f->count[0] != d->count[0] || sorted[0] > d->host_ports)
		return;
	memcpy(d->hosts, kinds, sizeof(kinds));
	d->host_kinds = count;
	d->sorted_by_hosts = true;
}

static void fill_tell(struct ft_inference *f, uint32_t *sorted, uint32_t usual)
{
	struct ft_inferred *d = &f->design;
	uint64_t uniform, dense = UINT64_MAX;

	qsort(sorted, d->count[0], sizeof(*sorted), more_first);
	uniform = fill_distance(sorted, d->nodes, d->count[0], FT_FILL_UNIFORM, 0);
	/* A single edge with fewer hosts than the others is a dense fill; irregular numbers are not. */
	if ((uint64_t)usual * d->count[0] >= d->nodes && sorted[0] == usual)
		dense = fill_distance(sorted, d->nodes, d->count[0], FT_FILL_DENSE, usual);
	if (dense > f->count[0] / 2)
		dense = UINT64_MAX;
	d->fill = dense < uniform ? FT_FILL_DENSE : FT_FILL_UNIFORM;
	if (d->fill == FT_FILL_DENSE)
		d->host_ports = usual;
	d->sorted_by_hosts = (dense < uniform ? dense : uniform) == 0;
	if (!d->sorted_by_hosts)
		kinds_tell(f, sorted);
	ft_text_printf(&f->why[FT_WHY_FILL], "%s: %u edge %s ",
		       d->fill == FT_FILL_DENSE ? "each edge switch is full before the next has any"
						: "hosts are spread over all edge switches",
		       f->count[0], ft_infer_plural(f->count[0], "switch has", "switches have"));
	if (sorted[f->count[0] - 1] < sorted[0])
		ft_text_printf(&f->why[FT_WHY_FILL], "from %u to ", sorted[f->count[0] - 1]);
	ft_text_printf(&f->why[FT_WHY_FILL], "%u host%s%s", sorted[0], ft_text_s(sorted[0]),
		       f->count[0] > 1 && sorted[f->count[0] - 1] == sorted[0] ? " each" : "");
	for (uint32_t i = 0; i < d->host_kinds; i++)
		ft_text_printf(&f->why[FT_WHY_FILL], "%s%u with %u",
			       i ? ", " : "; in so few kinds that they are meant: ", d->hosts[i].count,
			       d->hosts[i].hosts);
}

/* The hosts seen on edges and above, as far as the edges have ports for them. */
static void nodes_tell(struct ft_inference *f, uint32_t on_edges, uint32_t above)
{
	struct ft_text *why = &f->why[FT_WHY_NODES];
	struct ft_inferred *d = &f->design;
	uint64_t room = (uint64_t)d->count[0] * d->host_ports;

	d->nodes = on_edges + above;
	ft_text_printf(why,
		       "%u host %s seen on the edge switches; what nobody saw is not promised, so hosts that are down "
		       "now have to be added",
		       on_edges, ft_infer_plural(on_edges, "port is", "ports are"));
	if (above > 0)
		ft_text_printf(
			why,
			"; %u more on switches above %s left to be found as misplaced, and %s counted, for on the "
			"edge switches there should be a place for each",
			above, ft_infer_plural(above, "is", "are"), ft_infer_plural(above, "is", "are"));
	if (d->nodes <= room)
		return;
	d->nodes = (uint32_t)room;
	ft_text_printf(why, "; %u edge %s %u ports each for hosts, so no more than %u are planned", d->count[0],
		       ft_infer_plural(d->count[0], "switch has", "switches have"), d->host_ports, d->nodes);
}

static int hosts_tell(struct ft_inference *f)
{
	struct ft_inferred *d = &f->design;
	uint32_t *sorted = ft_arena_numbers(f->memory, d->count[0], 0);
	struct ft_tally tally = {0};
	uint32_t on_edges = 0, above = 0, fullest = 0, edges = f->count[0];

	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < edges; i++) {
		sorted[i] = f->hosts[f->member[0][i]];
		on_edges += sorted[i];
		fullest = sorted[i] > fullest ? sorted[i] : fullest;
		ft_tally_add(&tally, sorted[i]);
	}
	for (uint32_t rank = 1; rank < f->fit.ranks; rank++)
		for (uint32_t i = 0; i < f->count[rank]; i++)
			above += f->hosts[f->member[rank][i]];
	split_tell(f, &tally, edges, fullest);
	nodes_tell(f, on_edges, above);
	fill_tell(f, sorted, ft_tally_mode(&tally, 1));
	return 0;
}

/* ---- rates ---- */

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

		if (cable->a != cable->b && ft_infer_in_tree(f, cable->a) && ft_infer_in_tree(f, cable->b))
			rate_vote(f, cable->a_port, uplinks);
	}
	for (uint32_t i = 0; i < f->observed->host_count; i++)
		if (ft_infer_in_tree(f, f->observed->hosts[i].observed))
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
	struct ft_inferred *d = &f->design;
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

		if (ft_infer_in_tree(f, host->observed))
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
static void rates_take(const struct ft_inferred *d, struct rates *rates, struct ft_rates_told *ret_told)
{
	uint32_t votes;

	*ret_told = (struct ft_rates_told){.total = rates->total};
	for (struct ft_rate rate = rate_take(rates, &votes); votes > 0; rate = rate_take(rates, &votes)) {
		if (ret_told->count > 0 &&
		    (ft_infer_rate_is_odd(rate) ||
		     (!is_among(rate, d->meant, d->meant_count) &&
		      (votes < RATE_HOSTS_MIN ||
		       (votes * RATE_SHARE < rates->total && !is_among(rate, d->host_rates, d->host_rate_count))))))
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
	rates_take(&f->design, &rates, ret_told);
}

static void rates_tell(struct ft_inference *f)
{
	_cleanup_free_ struct rates *uplinks = calloc(1, sizeof(*uplinks)), *hosts = calloc(1, sizeof(*hosts));
	struct ft_inferred *d = &f->design;
	struct ft_text *why = &f->why[FT_WHY_RATE];
	struct ft_rates_told told;
	char name[FT_RATE_NAME_SIZE];
	uint32_t votes;

	if (!uplinks || !hosts) {
		why->failed = true;
		return;
	}
	rates_collect(f, uplinks, hosts);
	d->uplink_rate = f->usual_rate = rate_take(uplinks, &votes);
	if (votes > 0)
		ft_text_printf(why, "%u of %u cable%s between switches run%s at %s", votes, uplinks->total,
			       ft_text_s(uplinks->total), uplinks->total == 1 ? "s" : "",
			       ft_rate_name(d->uplink_rate, name));
	rates_take(d, hosts, &told);
	for (uint32_t i = 0; i < told.count; i++) {
		d->host_rates[d->host_rate_count++] = told.rates[i];
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
	struct ft_inferred *d = &f->design;
	struct rate_share *hosts = ft_arena_zeros(f->memory, f->observed->switch_count, sizeof(*hosts));
	bool uplinks_slower = false, hosts_slower = false;

	if (ft_text_string(&f->why[FT_WHY_RATE])[0] == '\0')
		return;
	if (!hosts) {
		f->why[FT_WHY_RATE].failed = true;
		return;
	}
	for (uint32_t k = 0; k < d->host_rate_count; k++)
		hosts_slower |= is_of_slower_switches(f, d->host_rates[k]);
	for (uint32_t i = 0; i < d->meant_count && d->host_rate_count > 0 && d->host_rate_count < FT_RATES_MAX; i++)
		if (!is_among(d->meant[i], d->host_rates, d->host_rate_count))
			d->host_rates[d->host_rate_count++] = d->meant[i];
	for (uint32_t i = 0; i < f->observed->host_count; i++) {
		const struct ft_observed_host *host = &f->observed->hosts[i];

		hosts[host->observed].all++;
		hosts[host->observed].expected +=
			rate_is_among(rate_at(f, host->switch_port), d->host_rates, d->host_rate_count);
	}
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		uplinks_slower |= ft_infer_slower_rate(f, i).speed != FT_SPEED_UNKNOWN;
		hosts_slower |= hosts[i].all > 1 && hosts[i].expected * 2 < hosts[i].all;
	}
	if (uplinks_slower)
		d->uplink_rate = (struct ft_rate){0};
	if (hosts_slower)
		d->host_rate_count = 0;
	if (uplinks_slower || hosts_slower)
		ft_text_puts(&f->why[FT_WHY_RATE],
			     "; some switches have slower ones throughout, so nothing is expected of all");
}

void ft_infer_graph_counts(struct ft_inference *f)
{
	aggregation_tell(f);
	rates_tell(f);
	f->why[FT_WHY_RATE].failed |= hosts_mark(f) < 0;
}

/* ---- */

static int star_counts(struct ft_inference *f)
{
	struct ft_inferred *d = &f->design;

	d->count[0] = 1;
	d->ports[0] = usual_ports(f, 0);
	d->nodes = f->hosts[f->member[0][0]];
	ft_text_printf(&f->why[FT_WHY_NODES],
		       "%u host %s seen; what nobody saw is not promised, so hosts that are down now have to be added",
		       d->nodes, ft_infer_plural(d->nodes, "port is", "ports are"));
	return 0;
}

static int tree_counts(struct ft_inference *f)
{
	struct ft_inferred *d = &f->design;
	int r;

	for (uint32_t rank = 0; rank < f->fit.ranks; rank++)
		d->ports[rank] = usual_ports(f, rank);
	r = ft_infer_steps(f) ?: ft_infer_unseen_edges(f);
	if (r < 0)
		return r;
	return d->up[0] < d->ports[0] ? hosts_tell(f) : -EINVAL;
}

int ft_infer_counts(struct ft_inference *f)
{
	int r;

	topology_tell(f);
	aggregation_tell(f);
	ft_infer_insides(f);
	r = f->fit.ranks == 1 ? star_counts(f) : tree_counts(f);
	if (r == 0)
		r = hosts_mark(f);
	if (r == 0)
		rates_tell(f);
	return r;
}
