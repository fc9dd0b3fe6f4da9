/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which planned pod each live pod is, and which planned plane each live plane. Those of one size are alike, so it is
 * classes that are assigned, and only then, among equals, names.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/levels.h"
#include "verify/recall.h"

/* Live clusters and the planned ones that they are to be shared out to. */
struct sharing {
	struct ft_model *m;
	uint32_t clusters, planned, class_count;
	uint32_t *class_of; /* by planned: those of one class are alike */
	int64_t *cost;	    /* [clusters][class_count] */
	uint32_t *size;	    /* by cluster: switches */
	uint32_t *face;	    /* by cluster: the live switch that comes first by name */
	uint32_t *named;    /* by cluster: the planned one that most names in it are of, or FT_NONE */
	uint32_t *lead;	 /* by cluster: how many more ports and hosts speak for @named than for any other; 0: a name */
	uint32_t *bound; /* by cluster: that most of its bound switches are of, or FT_NONE */
	uint32_t *as;	 /* by cluster: the planned one it gets, or FT_NONE */
	bool *taken;	 /* by planned */
};

static void sharing_release(struct sharing *s)
{
	free(s->class_of);
	free(s->cost);
	free(s->size);
	free(s->face);
	free(s->named);
	free(s->lead);
	free(s->bound);
	free(s->as);
	free(s->taken);
}

static int sharing_init(struct sharing *s, struct ft_model *m, uint32_t clusters, uint32_t planned)
{
	*s = (struct sharing){.m = m, .clusters = clusters, .planned = planned};
	s->class_of = calloc(planned + 1UL, sizeof(*s->class_of));
	s->cost = calloc((size_t)clusters * planned + 1, sizeof(*s->cost));
	s->size = calloc(clusters + 1UL, sizeof(*s->size));
	s->face = malloc((clusters + 1UL) * sizeof(*s->face));
	s->named = malloc((clusters + 1UL) * sizeof(*s->named));
	s->lead = calloc(clusters + 1UL, sizeof(*s->lead));
	s->bound = malloc((clusters + 1UL) * sizeof(*s->bound));
	s->as = malloc((clusters + 1UL) * sizeof(*s->as));
	s->taken = calloc(planned + 1UL, sizeof(*s->taken));
	if (!s->class_of || !s->cost || !s->size || !s->face || !s->named || !s->lead || !s->bound || !s->as ||
	    !s->taken)
		return -ENOMEM;
	for (uint32_t i = 0; i < clusters; i++)
		s->face[i] = s->named[i] = s->bound[i] = s->as[i] = FT_NONE;
	return 0;
}

/* By its name, or by what it is bound to, a switch of @cluster is of planned pod or plane @planned. */
struct vote {
	uint32_t cluster, planned;
};

static int vote_compare(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;

	if (x->cluster != y->cluster)
		return x->cluster < y->cluster ? -1 : 1;
	return (x->planned > y->planned) - (x->planned < y->planned);
}

/* What most votes of each cluster are for. */
static void votes_count(struct vote *votes, uint32_t count, uint32_t *ret_winner)
{
	uint32_t most = 0;

	qsort(votes, count, sizeof(*votes), vote_compare);
	for (uint32_t i = 0; i < count;) {
		uint32_t end = i + 1;

		while (end < count && vote_compare(&votes[i], &votes[end]) == 0)
			end++;
		if (i == 0 || votes[i - 1].cluster != votes[i].cluster)
			most = 0;
		if (end - i > most) {
			most = end - i;
			ret_winner[votes[i].cluster] = votes[i].planned;
		}
		i = end;
	}
}

/* The place whose name the switch carries, or else the one where it was seen last; or FT_NONE. */
static uint32_t place_named(const struct ft_levels *l, uint32_t live)
{
	uint32_t place = l->m->named[live];

	return place != FT_NONE ? place : ft_recall_place(l->m, live);
}

/* Adds the vote of a switch for the planned pod or plane of @place, if it has one. */
static void vote_add(const struct ft_levels *l, struct vote *votes, uint32_t *count, uint32_t cluster, uint32_t place,
		     bool pods)
{
	uint32_t planned;

	if (place == FT_NONE)
		return;
	planned = pods ? l->m->places[place]->pod : l->m->places[place]->plane;
	if (planned != FT_UNPINNED)
		votes[(*count)++] = (struct vote){cluster, planned};
}

/* What most votes are for; FT_NONE where there are none, or as many for two. @ret_lead: by how many cables or hosts. */
static uint32_t tally_winner(const uint64_t *tally, uint32_t count, uint32_t *ret_lead)
{
	uint32_t winner = FT_NONE;
	uint64_t most = 0, next = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (tally[i] > most) {
			next = most;
			most = tally[i];
			winner = i;
		} else if (tally[i] > next) {
			next = tally[i];
		}
	}
	*ret_lead = (uint32_t)((most - next) / FT_EXACT_VOTE);
	return most > next ? winner : FT_NONE;
}

/* Which one port numbers and listed hosts tell, where names do not; where they do, how much speaks for these. */
static int sharing_ports(const struct ft_levels *l, struct sharing *s, const uint32_t *cluster, bool pods)
{
	_cleanup_free_ uint64_t *tally = calloc((size_t)s->clusters * s->planned + 1, sizeof(*tally));

	if (!tally)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->m->live.switch_count; i++)
		if (cluster[i] != FT_NONE)
			ft_exact_vote_share(l->m, i, pods, tally + (size_t)cluster[i] * s->planned);
	for (uint32_t n = 0; n < s->clusters; n++) {
		uint32_t lead, winner = tally_winner(tally + (size_t)n * s->planned, s->planned, &lead);

		if (winner == FT_NONE || (s->named[n] != FT_NONE && s->named[n] != winner))
			continue;
		s->named[n] = winner;
		s->lead[n] = lead;
	}
	return 0;
}

/* Which planned pod or plane the names in each cluster are of, and which its bound switches. */
static int sharing_vote(const struct ft_levels *l, struct sharing *s, const uint32_t *cluster, bool pods)
{
	const struct ft_model *m = l->m;
	_cleanup_free_ struct vote *named = malloc((m->live.switch_count + 1UL) * sizeof(*named));
	_cleanup_free_ struct vote *bound = malloc((m->live.switch_count + 1UL) * sizeof(*bound));
	uint32_t named_count = 0, bound_count = 0;

	if (!named || !bound)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		uint32_t place = place_named(l, i), planned = live_at(l, i)->planned;

		if (cluster[i] == FT_NONE)
			continue;
		vote_add(l, named, &named_count, cluster[i], place, pods);
		vote_add(l, bound, &bound_count, cluster[i], planned, pods);
	}
	votes_count(named, named_count, s->named);
	votes_count(bound, bound_count, s->bound);
	return m->exact.votes ? sharing_ports(l, s, cluster, pods) : 0;
}

/* Counts the switches of each cluster, and finds the one of @tier that comes first by name. */
static void sharing_measure(const struct ft_levels *l, struct sharing *s, const uint32_t *cluster, enum ft_tier tier)
{
	for (uint32_t i = 0; i < l->m->live.switch_count; i++) {
		uint32_t *face;

		if (cluster[i] == FT_NONE)
			continue;
		s->size[cluster[i]]++;
		face = &s->face[cluster[i]];
		if (live_at(l, i)->tier == tier && (*face == FT_NONE || ft_live_compare(&i, face, l->m) < 0))
			*face = i;
	}
}

static int face_compare(const void *a, const void *b, void *arg)
{
	const struct sharing *s = arg;
	uint32_t x = s->face[*(const uint32_t *)a], y = s->face[*(const uint32_t *)b];

	if (x == FT_NONE || y == FT_NONE)
		return (x == FT_NONE) - (y == FT_NONE);
	return ft_live_compare(&x, &y, s->m);
}

static void cluster_take(struct sharing *s, uint32_t cluster, uint32_t planned)
{
	s->as[cluster] = planned;
	s->taken[planned] = true;
}

/* Within a class all are equal: names decide, then their order. @order: clusters in the order of names. */
static void class_share(struct sharing *s, uint32_t class, const uint32_t *order, const uint32_t *class_of_item,
			uint32_t count)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t named = s->named[order[i]];

		if (class_of_item[i] == class && named != FT_NONE && s->class_of[named] == class && !s->taken[named])
			cluster_take(s, order[i], named);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (class_of_item[i] != class || s->as[order[i]] != FT_NONE)
			continue;
		while (s->taken[next] || s->class_of[next] != class)
			next++;
		cluster_take(s, order[i], next);
	}
}

/* Takes the smallest clusters off the list until there are no more of them than planned ones. */
static void order_weed(const struct sharing *s, uint32_t *order, uint32_t *count, uint32_t room)
{
	while (*count > room) {
		uint32_t least = 0;

		for (uint32_t i = 1; i < *count; i++)
			if (s->size[order[i]] <= s->size[order[least]])
				least = i;
		memmove(order + least, order + least + 1, (*count - least - 1) * sizeof(*order));
		(*count)--;
	}
}

static int sharing_assign(struct sharing *s, const uint32_t *order, uint32_t count)
{
	uint32_t k = s->class_count;
	_cleanup_free_ int64_t *cost = malloc(((size_t)count * k + 1) * sizeof(*cost));
	_cleanup_free_ uint32_t *capacity = calloc(k + 1UL, sizeof(*capacity));
	_cleanup_free_ uint32_t *class_of_item = calloc(count + 1UL, sizeof(*class_of_item));
	int r;

	if (!cost || !capacity || !class_of_item)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->planned; i++)
		capacity[s->class_of[i]] += !s->taken[i];
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t c = 0; c < k; c++) {
			uint32_t named = s->named[order[i]], lead = s->lead[order[i]];
			/* A name only breaks a tie. A cable in the wrong port, or a host, is a fault like another. */
			int64_t weight = lead > 0 ? (int64_t)lead * FT_NAMES_SCALE : 1;

			cost[(size_t)i * k + c] = s->cost[(size_t)order[i] * k + c] * FT_NAMES_SCALE +
						  (named != FT_NONE && s->class_of[named] != c ? weight : 0);
		}
	r = ft_classes_assign(&(struct ft_choice){cost, count, k}, capacity, class_of_item);
	for (uint32_t c = 0; r == 0 && c < k; c++)
		class_share(s, c, order, class_of_item, count);
	return r;
}

/* Bound switches decide; then fit; then names. */
static int sharing_share(struct sharing *s)
{
	_cleanup_free_ uint32_t *order = malloc((s->clusters + 1UL) * sizeof(*order));
	uint32_t count = 0, room = 0;

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->clusters; i++) {
		if (s->bound[i] != FT_NONE && !s->taken[s->bound[i]])
			cluster_take(s, i, s->bound[i]);
		else
			order[count++] = i;
	}
	for (uint32_t i = 0; i < s->planned; i++)
		room += !s->taken[i];
	qsort_r(order, count, sizeof(*order), face_compare, s);
	order_weed(s, order, &count, room);
	return sharing_assign(s, order, count);
}

/* ---- pods ---- */

static int descending(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* The hosts of the edges of a planned pod, the most first. Returns how many edges there are. */
static uint32_t planned_hosts(const struct ft_levels *l, uint32_t pod, uint32_t *ret_hosts)
{
	const struct ft_span *span = &l->edges[pod];

	for (uint32_t n = 0; n < span->count; n++)
		ret_hosts[n] = l->m->places[span->first + n]->hosts;
	qsort(ret_hosts, span->count, sizeof(*ret_hosts), descending);
	return span->count;
}

/* Likewise of a live one. */
static uint32_t live_hosts(const struct ft_levels *l, uint32_t cluster, uint32_t *ret_hosts)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < l->m->live.switch_count; i++)
		if (l->c.pod[i] == cluster && live_at(l, i)->tier == FT_TIER_EDGE)
			ret_hosts[count++] = live_at(l, i)->hosts;
	qsort(ret_hosts, count, sizeof(*ret_hosts), descending);
	return count;
}

/* Pods of as many edges with as many hosts are alike. @hosts, @other: scratch. Returns the class of @pod. */
static uint32_t pod_class(const struct ft_levels *l, struct sharing *s, uint32_t pod, uint32_t *first, uint32_t *hosts,
			  uint32_t *other)
{
	uint32_t count = planned_hosts(l, pod, hosts), c = 0;

	while (c < s->class_count &&
	       (planned_hosts(l, first[c], other) != count || memcmp(hosts, other, count * sizeof(*hosts)) != 0))
		c++;
	if (c == s->class_count)
		first[s->class_count++] = pod;
	return c;
}

/* Takes off two lists, both the most first, what they have in common. */
static void hosts_cancel(uint32_t *a, uint32_t *a_count, uint32_t *b, uint32_t *b_count)
{
	uint32_t x = 0, y = 0, a_left = 0, b_left = 0;

	while (x < *a_count || y < *b_count) {
		if (x < *a_count && y < *b_count && a[x] == b[y]) {
			x++;
			y++;
		} else if (y == *b_count || (x < *a_count && a[x] > b[y])) {
			a[a_left++] = a[x++];
		} else {
			b[b_left++] = b[y++];
		}
	}
	*a_count = a_left;
	*b_count = b_left;
}

/* Edges too few or too many; then hosts, and edges that have not as many as planned. */
static int64_t pod_misfit(uint32_t *planned, uint32_t planned_count, uint32_t *seen, uint32_t seen_count)
{
	enum { EDGE_SCALE = 1 << 24 };
	int64_t cost = llabs((int64_t)planned_count - seen_count) * EDGE_SCALE;

	hosts_cancel(planned, &planned_count, seen, &seen_count);
	for (uint32_t n = 0; n < planned_count && n < seen_count; n++)
		cost += 2 * llabs((int64_t)planned[n] - seen[n]) + 1;
	return cost;
}

static int pods_price(const struct ft_levels *l, struct sharing *s)
{
	const struct ft_model *m = l->m;
	_cleanup_free_ uint32_t *first = malloc((s->planned + 1UL) * sizeof(*first));
	_cleanup_free_ uint32_t *planned = malloc((m->edges + 1UL) * sizeof(*planned));
	_cleanup_free_ uint32_t *seen = malloc((m->edges + m->live.switch_count + 1UL) * sizeof(*seen));

	if (!first || !planned || !seen)
		return -ENOMEM;
	for (uint32_t p = 0; p < s->planned; p++)
		s->class_of[p] = pod_class(l, s, p, first, planned, seen);
	for (uint32_t i = 0; i < s->clusters; i++)
		for (uint32_t c = 0; c < s->class_count; c++) {
			uint32_t planned_count = planned_hosts(l, first[c], planned);

			s->cost[(size_t)i * s->class_count + c] =
				pod_misfit(planned, planned_count, seen, live_hosts(l, i, seen));
		}
	return 0;
}

int ft_pods_share(struct ft_levels *l)
{
	_cleanup_(sharing_release) struct sharing s;
	int r;

	r = sharing_init(&s, l->m, l->c.pods, l->pods);
	if (r == 0)
		r = pods_price(l, &s);
	if (r == 0)
		r = sharing_vote(l, &s, l->c.pod, true);
	if (r < 0)
		return r;
	sharing_measure(l, &s, l->c.pod, FT_TIER_EDGE);
	r = sharing_share(&s);
	l->pod_as = FT_STEAL(s.as);
	return r;
}

/* ---- planes ---- */

/* Cables that most edges have to a spine, by majority vote. */
static uint32_t spine_typical(const struct ft_levels *l, uint32_t live)
{
	uint32_t votes = 0, typical = 0;

	for (uint32_t n = l->c.near_first[live]; n < l->c.near_first[live + 1]; n++) {
		const struct ft_near *near = &l->c.near[n];

		if (live_at(l, near->live)->tier != FT_TIER_EDGE)
			continue;
		if (votes == 0)
			typical = near->cables;
		votes += typical == near->cables ? 1U : -1U;
	}
	return typical;
}

/* Planes are told apart by the bundles from the edges to their spines: an odd number of uplinks makes them unlike. */
static int planes_price(const struct ft_levels *l, struct sharing *s)
{
	const struct ft_model *m = l->m;
	_cleanup_free_ uint32_t *width = malloc((s->planned + 1UL) * sizeof(*width));

	if (!width)
		return -ENOMEM;
	for (uint32_t p = 0; p < s->planned; p++) {
		uint32_t typical = m->typical[l->spines[0].first + p], c = 0;

		while (c < s->class_count && width[c] != typical)
			c++;
		if (c == s->class_count)
			width[s->class_count++] = typical;
		s->class_of[p] = c;
	}
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		if (l->c.plane[i] == FT_NONE || live_at(l, i)->tier != FT_TIER_SPINE)
			continue;
		for (uint32_t c = 0; c < s->class_count; c++)
			s->cost[(size_t)l->c.plane[i] * s->class_count + c] += spine_typical(l, i) != width[c];
	}
	return 0;
}

int ft_planes_share(struct ft_levels *l)
{
	_cleanup_(sharing_release) struct sharing s;
	int r;

	r = sharing_init(&s, l->m, l->c.planes, l->planes);
	if (r == 0)
		r = planes_price(l, &s);
	if (r == 0)
		r = sharing_vote(l, &s, l->c.plane, false);
	if (r < 0)
		return r;
	sharing_measure(l, &s, l->c.plane, FT_TIER_CORE);
	r = sharing_share(&s);
	l->plane_as = FT_STEAL(s.as);
	return r;
}
