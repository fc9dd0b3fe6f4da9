/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Assigns chips to boards: by slot names, if all chips on a side of a director have them; else by the order of GUIDs,
 * corrected by what other directors of the tier have cabled to the board of that number.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "probe/facts.h"
#include "verify/director/chassis_parts.h"
#include "verify/match/classes.h"

/* The line boards, or the fabric boards, of all directors of a tier. */
struct side {
	struct ft_chassis *c;
	const struct ft_chip_graph *g;
	uint32_t tier; /* kind of the directors */
	bool line;
	uint32_t chips_per_board; /* 0: not known */
	uint32_t boards;	  /* slots; the number of installed boards if only that is known; 0: not known */
	uint32_t installed;	  /* boards, by the plan; 0: not known */
	uint32_t ports;		  /* outer ports of a board, by the plan; 0: not known */
	uint64_t *keys;		  /* the boards given by names, in ascending order */
	uint32_t key_count;
};

static bool is_of(const struct side *s, const struct ft_chip *chip)
{
	return chip->line == s->line && s->c->directors[chip->director].tier == s->tier;
}

/* ---- slot names ---- */

static bool slots_equal(const struct ft_chip *a, const struct ft_chip *b)
{
	return a->slot.number == b->slot.number && a->slot.chip == b->slot.chip;
}

/* True if a preceding chip of its director has the same slot. */
static bool slot_is_taken(const struct side *s, const struct ft_chip *chip)
{
	const struct ft_chip *first = s->c->chips + s->c->directors[chip->director].first;

	for (const struct ft_chip *other = first; other < chip; other++)
		if (other->line == s->line && other->named && slots_equal(other, chip))
			return true;
	return false;
}

/* A chip is named if no other has its slot; a side with fewer named chips than others uses GUIDs alone. */
static void names_judge(const struct side *s, const struct ft_director *d)
{
	struct ft_chip *chips = s->c->chips + d->first;
	uint32_t named = 0, count = 0;

	for (uint32_t i = 0; i < d->count; i++) {
		if (chips[i].line != s->line)
			continue;
		chips[i].named = chips[i].named && !slot_is_taken(s, &chips[i]);
		named += chips[i].named;
		count++;
	}
	for (uint32_t i = 0; i < d->count; i++)
		if (chips[i].line == s->line)
			chips[i].named &= named * 2 >= count;
}

/* How many chips of the director carry the slot's number. */
static uint32_t chips_in_slot(const struct side *s, const struct ft_chip *chip)
{
	const struct ft_director *d = &s->c->directors[chip->director];
	uint32_t count = 0;

	for (uint32_t i = d->first; i < d->first + d->count; i++)
		count += s->c->chips[i].line == s->line && s->c->chips[i].named &&
			 s->c->chips[i].slot.number == chip->slot.number;
	return count;
}

/* The ports of the chip that are no traces. */
static uint32_t ports_left(const struct side *s, const struct ft_chip *chip)
{
	const struct ft_node *node = &s->g->s->nodes[chip->node];
	uint32_t left = 0;

	for (uint32_t p = node->first_port; p < node->first_port + node->port_count; p++)
		left += !ft_trace_far(s->c, p);
	return left;
}

/*
 * The least number by which the planned boards have room for the chips of each director, and these, beside their
 * traces, for the outer ports. A chip beyond the planned boards is no reason for one more on each.
 */
static uint32_t chips_per_board_needed(const struct side *s)
{
	uint32_t ports = FT_PORTS_MAX, most = 1;

	for (uint32_t i = 0; i < s->c->director_count; i++) {
		const struct ft_director *d = &s->c->directors[i];
		uint32_t count = 0;

		for (uint32_t n = d->first; n < d->first + d->count; n++)
			if (is_of(s, &s->c->chips[n])) {
				ports = ft_number_least(ports, ft_number_most(ports_left(s, &s->c->chips[n]), 1));
				count++;
			}
		most = ft_number_most(most, s->installed > 0 ? count / s->installed : 1);
	}
	return ft_number_most(most, (s->ports + ports - 1) / ports);
}

/*
 * If the number of chips on a board is not given: the number of chips that share a slot number, if it is the same
 * everywhere, or in most places of several directors, some of which may have lost one, or of one director with more
 * chips than slots; without slots, as many as are needed; else 1.
 */
static uint32_t chips_per_board_seen(const struct side *s)
{
	uint32_t most = 0, with_most = 0, all = 0, first = UINT32_MAX;
	bool several = false, crowded;

	for (uint32_t i = 0; i < s->c->chip_count; i++) {
		const struct ft_chip *chip = &s->c->chips[i];
		uint32_t count = is_of(s, chip) && chip->named ? chips_in_slot(s, chip) : 0;

		if (count == 0)
			continue;
		first = first == UINT32_MAX ? chip->director : first;
		several |= chip->director != first;
		with_most = count > most ? 0 : with_most;
		most = count > most ? count : most;
		with_most += count == most;
		all++;
	}
	if (all == 0)
		return chips_per_board_needed(s);
	crowded = s->boards > 0 && all > s->boards;
	if (with_most == all || ((several || crowded) && with_most * 4 >= all * 3))
		return most > 0 ? most : 1;
	return 1;
}

/* Boards with one chip may be named by number and letter: S201A, S201B. */
static uint64_t board_key(const struct side *s, const struct ft_chip *chip)
{
	return (uint64_t)chip->slot.number << 16 | (s->chips_per_board == 1 ? chip->slot.chip : 0);
}

static int key_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return FT_ORDER(*x, *y);
}

static int keys_collect(struct side *s)
{
	uint32_t count = 0;

	s->keys = malloc((s->c->chip_count + 1UL) * sizeof(*s->keys));
	if (!s->keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->c->chip_count; i++)
		if (is_of(s, &s->c->chips[i]) && s->c->chips[i].named)
			s->keys[count++] = board_key(s, &s->c->chips[i]);
	qsort(s->keys, count, sizeof(*s->keys), key_compare);
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || s->keys[i] != s->keys[i - 1])
			s->keys[s->key_count++] = s->keys[i];
	return 0;
}

/*
 * The place of a named board: its number, if numbers start from 1, or from 101 and so on, and do not exceed the slots;
 * else the rank of its number among those in use.
 */
static uint32_t board_of_key(const struct side *s, uint64_t key)
{
	uint32_t low = (uint32_t)(s->keys[0] >> 16), high = (uint32_t)(s->keys[s->key_count - 1] >> 16);
	uint32_t limit = s->boards > s->key_count ? s->boards : s->boards ? s->key_count : 2 * s->key_count + 8;
	uint32_t base = low > 0 && high > limit ? (low - 1) / 100 * 100 : 0;
	uint32_t rank = 0;
	bool letters = false;

	for (uint32_t i = 0; i < s->key_count; i++) {
		letters |= (s->keys[i] & 0xffff) > 1; /* A single letter, the A of 201A or a /U1, proves nothing. */
		rank += s->keys[i] < key;
	}
	if (letters || low == 0 || high - base > limit)
		return rank;
	return (uint32_t)(key >> 16) - base - 1;
}

/* ---- places ---- */

#define NO_BOARD UINT32_MAX

static bool place_is_taken(const struct side *s, const struct ft_chip *chip, uint32_t board, uint32_t number)
{
	const struct ft_director *d = &s->c->directors[chip->director];

	for (uint32_t i = d->first; i < d->first + d->count; i++)
		if (s->c->chips[i].line == s->line && s->c->chips[i].board == board && s->c->chips[i].chip == number)
			return true;
	return false;
}

static void place_give(const struct side *s, struct ft_chip *chip, uint32_t board, uint32_t number)
{
	while (place_is_taken(s, chip, board, number))
		if (++number >= s->chips_per_board) {
			number = 0;
			board++;
		}
	chip->board = board;
	chip->chip = number;
}

/* Named chips first; then the others in the order of their GUIDs, where there is room. */
static void places_give(const struct side *s, const struct ft_director *d)
{
	struct ft_chip *chips = s->c->chips + d->first;

	for (uint32_t i = 0; i < d->count; i++)
		if (chips[i].line == s->line)
			chips[i].board = NO_BOARD;
	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < d->count; i++) {
			uint32_t number = chips[i].slot.chip;

			if (chips[i].line != s->line || chips[i].named != (pass == 0))
				continue;
			number = number > 0 && number <= s->chips_per_board ? number - 1 : 0;
			if (pass == 0)
				place_give(s, &chips[i], board_of_key(s, board_key(s, &chips[i])), number);
			else
				place_give(s, &chips[i], 0, 0);
		}
}

/* ---- boards without names, by their cables ---- */

static uint32_t boards_end(const struct side *s, const struct ft_director *d)
{
	uint32_t end = 0;

	for (uint32_t i = d->first; i < d->first + d->count; i++)
		if (s->c->chips[i].line == s->line && s->c->chips[i].board >= end)
			end = s->c->chips[i].board + 1;
	return end;
}

/*
 * The signature of a board: mainly the ports on the other side's chips where its traces end, and the peers of its outer
 * cables. A bag of small hashes, by board.
 */
enum { BAG = 1024, BAG_TRACES = 512, TRACE_WEIGHT = 4 };

/* The upper half of Knuth's multiplicative hash. */
static uint32_t mix(uint32_t value)
{
	return value * 2654435761U >> 16;
}

/* Line boards are aligned last, so that fabric chips are already identified. */
static uint32_t trace_mark(const struct side *s, const struct ft_chip *far, uint32_t number)
{
	uint32_t chip = s->line ? far->board * 16 + far->chip : 0;

	return mix(chip * 256 + number) % BAG_TRACES;
}

static uint32_t far_mark(const struct side *s, const struct ft_chip *chip, uint32_t port)
{
	const struct ft_port *near = &s->g->s->ports[port], *far = ft_port_peer(s->g->s, near);
	uint32_t other = far ? s->c->chip_of[far->node] : FT_NONE, unit;

	if (!far || ft_chip_port_aggregates(s->g->s, port))
		return BAG;
	if (other != FT_NONE && s->c->chips[other].director == chip->director)
		return s->c->chips[other].line == s->line ? BAG : trace_mark(s, &s->c->chips[other], far->number);
	unit = other != FT_NONE ? s->c->directors[s->c->chips[other].director].first + s->g->s->node_count : far->node;
	return BAG_TRACES + mix(unit) % (BAG - BAG_TRACES);
}

static void bags_fill(const struct side *s, const struct ft_director *d, uint16_t (*bags)[BAG])
{
	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		const struct ft_chip *chip = &s->c->chips[i];
		const struct ft_node *node = &s->g->s->nodes[chip->node];

		if (chip->line != s->line)
			continue;
		for (uint32_t p = node->first_port; p < node->first_port + node->port_count; p++) {
			uint32_t mark = far_mark(s, chip, p);

			if (mark < BAG)
				bags[chip->board][mark]++;
		}
	}
}

static uint32_t bags_share(const uint16_t *a, const uint16_t *b)
{
	uint32_t share = 0;

	for (unsigned int i = 0; i < BAG; i++)
		share += (i < BAG_TRACES ? TRACE_WEIGHT : 1U) * (a[i] < b[i] ? a[i] : b[i]);
	return share;
}

/* Assigns the boards of @d the numbers of the most similar ones of @model. */
static int boards_align(const struct side *s, const struct ft_director *d, const struct ft_director *model)
{
	uint32_t count = boards_end(s, d), places = boards_end(s, model);
	_cleanup_free_ uint16_t(*own)[BAG] = calloc(count + 1UL, sizeof(*own));
	_cleanup_free_ uint16_t(*others)[BAG] = NULL;
	_cleanup_free_ int64_t *cost = NULL;
	_cleanup_free_ uint32_t *capacity = NULL, *to = calloc(count + 1UL, sizeof(*to));
	struct ft_choice choice;
	int r;

	places = count > places ? count : places;
	others = calloc(places + 1UL, sizeof(*others));
	cost = malloc(((size_t)count * places + 1) * sizeof(*cost));
	capacity = malloc((places + 1UL) * sizeof(*capacity));
	if (!own || !others || !cost || !capacity || !to)
		return -ENOMEM;
	bags_fill(s, d, own);
	bags_fill(s, model, others);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t p = 0; p < places; p++)
			cost[(size_t)i * places + p] =
				(int64_t)(i > p ? i - p : p - i) - (int64_t)bags_share(own[i], others[p]) * places;
	for (uint32_t p = 0; p < places; p++)
		capacity[p] = 1;
	choice = (struct ft_choice){cost, count, places};
	r = ft_classes_assign(&choice, capacity, to);
	for (uint32_t i = d->first; r == 0 && i < d->first + d->count; i++)
		if (s->c->chips[i].line == s->line)
			s->c->chips[i].board = to[s->c->chips[i].board];
	return r;
}

/* A director of the tier with slot names, or else the one with the most boards. */
static const struct ft_director *model_find(const struct side *s)
{
	const struct ft_director *best = NULL;
	uint32_t most = 0;

	for (uint32_t i = 0; i < s->c->director_count; i++) {
		const struct ft_director *d = &s->c->directors[i];
		uint32_t count = 0;

		for (uint32_t n = d->first; d->tier == s->tier && n < d->first + d->count; n++)
			if (s->c->chips[n].line == s->line)
				count += s->c->chips[n].named ? 2 : 1;
		if (count > most) {
			most = count;
			best = d;
		}
	}
	return best;
}

static int unnamed_align(const struct side *s)
{
	enum { BOARDS_MAX = 256 };
	const struct ft_director *model = model_find(s);
	int r = 0;

	for (uint32_t i = 0; r == 0 && model && i < s->c->director_count; i++) {
		const struct ft_director *d = &s->c->directors[i];
		bool named = false;

		for (uint32_t n = d->first; n < d->first + d->count; n++)
			named |= s->c->chips[n].line == s->line && s->c->chips[n].named;
		if (d->tier == s->tier && d != model && !named && boards_end(s, d) > 0 &&
		    boards_end(s, d) <= BOARDS_MAX && boards_end(s, model) <= BOARDS_MAX)
			r = boards_align(s, d, model);
	}
	return r;
}

/* ---- */

static int side_number(struct side *s)
{
	int r;

	for (uint32_t i = 0; i < s->c->director_count; i++)
		if (s->c->directors[i].tier == s->tier)
			names_judge(s, &s->c->directors[i]);
	if (s->chips_per_board == 0)
		s->chips_per_board = chips_per_board_seen(s);
	r = keys_collect(s);
	for (uint32_t i = 0; r == 0 && i < s->c->director_count; i++)
		if (s->c->directors[i].tier == s->tier)
			places_give(s, &s->c->directors[i]);
	if (r == 0)
		r = unnamed_align(s);
	free(s->keys);
	return r;
}

int ft_boards_number(struct ft_chassis *c, const struct ft_chip_graph *g)
{
	int r = 0;

	/* Line boards last: see trace_mark(). */
	for (unsigned int i = 0; r == 0 && i < 2 * FT_DIRECTOR_KINDS; i++) {
		struct ft_inside in = ft_inside_planned(g, i % FT_DIRECTOR_KINDS);
		struct side side = {.c = c, .g = g, .tier = i % FT_DIRECTOR_KINDS, .line = i >= FT_DIRECTOR_KINDS};

		side.chips_per_board = side.line ? in.line_chips : in.fabric_chips;
		side.installed = side.line ? in.line_boards : in.fabric_boards;
		side.ports = side.line ? in.line_ports : 0;
		side.boards = side.line ? ft_number_most(in.line_boards, in.line_boards_max)
					: ft_number_most(in.fabric_boards, in.fabric_boards_max);
		r = side_number(&side);
	}
	return r;
}
