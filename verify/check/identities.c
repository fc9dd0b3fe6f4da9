/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Identities: GUIDs and LIDs that several nodes or ports have. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"
#include "verify/model/model.h"

enum { SHOWN = 16 }; /* nodes or ports with one identity: the finding names no more of them */

/*
 * The holders of duplicate identities. A holder is a port, or a node as port count + node: a switch's own LID is that
 * of its port 0. Each identity is one finding, whatever the number of its holders.
 */
struct shared {
	uint32_t *holders; /* the entries of an identity are chained by @next */
	uint32_t *next;
	size_t count, size;
};

static void shared_release(struct shared *shared)
{
	free(shared->holders);
	free(shared->next);
}

/* Returns 0 with the new entry, the last of its chain, in @ret_entry; or -ENOMEM. */
static int shared_add(struct shared *shared, uint32_t holder, uint32_t *ret_entry)
{
	if (shared->count == shared->size) {
		size_t size = shared->size ? shared->size * 2 : 64;
		uint32_t *holders = reallocarray(shared->holders, size, sizeof(*holders));
		uint32_t *next;

		if (!holders)
			return -ENOMEM;
		shared->holders = holders;
		next = reallocarray(shared->next, size, sizeof(*next));
		if (!next)
			return -ENOMEM;
		shared->next = next;
		shared->size = size;
	}
	shared->holders[shared->count] = holder;
	shared->next[shared->count] = FT_NONE;
	*ret_entry = (uint32_t)shared->count++;
	return 0;
}

static uint32_t shared_length(const struct shared *shared, uint32_t entry)
{
	uint32_t length = 0;

	for (; entry != FT_NONE; entry = shared->next[entry])
		length++;
	return length;
}

/* The holders from @entry on become places of the finding; their names, as in "a, b and 3 more", go to @words. */
static void holders_add(struct ft_model *m, struct ft_finding *f, const struct shared *shared, uint32_t entry,
			struct ft_text *words)
{
	uint32_t all = shared_length(shared, entry), shown = all > SHOWN ? SHOWN : all;

	f->count = all - 1;
	for (uint32_t i = 0; i < shown; i++, entry = shared->next[entry]) {
		uint32_t holder = shared->holders[entry];
		bool is_node = holder >= m->chips->port_count;

		if (is_node)
			ft_finding_where_chip(m, f, holder - m->chips->port_count);
		else
			ft_finding_where_chip_port(m, f, holder);
		if (f->where_count > i)
			ft_text_printf(words, "%s%s", i == 0 ? "" : i + 1 < all ? ", " : " and ", f->where[i].name);
		if (!is_node)
			ft_text_printf(words, " port %u", m->chips->ports[holder].number);
	}
	if (all > shown)
		ft_text_printf(words, " and %u more", all - shown);
	m->failed |= words->failed;
	ft_finding_act(m, f, FT_ACT_SETTING, f->where_count > 1 ? &f->where[1] : NULL, NULL);
}

static void guid_report(struct ft_model *m, uint64_t guid, const struct shared *shared, uint32_t entry)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_GUID_DUPLICATE, FT_EVIDENCE_SEEN);
	_cleanup_(ft_text_release) struct ft_text words = {0};

	holders_add(m, f, shared, entry, &words);
	ft_say(m, &f->expected, "one node of GUID 0x%016llx", (unsigned long long)guid);
	ft_say(m, &f->observed, "%s", ft_text_string(&words));
	if (f->count == 1)
		ft_say(m, &f->text, "two nodes carry GUID 0x%016llx: %s", (unsigned long long)guid,
		       ft_text_string(&words));
	else
		ft_say(m, &f->text, "%u nodes carry GUID 0x%016llx: %s", f->count + 1, (unsigned long long)guid,
		       ft_text_string(&words));
	ft_say(m, &f->fix, "give %s its own GUID (a board swapped with its flash, or a bad image)",
	       f->count == 1 ? "one of them" : "each of them");
}

/* By node: the first and the last entry of its GUID, if it is the first node with it; FT_NONE: its GUID is unique. */
static int guids_share(const struct ft_snapshot *s, const uint32_t *order, struct shared *shared, uint32_t *heads,
		       uint32_t *tails)
{
	_cleanup_(ft_map_release) struct ft_map guids = {0};
	uint32_t entry;
	int r = 0;

	for (uint32_t k = 0; r >= 0 && k < s->node_count; k++) {
		uint32_t i = order[k], first;

		heads[i] = FT_NONE;
		r = s->nodes[i].guid ? ft_map_add(&guids, s->nodes[i].guid, i, &first) : 1;
		if (r != 0)
			continue;
		if (heads[first] == FT_NONE) {
			r = shared_add(shared, s->port_count + first, &entry);
			if (r < 0)
				break;
			heads[first] = tails[first] = entry;
		}
		r = shared_add(shared, s->port_count + i, &entry);
		if (r < 0)
			break;
		shared->next[tails[first]] = entry;
		tails[first] = entry;
	}
	return r < 0 ? r : 0;
}

/* The GUIDs that were several nodes' when the fabric was recorded. 0 or -ENOMEM. */
static int guids_before(const struct ft_snapshot *s, struct ft_map *ret)
{
	_cleanup_(ft_map_release) struct ft_map seen = {0};
	int r = 0;

	for (uint32_t i = 0; s && r >= 0 && i < s->node_count; i++) {
		r = ft_map_add(&seen, s->nodes[i].guid, i, NULL);
		if (r == 0)
			r = ft_map_add(ret, s->nodes[i].guid, i, NULL);
	}
	return r < 0 ? r : 0;
}

static int guids_check(struct ft_model *m)
{
	_cleanup_(shared_release) struct shared shared = {0};
	_cleanup_(ft_map_release) struct ft_map before = {0};
	_cleanup_free_ uint32_t *heads = malloc((m->chips->node_count + 1UL) * sizeof(*heads));
	_cleanup_free_ uint32_t *tails = malloc((m->chips->node_count + 1UL) * sizeof(*tails));
	int r = heads && tails ? guids_share(m->chips, m->chip_order, &shared, heads, tails) : -ENOMEM;

	/* What was so when it was recorded is no change. */
	if (r == 0)
		r = guids_before(m->since, &before);
	for (uint32_t i = 0; r == 0 && i < m->chips->node_count; i++)
		if (heads[i] != FT_NONE && ft_map_get(&before, m->chips->nodes[i].guid) == FT_MAP_NONE)
			guid_report(m, m->chips->nodes[i].guid, &shared, heads[i]);
	return r;
}

static void lid_report(struct ft_model *m, uint32_t lid, const struct shared *shared, uint32_t entry)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_LID_DUPLICATE, FT_EVIDENCE_SEEN);
	_cleanup_(ft_text_release) struct ft_text words = {0};

	holders_add(m, f, shared, entry, &words);
	ft_say(m, &f->expected, "one port of LID %u", lid);
	ft_say(m, &f->observed, "%s", ft_text_string(&words));
	ft_say(m, &f->text, "LID %u is held by %s", lid, ft_text_string(&words));
	ft_say(m, &f->fix, "have the subnet manager reassign LIDs (opensm -r); look for a second one");
}

enum { LID_UNICAST_MAX = 0xbfff };

/* The holders of each LID. */
struct lids {
	struct shared shared;
	uint32_t owner[LID_UNICAST_MAX + 1]; /* the first holder, or FT_NONE */
	uint32_t head[LID_UNICAST_MAX + 1];  /* if several hold it: the entries */
	uint32_t tail[LID_UNICAST_MAX + 1];
};

static void lids_freep(struct lids **lids)
{
	if (*lids)
		shared_release(&(*lids)->shared);
	free(*lids);
}

static int lid_hold(struct lids *lids, uint32_t lid, uint32_t holder)
{
	uint32_t entry;

	if (lids->head[lid] == FT_NONE) {
		if (shared_add(&lids->shared, lids->owner[lid], &entry) < 0)
			return -ENOMEM;
		lids->head[lid] = lids->tail[lid] = entry;
	}
	if (shared_add(&lids->shared, holder, &entry) < 0)
		return -ENOMEM;
	lids->shared.next[lids->tail[lid]] = entry;
	lids->tail[lid] = entry;
	return 0;
}

/*
 * The port with the LIDs that @holder has: none of a switch, whose own are those of the node, or where nothing is up.
 * LIDs 0 and 65535, and all beyond 0xBFFF (multicast), mean "none" (IBTA Vol 1, 4.1.3).
 */
static int holder_take(const struct ft_snapshot *s, uint32_t holder, struct lids *lids)
{
	bool is_node = holder >= s->port_count;
	const struct ft_port *port = is_node ? NULL : &s->ports[holder];
	uint32_t lid = is_node ? s->nodes[holder - s->port_count].lid : port->lid;
	uint32_t lmc = is_node ? s->nodes[holder - s->port_count].lmc : port->lmc;

	if (port && (ft_port_node(s, port)->type == FT_NODE_SWITCH || port->link == FT_LINK_DOWN))
		return 0;
	for (uint32_t n = 0; lid > 0 && n < 1U << (lmc & 7) && lid + n <= LID_UNICAST_MAX; n++) {
		uint32_t *owner = &lids->owner[lid + n];

		if (*owner != FT_NONE && (n == 0 || *owner != lids->owner[lid]) && lid_hold(lids, lid + n, holder) < 0)
			return -ENOMEM;
		if (*owner == FT_NONE)
			*owner = holder;
	}
	return 0;
}

/* @order: of the nodes, independent of the sweep: their ports, then the switches' own LIDs. */
static int lids_find(const struct ft_snapshot *s, const uint32_t *order, struct lids **ret_lids)
{
	_cleanup_(lids_freep) struct lids *lids = calloc(1, sizeof(*lids));
	int r = 0;

	if (!lids || !order)
		return -ENOMEM;
	for (uint32_t lid = 0; lid <= LID_UNICAST_MAX; lid++)
		lids->owner[lid] = lids->head[lid] = FT_NONE;
	for (uint32_t k = 0; k < s->node_count; k++)
		for (uint32_t n = 0; r == 0 && n < s->nodes[order[k]].port_count; n++)
			r = holder_take(s, s->nodes[order[k]].first_port + n, lids);
	for (uint32_t k = 0; r == 0 && k < s->node_count; k++)
		r = holder_take(s, s->port_count + order[k], lids);
	if (r == 0)
		*ret_lids = FT_STEAL(lids);
	return r;
}

static int lids_check(struct ft_model *m)
{
	_cleanup_(lids_freep) struct lids *lids = NULL, *before = NULL;
	int r = lids_find(m->chips, m->chip_order, &lids);

	/* What was so when it was recorded is no change. */
	if (r == 0 && m->since)
		r = lids_find(m->since, ft_nodes_in_order(&m->memory, m->since), &before);
	for (uint32_t lid = 0; r == 0 && lid <= LID_UNICAST_MAX; lid++)
		if (lids->head[lid] != FT_NONE && (!before || before->head[lid] == FT_NONE))
			lid_report(m, lid, &lids->shared, lids->head[lid]);
	return r;
}

int ft_identities_check(struct ft_model *m)
{
	int r = guids_check(m);

	return r == 0 ? lids_check(m) : r;
}
