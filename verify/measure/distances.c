/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Distances between hosts, planned and observed, chip by chip (hops.h): the histogram of the report, and hops-exceeded.
 * Pairs without a path are counted by networks of the plan and parts of the fabric.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "base/text.h"
#include "planner/plan/chip_graph.h"
#include "verify/model/capacity.h"
#include "planner/plan/wiring.h"
#include "base/hops.h"
#include "verify/measure/measure.h"
#include "verify/model/model.h"

/* ---- the fabric, chip by chip ---- */

/* The observed fabric as a graph of its switch chips. */
struct seen {
	struct ft_hop_graph graph;
	uint32_t *chip_of;     /* by node of m->chips: its number in the graph, or FT_NONE */
	uint32_t *node_of;     /* by chip: its node */
	uint32_t *observed_of; /* by chip: the observed switch that it is part of, or FT_NONE */
	uint32_t *host_of;     /* by chip: where its first host is in observed.hosts, or FT_NONE */
	struct ft_arena memory;
};

static void seen_release(struct seen *seen)
{
	ft_hop_graph_release(&seen->graph);
	ft_arena_release(&seen->memory);
}

static int seen_alloc(const struct ft_model *m, struct seen *seen)
{
	uint32_t **lists[] = {&seen->chip_of, &seen->node_of, &seen->observed_of, &seen->host_of};

	for (size_t i = 0; i < FT_COUNT(lists); i++)
		*lists[i] = ft_arena_numbers(&seen->memory, m->chips->node_count, FT_NONE);
	return seen->memory.failed ? -ENOMEM : 0;
}

static uint32_t chips_number(const struct ft_model *m, const uint32_t *order, struct seen *seen)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < m->chips->node_count; k++) {
		uint32_t i = order[k];

		if (m->chips->nodes[i].type != FT_NODE_SWITCH)
			continue;
		seen->node_of[count] = i;
		seen->chip_of[i] = count++;
	}
	return count;
}

/* The switch of a chip: the one that has its outer ports. */
static void chips_assign(const struct ft_model *m, struct seen *seen)
{
	const struct ft_snapshot *s = m->snapshot;

	for (uint32_t p = 0; p < s->port_count; p++) {
		uint32_t observed = m->observed.switch_of_node[s->ports[p].node], origin = ft_port_origin(m, p), chip;

		if (observed == FT_NONE || origin >= m->chips->port_count)
			continue;
		chip = seen->chip_of[m->chips->ports[origin].node];
		if (chip == FT_NONE)
			continue;
		seen->observed_of[chip] = observed;
		seen->graph.regular[chip] = m->observed.switches[observed].planned != FT_NONE &&
					    !ft_is_beside(m, m->observed.switches[observed].planned);
	}
}

static void hosts_assign(const struct ft_model *m, struct seen *seen)
{
	for (uint32_t i = 0; i < m->observed.host_count; i++) {
		uint32_t port = ft_port_origin(m, m->observed.hosts[i].switch_port), chip;

		if (port >= m->chips->port_count)
			continue;
		chip = seen->chip_of[m->chips->ports[port].node];
		if (chip == FT_NONE)
			continue;
		if (seen->host_of[chip] == FT_NONE)
			seen->host_of[chip] = i;
		seen->graph.hosts[chip]++;
	}
}

static int seen_build(const struct ft_model *m, struct seen *seen)
{
	const struct ft_snapshot *chips = m->chips;
	struct ft_hop_edge *edges = ft_arena_zeros(&seen->memory, chips->port_count, sizeof(*edges));
	uint32_t count, edge_count = 0;
	int r = seen_alloc(m, seen);

	if (r < 0)
		return r;
	count = chips_number(m, m->chip_order, seen);
	for (uint32_t near = 0; near < count; near++)
		for (uint32_t n = 0; n < chips->nodes[seen->node_of[near]].port_count; n++) {
			const struct ft_port *port = &chips->ports[chips->nodes[seen->node_of[near]].first_port + n];
			uint32_t far = port->peer == FT_NONE ? FT_NONE : seen->chip_of[chips->ports[port->peer].node];

			/* Each cable once, from the chip with the lower number. */
			if (far != FT_NONE && far > near)
				edges[edge_count++] = (struct ft_hop_edge){near, far};
		}
	r = ft_hop_graph_make(count, NULL, edges, edge_count, &seen->graph);
	if (r < 0)
		return r;
	chips_assign(m, seen);
	hosts_assign(m, seen);
	return 0;
}

/* ---- what is too far ---- */

/* A loopback, or a switch that is not planned, lengthens no path if it is in ports that the plan leaves free. */
static bool is_lengthening(const struct ft_finding *f)
{
	bool takes_ports = f->code == FT_CODE_LOOPBACK || f->code == FT_CODE_SWITCH_UNPLANNED;

	return ft_finding_has(f, FT_TRAIT_LENGTHENS) && (!takes_ports || f->lack_count > 0);
}

static bool chip_is_stranger(const struct ft_model *m, const struct seen *seen, uint32_t chip)
{
	uint32_t observed = seen->observed_of[chip];

	return observed != FT_NONE && m->observed.switches[observed].planned == FT_NONE &&
	       !m->observed.switches[observed].tolerated;
}

/*
 * How well a fault explains a long path, in a plan without ranks: a completely missing bundle does, best one at an end
 * of the path. In a tree the first fault is taken.
 */
static unsigned int cause_weight(const struct ft_model *m, const struct seen *seen, const struct ft_hop_far *far,
				 const struct ft_finding *f)
{
	unsigned int weight = f->gone_count > 0;
	const uint32_t ends[2] = {seen->observed_of[far->from], seen->observed_of[far->to]};

	if (m->capacity->ranks > 1)
		return 0;
	for (size_t i = 0; i < f->lack_count; i++)
		weight |= f->lacks[i].cables >= ft_width_at(m, m->place_of[f->lacks[i].a], m->place_of[f->lacks[i].b]);
	for (size_t i = 0; weight == 1 && i < f->where_count; i++)
		for (unsigned int n = 0; n < 2; n++)
			if (ends[n] != FT_NONE && ft_observed_of_place(&f->where[i]) == ends[n])
				return 2;
	return weight;
}

/* The finding that explains it, if one was found. */
static struct ft_finding *cause_find(const struct ft_model *m, const struct seen *seen, const struct ft_hop_far *far)
{
	bool stranger = chip_is_stranger(m, seen, far->from) || chip_is_stranger(m, seen, far->to);
	struct ft_report *report = m->report;
	struct ft_finding *cause = NULL;
	unsigned int most = 0;

	for (size_t i = 0; i < report->finding_count; i++) {
		struct ft_finding *f = &report->findings[i];
		unsigned int weight;

		if (stranger ? f->code != FT_CODE_SWITCH_UNPLANNED : !is_lengthening(f))
			continue;
		weight = cause_weight(m, seen, far, f);
		if (cause && weight <= most)
			continue;
		cause = f;
		most = weight;
	}
	return cause;
}

/* "node055 on leaf07" */
static void end_add(const struct ft_model *m, const struct seen *seen, uint32_t chip, struct ft_text *text)
{
	const struct ft_snapshot *s = m->snapshot;
	const struct ft_node *host = ft_port_node(s, &s->ports[m->observed.hosts[seen->host_of[chip]].port]);

	ft_text_add_safe(text, ft_node_description(s, host), host->description_length);
	ft_text_puts(text, " on ");
	ft_node_name_add(m, seen->node_of[chip], text);
}

/* "leaf07, core01, leaf09" */
static int path_tell(const struct ft_model *m, const struct seen *seen, const struct ft_hop_far *far,
		     struct ft_text *text)
{
	_cleanup_free_ uint32_t *path = calloc(far->chips, sizeof(*path));
	int r = path ? ft_hop_path(&seen->graph, far, path) : -ENOMEM;

	for (uint32_t n = 0; r == 0 && n < far->chips; n++) {
		ft_text_puts(text, n ? ", " : "");
		ft_node_name_add(m, seen->node_of[path[n]], text);
	}
	return r;
}

/* The symptom of a finding that explains it; else a finding. */
static void excess_report(struct ft_model *m, const struct seen *seen, const struct ft_hop_far *far, uint32_t planned,
			  const char *ends, const char *path)
{
	struct ft_finding *f = cause_find(m, seen, far);
	uint32_t observed[2] = {seen->observed_of[far->from], seen->observed_of[far->to]};

	if (f) {
		ft_finding_symptom(m, f, observed[0], 0,
				   "hosts %s are %u switch%s apart, planned are %u; on the way are %s", ends,
				   far->chips, ft_text_es(far->chips), planned, path);
		return;
	}
	f = ft_finding_add(m, FT_CODE_HOPS_EXCEEDED, FT_EVIDENCE_SEEN);
	ft_finding_where_chip(m, f, seen->node_of[far->from]);
	ft_finding_where_chip(m, f, seen->node_of[far->to]);
	ft_say(m, &f->expected, "at most %u switch%s between two hosts", planned, ft_text_es(planned));
	ft_say(m, &f->observed, "%u", far->chips);
	ft_say(m, &f->text, "hosts %s are %u switch%s apart, planned are %u", ends, far->chips, ft_text_es(far->chips),
	       planned);
	ft_say(m, &f->fix, "compare the cabling of these two switches with the plan");
	ft_finding_symptom(m, f, observed[0], 0, "the shortest way between them is by %s", path);
}

/*
 * Longer paths are a consequence of the fault that broke the short ones, and become its symptom. They are a finding of
 * their own only if no other finding could be the cause.
 */
static int excess_check(struct ft_model *m, const struct seen *seen, const struct ft_hop_counts *found,
			uint32_t longest)
{
	_cleanup_(ft_text_release) struct ft_text ends = {0}, path = {0};
	bool regular = found->regular.chips > m->plan->clos;
	const struct ft_hop_far *far = regular ? &found->regular : &found->any;
	/* Where cables are not due, or were accepted otherwise, hosts are as far apart as those that are planned make
	 * them. */
	bool changed = m->due || m->design->accepted_count > 0;
	uint32_t planned = regular && !changed ? m->plan->clos : longest;
	int r;

	if (far->chips <= planned)
		return 0;
	end_add(m, seen, far->from, &ends);
	ft_text_puts(&ends, " and ");
	end_add(m, seen, far->to, &ends);
	r = path_tell(m, seen, far, &path);
	if (r < 0 || ends.failed || path.failed)
		return -ENOMEM;
	excess_report(m, seen, far, planned, ft_text_string(&ends), ft_text_string(&path));
	return 0;
}

/* ---- the histogram ---- */

static int histogram_fill(struct ft_model *m, const struct ft_hop_counts *counts, uint32_t chips,
			  struct ft_histogram *ret)
{
	ret->pairs = ft_arena_zeros(&m->report->memory, chips + 1UL, sizeof(*ret->pairs));
	if (!ret->pairs)
		return -ENOMEM;
	for (uint32_t n = 1; n <= chips; n++)
		if (counts->pairs[n] > 0)
			ret->pairs[ret->count++] = (struct ft_hop_pairs){n, counts->pairs[n]};
	return 0;
}

static int planned_measure(struct ft_model *m, uint32_t *ret_longest)
{
	_cleanup_(ft_hop_graph_release) struct ft_hop_graph graph = {0};
	_cleanup_(ft_hop_counts_release) struct ft_hop_counts counts = {0};
	int r = ft_plan_chip_graph(m->plan, &graph) ?: ft_hop_count(&graph, &counts)
		?: histogram_fill(m, &counts, graph.nodes, &m->report->hops_planned);

	if (r == 0)
		*ret_longest = counts.any.chips > m->plan->clos ? counts.any.chips : m->plan->clos;
	return r;
}

/* ---- pairs without a path ---- */

/* Hosts of one network of the plan in one part of the fabric; @key: of the two. */
struct lot {
	uint64_t key, hosts;
};

static int lot_compare(const void *a, const void *b)
{
	const struct lot *x = a, *y = b;

	return FT_ORDER(x->key, y->key);
}

/*
 * In a plan of several networks, hosts of different networks need not reach each other. An unplanned switch belongs to
 * the first network found in its component.
 */
static void lots_fill(const struct ft_model *m, struct seen *seen, struct lot *lots)
{
	const struct ft_hop_graph *graph = &seen->graph;
	uint32_t *part = ft_arena_zeros(&seen->memory, graph->count, sizeof(*part));
	uint32_t *network = ft_arena_zeros(&seen->memory, graph->count, sizeof(*network));

	if (seen->memory.failed)
		return;
	ft_number_begin(part, graph->count);
	for (uint32_t c = 0; c < graph->count; c++)
		for (uint32_t i = graph->first[c]; i < graph->first[c + 1]; i++)
			ft_number_join(part, c, graph->of[i]);
	ft_number_sets(part, graph->count);
	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint32_t c = graph->count; c-- > 0;) {
			uint32_t observed = seen->observed_of[c];
			uint32_t place = ft_place_of(m, observed);

			if (pass == 0 && place != FT_NONE)
				network[part[c]] = m->network[place];
			if (pass == 1)
				lots[c] = (struct lot){
					(uint64_t)(place == FT_NONE ? network[part[c]] : m->network[place]) << 32 |
						part[c],
					graph->hosts[c]};
		}
}

/* All pairs of one network minus those of one network and one component: O(switches log switches). */
static uint64_t unreachable_count(const struct ft_model *m, struct seen *seen, uint64_t all)
{
	uint32_t count = seen->graph.count;
	struct lot *lots = ft_arena_zeros(&seen->memory, count, sizeof(*lots));
	uint64_t doubled = 0;

	if (m->network_count < 2 || !lots)
		return all;
	lots_fill(m, seen, lots);
	qsort(lots, count, sizeof(*lots), lot_compare);
	for (uint32_t i = 0; i < count;) {
		uint64_t network = lots[i].key >> 32, hosts = 0;

		while (i < count && lots[i].key >> 32 == network) {
			uint64_t key = lots[i].key, here = 0;

			for (; i < count && lots[i].key == key; i++)
				here += lots[i].hosts;
			hosts += here;
			doubled -= here * here;
		}
		doubled += hosts * hosts;
	}
	return doubled / 2;
}

int ft_distances(struct ft_model *m)
{
	_cleanup_(seen_release) struct seen seen = {0};
	_cleanup_(ft_hop_counts_release) struct ft_hop_counts found = {0};
	uint32_t longest = 0;
	int r = planned_measure(m, &longest) ?: seen_build(m, &seen) ?: ft_hop_count(&seen.graph, &found)
		?: histogram_fill(m, &found, seen.graph.nodes, &m->report->hops_found);

	if (r < 0)
		return r;
	m->report->hops_unreachable = unreachable_count(m, &seen, found.unreachable);
	if (seen.memory.failed)
		return -ENOMEM;
	m->report->clos_planned = longest;
	m->report->clos_found = found.any.chips;
	return excess_check(m, &seen, &found, longest);
}
