/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The findings of a plan that says which port each cable is in. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "verify/exact.h"

/* How many cables a sentence names. All are in the finding's places. */
enum { NAMED_MAX = 6 };

/* "core01 port 5"; of a port that is not known, its switch. */
static const char *vertex_text(const struct ft_exact_graph *g, uint32_t v, struct ft_text *buffer)
{
	if (v < g->ports)
		return ft_place_text(g->m, v, buffer);
	ft_text_reset(buffer);
	ft_text_puts(buffer, label_of(g->m, g->place[v]));
	return ft_text_string(buffer);
}

static void seen_where(const struct ft_exact_graph *g, struct ft_finding *f, uint32_t seen)
{
	struct ft_model *m = g->m;
	const struct ft_live_host *host;

	if (seen < m->live.cable_count) {
		ft_finding_where_cable(m, f, &m->live.cables[seen]);
		return;
	}
	host = &m->live.hosts[seen - m->live.cable_count];
	ft_finding_where_port(m, f, host->switch_port);
	ft_finding_where_port(m, f, host->port);
}

/* A place of its own for the end of an action whose port is not known. */
static void act_end_set(const struct ft_exact_graph *g, struct ft_place *place, uint32_t v)
{
	const struct ft_live_switch *sw = ft_live_at(g->m, g->place[v]);

	if (v < g->ports || place->name)
		return;
	place->name = strdup(sw->name);
	place->guid = sw->guid;
	g->m->failed |= !place->name;
}

static void act(const struct ft_exact_graph *g, struct ft_finding *f, enum ft_act what, uint32_t a, uint32_t b)
{
	size_t before = f->action_count;

	ft_finding_act_ports(g->m, f, what, a < g->ports ? a : FT_NONE, b < g->ports ? b : FT_NONE);
	if (f->action_count == before)
		return;
	act_end_set(g, &f->actions[before].a, a);
	act_end_set(g, &f->actions[before].b, b);
}

/* The cable end at @port goes to any port of the same switch that is free. */
static void act_out(const struct ft_exact_graph *g, struct ft_finding *f, uint32_t port)
{
	const struct ft_live_switch *sw = ft_live_at(g->m, g->place[port]);
	size_t before = f->action_count;

	ft_finding_act_ports(g->m, f, FT_ACT_MOVE, port, FT_NONE);
	if (f->action_count == before)
		return;
	f->actions[before].b = (struct ft_place){strdup(sw->name), sw->guid, 0};
	g->m->failed |= !f->actions[before].b.name;
}

/* ---- what a cable that has moved means for the figures ---- */

static bool planned_is_host(const struct ft_exact_graph *g, uint32_t planned)
{
	return planned >= g->m->plan->cable_count;
}

/* The pair of the two ports is short of a cable, unless others between the two switches make up for it. */
static void lack_take(struct ft_exact_graph *g, struct ft_finding *f, uint32_t a, uint32_t b)
{
	uint32_t cell = ft_cell_at(g->m, g->place[a], g->place[b]);

	if (g->lacking[cell] == 0)
		return;
	g->lacking[cell]--;
	ft_finding_lack(g->m, f, g->place[a], g->place[b], 1);
}

static void moved_count(struct ft_exact_graph *g, struct ft_finding *f, const struct ft_exact_move *move)
{
	if (planned_is_host(g, move->planned))
		return;
	if (g->place[move->wrong] != g->place[move->target])
		lack_take(g, f, move->keep, move->target);
	if (move->seen < g->m->live.cable_count)
		g->m->misplaced[move->seen] = true;
}

/* A host that is not where it should be counts where it belongs. @told: a finding is about to say so. */
static void host_drifted(struct ft_exact_graph *g, const struct ft_exact_move *move, bool told)
{
	struct ft_exact *e = &g->m->exact;

	if (move->seen < g->m->live.cable_count || !planned_is_host(g, move->planned))
		return;
	e->belongs[move->seen - g->m->live.cable_count] = move->planned - g->m->plan->cable_count;
	e->away[g->place[move->target]]++;
	e->away[g->place[move->wrong]]--;
	e->told[move->seen - g->m->live.cable_count] = told;
}

/* ---- cycles ---- */

static uint32_t hosts_at(const struct ft_exact_graph *g, const uint32_t *path, uint32_t count, uint32_t first)
{
	uint32_t hosts = 0;

	for (uint32_t i = first; i < count; i += 2)
		hosts += ft_exact_is_host(g, path[i]);
	return hosts;
}

/* How far one has to go: how often the switch changes from one end to the next, and then how low they are. */
static uint32_t spread_of(const struct ft_exact_graph *g, const uint32_t *path, uint32_t count, uint32_t first)
{
	uint32_t changes = 0, lower = 0;

	for (uint32_t i = first; i < count; i += 2) {
		uint32_t here = g->place[path[i]], next = g->place[path[(i + 2) % count]];

		changes += here != next;
		lower += here != FT_NONE && next != FT_NONE ? FT_TIER_CORE - ft_tier_of(g->m, here) : 0;
	}
	return changes * 4 * count + lower;
}

/* Turns the path round where the ends at odd places are the better ones to move. */
static void cycle_turn(const struct ft_exact_graph *g, const uint32_t *path, uint32_t count, uint32_t *ret)
{
	uint32_t even = hosts_at(g, path, count, 0), odd = hosts_at(g, path, count, 1);

	if (even == odd) {
		even = spread_of(g, path, count, 0);
		odd = spread_of(g, path, count, 1);
	}
	for (uint32_t i = 0; i < count; i++)
		ret[i] = odd < even ? path[(count + 1 - i) % count] : path[i];
}

/* "exchange the two cable ends at A and B" */
static void exchange_add(struct ft_exact_graph *g, struct ft_finding *f, uint32_t a, uint32_t b, bool alone,
			 struct ft_text *fix)
{
	size_t before = f->action_count;

	act(g, f, FT_ACT_EXCHANGE, a, b);
	if (before >= NAMED_MAX)
		return;
	ft_text_printf(fix, "%s%s and %s",
		       before  ? ", then those at "
		       : alone ? "exchange the two cable ends at "
			       : "exchange the cable ends at ",
		       vertex_text(g, a, &g->x->text_a), vertex_text(g, b, &g->x->text_b));
}

/* Puts the planned cable at @x into its place, by exchanging the other end of what is in it with what is in the way. */
static void place_by_exchange(struct ft_exact_graph *g, struct ft_finding *f, uint32_t x, struct ft_text *fix)
{
	uint32_t y = g->mate[x], from = g->far[x], other = g->far[y];

	if (from == y)
		return;
	exchange_add(g, f, from, y, false, fix);
	g->far[x] = y;
	g->far[y] = x;
	g->far[from] = other;
	g->far[other] = from;
}

/*
 * Each step puts one cable where it belongs, and the last one two. Where hosts are among both halves of the ends, they
 * come first: the other end of a host's cable is a switch's, and once all hosts are right only switches are left.
 */
static void cycle_fix(struct ft_exact_graph *g, struct ft_finding *f, const uint32_t *path, uint32_t count)
{
	_cleanup_(ft_text_release) struct ft_text fix = {0};
	bool held = hosts_at(g, path, count, 0) > 0;

	for (uint32_t i = 2; i < count && !held; i += 2)
		exchange_add(g, f, path[0], path[i], count == 4, &fix);
	for (uint32_t i = 0; i < count && held; i++)
		if (ft_exact_is_host(g, path[i]))
			place_by_exchange(g, f, path[i], &fix);
	for (uint32_t i = 0; i < count && held; i++)
		if (!ft_exact_is_host(g, path[i]))
			place_by_exchange(g, f, path[i], &fix);
	if (f->action_count > NAMED_MAX)
		ft_text_printf(&fix, ", and so on for %zu more", f->action_count - NAMED_MAX);
	ft_say(g->m, &f->fix, "%s", ft_text_string(&fix));
	g->m->failed |= fix.failed;
}

static void cycle_words(struct ft_exact_graph *g, struct ft_finding *f, const uint32_t *path, uint32_t count,
			bool hosts)
{
	struct ft_text *a = &g->x->text_a, *b = &g->x->text_b;
	_cleanup_(ft_text_release) struct ft_text expected = {0};
	_cleanup_(ft_text_release) struct ft_text observed = {0};
	const char *more = "";
	char rest[32];

	for (uint32_t i = 0; i < count && i / 2 < NAMED_MAX; i += 2) {
		const char *comma = i ? ", " : "";

		ft_text_printf(&expected, "%s%s - %s", comma, vertex_text(g, path[i + 1], a),
			       vertex_text(g, path[(i + 2) % count], b));
		ft_text_printf(&observed, "%s%s %s %s", comma, vertex_text(g, path[i + 1], a),
			       hosts ? "is on" : "ends on", vertex_text(g, path[i], b));
	}
	if (count / 2 > NAMED_MAX) {
		snprintf(rest, sizeof(rest), " and %u more", count / 2 - NAMED_MAX);
		more = rest;
	}
	ft_say(g->m, &f->expected, "%s%s", ft_text_string(&expected), more);
	ft_say(g->m, &f->observed, "%s%s", ft_text_string(&observed), more);
	ft_say(g->m, &f->text, "%u %s: %s%s", count / 2,
	       hosts ? "hosts are in each other's ports" : "cables are swapped", ft_text_string(&observed), more);
	g->m->failed |= expected.failed || observed.failed;
}

void ft_exact_report_cycle(struct ft_exact_graph *g, const uint32_t *path, uint32_t count)
{
	struct ft_model *m = g->m;
	_cleanup_free_ uint32_t *ring = calloc(count, sizeof(*ring));
	struct ft_finding *f;
	bool hosts;

	if (!ring) {
		m->failed = true;
		return;
	}
	cycle_turn(g, path, count, ring);
	hosts = hosts_at(g, ring, count, 1) == count / 2;
	f = ft_finding_add(m, hosts ? FT_CODE_HOST_MISPLACED : FT_CODE_CABLES_SWAPPED, FT_EVIDENCE_SEEN);
	f->count = count / 2;
	for (uint32_t i = 0; i < count; i += 2) {
		const struct ft_exact_move move = {.keep = ring[i + 1],
						   .wrong = ring[i],
						   .target = ring[(i + 2) % count],
						   .planned = g->planned[ring[i + 1]],
						   .seen = g->seen[ring[i]]};

		seen_where(g, f, move.seen);
		moved_count(g, f, &move);
		host_drifted(g, &move, true);
	}
	cycle_words(g, f, ring, count, hosts);
	cycle_fix(g, f, ring, count);
}

/* ---- a cable that has moved ---- */

/* Where a host is in the way, and the cable's port is one for hosts, the two have been exchanged. */
static bool is_exchanged_with_guest(const struct ft_exact_graph *g, const struct ft_exact_move *move)
{
	return g->guest[move->target] != FT_NONE && g->mate[move->wrong] == FT_NONE && move->wrong < g->ports &&
	       g->place[move->wrong] < g->m->edges;
}

static void move_fix(struct ft_exact_graph *g, struct ft_finding *f, const struct ft_exact_move *move, bool exchanged)
{
	struct ft_text *a = &g->x->text_a, *b = &g->x->text_b, *c = &g->x->text_c;
	const char *what = ft_exact_is_host(g, move->keep) ? "cable" : "end";
	struct ft_model *m = g->m;

	vertex_text(g, move->wrong, a);
	vertex_text(g, move->target, b);
	if (exchanged) {
		ft_say(m, &f->fix, "exchange the two cable ends at %s and %s", ft_text_string(a), ft_text_string(b));
		act(g, f, FT_ACT_EXCHANGE, move->wrong, move->target);
		return;
	}
	if (g->guest[move->target] != FT_NONE) {
		ft_say(m, &f->fix, "free %s, which holds the cable of host %s, and move its %s from %s there",
		       ft_text_string(b), ft_place_text(m, m->live.hosts[g->guest[move->target]].port, c), what,
		       ft_text_string(a));
		act_out(g, f, move->target);
	} else if (g->far[move->target] != FT_NONE) {
		ft_say(m, &f->fix, "move its %s from %s to %s, once that of %s has left it", what, ft_text_string(a),
		       ft_text_string(b), vertex_text(g, g->far[move->target], c));
	} else {
		ft_say(m, &f->fix, "move its %s from %s to %s", what, ft_text_string(a), ft_text_string(b));
	}
	act(g, f, FT_ACT_MOVE, move->wrong, move->target);
}

/* The same cable is another planned one if the end that is called wrong is the right one. */
static void move_alternative(struct ft_exact_graph *g, struct ft_finding *f, const struct ft_exact_move *move)
{
	struct ft_text *a = &g->x->text_a, *b = &g->x->text_b, *c = &g->x->text_c;
	_cleanup_(ft_text_release) struct ft_text target = {0};

	if (move->rival == FT_NONE)
		return;
	ft_finding_alternative(g->m, f,
			       "its end at %s is right, and the other belongs on %s; then the cable between %s and %s "
			       "is the missing one. The label of the cable in %s tells",
			       vertex_text(g, move->wrong, a), vertex_text(g, g->mate[move->wrong], b),
			       vertex_text(g, move->keep, c), vertex_text(g, move->target, &target), ft_text_string(a));
	g->m->failed |= target.failed;
}

static void host_move(struct ft_exact_graph *g, const struct ft_exact_move *move)
{
	struct ft_model *m = g->m;
	struct ft_finding *f;

	/* On a core it is a finding of its own, which says where it belongs. */
	host_drifted(g, move, g->place[move->wrong] < m->edges);
	if (g->place[move->wrong] >= m->edges)
		return;
	f = ft_finding_add(m, FT_CODE_HOST_MISPLACED, FT_EVIDENCE_SEEN);
	seen_where(g, f, move->seen);
	move_fix(g, f, move, g->guest[move->target] != FT_NONE && g->mate[move->wrong] == FT_NONE);
	vertex_text(g, move->keep, &g->x->text_a);
	vertex_text(g, move->wrong, &g->x->text_b);
	vertex_text(g, move->target, &g->x->text_c);
	ft_say(m, &f->expected, "%s on %s", ft_text_string(&g->x->text_a), ft_text_string(&g->x->text_c));
	ft_say(m, &f->observed, "%s on %s", ft_text_string(&g->x->text_a), ft_text_string(&g->x->text_b));
	ft_say(m, &f->text, "host %s is on %s, but belongs on %s", ft_text_string(&g->x->text_a),
	       ft_text_string(&g->x->text_b), ft_text_string(&g->x->text_c));
}

static enum ft_code move_code(const struct ft_exact_graph *g, const struct ft_exact_move *move, bool exchanged)
{
	if (exchanged)
		return FT_CODE_CABLES_SWAPPED;
	return g->place[move->wrong] == g->place[move->target] ? FT_CODE_CABLE_WRONG_PORT : FT_CODE_CABLE_MISPLACED;
}

void ft_exact_report_move(struct ft_exact_graph *g, const struct ft_exact_move *move)
{
	struct ft_text *a = &g->x->text_a, *b = &g->x->text_b, *c = &g->x->text_c;
	bool exchanged = is_exchanged_with_guest(g, move);
	enum ft_code code = move_code(g, move, exchanged);
	struct ft_model *m = g->m;
	struct ft_finding *f;

	if (ft_exact_is_host(g, move->keep)) {
		host_move(g, move);
		return;
	}
	f = ft_finding_add(m, code, FT_EVIDENCE_SEEN);
	seen_where(g, f, move->seen);
	if (exchanged) {
		f->count = 2;
		seen_where(g, f, m->live.cable_count + g->guest[move->target]);
	}
	moved_count(g, f, move);
	f->impact.links_lost = (uint32_t)f->lack_count;
	if (move->target < g->ports)
		m->port_claimed[move->target] = true;
	vertex_text(g, move->keep, a);
	vertex_text(g, move->wrong, b);
	vertex_text(g, move->target, c);
	ft_say(m, &f->expected, "%s - %s", ft_text_string(a), ft_text_string(c));
	ft_say(m, &f->observed, "%s - %s", ft_text_string(a), ft_text_string(b));
	if (exchanged)
		ft_say(m, &f->text,
		       "2 cables are swapped: that from %s is in %s, a port for hosts, and a host's is in %s",
		       ft_text_string(a), ft_text_string(b), ft_text_string(c));
	else
		ft_say(m, &f->text, "the cable from %s %s %s, but belongs %s %s", ft_text_string(a),
		       code == FT_CODE_CABLE_WRONG_PORT ? "is in" : "ends on", ft_text_string(b),
		       code == FT_CODE_CABLE_WRONG_PORT ? "in" : "on", ft_text_string(c));
	move_fix(g, f, move, exchanged);
	move_alternative(g, f, move);
}

void ft_exact_report_both(struct ft_exact_graph *g, uint32_t extra, const struct ft_exact_gap *gap)
{
	uint32_t a = g->place[extra] == g->place[gap->a] ? extra : g->far[extra], b = g->far[a];
	struct ft_text *text_a = &g->x->text_a, *text_b = &g->x->text_b, *text_c = &g->x->text_c;
	_cleanup_(ft_text_release) struct ft_text text_d = {0};
	struct ft_model *m = g->m;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_CABLE_WRONG_PORT, FT_EVIDENCE_SEEN);

	seen_where(g, f, g->seen[a]);
	m->misplaced[g->seen[a]] = true;
	vertex_text(g, a, text_a);
	vertex_text(g, b, text_b);
	vertex_text(g, gap->a, text_c);
	vertex_text(g, gap->b, &text_d);
	ft_say(m, &f->expected, "%s - %s", ft_text_string(text_c), ft_text_string(&text_d));
	ft_say(m, &f->observed, "%s - %s", ft_text_string(text_a), ft_text_string(text_b));
	ft_say(m, &f->text, "the cable between %s and %s belongs in %s and %s", ft_text_string(text_a),
	       ft_text_string(text_b), ft_text_string(text_c), ft_text_string(&text_d));
	ft_say(m, &f->fix, "move its ends from %s to %s and from %s to %s", ft_text_string(text_a),
	       ft_text_string(text_c), ft_text_string(text_b), ft_text_string(&text_d));
	act(g, f, FT_ACT_MOVE, a, gap->a);
	act(g, f, FT_ACT_MOVE, b, gap->b);
	m->failed |= text_d.failed;
}

/* ---- cables that are not there ---- */

static bool is_taken(const struct ft_exact_graph *g, uint32_t v)
{
	return g->far[v] != FT_NONE || g->guest[v] != FT_NONE;
}

/* Down is proof, whichever end it is; silent beside it means that something else is there. */
static enum ft_evidence gap_evidence(const struct ft_exact_graph *g, const struct ft_exact_gap *gap)
{
	if (ft_exact_link(g, gap->a) == FT_LINK_SILENT || ft_exact_link(g, gap->b) == FT_LINK_SILENT)
		return FT_EVIDENCE_MUTE;
	return is_taken(g, gap->a) && is_taken(g, gap->b) ? FT_EVIDENCE_SEEN : FT_EVIDENCE_ABSENT;
}

/* "edge003 ports 19, 20" in @words, and the places into the finding. */
static void gaps_end(struct ft_exact_graph *g, struct ft_finding *f, const struct ft_exact_gap *gaps, uint32_t count,
		     bool upper, struct ft_text *words)
{
	struct ft_model *m = g->m;
	uint32_t live = m->live_of[g->place[upper ? gaps->b : gaps->a]], known = 0;
	_cleanup_free_ uint32_t *ports = calloc(count + 1UL, sizeof(*ports));

	if (!ports) {
		m->failed = true;
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t v = upper ? gaps[i].b : gaps[i].a;

		if (v >= g->ports)
			continue;
		ports[known++] = v;
		ft_finding_where_port(m, f, v);
	}
	ft_ports_text(m, live, ports, known, words);
	if (known < count)
		ft_finding_where_switch(m, f, live, 0);
}

/* What is in the way first: a host, or another cable that is a finding of its own. */
static void gaps_fix(struct ft_exact_graph *g, struct ft_finding *f, const struct ft_exact_gap *gaps, uint32_t count)
{
	_cleanup_(ft_text_release) struct ft_text here = {0};
	_cleanup_(ft_text_release) struct ft_text there = {0};
	struct ft_model *m = g->m;

	for (uint32_t i = 0; i < 2 * count && !f->fix; i++) {
		uint32_t v = i % 2 ? gaps[i / 2].b : gaps[i / 2].a;

		if (g->guest[v] == FT_NONE && g->far[v] == FT_NONE)
			continue;
		vertex_text(g, v, &here);
		if (g->guest[v] != FT_NONE)
			ft_say(m, &f->fix, "free %s, which holds the cable of host %s, and put the planned cable there",
			       ft_text_string(&here), vertex_text(g, m->live.hosts[g->guest[v]].port, &there));
		else
			ft_say(m, &f->fix, "put the cable back once that of %s has left %s",
			       vertex_text(g, g->far[v], &there), ft_text_string(&here));
	}
	if (!f->fix)
		ft_say(m, &f->fix, "reseat or replace the cable%s between %s and %s", count == 1 ? "" : "s",
		       ft_text_string(&g->x->text_a), ft_text_string(&g->x->text_b));
	for (uint32_t i = 0; i < count; i++) {
		if (g->guest[gaps[i].a] != FT_NONE)
			act_out(g, f, gaps[i].a);
		act(g, f, FT_ACT_CONNECT, gaps[i].a, gaps[i].b);
	}
	m->failed |= here.failed || there.failed;
}

static void gaps_alternatives(struct ft_exact_graph *g, struct ft_finding *f, const struct ft_exact_gap *gaps,
			      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (gaps[i].chain > 0)
			ft_finding_alternative(g->m, f,
					       "one of the %u cables that have moved, one into the place of the next, "
					       "is the missing one, and this one has moved. Their labels tell",
					       gaps[i].chain);
		if (gaps[i].rival != FT_NONE)
			ft_finding_alternative(g->m, f,
					       "it is not missing but moved: the one that is in %s now, see the "
					       "finding about that. Its label tells",
					       vertex_text(g, gaps[i].rival, &g->x->text_c));
	}
}

void ft_exact_report_gaps(struct ft_exact_graph *g, const struct ft_exact_gap *gaps, uint32_t count)
{
	struct ft_text *a = &g->x->text_a, *b = &g->x->text_b;
	struct ft_model *m = g->m;
	uint32_t lower = g->place[gaps->a], upper = g->place[gaps->b], width = width_of(m, lower, upper);
	struct ft_finding *f = ft_finding_add(m, FT_CODE_CABLE_MISSING, gap_evidence(g, gaps));
	char cables[48];

	for (uint32_t i = 1; i < count; i++)
		if (gap_evidence(g, &gaps[i]) < f->evidence)
			f->evidence = gap_evidence(g, &gaps[i]);
	f->count = f->impact.links_lost = count;
	ft_finding_lack(m, f, lower, upper, count);
	g->lacking[ft_cell_at(m, lower, upper)] -= lesser(count, g->lacking[ft_cell_at(m, lower, upper)]);
	gaps_end(g, f, gaps, count, false, a);
	gaps_end(g, f, gaps, count, true, b);
	ft_say(m, &f->expected, "%s between %s and %s", ft_plural(width, "cable", cables), label_of(m, lower),
	       label_of(m, upper));
	ft_say(m, &f->observed, "%u of %u%s", width - count, width,
	       f->evidence == FT_EVIDENCE_MUTE ? "; a port is up, but its far end does not answer" : "");
	if (count == 1)
		ft_say(m, &f->text, "the cable between %s and %s is missing", ft_text_string(a), ft_text_string(b));
	else
		ft_say(m, &f->text, "%s of %u are missing between %s and %s", ft_plural(count, "cable", cables), width,
		       ft_text_string(a), ft_text_string(b));
	gaps_fix(g, f, gaps, count);
	gaps_alternatives(g, f, gaps, count);
}
