/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/ethernet/macs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mac.h"
#include "base/text.h"
#include "planner/plan/names.h"
#include "planner/plan/wiring.h"

/* Locally administered (IEEE 802: the second lowest bit of the first byte), so no maker has given it away. */
#define MADE_UP_FIRST 0x020000000001ULL

void ft_macs_release(struct ft_macs *macs)
{
	free(macs->list);
	ft_map_release(&macs->hosts);
	*macs = (struct ft_macs){0};
}

/* Whose address each entry is. */
struct finding {
	const struct ft_plan *plan;
	struct ft_wiring wiring;
	uint32_t host_count;
	char **names; /* of the hosts, then of the switches */
	const char **switch_names;
	struct ft_names hosts, switches;
	struct ft_map ports; /* by (switch, port): the host */
	uint32_t next;	     /* host of the next bare address */
	struct ft_error *err;
};

static void finding_release(struct finding *f)
{
	for (uint32_t i = 0; f->names && i < f->host_count; i++)
		free(f->names[i]);
	free(f->names);
	free(f->switch_names);
	ft_names_release(&f->hosts);
	ft_names_release(&f->switches);
	ft_map_release(&f->ports);
	ft_wiring_release(&f->wiring);
}

static int names_make(struct finding *f)
{
	const struct ft_plan *plan = f->plan;
	char buffer[FT_HOST_NAME_SIZE];
	int r;

	f->names = calloc(f->host_count + 1UL, sizeof(*f->names));
	f->switch_names = calloc(plan->switch_count + 1UL, sizeof(*f->switch_names));
	if (!f->names || !f->switch_names)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->host_count; i++) {
		f->names[i] = strdup(ft_wiring_host_name(plan, &f->wiring, i, buffer));
		if (!f->names[i])
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < plan->switch_count; i++)
		f->switch_names[i] = plan->switches[i].name;
	r = ft_names_make((const char *const *)f->names, f->host_count, &f->hosts);
	return r < 0 ? r : ft_names_make(f->switch_names, plan->switch_count, &f->switches);
}

static int ports_make(struct finding *f)
{
	for (uint32_t i = 0; i < f->plan->switch_count; i++)
		for (uint32_t k = 0; k < f->plan->switches[i].hosts; k++) {
			uint32_t host = f->wiring.first_host[i] + k;
			int r = ft_map_add(&f->ports, (uint64_t)i << 32 | f->wiring.hosts[host].port, host, NULL);

			if (r < 0)
				return r;
		}
	return 0;
}

static int finding_make(struct finding *f)
{
	int r;

	f->host_count = ft_plan_host_total(f->plan);
	r = ft_wiring_make(f->plan, &f->wiring);
	if (r == 0)
		r = names_make(f);
	return r < 0 ? r : ports_make(f);
}

static int name_unknown(const struct finding *f, const char *what, const char *name, int found, const char *near)
{
	if (found == -ENOMEM)
		return -ENOMEM;
	if (found == 1)
		return ft_error_set(f->err, -EINVAL, 0, 0, "the plan has no %s \"%s\"; did you mean \"%s\"?", what,
				    name, near);
	return ft_error_set(f->err, -EINVAL, 0, 0, "the plan has no %s \"%s\"", what, name);
}

static int host_by_name(const struct finding *f, const char *name, uint32_t *ret_host)
{
	uint32_t host = ft_names_find_exact(&f->hosts, name), near = 0;

	if (host == FT_NONE) {
		int found = ft_names_find(&f->hosts, name, &near, NULL);

		return name_unknown(f, "host", name, found, f->names[near]);
	}
	if (f->hosts.next_exact[host] != FT_NONE && strcmp(f->names[f->hosts.next_exact[host]], name) == 0)
		return ft_error_set(f->err, -EINVAL, 0, 0,
				    "the plan has \"%s\" at several ports: give the \"edge\" and the \"port\"", name);
	*ret_host = host;
	return 0;
}

static int host_by_port(const struct finding *f, const struct ft_design_end *end, uint32_t *ret_host)
{
	uint32_t sw = ft_names_find_exact(&f->switches, end->name), near = 0, host;

	if (sw == FT_NONE) {
		int found = ft_names_find(&f->switches, end->name, &near, NULL);

		return name_unknown(f, "switch", end->name, found, f->switch_names[near]);
	}
	host = ft_map_get(&f->ports, (uint64_t)sw << 32 | end->port);
	if (host == FT_NONE)
		return ft_error_set(f->err, -EINVAL, 0, 0, "the plan has no host at port %u of %s", end->port,
				    end->name);
	*ret_host = host;
	return 0;
}

static int host_find(struct finding *f, const struct ft_design_mac *entry, uint32_t *ret_host)
{
	if (entry->host)
		return host_by_name(f, entry->host, ret_host);
	if (entry->edge.name)
		return host_by_port(f, &entry->edge, ret_host);
	if (f->next >= f->host_count)
		return ft_error_set(f->err, -EINVAL, 0, 0, "this is one address more than the plan has hosts: %u",
				    f->host_count);
	*ret_host = f->next++;
	return 0;
}

static int mac_compare(const void *one, const void *other)
{
	const struct ft_mac_of *x = one, *y = other;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return (x->mac > y->mac) - (x->mac < y->mac);
}

static int mac_take(struct finding *f, const struct ft_design_mac *entry, struct ft_macs *macs)
{
	uint32_t host = 0, there = 0;
	int r = host_find(f, entry, &host);

	if (r < 0)
		return r;
	r = ft_map_add(&macs->hosts, entry->mac, host, &there);
	if (r < 0)
		return r;
	if (r == 0) {
		_cleanup_(ft_text_release) struct ft_text mac = {0};

		ft_mac_add(&mac, entry->mac);
		return ft_error_set(f->err, -EINVAL, 0, 0, "%s is the address of %s already", ft_text_string(&mac),
				    f->names[there]);
	}
	macs->list[macs->count++] = (struct ft_mac_of){entry->mac, host};
	return 0;
}

/* A host without an address would be flooded to by everybody. */
static int all_have_one(const struct finding *f, const struct ft_macs *macs)
{
	uint32_t lacking = 0, first = 0;
	size_t i = 0;

	for (uint32_t host = 0; host < f->host_count; host++) {
		if (i >= macs->count || macs->list[i].host != host) {
			first = lacking++ == 0 ? host : first;
			continue;
		}
		while (i < macs->count && macs->list[i].host == host)
			i++;
	}
	if (lacking == 0)
		return 0;
	if (lacking == 1)
		return ft_error_set(f->err, -EINVAL, 0, 0, "%s has no address: what is sent to it would be flooded",
				    f->names[first]);
	return ft_error_set(f->err, -EINVAL, 0, 0,
			    "%s and %u more hosts have no address: what is sent to them would be flooded",
			    f->names[first], lacking - 1);
}

static int said_take(const struct ft_plan *plan, const struct ft_design_mac *entries, size_t count,
		     struct ft_macs *macs, size_t *ret_fault, struct ft_error *err)
{
	_cleanup_(finding_release) struct finding f = {.plan = plan, .err = err};
	int r = finding_make(&f);

	for (size_t i = 0; r == 0 && i < count; i++) {
		r = mac_take(&f, &entries[i], macs);
		if (r == -EINVAL)
			*ret_fault = i;
	}
	if (r < 0)
		return r;
	qsort(macs->list, macs->count, sizeof(*macs->list), mac_compare);
	return all_have_one(&f, macs);
}

static int make_up(struct ft_macs *macs, uint32_t hosts)
{
	int r = 0;

	macs->made_up = true;
	for (uint32_t i = 0; r >= 0 && i < hosts; i++) {
		macs->list[macs->count++] = (struct ft_mac_of){MADE_UP_FIRST + i, i};
		r = ft_map_add(&macs->hosts, MADE_UP_FIRST + i, i, NULL);
	}
	return r < 0 ? r : 0;
}

int ft_macs_make(const struct ft_plan *plan, const struct ft_design_mac *entries, size_t count,
		 struct ft_macs *ret_macs, size_t *ret_fault, struct ft_error *err)
{
	_cleanup_(ft_macs_release) struct ft_macs macs = {0};
	uint32_t hosts = ft_plan_host_total(plan);
	int r;

	*ret_fault = SIZE_MAX;
	macs.list = calloc((entries ? count : hosts) + 1, sizeof(*macs.list));
	if (!macs.list)
		return -ENOMEM;
	r = entries ? said_take(plan, entries, count, &macs, ret_fault, err) : make_up(&macs, hosts);
	if (r < 0)
		return r;
	*ret_macs = macs;
	macs = (struct ft_macs){0};
	return 0;
}
