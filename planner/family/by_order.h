/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the families have in common whose one parameter is q, the order of a finite field: how q is chosen or checked,
 * and how many hosts there are.
 *
 * A switch with k' cables to others has ceil(k'/2) hosts: of a network of diameter 2 that is what its cables can carry,
 * each message crossing two of them (M. Besta, T. Hoefler, "Slim Fly: A Cost Effective Low-Diameter Network Topology",
 * SC14, section II.B.2; K. Lakhotia et al., "PolarFly: A Cost-Effective and Flexible Low-Diameter Topology", SC22).
 * With a blocking factor of B there are B times as many; "ports_to_nodes" of "edge" says the number.
 *
 * If q is not given, it is the smallest that has room for the nodes: a larger one has more switches of the same kind.
 */
#ifndef FT_PLANNER_FAMILY_BY_ORDER_H
#define FT_PLANNER_FAMILY_BY_ORDER_H

#include "planner/family/family.h"

struct ft_by_order {
	uint32_t least; /* the smallest q; each prime power from it on is one */
	/* Fills switches, net_ports and cables by keys.q. All three grow with q. */
	void (*size)(struct ft_layout *layout);
};

/* Offers the layout of the q that the design gives, or of the smallest that suffices. As propose of struct ft_family.
 */
int ft_by_order_propose(struct ft_proposal *proposal, const struct ft_by_order *rules);

/*
 * As recognise of struct ft_family: the q of so many switches, each pair of them with one cable, for @offer.
 */
int ft_by_order_recognise(const struct ft_sketch *sketch, const struct ft_family *family,
			  const struct ft_by_order *rules,
			  int (*offer)(const struct ft_sketch *sketch, const struct ft_family *family,
				       const struct ft_family_keys *keys));

/* "q=5" */
void ft_by_order_label(struct ft_text *text, const struct ft_layout *layout);

#endif
