/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Arguments of ftcheck that belong to no option: guesses the intended one. Part of the program and of no library. */
#ifndef FT_VERIFY_CMD_STRAY_H
#define FT_VERIFY_CMD_STRAY_H

#include <getopt.h>

#include "verify/cmd/options.h"

/*
 * @before  the option right before @argument, or NULL (ft_usage_before())
 * Returns whether @argument was meant as its value: an option with an optional value takes it behind "=" only.
 */
bool ft_stray_is_value(const struct option *before, const char *argument);

/* Whether @argument may be one more file of --from, and is no value of another option. */
bool ft_stray_is_recording(const struct ft_options *options, const char *argument);

/* The correction, such as "write --counters=60", safe to print. */
void ft_stray_explain(const struct ft_options *options, const struct option *before, const char *argument,
		      struct ft_text *text);

#endif
