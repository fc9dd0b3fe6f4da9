/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The course of a build (build.h): the marks of cables that are right, the samples, and both as JSON.
 *
 * Invariant: marks are of cables that were right in the last check, found again by the labels of their ends, as numbers
 * of cables change with the plan; samples are in the order of their times. O(n) in the cables for a check.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "verify/build/build.h"
#include "verify/check/check.h"
#include "verify/model/model.h"

enum { COURSE_VERSION = 1, CABLES_MAX = 8000000 };
#define TIME_MAX INT64_C(253402300799)

/* A cable that was right in the last check. */
struct mark {
	char *label;			  /* of its two ends: numbers change with the plan, and ends do not */
	int64_t right_s, clean_s, last_s; /* last_s: the last check that read its counters */
	uint64_t symbols, others;	  /* then */
};

struct ft_build_course {
	struct ft_build_sample samples[FT_BUILD_SAMPLES_MAX];
	size_t sample_count;
	struct mark *marks;
	size_t mark_count;
	struct ft_arena memory; /* of the marks */
};

void ft_build_course_free(struct ft_build_course *course)
{
	if (!course)
		return;
	ft_arena_release(&course->memory);
	free(course);
}

const struct ft_build_sample *ft_build_course_samples(const struct ft_build_course *course, size_t *ret_count)
{
	*ret_count = course->sample_count;
	return course->samples;
}

/* ---- samples ---- */

static bool sample_equal(const struct ft_build_sample *a, const struct ft_build_sample *b)
{
	return a->planned == b->planned && a->done == b->done && memcmp(a->states, b->states, sizeof(a->states)) == 0;
}

/* Every other one of the older half goes; the first stays, so that the whole course stays in sight. */
static void samples_thin(struct ft_build_course *course)
{
	size_t kept = 1;

	for (size_t i = 1; i < course->sample_count; i++)
		if (i >= FT_BUILD_SAMPLES_MAX / 2 || i % 2 == 0)
			course->samples[kept++] = course->samples[i];
	course->sample_count = kept;
}

/* Of samples that are equal the first and the last are kept. */
static void sample_add(struct ft_build_course *course, const struct ft_build_sample *sample)
{
	struct ft_build_sample *last = course->samples + course->sample_count;

	if (course->sample_count > 0 && last[-1].time_s == sample->time_s)
		course->sample_count--;
	else if (course->sample_count > 1 && sample_equal(&last[-1], sample) && sample_equal(&last[-2], sample))
		course->sample_count--;
	if (course->sample_count == FT_BUILD_SAMPLES_MAX)
		samples_thin(course);
	course->samples[course->sample_count++] = *sample;
}

/* ---- cables ---- */

static uint64_t rise(uint64_t before, uint64_t now)
{
	return now < before ? now : now - before;
}

/* More errors since the last reading of its counters than a sound cable has. */
static bool errors_rose(const struct mark *mark, const struct ft_build_cable *cable, int64_t now_s)
{
	int64_t interval_ms = (now_s - mark->last_s) * 1000;

	if (rise(mark->others, cable->others) > 0)
		return true;
	return rise(mark->symbols, cable->symbols) >
	       ft_rate_errors_allowed(cable->mbps, interval_ms > UINT32_MAX ? UINT32_MAX : (uint32_t)interval_ms);
}

/* @mark: as it was, or zeros; it becomes what it is now. */
static void mark_update(struct mark *mark, const struct ft_build_cable *cable, int64_t now_s)
{
	if (mark->right_s == 0)
		mark->right_s = now_s;
	if (cable->errors || cable->idle || (cable->counted && mark->clean_s && errors_rose(mark, cable, now_s)))
		mark->clean_s = 0;
	if (!cable->counted)
		return;
	if (mark->clean_s == 0 && !cable->errors && !cable->idle)
		mark->clean_s = now_s;
	mark->last_s = now_s;
	mark->symbols = cable->symbols;
	mark->others = cable->others;
}

static void cable_tell(struct ft_build_cable *cable, const struct mark *mark, uint32_t clean_s)
{
	cable->right_s = mark->right_s;
	cable->clean_s = mark->clean_s;
	cable->done = mark->clean_s > 0 && mark->last_s - mark->clean_s >= (int64_t)clean_s;
}

/* The marks after this check: of cables that are right. They take the place of the former ones. */
static int marks_make(struct ft_build_course *c, struct ft_build *build)
{
	_cleanup_(ft_arena_release) struct ft_arena memory = {0};
	_cleanup_(ft_map_release) struct ft_map by_label = {0};
	struct mark *marks = ft_arena_zeros(&memory, build->cable_count, sizeof(*marks));
	struct ft_arena former = c->memory;
	size_t count = 0;

	for (size_t i = 0; i < c->mark_count; i++)
		ft_map_put(&by_label, ft_text_hash(c->marks[i].label), (uint32_t)i, &memory.failed);
	for (uint32_t i = 0; !memory.failed && i < build->cable_count; i++) {
		struct ft_build_cable *cable = &build->cables[i];
		struct mark *mark = &marks[count];
		uint32_t before;
		char *label;

		cable->right_s = cable->clean_s = 0;
		cable->done = false;
		if (cable->state != FT_CABLE_RIGHT)
			continue;
		label = ft_arena_print(&memory, "%s/%u %s/%u", cable->a.name, cable->a.port, cable->b.name,
				       cable->b.port);
		before = label ? ft_map_get(&by_label, ft_text_hash(label)) : FT_NONE;
		if (before != FT_NONE && strcmp(c->marks[before].label, label) == 0)
			*mark = c->marks[before];
		mark->label = label;
		count++;
		mark_update(mark, cable, build->time_s);
		cable_tell(cable, mark, build->clean_s);
	}
	if (memory.failed)
		return -ENOMEM;
	c->marks = marks;
	c->mark_count = count;
	c->memory = memory;
	memory = former;
	return 0;
}

/*
 * What was learned when a clock was wrong, later than it is now, would stand in the way until then. A recording of an
 * earlier time, @time_s, is no reason to forget anything.
 */
static void future_drop(struct ft_build_course *course, int64_t time_s, int64_t now_s)
{
	if (now_s == 0)
		return;
	now_s = time_s > now_s ? time_s : now_s;
	while (course->sample_count > 0 && course->samples[course->sample_count - 1].time_s > now_s)
		course->sample_count--;
	for (size_t i = 0; i < course->mark_count; i++) {
		struct mark *mark = &course->marks[i];

		mark->right_s = mark->right_s > now_s ? now_s : mark->right_s;
		mark->clean_s = mark->clean_s > now_s || mark->last_s > now_s ? 0 : mark->clean_s;
		mark->last_s = mark->last_s > now_s ? 0 : mark->last_s;
	}
}

int ft_build_course_learn(struct ft_build_course **course, struct ft_build *build)
{
	_cleanup_(ft_build_course_freep) struct ft_build_course *fresh = *course ? NULL : calloc(1, sizeof(*fresh));
	struct ft_build_course *c = *course ? *course : fresh;
	struct ft_build_sample sample = {.time_s = build->time_s, .planned = build->cable_count};

	if (!c)
		return -ENOMEM;
	future_drop(c, build->time_s, build->now_s);
	if (c->sample_count > 0 && c->samples[c->sample_count - 1].time_s > build->time_s) {
		build->course = NULL;
		return 0;
	}
	if (marks_make(c, build) < 0)
		return -ENOMEM;
	ft_build_count(build);
	sample.done = build->tables[FT_BUILD_ALL][0].done;
	memcpy(sample.states, build->tables[FT_BUILD_ALL][0].states, sizeof(sample.states));
	sample_add(c, &sample);
	*course = c;
	build->course = c;
	fresh = NULL;
	return 0;
}

/* ---- JSON ---- */

void ft_build_course_write_json(struct ft_text *t, const struct ft_build_course *course)
{
	ft_text_printf(t, "{\n  \"ftcheck_build_state\": %d,\n  \"states\": [", COURSE_VERSION);
	for (unsigned int s = 0; s < FT_CABLE_STATES; s++) {
		ft_text_puts(t, s ? ", " : "");
		ft_text_add_json(t, ft_cable_state_name(s));
	}
	ft_text_puts(t, "],\n  \"samples\": [");
	for (size_t i = 0; i < course->sample_count; i++) {
		const struct ft_build_sample *sample = &course->samples[i];

		ft_text_printf(t, "%s\n    [%" PRId64 ", %u, %u", i ? "," : "", sample->time_s, sample->planned,
			       sample->done);
		for (unsigned int s = 0; s < FT_CABLE_STATES; s++)
			ft_text_printf(t, ", %u", sample->states[s]);
		ft_text_puts(t, "]");
	}
	ft_text_puts(t, "\n  ],\n  \"cables\": [");
	for (size_t i = 0; i < course->mark_count; i++) {
		const struct mark *m = &course->marks[i];

		ft_text_puts(t, i ? ",\n    [" : "\n    [");
		ft_text_add_json(t, m->label);
		ft_text_printf(t, ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRIu64 ", %" PRIu64 "]", m->right_s,
			       m->clean_s, m->last_s, m->symbols, m->others);
	}
	ft_text_puts(t, "\n  ]\n}\n");
}

/* Number @at of the list @row; what is none, or out of bounds, sets @damaged. */
static int64_t number_at(const json_t *row, size_t at, int64_t max, bool *damaged)
{
	const json_t *value = json_array_get(row, at);
	int64_t number = json_integer_value(value);

	if (json_is_integer(value) && number >= 0 && number <= max)
		return number;
	*damaged = true;
	return 0;
}

/* Times go up, and the states add up. */
static int samples_read(const struct ft_json *json, struct ft_build_course *c, struct ft_error *err)
{
	const json_t *list = json_object_get(json->root, "samples");

	if (!json_is_array(list) || json_array_size(list) > FT_BUILD_SAMPLES_MAX)
		return ft_json_error_value(json, err, json->root, "samples", "\"samples\" is no list of at most %d",
					   FT_BUILD_SAMPLES_MAX);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *row = json_array_get(list, i);
		struct ft_build_sample *s = &c->samples[i];
		bool damaged = json_array_size(row) != 3 + FT_CABLE_STATES;
		uint64_t sum = 0;

		s->time_s = number_at(row, 0, TIME_MAX, &damaged);
		s->planned = (uint32_t)number_at(row, 1, CABLES_MAX, &damaged);
		s->done = (uint32_t)number_at(row, 2, CABLES_MAX, &damaged);
		for (unsigned int n = 0; n < FT_CABLE_STATES; n++)
			sum += s->states[n] = (uint32_t)number_at(row, 3 + n, CABLES_MAX, &damaged);
		if (damaged || sum != s->planned || s->done > s->planned || (i > 0 && s[-1].time_s >= s->time_s))
			return ft_json_error_element(json, err, list, i, "an entry of \"samples\" is damaged");
		c->sample_count++;
	}
	return 0;
}

static int marks_read(const struct ft_json *json, struct ft_build_course *c, struct ft_error *err)
{
	const json_t *list = json_object_get(json->root, "cables");
	size_t count = json_array_size(list);

	if (!json_is_array(list) || count > CABLES_MAX)
		return ft_json_error_value(json, err, json->root, "cables", "\"cables\" is no list");
	c->marks = ft_arena_zeros(&c->memory, count, sizeof(*c->marks));
	for (size_t i = 0; c->marks && i < count; i++) {
		const json_t *row = json_array_get(list, i), *label = json_array_get(row, 0);
		struct mark *m = &c->marks[i];
		bool damaged = json_array_size(row) != 6 || !json_is_string(label);

		m->right_s = number_at(row, 1, TIME_MAX, &damaged);
		m->clean_s = number_at(row, 2, TIME_MAX, &damaged);
		m->last_s = number_at(row, 3, TIME_MAX, &damaged);
		m->symbols = (uint64_t)number_at(row, 4, INT64_MAX, &damaged);
		m->others = (uint64_t)number_at(row, 5, INT64_MAX, &damaged);
		if (damaged)
			return ft_json_error_element(json, err, list, i, "an entry of \"cables\" is damaged");
		m->label = ft_arena_safe(&c->memory, json_string_value(label), json_string_length(label));
		c->mark_count++;
	}
	return c->memory.failed ? -ENOMEM : 0;
}

/* States that this version has, in its order. */
static bool states_are_known(const json_t *list)
{
	if (json_array_size(list) != FT_CABLE_STATES)
		return false;
	for (unsigned int i = 0; i < FT_CABLE_STATES; i++) {
		const char *name = json_string_value(json_array_get(list, i));

		if (!name || strcmp(name, ft_cable_state_name(i)) != 0)
			return false;
	}
	return true;
}

int ft_build_course_read_json(const char *text, size_t length, struct ft_build_course **ret_course,
			      struct ft_error *err)
{
	_cleanup_(ft_json_release) struct ft_json json = {0};
	_cleanup_(ft_build_course_freep) struct ft_build_course *c = calloc(1, sizeof(*c));
	const json_t *version;
	int r = c ? ft_json_read(text, length, &json, err) : -ENOMEM;

	if (r < 0)
		return r;
	version = json_object_get(json.root, "ftcheck_build_state");
	if (!json_is_integer(version) || json_integer_value(version) != COURSE_VERSION ||
	    !states_are_known(json_object_get(json.root, "states")))
		return ft_error_set(err, -EINVAL, 1, 1,
				    "this is no state of a build that this version of ftcheck can read; to begin a new "
				    "one, name a file that does not exist");
	r = samples_read(&json, c, err) ?: marks_read(&json, c, err);
	if (r == 0)
		*ret_course = FT_STEAL(c);
	return r;
}
