/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Directors that are gone: the switch chips of one SystemImageGUID, of which none is seen any more. Each is one change,
 * with its boards, its cables and its hosts, and is taken out of the recording. After a sweep that did not see
 * everything nothing is called gone. Cost: O(n log n) in the switches.
 */
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/since/changes_parts.h"

static int system_compare(const void *a, const void *b, void *arg)
{
	const struct ft_snapshot *s = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	uint64_t x = s->nodes[i].system_guid, y = s->nodes[j].system_guid;

	return FT_ORDER(x, y) ?: FT_ORDER(i, j);
}

/* What the names of its chips begin with, up to a letter or digit; or its GUID. */
static char *director_name(struct ft_comparison *c, const uint32_t *chips, size_t count)
{
	const struct ft_snapshot *s = c->before;
	const char *first = ft_node_description(s, &s->nodes[chips[0]]);
	size_t length = strlen(first);

	for (size_t i = 1; i < count; i++) {
		const char *other = ft_node_description(s, &s->nodes[chips[i]]);
		size_t same = 0;

		while (same < length && first[same] == other[same])
			same++;
		length = same;
	}
	while (length > 0 && !isalnum((unsigned char)first[length - 1]))
		length--;
	if (length < 2)
		return ft_arena_print(c->memory, "the director 0x%016llx",
				      (unsigned long long)s->nodes[chips[0]].system_guid);
	return ft_arena_safe(c->memory, first, length);
}

static void unlink_ends(struct ft_snapshot *s, struct ft_port *port)
{
	struct ft_port *far = &s->ports[port->peer];

	far->peer = port->peer = FT_NONE;
	far->link = port->link = FT_LINK_DOWN;
	far->rate = port->rate = (struct ft_rate){0};
}

/* A cable of it to what is still there: the far end is listed. */
static void cable_lost(struct ft_comparison *c, struct ft_finding *change, const struct ft_port *far)
{
	const char *name = ft_change_name(c, c->before, far->node);

	ft_change_item(c, change, c->later[far->node], far->number,
		       ft_arena_print(c->memory, "%s port %u led to it", name ? name : "", far->number));
}

struct director {
	uint32_t cables, hosts;
};

static void chip_take(struct ft_comparison *c, struct ft_finding *change, uint32_t chip, struct director *d)
{
	struct ft_snapshot *s = c->before;
	struct ft_node *node = &s->nodes[chip];

	for (unsigned int n = 1; n <= node->port_count; n++) {
		struct ft_port *port = &s->ports[node->first_port + n - 1];
		const struct ft_port *far = ft_port_peer(s, port);

		if (!far)
			continue;
		if (ft_port_node(s, far)->type == FT_NODE_CA)
			d->hosts++;
		else if (ft_port_node(s, far)->system_guid != node->system_guid)
			d->cables++;
		if (is_switch(s, far->node) && c->later[far->node] != FT_NONE)
			cable_lost(c, change, far);
		unlink_ends(s, port);
	}
	node->type = FT_NODE_UNKNOWN;
}

static void director_take(struct ft_comparison *c, const uint32_t *chips, size_t count)
{
	char *name = director_name(c, chips, count);
	struct ft_finding *change = ft_change_add(c, FT_CODE_CORE_MISSING,
						  "look at its power first; nothing, if it was taken out on purpose");
	struct director d = {0};

	if (!change || !name)
		return;
	for (size_t i = 0; i < count; i++)
		chip_take(c, change, chips[i], &d);
	if (d.hosts > 0)
		change->code = FT_CODE_EDGE_ISOLATED;
	change->count = 1;
	change->expected = name;
	change->observed = ft_arena_print(c->memory, "none of its %zu switch chips", count);
	change->text = ft_arena_print(
		c->memory,
		"%s is gone as a whole, all %zu switch chips of it: it had %u cable%s to other switches and %u host%s",
		name, count, d.cables, ft_text_s(d.cables), d.hosts, ft_text_s(d.hosts));
	c->changes->amended = true;
}

void ft_change_directors(struct ft_comparison *c)
{
	const struct ft_snapshot *s = c->before;
	uint32_t *chips = ft_arena_zeros(c->memory, s->node_count, sizeof(*chips)), count = 0, end;

	if (!chips || !c->now->source.complete)
		return;
	for (uint32_t i = 0; i < s->node_count; i++)
		if (is_switch(s, i) && s->nodes[i].system_guid)
			chips[count++] = i;
	qsort_r(chips, count, sizeof(*chips), system_compare, (void *)(uintptr_t)s);
	for (uint32_t begin = 0; begin < count; begin = end) {
		bool gone = true;

		for (end = begin; end < count && s->nodes[chips[end]].system_guid == s->nodes[chips[begin]].system_guid;
		     end++)
			gone = gone && c->later[chips[end]] == FT_NONE && !c->twin_before[chips[end]];
		if (gone && end - begin > 1)
			director_take(c, chips + begin, end - begin);
	}
}
