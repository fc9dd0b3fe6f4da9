/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Workloads: events that are merged to save time give the times of those that are not. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "planner/plan/design.h"
#include "planner/plan/plan.h"
#include "planner/work/work.h"

static const char *const designs[] = {
	"{\"ftcheck\": 1, \"name\": \"cube\", \"topology\": \"torus\", \"dims\": [3, 4], \"bundle\": 4, \"rate\": "
	"\"4xQDR\", "
	"\"edge\": {\"ports\": 36, \"ports_to_nodes\": 20}}",
	"{\"ftcheck\": 1, \"name\": \"tree\", \"topology\": \"fat-tree\", \"nodes\": 400, \"blocking\": \"5:4\", "
	"\"rate\": \"4xQDR\", \"edge\": {\"ports\": 36, \"ports_to_nodes\": 20, \"ports_to_core\": 16}, "
	"\"core\": {\"ports\": 36, \"count\": 16}, \"bundle\": 1}",
};

static struct ft_simulated run(const struct ft_work_side *side, const char *name, uint64_t work_most)
{
	_cleanup_(ft_paths_freep) struct ft_paths *paths = NULL;
	struct ft_workload_list list;
	struct ft_simulated simulated;
	struct ft_error err = {0};
	const struct ft_workload_setup setup = {side->tasks, side->mesh_x ? side->mesh_x : 20, FT_WORK_SEED};

	assert_int_equal(ft_workload_read(name, &list, &err), 0);
	assert_int_equal(ft_paths_make(&side->traffic, FT_ROUTING_STATIC, NULL, &paths), 0);
	const struct ft_simulate_input input = {&side->traffic, paths,	  side->host_of, FT_WORK_SWITCH_LATENCY_NS, 0,
						{NULL, NULL},	work_most};

	assert_int_equal(ft_simulate(&input, &list.items[0], &setup, &simulated), 0);
	return simulated;
}

/* Before the sender's next message got what the last one was spared, all-to-all came to many times the true time. */
static void test_merged(void **state)
{
	static const struct {
		const char *name;
		double tolerance;
	} rows[] = {{"all-to-all", 0.1}, {"butterfly", 0.02}, {"near-neighbor", 0.02}, {"n-bodies", 0.02}};

	(void)state;
	for (size_t d = 0; d < FT_COUNT(designs); d++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		struct ft_work_side side = {0};
		struct ft_error err = {0};

		if (ft_design_read(designs[d], strlen(designs[d]), &design, &plan, &err) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(ft_work_side_make(design, plan, (struct ft_placement){.automatic = true}, &side, &err),
				 0);
		for (size_t i = 0; i < FT_COUNT(rows); i++) {
			struct ft_simulated alone = run(&side, rows[i].name, UINT64_MAX);
			struct ft_simulated merged = run(&side, rows[i].name, 1);

			assert_int_equal(alone.alone, alone.messages);
			assert_true(merged.alone < merged.messages);
			assert_int_equal(merged.messages, alone.messages);
			if (fabs(merged.time_ns / alone.time_ns - 1) > rows[i].tolerance)
				fail_msg("%s on the %s: %g ns, merged %g ns", rows[i].name, design->name, alone.time_ns,
					 merged.time_ns);
		}
		ft_work_side_release(&side);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_merged)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
