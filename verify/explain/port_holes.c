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
 *   STRIDE  a port a stride away does
 *   LINK    most of its group have a switch at that number
 *   BETWEEN it lies among the switch's own links
 *   WITHIN  the ports next to it, or a stride away, lead to switches on both sides
 *   OFFSET  it and a port at the far end are next to two ends of one cable
 *   PAIRED  wherever that number is cabled to such switches, it is mostly to one number (of a director: one
 *           chip), which is dark there
 *
 * The stride is what mostly lies between two ports that lead to the same switch: 2 where the two rows of a panel lead
 * to different ones.
 *
 * Where no two strides hold for half of the ports that lead to the same switch, cables were plugged in at random: then
 * only COLUMN and PAIRED count, for what is next to a port, or in that number elsewhere, says nothing. Dark ports of a
 * dead switch were called those of missing cables in such fabrics.
 *
 * For a director, its chips replace the others of its group. OFFSET and PAIRED count only with the best far end.
 * Candidates are taken, as many as there are missing cables, if they score above all others and no other pair with
 * missing cables wants the port as much. Taken ports are removed, which may make others unambiguous (constraint
 * propagation; at most ROUNDS).
 *
 * Invariant: a port is taken for one pair, and a pair takes no more ports at an end than it lacks cables.
 *
 * Cost: all cables once, and all ports. Of a switch with missing cables: its neighbours' neighbours once, for the
 * others that are wired alike; its ports once for each switch that it lacks cables to, and its dark ports in each
 * round, too. A port is PAIRED with one far number at most, so that no two lists of candidates are multiplied. To take
 * a port asks the other ends at its switch, by binary search. As all of that is known before, none is looked for above
 * WORK_MAX, and untried.c says so; that bounds memory as well, to one struct candidate for each ROUNDS of it.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "verify/explain/explain.h"

enum { COLUMN = 8, BESIDE = 4, STRIDE = 3, LINK = 2, BETWEEN = 1, WITHIN = 1, OFFSET = 3, PAIRED = 3 };
enum { WORTH_MAX = 2 * (COLUMN + BESIDE + LINK + WITHIN) + OFFSET + PAIRED };
enum { ROUNDS = 8, PAIRED_MIN = 3, COLUMN_MIN = 3, ORDER_MIN = 12, WORK_MAX = 1 << 26 };

struct candidate {
	uint32_t number;
	uint32_t meeting; /* meeting_number() */
	uint32_t mate;	  /* the far meeting number that it is PAIRED with, or FT_NONE */
	int16_t own;	  /* score without the far end */
	int16_t worth;	  /* score with the best far end */
};

struct hole_end {
	uint32_t place, observed, need, count, stride;
	struct candidate *at; /* in the order of numbers */
};

struct hole_pair {
	struct hole_end end[2];
	bool rises, falls; /* from one of its cables to the next one, the far port is as much higher; lower */
};

/* A dark port of the switch whose candidates are looked for. */
struct dark {
	uint32_t number;
	uint32_t beside[4]; /* the places behind the ports beside it, and a stride below and above; or FT_NONE */
	int score;	    /* LINK or BETWEEN, and WITHIN */
};

/* Where ports with one meeting number, of switches of one kind, lead to on switches of another kind. */
struct meet {
	uint32_t cables, most, mate; /* of all cables, so many to that meeting number */
};

struct holes {
	struct ft_model *m;
	struct ft_arena memory;
	struct hole_pair *pairs;
	uint32_t count;
	uint32_t *first_end, *ends; /* by observed switch: its ends are ends[first_end[i] … first_end[i + 1]) … */
	struct ft_map meet_of;	    /* by kind, far kind, number: index of meets[] */
	struct ft_map votes_of;	    /* by that index, far number: index of votes[] */
	struct meet *meets;
	uint32_t *votes;
	bool orderly; /* ports to the same switch lie a stride apart, or they are too few to tell */
	/* Scratch. */
	uint32_t *common;	   /* by place: peers that it has in common with the present one */
	struct dark *dark;	   /* of the present switch */
	uint32_t *column;	   /* by number: switches of the column that use it */
	uint32_t ports;		   /* the most of a switch */
	uint32_t *last;		   /* by place: the last port of the present switch that leads there */
	uint32_t *strides;	   /* by difference of two numbers: how often ports to one place lie so far apart */
	struct candidate *found;   /* of the present end */
	int16_t *best, *best_mate; /* by meeting number: the best far candidate with it; with it for a mate */
};

static void holes_release(struct holes *h)
{
	ft_arena_release(&h->memory);
	ft_map_release(&h->meet_of);
	ft_map_release(&h->votes_of);
}

/* ---- numbers at both ends of cables ---- */

/* The number by which ports meet: of a director the chip, because its cables are sorted by boards. */
static uint32_t meeting_number(const struct ft_model *m, uint32_t observed, uint32_t number)
{
	uint32_t origin = ft_observed_is_director(m, observed)
				  ? ft_port_origin(m, node_of(m, observed)->first_port + number - 1)
				  : FT_NONE;

	return origin == FT_NONE ? number : m->chips->ports[origin].node;
}

static uint64_t meet_key(const struct ft_model *m, uint32_t place, uint32_t number, uint32_t far)
{
	return (uint64_t)(m->places[place]->kind & 0xffff) << 48 | (uint64_t)(m->places[far]->kind & 0xffff) << 32 |
	       number;
}

static int meet_add(struct holes *h, uint32_t place, uint32_t number, uint32_t far, uint32_t far_number)
{
	uint32_t at = 0, vote = 0;
	struct meet *meet;
	int r = ft_map_add(&h->meet_of, meet_key(h->m, place, number, far), (uint32_t)h->meet_of.count, &at);

	if (r >= 0)
		r = ft_map_add(&h->votes_of, (uint64_t)at << 32 | far_number, (uint32_t)h->votes_of.count, &vote);
	if (r < 0)
		return r;
	meet = &h->meets[at];
	meet->cables++;
	if (++h->votes[vote] > meet->most) {
		meet->most = h->votes[vote];
		meet->mate = far_number;
	}
	return 0;
}

static int meets_count(struct holes *h)
{
	const struct ft_model *m = h->m;

	h->meets = ft_arena_zeros(&h->memory, 2UL * m->observed.cable_count, sizeof(*h->meets));
	h->votes = ft_arena_zeros(&h->memory, 2UL * m->observed.cable_count, sizeof(*h->votes));
	if (h->memory.failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < 2 * m->observed.cable_count; i++) {
		const struct ft_observed_cable *cable = &m->observed.cables[i / 2];
		uint32_t near = i % 2 ? cable->b : cable->a, far = i % 2 ? cable->a : cable->b;
		uint32_t here = m->observed.switches[near].planned, there = m->observed.switches[far].planned;
		uint32_t number = ft_port_number(m, i % 2 ? cable->b_port : cable->a_port);
		uint32_t far_number = ft_port_number(m, i % 2 ? cable->a_port : cable->b_port);
		int r;

		if (here == FT_NONE || there == FT_NONE || near == far)
			continue;
		r = meet_add(h, here, meeting_number(m, near, number), there, meeting_number(m, far, far_number));
		if (r < 0)
			return r;
	}
	return 0;
}

/* The far number to which most ports with a meeting number, of such switches, are cabled; FT_NONE if to no one. */
static uint32_t mate_of(const struct holes *h, uint32_t place, uint32_t number, uint32_t far)
{
	uint32_t at = ft_map_get(&h->meet_of, meet_key(h->m, place, number, far));
	const struct meet *meet = at == FT_NONE ? NULL : &h->meets[at];

	return meet && meet->most >= PAIRED_MIN && meet->most * 2 > meet->cables ? meet->mate : FT_NONE;
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
	return ft_place_of(m, far);
}

/* Switches of a group predict each other's ports if they share one of so many peers. */
enum { TWIN_SHARE = 3 };

/* Counts in common[], of all places, those that both they and @here are planned to be cabled to; or clears it again. */
static void common_count(struct holes *h, uint32_t here, bool clear)
{
	const struct ft_model *m = h->m;

	ft_each_pair(x, m, here)
		for (const struct ft_pair *y = ft_pairs_of(m, x->peer);
		     m->cells.width[x->cell] > 0 && y < ft_pairs_of(m, x->peer + 1); y++)
			h->common[y->peer] = clear ? 0 : h->common[y->peer] + (m->cells.width[y->cell] > 0);
}

/* True if @p belongs in the column of @here: it is of its group, and they have enough peers in common. */
static bool is_twin(const struct holes *h, uint32_t here, uint32_t p)
{
	return p != here && h->m->group[p] == h->m->group[here] && h->common[p] * TWIN_SHARE >= h->common[here];
}

/* The twins that are cabled to @peer, and in column[] which ports, up to @ports, they use for that. Returns how many.
 */
static uint32_t column_find(struct holes *h, uint32_t here, uint32_t peer, uint32_t ports)
{
	const struct ft_model *m = h->m;
	uint32_t observed = m->observed_of[peer], count = 0;

	memset(h->column, 0, (ports + 1UL) * sizeof(*h->column));
	ft_each_pair(pair, m, peer)
		count += m->observed_of[pair->peer] != FT_NONE && m->cells.seen[pair->cell] > 0 &&
			 is_twin(h, here, pair->peer);
	ft_each_end(end, m, observed) {
		uint32_t p = ft_place_behind(m, end), number = ft_port_number(m, end->far_port);

		if (count > 0 && p != FT_NONE && number <= ports && is_twin(h, here, p))
			h->column[number]++;
	}
	return count;
}

/* The score if most of them use that number for it; a single one counts little, and two may agree by chance where there
 * is no order. */
static int column_score(const struct holes *h, uint32_t votes, uint32_t twins)
{
	return votes * 2 <= twins ? 0 : votes >= (h->orderly ? 2 : COLUMN_MIN) ? COLUMN : 1;
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

/* The score of a port by the use of its number, and by the switch's own links. */
static int link_score(const struct ft_model *m, uint32_t observed, uint32_t number)
{
	const struct ft_port_habit *habit = &ft_habits_of(m, observed)[number];
	const struct ft_port_ranges *r = ft_port_ranges_of(m, observed);

	if (habit->links * 2 > m->members[m->group[m->observed.switches[observed].planned]] &&
	    habit->links > habit->hosts)
		return LINK;
	return habit->hosts == 0 && r->link_low != FT_NONE && number > r->link_low && number < r->link_high ? BETWEEN
													    : 0;
}

/* Adds to strides[] the differences of neighbouring ports that lead to the same switch. Returns how many. */
static uint32_t strides_add(struct holes *h, uint32_t observed)
{
	const struct ft_model *m = h->m;
	uint32_t ports = node_of(m, observed)->port_count, all = 0;

	for (uint32_t n = 1; n <= ports; n++) {
		uint32_t place = place_behind(m, observed, n, NULL);

		if (place == FT_NONE)
			continue;
		if (h->last[place] > 0) {
			h->strides[n - h->last[place]]++;
			all++;
		}
		h->last[place] = n;
	}
	for (uint32_t n = 1; n <= ports; n++) {
		uint32_t place = place_behind(m, observed, n, NULL);

		if (place != FT_NONE)
			h->last[place] = 0;
	}
	return all;
}

/* The difference of most neighbouring ports that lead to the same switch; 1 if most agree on none, and in directors. */
static uint32_t stride_find(struct holes *h, uint32_t observed)
{
	uint32_t ports = node_of(h->m, observed)->port_count, best = 1, all;

	memset(h->strides, 0, (h->ports + 1UL) * sizeof(*h->strides));
	all = strides_add(h, observed);
	for (uint32_t n = 1; n <= ports; n++)
		best = h->strides[n] > h->strides[best] ? n : best;
	return !ft_observed_is_director(h->m, observed) && h->strides[best] * 2 > all ? best : 1;
}

/* Two strides: one of a panel with two rows may be from column to column, and one from row to row. */
static bool is_orderly(struct holes *h)
{
	uint32_t all = 0, first = 0, second = 0;

	memset(h->strides, 0, (h->ports + 1UL) * sizeof(*h->strides));
	for (uint32_t i = 0; i < h->m->observed.switch_count; i++)
		all += ft_observed_is_director(h->m, i) ? 0 : strides_add(h, i);
	for (uint32_t n = 1; n <= h->ports; n++) {
		uint32_t count = h->strides[n];

		second = count > first ? first : count > second ? count : second;
		first = count > first ? count : first;
	}
	return all < ORDER_MIN || (first + second) * 2 >= all;
}

static struct dark dark_make(const struct holes *h, uint32_t observed, uint32_t number, uint32_t stride)
{
	const struct ft_model *m = h->m;
	const uint32_t beside[] = {number - 1, number + 1, number > stride ? number - stride : 0, number + stride};
	struct dark dark = {.number = number, .score = h->orderly ? link_score(m, observed, number) : 0};

	for (unsigned int i = 0; i < FT_COUNT(beside); i++)
		dark.beside[i] = h->orderly ? place_behind(m, observed, beside[i], NULL) : FT_NONE;
	if ((dark.beside[0] != FT_NONE && dark.beside[1] != FT_NONE) ||
	    (dark.beside[2] != FT_NONE && dark.beside[3] != FT_NONE))
		dark.score += WITHIN;
	return dark;
}

/* Lists the dark ports of a switch in dark[]. Returns how many. */
static uint32_t dark_list(struct holes *h, uint32_t observed, uint32_t stride)
{
	const struct ft_model *m = h->m;
	uint32_t count = 0;

	for (uint32_t n = 1; n <= node_of(m, observed)->port_count && n < m->habit_ports; n++)
		if (is_dark(m, observed, n))
			h->dark[count++] = dark_make(h, observed, n, stride);
	return count;
}

static int nearness(const struct dark *dark, uint32_t peer)
{
	if (dark->beside[0] == peer || dark->beside[1] == peer)
		return BESIDE;
	return dark->beside[2] == peer || dark->beside[3] == peer ? STRIDE : 0;
}

/* @dark: the number of dark ports of the switch. common_count() and dark_list() are those of it. */
static int candidates_find(struct holes *h, struct hole_end *end, uint32_t peer, uint32_t dark)
{
	const struct ft_model *m = h->m;
	bool director = ft_observed_is_director(m, end->observed);
	struct position_use uses[POSITIONS] = {0};
	uint32_t twins = 0;

	if (director)
		positions_count(m, end->observed, peer, uses);
	else
		twins = column_find(h, end->place, peer, node_of(m, end->observed)->port_count);
	for (uint32_t i = 0; i < dark; i++) {
		const struct dark *d = &h->dark[i];
		uint32_t meeting = meeting_number(m, end->observed, d->number);
		int own = director ? position_count(m, end->observed, d->number, peer, uses)
				   : column_score(h, h->column[d->number], twins) + nearness(d, peer) + d->score;

		if (own > 0)
			h->found[end->count++] = (struct candidate){
				.number = d->number,
				.meeting = meeting,
				.mate = mate_of(h, end->place, meeting, peer),
				.own = (int16_t)own,
			};
	}
	end->at = ft_arena_zeros(&h->memory, end->count, sizeof(*end->at));
	if (!end->at)
		return -ENOMEM;
	if (end->count > 0)
		memcpy(end->at, h->found, end->count * sizeof(*end->at));
	return 0;
}

/* Lists the pairs that lack cables. */
static int pairs_list(struct holes *h, const struct explain *x)
{
	const struct ft_model *m = h->m;
	uint32_t count = 0;

	for (uint32_t cell = 0; cell < m->cells.count; cell++)
		count += x->missing[cell] > 0 && ft_cell_is_seen(m, cell);
	h->pairs = ft_arena_zeros(&h->memory, count, sizeof(*h->pairs));
	if (!h->pairs)
		return -ENOMEM;
	for (uint32_t cell = 0; cell < m->cells.count; cell++) {
		if (x->missing[cell] == 0 || !ft_cell_is_seen(m, cell))
			continue;
		for (unsigned int n = 0; n < 2; n++) {
			uint32_t place = m->cells.ends[cell][n];

			h->pairs[h->count].end[n] = (struct hole_end){
				.place = place, .observed = m->observed_of[place], .need = x->missing[cell]};
		}
		h->count++;
	}
	return 0;
}

static struct hole_end *end_at(const struct holes *h, uint32_t number)
{
	return &h->pairs[number / 2].end[number % 2];
}

/* The ends by their switches. */
static int ends_index(struct holes *h)
{
	uint32_t switches = h->m->observed.switch_count;

	h->first_end = ft_arena_zeros(&h->memory, switches + 2UL, sizeof(*h->first_end));
	h->ends = ft_arena_zeros(&h->memory, 2UL * h->count, sizeof(*h->ends));
	if (h->memory.failed)
		return -ENOMEM;
	/* Counting sort: first_end[i + 1] is where the next end of switch i goes, and at last where those of i + 1
	 * begin. */
	for (uint32_t i = 0; i < 2 * h->count; i++)
		h->first_end[end_at(h, i)->observed + 2]++;
	for (uint32_t i = 2; i < switches + 2; i++)
		h->first_end[i] += h->first_end[i - 1];
	for (uint32_t i = 0; i < 2 * h->count; i++)
		h->ends[h->first_end[end_at(h, i)->observed + 1]++] = i;
	return 0;
}

/* True if all the work, in ports and neighbours looked at, is more than WORK_MAX. */
static bool work_is_over(const struct holes *h)
{
	const struct ft_model *m = h->m;
	uint64_t work = 0;

	for (uint32_t i = 0; i < m->observed.switch_count && work <= WORK_MAX; i++) {
		uint64_t ends = h->first_end[i + 1] - h->first_end[i], ports = node_of(m, i)->port_count;
		uint32_t place = m->observed.switches[i].planned;

		if (ends == 0)
			continue;
		work += ends * ports;
		for (uint32_t n = 1; n <= ports; n++)
			work += is_dark(m, i, n) ? ROUNDS * ends : 0;
		ft_each_pair(pair, m, place)
			work += m->cells.first[pair->peer + 1] - m->cells.first[pair->peer];
	}
	return work > WORK_MAX;
}

static int scratch_make(struct holes *h)
{
	const struct ft_model *m = h->m;
	uint32_t ports = 0;
	size_t meetings;

	for (uint32_t i = 0; i < m->observed.switch_count; i++)
		ports = node_of(m, i)->port_count > ports ? node_of(m, i)->port_count : ports;
	h->ports = ports;
	meetings = (m->chips->node_count > ports ? m->chips->node_count : ports) + 1UL;
	h->common = ft_arena_zeros(&h->memory, m->place_count, sizeof(*h->common));
	h->dark = ft_arena_zeros(&h->memory, ports, sizeof(*h->dark));
	h->column = ft_arena_zeros(&h->memory, ports + 1UL, sizeof(*h->column));
	h->last = ft_arena_zeros(&h->memory, m->place_count, sizeof(*h->last));
	h->strides = ft_arena_zeros(&h->memory, ports + 1UL, sizeof(*h->strides));
	h->found = ft_arena_zeros(&h->memory, ports, sizeof(*h->found));
	h->best = ft_arena_zeros(&h->memory, meetings, sizeof(*h->best));
	h->best_mate = ft_arena_zeros(&h->memory, meetings, sizeof(*h->best_mate));
	return h->memory.failed ? -ENOMEM : 0;
}

/* The candidates of all ends, switch by switch. */
static int ends_fill(struct holes *h)
{
	const struct ft_model *m = h->m;
	int r = 0;

	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		uint32_t dark, stride;

		if (h->first_end[i] == h->first_end[i + 1])
			continue;
		stride = stride_find(h, i);
		dark = dark_list(h, i, stride);
		common_count(h, m->observed.switches[i].planned, false);
		for (uint32_t e = h->first_end[i]; r == 0 && e < h->first_end[i + 1]; e++) {
			end_at(h, h->ends[e])->stride = stride;
			r = candidates_find(h, end_at(h, h->ends[e]), end_at(h, h->ends[e] ^ 1)->place, dark);
		}
		common_count(h, m->observed.switches[i].planned, true);
	}
	return r;
}

/* ---- rounds ---- */

static uint32_t *hole_of(const struct holes *h, const struct hole_end *end, uint32_t number)
{
	return &h->m->holes[node_of(h->m, end->observed)->first_port + number - 1];
}

/* One cable alone may have a parallel neighbour; several that are not parallel have none. */
static void pair_step(const struct ft_model *m, struct hole_pair *pair)
{
	const struct hole_end *near = &pair->end[0], *end = &pair->end[1];
	uint32_t before = 0, far_before = 0;

	pair->rises = m->cells.seen[ft_cell_at(m, near->place, end->place)] < 2;
	for (uint32_t p = 1; p <= node_of(m, near->observed)->port_count; p++) {
		uint32_t far = 0;

		if (place_behind(m, near->observed, p, &far) != end->place)
			continue;
		if (before > 0) {
			int64_t step = (int64_t)p - before, far_step = (int64_t)far - far_before;

			pair->rises |= far_step == step || far_step * near->stride == step * end->stride;
			pair->falls |= far_step == -step || far_step * near->stride == -step * end->stride;
		}
		before = p;
		far_before = far;
	}
}

static bool are_paired(const struct candidate *c, const struct candidate *far)
{
	return c->mate == far->meeting || far->mate == c->meeting;
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
	c->worth = (int16_t)(worth > c->worth ? worth : c->worth);
}

/*
 * OFFSET: the two ports are next to the ends of one cable between the same switches, or a stride away, on the same side
 * of both, or on opposite ones where the cables of the pair are so, as those of a leaf may be to a board whose ports
 * run backwards. @steps: how far, by the ends of the pair.
 */
static void offset_weigh(const struct holes *h, const struct hole_pair *pair, unsigned int side, struct candidate *c,
			 const uint32_t *steps)
{
	const struct hole_end *near = &pair->end[side], *far = &pair->end[1 - side];

	for (int step = -1; step <= 1; step += 2) {
		uint32_t number = 0, beside = c->number + (uint32_t)step * steps[side];

		if (place_behind(h->m, near->observed, beside, &number) != far->place)
			continue;
		for (int turn = -1; turn <= 1; turn += 2) {
			const struct candidate *other =
				(turn < 0 ? pair->rises : pair->falls)
					? candidate_at(far, number + (uint32_t)(turn * step) * steps[1 - side])
					: NULL;

			if (other)
				worth_raise(c, c->own + other->own + OFFSET + (are_paired(c, other) ? PAIRED : 0));
		}
	}
}

static void best_raise(int16_t *best, uint32_t meeting, int16_t own)
{
	if (meeting != FT_NONE && own > best[meeting])
		best[meeting] = own;
}

static void end_weigh(struct holes *h, const struct hole_pair *pair, unsigned int side)
{
	const struct hole_end *near = &pair->end[side], *far = &pair->end[1 - side];

	for (uint32_t j = 0; j < far->count; j++) {
		best_raise(h->best, far->at[j].meeting, far->at[j].own);
		best_raise(h->best_mate, far->at[j].mate, far->at[j].own);
	}
	for (uint32_t i = 0; i < near->count; i++) {
		struct candidate *c = &near->at[i];
		int16_t there = c->mate == FT_NONE ? 0 : h->best[c->mate];

		there = there > h->best_mate[c->meeting] ? there : h->best_mate[c->meeting];
		c->worth = c->own;
		if (there > 0)
			worth_raise(c, c->own + there + PAIRED);
		if (!h->orderly)
			continue;
		offset_weigh(h, pair, side, c, (const uint32_t[2]){1, 1});
		offset_weigh(h, pair, side, c, (const uint32_t[2]){pair->end[0].stride, pair->end[1].stride});
	}
	for (uint32_t j = 0; j < far->count; j++) {
		h->best[far->at[j].meeting] = 0;
		if (far->at[j].mate != FT_NONE)
			h->best_mate[far->at[j].mate] = 0;
	}
}

static void pair_weigh(struct holes *h, struct hole_pair *pair)
{
	for (unsigned int side = 0; side < 2; side++)
		candidates_keep_free(h, &pair->end[side]);
	for (unsigned int side = 0; side < 2; side++)
		end_weigh(h, pair, side);
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
	uint32_t need = end->need < end->count ? end->need : end->count, above = 0;
	uint32_t worths[WORTH_MAX + 1] = {0};
	int least = WORTH_MAX;
	bool taken = false;

	if (need == 0)
		return false;
	for (uint32_t i = 0; i < end->count; i++)
		worths[end->at[i].worth]++;
	while (above + worths[least] < need)
		above += worths[least--];
	if (above + worths[least] > need)
		return false;
	for (uint32_t i = 0; i < end->count; i++) {
		const struct candidate *c = &end->at[i];

		if (c->worth < least || c->worth < LINK || *hole_of(h, end, c->number) != FT_NONE ||
		    is_contested(h, end, c))
			continue;
		*hole_of(h, end, c->number) = peer;
		end->need--;
		taken = true;
	}
	return taken;
}

/* The steps before the rounds. */
static int holes_begin(struct holes *h)
{
	int r = meets_count(h) ?: scratch_make(h);

	if (r < 0)
		return r;
	h->orderly = is_orderly(h);
	r = ends_fill(h);
	for (uint32_t i = 0; r == 0 && i < h->count; i++)
		pair_step(h->m, &h->pairs[i]);
	return r;
}

int ft_port_holes_find(struct explain *x)
{
	struct ft_model *m = x->m;
	_cleanup_(holes_release) struct holes h = {.m = m};
	bool taken = true;
	int r = pairs_list(&h, x);

	if (r < 0 || h.count == 0)
		return r;
	r = ends_index(&h);
	if (r < 0)
		return r;
	m->holes_untried = work_is_over(&h);
	if (m->holes_untried)
		return 0;
	m->holes = ft_arena_numbers(&m->memory, m->snapshot->port_count, FT_NONE);
	if (!m->holes)
		return -ENOMEM;
	r = holes_begin(&h);
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
