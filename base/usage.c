/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/usage.h"

#include <string.h>

#include "base/cleanup.h"

static size_t name_length(const char *word)
{
	return strcspn(word, "=");
}

/* The options whose name begins with @name: how many, and the last of them. An exact match counts alone. */
static unsigned int options_count(const struct option *options, const char *name, size_t length,
				  const struct option **ret_option)
{
	unsigned int count = 0;

	for (const struct option *o = options; o->name; o++) {
		if (strncmp(o->name, name, length) != 0)
			continue;
		*ret_option = o;
		count++;
		if (o->name[length] == '\0')
			return 1;
	}
	return count;
}

static const struct option *option_of(const struct option *options, int value)
{
	for (const struct option *o = options; o->name; o++)
		if (o->val == value)
			return o;
	return NULL;
}

static void name_add(struct ft_text *text, const struct option *option, int letter)
{
	if (option)
		ft_text_printf(text, "--%s", option->name);
	else
		ft_text_printf(text, "-%c", letter);
}

static void ambiguous_say(const struct option *options, const char *name, size_t length, struct ft_text *text)
{
	const char *between = " is short for several: --";

	ft_text_puts(text, "--");
	ft_text_add_safe(text, name, length);
	for (const struct option *o = options; o->name; o++) {
		if (strncmp(o->name, name, length) != 0)
			continue;
		ft_text_printf(text, "%s%s", between, o->name);
		between = ", --";
	}
}

static void unknown_say(const struct option *options, const char *name, size_t length, struct ft_text *text)
{
	_cleanup_(ft_text_release) struct ft_text alone = {0};
	const char *near;
	size_t count = 0;

	while (options[count].name)
		count++;
	ft_text_add(&alone, name, length);
	near = ft_text_near(ft_text_string(&alone), options, count, sizeof(*options));
	ft_text_puts(text, "there is no option --");
	ft_text_add_safe(text, name, length);
	if (near)
		ft_text_printf(text, " (did you mean --%s?)", near);
}

/* "-plan" is the style of other programs. getopt_long() steps past a word only when all of it was read. */
static void unknown_letter_say(const struct option *options, char *const *argv, int letter, struct ft_text *text)
{
	const char *word =
		argv[optind] && argv[optind][0] == '-' && argv[optind][1] == letter ? argv[optind] : argv[optind - 1];
	const struct option *meant = NULL;
	char c = (char)letter;

	ft_text_puts(text, "there is no option -");
	ft_text_add_safe(text, &c, 1);
	if (word[0] == '-' && word[1] == letter && strlen(word) > 2 &&
	    options_count(options, word + 1, name_length(word + 1), &meant) == 1)
		ft_text_printf(text, " (did you mean --%s?)", meant->name);
}

void ft_usage_refused(const struct option *options, char *const *argv, int c, struct ft_text *text)
{
	const struct option *option = optopt ? option_of(options, optopt) : NULL, *unused = NULL;
	const char *name;
	size_t length;

	if (c == ':') {
		name_add(text, option, optopt);
		ft_text_puts(text, " needs a value behind it");
		return;
	}
	if (option) {
		name_add(text, option, optopt);
		ft_text_puts(text, " takes no value");
		return;
	}
	if (optopt) {
		unknown_letter_say(options, argv, optopt, text);
		return;
	}
	name = argv[optind - 1] + 2;
	length = name_length(name);
	if (options_count(options, name, length, &unused) > 1)
		ambiguous_say(options, name, length, text);
	else
		unknown_say(options, name, length, text);
}

const struct option *ft_usage_before(const struct option *options, int argc, char *const *typed, const char *argument)
{
	const struct option *option = NULL;
	const char *word = NULL;

	for (int i = 2; i < argc; i++)
		if (typed[i] == argument)
			word = typed[i - 1];
	if (!word || word[0] != '-' || word[1] == '\0' || strchr(word, '='))
		return NULL;
	if (word[1] != '-')
		return word[2] == '\0' ? option_of(options, word[1]) : NULL;
	if (word[2] == '\0' || options_count(options, word + 2, strlen(word + 2), &option) != 1)
		return NULL;
	return option;
}
