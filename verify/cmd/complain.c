/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/cmd/complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "verify/model/report.h"
#include "verify/cmd/waiting.h"

/* Global: failures are reported from many functions, and the form is set once. */
static bool for_nagios;

void ft_complain_to_nagios(bool nagios)
{
	for_nagios = nagios;
}

static bool nagios_say(const char *line)
{
	static const char name[] = "ftcheck: "; /* the program's name was printed already */
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_report_write_nagios_unknown(&text, line + (strncmp(line, name, strlen(name)) == 0 ? strlen(name) : 0));
	return !ft_text_failed(&text) && fputs(ft_text_string(&text), stdout) >= 0 && fflush(stdout) == 0;
}

int ft_complain(const char *line)
{
	ft_waiting_end();
	/* If standard output failed, standard error may still be read. */
	if (!for_nagios || !nagios_say(line))
		fprintf(stderr, "%s\n", line);
	return FT_EXIT_UNKNOWN;
}

int ft_complainf(const char *format, ...)
{
	char line[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	return ft_complain(line);
}

int ft_file_error(const char *path, int code, const struct ft_error *err)
{
	_cleanup_free_ char *safe = ft_text_safe_dup(path, strlen(path));
	const char *file = safe ? safe : "file";

	if (err->text[0] == '\0')
		return ft_complainf("ftcheck: %s: %s", file, strerror(-code));
	if (err->line > 0)
		return ft_complainf("%s:%u:%u: %s", file, err->line, err->column, err->text);
	return ft_complainf("%s: %s", file, err->text);
}

int ft_text_out(const char *path, const struct ft_text *text)
{
	int r;

	if (!path)
		ft_waiting_end();
	r = ft_text_failed(text) ? -ENOMEM : ft_file_write(path, text);
	return r < 0 ? ft_file_error(path ? path : "standard output", r, &(struct ft_error){0}) : 0;
}
