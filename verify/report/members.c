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

#define OBJECT(table) .members = (table), .member_count = FT_COUNT(table)
#define AT(type, field) .offset = offsetof(struct type, field)
#define FLAG(type, field) .flag = offsetof(struct type, field) + 1
#define VALUE(of, type, field) .kind = &ft_value_##of, AT(type, field)
#define LIST(type, field, length)                                               \
	AT(type, field), .element_size = sizeof(*((struct type *)NULL)->field), \
			 .length_offset = offsetof(struct type, length)

static const struct ft_member accepted_members[] = {
	{"count", VALUE(count, ft_report, accepted.count)},
	{"by", VALUE(string, ft_report, accepted.by)},
	{"at", VALUE(string, ft_report, accepted.at)},
};

static const struct ft_member plan_members[] = {
	{"name", VALUE(string, ft_report, plan_name)},
	{"file", VALUE(string, ft_report, plan_file)},
	{"sha256", VALUE(sha256, ft_report, plan_sha256)},
	{"hash", VALUE(sha256, ft_report, plan_hash), .optional = true},
	{"accepted", OBJECT(accepted_members), .optional = true},
};

static const struct ft_member place_members[] = {
	{"name", VALUE(string, ft_place, name)},
	{"guid", VALUE(guid, ft_place, guid)},
	{"port", VALUE(port, ft_place, port)},
	{"interface", VALUE(interface, ft_place, interface), .optional = true},
};

static const struct ft_member source_members[] = {
	{"kind", VALUE(source, ft_report, source.live)},
	{"detail", VALUE(string, ft_report, source.detail)},
	{"entry", OBJECT(place_members), AT(ft_report, source.entry), .nullable = true},
	{"engine", VALUE(string, ft_report, source.engine), .optional = true},
	{"engine_why", VALUE(string, ft_report, source.engine_why), .optional = true},
	{"mads", VALUE(count, ft_report, source.mads)},
	{"timeouts", VALUE(count, ft_report, source.timeouts)},
	{"duration_ms", VALUE(count, ft_report, source.duration_ms)},
	{"complete", VALUE(truth, ft_report, source.complete)},
	{"ethernet", VALUE(truth, ft_report, source.ethernet), .optional = true},
	{"unreached", .kind = &ft_value_string, LIST(ft_report, source.unreached, source.unreached_count)},
};

static const struct ft_member edge_members[] = {
	{"planned", VALUE(count, ft_report, edge.planned)},
	{"found", VALUE(count, ft_report, edge.found)},
	{"ok", VALUE(count, ft_report, edge.ok)},
	{"degraded", VALUE(count, ft_report, edge.degraded)},
	{"isolated", VALUE(count, ft_report, edge.isolated)},
};

static const struct ft_member tier_members[] = {
	{"planned", VALUE(count, ft_report_tier, planned)}, {"found", VALUE(count, ft_report_tier, found)},
	{"ok", VALUE(count, ft_report_tier, ok)},	    {"degraded", VALUE(count, ft_report_tier, degraded)},
	{"missing", VALUE(count, ft_report_tier, missing)},
};

static const struct ft_member uplinks_members[] = {
	{"planned", VALUE(count, ft_report, uplinks.planned)},
	{"up", VALUE(count, ft_report, uplinks.up)},
	{"missing", VALUE(count, ft_report, uplinks.missing)},
	{"misplaced", VALUE(count, ft_report, uplinks.misplaced)},
	{"unplanned", VALUE(count, ft_report, uplinks.unplanned)},
	{"slow", VALUE(count, ft_report, uplinks.slow)},
};

static const struct ft_member hosts_members[] = {
	{"planned", VALUE(count, ft_report, hosts.planned)},
	{"found", VALUE(count, ft_report, hosts.found)},
};

static const struct ft_member counts_members[] = {
	{"edge", OBJECT(edge_members), .line = true},
	{"spine", OBJECT(tier_members), AT(ft_report, spine), .optional = true, .line = true},
	{"core", OBJECT(tier_members), AT(ft_report, core), .line = true},
	{"islands", OBJECT(tier_members), AT(ft_report, islands), .optional = true, .line = true},
	{"uplinks", OBJECT(uplinks_members), .line = true},
	{"hosts", OBJECT(hosts_members), .line = true},
};

static const struct ft_member kind_members[] = {
	{"name", VALUE(string, ft_report_kind, name)},	      {"planned", VALUE(count, ft_report_kind, planned)},
	{"found", VALUE(count, ft_report_kind, found)},	      {"ok", VALUE(count, ft_report_kind, ok)},
	{"degraded", VALUE(count, ft_report_kind, degraded)}, {"isolated", VALUE(count, ft_report_kind, isolated)},
	{"missing", VALUE(count, ft_report_kind, missing)},
};

static bool places_are_found(const void *object)
{
	const struct ft_report *r = object;

	return r->places_found > 0;
}

static const struct ft_member places_members[] = {
	{"told", VALUE(count, ft_report, places_told)},
	{"found", VALUE(count, ft_report, places_found)},
};

static const struct ft_member clos_members[] = {
	{"planned", VALUE(count, ft_report, clos_planned)},
	{"found", VALUE(count, ft_report, clos_found)},
};

static const struct ft_member hops_members[] = {
	{"planned", VALUE(histogram, ft_report, hops_planned)},
	{"found", VALUE(histogram, ft_report, hops_found)},
	{"unreachable", VALUE(pair_count, ft_report, hops_unreachable)},
};

static const struct ft_member blocking_members[] = {
	{"planned", VALUE(ratio, ft_report, blocking_planned)},
	{"worst", VALUE(ratio, ft_report, blocking_worst)},
};

static const struct ft_member routes_members[] = {
	{"switches", VALUE(count, ft_report, routes.switches)},
	{"tables", VALUE(count, ft_report, routes.tables)},
	{"pairs", VALUE(count, ft_report, routes.pairs)},
	{"reached", VALUE(count, ft_report, routes.reached)},
	{"unreachable", VALUE(count, ft_report, routes.unreachable)},
	{"looping", VALUE(count, ft_report, routes.looping)},
	{"unknown", VALUE(count, ft_report, routes.unknown)},
	{"longest", VALUE(count, ft_report, routes.longest)},
	{"mean", VALUE(milli, ft_report, routes.mean_milli)},
	{"mads", VALUE(count, ft_report, routes.mads)},
	{"lanes_unknown", VALUE(count, ft_report, routes.lanes_unknown)},
};

static const struct ft_member switch_uplinks_members[] = {
	{"planned", VALUE(count, ft_report_switch, uplinks_planned)},
	{"up", VALUE(count, ft_report_switch, uplinks_up)},
};

static const struct ft_member switch_members[] = {
	{"name", VALUE(string, ft_report_switch, name)},
	{"guid", VALUE(guid, ft_report_switch, guid)},
	{"tier", VALUE(tier, ft_report_switch, tier)},
	{"kind", VALUE(string_or_null, ft_report_switch, kind), .optional = true},
	{"planned_as", VALUE(string_or_null, ft_report_switch, planned_as)},
	{"status", VALUE(status, ft_report_switch, status)},
	{"uplinks", OBJECT(switch_uplinks_members)},
	{"hosts", VALUE(count, ft_report_switch, hosts)},
	{"hosts_names", VALUE(string, ft_report_switch, hosts_names)},
};

static const struct ft_member sm_members[] = {
	{"where", OBJECT(place_members), AT(ft_report_sm, place)}, {"port_guid", VALUE(guid, ft_report_sm, port_guid)},
	{"state", VALUE(sm_state, ft_report_sm, state)},	   {"priority", VALUE(count, ft_report_sm, priority)},
	{"activity", VALUE(count, ft_report_sm, activity)},
};

static const struct ft_member counters_members[] = {
	{"interval_ms", VALUE(count, ft_report_counters, interval_ms)},
	{"ports", VALUE(count, ft_report_counters, ports)},
	{"read", VALUE(count, ft_report_counters, read)},
	{"no_lid", VALUE(count, ft_report_counters, no_lid)},
	{"silent", VALUE(count, ft_report_counters, silent)},
	{"refused", VALUE(count, ft_report_counters, refused)},
	{"stuck", VALUE(count, ft_report_counters, stuck)},
	{"discarding", VALUE(count, ft_report_counters, discarding)},
};

static const struct ft_member impact_members[] = {
	{"links_lost", VALUE(count, ft_finding, impact.links_lost)},
	{"hosts_cut_off", VALUE(count, ft_finding, impact.hosts_cut_off)},
	{"hosts_at_risk", VALUE(count, ft_finding, impact.hosts_at_risk), .optional = true},
	{"bisection_lost", VALUE(fraction, ft_finding, impact.bisection_lost), .optional = true},
	{"throughput_lost", VALUE(fraction, ft_finding, impact.throughput_lost), .optional = true},
	{"edges", VALUE(count, ft_finding, impact.edges), .optional = true},
	{"worst_edge", VALUE(string, ft_finding, worst_edge), .optional = true},
	{"edge_loss", VALUE(fraction, ft_finding, impact.edge_loss), .optional = true, .when = edge_is_worst},
	{"blocking", VALUE(ratio, ft_finding, impact.blocking), .optional = true},
	{"ftree_refuses", VALUE(truth, ft_finding, impact.ftree_refuses), .optional = true},
};

static const struct ft_member symptom_members[] = {
	{"text", VALUE(string, ft_symptom, text)},
	{"where", OBJECT(place_members), AT(ft_symptom, place), .optional = true, .nullable = true},
};

static const struct ft_member returning_members[] = {
	{"up", VALUE(count, ft_finding, returning.up)},
	{"of", VALUE(count, ft_finding, returning.of)},
};

const struct ft_member ft_finding_members[] = {
	{"id", VALUE(string, ft_finding, id)},
	{"code", VALUE(code, ft_finding, code)},
	{"severity", VALUE(severity, ft_finding, severity)},
	{"evidence", VALUE(evidence, ft_finding, evidence)},
	{"where", OBJECT(place_members), LIST(ft_finding, where, where_count), .line = true},
	{"expected", VALUE(string, ft_finding, expected), .line = true},
	{"observed", VALUE(string, ft_finding, observed)},
	{"count", VALUE(count, ft_finding, count)},
	{"text", VALUE(string, ft_finding, text), .line = true},
	{"fix", VALUE(string, ft_finding, fix), .line = true},
	{"impact", OBJECT(impact_members), .line = true},
	{"symptoms", OBJECT(symptom_members), LIST(ft_finding, symptoms, symptom_count), .line = true},
	{"alternatives", .kind = &ft_value_string, LIST(ft_finding, alternatives, alternative_count), .line = true},
	{"hosts", .kind = &ft_value_string, LIST(ft_finding, hosts, host_count), .optional = true, .line = true},
	{"subject", OBJECT(place_members), AT(ft_finding, subject), .optional = true, .line = true},
	{"unseen", OBJECT(place_members), LIST(ft_finding, unseen, unseen_count), .optional = true, .line = true},
	{"returning", OBJECT(returning_members), .optional = true, .line = true},
	{"waived", VALUE(string, ft_finding, waived), .optional = true, .line = true},
};

static const struct ft_member then_members[] = {
	{"verdict", VALUE(verdict, ft_repair_step, verdict)},
	{"findings", VALUE(count, ft_repair_step, findings)},
	{"uplinks_up", VALUE(count, ft_repair_step, uplinks_up)},
	{"hosts_found", VALUE(count, ft_repair_step, hosts_found)},
};

static const struct ft_member step_members[] = {
	{"do", VALUE(act, ft_repair_step, act)},
	{"place", VALUE(string, ft_repair_step, place)},
	{"rack", VALUE(string, ft_repair_step, rack), .optional = true},
	{"a", OBJECT(place_members), AT(ft_repair_step, a), .line = true},
	{"b", OBJECT(place_members), AT(ft_repair_step, b), .optional = true},
	{"text", VALUE(string, ft_repair_step, text), .line = true},
	{"mends", .kind = &ft_value_string, LIST(ft_repair_step, mends, mend_count), .line = true},
	{"then", OBJECT(then_members), .optional = true, FLAG(ft_repair_step, predicted), .line = true},
};

static const struct ft_member left_members[] = {
	{"id", VALUE(string, ft_repair_left, id)},
	{"text", VALUE(string, ft_repair_left, text)},
};

static const struct ft_member after_state_members[] = {
	{"edges_isolated", VALUE(ratio, ft_after_state, edges)},
	{"hosts_cut_off", VALUE(ratio, ft_after_state, hosts)},
	{"bisection", VALUE(fraction, ft_after_state, bisection)},
	{"blocking", VALUE(ratio, ft_after_state, blocking)},
	{"clos", VALUE(ratio, ft_after_state, clos), .optional = true},
	{"mean_hops", VALUE(ratio, ft_after_state, mean_hops), .optional = true},
	{"pairs_cut_off", VALUE(ratio, ft_after_state, pairs), .optional = true},
};

static const struct ft_member after_members[] = {
	{"kind", VALUE(after, ft_after, kind)},
	{"fail", VALUE(count, ft_after, count)},
	{"of", VALUE(count, ft_after, of)},
	{"ways", VALUE(string, ft_after, ways)},
	{"looked_at", VALUE(count, ft_after, looked)},
	{"seed", VALUE(count, ft_after, seed), .optional = true, FLAG(ft_after, drawn)},
	{"exact", VALUE(truth, ft_after, exact)},
	{"hops_looked_at", VALUE(count, ft_after, hops_looked), .optional = true},
	{"worst", OBJECT(after_state_members), AT(ft_after, worst), .line = true},
	{"mean", OBJECT(after_state_members), AT(ft_after, mean), .line = true},
	{"example", VALUE(string, ft_after, example), .line = true},
};

static const struct ft_member throughput_members[] = {
	{"planned", VALUE(fraction, ft_report, throughput.planned)},
	{"found", VALUE(fraction, ft_report, throughput.found)},
	{"gap", VALUE(fraction, ft_report, throughput.gap)},
};

static const struct ft_member workload_members[] = {
	{"name", VALUE(string, ft_report_workload, name)},
	{"hosts", VALUE(count, ft_report_workload, hosts)},
	{"hosts_left_out", VALUE(count, ft_report_workload, hosts_left_out)},
	{"planned_ns", VALUE(pair_count, ft_report_workload, planned_ns)},
	{"found_ns", VALUE(pair_count, ft_report_workload, found_ns)},
	{"ratio", VALUE(ratio, ft_report_workload, ratio)},
	{"tables_ns", VALUE(pair_count, ft_report_workload, tables_ns), .optional = true,
	 FLAG(ft_report_workload, by_tables)},
};

static const struct ft_member ftree_members[] = {
	{"refuses", VALUE(truth, ft_report, ftree_refuses)},
	{"why", VALUE(string, ft_report, ftree_why), .optional = true},
};

const struct ft_member ft_report_members[] = {
	{"plan", OBJECT(plan_members), .line = true},
	{"source", OBJECT(source_members), .line = true},
	{"time", VALUE(time, ft_report, time_s), .line = true},
	{"verdict", VALUE(verdict, ft_report, verdict), .line = true},
	{"counts", OBJECT(counts_members), .line = true},
	{"kinds", OBJECT(kind_members), LIST(ft_report, kinds, kind_count), .rows = true, .optional = true,
	 .line = true},
	{"places", OBJECT(places_members), .optional = true, .when = places_are_found, .line = true},
	{"clos", OBJECT(clos_members), .line = true},
	{"hops", OBJECT(hops_members), .optional = true, .when = hops_are_known, .line = true},
	{"blocking", OBJECT(blocking_members), .line = true},
	{"bisection", VALUE(fraction, ft_report, bisection), .line = true},
	{"routes", OBJECT(routes_members), .optional = true, .line = true},
	{"ftree", OBJECT(ftree_members), .optional = true, FLAG(ft_report, ftree_known), .line = true},
	{"switches", OBJECT(switch_members), LIST(ft_report, switches, switch_count), .rows = true, .line = true},
	{"sms", OBJECT(sm_members), LIST(ft_report, sms, sm_count), .rows = true, .optional = true, .line = true},
	{"counters", OBJECT(counters_members), AT(ft_report, counters), .optional = true, .line = true},
	{"findings", OBJECT(ft_finding_members), LIST(ft_report, findings, finding_count), .rows = true, .line = true},
	{"repair", OBJECT(step_members), LIST(ft_report, repair, repair_count), .rows = true, .optional = true,
	 FLAG(ft_report, repair_asked), .line = true},
	{"left", OBJECT(left_members), LIST(ft_report, left, left_count), .rows = true, .optional = true,
	 FLAG(ft_report, repair_asked), .line = true},
	{"after", OBJECT(after_members), LIST(ft_report, after, after_count), .rows = true, .optional = true,
	 .line = true},
	{"throughput", OBJECT(throughput_members), .optional = true, FLAG(ft_report, throughput.measured),
	 .line = true},
	{"workloads", OBJECT(workload_members), LIST(ft_report, workloads, workload_count), .rows = true,
	 .optional = true, .line = true},
};

const size_t ft_report_member_count = FT_COUNT(ft_report_members);
const size_t ft_finding_member_count = FT_COUNT(ft_finding_members);
