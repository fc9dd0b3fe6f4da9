/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The numbers of each rank and step: switches, bundles and uplinks. The steps are alike; but the design has one rule to
 * spread uplinks for all of them, so they choose it together.
 */
#include "config.h"

#include <errno.h>

#include "verify/infer/infer_parts.h"

struct step {
	struct ft_columns columns;
	uint32_t lowers; /* that an upper switch is cabled to */
	uint32_t usual;	 /* the most frequent number of uplinks */
	struct ft_spread_rule rule;
};

struct steps {
	struct step step[FT_STEPS_MAX];
	uint32_t count;
};

/* ---- switches ---- */

static void edges_tell(struct ft_inference *f)
{
	f->design.count[0] = f->count[0];
	ft_text_printf(&f->why[FT_WHY_EDGE], "%u %s with hosts, or cabled like those with hosts", f->count[0],
		       ft_infer_plural(f->count[0], "switch", "switches"));
}

static void cores_tell(struct ft_inference *f)
{
	f->design.count[1] = f->count[1];
	ft_text_printf(&f->why[FT_WHY_CORE], "%u %s that most of the edge switches are cabled to", f->count[1],
		       ft_infer_plural(f->count[1], "switch", "switches"));
}

static void pods_tell(struct ft_inference *f, const struct ft_tally *edges)
{
	struct ft_inferred *d = &f->design;
	struct ft_text *why = &f->why[FT_WHY_PODS];

	ft_text_printf(why, "edge switches that are cabled to the same spines are a pod: %u %s,", f->fit.groups[0],
		       ft_infer_plural(f->fit.groups[0], "pod", "pods"));
	for (uint32_t size = edges->end; size-- > 1;) {
		if (edges->votes[size] == 0)
			continue;
		ft_text_printf(why, "%s %u of %u edge %s", d->pod_kinds ? "," : "", edges->votes[size], size,
			       ft_infer_plural(size, "switch", "switches"));
		if (d->pod_kinds < FT_POD_KINDS_MAX)
			d->pod_kind[d->pod_kinds++] = (struct ft_pod_kind){edges->votes[size], size};
		else
			d->pod_kind[FT_POD_KINDS_MAX - 1].count += edges->votes[size];
	}
}

static void planes_tell(struct ft_inference *f, const struct ft_tally *spines, const struct ft_tally *cores)
{
	uint32_t per_pod = ft_tally_mode(spines, 1), per_plane = ft_tally_mode(cores, 1);

	f->design.count[1] = f->fit.groups[0] * per_pod;
	f->design.count[2] = f->fit.groups[1] * per_plane;
	ft_tally_tell(&f->why[FT_WHY_SPINE], spines, per_pod, "pods", "spine", "spines");
	ft_text_printf(
		&f->why[FT_WHY_SPINE],
		"; spines that are cabled to the same core switches are a plane: %u %s, with %u spine%s of each pod",
		f->fit.groups[1], ft_infer_plural(f->fit.groups[1], "plane", "planes"), f->fit.share,
		ft_text_s(f->fit.share));
	ft_tally_tell(&f->why[FT_WHY_CORE], cores, per_plane, "planes", "core switch", "core switches");
}

static int groups_tell(struct ft_inference *f)
{
	struct ft_tally edges, spines, cores;
	int r = ft_fit_group_tally(f, &f->fit, 0, 0, &edges) ?: ft_fit_group_tally(f, &f->fit, 0, 1, &spines)
		?: ft_fit_group_tally(f, &f->fit, 1, 2, &cores);

	if (r < 0)
		return r;
	pods_tell(f, &edges);
	planes_tell(f, &spines, &cores);
	return 0;
}

/* ---- cables ---- */

/* The most frequent number of uplinks of a step, which swaps and misplaced cables do not change. */
static uint32_t usual_uplinks(const struct ft_inference *f, uint32_t step)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < f->count[step]; i++)
		ft_tally_add(&tally, ft_fit_cables_within(f, &f->fit, step, f->member[step][i]));
	return ft_tally_mode(&tally, 1);
}

/* The lower switches of the largest group; above pods, each has its share in a group. */
static int lowers_count(const struct ft_inference *f, uint32_t step, uint32_t *ret_lowers)
{
	const uint32_t *sizes = ft_fit_group_sizes(f, &f->fit, step, step);

	if (!sizes)
		return -ENOMEM;
	*ret_lowers = step > 0 ? f->fit.groups[step - 1] * f->fit.share : 0;
	for (uint32_t g = 0; step == 0 && g < f->fit.groups[step]; g++)
		*ret_lowers = sizes[g] > *ret_lowers ? sizes[g] : *ret_lowers;
	return 0;
}

/* From the top down: an upper switch needs ports for its own uplinks. */
static int steps_find(const struct ft_inference *f, struct steps *steps)
{
	uint32_t up = 0;
	int r = 0;

	steps->count = f->fit.ranks - 1;
	for (uint32_t s = steps->count; r == 0 && s-- > 0;) {
		struct step *step = &steps->step[s];
		uint32_t ports = f->design.ports[s + 1];

		step->usual = usual_uplinks(f, s);
		r = lowers_count(f, s, &step->lowers) ?: ft_fit_columns(f, &f->fit, s, &step->columns);
		if (r == 0)
			step->columns.room = ports > up ? (ports - up) / step->lowers : 0;
		up = step->usual;
	}
	return r;
}

/* A rule for each step by itself, or the same for all; -ERANGE if none fits. */
static int steps_rules(const struct ft_inference *f, const struct ft_spread_rule *like, struct steps *steps)
{
	uint32_t below = 1; /* ports that lead down; a switch of rank 0 has one host at least */
	int r = 0;

	for (uint32_t s = 0; r == 0 && s < steps->count; s++) {
		struct step *step = &steps->step[s];

		r = ft_infer_rule(&step->columns, step->usual, f->design.ports[s] - below, like, &step->rule);
		below = step->rule.widest * step->lowers;
	}
	return r;
}

/* The step that gives the design its rule: the first with unlike bundles; equal ones fit any rule. */
static const struct ft_spread_rule *steps_uneven(const struct steps *steps)
{
	uint32_t s = 0;

	while (s + 1 < steps->count && ft_infer_rule_is_equal(&steps->step[s].rule))
		s++;
	return &steps->step[s].rule;
}

static bool steps_agree(const struct steps *steps)
{
	const struct ft_spread_rule *uneven = steps_uneven(steps);

	for (uint32_t s = 0; s < steps->count; s++) {
		const struct ft_spread_rule *rule = &steps->step[s].rule;

		if (!ft_infer_rule_is_equal(rule) &&
		    (rule->spread != uneven->spread || rule->multiple != uneven->multiple))
			return false;
	}
	return true;
}

/* The simplest of the rules for all steps with the fewest surplus and missing cables. */
static int steps_choose(const struct ft_inference *f, struct steps *steps)
{
	struct ft_spread_rule like = {.spread = FT_SPREAD_EVEN};
	uint64_t least = UINT64_MAX;
	struct steps trial = *steps;
	uint32_t widest = 0;
	int r = steps_rules(f, NULL, &trial);

	if (r < 0 || steps_agree(&trial)) {
		*steps = trial;
		return r;
	}
	for (uint32_t s = 0; s < trial.count; s++)
		widest = trial.step[s].rule.widest > widest ? trial.step[s].rule.widest : widest;
	while (like.multiple <= widest) {
		uint64_t cost = 0;

		r = steps_rules(f, &like, &trial);
		for (uint32_t s = 0; r == 0 && s < trial.count; s++)
			cost += trial.step[s].rule.cost;
		if (r == 0 && cost < least) {
			least = cost;
			*steps = trial;
		}
		if (like.spread == FT_SPREAD_EVEN) {
			like.spread = FT_SPREAD_THICK;
			continue;
		}
		like.multiple = like.spread == FT_SPREAD_THICK ? 2 : like.multiple + 1;
		like.spread = FT_SPREAD_MULTIPLE;
	}
	return least < UINT64_MAX ? 0 : -ERANGE;
}

static void steps_tell(struct ft_inference *f, const struct steps *steps)
{
	/* By ranks and step: the pairs, and the upper switches. */
	static const struct {
		const char *pairs, *uppers;
	} words[FT_RANKS_MAX + 1][FT_STEPS_MAX] = {
		[2] = {{"edge-core pairs", "core switches"}},
		[3] = {{"pairs of an edge switch and a spine of its pod", "spines of the pod"},
		       {"pairs of a spine and a core switch of its plane", "core switches of the plane"}},
	};
	struct ft_inferred *d = &f->design;

	d->spread = steps_uneven(steps)->spread;
	d->multiple = steps_uneven(steps)->multiple;
	for (uint32_t s = 0; s < steps->count; s++) {
		const struct ft_spread_rule *rule = &steps->step[s].rule;

		d->bundle[s] = rule->pinned ? rule->bundle : 0;
		d->up[s] = rule->uplinks;
		ft_text_puts(&f->why[FT_WHY_BUNDLE], s > 0 ? "; " : "");
		ft_infer_rule_tell(&f->why[FT_WHY_BUNDLE], rule, &steps->step[s].columns, words[f->fit.ranks][s].pairs,
				   words[f->fit.ranks][s].uppers);
	}
}

int ft_infer_steps(struct ft_inference *f)
{
	struct steps steps = {0};
	bool single = f->fit.ranks == 2;
	int r = 0;

	edges_tell(f);
	if (single)
		cores_tell(f);
	else
		r = groups_tell(f);
	if (r == 0)
		r = steps_find(f, &steps);
	if (r < 0)
		return r;
	if (steps_choose(f, &steps) < 0)
		return -EINVAL;
	if (single)
		r = ft_infer_unseen_cores(f, &steps.step[0].columns, steps.step[0].usual, &steps.step[0].rule);
	if (r < 0)
		return r;
	f->design.count[1] += f->unseen[1];
	steps_tell(f, &steps);
	return 0;
}
