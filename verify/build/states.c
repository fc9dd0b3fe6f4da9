/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/build/states.h"
#include "verify/check/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "probe/counters.h"

void ft_states_release(struct ft_states *states)
{
	ft_wiring_release(&states->wiring);
	ft_floor_free(states->floor);
	free(states->rows);
	ft_arena_release(&states->memory);
}

/* While states are made. */
struct maker {
	const struct ft_model *m;
	struct ft_states *s;
	uint32_t *row_of;    /* by wire: its row */
	bool *used;	     /* by observed cable, then by observed host */
	bool *settled;	     /* by row: its state is known */
	struct ft_map rails; /* by host and switch: a listing */
	struct ft_map moved; /* by GUID and port of a cable that ends elsewhere: the first finding of it */
	uint32_t *told;	     /* by finding: how many cables have the state that it tells */
	uint32_t *due;	     /* by listed host: its number in the model's plan, or FT_NONE: not due and not there */
	struct ft_arena memory;
};

static void maker_release(struct maker *x)
{
	ft_map_release(&x->rails);
	ft_map_release(&x->moved);
	ft_arena_release(&x->memory);
}

static struct ft_build_cable *settle(struct maker *x, uint32_t row, enum ft_cable_state state)
{
	x->settled[row] = true;
	x->s->states[row].state = state;
	return &x->s->states[row];
}

/* ---- what is where ---- */

static void moved_learn(struct maker *x)
{
	const struct ft_report *report = x->m->report;

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];

		for (size_t n = 0; ft_finding_has(f, FT_TRAIT_MOVED) && n < f->where_count; n++)
			ft_map_put(&x->moved, ft_hash_pair(f->where[n].guid, f->where[n].port), (uint32_t)i,
				   &x->memory.failed);
	}
}

static int maker_init(struct maker *x)
{
	struct ft_arena *memory = &x->memory;
	const struct ft_model *m = x->m;
	size_t wires = 0;

	for (uint32_t i = 0; i < x->s->plan->bundle_count; i++)
		wires += x->s->plan->bundles[i].count;
	x->row_of = ft_arena_zeros(memory, wires, sizeof(*x->row_of));
	x->used = ft_arena_zeros(memory, (size_t)m->observed.cable_count + m->observed.host_count, sizeof(*x->used));
	x->settled = ft_arena_zeros(memory, x->s->count, sizeof(*x->settled));
	x->told = ft_arena_zeros(memory, m->report->finding_count, sizeof(*x->told));
	if (memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->s->count; i++) {
		x->s->states[i] = (struct ft_build_cable){
			.cable = FT_NONE, .host = FT_NONE, .finding = FT_NONE, .phase = FT_NONE};
		if (x->s->rows[i].wire != FT_NONE)
			x->row_of[x->s->rows[i].wire] = i;
	}
	moved_learn(x);
	return memory->failed ? -ENOMEM : 0;
}

/* The place of a row's switch; one that an island knows by another name may be another one than planned (aliases.c). */
static uint32_t place_of_end(const struct ft_model *m, const struct ft_plan *plan, uint32_t sw)
{
	const char *alias = plan->switches[sw].alias;

	for (uint32_t i = 0; alias && m->resolved && i < m->plan->switch_count; i++)
		if (m->plan->switches[i].alias == alias)
			return m->place_of[i];
	return m->place_of[sw];
}

/* ---- cables between switches ---- */

/* One bundle of the plan. */
struct bundle {
	uint32_t p, q; /* the places of its a and b */
	uint32_t cell;
	uint32_t wire, count; /* its first, and how many */
	bool exact;	      /* the plan gives its ports */
	uint32_t left;	      /* so many may still be found */
	uint32_t cables;      /* observed at @p */
};

/* Of the observed cables of the switch in @p number @n, if it leads to that in @q; else FT_NONE. */
static uint32_t cable_at(const struct maker *x, const struct bundle *b, uint32_t n)
{
	const struct ft_cable_end *end = &ft_ends_of(x->m, x->m->observed_of[b->p])[n];

	return ft_place_behind(x->m, end) == b->q && end->far != end->near ? end->cable : FT_NONE;
}

static void cable_ports(const struct maker *x, const struct bundle *b, uint32_t cable, uint32_t *a, uint32_t *z)
{
	const struct ft_model *m = x->m;
	const struct ft_observed_cable *c = &m->observed.cables[cable];
	bool turn = m->observed.switches[c->a].planned != b->p;

	*a = ft_port_number(m, turn ? c->b_port : c->a_port);
	*z = ft_port_number(m, turn ? c->a_port : c->b_port);
}

static bool port_fits(uint32_t planned, uint32_t seen)
{
	return planned == 0 || planned == seen;
}

/* Whether observed cable @cable is in the ports of wire @wire: those of the wiring, or those that the plan gives. */
static bool ports_fit(const struct maker *x, const struct bundle *b, uint32_t cable, uint32_t wire, bool any)
{
	uint32_t a, z;

	cable_ports(x, b, cable, &a, &z);
	if (any && b->exact)
		return port_fits(x->s->plan->cables[wire].a_port, a) && port_fits(x->s->plan->cables[wire].b_port, z);
	return x->s->wiring.cables[wire].a_port == a && x->s->wiring.cables[wire].b_port == z;
}

static void wire_take(struct maker *x, struct bundle *b, uint32_t wire, uint32_t cable, enum ft_cable_state state)
{
	settle(x, x->row_of[wire], state)->cable = cable;
	x->used[cable] = true;
	b->left--;
}

/* Cables in the ports of the wiring; then, @any, in those of the plan where it leaves them open. */
static void wires_in_ports(struct maker *x, struct bundle *b, bool any)
{
	for (uint32_t w = b->wire; w < b->wire + b->count; w++)
		for (uint32_t i = 0; i < b->cables && b->left > 0; i++) {
			uint32_t cable = cable_at(x, b, i);

			if (cable == FT_NONE || x->settled[x->row_of[w]] || x->used[cable] ||
			    (!b->exact && x->m->misplaced[cable]) || !ports_fit(x, b, cable, w, any))
				continue;
			wire_take(x, b, w, cable, FT_CABLE_RIGHT);
		}
}

/* The finding that observed cable @cable ends elsewhere, or FT_NONE. */
static uint32_t finding_of(const struct maker *x, uint32_t cable)
{
	const struct ft_observed_cable *c = &x->m->observed.cables[cable];

	return ft_map_get(&x->moved, ft_hash_pair(x->m->observed.switches[c->a].guid, ft_port_number(x->m, c->a_port)));
}

/* Whether one end of observed cable @cable is in the port that wire @wire has there. */
static bool port_shared(const struct maker *x, const struct bundle *b, uint32_t cable, uint32_t wire)
{
	uint32_t a, z;

	cable_ports(x, b, cable, &a, &z);
	return x->s->wiring.cables[wire].a_port == a || x->s->wiring.cables[wire].b_port == z;
}

/* A finding says so; @swapped: also where it is one of several that are swapped, which may be of one pair. */
static bool belongs_elsewhere(const struct maker *x, uint32_t cable, bool swapped)
{
	uint32_t finding = finding_of(x, cable);

	return finding != FT_NONE && (swapped || x->m->report->findings[finding].code == FT_CODE_CABLE_MISPLACED);
}

/*
 * Cables in other ports: wrong where the plan gives ports. Such a cable is first that of the wire which it shares a
 * port with, for others of the pair may not be laid yet; @any: then that of any wire. What a finding says to belong
 * between other switches is none of these: it would stand for two planned cables.
 */
static void wires_in_others(struct maker *x, struct bundle *b, bool any)
{
	for (uint32_t i = 0; i < b->cables && b->left > 0; i++) {
		uint32_t cable = cable_at(x, b, i), w = b->wire;

		if (cable == FT_NONE || x->used[cable] || (!b->exact && x->m->misplaced[cable]) ||
		    (b->exact && belongs_elsewhere(x, cable, any)))
			continue;
		while (w < b->wire + b->count && (x->settled[x->row_of[w]] || (!any && !port_shared(x, b, cable, w))))
			w++;
		if (w < b->wire + b->count)
			wire_take(x, b, w, cable, b->exact ? FT_CABLE_WRONG_PORT : FT_CABLE_RIGHT);
	}
}

/* Of cables of which an end was not seen. A cable whose far switch does not answer is up at one end. */
static enum ft_cable_state unseen_state(const struct ft_model *m, uint32_t p, uint32_t q)
{
	enum ft_status one = m->status[p], other = m->status[q];
	bool nothing = m->observed_of[p] == FT_NONE && m->observed_of[q] == FT_NONE;

	if (ft_status_is_gone(one) || ft_status_is_gone(other) || one == FT_STATUS_NOT_DUE ||
	    other == FT_STATUS_NOT_DUE)
		return FT_CABLE_MISSING;
	if (one == FT_STATUS_MUTE || other == FT_STATUS_MUTE)
		return nothing ? FT_CABLE_UNKNOWN : FT_CABLE_HALF;
	/* A sweep that saw everything there is did not see these. */
	return m->snapshot->source.complete && !m->cut_off ? FT_CABLE_MISSING : FT_CABLE_UNKNOWN;
}

static void wires_settle_rest(struct maker *x, const struct bundle *b, enum ft_cable_state state, uint32_t most)
{
	for (uint32_t w = b->wire; w < b->wire + b->count && most > 0; w++)
		if (!x->settled[x->row_of[w]]) {
			settle(x, x->row_of[w], state);
			most--;
		}
}

static struct bundle bundle_of(const struct maker *x, uint32_t index)
{
	const struct ft_plan *plan = x->s->plan;
	const struct ft_plan_bundle *bundle = &plan->bundles[index];
	struct bundle b = {.p = place_of_end(x->m, plan, bundle->a),
			   .q = place_of_end(x->m, plan, bundle->b),
			   .wire = x->s->wiring.first_cable[index],
			   .count = bundle->count,
			   .exact = plan->cable_count > 0};

	b.cell = ft_cell_at(x->m, b.p, b.q);
	b.cables = ft_observed_at(x->m, b.p) ? ft_observed_at(x->m, b.p)->cable_count : 0;
	return b;
}

/* What is in its place, and what was not seen. */
static void bundle_see(struct maker *x, uint32_t index)
{
	const struct ft_model *m = x->m;
	struct bundle b = bundle_of(x, index);
	const struct ft_pair *pair = ft_pair_at(m, b.p, b.q);

	if (m->observed_of[b.p] == FT_NONE || m->observed_of[b.q] == FT_NONE) {
		wires_settle_rest(x, &b, unseen_state(m, b.p, b.q), b.count);
		return;
	}
	if (!pair)
		return;
	/* Surplus cables of the pair do not count for those that it lacks. */
	b.left = b.exact ? b.count : m->cells.seen[b.cell] - m->cells.foreign[b.cell];
	wires_in_ports(x, &b, false);
	if (b.exact) {
		wires_in_ports(x, &b, true);
		wires_in_others(x, &b, false);
	}
	wires_in_others(x, &b, true);
}

/* ---- what ends elsewhere ---- */

/* The end of a row's cable, at its planned port, is among the places of the finding. */
static bool finding_names(const struct maker *x, const struct ft_finding *f, const struct bundle *b, uint32_t wire)
{
	const uint32_t places[] = {b->p, b->q};
	const uint32_t ports[] = {x->s->wiring.cables[wire].a_port, x->s->wiring.cables[wire].b_port};

	for (unsigned int n = 0; n < 2; n++) {
		const struct ft_observed_switch *sw = ft_observed_at(x->m, places[n]);

		if (sw && ft_finding_is_at(f, sw->guid, ports[n]))
			return true;
	}
	return false;
}

static void lack_take(struct maker *x, uint32_t finding, const struct ft_lack *lack)
{
	const struct ft_finding *f = &x->m->report->findings[finding];
	uint32_t index = ft_plan_find_bundle(x->s->plan, lack->a, lack->b), left = lack->cables;
	struct bundle b;

	if (index == FT_NONE)
		return;
	b = bundle_of(x, index);
	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint32_t w = b.wire; w < b.wire + b.count && left > 0; w++) {
			if (x->settled[x->row_of[w]] || (pass == 0 && !finding_names(x, f, &b, w)))
				continue;
			settle(x, x->row_of[w], FT_CABLE_WRONG_SWITCH)->finding = finding;
			x->told[finding]++;
			left--;
		}
}

static void elsewhere_see(struct maker *x)
{
	const struct ft_report *report = x->m->report;

	for (size_t i = 0; i < report->finding_count; i++)
		for (size_t n = 0;
		     ft_finding_has(&report->findings[i], FT_TRAIT_MOVED) && n < report->findings[i].lack_count; n++)
			lack_take(x, (uint32_t)i, &report->findings[i].lacks[n]);
}

/*
 * A cable of another pair that hides that this one lacks its own: no lack tells of it, as the number is right. Each
 * cable of a finding accounts for one that is not in its place, and no more: the pair may lack another one, too.
 */
static void hidden_see(struct maker *x, const struct bundle *b)
{
	for (uint32_t i = 0; i < b->cables; i++) {
		uint32_t cable = cable_at(x, b, i);
		uint32_t finding = cable != FT_NONE && x->m->misplaced[cable] ? finding_of(x, cable) : FT_NONE;

		for (uint32_t w = b->wire; finding != FT_NONE && w < b->wire + b->count; w++) {
			if (x->settled[x->row_of[w]] || x->told[finding] >= x->m->report->findings[finding].count)
				continue;
			settle(x, x->row_of[w], FT_CABLE_WRONG_SWITCH)->finding = finding;
			x->told[finding]++;
			break;
		}
	}
}

/* The rest is missing, as far as it could be judged. */
static void bundle_finish(struct maker *x, uint32_t index)
{
	const struct ft_model *m = x->m;
	struct bundle b = bundle_of(x, index);
	uint32_t silent = 0, ends[] = {b.p, b.q};

	if (!b.exact && ft_pair_at(m, b.p, b.q))
		hidden_see(x, &b);
	for (unsigned int n = 0; n < 2; n++)
		if (m->observed_of[ends[n]] != FT_NONE)
			silent += m->observed.switches[m->observed_of[ends[n]]].silent;
	if (ft_pair_at(m, b.p, b.q))
		wires_settle_rest(x, &b, silent > 0 ? FT_CABLE_HALF : FT_CABLE_UNKNOWN, m->cells.unjudged[b.cell]);
	wires_settle_rest(x, &b, FT_CABLE_MISSING, b.count);
}

/* ---- hosts ---- */

static struct ft_build_cable *host_take(struct maker *x, uint32_t row, uint32_t host, enum ft_cable_state state)
{
	struct ft_build_cable *s = settle(x, row, state);

	s->host = host;
	x->used[x->m->observed.cable_count + host] = true;
	return s;
}

static uint64_t rail_key(const char *name, uint32_t edge)
{
	return ft_hash_pair(ft_text_hash(name), edge);
}

static void rails_learn(struct maker *x)
{
	const struct ft_plan *plan = x->s->plan;

	for (uint32_t i = 0; i < plan->host_count; i++)
		if (plan->hosts[i].name)
			ft_map_put(&x->rails, rail_key(plan->hosts[i].name, plan->hosts[i].edge), i, &x->memory.failed);
}

/* Another adapter of the host of listing @listing belongs on the switch of place @place. */
static bool is_rail_of(const struct maker *x, uint32_t listing, uint32_t place)
{
	const struct ft_plan *plan = x->s->plan;
	const struct ft_plan_host *h = &plan->hosts[listing];
	uint32_t other;

	if (!h->name || place == FT_NONE)
		return false;
	other = ft_map_get(&x->rails, rail_key(h->name, ft_plan_index(x->m, place)));
	return other != FT_NONE && plan->hosts[other].name && strcmp(plan->hosts[other].name, h->name) == 0;
}

static bool is_listing(const struct ft_plan_host *a, const struct ft_plan_host *b)
{
	return a->name == b->name && a->guid == b->guid && a->edge == b->edge && a->port == b->port &&
	       a->adapter == b->adapter && a->adapter_port == b->adapter_port;
}

/* The model's plan may have fewer listed hosts than the whole one (due.c), in the same order. */
static void due_learn(struct maker *x)
{
	const struct ft_plan *whole = x->s->plan, *due = x->m->plan;
	uint32_t next = 0;

	x->due = ft_arena_zeros(&x->memory, whole->host_count, sizeof(*x->due));
	for (uint32_t i = 0; x->due && i < whole->host_count; i++)
		x->due[i] =
			next < due->host_count && is_listing(&whole->hosts[i], &due->hosts[next]) ? next++ : FT_NONE;
}

/* Of a listed host that was seen. */
static enum ft_cable_state listed_state(const struct maker *x, uint32_t listing, uint32_t host)
{
	const struct ft_model *m = x->m;
	const struct ft_plan_host *h = &x->s->plan->hosts[listing];
	uint32_t here = m->observed.switches[m->observed.hosts[host].observed].planned;
	uint32_t port = ft_port_number(m, m->observed.hosts[host].switch_port);

	if (here == m->place_of[h->edge]) {
		bool other = m->port_map.belongs[host] != FT_NONE && m->port_map.belongs[host] != x->due[listing];

		return other || (h->port && h->port != port) ? FT_CABLE_WRONG_PORT : FT_CABLE_RIGHT;
	}
	return is_rail_of(x, listing, here) ? FT_CABLE_WRONG_RAIL : FT_CABLE_WRONG_SWITCH;
}

/* Of a host that was not seen: missing where its switch was seen, else like a cable with an end that was not seen. */
static enum ft_cable_state host_unseen_state(const struct ft_model *m, uint32_t place)
{
	return ft_observed_at(m, place) ? FT_CABLE_MISSING : unseen_state(m, place, place);
}

static uint32_t listing_of(const struct maker *x, uint32_t row)
{
	return x->s->plan->host_count ? x->s->wiring.hosts[x->s->rows[row].host].listed : FT_NONE;
}

static void listed_see(struct maker *x)
{
	const struct ft_model *m = x->m;

	for (uint32_t row = 0; row < x->s->count && m->port_map.fate; row++) {
		uint32_t listing = x->s->rows[row].host == FT_NONE ? FT_NONE : listing_of(x, row), host;

		if (listing == FT_NONE)
			continue;
		host = x->due[listing] == FT_NONE ? FT_NONE : m->port_map.host_of[x->due[listing]];
		if (host != FT_NONE)
			host_take(x, row, host, listed_state(x, listing, host));
		else if (x->due[listing] != FT_NONE && m->port_map.fate[x->due[listing]] == FT_HOST_UNDECIDED &&
			 ft_observed_at(m, m->place_of[x->s->rows[row].b]))
			settle(x, row, FT_CABLE_UNKNOWN);
		else
			settle(x, row, host_unseen_state(m, m->place_of[x->s->rows[row].b]));
	}
}

/* Unlisted hosts of one row's switch: those in the row's port first, then, @any, in another one. */
static void unlisted_see(struct maker *x, uint32_t row, bool any)
{
	const struct ft_model *m = x->m;
	const struct ft_observed_switch *sw = ft_observed_at(m, m->place_of[x->s->rows[row].b]);

	if (x->s->rows[row].host == FT_NONE || x->settled[row] || !sw)
		return;
	for (uint32_t host = sw->first_host; host < sw->end_host; host++) {
		uint32_t port = ft_port_number(m, m->observed.hosts[host].switch_port);

		if (x->used[m->observed.cable_count + host] || (!any && port != x->s->rows[row].b_port))
			continue;
		/* A listed host that is here and belongs elsewhere is none of this switch's. */
		if (m->port_map.listed && m->port_map.listed[host] != FT_NONE)
			continue;
		host_take(x, row, host, FT_CABLE_RIGHT);
		return;
	}
}

/*
 * A host more than planned on one switch, and one fewer on another: the one is the other's. Only of hosts that no list
 * names, as these may be on any edge.
 */
static void surplus_see(struct maker *x, uint32_t row, uint32_t *next)
{
	const struct ft_model *m = x->m;

	if (x->s->rows[row].host == FT_NONE || x->settled[row] || ft_plan_is_beside(x->s->plan, x->s->rows[row].b))
		return;
	for (; *next < m->observed.host_count; (*next)++) {
		uint32_t place = m->observed.switches[m->observed.hosts[*next].observed].planned;

		if (x->used[m->observed.cable_count + *next] || place == FT_NONE || ft_is_beside(m, place) ||
		    (m->port_map.listed && m->port_map.listed[*next] != FT_NONE))
			continue;
		host_take(x, row, (*next)++, FT_CABLE_WRONG_SWITCH);
		return;
	}
}

static void unlisted_finish(struct maker *x, uint32_t row, uint32_t *unheard)
{
	const struct ft_model *m = x->m;
	uint32_t place, observed;

	if (x->s->rows[row].host == FT_NONE || x->settled[row])
		return;
	place = m->place_of[x->s->rows[row].b];
	observed = m->observed_of[place];
	if (observed == FT_NONE) {
		settle(x, row, host_unseen_state(m, place));
	} else if (unheard[observed] > 0) {
		unheard[observed]--;
		settle(x, row, m->observed.switches[observed].silent > 0 ? FT_CABLE_HALF : FT_CABLE_UNKNOWN);
	} else {
		settle(x, row, FT_CABLE_MISSING);
	}
}

static int hosts_see(struct maker *x)
{
	struct ft_arena *memory = &x->memory;
	uint32_t *unheard = ft_arena_zeros(memory, x->m->observed.switch_count, sizeof(*unheard)), next = 0;

	rails_learn(x);
	due_learn(x);
	if (memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->m->observed.switch_count; i++)
		unheard[i] = x->m->observed.switches[i].unheard;
	listed_see(x);
	for (unsigned int any = 0; any < 2; any++)
		for (uint32_t row = 0; row < x->s->count; row++)
			unlisted_see(x, row, any > 0);
	for (uint32_t row = 0; row < x->s->count; row++)
		surplus_see(x, row, &next);
	for (uint32_t row = 0; row < x->s->count; row++)
		unlisted_finish(x, row, unheard);
	return 0;
}

/* ---- rates, errors, states of ports ---- */

_Static_assert(FT_CODE_COUNT <= 64, "a set of codes is a number");
static uint64_t bit(enum ft_code code)
{
	return 1ULL << code;
}

/* By port of m->chips: the codes of the findings about it, as a set; NULL: no memory. */
static uint64_t *marks_make(struct maker *x)
{
	const struct ft_report *report = x->m->report;
	const struct ft_snapshot *chips = x->m->chips;
	_cleanup_(ft_map_release) struct ft_map nodes = {0};
	uint64_t *marks = ft_arena_zeros(&x->memory, chips->port_count, sizeof(*marks));

	if (!marks || ft_snapshot_map_nodes(chips, &nodes) < 0)
		return NULL;
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];

		for (size_t n = 0; n < f->where_count; n++) {
			uint32_t node = ft_map_get(&nodes, f->where[n].guid);
			const struct ft_port *port =
				node == FT_NONE ? NULL : ft_node_port(chips, &chips->nodes[node], f->where[n].port);

			if (port)
				marks[port - chips->ports] |= bit(f->code);
		}
	}
	return marks;
}

static uint64_t port_marks(const struct ft_model *m, const uint64_t *marks, uint32_t port)
{
	uint32_t origin = ft_port_origin(m, port), peer;

	if (origin == FT_NONE)
		return 0;
	peer = m->chips->ports[origin].peer;
	return marks[origin] | (peer == FT_NONE ? 0 : marks[peer]);
}

static void count_add(const struct ft_port_count *c, struct ft_build_cable *s)
{
	s->counted = true;
	s->symbols += c->totals[FT_COUNTER_SYMBOL];
	for (unsigned int i = 0; i < FT_COUNTER_COUNT; i++)
		if (i != FT_COUNTER_SYMBOL && i != FT_COUNTER_DISCARDS)
			s->others += c->totals[i];
}

/* What the ends of a cable have counted so far. @item_of: by port of m->chips. */
static void counts_see(const struct ft_model *m, const uint32_t *item_of, uint32_t port, struct ft_build_cable *s)
{
	uint32_t ends[2] = {ft_port_origin(m, port), FT_NONE};

	if (ends[0] == FT_NONE)
		return;
	s->mbps = ft_rate_mbps(m->chips->ports[ends[0]].rate);
	ends[1] = m->chips->ports[ends[0]].peer;
	for (unsigned int n = 0; n < 2; n++)
		if (ends[n] != FT_NONE && item_of[ends[n]] != FT_NONE &&
		    m->input->counters->items[item_of[ends[n]]].status == FT_COUNTED)
			count_add(&m->input->counters->items[item_of[ends[n]]], s);
}

/* Of cables in their place: whether they are as they should be. */
static int marks_see(struct maker *x)
{
	const uint64_t *marks = marks_make(x);
	_cleanup_free_ uint32_t *item_of = ft_counters_index(x->m);

	if (!item_of || !marks)
		return -ENOMEM;
	for (uint32_t row = 0; row < x->s->count; row++) {
		struct ft_build_cable *s = &x->s->states[row];
		uint64_t is;
		uint32_t port;

		if (s->cable == FT_NONE && s->host == FT_NONE)
			continue;
		port = s->cable != FT_NONE ? x->m->observed.cables[s->cable].a_port
					   : x->m->observed.hosts[s->host].switch_port;
		is = port_marks(x->m, marks, port);
		s->errors = is & bit(FT_CODE_PORT_ERRORS);
		s->idle = is & bit(FT_CODE_PORT_INACTIVE);
		counts_see(x->m, item_of, port, s);
		if (s->state == FT_CABLE_RIGHT && is & bit(FT_CODE_CABLE_NARROW))
			s->state = FT_CABLE_HALF;
		else if (s->state == FT_CABLE_RIGHT && is & bit(FT_CODE_CABLE_SLOW))
			s->state = FT_CABLE_SLOW;
	}
	return 0;
}

/* ---- phases ---- */

static void phases_see(struct maker *x, const struct ft_phases *phases, const char *day)
{
	for (uint32_t row = 0; phases && row < x->s->count; row++) {
		const struct ft_cable_row *r = &x->s->rows[row];
		struct ft_build_cable *s = &x->s->states[row];
		uint32_t a = r->host == FT_NONE ? phases->of_switch[r->a] : phases->of_host[r->host];
		/* No observed cable or host is in its place: it is not there, or does not answer. */
		bool absent = s->state == FT_CABLE_MISSING || s->state == FT_CABLE_UNKNOWN ||
			      (s->state == FT_CABLE_HALF && s->cable == FT_NONE && s->host == FT_NONE);

		s->phase = ft_phase_later(phases->design, a, phases->of_switch[r->b]);
		if (absent && ft_phase_is_open(phases->design, s->phase, day))
			s->state = FT_CABLE_NOT_DUE;
	}
}

static bool has_rails(const struct ft_plan *plan)
{
	_cleanup_(ft_map_release) struct ft_map edges = {0};

	for (uint32_t i = 0; i < plan->host_count; i++) {
		uint32_t edge;

		if (plan->hosts[i].name && plan->hosts[i].adapter &&
		    ft_map_add(&edges, ft_text_hash(plan->hosts[i].name), plan->hosts[i].edge, &edge) == 0 &&
		    edge != plan->hosts[i].edge)
			return true;
	}
	return false;
}

static int rows_make(struct ft_states *s)
{
	_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = NULL;
	const struct ft_plan tree = ft_plan_tree(s->plan);
	struct ft_error err = {0};
	int r = ft_plan_catalog(s->plan, &catalog, &err) ?: ft_floor_make(&tree, catalog, NULL, &s->floor);

	if (r < 0 && r != -EINVAL)
		return r;
	r = ft_wiring_make(s->plan, &s->wiring)
		    ?: ft_cable_rows_make(s->plan, &s->wiring, s->floor, &s->rows, &s->count);
	return r;
}

int ft_states_make(const struct ft_model *m, const struct ft_phases *phases, const char *day,
		   struct ft_states *ret_states)
{
	_cleanup_(maker_release) struct maker x = {.m = m, .s = ret_states};
	struct ft_states *s = ret_states;
	int r;

	*s = (struct ft_states){.plan = m->input->plan};
	r = rows_make(s);
	if (r < 0)
		return r;
	s->states = ft_arena_zeros(&s->memory, s->count, sizeof(*s->states));
	if (!s->states)
		return -ENOMEM;
	s->rails = has_rails(s->plan);
	r = maker_init(&x);
	for (uint32_t i = 0; r == 0 && i < s->plan->bundle_count; i++)
		bundle_see(&x, i);
	if (r < 0)
		return r;
	elsewhere_see(&x);
	for (uint32_t i = 0; i < s->plan->bundle_count; i++)
		bundle_finish(&x, i);
	r = hosts_see(&x) ?: marks_see(&x);
	phases_see(&x, phases, day);
	return r;
}
