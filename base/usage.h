/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Error messages for command lines that getopt_long() refuses, with the option probably meant.
 *
 * getopt_long() is to be called with opterr 0 and with letters that begin with ":", so that it tells a missing value
 * from an unknown option and prints nothing.
 */
#ifndef FT_BASE_USAGE_H
#define FT_BASE_USAGE_H

#include <getopt.h>

#include "base/text.h"

/*
 * Why getopt_long() returned @c, which is '?' or ':'. Called before its next call.
 *
 * @options  those it was called with; they end with one without a name
 * @text     out: such as "there is no option --plna (did you mean --plan?)", safe to print
 */
void ft_usage_refused(const struct option *options, char *const *argv, int c, struct ft_text *text);

/*
 * The option right before a stray argument, which may be meant as its value.
 *
 * @typed     the command line as it was typed, @argc words (getopt_long() moves those of argv)
 * @argument  one of them, the same pointer
 * Returns NULL where no option stands there, or one that has its value already.
 */
const struct option *ft_usage_before(const struct option *options, int argc, char *const *typed, const char *argument);

#endif
