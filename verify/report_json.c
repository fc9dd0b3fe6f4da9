/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The report as JSON: the keys of the contract, in its order. Written by hand so that order and numbers stay exact. */
#include "config.h"

#include <inttypes.h>

#include "base/text.h"
#include "verify/report.h"

static void key(struct ft_text *t, const char *name)
{
	ft_text_printf(t, "\"%s\": ", name);
}

static void guid_write(struct ft_text *t, uint64_t guid)
{
	key(t, "guid");
	if (guid)
		ft_text_printf(t, "\"0x%016" PRIx64 "\"", guid);
	else
		ft_text_puts(t, "null");
}

static void place_write(struct ft_text *t, const struct ft_place *place)
{
	ft_text_puts(t, "{");
	ft_text_add_member(t, "name", place->name);
	ft_text_puts(t, ", ");
	guid_write(t, place->guid);
	if (place->port)
		ft_text_printf(t, ", \"port\": %u}", place->port);
	else
		ft_text_puts(t, ", \"port\": null}");
}

static void time_write(struct ft_text *t, int64_t time_s)
{
	char buffer[FT_TIME_SIZE];

	if (ft_time_string(time_s, buffer) == 0)
		ft_text_printf(t, "\"%s\"", buffer);
	else
		ft_text_puts(t, "null");
}

static void source_write(struct ft_text *t, const struct ft_report *r)
{
	ft_text_puts(t, "  \"source\": {");
	ft_text_add_member(t, "kind", r->source.live ? "live" : "file");
	ft_text_puts(t, ", ");
	ft_text_add_member(t, "detail", r->source.detail);
	ft_text_puts(t, ", \"entry\": ");
	if (r->source.entry.name)
		place_write(t, &r->source.entry);
	else
		ft_text_puts(t, "null");
	ft_text_printf(t, ", \"mads\": %u, \"timeouts\": %u, \"duration_ms\": %u, \"complete\": %s, \"unreached\": [",
		       r->source.mads, r->source.timeouts, r->source.duration_ms,
		       r->source.complete ? "true" : "false");
	for (size_t i = 0; i < r->source.unreached_count; i++) {
		ft_text_puts(t, i ? ", " : "");
		ft_text_add_json(t, r->source.unreached[i]);
	}
	ft_text_puts(t, "]},\n");
}

static void tier_write(struct ft_text *t, const char *name, const struct ft_report_tier *tier)
{
	ft_text_printf(t,
		       "    \"%s\": {\"planned\": %u, \"found\": %u, \"ok\": %u, \"degraded\": %u, \"missing\": %u},\n",
		       name, tier->planned, tier->found, tier->ok, tier->degraded, tier->missing);
}

/* Of a plan without tiers. */
static void kinds_write(struct ft_text *t, const struct ft_report *r)
{
	if (r->kind_count == 0)
		return;
	ft_text_puts(t, "  \"kinds\": [");
	for (size_t i = 0; i < r->kind_count; i++) {
		const struct ft_report_kind *kind = &r->kinds[i];

		ft_text_puts(t, i ? ",\n    {" : "\n    {");
		ft_text_add_member(t, "name", kind->name);
		ft_text_printf(t,
			       ", \"planned\": %u, \"found\": %u, \"ok\": %u, \"degraded\": %u, \"isolated\": %u, "
			       "\"missing\": %u}",
			       kind->planned, kind->found, kind->ok, kind->degraded, kind->isolated, kind->missing);
	}
	ft_text_puts(t, "\n  ],\n");
}

static void counts_write(struct ft_text *t, const struct ft_report *r)
{
	ft_text_printf(
		t,
		"  \"counts\": {\n"
		"    \"edge\": {\"planned\": %u, \"found\": %u, \"ok\": %u, \"degraded\": %u, \"isolated\": %u},\n",
		r->edge.planned, r->edge.found, r->edge.ok, r->edge.degraded, r->edge.isolated);
	if (r->spine.planned)
		tier_write(t, "spine", &r->spine);
	tier_write(t, "core", &r->core);
	if (r->islands.planned)
		tier_write(t, "islands", &r->islands);
	ft_text_printf(t,
		       "    \"uplinks\": {\"planned\": %u, \"up\": %u, \"missing\": %u, \"misplaced\": %u, "
		       "\"unplanned\": %u, \"slow\": %u},\n"
		       "    \"hosts\": {\"planned\": %u, \"found\": %u}\n"
		       "  },\n",
		       r->uplinks.planned, r->uplinks.up, r->uplinks.missing, r->uplinks.misplaced,
		       r->uplinks.unplanned, r->uplinks.slow, r->hosts.planned, r->hosts.found);
}

static void ratio_member(struct ft_text *t, const char *name, struct ft_ratio ratio)
{
	key(t, name);
	ft_ratio_add_json(t, ratio);
}

static void histogram_write(struct ft_text *t, const char *name, const struct ft_histogram *histogram)
{
	ft_text_printf(t, "\"%s\": {", name);
	for (size_t i = 0; i < histogram->count; i++)
		ft_text_printf(t, "%s\"%u\": %" PRIu64, i ? ", " : "", histogram->pairs[i].chips,
			       histogram->pairs[i].pairs);
	ft_text_puts(t, "}");
}

/* Where there are no two hosts, planned or found, there is nothing to say. */
static void hops_write(struct ft_text *t, const struct ft_report *r)
{
	if (r->hops_planned.count == 0 && r->hops_found.count == 0 && r->hops_unreachable == 0)
		return;
	ft_text_puts(t, "  \"hops\": {");
	histogram_write(t, "planned", &r->hops_planned);
	ft_text_puts(t, ", ");
	histogram_write(t, "found", &r->hops_found);
	ft_text_printf(t, ", \"unreachable\": %" PRIu64 "},\n", r->hops_unreachable);
}

/* A fraction is a number whatever its digits: it is no count that must be exact. */
static void fraction_member(struct ft_text *t, const char *name, struct ft_ratio ratio)
{
	int64_t millionths = ratio.den > 0 ? ratio.num * 1000000 / ratio.den : 0;

	key(t, name);
	ft_text_printf(t, "%" PRId64 ".%06" PRId64, millionths / 1000000, millionths % 1000000);
}

static void routes_write(struct ft_text *t, const struct ft_report *r)
{
	if (r->routes.switches == 0)
		return;
	ft_text_printf(t,
		       "  \"routes\": {\"switches\": %u, \"tables\": %u, \"pairs\": %u, \"reached\": %u, "
		       "\"unreachable\": %u, \"looping\": %u, \"unknown\": %u, \"longest\": %u, "
		       "\"mean\": %u.%03u, \"mads\": %u},\n",
		       r->routes.switches, r->routes.tables, r->routes.pairs, r->routes.reached, r->routes.unreachable,
		       r->routes.looping, r->routes.unknown, r->routes.longest, r->routes.mean_milli / 1000,
		       r->routes.mean_milli % 1000, r->routes.mads);
}

static void switches_write(struct ft_text *t, const struct ft_report *r)
{
	ft_text_puts(t, "  \"switches\": [");
	for (size_t i = 0; i < r->switch_count; i++) {
		const struct ft_report_switch *sw = &r->switches[i];

		ft_text_puts(t, i ? ",\n    {" : "\n    {");
		ft_text_add_member(t, "name", sw->name);
		ft_text_puts(t, ", ");
		guid_write(t, sw->guid);
		ft_text_puts(t, ", ");
		ft_text_add_member(t, "tier", sw->tier);
		ft_text_puts(t, ", ");
		if (r->kind_count > 0) {
			ft_text_add_member(t, "kind", sw->kind);
			ft_text_puts(t, ", ");
		}
		ft_text_add_member(t, "planned_as", sw->planned_as);
		ft_text_puts(t, ", ");
		ft_text_add_member(t, "status", ft_status_name(sw->status));
		ft_text_printf(t, ", \"uplinks\": {\"planned\": %u, \"up\": %u}, \"hosts\": %u, ", sw->uplinks_planned,
			       sw->uplinks_up, sw->hosts);
		ft_text_add_member(t, "hosts_names", sw->hosts_names);
		ft_text_puts(t, "}");
	}
	ft_text_puts(t, r->switch_count ? "\n  ],\n" : "],\n");
}

static void sms_write(struct ft_text *t, const struct ft_report *r)
{
	ft_text_puts(t, "  \"sms\": [");
	for (size_t i = 0; i < r->sm_count; i++) {
		const struct ft_report_sm *sm = &r->sms[i];

		ft_text_puts(t, i ? ",\n    {\"where\": " : "\n    {\"where\": ");
		place_write(t, &sm->place);
		if (sm->port_guid)
			ft_text_printf(t, ", \"port_guid\": \"0x%016" PRIx64 "\", ", sm->port_guid);
		else
			ft_text_puts(t, ", \"port_guid\": null, ");
		ft_text_add_member(t, "state", sm->state);
		ft_text_printf(t, ", \"priority\": %u, \"activity\": %u}", sm->priority, sm->activity);
	}
	ft_text_puts(t, r->sm_count ? "\n  ],\n" : "],\n");
}

static void counters_write(struct ft_text *t, const struct ft_report_counters *c)
{
	ft_text_printf(t,
		       "  \"counters\": {\"interval_ms\": %u, \"ports\": %u, \"read\": %u, \"no_lid\": %u, "
		       "\"silent\": %u, \"refused\": %u, \"stuck\": %u, \"discarding\": %u},\n",
		       c->interval_ms, c->ports, c->read, c->no_lid, c->silent, c->refused, c->stuck, c->discarding);
}

/* What is as planned is left out. */
static void impact_write(struct ft_text *t, const struct ft_finding *f)
{
	const struct ft_impact *impact = &f->impact;

	ft_text_printf(t, "\"impact\": {\"links_lost\": %u, \"hosts_cut_off\": %u", impact->links_lost,
		       impact->hosts_cut_off);
	if (impact->hosts_at_risk)
		ft_text_printf(t, ", \"hosts_at_risk\": %u", impact->hosts_at_risk);
	if (impact->bisection_lost.num > 0) {
		ft_text_puts(t, ", ");
		fraction_member(t, "bisection_lost", impact->bisection_lost);
	}
	if (impact->edges)
		ft_text_printf(t, ", \"edges\": %u", impact->edges);
	if (f->worst_edge) {
		ft_text_puts(t, ", ");
		ft_text_add_member(t, "worst_edge", f->worst_edge);
		ft_text_puts(t, ", ");
		fraction_member(t, "edge_loss", impact->edge_loss);
	}
	if (impact->blocking.den > 0) {
		ft_text_puts(t, ", ");
		ratio_member(t, "blocking", impact->blocking);
	}
	ft_text_printf(t, "%s}", impact->ftree_refuses ? ", \"ftree_refuses\": true" : "");
}

/* @gap stands between groups of members: a blank, or the beginning of the next line of a report. */
static void finding_write(struct ft_text *t, const struct ft_finding *f, const char *gap)
{
	ft_text_puts(t, "{");
	ft_text_add_member(t, "id", f->id);
	ft_text_puts(t, ", ");
	ft_text_add_member(t, "code", ft_codes[f->code].name);
	ft_text_puts(t, ", ");
	ft_text_add_member(t, "severity", ft_severity_name(f->severity));
	ft_text_puts(t, ", ");
	ft_text_add_member(t, "evidence", ft_evidence_name(f->evidence));
	ft_text_printf(t, ",%s\"where\": [", gap);
	for (size_t i = 0; i < f->where_count; i++) {
		ft_text_puts(t, i ? ", " : "");
		place_write(t, &f->where[i]);
	}
	ft_text_printf(t, "],%s", gap);
	ft_text_add_member(t, "expected", f->expected);
	ft_text_puts(t, ", ");
	ft_text_add_member(t, "observed", f->observed);
	ft_text_printf(t, ", \"count\": %u,%s", f->count, gap);
	ft_text_add_member(t, "text", f->text);
	ft_text_printf(t, ",%s", gap);
	ft_text_add_member(t, "fix", f->fix);
	ft_text_printf(t, ",%s", gap);
	impact_write(t, f);
	ft_text_printf(t, ",%s\"symptoms\": [", gap);
	for (size_t i = 0; i < f->symptom_count; i++) {
		ft_text_puts(t, i ? ", {" : "{");
		ft_text_add_member(t, "text", f->symptoms[i].text);
		ft_text_puts(t, ", \"where\": ");
		if (f->symptoms[i].place.name)
			place_write(t, &f->symptoms[i].place);
		else
			ft_text_puts(t, "null");
		ft_text_puts(t, "}");
	}
	ft_text_printf(t, "],%s\"alternatives\": [", gap);
	for (size_t i = 0; i < f->alternative_count; i++) {
		ft_text_puts(t, i ? ", " : "");
		ft_text_add_json(t, f->alternatives[i]);
	}
	ft_text_puts(t, "]");
	if (f->subject.name) {
		ft_text_printf(t, ",%s\"subject\": ", gap);
		place_write(t, &f->subject);
	}
	if (f->returning.of)
		ft_text_printf(t, ",%s\"returning\": {\"up\": %u, \"of\": %u}", gap, f->returning.up, f->returning.of);
	if (f->waived) {
		ft_text_printf(t, ",%s", gap);
		ft_text_add_member(t, "waived", f->waived);
	}
	ft_text_puts(t, "}");
}

void ft_finding_write_json(struct ft_text *t, const struct ft_finding *f)
{
	finding_write(t, f, " ");
}

static void step_write(struct ft_text *t, const struct ft_repair_step *step)
{
	ft_text_puts(t, "{");
	ft_text_add_member(t, "do", ft_act_name(step->act));
	ft_text_puts(t, ", ");
	ft_text_add_member(t, "place", step->place);
	if (step->rack) {
		ft_text_puts(t, ", ");
		ft_text_add_member(t, "rack", step->rack);
	}
	ft_text_puts(t, ",\n     \"a\": ");
	place_write(t, &step->a);
	if (step->b.name) {
		ft_text_puts(t, ", \"b\": ");
		place_write(t, &step->b);
	}
	ft_text_puts(t, ",\n     ");
	ft_text_add_member(t, "text", step->text);
	ft_text_puts(t, ",\n     \"mends\": [");
	for (size_t i = 0; i < step->mend_count; i++) {
		ft_text_puts(t, i ? ", " : "");
		ft_text_add_json(t, step->mends[i]);
	}
	ft_text_puts(t, "]");
	if (step->predicted)
		ft_text_printf(t,
			       ",\n     \"then\": {\"verdict\": \"%s\", \"findings\": %u, \"uplinks_up\": %u, "
			       "\"hosts_found\": %u}",
			       ft_verdict_name(step->verdict), step->findings, step->uplinks_up, step->hosts_found);
	ft_text_puts(t, "}");
}

static void repair_write(struct ft_text *t, const struct ft_report *r)
{
	ft_text_puts(t, ",\n  \"repair\": [");
	for (size_t i = 0; i < r->repair_count; i++) {
		ft_text_puts(t, i ? ",\n    " : "\n    ");
		step_write(t, &r->repair[i]);
	}
	ft_text_printf(t, "%s],\n  \"left\": [", r->repair_count ? "\n  " : "");
	for (size_t i = 0; i < r->left_count; i++) {
		ft_text_puts(t, i ? ",\n    {" : "\n    {");
		ft_text_add_member(t, "id", r->left[i].id);
		ft_text_puts(t, ", ");
		ft_text_add_member(t, "text", r->left[i].text);
		ft_text_puts(t, "}");
	}
	ft_text_puts(t, r->left_count ? "\n  ]" : "]");
}

static void after_state_write(struct ft_text *t, const char *name, const struct ft_after_state *state)
{
	key(t, name);
	ft_text_puts(t, "{");
	ratio_member(t, "edges_isolated", state->edges);
	ft_text_puts(t, ", ");
	ratio_member(t, "hosts_cut_off", state->hosts);
	ft_text_puts(t, ", ");
	fraction_member(t, "bisection", state->bisection);
	ft_text_puts(t, ", ");
	ratio_member(t, "blocking", state->blocking);
	ft_text_puts(t, "}");
}

static void after_write(struct ft_text *t, const struct ft_report *r)
{
	ft_text_puts(t, ",\n  \"after\": [");
	for (size_t i = 0; i < r->after_count; i++) {
		const struct ft_after *after = &r->after[i];

		ft_text_puts(t, i ? ",\n    {" : "\n    {");
		ft_text_add_member(t, "kind", ft_after_name(after->kind));
		ft_text_printf(t, ", \"fail\": %u, \"of\": %u, ", after->count, after->of);
		ft_text_add_member(t, "ways", after->ways);
		ft_text_printf(t, ", \"looked_at\": %u, ", after->looked);
		if (after->drawn)
			ft_text_printf(t, "\"seed\": %u, ", after->seed);
		ft_text_printf(t, "\"exact\": %s,\n     ", after->exact ? "true" : "false");
		after_state_write(t, "worst", &after->worst);
		ft_text_puts(t, ",\n     ");
		after_state_write(t, "mean", &after->mean);
		ft_text_puts(t, ",\n     ");
		ft_text_add_member(t, "example", after->example);
		ft_text_puts(t, "}");
	}
	ft_text_puts(t, "\n  ]");
}

void ft_report_write_json(struct ft_text *t, const struct ft_report *r)
{
	ft_text_puts(t, "{\n  \"ftcheck_report\": 1,\n  \"plan\": {");
	ft_text_add_member(t, "name", r->plan_name);
	ft_text_puts(t, ", ");
	ft_text_add_member(t, "file", r->plan_file);
	ft_text_puts(t, ", ");
	ft_text_add_member(t, "sha256", r->plan_sha256);
	ft_text_puts(t, "},\n");
	source_write(t, r);
	ft_text_puts(t, "  \"time\": ");
	time_write(t, r->time_s);
	ft_text_puts(t, ",\n  ");
	ft_text_add_member(t, "verdict", ft_verdict_name(r->verdict));
	ft_text_puts(t, ",\n");
	counts_write(t, r);
	kinds_write(t, r);
	ft_text_printf(t, "  \"clos\": {\"planned\": %u, \"found\": %u},\n", r->clos_planned, r->clos_found);
	hops_write(t, r);
	ft_text_puts(t, "  \"blocking\": {");
	ratio_member(t, "planned", r->blocking_planned);
	ft_text_puts(t, ", ");
	ratio_member(t, "worst", r->blocking_worst);
	ft_text_puts(t, "},\n  ");
	fraction_member(t, "bisection", r->bisection);
	ft_text_puts(t, ",\n");
	routes_write(t, r);
	if (r->ftree_known) {
		ft_text_printf(t, "  \"ftree\": {\"refuses\": %s", r->ftree_refuses ? "true" : "false");
		if (r->ftree_why) {
			ft_text_puts(t, ", ");
			ft_text_add_member(t, "why", r->ftree_why);
		}
		ft_text_puts(t, "},\n");
	}
	switches_write(t, r);
	if (r->sms)
		sms_write(t, r);
	if (r->counters.interval_ms)
		counters_write(t, &r->counters);
	ft_text_puts(t, "  \"findings\": [");
	for (size_t i = 0; i < r->finding_count; i++) {
		ft_text_puts(t, i ? ",\n    " : "\n    ");
		finding_write(t, &r->findings[i], "\n     ");
	}
	ft_text_puts(t, r->finding_count ? "\n  ]" : "]");
	if (r->repair_asked)
		repair_write(t, r);
	if (r->after_count > 0)
		after_write(t, r);
	ft_text_puts(t, "\n}\n");
}
