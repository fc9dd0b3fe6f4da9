/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * To be preloaded: a umad device of its own, no simulator behind it, with a small fabric on it and a device that
 * answers as more switches than there can be. It stands in for libibumad.
 *
 * The fabric is a star: edge001 of 36 ports, GUID 0x100, with hosts node001 (where the program runs), node002 and
 * node003 in its ports 1 to 3, and the device in port 36. All other ports are down.
 *
 *   FT_ENDLESS       what the device is; each of its switches has 254 ports, and all of them are up:
 *     tree           behind each port one more switch, and so on
 *     clique         2^40 switches, each cabled to 254 others, which are cabled to each other
 *     table          the same of 2^17 switches, which say in their tables of port states, too, that all is up
 *     flood          one switch, which gives another GUID whenever it is asked
 *     none           there is no device in port 36
 *   FT_ENDLESS_NAMES set: descriptions of 64 bytes that are no text
 *   FT_ENDLESS_PULL  a file: while it is there, port 3 of edge001 is down
 *   FT_ENDLESS_COUNT a file to which each process adds, at exit, a line with the number of packets it sent
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	PACKET_SIZE = sizeof(struct ib_user_mad) + 256,
	PACKETS = 4096,
	HOPS_MAX = 63,
	STATE_TABLE = 0x34,
	STAR_PORTS = 36,
	HOSTS = 3,
	DEVICE_PORT = 36,
	PORTS = 254,
	PARENT_PORT = 254, /* of the device's first switch: where edge001 is */
	RESPONSE = 0x80,
	REFUSED = 0x000c, /* no such attribute or modifier */
	DIRECTION = 0x8000,
	TABLE_BITS = 17,
	CLIQUE_BITS = 40,
};

enum kind { TREE, CLIQUE, TABLE, FLOOD, NONE, KINDS };

static const char *const kind_names[KINDS] = {"tree", "clique", "table", "flood", "none"};

/* Who answers at the end of a path. */
struct node {
	enum { HOST, STAR, DEVICE } what;
	unsigned int number;  /* of a host */
	uint64_t id;	      /* of a switch of the device */
	unsigned int arrival; /* the port the path comes in by */
	unsigned int depth;   /* of a tree: ports below the first switch, which is 0 */
	uint8_t way[HOPS_MAX + 1];
};

struct packet {
	uint8_t bytes[PACKET_SIZE];
	int length;
	int agent;
};

static struct {
	struct packet queue[PACKETS]; /* a ring */
	size_t first, count;
	int event;
	int agents;
	enum kind kind;
	bool ready, names;
	uint64_t flood, sent;
} own;

static void count_sent(void)
{
	const char *path = getenv("FT_ENDLESS_COUNT");
	int fd = path && own.sent ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;

	if (fd >= 0)
		dprintf(fd, "%llu\n", (unsigned long long)own.sent);
}

static void prepare(void)
{
	const char *name = getenv("FT_ENDLESS");

	if (own.ready)
		return;
	own.ready = true;
	own.names = getenv("FT_ENDLESS_NAMES") != NULL;
	while (own.kind < KINDS && (!name || strcmp(kind_names[own.kind], name) != 0))
		own.kind++;
	if (own.kind == KINDS) {
		fprintf(stderr, "FT_ENDLESS is not set to any kind of device\n");
		abort();
	}
	atexit(count_sent);
}

static bool is_pulled(unsigned int port)
{
	const char *path = getenv("FT_ENDLESS_PULL");

	return port == HOSTS && path && access(path, F_OK) == 0;
}

static uint64_t mixed(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* ---- where a path leads ---- */

static void tree_id(struct node *n)
{
	n->id = 1;
	for (unsigned int i = 0; i < n->depth; i++)
		n->id = mixed(n->id * 257 + n->way[i]);
}

static void step_tree(struct node *n, unsigned int port)
{
	if (port == 1 && n->depth > 0) {
		n->arrival = n->way[--n->depth];
	} else {
		n->way[n->depth++] = (uint8_t)port;
		n->arrival = 1;
	}
	tree_id(n);
}

/* The two ends of a cable have the same port number, and their ids differ by what that number says. */
static void step_clique(struct node *n, unsigned int port, unsigned int bits)
{
	n->id ^= mixed(port) & ((1ULL << bits) - 1);
	n->arrival = port;
}

static bool step_device(struct node *n, unsigned int port)
{
	bool first = own.kind == TREE ? n->depth == 0 : n->id == 0;

	if (port == 0 || port > PORTS)
		return false;
	if (first && port == PARENT_PORT && own.kind != FLOOD) {
		*n = (struct node){.what = STAR, .arrival = DEVICE_PORT};
		return true;
	}
	if (own.kind == TREE)
		step_tree(n, port);
	else if (own.kind != FLOOD)
		step_clique(n, port, own.kind == TABLE ? TABLE_BITS : CLIQUE_BITS);
	return true;
}

static bool step_star(struct node *n, unsigned int port)
{
	if (port >= 1 && port <= HOSTS && !is_pulled(port)) {
		*n = (struct node){.what = HOST, .number = port, .arrival = 1};
		return true;
	}
	if (port != DEVICE_PORT || own.kind == NONE)
		return false;
	*n = (struct node){.what = DEVICE, .arrival = PARENT_PORT};
	if (own.kind == TREE)
		tree_id(n);
	return true;
}

/* False: nobody is there. */
static bool follow(const uint8_t *path, unsigned int hops, struct node *n)
{
	*n = (struct node){.what = HOST, .number = 1, .arrival = 1};
	for (unsigned int i = 1; i <= hops; i++) {
		bool there = false;

		if (n->what == STAR)
			there = step_star(n, path[i]);
		else if (n->what == DEVICE)
			there = step_device(n, path[i]);
		else if (i == 1 && path[i] == 1)
			there = true, *n = (struct node){.what = STAR, .arrival = 1};
		if (!there)
			return false;
	}
	return true;
}

/* ---- what it answers ---- */

static uint64_t guid_of(const struct node *n)
{
	if (n->what == HOST)
		return 0x1000 + n->number;
	if (n->what == STAR)
		return 0x100;
	return 0xbad0000000000000ULL | ((own.kind == FLOOD ? ++own.flood : n->id) & 0xffffffffffffULL);
}

static void say_node(const struct node *n, uint8_t *data)
{
	uint64_t guid = guid_of(n);

	mad_set_field(data, 0, IB_NODE_BASE_VERS_F, 1);
	mad_set_field(data, 0, IB_NODE_CLASS_VERS_F, 1);
	mad_set_field(data, 0, IB_NODE_TYPE_F, n->what == HOST ? IB_NODE_CA : IB_NODE_SWITCH);
	mad_set_field(data, 0, IB_NODE_NPORTS_F, n->what == HOST ? 1 : n->what == STAR ? STAR_PORTS : PORTS);
	mad_set_field64(data, 0, IB_NODE_GUID_F, guid);
	mad_set_field64(data, 0, IB_NODE_PORT_GUID_F, guid);
	mad_set_field64(data, 0, IB_NODE_SYSTEM_GUID_F, guid);
	mad_set_field(data, 0, IB_NODE_LOCAL_PORT_F, n->arrival);
}

static void say_description(const struct node *n, char *data)
{
	if (n->what == HOST)
		snprintf(data, 64, "node%03u HCA-1", n->number);
	else if (n->what == STAR)
		snprintf(data, 64, "edge001");
	else if (own.names)
		memset(data, 0x9b, 64);
	else
		snprintf(data, 64, "made up %012llx", (unsigned long long)n->id);
}

static bool port_is_up(const struct node *n, unsigned int port)
{
	if (n->what != STAR)
		return true;
	return port == 0 || (port <= HOSTS && !is_pulled(port)) || (port == DEVICE_PORT && own.kind != NONE);
}

static void say_port(const struct node *n, unsigned int port, uint8_t *data)
{
	bool up = port_is_up(n, port);

	mad_set_field(data, 0, IB_PORT_LID_F, n->what == HOST ? n->number + 1 : n->what == STAR ? 1 : 0);
	mad_set_field(data, 0, IB_PORT_SMLID_F, 2);
	mad_set_field(data, 0, IB_PORT_CAPMASK_F, own.kind == TABLE && n->what == DEVICE ? 1 << 15 : 0);
	mad_set_field(data, 0, IB_PORT_CAPMASK2_F, own.kind == TABLE && n->what == DEVICE ? 1 << 3 : 0);
	mad_set_field(data, 0, IB_PORT_PHYS_STATE_F, up ? 5 : 2);
	mad_set_field(data, 0, IB_PORT_STATE_F, up ? 4 : 1);
	mad_set_field(data, 0, IB_PORT_LINK_WIDTH_SUPPORTED_F, 3);
	mad_set_field(data, 0, IB_PORT_LINK_WIDTH_ENABLED_F, 3);
	mad_set_field(data, 0, IB_PORT_LINK_WIDTH_ACTIVE_F, 2);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_SUPPORTED_F, 7);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_ENABLED_F, 7);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_ACTIVE_F, 4);
}

/* Returns the status of the answer. */
static uint16_t answer(const struct node *n, const struct umad_smp *smp, uint8_t *data)
{
	unsigned int modifier = ntohl(smp->attr_mod);

	switch (ntohs(smp->attr_id)) {
	case UMAD_SM_ATTR_NODE_INFO:
		say_node(n, data);
		return 0;
	case UMAD_SM_ATTR_NODE_DESC:
		say_description(n, (char *)data);
		return 0;
	case UMAD_SM_ATTR_PORT_INFO:
		say_port(n, n->what == HOST ? 1 : modifier, data);
		return 0;
	case UMAD_SM_ATTR_SWITCH_INFO:
		/* LinearFDBCap and LinearFDBTop: as much as there can be. */
		memset(data, 0xff, 2);
		return 0;
	case UMAD_SM_ATTR_LINEAR_FT:
		memset(data, 1, 64);
		return 0;
	case STATE_TABLE:
		memset(data, 0x44, 64);
		return 0;
	default:
		return REFUSED;
	}
}

/* ---- the calls of libibumad ---- */

int umad_init(void)
{
	prepare();
	return 0;
}

int umad_done(void)
{
	return 0;
}

int umad_get_cas_names(char cas[][UMAD_CA_NAME_LEN], int max)
{
	if (max < 1)
		return 0;
	snprintf(cas[0], UMAD_CA_NAME_LEN, "fake0");
	return 1;
}

int umad_get_port(const char *ca_name, int portnum, umad_port_t *port)
{
	(void)ca_name;
	(void)portnum;
	*port = (umad_port_t){.ca_name = "fake0",
			      .portnum = 1,
			      .base_lid = 2,
			      .sm_lid = 2,
			      .state = 4,
			      .phys_state = 5,
			      .rate = 40,
			      .port_guid = htobe64(0x1001),
			      .link_layer = "InfiniBand"};
	return 0;
}

int umad_release_port(umad_port_t *port)
{
	(void)port;
	return 0;
}

int umad_get_ca(const char *ca_name, umad_ca_t *ca)
{
	static umad_port_t port;

	if (ca_name && strcmp(ca_name, "fake0") != 0)
		return -ENODEV;
	*ca = (umad_ca_t){.ca_name = "fake0", .node_type = 1, .numports = 1, .node_guid = htobe64(0x1001)};
	umad_get_port("fake0", 1, &port);
	ca->ports[1] = &port;
	return 0;
}

int umad_release_ca(umad_ca_t *ca)
{
	(void)ca;
	return 0;
}

int umad_open_port(const char *ca_name, int portnum)
{
	(void)ca_name;
	(void)portnum;
	prepare();
	own.first = own.count = 0;
	own.event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC | EFD_SEMAPHORE);
	return own.event < 0 ? -errno : own.event;
}

int umad_close_port(int portid)
{
	return close(portid);
}

int umad_get_fd(int portid)
{
	return portid;
}

int umad_register(int portid, int mgmt_class, int mgmt_version, uint8_t rmpp_version,
		  long method_mask[16 / sizeof(long)])
{
	(void)portid;
	(void)mgmt_class;
	(void)mgmt_version;
	(void)rmpp_version;
	(void)method_mask;
	return own.agents++ % UMAD_CA_MAX_AGENTS;
}

int umad_unregister(int portid, int agentid)
{
	(void)portid;
	(void)agentid;
	return 0;
}

int umad_send(int portid, int agentid, void *umad, int length, int timeout_ms, int retries)
{
	struct packet *p = &own.queue[(own.first + own.count) % PACKETS];
	const uint64_t one = 1;
	struct umad_smp *smp;
	struct node node;

	(void)timeout_ms;
	(void)retries;
	own.sent++;
	if (own.count == PACKETS || (size_t)length + umad_size() > sizeof(p->bytes))
		return -ENOBUFS;
	memcpy(p->bytes, umad, umad_size() + (size_t)length);
	p->length = length;
	p->agent = agentid;
	smp = umad_get_mad(p->bytes);
	if (smp->mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE && smp->hop_cnt <= HOPS_MAX &&
	    follow(smp->initial_path, smp->hop_cnt, &node)) {
		((struct ib_user_mad *)p->bytes)->status = 0;
		smp->method = UMAD_METHOD_GET_RESP;
		memset(smp->data, 0, sizeof(smp->data));
		smp->status = htons(DIRECTION | answer(&node, smp, smp->data));
	} else {
		((struct ib_user_mad *)p->bytes)->status = ETIMEDOUT;
	}
	own.count++;
	return write(portid, &one, sizeof(one)) == sizeof(one) ? 0 : -EIO;
}

int umad_poll(int portid, int timeout_ms)
{
	struct pollfd fd = {.fd = portid, .events = POLLIN};

	return poll(&fd, 1, timeout_ms) == 1 ? 0 : -ETIMEDOUT;
}

int umad_recv(int portid, void *umad, int *length, int timeout_ms)
{
	const struct packet *p = &own.queue[own.first];
	uint64_t one;

	/* Every answer is there at once: where there is none, none will come. */
	if (timeout_ms > 0 && own.count == 0)
		umad_poll(portid, timeout_ms);
	if (own.count == 0)
		return timeout_ms < 0 ? -EIO : -EWOULDBLOCK;
	if (read(portid, &one, sizeof(one)) != sizeof(one))
		return -EIO;
	memcpy(umad, p->bytes, umad_size() + (size_t)(p->length < *length ? p->length : *length));
	*length = p->length;
	own.first = (own.first + 1) % PACKETS;
	own.count--;
	return p->agent;
}
