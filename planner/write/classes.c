/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The classes of a plan in words. */
#include <string.h>

#include "base/text.h"
#include "planner/family/classes.h"
#include "planner/plan/wiring.h"

enum { SHARES_LISTED_MAX = 8 };

static void add_name(struct ft_text *text, const struct ft_plan_switch *sw)
{
	ft_text_add_safe(text, sw->name, strlen(sw->name));
}

/* "18 cables up, in bundles of 10 and 8". */
static void add_shares(struct ft_text *text, const struct ft_plan *plan, uint32_t index)
{
	uint32_t cables = 0, count = 0, listed = 0;

	for (uint32_t i = 0; i < plan->bundle_count; i++)
		if (plan->bundles[i].a == index) {
			cables += plan->bundles[i].count;
			count++;
		}
	ft_text_printf(text, ", %u cable%s up", cables, ft_text_s(cables));
	if (count < 2 || count > SHARES_LISTED_MAX)
		return;
	ft_text_puts(text, " in bundles of ");
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		if (plan->bundles[i].a == index)
			ft_text_printf(text, "%s%u",
				       listed++ == 0	 ? ""
				       : listed == count ? " and "
							 : ", ",
				       plan->bundles[i].count);
}

static void add_class(struct ft_text *text, const struct ft_plan *plan, enum ft_tier tier, uint32_t first,
		      uint32_t count)
{
	const struct ft_plan_switch *sw = &plan->switches[first];

	add_name(text, sw);
	if (count > 1) {
		ft_text_puts(text, count == 2 ? " and " : " to ");
		add_name(text, sw + count - 1);
	}
	ft_text_printf(text, ": %u port%s, %u node%s", sw->ports, ft_text_s(sw->ports), sw->hosts,
		       ft_text_s(sw->hosts));
	if (tier != FT_TIER_CORE)
		add_shares(text, plan, first);
	ft_text_puts(text, count > 1 ? ", each" : "");
	ft_text_puts(text, ".\n");
}

void ft_classes_write_text(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan)
{
	uint32_t next[FT_TIER_COUNT];

	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++)
		next[tier] = ft_plan_tier_first(plan, tier) + ft_plan_tier_count(plan, tier) -
			     ft_classes_count(design, tier);
	for (size_t i = 0; i < design->class_count; i++) {
		const struct ft_design_class *class = &design->classes[i];

		ft_text_puts(text, i == 0 ? "Unlike the rest: " : "                 ");
		add_class(text, plan, class->tier, next[class->tier], class->count);
		next[class->tier] += class->count;
	}
}
