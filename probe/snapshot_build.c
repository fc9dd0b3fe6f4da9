/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "probe/snapshot_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/text.h"

enum { NONE = UINT32_MAX };

/* A limit on every array, so that sums of two indices or sizes fit 32 bits. */
#define ARRAY_MAX (UINT32_MAX / 2)

struct record {
	struct ft_build_node node; /* its description is in the arena */
	uint32_t description;
	uint32_t same;	  /* the next record with this GUID, or NONE */
	uint32_t growing; /* of this record and those after it in the chain: the first with an unknown number of ports,
			     or NONE */
	uint16_t ports_held;  /* likewise: the highest port count before that one */
	uint32_t alias;	      /* the record that this one was merged into; itself: none */
	uint32_t first_claim; /* its claims, which are adjacent */
	uint32_t claim_count;
	uint32_t index; /* in the snapshot */
	bool scattered; /* they do not */
	bool mentioned; /* has no record of its own */
};

/* A claim: what a record says about one of its ports and its far end. */
struct claim {
	struct ft_build_port port;
	uint32_t record;
	uint32_t peer; /* the first record with the far GUID, or NONE */
	uint32_t name; /* in the arena */
};

struct ft_builder {
	struct record *records;
	struct claim *claims;
	char *strings;
	uint32_t record_count, record_size;
	uint32_t claim_count, claim_size;
	uint32_t strings_length, strings_size;

	struct ft_map by_guid;	    /* GUID -> its first record */
	struct ft_map by_port_guid; /* GUID of a CA's port -> the CA's record */
	uint32_t *slots;	    /* port of the snapshot -> its claim, or NONE */
	struct ft_map answers;	    /* where GUIDs repeat: by answer_key(), the first of the ports with that key */
	uint32_t *answers_next;	    /* [ports] the next one, or NONE; in the first one, linked ports are skipped */
	bool repeats;		    /* some GUIDs have several records */
	bool reports;		    /* some nodes are known by a port's GUID */

	struct ft_snapshot_source source;
	uint64_t entry_guid, entry_port_guid;
	bool entry_known;
	uint32_t last;
	bool last_certain;
};

int ft_builder_new(struct ft_builder **ret_builder)
{
	_cleanup_(ft_builder_freep) struct ft_builder *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->strings = calloc(1, 256);
	if (!b->strings)
		return -ENOMEM;
	b->strings_size = 256;
	b->strings_length = 1;
	b->source.entry_node = FT_NONE;
	b->last = NONE;
	*ret_builder = FT_STEAL(b);
	return 0;
}

void ft_builder_free(struct ft_builder *b)
{
	if (!b)
		return;
	free(b->records);
	free(b->claims);
	free(b->strings);
	free(b->slots);
	free(b->answers_next);
	ft_map_release(&b->answers);
	ft_map_release(&b->by_guid);
	ft_map_release(&b->by_port_guid);
	free(b);
}

struct ft_snapshot_source *ft_builder_source(struct ft_builder *b)
{
	return &b->source;
}

/* Makes room for one more element in an array of @count. */
static int array_reserve(void *array, uint32_t count, uint32_t *size, size_t element)
{
	void **data = array, *more;
	uint32_t wanted = *size ? *size + *size / 2 : 64;

	if (count < *size)
		return 0;
	if (wanted > ARRAY_MAX)
		return -ENOMEM;
	more = reallocarray(*data, wanted, element);
	if (!more)
		return -ENOMEM;
	*data = more;
	*size = wanted;
	return 0;
}

static int string_add(struct ft_builder *b, const char *bytes, size_t length, uint32_t *ret_offset)
{
	size_t size = b->strings_size;
	char *strings;

	if (length == 0) {
		*ret_offset = 0;
		return 0;
	}
	if (length > ARRAY_MAX / 2 - b->strings_length)
		return -EOVERFLOW;
	while (size < b->strings_length + length + 1)
		size *= 2;
	if (size > b->strings_size) {
		strings = realloc(b->strings, size);
		if (!strings)
			return -ENOMEM;
		b->strings = strings;
		b->strings_size = (uint32_t)size;
	}
	memcpy(b->strings + b->strings_length, bytes, length);
	b->strings[b->strings_length + length] = '\0';
	*ret_offset = b->strings_length;
	b->strings_length += (uint32_t)length + 1;
	return 0;
}

static int description_add(struct ft_builder *b, struct record *record, const char *bytes, size_t length)
{
	if (!bytes)
		length = 0;
	if (length > UINT16_MAX)
		length = UINT16_MAX;
	length = length ? strnlen(bytes, length) : 0;
	record->node.description = NULL;
	record->node.description_length = length;
	return string_add(b, bytes, length, &record->description);
}

void ft_builder_odd_lid(struct ft_builder *b, uint32_t line)
{
	if (b->source.odd_lids++ == 0)
		b->source.odd_lid_line = line;
}

/* 65535 is the permissive LID (IBTA Vol 1, 4.1.3), no port's own: it is not used for look-ups. */
static void lid_take(struct ft_builder *b, uint16_t *lid, bool own)
{
	if (*lid != UINT16_MAX)
		return;
	*lid = 0;
	if (own)
		ft_builder_odd_lid(b, 0);
}

int ft_builder_set_detail(struct ft_builder *b, const char *detail)
{
	return string_add(b, detail, strlen(detail), &b->source.detail);
}

void ft_builder_set_entry(struct ft_builder *b, uint64_t guid, uint64_t port_guid, uint8_t port_number)
{
	b->entry_guid = guid;
	b->entry_port_guid = port_guid;
	b->source.entry_port = port_number;
	b->entry_known = true;
}

void ft_builder_set_last(struct ft_builder *b, uint32_t node, bool certain)
{
	if (node < b->record_count) {
		b->last = node;
		b->last_certain = certain;
	}
}

int ft_builder_add_node(struct ft_builder *b, const struct ft_build_node *node, uint32_t *ret_node)
{
	struct record *record;
	uint32_t first = NONE;
	int r;

	if (node->port_count > FT_PORT_NUMBER_MAX)
		return -EINVAL;
	if (node->by_port) {
		first = ft_map_get(&b->by_port_guid, node->guid);
		if (first != FT_NONE) {
			*ret_node = first;
			return 0;
		}
	}
	r = array_reserve(&b->records, b->record_count, &b->record_size, sizeof(*b->records));
	if (r < 0)
		return r;
	record = &b->records[b->record_count];
	*record = (struct record){
		.node = *node, .same = NONE, .alias = b->record_count, .first_claim = b->claim_count, .index = NONE};
	lid_take(b, &record->node.lid, true);
	r = description_add(b, record, node->description, node->description_length);
	if (r < 0)
		return r;
	if (node->by_port) {
		r = ft_map_add(&b->by_port_guid, node->guid, b->record_count, NULL);
		if (r < 0)
			return r;
		b->reports = true;
	}
	*ret_node = b->record_count++;
	return 0;
}

int ft_builder_add_port(struct ft_builder *b, uint32_t node, const struct ft_build_port *port)
{
	struct record *record;
	struct claim *claim;
	uint32_t name = 0;
	int r;

	if (node >= b->record_count || port->number < 1 || port->number > FT_PORT_NUMBER_MAX ||
	    port->peer_number > FT_PORT_NUMBER_MAX)
		return -EINVAL;
	r = array_reserve(&b->claims, b->claim_count, &b->claim_size, sizeof(*b->claims));
	if (r == 0 && port->name)
		r = string_add(b, port->name, strlen(port->name), &name);
	if (r < 0)
		return r;
	record = &b->records[node];
	if (record->first_claim + record->claim_count != b->claim_count)
		record->scattered = true;
	record->claim_count++;
	claim = &b->claims[b->claim_count++];
	*claim = (struct claim){.port = *port, .record = node, .peer = NONE, .name = name};
	claim->port.name = NULL;
	lid_take(b, &claim->port.lid, true);
	lid_take(b, &claim->port.peer_lid, false);
	if (port->peer_number)
		claim->port.link = FT_LINK_UP;
	return 0;
}

/* The record that @record was merged into. */
static struct record *record_of(const struct ft_builder *b, uint32_t record)
{
	while (b->records[record].alias != record)
		record = b->records[record].alias;
	return &b->records[record];
}

/* Is it one record read twice, as in two concatenated dumps of one fabric? */
static bool record_repeats(const struct ft_builder *b, const struct record *x, const struct record *y)
{
	if (x->scattered || y->scattered || x->claim_count != y->claim_count || x->node.type != y->node.type ||
	    x->node.port_count != y->node.port_count || x->node.system_guid != y->node.system_guid ||
	    x->node.description_length != y->node.description_length ||
	    memcmp(b->strings + x->description, b->strings + y->description, x->node.description_length) != 0)
		return false;
	for (uint32_t i = 0; i < x->claim_count; i++) {
		const struct ft_build_port *p = &b->claims[x->first_claim + i].port;
		const struct ft_build_port *q = &b->claims[y->first_claim + i].port;

		if (p->number != q->number || p->peer_guid != q->peer_guid || p->peer_number != q->peer_number)
			return false;
	}
	return true;
}

/* Chains the records with the same GUID. @tails: the last record of each chain, by its first. */
static int records_chain(struct ft_builder *b)
{
	_cleanup_free_ uint32_t *tails = calloc(b->record_count ? b->record_count : 1, sizeof(*tails));

	if (!tails)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->record_count; i++) {
		struct record *record = &b->records[i];
		uint32_t first;
		int r;

		if (record->node.by_port)
			continue;
		r = ft_map_add(&b->by_guid, record->node.guid, i, &first);
		if (r < 0)
			return r;
		if (r > 0) {
			tails[i] = i;
		} else if (record_repeats(b, &b->records[first], record)) {
			record->alias = first;
		} else if (record_repeats(b, &b->records[tails[first]], record)) {
			record->alias = tails[first];
		} else {
			b->records[tails[first]].same = i;
			tails[first] = i;
			b->repeats = true;
		}
	}
	return 0;
}

/* Which CAs have which ports: by their own records, and by those of their far ends. */
static int port_guids_collect(struct ft_builder *b, struct ft_map *map)
{
	for (uint32_t i = 0; i < b->claim_count; i++) {
		const struct claim *claim = &b->claims[i];
		const struct record *record = &b->records[claim->record];
		uint32_t peer = claim->port.peer_by_port ? NONE : ft_map_get(&b->by_guid, claim->port.peer_guid);
		int r = 0;

		if (!record->node.by_port && record->node.type != FT_NODE_SWITCH && claim->port.guid)
			r = ft_map_add(map, claim->port.guid, record->alias, NULL);
		if (r >= 0 && claim->port.peer_number && claim->port.peer_port_guid && peer != NONE)
			r = ft_map_add(map, claim->port.peer_port_guid, peer, NULL);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Merges the nodes of a port report into the nodes that have full records. */
static int reports_merge(struct ft_builder *b)
{
	int r;

	if (!b->reports)
		return 0;
	ft_map_release(&b->by_port_guid);
	r = port_guids_collect(b, &b->by_port_guid);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < b->record_count; i++) {
		struct record *record = &b->records[i];
		uint32_t whole;

		if (!record->node.by_port)
			continue;
		whole = ft_map_get(&b->by_guid, record->node.guid);
		if (whole == FT_NONE)
			whole = ft_map_get(&b->by_port_guid, record->node.guid);
		if (whole != FT_NONE) {
			record->alias = whole;
			continue;
		}
		r = ft_map_add(&b->by_guid, record->node.guid, i, NULL);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Fills the gaps of a node's record from the claims of others. */
static int record_fill(struct ft_builder *b, struct record *record, const struct ft_build_port *port)
{
	if (record->node.type == FT_NODE_UNKNOWN)
		record->node.type = port->peer_type;
	if (record->node.type == FT_NODE_SWITCH && record->node.lid == 0)
		record->node.lid = port->peer_lid;
	if (record->node.description_length == 0 && port->peer_description_length > 0)
		return description_add(b, record, port->peer_description, port->peer_description_length);
	return 0;
}

/* Finds the record of each far end, and makes one for far ends without any. */
static int peers_resolve(struct ft_builder *b)
{
	for (uint32_t i = 0; i < b->claim_count; i++) {
		struct claim *claim = &b->claims[i];
		uint32_t peer;
		int r;

		if (claim->port.peer_number == 0)
			continue;
		peer = ft_map_get(&b->by_guid, claim->port.peer_guid);
		if (peer == FT_NONE && claim->port.peer_by_port)
			peer = ft_map_get(&b->by_port_guid, claim->port.peer_guid);
		if (peer == FT_NONE) {
			r = ft_builder_add_node(b,
						&(struct ft_build_node){.guid = claim->port.peer_guid,
									.type = claim->port.peer_type,
									.unlisted = FT_LINK_UNREAD},
						&peer);
			if (r < 0)
				return r;
			b->records[peer].mentioned = true;
			r = ft_map_add(&b->by_guid, claim->port.peer_guid, peer, NULL);
			if (r < 0)
				return r;
		}
		claim->peer = peer;
		r = record_fill(b, &b->records[peer], &claim->port);
		if (r < 0)
			return r;
	}
	return 0;
}

/* See ft_builder_set_last(). */
static void last_doubt(struct ft_builder *b)
{
	bool cut = b->last_certain, lost = false;
	struct record *last;

	if (b->last == NONE)
		return;
	if (b->entry_known && ft_map_get(&b->by_guid, b->entry_guid) == FT_NONE)
		cut = true;
	last = &b->records[b->last];
	for (uint32_t i = 0; i < b->record_count; i++)
		if (b->records[i].mentioned) {
			cut = true;
			lost = lost || b->records[i].node.type != FT_NODE_CA;
		}
	if (cut)
		last->node.unlisted = FT_LINK_UNREAD;
	if (lost || (cut && last->node.type == FT_NODE_SWITCH))
		b->source.complete = false;
}

static int port_beyond(const struct claim *claim, const struct record *record, const char *whose, unsigned int number,
		       struct ft_error *err, uint32_t *ret_place)
{
	if (ret_place)
		*ret_place = claim->port.place;
	return ft_error_set(err, -EINVAL, 0, 0, "port %u is beyond the %u port%s of %s node", number,
			    record->node.port_count, ft_text_s(record->node.port_count), whose);
}

/* Ensures that port @number exists in @record, which grows if its size is unknown. */
static bool record_holds(struct record *record, unsigned int number)
{
	if (number <= record->node.port_count)
		return true;
	if (record->node.port_count_known)
		return false;
	record->node.port_count = (uint16_t)number;
	return true;
}

/* Precomputes for chain_holds() a summary of the later records: without it each far end would scan the whole chain. */
static void chains_measure(struct ft_builder *b)
{
	for (uint32_t i = b->record_count; i-- > 0;) {
		struct record *record = &b->records[i];
		const struct record *next = record->same == NONE ? NULL : &b->records[record->same];

		record->growing = !record->node.port_count_known ? i : next ? next->growing : NONE;
		record->ports_held = record->node.port_count_known ? record->node.port_count : 0;
		if (record->node.port_count_known && next && next->ports_held > record->ports_held)
			record->ports_held = next->ports_held;
	}
}

/* Of the records with one GUID, from @first on: the first for which record_holds() the port. */
static bool chain_holds(struct ft_builder *b, struct record *first, unsigned int number)
{
	return number <= first->ports_held ||
	       (first->growing != NONE && record_holds(&b->records[first->growing], number));
}

static int ports_count(struct ft_builder *b, struct ft_error *err, uint32_t *ret_place)
{
	for (uint32_t i = 0; i < b->claim_count; i++) {
		const struct claim *claim = &b->claims[i];
		struct record *record = record_of(b, claim->record);

		if (!record_holds(record, claim->port.number))
			return port_beyond(claim, record, "its", claim->port.number, err, ret_place);
		if (claim->peer == NONE)
			continue;
		if (!chain_holds(b, &b->records[claim->peer], claim->port.peer_number))
			return port_beyond(claim, &b->records[claim->peer], "the far", claim->port.peer_number, err,
					   ret_place);
	}
	return 0;
}

static int nodes_lay_out(struct ft_builder *b, struct ft_snapshot *s, struct ft_error *err)
{
	uint32_t nodes = 0, ports = 0;

	for (uint32_t i = 0; i < b->record_count; i++)
		if (b->records[i].alias == i) {
			nodes++;
			ports += b->records[i].node.port_count;
			if (ports > FT_SNAPSHOT_PORTS_MAX)
				return ft_error_set(err, -EOVERFLOW, 0, 0,
						    "there are more than %u ports here: no subnet has so many",
						    FT_SNAPSHOT_PORTS_MAX);
		}
	s->nodes = calloc(nodes ? nodes : 1, sizeof(*s->nodes));
	s->ports = calloc(ports ? ports : 1, sizeof(*s->ports));
	b->slots = reallocarray(NULL, ports ? ports : 1, sizeof(*b->slots));
	if (!s->nodes || !s->ports || !b->slots)
		return -ENOMEM;
	memset(b->slots, 0xff, ports * sizeof(*b->slots));
	for (uint32_t i = 0; i < b->record_count; i++) {
		struct record *record = &b->records[i];

		if (record->alias != i)
			continue;
		record->index = s->node_count++;
		s->nodes[record->index] = (struct ft_node){
			.guid = record->node.guid,
			.system_guid = record->node.system_guid,
			.vendor_id = record->node.vendor_id,
			.device_id = record->node.device_id,
			.chassis = record->node.type == FT_NODE_SWITCH ? record->node.chassis : 0,
			.first_port = s->port_count,
			.description = record->description,
			.description_length = (uint16_t)record->node.description_length,
			.port_count = record->node.port_count,
			.lid = record->node.lid,
			.lmc = record->node.lmc,
			.type = record->node.type,
			.sm = record->node.sm,
			.silent = record->node.silent,
		};
		s->port_count += record->node.port_count;
	}
	return 0;
}

/* A chassis as the source numbers it. */
struct chassis {
	uint64_t guid;	      /* the lowest GUID of its switches */
	uint64_t system_guid; /* of its first switch */
	uint32_t said;
	uint32_t switches;
	bool one_system; /* all have that */
	bool slotted;
};

static int chassis_compare(const void *a, const void *b)
{
	const struct chassis *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->said < y->said ? -1 : x->said > y->said;
}

static void chassis_count(struct chassis *chassis, const struct ft_node *node, bool slotted)
{
	chassis->switches++;
	chassis->slotted |= slotted;
	chassis->one_system &= node->system_guid == chassis->system_guid && node->system_guid != 0;
	if (node->guid < chassis->guid)
		chassis->guid = node->guid;
}

/* Numbers the chassis of the nodes; @by_said: their indices. */
static int chassis_collect(const struct ft_snapshot *s, const bool *slotted, struct ft_map *by_said,
			   struct chassis *all, uint32_t *ret_count)
{
	*ret_count = 0;
	for (uint32_t n = 0; n < s->node_count; n++) {
		const struct ft_node *node = &s->nodes[n];
		uint32_t at;
		int r;

		if (node->chassis == 0)
			continue;
		r = ft_map_add(by_said, node->chassis, *ret_count, &at);
		if (r < 0)
			return r;
		if (r > 0)
			all[(*ret_count)++] = (struct chassis){.guid = node->guid,
							       .system_guid = node->system_guid,
							       .said = node->chassis,
							       .one_system = true};
		chassis_count(&all[at], node, slotted[n]);
	}
	return 0;
}

int ft_snapshot_number_chassis(struct ft_snapshot *s, const bool *slotted)
{
	_cleanup_free_ struct chassis *all = calloc(s->node_count + 1UL, sizeof(*all));
	_cleanup_(ft_map_release) struct ft_map by_said = {0}, numbers = {0};
	uint32_t count, number = 0;
	int r = all ? chassis_collect(s, slotted, &by_said, all, &count) : -ENOMEM;

	if (r < 0)
		return r;
	qsort(all, count, sizeof(*all), chassis_compare);
	for (uint32_t i = 0; i < count; i++) {
		if (all[i].switches < 2 || (all[i].one_system && !all[i].slotted))
			continue;
		r = ft_map_add(&numbers, all[i].said, ++number, NULL);
		if (r < 0)
			return r;
	}
	for (uint32_t n = 0; n < s->node_count; n++) {
		uint32_t found = s->nodes[n].chassis ? ft_map_get(&numbers, s->nodes[n].chassis) : FT_NONE;

		s->nodes[n].chassis = found == FT_NONE ? 0 : found;
	}
	return 0;
}

static int chassis_number(const struct ft_builder *b, struct ft_snapshot *s)
{
	_cleanup_free_ bool *slotted = calloc(s->node_count + 1UL, sizeof(*slotted));

	if (!slotted)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->record_count; i++)
		if (b->records[i].alias == i)
			slotted[b->records[i].index] = b->records[i].node.slotted;
	return ft_snapshot_number_chassis(s, slotted);
}

/* Merges two claims about one port: from the record and from the port report. */
static void claim_merge(struct ft_build_port *port, const struct ft_build_port *other)
{
	port->guid = port->guid ? port->guid : other->guid;
	port->lid = port->lid ? port->lid : other->lid;
	port->lmc = port->lmc ? port->lmc : other->lmc;
	port->phys_state = port->phys_state ? port->phys_state : other->phys_state;
	port->logical_state = port->logical_state ? port->logical_state : other->logical_state;
	if (port->link == FT_LINK_UP && port->rate.speed == FT_SPEED_UNKNOWN)
		port->rate = other->rate;
}

static void claims_place(struct ft_builder *b, const struct ft_snapshot *s)
{
	for (uint32_t i = 0; i < b->claim_count; i++) {
		struct claim *claim = &b->claims[i];
		const struct record *record = record_of(b, claim->record);
		uint32_t *slot = &b->slots[s->nodes[record->index].first_port + claim->port.number - 1];

		if (*slot == NONE) {
			*slot = i;
		} else if (b->claims[*slot].peer == NONE && claim->peer != NONE) {
			claim_merge(&claim->port, &b->claims[*slot].port);
			*slot = i;
		} else {
			claim_merge(&b->claims[*slot].port, &claim->port);
		}
	}
}

/* A port with a named far end is silent until a link is made of it. */
static void port_fill(struct ft_port *port, const struct record *record, const struct claim *claim)
{
	port->link = claim ? claim->port.link : record->node.unlisted;
	if (port->link == FT_LINK_UP)
		port->link = FT_LINK_SILENT;
	if (record->node.type == FT_NODE_SWITCH)
		port->guid = record->node.guid;
	if (!claim)
		return;
	if (claim->port.guid)
		port->guid = claim->port.guid;
	port->lid = claim->port.lid;
	port->lmc = claim->port.lmc;
	port->phys_state = claim->port.phys_state;
	port->logical_state = claim->port.logical_state;
	port->sm = claim->port.sm;
	port->deaf = claim->port.deaf;
	port->name = claim->name;
	if (port->link != FT_LINK_SILENT)
		return;
	port->rate = claim->port.rate;
	port->limits = claim->port.limits;
}

static void ports_fill(const struct ft_builder *b, struct ft_snapshot *s)
{
	for (uint32_t i = 0; i < b->record_count; i++) {
		const struct record *record = &b->records[i];

		if (record->alias != i)
			continue;
		for (unsigned int n = 0; n < record->node.port_count; n++) {
			uint32_t at = s->nodes[record->index].first_port + n;

			s->ports[at].node = record->index;
			s->ports[at].number = (uint8_t)(n + 1);
			s->ports[at].peer = FT_NONE;
			port_fill(&s->ports[at], record, b->slots[at] == NONE ? NULL : &b->claims[b->slots[at]]);
		}
	}
}

static const struct claim *port_claim(const struct ft_builder *b, uint32_t port)
{
	return b->slots[port] == NONE || b->claims[b->slots[port]].peer == NONE ? NULL : &b->claims[b->slots[port]];
}

/* Is port @at the one that @claim names? Aliases and records of one GUID all have the same first record. */
static bool claim_names(const struct ft_builder *b, const struct claim *claim, const struct ft_snapshot *s, uint32_t at)
{
	const struct ft_node *node = &s->nodes[s->ports[at].node];

	return claim->port.peer_number == s->ports[at].number && b->records[claim->peer].node.guid == node->guid;
}

static void link_half(struct ft_port *port, uint32_t peer, const struct ft_snapshot *s, const struct claim *other)
{
	const struct ft_node *node = &s->nodes[port->node];

	port->peer = peer;
	port->link = FT_LINK_UP;
	if (!other)
		return;
	if (!port->guid)
		port->guid = other->port.peer_port_guid;
	if (!port->lid && node->type != FT_NODE_SWITCH)
		port->lid = other->port.peer_lid;
	if (port->rate.lanes == 0 && port->rate.speed == FT_SPEED_UNKNOWN)
		port->rate = other->port.rate;
}

static void link_make(const struct ft_builder *b, struct ft_snapshot *s, uint32_t x, uint32_t y)
{
	link_half(&s->ports[x], y, s, port_claim(b, y));
	link_half(&s->ports[y], x, s, port_claim(b, x));
}

/*
 * The key under which a candidate far end is listed: its own GUID and port, and the port that it names, or, with @far
 * NULL, that it names none.
 */
static uint64_t answer_key(uint64_t guid, unsigned int number, uint64_t far_guid, unsigned int far_number)
{
	return ft_hash_pair(ft_hash_pair(guid, number), ft_hash_pair(far_guid, far_number));
}

/* The key of port @at's own claim. */
static uint64_t answer_of(const struct ft_builder *b, const struct ft_snapshot *s, uint32_t at)
{
	const struct claim *claim = port_claim(b, at);

	return answer_key(s->nodes[s->ports[at].node].guid, s->ports[at].number,
			  claim ? b->records[claim->peer].node.guid : 0, claim ? claim->port.peer_number : 0);
}

/* Lists the ports of GUIDs with several records by their keys, each list in the order of the ports. */
static int answers_list(struct ft_builder *b, const struct ft_snapshot *s)
{
	_cleanup_free_ uint32_t *tails = NULL;

	if (!b->repeats)
		return 0;
	tails = reallocarray(NULL, s->port_count + 1UL, sizeof(*tails));
	b->answers_next = reallocarray(NULL, s->port_count + 1UL, sizeof(*b->answers_next));
	if (!tails || !b->answers_next)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->port_count; i++) {
		uint32_t first;
		int r;

		b->answers_next[i] = NONE;
		tails[i] = i;
		if (b->records[ft_map_get(&b->by_guid, s->nodes[s->ports[i].node].guid)].same == NONE)
			continue;
		r = ft_map_add(&b->answers, answer_of(b, s, i), i, &first);
		if (r < 0)
			return r;
		if (r > 0)
			continue;
		b->answers_next[tails[first]] = i;
		tails[first] = i;
	}
	return 0;
}

/* The first unlinked port with that key, or NONE. Linked ones are skipped once and then never again. */
static uint32_t answer_find(struct ft_builder *b, const struct ft_snapshot *s, uint64_t key)
{
	uint32_t first = ft_map_get(&b->answers, key), at = first;

	if (first == FT_NONE)
		return NONE;
	while (at != NONE && s->ports[at].peer != FT_NONE)
		at = at == first ? b->answers_next[first] : b->answers_next[at];
	if (at != first)
		b->answers_next[first] = at;
	return at;
}

/* The only record with the GUID that @claim names: its port, if it is unlinked and matches the claim. */
static uint32_t port_answer(const struct ft_builder *b, const struct ft_snapshot *s, const struct claim *claim,
			    uint32_t x, bool mutual)
{
	const struct record *record = &b->records[claim->peer];
	uint32_t y = s->nodes[record->index].first_port + claim->port.peer_number - 1;
	const struct claim *other;

	if (claim->port.peer_number > record->node.port_count || s->ports[y].peer != FT_NONE)
		return NONE;
	other = port_claim(b, y);
	return (other ? mutual && claim_names(b, other, s, x) : !mutual) ? y : NONE;
}

/*
 * Links port @x with the first port that matches its claim: one that names it in return (@mutual), or one that names
 * none.
 */
static void port_link(struct ft_builder *b, struct ft_snapshot *s, uint32_t x, bool mutual)
{
	const struct claim *claim = port_claim(b, x);
	uint64_t guid, own = s->nodes[s->ports[x].node].guid;
	unsigned int number = s->ports[x].number;
	uint32_t y;

	if (!claim || s->ports[x].peer != FT_NONE)
		return;
	guid = b->records[claim->peer].node.guid;
	if (b->records[claim->peer].same == NONE)
		y = port_answer(b, s, claim, x, mutual);
	else
		y = answer_find(b, s, answer_key(guid, claim->port.peer_number, mutual ? own : 0, mutual ? number : 0));
	if (y != NONE)
		link_make(b, s, x, y);
}

static void entry_resolve(const struct ft_builder *b, struct ft_snapshot *s)
{
	uint32_t first = b->entry_known ? ft_map_get(&b->by_guid, b->entry_guid) : FT_NONE;
	const struct ft_node *node;

	if (first == FT_NONE && b->entry_known)
		first = ft_map_get(&b->by_port_guid, b->entry_port_guid);
	if (first == FT_NONE) {
		s->source.entry_port = 0;
		return;
	}
	s->source.entry_node = record_of(b, first)->index;
	node = &s->nodes[s->source.entry_node];
	if (s->source.entry_port > node->port_count)
		s->source.entry_port = 0;
	if (s->source.entry_port != 0 || node->type == FT_NODE_SWITCH)
		return;
	for (unsigned int n = 1; n <= node->port_count; n++)
		if (ft_node_port(s, node, n)->guid == b->entry_port_guid && b->entry_port_guid)
			s->source.entry_port = (uint8_t)n;
	if (s->source.entry_port == 0 && node->port_count == 1)
		s->source.entry_port = 1;
}

/* Shrinks the arena to its used size; if that fails it is left as it is. */
static void strings_move(struct ft_builder *b, struct ft_snapshot *s)
{
	char *exact = realloc(b->strings, b->strings_length);

	s->strings = exact ? exact : b->strings;
	s->strings_length = b->strings_length;
	b->strings = NULL;
}

int ft_builder_finish(struct ft_builder *b, struct ft_snapshot **ret_snapshot, struct ft_error *err,
		      uint32_t *ret_place)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	r = records_chain(b);
	if (r < 0)
		return r;
	r = reports_merge(b);
	if (r < 0)
		return r;
	r = peers_resolve(b);
	if (r < 0)
		return r;
	last_doubt(b);
	chains_measure(b);
	r = ports_count(b, err, ret_place);
	if (r < 0)
		return r;
	r = nodes_lay_out(b, s, err);
	if (r == 0)
		r = chassis_number(b, s);
	if (r < 0)
		return r;
	claims_place(b, s);
	ports_fill(b, s);
	r = answers_list(b, s);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < s->port_count; i++)
		port_link(b, s, i, true);
	for (uint32_t i = 0; i < s->port_count; i++)
		port_link(b, s, i, false);
	s->source = b->source;
	entry_resolve(b, s);
	strings_move(b, s);
	*ret_snapshot = FT_STEAL(s);
	return 0;
}
