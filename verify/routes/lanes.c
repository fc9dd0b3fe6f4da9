/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Credit loops by virtual lane. Where links make a cycle, the routes over it are followed once more, with their lanes:
 * a switch puts a packet on a lane by its service level and by the ports that it comes in and leaves by. Only channels
 * that are two successive ones of one route, on one cycle of links, can be on a cycle of lanes.
 *
 * A route whose lanes are not known adds nothing to the graph: it is counted, and no cycle is made up. If the lanes
 * that are known make a cycle, that is one, whatever the others do.
 *
 * Service levels are asked for one host of each switch: the other hosts' routes to the same destination are the same
 * from there on, and LASH, DFSSSP and torus-2QoS give the same level, or one without cycles, to all of them. A host
 * has its own level where one is known, as from files.
 *
 * Cost: the length of all routes, once more.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/numbers.h"
#include "verify/routes/routes.h"

/* The most that is asked of the fabric. Service levels of more paths stay unknown. */
enum { CROSSINGS_MAX = 400000, PATHS_MAX = 200000 };

struct follow {
	struct ft_walk *w;
	struct ft_arena memory; /* of all lists here */
	const uint32_t *cycles; /* by link */
	uint32_t *hosts;	/* targets that are the first LID of their port, by hop */
	uint32_t *hosts_of;	/* [hop_count + 1]: index into hosts */
	uint32_t *links;	/* the route being followed */
	uint32_t length;

	/* What is wanted. */
	struct ft_lane_wants *wants;
	struct ft_map asked; /* crossings, by key */

	/* What is judged. */
	uint32_t *place; /* by link: its place among those on cycles, or FT_NONE */
	uint32_t *rows;	 /* these links */
	uint32_t row_count;
	struct ft_map seen; /* dependencies */
	uint32_t (*edges)[2];
	uint32_t edge_count;
	uint64_t unknown;
	uint64_t unsent;    /* pairs of hosts with a lane without weight on their route */
	struct ft_map mute; /* these lanes: place * FT_LANE_LEVELS + lane */
	uint32_t *mutes;
	uint32_t mute_count;
};

static void follow_release(struct follow *f)
{
	ft_arena_release(&f->memory);
	ft_map_release(&f->asked);
	ft_map_release(&f->seen);
	ft_map_release(&f->mute);
}

/* Targets are in the order of LIDs, so that the LIDs of a port are adjacent. */
static bool is_first_lid(const struct ft_walk *w, uint32_t target)
{
	return target == 0 || w->targets[target].port != w->targets[target - 1].port;
}

static void hosts_index(struct follow *f)
{
	const struct ft_walk *w = f->w;

	f->hosts = ft_arena_zeros(&f->memory, w->target_count + 1UL, sizeof(*f->hosts));
	f->hosts_of = ft_arena_zeros(&f->memory, w->hop_count + 2UL, sizeof(*f->hosts_of));
	f->links = ft_arena_zeros(&f->memory, w->hop_count + 1UL, sizeof(*f->links));
	if (f->memory.failed)
		return;
	/* Counted one place too far, so that filling moves each start to where it belongs. */
	for (uint32_t i = 0; i < w->target_count; i++)
		f->hosts_of[w->targets[i].hop + 2] += is_first_lid(w, i);
	for (uint32_t h = 2; h <= w->hop_count; h++)
		f->hosts_of[h] += f->hosts_of[h - 1];
	for (uint32_t i = 0; i < w->target_count; i++)
		if (is_first_lid(w, i))
			f->hosts[f->hosts_of[w->targets[i].hop + 1]++] = i;
}

/* Two successive links of the route are on one cycle. */
static bool is_on_cycle(const struct follow *f, uint32_t i)
{
	uint32_t cycle = f->cycles[f->links[i]];

	return cycle != FT_NONE && cycle == f->cycles[f->links[i + 1]];
}

/* The links of the route between switches; false if it does not arrive, or if no two of them are on one cycle. */
static bool route_follow(struct follow *f, uint32_t from, uint32_t target)
{
	const struct ft_walk *w = f->w;
	bool cycles = false;
	uint32_t link;

	f->length = 0;
	while ((link = w->out[from]) != w->targets[target].link) {
		if (link == FT_NONE || w->far[link] >= w->hop_count || f->length == w->hop_count)
			return false;
		f->links[f->length++] = link;
		from = w->far[link];
		cycles |= f->length > 1 && is_on_cycle(f, f->length - 2);
	}
	return cycles;
}

static uint8_t number_of(const struct ft_walk *w, uint32_t link)
{
	return (uint8_t)(link - w->hops[w->owner[link]].first_link + 1);
}

/* How packets of @host get onto link @i of the route. */
static struct ft_crossing crossing_of(const struct follow *f, uint32_t host, uint32_t i)
{
	const struct ft_walk *w = f->w;
	const struct ft_snapshot *s = w->m->chips;
	uint32_t link = f->links[i];
	unsigned int in = i == 0 ? number_of(w, w->targets[host].link)
				 : ft_port_peer(s, &s->ports[ft_walk_port(w, f->links[i - 1])])->number;

	return (struct ft_crossing){w->hops[w->owner[link]].node, (uint8_t)in, number_of(w, link)};
}

typedef void visit_fn(struct follow *f, uint32_t host, uint32_t target);

/* Calls @visit for each pair of hosts whose route is on a cycle. */
static void routes_visit(struct follow *f, visit_fn *visit)
{
	const struct ft_walk *w = f->w;

	for (uint32_t target = 0; !f->memory.failed && target < w->target_count; target++) {
		/* Side by side, as the tables are far apart in memory. */
		for (uint32_t h = 0; h < w->hop_count; h++)
			w->out[h] = ft_walk_out(w, h, target);
		for (uint32_t i = 0; !f->memory.failed && i < w->source_count; i++) {
			uint32_t from = w->sources[i];

			if (!route_follow(f, from, target))
				continue;
			for (uint32_t n = f->hosts_of[from]; n < f->hosts_of[from + 1]; n++)
				visit(f, f->hosts[n], target);
		}
	}
}

/* True if @key is new to @map. */
static bool is_new(struct follow *f, struct ft_map *map, uint64_t key)
{
	int r = ft_map_add(map, key, 0, NULL);

	f->memory.failed |= r < 0;
	return r > 0;
}

/* ---- what is wanted ---- */

static void crossing_want(struct follow *f, struct ft_crossing at)
{
	struct ft_lane_wants *wants = f->wants;
	struct ft_crossing *crossing;

	if (wants->crossing_count == CROSSINGS_MAX ||
	    !is_new(f, &f->asked, (uint64_t)at.node << 16 | (unsigned int)at.in << 8 | at.out))
		return;
	crossing = FT_LIST_MORE(wants->crossings, wants->crossing_count);
	f->memory.failed |= !crossing;
	if (crossing)
		*crossing = at;
}

static uint32_t first_host(const struct follow *f, uint32_t host)
{
	return f->hosts[f->hosts_of[f->w->targets[host].hop]];
}

static void route_want(struct follow *f, uint32_t host, uint32_t target)
{
	const struct ft_walk *w = f->w;
	struct ft_lane_wants *wants = f->wants;
	bool is_first = first_host(f, host) == host;

	if (is_first && wants->path_count < PATHS_MAX) {
		struct ft_lane_path *path = FT_LIST_MORE(wants->paths, wants->path_count);

		f->memory.failed |= !path;
		if (!path)
			return;
		*path = (struct ft_lane_path){(uint16_t)w->targets[host].lid, (uint16_t)w->targets[target].lid};
	}
	/* The hosts of a switch come in by ports of their own, and then go the same way. */
	for (uint32_t i = 0; i + 1 < f->length && (i == 0 || is_first); i++) {
		if (!is_on_cycle(f, i))
			continue;
		crossing_want(f, crossing_of(f, host, i));
		crossing_want(f, crossing_of(f, host, i + 1));
	}
}

int ft_lanes_want(struct ft_walk *w, const uint32_t *cycles)
{
	_cleanup_(follow_release) struct follow f = {.w = w, .cycles = cycles, .wants = &w->m->report->lane_wants};

	hosts_index(&f);
	routes_visit(&f, route_want);
	return f.memory.failed ? -ENOMEM : 0;
}

/* ---- what is judged ---- */

static void edge_add(struct follow *f, uint32_t a, uint32_t b)
{
	uint32_t(*edge)[2];

	if (!is_new(f, &f->seen, (uint64_t)a << 32 | b))
		return;
	edge = FT_ARENA_MORE(&f->memory, f->edges, f->edge_count);
	if (edge)
		memcpy(*edge, (const uint32_t[]){a, b}, sizeof(*edge));
}

static unsigned int level_of(const struct follow *f, uint32_t host, uint32_t target)
{
	const struct ft_target *targets = f->w->targets;
	const struct ft_lanes *lanes = f->w->m->input->lanes;
	unsigned int level = ft_lanes_level(lanes, (uint16_t)targets[host].lid, (uint16_t)targets[target].lid);

	if (level != FT_LANE_UNKNOWN)
		return level;
	return ft_lanes_level(lanes, (uint16_t)targets[first_host(f, host)].lid, (uint16_t)targets[target].lid);
}

/* A lane that the port never sends from. */
static void mute_add(struct follow *f, uint32_t channel)
{
	uint32_t *mute = is_new(f, &f->mute, channel) ? FT_ARENA_MORE(&f->memory, f->mutes, f->mute_count) : NULL;

	if (mute)
		*mute = channel;
}

/* The lane on that way, as far as a packet gets: FT_LANE_DROPPED also if the port never sends from it. */
static unsigned int lane_take(struct follow *f, const struct ft_crossing *at, uint32_t link, unsigned int level,
			      bool *unsent)
{
	const struct ft_lanes *lanes = f->w->m->input->lanes;
	unsigned int lane = ft_lanes_lane(lanes, at, level);

	if (lane >= FT_LANE_DROPPED || ft_lanes_is_sent(lanes, at, lane))
		return lane;
	*unsent = true;
	mute_add(f, f->place[link] * FT_LANE_LEVELS + lane);
	return FT_LANE_DROPPED;
}

static void route_judge(struct follow *f, uint32_t host, uint32_t target)
{
	unsigned int level = level_of(f, host, target);
	bool known = true, unsent = false;

	for (uint32_t i = 0; i + 1 < f->length; i++) {
		struct ft_crossing onto, then;
		unsigned int a, b;

		if (!is_on_cycle(f, i))
			continue;
		onto = crossing_of(f, host, i);
		then = crossing_of(f, host, i + 1);
		a = lane_take(f, &onto, f->links[i], level, &unsent);
		b = lane_take(f, &then, f->links[i + 1], level, &unsent);
		known &= a != FT_LANE_UNKNOWN && b != FT_LANE_UNKNOWN;
		/* What is dropped waits for nothing. */
		if (a < FT_LANE_DROPPED && b < FT_LANE_DROPPED)
			edge_add(f, f->place[f->links[i]] * FT_LANE_LEVELS + a,
				 f->place[f->links[i + 1]] * FT_LANE_LEVELS + b);
	}
	f->unknown += !known;
	f->unsent += unsent;
}

static void rows_number(struct follow *f)
{
	const struct ft_walk *w = f->w;

	f->place = ft_arena_zeros(&f->memory, w->link_count + 1UL, sizeof(*f->place));
	f->rows = ft_arena_zeros(&f->memory, w->link_count + 1UL, sizeof(*f->rows));
	for (uint32_t link = 0; !f->memory.failed && link < w->link_count; link++) {
		f->place[link] = f->cycles[link] == FT_NONE ? FT_NONE : f->row_count;
		if (f->cycles[link] != FT_NONE)
			f->rows[f->row_count++] = link;
	}
}

static int edge_compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return FT_ORDER(x[0], y[0]) ?: FT_ORDER(x[1], y[1]);
}

static int channels_make(struct follow *f, struct ft_channels *ret)
{
	uint32_t edge = 0;

	ret->count = f->row_count * FT_LANE_LEVELS;
	ret->links = f->rows;
	ret->first = ft_arena_zeros(&f->memory, ret->count + 1UL, sizeof(*ret->first));
	ret->next = ft_arena_zeros(&f->memory, f->edge_count, sizeof(*ret->next));
	if (f->memory.failed)
		return -ENOMEM;
	if (f->edge_count > 0)
		qsort(f->edges, f->edge_count, sizeof(*f->edges), edge_compare);
	for (uint32_t channel = 0; channel < ret->count; channel++) {
		ret->first[channel] = edge;
		for (; edge < f->edge_count && f->edges[edge][0] == channel; edge++)
			ret->next[edge] = f->edges[edge][1];
	}
	ret->first[ret->count] = edge;
	return 0;
}

/* One finding for all: lanes without weight are a fault of the subnet manager's tables. */
static void mutes_report(struct follow *f)
{
	enum { SHOWN = 12 };
	struct ft_walk *w = f->w;
	struct ft_model *m = w->m;
	struct ft_text words = {0};
	struct ft_finding *finding;
	char plural[48], lanes[48];

	if (f->mute_count == 0)
		return;
	qsort(f->mutes, f->mute_count, sizeof(*f->mutes), ft_number_compare);
	finding = ft_finding_add(m, FT_CODE_ROUTE_UNREACHABLE, FT_EVIDENCE_SEEN);
	finding->count = ft_saturate(f->unsent);
	for (uint32_t i = 0; i < f->mute_count && i < SHOWN; i++) {
		uint32_t link = f->rows[f->mutes[i] / FT_LANE_LEVELS];

		ft_finding_where_chip_port(m, finding, ft_walk_port(w, link));
		ft_text_printf(&words, "%s%s lane %u", i ? ", " : "", ft_chip_port_text(m, ft_walk_port(w, link)),
			       f->mutes[i] % FT_LANE_LEVELS);
		ft_walk_act(w, finding, w->owner[link]);
	}
	ft_text_more(&words, f->mute_count, SHOWN);
	ft_plural(finding->count, "pair", plural);
	ft_say(m, &finding->expected, "a weight for each lane that packets are put on");
	ft_say(m, &finding->observed, "%s without one", ft_plural(f->mute_count, "lane", lanes));
	ft_say(m, &finding->text,
	       "the packets of %s of hosts are never sent on: the VL arbitration tables give no weight to %s", plural,
	       ft_model_text(m, &words));
	ft_say(m, &finding->fix,
	       "have the subnet manager give every lane that SL2VL uses a weight (OpenSM: qos_swe_vlarb_high, "
	       "qos_swe_vlarb_low)");
}

int ft_lanes_judge(struct ft_walk *w, const uint32_t *cycles)
{
	_cleanup_(follow_release) struct follow f = {.w = w, .cycles = cycles};
	struct ft_channels channels = {0};
	int r;

	hosts_index(&f);
	rows_number(&f);
	routes_visit(&f, route_judge);
	r = channels_make(&f, &channels) ?: ft_cycles_report(w, &channels);

	if (r == 0)
		mutes_report(&f);
	w->m->report->routes.lanes_unknown = ft_saturate(f.unknown);
	return r;
}
