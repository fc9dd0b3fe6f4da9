/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What no block covers: rings, meshes, tori, groups, single bundles. Planned as seen, except
 *   - a bundle that is thinner than nearly all between switches of such kinds;
 *   - a surplus cable of a switch that lacks one elsewhere: it was moved (greedy matching of loose with missing cables,
 *     at either end);
 *   - what ports prove (proven.c);
 *   - two switches with fewer cables than all others of their kind: the link that completes both, if it is like the
 *     existing ones (a frequent width, and as many paths of two and three links around it) and no other link is
 *     possible.
 *
 * Cost: the last step looks only at pairs of deficient switches, of which there are few or none are taken.
 */
#include "config.h"

#include <errno.h>

#include "base/numbers.h"
#include "verify/infer/general.h"

enum {
	DEGREE_PERCENT = 60,  /* of a kind have as many cables */
	DEFICIENT_SHARE = 10, /* at most one in so many lacks a cable or two; else the kind is not regular */
	KIND_MIN = 5,
	LINKS_MIN = 4,
	DEFICIENT_MAX = 32,
	WIDTH_SHARE = 5,     /* one in so many bundles has the width of the completed one */
	SIGNATURE_SHARE = 4, /* one in so many links has as many paths around it */
	HABIT_PERCENT = 60,
	BUNDLES_MIN = 6,
	WIDTH_PERCENT = 80, /* of the bundles between two kinds have one width */
	MOVED_MAX = 2,
	THICKER_SOME = 3,   /* bundles may have cables that were moved there, */
	THICKER_SHARE = 50, /* and of so many one; more are on purpose: global cables of pairs beside single ones */
	SAMPLE = 512,	    /* links whose paths around are counted */
	GIRTH_PERCENT = 75,
	GIRTH_NEIGHBOURS = 3,
	SCORE_BUNDLE = 8, /* an existing bundle */
};

/* ---- widths ---- */

/* The key of a kind of switches. */
static uint64_t kind_key(const struct ft_intent *intent, uint32_t observed)
{
	return (uint64_t)intent->rank[observed] << 17 | (uint64_t)ft_infer_has_hosts(intent->f, observed) << 16 |
	       ft_infer_ports(intent->f, observed);
}

/* True for switches with several neighbours in common, or of one clique, as those of one row or column of a group. */
static bool is_local(const struct ft_intent *intent, const struct ft_meant *pair)
{
	enum { COMMON_MIN = 3 };

	return pair->meshed || ft_infer_common_neighbours(&intent->f->graph, pair->a, pair->b) >= COMMON_MIN;
}

/*
 * The key of a pair of kinds. The cases that bit: 4 cables between two storage switches, in a fabric whose leaves have
 * 6 to each spine; and pairs of cables between groups, within which there are single cables and bundles of 3.
 */
static uint64_t kinds_key(const struct ft_intent *intent, const struct ft_meant *pair)
{
	uint64_t x = kind_key(intent, pair->a), y = kind_key(intent, pair->b), local = is_local(intent, pair);

	return (x < y ? x << 32 | y : y << 32 | x) | local << 63;
}

/*
 * If nearly all bundles between two kinds have one width, the few thinner ones lack cables, if the sums at both ends
 * confirm it, of all cables or of those of such bundles: an end with the right sum has its cables elsewhere.
 */
static int widths_even(struct ft_intent *intent, uint64_t key)
{
	uint32_t *sum = ft_arena_numbers(intent->f->memory, intent->count, 0);
	struct ft_tally tally = {0};
	uint32_t all = 0, thicker = 0, usual;
	bool few;

	if (!sum)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->pair_count; i++)
		if (!intent->pairs[i].settled && intent->pairs[i].seen > 0 &&
		    kinds_key(intent, &intent->pairs[i]) == key) {
			ft_tally_add(&tally, intent->pairs[i].seen);
			sum[intent->pairs[i].a] += intent->pairs[i].seen;
			sum[intent->pairs[i].b] += intent->pairs[i].seen;
			all++;
		}
	usual = ft_tally_mode(&tally, 1);
	if (all < BUNDLES_MIN || tally.votes[usual] * 100 < all * WIDTH_PERCENT)
		return 0;
	for (uint32_t value = usual + 1; value < tally.end; value++)
		thicker += tally.votes[value];
	few = thicker <= THICKER_SOME || thicker * THICKER_SHARE <= all;
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		struct ft_meant *pair = &intent->pairs[i];

		if (pair->settled || pair->seen == 0 || kinds_key(intent, pair) != key)
			continue;
		if (pair->seen < usual && pair->seen * 2 >= usual &&
		    (intent->f->graph.degree[pair->a] % usual == pair->seen % usual ||
		     sum[pair->a] % usual == pair->seen % usual) &&
		    (intent->f->graph.degree[pair->b] % usual == pair->seen % usual ||
		     sum[pair->b] % usual == pair->seen % usual)) {
			pair->planned = usual;
			pair->settled = true;
		} else if (few && pair->seen > usual && pair->seen - usual <= MOVED_MAX) {
			pair->loose = pair->seen - usual;
		}
	}
	return 0;
}

static int widths_find(struct ft_intent *intent)
{
	_cleanup_(ft_map_release) struct ft_map done = {0};

	for (uint32_t i = 0; i < intent->pair_count; i++) {
		int r = intent->pairs[i].settled ? 0 : ft_map_add(&done, kinds_key(intent, &intent->pairs[i]), i, NULL);

		if (r < 0)
			return r;
		if (r > 0 && widths_even(intent, kinds_key(intent, &intent->pairs[i])) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* ---- moved cables ---- */

/* True if one cable of a switch is less than half of all its cables. */
static bool keeps_others(const struct ft_intent *intent, uint32_t observed)
{
	return intent->f->graph.degree[observed] > 2;
}

/*
 * Where a cable was moved from one switch to another of its kind, one has a cable too few and the other one too many.
 * A cable that no block knows may stand where all cables between groups do: those of spines that are wired in another
 * order than the blocks'. It is moved only if the numbers of cables say so as well.
 */
static bool is_moved_between(const struct ft_intent *intent, uint32_t from, uint32_t to)
{
	return intent->f->graph.degree[to] >= intent->f->graph.degree[from] + 2;
}

/*
 * True if the cable between @observed and @there was exchanged with another one: @observed lacks one to @from, and a
 * switch like
 * @observed, which lacks one to @there, has one to @from. Numbers of cables do not tell of that.
 */
static bool is_exchanged(const struct ft_intent *intent, uint32_t observed, uint32_t from, uint32_t there)
{
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i], *other;
		uint32_t twin = pair->a == there ? pair->b : pair->a;

		if ((pair->a != there && pair->b != there) || pair->planned <= pair->seen ||
		    !ft_intent_alike(intent, twin, observed))
			continue;
		other = ft_meant_find(intent, twin, from);
		if (other && other->seen > 0 && (!other->settled || other->planned < other->seen))
			return true;
	}
	return false;
}

/*
 * A pair with an unassigned missing cable: one end is @observed, the other of the kind of @other, which has the cable
 * now.
 * @surplus: a block says that the cable is one too many. What dark ports at both ends prove for certain was not
 * moved: the other end would not be dark.
 */
static struct ft_meant *lacking_find(struct ft_intent *intent, const uint32_t *taken, uint32_t observed, uint32_t other,
				     bool surplus)
{
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		struct ft_meant *pair = &intent->pairs[i];
		uint32_t from = pair->a == observed ? pair->b : pair->a;

		if ((pair->a == observed || pair->b == observed) &&
		    pair->planned > pair->seen + pair->certain + taken[i] && ft_intent_alike(intent, from, other) &&
		    (surplus || is_moved_between(intent, from, other) || is_exchanged(intent, observed, from, other)))
			return pair;
	}
	return NULL;
}

/* Cables of a pair that may belong elsewhere: beyond its block, or in none although both switches have blocks. */
static uint32_t loose_cables(const struct ft_intent *intent, const struct ft_meant *pair)
{
	if (pair->loose > 0)
		return pair->loose;
	if (pair->settled || !intent->layered || pair->planned != pair->seen || pair->seen != 1)
		return 0;
	return keeps_others(intent, pair->a) && keeps_others(intent, pair->b) ? 1 : 0;
}

static int moved_find(struct ft_intent *intent)
{
	uint32_t *taken = ft_arena_numbers(intent->f->memory, intent->pair_count, 0);

	if (!taken)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		struct ft_meant *pair = &intent->pairs[i];
		uint32_t loose = loose_cables(intent, pair);

		for (; loose > 0; loose--) {
			struct ft_meant *lacks = lacking_find(intent, taken, pair->a, pair->b, pair->loose > 0);

			if (!lacks)
				lacks = lacking_find(intent, taken, pair->b, pair->a, pair->loose > 0);
			if (!lacks)
				break;
			taken[lacks - intent->pairs]++;
			pair->planned--;
			pair->settled = true;
		}
	}
	return 0;
}

/* What ports prove of bundles outside all blocks. */
static void bundles_fill(struct ft_intent *intent)
{
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		struct ft_meant *pair = &intent->pairs[i];

		if (pair->settled || pair->proven == 0)
			continue;
		pair->planned += pair->proven;
		pair->settled = true;
	}
}

/* ---- degrees ---- */

struct degrees {
	struct ft_intent *intent;
	uint32_t *degree;    /* by observed switch: planned cables */
	bool *open;	     /* by observed switch: some of its bundles are outside all blocks */
	uint32_t *kind;	     /* by observed switch: the first of its kind, with the same rank and number of ports */
	uint32_t *lacks;     /* by observed switch: missing cables */
	uint32_t *deficient; /* switches that lack cables */
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

/* The missing cables of the switches of one kind, if nearly all have the same number. @first: of the kind. */
static void kind_judge(struct degrees *d, uint32_t first)
{
	struct ft_tally tally = {0};
	uint32_t count, usual, below = 0;

	for (uint32_t i = first; i < d->intent->count; i++)
		if (d->kind[i] == first)
			ft_tally_add(&tally, d->degree[i]);
	usual = ft_tally_mode(&tally, 1);
	/* What lacks more than half has not lost a cable or two: a management switch on one cable, or a lone star. */
	for (uint32_t value = (usual + 1) / 2; value < usual; value++)
		below += tally.votes[value];
	count = below + tally.votes[usual];
	for (uint32_t value = usual + 1; value < tally.end; value++) {
		d->above += tally.votes[value];
		count += tally.votes[value];
	}
	if (count < KIND_MIN || tally.votes[usual] * 100 < count * DEGREE_PERCENT ||
	    (below > 2 && below * DEFICIENT_SHARE > count))
		return;
	for (uint32_t i = first; i < d->intent->count; i++)
		if (d->kind[i] == first && d->degree[i] < usual && 2 * d->degree[i] >= usual && d->open[i]) {
			d->lacks[i] = usual - d->degree[i];
			d->deficient[d->deficient_count++] = i;
		}
}

/* ---- completing links ---- */

/* Paths of two and of three links from one switch to another, without the link between them. */
struct ways {
	uint32_t two, three;
};

static struct ways ways_count(const struct degrees *d, uint32_t a, uint32_t b)
{
	const struct ft_inference *f = d->intent->f;
	struct ways ways = {0};

	ft_each_adjacent(n, &f->graph, b)
		d->mark[n->vertex] = 1;
	ft_each_adjacent(n, &f->graph, a) {
		uint32_t via = n->vertex;

		if (via == b)
			continue;
		ways.two += d->mark[via];
		ft_each_adjacent(k, &f->graph, via)
			ways.three += k->vertex != a && k->vertex != b && d->mark[k->vertex];
	}
	ft_each_adjacent(n, &f->graph, b)
		d->mark[n->vertex] = 0;
	return ways;
}

static bool has_neighbours(const struct degrees *d, uint32_t observed, uint32_t least)
{
	return ft_adjacent_count(&d->intent->f->graph, observed) >= least;
}

static bool pair_is_of(const struct degrees *d, const struct ft_meant *pair, uint32_t a, uint32_t b)
{
	return !pair->settled && pair->seen > 0 &&
	       ((d->kind[pair->a] == d->kind[a] && d->kind[pair->b] == d->kind[b]) ||
		(d->kind[pair->a] == d->kind[b] && d->kind[pair->b] == d->kind[a]));
}

/*
 * How frequent links with as many paths around them are between the two kinds: 2: exactly as many, 1: nearly (another
 * link is missing nearby), 0: they are not. If no link has any path around it (girth
 * above 4), this is no evidence, because switches that are no neighbours have such paths.
 */
static uint32_t ways_score(const struct degrees *d, uint32_t a, uint32_t b)
{
	struct ways ways = ways_count(d, a, b);
	uint32_t same = 0, near = 0, all = 0;
	bool none = ways.two + ways.three == 0;

	for (uint32_t i = 0; i < d->intent->pair_count && all < SAMPLE; i++) {
		const struct ft_meant *pair = &d->intent->pairs[i];
		struct ways other;

		if (!pair_is_of(d, pair, a, b))
			continue;
		other = ways_count(d, pair->a, pair->b);
		all++;
		same += other.two == ways.two && other.three == ways.three;
		near += other.two == ways.two && other.three <= ways.three + 1 && ways.three <= other.three + 1;
	}
	if (all < LINKS_MIN)
		return 0;
	if (none)
		return has_neighbours(d, a, GIRTH_NEIGHBOURS) && has_neighbours(d, b, GIRTH_NEIGHBOURS) &&
				       same * 100 >= all * GIRTH_PERCENT
			       ? 2
			       : 0;
	return same * SIGNATURE_SHARE >= all ? 2 : near * SIGNATURE_SHARE >= all;
}

/* True if bundles of that width are frequent between the two kinds. */
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

/* True for a port that is dark at @observed, and leads to a switch on most of its kind. */
static bool is_kind_hole(const struct degrees *d, uint32_t observed, uint32_t number)
{
	uint32_t lit = 0, all = 0;

	if (!ft_infer_port_is_dark(d->intent->f, observed, number))
		return false;
	for (uint32_t i = 0; i < d->intent->count; i++) {
		if (d->kind[i] != d->kind[observed] || i == observed)
			continue;
		all++;
		lit += ft_infer_port_far(d->intent->f, i, number) != FT_NONE;
	}
	return all > 0 && lit * 100 >= all * HABIT_PERCENT;
}

static bool has_holes(const struct degrees *d, uint32_t observed)
{
	for (uint32_t p = 1; p <= ft_infer_last_port(d->intent->f, observed); p++)
		if (is_kind_hole(d, observed, p))
			return true;
	return false;
}

static uint32_t cables_between(const struct degrees *d, uint32_t a, uint32_t b)
{
	return ft_number_least(d->lacks[a], d->lacks[b]);
}

/* The score of a link that would complete both: 0: not possible. */
static uint32_t link_score(const struct degrees *d, uint32_t a, uint32_t b)
{
	const struct ft_meant *pair = ft_meant_find(d->intent, a, b);
	uint32_t width = (pair ? pair->planned : 0) + cables_between(d, a, b);
	uint32_t score;

	if ((pair && pair->settled) || !width_is_usual(d, a, b, width))
		return 0;
	/* A ring without one bundle is a chain, and the end of a chain may be meant so: both have to have other links.
	 */
	if (!has_neighbours(d, a, 2) || !has_neighbours(d, b, 2))
		return 0;
	/* If other switches have surplus cables, cables were moved, and paths around links are no evidence. */
	if (d->above > 0 && ways_count(d, a, b).two == 0)
		return 0;
	score = ways_score(d, a, b);
	/* The only two switches that lack cables. */
	score += d->deficient_count == 2 && (score > 0 || (has_holes(d, a) && has_holes(d, b)));
	return score > 0 && pair ? score + SCORE_BUNDLE : score;
}

/* scores[]: by deficient switch, with switch @i. True if @i has a cable left for @j after all equally good ones. */
static bool is_clear(const struct degrees *d, const uint32_t *scores, uint32_t i, uint32_t j)
{
	uint32_t wanted = 0;

	for (uint32_t k = 0; k < d->deficient_count; k++)
		if (k != i && scores[k] >= scores[j])
			wanted += cables_between(d, d->deficient[i], d->deficient[k]);
	return scores[j] > 0 && wanted <= d->lacks[d->deficient[i]];
}

/* Plans the links that are unambiguous at both ends, and counts them. */
static int links_settle(struct degrees *d, const uint32_t *scores, uint32_t *ret_count)
{
	uint32_t n = d->deficient_count;

	*ret_count = 0;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < i; j++) {
			uint32_t a = d->deficient[i], b = d->deficient[j], cables = cables_between(d, a, b);
			struct ft_meant *pair;

			if (cables == 0 || !is_clear(d, scores + (size_t)i * n, i, j) ||
			    !is_clear(d, scores + (size_t)j * n, j, i))
				continue;
			pair = ft_meant_get(d->intent, a, b);
			if (!pair)
				return -ENOMEM;
			pair->planned += cables;
			pair->settled = true;
			d->lacks[a] -= cables;
			d->lacks[b] -= cables;
			++*ret_count;
		}
	return 0;
}

/* Planned links leave fewer candidates for the others: repeats until no link becomes unambiguous. */
static int links_complete(struct degrees *d)
{
	uint32_t *scores;
	uint32_t n = d->deficient_count, found = 1;

	/* So many are the border of a mesh; and all pairs would be compared. */
	if (n > DEFICIENT_MAX)
		return 0;
	scores = ft_arena_numbers(d->intent->f->memory, (size_t)n * n, 0);
	if (!scores)
		return -ENOMEM;
	while (found > 0) {
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++) {
				uint32_t a = d->deficient[i], b = d->deficient[j];

				scores[(size_t)i * n + j] =
					i != j && cables_between(d, a, b) > 0 ? link_score(d, a, b) : 0;
			}
		if (links_settle(d, scores, &found) < 0)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++)
		d->intent->undecided += d->lacks[d->deficient[i]];
	return 0;
}

int ft_intent_regular(struct ft_intent *intent)
{
	struct ft_arena *memory = intent->f->memory;
	struct degrees d = {
		.intent = intent,
		.degree = ft_arena_numbers(memory, intent->count, 0),
		.open = ft_arena_zeros(memory, intent->count, sizeof(*d.open)),
		.kind = ft_arena_numbers(memory, intent->count, 0),
		.lacks = ft_arena_numbers(memory, intent->count, 0),
		.deficient = ft_arena_numbers(memory, intent->count, 0),
		.mark = ft_arena_zeros(memory, intent->count, sizeof(*d.mark)),
	};
	int r;

	if (memory->failed)
		return -ENOMEM;
	r = widths_find(intent) ?: moved_find(intent);
	if (r < 0)
		return r;
	bundles_fill(intent);
	r = kinds_find(&d);
	for (uint32_t i = 0; r == 0 && i < intent->count; i++)
		if (d.kind[i] == i)
			kind_judge(&d, i);
	return r < 0 ? r : links_complete(&d);
}
