/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a topology.dot holds. Private to planner/design/dot*.c. */
#ifndef FT_PLANNER_DESIGN_DOT_PARTS_H
#define FT_PLANNER_DESIGN_DOT_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "planner/design/dot.h"

enum { FT_DOT_CABLES_MAX = 1000000, FT_DOT_NAME_MAX = 64 };

/* Strings are offsets into the arena; 0: none. */
struct ft_dot_machine {
	uint32_t name;
	uint32_t function;
	uint32_t first_port; /* its ports, once they are grouped: dot_plan.c */
	uint32_t port_count;
	uint32_t degree;
	bool numbered; /* ports have the numbers at the end of their names */
	size_t prefix; /* then the bytes of their names before it */
	bool adapters; /* all its interfaces are called as network adapters are */
	bool host;
};

struct ft_dot_port {
	uint32_t machine;
	uint32_t name;
	uint32_t uses; /* cables that the file gives it */
	uint16_t number;
	bool used;	/* no management port */
	bool taken;	/* by a cable that is kept */
	uint32_t group; /* ports that cables join: the least of them */
};

struct ft_dot_cable {
	uint32_t a, b; /* ports; equal: from a port to itself */
	bool kept;
};

struct ft_dot {
	struct ft_text arena; /* begins with a NUL */
	char *name;	      /* of the graph; owned; NULL: none */

	struct ft_map machine_by_name, port_by_name, cable_by_ports;
	struct ft_dot_machine *machines;
	uint32_t machine_count, machine_size;
	struct ft_dot_port *ports;
	uint32_t port_count, port_size;
	struct ft_dot_cable *cables;
	uint32_t cable_count, cable_size;
};

static inline const char *ft_dot_string(const struct ft_dot *d, uint32_t offset)
{
	return d->arena.data + offset;
}

void ft_dot_release(struct ft_dot *d);

/* dot.c: reads the text into @d, which the caller releases in any case. */
int ft_dot_read(struct ft_dot *d, const char *text, size_t length, struct ft_error *err);

#endif
