/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The drawing of the report. The report that checks hand over is without the cables that are missing by each finding,
 * so a child verifies the known snapshot once more and draws it. It does so only when somebody asks, once for all
 * reports that show the same, and one at a time. While reports come faster than they are drawn, the last drawing is
 * shown: it is older by the time that a drawing takes.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "daemon/daemon.h"
#include "probe/guard.h"

/* Larger ones are nothing for a browser. */
enum { DRAWING_MAX = 8 * 1024 * 1024 };

/* So long a drawing is shown while the next one is made: no longer than that may take. */
enum { BEFORE_MS = 20000 };

static void line_add(struct ft_text *t, const char *line)
{
	ft_text_puts(t, line ? line : "");
	ft_text_puts(t, "\n");
}

/*
 * What a drawing shows: the plan, the state of each switch, and the findings, of which the marks of cables follow.
 * Without memory each report is another one, and is drawn. Never 0.
 */
static uint64_t drawing_key(const struct ft_report *r, uint64_t version)
{
	static const uint64_t key[2] = {0};
	_cleanup_(ft_text_release) struct ft_text t = {0};

	line_add(&t, r->plan_sha256);
	ft_text_printf(&t, "%d %u %u\n", (int)r->verdict, r->uplinks.up, r->hosts.found);
	for (size_t i = 0; i < r->switch_count; i++) {
		line_add(&t, r->switches[i].name);
		line_add(&t, r->switches[i].planned_as);
		ft_text_printf(&t, "%d %u %u\n", (int)r->switches[i].status, r->switches[i].uplinks_up,
			       r->switches[i].hosts);
	}
	for (size_t i = 0; i < r->finding_count; i++) {
		line_add(&t, r->findings[i].id);
		line_add(&t, r->findings[i].text);
		line_add(&t, r->findings[i].waived);
	}
	return ft_text_failed(&t) ? version : ft_hash_keyed(key, t.data, t.length) | 1;
}

static uint64_t drawing_wanted(struct ft_daemon *d)
{
	struct ft_drawing *drawing = &d->drawing;

	if (drawing->version != d->report_version) {
		drawing->version = d->report_version;
		drawing->key = drawing_key(d->report, d->report_version);
	}
	return drawing->key;
}

static void drawing_keep(struct ft_drawing *drawing, struct ft_text *svg)
{
	drawing->done = drawing->begun;
	if (svg->length > DRAWING_MAX) {
		snprintf(drawing->trouble, sizeof(drawing->trouble), "the drawing has %zu bytes, and %d is the limit",
			 svg->length, (int)DRAWING_MAX);
		return;
	}
	drawing->trouble[0] = '\0';
	drawing->done_ms = ft_guard_now_ms();
	ft_text_release(&drawing->svg);
	drawing->svg = *svg;
	*svg = (struct ft_text){0};
}

/* The next report is tried again, whatever it shows. */
static void drawing_fail(struct ft_daemon *d, const char *why)
{
	struct ft_drawing *drawing = &d->drawing;

	drawing->done = 0;
	drawing->failed = d->report_version;
	snprintf(drawing->trouble, sizeof(drawing->trouble), "%s", why);
}

static void on_drawn(struct ft_check *check, int r, struct ft_check_result *result, const struct ft_error *err,
		     void *userdata)
{
	struct ft_daemon *d = userdata;

	(void)check;
	ft_check_free(FT_STEAL(d->drawing.check));
	if (r < 0)
		drawing_fail(d, err->text);
	else
		drawing_keep(&d->drawing, &result->text);
	ft_http_tell(d->http);
}

static void drawing_start(struct ft_daemon *d, uint64_t key)
{
	struct ft_check_request request = ft_looks_request(d, FT_CHECK_DRAW);
	struct ft_error err = {0};

	/* The report is of the last one that was judged. */
	request.snapshot = d->judged ? d->judged : d->snapshot;
	d->drawing.begun = key;
	if (ft_check_start(d->loop, &request, on_drawn, d, &d->drawing.check, &err) < 0)
		drawing_fail(d, err.text);
}

static bool drawing_is_recent(const struct ft_drawing *drawing)
{
	return drawing->done != 0 && !drawing->trouble[0] && ft_guard_now_ms() - drawing->done_ms < BEFORE_MS;
}

int ft_drawing_page(void *userdata, struct ft_text *text)
{
	struct ft_daemon *d = userdata;
	struct ft_drawing *drawing = &d->drawing;
	uint64_t wanted;

	if (!d->report || !d->snapshot || ft_tell_is_blind(d)) {
		ft_tell_verdict(d, text);
		return -EAGAIN;
	}
	wanted = drawing_wanted(d);
	if (drawing->done != wanted && !drawing->check && drawing->failed != d->report_version)
		drawing_start(d, wanted);
	if (drawing->done != wanted && drawing->check && !drawing_is_recent(drawing)) {
		ft_text_puts(text, "it is being drawn; ask again");
		return -EINPROGRESS;
	}
	if (drawing->trouble[0]) {
		ft_text_puts(text, drawing->trouble);
		return -EAGAIN;
	}
	ft_text_add(text, drawing->svg.data, drawing->svg.length);
	return 0;
}

void ft_drawing_end(struct ft_daemon *d)
{
	ft_check_free(FT_STEAL(d->drawing.check));
	ft_text_release(&d->drawing.svg);
}
