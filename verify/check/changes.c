/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Reports what became of the devices of a recording (model/changes.h) as findings: one for each change. O(changes). */
#include "config.h"

#include "verify/model/changes.h"
#include "verify/check/check.h"

static void places_add(struct ft_model *m, struct ft_finding *f, const struct ft_finding *change,
		       const struct ft_map *observed_of)
{
	for (size_t i = 0; i < change->symptom_count; i++) {
		const struct ft_symptom *item = &change->symptoms[i];
		uint32_t observed = ft_map_get(observed_of, item->place.guid);

		if (observed == FT_NONE)
			continue;
		ft_finding_where_switch(m, f, observed, item->place.port);
		ft_finding_symptom(m, f, observed, item->place.port, "%s", item->text);
	}
}

static void change_report(struct ft_model *m, const struct ft_finding *change, const struct ft_map *observed_of)
{
	struct ft_finding *f = ft_finding_add(m, change->code, FT_EVIDENCE_SEEN);

	f->count = change->count;
	ft_say(m, &f->text, "%s", change->text);
	ft_say(m, &f->fix, "%s", change->fix);
	if (change->expected)
		ft_say(m, &f->expected, "%s", change->expected);
	if (change->observed)
		ft_say(m, &f->observed, "%s", change->observed);
	places_add(m, f, change, observed_of);
}

void ft_changes_check(struct ft_model *m)
{
	_cleanup_(ft_map_release) struct ft_map observed_of = {0};
	const struct ft_device_changes *changes = m->input->changes;

	for (uint32_t i = 0; i < m->observed.switch_count; i++)
		ft_map_put(&observed_of, m->observed.switches[i].guid, i, &m->memory.failed);
	for (size_t i = 0; changes && i < changes->count; i++)
		change_report(m, &changes->items[i], &observed_of);
}
