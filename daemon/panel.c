/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/panel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Of all boards: that many have the largest directors, and more come from a fabric that lies. */
enum { PORTS_MAX = 4096 };

enum { CAGE_ALONE = 1, CAGE_TWIN = 2, CAGE_SPLIT = 4 };

static bool any_ndr(const struct ft_snapshot *s, const struct ft_node *node)
{
	for (unsigned int n = 1; n <= node->port_count; n++) {
		const struct ft_port *port = ft_node_port(s, node, n);

		if (port->rate.speed >= FT_SPEED_NDR || port->limits.speeds_supported >> FT_SPEED_NDR)
			return true;
	}
	return false;
}

unsigned int ft_panel_cage(const struct ft_snapshot *s, const struct ft_node *node)
{
	/* By the ports in cages; one or two more are those of aggregation nodes. */
	static const struct {
		unsigned int from, to, cage;
	} sizes[] = {{64, 65, CAGE_TWIN}, {128, 129, CAGE_SPLIT}, {144, 146, CAGE_TWIN}};

	if (node->type != FT_NODE_SWITCH || !any_ndr(s, node))
		return CAGE_ALONE;
	for (size_t i = 0; i < FT_COUNT(sizes); i++)
		if (node->port_count >= sizes[i].from && node->port_count <= sizes[i].to)
			return sizes[i].cage;
	return CAGE_ALONE;
}

/* What a finding says of the port that it names. */
static const char *state_of_code(enum ft_code code)
{
	return ft_codes[code].port_state ? ft_codes[code].port_state : "wrong";
}

/* Whether a link that is up should carry more than it does, only the verifier knows. */
static const char *state_of_link(const struct ft_port *port)
{
	static const char *const states[] = {
		[FT_LINK_UNREAD] = "unread", [FT_LINK_DOWN] = "down", [FT_LINK_SILENT] = "silent", [FT_LINK_UP] = "up"};

	return states[port->link];
}

static void name_write(struct ft_text *t, const struct ft_snapshot *s, const struct ft_names *names,
		       const struct ft_node *node)
{
	_cleanup_free_ char *name = ft_names_safe_dup(names, s, node);

	ft_text_add_member(t, "name", name ? name : "?");
	ft_text_printf(t, ", \"guid\": \"0x%016" PRIx64 "\"", node->guid);
}

/* The name of an interface, if it has one. */
static void interface_write(struct ft_text *t, const struct ft_snapshot *s, const char *key, const struct ft_port *port)
{
	_cleanup_free_ char *safe = NULL;

	if (!ft_port_name(s, port)[0])
		return;
	safe = ft_text_safe_dup(ft_port_name(s, port), strlen(ft_port_name(s, port)));
	t->failed |= !safe;
	ft_text_add_member(t, key, safe);
}

static void port_write(struct ft_text *t, const struct ft_snapshot *s, const struct ft_names *names,
		       const struct ft_port *port, const struct ft_finding *finding)
{
	const struct ft_port *peer = ft_port_peer(s, port);
	char rate[FT_RATE_NAME_SIZE];

	ft_text_printf(t, "{\"port\": %u, \"state\": \"%s\"", port->number,
		       finding ? state_of_code(finding->code) : state_of_link(port));
	if (finding) {
		ft_text_add_member(t, "finding", finding->id);
		ft_text_printf(t, ", \"severity\": \"%s\"", ft_severity_name(finding->severity));
	}
	if (peer) {
		name_write(t, s, names, ft_port_node(s, peer));
		ft_text_printf(t, ", \"peer_port\": %u, \"rate\": \"%s\"", peer->number,
			       ft_rate_name(port->rate, rate));
		interface_write(t, s, "peer_interface", peer);
	}
	interface_write(t, s, "interface", port);
	ft_text_puts(t, "}");
}

/* By port number: the first finding that names it, which is the worst. */
static void findings_find(const struct ft_report *report, const struct ft_node *node, const struct ft_finding **by_port)
{
	for (size_t i = 0; report && i < report->finding_count; i++)
		for (size_t w = 0; w < report->findings[i].where_count; w++) {
			const struct ft_place *place = &report->findings[i].where[w];

			if (place->guid == node->guid && place->port >= 1 && place->port <= node->port_count &&
			    !by_port[place->port])
				by_port[place->port] = &report->findings[i];
		}
}

static int board_write(struct ft_text *t, const struct ft_snapshot *s, const struct ft_names *names,
		       const struct ft_report *report, const struct ft_node *node)
{
	_cleanup_free_ const struct ft_finding **by_port = calloc(node->port_count + 1U, sizeof(*by_port));

	if (!by_port)
		return -ENOMEM;
	findings_find(report, node, by_port);
	ft_text_puts(t, "{");
	name_write(t, s, names, node);
	ft_text_printf(t, ", \"cage\": %u, \"ports\": [", ft_panel_cage(s, node));
	for (unsigned int n = 1; n <= node->port_count; n++) {
		ft_text_puts(t, n > 1 ? ",\n    " : "\n    ");
		port_write(t, s, names, ft_node_port(s, node, n), by_port[n]);
	}
	ft_text_puts(t, "]}");
	return 0;
}

/* Chips of one director: the sweep numbered its chassis, or they share a SystemImageGUID. */
static bool same_director(const struct ft_node *a, const struct ft_node *b)
{
	if (a->type != FT_NODE_SWITCH || b->type != FT_NODE_SWITCH)
		return false;
	return (a->chassis != 0 && a->chassis == b->chassis) ||
	       (a->system_guid != 0 && a->system_guid == b->system_guid);
}

struct board {
	const struct ft_node *node;
	const char *description;
};

static int by_description(const void *a, const void *b)
{
	const struct board *x = a, *y = b;
	int order = strcmp(x->description, y->description);

	return order != 0 ? order : (x->node->guid > y->node->guid) - (x->node->guid < y->node->guid);
}

/* The other boards, in the order of their names. */
static int others_find(const struct ft_snapshot *s, const struct ft_node *node, struct board **ret_boards,
		       size_t *ret_count)
{
	unsigned int ports = node->port_count;
	struct board *boards = calloc(PORTS_MAX, sizeof(*boards));
	size_t count = 0;

	if (!boards)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->node_count && count < PORTS_MAX; i++) {
		const struct ft_node *other = &s->nodes[i];

		if (other == node || !same_director(node, other) || ports + other->port_count > PORTS_MAX)
			continue;
		ports += other->port_count;
		boards[count++] = (struct board){other, ft_node_description(s, other)};
	}
	qsort(boards, count, sizeof(*boards), by_description);
	*ret_boards = boards;
	*ret_count = count;
	return 0;
}

int ft_panel_write(struct ft_text *t, const struct ft_snapshot *s, const struct ft_names *names,
		   const struct ft_report *report, const struct ft_node *node)
{
	_cleanup_free_ struct board *others = NULL;
	size_t count = 0;
	int r = others_find(s, node, &others, &count);

	if (r < 0)
		return r;
	ft_text_puts(t, "[");
	r = board_write(t, s, names, report, node);
	for (size_t i = 0; r == 0 && i < count; i++) {
		ft_text_puts(t, ",\n  ");
		r = board_write(t, s, names, report, others[i].node);
	}
	ft_text_puts(t, "]");
	return r;
}
