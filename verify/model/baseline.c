/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/model/baseline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/numbers.h"
#include "base/text.h"
#include "probe/facts.h"
#include "probe/snapshot.h"
#include "verify/model/chassis.h"
#include "verify/model/verify.h"

void ft_baseline_free(struct ft_baseline *b)
{
	if (!b)
		return;
	ft_arena_release(&b->memory);
	free(b);
}

/* A key for maps. Two ports may have the same key, so users compare the ports. */
static uint64_t port_key(uint64_t guid, uint32_t number)
{
	return guid ^ (uint64_t)(number + 1) * 0x9e3779b97f4a7c15ULL;
}

static bool port_equal(const struct ft_baseline_port *a, const struct ft_baseline_port *b)
{
	return a->guid == b->guid && a->number == b->number;
}

static int port_order(const struct ft_baseline_port *a, const struct ft_baseline_port *b)
{
	return FT_ORDER(a->guid, b->guid) ?: FT_ORDER(a->number, b->number);
}

enum { HELD_BY_HOST = UINT32_MAX - 1 };

/* The check that is being learned from, and the baseline that results. */
struct look {
	const struct ft_snapshot *snapshot;
	const struct ft_report *report;
	const struct ft_baseline *old; /* NULL: there is none */
	struct ft_baseline *b;	       /* the merged result */
	struct ft_map known;	       /* switches of the old baseline, by GUID */
	struct ft_map known_chips;     /* likewise, its chips */
	struct ft_map by_guid;	       /* index into b->switches */
	struct ft_map by_chip;	       /* likewise, into b->chips */
	struct ft_map by_place;	       /* likewise, by the hash of planned_as */
	struct ft_map wrong;	       /* ports that hold a cable which is not where it belongs */
	struct ft_map held;	       /* ports that hold an entry learned now: of a cable its index, or HELD_BY_HOST */
	uint32_t returning_s;	       /* for so long what was gone is coming back */
	bool failed;		       /* an allocation, of a map; those of @b are its memory's */
	bool changed;
	bool moved; /* a switch or a chip went, came back or is whole again */
	/*
	 * Planned switches are missing: which of several equivalent ones may be a guess. Not with a memory of the same
	 * plan: there a switch that stands where it did has its former place (ft_recall_stands()), and the others have
	 * moved.
	 */
	bool guess;
};

static void look_release(struct look *l)
{
	ft_map_release(&l->known);
	ft_map_release(&l->known_chips);
	ft_map_release(&l->by_guid);
	ft_map_release(&l->by_chip);
	ft_map_release(&l->by_place);
	ft_map_release(&l->wrong);
	ft_map_release(&l->held);
	ft_baseline_free(l->b);
}

/*
 * The plan whose places these are for certain: only once all of the fabric was as planned. While something is wrong the
 * places of switches that are alike are a guess, which may look like a fault as soon as the fabric is mended.
 */
static void plan_keep(struct look *l)
{
	const struct ft_baseline *old = l->old;
	bool known = old && strcmp(old->plan_hash, l->report->plan_hash) == 0;

	if (known || l->report->verdict == FT_VERDICT_OK)
		memcpy(l->b->plan_hash, l->report->plan_hash, sizeof(l->b->plan_hash));
	l->changed |= !old || strcmp(old->plan_hash, l->b->plan_hash) != 0;
}

static int look_alloc(struct look *l)
{
	const struct ft_baseline *old = l->old;
	size_t ports = l->snapshot->port_count;

	l->b = calloc(1, sizeof(*l->b));
	if (!l->b)
		return -ENOMEM;
	l->b->time_s = l->report->time_s;
	plan_keep(l);
	l->b->switches = ft_arena_zeros(&l->b->memory, l->report->switch_count + (old ? old->switch_count : 0),
					sizeof(*l->b->switches));
	l->b->chips = ft_arena_zeros(&l->b->memory, l->snapshot->node_count + (old ? old->chip_count : 0UL),
				     sizeof(*l->b->chips));
	l->b->cables = ft_arena_zeros(&l->b->memory, ports / 2 + (old ? old->cable_count : 0), sizeof(*l->b->cables));
	l->b->hosts = ft_arena_zeros(&l->b->memory, ports + (old ? old->host_count : 0), sizeof(*l->b->hosts));
	return 0;
}

/* When an entry that is not observed now was last seen: at the previous check, unless it was gone already. */
static int64_t gone_since(const struct look *l, int64_t gone_s)
{
	return gone_s ? gone_s : l->old->time_s;
}

/* Likewise, of what may be coming back: if it goes again then, it goes as it did before, with all that lacks still. */
static int64_t gone_again_since(const struct look *l, int64_t gone_s, int64_t back_s)
{
	bool one = ft_baseline_is_gone(gone_s, back_s) || l->report->time_s - back_s < l->returning_s;

	return gone_since(l, one ? gone_s : 0);
}

/* ---- switches ---- */

static uint32_t place_find(const struct look *l, const char *planned_as)
{
	uint32_t i = ft_map_get(&l->by_place, ft_text_hash(planned_as));

	return i != FT_NONE && strcmp(l->b->switches[i].planned_as, planned_as) == 0 ? i : FT_NONE;
}

/* Adds it, without times; NULL: its GUID or its place is taken. */
static struct ft_baseline_switch *switch_add(struct look *l, uint64_t guid, const char *name, const char *planned_as)
{
	uint32_t i = l->b->switch_count;

	if (ft_map_get(&l->by_guid, guid) != FT_NONE || place_find(l, planned_as) != FT_NONE)
		return NULL;
	l->b->switches[l->b->switch_count++] =
		(struct ft_baseline_switch){.guid = guid,
					    .name = ft_arena_string(&l->b->memory, name),
					    .planned_as = ft_arena_string(&l->b->memory, planned_as)};
	ft_map_put(&l->by_guid, guid, i, &l->failed);
	if (l->b->switches[i].planned_as)
		ft_map_put(&l->by_place, ft_text_hash(planned_as), i, &l->failed);
	return &l->b->switches[i];
}

static void old_map(struct look *l, const struct ft_baseline *old)
{
	for (uint32_t i = 0; old && i < old->switch_count; i++)
		ft_map_put(&l->known, old->switches[i].guid, i, &l->failed);
	for (uint32_t i = 0; old && i < old->chip_count; i++)
		ft_map_put(&l->known_chips, old->chips[i].guid, i, &l->failed);
}

/* A switch of the report that is both observed and planned. */
static bool switch_counts(const struct ft_report_switch *sw)
{
	return sw->guid && sw->planned_as && sw->status != FT_STATUS_UNPLANNED && sw->status != FT_STATUS_MISSING;
}

/* When @sw, which was known and is observed now, came back. */
static void back_take(struct look *l, struct ft_baseline_switch *sw, const struct ft_baseline_switch *was)
{
	bool gone = ft_baseline_is_gone(was->gone_s, was->back_s);

	sw->gone_s = was->gone_s;
	sw->back_s = gone ? l->report->time_s : was->back_s;
	sw->hosts_back_s = gone ? l->report->time_s : was->hosts_back_s;
	l->moved |= gone;
}

/* Known switches first: unknown ones must not take their places, as the assignment may be a guess. */
static void switches_learn(struct look *l)
{
	for (unsigned int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < l->report->switch_count; i++) {
			const struct ft_report_switch *sw = &l->report->switches[i];
			uint32_t before = switch_counts(sw) && l->old ? ft_map_get(&l->known, sw->guid) : FT_NONE;
			const struct ft_baseline_switch *was = before == FT_NONE ? NULL : &l->old->switches[before];
			const char *place = was && l->guess ? was->planned_as : sw->planned_as;
			struct ft_baseline_switch *now;

			if (!switch_counts(sw) || (was != NULL) != (pass == 0))
				continue;
			now = switch_add(l, sw->guid, sw->name, place);
			if (now && was)
				back_take(l, now, was);
			l->changed |= !was || strcmp(was->planned_as, place) != 0 || strcmp(was->name, sw->name) != 0;
		}
	for (uint32_t i = 0; l->old && i < l->old->switch_count; i++) {
		const struct ft_baseline_switch *sw = &l->old->switches[i];
		struct ft_baseline_switch *kept;

		if (ft_map_get(&l->by_guid, sw->guid) != FT_NONE)
			continue;
		kept = switch_add(l, sw->guid, sw->name, sw->planned_as);
		if (kept)
			kept->gone_s = gone_again_since(l, sw->gone_s, sw->back_s);
		l->changed |= !kept;
		l->moved |= !ft_baseline_is_gone(sw->gone_s, sw->back_s);
	}
}

/* The GUID of the switch that the node is, or is a chip of; 0: none with a place. */
static uint64_t owner_of(const struct look *l, const struct ft_node *node)
{
	const uint64_t guids[] = {node->guid, node->system_guid};

	for (size_t i = 0; node->type == FT_NODE_SWITCH && i < FT_COUNT(guids); i++)
		if (guids[i] && ft_map_get(&l->by_guid, guids[i]) != FT_NONE)
			return guids[i];
	return 0;
}

/* ---- chips of directors ---- */

/* Adds it, without times; NULL: its GUID is taken. @name is copied. */
static struct ft_baseline_chip *chip_add(struct look *l, uint64_t guid, uint64_t owner, const char *name, size_t length)
{
	struct ft_baseline_chip *chip = &l->b->chips[l->b->chip_count];

	if (ft_map_get(&l->by_chip, guid) != FT_NONE)
		return NULL;
	ft_map_put(&l->by_chip, guid, l->b->chip_count++, &l->failed);
	*chip = (struct ft_baseline_chip){
		.guid = guid, .owner = owner, .name = ft_arena_safe(&l->b->memory, name, length)};
	return chip;
}

/* By GUID, as they are written; NULL: it is none. */
static const struct ft_baseline_chip *old_chip(const struct look *l, uint64_t guid)
{
	uint32_t i = l->old ? ft_map_get(&l->known_chips, guid) : FT_NONE;

	return i == FT_NONE ? NULL : &l->old->chips[i];
}

static void chip_learn(struct look *l, const struct ft_node *node, uint64_t owner)
{
	const struct ft_baseline_chip *was = old_chip(l, node->guid);
	const char *name = ft_node_description(l->snapshot, node);
	struct ft_baseline_chip *chip = chip_add(l, node->guid, owner, name, node->description_length);

	if (!chip || !chip->name)
		return;
	l->changed |= !was || was->owner != owner || strcmp(was->name, chip->name) != 0;
	if (was) {
		chip->gone_s = was->gone_s;
		chip->back_s = ft_baseline_is_gone(was->gone_s, was->back_s) ? l->report->time_s : was->back_s;
		l->moved |= ft_baseline_is_gone(was->gone_s, was->back_s);
	}
}

/* The nodes of each switch that has several; and the last one that is seen of a switch that had. */
static void chips_learn(struct look *l)
{
	_cleanup_free_ uint32_t *parts = calloc(l->b->switch_count + 1UL, sizeof(*parts));
	const struct ft_snapshot *s = l->snapshot;

	l->failed |= !parts;
	for (unsigned int pass = 0; parts && pass < 2; pass++)
		for (uint32_t i = 0; i < s->node_count; i++) {
			uint64_t owner = owner_of(l, &s->nodes[i]);
			uint32_t sw = owner ? ft_map_get(&l->by_guid, owner) : FT_NONE;

			if (sw == FT_NONE)
				continue;
			if (pass == 0)
				parts[sw]++;
			else if (parts[sw] > 1 || old_chip(l, s->nodes[i].guid))
				chip_learn(l, &s->nodes[i], owner);
		}
}

/* Of a chip that is not seen now, a cable or trace waits still: nothing else is in all of its ports. */
static void chips_keep(struct look *l)
{
	_cleanup_(ft_map_release) struct ft_map wait = {0};

	for (uint32_t i = 0; i < 2 * l->b->cable_count; i++)
		ft_map_put(&wait, l->b->cables[i / 2].ends[i % 2].guid, 0, &l->failed);
	for (uint32_t i = 0; l->old && i < l->old->chip_count; i++) {
		const struct ft_baseline_chip *was = &l->old->chips[i];
		struct ft_baseline_chip *chip;

		if (ft_map_get(&l->by_chip, was->guid) != FT_NONE)
			continue;
		l->moved |= !ft_baseline_is_gone(was->gone_s, was->back_s);
		if (ft_map_get(&wait, was->guid) == FT_NONE || ft_map_get(&l->by_guid, was->owner) == FT_NONE) {
			l->changed = true;
			continue;
		}
		chip = chip_add(l, was->guid, was->owner, was->name, strlen(was->name));
		if (chip)
			chip->gone_s = gone_again_since(l, was->gone_s, was->back_s);
	}
}

/* ---- cables and hosts ---- */

static void wrong_find(struct look *l)
{
	for (size_t i = 0; i < l->report->finding_count; i++) {
		const struct ft_finding *f = &l->report->findings[i];

		for (size_t n = 0; ft_finding_has(f, FT_TRAIT_UNLEARNED) && n < f->where_count; n++)
			if (f->where[n].port > 0)
				ft_map_put(&l->wrong, port_key(f->where[n].guid, f->where[n].port), 0, &l->failed);
	}
}

static struct ft_baseline_port port_of(const struct look *l, const struct ft_port *port)
{
	const struct ft_node *node = ft_port_node(l->snapshot, port);

	return (struct ft_baseline_port){node->guid, owner_of(l, node), port->number};
}

static bool port_is_in(const struct ft_map *ports, const struct ft_baseline_port *port)
{
	return ft_map_get(ports, port_key(port->guid, port->number)) != FT_NONE;
}

static bool cable_is_in(const struct ft_map *ports, const struct ft_baseline_cable *c)
{
	return port_is_in(ports, &c->ends[0]) || port_is_in(ports, &c->ends[1]);
}

static void port_hold(struct look *l, const struct ft_baseline_port *port, uint32_t holder)
{
	ft_map_put(&l->held, port_key(port->guid, port->number), holder, &l->failed);
}

static void cable_hold(struct look *l, uint32_t cable)
{
	port_hold(l, &l->b->cables[cable].ends[0], cable);
	port_hold(l, &l->b->cables[cable].ends[1], cable);
}

void ft_baseline_cable_order(struct ft_baseline_cable *cable)
{
	struct ft_baseline_port first = cable->ends[0];

	if (port_order(&cable->ends[0], &cable->ends[1]) <= 0)
		return;
	cable->ends[0] = cable->ends[1];
	cable->ends[1] = first;
}

static void cable_learn(struct look *l, const struct ft_port *port, const struct ft_port *peer)
{
	struct ft_baseline_cable *cable = &l->b->cables[l->b->cable_count];

	*cable = (struct ft_baseline_cable){.ends = {port_of(l, port), port_of(l, peer)}};
	ft_baseline_cable_order(cable);
	if (cable->ends[0].owner && cable->ends[1].owner && cable->ends[0].guid != cable->ends[1].guid &&
	    !cable_is_in(&l->wrong, cable) && !cable_is_in(&l->held, cable))
		cable_hold(l, l->b->cable_count++);
}

/* @port: the switch's. */
static void host_learn(struct look *l, const struct ft_port *port, const struct ft_port *peer)
{
	const struct ft_snapshot *s = l->snapshot;
	const struct ft_node *ca = ft_port_node(s, peer);
	struct ft_baseline_host *host = &l->b->hosts[l->b->host_count];

	*host = (struct ft_baseline_host){.guid = ft_host_key(s, peer), .at = port_of(l, port)};
	if (!host->at.owner || port_is_in(&l->wrong, &host->at) || port_is_in(&l->held, &host->at) ||
	    ca->type != FT_NODE_CA || ft_node_aggregates(s, ca, ft_port_node(s, port)))
		return;
	host->name = ft_arena_safe(&l->b->memory, ft_node_description(s, ca), ca->description_length);
	l->b->host_count++;
	port_hold(l, &host->at, HELD_BY_HOST);
}

static void links_learn(struct look *l)
{
	const struct ft_snapshot *s = l->snapshot;

	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *port = &s->ports[i], *peer = ft_port_peer(s, port);

		if (!peer || ft_port_node(s, port)->type != FT_NODE_SWITCH)
			continue;
		if (ft_port_node(s, peer)->type != FT_NODE_SWITCH)
			host_learn(l, port, peer);
		else if (i < port->peer)
			cable_learn(l, port, peer);
	}
}

/* ---- cables in the ports of others ---- */

/* How many cables there are between each two switches: by the memory, and in their place now. */
struct pairs {
	struct ft_map index;
	uint32_t *known, *seen;
};

static void pairs_release(struct pairs *pairs)
{
	ft_map_release(&pairs->index);
	free(pairs->known);
	free(pairs->seen);
}

static uint64_t pair_key(const struct ft_baseline_cable *c)
{
	uint64_t a = c->ends[0].owner, b = c->ends[1].owner;

	return (a < b ? a : b) ^ (a < b ? b : a) * 0x9e3779b97f4a7c15ULL;
}

static bool pairs_add(struct pairs *pairs, uint32_t *counts, const struct ft_baseline_cable *cables, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t pair;

		if (ft_map_add(&pairs->index, pair_key(&cables[i]), (uint32_t)pairs->index.count, &pair) < 0)
			return false;
		counts[pair]++;
	}
	return true;
}

static bool pairs_count(struct pairs *pairs, const struct look *l)
{
	size_t room = (size_t)l->old->cable_count + l->b->cable_count + 1;

	pairs->known = calloc(room, sizeof(*pairs->known));
	pairs->seen = calloc(room, sizeof(*pairs->seen));
	return pairs->known && pairs->seen && pairs_add(pairs, pairs->known, l->old->cables, l->old->cable_count) &&
	       pairs_add(pairs, pairs->seen, l->b->cables, l->b->cable_count);
}

static bool place_is_of(const struct ft_place *place, const struct ft_baseline_port *end)
{
	return place->guid == end->guid || place->guid == end->owner;
}

/* A finding tells of both switches, or of one of the ports: that of a misplaced cable has the wrong end, not the right
 * one. */
static bool finding_tells_of(const struct ft_finding *f, const struct ft_baseline_cable *c)
{
	bool told[2] = {false, false};

	for (size_t i = 0; i < f->where_count; i++)
		for (unsigned int end = 0; end < 2; end++) {
			const struct ft_place *place = &f->where[i];

			if (place->guid == c->ends[end].guid && place->port == c->ends[end].number)
				return true;
			told[end] |= place_is_of(place, &c->ends[end]);
		}
	return told[0] && told[1];
}

/* That a cable between these switches is not where it was is a fault: one of them is gone, or a finding tells of it. */
static bool cable_is_lacking(const struct look *l, const struct pairs *pairs, const struct ft_baseline_cable *c)
{
	uint32_t pair = ft_map_get(&pairs->index, pair_key(c));

	for (unsigned int end = 0; end < 2; end++) {
		const struct ft_baseline_switch *sw = &l->b->switches[ft_map_get(&l->by_guid, c->ends[end].owner)];

		if (ft_baseline_is_gone(sw->gone_s, sw->back_s))
			return true;
	}
	if (pairs->seen[pair] >= pairs->known[pair])
		return false;
	for (size_t i = 0; i < l->report->finding_count; i++)
		if (finding_tells_of(&l->report->findings[i], c))
			return true;
	return false;
}

static bool owner_is_known(const struct look *l, const struct ft_baseline_port *port)
{
	return ft_map_get(&l->by_guid, port->owner) != FT_NONE;
}

/* The cable learned now, and another one, that is in the port; FT_NONE: there is none. */
static uint32_t other_in_port(const struct look *l, const struct ft_baseline_cable *c, unsigned int end)
{
	uint32_t n = ft_map_get(&l->held, port_key(c->ends[end].guid, c->ends[end].number));

	if (n == FT_NONE || n == HELD_BY_HOST ||
	    (port_equal(&l->b->cables[n].ends[0], &c->ends[0]) && port_equal(&l->b->cables[n].ends[1], &c->ends[1])))
		return FT_NONE;
	return n;
}

/* Marks those that links_yield() forgets: until none is left, as each may leave other switches short of a cable. */
static void yielding_find(const struct look *l, struct pairs *pairs, bool *yields)
{
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < 2 * l->old->cable_count; i++) {
			const struct ft_baseline_cable *c = &l->old->cables[i / 2];
			uint32_t n = owner_is_known(l, &c->ends[0]) && owner_is_known(l, &c->ends[1])
					     ? other_in_port(l, c, i % 2)
					     : FT_NONE;

			if (n == FT_NONE || yields[n] || !cable_is_lacking(l, pairs, c))
				continue;
			pairs->seen[ft_map_get(&pairs->index, pair_key(&l->b->cables[n]))]--;
			yields[n] = again = true;
		}
	}
}

/*
 * While the fabric is not as planned, a cable that may well be in its place, but is in the port of one that is lacking,
 * does not replace it: between alike bundles, two of three exchanged cables can look right, and the faults are told
 * with the ports that were theirs. Once nothing is wrong, all is learned as it is.
 *
 * Cost: O(n + cables in a wrong port * places of findings) for each row of cables that yield one after the other,
 * hardly ever more than two.
 */
static void links_yield(struct look *l)
{
	_cleanup_(pairs_release) struct pairs pairs = {0};
	_cleanup_free_ bool *yields = NULL;
	uint32_t learned = l->b->cable_count, kept = 0;

	if (!l->old || l->report->verdict == FT_VERDICT_OK || strcmp(l->old->plan_hash, l->report->plan_hash) != 0)
		return;
	yields = calloc(learned + 1UL, sizeof(*yields));
	l->failed |= !yields || !pairs_count(&pairs, l);
	if (l->failed)
		return;
	yielding_find(l, &pairs, yields);
	for (uint32_t i = 0; i < learned; i++)
		if (!yields[i])
			l->b->cables[kept++] = l->b->cables[i];
	l->b->cable_count = kept;
	if (kept == learned)
		return;
	ft_map_release(&l->held);
	for (uint32_t i = 0; i < kept; i++)
		cable_hold(l, i);
	for (uint32_t i = 0; i < l->b->host_count; i++)
		port_hold(l, &l->b->hosts[i].at, HELD_BY_HOST);
}

/* Older entries that are not observed now stay, unless something is observed in their ports. */
static void links_keep(struct look *l)
{
	_cleanup_(ft_map_release) struct ft_map seen_hosts = {0};
	const struct ft_baseline *old = l->old;

	for (uint32_t i = 0; i < l->b->host_count; i++)
		ft_map_put(&seen_hosts, l->b->hosts[i].guid, i, &l->failed);
	for (uint32_t i = 0; old && i < old->cable_count; i++) {
		const struct ft_baseline_cable *c = &old->cables[i];
		bool lacks;

		if (!owner_is_known(l, &c->ends[0]) || !owner_is_known(l, &c->ends[1]) || cable_is_in(&l->held, c))
			continue;
		/* With another cable in one of its ports it is not out: who mends that lets it come back with its
		 * switch. */
		lacks = !cable_is_in(&l->wrong, c);
		l->b->cables[l->b->cable_count] =
			(struct ft_baseline_cable){{c->ends[0], c->ends[1]}, lacks ? gone_since(l, c->gone_s) : 0};
		l->changed |= lacks && !c->gone_s;
		cable_hold(l, l->b->cable_count++);
	}
	for (uint32_t i = 0; old && i < old->host_count; i++) {
		const struct ft_baseline_host *h = &old->hosts[i];

		if (!owner_is_known(l, &h->at) || port_is_in(&l->held, &h->at) ||
		    ft_map_get(&seen_hosts, h->guid) != FT_NONE)
			continue;
		l->b->hosts[l->b->host_count++] = (struct ft_baseline_host){
			h->guid, ft_arena_string(&l->b->memory, h->name), h->at, gone_since(l, h->gone_s)};
		l->changed |= !h->gone_s;
		port_hold(l, &h->at, HELD_BY_HOST);
	}
	l->changed |= !old || old->cable_count != l->b->cable_count || old->host_count != l->b->host_count;
}

/* The time is over, and that is news. */
static void time_end(struct look *l, int64_t *back_s)
{
	l->moved |= *back_s != 0;
	*back_s = 0;
}

/* The chips of a director that went together: they are on a board, as far as is known. */
static uint64_t board_key(const struct ft_baseline_chip *chip)
{
	return chip->owner ^ (uint64_t)chip->gone_s * 0x9e3779b97f4a7c15ULL;
}

/*
 * True if @c, which is not seen, is to come back now: it went with a switch or a chip at its ends, or later, and these
 * are there again. Else it goes with the one that is not there, and the other one may be complete without it.
 */
static bool cable_is_due(const struct look *l, struct ft_baseline_cable *c)
{
	int64_t dead_s = 0;
	bool went = false;

	for (unsigned int end = 0; end < 2; end++) {
		const struct ft_baseline_switch *sw = &l->b->switches[ft_map_get(&l->by_guid, c->ends[end].owner)];
		uint32_t chip = ft_map_get(&l->by_chip, c->ends[end].guid);
		int64_t times[2][2] = {{sw->gone_s, sw->back_s}, {0, 0}};

		if (chip != FT_NONE) {
			times[1][0] = l->b->chips[chip].gone_s;
			times[1][1] = l->b->chips[chip].back_s;
		}
		for (size_t i = 0; i < FT_COUNT(times); i++) {
			went |= ft_baseline_cable_went_with(c, times[i][0]);
			if (ft_baseline_is_gone(times[i][0], times[i][1]) && times[i][0] > dead_s)
				dead_s = times[i][0];
		}
	}
	if (went && dead_s > c->gone_s)
		c->gone_s = dead_s;
	return went && dead_s == 0;
}

/*
 * A returned switch counts as complete once all cables are seen that went with it, and likewise all its hosts, which
 * may take longer; what it loses afterwards is a new fault. So do the chips of a board, all at once.
 */
static void returns_end(struct look *l)
{
	_cleanup_free_ bool *lacks = calloc(l->b->switch_count + 1UL, sizeof(*lacks));
	_cleanup_free_ bool *lacks_hosts = calloc(l->b->switch_count + 1UL, sizeof(*lacks_hosts));
	_cleanup_(ft_map_release) struct ft_map boards = {0};

	l->failed |= !lacks || !lacks_hosts;
	if (l->failed)
		return;
	for (uint32_t i = 0; i < 2 * l->b->cable_count; i++) {
		struct ft_baseline_cable *c = &l->b->cables[i / 2];
		uint32_t chip = ft_map_get(&l->by_chip, c->ends[i % 2].guid);

		if (!c->gone_s || !cable_is_due(l, c))
			continue;
		lacks[ft_map_get(&l->by_guid, c->ends[i % 2].owner)] = true;
		if (chip != FT_NONE)
			ft_map_put(&boards, board_key(&l->b->chips[chip]), 0, &l->failed);
	}
	for (uint32_t i = 0; i < l->b->host_count; i++)
		if (l->b->hosts[i].gone_s)
			lacks_hosts[ft_map_get(&l->by_guid, l->b->hosts[i].at.owner)] = true;
	for (uint32_t i = 0; i < l->b->switch_count; i++) {
		if (!lacks[i] && l->b->switches[i].back_s) {
			l->b->switches[i].gone_s = 0;
			time_end(l, &l->b->switches[i].back_s);
		}
		if (!lacks_hosts[i])
			time_end(l, &l->b->switches[i].hosts_back_s);
	}
	for (uint32_t i = 0; i < l->b->chip_count; i++)
		if (l->b->chips[i].back_s && ft_map_get(&boards, board_key(&l->b->chips[i])) == FT_NONE) {
			l->b->chips[i].gone_s = 0;
			time_end(l, &l->b->chips[i].back_s);
		}
}

static int cable_order(const void *a, const void *b)
{
	return port_order(((const struct ft_baseline_cable *)a)->ends, ((const struct ft_baseline_cable *)b)->ends);
}

static int host_order(const void *a, const void *b)
{
	return port_order(&((const struct ft_baseline_host *)a)->at, &((const struct ft_baseline_host *)b)->at);
}

static int chip_order(const void *a, const void *b)
{
	const struct ft_baseline_chip *x = a, *y = b;

	return FT_ORDER(x->guid, y->guid);
}

/* In the order of their ports: neither what went first nor where the sweep began shows in what is told. */
static void links_sort(struct ft_baseline *b)
{
	qsort(b->cables, b->cable_count, sizeof(*b->cables), cable_order);
	qsort(b->hosts, b->host_count, sizeof(*b->hosts), host_order);
	qsort(b->chips, b->chip_count, sizeof(*b->chips), chip_order);
}

/* Whether the new entries equal the old ones but for times: both lists are in the order of their ports. */
static bool links_differ(const struct look *l)
{
	const struct ft_baseline *a = l->old, *b = l->b;

	for (uint32_t i = 0; i < b->cable_count; i++)
		if (!port_equal(&a->cables[i].ends[0], &b->cables[i].ends[0]) ||
		    !port_equal(&a->cables[i].ends[1], &b->cables[i].ends[1]) ||
		    !a->cables[i].gone_s != !b->cables[i].gone_s)
			return true;
	for (uint32_t i = 0; i < b->host_count; i++)
		if (!a->hosts[i].gone_s != !b->hosts[i].gone_s || a->hosts[i].guid != b->hosts[i].guid ||
		    !port_equal(&a->hosts[i].at, &b->hosts[i].at) || strcmp(a->hosts[i].name, b->hosts[i].name) != 0)
			return true;
	return false;
}

/*
 * True if the old entries are of another plan, in which known switches had other places: what is not observed now would
 * claim places that are others' by the new one.
 */
static bool old_is_foreign(const struct look *l, const struct ft_baseline *old)
{
	if (old->plan_hash[0] == '\0' || strcmp(old->plan_hash, l->report->plan_hash) == 0)
		return false;
	for (size_t i = 0; i < l->report->switch_count; i++) {
		const struct ft_report_switch *sw = &l->report->switches[i];
		uint32_t before = switch_counts(sw) ? ft_map_get(&l->known, sw->guid) : FT_NONE;

		if (before != FT_NONE && strcmp(old->switches[before].planned_as, sw->planned_as) != 0)
			return true;
	}
	return false;
}

static bool planned_are_missing(const struct ft_report *report)
{
	for (size_t i = 0; i < report->switch_count; i++)
		if (report->switches[i].planned_as && !report->switches[i].guid)
			return true;
	return false;
}

int ft_baseline_learn(struct ft_baseline **baseline, const struct ft_snapshot *snapshot, const struct ft_report *report,
		      uint32_t returning_s)
{
	_cleanup_(look_release) struct look l = {
		.snapshot = snapshot,
		.report = report,
		.returning_s = returning_s ? returning_s : FT_RETURNING_S,
		.guess = planned_are_missing(report) && (!*baseline || (*baseline)->plan_hash[0] == '\0'),
	};
	static void (*const steps[])(struct look * l) = {switches_learn, chips_learn, wrong_find, links_learn,
							 links_yield,	 links_keep,  chips_keep, returns_end};

	old_map(&l, *baseline);
	if (*baseline && !old_is_foreign(&l, *baseline))
		l.old = *baseline;
	if (look_alloc(&l) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < FT_COUNT(steps); i++) {
		if (l.failed || l.b->memory.failed)
			return -ENOMEM;
		steps[i](&l);
	}
	if (l.failed || l.b->memory.failed)
		return -ENOMEM;
	links_sort(l.b);
	l.changed = l.changed || links_differ(&l);
	ft_baseline_free(*baseline);
	*baseline = FT_STEAL(l.b);
	return l.moved ? 2 : l.changed;
}
