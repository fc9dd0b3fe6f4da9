/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Moved cables of a matrix: one that stands in a wrong column of its row, or in a wrong row of its column, leaves an
 * entry that is one too large and another that is one too small; of two that were exchanged there are two of each. A
 * maximum matching of the surplus with the missing cables (augmenting paths) tells how many such moves explain.
 *
 * Surplus cables whose row and column have too many go last: nothing lacks these. Rows that have more, or less, of
 * every column, and several that deviate alike, are no mistake, and take no part. The case that bit: leaves with 8
 * cables to the only core switch, among others with 6, one of which had lost one.
 *
 * Cost: O(matrix), and for at most MOVES_MAX surplus and missing cables the cube of these.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "verify/infer/general.h"

enum { MOVES_MAX = 32, MOVE_COST = 2, ROW_COST = 4, CABLES_SHARE = 4, ROWS_SHARE = 2 };

struct unit {
	uint32_t row, column;
	uint32_t match; /* of a missing cable: the surplus one that was moved; FT_NONE: none */
	bool seen;
};

struct moves {
	const struct ft_matrix *m;
	struct unit surplus[MOVES_MAX], missing[MOVES_MAX];
	uint32_t surplus_count, missing_count, moved;
	uint32_t rows;	 /* that deviate */
	uint32_t cables; /* of the pattern */
};

static int over_at(const struct ft_matrix *m, uint32_t row, uint32_t column)
{
	return (int)m->seen[(size_t)row * m->columns + column] - (int)m->usual[column];
}

/*
 * True for a row that deviates as another one does, by more than a cable, or has as many more, or less, of each column,
 * or less than half of the cables. The case that bit: a management switch with both of its cables to one of nine cores.
 * Rows with a cable in the next column are a class of their own if that is shorter to say than where each was moved.
 */
static bool is_on_purpose(const struct ft_matrix *m, uint32_t row)
{
	int first = over_at(m, row, 0), all = 0, over = 0, usual = 0;
	uint32_t same = 0;
	bool even = m->columns > 1 && first != 0;

	for (uint32_t c = 0; c < m->columns; c++) {
		even &= over_at(m, row, c) == first;
		all += abs(over_at(m, row, c));
		over += over_at(m, row, c);
		usual += (int)m->usual[c];
	}
	even |= usual + 2 * over < 0;
	for (uint32_t i = 0; i < m->rows && all > 1 && !even; i++)
		same += memcmp(m->seen + (size_t)i * m->columns, m->seen + (size_t)row * m->columns,
			       m->columns * sizeof(*m->seen)) == 0;
	return even || (all == 2 && over == 0 ? same * MOVE_COST > ROW_COST + same : same > 1);
}

static int row_over(const struct ft_matrix *m, uint32_t row)
{
	int over = 0;

	for (uint32_t c = 0; c < m->columns; c++)
		over += over_at(m, row, c);
	return over;
}

static int column_over(const struct ft_matrix *m, uint32_t column)
{
	int over = 0;

	for (uint32_t i = 0; i < m->rows; i++)
		over += over_at(m, i, column);
	return over;
}

/* False: there are too many. @last: the surplus ones whose row and column have too many; else the others. */
static bool units_collect(struct moves *x, bool last)
{
	const struct ft_matrix *m = x->m;

	for (uint32_t i = 0; i < m->rows; i++) {
		if (m->apart[i] || is_on_purpose(m, i))
			continue;
		for (uint32_t c = 0; c < m->columns; c++) {
			int over = over_at(m, i, c);

			for (; over > 0 && last == (row_over(m, i) > 0 && column_over(m, c) > 0); over--) {
				if (x->surplus_count == MOVES_MAX)
					return false;
				x->surplus[x->surplus_count++] = (struct unit){.row = i, .column = c};
			}
			/* Thick bundles are seldom missing as a whole. */
			for (; over < 0 && !last && (over == -1 || m->seen[(size_t)i * m->columns + c] > 0); over++) {
				if (x->missing_count == MOVES_MAX)
					return false;
				x->missing[x->missing_count++] = (struct unit){.row = i, .column = c, .match = FT_NONE};
			}
		}
	}
	return true;
}

/* Finds a missing cable for a surplus one, also by another match for those that have one. */
static bool unit_match(struct moves *x, uint32_t k)
{
	const struct unit *surplus = &x->surplus[k];

	for (uint32_t i = 0; i < x->missing_count; i++) {
		struct unit *missing = &x->missing[i];

		if (missing->seen || (missing->row != surplus->row && missing->column != surplus->column))
			continue;
		missing->seen = true;
		if (missing->match == FT_NONE || unit_match(x, missing->match)) {
			missing->match = k;
			return true;
		}
	}
	return false;
}

/* Rows that deviate, and all cables. */
static void sums_count(struct moves *x)
{
	for (uint32_t i = 0; i < x->m->rows; i++) {
		bool deviates = false;

		for (uint32_t c = 0; c < x->m->columns; c++) {
			deviates |= over_at(x->m, i, c) != 0;
			x->cables += x->m->usual[c];
		}
		x->rows += deviates && !x->m->apart[i];
	}
}

/* Without a pattern of its own, most rows must have as many cables as that of the medians: else they have what they
 * will. */
static bool sums_agree(const struct ft_matrix *m)
{
	uint32_t right = 0;

	for (uint32_t i = 0; i < m->rows; i++)
		right += row_over(m, i) == 0;
	return right * 2 >= m->rows;
}

bool ft_infer_moved(const struct ft_matrix *m, bool all)
{
	struct moves x = {.m = m};
	uint32_t left;

	if (all && !sums_agree(m))
		return false;
	if (!units_collect(&x, false) || !units_collect(&x, true))
		return false;
	for (uint32_t k = 0; k < x.surplus_count; k++) {
		for (uint32_t i = 0; i < x.missing_count; i++)
			x.missing[i].seen = false;
		x.moved += unit_match(&x, k);
	}
	sums_count(&x);
	left = x.surplus_count + x.missing_count - 2 * x.moved;
	if (x.moved == 0 || x.moved * MOVE_COST + (all ? left : 0) > x.rows * ROW_COST ||
	    x.moved * CABLES_SHARE > x.cables)
		return false;
	for (uint32_t i = 0; i < x.missing_count; i++) {
		const struct unit *missing = &x.missing[i], *surplus;

		if (missing->match == FT_NONE)
			continue;
		surplus = &x.surplus[missing->match];
		m->seen[(size_t)missing->row * m->columns + missing->column]++;
		m->seen[(size_t)surplus->row * m->columns + surplus->column]--;
	}
	return true;
}
