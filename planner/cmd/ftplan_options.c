/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "planner/cmd/ftplan_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/usage.h"
#include "planner/plan/metric.h"

static const char help_text[] = "Usage: ftplan [OPTION]... DESIGN.json\n"
				"       ftplan [OPTION]... --nodes N|A..B[..STEP]\n"
				"       ftplan [OPTION]... --compare TOPOLOGY|DESIGN.json,...\n"
				"       ftplan [OPTION]... --infer SNAPSHOT-OR-DUMP...\n"
				"       ftplan [OPTION]... --walk DESIGN.json [TABLE.csv]...\n"
				"Turn a design (how many hosts, which switches) into the plan of an InfiniBand\n"
				"or Ethernet fabric. ftcheck-design(5) describes DESIGN.json; \"-\" reads standard\n"
				"input.\n"
				"\n"
				"  --format FORMAT    text (default), json (the design with its \"plan\"), csv (one\n"
				"                     row), cables (every cable), bom (what to buy), svg or dot\n"
				"                     (a drawing), or a file for ibsim, ibdm, ibnl, slurm, opensm\n"
				"                     or opensm-cn; of Ethernet switches vlans, macs (tables),\n"
				"                     linux-bridge, openvswitch (scripts) or switch-settings\n"
				"  --switch NAME      of these files, the part of this switch\n"
				"  --walk             follow the tables of Ethernet switches, the plan's or those\n"
				"                     of files (TABLE.csv), and tell what does not arrive (text,\n"
				"                     json, or csv: the load of each bundle)\n"
				"  --catalog CATALOG  choose switches from a file or from mellanox-fdr-2013\n"
				"                     (default), hp-blade-fdr-2013 or infiniband; see\n"
				"                     ftcheck-catalog(5)\n"
				"  --alternatives K   the K best different designs side by side (text or csv)\n"
				"  --pareto A,B       the designs for which no other is better in both figures\n"
				"  --stages N,N,...   what each stage of an expansion adds\n"
				"  --compare T,T...   networks side by side: topologies as below or \"all\" for\n"
				"                     --nodes, and designs; what they cost, carry and withstand,\n"
				"                     as text, csv, json or svg; --nodes A..B gives curves\n"
				"  -v, --verbose      of --compare: further figures, and bounds\n"
				"  --gap G            of --compare and --throughput: search for throughput until\n"
				"                     value and bound differ by this share, such as 0.01\n"
				"  --throughput[=TRAFFIC,...]  how much of their links all hosts can use at once:\n"
				"                     all-to-all, permutation, worst-matching (default: all)\n"
				"  --workload W,W,...  how long these workloads take: all-to-all, binary-tree,\n"
				"                     butterfly, near-neighbor, n-bodies, random:W (text, json or\n"
				"                     csv)\n"
				"  --against FILE     the design to compare the times of --workload with\n"
				"  --placement P,P    of tasks on hosts: auto (default), consecutive, or blocks\n"
				"                     such as 5x4; the second is that of --against\n"
				"  --routing R        static (default), adaptive or minimal\n"
				"  --switch-latency NS  of each switch that a message crosses (100)\n"
				"  --host-overhead NS  of a host before and behind each message (0)\n"
				"  --seed N           of permutations and random workloads (default 1)\n"
				"  --infer FILE...    write the design of this existing fabric\n"
				"  --cables FILE      take ports and hosts from the site's list of cables (CSV)\n"
				"  --from FILE        take OpenSM's GUIDs, or the spelling of names in --cables,\n"
				"                     from this snapshot or dump of the fabric; for Ethernet the\n"
				"                     addresses of hosts from this list\n"
				"  --node-name-map FILE  names for nodes, for --infer and --from; the format of\n"
				"                     infiniband-diags and OpenSM\n"
				"  --name NAME        the name of a design that is not read from a file\n"
				"  -o, --output FILE  write to FILE, completely or not at all\n"
				"  -h, --help         print this help\n"
				"  -V, --version      print the version\n"
				"\n"
				"Without a design file:\n"
				"  --nodes N          plan N host ports; A..B or A..B..STEP: one row of CSV for\n"
				"                     each (also with a design file)\n"
				"  --topology T       auto (default), star, fat-tree, or a family: torus, mesh,\n"
				"                     hypercube, ring, hyperx, slim-fly, polarfly, dragonfly,\n"
				"                     dragonfly+, random, clos; or any\n"
				"  --nodes-max N      host ports that must be possible later without rewiring\n"
				"  --blocking RATIO   permitted blocking, such as 2 or 3:1\n"
				"  --levels N         2 (default) or 3\n"
				"  --objective M      cost (default), power_w, size_u, weight_kg, switches or\n"
				"                     cables\n"
				"  --prefer-expandable  never spread hosts over edge switches to save a core\n"
				"                     switch\n"
				"\n"
				"Exit status: 0, or 3 with the reason on standard error; of --walk also 1 if\n"
				"tables differ from the plan or flood frames, 2 if frames get lost.\n";

/* Whether all that was printed got out: a full disk or a closed pipe is an error too. */
static int flush_output(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return FT_EXIT_OK;
	fprintf(stderr, "ftplan: standard output: %s\n", strerror(errno));
	return FT_EXIT_UNKNOWN;
}

/* An argument of the user's, made safe to print. */
static int usage_error(const char *what, const char *argument)
{
	_cleanup_free_ char *safe = argument ? ft_text_safe_dup(argument, strlen(argument)) : NULL;

	fprintf(stderr, "ftplan: %s%s%s\nTry 'ftplan --help'.\n", what, safe ? ": " : "", safe ? safe : "");
	return FT_EXIT_UNKNOWN;
}

static int set_format(struct ft_plan_options *options, const char *name)
{
	const struct ft_format *format = ft_format_find(name);

	if (!format)
		return -EINVAL;
	options->format = format;
	return 0;
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
static int parse_range(struct ft_plan_options *options, const char *string)
{
	if (!strstr(string, ".."))
		return 1;
	options->step = 0;
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

static int parse_nodes(struct ft_plan_options *options, const char *argument)
{
	const char *end = argument;
	uint32_t number;
	int r = parse_range(options, argument);

	if (r <= 0)
		return r;
	if (parse_count(&end, 1, FT_NODES_MAX, &number) < 0 || *end)
		return -EINVAL;
	options->nodes = argument;
	options->first = options->last = number;
	return 0;
}

static int parse_pareto(struct ft_plan_options *options, const char *argument)
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

static int parse_stages(struct ft_plan_options *options, const char *argument)
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

static int parse_gap(struct ft_plan_options *options, const char *argument)
{
	char *end;
	double gap = strtod(argument, &end);

	/* Decimals only: no signs, blanks, hexadecimals or words. */
	if (strspn(argument, "0123456789.") != strlen(argument) || end == argument || *end)
		return -EINVAL;
	if (!(gap >= 0.001 && gap <= 0.5))
		return -EINVAL;
	options->gap = gap;
	return 0;
}

/* @argument: NULL for all patterns. */
static int parse_traffic(struct ft_plan_options *options, const char *argument)
{
	_cleanup_free_ char *names = strdup(argument ? argument : "all-to-all,permutation,worst-matching");
	char *rest = names, *name;

	if (!names)
		return -ENOMEM;
	while ((name = strsep(&rest, ","))) {
		int traffic = ft_traffic_find(name);

		if (traffic < 0)
			return -EINVAL;
		options->throughput.traffic[traffic] = true;
	}
	return 0;
}

enum {
	OPTION_FORMAT = 256,
	OPTION_CATALOG,
	OPTION_ALTERNATIVES,
	OPTION_PARETO,
	OPTION_STAGES,
	OPTION_COMPARE,
	OPTION_THROUGHPUT,
	OPTION_GAP,
	OPTION_SEED,
	OPTION_INFER,
	OPTION_FROM,
	OPTION_CABLES,
	OPTION_NAME,
	OPTION_NODE_NAME_MAP,
	OPTION_NODES,
	OPTION_TOPOLOGY,
	OPTION_NODES_MAX,
	OPTION_BLOCKING,
	OPTION_LEVELS,
	OPTION_OBJECTIVE,
	OPTION_PREFER_EXPANDABLE,
	OPTION_WORKLOAD,
	OPTION_AGAINST,
	OPTION_PLACEMENT,
	OPTION_ROUTING,
	OPTION_SWITCH_LATENCY,
	OPTION_HOST_OVERHEAD,
	OPTION_WALK,
	OPTION_SWITCH,
};

/* The options of workloads: what reads their arguments. */
static const struct {
	int option;
	const char *name;
	int (*parse)(struct ft_workload_options *options, const char *argument, struct ft_error *err);
} workload_options[] = {
	{OPTION_WORKLOAD, "--workload", ft_workload_parse},
	{OPTION_PLACEMENT, "--placement", ft_workload_parse_placement},
	{OPTION_ROUTING, "--routing", ft_workload_parse_routing},
	{OPTION_SWITCH_LATENCY, "--switch-latency", ft_workload_parse_switch_latency},
	{OPTION_HOST_OVERHEAD, "--host-overhead", ft_workload_parse_host_overhead},
};

/* Both figures, and which there are. */
static int pareto_error(const char *argument)
{
	_cleanup_(ft_text_release) struct ft_text what = {0};

	ft_text_puts(&what, "--pareto takes two different figures out of ");
	for (int i = 0; i < FT_METRIC_COUNT; i++)
		ft_text_printf(&what, "%s%s", i > 0 ? ", " : "", ft_metric_name((enum ft_metric)i));
	ft_text_puts(&what, ", such as cost,power_w");
	return usage_error(ft_text_string(&what), argument);
}

/* What of a design is given by options. Their values are checked where all values of designs are: in ftcheck-design. */
static bool parse_design_option(struct ft_plan_options *options, int c, const char *argument)
{
	switch (c) {
	case OPTION_NODES_MAX:
		options->nodes_max = argument;
		options->override = "--nodes-max";
		break;
	case OPTION_TOPOLOGY:
		options->topology = argument;
		options->override = "--topology";
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
static int set_work(struct ft_plan_options *options, enum ft_work work, const char *option)
{
	if (options->work_option && strcmp(options->work_option, option) != 0) {
		fprintf(stderr, "ftplan: %s and %s do not go together\nTry 'ftplan --help'.\n", options->work_option,
			option);
		return FT_EXIT_UNKNOWN;
	}
	options->work_option = option;
	options->work = work;
	return -1;
}

/* What is asked about throughput. Returns -1 to go on, else the exit status. */
static int parse_throughput_option(struct ft_plan_options *options, int c, const char *argument)
{
	const char *end = argument;
	uint32_t seed;

	if (c == OPTION_THROUGHPUT) {
		if (parse_traffic(options, argument) < 0)
			return usage_error("--throughput takes all-to-all, permutation, worst-matching, or several of "
					   "them with commas",
					   argument);
		return set_work(options, FT_WORK_THROUGHPUT, "--throughput");
	}
	options->seed_given = true;
	if (parse_count(&end, 0, 999999999, &seed) < 0 || *end)
		return usage_error("--seed takes a number from 0 to 999999999", argument);
	options->throughput.seed = options->workload.model.seed = seed;
	return -1;
}

/* What it takes, behind its name; what is said of workloads names the one that is wrong. */
static int workload_error(const char *name, const struct ft_error *err, const char *argument)
{
	_cleanup_(ft_text_release) struct ft_text what = {0};
	bool names = strcmp(name, "--workload") == 0;

	ft_text_printf(&what, "%s%s %s", name, names ? ":" : "", err->text);
	return usage_error(ft_text_string(&what), names ? NULL : argument);
}

/* Returns -1 to go on, else the exit status. @ret_mine: it is one of workloads. */
static int parse_workload_option(struct ft_plan_options *options, int c, const char *argument, bool *ret_mine)
{
	struct ft_error err = {0};

	*ret_mine = true;
	for (size_t i = 0; i < FT_COUNT(workload_options); i++) {
		if (workload_options[i].option != c)
			continue;
		if (workload_options[i].parse(&options->workload, argument, &err) < 0)
			return workload_error(workload_options[i].name, &err, argument);
		if (c == OPTION_WORKLOAD)
			return set_work(options, FT_WORK_WORKLOAD, "--workload");
		options->workload.option = workload_options[i].name;
		return -1;
	}
	*ret_mine = c == OPTION_AGAINST;
	if (*ret_mine) {
		options->workload.against = argument;
		options->workload.option = "--against";
	}
	return -1;
}

/* Returns -1 to go on, else the exit status. */
static int parse_option(struct ft_plan_options *options, int c, const char *argument)
{
	const char *end = argument;
	bool workload;
	int status;

	if (parse_design_option(options, c, argument))
		return -1;
	status = parse_workload_option(options, c, argument, &workload);
	if (workload)
		return status;
	switch (c) {
	case OPTION_FORMAT:
		if (set_format(options, argument) < 0)
			return usage_error("--format takes text, json, csv, cables, bom, svg, dot, ibsim, ibdm, ibnl, "
					   "slurm, opensm, opensm-cn, vlans, macs, linux-bridge, openvswitch or "
					   "switch-settings",
					   argument);
		return -1;
	case OPTION_CATALOG:
		options->catalog = argument;
		return -1;
	case OPTION_ALTERNATIVES:
		if (parse_count(&end, 1, 100, &options->alternatives) < 0 || *end)
			return usage_error("--alternatives takes a number from 1 to 100", argument);
		return set_work(options, FT_WORK_ALTERNATIVES, "--alternatives");
	case OPTION_PARETO:
		if (parse_pareto(options, argument) < 0)
			return pareto_error(argument);
		return set_work(options, FT_WORK_PARETO, "--pareto");
	case OPTION_STAGES:
		if (parse_stages(options, argument) < 0)
			return usage_error("--stages takes rising numbers of nodes, such as 200,400,600", argument);
		return set_work(options, FT_WORK_STAGES, "--stages");
	case OPTION_WALK:
		return set_work(options, FT_WORK_WALK, "--walk");
	case OPTION_SWITCH:
		options->only = argument;
		return -1;
	case OPTION_COMPARE:
		options->compare = argument;
		/* A range of nodes is for it then. */
		if (options->work == FT_WORK_CURVE)
			options->work_option = NULL;
		return set_work(options, FT_WORK_COMPARE, "--compare");
	case 'v':
		options->verbose = true;
		return -1;
	case OPTION_GAP:
		if (parse_gap(options, argument) < 0)
			return usage_error("--gap takes a share from 0.001 to 0.5, such as 0.01", argument);
		return -1;
	case OPTION_THROUGHPUT:
	case OPTION_SEED:
		return parse_throughput_option(options, c, argument);
	case OPTION_INFER:
		options->infer = argument;
		return set_work(options, FT_WORK_INFER, "--infer");
	case OPTION_FROM:
		options->from = argument;
		return -1;
	case OPTION_CABLES:
		options->cables = argument;
		return -1;
	case OPTION_NODE_NAME_MAP:
		options->names = argument;
		return -1;
	case OPTION_NODES:
		if (parse_nodes(options, argument) < 0)
			return usage_error("--nodes takes N, A..B or A..B..STEP, from 1 to 1000000", argument);
		return options->nodes || options->work == FT_WORK_COMPARE
			       ? -1
			       : set_work(options, FT_WORK_CURVE, "--nodes A..B");
	case 'o':
		/* As with input, "-" is no file. */
		options->output = strcmp(argument, "-") == 0 ? NULL : argument;
		return -1;
	default:
		/* The table of main() and this switch have the same options. */
		return FT_EXIT_UNKNOWN;
	}
}

static bool is_number(const char *argument)
{
	return argument[0] && argument[strspn(argument, "0123456789.")] == '\0';
}

/* What goes with --compare. Returns -1 to go on, else the exit status. */
static int check_compare(struct ft_plan_options *options, int argc, char **argv)
{
	static const char *const formats[] = {"text", "csv", "json", "svg"};
	bool known = false;

	options->designs = argv + optind;
	options->design_count = argc - optind;
	for (size_t i = 0; i < FT_COUNT(formats); i++)
		known |= strcmp(options->format->name, formats[i]) == 0;
	if (!known)
		return usage_error("a comparison is written as text, csv, json or svg", options->format->name);
	if (options->topology)
		return usage_error("--compare says which topologies there are; leave out --topology",
				   options->topology);
	if (options->from || options->cables || options->names || options->name)
		return usage_error("this does not go with --compare", options->from	? "--from"
								      : options->cables ? "--cables"
								      : options->names	? "--node-name-map"
											: "--name");
	if (options->last > options->first && strcmp(options->format->name, "text") == 0)
		return usage_error("curves are written as csv, json or svg: add --format svg", NULL);
	return -1;
}

/* A design is JSON; tables are not. What cannot be read is complained about when it is. */
static bool is_design(const char *path)
{
	size_t length = strlen(path);
	FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "re");
	int c = ' ';

	while (file && (c == ' ' || c == '\t' || c == '\r' || c == '\n'))
		c = fgetc(file);
	if (!file)
		return strcmp(path, "-") == 0 || (length > 5 && strcmp(path + length - 5, ".json") == 0);
	fclose(file);
	return c == '{';
}

/* Files of --walk: the design, and tables, in any order. Returns -1 to go on, else the exit status. */
static int check_walk(struct ft_plan_options *options, int argc, char **argv)
{
	const char *format = options->format->name;

	if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0 && strcmp(format, "csv") != 0)
		return usage_error("a walk is written as text, json or csv", format);
	if (options->override || options->nodes || options->name)
		return usage_error("--walk takes a design file, and this belongs into it", options->nodes ? "--nodes"
											   : options->override
												   ? options->override
												   : "--name");
	if (options->cables || options->names)
		return usage_error("this does not go with --walk", options->cables ? "--cables" : "--node-name-map");
	options->tables = calloc((size_t)(argc - optind) + 1, sizeof(*options->tables));
	if (!options->tables) {
		fprintf(stderr, "ftplan: out of memory\n");
		return FT_EXIT_UNKNOWN;
	}
	for (int i = optind; i < argc; i++) {
		if (!is_design(argv[i]))
			options->tables[options->table_count++] = argv[i];
		else if (options->design)
			return usage_error("one design file is enough", argv[i]);
		else
			options->design = argv[i];
	}
	return options->design ? -1 : usage_error("--walk needs the design file, whose cables it walks", NULL);
}

/* What is of Ethernet's tables only. Returns -1 to go on, else the exit status. */
static int check_tables(const struct ft_plan_options *options)
{
	if (options->only && (!options->format->tables || options->work != FT_WORK_PLAN))
		return usage_error("--switch goes with --format vlans, macs, linux-bridge, openvswitch and "
				   "switch-settings",
				   options->only);
	return -1;
}

/* What goes with what, once all is read. Returns -1 to go on, else the exit status. */
static int check_options(struct ft_plan_options *options, int argc, char **argv)
{
	bool choice = options->work == FT_WORK_ALTERNATIVES || options->work == FT_WORK_PARETO;
	int status;

	status = check_tables(options);
	if (status >= 0)
		return status;
	if (options->work == FT_WORK_COMPARE)
		return check_compare(options, argc, argv);
	if (options->work == FT_WORK_WALK)
		return check_walk(options, argc, argv);
	if (options->verbose)
		return usage_error("-v goes with --compare", NULL);
	if (options->gap > 0 && options->work != FT_WORK_THROUGHPUT)
		return usage_error("--gap goes with --compare and --throughput", NULL);
	if (options->step == 0)
		options->step = 1;
	if (options->work == FT_WORK_INFER) {
		options->more_infer = (const char *const *)argv + optind;
		options->more_infer_count = (size_t)(argc - optind);
		optind = argc;
	}
	if (argc - optind > 1)
		return usage_error("one design file is enough", argv[optind + 1]);
	if (optind < argc)
		options->design = argv[optind];
	if (options->design && is_number(options->design) && access(options->design, F_OK) < 0)
		return usage_error("a number of nodes goes behind --nodes", options->design);
	if (options->work == FT_WORK_INFER && (options->override || options->nodes))
		return usage_error("--infer writes a design, and takes none", options->override);
	if (options->from && !options->cables &&
	    (options->work != FT_WORK_PLAN ||
	     (strncmp(options->format->name, "opensm", 6) != 0 && !options->format->tables)))
		return usage_error("--from goes with --cables, with --format opensm and opensm-cn, and with the tables "
				   "of Ethernet switches",
				   options->from);
	if (options->names && options->work != FT_WORK_INFER && !options->from)
		return usage_error("--node-name-map goes with --infer and --from, which read a fabric", options->names);
	if (options->cables && options->work != FT_WORK_PLAN)
		return usage_error("--cables goes with one plan", options->cables);
	if (options->cables && options->design && strcmp(options->cables, "-") == 0 &&
	    strcmp(options->design, "-") == 0)
		return usage_error("--cables and the design cannot both be standard input", NULL);
	if (options->design && (options->override || options->nodes || options->name))
		return usage_error("with a design file, this belongs into it", options->nodes	   ? "--nodes"
									       : options->override ? options->override
												   : "--name");
	if (options->work == FT_WORK_CURVE && strcmp(options->format->name, "csv") != 0)
		return usage_error("--nodes A..B is written as CSV only: add --format csv", NULL);
	if (choice && strcmp(options->format->name, "csv") != 0 && strcmp(options->format->name, "text") != 0)
		return usage_error("several designs are written as text or csv", options->format->name);
	if (options->work == FT_WORK_STAGES && options->nodes)
		return usage_error("--stages says how many nodes there are; leave out --nodes", options->nodes);
	if (options->work == FT_WORK_INFER && options->catalog)
		return usage_error("--infer takes no catalog", options->catalog);
	if (options->work == FT_WORK_INFER && strcmp(options->format->name, "text") != 0 &&
	    strcmp(options->format->name, "json") != 0)
		return usage_error("--infer writes a design file, which is JSON", options->format->name);
	if (options->seed_given && options->work != FT_WORK_THROUGHPUT && options->work != FT_WORK_WORKLOAD)
		return usage_error("--seed goes with --throughput and --workload", NULL);
	if (options->work == FT_WORK_THROUGHPUT && strcmp(options->format->name, "text") != 0 &&
	    strcmp(options->format->name, "json") != 0)
		return usage_error("throughput is written as text or json", options->format->name);
	if (options->workload.option && options->work != FT_WORK_WORKLOAD)
		return usage_error("this goes with --workload", options->workload.option);
	if (options->work == FT_WORK_WORKLOAD && strcmp(options->format->name, "text") != 0 &&
	    strcmp(options->format->name, "json") != 0 && strcmp(options->format->name, "csv") != 0)
		return usage_error("workloads are written as text, json or csv", options->format->name);
	if (options->workload.two_placements && !options->workload.against)
		return usage_error("two placements go with --against: the second one is that of the other network",
				   "--placement");
	if (options->workload.against && options->design && strcmp(options->workload.against, "-") == 0 &&
	    strcmp(options->design, "-") == 0)
		return usage_error("--against and the design cannot both be standard input", NULL);
	if (options->work == FT_WORK_STAGES && strcmp(options->format->name, "text") != 0)
		return usage_error("stages are written as text", options->format->name);
	if (options->design || options->nodes || options->work == FT_WORK_CURVE || options->work == FT_WORK_STAGES ||
	    options->work == FT_WORK_INFER)
		return -1;
	return usage_error("a design file or --nodes is missing", NULL);
}

void ft_plan_options_release(struct ft_plan_options *options)
{
	free(options->tables);
}

int ft_plan_options_read(int argc, char **argv, struct ft_plan_options *options)
{
	static const struct option long_options[] = {
		{"format", required_argument, NULL, OPTION_FORMAT},
		{"catalog", required_argument, NULL, OPTION_CATALOG},
		{"alternatives", required_argument, NULL, OPTION_ALTERNATIVES},
		{"pareto", required_argument, NULL, OPTION_PARETO},
		{"stages", required_argument, NULL, OPTION_STAGES},
		{"compare", required_argument, NULL, OPTION_COMPARE},
		{"throughput", optional_argument, NULL, OPTION_THROUGHPUT},
		{"gap", required_argument, NULL, OPTION_GAP},
		{"verbose", no_argument, NULL, 'v'},
		{"infer", required_argument, NULL, OPTION_INFER},
		{"from", required_argument, NULL, OPTION_FROM},
		{"cables", required_argument, NULL, OPTION_CABLES},
		{"name", required_argument, NULL, OPTION_NAME},
		{"node-name-map", required_argument, NULL, OPTION_NODE_NAME_MAP},
		{"nodes", required_argument, NULL, OPTION_NODES},
		{"topology", required_argument, NULL, OPTION_TOPOLOGY},
		{"nodes-max", required_argument, NULL, OPTION_NODES_MAX},
		{"blocking", required_argument, NULL, OPTION_BLOCKING},
		{"levels", required_argument, NULL, OPTION_LEVELS},
		{"objective", required_argument, NULL, OPTION_OBJECTIVE},
		{"workload", required_argument, NULL, OPTION_WORKLOAD},
		{"against", required_argument, NULL, OPTION_AGAINST},
		{"placement", required_argument, NULL, OPTION_PLACEMENT},
		{"routing", required_argument, NULL, OPTION_ROUTING},
		{"switch-latency", required_argument, NULL, OPTION_SWITCH_LATENCY},
		{"host-overhead", required_argument, NULL, OPTION_HOST_OVERHEAD},
		{"seed", required_argument, NULL, OPTION_SEED},
		{"walk", no_argument, NULL, OPTION_WALK},
		{"switch", required_argument, NULL, OPTION_SWITCH},
		{"prefer-expandable", no_argument, NULL, OPTION_PREFER_EXPANDABLE},
		{"output", required_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{0},
	};
	int c;

	*options = (struct ft_plan_options){.format = ft_format_find("text"), .throughput = {.seed = 1}};
	ft_workload_options_init(&options->workload);
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":o:vhV", long_options, NULL)) != -1) {
		int status;

		if (c == '?' || c == ':') {
			_cleanup_(ft_text_release) struct ft_text why = {0};

			ft_usage_refused(long_options, argv, c, &why);
			return usage_error(ft_text_string(&why), NULL);
		}
		if (c == 'h') {
			fputs(help_text, stdout);
			return flush_output();
		}
		if (c == 'V') {
			puts("ftplan " PACKAGE_VERSION);
			return flush_output();
		}
		status = parse_option(options, c, optarg);
		if (status >= 0)
			return status;
	}
	return check_options(options, argc, argv);
}

int ft_plan_options_check_numbers(const struct ft_plan_options *options)
{
	const struct {
		const char *option, *value;
	} numbers[] = {{"--nodes-max", options->nodes_max}, {"--levels", options->levels}};

	for (size_t i = 0; i < FT_COUNT(numbers); i++)
		if (numbers[i].value &&
		    (strspn(numbers[i].value, "0123456789") != strlen(numbers[i].value) || !*numbers[i].value ||
		     strlen(numbers[i].value) > 9 || (numbers[i].value[0] == '0' && numbers[i].value[1])))
			return usage_error("must be a whole number", numbers[i].option);
	return FT_EXIT_OK;
}

int ft_plan_options_design(const struct ft_plan_options *options, struct ft_text *text)
{
	char nodes[16];

	snprintf(nodes, sizeof(nodes), "%u",
		 options->work == FT_WORK_STAGES ? options->stages[options->stage_count - 1] : options->last);
	ft_text_puts(text, "{\n  \"ftcheck\": 1,\n  \"name\": ");
	ft_text_add_json(text, options->name ? options->name : "plan");
	ft_text_printf(text, ",\n  \"nodes\": %s", options->nodes ? options->nodes : nodes);
	if (options->topology) {
		ft_text_puts(text, ",\n  \"topology\": ");
		ft_text_add_json(text, options->topology);
	}
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
