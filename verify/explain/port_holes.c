/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The dark ports that missing cables belong in, where a tier does not use numbers alike: tori, pods whose leaves are in
 * no order, bundles of any width, one director among single switches.
 *
 * Each pair of switches with missing cables has candidates at both ends: dark ports with evidence that they lead to
 * switches. The evidence, by which candidates are scored:
 *
 *   COLUMN  most others of its group that are cabled to the same far switch use that number for it
 *   BESIDE  a port next to it leads to the far switch
 *   LINK    most of its group have a switch at that number
 *   BETWEEN it lies among the switch's own links
 *   OFFSET  it and a port at the far end are next to two ends of one cable
 *   PAIRED  wherever that number is cabled to such switches, it is mostly to one number (of a director: one
 *           chip), which is dark there
 *
 * For a director, its chips replace the others of its group. OFFSET and PAIRED count only with the best far end.
 * Candidates are taken, as many as there are missing cables, if they score above all others and no other pair with
 * missing cables wants the port as much. Taken ports are removed, which may make others unambiguous (constraint
 * propagation; at most ROUNDS).
 *
 * Invariant: a port is taken for one pair, and a pair takes no more ports at an end than it lacks cables. Cost: all
 * cables once; and each round, for pairs with missing cables only, the candidates at one end times the numbers (of a
 * director: the chips) at the other, as ports of one chip are PAIRED alike, and OFFSET with four at most.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "verify/explain/explain.h"

enum { COLUMN = 8, BESIDE = 4, LINK = 2, BETWEEN = 1, OFFSET = 3, PAIRED = 3 };
enum { ROUNDS = 8, PAIRED_MIN = 3, COLUMN_MAX = 128 };

struct candidate {
	uint32_t number;
	uint32_t group; /* that of the end's candidates with the same meeting_number() */
	int own;	/* score without the far end */
	int worth;	/* score with the best far end */
};

struct hole_end {
	uint32_t place, observed, need, count;
	struct candidate *at; /* in the order of numbers */
	uint32_t *meeting;    /* by group */
	uint32_t group_count;
};

struct hole_pair {
	struct hole_end end[2];
	bool rises, falls; /* from one of its cables to the next one, the far port is one higher; one lower */
	bool *paired;	   /* by group of the first end, then of the second */
};

struct holes {
	struct ft_model *m;
	struct ft_arena memory;
	struct hole_pair *pairs;
	uint32_t count;
	uint32_t *first_end, *ends; /* by observed switch: its ends are ends[first_end[i] … first_end[i + 1]) … */
	struct candidate *sorted;   /* scratch: the candidates of an end */
	int *best;		    /* scratch: by group */
	struct ft_map widths;	    /* by kind, number, far kind: index of tallies[] */
	struct ft_map meets;	    /* by kind, number, far kind, far number: likewise */
	uint32_t *tallies, tally_count, tally_size;
};

static void holes_release(struct holes *h)
{
	ft_arena_release(&h->memory);
	free(h->tallies);
	ft_map_release(&h->widths);
	ft_map_release(&h->meets);
}

/* ---- numbers at both ends of cables ---- */

static uint64_t meets_key(const struct ft_model *m, uint32_t place, uint32_t number, uint32_t far, uint32_t far_number)
{
	return (uint64_t)(m->places[place]->kind & 0xffff) << 48 | (uint64_t)(m->places[far]->kind & 0xffff) << 32 |
	       (uint64_t)(number & 0xffff) << 16 | (far_number & 0xffff);
}

static int tally_one(struct holes *h, struct ft_map *map, uint64_t key)
{
	uint32_t at = h->tally_count;
	int r;

	if (h->tally_count == h->tally_size) {
		uint32_t size = h->tally_size ? 2 * h->tally_size : 256;
		uint32_t *more = realloc(h->tallies, size * sizeof(*more));

		if (!more)
			return -ENOMEM;
		h->tallies = more;
		h->tally_size = size;
	}
	r = ft_map_add(map, key, at, &at);
	if (r < 0)
		return r;
	if (r > 0)
		h->tallies[h->tally_count++] = 0;
	h->tallies[at]++;
	return 0;
}

/* The number that the tallies use for a port: of a director the chip, because its cables are sorted by boards. */
static uint32_t meeting_number(const struct ft_model *m, uint32_t observed, uint32_t number)
{
	uint32_t origin = ft_observed_is_director(m, observed)
				  ? ft_port_origin(m, node_of(m, observed)->first_port + number - 1)
				  : FT_NONE;

	return origin == FT_NONE ? number : m->chips->ports[origin].node;
}

static int meets_count(struct holes *h)
{
	const struct ft_model *m = h->m;

	for (uint32_t i = 0; i < 2 * m->observed.cable_count; i++) {
		const struct ft_observed_cable *cable = &m->observed.cables[i / 2];
		uint32_t near = i % 2 ? cable->b : cable->a, far = i % 2 ? cable->a : cable->b;
		uint32_t here = m->observed.switches[near].planned, there = m->observed.switches[far].planned;
		uint32_t number = ft_port_number(m, i % 2 ? cable->b_port : cable->a_port);
		uint32_t far_number = ft_port_number(m, i % 2 ? cable->a_port : cable->b_port);
		int r;

		if (here == FT_NONE || there == FT_NONE || near == far)
			continue;
		number = meeting_number(m, near, number);
		far_number = meeting_number(m, far, far_number);
		r = tally_one(h, &h->widths, meets_key(m, here, number, there, 0));
		if (r == 0)
			r = tally_one(h, &h->meets, meets_key(m, here, number, there, far_number));
		if (r < 0)
			return r;
	}
	return 0;
}

static uint32_t tally_of(const struct holes *h, const struct ft_map *map, uint64_t key)
{
	uint32_t at = ft_map_get(map, key);

	return at == FT_MAP_NONE ? 0 : h->tallies[at];
}

/* True if ports with these meeting numbers, of the switches in these places, are mostly cabled to each other. */
static bool is_paired(const struct holes *h, uint32_t place, uint32_t number, uint32_t far, uint32_t far_number)
{
	uint32_t votes = tally_of(h, &h->meets, meets_key(h->m, place, number, far, far_number));

	return votes >= PAIRED_MIN && votes * 2 > tally_of(h, &h->widths, meets_key(h->m, place, number, far, 0));
}

/* ---- candidates ---- */

static const struct ft_port *port_at(const struct ft_model *m, uint32_t observed, uint32_t number)
{
	return ft_node_port(m->snapshot, node_of(m, observed), number);
}

/* The place of the switch at the far end of a port, or FT_NONE; the far number in @ret_number, which may be NULL. */
static uint32_t place_behind(const struct ft_model *m, uint32_t observed, uint32_t number, uint32_t *ret_number)
{
	const struct ft_port *port = port_at(m, observed, number);
	const struct ft_port *peer = port ? ft_port_peer(m->snapshot, port) : NULL;
	uint32_t far = peer ? m->observed.switch_of_node[peer->node] : FT_NONE;

	if (peer && ret_number)
		*ret_number = peer->number;
	return far == FT_NONE ? FT_NONE : m->observed.switches[far].planned;
}

/* Other switches of a group with the same far switch and enough common peers. */
struct column {
	uint32_t place[COLUMN_MAX];
	uint32_t count;
};

static uint32_t peers_of(const struct ft_model *m, uint32_t place)
{
	uint32_t count = 0;

	for (const struct ft_pair *pair = ft_pairs_of(m, place); pair < ft_pairs_of(m, place + 1); pair++)
		count += m->cells.width[pair->cell] > 0;
	return count;
}

/* Switches of a group predict each other's ports if they share one of so many peers. */
enum { TWIN_SHARE = 3 };

/* Places that are planned to be cabled to both. */
static uint32_t common_peers(const struct ft_model *m, uint32_t p, uint32_t q)
{
	const struct ft_pair *x = ft_pairs_of(m, p), *y = ft_pairs_of(m, q);
	uint32_t count = 0;

	while (x < ft_pairs_of(m, p + 1) && y < ft_pairs_of(m, q + 1)) {
		uint32_t least = x->peer < y->peer ? x->peer : y->peer;

		count += x->peer == y->peer && m->cells.width[x->cell] > 0 && m->cells.width[y->cell] > 0;
		x += x->peer == least;
		y += y->peer == least;
	}
	return count;
}

static void column_find(const struct ft_model *m, uint32_t here, uint32_t peer, struct column *ret)
{
	uint32_t peers = peers_of(m, here);

	ret->count = 0;
	for (const struct ft_pair *pair = ft_pairs_of(m, peer); pair < ft_pairs_of(m, peer + 1); pair++) {
		uint32_t p = pair->peer;

		if (p != here && m->group[p] == m->group[here] && m->observed_of[p] != FT_NONE &&
		    m->cells.seen[pair->cell] > 0 && ret->count < COLUMN_MAX &&
		    common_peers(m, here, p) * TWIN_SHARE >= peers)
			ret->place[ret->count++] = p;
	}
}

/* The score if most of them use that number for it; a single one counts little. */
static int column_count(const struct ft_model *m, const struct column *column, uint32_t number, uint32_t peer)
{
	uint32_t votes = 0;

	for (uint32_t i = 0; i < column->count; i++)
		votes += place_behind(m, m->observed_of[column->place[i]], number, NULL) == peer;
	return votes * 2 <= column->count ? 0 : votes > 1 ? COLUMN : 1;
}

static bool is_dark(const struct ft_model *m, uint32_t observed, uint32_t number)
{
	uint32_t port = node_of(m, observed)->first_port + number - 1;

	return m->snapshot->ports[port].link == FT_LINK_DOWN && !m->port_claimed[port];
}

/*
 * A director rarely has twins that are wired alike, but its boards are: the same port of its other chips replaces the
 * same port of other switches.
 */
enum { POSITIONS = 128 };
struct position_use {
	uint32_t all, lit, same; /* chips; those with a switch in that port; those with the peer in it */
};

static void positions_count(const struct ft_model *m, uint32_t observed, uint32_t peer, struct position_use *ret)
{
	const struct ft_node *node = node_of(m, observed);

	for (uint32_t n = 1; n <= node->port_count; n++) {
		uint32_t origin = ft_port_origin(m, node->first_port + n - 1), far, position;

		if (origin == FT_NONE)
			continue;
		far = place_behind(m, observed, n, NULL);
		position = m->chips->ports[origin].number;
		if (position >= POSITIONS)
			continue;
		ret[position].all++;
		ret[position].lit += far != FT_NONE;
		ret[position].same += far == peer;
	}
}

/* True if that port is on the same chip, and leads to the switch. */
static bool is_beside(const struct ft_model *m, uint32_t observed, uint32_t origin, uint32_t number, uint32_t peer)
{
	uint32_t other = number < 1 || number > node_of(m, observed)->port_count
				 ? FT_NONE
				 : ft_port_origin(m, node_of(m, observed)->first_port + number - 1);

	return other != FT_NONE && m->chips->ports[other].node == m->chips->ports[origin].node &&
	       place_behind(m, observed, number, NULL) == peer;
}

static int position_count(const struct ft_model *m, uint32_t observed, uint32_t number, uint32_t peer,
			  const struct position_use *uses)
{
	uint32_t origin = ft_port_origin(m, node_of(m, observed)->first_port + number - 1);
	uint32_t position = origin == FT_NONE ? POSITIONS : m->chips->ports[origin].number;
	const struct position_use *use = position < POSITIONS ? &uses[position] : NULL;

	if (!use)
		return 0;
	return (use->same > 1 && use->same * 2 > use->lit ? COLUMN : 0) + (use->lit * 2 > use->all ? LINK : BETWEEN) +
	       (is_beside(m, observed, origin, number - 1, peer) || is_beside(m, observed, origin, number + 1, peer)
			? BESIDE
			: 0);
}

static int own_count(const struct holes *h, const struct hole_end *end, const struct column *column, uint32_t number,
		     uint32_t peer)
{
	const struct ft_model *m = h->m;
	const struct ft_port_habit *habit = &ft_habits_of(m, end->observed)[number];
	const struct ft_port_ranges *r = ft_port_ranges_of(m, end->observed);
	bool beside = place_behind(m, end->observed, number + 1, NULL) == peer ||
		      (number > 1 && place_behind(m, end->observed, number - 1, NULL) == peer);
	bool link = habit->links * 2 > m->members[m->group[end->place]] && habit->links > habit->hosts;
	bool between = habit->hosts == 0 && r->link_low != FT_NONE && number > r->link_low && number < r->link_high;

	return column_count(m, column, number, peer) + (beside ? BESIDE : 0) + (link ? LINK : between ? BETWEEN : 0);
}

/* The group of port @number at the end; a new one if it has none yet. */
static uint32_t group_of(const struct ft_model *m, struct hole_end *end, uint32_t number)
{
	uint32_t meeting = meeting_number(m, end->observed, number);

	/* The ports of a chip are consecutive. */
	if (end->group_count == 0 || end->meeting[end->group_count - 1] != meeting)
		end->meeting[end->group_count++] = meeting;
	return end->group_count - 1;
}

static int candidates_find(struct holes *h, struct hole_end *end, uint32_t peer)
{
	const struct ft_model *m = h->m;
	uint32_t ports = node_of(m, end->observed)->port_count, dark = 0;
	struct column column = {.count = 0};
	struct position_use uses[POSITIONS] = {0};
	bool director = ft_observed_is_director(m, end->observed);

	for (uint32_t n = 1; n <= ports; n++)
		dark += is_dark(m, end->observed, n);
	end->at = ft_arena_zeros(&h->memory, dark, sizeof(*end->at));
	end->meeting = ft_arena_zeros(&h->memory, dark, sizeof(*end->meeting));
	if (h->memory.failed)
		return -ENOMEM;
	if (director)
		positions_count(m, end->observed, peer, uses);
	else
		column_find(m, end->place, peer, &column);
	for (uint32_t n = 1; n <= ports && n < m->habit_ports; n++) {
		int own = 0;

		if (is_dark(m, end->observed, n))
			own = director ? position_count(m, end->observed, n, peer, uses)
				       : own_count(h, end, &column, n, peer);
		if (own > 0)
			end->at[end->count++] =
				(struct candidate){.number = n, .group = group_of(m, end, n), .own = own};
	}
	return 0;
}

/* Lists the pairs that lack cables, with their candidates. */
static int pairs_list(struct holes *h, const struct explain *x)
{
	const struct ft_model *m = h->m;
	uint32_t count = 0;
	int r = 0;

	for (uint32_t cell = 0; cell < m->cells.count; cell++)
		count += x->missing[cell] > 0;
	if (count == 0)
		return 0;
	h->pairs = ft_arena_zeros(&h->memory, count, sizeof(*h->pairs));
	if (!h->pairs)
		return -ENOMEM;
	for (uint32_t cell = 0; r == 0 && cell < m->cells.count; cell++) {
		uint32_t p = m->cells.ends[cell][0], q = m->cells.ends[cell][1], need = x->missing[cell];
		struct hole_pair *hole = &h->pairs[h->count];

		if (need == 0 || !ft_cell_is_seen(m, cell))
			continue;
		h->count++;
		hole->end[0] = (struct hole_end){.place = p, .observed = m->observed_of[p], .need = need};
		hole->end[1] = (struct hole_end){.place = q, .observed = m->observed_of[q], .need = need};
		r = candidates_find(h, &hole->end[0], q);
		if (r == 0)
			r = candidates_find(h, &hole->end[1], p);
	}
	return r;
}

static struct hole_end *end_at(const struct holes *h, uint32_t number)
{
	return &h->pairs[number / 2].end[number % 2];
}

/* The ends by their switches, and room for the candidates of the end that has most. */
static int ends_index(struct holes *h)
{
	uint32_t switches = h->m->observed.switch_count, most = 0;

	h->first_end = ft_arena_zeros(&h->memory, switches + 2UL, sizeof(*h->first_end));
	h->ends = ft_arena_zeros(&h->memory, 2UL * h->count, sizeof(*h->ends));
	if (h->memory.failed)
		return -ENOMEM;
	/* Counting sort: first_end[i + 1] is where the next end of switch i goes, and at last where those of i + 1
	 * begin. */
	for (uint32_t i = 0; i < 2 * h->count; i++) {
		most = end_at(h, i)->count > most ? end_at(h, i)->count : most;
		h->first_end[end_at(h, i)->observed + 2]++;
	}
	for (uint32_t i = 2; i < switches + 2; i++)
		h->first_end[i] += h->first_end[i - 1];
	for (uint32_t i = 0; i < 2 * h->count; i++)
		h->ends[h->first_end[end_at(h, i)->observed + 1]++] = i;
	h->sorted = ft_arena_zeros(&h->memory, most, sizeof(*h->sorted));
	h->best = ft_arena_zeros(&h->memory, most, sizeof(*h->best));
	return h->memory.failed ? -ENOMEM : 0;
}

/* ---- rounds ---- */

static uint32_t *hole_of(const struct holes *h, const struct hole_end *end, uint32_t number)
{
	return &h->m->holes[node_of(h->m, end->observed)->first_port + number - 1];
}

/* One cable alone may have a parallel neighbour; several that are not parallel have none. */
static void pair_step(const struct ft_model *m, struct hole_pair *pair)
{
	uint32_t observed = pair->end[0].observed, there = pair->end[1].place;

	pair->rises = m->cells.seen[ft_cell_at(m, pair->end[0].place, there)] < 2;
	for (uint32_t p = 1; p < node_of(m, observed)->port_count; p++) {
		uint32_t far = 0, next = 0;

		if (place_behind(m, observed, p, &far) != there || place_behind(m, observed, p + 1, &next) != there)
			continue;
		pair->rises |= next == far + 1;
		pair->falls |= next + 1 == far;
	}
}

static int pair_begin(struct holes *h, struct hole_pair *pair)
{
	const struct hole_end *a = &pair->end[0], *b = &pair->end[1];

	pair_step(h->m, pair);
	pair->paired = ft_arena_zeros(&h->memory, (size_t)a->group_count * b->group_count, sizeof(*pair->paired));
	if (!pair->paired)
		return -ENOMEM;
	for (uint32_t i = 0; i < a->group_count; i++)
		for (uint32_t j = 0; j < b->group_count; j++)
			pair->paired[i * b->group_count + j] =
				is_paired(h, a->place, a->meeting[i], b->place, b->meeting[j]) ||
				is_paired(h, b->place, b->meeting[j], a->place, a->meeting[i]);
	return 0;
}

static bool are_paired(const struct hole_pair *pair, unsigned int side, uint32_t group, uint32_t far_group)
{
	uint32_t i = side ? far_group : group, j = side ? group : far_group;

	return pair->paired[i * pair->end[1].group_count + j];
}

static void candidates_keep_free(const struct holes *h, struct hole_end *end)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < end->count; i++)
		if (*hole_of(h, end, end->at[i].number) == FT_NONE)
			end->at[kept++] = end->at[i];
	end->count = kept;
}

/* The candidate with that number, by binary search, or NULL. */
static const struct candidate *candidate_at(const struct hole_end *end, uint32_t number)
{
	uint32_t low = 0, high = end->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (end->at[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end->count && end->at[low].number == number ? &end->at[low] : NULL;
}

static void worth_raise(struct candidate *c, int worth)
{
	c->worth = worth > c->worth ? worth : c->worth;
}

/*
 * OFFSET: the two ports are next to the ends of one cable between the same switches, on the same side of both, or on
 * opposite ones where the cables of the pair are so, as those of a leaf may be to a board whose ports run backwards.
 */
static void offset_weigh(const struct holes *h, const struct hole_pair *pair, unsigned int side, struct candidate *c)
{
	const struct hole_end *near = &pair->end[side], *far = &pair->end[1 - side];

	for (int step = -1; step <= 1; step += 2) {
		uint32_t number = 0;

		if (place_behind(h->m, near->observed, c->number + (uint32_t)step, &number) != far->place)
			continue;
		for (int turn = -1; turn <= 1; turn += 2) {
			const struct candidate *other = (turn < 0 ? pair->rises : pair->falls)
								? candidate_at(far, number + (uint32_t)(turn * step))
								: NULL;

			if (other)
				worth_raise(c, c->own + other->own + OFFSET +
						       (are_paired(pair, side, c->group, other->group) ? PAIRED : 0));
		}
	}
}

static void end_weigh(const struct holes *h, const struct hole_pair *pair, unsigned int side)
{
	const struct hole_end *near = &pair->end[side], *far = &pair->end[1 - side];

	for (uint32_t j = 0; j < far->group_count; j++)
		h->best[j] = 0;
	for (uint32_t j = 0; j < far->count; j++)
		if (far->at[j].own > h->best[far->at[j].group])
			h->best[far->at[j].group] = far->at[j].own;
	for (uint32_t i = 0; i < near->count; i++) {
		struct candidate *c = &near->at[i];

		c->worth = c->own;
		for (uint32_t j = 0; j < far->group_count; j++)
			if (h->best[j] > 0 && are_paired(pair, side, c->group, j))
				worth_raise(c, c->own + h->best[j] + PAIRED);
		offset_weigh(h, pair, side, c);
	}
}

static void pair_weigh(const struct holes *h, struct hole_pair *pair)
{
	for (unsigned int side = 0; side < 2; side++)
		candidates_keep_free(h, &pair->end[side]);
	for (unsigned int side = 0; side < 2; side++)
		end_weigh(h, pair, side);
}

static int candidate_compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->worth != y->worth ? (x->worth < y->worth) - (x->worth > y->worth)
				    : (x->number > y->number) - (x->number < y->number);
}

/* True if another pair with missing cables wants the port as much. */
static bool is_contested(const struct holes *h, const struct hole_end *end, const struct candidate *candidate)
{
	for (uint32_t i = h->first_end[end->observed]; i < h->first_end[end->observed + 1]; i++) {
		const struct hole_end *other = end_at(h, h->ends[i]);
		const struct candidate *c =
			other == end || other->need == 0 ? NULL : candidate_at(other, candidate->number);

		if (c && c->worth >= candidate->worth)
			return true;
	}
	return false;
}

/* Takes the unambiguous ports at one end. @peer: the place at the other end. Returns true if it took any. */
static bool end_take(const struct holes *h, struct hole_end *end, uint32_t peer)
{
	uint32_t need = end->need < end->count ? end->need : end->count;
	bool taken = false;

	if (need == 0)
		return false;
	memcpy(h->sorted, end->at, end->count * sizeof(*end->at));
	qsort(h->sorted, end->count, sizeof(*h->sorted), candidate_compare);
	if (end->count > need && h->sorted[need - 1].worth == h->sorted[need].worth)
		return false;
	for (uint32_t i = 0; i < need; i++)
		if (h->sorted[i].worth >= LINK && *hole_of(h, end, h->sorted[i].number) == FT_NONE &&
		    !is_contested(h, end, &h->sorted[i])) {
			*hole_of(h, end, h->sorted[i].number) = peer;
			end->need--;
			taken = true;
		}
	return taken;
}

int ft_port_holes_find(struct explain *x)
{
	struct ft_model *m = x->m;
	_cleanup_(holes_release) struct holes h = {.m = m};
	bool taken = true;
	int r = pairs_list(&h, x);

	if (r < 0 || h.count == 0)
		return r;
	m->holes = ft_arena_numbers(&m->memory, m->snapshot->port_count, FT_NONE);
	if (!m->holes)
		return -ENOMEM;
	r = ends_index(&h);
	if (r == 0)
		r = meets_count(&h);
	for (uint32_t i = 0; r == 0 && i < h.count; i++)
		r = pair_begin(&h, &h.pairs[i]);
	for (int round = 0; r == 0 && taken && round < ROUNDS; round++) {
		taken = false;
		for (uint32_t i = 0; i < h.count; i++)
			pair_weigh(&h, &h.pairs[i]);
		for (uint32_t i = 0; i < h.count; i++) {
			taken |= end_take(&h, &h.pairs[i].end[0], h.pairs[i].end[1].place);
			taken |= end_take(&h, &h.pairs[i].end[1], h.pairs[i].end[0].place);
		}
	}
	return r;
}
