/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Shared by the steps that make a snapshot of LLDP neighbours. Private to probe/lldp_*.c. */
#ifndef FT_PROBE_LLDP_PARTS_H
#define FT_PROBE_LLDP_PARTS_H

#include <stdint.h>

#include "base/map.h"
#include "base/text.h"
#include "probe/lldp.h"

#define FT_LLDP_NONE UINT32_MAX

/* What a machine says of itself in its announcements. */
enum ft_lldp_role {
	FT_LLDP_ROLE_UNSAID,
	FT_LLDP_ROLE_STATION, /* neither bridge nor router */
	FT_LLDP_ROLE_BRIDGE,  /* or router */
};

/* A neighbour on an interface. Strings are offsets into the arena; 0: not given. */
struct ft_lldp_heard {
	uint32_t machine_name; /* of the machine that heard it, and its interface */
	uint32_t interface;
	uint32_t name;	  /* the neighbour's */
	uint32_t chassis; /* "mac a2:d7:ef:3e:a9:3d" */
	uint32_t port_id; /* and what it says of its port */
	uint32_t description;
	bool by_name; /* @port_id is the name of an interface */
	bool foreign; /* by another protocol than LLDP, such as CDP */
	uint8_t role; /* enum ft_lldp_role */
	uint32_t age_s;

	/* lldp_machines.c, lldp_ports.c */
	uint32_t from, to;	 /* machines */
	uint32_t port, far_port; /* ports; FT_LLDP_NONE */
};

/* What a machine handed over. */
struct ft_lldp_record {
	uint32_t name;	 /* the machine's */
	int64_t time_ns; /* 0: not known */
};

struct ft_lldp_machine {
	uint32_t name; /* as it is called in the snapshot */
	uint64_t guid;
	bool own;			 /* it has a record */
	int64_t time_ns;		 /* of the latest one; 0: not known */
	bool bridge;			 /* it says so */
	bool mundane;			 /* it says that it is a station only */
	bool adapters_only;		 /* all of its interfaces are called as Linux calls network adapters */
	uint32_t first_port, port_count; /* in the order of the machines, those that are used */
};

struct ft_lldp_port {
	uint32_t machine;
	uint32_t name;
	uint32_t peer; /* FT_LLDP_NONE */
	uint16_t number;
	bool own;     /* its machine's record has it */
	bool used;    /* it has a neighbour or is one, and not for management, nor of a stale entry only */
	bool claimed; /* it sees a neighbour */
	bool hears;   /* it sees its peer */
};

struct ft_lldp {
	struct ft_text arena; /* begins with a NUL: offset 0 is the empty string */

	struct ft_lldp_heard *heard;
	uint32_t heard_count, heard_size;
	struct ft_lldp_record *records; /* also of machines that hear nobody */
	uint32_t record_count, record_size;

	struct ft_map machine_by_key; /* lldp_machines.c: hash of the key -> machine */
	struct ft_lldp_machine *machines;
	uint32_t machine_count, machine_size;

	struct ft_map port_by_key; /* machine and name -> port */
	struct ft_lldp_port *ports;
	uint32_t port_count, port_size;
};

static inline const char *ft_lldp_string(const struct ft_lldp *l, uint32_t offset)
{
	return l->arena.data + offset;
}

/* Room for one more element. Returns 0 or -ENOMEM. */
int ft_lldp_reserve(void *array, uint32_t count, uint32_t *size, size_t element);

/* Adds a string, cut at FT_LLDP_STRING_MAX bytes. Returns 0, -ENOMEM or -EFBIG. */
int ft_lldp_string_add(struct ft_lldp *l, const char *string, uint32_t *ret_offset);

/* The steps: each fills its part, and reads those before. They return 0 or -ENOMEM. */
int ft_lldp_machines_tell(struct ft_lldp *l);
int ft_lldp_ports_tell(struct ft_lldp *l);
int ft_lldp_links_make(struct ft_lldp *l);

/* The port of that machine with that name, which is new where it is not known yet. Returns 0 or -ENOMEM. */
int ft_lldp_port_find(struct ft_lldp *l, uint32_t machine, uint32_t name, uint32_t *ret_port);

#endif
