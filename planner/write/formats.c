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
	{"text", write_text, true},
	{"json", write_json, true},
	{"csv", write_csv, false},
	{"cables", ft_write_cables, true},
	{"bom", ft_write_bom, false},
	{"ibsim", ft_write_ibsim, true},
	{"ibdm", ft_write_ibdm, false},
	{"ibnl", ft_write_ibnl, false},
	{"slurm", ft_write_slurm, false},
	{"opensm", ft_write_opensm, false},
	{"opensm-cn", write_opensm_cns, false},
	{"dot", write_dot, false},
	{"svg", write_svg, false},
};

const struct ft_format *ft_format_find(const char *name)
{
	for (size_t i = 0; i < FT_COUNT(formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

int ft_format_write(const struct ft_format *format, struct ft_text *text, const struct ft_design *design,
		    const struct ft_plan *plan, const struct ft_catalog *catalog, struct ft_error *err)
{
	struct ft_plan tree = ft_plan_tree(plan);

	return format->write(text, design, format->islands ? plan : &tree, catalog, err);
}
