/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Two recordings side by side, and changes under construction. Private to verify/since/. */
#ifndef FT_VERIFY_SINCE_CHANGES_PARTS_H
#define FT_VERIFY_SINCE_CHANGES_PARTS_H

#include "verify/model/changes.h"

struct ft_comparison {
	struct ft_snapshot *before;
	const struct ft_snapshot *now;
	uint32_t *later;		      /* by node of @before: the same device now, or FT_NONE */
	uint32_t *earlier;		      /* by node of @now: likewise */
	bool *twin_before, *twin_now;	      /* by node: its GUID is another's, too, or 0 */
	bool *namesake_before, *namesake_now; /* by node: its name is another's, too */
	struct ft_device_changes *changes;
	struct ft_arena *memory; /* that of the changes: of all lists and strings; it tells whether anything failed */
};

static inline bool is_switch(const struct ft_snapshot *s, uint32_t node)
{
	return s->nodes[node].type == FT_NODE_SWITCH;
}

/* A new change at the end; NULL without memory. */
struct ft_finding *ft_change_add(struct ft_comparison *c, enum ft_code code, const char *fix);

/* The name of a device, with its GUID where others have that name, or its GUID alone; NULL without memory. */
char *ft_change_name(struct ft_comparison *c, const struct ft_snapshot *s, uint32_t node);

/* Adds @text, of that memory, to the list of @change; its place is a port (0: none) of node @node of now. */
void ft_change_item(struct ft_comparison *c, struct ft_finding *change, uint32_t node, uint32_t port, char *text);

/* Makes the text of @change: "3 hosts WORDS: the first, the second, and 1 more" of its list. */
void ft_change_list(struct ft_comparison *c, struct ft_finding *change, const char *one, const char *many);

/* Pairs the devices of both by GUID: later and earlier. To be repeated after an amendment. */
void ft_change_pair(struct ft_comparison *c);

/*
 * What a device is, apart from its place: node @from of now becomes node @to of before. @base: where the strings of now
 * begin in those of before.
 */
void ft_change_put(struct ft_comparison *c, uint32_t to, uint32_t from, uint32_t base);

/* changes_hosts.c: other hosts, or adapters, in the ports of those that are gone. */
void ft_change_hosts(struct ft_comparison *c, uint32_t base);

/* changes_directors.c: directors that are gone as a whole, each one change. They are taken out of the recording. */
void ft_change_directors(struct ft_comparison *c);

#endif
