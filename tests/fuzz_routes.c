/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target for files of forwarding tables, and for the walk of whatever they say: on a fabric of four edge and
 * two core switches, every pair of hosts has to be accounted for. Seeds are in tests/data/fuzz_routes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/lanes.h"
#include "probe/routes.h"
#include "probe/source.h"
#include "verify/model/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char design_text[] =
	"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":16,\"edge\":{\"ports\":8,\"count\":4,\"ports_to_nodes\":4,"
	"\"ports_to_core\":4},\"core\":{\"ports\":8,\"count\":2},\"bundle\":2}";

static struct ft_design *design;
static struct ft_plan *plan;
static struct ft_snapshot *snapshot;

static void expect(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void fabric_make(void)
{
	_cleanup_(ft_text_release) struct ft_text net = {0};
	struct ft_error err = {0};

	expect(ft_design_read(design_text, strlen(design_text), &design, &plan, &err) == 0, err.text);
	ft_plan_write_ibsim(&net, design, plan);
	expect(ft_dump_read_ibnetdiscover(net.data, net.length, &snapshot, &err) == 0, err.text);
}

static void walk(const struct ft_routes *routes, const struct ft_lanes *lanes)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	const struct ft_verify_input input = {.design = design,
					      .plan = plan,
					      .snapshot = snapshot,
					      .today = "2026-11-20",
					      .routes = routes,
					      .lanes = lanes};

	expect(ft_verify_all(&input, &report) == 0, "cannot be walked");
	expect(report->routes.pairs == 240 && report->routes.reached + report->routes.unreachable +
							      report->routes.looping + report->routes.unknown ==
						      report->routes.pairs,
	       "pairs are not accounted for");
}

static void round_trip(const struct ft_routes *routes)
{
	_cleanup_(ft_routes_freep) struct ft_routes *copy = NULL;
	_cleanup_(ft_text_release) struct ft_text packed = {0}, again = {0};
	struct ft_error err = {0};

	ft_routes_pack(&packed, routes);
	expect(ft_routes_unpack(packed.data, packed.length, routes->node_count, &copy, &err) == 0, err.text);
	ft_routes_pack(&again, copy);
	expect(packed.length == again.length && !memcmp(packed.data, again.data, packed.length), "comes back changed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(ft_routes_freep) struct ft_routes *routes = NULL;
	_cleanup_(ft_lanes_freep) struct ft_lanes *lanes = NULL;
	struct ft_error err = {0};
	int r;

	if (!design)
		fabric_make();
	expect(ft_routes_new(snapshot->node_count, &routes) == 0 && ft_lanes_new(&lanes) == 0, "no memory");
	r = ft_routes_parse((const char *)data, size, snapshot, routes, lanes, NULL, NULL, &err);
	expect(r == 0 || (err.text[0] && err.line && err.column), "fails without a word");
	/* A damaged file leaves tables half read, and those can be walked, too. */
	walk(routes, NULL);
	walk(routes, lanes);
	round_trip(routes);
	return 0;
}
