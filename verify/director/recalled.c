/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the baseline knows of the inside of a director: which chips a missing board had and where their traces and
 * cables ended, and which boards are coming back.
 *
 * The chips of a board are known by the slot in their names; without slots, as those that went together, what went one
 * by one only where the number of boards says that it is one. A chip counts as lost only while a port that led to it
 * leads nowhere: another one may stand in its place. A board that comes back brings its links up one by one: that is
 * one finding, with the id that the missing board had, until all are up or the returning_s of the input have passed.
 *
 * Cost: O(ports of the director * lost chips), and O(lost chips * chips of the director) to tell boards without slots,
 * for each director; O(cables of the baseline * lost chips) for each returning board.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/director/inside.h"
#include "verify/model/recall.h"

enum { NAMED_BOARDS = 0x10000 }; /* the numbers of boards without slots come after those of slots */

static bool leads_nowhere(const struct ft_model *m, uint32_t port)
{
	return m->chips->ports[port].link != FT_LINK_UP;
}

static struct ft_lost *lost_by_guid(const struct ft_inspection *in, uint64_t guid)
{
	for (uint32_t i = 0; i < in->lost_count; i++)
		if (in->lost[i].chip->guid == guid)
			return &in->lost[i];
	return NULL;
}

/* By side and board, of those without slots first the one that lacks most chips; then by its chip, or GUID. */
static int lost_compare(const void *a, const void *b)
{
	const struct ft_lost *x = a, *y = b;

	if (x->line != y->line || x->board != y->board)
		return FT_ORDER(y->line, x->line) ?: FT_ORDER(y->mates, x->mates) ?: FT_ORDER(x->board, y->board);
	if (x->named && x->slot.chip != y->slot.chip)
		return FT_ORDER(x->slot.chip, y->slot.chip);
	return FT_ORDER(x->chip->guid, y->chip->guid);
}

/* What is not seen for the first time went after all others. */
static int64_t went_s(const struct ft_baseline_chip *chip)
{
	return chip->gone_s ? chip->gone_s : INT64_MAX;
}

/*
 * The board of a chip of that side without a slot: that of those that went with it, in the order of their GUIDs if they
 * were of several boards.
 */
static uint32_t board_by_end(const struct ft_inspection *in, const struct ft_baseline_chip *chip, bool line)
{
	const struct ft_model *m = in->x->m;
	const struct ft_chip *chips = ft_inspected_chips(in);
	uint32_t before = 0, rank = 0, per = ft_number_most(line ? in->want.line_chips : in->want.fabric_chips, 1);

	for (uint32_t i = 0; i < in->lost_count + in->d->count; i++) {
		const struct ft_lost *lost = i < in->lost_count ? &in->lost[i] : NULL;
		const struct ft_chip *there = lost ? NULL : &chips[i - in->lost_count];
		const struct ft_baseline_chip *other = lost ? lost->chip : ft_recall_chip(m, there->node);

		if (!other || (lost ? lost->line : there->line) != line || (lost ? lost->named : there->named))
			continue;
		/* There, and nothing has happened to it. */
		if (there && other->gone_s == 0)
			continue;
		before += went_s(other) < went_s(chip);
		rank += went_s(other) == went_s(chip) && other->guid < chip->guid;
	}
	return NAMED_BOARDS + before + rank / per * per;
}

/* False if chips of that side are there and none has a slot: what looks like one in the name of a lost one is none. */
static bool side_has_slots(const struct ft_inspection *in, bool line)
{
	const struct ft_chip *chips = ft_inspected_chips(in);
	uint32_t count = 0, named = 0;

	for (uint32_t i = 0; i < in->d->count; i++) {
		count += chips[i].line == line;
		named += chips[i].line == line && chips[i].named;
	}
	return count == 0 || named > 0;
}

static int boards_know(struct ft_inspection *in)
{
	struct ft_model *m = in->x->m;
	const struct ft_chip *chips = ft_inspected_chips(in);

	in->known_board = ft_arena_numbers(&m->memory, in->d->count, FT_NONE);
	if (!in->known_board)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->lost_count; i++)
		in->lost[i].named = in->lost[i].named && side_has_slots(in, in->lost[i].line);
	for (uint32_t i = 0; i < in->d->count; i++) {
		const struct ft_baseline_chip *chip = ft_recall_chip(m, chips[i].node);

		if (chips[i].named)
			in->known_board[i] = chips[i].slot.number;
		else if (chip && chip->gone_s)
			in->known_board[i] = board_by_end(in, chip, chips[i].line);
	}
	for (uint32_t i = 0; i < in->lost_count; i++)
		in->lost[i].board = in->lost[i].named ? in->lost[i].slot.number
						      : board_by_end(in, in->lost[i].chip, in->lost[i].line);
	for (struct ft_lost *lost = in->lost; lost < in->lost + in->lost_count; lost++)
		for (uint32_t k = 0; !lost->named && k < in->lost_count; k++)
			lost->mates += lost->line == in->lost[k].line && lost->board == in->lost[k].board;
	return 0;
}

/* For a chip a port waits that led to it. It is on the side that the chips to which its traces led are not on. */
static void waiting_find(const struct ft_inspection *in)
{
	const struct ft_model *m = in->x->m;
	const struct ft_chip *chips = ft_inspected_chips(in);

	for (uint32_t i = 0; i < in->d->count; i++) {
		const struct ft_node *node = &m->chips->nodes[chips[i].node];

		for (uint32_t p = node->first_port; p < node->first_port + node->port_count; p++) {
			struct ft_lost *lost = lost_by_guid(in, ft_recall_chip_behind(m, p));

			/* Or an outer cable to another director. */
			if (!lost || m->chassis->whole_port[p] != FT_NONE)
				continue;
			lost->line = !chips[i].line;
			lost->gap = leads_nowhere(m, p) ? 0 : lost->gap;
		}
	}
}

int ft_lost_find(struct ft_inspection *in)
{
	struct ft_model *m = in->x->m;
	const struct ft_baseline *b = m->recall.baseline;

	in->returning = ft_arena_zeros(&m->memory, in->d->count, sizeof(*in->returning));
	in->lost = b ? ft_arena_zeros(&m->memory, b->chip_count, sizeof(*in->lost)) : NULL;
	if (!in->returning || (b && !in->lost))
		return -ENOMEM;
	for (uint32_t i = 0; b && i < b->chip_count; i++) {
		struct ft_lost *lost = &in->lost[in->lost_count];
		uint32_t node = m->recall.chip_node[i];
		const struct ft_chip *there = node == FT_NONE ? NULL : ft_chip_of(m->chassis, node);

		if (b->chips[i].owner != in->d->guid || (there && &m->chassis->directors[there->director] == in->d))
			continue;
		*lost = (struct ft_lost){.chip = &b->chips[i], .gap = FT_NONE};
		lost->named = ft_slot_read(lost->chip->name, strlen(lost->chip->name), &lost->slot);
		in->lost_count++;
	}
	waiting_find(in);
	if (boards_know(in) < 0)
		return -ENOMEM;
	if (in->lost_count)
		qsort(in->lost, in->lost_count, sizeof(*in->lost), lost_compare);
	return 0;
}

static uint32_t board_of(const struct ft_inspection *in, const struct ft_chip *chip)
{
	return in->known_board[chip - ft_inspected_chips(in)];
}

const struct ft_lost *ft_lost_on_board(const struct ft_inspection *in, const struct ft_chip *chip)
{
	for (uint32_t i = 0; i < in->lost_count; i++)
		if (in->lost[i].gap == 0 && in->lost[i].line == chip->line && in->lost[i].board == board_of(in, chip))
			return &in->lost[i];
	return NULL;
}

uint32_t ft_lost_take(const struct ft_inspection *in, struct ft_gap *gap, uint32_t count, const struct ft_lost *like)
{
	uint32_t taken = 0;

	for (uint32_t i = 0; like && taken < count && i < in->lost_count; i++) {
		struct ft_lost *lost = &in->lost[i];

		if (lost->gap || lost->line != like->line || lost->board != like->board)
			continue;
		if (gap->number == 0)
			gap->number = ++*in->gap_count;
		lost->gap = gap->number;
		taken++;
	}
	return taken;
}

const struct ft_lost *ft_lost_of(const struct ft_inspection *in, const struct ft_gap *gap)
{
	const struct ft_lost *lowest = NULL;

	for (uint32_t i = 0; gap->number && i < in->lost_count; i++)
		if (in->lost[i].gap == gap->number && (!lowest || in->lost[i].chip->guid < lowest->chip->guid))
			lowest = &in->lost[i];
	return lowest;
}

void ft_lost_tell(const struct ft_inspection *in, struct ft_finding *f, const struct ft_gap *gap)
{
	struct ft_model *m = in->x->m;
	const struct ft_lost *lost = ft_lost_of(in, gap);
	const struct ft_baseline_chip *lowest = lost ? lost->chip : NULL;

	for (uint32_t i = 0; gap->members && i < in->d->count; i++) {
		const struct ft_baseline_chip *chip = ft_recall_chip(m, ft_inspected_chips(in)[i].node);

		if (gap->members[i] && chip && (!lowest || chip->guid < lowest->guid))
			lowest = chip;
	}
	if (lowest)
		ft_finding_subject(m, f, lowest->name, lowest->guid);
	for (uint32_t i = 0; gap->number && i < in->lost_count; i++)
		if (in->lost[i].gap == gap->number)
			ft_finding_unseen(m, f, in->lost[i].chip->name, in->lost[i].chip->guid);
}

bool ft_port_led_to(const struct ft_inspection *in, const struct ft_gap *gap, uint32_t port)
{
	const struct ft_model *m = in->x->m;
	uint64_t guid = leads_nowhere(m, port) ? ft_recall_chip_behind(m, port) : 0;
	const struct ft_lost *lost = guid ? lost_by_guid(in, guid) : NULL;

	for (uint32_t i = 0; guid && gap->members && i < in->d->count; i++)
		if (gap->members[i] && m->chips->nodes[ft_inspected_chips(in)[i].node].guid == guid)
			return true;
	return lost && gap->number && lost->gap == gap->number;
}

/* ---- boards that are coming back ---- */

/* The chips of the board of @chip that went; those that are not there yet are put into the gap. */
static void members_find(const struct ft_inspection *in, const struct ft_chip *chip, struct ft_gap *gap)
{
	const struct ft_chip *chips = ft_inspected_chips(in);
	uint32_t taken;

	for (uint32_t i = 0; i < in->d->count; i++) {
		const struct ft_baseline_chip *was = ft_recall_chip(in->x->m, chips[i].node);

		gap->members[i] = was && was->gone_s && chips[i].line == chip->line &&
				  board_of(in, &chips[i]) == board_of(in, chip);
	}
	taken = ft_lost_take(in, gap, UINT32_MAX, ft_lost_on_board(in, chip));
	in->absent[chip->line] += chip->named ? 0 : taken;
}

/* Of the cables and traces that went with the board, how many there are; and how many are up. */
static uint32_t links_count(const struct ft_inspection *in, const struct ft_gap *gap, uint32_t *ret_up)
{
	const struct ft_model *m = in->x->m;
	const struct ft_baseline *b = m->recall.baseline;
	const struct ft_chip *chips = ft_inspected_chips(in);
	bool some_lost = ft_lost_of(in, gap) != NULL;
	uint32_t count = 0;

	*ret_up = 0;
	for (uint32_t i = 0; i < in->d->count; i++) {
		const struct ft_node *node = &m->chips->nodes[chips[i].node];

		for (uint32_t p = node->first_port; gap->members[i] && p < node->first_port + node->port_count; p++) {
			if (ft_recall_chip_behind(m, p) == 0 || (leads_nowhere(m, p) && !ft_recall_went(m, p)))
				continue;
			count++;
			*ret_up += !leads_nowhere(m, p);
		}
	}
	for (uint32_t i = 0; some_lost && i < 2 * b->cable_count; i++) {
		const struct ft_lost *lost = lost_by_guid(in, b->cables[i / 2].ends[i % 2].guid);

		count += lost && lost->gap == gap->number &&
			 ft_baseline_cable_went_with(&b->cables[i / 2], lost->chip->gone_s);
	}
	return count;
}

static void returning_report(const struct ft_inspection *in, const struct ft_chip *chip, const struct ft_gap *gap,
			     uint32_t up, uint32_t of)
{
	struct ft_model *m = in->x->m;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_BOARD_MISSING, FT_EVIDENCE_ABSENT);
	struct ft_text text = {0}, span = {0};
	const char *name;

	ft_gap_where(in, f, gap, FT_LINK_DOWN);
	ft_outer_cables_fold(in, f, gap, FT_LINK_DOWN);
	ft_lost_tell(in, f, gap);
	f->returning.up = up;
	f->returning.of = of;
	if (chip->named) {
		ft_board_add(in, ft_spot_of(chip), &text);
		ft_text_printf(&text, " of %s", m->observed.switches[in->observed].label);
	} else {
		ft_text_puts(&text, ft_switch_text(m, chip->node));
	}
	name = ft_model_text(m, &text);
	ft_say(m, &f->expected, "%u cables and traces", of);
	ft_say(m, &f->observed, "%u of them are up", up);
	ft_say(m, &f->text, "%s is coming back: %u of %u cables and traces are up", name, up, of);
	ft_text_add_span(&span, ft_recall_returning_s(m) * 1000);
	ft_say(m, &f->fix,
	       "wait until its links are up; what is still dark %s after its return is told one by one. If it comes "
	       "back again and again, reseat the board, then replace it",
	       ft_model_text(m, &span));
	ft_board_act(in, f, gap, chip->line, name);
}

void ft_returning_boards(const struct ft_inspection *in)
{
	struct ft_model *m = in->x->m;
	const struct ft_chip *chips = ft_inspected_chips(in);

	for (uint32_t i = 0; i < in->d->count; i++) {
		struct ft_gap gap = {.spot = ft_spot_of(&chips[i]), .placed = true, .whole = true};
		uint32_t up, of;

		if (in->returning[i] || !ft_recall_chip_is_back(m, chips[i].node))
			continue;
		gap.members = ft_arena_zeros(&m->memory, in->d->count, sizeof(*gap.members));
		m->memory.failed |= !gap.members;
		if (!gap.members)
			return;
		members_find(in, &chips[i], &gap);
		of = links_count(in, &gap, &up);
		if (up >= of)
			continue;
		for (uint32_t k = 0; k < in->d->count; k++)
			in->returning[k] |= gap.members[k];
		returning_report(in, &chips[i], &gap, up, of);
	}
}
