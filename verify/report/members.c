/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The members of a report, in the order of the contract. */
#include "config.h"

#include "base/cleanup.h"
#include "verify/report/members.h"

/* Without two hosts, planned or observed, the member is left out. */
static bool hops_are_known(const void *object)
{
	const struct ft_report *r = object;

	return r->hops_planned.count > 0 || r->hops_found.count > 0 || r->hops_unreachable > 0;
}

/* The loss is that of the worst edge, and may be zero. */
static bool edge_is_worst(const void *object)
{
	return ((const struct ft_finding *)object)->worst_edge != NULL;
}

static bool repair_asked(const void *object)
{
	return ((const struct ft_report *)object)->repair_asked;
}

#define OBJECT(table) .members = (table), .member_count = FT_COUNT(table)

static bool hash_is_known(const void *object)
{
	return ((const struct ft_report *)object)->plan_hash[0] != '\0';
}

static bool any_is_accepted(const void *object)
{
	return ((const struct ft_report *)object)->accepted.count > 0;
}

static const struct ft_member accepted_members[] = {
	{"count", .kind = &ft_value_count, .offset = offsetof(struct ft_report, accepted.count)},
	{"by", .kind = &ft_value_string, .offset = offsetof(struct ft_report, accepted.by)},
	{"at", .kind = &ft_value_string, .offset = offsetof(struct ft_report, accepted.at)},
};

static const struct ft_member plan_members[] = {
	{"name", .kind = &ft_value_string, .offset = offsetof(struct ft_report, plan_name)},
	{"file", .kind = &ft_value_string, .offset = offsetof(struct ft_report, plan_file)},
	{"sha256", .kind = &ft_value_sha256, .offset = offsetof(struct ft_report, plan_sha256)},
	{"hash", .kind = &ft_value_sha256, .offset = offsetof(struct ft_report, plan_hash), .optional = true,
	 .when = hash_is_known},
	{"accepted", OBJECT(accepted_members), .optional = true, .when = any_is_accepted},
};

static const struct ft_member place_members[] = {
	{"name", .kind = &ft_value_string, .offset = offsetof(struct ft_place, name)},
	{"guid", .kind = &ft_value_guid, .offset = offsetof(struct ft_place, guid)},
	{"port", .kind = &ft_value_port, .offset = offsetof(struct ft_place, port)},
	{"interface", .kind = &ft_value_interface, .offset = offsetof(struct ft_place, interface), .optional = true},
};

static const struct ft_member_list unreached_list = {
	.kind = &ft_value_string,
	.element_size = sizeof(char *),
	.length_offset = offsetof(struct ft_report, source.unreached_count),
};

static const struct ft_member source_members[] = {
	{"kind", .kind = &ft_value_source, .offset = offsetof(struct ft_report, source.live)},
	{"detail", .kind = &ft_value_string, .offset = offsetof(struct ft_report, source.detail)},
	{"entry", OBJECT(place_members), .offset = offsetof(struct ft_report, source.entry), .nullable = true},
	{"engine", .kind = &ft_value_string, .offset = offsetof(struct ft_report, source.engine), .optional = true},
	{"engine_why", .kind = &ft_value_string, .offset = offsetof(struct ft_report, source.engine_why),
	 .optional = true},
	{"mads", .kind = &ft_value_count, .offset = offsetof(struct ft_report, source.mads)},
	{"timeouts", .kind = &ft_value_count, .offset = offsetof(struct ft_report, source.timeouts)},
	{"duration_ms", .kind = &ft_value_count, .offset = offsetof(struct ft_report, source.duration_ms)},
	{"complete", .kind = &ft_value_truth, .offset = offsetof(struct ft_report, source.complete)},
	{"ethernet", .kind = &ft_value_truth, .offset = offsetof(struct ft_report, source.ethernet), .optional = true},
	{"unreached", .list = &unreached_list, .offset = offsetof(struct ft_report, source.unreached)},
};

static const struct ft_member edge_members[] = {
	{"planned", .kind = &ft_value_count, .offset = offsetof(struct ft_report, edge.planned)},
	{"found", .kind = &ft_value_count, .offset = offsetof(struct ft_report, edge.found)},
	{"ok", .kind = &ft_value_count, .offset = offsetof(struct ft_report, edge.ok)},
	{"degraded", .kind = &ft_value_count, .offset = offsetof(struct ft_report, edge.degraded)},
	{"isolated", .kind = &ft_value_count, .offset = offsetof(struct ft_report, edge.isolated)},
};

static const struct ft_member tier_members[] = {
	{"planned", .kind = &ft_value_count, .offset = offsetof(struct ft_report_tier, planned)},
	{"found", .kind = &ft_value_count, .offset = offsetof(struct ft_report_tier, found)},
	{"ok", .kind = &ft_value_count, .offset = offsetof(struct ft_report_tier, ok)},
	{"degraded", .kind = &ft_value_count, .offset = offsetof(struct ft_report_tier, degraded)},
	{"missing", .kind = &ft_value_count, .offset = offsetof(struct ft_report_tier, missing)},
};

static const struct ft_member uplinks_members[] = {
	{"planned", .kind = &ft_value_count, .offset = offsetof(struct ft_report, uplinks.planned)},
	{"up", .kind = &ft_value_count, .offset = offsetof(struct ft_report, uplinks.up)},
	{"missing", .kind = &ft_value_count, .offset = offsetof(struct ft_report, uplinks.missing)},
	{"misplaced", .kind = &ft_value_count, .offset = offsetof(struct ft_report, uplinks.misplaced)},
	{"unplanned", .kind = &ft_value_count, .offset = offsetof(struct ft_report, uplinks.unplanned)},
	{"slow", .kind = &ft_value_count, .offset = offsetof(struct ft_report, uplinks.slow)},
};

static const struct ft_member hosts_members[] = {
	{"planned", .kind = &ft_value_count, .offset = offsetof(struct ft_report, hosts.planned)},
	{"found", .kind = &ft_value_count, .offset = offsetof(struct ft_report, hosts.found)},
};

static const struct ft_member counts_members[] = {
	{"edge", OBJECT(edge_members), .line = true},
	{"spine", OBJECT(tier_members), .offset = offsetof(struct ft_report, spine), .optional = true, .line = true},
	{"core", OBJECT(tier_members), .offset = offsetof(struct ft_report, core), .line = true},
	{"islands", OBJECT(tier_members), .offset = offsetof(struct ft_report, islands), .optional = true,
	 .line = true},
	{"uplinks", OBJECT(uplinks_members), .line = true},
	{"hosts", OBJECT(hosts_members), .line = true},
};

static const struct ft_member kind_members[] = {
	{"name", .kind = &ft_value_string, .offset = offsetof(struct ft_report_kind, name)},
	{"planned", .kind = &ft_value_count, .offset = offsetof(struct ft_report_kind, planned)},
	{"found", .kind = &ft_value_count, .offset = offsetof(struct ft_report_kind, found)},
	{"ok", .kind = &ft_value_count, .offset = offsetof(struct ft_report_kind, ok)},
	{"degraded", .kind = &ft_value_count, .offset = offsetof(struct ft_report_kind, degraded)},
	{"isolated", .kind = &ft_value_count, .offset = offsetof(struct ft_report_kind, isolated)},
	{"missing", .kind = &ft_value_count, .offset = offsetof(struct ft_report_kind, missing)},
};

static const struct ft_member_list kinds_list = {
	OBJECT(kind_members),
	.element_size = sizeof(struct ft_report_kind),
	.length_offset = offsetof(struct ft_report, kind_count),
	.lines = true,
};

static bool places_are_found(const void *object)
{
	const struct ft_report *r = object;

	return r->places_found > 0;
}

static const struct ft_member places_members[] = {
	{"told", .kind = &ft_value_count, .offset = offsetof(struct ft_report, places_told)},
	{"found", .kind = &ft_value_count, .offset = offsetof(struct ft_report, places_found)},
};

static const struct ft_member clos_members[] = {
	{"planned", .kind = &ft_value_count, .offset = offsetof(struct ft_report, clos_planned)},
	{"found", .kind = &ft_value_count, .offset = offsetof(struct ft_report, clos_found)},
};

static const struct ft_member hops_members[] = {
	{"planned", .kind = &ft_value_histogram, .offset = offsetof(struct ft_report, hops_planned)},
	{"found", .kind = &ft_value_histogram, .offset = offsetof(struct ft_report, hops_found)},
	{"unreachable", .kind = &ft_value_pair_count, .offset = offsetof(struct ft_report, hops_unreachable)},
};

static const struct ft_member blocking_members[] = {
	{"planned", .kind = &ft_value_ratio, .offset = offsetof(struct ft_report, blocking_planned)},
	{"worst", .kind = &ft_value_ratio, .offset = offsetof(struct ft_report, blocking_worst)},
};

static const struct ft_member routes_members[] = {
	{"switches", .kind = &ft_value_count, .offset = offsetof(struct ft_report, routes.switches)},
	{"tables", .kind = &ft_value_count, .offset = offsetof(struct ft_report, routes.tables)},
	{"pairs", .kind = &ft_value_count, .offset = offsetof(struct ft_report, routes.pairs)},
	{"reached", .kind = &ft_value_count, .offset = offsetof(struct ft_report, routes.reached)},
	{"unreachable", .kind = &ft_value_count, .offset = offsetof(struct ft_report, routes.unreachable)},
	{"looping", .kind = &ft_value_count, .offset = offsetof(struct ft_report, routes.looping)},
	{"unknown", .kind = &ft_value_count, .offset = offsetof(struct ft_report, routes.unknown)},
	{"longest", .kind = &ft_value_count, .offset = offsetof(struct ft_report, routes.longest)},
	{"mean", .kind = &ft_value_milli, .offset = offsetof(struct ft_report, routes.mean_milli)},
	{"mads", .kind = &ft_value_count, .offset = offsetof(struct ft_report, routes.mads)},
	{"lanes_unknown", .kind = &ft_value_count, .offset = offsetof(struct ft_report, routes.lanes_unknown)},
};

static const struct ft_member switch_uplinks_members[] = {
	{"planned", .kind = &ft_value_count, .offset = offsetof(struct ft_report_switch, uplinks_planned)},
	{"up", .kind = &ft_value_count, .offset = offsetof(struct ft_report_switch, uplinks_up)},
};

static const struct ft_member switch_members[] = {
	{"name", .kind = &ft_value_string, .offset = offsetof(struct ft_report_switch, name)},
	{"guid", .kind = &ft_value_guid, .offset = offsetof(struct ft_report_switch, guid)},
	{"tier", .kind = &ft_value_tier, .offset = offsetof(struct ft_report_switch, tier)},
	{"kind", .kind = &ft_value_string_or_null, .offset = offsetof(struct ft_report_switch, kind), .optional = true},
	{"planned_as", .kind = &ft_value_string_or_null, .offset = offsetof(struct ft_report_switch, planned_as)},
	{"status", .kind = &ft_value_status, .offset = offsetof(struct ft_report_switch, status)},
	{"uplinks", OBJECT(switch_uplinks_members)},
	{"hosts", .kind = &ft_value_count, .offset = offsetof(struct ft_report_switch, hosts)},
	{"hosts_names", .kind = &ft_value_string, .offset = offsetof(struct ft_report_switch, hosts_names)},
};

static const struct ft_member_list switches_list = {
	OBJECT(switch_members),
	.element_size = sizeof(struct ft_report_switch),
	.length_offset = offsetof(struct ft_report, switch_count),
	.lines = true,
};

static const struct ft_member sm_members[] = {
	{"where", OBJECT(place_members), .offset = offsetof(struct ft_report_sm, place)},
	{"port_guid", .kind = &ft_value_guid, .offset = offsetof(struct ft_report_sm, port_guid)},
	{"state", .kind = &ft_value_sm_state, .offset = offsetof(struct ft_report_sm, state)},
	{"priority", .kind = &ft_value_count, .offset = offsetof(struct ft_report_sm, priority)},
	{"activity", .kind = &ft_value_count, .offset = offsetof(struct ft_report_sm, activity)},
};

static const struct ft_member_list sms_list = {
	OBJECT(sm_members),
	.element_size = sizeof(struct ft_report_sm),
	.length_offset = offsetof(struct ft_report, sm_count),
	.lines = true,
};

static const struct ft_member counters_members[] = {
	{"interval_ms", .kind = &ft_value_count, .offset = offsetof(struct ft_report_counters, interval_ms)},
	{"ports", .kind = &ft_value_count, .offset = offsetof(struct ft_report_counters, ports)},
	{"read", .kind = &ft_value_count, .offset = offsetof(struct ft_report_counters, read)},
	{"no_lid", .kind = &ft_value_count, .offset = offsetof(struct ft_report_counters, no_lid)},
	{"silent", .kind = &ft_value_count, .offset = offsetof(struct ft_report_counters, silent)},
	{"refused", .kind = &ft_value_count, .offset = offsetof(struct ft_report_counters, refused)},
	{"stuck", .kind = &ft_value_count, .offset = offsetof(struct ft_report_counters, stuck)},
	{"discarding", .kind = &ft_value_count, .offset = offsetof(struct ft_report_counters, discarding)},
};

static const struct ft_member_list where_list = {
	OBJECT(place_members),
	.element_size = sizeof(struct ft_place),
	.length_offset = offsetof(struct ft_finding, where_count),
};

static const struct ft_member impact_members[] = {
	{"links_lost", .kind = &ft_value_count, .offset = offsetof(struct ft_finding, impact.links_lost)},
	{"hosts_cut_off", .kind = &ft_value_count, .offset = offsetof(struct ft_finding, impact.hosts_cut_off)},
	{"hosts_at_risk", .kind = &ft_value_count, .offset = offsetof(struct ft_finding, impact.hosts_at_risk),
	 .optional = true},
	{"bisection_lost", .kind = &ft_value_fraction, .offset = offsetof(struct ft_finding, impact.bisection_lost),
	 .optional = true},
	{"throughput_lost", .kind = &ft_value_fraction, .offset = offsetof(struct ft_finding, impact.throughput_lost),
	 .optional = true},
	{"edges", .kind = &ft_value_count, .offset = offsetof(struct ft_finding, impact.edges), .optional = true},
	{"worst_edge", .kind = &ft_value_string, .offset = offsetof(struct ft_finding, worst_edge), .optional = true},
	{"edge_loss", .kind = &ft_value_fraction, .offset = offsetof(struct ft_finding, impact.edge_loss),
	 .optional = true, .when = edge_is_worst},
	{"blocking", .kind = &ft_value_ratio, .offset = offsetof(struct ft_finding, impact.blocking), .optional = true},
	{"ftree_refuses", .kind = &ft_value_truth, .offset = offsetof(struct ft_finding, impact.ftree_refuses),
	 .optional = true},
};

static const struct ft_member symptom_members[] = {
	{"text", .kind = &ft_value_string, .offset = offsetof(struct ft_symptom, text)},
	{"where", OBJECT(place_members), .offset = offsetof(struct ft_symptom, place), .optional = true,
	 .nullable = true},
};

static const struct ft_member_list symptoms_list = {
	OBJECT(symptom_members),
	.element_size = sizeof(struct ft_symptom),
	.length_offset = offsetof(struct ft_finding, symptom_count),
};

static const struct ft_member_list alternatives_list = {
	.kind = &ft_value_string,
	.element_size = sizeof(char *),
	.length_offset = offsetof(struct ft_finding, alternative_count),
};

static const struct ft_member_list hosts_list = {
	.kind = &ft_value_string,
	.element_size = sizeof(char *),
	.length_offset = offsetof(struct ft_finding, host_count),
};

static const struct ft_member returning_members[] = {
	{"up", .kind = &ft_value_count, .offset = offsetof(struct ft_finding, returning.up)},
	{"of", .kind = &ft_value_count, .offset = offsetof(struct ft_finding, returning.of)},
};

const struct ft_member ft_finding_members[] = {
	{"id", .kind = &ft_value_string, .offset = offsetof(struct ft_finding, id)},
	{"code", .kind = &ft_value_code, .offset = offsetof(struct ft_finding, code)},
	{"severity", .kind = &ft_value_severity, .offset = offsetof(struct ft_finding, severity)},
	{"evidence", .kind = &ft_value_evidence, .offset = offsetof(struct ft_finding, evidence)},
	{"where", .list = &where_list, .offset = offsetof(struct ft_finding, where), .line = true},
	{"expected", .kind = &ft_value_string, .offset = offsetof(struct ft_finding, expected), .line = true},
	{"observed", .kind = &ft_value_string, .offset = offsetof(struct ft_finding, observed)},
	{"count", .kind = &ft_value_count, .offset = offsetof(struct ft_finding, count)},
	{"text", .kind = &ft_value_string, .offset = offsetof(struct ft_finding, text), .line = true},
	{"fix", .kind = &ft_value_string, .offset = offsetof(struct ft_finding, fix), .line = true},
	{"impact", OBJECT(impact_members), .line = true},
	{"symptoms", .list = &symptoms_list, .offset = offsetof(struct ft_finding, symptoms), .line = true},
	{"alternatives", .list = &alternatives_list, .offset = offsetof(struct ft_finding, alternatives), .line = true},
	{"hosts", .list = &hosts_list, .offset = offsetof(struct ft_finding, hosts), .optional = true, .line = true},
	{"subject", OBJECT(place_members), .offset = offsetof(struct ft_finding, subject), .optional = true,
	 .line = true},
	{"returning", OBJECT(returning_members), .optional = true, .line = true},
	{"waived", .kind = &ft_value_string, .offset = offsetof(struct ft_finding, waived), .optional = true,
	 .line = true},
};

static const struct ft_member_list findings_list = {
	OBJECT(ft_finding_members),
	.element_size = sizeof(struct ft_finding),
	.length_offset = offsetof(struct ft_report, finding_count),
	.lines = true,
};

static const struct ft_member_list mends_list = {
	.kind = &ft_value_string,
	.element_size = sizeof(char *),
	.length_offset = offsetof(struct ft_repair_step, mend_count),
};

static const struct ft_member then_members[] = {
	{"verdict", .kind = &ft_value_verdict, .offset = offsetof(struct ft_repair_step, verdict)},
	{"findings", .kind = &ft_value_count, .offset = offsetof(struct ft_repair_step, findings)},
	{"uplinks_up", .kind = &ft_value_count, .offset = offsetof(struct ft_repair_step, uplinks_up)},
	{"hosts_found", .kind = &ft_value_count, .offset = offsetof(struct ft_repair_step, hosts_found)},
};

static const struct ft_member step_members[] = {
	{"do", .kind = &ft_value_act, .offset = offsetof(struct ft_repair_step, act)},
	{"place", .kind = &ft_value_string, .offset = offsetof(struct ft_repair_step, place)},
	{"rack", .kind = &ft_value_string, .offset = offsetof(struct ft_repair_step, rack), .optional = true},
	{"a", OBJECT(place_members), .offset = offsetof(struct ft_repair_step, a), .line = true},
	{"b", OBJECT(place_members), .offset = offsetof(struct ft_repair_step, b), .optional = true},
	{"text", .kind = &ft_value_string, .offset = offsetof(struct ft_repair_step, text), .line = true},
	{"mends", .list = &mends_list, .offset = offsetof(struct ft_repair_step, mends), .line = true},
	{"then", OBJECT(then_members), .optional = true, .flag = offsetof(struct ft_repair_step, predicted) + 1,
	 .line = true},
};

static const struct ft_member_list steps_list = {
	OBJECT(step_members),
	.element_size = sizeof(struct ft_repair_step),
	.length_offset = offsetof(struct ft_report, repair_count),
	.lines = true,
};

static const struct ft_member left_members[] = {
	{"id", .kind = &ft_value_string, .offset = offsetof(struct ft_repair_left, id)},
	{"text", .kind = &ft_value_string, .offset = offsetof(struct ft_repair_left, text)},
};

static const struct ft_member_list left_list = {
	OBJECT(left_members),
	.element_size = sizeof(struct ft_repair_left),
	.length_offset = offsetof(struct ft_report, left_count),
	.lines = true,
};

#define AFTER_STATE(state)                                                                                            \
	{                                                                                                             \
		{"edges_isolated", .kind = &ft_value_ratio, .offset = offsetof(struct ft_after, state.edges)},        \
			{"hosts_cut_off", .kind = &ft_value_ratio, .offset = offsetof(struct ft_after, state.hosts)}, \
			{"bisection", .kind = &ft_value_fraction,                                                     \
			 .offset = offsetof(struct ft_after, state.bisection)},                                       \
			{"blocking", .kind = &ft_value_ratio, .offset = offsetof(struct ft_after, state.blocking)},   \
			{"clos", .kind = &ft_value_ratio, .offset = offsetof(struct ft_after, state.clos),            \
			 .optional = true},                                                                           \
			{"mean_hops", .kind = &ft_value_ratio, .offset = offsetof(struct ft_after, state.mean_hops),  \
			 .optional = true},                                                                           \
			{"pairs_cut_off", .kind = &ft_value_ratio, .offset = offsetof(struct ft_after, state.pairs),  \
			 .optional = true},                                                                           \
	}

static const struct ft_member after_worst_members[] = AFTER_STATE(worst);
static const struct ft_member after_mean_members[] = AFTER_STATE(mean);

static const struct ft_member after_members[] = {
	{"kind", .kind = &ft_value_after_kind, .offset = offsetof(struct ft_after, kind)},
	{"fail", .kind = &ft_value_count, .offset = offsetof(struct ft_after, count)},
	{"of", .kind = &ft_value_count, .offset = offsetof(struct ft_after, of)},
	{"ways", .kind = &ft_value_string, .offset = offsetof(struct ft_after, ways)},
	{"looked_at", .kind = &ft_value_count, .offset = offsetof(struct ft_after, looked)},
	{"seed", .kind = &ft_value_count, .offset = offsetof(struct ft_after, seed), .optional = true,
	 .flag = offsetof(struct ft_after, drawn) + 1},
	{"exact", .kind = &ft_value_truth, .offset = offsetof(struct ft_after, exact)},
	{"hops_looked_at", .kind = &ft_value_count, .offset = offsetof(struct ft_after, hops_looked), .optional = true},
	{"worst", OBJECT(after_worst_members), .line = true},
	{"mean", OBJECT(after_mean_members), .line = true},
	{"example", .kind = &ft_value_string, .offset = offsetof(struct ft_after, example), .line = true},
};

static const struct ft_member_list after_list = {
	OBJECT(after_members),
	.element_size = sizeof(struct ft_after),
	.length_offset = offsetof(struct ft_report, after_count),
	.lines = true,
};

static const struct ft_member throughput_members[] = {
	{"planned", .kind = &ft_value_fraction, .offset = offsetof(struct ft_report, throughput.planned)},
	{"found", .kind = &ft_value_fraction, .offset = offsetof(struct ft_report, throughput.found)},
	{"gap", .kind = &ft_value_fraction, .offset = offsetof(struct ft_report, throughput.gap)},
};

static const struct ft_member workload_members[] = {
	{"name", .kind = &ft_value_string, .offset = offsetof(struct ft_report_workload, name)},
	{"hosts", .kind = &ft_value_count, .offset = offsetof(struct ft_report_workload, hosts)},
	{"hosts_left_out", .kind = &ft_value_count, .offset = offsetof(struct ft_report_workload, hosts_left_out)},
	{"planned_ns", .kind = &ft_value_pair_count, .offset = offsetof(struct ft_report_workload, planned_ns)},
	{"found_ns", .kind = &ft_value_pair_count, .offset = offsetof(struct ft_report_workload, found_ns)},
	{"ratio", .kind = &ft_value_ratio, .offset = offsetof(struct ft_report_workload, ratio)},
	{"tables_ns", .kind = &ft_value_pair_count, .offset = offsetof(struct ft_report_workload, tables_ns),
	 .optional = true, .flag = offsetof(struct ft_report_workload, by_tables) + 1},
};

static const struct ft_member_list workload_list = {
	OBJECT(workload_members),
	.element_size = sizeof(struct ft_report_workload),
	.length_offset = offsetof(struct ft_report, workload_count),
	.lines = true,
};

static const struct ft_member ftree_members[] = {
	{"refuses", .kind = &ft_value_truth, .offset = offsetof(struct ft_report, ftree_refuses)},
	{"why", .kind = &ft_value_string, .offset = offsetof(struct ft_report, ftree_why), .optional = true},
};

const struct ft_member ft_report_members[] = {
	{"plan", OBJECT(plan_members), .line = true},
	{"source", OBJECT(source_members), .line = true},
	{"time", .kind = &ft_value_time, .offset = offsetof(struct ft_report, time_s), .line = true},
	{"verdict", .kind = &ft_value_verdict, .offset = offsetof(struct ft_report, verdict), .line = true},
	{"counts", OBJECT(counts_members), .line = true},
	{"kinds", .list = &kinds_list, .offset = offsetof(struct ft_report, kinds), .optional = true, .line = true},
	{"places", OBJECT(places_members), .optional = true, .when = places_are_found, .line = true},
	{"clos", OBJECT(clos_members), .line = true},
	{"hops", OBJECT(hops_members), .optional = true, .when = hops_are_known, .line = true},
	{"blocking", OBJECT(blocking_members), .line = true},
	{"bisection", .kind = &ft_value_fraction, .offset = offsetof(struct ft_report, bisection), .line = true},
	{"routes", OBJECT(routes_members), .optional = true, .line = true},
	{"ftree", OBJECT(ftree_members), .optional = true, .flag = offsetof(struct ft_report, ftree_known) + 1,
	 .line = true},
	{"switches", .list = &switches_list, .offset = offsetof(struct ft_report, switches), .line = true},
	{"sms", .list = &sms_list, .offset = offsetof(struct ft_report, sms), .optional = true, .line = true},
	{"counters", OBJECT(counters_members), .offset = offsetof(struct ft_report, counters), .optional = true,
	 .line = true},
	{"findings", .list = &findings_list, .offset = offsetof(struct ft_report, findings), .line = true},
	{"repair", .list = &steps_list, .offset = offsetof(struct ft_report, repair), .optional = true,
	 .flag = offsetof(struct ft_report, repair_asked) + 1, .line = true},
	{"left", .list = &left_list, .offset = offsetof(struct ft_report, left), .optional = true, .when = repair_asked,
	 .line = true},
	{"after", .list = &after_list, .offset = offsetof(struct ft_report, after), .optional = true, .line = true},
	{"throughput", OBJECT(throughput_members), .optional = true,
	 .flag = offsetof(struct ft_report, throughput.measured) + 1, .line = true},
	{"workloads", .list = &workload_list, .offset = offsetof(struct ft_report, workloads), .optional = true,
	 .line = true},
};

const size_t ft_report_member_count = FT_COUNT(ft_report_members);
const size_t ft_finding_member_count = FT_COUNT(ft_finding_members);
