/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/measure/throughput.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "planner/flow/throughput.h"
#include "verify/measure/observed.h"

enum {
	MILLION = 1000000,
	STEPS_MAX = 800000000, /* of each search: some two seconds at most */
};

static const double gap_wanted = 0.005;

static struct ft_ratio share_of(double share)
{
	double bounded = share < 0 ? 0 : share > 1 ? 1 : share;

	return (struct ft_ratio){(int64_t)(bounded * MILLION + 0.5), MILLION};
}

/* 0; 1 where there is no traffic; or -ENOMEM. */
static int throughput_of(const struct ft_design *design, const struct ft_plan *plan, struct ft_throughput *ret)
{
	_cleanup_free_ double *capacity = NULL;
	struct ft_throughput_ask ask = {.traffic = FT_TRAFFIC_ALL_TO_ALL, .gap = gap_wanted, .steps_max = STEPS_MAX};
	int r = ft_throughput_capacity(design, plan, &capacity);

	if (r < 0)
		return r;
	ask.capacity = capacity;
	r = ft_throughput(plan, &ask, ret);
	return r == -EINVAL ? 1 : r;
}

/* ---- one finding ---- */

static void lack_take(struct ft_plan_bundle *bundles, uint32_t count, const struct ft_lack *lack)
{
	for (uint32_t i = 0; i < count; i++)
		if ((bundles[i].a == lack->a && bundles[i].b == lack->b) ||
		    (bundles[i].a == lack->b && bundles[i].b == lack->a))
			bundles[i].count -= bundles[i].count < lack->cables ? bundles[i].count : lack->cables;
}

/* Its hosts are not counted, as nobody sends to them. */
static void switch_take(struct ft_plan *plan, uint32_t index)
{
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		if (plan->bundles[i].a == index || plan->bundles[i].b == index)
			plan->bundles[i].count = 0;
	plan->switches[index].hosts = 0;
}

/* The plan without what is lost by that finding. */
static int finding_measure(const struct ft_verify_input *input, const struct ft_throughput *planned,
			   struct ft_finding *f)
{
	_cleanup_(ft_plan_variant_freep) struct ft_plan *plan = ft_plan_variant(input->plan);
	struct ft_throughput left;
	int r;

	if (!plan)
		return -ENOMEM;
	for (size_t i = 0; i < f->lack_count; i++)
		lack_take(plan->bundles, plan->bundle_count, &f->lacks[i]);
	for (size_t i = 0; i < f->gone_count; i++)
		switch_take(plan, f->gone[i]);
	r = throughput_of(input->design, plan, &left);
	if (r != 0)
		return r;
	/* Less than both gaps leave open is nothing. */
	if (left.bound < planned->value)
		f->impact.throughput_lost = share_of(1 - left.value / planned->value);
	return 0;
}

static int findings_measure(const struct ft_verify_input *input, const struct ft_throughput *planned,
			    struct ft_report *report)
{
	uint32_t measured = 0;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < report->finding_count && measured < FT_THROUGHPUT_FINDINGS; i++) {
		struct ft_finding *f = &report->findings[i];

		if (f->lack_count == 0 && f->gone_count == 0)
			continue;
		measured++;
		r = finding_measure(input, planned, f);
	}
	return r < 0 ? r : 0;
}

/* ---- all of them ---- */

int ft_throughput_measure(struct ft_model *m)
{
	struct ft_report *report = m->report;
	const struct ft_verify_input *input = m->input;
	_cleanup_(ft_plan_variant_freep) struct ft_plan *observed = ft_observed_plan(m);
	struct ft_throughput planned, found;
	int r = observed ? throughput_of(input->design, input->plan, &planned) : -ENOMEM;

	if (r == 0)
		r = throughput_of(input->design, observed, &found);
	if (r != 0)
		return r < 0 ? r : 0;
	report->throughput.planned = share_of(planned.value);
	report->throughput.found = share_of(found.value);
	report->throughput.gap = share_of(planned.gap > found.gap ? planned.gap : found.gap);
	report->throughput.measured = true;
	return planned.value > 0 ? findings_measure(input, &planned, report) : 0;
}
