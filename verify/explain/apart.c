/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Disconnected parts, in plans of any graph: parts of the fabric without a path to the others, and unseen switches with
 * what lies behind them. Each is one fault, whatever the number of switches. "The others" are the part with the most
 * planned hosts in the same connected component of the plan, its network. Connected components by union-find:
 * O(cables), and O(places) more for each part that is reported.
 */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "verify/explain/explain.h"

enum { NAMED_MAX = 4 }; /* switches named in a sentence */

/* By observed part: whether it is the main part of a network. The caller frees it; NULL: no memory. */
static bool *main_parts(const struct ft_model *m)
{
	size_t count = (size_t)m->network_count * m->observed.part_count;
	_cleanup_free_ uint64_t *weight = calloc(count + 1, sizeof(*weight));
	bool *is_main = calloc(m->observed.part_count + 1UL, sizeof(*is_main));

	if (!weight || !is_main) {
		free(is_main);
		return NULL;
	}
	for (uint32_t p = 0; p < m->place_count; p++)
		if (m->observed_of[p] != FT_NONE)
			weight[(size_t)m->network[p] * m->observed.part_count + ft_observed_at(m, p)->part] +=
				((uint64_t)m->places[p]->hosts << 32) + 1;
	for (uint32_t n = 0; n < m->network_count; n++) {
		const uint64_t *row = weight + (size_t)n * m->observed.part_count;
		uint32_t best = 0;

		for (uint32_t part = 1; part < m->observed.part_count; part++)
			best = row[part] > row[best] ? part : best;
		if (m->observed.part_count > 0 && row[best] > 0)
			is_main[best] = true;
	}
	return is_main;
}

/*
 * Unseen switches that are connected through unseen ones are a group; by place, @ret_group is its lowest member.
 * @by_kind: switches beside the tree are reported with it, and form no group with it.
 */
static void groups_make(const struct ft_model *m, bool by_kind, uint32_t *ret_group)
{
	ft_number_begin(ret_group, m->place_count);
	for (uint32_t cell = 0; cell < m->cells.count; cell++) {
		uint32_t p = m->cells.ends[cell][0], q = m->cells.ends[cell][1];

		if (m->cells.width[cell] > 0 && m->observed_of[p] == FT_NONE && m->observed_of[q] == FT_NONE &&
		    !(by_kind && ft_is_beside(m, p) != ft_is_beside(m, q)))
			ft_number_join(ret_group, p, q);
	}
}

/* True if all unseen switches of the plan are connected. */
static bool unseen_are_one(const struct ft_model *m)
{
	_cleanup_free_ uint32_t *group = malloc((m->place_count + 1UL) * sizeof(*group));
	uint32_t groups = group ? 0 : 2;

	if (group)
		groups_make(m, false, group);
	for (uint32_t p = 0; p < m->place_count && groups < 2; p++)
		groups += m->observed_of[p] == FT_NONE && group[p] == p;
	return groups < 2;
}

/* True if the sweep saw the smaller part, and the larger one is connected: the smaller part is the one cut off. */
bool ft_entry_is_apart(const struct ft_model *m)
{
	uint64_t seen = 0, planned = 0;
	uint32_t seen_switches = 0;

	if (!m->linked || m->observed.part_count != 1 || m->input->building)
		return false;
	for (uint32_t i = 0; i < m->observed.switch_count; i++)
		if (m->observed.switches[i].planned == FT_NONE && !m->observed.switches[i].tolerated)
			return false;
	for (uint32_t p = 0; p < m->place_count; p++) {
		uint64_t weight = m->places[p]->hosts + 1UL;

		planned += weight;
		seen += m->observed_of[p] != FT_NONE ? weight : 0;
		seen_switches += m->observed_of[p] != FT_NONE;
	}
	return seen > 0 && 2 * seen < planned && 2 * seen_switches < m->place_count && unseen_are_one(m);
}

/* "leaf01, leaf02, leaf03 and 4 more" for the places in @is_of. */
static const char *names_words(const struct ft_model *m, const bool *is_of)
{
	uint32_t named = 0, more = 0;
	struct ft_text text = {0};

	for (uint32_t p = 0; p < m->place_count; p++) {
		if (!is_of[p])
			continue;
		if (named == NAMED_MAX)
			more++;
		else
			ft_text_printf(&text, "%s%s", named++ ? ", " : "", label_of(m, p));
	}
	ft_text_more(&text, named + more, named);
	return ft_model_text(m, &text);
}

/* Planned cables between @p, of the part, and the others. */
static uint32_t border_of(const struct ft_model *m, const bool *is_of, uint32_t p)
{
	uint32_t cables = 0;

	ft_each_pair(pair, m, p)
		cables += is_of[pair->peer] ? 0 : m->cells.width[pair->cell];
	return cables;
}

/* A part with a port that may be up and lead to the others proves nothing. */
static bool is_hazy(const struct ft_model *m, const bool *is_of)
{
	for (uint32_t p = 0; p < m->place_count; p++) {
		uint32_t border = is_of[p] ? border_of(m, is_of, p) : 0;

		if (border > 0 && ft_uplink_may_be_up(m, p, border))
			return true;
	}
	return false;
}

/* Takes the planned cables to the others into the finding, to be restored. */
static void border_take(struct explain *x, const bool *is_of, struct ft_finding *f, uint32_t p)
{
	struct ft_model *m = x->m;

	ft_each_pair(pair, m, p) {
		if (is_of[pair->peer] || m->cells.width[pair->cell] == 0)
			continue;
		ft_connect_act(x, f, p, pair->peer, m->cells.width[pair->cell]);
		x->missing[pair->cell] = 0;
	}
}

/* The sentences' words for the others, and for a cable to them. */
struct far_words {
	const char *others, *cable;
};

static struct far_words words_for(const struct ft_model *m, const bool *is_of)
{
	uint32_t top = 0, highest = 0;

	/* The part may contain a core. */
	for (uint32_t p = 0; p < m->place_count; p++) {
		top = ft_rank_of(m, p) > top ? ft_rank_of(m, p) : top;
		highest = is_of[p] && ft_rank_of(m, p) > highest ? ft_rank_of(m, p) : highest;
	}
	return highest == top || m->plan->topology == FT_TOPOLOGY_GRAPH
		       ? (struct far_words){"the other switches", "cable"}
		       : (struct far_words){"any core switch", "uplink"};
}

/* True if there are places from @first on, and each is a port: of a switch alone nothing has gone dark. */
static bool ports_are_known(const struct ft_finding *f, size_t first)
{
	bool known = f->where_count > first;

	for (size_t i = first; i < f->where_count; i++)
		known &= f->where[i].port > 0;
	return known;
}

static void part_report(struct explain *x, const bool *is_of, uint32_t cables)
{
	struct ft_model *m = x->m;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_EDGE_ISOLATED, FT_EVIDENCE_ABSENT);
	_cleanup_free_ bool *front = calloc(m->place_count + 1UL, sizeof(*front));
	const struct far_words far = words_for(m, is_of);
	uint32_t fronts = 0, behind = 0, hosts = 0, edges = 0;
	struct ft_text also = {0}, lost = {0};
	const char *names;
	size_t own;
	char words[48];

	m->memory.failed |= !front;
	for (uint32_t p = 0; front && p < m->place_count; p++) {
		if (!is_of[p])
			continue;
		front[p] = border_of(m, is_of, p) > 0;
		fronts += front[p];
		behind += !front[p];
		edges += m->places[p]->hosts > 0;
		hosts += ft_observed_at(m, p)->hosts;
		m->status[p] = FT_STATUS_ISOLATED;
		ft_finding_gone(m, f, p);
		if (!front[p]) {
			ft_finding_symptom(m, f, m->observed_of[p], 0, "%s is cut off with its %s", label_of(m, p),
					   ft_plural(ft_observed_at(m, p)->hosts, "host", words));
			continue;
		}
		ft_finding_where_switch(m, f, m->observed_of[p], 0);
		border_take(x, is_of, f, p);
	}
	own = f->where_count;
	for (uint32_t p = 0; front && !m->cut_off && p < m->place_count; p++)
		if (front[p])
			ft_shadow_where(x, f, p, FT_LINK_DOWN);
	names = front ? names_words(m, front) : "";
	if (behind > 0)
		ft_text_printf(&also, ", and %u switch%s behind %s,", behind, behind == 1 ? "" : "es",
			       fronts == 1 ? "it" : "them");
	f->count = behind > 0 ? edges : cables;
	f->impact.links_lost = cables;
	f->impact.hosts_cut_off = hosts;
	ft_say(m, &f->expected, "%u %s%s", cables, far.cable, ft_text_s(cables));
	ft_say(m, &f->observed, "none is up");
	if (m->cut_off)
		ft_text_printf(&lost, "; what lies behind %s was not reached", cables == 1 ? "it" : "them");
	else if (ports_are_known(f, own))
		ft_text_printf(&lost, "; the ports that went dark: %s", ft_where_words(m, f, own));
	if (cables == 1)
		ft_say(m, &f->text, "%s%s has no path to %s: its only %s is not up%s", names, ft_model_text(m, &also),
		       far.others, far.cable, ft_model_text(m, &lost));
	else
		ft_say(m, &f->text, "%s%s ha%s no path to %s: none of %s %u %ss is up%s", names,
		       ft_model_text(m, &also), fronts == 1 ? "s" : "ve", far.others, fronts == 1 ? "its" : "their",
		       cables, far.cable, ft_model_text(m, &lost));
	ft_say(m, &f->fix, "check the %ss of %s, or the power of the switches that they lead to; %s cut off", far.cable,
	       names, ft_plural(hosts, hosts == 1 ? "host is" : "host", words));
	x->isolated_seen = true;
}

int ft_apart_seen(struct explain *x)
{
	struct ft_model *m = x->m;
	_cleanup_free_ bool *is_main = main_parts(m);
	_cleanup_free_ bool *is_of = calloc(m->place_count + 1UL, sizeof(*is_of));

	if (!is_main || !is_of)
		return -ENOMEM;
	for (uint32_t part = 0; m->linked && part < m->observed.part_count; part++) {
		uint32_t cables = 0, members = 0;

		for (uint32_t p = 0; p < m->place_count; p++) {
			is_of[p] = m->observed_of[p] != FT_NONE && ft_observed_at(m, p)->part == part;
			members += is_of[p];
		}
		if (members == 0 || (is_main[part] && !m->cut_off))
			continue;
		for (uint32_t p = 0; p < m->place_count; p++)
			cables += is_of[p] ? border_of(m, is_of, p) : 0;
		if (cables > 0 && !is_hazy(m, is_of))
			part_report(x, is_of, cables);
	}
	return 0;
}

/* ---- unseen switches with others behind them ---- */

/* True for a switch none of whose neighbours was seen, but for those that are cut off themselves. */
static bool is_behind(const struct ft_model *m, uint32_t p)
{
	ft_each_pair(pair, m, p)
		if (m->cells.width[pair->cell] > 0 && m->observed_of[pair->peer] != FT_NONE &&
		    m->status[pair->peer] != FT_STATUS_ISOLATED)
			return false;
	return true;
}

int ft_apart_unseen(struct explain *x, ft_apart_report_fn *report)
{
	struct ft_model *m = x->m;
	_cleanup_free_ uint32_t *group = malloc((m->place_count + 1UL) * sizeof(*group));
	_cleanup_free_ bool *is_of = calloc(m->place_count + 1UL, sizeof(*is_of));

	if (!group || !is_of)
		return -ENOMEM;
	groups_make(m, true, group);
	for (uint32_t p = 0; p < m->place_count; p++) {
		uint32_t behind = 0;

		if (m->observed_of[p] != FT_NONE || group[p] != p)
			continue;
		for (uint32_t q = 0; q < m->place_count; q++) {
			is_of[q] = m->observed_of[q] == FT_NONE && ft_number_root(group, q) == p;
			behind += is_of[q] && is_behind(m, q);
		}
		if (behind > 0)
			report(x, is_of, behind);
	}
	return 0;
}
