/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Decomposes the difference between plan and fabric into the faults that explain it.
 *
 * Once every switch has its place (match/match.c), the residual is left: missing and surplus cables of each pair of
 * places, cables to switches without a place, and empty places. Its size is the number of faults, not of links. In this
 * order, the most expensive explanation first:
 *
 *   unseen switches                take all missing cables of their places with them
 *   what the sweep could not see   is not missing at all
 *   swaps                          closed trails of k missing cables and k surplus ones: one fault
 *   misplaced cables               open ones, of one surplus and one missing cable that share a switch
 *   loopbacks, unplanned switches  take the missing cables of the ports that they occupy
 *   what remains                   missing cables, by pair; unplanned cables
 *
 * Invariant: each step only lowers the numbers of missing cables and uses up surplus ones, so at the end plan +
 * findings = observed.
 *
 * Trails are found in two ways, as the two problems are of different complexity:
 *
 * - Ports known: a port has one planned and one observed cable at most. The residual is the union of two matchings:
 *   cycles and paths, in one way only. trails.c walks them, O(ports), and only which end of the cables of a path has
 *   moved is a choice.
 * - Ports unknown: ends of cables at a place are interchangeable, so any missing cable there may follow any surplus
 *   one. The fewest trails are a maximum decomposition into alternating cycles, for which no polynomial algorithm is
 *   known; and which cables are surplus ones is open, too, as only their number is planned. pairing.c searches, within
 *   limits of work.
 *
 * A search where a walk is enough would be slower and could end early; a walk cannot choose. What they find is the
 * same, cycles, moves and gaps over the vertices of residual.h, and is told by one writer, cable_findings.c, in one
 * price: a trail is a fault. Both take the ports of free ends from meant_port.c.
 */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "verify/explain/residual.h"

/* True if fewer cables of its two switches, in the mean of both, have its rate than another: it belongs elsewhere, or
 * is ill. */
static bool rate_is_rare(const struct ft_model *m, const struct ft_observed_cable *c)
{
	const struct ft_rate rate = ft_cable_rate(m, c->a_port);
	const uint32_t ends[2] = {c->a, c->b};
	uint64_t same[2] = {0}, all[2] = {0};

	for (unsigned int n = 0; n < 2; n++)
		ft_each_end(end, m, ends[n]) {
			same[n] += ft_rates_equal(ft_cable_rate(m, end->port), rate);
			all[n]++;
		}
	return same[0] * all[1] + same[1] * all[0] < all[0] * all[1];
}

int ft_cable_oddness(const struct ft_model *m, uint32_t cable)
{
	const struct ft_observed_cable *c = &m->observed.cables[cable];

	return 2 * !ft_port_usual(m, c->a, ft_port_number(m, c->a_port), m->observed.switches[c->b].planned) +
	       2 * !ft_port_usual(m, c->b, ft_port_number(m, c->b_port), m->observed.switches[c->a].planned) +
	       rate_is_rare(m, c);
}

void ft_surplus_add(struct explain *x, uint32_t cable)
{
	const struct ft_observed_cable *c = &x->m->observed.cables[cable];
	uint32_t a = x->m->observed.switches[c->a].planned, b = x->m->observed.switches[c->b].planned;

	x->surplus[x->surplus_count++] = (struct surplus){.cable = cable, .a = a < b ? a : b, .b = a < b ? b : a};
}

/* Of the cables from @observed to place @peer with oddness @odd, the one in the highest port below @below; or NULL. */
static const struct ft_cable_end *last_cable(const struct ft_model *m, uint32_t observed, uint32_t peer, int odd,
					     uint32_t below)
{
	const struct ft_cable_end *last = NULL;

	ft_each_end(end, m, observed)
		if (end->port < below && (!last || end->port > last->port) && ft_place_behind(m, end) == peer &&
		    ft_cable_oddness(m, end->cable) == odd)
			last = end;
	return last;
}

/*
 * If a pair has more cables than planned, those in the oddest ports are the surplus ones. Two unusual ends count for
 * more than one; among equals the highest ports.
 */
static void surplus_of_pair(struct explain *x, uint32_t p, uint32_t q, uint32_t surplus)
{
	const struct ft_model *m = x->m;
	uint32_t observed = m->observed_of[p];

	for (int odd = ODDNESS_MAX; odd >= 0 && surplus > 0; odd--)
		for (uint32_t below = UINT32_MAX; surplus > 0; surplus--) {
			const struct ft_cable_end *end = last_cable(m, observed, q, odd, below);

			if (!end)
				break;
			ft_surplus_add(x, end->cable);
			below = end->port;
		}
}

static void residual_take(struct explain *x)
{
	const struct ft_model *m = x->m;

	for (uint32_t cell = 0; cell < m->cells.count; cell++) {
		uint32_t width = m->cells.width[cell], seen = m->cells.seen[cell];

		if (!ft_cell_is_seen(m, cell))
			continue;
		if (seen > width)
			surplus_of_pair(x, m->cells.ends[cell][0], m->cells.ends[cell][1], seen - width);
		else
			x->missing[cell] = width - seen;
	}
	for (uint32_t i = 0; i < m->observed.cable_count; i++) {
		uint32_t a = m->observed.switches[m->observed.cables[i].a].planned;
		uint32_t b = m->observed.switches[m->observed.cables[i].b].planned;

		if (a != FT_NONE && a == b)
			ft_surplus_add(x, i);
	}
	x->first_hidden = x->surplus_count;
	ft_moved_uncover(x);
}

/*
 * How many of the @missing cables between @p and @q may exist unseen: both switches have @hazy uplink ports or more
 * that the sweep could not read completely. A switch that was read completely, or the very ports seen down, prove that
 * they are missing.
 *
 * Each pair is judged by itself, although a port serves one pair only: of two pairs that share a hazy port one lacks a
 * cable, but nobody knows which. Counting the port for the first of them blamed the wrong cable in lossy sweeps.
 */
static uint32_t unjudged_cables(const struct ft_model *m, uint32_t p, uint32_t q, uint32_t missing, uint32_t hazy)
{
	uint32_t dark = ft_usual_ports(m, m->observed_of[p], q, FT_LINK_DOWN, 1);
	uint32_t other = ft_usual_ports(m, m->observed_of[q], p, FT_LINK_DOWN, 1);

	dark = dark > other ? dark : other;
	return dark < missing ? ft_number_least(missing - dark, hazy) : 0;
}

static int unjudged_take(struct explain *x)
{
	struct ft_model *m = x->m;
	_cleanup_free_ uint32_t *hazy = calloc(m->place_count + 1UL, sizeof(*hazy));

	if (!hazy)
		return -ENOMEM;
	for (uint32_t p = 0; p < m->place_count; p++)
		if (m->observed_of[p] != FT_NONE)
			hazy[p] = ft_uplinks_in_state(m, m->observed_of[p], FT_LINK_SILENT) +
				  ft_uplinks_in_state(m, m->observed_of[p], FT_LINK_UNREAD);
	for (uint32_t cell = 0; cell < m->cells.count; cell++) {
		uint32_t p = m->cells.ends[cell][0], q = m->cells.ends[cell][1], n;

		if (x->missing[cell] == 0 || hazy[p] == 0 || hazy[q] == 0)
			continue;
		n = unjudged_cables(m, p, q, x->missing[cell], ft_number_least(hazy[p], hazy[q]));
		x->missing[cell] -= n;
		m->cells.unjudged[cell] = n;
	}
	return 0;
}

/* ---- what remains ---- */

/* A place to which @e lacks a cable, or FT_NONE. */
static uint32_t short_peer(const struct explain *x, uint32_t e)
{
	ft_each_pair(pair, x->m, e)
		if (x->m->observed_of[pair->peer] != FT_NONE && x->missing[pair->cell] > 0)
			return pair->peer;
	return FT_NONE;
}

/*
 * The alternative: an unplanned cable u-v and a missing cable e-c cost as much as two cables with one moved end each:
 * that of e-c plugged into v, and one of e-v into u. The count of e-v hides that.
 */
static void unplanned_alternative(struct explain *x, struct ft_finding *f, const struct surplus *s)
{
	struct ft_model *m = x->m;
	const uint32_t ends[2] = {s->a, s->b};

	for (unsigned int n = 0; n < 2; n++) {
		const struct ft_pair *end = ft_pairs_of(m, ends[n] + 1);

		for (const struct ft_pair *pair = ft_pairs_of(m, ends[n]); pair < end; pair++) {
			uint32_t e = pair->peer, c;

			if (m->observed_of[e] == FT_NONE || e == ends[1 - n] || m->cells.width[pair->cell] == 0)
				continue;
			c = short_peer(x, e);
			if (c == FT_NONE)
				continue;
			if (x->rival_count < m->observed.cable_count)
				x->rivals[x->rival_count++] = (struct rival){e, c, ends[0], ends[1]};
			ft_finding_alternative(m, f,
					       "two cables were moved: that of %s and %s now ends on %s, and one "
					       "that belongs between %s and %s is this one. Labels tell",
					       label_of(m, e), label_of(m, c), label_of(m, ends[n]), label_of(m, e),
					       label_of(m, ends[n]));
			return;
		}
	}
}

static void unplanned_expect(struct explain *x, struct ft_finding *f, const struct surplus *s)
{
	const char *a = ft_kind_of(x->m, s->a), *b = ft_kind_of(x->m, s->b);

	if (x->m->plan->general)
		ft_say(x->m, &f->expected, "no cable between %s and %s", label_of(x->m, s->a), label_of(x->m, s->b));
	else if (strcmp(a, b) == 0)
		ft_say(x->m, &f->expected, "no cable between two %s switches", a);
	else
		ft_say(x->m, &f->expected, "no cable between an %s and a %s switch", a, b);
}

static void unplanned_cables(struct explain *x)
{
	struct ft_model *m = x->m;

	for (uint32_t i = 0; i < x->surplus_count; i++) {
		struct surplus *s = &x->surplus[i];
		const struct ft_observed_cable *cable = &m->observed.cables[s->cable];
		struct ft_finding *f;
		const char *a, *b;
		char planned[48];

		if (s->used)
			continue;
		s->used = true;
		f = ft_finding_add(m, FT_CODE_CABLE_UNPLANNED, FT_EVIDENCE_SEEN);
		ft_finding_where_cable(m, f, cable);
		ft_finding_act_ports(m, f, FT_ACT_REMOVE, cable->a_port, cable->b_port);
		a = ft_place_text(m, surplus_port(m, s, s->a));
		b = ft_place_text(m, surplus_port(m, s, s->b));
		if (ft_width_at(m, s->a, s->b) > 0) {
			ft_say(m, &f->expected, "%s between %s and %s",
			       ft_plural(ft_width_at(m, s->a, s->b), "cable", planned), label_of(m, s->a),
			       label_of(m, s->b));
			ft_say(m, &f->observed, "one more: %s - %s", a, b);
		} else {
			unplanned_expect(x, f, s);
			ft_say(m, &f->observed, "%s - %s", a, b);
		}
		ft_say(m, &f->text,
		       m->since ? "the cable between %s and %s is new" : "the plan has no cable between %s and %s", a,
		       b);
		ft_say(m, &f->fix, "unplug it, or find out where it belongs by its label");
		if (s->contested)
			ft_finding_alternative(
				m, f,
				"it is the misplaced cable, and the one called misplaced is unplanned; see "
				"cable-misplaced");
		else if (m->plan->cable_count == 0 && !m->recall.baseline)
			unplanned_alternative(x, f, s);
	}
}

/* ---- exchanged switches, and the edge on which the sweep is cut off ---- */

/* The recording has the GUIDs of all switches: that of the same name is another one. */
static bool is_other_than_recorded(const struct ft_model *m, uint32_t place)
{
	const struct ft_observed_switch *sw = ft_observed_at(m, place);

	return m->since && sw && m->places[place]->guid && sw->guid != m->places[place]->guid;
}

/* " 0x0002c90200404730": the switch that stands in a place; "" where such a number says nothing to people. */
static void stander_words(const struct ft_model *m, uint32_t p, char buffer[24])
{
	buffer[0] = '\0';
	if (m->words->guids)
		snprintf(buffer, 24, " 0x%016llx", (unsigned long long)ft_observed_at(m, p)->guid);
}

static void replaced_report(struct explain *x)
{
	struct ft_model *m = x->m;

	for (uint32_t p = 0; p < m->place_count; p++) {
		struct ft_finding *f;
		char words[24];

		if (!m->replaced[p] && !is_other_than_recorded(m, p))
			continue;
		f = ft_finding_add(m, FT_CODE_SWITCH_REPLACED, FT_EVIDENCE_SEEN);
		ft_finding_where_switch(m, f, m->observed_of[p], 0);
		ft_say(m, &f->expected, "%s", m->places[p]->name);
		stander_words(m, p, words);
		ft_say(m, &f->observed, "%s%s", ft_observed_at(m, p)->name, words);
		if (m->since && m->places[p]->guid && m->words->guids) {
			ft_say(m, &f->text, "%s was replaced: its GUID was 0x%016llx and is 0x%016llx now",
			       m->places[p]->name, (unsigned long long)m->places[p]->guid,
			       (unsigned long long)ft_observed_at(m, p)->guid);
			ft_say(m, &f->fix, "nothing, if it was replaced on purpose");
			continue;
		}
		ft_say(m, &f->text, "%s%s stands in the place of %s%s", ft_observed_at(m, p)->name, words,
		       ft_is_beside(m, p) ? "island switch " : "", m->places[p]->name);
		if (ft_is_beside(m, p))
			ft_say(m, &f->fix, "if it was replaced or renamed, put its name into the design's islands");
		else
			ft_say(m, &f->fix, "if it was replaced, put its %s into the design's bind list",
			       m->words->bind_by);
	}
}

/* Reports whole switches that have been exchanged, by their cables: each carries the name of the next. */
static void exchanged_report(struct explain *x)
{
	struct ft_model *m = x->m;
	uint32_t *named = m->port_map.named_at;

	for (uint32_t p = 0; named && p < m->place_count; p++) {
		struct ft_text own = {0}, places = {0};
		struct ft_finding *f;
		uint32_t count = 0;

		if (named[p] == FT_NONE)
			continue;
		f = ft_finding_add(m, FT_CODE_SWITCH_REPLACED, FT_EVIDENCE_SEEN);
		for (uint32_t q = p, next; q != FT_NONE && named[q] != FT_NONE; q = next) {
			next = named[q];
			named[q] = FT_NONE;
			ft_finding_where_switch(m, f, m->observed_of[q], 0);
			ft_text_printf(&places, "%s%s in the place of %s", count ? ", " : "", label_of(m, q),
				       m->places[q]->name);
			ft_text_printf(&own, "%s%s", count++ ? ", " : "", label_of(m, q));
		}
		f->count = count;
		ft_say(m, &f->expected, "each in its own place: %s", ft_model_text(m, &own));
		f->observed = ft_arena_text(&m->report->memory, &places);
		if (count == 1)
			ft_say(m, &f->text, "a switch stands in the place of another, as its cables tell: %s",
			       f->observed);
		else
			ft_say(m, &f->text, "%u switches stand in each other's places, as their cables tell: %s", count,
			       f->observed);
		ft_say(m, &f->fix, "exchange their names%s; or else all of their cables",
		       m->since ? "" : ", in the design's bind list too");
		ft_finding_act(m, f, FT_ACT_SETTING, f->where_count ? f->where[0] : (struct ft_place){0},
			       (struct ft_place){0});
	}
}

/* Surplus cables between two switches do not count as the pair's own. */
static void foreign_count(struct explain *x)
{
	/* With ports the plan says which ones they are. */
	if (x->m->plan->cable_count > 0)
		return;
	for (uint32_t i = 0; i < x->surplus_count; i++)
		if (!surplus_is_loop(&x->surplus[i]))
			x->m->cells.foreign[ft_cell_at(x->m, x->surplus[i].a, x->surplus[i].b)]++;
}

/* Enters all planned cables as missing cables, so that findings about unseen switches can take theirs. */
static void planned_take(struct explain *x)
{
	for (uint32_t i = 0; i < x->m->cells.count; i++)
		x->missing[i] = x->m->cells.width[i];
}

/* Surplus and missing cables, by number if the plan gives no ports. */
static int cables_explain(struct explain *x)
{
	const struct ft_plan *plan = x->m->plan;
	int r = 0;

	if (plan->cable_count == 0)
		r = unjudged_take(x) ?: ft_pairing_explain(x);
	return r == 0 && (plan->cable_count > 0 || x->m->port_map.listed) ? ft_trails_explain(x) : r;
}

static int explain_steps(struct explain *x)
{
	struct ft_model *m = x->m;
	int r;

	m->cut_off = ft_entry_is_apart(m);
	x->hosts_lacking = m->plan->nodes > ft_hosts_found(m) ? m->plan->nodes - ft_hosts_found(m) : 0;
	if (m->plan->cable_count > 0)
		planned_take(x);
	else
		residual_take(x);
	r = ft_apart_seen(x);
	if (r == 0 && m->plan->cable_count == 0)
		r = ft_port_holes_find(x);
	if (r < 0)
		return r;
	ft_returning_explain(x);
	r = ft_unseen_explain(x) ?: ft_inside_explain(x) ?: cables_explain(x);
	if (r < 0)
		return r;
	foreign_count(x);
	ft_loopbacks_explain(x);
	ft_unplanned_explain(x);
	unplanned_cables(x);
	r = ft_missing_report(x);
	if (r < 0)
		return r;
	replaced_report(x);
	exchanged_report(x);
	ft_neighbours_report(x);
	ft_incomplete_report(x);
	return 0;
}

int ft_explain(struct ft_model *m)
{
	struct explain x = {.m = m};
	int r = -ENOMEM;

	x.missing = ft_arena_zeros(&x.memory, m->cells.count + 1UL, sizeof(*x.missing));
	/* A cable is a surplus one once at most: its pair has too many, or it is a hidden one (pairing.c). */
	x.surplus = ft_arena_zeros(&x.memory, m->observed.cable_count, sizeof(*x.surplus));
	x.rivals = ft_arena_zeros(&x.memory, m->observed.cable_count, sizeof(*x.rivals));
	x.picked = ft_arena_zeros(&x.memory, m->habit_ports, sizeof(*x.picked));
	if (!x.memory.failed)
		r = explain_steps(&x);
	if (x.plain)
		ft_residual_release(x.plain);
	ft_arena_release(&x.memory);
	return r;
}
