/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Credit loops. A packet holds the buffer of one channel (a cable in one direction) until there is room in the next one
 * of its route. So each channel depends on those that routes use next, and a cycle in this channel dependency graph can
 * deadlock: W. Dally, C. Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", IEEE
 * Transactions on Computers, 1987. Each virtual lane has buffers of its own; the tables do not give the service level
 * of a route, and so not its lane.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/model/capacity.h"
#include "verify/routes/routes.h"

enum { STEPS_MAX = 20000000 }; /* limit of the search for the shortest cycle; beyond it a short one is taken */

struct circles {
	struct ft_walk *w;
	/* Strongly connected components: R. Tarjan, "Depth-first search and linear graph algorithms", 1972. */
	uint32_t *index, *low, *stack, *component, *calls, *next; /* by link */
	uint32_t indices, depth, components;
	/* The search. */
	uint32_t *queue, *before;
	uint64_t steps;
};

static void circles_release(struct circles *c)
{
	free(c->index);
	free(c->low);
	free(c->stack);
	free(c->component);
	free(c->calls);
	free(c->next);
	free(c->queue);
	free(c->before);
}

static int circles_allocate(struct circles *c)
{
	size_t count = c->w->link_count + 1UL;
	uint32_t **arrays[] = {&c->index, &c->low,  &c->stack, &c->component,
			       &c->calls, &c->next, &c->queue, &c->before};

	for (size_t i = 0; i < FT_COUNT(arrays); i++) {
		*arrays[i] = malloc(count * sizeof(**arrays[i]));
		if (!*arrays[i])
			return -ENOMEM;
		memset(*arrays[i], 0xff, count * sizeof(**arrays[i]));
	}
	return 0;
}

/* The first link, from port @*port of the far switch on, that routes use after @link; @*port is then past it. */
static uint32_t following(const struct ft_walk *w, uint32_t link, uint32_t *port)
{
	uint32_t words = w->after_first[link + 1] - w->after_first[link];

	for (uint32_t word = *port / 64; word < words; word++) {
		uint64_t bits = w->after[w->after_first[link] + word];

		if (word == *port / 64)
			bits &= ~0ULL << *port % 64;
		if (bits == 0)
			continue;
		*port = word * 64 + (uint32_t)__builtin_ctzll(bits) + 1;
		return w->hops[w->far[link]].first_link + *port - 1;
	}
	return FT_NONE;
}

static void enter(struct circles *c, uint32_t link, uint32_t *calls)
{
	c->index[link] = c->low[link] = c->indices++;
	c->stack[c->depth++] = link;
	c->next[link] = 0;
	c->calls[(*calls)++] = link;
}

static void leave(struct circles *c, uint32_t link)
{
	uint32_t top;

	if (c->low[link] != c->index[link])
		return;
	do {
		top = c->stack[--c->depth];
		c->component[top] = c->components;
	} while (top != link);
	c->components++;
}

/* Tarjan's algorithm, iterative: a route may be long. */
static void components_from(struct circles *c, uint32_t start)
{
	uint32_t calls = 0;

	enter(c, start, &calls);
	while (calls > 0) {
		uint32_t link = c->calls[calls - 1], after = following(c->w, link, &c->next[link]);

		if (after == FT_NONE) {
			leave(c, link);
			calls--;
			if (calls > 0 && c->low[link] < c->low[c->calls[calls - 1]])
				c->low[c->calls[calls - 1]] = c->low[link];
		} else if (c->index[after] == FT_NONE) {
			enter(c, after, &calls);
		} else if (c->component[after] == FT_NONE && c->index[after] < c->low[link]) {
			c->low[link] = c->index[after];
		}
	}
}

/* The shortest cycle through @start, at most @longest: its length, with the links in @circle; else 0. */
static uint32_t circle_through(struct circles *c, uint32_t start, uint32_t longest, uint32_t *circle)
{
	uint32_t head = 0, tail = 0, found = FT_NONE, length = 0;

	c->queue[tail++] = start;
	c->before[start] = start;
	while (head < tail && found == FT_NONE) {
		uint32_t link = c->queue[head++], port = 0, after;

		while (found == FT_NONE && (after = following(c->w, link, &port)) != FT_NONE) {
			c->steps++;
			if (after == start)
				found = link;
			else if (c->component[after] == c->component[start] && c->before[after] == FT_NONE) {
				c->before[after] = link;
				c->queue[tail++] = after;
			}
		}
	}
	for (uint32_t link = found; found != FT_NONE; link = c->before[link]) {
		length++;
		if (link == start)
			break;
	}
	if (length > 0 && length <= longest) {
		uint32_t link = found;

		for (uint32_t i = length; i-- > 0; link = c->before[link])
			circle[i] = link;
	}
	while (tail > 0)
		c->before[c->queue[--tail]] = FT_NONE;
	return length <= longest ? length : 0;
}

static uint32_t circle_find(struct circles *c, const uint32_t *members, uint32_t count, uint32_t *circle)
{
	uint32_t shortest = 0;

	c->steps = 0;
	for (uint32_t i = 0; i < count && c->steps < STEPS_MAX && shortest != 2; i++) {
		uint32_t length = circle_through(c, members[i], shortest ? shortest - 1 : count, circle);

		shortest = length ? length : shortest;
	}
	return shortest;
}

static const char fix_tree[] = "have the subnet manager use routes that never go up again after down (OpenSM: "
			       "routing_engine ftree or updn), or "
			       "an engine that spreads them over lanes (dfsssp, nue), and then this may be ignored";
static const char fix_graph[] = "have the subnet manager use routes without circles (OpenSM: routing_engine updn, on a "
				"torus torus-2QoS), or an "
				"engine that spreads them over lanes (lash, dfsssp, nue), and then this may be ignored";

static void circle_report(struct circles *c, const uint32_t *circle, uint32_t length, uint32_t channels)
{
	enum { SHOWN = 12 };
	struct ft_walk *w = c->w;
	struct ft_model *m = w->m;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_ROUTE_CYCLE, FT_EVIDENCE_SEEN);
	_cleanup_(ft_text_release) struct ft_text words = {0};
	_cleanup_(ft_text_release) struct ft_text port = {0};

	f->count = channels;
	for (uint32_t i = 0; i < length; i++) {
		ft_finding_where_chip_port(m, f, ft_walk_port(w, circle[i]));
		if (i < SHOWN)
			ft_text_printf(&words, "%s%s", i ? ", " : "",
				       ft_chip_port_text(m, ft_walk_port(w, circle[i]), &port));
		ft_walk_act(w, f, w->owner[circle[i]]);
	}
	if (length > SHOWN)
		ft_text_printf(&words, " and %u more", length - SHOWN);
	m->failed |= ft_text_failed(&words) || ft_text_failed(&port);
	ft_say(m, &f->expected, "routes whose channels do not wait for each other in a circle");
	ft_say(m, &f->observed, "%u channels that do; the shortest circle has %u", channels, length);
	ft_say(m, &f->text,
	       "if all routes use one virtual lane, traffic can come to a standstill for ever: out of %s, each waits "
	       "for "
	       "room in the next, and the last for the first (%u channels in all)",
	       ft_text_string(&words), channels);
	ft_say(m, &f->fix, "%s", m->capacity->ranks > 1 ? fix_tree : fix_graph);
}

static int link_by_component(const void *a, const void *b, void *context)
{
	const struct circles *c = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (c->component[x] != c->component[y])
		return c->component[x] < c->component[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

int ft_walk_cycles(struct ft_walk *w)
{
	_cleanup_(circles_release) struct circles c = {.w = w};
	_cleanup_free_ uint32_t *members = malloc((w->link_count + 1UL) * sizeof(*members));
	_cleanup_free_ uint32_t *circle = malloc((w->link_count + 1UL) * sizeof(*circle));
	int r = circles_allocate(&c);

	if (r < 0 || !members || !circle)
		return -ENOMEM;
	for (uint32_t link = 0; link < w->link_count; link++)
		if (c.index[link] == FT_NONE)
			components_from(&c, link);
	for (uint32_t link = 0; link < w->link_count; link++)
		members[link] = link;
	qsort_r(members, w->link_count, sizeof(*members), link_by_component, &c);
	for (uint32_t i = 0, end; i < w->link_count; i = end) {
		for (end = i + 1; end < w->link_count && c.component[members[end]] == c.component[members[i]]; end++)
			;
		if (end - i > 1)
			circle_report(&c, circle, circle_find(&c, members + i, end - i, circle), end - i);
	}
	return 0;
}
