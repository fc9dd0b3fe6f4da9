/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A single change of a table that makes two differences: see ft_differences_fold(). */
#include <errno.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "planner/ethernet/walk_parts.h"

/* What one of a pair may have in common with the other: all fields but one. */
enum { BUT_VLAN, BUT_SWITCH, BUT_MAC, COMMONS };

struct folding {
	struct ft_differences *d;
	const struct ft_tables *said;
	struct ft_map missing[COMMONS], extra[COMMONS]; /* by what is common: the only one, or d->count */
};

static void folding_release(struct folding *f)
{
	for (unsigned int i = 0; i < COMMONS; i++) {
		ft_map_release(&f->missing[i]);
		ft_map_release(&f->extra[i]);
	}
}

static uint64_t common_hash(unsigned int but, uint32_t sw, uint32_t vlan, uint64_t mac, uint32_t port)
{
	uint64_t place = but == BUT_SWITCH ? vlan : but == BUT_VLAN ? sw : (uint64_t)sw << 12 | vlan;

	return ft_hash_pair(ft_hash_pair(place, but == BUT_MAC ? 0 : mac), (uint64_t)port << 2 | but);
}

/* Adds @index, or says that there are several. 0 or -ENOMEM. */
static int only_add(const struct folding *f, struct ft_map *map, uint64_t key, uint32_t index)
{
	uint32_t there = 0;
	int r = ft_map_add(map, key, index, &there);

	/* Keys of a map cannot be changed, so a second key says it. */
	if (r == 0 && there != index)
		r = ft_map_add(map, ~key, (uint32_t)f->d->count, NULL);
	return r < 0 ? r : 0;
}

static uint32_t only_get(const struct ft_map *map, uint64_t key)
{
	return ft_map_get(map, ~key) == FT_NONE ? ft_map_get(map, key) : FT_NONE;
}

/* ---- entries ---- */

/*
 * The entry of a finding that is too much, if it is one: of two for the same address the one without which the other is
 * as planned. If either could be, it is the one that stands where @near is missing, by the lines of the file.
 */
static const struct ft_static *extra_entry(const struct folding *f, const struct ft_walk_finding *extra,
					   const struct ft_walk_finding *near)
{
	const struct ft_tables *t = f->said;
	size_t at = ft_tables_find(t, extra->sw, extra->vlan, extra->mac), before;
	const struct ft_static *one = &t->entries[at], *two = one + 1;
	uint32_t line;

	if (extra->kind == FT_WALK_ENTRY_EXTRA)
		return one;
	if (one->port != extra->planned || two->port != extra->planned)
		return one->port == extra->planned ? two : two->port == extra->planned ? one : NULL;
	if (!near)
		return two;
	before = ft_tables_find(t, near->sw, near->vlan, near->mac);
	line = before > 0 ? t->entries[before - 1].line : 1;
	return (one->line > line ? one->line - line : line - one->line) <
			       (two->line > line ? two->line - line : line - two->line)
		       ? one
		       : two;
}

/* Whether a finding is of an entry that is too much: not of three or more for an address. */
static bool is_extra(const struct folding *f, const struct ft_walk_finding *finding)
{
	size_t at = ft_tables_find(f->said, finding->sw, finding->vlan, finding->mac), count = 0;

	if (finding->kind != FT_WALK_ENTRY_EXTRA && finding->kind != FT_WALK_ENTRY_TWICE)
		return false;
	while (at + count < f->said->entry_count &&
	       ft_static_is(&f->said->entries[at + count], finding->sw, finding->vlan, finding->mac))
		count++;
	return count == (finding->kind == FT_WALK_ENTRY_EXTRA ? 1 : 2) && extra_entry(f, finding, NULL);
}

static int entries_index(struct folding *f)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < f->d->count; i++) {
		const struct ft_walk_finding *finding = &f->d->list[i];
		bool extra = is_extra(f, finding);
		uint32_t port = extra ? extra_entry(f, finding, NULL)->port : finding->planned;
		struct ft_map *maps = extra ? f->extra : f->missing;

		if (!extra && finding->kind != FT_WALK_ENTRY_MISSING)
			continue;
		for (unsigned int but = 0; r == 0 && but < COMMONS; but++)
			r = only_add(f, &maps[but], common_hash(but, finding->sw, finding->vlan, finding->mac, port),
				     i);
	}
	return r;
}

static void harm_move(struct ft_walk_harm *to, const struct ft_walk_harm *from)
{
	to->lost += from->lost;
	to->flooded += from->flooded;
	to->missed += from->missed;
	to->doubled += from->doubled;
	to->tagged += from->tagged;
	to->strayed += from->strayed;
	to->loops += from->loops;
	if (to->from == FT_NONE) {
		to->from = from->from;
		to->to = from->to;
	}
}

static void entry_fold(struct folding *f, struct ft_walk_finding *missing, struct ft_walk_finding *extra)
{
	const struct ft_static *entry = extra_entry(f, extra, missing);

	missing->kind = FT_WALK_ENTRY_MOVED;
	missing->port = missing->said = missing->planned;
	missing->said_sw = entry->sw;
	missing->said_vlan = entry->vlan;
	missing->said_mac = entry->mac;
	missing->line = entry->line;
	missing->file = f->said->paths[entry->file];
	harm_move(&missing->harm, &extra->harm);
	extra->kind = FT_WALK_KINDS;
}

static void entries_fold(struct folding *f)
{
	for (uint32_t i = 0; i < f->d->count; i++) {
		struct ft_walk_finding *m = &f->d->list[i];

		for (unsigned int but = 0; m->kind == FT_WALK_ENTRY_MISSING && but < COMMONS; but++) {
			uint64_t key = common_hash(but, m->sw, m->vlan, m->mac, m->planned);
			uint32_t extra = only_get(&f->extra[but], key);

			if (extra != FT_NONE && only_get(&f->missing[but], key) == i &&
			    f->d->list[extra].kind != FT_WALK_KINDS)
				entry_fold(f, m, &f->d->list[extra]);
		}
	}
}

/* ---- ports ---- */

/* Differences of one port follow each other. */
static bool same_port(const struct ft_walk_finding *x, const struct ft_walk_finding *y)
{
	return !y->of_entries && y->kind != FT_WALK_UNEXPLAINED && x->sw == y->sw && x->port == y->port;
}

static void members_fold(struct ft_differences *d)
{
	for (size_t i = 0, end; i < d->count; i = end) {
		struct ft_walk_finding *missing = NULL, *extra = NULL;
		unsigned int lacks = 0, extras = 0;

		for (end = i; end < d->count && same_port(&d->list[i], &d->list[end]); end++) {
			struct ft_walk_finding *f = &d->list[end];

			missing = f->kind == FT_WALK_MEMBER_MISSING ? f : missing;
			extra = f->kind == FT_WALK_MEMBER_EXTRA ? f : extra;
			lacks += f->kind == FT_WALK_MEMBER_MISSING;
			extras += f->kind == FT_WALK_MEMBER_EXTRA;
		}
		end += end == i;
		if (lacks != 1 || extras != 1 || missing->planned != extra->said)
			continue;
		missing->kind = FT_WALK_MEMBER_MOVED;
		missing->said_vlan = extra->vlan;
		missing->said = extra->said;
		harm_move(&missing->harm, &extra->harm);
		extra->kind = FT_WALK_KINDS;
	}
}

int ft_differences_fold(struct ft_differences *d, const struct ft_tables *said)
{
	_cleanup_(folding_release) struct folding f = {.d = d, .said = said};
	int r = entries_index(&f);

	if (r < 0)
		return r;
	entries_fold(&f);
	members_fold(d);
	return 0;
}
