/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Uplinks that the number of core switches does not divide, given out in turn: 18 cables of each leaf to 4 core
 * switches are 5 + 5 + 4 + 4 on one leaf, and 4 + 4 + 5 + 5 on the next. No column has a usual width, but sums tell
 * what is missing: each row has the same one, in widths that differ by one at most, and so have the columns.
 *
 * Cost: O(matrix).
 */
#include "config.h"

#include <errno.h>

#include "verify/infer/general.h"

struct turned {
	struct ft_intent *intent;
	const uint32_t *row, *column; /* observed switches */
	uint32_t rows, columns;
	uint32_t uplinks;  /* of each row that lacks none */
	uint32_t *row_sum; /* by row */
	uint32_t *free;	   /* by column: cables that it may lack */
};

static uint32_t seen_between(const struct turned *t, uint32_t row, uint32_t column)
{
	return ft_edges_between(&t->intent->f->graph, t->row[row], t->column[column]);
}

static bool is_proven(const struct turned *t, uint32_t row, uint32_t column)
{
	const struct ft_meant *pair = ft_meant_find(t->intent, t->row[row], t->column[column]);

	return pair && pair->proven > 0;
}

/* The columns in which a row has one cable more than the least. */
static uint32_t thick_count(const struct turned *t, uint32_t row)
{
	uint32_t thick = 0;

	for (uint32_t c = 0; c < t->columns; c++)
		thick += seen_between(t, row, c) > t->uplinks / t->columns;
	return thick;
}

/*
 * True if the widths of a row are as even as can be, but for a few that it lacks; and if its ports do not tell that one
 * with all uplinks lacks more. The case that bit: an island of four leaves with 4 + 4, each of which had lost one.
 */
static bool is_even(const struct turned *t, uint32_t row)
{
	enum { LACKS_SHARE = 4 };
	uint32_t least = t->uplinks / t->columns, below = 0;

	for (uint32_t c = 0; c < t->columns; c++) {
		uint32_t seen = seen_between(t, row, c);

		if (seen > least + 1)
			return false;
		below += seen < least ? least - seen : 0;
		if (t->row_sum[row] == t->uplinks && is_proven(t, row, c))
			return false;
	}
	return thick_count(t, row) <= t->uplinks % t->columns && below <= t->uplinks - t->row_sum[row] &&
	       (t->uplinks - t->row_sum[row]) * LACKS_SHARE <= t->uplinks;
}

/*
 * True if at least half of the rows are complete, and all are even. Swapped cables leave all sums as they are, but rows
 * that are uneven.
 */
static bool rows_turn(struct turned *t)
{
	enum { COMPLETE_SHARE = 2 };
	struct ft_tally sums = {0};

	for (uint32_t i = 0; i < t->rows; i++) {
		for (uint32_t c = 0; c < t->columns; c++)
			t->row_sum[i] += seen_between(t, i, c);
		ft_tally_add(&sums, t->row_sum[i]);
		t->uplinks = t->row_sum[i] > t->uplinks ? t->row_sum[i] : t->uplinks;
	}
	if (t->uplinks % t->columns == 0 || t->uplinks < t->columns || t->uplinks >= FT_TALLY_MAX - 1 ||
	    sums.votes[t->uplinks] * COMPLETE_SHARE < t->rows)
		return false;
	/* Several that lack as many, and more than one, are of another kind: service leaves. */
	for (uint32_t sum = 0; sum + 1 < t->uplinks; sum++)
		if (sums.votes[sum] > 1)
			return false;
	for (uint32_t i = 0; i < t->rows; i++)
		if (!is_even(t, i))
			return false;
	return true;
}

/*
 * True if no column has more than its share, as it would if all rows were alike, or less by more than all rows lack.
 */
static bool columns_turn(struct turned *t)
{
	uint32_t all = t->rows * t->uplinks, share = (all + t->columns - 1) / t->columns, lacks = all;

	for (uint32_t i = 0; i < t->rows; i++)
		lacks -= t->row_sum[i];

	for (uint32_t c = 0; c < t->columns; c++) {
		uint32_t sum = 0;

		for (uint32_t i = 0; i < t->rows; i++)
			sum += seen_between(t, i, c);
		if (sum > share || share - sum > lacks + 1)
			return false;
		t->free[c] = share - sum;
	}
	return true;
}

/* Plans @more cables between a row and a column beside those that were seen. */
static int plan(struct turned *t, uint32_t row, uint32_t column, uint32_t more)
{
	struct ft_meant *pair = ft_meant_get(t->intent, t->row[row], t->column[column]);

	if (!pair)
		return -ENOMEM;
	pair->settled = pair->patterned = true;
	pair->planned = pair->seen + more;
	t->row_sum[row] += more;
	t->free[column] -= more < t->free[column] ? more : t->free[column];
	return 0;
}

/* Of the columns that may have one cable more of a row: all that lack one, or those of which ports prove it. */
static int row_complete(struct turned *t, uint32_t row)
{
	uint32_t lacks = t->uplinks - t->row_sum[row], open = 0, proven = 0;
	int r = 0;

	for (uint32_t c = 0; c < t->columns; c++) {
		bool may = t->free[c] > 0 && seen_between(t, row, c) == t->uplinks / t->columns;

		open += may;
		proven += may && is_proven(t, row, c);
	}
	if (open != lacks && proven != lacks) {
		t->intent->undecided += lacks;
		return 0;
	}
	for (uint32_t c = 0; r == 0 && lacks > 0 && c < t->columns; c++)
		if (t->free[c] > 0 && seen_between(t, row, c) == t->uplinks / t->columns &&
		    (proven != lacks || is_proven(t, row, c)))
			r = plan(t, row, c, 1);
	return r;
}

int ft_intent_turned(struct ft_intent *intent, const uint32_t *row, uint32_t rows, const uint32_t *column,
		     uint32_t columns, bool *ret_turned)
{
	struct turned t = {
		.intent = intent,
		.row = row,
		.column = column,
		.rows = rows,
		.columns = columns,
		.row_sum = ft_arena_numbers(intent->f->memory, rows, 0),
		.free = ft_arena_numbers(intent->f->memory, columns, 0),
	};
	uint32_t least;
	int r = 0;

	*ret_turned = false;
	if (!t.row_sum || !t.free)
		return -ENOMEM;
	if (rows < 3 || columns < 2 || !rows_turn(&t) || !columns_turn(&t))
		return 0;
	*ret_turned = true;
	least = t.uplinks / columns;
	for (uint32_t i = 0; i < rows; i++)
		for (uint32_t c = 0; r == 0 && c < columns; c++) {
			uint32_t seen = seen_between(&t, i, c);

			r = plan(&t, i, c, seen < least ? least - seen : 0);
		}
	for (uint32_t i = 0; r == 0 && i < rows; i++)
		r = row_complete(&t, i);
	return r;
}
