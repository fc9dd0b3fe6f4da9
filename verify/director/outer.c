/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The outer cables and hosts that are missing with a line board: by the use of its ports in other directors, by the
 * plan's port numbers, or only by the number of missing cables. If the plan gives ports, each cable is judged by
 * itself.
 */
#include "config.h"

#include "verify/director/inside.h"

static uint32_t ports_a_board(const struct ft_inspection *in)
{
	return in->d->seen.line_ports;
}

uint32_t ft_gap_ports(const struct ft_inspection *in, const struct ft_gap *gap, uint32_t *ret_count)
{
	uint32_t first = gap->spot.board * ports_a_board(in) + 1, chips = in->want.line_chips;

	*ret_count = ports_a_board(in);
	if (gap->whole || chips == 0)
		return first;
	*ret_count = ports_a_board(in) / chips;
	return first + gap->spot.chip * *ret_count;
}

/* The planned port, on the director, of cable @n of the bundle to @q; 0: not given. */
static uint32_t planned_port(const struct ft_inspection *in, uint32_t q, uint32_t n)
{
	const struct ft_model *m = in->x->m;
	uint32_t a = ft_plan_index(m, in->place);
	uint32_t b = ft_plan_index(m, q);
	uint32_t index = ft_plan_find_bundle(m->plan, a, b);
	const struct ft_plan_bundle *bundle = index == FT_NONE ? NULL : &m->plan->bundles[index];

	if (!bundle || n >= bundle->count)
		return 0;
	return (bundle->a == a ? bundle->a_port : bundle->b_port) + n;
}

/*
 * True if the seen cables of the director are where the plan has them. What counts is the part, a board or a chip of
 * one, that such a gap is: chips of another make number the same ports the other way round.
 */
static bool plan_ports_hold(const struct ft_inspection *in, const struct ft_gap *gap)
{
	const struct ft_model *m = in->x->m;
	uint32_t right = 0, all = 0, part;

	ft_gap_ports(in, gap, &part);
	part = ft_number_most(part, 1);
	for (const struct ft_cable_end *end = ft_ends_of(m, in->observed); end < ft_ends_of(m, in->observed + 1);
	     end++) {
		uint32_t far = ft_place_behind(m, end), at = ft_port_number(m, end->port) - 1, low, high;

		if (far == FT_NONE || ft_width_at(m, in->place, far) == 0)
			continue;
		low = planned_port(in, far, 0);
		high = low + ft_width_at(m, in->place, far) - 1;
		all++;
		right += low > 0 && at / part >= (low - 1) / part && at / part <= (high - 1) / part;
	}
	return all > 0 && right * 10 >= all * 9;
}

/* The number of ports of the gap that are for cables to @q. */
static uint32_t ports_for(const struct ft_inspection *in, const struct ft_gap *gap, uint32_t q, bool by_plan)
{
	const struct ft_model *m = in->x->m;
	uint32_t count, first = ft_gap_ports(in, gap, &count), ports = 0;

	for (uint32_t n = first; !by_plan && n < first + count; n++)
		ports += ft_port_usual(m, in->observed, n, q);
	for (uint32_t n = 0; by_plan && n < ft_width_at(m, in->place, q); n++) {
		uint32_t port = planned_port(in, q, n);

		ports += port >= first && port < first + count;
	}
	return ports;
}

/* Peers with missing cables, and how the numbers of their ports are known. */
enum knowledge { BY_HABIT, BY_PLAN, BY_COUNT };

static enum knowledge knowledge_of(const struct ft_inspection *in, const struct ft_gap *gap)
{
	const struct ft_model *m = in->x->m;
	uint32_t known = 0;

	if (!gap->placed)
		return BY_COUNT;
	for (const struct ft_pair *pair = ft_pairs_of(m, in->place); pair < ft_pairs_of(m, in->place + 1); pair++)
		known += ports_for(in, gap, pair->peer, false);
	if (known > 0)
		return BY_HABIT;
	return plan_ports_hold(in, gap) ? BY_PLAN : BY_COUNT;
}

/* Adds that @count cables to @q are missing with the board. */
static void lack_say(const struct ft_inspection *in, struct ft_finding *f, uint32_t q, uint32_t count,
		     enum ft_link link)
{
	struct ft_model *m = in->x->m;
	char cables[48];

	if (link == FT_LINK_SILENT) {
		/* They are up, as far as the sweep can see. */
		m->cells.seen[ft_cell_at(m, in->place, q)] += count;
	} else {
		f->impact.links_lost += count;
		ft_finding_lack(m, f, in->place, q, count);
	}
	ft_finding_symptom(m, f, m->observed_of[q], 0, "%s lacks %s", label_of(m, q),
			   ft_plural(count, "cable", cables));
}

static void outer_cables_take(const struct ft_inspection *in, struct ft_finding *f, uint32_t q, uint32_t count,
			      enum ft_link link)
{
	struct ft_model *m = in->x->m;
	uint32_t n;

	if (!f)
		return;
	n = ft_ports_pick(m, m->observed_of[q], in->place, count, link, in->x->picked);
	for (uint32_t i = 0; i < n; i++)
		ft_finding_where_port(m, f, in->x->picked[i]);
	*missing_at(in->x, in->place, q) -= count;
	lack_say(in, f, q, count, link);
}

/* The number of ports of the gap without a known use in other directors of its kind. */
static uint32_t ports_untold(const struct ft_inspection *in, const struct ft_gap *gap)
{
	const struct ft_model *m = in->x->m;
	uint32_t count, first = ft_gap_ports(in, gap, &count), untold = 0;

	for (uint32_t n = first; n < first + count; n++)
		untold += !ft_port_has_use(m, in->observed, n);
	return untold;
}

/* True if the cables of the chip with port @number are those that other directors have there. */
static bool chip_is_in_place(const struct ft_inspection *in, uint32_t number)
{
	const struct ft_model *m = in->x->m;
	const struct ft_node *node = node_of(m, in->observed);
	uint32_t origin = m->origin[node->first_port + number - 1], agree = 0, all = 0;

	for (const struct ft_cable_end *end = ft_ends_of(m, in->observed); end < ft_ends_of(m, in->observed + 1);
	     end++) {
		uint32_t own = m->origin[end->port], far = ft_place_behind(m, end);

		if (origin == FT_NONE || own == FT_NONE || m->chips->ports[own].node != m->chips->ports[origin].node)
			continue;
		all++;
		agree += far != FT_NONE && ft_port_usual(m, in->observed, ft_port_number(m, end->port), far);
	}
	return agree * 2 > all;
}

/* Cables of @q in ports that switches like it use for the director, but that end on another one. */
static uint32_t strays_of(const struct ft_inspection *in, uint32_t q)
{
	const struct ft_model *m = in->x->m;
	uint32_t observed = m->observed_of[q], count = 0;

	for (const struct ft_cable_end *end = ft_ends_of(m, observed); end < ft_ends_of(m, observed + 1); end++)
		count += ft_place_behind(m, end) != in->place &&
			 ft_port_usual(m, observed, ft_port_number(m, end->port), in->place);
	return count;
}

/* True if the cable in @port, if there is one, leads to the switch in @q. */
static bool port_leads_to(const struct ft_model *m, uint32_t port, uint32_t q)
{
	uint32_t peer = m->snapshot->ports[port].peer;

	return peer != FT_NONE && m->snapshot->ports[peer].node == m->observed.switches[m->observed_of[q]].node;
}

/* Dark ports between used ones of the same line chip of a director. */
static uint32_t holes_of(const struct ft_model *m, uint32_t observed)
{
	const struct ft_node *node = node_of(m, observed);
	uint32_t holes = 0, dark = 0, chip = FT_NONE;

	for (uint32_t i = node->first_port; i < node->first_port + node->port_count; i++) {
		uint32_t own = m->origin[i] == FT_NONE ? FT_NONE : m->chips->ports[m->origin[i]].node;

		if (own != chip || m->snapshot->ports[i].peer != FT_NONE) {
			holes += own == chip && chip != FT_NONE ? dark : 0;
			dark = 0;
			/* Ports before the first used one are between none. */
			chip = m->snapshot->ports[i].peer != FT_NONE ? own : FT_NONE;
		} else if (chip != FT_NONE) {
			dark += m->snapshot->ports[i].link == FT_LINK_DOWN && !m->port_claimed[i];
		}
	}
	return holes;
}

/*
 * Missing cables that are not missing with a board, whichever they are: line chips are cabled without gaps, and this
 * director has more holes than any other of its kind. O(ports of all directors of the kind), once a director.
 */
static uint32_t holes_beyond_others(const struct ft_inspection *in)
{
	const struct ft_model *m = in->x->m;
	const struct ft_chassis *c = m->chassis;
	uint32_t own, most = 0;
	bool any = false;

	if (*in->holes != FT_NONE)
		return *in->holes;
	own = holes_of(m, in->observed);
	for (const struct ft_director *d = c->directors; d < c->directors + c->director_count; d++) {
		uint32_t observed = m->observed.switch_of_node[d->node];

		if (d == in->d || d->tier != in->d->tier || observed == FT_NONE)
			continue;
		most = ft_number_most(most, holes_of(m, observed));
		any = true;
	}
	*in->holes = any && own > most ? own - most : 0;
	return *in->holes;
}

/* True if the dark ports that are told to lead to a switch are no more than those that other directors have not. */
static bool holes_tell(const struct ft_inspection *in)
{
	const struct ft_model *m = in->x->m;
	const struct ft_node *node = node_of(m, in->observed);
	uint32_t told = 0;

	for (uint32_t port = node->first_port; m->holes && port < node->first_port + node->port_count; port++)
		told += m->holes[port] != FT_NONE && !m->port_claimed[port];
	return told > 0 && told <= holes_beyond_others(in);
}

/*
 * Ports of the director, on boards that were seen, that are the place of a cable to @q and do not hold one: others use
 * the number for it, or they are dark, which others are not, and beside such a cable (explain/port_holes.c).
 */
static uint32_t ports_without(const struct ft_inspection *in, uint32_t q)
{
	const struct ft_model *m = in->x->m;
	const struct ft_node *node = node_of(m, in->observed);
	uint32_t count = 0, end = node->first_port + node->port_count;
	bool holes = holes_tell(in);

	for (uint32_t port = node->first_port; port < end; port++) {
		const struct ft_port *p = &m->snapshot->ports[port];
		bool dark = p->link == FT_LINK_DOWN && !m->port_claimed[port];

		if (dark && holes && m->holes[port] == q)
			count++;
		else if ((dark || (p->peer != FT_NONE && !port_leads_to(m, port, q))) &&
			 ft_port_usual(m, in->observed, p->number, q) && chip_is_in_place(in, p->number))
			count++;
	}
	return count;
}

/*
 * The number of missing cables to @q that may be missing with a board: not those of which one end is in its port and
 * the other elsewhere, or the director's port for the cable was seen and is dark.
 */
static uint32_t lacking_of(const struct ft_inspection *in, uint32_t q)
{
	uint32_t lacking = in->x->m->observed_of[q] == FT_NONE ? 0 : *missing_at(in->x, in->place, q), others;

	if (lacking == 0)
		return 0;
	/* A cable that was exchanged with another is seen at both ends. */
	others = ft_number_most(strays_of(in, q), ports_without(in, q));
	return lacking > others ? lacking - others : 0;
}

/* ---- plans with ports ---- */

/* True if outer port @number belongs to the gap. If the board is not identified, this is any port that was not seen. */
static bool gap_has_port(const struct ft_inspection *in, const struct ft_gap *gap, uint32_t number)
{
	const struct ft_node *node = node_of(in->x->m, in->observed);
	uint32_t count, first = ft_gap_ports(in, gap, &count);

	if (gap->placed)
		return number >= first && number - first < count;
	return number > 0 && number <= node->port_count && in->x->m->origin[node->first_port + number - 1] == FT_NONE;
}

/*
 * True if planned cable @c led to the gap, and its far end, port @number of the switch in @q, confirms that: the port
 * is in state @link without a finding (then it is in @ret_port), or is itself on a missing board.
 */
static bool cable_went(const struct ft_inspection *in, uint32_t q, uint32_t number, enum ft_link link,
		       uint32_t *ret_port)
{
	const struct ft_model *m = in->x->m;
	const struct ft_node *node = m->observed_of[q] == FT_NONE ? NULL : node_of(m, m->observed_of[q]);
	uint32_t port;

	if (!node)
		return false;
	*ret_port = FT_NONE;
	if (number == 0 || number > node->port_count)
		return true;
	port = node->first_port + number - 1;
	if (m->origin[port] == FT_NONE)
		return true;
	*ret_port = port;
	return m->snapshot->ports[port].link == link && !m->port_claimed[port];
}

/* Returns how many cables are missing with the board. The list is sorted: those to one switch are consecutive. */
static uint32_t planned_cables_fold(const struct ft_inspection *in, struct ft_finding *f, const struct ft_gap *gap,
				    enum ft_link link)
{
	struct ft_model *m = in->x->m;
	uint32_t self = ft_plan_index(m, in->place), taken = 0, to = FT_NONE, count = 0;

	for (uint32_t i = 0; i < m->plan->cable_count; i++) {
		const struct ft_plan_cable *c = &m->plan->cables[i];
		bool upper = c->b == self;
		uint32_t q = m->place_of[upper ? c->a : c->b], port;

		if ((c->a != self && !upper) || m->port_map.gone[i] ||
		    !gap_has_port(in, gap, upper ? c->b_port : c->a_port) ||
		    !cable_went(in, q, upper ? c->a_port : c->b_port, link, &port))
			continue;
		taken++;
		if (!f)
			continue;
		m->port_map.gone[i] = true;
		if (port != FT_NONE)
			ft_finding_where_port(m, f, port);
		if (q != to && count > 0) {
			lack_say(in, f, to, count, link);
			count = 0;
		}
		to = q;
		count++;
	}
	if (count > 0)
		lack_say(in, f, to, count, link);
	return taken;
}

/* Bundles are in adjacent ports: if only the number of ports is known, complete bundles come before partial ones. */
static uint32_t outer_cables_count(const struct ft_inspection *in, struct ft_finding *f, enum ft_link link,
				   uint32_t room)
{
	const struct ft_model *m = in->x->m;
	const struct ft_pair *first = ft_pairs_of(m, in->place), *end = ft_pairs_of(m, in->place + 1);
	uint32_t most = 0, taken = 0, all = 0, elsewhere = holes_beyond_others(in), count;

	for (const struct ft_pair *pair = first; pair < end; pair++) {
		all += m->observed_of[pair->peer] == FT_NONE ? 0 : in->x->missing[pair->cell];
		most = ft_number_most(most, lacking_of(in, pair->peer));
	}
	room = ft_number_least(room, all > elsewhere ? all - elsewhere : 0);
	for (; most > 0 && taken < room; most--)
		for (const struct ft_pair *pair = first; pair < end && taken < room; pair++) {
			if (lacking_of(in, pair->peer) != most)
				continue;
			count = ft_number_least(most, room - taken);
			outer_cables_take(in, f, pair->peer, count, link);
			taken += count;
		}
	return taken;
}

/* By the baseline. */
static uint32_t recalled_cables_fold(const struct ft_inspection *in, struct ft_finding *f, const struct ft_gap *gap,
				     enum ft_link link)
{
	struct ft_model *m = in->x->m;
	uint32_t taken = 0;

	for (const struct ft_pair *pair = ft_pairs_of(m, in->place); pair < ft_pairs_of(m, in->place + 1); pair++) {
		uint32_t observed = m->observed_of[pair->peer], lacking = in->x->missing[pair->cell], count = 0;
		const struct ft_node *node = observed == FT_NONE ? NULL : node_of(m, observed);

		for (uint32_t p = node ? node->first_port : 0;
		     node && count < lacking && p < node->first_port + node->port_count; p++) {
			uint32_t own = ft_port_origin(m, p);

			if (own == FT_NONE || m->snapshot->ports[p].link != link || m->port_claimed[p] ||
			    !ft_port_led_to(in, gap, own))
				continue;
			if (f)
				ft_finding_where_port(m, f, p);
			count++;
		}
		if (f && count > 0) {
			in->x->missing[pair->cell] -= count;
			lack_say(in, f, pair->peer, count, link);
		}
		taken += count;
	}
	return taken;
}

uint32_t ft_outer_cables_fold(const struct ft_inspection *in, struct ft_finding *f, const struct ft_gap *gap,
			      enum ft_link link)
{
	const struct ft_model *m = in->x->m;
	enum knowledge by;
	uint32_t room, untold, taken = 0;

	if (m->plan->cable_count > 0)
		return planned_cables_fold(in, f, gap, link);
	if (gap->number > 0 || gap->members)
		return recalled_cables_fold(in, f, gap, link);
	by = knowledge_of(in, gap);
	untold = by == BY_HABIT ? ports_untold(in, gap) : 0;
	ft_gap_ports(in, gap, &room);
	if (by == BY_COUNT)
		return outer_cables_count(in, f, link, room);
	for (const struct ft_pair *pair = ft_pairs_of(m, in->place); pair < ft_pairs_of(m, in->place + 1); pair++) {
		uint32_t lacking = lacking_of(in, pair->peer);
		uint32_t share = ft_number_least(ft_number_least(lacking, room - taken),
						 ports_for(in, gap, pair->peer, by == BY_PLAN));
		/* In ports whose use is unknown. */
		uint32_t rest = ft_number_least(lacking - share, ft_number_least(untold, room - taken - share));

		if (share + rest > 0)
			outer_cables_take(in, f, pair->peer, share + rest, link);
		taken += share + rest;
		untold -= rest;
	}
	return taken;
}

uint32_t ft_outer_hosts_lacking(const struct ft_inspection *in)
{
	const struct ft_model *m = in->x->m;
	uint32_t found = m->observed.switches[in->observed].hosts + *in->hosts_told, planned;

	if (in->place >= m->edges)
		return 0;
	planned = m->places[in->place]->hosts;
	return ft_number_least(in->x->hosts_lacking, planned > found ? planned - found : 0);
}

uint32_t ft_outer_hosts_fold(const struct ft_inspection *in, const struct ft_gap *gap, uint32_t cables)
{
	struct ft_model *m = in->x->m;
	uint32_t room, hosts;

	ft_gap_ports(in, gap, &room);
	hosts = ft_number_least(ft_outer_hosts_lacking(in), room > cables ? room - cables : 0);
	in->x->hosts_lacking -= hosts;
	*in->hosts_told += hosts;
	m->hosts_behind += hosts;
	return hosts;
}

/* ---- a director without any fabric board ---- */

/* Takes all missing outer cables of the director. */
void ft_outer_cables_fold_all(const struct ft_inspection *in, struct ft_finding *f)
{
	const struct ft_model *m = in->x->m;
	const struct ft_gap anywhere = {.spot = {true, 0, 0}, .whole = true};

	if (m->plan->cable_count > 0) {
		planned_cables_fold(in, f, &anywhere, FT_LINK_DOWN);
		return;
	}
	for (const struct ft_pair *pair = ft_pairs_of(m, in->place); pair < ft_pairs_of(m, in->place + 1); pair++)
		if (m->observed_of[pair->peer] != FT_NONE && in->x->missing[pair->cell] > 0)
			outer_cables_take(in, f, pair->peer, in->x->missing[pair->cell], FT_LINK_DOWN);
}
