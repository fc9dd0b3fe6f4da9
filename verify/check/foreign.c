/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Tests whether the design is that of this fabric. Against the design of another fabric almost everything becomes a
 * finding, and none is of use. A major outage must not be mistaken for this: most of the plan is missing then too, but
 * the rest is as planned. So the test requires both: most of the plan is missing, and most of the observed fabric is
 * not planned: cables, or switches that have fewer ports than any planned one in their place.
 *
 * A star has no cables between switches: there its hosts are counted instead.
 *
 * Names say more than cables: where the design binds its switches or lists its hosts, and others stand in their stead,
 * every one of them, it is another fabric even if it is cabled alike. Switches that have lost their names, most of
 * which have that of another one, say nothing of the kind.
 *
 * Where the matching of switches without names has failed (match/assign.h), nothing can be compared either.
 */
#include "config.h"

#include <errno.h>

#include "verify/check/check.h"

/* Counts for both sides. */
struct sides {
	uint32_t switches, switches_planned; /* seen, and planned */
	uint32_t named;			     /* seen in the places of their names */
	uint32_t small;			     /* in a place for a switch with more ports, or unplanned */
	uint32_t cables, cables_planned;     /* between switches */
	uint32_t cables_common;		     /* of the plan and there */
	uint32_t cables_strange;	     /* of unplanned switches without hosts, each of which is one fault */
	uint32_t hosts_placed;		     /* seen on a switch of the plan */
	uint32_t hosts_elsewhere;	     /* seen on one that is not in it */
	uint32_t hosts_most;		     /* on one of these */
	uint32_t small_placed;		     /* seen in a place for one of more ports */
	uint32_t bound,
		bound_seen; /* switches of the plan that a list of the design names, or that have a GUID there */
	uint32_t listed, listed_seen; /* hosts likewise */
};

/* A director may lack boards, and their ports. */
static bool is_small(const struct ft_model *m, uint32_t i)
{
	const struct ft_observed_switch *sw = &m->observed.switches[i];

	if (sw->planned == FT_NONE)
		return !sw->tolerated;
	return !ft_observed_is_director(m, i) && sw->ports < m->places[sw->planned]->ports;
}

static bool is_strange(const struct ft_observed_switch *sw)
{
	return sw->planned == FT_NONE && !sw->tolerated && sw->hosts == 0;
}

static void seen_count(const struct ft_model *m, struct sides *s)
{
	const struct ft_observed_fabric *observed = &m->observed;

	for (uint32_t i = 0; i < observed->switch_count; i++) {
		s->switches += !observed->switches[i].tolerated;
		s->small += is_small(m, i);
		s->named += observed->switches[i].planned != FT_NONE && observed->switches[i].planned == m->named[i];
		if (observed->switches[i].planned != FT_NONE) {
			s->small_placed += is_small(m, i);
			s->hosts_placed += observed->switches[i].hosts;
		} else if (!observed->switches[i].tolerated) {
			s->hosts_elsewhere += observed->switches[i].hosts;
			if (observed->switches[i].hosts > s->hosts_most)
				s->hosts_most = observed->switches[i].hosts;
		}
	}
	for (uint32_t i = 0; i < observed->cable_count; i++) {
		const struct ft_observed_switch *a = &observed->switches[observed->cables[i].a];
		const struct ft_observed_switch *b = &observed->switches[observed->cables[i].b];

		s->cables += !a->tolerated && !b->tolerated;
		s->cables_strange += is_strange(a) || is_strange(b);
	}
}

static void names_count(const struct ft_model *m, struct sides *s)
{
	for (uint32_t p = 0; p < m->place_count; p++) {
		uint64_t guid = m->places[p]->guid;

		if (guid == 0 && (m->names_lost || ft_bind_of(m, p)->count == 0))
			continue;
		s->bound++;
		s->bound_seen +=
			m->observed_of[p] != FT_NONE && (guid ? ft_observed_at(m, p)->guid == guid : !m->replaced[p]);
	}
	for (uint32_t i = 0; m->port_map.fate && i < m->plan->host_count; i++) {
		s->listed++;
		s->listed_seen += m->port_map.host_of[i] != FT_NONE;
	}
}

static struct sides sides_count(const struct ft_model *m)
{
	const struct ft_report *r = m->report;
	struct sides s = {
		.switches_planned = m->plan->switch_count,
		.cables_planned = r->uplinks.planned,
		.cables_common = r->uplinks.up,
	};

	seen_count(m, &s);
	names_count(m, &s);
	return s;
}

/* True if most switches that the design binds are absent, with others in their places. */
static bool switches_are_others(const struct sides *s)
{
	enum { FEW = 4 };
	bool all_named = s->bound == s->switches_planned;

	return s->bound >= FEW && s->bound_seen == 0 && s->bound * 2 >= s->switches_planned && s->switches > 0 &&
	       (all_named || s->switches * 2 >= s->switches_planned);
}

/* Likewise for hosts. If all are off that is no sign: other hosts must be there. */
static bool hosts_are_others(const struct ft_model *m, const struct sides *s)
{
	enum { FEW = 4 };

	return s->listed >= FEW && s->listed_seen == 0 && s->listed * 2 >= m->plan->nodes &&
	       m->observed.host_count * 2UL >= m->plan->nodes;
}

/* As many switches as planned with as many hosts, cabled in another way, are a fabric that is cabled badly. */
static bool sizes_differ(const struct ft_model *m, const struct sides *s)
{
	uint32_t more = s->switches > s->switches_planned ? s->switches : s->switches_planned;
	uint32_t fewer = s->switches > s->switches_planned ? s->switches_planned : s->switches;

	/* Fewer may be off. */
	return (more - fewer) * 10 > more || m->observed.host_count * 4UL > ft_hosts_planned(m) * 5UL;
}

/*
 * Where most switches have the names of their places, few cables say nothing: the first ones of a fabric that is being
 * cabled may be wrong.
 */
static bool cables_are_others(const struct ft_model *m, const struct sides *s)
{
	enum { FEW = 4 };

	if (s->cables < FEW && s->named * 2 > s->switches)
		return false;
	return s->cables_common * 2UL < s->cables_planned &&
	       (s->small * 2UL > s->switches ||
		(s->cables_common * 2UL + s->cables_strange < s->cables && sizes_differ(m, s)));
}

/*
 * A plan without cables between switches: most of its hosts are not there, and most of what is there is not on its
 * switches, nor on one that may be the planned one.
 */
static bool star_is_other(const struct ft_model *m, const struct sides *s)
{
	uint32_t planned = ft_hosts_planned(m);

	return s->cables_planned == 0 && s->hosts_placed * 2UL < planned && s->hosts_most * 2UL < planned &&
	       (s->hosts_elsewhere * 2UL > m->observed.host_count || s->small_placed * 2UL > s->switches);
}

static bool is_foreign(const struct ft_model *m, const struct sides *s)
{
	if (s->bound_seen * 2 > s->bound || s->listed_seen * 2 > s->listed)
		return false;
	return switches_are_others(s) || hosts_are_others(m, s) || cables_are_others(m, s) || star_is_other(m, s);
}

static void foreign_tell(struct ft_model *m, const struct sides *s)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_PLAN_FOREIGN, FT_EVIDENCE_SEEN);
	struct ft_text why = {0};

	if (switches_are_others(s))
		ft_text_printf(&why, "none of the %u switches that the design names is among the %u that were seen",
			       s->bound, s->switches);
	else if (hosts_are_others(m, s))
		ft_text_printf(&why, "none of the %u hosts that the design lists is among the %u that were seen",
			       s->listed, m->observed.host_count);
	else if (star_is_other(m, s) && s->hosts_elsewhere > 0)
		ft_text_printf(&why,
			       "%u of its %u hosts are on its switches, and %u of the %u that were seen are on others",
			       s->hosts_placed, ft_hosts_planned(m), s->hosts_elsewhere, m->observed.host_count);
	else if (star_is_other(m, s))
		ft_text_printf(&why,
			       "%u of its %u hosts are there, and %u of %u switch%s ha%s fewer ports than it says",
			       s->hosts_placed, ft_hosts_planned(m), s->small_placed, s->switches,
			       ft_text_es(s->switches), s->small_placed == 1 ? "s" : "ve");
	else if (s->cables_common * 2UL < s->cables)
		ft_text_printf(
			&why,
			"of its %u cables between switches %u are there, and of the %u that are there %u are not "
			"in it",
			s->cables_planned, s->cables_common, s->cables, s->cables - s->cables_common);
	else
		ft_text_printf(
			&why,
			"of its %u cables between switches %u are there, and %u of the %u switches that are there "
			"have fewer ports than it says",
			s->cables_planned, s->cables_common, s->small, s->switches);
	ft_say(m, &f->expected, "%u switches, %u cables between them, %u hosts", s->switches_planned, s->cables_planned,
	       ft_hosts_planned(m));
	ft_say(m, &f->observed, "%u switches, %u cables between them, %u hosts", s->switches, s->cables,
	       m->observed.host_count);
	ft_say(m, &f->text, "this is the %s of another fabric: %s", m->since ? "recording" : "design",
	       ft_model_text(m, &why));
	ft_say(m, &f->fix,
	       m->since ? "give an earlier recording of this fabric"
			: "give the design of this fabric; ftplan --infer makes one of a fabric as it is");
}

/* The findings would be those of a wrong assignment. */
static void unmatched_tell(struct ft_model *m)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_SWEEP_INCOMPLETE, FT_EVIDENCE_SEEN);

	ft_say(m, &f->expected, "switches that names, GUIDs or cables tell apart");
	ft_say(m, &f->observed, "%u switches, and no way to place them that most cables agree with",
	       m->observed.switch_count);
	ft_say(m, &f->text,
	       "which switch is which planned one was not found: too few are told by a name or a GUID, and in every "
	       "way to place them that was tried many cables are not as planned");
	ft_say(m, &f->fix,
	       m->since ? "give an earlier recording of this fabric"
			: "give the switches the names of the design, or the design their GUIDs; if this may be "
			  "another network, ftplan --infer tells which");
	m->report->unmatched = true;
}

int ft_foreign_check(struct ft_model *m)
{
	struct sides s;
	bool foreign;

	if (!m->input->doubt_plan)
		return 0;
	s = sides_count(m);
	foreign = is_foreign(m, &s);
	if (!foreign && !m->match_contradicted)
		return 0;
	m->report->finding_count = 0;
	if (foreign)
		foreign_tell(m, &s);
	else
		unmatched_tell(m);
	m->report->verdict = FT_VERDICT_UNKNOWN;
	return 0;
}
