/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The plan of a graph in words. Switches that are alike, one after the other, are one line. */
#include "planner/family/graph.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

enum { PAIRS_LISTED_MAX = 48 }; /* pairs of switches that are still printed one by one */

static void add_name(struct ft_text *text, const struct ft_plan *plan, uint32_t index)
{
	const char *name = plan->switches[index].name;

	ft_text_add_safe(text, name, strlen(name));
}

static bool switches_alike(const struct ft_plan_switch *a, const struct ft_plan_switch *b)
{
	return a->kind == b->kind && a->ports == b->ports && a->hosts == b->hosts;
}

/* "leaf001 to leaf020: leaf, 36 ports, 18 nodes each". */
static void add_switches(struct ft_text *text, const struct ft_plan *plan, uint32_t first, uint32_t count)
{
	const struct ft_plan_switch *sw = &plan->switches[first];
	const char *kind = plan->kinds[sw->kind].name;

	ft_text_puts(text, "  ");
	add_name(text, plan, first);
	if (count > 1) {
		ft_text_puts(text, count == 2 ? " and " : " to ");
		add_name(text, plan, first + count - 1);
	}
	ft_text_puts(text, ": ");
	if (count > 1)
		ft_text_printf(text, "%u of kind ", count);
	ft_text_add_safe(text, kind, strlen(kind));
	ft_text_printf(text, ", %u port%s", sw->ports, ft_text_s(sw->ports));
	if (sw->hosts > 0)
		ft_text_printf(text, ", %u node%s", sw->hosts, ft_text_s(sw->hosts));
	ft_text_puts(text, count > 1 ? " each\n" : "\n");
}

static void text_switches(struct ft_text *text, const struct ft_plan *plan)
{
	uint32_t run;

	ft_text_printf(text, "%u switch%s:\n", plan->switch_count, ft_text_es(plan->switch_count));
	for (uint32_t i = 0; i < plan->switch_count; i += run) {
		for (run = 1; i + run < plan->switch_count; run++)
			if (!switches_alike(&plan->switches[i], &plan->switches[i + run]))
				break;
		add_switches(text, plan, i, run);
	}
}

static void add_ports(struct ft_text *text, uint32_t first, uint32_t count)
{
	if (count == 1)
		ft_text_printf(text, "port %u", first);
	else
		ft_text_printf(text, "ports %u-%u", first, first + count - 1);
}

static void text_pairs(struct ft_text *text, const struct ft_plan *plan)
{
	if (plan->bundle_count == 0)
		return;
	if (plan->bundle_count > PAIRS_LISTED_MAX) {
		ft_text_printf(text, "\nThe %u pairs of switches are listed by --format json.\n", plan->bundle_count);
		return;
	}
	/* A list of cables may have any ports. */
	if (plan->cable_count > 0) {
		ft_text_puts(text, "\nPorts of the cables are listed by --format cables.\n");
		return;
	}
	ft_text_puts(text, "\nCables\n");
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];

		ft_text_puts(text, "  ");
		add_name(text, plan, bundle->a);
		ft_text_puts(text, " ");
		add_ports(text, bundle->a_port, bundle->count);
		ft_text_puts(text, " to ");
		add_name(text, plan, bundle->b);
		ft_text_puts(text, " ");
		add_ports(text, bundle->b_port, bundle->count);
		ft_text_puts(text, "\n");
	}
}

/* ---- ports of a grid ---- */

/* The ports of the bundles along one dimension; count 0: none was seen yet. */
struct along {
	uint32_t up, down, count;
};

/* Adds a bundle of a grid; false: it leads to no next switch, or has other ports than those before. */
static bool along_add(const struct ft_plan *plan, const struct ft_plan_bundle *bundle,
		      struct along alongs[FT_DIMENSIONS_MAX])
{
	uint32_t stride = plan->switch_count, apart = bundle->b - bundle->a;

	for (uint32_t i = 0; i < plan->dim_count; i++) {
		uint32_t size = plan->dims[i], block = stride;
		struct along found = {bundle->a_port, bundle->b_port, bundle->count}, *along = &alongs[i];

		stride /= size;
		if (size < 2 || bundle->a / block != bundle->b / block ||
		    (apart != stride && apart != (size - 1) * stride))
			continue;
		/* The way around leads upwards from the last. */
		if (apart != stride)
			found = (struct along){bundle->b_port, bundle->a_port, bundle->count};
		if (along->count == 0)
			*along = found;
		return along->up == found.up && along->down == found.down && along->count == found.count;
	}
	return false;
}

static void text_ports(struct ft_text *text, const struct ft_plan *plan)
{
	struct along alongs[FT_DIMENSIONS_MAX] = {0};

	if (plan->dim_count == 0 || plan->bundle_count == 0 || plan->cable_count > 0)
		return;
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		if (!along_add(plan, &plan->bundles[i], alongs))
			return;
	ft_text_puts(text, "\nPorts to the next switch along each dimension, the same on all switches\n");
	for (uint32_t i = 0; i < plan->dim_count; i++) {
		if (alongs[i].count == 0)
			continue;
		ft_text_printf(text, "  dimension %u: ", i + 1);
		add_ports(text, alongs[i].up, alongs[i].count);
		if (alongs[i].up != alongs[i].down) {
			ft_text_puts(text, " up, ");
			add_ports(text, alongs[i].down, alongs[i].count);
			ft_text_puts(text, " down");
		}
		ft_text_puts(text, "\n");
	}
}

void ft_graph_write_text(struct ft_text *text, const struct ft_plan *plan)
{
	if (plan->label)
		ft_text_printf(text, "Network: %s %s.\n\n", plan->called, plan->label);
	text_switches(text, plan);
	ft_text_printf(text, "\nHops: a packet crosses up to %u switch%s on its way", plan->clos,
		       ft_text_es(plan->clos));
	if (plan->switch_pairs > 0) {
		uint64_t hundredths = (100 * plan->switch_cables + plan->switch_pairs / 2) / plan->switch_pairs;

		ft_text_printf(text, "; two switches with nodes are %" PRIu64 ".%02" PRIu64 " cables apart on average",
			       hundredths / 100, hundredths % 100);
	}
	ft_text_puts(text, ".\n");
	ft_text_printf(text, "Cables: %u = %u to nodes + %u between switches.\n", plan->links, plan->nodes,
		       plan->links - plan->nodes);
	if (plan->bisection != FT_BISECTION_UNKNOWN)
		ft_text_printf(text, "Bisection: at least %" PRIu64 " cable%s any two halves of the network.\n",
			       plan->bisection, plan->bisection == 1 ? " joins" : "s join");
	ft_text_printf(text, "%s that are left: %u.\n", plan->label ? "Host ports" : "Ports", plan->spare_ports);
	text_ports(text, plan);
	text_pairs(text, plan);
}
