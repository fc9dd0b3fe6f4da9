/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The planned cable of each port of each planned switch, if the plan gives ports: one array for all places, by prefix
 * sums of their highest port numbers. O(places + planned cables).
 */
#include "config.h"

#include <errno.h>

#include "verify/model/model.h"

/* One end of a planned cable. */
struct end {
	uint32_t place, number;
};

static struct end end_of(const struct ft_model *m, uint32_t n)
{
	const struct ft_plan_cable *c = &m->plan->cables[n / 2];

	return n % 2 ? (struct end){m->place_of[c->b], c->b_port} : (struct end){m->place_of[c->a], c->a_port};
}

/* The highest port number of each place, then where its entries begin. Numbers start at 1; entry 0 is unused. */
static void entries_number(const struct ft_model *m, uint32_t *first)
{
	uint32_t next = 0;

	for (uint32_t p = 0; p < m->place_count; p++)
		first[p] = m->places[p]->ports;
	for (uint32_t n = 0; n < 2 * m->plan->cable_count; n++) {
		struct end end = end_of(m, n);

		first[end.place] = end.number > first[end.place] ? end.number : first[end.place];
	}
	for (uint32_t p = 0; p <= m->place_count; p++) {
		uint32_t ports = p < m->place_count ? first[p] + 1 : 0;

		first[p] = next;
		next += ports;
	}
}

int ft_port_map_init(struct ft_model *m)
{
	struct ft_port_map *e = &m->port_map;

	if (m->plan->cable_count == 0)
		return 0;
	e->first = ft_arena_zeros(&m->memory, m->place_count + 1UL, sizeof(*e->first));
	e->loose = ft_arena_zeros(&m->memory, m->place_count + 1UL, sizeof(*e->loose));
	e->gone = ft_arena_zeros(&m->memory, m->plan->cable_count, sizeof(*e->gone));
	if (m->memory.failed)
		return -ENOMEM;
	entries_number(m, e->first);
	e->cable = ft_arena_numbers(&m->memory, e->first[m->place_count], FT_NONE);
	if (!e->cable)
		return -ENOMEM;
	for (uint32_t n = 0; n < 2 * m->plan->cable_count; n++) {
		struct end end = end_of(m, n);

		if (end.number == 0)
			e->loose[end.place] = true;
		else
			e->cable[e->first[end.place] + end.number] = n / 2;
	}
	return 0;
}
