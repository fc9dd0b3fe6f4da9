/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/measure/observed.h"

#include <errno.h>
#include <stdlib.h>

void ft_observed_release(struct ft_observed *o)
{
	free(o->switches);
	free(o->bundles);
}

/* Hosts on their planned switch, as far as it was seen; where it could not be, the planned ones. */
static uint32_t hosts_at(const struct ft_model *m, uint32_t place)
{
	uint32_t planned = m->places[place]->hosts;
	enum ft_status status = m->status[place];

	if (m->live_of[place] != FT_NONE)
		return ft_live_at(m, place)->hosts < planned ? ft_live_at(m, place)->hosts : planned;
	return status == FT_STATUS_ISOLATED || status == FT_STATUS_MISSING ? 0 : planned;
}

static void bundle_add(const struct ft_model *m, struct ft_observed *o, uint32_t place, const struct ft_pair *pair)
{
	uint32_t a = (uint32_t)(m->places[place] - m->plan->switches);
	uint32_t b = (uint32_t)(m->places[pair->peer] - m->plan->switches);
	uint32_t count = pair->peer > place ? ft_pair_carriers(m, place, pair) : 0;

	if (count > 0)
		o->bundles[o->plan.bundle_count++] =
			(struct ft_plan_bundle){.a = a < b ? a : b, .b = a < b ? b : a, .count = count};
}

int ft_observed_make(const struct ft_model *m, struct ft_observed *o)
{
	o->plan = *m->plan;
	o->plan.bundle_count = 0;
	o->switches = ft_memory_copy(m->plan->switches, m->plan->switch_count * sizeof(*o->switches));
	o->bundles = calloc(m->cells.count + 1UL, sizeof(*o->bundles));
	if (!o->switches || !o->bundles)
		return -ENOMEM;
	for (uint32_t place = 0; place < m->place_count; place++) {
		o->switches[m->places[place] - m->plan->switches].hosts = hosts_at(m, place);
		for (const struct ft_pair *pair = ft_pairs_of(m, place); pair < ft_pairs_of(m, place + 1); pair++)
			bundle_add(m, o, place, pair);
	}
	o->plan.switches = o->switches;
	o->plan.bundles = o->bundles;
	return 0;
}
