/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/cmd/building.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "verify/build/build.h"
#include "verify/cmd/complain.h"

enum { STATE_SIZE_MAX = 1 << 30 };

/* A file that does not exist is the beginning of a course. */
static int course_read(const char *path, struct ft_build_course **ret_course)
{
	_cleanup_free_ char *text = NULL;
	struct ft_error err = {0};
	size_t length;
	int r;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	r = ft_file_read_plain(path, 0, STATE_SIZE_MAX, &text, &length, &err)
		    ?: ft_build_course_read_json(text, length, ret_course, &err);
	return r < 0 ? ft_file_error(path, r, &err) : 0;
}

/* Written whole or not at all, so that a kill at any moment leaves the old course or the new one. */
static int course_keep(const char *path, const struct ft_build_course *course)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_build_course_write_json(&text, course);
	return ft_text_out(path, &text);
}

static int build_print(const struct ft_options *options, const struct ft_build *build, const struct ft_report *report)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	if (options->format == FT_FORMAT_JSON)
		ft_build_write_json(&text, build, report, 0);
	else if (options->format == FT_FORMAT_CSV)
		ft_build_write_csv(&text, build, options->verbose);
	else
		ft_build_write_text(&text, build, report, options->verbose);
	return ft_text_out(NULL, &text);
}

int ft_build_show(const struct ft_options *options, const struct ft_model *m, int64_t now_s)
{
	const struct ft_report *report = m->report;
	_cleanup_(ft_build_course_freep) struct ft_build_course *course = NULL;
	_cleanup_(ft_build_freep) struct ft_build *build = NULL;
	int r;

	/* Nothing can be said of the cables of another fabric, and nothing of them is to be kept. */
	if (ft_report_is_foreign(report))
		return ft_complain(report->findings[0].text);
	r = ft_build_of_model(m, &build);
	if (r < 0)
		return ft_file_error("ftcheck", r, &(struct ft_error){0});
	memcpy(build->plan_sha256, report->plan_sha256, sizeof(build->plan_sha256));
	build->time_s = report->time_s;
	build->now_s = now_s;
	if (options->clean_ms)
		build->clean_s = options->clean_ms / 1000;
	if (options->state) {
		r = course_read(options->state, &course);
		if (r != 0)
			return r;
		r = ft_build_course_learn(&course, build);
		if (r < 0)
			return ft_file_error("ftcheck", r, &(struct ft_error){0});
		if (build->course)
			r = course_keep(options->state, course);
		else
			ft_complainf("ftcheck: %s has later checks than this one, which is not added", options->state);
		if (r != 0)
			return r;
	}
	r = build_print(options, build, report);
	return r != 0 ? r : ft_verdict_status(report->verdict);
}
