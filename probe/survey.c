/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/survey.h"

#include <errno.h>
#include <infiniband/mad.h>
#include <string.h>

#include "probe/snapshot_build.h"

enum {
	/* PortInfo:CapabilityMask and CapabilityMask2 (IBTA Vol 1, PortInfo). */
	CAP_SM = 1 << 1,
	CAP_EXTENDED_SPEEDS = 1 << 14,
	CAP_MASK2 = 1 << 15,
	CAP2_EXTENDED_SPEEDS_2 = 1 << 11,
	/* LinkSpeedExtActive2: bits 449 and 450 of PortInfo; libibmad 44 does not know it yet. */
	SPEED_EXT2_BYTE = 56,
	SPEED_EXT2_SHIFT = 5,
	SPEED_EXT2_MASK = 3,
	LINK_SPEED_QDR = 4,
	LOGICAL_DOWN = 1, /* PortInfo:PortState */
	/* Mellanox ExtendedPortInfo:LinkSpeedActive. */
	EXT_SPEED_FDR10 = 1 << 0,
};

struct code {
	unsigned int code;
	uint8_t value;
};

/* LinkWidthActive. */
static const struct code lanes_of_width[] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};

/* LinkSpeedActive, LinkSpeedExtActive, LinkSpeedExtActive2. */
static const struct code speeds[] = {{1, FT_SPEED_SDR}, {2, FT_SPEED_DDR}, {LINK_SPEED_QDR, FT_SPEED_QDR}};
static const struct code speeds_ext[] = {{1, FT_SPEED_FDR}, {2, FT_SPEED_EDR}, {4, FT_SPEED_HDR}, {8, FT_SPEED_NDR}};
static const struct code speeds_ext2[] = {{1, FT_SPEED_XDR}};

/*
 * Devices that have the vendor's ExtendedPortInfo, which tells FDR10 from QDR: Mellanox SwitchX, Switch-IB, Quantum,
 * ConnectX-3 to -6, BlueField, and what Bull (0x119f) makes of them. The same as those that ibnetdiscover asks.
 */
static const struct {
	uint32_t vendor; /* 0: any */
	uint16_t first, last;
} fdr10_devices[] = {
	{0, 0xc738, 0xc73b},	  {0, 0xc839, 0xc839},	    {0, 0xcb20, 0xcb20},      {0, 0xcf08, 0xcf09},
	{0, 0xd2f0, 0xd2f0},	  {0, 0x1003, 0x101b},	    {0, 0xa2d2, 0xa2d2},      {0x119f, 0x1b02, 0x1b02},
	{0x119f, 0x1b50, 0x1b50}, {0x119f, 0x1ba0, 0x1ba0}, {0x119f, 0x1bd0, 0x1bd5}, {0x119f, 0x1bf0, 0x1bf0},
	{0x119f, 0x1b33, 0x1b33}, {0x119f, 0x1b73, 0x1b73}, {0x119f, 0x1b40, 0x1b41}, {0x119f, 0x1b60, 0x1b61},
	{0x119f, 0x1b83, 0x1b83}, {0x119f, 0x1b93, 0x1b94}, {0x119f, 0x1bb4, 0x1bb5}, {0x119f, 0x1bc4, 0x1bc6},
};

#define LOOK_UP(table, code) look_up(table, FT_COUNT(table), code)

static uint8_t look_up(const struct code *table, size_t count, unsigned int code)
{
	for (size_t i = 0; i < count; i++)
		if (table[i].code == code)
			return table[i].value;
	return 0;
}

/* libibmad reads through a pointer to non-const. */
static unsigned int field(const uint8_t *info, enum MAD_FIELDS number)
{
	return mad_get_field((void *)(uintptr_t)info, 0, number);
}

static uint64_t field64(const uint8_t *info, enum MAD_FIELDS number)
{
	return mad_get_field64((void *)(uintptr_t)info, 0, number);
}

void ft_survey_release(struct ft_survey *survey)
{
	free(survey->nodes);
	free(survey->ports);
	ft_map_release(&survey->by_guid);
	*survey = FT_SURVEY_EMPTY;
}

/* What is in front of the nodes and the ports. */
struct survey_head {
	uint64_t node_count, port_count;
	uint32_t node_size, port_size, entry_node;
	uint8_t entry_port, full, reserved[2];
};

void ft_survey_pack(struct ft_text *text, const struct ft_survey *survey)
{
	const struct survey_head head = {
		.node_count = survey->node_count,
		.port_count = survey->port_count,
		.node_size = sizeof(*survey->nodes),
		.port_size = sizeof(*survey->ports),
		.entry_node = survey->entry_node,
		.entry_port = survey->entry_port,
		.full = survey->full,
	};

	ft_text_add(text, (const char *)&head, sizeof(head));
	ft_text_add(text, (const char *)survey->nodes, survey->node_count * sizeof(*survey->nodes));
	ft_text_add(text, (const char *)survey->ports, survey->port_count * sizeof(*survey->ports));
}

static bool node_is_sound(const struct ft_survey *survey, const struct ft_survey_node *node, size_t first_port)
{
	return node->first_port == first_port && first_port + node->port_count < survey->port_count &&
	       node->port_count <= FT_PORT_NUMBER_MAX && node->type <= FT_NODE_ROUTER &&
	       node->description_length <= FT_SMP_SIZE && node->hops <= FT_SMP_HOPS_MAX;
}

static bool nodes_are_sound(const struct ft_survey *survey)
{
	size_t first_port = 0;

	for (size_t i = 0; i < survey->node_count; i++) {
		if (!node_is_sound(survey, &survey->nodes[i], first_port))
			return false;
		first_port += survey->nodes[i].port_count + 1UL;
	}
	return first_port == survey->port_count;
}

/* Its far end names it too. */
static bool port_is_sound(const struct ft_survey *survey, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(survey, node, number), *far;

	if (port->rate.speed >= FT_SPEED_COUNT || port->limits.speeds_enabled > FT_SPEEDS_MAX ||
	    port->limits.speeds_supported > FT_SPEEDS_MAX)
		return false;
	if (port->peer_node == FT_NONE)
		return true;
	if (port->peer_node >= survey->node_count)
		return false;
	far = ft_survey_port(survey, port->peer_node, port->peer_port);
	return far && far->peer_node == node && far->peer_port == number;
}

static bool ports_are_sound(const struct ft_survey *survey)
{
	for (uint32_t node = 0; node < survey->node_count; node++)
		for (unsigned int i = 0; i <= survey->nodes[node].port_count; i++)
			if (!port_is_sound(survey, node, i))
				return false;
	return survey->entry_node == FT_NONE || (survey->entry_node < survey->node_count &&
						 ft_survey_port(survey, survey->entry_node, survey->entry_port));
}

static int add_twin(struct ft_survey *survey, uint32_t node);

/* The arrays as received; the nodes with equal GUIDs are linked again. */
static int take_arrays(const char *bytes, const struct survey_head *head, struct ft_survey *survey)
{
	int r = 0;

	survey->nodes = reallocarray(NULL, head->node_count + 1, sizeof(*survey->nodes));
	survey->ports = reallocarray(NULL, head->port_count + 1, sizeof(*survey->ports));
	if (!survey->nodes || !survey->ports)
		return -ENOMEM;
	survey->node_size = head->node_count + 1;
	survey->port_size = head->port_count + 1;
	memcpy(survey->nodes, bytes, head->node_count * sizeof(*survey->nodes));
	memcpy(survey->ports, bytes + head->node_count * sizeof(*survey->nodes),
	       head->port_count * sizeof(*survey->ports));
	survey->node_count = head->node_count;
	survey->port_count = head->port_count;
	survey->entry_node = head->entry_node;
	survey->entry_port = head->entry_port;
	survey->full = head->full;
	if (!nodes_are_sound(survey) || !ports_are_sound(survey))
		return -EINVAL;
	for (uint32_t node = 0; r == 0 && node < survey->node_count; node++) {
		survey->nodes[node].next_twin = FT_NONE;
		r = add_twin(survey, node);
	}
	return r;
}

int ft_survey_unpack(const char *bytes, size_t length, struct ft_survey *survey)
{
	struct ft_survey fresh = FT_SURVEY_EMPTY;
	struct survey_head head;
	int r;

	if (length < sizeof(head))
		return -EINVAL;
	memcpy(&head, bytes, sizeof(head));
	length -= sizeof(head);
	if (head.node_size != sizeof(*fresh.nodes) || head.port_size != sizeof(*fresh.ports) || head.full > 1 ||
	    head.node_count > length / head.node_size || head.port_count > length / head.port_size ||
	    head.node_count * head.node_size + head.port_count * head.port_size != length)
		return -EINVAL;
	r = take_arrays(bytes + sizeof(head), &head, &fresh);
	if (r < 0) {
		ft_survey_release(&fresh);
		return r;
	}
	fresh.max_nodes = survey->max_nodes;
	fresh.max_ports = survey->max_ports;
	fresh.planned_switches = survey->planned_switches;
	*survey = fresh;
	return 0;
}

struct ft_survey_port *ft_survey_port(const struct ft_survey *survey, uint32_t node, unsigned int number)
{
	const struct ft_survey_node *n = &survey->nodes[node];

	return number <= n->port_count ? &survey->ports[n->first_port + number] : NULL;
}

uint32_t ft_survey_find(const struct ft_survey *survey, uint64_t guid)
{
	return ft_map_get(&survey->by_guid, guid);
}

static int reserve(void **array, size_t *size, size_t count, size_t element)
{
	size_t more = *size ? *size : 64;
	void *bigger;

	if (count <= *size)
		return 0;
	while (more < count)
		more *= 2;
	bigger = reallocarray(*array, more, element);
	if (!bigger)
		return -ENOMEM;
	*array = bigger;
	*size = more;
	return 0;
}

static uint8_t node_type(unsigned int code)
{
	static const struct code types[] = {
		{IB_NODE_CA, FT_NODE_CA}, {IB_NODE_SWITCH, FT_NODE_SWITCH}, {IB_NODE_ROUTER, FT_NODE_ROUTER}};

	return LOOK_UP(types, code);
}

/* Appends @node to the list of nodes with its GUID. Returns 0 or -ENOMEM. */
static int add_twin(struct ft_survey *survey, uint32_t node)
{
	uint32_t first;
	int r;

	r = ft_map_add(&survey->by_guid, survey->nodes[node].guid, node, &first);
	if (r == 0)
		survey->nodes[survey->nodes[first].last_twin].next_twin = node;
	if (r >= 0)
		survey->nodes[first].last_twin = node;
	return r < 0 ? r : 0;
}

/* Adds a node as given, except the indices of its ports, which are empty. Returns 0 or -ENOMEM. */
static int add_node(struct ft_survey *survey, const struct ft_survey_node *node, uint32_t *ret_node)
{
	size_t ports = (size_t)node->port_count + 1;
	struct ft_survey_node *n;
	int r;

	r = reserve((void **)&survey->nodes, &survey->node_size, survey->node_count + 1, sizeof(*survey->nodes));
	if (r < 0)
		return r;
	r = reserve((void **)&survey->ports, &survey->port_size, survey->port_count + ports, sizeof(*survey->ports));
	if (r < 0)
		return r;
	n = &survey->nodes[survey->node_count];
	*n = *node;
	n->first_port = (uint32_t)survey->port_count;
	n->next_twin = FT_NONE;
	n->last_twin = FT_NONE;
	r = add_twin(survey, (uint32_t)survey->node_count);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ports; i++)
		survey->ports[survey->port_count + i] = (struct ft_survey_port){.peer_node = FT_NONE};
	survey->port_count += ports;
	*ret_node = (uint32_t)survey->node_count++;
	return 0;
}

static bool has_room(const struct ft_survey *survey, size_t port_count)
{
	return (survey->max_nodes == 0 || survey->node_count < survey->max_nodes) &&
	       (survey->max_ports == 0 || survey->port_count + port_count + 1 <= survey->max_ports);
}

int ft_survey_add_node(struct ft_survey *survey, const uint8_t info[FT_SMP_SIZE], const uint8_t *path,
		       unsigned int hops, uint32_t *ret_node)
{
	unsigned int ports = field(info, IB_NODE_NPORTS_F);
	struct ft_survey_node node = {
		.guid = field64(info, IB_NODE_GUID_F),
		.system_guid = field64(info, IB_NODE_SYSTEM_GUID_F),
		.vendor_id = field(info, IB_NODE_VENDORID_F),
		.device_id = field(info, IB_NODE_DEVID_F),
		.type = node_type(field(info, IB_NODE_TYPE_F)),
		/* 255 means "all ports" and is no port. */
		.port_count = (uint8_t)(ports > FT_PORT_NUMBER_MAX ? FT_PORT_NUMBER_MAX : ports),
		.hops = (uint8_t)hops,
	};

	if (hops > FT_SMP_HOPS_MAX)
		return -E2BIG;
	if (!has_room(survey, node.port_count)) {
		survey->full = true;
		return -ENOSPC;
	}
	if (hops > 0)
		memcpy(node.path + 1, path + 1, hops);
	return add_node(survey, &node, ret_node);
}

void ft_survey_set_description(struct ft_survey *survey, uint32_t node, const uint8_t bytes[FT_SMP_SIZE])
{
	struct ft_survey_node *n = &survey->nodes[node];

	n->description_length = (uint8_t)strnlen((const char *)bytes, FT_SMP_SIZE);
	memcpy(n->description, bytes, n->description_length);
	n->described = true;
}

static uint8_t extended_speed(const struct ft_survey_node *node, const uint8_t *info)
{
	unsigned int ext2 = info[SPEED_EXT2_BYTE] >> SPEED_EXT2_SHIFT & SPEED_EXT2_MASK;

	/* Those fields are valid only if the device announces them. */
	if (!(node->capability & CAP_EXTENDED_SPEEDS))
		return FT_SPEED_UNKNOWN;
	if (node->capability & CAP_MASK2 && node->capability2 & CAP2_EXTENDED_SPEEDS_2 && ext2 != 0)
		return LOOK_UP(speeds_ext2, ext2);
	return LOOK_UP(speeds_ext, field(info, IB_PORT_LINK_SPEED_EXT_ACTIVE_F));
}

/* Speeds as bits of enum ft_speed, from the bits of a field of PortInfo. */
static uint16_t speed_bits(const struct code *table, size_t count, unsigned int codes)
{
	unsigned int bits = 0;

	for (size_t i = 0; i < count; i++)
		if (codes & table[i].code)
			bits |= 1U << table[i].value;
	return (uint16_t)bits;
}

static uint16_t speeds_of(const struct ft_survey_node *node, const uint8_t *info, enum MAD_FIELDS basic,
			  enum MAD_FIELDS extended)
{
	uint16_t bits = speed_bits(speeds, FT_COUNT(speeds), field(info, basic));

	if (node->capability & CAP_EXTENDED_SPEEDS)
		bits |= speed_bits(speeds_ext, FT_COUNT(speeds_ext), field(info, extended));
	return bits;
}

/* If the fields of the second extension are in use, which libibmad 44 does not know, speeds stay unknown. */
static void set_limits(const struct ft_survey_node *node, struct ft_survey_port *port, const uint8_t *info)
{
	enum { WIDTHS = 31 };

	port->limits = (struct ft_port_limits){
		.widths_enabled = field(info, IB_PORT_LINK_WIDTH_ENABLED_F) & WIDTHS,
		.widths_supported = field(info, IB_PORT_LINK_WIDTH_SUPPORTED_F) & WIDTHS,
	};
	if (node->capability & CAP_MASK2 && node->capability2 & CAP2_EXTENDED_SPEEDS_2)
		return;
	port->limits.speeds_enabled =
		speeds_of(node, info, IB_PORT_LINK_SPEED_ENABLED_F, IB_PORT_LINK_SPEED_EXT_ENABLED_F);
	port->limits.speeds_supported =
		speeds_of(node, info, IB_PORT_LINK_SPEED_SUPPORTED_F, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F);
}

static bool may_be_fdr10(const struct ft_survey_node *node)
{
	for (size_t i = 0; i < FT_COUNT(fdr10_devices); i++)
		if (node->device_id >= fdr10_devices[i].first && node->device_id <= fdr10_devices[i].last &&
		    (fdr10_devices[i].vendor == 0 || fdr10_devices[i].vendor == node->vendor_id))
			return true;
	return false;
}

static void set_rate(const struct ft_survey_node *node, struct ft_survey_port *port, const uint8_t *info)
{
	unsigned int basic = field(info, IB_PORT_LINK_SPEED_ACTIVE_F);
	uint8_t speed = extended_speed(node, info);

	port->rate.lanes = LOOK_UP(lanes_of_width, field(info, IB_PORT_LINK_WIDTH_ACTIVE_F));
	port->rate.speed = speed ? speed : LOOK_UP(speeds, basic);
	port->maybe_fdr10 =
		!speed && basic == LINK_SPEED_QDR && port->phys_state == FT_PHYS_LINK_UP && may_be_fdr10(node);
}

void ft_survey_set_port_info(struct ft_survey *survey, uint32_t node, unsigned int number,
			     const uint8_t info[FT_SMP_SIZE])
{
	struct ft_survey_port *port = ft_survey_port(survey, node, number);
	struct ft_survey_node *n = &survey->nodes[node];

	if (!port)
		return;
	port->read = true;
	port->inferred = false;
	port->phys_state = (uint8_t)field(info, IB_PORT_PHYS_STATE_F);
	port->logical_state = (uint8_t)field(info, IB_PORT_STATE_F);
	port->lid = (uint16_t)field(info, IB_PORT_LID_F);
	port->lmc = (uint8_t)field(info, IB_PORT_LMC_F);
	/* The capabilities of a switch are in port 0, those of a CA in each port. */
	if (number == 0 || n->type != FT_NODE_SWITCH) {
		n->capability = field(info, IB_PORT_CAPMASK_F);
		n->capability2 = (uint16_t)field(info, IB_PORT_CAPMASK2_F);
	}
	if (number == 0) {
		n->lid = port->lid;
		n->lmc = port->lmc;
	}
	port->sm = field(info, IB_PORT_CAPMASK_F) & CAP_SM && (number == 0 || n->type != FT_NODE_SWITCH);
	if (number > 0) {
		set_rate(n, port, info);
		set_limits(n, port, info);
	}
}

void ft_survey_set_ext_info(struct ft_survey *survey, uint32_t node, unsigned int number,
			    const uint8_t info[FT_SMP_SIZE])
{
	struct ft_survey_port *port = ft_survey_port(survey, node, number);

	if (!port || !port->maybe_fdr10)
		return;
	port->maybe_fdr10 = false;
	if (field(info, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F) & EXT_SPEED_FDR10)
		port->rate.speed = FT_SPEED_FDR10;
	if (field(info, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F) & EXT_SPEED_FDR10)
		port->limits.speeds_enabled |= 1 << FT_SPEED_FDR10;
	if (field(info, IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F) & EXT_SPEED_FDR10)
		port->limits.speeds_supported |= 1 << FT_SPEED_FDR10;
}

void ft_survey_set_down(struct ft_survey *survey, uint32_t node, unsigned int number)
{
	struct ft_survey_port *port = ft_survey_port(survey, node, number);

	port->read = port->inferred = true;
	port->phys_state = 0;
	port->logical_state = LOGICAL_DOWN;
}

/*
 * Is the link at the highest rate of this end, and nothing faster or wider switched off there? Devices announce widths
 * beyond the four lanes of today's cables, and do not enable them: that is no setting.
 */
static bool rate_is_highest(const struct ft_survey_port *port)
{
	enum { USUAL_LANES = 4 };

	/* Speeds are bits in the order of enum ft_speed. */
	if (port->maybe_fdr10 || port->limits.speeds_enabled >> port->rate.speed != 1 ||
	    port->limits.speeds_enabled != port->limits.speeds_supported)
		return false;
	for (size_t i = 0; i < FT_COUNT(lanes_of_width); i++)
		if (port->limits.widths_enabled & lanes_of_width[i].code && lanes_of_width[i].value > port->rate.lanes)
			return false;
	return port->limits.widths_enabled > 0 &&
	       (port->rate.lanes >= USUAL_LANES || port->limits.widths_enabled == port->limits.widths_supported);
}

static bool are_alike(const struct ft_survey_node *a, const struct ft_survey_node *b)
{
	return a->type == b->type && a->vendor_id == b->vendor_id && a->device_id == b->device_id &&
	       a->port_count == b->port_count;
}

void ft_survey_mirror(struct ft_survey *survey, uint32_t node, unsigned int number)
{
	struct ft_survey_port *port = ft_survey_port(survey, node, number);
	const struct ft_survey_node *n = &survey->nodes[node];
	const struct ft_survey_port *far;

	if (survey->planned_switches == 0 || port->read || port->peer_node == FT_NONE || n->doubted ||
	    n->type != FT_NODE_SWITCH || !are_alike(n, &survey->nodes[port->peer_node]))
		return;
	far = ft_survey_port(survey, port->peer_node, port->peer_port);
	if (!far->read || far->inferred || far->phys_state != FT_PHYS_LINK_UP || !rate_is_highest(far))
		return;
	port->read = port->inferred = true;
	port->phys_state = far->phys_state;
	port->logical_state = far->logical_state;
	port->rate = far->rate;
	port->limits = far->limits;
}

/* What was known of a port by the other end of its cable is missing again. */
static bool port_forget(struct ft_survey_port *port)
{
	bool mirrored = port->inferred && port->phys_state == FT_PHYS_LINK_UP;

	port->read &= !mirrored;
	port->inferred &= !mirrored;
	return mirrored;
}

static void port_unlink(struct ft_survey_port *port)
{
	port->peer_node = FT_NONE;
	port_forget(port);
}

bool ft_survey_doubt_mirrors(struct ft_survey *survey)
{
	uint32_t switches = 0;
	bool any = false;

	for (uint32_t i = 0; i < survey->node_count; i++)
		switches += survey->nodes[i].type == FT_NODE_SWITCH;
	if (switches >= survey->planned_switches)
		return false;
	survey->planned_switches = 0;
	for (size_t i = 0; i < survey->port_count; i++)
		any |= port_forget(&survey->ports[i]);
	return any;
}

void ft_survey_unlink(struct ft_survey *survey, uint32_t node, unsigned int number)
{
	struct ft_survey_port *port = ft_survey_port(survey, node, number);

	if (port->peer_node == FT_NONE)
		return;
	port_unlink(ft_survey_port(survey, port->peer_node, port->peer_port));
	port_unlink(port);
}

void ft_survey_link(struct ft_survey *survey, uint32_t a, unsigned int a_port, uint32_t b, unsigned int b_port)
{
	struct ft_survey_port *pa = ft_survey_port(survey, a, a_port);
	struct ft_survey_port *pb = ft_survey_port(survey, b, b_port);

	ft_survey_unlink(survey, a, a_port);
	ft_survey_unlink(survey, b, b_port);
	pa->peer_node = b;
	pa->peer_port = (uint8_t)b_port;
	pb->peer_node = a;
	pb->peer_port = (uint8_t)a_port;
	pa->reached = pb->reached = true;
}

static bool is_down(const struct ft_survey_port *port)
{
	return port->read && port->phys_state != FT_PHYS_LINK_UP;
}

size_t ft_survey_drop_contradictions(struct ft_survey *survey)
{
	size_t dropped = 0;

	for (uint32_t node = 0; node < survey->node_count; node++) {
		if (survey->nodes[node].type != FT_NODE_SWITCH)
			continue;
		for (unsigned int number = 1; number <= survey->nodes[node].port_count; number++) {
			const struct ft_survey_port *port = ft_survey_port(survey, node, number);

			if (port->peer_node == FT_NONE || !is_down(port))
				continue;
			ft_survey_unlink(survey, node, number);
			dropped++;
		}
	}
	return dropped;
}

bool ft_survey_port_is_silent(const struct ft_survey *survey, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(survey, node, number);

	/* The far end of an end node's port is known from the other side, or is not in this fabric. */
	if (survey->nodes[node].type != FT_NODE_SWITCH && (node != survey->entry_node || number != survey->entry_port))
		return false;
	return number > 0 && port->read && !port->beyond && port->phys_state == FT_PHYS_LINK_UP &&
	       port->peer_node == FT_NONE;
}

static int take_snapshot_node(const struct ft_snapshot *snapshot, const struct ft_node *node, struct ft_survey *survey)
{
	struct ft_survey_node n = {
		.guid = node->guid,
		.system_guid = node->system_guid,
		.vendor_id = node->vendor_id,
		.device_id = node->device_id,
		.chassis = node->chassis,
		.slotted = node->chassis != 0,
		.lid = node->lid,
		.lmc = node->lmc,
		.type = node->type,
		.port_count = (uint8_t)node->port_count,
		.description_length =
			(uint8_t)(node->description_length < FT_SMP_SIZE ? node->description_length : FT_SMP_SIZE),
		.described = snapshot->source.complete || node->description_length > 0,
	};
	uint32_t id;

	memcpy(n.description, ft_node_description(snapshot, node), n.description_length);
	return add_node(survey, &n, &id);
}

/* Is its rate unknown for want of ExtendedPortInfo? Never so in a complete snapshot. */
static bool rate_is_open(const struct ft_snapshot *snapshot, const struct ft_survey_node *node,
			 const struct ft_survey_port *port)
{
	return !snapshot->source.complete && port->phys_state == FT_PHYS_LINK_UP && port->rate.lanes > 0 &&
	       port->rate.speed == FT_SPEED_UNKNOWN && may_be_fdr10(node);
}

static void take_snapshot_port(const struct ft_snapshot *snapshot, const struct ft_port *port, struct ft_survey *survey)
{
	const struct ft_port *peer = ft_port_peer(snapshot, port);
	const struct ft_survey_node *n = &survey->nodes[port->node];
	struct ft_survey_port *p = ft_survey_port(survey, port->node, port->number);

	*p = (struct ft_survey_port){
		.guid = port->guid,
		.peer_node = peer ? peer->node : FT_NONE,
		.peer_port = peer ? peer->number : 0,
		.lid = port->lid,
		.lmc = port->lmc,
		.phys_state = port->phys_state,
		.logical_state = port->logical_state,
		.rate = port->rate,
		.limits = port->limits,
		.sm = port->sm,
		/* A link known from its far end only has no state at this end. */
		.read = port->phys_state != 0 || port->link == FT_LINK_DOWN || port->link == FT_LINK_SILENT,
		.reached = n->type == FT_NODE_SWITCH || peer || port->guid != 0,
	};
	p->maybe_fdr10 = rate_is_open(snapshot, n, p);
	/* The ports of a switch were requested once its port 0 had been read. */
	if (p->read && n->type == FT_NODE_SWITCH)
		ft_survey_port(survey, port->node, 0)->read = true;
}

static void take_snapshot_entry(const struct ft_snapshot *snapshot, struct ft_survey *survey)
{
	struct ft_survey_port *port;

	if (snapshot->source.entry_node == FT_NONE)
		return;
	survey->entry_node = snapshot->source.entry_node;
	survey->entry_port = snapshot->source.entry_port;
	port = ft_survey_port(survey, survey->entry_node, survey->entry_port);
	if (port)
		port->reached = true;
}

int ft_survey_from_snapshot(const struct ft_snapshot *snapshot, struct ft_survey *survey)
{
	for (uint32_t i = 0; i < snapshot->node_count; i++) {
		int r = take_snapshot_node(snapshot, &snapshot->nodes[i], survey);

		if (r < 0)
			return r;
	}
	for (uint32_t i = 0; i < snapshot->port_count; i++)
		take_snapshot_port(snapshot, &snapshot->ports[i], survey);
	for (uint32_t i = 0; i < survey->node_count; i++) {
		struct ft_survey_port *own = ft_survey_port(survey, i, 0);

		if (survey->nodes[i].type != FT_NODE_SWITCH)
			continue;
		own->sm = snapshot->nodes[i].sm;
		own->read |= snapshot->source.complete;
	}
	take_snapshot_entry(snapshot, survey);
	return 0;
}

static bool port_is_complete(const struct ft_survey *survey, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(survey, node, number);

	if (survey->nodes[node].type != FT_NODE_SWITCH && !port->reached)
		return true;
	if (port->maybe_fdr10 && !survey->without_ext_info)
		return false;
	return port->read && !ft_survey_port_is_silent(survey, node, number);
}

bool ft_survey_is_complete(const struct ft_survey *survey)
{
	for (uint32_t node = 0; node < survey->node_count; node++) {
		if (survey->nodes[node].gone)
			continue;
		if (!survey->nodes[node].described)
			return false;
		/* An end node has no port 0. */
		for (unsigned int i = survey->nodes[node].type != FT_NODE_SWITCH; i <= survey->nodes[node].port_count;
		     i++)
			if (!port_is_complete(survey, node, i))
				return false;
	}
	return survey->node_count > 0 && !survey->full;
}

static enum ft_link port_link(const struct ft_survey_port *port)
{
	if (port->peer_node != FT_NONE)
		return FT_LINK_UP;
	if (!port->read || port->beyond)
		return FT_LINK_UNREAD;
	return port->phys_state == FT_PHYS_LINK_UP ? FT_LINK_SILENT : FT_LINK_DOWN;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_descriptions(const struct ft_survey_node *a, const struct ft_survey_node *b)
{
	size_t shorter = a->description_length < b->description_length ? a->description_length : b->description_length;
	int d = memcmp(a->description, b->description, shorter);

	return d ? d : compare(a->description_length, b->description_length);
}

static int compare_links(const struct ft_survey *survey, uint32_t a, uint32_t b)
{
	for (unsigned int i = 1; i <= survey->nodes[a].port_count; i++) {
		const struct ft_survey_port *x = ft_survey_port(survey, a, i), *y = ft_survey_port(survey, b, i);
		int d = compare(x->peer_node != FT_NONE, y->peer_node != FT_NONE);

		if (d == 0 && x->peer_node != FT_NONE)
			d = compare(survey->nodes[x->peer_node].guid, survey->nodes[y->peer_node].guid);
		if (d == 0 && x->peer_node != FT_NONE)
			d = compare(x->peer_port, y->peer_port);
		if (d)
			return d;
	}
	return 0;
}

/* By GUID; with equal GUIDs by all other attributes, and so independent of the order of the answers. */
static int compare_records(const struct ft_survey *survey, uint32_t x, uint32_t y)
{
	const struct ft_survey_node *m = &survey->nodes[x], *n = &survey->nodes[y];
	int d = compare(m->guid, n->guid);

	if (d == 0)
		d = compare(m->type, n->type);
	if (d == 0)
		d = compare(m->port_count, n->port_count);
	if (d == 0)
		d = compare_descriptions(m, n);
	if (d == 0)
		d = compare_links(survey, x, y);
	return d ? d : compare(m->system_guid, n->system_guid);
}

static int compare_nodes(const void *a, const void *b, void *context)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int d = compare_records(context, x, y);

	return d ? d : compare(x, y);
}

/* Returns 0 or -ENOMEM. */
static int sort_nodes(const struct ft_survey *survey, uint32_t **ret_order)
{
	uint32_t *order = reallocarray(NULL, survey->node_count ? survey->node_count : 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (uint32_t node = 0; node < survey->node_count; node++)
		order[node] = node;
	qsort_r(order, survey->node_count, sizeof(*order), compare_nodes, (void *)(uintptr_t)survey);
	*ret_order = order;
	return 0;
}

/* A snapshot under construction. Nothing else is in memory twice: a large fabric's survey and snapshot take enough. */
struct making {
	const struct ft_survey *survey;
	struct ft_snapshot *s;
	uint32_t *order; /* nodes of the survey in their final order */
	uint32_t *kept;	 /* by node of the survey: itself, its duplicate, or FT_NONE */
	uint32_t *index; /* by kept node: its number in the snapshot */
	bool *slotted;	 /* by number in the snapshot */
};

static void making_release(struct making *m)
{
	ft_snapshot_free(m->s);
	free(m->order);
	free(m->kept);
	free(m->index);
	free(m->slotted);
}

static int making_init(struct making *m, const struct ft_survey *survey)
{
	size_t count = survey->node_count + 1;

	*m = (struct making){
		.survey = survey,
		.s = calloc(1, sizeof(*m->s)),
		.kept = reallocarray(NULL, count, sizeof(*m->kept)),
		.index = reallocarray(NULL, count, sizeof(*m->index)),
		.slotted = calloc(count, sizeof(*m->slotted)),
	};
	return m->s && m->kept && m->index && m->slotted ? sort_nodes(survey, &m->order) : -ENOMEM;
}

/*
 * Numbers the nodes, and allocates room. Two nodes that are equal in everything, far ends included, are one node
 * discovered twice. Returns 0, -ENOMEM, or -EOVERFLOW: sums of two indices or sizes must fit 32 bits.
 */
static int make_room(struct making *m)
{
	const uint32_t max = UINT32_MAX / 2;
	uint32_t last = FT_NONE;
	size_t ports = 0, strings = 1;

	for (size_t i = 0; i < m->survey->node_count; i++) {
		uint32_t node = m->order[i];
		const struct ft_survey_node *n = &m->survey->nodes[node];

		m->kept[node] = FT_NONE;
		if (n->gone)
			continue;
		if (last == FT_NONE || compare_records(m->survey, last, node) != 0)
			last = node;
		m->kept[node] = last;
		if (last != node)
			continue;
		m->index[node] = m->s->node_count++;
		ports += n->port_count;
		strings += n->description_length + 1UL;
	}
	if (ports > max || strings > max)
		return -EOVERFLOW;
	m->s->nodes = calloc(m->s->node_count + 1UL, sizeof(*m->s->nodes));
	m->s->ports = calloc(ports + 1, sizeof(*m->s->ports));
	m->s->strings = calloc(strings, 1);
	m->s->strings_length = 1;
	return m->s->nodes && m->s->ports && m->s->strings ? 0 : -ENOMEM;
}

/* Offset 0 is the empty string. */
static uint32_t make_description(struct ft_snapshot *s, const struct ft_survey_node *n)
{
	uint32_t at = s->strings_length;

	if (n->description_length == 0)
		return 0;
	memcpy(s->strings + at, n->description, n->description_length);
	s->strings_length += n->description_length + 1U;
	return at;
}

static void make_node(struct making *m, uint32_t node)
{
	const struct ft_survey_node *n = &m->survey->nodes[node];
	bool is_switch = n->type == FT_NODE_SWITCH;

	m->slotted[m->index[node]] = n->slotted;
	m->s->nodes[m->index[node]] = (struct ft_node){
		.guid = n->guid,
		.system_guid = n->system_guid,
		.vendor_id = n->vendor_id,
		.device_id = n->device_id,
		.chassis = is_switch ? n->chassis : 0,
		.first_port = m->s->port_count,
		.description = make_description(m->s, n),
		.description_length = n->description_length,
		.port_count = n->port_count,
		.lid = n->lid,
		.lmc = n->lmc,
		.type = n->type,
		.sm = is_switch && ft_survey_port(m->survey, node, 0)->sm,
	};
	m->s->port_count += n->port_count;
}

/*
 * The far end's port, if the cable is in the snapshot too: its far node may be gone, or merged into a duplicate, whose
 * cables are kept.
 */
static const struct ft_survey_port *far_port(const struct making *m, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(m->survey, node, number), *far;

	if (port->peer_node == FT_NONE || port->peer_port == 0 || m->kept[port->peer_node] == FT_NONE)
		return NULL;
	far = ft_survey_port(m->survey, m->kept[port->peer_node], port->peer_port);
	return far->peer_node != FT_NONE && m->kept[far->peer_node] == node && far->peer_port == number ? far : NULL;
}

/* Index of a port of a kept node. */
static uint32_t port_index(const struct making *m, uint32_t node, unsigned int number)
{
	return m->s->nodes[m->index[node]].first_port + number - 1;
}

/* FDR10 or QDR is not known: the speed is unknown. */
static struct ft_rate port_rate(const struct ft_survey_port *port)
{
	return (struct ft_rate){port->rate.lanes, port->maybe_fdr10 ? FT_SPEED_UNKNOWN : port->rate.speed};
}

static void make_port(struct making *m, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(m->survey, node, number), *far = far_port(m, node, number);
	const struct ft_survey_node *n = &m->survey->nodes[node];
	bool is_switch = n->type == FT_NODE_SWITCH;
	struct ft_port *p = &m->s->ports[port_index(m, node, number)];

	*p = (struct ft_port){
		.guid = is_switch ? n->guid : port->guid,
		.node = m->index[node],
		.peer = far ? port_index(m, m->kept[port->peer_node], port->peer_port) : FT_NONE,
		.lid = is_switch ? 0 : port->lid,
		.lmc = is_switch ? 0 : port->lmc,
		.number = (uint16_t)number,
		.link = port_link(port),
		.phys_state = port->phys_state,
		.logical_state = port->logical_state,
		.sm = port->sm,
	};
	if (p->link == FT_LINK_UP && !far)
		p->link = FT_LINK_SILENT;
	if (p->link != FT_LINK_UP && p->link != FT_LINK_SILENT)
		return;
	p->limits = port->limits;
	p->rate = port_rate(port);
	/* Fills values missing at this end from the far end. */
	if (far && p->rate.lanes == 0 && p->rate.speed == FT_SPEED_UNKNOWN)
		p->rate = port_rate(far);
}

static void make_source(struct making *m)
{
	const struct ft_survey *survey = m->survey;
	const struct ft_node *node;

	m->s->source = (struct ft_snapshot_source){
		.live = true,
		.lists_down_ports = true,
		.complete = ft_survey_is_complete(survey),
		.stopped = survey->full,
		.entry_node = FT_NONE,
	};
	if (survey->entry_node == FT_NONE || m->kept[survey->entry_node] == FT_NONE)
		return;
	m->s->source.entry_node = m->index[m->kept[survey->entry_node]];
	node = &m->s->nodes[m->s->source.entry_node];
	if (survey->entry_port <= node->port_count)
		m->s->source.entry_port = survey->entry_port;
	if (m->s->source.entry_port == 0 && node->type != FT_NODE_SWITCH && node->port_count == 1)
		m->s->source.entry_port = 1;
}

static int make_all(struct making *m, const struct ft_survey *survey)
{
	int r;

	r = making_init(m, survey);
	if (r == 0)
		r = make_room(m);
	if (r < 0)
		return r;
	/* Kept nodes are in the order of their numbers. All nodes first: they give the places of the ports. */
	for (size_t i = 0; i < survey->node_count; i++)
		if (m->kept[m->order[i]] == m->order[i])
			make_node(m, m->order[i]);
	for (size_t i = 0; i < survey->node_count; i++)
		if (m->kept[m->order[i]] == m->order[i])
			for (unsigned int n = 1; n <= survey->nodes[m->order[i]].port_count; n++)
				make_port(m, m->order[i], n);
	make_source(m);
	return ft_snapshot_number_chassis(m->s, m->slotted);
}

int ft_survey_snapshot(const struct ft_survey *survey, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(making_release) struct making m = {0};
	int r;

	r = make_all(&m, survey);
	if (r < 0)
		return ft_error_set(err, r, 0, 0, "no memory for the snapshot");
	*ret_snapshot = FT_STEAL(m.s);
	return 0;
}
