/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "planner/plan.h"

enum { STATUS_OK = 0, STATUS_UNKNOWN = 3 };

struct options {
	const char *design;
	const char *output; /* NULL: standard output */
	int (*write)(struct ft_text *, const struct ft_design *, const struct ft_plan *, struct ft_error *);
};

static int write_text(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		      struct ft_error *err)
{
	(void)err;
	ft_plan_write_text(text, design, plan);
	return 0;
}

static int write_json(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		      struct ft_error *err)
{
	(void)err;
	return ft_plan_write_design(text, design, plan);
}

static int write_ibsim(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		       struct ft_error *err)
{
	int r = ft_plan_check_ibsim(design, plan, err);

	if (r < 0)
		return r;
	ft_plan_write_ibsim(text, design, plan);
	return 0;
}

static const struct {
	const char *name;
	int (*write)(struct ft_text *, const struct ft_design *, const struct ft_plan *, struct ft_error *);
} formats[] = {
	{"text", write_text},
	{"json", write_json},
	{"ibsim", write_ibsim},
};

static const char help_text[] =
	"Usage: ftplan [OPTION]... DESIGN.json\n"
	"Turn a design (how many hosts, which switches) into the plan of an InfiniBand fabric.\n"
	"DESIGN.json is described in ftcheck-design(5); \"-\" reads standard input.\n"
	"\n"
	"  --format FORMAT    text (default), json (the design with its \"plan\") or\n"
	"                     ibsim (a network file of the intended fabric)\n"
	"  -o, --output FILE  write to FILE, in one piece or not at all\n"
	"  -h, --help         print this help\n"
	"  --version          print the version\n"
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

static int usage_error(const char *what, const char *argument)
{
	fprintf(stderr, "ftplan: %s%s%s\nTry 'ftplan --help'.\n", what, argument ? ": " : "", argument ? argument : "");
	return STATUS_UNKNOWN;
}

static int set_format(struct options *options, const char *name)
{
	for (size_t i = 0; i < FT_COUNT(formats); i++)
		if (strcmp(formats[i].name, name) == 0) {
			options->write = formats[i].write;
			return 0;
		}
	return -EINVAL;
}

/* Returns -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	enum { OPTION_FORMAT = 256, OPTION_VERSION };
	static const struct option long_options[] = {
		{"format", required_argument, NULL, OPTION_FORMAT},
		{"output", required_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, OPTION_VERSION},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1) {
		switch (c) {
		case OPTION_FORMAT:
			if (set_format(options, optarg) < 0)
				return usage_error("--format takes text, json or ibsim", optarg);
			break;
		case 'o':
			options->output = optarg;
			break;
		case 'h':
			fputs(help_text, stdout);
			return flush_output();
		case OPTION_VERSION:
			puts("ftplan " PACKAGE_VERSION);
			return flush_output();
		default:
			fputs("Try 'ftplan --help'.\n", stderr);
			return STATUS_UNKNOWN;
		}
	}
	if (optind == argc)
		return usage_error("a design file is missing", NULL);
	if (argc - optind > 1)
		return usage_error("one design file is enough", argv[optind + 1]);
	options->design = argv[optind];
	return -1;
}

static int design_error(const char *path, int code, const struct ft_error *err)
{
	if (code == -ENOMEM && !err->text[0])
		fprintf(stderr, "ftplan: out of memory\n");
	else if (err->line)
		fprintf(stderr, "%s:%u:%u: %s\n", path, err->line, err->column, err->text);
	else
		fprintf(stderr, "%s: %s\n", path, err->text);
	return STATUS_UNKNOWN;
}

int main(int argc, char **argv)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct options options = {.write = write_text};
	struct ft_error err = {0};
	int r;

	r = parse_options(argc, argv, &options);
	if (r >= 0)
		return r;
	r = ft_design_load(options.design, &design, &plan, &err);
	if (r == 0)
		r = options.write(&text, design, plan, &err);
	if (r == 0 && ft_text_failed(&text))
		r = -ENOMEM;
	if (r < 0)
		return design_error(options.design, r, &err);
	r = ft_file_write(options.output, &text);
	if (r < 0) {
		fprintf(stderr, "%s: %s\n", options.output ? options.output : "standard output", strerror(-r));
		return STATUS_UNKNOWN;
	}
	return STATUS_OK;
}
