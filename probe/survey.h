/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A survey: the fabric as far as SMPs have shown it, and which attributes are missing. libibnetdisc's result becomes a
 * survey (fabric.h), discovery.h requests what is missing, and the survey becomes a snapshot.
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
	uint32_t peer_node; /* index into nodes[], or FT_NONE; mutual */
	uint16_t lid;
	uint8_t peer_port;
	uint8_t lmc;
	uint8_t phys_state;
	uint8_t logical_state;
	struct ft_rate rate;
	struct ft_port_limits limits;
	bool sm;	  /* PortInfo announces a subnet manager there */
	bool read;	  /* PortInfo came, or what it would say is known otherwise */
	bool inferred;	  /* read, without PortInfo: see ft_survey_set_down(), ft_survey_mirror() */
	bool asked;	  /* PortInfo was requested */
	bool reached;	  /* a path of the sweep goes through it */
	bool maybe_fdr10; /* QDR or FDR10: ExtendedPortInfo, which distinguishes them, is missing */
	bool beyond;	  /* its far end responded, but was left out: the survey is full */
};

struct ft_survey_node {
	uint64_t guid;
	uint64_t system_guid;
	uint32_t vendor_id;
	uint32_t device_id;
	uint32_t chassis;    /* any number that the other nodes of its chassis share; 0: none */
	uint32_t first_port; /* index into ports[] of port 0; port n is at this plus n, up to port_count */
	uint32_t next_twin;  /* the next node of the same GUID, or FT_NONE */
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
	bool gone;    /* unreachable by now: not in the resulting snapshot */
	bool doubted; /* PortInfo of each of its ports is read, as what was inferred about one was contradicted */
	char description[FT_SMP_SIZE];
	uint8_t hops;
	uint8_t path[FT_SMP_HOPS_MAX + 1]; /* directed route: path[1] to path[hops] are the output ports */
};

struct ft_survey {
	struct ft_survey_node *nodes;
	struct ft_survey_port *ports;
	size_t node_count, node_size;
	size_t port_count, port_size;
	struct ft_map by_guid; /* the first node of a GUID */
	uint32_t entry_node;   /* FT_NONE until known */
	uint8_t entry_port;
	bool without_ext_info;	   /* a cache file: ExtendedPortInfo cannot be read, and is not missing */
	uint32_t max_nodes;	   /* limit of nodes; 0: none */
	uint32_t max_ports;	   /* likewise of ports, ports 0 included */
	bool full;		   /* one was left out */
	uint32_t planned_switches; /* 0: not known, and nothing is inferred from the other end of a cable */
};

#define FT_SURVEY_EMPTY ((struct ft_survey){.entry_node = FT_NONE})

void ft_survey_release(struct ft_survey *survey);

/*
 * Handing a survey from a child to its parent: the bytes, in the byte order and layout of this machine; and the survey
 * in them. The bytes are not trusted: all of it is checked. @survey is empty, but for its limits.
 * Returns 0, -ENOMEM, or -EINVAL.
 */
void ft_survey_pack(struct ft_text *text, const struct ft_survey *survey);
int ft_survey_unpack(const char *bytes, size_t length, struct ft_survey *survey);

/* The node's port @number, from 0; NULL beyond its last. */
struct ft_survey_port *ft_survey_port(const struct ft_survey *survey, uint32_t node, unsigned int number);

/* The first node of that GUID, or FT_NONE. */
uint32_t ft_survey_find(const struct ft_survey *survey, uint64_t guid);

/*
 * Adds a node, even if one with its GUID exists: two nodes with one GUID are a fault of the fabric, not one node.
 *
 * @info  NodeInfo
 * @path  directed route, see struct ft_survey_node; @hops up to FT_SMP_HOPS_MAX
 * Returns 0, -ENOMEM, -E2BIG beyond FT_SMP_HOPS_MAX, or -ENOSPC at the limit of nodes or ports; the survey is full
 * then.
 */
int ft_survey_add_node(struct ft_survey *survey, const uint8_t info[FT_SMP_SIZE], const uint8_t *path,
		       unsigned int hops, uint32_t *ret_node);

/*
 * Restores the survey behind a snapshot; @survey is empty. Routes and capabilities, which a snapshot does not hold, are
 * not known, and what the snapshot lacks is missing here too.
 * Returns 0 or -ENOMEM.
 */
int ft_survey_from_snapshot(const struct ft_snapshot *snapshot, struct ft_survey *survey);

/* NodeDescription: 64 arbitrary bytes, not always with a NUL. */
void ft_survey_set_description(struct ft_survey *survey, uint32_t node, const uint8_t bytes[FT_SMP_SIZE]);

/* PortInfo and Mellanox ExtendedPortInfo of a port; a @number beyond the node's last is ignored. */
void ft_survey_set_port_info(struct ft_survey *survey, uint32_t node, unsigned int number,
			     const uint8_t info[FT_SMP_SIZE]);
void ft_survey_set_ext_info(struct ft_survey *survey, uint32_t node, unsigned int number,
			    const uint8_t info[FT_SMP_SIZE]);

/* A port that is down by its switch's SwitchPortStateTable; PortInfo was not read. */
void ft_survey_set_down(struct ft_survey *survey, uint32_t node, unsigned int number);

/*
 * Takes a switch port's state, rate and limits from the other end of its cable, without PortInfo of its own, if that is
 * a port of the same kind of switch, up at the highest rate of that kind: no less can be enabled at this end. Of a
 * slower one PortInfo tells which end is the cause, so that is read. Not seen is a port that alone waits for the subnet
 * manager behind one that is Active. Nor does anybody say that the switch of that GUID is not two: that is for
 * ft_survey_doubt_mirrors().
 */
void ft_survey_mirror(struct ft_survey *survey, uint32_t node, unsigned int number);

/*
 * If fewer switches were found than are planned, one may hide behind the GUID of another: all that ft_survey_mirror()
 * said is missing again, and it says nothing any more. Returns whether that makes anything missing.
 */
bool ft_survey_doubt_mirrors(struct ft_survey *survey);

/* A cable between two ports, which must exist; their previous far ends lose their links. */
void ft_survey_link(struct ft_survey *survey, uint32_t a, unsigned int a_port, uint32_t b, unsigned int b_port);
void ft_survey_unlink(struct ft_survey *survey, uint32_t node, unsigned int number);

/*
 * Removes links to switch ports whose PortInfo is down: two nodes with one GUID were merged, or a cable moved during
 * the sweep. The peers of their far ends become unknown. Returns how many there were.
 */
size_t ft_survey_drop_contradictions(struct ft_survey *survey);

/* A switch port that is up without a known far end: NodeInfo was not requested, or was lost. */
bool ft_survey_port_is_silent(const struct ft_survey *survey, uint32_t node, unsigned int number);

/* Whether nothing is missing. A port of a CA that the sweep did not come through is not missing. */
bool ft_survey_is_complete(const struct ft_survey *survey);

/*
 * The snapshot, its nodes in the order of their GUIDs; without unreachable ones; two with one GUID and equal attributes
 * are merged. source.live, .complete, .lists_down_ports and the entry are set; the rest of source is the caller's.
 * Returns 0 or -errno with @err filled.
 */
int ft_survey_snapshot(const struct ft_survey *survey, struct ft_snapshot **ret_snapshot, struct ft_error *err);

#endif
