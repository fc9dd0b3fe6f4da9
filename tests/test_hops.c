/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Distances between hosts: what is counted by searches from many chips at once, against all pairs one by one. */
#include "config.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/hops.h"
#include "tests/runs.h"

enum { CHIPS_MAX = 150, EDGES_MAX = 600, FAR = 1000000 };

/* As in test_repair.c: the 64-bit generator of S. Vigna, "splitmix64" (public domain). */
static uint64_t random_next(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint32_t below(uint64_t *seed, uint32_t count)
{
	return (uint32_t)(random_next(seed) % count);
}

struct fabric {
	uint32_t count;
	bool deep[CHIPS_MAX];
	uint32_t hosts[CHIPS_MAX];
	bool regular[CHIPS_MAX];
	struct ft_hop_edge edges[EDGES_MAX];
	uint32_t edge_count;
};

/* Chips passed from one to the other, both included; FAR or more: there is no way. */
static uint32_t chips_between[CHIPS_MAX][CHIPS_MAX];

static uint32_t depth_of(const struct fabric *f, uint32_t chip)
{
	return f->deep[chip] ? FT_HOP_DEEP : 1;
}

/* R. Floyd's way: by and by, paths by one chip more. */
static void all_measure(const struct fabric *f)
{
	for (uint32_t a = 0; a < f->count; a++)
		for (uint32_t b = 0; b < f->count; b++)
			chips_between[a][b] = a == b ? depth_of(f, a) : FAR;
	for (uint32_t i = 0; i < f->edge_count; i++) {
		uint32_t a = f->edges[i].a, b = f->edges[i].b;

		if (a != b)
			chips_between[a][b] = chips_between[b][a] = depth_of(f, a) + depth_of(f, b);
	}
	for (uint32_t by = 0; by < f->count; by++)
		for (uint32_t a = 0; a < f->count; a++)
			for (uint32_t b = 0; b < f->count; b++) {
				uint32_t way = chips_between[a][by] + chips_between[by][b] - depth_of(f, by);

				if (way < chips_between[a][b])
					chips_between[a][b] = way;
			}
}

static void fabric_draw(struct fabric *f, uint64_t *seed)
{
	uint32_t hosts_in = 1 + below(seed, 4);

	*f = (struct fabric){.count = 1 + below(seed, CHIPS_MAX)};
	f->edge_count = below(seed, 1 + (f->count * 2 < EDGES_MAX ? f->count * 2 : EDGES_MAX));
	for (uint32_t i = 0; i < f->edge_count; i++)
		f->edges[i] = (struct ft_hop_edge){below(seed, f->count), below(seed, f->count)};
	for (uint32_t c = 0; c < f->count; c++) {
		f->deep[c] = below(seed, 4) == 0;
		f->hosts[c] = below(seed, hosts_in) == 0 ? below(seed, 5) : 0;
		f->regular[c] = below(seed, 3) > 0;
	}
}

static struct ft_hop_far farthest(const struct fabric *f, bool regular)
{
	struct ft_hop_far far = {0};

	for (uint32_t a = 0; a < f->count; a++)
		for (uint32_t b = 0; b < f->count; b++)
			if (f->hosts[a] && f->hosts[b] && chips_between[a][b] < FAR &&
			    chips_between[a][b] > far.chips && (!regular || (f->regular[a] && f->regular[b])))
				far = (struct ft_hop_far){chips_between[a][b], a, b};
	return far;
}

static void far_compare(struct ft_hop_far found, struct ft_hop_far expected)
{
	assert_int_equal(found.chips, expected.chips);
	assert_int_equal(found.from, expected.from);
	assert_int_equal(found.to, expected.to);
}

static void pairs_compare(const struct fabric *f, const struct ft_hop_counts *found, uint32_t nodes)
{
	uint64_t pairs[FT_HOP_DEEP * CHIPS_MAX + 1] = {0}, unreachable = 0;

	for (uint32_t a = 0; a < f->count; a++)
		for (uint32_t b = a; b < f->count; b++) {
			uint64_t many = a == b && f->hosts[a] ? f->hosts[a] * (f->hosts[a] - 1UL) / 2
							      : (uint64_t)f->hosts[a] * f->hosts[b];

			if (chips_between[a][b] < FAR)
				pairs[chips_between[a][b]] += many;
			else
				unreachable += many;
		}
	assert_int_equal(found->unreachable, unreachable);
	for (uint32_t n = 1; n < FT_HOP_DEEP * CHIPS_MAX + 1; n++)
		assert_int_equal(n <= nodes ? found->pairs[n] : 0, pairs[n]);
}

/* The path is as long as it is said to be, and made of cables that are there. */
static void path_compare(const struct fabric *f, const struct ft_hop_graph *graph, const struct ft_hop_far *far)
{
	uint32_t path[CHIPS_MAX];

	if (far->chips == 0)
		return;
	assert_int_equal(ft_hop_path(graph, far, path), 0);
	assert_int_equal(path[0], far->from);
	assert_int_equal(path[far->chips - 1], far->to);
	for (uint32_t n = 1; n < far->chips; n++)
		assert_int_equal(chips_between[path[n - 1]][path[n]], 2);
	assert_true(far->chips <= f->count);
}

static void fabric_check(const struct fabric *f, bool deep)
{
	_cleanup_(ft_hop_graph_release) struct ft_hop_graph graph = {0};
	_cleanup_(ft_hop_counts_release) struct ft_hop_counts counts = {0};

	assert_int_equal(ft_hop_graph_make(f->count, deep ? f->deep : NULL, f->edges, f->edge_count, &graph), 0);
	memcpy(graph.hosts, f->hosts, f->count * sizeof(*f->hosts));
	memcpy(graph.regular, f->regular, f->count * sizeof(*f->regular));
	assert_int_equal(ft_hop_count(&graph, &counts), 0);
	all_measure(f);
	pairs_compare(f, &counts, graph.nodes);
	far_compare(counts.any, farthest(f, false));
	far_compare(counts.regular, farthest(f, true));
	if (!deep)
		path_compare(f, &graph, &counts.any);
}

static void test_random(void **state)
{
	uint64_t seed = getenv("FT_SEED") ? strtoull(getenv("FT_SEED"), NULL, 10) : 20261121;
	struct fabric f;

	(void)state;
	print_message("FT_SEED=%" PRIu64 "\n", seed);
	for (unsigned int round = 0; round < runs_at_most(400); round++) {
		fabric_draw(&f, &seed);
		fabric_check(&f, true);
		memset(f.deep, 0, sizeof(f.deep));
		fabric_check(&f, false);
	}
}

/* Two directors, a chip between them, hosts on all three: 3 chips within a director, 4 to the chip, 7 to the other. */
static void test_deep(void **state)
{
	struct fabric f = {
		.count = 3,
		.deep = {true, false, true},
		.hosts = {4, 2, 3},
		.regular = {true, true, true},
		.edges = {{0, 1}, {1, 2}, {1, 2}, {2, 2}},
		.edge_count = 4,
	};
	_cleanup_(ft_hop_graph_release) struct ft_hop_graph graph = {0};
	_cleanup_(ft_hop_counts_release) struct ft_hop_counts counts = {0};

	(void)state;
	assert_int_equal(ft_hop_graph_make(f.count, f.deep, f.edges, f.edge_count, &graph), 0);
	memcpy(graph.hosts, f.hosts, f.count * sizeof(*f.hosts));
	assert_int_equal(ft_hop_count(&graph, &counts), 0);
	assert_int_equal(counts.pairs[1], 1);
	assert_int_equal(counts.pairs[3], 6 + 3);
	assert_int_equal(counts.pairs[4], 4 * 2 + 2 * 3);
	assert_int_equal(counts.pairs[7], 4 * 3);
	assert_int_equal(counts.unreachable, 0);
	fabric_check(&f, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
