/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "planner/cmd/ftplan_workload.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "planner/cmd/ftplan_display.h"

/* ---- options ---- */

void ft_workload_options_init(struct ft_workload_options *options)
{
	*options = (struct ft_workload_options){.model = ft_work_model_default()};
	for (int i = 0; i < FT_WORK_SIDES; i++)
		options->placements[i].automatic = true;
}

int ft_workload_parse(struct ft_workload_options *options, const char *argument, struct ft_error *err)
{
	return ft_workload_read(argument, &options->list, err);
}

int ft_workload_parse_routing(struct ft_workload_options *options, const char *argument, struct ft_error *err)
{
	if (ft_work_routing_read(argument, &options->model.routing) == 0)
		return 0;
	return ft_error_set(err, -EINVAL, 0, 0, "takes static, adaptive or minimal");
}

/* One for both networks, or one each. */
int ft_workload_parse_placement(struct ft_workload_options *options, const char *argument, struct ft_error *err)
{
	const char *comma = strchr(argument, ',');
	_cleanup_free_ char *first = comma ? strndup(argument, (size_t)(comma - argument)) : strdup(argument);

	if (!first)
		return -ENOMEM;
	options->two_placements = comma != NULL;
	if (ft_placement_read(first, &options->placements[0]) == 0 &&
	    ft_placement_read(comma ? comma + 1 : first, &options->placements[1]) == 0)
		return 0;
	return ft_error_set(err, -EINVAL, 0, 0,
			    "takes auto, consecutive or a block such as 5x4, or two of them: 5x4,consecutive");
}

static int parse_ns(const char *argument, double *ret_ns, struct ft_error *err)
{
	enum { MOST_NS = 1000000000 };
	char *end = NULL;
	double value = strtod(argument, &end);

	if (argument[0] && argument[strspn(argument, "0123456789.")] == '\0' && *end == '\0' && isfinite(value) &&
	    value <= MOST_NS) {
		*ret_ns = value;
		return 0;
	}
	return ft_error_set(err, -EINVAL, 0, 0, "takes nanoseconds, from 0 to %d", MOST_NS);
}

int ft_workload_parse_switch_latency(struct ft_workload_options *options, const char *argument, struct ft_error *err)
{
	return parse_ns(argument, &options->model.switch_latency_ns, err);
}

int ft_workload_parse_host_overhead(struct ft_workload_options *options, const char *argument, struct ft_error *err)
{
	return parse_ns(argument, &options->model.host_overhead_ns, err);
}

/* ---- progress ---- */

static void messages_tell(void *data, const char *side, const char *workload, uint64_t done, uint64_t messages)
{
	_cleanup_free_ char *safe = ft_text_safe_dup(side, strlen(side));

	ft_display_tell(data, "%s on %s: %llu of %llu messages", workload, safe ? safe : "", (unsigned long long)done,
			(unsigned long long)messages);
}

/* ---- the run ---- */

struct sides {
	struct ft_work_side of[FT_WORK_SIDES];
};

static void sides_release(struct sides *sides)
{
	for (int i = 0; i < FT_WORK_SIDES; i++)
		ft_work_side_release(&sides->of[i]);
}

static void result_write(struct ft_text *text, const char *format, const struct ft_work_model *model,
			 const struct ft_work_side *sides, const struct ft_work_result *result)
{
	if (strcmp(format, "json") == 0)
		ft_work_write_json(text, model, sides, result);
	else if (strcmp(format, "csv") == 0)
		ft_work_write_csv(text, model, sides, result);
	else
		ft_work_write_text(text, model, sides, result);
}

int ft_workload_work(const struct ft_workload_options *options, const struct ft_design *design,
		     const struct ft_plan *plan, const struct ft_catalog *catalog, const char *format,
		     struct ft_text *text, const char **ret_path, struct ft_error *err)
{
	_cleanup_(ft_design_freep) struct ft_design *other_design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *other_plan = NULL;
	_cleanup_(sides_release) struct sides sides = {0};
	struct ft_display display = ft_display_begin();
	const struct ft_work_progress progress = {messages_tell, &display};
	struct ft_work_result result;
	uint32_t count = options->against ? 2 : 1;
	int r = ft_work_side_make(design, plan, options->placements[0], &sides.of[0], err);

	if (r == 0 && options->against) {
		*ret_path = options->against;
		r = ft_design_load_with(options->against, catalog, &other_design, &other_plan, err);
		if (r == 0)
			r = ft_work_side_make(other_design, other_plan, options->placements[1], &sides.of[1], err);
	}
	if (r < 0)
		return r;
	r = ft_work_run(&options->model, &options->list, sides.of, count, display.terminal ? &progress : NULL, &result,
			err);
	ft_display_end(&display);
	if (r == 0)
		result_write(text, format, &options->model, sides.of, &result);
	return r;
}
