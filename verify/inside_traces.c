/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The traces inside directors: where they should lead, which are dead, which are slow. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "verify/inside.h"

static const struct ft_chip *chips_of(const struct ft_model *m, const struct ft_director *d)
{
	return m->chassis->chips + d->first;
}

static bool is_inside(const struct ft_model *m, uint32_t chip_port)
{
	return m->chassis->whole_port[chip_port] == FT_NO_PORT;
}

/* Chips that hold an aggregation node have one port more than these. */
enum { PORTS_WITH_AGGREGATION = 36 };

/* True where a port of @chip may be a trace: any that is not outside, but one beyond an even number. */
static bool may_be_trace(const struct ft_model *m, const struct ft_chip *chip, uint32_t number)
{
	uint32_t ports = m->chips->nodes[chip->node].port_count;

	uint32_t whole = m->chassis->whole_port[m->chips->nodes[chip->node].first_port + number - 1];

	/* Where numbers tell nothing, a port that leads nowhere may be either. */
	if (whole != FT_NO_PORT && chip->line && m->chassis->kinds[chip->kind].irregular)
		return !m->port_claimed[whole];
	return whole == FT_NO_PORT && (number < ports || ports % 2 == 0 || ports < PORTS_WITH_AGGREGATION);
}

static bool trace_waits(const struct ft_model *m, const struct ft_chip *chip, uint32_t number, enum ft_link link)
{
	uint32_t port = m->chips->nodes[chip->node].first_port + number - 1;

	return m->chips->ports[port].link == link && !m->trace_claimed[port] && may_be_trace(m, chip, number);
}

uint32_t ft_traces_in_state(const struct ft_model *m, const struct ft_chip *chip, enum ft_link link)
{
	uint32_t count = 0;

	for (uint32_t n = 1; n <= m->chips->nodes[chip->node].port_count; n++)
		count += trace_waits(m, chip, n, link);
	return count;
}

/* The chip that the trace in port @number of @chip leads to, or NULL. */
static const struct ft_chip *trace_far(const struct ft_model *m, const struct ft_chip *chip, uint32_t number)
{
	const struct ft_port *port = ft_node_port(m->chips, &m->chips->nodes[chip->node], number);
	const struct ft_port *far = port ? ft_port_peer(m->chips, port) : NULL;
	uint32_t other = far ? m->chassis->chip_of[far->node] : FT_NO_NODE;
	const struct ft_chip *there = other == FT_NO_NODE ? NULL : &m->chassis->chips[other];

	return there && there->director == chip->director && there->line != chip->line ? there : NULL;
}

/* ---- where a port should lead ---- */

struct ballot {
	uint32_t for_spot, against;
};

static void ballot_cast(const struct ft_model *m, const struct ft_chip *voter, uint32_t number, struct ft_spot spot,
			struct ballot *b)
{
	const struct ft_chip *far = trace_far(m, voter, number);

	if (!far)
		return;
	if (ft_chip_is_at(far, spot))
		b->for_spot++;
	else
		b->against++;
}

/* Directors whose line chips use port numbers alike are made alike; what one is wired like tells nothing of the others.
 */
static bool directors_alike(const struct ft_model *m, const struct ft_director *a, const struct ft_director *b)
{
	const struct ft_chip *x = chips_of(m, a), *y = chips_of(m, b);

	return a == b ||
	       (a->count > 0 && b->count > 0 && x->line && y->line && (x->kind == y->kind || x->chip != y->chip));
}

/*
 * Whether port @number of @chip leads to @spot as far as others know: above 0 they say so, -1 they say something else,
 * 0 they say nothing. Of line chips, those of the same director know best (2); then chips in the same place of other
 * directors; then others of the kind in any director.
 */
static int port_leads_to(const struct ft_inspection *in, const struct ft_chip *chip, uint32_t number,
			 struct ft_spot spot)
{
	const struct ft_model *m = in->x->m;
	struct ballot own = {0}, same = {0}, kind = {0};

	for (uint32_t i = 0; i < m->chassis->chip_count; i++) {
		const struct ft_chip *voter = &m->chassis->chips[i];

		if (voter == chip || voter->line != chip->line || voter->chip != chip->chip ||
		    m->chassis->directors[voter->director].tier != in->d->tier ||
		    !directors_alike(m, in->d, &m->chassis->directors[voter->director]))
			continue;
		if (voter->director == chip->director && chip->line)
			ballot_cast(m, voter, number, spot, &own);
		if (voter->board == chip->board)
			ballot_cast(m, voter, number, spot, &same);
		ballot_cast(m, voter, number, spot, &kind);
	}
	/* One board may be wired in its own way; two that agree are none. */
	if (own.for_spot + own.against > 1 && own.for_spot != own.against)
		return own.for_spot > own.against ? 2 : -1;
	if (same.for_spot + same.against > 0 && same.for_spot != same.against)
		return same.for_spot > same.against ? 1 : -1;
	if (kind.for_spot * 2 > kind.for_spot + kind.against)
		return 1;
	/* Where all of a kind lead to one and the same place, it is another one; else they are wired each in its way.
	 */
	return kind.against > 0 && kind.for_spot == 0 ? -1 : 0;
}

/* A port of a fabric chip leads somewhere else on each of them, as a rule: then only the one of its own place tells. */
static int port_rank(const struct ft_inspection *in, const struct ft_chip *chip, uint32_t number, struct ft_spot spot)
{
	int says = port_leads_to(in, chip, number, spot);

	return says < 0 && !chip->line ? 0 : says;
}

uint32_t ft_traces_pick(const struct ft_inspection *in, const struct ft_chip *chip, struct ft_spot spot, uint32_t need,
			enum ft_link link, uint32_t *ret_ports)
{
	const struct ft_model *m = in->x->m;
	const struct ft_node *node = &m->chips->nodes[chip->node];
	uint32_t found = 0, open = 0;

	for (int rank = 2; rank > 0; rank--)
		for (uint32_t n = 1; n <= node->port_count && found < need; n++)
			if (trace_waits(m, chip, n, link) && port_rank(in, chip, n, spot) == rank)
				ret_ports[found++] = node->first_port + n - 1;
	for (uint32_t n = 1; n <= node->port_count; n++)
		open += trace_waits(m, chip, n, link) && port_rank(in, chip, n, spot) == 0;
	/* Those of which nobody knows anything are it only where they are no more than are looked for. */
	for (uint32_t n = 1; found + open <= need && n <= node->port_count && found < need; n++)
		if (trace_waits(m, chip, n, link) && port_rank(in, chip, n, spot) == 0) {
			ret_ports[found++] = node->first_port + n - 1;
			open--;
		}
	return found;
}

static void trace_claim(struct ft_model *m, uint32_t chip_port)
{
	uint32_t whole = m->chassis->whole_port[chip_port];

	m->trace_claimed[chip_port] = true;
	if (whole != FT_NO_PORT)
		m->port_claimed[whole] = true;
}

void ft_traces_claim(struct ft_model *m, const struct ft_chip *chip, uint32_t count, enum ft_link link)
{
	const struct ft_node *node = &m->chips->nodes[chip->node];

	for (uint32_t n = 1; count > 0 && n <= node->port_count; n++)
		if (trace_waits(m, chip, n, link)) {
			trace_claim(m, node->first_port + n - 1);
			count--;
		}
}

void ft_finding_where_trace(struct ft_model *m, struct ft_finding *f, uint32_t chip_port)
{
	trace_claim(m, chip_port);
	ft_finding_where_chip_port(m, f, chip_port);
}

/* ---- how many there are, and should be ---- */

uint32_t ft_traces_between(const struct ft_model *m, const struct ft_chip *a, const struct ft_chip *b)
{
	uint32_t count = 0;

	for (uint32_t n = 1; n <= m->chips->nodes[a->node].port_count; n++)
		count += trace_far(m, a, n) == b;
	return count;
}

static uint32_t width_count(const struct ft_inspection *in, const struct ft_chip *line, const struct ft_chip *fabric)
{
	enum { MOST = 256 };
	const struct ft_model *m = in->x->m;
	uint32_t votes[MOST] = {0}, best = 0;

	for (uint32_t i = 0; i < m->chassis->director_count; i++) {
		const struct ft_director *d = &m->chassis->directors[i];
		const struct ft_chip *chips = chips_of(m, d), *there = NULL;

		for (uint32_t n = 0; d->tier == in->d->tier && n < d->count; n++)
			if (ft_chip_is_at(&chips[n], ft_spot_of(fabric)))
				there = &chips[n];
		for (uint32_t n = 0; there && n < d->count; n++) {
			uint32_t count;

			if (!chips[n].line || chips[n].chip != line->chip)
				continue;
			count = ft_traces_between(m, &chips[n], there);
			votes[count < MOST ? count : MOST - 1]++;
		}
	}
	for (uint32_t i = 1; i < MOST; i++)
		if (votes[i] > 0 && votes[i] >= votes[best])
			best = i;
	return best;
}

uint32_t ft_traces_wanted(const struct ft_inspection *in, const struct ft_chip *line, const struct ft_chip *fabric)
{
	struct ft_trace_widths *w = in->widths;
	struct ft_trace_width width = {in->d->tier, line->chip, fabric->board, fabric->chip, 0};

	if (in->x->m->plan->inside[in->d->tier].traces)
		return in->x->m->plan->inside[in->d->tier].traces;
	for (uint32_t i = 0; i < w->count; i++)
		if (w->list[i].tier == width.tier && w->list[i].line_chip == width.line_chip &&
		    w->list[i].board == width.board && w->list[i].chip == width.chip)
			return w->list[i].traces;
	width.traces = width_count(in, line, fabric);
	if (w->count == w->size) {
		uint32_t size = w->size ? 2 * w->size : 64;
		struct ft_trace_width *list = realloc(w->list, size * sizeof(*list));

		in->x->m->failed |= !list;
		if (!list)
			return width.traces;
		w->list = list;
		w->size = size;
	}
	w->list[w->count++] = width;
	return width.traces;
}

/* ---- dead traces ---- */

static uint32_t hazy_of(const struct ft_model *m, const struct ft_chip *chip)
{
	return ft_traces_in_state(m, chip, FT_LINK_SILENT) + ft_traces_in_state(m, chip, FT_LINK_UNREAD);
}

/* "core01 L05 ports 20, 21" of ports of one chip, or its name alone. */
static void end_words(struct ft_inspection const *in, const struct ft_chip *chip, const uint32_t *ports, uint32_t count,
		      struct ft_text *words)
{
	const struct ft_model *m = in->x->m;

	ft_chip_text(m, chip->node, words);
	for (uint32_t i = 0; i < count; i++)
		ft_text_printf(words, "%s%u",
			       i	   ? ", "
			       : count > 1 ? " ports "
					   : " port ",
			       m->chips->ports[ports[i]].number);
}

static uint32_t end_add(const struct ft_inspection *in, struct ft_finding *f, const struct ft_chip *chip,
			const struct ft_chip *far, uint32_t count, uint32_t *ret_first, struct ft_text *words)
{
	struct ft_model *m = in->x->m;
	uint32_t n = ft_traces_pick(in, chip, ft_spot_of(far), count, FT_LINK_DOWN, in->x->picked);

	end_words(in, chip, in->x->picked, n, words);
	for (uint32_t i = 0; i < n; i++) {
		ret_first[i] = in->x->picked[i];
		ft_finding_where_trace(m, f, in->x->picked[i]);
	}
	if (n == 0)
		ft_finding_where_chip(m, f, chip->node);
	return n;
}

/* @ports: of m->chips, or FT_NONE where it is not known which one of the chip it is. */
static void trace_act(struct ft_model *m, struct ft_finding *f, enum ft_act act, const uint32_t nodes[2],
		      const uint32_t ports[2])
{
	struct ft_place places[2];

	for (unsigned int i = 0; i < 2; i++) {
		const struct ft_node *node = &m->chips->nodes[nodes[i]];

		places[i] = (struct ft_place){
			ft_text_safe_dup(ft_node_description(m->chips, node), node->description_length), node->guid,
			ports[i] == FT_NONE ? 0 : m->chips->ports[ports[i]].number};
		m->failed |= !places[i].name;
	}
	ft_finding_act(m, f, act, &places[0], &places[1]);
	if (f->action_count > 0)
		f->actions[f->action_count - 1].trace = true;
	free(places[0].name);
	free(places[1].name);
}

static void boards_fix_say(const struct ft_inspection *in, struct ft_finding *f, const struct ft_chip *line,
			   const struct ft_chip *fabric)
{
	struct ft_model *m = in->x->m;
	const char *what = f->count == 1 ? "it is on the backplane, no cable" : "they are on the backplane, no cables";

	if (!line->named || !fabric->named) {
		ft_say(m, &f->fix,
		       "%s: reseat the line board, then the fabric board, that these chips are on, and replace the "
		       "one with which it moves",
		       what);
		return;
	}
	ft_text_reset(&in->x->text_c);
	ft_text_printf(&in->x->text_c, "%s: reseat ", what);
	ft_board_add(in, ft_spot_of(line), &in->x->text_c);
	ft_text_puts(&in->x->text_c, ", then ");
	ft_board_add(in, ft_spot_of(fabric), &in->x->text_c);
	ft_say(m, &f->fix, "%s, and replace the one with which it moves", ft_text_string(&in->x->text_c));
}

enum { TRACES_SHOWN = 256 }; /* a chip has no more ports */

static void dead_traces_report(const struct ft_inspection *in, const struct ft_chip *line, const struct ft_chip *fabric,
			       uint32_t count, uint32_t wanted)
{
	struct ft_model *m = in->x->m;
	struct explain *x = in->x;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_CABLE_MISSING, FT_EVIDENCE_ABSENT);
	uint32_t near[TRACES_SHOWN], far[TRACES_SHOWN], at_line, at_fabric;
	char words[48];

	count = lesser(count, TRACES_SHOWN);
	f->count = count;
	at_line = end_add(in, f, line, fabric, count, near, &x->text_a);
	at_fabric = end_add(in, f, fabric, line, count, far, &x->text_b);
	for (uint32_t i = 0; i < count; i++)
		trace_act(m, f, FT_ACT_CONNECT, (const uint32_t[]){line->node, fabric->node},
			  (const uint32_t[]){i < at_line ? near[i] : FT_NONE, i < at_fabric ? far[i] : FT_NONE});
	ft_say(m, &f->expected, "%s between %s and %s", ft_plural(wanted, "backplane trace", words),
	       ft_text_string(&x->text_a), ft_text_string(&x->text_b));
	ft_say(m, &f->observed, "%u of %u", wanted - count, wanted);
	if (wanted == 1)
		ft_say(m, &f->text, "the backplane trace between %s and %s is dead", ft_text_string(&x->text_a),
		       ft_text_string(&x->text_b));
	else
		ft_say(m, &f->text, "%u of %u backplane traces between %s and %s %s dead", count, wanted,
		       ft_text_string(&x->text_a), ft_text_string(&x->text_b), count == 1 ? "is" : "are");
	boards_fix_say(in, f, line, fabric);
}

/* As many as may be there unseen: both chips have ports inside of which not enough is known. */
static uint32_t hidden_traces(const struct ft_inspection *in, const struct ft_chip *line, const struct ft_chip *fabric,
			      uint32_t lacking)
{
	const struct ft_model *m = in->x->m;
	uint32_t hazy = lesser(hazy_of(m, line), hazy_of(m, fabric));
	uint32_t dark;

	if (hazy == 0)
		return 0;
	dark = ft_traces_pick(in, line, ft_spot_of(fabric), lacking, FT_LINK_DOWN, in->x->picked);
	return lesser(lacking - dark, hazy);
}

/* ---- a line board, or a chip of it, that is there, and has lost all its traces ---- */

struct part {
	uint32_t board;
	uint32_t chip; /* FT_NONE: all of the board */
};

static bool part_has(const struct part *part, const struct ft_chip *chip)
{
	return chip->line && chip->board == part->board && (part->chip == FT_NONE || chip->chip == part->chip);
}

struct cut {
	uint32_t wanted, seen, hazy; /* traces of all chips of the board */
	uint32_t links, hosts;	     /* what is plugged into it */
};

static struct cut cut_of(const struct ft_inspection *in, const struct part *part)
{
	const struct ft_model *m = in->x->m;
	const struct ft_chip *chips = chips_of(m, in->d);
	struct cut cut = {0};

	for (uint32_t i = 0; i < in->d->count; i++) {
		const struct ft_node *node = &m->chips->nodes[chips[i].node];

		if (!part_has(part, &chips[i]))
			continue;
		cut.hazy += hazy_of(m, &chips[i]);
		for (uint32_t n = 0; n < in->d->count; n++) {
			if (chips[n].line)
				continue;
			cut.wanted += ft_traces_wanted(in, &chips[i], &chips[n]);
			cut.seen += ft_traces_between(m, &chips[i], &chips[n]);
		}
		for (uint32_t p = node->first_port; p < node->first_port + node->port_count; p++) {
			const struct ft_port *far = ft_port_peer(m->chips, &m->chips->ports[p]);

			if (!far || is_inside(m, p) || ft_chip_port_aggregates(m->chips, p))
				continue;
			cut.links += ft_port_node(m->chips, far)->type == FT_NODE_SWITCH;
			cut.hosts += ft_port_node(m->chips, far)->type == FT_NODE_CA;
		}
	}
	return cut;
}

static uint32_t chip_traces_wanted(const struct ft_inspection *in, const struct ft_chip *line)
{
	const struct ft_chip *chips = chips_of(in->x->m, in->d);
	uint32_t wanted = 0;

	for (uint32_t n = 0; n < in->d->count; n++)
		wanted += chips[n].line ? 0 : ft_traces_wanted(in, line, &chips[n]);
	return wanted;
}

static void cut_claim(const struct ft_inspection *in, struct ft_finding *f, const struct part *part)
{
	struct ft_model *m = in->x->m;
	const struct ft_chip *chips = chips_of(m, in->d);

	for (uint32_t i = 0; i < in->d->count; i++) {
		if (!part_has(part, &chips[i]))
			continue;
		ft_finding_where_chip(m, f, chips[i].node);
		ft_traces_claim(m, &chips[i], chip_traces_wanted(in, &chips[i]), FT_LINK_DOWN);
		for (uint32_t n = 0; n < in->d->count; n++) {
			uint32_t count = chips[n].line ? 0 : ft_traces_wanted(in, &chips[i], &chips[n]);

			count = ft_traces_pick(in, &chips[n], ft_spot_of(&chips[i]), count, FT_LINK_DOWN,
					       in->x->picked);
			for (uint32_t p = 0; p < count; p++)
				trace_claim(m, in->x->picked[p]);
		}
	}
}

/* "line board L05 of core01", or "core01 L05/U2", or, where names tell no slots, by a chip on it. */
static void cut_add(const struct ft_inspection *in, const struct part *part, struct ft_text *text)
{
	const struct ft_model *m = in->x->m;
	const struct ft_chip *chips = chips_of(m, in->d);
	uint32_t i = 0;

	while (i + 1 < in->d->count && !part_has(part, &chips[i]))
		i++;
	ft_text_reset(text);
	if (chips[i].named && part->chip == FT_NONE) {
		ft_board_add(in, ft_spot_of(&chips[i]), text);
		ft_text_printf(text, " of %s", m->live.switches[in->live].label);
		return;
	}
	ft_chip_text(m, chips[i].node, &in->x->text_b);
	ft_text_printf(text, "%s%s", part->chip == FT_NONE ? "the line board of " : "", ft_text_string(&in->x->text_b));
}

/* The outer cables of the part to other switches carry nothing through the director. */
static void cut_lacks(const struct ft_inspection *in, struct ft_finding *f, const struct part *part)
{
	struct ft_model *m = in->x->m;
	const struct ft_live_switch *sw = &m->live.switches[in->live];

	for (uint32_t i = 0; i < sw->cable_count; i++) {
		const struct ft_live_cable *cable = &m->live.cables[m->live.at[sw->first_cable + i]];
		uint32_t far = m->live.switches[ft_cable_far(cable, in->live)].planned;
		uint32_t chip = ft_port_origin(m, ft_cable_port(cable, in->live));

		chip = chip == FT_NONE ? FT_NO_NODE : m->chassis->chip_of[m->chips->ports[chip].node];
		if (chip == FT_NO_NODE || far == FT_NONE || !part_has(part, &m->chassis->chips[chip]) ||
		    width_of(m, in->place, far) == 0)
			continue;
		f->impact.links_lost++;
		ft_finding_lack(m, f, in->place, far, 1);
	}
}

/*
 * Its hosts are cut off from all others if it has no cables to other switches of its own: as good as an isolated edge.
 */
static void cut_report(const struct ft_inspection *in, const struct part *part, const struct cut *cut)
{
	struct ft_model *m = in->x->m;
	bool isolated = cut->hosts > 0 && cut->links == 0;
	struct ft_finding *f =
		ft_finding_add(m, isolated ? FT_CODE_EDGE_ISOLATED : FT_CODE_BOARD_MISSING, FT_EVIDENCE_ABSENT);
	struct ft_text *text = &in->x->text_a;
	char words[48];

	cut_claim(in, f, part);
	if (!isolated)
		cut_lacks(in, f, part);
	f->count = cut->wanted;
	f->impact.hosts_cut_off = isolated ? cut->hosts : 0;
	cut_add(in, part, text);
	ft_say(m, &f->expected, "%u traces to the fabric boards", cut->wanted);
	ft_say(m, &f->observed, "none is up");
	ft_say(m, &f->text, "%s is cut off: none of its %u traces to the fabric boards is up%s%s", ft_text_string(text),
	       cut->wanted, isolated ? ", and with it " : "", isolated ? ft_plural(cut->hosts, "host", words) : "");
	ft_say(m, &f->fix, "reseat this line board, then replace it");
	ft_board_act(in, f, (struct ft_spot){true, part->board, part->chip == FT_NONE ? 0 : part->chip},
		     part->chip == FT_NONE, ft_text_string(text));
	if (cut->links > 0)
		ft_finding_symptom(m, f, in->live, 0, "%s that %s plugged into it carr%s nothing through it",
				   ft_plural(cut->links, "cable", words), cut->links == 1 ? "is" : "are",
				   cut->links == 1 ? "ies" : "y");
}

static bool is_cut(const struct cut *cut)
{
	return cut->wanted >= 2 && cut->seen == 0 && cut->hazy == 0;
}

/* Says it with the first chip of it. Returns true where @chip has no traces that would have to be looked at one by one.
 */
static bool cut_look(const struct ft_inspection *in, const struct ft_chip *chip)
{
	const struct ft_chip *chips = chips_of(in->x->m, in->d);
	struct part part = {chip->board, FT_NONE};
	struct cut cut = cut_of(in, &part);

	if (is_cut(&cut)) {
		if (chip == chips || !chip[-1].line || chip[-1].board != chip->board)
			cut_report(in, &part, &cut);
		return true;
	}
	part.chip = chip->chip;
	cut = cut_of(in, &part);
	if (is_cut(&cut))
		cut_report(in, &part, &cut);
	return is_cut(&cut);
}

void ft_traces_explain(const struct ft_inspection *in)
{
	const struct ft_model *m = in->x->m;
	const struct ft_chip *chips = chips_of(m, in->d);

	for (uint32_t i = 0; i < in->d->count && chips[i].line; i++) {
		if (cut_look(in, &chips[i]))
			continue;
		for (uint32_t n = i + 1; n < in->d->count; n++) {
			uint32_t seen, wanted;

			if (chips[n].line)
				continue;
			wanted = ft_traces_wanted(in, &chips[i], &chips[n]);
			seen = ft_traces_between(m, &chips[i], &chips[n]);
			if (seen < wanted)
				seen += hidden_traces(in, &chips[i], &chips[n], wanted - seen);
			if (seen < wanted)
				dead_traces_report(in, &chips[i], &chips[n], wanted - seen, wanted);
		}
	}
}

/* ---- slow traces ---- */

/* The rate that most traces have, of two that are equally common the faster. */
struct rate_vote {
	struct ft_rate rate;
	uint32_t count;
};

static bool rates_equal(struct ft_rate a, struct ft_rate b)
{
	return a.lanes == b.lanes && a.speed == b.speed;
}

static struct ft_rate rate_usual(const struct ft_model *m)
{
	enum { RATES = 32 };
	struct rate_vote votes[RATES] = {{{0}, 0}}, best = {{0}, 0};
	uint32_t count = 0;

	for (uint32_t i = 0; i < m->chassis->chip_count; i++) {
		const struct ft_chip *chip = &m->chassis->chips[i];

		for (uint32_t n = 1; chip->line && n <= m->chips->nodes[chip->node].port_count; n++) {
			const struct ft_port *port = ft_node_port(m->chips, &m->chips->nodes[chip->node], n);
			uint32_t v = 0;

			if (!trace_far(m, chip, n) || ft_rate_mbps(port->rate) == 0)
				continue;
			while (v < count && !rates_equal(votes[v].rate, port->rate))
				v++;
			if (v == RATES)
				continue;
			votes[v].rate = port->rate;
			votes[v].count++;
			count += v == count;
		}
	}
	for (uint32_t v = 0; v < count; v++)
		if (votes[v].count > best.count ||
		    (votes[v].count == best.count && ft_rate_mbps(votes[v].rate) > ft_rate_mbps(best.rate)))
			best = votes[v];
	return best.rate;
}

static void slow_trace_report(struct ft_model *m, uint32_t port, struct ft_rate is, struct ft_rate usual)
{
	bool narrow = is.lanes < usual.lanes;
	struct ft_finding *f = ft_finding_add(m, narrow ? FT_CODE_CABLE_NARROW : FT_CODE_CABLE_SLOW, FT_EVIDENCE_SEEN);
	_cleanup_(ft_text_release) struct ft_text a = {0};
	_cleanup_(ft_text_release) struct ft_text b = {0};
	char is_name[FT_RATE_NAME_SIZE], usual_name[FT_RATE_NAME_SIZE];
	uint32_t far = m->chips->ports[port].peer;

	ft_rate_name(is, is_name);
	ft_rate_name(usual, usual_name);
	ft_finding_where_chip_port(m, f, port);
	ft_finding_where_chip_port(m, f, far);
	ft_chip_port_text(m, port, &a);
	ft_chip_port_text(m, far, &b);
	m->failed |= a.failed || b.failed;
	ft_say(m, &f->expected, "%s", usual_name);
	ft_say(m, &f->observed, "%s", is_name);
	ft_say(m, &f->text, "the backplane trace %s - %s runs at %s instead of %s", ft_text_string(&a),
	       ft_text_string(&b), is_name, usual_name);
	ft_say(m, &f->fix, "it is no cable: reseat the two boards, then replace the one with which it moves");
	trace_act(m, f, FT_ACT_RENEW, (const uint32_t[]){m->chips->ports[port].node, m->chips->ports[far].node},
		  (const uint32_t[]){port, far});
}

void ft_traces_rate(struct ft_model *m)
{
	struct ft_rate usual = rate_usual(m);

	for (uint32_t i = 0; i < m->chassis->chip_count; i++) {
		const struct ft_chip *chip = &m->chassis->chips[i];
		const struct ft_node *node = &m->chips->nodes[chip->node];

		for (uint32_t n = 1; chip->line && n <= node->port_count; n++) {
			const struct ft_port *port = ft_node_port(m->chips, node, n);
			struct ft_rate rate = port->rate, far;

			if (!trace_far(m, chip, n))
				continue;
			far = ft_port_peer(m->chips, port)->rate;
			if (ft_rate_mbps(far) > 0 &&
			    (ft_rate_mbps(rate) == 0 || ft_rate_mbps(far) < ft_rate_mbps(rate)))
				rate = far;
			if (ft_rate_mbps(rate) > 0 && ft_rate_mbps(rate) < ft_rate_mbps(usual))
				slow_trace_report(m, node->first_port + n - 1, rate, usual);
		}
	}
}
