/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Identities: GUIDs and LIDs that several nodes or ports have, found by sorting all of them. Each identity is one
 * finding, whatever the number of its holders. O(n log n) in ports and LIDs.
 */
#include "config.h"

#include <stdlib.h>

#include "base/text.h"
#include "probe/facts.h"
#include "probe/identities.h"
#include "verify/check/check.h"

enum { SHOWN = 16 }; /* nodes or ports with one identity: the finding names no more of them */

/* The holders from @at on become places of the finding; their names, as in "a, b and 3 more", go to @words. */
static void holders_add(struct ft_model *m, struct ft_finding *f, const struct ft_holdings *h,
			const struct ft_holding *at, struct ft_text *words)
{
	uint32_t all = 0, i = 0;

	for (const struct ft_holding *next = at; next; next = ft_holding_next(h, next))
		all++;
	f->count = all - 1;
	for (; at && i < SHOWN; at = ft_holding_next(h, at), i++) {
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

static void guid_report(struct ft_model *m, const struct ft_holdings *h, const struct ft_holding *at)
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

static void lid_report(struct ft_model *m, const struct ft_holdings *h, const struct ft_holding *at)
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

/* Reports each identity with several holders. What was so when it was recorded is no change. */
static void identities_check(struct ft_model *m, ft_holdings_fn *held,
			     void (*report)(struct ft_model *, const struct ft_holdings *, const struct ft_holding *))
{
	_cleanup_(ft_arena_release) struct ft_arena memory = {0};
	struct ft_holdings now = held(m->chips, m->chip_order, &memory), before = {0};

	if (m->since)
		before = held(m->since, ft_nodes_in_order(&memory, m->since), &memory);
	m->memory.failed |= memory.failed;
	for (size_t i = 0; !memory.failed && i < now.count; i++) {
		const struct ft_holding *at = &now.list[i], *then;

		if ((i > 0 && at[-1].identity == at->identity) || !ft_holding_next(&now, at))
			continue;
		then = ft_holding_first(&before, at->identity);
		if (!then || !ft_holding_next(&before, then))
			report(m, &now, at);
	}
}

int ft_identities_check(struct ft_model *m)
{
	identities_check(m, ft_guids_held, guid_report);
	identities_check(m, ft_lids_held, lid_report);
	return 0;
}
