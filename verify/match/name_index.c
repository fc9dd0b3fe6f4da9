/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Which known names the observed switches carry: hashes of the exact and of the short names. See match.h. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "verify/match/match.h"

/* The claims of a number that a switch has for certain: its short name decides nothing for others. */
enum { CLAIMED = 2 };

void ft_name_index_release(struct ft_name_index *n)
{
	ft_map_release(&n->exact);
	ft_map_release(&n->brief);
	ft_arena_release(&n->memory);
}

int ft_name_index_init(struct ft_name_index *n, uint32_t count)
{
	*n = (struct ft_name_index){0};
	n->name = ft_arena_zeros(&n->memory, count, sizeof(char *));
	n->claims = ft_arena_zeros(&n->memory, count, sizeof(*n->claims));
	return n->memory.failed ? -ENOMEM : 0;
}

int ft_name_index_add(struct ft_name_index *n, const char *name, uint32_t number)
{
	uint32_t first;
	int r = ft_map_add(&n->exact, ft_text_hash(name), number, NULL);

	n->name[number] = name;
	if (r >= 0)
		r = ft_map_add(&n->brief, ft_text_short_hash(name), number, &first);
	if (r == 0)
		n->claims[number] = n->claims[first] = CLAIMED;
	return r < 0 ? r : 0;
}

/* The number whose short name is that of @name in any case, or FT_NONE. */
static uint32_t brief_find(const struct ft_name_index *n, const char *name)
{
	uint32_t number = ft_map_get(&n->brief, ft_text_short_hash(name));

	return number != FT_NONE && ft_text_short_equal(n->name[number], name) ? number : FT_NONE;
}

void ft_name_index_tell(const struct ft_model *m, struct ft_name_index *n, uint32_t *found)
{
	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		const char *name = m->observed.switches[i].name;
		uint32_t number = ft_map_get(&n->exact, ft_text_hash(name));

		if (m->observed.switches[i].tolerated)
			continue;
		if (found[i] == FT_NONE && number != FT_NONE && strcmp(n->name[number], name) == 0)
			found[i] = number;
		if (found[i] != FT_NONE)
			n->claims[found[i]] = CLAIMED;
	}
	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < m->observed.switch_count; i++) {
			const struct ft_observed_switch *sw = &m->observed.switches[i];
			uint32_t number = found[i] == FT_NONE && !sw->tolerated ? brief_find(n, sw->name) : FT_NONE;

			if (number == FT_NONE)
				continue;
			if (pass == 0)
				n->claims[number]++;
			else if (n->claims[number] == 1)
				found[i] = number;
		}
}
