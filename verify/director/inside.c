/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Verifies directors inside: finds missing boards, with the outer cables that are missing with them. The plan says what
 * a director should have; if it does not, most directors of the tier do, and a director that lacks line boards but no
 * planned cable was bought smaller.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>

#include "base/moment.h"
#include "verify/director/inside.h"
#include "verify/model/recall.h"

/* The evidence that the chips on the other side show of a gap, in traces. */
struct gap_shadow {
	uint32_t expected, silent, unread, dark;
};

enum { BOARDS_MOST = 1024 };

/* ---- names of boards ---- */

/* A named chip of the side: at the spot in any director of the tier, or anywhere in this director. */
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

/* The word of @chip for its board, with its number replaced by @number. */
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

/* True if names of chips give the name of that board. */
static bool is_named(const struct ft_inspection *in, struct ft_spot spot)
{
	return namesake_find(in, spot, true) || namesake_find(in, spot, false);
}

void ft_board_add(const struct ft_inspection *in, struct ft_spot spot, struct ft_text *text)
{
	ft_text_printf(text, "%s board ", side_word(spot));
	board_name_add(in, spot, text);
}

/* "line board L05", "chip 2 of line board L05", "a line board (15 of 16 are there)" */
static void gap_add(const struct ft_inspection *in, const struct ft_gap *gap, struct ft_text *text)
{
	bool named = gap->placed && is_named(in, gap->spot);

	if (!gap->whole && named)
		ft_text_printf(text, "chip %u of ", gap->spot.chip + 1);
	if (named)
		ft_board_add(in, gap->spot, text);
	else
		ft_text_printf(text, "a %s %s", side_word(gap->spot), gap->whole ? "board" : "chip");
}

/* ---- traces ---- */

/* The number of missing chips. */
static uint32_t gap_chips(const struct ft_inspection *in, const struct ft_gap *gap)
{
	return !gap->whole ? 1 : gap->spot.line ? in->want.line_chips : in->want.fabric_chips;
}

static uint32_t gap_traces(const struct ft_inspection *in, const struct ft_gap *gap, const struct ft_chip *near)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < gap_chips(in, gap); i++)
		sum += ft_traces_wanted(in,
					&(struct ft_chip){.line = gap->spot.line,
							  .board = gap->spot.board,
							  .chip = gap->whole ? i : gap->spot.chip},
					near);
	return sum;
}

static struct gap_shadow gap_shadow(const struct ft_inspection *in, const struct ft_gap *gap)
{
	const struct ft_model *m = in->x->m;
	const struct ft_chip *chips = ft_inspected_chips(in);
	struct gap_shadow s = {0};
	static const enum ft_link links[] = {FT_LINK_SILENT, FT_LINK_UNREAD, FT_LINK_DOWN};
	uint32_t *const counts[] = {&s.silent, &s.unread, &s.dark};

	for (uint32_t i = 0; i < in->d->count; i++) {
		uint32_t room = chips[i].line == gap->spot.line ? 0 : gap_traces(in, gap, &chips[i]);

		s.expected += room;
		for (size_t l = 0; l < FT_COUNT(links); l++) {
			uint32_t n = ft_number_least(ft_traces_in_state(m, &chips[i], links[l]), room);

			*counts[l] += n;
			room -= n;
		}
	}
	return s;
}

/* By the baseline. */
static void recalled_where(const struct ft_inspection *in, struct ft_finding *f, const struct ft_gap *gap,
			   enum ft_link link)
{
	struct ft_model *m = in->x->m;
	const struct ft_chip *chips = ft_inspected_chips(in);

	for (uint32_t i = 0; i < in->d->count; i++) {
		const struct ft_node *node = &m->chips->nodes[chips[i].node];

		for (uint32_t p = node->first_port; p < node->first_port + node->port_count; p++)
			if (chips[i].line != gap->spot.line && m->chips->ports[p].link == link &&
			    !m->trace_claimed[p] && ft_port_led_to(in, gap, p))
				ft_finding_where_trace(m, f, p);
	}
}

void ft_gap_where(const struct ft_inspection *in, struct ft_finding *f, const struct ft_gap *gap, enum ft_link link)
{
	struct ft_model *m = in->x->m;
	const struct ft_chip *chips = ft_inspected_chips(in);
	uint32_t first = gap->whole ? 0 : gap->spot.chip, end = first + gap_chips(in, gap);
	bool recalled;

	recalled_where(in, f, gap, link);
	recalled = f->where_count > 0;
	for (uint32_t i = 0; !recalled && !gap->members && i < in->d->count; i++)
		for (uint32_t c = first; chips[i].line != gap->spot.line && c < end; c++) {
			struct ft_spot spot = {gap->spot.line, gap->placed ? gap->spot.board : UINT32_MAX, c};
			struct ft_gap one = {.spot = {gap->spot.line, gap->spot.board, c}};
			uint32_t per_chip = gap_traces(in, &one, &chips[i]);
			uint32_t picked = ft_traces_pick(in, &chips[i], spot, per_chip, link, in->x->picked);

			for (uint32_t p = 0; p < picked; p++)
				ft_finding_where_trace(m, f, in->x->picked[p]);
			/* Which of the other ports it is cannot be decided: takes the right number of them. */
			ft_traces_claim(m, &chips[i], per_chip - picked, link);
		}
	f->vague = f->where_count == 0;
	if (f->where_count == 0)
		ft_finding_where_switch(m, f, in->observed, 0);
}

/* ---- findings ---- */

void ft_board_act(const struct ft_inspection *in, struct ft_finding *f, const struct ft_gap *gap, bool line,
		  const char *name)
{
	struct ft_model *m = in->x->m;
	struct ft_place place = {.name = ft_arena_string(&m->report->memory, name),
				 .guid = m->observed.switches[in->observed].guid};

	f->board = (struct ft_finding_board){.known = true, .line = line, .gap = gap, .director = in->d->guid};
	if (gap && gap->placed && (is_named(in, gap->spot) || m->plan->cable_count > 0)) {
		f->board.board = gap->spot.board + 1;
		f->board.chip = gap->whole ? 0 : gap->spot.chip + 1;
	}
	ft_finding_act(m, f, f->code == FT_CODE_SWITCH_MUTE ? FT_ACT_POWER : FT_ACT_BOARD, place, (struct ft_place){0});
}

static void board_act(const struct ft_inspection *in, struct ft_finding *f, const struct ft_gap *gap)
{
	struct ft_model *m = in->x->m;
	struct ft_text name = {0};

	if (gap->placed && gap->whole && is_named(in, gap->spot)) {
		ft_text_printf(&name, "%s ", m->observed.switches[in->observed].label);
		board_name_add(in, gap->spot, &name);
	} else {
		gap_add(in, gap, &name);
		ft_text_printf(&name, " of %s", m->observed.switches[in->observed].label);
	}
	ft_board_act(in, f, gap, gap->spot.line, ft_model_text(m, &name));
}

/* "; it is L04 or L06, whichever was not empty before" */
static void slots_add(const struct ft_inspection *in, const struct ft_gap *gap, struct ft_text *text)
{
	enum { NAMED_MOST = 4 };
	uint32_t count = 0, named = 0;

	if (!gap->whole || (gap->placed && is_named(in, gap->spot)) || ft_lost_of(in, gap))
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

/* " (that of chip sw-0a 0x0002c903…)", where no name says which it is, and ", seen until 2026-11-20T12:00:00Z,". */
static void lost_add(const struct ft_inspection *in, const struct ft_gap *gap, struct ft_text *text)
{
	const struct ft_lost *lost = ft_lost_of(in, gap);
	char until[FT_TIME_SIZE];

	if (!lost)
		return;
	if (!gap->placed || !is_named(in, gap->spot))
		ft_text_printf(text, " (that of chip %s 0x%016" PRIx64 ")", lost->chip->name, lost->chip->guid);
	if (ft_recall_until(in->x->m, lost->chip->gone_s, lost->chip->back_s, until)[0])
		ft_text_printf(text, ", seen until %s,", until);
}

static void gap_say(const struct ft_inspection *in, struct ft_finding *f, const struct ft_gap *gap,
		    const struct gap_shadow *s, uint32_t cables, uint32_t hosts)
{
	struct ft_model *m = in->x->m;
	const char *director = m->observed.switches[in->observed].label;
	const char *others = gap->spot.line ? "fabric boards" : "line boards";
	struct ft_text part = {0}, lost = {0}, also = {0}, slots = {0};
	bool mute = f->evidence == FT_EVIDENCE_MUTE;
	char words[48], host_words[48];

	gap_add(in, gap, &part);
	ft_say(m, &f->expected, "%u %s", gap->wanted,
	       !gap->whole	? "chips on the board"
	       : gap->spot.line ? "line boards"
				: "fabric boards");
	ft_say(m, &f->observed, "%u; the traces for the other are %s", gap->seen,
	       mute ? "up and silent" : down_word(m));
	if (mute) {
		ft_say(m, &f->text, "%s of %s does not answer: its traces to the %s are up, but it is silent",
		       ft_model_text(m, &part), director, others);
		ft_say(m, &f->fix, "restart the management of %s, or reseat the board", director);
		return;
	}
	if (cables > 0)
		ft_text_printf(&also, ", and %s with it", ft_plural(cables, "outer cable", words));
	if (hosts > 0)
		ft_text_printf(&also, "%s%s", cables > 0 ? " and " : ", and with it ",
			       ft_plural(hosts, "host", host_words));
	lost_add(in, gap, &lost);
	ft_say(m, &f->text, "%s of %s%s is missing: its %u traces to the %s are %s%s", ft_model_text(m, &part),
	       director, ft_model_text(m, &lost), s->expected, others, down_word(m), ft_model_text(m, &also));
	slots_add(in, gap, &slots);
	ft_say(m, &f->fix, "look at the board's lights, reseat it, then replace it%s", ft_model_text(m, &slots));
}

static bool gap_is_mute(const struct gap_shadow *s)
{
	return s->expected > 0 && (s->silent * 10 >= s->expected * 9 || (s->silent * 2 > s->expected && s->dark == 0));
}

/* True if all other directors of the kind, two at least, have as many line boards as the gap makes of this one. */
static bool gap_is_usual(const struct ft_inspection *in, const struct ft_gap *gap)
{
	const struct ft_chassis *c = in->x->m->chassis;
	uint32_t others = 0;

	for (const struct ft_director *d = c->directors; d < c->directors + c->director_count; d++) {
		if (d == in->d || d->tier != in->d->tier)
			continue;
		if (d->seen.line_boards < gap->wanted)
			return false;
		others++;
	}
	return others > 1;
}

/* Cables at the director that the plan has elsewhere: each may be one that is missing. */
static uint32_t surplus_at(const struct ft_inspection *in)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < in->x->surplus_count; i++)
		count += in->x->surplus[i].a == in->place || in->x->surplus[i].b == in->place;
	return count;
}

/*
 * True if the plan says that the board should be there, or cables or hosts are missing that it explains: a director may
 * be bought with fewer line boards than others, and still is if a cable of it is missing. A single one is no less
 * likely missing for itself.
 */
static bool gap_has_witness(const struct ft_inspection *in, const struct ft_gap *gap)
{
	uint32_t need;

	if (!gap->whole || !gap->spot.line || in->lines_planned || ft_lost_of(in, gap))
		return true;
	need = gap_is_usual(in, gap) ? 1 : 2;
	return ft_outer_cables_fold(in, NULL, gap, FT_LINK_DOWN) >= need + surplus_at(in) ||
	       ft_outer_hosts_lacking(in) >= need;
}

static void gap_explain(const struct ft_inspection *in, const struct ft_gap *gap)
{
	struct ft_model *m = in->x->m;
	struct gap_shadow s = gap_shadow(in, gap);
	bool mute = gap_is_mute(&s);
	struct ft_finding *f;
	uint32_t cables = 0, hosts = 0;

	/* "missing" needs evidence: ports that were not read are a gap in the sweep, which has a finding of its own. */
	if (!mute && s.unread + s.silent > 0 && s.dark * 2 <= s.expected)
		return;
	/* Traces that are up have a board at their other end. */
	if (!mute && !gap_has_witness(in, gap))
		return;
	f = ft_finding_add(m, mute ? FT_CODE_SWITCH_MUTE : FT_CODE_BOARD_MISSING,
			   mute ? FT_EVIDENCE_MUTE : FT_EVIDENCE_ABSENT);
	ft_gap_where(in, f, gap, mute ? FT_LINK_SILENT : FT_LINK_DOWN);
	ft_lost_tell(in, f, gap);
	if (gap->spot.line) {
		cables = ft_outer_cables_fold(in, f, gap, mute ? FT_LINK_SILENT : FT_LINK_DOWN);
		hosts = ft_outer_hosts_fold(in, gap, cables);
	}
	f->impact.hosts_cut_off = mute ? 0 : hosts;
	if (f->impact.hosts_cut_off > 0)
		f->severity = FT_SEVERITY_CRITICAL;
	gap_say(in, f, gap, &s, cables, hosts);
	board_act(in, f, gap);
}

/* ---- which boards are missing ---- */

static bool has_board(const struct ft_model *m, const struct ft_director *d, bool line, uint32_t board)
{
	const struct ft_chip *chips = m->chassis->chips + d->first;

	for (uint32_t i = 0; i < d->count; i++)
		if (chips[i].line == line && chips[i].board == board)
			return true;
	return false;
}

static bool board_is_seen(const struct ft_inspection *in, bool line, uint32_t board)
{
	return has_board(in->x->m, in->d, line, board);
}

/* The number of other directors of the kind with such a board. */
static uint32_t board_votes(const struct ft_inspection *in, bool line, uint32_t board)
{
	const struct ft_chassis *c = in->x->m->chassis;
	uint32_t votes = 0;

	for (const struct ft_director *d = c->directors; d < c->directors + c->director_count; d++)
		votes += d != in->d && d->tier == in->d->tier && has_board(in->x->m, d, line, board);
	return votes;
}

/* If the plan gives ports: the cables planned in the ports of that board and not seen. */
static uint32_t board_cables(const struct ft_inspection *in, uint32_t board)
{
	const struct ft_model *m = in->x->m;
	const struct ft_gap gap = {.spot = {true, board, 0}, .whole = true};
	uint32_t count, first = ft_gap_ports(in, &gap, &count), cables = 0;

	for (uint32_t n = first; n < first + count; n++) {
		uint32_t cable = ft_port_map_cable(m, in->place, n);

		cables += cable != FT_NONE && !m->port_map.gone[cable];
	}
	return cables;
}

/*
 * If places follow from the numbers in names, so that an empty place is that of the missing board: the number of the
 * first place. Else UINT32_MAX.
 */
static uint32_t side_offset(const struct ft_inspection *in, bool line)
{
	const struct ft_chip *chips = ft_inspected_chips(in);
	uint32_t offset = UINT32_MAX;

	for (uint32_t i = 0; i < in->d->count; i++) {
		uint32_t own = chips[i].slot.number - chips[i].board;

		if (chips[i].line != line)
			continue;
		if (!chips[i].named || (offset != UINT32_MAX && own != offset))
			return UINT32_MAX;
		offset = own;
	}
	return offset;
}

/* The number of places; those that names show may be more than there are boards. */
static uint32_t slots_of(const struct ft_inspection *in, bool line, uint32_t wanted)
{
	const struct ft_chip *chips = ft_inspected_chips(in);
	uint32_t slots = line ? in->want.line_boards_max : in->want.fabric_boards_max;

	slots = slots > wanted ? slots : wanted;
	for (uint32_t i = 0; i < in->d->count; i++)
		if (chips[i].line == line && chips[i].board >= slots)
			slots = chips[i].board + 1;
	return ft_number_least(slots, BOARDS_MOST);
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

/* The most likely place of the next missing board that is not in @taken. */
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

/*
 * The next lost chip of a board that is gone as a whole, or NULL. A board of which another chip is seen is none.
 * *@ret_board: the place by the slot in its name, or BOARDS_MOST: no name tells.
 */
static const struct ft_lost *lost_board(const struct ft_inspection *in, bool line, uint32_t offset, const bool *taken,
					uint32_t *ret_board)
{
	for (uint32_t i = 0; i < in->lost_count; i++) {
		const struct ft_lost *lost = &in->lost[i];

		if (lost->gap != 0 || lost->line != line)
			continue;
		*ret_board = lost->named && offset != UINT32_MAX ? lost->slot.number - offset : BOARDS_MOST;
		if (*ret_board >= BOARDS_MOST || (!taken[*ret_board] && !board_is_seen(in, line, *ret_board)))
			return lost;
	}
	*ret_board = BOARDS_MOST;
	return NULL;
}

static void boards_check(const struct ft_inspection *in, bool line)
{
	uint32_t wanted = line ? in->want.line_boards : in->want.fabric_boards;
	uint32_t seen = line ? in->d->seen.line_boards : in->d->seen.fabric_boards;
	uint32_t offset = side_offset(in, line);
	bool numbered = offset != UINT32_MAX, taken[BOARDS_MOST] = {false}, empty[BOARDS_MOST] = {false};
	bool certain = wanted > seen && slots_empty(in, line, wanted, empty) <= wanted - seen;

	for (uint32_t n = seen; n < wanted && n < BOARDS_MOST; n++) {
		uint32_t votes, board = board_free(in, line, wanted, taken, &votes), own;
		const struct ft_lost *lost = lost_board(in, line, offset, taken, &own);
		struct ft_gap gap = {.spot = {line, board, 0}, .whole = true, .seen = seen, .wanted = wanted};

		if (board == FT_NONE)
			return;
		if (own < BOARDS_MOST)
			gap.spot.board = own;
		for (uint32_t room = gap_chips(in, &gap), any; lost && room > 0;) {
			room -= ft_lost_take(in, &gap, room, lost);
			lost = lost->named ? NULL : lost_board(in, line, offset, taken, &any);
		}
		taken[gap.spot.board] = true;
		/* If boards are counted by GUIDs, the presence of that number in other directors proves nothing. */
		gap.placed = (numbered && (certain || votes > 0 || gap.spot.board == own)) ||
			     (line && in->x->m->plan->cable_count > 0);
		gap.empty = numbered ? empty : NULL;
		gap_explain(in, &gap);
	}
}

/* Reports boards with some chips seen and others missing. */
static void chips_check(const struct ft_inspection *in)
{
	const struct ft_chip *chips = ft_inspected_chips(in);
	uint32_t end;

	for (uint32_t i = 0; i < in->d->count; i = end) {
		uint32_t wanted = chips[i].line ? in->want.line_chips : in->want.fabric_chips;

		for (end = i + 1;
		     end < in->d->count && chips[end].line == chips[i].line && chips[end].board == chips[i].board;)
			end++;
		for (uint32_t c = 0; end - i < wanted && c < wanted; c++) {
			struct ft_gap gap = {.spot = {chips[i].line, chips[i].board, c},
					     .placed = true,
					     .seen = end - i,
					     .wanted = wanted};
			const struct ft_chip like = {.line = chips[i].line, .board = chips[i].board, .chip = c};
			const struct ft_lost *lost;
			uint32_t any;

			if (in->returning[i] || ft_chip_at(in->x->m->chassis, in->d, &like))
				continue;
			/* Boards are numbered by GUIDs: it is told with the board that it is on. */
			if (!chips[i].named && in->absent[like.line] > 0) {
				in->absent[like.line]--;
				continue;
			}
			lost = ft_lost_on_board(in, &chips[i]);
			if (!lost && !chips[i].named)
				lost = lost_board(in, like.line, UINT32_MAX, NULL, &any);
			ft_lost_take(in, &gap, 1, lost && lost->named == chips[i].named ? lost : NULL);
			gap_explain(in, &gap);
		}
	}
}

/* ---- a director without any fabric board ---- */

/* The line boards are cut off from each other: everything else that the director lacks is a consequence. */
static void bare_report(const struct ft_inspection *in)
{
	struct ft_model *m = in->x->m;
	const char *label = m->observed.switches[in->observed].label;
	struct ft_gap all = {.spot = {true, 0, 0}, .whole = true};
	bool edge = in->place < m->edges;
	struct ft_finding *f =
		ft_finding_add(m, edge ? FT_CODE_EDGE_ISOLATED : FT_CODE_BOARD_MISSING, FT_EVIDENCE_ABSENT);
	uint32_t hosts = 0;
	char words[48];

	ft_finding_where_switch(m, f, in->observed, 0);
	f->count = in->want.fabric_boards;
	ft_outer_cables_fold_all(in, f);
	for (uint32_t b = in->d->seen.line_boards; edge && b < in->want.line_boards; b++)
		hosts += ft_outer_hosts_fold(in, &all, 0);
	f->impact.hosts_cut_off = edge ? hosts + m->observed.switches[in->observed].hosts : 0;
	for (uint32_t i = 0; i < in->d->count; i++)
		ft_traces_claim(m, &ft_inspected_chips(in)[i], UINT32_MAX, FT_LINK_DOWN);
	ft_say(m, &f->expected, "%u fabric boards", in->want.fabric_boards);
	ft_say(m, &f->observed, "none");
	ft_say(m, &f->text,
	       "none of the %u fabric boards of %s is there: its line boards are cut off from each other%s%s",
	       in->want.fabric_boards, label, hosts > 0 ? ", and out of reach are " : "",
	       hosts > 0 ? ft_plural(hosts, "host", words) : "");
	ft_say(m, &f->fix, "look at the power of %s and at the lights of its fabric boards", label);
	ft_board_act(in, f, NULL, false, ft_arena_print(&m->report->memory, "the fabric boards of %s", label));
}

static int director_inspect(struct explain *x, uint32_t place, struct ft_map *widths)
{
	struct ft_model *m = x->m;
	uint32_t observed = m->observed_of[place], hosts_told = 0, holes = FT_NONE, gaps = 0, absent[2] = {0}, lacking;
	const struct ft_baseline_switch *was = ft_recall_switch(m, place);
	bool returning;
	struct ft_inspection in = {.x = x,
				   .d = ft_director_of(m, observed),
				   .observed = observed,
				   .place = place,
				   .widths = widths,
				   .hosts_told = &hosts_told,
				   .holes = &holes,
				   .gap_count = &gaps,
				   .absent = absent};

	if (!in.d || m->status[place] == FT_STATUS_ISOLATED)
		return 0;
	/* Of one that is coming back as a whole explain/returning.c tells. */
	returning = was && ft_recall_is_back(m, place, was, was->back_s);
	if (returning && ft_recall_traces(m, was, &lacking) && lacking > 0)
		return 0;
	in.want = m->chassis->usual[in.d->tier];
	in.lines_planned = m->plan->inside[in.d->tier].line_boards > 0;
	if (ft_lost_find(&in) < 0)
		return -ENOMEM;
	if (in.d->seen.fabric_boards == 0 && in.want.fabric_boards > 0) {
		bare_report(&in);
		return 0;
	}
	if (!returning)
		ft_returning_boards(&in);
	boards_check(&in, false);
	boards_check(&in, true);
	chips_check(&in);
	return ft_traces_explain(&in);
}

/* Takes the ports of missing boards, which lead nowhere and cannot hold a cable. */
static void holes_claim(struct ft_model *m)
{
	for (uint32_t i = 0; i < m->snapshot->port_count; i++)
		m->port_claimed[i] |= m->origin[i] == FT_NONE;
}

int ft_inside_explain(struct explain *x)
{
	struct ft_model *m = x->m;
	_cleanup_(ft_map_release) struct ft_map widths = {0};
	int r = 0;

	if (!m->origin)
		return 0;
	m->trace_claimed = ft_arena_zeros(&m->memory, m->chips->port_count, sizeof(*m->trace_claimed));
	if (!m->trace_claimed)
		return -ENOMEM;
	holes_claim(m);
	for (uint32_t p = 0; r == 0 && p < m->place_count; p++)
		if (m->observed_of[p] != FT_NONE)
			r = director_inspect(x, p, &widths);
	ft_traces_rate(m);
	return r;
}
