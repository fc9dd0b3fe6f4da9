/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/cmd/gather.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/moment.h"
#include "base/text.h"
#include "planner/site/sheet.h"
#include "planner/write/phases.h"
#include "probe/archive.h"
#include "probe/names.h"
#include "probe/recording.h"
#include "probe/snapshot_build.h"
#include "probe/source.h"
#include "verify/model/bounds.h"
#include "verify/model/ethernet.h"
#include "verify/cmd/complain.h"
#include "verify/report/resolve.h"
#include "verify/model/verify.h"
#include "verify/cmd/waiting.h"
#include "verify/since/since.h"

void ft_gathered_release(struct ft_gathered *g)
{
	ft_design_free(g->design);
	ft_plan_free(g->plan);
	ft_phases_free(g->phases);
	ft_snapshot_free(g->snapshot);
	ft_snapshot_free(g->since);
	ft_sms_free(g->sms);
	ft_counters_free(g->counters);
	ft_routes_free(g->routes);
	ft_lanes_free(g->lanes);
	ft_baseline_free(g->baseline);
	ft_device_changes_release(&g->changes);
}

static int design_take(const struct ft_options *options, struct ft_design **ret_design, struct ft_plan **ret_plan)
{
	_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = NULL;
	struct ft_error err = {0};
	int r;

	if (options->catalog) {
		r = ft_catalog_load(options->catalog, &catalog, &err);
		if (r < 0)
			return ft_file_error(options->catalog, r, &err);
	}
	r = ft_design_load_with(options->plan, catalog, ret_design, ret_plan, &err);
	return r < 0 ? ft_file_error(options->plan, r, &err) : 0;
}

/* ---- recordings ---- */

/* With the note, if there is one, as a warning. Returns 0 or -errno with @err filled. */
static int recording_load(const struct ft_options *options, const char *name, struct ft_snapshot **ret_snapshot,
			  struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text note = {0};
	struct ft_error warning = {0};
	int r = ft_recording_load(name, options->state_directory, ret_snapshot, &note, err);

	if (r < 0 || note.length == 0)
		return r;
	ft_error_set(&warning, 0, 0, 0, "%s", ft_text_string(&note));
	ft_file_error(name, 0, &warning);
	return 0;
}

/* The recording takes the place of a design, called by the name of its file, or by its time. */
static int since_plan(const struct ft_options *options, struct ft_gathered *g, struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	const char *slash = strrchr(options->since, '/'), *name = slash ? slash + 1 : options->since;
	char time[FT_TIME_SIZE];
	int r;

	if (ft_names_moment(options->since) && ft_time_string(g->since->source.time_s, time) == 0)
		name = time;
	r = ft_since_plan(g->since, name, &text, err);
	if (r < 0)
		return r;
	ft_design_free(FT_STEAL(g->design));
	ft_plan_free(FT_STEAL(g->plan));
	return ft_design_read(ft_text_string(&text), text.length, &g->design, &g->plan, err);
}

static int since_take(const struct ft_options *options, const struct ft_names *names, struct ft_gathered *g)
{
	struct ft_error err = {0};
	int r;

	r = recording_load(options, options->since, &g->since, &err) ?: ft_names_apply(names, g->since)
		?: since_plan(options, g, &err);
	return r < 0 ? ft_file_error(options->since, r, &err) : 0;
}

/* Finds the changes of devices first: the plan is then made anew of the recording that they amended. */
static int since_amend(const struct ft_options *options, struct ft_gathered *g)
{
	struct ft_error err = {0};
	int r = ft_since_changes(g->since, g->snapshot, &g->changes);

	if (r == 0 && g->changes.amended)
		r = since_plan(options, g, &err);
	return r < 0 ? ft_file_error(options->since, r, &err) : 0;
}

/* Hints for interactive users. */
static int live_error(const struct ft_sweep_options *sweep, int code, const struct ft_error *why)
{
	struct ft_error err = *why;
	enum ft_engine_reason reason;

	if (code == -ENODEV)
		ft_error_set(&err, code, 0, 0, "%s; to check a recorded fabric, add --from FILE", why->text);
	else if (code == -ETIMEDOUT)
		ft_error_set(&err, code, 0, 0, "%s; allow more than %u s with --deadline%s", why->text,
			     sweep->deadline_ms / 1000,
			     ft_sweep_engine(sweep, &reason) == FT_ENGINE_LIBIBNETDISC ? ", or try --engine libibumad"
										       : "");
	return ft_file_error("ftcheck", code, &err);
}

/* As the user has it, and what the plan says of the fabric. */
static struct ft_sweep_options sweep_of(const struct ft_options *options, const struct ft_plan *plan)
{
	struct ft_sweep_options sweep = options->sweep;

	ft_bounds_sweep(plan, &sweep);
	return sweep;
}

/* Only once, for any number of ports: a fabric without a subnet manager has no other errors. */
static void lids_tell(const char *path, const struct ft_snapshot_source *source)
{
	struct ft_error err = {.line = source->odd_lid_line, .column = 1};

	if (source->odd_lids == 0)
		return;
	ft_error_set(
		&err, 0, source->odd_lid_line, 1,
		"%u %s empty, negative or 65535, which is none%s: was the subnet manager done when this was recorded?",
		source->odd_lids, source->odd_lids == 1 ? "LID is" : "LIDs are",
		source->odd_lids > 1 && source->odd_lid_line ? ", the first one here" : "");
	ft_file_error(path, 0, &err);
}

bool ft_gathers_lanes(const struct ft_options *options)
{
	return options->routes && options->route_path_count == 0 && !options->from;
}

/* All of --from: one recording, or the files of several machines. */
static int recordings_load(const struct ft_options *options, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_free_ const char **paths = NULL;

	if (options->more_from_count == 0)
		return recording_load(options, options->from, ret_snapshot, err);
	paths = calloc(options->more_from_count + 1, sizeof(*paths));
	if (!paths)
		return -ENOMEM;
	paths[0] = options->from;
	for (size_t i = 0; i < options->more_from_count; i++)
		paths[i + 1] = options->more_from[i];
	return ft_source_load_all(paths, options->more_from_count + 1, ret_snapshot, err);
}

/* What cannot be had of an Ethernet fabric. */
static int technology_check(const struct ft_options *options, const struct ft_plan *plan, struct ft_error *err)
{
	if (plan->technology != FT_TECHNOLOGY_ETHERNET)
		return 0;
	if (!options->from)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "the plan is of Ethernet switches: add --from with what their machines print for "
				    "\"lldpcli show neighbors -f json\", a file each; ftcheckd watches such files");
	if (options->routes)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "--routes follows the forwarding tables of InfiniBand, and the plan is of Ethernet "
				    "switches: ftplan --walk follows the tables of these");
	return 0;
}

static int snapshot_take(const struct ft_options *options, const struct ft_plan *plan,
			 struct ft_snapshot **ret_snapshot, struct ft_routes **ret_routes)
{
	const struct ft_sweep_options sweep = sweep_of(options, plan);
	struct ft_error err = {0};
	int r = technology_check(options, plan, &err);

	if (r < 0)
		return ft_file_error("ftcheck", r, &err);
	if (options->from) {
		r = recordings_load(options, ret_snapshot, &err) ?: ft_ethernet_fit(plan, *ret_snapshot);
		if (r < 0)
			return ft_file_error(err.file ? err.file : options->from, r, &err);
		lids_tell(options->from, &(*ret_snapshot)->source);
		return 0;
	}
	if (ft_gathers_lanes(options))
		r = ft_sweep_routes(&sweep, ret_snapshot, ret_routes, &err);
	else
		r = ft_sweep(&sweep, ret_snapshot, &err);
	return r < 0 ? live_error(&sweep, r, &err) : 0;
}

static int routes_take(const struct ft_options *options, const struct ft_snapshot *snapshot,
		       struct ft_routes **ret_routes, struct ft_lanes **ret_lanes)
{
	_cleanup_(ft_text_release) struct ft_text faults = {0};
	_cleanup_free_ char *file = NULL;
	struct ft_error err = {0};
	int r;

	if (options->route_path_count == 0)
		return 0;
	r = ft_routes_load(options->route_paths, options->route_path_count, snapshot, ret_routes, ret_lanes, &faults,
			   &file, &err);
	/* One damaged table must not suppress the faults of the others. */
	fputs(ft_text_string(&faults), stderr);
	return r < 0 ? ft_file_error(file ? file : "--routes", r, &err) : 0;
}

static int names_take(const struct ft_options *options, struct ft_names **ret_names)
{
	struct ft_error err = {0};
	int r = ft_names_load(options->names, ret_names, &err);

	return r < 0 ? ft_file_error(err.file ? err.file : "--node-name-map", r, &err) : 0;
}

static int names_give(const struct ft_names *names, struct ft_snapshot *snapshot)
{
	int r = ft_names_apply(names, snapshot);

	return r < 0 ? ft_file_error("--node-name-map", r, &(struct ft_error){0}) : 0;
}

static int snapshot_keep(const char *path, const struct ft_snapshot *snapshot)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_snapshot_write_json(&text, snapshot);
	return ft_text_out(path, &text);
}

/* The live queries in addition to the sweep. */
static int extras_take(const struct ft_options *options, const struct ft_snapshot *snapshot, struct ft_gathered *g)
{
	const struct ft_sweep_options sweep = sweep_of(options, g->plan);
	struct ft_error err = {0};
	int r = 0;

	if (options->sm)
		r = ft_sms_ask(&sweep, snapshot, &g->sms, &err);
	if (r == 0 && options->counters_ms)
		r = ft_counters_read(&sweep, snapshot, options->counters_ms, &g->counters, &err);
	return r < 0 ? live_error(&sweep, r, &err) : 0;
}

/* Merges the site's list of cables into the design and the plan. Skipped rows are reported on one line. */
static int cables_take(const struct ft_options *options, const struct ft_snapshot *snapshot, struct ft_design *design,
		       struct ft_plan *plan)
{
	_cleanup_(ft_sheet_release) struct ft_sheet sheet = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};
	int r;

	r = ft_sheet_load(options->cables, &sheet, &err)
		    ?: ft_resolve_cables(snapshot, options->cables, &sheet, design, plan, options->verbose, &text,
					 &err);
	if (r < 0)
		return ft_file_error(options->cables, r, &err);
	if (text.length > 0)
		ft_waiting_end();
	fputs(ft_text_string(&text), stderr);
	return 0;
}

/* The baseline from an earlier fabric, by the same plan. */
static int baseline_take(const struct ft_options *options, const struct ft_gathered *g, const struct ft_names *names,
			 struct ft_baseline **ret_baseline)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	struct ft_error err = {0};
	int r;

	r = recording_load(options, options->before, &snapshot, &err) ?: ft_names_apply(names, snapshot);
	if (r == 0)
		r = ft_verify_all(&(struct ft_verify_input){.design = g->design,
							    .plan = g->plan,
							    .snapshot = snapshot,
							    .today = "",
							    .phases = g->phases,
							    .day = g->day,
							    .building = g->phases != NULL,
							    .without_impact = true},
				  &report);
	if (r == 0) {
		report->time_s = snapshot->source.time_s;
		memcpy(report->plan_hash, g->design->hash, sizeof(report->plan_hash));
		r = ft_baseline_learn(ret_baseline, snapshot, report, 0);
	}
	return r < 0 ? ft_file_error(options->before, r, &err) : 0;
}

/* What is due is judged as of the day on which the fabric was seen. */
static int phases_take(const struct ft_options *options, struct ft_gathered *g)
{
	int64_t seen_s = g->snapshot->source.time_s ? g->snapshot->source.time_s : (int64_t)time(NULL);
	struct ft_error err = {0};
	int r = ft_phases_make(g->design, g->plan, &g->phases, &err);

	if (r < 0)
		return ft_file_error(options->plan, r, &err);
	if (options->day)
		memcpy(g->day, options->day, sizeof(g->day));
	else
		r = ft_day_string(seen_s, g->day);
	return r < 0 ? ft_file_error("ftcheck", r, &err) : 0;
}

int ft_gather(const struct ft_options *options, struct ft_gathered *ret)
{
	_cleanup_(ft_names_freep) struct ft_names *names = NULL;
	int r = names_take(options, &names);

	if (r == 0 && options->since)
		r = since_take(options, names, ret);
	else if (r == 0)
		r = design_take(options, &ret->design, &ret->plan);
	if (r == 0)
		r = snapshot_take(options, ret->plan, &ret->snapshot, &ret->routes)
			    ?: routes_take(options, ret->snapshot, &ret->routes, &ret->lanes);
	if (r == 0 && options->save)
		r = snapshot_keep(options->save, ret->snapshot);
	/* The raw snapshot is saved: the name map is applied when it is read. */
	if (r == 0)
		r = names_give(names, ret->snapshot);
	if (r == 0 && options->since)
		r = since_amend(options, ret);
	if (r == 0)
		r = extras_take(options, ret->snapshot, ret);
	if (r == 0 && options->cables)
		r = cables_take(options, ret->snapshot, ret->design, ret->plan);
	if (r == 0)
		r = phases_take(options, ret);
	if (r == 0 && options->before)
		r = baseline_take(options, ret, names, &ret->baseline);
	return r;
}

int ft_gather_lanes(const struct ft_options *options, const struct ft_lane_wants *wants, struct ft_gathered *g)
{
	const struct ft_sweep_options sweep = sweep_of(options, g->plan);
	struct ft_error err = {0};
	int r = ft_lanes_ask(&sweep, g->snapshot, wants, &g->lanes, &err);

	return r < 0 ? live_error(&sweep, r, &err) : 0;
}
