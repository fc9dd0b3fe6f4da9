/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * To be preloaded behind ibsim's client library, for programs that subscribe to events. ibsim hands what comes unasked,
 * Reports of the SA among it, only to a client whose port is marked as an SM's. On hardware that is not so, and our
 * programs never mark it: here it is done for them as soon as they register for Reports.
 *
 * OpenSM then asks that port's SM who it is, and as nothing times out on ibsim it would wait for the answer for ever,
 * and never sweep again. So it is answered: an SM that is not active.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <endian.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <infiniband/umad_types.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CLASSES = 256,
	ATTR_SM_INFO = 0x0020,
	AT_SM_INFO = 64,
	DIRECTION = 0x8000,
};

static struct {
	int agents[CLASSES]; /* and 1 */
	uint64_t port_guid;  /* network byte order */
	int issm;	     /* descriptor and 1 */
} own;

static void *next(const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	if (!symbol) {
		fprintf(stderr, "issm: no %s\n", name);
		abort();
	}
	return symbol;
}

/* ibsim counts ten clients and does not see one go that is killed: so they take their leave. */
static void on_end(int number)
{
	(void)number;
	exit(0);
}

int umad_open_port(const char *ca_name, int portnum)
{
	int (*open_port)(const char *, int) = next("umad_open_port");
	umad_port_t port;

	memset(&own, 0, sizeof(own));
	if (umad_get_port(ca_name, portnum, &port) == 0) {
		own.port_guid = port.port_guid;
		umad_release_port(&port);
	}
	return open_port(ca_name, portnum);
}

int umad_register(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long method_mask[16 / sizeof(long)])
{
	int (*register_agent)(int, int, int, uint8_t, long[]) = next("umad_register");
	int agent = register_agent(fd, mgmt_class, mgmt_version, rmpp_version, method_mask);

	if (agent < 0)
		return agent;
	own.agents[mgmt_class % CLASSES] = agent + 1;
	/* The classes of requests to an SM have to be registered, or ibsim's library crashes when one comes. */
	if (mgmt_class != UMAD_CLASS_SUBN_ADM || !method_mask || own.issm || !own.agents[UMAD_CLASS_SUBN_LID_ROUTED] ||
	    !own.agents[UMAD_CLASS_SUBN_DIRECTED_ROUTE])
		return agent;
	signal(SIGTERM, on_end);
	own.issm = open("/dev/infiniband/issm0", O_RDWR) + 1;
	return agent;
}

int umad_close_port(int fd)
{
	int (*close_port)(int) = next("umad_close_port");

	if (own.issm)
		close(own.issm - 1);
	own.issm = 0;
	return close_port(fd);
}

static bool asks_who_is_sm(void *umad)
{
	const struct umad_hdr *mad = umad_get_mad(umad);

	return umad_status(umad) == 0 && mad->method == UMAD_METHOD_GET && ntohs(mad->attr_id) == ATTR_SM_INFO &&
	       (mad->mgmt_class == UMAD_CLASS_SUBN_LID_ROUTED || mad->mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE) &&
	       own.agents[mad->mgmt_class];
}

static void say_inactive(int fd, void *umad, size_t length)
{
	const uint64_t sm_key = htobe64(1); /* OpenSM's default: it complains of any other */
	unsigned char answer[512] = {0};
	struct umad_hdr *mad;

	if (umad_size() + length > sizeof(answer))
		return;
	memcpy(answer, umad, umad_size() + length);
	mad = umad_get_mad(answer);
	mad->method = UMAD_METHOD_GET_RESP;
	mad->status = mad->mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE ? htons(DIRECTION) : 0;
	memset((char *)mad + AT_SM_INFO, 0, 64);
	memcpy((char *)mad + AT_SM_INFO, &own.port_guid, sizeof(own.port_guid));
	memcpy((char *)mad + AT_SM_INFO + sizeof(own.port_guid), &sm_key, sizeof(sm_key));
	umad_send(fd, own.agents[mad->mgmt_class] - 1, answer, (int)length, 0, 0);
}

int umad_recv(int fd, void *umad, int *length, int timeout_ms)
{
	int (*receive)(int, void *, int *, int) = next("umad_recv");
	int agent = receive(fd, umad, length, timeout_ms);

	if (agent >= 0 && own.issm && asks_who_is_sm(umad))
		say_inactive(fd, umad, (size_t)*length);
	return agent;
}
