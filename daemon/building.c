/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How far the fabric is built: made by a child like the drawing (drawing.c), with the course of the build, which the
 * parent only keeps. The child gets it as JSON and hands it back behind its page, with a NUL between.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <time.h>

#include "base/file.h"
#include "daemon/building.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "verify/build/build.h"

enum { COURSE_SIZE_MAX = 64 * 1024 * 1024 };

/* NULL: there is no state directory, or no memory. */
static char *course_path(const struct ft_daemon *d)
{
	char *path;

	if (!d->options->state_directory || asprintf(&path, "%s/build.json", d->options->state_directory) < 0)
		return NULL;
	return path;
}

/* What is damaged is told once and begun anew: of a course that is lost, the fabric itself is not. */
void ft_building_load(struct ft_daemon *d)
{
	_cleanup_(ft_build_course_freep) struct ft_build_course *course = NULL;
	_cleanup_free_ char *path = course_path(d), *text = NULL;
	struct ft_error err = {0};
	size_t length;
	int r;

	if (!path)
		return;
	r = ft_file_read_plain(path, O_NOFOLLOW, COURSE_SIZE_MAX, &text, &length, &err);
	if (r == 0)
		r = ft_build_course_read_json(text, length, &course, &err);
	if (r == 0)
		ft_text_add(&d->building.course, text, length);
	else if (r != -ENOENT)
		ft_log(LOG_WARNING, "%s: %s; the course of the build begins anew", path,
		       err.text[0] ? err.text : strerror(-r));
}

static void course_save(struct ft_daemon *d)
{
	_cleanup_free_ char *path = course_path(d);
	struct stat st;
	int r;

	if (!path)
		return;
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		(void)unlink(path);
	r = ft_text_failed(&d->building.course) ? -ENOMEM : ft_file_write(path, &d->building.course);
	if (r < 0 && !d->building.failed)
		ft_log(LOG_WARNING, "%s: %s; after a restart, the course of the build begins where it was saved", path,
		       strerror(-r));
	d->building.failed = r < 0;
}

/* @text: the result of the child; the page is what is left of it. */
static void result_keep(struct ft_daemon *d, struct ft_text *text)
{
	const char *end = text->length > 0 ? memchr(text->data, '\0', text->length) : NULL;
	size_t page = end ? (size_t)(end - text->data) : text->length;

	ft_text_reset(&d->building.page);
	ft_text_add(&d->building.page, text->data, page);
	if (page == text->length)
		return;
	ft_text_reset(&d->building.course);
	ft_text_add(&d->building.course, end + 1, text->length - page - 1);
	course_save(d);
}

static void on_built(struct ft_check *check, int r, struct ft_check_result *result, const struct ft_error *err,
		     void *userdata)
{
	struct ft_daemon *d = userdata;

	(void)check;
	ft_check_free(FT_STEAL(d->building.check));
	d->building.done = d->building.begun;
	snprintf(d->building.trouble, sizeof(d->building.trouble), "%s", r < 0 ? err->text : "");
	if (r == 0)
		result_keep(d, &result->text);
	ft_http_tell(d->http);
}

/* Of the latest report that was judged, once, and one at a time. */
static void building_begin(struct ft_daemon *d)
{
	struct ft_check_request request = ft_looks_request(d, FT_CHECK_BUILD);
	struct ft_error err = {0};

	if (!d->report || !d->snapshot || d->building.check || d->building.done == d->report_version)
		return;
	request.snapshot = d->judged ? d->judged : d->snapshot;
	request.course = &d->building.course;
	request.counted_new = d->building.counted != d->counting.serial;
	d->building.counted = d->counting.serial;
	d->building.begun = d->report_version;
	if (ft_check_start(d->loop, &request, on_built, d, &d->building.check, &err) == 0)
		return;
	d->building.done = d->building.begun;
	snprintf(d->building.trouble, sizeof(d->building.trouble), "%s", err.text);
}

void ft_building_look(struct ft_daemon *d)
{
	if (d->design->phase_count > 0)
		building_begin(d);
}

int ft_building_page(void *userdata, struct ft_text *text)
{
	struct ft_daemon *d = userdata;

	if (!d->report || !d->snapshot || ft_tell_is_blind(d)) {
		ft_tell_verdict(d, text);
		return -EAGAIN;
	}
	building_begin(d);
	if (d->building.done != d->report_version) {
		ft_text_puts(text, "it is being made; ask again");
		return -EINPROGRESS;
	}
	if (d->building.trouble[0]) {
		ft_text_puts(text, d->building.trouble);
		return -EAGAIN;
	}
	ft_text_add(text, d->building.page.data, d->building.page.length);
	return 0;
}

void ft_building_end(struct ft_daemon *d)
{
	ft_check_free(FT_STEAL(d->building.check));
	ft_text_release(&d->building.page);
	ft_text_release(&d->building.course);
}

int ft_building_write(const struct ft_verify_input *input, const struct ft_report *report, const struct ft_text *course,
		      struct ft_text *text)
{
	enum { LISTED = 5000 };
	_cleanup_(ft_build_course_freep) struct ft_build_course *known = NULL;
	_cleanup_(ft_build_freep) struct ft_build *build = NULL;
	struct ft_error err = {0};
	int r = course->length > 0 ? ft_build_course_read_json(course->data, course->length, &known, &err) : 0;

	if (r == 0 || r == -EINVAL)
		r = ft_build_make(input, &build);
	if (r < 0)
		return r;
	memcpy(build->plan_sha256, report->plan_sha256, sizeof(build->plan_sha256));
	build->time_s = report->time_s;
	build->now_s = (int64_t)time(NULL);
	r = ft_build_course_learn(&known, build);
	if (r < 0)
		return r;
	ft_build_write_json(text, build, report, LISTED);
	ft_text_add(text, "", 1);
	ft_build_course_write_json(text, known);
	return ft_text_failed(text) ? -ENOMEM : 0;
}
