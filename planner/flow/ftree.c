/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "planner/flow/ftree.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"

enum { RANKS_MIN = 2, RANKS_MAX = 8, INDEX_LENGTH = 8, INDEX_END = 0xff };

/* The index of a switch in the tree: its rank, then a number for each rank. Bytes of INDEX_END: none yet. */
struct place {
	uint8_t index[INDEX_LENGTH];
};

struct judge {
	const struct ft_ftree *f;
	struct ft_arena memory;
	uint32_t *rank; /* FT_NONE: not reached */
	uint32_t *queue;
	uint32_t leaf_rank;
	struct place *places; /* if they matter: see widths_vary() */
	struct ft_map taken;  /* assigned indices */
	/* By switch: its groups to a higher rank (nearer to the roots), and to a lower one; in one array as in @f. */
	struct ft_ftree_group *up, *down;
	uint32_t *up_count, *down_count;
};

static void judge_release(struct judge *j)
{
	ft_arena_release(&j->memory);
	ft_map_release(&j->taken);
}

/* ---- the fabric ---- */

void ft_ftree_release(struct ft_ftree *fabric)
{
	ft_arena_release(&fabric->memory);
}

int ft_ftree_init(struct ft_ftree *fabric, uint32_t count, size_t ends)
{
	struct ft_arena *memory = &fabric->memory;

	fabric->count = count;
	fabric->guids = ft_arena_zeros(memory, count + 1UL, sizeof(*fabric->guids));
	fabric->hosts = ft_arena_zeros(memory, count + 1UL, sizeof(*fabric->hosts));
	fabric->first = ft_arena_zeros(memory, count + 2UL, sizeof(*fabric->first));
	fabric->groups = ft_arena_zeros(memory, ends + 1, sizeof(*fabric->groups));
	fabric->at = ft_arena_numbers(memory, count + 1UL, FT_NONE);
	return memory->failed ? -ENOMEM : 0;
}

void ft_ftree_switch(struct ft_ftree *fabric, uint32_t node)
{
	fabric->first[node] = fabric->group_count;
	fabric->first[node + 1] = fabric->group_count;
}

void ft_ftree_cables(struct ft_ftree *fabric, uint32_t node, uint32_t far, uint32_t cables)
{
	if (cables == 0 || far == node)
		return;
	if (fabric->at[far] == FT_NONE || fabric->at[far] < fabric->first[node]) {
		fabric->at[far] = fabric->group_count;
		fabric->groups[fabric->group_count++] = (struct ft_ftree_group){far, 0};
		fabric->first[node + 1] = fabric->group_count;
	}
	fabric->groups[fabric->at[far]].count += cables;
}

/* ---- the order of OpenSM's tables: by GUID in network byte order, read as a number of this machine ---- */

/* Whether switch @a comes before @b in that order. FT_NONE comes last. */
static bool is_before(const struct judge *j, uint32_t a, uint32_t b)
{
	uint64_t x, y;

	if (a == FT_NONE || b == FT_NONE)
		return a != FT_NONE;
	x = __builtin_bswap64(j->f->guids[a]);
	y = __builtin_bswap64(j->f->guids[b]);
	return x != y ? x < y : a < b;
}

/* ---- ranks ---- */

/* Distances from the @tail switches in the queue; the others' are FT_NONE before. Returns the greatest. */
static uint32_t distances(struct judge *j, uint32_t tail)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < j->f->count; i++)
		j->rank[i] = FT_NONE;
	for (uint32_t i = 0; i < tail; i++)
		j->rank[j->queue[i]] = 0;
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t here = j->queue[head];

		for (uint32_t n = j->f->first[here]; n < j->f->first[here + 1]; n++) {
			uint32_t far = j->f->groups[n].far;

			if (j->rank[far] != FT_NONE)
				continue;
			j->rank[far] = most = j->rank[here] + 1;
			j->queue[tail++] = far;
		}
	}
	return most;
}

/* From the hosts up, and from the farthest switches down again. */
static void ranks_make(struct judge *j)
{
	uint32_t tail = 0, farthest;

	for (uint32_t i = 0; i < j->f->count; i++)
		if (j->f->hosts[i] > 0)
			j->queue[tail++] = i;
	farthest = distances(j, tail);
	tail = 0;
	for (uint32_t i = 0; i < j->f->count; i++)
		if (j->rank[i] == farthest)
			j->queue[tail++] = i;
	j->leaf_rank = distances(j, tail);
}

static void groups_sort_out(struct judge *j)
{
	for (uint32_t i = 0; i < j->f->count; i++)
		for (uint32_t n = j->f->first[i]; n < j->f->first[i + 1]; n++) {
			struct ft_ftree_group group = j->f->groups[n];

			if (j->rank[group.far] < j->rank[i])
				j->up[j->f->first[i] + j->up_count[i]++] = group;
			else if (j->rank[group.far] > j->rank[i])
				j->down[j->f->first[i] + j->down_count[i]++] = group;
		}
}

/* ---- indices in the tree: they decide which group comes first ---- */

static bool is_leaf(const struct judge *j, uint32_t node)
{
	return j->f->hosts[node] > 0;
}

static uint64_t place_key(const struct place *place)
{
	uint64_t key = 0;

	for (unsigned int i = 0; i < INDEX_LENGTH; i++)
		key = key << 8 | place->index[i];
	return key;
}

static void place_take(struct judge *j, uint32_t node, struct place place)
{
	ft_map_put(&j->taken, place_key(&place), node, &j->memory.failed);
	j->places[node] = place;
}

/* The next free index beside @from, one rank up or down, for @node. */
static void place_give(struct judge *j, uint32_t node, uint32_t from, bool down)
{
	struct place place = j->places[from];
	unsigned int varies = down ? place.index[0] + 1U : place.index[0];
	bool free = false;

	if (place.index[0] == INDEX_END || varies >= INDEX_LENGTH)
		return;
	place.index[0] = (uint8_t)(down ? place.index[0] + 1 : place.index[0] - 1);
	for (unsigned int i = 0; i < INDEX_END && !free; i++) {
		place.index[varies] = (uint8_t)i;
		free = ft_map_get(&j->taken, place_key(&place)) == FT_NONE;
	}
	if (free)
		place_take(j, node, place);
}

/* Breadth-first search from the first leaf; neighbours in the order of ports: down, then up. */
static void places_make(struct judge *j)
{
	struct place first = {{0}};
	uint32_t tail = 0, start = FT_NONE;

	for (uint32_t i = 0; i < j->f->count; i++) {
		memset(j->places[i].index, INDEX_END, INDEX_LENGTH);
		if (is_leaf(j, i) && is_before(j, i, start))
			start = i;
	}
	memset(first.index + j->leaf_rank + 1, INDEX_END, INDEX_LENGTH - 1 - j->leaf_rank);
	first.index[0] = (uint8_t)j->leaf_rank;
	place_take(j, start, first);
	j->queue[tail++] = start;
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t here = j->queue[head];

		for (uint32_t n = 0; n < j->down_count[here] + j->up_count[here]; n++) {
			bool down = n < j->down_count[here];
			uint32_t at = j->f->first[here] + (down ? n : n - j->down_count[here]);
			uint32_t far = down ? j->down[at].far : j->up[at].far;

			if (j->rank[far] == FT_NONE || j->places[far].index[0] != INDEX_END || tail == j->f->count)
				continue;
			place_give(j, far, here, down);
			j->queue[tail++] = far;
		}
	}
}

static bool width_varies(const struct ft_ftree_group *groups, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (groups[i].count != groups[0].count)
			return true;
	return false;
}

/* Whether the order of a switch's groups matters anywhere. */
static bool widths_vary(const struct judge *j)
{
	for (uint32_t i = 0; i < j->f->count; i++)
		if (width_varies(j->up + j->f->first[i], j->up_count[i]) ||
		    width_varies(j->down + j->f->first[i], j->down_count[i]))
			return true;
	return false;
}

/* Cables of the group that leads to the lowest index; there is at least one group. */
static uint32_t width_first(const struct judge *j, const struct ft_ftree_group *groups, uint32_t count)
{
	const struct ft_ftree_group *best = groups;

	if (!width_varies(groups, count))
		return groups->count;
	for (uint32_t i = 1; i < count; i++)
		if (memcmp(&j->places[groups[i].far], &j->places[best->far], sizeof(struct place)) < 0)
			best = &groups[i];
	return best->count;
}

/* ---- the rules ---- */

static struct ft_ftree_verdict ranks_judge(const struct judge *j)
{
	uint32_t leaves = 0, wrong = FT_NONE;

	if (j->leaf_rank + 1 < RANKS_MIN)
		return (struct ft_ftree_verdict){.why = FT_FTREE_FLAT};
	if (j->leaf_rank + 1 > RANKS_MAX)
		return (struct ft_ftree_verdict){.why = FT_FTREE_DEEP};
	for (uint32_t i = 0; i < j->f->count; i++) {
		if (is_leaf(j, i) && j->rank[i] != j->leaf_rank && is_before(j, i, wrong))
			wrong = i;
		leaves += is_leaf(j, i);
	}
	if (wrong != FT_NONE)
		return (struct ft_ftree_verdict){.why = FT_FTREE_HOST_RANK, .a = wrong};
	return (struct ft_ftree_verdict){.why = leaves < 2 ? FT_FTREE_ONE_LEAF : FT_FTREE_TAKEN};
}

/* Compares @b with @a, the first of its rank. */
static enum ft_ftree_why pair_judge(const struct judge *j, uint32_t a, uint32_t b)
{
	const struct ft_ftree_group *up_a = j->up + j->f->first[a], *up_b = j->up + j->f->first[b];
	const struct ft_ftree_group *down_a = j->down + j->f->first[a], *down_b = j->down + j->f->first[b];
	uint32_t width = j->up_count[a] > 0 ? width_first(j, up_a, j->up_count[a]) : 0;
	bool leaf = j->rank[b] == j->leaf_rank;

	if (j->up_count[a] != j->up_count[b])
		return FT_FTREE_UP_NEIGHBOURS;
	if (!leaf && j->down_count[a] != j->down_count[b])
		return FT_FTREE_DOWN_NEIGHBOURS;
	for (uint32_t i = 0; i < j->up_count[b]; i++)
		if (up_b[i].count != width)
			return FT_FTREE_UP_CABLES;
	/* OpenSM's own bug: of the groups below, the first one is checked repeatedly. */
	if (!leaf && j->down_count[b] > 0 &&
	    width_first(j, down_a, j->down_count[a]) != width_first(j, down_b, j->down_count[b]))
		return FT_FTREE_DOWN_CABLES;
	return FT_FTREE_TAKEN;
}

/* The first of each rank. */
static void references_find(const struct judge *j, uint32_t reference[RANKS_MAX])
{
	for (unsigned int i = 0; i < RANKS_MAX; i++)
		reference[i] = FT_NONE;
	for (uint32_t i = 0; i < j->f->count; i++)
		if (j->rank[i] != FT_NONE && is_before(j, i, reference[j->rank[i]]))
			reference[j->rank[i]] = i;
}

static struct ft_ftree_verdict groups_judge(const struct judge *j)
{
	struct ft_ftree_verdict verdict = {.why = FT_FTREE_TAKEN, .b = FT_NONE};
	uint32_t reference[RANKS_MAX];

	references_find(j, reference);
	for (uint32_t i = 0; i < j->f->count; i++) {
		uint32_t first = j->rank[i] == FT_NONE ? i : reference[j->rank[i]];
		enum ft_ftree_why why = first == i ? FT_FTREE_TAKEN : pair_judge(j, first, i);

		/* OpenSM reports the first one that does not fit. */
		if (why != FT_FTREE_TAKEN && is_before(j, i, verdict.b))
			verdict = (struct ft_ftree_verdict){why, first, i};
	}
	return verdict;
}

static int judge_init(struct judge *j, const struct ft_ftree *fabric)
{
	size_t count = fabric->count + 1UL, groups = fabric->first[fabric->count] + 1UL;

	*j = (struct judge){.f = fabric};
	j->rank = ft_arena_zeros(&j->memory, count, sizeof(*j->rank));
	j->queue = ft_arena_zeros(&j->memory, count, sizeof(*j->queue));
	j->places = ft_arena_zeros(&j->memory, count, sizeof(*j->places));
	j->up = ft_arena_zeros(&j->memory, groups, sizeof(*j->up));
	j->down = ft_arena_zeros(&j->memory, groups, sizeof(*j->down));
	j->up_count = ft_arena_zeros(&j->memory, count, sizeof(*j->up_count));
	j->down_count = ft_arena_zeros(&j->memory, count, sizeof(*j->down_count));
	return j->memory.failed ? -ENOMEM : 0;
}

int ft_ftree_judge(const struct ft_ftree *fabric, struct ft_ftree_verdict *ret_verdict)
{
	_cleanup_(judge_release) struct judge j;
	struct ft_ftree_verdict verdict;
	uint64_t hosts = 0;

	for (uint32_t i = 0; i < fabric->count; i++)
		hosts += fabric->hosts[i];
	if (judge_init(&j, fabric) < 0)
		return -ENOMEM;
	if (fabric->count < 2 || hosts < 2) {
		*ret_verdict = (struct ft_ftree_verdict){.why = FT_FTREE_TOO_SMALL};
		return 0;
	}
	ranks_make(&j);
	verdict = ranks_judge(&j);
	if (verdict.why == FT_FTREE_TAKEN) {
		groups_sort_out(&j);
		if (widths_vary(&j))
			places_make(&j);
		verdict = groups_judge(&j);
	}
	*ret_verdict = verdict;
	return j.memory.failed ? -ENOMEM : 0;
}
