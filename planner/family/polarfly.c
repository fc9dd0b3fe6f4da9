/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * PolarFly: the polarity graphs of Erdos and Renyi, one for every prime power q. The switches are the q^2 + q + 1
 * points of the projective plane over the field of q elements: vectors of three elements, of which all multiples are
 * one point. Two are neighbours if their scalar product is 0. Any two points that are no neighbours have a common one,
 * the line through both taken as a point: so all are at most two cables apart. The q + 1 points whose product with
 * themselves is 0 have q neighbours, all others q + 1.
 *
 * Sources: P. Erdos, A. Renyi, "On a problem in the theory of graphs", 1962; W. G. Brown, "On graphs that do not
 * contain a Thomsen graph", 1966; K. Lakhotia et al., "PolarFly: A Cost-Effective and Flexible Low-Diameter Topology",
 * SC22, also for the hosts: ceil((q + 1) / 2) on each switch.
 *
 * Of each point, the vector is taken whose first element that is not 0 is 1. Switches are in the order (1, a, b), (0,
 * 1, a), (0, 0, 1), each by a and then b.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/family/by_order.h"
#include "planner/family/families.h"
#include "planner/family/finite_field.h"
#include "planner/family/recognise.h"

static void size_fill(struct ft_layout *layout)
{
	uint32_t q = layout->keys.q;

	layout->switches = q * q + q + 1;
	layout->net_ports = q + 1;
	layout->cables = (uint64_t)q * (q + 1) * (q + 1) / 2;
}

static const struct ft_by_order polarfly_rules = {2, size_fill};

static int propose_polarfly(struct ft_proposal *proposal)
{
	return ft_by_order_propose(proposal, &polarfly_rules);
}

/* ---- building ---- */

struct point {
	uint32_t x, y, z;
};

static struct point point_at(uint32_t q, uint32_t index)
{
	if (index < q * q)
		return (struct point){1, index / q, index % q};
	return index < q * q + q ? (struct point){0, 1, index - q * q} : (struct point){0, 0, 1};
}

/* A graph on its way. */
struct polar {
	const struct ft_field *field;
	struct ft_network *network;
};

/* The cable of two points, added at the first of them; a point is no neighbour of itself. */
static int link_add(const struct polar *p, uint32_t from, uint32_t to)
{
	return to > from ? ft_network_link(p->network, from, to, 1) : 0;
}

/* -(a + b c) / d */
static uint32_t solve(const struct ft_field *field, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	return ft_field_divide(field,
			       ft_field_subtract(field, 0, ft_field_add(field, a, ft_field_multiply(field, b, c))), d);
}

/* The neighbours (1, a, b) of @u: those with x + a y + b z = 0. */
static int links_to_plane(const struct polar *p, uint32_t from, struct point u)
{
	uint32_t q = p->field->order;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < q; i++) {
		if (u.z != 0)
			r = link_add(p, from, i * q + solve(p->field, u.x, i, u.y, u.z));
		else if (u.y != 0)
			r = link_add(p, from, solve(p->field, u.x, 0, 0, u.y) * q + i);
	}
	return r;
}

/* The neighbours (0, 1, a) of @u: those with y + a z = 0; and (0, 0, 1), if z = 0. */
static int links_to_infinity(const struct polar *p, uint32_t from, struct point u)
{
	uint32_t q = p->field->order;
	int r = 0;

	if (u.z != 0)
		return link_add(p, from, q * q + solve(p->field, u.y, 0, 0, u.z));
	for (uint32_t i = 0; r == 0 && u.y == 0 && i < q; i++)
		r = link_add(p, from, q * q + i);
	return r < 0 ? r : link_add(p, from, q * q + q);
}

static char *switch_name(uint32_t index, uint32_t count)
{
	char name[24];

	snprintf(name, sizeof(name), "pf-%0*u", ft_digits_below(count), index);
	return strdup(name);
}

static int build_polarfly(const struct ft_layout *layout, struct ft_network *network)
{
	_cleanup_(ft_field_release) struct ft_field field = {0};
	struct polar p = {&field, network};
	int r = ft_field_make(layout->keys.q, &field);

	for (uint32_t i = 0; r == 0 && i < layout->switches; i++) {
		struct point u = point_at(layout->keys.q, i);

		r = ft_network_switch(network, switch_name(i, layout->switches), "switch", FT_NONE, true);
		if (r == 0)
			r = links_to_plane(&p, i, u);
		if (r == 0)
			r = links_to_infinity(&p, i, u);
	}
	return r;
}

static int recognise_polarfly(const struct ft_sketch *sketch)
{
	return ft_by_order_recognise(sketch, &ft_family_polarfly, &polarfly_rules, sketch->offer);
}

static const char *const keys_of_polarflies[] = {"q", NULL};

const struct ft_family ft_family_polarfly = {
	.name = "polarfly",
	.keys = keys_of_polarflies,
	.about = "a PolarFly",
	.propose = propose_polarfly,
	.build = build_polarfly,
	.label = ft_by_order_label,
	.recognise = recognise_polarfly,
};
