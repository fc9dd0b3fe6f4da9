/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/cmd/ftplan_display.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct ft_display ft_display_begin(void)
{
	return (struct ft_display){.terminal = isatty(STDERR_FILENO), .begin_s = seconds_now()};
}

static __attribute__((format(printf, 2, 0))) void show(struct ft_display *display, const char *format, va_list list)
{
	display->last_s = seconds_now();
	display->shown = true;
	fputs("\r\033[K", stderr);
	vfprintf(stderr, format, list);
	fflush(stderr);
}

void ft_display_tell(struct ft_display *display, const char *format, ...)
{
	double now_s = seconds_now();
	va_list list;

	if (!display->terminal || now_s - display->begin_s < 1 || now_s - display->last_s < 0.5)
		return;
	va_start(list, format);
	show(display, format, list);
	va_end(list);
}

void ft_display_say(struct ft_display *display, const char *format, ...)
{
	va_list list;

	if (!display->terminal)
		return;
	va_start(list, format);
	show(display, format, list);
	va_end(list);
}

void ft_display_end(struct ft_display *display)
{
	if (display->shown)
		fputs("\r\033[K", stderr);
	display->shown = false;
}
