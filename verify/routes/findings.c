/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The results of the walk as findings: one for each cause, with the number of routes that it affects. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/numbers.h"
#include "base/text.h"
#include "verify/model/capacity.h"
#include "verify/routes/routes.h"

enum {
	MANY = 8,	 /* causes of a kind beyond which they become one finding */
	PATH_SHOWN = 16, /* switches of an example */
	PLACES_SHOWN = 32,
};

/* ---- words ---- */

void ft_walk_name(const struct ft_walk *w, uint32_t hop, struct ft_text *text)
{
	ft_node_name_add(w->m, w->hops[hop].node, text);
}

static void host_name(const struct ft_walk *w, uint32_t target, struct ft_text *text)
{
	const struct ft_snapshot *s = w->m->chips;
	const struct ft_node *node = ft_port_node(s, &s->ports[w->targets[target].port]);

	if (node->description_length > 0)
		ft_text_add_safe(text, ft_node_description(s, node), node->description_length);
	else
		ft_text_printf(text, "LID %u", w->targets[target].lid);
}

static void port_add(const struct ft_walk *w, uint32_t link, struct ft_text *text)
{
	ft_walk_name(w, w->owner[link], text);
	ft_text_printf(text, " port %u", link - w->hops[w->owner[link]].first_link + 1);
}

uint32_t ft_walk_out(const struct ft_walk *w, uint32_t hop, uint32_t target)
{
	unsigned int port = ft_route_port(w->hops[hop].table, w->targets[target].lid);

	return port == 0 || port > w->hops[hop].links ? FT_NONE : w->hops[hop].first_link + port - 1;
}

/* A host on the switch other than the target itself, if there is one. */
static uint32_t host_from(const struct ft_walk *w, uint32_t from, uint32_t target)
{
	uint32_t first = w->hops[from].first_host;

	for (uint32_t i = first; first != FT_NONE && i < w->target_count; i++)
		if (w->targets[i].hop == from && w->targets[i].port != w->targets[target].port)
			return i;
	return FT_NONE;
}

/*
 * The route of a packet from some host of a hop: "from node001 to node019: leaf01 port 7, core02 port 3, …", as far as
 * it gets.
 */
static void path_add(const struct ft_walk *w, uint32_t from, uint32_t target, struct ft_text *text)
{
	uint32_t host = host_from(w, from, target), h = from, seen[PATH_SHOWN] = {0};

	ft_text_puts(text, "from ");
	if (host != FT_NONE)
		host_name(w, host, text);
	else
		ft_walk_name(w, from, text);
	ft_text_puts(text, " to ");
	host_name(w, target, text);
	for (uint32_t count = 0; count < PATH_SHOWN; count++) {
		uint32_t link = ft_walk_out(w, h, target);

		ft_text_puts(text, count ? ", " : ": ");
		if (ft_number_is_among(seen, count, h)) {
			ft_walk_name(w, h, text);
			ft_text_puts(text, " again");
			return;
		}
		if (link == FT_NONE) {
			ft_walk_name(w, h, text);
			ft_text_puts(text, " and no further");
			return;
		}
		port_add(w, link, text);
		if (link == w->targets[target].link)
			return;
		if (w->far[link] >= w->hop_count) {
			ft_text_puts(text, " and no further");
			return;
		}
		seen[count] = h;
		h = w->far[link];
	}
	ft_text_puts(text, " and so on");
}

void ft_walk_act(struct ft_walk *w, struct ft_finding *f, uint32_t hop)
{
	ft_finding_act(w->m, f, FT_ACT_SETTING, ft_chip_place(w->m, w->hops[hop].node, FT_NONE), (struct ft_place){0});
}

/* A single one by name, several as a number. A host has one for each of its LIDs. */
static void targets_say(const struct ft_walk *w, const struct ft_some *some, struct ft_text *text)
{
	if (some->targets == 1)
		host_name(w, some->to, text);
	else
		ft_text_printf(text, "%u destinations", some->targets);
}

static void some_say(const struct ft_some *some, struct ft_text *text)
{
	ft_text_printf(text, "%" PRIu64 " pair%s of hosts, %u destination%s", some->pairs, ft_text_s(some->pairs),
		       some->targets, ft_text_s(some->targets));
}

static void example_say(struct ft_walk *w, struct ft_finding *f, const struct ft_some *some)
{
	uint32_t observed = w->hops[some->from].observed;
	struct ft_text path = {0};

	if (observed == FT_NONE)
		return;
	path_add(w, some->from, some->to, &path);
	ft_finding_symptom(w->m, f, observed, 0, "for example, %s", ft_model_text(w->m, &path));
}

/* ---- causes ---- */

/* The cause of failing routes: a link, or link_count + a hop (no entry). */
struct cause {
	uint32_t at;
	uint32_t group; /* for a link that is down: the finding about it, or FT_NONE */
	struct ft_some some;
};

static uint32_t cause_hop(const struct ft_walk *w, uint32_t at)
{
	return at < w->link_count ? w->owner[at] : at - w->link_count;
}

static void cause_place(struct ft_walk *w, struct ft_finding *f, uint32_t at)
{
	if (at < w->link_count)
		ft_finding_where_chip_port(w->m, f, ft_walk_port(w, at));
	else
		ft_finding_where_chip(w->m, f, w->hops[cause_hop(w, at)].node);
}

/* The fault, as the beginning of a sentence. */
static void cause_say(const struct ft_walk *w, const struct cause *cause, struct ft_text *text)
{
	if (cause->at >= w->link_count) {
		ft_walk_name(w, cause->at - w->link_count, text);
		ft_text_puts(text, " has no valid entry for ");
		targets_say(w, &cause->some, text);
		return;
	}
	port_add(w, cause->at, text);
	ft_text_printf(text, " %s, and the table sends packets for ",
		       w->far[cause->at] != FT_FAR_DOWN	      ? "leads to another host"
		       : w->m->chips->source.lists_down_ports ? "is down"
							      : "leads to nobody that the dump lists");
	targets_say(w, &cause->some, text);
	ft_text_puts(text, " there");
}

/* The places of several causes, up to a limit. */
static void places_say(const struct ft_walk *w, const struct cause *causes, uint32_t count, struct ft_text *text)
{
	enum { SHOWN = 4 };

	for (uint32_t i = 0; i < count && i < SHOWN; i++) {
		ft_text_puts(text, i ? ", " : "");
		if (causes[i].at < w->link_count)
			port_add(w, causes[i].at, text);
		else
			ft_walk_name(w, causes[i].at - w->link_count, text);
	}
	ft_text_more(text, count, SHOWN);
}

/* By port: the first finding that names it. */
static void named_index(struct ft_walk *w, struct ft_map *named)
{
	const struct ft_report *report = w->m->report;

	for (size_t i = 0; i < report->finding_count; i++)
		for (const struct ft_place *at = report->findings[i].where;
		     at < report->findings[i].where + report->findings[i].where_count; at++)
			if (at->port > 0)
				ft_map_put(named, ft_hash_pair(at->guid, at->port), (uint32_t)i, &w->memory.failed);
}

static uint32_t named_group(const struct ft_walk *w, const struct ft_map *named, uint32_t at)
{
	if (at >= w->link_count || w->far[at] != FT_FAR_DOWN)
		return FT_NONE;
	return ft_map_get(named, ft_hash_pair(w->m->chips->nodes[w->hops[w->owner[at]].node].guid,
					      w->m->chips->ports[ft_walk_port(w, at)].number));
}

/* By group, and within a group the worst first. */
static int cause_compare(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	return FT_ORDER(x->group, y->group) ?: FT_ORDER(y->some.pairs, x->some.pairs) ?: FT_ORDER(x->at, y->at);
}

/* One finding for these causes: explained by the same finding, or a single one, or too many to report each. */
static void unreachable_add(struct ft_walk *w, const struct cause *causes, uint32_t count)
{
	struct ft_model *m = w->m;
	struct ft_text words = {0};
	/* Before the finding is added, which may move the others. */
	const char *because =
		causes[0].group == FT_NONE ? NULL : ft_codes[m->report->findings[causes[0].group].code].name;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_ROUTE_UNREACHABLE, FT_EVIDENCE_SEEN);
	uint64_t pairs = 0;
	char plural[48];

	for (uint32_t i = 0; i < count; i++) {
		pairs += causes[i].some.pairs;
		if (i >= PLACES_SHOWN)
			continue;
		cause_place(w, f, causes[i].at);
		ft_walk_act(w, f, cause_hop(w, causes[i].at));
	}
	f->count = ft_saturate(pairs);
	ft_plural(f->count, "pair", plural);
	if (count == 1)
		cause_say(w, causes, &words);
	else
		places_say(w, causes, count, &words);
	ft_say(m, &f->expected, "tables that lead to every host");
	ft_say(m, &f->observed, "%s of hosts whose routes end early", plural);
	if (count == 1)
		ft_say(m, &f->text, "%s: the routes of %s of hosts end there", ft_model_text(m, &words), plural);
	else
		ft_say(m, &f->text, "the routes of %s of hosts end early, at %s, %s", plural, ft_model_text(m, &words),
		       because ? "which are down" : "where tables lead astray");
	if (because)
		ft_say(m, &f->fix,
		       "mend what %s says; until then have the subnet manager route around it, for it has not noticed",
		       because);
	else
		ft_say(m, &f->fix,
		       "have the subnet manager compute the tables anew (OpenSM: SIGHUP); if that does not help, its "
		       "log tells "
		       "why");
	example_say(w, f, &causes[0].some);
}

static void unreachable_report(struct ft_walk *w)
{
	_cleanup_(ft_map_release) struct ft_map named = {0};
	struct cause *causes = ft_arena_zeros(&w->memory, (size_t)w->link_count + w->hop_count, sizeof(*causes));
	uint32_t count = 0, alone;

	named_index(w, &named);
	if (w->memory.failed)
		return;
	for (uint32_t at = 0; at < w->link_count + w->hop_count; at++)
		if (w->ends[at].pairs > 0)
			causes[count++] = (struct cause){at, named_group(w, &named, at), w->ends[at]};
	qsort(causes, count, sizeof(*causes), cause_compare);
	/* FT_NONE is the highest group number: causes without a group are last. */
	for (alone = 0; alone < count && causes[alone].group != FT_NONE;) {
		uint32_t first = alone;

		while (alone < count && causes[alone].group == causes[first].group)
			alone++;
		unreachable_add(w, causes + first, alone - first);
	}
	if (count - alone > MANY)
		unreachable_add(w, causes + alone, count - alone);
	else
		for (; alone < count; alone++)
			unreachable_add(w, causes + alone, 1);
}

/* The LIDs of a port are adjacent. */
static uint32_t unrouted_hosts(const struct ft_walk *w)
{
	uint32_t count = 0, port = FT_NONE;

	for (uint32_t i = 0; i < w->target_count; i++) {
		if (!w->targets[i].unrouted)
			continue;
		count += w->targets[i].port != port;
		port = w->targets[i].port;
	}
	return count;
}

/* Hosts for which hardly any switch has an entry: one fault of the subnet manager. */
static void unrouted_report(struct ft_walk *w)
{
	struct ft_model *m = w->m;
	struct ft_text hosts = {0};
	bool all = w->unrouted.targets == w->target_count;
	struct ft_finding *f;
	const char *names;
	char plural[48];

	if (w->unrouted.targets == 0)
		return;
	f = ft_finding_add(m, FT_CODE_ROUTE_UNREACHABLE, FT_EVIDENCE_SEEN);
	f->count = ft_saturate(w->unrouted.pairs);
	f->impact.hosts_cut_off = unrouted_hosts(w);
	for (uint32_t i = 0, shown = 0; i < w->target_count && shown < 4; i++) {
		if (!w->targets[i].unrouted)
			continue;
		if (!all)
			ft_finding_where_chip_port(m, f, w->targets[i].port);
		ft_text_puts(&hosts, shown++ ? ", " : "");
		host_name(w, i, &hosts);
	}
	ft_text_more(&hosts, w->unrouted.targets, 4);
	names = ft_model_text(m, &hosts);
	ft_say(m, &f->expected, "tables that lead to every host");
	ft_say(m, &f->observed, "%s with next to no switch that has an entry for it",
	       ft_plural(w->unrouted.targets, "destination", plural));
	if (all)
		ft_say(m, &f->text,
		       "the forwarding tables lead to no host at all: no subnet manager has routed this fabric");
	else
		ft_say(m, &f->text, "the forwarding tables do not know %s: %s",
		       ft_plural(w->unrouted.targets, "destination", plural), names);
	ft_say(m, &f->fix, "%s",
	       all ? "start the subnet manager, and let it finish"
		   : "have the subnet manager sweep and route anew (OpenSM: SIGHUP); its log tells why it left them "
		     "out");
	example_say(w, f, &w->unrouted);
}

/* ---- loops ---- */

static void loop_links_say(const struct ft_walk *w, const struct ft_loop *loop, struct ft_text *text)
{
	for (uint32_t i = 0; i < loop->count && i < PATH_SHOWN; i++) {
		ft_text_puts(text, i ? ", " : "");
		port_add(w, loop->links[i], text);
	}
	ft_text_more(text, loop->count, PATH_SHOWN);
}

static void loop_add(struct ft_walk *w, const struct ft_loop *loop, uint32_t loops, uint64_t pairs)
{
	struct ft_model *m = w->m;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_ROUTE_LOOP, FT_EVIDENCE_SEEN);
	struct ft_text links = {0};
	char plural[48];

	f->count = ft_saturate(pairs);
	ft_plural(f->count, "pair", plural);
	for (uint32_t i = 0; i < loop->count && i < PLACES_SHOWN; i++) {
		ft_finding_where_chip_port(m, f, ft_walk_port(w, loop->links[i]));
		ft_walk_act(w, f, w->owner[loop->links[i]]);
	}
	loop_links_say(w, loop, &links);
	ft_say(m, &f->expected, "routes that arrive");
	ft_say(m, &f->observed, "packets that go round over %u switch%s", loop->count, ft_text_es(loop->count));
	if (loops > 1)
		ft_say(m, &f->text,
		       "the routes of %s of hosts go round in %u circles and never arrive; one of them is %s", plural,
		       loops, ft_model_text(m, &links));
	else
		ft_say(m, &f->text, "the routes of %s of hosts go round and never arrive: %s, and again", plural,
		       ft_model_text(m, &links));
	ft_say(m, &f->fix,
	       "have the subnet manager compute the tables anew (OpenSM: SIGHUP), and look whether a second one runs");
	example_say(w, f, &loop->some);
}

static void loops_report(struct ft_walk *w)
{
	uint32_t worst = 0;

	for (uint32_t i = 0; i < w->loop_count; i++) {
		if (w->loops[i].some.pairs > w->loops[worst].some.pairs)
			worst = i;
		if (w->loop_count <= MANY)
			loop_add(w, &w->loops[i], 1, w->loops[i].some.pairs);
	}
	if (w->loop_count > MANY)
		loop_add(w, &w->loops[worst], w->loop_count, w->looping);
}

/* ---- detours ---- */

static void detour_say(const struct ft_walk *w, uint32_t hop, struct ft_text *text)
{
	const struct ft_detours *d = &w->detours[hop];

	ft_walk_name(w, hop, text);
	ft_text_puts(text, ": ");
	some_say(&d->some, text);
	ft_text_printf(text, ", up to %u switch%s instead of %u", d->hops, ft_text_es(d->hops), d->allowed);
	if (d->turns > 0)
		ft_text_printf(text, ", %" PRIu64 " that go up again after down", d->turns);
}

/* @hops: those of one finding. */
static void detour_add(struct ft_walk *w, const uint32_t *hops, uint32_t count)
{
	struct ft_model *m = w->m;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_ROUTE_DETOUR, FT_EVIDENCE_SEEN);
	struct ft_text words = {0};
	const struct ft_detours *worst = &w->detours[hops[0]];
	uint64_t pairs = 0;

	for (uint32_t i = 0; i < count; i++) {
		pairs += w->detours[hops[i]].some.pairs;
		if (i < PLACES_SHOWN) {
			ft_finding_where_chip(m, f, w->hops[hops[i]].node);
			ft_walk_act(w, f, hops[i]);
		}
		if (w->detours[hops[i]].hops > worst->hops)
			worst = &w->detours[hops[i]];
	}
	f->count = ft_saturate(pairs);
	detour_say(w, (uint32_t)(worst - w->detours), &words);
	ft_say(m, &f->expected, "routes over at most %u switch%s%s", worst->allowed, ft_text_es(worst->allowed),
	       m->capacity->ranks > 1 ? ", up and then down" : "");
	ft_say(m, &f->observed, "routes over up to %u switch%s", worst->hops, ft_text_es(worst->hops));
	if (count > 1)
		ft_say(m, &f->text,
		       "the tables of %u switch%s send packets on detours (%" PRIu64 " pair%s of hosts); %s", count,
		       ft_text_es(count), pairs, ft_text_s(pairs), ft_model_text(m, &words));
	else
		ft_say(m, &f->text, "the table of a switch sends packets on detours; %s", ft_model_text(m, &words));
	ft_say(m, &f->fix, "have the subnet manager route %s; the cables allow it",
	       m->capacity->ranks > 1
		       ? "for fat-trees (OpenSM: routing_engine ftree or updn)"
		       : "by shortest paths (OpenSM: routing_engine lash or dfsssp, on a torus torus-2QoS)");
	example_say(w, f, &worst->some);
}

static void detours_report(struct ft_walk *w)
{
	uint32_t *hops = ft_arena_zeros(&w->memory, w->hop_count, sizeof(*hops)), count = 0;

	for (uint32_t h = 0; hops && h < w->hop_count; h++)
		if (w->detours[h].some.pairs > 0)
			hops[count++] = h;
	if (count > MANY)
		detour_add(w, hops, count);
	else
		for (uint32_t i = 0; i < count; i++)
			detour_add(w, hops + i, 1);
}

/* ---- figures ---- */

/* Only if routes could not be judged for it: the table of a switch on no route may stay unknown. */
static void unknown_report(struct ft_walk *w)
{
	struct ft_model *m = w->m;
	struct ft_text names = {0};
	struct ft_finding *f;
	uint32_t shown = 0;

	if (w->unknown == 0 || w->tables_unknown == 0)
		return;
	f = ft_finding_add(m, FT_CODE_SWEEP_INCOMPLETE, FT_EVIDENCE_UNREACHED);
	f->count = w->tables_unknown;
	for (uint32_t h = 0; h < w->hop_count; h++) {
		if (!ft_walk_has_holes(&w->hops[h]))
			continue;
		if (shown < PLACES_SHOWN)
			ft_finding_where_chip(m, f, w->hops[h].node);
		if (shown++ >= 4)
			continue;
		ft_text_puts(&names, shown > 1 ? ", " : "");
		ft_walk_name(w, h, &names);
	}
	ft_text_more(&names, shown, 4);
	ft_say(m, &f->expected, "the forwarding tables of all switches");
	ft_say(m, &f->observed, "those of %u of %u", w->tables, w->tables + w->tables_unknown);
	ft_say(m, &f->text,
	       "the forwarding table%s of %s %s not known, and so not the routes of %" PRIu64 " pair%s of hosts",
	       ft_text_s(shown), ft_model_text(m, &names), shown == 1 ? "is" : "are", w->unknown,
	       ft_text_s(w->unknown));
	ft_say(m, &f->fix, "%s",
	       m->input->routes->mads ? "look why they do not answer, or ask again with fewer packets on the wire (-o)"
				      : "add their tables to the files behind --routes");
}

static void figures(struct ft_walk *w)
{
	struct ft_report *r = w->m->report;

	r->routes.switches = w->hop_count;
	r->routes.tables = w->tables;
	r->routes.pairs = ft_saturate(w->pairs);
	r->routes.reached = ft_saturate(w->reached);
	r->routes.unreachable = ft_saturate(w->ended + w->apart);
	r->routes.looping = ft_saturate(w->looping);
	r->routes.unknown = ft_saturate(w->unknown);
	r->routes.longest = w->longest;
	r->routes.mean_milli = w->reached ? (uint32_t)((w->sum * 1000 + w->reached / 2) / w->reached) : 0;
	r->routes.mads = w->m->input->routes->mads + (w->m->input->lanes ? w->m->input->lanes->mads : 0);
}

void ft_walk_report(struct ft_walk *w)
{
	figures(w);
	unreachable_report(w);
	detours_report(w);
	unrouted_report(w);
	loops_report(w);
	unknown_report(w);
}
