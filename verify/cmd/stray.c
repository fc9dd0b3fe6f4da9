/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/cmd/stray.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/source.h"

static bool ends_with(const char *string, const char *end)
{
	size_t length = strlen(string), tail = strlen(end);

	return length > tail && strcasecmp(string + length - tail, end) == 0;
}

static bool is_number(const char *argument)
{
	return argument[0] && argument[strspn(argument, "0123456789")] == '\0';
}

static bool is_address(const struct ft_options *options, const char *argument)
{
	struct ft_status_address unused;

	(void)options;
	return !is_number(argument) && ft_status_address_read(argument, &unused) == 0;
}

static bool is_list_of_cables(const struct ft_options *options, const char *argument)
{
	return !options->cables && (ends_with(argument, ".csv") || ends_with(argument, ".tsv"));
}

static bool is_design(const struct ft_options *options, const char *argument)
{
	return !options->plan && ends_with(argument, ".json");
}

static bool is_adapter(const struct ft_options *options, const char *argument)
{
	char path[64];

	(void)options;
	if (strchr(argument, '/') || argument[0] == '.' ||
	    (size_t)snprintf(path, sizeof(path), "/sys/class/infiniband/%s", argument) >= sizeof(path))
		return false;
	return access(path, F_OK) == 0;
}

static bool is_fabric(const struct ft_options *options, const char *argument)
{
	return !options->from && access(argument, F_OK) == 0;
}

/* By the form of the argument; the first row that matches. */
static const struct {
	bool (*fits)(const struct ft_options *options, const char *argument);
	const char *advice; /* the argument follows */
} guesses[] = {
	{is_address, "to ask the daemon there, write --status="},
	{is_list_of_cables, "a list of cables goes behind --cables: --cables "},
	{is_design, "the design goes behind --plan: --plan "},
	{is_adapter, "the channel adapter goes behind -C: -C "},
	{is_fabric, "a recorded fabric goes behind --from: --from "},
};

bool ft_stray_is_value(const struct option *before, const char *argument)
{
	if (!before || before->has_arg != optional_argument)
		return false;
	return is_number(argument) || is_address(NULL, argument);
}

bool ft_stray_is_recording(const struct ft_options *options, const char *argument)
{
	/* These come in several files, which may be called as designs are. */
	if (options->from && ft_source_is_neighbours(argument))
		return true;

	for (size_t i = 0; i < FT_COUNT(guesses); i++)
		if (guesses[i].fits(options, argument))
			return false;
	return options->from && access(argument, F_OK) == 0;
}

void ft_stray_explain(const struct ft_options *options, const struct option *before, const char *argument,
		      struct ft_text *text)
{
	size_t i = 0;

	ft_text_puts(text, "\"");
	ft_text_add_safe(text, argument, strlen(argument));
	ft_text_puts(text, "\" belongs to no option; ");
	if (ft_stray_is_value(before, argument)) {
		ft_text_printf(text, "write --%s=", before->name);
		ft_text_add_safe(text, argument, strlen(argument));
		return;
	}
	while (i < FT_COUNT(guesses) && !guesses[i].fits(options, argument))
		i++;
	if (i < FT_COUNT(guesses)) {
		ft_text_puts(text, guesses[i].advice);
		ft_text_add_safe(text, argument, strlen(argument));
	} else if (before) {
		ft_text_printf(text, "--%s takes no value", before->name);
	} else {
		ft_text_puts(text, "the design goes behind --plan, a recorded fabric behind --from");
	}
}
