/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The daemon's pages with nothing behind them, for tests/http.sh:
 *
 *     http_tool ADDRESS       listens there and prints "port N"
 *     http_tool --fd N        listens on that descriptor
 *     http_tool --check ADDRESS
 *
 * Commands come on standard input, one a line, each answered by "ok": "report SIZE LETTER" (a JSON string of so many
 * letters), "report none", "health good", "health bad", "state TEXT", "tell" (those who wait for events). The end of
 * the input ends the program.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "daemon/http.h"
#include "daemon/socket.h"

struct served {
	struct ft_http *http;
	size_t report_size; /* 0: none yet */
	char report_letter;
	bool sick;
	char state[512];
};

static void metrics_page(void *userdata, struct ft_text *text)
{
	(void)userdata;
	ft_text_puts(text, "# HELP test_value A value.\n# TYPE test_value gauge\ntest_value 1\n");
}

static void letters_write(const struct served *served, struct ft_text *text)
{
	char letters[4096];
	size_t left = served->report_size;

	ft_text_puts(text, "\"");
	memset(letters, served->report_letter, sizeof(letters));
	for (; left > sizeof(letters); left -= sizeof(letters))
		ft_text_add(text, letters, sizeof(letters));
	ft_text_add(text, letters, left);
	ft_text_puts(text, "\"\n");
}

static int report_page(void *userdata, struct ft_text *text)
{
	const struct served *served = userdata;

	if (served->report_size == 0) {
		ft_text_puts(text, "the first sweep is not done yet");
		return -EAGAIN;
	}
	letters_write(served, text);
	return 0;
}

/* As large as the report, so that one of them can be told from another. */
static int summary_page(void *userdata, struct ft_text *text)
{
	const struct served *served = userdata;

	ft_text_printf(text, "{\"size\": %zu}\n", served->report_size);
	return 0;
}

static int drawing_page(void *userdata, struct ft_text *text)
{
	(void)userdata;
	ft_text_puts(text, "it is being drawn");
	return -EINPROGRESS;
}

static int nodes_page(void *userdata, const char *name, const char *guid, struct ft_text *text)
{
	/* Of this name they are as large as the report. */
	if (name && strcmp(name, "all") == 0)
		letters_write(userdata, text);
	ft_text_add_json(text, name ? name : "none");
	ft_text_puts(text, " ");
	ft_text_add_json(text, guid ? guid : "none");
	ft_text_puts(text, "\n");
	return 0;
}

static int health_page(void *userdata, struct ft_text *text)
{
	const struct served *served = userdata;

	ft_text_puts(text, served->sick ? "no progress for 99 s\n" : "ok\n");
	return served->sick ? -EAGAIN : 0;
}

static void state_line(void *userdata, struct ft_text *text)
{
	const struct served *served = userdata;

	ft_text_puts(text, served->state);
}

static bool command_run(struct served *served, char *line)
{
	size_t size;
	char letter;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "report %zu %c", &size, &letter) == 2) {
		served->report_size = size;
		served->report_letter = letter;
	} else if (strcmp(line, "report none") == 0) {
		served->report_size = 0;
	} else if (strncmp(line, "health ", 7) == 0) {
		served->sick = strcmp(line + 7, "bad") == 0;
	} else if (strcmp(line, "tell") == 0) {
		ft_http_tell(served->http);
	} else if (strncmp(line, "state ", 6) == 0) {
		snprintf(served->state, sizeof(served->state), "%s", line + 6);
		/* What a bad neighbour might make of it. */
		for (char *c = served->state; *c; c++)
			*c = *c == '^' ? '\n' : *c;
	} else {
		return false;
	}
	return true;
}

/* One command at a time: whoever sent it waits for its "ok", so that nothing stays behind in the buffer. */
static int on_command(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	char line[512];

	(void)fd;
	(void)events;
	if (!fgets(line, sizeof(line), stdin))
		return sd_event_exit(sd_event_source_get_event(source), 0);
	puts(command_run(userdata, line) ? "ok" : "no such command");
	return 0;
}

static int serve(const char *address, int fd)
{
	static const struct ft_http_pages pages = {.summary = summary_page,
						   .drawing = drawing_page,
						   .build = drawing_page,
						   .nodes = nodes_page,
						   .metrics = metrics_page,
						   .report = report_page,
						   .health = health_page,
						   .state = state_line};
	_cleanup_(sd_event_unrefp) sd_event *loop = NULL;
	_cleanup_(ft_http_freep) struct ft_http *http = NULL;
	struct ft_error err = {0};
	struct served served = {.report_size = 0};

	if (sd_event_new(&loop) < 0)
		return 99;
	if (ft_http_new(loop, address, fd, &pages, &served, &http, &err) < 0) {
		printf("%s\n", err.text);
		return 1;
	}
	if (sd_event_add_io(loop, NULL, STDIN_FILENO, EPOLLIN, on_command, &served) < 0)
		return 99;
	served.http = http;
	printf("port %u\n", ft_http_port(http));
	return sd_event_loop(loop) < 0 ? 99 : 0;
}

static int check(const char *address)
{
	struct ft_error err = {0};
	int r = ft_socket_check_address(address, &err);

	puts(r < 0 ? err.text : "good");
	return r < 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 3 && strcmp(argv[1], "--check") == 0)
		return check(argv[2]);
	if (argc == 3 && strcmp(argv[1], "--fd") == 0)
		return serve(NULL, atoi(argv[2]));
	if (argc == 2)
		return serve(argv[1], -1);
	fprintf(stderr, "usage: http_tool ADDRESS | --fd N | --check ADDRESS\n");
	return 2;
}
