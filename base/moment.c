/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/moment.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/cleanup.h"

enum { MINUTE = 60, HOUR = 3600, DAY = 86400, WEEK = 7 * DAY, DIGITS_MAX = 15 };

#define LAST_S 253402300799 /* 9999-12-31T23:59:59Z */

static void blanks_skip(const char **at)
{
	while (**at == ' ')
		(*at)++;
}

/* A number of exactly so many digits. */
static bool digits_take(const char **at, size_t count, int *ret_number)
{
	int number = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isdigit((unsigned char)(*at)[i]))
			return false;
		number = number * 10 + ((*at)[i] - '0');
	}
	*at += count;
	*ret_number = number;
	return true;
}

static bool sign_take(const char **at, char sign)
{
	if (**at != sign)
		return false;
	(*at)++;
	return true;
}

/* A word that the next character does not continue. */
static bool word_take(const char **at, const char *word)
{
	size_t length = strlen(word);

	if (strncasecmp(*at, word, length) != 0 || isalnum((unsigned char)(*at)[length]))
		return false;
	*at += length;
	return true;
}

/* ---- before now ---- */

static const struct {
	const char *name;
	int64_t seconds;
} units[] = {
	{"s", 1},	    {"sec", 1},		 {"second", 1}, {"seconds", 1}, {"m", MINUTE},	{"min", MINUTE},
	{"minute", MINUTE}, {"minutes", MINUTE}, {"h", HOUR},	{"hr", HOUR},	{"hour", HOUR}, {"hours", HOUR},
	{"d", DAY},	    {"day", DAY},	 {"days", DAY}, {"w", WEEK},	{"week", WEEK}, {"weeks", WEEK},
};

/* The longest name of a unit; a digit may follow: "1d12h". */
static int64_t unit_take(const char **at)
{
	size_t length = strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

	for (size_t i = 0; i < FT_COUNT(units); i++)
		if (strlen(units[i].name) == length && strncasecmp(*at, units[i].name, length) == 0) {
			*at += length;
			return units[i].seconds;
		}
	return 0;
}

/* "2h", "1d12h", "1 week 2 days"; what follows is left. */
static bool span_take(const char **at, int64_t *ret_seconds)
{
	int64_t sum = 0;
	bool any = false;

	blanks_skip(at);
	while (isdigit((unsigned char)**at)) {
		int64_t number = 0, unit;
		size_t digits = 0;

		for (; isdigit((unsigned char)**at); (*at)++)
			if (++digits <= DIGITS_MAX)
				number = number * 10 + (**at - '0');
		blanks_skip(at);
		unit = unit_take(at);
		if (unit == 0 || digits > DIGITS_MAX || __builtin_mul_overflow(number, unit, &number) ||
		    __builtin_add_overflow(sum, number, &sum))
			return false;
		any = true;
		blanks_skip(at);
	}
	*ret_seconds = sum;
	return any;
}

static bool before_now_read(const char *text, int64_t now_s, int64_t *ret_s)
{
	bool minus = sign_take(&text, '-');
	int64_t seconds;

	if (!span_take(&text, &seconds) || (!minus && !word_take(&text, "ago")) || *text)
		return false;
	*ret_s = now_s - seconds;
	return true;
}

/* ---- days and times of day ---- */

/* "10:00", "10:00:30" and a fraction of that. Its end is the text's or, with @zoned, a zone. */
static bool clock_take(const char **at, struct tm *tm)
{
	if (!digits_take(at, 2, &tm->tm_hour) || !sign_take(at, ':') || !digits_take(at, 2, &tm->tm_min))
		return false;
	tm->tm_sec = 0;
	if (sign_take(at, ':')) {
		if (!digits_take(at, 2, &tm->tm_sec))
			return false;
		if (sign_take(at, '.')) {
			if (!isdigit((unsigned char)**at))
				return false;
			*at += strspn(*at, "0123456789");
		}
	}
	return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec <= 60;
}

/* "Z", "+01:00": seconds east of Greenwich. */
static bool zone_take(const char **at, int *ret_east_s)
{
	int hours, minutes, sign;

	if (**at == 'Z' || **at == 'z') {
		(*at)++;
		*ret_east_s = 0;
		return true;
	}
	sign = **at == '+' ? 1 : **at == '-' ? -1 : 0;
	if (sign == 0)
		return false;
	(*at)++;
	if (!digits_take(at, 2, &hours) || !sign_take(at, ':') || !digits_take(at, 2, &minutes) || hours > 23 ||
	    minutes > 59)
		return false;
	*ret_east_s = sign * (hours * HOUR + minutes * MINUTE);
	return true;
}

static bool date_take(const char **at, struct tm *tm)
{
	int year, month;

	if (!digits_take(at, 4, &year) || !sign_take(at, '-') || !digits_take(at, 2, &month) || !sign_take(at, '-') ||
	    !digits_take(at, 2, &tm->tm_mday))
		return false;
	tm->tm_year = year - 1900;
	tm->tm_mon = month - 1;
	return month >= 1 && month <= 12 && tm->tm_mday >= 1;
}

/* timegm() and mktime() take the 30th of February for the 1st or 2nd of March. */
static bool time_make(const struct tm *tm, bool local, int64_t *ret_s)
{
	struct tm made = *tm;

	made.tm_isdst = -1;
	*ret_s = local ? mktime(&made) : timegm(&made);
	return made.tm_mday == tm->tm_mday && made.tm_mon == tm->tm_mon;
}

static bool date_read(const char *text, int64_t *ret_s)
{
	struct tm tm = {0};
	int east_s;

	if (!date_take(&text, &tm))
		return false;
	if (!*text)
		return time_make(&tm, true, ret_s);
	if (*text != ' ' && *text != 'T' && *text != 't')
		return false;
	text++;
	if (!clock_take(&text, &tm))
		return false;
	if (!*text)
		return time_make(&tm, true, ret_s);
	if (!zone_take(&text, &east_s) || *text || !time_make(&tm, false, ret_s))
		return false;
	*ret_s -= east_s;
	return true;
}

/* How many days ago, of the day that @text begins with; today where it begins with a time of day. */
static bool day_take(const char **at, int weekday_today, int *ret_ago)
{
	static const char *const weekdays[][2] = {{"sunday", "sun"},	{"monday", "mon"},   {"tuesday", "tue"},
						  {"wednesday", "wed"}, {"thursday", "thu"}, {"friday", "fri"},
						  {"saturday", "sat"}};

	*ret_ago = 0;
	if (word_take(at, "today") || isdigit((unsigned char)**at))
		return true;
	if (word_take(at, "yesterday")) {
		*ret_ago = 1;
		return true;
	}
	for (int i = 0; i < 7; i++)
		if (word_take(at, weekdays[i][0]) || word_take(at, weekdays[i][1])) {
			*ret_ago = (weekday_today - i + 6) % 7 + 1;
			return true;
		}
	return false;
}

static bool day_read(const char *text, int64_t now_s, int64_t *ret_s)
{
	time_t now = (time_t)now_s;
	struct tm tm;
	int ago;

	if (!localtime_r(&now, &tm) || !day_take(&text, tm.tm_wday, &ago))
		return false;
	blanks_skip(&text);
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	if (*text && (!clock_take(&text, &tm) || *text))
		return false;
	tm.tm_mday -= ago;
	tm.tm_isdst = -1;
	*ret_s = mktime(&tm);
	return true;
}

static bool since_1970_read(const char *text, int64_t *ret_s)
{
	int64_t number = 0;
	size_t digits = 0;

	if (!sign_take(&text, '@'))
		return false;
	for (; isdigit((unsigned char)*text) && digits < DIGITS_MAX; text++, digits++)
		number = number * 10 + (*text - '0');
	*ret_s = number;
	return digits > 0 && !*text;
}

int ft_moment_read(const char *text, int64_t now_s, int64_t *ret_s)
{
	int64_t s = now_s;

	if (strcasecmp(text, "now") != 0 && !since_1970_read(text, &s) && !date_read(text, &s) &&
	    !day_read(text, now_s, &s) && !before_now_read(text, now_s, &s))
		return -EINVAL;
	if (s < 0 || s > LAST_S)
		return -ERANGE;
	*ret_s = s;
	return 0;
}

int ft_time_string(int64_t time_s, char ret_string[FT_TIME_SIZE])
{
	time_t when = (time_t)time_s;
	char string[FT_TIME_SIZE];
	struct tm tm;

	if (!gmtime_r(&when, &tm) || strftime(string, sizeof(string), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		return -EOVERFLOW;
	memcpy(ret_string, string, sizeof(string));
	return 0;
}

int ft_day_string(int64_t time_s, char ret_string[FT_DAY_SIZE])
{
	char string[FT_TIME_SIZE];
	int r = ft_time_string(time_s, string);

	if (r == 0)
		snprintf(ret_string, FT_DAY_SIZE, "%.*s", FT_DAY_SIZE - 1, string);
	return r;
}
