/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* ftcheck: hold the live (or a recorded) fabric against the plan, print a report, exit with the verdict. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "planner/plan.h"
#include "planner/sheet.h"
#include "planner/site.h"
#include "probe/counters.h"
#include "probe/routes.h"
#include "probe/sms.h"
#include "probe/source.h"
#include "verify/after.h"
#include "verify/repair.h"
#include "verify/report_draw.h"
#include "verify/resolve.h"
#include "verify/status.h"
#include "verify/verify.h"

enum { STATUS_UNKNOWN = 3, COUNTERS_S = 10 };

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_NAGIOS, FORMAT_SVG, FORMAT_DOT };

static const char *const format_names[] = {"text", "json", "nagios", "svg", "dot"};

struct options {
	const char *plan;
	const char *catalog; /* NULL: none is named */
	const char *cables;  /* the site's list of cables; NULL: none */
	const char *from;    /* NULL: live */
	const char *save;
	bool routes;			/* forwarding tables too */
	const char *const *route_paths; /* files or directories of them */
	size_t route_path_count;	/* 0: from the switches */
	bool ask;			/* a running ftcheckd, at @daemon, instead of looking at the fabric */
	struct ft_status_address daemon;
	enum format format;
	bool verbose;
	bool repair;
	uint32_t after; /* so many more failures; 0: not asked for */
	bool after_kinds[FT_AFTER_KINDS];
	const char *sweep_option; /* the last one given that is about the sweep; NULL: none */
	struct ft_sweep_options sweep;
	bool sm;
	unsigned int counters_ms; /* between two readings; 0: none */
};

/* What is read beside the fabric itself, where it is asked for. */
struct extras {
	struct ft_sms *sms;
	struct ft_counters *counters;
	struct ft_routes *routes; /* of --from, or of the sweep */
};

static const char help_text[] =
	"Usage: ftcheck --plan DESIGN.json [OPTION]...\n"
	"       ftcheck --status[=ADDRESS:PORT] [--format FORMAT] [-v]\n"
	"Hold an InfiniBand fabric against its plan: one finding a fault, and what to do about it.\n"
	"\n"
	"      --plan FILE        the design, see ftcheck-design(5)\n"
	"      --catalog CATALOG  where a design without its plan chooses switches from, as in ftplan(1)\n"
	"      --cables FILE      the site's list of cables, as CSV: ports and hosts are checked too\n"
	"      --from FILE        a recorded fabric instead of the live one: ibnetdiscover output, a\n"
	"                         libibnetdisc cache, subnet list, or what --save wrote; \"-\": stdin\n"
	"      --save FILE        keep what was seen\n"
	"      --routes [PATH...]  forwarding tables too, and where they lead: those of the switches or, with\n"
	"                         PATH, files or directories of what ibroute, dump_lfts or OpenSM wrote\n"
	"      --status[=ADDRESS:PORT]  the report of the running ftcheckd (default " FT_STATUS_DEFAULT ")\n"
	"      --format FORMAT    text (default), json, nagios, or a drawing: svg or dot\n"
	"      --repair           what to do, in the order of one walk, and the verdict after each step\n"
	"      --after N[:KIND]   what if N more core switches (KIND core), cables (cable), or either fail\n"
	"  -v, --verbose          with evidence, consequences and the table of switches\n"
	"\n"
	"      --sm               who manages the subnet: one master, and which others stand by\n"
	"      --counters[=SECONDS]  read the error counters of all ports twice, so far apart (default %u)\n"
	"\n"
	"The live sweep:\n"
	"  -C, --Ca NAME          channel adapter (default: the first with an InfiniBand port that is up)\n"
	"  -P, --Port NUMBER      its port\n"
	"  -t, --timeout MS       how long to wait for one answer (default 1000)\n"
	"  -o, --outstanding_smps N  management packets on the wire at a time (default %u)\n"
	"      --retries N        of one packet (default 3)\n"
	"      --deadline SECONDS of the whole sweep (default %u)\n"
	"\n"
	"      --list-codes       print the finding codes with severity and meaning\n"
	"  -h, --help             print this help\n"
	"      --version          print the version\n"
	"\n"
	"Exit status: 0 ok, 1 warning, 2 critical, 3 unknown.\n";

__attribute__((format(printf, 1, 2))) static int usage_error(const char *format, ...)
{
	va_list args;

	fputs("ftcheck: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs("; try 'ftcheck --help'\n", stderr);
	return STATUS_UNKNOWN;
}

/* A failed write of the help is a failure too: "ftcheck --help > /dev/full". */
static int printed(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	fprintf(stderr, "ftcheck: standard output: %s\n", strerror(errno));
	return STATUS_UNKNOWN;
}

static int codes_list(void)
{
	for (unsigned int i = 0; i < FT_CODE_COUNT; i++)
		printf("%-17s %-9s %s\n", ft_codes[i].name, ft_severity_name(ft_codes[i].severity),
		       ft_codes[i].meaning);
	return printed();
}

/* The options with a number, their ranges, and where the number goes. */
struct number_option {
	int option;
	const char *name;
	unsigned int low, high, unit;
	unsigned int *to;
};

static int number_set(const struct number_option *numbers, size_t count, int option, const char *value,
		      const char **ret_name)
{
	for (size_t i = 0; i < count; i++) {
		char *end;
		unsigned long n;

		if (numbers[i].option != option)
			continue;
		errno = 0;
		n = strtoul(value, &end, 10);
		if (value[0] < '0' || value[0] > '9' || *end || errno || n < numbers[i].low || n > numbers[i].high)
			return usage_error("%s takes a number from %u to %u, not \"%s\"", numbers[i].name,
					   numbers[i].low, numbers[i].high, value);
		*numbers[i].to = (unsigned int)n * numbers[i].unit;
		*ret_name = numbers[i].name;
		return 0;
	}
	return STATUS_UNKNOWN;
}

static int format_set(struct options *options, const char *name)
{
	for (unsigned int i = 0; i < FT_COUNT(format_names); i++)
		if (strcmp(format_names[i], name) == 0) {
			options->format = i;
			return 0;
		}
	return usage_error("--format takes text, json, nagios, svg or dot, not \"%s\"", name);
}

/* "2", "2:core", "2:cable" */
static int after_set(struct options *options, const char *value)
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
	if (value[0] < '0' || value[0] > '9' || errno || count < 1 || count > FT_AFTER_COUNT_MAX || !known)
		return usage_error(
			"--after takes a number from 1 to %d, and :core or :cable behind it or neither, not \"%s\"",
			FT_AFTER_COUNT_MAX, value);
	options->after = (uint32_t)count;
	return 0;
}

static int status_set(struct options *options, const char *address)
{
	int r = ft_status_address_read(address, &options->daemon);

	options->ask = true;
	if (r == -EADDRNOTAVAIL)
		return usage_error("--status asks this machine only, and %s is no loopback address", address);
	if (r < 0)
		return usage_error("--status takes a port, " FT_STATUS_DEFAULT " or [::1]:9683, not \"%s\"", address);
	return 0;
}

/* ftcheckd has its own plan and its own way to look at the fabric. Returns -1 to go on. */
static int status_alone(const struct options *options)
{
	const struct {
		const char *given, *name;
	} others[] = {
		{options->plan, "--plan"},
		{options->catalog, "--catalog"},
		{options->cables, "--cables"},
		{options->from, "--from"},
		{options->save, "--save"},
		{options->repair ? "" : NULL, "--repair"},
		{options->routes ? "" : NULL, "--routes"},
		{options->after ? "" : NULL, "--after"},
		{options->sweep_option, options->sweep_option},
		{options->sm ? "" : NULL, "--sm"},
		{options->counters_ms ? "" : NULL, "--counters"},
	};

	for (size_t i = 0; i < FT_COUNT(others); i++)
		if (others[i].given)
			return usage_error("--status prints the report of ftcheckd; %s does not go with it",
					   others[i].name);
	if (options->format == FORMAT_SVG || options->format == FORMAT_DOT)
		return usage_error("--format %s draws the plan, and ftcheckd's report comes without it",
				   format_names[options->format]);
	return -1;
}

/* What only a live fabric answers. Returns -1 to go on. */
static int live_only(const struct options *options)
{
	if (options->from && (options->sm || options->counters_ms))
		return usage_error("%s asks the live fabric; --from is a recorded one",
				   options->sm ? "--sm" : "--counters");
	return -1;
}

/* A recorded fabric cannot be asked for its tables. Returns -1 to go on. */
static int routes_check(const struct options *options)
{
	if (options->routes && options->from && options->route_path_count == 0)
		return usage_error("--routes with --from takes the files that hold the forwarding tables");
	for (size_t i = 0; i < options->route_path_count; i++)
		if (strcmp(options->route_paths[i], "-") == 0)
			return usage_error("--routes takes files, not standard input");
	return -1;
}

/* Returns -1 to go on, else the exit status. */
static int options_parse(int argc, char **argv, struct options *options)
{
	enum {
		PLAN = 256,
		AFTER,
		CATALOG,
		CABLES,
		FROM,
		SAVE,
		ROUTES,
		ASK,
		FORMAT,
		REPAIR,
		SM,
		COUNTERS,
		RETRIES,
		DEADLINE,
		LIST_CODES,
		SHOW_VERSION
	};
	static const struct option long_options[] = {
		{"plan", required_argument, NULL, PLAN},
		{"catalog", required_argument, NULL, CATALOG},
		{"cables", required_argument, NULL, CABLES},
		{"from", required_argument, NULL, FROM},
		{"save", required_argument, NULL, SAVE},
		{"routes", no_argument, NULL, ROUTES},
		{"status", optional_argument, NULL, ASK}, /* its value may be left out */
		{"repair", no_argument, NULL, REPAIR},
		{"sm", no_argument, NULL, SM},
		{"counters", optional_argument, NULL, COUNTERS},
		{"format", required_argument, NULL, FORMAT},
		{"verbose", no_argument, NULL, 'v'},
		{"Ca", required_argument, NULL, 'C'},
		{"Port", required_argument, NULL, 'P'},
		{"timeout", required_argument, NULL, 't'},
		{"outstanding_smps", required_argument, NULL, 'o'},
		{"retries", required_argument, NULL, RETRIES},
		{"deadline", required_argument, NULL, DEADLINE},
		{"list-codes", no_argument, NULL, LIST_CODES},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, SHOW_VERSION},
		{"after", required_argument, NULL, AFTER},
		{0},
	};
	unsigned int port = 0;
	const struct number_option numbers[] = {
		{'P', "-P", 1, 254, 1, &port},
		{'t', "-t", 1, 600000, 1, &options->sweep.timeout_ms},
		{'o', "-o", 1, 1024, 1, &options->sweep.max_smps},
		{RETRIES, "--retries", 0, 100, 1, &options->sweep.retries},
		{DEADLINE, "--deadline", 1, 86400, 1000, &options->sweep.deadline_ms},
	};
	const struct number_option seconds = {COUNTERS, "--counters", 1, 86400, 1000, &options->counters_ms};
	const char *ignored;
	int c, r = 0;

	while (r == 0 && (c = getopt_long(argc, argv, "vC:P:t:o:h", long_options, NULL)) != -1) {
		switch (c) {
		case PLAN:
			options->plan = optarg;
			break;
		case CATALOG:
			options->catalog = optarg;
			break;
		case CABLES:
			options->cables = optarg;
			break;
		case FROM:
			options->from = optarg;
			break;
		case SAVE:
			options->save = optarg;
			break;
		case ROUTES:
			options->routes = true;
			break;
		case ASK:
			r = status_set(options, optarg ? optarg : FT_STATUS_DEFAULT);
			break;
		case SM:
			options->sm = true;
			break;
		case COUNTERS:
			options->counters_ms = COUNTERS_S * 1000;
			r = optarg ? number_set(&seconds, 1, c, optarg, &ignored) : 0;
			break;
		case FORMAT:
			r = format_set(options, optarg);
			break;
		case AFTER:
			r = after_set(options, optarg);
			break;
		case REPAIR:
			options->repair = true;
			break;
		case 'v':
			options->verbose = true;
			break;
		case 'C':
			options->sweep.ca = optarg;
			options->sweep_option = "-C";
			break;
		case 'h':
			printf(help_text, COUNTERS_S, ft_sweep_defaults.max_smps, ft_sweep_defaults.deadline_ms / 1000);
			return printed();
		case LIST_CODES:
			return codes_list();
		case SHOW_VERSION:
			puts("ftcheck " PACKAGE_VERSION);
			return printed();
		case '?':
			fputs("Try 'ftcheck --help'.\n", stderr);
			return STATUS_UNKNOWN;
		default:
			r = number_set(numbers, FT_COUNT(numbers), c, optarg, &options->sweep_option);
		}
	}
	if (r != 0)
		return r;
	options->sweep.port = (int)port;
	if (optind < argc && options->ask)
		return usage_error("there is no argument \"%s\" to take (an address is written --status=ADDRESS:PORT)",
				   argv[optind]);
	if (options->routes) {
		options->route_paths = (const char *const *)&argv[optind];
		options->route_path_count = (size_t)(argc - optind);
	} else if (optind < argc) {
		return usage_error("there is no argument \"%s\" to take (the design goes behind --plan)", argv[optind]);
	}
	if (options->ask)
		return status_alone(options);
	if (!options->plan)
		return usage_error("--plan FILE is missing");
	if (options->save && strcmp(options->save, "-") == 0)
		return usage_error("--save takes a file: standard output is the report's");
	if (options->from && strcmp(options->from, "-") == 0 && strcmp(options->plan, "-") == 0)
		return usage_error("--plan and --from cannot both be standard input");
	if (options->cables && strcmp(options->cables, "-") == 0 &&
	    (strcmp(options->plan, "-") == 0 || (options->from && strcmp(options->from, "-") == 0)))
		return usage_error("--cables and another cannot both be standard input");
	r = live_only(options);
	return r >= 0 ? r : routes_check(options);
}

/* One line: FILE:LINE:COLUMN: what is wrong. */
static int file_error(const char *path, int code, const struct ft_error *err)
{
	_cleanup_free_ char *safe = ft_text_safe_dup(path, strlen(path));
	const char *file = safe ? safe : "file";

	if (err->text[0] == '\0')
		fprintf(stderr, "ftcheck: %s: %s\n", file, strerror(-code));
	else if (err->line > 0)
		fprintf(stderr, "%s:%u:%u: %s\n", file, err->line, err->column, err->text);
	else
		fprintf(stderr, "%s: %s\n", file, err->text);
	return STATUS_UNKNOWN;
}

static int snapshot_take(const struct options *options, struct ft_snapshot **ret_snapshot,
			 struct ft_routes **ret_routes)
{
	struct ft_error err = {0};
	int r;

	if (options->from) {
		r = ft_source_load(options->from, ret_snapshot, &err);
		return r < 0 ? file_error(options->from, r, &err) : 0;
	}
	if (options->routes && options->route_path_count == 0)
		r = ft_sweep_routes(&options->sweep, ret_snapshot, ret_routes, &err);
	else
		r = ft_sweep(&options->sweep, ret_snapshot, &err);
	return r < 0 ? file_error("ftcheck", r, &err) : 0;
}

static void extras_release(struct extras *extras)
{
	ft_sms_free(extras->sms);
	ft_counters_free(extras->counters);
	ft_routes_free(extras->routes);
}

static int extras_take(const struct options *options, const struct ft_snapshot *snapshot, struct extras *extras)
{
	struct ft_error err = {0};
	int r = 0;

	if (options->sm)
		r = ft_sms_ask(&options->sweep, snapshot, &extras->sms, &err);
	if (r == 0 && options->counters_ms)
		r = ft_counters_read(&options->sweep, snapshot, options->counters_ms, &extras->counters, &err);
	return r < 0 ? file_error("ftcheck", r, &err) : 0;
}

static int routes_take(const struct options *options, const struct ft_snapshot *snapshot, struct ft_routes **ret_routes)
{
	_cleanup_free_ char *file = NULL;
	struct ft_error err = {0};
	int r;

	if (options->route_path_count == 0)
		return 0;
	r = ft_routes_load(options->route_paths, options->route_path_count, snapshot, ret_routes, &file, &err);
	return r < 0 ? file_error(file ? file : "--routes", r, &err) : 0;
}

static int snapshot_keep(const char *path, const struct ft_snapshot *snapshot)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	int r;

	ft_snapshot_write_json(&text, snapshot);
	r = ft_text_failed(&text) ? -ENOMEM : ft_file_write(path, &text);
	return r < 0 ? file_error(path, r, &(struct ft_error){0}) : 0;
}

/* What only a main knows: names of files, clocks. */
static int report_complete(struct ft_report *report, const struct options *options, const struct ft_design *design,
			   const struct ft_snapshot *snapshot)
{
	int r;

	r = ft_report_set_plan(report, options->plan, design);
	if (r < 0)
		return r;
	/* A snapshot saved from a live sweep is a file all the same when it is read back. */
	if (options->from) {
		free(report->source.detail);
		report->source.live = false;
		report->source.detail = ft_text_safe_dup(options->from, strlen(options->from));
		if (!report->source.detail)
			return -ENOMEM;
	}
	report->time_s = snapshot->source.time_s ? snapshot->source.time_s : (int64_t)time(NULL);
	return 0;
}

/* @plan with its @design: NULL where the report is somebody else's. */
static int report_print(const struct ft_report *report, const struct options *options, const struct ft_design *design,
			const struct ft_plan *plan)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
	bool colour =
		isatty(STDOUT_FILENO) && !(no_colour && no_colour[0]) && terminal && strcmp(terminal, "dumb") != 0;
	struct ft_error err = {0};
	int r = 0;

	switch (options->format) {
	case FORMAT_TEXT:
		ft_report_write_text(&text, report, options->verbose, colour);
		break;
	case FORMAT_JSON:
		ft_report_write_json(&text, report);
		break;
	case FORMAT_NAGIOS:
		ft_report_write_nagios(&text, report);
		break;
	case FORMAT_SVG:
		r = ft_report_write_svg(&text, report, design, plan, &err);
		break;
	case FORMAT_DOT:
		r = ft_report_write_dot(&text, report, design, plan, &err);
		break;
	}
	if (r < 0)
		return file_error("ftcheck", r, &err);
	r = ft_text_failed(&text) ? -ENOMEM : ft_file_write(NULL, &text);
	return r < 0 ? file_error("standard output", r, &err) : 0;
}

static int report_print_verdict(const struct ft_report *report, const struct options *options,
				const struct ft_design *design, const struct ft_plan *plan)
{
	int r = report_print(report, options, design, plan);

	return r != 0 ? r : ft_verdict_status(report->verdict);
}

static int daemon_ask(const struct options *options)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	struct ft_error err = {0};
	int r;

	r = ft_status_ask(&options->daemon, &report, &err);
	if (r == 0)
		return report_print_verdict(report, options, NULL, NULL);
	if (err.text[0] == '\0')
		return file_error("ftcheck", r, &err);
	fprintf(stderr, "%s\n", err.text);
	return STATUS_UNKNOWN;
}

static int design_take(const struct options *options, struct ft_design **ret_design, struct ft_plan **ret_plan)
{
	_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = NULL;
	struct ft_error err = {0};
	int r;

	if (options->catalog) {
		r = ft_catalog_load(options->catalog, &catalog, &err);
		if (r < 0)
			return file_error(options->catalog, r, &err);
	}
	r = ft_design_load_with(options->plan, catalog, ret_design, ret_plan, &err);
	if (r == 0)
		r = ft_verify_check_plan(*ret_plan, &err);
	return r < 0 ? file_error(options->plan, r, &err) : 0;
}

/* The site's list of cables becomes part of the design and the plan. What was passed over is told on one line. */
static int cables_take(const struct options *options, const struct ft_snapshot *snapshot, struct ft_design *design,
		       struct ft_plan *plan)
{
	_cleanup_(ft_sheet_release) struct ft_sheet sheet = {0};
	_cleanup_(ft_text_release) struct ft_text faults = {0}, notes = {0}, text = {0};
	_cleanup_free_ struct ft_site_switch *known = NULL;
	size_t known_count = 0;
	struct ft_error err = {0};
	int r;

	r = ft_sheet_load(options->cables, &sheet, &err);
	if (r == 0)
		r = ft_resolve_switches(snapshot, &known, &known_count);
	if (r == 0)
		r = ft_site_import(design, plan, &sheet, known, known_count, &faults, &notes, &err);
	if (r == 1 || (r == 0 && options->verbose))
		ft_site_tell(&text, options->cables, ft_text_string(&faults), ft_text_string(&notes));
	if (r >= 0 && ft_text_failed(&text))
		r = -ENOMEM;
	if (r < 0)
		return file_error(options->cables, r, &err);
	fputs(ft_text_string(&text), stderr);
	return 0;
}

int main(int argc, char **argv)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(extras_release) struct extras extras = {0};
	struct options options = {.sweep = ft_sweep_defaults};
	struct ft_verify_input input;
	struct ft_error err = {0};
	char today[11];
	time_t now = time(NULL);
	struct tm tm;
	int r;

	r = options_parse(argc, argv, &options);
	if (r >= 0)
		return r;
	if (options.ask)
		return daemon_ask(&options);
	r = design_take(&options, &design, &plan);
	if (r != 0)
		return r;
	r = snapshot_take(&options, &snapshot, &extras.routes);
	if (r == 0)
		r = routes_take(&options, snapshot, &extras.routes);
	if (r == 0 && options.save)
		r = snapshot_keep(options.save, snapshot);
	if (r == 0)
		r = extras_take(&options, snapshot, &extras);
	if (r == 0 && options.cables)
		r = cables_take(&options, snapshot, design, plan);
	if (r != 0)
		return r;
	if (!gmtime_r(&now, &tm) || strftime(today, sizeof(today), "%Y-%m-%d", &tm) == 0)
		return file_error("ftcheck", -EOVERFLOW, &err);
	input = (struct ft_verify_input){.design = design,
					 .plan = plan,
					 .snapshot = snapshot,
					 .today = today,
					 .sms = extras.sms,
					 .counters = extras.counters,
					 .routes = extras.routes};
	r = ft_verify_all(&input, &report);
	if (r == 0 && options.repair)
		r = ft_repair_make(&input, report);
	for (enum ft_after_kind kind = 0; r == 0 && kind < FT_AFTER_KINDS; kind++)
		if (options.after && options.after_kinds[kind])
			r = ft_after_add(&input, kind, options.after, report);
	if (r == 0)
		r = report_complete(report, &options, design, snapshot);
	if (r < 0)
		return file_error("ftcheck", r, &err);
	return report_print_verdict(report, &options, design, plan);
}
