/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Assigns line boards to the slots of a director, if names do not but the plan gives the port of each cable. Single
 * chips are seated; a board with several may have them in any order of GUIDs.
 *
 * Local search: the chips of one director after the other are assigned to the seats for which most cables vote, until
 * none moves, or for ROUNDS_MAX rounds. A cable between two directors votes by the port that its far chip has in its
 * present seat. Only seats change during the search: the model is rebuilt once, with the final ones. A round is
 * O(cables + chips x seats) and an assignment for each director.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/match/classes.h"
#include "verify/model/model.h"

/* The votes of a cable whose planned port is known, and of one with only the place on the far chip known. */
enum { SURE = 64, LIKELY = 1, ROUNDS_MAX = 6 };

/* A director whose chips are seated. Seats are numbered chip by chip, board by board. */
struct seating {
	const struct ft_model *m;
	const struct ft_director *d;
	struct ft_seat *seats; /* by node: the present seat of its chip */
	uint32_t observed, place;
	uint32_t ports;	 /* outer ports of a chip */
	uint32_t boards; /* chips of a board */
	uint32_t count;	 /* seats */
	int64_t *votes;	 /* [d->count][count] */
};

/* The outer ports of each chip of a director if all have equally many; else 0. */
static uint32_t ports_a_chip(const struct ft_model *m, const struct ft_director *d)
{
	uint32_t chips = m->chassis->usual[d->tier].line_chips;

	return chips > 0 && d->seen.line_ports % chips == 0 ? d->seen.line_ports / chips : 0;
}

/* The seat that determines the port numbers of the whole director. */
static uint32_t seat_of(const struct seating *s, const struct ft_chip *chip)
{
	return chip->board * s->boards + chip->chip;
}

static uint32_t seat_now(const struct seating *s, const struct ft_chip *chip)
{
	return s->seats[chip->node].board * s->boards + s->seats[chip->node].chip;
}

static bool seating_begin(struct seating *s, const struct ft_model *m, const struct ft_director *d,
			  struct ft_seat *seats)
{
	uint32_t high = 0;

	*s = (struct seating){.m = m, .d = d, .seats = seats, .observed = m->observed.switch_of_node[d->node]};
	s->place = s->observed == FT_NONE ? FT_NONE : m->observed.switches[s->observed].planned;
	s->ports = ports_a_chip(m, d);
	s->boards = m->chassis->usual[d->tier].line_chips;
	if (s->place == FT_NONE || s->ports == 0)
		return false;
	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		const struct ft_chip *chip = &m->chassis->chips[i];

		if (chip->line && chip->chip >= s->boards)
			return false;
		high = chip->line && seat_of(s, chip) >= high ? seat_of(s, chip) + 1 : high;
	}
	s->count = m->places[s->place]->ports / s->ports;
	s->count = s->count < high ? high : s->count;
	return true;
}

/* A cable in port @at (from 0) of @chip votes for the seat with port @number of the whole director. */
static void vote(struct seating *s, uint32_t chip, uint32_t at, uint32_t number, int64_t weight)
{
	if (number > 0 && (number - 1) % s->ports == at && (number - 1) / s->ports < s->count)
		s->votes[(size_t)(chip - s->d->first) * s->count + (number - 1) / s->ports] += weight;
}

/* The port of this place to which the plan cables port @number of switch @far, or 0. */
static uint32_t port_by_plan(const struct seating *s, uint32_t far, uint32_t number)
{
	const struct ft_model *m = s->m;
	uint32_t cable = ft_port_map_cable(m, far, number);
	const struct ft_plan_cable *c = cable == FT_NONE ? NULL : &m->plan->cables[cable];

	if (!c || ft_port_map_far(m, cable, far) != s->place)
		return 0;
	return m->place_of[c->a] == s->place ? c->a_port : c->b_port;
}

/* The number of @port of director @d, whose chips have @ports each, in the present seat of its chip. */
static uint32_t number_now(const struct seating *s, const struct ft_director *d, uint32_t ports, uint32_t port)
{
	const struct ft_model *m = s->m;
	uint32_t number = ft_port_number(m, port), origin = m->origin[port];
	uint32_t boards = m->chassis->usual[d->tier].line_chips;
	const struct ft_chip *chip;

	if (origin == FT_NONE || ports == 0)
		return number;
	chip = &m->chassis->chips[m->chassis->chip_of[m->chips->ports[origin].node]];
	if (!chip->line || (number - 1) / ports != chip->board * boards + chip->chip)
		return number;
	return (s->seats[chip->node].board * boards + s->seats[chip->node].chip) * ports + (number - 1) % ports + 1;
}

static void cable_votes(struct seating *s, const struct ft_cable_end *end, uint32_t chip, uint32_t at)
{
	const struct ft_model *m = s->m;
	uint32_t there = ft_place_behind(m, end), number, ports;
	const struct ft_director *d = ft_director_of(m, end->far);

	if (end->far == end->near || there == FT_NONE)
		return;
	ports = d ? ports_a_chip(m, d) : 0;
	number = d ? number_now(s, d, ports, end->far_port) : ft_port_number(m, end->far_port);
	vote(s, chip, at, port_by_plan(s, there, number), SURE);
	/* The far chip may have the wrong seat itself. */
	for (uint32_t n = ports ? (number - 1) % ports + 1 : UINT32_MAX; n <= m->places[there]->ports; n += ports)
		vote(s, chip, at, port_by_plan(s, there, n), LIKELY);
}

/* The chip with an outer port of the director, and its number there, from 0. */
static bool port_find(const struct seating *s, uint32_t port, uint32_t *ret_chip, uint32_t *ret_at)
{
	const struct ft_model *m = s->m;
	uint32_t origin = m->origin[port], number = ft_port_number(m, port);
	uint32_t chip = origin == FT_NONE ? FT_NONE : m->chassis->chip_of[m->chips->ports[origin].node];

	if (chip == FT_NONE || (number - 1) / s->ports != seat_of(s, &m->chassis->chips[chip]))
		return false;
	*ret_chip = chip;
	*ret_at = (number - 1) % s->ports;
	return true;
}

/* A board without cables prefers a seat without planned cables. */
static void idle_votes(struct seating *s, uint32_t chip)
{
	const struct ft_model *m = s->m;
	uint32_t first = m->snapshot->nodes[s->d->node].first_port + seat_of(s, &m->chassis->chips[chip]) * s->ports;

	for (uint32_t n = 0; n < s->count * s->ports; n++)
		if (m->snapshot->ports[first + n % s->ports].link == FT_LINK_DOWN &&
		    ft_port_map_cable(m, s->place, n + 1) != FT_NONE)
			vote(s, chip, n % s->ports, n + 1, -LIKELY);
}

static void votes_collect(struct seating *s)
{
	const struct ft_model *m = s->m;
	const struct ft_observed_switch *sw = &m->observed.switches[s->observed];
	uint32_t chip, at;

	for (const struct ft_cable_end *end = ft_ends_of(m, s->observed); end < ft_ends_of(m, s->observed + 1); end++)
		if (port_find(s, end->port, &chip, &at))
			cable_votes(s, end, chip, at);
	for (uint32_t i = s->d->first; i < s->d->first + s->d->count; i++)
		if (m->chassis->chips[i].line)
			idle_votes(s, i);
	for (uint32_t i = sw->first_host; m->port_map.listed && i < sw->end_host; i++) {
		const struct ft_observed_host *host = &m->observed.hosts[i];
		const struct ft_plan_host *listed =
			m->port_map.listed[i] == FT_NONE ? NULL : &m->plan->hosts[m->port_map.listed[i]];

		if (listed && m->place_of[listed->edge] == s->place && port_find(s, host->switch_port, &chip, &at))
			vote(s, chip, at, listed->port, SURE);
	}
}

/* A chip stays unless more cables vote for another seat. Chips with slot names do not move. */
static int chips_seat(const struct seating *s, bool *ret_changed)
{
	const struct ft_chip *chips = s->m->chassis->chips + s->d->first;
	_cleanup_free_ int64_t *cost = malloc(((size_t)s->d->count * s->count + 1) * sizeof(*cost));
	_cleanup_free_ uint32_t *capacity = malloc((s->count + 1UL) * sizeof(*capacity));
	_cleanup_free_ uint32_t *to = calloc(s->d->count + 1UL, sizeof(*to));
	_cleanup_free_ uint32_t *who = calloc(s->d->count + 1UL, sizeof(*who));
	struct ft_choice choice = {cost, 0, s->count};
	int r;

	if (!cost || !capacity || !to || !who)
		return -ENOMEM;
	for (uint32_t n = 0; n < s->count; n++)
		capacity[n] = 1;
	for (uint32_t i = 0; i < s->d->count; i++) {
		if (!chips[i].line)
			continue;
		if (chips[i].named) {
			capacity[seat_of(s, &chips[i])] = 0;
			continue;
		}
		for (uint32_t n = 0; n < s->count; n++)
			cost[(size_t)choice.count * s->count + n] =
				(n != seat_now(s, &chips[i])) - 2 * s->votes[(size_t)i * s->count + n];
		who[choice.count++] = i;
	}
	r = choice.count > 0 ? ft_classes_assign(&choice, capacity, to) : 0;
	for (uint32_t n = 0; r == 0 && n < choice.count; n++) {
		*ret_changed |= to[n] != seat_now(s, &chips[who[n]]);
		s->seats[chips[who[n]].node] = (struct ft_seat){to[n] / s->boards, to[n] % s->boards};
	}
	return r;
}

static int director_seat(const struct ft_model *m, const struct ft_director *d, struct ft_seat *seats,
			 bool *ret_changed)
{
	struct seating s;
	int r;

	if (!seating_begin(&s, m, d, seats))
		return 0;
	s.votes = calloc((size_t)d->count * s.count + 1, sizeof(*s.votes));
	if (!s.votes)
		return -ENOMEM;
	votes_collect(&s);
	r = chips_seat(&s, ret_changed);
	free(s.votes);
	return r;
}

int ft_seats_tell(const struct ft_model *m, struct ft_seat **ret_seats)
{
	_cleanup_free_ struct ft_seat *seats = NULL;
	bool moved = true;
	int r = 0;

	*ret_seats = NULL;
	if (!m->unseated || !m->port_map.first)
		return 0;
	seats = malloc((m->chips->node_count + 1UL) * sizeof(*seats));
	if (!seats)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->chips->node_count; i++) {
		const struct ft_chip *chip =
			m->chassis->chip_of[i] == FT_NONE ? NULL : &m->chassis->chips[m->chassis->chip_of[i]];

		seats[i] = chip ? (struct ft_seat){chip->board, chip->chip} : (struct ft_seat){FT_NONE, FT_NONE};
	}
	for (unsigned int round = 0; r == 0 && moved && round < ROUNDS_MAX; round++) {
		moved = false;
		for (uint32_t i = 0; r == 0 && i < m->chassis->director_count; i++)
			r = director_seat(m, &m->chassis->directors[i], seats, &moved);
	}
	if (r == 0)
		*ret_seats = FT_STEAL(seats);
	return r;
}
