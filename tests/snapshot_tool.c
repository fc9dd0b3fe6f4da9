/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Snapshots by hand, for the tests on a simulated fabric:
 *
 *     snapshot_tool sweep OUT [KEY=VALUE ...]  sweeps live; keys: ca port engine timeout_ms
 *                                              max_smps max_smps_per_switch max_smps_per_second retries deadline_ms
 *                                              planned_switches
 *     snapshot_tool load FILE OUT              reads a dump, a cache or a snapshot
 *     snapshot_tool compare FILE FILE          prints the difference, if any; status 1 then
 *     snapshot_tool summary FILE               figures and states, one a line
 *     snapshot_tool descriptions FILE          the nodes' descriptions as they are, one a line
 *
 * OUT "-" is standard output. Status 3 and one line on standard error where something failed.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/source.h"

enum { STATUS_DIFFERENT = 1, STATUS_USAGE = 2, STATUS_FAILED = 3 };

static int fail(int r, const struct ft_error *err)
{
	fprintf(stderr, "snapshot_tool: %s: %s\n", strerror(-r), err->text);
	return STATUS_FAILED;
}

static int save(const char *path, const struct ft_snapshot *snapshot)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");

	if (!file) {
		perror(path);
		return STATUS_FAILED;
	}
	ft_snapshot_write_json(&text, snapshot);
	fputs(ft_text_string(&text), file);
	if (ft_text_failed(&text) || fflush(file) != 0) {
		perror(path);
		return STATUS_FAILED;
	}
	if (file != stdout)
		fclose(file);
	return 0;
}

static bool set_option(struct ft_sweep_options *options, const char *argument)
{
	const struct {
		const char *key;
		unsigned int *value;
	} keys[] = {
		{"timeout_ms", &options->timeout_ms},
		{"max_smps", &options->max_smps},
		{"max_smps_per_switch", &options->max_smps_per_switch},
		{"max_smps_per_second", &options->max_smps_per_second},
		{"retries", &options->retries},
		{"deadline_ms", &options->deadline_ms},
		{"planned_switches", &options->planned_switches},
		{"port", (unsigned int *)&options->port},
	};
	const char *equals = strchr(argument, '=');

	if (!equals)
		return false;
	if (strncmp(argument, "ca=", 3) == 0) {
		options->ca = equals + 1;
		return true;
	}
	if (strncmp(argument, "engine=", 7) == 0) {
		options->engine = ft_engine_find(equals + 1);
		return options->engine < FT_ENGINE_COUNT;
	}
	for (size_t i = 0; i < FT_COUNT(keys); i++)
		if (strncmp(argument, keys[i].key, (size_t)(equals - argument)) == 0 &&
		    keys[i].key[equals - argument] == '\0') {
			*keys[i].value = (unsigned int)strtoul(equals + 1, NULL, 10);
			return true;
		}
	return false;
}

static int command_sweep(int argc, char **argv)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct ft_sweep_options options = ft_sweep_defaults;
	struct ft_error err = {0};
	int r;

	for (int i = 1; i < argc; i++)
		if (!set_option(&options, argv[i]))
			return STATUS_USAGE;
	r = ft_sweep(&options, &snapshot, &err);
	return r < 0 ? fail(r, &err) : save(argv[0], snapshot);
}

static int command_load(int argc, char **argv)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};
	int r;

	(void)argc;
	r = ft_source_load(argv[0], &snapshot, &err);
	return r < 0 ? fail(r, &err) : save(argv[1], snapshot);
}

static int command_compare(int argc, char **argv)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *a = NULL;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *b = NULL;
	_cleanup_(ft_text_release) struct ft_text difference = {0};
	struct ft_error err = {0};
	int r;

	(void)argc;
	r = ft_source_load(argv[0], &a, &err);
	if (r == 0)
		r = ft_source_load(argv[1], &b, &err);
	if (r == 0)
		r = ft_snapshot_equal(a, b, &difference);
	if (r < 0)
		return fail(r, &err);
	if (r == 1)
		return 0;
	printf("%s\n", ft_text_string(&difference));
	return STATUS_DIFFERENT;
}

static void print_ports(const struct ft_snapshot *s)
{
	static const char *const types[] = {"unknown", "switch", "ca", "router"};
	static const char *const links[] = {"unread", "down", "silent", "up"};
	unsigned int counts[FT_COUNT(types)][FT_COUNT(links)] = {0};
	unsigned int rates[FT_SPEED_COUNT][FT_COUNT(links)] = {0};

	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *port = &s->ports[i];

		counts[s->nodes[port->node].type][port->link]++;
		rates[port->rate.speed][port->link]++;
	}
	for (size_t t = 0; t < FT_COUNT(types); t++)
		for (size_t l = 0; l < FT_COUNT(links); l++)
			if (counts[t][l])
				printf("%s ports %s: %u\n", types[t], links[l], counts[t][l]);
	for (size_t speed = 0; speed < FT_SPEED_COUNT; speed++)
		if (rates[speed][FT_LINK_UP])
			printf("ports at %s: %u\n", ft_speed_name((enum ft_speed)speed), rates[speed][FT_LINK_UP]);
}

static int command_summary(int argc, char **argv)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	struct ft_error err = {0};
	unsigned int types[4] = {0};
	int r;

	(void)argc;
	r = ft_source_load(argv[0], &s, &err);
	if (r < 0)
		return fail(r, &err);
	for (uint32_t i = 0; i < s->node_count; i++)
		types[s->nodes[i].type]++;
	printf("switches: %u\ncas: %u\nrouters: %u\n", types[FT_NODE_SWITCH], types[FT_NODE_CA], types[FT_NODE_ROUTER]);
	print_ports(s);
	printf("complete: %s\nmads: %s\ntimeouts: %s\n", s->source.complete ? "yes" : "no",
	       s->source.mads ? "some" : "none", s->source.timeouts ? "some" : "none");
	if (s->source.entry_node != FT_NONE)
		printf("entry: %016llx port %u\n", (unsigned long long)s->nodes[s->source.entry_node].guid,
		       s->source.entry_port);
	printf("detail: %s\n", s->strings + s->source.detail);
	return 0;
}

static int command_descriptions(int argc, char **argv)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	struct ft_error err = {0};
	int r;

	(void)argc;
	r = ft_source_load(argv[0], &s, &err);
	if (r < 0)
		return fail(r, &err);
	for (uint32_t i = 0; i < s->node_count; i++)
		printf("%s\n", ft_node_description(s, &s->nodes[i]));
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int arguments; /* at least */
		int (*run)(int argc, char **argv);
	} commands[] = {
		{"sweep", 1, command_sweep},
		{"load", 2, command_load},
		{"compare", 2, command_compare},
		{"summary", 1, command_summary},
		{"descriptions", 1, command_descriptions},
	};

	for (size_t i = 0; argc > 1 && i < FT_COUNT(commands); i++)
		if (strcmp(argv[1], commands[i].name) == 0 && argc - 2 >= commands[i].arguments)
			return commands[i].run(argc - 2, argv + 2);
	fprintf(stderr, "usage: snapshot_tool sweep OUT [KEY=VALUE ...] | load FILE OUT | compare FILE FILE |"
			" summary FILE | descriptions FILE\n");
	return STATUS_USAGE;
}
