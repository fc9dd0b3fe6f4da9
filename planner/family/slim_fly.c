/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Slim Fly: the graphs of McKay, Miller and Siran, whose 2 q^2 switches of k' = (3 q - d) / 2 neighbours each are at
 * most two cables apart. There is one for every prime power q = 4 w + d, d one of -1, 0, 1: for each from 3 on.
 *
 * Switches are (0, x, y) and (1, m, c), of elements of the field of q elements. Of one type and one first coordinate,
 * two are neighbours whose second coordinates differ by an element of X (type 0) or of X' (type 1); (0, x, y) and (1,
 * m, c) are neighbours if y = m x + c. With z a primitive element:
 *
 *   d = 1:   X = z^0, z^2, ... z^(q-3);  X' = z^1, z^3, ... z^(q-2)
 *   d = 0:   X = z^0, z^2, ... z^(q-2);  X' = z^1, z^3, ... z^(q-1)
 *   d = -1:  X = z^0, z^2, ... z^(2w-2) and z^(2w-1), z^(2w+1), ... z^(4w-3);  X' = z X
 *
 * Each is closed under negation, and no element but 0 is outside both. For d = 1, X are the squares whatever z is. Else
 * z^e, for an e without a common factor with q - 1, may give another graph of the same numbers, from q = 11 on; but
 * z^-1 gives sets that are X and X' times an element, and z^p (p the prime of q) those that are their images under an
 * automorphism of the field, and both graphs are isomorphic to that of z: so there is at most one for each class of
 * such e by multiplication with -1 and p. z is "primitive", or else the one that finite_field.h finds.
 *
 * Sources: B. McKay, M. Miller, J. Siran, "A note on large graphs of diameter two and given maximum degree", 1998;
 * P. Hafner, "Geometric realisation of the graphs of McKay-Miller-Siran", 2004, for the sets of d = 0 and -1; M. Besta,
 * T. Hoefler, "Slim Fly: A Cost Effective Low-Diameter Network Topology", SC14, for the hosts and for the racks.
 *
 * A group is all switches of one first coordinate, those of both types: a rack, which has 2 q cables to each other
 * rack.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/family/by_order.h"
#include "planner/family/families.h"
#include "planner/family/finite_field.h"
#include "planner/family/recognise.h"
#include "planner/family/rules.h"

/* d of q = 4 w + d. */
static int delta_of(uint32_t q)
{
	return q % 4 == 3 ? -1 : (int)(q % 4);
}

/* Elements of X, and as many of X'. */
static uint32_t generator_count(uint32_t q)
{
	return (uint32_t)((int)q - delta_of(q)) / 2;
}

static void size_fill(struct ft_layout *layout)
{
	uint32_t q = layout->keys.q;

	layout->switches = 2 * q * q;
	layout->net_ports = q + generator_count(q);
	layout->cables = (uint64_t)layout->switches * layout->net_ports / 2;
}

static const struct ft_by_order slim_fly_rules = {3, size_fill};

static uint32_t common_factor(uint32_t a, uint32_t b)
{
	return b == 0 ? a : common_factor(b, a % b);
}

/* True if the powers of @element are all elements but 0. */
static bool is_primitive(const struct ft_field *field, uint32_t element)
{
	return element > 0 && element < field->order && common_factor(field->log[element], field->order - 1) == 1;
}

/* Complains about a "primitive" that is none of the field. */
static int primitive_check(struct ft_proposal *proposal)
{
	const struct ft_family_keys *keys = &proposal->design->keys;
	_cleanup_(ft_field_release) struct ft_field field = {0};
	uint32_t least = 1;
	int r;

	if (!ft_pinned(keys->q))
		return ft_proposal_refuse(proposal, NULL, "primitive",
					  "\"primitive\" is an element of a field: it needs \"q\"");
	r = ft_field_make(keys->q, &field);
	if (r == -EINVAL || (r == 0 && is_primitive(&field, keys->primitive)))
		return 0;
	while (r == 0 && !is_primitive(&field, least))
		least++;
	return r < 0 ? r
		     : ft_proposal_refuse(
			       proposal, NULL, "primitive",
			       "primitive is %u, but not all of the %u elements of the field but 0 are powers of it: "
			       "the smallest that is right is %u",
			       keys->primitive, keys->q, least);
}

static int propose_slim_fly(struct ft_proposal *proposal)
{
	int r = ft_pinned(proposal->design->keys.primitive) ? primitive_check(proposal) : 0;

	if (r < 0)
		return r;
	return ft_by_order_propose(proposal, &slim_fly_rules);
}

/* ---- building ---- */

/* A field, and the exponent of the primitive element that is taken. */
struct algebra {
	struct ft_field field;
	uint32_t exponent;
};

static void algebra_release(struct algebra *algebra)
{
	ft_field_release(&algebra->field);
}

/* Element @i of X (@type 0) or of X' (1): even powers first; where d is -1, the second half are odd ones. */
static uint32_t generator(const struct algebra *algebra, uint32_t type, uint32_t i)
{
	uint32_t q = algebra->field.order;
	bool second = delta_of(q) == -1 && i >= generator_count(q) / 2;

	return ft_field_power(&algebra->field, algebra->exponent * (2 * i - second + type));
}

/* "sf-1-04-00" */
static char *switch_name(uint32_t q, uint32_t type, uint32_t x, uint32_t y)
{
	int digits = ft_digits_below(q);
	char name[40];

	snprintf(name, sizeof(name), "sf-%u-%0*u-%0*u", type, digits, x, digits, y);
	return strdup(name);
}

static uint32_t index_of(uint32_t q, uint32_t type, uint32_t x, uint32_t y)
{
	return (type * q + x) * q + y;
}

/* The cables of a switch to those of its type: each is added at its first end. */
static int links_within(const struct algebra *algebra, struct ft_network *network, uint32_t type, uint32_t x,
			uint32_t y)
{
	uint32_t q = algebra->field.order;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < generator_count(q); i++) {
		uint32_t far = ft_field_add(&algebra->field, y, generator(algebra, type, i));

		if (far > y)
			r = ft_network_link(network, index_of(q, type, x, y), index_of(q, type, x, far), 1);
	}
	return r;
}

/* The cables of a switch of type 0 to those of type 1. */
static int links_across(const struct ft_field *field, struct ft_network *network, uint32_t x, uint32_t y)
{
	uint32_t q = field->order;
	int r = 0;

	for (uint32_t m = 0; r == 0 && m < q; m++) {
		uint32_t c = ft_field_subtract(field, y, ft_field_multiply(field, m, x));

		r = ft_network_link(network, index_of(q, 0, x, y), index_of(q, 1, m, c), 1);
	}
	return r;
}

static int build_slim_fly(const struct ft_layout *layout, struct ft_network *network)
{
	_cleanup_(algebra_release) struct algebra algebra = {.exponent = 1};
	uint32_t q = layout->keys.q;
	int r = ft_field_make(q, &algebra.field);

	if (r == 0 && ft_pinned(layout->keys.primitive))
		algebra.exponent = algebra.field.log[layout->keys.primitive];
	for (uint32_t i = 0; r == 0 && i < layout->switches; i++) {
		uint32_t type = i / (q * q), x = i / q % q, y = i % q;

		r = ft_network_switch(network, switch_name(q, type, x, y), "switch", x, true);
		if (r == 0)
			r = links_within(&algebra, network, type, x, y);
		if (r == 0 && type == 0)
			r = links_across(&algebra.field, network, x, y);
	}
	return r;
}

/* Marks the exponents whose primitive elements give the same graph as that of @exponent. */
static void exponents_mark(const struct ft_field *field, uint32_t exponent, bool *tried)
{
	uint32_t all = field->order - 1;

	for (; !tried[exponent]; exponent = exponent * field->prime % all)
		tried[exponent] = tried[all - exponent] = true;
}

/* Offers one primitive element for each graph that there may be, first that of the exponent 1. */
static int offer_primitives(const struct ft_sketch *sketch, const struct ft_family *family,
			    const struct ft_family_keys *keys)
{
	_cleanup_(ft_field_release) struct ft_field field = {0};
	_cleanup_free_ bool *tried = calloc(keys->q + 1UL, sizeof(*tried));
	struct ft_family_keys other = *keys;
	int r = tried ? ft_field_make(keys->q, &field) : -ENOMEM;

	for (uint32_t i = 1; r == 0 && i + 1 < keys->q; i++) {
		if (tried[i] || common_factor(i, keys->q - 1) != 1)
			continue;
		exponents_mark(&field, i, tried);
		other.primitive = i == 1 ? FT_NONE : ft_field_power(&field, i);
		r = sketch->offer(sketch, family, &other);
		if (delta_of(keys->q) == 1)
			break;
	}
	return r;
}

static int recognise_slim_fly(const struct ft_sketch *sketch)
{
	return ft_by_order_recognise(sketch, &ft_family_slim_fly, &slim_fly_rules, offer_primitives);
}

static void label_slim_fly(struct ft_text *text, const struct ft_layout *layout)
{
	ft_by_order_label(text, layout);
	if (ft_pinned(layout->keys.primitive))
		ft_text_printf(text, " z=%u", layout->keys.primitive);
}

static const char *const keys_of_slim_flies[] = {"q", "primitive", NULL};

const struct ft_family ft_family_slim_fly = {
	.name = "slim-fly",
	.keys = keys_of_slim_flies,
	.about = "a Slim Fly",
	.propose = propose_slim_fly,
	.build = build_slim_fly,
	.label = label_slim_fly,
	.recognise = recognise_slim_fly,
};
