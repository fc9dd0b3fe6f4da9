/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Returning switches. A switch that reboots brings its links up one by one, for some minutes. If the baseline says that
 * it was missing before, the cables that it still lacks are one fault, and the same one: its id does not change until
 * the switch is complete, or returning_s of the input have passed.
 */
#include "config.h"

#include <inttypes.h>
#include <stdint.h>

#include "verify/explain/explain.h"
#include "verify/model/recall.h"

/* True if the switch in @place is coming back, and has a path to others. */
static bool is_returning(const struct ft_model *m, uint32_t place)
{
	const struct ft_baseline_switch *was = ft_recall_switch(m, place);

	return was && m->status[place] != FT_STATUS_ISOLATED && ft_recall_is_back(m, place, was, was->back_s);
}

/* True if planned cable number @cable is dark at an end whose port is known and was seen. */
static bool cable_is_dark(const struct ft_model *m, uint32_t cable)
{
	const struct ft_plan_cable *c = &m->plan->cables[cable];
	const uint32_t ends[2][2] = {{c->a, c->a_port}, {c->b, c->b_port}};

	for (unsigned int n = 0; n < 2; n++) {
		const struct ft_observed_switch *sw = ft_observed_at(m, m->place_of[ends[n][0]]);
		const struct ft_port *port =
			sw ? ft_node_port(m->snapshot, &m->snapshot->nodes[sw->node], ends[n][1]) : NULL;

		if (!port || port->link == FT_LINK_UP)
			return false;
	}
	return true;
}

/* If the plan gives ports: takes the dark ones into the finding. Returns how many. */
static uint32_t listed_take(struct ft_model *m, uint32_t place, uint32_t peer)
{
	uint32_t taken = 0;

	for (uint32_t i = 0; i < m->plan->cable_count; i++) {
		const struct ft_plan_cable *c = &m->plan->cables[i];
		uint32_t a = m->place_of[c->a], b = m->place_of[c->b];

		if (((a != place || b != peer) && (a != peer || b != place)) || m->port_map.gone[i] ||
		    !cable_is_dark(m, i))
			continue;
		m->port_map.gone[i] = true;
		taken++;
	}
	return taken;
}

/* Takes the cables that @place lacks to one peer. Returns how many. */
static uint32_t lack_take(struct explain *x, struct ft_finding *f, uint32_t place, const struct ft_pair *pair)
{
	struct ft_model *m = x->m;
	uint32_t peer = pair->peer, lacking, n;

	if (m->observed_of[peer] == FT_NONE)
		return 0;
	if (m->plan->cable_count > 0) {
		lacking = listed_take(m, place, peer);
	} else {
		lacking = x->missing[pair->cell];
		x->missing[pair->cell] = 0;
	}
	if (lacking == 0)
		return 0;
	ft_finding_lack(m, f, place, peer, lacking);
	n = ft_ports_pick(m, m->observed_of[peer], place, lacking, FT_LINK_DOWN, x->picked);
	for (uint32_t i = 0; i < n; i++)
		ft_finding_where_port(m, f, x->picked[i]);
	return lacking;
}

/* The number of cables, and of traces that it had, that the switch in @place lacks. */
static uint32_t lacking_count(const struct explain *x, uint32_t place, uint32_t *ret_planned)
{
	const struct ft_model *m = x->m;
	uint32_t lacking;

	*ret_planned = ft_recall_traces(m, ft_recall_switch(m, place), &lacking);
	for (const struct ft_pair *pair = ft_pairs_of(m, place); pair < ft_pairs_of(m, place + 1); pair++) {
		uint32_t width = m->cells.width[pair->cell], seen = m->cells.seen[pair->cell];

		*ret_planned += width;
		if (m->observed_of[pair->peer] != FT_NONE)
			lacking += width > seen ? width - seen : 0;
	}
	return lacking;
}

static void returning_report(struct explain *x, uint32_t place, uint32_t planned)
{
	struct ft_model *m = x->m;
	const struct ft_observed_switch *sw = ft_observed_at(m, place);
	struct ft_text span = {0};
	char kind[FT_KIND_WORDS_SIZE];
	struct ft_finding *f = ft_finding_add(
		m, ft_gone_isolates(m, place) ? FT_CODE_EDGE_ISOLATED : FT_CODE_CORE_MISSING, FT_EVIDENCE_ABSENT);
	uint32_t traces, traces_planned = ft_recall_traces(m, ft_recall_switch(m, place), &traces), lacking = 0;
	const char *links = traces_planned ? "cables and traces" : "cables";

	for (const struct ft_pair *pair = ft_pairs_of(m, place); pair < ft_pairs_of(m, place + 1); pair++)
		lacking += lack_take(x, f, place, pair);
	if (lacking == 0)
		ft_finding_where_switch(m, f, m->observed_of[place], 0);
	/* It has a path to the others again. */
	f->severity = FT_SEVERITY_WARNING;
	f->planned_as = m->places[place]->name;
	ft_finding_subject(m, f, sw->name, sw->guid);
	f->count = f->impact.links_lost = lacking;
	lacking += traces;
	f->returning.up = planned - lacking;
	f->returning.of = planned;
	ft_say(m, &f->expected, "%u %s", planned, links);
	ft_say(m, &f->observed, "%u of them are up", planned - lacking);
	ft_say(m, &f->text, "%s %s is coming back: %u of %u %s are up", ft_kind_words(m, place, kind), sw->label,
	       planned - lacking, planned, links);
	ft_text_add_span(&span, ft_recall_returning_s(m) * 1000);
	ft_say(m, &f->fix,
	       "wait until its links are up; what is still dark %s after its return is told cable by cable. If it "
	       "comes back again and again, look at its power supply and its log",
	       ft_model_text(m, &span));
}

void ft_returning_explain(struct explain *x)
{
	const struct ft_model *m = x->m;

	for (uint32_t p = 0; m->recall.baseline && p < m->place_count; p++) {
		uint32_t planned;

		if (is_returning(m, p) && lacking_count(x, p, &planned) > 0)
			returning_report(x, p, planned);
	}
}
