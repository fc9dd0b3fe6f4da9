/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Credit loops. A packet holds the buffer of one channel (a cable in one direction) until there is room in the next one
 * of its route. So each channel depends on those that routes use next, and a cycle in this channel dependency graph can
 * deadlock: W. Dally, C. Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", IEEE
 * Transactions on Computers, 1987.
 *
 * Each virtual lane has buffers of its own: with lanes, a channel is a lane of a cable in one direction. A cycle of
 * these is one of cables, too. So cables are judged first, as if there were one lane: where they make no cycle, no lane
 * can. Only on the cycles that they make do lanes matter (lanes.c).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/components.h"
#include "verify/model/capacity.h"
#include "verify/routes/routes.h"

struct cycles {
	struct ft_walk *w;
	const struct ft_channels *channels;
	struct ft_cycles found;
};

static void cycles_release(struct cycles *c)
{
	ft_cycles_release(&c->found);
}

static int cycles_find(struct cycles *c)
{
	return ft_cycles_make(c->channels->count, c->channels->first, c->channels->next, &c->found);
}

/* A link is a channel, whatever the lanes. */
static int channels_of_links(struct ft_walk *w, struct ft_channels *ret)
{
	uint32_t words = w->after_first[w->link_count], count = 0;

	for (uint32_t word = 0; word < words; word++)
		count += (uint32_t)__builtin_popcountll(w->after[word]);
	ret->count = w->link_count;
	ret->first = ft_arena_zeros(&w->memory, w->link_count + 1UL, sizeof(*ret->first));
	ret->next = ft_arena_zeros(&w->memory, count, sizeof(*ret->next));
	if (w->memory.failed)
		return -ENOMEM;
	count = 0;
	for (uint32_t link = 0; link < w->link_count; link++) {
		ret->first[link] = count;
		for (uint32_t word = w->after_first[link]; word < w->after_first[link + 1]; word++)
			for (uint64_t bits = w->after[word]; bits != 0; bits &= bits - 1)
				ret->next[count++] = w->hops[w->far[link]].first_link +
						     (word - w->after_first[link]) * 64 +
						     (uint32_t)__builtin_ctzll(bits);
	}
	ret->first[w->link_count] = count;
	return 0;
}

static const char fix_tree[] = "have the subnet manager use routes that never go up again after down (OpenSM: "
			       "routing_engine ftree or updn), or "
			       "an engine that spreads them over lanes (dfsssp, nue)";
static const char fix_graph[] = "have the subnet manager use routes without circles (OpenSM: routing_engine updn, on a "
				"torus torus-2QoS), or an "
				"engine that spreads them over lanes (lash, dfsssp, nue)";

static uint32_t link_of(const struct cycles *c, uint32_t channel)
{
	return c->channels->links ? c->channels->links[channel / FT_LANE_LEVELS] : channel;
}

static void cycle_report(struct cycles *c, const uint32_t *cycle, uint32_t length, uint32_t channels)
{
	enum { SHOWN = 12 };
	struct ft_walk *w = c->w;
	struct ft_model *m = w->m;
	bool laned = c->channels->links != NULL;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_ROUTE_CYCLE, FT_EVIDENCE_SEEN);
	struct ft_text words = {0};

	f->count = channels;
	for (uint32_t i = 0; i < length; i++) {
		uint32_t link = link_of(c, cycle[i]);

		ft_finding_where_chip_port(m, f, ft_walk_port(w, link));
		if (i < SHOWN)
			ft_text_printf(&words, "%s%s", i ? ", " : "", ft_chip_port_text(m, ft_walk_port(w, link)));
		if (i < SHOWN && laned)
			ft_text_printf(&words, " lane %u", cycle[i] % FT_LANE_LEVELS);
		ft_walk_act(w, f, w->owner[link]);
	}
	ft_text_more(&words, length, SHOWN);
	ft_say(m, &f->expected, "routes whose channels do not wait for each other in a circle");
	ft_say(m, &f->observed, "%u channels that do; the shortest circle has %u", channels, length);
	ft_say(m, &f->text,
	       "%straffic can come to a standstill for ever: out of %s, each waits for "
	       "room in the next, and the last for the first (%u channels in all)",
	       laned ? "" : "if all routes use one virtual lane, ", ft_model_text(m, &words), channels);
	ft_say(m, &f->fix, "%s%s", m->capacity->ranks > 1 ? fix_tree : fix_graph,
	       laned ? "" : ", and then this may be ignored");
}

static int link_by_component(const void *a, const void *b, void *context)
{
	const struct cycles *c = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return FT_ORDER(c->found.component[x], c->found.component[y]) ?: FT_ORDER(x, y);
}

int ft_cycles_report(struct ft_walk *w, const struct ft_channels *channels)
{
	_cleanup_(ft_arena_release) struct ft_arena memory = {0};
	_cleanup_(cycles_release) struct cycles c = {.w = w, .channels = channels};
	uint32_t *members = ft_arena_zeros(&memory, channels->count, sizeof(*members));
	uint32_t *cycle = ft_arena_zeros(&memory, channels->count, sizeof(*cycle));

	if (memory.failed || cycles_find(&c) < 0)
		return -ENOMEM;
	for (uint32_t channel = 0; channel < channels->count; channel++)
		members[channel] = channel;
	qsort_r(members, channels->count, sizeof(*members), link_by_component, &c);
	for (uint32_t i = 0, end; i < channels->count; i = end) {
		for (end = i + 1;
		     end < channels->count && c.found.component[members[end]] == c.found.component[members[i]]; end++)
			;
		if (end - i > 1)
			cycle_report(&c, cycle, ft_cycle_shortest(&c.found, members + i, end - i, cycle), end - i);
	}
	return 0;
}

/* Returns whether any cycle goes through a channel; the component of one that is alone becomes FT_NONE. */
static bool cycles_mark(struct ft_cycles *found, uint32_t *sizes)
{
	bool any = false;

	for (uint32_t channel = 0; channel < found->count; channel++)
		any |= ++sizes[found->component[channel]] > 1;
	for (uint32_t channel = 0; channel < found->count; channel++)
		if (sizes[found->component[channel]] == 1)
			found->component[channel] = FT_NONE;
	return any;
}

int ft_walk_cycles(struct ft_walk *w)
{
	struct ft_channels channels = {0};
	_cleanup_(cycles_release) struct cycles c = {.w = w, .channels = &channels};
	uint32_t *sizes = ft_arena_zeros(&w->memory, w->link_count, sizeof(*sizes));
	int r = sizes ? channels_of_links(w, &channels) ?: cycles_find(&c) : -ENOMEM;

	if (r < 0 || !cycles_mark(&c.found, sizes))
		return r;
	if (w->m->input->lanes)
		return ft_lanes_judge(w, c.found.component);
	if (w->m->input->want_lanes)
		r = ft_lanes_want(w, c.found.component);
	return r ?: ft_cycles_report(w, &channels);
}
