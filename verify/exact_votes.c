/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Who is who by port numbers: they tell the identical edges, spines and cores apart, though nothing is bound. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/match.h"

/* What one cable, or one host, has to share out; and among so many it says nothing any more. */
enum { VOTE = 1 << 12, SHARES_MAX = 128 };

static int key_compare(const void *a, const void *b)
{
	const struct ft_exact_key *x = a, *y = b;

	if (x->a_port != y->a_port)
		return x->a_port < y->a_port ? -1 : 1;
	if (x->b_port != y->b_port)
		return x->b_port < y->b_port ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static int keys_init(struct ft_model *m)
{
	struct ft_exact *e = &m->exact;

	e->by_a = malloc((m->plan->cable_count + 1UL) * sizeof(*e->by_a));
	e->by_b = malloc((m->plan->cable_count + 1UL) * sizeof(*e->by_b));
	if (!e->by_a || !e->by_b)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->plan->cable_count; i++) {
		const struct ft_plan_cable *c = &m->plan->cables[i];

		if (c->a_port == 0 || c->b_port == 0)
			continue;
		e->by_a[e->key_count] = (struct ft_exact_key){c->a_port, c->b_port, m->place_of[c->a]};
		e->by_b[e->key_count++] = (struct ft_exact_key){c->a_port, c->b_port, m->place_of[c->b]};
	}
	qsort(e->by_a, e->key_count, sizeof(*e->by_a), key_compare);
	qsort(e->by_b, e->key_count, sizeof(*e->by_b), key_compare);
	return 0;
}

/* Hosts are in the order of their switches. */
static int homes_init(struct ft_model *m)
{
	struct ft_exact *e = &m->exact;
	uint32_t i = 0;

	e->first_host = malloc((m->live.switch_count + 1UL) * sizeof(*e->first_host));
	if (!e->first_host)
		return -ENOMEM;
	for (uint32_t n = 0; n <= m->live.switch_count; n++) {
		while (i < m->live.host_count && m->live.hosts[i].live < n)
			i++;
		e->first_host[n] = i;
	}
	return ft_exact_homes(m);
}

int ft_exact_votes_init(struct ft_model *m)
{
	int r = 0;

	if (m->plan->cable_count + m->plan->host_count == 0)
		return 0;
	m->exact.votes = calloc(m->place_count + 1UL, sizeof(*m->exact.votes));
	if (!m->exact.votes)
		return -ENOMEM;
	r = keys_init(m);
	return r == 0 && m->plan->host_count > 0 ? homes_init(m) : r;
}

/* The first of the sorted keys that is not less than this one. */
static uint32_t key_find(const struct ft_exact *e, const struct ft_exact_key *keys, struct ft_exact_key key)
{
	uint32_t low = 0, high = e->key_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (key_compare(&keys[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Planned cables of two port numbers: the places of one of their ends, in order. */
struct shares {
	const struct ft_exact_key *keys;
	uint32_t count, each; /* how many, and what each of them gets */
};

/* Who @live may be by cable @n of its own, once as its lower end and once as its upper. */
static struct shares shares_of(const struct ft_model *m, uint32_t live, uint32_t n, bool lower)
{
	const struct ft_live_cable *c = &m->live.cables[m->live.at[m->live.switches[live].first_cable + n]];
	uint32_t near = ft_port_number(m, ft_cable_port(c, live));
	uint32_t far = ft_port_number(m, ft_cable_port(c, ft_cable_far(c, live)));
	const struct ft_exact *e = &m->exact;
	const struct ft_exact_key *keys = lower ? e->by_a : e->by_b;
	struct ft_exact_key key = lower ? (struct ft_exact_key){near, far, 0} : (struct ft_exact_key){far, near, 0};
	uint32_t first, end;

	if (c->a == c->b || e->key_count == 0)
		return (struct shares){NULL, 0, 0};
	first = key_find(e, keys, key);
	key.place = UINT32_MAX;
	end = key_find(e, keys, key);
	if (end == first || end - first > SHARES_MAX)
		return (struct shares){NULL, 0, 0};
	return (struct shares){keys + first, end - first, VOTE / (end - first)};
}

/* A place may get votes that are nothing to do with its tier: who asks knows which places are meant. */
static void votes_add(const struct ft_model *m, uint32_t live, uint32_t first, uint32_t count)
{
	uint32_t *votes = m->exact.votes;

	for (uint32_t n = 0; n < 2 * m->live.switches[live].cable_count; n++) {
		struct shares s = shares_of(m, live, n / 2, n % 2);

		for (uint32_t i = 0; i < s.count; i++)
			if (s.keys[i].place >= first && s.keys[i].place - first < count)
				votes[s.keys[i].place] += s.each;
	}
	for (uint32_t i = m->exact.home ? m->exact.first_host[live] : 0;
	     m->exact.home && i < m->exact.first_host[live + 1]; i++)
		if (m->exact.home[i] != FT_NONE && m->exact.home[i] >= first && m->exact.home[i] - first < count)
			votes[m->exact.home[i]] += VOTE;
}

uint32_t ft_exact_vote_best(struct ft_model *m, uint32_t live, uint32_t first, uint32_t count)
{
	uint32_t *votes = m->exact.votes, best = FT_NONE, most = 0;

	if (!votes)
		return FT_NONE;
	votes_add(m, live, first, count);
	for (uint32_t p = first; p < first + count; p++) {
		if (m->live_of[p] == FT_NONE && votes[p] > 0 && votes[p] >= most) {
			best = votes[p] == most ? FT_NONE : p;
			most = votes[p];
		}
		votes[p] = 0;
	}
	return best;
}

void ft_exact_vote_share(const struct ft_model *m, uint32_t live, bool pods, uint64_t *tally)
{
	for (uint32_t n = 0; n < 2 * m->live.switches[live].cable_count; n++) {
		struct shares s = shares_of(m, live, n / 2, n % 2);

		for (uint32_t i = 0; i < s.count; i++) {
			const struct ft_plan_switch *sw = m->places[s.keys[i].place];
			uint32_t of = pods ? sw->pod : sw->plane;

			if (sw->tier == m->live.switches[live].tier && of != FT_UNPINNED)
				tally[of] += s.each;
		}
	}
	for (uint32_t i = m->exact.home ? m->exact.first_host[live] : 0;
	     pods && m->exact.home && i < m->exact.first_host[live + 1]; i++)
		if (m->exact.home[i] != FT_NONE)
			tally[m->places[m->exact.home[i]]->pod] += VOTE;
}
