/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The findings for misplaced, swapped and missing cables, by port and by pairs of places. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/explain/residual.h"

/* Cables named in a sentence. All are in the finding's places. */
enum { NAMED_MAX = 6 };

/* "core01 port 5"; only the switch if the port is unknown. */
static const char *vertex_text(const struct ft_residual *g, uint32_t v)
{
	return v < g->ports ? ft_place_text(g->m, v) : label_of(g->m, g->place[v]);
}

static void seen_where(const struct ft_residual *g, struct ft_finding *f, uint32_t seen)
{
	struct ft_model *m = g->m;
	const struct ft_observed_host *host;

	if (seen < m->observed.cable_count) {
		ft_finding_where_cable(m, f, &m->observed.cables[seen]);
		return;
	}
	host = &m->observed.hosts[seen - m->observed.cable_count];
	ft_finding_where_port(m, f, host->switch_port);
	ft_finding_where_port(m, f, host->port);
}

/* Adds an action; for an end in an unknown port, with the switch alone. */
static void act(const struct ft_residual *g, struct ft_finding *f, enum ft_act what, uint32_t a, uint32_t b)
{
	ft_finding_act_ends(g->m, f, what,
			    (struct ft_act_end){a < g->ports ? a : FT_NONE, a < g->ports ? FT_NONE : g->place[a]},
			    (struct ft_act_end){b < g->ports ? b : FT_NONE, b < g->ports ? FT_NONE : g->place[b]});
}

/* The cable end at @port goes to any free port of the same switch. */
static void act_out(const struct ft_residual *g, struct ft_finding *f, uint32_t port)
{
	ft_finding_act_free(g->m, f, FT_ACT_MOVE, port, g->place[port]);
}

/* ---- effects of moved cables on the figures ---- */

/* Explanations by pairs of places do not say which planned cable it is: FT_NONE. */
static bool planned_is_host(const struct ft_residual *g, uint32_t planned)
{
	return planned != FT_NONE && planned >= g->m->plan->cable_count;
}

/* Counts a missing cable for the pair of the two ports, unless other cables between the two switches make up for it. */
static void lack_take(struct ft_residual *g, struct ft_finding *f, uint32_t a, uint32_t b)
{
	uint32_t cell = ft_cell_at(g->m, g->place[a], g->place[b]);

	if (g->lacking[cell] == 0)
		return;
	g->lacking[cell]--;
	ft_finding_lack(g->m, f, g->place[a], g->place[b], 1);
}

static void moved_count(struct ft_residual *g, struct ft_finding *f, const struct ft_cable_move *move)
{
	if (planned_is_host(g, move->planned))
		return;
	if (g->place[move->wrong] != g->place[move->target])
		lack_take(g, f, move->keep, move->target);
	if (move->seen < g->m->observed.cable_count)
		g->m->misplaced[move->seen] = true;
}

/* A misplaced host counts where it belongs. @told: a finding about it follows. */
static void host_drifted(struct ft_residual *g, const struct ft_cable_move *move, bool told)
{
	struct ft_port_map *e = &g->m->port_map;

	if (move->seen < g->m->observed.cable_count || !planned_is_host(g, move->planned))
		return;
	e->belongs[move->seen - g->m->observed.cable_count] = move->planned - g->m->plan->cable_count;
	e->away[g->place[move->target]]++;
	e->away[g->place[move->wrong]]--;
	e->told[move->seen - g->m->observed.cable_count] = told;
}

/* ---- cycles ---- */

static uint32_t hosts_at(const struct ft_residual *g, const uint32_t *path, uint32_t count, uint32_t first)
{
	uint32_t hosts = 0;

	for (uint32_t i = first; i < count; i += 2)
		hosts += ft_residual_is_host(g, path[i]);
	return hosts;
}

/* The effort of the repair: how often consecutive ends are on different switches, then how low these are in rank. */
static uint32_t spread_of(const struct ft_residual *g, const uint32_t *path, uint32_t count, uint32_t first)
{
	enum { RANK_MAX = 2 };
	uint32_t changes = 0, lower = 0;

	for (uint32_t i = first; i < count; i += 2) {
		uint32_t here = g->place[path[i]], next = g->place[path[(i + 2) % count]];

		changes += here != next;
		lower += here != FT_NONE && next != FT_NONE ? RANK_MAX - ft_rank_of(g->m, here) : 0;
	}
	return changes * 4 * count + lower;
}

/* Whether port @a comes before port @b, by GUID and number: an order that does not depend on that of the records. */
static bool vertex_before(const struct ft_residual *g, uint32_t a, uint32_t b)
{
	uint64_t guids[2] = {0};
	uint32_t numbers[2] = {0};

	for (unsigned int n = 0; n < 2; n++) {
		uint32_t v = n ? b : a;
		const struct ft_observed_switch *sw = v < g->ports ? NULL : ft_observed_at(g->m, g->place[v]);

		guids[n] = v < g->ports ? ft_port_node(g->m->snapshot, &g->m->snapshot->ports[v])->guid
			   : sw		? sw->guid
					: 0;
		numbers[n] = v < g->ports ? g->m->snapshot->ports[v].number : 0;
	}
	return guids[0] != guids[1] ? guids[0] < guids[1] : numbers[0] < numbers[1];
}

/* The first of every other vertex from @first on. */
static uint32_t first_vertex(const struct ft_residual *g, const uint32_t *path, uint32_t count, uint32_t first)
{
	uint32_t best = first;

	for (uint32_t i = first; i < count; i += 2)
		if (vertex_before(g, path[i], path[best]))
			best = i;
	return best;
}

/*
 * Reverses the path if the ends at odd places are the better ones to move, and lets it begin with the first of the
 * cables by their ends that stay, of hosts by their ports on switches: the same swap is told in the same words whatever
 * the order of the records, or a daemon would tell of a change.
 */
static void cycle_turn(const struct ft_residual *g, const uint32_t *path, uint32_t count, uint32_t *ret)
{
	uint32_t even = hosts_at(g, path, count, 0), odd = hosts_at(g, path, count, 1);
	uint32_t first[2] = {first_vertex(g, path, count, 0), first_vertex(g, path, count, 1)};
	bool hosts = even != odd, turn;
	uint32_t start;

	if (!hosts) {
		even = spread_of(g, path, count, 0);
		odd = spread_of(g, path, count, 1);
	}
	turn = even == odd ? vertex_before(g, path[first[0]], path[first[1]]) : odd < even;
	/* Of the first cable, the end that moves. */
	if (turn)
		start = hosts ? first[1] : first[0] + 1;
	else
		start = hosts ? first[0] : first[1] + count - 1;
	for (uint32_t i = 0; i < count; i++)
		ret[i] = path[(turn ? start + count - i : start + i) % count];
}

/* "exchange the two cable ends at A and B" */
static void exchange_add(struct ft_residual *g, struct ft_finding *f, uint32_t a, uint32_t b, bool alone,
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
		       vertex_text(g, a), vertex_text(g, b));
}

/*
 * Puts the planned cable at @x into its place: exchanges the other end of the cable in @x with the end that blocks it.
 */
static void place_by_exchange(struct ft_residual *g, struct ft_finding *f, uint32_t x, struct ft_text *fix)
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
 * Each step puts one cable into place, the last one two. If hosts are in both halves of the ends, they come first: the
 * other end of a host's cable is on a switch, and once all hosts are right only switches are left.
 */
static void cycle_fix(struct ft_residual *g, struct ft_finding *f, const uint32_t *path, uint32_t count)
{
	struct ft_text fix = {0};
	bool held = hosts_at(g, path, count, 0) > 0;

	for (uint32_t i = 2; i < count && !held; i += 2)
		exchange_add(g, f, path[0], path[i], count == 4, &fix);
	for (uint32_t i = 0; i < count && held; i++)
		if (ft_residual_is_host(g, path[i]))
			place_by_exchange(g, f, path[i], &fix);
	for (uint32_t i = 0; i < count && held; i++)
		if (!ft_residual_is_host(g, path[i]))
			place_by_exchange(g, f, path[i], &fix);
	if (f->action_count > NAMED_MAX)
		ft_text_printf(&fix, ", and so on for %zu more", f->action_count - NAMED_MAX);
	f->fix = ft_arena_text(&g->m->report->memory, &fix);
}

static void cycle_words(struct ft_residual *g, struct ft_finding *f, const uint32_t *path, uint32_t count, bool hosts)
{
	struct ft_text expected = {0}, observed = {0};
	const char *observed_words;
	const char *more = "";
	char rest[32];

	for (uint32_t i = 0; i < count && i / 2 < NAMED_MAX; i += 2) {
		const char *comma = i ? ", " : "";

		ft_text_printf(&expected, "%s%s - %s", comma, vertex_text(g, path[i + 1]),
			       vertex_text(g, path[(i + 2) % count]));
		ft_text_printf(&observed, "%s%s %s %s", comma, vertex_text(g, path[i + 1]), hosts ? "is on" : "ends on",
			       vertex_text(g, path[i]));
	}
	if (count / 2 > NAMED_MAX) {
		snprintf(rest, sizeof(rest), " and %u more", count / 2 - NAMED_MAX);
		more = rest;
	}
	observed_words = ft_model_text(g->m, &observed);
	ft_say(g->m, &f->expected, "%s%s", ft_model_text(g->m, &expected), more);
	ft_say(g->m, &f->observed, "%s%s", observed_words, more);
	ft_say(g->m, &f->text, "%u %s: %s%s", count / 2,
	       hosts ? "hosts are in each other's ports" : "cables are swapped", observed_words, more);
}

void ft_cycle_report(struct ft_residual *g, const uint32_t *path, uint32_t count)
{
	struct ft_model *m = g->m;
	_cleanup_free_ uint32_t *ring = calloc(count, sizeof(*ring));
	struct ft_finding *f;
	bool hosts;

	if (!ring) {
		m->memory.failed = true;
		return;
	}
	cycle_turn(g, path, count, ring);
	hosts = hosts_at(g, ring, count, 1) == count / 2;
	f = ft_finding_add(m, hosts ? FT_CODE_HOST_MISPLACED : FT_CODE_CABLES_SWAPPED, FT_EVIDENCE_SEEN);
	f->count = count / 2;
	for (uint32_t i = 0; i < count; i += 2) {
		const struct ft_cable_move move = {.keep = ring[i + 1],
						   .wrong = ring[i],
						   .target = ring[(i + 2) % count],
						   .planned = g->planned[ring[i + 1]],
						   .seen = g->seen[ring[i]]};

		seen_where(g, f, move.seen);
		moved_count(g, f, &move);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct ft_cable_move move = {.keep = ring[i],
						   .wrong = g->far[ring[i]],
						   .target = g->mate[ring[i]],
						   .planned = g->planned[ring[i]],
						   .seen = g->seen[ring[i]]};

		if (ft_residual_is_host(g, ring[i]))
			host_drifted(g, &move, true);
	}
	cycle_words(g, f, ring, count, hosts);
	cycle_fix(g, f, ring, count);
}

/* ---- moved cables ---- */

/* True if a host occupies the target, and the cable is in a host port: the two have been exchanged. */
static bool is_exchanged_with_guest(const struct ft_residual *g, const struct ft_cable_move *move)
{
	return g->guest[move->target] != FT_NONE && g->mate[move->wrong] == FT_NONE && move->wrong < g->ports &&
	       g->place[move->wrong] < g->m->edges;
}

static void move_fix(struct ft_residual *g, struct ft_finding *f, const struct ft_cable_move *move, bool exchanged)
{
	const char *what = ft_residual_is_host(g, move->keep) ? "cable" : "end";
	const char *a = vertex_text(g, move->wrong), *b = vertex_text(g, move->target);
	struct ft_model *m = g->m;

	if (exchanged) {
		ft_say(m, &f->fix, "exchange the two cable ends at %s and %s", a, b);
		act(g, f, FT_ACT_EXCHANGE, move->wrong, move->target);
		return;
	}
	if (g->guest[move->target] != FT_NONE) {
		ft_say(m, &f->fix, "free %s, which holds the cable of host %s, and move its %s from %s there", b,
		       ft_place_text(m, m->observed.hosts[g->guest[move->target]].port), what, a);
		act_out(g, f, move->target);
	} else if (g->far[move->target] != FT_NONE) {
		ft_say(m, &f->fix, "move its %s from %s to %s, once that of %s has left it", what, a, b,
		       vertex_text(g, g->far[move->target]));
	} else {
		ft_say(m, &f->fix, "move its %s from %s to %s", what, a, b);
	}
	act(g, f, FT_ACT_MOVE, move->wrong, move->target);
}

/* The alternative: the cable is another planned one if the end that is reported as wrong is right. */
static void move_alternative(struct ft_residual *g, struct ft_finding *f, const struct ft_cable_move *move)
{
	if (move->rival == FT_NONE)
		return;
	ft_finding_alternative(g->m, f,
			       "its end at %s is right, and the other belongs on %s; then the cable between %s and %s "
			       "is the missing one. The label of the cable in %s tells",
			       vertex_text(g, move->wrong), vertex_text(g, g->mate[move->wrong]),
			       vertex_text(g, move->keep), vertex_text(g, move->target), vertex_text(g, move->wrong));
}

static void host_move(struct ft_residual *g, const struct ft_cable_move *move)
{
	const char *a, *b, *c;
	struct ft_model *m = g->m;
	struct ft_finding *f;

	/* On a core it has a finding of its own, which says where it belongs. */
	host_drifted(g, move, g->place[move->wrong] < m->edges);
	if (g->place[move->wrong] >= m->edges)
		return;
	f = ft_finding_add(m, FT_CODE_HOST_MISPLACED, FT_EVIDENCE_SEEN);
	seen_where(g, f, move->seen);
	move_fix(g, f, move, g->guest[move->target] != FT_NONE && g->mate[move->wrong] == FT_NONE);
	a = vertex_text(g, move->keep);
	b = vertex_text(g, move->wrong);
	c = vertex_text(g, move->target);
	ft_say(m, &f->expected, "%s on %s", a, c);
	ft_say(m, &f->observed, "%s on %s", a, b);
	ft_say(m, &f->text, "host %s is on %s, but belongs on %s", a, b, c);
}

static enum ft_code move_code(const struct ft_residual *g, const struct ft_cable_move *move, bool exchanged)
{
	if (exchanged)
		return FT_CODE_CABLES_SWAPPED;
	return g->place[move->wrong] == g->place[move->target] ? FT_CODE_CABLE_WRONG_PORT : FT_CODE_CABLE_MISPLACED;
}

struct ft_finding *ft_move_report(struct ft_residual *g, const struct ft_cable_move *move)
{
	const char *a, *b, *c;
	bool exchanged = is_exchanged_with_guest(g, move);
	enum ft_code code = move_code(g, move, exchanged);
	struct ft_model *m = g->m;
	struct ft_finding *f;

	if (ft_residual_is_host(g, move->keep)) {
		host_move(g, move);
		return NULL;
	}
	f = ft_finding_add(m, code, FT_EVIDENCE_SEEN);
	seen_where(g, f, move->seen);
	if (exchanged) {
		f->count = 2;
		seen_where(g, f, m->observed.cable_count + g->guest[move->target]);
	}
	moved_count(g, f, move);
	f->impact.links_lost = (uint32_t)f->lack_count;
	if (move->target < g->ports)
		m->port_claimed[move->target] = true;
	a = vertex_text(g, move->keep);
	b = vertex_text(g, move->wrong);
	c = vertex_text(g, move->target);
	ft_say(m, &f->expected, "%s - %s", a, c);
	ft_say(m, &f->observed, "%s - %s", a, b);
	if (exchanged)
		ft_say(m, &f->text,
		       "2 cables are swapped: that from %s is in %s, a port for hosts, and a host's is in %s", a, b, c);
	else
		ft_say(m, &f->text, "the cable from %s %s %s, but belongs %s %s", a,
		       code == FT_CODE_CABLE_WRONG_PORT ? "is in" : "ends on", b,
		       code == FT_CODE_CABLE_WRONG_PORT ? "in" : "on", c);
	move_fix(g, f, move, exchanged);
	move_alternative(g, f, move);
	return f;
}

void ft_shift_report(struct ft_residual *g, const struct ft_cable_move *moves, uint32_t count)
{
	const struct ft_cable_move *first = &moves[0], *last = &moves[count - 1];
	bool high = first->wrong > first->target;
	uint32_t by = high ? first->wrong - first->target : first->target - first->wrong;
	const char *is_first = vertex_text(g, first->wrong), *to_first = vertex_text(g, first->target);
	const char *is_last = vertex_text(g, last->wrong), *to_last = vertex_text(g, last->target);
	struct ft_model *m = g->m;
	bool hosts = ft_residual_is_host(g, first->keep);
	struct ft_finding *f =
		ft_finding_add(m, hosts ? FT_CODE_HOST_MISPLACED : FT_CODE_CABLE_WRONG_PORT, FT_EVIDENCE_SEEN);
	char ports[48];

	f->count = count;
	ft_plural(by, "port", ports);
	/* The one that is mended last comes first: by it the finding is known, to the end of the repair. */
	for (uint32_t i = 0; i < count; i++)
		seen_where(g, f, (high ? moves[count - 1 - i] : moves[i]).seen);
	for (uint32_t i = 0; i < count; i++) {
		/* The one that has a free port to go to comes first. */
		const struct ft_cable_move *move = high ? &moves[i] : &moves[count - 1 - i];

		host_drifted(g, move, true);
		moved_count(g, f, move);
		if (!hosts && g->far[move->target] == FT_NONE)
			ft_finding_where_port(m, f, move->target);
		m->port_claimed[move->target] |= !hosts;
		act(g, f, FT_ACT_MOVE, move->wrong, move->target);
	}
	ft_say(m, &f->expected, "%s … %s", to_first, to_last);
	ft_say(m, &f->observed, "%s … %s", is_first, is_last);
	ft_say(m, &f->text,
	       "%u %s are each in a port that is %s too %s: that in %s belongs in %s, and so on, up to that in %s, "
	       "which belongs in %s",
	       count, hosts ? "hosts" : "cables", ports, high ? "high" : "low", is_first, to_first, is_last, to_last);
	ft_say(m, &f->fix, "move each of these ends by %s, that in %s first", ports, high ? is_first : is_last);
}

void ft_both_report(struct ft_residual *g, uint32_t extra, const struct ft_cable_gap *gap)
{
	uint32_t a = g->place[extra] == g->place[gap->a] ? extra : g->far[extra], b = g->far[a];
	const char *is_a = vertex_text(g, a), *is_b = vertex_text(g, b);
	const char *to_a = vertex_text(g, gap->a), *to_b = vertex_text(g, gap->b);
	struct ft_model *m = g->m;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_CABLE_WRONG_PORT, FT_EVIDENCE_SEEN);

	seen_where(g, f, g->seen[a]);
	m->misplaced[g->seen[a]] = true;
	ft_say(m, &f->expected, "%s - %s", to_a, to_b);
	ft_say(m, &f->observed, "%s - %s", is_a, is_b);
	ft_say(m, &f->text, "the cable between %s and %s belongs in %s and %s", is_a, is_b, to_a, to_b);
	ft_say(m, &f->fix, "move its ends from %s to %s and from %s to %s", is_a, to_a, is_b, to_b);
	act(g, f, FT_ACT_MOVE, a, gap->a);
	act(g, f, FT_ACT_MOVE, b, gap->b);
}

/* ---- missing cables ---- */

static bool is_taken(const struct ft_residual *g, uint32_t v)
{
	return g->far[v] != FT_NONE || g->guest[v] != FT_NONE;
}

/* A port that is down, at either end, is proof; a silent one beside it means that something else is plugged in. */
static enum ft_evidence gap_evidence(const struct ft_residual *g, const struct ft_cable_gap *gap)
{
	if (gap->planned == FT_NONE)
		return gap->evidence;
	if (ft_residual_link(g, gap->a) == FT_LINK_SILENT || ft_residual_link(g, gap->b) == FT_LINK_SILENT)
		return FT_EVIDENCE_MUTE;
	return is_taken(g, gap->a) && is_taken(g, gap->b) ? FT_EVIDENCE_SEEN : FT_EVIDENCE_ABSENT;
}

/* "edge003 ports 19, 20"; adds the places to the finding. @ret_known: how many ports are known. */
static const char *gaps_end(struct ft_residual *g, struct ft_finding *f, const struct ft_cable_gap *gaps,
			    uint32_t count, bool upper, uint32_t *ret_known)
{
	struct ft_model *m = g->m;
	uint32_t observed = m->observed_of[g->place[upper ? gaps->b : gaps->a]], known = 0;
	uint32_t *ports = ft_arena_zeros(&m->report->memory, count, sizeof(*ports));

	for (uint32_t i = 0; i < count; i++) {
		uint32_t v = upper ? gaps[i].b : gaps[i].a;

		if (v >= g->ports || !ports)
			continue;
		ports[known++] = v;
		ft_finding_where_port(m, f, v);
	}
	if (known == 0)
		ft_finding_where_switch(m, f, observed, 0);
	*ret_known = known;
	return ft_ports_text(m, observed, ports, known);
}

/* First removes what occupies the port: a host, or another cable, which has a finding of its own. */
static bool gaps_free(struct ft_residual *g, struct ft_finding *f, const struct ft_cable_gap *gaps, uint32_t count)
{
	struct ft_model *m = g->m;

	for (uint32_t i = 0; i < 2 * count && !f->fix; i++) {
		uint32_t v = i % 2 ? gaps[i / 2].b : gaps[i / 2].a;

		if (g->guest[v] != FT_NONE)
			ft_say(m, &f->fix, "free %s, which holds the cable of host %s, and put the planned cable there",
			       vertex_text(g, v), vertex_text(g, m->observed.hosts[g->guest[v]].port));
		else if (g->far[v] != FT_NONE)
			ft_say(m, &f->fix, "put the cable back once that of %s has left %s", vertex_text(g, g->far[v]),
			       vertex_text(g, v));
	}
	if (gaps->taken != FT_NONE)
		ft_say(m, &f->fix, "look at %s first: it is the place of such a cable, and holds that of %s",
		       ft_place_text(m, gaps->taken), ft_place_text(m, m->snapshot->ports[gaps->taken].peer));
	return f->fix;
}

static void gaps_fix(struct ft_residual *g, struct ft_finding *f, const struct ft_cable_gap *gaps, uint32_t count,
		     const char *lower, const char *upper, bool upper_known)
{
	const char *kind = ft_kind_of(g->m, g->place[gaps->b]);
	/* Where both ends are of one kind, or the kind has no name, this is the far one. */
	const char *tier = !*kind || strcmp(kind, ft_kind_of(g->m, g->place[gaps->a])) == 0 ? "far" : kind;

	if (!gaps_free(g, f, gaps, count))
		ft_say(g->m, &f->fix, "reseat or replace the cable%s at %s; %s %s %s %s%s", count == 1 ? "" : "s",
		       lower, count == 1 ? "its" : "their", tier, count == 1 ? "end is" : "ends are",
		       upper_known ? "" : "on ", upper);
	for (uint32_t i = 0; i < count; i++) {
		if (g->guest[gaps[i].a] != FT_NONE)
			act_out(g, f, gaps[i].a);
		act(g, f, FT_ACT_CONNECT, gaps[i].a, gaps[i].b);
	}
}

static void gaps_alternatives(struct ft_residual *g, struct ft_finding *f, const struct ft_cable_gap *gaps,
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
					       vertex_text(g, gaps[i].rival));
	}
}

struct ft_finding *ft_gaps_report(struct ft_residual *g, const struct ft_cable_gap *gaps, uint32_t count)
{
	const char *a, *b;
	struct ft_model *m = g->m;
	uint32_t lower = g->place[gaps->a], upper = g->place[gaps->b], width = ft_width_at(m, lower, upper);
	uint32_t *lacking = &g->lacking[ft_cell_at(m, lower, upper)];
	struct ft_finding *f = ft_finding_add(m, FT_CODE_CABLE_MISSING, gap_evidence(g, gaps));
	uint32_t lower_known, upper_known;
	char cables[48];

	for (uint32_t i = 1; i < count; i++)
		if (gap_evidence(g, &gaps[i]) < f->evidence)
			f->evidence = gap_evidence(g, &gaps[i]);
	f->count = f->impact.links_lost = count;
	ft_finding_lack(m, f, lower, upper, count);
	*lacking -= ft_number_least(count, *lacking);
	a = gaps_end(g, f, gaps, count, false, &lower_known);
	b = gaps_end(g, f, gaps, count, true, &upper_known);
	ft_say(m, &f->expected, "%s between %s and %s", ft_plural(width, "cable", cables), label_of(m, lower),
	       label_of(m, upper));
	ft_say(m, &f->observed, "%u of %u%s", width - count, width,
	       f->evidence == FT_EVIDENCE_MUTE ? "; a port is up, but its far end does not answer" : "");
	/* If there are several, only a plan with ports says which one it is. */
	if (width == 1 || (count == 1 && gaps->planned != FT_NONE))
		ft_say(m, &f->text, "the cable between %s and %s is missing", a, b);
	else
		ft_say(m, &f->text, "%s of %u %s missing between %s and %s", ft_plural(count, "cable", cables), width,
		       count == 1 ? "is" : "are", a, b);
	gaps_fix(g, f, gaps, count, a, b, upper_known > 0);
	gaps_alternatives(g, f, gaps, count);
	return f;
}

/* ---- remaining missing cables, whose ports are only likely ---- */

/* The state of the ports of @count missing cables between two places. */
static struct ft_cable_gap shortage_look(const struct explain *x, uint32_t p, uint32_t q, uint32_t count)
{
	const struct ft_model *m = x->m;
	uint32_t lower = m->observed_of[p], upper = m->observed_of[q];
	bool lower_dark = ft_ports_pick(m, lower, q, count, FT_LINK_DOWN, x->picked) > 0;
	bool upper_dark = ft_ports_pick(m, upper, p, count, FT_LINK_DOWN, x->picked) > 0;
	struct ft_cable_gap gap = {
		.planned = FT_NONE, .rival = FT_NONE, .evidence = FT_EVIDENCE_ABSENT, .taken = FT_NONE};

	/* A silent end that is up leads somewhere, but not to its planned peer. */
	if (ft_usual_ports(m, lower, q, FT_LINK_SILENT, 1) > 0 ||
	    (!lower_dark && ft_ports_pick(m, lower, q, count, FT_LINK_SILENT, x->picked) > 0)) {
		gap.evidence = FT_EVIDENCE_MUTE;
	} else if (!lower_dark || !upper_dark) {
		gap.taken = ft_port_taken(m, lower_dark ? upper : lower, lower_dark ? p : q);
		if (!lower_dark && !upper_dark && gap.taken != FT_NONE)
			gap.evidence = FT_EVIDENCE_SEEN;
	}
	return gap;
}

static void missing_pair(struct explain *x, struct ft_residual *g, uint32_t p, uint32_t q, uint32_t count)
{
	struct ft_model *m = x->m;
	bool turn = ft_rank_of(m, p) > ft_rank_of(m, q);
	uint32_t lower = turn ? q : p, upper = turn ? p : q, known;
	_cleanup_free_ struct ft_cable_gap *gaps = calloc(count, sizeof(*gaps));
	struct ft_finding *f;

	if (!gaps) {
		m->memory.failed = true;
		return;
	}
	gaps[0] = shortage_look(x, lower, upper, count);
	known = ft_ports_pick(m, m->observed_of[lower], upper, count,
			      gaps[0].evidence == FT_EVIDENCE_MUTE ? FT_LINK_SILENT : FT_LINK_DOWN, x->picked);
	for (uint32_t i = 0; i < count; i++) {
		gaps[i] = gaps[0];
		gaps[i].a = ft_residual_port(g, i < known ? x->picked[i] : FT_NONE, lower);
	}
	known = ft_ports_pick(m, m->observed_of[upper], lower, count, FT_LINK_DOWN, x->picked);
	for (uint32_t i = 0; i < count; i++)
		gaps[i].b = ft_residual_port(g, i < known ? x->picked[i] : FT_NONE, upper);
	f = ft_gaps_report(g, gaps, count);
	for (uint32_t i = 0; i < x->rival_count; i++) {
		const struct rival *v = &x->rivals[i];

		if (ft_cell_at(m, v->p, v->q) == ft_cell_at(m, p, q))
			ft_finding_alternative(
				m, f,
				"it is not missing but moved: see the finding about the cable between %s "
				"and %s",
				label_of(m, v->other_p), label_of(m, v->other_q));
	}
}

int ft_missing_report(struct explain *x)
{
	const struct ft_model *m = x->m;

	for (uint32_t cell = 0; cell < m->cells.count; cell++) {
		struct ft_residual *g = x->missing[cell] > 0 ? ft_residual_plain(x) : NULL;

		if (x->missing[cell] > 0 && !g)
			return -ENOMEM;
		if (g)
			missing_pair(x, g, m->cells.ends[cell][0], m->cells.ends[cell][1], x->missing[cell]);
	}
	return 0;
}
