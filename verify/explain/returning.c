/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Returning switches. A switch that reboots brings its links up one by one, for some minutes. If the baseline says that
 * it was missing before, the cables that it still lacks are one fault, and the same one: its id does not change until
 * the switch is complete, or returning_s of the input have passed.
 */
#include "config.h"

#include <stdint.h>

#include "verify/explain/explain.h"
#include "verify/model/recall.h"

/* True if the switch in @place is coming back, and has a path to others. */
static bool is_returning(const struct ft_model *m, uint32_t place)
{
	const struct ft_baseline_switch *was = ft_recall_switch(m, place);

	return was && m->status[place] != FT_STATUS_ISOLATED && ft_recall_is_back(m, place, was, was->back_s);
}

/* When the returning switch in @place was first seen again; one that was not until now: INT64_MAX. */
static int64_t back_since(const struct ft_model *m, uint32_t place)
{
	int64_t back_s = ft_recall_switch(m, place)->back_s;

	return back_s ? back_s : INT64_MAX;
}

/* A cable between two that are coming back is told of the one that came later: the other one may be whole but for it.
 */
static bool peer_takes(const struct ft_model *m, uint32_t place, uint32_t peer)
{
	return is_returning(m, peer) && back_since(m, peer) > back_since(m, place);
}

/*
 * True if port number @number of @place is dark, and a cable to *@ret_peer was in it that is missing and in no finding
 * yet.
 */
static bool cable_lacks(const struct explain *x, uint32_t place, uint32_t number, uint32_t *ret_peer)
{
	const struct ft_model *m = x->m;
	uint32_t observed = m->observed_of[place], port = node_of(m, observed)->first_port + number - 1;
	uint32_t listed = ft_port_map_cable(m, place, number);

	if (m->snapshot->ports[port].link == FT_LINK_UP ||
	    ft_recall_port(m, observed, number, ret_peer) != FT_RECALLED_SWITCH || ft_recall_far(m, port) == FT_NONE ||
	    m->observed_of[*ret_peer] == FT_NONE || peer_takes(m, place, *ret_peer))
		return false;
	return m->plan->cable_count > 0 ? listed != FT_NONE && !m->port_map.gone[listed]
					: *missing_at(x, place, *ret_peer) > 0;
}

/* True if a cable lacks that went with one of its two switches. What was out before is a fault of its own. */
static bool any_is_due(const struct explain *x, uint32_t place)
{
	const struct ft_node *node = node_of(x->m, x->m->observed_of[place]);
	uint32_t peer;

	for (uint32_t number = 1; number <= node->port_count; number++)
		if (cable_lacks(x, place, number, &peer) &&
		    ft_recall_went(x->m, ft_port_origin(x->m, node->first_port + number - 1)))
			return true;
	return false;
}

/*
 * Takes the cables that @place lacks to one peer: while some are due, any may come up. Returns how many; x->picked: a
 * dark port of each, at the peer if it is dark there.
 */
static uint32_t lack_take(struct explain *x, uint32_t place, uint32_t peer)
{
	struct ft_model *m = x->m;
	const struct ft_node *node = node_of(m, m->observed_of[place]);
	uint32_t count = 0, to;

	for (uint32_t number = 1; number <= node->port_count; number++) {
		uint32_t port = node->first_port + number - 1, far = ft_recall_far(m, port);

		if (!cable_lacks(x, place, number, &to) || to != peer)
			continue;
		if (m->plan->cable_count > 0)
			m->port_map.gone[ft_port_map_cable(m, place, number)] = true;
		else
			(*missing_at(x, place, peer))--;
		m->port_claimed[port] = true;
		x->picked[count++] = m->snapshot->ports[far].link == FT_LINK_UP ? port : far;
	}
	return count;
}

static struct ft_finding *returning_add(struct ft_model *m, uint32_t place)
{
	struct ft_finding *f = ft_finding_add(
		m, ft_gone_isolates(m, place) ? FT_CODE_EDGE_ISOLATED : FT_CODE_CORE_MISSING, FT_EVIDENCE_ABSENT);

	/* It has a path to the others again. */
	f->severity = FT_SEVERITY_WARNING;
	f->planned_as = m->places[place]->name;
	ft_finding_subject(m, f, ft_observed_at(m, place)->name, ft_observed_at(m, place)->guid);
	return f;
}

static void returning_say(struct ft_model *m, struct ft_finding *f, uint32_t place, const char *links)
{
	struct ft_text span = {0};
	char kind[FT_KIND_WORDS_SIZE];

	ft_say(m, &f->expected, "%u %s", f->returning.of, links);
	ft_say(m, &f->observed, "%u of them are up", f->returning.up);
	ft_say(m, &f->text, "%s %s is coming back: %u of %u %s are up", ft_kind_words(m, place, kind),
	       ft_observed_at(m, place)->label, f->returning.up, f->returning.of, links);
	ft_text_add_span(&span, ft_recall_returning_s(m) * 1000);
	ft_say(m, &f->fix,
	       "wait until its links are up; what is still dark %s after its return is told cable by cable. If it "
	       "comes back again and again, look at its power supply and its log",
	       ft_model_text(m, &span));
}

static void returning_report(struct explain *x, uint32_t place)
{
	struct ft_model *m = x->m;
	uint32_t dark, of = ft_recall_traces(m, ft_recall_switch(m, place), &dark), up = of - dark, taken = 0;
	const char *links = of ? "cables and traces" : "cables";
	struct ft_finding *f;

	if (dark == 0 && !any_is_due(x, place))
		return;
	f = returning_add(m, place);
	ft_each_pair(pair, m, place) {
		uint32_t n = lack_take(x, place, pair->peer);

		of += m->cells.width[pair->cell];
		up += m->cells.seen[pair->cell] < m->cells.width[pair->cell] ? m->cells.seen[pair->cell]
									     : m->cells.width[pair->cell];
		if (n == 0)
			continue;
		ft_finding_lack(m, f, place, pair->peer, n);
		for (uint32_t i = 0; i < n; i++)
			ft_finding_where_port(m, f, x->picked[i]);
		taken += n;
	}
	if (taken == 0)
		ft_finding_where_switch(m, f, m->observed_of[place], 0);
	f->count = f->impact.links_lost = taken;
	f->returning.up = up;
	f->returning.of = of;
	returning_say(m, f, place, links);
}

void ft_returning_explain(struct explain *x)
{
	const struct ft_model *m = x->m;

	for (uint32_t p = 0; m->recall.baseline && p < m->place_count; p++)
		if (is_returning(m, p))
			returning_report(x, p);
}
