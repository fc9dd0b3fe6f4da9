/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/usage.h"
#include "planner/design/only.h"
#include "planner/plan/design.h"
#include "verify/build/build.h"
#include "verify/cmd/complain.h"
#include "verify/model/report.h"
#include "verify/cmd/stray.h"

enum { COUNTERS_S = 10 };

static const char *const format_names[] = {"text", "json", "nagios", "svg", "dot", "csv"};

static const char help_text[] = "Usage: ftcheck [--plan DESIGN.json] [OPTION]...\n"
				"       ftcheck --since FILE [OPTION]...\n"
				"       ftcheck --diff FILE FILE2 [OPTION]...\n"
				"       ftcheck --status[=ADDRESS:PORT] [--format FORMAT] [-v]\n"
				"Compare an InfiniBand or Ethernet fabric with its plan: one finding for each\n"
				"fault, and how to fix it. See ftcheck(1).\n"
				"\n"
				"      --plan FILE        the design, see ftcheck-design(5) (default: the only\n"
				"                         one in " FT_SYSCONFDIR "/ftcheck)\n"
				"      --catalog CATALOG  the catalog of a design without its plan, see ftplan(1)\n"
				"      --cables FILE      the site's list of cables (CSV): check ports and hosts\n"
				"      --from FILE...     read a recorded fabric: ibnetdiscover or iblinkinfo\n"
				"                         output, cache of libibnetdisc, subnet list, LLDP\n"
				"                         neighbors (a file a machine) or snapshot, also\n"
				"                         gzipped; \"-\": stdin; or a time in the history of\n"
				"                         ftcheckd: \"yesterday 10:00\"\n"
				"      --since FILE       without a plan: what changed since that was recorded,\n"
				"                         or since that time: \"-2h\"\n"
				"      --diff FILE FILE2  what changed from one recording, or time, to the other\n"
				"      --state-directory DIR  where ftcheckd keeps that history (default:\n"
				"                         " FT_STATEDIR "/ftcheckd)\n"
				"      --before FILE      an earlier record: what is missing now is named as\n"
				"                         it was then\n"
				"      --node-name-map FILE  names for nodes; the format of infiniband-diags and\n"
				"                         OpenSM\n"
				"      --save FILE        record the observed fabric as a snapshot\n"
				"      --routes [PATH...]  check forwarding tables: those of the switches, or\n"
				"                         files (or directories) of ibroute, dump_lfts or OpenSM\n"
				"      --status[=ADDRESS:PORT]  print the report of the running ftcheckd\n"
				"                         (at " FT_STATUS_DEFAULT " by default)\n"
				"      --format FORMAT    text (default), json, nagios, or a drawing: svg or dot\n"
				"      --build            while it is built: the state of each planned cable, by\n"
				"                         rack, and work orders; --format csv lists these\n"
				"      --state FILE       keep the course of the build there: what is done, how\n"
				"                         it goes on\n"
				"      --clean MINUTES    done is right and clean for so long (default %u)\n"
				"      --day YYYY-MM-DD   judge what is due as on that day\n"
				"      --accept ID,...|all  write a candidate design in which these findings are\n"
				"                         the plan\n"
				"      --candidate FILE   the new file for it\n"
				"      --by NAME          who accepts (default: the user)\n"
				"      --why TEXT         and why\n"
				"      --repair           list what to do, in walking order, and the verdict\n"
				"                         after each step\n"
				"      --after N[:KIND]   report what happens if N more core switches (KIND core;\n"
				"                         in a graph any switches) or cables (cable) fail;\n"
				"                         without KIND, both\n"
				"      --throughput       report which share of its link each host can use if all\n"
				"                         send to all, and what each finding takes of it\n"
				"      --workload W,W,...  report how much longer these workloads take than as\n"
				"                         planned: all-to-all, binary-tree, butterfly,\n"
				"                         near-neighbor, n-bodies, random:W\n"
				"      --switch NAME      show each port of one switch, planned and observed;\n"
				"                         NAME is its name, its planned name or its GUID\n"
				"  -w, --warning PERCENT  losing less of the bisection than this is no warning\n"
				"  -c, --critical PERCENT  losing this much of it is critical (default %u)\n"
				"  -v, --verbose          print evidence, consequences and the table of switches\n"
				"\n"
				"      --sm               query the subnet managers: exactly one should be master\n"
				"      --counters[=SECONDS]  read the error counters of all ports twice, SECONDS\n"
				"                         apart (default %u)\n"
				"\n"
				"Live sweep:\n"
				"  -C, --Ca NAME          channel adapter (default: the first with a port up)\n"
				"  -P, --Port NUMBER      its port\n"
				"  -t, --timeout MS       how long to wait for one answer (default 1000)\n"
				"  -y, --m_key KEY        the M_Key of a protected fabric\n"
				"  -z, --config FILE      defaults of the live sweep (default:\n"
				"                         " FT_IBDIAG_CONF ")\n"
				"      --engine ENGINE    what sweeps: libibnetdisc; libibumad, faster in large\n"
				"                         fabrics; auto (default): by the size of the plan\n"
				"  -o, --outstanding_smps N  most MADs in flight (default %u; libibumad: %u)\n"
				"      --max-smps-per-switch N  most MADs in flight to one switch (default %u)\n"
				"      --max-smps-per-second N  most packets per second (libibumad only)\n"
				"      --retries N        how often to retry a request (default 3)\n"
				"      --deadline SECONDS  for the whole sweep (default %u)\n"
				"\n"
				"      --list-codes       print the finding codes with severity and meaning\n"
				"  -h, --help             print this help\n"
				"  -V, --version          print the version\n"
				"\n"
				"Exit status: 0 ok, 1 warning, 2 critical, 3 unknown.\n";

__attribute__((format(printf, 1, 2))) static int usage_error(const char *format, ...)
{
	char what[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return ft_complainf("ftcheck: %s; try 'ftcheck --help'", what);
}

/* A failed write of the help is a failure too: "ftcheck --help > /dev/full". */
static int printed(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return ft_complainf("ftcheck: standard output: %s", strerror(errno));
}

static int codes_print(FT_UNUSED struct ft_options *options, FT_UNUSED const char *value)
{
	for (unsigned int i = 0; i < FT_CODE_COUNT; i++)
		printf("%-17s %-9s %s\n", ft_codes[i].name, ft_severity_name(ft_codes[i].severity),
		       ft_codes[i].meaning);
	return printed();
}

static int help_print(FT_UNUSED struct ft_options *options, FT_UNUSED const char *value)
{
	printf(help_text, (unsigned int)FT_BUILD_CLEAN_S / 60, (unsigned int)FT_CRITICAL_DEFAULT,
	       (unsigned int)COUNTERS_S,
	       ft_sweep_max_smps(&(struct ft_sweep_options){.engine = FT_ENGINE_LIBIBNETDISC}),
	       ft_sweep_max_smps(&(struct ft_sweep_options){.engine = FT_ENGINE_LIBIBUMAD}),
	       ft_sweep_defaults.max_smps_per_switch, ft_sweep_defaults.deadline_ms / 1000);
	return printed();
}

static int version_print(FT_UNUSED struct ft_options *options, FT_UNUSED const char *value)
{
	puts("ftcheck " PACKAGE_VERSION);
	return printed();
}

static int format_set(struct ft_options *options, const char *name)
{
	for (unsigned int i = 0; i < FT_COUNT(format_names); i++)
		if (strcmp(format_names[i], name) == 0) {
			options->format = i;
			return -1;
		}
	return usage_error("--format takes text, json, nagios, svg, dot or, with --build, csv, not \"%s\"", name);
}

static int day_set(struct ft_options *options, const char *day)
{
	if (!ft_day_is_real(day))
		return usage_error("--day takes a day such as 2026-12-31, not \"%s\"", day);
	options->day = day;
	return -1;
}

static int diff_set(struct ft_options *options, const char *path)
{
	options->since = path;
	options->diff = true;
	return -1;
}

static int engine_set(struct ft_options *options, const char *name)
{
	options->sweep.engine = ft_engine_find(name);
	if (options->sweep.engine < FT_ENGINE_COUNT)
		return -1;
	return usage_error("--engine takes %s, %s or %s, not \"%s\"", ft_engine_name(FT_ENGINE_AUTO),
			   ft_engine_name(FT_ENGINE_LIBIBNETDISC), ft_engine_name(FT_ENGINE_LIBIBUMAD), name);
}

/* "2", "2:core", "2:switch", "2:cable" */
static int after_set(struct ft_options *options, const char *value)
{
	char *end;
	unsigned long count;
	bool known = false;

	errno = 0;
	count = strtoul(value, &end, 10);
	for (enum ft_after_kind kind = 0; kind < FT_AFTER_KINDS; kind++) {
		options->after_kinds[kind] = *end == '\0' || (*end == ':' && strcmp(end + 1, ft_after_name(kind)) == 0);
		known |= options->after_kinds[kind];
	}
	/* The plan determines which switches may fail. */
	options->after_kinds[FT_AFTER_CORE] |= options->after_kinds[FT_AFTER_SWITCH];
	options->after_kinds[FT_AFTER_SWITCH] = false;
	if (value[0] < '0' || value[0] > '9' || errno || count < 1 || count > FT_AFTER_COUNT_MAX || !known)
		return usage_error("--after takes a number from 1 to %d, and :core, :switch or :cable behind it or "
				   "none, not \"%s\"",
				   FT_AFTER_COUNT_MAX, value);
	options->after = (uint32_t)count;
	return -1;
}

static int workload_set(struct ft_options *options, const char *value)
{
	struct ft_error err = {0};

	if (ft_workload_read(value, &options->workloads, &err) == 0)
		return -1;
	return usage_error("--workload: %s", err.text);
}

/* Hexadecimal or decimal, as infiniband-diags take it. */
static int m_key_set(struct ft_options *options, const char *value)
{
	if (ft_m_key_read(value, &options->sweep.m_key) == 0)
		return -1;
	return usage_error("-y takes an M_Key of up to 64 bits, such as 0x1234abcd");
}

static int status_set(struct ft_options *options, const char *address)
{
	int r;

	address = address ? address : FT_STATUS_DEFAULT;
	options->ask = true;
	r = ft_status_address_read(address, &options->daemon);
	if (r == -EADDRNOTAVAIL)
		return usage_error("--status asks this machine only, and %s is no loopback address", address);
	if (r < 0)
		return usage_error("--status takes a port, " FT_STATUS_DEFAULT " or [::1]:9683, not \"%s\"", address);
	return -1;
}

/* The handlers of option values. */
enum kind {
	KIND_STRING, /* kept as it is */
	KIND_FLAG,
	KIND_NUMBER,
	KIND_PERCENT,
	KIND_CALL,  /* of a function */
	KIND_PRINT, /* likewise, without a value */
};

/* Conflicts of an option. */
enum {
	NOT_STATUS = 1 << 0, /* ftcheckd has its own plan and its own sweep options */
	NOT_FROM = 1 << 1,   /* needs the live fabric */
	ONLY_LIVE = NOT_STATUS | NOT_FROM,
};

struct range {
	unsigned int low, high, unit;
};

/* The options; two that conflict with a third are named in this order. */
static const struct row {
	const char *name;
	char letter; /* 0: it has none */
	enum kind kind;
	unsigned int apart;
	size_t offset; /* of what it sets */
	struct range range;
	unsigned int unsaid;					    /* the default of an optional number */
	bool optional;						    /* its value may be left out */
	int (*call)(struct ft_options *options, const char *value); /* returns -1 to continue, else the exit status */
} rows[] = {
#define AT(member) .offset = offsetof(struct ft_options, member)
	{"plan", 0, KIND_STRING, NOT_STATUS, AT(plan)},
	{"catalog", 0, KIND_STRING, NOT_STATUS, AT(catalog)},
	{"cables", 0, KIND_STRING, NOT_STATUS, AT(cables)},
	{"from", 0, KIND_STRING, NOT_STATUS, AT(from)},
	{"since", 0, KIND_STRING, NOT_STATUS, AT(since)},
	{"diff", 0, KIND_CALL, NOT_STATUS, .call = diff_set},
	{"before", 0, KIND_STRING, NOT_STATUS, AT(before)},
	{"state-directory", 0, KIND_STRING, NOT_STATUS, AT(state_directory)},
	{"save", 0, KIND_STRING, NOT_STATUS, AT(save)},
	{"build", 0, KIND_FLAG, NOT_STATUS, AT(build)},
	{"state", 0, KIND_STRING, NOT_STATUS, AT(state)},
	{"clean", 0, KIND_NUMBER, NOT_STATUS, AT(clean_ms), {1, 10080, 60000}},
	{"day", 0, KIND_CALL, NOT_STATUS, .call = day_set},
	{"accept", 0, KIND_STRING, NOT_STATUS, AT(accept)},
	{"candidate", 0, KIND_STRING, NOT_STATUS, AT(candidate)},
	{"by", 0, KIND_STRING, NOT_STATUS, AT(by)},
	{"why", 0, KIND_STRING, NOT_STATUS, AT(why)},
	{"repair", 0, KIND_FLAG, NOT_STATUS, AT(repair)},
	{"routes", 0, KIND_FLAG, NOT_STATUS, AT(routes)},
	{"after", 0, KIND_CALL, NOT_STATUS, .call = after_set},
	{"throughput", 0, KIND_FLAG, NOT_STATUS, AT(throughput)},
	{"workload", 0, KIND_CALL, NOT_STATUS, .call = workload_set},
	{"Ca", 'C', KIND_STRING, ONLY_LIVE, AT(sweep.ca)},
	{"ca", 0, KIND_STRING, ONLY_LIVE, AT(sweep.ca)},
	{"Port", 'P', KIND_NUMBER, ONLY_LIVE, AT(sweep.port), {1, 254, 1}},
	{"port", 0, KIND_NUMBER, ONLY_LIVE, AT(sweep.port), {1, 254, 1}},
	{"timeout", 't', KIND_NUMBER, ONLY_LIVE, AT(sweep.timeout_ms), {1, 600000, 1}},
	{"outstanding_smps", 'o', KIND_NUMBER, ONLY_LIVE, AT(sweep.max_smps), {1, 1024, 1}},
	{"node-name-map", 0, KIND_STRING, NOT_STATUS, AT(names)},
	{"config", 'z', KIND_STRING, ONLY_LIVE, AT(config)},
	{"m_key", 'y', KIND_CALL, ONLY_LIVE, .call = m_key_set},
	{"engine", 0, KIND_CALL, ONLY_LIVE, .call = engine_set},
	{"max-smps-per-switch", 0, KIND_NUMBER, ONLY_LIVE, AT(sweep.max_smps_per_switch), {1, 1024, 1}},
	{"max-smps-per-second", 0, KIND_NUMBER, ONLY_LIVE, AT(sweep.max_smps_per_second), {1, 10000000, 1}},
	{"retries", 0, KIND_NUMBER, ONLY_LIVE, AT(sweep.retries), {0, 100, 1}},
	{"deadline", 0, KIND_NUMBER, ONLY_LIVE, AT(sweep.deadline_ms), {1, 86400, 1000}},
	{"sm", 0, KIND_FLAG, ONLY_LIVE, AT(sm)},
	{"counters", 0, KIND_NUMBER, ONLY_LIVE, AT(counters_ms), {1, 86400, 1000}, COUNTERS_S, true},
	{"status", 0, KIND_CALL, 0, .optional = true, .call = status_set},
	{"format", 0, KIND_CALL, 0, .call = format_set},
	{"switch", 0, KIND_STRING, NOT_STATUS, AT(look_at)},
	{"warning", 'w', KIND_PERCENT, 0, AT(warning_percent)},
	{"critical", 'c', KIND_PERCENT, 0, AT(critical_percent)},
	{"verbose", 'v', KIND_FLAG, 0, AT(verbose)},
	{"list-codes", 0, KIND_PRINT, 0, .call = codes_print},
	{"help", 'h', KIND_PRINT, 0, .call = help_print},
	{"version", 'V', KIND_PRINT, 0, .call = version_print},
#undef AT
};

enum { LONG_ONLY = 256 }; /* above all letters: getopt_long()'s value for a row without a letter, minus its number */

/* Its name in messages: "-P", "--deadline". */
static const char *row_name(const struct row *row, char buffer[32])
{
	if (row->letter)
		snprintf(buffer, 32, "-%c", row->letter);
	else
		snprintf(buffer, 32, "--%s", row->name);
	return buffer;
}

static int number_set(const struct row *row, const char *value, unsigned int *to)
{
	unsigned long n = row->unsaid;
	char name[32], *end;

	if (value) {
		errno = 0;
		n = strtoul(value, &end, 10);
		if (value[0] < '0' || value[0] > '9' || *end || errno || n < row->range.low || n > row->range.high)
			return usage_error("%s takes a number from %u to %u, not \"%s\"", row_name(row, name),
					   row->range.low, row->range.high, value);
	}
	*to = (unsigned int)n * row->range.unit;
	return -1;
}

/* "20", "20%", as thresholds of monitors are written. */
static int percent_set(const struct row *row, const char *value, unsigned int *to)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || errno || n < 1 || n > 100 || end[*end == '%'])
		return usage_error("--%s takes a percentage from 1 to 100, not \"%s\"", row->name, value);
	*to = (unsigned int)n;
	return -1;
}

static int option_set(struct ft_options *options, const struct row *row, const char *value)
{
	char *to = (char *)options + row->offset;

	switch (row->kind) {
	case KIND_STRING:
		*(const char **)to = value;
		return -1;
	case KIND_FLAG:
		*(bool *)to = true;
		return -1;
	case KIND_NUMBER:
		return number_set(row, value, (unsigned int *)to);
	case KIND_PERCENT:
		return percent_set(row, value, (unsigned int *)to);
	case KIND_CALL:
	case KIND_PRINT:
		break;
	}
	return row->call(options, value);
}

static int argument_of(const struct row *row)
{
	return row->optional					   ? optional_argument
	       : row->kind == KIND_FLAG || row->kind == KIND_PRINT ? no_argument
								   : required_argument;
}

/* The rows in the form of getopt_long(). */
static void rows_write(struct option long_options[FT_COUNT(rows) + 1], char letters[2 * FT_COUNT(rows) + 2])
{
	*letters++ = ':';
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		const struct row *row = &rows[i];

		long_options[i] = (struct option){row->name, argument_of(row), NULL, LONG_ONLY + (int)i};
		if (row->letter)
			*letters++ = row->letter;
		if (row->letter && argument_of(row) == required_argument)
			*letters++ = ':';
	}
	long_options[FT_COUNT(rows)] = (struct option){0};
	*letters = '\0';
}

/* The row for a return value of getopt_long(). */
static const struct row *row_find(int c)
{
	for (size_t i = 0; i < FT_COUNT(rows); i++)
		if (c == LONG_ONLY + (int)i || (c != 0 && c == rows[i].letter))
			return &rows[i];
	return NULL;
}

/* Whether the format is Nagios, even if the command line has errors: the last --format counts. */
static bool nagios_is_asked(int argc, char **argv)
{
	_cleanup_free_ char **copy = calloc((size_t)argc + 1, sizeof(*copy));
	struct option long_options[FT_COUNT(rows) + 1];
	char letters[2 * FT_COUNT(rows) + 2];
	bool nagios = false;
	int c;

	if (!copy)
		return false;
	/* getopt_long() permutes the arguments. */
	memcpy(copy, argv, (size_t)argc * sizeof(*copy));
	rows_write(long_options, letters);
	optind = 0;
	while ((c = getopt_long(argc, copy, letters, long_options, NULL)) != -1) {
		const struct row *row = row_find(c);

		if (row && row->call == format_set)
			nagios = strcmp(optarg, format_names[FT_FORMAT_NAGIOS]) == 0;
	}
	optind = 0;
	return nagios;
}

static int refused(const struct option *long_options, char *const *argv, int c)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_usage_refused(long_options, argv, c, &text);
	return usage_error("%s", ft_text_string(&text));
}

/* @given: by row. Returns -1 to go on, else the exit status. */
static int rows_read(int argc, char **argv, struct ft_options *options, bool given[FT_COUNT(rows)])
{
	struct option long_options[FT_COUNT(rows) + 1];
	char letters[2 * FT_COUNT(rows) + 2];
	int c, r = -1;

	rows_write(long_options, letters);
	opterr = 0;
	while (r < 0 && (c = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		const struct row *row = row_find(c);

		if (!row)
			return refused(long_options, argv, c);
		given[row - rows] = true;
		r = option_set(options, row, optarg);
	}
	return r;
}

/* The first option given that has this mark, or NULL. */
static const char *given_apart(const bool given[FT_COUNT(rows)], unsigned int mark, char buffer[32])
{
	for (size_t i = 0; i < FT_COUNT(rows); i++)
		if (given[i] && rows[i].apart & mark)
			return row_name(&rows[i], buffer);
	return NULL;
}

static int stray(const struct ft_options *options, const struct option *before, const char *argument)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_stray_explain(options, before, argument, &text);
	return usage_error("%s", ft_text_string(&text));
}

/*
 * Arguments that are no options are the second file of --diff, the files of --routes, and else more files of --from.
 * @typed: the command line before getopt_long() moved its words. Returns -1 to go on, else the exit status.
 */
static int arguments_take(int argc, char **argv, char *const *typed, struct ft_options *options)
{
	struct option long_options[FT_COUNT(rows) + 1];
	char letters[2 * FT_COUNT(rows) + 2];

	rows_write(long_options, letters);
	if (options->diff && !options->from) {
		if (optind == argc)
			return usage_error("--diff takes two recordings; to hold one against the live fabric, --since");
		options->from = argv[optind++];
	}
	for (int i = optind; i < argc; i++) {
		const struct option *before = ft_usage_before(long_options, argc, typed, argv[i]);
		bool taken = options->routes || (!options->diff && ft_stray_is_recording(options, argv[i]));

		if (options->ask || !taken || ft_stray_is_value(before, argv[i]))
			return stray(options, before, argv[i]);
	}
	if (options->routes) {
		options->route_paths = (const char *const *)&argv[optind];
		options->route_path_count = (size_t)(argc - optind);
	} else {
		options->more_from = (const char *const *)&argv[optind];
		options->more_from_count = (size_t)(argc - optind);
	}
	return -1;
}

static bool is_stdin(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* --since takes the place of a plan, and excludes one. Returns -1 to go on, else the exit status. */
static int since_check(const struct ft_options *options)
{
	const char *name = options->diff ? "--diff" : "--since";
	const char *other = options->plan      ? "--plan"
			    : options->cables  ? "--cables"
			    : options->catalog ? "--catalog"
					       : NULL;

	if (options->since && other)
		return usage_error("%s compares with a recording, and %s belongs to a plan: leave out one of them",
				   name, other);
	return -1;
}

/* Checks that only one option reads standard input. Returns -1 to go on, else the exit status. */
static int files_check(const struct ft_options *options)
{
	if (is_stdin(options->save))
		return usage_error("--save takes a file: standard output is the report's");
	if (is_stdin(options->from) && is_stdin(options->since))
		return usage_error("only one recording can be standard input");
	if (is_stdin(options->from) && is_stdin(options->plan))
		return usage_error("--plan and --from cannot both be standard input");
	if (is_stdin(options->cables) && (is_stdin(options->plan) || is_stdin(options->from)))
		return usage_error("--cables and another cannot both be standard input");
	return -1;
}

/* A recorded fabric has no switches to read tables from. Returns -1 to go on, else the exit status. */
static int routes_check(const struct ft_options *options)
{
	if (options->routes && options->from && options->route_path_count == 0)
		return usage_error("--routes with --from takes the files that hold the forwarding tables");
	for (size_t i = 0; i < options->route_path_count; i++)
		if (is_stdin(options->route_paths[i]))
			return usage_error("--routes takes files, not standard input");
	return -1;
}

/* One switch is shown as a table or as JSON. Returns -1 to go on, else the exit status. */
static int look_check(const struct ft_options *options)
{
	if (!options->look_at)
		return -1;
	if (options->format != FT_FORMAT_TEXT && options->format != FT_FORMAT_JSON)
		return usage_error("--switch shows a table or JSON, not --format %s", format_names[options->format]);
	if (options->repair || options->after)
		return usage_error("--switch shows one switch; %s is about the whole fabric",
				   options->repair ? "--repair" : "--after");
	return -1;
}

/* The states of cables are a table of their own. Returns -1 to go on, else the exit status. */
static int build_check(const struct ft_options *options)
{
	const char *only = options->state		      ? "--state"
			   : options->clean_ms		      ? "--clean"
			   : options->format == FT_FORMAT_CSV ? "--format csv"
							      : NULL;
	const char *other = options->look_at  ? "--switch"
			    : options->since  ? "--since"
			    : options->repair ? "--repair"
			    : options->after  ? "--after"
					      : NULL;

	if (!options->build)
		return only ? usage_error("%s is about a build: add --build", only) : -1;
	if (other)
		return usage_error("--build lists what is to be done; %s does not go with it", other);
	if (options->format != FT_FORMAT_TEXT && options->format != FT_FORMAT_JSON && options->format != FT_FORMAT_CSV)
		return usage_error("--build is shown as text, json or csv, not --format %s",
				   format_names[options->format]);
	return -1;
}

/* Returns -1 to go on, else the exit status. */
static int accept_check(const struct ft_options *options)
{
	if (!options->accept)
		return options->candidate || options->by || options->why
			       ? usage_error("%s is about accepted findings: add --accept ID", options->candidate
												       ? "--candidate"
											       : options->by ? "--by"
													     : "--why")
			       : -1;
	if (!options->candidate)
		return usage_error("--accept writes a new design: add --candidate FILE");
	if (options->since || options->build || options->look_at)
		return usage_error("--accept is about the findings of a plan; %s does not go with it",
				   options->since   ? "--since"
				   : options->build ? "--build"
						    : "--switch");
	if (options->cables)
		return usage_error("--accept takes the cables from the design: import the list first, by ftplan "
				   "--cables");
	return -1;
}

/* Checks combinations of options, after all are read. Returns -1 to go on, else the exit status. */
static int options_check(const struct ft_options *options, const bool given[FT_COUNT(rows)])
{
	static int (*const checks[])(const struct ft_options *) = {since_check, look_check, build_check, accept_check,
								   files_check};
	char buffer[32];
	const char *name = given_apart(given, options->ask ? NOT_STATUS : NOT_FROM, buffer);
	bool drawn = options->format == FT_FORMAT_SVG || options->format == FT_FORMAT_DOT;
	struct ft_error err = {0};
	int r = -1;

	if (options->warning_percent > options->critical_percent)
		return usage_error("--warning %u is more than --critical %u: nothing would be a warning",
				   options->warning_percent, options->critical_percent);
	if (options->ask && name)
		return usage_error("--status prints the report of ftcheckd; %s does not go with it", name);
	if (options->ask && drawn)
		return usage_error("--format %s draws the plan, and ftcheckd's report comes without it",
				   format_names[options->format]);
	if (options->ask)
		return -1;
	if (!options->from && ft_sweep_options_check(&options->sweep, &err) < 0)
		return usage_error("%s", err.text);
	for (size_t i = 0; r < 0 && i < FT_COUNT(checks); i++)
		r = checks[i](options);
	if (r >= 0)
		return r;
	if (options->from && name)
		return usage_error("%s is for the live fabric, and --from reads a recorded one: leave out one of them",
				   name);
	return routes_check(options);
}

static bool is_given(const bool given[FT_COUNT(rows)], const char *name)
{
	for (size_t i = 0; i < FT_COUNT(rows); i++)
		if (given[i] && strcasecmp(rows[i].name, name) == 0)
			return true;
	return false;
}

/*
 * Defaults from the site's configuration; the command line takes precedence. Returns -1 to go on, else the exit status.
 */
static int ibdiag_take(struct ft_options *options, const bool given[FT_COUNT(rows)])
{
	struct ft_error err = {0};
	int r = ft_ibdiag_load(options->config, &options->ibdiag, &err);

	if (r < 0)
		return ft_file_error(err.file ? err.file : options->config, r, &err);
	if (!is_given(given, "Ca") && options->ibdiag.ca[0])
		options->sweep.ca = options->ibdiag.ca;
	if (!is_given(given, "Port"))
		options->sweep.port = (int)options->ibdiag.port;
	if (!is_given(given, "timeout") && options->ibdiag.timeout_ms)
		options->sweep.timeout_ms = options->ibdiag.timeout_ms;
	if (!is_given(given, "m_key"))
		options->sweep.m_key = options->ibdiag.m_key;
	return -1;
}

/* Uses the only plan there is. Returns -1 to go on, else the exit status. */
static int plan_take(struct ft_options *options)
{
	_cleanup_free_ char *path = NULL;
	struct ft_error err = {0};
	int r = ft_plan_default(FT_SYSCONFDIR "/ftcheck", &path, &err);

	if (r < 0)
		return usage_error("%s", err.text[0] ? err.text : strerror(-r));
	if (strlen(path) >= sizeof(options->plan_path))
		return usage_error("--plan FILE is missing");
	strcpy(options->plan_path, path);
	options->plan = options->plan_path;
	options->plan_found = true;
	return -1;
}

int ft_options_read(int argc, char **argv, struct ft_options *ret_options)
{
	struct ft_options options = {.sweep = ft_sweep_defaults,
				     .critical_percent = FT_CRITICAL_DEFAULT,
				     .state_directory = FT_STATEDIR "/ftcheckd"};
	bool given[FT_COUNT(rows)] = {false};
	_cleanup_free_ char **typed = calloc((size_t)argc + 1, sizeof(*typed));
	int r;

	if (!typed)
		return usage_error("%s", strerror(ENOMEM));
	memcpy(typed, argv, (size_t)argc * sizeof(*typed));
	ft_complain_to_nagios(nagios_is_asked(argc, argv));
	r = rows_read(argc, argv, &options, given);
	if (r < 0)
		r = arguments_take(argc, argv, typed, &options);
	if (r < 0)
		r = options_check(&options, given);
	if (r >= 0)
		return r;
	*ret_options = options;
	if (options.ask)
		return -1;
	if (!options.from)
		r = ibdiag_take(ret_options, given);
	if (options.since)
		ret_options->plan = options.since;
	if (r < 0 && !ret_options->plan)
		r = plan_take(ret_options);
	return r;
}
