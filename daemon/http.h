/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The page for browsers and what it fetches, /metrics, /report and /healthz, by libmicrohttpd on the daemon's own loop:
 * one thread, nothing blocks.
 *
 * GET and HEAD only. Loopback only, unless systemd hands over a socket: then the socket unit controls access.
 */
#ifndef FT_DAEMON_HTTP_H
#define FT_DAEMON_HTTP_H

#include <systemd/sd-event.h>

#include "base/error.h"
#include "base/text.h"

/* The pages; each function writes its page into @text. */
struct ft_http_pages {
	/* What the page shows first, as JSON. Returns 0 or -ENOMEM. */
	int (*summary)(void *userdata, struct ft_text *text);
	/*
	 * The report as SVG. Returns 0, or with a line that gives the reason -EINPROGRESS (202: it is being drawn, and
	 * clients of /events are told once it is) or -EAGAIN (503: there is none).
	 */
	int (*drawing)(void *userdata, struct ft_text *text);
	/* How far the fabric is built, as JSON. Returns as above. */
	int (*build)(void *userdata, struct ft_text *text);
	/* Nodes by a part of their name, or one and its cables by GUID, as JSON; each may be NULL. Returns as above. */
	int (*nodes)(void *userdata, const char *name, const char *guid, struct ft_text *text);
	/* Past events of alerts before number @before (NULL: the last ones), as JSON. Returns 0 or -ENOMEM. */
	int (*history)(void *userdata, const char *before, struct ft_text *text);
	void (*metrics)(void *userdata, struct ft_text *text);
	/* Returns 0, or -EAGAIN with a line that gives the reason why there is no report yet: 503. */
	int (*report)(void *userdata, struct ft_text *text);
	/* Returns 0 (200), or -EAGAIN (503): the daemon makes no progress. The line says why. */
	int (*health)(void *userdata, struct ft_text *text);
	/* One line on the state of the daemon ("polling: no SM answers"), for the header X-Ftcheck-State of /report. */
	void (*state)(void *userdata, struct ft_text *text);
};

struct ft_http;

/*
 * @address  "127.0.0.1:9683", "[::1]:9683", "localhost:9683" (127.0.0.1), port 0: any; not used where @fd >= 0
 * @fd       a listening socket from systemd, or -1; owned from the call on, whatever the result
 * Returns 0, or -errno with @err filled.
 */
int ft_http_new(sd_event *loop, const char *address, int fd, const struct ft_http_pages *pages, void *userdata,
		struct ft_http **ret_http, struct ft_error *err);

/* Something that pages show has changed: clients of /events are told. @http may be NULL. */
void ft_http_tell(struct ft_http *http);

/* The port it listens on; 0 for a socket without (AF_UNIX). */
unsigned int ft_http_port(const struct ft_http *http);

void ft_http_free(struct ft_http *http);
static inline void ft_http_freep(struct ft_http **http)
{
	ft_http_free(*http);
}

#endif
