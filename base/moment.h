/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A moment in the past as a person names it.
 *
 * The forms are those of systemd.time(7), "Parsing timestamps", without weekdays in front of a date, and weekdays
 * alone:
 *
 *     2026-11-23T10:00:00Z, 2026-11-23T10:00:00.5+01:00    RFC 3339
 *     2026-11-23, 2026-11-23 10:00, 2026-11-23 10:00:30     local time; the date alone is its midnight
 *     10:00, 10:00:30                                       today
 *     today, yesterday, monday … sunday, mon … sun          midnight; with a time of day behind: "yesterday 10:00". A
 *                                                           weekday is the last one before today
 *     -2h, 2h ago, -1d12h, "1 week 2 days ago"              before now: s, sec, second(s), m, min, minute(s), h, hr,
 *                                                           hour(s), d, day(s), w, week(s)
 *     @1790000000                                           seconds since 1970
 *     now
 */
#ifndef FT_BASE_MOMENT_H
#define FT_BASE_MOMENT_H

#include <stdint.h>

/* In one line, for messages. */
#define FT_MOMENT_FORMS "\"2026-11-23 10:00\", RFC 3339, \"yesterday 10:00\", \"monday\", \"-2h\""

/*
 * Reads all of @text; upper and lower case are one.
 *
 * @now_s  the present, in seconds since 1970; a moment after it is a moment, too
 * @ret_s  out: in seconds since 1970; local times by the time zone of the process. Untouched on failure
 * Returns 0; -EINVAL (not of any form, or no such date: "2026-02-30"), or -ERANGE (beyond the years 1970 to 9999).
 */
int ft_moment_read(const char *text, int64_t now_s, int64_t *ret_s);

/*
 * A time in seconds since 1970, as RFC 3339 in UTC: "2026-11-20T12:00:00Z".
 * Returns 0, or -EOVERFLOW where the year is beyond all bounds.
 */
enum { FT_TIME_SIZE = 32 };
int ft_time_string(int64_t time_s, char ret_string[FT_TIME_SIZE]);

/* The day of it likewise: "2026-11-20". */
enum { FT_DAY_SIZE = 11 };
int ft_day_string(int64_t time_s, char ret_string[FT_DAY_SIZE]);

#endif
