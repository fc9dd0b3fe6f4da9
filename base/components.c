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
