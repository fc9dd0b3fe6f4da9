/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The planner's program. This main alone of planner/ looks up: --infer and --from read a fabric.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "planner/choice.h"
#include "planner/draw.h"
#include "planner/formats.h"
#include "planner/site.h"
#include "probe/source.h"
#include "verify/infer.h"
#include "verify/resolve.h"
#include "verify/verify.h"

enum { STATUS_OK = 0, STATUS_UNKNOWN = 3 };

/* What is done with the design. */
enum work { WORK_PLAN, WORK_CURVE, WORK_ALTERNATIVES, WORK_PARETO, WORK_STAGES, WORK_INFER };

typedef int format_writer(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			  const struct ft_catalog *catalog, struct ft_error *err);

struct options {
	enum work work;
	const char *design;  /* a file; NULL: made from the options below */
	const char *catalog; /* NULL: none is named */
	const char *output;  /* NULL: standard output */
	const char *format_name;
	format_writer *write;
	const char *nodes, *nodes_max, *blocking, *levels, *objective;
	bool prefer_expandable;
	const char *work_option; /* the option that chose the work */
	uint32_t alternatives;
	enum ft_metric pareto[2];
	uint32_t stages[FT_STAGES_MAX];
	size_t stage_count;
	uint32_t first, last, step; /* of a curve */
	const char *infer;
	const char *from;   /* where OpenSM's GUIDs, or the live names for a list of cables, are taken from */
	const char *cables; /* the site's list; NULL: none */
	const char *name;
	const char *override; /* the last option given that belongs into a design file; NULL: none */
};

static int write_text(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		      const struct ft_catalog *catalog, struct ft_error *err)
{
	(void)catalog;
	(void)err;
	ft_plan_write_text(text, design, plan);
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
	ft_csv_header(text, plan->levels);
	ft_csv_plan(text, plan);
	return 0;
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

static const struct {
	const char *name;
	format_writer *write;
} formats[] = {
	{"text", write_text},
	{"json", write_json},
	{"csv", write_csv},
	{"cables", ft_write_cables},
	{"bom", ft_write_bom},
	{"ibsim", ft_write_ibsim},
	{"ibdm", ft_write_ibdm},
	{"ibnl", ft_write_ibnl},
	{"slurm", ft_write_slurm},
	{"opensm", ft_write_opensm},
	{"opensm-cn", write_opensm_cns},
	{"dot", write_dot},
	{"svg", write_svg},
};

static const char help_text[] =
	"Usage: ftplan [OPTION]... DESIGN.json\n"
	"       ftplan [OPTION]... --nodes N|A..B[..STEP]\n"
	"       ftplan [OPTION]... --infer SNAPSHOT-OR-DUMP\n"
	"Turn a design (how many hosts, which switches) into the plan of an InfiniBand fabric.\n"
	"DESIGN.json is described in ftcheck-design(5); \"-\" reads standard input.\n"
	"\n"
	"  --format FORMAT    text (default), json (the design with its \"plan\"), csv (one row),\n"
	"                     cables (every cable), bom (what to buy), svg or dot (a drawing),\n"
	"                     ibsim, ibdm, ibnl, slurm, opensm or opensm-cn (files of these)\n"
	"  --catalog CATALOG  choose switches from it: a file, or one of mellanox-fdr-2013\n"
	"                     (default), hp-blade-fdr-2013 and infiniband; ftcheck-catalog(5)\n"
	"  --alternatives K   the K best different designs side by side (text or csv)\n"
	"  --pareto A,B       the designs that none is better than in both figures\n"
	"  --stages N,N,...   what each stage of an expansion adds\n"
	"  --infer FILE       write the design that this fabric was evidently built to\n"
	"  --cables FILE      take ports and hosts from the site's list of cables, as CSV\n"
	"  --from FILE        take OpenSM's GUIDs, or the spelling of the names of --cables, from\n"
	"                     this snapshot or dump of the fabric\n"
	"  --name NAME        the name of a design without a file\n"
	"  -o, --output FILE  write to FILE, in one piece or not at all\n"
	"  -h, --help         print this help\n"
	"  --version          print the version\n"
	"\n"
	"Without a design file:\n"
	"  --nodes N          plan N host ports; A..B or A..B..STEP: one row of CSV for each (with a\n"
	"                     design file, too)\n"
	"  --nodes-max N      what the core level must take without rewiring\n"
	"  --blocking RATIO   blocking that is allowed, such as 2 or 3:1\n"
	"  --levels N         2 (default) or 3\n"
	"  --objective M      cost (default), power_w, size_u, weight_kg, switches or cables\n"
	"  --prefer-expandable  never spread nodes over the edge switches to save a core switch\n"
	"\n"
	"Exit status: 0, or 3 with the reason on standard error.\n";

/* Whether all that was printed got out: a full disk or a closed pipe is an error too. */
static int flush_output(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return STATUS_OK;
	fprintf(stderr, "ftplan: standard output: %s\n", strerror(errno));
	return STATUS_UNKNOWN;
}

/* An argument of the user's, made safe to print. */
static int usage_error(const char *what, const char *argument)
{
	_cleanup_free_ char *safe = argument ? ft_text_safe_dup(argument, strlen(argument)) : NULL;

	fprintf(stderr, "ftplan: %s%s%s\nTry 'ftplan --help'.\n", what, safe ? ": " : "", safe ? safe : "");
	return STATUS_UNKNOWN;
}

static int set_format(struct options *options, const char *name)
{
	for (size_t i = 0; i < FT_COUNT(formats); i++)
		if (strcmp(formats[i].name, name) == 0) {
			options->write = formats[i].write;
			options->format_name = formats[i].name;
			return 0;
		}
	return -EINVAL;
}

/* A whole number from @min to @max, and where it ends. */
static int parse_count(const char **string, uint32_t min, uint32_t max, uint32_t *ret_count)
{
	size_t digits = strspn(*string, "0123456789");
	unsigned long value;

	/* 007 is no number of JSON's, in which options end up. */
	if (digits == 0 || digits > 9 || (digits > 1 && **string == '0'))
		return -EINVAL;
	value = strtoul(*string, NULL, 10);
	if (value < min || value > max)
		return -EINVAL;
	*string += digits;
	*ret_count = (uint32_t)value;
	return 0;
}

/* "A..B" or "A..B..STEP". Returns 0, -EINVAL, or 1 where it is no range. */
static int parse_range(struct options *options, const char *string)
{
	if (!strstr(string, ".."))
		return 1;
	options->step = 1;
	if (parse_count(&string, 1, FT_NODES_MAX, &options->first) < 0 || strncmp(string, "..", 2) != 0)
		return -EINVAL;
	string += 2;
	if (parse_count(&string, 1, FT_NODES_MAX, &options->last) < 0 || options->last < options->first)
		return -EINVAL;
	if (strncmp(string, "..", 2) == 0) {
		string += 2;
		if (parse_count(&string, 1, FT_NODES_MAX, &options->step) < 0)
			return -EINVAL;
	}
	return *string ? -EINVAL : 0;
}

static int parse_nodes(struct options *options, const char *argument)
{
	const char *end = argument;
	uint32_t unused;
	int r = parse_range(options, argument);

	if (r <= 0)
		return r;
	options->nodes = argument;
	return parse_count(&end, 1, FT_NODES_MAX, &unused) < 0 || *end ? -EINVAL : 0;
}

static int parse_pareto(struct options *options, const char *argument)
{
	_cleanup_free_ char *first = strdup(argument);
	char *comma = first ? strchr(first, ',') : NULL;
	int a, b;

	if (!comma)
		return -EINVAL;
	*comma = '\0';
	a = ft_metric_find(first);
	b = ft_metric_find(comma + 1);
	if (a < 0 || b < 0 || a == b)
		return -EINVAL;
	options->pareto[0] = (enum ft_metric)a;
	options->pareto[1] = (enum ft_metric)b;
	return 0;
}

static int parse_stages(struct options *options, const char *argument)
{
	for (;;) {
		uint32_t *stage = &options->stages[options->stage_count];

		if (options->stage_count == FT_STAGES_MAX || parse_count(&argument, 1, FT_NODES_MAX, stage) < 0)
			return -EINVAL;
		if (options->stage_count > 0 && *stage <= stage[-1])
			return -EINVAL;
		options->stage_count++;
		if (*argument == '\0')
			break;
		if (*argument++ != ',')
			return -EINVAL;
	}
	return 0;
}

enum {
	OPTION_FORMAT = 256,
	OPTION_CATALOG,
	OPTION_ALTERNATIVES,
	OPTION_PARETO,
	OPTION_STAGES,
	OPTION_INFER,
	OPTION_FROM,
	OPTION_CABLES,
	OPTION_NAME,
	OPTION_NODES,
	OPTION_NODES_MAX,
	OPTION_BLOCKING,
	OPTION_LEVELS,
	OPTION_OBJECTIVE,
	OPTION_PREFER_EXPANDABLE,
	OPTION_VERSION,
};

/* What of a design is given by options. Their values are checked where all values of designs are: in ftcheck-design. */
static bool parse_design_option(struct options *options, int c, const char *argument)
{
	switch (c) {
	case OPTION_NODES_MAX:
		options->nodes_max = argument;
		options->override = "--nodes-max";
		break;
	case OPTION_BLOCKING:
		options->blocking = argument;
		options->override = "--blocking";
		break;
	case OPTION_LEVELS:
		options->levels = argument;
		options->override = "--levels";
		break;
	case OPTION_OBJECTIVE:
		options->objective = argument;
		options->override = "--objective";
		break;
	case OPTION_PREFER_EXPANDABLE:
		options->prefer_expandable = true;
		options->override = "--prefer-expandable";
		break;
	case OPTION_NAME:
		options->name = argument;
		return true;
	default:
		return false;
	}
	return true;
}

/* One thing at a time. Returns -1 to go on, else the exit status. */
static int set_work(struct options *options, enum work work, const char *option)
{
	if (options->work_option && strcmp(options->work_option, option) != 0) {
		fprintf(stderr, "ftplan: %s and %s do not go together\nTry 'ftplan --help'.\n", options->work_option,
			option);
		return STATUS_UNKNOWN;
	}
	options->work_option = option;
	options->work = work;
	return -1;
}

/* Returns -1 to go on, else the exit status. */
static int parse_option(struct options *options, int c, const char *argument)
{
	const char *end = argument;

	if (parse_design_option(options, c, argument))
		return -1;
	switch (c) {
	case OPTION_FORMAT:
		if (set_format(options, argument) < 0)
			return usage_error("--format takes text, json, csv, cables, bom, svg, dot, ibsim, ibdm, ibnl, "
					   "slurm, opensm or opensm-cn",
					   argument);
		return -1;
	case OPTION_CATALOG:
		options->catalog = argument;
		return -1;
	case OPTION_ALTERNATIVES:
		if (parse_count(&end, 1, 100, &options->alternatives) < 0 || *end)
			return usage_error("--alternatives takes a number from 1 to 100", argument);
		return set_work(options, WORK_ALTERNATIVES, "--alternatives");
	case OPTION_PARETO:
		if (parse_pareto(options, argument) < 0)
			return usage_error("--pareto takes two different figures, such as cost,power_w", argument);
		return set_work(options, WORK_PARETO, "--pareto");
	case OPTION_STAGES:
		if (parse_stages(options, argument) < 0)
			return usage_error("--stages takes rising numbers of nodes, such as 200,400,600", argument);
		return set_work(options, WORK_STAGES, "--stages");
	case OPTION_INFER:
		options->infer = argument;
		return set_work(options, WORK_INFER, "--infer");
	case OPTION_FROM:
		options->from = argument;
		return -1;
	case OPTION_CABLES:
		options->cables = argument;
		return -1;
	case OPTION_NODES:
		if (parse_nodes(options, argument) < 0)
			return usage_error("--nodes takes N, A..B or A..B..STEP, from 1 to 1000000", argument);
		return options->nodes ? -1 : set_work(options, WORK_CURVE, "--nodes A..B");
	case 'o':
		/* As with input, "-" is no file. */
		options->output = strcmp(argument, "-") == 0 ? NULL : argument;
		return -1;
	default:
		fputs("Try 'ftplan --help'.\n", stderr);
		return STATUS_UNKNOWN;
	}
}

/* What goes with what, once all is read. Returns -1 to go on, else the exit status. */
static int check_options(struct options *options, int argc, char **argv)
{
	bool choice = options->work == WORK_ALTERNATIVES || options->work == WORK_PARETO;

	if (argc - optind > 1)
		return usage_error("one design file is enough", argv[optind + 1]);
	if (optind < argc)
		options->design = argv[optind];
	if (options->work == WORK_INFER && (options->design || options->override || options->nodes))
		return usage_error("--infer writes a design, and takes none", options->design);
	if (options->from && !options->cables &&
	    (options->work != WORK_PLAN || strncmp(options->format_name, "opensm", 6) != 0))
		return usage_error("--from goes with --cables, and with --format opensm and opensm-cn", options->from);
	if (options->cables && options->work != WORK_PLAN)
		return usage_error("--cables goes with one plan", options->cables);
	if (options->cables && options->design && strcmp(options->cables, "-") == 0 &&
	    strcmp(options->design, "-") == 0)
		return usage_error("--cables and the design cannot both be standard input", NULL);
	if (options->design && (options->override || options->nodes || options->name))
		return usage_error("with a design file, this belongs into it", options->nodes	   ? "--nodes"
									       : options->override ? options->override
												   : "--name");
	if (options->work == WORK_CURVE && strcmp(options->format_name, "csv") != 0)
		return usage_error("--nodes A..B is written as CSV only: add --format csv", NULL);
	if (choice && strcmp(options->format_name, "csv") != 0 && strcmp(options->format_name, "text") != 0)
		return usage_error("several designs are written as text or csv", options->format_name);
	if (options->work == WORK_STAGES && options->nodes)
		return usage_error("--stages says how many nodes there are; leave out --nodes", options->nodes);
	if (options->work == WORK_INFER && options->catalog)
		return usage_error("--infer takes no catalog", options->catalog);
	if (options->work == WORK_INFER && strcmp(options->format_name, "text") != 0 &&
	    strcmp(options->format_name, "json") != 0)
		return usage_error("--infer writes a design file, which is JSON", options->format_name);
	if (options->work == WORK_STAGES && strcmp(options->format_name, "text") != 0)
		return usage_error("stages are written as text", options->format_name);
	if (options->design || options->nodes || options->work == WORK_CURVE || options->work == WORK_STAGES ||
	    options->work == WORK_INFER)
		return -1;
	return usage_error("a design file or --nodes is missing", NULL);
}

/* Returns -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option long_options[] = {
		{"format", required_argument, NULL, OPTION_FORMAT},
		{"catalog", required_argument, NULL, OPTION_CATALOG},
		{"alternatives", required_argument, NULL, OPTION_ALTERNATIVES},
		{"pareto", required_argument, NULL, OPTION_PARETO},
		{"stages", required_argument, NULL, OPTION_STAGES},
		{"infer", required_argument, NULL, OPTION_INFER},
		{"from", required_argument, NULL, OPTION_FROM},
		{"cables", required_argument, NULL, OPTION_CABLES},
		{"name", required_argument, NULL, OPTION_NAME},
		{"nodes", required_argument, NULL, OPTION_NODES},
		{"nodes-max", required_argument, NULL, OPTION_NODES_MAX},
		{"blocking", required_argument, NULL, OPTION_BLOCKING},
		{"levels", required_argument, NULL, OPTION_LEVELS},
		{"objective", required_argument, NULL, OPTION_OBJECTIVE},
		{"prefer-expandable", no_argument, NULL, OPTION_PREFER_EXPANDABLE},
		{"output", required_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, OPTION_VERSION},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1) {
		int status;

		if (c == 'h') {
			fputs(help_text, stdout);
			return flush_output();
		}
		if (c == OPTION_VERSION) {
			puts("ftplan " PACKAGE_VERSION);
			return flush_output();
		}
		status = parse_option(options, c, optarg);
		if (status >= 0)
			return status;
	}
	return check_options(options, argc, argv);
}

static int report_error(const char *path, int code, const struct ft_error *err)
{
	if (code == -ENOMEM && !err->text[0])
		fprintf(stderr, "ftplan: out of memory\n");
	else if (err->line)
		fprintf(stderr, "%s:%u:%u: %s\n", path, err->line, err->column, err->text);
	else
		fprintf(stderr, "%s: %s\n", path, err->text);
	return STATUS_UNKNOWN;
}

/* ---- the design ---- */

/* The design that the options make: a file like any other, so that every check and format is the same. */
static int options_design(const struct options *options, struct ft_text *text)
{
	char nodes[16];

	snprintf(nodes, sizeof(nodes), "%u",
		 options->work == WORK_STAGES ? options->stages[options->stage_count - 1] : options->last);
	ft_text_puts(text, "{\n  \"ftcheck\": 1,\n  \"name\": ");
	ft_text_add_json(text, options->name ? options->name : "plan");
	ft_text_printf(text, ",\n  \"nodes\": %s", options->nodes ? options->nodes : nodes);
	if (options->nodes_max)
		ft_text_printf(text, ",\n  \"nodes_max\": %s", options->nodes_max);
	if (options->levels)
		ft_text_printf(text, ",\n  \"levels\": %s", options->levels);
	if (options->blocking) {
		ft_text_puts(text, ",\n  \"blocking\": ");
		ft_text_add_json(text, options->blocking);
	}
	if (options->objective) {
		ft_text_puts(text, ",\n  \"objective\": ");
		ft_text_add_json(text, options->objective);
	}
	if (options->prefer_expandable)
		ft_text_puts(text, ",\n  \"prefer_expandable\": true");
	ft_text_puts(text, "\n}\n");
	return ft_text_failed(text) ? -ENOMEM : 0;
}

/* Numbers that go into JSON as they are must be numbers. */
static int options_check_numbers(const struct options *options)
{
	const struct {
		const char *option, *value;
	} numbers[] = {{"--nodes-max", options->nodes_max}, {"--levels", options->levels}};

	for (size_t i = 0; i < FT_COUNT(numbers); i++)
		if (numbers[i].value &&
		    (strspn(numbers[i].value, "0123456789") != strlen(numbers[i].value) || !*numbers[i].value ||
		     strlen(numbers[i].value) > 9 || (numbers[i].value[0] == '0' && numbers[i].value[1])))
			return usage_error("must be a whole number", numbers[i].option);
	return STATUS_OK;
}

/* Everything that a run works with. */
struct run {
	struct options options;
	const char *path; /* for messages: the design file, or "ftplan" */
	struct ft_catalog *catalog;
	struct ft_design *design;
	struct ft_plan *plan;
	struct ft_snapshot *snapshot; /* of --from; NULL: none */
	struct ft_text design_text;   /* of a design made from options */
	struct ft_text out;
};

static void run_release(struct run *run)
{
	ft_plan_free(run->plan);
	ft_snapshot_free(run->snapshot);
	ft_design_free(run->design);
	ft_catalog_free(run->catalog);
	ft_text_release(&run->design_text);
	ft_text_release(&run->out);
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

	if (!name && run->options.work == WORK_PLAN)
		return STATUS_OK;
	if (!name)
		name = FT_CATALOG_DEFAULT;
	r = ft_catalog_load(name, &run->catalog, &err);
	return r < 0 ? report_error(name, r, &err) : STATUS_OK;
}

/* The design; and its plan only where that is what is asked for: a range has no one plan. */
static int design_load(struct run *run)
{
	struct ft_plan **plan = run->options.work == WORK_PLAN ? &run->plan : NULL;
	struct ft_error err = {0};
	int r, status;

	run->path = run->options.design ? run->options.design : "ftplan";
	if (run->options.design) {
		r = plan ? ft_design_load_with(run->path, run->catalog, &run->design, plan, &err)
			 : ft_design_load_unplanned(run->path, &run->design, &err);
		return r < 0 ? report_error(run->path, r, &err) : STATUS_OK;
	}
	status = options_check_numbers(&run->options);
	if (status != STATUS_OK)
		return status;
	r = options_design(&run->options, &run->design_text);
	if (r == 0)
		r = plan ? ft_design_read_with(run->design_text.data, run->design_text.length, run->catalog,
					       &run->design, plan, &err)
			 : ft_design_read_unplanned(run->design_text.data, run->design_text.length, &run->design, &err);
	/* There is no file whose line would help. */
	err.line = 0;
	return r < 0 ? report_error(run->path, r, &err) : STATUS_OK;
}

/* ---- the work ---- */

/*
 * What is bought and where it stands is in the catalog that the switches were chosen from: by the plan's word, if none
 * is named, but only one that is built in. A file says nothing of which other files are read.
 */
static int models_look_up(struct run *run, struct ft_error *err)
{
	const char *name = run->plan->catalog;

	for (size_t i = 0; !run->catalog && name && ft_catalog_builtin_name(i); i++)
		if (strcmp(ft_catalog_builtin_name(i), name) == 0)
			return ft_catalog_load(name, &run->catalog, err);
	return 0;
}

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

static int write_found_guids(struct run *run, const struct ft_snapshot *snapshot, struct ft_error *err)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_resolved_release) struct ft_resolved found = {0};
	bool roots = run->options.write == ft_write_opensm;
	struct ft_opensm_list list;
	int r;

	/* Waivers with their dates change nothing of what is where. */
	r = ft_verify(run->design, run->plan, snapshot, "", &report);
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

/* The site's list of cables becomes part of the design and its plan. What was passed over is told on one line. */
static int cables_take(struct run *run, struct ft_error *err)
{
	_cleanup_(ft_sheet_release) struct ft_sheet sheet = {0};
	_cleanup_(ft_text_release) struct ft_text faults = {0}, notes = {0}, text = {0};
	_cleanup_free_ struct ft_site_switch *known = NULL;
	size_t known_count = 0;
	int r = 0;

	if (run->snapshot)
		r = ft_resolve_switches(run->snapshot, &known, &known_count);
	run->path = run->options.cables;
	if (r == 0)
		r = ft_sheet_load(run->path, &sheet, err);
	if (r == 0)
		r = ft_site_import(run->design, run->plan, &sheet, known, known_count, &faults, &notes, err);
	if (r == 1)
		ft_site_tell(&text, run->path, ft_text_string(&faults), ft_text_string(&notes));
	if (r < 0 || ft_text_failed(&text))
		return r < 0 ? r : -ENOMEM;
	fputs(ft_text_string(&text), stderr);
	return 0;
}

static int work_plan(struct run *run, struct ft_error *err)
{
	bool guids = strncmp(run->options.format_name, "opensm", 6) == 0 && run->options.from;
	int r = guids ? ft_resolve_check_plan(run->plan, err) : 0;

	if (r == 0 && run->options.from) {
		run->path = run->options.from;
		r = ft_source_load(run->options.from, &run->snapshot, err);
	}
	if (r == 0 && run->options.cables)
		r = cables_take(run, err);
	if (r < 0)
		return r;
	if (guids)
		return write_found_guids(run, run->snapshot, err);
	r = models_look_up(run, err);
	return r < 0 ? r : run->options.write(&run->out, run->design, run->plan, run->catalog, err);
}

static int work_curve(struct run *run, const struct ft_menu *menu)
{
	struct ft_design design = *run->design;

	ft_csv_header(&run->out, design.levels);
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
	const struct options *options = &run->options;

	if (strcmp(options->format_name, "csv") == 0) {
		ft_csv_header(&run->out, run->design->levels);
		for (size_t i = 0; i < search->count; i++)
			ft_csv_row(&run->out, run->design, &search->best[i]);
	} else if (options->work == WORK_PARETO) {
		ft_write_front(&run->out, run->design, search, options->pareto[0], options->pareto[1]);
	} else {
		ft_write_alternatives(&run->out, run->design, search);
	}
}

static int work_choice(struct run *run, const struct ft_menu *menu, struct ft_error *err)
{
	_cleanup_(ft_search_release) struct ft_search search = {0};
	const struct options *options = &run->options;
	int r;

	if (options->work == WORK_PARETO)
		r = ft_search_pareto(run->design, menu, options->pareto[0], options->pareto[1], &search, err, NULL);
	else
		r = ft_search(run->design, menu, options->alternatives, &search, err, NULL);
	if (r == 0)
		write_found(run, &search);
	return r;
}

/* What needs the switches to choose from, not one plan. */
static int work_search(struct run *run, struct ft_error *err)
{
	_cleanup_(ft_menu_release) struct ft_menu menu = {0};
	int r;

	r = ft_menu_make(run->design, run->catalog, &menu, err, NULL);
	if (r < 0)
		return r;
	if (run->options.work == WORK_CURVE)
		return work_curve(run, &menu);
	if (run->options.work == WORK_STAGES)
		return ft_write_stages(&run->out, run->design, &menu, run->options.stages, run->options.stage_count,
				       err, NULL);
	return work_choice(run, &menu, err);
}

static int work_infer(struct run *run)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};
	int r;

	run->path = run->options.infer;
	r = ft_source_load(run->path, &snapshot, &err);
	if (r == 0)
		r = ft_infer(snapshot, run->options.name ? run->options.name : "inferred", &run->out, &err);
	return r < 0 ? report_error(run->path, r, &err) : STATUS_OK;
}

static int run_work(struct run *run)
{
	struct ft_error err = {0};
	int r, status;

	if (run->options.work == WORK_INFER)
		return work_infer(run);
	status = catalog_load(run);
	if (status == STATUS_OK)
		status = design_load(run);
	if (status != STATUS_OK)
		return status;
	r = run->options.work == WORK_PLAN ? work_plan(run, &err) : work_search(run, &err);
	return r < 0 ? report_error(run->path, r, &err) : STATUS_OK;
}

int main(int argc, char **argv)
{
	_cleanup_(run_release) struct run run = {.options = {.write = write_text, .format_name = "text"}};
	int r;

	r = parse_options(argc, argv, &run.options);
	if (r >= 0)
		return r;
	r = run_work(&run);
	if (r != STATUS_OK)
		return r;
	if (ft_text_failed(&run.out)) {
		fprintf(stderr, "ftplan: out of memory\n");
		return STATUS_UNKNOWN;
	}
	r = ft_file_write(run.options.output, &run.out);
	if (r < 0) {
		fprintf(stderr, "%s: %s\n", run.options.output ? run.options.output : "standard output", strerror(-r));
		return STATUS_UNKNOWN;
	}
	return STATUS_OK;
}
