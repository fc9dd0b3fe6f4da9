/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Identities: GUIDs and LIDs that several nodes or ports have, found by sorting all of them. Each identity is one
 * finding, whatever the number of its holders. O(n log n) in ports and LIDs.
 */
#include "config.h"

#include <stdlib.h>

#include "base/text.h"
#include "probe/facts.h"
#include "verify/check/check.h"

enum { SHOWN = 16 }; /* nodes or ports with one identity: the finding names no more of them */

/*
 * An identity and who holds it: a port, or a node as port count + node. A switch's own LID is that of its port 0.
 */
struct holding {
	uint32_t holder, number; /* @number: in the order of the nodes, which does not depend on the sweep */
	uint64_t identity;
	uint64_t base; /* of several LIDs of one port the first */
};

struct holdings {
	struct holding *list;
	size_t count;
	bool unsorted;
	struct ft_arena *memory;
};

static void holding_add(struct holdings *h, uint64_t identity, uint64_t base, uint32_t holder)
{
	uint32_t number = (uint32_t)h->count;
	struct holding *holding = FT_ARENA_MORE(h->memory, h->list, h->count);

	if (!holding)
		return;
	*holding = (struct holding){holder, number, identity, base};
	h->unsorted |= number > 0 && holding[-1].identity > identity;
}

static int holding_compare(const void *a, const void *b)
{
	const struct holding *x = a, *y = b;

	return FT_ORDER(x->identity, y->identity) ?: FT_ORDER(x->number, y->number);
}

/* The first holder of an identity; NULL: it has none. */
static const struct holding *first_of(const struct holdings *h, uint64_t identity)
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

/*
 * The next holder of the identity of @at, behind it; NULL: none. Of two ports that share a range of LIDs only the first
 * LID is reported.
 */
static const struct holding *next_of(const struct holdings *h, const struct holding *at)
{
	const struct holding *end = h->list + h->count;

	for (const struct holding *next = at + 1; next < end && next->identity == at->identity; next++)
		if (next->base == next->identity ||
		    first_of(h, next->base)->holder != first_of(h, at->identity)->holder)
			return next;
	return NULL;
}

/* The holders from @at on become places of the finding; their names, as in "a, b and 3 more", go to @words. */
static void holders_add(struct ft_model *m, struct ft_finding *f, const struct holdings *h, const struct holding *at,
			struct ft_text *words)
{
	uint32_t all = 0, i = 0;

	for (const struct holding *next = at; next; next = next_of(h, next))
		all++;
	f->count = all - 1;
	for (; at && i < SHOWN; at = next_of(h, at), i++) {
		bool is_node = at->holder >= m->chips->port_count;

		if (is_node)
			ft_finding_where_chip(m, f, at->holder - m->chips->port_count);
		else
			ft_finding_where_chip_port(m, f, at->holder);
		if (f->where_count > i)
			ft_text_printf(words, "%s%s", i == 0 ? "" : i + 1 < all ? ", " : " and ", f->where[i].name);
		if (!is_node)
			ft_text_printf(words, " port %u", m->chips->ports[at->holder].number);
	}
	ft_text_more(words, all, i);
	ft_finding_act(m, f, FT_ACT_SETTING, f->where_count > 1 ? f->where[1] : (struct ft_place){0},
		       (struct ft_place){0});
}

static void guid_report(struct ft_model *m, const struct holdings *h, const struct holding *at)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_GUID_DUPLICATE, FT_EVIDENCE_SEEN);
	struct ft_text words = {0};
	unsigned long long guid = at->identity;

	holders_add(m, f, h, at, &words);
	ft_say(m, &f->expected, "one node of GUID 0x%016llx", guid);
	f->observed = ft_arena_text(&m->report->memory, &words);
	if (f->count == 1)
		ft_say(m, &f->text, "two nodes carry GUID 0x%016llx: %s", guid, f->observed);
	else
		ft_say(m, &f->text, "%u nodes carry GUID 0x%016llx: %s", f->count + 1, guid, f->observed);
	ft_say(m, &f->fix, "give %s its own GUID (a board swapped with its flash, or a bad image)",
	       f->count == 1 ? "one of them" : "each of them");
}

static void lid_report(struct ft_model *m, const struct holdings *h, const struct holding *at)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_LID_DUPLICATE, FT_EVIDENCE_SEEN);
	struct ft_text words = {0};
	unsigned int lid = (unsigned int)at->identity;

	holders_add(m, f, h, at, &words);
	ft_say(m, &f->expected, "one port of LID %u", lid);
	f->observed = ft_arena_text(&m->report->memory, &words);
	ft_say(m, &f->text, "LID %u is held by %s", lid, f->observed);
	ft_say(m, &f->fix, "have the subnet manager reassign LIDs (opensm -r); look for a second one");
}

typedef void find_fn(const struct ft_snapshot *s, const uint32_t *order, struct holdings *ret);

static void guids_find(const struct ft_snapshot *s, const uint32_t *order, struct holdings *ret)
{
	for (uint32_t k = 0; k < s->node_count; k++)
		if (s->nodes[order[k]].guid)
			holding_add(ret, s->nodes[order[k]].guid, s->nodes[order[k]].guid, s->port_count + order[k]);
}

/*
 * LIDs 0 and 65535, and all beyond 0xBFFF (multicast), mean "none" (IBTA Vol 1, 4.1.3). A fabric whose ports all claim
 * 128 LIDs is hostile: once so many are held that each is several times, only the first of a port counts.
 */
static void lids_add(struct holdings *ret, uint32_t lid, uint32_t lmc, uint32_t holder)
{
	enum { LID_UNICAST_MAX = 0xbfff, HELD_MAX = 2 * (LID_UNICAST_MAX + 1) };

	for (uint32_t n = 0; lid > 0 && n < 1U << (lmc & 7) && lid + n <= LID_UNICAST_MAX; n++)
		if (n == 0 || ret->count < HELD_MAX)
			holding_add(ret, lid + n, lid, holder);
}

/* The LIDs of hosts' ports that are up; then those of switches. */
static void lids_find(const struct ft_snapshot *s, const uint32_t *order, struct holdings *ret)
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

static struct holdings found_sort(find_fn *find, const struct ft_snapshot *s, const uint32_t *order,
				  struct ft_arena *memory)
{
	struct holdings found = {.memory = memory};

	if (order)
		find(s, order, &found);
	if (found.unsorted)
		qsort(found.list, found.count, sizeof(*found.list), holding_compare);
	return found;
}

/* Reports each identity with several holders. What was so when it was recorded is no change. */
static void identities_check(struct ft_model *m, find_fn *find,
			     void (*report)(struct ft_model *, const struct holdings *, const struct holding *))
{
	_cleanup_(ft_arena_release) struct ft_arena memory = {0};
	struct holdings now = found_sort(find, m->chips, m->chip_order, &memory), before = {0};

	if (m->since)
		before = found_sort(find, m->since, ft_nodes_in_order(&memory, m->since), &memory);
	m->memory.failed |= memory.failed;
	for (size_t i = 0; !memory.failed && i < now.count; i++) {
		const struct holding *at = &now.list[i], *then;

		if ((i > 0 && at[-1].identity == at->identity) || !next_of(&now, at))
			continue;
		then = first_of(&before, at->identity);
		if (!then || !next_of(&before, then))
			report(m, &now, at);
	}
}

int ft_identities_check(struct ft_model *m)
{
	identities_check(m, guids_find, guid_report);
	identities_check(m, lids_find, lid_report);
	return 0;
}
