/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What is wrong with islands. Names say which switch is which, so that a look at every pair of switches tells: cables
 * that lack, and cables too many, which may be the lacking ones with an end on the wrong switch.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/explain.h"

/* A planned bundle and its two switches as seen, or FT_NONE. */
struct tie {
	uint32_t a, b;
	uint32_t deficit; /* cables that lack and are in no finding yet; only where both ends were seen */
};

struct islands {
	struct explain *x;
	struct ft_model *m;
	struct tie *ties;     /* by bundle */
	uint32_t *strays;     /* cables of islanders that no bundle accounts for */
	uint32_t stray_count; /* used ones are FT_NONE */
	bool *planned;	      /* by live cable: a bundle accounts for it */
	uint32_t *root;	      /* by islander that was not seen: the one whose loss explains it, or FT_NONE */
};

static void islands_release(struct islands *w)
{
	free(w->ties);
	free(w->strays);
	free(w->planned);
	free(w->root);
}

static const struct ft_plan_island_bundle *bundle_at(const struct islands *w, uint32_t i)
{
	return &w->m->plan->island_bundles[i];
}

/* What an end of a bundle is called, seen or not. */
static const char *near_name(const struct islands *w, uint32_t i)
{
	const struct ft_model *m = w->m;

	return w->ties[i].a != FT_NONE ? m->live.switches[w->ties[i].a].label
				       : m->plan->islanders[bundle_at(w, i)->a].name;
}

static const char *far_name(const struct islands *w, uint32_t i)
{
	const struct ft_model *m = w->m;
	const struct ft_plan_island_bundle *bundle = bundle_at(w, i);

	if (w->ties[i].b != FT_NONE)
		return m->live.switches[w->ties[i].b].label;
	return bundle->anchor == FT_UNPINNED ? m->plan->islanders[bundle->b].name
					     : m->plan->anchors[bundle->anchor].name;
}

static const char *label(const struct islands *w, uint32_t live)
{
	return w->m->live.switches[live].label;
}

static struct ft_finding *island_finding(struct islands *w, enum ft_code code, enum ft_evidence evidence)
{
	struct ft_finding *f = ft_finding_add(w->m, code, evidence);

	f->beside = true;
	return f;
}

/* ---- the residual ---- */

/* Up to @most cables between the ends of a bundle are planned; those in the last ports are beyond. */
static uint32_t bundle_count(struct islands *w, const struct tie *tie, uint32_t most)
{
	const struct ft_model *m = w->m;
	const struct ft_live_switch *sw = &m->live.switches[tie->a];
	uint32_t seen = 0;

	for (uint32_t n = 0; n < sw->cable_count && seen < most; n++) {
		uint32_t cable = m->live.at[sw->first_cable + n];

		if (ft_cable_far(&m->live.cables[cable], tie->a) != tie->b || w->planned[cable])
			continue;
		w->planned[cable] = true;
		seen++;
	}
	return seen;
}

/* The ends of which too little is known may hold what lacks. */
static uint32_t unjudged_of(const struct islands *w, const struct tie *tie, uint32_t deficit)
{
	uint32_t a = ft_ports_in_state(w->m, tie->a, FT_LINK_UNREAD) + ft_ports_in_state(w->m, tie->a, FT_LINK_SILENT);
	uint32_t b = ft_ports_in_state(w->m, tie->b, FT_LINK_UNREAD) + ft_ports_in_state(w->m, tie->b, FT_LINK_SILENT);

	return lesser(deficit, lesser(a, b));
}

static void islander_tally(struct ft_islander *islander, uint32_t planned, uint32_t up, uint32_t unjudged)
{
	islander->planned += planned;
	islander->up += up;
	islander->unjudged += unjudged;
}

static void tally(struct islands *w, uint32_t i, uint32_t up, uint32_t unjudged)
{
	const struct ft_plan_island_bundle *bundle = bundle_at(w, i);
	struct ft_model *m = w->m;

	m->island_cables.planned += bundle->count;
	m->island_cables.up += up;
	m->island_cables.unjudged += unjudged;
	islander_tally(&m->islanders[bundle->a], bundle->count, up, unjudged);
	if (bundle->anchor == FT_UNPINNED)
		islander_tally(&m->islanders[bundle->b], bundle->count, up, unjudged);
}

static void ties_take(struct islands *w)
{
	struct ft_model *m = w->m;

	for (uint32_t i = 0; i < m->plan->island_bundle_count; i++) {
		const struct ft_plan_island_bundle *bundle = bundle_at(w, i);
		struct tie *tie = &w->ties[i];
		uint32_t seen = 0, unjudged = 0;

		*tie = (struct tie){.a = m->islanders[bundle->a].live, .b = ft_island_bundle_far(m, bundle)};
		if (tie->a != FT_NONE && tie->b != FT_NONE) {
			seen = bundle_count(w, tie, bundle->count);
			unjudged = unjudged_of(w, tie, bundle->count - seen);
			tie->deficit = bundle->count - seen - unjudged;
		}
		tally(w, i, seen, unjudged);
	}
}

/* A cable to a switch that nobody planned is that switch's matter. */
static void strays_take(struct islands *w)
{
	const struct ft_live *live = &w->m->live;

	for (uint32_t i = 0; i < live->cable_count; i++) {
		const struct ft_live_switch *a = &live->switches[live->cables[i].a];
		const struct ft_live_switch *b = &live->switches[live->cables[i].b];

		if (w->planned[i] || (a->islander == FT_NONE && b->islander == FT_NONE) ||
		    (a->islander == FT_NONE && a->planned == FT_NONE) ||
		    (b->islander == FT_NONE && b->planned == FT_NONE))
			continue;
		w->strays[w->stray_count++] = i;
	}
}

/* ---- switches that are not there ---- */

static uint32_t hosts_of(const struct islands *w, uint32_t islander)
{
	uint32_t hosts = w->m->plan->islanders[islander].hosts;

	return hosts == FT_UNPINNED ? 0 : hosts;
}

/* The far end of bundle @i as seen from islander @here. */
static uint32_t tie_far(const struct islands *w, uint32_t i, uint32_t here)
{
	return bundle_at(w, i)->a == here ? w->ties[i].b : w->ties[i].a;
}

static bool tie_touches(const struct islands *w, uint32_t i, uint32_t islander)
{
	const struct ft_plan_island_bundle *bundle = bundle_at(w, i);

	return bundle->a == islander || (bundle->anchor == FT_UNPINNED && bundle->b == islander);
}

/* One that was not seen and next to which something was is lost for itself; others are lost with one of these. */
static void roots_find(struct islands *w)
{
	const struct ft_plan *plan = w->m->plan;
	const struct ft_islander *islanders = w->m->islanders;
	bool changed = true;

	for (uint32_t i = 0; i < plan->islander_count; i++)
		w->root[i] = FT_NONE;
	for (uint32_t i = 0; i < plan->island_bundle_count; i++) {
		const struct ft_plan_island_bundle *bundle = bundle_at(w, i);

		if (w->ties[i].a == FT_NONE && w->ties[i].b != FT_NONE)
			w->root[bundle->a] = bundle->a;
		if (w->ties[i].a != FT_NONE && w->ties[i].b == FT_NONE && bundle->anchor == FT_UNPINNED)
			w->root[bundle->b] = bundle->b;
	}
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < plan->island_bundle_count; i++) {
			const struct ft_plan_island_bundle *bundle = bundle_at(w, i);
			uint32_t a = bundle->a, b = bundle->b;

			if (bundle->anchor != FT_UNPINNED || islanders[a].live != FT_NONE ||
			    islanders[b].live != FT_NONE || (w->root[a] == FT_NONE) == (w->root[b] == FT_NONE))
				continue;
			*(w->root[a] == FT_NONE ? &w->root[a] : &w->root[b]) =
				w->root[a] == FT_NONE ? w->root[b] : w->root[a];
			changed = true;
		}
	}
}

/* What the seen neighbours of an unseen islander show of it. */
struct shade {
	uint32_t cables;	 /* planned to seen neighbours */
	uint32_t silent, unread; /* ports of these, at most the planned cables to each */
};

static struct shade shade_of(const struct islands *w, uint32_t islander)
{
	struct shade s = {0};

	for (uint32_t i = 0; i < w->m->plan->island_bundle_count; i++) {
		uint32_t far, count = bundle_at(w, i)->count;

		if (!tie_touches(w, i, islander))
			continue;
		far = tie_far(w, i, islander);
		if (far == FT_NONE)
			continue;
		s.cables += count;
		s.silent += lesser(count, ft_ports_in_state(w->m, far, FT_LINK_SILENT));
		s.unread += lesser(count, ft_ports_in_state(w->m, far, FT_LINK_UNREAD));
	}
	return s;
}

/* The ports of @live in state @link, where they are just those of @count cables; else the switch as a whole. */
static void where_ports(struct islands *w, struct ft_finding *f, uint32_t live, enum ft_link link, uint32_t count)
{
	const struct ft_node *node = node_of(w->m, live);

	if (ft_ports_in_state(w->m, live, link) != count) {
		ft_finding_where_switch(w->m, f, live, 0);
		return;
	}
	for (uint32_t n = 0; n < node->port_count; n++) {
		uint32_t port = node->first_port + n;

		if (w->m->snapshot->ports[port].link == link && !w->m->port_claimed[port])
			ft_finding_where_port(w->m, f, port);
	}
}

/* Where it should be cabled to, in the finding and in words: "14 to MSPINE3-01". */
static void shade_where(struct islands *w, struct ft_finding *f, uint32_t islander, enum ft_link link,
			struct ft_text *words)
{
	ft_text_reset(words);
	for (uint32_t i = 0; i < w->m->plan->island_bundle_count; i++) {
		uint32_t far = tie_touches(w, i, islander) ? tie_far(w, i, islander) : FT_NONE;

		if (far == FT_NONE)
			continue;
		where_ports(w, f, far, link, bundle_at(w, i)->count);
		ft_text_printf(words, "%s%u to %s", words->length ? ", " : "", bundle_at(w, i)->count, label(w, far));
	}
}

/* A neighbour of an unseen islander that was seen. */
static uint32_t seen_near(const struct islands *w, uint32_t root)
{
	for (uint32_t i = 0; i < w->m->plan->island_bundle_count; i++)
		if (tie_touches(w, i, root) && tie_far(w, i, root) != FT_NONE)
			return tie_far(w, i, root);
	return FT_NONE;
}

/* Those behind it, of which nothing is known: they are lost with it, or only out of sight. */
static void unseen_behind(struct islands *w, struct ft_finding *f, uint32_t root, bool lost)
{
	struct ft_model *m = w->m;
	uint32_t near = seen_near(w, root);
	char hosts[48];

	for (uint32_t i = 0; i < m->plan->islander_count && near != FT_NONE; i++) {
		if (w->root[i] != root || i == root)
			continue;
		f->impact.hosts_cut_off += lost ? hosts_of(w, i) : 0;
		m->islanders[i].status = lost ? FT_STATUS_ISOLATED : FT_STATUS_UNREACHED;
		ft_finding_symptom(m, f, near, 0, "%s and its %s behind it are out of %s", m->plan->islanders[i].name,
				   ft_plural(hosts_of(w, i), "host", hosts), lost ? "reach" : "sight");
	}
}

/* Of cables with both ends unseen, behind what was not read or is mute, nobody knows. */
static uint32_t cables_behind(const struct islands *w, uint32_t root)
{
	uint32_t cables = 0;

	for (uint32_t i = 0; i < w->m->plan->island_bundle_count; i++)
		if (w->ties[i].a == FT_NONE && w->ties[i].b == FT_NONE && w->root[bundle_at(w, i)->a] == root)
			cables += bundle_at(w, i)->count;
	return cables;
}

/* Hosts on it, or on what is lost with it. */
static uint32_t hosts_lost(const struct islands *w, uint32_t root)
{
	uint32_t hosts = 0;

	for (uint32_t i = 0; i < w->m->plan->islander_count; i++)
		hosts += w->root[i] == root ? hosts_of(w, i) : 0;
	return hosts;
}

static void unseen_mute(struct islands *w, uint32_t islander, const struct shade *s)
{
	struct ft_model *m = w->m;
	const char *name = m->plan->islanders[islander].name;
	struct ft_finding *f = island_finding(w, FT_CODE_SWITCH_MUTE, FT_EVIDENCE_MUTE);

	m->islanders[islander].status = FT_STATUS_MUTE;
	f->count = s->silent;
	f->planned_as = name;
	shade_where(w, f, islander, FT_LINK_SILENT, &w->x->text_a);
	ft_say(m, &f->expected, "an answer from %s", name);
	ft_say(m, &f->observed, "%u of its %u links are up, none is answered", s->silent, s->cables);
	ft_say(m, &f->text, "island switch %s does not answer: its links are up, but its management agent is silent",
	       name);
	ft_say(m, &f->fix, "restart the management of that switch, or power-cycle it; its cables are good");
	m->island_cables.up += s->cables;
	m->islanders[islander].up += s->cables;
	m->island_cables.unjudged += cables_behind(w, islander);
	unseen_behind(w, f, islander, false);
}

static void unseen_gone(struct islands *w, uint32_t islander, const struct shade *s)
{
	struct ft_model *m = w->m;
	const char *name = m->plan->islanders[islander].name;
	uint32_t hosts = hosts_lost(w, islander);
	struct ft_finding *f =
		island_finding(w, hosts > 0 ? FT_CODE_EDGE_ISOLATED : FT_CODE_CORE_MISSING, FT_EVIDENCE_ABSENT);
	struct ft_place place = {.name = (char *)name};
	char hosts_words[48];

	m->islanders[islander].status = hosts > 0 ? FT_STATUS_ISOLATED : FT_STATUS_MISSING;
	f->count = f->impact.links_lost = s->cables;
	f->planned_as = name;
	f->impact.hosts_cut_off = hosts_of(w, islander);
	shade_where(w, f, islander, FT_LINK_DOWN, &w->x->text_a);
	ft_say(m, &f->expected, "island switch %s, cabled by %s", name, ft_text_string(&w->x->text_a));
	ft_say(m, &f->observed, "none of these cables is up");
	if (hosts > 0)
		ft_say(m, &f->text,
		       "island switch %s is cut off or powered down, with %s: none of its cables is up (%s)", name,
		       ft_plural(hosts, "host", hosts_words), ft_text_string(&w->x->text_a));
	else
		ft_say(m, &f->text, "island switch %s is missing: none of its cables is up (%s)", name,
		       ft_text_string(&w->x->text_a));
	ft_say(m, &f->fix, "check the power of %s, then its cables", name);
	ft_finding_act(m, f, FT_ACT_POWER, &place, NULL);
	unseen_behind(w, f, islander, true);
}

/* The finding about the tree that takes the way to an island with it. */
static struct ft_finding *cause_in_tree(const struct ft_model *m, const char *anchor)
{
	struct ft_finding *first = NULL;

	for (size_t i = 0; i < m->report->finding_count; i++) {
		struct ft_finding *f = &m->report->findings[i];

		if (f->code != FT_CODE_CORE_MISSING && f->code != FT_CODE_EDGE_ISOLATED &&
		    f->code != FT_CODE_SWITCH_MUTE)
			continue;
		if (f->planned_as && strcmp(f->planned_as, anchor) == 0)
			return f;
		first = first ? first : f;
	}
	return first;
}

/* The name of a switch of the tree that an islander, or one it hangs on, is cabled to. */
static const char *anchor_name(const struct islands *w, uint32_t islander)
{
	for (uint32_t i = 0; i < w->m->plan->island_bundle_count; i++)
		if (bundle_at(w, i)->a == islander && bundle_at(w, i)->anchor != FT_UNPINNED)
			return w->m->plan->anchors[bundle_at(w, i)->anchor].name;
	return "the tree";
}

/* Nothing around it was seen either: whatever happened there took it along. */
static void unseen_afar(struct islands *w, uint32_t islander)
{
	struct ft_model *m = w->m;
	const char *name = m->plan->islanders[islander].name;
	struct ft_finding *f = cause_in_tree(m, anchor_name(w, islander));
	struct ft_place place = {.name = (char *)name};
	uint32_t hosts = hosts_of(w, islander);
	char words[48];

	m->islanders[islander].status = m->snapshot->source.complete ? FT_STATUS_ISOLATED : FT_STATUS_UNREACHED;
	if (f && m->live.switch_count > 0) {
		ft_finding_symptom(m, f, 0, 0, "island switch %s and its %s are out of reach", name,
				   ft_plural(hosts, "host", words));
		f->impact.hosts_cut_off += hosts;
		f->severity = hosts > 0 ? FT_SEVERITY_CRITICAL : f->severity;
		return;
	}
	if (!m->snapshot->source.complete)
		return;
	f = island_finding(w, hosts > 0 ? FT_CODE_EDGE_ISOLATED : FT_CODE_CORE_MISSING, FT_EVIDENCE_UNREACHED);
	f->planned_as = name;
	f->impact.hosts_cut_off = hosts;
	ft_say(m, &f->expected, "island switch %s at %s", name, anchor_name(w, islander));
	ft_say(m, &f->observed, "neither was seen");
	ft_say(m, &f->text, "island switch %s was not seen, nor was %s, which it is cabled to", name,
	       anchor_name(w, islander));
	ft_say(m, &f->fix, "check the power of both, and whether they still have these names");
	ft_finding_act(m, f, FT_ACT_POWER, &place, NULL);
}

static void unseen_explain(struct islands *w)
{
	struct ft_model *m = w->m;

	roots_find(w);
	for (uint32_t i = 0; i < m->plan->islander_count; i++) {
		struct shade s;

		if (m->islanders[i].live != FT_NONE || (w->root[i] != i && w->root[i] != FT_NONE))
			continue;
		if (w->root[i] == FT_NONE) {
			unseen_afar(w, i);
			continue;
		}
		s = shade_of(w, i);
		if (s.silent > 0) {
			unseen_mute(w, i, &s);
		} else if (s.unread > 0) {
			m->islanders[i].status = FT_STATUS_UNREACHED;
			m->island_cables.unjudged += s.cables + cables_behind(w, i);
		} else {
			unseen_gone(w, i, &s);
		}
	}
}

/* ---- cables on the wrong switch ---- */

/* The bundle between two live switches that lacks a cable, or FT_NONE. */
static uint32_t short_tie(const struct islands *w, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < w->m->plan->island_bundle_count; i++) {
		const struct tie *tie = &w->ties[i];

		if (tie->deficit > 0 && ((tie->a == a && tie->b == b) || (tie->a == b && tie->b == a)))
			return i;
	}
	return FT_NONE;
}

/* The port of a cable at @live, one of its ends. */
static uint32_t port_at(const struct islands *w, uint32_t cable, uint32_t live)
{
	return ft_cable_port(&w->m->live.cables[cable], live);
}

static void swap_report(struct islands *w, uint32_t one, uint32_t other, uint32_t x, uint32_t u)
{
	struct ft_model *m = w->m;
	struct explain *e = w->x;
	uint32_t y = ft_cable_far(&m->live.cables[one], x), v = ft_cable_far(&m->live.cables[other], u);
	struct ft_finding *f = island_finding(w, FT_CODE_CABLES_SWAPPED, FT_EVIDENCE_SEEN);

	f->count = 2;
	m->misplaced[one] = m->misplaced[other] = true;
	ft_finding_where_port(m, f, port_at(w, one, x));
	ft_finding_where_port(m, f, port_at(w, one, y));
	ft_finding_where_port(m, f, port_at(w, other, u));
	ft_finding_where_port(m, f, port_at(w, other, v));
	ft_place_text(m, port_at(w, one, y), &e->text_a);
	ft_place_text(m, port_at(w, other, v), &e->text_b);
	ft_say(m, &f->expected, "%s cabled to %s, and %s to %s", label(w, x), label(w, v), label(w, u), label(w, y));
	ft_say(m, &f->observed, "%s port %u cabled to %s, and %s port %u to %s", label(w, x),
	       ft_port_number(m, port_at(w, one, x)), ft_text_string(&e->text_a), label(w, u),
	       ft_port_number(m, port_at(w, other, u)), ft_text_string(&e->text_b));
	ft_say(m, &f->text, "2 cables are swapped: %s", f->observed ? f->observed : "");
	ft_say(m, &f->fix, "exchange the two cable ends at %s and %s", ft_text_string(&e->text_a),
	       ft_text_string(&e->text_b));
	ft_finding_act_ports(m, f, FT_ACT_EXCHANGE, port_at(w, one, y), port_at(w, other, v));
}

/* x-y and u-v are there, x-v and u-y lack: the ends at y and v are exchanged. */
static bool swap_try(struct islands *w, uint32_t i, uint32_t k, bool turned)
{
	const struct ft_live_cable *one = &w->m->live.cables[w->strays[i]], *other = &w->m->live.cables[w->strays[k]];
	uint32_t u = turned ? other->b : other->a, v = turned ? other->a : other->b;
	uint32_t first = short_tie(w, one->a, v), second;

	if (first == FT_NONE)
		return false;
	w->ties[first].deficit--;
	second = short_tie(w, u, one->b);
	if (second == FT_NONE) {
		w->ties[first].deficit++;
		return false;
	}
	w->ties[second].deficit--;
	swap_report(w, w->strays[i], w->strays[k], one->a, u);
	w->strays[i] = w->strays[k] = FT_NONE;
	return true;
}

static void swaps_explain(struct islands *w)
{
	uint32_t most = w->stray_count < STRAYS_EXPLAINED_MAX ? w->stray_count : 0;

	for (uint32_t i = 0; i < most; i++)
		for (uint32_t k = i + 1; k < most && w->strays[i] != FT_NONE; k++)
			if (w->strays[k] != FT_NONE && !swap_try(w, i, k, false))
				swap_try(w, i, k, true);
}

/* A bundle of @live that lacks a cable, or FT_NONE. */
static uint32_t short_at(const struct islands *w, uint32_t live)
{
	for (uint32_t i = 0; i < w->m->plan->island_bundle_count; i++)
		if (w->ties[i].deficit > 0 && (w->ties[i].a == live || w->ties[i].b == live))
			return i;
	return FT_NONE;
}

/* The end at @wrong should be on @target. */
static void misplaced_report(struct islands *w, uint32_t cable, uint32_t wrong, uint32_t target)
{
	struct ft_model *m = w->m;
	struct explain *x = w->x;
	uint32_t right = ft_cable_far(&m->live.cables[cable], wrong);
	struct ft_finding *f = island_finding(w, FT_CODE_CABLE_MISPLACED, FT_EVIDENCE_SEEN);
	struct ft_place from = {m->live.switches[wrong].name, m->live.switches[wrong].guid, 0};
	struct ft_place to = {m->live.switches[target].name, m->live.switches[target].guid, 0};

	m->misplaced[cable] = true;
	from.port = ft_port_number(m, port_at(w, cable, wrong));
	ft_finding_where_port(m, f, port_at(w, cable, right));
	ft_finding_where_port(m, f, port_at(w, cable, wrong));
	ft_place_text(m, port_at(w, cable, right), &x->text_a);
	ft_place_text(m, port_at(w, cable, wrong), &x->text_b);
	ft_say(m, &f->expected, "%s cabled to %s", ft_text_string(&x->text_a), label(w, target));
	ft_say(m, &f->observed, "cabled to %s", ft_text_string(&x->text_b));
	ft_say(m, &f->text, "the cable of %s ends on %s instead of %s", ft_text_string(&x->text_a),
	       ft_text_string(&x->text_b), label(w, target));
	ft_say(m, &f->fix, "move its end from %s to %s", ft_text_string(&x->text_b), label(w, target));
	ft_finding_act(m, f, FT_ACT_MOVE, &from, &to);
}

/* The end on an islander is the right one where both would do: it is the far one that is plugged in a row of others. */
static void misplaced_explain(struct islands *w)
{
	const struct ft_live *live = &w->m->live;

	for (uint32_t i = 0; i < w->stray_count; i++) {
		const struct ft_live_cable *cable = w->strays[i] == FT_NONE ? NULL : &live->cables[w->strays[i]];
		bool turn = cable && live->switches[cable->a].islander == FT_NONE;

		for (unsigned int n = 0; cable && cable->a != cable->b && n < 2; n++) {
			uint32_t right = turn == (n == 0) ? cable->b : cable->a, tie = short_at(w, right);

			if (tie == FT_NONE)
				continue;
			w->ties[tie].deficit--;
			misplaced_report(w, w->strays[i], right == cable->a ? cable->b : cable->a,
					 w->ties[tie].a == right ? w->ties[tie].b : w->ties[tie].a);
			w->strays[i] = FT_NONE;
			break;
		}
	}
}

/* ---- what remains ---- */

/*
 * The port of a bundle's next missing cable, at its nearer end: where the others go straight, port by port, and both
 * ports of one between them are down. FT_NONE: there is none, or no telling.
 */
static uint32_t gap_port(const struct islands *w, const struct tie *tie, uint32_t *ret_far)
{
	const struct ft_model *m = w->m;
	const struct ft_live_switch *sw = &m->live.switches[tie->a];
	const struct ft_node *near = node_of(m, tie->a), *far = node_of(m, tie->b);
	uint32_t low = UINT32_MAX, high = 0;
	int32_t shift = 0;

	for (uint32_t n = 0; n < sw->cable_count; n++) {
		const struct ft_live_cable *cable = &m->live.cables[m->live.at[sw->first_cable + n]];
		uint32_t a, b;

		if (ft_cable_far(cable, tie->a) != tie->b)
			continue;
		a = ft_port_number(m, ft_cable_port(cable, tie->a));
		b = ft_port_number(m, ft_cable_port(cable, tie->b));
		if (high > 0 && (int32_t)b - (int32_t)a != shift)
			return FT_NONE;
		shift = (int32_t)b - (int32_t)a;
		low = a < low ? a : low;
		high = a > high ? a : high;
	}
	for (uint32_t a = low; a < high; a++) {
		uint32_t here = near->first_port + a - 1, there = far->first_port + (uint32_t)((int32_t)a + shift) - 1;

		if (m->snapshot->ports[here].link != FT_LINK_DOWN || m->port_claimed[here] ||
		    m->snapshot->ports[there].link != FT_LINK_DOWN || m->port_claimed[there])
			continue;
		*ret_far = there;
		return here;
	}
	return FT_NONE;
}

/* The places of the missing cables, port by port as far as these are known, else the two switches. */
static void missing_where(struct islands *w, struct ft_finding *f, const struct tie *tie)
{
	struct ft_model *m = w->m;
	uint32_t known = 0, far = FT_NONE;
	struct ft_text *a = &w->x->text_a, *b = &w->x->text_b;

	ft_text_reset(a);
	ft_text_reset(b);
	ft_text_puts(a, label(w, tie->a));
	ft_text_puts(b, label(w, tie->b));
	while (known < tie->deficit) {
		uint32_t near = gap_port(w, tie, &far);

		if (near == FT_NONE)
			break;
		ft_text_printf(a, "%s%u",
			       known		  ? ", "
			       : tie->deficit > 1 ? " ports "
						  : " port ",
			       ft_port_number(m, near));
		ft_text_printf(b, "%s%u",
			       known		  ? ", "
			       : tie->deficit > 1 ? " ports "
						  : " port ",
			       ft_port_number(m, far));
		ft_finding_where_port(m, f, near);
		ft_finding_where_port(m, f, far);
		ft_finding_act_ports(m, f, FT_ACT_CONNECT, near, far);
		known++;
	}
	if (known == 0) {
		struct ft_place place[2] = {
			{m->live.switches[tie->a].name, m->live.switches[tie->a].guid, 0},
			{m->live.switches[tie->b].name, m->live.switches[tie->b].guid, 0},
		};

		ft_finding_where_switch(m, f, tie->a, 0);
		ft_finding_where_switch(m, f, tie->b, 0);
		for (uint32_t n = 0; n < tie->deficit; n++)
			ft_finding_act(m, f, FT_ACT_CONNECT, &place[0], &place[1]);
	}
}

static void missing_report(struct islands *w, uint32_t i)
{
	struct ft_model *m = w->m;
	const struct tie *tie = &w->ties[i];
	uint32_t width = bundle_at(w, i)->count, count = tie->deficit;
	struct ft_finding *f = island_finding(w, FT_CODE_CABLE_MISSING, FT_EVIDENCE_ABSENT);
	char cables[48];

	f->count = f->impact.links_lost = count;
	missing_where(w, f, tie);
	ft_say(m, &f->expected, "%s between %s and %s", ft_plural(width, "cable", cables), label(w, tie->a),
	       label(w, tie->b));
	ft_say(m, &f->observed, "%u of %u", width - count, width);
	if (width == 1)
		ft_say(m, &f->text, "the cable between %s and %s is missing", ft_text_string(&w->x->text_a),
		       ft_text_string(&w->x->text_b));
	else
		ft_say(m, &f->text, "%s of %u %s missing between %s and %s", ft_plural(count, "cable", cables), width,
		       count == 1 ? "is" : "are", ft_text_string(&w->x->text_a), ft_text_string(&w->x->text_b));
	ft_say(m, &f->fix, "reseat or replace the cable%s between %s and %s", count == 1 ? "" : "s",
	       ft_text_string(&w->x->text_a), ft_text_string(&w->x->text_b));
}

/* A cable to a switch of the tree that was not seen hangs under what is said of that, if anything is. */
static void missing_afar(struct islands *w, uint32_t i)
{
	struct ft_model *m = w->m;
	const struct ft_plan_island_bundle *bundle = bundle_at(w, i);
	struct ft_finding *f = cause_in_tree(m, far_name(w, i));
	char cables[48];

	if (f) {
		f->impact.links_lost += bundle->count;
		ft_finding_symptom(m, f, w->ties[i].a, 0, "%s of island switch %s to %s %s gone",
				   ft_plural(bundle->count, "cable", cables), near_name(w, i), far_name(w, i),
				   bundle->count == 1 ? "is" : "are");
		return;
	}
	if (!m->snapshot->source.complete) {
		m->island_cables.unjudged += bundle->count;
		return;
	}
	f = island_finding(w, FT_CODE_CABLE_MISSING, FT_EVIDENCE_UNREACHED);
	f->count = f->impact.links_lost = bundle->count;
	where_ports(w, f, w->ties[i].a, FT_LINK_DOWN, bundle->count);
	ft_say(m, &f->expected, "%s between %s and %s", ft_plural(bundle->count, "cable", cables), near_name(w, i),
	       far_name(w, i));
	ft_say(m, &f->observed, "no switch of the name %s", far_name(w, i));
	ft_say(m, &f->text, "%s of island switch %s to %s %s missing, and no switch of that name was seen",
	       ft_plural(bundle->count, "cable", cables), near_name(w, i), far_name(w, i),
	       bundle->count == 1 ? "is" : "are");
	ft_say(m, &f->fix, "check whether %s was renamed; else its power and its cables", far_name(w, i));
}

static void missing_explain(struct islands *w)
{
	for (uint32_t i = 0; i < w->m->plan->island_bundle_count; i++) {
		if (w->ties[i].deficit > 0)
			missing_report(w, i);
		else if (w->ties[i].a != FT_NONE && w->ties[i].b == FT_NONE && bundle_at(w, i)->anchor != FT_UNPINNED)
			missing_afar(w, i);
	}
}

static void unplanned_report(struct islands *w, uint32_t cable)
{
	struct ft_model *m = w->m;
	const struct ft_live_cable *c = &m->live.cables[cable];
	bool loop = c->a == c->b;
	struct ft_finding *f = island_finding(w, loop ? FT_CODE_LOOPBACK : FT_CODE_CABLE_UNPLANNED, FT_EVIDENCE_SEEN);
	const char *a, *b;

	ft_finding_where_cable(m, f, c);
	ft_finding_act_ports(m, f, FT_ACT_REMOVE, c->a_port, c->b_port);
	a = ft_place_text(m, c->a_port, &w->x->text_a);
	b = ft_place_text(m, c->b_port, &w->x->text_b);
	ft_say(m, &f->expected, "%s",
	       loop ? "no cable between two ports of one switch" : "no such cable of an island in the plan");
	ft_say(m, &f->observed, "%s - %s", a, b);
	if (loop)
		ft_say(m, &f->text, "island switch %s is cabled to itself: %s to %s", label(w, c->a), a, b);
	else
		ft_say(m, &f->text, "the plan has no cable between %s and %s", a, b);
	ft_say(m, &f->fix, "unplug it, or find out where it belongs by its label");
}

/* ---- switches of another name ---- */

static void replaced_explain(struct islands *w)
{
	struct ft_model *m = w->m;

	for (uint32_t i = 0; i < m->plan->islander_count; i++) {
		const char *name = m->plan->islanders[i].name;
		const struct ft_live_switch *sw;
		struct ft_finding *f;

		if (!m->islanders[i].replaced)
			continue;
		sw = &m->live.switches[m->islanders[i].live];
		f = island_finding(w, FT_CODE_SWITCH_REPLACED, FT_EVIDENCE_SEEN);
		ft_finding_where_switch(m, f, m->islanders[i].live, 0);
		ft_say(m, &f->expected, "%s", name);
		ft_say(m, &f->observed, "%s 0x%016llx", sw->name, (unsigned long long)sw->guid);
		ft_say(m, &f->text, "%s 0x%016llx stands in the place of island switch %s", sw->name,
		       (unsigned long long)sw->guid, name);
		ft_say(m, &f->fix, "if it was replaced or renamed, put its name into the design's islands");
	}
}

/* ---- */

static int islands_init(struct islands *w)
{
	const struct ft_model *m = w->m;

	w->ties = calloc(m->plan->island_bundle_count + 1UL, sizeof(*w->ties));
	w->strays = malloc((m->live.cable_count + 1UL) * sizeof(*w->strays));
	w->planned = calloc(m->live.cable_count + 1UL, sizeof(*w->planned));
	w->root = malloc((m->plan->islander_count + 1UL) * sizeof(*w->root));
	return w->ties && w->strays && w->planned && w->root ? 0 : -ENOMEM;
}

/* Was nothing of the tree seen, as the sweep began on an island that is cut off? */
static bool island_is_adrift(const struct ft_model *m)
{
	if (m->live.entry == FT_NONE || m->live.switches[m->live.entry].islander == FT_NONE)
		return false;
	for (uint32_t i = 0; i < m->live.switch_count; i++)
		if (m->live.switches[i].planned != FT_NONE)
			return false;
	return true;
}

/* Then the rest is out of sight, and nothing is said of it. */
static void island_adrift(struct islands *w)
{
	struct ft_model *m = w->m;
	const char *name = label(w, m->live.entry);
	struct ft_finding *f = island_finding(w, FT_CODE_EDGE_ISOLATED, FT_EVIDENCE_ABSENT);
	char hosts[48];

	m->cut_off = w->x->isolated_seen = true;
	f->impact.hosts_cut_off = m->live.host_count;
	ft_finding_where_switch(m, f, m->live.entry, 0);
	ft_say(m, &f->expected, "a way from %s to the tree", name);
	ft_say(m, &f->observed, "no switch of the tree was seen");
	ft_say(m, &f->text, "the sweep began on island switch %s, which has no way to the tree, with %s on its side",
	       name, ft_plural(m->live.host_count, "host", hosts));
	ft_say(m, &f->fix, "check its cables to the tree; of all that is behind them nothing can be said from here");
}

int ft_islands_explain(struct explain *x)
{
	_cleanup_(islands_release) struct islands w = {.x = x, .m = x->m};
	int r;

	if (x->m->plan->islander_count == 0)
		return 0;
	r = islands_init(&w);
	if (r < 0)
		return r;
	ties_take(&w);
	if (!x->m->cut_off && island_is_adrift(x->m))
		island_adrift(&w);
	if (x->m->cut_off) {
		x->m->island_cables.unjudged = x->m->island_cables.planned - x->m->island_cables.up;
		for (uint32_t i = 0; i < x->m->plan->islander_count; i++)
			x->m->islanders[i].status = FT_STATUS_UNREACHED;
		return 0;
	}
	strays_take(&w);
	unseen_explain(&w);
	swaps_explain(&w);
	misplaced_explain(&w);
	missing_explain(&w);
	replaced_explain(&w);
	for (uint32_t i = 0; i < w.stray_count; i++)
		if (w.strays[i] != FT_NONE)
			unplanned_report(&w, w.strays[i]);
	return 0;
}
