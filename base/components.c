/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* R. Tarjan, "Depth-first search and linear graph algorithms", 1972; iterative, as a path may be long. */
#include "config.h"

#include "base/components.h"

#include <errno.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/numbers.h"

struct search {
	const uint32_t *first, *next;
	uint32_t *component;
	/* By vertex: time of entry; the earliest entry that it reaches; its next edge. */
	uint32_t *index, *low, *at;
	uint32_t *stack, *calls; /* vertices without a component yet; those on the path from the start */
	uint32_t indices, depth, called, components;
};

static void enter(struct search *s, uint32_t vertex)
{
	s->index[vertex] = s->low[vertex] = s->indices++;
	s->stack[s->depth++] = vertex;
	s->at[vertex] = s->first[vertex];
	s->calls[s->called++] = vertex;
}

static void leave(struct search *s, uint32_t vertex)
{
	uint32_t top;

	if (s->low[vertex] != s->index[vertex])
		return;
	do {
		top = s->stack[--s->depth];
		s->component[top] = s->components;
	} while (top != vertex);
	s->components++;
}

static void search_from(struct search *s, uint32_t start)
{
	enter(s, start);
	while (s->called > 0) {
		uint32_t vertex = s->calls[s->called - 1], after;

		if (s->at[vertex] == s->first[vertex + 1]) {
			leave(s, vertex);
			s->called--;
			if (s->called > 0 && s->low[vertex] < s->low[s->calls[s->called - 1]])
				s->low[s->calls[s->called - 1]] = s->low[vertex];
			continue;
		}
		after = s->next[s->at[vertex]++];
		if (s->index[after] == FT_NONE)
			enter(s, after);
		else if (s->component[after] == FT_NONE && s->index[after] < s->low[vertex])
			s->low[vertex] = s->index[after];
	}
}

int ft_components_find(uint32_t count, const uint32_t *first, const uint32_t *next, uint32_t *ret_component)
{
	_cleanup_(ft_arena_release) struct ft_arena memory = {0};
	struct search s = {.first = first, .next = next, .component = ret_component};
	uint32_t **lists[] = {&s.index, &s.low, &s.at, &s.stack, &s.calls};

	for (size_t i = 0; i < FT_COUNT(lists); i++)
		*lists[i] = ft_arena_numbers(&memory, count, FT_NONE);
	if (memory.failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		ret_component[i] = FT_NONE;
	for (uint32_t i = 0; i < count; i++)
		if (s.index[i] == FT_NONE)
			search_from(&s, i);
	return 0;
}

/* ---- cycles ---- */

int ft_cycles_make(uint32_t count, const uint32_t *first, const uint32_t *next, struct ft_cycles *ret)
{
	*ret = (struct ft_cycles){.count = count, .first = first, .next = next};
	ret->component = ft_arena_zeros(&ret->memory, count, sizeof(*ret->component));
	ret->queue = ft_arena_zeros(&ret->memory, count, sizeof(*ret->queue));
	ret->before = ft_arena_numbers(&ret->memory, count, FT_NONE);
	return ret->memory.failed ? -ENOMEM : ft_components_find(count, first, next, ret->component);
}

void ft_cycles_release(struct ft_cycles *cycles)
{
	ft_arena_release(&cycles->memory);
}

/* Breadth-first from @start: the last vertex of a shortest cycle through it, from which @before leads back; or FT_NONE.
 */
static uint32_t cycle_close(struct ft_cycles *c, uint32_t start, uint32_t *ret_tail)
{
	uint32_t tail = 0, found = FT_NONE;

	c->queue[tail++] = start;
	c->before[start] = start;
	for (uint32_t head = 0; head < tail && found == FT_NONE; head++) {
		uint32_t vertex = c->queue[head];

		for (uint32_t i = c->first[vertex]; found == FT_NONE && i < c->first[vertex + 1]; i++) {
			uint32_t after = c->next[i];

			c->steps++;
			if (after == start) {
				found = vertex;
			} else if (c->component[after] == c->component[start] && c->before[after] == FT_NONE) {
				c->before[after] = vertex;
				c->queue[tail++] = after;
			}
		}
	}
	*ret_tail = tail;
	return found;
}

/* The shortest cycle through @start, at most @longest: its length, with the vertices in @cycle; else 0. */
static uint32_t cycle_through(struct ft_cycles *c, uint32_t start, uint32_t longest, uint32_t *cycle)
{
	uint32_t length = 0, tail, found = cycle_close(c, start, &tail);

	for (uint32_t vertex = found; vertex != FT_NONE; vertex = vertex == start ? FT_NONE : c->before[vertex])
		length++;
	if (length <= longest)
		for (uint32_t i = length, vertex = found; i-- > 0; vertex = c->before[vertex])
			cycle[i] = vertex;
	while (tail > 0)
		c->before[c->queue[--tail]] = FT_NONE;
	return length <= longest ? length : 0;
}

uint32_t ft_cycle_shortest(struct ft_cycles *c, const uint32_t *members, uint32_t count, uint32_t *ret_cycle)
{
	uint32_t shortest = 0;

	c->steps = 0;
	for (uint32_t i = 0; i < count && c->steps < FT_CYCLE_STEPS_MAX && shortest != 2; i++) {
		uint32_t length = cycle_through(c, members[i], shortest ? shortest - 1 : count, ret_cycle);

		shortest = length ? length : shortest;
	}
	return shortest;
}
