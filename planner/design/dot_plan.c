/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * From the machines and cables of a topology.dot to a design: who is a host, which cables exclude each other, and what
 * is written.
 *
 * Of cables that exclude each other, those kept are found by the rule of Karp and Sipser: while some port has only one
 * cable left, that one is taken; else any one is. As many as possible are kept where the cables make no circles, and
 * nearly as many else. O(n^2) for n cables of one group, of a thousand at most; else O(n log n).
 */
#include "config.h"

#include "planner/design/dot.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/interface.h"
#include "base/numbers.h"
#include "planner/design/dot_parts.h"

enum { KIND_MAX = 32, NAMED_MAX = 4 };

static bool is_self(const struct ft_dot_cable *cable)
{
	return cable->a == cable->b;
}

static struct ft_dot_machine *machine_of(const struct ft_dot *d, uint32_t port)
{
	return &d->machines[d->ports[port].machine];
}

/* ---- who is a host ---- */

static bool is_management(const struct ft_dot *d, uint32_t port)
{
	return ft_interface_is_management(ft_dot_string(d, d->ports[port].name), !machine_of(d, port)->adapters);
}

/* Cables of management ports are out. */
static void management_drop(struct ft_dot *d)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < d->port_count; i++) {
		const char *name = ft_dot_string(d, d->ports[i].name);

		if (!ft_interface_is_adapter(name) && !ft_interface_is_management(name, false))
			machine_of(d, i)->adapters = false;
	}
	for (uint32_t i = 0; i < d->cable_count; i++) {
		const struct ft_dot_cable cable = d->cables[i];

		if (is_management(d, cable.a) || is_management(d, cable.b))
			continue;
		d->cables[kept++] = cable;
		d->ports[cable.a].uses++;
		d->ports[cable.b].uses++;
		d->ports[cable.a].used = d->ports[cable.b].used = true;
	}
	d->cable_count = kept;
}

static bool begins_with_one_of(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (strncasecmp(name, *words, strlen(*words)) == 0)
			return true;
	return false;
}

static bool is_host(const struct ft_dot *d, const struct ft_dot_machine *machine, bool adapters_tell)
{
	static const char *const words[] = {"host", "server", "client", "compute", "node", NULL};

	if (machine->function)
		return begins_with_one_of(ft_dot_string(d, machine->function), words);
	return (machine->adapters && adapters_tell) || begins_with_one_of(ft_dot_string(d, machine->name), words);
}

/* A cable between two hosts would be in no network: then one of the two is a switch. */
static void hosts_tell(struct ft_dot *d)
{
	bool others = false;

	for (uint32_t i = 0; i < d->machine_count; i++)
		others |= !d->machines[i].adapters;
	for (uint32_t i = 0; i < d->machine_count; i++)
		d->machines[i].host = is_host(d, &d->machines[i], others);
	for (uint32_t i = 0; i < d->cable_count; i++) {
		struct ft_dot_machine *a = machine_of(d, d->cables[i].a), *b = machine_of(d, d->cables[i].b);

		if (a->host && b->host)
			a->host = false;
	}
}

/* ---- numbers of ports ---- */

/* The ports in use, machine by machine; the caller frees them. */
static int ports_group(struct ft_dot *d, uint32_t **ret_order)
{
	uint32_t *order = malloc((d->port_count + 1UL) * sizeof(*order)), next = 0;

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->port_count; i++)
		machine_of(d, i)->port_count += d->ports[i].used;
	for (uint32_t i = 0; i < d->machine_count; i++) {
		d->machines[i].first_port = next;
		next += d->machines[i].port_count;
		d->machines[i].port_count = 0;
	}
	for (uint32_t i = 0; i < d->port_count; i++)
		if (d->ports[i].used)
			order[machine_of(d, i)->first_port + machine_of(d, i)->port_count++] = i;
	*ret_order = order;
	return 0;
}

static int by_name(const void *a, const void *b, void *context)
{
	const struct ft_dot *d = context;

	return ft_text_natural_compare(ft_dot_string(d, d->ports[*(const uint32_t *)a].name),
				       ft_dot_string(d, d->ports[*(const uint32_t *)b].name));
}

static int ports_number(struct ft_dot *d, uint32_t *order, struct ft_error *err)
{
	const char *names[FT_INTERFACE_NUMBER_MAX];
	uint16_t numbers[FT_INTERFACE_NUMBER_MAX];

	for (uint32_t i = 0; i < d->machine_count; i++) {
		struct ft_dot_machine *machine = &d->machines[i];
		uint32_t *own = order + machine->first_port;
		int r = 0;

		if (machine->port_count > FT_INTERFACE_NUMBER_MAX)
			return ft_error_set(err, -EINVAL, 1, 1, "\"%s\" has %u ports; more than %d cannot be planned",
					    ft_dot_string(d, machine->name), machine->port_count,
					    FT_INTERFACE_NUMBER_MAX);
		for (uint32_t n = 0; n < machine->port_count; n++)
			names[n] = ft_dot_string(d, d->ports[own[n]].name);
		machine->numbered = ft_interfaces_are_numbered(names, machine->port_count, &machine->prefix);
		if (machine->numbered)
			r = ft_interfaces_number(names, machine->port_count, numbers);
		if (r < 0)
			return r;
		/* Else in natural order; "interfaces" of the design names them all. */
		if (!machine->numbered)
			qsort_r(own, machine->port_count, sizeof(*own), by_name, d);
		for (uint32_t n = 0; n < machine->port_count; n++)
			d->ports[own[n]].number = machine->numbered ? numbers[n] : (uint16_t)(n + 1);
	}
	return 0;
}

/* ---- cables that exclude each other ---- */

/* A port is contradicted if it, or one that cables join it to, has several cables, or itself at the far end. */
static int groups_tell(struct ft_dot *d, bool **ret_contradicted)
{
	_cleanup_free_ uint32_t *parent = malloc((d->port_count + 1UL) * sizeof(*parent));
	bool *contradicted = calloc(d->port_count + 1UL, sizeof(*contradicted));

	if (!parent || !contradicted) {
		free(contradicted);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < d->port_count; i++)
		parent[i] = i;
	for (uint32_t i = 0; i < d->cable_count; i++) {
		uint32_t a = ft_number_root(parent, d->cables[i].a), b = ft_number_root(parent, d->cables[i].b);

		parent[a < b ? b : a] = a < b ? a : b;
	}
	for (uint32_t i = 0; i < d->port_count; i++) {
		d->ports[i].group = ft_number_root(parent, i);
		/* A cable from a port to itself is two uses of it. */
		contradicted[d->ports[i].group] |= d->ports[i].uses > 1;
	}
	*ret_contradicted = contradicted;
	return 0;
}

static bool is_free(const struct ft_dot *d, const struct ft_dot_cable *cable)
{
	return !cable->kept && !is_self(cable) && !d->ports[cable->a].taken && !d->ports[cable->b].taken;
}

static void cable_keep(struct ft_dot *d, struct ft_dot_cable *cable)
{
	cable->kept = true;
	d->ports[cable->a].taken = d->ports[cable->b].taken = true;
}

static int by_group(const void *a, const void *b, void *context)
{
	const struct ft_dot *d = context;
	const struct ft_dot_cable *x = a, *y = b;
	uint32_t p = d->ports[x->a].group, q = d->ports[y->a].group;

	if (p != q)
		return p < q ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

/* The cables that the port of @cable with fewer of them could still have, by @left. */
static uint32_t choices_of(const struct ft_dot_cable *cable, const uint32_t *left)
{
	return left[cable->a] < left[cable->b] ? left[cable->a] : left[cable->b];
}

/*
 * Keeps cables of @cables[0 … count), which are one group: in the order of the file if there are very many, as only a
 * file that is no plan has. @left: scratch, by port.
 */
static void group_keep(struct ft_dot *d, struct ft_dot_cable *cables, uint32_t count, uint32_t *left)
{
	enum { MANY = 1000 };

	for (uint32_t i = 0; count > MANY && i < count; i++)
		if (is_free(d, &cables[i]))
			cable_keep(d, &cables[i]);
	for (;;) {
		struct ft_dot_cable *best = NULL;

		for (uint32_t i = 0; i < count; i++)
			left[cables[i].a] = left[cables[i].b] = 0;
		for (uint32_t i = 0; i < count; i++)
			if (is_free(d, &cables[i])) {
				left[cables[i].a]++;
				left[cables[i].b]++;
			}
		for (uint32_t i = 0; i < count; i++)
			if (is_free(d, &cables[i]) && (!best || choices_of(&cables[i], left) < choices_of(best, left)))
				best = &cables[i];
		if (!best)
			return;
		cable_keep(d, best);
	}
}

static int cables_keep(struct ft_dot *d)
{
	_cleanup_free_ uint32_t *left = calloc(d->port_count + 1UL, sizeof(*left));

	if (!left)
		return -ENOMEM;
	qsort_r(d->cables, d->cable_count, sizeof(*d->cables), by_group, d);
	for (uint32_t i = 0, end; i < d->cable_count; i = end) {
		for (end = i + 1;
		     end < d->cable_count && d->ports[d->cables[end].a].group == d->ports[d->cables[i].a].group; end++)
			;
		group_keep(d, d->cables + i, end - i, left);
	}
	return 0;
}

/* ---- what the file says of them ---- */

/* What contradicts itself between the same machines is told at once. */
struct contradiction {
	uint64_t machines; /* hash of their list */
	struct ft_text of, why;
	uint32_t ports; /* told so far */
};

struct contradictions {
	struct contradiction *list;
	uint32_t count, size;
	struct ft_map by_machines;
};

static void contradictions_release(struct contradictions *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		ft_text_release(&c->list[i].of);
		ft_text_release(&c->list[i].why);
	}
	free(c->list);
	ft_map_release(&c->by_machines);
}

static void safe_add(const struct ft_dot *d, struct ft_text *text, uint32_t string)
{
	ft_text_add_safe(text, ft_dot_string(d, string), strlen(ft_dot_string(d, string)));
}

static void json_add(const struct ft_dot *d, struct ft_text *text, uint32_t string)
{
	_cleanup_free_ char *safe = ft_text_safe_dup(ft_dot_string(d, string), strlen(ft_dot_string(d, string)));

	text->failed |= !safe;
	ft_text_add_json(text, safe ? safe : "");
}

static void port_add(const struct ft_dot *d, struct ft_text *text, uint32_t port)
{
	safe_add(d, text, machine_of(d, port)->name);
	ft_text_puts(text, " ");
	safe_add(d, text, d->ports[port].name);
}

/* "exit01 swp1 is given to spine01 swp5 and to spine01 swp6": the cables of one port, of its group's. */
static void port_tell(const struct ft_dot *d, struct contradiction *c, uint32_t port, const struct ft_dot_cable *cables,
		      uint32_t count)
{
	uint32_t told = 0;

	if (d->ports[port].uses < 2 || c->ports++ >= NAMED_MAX)
		return;
	ft_text_puts(&c->why, c->ports > 1 ? "; " : "");
	port_add(d, &c->why, port);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t far = cables[i].a == port ? cables[i].b : cables[i].a;

		if ((cables[i].a != port && cables[i].b != port) || told++ >= NAMED_MAX)
			continue;
		ft_text_puts(&c->why, told > 1 ? " and to " : " is given to ");
		if (far == port)
			ft_text_puts(&c->why, "itself");
		else
			port_add(d, &c->why, far);
	}
}

/* The machines at the ends of the cables, each once, in @machines, which has room for all ends. */
static uint32_t machines_list(const struct ft_dot *d, const struct ft_dot_cable *cables, uint32_t count,
			      uint32_t *machines)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		machines[2 * i] = d->ports[cables[i].a].machine;
		machines[2 * i + 1] = d->ports[cables[i].b].machine;
	}
	qsort(machines, 2UL * count, sizeof(*machines), ft_number_compare);
	for (uint32_t i = 0; i < 2 * count; i++)
		if (i == 0 || machines[i] != machines[i - 1])
			machines[kept++] = machines[i];
	return kept;
}

static int contradiction_find(const struct ft_dot *d, struct contradictions *c, const uint32_t *machines,
			      uint32_t count, struct contradiction **ret)
{
	uint64_t hash = ft_hash_bytes(machines, count * sizeof(*machines));
	struct contradiction *more;
	uint32_t at;
	int r = ft_map_add(&c->by_machines, hash, c->count, &at);

	if (r < 0)
		return r;
	if (r == 0) {
		*ret = &c->list[at];
		return 0;
	}
	more = c->count & (c->count - 1) ? c->list
					 : reallocarray(c->list, c->count ? 2UL * c->count : 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	c->list = more;
	c->list[c->count] = (struct contradiction){.machines = hash};
	for (uint32_t i = 0; i < count; i++) {
		ft_text_puts(&c->list[c->count].of, i ? ", " : "");
		json_add(d, &c->list[c->count].of, d->machines[machines[i]].name);
	}
	*ret = &c->list[c->count++];
	return 0;
}

static int group_tell(const struct ft_dot *d, struct contradictions *c, const struct ft_dot_cable *cables,
		      uint32_t count)
{
	_cleanup_free_ uint32_t *machines = malloc((2UL * count + 1) * sizeof(*machines));
	_cleanup_(ft_map_release) struct ft_map told = {0};
	struct contradiction *found = NULL;
	int r;

	if (!machines)
		return -ENOMEM;
	r = contradiction_find(d, c, machines, machines_list(d, cables, count, machines), &found);
	for (uint32_t i = 0; r >= 0 && i < 2 * count; i++) {
		uint32_t port = i % 2 ? cables[i / 2].b : cables[i / 2].a;

		r = ft_map_add(&told, port, 0, NULL);
		if (r > 0)
			port_tell(d, found, port, cables, count);
	}
	return r < 0 ? r : 0;
}

static int contradictions_tell(const struct ft_dot *d, const bool *contradicted, struct contradictions *c)
{
	int r = 0;

	for (uint32_t i = 0, end; r == 0 && i < d->cable_count; i = end) {
		uint32_t group = d->ports[d->cables[i].a].group;

		for (end = i + 1; end < d->cable_count && d->ports[d->cables[end].a].group == group; end++)
			;
		if (contradicted[group])
			r = group_tell(d, c, d->cables + i, end - i);
	}
	return r;
}

/* ---- the design ---- */

/* "leaf": the function of a switch, or its name without the number at its end, and without its domain. */
static void kind_add(const struct ft_dot *d, const struct ft_dot_machine *machine, struct ft_text *text)
{
	const char *name = ft_dot_string(d, machine->function ? machine->function : machine->name);
	size_t length = machine->function ? strlen(name) : ft_machine_short_length(name);
	char kind[KIND_MAX + 1] = "switch";

	while (length > 0 && !isalpha((unsigned char)name[length - 1]))
		length--;
	for (size_t i = 0; i < length && length <= KIND_MAX; i++) {
		if (!isalnum((unsigned char)name[i]) && !strchr("-_", name[i])) {
			strcpy(kind, "switch");
			break;
		}
		kind[i] = name[i];
		kind[i + 1] = '\0';
	}
	ft_text_add_json(text, kind);
}

/* Cables that are kept, to hosts and in all. */
struct counts {
	uint32_t hosts, cables, ports;
};

/* "swp[1-48]", or a list. Brackets in a name would be a range: such a switch has numbers only. */
static void interfaces_write(const struct ft_dot *d, const struct ft_dot_machine *machine, uint32_t ports,
			     const uint32_t *own, struct ft_text *t)
{
	const char *gap = ", \"interfaces\": [";

	for (uint32_t n = 0; n < machine->port_count; n++) {
		const char *name = ft_dot_string(d, d->ports[own[n]].name);

		for (size_t c = 0; name[c]; c++)
			if (!isgraph((unsigned char)name[c]) || strchr("[]", name[c]) || c == FT_INTERFACE_NAME_MAX)
				return;
	}
	if (machine->numbered) {
		char range[FT_INTERFACE_NAME_MAX + 16];

		snprintf(range, sizeof(range), "%.*s[1-%u]", (int)machine->prefix,
			 ft_dot_string(d, d->ports[own[0]].name), ports);
		ft_text_add_member(t, "interfaces", range);
		return;
	}
	for (uint32_t n = 0; n < machine->port_count; n++) {
		ft_text_puts(t, gap);
		json_add(d, t, d->ports[own[n]].name);
		gap = ", ";
	}
	ft_text_puts(t, "]");
}

static void switches_write(const struct ft_dot *d, const struct counts *counts, const uint32_t *order,
			   struct ft_text *t)
{
	const char *gap = "\n    ";

	ft_text_puts(t, "  \"switches\": [");
	for (uint32_t i = 0; i < d->machine_count; i++) {
		const struct ft_dot_machine *machine = &d->machines[i];

		if (machine->host || machine->port_count == 0)
			continue;
		ft_text_printf(t, "%s{\"name\": ", gap);
		json_add(d, t, machine->name);
		ft_text_puts(t, ", \"kind\": ");
		kind_add(d, machine, t);
		ft_text_printf(t, ", \"ports\": %u, \"hosts\": %u", counts[i].ports, counts[i].hosts);
		interfaces_write(d, machine, counts[i].ports, order + machine->first_port, t);
		ft_text_puts(t, "}");
		gap = ",\n    ";
	}
	ft_text_puts(t, "\n  ]");
}

/* An end of a cable; without its port where that is contradicted. */
static void end_write(const struct ft_dot *d, const bool *contradicted, const char *key, uint32_t port,
		      struct ft_text *t)
{
	ft_text_printf(t, "\"%s\": ", key);
	json_add(d, t, machine_of(d, port)->name);
	if (!contradicted[d->ports[port].group])
		ft_text_printf(t, ", \"%s_port\": %u", key, d->ports[port].number);
}

static void cables_write(const struct ft_dot *d, const bool *contradicted, struct ft_text *t)
{
	const char *gap = ",\n  \"cables\": [\n    ";
	bool any = false;

	for (uint32_t i = 0; i < d->cable_count; i++) {
		const struct ft_dot_cable *cable = &d->cables[i];

		if (!cable->kept || machine_of(d, cable->a)->host || machine_of(d, cable->b)->host)
			continue;
		ft_text_printf(t, "%s{", gap);
		end_write(d, contradicted, "a", cable->a, t);
		ft_text_puts(t, ", ");
		end_write(d, contradicted, "b", cable->b, t);
		ft_text_puts(t, "}");
		gap = ",\n    ";
		any = true;
	}
	ft_text_puts(t, any ? "\n  ]" : ",\n  \"links\": []");
}

static void hosts_write(const struct ft_dot *d, const bool *contradicted, struct ft_text *t)
{
	const char *gap = ",\n  \"hosts\": [\n    ";
	bool any = false;

	for (uint32_t i = 0; i < d->cable_count; i++) {
		const struct ft_dot_cable *cable = &d->cables[i];
		bool turn = machine_of(d, cable->a)->host;
		uint32_t host = turn ? cable->a : cable->b, port = turn ? cable->b : cable->a;

		if (!cable->kept || !machine_of(d, host)->host)
			continue;
		ft_text_printf(t, "%s{\"name\": ", gap);
		json_add(d, t, machine_of(d, host)->name);
		ft_text_puts(t, ", \"edge\": ");
		json_add(d, t, machine_of(d, port)->name);
		if (!contradicted[d->ports[port].group])
			ft_text_printf(t, ", \"port\": %u", d->ports[port].number);
		ft_text_puts(t, "}");
		gap = ",\n    ";
		any = true;
	}
	ft_text_puts(t, any ? "\n  ]" : "");
}

static void contradictions_write(const struct contradictions *c, struct ft_text *t)
{
	for (uint32_t i = 0; i < c->count; i++) {
		struct contradiction *one = &c->list[i];

		if (one->ports > NAMED_MAX)
			ft_text_printf(&one->why, "; and so on for %u more ports", one->ports - NAMED_MAX);
		ft_text_printf(t, "%s\n    {\"of\": [%s], \"why\": ", i ? "," : ",\n  \"contradictions\": [",
			       ft_text_string(&one->of));
		ft_text_add_json(t, ft_text_string(&one->why));
		ft_text_puts(t, "}");
		t->failed |= one->of.failed || one->why.failed;
	}
	ft_text_puts(t, c->count ? "\n  ]" : "");
}

static int cables_count(const struct ft_dot *d, struct counts **ret_counts)
{
	struct counts *counts = calloc(d->machine_count + 1UL, sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->port_count; i++) {
		struct counts *c = &counts[d->ports[i].machine];

		c->ports = d->ports[i].number > c->ports ? d->ports[i].number : c->ports;
	}
	for (uint32_t i = 0; i < d->cable_count; i++)
		for (unsigned int end = 0; end < 2 && d->cables[i].kept; end++) {
			uint32_t here = end ? d->cables[i].b : d->cables[i].a;
			uint32_t there = end ? d->cables[i].a : d->cables[i].b;

			counts[d->ports[here].machine].hosts += machine_of(d, there)->host;
		}
	*ret_counts = counts;
	return 0;
}

static int design_write(const struct ft_dot *d, const bool *contradicted, const uint32_t *order, struct ft_text *t)
{
	_cleanup_(contradictions_release) struct contradictions c = {0};
	_cleanup_free_ struct counts *counts = NULL;
	_cleanup_free_ char *name = ft_text_safe_dup(d->name ? d->name : "", d->name ? strlen(d->name) : 0);
	int r = contradictions_tell(d, contradicted, &c);

	if (r == 0)
		r = cables_count(d, &counts);
	if (r < 0)
		return r;
	ft_text_puts(t, "{\n  \"ftcheck\": 1,\n  ");
	ft_text_add_member(t, "name", name && name[0] ? name : "topology");
	ft_text_puts(t, ",\n  \"technology\": \"ethernet\",\n  \"vlans\": false,\n  \"topology\": \"graph\",\n");
	switches_write(d, counts, order, t);
	cables_write(d, contradicted, t);
	hosts_write(d, contradicted, t);
	contradictions_write(&c, t);
	ft_text_puts(t, "\n}\n");
	return ft_text_failed(t) ? -ENOMEM : 0;
}

int ft_dot_design(const char *text, size_t length, struct ft_text *ret_design, struct ft_error *err)
{
	_cleanup_(ft_dot_release) struct ft_dot d = {0};
	_cleanup_free_ uint32_t *order = NULL;
	_cleanup_free_ bool *contradicted = NULL;
	int r = ft_dot_read(&d, text, length, err);

	if (r < 0)
		return r;
	management_drop(&d);
	hosts_tell(&d);
	r = ports_group(&d, &order);
	if (r == 0)
		r = ports_number(&d, order, err);
	if (r == 0)
		r = groups_tell(&d, &contradicted);
	if (r == 0)
		r = cables_keep(&d);
	return r == 0 ? design_write(&d, contradicted, order, ret_design) : r;
}
