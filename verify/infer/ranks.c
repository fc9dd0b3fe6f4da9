/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Ranks: steps up from the hosts. A switch with the usual number of hosts has rank 0, the others their distance from
 * one (breadth-first search). A few hosts on a spine, a leaf with its hosts off, or a cable from a leaf straight to a
 * core must not decide: each switch gets the rank of most of the switches with nearly the same neighbours (a vote of
 * the nearest by the Jaccard similarity of neighbourhoods).
 *
 * If many cables connect switches of rank 0 to each other (rings, tori, meshes), there is no up and no down. Leaves
 * that are cabled in pairs are no ring, however thick these bundles are.
 *
 * Cost: for each switch the sum of its neighbours' degrees.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "verify/infer/general.h"

enum {
	ROUNDS = 4,	      /* of votes */
	VOTERS = 8,	      /* of the nearest */
	VOTERS_MIN = 1,	      /* of these vote in any case, if there are as many */
	NEAR_PERCENT = 30,    /* similarity that a voter needs; */
	TWIN_PERCENT = 51,    /* with another number of ports, or where most ranks are not known yet */
	SIMILAR_PERCENT = 60, /* of the similarity of the most similar one */
	BESIDE_PERCENT = 25,  /* of the cables between switches with hosts: a tree has fewer sideways ones */
	HOSTED_SHARE = 6,     /* one in so many of the usual hosts makes a switch one with hosts */
	FULLER_SHARE = 3,     /* one in so many of its neighbours with twice as many */
};

struct voter {
	uint32_t observed;
	uint32_t percent; /* of similarity */
	bool fellow;	  /* of the same known rank: at equal similarity it goes first */
};

struct ranking {
	struct ft_intent *intent;
	uint32_t *common; /* by observed switch: neighbours shared, all 0 between calls */
	uint32_t *touched;
	uint32_t *next; /* ranks as voted */
	uint32_t near;	/* similarity that a voter with as many ports needs */
	struct voter voters[VOTERS];
	uint32_t voter_count;
};

static uint32_t degree(const struct ft_inference *f, uint32_t observed)
{
	return ft_adjacent_count(&f->graph, observed);
}

static bool is_nearer(const struct voter *a, const struct voter *b)
{
	return a->percent != b->percent ? a->percent > b->percent : a->fellow && !b->fellow;
}

static void voter_enter(struct ranking *r, struct voter voter)
{
	uint32_t at = r->voter_count < VOTERS ? r->voter_count++ : VOTERS;

	for (; at > 0 && is_nearer(&voter, &r->voters[at - 1]); at--)
		if (at < VOTERS)
			r->voters[at] = r->voters[at - 1];
	if (at < VOTERS)
		r->voters[at] = voter;
}

/* The switches with the most similar neighbourhoods, without itself. */
static void voters_find(struct ranking *r, uint32_t observed)
{
	const struct ft_inference *f = r->intent->f;
	uint32_t own = r->intent->rank[observed], touched = 0;

	r->voter_count = 0;
	ft_each_adjacent(n, &f->graph, observed)
		ft_each_adjacent(k, &f->graph, n->vertex) {
			uint32_t other = k->vertex;

			if (other != observed && r->common[other]++ == 0)
				r->touched[touched++] = other;
		}
	for (uint32_t i = 0; i < touched; i++) {
		uint32_t other = r->touched[i], shared = r->common[other];
		uint32_t percent = 100 * shared / (degree(f, observed) + degree(f, other) - shared);
		bool like = ft_infer_ports(f, other) == ft_infer_ports(f, observed);

		r->common[other] = 0;
		/* The only core behind a spine has the neighbour that the spine's edges have, and is none of them. */
		if (like ? percent >= r->near : percent >= TWIN_PERCENT && shared > 1)
			voter_enter(r, (struct voter){other, percent, own != FT_NONE && r->intent->rank[other] == own});
	}
}

/* Beyond the first few, only those nearly as similar as the most similar one vote. */
static void voters_narrow(struct ranking *r)
{
	while (r->voter_count > VOTERS_MIN &&
	       r->voters[r->voter_count - 1].percent * 100 < r->voters[0].percent * SIMILAR_PERCENT)
		r->voter_count--;
}

/* How many of its voters have that rank, and it itself. */
static uint32_t votes_for(const struct ranking *r, const uint32_t *rank, uint32_t observed, uint32_t wanted)
{
	uint32_t votes = rank[observed] == wanted;

	for (uint32_t k = 0; k < r->voter_count; k++)
		votes += rank[r->voters[k].observed] == wanted;
	return votes;
}

/*
 * The rank of at least half of its voters and itself; else its own. Of two such ranks the higher one, as a stray cable
 * makes ways shorter, unless it has hosts itself. Where none is known yet that is the outcome only if no voter has one.
 */
static uint32_t vote(const struct ranking *r, const uint32_t *rank, uint32_t observed)
{
	uint32_t best = rank[observed], most = 0, unknown = votes_for(r, rank, observed, FT_NONE), all;

	if (r->voter_count == 0)
		return best;
	if (unknown >= r->voter_count && (best == FT_NONE || unknown == r->voter_count))
		return FT_NONE;
	all = r->voter_count + 1 - unknown;
	for (uint32_t i = 0; i <= r->voter_count; i++) {
		uint32_t wanted = rank[i < r->voter_count ? r->voters[i].observed : observed];
		uint32_t votes = wanted == FT_NONE ? 0 : votes_for(r, rank, observed, wanted);

		if (votes > most || (votes == most && votes > 0 && wanted > best && rank[observed] > 0)) {
			most = votes;
			best = wanted;
		}
	}
	return most * 2 >= all ? best : rank[observed];
}

static void ranks_smooth(struct ranking *r)
{
	struct ft_intent *intent = r->intent;
	bool changed = true;

	for (unsigned int round = 0; changed && round < ROUNDS; round++) {
		for (uint32_t i = 0; i < intent->count; i++) {
			voters_find(r, i);
			voters_narrow(r);
			r->next[i] = vote(r, intent->rank, i);
		}
		changed = memcmp(intent->rank, r->next, intent->count * sizeof(*intent->rank)) != 0;
		memcpy(intent->rank, r->next, intent->count * sizeof(*intent->rank));
	}
}

/* Breadth-first search from all switches of rank 0; the others are FT_NONE before. A part without any has rank 0. */
static void ranks_spread(struct ranking *r)
{
	struct ft_intent *intent = r->intent;
	const struct ft_inference *f = intent->f;
	uint32_t *queue = r->touched, head = 0, tail = 0;

	for (uint32_t i = 0; i < intent->count; i++)
		if (intent->rank[i] == 0)
			queue[tail++] = i;
	while (head < tail) {
		uint32_t here = queue[head++];

		ft_each_adjacent(n, &f->graph, here) {
			if (intent->rank[n->vertex] != FT_NONE)
				continue;
			intent->rank[n->vertex] = intent->rank[here] + 1;
			queue[tail++] = n->vertex;
		}
	}
	for (uint32_t i = 0; i < intent->count; i++)
		if (intent->rank[i] == FT_NONE)
			intent->rank[i] = 0;
}

/* The only switch of rank 0 that one of rank 0 is cabled to, if it has cables upwards, too; else FT_NONE. */
static uint32_t mate_of(const struct ft_intent *intent, uint32_t observed)
{
	uint32_t mate = FT_NONE, mates = 0, above = 0;

	ft_each_adjacent(n, &intent->f->graph, observed) {
		if (intent->rank[n->vertex] == 0) {
			mate = n->vertex;
			mates++;
		} else {
			above++;
		}
	}
	return mates == 1 && above > 0 ? mate : FT_NONE;
}

/* Two leaves that are cabled to each other and to no third one stand in for each other, below what is above both. */
static bool are_mates(const struct ft_intent *intent, uint32_t a, uint32_t b)
{
	return mate_of(intent, a) == b && mate_of(intent, b) == a;
}

static bool is_layered(const struct ft_intent *intent)
{
	const struct ft_inference *f = intent->f;
	uint64_t beside = 0, all = 0;
	uint32_t above = 0, hosted = 0;

	for (uint32_t i = 0; i < intent->count; i++)
		ft_each_adjacent(n, &f->graph, i) {
			all += n->count;
			if (intent->rank[i] == 0 && intent->rank[n->vertex] == 0 && !are_mates(intent, i, n->vertex))
				beside += n->count;
		}
	for (uint32_t i = 0; i < intent->count; i++) {
		above += intent->rank[i] > 0;
		hosted += intent->rank[i] > 0 && 2 * f->hosts[i] >= f->usual_hosts && f->hosts[i] > 0;
	}
	return beside * 100 <= all * BESIDE_PERCENT && all > 0 && (above == 0 || 2 * hosted < above);
}

/*
 * True for the usual number of hosts, unless several neighbours have twice as many: a spine with hosts of its own is
 * between leaves with more.
 */
static bool is_hosted(const struct ft_inference *f, uint32_t observed)
{
	uint32_t fuller = 0;

	if (f->hosts[observed] == 0 || f->hosts[observed] * HOSTED_SHARE < f->usual_hosts)
		return false;
	ft_each_adjacent(n, &f->graph, observed)
		fuller += f->hosts[n->vertex] >= 2 * f->hosts[observed];
	return fuller < 2 || fuller * FULLER_SHARE < degree(f, observed);
}

/*
 * True for a switch with hardly a host that has name and ports of those with hosts, and is cabled to none of these, nor
 * to another of its name: a leaf of a pod that is hardly in use.
 */
static bool is_named_hosted(const struct ft_inference *f, uint32_t observed)
{
	if (f->hosts[observed] == 0)
		return false;
	ft_each_adjacent(n, &f->graph, observed)
		if (f->hosts[n->vertex] > 0 || ft_infer_names_alike(f, n->vertex, observed))
			return false;
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (is_hosted(f, i) && ft_infer_ports(f, i) == ft_infer_ports(f, observed) &&
		    ft_infer_names_alike(f, i, observed))
			return true;
	return false;
}

int ft_intent_rank(struct ft_intent *intent)
{
	const struct ft_inference *f = intent->f;
	struct ranking r = {
		.intent = intent,
		.common = ft_arena_numbers(f->memory, intent->count, 0),
		.touched = ft_arena_numbers(f->memory, intent->count, 0),
		.next = ft_arena_numbers(f->memory, intent->count, 0),
		.near = TWIN_PERCENT,
	};

	intent->rank = ft_arena_numbers(f->memory, intent->count, 0);
	if (f->memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->count; i++)
		intent->rank[i] = is_hosted(f, i) || is_named_hosted(f, i) ? 0 : FT_NONE;
	ranks_smooth(&r);
	ranks_spread(&r);
	intent->layered = is_layered(intent);
	r.near = NEAR_PERCENT;
	if (intent->layered)
		ranks_smooth(&r);
	else
		memset(intent->rank, 0, intent->count * sizeof(*intent->rank));
	for (uint32_t i = 0; i < intent->count; i++)
		if (intent->rank[i] >= intent->ranks)
			intent->ranks = intent->rank[i] + 1;
	return 0;
}
