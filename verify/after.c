/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/after.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "verify/model.h"

enum { MILLION = 1000000, WORK_MAX = 200000000, SAMPLES_MIN = 100 };

/* What can fail, and where: a core switch, or one cable of a bundle. */
struct item {
	uint32_t p, q; /* places; of a core p, and q is FT_NONE */
	uint32_t cell;
};

/* How bad one way is, in numbers that compare. */
struct state {
	uint32_t edges, hosts;
	uint64_t bisection_ppm; /* left, of the planned */
	struct ft_ratio blocking;
};

struct after {
	const struct ft_model *m;
	enum ft_after_kind kind;
	uint32_t count;		  /* fail at once */
	uint32_t *carriers, *own; /* by cell: cables that carry, and of those the pair's own by the plan */
	bool *dead;		  /* by place */
	bool *reached;
	uint32_t *queue;
	uint32_t *above;     /* by place: a spine's cables to cores */
	uint64_t planned[2]; /* cables of the edge level, and of that above */
	struct item *items;
	uint32_t item_count;
	uint32_t *chosen; /* [count]: items that fail, in ascending order */
	struct state worst;
	uint32_t *worst_chosen;
	struct state harshest; /* of the way in worst_chosen */
	bool any;
	/* Sums of what was looked at for the average. */
	uint64_t edges, hosts, bisection_ppm, blocking_ppm, blocked;
	uint32_t looked;
};

static void after_release(struct after *x)
{
	free(x->carriers);
	free(x->own);
	free(x->dead);
	free(x->reached);
	free(x->queue);
	free(x->above);
	free(x->items);
	free(x->chosen);
	free(x->worst_chosen);
}

static int after_init(struct after *x, const struct ft_model *m)
{
	size_t places = m->place_count + 1UL, cells = m->cells.count + 1UL;
	size_t items = places;

	x->m = m;
	x->carriers = calloc(cells, sizeof(*x->carriers));
	x->own = calloc(cells, sizeof(*x->own));
	x->dead = calloc(places, sizeof(*x->dead));
	x->reached = calloc(places, sizeof(*x->reached));
	x->queue = calloc(places, sizeof(*x->queue));
	x->above = calloc(places, sizeof(*x->above));
	if (!x->carriers || !x->own || !x->dead || !x->reached || !x->queue || !x->above)
		return -ENOMEM;
	for (uint32_t r = 0; r < m->rows; r++)
		for (const struct ft_pair *pair = ft_pairs_of(m, r); pair < ft_pairs_of(m, r + 1); pair++) {
			uint32_t up = ft_pair_up(m, r, pair);

			x->carriers[pair->cell] = ft_pair_carriers(m, r, pair);
			x->own[pair->cell] = up < x->carriers[pair->cell] ? up : x->carriers[pair->cell];
			x->planned[r >= m->edges] += m->cells.width[pair->cell];
			items += x->carriers[pair->cell];
		}
	x->items = calloc(items, sizeof(*x->items));
	return x->items ? 0 : -ENOMEM;
}

static void items_list(struct after *x)
{
	const struct ft_model *m = x->m;

	for (uint32_t p = 0; x->kind == FT_AFTER_CORE && p < m->place_count; p++)
		if (ft_tier_of(m, p) == FT_TIER_CORE && m->live_of[p] != FT_NONE)
			x->items[x->item_count++] = (struct item){p, FT_NONE, 0};
	for (uint32_t r = 0; x->kind == FT_AFTER_CABLE && r < m->rows; r++)
		for (const struct ft_pair *pair = ft_pairs_of(m, r); pair < ft_pairs_of(m, r + 1); pair++)
			for (uint32_t n = 0; n < x->carriers[pair->cell]; n++)
				x->items[x->item_count++] = (struct item){r, pair->peer, pair->cell};
}

/* ---- one way ---- */

static void fail_all(struct after *x, const uint32_t *chosen, bool fail)
{
	for (uint32_t i = 0; i < x->count; i++) {
		const struct item *item = &x->items[chosen[i]];

		if (item->q == FT_NONE)
			x->dead[item->p] = fail;
		else
			x->carriers[item->cell] += fail ? -1U : 1U;
	}
}

static uint32_t left_of(const struct after *x, uint32_t p, const struct ft_pair *pair)
{
	return x->dead[p] || x->dead[pair->peer] ? 0 : x->carriers[pair->cell];
}

/* From all core switches at once. */
static void reached_mark(struct after *x)
{
	const struct ft_model *m = x->m;
	uint32_t tail = 0;

	for (uint32_t p = 0; p < m->place_count; p++) {
		x->reached[p] = ft_tier_of(m, p) == FT_TIER_CORE && !x->dead[p] && m->live_of[p] != FT_NONE;
		x->above[p] = 0;
		if (x->reached[p])
			x->queue[tail++] = p;
	}
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t p = x->queue[head];

		for (const struct ft_pair *pair = ft_pairs_of(m, p); pair < ft_pairs_of(m, p + 1); pair++) {
			uint32_t left = left_of(x, p, pair);

			if (ft_tier_of(m, p) == FT_TIER_CORE)
				x->above[pair->peer] += left;
			if (left == 0 || x->reached[pair->peer])
				continue;
			x->reached[pair->peer] = true;
			x->queue[tail++] = pair->peer;
		}
	}
}

static uint64_t bisection_look(const struct after *x)
{
	const struct ft_model *m = x->m;
	uint64_t up[2] = {0, 0}, planned = x->planned[0], left;

	for (uint32_t r = 0; r < m->rows; r++)
		for (const struct ft_pair *pair = ft_pairs_of(m, r); pair < ft_pairs_of(m, r + 1); pair++) {
			uint32_t carries = left_of(x, r, pair), own = x->own[pair->cell];

			up[r >= m->edges] += carries < own ? carries : own;
		}
	left = up[0];
	if (m->plan->levels == 3) {
		planned = x->planned[1] < planned ? x->planned[1] : planned;
		left = up[1] < left ? up[1] : left;
	}
	left = left < planned ? left : planned;
	return planned ? left * MILLION / planned : MILLION;
}

static void ratio_raise(struct ft_ratio *worst, int64_t down, int64_t up)
{
	struct ft_ratio ratio;

	if (up > 0 && ft_ratio_make(down, up, &ratio) == 0 && (worst->den == 0 || ft_ratio_compare(ratio, *worst) > 0))
		*worst = ratio;
}

/* As measure.c has it: hosts, or the ports for them, over uplinks; in three levels the worst spine counts as well. */
static struct ft_ratio blocking_look(const struct after *x)
{
	const struct ft_model *m = x->m;
	const struct ft_plan *plan = m->plan;
	bool three = plan->levels == 3;
	struct ft_ratio above = three && plan->spine_blocking.num > plan->spine_blocking.den ? plan->spine_blocking
											     : (struct ft_ratio){1, 1};
	struct ft_ratio worst = {0, 0};

	for (uint32_t e = 0; e < m->edges; e++) {
		const struct ft_live_switch *sw = ft_live_at(m, e);
		uint32_t links = 0, down;

		if (!sw || !x->reached[e])
			continue;
		for (const struct ft_pair *pair = ft_pairs_of(m, e); pair < ft_pairs_of(m, e + 1); pair++)
			links += !three || x->above[pair->peer] > 0 ? left_of(x, e, pair) : 0;
		down = sw->hosts > plan->ports_to_nodes ? sw->hosts : plan->ports_to_nodes;
		ratio_raise(&worst, down * above.num, links * above.den);
	}
	for (uint32_t p = m->rows; three && p < m->place_count; p++) {
		uint32_t down = 0;

		for (const struct ft_pair *pair = ft_pairs_of(m, p); pair < ft_pairs_of(m, p + 1); pair++)
			down += pair->peer < m->edges ? m->cells.width[pair->cell] : 0;
		if (m->live_of[p] != FT_NONE && down > x->above[p])
			ratio_raise(&worst, down * plan->blocking.num, x->above[p] * plan->blocking.den);
	}
	return worst;
}

static struct state way_look(struct after *x, const uint32_t *chosen)
{
	const struct ft_model *m = x->m;
	struct state s = {0};

	fail_all(x, chosen, true);
	reached_mark(x);
	for (uint32_t e = 0; e < m->edges; e++) {
		if (m->live_of[e] == FT_NONE || x->reached[e])
			continue;
		s.edges++;
		s.hosts += ft_live_at(m, e)->hosts;
	}
	s.bisection_ppm = bisection_look(x);
	s.blocking = blocking_look(x);
	fail_all(x, chosen, false);
	return s;
}

static bool blocking_is_worse(struct ft_ratio a, struct ft_ratio b)
{
	return a.den > 0 && (b.den == 0 || ft_ratio_compare(a, b) > 0);
}

/* Hosts first, then bandwidth, then blocking. */
static bool state_is_worse(const struct state *a, const struct state *b)
{
	if (a->hosts != b->hosts)
		return a->hosts > b->hosts;
	if (a->bisection_ppm != b->bisection_ppm)
		return a->bisection_ppm < b->bisection_ppm;
	return blocking_is_worse(a->blocking, b->blocking);
}

/* Each figure has its own worst way. */
static struct state worst_take(struct after *x, const uint32_t *chosen)
{
	struct state s = way_look(x, chosen);

	if (!x->any || state_is_worse(&s, &x->harshest)) {
		x->harshest = s;
		memcpy(x->worst_chosen, chosen, x->count * sizeof(*chosen));
	}
	if (!x->any)
		x->worst = s;
	x->any = true;
	x->worst.edges = s.edges > x->worst.edges ? s.edges : x->worst.edges;
	x->worst.hosts = s.hosts > x->worst.hosts ? s.hosts : x->worst.hosts;
	if (s.bisection_ppm < x->worst.bisection_ppm)
		x->worst.bisection_ppm = s.bisection_ppm;
	if (blocking_is_worse(s.blocking, x->worst.blocking))
		x->worst.blocking = s.blocking;
	return s;
}

/* One of those that the average is of. */
static void way_count(struct after *x, const uint32_t *chosen)
{
	struct state s = worst_take(x, chosen);

	x->looked++;
	x->edges += s.edges;
	x->hosts += s.hosts;
	x->bisection_ppm += s.bisection_ppm;
	if (s.blocking.den > 0) {
		x->blocking_ppm += (uint64_t)(s.blocking.num * MILLION / s.blocking.den);
		x->blocked++;
	}
}

/* ---- all ways, or some ---- */

/* How many ways there are, as far as that can be counted exactly; @ret_about in any case. */
static uint64_t ways_count(uint32_t of, uint32_t count, double *ret_about)
{
	uint64_t ways = 1;
	bool exact = true;
	double about = 1;

	for (uint32_t i = 1; i <= count; i++) {
		about = about * (of - count + i) / i;
		if (exact && ways > UINT64_MAX / of)
			exact = false;
		else if (exact)
			ways = ways * (of - count + i) / i;
	}
	*ret_about = about;
	return exact ? ways : UINT64_MAX;
}

static void ways_all(struct after *x)
{
	uint32_t n = x->count;

	for (uint32_t i = 0; i < n; i++)
		x->chosen[i] = i;
	for (;;) {
		uint32_t i = n;

		way_count(x, x->chosen);
		while (i > 0 && x->chosen[i - 1] == x->item_count - n + i - 1)
			i--;
		if (i == 0)
			return;
		x->chosen[i - 1]++;
		for (; i < n; i++)
			x->chosen[i] = x->chosen[i - 1] + 1;
	}
}

/* The 64-bit generator of S. Vigna, "splitmix64" (public domain): the same on every machine. */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static int number_compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* So many different items, each set as likely as any other (R. Floyd's way). */
static void way_draw(struct after *x, uint64_t *random)
{
	uint32_t drawn = 0;

	for (uint32_t top = x->item_count - x->count; top < x->item_count; top++) {
		uint32_t pick = (uint32_t)(((__uint128_t)random_next(random) * (top + 1UL)) >> 64);

		for (uint32_t i = 0; i < drawn; i++)
			if (x->chosen[i] == pick)
				pick = top;
		x->chosen[drawn++] = pick;
	}
	qsort(x->chosen, x->count, sizeof(*x->chosen), number_compare);
}

static void ways_some(struct after *x, uint32_t samples)
{
	uint64_t random = FT_AFTER_SEED;

	for (uint32_t i = 0; i < samples; i++) {
		way_draw(x, &random);
		way_count(x, x->chosen);
	}
}

/* ---- the ways that hit hardest ---- */

/* What an item is worth to whoever wants to do harm. */
struct prey {
	uint64_t worth;
	uint32_t item;
};

static int prey_compare(const void *a, const void *b)
{
	const struct prey *x = a, *y = b;

	if (x->worth != y->worth)
		return x->worth > y->worth ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

static void hardest_try(struct after *x, struct prey *prey)
{
	qsort(prey, x->item_count, sizeof(*prey), prey_compare);
	for (uint32_t i = 0; i < x->count; i++)
		x->chosen[i] = prey[i].item;
	qsort(x->chosen, x->count, sizeof(*x->chosen), number_compare);
	worst_take(x, x->chosen);
}

/*
 * What place @p would lose by each item: its own cables, or those to a core. With @keep, the last of its cables is the
 * last that anybody would take: then it is not cut off, but all pass through that one.
 */
static void prey_of_place(const struct after *x, uint32_t p, bool keep, struct prey *prey)
{
	const struct ft_model *m = x->m;
	uint32_t last = FT_NONE;

	for (uint32_t i = 0; i < x->item_count; i++) {
		const struct item *item = &x->items[i];
		uint64_t worth = item->p == p || item->q == p;

		if (item->q == FT_NONE)
			worth = x->carriers[ft_cell_at(m, p, item->p)];
		last = worth > 0 ? i : last;
		prey[i] = (struct prey){2 * worth + 1, i};
	}
	if (keep && last != FT_NONE)
		prey[last].worth = 0;
}

/* What all lose by each core; of cables, those of edges that have few of them, edge after edge. */
static void prey_of_all(const struct after *x, bool weak_first, struct prey *prey)
{
	const struct ft_model *m = x->m;

	for (uint32_t i = 0; i < x->item_count; i++) {
		const struct item *item = &x->items[i];
		uint32_t from = item->q == FT_NONE ? item->p : item->p < m->edges ? item->p : item->q;
		uint64_t cables = 0;

		for (const struct ft_pair *pair = ft_pairs_of(m, from); pair < ft_pairs_of(m, from + 1); pair++)
			cables += x->carriers[pair->cell];
		/* All of one edge come before any of the next. */
		prey[i].item = i;
		if (weak_first)
			prey[i].worth = (UINT32_MAX - cables) << 32 | (UINT32_MAX - from);
		else
			prey[i].worth = item->q == FT_NONE ? cables : x->own[item->cell] == x->carriers[item->cell];
	}
}

/*
 * Edges that can be cut off with the cables there are to cut, so that most hosts are: a knapsack, exact in two levels.
 */
static int prey_by_hosts(struct after *x, struct prey *prey)
{
	const struct ft_model *m = x->m;
	size_t width = x->count + 1UL;
	_cleanup_free_ uint32_t *best = calloc(width, sizeof(*best));
	_cleanup_free_ bool *takes = calloc(width * (m->edges + 1UL), sizeof(*takes));
	_cleanup_free_ uint32_t *needs = calloc(m->edges + 1UL, sizeof(*needs));
	uint32_t room = x->count;

	if (!best || !takes || !needs)
		return -ENOMEM;
	for (uint32_t e = 0; e < m->edges; e++) {
		const struct ft_live_switch *sw = ft_live_at(m, e);

		for (const struct ft_pair *pair = ft_pairs_of(m, e); pair < ft_pairs_of(m, e + 1); pair++)
			needs[e] += x->carriers[pair->cell];
		for (uint32_t n = x->count; sw && needs[e] > 0 && n >= needs[e]; n--)
			if (best[n - needs[e]] + sw->hosts > best[n]) {
				best[n] = best[n - needs[e]] + sw->hosts;
				takes[e * width + n] = true;
			}
	}
	for (uint32_t i = 0; i < x->item_count; i++)
		prey[i] = (struct prey){0, i};
	for (uint32_t e = m->edges; e-- > 0;) {
		if (!takes[e * width + room])
			continue;
		room -= needs[e];
		for (uint32_t i = 0; i < x->item_count; i++)
			prey[i].worth += x->items[i].p == e;
	}
	return 0;
}

static int ways_hardest(struct after *x)
{
	const struct ft_model *m = x->m;
	_cleanup_free_ struct prey *prey = calloc(x->item_count + 1UL, sizeof(*prey));
	uint64_t work = 0;

	if (!prey)
		return -ENOMEM;
	for (unsigned int weak_first = 0; weak_first < 2; weak_first++) {
		prey_of_all(x, weak_first && x->kind == FT_AFTER_CABLE, prey);
		hardest_try(x, prey);
	}
	if (x->kind == FT_AFTER_CABLE) {
		int r = (uint64_t)x->count * m->edges > WORK_MAX ? 0 : prey_by_hosts(x, prey);

		if (r < 0)
			return r;
		hardest_try(x, prey);
	}
	for (uint32_t p = 0; p < m->place_count && work < WORK_MAX; p++) {
		if (m->live_of[p] == FT_NONE || ft_tier_of(m, p) == FT_TIER_CORE)
			continue;
		for (unsigned int keep = 0; keep < 2; keep++) {
			prey_of_place(x, p, keep > 0, prey);
			hardest_try(x, prey);
		}
		work += m->cells.count + 16UL * x->item_count;
	}
	return 0;
}

/*
 * In two levels the hardest ways are known for bandwidth and blocking, and by cables for hosts. By core switches no
 * edge is cut off where each has more of them than fail.
 */
static bool hardest_are_known(const struct after *x)
{
	const struct ft_model *m = x->m;

	if (m->plan->levels != 2)
		return false;
	for (uint32_t e = 0; x->kind == FT_AFTER_CORE && e < m->edges; e++) {
		uint32_t cores = 0;

		for (const struct ft_pair *pair = ft_pairs_of(m, e); pair < ft_pairs_of(m, e + 1); pair++)
			cores += x->carriers[pair->cell] > 0;
		if (m->live_of[e] != FT_NONE && cores > 0 && cores <= x->count)
			return false;
	}
	return true;
}

/* ---- the result ---- */

static int ways_say(char **string, uint64_t ways, double about)
{
	return ways < 1000000 ? ft_string_set(string, "%" PRIu64, ways) : ft_string_set(string, "%.1e", about);
}

static int example_say(const struct after *x, char **string)
{
	const struct ft_model *m = x->m;
	enum { SHOWN = 6 };
	_cleanup_(ft_text_release) struct ft_text text = {0};

	for (uint32_t i = 0; i < x->count && i < SHOWN; i++) {
		const struct item *item = &x->items[x->worst_chosen[i]];
		const struct ft_live_switch *a = ft_live_at(m, item->p);
		const struct ft_live_switch *b = item->q == FT_NONE ? NULL : ft_live_at(m, item->q);

		ft_text_printf(&text, "%s%s", i ? ", " : "", a ? a->label : m->places[item->p]->name);
		if (item->q != FT_NONE)
			ft_text_printf(&text, " - %s", b ? b->label : m->places[item->q]->name);
	}
	if (x->count > SHOWN)
		ft_text_printf(&text, " and %u more", x->count - SHOWN);
	return text.failed ? -ENOMEM : ft_string_set(string, "%s", ft_text_string(&text));
}

static struct ft_ratio mean(uint64_t sum, uint64_t count)
{
	struct ft_ratio ratio = {0, 1};

	if (count == 0 || ft_ratio_make((int64_t)sum, (int64_t)count, &ratio) < 0)
		return (struct ft_ratio){0, 1};
	return ratio;
}

static void result_fill(const struct after *x, struct ft_after *result)
{
	result->looked = x->looked;
	result->worst = (struct ft_after_state){
		.edges = {x->worst.edges, 1},
		.hosts = {x->worst.hosts, 1},
		.bisection = mean(x->worst.bisection_ppm, MILLION),
		.blocking = x->worst.blocking.den ? x->worst.blocking : (struct ft_ratio){0, 1},
	};
	result->mean = (struct ft_after_state){
		.edges = mean(x->edges, x->looked),
		.hosts = mean(x->hosts, x->looked),
		.bisection = mean(x->bisection_ppm / (x->looked ? x->looked : 1), MILLION),
		.blocking = mean(x->blocked ? x->blocking_ppm / x->blocked : 0, MILLION),
	};
}

static int ways_look(struct after *x, struct ft_after *result)
{
	double about;
	uint64_t ways = ways_count(x->item_count, x->count, &about);
	uint64_t each = x->m->cells.count + x->m->place_count + 1UL, samples = WORK_MAX / each;
	int r;

	x->chosen = calloc(x->count + 1UL, sizeof(*x->chosen));
	x->worst_chosen = calloc(x->count + 1UL, sizeof(*x->worst_chosen));
	if (!x->chosen || !x->worst_chosen)
		return -ENOMEM;
	samples = samples < SAMPLES_MIN ? SAMPLES_MIN : samples > FT_AFTER_SAMPLES ? FT_AFTER_SAMPLES : samples;
	result->drawn = ways > FT_AFTER_WAYS_MAX || ways > 2 * samples;
	result->seed = result->drawn ? FT_AFTER_SEED : 0;
	if (!result->drawn) {
		ways_all(x);
	} else {
		r = ways_hardest(x);
		if (r < 0)
			return r;
		ways_some(x, (uint32_t)samples);
	}
	result->exact = !result->drawn || hardest_are_known(x);
	result_fill(x, result);
	r = ways_say(&result->ways, ways, about);
	return r == 0 ? example_say(x, &result->example) : r;
}

static int result_add(struct after *x, struct ft_report *report)
{
	struct ft_after *list = realloc(report->after, (report->after_count + 1) * sizeof(*list)), *result;

	if (!list)
		return -ENOMEM;
	report->after = list;
	result = &list[report->after_count++];
	*result = (struct ft_after){.kind = x->kind, .count = x->count, .of = x->item_count};
	return ways_look(x, result);
}

int ft_after_add(const struct ft_verify_input *input, enum ft_after_kind kind, uint32_t count, struct ft_report *report)
{
	_cleanup_(ft_model_release) struct ft_model m;
	_cleanup_(after_release) struct after x = {.kind = kind};
	int r = ft_model_make(&m, input);

	if (r == 0 && m.failed)
		r = -ENOMEM;
	if (r == 0)
		r = after_init(&x, &m);
	if (r < 0)
		return r;
	items_list(&x);
	x.count = count < x.item_count ? count : x.item_count;
	return x.count > 0 ? result_add(&x, report) : 0;
}
