/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/work/paths.h"

#include <errno.h>
#include <stdlib.h>

#include "base/chance.h"
#include "base/cleanup.h"
#include "base/map.h"
#include "base/numbers.h"

/* Beyond this many residues every host is a destination of its own. */
enum { RESIDUES_MAX = 1024 };

struct ft_paths {
	const struct ft_work_net *traffic;
	enum ft_routing routing;
	const struct ft_forwarding *forwarding;
	uint32_t residues;     /* destinations on one switch whose numbers have the same residue are reached alike;
				  0: each is alone */
	uint32_t *first_lane;  /* by arc, and one more: its links that are told apart */
	double *lane_capacity; /* by lane */
	uint32_t *group;       /* by lane: its resource */
	double *capacity;      /* by resource */
	uint32_t resource_count;
	uint32_t **distance; /* by switch: NULL, or cables to it from each switch */
	struct ft_map index; /* of paths by their ends */
	struct ft_path *paths;
	uint32_t path_count, path_size;
	/* Of the search for one path: by switch, what arrives there; by resource, the path that it was listed for. */
	double *amount;
	uint32_t *queue, *listed;
	struct ft_share *shares; /* by resource at most */
	uint32_t share_count;
};

const char *ft_routing_name(enum ft_routing routing)
{
	static const char *const names[] = {"static", "adaptive", "minimal", "tables"};

	return names[routing];
}

void ft_paths_free(struct ft_paths *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; p->distance && i < p->traffic->plan->switch_count; i++)
		free(p->distance[i]);
	for (uint32_t i = 0; i < p->path_count; i++)
		free(p->paths[i].shares);
	free(p->first_lane);
	free(p->lane_capacity);
	free(p->group);
	free(p->capacity);
	free(p->distance);
	ft_map_release(&p->index);
	free(p->paths);
	free(p->amount);
	free(p->queue);
	free(p->listed);
	free(p->shares);
	free(p);
}

const double *ft_paths_capacities(const struct ft_paths *p, uint32_t *ret_count)
{
	*ret_count = p->resource_count;
	return p->capacity;
}

static uint32_t cables_of(const struct ft_paths *p, uint32_t arc)
{
	return p->traffic->plan->bundles[p->traffic->near.arcs[arc].bundle].count;
}

/* ---- lanes ---- */

/* A message takes one path, and one cable of each bundle. */
static bool takes_one(const struct ft_paths *p)
{
	return p->routing == FT_ROUTING_MINIMAL || p->routing == FT_ROUTING_TABLES;
}

/* Cables of which a message takes one are told apart; those over which it is split evenly are one. */
static bool tells_cables(const struct ft_paths *p, uint32_t from, uint32_t arc)
{
	if (takes_one(p))
		return true;
	return p->routing == FT_ROUTING_STATIC && ft_work_net_leads_down(p->traffic, from, &p->traffic->near.arcs[arc]);
}

static uint32_t arcs_of(const struct ft_paths *p)
{
	return p->traffic->near.first[p->traffic->plan->switch_count];
}

static int lanes_make(struct ft_paths *p)
{
	const struct ft_adjacency *near = &p->traffic->near;
	uint32_t arcs = arcs_of(p), lanes = 0;

	p->first_lane = calloc(arcs + 1UL, sizeof(*p->first_lane));
	if (!p->first_lane)
		return -ENOMEM;
	for (uint32_t from = 0; from < p->traffic->plan->switch_count; from++)
		for (uint32_t arc = near->first[from]; arc < near->first[from + 1]; arc++) {
			p->first_lane[arc] = lanes;
			lanes += tells_cables(p, from, arc) ? cables_of(p, arc) : 1;
		}
	p->first_lane[arcs] = lanes;
	p->lane_capacity = calloc(lanes + 1UL, sizeof(*p->lane_capacity));
	p->group = calloc(lanes + 1UL, sizeof(*p->group));
	if (!p->lane_capacity || !p->group)
		return -ENOMEM;
	for (uint32_t arc = 0; arc < arcs; arc++) {
		uint32_t count = p->first_lane[arc + 1] - p->first_lane[arc];
		double all = p->traffic->cable_bytes_per_ns[near->arcs[arc].bundle] * cables_of(p, arc);

		for (uint32_t lane = p->first_lane[arc]; lane < p->first_lane[arc + 1]; lane++)
			p->lane_capacity[lane] = all / count;
	}
	return 0;
}

/* ---- distances ---- */

/* @order gets the switches, nearest first. Returns how many there are. */
static uint32_t distances_find(const struct ft_paths *p, uint32_t to, uint32_t *distance, uint32_t *order)
{
	ft_adjacency_forget(distance, p->traffic->plan->switch_count);
	return ft_adjacency_search(&p->traffic->near, p->traffic->plan, to, distance, order);
}

/* The cables from @at that lead closer: the sum of their arcs. @ret_down: all lead down. */
struct closer {
	uint32_t cables;
	bool down;
};

static bool is_closer(const struct ft_paths *p, const uint32_t *distance, uint32_t at, uint32_t arc)
{
	return distance[p->traffic->near.arcs[arc].to] < distance[at] && cables_of(p, arc) > 0;
}

static struct closer closer_of(const struct ft_paths *p, const uint32_t *distance, uint32_t at)
{
	const struct ft_adjacency *near = &p->traffic->near;
	struct closer closer = {0, true};

	for (uint32_t arc = near->first[at]; arc < near->first[at + 1]; arc++)
		if (is_closer(p, distance, at, arc)) {
			closer.cables += cables_of(p, arc);
			closer.down = closer.down && ft_work_net_leads_down(p->traffic, at, &near->arcs[arc]);
		}
	return closer;
}

/* Cable @number of those from @at that lead closer: its arc, and its lane. */
static uint32_t lane_take(const struct ft_paths *p, const uint32_t *distance, uint32_t at, uint32_t number,
			  uint32_t *ret_arc)
{
	for (uint32_t arc = p->traffic->near.first[at];; arc++) {
		if (!is_closer(p, distance, at, arc))
			continue;
		*ret_arc = arc;
		if (number < cables_of(p, arc))
			return p->first_lane[arc] + number;
		number -= cables_of(p, arc);
	}
}

/* ---- residues ---- */

/*
 * The least common multiple of the numbers that destinations are taken modulo. @distance and @queue are scratch. Any
 * switch may be passed on the way to any switch with hosts.
 */
static uint32_t residues_find(const struct ft_paths *p, uint32_t *distance, uint32_t *queue)
{
	const struct ft_plan *plan = p->traffic->plan;
	uint64_t multiple = 1;

	for (uint32_t to = 0; to < plan->switch_count && multiple <= RESIDUES_MAX; to++) {
		uint32_t reached = plan->switches[to].hosts > 0 ? distances_find(p, to, distance, queue) : 0;

		for (uint32_t i = 1; i < reached && multiple <= RESIDUES_MAX; i++) {
			struct closer closer = closer_of(p, distance, queue[i]);

			if (closer.down)
				multiple *=
					closer.cables / (uint64_t)ft_number_divisor((int64_t)multiple, closer.cables);
		}
	}
	return multiple <= RESIDUES_MAX ? (uint32_t)multiple : 0;
}

/* ---- fingerprints ---- */

#define PRIME ((1ULL << 61) - 1)

static uint64_t field_add(uint64_t a, uint64_t b)
{
	uint64_t sum = a + b;

	return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t field_times(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return field_add((uint64_t)(product & PRIME), (uint64_t)(product >> 61));
}

/* By Fermat's little theorem. */
static uint64_t field_inverse(uint64_t a)
{
	uint64_t result = 1;

	for (uint64_t exponent = PRIME - 2; exponent > 0; exponent >>= 1) {
		if (exponent & 1)
			result = field_times(result, a);
		a = field_times(a, a);
	}
	return result;
}

struct prints {
	uint64_t *of_lane, *of_switch, *inverse; /* the last: by number of cables */
	uint32_t *distance;
	uint32_t *queue;
};

static void prints_release(struct prints *f)
{
	free(f->of_lane);
	free(f->of_switch);
	free(f->inverse);
	free(f->distance);
	free(f->queue);
}

/* Passes on what has arrived at @at on its way to number @number. */
static void prints_pass(const struct ft_paths *p, struct prints *f, uint32_t at, uint32_t number)
{
	const struct ft_adjacency *near = &p->traffic->near;
	struct closer closer = closer_of(p, f->distance, at);
	uint64_t each = field_times(f->of_switch[at], f->inverse[closer.cables]);
	uint32_t arc = 0, lane;

	if (closer.down && p->routing == FT_ROUTING_STATIC) {
		lane = lane_take(p, f->distance, at, number % closer.cables, &arc);
		f->of_lane[lane] = field_add(f->of_lane[lane], f->of_switch[at]);
		f->of_switch[near->arcs[arc].to] = field_add(f->of_switch[near->arcs[arc].to], f->of_switch[at]);
		return;
	}
	for (arc = near->first[at]; arc < near->first[at + 1]; arc++) {
		uint64_t all = is_closer(p, f->distance, at, arc) ? field_times(each, cables_of(p, arc)) : 0;
		uint64_t one = p->first_lane[arc + 1] - p->first_lane[arc] > 1 ? each : all;

		if (all == 0)
			continue;
		for (lane = p->first_lane[arc]; lane < p->first_lane[arc + 1]; lane++)
			f->of_lane[lane] = field_add(f->of_lane[lane], one);
		f->of_switch[near->arcs[arc].to] = field_add(f->of_switch[near->arcs[arc].to], all);
	}
}

/* Random weights from all switches with hosts to host number @number on @to. */
static void prints_send(const struct ft_paths *p, struct prints *f, uint32_t reached, uint32_t to, uint32_t number)
{
	for (uint32_t i = 0; i < reached; i++) {
		bool sends = p->traffic->plan->switches[f->queue[i]].hosts > 0;
		uint64_t pair = (uint64_t)f->queue[i] << 32 | number;

		f->of_switch[f->queue[i]] = sends ? ft_chance_of(ft_chance_of(pair) ^ to) % PRIME : 0;
	}
	for (uint32_t i = reached; i-- > 1;)
		prints_pass(p, f, f->queue[i], number);
}

/* The number by which a host is reached: hosts of a switch that have the same one are reached alike. */
static uint32_t number_of(const struct ft_paths *p, uint32_t host)
{
	return p->residues > 0 ? host % p->residues : host;
}

static int prints_make(const struct ft_paths *p, struct prints *f)
{
	const struct ft_plan *plan = p->traffic->plan;
	size_t count = plan->switch_count + 1UL;
	uint32_t most = 1;

	for (uint32_t at = 0; at < plan->switch_count; at++) {
		uint32_t cables = 0;

		for (uint32_t arc = p->traffic->near.first[at]; arc < p->traffic->near.first[at + 1]; arc++)
			cables += cables_of(p, arc);
		most = cables > most ? cables : most;
	}
	f->of_lane = calloc(p->first_lane[arcs_of(p)] + 1UL, sizeof(*f->of_lane));
	f->of_switch = calloc(count, sizeof(*f->of_switch));
	f->inverse = calloc(most + 1UL, sizeof(*f->inverse));
	f->distance = calloc(count, sizeof(*f->distance));
	f->queue = calloc(count, sizeof(*f->queue));
	if (!f->of_lane || !f->of_switch || !f->inverse || !f->distance || !f->queue)
		return -ENOMEM;
	for (uint32_t i = 1; i <= most; i++)
		f->inverse[i] = field_inverse(i);
	return 0;
}

/* A lane with its fingerprint, to be sorted. */
struct print {
	uint64_t value;
	double capacity;
	uint32_t lane;
};

static int by_value(const void *a, const void *b)
{
	const struct print *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->capacity < y->capacity || x->capacity > y->capacity)
		return x->capacity < y->capacity ? -1 : 1;
	return x->lane < y->lane ? -1 : x->lane > y->lane;
}

/* Groups lanes of one fingerprint, and one capacity. Without fingerprints each is alone. */
static int lanes_group(struct ft_paths *p, const uint64_t *values)
{
	uint32_t lanes = p->first_lane[arcs_of(p)];
	_cleanup_free_ struct print *prints = calloc(lanes + 1UL, sizeof(*prints));

	p->capacity = calloc(lanes + 1UL, sizeof(*p->capacity));
	if (!prints || !p->capacity)
		return -ENOMEM;
	for (uint32_t i = 0; i < lanes; i++)
		prints[i] = (struct print){values ? values[i] : i, p->lane_capacity[i], i};
	qsort(prints, lanes, sizeof(*prints), by_value);
	for (uint32_t i = 0; i < lanes; i++) {
		const struct print *last = i > 0 ? &prints[i - 1] : NULL;

		if (!last || last->value != prints[i].value || last->capacity < prints[i].capacity)
			p->capacity[p->resource_count++] = prints[i].capacity;
		p->group[prints[i].lane] = p->resource_count - 1;
	}
	return 0;
}

static int groups_make(struct ft_paths *p)
{
	_cleanup_(prints_release) struct prints f = {0};
	int r;

	/* A path of single cables is short, and all of its cables are told apart. */
	if (takes_one(p))
		return lanes_group(p, NULL);
	r = prints_make(p, &f);
	if (r < 0)
		return r;
	p->residues = p->routing == FT_ROUTING_STATIC ? residues_find(p, f.distance, f.queue) : 1;
	for (uint32_t host = 0; host < p->traffic->host_count;) {
		uint32_t to = p->traffic->hosts[host].sw, reached = distances_find(p, to, f.distance, f.queue);

		for (uint32_t first = host; host < p->traffic->host_count && p->traffic->hosts[host].sw == to; host++)
			if (p->residues == 0 || host - first < p->residues)
				prints_send(p, &f, reached, to, number_of(p, host));
	}
	return lanes_group(p, f.of_lane);
}

/* ---- paths ---- */

static void share_add(struct ft_paths *p, uint32_t lane, double share)
{
	uint32_t resource = p->group[lane];

	/* Links of a resource all have the same share. */
	if (p->listed[resource] == p->path_count)
		return;
	p->listed[resource] = p->path_count;
	p->shares[p->share_count++] = (struct ft_share){resource, share};
}

/* The cable that the one path takes: digits of the destination's number where there are ranks. */
static uint32_t minimal_choice(uint32_t at, uint32_t number, const struct closer *closer, bool ranked,
			       uint64_t *divisor)
{
	uint32_t choice;

	if (!ranked)
		return (uint32_t)(ft_chance_of((uint64_t)at << 32 | number) % closer->cables);
	choice = (uint32_t)(number / *divisor % closer->cables);
	/* Beyond 32 bits no digit of the number is left: it must not wrap to a lower one, or to 0. */
	if (*divisor <= UINT32_MAX)
		*divisor *= closer->cables;
	return choice;
}

static void minimal_walk(struct ft_paths *p, const uint32_t *distance, uint32_t from, uint32_t number)
{
	bool ranked = ft_plan_has_ranks(p->traffic->plan);
	uint64_t divisor = 1;
	uint32_t arc = 0;

	for (uint32_t at = from; distance[at] > 0; at = p->traffic->near.arcs[arc].to) {
		struct closer closer = closer_of(p, distance, at);
		uint32_t choice = minimal_choice(at, number, &closer, ranked, &divisor);

		share_add(p, lane_take(p, distance, at, choice, &arc), 1);
	}
}

/* @amount arrives at the far end of @arc. Switches join the queue when something arrives for the first time. */
static void arrive(struct ft_paths *p, uint32_t arc, double amount, uint32_t *tail)
{
	uint32_t to = p->traffic->near.arcs[arc].to;

	if (p->amount[to] <= 0)
		p->queue[(*tail)++] = to;
	p->amount[to] += amount;
}

static void split_pass(struct ft_paths *p, const uint32_t *distance, uint32_t at, uint32_t number, uint32_t *tail)
{
	const struct ft_adjacency *near = &p->traffic->near;
	struct closer closer = closer_of(p, distance, at);
	uint32_t arc = 0;

	if (closer.down && p->routing == FT_ROUTING_STATIC) {
		share_add(p, lane_take(p, distance, at, number % closer.cables, &arc), p->amount[at]);
		arrive(p, arc, p->amount[at], tail);
		return;
	}
	for (arc = near->first[at]; arc < near->first[at + 1]; arc++) {
		double all = p->amount[at] * cables_of(p, arc) / closer.cables;

		if (!is_closer(p, distance, at, arc))
			continue;
		for (uint32_t lane = p->first_lane[arc]; lane < p->first_lane[arc + 1]; lane++)
			share_add(p, lane, all / (p->first_lane[arc + 1] - p->first_lane[arc]));
		arrive(p, arc, all, tail);
	}
}

/* Invariant: the queue is in the order of distances, so that all has arrived at a switch once it is its turn. */
static void split_walk(struct ft_paths *p, const uint32_t *distance, uint32_t from, uint32_t number)
{
	uint32_t tail = 0;

	p->queue[tail++] = from;
	p->amount[from] = 1;
	for (uint32_t head = 0; head < tail; head++) {
		if (distance[p->queue[head]] > 0)
			split_pass(p, distance, p->queue[head], number, &tail);
		p->amount[p->queue[head]] = 0;
	}
}

/* The arc from @from that is of @bundle. */
static uint32_t arc_of(const struct ft_paths *p, uint32_t from, uint32_t bundle)
{
	uint32_t arc = p->traffic->near.first[from];

	while (p->traffic->near.arcs[arc].bundle != bundle)
		arc++;
	return arc;
}

/* 0, or -ENOLINK. @ret_switches: that are crossed. */
static int tables_walk(struct ft_paths *p, uint32_t from, uint32_t to, uint32_t *ret_switches)
{
	struct ft_step steps[FT_STEPS_MAX];
	uint32_t count;

	if (!p->forwarding->walk(p->forwarding->data, from, to, steps, &count))
		return -ENOLINK;
	for (uint32_t i = 0; i < count; i++)
		share_add(p, p->first_lane[arc_of(p, steps[i].from, steps[i].bundle)] + steps[i].cable, 1);
	*ret_switches = count + 1;
	return 0;
}

static int distance_know(struct ft_paths *p, uint32_t to)
{
	if (p->distance[to])
		return 0;
	p->distance[to] = calloc(p->traffic->plan->switch_count + 1UL, sizeof(**p->distance));
	if (!p->distance[to])
		return -ENOMEM;
	distances_find(p, to, p->distance[to], p->queue);
	return 0;
}

/* From switch to switch, by the number of the destination there. */
static int shortest_walk(struct ft_paths *p, uint32_t from, uint32_t to, uint32_t number, uint32_t *ret_switches)
{
	if (distance_know(p, to) < 0)
		return -ENOMEM;
	if (p->routing == FT_ROUTING_MINIMAL)
		minimal_walk(p, p->distance[to], from, number);
	else
		split_walk(p, p->distance[to], from, number);
	*ret_switches = p->distance[to][from] + 1U;
	return 0;
}

/* Between two hosts of the traffic. */
static int path_add(struct ft_paths *p, uint32_t from, uint32_t to)
{
	uint32_t a = p->traffic->hosts[from].sw, b = p->traffic->hosts[to].sw, switches = 1;
	struct ft_path *path;
	int r = 0;

	if (p->path_count == p->path_size) {
		uint32_t size = p->path_size ? 2 * p->path_size : 256;
		struct ft_path *grown = reallocarray(p->paths, size, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		p->paths = grown;
		p->path_size = size;
	}
	p->share_count = 0;
	if (p->routing == FT_ROUTING_TABLES)
		r = a == b ? 0 : tables_walk(p, from, to, &switches);
	else
		r = shortest_walk(p, a, b, number_of(p, to), &switches);
	if (r < 0)
		return r;
	path = &p->paths[p->path_count];
	path->share_count = p->share_count;
	path->switches = switches;
	path->shares = ft_memory_copy(p->shares, p->share_count * sizeof(*p->shares));
	if (!path->shares)
		return -ENOMEM;
	p->path_count++;
	return 0;
}

int ft_paths_find(struct ft_paths *p, uint32_t from, uint32_t to, uint32_t *ret_index, const struct ft_path **ret_path)
{
	uint32_t a = p->traffic->hosts[from].sw, b = p->traffic->hosts[to].sw;
	uint32_t number = number_of(p, to);
	/* FT_NODES_MAX hosts and 3 * FT_SWITCHES_MAX switches: fewer than 21 bits each. */
	uint64_t begin = p->routing == FT_ROUTING_TABLES ? p->forwarding->entry[from] : a;
	uint64_t key = ((a == b ? (uint64_t)a : begin) << 21 | b) << 21 | (a == b ? 0 : number);
	uint32_t index = ft_map_get(&p->index, key);
	int r;

	if (index == FT_NONE) {
		index = p->path_count;
		r = path_add(p, from, to);
		if (r == 0)
			r = ft_map_add(&p->index, key, index, NULL);
		if (r < 0)
			return r;
	}
	*ret_index = index;
	*ret_path = &p->paths[index];
	return 0;
}

int ft_paths_make(const struct ft_work_net *traffic, enum ft_routing routing, const struct ft_forwarding *forwarding,
		  struct ft_paths **ret)
{
	_cleanup_(ft_paths_freep) struct ft_paths *p = calloc(1, sizeof(*p));
	size_t count = traffic->plan->switch_count + 1UL;
	int r;

	if (!p)
		return -ENOMEM;
	p->traffic = traffic;
	p->routing = routing;
	p->forwarding = forwarding;
	r = lanes_make(p);
	if (r == 0)
		r = groups_make(p);
	if (r < 0)
		return r;
	p->distance = calloc(count, sizeof(*p->distance));
	p->amount = calloc(count, sizeof(*p->amount));
	p->queue = calloc(count, sizeof(*p->queue));
	p->listed = malloc((p->resource_count + 1UL) * sizeof(*p->listed));
	p->shares = calloc(p->resource_count + 1UL, sizeof(*p->shares));
	if (!p->distance || !p->amount || !p->queue || !p->listed || !p->shares)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->resource_count; i++)
		p->listed[i] = UINT32_MAX;
	*ret = FT_STEAL(p);
	return 0;
}
