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

static const struct ft_member accepted_members[] = {
	{"count", FT_VALUE(count, ft_report, accepted.count)},
	{"by", FT_VALUE(string, ft_report, accepted.by)},
	{"at", FT_VALUE(string, ft_report, accepted.at)},
};

static const struct ft_member plan_members[] = {
	{"name", FT_VALUE(string, ft_report, plan_name)},
	{"file", FT_VALUE(string, ft_report, plan_file)},
	{"sha256", FT_VALUE(sha256, ft_report, plan_sha256)},
	{"hash", FT_VALUE(sha256, ft_report, plan_hash), .optional = true},
	{"accepted", FT_OBJECT(accepted_members), .optional = true},
};

static const struct ft_member place_members[] = {
	{"name", FT_VALUE(string, ft_place, name)},
	{"guid", FT_VALUE(guid, ft_place, guid)},
	{"port", FT_VALUE(port, ft_place, port)},
	{"interface", FT_VALUE(interface, ft_place, interface), .optional = true},
};

static const struct ft_member source_members[] = {
	{"kind", FT_VALUE(source, ft_report, source.live)},
	{"detail", FT_VALUE(string, ft_report, source.detail)},
	{"entry", FT_OBJECT(place_members), FT_AT(ft_report, source.entry), .nullable = true},
	{"engine", FT_VALUE(string, ft_report, source.engine), .optional = true},
	{"engine_why", FT_VALUE(string, ft_report, source.engine_why), .optional = true},
	{"mads", FT_VALUE(count, ft_report, source.mads)},
	{"timeouts", FT_VALUE(count, ft_report, source.timeouts)},
	{"duration_ms", FT_VALUE(count, ft_report, source.duration_ms)},
	{"complete", FT_VALUE(truth, ft_report, source.complete)},
	{"ethernet", FT_VALUE(truth, ft_report, source.ethernet), .optional = true},
	{"unreached", .kind = &ft_value_string, FT_ROWS(ft_report, source.unreached, source.unreached_count)},
};

static const struct ft_member edge_members[] = {
	{"planned", FT_VALUE(count, ft_report, edge.planned)},
	{"found", FT_VALUE(count, ft_report, edge.found)},
	{"ok", FT_VALUE(count, ft_report, edge.ok)},
	{"degraded", FT_VALUE(count, ft_report, edge.degraded)},
	{"isolated", FT_VALUE(count, ft_report, edge.isolated)},
};

static const struct ft_member tier_members[] = {
	{"planned", FT_VALUE(count, ft_report_tier, planned)}, {"found", FT_VALUE(count, ft_report_tier, found)},
	{"ok", FT_VALUE(count, ft_report_tier, ok)},	       {"degraded", FT_VALUE(count, ft_report_tier, degraded)},
	{"missing", FT_VALUE(count, ft_report_tier, missing)},
};

static const struct ft_member uplinks_members[] = {
	{"planned", FT_VALUE(count, ft_report, uplinks.planned)},
	{"up", FT_VALUE(count, ft_report, uplinks.up)},
	{"missing", FT_VALUE(count, ft_report, uplinks.missing)},
	{"misplaced", FT_VALUE(count, ft_report, uplinks.misplaced)},
	{"unplanned", FT_VALUE(count, ft_report, uplinks.unplanned)},
	{"slow", FT_VALUE(count, ft_report, uplinks.slow)},
};

static const struct ft_member hosts_members[] = {
	{"planned", FT_VALUE(count, ft_report, hosts.planned)},
	{"found", FT_VALUE(count, ft_report, hosts.found)},
};

static const struct ft_member counts_members[] = {
	{"edge", FT_OBJECT(edge_members), .line = true},
	{"spine", FT_OBJECT(tier_members), FT_AT(ft_report, spine), .optional = true, .line = true},
	{"core", FT_OBJECT(tier_members), FT_AT(ft_report, core), .line = true},
	{"islands", FT_OBJECT(tier_members), FT_AT(ft_report, islands), .optional = true, .line = true},
	{"uplinks", FT_OBJECT(uplinks_members), .line = true},
	{"hosts", FT_OBJECT(hosts_members), .line = true},
};

static const struct ft_member kind_members[] = {
	{"name", FT_VALUE(string, ft_report_kind, name)},
	{"planned", FT_VALUE(count, ft_report_kind, planned)},
	{"found", FT_VALUE(count, ft_report_kind, found)},
	{"ok", FT_VALUE(count, ft_report_kind, ok)},
	{"degraded", FT_VALUE(count, ft_report_kind, degraded)},
	{"isolated", FT_VALUE(count, ft_report_kind, isolated)},
	{"missing", FT_VALUE(count, ft_report_kind, missing)},
};

static bool places_are_found(const void *object)
{
	const struct ft_report *r = object;

	return r->places_found > 0;
}

static const struct ft_member places_members[] = {
	{"told", FT_VALUE(count, ft_report, places_told)},
	{"found", FT_VALUE(count, ft_report, places_found)},
};

static const struct ft_member clos_members[] = {
	{"planned", FT_VALUE(count, ft_report, clos_planned)},
	{"found", FT_VALUE(count, ft_report, clos_found)},
};

static const struct ft_member hops_members[] = {
	{"planned", FT_VALUE(histogram, ft_report, hops_planned)},
	{"found", FT_VALUE(histogram, ft_report, hops_found)},
	{"unreachable", FT_VALUE(pair_count, ft_report, hops_unreachable)},
};

static const struct ft_member blocking_members[] = {
	{"planned", FT_VALUE(ratio, ft_report, blocking_planned)},
	{"worst", FT_VALUE(ratio, ft_report, blocking_worst)},
};

static const struct ft_member routes_members[] = {
	{"switches", FT_VALUE(count, ft_report, routes.switches)},
	{"tables", FT_VALUE(count, ft_report, routes.tables)},
	{"pairs", FT_VALUE(count, ft_report, routes.pairs)},
	{"reached", FT_VALUE(count, ft_report, routes.reached)},
	{"unreachable", FT_VALUE(count, ft_report, routes.unreachable)},
	{"looping", FT_VALUE(count, ft_report, routes.looping)},
	{"unknown", FT_VALUE(count, ft_report, routes.unknown)},
	{"longest", FT_VALUE(count, ft_report, routes.longest)},
	{"mean", FT_VALUE(milli, ft_report, routes.mean_milli)},
	{"mads", FT_VALUE(count, ft_report, routes.mads)},
	{"lanes_unknown", FT_VALUE(count, ft_report, routes.lanes_unknown)},
};

static const struct ft_member switch_uplinks_members[] = {
	{"planned", FT_VALUE(count, ft_report_switch, uplinks_planned)},
	{"up", FT_VALUE(count, ft_report_switch, uplinks_up)},
};

static const struct ft_member switch_members[] = {
	{"name", FT_VALUE(string, ft_report_switch, name)},
	{"guid", FT_VALUE(guid, ft_report_switch, guid)},
	{"tier", FT_VALUE(tier, ft_report_switch, tier)},
	{"kind", FT_VALUE(string_or_null, ft_report_switch, kind), .optional = true},
	{"planned_as", FT_VALUE(string_or_null, ft_report_switch, planned_as)},
	{"status", FT_VALUE(status, ft_report_switch, status)},
	{"uplinks", FT_OBJECT(switch_uplinks_members)},
	{"hosts", FT_VALUE(count, ft_report_switch, hosts)},
	{"hosts_names", FT_VALUE(string, ft_report_switch, hosts_names)},
};

static const struct ft_member sm_members[] = {
	{"where", FT_OBJECT(place_members), FT_AT(ft_report_sm, place)},
	{"port_guid", FT_VALUE(guid, ft_report_sm, port_guid)},
	{"state", FT_VALUE(sm_state, ft_report_sm, state)},
	{"priority", FT_VALUE(count, ft_report_sm, priority)},
	{"activity", FT_VALUE(count, ft_report_sm, activity)},
};

static const struct ft_member counters_members[] = {
	{"interval_ms", FT_VALUE(count, ft_report_counters, interval_ms)},
	{"ports", FT_VALUE(count, ft_report_counters, ports)},
	{"read", FT_VALUE(count, ft_report_counters, read)},
	{"no_lid", FT_VALUE(count, ft_report_counters, no_lid)},
	{"silent", FT_VALUE(count, ft_report_counters, silent)},
	{"refused", FT_VALUE(count, ft_report_counters, refused)},
	{"stuck", FT_VALUE(count, ft_report_counters, stuck)},
	{"discarding", FT_VALUE(count, ft_report_counters, discarding)},
};

static const struct ft_member impact_members[] = {
	{"links_lost", FT_VALUE(count, ft_finding, impact.links_lost)},
	{"hosts_cut_off", FT_VALUE(count, ft_finding, impact.hosts_cut_off)},
	{"hosts_at_risk", FT_VALUE(count, ft_finding, impact.hosts_at_risk), .optional = true},
	{"bisection_lost", FT_VALUE(fraction, ft_finding, impact.bisection_lost), .optional = true},
	{"throughput_lost", FT_VALUE(fraction, ft_finding, impact.throughput_lost), .optional = true},
	{"edges", FT_VALUE(count, ft_finding, impact.edges), .optional = true},
	{"worst_edge", FT_VALUE(string, ft_finding, worst_edge), .optional = true},
	{"edge_loss", FT_VALUE(fraction, ft_finding, impact.edge_loss), .optional = true, .when = edge_is_worst},
	{"blocking", FT_VALUE(ratio, ft_finding, impact.blocking), .optional = true},
	{"ftree_refuses", FT_VALUE(truth, ft_finding, impact.ftree_refuses), .optional = true},
};

static const struct ft_member symptom_members[] = {
	{"text", FT_VALUE(string, ft_symptom, text)},
	{"where", FT_OBJECT(place_members), FT_AT(ft_symptom, place), .optional = true, .nullable = true},
};

static const struct ft_member returning_members[] = {
	{"up", FT_VALUE(count, ft_finding, returning.up)},
	{"of", FT_VALUE(count, ft_finding, returning.of)},
};

const struct ft_member ft_finding_members[] = {
	{"id", FT_VALUE(string, ft_finding, id)},
	{"code", FT_VALUE(code, ft_finding, code)},
	{"severity", FT_VALUE(severity, ft_finding, severity)},
	{"evidence", FT_VALUE(evidence, ft_finding, evidence)},
	{"where", FT_OBJECT(place_members), FT_ROWS(ft_finding, where, where_count), .line = true},
	{"expected", FT_VALUE(string, ft_finding, expected), .line = true},
	{"observed", FT_VALUE(string, ft_finding, observed)},
	{"count", FT_VALUE(count, ft_finding, count)},
	{"text", FT_VALUE(string, ft_finding, text), .line = true},
	{"fix", FT_VALUE(string, ft_finding, fix), .line = true},
	{"impact", FT_OBJECT(impact_members), .line = true},
	{"symptoms", FT_OBJECT(symptom_members), FT_ROWS(ft_finding, symptoms, symptom_count), .line = true},
	{"alternatives", .kind = &ft_value_string, FT_ROWS(ft_finding, alternatives, alternative_count), .line = true},
	{"hosts", .kind = &ft_value_string, FT_ROWS(ft_finding, hosts, host_count), .optional = true, .line = true},
	{"subject", FT_OBJECT(place_members), FT_AT(ft_finding, subject), .optional = true, .line = true},
	{"unseen", FT_OBJECT(place_members), FT_ROWS(ft_finding, unseen, unseen_count), .optional = true, .line = true},
	{"returning", FT_OBJECT(returning_members), .optional = true, .line = true},
	{"waived", FT_VALUE(string, ft_finding, waived), .optional = true, .line = true},
};

static const struct ft_member then_members[] = {
	{"verdict", FT_VALUE(verdict, ft_repair_step, verdict)},
	{"findings", FT_VALUE(count, ft_repair_step, findings)},
	{"uplinks_up", FT_VALUE(count, ft_repair_step, uplinks_up)},
	{"hosts_found", FT_VALUE(count, ft_repair_step, hosts_found)},
};

static const struct ft_member step_members[] = {
	{"do", FT_VALUE(act, ft_repair_step, act)},
	{"place", FT_VALUE(string, ft_repair_step, place)},
	{"rack", FT_VALUE(string, ft_repair_step, rack), .optional = true},
	{"a", FT_OBJECT(place_members), FT_AT(ft_repair_step, a), .line = true},
	{"b", FT_OBJECT(place_members), FT_AT(ft_repair_step, b), .optional = true},
	{"text", FT_VALUE(string, ft_repair_step, text), .line = true},
	{"mends", .kind = &ft_value_string, FT_ROWS(ft_repair_step, mends, mend_count), .line = true},
	{"then", FT_OBJECT(then_members), .optional = true, FT_FLAG(ft_repair_step, predicted), .line = true},
};

static const struct ft_member left_members[] = {
	{"id", FT_VALUE(string, ft_repair_left, id)},
	{"text", FT_VALUE(string, ft_repair_left, text)},
};

static const struct ft_member after_state_members[] = {
	{"edges_isolated", FT_VALUE(ratio, ft_after_state, edges)},
	{"hosts_cut_off", FT_VALUE(ratio, ft_after_state, hosts)},
	{"bisection", FT_VALUE(fraction, ft_after_state, bisection)},
	{"blocking", FT_VALUE(ratio, ft_after_state, blocking)},
	{"clos", FT_VALUE(ratio, ft_after_state, clos), .optional = true},
	{"mean_hops", FT_VALUE(ratio, ft_after_state, mean_hops), .optional = true},
	{"pairs_cut_off", FT_VALUE(ratio, ft_after_state, pairs), .optional = true},
};

static const struct ft_member after_members[] = {
	{"kind", FT_VALUE(after, ft_after, kind)},
	{"fail", FT_VALUE(count, ft_after, count)},
	{"of", FT_VALUE(count, ft_after, of)},
	{"ways", FT_VALUE(string, ft_after, ways)},
	{"looked_at", FT_VALUE(count, ft_after, looked)},
	{"seed", FT_VALUE(count, ft_after, seed), .optional = true, FT_FLAG(ft_after, drawn)},
	{"exact", FT_VALUE(truth, ft_after, exact)},
	{"hops_looked_at", FT_VALUE(count, ft_after, hops_looked), .optional = true},
	{"worst", FT_OBJECT(after_state_members), FT_AT(ft_after, worst), .line = true},
	{"mean", FT_OBJECT(after_state_members), FT_AT(ft_after, mean), .line = true},
	{"example", FT_VALUE(string, ft_after, example), .line = true},
};

static const struct ft_member throughput_members[] = {
	{"planned", FT_VALUE(fraction, ft_report, throughput.planned)},
	{"found", FT_VALUE(fraction, ft_report, throughput.found)},
	{"gap", FT_VALUE(fraction, ft_report, throughput.gap)},
};

static const struct ft_member workload_members[] = {
	{"name", FT_VALUE(string, ft_report_workload, name)},
	{"hosts", FT_VALUE(count, ft_report_workload, hosts)},
	{"hosts_left_out", FT_VALUE(count, ft_report_workload, hosts_left_out)},
	{"planned_ns", FT_VALUE(pair_count, ft_report_workload, planned_ns)},
	{"found_ns", FT_VALUE(pair_count, ft_report_workload, found_ns)},
	{"ratio", FT_VALUE(ratio, ft_report_workload, ratio)},
	{"tables_ns", FT_VALUE(pair_count, ft_report_workload, tables_ns), .optional = true,
	 FT_FLAG(ft_report_workload, by_tables)},
};

static const struct ft_member ftree_members[] = {
	{"refuses", FT_VALUE(truth, ft_report, ftree_refuses)},
	{"why", FT_VALUE(string, ft_report, ftree_why), .optional = true},
};

const struct ft_member ft_report_members[] = {
	{"plan", FT_OBJECT(plan_members), .line = true},
	{"source", FT_OBJECT(source_members), .line = true},
	{"time", FT_VALUE(time, ft_report, time_s), .line = true},
	{"verdict", FT_VALUE(verdict, ft_report, verdict), .line = true},
	{"counts", FT_OBJECT(counts_members), .line = true},
	{"kinds", FT_OBJECT(kind_members), FT_ROWS(ft_report, kinds, kind_count), .rows = true, .optional = true,
	 .line = true},
	{"places", FT_OBJECT(places_members), .optional = true, .when = places_are_found, .line = true},
	{"clos", FT_OBJECT(clos_members), .line = true},
	{"hops", FT_OBJECT(hops_members), .optional = true, .when = hops_are_known, .line = true},
	{"blocking", FT_OBJECT(blocking_members), .line = true},
	{"bisection", FT_VALUE(fraction, ft_report, bisection), .line = true},
	{"routes", FT_OBJECT(routes_members), .optional = true, .line = true},
	{"ftree", FT_OBJECT(ftree_members), .optional = true, FT_FLAG(ft_report, ftree_known), .line = true},
	{"switches", FT_OBJECT(switch_members), FT_ROWS(ft_report, switches, switch_count), .rows = true, .line = true},
	{"sms", FT_OBJECT(sm_members), FT_ROWS(ft_report, sms, sm_count), .rows = true, .optional = true, .line = true},
	{"counters", FT_OBJECT(counters_members), FT_AT(ft_report, counters), .optional = true, .line = true},
	{"findings", FT_OBJECT(ft_finding_members), FT_ROWS(ft_report, findings, finding_count), .rows = true,
	 .line = true},
	{"repair", FT_OBJECT(step_members), FT_ROWS(ft_report, repair, repair_count), .rows = true, .optional = true,
	 FT_FLAG(ft_report, repair_asked), .line = true},
	{"left", FT_OBJECT(left_members), FT_ROWS(ft_report, left, left_count), .rows = true, .optional = true,
	 FT_FLAG(ft_report, repair_asked), .line = true},
	{"after", FT_OBJECT(after_members), FT_ROWS(ft_report, after, after_count), .rows = true, .optional = true,
	 .line = true},
	{"throughput", FT_OBJECT(throughput_members), .optional = true, FT_FLAG(ft_report, throughput.measured),
	 .line = true},
	{"workloads", FT_OBJECT(workload_members), FT_ROWS(ft_report, workloads, workload_count), .rows = true,
	 .optional = true, .line = true},
};

const size_t ft_report_member_count = FT_COUNT(ft_report_members);
const size_t ft_finding_member_count = FT_COUNT(ft_finding_members);
