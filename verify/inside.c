/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Directors, verified inside: boards that are not there, with the outer cables that went with them. What a director
 * should have is in the plan; where that is silent, it is what most directors of its tier have, and a director that
 * lacks line boards but no planned cable is one that was bought smaller.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "verify/inside.h"

/* A board that is not there, or one of its chips. */
struct gap {
	struct ft_spot spot;
	bool placed;	       /* it is known which board it is; else only that there are too few */
	const bool *empty;     /* else, by place: the slots that it may have; NULL: any */
	bool whole;	       /* all of the board */
	uint32_t seen, wanted; /* boards of the side, or chips of the board */
};

/* What the chips of the other side show of it, in traces. */
struct gap_shadow {
	uint32_t expected, silent, unread, dark;
};

static const struct ft_chip *chips_of(const struct ft_inspection *in)
{
	return in->x->m->chassis->chips + in->d->first;
}

enum { BOARDS_MOST = 1024 };

/* ---- what boards are called ---- */

/* A named chip of the side: at the spot in any director of the tier, or any of this director. */
static const struct ft_chip *namesake_find(const struct ft_inspection *in, struct ft_spot spot, bool at_spot)
{
	const struct ft_model *m = in->x->m;

	for (uint32_t i = 0; i < m->chassis->chip_count; i++) {
		const struct ft_chip *chip = &m->chassis->chips[i];

		if (!chip->named || chip->line != spot.line ||
		    m->chassis->directors[chip->director].tier != in->d->tier)
			continue;
		if (at_spot ? chip->board == spot.board : &m->chassis->directors[chip->director] == in->d)
			return chip;
	}
	return NULL;
}

/* The word of @chip for its board, with @number instead of its own. */
static void word_add(const struct ft_inspection *in, const struct ft_chip *chip, uint32_t number, struct ft_text *text)
{
	const struct ft_model *m = in->x->m;
	const struct ft_node *node = &m->chips->nodes[chip->node];
	const char *word = ft_node_description(m->chips, node) + chip->slot.word;
	size_t length = node->description_length - chip->slot.word, tail = chip->slot.stem + chip->slot.digits;
	bool letter = in->want.line_chips == 1 && chip->slot.chip > 0;

	if (!chip->line)
		letter = in->want.fabric_chips == 1 && chip->slot.chip > 0;
	ft_text_add_safe(text, word, chip->slot.stem);
	ft_text_printf(text, "%0*" PRIu32, (int)chip->slot.digits, number);
	/* The "A" of S201A, the "/U2" of L03/U2. */
	while (letter && length > tail && word[length - 1] == ' ')
		length--;
	if (letter && length > tail)
		ft_text_add_safe(text, word + tail, length - tail);
}

static const char *side_word(struct ft_spot spot)
{
	return spot.line ? "line" : "fabric";
}

/* The name of a board alone: "L05", or "5". */
static void board_name_add(const struct ft_inspection *in, struct ft_spot spot, struct ft_text *text)
{
	const struct ft_chip *same = namesake_find(in, spot, true), *other = namesake_find(in, spot, false);

	if (same)
		word_add(in, same, same->slot.number, text);
	else if (other && other->slot.number > other->board)
		word_add(in, other, other->slot.number - other->board + spot.board, text);
	else
		ft_text_printf(text, "%u", spot.board + 1);
}

bool ft_board_is_named(const struct ft_inspection *in, struct ft_spot spot)
{
	return namesake_find(in, spot, true) || namesake_find(in, spot, false);
}

void ft_board_add(const struct ft_inspection *in, struct ft_spot spot, struct ft_text *text)
{
	ft_text_printf(text, "%s board ", side_word(spot));
	board_name_add(in, spot, text);
}

/* "line board L05", "chip 2 of line board L05", "a line board (15 of 16 are there)" */
static void gap_add(const struct ft_inspection *in, const struct gap *gap, struct ft_text *text)
{
	bool named = gap->placed && ft_board_is_named(in, gap->spot);

	if (!gap->whole && named)
		ft_text_printf(text, "chip %u of ", gap->spot.chip + 1);
	if (named)
		ft_board_add(in, gap->spot, text);
	else
		ft_text_printf(text, "a %s %s", side_word(gap->spot), gap->whole ? "board" : "chip");
}

/* ---- traces ---- */

static uint32_t gap_traces(const struct ft_inspection *in, const struct gap *gap, const struct ft_chip *near)
{
	uint32_t chips = !gap->whole ? 1 : gap->spot.line ? in->want.line_chips : in->want.fabric_chips, sum = 0;

	for (uint32_t i = 0; i < chips; i++) {
		struct ft_chip gone = {
			.line = gap->spot.line, .board = gap->spot.board, .chip = gap->whole ? i : gap->spot.chip};

		sum += gone.line ? ft_traces_wanted(in, &gone, near) : ft_traces_wanted(in, near, &gone);
	}
	return sum;
}

static struct gap_shadow gap_shadow(const struct ft_inspection *in, const struct gap *gap)
{
	const struct ft_model *m = in->x->m;
	const struct ft_chip *chips = chips_of(in);
	struct gap_shadow s = {0};

	for (uint32_t i = 0; i < in->d->count; i++) {
		uint32_t room, n;

		if (chips[i].line == gap->spot.line)
			continue;
		room = gap_traces(in, gap, &chips[i]);
		s.expected += room;
		n = lesser(ft_traces_in_state(m, &chips[i], FT_LINK_SILENT), room);
		s.silent += n;
		room -= n;
		n = lesser(ft_traces_in_state(m, &chips[i], FT_LINK_UNREAD), room);
		s.unread += n;
		room -= n;
		s.dark += lesser(ft_traces_in_state(m, &chips[i], FT_LINK_DOWN), room);
	}
	return s;
}

/* Adds the ports that should lead to the board to the finding. */
static void gap_where(const struct ft_inspection *in, struct ft_finding *f, const struct gap *gap, enum ft_link link)
{
	struct ft_model *m = in->x->m;
	const struct ft_chip *chips = chips_of(in);

	for (uint32_t i = 0; i < in->d->count; i++) {
		uint32_t per_chip, picked, last = gap->whole ? 0 : gap->spot.chip;

		if (chips[i].line == gap->spot.line)
			continue;
		if (gap->whole)
			last = (gap->spot.line ? in->want.line_chips : in->want.fabric_chips) - 1;
		for (uint32_t c = gap->whole ? 0 : gap->spot.chip; c <= last; c++) {
			struct ft_spot spot = {gap->spot.line, gap->placed ? gap->spot.board : UINT32_MAX, c};
			struct gap one = {.spot = {gap->spot.line, gap->spot.board, c}};

			per_chip = gap_traces(in, &one, &chips[i]);
			picked = ft_traces_pick(in, &chips[i], spot, per_chip, link, in->x->picked);
			for (uint32_t p = 0; p < picked; p++)
				ft_finding_where_trace(m, f, in->x->picked[p]);
			/* Which of the others it is cannot be told; it is as many of them. */
			ft_traces_claim(m, &chips[i], per_chip - picked, link);
		}
	}
	f->vague = f->where_count == 0;
	if (f->where_count == 0)
		ft_finding_where_switch(m, f, in->live, 0);
}

/* ---- the outer cables of a line board ---- */

static uint32_t ports_a_board(const struct ft_inspection *in)
{
	return in->d->seen.line_ports;
}

/* The first outer port of the part that is gone, among those of the whole; and how many in @ret_count. */
static uint32_t gap_ports(const struct ft_inspection *in, const struct gap *gap, uint32_t *ret_count)
{
	uint32_t first = gap->spot.board * ports_a_board(in) + 1, chips = in->want.line_chips;

	*ret_count = ports_a_board(in);
	if (gap->whole || chips == 0)
		return first;
	*ret_count = ports_a_board(in) / chips;
	return first + gap->spot.chip * *ret_count;
}

/* The planned port of the director that cable @n of the bundle to @q has; 0: the plan does not say. */
static uint32_t planned_port(const struct ft_inspection *in, uint32_t q, uint32_t n)
{
	const struct ft_model *m = in->x->m;
	uint32_t a = (uint32_t)(m->places[in->place] - m->plan->switches);
	uint32_t b = (uint32_t)(m->places[q] - m->plan->switches);
	uint32_t index = ft_plan_find_bundle(m->plan, a, b);
	const struct ft_plan_bundle *bundle = index == FT_UNPINNED ? NULL : &m->plan->bundles[index];

	if (!bundle || n >= bundle->count)
		return 0;
	return (bundle->a == a ? bundle->a_port : bundle->b_port) + n;
}

/* Whether the director is cabled by the plan's port numbers, as far as it is cabled at all. */
static bool plan_ports_hold(const struct ft_inspection *in)
{
	const struct ft_model *m = in->x->m;
	const struct ft_live_switch *sw = &m->live.switches[in->live];
	uint32_t right = 0, all = 0;

	for (uint32_t i = 0; i < sw->cable_count; i++) {
		const struct ft_live_cable *cable = &m->live.cables[m->live.at[sw->first_cable + i]];
		uint32_t far = m->live.switches[ft_cable_far(cable, in->live)].planned;
		uint32_t number = ft_port_number(m, ft_cable_port(cable, in->live)), low;

		if (far == FT_NONE || width_of(m, in->place, far) == 0)
			continue;
		low = planned_port(in, far, 0);
		all++;
		right += low > 0 && number >= low && number < low + width_of(m, in->place, far);
	}
	return all > 0 && right * 10 >= all * 9;
}

/* How many of the ports of the gap are for cables to @q. */
static uint32_t ports_for(const struct ft_inspection *in, const struct gap *gap, uint32_t q, bool by_plan)
{
	const struct ft_model *m = in->x->m;
	uint32_t count, first = gap_ports(in, gap, &count), ports = 0;

	for (uint32_t n = first; !by_plan && n < first + count; n++)
		ports += ft_port_usual(m, in->live, n, q);
	for (uint32_t n = 0; by_plan && n < width_of(m, in->place, q); n++) {
		uint32_t port = planned_port(in, q, n);

		ports += port >= first && port < first + count;
	}
	return ports;
}

/* Who is short of cables, with the numbers of which port would be theirs. */
enum knowledge { BY_HABIT, BY_PLAN, BY_COUNT };

static enum knowledge knowledge_of(const struct ft_inspection *in, const struct gap *gap)
{
	const struct ft_model *m = in->x->m;
	uint32_t known = 0;

	if (!gap->placed)
		return BY_COUNT;
	for (const struct ft_pair *pair = ft_pairs_of(m, in->place); pair < ft_pairs_of(m, in->place + 1); pair++)
		known += ports_for(in, gap, pair->peer, false);
	if (known > 0)
		return BY_HABIT;
	return plan_ports_hold(in) ? BY_PLAN : BY_COUNT;
}

/* @count cables to @q went with it. */
static void lack_say(const struct ft_inspection *in, struct ft_finding *f, uint32_t q, uint32_t count,
		     enum ft_link link)
{
	struct ft_model *m = in->x->m;
	char cables[48];

	if (link == FT_LINK_SILENT) {
		/* They are up, as far as anybody can see. */
		m->cells.seen[ft_cell_at(m, in->place, q)] += count;
	} else {
		f->impact.links_lost += count;
		ft_finding_lack(m, f, in->place, q, count);
	}
	ft_finding_symptom(m, f, m->live_of[q], 0, "%s lacks %s", label_of(m, q), ft_plural(count, "cable", cables));
}

static void outer_cables_take(const struct ft_inspection *in, struct ft_finding *f, uint32_t q, uint32_t count,
			      enum ft_link link)
{
	struct ft_model *m = in->x->m;
	uint32_t n = ft_ports_pick(m, m->live_of[q], in->place, count, link, in->x->picked);

	for (uint32_t i = 0; i < n; i++)
		ft_finding_where_port(m, f, in->x->picked[i]);
	*deficit_at(in->x, in->place, q) -= count;
	lack_say(in, f, q, count, link);
}

/* Ports of the gap that no other director of its kind has any use for that would tell. */
static uint32_t ports_untold(const struct ft_inspection *in, const struct gap *gap)
{
	const struct ft_model *m = in->x->m;
	uint32_t count, first = gap_ports(in, gap, &count), untold = 0;

	for (uint32_t n = first; n < first + count; n++)
		untold += !ft_port_has_use(m, in->live, n);
	return untold;
}

/* Cables of @live in ports that switches like it use for planned switch @to, and that end on another one. */
static uint32_t strays_from(const struct ft_model *m, uint32_t live, uint32_t to)
{
	const struct ft_live_switch *sw = &m->live.switches[live];
	uint32_t count = 0;

	for (uint32_t i = 0; i < sw->cable_count; i++) {
		const struct ft_live_cable *cable = &m->live.cables[m->live.at[sw->first_cable + i]];

		count += m->live.switches[ft_cable_far(cable, live)].planned != to &&
			 ft_port_usual(m, live, ft_port_number(m, ft_cable_port(cable, live)), to);
	}
	return count;
}

/* True where the cables in the ports of the chip that has port @number are those that others have there. */
static bool chip_is_in_place(const struct ft_inspection *in, uint32_t number)
{
	const struct ft_model *m = in->x->m;
	const struct ft_node *node = node_of(m, in->live);
	const struct ft_live_switch *sw = &m->live.switches[in->live];
	uint32_t origin = m->origin[node->first_port + number - 1], agree = 0, all = 0;

	for (uint32_t i = 0; origin != FT_NONE && i < sw->cable_count; i++) {
		const struct ft_live_cable *cable = &m->live.cables[m->live.at[sw->first_cable + i]];
		uint32_t port = ft_cable_port(cable, in->live), own = m->origin[port];
		uint32_t far = m->live.switches[ft_cable_far(cable, in->live)].planned;

		if (own == FT_NONE || m->chips->ports[own].node != m->chips->ports[origin].node)
			continue;
		all++;
		agree += far != FT_NONE && ft_port_usual(m, in->live, ft_port_number(m, port), far);
	}
	return agree * 2 > all;
}

/* Ports of the director that are dark, on a board that is there, and that others have for cables to @q. */
static uint32_t dark_ports_for(const struct ft_inspection *in, uint32_t q)
{
	const struct ft_model *m = in->x->m;
	const struct ft_node *node = node_of(m, in->live);
	uint32_t count = 0;

	for (uint32_t n = 1; n <= node->port_count; n++)
		count += m->snapshot->ports[node->first_port + n - 1].link == FT_LINK_DOWN &&
			 !m->port_claimed[node->first_port + n - 1] && ft_port_usual(m, in->live, n, q) &&
			 chip_is_in_place(in, n);
	return count;
}

/*
 * How many of the cables that lack to @q did not go with a board: one end is in its port and the other somewhere else,
 * or the port of the director that is for it is there and dark.
 */
static uint32_t others_lacking(const struct ft_inspection *in, uint32_t q)
{
	const struct ft_model *m = in->x->m;
	uint32_t near = strays_from(m, m->live_of[q], in->place);
	uint32_t here = strays_from(m, in->live, q) + dark_ports_for(in, q);

	/* One that is exchanged with another is seen at both ends. */
	return near > here ? near : here;
}

/* How many of the cables that lack to @q went with the board, if it has room for @room more. */
static uint32_t share_of(const struct ft_inspection *in, const struct gap *gap, enum knowledge by, uint32_t q,
			 uint32_t room)
{
	const struct ft_model *m = in->x->m;
	uint32_t deficit = m->live_of[q] == FT_NONE ? 0 : *deficit_at(in->x, in->place, q);
	uint32_t most = by == BY_COUNT ? room : ports_for(in, gap, q, by == BY_PLAN), others;

	if (deficit == 0)
		return 0;
	others = others_lacking(in, q);
	deficit = deficit > others ? deficit - others : 0;
	return lesser(deficit, lesser(most, room));
}

/* And those in ports of which others tell nothing: what no port on the other boards is the place of. */
static uint32_t rest_of(const struct ft_inspection *in, uint32_t q, uint32_t share, uint32_t room)
{
	const struct ft_model *m = in->x->m;

	if (room == 0 || m->live_of[q] == FT_NONE || ft_usual_ports(m, in->live, q, FT_LINK_DOWN, 1) > 0)
		return 0;
	return lesser(*deficit_at(in->x, in->place, q) - share, room);
}

/* ---- the same, where the plan says which port is whose ---- */

/* Where nobody knows which board it is, it is any port that nobody saw. */
static bool port_is_of(const struct ft_inspection *in, const struct gap *gap, uint32_t number)
{
	const struct ft_node *node = node_of(in->x->m, in->live);
	uint32_t count, first = gap_ports(in, gap, &count);

	if (gap->placed)
		return number >= first && number - first < count;
	return number > 0 && number <= node->port_count && in->x->m->origin[node->first_port + number - 1] == FT_NONE;
}

/*
 * True where planned cable @c led to the gap, and its far end, port @number of the switch in @q, bears that out: the
 * port is in state @link and no finding has it yet (it is in @ret_port then), or it went with another board.
 */
static bool cable_went(const struct ft_inspection *in, uint32_t q, uint32_t number, enum ft_link link,
		       uint32_t *ret_port)
{
	const struct ft_model *m = in->x->m;
	const struct ft_node *node = m->live_of[q] == FT_NONE ? NULL : node_of(m, m->live_of[q]);
	uint32_t port;

	if (!node)
		return false;
	*ret_port = FT_NONE;
	if (number == 0 || number > node->port_count)
		return true;
	port = node->first_port + number - 1;
	if (m->origin[port] == FT_NONE)
		return true;
	*ret_port = port;
	return m->snapshot->ports[port].link == link && !m->port_claimed[port];
}

/* Returns how many cables went with the board. The list is sorted, so that those to one switch follow each other. */
static uint32_t planned_cables_fold(const struct ft_inspection *in, struct ft_finding *f, const struct gap *gap,
				    enum ft_link link)
{
	struct ft_model *m = in->x->m;
	uint32_t self = (uint32_t)(m->places[in->place] - m->plan->switches), taken = 0, to = FT_NONE, count = 0;

	for (uint32_t i = 0; i < m->plan->cable_count; i++) {
		const struct ft_plan_cable *c = &m->plan->cables[i];
		bool upper = c->b == self;
		uint32_t q = m->place_of[upper ? c->a : c->b], port;

		if ((c->a != self && !upper) || m->exact.gone[i] ||
		    !port_is_of(in, gap, upper ? c->b_port : c->a_port) ||
		    !cable_went(in, q, upper ? c->a_port : c->b_port, link, &port))
			continue;
		m->exact.gone[i] = true;
		if (port != FT_NONE)
			ft_finding_where_port(m, f, port);
		if (q != to && count > 0) {
			lack_say(in, f, to, count, link);
			count = 0;
		}
		to = q;
		count++;
		taken++;
	}
	if (count > 0)
		lack_say(in, f, to, count, link);
	return taken;
}

/* Cables to a switch that lacks @lacking of them went with the board, as far as @room is there. Returns how many. */
static uint32_t outer_bundle_fold(const struct ft_inspection *in, struct ft_finding *f, const struct gap *gap,
				  enum ft_link link, uint32_t q, uint32_t room)
{
	uint32_t count = share_of(in, gap, BY_COUNT, q, room);

	if (count > 0)
		outer_cables_take(in, f, q, count, link);
	return count;
}

/* Bundles are in adjacent ports: where nothing but the number of ports tells, whole ones went before parts. */
static uint32_t outer_cables_count(const struct ft_inspection *in, struct ft_finding *f, const struct gap *gap,
				   enum ft_link link, uint32_t room)
{
	const struct ft_model *m = in->x->m;
	const struct ft_pair *first = ft_pairs_of(m, in->place), *end = ft_pairs_of(m, in->place + 1);
	uint32_t most = 0, taken = 0;

	for (const struct ft_pair *pair = first; pair < end; pair++)
		most = in->x->deficit[pair->cell] > most ? in->x->deficit[pair->cell] : most;
	for (; most > 0 && taken < room; most--)
		for (const struct ft_pair *pair = first; pair < end; pair++)
			if (in->x->deficit[pair->cell] == most)
				taken += outer_bundle_fold(in, f, gap, link, pair->peer, room - taken);
	return taken;
}

/* Returns how many cables went with the board. */
static uint32_t outer_cables_fold(const struct ft_inspection *in, struct ft_finding *f, const struct gap *gap,
				  enum ft_link link)
{
	const struct ft_model *m = in->x->m;
	enum knowledge by;
	uint32_t room, untold, taken = 0;

	if (m->plan->cable_count > 0)
		return planned_cables_fold(in, f, gap, link);
	by = knowledge_of(in, gap);
	untold = by == BY_HABIT ? ports_untold(in, gap) : 0;
	gap_ports(in, gap, &room);
	if (by == BY_COUNT)
		return outer_cables_count(in, f, gap, link, room);
	for (const struct ft_pair *pair = ft_pairs_of(m, in->place); pair < ft_pairs_of(m, in->place + 1); pair++) {
		uint32_t share = share_of(in, gap, by, pair->peer, room - taken);
		uint32_t rest = rest_of(in, pair->peer, share, lesser(untold, room - taken - share));

		if (share + rest > 0)
			outer_cables_take(in, f, pair->peer, share + rest, link);
		taken += share + rest;
		untold -= rest;
	}
	return taken;
}

/* Hosts that went with it, of those that nothing else accounts for. */
static uint32_t hosts_fold(const struct ft_inspection *in, const struct gap *gap, uint32_t cables)
{
	struct ft_model *m = in->x->m;
	uint32_t room, planned = m->places[in->place]->hosts, live = m->live.switches[in->live].hosts, hosts;

	if (in->place >= m->edges)
		return 0;
	gap_ports(in, gap, &room);
	hosts = lesser(in->x->hosts_lacking, planned > live ? planned - live : 0);
	hosts = lesser(hosts, room > cables ? room - cables : 0);
	in->x->hosts_lacking -= hosts;
	m->hosts_behind += hosts;
	return hosts;
}

/* ---- findings ---- */

/* The board, or all that are not there (@all), are to be brought back. */
static void board_act_named(const struct ft_inspection *in, struct ft_finding *f, const struct gap *gap, bool all,
			    struct ft_text *name)
{
	struct ft_model *m = in->x->m;
	struct ft_place place;

	m->failed |= name->failed;
	f->board = (struct ft_finding_board){.known = true,
					     .of = (uint32_t)(m->places[in->place] - m->plan->switches),
					     .line = gap->spot.line,
					     .whole = gap->whole,
					     .all = all,
					     .board = gap->spot.board,
					     .chip = gap->spot.chip};
	place = (struct ft_place){name->data, m->live.switches[in->live].guid, 0};
	ft_finding_act(m, f, f->code == FT_CODE_SWITCH_MUTE ? FT_ACT_POWER : FT_ACT_BOARD, &place, NULL);
}

static void board_act(const struct ft_inspection *in, struct ft_finding *f, const struct gap *gap)
{
	struct ft_model *m = in->x->m;
	_cleanup_(ft_text_release) struct ft_text name = {0};

	if (gap->placed && gap->whole && ft_board_is_named(in, gap->spot)) {
		ft_text_printf(&name, "%s ", m->live.switches[in->live].label);
		board_name_add(in, gap->spot, &name);
	} else {
		gap_add(in, gap, &name);
		ft_text_printf(&name, " of %s", m->live.switches[in->live].label);
	}
	board_act_named(in, f, gap, false, &name);
}

/* A line board, or a chip of it, that is there and has lost its traces. */
void ft_board_act(const struct ft_inspection *in, struct ft_finding *f, struct ft_spot spot, bool whole,
		  const char *words)
{
	const struct gap gap = {.spot = spot, .placed = true, .whole = whole};
	_cleanup_(ft_text_release) struct ft_text name = {0};

	ft_text_puts(&name, words);
	board_act_named(in, f, &gap, false, &name);
}

/* "; it is L04 or L06, whichever was not empty before" */
static void slots_add(const struct ft_inspection *in, const struct gap *gap, struct ft_text *text)
{
	enum { NAMED_MOST = 4 };
	uint32_t count = 0, named = 0;

	if (!gap->whole || (gap->placed && ft_board_is_named(in, gap->spot)))
		return;
	for (uint32_t b = 0; gap->empty && b < BOARDS_MOST; b++)
		count += gap->empty[b];
	if (count == 0 || count > NAMED_MOST) {
		ft_text_printf(text, "; an empty slot, or a dark board, is the one");
		return;
	}
	ft_text_printf(text, "; it is ");
	for (uint32_t b = 0; named < count; b++) {
		if (!gap->empty[b])
			continue;
		ft_text_printf(text, "%s", named == 0 ? "" : named + 1 < count ? ", " : " or ");
		board_name_add(in, (struct ft_spot){gap->spot.line, b, 0}, text);
		named++;
	}
	ft_text_printf(text, ", whichever is not empty by intent");
}

static void gap_say(const struct ft_inspection *in, struct ft_finding *f, const struct gap *gap,
		    const struct gap_shadow *s, uint32_t cables, uint32_t hosts)
{
	struct ft_model *m = in->x->m;
	const char *director = m->live.switches[in->live].label, *part;
	const char *others = gap->spot.line ? "fabric boards" : "line boards";
	bool mute = f->evidence == FT_EVIDENCE_MUTE;
	char words[48], host_words[48];

	ft_text_reset(&in->x->text_a);
	gap_add(in, gap, &in->x->text_a);
	part = ft_text_string(&in->x->text_a);
	ft_say(m, &f->expected, "%u %s", gap->wanted,
	       !gap->whole	? "chips on the board"
	       : gap->spot.line ? "line boards"
				: "fabric boards");
	ft_say(m, &f->observed, "%u; the traces for the other are %s", gap->seen,
	       mute ? "up and silent" : down_word(m));
	if (mute) {
		ft_say(m, &f->text, "%s of %s does not answer: its traces to the %s are up, but it is silent", part,
		       director, others);
		ft_say(m, &f->fix, "restart the management of %s, or reseat the board", director);
		return;
	}
	ft_text_reset(&in->x->text_b);
	if (cables > 0)
		ft_text_printf(&in->x->text_b, ", and %s with it", ft_plural(cables, "outer cable", words));
	if (hosts > 0)
		ft_text_printf(&in->x->text_b, "%s%s", cables > 0 ? " and " : ", and with it ",
			       ft_plural(hosts, "host", host_words));
	ft_say(m, &f->text, "%s of %s is missing: its %u traces to the %s are %s%s", part, director, s->expected,
	       others, down_word(m), ft_text_string(&in->x->text_b));
	ft_text_reset(&in->x->text_b);
	slots_add(in, gap, &in->x->text_b);
	ft_say(m, &f->fix, "look at the board's lights, reseat it, then replace it%s", ft_text_string(&in->x->text_b));
}

static bool gap_is_mute(const struct gap_shadow *s)
{
	return s->expected > 0 && (s->silent * 10 >= s->expected * 9 || (s->silent * 2 > s->expected && s->dark == 0));
}

static void gap_explain(const struct ft_inspection *in, const struct gap *gap)
{
	struct ft_model *m = in->x->m;
	struct gap_shadow s = gap_shadow(in, gap);
	bool mute = gap_is_mute(&s);
	struct ft_finding *f;
	uint32_t cables = 0, hosts = 0;

	/* Never "missing" for want of a look: then it is a hole in the sweep, which is said there. */
	if (!mute && s.unread + s.silent > 0 && s.dark * 2 <= s.expected)
		return;
	f = ft_finding_add(m, mute ? FT_CODE_SWITCH_MUTE : FT_CODE_BOARD_MISSING,
			   mute ? FT_EVIDENCE_MUTE : FT_EVIDENCE_ABSENT);
	gap_where(in, f, gap, mute ? FT_LINK_SILENT : FT_LINK_DOWN);
	if (gap->spot.line) {
		cables = outer_cables_fold(in, f, gap, mute ? FT_LINK_SILENT : FT_LINK_DOWN);
		hosts = hosts_fold(in, gap, cables);
	}
	f->impact.hosts_cut_off = mute ? 0 : hosts;
	if (f->impact.hosts_cut_off > 0)
		f->severity = FT_SEVERITY_CRITICAL;
	gap_say(in, f, gap, &s, cables, hosts);
	board_act(in, f, gap);
}

/* ---- which boards are not there ---- */

static bool board_is_seen(const struct ft_inspection *in, bool line, uint32_t board)
{
	const struct ft_chip *chips = chips_of(in);

	for (uint32_t i = 0; i < in->d->count; i++)
		if (chips[i].line == line && chips[i].board == board)
			return true;
	return false;
}

/* How many other directors of the tier have such a board. */
static uint32_t board_votes(const struct ft_inspection *in, bool line, uint32_t board)
{
	const struct ft_model *m = in->x->m;
	uint32_t votes = 0;

	for (uint32_t i = 0; i < m->chassis->director_count; i++) {
		const struct ft_inspection other = {.x = in->x, .d = &m->chassis->directors[i]};

		votes += other.d != in->d && other.d->tier == in->d->tier && board_is_seen(&other, line, board);
	}
	return votes;
}

/* Where the plan says which port is whose: cables that should be in the ports of that board, and are not seen. */
static uint32_t board_cables(const struct ft_inspection *in, uint32_t board)
{
	const struct ft_model *m = in->x->m;
	const struct gap gap = {.spot = {true, board, 0}, .whole = true};
	uint32_t count, first = gap_ports(in, &gap, &count), cables = 0;

	for (uint32_t n = first; n < first + count; n++) {
		uint32_t cable = ft_exact_cable(m, in->place, n);

		cables += cable != FT_NONE && !m->exact.gone[cable];
	}
	return cables;
}

/* True where places follow from the numbers in names, so that one that is free is that of the missing board. */
static bool side_is_numbered(const struct ft_inspection *in, bool line)
{
	const struct ft_chip *chips = chips_of(in);
	uint32_t offset = UINT32_MAX;

	for (uint32_t i = 0; i < in->d->count; i++) {
		uint32_t own = chips[i].slot.number - chips[i].board;

		if (chips[i].line != line)
			continue;
		if (!chips[i].named || (offset != UINT32_MAX && own != offset))
			return false;
		offset = own;
	}
	return offset != UINT32_MAX;
}

/* How many places there are; those that names tell of may be more than there are boards. */
static uint32_t slots_of(const struct ft_inspection *in, bool line, uint32_t wanted)
{
	const struct ft_chip *chips = chips_of(in);
	uint32_t slots = line ? in->want.line_boards_max : in->want.fabric_boards_max;

	slots = slots > wanted ? slots : wanted;
	for (uint32_t i = 0; i < in->d->count; i++)
		if (chips[i].line == line && chips[i].board >= slots)
			slots = chips[i].board + 1;
	return lesser(slots, BOARDS_MOST);
}

/* Marks the places without a board. Returns how many. */
static uint32_t slots_empty(const struct ft_inspection *in, bool line, uint32_t wanted, bool *ret_empty)
{
	uint32_t slots = slots_of(in, line, wanted), count = 0;

	for (uint32_t b = 0; b < slots; b++) {
		ret_empty[b] = !board_is_seen(in, line, b);
		count += ret_empty[b];
	}
	return count;
}

/* The place that the next missing board most likely has, beside those in @taken. */
static uint32_t board_free(const struct ft_inspection *in, bool line, uint32_t wanted, const bool *taken,
			   uint32_t *ret_votes)
{
	uint32_t best = FT_NONE, most = 0;

	for (uint32_t b = 0; b < BOARDS_MOST; b++) {
		uint32_t votes;

		if (taken[b] || board_is_seen(in, line, b))
			continue;
		votes = board_votes(in, line, b) + (line ? board_cables(in, b) : 0);
		if (best == FT_NONE || votes > most) {
			best = b;
			most = votes;
		}
		if (b >= wanted && b >= in->d->count)
			break;
	}
	*ret_votes = most;
	return best;
}

static void boards_check(const struct ft_inspection *in, bool line)
{
	uint32_t wanted = line ? in->want.line_boards : in->want.fabric_boards;
	uint32_t seen = line ? in->d->seen.line_boards : in->d->seen.fabric_boards;
	bool numbered = side_is_numbered(in, line), taken[BOARDS_MOST] = {false}, empty[BOARDS_MOST] = {false};
	bool certain = wanted > seen && slots_empty(in, line, wanted, empty) <= wanted - seen;

	for (uint32_t n = seen; n < wanted && n < BOARDS_MOST; n++) {
		uint32_t votes, board = board_free(in, line, wanted, taken, &votes);
		struct gap gap = {.spot = {line, board, 0}, .whole = true, .seen = seen, .wanted = wanted};

		if (board == FT_NONE)
			return;
		taken[board] = true;
		/* Where boards are counted by GUIDs, that others have one of that number tells nothing. */
		gap.placed = (numbered && (certain || votes > 0)) || (line && in->x->m->plan->cable_count > 0);
		gap.empty = numbered ? empty : NULL;
		gap_explain(in, &gap);
	}
}

/* Boards of which a chip is there and another is not. */
static void chips_check(const struct ft_inspection *in)
{
	const struct ft_chip *chips = chips_of(in);

	for (uint32_t i = 0; i < in->d->count; i++) {
		uint32_t wanted = chips[i].line ? in->want.line_chips : in->want.fabric_chips, seen = 0;

		if (i > 0 && chips[i - 1].line == chips[i].line && chips[i - 1].board == chips[i].board)
			continue;
		for (uint32_t n = i;
		     n < in->d->count && chips[n].line == chips[i].line && chips[n].board == chips[i].board; n++)
			seen++;
		for (uint32_t c = 0; seen < wanted && c < wanted; c++) {
			struct gap gap = {.spot = {chips[i].line, chips[i].board, c},
					  .placed = true,
					  .seen = seen,
					  .wanted = wanted};
			bool there = false;

			for (uint32_t n = i; n < i + seen; n++)
				there |= chips[n].chip == c;
			if (!there)
				gap_explain(in, &gap);
		}
	}
}

/* True where a planned cable that nothing else has taken leads to a port that nobody saw. */
static bool lacks_planned_cables(const struct ft_inspection *in)
{
	const struct ft_model *m = in->x->m;
	const struct gap anywhere = {.spot = {true, 0, 0}, .whole = true};
	uint32_t self = (uint32_t)(m->places[in->place] - m->plan->switches);

	for (uint32_t i = 0; i < m->plan->cable_count; i++) {
		const struct ft_plan_cable *c = &m->plan->cables[i];

		if ((c->a == self || c->b == self) && !m->exact.gone[i] &&
		    m->live_of[m->place_of[c->a == self ? c->b : c->a]] != FT_NONE &&
		    port_is_of(in, &anywhere, c->a == self ? c->a_port : c->b_port))
			return true;
	}
	return false;
}

/* A director that the plan does not tell the size of, and that lacks nothing, is one that was bought smaller. */
static bool is_smaller(const struct ft_inspection *in)
{
	const struct ft_model *m = in->x->m;

	if (in->lines_planned)
		return false;
	if (m->plan->cable_count > 0)
		return !lacks_planned_cables(in);
	for (const struct ft_pair *pair = ft_pairs_of(m, in->place); pair < ft_pairs_of(m, in->place + 1); pair++)
		if (m->live_of[pair->peer] != FT_NONE && in->x->deficit[pair->cell] > 0)
			return false;
	return in->place >= m->edges || m->live.switches[in->live].hosts >= m->places[in->place]->hosts;
}

/* ---- a director without any fabric board ---- */

static void bare_fold(const struct ft_inspection *in, struct ft_finding *f)
{
	const struct ft_model *m = in->x->m;
	const struct gap anywhere = {.spot = {true, 0, 0}, .whole = true};

	if (m->plan->cable_count > 0) {
		planned_cables_fold(in, f, &anywhere, FT_LINK_DOWN);
		return;
	}
	for (const struct ft_pair *pair = ft_pairs_of(m, in->place); pair < ft_pairs_of(m, in->place + 1); pair++)
		if (m->live_of[pair->peer] != FT_NONE && in->x->deficit[pair->cell] > 0)
			outer_cables_take(in, f, pair->peer, in->x->deficit[pair->cell], FT_LINK_DOWN);
}

/* What is on its line boards is cut off from each other: all else of it that lacks is a consequence. */
static void bare_report(const struct ft_inspection *in)
{
	struct ft_model *m = in->x->m;
	const char *label = m->live.switches[in->live].label;
	struct gap all = {.spot = {true, 0, 0}, .whole = true}, gone = {.spot = {false, 0, 0}, .whole = true};
	_cleanup_(ft_text_release) struct ft_text name = {0};
	bool edge = in->place < m->edges;
	struct ft_finding *f =
		ft_finding_add(m, edge ? FT_CODE_EDGE_ISOLATED : FT_CODE_BOARD_MISSING, FT_EVIDENCE_ABSENT);
	uint32_t hosts = 0;
	char words[48];

	ft_finding_where_switch(m, f, in->live, 0);
	f->count = in->want.fabric_boards;
	bare_fold(in, f);
	for (uint32_t b = in->d->seen.line_boards; edge && b < in->want.line_boards; b++)
		hosts += hosts_fold(in, &all, 0);
	f->impact.hosts_cut_off = edge ? hosts + m->live.switches[in->live].hosts : 0;
	for (uint32_t i = 0; i < in->d->count; i++)
		ft_traces_claim(m, &chips_of(in)[i], UINT32_MAX, FT_LINK_DOWN);
	ft_say(m, &f->expected, "%u fabric boards", in->want.fabric_boards);
	ft_say(m, &f->observed, "none");
	ft_say(m, &f->text,
	       "none of the %u fabric boards of %s is there: its line boards are cut off from each other%s%s",
	       in->want.fabric_boards, label, hosts > 0 ? ", and out of reach are " : "",
	       hosts > 0 ? ft_plural(hosts, "host", words) : "");
	ft_say(m, &f->fix, "look at the power of %s and at the lights of its fabric boards", label);
	ft_text_printf(&name, "the fabric boards of %s", label);
	board_act_named(in, f, &gone, true, &name);
}

static void director_inspect(struct explain *x, uint32_t place, struct ft_trace_widths *widths)
{
	struct ft_model *m = x->m;
	uint32_t live = m->live_of[place];
	struct ft_inspection in = {
		.x = x, .d = ft_director_of(m, live), .live = live, .place = place, .widths = widths};

	if (!in.d || m->status[place] == FT_STATUS_ISOLATED)
		return;
	in.want = m->chassis->usual[in.d->tier];
	in.lines_planned = m->plan->inside[in.d->tier].line_boards > 0;
	if (in.d->seen.fabric_boards == 0 && in.want.fabric_boards > 0) {
		bare_report(&in);
		return;
	}
	boards_check(&in, false);
	if (!is_smaller(&in))
		boards_check(&in, true);
	chips_check(&in);
	ft_traces_explain(&in);
}

/* Ports of boards that are not there lead nowhere, and are no place for a cable. */
static void holes_claim(struct ft_model *m)
{
	for (uint32_t i = 0; i < m->snapshot->port_count; i++)
		m->port_claimed[i] |= m->origin[i] == FT_NONE;
}

int ft_inside_explain(struct explain *x)
{
	struct ft_model *m = x->m;
	struct ft_trace_widths widths = {0};

	if (!m->origin)
		return 0;
	m->trace_claimed = calloc(m->chips->port_count + 1UL, sizeof(*m->trace_claimed));
	if (!m->trace_claimed)
		return -ENOMEM;
	holes_claim(m);
	for (uint32_t p = 0; p < m->place_count; p++)
		if (m->live_of[p] != FT_NONE)
			director_inspect(x, p, &widths);
	ft_traces_rate(m);
	free(widths.list);
	return 0;
}
