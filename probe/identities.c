/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/identities.h"

#include <stdlib.h>

static void holding_add(struct ft_holdings *h, uint64_t identity, uint64_t base, uint32_t holder)
{
	uint32_t number = (uint32_t)h->count;
	struct ft_holding *holding = FT_ARENA_MORE(h->memory, h->list, h->count);

	if (!holding)
		return;
	*holding = (struct ft_holding){holder, number, identity, base};
	h->unsorted |= number > 0 && holding[-1].identity > identity;
}

static int holding_compare(const void *a, const void *b)
{
	const struct ft_holding *x = a, *y = b;

	return FT_ORDER(x->identity, y->identity) ?: FT_ORDER(x->number, y->number);
}

const struct ft_holding *ft_holding_first(const struct ft_holdings *h, uint64_t identity)
{
	size_t low = 0, high = h->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (h->list[middle].identity < identity)
			low = middle + 1;
		else
			high = middle;
	}
	return low < h->count && h->list[low].identity == identity ? &h->list[low] : NULL;
}

const struct ft_holding *ft_holding_next(const struct ft_holdings *h, const struct ft_holding *at)
{
	const struct ft_holding *end = h->list + h->count;

	for (const struct ft_holding *next = at + 1; next < end && next->identity == at->identity; next++)
		if (next->base == next->identity ||
		    ft_holding_first(h, next->base)->holder != ft_holding_first(h, at->identity)->holder)
			return next;
	return NULL;
}

typedef void find_fn(const struct ft_snapshot *s, const uint32_t *order, struct ft_holdings *ret);

static void guids_find(const struct ft_snapshot *s, const uint32_t *order, struct ft_holdings *ret)
{
	for (uint32_t k = 0; k < s->node_count; k++)
		if (s->nodes[order[k]].guid)
			holding_add(ret, s->nodes[order[k]].guid, s->nodes[order[k]].guid, s->port_count + order[k]);
}

/*
 * LIDs 0 and 65535, and all beyond 0xBFFF (multicast), mean "none" (IBTA Vol 1, 4.1.3). A fabric whose ports all claim
 * 128 LIDs is hostile: once so many are held that each is several times, only the first of a port counts.
 */
static void lids_add(struct ft_holdings *ret, uint32_t lid, uint32_t lmc, uint32_t holder)
{
	enum { LID_UNICAST_MAX = 0xbfff, HELD_MAX = 2 * (LID_UNICAST_MAX + 1) };

	for (uint32_t n = 0; lid > 0 && n < 1U << (lmc & 7) && lid + n <= LID_UNICAST_MAX; n++)
		if (n == 0 || ret->count < HELD_MAX)
			holding_add(ret, lid + n, lid, holder);
}

/* The LIDs of hosts' ports that are up; then those of switches. */
static void lids_find(const struct ft_snapshot *s, const uint32_t *order, struct ft_holdings *ret)
{
	for (uint32_t k = 0; k < s->node_count; k++) {
		const struct ft_node *node = &s->nodes[order[k]];

		for (uint32_t i = node->first_port; i < node->first_port + node->port_count; i++)
			if (node->type != FT_NODE_SWITCH && s->ports[i].link != FT_LINK_DOWN)
				lids_add(ret, s->ports[i].lid, s->ports[i].lmc, i);
	}
	for (uint32_t k = 0; k < s->node_count; k++)
		lids_add(ret, s->nodes[order[k]].lid, s->nodes[order[k]].lmc, s->port_count + order[k]);
}

static struct ft_holdings found_sort(find_fn *find, const struct ft_snapshot *s, const uint32_t *order,
				     struct ft_arena *memory)
{
	struct ft_holdings found = {.memory = memory};

	if (order)
		find(s, order, &found);
	if (found.unsorted)
		qsort(found.list, found.count, sizeof(*found.list), holding_compare);
	return found;
}

struct ft_holdings ft_guids_held(const struct ft_snapshot *s, const uint32_t *order, struct ft_arena *memory)
{
	return found_sort(guids_find, s, order, memory);
}

struct ft_holdings ft_lids_held(const struct ft_snapshot *s, const uint32_t *order, struct ft_arena *memory)
{
	return found_sort(lids_find, s, order, memory);
}
