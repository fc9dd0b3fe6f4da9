/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The drawing of the report. The report that checks hand over is without the cables that are missing by each finding,
 * so a child verifies the known snapshot once more and draws it. It does so only when somebody asks, once for each
 * report, and one at a time.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/daemon.h"

/* Larger ones are nothing for a browser. */
enum { DRAWING_MAX = 8 * 1024 * 1024 };

static void drawing_keep(struct ft_drawing *drawing, struct ft_text *svg)
{
	if (svg->length > DRAWING_MAX) {
		snprintf(drawing->trouble, sizeof(drawing->trouble), "the drawing has %zu bytes, and %d is the limit",
			 svg->length, (int)DRAWING_MAX);
		return;
	}
	drawing->trouble[0] = '\0';
	ft_text_release(&drawing->svg);
	drawing->svg = *svg;
	*svg = (struct ft_text){0};
}

static void on_drawn(struct ft_check *check, int r, struct ft_check_result *result, const struct ft_error *err,
		     void *userdata)
{
	struct ft_daemon *d = userdata;
	struct ft_drawing *drawing = &d->drawing;

	(void)check;
	ft_check_free(FT_STEAL(drawing->check));
	drawing->done = drawing->begun;
	if (r < 0)
		snprintf(drawing->trouble, sizeof(drawing->trouble), "%s", err->text);
	else
		drawing_keep(drawing, &result->text);
	ft_http_tell(d->http);
}

static void drawing_start(struct ft_daemon *d)
{
	struct ft_drawing *drawing = &d->drawing;
	struct ft_check_request request = ft_looks_request(d, FT_CHECK_DRAW);
	struct ft_error err = {0};

	/* The report is of the last one that was judged. */
	request.snapshot = d->judged ? d->judged : d->snapshot;
	drawing->begun = d->report_version;
	if (ft_check_start(d->loop, &request, on_drawn, d, &drawing->check, &err) == 0)
		return;
	drawing->done = drawing->begun;
	snprintf(drawing->trouble, sizeof(drawing->trouble), "%s", err.text);
}

int ft_drawing_page(void *userdata, struct ft_text *text)
{
	struct ft_daemon *d = userdata;
	struct ft_drawing *drawing = &d->drawing;

	if (!d->report || !d->snapshot || ft_tell_is_blind(d)) {
		ft_tell_verdict(d, text);
		return -EAGAIN;
	}
	if (drawing->done != d->report_version && !drawing->check)
		drawing_start(d);
	if (drawing->done != d->report_version) {
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
