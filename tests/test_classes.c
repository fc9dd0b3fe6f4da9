/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Items shared out to classes: what is found costs no more than the best of all ways there are. */
#include "config.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "verify/match/classes.h"
#include "tests/runs.h"

enum { CLASSES_MAX = 4, ITEMS_MAX = 6 };

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

struct riddle {
	int64_t cost[ITEMS_MAX * CLASSES_MAX];
	uint32_t capacity[CLASSES_MAX];
	uint32_t count, class_count;
};

static void riddle_draw(struct riddle *r, uint64_t *seed)
{
	uint32_t room = 0, range = 1 + below(seed, 12);

	*r = (struct riddle){.class_count = 1 + below(seed, CLASSES_MAX)};
	for (uint32_t c = 0; c < r->class_count; c++)
		room += r->capacity[c] = below(seed, 3);
	if (room == 0)
		room = r->capacity[0] = 1;
	r->count = below(seed, 1 + (room < ITEMS_MAX ? room : ITEMS_MAX));
	for (uint32_t i = 0; i < r->count * r->class_count; i++)
		r->cost[i] = below(seed, range);
}

/* The least that items from @item on cost, in what is @left. */
static int64_t least(const struct riddle *r, uint32_t *left, uint32_t item)
{
	int64_t best = INT64_MAX;

	if (item == r->count)
		return 0;
	for (uint32_t c = 0; c < r->class_count; c++) {
		int64_t cost;

		if (left[c] == 0)
			continue;
		left[c]--;
		cost = r->cost[item * r->class_count + c] + least(r, left, item + 1);
		left[c]++;
		best = cost < best ? cost : best;
	}
	return best;
}

static void riddle_check(const struct riddle *r)
{
	const struct ft_choice choice = {r->cost, r->count, r->class_count};
	uint32_t left[CLASSES_MAX], class[ITEMS_MAX] = {0};
	int64_t cost = 0;

	memcpy(left, r->capacity, sizeof(left));
	assert_int_equal(ft_classes_assign(&choice, r->capacity, class), 0);
	for (uint32_t i = 0; i < r->count; i++) {
		assert_true(class[i] < r -> class_count &&left[class[i]] > 0);
		left[class[i]]--;
		cost += r->cost[i * r->class_count + class[i]];
	}
	memcpy(left, r->capacity, sizeof(left));
	assert_int_equal(cost, least(r, left, 0));
}

static void test_random(void **state)
{
	uint64_t seed = getenv("FT_SEED") ? strtoull(getenv("FT_SEED"), NULL, 10) : 20261122;
	struct riddle r;

	(void)state;
	print_message("FT_SEED=%" PRIu64 "\n", seed);
	for (unsigned int round = 0; round < runs_at_most(4000); round++) {
		riddle_draw(&r, &seed);
		riddle_check(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
