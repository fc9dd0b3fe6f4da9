/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/measure/observed.h"
#include "verify/measure/measure.h"

#include <stdlib.h>

/* Hosts on their planned switch, as far as it was seen; where it could not be, the planned ones. */
static uint32_t hosts_at(const struct ft_model *m, uint32_t place)
{
	uint32_t planned = m->places[place]->hosts;

	if (m->observed_of[place] != FT_NONE)
		return ft_number_least(ft_observed_at(m, place)->hosts, planned);
	return ft_status_is_gone(m->status[place]) ? 0 : planned;
}

static void bundle_add(const struct ft_model *m, struct ft_plan *observed, uint32_t cell)
{
	uint32_t a = ft_plan_index(m, m->cells.ends[cell][0]), b = ft_plan_index(m, m->cells.ends[cell][1]);
	uint32_t count = ft_cell_carriers(m, cell);

	if (count > 0)
		observed->bundles[observed->bundle_count++] =
			(struct ft_plan_bundle){.a = a < b ? a : b, .b = a < b ? b : a, .count = count};
}

struct ft_plan *ft_observed_plan(const struct ft_model *m)
{
	_cleanup_(ft_plan_variant_freep) struct ft_plan *observed = ft_plan_variant(m->plan);

	if (!observed)
		return NULL;
	free(observed->bundles);
	observed->bundles = calloc(m->cells.count + 1UL, sizeof(*observed->bundles));
	observed->bundle_count = 0;
	if (!observed->bundles)
		return NULL;
	for (uint32_t place = 0; place < m->place_count; place++)
		observed->switches[ft_plan_index(m, place)].hosts = hosts_at(m, place);
	for (uint32_t cell = 0; cell < m->cells.count; cell++)
		bundle_add(m, observed, cell);
	return FT_STEAL(observed);
}
