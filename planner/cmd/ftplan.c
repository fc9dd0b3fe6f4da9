/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The planner's program. Only this main program of planner/ uses the rooms above: --infer and --from read a fabric. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "planner/write/choice.h"
#include "planner/write/formats.h"
#include "planner/write/walk.h"
#include "planner/cmd/compare.h"
#include "planner/cmd/ftplan_display.h"
#include "planner/cmd/ftplan_options.h"
#include "planner/site/site.h"
#include "probe/names.h"
#include "probe/source.h"
#include "verify/infer/infer.h"
#include "verify/report/resolve.h"
#include "verify/model/verify.h"

static int report_error(const char *path, int code, const struct ft_error *err)
{
	if (code == -ENOMEM && !err->text[0])
		fprintf(stderr, "ftplan: out of memory\n");
	else if (err->line)
		fprintf(stderr, "%s:%u:%u: %s\n", path, err->line, err->column, err->text);
	else
		fprintf(stderr, "%s: %s\n", path, err->text);
	return FT_EXIT_UNKNOWN;
}

/* ---- the design ---- */

/* Everything that a run works with. */
struct run {
	struct ft_plan_options options;
	const char *path; /* for messages: the design file, or "ftplan" */
	struct ft_catalog *catalog;
	struct ft_design *design;
	struct ft_plan *plan;
	struct ft_snapshot *snapshot; /* of --from; NULL: none */
	struct ft_text design_text;   /* of a design made from options */
	struct ft_text out;
	int status; /* the exit status where nothing failed */
};

static void run_release(struct run *run)
{
	ft_plan_free(run->plan);
	ft_snapshot_free(run->snapshot);
	ft_design_free(run->design);
	ft_catalog_free(run->catalog);
	ft_plan_options_release(&run->options);
	ft_text_release(&run->design_text);
	ft_text_release(&run->out);
}

/* Whether the work is about the one plan of a design: a range, a choice and stages make several. */
static bool is_of_plan(enum ft_work work)
{
	return work == FT_WORK_PLAN || work == FT_WORK_THROUGHPUT || work == FT_WORK_WORKLOAD || work == FT_WORK_WALK;
}

/*
 * The catalog that is named, else the default one where the work needs one whatever the design says: choices are
 * choices from a catalog.
 */
static int catalog_load(struct run *run)
{
	const char *name = run->options.catalog;
	struct ft_error err = {0};
	int r;

	if (!name && (is_of_plan(run->options.work) || run->options.work == FT_WORK_COMPARE))
		return FT_EXIT_OK;
	if (!name)
		name = FT_CATALOG_DEFAULT;
	r = ft_catalog_load(name, &run->catalog, &err);
	return r < 0 ? report_error(name, r, &err) : FT_EXIT_OK;
}

/* The design; and its plan only where that is what is asked for: a range has no one plan. */
static int design_load(struct run *run)
{
	struct ft_plan **plan = is_of_plan(run->options.work) ? &run->plan : NULL;
	struct ft_error err = {0};
	int r, status;

	run->path = run->options.design ? run->options.design : "ftplan";
	if (run->options.design) {
		r = plan ? ft_design_load_with(run->path, run->catalog, &run->design, plan, &err)
			 : ft_design_load_unplanned(run->path, &run->design, &err);
		return r < 0 ? report_error(run->path, r, &err) : FT_EXIT_OK;
	}
	status = ft_plan_options_check_numbers(&run->options);
	if (status != FT_EXIT_OK)
		return status;
	r = ft_plan_options_design(&run->options, &run->design_text);
	if (r == 0)
		r = plan ? ft_design_read_with(run->design_text.data, run->design_text.length, run->catalog,
					       &run->design, plan, &err)
			 : ft_design_read_unplanned(run->design_text.data, run->design_text.length, &run->design, &err);
	/* There is no file whose line would help. */
	err.line = 0;
	return r < 0 ? report_error(run->path, r, &err) : FT_EXIT_OK;
}

/* ---- the work ---- */

/* The lists of OpenSM from a fabric in which the plan is found as ftcheck finds it. */
static int roots_refuse(const struct ft_resolved *found, struct ft_error *err)
{
	if (found->missing == 0)
		return 0;
	if (found->missing == 1)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "%s was not found in the fabric: repair it first, or bind its GUID",
				    found->missing_name);
	return ft_error_set(err, -EINVAL, 0, 0,
			    "%s and %zu more of its tier were not found in the fabric: repair them first, or bind "
			    "their GUIDs",
			    found->missing_name, found->missing - 1);
}

/* The routing engine of a network without roots, for the fabric as it was found. */
static int write_engine(struct run *run, const struct ft_report *report, struct ft_error *err)
{
	_cleanup_free_ uint64_t *guids = NULL;
	int r = ft_resolve_guids(run->design, run->plan, report, &guids);

	return r < 0 ? r : ft_write_opensm_engine(&run->out, run->design, run->plan, guids, err);
}

static int write_found_guids(struct run *run, const struct ft_snapshot *snapshot, struct ft_error *err)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_resolved_release) struct ft_resolved found = {0};
	bool roots = run->options.format->write == ft_write_opensm;
	struct ft_opensm_list list;
	int r;

	/* Waivers with their dates change nothing of what is where. */
	r = ft_verify(run->design, run->plan, snapshot, "", &report);
	if (r == 0 && roots && !ft_opensm_has_roots(run->plan))
		return write_engine(run, report, err);
	if (r == 0 && roots)
		r = ft_resolve_roots(run->design, run->plan, report, &found);
	if (r == 0 && roots)
		r = roots_refuse(&found, err);
	if (r == 0 && !roots)
		r = ft_resolve_hosts(run->design, run->plan, snapshot, report, &found);
	if (r < 0)
		return r;
	list = (struct ft_opensm_list){found.guids, (const char *const *)found.names, found.count};
	return roots ? ft_write_opensm_roots(&run->out, &list, err) : ft_write_opensm_cns(&run->out, &list, err);
}

/* Merges the site's list of cables into the design and its plan. Skipped rows are reported on one line. */
static int cables_take(struct run *run, struct ft_error *err)
{
	_cleanup_(ft_sheet_release) struct ft_sheet sheet = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	int r;

	run->path = run->options.cables;
	r = ft_sheet_load(run->path, &sheet, err);
	if (r == 0)
		r = ft_resolve_cables(run->snapshot, run->path, &sheet, run->design, run->plan, false, &text, err);
	if (r == 0)
		fputs(ft_text_string(&text), stderr);
	return r;
}

/* Names of the site instead of node descriptions. */
static int names_give(struct run *run, struct ft_snapshot *snapshot, struct ft_error *err)
{
	_cleanup_(ft_names_freep) struct ft_names *names = NULL;
	struct ft_error why = {0};
	int r = ft_names_load(run->options.names, &names, &why);

	if (r == 0)
		return ft_names_apply(names, snapshot);
	if (why.file)
		run->path = why.file;
	*err = why;
	return r;
}

/* The addresses of the hosts, in place of those of the design. */
static int macs_take(struct run *run, struct ft_error *err)
{
	const struct ft_plan tree = ft_plan_tree(run->plan);
	struct ft_design *design = run->design;
	struct ft_plan_blame blame = {0};
	struct ft_design_mac *macs = NULL;
	size_t count = 0;
	int r;

	if (!run->options.from || design->technology != FT_TECHNOLOGY_ETHERNET)
		return 0;
	run->path = run->options.from;
	r = ft_macs_load(run->options.from, &macs, &count, err);
	if (r < 0)
		return r;
	ft_design_macs_release(design->macs, design->mac_count);
	design->macs = macs;
	design->mac_count = count;
	return ft_vlans_check_tables(design, &tree, &blame, err);
}

/* Tables of addresses that nobody gave are worth a look, but none to be loaded into switches. */
static void made_up_tell(const struct run *run)
{
	if (run->design->macs || strcmp(run->options.format->name, "vlans") == 0)
		return;
	fputs("ftplan: note: the addresses of the hosts are made up; \"macs\" in the design, or --from, gives them\n",
	      stderr);
}

static int work_tables(struct run *run, struct ft_error *err)
{
	int r = macs_take(run, err);

	if (r == 0)
		r = ft_format_write(run->options.format, &run->out, run->design, run->plan, NULL, run->options.only,
				    err);
	if (r == 0)
		made_up_tell(run);
	return r;
}

static int work_plan(struct run *run, struct ft_error *err)
{
	bool guids = strncmp(run->options.format->name, "opensm", 6) == 0 && run->options.from;
	int r = guids ? ft_resolve_check_plan(run->plan, err) : 0;

	if (run->options.format->tables)
		return work_tables(run, err);
	if (r == 0 && run->options.from) {
		run->path = run->options.from;
		r = ft_source_load(run->options.from, &run->snapshot, err);
		if (r == 0)
			r = names_give(run, run->snapshot, err);
	}
	if (r == 0 && run->options.cables)
		r = cables_take(run, err);
	if (r < 0)
		return r;
	if (guids)
		return write_found_guids(run, run->snapshot, err);
	if (!run->catalog)
		r = ft_plan_catalog(run->plan, &run->catalog, err);
	return r < 0 ? r
		     : ft_format_write(run->options.format, &run->out, run->design, run->plan, run->catalog, NULL, err);
}

static int work_curve(struct run *run, const struct ft_menu *menu)
{
	struct ft_design design = *run->design;

	ft_csv_header(&run->out, design.levels, design.family || design.any);
	for (uint64_t n = run->options.first; n <= run->options.last; n += run->options.step) {
		_cleanup_(ft_search_release) struct ft_search search = {0};
		int r;

		design.nodes = (uint32_t)n;
		if (!design.nodes_max_given)
			design.nodes_max = design.nodes;
		r = ft_search(&design, menu, 1, &search, NULL, NULL);
		if (r == -ENOMEM)
			return r;
		ft_csv_row(&run->out, &design, r == 0 ? &search.best[0] : NULL);
	}
	return 0;
}

static void write_found(struct run *run, const struct ft_search *search)
{
	const struct ft_plan_options *options = &run->options;

	if (strcmp(options->format->name, "csv") == 0) {
		ft_csv_header(&run->out, run->design->levels, run->design->family || run->design->any);
		for (size_t i = 0; i < search->count; i++)
			ft_csv_row(&run->out, run->design, &search->best[i]);
	} else if (options->work == FT_WORK_PARETO) {
		ft_write_front(&run->out, run->design, search, options->pareto[0], options->pareto[1]);
	} else {
		ft_write_alternatives(&run->out, run->design, search);
	}
}

static int work_choice(struct run *run, const struct ft_menu *menu, struct ft_error *err)
{
	_cleanup_(ft_search_release) struct ft_search search = {0};
	const struct ft_plan_options *options = &run->options;
	int r;

	if (options->work == FT_WORK_PARETO)
		r = ft_search_pareto(run->design, menu, options->pareto[0], options->pareto[1], &search, err, NULL);
	else
		r = ft_search(run->design, menu, options->alternatives, &search, err, NULL);
	if (r == 0)
		write_found(run, &search);
	return r;
}

static int work_throughput(struct run *run, struct ft_error *err)
{
	struct ft_throughput_choice choice = run->options.throughput;

	choice.gap = run->options.gap;
	if (strcmp(run->options.format->name, "json") == 0)
		return ft_write_throughput_json(&run->out, run->design, run->plan, &choice, err);
	return ft_write_throughput(&run->out, run->design, run->plan, &choice, err);
}

static int walk_write(struct run *run, const struct ft_walked *walked)
{
	const char *format = run->options.format->name;

	if (strcmp(format, "json") == 0)
		return ft_write_walk_json(&run->out, walked);
	return strcmp(format, "csv") == 0 ? ft_write_walk_csv(&run->out, walked) : ft_write_walk(&run->out, walked);
}

static int work_walk(struct run *run, struct ft_error *err)
{
	_cleanup_(ft_ethernet_release) struct ft_ethernet ethernet = {0};
	_cleanup_(ft_tables_release) struct ft_tables tables = {0};
	_cleanup_(ft_table_walk_release) struct ft_table_walk walk = {0};
	struct ft_walked walked = {&ethernet, &tables, &walk};
	int r = macs_take(run, err);

	if (r == 0)
		r = ft_ethernet_make(run->design, run->plan, &ethernet, err);
	if (r == 0)
		r = ft_tables_load(&ethernet.plan, &ethernet.vlans, &ethernet.macs, run->options.tables,
				   run->options.table_count, &tables, err);
	if (r < 0 && err->file)
		run->path = err->file;
	if (r == 0)
		r = ft_table_walk(&ethernet, &tables, &walk);
	if (r == 0)
		r = walk_write(run, &walked);
	if (r == 0 && walk.finding_count > 0)
		run->status = ft_walk_harm_is_grave(&walk.harm) ? FT_EXIT_CRITICAL : FT_EXIT_WARNING;
	return r;
}

/* What the costs above are in. Tables of CSV have the header that they always have. */
static void write_currency(struct run *run)
{
	const struct ft_plan_options *options = &run->options;

	if (strcmp(options->format->name, "csv") == 0 || run->catalog->currency[0] == '\0')
		return;
	if (options->work == FT_WORK_PARETO && options->pareto[0] != FT_METRIC_COST &&
	    options->pareto[1] != FT_METRIC_COST)
		return;
	ft_text_puts(&run->out, "\nCosts are in");
	ft_catalog_add_currency(&run->out, run->catalog);
	ft_catalog_add_time(&run->out, run->catalog);
	ft_text_puts(&run->out, ".\n");
}

/* What needs the switches to choose from, not one plan. */
static int work_search(struct run *run, struct ft_error *err)
{
	_cleanup_(ft_menu_release) struct ft_menu menu = {0};
	int r;

	r = ft_menu_make(run->design, run->catalog, &menu, err, NULL);
	if (r < 0)
		return r;
	if (run->options.work == FT_WORK_CURVE)
		return work_curve(run, &menu);
	if (run->options.work == FT_WORK_STAGES)
		r = ft_write_stages(&run->out, run->design, &menu, run->options.stages, run->options.stage_count, err,
				    NULL);
	else
		r = work_choice(run, &menu, err);
	if (r == 0)
		write_currency(run);
	return r;
}

static int work_infer(struct run *run)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	size_t count = run->options.more_infer_count + 1;
	_cleanup_free_ const char **paths = calloc(count, sizeof(*paths));
	struct ft_error err = {0};
	int r;

	if (!paths)
		return report_error("ftplan", -ENOMEM, &err);
	run->path = paths[0] = run->options.infer;
	for (size_t i = 1; i < count; i++)
		paths[i] = run->options.more_infer[i - 1];
	r = ft_source_load_all(paths, count, &snapshot, &err);
	if (r < 0 && err.file)
		run->path = err.file;
	if (r == 0)
		r = names_give(run, snapshot, &err);
	if (r == 0)
		r = ft_infer(snapshot, run->options.name ? run->options.name : "inferred", &run->out, &err);
	return r < 0 ? report_error(run->path, r, &err) : FT_EXIT_OK;
}

static void network_tell(void *data, const char *name, uint32_t nodes)
{
	_cleanup_free_ char *safe = ft_text_safe_dup(name, strlen(name));

	if (nodes > 0)
		ft_display_say(data, "measuring %s for %u hosts", safe ? safe : "", nodes);
	else
		ft_display_say(data, "measuring %s", safe ? safe : "");
}

static int work_compare(struct run *run)
{
	_cleanup_(ft_text_release) struct ft_text refused = {0};
	struct ft_error err = {0};
	struct ft_display display = ft_display_begin();
	const struct ft_compare_progress progress = {network_tell, &display};
	int r, status = ft_plan_options_check_numbers(&run->options);

	if (status == FT_EXIT_OK)
		status = catalog_load(run);
	if (status != FT_EXIT_OK)
		return status;
	r = ft_compare_networks(&run->options, run->catalog, &run->out, &refused, &progress, &err);
	ft_display_end(&display);
	if (r < 0)
		return report_error("ftplan", r, &err);
	if (refused.length > 0) {
		fputs(ft_text_string(&refused), stderr);
		/* What can be compared is written all the same. */
		run->status = FT_EXIT_WARNING;
	}
	return r > 0 ? FT_EXIT_UNKNOWN : FT_EXIT_OK;
}

static int run_work(struct run *run)
{
	struct ft_error err = {0};
	int r, status;

	if (run->options.work == FT_WORK_INFER)
		return work_infer(run);
	if (run->options.work == FT_WORK_COMPARE)
		return work_compare(run);
	status = catalog_load(run);
	if (status == FT_EXIT_OK)
		status = design_load(run);
	if (status != FT_EXIT_OK)
		return status;
	if (run->options.work == FT_WORK_PLAN)
		r = work_plan(run, &err);
	else if (run->options.work == FT_WORK_THROUGHPUT)
		r = work_throughput(run, &err);
	else if (run->options.work == FT_WORK_WALK)
		r = work_walk(run, &err);
	else if (run->options.work == FT_WORK_WORKLOAD)
		r = ft_workload_work(&run->options.workload, run->design, run->plan, run->catalog,
				     run->options.format->name, &run->out, &run->path, &err);
	else
		r = work_search(run, &err);
	return r < 0 ? report_error(run->path, r, &err) : FT_EXIT_OK;
}

int main(int argc, char **argv)
{
	_cleanup_(run_release) struct run run = {0};
	int r;

	r = ft_plan_options_read(argc, argv, &run.options);
	if (r >= 0)
		return r;
	r = run_work(&run);
	if (r != FT_EXIT_OK)
		return r;
	if (ft_text_failed(&run.out)) {
		fprintf(stderr, "ftplan: out of memory\n");
		return FT_EXIT_UNKNOWN;
	}
	r = ft_file_write(run.options.output, &run.out);
	if (r < 0) {
		fprintf(stderr, "%s: %s\n", run.options.output ? run.options.output : "standard output", strerror(-r));
		return FT_EXIT_UNKNOWN;
	}
	return run.status;
}
