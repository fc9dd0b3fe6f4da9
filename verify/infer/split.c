/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Two ranks: the split with the fewest cables inside a rank and the fewest hosts above (a local search from two
 * starts), and in it the switches that are cabled to most of the other rank. The others are outside the tree.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer/infer_parts.h"

/* The ranks. */
enum { LOWER, UPPER };

enum { SPLIT_ROUNDS = 64, TRIM_ROUNDS = 16 };

static uint64_t split_cost(const struct ft_inference *f, const struct ft_fit *fit)
{
	uint64_t inside = 0, hosts = 0;

	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		inside += ft_fit_cables(f, fit, i, fit->rank[i]);
		if (fit->rank[i] == UPPER)
			hosts += f->hosts[i];
	}
	return inside / 2 + hosts;
}

static void split_improve(const struct ft_inference *f, struct ft_fit *fit)
{
	bool moved = true;

	for (unsigned int round = 0; moved && round < SPLIT_ROUNDS; round++) {
		moved = false;
		for (uint32_t i = 0; i < f->observed->switch_count; i++) {
			uint32_t as_edge = ft_fit_cables(f, fit, i, LOWER);
			uint32_t as_core = ft_fit_cables(f, fit, i, UPPER) + f->hosts[i];
			bool core = fit->rank[i] == UPPER;

			if (core ? as_edge >= as_core : as_core >= as_edge)
				continue;
			fit->rank[i] = core ? LOWER : UPPER;
			moved = true;
		}
	}
}

static void split_by_hosts(const struct ft_inference *f, struct ft_fit *fit)
{
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		fit->rank[i] = ft_infer_has_hosts(f, i) ? LOWER : UPPER;
}

/* Bipartition: every cable crosses ranks, starting in each part from the switch with the most hosts. */
static int split_by_parity(const struct ft_inference *f, struct ft_fit *fit)
{
	const struct ft_observed_fabric *observed = f->observed;
	_cleanup_free_ uint32_t *queue = malloc((observed->switch_count + 1UL) * sizeof(*queue));
	_cleanup_free_ uint32_t *start = malloc((observed->part_count + 1UL) * sizeof(*start));

	if (!queue || !start)
		return -ENOMEM;
	for (uint32_t p = 0; p < observed->part_count; p++)
		start[p] = FT_NONE;
	for (uint32_t i = 0; i < observed->switch_count; i++) {
		uint32_t *first = &start[observed->switches[i].part];

		if (*first == FT_NONE || f->hosts[i] > f->hosts[*first])
			*first = i;
		fit->rank[i] = FT_OUTSIDE;
	}
	for (uint32_t p = 0; p < observed->part_count; p++) {
		uint32_t head = 0, tail = 0;

		queue[tail++] = start[p];
		fit->rank[start[p]] = LOWER;
		while (head < tail) {
			uint32_t here = queue[head++];

			ft_each_adjacent(n, &f->graph, here) {
				uint32_t far = n->vertex;

				if (fit->rank[far] != FT_OUTSIDE)
					continue;
				fit->rank[far] = fit->rank[here] == LOWER ? UPPER : LOWER;
				queue[tail++] = far;
			}
		}
	}
	return 0;
}

/* The usual number among the switches of a rank. */
static uint32_t usual_ports(const struct ft_inference *f, const struct ft_fit *fit, uint8_t rank)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (fit->rank[i] == rank)
			ft_tally_add(&tally, ft_infer_ports(f, i));
	return ft_tally_mode(&tally, 0);
}

/* What a rank requires of a switch. */
struct standard {
	uint32_t others; /* switches of the other rank */
	uint32_t ports;
	uint32_t cables; /* cables of most switches to these */
};

/* Half of the others is enough for a switch as large as its equals; one of another size must be nearly complete. */
static bool meets(const struct ft_inference *f, uint32_t observed, uint32_t links, const struct standard *standard)
{
	if (links == 0)
		return false;
	if (ft_infer_ports(f, observed) == standard->ports)
		return links * 2 >= standard->others;
	return links * 4 >= standard->others * 3;
}

static uint8_t rank_of(const struct ft_inference *f, const struct ft_fit *fit, uint32_t i, const struct standard *edge,
		       const struct standard *core)
{
	uint32_t edges, cores, uplinks;
	bool as_edge, as_core;

	edges = ft_fit_links(f, fit, i, LOWER);
	cores = ft_fit_links(f, fit, i, UPPER);
	uplinks = ft_fit_cables(f, fit, i, UPPER);
	/* A switch without hosts is an edge only if it is like the others. */
	as_edge = meets(f, i, cores, edge) &&
		  (ft_infer_has_hosts(f, i) || (ft_infer_ports(f, i) == edge->ports && uplinks * 2 >= edge->cables));
	as_core = meets(f, i, edges, core);
	if (as_edge && as_core)
		return fit->rank[i] != FT_OUTSIDE ? fit->rank[i] : ft_infer_has_hosts(f, i) ? LOWER : UPPER;
	return as_edge ? LOWER : as_core ? UPPER : FT_OUTSIDE;
}

static struct standard standard_of(const struct ft_inference *f, const struct ft_fit *fit, uint8_t rank, uint8_t other)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (fit->rank[i] == rank)
			ft_tally_add(&tally, ft_fit_cables(f, fit, i, other));
	return (struct standard){ft_fit_count(f, fit, other), usual_ports(f, fit, rank), ft_tally_mode(&tally, 1)};
}

static void fit_trim(const struct ft_inference *f, struct ft_fit *fit)
{
	bool changed = true;

	for (unsigned int round = 0; changed && round < TRIM_ROUNDS; round++) {
		struct standard edge = standard_of(f, fit, LOWER, UPPER);
		struct standard core = standard_of(f, fit, UPPER, LOWER);

		changed = false;
		for (uint32_t i = 0; i < f->observed->switch_count; i++) {
			uint8_t rank = rank_of(f, fit, i, &edge, &core);

			if (rank == fit->rank[i])
				continue;
			fit->rank[i] = rank;
			changed = true;
		}
	}
}

/* An isolated switch with the ports and hosts of an edge: an edge, and a fault. */
static void fit_add_isolated(const struct ft_inference *f, struct ft_fit *fit)
{
	uint32_t ports = usual_ports(f, fit, LOWER);

	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (f->graph.degree[i] == 0 && ft_infer_has_hosts(f, i) && ft_infer_ports(f, i) == ports)
			fit->rank[i] = LOWER;
}

int ft_infer_two(const struct ft_inference *f, struct ft_fit *fit)
{
	_cleanup_(ft_fit_release) struct ft_fit other = {0};
	int r;

	r = ft_fit_init(f, &other);
	if (r == 0)
		r = split_by_parity(f, &other);
	if (r < 0)
		return r;
	split_by_hosts(f, fit);
	split_improve(f, fit);
	split_improve(f, &other);
	if (split_cost(f, &other) < split_cost(f, fit))
		memcpy(fit->rank, other.rank, f->observed->switch_count);
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (!ft_infer_connected(f, i))
			fit->rank[i] = FT_OUTSIDE;
	fit_trim(f, fit);
	fit_add_isolated(f, fit);
	fit->ranks = 2;
	fit->groups[0] = 1;
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (fit->rank[i] != FT_OUTSIDE)
			fit->group[0][i] = 0;
	return ft_fit_judge(f, fit);
}
