/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Blocks: the switches of a twin set are the rows of a matrix, those above (or beside) with mostly these rows as
 * neighbours are the columns, and the widths of bundles are the entries. The entry of nearly all of a block is its
 * pattern; a column with another width to nearly all rows has a pattern of its own (cores with uneven bundles). Rows
 * with the same deviation are a class of their own if that description is shorter than the list of their faults; a few
 * missing cables of one switch are faults; what ports prove to be missing (proven.c) counts as seen. Rows that differ
 * in a considerable share of their cables are separated before, if there are several of each kind. Description lengths:
 * a missing or surplus cable is 1, a class CLASS_COST.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/infer/general.h"

enum {
	DENSE_PERCENT = 50,    /* of the pairs of a block are cabled */
	HOLES_PERCENT = 80,    /* of the missing bundles show as dark ports */
	UNIFORM_PERCENT = 60,  /* of these have the width of the pattern */
	SAME_PERCENT = 75,     /* of all pairs have the width of the pattern, if the sums do not confirm it */
	SUM_PERCENT = 50,      /* of the rows, or columns, have the sum of the pattern */
	TOGETHER_PERCENT = 75, /* of the rows deviate by the same sum */
	CLASS_COST = 4,
	FEW_SHARE = 3,
	GONE_SHARE = 8,
	COLUMN_COST = 3,
	COLUMN_ROWS_MIN = 4,
	FEW_ROWS = 3,
	CLASSES_CLEAR = 2,  /* with more, a row that deviates both ways may belong to any */
	FEW_PAIRS = 4,	    /* are no class */
	MANY_PAIRS = 8,	    /* are one even if faults obscure the pattern */
	SMALL_BLOCK = 6,    /* pairs */
	THICK_BLOCK = 15,   /* with bundles of several cables, which are rarely missing as a whole */
	UNLIKE_SHARE = 4,   /* rows are of two classes if they differ by one of so many cables */
	NARROWER_SHARE = 6, /* so many rows with the pattern for one with less in every column */
	MOVED_MAX = 3,	    /* misplaced cables of one switch: more are on purpose */
};

/* The rows of one twin set, and all columns of its dense blocks. */
struct sheet {
	struct ft_intent *intent;
	struct ft_arena *memory; /* of this set alone: there may be as many sets as switches */
	enum ft_side side;	 /* of the rows, where the columns are */
	const uint32_t *row;
	uint32_t rows;
	uint32_t *column; /* observed switches */
	uint32_t *block;  /* by column: its set */
	bool *valid;	  /* by column: it has a pattern */
	uint32_t *usual;  /* by column: the width of its pattern */
	uint32_t columns;
	uint16_t *seen;	  /* rows x columns */
	uint32_t *order;  /* rows, sorted by deviation */
	uint32_t *off;	  /* by row: the cables by which it deviates, while patterns and seen[] stay as they are */
	uint32_t *like;	  /* by row: the row of another class that it is to be like, or FT_NONE: the pattern */
	uint32_t classes; /* number of classes of the rows, of which this is one */
	bool turns;	  /* bundles alternate: most rows have the same sum, but in different columns */
};

static enum ft_side opposite(enum ft_side side)
{
	return side == FT_SIDE_UP ? FT_SIDE_DOWN : side == FT_SIDE_DOWN ? FT_SIDE_UP : side;
}

static const struct ft_twins *columns_twins(const struct sheet *s)
{
	return &s->intent->twins[opposite(s->side)];
}

static uint16_t *entry(const struct sheet *s, uint32_t row, uint32_t column)
{
	return &s->seen[(size_t)row * s->columns + column];
}

/* True if one port below and one above lead to switches. Ports that were never used are usually at the ends. */
static bool is_between_links(const struct ft_inference *f, uint32_t observed, uint32_t number)
{
	bool below = false, above = false;

	for (uint32_t p = 1; p <= ft_infer_last_port(f, observed); p++) {
		bool link = ft_infer_port_far(f, observed, p) != FT_NONE;

		below |= p < number && link;
		above |= p > number && link;
	}
	return below && above;
}

static uint32_t seen_of(const struct sheet *s, uint32_t row, uint32_t column)
{
	return ft_edges_between(&s->intent->f->graph, s->row[row], s->column[column]);
}

/* ---- the matrix ---- */

/* The number of cabled pairs between the rows and a set of columns. */
static uint32_t pairs_with(const struct sheet *s, uint32_t set)
{
	const struct ft_inference *f = s->intent->f;
	const struct ft_twins *twins = columns_twins(s);
	uint32_t pairs = 0;

	for (uint32_t i = 0; i < s->rows; i++)
		ft_each_adjacent(n, &f->graph, s->row[i])
			pairs += ft_side_of(s->intent, s->row[i], n->vertex) == s->side &&
				 twins->set_of[n->vertex] == set;
	return pairs;
}

static void column_add(struct sheet *s, uint32_t observed, uint32_t set)
{
	s->column[s->columns] = observed;
	s->block[s->columns++] = set;
}

/* The first name of a set, as bytes sort. */
static const char *set_name(const struct ft_intent *intent, const struct ft_twins *twins, uint32_t set)
{
	const struct ft_snapshot *snapshot = intent->f->snapshot;
	const char *least = NULL;

	for (uint32_t k = 0; k < twins->sets[set].count; k++) {
		uint32_t observed = twins->members[twins->sets[set].first + k];
		const char *name =
			ft_node_description(snapshot, &snapshot->nodes[intent->f->observed->switches[observed].node]);

		if (!least || strcmp(name, least) < 0)
			least = name;
	}
	return least;
}

static uint64_t set_cables(const struct ft_intent *intent, const struct ft_twins *twins, uint32_t set)
{
	uint64_t cables = 0;

	for (uint32_t k = 0; k < twins->sets[set].count; k++)
		cables += intent->f->graph.degree[twins->members[twins->sets[set].first + k]];
	return cables;
}

/*
 * Of two sets beside each other the larger one forms the rows; of equals the one with more cables, or the first by
 * name, so that findings do not depend on GUIDs.
 */
static bool has_the_rows(const struct ft_intent *intent, const struct ft_twins *twins, uint32_t set, uint32_t other)
{
	uint32_t rows = twins->sets[set].count, others = twins->sets[other].count;
	uint64_t cables = set_cables(intent, twins, set), beside = set_cables(intent, twins, other);
	int order = rows == others && cables == beside
			    ? strcmp(set_name(intent, twins, set), set_name(intent, twins, other))
			    : 0;

	return rows != others ? rows > others : cables != beside ? cables > beside : order ? order < 0 : set < other;
}

/* The columns of all dense blocks; beside, of sets with fewer switches. @rows_set: the rows' set. */
static int columns_collect(struct sheet *s, uint32_t rows_set)
{
	const struct ft_inference *f = s->intent->f;
	const struct ft_twins *twins = columns_twins(s);
	bool *looked = ft_arena_zeros(s->memory, twins->set_count, sizeof(*looked));

	s->column = ft_arena_numbers(s->memory, s->intent->count, 0);
	s->block = ft_arena_numbers(s->memory, s->intent->count, 0);
	if (s->memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->rows; i++)
		ft_each_adjacent(n, &f->graph, s->row[i]) {
			uint32_t far = n->vertex, set = twins->set_of[far];
			const struct ft_twin_set *of;
			uint64_t all;

			if (set == FT_NONE || ft_side_of(s->intent, s->row[i], far) != s->side || looked[set])
				continue;
			looked[set] = true;
			of = &twins->sets[set];
			if (s->side == FT_SIDE_BESIDE && !has_the_rows(s->intent, twins, rows_set, set))
				continue;
			all = (uint64_t)s->rows * of->count;
			if (all < 2 || (uint64_t)pairs_with(s, set) * 100 < all * DENSE_PERCENT)
				continue;
			for (uint32_t k = 0; k < of->count; k++)
				column_add(s, twins->members[of->first + k], set);
		}
	return 0;
}

static uint32_t proven_between(const struct sheet *s, uint32_t row, uint32_t column, bool certain)
{
	const struct ft_meant *pair = ft_meant_find(s->intent, s->row[row], s->column[column]);

	return !pair ? 0 : certain ? pair->certain : pair->proven;
}

/*
 * Adds the missing cables that their ports prove. What nearly all rows lack was left out on purpose; of few rows only
 * what is certain counts.
 */
static void column_complete(struct sheet *s, uint32_t column)
{
	uint32_t lacking = 0;
	bool few;

	for (uint32_t i = 0; i < s->rows; i++)
		lacking += proven_between(s, i, column, false) > 0;
	few = s->rows < FEW_ROWS || lacking * 100 > s->rows * SAME_PERCENT;
	for (uint32_t i = 0; i < s->rows && lacking > 0; i++)
		*entry(s, i, column) += (uint16_t)proven_between(s, i, column, few);
}

static int sheet_fill(struct sheet *s)
{
	s->valid = ft_arena_zeros(s->memory, s->columns, sizeof(*s->valid));
	s->usual = ft_arena_numbers(s->memory, s->columns, 0);
	s->seen = ft_arena_zeros(s->memory, (size_t)s->rows * s->columns, sizeof(*s->seen));
	s->order = ft_arena_numbers(s->memory, s->rows, 0);
	s->off = ft_arena_numbers(s->memory, s->rows, 0);
	s->like = ft_arena_numbers(s->memory, s->rows, FT_NONE);
	if (s->memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->rows; i++)
		for (uint32_t c = 0; c < s->columns; c++)
			*entry(s, i, c) = (uint16_t)seen_of(s, i, c);
	for (uint32_t c = 0; c < s->columns; c++)
		column_complete(s, c);
	return 0;
}

/* ---- patterns ---- */

/* Adds the widths of a column. */
static void column_tally(const struct sheet *s, uint32_t column, struct ft_tally *tally, uint32_t *pairs)
{
	for (uint32_t i = 0; i < s->rows; i++) {
		ft_tally_add(tally, *entry(s, i, column));
		++*pairs;
	}
}

/* The columns of one block, from @first: the width of most pairs. */
static uint32_t block_pattern(struct sheet *s, uint32_t first)
{
	struct ft_tally tally = {0};
	uint32_t pairs = 0, end = first, usual;
	bool uniform;

	while (end < s->columns && s->block[end] == s->block[first])
		column_tally(s, end++, &tally, &pairs);
	usual = ft_tally_mode(&tally, 1);
	uniform = (uint64_t)tally.votes[usual] * 100 >= (uint64_t)pairs * UNIFORM_PERCENT;
	for (uint32_t c = first; c < end; c++) {
		s->valid[c] = uniform;
		s->usual[c] = usual;
	}
	return end;
}

/* The lowest port of a row that leads to a column; 0: none. */
static uint32_t port_to(const struct sheet *s, uint32_t row, uint32_t column)
{
	const struct ft_inference *f = s->intent->f;

	for (uint32_t p = 1; *entry(s, row, column) > 0 && p <= ft_infer_last_port(f, s->row[row]); p++)
		if (ft_infer_port_far(f, s->row[row], p) == s->column[column])
			return p;
	return 0;
}

/*
 * True if all rows cabled to the column use one port number, which is dark on the other rows. @within: and lies there
 * between links to other switches, so that it was cabled once.
 */
static bool rows_miss_a_port(const struct sheet *s, uint32_t column, bool within)
{
	const struct ft_inference *f = s->intent->f;
	struct ft_tally tally = {0};
	uint32_t number, lit = 0, lack = 0, dark = 0;

	for (uint32_t i = 0; i < s->rows; i++)
		if (port_to(s, i, column) > 0) {
			ft_tally_add(&tally, port_to(s, i, column));
			lit++;
		}
	number = ft_tally_mode(&tally, 1);
	for (uint32_t i = 0; i < s->rows; i++) {
		if (*entry(s, i, column) > 0)
			continue;
		lack++;
		dark += ft_infer_port_is_dark(f, s->row[i], number) &&
			(!within || is_between_links(f, s->row[i], number));
	}
	return lit > 1 && lack > 0 && tally.votes[number] * 100 >= lit * HOLES_PERCENT &&
	       dark * 100 >= lack * HOLES_PERCENT;
}

/* True if the ports of the rows prove that a column which lacks many of them has lost these. */
static bool column_is_broken(const struct sheet *s, uint32_t column)
{
	const struct ft_twins *twins = columns_twins(s);
	const struct ft_twin_set *set = &twins->sets[s->block[column]];
	uint32_t same = 0;

	for (uint32_t k = 0; k < set->count; k++)
		same += ft_infer_same_system(s->intent->f, s->column[column], twins->members[set->first + k]);
	return rows_miss_a_port(s, column, same * 2 <= set->count);
}

/* The cables by which a column is nearer to a pattern of its own. */
static int64_t column_saves(const struct ft_tally *tally, uint32_t usual, uint32_t own)
{
	uint64_t unused = 0;

	return (int64_t)ft_tally_distance(tally, usual, &unused) - (int64_t)ft_tally_distance(tally, own, &unused);
}

/*
 * True if most columns of its block are of another kind. The case that bit: a leaf behind two boards of a director, as
 * the fabric boards are, and the third board that lacked a whole bundle to it.
 */
static bool column_is_stranger(const struct sheet *s, uint32_t column)
{
	uint32_t alike = 0, all = 0;

	for (uint32_t c = 0; c < s->columns; c++) {
		if (s->block[c] != s->block[column])
			continue;
		all++;
		alike += ft_intent_alike(s->intent, s->column[c], s->column[column]);
	}
	return alike * 2 < all;
}

/* The median of the widths of a column. */
static uint32_t column_median(const struct sheet *s, uint32_t column)
{
	struct ft_tally tally = {0};
	uint32_t pairs = 0, value = 0, votes;

	column_tally(s, column, &tally, &pairs);
	for (votes = tally.votes[0]; votes * 2 <= pairs; votes += tally.votes[value])
		value++;
	return value;
}

/* The pattern of a column with another width to most rows; a lower one is a fault if their ports prove it. */
static void column_pattern(struct sheet *s, uint32_t c)
{
	struct ft_tally tally = {0};
	uint32_t pairs = 0, own;
	bool all, most;

	column_tally(s, c, &tally, &pairs);
	own = ft_tally_mode(&tally, 0);
	if (s->valid[c] && own == s->usual[c])
		return;
	all = tally.votes[own] == pairs;
	most = s->valid[c] ? tally.votes[own] * 2 >= pairs && column_saves(&tally, s->usual[c], own) >= COLUMN_COST
			   : pairs >= COLUMN_ROWS_MIN &&
				     (uint64_t)tally.votes[own] * 100 >= (uint64_t)pairs * UNIFORM_PERCENT;
	/* Of two bundles to a switch unlike the others, 3 cables and 2, none tells what the other one should be. */
	if (s->valid[c] && pairs == 2 && !all && column_is_stranger(s, c)) {
		s->valid[c] = false;
		return;
	}
	if ((!all && !most) || pairs < 2)
		return;
	if (s->valid[c] && own == 0 && column_is_broken(s, c))
		return;
	s->valid[c] = true;
	s->usual[c] = own;
}

/* The cables of a row beyond those of the pattern; below 0: it has fewer. */
static int64_t row_surplus(const struct sheet *s, uint32_t row)
{
	int64_t over = 0;

	for (uint32_t c = 0; c < s->columns; c++)
		if (s->valid[c])
			over += (int64_t)*entry(s, row, c) - s->usual[c];
	return over;
}

/* The number of rows with the most frequent deviation of the sum; @ret_right: rows with the pattern's sum. */
static uint32_t rows_together(const struct sheet *s, uint32_t *ret_right)
{
	struct ft_tally above = {0}, below = {0};
	uint32_t most;

	*ret_right = 0;
	for (uint32_t i = 0; i < s->rows; i++) {
		int64_t over = row_surplus(s, i);

		*ret_right += over == 0;
		ft_tally_add(over > 0 ? &above : &below, (uint32_t)(over > 0 ? over : -over));
	}
	most = above.votes[ft_tally_mode(&above, 1)];
	return below.votes[ft_tally_mode(&below, 1)] > most ? below.votes[ft_tally_mode(&below, 1)] : most;
}

/*
 * True if most rows, or most columns, have the sum that the pattern gives. If most have the same other sum, there is no
 * pattern: bundles alternate. Scattered sums mean missing cables.
 */
static bool sums_agree(struct sheet *s)
{
	uint32_t right, together = rows_together(s, &right), columns = 0, valid = 0, pairs = 0, same = 0;
	bool scattered;

	for (uint32_t c = 0; c < s->columns; c++) {
		uint32_t all = 0, equal = 0;
		int64_t over = 0;

		for (uint32_t i = 0; s->valid[c] && i < s->rows; i++) {
			over += (int64_t)*entry(s, i, c) - s->usual[c];
			all++;
			equal += *entry(s, i, c) == s->usual[c];
		}
		pairs += all;
		same += equal;
		/* Surplus and missing cables in one column may cancel out by chance. */
		columns += s->valid[c] && over == 0 && equal * 100 >= all * UNIFORM_PERCENT;
		valid += s->valid[c];
	}
	if (right * 100 >= s->rows * SUM_PERCENT || (valid > 0 && columns * 100 >= valid * SUM_PERCENT))
		return true;
	scattered = (uint64_t)same * 100 < (uint64_t)pairs * SAME_PERCENT;
	s->turns = together * 100 >= s->rows * (scattered ? SUM_PERCENT : TOGETHER_PERCENT);
	return !s->turns && !scattered;
}

static void patterns_find(struct sheet *s)
{
	for (uint32_t c = 0; c < s->columns;)
		c = block_pattern(s, c);
	for (uint32_t c = 0; c < s->columns; c++)
		column_pattern(s, c);
	if (!sums_agree(s))
		memset(s->valid, 0, s->columns * sizeof(*s->valid));
}

/* ---- rows that deviate ---- */

/* The width that a row is to have there: that of the pattern, or of the rows that it is like. */
static uint32_t usual_of(const struct sheet *s, uint32_t row, uint32_t column)
{
	return s->like[row] == FT_NONE ? s->usual[column] : *entry(s, s->like[row], column);
}

static int deviation(const struct sheet *s, uint32_t row, uint32_t column)
{
	return s->valid[column] ? (int)*entry(s, row, column) - (int)usual_of(s, row, column) : 0;
}

static uint32_t row_deviation(const struct sheet *s, uint32_t row)
{
	uint32_t sum = 0;

	for (uint32_t c = 0; c < s->columns; c++)
		sum += (uint32_t)abs(deviation(s, row, c));
	return sum;
}

static void rows_measure(struct sheet *s)
{
	for (uint32_t i = 0; i < s->rows; i++)
		s->off[i] = row_deviation(s, i);
}

static int rows_compare_kinds(const struct sheet *s, uint32_t x, uint32_t y)
{
	uint32_t i, k;

	for (uint32_t c = 0; c < s->columns; c++) {
		int p = deviation(s, x, c), q = deviation(s, y, c);

		if (p != q)
			return p < q ? -1 : 1;
	}
	i = ft_infer_ports(s->intent->f, s->row[x]);
	k = ft_infer_ports(s->intent->f, s->row[y]);
	return FT_ORDER(i, k);
}

/* By deviation, then by number of ports. */
static int rows_compare(const void *a, const void *b, void *context)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = rows_compare_kinds(context, x, y);

	return order ? order : FT_ORDER(x, y);
}

/* The common deviation of some rows. */
struct deviations {
	const uint32_t *row;
	uint32_t rows;
	uint32_t lacks, more;	    /* cables of each row */
	uint32_t columns;	    /* columns with missing cables */
	uint32_t column;	    /* the last of these columns */
	uint32_t planned;	    /* planned cables of each row, by the pattern */
	uint32_t gone, gone_cables; /* bundles of each row that are missing as a whole, and their cables */
	bool wider;		    /* surplus in all columns */
};

static struct deviations deviations_of(const struct sheet *s, uint32_t first)
{
	struct deviations d = {.row = s->order + first, .rows = 1};
	uint32_t all = 0, wider = 0;

	for (uint32_t c = 0; c < s->columns; c++) {
		int over = deviation(s, d.row[0], c);

		if (!s->valid[c])
			continue;
		d.planned += usual_of(s, d.row[0], c);
		if (over < 0) {
			d.lacks += (uint32_t)-over;
			d.columns++;
			d.column = c;
			d.gone += *entry(s, d.row[0], c) == 0;
			d.gone_cables += *entry(s, d.row[0], c) == 0 ? (uint32_t)-over : 0;
		}
		d.more += over > 0 ? (uint32_t)over : 0;
		wider += over > 0;
		all++;
	}
	d.wider = wider == all && d.more > 1;
	while (first + d.rows < s->rows) {
		if (rows_compare_kinds(s, s->order[first + d.rows], d.row[0]) != 0)
			return d;
		d.rows++;
	}
	return d;
}

/* True if ports, names and rate allow two switches to be of one make; they may have any hosts. */
static bool are_of_one_make(const struct sheet *s, uint32_t a, uint32_t b)
{
	const struct ft_inference *f = s->intent->f;

	return ft_intent_same_make(s->intent, a, b) && ft_rates_equal(ft_infer_own_rate(f, a), ft_infer_own_rate(f, b));
}

/*
 * True if no row that follows the pattern is of its kind, or, if none follows it, no other row. The case that bit: two
 * old spines among the core switches, each with both of its cables to another spine of a pair, which were taken for two
 * exchanged cables.
 */
static bool is_stranger(const struct sheet *s, const uint32_t *row, uint32_t rows)
{
	bool regular = false, alike[2] = {false, false};

	for (uint32_t i = 0; i < s->rows; i++) {
		bool deviates = s->off[i] > 0, own = false;

		for (uint32_t k = 0; k < rows; k++)
			own |= row[k] == i;
		regular |= !deviates;
		alike[deviates] |= !own && are_of_one_make(s, s->row[i], s->row[row[0]]);
	}
	return !alike[regular ? 0 : 1];
}

static uint32_t row_sum(const struct sheet *s, uint32_t row)
{
	uint32_t sum = 0;

	for (uint32_t c = 0; c < s->columns; c++)
		sum += *entry(s, row, c);
	return sum;
}

/*
 * True for switches with hosts among others without, or the other way round: a management switch on two cores may have
 * the rank of spines, and routers that of leaves, and they are not wired as these are. One that has nearly all of the
 * pattern is.
 */
static bool is_of_another_kind(const struct sheet *s, const struct deviations *d)
{
	const uint32_t *hosts = s->intent->f->hosts;
	uint32_t alike = 0;

	for (uint32_t i = 0; i < s->rows; i++)
		alike += (hosts[s->row[i]] > 0) == (hosts[s->row[d->row[0]]] > 0);
	return s->rows >= FEW_ROWS && alike == d->rows && d->lacks * UNLIKE_SHARE > d->planned;
}

/* True if rows follow the pattern, and all of them have another number of ports: an older make may have less of each.
 */
static bool is_of_another_make(const struct sheet *s, uint32_t row)
{
	bool regular = false;

	for (uint32_t i = 0; i < s->rows; i++) {
		if (s->off[i] > 0)
			continue;
		regular = true;
		if (ft_infer_ports(s->intent->f, s->row[i]) == ft_infer_ports(s->intent->f, s->row[row]))
			return false;
	}
	return regular;
}

/* Thick bundles are seldom missing as a whole, let alone several, and nothing else beside them. */
static bool lacks_whole_bundles(const struct deviations *d)
{
	return d->gone > 1 && d->gone_cables == d->lacks && d->lacks > d->gone;
}

/* True for a leaf without any cable: that it stands among twins says that it has lost them. */
static bool is_isolated(const struct sheet *s, uint32_t row)
{
	return s->intent->f->graph.degree[s->row[row]] == 0;
}

/* True if no row that follows the pattern has as few hosts, or none as many, or none is of its kind: a service leaf. */
static bool serves_otherwise(const struct sheet *s, const struct deviations *d)
{
	const uint32_t *hosts = s->intent->f->hosts;
	uint32_t least = UINT32_MAX, most = 0;

	for (uint32_t i = 0; i < s->rows; i++) {
		if (s->off[i] > 0)
			continue;
		least = hosts[s->row[i]] < least ? hosts[s->row[i]] : least;
		most = hosts[s->row[i]] > most ? hosts[s->row[i]] : most;
	}
	return hosts[s->row[d->row[0]]] < least || hosts[s->row[d->row[0]]] > most || is_stranger(s, d->row, d->rows);
}

static bool group_of_one_is_faulty(const struct sheet *s, const struct deviations *d)
{
	bool apart = s->intent->twins[s->side].apart[s->row[d->row[0]]];

	if (is_isolated(s, d->row[0]))
		return true;
	/* A leaf seldom loses most of its cables one by one; a switch on one or two cables is there on purpose. */
	if ((d->lacks > CLASS_COST && d->lacks * 4 > d->planned * 3) || lacks_whole_bundles(d))
		return false;
	/* A router may be in the ports of two storage switches, which have cables to one more core switch. */
	if (s->intent->rank[s->row[d->row[0]]] == 0 && is_of_another_kind(s, d))
		return false;
	/* Equally many cables elsewhere: more than a few mistakes are on purpose. */
	if (d->more > MOVED_MAX || (d->more > 0 && s->classes > CLASSES_CLEAR))
		return false;
	if (is_of_another_make(s, d->row[0]))
		return false;
	/* Of two rows either may be the rule: a router with 2 cables to each core switch beside one with 3. */
	if (s->rows <= FEW_ROWS)
		return d->lacks * 3 <= d->planned && (s->rows > 2 || d->columns == 1);
	/* One that serves as all others do was meant like them. */
	apart |= !serves_otherwise(s, d);
	return !is_of_another_kind(s, d) && (d->lacks <= 2 || d->lacks * (apart ? 2 : 3) <= d->planned);
}

/* True if @near has just @width dark ports between one that leads to @far and one that leads to another switch. */
static bool has_gap_beside(const struct ft_inference *f, uint32_t near, uint32_t far, uint32_t width)
{
	uint32_t last = ft_infer_last_port(f, near), before = FT_NONE, run = 0;

	for (uint32_t p = 1; p <= last; p++) {
		uint32_t here = ft_infer_port_far(f, near, p);

		if (ft_infer_port_is_dark(f, near, p)) {
			run++;
			continue;
		}
		if (run == width && before != FT_NONE && here != FT_NONE && (before == far || here == far))
			return true;
		before = here;
		run = 0;
	}
	return false;
}

/*
 * True if dark ports say that these rows, which lack a cable of every bundle, have lost them: as many are among the
 * cables of a row, or each column has one beside its cables to it, before those to the next row.
 */
static bool has_gaps(const struct sheet *s, const struct deviations *d)
{
	const struct ft_inference *f = s->intent->f;
	uint32_t row = s->row[d->row[0]], gaps = 0, beside = 0;

	for (uint32_t p = 1; p <= ft_infer_last_port(f, row); p++)
		gaps += ft_infer_port_is_dark(f, row, p) && is_between_links(f, row, p);
	for (uint32_t c = 0; c < s->columns; c++)
		beside += has_gap_beside(f, s->column[c], row, d->lacks / s->columns);
	return gaps >= d->lacks || beside == s->columns;
}

/*
 * True for rows that lack equally many cables of every bundle, but not all; or have equally many of each, and the
 * others do not. One that loses cables seldom loses as many to each: they were cabled so, unless most rows are alike,
 * so that there is a rule, and these have as many hosts. The cases that bit: leaves that were bought one by one, with
 * 2, 3, 4 or 6 cables to each of two cores; and a storage leaf with one cable to each of four cores, among twelve
 * leaves with two. Of the only bundle hosts alone do not tell where there is no rule: one of four leaves may have lost
 * cables and hosts.
 */
static bool is_narrower(const struct sheet *s, const struct deviations *d)
{
	uint32_t alike = 0;
	bool rule, less = true, same = d->more == 0;

	/* One of another kind may be cabled to some of the core switches only: for management, to two of three. */
	if (d->more == 0 && d->gone == d->columns && d->lacks * UNLIKE_SHARE > d->planned &&
	    is_stranger(s, d->row, d->rows))
		return !has_gaps(s, d);
	for (uint32_t c = 0; c < s->columns; c++) {
		if (!s->valid[c] || *entry(s, d->row[0], c) == 0)
			return false;
		less &= deviation(s, d->row[0], c) == deviation(s, d->row[0], 0) && deviation(s, d->row[0], c) < 0;
		same &= *entry(s, d->row[0], c) == *entry(s, d->row[0], 0);
	}
	if (!less && !same)
		return false;
	for (uint32_t i = 0; i < s->rows; i++)
		alike += s->off[i] == 0;
	rule = alike >= d->rows * NARROWER_SHARE;
	if (has_gaps(s, d))
		return false;
	if (s->columns == 1)
		return (rule || (d->rows > 1 && is_stranger(s, d->row, d->rows))) && serves_otherwise(s, d) &&
		       2 * d->lacks >= d->planned;
	return !rule || serves_otherwise(s, d);
}

/* How many ports of @observed are dark in which nearly all of @like, of which it is one, have links. */
static uint32_t lost_ports(const struct ft_inference *f, uint32_t observed, const uint32_t *like, uint32_t count)
{
	uint32_t lost = 0;

	for (uint32_t p = 1; p <= ft_infer_last_port(f, observed); p++) {
		uint32_t links = 0;

		for (uint32_t i = 0; ft_infer_port_is_dark(f, observed, p) && i < count; i++)
			links += ft_infer_port_far(f, like[i], p) != FT_NONE;
		lost += links * 100 >= count * HOLES_PERCENT;
	}
	return lost;
}

/*
 * True if both ends of the bundle that these rows lack were cabled once: each row has as many dark ports that are for
 * links on others, and so has the column for all of them. Which port is whose need not be known.
 */
static bool bundle_has_gaps(const struct sheet *s, const struct deviations *d)
{
	const struct ft_inference *f = s->intent->f;
	uint32_t first = d->column, end = first;

	while (first > 0 && s->block[first - 1] == s->block[d->column])
		first--;
	while (end < s->columns && s->block[end] == s->block[d->column])
		end++;
	for (uint32_t k = 0; k < d->rows; k++)
		if (lost_ports(f, s->row[d->row[k]], s->row, s->rows) < d->lacks)
			return false;
	return lost_ports(f, s->column[d->column], s->column + first, end - first) >= d->lacks * d->rows;
}

/* True if the missing cables of these rows are to be found as faults. */
static bool group_is_faulty(const struct sheet *s, const struct deviations *d)
{
	bool gone = *entry(s, d->row[0], d->column) == 0;

	if (d->lacks == 0 || is_narrower(s, d))
		return false;
	if (d->rows == 1 || is_isolated(s, d->row[0]))
		return group_of_one_is_faulty(s, d);
	/*
	 * That several rows lack the whole bundle may be on purpose, and is so if it is thick; that they lack a part of
	 * it is not.
	 */
	if (d->columns > 1 || d->more > 0 || is_of_another_kind(s, d) || is_of_another_make(s, d->row[0]))
		return false;
	return (d->rows <= CLASS_COST && !(gone && usual_of(s, d->row[0], d->column) > 1) &&
		!columns_twins(s)->apart[s->column[d->column]] && !is_stranger(s, d->row, d->rows) &&
		d->rows * (gone ? GONE_SHARE : FEW_SHARE) <= s->rows) ||
	       column_is_broken(s, d->column) || (d->rows * FEW_SHARE <= s->rows && bundle_has_gaps(s, d));
}

/* True if a switch has fewer cables than another of its set. */
static bool has_fewer(const struct ft_intent *intent, const struct ft_twins *twins, uint32_t observed)
{
	const struct ft_twin_set *set = &twins->sets[twins->set_of[observed]];
	uint32_t cables = intent->f->graph.degree[observed];

	for (uint32_t k = 0; k < set->count; k++)
		if (intent->f->graph.degree[twins->members[set->first + k]] > cables)
			return true;
	return false;
}

/* True if all columns of its block have a pattern. */
static bool block_is_valid(const struct sheet *s, uint32_t column)
{
	for (uint32_t c = 0; c < s->columns; c++)
		if (s->block[c] == s->block[column] && !s->valid[c])
			return false;
	return true;
}

/*
 * True if a bundle lacks cables by the pattern of its row. Beside, where only degrees support a pattern, both ends must
 * have fewer cables than their twins; in the smallest blocks an absent bundle was never planned.
 */
static bool lack_is_sure(const struct sheet *s, uint32_t row, uint32_t column)
{
	if (is_isolated(s, row))
		return true;
	/* Beside bundles of any width, a small pattern is accidental. */
	if (s->rows * s->columns <= THICK_BLOCK && !block_is_valid(s, column))
		return false;
	if (*entry(s, row, column) == 0 && column_is_stranger(s, column))
		return false;
	if (*entry(s, row, column) == 0 &&
	    s->rows * s->columns <= (usual_of(s, row, column) > 1 ? THICK_BLOCK : SMALL_BLOCK))
		return false;
	return s->side != FT_SIDE_BESIDE || s->rows >= COLUMN_ROWS_MIN ||
	       (has_fewer(s->intent, &s->intent->twins[s->side], s->row[row]) &&
		has_fewer(s->intent, columns_twins(s), s->column[column]));
}

static int group_plan(struct sheet *s, const struct deviations *d)
{
	struct ft_intent *intent = s->intent;
	bool stranger = d->more > 0 && d->more + d->lacks > 1 && s->rows > 1 && is_stranger(s, d->row, d->rows);
	/* As many cables elsewhere, of a switch unlike all others: an old one with cables to some core switches. */
	bool faulty = !stranger && group_is_faulty(s, d);
	/* What lacks most of the pattern does not follow it: nothing else of it deviates either. */
	bool other = !faulty && d->lacks * 2 > d->planned;

	if (d->lacks + d->more > 0 && !(faulty && d->more == 0)) {
		intent->own_class += faulty ? 0 : d->rows;
		intent->services += d->lacks > 0 && is_narrower(s, d) && is_stranger(s, d->row, d->rows) ? d->rows : 0;
		intent->undecided += faulty || d->more > 0 ? 0 : (uint64_t)d->lacks * d->rows;
	}
	for (uint32_t k = 0; k < d->rows; k++)
		for (uint32_t c = 0; c < s->columns; c++) {
			int over = deviation(s, d->row[k], c);
			bool lacks = over < 0 && faulty && lack_is_sure(s, d->row[k], c);
			struct ft_meant *pair;

			/* Without a pattern, bundles are planned as seen. */
			if (*entry(s, d->row[k], c) == 0 && over >= 0 && seen_of(s, d->row[k], c) == 0)
				continue;
			pair = ft_meant_get(intent, s->row[d->row[k]], s->column[c]);
			if (!pair)
				return -ENOMEM;
			pair->more = over > 0 && !other ? (uint32_t)over : 0;
			pair->lacks = over < 0 && !lacks && !other ? (uint32_t)-over : 0;
			if (pair->seen == 0 && *entry(s, d->row[k], c) == 0 && !lacks)
				continue;
			/* Surplus cables of one row may be those that it, or the column, lacks elsewhere. */
			pair->settled = true;
			pair->patterned = s->rows * s->columns >= (s->valid[c] ? FEW_PAIRS : MANY_PAIRS) && !s->turns;
			pair->loose =
				over > 0 && !other && d->rows == 1 && !d->wider && !stranger && d->more <= MOVED_MAX
					? (uint32_t)over
					: 0;
			pair->planned = lacks		    ? usual_of(s, d->row[k], c)
					: other && over > 0 ? pair->seen
							    : *entry(s, d->row[k], c);
		}
	return 0;
}

/* ---- classes that differ but little ---- */

/* A row that is nearer to @class than to what it was like so far is now like that. */
static void rows_liken(struct sheet *s, uint32_t class)
{
	for (uint32_t i = 0; i < s->rows; i++) {
		uint32_t like = s->like[i], off;

		s->like[i] = class;
		off = row_deviation(s, i);
		if (off == 0 || off >= s->off[i])
			s->like[i] = like;
		else
			s->off[i] = off;
	}
}

/*
 * Rows that deviate all alike, and on purpose, are a class. What another row has in common with them is no fault of it
 * either: only what it lacks beyond that. O(classes x matrix), of at most CLASSES_MAX classes.
 */
static void classes_spread(struct sheet *s)
{
	enum { CLASSES_MAX = 16 };
	uint32_t class[CLASSES_MAX], classes = 0;

	for (uint32_t i = 0; i < s->rows && classes < CLASSES_MAX;) {
		struct deviations d = deviations_of(s, i);

		if (d.rows > 1 && d.lacks > 0 && !group_is_faulty(s, &d))
			class[classes++] = d.row[0];
		i += d.rows;
	}
	for (uint32_t k = 0; k < classes; k++)
		rows_liken(s, class[k]);
	if (classes > 0)
		qsort_r(s->order, s->rows, sizeof(*s->order), rows_compare, s);
}

/* ---- */

/*
 * Puts moved cables back. Where faults leave no pattern, the medians of the columns are one, if most rows have their
 * sum (else bundles alternate), and they leave hardly anything else.
 */
static int moved_settle(struct sheet *s)
{
	uint32_t *usual = ft_arena_numbers(s->memory, s->columns, 0);
	bool *apart = ft_arena_zeros(s->memory, s->rows, sizeof(*apart)), all = false;
	struct ft_tally sums = {0};
	uint32_t sum = 0;

	if (s->memory->failed)
		return -ENOMEM;
	if (s->turns || s->rows < FEW_ROWS || s->side == FT_SIDE_BESIDE)
		return 0;
	for (uint32_t c = 0; c < s->columns; c++) {
		usual[c] = s->valid[c] ? s->usual[c] : column_median(s, c);
		all |= !s->valid[c];
		sum += usual[c];
	}
	for (uint32_t i = 0; i < s->rows; i++) {
		apart[i] = is_stranger(s, &i, 1);
		ft_tally_add(&sums, row_sum(s, i));
	}
	if (all && sums.votes[ft_number_least(sum, FT_TALLY_MAX - 1)] * 2 < s->rows) {
		s->turns = sums.votes[ft_tally_mode(&sums, 1)] * 100 >= s->rows * TOGETHER_PERCENT;
		if (s->turns)
			memset(s->valid, 0, s->columns * sizeof(*s->valid));
		return 0;
	}
	if (!ft_infer_moved(&(struct ft_matrix){s->seen, s->rows, s->columns, usual, apart}, all) || !all)
		return 0;
	memcpy(s->usual, usual, s->columns * sizeof(*usual));
	memset(s->valid, true, s->columns * sizeof(*s->valid));
	return 0;
}

static int sheet_plan(struct sheet *s)
{
	int r;

	patterns_find(s);
	rows_measure(s);
	r = moved_settle(s);
	rows_measure(s);
	for (uint32_t i = 0; i < s->rows; i++)
		s->order[i] = i;
	qsort_r(s->order, s->rows, sizeof(*s->order), rows_compare, s);
	classes_spread(s);
	for (uint32_t i = 0; r == 0 && i < s->rows;) {
		struct deviations d = deviations_of(s, i);

		r = group_plan(s, &d);
		i += d.rows;
	}
	return r;
}

/* ---- classes of rows ---- */

/* The number of cables by which two rows differ. */
static uint32_t rows_apart(const struct sheet *s, uint32_t a, uint32_t b)
{
	uint32_t apart = 0;

	for (uint32_t c = 0; c < s->columns; c++)
		apart += (uint32_t)abs((int)*entry(s, a, c) - (int)*entry(s, b, c));
	return apart;
}

/* True for a share of @most that is too large for a fault. */
static bool differ(uint32_t apart, uint32_t most)
{
	return (apart >= CLASS_COST && apart * UNLIKE_SHARE >= most) ||
	       (apart >= CLASS_COST - 1 && apart * 5 >= most * 2);
}

/* The nearest leader; the number of leaders if all are unlike. */
static uint32_t nearest_leader(const struct sheet *s, uint32_t row, const uint32_t *leader, uint32_t leaders)
{
	uint32_t best = leaders, least = UINT32_MAX;

	for (uint32_t i = 0; i < leaders; i++) {
		uint32_t apart = rows_apart(s, row, leader[i]);
		uint32_t most = row_sum(s, row) > row_sum(s, leader[i]) ? row_sum(s, row) : row_sum(s, leader[i]);

		if (apart < least && !differ(apart, most)) {
			best = i;
			least = apart;
		}
	}
	return best;
}

static int entries_compare(const void *a, const void *b, void *context)
{
	const struct sheet *s = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	for (uint32_t c = 0; c < s->columns; c++)
		if (*entry(s, x, c) != *entry(s, y, c))
			return *entry(s, x, c) < *entry(s, y, c) ? -1 : 1;
	return FT_ORDER(x, y);
}

/* Rows with the same entries. */
struct same_rows {
	uint32_t first, count; /* of order[] */
	uint32_t cables;       /* of one */
	uint32_t apart;	       /* cables by which one differs from the medians of the columns */
};

static int same_compare(const void *a, const void *b)
{
	const struct same_rows *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	/* The order of the columns, and so of GUIDs, is no evidence. */
	return FT_ORDER(x->apart, y->apart) ?: FT_ORDER(y->cables, x->cables) ?: FT_ORDER(x->first, y->first);
}

static bool same_entries(const struct sheet *s, uint32_t a, uint32_t b)
{
	return memcmp(entry(s, a, 0), entry(s, b, 0), s->columns * sizeof(*s->seen)) == 0;
}

/*
 * Assigns rows to classes: leaders are the most frequent rows that are unlike all previous leaders; of equally many the
 * ones nearest to the medians, then those with more cables. A row unlike all others is no class, but has lost cables or
 * is isolated: it joins the first class.
 */
static int classes_find(struct sheet *s, uint32_t *class_of, uint32_t *ret_classes)
{
	struct same_rows *same = ft_arena_zeros(s->memory, s->rows, sizeof(*same));
	uint32_t *leader = ft_arena_numbers(s->memory, s->rows, 0);
	uint32_t *members = ft_arena_numbers(s->memory, s->rows, 0);
	uint32_t *median = ft_arena_numbers(s->memory, s->columns, 0);
	uint32_t count = 0, classes = 0;

	if (s->memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->rows; i++)
		s->order[i] = i;
	qsort_r(s->order, s->rows, sizeof(*s->order), entries_compare, s);
	for (uint32_t i = 0; i < s->rows; i++) {
		if (i == 0 || !same_entries(s, s->order[i], s->order[i - 1]))
			same[count++] = (struct same_rows){.first = i, .cables = row_sum(s, s->order[i])};
		same[count - 1].count++;
	}
	for (uint32_t c = 0; c < s->columns; c++)
		median[c] = column_median(s, c);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t c = 0; c < s->columns; c++)
			same[i].apart += (uint32_t)abs((int)*entry(s, s->order[same[i].first], c) - (int)median[c]);
	qsort(same, count, sizeof(*same), same_compare);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = s->order[same[i].first], class = nearest_leader(s, row, leader, classes);

		if (class == classes)
			leader[classes++] = row;
		for (uint32_t k = 0; k < same[i].count; k++)
			class_of[s->order[same[i].first + k]] = class;
		members[class] += same[i].count;
	}
	for (uint32_t i = 0; i < s->rows; i++)
		if (members[class_of[i]] < 2)
			class_of[i] = 0;
	*ret_classes = classes;
	return 0;
}

static int class_plan(const struct sheet *whole, const uint32_t *class_of, uint32_t class)
{
	uint32_t *row = ft_arena_numbers(whole->memory, whole->rows, 0);
	struct sheet s = {
		.intent = whole->intent,
		.memory = whole->memory,
		.side = whole->side,
		.row = row,
		.classes = whole->classes,
		.columns = whole->columns,
		.column = whole->column,
		.block = whole->block,
	};
	int r;

	if (!row)
		return -ENOMEM;
	for (uint32_t i = 0; i < whole->rows; i++)
		if (class_of[i] == class)
			row[s.rows++] = whole->row[i];
	if (s.rows == 0)
		return 0;
	r = sheet_fill(&s);
	return r < 0 ? r : sheet_plan(&s);
}

static int set_plan(struct ft_intent *intent, enum ft_side side, uint32_t set)
{
	const struct ft_twins *twins = &intent->twins[side];
	_cleanup_(ft_arena_release) struct ft_arena memory = {0};
	struct sheet s = {
		.intent = intent,
		.memory = &memory,
		.side = side,
		.row = twins->members + twins->sets[set].first,
		.rows = twins->sets[set].count,
	};
	uint32_t *class_of = ft_arena_numbers(s.memory, s.rows, 0);
	uint32_t classes = 1;
	bool turned = false;
	int r = class_of ? columns_collect(&s, set) : -ENOMEM;

	if (r == 0 && side == FT_SIDE_UP)
		r = ft_intent_turned(intent, s.row, s.rows, s.column, s.columns, &turned);
	/* A few bundles beside tell nothing: two cables that by mistake end on one switch. */
	if (r < 0 || s.columns == 0 || turned || (side == FT_SIDE_BESIDE && s.rows * s.columns < FEW_PAIRS))
		return r;
	r = sheet_fill(&s);
	if (r == 0)
		r = classes_find(&s, class_of, &classes);
	s.classes = classes;
	for (uint32_t class = 0; r == 0 && class < classes; class ++)
		r = class_plan(&s, class_of, class);
	return r;
}

int ft_intent_blocks(struct ft_intent *intent)
{
	int r = 0;

	for (uint32_t set = 0; r == 0 && set < intent->twins[FT_SIDE_UP].set_count; set++)
		r = set_plan(intent, FT_SIDE_UP, set);
	for (uint32_t set = 0; r == 0 && set < intent->twins[FT_SIDE_BESIDE].set_count; set++)
		r = set_plan(intent, FT_SIDE_BESIDE, set);
	return r;
}
