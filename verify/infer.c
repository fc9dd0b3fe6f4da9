/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/infer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer_parts.h"

static void inference_release(struct ft_inference *f)
{
	ft_infer_names_release(f);
	ft_live_release(&f->model.live);
	free(f->near_first);
	free(f->near);
	free(f->hosts);
	ft_fit_release(&f->fit);
	for (unsigned int t = 0; t < FT_TIER_COUNT; t++)
		free(f->member[t]);
	for (unsigned int i = 0; i < FT_WHY_COUNT; i++)
		ft_text_release(&f->why[i]);
}

static bool notes_failed(const struct ft_inference *f)
{
	for (unsigned int i = 0; i < FT_WHY_COUNT; i++)
		if (ft_text_failed(&f->why[i]))
			return true;
	return false;
}

/* One draft, held against the rules of design files. */
static int draft(struct ft_inference *f, const char *name, bool by_name, struct ft_text *ret_text, struct ft_error *err)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	int r;

	ft_infer_names_release(f);
	r = ft_infer_names(f, by_name);
	if (r < 0)
		return r;
	ft_text_reset(ret_text);
	ft_infer_write(ret_text, f, name);
	if (ft_text_failed(ret_text) || notes_failed(f))
		return -ENOMEM;
	return ft_design_read(ret_text->data, ret_text->length, &design, NULL, err);
}

/*
 * What people call switches may collide with what the plan calls others: "core01" for an edge. Then GUIDs have to do.
 */
static int drafts(struct ft_inference *f, const char *name, struct ft_text *ret_text, struct ft_error *err)
{
	struct ft_error why = {0};
	int r = draft(f, name, true, ret_text, &why);

	if (r == -EINVAL)
		r = draft(f, name, false, ret_text, &why);
	if (r == -EINVAL)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "no design to be inferred: the nearest one contradicts itself: %s", why.text);
	return r;
}

int ft_infer(const struct ft_snapshot *snapshot, const char *name, struct ft_text *ret_design, struct ft_error *err)
{
	_cleanup_(inference_release) struct ft_inference f = {.snapshot = snapshot};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	int r;

	r = ft_infer_graph(&f);
	if (r == 0)
		r = ft_infer_tiers(&f, err);
	if (r == 0)
		r = ft_infer_counts(&f, err);
	if (r == 0)
		r = drafts(&f, name && name[0] ? name : "fabric", &text, err);
	if (r < 0)
		return r;
	ft_text_add(ret_design, text.data, text.length);
	return ft_text_failed(ret_design) ? -ENOMEM : 0;
}
