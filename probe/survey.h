/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A survey: what SMPs told so far of a fabric, and what they did not. libibnetdisc's findings become one (fabric.h),
 * what it missed is asked for once more (walk.h), and the whole becomes a snapshot.
 *
 * Attributes come in as the 64 bytes of an SMP (IBTA Vol 1, chapter 14.2.5) and are decoded by libibmad.
 */
#ifndef FT_PROBE_SURVEY_H
#define FT_PROBE_SURVEY_H

#include "base/map.h"
#include "probe/snapshot.h"

enum {
	FT_SMP_SIZE = 64,     /* bytes of an attribute */
	FT_SMP_HOPS_MAX = 63, /* of a directed route */
	FT_PHYS_LINK_UP = 5,  /* PortInfo:PortPhysicalState */
};

struct ft_survey_port {
	uint64_t guid;
	uint32_t peer_node; /* index into nodes[], or FT_NO_NODE; mutual */
	uint16_t lid;
	uint8_t peer_port;
	uint8_t lmc;
	uint8_t phys_state;
	uint8_t logical_state;
	struct ft_rate rate;
	struct ft_port_limits limits;
	bool sm;	  /* says that a subnet manager runs there */
	bool read;	  /* PortInfo came */
	bool listed_down; /* said to be down by the switch's table of states, without PortInfo */
	bool asked;	  /* PortInfo is on its way */
	bool reached;	  /* a path of the sweep goes through it */
	bool maybe_fdr10; /* QDR or FDR10: ExtendedPortInfo, which tells, did not come */
	bool beyond;	  /* its far end answered, and was left out: the survey is full */
};

struct ft_survey_node {
	uint64_t guid;
	uint64_t system_guid;
	uint32_t vendor_id;
	uint32_t device_id;
	uint32_t chassis;    /* any number that its other nodes have too; 0: none */
	uint32_t first_port; /* index into ports[] of port 0; port n is n further, up to port_count */
	uint32_t next_twin;  /* the next node of the same GUID, or FT_NO_NODE */
	uint32_t last_twin;  /* of the first node of a GUID: the last one */
	uint32_t capability; /* CapabilityMask of port 0 */
	uint16_t capability2;
	uint16_t lid; /* a switch's */
	uint8_t lmc;
	uint8_t type; /* enum ft_node_type */
	uint8_t port_count;
	uint8_t description_length;
	bool described;
	bool slotted; /* its slot in the chassis is known */
	bool gone;    /* cannot be reached any more: no part of the snapshot to be */
	char description[FT_SMP_SIZE];
	uint8_t hops;
	uint8_t path[FT_SMP_HOPS_MAX + 1]; /* directed route: out of these ports, from path[1] to path[hops] */
};

struct ft_survey {
	struct ft_survey_node *nodes;
	struct ft_survey_port *ports;
	size_t node_count, node_size;
	size_t port_count, port_size;
	struct ft_map by_guid; /* the first node of a GUID */
	uint32_t entry_node;   /* FT_NO_NODE until known */
	uint8_t entry_port;
	bool without_ext_info; /* a cache file: no ExtendedPortInfo is to be had, and none is missed */
	uint32_t max_nodes;    /* no more are added than that; 0: any number */
	uint32_t max_ports;    /* likewise, ports 0 among them */
	bool full;	       /* one was left out */
};

#define FT_SURVEY_EMPTY ((struct ft_survey){.entry_node = FT_NO_NODE})

void ft_survey_release(struct ft_survey *survey);

/*
 * Handing a survey from a child to its parent: the bytes, in the byte order and layout of this machine; and the survey
 * in them. A child that crashed may have sent anything, so all of it is checked. @survey is empty, but for its bounds.
 * Returns 0, -ENOMEM, or -EINVAL.
 */
void ft_survey_pack(struct ft_text *text, const struct ft_survey *survey);
int ft_survey_unpack(const char *bytes, size_t length, struct ft_survey *survey);

/* The node's port @number, from 0; NULL beyond its last. */
struct ft_survey_port *ft_survey_port(const struct ft_survey *survey, uint32_t node, unsigned int number);

/* The first node of that GUID, or FT_NO_NODE. */
uint32_t ft_survey_find(const struct ft_survey *survey, uint64_t guid);

/*
 * Adds a node, also where there is one of its GUID already: two nodes of one GUID are a fault, not one node.
 *
 * @info  NodeInfo
 * @path  directed route, see struct ft_survey_node; @hops up to FT_SMP_HOPS_MAX
 * Returns 0, -ENOMEM, -E2BIG beyond FT_SMP_HOPS_MAX, or -ENOSPC where there are as many nodes or ports as there may
 * be; the survey is full then.
 */
int ft_survey_add_node(struct ft_survey *survey, const uint8_t info[FT_SMP_SIZE], const uint8_t *path,
		       unsigned int hops, uint32_t *ret_node);

/*
 * What a sweep must have seen to give that snapshot; @survey is empty. Of what is not in a snapshot, routes and
 * capabilities are not known, and what the snapshot does not know, though it should, is missing here too.
 * Returns 0 or -ENOMEM.
 */
int ft_survey_from_snapshot(const struct ft_snapshot *snapshot, struct ft_survey *survey);

/* NodeDescription: 64 bytes of anything, not always with a NUL. */
void ft_survey_set_description(struct ft_survey *survey, uint32_t node, const uint8_t bytes[FT_SMP_SIZE]);

/* PortInfo and Mellanox ExtendedPortInfo of a port; a @number beyond the node's last is ignored. */
void ft_survey_set_port_info(struct ft_survey *survey, uint32_t node, unsigned int number,
			     const uint8_t info[FT_SMP_SIZE]);
void ft_survey_set_ext_info(struct ft_survey *survey, uint32_t node, unsigned int number,
			    const uint8_t info[FT_SMP_SIZE]);

/* A port that its switch says is down, though its PortInfo was not read. */
void ft_survey_set_down(struct ft_survey *survey, uint32_t node, unsigned int number);

/* A cable between two ports, which must exist; what they were linked to before is linked to nothing then. */
void ft_survey_link(struct ft_survey *survey, uint32_t a, unsigned int a_port, uint32_t b, unsigned int b_port);
void ft_survey_unlink(struct ft_survey *survey, uint32_t node, unsigned int number);

/*
 * Undoes links to switch ports that say they are down: two nodes of one GUID, taken for one, or a cable that moved
 * during the sweep. Their far ends are of unknown peer then. Returns how many there were.
 */
size_t ft_survey_drop_contradictions(struct ft_survey *survey);

/* Switch port up, cabled to nobody we know: was it not asked, or did nobody answer? */
bool ft_survey_port_is_silent(const struct ft_survey *survey, uint32_t node, unsigned int number);

/* Is there nothing left that should have been learned? A port of a CA that the sweep did not come through is none. */
bool ft_survey_is_complete(const struct ft_survey *survey);

/*
 * The snapshot, its nodes in the order of their GUIDs; without those that are gone, and two of one GUID that say the
 * same in all are one. source.live, .complete, .lists_down_ports and the entry are set; the rest of source is the
 * caller's. Returns 0 or -errno with @err filled.
 */
int ft_survey_snapshot(const struct ft_survey *survey, struct ft_snapshot **ret_snapshot, struct ft_error *err);

#endif
