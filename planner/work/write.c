/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The times of workloads, with all that they depend on: text, JSON, CSV (ftplan(1), WORKLOADS). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "planner/work/work.h"

const char *ft_work_time(double time_ns, char buffer[FT_WORK_TIME_SIZE])
{
	static const struct {
		double ns;
		const char *name;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
	size_t i = 0;

	while (time_ns < units[i].ns)
		i++;
	snprintf(buffer, FT_WORK_TIME_SIZE, "%.4g %s", units[i].ns > 0 ? time_ns / units[i].ns : time_ns,
		 units[i].name);
	return buffer;
}

/* ---- text ---- */

static void write_rate(struct ft_text *text, struct ft_rate rate, bool said)
{
	char name[FT_RATE_NAME_SIZE];

	ft_text_printf(text, "%s (%.3g Gb/s%s)", ft_rate_name(rate, name), ft_rate_data_mbps(rate) / 1000.0,
		       said ? "" : ", assumed: the design says no rate");
}

static void write_side(struct ft_text *text, const struct ft_work_side *side)
{
	char placement[FT_PLACEMENT_NAME_SIZE];

	ft_text_add_safe(text, side->name, strlen(side->name));
	ft_text_printf(text, ": %u host%s, %s placement, cables ", side->tasks, ft_text_s(side->tasks),
		       ft_placement_name(side->placement, placement));
	write_rate(text, side->traffic.cable_rate, side->traffic.cable_rate_said);
	ft_text_puts(text, ", hosts ");
	write_rate(text, side->traffic.host_rate, side->traffic.host_rate_said);
	ft_text_puts(text, "\n");
	if (side->traffic.left_out > 0)
		ft_text_printf(text, "  %u host%s of other parts of this network %s left out\n", side->traffic.left_out,
			       ft_text_s(side->traffic.left_out), side->traffic.left_out == 1 ? "is" : "are");
}

static bool is_merged(const struct ft_work_row *row)
{
	return row->merged[0] > 0 || row->merged[1] > 0;
}

/* Which times are not of events one by one. */
static void write_merged(struct ft_text *text, const struct ft_work_side *sides, const struct ft_work_result *result)
{
	bool first = true;

	for (uint32_t i = 0; i < result->count; i++)
		for (uint32_t side = 0; side < result->sides; side++) {
			const struct ft_work_row *row = &result->rows[i];

			if (row->merged[side] == 0)
				continue;
			if (first)
				ft_text_printf(text, "\n~ Events within %d %% of a message's time were merged:\n",
					       FT_SIMULATE_MERGED_PERCENT);
			first = false;
			ft_text_printf(text, "  %s on ", row->name);
			ft_text_add_safe(text, sides[side].name, strlen(sides[side].name));
			ft_text_printf(text, ", for %.0f %% of the messages\n",
				       ceil(100.0 * (double)row->merged[side] / (double)row->messages));
		}
}

void ft_work_write_text(struct ft_text *text, const struct ft_work_model *model, const struct ft_work_side *sides,
			const struct ft_work_result *result)
{
	char time[FT_WORK_TIME_SIZE];

	for (uint32_t i = 0; i < result->sides; i++)
		write_side(text, &sides[i]);
	ft_text_printf(text,
		       "%s routing, switch latency %g ns, host overhead %g ns, virtual torus %u wide, seed %llu\n\n",
		       ft_routing_name(model->routing), model->switch_latency_ns, model->host_overhead_ns,
		       result->mesh_x, (unsigned long long)model->seed);
	ft_text_printf(text, "%-14s %10s %6s %12s", "workload", "messages", "bytes", "time");
	ft_text_printf(text, result->sides > 1 ? " %12s %8s\n" : "\n", "against", "ratio");
	for (uint32_t i = 0; i < result->count; i++) {
		const struct ft_work_row *row = &result->rows[i];

		ft_text_printf(text, "%-14s %10llu %6u %12s", row->name, (unsigned long long)row->messages, row->bytes,
			       ft_work_time(row->time_ns[0], time));
		if (result->sides > 1)
			ft_text_printf(text, " %12s %8.3f", ft_work_time(row->time_ns[1], time), ft_work_ratio(row));
		ft_text_puts(text, is_merged(row) ? " ~\n" : "\n");
	}
	if (result->sides > 1)
		ft_text_puts(text, "\nA ratio below 1: the first network is faster.\n");
	write_merged(text, sides, result);
}

/* ---- JSON ---- */

static void json_side(struct ft_text *text, const struct ft_work_side *side)
{
	const struct ft_work_net *t = &side->traffic;
	char buffer[FT_PLACEMENT_NAME_SIZE], rate[FT_RATE_NAME_SIZE];

	ft_text_puts(text, "    {");
	ft_text_add_member(text, "name", side->name);
	ft_text_printf(text, ", \"hosts\": %u, \"left_out\": %u, \"placement\": \"%s\",\n", side->tasks, t->left_out,
		       ft_placement_name(side->placement, buffer));
	ft_text_printf(text, "     \"cable_rate\": \"%s\", \"cable_rate_assumed\": %s, ",
		       ft_rate_name(t->cable_rate, rate), t->cable_rate_said ? "false" : "true");
	ft_text_printf(text, "\"host_rate\": \"%s\", \"host_rate_assumed\": %s}", ft_rate_name(t->host_rate, rate),
		       t->host_rate_said ? "false" : "true");
}

void ft_work_write_json(struct ft_text *text, const struct ft_work_model *model, const struct ft_work_side *sides,
			const struct ft_work_result *result)
{
	ft_text_puts(text, "{\n  \"ftplan_workload\": 1,\n");
	ft_text_printf(text,
		       "  \"model\": {\"routing\": \"%s\", \"switch_latency_ns\": %g, \"host_overhead_ns\": %g, "
		       "\"mesh_x\": %u, \"seed\": %llu},\n  \"networks\": [\n",
		       ft_routing_name(model->routing), model->switch_latency_ns, model->host_overhead_ns,
		       result->mesh_x, (unsigned long long)model->seed);
	for (uint32_t i = 0; i < result->sides; i++) {
		json_side(text, &sides[i]);
		ft_text_puts(text, i + 1 < result->sides ? ",\n" : "\n  ],\n");
	}
	ft_text_puts(text, "  \"workloads\": [\n");
	for (uint32_t i = 0; i < result->count; i++) {
		const struct ft_work_row *row = &result->rows[i];

		ft_text_printf(text,
			       "    {\"name\": \"%s\", \"messages\": %llu, \"bytes\": %u, \"time_ns\": %.17g, "
			       "\"merged\": %llu",
			       row->name, (unsigned long long)row->messages, row->bytes, row->time_ns[0],
			       (unsigned long long)row->merged[0]);
		if (result->sides > 1)
			ft_text_printf(text, ", \"time_against_ns\": %.17g, \"merged_against\": %llu, \"ratio\": %.6g",
				       row->time_ns[1], (unsigned long long)row->merged[1], ft_work_ratio(row));
		ft_text_puts(text, i + 1 < result->count ? "},\n" : "}\n");
	}
	ft_text_puts(text, "  ]\n}\n");
}

/* ---- CSV ---- */

void ft_work_write_csv(struct ft_text *text, const struct ft_work_model *model, const struct ft_work_side *sides,
		       const struct ft_work_result *result)
{
	char buffer[FT_PLACEMENT_NAME_SIZE];

	ft_text_puts(text, "workload,hosts,messages,bytes,time_ns,time_against_ns,ratio,routing,switch_latency_ns,"
			   "host_overhead_ns,mesh_x,seed,placement,placement_against,merged,merged_against\n");
	for (uint32_t i = 0; i < result->count; i++) {
		const struct ft_work_row *row = &result->rows[i];

		ft_text_printf(text, "%s,%u,%llu,%u,%.17g,", row->name, result->tasks,
			       (unsigned long long)row->messages, row->bytes, row->time_ns[0]);
		if (result->sides > 1)
			ft_text_printf(text, "%.17g,%.6g", row->time_ns[1], ft_work_ratio(row));
		else
			ft_text_puts(text, ",");
		ft_text_printf(text, ",%s,%g,%g,%u,%llu,%s,", ft_routing_name(model->routing), model->switch_latency_ns,
			       model->host_overhead_ns, result->mesh_x, (unsigned long long)model->seed,
			       ft_placement_name(sides[0].placement, buffer));
		if (result->sides > 1)
			ft_text_puts(text, ft_placement_name(sides[1].placement, buffer));
		ft_text_printf(text, ",%llu,", (unsigned long long)row->merged[0]);
		if (result->sides > 1)
			ft_text_printf(text, "%llu", (unsigned long long)row->merged[1]);
		ft_text_puts(text, "\n");
	}
}
