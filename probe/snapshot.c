/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/map.h"
#include "probe/snapshot_build.h"

void ft_snapshot_free(struct ft_snapshot *snapshot)
{
	if (!snapshot)
		return;
	free(snapshot->nodes);
	free(snapshot->ports);
	free(snapshot->strings);
	free(snapshot);
}

int ft_snapshot_map_nodes(const struct ft_snapshot *s, struct ft_map *by_guid)
{
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < s->node_count; i++)
		r = ft_map_add(by_guid, s->nodes[i].guid, i, NULL);
	return r < 0 ? r : 0;
}

static int check_strings(const struct ft_snapshot *s, struct ft_error *err)
{
	if (!s->strings || s->strings_length == 0 || s->strings[0] || s->strings[s->strings_length - 1])
		return ft_error_set(err, -EINVAL, 0, 0, "the strings are not closed by NULs");
	if (s->source.detail >= s->strings_length)
		return ft_error_set(err, -EINVAL, 0, 0, "the source's detail lies outside the strings");
	return 0;
}

static int check_node(const struct ft_snapshot *s, uint32_t n, struct ft_error *err)
{
	const struct ft_node *node = &s->nodes[n];
	uint64_t end = (uint64_t)node->description + node->description_length;

	if (node->type > FT_NODE_ROUTER)
		return ft_error_set(err, -EINVAL, 0, 0, "node %" PRIu32 " is of no known type", n);
	if (end >= s->strings_length || strlen(s->strings + node->description) != node->description_length)
		return ft_error_set(err, -EINVAL, 0, 0, "the description of node %" PRIu32 " is no string", n);
	if (node->port_count > FT_PORT_NUMBER_MAX)
		return ft_error_set(err, -EINVAL, 0, 0, "node %" PRIu32 " has more than %d ports", n,
				    FT_PORT_NUMBER_MAX);
	if ((uint64_t)node->first_port + node->port_count > s->port_count)
		return ft_error_set(err, -EINVAL, 0, 0, "ports of node %" PRIu32 " lie outside", n);
	for (unsigned int i = 0; i < node->port_count; i++) {
		const struct ft_port *port = &s->ports[node->first_port + i];

		if (port->node != n || port->number != i + 1)
			return ft_error_set(err, -EINVAL, 0, 0, "port %u of node %" PRIu32 " is not its own", i + 1, n);
	}
	return 0;
}

static bool rate_is_possible(struct ft_rate rate)
{
	static const uint8_t lanes[] = {0, 1, 2, 4, 8, 12};

	return rate.speed < FT_SPEED_COUNT && memchr(lanes, rate.lanes, sizeof(lanes));
}

static bool limits_are_possible(const struct ft_port_limits *limits)
{
	return (limits->speeds_enabled | limits->speeds_supported) <= FT_SPEEDS_MAX &&
	       (limits->widths_enabled | limits->widths_supported) <= FT_WIDTHS_MAX;
}

static bool limits_are_known(const struct ft_port_limits *limits)
{
	return limits->speeds_enabled || limits->speeds_supported || limits->widths_enabled || limits->widths_supported;
}

static int check_port(const struct ft_snapshot *s, uint32_t p, struct ft_error *err)
{
	const struct ft_port *port = &s->ports[p];
	bool up = port->link == FT_LINK_SILENT || port->link == FT_LINK_UP;

	if (port->name >= s->strings_length)
		return ft_error_set(err, -EINVAL, 0, 0, "the name of port %" PRIu32 " is no string", p);
	if (port->link > FT_LINK_UP || port->phys_state > 15 || port->logical_state > 15 || port->sm > 1 ||
	    port->deaf > 1)
		return ft_error_set(err, -EINVAL, 0, 0, "port %" PRIu32 " is in no known state", p);
	if (!rate_is_possible(port->rate) || (!up && (port->rate.lanes || port->rate.speed)))
		return ft_error_set(err, -EINVAL, 0, 0, "port %" PRIu32 " has an impossible rate", p);
	if (!limits_are_possible(&port->limits) || (!up && limits_are_known(&port->limits)))
		return ft_error_set(err, -EINVAL, 0, 0, "port %" PRIu32 " has impossible settings", p);
	if ((port->link == FT_LINK_UP) != (port->peer != FT_NONE))
		return ft_error_set(err, -EINVAL, 0, 0, "port %" PRIu32 " is up without a far end, or the reverse", p);
	if (port->peer != FT_NONE && (port->peer >= s->port_count || s->ports[port->peer].peer != p))
		return ft_error_set(err, -EINVAL, 0, 0, "the link of port %" PRIu32 " is not mutual", p);
	return 0;
}

static int check_entry(const struct ft_snapshot *s, struct ft_error *err)
{
	uint32_t node = s->source.entry_node;

	if (node == FT_NONE && s->source.entry_port == 0)
		return 0;
	if (node < s->node_count && s->source.entry_port <= s->nodes[node].port_count)
		return 0;
	return ft_error_set(err, -EINVAL, 0, 0, "the entry is no port of the fabric");
}

int ft_snapshot_check(const struct ft_snapshot *s, struct ft_error *err)
{
	uint64_t owned = 0;
	int r;

	if (s->node_count == FT_NONE || s->port_count == FT_NONE || (s->node_count && !s->nodes) ||
	    (s->port_count && !s->ports))
		return ft_error_set(err, -EINVAL, 0, 0, "the parts of the snapshot are missing");
	r = check_strings(s, err);
	for (uint32_t n = 0; r == 0 && n < s->node_count; n++) {
		r = check_node(s, n, err);
		owned += s->nodes[n].port_count;
	}
	/* Each port names one owner and all owners agree, so equal sums mean that no port is without an owner. */
	if (r == 0 && owned != s->port_count)
		r = ft_error_set(err, -EINVAL, 0, 0, "there are ports of no node");
	for (uint32_t p = 0; r == 0 && p < s->port_count; p++)
		r = check_port(s, p, err);
	return r < 0 ? r : check_entry(s, err);
}

/* The order in which the nodes of two snapshots are compared. */
static int node_order(const void *a, const void *b, void *context)
{
	const struct ft_snapshot *s = context;
	const struct ft_node *x = &s->nodes[*(const uint32_t *)a], *y = &s->nodes[*(const uint32_t *)b];
	int d;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	/* With equal GUIDs: by the other attributes. */
	if (x->type != y->type)
		return x->type - y->type;
	if (x->port_count != y->port_count)
		return x->port_count - y->port_count;
	d = strcmp(ft_node_description(s, x), ft_node_description(s, y));
	if (d)
		return d;
	return x->lid != y->lid ? x->lid - y->lid : x->first_port < y->first_port ? -1 : x->first_port > y->first_port;
}

static uint32_t *nodes_sort(const struct ft_snapshot *s)
{
	uint32_t *order = reallocarray(NULL, s->node_count ? s->node_count : 1, sizeof(*order));

	if (!order)
		return NULL;
	for (uint32_t i = 0; i < s->node_count; i++)
		order[i] = i;
	qsort_r(order, s->node_count, sizeof(*order), node_order, (void *)(uintptr_t)s);
	return order;
}

/* Two snapshots side by side. */
struct comparison {
	const struct ft_snapshot *a, *b;
	const uint32_t *twin; /* node of @a -> node of @b */
	struct ft_text *text;
};

static void difference_node(const struct comparison *c, const struct ft_snapshot *s, const struct ft_node *node)
{
	if (!c->text)
		return;
	ft_text_printf(c->text, "node 0x%016" PRIx64 " \"", node->guid);
	ft_text_add_safe(c->text, ft_node_description(s, node), node->description_length);
	ft_text_puts(c->text, "\"");
}

static int difference_value(const struct comparison *c, const struct ft_node *node, unsigned int port, const char *what,
			    uint64_t x, uint64_t y)
{
	difference_node(c, c->a, node);
	if (c->text && port)
		ft_text_printf(c->text, " port %u", port);
	if (c->text)
		ft_text_printf(c->text, ": %s is 0x%" PRIx64 " here and 0x%" PRIx64 " there", what, x, y);
	return 0;
}

struct value {
	const char *what;
	uint64_t x, y;
};

/* 1 if all values are equal or not known to one side, else 0 with the first difference. */
static int values_equal(const struct comparison *c, const struct ft_node *node, unsigned int port,
			const struct value *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (values[i].x && values[i].y && values[i].x != values[i].y)
			return difference_value(c, node, port, values[i].what, values[i].x, values[i].y);
	return 1;
}

/* 0xffff is the permissive LID: the port has none of its own. */
static uint64_t lid_known(uint16_t lid)
{
	return lid == 0xffff ? 0 : lid;
}

/* FDR10 is known only from the vendor's ExtendedPortInfo, which not every source has. */
static uint64_t speeds_told(uint16_t speeds)
{
	return speeds & ~(1U << FT_SPEED_FDR10);
}

static bool links_agree(const struct ft_snapshot *a, const struct ft_port *x, const struct ft_snapshot *b,
			const struct ft_port *y)
{
	bool x_vague = x->link == FT_LINK_DOWN && !a->source.lists_down_ports;
	bool y_vague = y->link == FT_LINK_DOWN && !b->source.lists_down_ports;

	if (x->link == y->link || x->link == FT_LINK_UNREAD || y->link == FT_LINK_UNREAD)
		return true;
	return (x_vague && y->link == FT_LINK_SILENT) || (y_vague && x->link == FT_LINK_SILENT);
}

static int port_equal(const struct comparison *c, const struct ft_node *node, const struct ft_port *x,
		      const struct ft_port *y)
{
	const struct ft_port *far_x = ft_port_peer(c->a, x), *far_y = ft_port_peer(c->b, y);
	struct value values[] = {
		{"its GUID", x->guid, y->guid},
		{"its LID", lid_known(x->lid), lid_known(y->lid)},
		{"its LMC", x->lmc, y->lmc},
		{"its physical state", x->phys_state, y->phys_state},
		{"its logical state", x->logical_state, y->logical_state},
		{"its width", x->rate.lanes, y->rate.lanes},
		{"its speed", x->rate.speed, y->rate.speed},
		{"its enabled widths", x->limits.widths_enabled, y->limits.widths_enabled},
		{"its supported widths", x->limits.widths_supported, y->limits.widths_supported},
		{"its enabled speeds", speeds_told(x->limits.speeds_enabled), speeds_told(y->limits.speeds_enabled)},
		{"its supported speeds", speeds_told(x->limits.speeds_supported),
		 speeds_told(y->limits.speeds_supported)},
	};

	if (!links_agree(c->a, x, c->b, y))
		return difference_value(c, node, x->number, "its link's state", x->link, y->link);
	if (x->name && y->name && strcmp(ft_port_name(c->a, x), ft_port_name(c->b, y)) != 0)
		return difference_value(c, node, x->number, "the length of its name", strlen(ft_port_name(c->a, x)),
					strlen(ft_port_name(c->b, y)));
	if (far_x && far_y && (c->twin[far_x->node] != far_y->node || far_x->number != far_y->number)) {
		difference_node(c, c->a, node);
		if (c->text) {
			ft_text_printf(c->text, " port %u: cabled to ", x->number);
			difference_node(c, c->a, ft_port_node(c->a, far_x));
			ft_text_printf(c->text, " port %u here and to ", far_x->number);
			difference_node(c, c->b, ft_port_node(c->b, far_y));
			ft_text_printf(c->text, " port %u there", far_y->number);
		}
		return 0;
	}
	return values_equal(c, node, x->number, values, FT_COUNT(values));
}

static int node_equal(const struct comparison *c, const struct ft_node *x, const struct ft_node *y)
{
	struct value values[] = {
		{"its type", x->type, y->type},
		{"its SystemImageGUID", x->system_guid, y->system_guid},
		{"its vendor", x->vendor_id, y->vendor_id},
		{"its device", x->device_id, y->device_id},
		{"its chassis", x->chassis, y->chassis},
		{"its LID", lid_known(x->lid), lid_known(y->lid)},
		{"its LMC", x->lmc, y->lmc},
	};

	if (x->port_count != y->port_count)
		return difference_value(c, x, 0, "its number of ports", x->port_count, y->port_count);
	if (x->description_length && y->description_length &&
	    strcmp(ft_node_description(c->a, x), ft_node_description(c->b, y)) != 0) {
		difference_node(c, c->a, x);
		if (c->text)
			ft_text_puts(c->text, " is there ");
		difference_node(c, c->b, y);
		return 0;
	}
	if (!values_equal(c, x, 0, values, FT_COUNT(values)))
		return 0;
	for (unsigned int n = 1; n <= x->port_count; n++)
		if (!port_equal(c, x, ft_node_port(c->a, x, n), ft_node_port(c->b, y, n)))
			return 0;
	return 1;
}

/* Pairs the nodes, in @twin. 0 if one has no counterpart. */
static int nodes_pair(const struct comparison *c, const uint32_t *order_a, const uint32_t *order_b, uint32_t *twin)
{
	uint32_t count = c->a->node_count > c->b->node_count ? c->a->node_count : c->b->node_count;

	for (uint32_t i = 0; i < count; i++) {
		const struct ft_node *x = i < c->a->node_count ? &c->a->nodes[order_a[i]] : NULL;
		const struct ft_node *y = i < c->b->node_count ? &c->b->nodes[order_b[i]] : NULL;
		bool here = x && (!y || x->guid <= y->guid);

		if (x && y && x->guid == y->guid) {
			twin[order_a[i]] = order_b[i];
			continue;
		}
		difference_node(c, here ? c->a : c->b, here ? x : y);
		if (c->text)
			ft_text_puts(c->text, here ? " is only here" : " is only there");
		return 0;
	}
	return 1;
}

static bool node_same(const struct ft_snapshot *a, const struct ft_snapshot *b, uint32_t n)
{
	struct ft_node x = a->nodes[n], y = b->nodes[n];
	const char *before = ft_node_description(a, &x), *now = ft_node_description(b, &y);

	x.description = y.description = 0;
	/* Every byte of them is initialised. */
	return memcmp(&x, &y, sizeof(x)) == 0 && memcmp(before, now, x.description_length) == 0;
}

static bool port_same(const struct ft_snapshot *a, const struct ft_snapshot *b, uint32_t p)
{
	const struct ft_port *x = &a->ports[p], *y = &b->ports[p];
	const struct ft_port_limits *known = &x->limits, *now = &y->limits;

	return x->guid == y->guid && x->node == y->node && x->peer == y->peer && x->lid == y->lid && x->lmc == y->lmc &&
	       x->number == y->number && x->link == y->link && x->phys_state == y->phys_state &&
	       x->logical_state == y->logical_state && x->sm == y->sm && x->deaf == y->deaf &&
	       x->rate.speed == y->rate.speed && x->rate.lanes == y->rate.lanes &&
	       known->speeds_enabled == now->speeds_enabled && known->speeds_supported == now->speeds_supported &&
	       known->widths_enabled == now->widths_enabled && known->widths_supported == now->widths_supported &&
	       strcmp(ft_port_name(a, x), ft_port_name(b, y)) == 0;
}

static bool source_same(const struct ft_snapshot_source *a, const struct ft_snapshot_source *b)
{
	return a->live == b->live && a->complete == b->complete && a->stopped == b->stopped &&
	       a->ethernet == b->ethernet && a->lists_down_ports == b->lists_down_ports &&
	       a->entry_node == b->entry_node && a->entry_port == b->entry_port;
}

bool ft_snapshot_same(const struct ft_snapshot *a, const struct ft_snapshot *b)
{
	if (a->node_count != b->node_count || a->port_count != b->port_count || !source_same(&a->source, &b->source))
		return false;
	for (uint32_t n = 0; n < a->node_count; n++)
		if (!node_same(a, b, n))
			return false;
	for (uint32_t p = 0; p < a->port_count; p++)
		if (!port_same(a, b, p))
			return false;
	return true;
}

int ft_snapshot_equal(const struct ft_snapshot *a, const struct ft_snapshot *b, struct ft_text *ret_difference)
{
	_cleanup_free_ uint32_t *order_a = nodes_sort(a), *order_b = nodes_sort(b);
	_cleanup_free_ uint32_t *twin = reallocarray(NULL, a->node_count ? a->node_count : 1, sizeof(*twin));
	struct comparison c = {.a = a, .b = b, .twin = twin, .text = ret_difference};
	int equal;

	if (!order_a || !order_b || !twin)
		return -ENOMEM;
	if (ret_difference)
		ft_text_reset(ret_difference);
	equal = nodes_pair(&c, order_a, order_b, twin);
	for (uint32_t i = 0; equal && i < a->node_count; i++)
		equal = node_equal(&c, &a->nodes[order_a[i]], &b->nodes[twin[order_a[i]]]);
	if (ret_difference && ft_text_failed(ret_difference))
		return -ENOMEM;
	return equal;
}

int ft_snapshot_set_detail(struct ft_snapshot *s, const char *detail)
{
	size_t length = strlen(detail);
	char *strings;

	if (length == 0) {
		s->source.detail = 0;
		return 0;
	}
	if (length >= UINT32_MAX - s->strings_length)
		return -ENOMEM;
	strings = realloc(s->strings, s->strings_length + length + 1);
	if (!strings)
		return -ENOMEM;
	memcpy(strings + s->strings_length, detail, length + 1);
	s->strings = strings;
	s->source.detail = s->strings_length;
	s->strings_length += (uint32_t)length + 1;
	return 0;
}

/*
 * The head of a snapshot in a pipe. It has the sizes of the elements, so that a parent and a child of different
 * versions (a package replaced between fork and exec) do not misread each other. No padding: all of it is sent.
 */
struct parcel {
	uint32_t magic;
	uint16_t node_size, port_size;
	uint32_t node_count, port_count, strings_length;
	uint32_t detail, entry_node, mads, timeouts, duration_ms;
	int64_t time_s;
	uint8_t entry_port, live, complete, lists_down_ports;
	uint8_t stopped, engine, engine_reason, reserved;
};

enum { PARCEL_MAGIC = 0x46545331 };

_Static_assert(sizeof(struct parcel) == 56, "the parcel has no padding");

static int write_all(int fd, struct iovec *parts, size_t count)
{
	while (count > 0) {
		ssize_t n;

		if (parts->iov_len == 0) {
			parts++;
			count--;
			continue;
		}
		n = writev(fd, parts, (int)count);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		for (size_t sent = (size_t)n; sent > 0 && count > 0;) {
			size_t step = sent < parts->iov_len ? sent : parts->iov_len;

			parts->iov_base = (char *)parts->iov_base + step;
			parts->iov_len -= step;
			sent -= step;
			if (parts->iov_len == 0) {
				parts++;
				count--;
			}
		}
	}
	return 0;
}

int ft_snapshot_send(int fd, const struct ft_snapshot *s)
{
	struct parcel parcel = {
		.magic = PARCEL_MAGIC,
		.node_size = sizeof(struct ft_node),
		.port_size = sizeof(struct ft_port),
		.node_count = s->node_count,
		.port_count = s->port_count,
		.strings_length = s->strings_length,
		.detail = s->source.detail,
		.entry_node = s->source.entry_node,
		.mads = s->source.mads,
		.timeouts = s->source.timeouts,
		.duration_ms = s->source.duration_ms,
		.time_s = s->source.time_s,
		.entry_port = s->source.entry_port,
		.live = s->source.live,
		.complete = s->source.complete,
		.lists_down_ports = s->source.lists_down_ports,
		.stopped = s->source.stopped,
		.engine = s->source.engine,
		.engine_reason = s->source.engine_reason,
	};
	struct iovec parts[] = {
		{&parcel, sizeof(parcel)},
		{s->nodes, s->node_count * sizeof(*s->nodes)},
		{s->ports, s->port_count * sizeof(*s->ports)},
		{s->strings, s->strings_length},
	};

	return write_all(fd, parts, FT_COUNT(parts));
}

static void *part_copy(const char **bytes, size_t size)
{
	void *part = malloc(size ? size : 1);

	if (part && size > 0)
		memcpy(part, *bytes, size);
	*bytes += size;
	return part;
}

int ft_snapshot_receive(const void *bytes, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	const char *part = bytes;
	struct parcel parcel;
	uint64_t size;
	int r;

	if (length < sizeof(parcel))
		return ft_error_set(err, -EINVAL, 0, 0, "the snapshot was cut short");
	memcpy(&parcel, part, sizeof(parcel));
	part += sizeof(parcel);
	if (parcel.magic != PARCEL_MAGIC || parcel.node_size != sizeof(struct ft_node) ||
	    parcel.port_size != sizeof(struct ft_port) || parcel.live > 1 || parcel.complete > 1 ||
	    parcel.lists_down_ports > 1 || parcel.stopped > 1 || parcel.engine >= FT_ENGINE_COUNT ||
	    parcel.engine_reason >= FT_ENGINE_REASONS)
		return ft_error_set(err, -EINVAL, 0, 0, "no snapshot came");
	size = sizeof(parcel) + (uint64_t)parcel.node_count * sizeof(*s->nodes) +
	       (uint64_t)parcel.port_count * sizeof(*s->ports) + parcel.strings_length;
	if (size != length)
		return ft_error_set(err, -EINVAL, 0, 0, "the snapshot was cut short");
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->nodes = part_copy(&part, parcel.node_count * sizeof(*s->nodes));
	s->ports = part_copy(&part, parcel.port_count * sizeof(*s->ports));
	s->strings = part_copy(&part, parcel.strings_length);
	if (!s->nodes || !s->ports || !s->strings)
		return -ENOMEM;
	s->node_count = parcel.node_count;
	s->port_count = parcel.port_count;
	s->strings_length = parcel.strings_length;
	s->source = (struct ft_snapshot_source){
		.live = parcel.live,
		.complete = parcel.complete,
		.lists_down_ports = parcel.lists_down_ports,
		.stopped = parcel.stopped,
		.detail = parcel.detail,
		.entry_node = parcel.entry_node,
		.entry_port = parcel.entry_port,
		.engine = parcel.engine,
		.engine_reason = parcel.engine_reason,
		.mads = parcel.mads,
		.timeouts = parcel.timeouts,
		.duration_ms = parcel.duration_ms,
		.time_s = parcel.time_s,
	};
	r = ft_snapshot_check(s, err);
	if (r < 0)
		return r;
	*ret_snapshot = FT_STEAL(s);
	return 0;
}
