/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* ftcheckd: monitors the fabric, and reports each fault once, and once its repair. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/usage.h"
#include "daemon/conf.h"
#include "daemon/loop.h"
#include "planner/plan/plan.h"
#include "verify/model/verify.h"

struct options {
	struct ft_daemon_options daemon;
	bool check_config;
};

static const char help_text[] = "Usage: ftcheckd [OPTION]...\n"
				"Watch a fabric and alert on deviations from its plan: ftcheckd(8).\n"
				"\n"
				"      --config FILE          configuration file (default:\n"
				"                             " FT_SYSCONFDIR "/ftcheck/ftcheckd.conf)\n"
				"      --instance NAME        section of the configuration to use; a name such as\n"
				"                             \"mlx5_0:1\" also selects that port\n"
				"      --state-directory DIR  where to keep alerts (default: set by systemd, or\n"
				"                             " FT_STATEDIR "/ftcheckd)\n"
				"      --check-config         check the configuration and its plans, and exit\n"
				"\n"
				"  -h, --help                 print this help\n"
				"  -V, --version              print the version\n"
				"\n"
				"SIGHUP reads the configuration and the plan again; SIGTERM ends the daemon.\n"
				"Exit status: 0; 1 for a failure of the system, such as a lack of memory;\n"
				"3 for a bad option, configuration or plan.\n";

/* A failed write of the help is a failure too. */
static int printed(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	fprintf(stderr, "ftcheckd: standard output: %s\n", strerror(errno));
	return FT_DAEMON_FAILED;
}

static int usage_error(const struct ft_text *why)
{
	fprintf(stderr, "ftcheckd: %s; try 'ftcheckd --help'\n", ft_text_string(why));
	return FT_DAEMON_REFUSED;
}

/* Returns -1 to go on, else the exit status. */
static int options_parse(int argc, char **argv, struct options *options)
{
	enum { CONFIG = 256, INSTANCE, STATE_DIRECTORY, CHECK_CONFIG };
	static const struct option long_options[] = {
		{"config", required_argument, NULL, CONFIG},
		{"instance", required_argument, NULL, INSTANCE},
		{"state-directory", required_argument, NULL, STATE_DIRECTORY},
		{"check-config", no_argument, NULL, CHECK_CONFIG},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{0},
	};
	_cleanup_(ft_text_release) struct ft_text why = {0};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":hV", long_options, NULL)) != -1) {
		switch (c) {
		case CONFIG:
			options->daemon.config = optarg;
			break;
		case INSTANCE:
			/* The default of units and scripts. */
			options->daemon.instance = optarg[0] ? optarg : NULL;
			break;
		case STATE_DIRECTORY:
			options->daemon.state_directory = optarg;
			break;
		case CHECK_CONFIG:
			options->check_config = true;
			break;
		case 'h':
			fputs(help_text, stdout);
			return printed();
		case 'V':
			puts("ftcheckd " PACKAGE_VERSION);
			return printed();
		default:
			ft_usage_refused(long_options, argv, c, &why);
			return usage_error(&why);
		}
	}
	if (optind == argc)
		return -1;
	ft_text_puts(&why, "\"");
	ft_text_add_safe(&why, argv[optind], strlen(argv[optind]));
	ft_text_puts(&why, "\" belongs to no option; the configuration goes behind --config, and names the plan");
	return usage_error(&why);
}

static int file_error(const char *file, int code, const struct ft_error *err)
{
	const char *of = err->file ? err->file : file;
	_cleanup_free_ char *safe = ft_text_safe_dup(of, strlen(of));
	const char *text = err->text[0] ? err->text : strerror(-code);

	if (err->line > 0)
		fprintf(stderr, "%s:%u:%u: %s\n", safe ? safe : "file", err->line, err->column, text);
	else
		fprintf(stderr, "%s: %s\n", safe ? safe : "file", text);
	return ft_daemon_status(code);
}

static int instance_check(const char *file, const char *instance)
{
	_cleanup_(ft_config_freep) struct ft_config *config = NULL;
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct ft_error err = {0};
	int r;

	r = ft_config_load(file, instance, &config, &err);
	if (r < 0)
		return file_error(file, r, &err);
	r = ft_config_load_plan(config, file, &design, &plan, &err);
	if (r < 0)
		return file_error(config->plan, r, &err);
	printf("%s: good%s%s, with %s, the plan of %s\n", file, instance && instance[0] ? " for " : "",
	       instance ? instance : "", config->plan, design->name);
	return 0;
}

/* The configurations of sections, in their order. */
struct sections {
	struct ft_config **items;
	size_t count;
};

static void sections_release(struct sections *sections)
{
	for (size_t i = 0; i < sections->count; i++)
		ft_config_free(sections->items[i]);
	free(sections->items);
}

/* Not refused: they need not run at the same time. */
static void clash_warn(const char *file, char *const *names, const struct sections *sections, size_t which)
{
	for (size_t i = 0; i < which; i++) {
		if (!ft_config_clash(sections->items[i], sections->items[which]))
			continue;
		fprintf(stderr,
			"%s: warning: [%s] and [%s] have the same \"listen\", %s: only one of them can have it\n", file,
			names[i], names[which], sections->items[which]->listen);
		return;
	}
}

/* Reports two sections with a conflict. @names: all instances of the file, "" among them. */
static int sections_check(const char *file, char *const *names)
{
	_cleanup_(sections_release) struct sections sections = {0};
	struct ft_error err = {0};
	size_t count = 0;
	int r;

	if (names[0] && names[0][0] == '\0')
		names++;
	while (names[count])
		count++;
	sections.items = calloc(count + 1, sizeof(struct ft_config *));
	if (!sections.items)
		return file_error(file, -ENOMEM, &err);
	for (size_t i = 0; i < count; i++) {
		r = ft_config_load(file, names[i], &sections.items[i], &err);
		if (r < 0)
			return file_error(file, r, &err);
		sections.count++;
		clash_warn(file, names, &sections, i);
	}
	return 0;
}

/* The given instance, or all instances of the file. */
static int config_check(const struct ft_daemon_options *options)
{
	_cleanup_free_ char **instances = NULL;
	struct ft_error err = {0};
	int r, status = 0;

	if (options->instance) {
		status = instance_check(options->config, options->instance);
		return status ? status : printed();
	}
	r = ft_config_instances(options->config, &instances, &err);
	if (r < 0)
		return file_error(options->config, r, &err);
	for (size_t i = 0; status == 0 && instances[i]; i++)
		status = instance_check(options->config, instances[i]);
	if (status == 0)
		status = sections_check(options->config, instances);
	return status ? status : printed();
}

/* The first of several: STATE_DIRECTORY is a colon-separated list. */
static const char *state_directory_given(void)
{
	char *given = getenv("STATE_DIRECTORY");

	if (!given || !given[0])
		return FT_STATEDIR "/ftcheckd";
	given[strcspn(given, ":")] = '\0';
	return given;
}

int main(int argc, char **argv)
{
	struct options options = {.daemon.config = FT_SYSCONFDIR "/ftcheck/ftcheckd.conf"};
	int r;

	r = options_parse(argc, argv, &options);
	if (r >= 0)
		return r;
	if (options.check_config)
		return config_check(&options.daemon);
	if (!options.daemon.state_directory)
		options.daemon.state_directory = state_directory_given();
	return ft_daemon_run(&options.daemon);
}
