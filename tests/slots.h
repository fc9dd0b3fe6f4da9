/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A wire without a cable, for one test program (the linker's --wrap): requests wait in slots until the program's own
 * __wrap_ft_smp_receive_until() answers them. Opening and sending are the program's, too.
 */
#ifndef FT_TESTS_SLOTS_H
#define FT_TESTS_SLOTS_H

#include <errno.h>
#include <string.h>

#include "probe/port.h"
#include "probe/smp.h"

static struct {
	struct ft_smp_request requests[FT_SMP_SLOTS_MAX];
	bool busy[FT_SMP_SLOTS_MAX];
	size_t pending;
	struct ft_smp_count count;
} slots;

int __wrap_ft_port_choose(const char *ca, int port, struct ft_port_choice *ret_choice, struct ft_error *err);
int __wrap_ft_smp_open(const struct ft_smp_options *options, struct ft_smp_wire **ret_wire, struct ft_error *err);
void __wrap_ft_smp_close(struct ft_smp_wire *unused);
size_t __wrap_ft_smp_pending(const struct ft_smp_wire *unused);
struct ft_smp_count __wrap_ft_smp_count(const struct ft_smp_wire *unused);
int __wrap_ft_smp_send(struct ft_smp_wire *unused, const struct ft_smp_request *request);
bool __wrap_ft_smp_receive_until(struct ft_smp_wire *unused, int64_t until_ns, struct ft_smp_answer *ret_answer);

int __wrap_ft_port_choose(const char *ca, int port, struct ft_port_choice *ret_choice, struct ft_error *err)
{
	(void)ca;
	(void)port;
	(void)err;
	*ret_choice = (struct ft_port_choice){.ca = "fake0", .port = 1};
	return 0;
}

void __wrap_ft_smp_close(struct ft_smp_wire *unused)
{
	(void)unused;
}

size_t __wrap_ft_smp_pending(const struct ft_smp_wire *unused)
{
	(void)unused;
	return slots.pending;
}

struct ft_smp_count __wrap_ft_smp_count(const struct ft_smp_wire *unused)
{
	(void)unused;
	return slots.count;
}

static inline struct ft_smp_wire *slots_open(void)
{
	memset(slots.busy, 0, sizeof(slots.busy));
	slots.pending = 0;
	slots.count = (struct ft_smp_count){0};
	return (struct ft_smp_wire *)&slots;
}

/* The slot, or -EBUSY. */
static inline int slots_take(const struct ft_smp_request *request)
{
	for (int i = 0; i < FT_SMP_SLOTS_MAX; i++) {
		if (slots.busy[i])
			continue;
		slots.busy[i] = true;
		slots.requests[i] = *request;
		slots.pending++;
		slots.count.mads++;
		return i;
	}
	return -EBUSY;
}

static inline const struct ft_smp_request *slots_free(unsigned int slot)
{
	slots.busy[slot] = false;
	slots.pending--;
	return &slots.requests[slot];
}

#endif
