/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Finds what became of the devices of a recording, and amends it (verify/model/changes.h). A device is its GUID, a host
 * also that of a port, which is all that some forms know of it; GUIDs that occur twice in a recording identify nothing,
 * and are left alone.
 *
 * Places: each port of a switch that is seen now has a far end, which had a far end before; that one's switch is where
 * this switch stands now. The majority of its ports decides, by more than half of those that it has now and that the
 * place had before. Switches that stand in each other's places have changed them; one that is new and stands where one
 * is gone has replaced it. A host likewise, by its switch ports, all of which must agree.
 *
 * Cost: O(n) in the ports of both, and for each switch O(p^2) in its ports at worst.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "verify/model/model.h"
#include "verify/since/changes_parts.h"
#include "verify/since/since.h"

enum { SHOWN = 6 };

/* ---- the same devices in both ---- */

static void guids_map(struct ft_comparison *c, const struct ft_snapshot *s, struct ft_map *map, bool *twin)
{
	for (uint32_t i = 0; i < s->node_count; i++) {
		c->memory->failed |= ft_map_mark(map, s->nodes[i].guid, i, twin) < 0;
		twin[i] |= s->nodes[i].guid == 0;
	}
}

static void namesakes_find(struct ft_comparison *c, const struct ft_snapshot *s, bool *namesake)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};

	for (uint32_t i = 0; i < s->node_count; i++)
		c->memory->failed |=
			ft_map_mark(&map, ft_text_hash(ft_node_description(s, &s->nodes[i])), i, namesake) < 0;
}

void ft_change_pair(struct ft_comparison *c)
{
	_cleanup_(ft_map_release) struct ft_map map = {0}, unused = {0};

	memset(c->twin_before, 0, c->before->node_count);
	memset(c->twin_now, 0, c->now->node_count);
	memset(c->earlier, 0xff, c->now->node_count * sizeof(*c->earlier));
	guids_map(c, c->before, &unused, c->twin_before);
	guids_map(c, c->now, &map, c->twin_now);
	for (uint32_t i = 0; i < c->before->node_count; i++) {
		uint32_t j = c->twin_before[i] ? FT_NONE : ft_map_get(&map, c->before->nodes[i].guid);

		if (j != FT_NONE && (c->twin_now[j] || c->now->nodes[j].type != c->before->nodes[i].type))
			j = FT_NONE;
		c->later[i] = j;
		if (j != FT_NONE)
			c->earlier[j] = i;
	}
}

/* ---- hosts that a recording knows by their ports, as iblinkinfo tells no other GUIDs ---- */

/* The host of now that has a port of host @node of before and is none of before's; else FT_NONE. */
static uint32_t port_owner(const struct ft_comparison *c, const struct ft_map *owners, uint32_t node)
{
	const struct ft_node *host = &c->before->nodes[node];

	for (unsigned int n = 1; n <= host->port_count; n++) {
		const struct ft_port *port = ft_node_port(c->before, host, n);
		uint32_t owner = FT_NONE;

		if (port->peer != FT_NONE)
			owner = ft_map_get(owners, ft_host_guid(c->before, port));
		if (owner != FT_NONE && c->earlier[owner] == FT_NONE)
			return owner;
	}
	return FT_NONE;
}

/* Two recordings in different forms: such a host is the same one, by the GUID of a port. It keeps its name. */
static void ports_compare(struct ft_comparison *c, uint32_t base)
{
	_cleanup_(ft_map_release) struct ft_map owners = {0};
	const struct ft_snapshot *now = c->now;

	for (uint32_t i = 0; i < now->port_count; i++) {
		uint32_t node = now->ports[i].node;

		if (now->nodes[node].type == FT_NODE_CA && now->ports[i].peer != FT_NONE && !c->twin_now[node] &&
		    c->earlier[node] == FT_NONE)
			ft_map_put(&owners, ft_host_guid(now, &now->ports[i]), node, &c->memory->failed);
	}
	for (uint32_t i = 0; i < c->before->node_count; i++) {
		struct ft_node *host = &c->before->nodes[i];
		const struct ft_node was = *host;
		uint32_t owner;

		if (host->type != FT_NODE_CA || c->later[i] != FT_NONE || c->twin_before[i])
			continue;
		owner = port_owner(c, &owners, i);
		if (owner == FT_NONE)
			continue;
		ft_change_put(c, i, owner, base);
		host->description = was.description;
		host->description_length = was.description_length;
		c->earlier[owner] = i;
	}
	ft_change_pair(c);
}

/* ---- telling ---- */

void ft_device_changes_release(struct ft_device_changes *changes)
{
	ft_arena_release(&changes->memory);
	*changes = (struct ft_device_changes){0};
}

struct ft_finding *ft_change_add(struct ft_comparison *c, enum ft_code code, const char *fix)
{
	struct ft_finding *change = FT_ARENA_MORE(c->memory, c->changes->items, c->changes->count);

	if (change)
		*change = (struct ft_finding){.code = code, .fix = ft_arena_string(c->memory, fix)};
	return change;
}

char *ft_change_name(struct ft_comparison *c, const struct ft_snapshot *s, uint32_t node)
{
	const bool namesake = s == c->now ? c->namesake_now[node] : c->namesake_before[node];
	const struct ft_node *n = &s->nodes[node];
	struct ft_text text = {0};

	ft_text_add_safe(&text, ft_node_description(s, n), n->description_length);
	if (n->description_length == 0 || namesake)
		ft_text_printf(&text, "%s0x%016llx", text.length ? " " : "", (unsigned long long)n->guid);
	return ft_arena_text(c->memory, &text);
}

void ft_change_item(struct ft_comparison *c, struct ft_finding *change, uint32_t node, uint32_t port, char *text)
{
	struct ft_symptom *item =
		change && text ? FT_ARENA_MORE(c->memory, change->symptoms, change->symptom_count) : NULL;

	if (!item)
		return;
	*item = (struct ft_symptom){
		.text = text,
		.place = {.name = ft_change_name(c, c->now, node), .guid = c->now->nodes[node].guid, .port = port}};
	change->count++;
}

void ft_change_list(struct ft_comparison *c, struct ft_finding *change, const char *one, const char *many)
{
	struct ft_text text = {0};

	if (!change || change->symptom_count == 0)
		return;
	ft_text_printf(&text, "%zu %s: ", change->symptom_count, change->symptom_count == 1 ? one : many);
	for (size_t i = 0; i < change->symptom_count && i < SHOWN; i++)
		ft_text_printf(&text, "%s%s", i ? ", " : "", change->symptoms[i].text);
	ft_text_more(&text, change->symptom_count, SHOWN);
	change->text = ft_arena_text(c->memory, &text);
}

/* ---- other devices in the same places ---- */

/* The descriptions of @now are in @before, too, behind its own. */
static void strings_join(struct ft_comparison *c)
{
	struct ft_snapshot *s = c->before;
	uint64_t length = (uint64_t)s->strings_length + c->now->strings_length;
	char *strings = length > UINT32_MAX || c->memory->failed ? NULL : realloc(s->strings, length);

	c->memory->failed |= !strings;
	if (!strings)
		return;
	memcpy(strings + s->strings_length, c->now->strings, c->now->strings_length);
	s->strings = strings;
	s->strings_length = (uint32_t)length;
}

void ft_change_put(struct ft_comparison *c, uint32_t to, uint32_t from, uint32_t base)
{
	struct ft_node *node = &c->before->nodes[to];
	const struct ft_node *now = &c->now->nodes[from];

	node->guid = now->guid;
	node->system_guid = now->system_guid;
	node->vendor_id = now->vendor_id;
	node->device_id = now->device_id;
	node->lid = now->lid;
	node->lmc = now->lmc;
	if (now->description_length > 0) {
		node->description = base + now->description;
		node->description_length = now->description_length;
	}
	for (unsigned int n = 1; n <= node->port_count && n <= now->port_count; n++) {
		struct ft_port *port = &c->before->ports[node->first_port + n - 1];

		port->guid = c->now->ports[now->first_port + n - 1].guid;
		port->lid = c->now->ports[now->first_port + n - 1].lid;
	}
	c->changes->amended = true;
}

/* The node of before whose place the switch @node of now has; FT_NONE: none is certain. */
static uint32_t place_of(const struct ft_comparison *c, uint32_t node)
{
	const struct ft_node *sw = &c->now->nodes[node];
	uint32_t best = FT_NONE, most = 0, links = 0, had = 0;
	uint32_t votes[256], voted[256], voters = 0;

	for (unsigned int n = 1; n <= sw->port_count; n++) {
		const struct ft_port *far = ft_port_peer(c->now, ft_node_port(c->now, sw, n)), *was;
		uint32_t there, i = 0;

		if (!far)
			continue;
		links++;
		there = c->earlier[far->node];
		was = there == FT_NONE ? NULL : ft_node_port(c->before, &c->before->nodes[there], far->number);
		was = was ? ft_port_peer(c->before, was) : NULL;
		if (!was || !is_switch(c->before, was->node))
			continue;
		while (i < voters && voted[i] != was->node)
			i++;
		if (i == voters) {
			voted[voters] = was->node;
			votes[voters++] = 0;
		}
		votes[i]++;
	}
	for (uint32_t i = 0; i < voters; i++)
		if (votes[i] > most) {
			most = votes[i];
			best = voted[i];
		}
	if (best == FT_NONE)
		return FT_NONE;
	for (unsigned int n = 1; n <= c->before->nodes[best].port_count; n++)
		had += ft_node_port(c->before, &c->before->nodes[best], n)->peer != FT_NONE;
	return most * 2 > links && most * 2 > had ? best : FT_NONE;
}

struct standing {
	uint32_t *place;  /* by node of now: where it stands, as a node of before, or FT_NONE */
	uint32_t *stands; /* by node of before: the node of now that stands there; FT_NONE: none, or several */
	bool *told;	  /* by node of before */
};

static void standing_find(const struct ft_comparison *c, struct standing *s)
{
	s->place = ft_arena_numbers(c->memory, c->now->node_count, FT_NONE);
	s->stands = ft_arena_numbers(c->memory, c->before->node_count, FT_NONE);
	s->told = ft_arena_zeros(c->memory, c->before->node_count, sizeof(*s->told));
	for (uint32_t i = 0; !c->memory->failed && i < c->now->node_count; i++) {
		uint32_t p;

		if (!is_switch(c->now, i) || c->twin_now[i])
			continue;
		p = place_of(c, i);
		if (p == FT_NONE || c->twin_before[p] || c->before->nodes[p].port_count != c->now->nodes[i].port_count)
			continue;
		s->place[i] = p;
		s->stands[p] = s->stands[p] == FT_NONE ? i : FT_NONE;
	}
}

/*
 * The switches that have moved up by one, from place @p on: each place's former switch stands in the next, up to the
 * first place again, or to one whose former switch is gone and whose first place a new switch has. Returns how many
 * places, in @ret_places; 0: it is neither.
 */
enum { CYCLE_MAX = 64 };

static uint32_t chain_find(const struct ft_comparison *c, const struct standing *s, uint32_t p,
			   uint32_t ret_places[CYCLE_MAX])
{
	uint32_t count = 0, q = p;

	while (count < CYCLE_MAX) {
		uint32_t here = s->stands[q], former;

		/* Goes on only if another switch stands here than before. */
		if (here == FT_NONE || here == c->later[q] || s->told[q])
			return 0;
		ret_places[count++] = q;
		former = c->earlier[here];
		if (former == FT_NONE)
			return c->later[p] == FT_NONE ? count : 0;
		if (former == p)
			return count;
		q = former;
	}
	return 0;
}

static void replaced_tell(struct ft_comparison *c, uint32_t place, uint32_t node)
{
	struct ft_finding *change = ft_change_add(c, FT_CODE_SWITCH_REPLACED, "nothing, if it was replaced on purpose");
	const char *was = ft_change_name(c, c->before, place), *is = ft_change_name(c, c->now, node);
	unsigned long long old = c->before->nodes[place].guid, new = c->now->nodes[node].guid;
	bool same = ft_text_short_equal(ft_node_description(c->before, &c->before->nodes[place]),
					ft_node_description(c->now, &c->now->nodes[node]));

	if (!change || !was || !is)
		return;
	ft_change_item(c, change, node, 0, ft_arena_string(c->memory, "stands in its place"));
	change->expected = ft_arena_print(c->memory, "0x%016llx", old);
	change->observed = ft_arena_print(c->memory, "0x%016llx", new);
	if (same || c->now->nodes[node].description_length == 0)
		change->text = ft_arena_print(c->memory, "%s was replaced: its GUID was 0x%016llx and is 0x%016llx now",
					      was, old, new);
	else
		change->text =
			ft_arena_print(c->memory, "%s 0x%016llx was replaced by %s 0x%016llx", was, old, is, new);
}

static void exchanged_tell(struct ft_comparison *c, const struct standing *s, const uint32_t *places, uint32_t count)
{
	struct ft_finding *change =
		ft_change_add(c, FT_CODE_SWITCH_REPLACED, "nothing, if it was meant; else exchange them again");
	struct ft_text text = {0};
	char *all;

	for (uint32_t i = 0; change && !c->memory->failed && i < count; i++) {
		uint32_t node = s->stands[places[i]];
		const char *was = ft_change_name(c, c->before, places[i]), *is = ft_change_name(c, c->now, node);

		if (!was || !is)
			break;
		ft_text_printf(&text, "%s%s", i ? ", " : "", is);
		/* The names stayed where they were: only GUIDs tell the two. */
		if (strcmp(was, is) == 0 && !c->namesake_now[node] && c->now->nodes[node].description_length > 0)
			ft_text_printf(&text, " 0x%016llx", (unsigned long long)c->now->nodes[node].guid);
		ft_text_printf(&text, " in the place of %s", was);
		ft_change_item(c, change, node, 0, ft_arena_print(c->memory, "%s stands in the place of %s", is, was));
	}
	all = ft_arena_text(c->memory, &text);
	if (!change || !all)
		return;
	change->expected = ft_arena_string(c->memory, "each in its own place");
	change->observed = all;
	change->text = ft_arena_print(
		c->memory, "%u switches have changed places, with the cables left as they were: %s", count, all);
}

/* Returns whether some have changed places. */
static bool places_look(struct ft_comparison *c, uint32_t base)
{
	struct standing s = {0};
	uint32_t places[CYCLE_MAX];
	bool any = false;

	standing_find(c, &s);
	for (uint32_t p = 0; !c->memory->failed && p < c->before->node_count; p++) {
		uint32_t count = is_switch(c->before, p) ? chain_find(c, &s, p, places) : 0;

		if (count == 1)
			replaced_tell(c, p, s.stands[p]);
		else if (count > 1)
			exchanged_tell(c, &s, places, count);
		for (uint32_t i = 0; i < count; i++)
			s.told[places[i]] = true;
	}
	for (uint32_t p = 0; !c->memory->failed && p < c->before->node_count; p++)
		if (s.told[p]) {
			ft_change_put(c, p, s.stands[p], base);
			any = true;
		}
	ft_change_pair(c);
	return any;
}

/* Again, as long as something is found: beside switches that changed places, others are told only once those are put.
 */
static void places_compare(struct ft_comparison *c, uint32_t base)
{
	enum { PASSES = 8 };

	for (unsigned int pass = 0; pass < PASSES && places_look(c, base); pass++)
		;
}

/* ---- names ---- */

static bool names_differ(const struct ft_comparison *c, uint32_t node)
{
	const struct ft_node *was = &c->before->nodes[node];
	const struct ft_node *is = c->later[node] == FT_NONE ? NULL : &c->now->nodes[c->later[node]];

	return is && is->description_length > 0 && was->description_length > 0 &&
	       strcmp(ft_node_description(c->before, was), ft_node_description(c->now, is)) != 0;
}

static void names_compare(struct ft_comparison *c, bool switches, uint32_t base)
{
	struct ft_finding *change = NULL;

	for (uint32_t i = 0; i < c->before->node_count && !c->memory->failed; i++) {
		const char *was, *is;

		if (is_switch(c->before, i) != switches || !names_differ(c, i))
			continue;
		change = change ? change : ft_change_add(c, FT_CODE_RENAMED, "nothing, if it was renamed on purpose");
		was = ft_change_name(c, c->before, i);
		is = ft_change_name(c, c->now, c->later[i]);
		if (was && is)
			ft_change_item(c, change, c->later[i], 0,
				       ft_arena_print(c->memory, "%s is called %s now", was, is));
		ft_change_put(c, i, c->later[i], base);
	}
	ft_change_list(c, change, switches ? "switch has another name" : "host has another name",
		       switches ? "switches have other names" : "hosts have other names");
}

/* ---- rates: those that are less are found with the cables ---- */

static void faster_tell(struct ft_comparison *c, struct ft_finding **change, const struct ft_port *port,
			struct ft_rate was)
{
	const struct ft_port *far = ft_port_peer(c->now, port);
	const char *near_name = ft_change_name(c, c->now, port->node), *far_name = ft_change_name(c, c->now, far->node);
	char before[FT_RATE_NAME_SIZE], after[FT_RATE_NAME_SIZE];

	if (!*change)
		*change = ft_change_add(c, FT_CODE_CABLE_FASTER, "nothing, if it was made faster on purpose");
	ft_rate_name(was, before);
	ft_rate_name(ft_rate_seen(c->now, port), after);
	ft_change_item(c, *change, port->node, port->number,
		       ft_arena_print(c->memory, "%s port %u - %s port %u at %s instead of %s",
				      near_name ? near_name : "", port->number, far_name ? far_name : "", far->number,
				      after, before));
}

static void rates_compare(struct ft_comparison *c)
{
	struct ft_finding *change = NULL;

	for (uint32_t i = 0; i < c->now->port_count && !c->memory->failed; i++) {
		const struct ft_port *port = &c->now->ports[i], *far = ft_port_peer(c->now, port), *was, *was_far;
		struct ft_rate before;

		if (!far || !is_switch(c->now, port->node) || (is_switch(c->now, far->node) && port->peer < i) ||
		    c->earlier[port->node] == FT_NONE)
			continue;
		was = ft_node_port(c->before, &c->before->nodes[c->earlier[port->node]], port->number);
		was_far = was ? ft_port_peer(c->before, was) : NULL;
		if (!was_far || c->later[was_far->node] != far->node || was_far->number != far->number)
			continue;
		before = ft_rate_seen(c->before, was);
		if (ft_rate_mbps(before) > 0 && ft_rate_mbps(ft_rate_seen(c->now, port)) > ft_rate_mbps(before))
			faster_tell(c, &change, port, before);
	}
	ft_change_list(c, change, "cable is faster than it was", "cables are faster than they were");
}

int ft_since_changes(struct ft_snapshot *before, const struct ft_snapshot *now, struct ft_device_changes *ret_changes)
{
	struct ft_device_changes changes = {0};
	struct ft_arena *memory = &changes.memory;
	struct ft_comparison c = {
		.before = before,
		.now = now,
		.later = ft_arena_zeros(memory, before->node_count, sizeof(*c.later)),
		.earlier = ft_arena_zeros(memory, now->node_count, sizeof(*c.earlier)),
		.twin_before = ft_arena_zeros(memory, before->node_count, sizeof(*c.twin_before)),
		.twin_now = ft_arena_zeros(memory, now->node_count, sizeof(*c.twin_now)),
		.namesake_before = ft_arena_zeros(memory, before->node_count, sizeof(*c.namesake_before)),
		.namesake_now = ft_arena_zeros(memory, now->node_count, sizeof(*c.namesake_now)),
		.changes = &changes,
		.memory = memory,
	};
	uint32_t base = before->strings_length;

	strings_join(&c);
	if (!memory->failed) {
		ft_change_pair(&c);
		namesakes_find(&c, before, c.namesake_before);
		namesakes_find(&c, now, c.namesake_now);
		ports_compare(&c, base);
		places_compare(&c, base);
		ft_change_hosts(&c, base);
		ft_change_directors(&c);
		names_compare(&c, true, base);
		names_compare(&c, false, base);
		rates_compare(&c);
	}
	if (memory->failed) {
		ft_device_changes_release(&changes);
		return -ENOMEM;
	}
	*ret_changes = changes;
	return 0;
}
