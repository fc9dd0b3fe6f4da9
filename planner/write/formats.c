/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/formats.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/write/choice.h"
#include "planner/draw/draw.h"
#include "planner/plan/tree.h"

static int write_text(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		      const struct ft_catalog *catalog, struct ft_error *err)
{
	(void)err;
	ft_plan_write_text(text, design, plan, catalog);
	return 0;
}

static int write_json(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		      const struct ft_catalog *catalog, struct ft_error *err)
{
	(void)catalog;
	(void)err;
	return ft_plan_write_design(text, design, plan);
}

static int write_csv(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		     const struct ft_catalog *catalog, struct ft_error *err)
{
	(void)design;
	(void)catalog;
	(void)err;
	ft_csv_header(text, plan->tree->levels, plan->label != NULL);
	return ft_csv_plan(text, plan);
}

static int write_svg(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		     const struct ft_catalog *catalog, struct ft_error *err)
{
	(void)catalog;
	return ft_draw_svg(text, design, plan, NULL, err);
}

static int write_dot(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		     const struct ft_catalog *catalog, struct ft_error *err)
{
	(void)catalog;
	return ft_draw_dot(text, design, plan, NULL, err);
}

/* A design knows no host's GUID. */
static int write_opensm_cns(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			    const struct ft_catalog *catalog, struct ft_error *err)
{
	(void)text;
	(void)design;
	(void)plan;
	(void)catalog;
	return ft_error_set(err, -EINVAL, 0, 0,
			    "the GUIDs of hosts are in no design: give a snapshot or dump of the fabric with --from");
}

static const struct ft_format formats[] = {
	{"text", .write = write_text, .islands = true},
	{"json", .write = write_json, .islands = true},
	{"csv", .write = write_csv},
	{"cables", .write = ft_write_cables, .islands = true},
	{"bom", .write = ft_write_bom},
	{"ibsim", .write = ft_write_ibsim, .islands = true, .infiniband = true},
	{"ibdm", .write = ft_write_ibdm, .infiniband = true},
	{"ibnl", .write = ft_write_ibnl, .infiniband = true},
	{"slurm", .write = ft_write_slurm},
	{"opensm", .write = ft_write_opensm, .infiniband = true},
	{"opensm-cn", .write = write_opensm_cns, .infiniband = true},
	{"dot", .write = write_dot},
	{"svg", .write = write_svg},
	{"vlans", .tables = ft_write_vlans},
	{"macs", .tables = ft_write_macs},
	{"linux-bridge", .tables = ft_write_linux_bridge},
	{"openvswitch", .tables = ft_write_openvswitch},
	{"switch-settings", .tables = ft_write_switch_settings},
};

const struct ft_format *ft_format_find(const char *name)
{
	for (size_t i = 0; i < FT_COUNT(formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

static int switch_find(const struct ft_plan *plan, const char *name, uint32_t *ret_switch, struct ft_error *err)
{
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (strcmp(plan->switches[i].name, name) == 0) {
			*ret_switch = i;
			return 0;
		}
	return ft_error_set(err, -EINVAL, 0, 0, "the plan has no switch \"%s\" (--switch)", name);
}

static int tables_write(const struct ft_format *format, struct ft_text *text, const struct ft_design *design,
			const struct ft_plan *plan, const char *only, struct ft_error *err)
{
	_cleanup_(ft_ethernet_release) struct ft_ethernet ethernet = {0};
	uint32_t sw = FT_NONE;
	int r = ft_ethernet_make(design, plan, &ethernet, err);

	if (r == 0 && only)
		r = switch_find(&ethernet.plan, only, &sw, err);
	return r < 0 ? r : format->tables(text, &ethernet, sw);
}

int ft_format_write(const struct ft_format *format, struct ft_text *text, const struct ft_design *design,
		    const struct ft_plan *plan, const struct ft_catalog *catalog, const char *only,
		    struct ft_error *err)
{
	struct ft_plan tree = ft_plan_tree(plan);

	if (format->tables)
		return tables_write(format, text, design, plan, only, err);
	if (format->infiniband && plan->technology != FT_TECHNOLOGY_INFINIBAND)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "the form \"%s\" is of InfiniBand alone, and this plan is of Ethernet switches",
				    format->name);
	return format->write(text, design, format->islands ? plan : &tree, catalog, err);
}
