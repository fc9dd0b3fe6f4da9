/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What no block holds: rings, meshes, tori, groups, single bundles. Planned as seen, but for
 *
 *   - a bundle that is thinner than nearly all between switches of such kinds;
 *   - a cable too many at a switch that has one too few elsewhere: it was moved (a greedy match of what is loose with
 *     what lacks, at either end);
 *   - a bundle of which one port is dark at both ends, between its own ports;
 *   - two switches that have fewer cables than all others of their kind: the link that completes both, where it is
 *     like those that there are (as wide as many are, with as many ways round it of two and three links, or by ports
 *     that others pair in the same way) and no other link would do.
 *
 * Cost: the last looks at pairs of deficient switches only, of which there are few or none are taken.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer_general.h"

enum {
	DEGREE_PERCENT = 60,  /* of a kind have as many cables */
	DEFICIENT_SHARE = 10, /* one of so many lacks cables, or two; else the kind is not regular */
	KIND_MIN = 5,
	LINKS_MIN = 4,
	DEFICIENT_MAX = 32,
	WIDTH_SHARE = 5,     /* one of so many bundles is as wide as the completed one */
	SIGNATURE_SHARE = 4, /* one of so many links has as many ways round it */
	BUNDLE_MIN = 4,	     /* cables, for a hole among their ports to tell something */
	HABIT_PERCENT = 60,
	BUNDLES_MIN = 6,
	WIDTH_PERCENT = 80, /* of the bundles between two kinds are as wide */
	MOVED_MAX = 2,
	SAMPLE = 512, /* links whose ways round are counted */
};

/* ---- widths ---- */

/* Two switches are of kinds; pairs of the same two are told by this. */
static uint64_t kinds_key(const struct ft_intent *intent, const struct ft_meant *pair)
{
	uint64_t x = (uint64_t)intent->rank[pair->a] << 16 | ft_infer_ports(intent->f, pair->a);
	uint64_t y = (uint64_t)intent->rank[pair->b] << 16 | ft_infer_ports(intent->f, pair->b);

	return x < y ? x << 32 | y : y << 32 | x;
}

static uint32_t cables_of(const struct ft_inference *f, uint32_t live)
{
	uint32_t cables = 0;

	for (uint32_t n = f->near_first[live]; n < f->near_first[live + 1]; n++)
		cables += f->near[n].cables;
	return cables;
}

/*
 * Where nearly all bundles between two kinds are of one width, the few that are thinner lack cables, if what both ends
 * have in all says so too: an end that has as many as it should has the others elsewhere.
 */
static void widths_even(struct ft_intent *intent, uint64_t key)
{
	struct ft_tally tally = {0};
	uint32_t all = 0, usual;

	for (uint32_t i = 0; i < intent->pair_count; i++)
		if (!intent->pairs[i].settled && intent->pairs[i].seen > 0 &&
		    kinds_key(intent, &intent->pairs[i]) == key) {
			ft_tally_add(&tally, intent->pairs[i].seen);
			all++;
		}
	usual = ft_tally_mode(&tally, 1);
	if (all < BUNDLES_MIN || tally.votes[usual] * 100 < all * WIDTH_PERCENT)
		return;
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		struct ft_meant *pair = &intent->pairs[i];

		if (pair->settled || pair->seen == 0 || kinds_key(intent, pair) != key)
			continue;
		if (pair->seen < usual && pair->seen * 2 >= usual &&
		    cables_of(intent->f, pair->a) % usual == pair->seen % usual &&
		    cables_of(intent->f, pair->b) % usual == pair->seen % usual) {
			pair->planned = usual;
			pair->settled = true;
		} else if (pair->seen > usual && pair->seen - usual <= MOVED_MAX) {
			pair->loose = pair->seen - usual;
		}
	}
}

static int widths_find(struct ft_intent *intent)
{
	_cleanup_(ft_map_release) struct ft_map done = {0};

	for (uint32_t i = 0; i < intent->pair_count; i++) {
		int r = intent->pairs[i].settled ? 0 : ft_map_add(&done, kinds_key(intent, &intent->pairs[i]), i, NULL);

		if (r < 0)
			return r;
		if (r > 0)
			widths_even(intent, kinds_key(intent, &intent->pairs[i]));
	}
	return 0;
}

/* ---- moved cables ---- */

/* Is one cable of a switch not half of all that it has? */
static bool keeps_others(const struct ft_intent *intent, uint32_t live)
{
	return cables_of(intent->f, live) > 2;
}

/*
 * A pair that lacks a cable not spoken for: it has @live for an end, and for the other a switch of the kind of @other,
 * which the cable is at now.
 */
static struct ft_meant *lacking_find(struct ft_intent *intent, const uint32_t *taken, uint32_t live, uint32_t other)
{
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		struct ft_meant *pair = &intent->pairs[i];

		if ((pair->a == live || pair->b == live) && pair->planned > pair->seen + taken[i] &&
		    ft_intent_alike(intent, pair->a == live ? pair->b : pair->a, other))
			return pair;
	}
	return NULL;
}

/* Cables of a pair that may belong elsewhere: beyond its block, or where the switches have blocks and this is in none.
 */
static uint32_t loose_cables(const struct ft_intent *intent, const struct ft_meant *pair)
{
	if (pair->loose > 0)
		return pair->loose;
	if (pair->settled || !intent->layered || pair->planned != pair->seen || pair->seen > 1)
		return 0;
	return keeps_others(intent, pair->a) && keeps_others(intent, pair->b) ? 1 : 0;
}

static int moved_find(struct ft_intent *intent)
{
	_cleanup_free_ uint32_t *taken = calloc(intent->pair_count + 1UL, sizeof(*taken));

	if (!taken)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		struct ft_meant *pair = &intent->pairs[i];
		uint32_t loose = loose_cables(intent, pair);

		for (; loose > 0; loose--) {
			struct ft_meant *lacks = lacking_find(intent, taken, pair->a, pair->b);

			if (!lacks)
				lacks = lacking_find(intent, taken, pair->b, pair->a);
			if (!lacks)
				break;
			taken[lacks - intent->pairs]++;
			pair->planned--;
			pair->settled = true;
		}
		intent->exceptions += pair->settled ? loose : 0;
	}
	return 0;
}

/* ---- holes of a bundle ---- */

/*
 * The one dark port of @live between those that lead to @far, all of which are in a row; 0: it is not so.
 * @ret_place: how many of the bundle are before it
 */
static uint32_t bundle_hole(const struct ft_inference *f, uint32_t live, uint32_t far, uint32_t seen,
			    uint32_t *ret_place)
{
	uint32_t first = 0, hole = 0, found = 0, last = ft_infer_last_port(f, live);

	for (uint32_t p = 1; p <= last && found < seen; p++) {
		bool leads = ft_infer_port_far(f, live, p) == far;

		first = first ? first : leads ? p : 0;
		found += leads;
		if (first == 0 || leads)
			continue;
		if (hole || !ft_infer_port_is_dark(f, live, p))
			return 0;
		hole = p;
		*ret_place = found;
	}
	return found == seen ? hole : 0;
}

static void bundles_fill(struct ft_intent *intent)
{
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		struct ft_meant *pair = &intent->pairs[i];
		uint32_t a = 0, b = 0;

		if (pair->settled || pair->seen < BUNDLE_MIN ||
		    bundle_hole(intent->f, pair->a, pair->b, pair->seen, &a) == 0 ||
		    bundle_hole(intent->f, pair->b, pair->a, pair->seen, &b) == 0 || (a != b && a + b != pair->seen))
			continue;
		pair->planned++;
		pair->settled = true;
	}
}

/* ---- degrees ---- */

struct degrees {
	struct ft_intent *intent;
	uint32_t *degree;    /* by live switch: planned cables */
	bool *open;	     /* by live switch: some of its bundles are in no block */
	uint32_t *kind;	     /* by live switch: the first of its kind, of one rank and as many ports */
	uint32_t *lacks;     /* by live switch */
	uint32_t *deficient; /* those that lack */
	uint32_t deficient_count;
	uint32_t above; /* switches with more cables than most of their kind */
	uint8_t *mark;
};

static int kinds_find(struct degrees *d)
{
	struct ft_intent *intent = d->intent;
	_cleanup_(ft_map_release) struct ft_map map = {0};

	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i];

		d->degree[pair->a] += pair->planned;
		d->degree[pair->b] += pair->planned;
		if (!pair->settled)
			d->open[pair->a] = d->open[pair->b] = true;
	}
	for (uint32_t i = 0; i < intent->count; i++) {
		uint64_t key = (uint64_t)intent->rank[i] << 32 | ft_infer_ports(intent->f, i);

		if (ft_map_add(&map, key, i, &d->kind[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* What the switches of one kind lack, where nearly all have as many cables. @first: of the kind. */
static void kind_judge(struct degrees *d, uint32_t first)
{
	struct ft_tally tally = {0};
	uint32_t count = 0, usual, below = 0;

	for (uint32_t i = first; i < d->intent->count; i++)
		if (d->kind[i] == first) {
			ft_tally_add(&tally, d->degree[i]);
			count++;
		}
	usual = ft_tally_mode(&tally, 1);
	for (uint32_t value = 0; value < usual; value++)
		below += tally.votes[value];
	for (uint32_t value = usual + 1; value < tally.end; value++)
		d->above += tally.votes[value];
	if (count < KIND_MIN || tally.votes[usual] * 100 < count * DEGREE_PERCENT ||
	    (below > 2 && below * DEFICIENT_SHARE > count))
		return;
	for (uint32_t i = first; i < d->intent->count; i++)
		if (d->kind[i] == first && d->degree[i] < usual && d->open[i]) {
			d->lacks[i] = usual - d->degree[i];
			d->deficient[d->deficient_count++] = i;
		}
}

/* ---- links that would complete ---- */

/* Ways from one switch to another by two and by three links, without the link between them. */
struct ways {
	uint32_t two, three;
};

static struct ways ways_count(struct degrees *d, uint32_t a, uint32_t b)
{
	const struct ft_inference *f = d->intent->f;
	struct ways ways = {0};

	for (uint32_t n = f->near_first[b]; n < f->near_first[b + 1]; n++)
		d->mark[f->near[n].live] = 1;
	for (uint32_t n = f->near_first[a]; n < f->near_first[a + 1]; n++) {
		uint32_t via = f->near[n].live;

		if (via == b)
			continue;
		ways.two += d->mark[via];
		for (uint32_t k = f->near_first[via]; k < f->near_first[via + 1]; k++)
			ways.three += f->near[k].live != a && f->near[k].live != b && d->mark[f->near[k].live];
	}
	for (uint32_t n = f->near_first[b]; n < f->near_first[b + 1]; n++)
		d->mark[f->near[n].live] = 0;
	return ways;
}

static bool pair_is_of(const struct degrees *d, const struct ft_meant *pair, uint32_t a, uint32_t b)
{
	return !pair->settled && pair->seen > 0 &&
	       ((d->kind[pair->a] == d->kind[a] && d->kind[pair->b] == d->kind[b]) ||
		(d->kind[pair->a] == d->kind[b] && d->kind[pair->b] == d->kind[a]));
}

/* Are links of as many ways round common among those of the two kinds? */
static bool ways_are_usual(struct degrees *d, uint32_t a, uint32_t b)
{
	struct ways ways = ways_count(d, a, b);
	uint32_t alike = 0, all = 0;

	if (ways.two + ways.three == 0)
		return false;
	for (uint32_t i = 0; i < d->intent->pair_count && all < SAMPLE; i++) {
		const struct ft_meant *pair = &d->intent->pairs[i];
		struct ways other;

		if (!pair_is_of(d, pair, a, b))
			continue;
		other = ways_count(d, pair->a, pair->b);
		all++;
		alike += other.two == ways.two && other.three <= ways.three + 1 && ways.three <= other.three + 1;
	}
	return all >= LINKS_MIN && alike * SIGNATURE_SHARE >= all;
}

/* Are bundles as wide as that common among those of the two kinds? */
static bool width_is_usual(const struct degrees *d, uint32_t a, uint32_t b, uint32_t width)
{
	uint32_t alike = 0, all = 0;

	for (uint32_t i = 0; i < d->intent->pair_count; i++) {
		const struct ft_meant *pair = &d->intent->pairs[i];

		if (!pair_is_of(d, pair, a, b))
			continue;
		all++;
		alike += pair->planned == width;
	}
	return all >= LINKS_MIN && alike * WIDTH_SHARE >= all;
}

/* Dark at @live, and led to a switch on most of its kind. */
static bool is_kind_hole(const struct degrees *d, uint32_t live, uint32_t number)
{
	uint32_t lit = 0, all = 0;

	if (!ft_infer_port_is_dark(d->intent->f, live, number))
		return false;
	for (uint32_t i = 0; i < d->intent->count; i++) {
		if (d->kind[i] != d->kind[live] || i == live)
			continue;
		all++;
		lit += ft_infer_port_far(d->intent->f, i, number) != FT_NONE;
	}
	return all > 0 && lit * 100 >= all * HABIT_PERCENT;
}

/* Cables by these two port numbers, in either direction. */
static uint32_t ports_paired(const struct ft_inference *f, uint32_t p, uint32_t q)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->live->cable_count; i++) {
		const struct ft_live_cable *cable = &f->live->cables[i];
		uint32_t x = f->snapshot->ports[cable->a_port].number, y = f->snapshot->ports[cable->b_port].number;

		count += (x == p && y == q) || (x == q && y == p);
	}
	return count;
}

/* Do holes at both ends lead to each other on other switches? */
static bool holes_pair(const struct degrees *d, uint32_t a, uint32_t b)
{
	const struct ft_inference *f = d->intent->f;

	for (uint32_t p = 1; p <= ft_infer_last_port(f, a); p++) {
		if (!is_kind_hole(d, a, p))
			continue;
		for (uint32_t q = 1; q <= ft_infer_last_port(f, b); q++)
			if (is_kind_hole(d, b, q) && ports_paired(f, p, q) >= 2)
				return true;
	}
	return false;
}

static bool has_holes(const struct degrees *d, uint32_t live)
{
	for (uint32_t p = 1; p <= ft_infer_last_port(d->intent->f, live); p++)
		if (is_kind_hole(d, live, p))
			return true;
	return false;
}

/* Does it keep two neighbours at least? */
static bool is_meshed(const struct degrees *d, uint32_t live)
{
	return d->intent->f->near_first[live + 1] - d->intent->f->near_first[live] >= 2;
}

/* How well a link would complete both: 0: not at all. */
static uint32_t link_score(struct degrees *d, uint32_t a, uint32_t b)
{
	const struct ft_meant *pair = ft_meant_find(d->intent, a, b);
	uint32_t width = (pair ? pair->planned : 0) + (d->lacks[a] < d->lacks[b] ? d->lacks[a] : d->lacks[b]);
	uint32_t score;

	if ((pair && pair->settled) || !width_is_usual(d, a, b, width))
		return 0;
	score = holes_pair(d, a, b) ? 4 : 0;
	/* Where others have too many, cables were moved, and the ways round tell nothing. */
	if (score == 0 && d->above > 0 && ways_count(d, a, b).two == 0)
		return 0;
	/* The ends of a chain lack nothing. */
	if (score == 0 && !(is_meshed(d, a) && is_meshed(d, b)))
		return 0;
	score += ways_are_usual(d, a, b) ? 2 : 0;
	/* Two that lack something, and nobody else. */
	if (d->deficient_count == 2 && (score > 0 || (has_holes(d, a) && has_holes(d, b))))
		score++;
	return score > 0 && pair ? score + 8 : score;
}

/* The only one that completes @live best; FT_NONE: none, or several. */
static uint32_t best_partner(struct degrees *d, uint32_t live)
{
	uint32_t best = FT_NONE, most = 0;

	for (uint32_t i = 0; i < d->deficient_count; i++) {
		uint32_t other = d->deficient[i], score;

		if (other == live || d->lacks[other] == 0)
			continue;
		score = link_score(d, live, other);
		if (score > most) {
			most = score;
			best = other;
		} else if (score == most) {
			best = FT_NONE;
		}
	}
	return most > 0 ? best : FT_NONE;
}

static int links_complete(struct degrees *d)
{
	/* So many are the border of a mesh; and each is held against each. */
	if (d->deficient_count > DEFICIENT_MAX)
		return 0;
	for (uint32_t i = 0; i < d->deficient_count; i++) {
		uint32_t live = d->deficient[i], partner, cables;
		struct ft_meant *pair;

		partner = d->lacks[live] > 0 ? best_partner(d, live) : FT_NONE;
		if (partner == FT_NONE || best_partner(d, partner) != live)
			continue;
		pair = ft_meant_get(d->intent, live, partner);
		if (!pair)
			return -ENOMEM;
		cables = d->lacks[live] < d->lacks[partner] ? d->lacks[live] : d->lacks[partner];
		pair->planned += cables;
		pair->settled = true;
		d->lacks[live] -= cables;
		d->lacks[partner] -= cables;
	}
	for (uint32_t i = 0; i < d->deficient_count; i++)
		d->intent->undecided += d->lacks[d->deficient[i]];
	return 0;
}

int ft_intent_regular(struct ft_intent *intent)
{
	size_t count = intent->count + 1UL;
	_cleanup_free_ uint32_t *degree = calloc(count, sizeof(*degree)), *kind = calloc(count, sizeof(*kind));
	_cleanup_free_ uint32_t *lacks = calloc(count, sizeof(*lacks)), *deficient = calloc(count, sizeof(*deficient));
	_cleanup_free_ bool *open = calloc(count, sizeof(*open));
	_cleanup_free_ uint8_t *mark = calloc(count, sizeof(*mark));
	struct degrees d = {
		.intent = intent,
		.degree = degree,
		.open = open,
		.kind = kind,
		.lacks = lacks,
		.deficient = deficient,
		.mark = mark,
	};
	int r;

	if (!degree || !kind || !lacks || !deficient || !open || !mark)
		return -ENOMEM;
	r = widths_find(intent);
	if (r == 0)
		r = moved_find(intent);
	if (r < 0)
		return r;
	bundles_fill(intent);
	r = kinds_find(&d);
	for (uint32_t i = 0; r == 0 && i < intent->count; i++)
		if (kind[i] == i)
			kind_judge(&d, i);
	return r < 0 ? r : links_complete(&d);
}
