/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Alternating trails over places. If the plan gives no ports, the residual is a multigraph over places: surplus cables
 * and missing ones. It is decomposed into the fewest alternating trails:
 *
 *   closed, k of each   a swap: one end of each surplus cable is right, the other belongs where the wrong end of the
 *                       next one is
 *   open, one of each   a misplaced cable
 *   what is left        unplanned and missing cables; those that one pair lacks are one fault
 *
 * Parts of the residual without a common place are explained separately. In a small part, all sets of disjoint closed
 * trails are enumerated, and the one that covers the most surplus cables is taken; of those, the one that leaves the
 * most cables that can be paired with missing ones; then port numbers decide. In a large part, breadth-first search
 * finds the shortest closed trail through each surplus cable. The rest is matched by augmenting paths, pairs supported
 * by port numbers first.
 *
 * Counts hide faults: two moves can leave the number of cables of a pair as planned. So a cable of a pair with the
 * right count may be a surplus one, too, which leaves its pair short of one: cables that port numbers show, and in
 * small parts any one between two places of the residual. Such an explanation is accepted if it has fewer trails; with
 * as many, port numbers decide, and else it is named as an alternative. While a fabric is built, nothing is taken for
 * hidden: many cables are missing because nobody has laid them yet, and an explanation that accounts for some of these
 * would blame good cables.
 *
 * Cost: exponential in the surplus cables of a small part, of which there are at most SMALL_MAX, by branch and bound;
 * each complete set of that search costs one matching of the rest. In a large part O(surplus * (surplus + pairs of
 * their places)). PART_WORK_MAX and TRIES_WORK_MAX bound both.
 */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/numbers.h"
#include "verify/explain/residual.h"
#include "verify/model/recall.h"

/* If one of the last four of these is exceeded, the report says that not everything was tried (untried.c). */
enum {
	TURNS = 2,
	SMALL_MAX = 12, /* surplus cables of a part for the full search; and for that with a hidden one */
	RING_MAX = SMALL_MAX,
	PART_WORK_MAX = 1 << 24,
	TRIES_WORK_MAX = 1 << 25,
	AUGMENT_MAX = 64
};

/*
 * The usual use of a port outweighs a completed pair, which is a finding less; that outweighs a port that is down, and
 * that which end it is.
 */
enum { EVIDENCE = 4, COMPLETED = EVIDENCE + 1 };

/* The explanation of a surplus cable. */
struct fate {
	enum { ALONE, SWAPPED, MOVED, COVERED } what;
	uint32_t keep, target; /* places: of the right end, and where the other end belongs */
	uint32_t next;	       /* SWAPPED: the surplus cable whose wrong end is on @target */
};

/* A candidate explanation of a surplus cable: the end at @right is in its place, and the other end belongs on @target.
 */
struct candidate {
	uint32_t surplus, right, target;
	int score;
	bool barred; /* port numbers are against it: a link of a closed trail may be one, but no open trail */
};

/* A surplus cable, and which end of it is right. */
struct turned {
	uint32_t surplus;
	uint32_t keep, wrong; /* places */
};

/* From one turned surplus cable to the next of a closed trail; @cell FT_NONE: not computed yet. */
struct link {
	uint32_t cell; /* between the right end of the one and the wrong end of the other */
	int score;     /* evidence of port numbers for it; below 0: not computed yet */
};

struct ring {
	struct turned at[RING_MAX];
	uint32_t k;
};

struct ring_set {
	struct ring rings[SMALL_MAX / 2];
	uint32_t count;
	uint32_t covered; /* surplus cables in the closed trails */
	uint32_t paired;  /* of the others, those that can be paired with missing cables */
	int score;	  /* the evidence of port numbers for it */
};

struct pairing {
	struct explain *x;
	struct ft_model *m;
	struct ft_arena memory;
	uint32_t (*shorts)[2]; /* pairs that lack cables, each once */
	uint32_t short_count;
	uint32_t *part;	      /* by place: the representative of its part of the residual */
	uint32_t *price;      /* by part: its faults */
	uint32_t *rest;	      /* by part: its faults that are no closed trails */
	uint32_t rings;	      /* the closed trails that part_solve() found */
	uint32_t (*equal)[2]; /* by part: a pair with a cable that may be a surplus one at no more faults, or FT_NONE */
	uint32_t tied[2];   /* a pair that would have saved as many faults as the one that was uncovered, or FT_NONE */
	bool *touched;	    /* by place */
	struct fate *fates; /* by surplus cable */
	uint32_t first_hidden; /* surplus cables from here on are hidden ones, of pairs with the right count */
	uint32_t work;	       /* work spent on the present part, in links looked at */
	uint64_t tries_work;   /* work spent on trying hidden surplus cables */
	bool untried;	       /* some of it exceeded its limit */

	/* The present part. */
	uint32_t *members; /* surplus cables */
	uint32_t count;
	struct candidate *candidates;
	uint32_t candidate_count;
	uint32_t *chosen; /* by surplus cable: its candidate, or FT_NONE */
	uint32_t *asked;  /* by cell: the last surplus cable that looked for a missing cable there */
	uint32_t asking;
	uint32_t *scratch; /* scratch: two entries for each surplus cable and orientation */
	/* In a large part, the members in both orientations by their wrong ends, in ascending order. */
	uint32_t *ending;      /* by place: the first one, or FT_NONE */
	uint32_t *next_ending; /* by member and orientation */
	struct ring_set now, best;
	uint32_t pairable;			 /* the most members that closed and open trails together can explain */
	struct turned turned[TURNS * SMALL_MAX]; /* the members in both orientations, if they are few */
	struct link links[TURNS * SMALL_MAX][TURNS * SMALL_MAX];
	bool used[SMALL_MAX]; /* the members in closed trails of q->now */
	uint32_t open;	      /* members of which it is not decided yet whether a closed trail has them */
	uint32_t ring_equals; /* other sets of closed trails as good as the best */
};

/* Adds @more to the work on the present part. True once that is over its limit: it then takes its best explanation. */
static bool work_is_over(struct pairing *q, uint32_t more)
{
	q->work = q->work + more < PART_WORK_MAX ? q->work + more : PART_WORK_MAX;
	q->untried |= q->work == PART_WORK_MAX;
	return q->work == PART_WORK_MAX;
}

/* ---- candidates ---- */

/*
 * The evidence of port numbers for a candidate. An empty port where the right end would belong is evidence against it;
 * but a missing and an unplanned cable would be two faults.
 */
static void candidate_score(const struct pairing *q, struct candidate *c)
{
	const struct ft_model *m = q->m;
	const struct surplus *s = &q->x->surplus[c->surplus];
	uint32_t wrong = s->a == c->right ? s->b : s->a;
	bool usual = surplus_usual(m, s, c->right, c->target);

	c->score = EVIDENCE * (2 * usual - surplus_usual(m, s, wrong, c->right) +
			       (ft_usual_ports(m, m->observed_of[c->target], c->right, FT_LINK_DOWN, 1) > 0)) +
		   (ft_rank_of(m, c->right) < ft_rank_of(m, c->target));
	/* One other switch with that use of the port may be a coincidence; two are a pattern. */
	if (usual || !ft_usual_ports(m, m->observed_of[c->right], c->target, FT_LINK_DOWN, 2))
		return;
	c->score -= 2 * EVIDENCE;
	c->barred = !ft_port_has_use(m, m->observed_of[c->right], ft_port_number(m, surplus_port(m, s, c->right)));
}

static int candidate_compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = FT_ORDER(y->score, x->score) ?: FT_ORDER(x->surplus, y->surplus);

	return order ?: FT_ORDER(x->right, y->right) ?: FT_ORDER(x->target, y->target);
}

/* All candidates of the members that are in no closed trail, barred ones too. */
static int candidates_gather(struct pairing *q)
{
	q->candidate_count = 0;
	for (uint32_t i = 0; i < q->count; i++) {
		uint32_t surplus = q->members[i];
		const uint32_t ends[2] = {q->x->surplus[surplus].a, q->x->surplus[surplus].b};

		for (unsigned int n = 0; q->fates[surplus].what == ALONE && n < 2; n++) {
			const struct ft_pair *end = ft_pairs_of(q->m, ends[n] + 1);

			for (const struct ft_pair *pair = ft_pairs_of(q->m, ends[n]); pair < end; pair++) {
				struct candidate c = {surplus, ends[n], pair->peer, 0, false}, *more;

				if (q->m->observed_of[c.target] == FT_NONE || c.target == ends[1 - n] ||
				    !q->x->missing[pair->cell])
					continue;
				candidate_score(q, &c);
				more = FT_LIST_MORE(q->candidates, q->candidate_count);
				if (!more)
					return -ENOMEM;
				*more = c;
			}
		}
	}
	return 0;
}

static uint32_t *candidate_missing(const struct pairing *q, const struct candidate *c)
{
	return missing_at(q->x, c->right, c->target);
}

/* Leaves those that are not barred, whose surplus cable is in no closed trail and whose missing cable is in none. */
static void candidates_narrow(struct pairing *q)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < q->candidate_count; i++) {
		const struct candidate *c = &q->candidates[i];

		if (!c->barred && q->fates[c->surplus].what == ALONE && *candidate_missing(q, c) > 0)
			q->candidates[kept++] = *c;
	}
	q->candidate_count = kept;
}

static void choose(struct pairing *q, uint32_t surplus, uint32_t candidate)
{
	q->chosen[surplus] = candidate;
	(*candidate_missing(q, &q->candidates[candidate]))--;
}

/* Finds a free missing cable for @surplus by moving others to their next ones (augmenting path). @q->asked: visited
 * pairs. */
static bool augment(struct pairing *q, uint32_t surplus, unsigned int depth)
{
	if (work_is_over(q, q->candidate_count / 8))
		return false;
	for (uint32_t i = 0; i < q->candidate_count; i++) {
		const struct candidate *c = &q->candidates[i];
		uint32_t cell = ft_cell_at(q->m, c->right, c->target);

		if (c->surplus != surplus || q->asked[cell] == q->asking)
			continue;
		q->asked[cell] = q->asking;
		q->untried |= q->x->missing[cell] == 0 && depth == 0;
		for (uint32_t n = 0; q->x->missing[cell] == 0 && depth > 0 && n < q->count; n++) {
			uint32_t other = q->members[n], own = q->chosen[other];

			/* A surplus cable gives up its own missing cable only for another one. */
			if (own != FT_NONE && candidate_missing(q, &q->candidates[own]) == &q->x->missing[cell] &&
			    augment(q, other, depth - 1))
				q->x->missing[cell]++;
		}
		if (q->x->missing[cell] > 0) {
			choose(q, surplus, i);
			return true;
		}
	}
	return false;
}

/* How many members that are in no closed trail of the search can be paired with missing cables. */
static uint32_t pairs_count(struct pairing *q)
{
	uint32_t pairs = 0;

	for (uint32_t i = 0; i < q->count; i++)
		q->chosen[q->members[i]] = FT_NONE;
	for (uint32_t i = 0; i < q->count; i++) {
		q->asking++;
		pairs += !q->used[i] && augment(q, q->members[i], AUGMENT_MAX);
	}
	for (uint32_t i = 0; i < q->count; i++)
		if (q->chosen[q->members[i]] != FT_NONE)
			(*candidate_missing(q, &q->candidates[q->chosen[q->members[i]]]))++;
	return pairs;
}

/* ---- closed trails ---- */

static struct turned turned_make(const struct pairing *q, uint32_t surplus, unsigned int turn)
{
	const struct surplus *s = &q->x->surplus[surplus];

	return turn ? (struct turned){surplus, s->b, s->a} : (struct turned){surplus, s->a, s->b};
}

/* True if @from's right end lacks a cable to the place of @to's wrong end. */
static bool link_lacks(const struct pairing *q, const struct turned *from, const struct turned *to)
{
	return from->keep != to->wrong && from->wrong != to->wrong && *missing_at(q->x, from->keep, to->wrong) > 0;
}

/* The evidence that @from belongs at the place of @to's wrong end: port numbers, and that a cable was in both ports. */
static int link_score(const struct pairing *q, const struct turned *from, const struct turned *to)
{
	const struct surplus *s = &q->x->surplus[from->surplus], *next = &q->x->surplus[to->surplus];
	uint32_t was = ft_recall_far(q->m, surplus_port(q->m, s, from->keep));

	return surplus_usual(q->m, s, from->keep, to->wrong) + surplus_usual(q->m, next, to->wrong, from->keep) +
	       (was != FT_NONE && was == surplus_port(q->m, next, to->wrong));
}

/* >0 if @a is the better set: it covers more surplus cables; then by how many of the others can be paired, then by port
 * numbers, then with shorter cycles. */
static int ring_set_compare(const struct ring_set *a, const struct ring_set *b)
{
	int order = FT_ORDER(a->covered, b->covered) ?: FT_ORDER(a->paired, b->paired);

	return order ?: FT_ORDER(a->score, b->score) ?: FT_ORDER(a->count, b->count);
}

/* The missing cables that a link would take one of; the cell after the last has none, and is that of no link. */
static uint32_t *link_lacking(struct pairing *q, uint32_t from, uint32_t to)
{
	const struct turned *a = &q->turned[from], *b = &q->turned[to];
	struct link *link = &q->links[from][to];

	if (link->cell == FT_NONE)
		link->cell = a->keep == b->wrong || a->wrong == b->wrong ? q->m->cells.count
									 : ft_cell_at(q->m, a->keep, b->wrong);
	return &q->x->missing[link->cell];
}

static int link_evidence(struct pairing *q, uint32_t from, uint32_t to)
{
	struct link *link = &q->links[from][to];

	if (link->score < 0)
		link->score = link_score(q, &q->turned[from], &q->turned[to]);
	return link->score;
}

/*
 * The bound of the search: true if no set that contains the present one, whose last ring has @depth links to be, can
 * compare with the best. At most all unused members are covered, each by a link of the highest score, and closed and
 * open trails never explain more members than q->pairable.
 */
static bool set_is_hopeless(const struct pairing *q, uint32_t depth)
{
	uint32_t best_score = q->m->recall.baseline ? 3 : 2;
	uint32_t covered = q->now.covered + depth + q->open;
	uint32_t links = depth > 0 ? q->open + 1 : q->open;

	return covered < q->best.covered ||
	       (covered == q->best.covered && q->best.covered + q->best.paired == q->pairable &&
		q->now.score + (int)(best_score * links) < q->best.score);
}

static void ring_search(struct pairing *q, uint32_t from);

/* The last ring of q->now, of @depth surplus cables, is closed; the search goes on after its lowest one. */
static void ring_close(struct pairing *q, uint32_t first, uint32_t depth, int score)
{
	q->now.rings[q->now.count].k = depth;
	q->now.count++;
	q->now.covered += depth;
	q->now.score += score;
	ring_search(q, first + 1);
	q->now.score -= score;
	q->now.covered -= depth;
	q->now.count--;
}

/*
 * Extends the last ring of q->now, from the lowest surplus cable @first on, whose surplus cable number @depth - 1,
 * turned as @last, looks for its successor.
 */
static void ring_extend(struct pairing *q, uint32_t first, uint32_t last, uint32_t depth)
{
	uint32_t head = TURNS * first, *missing = link_lacking(q, last, head);

	if (work_is_over(q, q->count) || set_is_hopeless(q, depth))
		return;
	if (depth >= 2 && *missing > 0) {
		(*missing)--;
		ring_close(q, first, depth, link_evidence(q, last, head));
		(*missing)++;
	}
	for (uint32_t i = first + 1; depth < RING_MAX && i < q->count; i++)
		for (unsigned int turn = 0; !q->used[i] && turn < TURNS; turn++) {
			uint32_t next = TURNS * i + turn;
			int score;

			missing = link_lacking(q, last, next);
			if (*missing == 0)
				continue;
			score = link_evidence(q, last, next);
			q->used[i] = true;
			q->open--;
			(*missing)--;
			q->now.rings[q->now.count].at[depth] = q->turned[next];
			q->now.score += score;
			ring_extend(q, first, next, depth + 1);
			q->now.score -= score;
			(*missing)++;
			q->open++;
			q->used[i] = false;
		}
}

/* Branch and bound over all sets of rings whose lowest surplus cables are @from or higher. */
static void ring_search(struct pairing *q, uint32_t from)
{
	while (from < q->count && q->used[from])
		from++;
	if (from >= q->count || q->now.count == SMALL_MAX / 2) {
		int better;

		if (q->now.covered < q->best.covered)
			return;
		q->now.paired = q->now.covered < q->count ? pairs_count(q) : 0;
		better = ring_set_compare(&q->now, &q->best);
		if (better == 0 && q->now.count > 0)
			q->ring_equals++;
		if (better > 0) {
			q->best = q->now;
			q->ring_equals = 0;
		}
		return;
	}
	if (set_is_hopeless(q, 0))
		return;
	q->used[from] = true;
	q->open--;
	/* A cycle has two directions: only the one in which its lowest surplus cable is unturned is enumerated. */
	q->now.rings[q->now.count].at[0] = q->turned[TURNS * from];
	ring_extend(q, from, TURNS * from, 1);
	/* The case that this surplus cable is in no ring. */
	q->used[from] = false;
	ring_search(q, from + 1);
	q->open++;
}

/* All sets of disjoint rings of a small part; the best one is in q->best. */
static void rings_enumerate(struct pairing *q)
{
	q->now = q->best = (struct ring_set){.count = 0};
	q->open = q->count;
	for (uint32_t from = 0; from < TURNS * q->count; from++) {
		q->turned[from] = turned_make(q, q->members[from / TURNS], from % TURNS);
		for (uint32_t to = 0; to < TURNS * q->count; to++)
			q->links[from][to] = (struct link){FT_NONE, -1};
	}
	q->pairable = pairs_count(q);
	candidates_narrow(q);
	ring_search(q, 0);
}

static uint32_t *link_missing(const struct pairing *q, const struct ring *ring, uint32_t i)
{
	return missing_at(q->x, ring->at[i].keep, ring->at[(i + 1) % ring->k].wrong);
}

/* Takes the missing cables of a ring. False if a pair lacks fewer cables than the ring needs: then none is taken. */
static bool ring_take(struct pairing *q, const struct ring *ring)
{
	uint32_t taken = 0;

	while (taken<ring->k && * link_missing(q, ring, taken)> 0)
		(*link_missing(q, ring, taken++))--;
	if (taken < ring->k) {
		while (taken > 0)
			(*link_missing(q, ring, --taken))++;
		return false;
	}
	for (uint32_t i = 0; i < ring->k; i++) {
		const struct turned *next = &ring->at[(i + 1) % ring->k];

		q->fates[ring->at[i].surplus] = (struct fate){SWAPPED, ring->at[i].keep, next->wrong, next->surplus};
	}
	return true;
}

/* True if no surplus cable is in the ring in both orientations. */
static bool ring_is_simple(const struct ring *ring)
{
	for (uint32_t i = 0; i < ring->k; i++)
		for (uint32_t j = i + 1; j < ring->k; j++)
			if (ring->at[i].surplus == ring->at[j].surplus)
				return false;
	return true;
}

/* Enters the members into the lists of their ends, or empties these. */
static void endings_list(struct pairing *q, bool enter)
{
	for (uint32_t i = TURNS * q->count; i-- > 0;) {
		struct turned s = turned_make(q, q->members[i / TURNS], i % TURNS);

		q->next_ending[i] = q->ending[s.wrong];
		q->ending[s.wrong] = enter ? i : FT_NONE;
	}
}

/*
 * Adds to @queue, which ends at @tail, what may follow @here in a ring from member @start: surplus cables whose wrong
 * end is where its right end lacks a cable. In ascending order. Returns the new end of the queue.
 */
static uint32_t successors_add(struct pairing *q, uint32_t start, uint32_t here, uint32_t *before, uint32_t *queue,
			       uint32_t tail)
{
	const struct turned s = turned_make(q, q->members[here / TURNS], here % TURNS);
	uint32_t first = tail;

	ft_each_pair(pair, q->m, s.keep) {
		if (q->x->missing[pair->cell] == 0 || pair->peer == s.wrong)
			continue;
		for (uint32_t i = q->ending[pair->peer]; i != FT_NONE; i = q->next_ending[i]) {
			if (q->fates[q->members[i / TURNS]].what != ALONE || i / TURNS == start || before[i] != FT_NONE)
				continue;
			before[i] = here;
			queue[tail++] = i;
		}
	}
	if (tail > first + 1)
		qsort(queue + first, tail - first, sizeof(*queue), ft_number_compare);
	return tail;
}

/*
 * The shortest ring through member @start of at most RING_MAX surplus cables, by breadth-first search over surplus
 * cables in both orientations. States are numbered by member, TURNS each.
 */
static bool ring_shortest(struct pairing *q, uint32_t start, struct ring *ret)
{
	uint32_t states = TURNS * q->count, head = 0, tail = 0, *before = q->scratch, *queue = q->scratch + states;
	const struct turned first = turned_make(q, q->members[start], 0);

	for (uint32_t i = 0; i < states; i++)
		before[i] = FT_NONE;
	queue[tail++] = TURNS * start;
	before[TURNS * start] = TURNS * start;
	while (head < tail) {
		uint32_t here = queue[head++], from = tail;
		const struct turned s = turned_make(q, q->members[here / TURNS], here % TURNS);

		if (here != TURNS * start && link_lacks(q, &s, &first)) {
			uint32_t k = 1;

			for (uint32_t at = here; at != TURNS * start; at = before[at])
				k++;
			q->untried |= k > RING_MAX;
			if (k > RING_MAX)
				return false;
			ret->k = k;
			for (uint32_t at = here; k-- > 0; at = before[at])
				ret->at[k] = turned_make(q, q->members[at / TURNS], at % TURNS);
			return ring_is_simple(ret);
		}
		tail = successors_add(q, start, here, before, queue, tail);
		if (work_is_over(q,
				 tail - from + (uint32_t)(ft_pairs_of(q->m, s.keep + 1) - ft_pairs_of(q->m, s.keep))))
			return false;
	}
	return false;
}

/* Finds the closed trails of the part, and the candidates for the rest. 0 or -ENOMEM. */
static int rings_find(struct pairing *q)
{
	q->ring_equals = q->rings = 0;
	if (q->count <= SMALL_MAX) {
		int r = candidates_gather(q);

		if (r < 0)
			return r;
		rings_enumerate(q);
		for (uint32_t i = 0; i < q->best.count; i++)
			ring_take(q, &q->best.rings[i]);
		q->rings = q->best.count;
		return 0;
	}
	endings_list(q, true);
	for (uint32_t i = 0; i < q->count; i++) {
		struct ring ring;

		q->rings += q->fates[q->members[i]].what == ALONE && ring_shortest(q, i, &ring) && ring_take(q, &ring);
	}
	endings_list(q, false);
	return candidates_gather(q);
}

/* ---- open trails ---- */

/* Pairs the members that are in no closed trail with missing cables. */
static void moves_find(struct pairing *q)
{
	candidates_narrow(q);
	for (uint32_t i = 0; i < q->candidate_count; i++)
		q->candidates[i].score += COMPLETED * (*candidate_missing(q, &q->candidates[i]) == 1);
	if (q->candidate_count)
		qsort(q->candidates, q->candidate_count, sizeof(*q->candidates), candidate_compare);
	for (uint32_t i = 0; i < q->count; i++)
		q->chosen[q->members[i]] = FT_NONE;
	/* Best supported candidates first; then augmenting paths for the rest. */
	for (uint32_t i = 0; i < q->candidate_count; i++)
		if (q->chosen[q->candidates[i].surplus] == FT_NONE && *candidate_missing(q, &q->candidates[i]) > 0)
			choose(q, q->candidates[i].surplus, i);
	for (uint32_t i = 0; i < q->count; i++) {
		if (q->fates[q->members[i]].what != ALONE || q->chosen[q->members[i]] != FT_NONE)
			continue;
		q->asking++;
		augment(q, q->members[i], AUGMENT_MAX);
	}
	for (uint32_t i = 0; i < q->count; i++) {
		uint32_t chosen = q->chosen[q->members[i]];

		if (chosen != FT_NONE)
			q->fates[q->members[i]] = (struct fate){MOVED, q->candidates[chosen].right,
								q->candidates[chosen].target, FT_NONE};
	}
}

/* ---- a part of the residual ---- */

static bool is_hidden(const struct pairing *q, uint32_t surplus)
{
	return surplus >= q->first_hidden;
}

/* Restores the members' missing cables to those before part_solve(). */
static void part_undo(struct pairing *q)
{
	for (uint32_t i = 0; i < q->count; i++) {
		const struct fate *f = &q->fates[q->members[i]];
		const struct surplus *s = &q->x->surplus[q->members[i]];

		if (f->what == SWAPPED || f->what == MOVED)
			(*missing_at(q->x, f->keep, f->target))++;
		else if (f->what == COVERED)
			(*missing_at(q->x, s->a, s->b))++;
	}
}

/* Explains the members; returns the faults, with the pairs of @one and @other that stay short. 0 or -ENOMEM. */
static int part_solve(struct pairing *q, uint32_t one, uint32_t other, uint32_t *ret_price)
{
	uint32_t price;
	int r;

	q->work = 0;
	for (uint32_t i = 0; i < q->count; i++)
		q->fates[q->members[i]] = (struct fate){.what = ALONE};
	r = rings_find(q);
	if (r < 0)
		return r;
	moves_find(q);
	price = q->rings;
	for (uint32_t i = 0; i < q->count; i++) {
		struct fate *f = &q->fates[q->members[i]];
		const struct surplus *s = &q->x->surplus[q->members[i]];

		/* A hidden surplus cable that explains nothing is an ordinary cable again. */
		if (is_hidden(q, q->members[i]) && f->what == ALONE && *missing_at(q->x, s->a, s->b) > 0) {
			f->what = COVERED;
			(*missing_at(q->x, s->a, s->b))--;
		}
		price += f->what == ALONE || f->what == MOVED;
	}
	for (uint32_t i = 0; i < q->short_count; i++) {
		uint32_t part = q->part[q->shorts[i][0]];

		price += (part == one || part == other) && *missing_at(q->x, q->shorts[i][0], q->shorts[i][1]) > 0;
	}
	*ret_price = price;
	return 0;
}

static void parts_find(struct pairing *q)
{
	const struct explain *x = q->x;

	ft_number_begin(q->part, q->m->place_count);
	for (uint32_t i = 0; i < x->surplus_count; i++)
		ft_number_join(q->part, x->surplus[i].a, x->surplus[i].b);
	for (uint32_t i = 0; i < q->short_count; i++)
		ft_number_join(q->part, q->shorts[i][0], q->shorts[i][1]);
	for (uint32_t p = 0; p < q->m->place_count; p++)
		q->part[p] = ft_number_root(q->part, p);
}

static void members_take(struct pairing *q, uint32_t one, uint32_t other)
{
	q->count = 0;
	for (uint32_t i = 0; i < q->x->surplus_count; i++) {
		uint32_t part = q->part[q->x->surplus[i].a];

		if ((part == one || part == other) && !surplus_is_loop(&q->x->surplus[i]))
			q->members[q->count++] = i;
	}
}

/* ---- hidden surplus cables: cables of pairs with the right count ---- */

static int short_add(struct pairing *q, uint32_t p, uint32_t peer)
{
	for (uint32_t i = 0; i < q->short_count; i++)
		if (q->shorts[i][0] == p && q->shorts[i][1] == peer)
			return 0;
	q->shorts[q->short_count][0] = p;
	q->shorts[q->short_count++][1] = peer;
	return 1;
}

static bool cable_is_surplus(const struct explain *x, uint32_t cable)
{
	for (uint32_t i = 0; i < x->surplus_count; i++)
		if (x->surplus[i].cable == cable)
			return true;
	return false;
}

/* True if the cable in that port led to another switch. *@ret_short: set if the one in @place lacks a cable to that. */
static bool was_elsewhere(const struct explain *x, uint32_t place, uint32_t port, uint32_t peer, bool *ret_short)
{
	const struct ft_model *m = x->m;
	uint32_t was;

	if (ft_recall_port(m, m->observed_of[place], ft_port_number(m, port), &was) != FT_RECALLED_SWITCH ||
	    was == peer)
		return false;
	*ret_short |= m->observed_of[was] != FT_NONE && *missing_at(x, place, was) > 0;
	return true;
}

/* True for a cable of two switches in their former places, none of whose ends is, if a former pair of it lacks one. */
static bool cable_has_moved(const struct explain *x, const struct ft_observed_cable *c)
{
	uint32_t a = x->m->observed.switches[c->a].planned, b = x->m->observed.switches[c->b].planned;
	bool is_short = false;

	return a != FT_NONE && b != FT_NONE && a != b && ft_recall_place(x->m, c->a) == a &&
	       ft_recall_place(x->m, c->b) == b && was_elsewhere(x, a, c->a_port, b, &is_short) &&
	       was_elsewhere(x, b, c->b_port, a, &is_short) && is_short;
}

void ft_moved_uncover(struct explain *x)
{
	const struct ft_model *m = x->m;
	uint32_t before;

	if (!ft_recall_is_of_plan(m) || m->input->building)
		return;
	/* Each one may make a further pair short. */
	do {
		before = x->surplus_count;
		for (uint32_t i = 0; i < m->observed.cable_count; i++) {
			if (!cable_has_moved(x, &m->observed.cables[i]) || cable_is_surplus(x, i))
				continue;
			ft_surplus_add(x, i);
			(*missing_at(x, x->surplus[x->surplus_count - 1].a, x->surplus[x->surplus_count - 1].b))++;
		}
	} while (x->surplus_count > before);
}

/* Makes a cable of a pair with the right count a surplus cable: its pair is then short of one. */
static void cable_uncover(struct pairing *q, uint32_t cable)
{
	const struct surplus *s = &q->x->surplus[q->x->surplus_count];

	ft_surplus_add(q->x, cable);
	(*missing_at(q->x, s->a, s->b))++;
	short_add(q, s->a, s->b);
	q->touched[s->a] = q->touched[s->b] = true;
}

/* Undoes the last hidden surplus cables, down to @count, and the pairs, down to @short_count. */
static void surplus_cover(struct pairing *q, uint32_t count, uint32_t short_count)
{
	while (q->x->surplus_count > count) {
		const struct surplus *s = &q->x->surplus[--q->x->surplus_count];

		(*missing_at(q->x, s->a, s->b))--;
	}
	q->short_count = short_count;
}

/*
 * A cable of planned pair @p-@q that may have been moved: of several, one in an odd port; FT_NONE: all of them are
 * surplus cables already, or are remembered to be where they were.
 */
static uint32_t hidden_cable(const struct explain *x, uint32_t p, uint32_t q)
{
	const struct ft_model *m = x->m;
	uint32_t observed = m->observed_of[p], pick = FT_NONE;
	int odd = -1;

	ft_each_end(end, m, observed) {
		if (ft_place_behind(m, end) != q || cable_is_surplus(x, end->cable) ||
		    ft_recall_far(m, end->port) == end->far_port || ft_cable_oddness(m, end->cable) <= odd)
			continue;
		odd = ft_cable_oddness(m, end->cable);
		pick = end->cable;
	}
	return pick;
}

/* True if a surplus cable leaves @p in the port for @q, or @q in the port for @p: the cable p-q with its other end
 * moved. */
static bool pair_has_moved(const struct pairing *t, uint32_t p, uint32_t q)
{
	for (uint32_t i = 0; i < t->first_hidden; i++) {
		const struct surplus *s = &t->x->surplus[i];

		if (surplus_is_loop(s))
			continue;
		if (((s->a == p || s->b == p) && surplus_usual(t->m, s, p, q)) ||
		    ((s->a == q || s->b == q) && surplus_usual(t->m, s, q, p)))
			return true;
	}
	return false;
}

/* True if the port of planned switch @p, @observed, usually leads to a switch to which @p lacks a cable. */
static bool port_is_short(const struct pairing *q, uint32_t p, uint32_t observed, uint32_t number)
{
	if (!q->touched[p])
		return false;
	ft_each_pair(pair, q->m, p)
		if (q->m->observed_of[pair->peer] != FT_NONE && q->x->missing[pair->cell] > 0 &&
		    ft_port_usual(q->m, observed, number, pair->peer))
			return true;
	return false;
}

/* Is the cable of @p where that of another pair is, which is short, and does something speak for a move of it? */
static bool port_uncovers(const struct pairing *q, uint32_t p, const struct ft_cable_end *end)
{
	const struct ft_model *m = q->m;
	uint32_t peer = ft_place_behind(m, end), number = ft_port_number(m, end->port);

	return peer != FT_NONE && p != peer && q->touched[p] && !ft_port_usual(m, end->near, number, peer) &&
	       port_is_short(q, p, end->near, number) && !cable_is_surplus(q->x, end->cable) &&
	       (pair_has_moved(q, p, peer) || port_is_short(q, peer, end->far, ft_port_number(m, end->far_port)));
}

/*
 * Two moves can hide one another: a cable of e-c1 that was plugged into c2, and the cable of e-c2 moved elsewhere,
 * leave the count of e-c2 right. Port numbers show it: the cable is where e's cable to c1 usually is, that pair is
 * short, and either the cable of e-c2 is among the surplus cables, or the other end is in a port whose own cable is
 * missing as well.
 */
static void ports_uncover(struct pairing *q)
{
	const struct ft_model *m = q->m;

	for (uint32_t p = 0; p < m->place_count; p++) {
		uint32_t near = m->observed_of[p];

		if (near == FT_NONE)
			continue;
		ft_each_end(end, m, near)
			if (port_uncovers(q, p, end))
				cable_uncover(q, end->cable);
	}
}

/* ---- the search ---- */

/* The price of each part, and the sum in @ret_total. */
static int parts_price(struct pairing *q, uint32_t *ret_total)
{
	uint32_t total = 0;
	int r = 0;

	parts_find(q);
	for (uint32_t p = 0; p < q->m->place_count && r == 0; p++) {
		if (q->part[p] != p || !q->touched[p])
			continue;
		members_take(q, p, p);
		r = part_solve(q, p, p, &q->price[p]);
		part_undo(q);
		total += q->price[p];
		q->rest[p] = q->price[p] - q->rings;
	}
	*ret_total = total;
	return r;
}

/*
 * Tries each possible hidden surplus cable by itself: a cable between two places of the residual. An unplanned cable
 * may make up for a swapped one, and then neither pair lacks any. But two swaps stay two: a third cable that would only
 * join them to one trail of five would be blamed for nothing, whatever else their parts lack. With as many faults it is
 * named.
 * @ret_pair  the pair with the hidden surplus cable that saves the most faults, or FT_NONE
 */
static int hidden_try(struct pairing *q, bool name_equals, uint32_t ret_pair[2])
{
	const struct ft_model *m = q->m;
	uint32_t most = 0;

	ret_pair[0] = FT_NONE;
	for (uint32_t cell = 0; cell < m->cells.count; cell++) {
		const uint32_t *ends = m->cells.ends[cell];
		uint32_t one = q->part[ends[0]], other = q->part[ends[1]], count = q->x->surplus_count;
		uint32_t shorts = q->short_count, before, rest, price, cable;
		bool fewer;
		int r;

		if (!q->touched[ends[0]] || !q->touched[ends[1]] || m->cells.seen[cell] == 0)
			continue;
		before = q->price[one] + (one == other ? 0 : q->price[other]);
		members_take(q, one, other);
		if (before <= 1 || q->count >= SMALL_MAX)
			continue;
		rest = q->rest[one] + (one == other ? 0 : q->rest[other]);
		q->tries_work += q->x->surplus_count + q->work;
		if (q->tries_work > TRIES_WORK_MAX) {
			q->untried = true;
			return 0;
		}
		cable = hidden_cable(q->x, ends[0], ends[1]);
		if (cable == FT_NONE)
			continue;
		cable_uncover(q, cable);
		members_take(q, one, other);
		r = part_solve(q, one, other, &price);
		part_undo(q);
		if (r < 0)
			return r;
		fewer = price < before && price - q->rings < rest;
		if (fewer && before - price > most) {
			most = before - price;
			memcpy(ret_pair, ends, sizeof(q->tied));
			q->tied[0] = FT_NONE;
		} else if (fewer && before - price == most && name_equals) {
			memcpy(q->tied, ends, sizeof(q->tied));
		} else if (price == before && name_equals && q->fates[count].what != COVERED) {
			memcpy(q->equal[one], ends, sizeof(q->tied));
			memcpy(q->equal[other], ends, sizeof(q->tied));
		}
		surplus_cover(q, count, shorts);
	}
	return 0;
}

static bool kinds_are_regular(const struct ft_model *m)
{
	bool regular = true;

	for (uint32_t p = 0; p < m->place_count; p++)
		regular &= m->regular[m->places[p]->kind];
	return regular;
}

static void equals_forget(struct pairing *q)
{
	for (uint32_t p = 0; p < q->m->place_count; p++)
		q->equal[p][0] = FT_NONE;
}

/* Accepts hidden surplus cables that lower the number of faults; between equals, port numbers decide, then the counts.
 */
static int hidden_find(struct pairing *q)
{
	/* A baseline knows the peer of every port: no guess is needed. */
	bool guess = !kinds_are_regular(q->m) && !q->m->recall.baseline;
	uint32_t known = q->x->surplus_count, shorts = q->short_count, plain, ports, pair[2] = {FT_NONE, FT_NONE};
	int r = parts_price(q, &plain);

	equals_forget(q);
	if (r < 0 || q->m->input->building)
		return r;
	ports_uncover(q);
	r = parts_price(q, &ports);
	if (r == 0 && ports > plain) {
		surplus_cover(q, known, shorts);
		r = parts_price(q, &plain);
	}
	for (;;) {
		equals_forget(q);
		if (r == 0)
			r = hidden_try(q, guess, pair);
		if (r < 0 || pair[0] == FT_NONE)
			break;
		cable_uncover(q, hidden_cable(q->x, pair[0], pair[1]));
		r = parts_price(q, &plain);
	}
	if (q->tied[0] != FT_NONE)
		memcpy(q->equal[q->part[q->tied[0]]], q->tied, sizeof(q->tied));
	return r;
}

/* ---- findings ---- */

/* Adds the alternative explanation to each finding about the part. */
static void part_alternatives(struct pairing *q, size_t first, uint32_t part)
{
	struct ft_model *m = q->m;
	const uint32_t *equal = q->equal[part];

	for (size_t i = first; i < m->report->finding_count; i++) {
		struct ft_finding *f = &m->report->findings[i];

		if (q->ring_equals > 0 && f->code == FT_CODE_CABLES_SWAPPED)
			ft_finding_alternative(m, f,
					       "the same cables can be paired in another way that mends as much: check "
					       "the labels of both ends before moving one");
		if (equal[0] != FT_NONE)
			ft_finding_alternative(m, f,
					       "another reading with as few faults moves a cable between %s and %s as "
					       "well; compare labels before moving this one",
					       label_of(m, equal[0]), label_of(m, equal[1]));
	}
}

/* Another end, or another missing cable, against which no usual use of a port speaks is an alternative. */
static void move_alternatives(struct pairing *q, struct ft_finding *f, uint32_t surplus)
{
	struct explain *x = q->x;
	struct ft_model *m = q->m;
	const struct candidate *c = &q->candidates[q->chosen[surplus]];

	for (uint32_t i = 0; i < q->candidate_count; i++) {
		const struct candidate *o = &q->candidates[i];
		const struct surplus *other = &x->surplus[o->surplus];

		if (o->score < c->score - COMPLETED)
			break;
		if (o->surplus != surplus && q->chosen[o->surplus] == FT_NONE && !other->contested &&
		    candidate_missing(q, o) == candidate_missing(q, c)) {
			x->surplus[o->surplus].contested = true;
			ft_finding_alternative(m, f,
					       "the one that belongs between %s and %s is that of %s and %s, and this "
					       "one is unplanned. Labels tell",
					       label_of(m, c->right), label_of(m, c->target), label_of(m, other->a),
					       label_of(m, other->b));
		}
		if (o->surplus != surplus || o == c || *candidate_missing(q, o) == 0)
			continue;
		ft_finding_alternative(m, f,
				       "its end at %s is right and it belongs on %s; then the cable between %s and "
				       "%s is the missing one. "
				       "Its label, or following it by hand, tells",
				       label_of(m, o->right), label_of(m, o->target), label_of(m, c->right),
				       label_of(m, c->target));
		if (x->rival_count < m->observed.cable_count)
			x->rivals[x->rival_count++] = (struct rival){o->right, o->target, c->right, c->target};
	}
}

/* The cycle from @surplus on, as vertices: the wrong end of each, and the right one. */
static void ring_report(struct pairing *q, struct ft_residual *g, uint32_t surplus)
{
	uint32_t path[2 * RING_MAX], count = 0, at = surplus;

	do {
		const struct fate *f = &q->fates[at];
		struct surplus *s = &q->x->surplus[at];
		uint32_t wrong = s->a == f->keep ? s->b : s->a;

		path[count] = ft_residual_port(g, surplus_port(q->m, s, wrong), wrong);
		path[count + 1] = ft_residual_port(g, surplus_port(q->m, s, f->keep), f->keep);
		g->seen[path[count]] = g->seen[path[count + 1]] = s->cable;
		s->used = true;
		count += 2;
		at = f->next;
	} while (at != surplus);
	ft_cycle_report(g, path, count);
}

static void move_report(struct pairing *q, struct ft_residual *g, uint32_t surplus)
{
	const struct fate *f = &q->fates[surplus];
	struct surplus *s = &q->x->surplus[surplus];
	uint32_t wrong = s->a == f->keep ? s->b : s->a, keep_port = surplus_port(q->m, s, f->keep);
	uint32_t home = ft_port_home(q->x, keep_port, f->keep, f->target);
	const struct ft_cable_move move = {.keep = ft_residual_port(g, keep_port, f->keep),
					   .wrong = ft_residual_port(g, surplus_port(q->m, s, wrong), wrong),
					   .target = ft_residual_port(g, home, f->target),
					   .planned = FT_NONE,
					   .seen = s->cable,
					   .rival = FT_NONE};

	s->used = true;
	(*missing_at(q->x, f->keep, f->target))--;
	move_alternatives(q, ft_move_report(g, &move), surplus);
}

/* Reports the explanation with the fewest faults of the part. */
static int part_report(struct pairing *q, struct ft_residual *g, uint32_t part)
{
	size_t first = q->m->report->finding_count;
	uint32_t price;
	int r;

	members_take(q, part, part);
	r = part_solve(q, part, part, &price);
	for (uint32_t i = 0; i < q->count && r == 0; i++)
		if (q->fates[q->members[i]].what == SWAPPED && !q->x->surplus[q->members[i]].used)
			ring_report(q, g, q->members[i]);
	/* Of those not reported yet, any may be the missing one. */
	for (uint32_t i = 0; i < q->count && r == 0; i++)
		if (q->fates[q->members[i]].what == MOVED)
			(*candidate_missing(q, &q->candidates[q->chosen[q->members[i]]]))++;
	for (uint32_t i = 0; i < q->count && r == 0; i++)
		if (q->fates[q->members[i]].what == MOVED)
			move_report(q, g, q->members[i]);
	part_alternatives(q, first, part);
	return r;
}

/* Hidden surplus cables that explain nothing are ordinary cables again. */
static void covered_drop(struct pairing *q)
{
	uint32_t kept = q->first_hidden;

	for (uint32_t i = q->first_hidden; i < q->x->surplus_count; i++)
		if (q->fates[i].what != COVERED)
			q->x->surplus[kept++] = q->x->surplus[i];
	q->x->surplus_count = kept;
}

static int parts_report(struct pairing *q)
{
	struct ft_residual *g = ft_residual_plain(q->x);
	int r = g ? 0 : -ENOMEM;

	for (uint32_t i = 0; g && i < q->m->cells.count; i++)
		g->lacking[i] = q->x->missing[i];
	for (uint32_t p = 0; r == 0 && p < q->m->place_count; p++)
		if (q->part[p] == p && q->touched[p])
			r = part_report(q, g, p);
	covered_drop(q);
	q->m->untried = q->untried;
	return r;
}

static void pairing_release(struct pairing *q)
{
	ft_arena_release(&q->memory);
	free(q->candidates);
}

static int pairing_init(struct pairing *q, struct explain *x)
{
	const struct ft_model *m = x->m;
	size_t places = m->place_count, surplus = m->observed.cable_count + 1UL;
	struct ft_arena *a = &q->memory;

	q->x = x;
	q->m = x->m;
	q->first_hidden = x->first_hidden;
	q->tied[0] = q->tied[1] = FT_NONE;
	/* Pairs that are short already, and one for each hidden surplus cable. */
	q->shorts = ft_arena_zeros(a, m->cells.count + surplus, sizeof(*q->shorts));
	q->part = ft_arena_zeros(a, places, sizeof(*q->part));
	q->price = ft_arena_zeros(a, places, sizeof(*q->price));
	q->rest = ft_arena_zeros(a, places, sizeof(*q->rest));
	q->equal = ft_arena_zeros(a, places, sizeof(*q->equal));
	q->touched = ft_arena_zeros(a, places, sizeof(*q->touched));
	q->fates = ft_arena_zeros(a, surplus, sizeof(*q->fates));
	q->members = ft_arena_zeros(a, surplus, sizeof(*q->members));
	q->chosen = ft_arena_zeros(a, surplus, sizeof(*q->chosen));
	q->asked = ft_arena_zeros(a, m->cells.count + 1UL, sizeof(*q->asked));
	q->scratch = ft_arena_zeros(a, 2UL * TURNS * surplus, sizeof(*q->scratch));
	q->ending = ft_arena_numbers(a, places, FT_NONE);
	q->next_ending = ft_arena_zeros(a, TURNS * surplus, sizeof(*q->next_ending));
	if (a->failed)
		return -ENOMEM;
	for (uint32_t cell = 0; cell < m->cells.count; cell++) {
		const uint32_t *ends = m->cells.ends[cell];

		if (x->missing[cell] == 0 || !ft_cell_is_seen(m, cell))
			continue;
		memcpy(q->shorts[q->short_count++], ends, sizeof(*q->shorts));
		q->touched[ends[0]] = q->touched[ends[1]] = true;
	}
	for (uint32_t i = 0; i < x->surplus_count; i++)
		if (!surplus_is_loop(&x->surplus[i]))
			q->touched[x->surplus[i].a] = q->touched[x->surplus[i].b] = true;
	return 0;
}

int ft_pairing_explain(struct explain *x)
{
	_cleanup_(pairing_release) struct pairing q = {0};

	x->m->surplus_cables = x->surplus_count;
	if (x->surplus_count == 0)
		return 0;
	return pairing_init(&q, x) ?: hidden_find(&q) ?: parts_report(&q);
}
