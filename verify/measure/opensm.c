/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Whether OpenSM's fat-tree routing (ftree.h) takes the fabric, and which findings make it refuse the plan. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/flow/ftree.h"
#include "probe/facts.h"
#include "verify/measure/impact_parts.h"

/* Numbers of the switches that a subnet manager at the entry of the sweep sees; of all others FT_NONE. */
static int switches_number(const struct ft_snapshot *s, uint32_t *ret_number, uint32_t *ret_nodes, uint32_t *ret_count)
{
	_cleanup_free_ uint32_t *part = ft_parts_of(s);
	bool all = s->source.entry_node >= s->node_count;

	if (!part)
		return -ENOMEM;
	*ret_count = 0;
	for (uint32_t i = 0; i < s->node_count; i++) {
		bool counts = s->nodes[i].type == FT_NODE_SWITCH && (all || part[i] == part[s->source.entry_node]);

		ret_number[i] = counts ? *ret_count : FT_NONE;
		if (counts)
			ret_nodes[(*ret_count)++] = i;
	}
	return 0;
}

static void tree_of_seen(const struct ft_snapshot *s, const uint32_t *number, const uint32_t *nodes, struct ft_ftree *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		const struct ft_node *node = &s->nodes[nodes[i]];

		t->guids[i] = node->guid;
		ft_ftree_switch(t, i);
		for (uint32_t n = 0; n < node->port_count; n++) {
			const struct ft_port *far = ft_port_peer(s, &s->ports[node->first_port + n]);

			if (far && number[far->node] != FT_NONE)
				ft_ftree_cables(t, i, number[far->node], 1);
			t->hosts[i] += far && s->nodes[far->node].type == FT_NODE_CA;
		}
	}
}

/* "leaf07", the observed name. */
static int refusal_say(struct ft_model *m, const struct ft_ftree_verdict *verdict, const uint32_t *nodes, bool planned)
{
	static const char *const words[] = {
		[FT_FTREE_TOO_SMALL] = "there are fewer than two switches, or fewer than two hosts",
		[FT_FTREE_FLAT] = "every switch has hosts, so that there is no level above them",
		[FT_FTREE_DEEP] = "it has more than eight levels",
		[FT_FTREE_HOST_RANK] = "there are hosts on %s, which is not on the level of the leaf switches",
		[FT_FTREE_ONE_LEAF] = "all hosts are on one switch",
		[FT_FTREE_UP_NEIGHBOURS] = "%s and %s are not cabled to as many switches above them",
		[FT_FTREE_DOWN_NEIGHBOURS] = "%s and %s are not cabled to as many switches below them",
		[FT_FTREE_UP_CABLES] = "%s and %s have bundles of unlike width to switches above them",
		[FT_FTREE_DOWN_CABLES] = "%s and %s have bundles of unlike width to switches below them",
	};
	struct ft_text text = {0};
	const uint32_t named[2] = {nodes[verdict->a], nodes[verdict->b]};
	unsigned int count = 0;

	for (const char *c = words[verdict->why]; *c; c++) {
		bool name = c[0] == '%' && c[1] == 's';

		if (name)
			ft_text_puts(&text, ft_switch_text(m, named[count++]));
		else
			ft_text_add(&text, c, 1);
		c += name;
	}
	if (!planned)
		ft_text_puts(&text, "; not even as planned is it what it takes for a fat-tree");
	m->report->ftree_why = ft_arena_text(&m->report->memory, &text);
	return m->report->ftree_why ? 0 : -ENOMEM;
}

/* Cables that a finding adds to the plan: pairs of places; the one after the last is an additional switch. */
struct extras {
	uint32_t (*ends)[2];
	uint32_t count;
	uint32_t hosts_at; /* a host on that switch, or FT_NONE */
	uint32_t stranger_hosts;
};

static void extra_add(struct extras *e, uint32_t a, uint32_t b)
{
	if (a == FT_NONE || b == FT_NONE)
		return;
	e->ends[e->count][0] = a;
	e->ends[e->count++][1] = b;
}

static int extras_gather(const struct ft_weighing *x, const struct ft_finding *f, struct extras *e)
{
	const struct ft_model *m = x->m;
	uint32_t observed = f->code == FT_CODE_SWITCH_UNPLANNED ? ft_observed_of_place(&f->where[0]) : FT_NONE;

	*e = (struct extras){.hosts_at = FT_NONE};
	e->ends = calloc(f->where_count + (observed == FT_NONE ? 0 : m->observed.switches[observed].cable_count) + 1UL,
			 sizeof(*e->ends));
	if (!e->ends)
		return -ENOMEM;
	for (size_t i = 0; ft_finding_has(f, FT_TRAIT_STRAY) && i + 1 < f->where_count; i += 2)
		extra_add(e, ft_impact_place(x, &f->where[i]), ft_impact_place(x, &f->where[i + 1]));
	if (f->code == FT_CODE_HOST_ON_CORE && f->where_count > 0)
		e->hosts_at = ft_impact_place(x, &f->where[0]);
	if (observed == FT_NONE)
		return 0;
	e->stranger_hosts = m->observed.switches[observed].hosts;
	ft_each_end(end, m, observed)
		extra_add(e, m->place_count, ft_place_behind(m, end));
	return 0;
}

/* The plan, without the losses of the current finding, and with its additions. */
static void tree_of_plan(const struct ft_weighing *x, const struct extras *e, struct ft_ftree *t)
{
	const struct ft_model *m = x->m;

	for (uint32_t p = 0; p <= m->place_count; p++) {
		bool placed = p < m->place_count;

		ft_ftree_switch(t, p);
		t->guids[p] = placed && m->observed_of[p] != FT_NONE ? ft_observed_at(m, p)->guid : 0;
		t->hosts[p] = !placed ? e->stranger_hosts : x->is_gone[p] ? 0 : m->places[p]->hosts;
		t->hosts[p] += p == e->hosts_at;
		for (const struct ft_pair *pair = ft_pairs_of(m, p); placed && pair < ft_pairs_of(m, p + 1); pair++)
			ft_ftree_cables(t, p, pair->peer, ft_impact_left(x, pair->cell));
		for (uint32_t i = 0; i < e->count; i++)
			for (unsigned int n = 0; n < 2; n++)
				if (e->ends[i][n] == p)
					ft_ftree_cables(t, p, e->ends[i][1 - n], 1);
	}
}

static int plan_judge(const struct ft_weighing *x, const struct extras *e, bool *ret_refuses)
{
	_cleanup_(ft_ftree_release) struct ft_ftree t = {0};
	struct ft_ftree_verdict verdict;
	int r = ft_ftree_init(&t, x->m->place_count + 1, 2UL * (x->m->cells.count + e->count));

	if (r < 0)
		return r;
	tree_of_plan(x, e, &t);
	r = ft_ftree_judge(&t, &verdict);
	if (r == 0)
		*ret_refuses = verdict.why != FT_FTREE_TAKEN;
	return r;
}

int ft_opensm_judge_finding(const struct ft_weighing *x, struct ft_finding *f)
{
	struct extras e;
	int r = extras_gather(x, f, &e);

	if (r == 0 && (e.count > 0 || e.hosts_at != FT_NONE || x->cell_count > 0))
		r = plan_judge(x, &e, &f->impact.ftree_refuses);
	free(e.ends);
	return r;
}

int ft_opensm_judge(struct ft_weighing *x, bool *ret_refuses)
{
	struct ft_model *m = x->m;
	const struct ft_snapshot *s = m->chips;
	_cleanup_free_ uint32_t *number = malloc((s->node_count + 1UL) * sizeof(*number));
	_cleanup_free_ uint32_t *nodes = calloc(s->node_count + 1UL, sizeof(*nodes));
	_cleanup_(ft_ftree_release) struct ft_ftree t = {0};
	struct ft_ftree_verdict verdict;
	uint32_t count;
	int r;

	if (!number || !nodes)
		return -ENOMEM;
	r = switches_number(s, number, nodes, &count) ?: ft_ftree_init(&t, count, s->port_count);
	if (r < 0)
		return r;
	tree_of_seen(s, number, nodes, &t);
	r = ft_ftree_judge(&t, &verdict);
	*ret_refuses = true;
	/* A fabric that is taken, and as planned, says the same of the plan. */
	if (r == 0 && (verdict.why != FT_FTREE_TAKEN || m->report->finding_count > 0))
		r = plan_judge(x, &(const struct extras){.hosts_at = FT_NONE}, ret_refuses);
	if (r < 0 || count == 0)
		return r;
	m->report->ftree_known = true;
	m->report->ftree_refuses = verdict.why != FT_FTREE_TAKEN;
	return m->report->ftree_refuses ? refusal_say(m, &verdict, nodes, !*ret_refuses) : 0;
}
