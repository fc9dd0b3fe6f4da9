/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/formats.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/plan/wiring.h"

/*
 * Systems that come with ibutils: switches of one chip, and a host with one port. A system of ours has a board "sw"
 * that the topology file chooses by the number of its ports, as one file can define one system only.
 */
#define HOST_SYSTEM "MT25204"
#define OWN_SYSTEM "FTSWITCH"

static const struct {
	uint32_t ports;
	const char *name;
} known_systems[] = {
	{8, "MTS800"},
	{24, "MTS2400"},
	{36, "MTS3600"},
};

static const char *system_name(uint32_t ports)
{
	for (size_t i = 0; i < FT_COUNT(known_systems); i++)
		if (known_systems[i].ports == ports)
			return known_systems[i].name;
	return OWN_SYSTEM;
}

static int check_switches(const struct ft_plan *plan, struct ft_error *err)
{
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (ft_plan_is_director(plan, i))
			return ft_error_set(err, -EINVAL, 0, 0,
					    "the %s switches of this plan, of %u ports, are directors, which ibdmchk "
					    "knows by their chips only",
					    ft_tier_name(plan->switches[i].tier), plan->switches[i].ports);
	return 0;
}

struct topology {
	struct ft_text *text;
	const struct ft_design *design;
	const struct ft_plan *plan;
	struct ft_wiring wiring;
	struct ft_plain_names names;
};

static void topology_release(struct topology *t)
{
	ft_wiring_release(&t->wiring);
	ft_plain_names_release(&t->names);
}

static void write_heading(const struct topology *t)
{
	ft_text_puts(t->text, "# Topology of the intended fabric \"");
	ft_text_add_safe(t->text, t->design->name, strlen(t->design->name));
	ft_text_puts(t->text, "\", written by ftplan\n");
	for (uint32_t i = 0; i < t->plan->switch_count; i++) {
		const char *name = t->plan->switches[i].name;

		if (strcmp(name, t->names.names[i]) == 0)
			continue;
		ft_text_printf(t->text, "# %s is \"", t->names.names[i]);
		ft_text_add_safe(t->text, name, strlen(name));
		ft_text_puts(t->text, "\"\n");
	}
	ft_text_puts(t->text, "\n");
}

static void write_bundle(const struct topology *t, uint32_t index)
{
	const struct ft_plan_bundle *bundle = &t->plan->bundles[index];
	const struct ft_wire *wires = &t->wiring.cables[t->wiring.first_cable[index]];

	for (uint32_t k = 0; k < bundle->count; k++)
		ft_text_printf(t->text, "   P%u -> %s %s P%u\n", wires[k].a_port,
			       system_name(t->plan->switches[bundle->b].ports), t->names.names[bundle->b],
			       wires[k].b_port);
}

/* Each cable is listed at its lower end. */
static void write_system(const struct topology *t, uint32_t index)
{
	const struct ft_plan_switch *sw = &t->plan->switches[index];
	const char *system = system_name(sw->ports);
	char host[FT_HOST_NAME_SIZE];

	ft_text_printf(t->text, "%s %s", system, t->names.names[index]);
	if (strcmp(system, OWN_SYSTEM) == 0)
		ft_text_printf(t->text, " CFG: sw=%u", sw->ports);
	ft_text_puts(t->text, "\n");
	for (uint32_t i = 0; i < sw->hosts; i++)
		ft_text_printf(t->text, "   P%u -> " HOST_SYSTEM " %s P1\n",
			       t->wiring.hosts[t->wiring.first_host[index] + i].port,
			       ft_plan_host_name(t->plan, t->wiring.first_host[index] + i, host));
	for (uint32_t i = t->wiring.first_bundle[index]; i < t->wiring.first_bundle[index + 1]; i++)
		if (t->plan->bundles[t->wiring.bundles[i]].a == index)
			write_bundle(t, t->wiring.bundles[i]);
	ft_text_puts(t->text, "\n");
}

int ft_write_ibdm(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		  const struct ft_catalog *catalog, struct ft_error *err)
{
	_cleanup_(topology_release) struct topology t = {.text = text, .design = design, .plan = plan};
	int r = check_switches(plan, err);

	(void)catalog;
	if (r == 0)
		r = ft_wiring_make(plan, &t.wiring);
	if (r == 0)
		r = ft_plain_names_make(plan, NULL, &t.names);
	if (r < 0)
		return r;
	write_heading(&t);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		write_system(&t, i);
	return ft_text_failed(text) ? -ENOMEM : 0;
}

static void write_board(struct ft_text *text, uint32_t ports)
{
	ft_text_printf(text, "SYSTEM BOARD:%u\n\nNODE SW %u " OWN_SYSTEM " U1\n", ports, ports);
	for (uint32_t port = 1; port <= ports; port++)
		ft_text_printf(text, "%u -> P%u\n", port, port);
	ft_text_puts(text, "\n");
}

/* A plug without a port behind it is passed over, so the largest board's plugs do for all. */
int ft_write_ibnl(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		  const struct ft_catalog *catalog, struct ft_error *err)
{
	bool boards[FT_PORTS_MAX + 1] = {false};
	uint32_t most = 0;
	int r = check_switches(plan, err);

	(void)design;
	(void)catalog;
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		boards[plan->switches[i].ports] = true;
	for (uint32_t ports = 1; ports <= FT_PORTS_MAX; ports++)
		if (boards[ports]) {
			write_board(text, ports);
			most = ports;
		}
	ft_text_puts(text, "TOPSYSTEM " OWN_SYSTEM "\n\nSUBSYSTEM BOARD sw\n");
	for (uint32_t port = 1; port <= most; port++)
		ft_text_printf(text, "P%u -> P%u\n", port, port);
	return ft_text_failed(text) ? -ENOMEM : 0;
}
