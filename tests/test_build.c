/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The course of a build: since when cables are right and clean, what is kept of it, and phases of a design. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those first. */
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "tests/refused.h"
#include "verify/build/build.h"

enum { MINUTE = 60, T0 = 1700000000 };

/* One cable of a plan of two. */
static void build_of_two(struct ft_build *b, struct ft_build_cable cables[2], struct ft_build_tally *all)
{
	*b = (struct ft_build){.cables = cables, .cable_count = 2, .clean_s = FT_BUILD_CLEAN_S};
	*all = (struct ft_build_tally){.name = (char *)"all"};
	b->tables[FT_BUILD_ALL] = all;
	b->table_counts[FT_BUILD_ALL] = 1;
	for (unsigned int i = 0; i < 2; i++)
		cables[i] = (struct ft_build_cable){.state = FT_CABLE_RIGHT,
						    .kind = "uplink",
						    .a = {.name = "edge001", .port = 19 + i},
						    .b = {.name = "core01", .port = 1 + i},
						    .mbps = 200000};
}

/* A check of the first cable; the second one is always right and never counted. */
static const struct check_row {
	const char *name;
	struct {
		int64_t minute;
		enum ft_cable_state state;
		bool counted, errors, idle;
		uint64_t symbols, others;
	} checks[4];
	int64_t right_minute; /* of the last one; -1: not right */
	int64_t clean_minute; /* likewise */
	bool done;
} check_rows[] = {
	{"clean for 125 minutes",
	 {{0, 0, true, 0, 0, 0, 0}, {60, 0, true, 0, 0, 0, 0}, {125, 0, true, 0, 0, 0, 0}},
	 0,
	 0,
	 true},
	{"clean for 124 minutes",
	 {{0, 0, true, 0, 0, 0, 0}, {60, 0, true, 0, 0, 0, 0}, {124, 0, true, 0, 0, 0, 0}},
	 0,
	 0,
	 false},
	{"checks without counters prove nothing",
	 {{0, 0, true, 0, 0, 0, 0}, {60, 0, 0, 0, 0, 0, 0}, {200, 0, 0, 0, 0, 0, 0}},
	 0,
	 0,
	 false},
	{"never counted", {{0, 0, 0, 0, 0, 0, 0}, {200, 0, 0, 0, 0, 0, 0}}, 0, -1, false},
	{"old errors are none", {{0, 0, true, 0, 0, 9000, 77}, {125, 0, true, 0, 0, 9000, 77}}, 0, 0, true},
	{"errors between two checks",
	 {{0, 0, true, 0, 0, 0, 5}, {60, 0, true, 0, 0, 0, 6}, {125, 0, true, 0, 0, 0, 6}},
	 0,
	 60,
	 false},
	{"a rise of symbol errors beyond 1 in 10^12",
	 {{0, 0, true, 0, 0, 0, 0}, {60, 0, true, 0, 0, 1000000, 0}, {185, 0, true, 0, 0, 1000000, 0}},
	 0,
	 60,
	 true},
	{"a few symbol errors in an hour are allowed",
	 {{0, 0, true, 0, 0, 0, 0}, {60, 0, true, 0, 0, 100, 0}, {125, 0, true, 0, 0, 100, 0}},
	 0,
	 0,
	 true},
	{"counters that were reset",
	 {{0, 0, true, 0, 0, 0, 500}, {60, 0, true, 0, 0, 0, 3}, {185, 0, true, 0, 0, 0, 3}},
	 0,
	 60,
	 true},
	{"errors by the finding", {{0, 0, true, 0, 0, 0, 0}, {130, 0, true, true, 0, 0, 0}}, 0, -1, false},
	{"not in use", {{0, 0, true, 0, true, 0, 0}, {130, 0, true, 0, true, 0, 0}}, 0, -1, false},
	{"gone, and back",
	 {{0, 0, true, 0, 0, 0, 0},
	  {60, FT_CABLE_MISSING, 0, 0, 0, 0, 0},
	  {70, 0, true, 0, 0, 0, 0},
	  {130, 0, true, 0, 0, 0, 0}},
	 70,
	 70,
	 false},
	{"wrong at last", {{0, 0, true, 0, 0, 0, 0}, {130, FT_CABLE_WRONG_PORT, true, 0, 0, 0, 0}}, -1, -1, false},
};

static int64_t minute_of(int64_t time_s)
{
	return time_s ? (time_s - T0) / MINUTE : -1;
}

/* Each time through its JSON, as the program does. */
static struct ft_build_course *course_again(const struct ft_build_course *course)
{
	_cleanup_(ft_text_release) struct ft_text text = {0}, twice = {0};
	struct ft_build_course *read = NULL;
	struct ft_error err = {0};

	ft_build_course_write_json(&text, course);
	assert_int_equal(ft_build_course_read_json(text.data, text.length, &read, &err), 0);
	ft_build_course_write_json(&twice, read);
	assert_string_equal(text.data, twice.data);
	return read;
}

static void test_check(void **state)
{
	const struct check_row *row = *state;
	struct ft_build_course *course = NULL;
	struct ft_build_cable cables[2];
	struct ft_build_tally all;
	struct ft_build b;

	for (size_t i = 0; i < FT_COUNT(row->checks) && (i == 0 || row->checks[i].minute); i++) {
		struct ft_build_course *read;

		build_of_two(&b, cables, &all);
		b.time_s = T0 + row->checks[i].minute * MINUTE;
		cables[0].state = row->checks[i].state;
		cables[0].counted = row->checks[i].counted;
		cables[0].errors = row->checks[i].errors;
		cables[0].idle = row->checks[i].idle;
		cables[0].symbols = row->checks[i].symbols;
		cables[0].others = row->checks[i].others;
		assert_int_equal(ft_build_course_learn(&course, &b), 0);
		read = course_again(course);
		ft_build_course_free(course);
		course = read;
	}
	assert_int_equal(minute_of(cables[0].right_s), row->right_minute);
	assert_int_equal(minute_of(cables[0].clean_s), row->clean_minute);
	assert_int_equal(cables[0].done, row->done);
	assert_int_equal(all.done, row->done);
	assert_false(cables[1].done);
	assert_int_equal(minute_of(cables[1].right_s), 0);
	ft_build_course_free(course);
}

/* Samples are bounded, ascending, and begin with the first; equal ones in a row are two. */
static void test_samples(void **state)
{
	_cleanup_(ft_build_course_freep) struct ft_build_course *course = NULL;
	const struct ft_build_sample *samples;
	struct ft_build_cable cables[2];
	struct ft_build_tally all;
	struct ft_build b;
	size_t count;
	(void)state;

	build_of_two(&b, cables, &all);
	for (unsigned int i = 0; i < 10; i++) {
		b.time_s = T0 + i;
		assert_int_equal(ft_build_course_learn(&course, &b), 0);
	}
	samples = ft_build_course_samples(course, &count);
	assert_int_equal(count, 2);
	assert_int_equal(samples[1].time_s, T0 + 9);
	for (unsigned int i = 10; i < 5000; i++) {
		b.time_s = T0 + i;
		cables[0].state = i % 2 ? FT_CABLE_RIGHT : FT_CABLE_MISSING;
		assert_int_equal(ft_build_course_learn(&course, &b), 0);
	}
	samples = ft_build_course_samples(course, &count);
	assert_in_range(count, FT_BUILD_SAMPLES_MAX / 2, FT_BUILD_SAMPLES_MAX);
	assert_int_equal(samples[0].time_s, T0);
	assert_int_equal(samples[count - 1].time_s, T0 + 4999);
	for (size_t i = 1; i < count; i++)
		assert_true(samples[i].time_s > samples[i - 1].time_s);
	/* The clock went back. */
	b.time_s = T0;
	cables[0].state = FT_CABLE_RIGHT;
	assert_int_equal(ft_build_course_learn(&course, &b), 0);
	samples = ft_build_course_samples(course, &count);
	assert_int_equal(samples[count - 1].time_s, T0 + 4999);
	assert_null(b.course);
	/* It was wrong, a year ahead, and is right again. */
	b.time_s = b.now_s = T0 + 365 * 86400;
	assert_int_equal(ft_build_course_learn(&course, &b), 0);
	b.time_s = b.now_s = T0 + 6000;
	assert_int_equal(ft_build_course_learn(&course, &b), 0);
	samples = ft_build_course_samples(course, &count);
	assert_int_equal(samples[count - 1].time_s, b.time_s);
	assert_int_equal(samples[count - 2].time_s, T0 + 4999);
	assert_ptr_equal(b.course, course);
}

#define HEAD                                                                                                     \
	"{\"ftcheck_build_state\":1,\"states\":[\"right\",\"missing\",\"half\",\"wrong-port\",\"wrong-switch\"," \
	"\"wrong-rail\",\"slow\",\"not-due\",\"unknown\"]"

static const struct damaged_row {
	const char *name, *text, *expected;
} damaged_rows[] = {
	{"another version", "{\"ftcheck_build_state\":2}",
	 "1:1: this is no state of a build that this version of ftcheck can read; to begin a new one, name a file that "
	 "does not exist"},
	{"samples that do not add up", HEAD ",\n\"samples\":[[5,3,0,1,1,0,0,0,0,0,0,0]],\"cables\":[]}",
	 "2:12: an entry of \"samples\" is damaged"},
	{"samples out of order",
	 HEAD ",\n\"samples\":[[5,1,0,1,0,0,0,0,0,0,0,0],[5,1,0,1,0,0,0,0,0,0,0,0]],\"cables\":[]}",
	 "2:38: an entry of \"samples\" is damaged"},
	{"a cable without times", HEAD ",\n\"samples\":[],\"cables\":[[\"a\",1,2]]}",
	 "2:24: an entry of \"cables\" is damaged"},
	{"no cables", HEAD ",\n\"samples\":[],\n\"cables\":7}", "3:10: \"cables\" is no list"},
};

static void test_damaged(void **state)
{
	const struct damaged_row *row = *state;
	struct ft_build_course *course = NULL;
	char found[FT_ERROR_TEXT_SIZE + 32];
	struct ft_error err = {0};

	assert_int_equal(ft_build_course_read_json(row->text, strlen(row->text), &course, &err), -EINVAL);
	assert_null(course);
	snprintf(found, sizeof(found), "%u:%u: %s", err.line, err.column, err.text);
	assert_string_equal(found, row->expected);
}

#define DESIGN(phases)                                                                                                 \
	"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":8,\"edge\":{\"ports\":4},\"core\":{\"ports\":8},\n\"phases\":" phases \
	"}"

static const struct phases_row {
	const char *name, *text, *expected;
} phases_rows[] = {
	{"no list", DESIGN("{}"), "2:10: \"phases\" must be a list, not an object"},
	{"empty", DESIGN("[]"), "2:10: \"phases\" must not be empty"},
	{"no day", DESIGN("[{\"name\":\"a\",\"racks\":\"A01\"}]"),
	 "2:11: \"due\" is missing: the last day of the phase"},
	{"no such day", DESIGN("[{\"name\":\"a\",\"due\":\"2026-02-30\",\"racks\":\"A01\"}]"),
	 "2:29: \"due\" is \"2026-02-30\", which is no day of the calendar (YYYY-MM-DD)"},
	{"of nothing", DESIGN("[{\"name\":\"a\",\"due\":\"2026-02-03\"}]"),
	 "2:11: element 1 of \"phases\" names nothing: give \"racks\" or \"switches\", or both"},
	{"twice a rack",
	 DESIGN("[{\"name\":\"a\",\"due\":\"2026-02-03\",\"racks\":\"A[01-02]\"},\n{\"name\":\"b\",\"due\":\"2026-02-"
		"03\",\"racks\":[\"A03\",\"A02\"]}]"),
	 "3:47: rack \"A02\" is in the phase \"a\" already"},
	{"twice a name",
	 DESIGN("[{\"name\":\"a\",\"due\":\"2026-02-03\",\"racks\":\"A01\"},\n{\"name\":\"a\",\"due\":\"2026-02-03\","
		"\"racks\":\"A02\"}]"),
	 "3:1: two phases are called \"a\""},
};

static void test_phases(void **state)
{
	const struct phases_row *row = *state;

	design_refused(row->text, row->expected);
}

int main(void)
{
	struct CMUnitTest tests[FT_COUNT(check_rows) + FT_COUNT(damaged_rows) + FT_COUNT(phases_rows) + 1];
	size_t count = 0;

	for (size_t i = 0; i < FT_COUNT(check_rows); i++)
		tests[count++] =
			(struct CMUnitTest){check_rows[i].name, test_check, NULL, NULL, (void *)&check_rows[i]};
	for (size_t i = 0; i < FT_COUNT(damaged_rows); i++)
		tests[count++] =
			(struct CMUnitTest){damaged_rows[i].name, test_damaged, NULL, NULL, (void *)&damaged_rows[i]};
	for (size_t i = 0; i < FT_COUNT(phases_rows); i++)
		tests[count++] =
			(struct CMUnitTest){phases_rows[i].name, test_phases, NULL, NULL, (void *)&phases_rows[i]};
	tests[count++] = (struct CMUnitTest){"samples", test_samples, NULL, NULL, NULL};
	return _cmocka_run_group_tests("build", tests, count, NULL, NULL);
}
