/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The report as text: the verdict first, then one line for each finding, worst first. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "planner/plan/plan.h"
#include "probe/sms.h"
#include "planner/work/work.h"
#include "verify/model/report.h"
#include "verify/model/words.h"
#include "verify/report/report_parts.h"

static const char *const severity_colour[] = {"\033[36m", "\033[33m", "\033[1;31m"};
static const char *const verdict_colour[] = {"\033[32m", "\033[33m", "\033[1;31m", "\033[35m"};
static const char *const status_colour[] = {
	[FT_STATUS_OK] = "\033[32m",	    [FT_STATUS_DEGRADED] = "\033[33m",	[FT_STATUS_ISOLATED] = "\033[1;31m",
	[FT_STATUS_MISSING] = "\033[1;31m", [FT_STATUS_UNPLANNED] = "\033[33m", [FT_STATUS_MUTE] = "\033[33m",
	[FT_STATUS_UNREACHED] = "\033[35m", [FT_STATUS_NOT_DUE] = "\033[2m",	[FT_STATUS_GONE] = "\033[2m",
};
static const char *const fix_colour = "\033[1m";
static const char *const colour_off = "\033[0m";

static void word(struct ft_text *t, const char *string, const char *colour, bool use)
{
	if (use)
		ft_text_puts(t, colour);
	ft_text_puts(t, string);
	if (use)
		ft_text_puts(t, colour_off);
}

const char *ft_report_capitals(enum ft_verdict verdict)
{
	static const char *const words[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};

	return words[verdict];
}

/* So many losses that the sweep took longer than it should: one in a hundred, and a dozen at least. */
static bool loss_is_much(const struct ft_report *r)
{
	enum { LOST_MANY = 12, LOST_SHARE = 100 };

	return r->source.timeouts >= LOST_MANY && (uint64_t)r->source.timeouts * LOST_SHARE >= r->source.mads;
}

/* The consequence of lost packets: missing parts, or time. */
static void lost_write(struct ft_text *t, const struct ft_report *r)
{
	if (r->source.timeouts == 0 || (r->source.complete && !loss_is_much(r)))
		return;
	ft_text_printf(t, "(%u ", r->source.timeouts);
	if (r->source.mads > 0)
		ft_text_printf(t, "of %u packet%s ", r->source.mads, ft_text_s(r->source.mads));
	else
		ft_text_printf(t, "packet%s ", ft_text_s(r->source.timeouts));
	ft_text_printf(t, "%s lost%s) ", r->source.timeouts == 1 ? "was" : "were",
		       r->source.complete ? " and sent again, which took time: --counters finds bad cables"
					  : "; what was asked so is missing here");
}

static void tiers_write(struct ft_text *t, const struct ft_report *r)
{
	ft_text_printf(t, "%u of %u edge switch%s", r->edge.found, r->edge.planned, ft_text_es(r->edge.planned));
	if (r->edge.degraded || r->edge.isolated)
		ft_text_printf(t, " (%u degraded, %u isolated)", r->edge.degraded, r->edge.isolated);
	if (r->spine.planned)
		ft_text_printf(t, ", %u of %u spine switch%s", r->spine.found, r->spine.planned,
			       ft_text_es(r->spine.planned));
	if (r->core.planned)
		ft_text_printf(t, ", %u of %u core switch%s, %u of %u uplink%s", r->core.found, r->core.planned,
			       ft_text_es(r->core.planned), r->uplinks.up, r->uplinks.planned,
			       ft_text_s(r->uplinks.planned));
}

/* "15 of 16 switches (2 degraded)"; "8 of 8 leaf switches" of several kinds; and the cables between them. */
static void kinds_write(struct ft_text *t, const struct ft_report *r)
{
	const char *gap = "";

	for (size_t i = 0; i < r->kind_count; i++) {
		const struct ft_report_kind *kind = &r->kinds[i];
		const char *called = ft_kind_word(kind->name);

		if (kind->planned == 0)
			continue;
		ft_text_printf(t, "%s%u of %u %s%sswitch%s", gap, kind->found, kind->planned, called,
			       called[0] ? " " : "", ft_text_es(kind->planned));
		if (kind->degraded || kind->isolated)
			ft_text_printf(t, " (%u degraded, %u isolated)", kind->degraded, kind->isolated);
		gap = ", ";
	}
	if (r->uplinks.planned)
		ft_text_printf(t, ", %u of %u cable%s", r->uplinks.up, r->uplinks.planned,
			       ft_text_s(r->uplinks.planned));
}

static void head_write(struct ft_text *t, const struct ft_report *r, bool colour)
{
	word(t, ft_report_capitals(r->verdict), verdict_colour[r->verdict], colour);
	/* Against the design of another fabric counts are meaningless. */
	if (ft_report_is_foreign(r)) {
		ft_text_printf(t, " %s: %s. ", r->plan_name, r->findings[0].text);
		word(t, "Fix:", fix_colour, colour);
		ft_text_printf(t, " %s%s%s%s\n", r->findings[0].fix, r->as_of ? " (" : "", r->as_of ? r->as_of : "",
			       r->as_of ? ")" : "");
		return;
	}
	ft_text_printf(t, " %s", r->plan_name);
	if (r->plan_found)
		ft_text_printf(t, " (%s)", r->plan_file);
	ft_text_puts(t, ": ");
	if (r->kind_count > 0)
		kinds_write(t, r);
	else
		tiers_write(t, r);
	if (r->islands.planned)
		ft_text_printf(t, ", %u of %u island switch%s", r->islands.found, r->islands.planned,
			       ft_text_es(r->islands.planned));
	ft_text_printf(t, ", %u of %u host%s; ", r->hosts.found, r->hosts.planned, ft_text_s(r->hosts.planned));
	lost_write(t, r);
	if (r->finding_count == 0)
		ft_text_puts(t, "nothing to report");
	else
		ft_text_printf(t, "%zu finding%s", r->finding_count, ft_text_s(r->finding_count));
	if (r->as_of)
		ft_text_printf(t, " (%s)", r->as_of);
	ft_text_puts(t, "\n");
}

static void routes_write(struct ft_text *t, const struct ft_report *r)
{
	if (r->routes.switches == 0)
		return;
	ft_text_printf(t, "routes: tables of %u of %u switch%s; ", r->routes.tables, r->routes.switches,
		       ft_text_es(r->routes.switches));
	if (r->routes.pairs == 0) {
		ft_text_puts(t, "no two hosts have LIDs, so there are no routes\n");
		return;
	}
	ft_text_printf(t, "%u of %u pair%s of hosts reach each other", r->routes.reached, r->routes.pairs,
		       ft_text_s(r->routes.pairs));
	if (r->routes.reached > 0)
		ft_text_printf(t, " over %u.%03u switches on average, at most %u", r->routes.mean_milli / 1000,
			       r->routes.mean_milli % 1000, r->routes.longest);
	if (r->routes.unknown > 0)
		ft_text_printf(t, "; of %u pair%s it is not known", r->routes.unknown, ft_text_s(r->routes.unknown));
	if (r->routes.lanes_unknown > 0)
		ft_text_printf(t,
			       "; the lanes of %u pair%s are not known, and so not whether they can make a credit loop",
			       r->routes.lanes_unknown, ft_text_s(r->routes.lanes_unknown));
	ft_text_puts(t, "\n");
}

/* "5.6 %"; never "0 %" of a non-zero value, nor "100 %" if something is left. */
static void percent_write(struct ft_text *t, struct ft_ratio part)
{
	int64_t tenths = part.den > 0 ? (part.num * 1000 + part.den / 2) / part.den : 0;

	if (part.num > 0 && tenths == 0)
		ft_text_puts(t, "less than 0.1 %");
	else
		ft_text_printf(t, "%" PRId64 ".%" PRId64 " %%", tenths / 10, tenths % 10);
}

/* "2", "0.25" */
static void decimal_write(struct ft_text *t, struct ft_ratio ratio)
{
	int64_t hundredths = ratio.den > 0 ? (ratio.num * 100 + ratio.den / 2) / ratio.den : 0;

	ft_text_printf(t, "%" PRId64, hundredths / 100);
	if (hundredths % 100)
		ft_text_printf(t, ".%02" PRId64, hundredths % 100);
}

/* "1.06:1" */
static void blocking_write(struct ft_text *t, struct ft_ratio ratio)
{
	decimal_write(t, ratio);
	ft_text_puts(t, ":1");
}

static const char *gap_of(const char **gap)
{
	const char *now = *gap;

	*gap = ", ";
	return now;
}

/*
 * "edge003 loses 5.6 % of its uplinks and blocks 1.06:1 instead of 1:1"; "12 edge switches lose up to 16.7 % of their
 * uplinks and block up to 1.20:1 instead of 1:1 (edge001)"
 */
static void edges_write(struct ft_text *t, const struct ft_report *r, const struct ft_finding *f)
{
	const struct ft_impact *impact = &f->impact;
	bool many = impact->edges > 1;

	if (many)
		ft_text_printf(t, "%u %s%s lose up to ", impact->edges, ft_report_edge_words(r),
			       ft_text_es(impact->edges));
	else
		ft_text_printf(t, "%s loses ", f->worst_edge);
	percent_write(t, impact->edge_loss);
	ft_text_printf(t, " of %s %ss", many ? "their" : "its", ft_report_link_word(r));
	if (impact->blocking.den > 0) {
		ft_text_puts(t, many ? " and block up to " : " and blocks ");
		blocking_write(t, impact->blocking);
		ft_text_puts(t, " instead of ");
		blocking_write(t, r->blocking_planned);
	}
	if (many)
		ft_text_printf(t, " (%s)", f->worst_edge);
}

/* The impact of the finding, if any. */
static void costs_write(struct ft_text *t, const struct ft_report *r, const struct ft_finding *f)
{
	const struct ft_impact *impact = &f->impact;
	const char *gap = "    costs: ";

	if (impact->links_lost)
		ft_text_printf(t, "%s%u of %u %s%s", gap_of(&gap), impact->links_lost, r->uplinks.planned,
			       ft_report_link_word(r), ft_text_s(r->uplinks.planned));
	if (impact->bisection_lost.num > 0) {
		ft_text_puts(t, gap_of(&gap));
		percent_write(t, impact->bisection_lost);
		ft_text_puts(t, " of the bisection");
	}
	if (impact->throughput_lost.num > 0) {
		ft_text_puts(t, gap_of(&gap));
		percent_write(t, impact->throughput_lost);
		ft_text_puts(t, " of the throughput");
	}
	if (f->worst_edge) {
		ft_text_puts(t, gap_of(&gap));
		edges_write(t, r, f);
	}
	if (impact->hosts_cut_off)
		ft_text_printf(t, "%s%u host%s cut off", gap_of(&gap), impact->hosts_cut_off,
			       ft_text_s(impact->hosts_cut_off));
	if (impact->hosts_at_risk)
		ft_text_printf(t, "%s%u host%s that one more failure would cut off", gap_of(&gap),
			       impact->hosts_at_risk, ft_text_s(impact->hosts_at_risk));
	if (impact->ftree_refuses)
		ft_text_printf(t, "%sfat-tree routing by OpenSM, which gives up for it", gap_of(&gap));
	if (gap[0] == ',')
		ft_text_puts(t, "\n");
}

void ft_report_write_sentences(struct ft_text *t, const struct ft_finding *f, bool colour)
{
	ft_text_printf(t, "%s: %s", ft_codes[f->code].name, f->text);
	if (f->waived) {
		ft_text_printf(t, " [waived %s]", f->waived);
	} else {
		ft_text_puts(t, ". ");
		word(t, "Fix:", fix_colour, colour);
		ft_text_printf(t, " %s", f->fix);
	}
	for (size_t i = 0; i < f->alternative_count; i++)
		ft_text_printf(t, ". Or: %s", f->alternatives[i]);
}

static void finding_write(struct ft_text *t, const struct ft_report *r, const struct ft_finding *f, bool verbose,
			  bool colour)
{
	word(t, ft_severity_name(f->severity), severity_colour[f->severity], colour);
	ft_text_puts(t, " ");
	ft_report_write_sentences(t, f, colour);
	ft_text_puts(t, "\n");
	if (!verbose)
		return;
	ft_text_printf(t, "    id %s, evidence: %s\n", f->id, ft_evidence_name(f->evidence));
	costs_write(t, r, f);
	if (f->host_count > 0) {
		ft_text_puts(t, "    cut off: ");
		ft_text_add_names(t, f->hosts, f->host_count);
		ft_text_puts(t, "\n");
	}
	for (size_t i = 0; i < f->symptom_count; i++)
		ft_text_printf(t, "    so: %s\n", f->symptoms[i].text);
}

/* A name from another process may be longer than any node description; the table's width is limited. */
static int column_width(int width, const char *string)
{
	enum { WIDEST = 256 };
	size_t length = strlen(string);

	return length > WIDEST || (int)length < width ? width : (int)length;
}

/* The kind of a switch, in the words of its plan. */
static const char *tier_of(const struct ft_report *r, const struct ft_report_switch *sw)
{
	if (r->kind_count == 0 || strcmp(sw->tier, "island") == 0)
		return sw->tier;
	return sw->kind ? sw->kind : "-";
}

static void switches_write(struct ft_text *t, const struct ft_report *r, bool colour)
{
	bool kinds = r->kind_count > 0;
	int name = 4, planned = 7, tier = 5, guids = ft_words_of(r->source.ethernet)->guids ? 20 : 0;

	for (size_t i = 0; i < r->switch_count; i++) {
		const char *planned_as = r->switches[i].planned_as;

		name = column_width(name, r->switches[i].name);
		tier = column_width(tier, tier_of(r, &r->switches[i]));
		planned = column_width(planned, planned_as ? planned_as : "");
	}
	ft_text_printf(t, "\n%-*s  %-*s%-*s  %-*s  %-9s  %9s  hosts\n", name, "name", guids, guids ? "GUID" : "", tier,
		       kinds ? "kind" : "tier", planned, "planned", "status", kinds ? "cables" : "uplinks");
	for (size_t i = 0; i < r->switch_count; i++) {
		const struct ft_report_switch *sw = &r->switches[i];
		char guid[24] = "", status[16];

		if (guids && !sw->guid)
			strcpy(guid, "-");
		if (guids && sw->guid)
			snprintf(guid, sizeof(guid), "0x%016" PRIx64, sw->guid);
		snprintf(status, sizeof(status), "%-9s", ft_status_name(sw->status));
		ft_text_printf(t, "%-*s  %-*s%-*s  %-*s  ", name, sw->name, guids, guid, tier, tier_of(r, sw), planned,
			       sw->planned_as ? sw->planned_as : "-");
		word(t, status, status_colour[sw->status], colour);
		ft_text_printf(t, "  %4u/%4u  %5u%s%s\n", sw->uplinks_up, sw->uplinks_planned, sw->hosts,
			       sw->hosts_names[0] ? "  " : "", sw->hosts_names);
	}
}

/* "Subnet manager: master on node001 port 1, 1 standby": printed on request even if nothing is wrong. */
static void sm_line_write(struct ft_text *t, const struct ft_report *r)
{
	static const unsigned int others[] = {FT_SM_STANDBY, FT_SM_DISCOVERING, FT_SM_NOT_ACTIVE, FT_SM_SILENT};
	const char *master = ft_sm_state_name(FT_SM_MASTER), *gap = "master on ";

	ft_text_puts(t, "Subnet manager: ");
	for (size_t i = 0; i < r->sm_count; i++) {
		const struct ft_report_sm *sm = &r->sms[i];

		if (strcmp(sm->state, master) != 0)
			continue;
		ft_text_printf(t, "%s%s", gap, sm->place.name);
		if (sm->place.port)
			ft_text_printf(t, " port %u", sm->place.port);
		gap = " and on ";
	}
	if (gap[0] == 'm')
		ft_text_puts(t, r->sm_count ? "none is master" : "none");
	for (size_t k = 0; k < FT_COUNT(others); k++) {
		size_t count = 0;

		for (size_t i = 0; i < r->sm_count; i++)
			count += strcmp(r->sms[i].state, ft_sm_state_name(others[k])) == 0;
		if (count > 0)
			ft_text_printf(t, ", %zu %s", count, ft_sm_state_name(others[k]));
	}
	ft_text_puts(t, "\n");
}

/* The error counts of a slow or narrow cable are its symptom that is at a port (check/counters.c). */
static bool finding_is_errors(const struct ft_finding *f)
{
	for (size_t i = 0; ft_finding_has(f, FT_TRAIT_WEAK) && i < f->symptom_count; i++)
		if (f->symptoms[i].place.port > 0)
			return true;
	return f->code == FT_CODE_PORT_ERRORS;
}

/* "Error counters of 288 ports over 10 s: none above the limit" */
static void counters_line_write(struct ft_text *t, const struct ft_report *r)
{
	const struct ft_report_counters *c = &r->counters;
	size_t above = 0;

	for (size_t i = 0; i < r->finding_count; i++)
		above += finding_is_errors(&r->findings[i]);
	ft_text_printf(t, "Error counters of %u", c->read);
	if (c->read < c->ports)
		ft_text_printf(t, " of %u", c->ports);
	ft_text_printf(t, " port%s over %u", ft_text_s(c->ports), c->interval_ms / 1000);
	if (c->interval_ms % 1000)
		ft_text_printf(t, ".%03u", c->interval_ms % 1000);
	ft_text_puts(t, " s: ");
	if (c->read == 0)
		ft_text_puts(t, "nothing is known\n");
	else if (above == 0)
		ft_text_puts(t, "none above the limit\n");
	else
		ft_text_printf(t, "those of %zu cable%s above the limit\n", above, ft_text_s(above));
}

static void sms_write(struct ft_text *t, const struct ft_report *r)
{
	ft_text_printf(t, "\nsubnet managers:%s", r->sm_count ? "" : " none");
	for (size_t i = 0; i < r->sm_count; i++) {
		const struct ft_report_sm *sm = &r->sms[i];

		ft_text_printf(t, "%s %s", i ? "," : "", sm->place.name);
		if (sm->place.port)
			ft_text_printf(t, " port %u", sm->place.port);
		ft_text_printf(t, " (%s", sm->state);
		if (sm->port_guid)
			ft_text_printf(t, ", priority %u", sm->priority);
		ft_text_puts(t, ")");
	}
	ft_text_puts(t, "\n");
}

static void after_state_write(struct ft_text *t, const struct ft_report *r, const char *when,
			      const struct ft_after_state *state)
{
	ft_text_printf(t, "  %s: %ses cut off ", when, ft_report_edge_words(r));
	decimal_write(t, state->edges);
	ft_text_puts(t, ", hosts cut off ");
	decimal_write(t, state->hosts);
	ft_text_puts(t, ", bisection left ");
	percent_write(t, state->bisection);
	if (state->blocking.num > 0) {
		ft_text_puts(t, ", worst blocking ");
		blocking_write(t, state->blocking);
	}
	if (state->clos.den > 0) {
		ft_text_puts(t, ", hosts up to ");
		decimal_write(t, state->clos);
		ft_text_puts(t, " switches apart and ");
		decimal_write(t, state->mean_hops);
		ft_text_puts(t, " on average, pairs of hosts cut off ");
		decimal_write(t, state->pairs);
	}
	ft_text_puts(t, "\n");
}

static void counters_write(struct ft_text *t, const struct ft_report_counters *c)
{
	const struct {
		uint32_t count;
		const char *what;
	} parts[] = {
		{c->no_lid, "without a LID"},
		{c->silent, "that did not answer"},
		{c->refused, "without such counters"},
		{c->stuck,
		 "with one that stood at its greatest value, so that it tells nothing (perfquery -R resets it)"},
		{c->discarding, "that discarded packets, which is congestion and no fault of a cable"},
	};

	ft_text_printf(t, "\nerror counters: %u of %u port%s read, %u.%03u s apart", c->read, c->ports,
		       ft_text_s(c->ports), c->interval_ms / 1000, c->interval_ms % 1000);
	for (size_t i = 0; i < FT_COUNT(parts); i++)
		if (parts[i].count)
			ft_text_printf(t, "; %u %s", parts[i].count, parts[i].what);
	ft_text_puts(t, "\n");
}

/* The number of host pairs with @chips switches between them. */
static uint64_t pairs_at(const struct ft_histogram *histogram, uint32_t chips)
{
	for (size_t i = 0; i < histogram->count; i++)
		if (histogram->pairs[i].chips == chips)
			return histogram->pairs[i].pairs;
	return 0;
}

/* Distances between hosts: "3 switches: 1944 of 1944 pairs". Both histograms are sorted. */
static void hops_write(struct ft_text *t, const struct ft_report *r)
{
	const struct ft_histogram *planned = &r->hops_planned, *found = &r->hops_found;
	size_t p = 0, f = 0;

	if (planned->count == 0 && found->count == 0)
		return;
	ft_text_puts(t, "    pairs of hosts by the switches between them, found of planned:");
	while (p < planned->count || f < found->count) {
		bool is_planned =
			p < planned->count && (f == found->count || planned->pairs[p].chips <= found->pairs[f].chips);
		uint32_t chips = is_planned ? planned->pairs[p].chips : found->pairs[f].chips;

		ft_text_printf(t, "%s %u: %" PRIu64 " of %" PRIu64, p + f ? "," : "", chips, pairs_at(found, chips),
			       pairs_at(planned, chips));
		p += p < planned->count && planned->pairs[p].chips == chips;
		f += f < found->count && found->pairs[f].chips == chips;
	}
	ft_text_printf(t, "; without a path: %" PRIu64 "\n", r->hops_unreachable);
}

static void after_write(struct ft_text *t, const struct ft_report *r, const struct ft_after *after)
{
	static const char *const what[FT_AFTER_KINDS] = {"core switch", "cable", "switch"};
	const char *many = after->of == 1 ? "" : after->kind == FT_AFTER_CABLE ? "s" : "es";

	ft_text_printf(t, "\nIf %u more of %u %s%s fail%s (", after->count, after->of, what[after->kind], many,
		       after->count == 1 ? "s" : "");
	if (after->drawn)
		ft_text_printf(t, "sampled %u of %s ways, seed %u):\n", after->looked, after->ways, after->seed);
	else if (after->looked == 1)
		ft_text_puts(t, "in the only way):\n");
	else
		ft_text_printf(t, "all %s ways):\n", after->ways);
	after_state_write(t, r, after->exact ? "at worst" : "at worst, as far as was looked", &after->worst);
	after_state_write(t, r, "on average", &after->mean);
	if (after->hops_looked > 0 && after->hops_looked != after->looked)
		ft_text_printf(t, "  how far hosts are apart: sampled %u of %s ways, and others may be worse\n",
			       after->hops_looked, after->ways);
	ft_text_printf(t, "  the hardest: %s\n", after->example);
}

/* If all hosts send to all. */
static void throughput_write(struct ft_text *t, const struct ft_report *r)
{
	if (!r->throughput.measured)
		return;
	ft_text_puts(t, "\nThroughput, if all hosts send to all: each can use ");
	percent_write(t, r->throughput.found);
	ft_text_puts(t, " of its link, planned ");
	percent_write(t, r->throughput.planned);
	ft_text_puts(t, " (no routing gives more than ");
	percent_write(t, r->throughput.gap);
	ft_text_puts(t, " more)\n");
}

static void workloads_write(struct ft_text *t, const struct ft_report *r)
{
	char planned[FT_WORK_TIME_SIZE], found[FT_WORK_TIME_SIZE];

	if (r->workload_count == 0)
		return;
	ft_text_printf(t, "\nWorkloads of %u host%s, as found and as planned", r->workloads[0].hosts,
		       ft_text_s(r->workloads[0].hosts));
	if (r->workloads[0].hosts_left_out > 0)
		ft_text_printf(t, " (%u host%s missing or cut off)", r->workloads[0].hosts_left_out,
			       ft_text_s(r->workloads[0].hosts_left_out));
	ft_text_puts(t, ":\n");
	for (size_t i = 0; i < r->workload_count; i++) {
		const struct ft_report_workload *w = &r->workloads[i];

		ft_text_printf(t, "  %s: %s, planned %s: %.3f times as long\n", w->name,
			       ft_work_time((double)w->found_ns, found), ft_work_time((double)w->planned_ns, planned),
			       (double)w->ratio.num / (double)w->ratio.den);
		if (w->tables_ns > 0)
			ft_text_printf(t, "    by the forwarding tables %s: %.3f times as long as planned\n",
				       ft_work_time((double)w->tables_ns, found),
				       (double)w->tables_ns / (double)w->planned_ns);
		else if (w->by_tables)
			ft_text_puts(
				t, "    by the forwarding tables: never, as they do not lead to all of these hosts\n");
	}
}

static void step_write(struct ft_text *t, const struct ft_report *r, size_t i, bool colour)
{
	const struct ft_repair_step *step = &r->repair[i];

	if (i == 0 || strcmp(step->place, r->repair[i - 1].place) != 0)
		ft_text_printf(t, "  at %s%s%s%s\n", step->place, step->rack ? " (rack " : "",
			       step->rack ? step->rack : "", step->rack ? ")" : "");
	ft_text_printf(t, "  %3zu. %s\n", i + 1, step->text);
	if (!step->predicted)
		return;
	ft_text_puts(t, "       then: ");
	word(t, ft_verdict_name(step->verdict), verdict_colour[step->verdict], colour);
	ft_text_printf(t, ", %u finding%s, %u of %u %s%s, %u of %u host%s\n", step->findings, ft_text_s(step->findings),
		       step->uplinks_up, r->uplinks.planned, ft_report_link_word(r), ft_text_s(r->uplinks.planned),
		       step->hosts_found, r->hosts.planned, ft_text_s(r->hosts.planned));
}

/* The steps of the repair, as a printable list. */
static void repair_write(struct ft_text *t, const struct ft_report *r, bool colour)
{
	if (r->repair_count == 0)
		ft_text_puts(t, "\nRepair: nothing to do by hand\n");
	else
		ft_text_printf(t, "\nRepair, %zu step%s:\n", r->repair_count, ft_text_s(r->repair_count));
	for (size_t i = 0; i < r->repair_count; i++)
		step_write(t, r, i, colour);
	if (r->left_count > 0)
		ft_text_puts(t, r->repair_count ? "Left after that, for it takes more than hands:\n"
						: "It takes more than hands:\n");
	for (size_t i = 0; i < r->left_count; i++)
		ft_text_printf(t, "  - %s\n", r->left[i].text);
}

/* The cost of the check for the fabric. */
static void source_write(struct ft_text *t, const struct ft_report *r)
{
	if (r->source.mads == 0)
		return;
	ft_text_puts(t, "    swept through ");
	ft_text_add_safe(t, r->source.detail, strlen(r->source.detail));
	if (r->source.engine)
		ft_text_printf(t, " by %s", r->source.engine);
	if (r->source.engine && r->source.engine_why)
		ft_text_printf(t, ", as %s", r->source.engine_why);
	ft_text_printf(t, ": %u packet%s in %u.%03u s, %u lost%s\n", r->source.mads, ft_text_s(r->source.mads),
		       r->source.duration_ms / 1000, r->source.duration_ms % 1000, r->source.timeouts,
		       r->source.timeouts > 0 && r->source.complete ? " and sent again" : "");
}

void ft_report_write_status(struct ft_text *t, enum ft_status status, bool colour)
{
	word(t, ft_status_name(status), status_colour[status], colour);
}

void ft_report_write_findings(struct ft_text *t, const struct ft_report *r, bool verbose,
			      const struct ft_terminal *terminal)
{
	_cleanup_(ft_text_release) struct ft_text sentences = {0};

	for (size_t i = 0; i < r->finding_count; i++)
		finding_write(&sentences, r, &r->findings[i], verbose, terminal->colour);
	ft_text_wrap(t, ft_text_string(&sentences), terminal->width);
	t->failed |= sentences.failed;
}

/* The plan that the report stands on, and what is accepted of it. */
static void plan_write(struct ft_text *t, const struct ft_report *r, bool verbose)
{
	enum { SHORT = 12 };

	if (r->plan_hash[0] == '\0' || (!verbose && r->accepted.count == 0))
		return;
	ft_text_printf(t, "    by the plan %s, hash %.*s", r->plan_name, SHORT, r->plan_hash);
	if (r->accepted.count > 0)
		ft_text_printf(t, ", with %u accepted finding%s, the last by %s at %s", r->accepted.count,
			       ft_text_s(r->accepted.count), r->accepted.by, r->accepted.at);
	ft_text_puts(t, "\n");
}

/* All but the table, whose lines must not be broken. */
static void sentences_write(struct ft_text *t, const struct ft_report *r, bool verbose, bool colour)
{
	head_write(t, r, colour);
	if (verbose && r->state)
		ft_text_printf(t, "    ftcheckd: %s\n", r->state);
	plan_write(t, r, verbose);
	if (ft_report_is_foreign(r))
		return;
	routes_write(t, r);
	for (size_t i = 0; i < r->finding_count; i++)
		finding_write(t, r, &r->findings[i], verbose, colour);
	if (r->sms && !verbose)
		sm_line_write(t, r);
	if (r->counters.interval_ms && !verbose)
		counters_line_write(t, r);
	if (verbose && r->sms)
		sms_write(t, r);
	if (verbose && r->counters.interval_ms)
		counters_write(t, &r->counters);
	if (verbose) {
		source_write(t, r);
		hops_write(t, r);
	}
	if (r->repair_asked)
		repair_write(t, r, colour);
	for (size_t i = 0; i < r->after_count; i++)
		after_write(t, r, &r->after[i]);
	throughput_write(t, r);
	workloads_write(t, r);
	if (verbose && r->ftree_why)
		ft_text_printf(t, "    OpenSM's ftree routing does not take this for a fat-tree: %s\n", r->ftree_why);
}

void ft_report_write_terminal(struct ft_text *t, const struct ft_report *r, bool verbose,
			      const struct ft_terminal *terminal)
{
	_cleanup_(ft_text_release) struct ft_text sentences = {0};

	sentences_write(&sentences, r, verbose, terminal->colour);
	ft_text_wrap(t, ft_text_string(&sentences), terminal->width);
	t->failed |= sentences.failed;
	if (verbose && !ft_report_is_foreign(r))
		switches_write(t, r, terminal->colour);
}

void ft_report_write_text(struct ft_text *t, const struct ft_report *r, bool verbose, bool colour)
{
	ft_report_write_terminal(t, r, verbose, &(struct ft_terminal){.colour = colour});
}
