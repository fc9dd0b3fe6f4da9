/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Nodes of the known fabric, to be searched:
 *
 *     /nodes?name=TEXT   {"more": bool, "nodes": [NODE, ...]}: up to HITS_MAX whose names contain TEXT, in any case of
 *                        letters; first those that are TEXT, then those that begin with it
 *     /nodes?guid=0xN    {"more": false, "nodes": [NODE]}, with its panel; an empty list if there is none
 *
 * NODE is {"name", "guid", "type": "switch", "host" or "router", "ports", "boards": as daemon/panel.h writes them}. A
 * planned switch that was not seen has a guid of null and no ports.
 *
 * A search goes through all nodes once.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "daemon/daemon.h"
#include "daemon/panel.h"

enum {
	HITS_MAX = 20,
	NAME_MAX_LENGTH = 200, /* of what is searched; longer names are no node's */
};

enum likeness { LIKE_SAME, LIKE_BEGIN, LIKE_PART, LIKE_COUNT };

struct hit {
	const struct ft_node *node; /* NULL: a switch that was not seen: */
	const char *name;	    /* not owned */
};

struct hits {
	struct hit items[HITS_MAX];
	size_t count;
	bool more;
};

struct search {
	const struct ft_daemon *d;
	const char *name;
	struct hits hits[LIKE_COUNT];
};

static void search_note(struct search *s, const char *name, struct hit hit)
{
	size_t length = strlen(s->name);
	struct hits *hits;

	if (!strcasestr(name, s->name))
		return;
	hits = &s->hits[strncasecmp(name, s->name, length) != 0 ? LIKE_PART : name[length] ? LIKE_BEGIN : LIKE_SAME];
	if (hits->count == HITS_MAX)
		hits->more = true;
	else
		hits->items[hits->count++] = hit;
}

static int search_run(struct search *s)
{
	const struct ft_snapshot *snapshot = s->d->snapshot;
	const struct ft_report *report = s->d->report;

	for (uint32_t i = 0; snapshot && i < snapshot->node_count; i++) {
		const struct ft_node *node = &snapshot->nodes[i];
		_cleanup_free_ char *name = ft_names_safe_dup(s->d->config->names, snapshot, node);

		if (!name)
			return -ENOMEM;
		search_note(s, name, (struct hit){.node = node});
	}
	for (size_t i = 0; report && i < report->switch_count; i++)
		if (report->switches[i].guid == 0)
			search_note(s, report->switches[i].name, (struct hit){.name = report->switches[i].name});
	return 0;
}

static int node_write(const struct ft_daemon *d, struct ft_text *t, const struct ft_node *node, bool panel)
{
	static const char *const types[] = {
		[FT_NODE_CA] = "host", [FT_NODE_SWITCH] = "switch", [FT_NODE_ROUTER] = "router"};
	_cleanup_free_ char *name = ft_names_safe_dup(d->config->names, d->snapshot, node);
	int r = 0;

	ft_text_puts(t, "{");
	ft_text_add_member(t, "name", name ? name : "?");
	ft_text_printf(t, ", \"guid\": \"0x%016" PRIx64 "\", \"type\": \"%s\", \"ports\": %u", node->guid,
		       types[node->type], node->port_count);
	if (panel) {
		ft_text_puts(t, ", \"boards\": ");
		r = ft_panel_write(t, d->snapshot, d->config->names, d->report, node);
	}
	ft_text_puts(t, "}");
	return r;
}

static void unseen_write(struct ft_text *t, const char *name)
{
	ft_text_puts(t, "{");
	ft_text_add_member(t, "name", name);
	ft_text_puts(t, ", \"guid\": null, \"type\": \"switch\", \"ports\": 0}");
}

static int by_name(const struct ft_daemon *d, const char *name, struct ft_text *t)
{
	struct search s = {.d = d, .name = name};
	size_t written = 0;
	bool more = false;
	int r = search_run(&s);

	if (r < 0)
		return r;
	ft_text_puts(t, "{\"nodes\": [");
	for (int i = 0; i < LIKE_COUNT; i++) {
		more |= s.hits[i].more || written + s.hits[i].count > HITS_MAX;
		for (size_t n = 0; n < s.hits[i].count && written < HITS_MAX; n++) {
			const struct hit *hit = &s.hits[i].items[n];

			ft_text_puts(t, written++ ? ",\n  " : "\n  ");
			if (hit->node)
				(void)node_write(d, t, hit->node, false);
			else
				unseen_write(t, hit->name);
		}
	}
	ft_text_printf(t, "], \"more\": %s}\n", more ? "true" : "false");
	return 0;
}

static int by_guid(const struct ft_daemon *d, const char *string, struct ft_text *t)
{
	/* Anything but a GUID is 0, which is none. */
	bool digits = string[0] != '\0' && strspn(string, "0123456789abcdefABCDEFxX") == strlen(string);
	uint64_t guid = digits ? strtoull(string, NULL, 16) : 0;
	const struct ft_snapshot *s = d->snapshot;
	int r = 0;

	ft_text_puts(t, "{\"nodes\": [");
	for (uint32_t i = 0; guid && s && i < s->node_count; i++) {
		if (s->nodes[i].guid != guid)
			continue;
		r = node_write(d, t, &s->nodes[i], true);
		break;
	}
	ft_text_puts(t, "], \"more\": false}\n");
	return r;
}

int ft_nodes_page(void *userdata, const char *name, const char *guid, struct ft_text *t)
{
	if (guid)
		return by_guid(userdata, guid, t);
	if (name && name[0] && strlen(name) <= NAME_MAX_LENGTH)
		return by_name(userdata, name, t);
	ft_text_puts(t, "{\"nodes\": [], \"more\": false}\n");
	return 0;
}
