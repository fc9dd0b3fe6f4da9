/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Hosts that came and went since a recording. A host is known by the GUID of its port, so one that moved did neither:
 * its cable is in a wrong port then (explain/trails.c). Those of a switch that went are part of that switch's finding.
 * Cost: O(n) in the ports of both.
 */
#include "config.h"

#include "base/map.h"
#include "base/text.h"
#include "probe/facts.h"
#include "verify/model/chassis.h"
#include "verify/check/check.h"

enum { SHOWN = 6 };

/* The hosts of a snapshot by their GUIDs. */
static void hosts_map(struct ft_model *m, const struct ft_snapshot *s, struct ft_map *hosts)
{
	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *host = ft_host_behind(s, i);

		if (host)
			ft_map_put(hosts, ft_host_guid(s, host), i, &m->memory.failed);
	}
}

/* One finding for all of them: each is one more line of it. */
struct change {
	struct ft_model *m;
	enum ft_code code;
	const char *happened; /* "gone", "new" */
	const char *fix;
	struct ft_finding *finding;
	uint32_t count;
	struct ft_text names;
};

static void change_add(struct change *c, const struct ft_snapshot *s, const struct ft_port *host, uint32_t observed,
		       unsigned int port)
{
	const struct ft_node *node = ft_port_node(s, host);
	const char *name = ft_arena_safe(&c->m->report->memory, ft_node_description(s, node), node->description_length);
	const char *label = c->m->observed.switches[observed].label;
	char words[FT_PORT_WORDS_SIZE];

	ft_observed_port_words(c->m, observed, port, words);
	if (!c->finding)
		c->finding = ft_finding_add(c->m, c->code, FT_EVIDENCE_SEEN);
	if (c->count++ < SHOWN)
		ft_text_printf(&c->names, "%s%s on %s%s", c->count > 1 ? ", " : ": ", name, label, words);
	ft_finding_where_switch(c->m, c->finding, observed, port);
	ft_finding_symptom(c->m, c->finding, observed, port, "%s is %s, on %s%s", name, c->happened, label, words);
}

static void change_end(struct change *c)
{
	struct ft_finding *f = c->finding;
	char hosts[48];

	if (!f)
		return;
	f->count = c->count;
	ft_text_more(&c->names, c->count, SHOWN);
	ft_say(c->m, &f->text, "%s %s %s%s", ft_plural(c->count, "host", hosts), c->count == 1 ? "is" : "are",
	       c->happened, ft_model_text(c->m, &c->names));
	ft_say(c->m, &f->fix, "%s", c->fix);
}

/* The hosts of the recording that are not seen any more. @switches: the observed ones by GUID. */
static void gone_find(struct change *c, const struct ft_map *now, const struct ft_map *switches)
{
	const struct ft_snapshot *s = c->m->since;

	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *host = ft_host_behind(s, i);
		uint32_t observed;

		if (!host || ft_map_get(now, ft_host_guid(s, host)) != FT_NONE)
			continue;
		observed = ft_map_get(switches, ft_port_node(s, &s->ports[i])->guid);
		if (observed != FT_NONE)
			change_add(c, s, host, observed, s->ports[i].number);
	}
	change_end(c);
}

static void new_find(struct change *c, const struct ft_map *before)
{
	const struct ft_snapshot *s = c->m->snapshot;

	for (uint32_t i = 0; i < c->m->observed.host_count; i++) {
		const struct ft_observed_host *host = &c->m->observed.hosts[i];

		if (ft_map_get(before, ft_host_guid(s, &s->ports[host->port])) == FT_NONE)
			change_add(c, s, &s->ports[host->port], host->observed, s->ports[host->switch_port].number);
	}
	change_end(c);
}

int ft_hosts_since_check(struct ft_model *m)
{
	_cleanup_(ft_map_release) struct ft_map before = {0}, now = {0}, switches = {0};
	struct change gone = {.m = m,
			      .code = FT_CODE_HOSTS_MISSING,
			      .happened = "gone",
			      .fix = "check whether it is to be off, else its power and its cable"};
	struct change new = {
		.m = m, .code = FT_CODE_HOSTS_UNPLANNED, .happened = "new", .fix = "nothing, if it is to be there"};

	hosts_map(m, m->since, &before);
	hosts_map(m, m->snapshot, &now);
	for (uint32_t i = 0; i < m->observed.switch_count; i++)
		ft_map_put(&switches, m->observed.switches[i].guid, i, &m->memory.failed);
	gone_find(&gone, &now, &switches);
	new_find(&new, &before);
	m->hosts_new = new.count;
	return 0;
}
