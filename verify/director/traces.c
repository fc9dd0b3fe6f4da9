/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The backplane traces of directors: where they should lead, which are dead, which are slow.
 *
 * Where a port leads is told by majority votes of chips in the same place, of the same board first, then of other
 * directors. The pairs of chips that lack traces are covered greedily: a part without any trace is one fault, then a
 * chip that lacks traces to many others, then the pairs one by one. Invariant: a lacking trace is in one finding
 * (pair.told). Cost: O(chips * ports) for the votes of a port, and O(pairs of chips) for each chip that is found.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/facts.h"
#include "verify/director/inside.h"

static bool is_inside(const struct ft_model *m, uint32_t chip_port)
{
	return m->chassis->whole_port[chip_port] == FT_NONE;
}

/* Chips with an aggregation node have one port more than this. */
enum { PORTS_WITH_AGGREGATION = 36 };

/* True if a port of @chip may be a trace: any port that is not an outer one, except one beyond an even number. */
static bool may_be_trace(const struct ft_model *m, const struct ft_chip *chip, uint32_t number)
{
	uint32_t ports = m->chips->nodes[chip->node].port_count;

	uint32_t whole = m->chassis->whole_port[m->chips->nodes[chip->node].first_port + number - 1];

	/* If numbers prove nothing, a port without a peer may be either. */
	if (whole != FT_NONE && chip->line && m->chassis->kinds[chip->kind].irregular)
		return !m->port_claimed[whole];
	return whole == FT_NONE && (number < ports || ports % 2 == 0 || ports < PORTS_WITH_AGGREGATION);
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
	const struct ft_node *node = &m->chips->nodes[chip->node];

	return number <= node->port_count ? ft_trace_far(m->chassis, node->first_port + number - 1) : NULL;
}

/* ---- expected peers of ports ---- */

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

/*
 * Whether port @number of @chip leads to @spot, by its use elsewhere: above 0 it does, -1 it leads to another place, 0
 * is unknown. Line chips of the same director are the best evidence (2); then chips in the same place of other
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
		    m->chassis->directors[voter->director].make != in->d->make)
			continue;
		if (voter->director == chip->director && chip->line)
			ballot_cast(m, voter, number, spot, &own);
		if (voter->board == chip->board)
			ballot_cast(m, voter, number, spot, &same);
		ballot_cast(m, voter, number, spot, &kind);
	}
	/* A single board may be wired differently; two that agree may not. */
	if (own.for_spot + own.against > 1 && own.for_spot != own.against)
		return own.for_spot > own.against ? 2 : -1;
	if (same.for_spot + same.against > 0 && same.for_spot != same.against)
		return same.for_spot > same.against ? 1 : -1;
	if (kind.for_spot * 2 > kind.for_spot + kind.against)
		return 1;
	/* If all of a kind lead to the same other place, so does this one; else each is wired differently. */
	return kind.against > 0 && kind.for_spot == 0 ? -1 : 0;
}

/* A port of a fabric chip usually leads to different places on different chips: only chips in the same place count. */
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
	/* Ports without evidence are taken only if they are no more than are looked for. */
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
	if (whole != FT_NONE)
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

/* ---- numbers of traces, seen and expected ---- */

/* The number that most line chips of that chip number have to a fabric chip in that place. */
static uint32_t width_count(const struct ft_inspection *in, const struct ft_chip *line, const struct ft_chip *fabric)
{
	enum { MOST = 256 };
	const struct ft_chassis *c = in->x->m->chassis;
	uint32_t votes[MOST] = {0}, best = 0;

	for (uint32_t i = 0; i < c->chip_count; i++) {
		const struct ft_director *d = &c->directors[c->chips[i].director];
		const struct ft_chip *there = &c->chips[i];

		if (d->tier != in->d->tier || !ft_chip_is_at(there, ft_spot_of(fabric)))
			continue;
		for (uint32_t n = d->first; n < d->first + d->count; n++)
			if (c->chips[n].line && c->chips[n].chip == line->chip)
				votes[ft_number_least(ft_traces_between(c, &c->chips[n], there), MOST - 1)]++;
	}
	for (uint32_t i = 1; i < MOST; i++)
		if (votes[i] > 0 && votes[i] >= votes[best])
			best = i;
	return best;
}

uint32_t ft_traces_wanted(const struct ft_inspection *in, const struct ft_chip *a, const struct ft_chip *b)
{
	const struct ft_chip *line = a->line ? a : b, *fabric = a->line ? b : a;
	uint64_t key = (uint64_t)in->d->tier << 60 | (uint64_t)(line->chip & 0xfffff) << 40 |
		       (uint64_t)(fabric->board & 0xfffff) << 20 | (fabric->chip & 0xfffff);
	uint32_t traces = in->x->m->plan->inside[in->d->tier].traces;

	if (traces > 0)
		return traces;
	traces = ft_map_get(in->widths, key);
	if (traces != FT_NONE)
		return traces;
	traces = width_count(in, line, fabric);
	in->x->m->memory.failed |= ft_map_add(in->widths, key, traces, NULL) < 0;
	return traces;
}

static uint32_t hazy_of(const struct ft_model *m, const struct ft_chip *chip)
{
	return ft_traces_in_state(m, chip, FT_LINK_SILENT) + ft_traces_in_state(m, chip, FT_LINK_UNREAD);
}

/* The number that may exist unseen: both chips have inner ports of unknown state. */
static uint32_t hidden_traces(const struct ft_inspection *in, const struct ft_chip *line, const struct ft_chip *fabric,
			      uint32_t lacking)
{
	const struct ft_model *m = in->x->m;
	uint32_t hazy = ft_number_least(hazy_of(m, line), hazy_of(m, fabric));
	uint32_t dark;

	if (hazy == 0)
		return 0;
	dark = ft_traces_pick(in, line, ft_spot_of(fabric), lacking, FT_LINK_DOWN, in->x->picked);
	return ft_number_least(lacking - dark, hazy);
}

/* A line chip and a fabric chip of the director: planned and observed traces. */
struct pair {
	const struct ft_chip *ends[2];
	uint32_t wanted, seen;
	uint32_t lacking; /* those certainly missing */
	bool told;	  /* the missing traces have a finding */
};

struct pairs {
	struct pair *list; /* owned; pairs of one line chip are consecutive */
	uint32_t count;
};

static int pairs_make(const struct ft_inspection *in, struct pairs *pairs)
{
	const struct ft_chip *chips = ft_inspected_chips(in);

	pairs->list = calloc((size_t)in->d->count * in->d->count + 1, sizeof(*pairs->list));
	if (!pairs->list)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->d->count && chips[i].line; i++)
		for (uint32_t n = i + 1; n < in->d->count; n++)
			if (!chips[n].line)
				pairs->list[pairs->count++] = (struct pair){
					.ends = {&chips[i], &chips[n]},
					.wanted = ft_traces_wanted(in, &chips[i], &chips[n]),
					.seen = ft_traces_between(in->x->m->chassis, &chips[i], &chips[n]),
					.told = in->returning[i] || in->returning[n],
				};
	return 0;
}

static void lacking_count(const struct ft_inspection *in, struct pair *pair)
{
	uint32_t lacking = pair->told || pair->seen >= pair->wanted ? 0 : pair->wanted - pair->seen;

	pair->lacking = lacking > 0 ? lacking - hidden_traces(in, pair->ends[0], pair->ends[1], lacking) : 0;
}

/* A board, or a single chip of it. */
struct part {
	const struct ft_chip *like;
	bool whole;
};

static bool part_has(const struct part *part, const struct ft_chip *chip)
{
	return chip->line == part->like->line && chip->board == part->like->board &&
	       (part->whole || chip->chip == part->like->chip);
}

static bool pair_is_of(const struct pair *pair, const struct part *part)
{
	return !pair->told && (part_has(part, pair->ends[0]) || part_has(part, pair->ends[1]));
}

/* ---- dead traces, one by one ---- */

/* "core01 L05 ports 20, 21" for ports of one chip, or its name alone. */
static const char *end_words(struct ft_inspection const *in, const struct ft_chip *chip, const uint32_t *ports,
			     uint32_t count)
{
	const struct ft_model *m = in->x->m;
	struct ft_text words = {0};

	ft_text_puts(&words, ft_switch_text(m, chip->node));
	for (uint32_t i = 0; i < count; i++)
		ft_text_printf(&words, "%s%u",
			       i	   ? ", "
			       : count > 1 ? " ports "
					   : " port ",
			       m->chips->ports[ports[i]].number);
	return ft_model_text(m, &words);
}

static uint32_t end_add(const struct ft_inspection *in, struct ft_finding *f, const struct ft_chip *chip,
			const struct ft_chip *far, uint32_t count, uint32_t *ret_first, const char **ret_words)
{
	struct ft_model *m = in->x->m;
	uint32_t n = ft_traces_pick(in, chip, ft_spot_of(far), count, FT_LINK_DOWN, in->x->picked);

	*ret_words = end_words(in, chip, in->x->picked, n);
	for (uint32_t i = 0; i < n; i++) {
		ret_first[i] = in->x->picked[i];
		ft_finding_where_trace(m, f, in->x->picked[i]);
	}
	if (n == 0)
		ft_finding_where_chip(m, f, chip->node);
	return n;
}

/* @ports: of m->chips, or FT_NONE if the port of the chip is not known. */
static void trace_act(struct ft_model *m, struct ft_finding *f, enum ft_act act, const uint32_t nodes[2],
		      const uint32_t ports[2])
{
	ft_finding_act(m, f, act, ft_chip_place(m, nodes[0], ports[0]), ft_chip_place(m, nodes[1], ports[1]));
	if (f->action_count > 0)
		f->actions[f->action_count - 1].trace = true;
}

static void boards_fix_say(const struct ft_inspection *in, struct ft_finding *f, const struct pair *pair)
{
	const char *what = f->count == 1 ? "it is on the backplane, no cable" : "they are on the backplane, no cables";
	const char *boards = "the line board, then the fabric board, that these chips are on";
	struct ft_text text = {0};

	if (pair->ends[0]->named && pair->ends[1]->named) {
		ft_board_add(in, ft_spot_of(pair->ends[0]), &text);
		ft_text_puts(&text, ", then ");
		ft_board_add(in, ft_spot_of(pair->ends[1]), &text);
		boards = ft_model_text(in->x->m, &text);
	}
	ft_say(in->x->m, &f->fix, "%s: reseat %s, and replace the one with which it moves", what, boards);
}

static void pair_report(const struct ft_inspection *in, const struct pair *pair)
{
	enum { SHOWN = 256 }; /* a chip has no more ports */
	struct ft_model *m = in->x->m;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_CABLE_MISSING, FT_EVIDENCE_ABSENT);
	uint32_t ports[2][SHOWN], found[2], count = ft_number_least(pair->lacking, SHOWN), wanted = pair->wanted;
	const char *words[2];
	char buffer[48];

	f->count = count;
	for (unsigned int end = 0; end < 2; end++)
		found[end] = end_add(in, f, pair->ends[end], pair->ends[1 - end], count, ports[end], &words[end]);
	for (uint32_t i = 0; i < count; i++)
		trace_act(
			m, f, FT_ACT_CONNECT, (const uint32_t[]){pair->ends[0]->node, pair->ends[1]->node},
			(const uint32_t[]){i < found[0] ? ports[0][i] : FT_NONE, i < found[1] ? ports[1][i] : FT_NONE});
	ft_say(m, &f->expected, "%s between %s and %s", ft_plural(wanted, "backplane trace", buffer), words[0],
	       words[1]);
	ft_say(m, &f->observed, "%u of %u", wanted - count, wanted);
	if (wanted == 1)
		ft_say(m, &f->text, "the backplane trace between %s and %s is dead", words[0], words[1]);
	else
		ft_say(m, &f->text, "%u of %u backplane traces between %s and %s %s dead", count, wanted, words[0],
		       words[1], count == 1 ? "is" : "are");
	boards_fix_say(in, f, pair);
}

/* ---- a seen line board, or a chip of it, without any traces ---- */

struct cut {
	uint32_t wanted, seen, hazy; /* traces of all chips of the part */
	uint32_t links, hosts;	     /* outer cables to switches and hosts */
};

static struct cut cut_of(const struct ft_inspection *in, const struct pairs *pairs, const struct part *part)
{
	const struct ft_model *m = in->x->m;
	const struct ft_chip *chips = ft_inspected_chips(in);
	struct cut cut = {0};

	for (uint32_t i = 0; i < pairs->count; i++)
		if (pair_is_of(&pairs->list[i], part)) {
			cut.wanted += pairs->list[i].wanted;
			cut.seen += pairs->list[i].seen;
		}
	for (uint32_t i = 0; i < in->d->count; i++) {
		const struct ft_node *node = &m->chips->nodes[chips[i].node];

		if (!part_has(part, &chips[i]))
			continue;
		cut.hazy += hazy_of(m, &chips[i]);
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

static void cut_claim(const struct ft_inspection *in, struct ft_finding *f, struct pairs *pairs,
		      const struct part *part)
{
	struct ft_model *m = in->x->m;
	const struct ft_chip *chips = ft_inspected_chips(in);

	for (uint32_t i = 0; i < in->d->count; i++)
		if (part_has(part, &chips[i]))
			ft_finding_where_chip(m, f, chips[i].node);
	for (uint32_t i = 0; i < pairs->count; i++) {
		struct pair *pair = &pairs->list[i];
		uint32_t count;

		if (!pair_is_of(pair, part))
			continue;
		pair->told = true;
		ft_traces_claim(m, pair->ends[0], pair->wanted, FT_LINK_DOWN);
		count = ft_traces_pick(in, pair->ends[1], ft_spot_of(pair->ends[0]), pair->wanted, FT_LINK_DOWN,
				       in->x->picked);
		for (uint32_t p = 0; p < count; p++)
			trace_claim(m, in->x->picked[p]);
	}
}

/* "line board L05 of core01", or "core01 L05/U2", or, without slot names, by one of its chips. */
static const char *cut_words(const struct ft_inspection *in, const struct part *part)
{
	const struct ft_model *m = in->x->m;
	struct ft_text text = {0};

	if (part->like->named && part->whole) {
		ft_board_add(in, ft_spot_of(part->like), &text);
		ft_text_printf(&text, " of %s", m->observed.switches[in->observed].label);
	} else {
		ft_text_printf(&text, "%s%s", part->whole ? "the line board of " : "",
			       ft_switch_text(m, part->like->node));
	}
	return ft_model_text(m, &text);
}

/* The part's outer cables to other switches carry no traffic through the director. */
static void cut_lacks(const struct ft_inspection *in, struct ft_finding *f, const struct part *part)
{
	struct ft_model *m = in->x->m;

	for (const struct ft_cable_end *end = ft_ends_of(m, in->observed); end < ft_ends_of(m, in->observed + 1);
	     end++) {
		uint32_t far = ft_place_behind(m, end), port = ft_port_origin(m, end->port);
		const struct ft_chip *chip =
			port == FT_NONE ? NULL : ft_chip_of(m->chassis, m->chips->ports[port].node);

		if (!chip || far == FT_NONE || !part_has(part, chip) || ft_width_at(m, in->place, far) == 0)
			continue;
		f->impact.links_lost++;
		ft_finding_lack(m, f, in->place, far, 1);
	}
}

/* Its hosts are cut off, like those of an isolated edge, if it has no cables to other switches of its own. */
static void cut_report(const struct ft_inspection *in, struct pairs *pairs, const struct part *part)
{
	struct ft_model *m = in->x->m;
	struct cut cut = cut_of(in, pairs, part);
	bool isolated = cut.hosts > 0 && cut.links == 0;
	struct ft_finding *f;
	const char *name;
	char words[48];

	if (cut.wanted < 2 || cut.seen > 0 || cut.hazy > 0)
		return;
	f = ft_finding_add(m, isolated ? FT_CODE_EDGE_ISOLATED : FT_CODE_BOARD_MISSING, FT_EVIDENCE_ABSENT);
	cut_claim(in, f, pairs, part);
	if (!isolated)
		cut_lacks(in, f, part);
	f->count = cut.wanted;
	f->impact.hosts_cut_off = isolated ? cut.hosts : 0;
	name = cut_words(in, part);
	ft_say(m, &f->expected, "%u traces to the fabric boards", cut.wanted);
	ft_say(m, &f->observed, "none is up");
	ft_say(m, &f->text, "%s is cut off: none of its %u traces to the fabric boards is up%s%s", name, cut.wanted,
	       isolated ? ", and with it " : "", isolated ? ft_plural(cut.hosts, "host", words) : "");
	ft_say(m, &f->fix, "reseat this line board, then replace it");
	ft_board_act(in, f, NULL, true, name);
	if (cut.links > 0)
		ft_finding_symptom(m, f, in->observed, 0, "%s that %s plugged into it carr%s nothing through it",
				   ft_plural(cut.links, "cable", words), cut.links == 1 ? "is" : "are",
				   cut.links == 1 ? "ies" : "y");
}

/* ---- dead traces with one chip in common ---- */

/* The price of a chip that loses traces to many others, in pairs that lose theirs independently. */
enum { CHIP_PRICE = 3, NAMED_MOST = 6 };

/* The number of pairs of the chip that lack traces; the traces in @ret_lacking. */
static uint32_t pairs_lacking(const struct pairs *pairs, const struct part *part, uint32_t *ret_lacking)
{
	uint32_t count = 0;

	*ret_lacking = 0;
	for (uint32_t i = 0; i < pairs->count; i++)
		if (pairs->list[i].lacking > 0 && pair_is_of(&pairs->list[i], part)) {
			*ret_lacking += pairs->list[i].lacking;
			count++;
		}
	return count;
}

/* The chip that explains the most pairs; NULL: none is worth its price. */
static const struct ft_chip *chip_worst(const struct ft_inspection *in, const struct pairs *pairs)
{
	const struct ft_chip *chips = ft_inspected_chips(in), *worst = NULL;
	uint32_t most = CHIP_PRICE;

	for (uint32_t i = 0; i < in->d->count; i++) {
		const struct part part = {&chips[i], false};
		uint32_t lacking, count = pairs_lacking(pairs, &part, &lacking);

		if (count <= most)
			continue;
		most = count;
		worst = &chips[i];
	}
	return worst;
}

/* Adds the ports at both ends of the pair's missing traces, those of @chip first, and a symptom. */
static void pair_fold(const struct ft_inspection *in, struct ft_finding *f, const struct ft_chip *chip,
		      const struct pair *pair)
{
	struct ft_model *m = in->x->m;
	const struct ft_chip *far = pair->ends[pair->ends[0] == chip], *ends[2] = {chip, far};
	uint32_t n = 0;
	char words[48];

	for (unsigned int end = 0; end < 2; end++) {
		n = ft_traces_pick(in, ends[end], ft_spot_of(ends[1 - end]), pair->lacking, FT_LINK_DOWN,
				   in->x->picked);
		for (uint32_t i = 0; i < n; i++)
			ft_finding_where_trace(m, f, in->x->picked[i]);
	}
	if (n == 0)
		ft_finding_where_chip(m, f, far->node);
	ft_finding_symptom_chip(m, f, far->node, "%s lacks %s to it", ft_switch_text(m, far->node),
				ft_plural(pair->lacking, "trace", words));
}

/* ", L02" or, for the first one, ": L01"; nothing without slot names, or if many are named already. */
static uint32_t far_add(const struct ft_inspection *in, const struct ft_chip *chip, uint32_t named,
			struct ft_text *text)
{
	size_t skip = strlen(in->x->m->observed.switches[in->observed].label) + 1;
	const char *name;

	if (!chip->named || named == NAMED_MOST)
		return 0;
	name = ft_switch_text(in->x->m, chip->node);
	ft_text_printf(text, "%s%s", named > 0 ? ", " : ": ", strlen(name) > skip ? name + skip : "");
	return 1;
}

static void chip_report(const struct ft_inspection *in, const struct ft_chip *chip, struct pairs *pairs)
{
	struct ft_model *m = in->x->m;
	const struct part part = {chip, false};
	struct ft_finding *f = ft_finding_add(m, FT_CODE_CABLE_MISSING, FT_EVIDENCE_ABSENT);
	const char *side = chip->line ? "line" : "fabric", *others = chip->line ? "fabric" : "line";
	const char *name = ft_switch_text(m, chip->node);
	struct ft_text far = {0}, board = {0};
	uint32_t wanted = 0, named = 0, count = pairs_lacking(pairs, &part, &f->count);

	ft_finding_where_chip(m, f, chip->node);
	for (uint32_t i = 0; i < pairs->count; i++) {
		struct pair *pair = &pairs->list[i];

		if (pair->ends[0] == chip || pair->ends[1] == chip)
			wanted += pair->wanted;
		if (pair->lacking == 0 || !pair_is_of(pair, &part))
			continue;
		pair_fold(in, f, chip, pair);
		named += far_add(in, pair->ends[pair->ends[0] == chip], named, &far);
		pair->told = true;
	}
	if (named > 0)
		ft_text_more(&far, count, named);
	ft_say(m, &f->expected, "%u traces to the %s boards", wanted, others);
	ft_say(m, &f->observed, "%u of %u", wanted - ft_number_least(f->count, wanted), wanted);
	ft_say(m, &f->text, "%u of the %u backplane traces of %s are dead, those to %u %s chips%s", f->count, wanted,
	       name, count, others, ft_model_text(m, &far));
	if (chip->named)
		ft_board_add(in, ft_spot_of(chip), &board);
	else
		ft_text_printf(&board, "the %s board that this chip is on", side);
	ft_say(m, &f->fix,
	       "so many dead traces of one chip are its own fault, or its board's: reseat %s, then replace it",
	       ft_model_text(m, &board));
	ft_board_act(in, f, NULL, chip->line, name);
}

/*
 * The cheapest set of faults: each pair with missing traces is a fault of its own, or is explained by one of its two
 * chips: a weighted vertex cover of the pairs. Greedy: takes the chip that explains the most pairs while that lowers
 * the price. Invariant: never more faults than pairs. O(chips x pairs) for each chip taken.
 */
int ft_traces_explain(const struct ft_inspection *in)
{
	const struct ft_chip *chips = ft_inspected_chips(in), *worst;
	struct pairs pairs = {0};
	int r = pairs_make(in, &pairs);

	for (uint32_t i = 0; r == 0 && i < in->d->count && chips[i].line; i++) {
		if (i == 0 || chips[i - 1].board != chips[i].board)
			cut_report(in, &pairs, &(struct part){&chips[i], true});
		cut_report(in, &pairs, &(struct part){&chips[i], false});
	}
	for (uint32_t i = 0; i < pairs.count; i++)
		lacking_count(in, &pairs.list[i]);
	while ((worst = chip_worst(in, &pairs)))
		chip_report(in, worst, &pairs);
	for (uint32_t i = 0; i < pairs.count; i++) {
		lacking_count(in, &pairs.list[i]);
		if (pairs.list[i].lacking > 0)
			pair_report(in, &pairs.list[i]);
	}
	free(pairs.list);
	return r;
}

/* ---- slow traces ---- */

/* The next port of a line chip of that director, from @port, that has a trace, or FT_NONE. */
static uint32_t trace_next(const struct ft_model *m, uint32_t director, uint32_t port)
{
	for (; port < m->chips->port_count; port++) {
		const struct ft_chip *far = ft_trace_far(m->chassis, port);

		if (far && far->director == director && !far->line)
			return port;
	}
	return FT_NONE;
}

static void slow_trace_report(struct ft_model *m, uint32_t port, struct ft_rate is, struct ft_rate usual)
{
	bool narrow = is.lanes < usual.lanes;
	struct ft_finding *f = ft_finding_add(m, narrow ? FT_CODE_CABLE_NARROW : FT_CODE_CABLE_SLOW, FT_EVIDENCE_SEEN);
	char is_name[FT_RATE_NAME_SIZE], usual_name[FT_RATE_NAME_SIZE];
	uint32_t far = m->chips->ports[port].peer;

	ft_rate_name(is, is_name);
	ft_rate_name(usual, usual_name);
	ft_finding_where_chip_port(m, f, port);
	ft_finding_where_chip_port(m, f, far);
	ft_say(m, &f->expected, "%s", usual_name);
	ft_say(m, &f->observed, "%s", is_name);
	ft_say(m, &f->text, "the backplane trace %s - %s runs at %s instead of %s", ft_chip_port_text(m, port),
	       ft_chip_port_text(m, far), is_name, usual_name);
	ft_say(m, &f->fix, "it is no cable: reseat the two boards, then replace the one with which it moves");
	trace_act(m, f, FT_ACT_RENEW, (const uint32_t[]){m->chips->ports[port].node, m->chips->ports[far].node},
		  (const uint32_t[]){port, far});
}

/* Those of most of the director: another one may be of an older make. */
static void director_rate(struct ft_model *m, uint32_t director)
{
	struct ft_rate_votes votes = {0};
	struct ft_rate usual;

	for (uint32_t p = trace_next(m, director, 0); p != FT_NONE; p = trace_next(m, director, p + 1))
		ft_rate_vote(&votes, m->chips->ports[p].rate);
	usual = ft_rate_usual(&votes);
	for (uint32_t p = trace_next(m, director, 0); p != FT_NONE; p = trace_next(m, director, p + 1)) {
		struct ft_rate rate = ft_rate_seen(m->chips, &m->chips->ports[p]);

		if (ft_rate_mbps(rate) > 0 && ft_rate_mbps(rate) < ft_rate_mbps(usual))
			slow_trace_report(m, p, rate, usual);
	}
}

/* O(directors x ports). */
void ft_traces_rate(struct ft_model *m)
{
	for (uint32_t i = 0; i < m->chassis->director_count; i++)
		director_rate(m, i);
}
