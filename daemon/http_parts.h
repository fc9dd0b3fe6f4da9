/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Private to the HTTP server: http.c (start, the loop, requests), http_pages.c (the pages, and how one is sent) and
 * http_places.c (connections: how long each may take, and which one goes when places run short).
 */
#ifndef FT_DAEMON_HTTP_PARTS_H
#define FT_DAEMON_HTTP_PARTS_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/http.h"
#include "daemon/stream.h"

/* libmicrohttpd (0.9.75) accepts up to 10 in one run, and none once it has that many. */
enum { FT_PLACES_MAX = 96 };

/* Of a page that is fetched, beside the last one that was written. */
enum ft_http_age {
	FT_AGE_NEWEST,
	FT_AGE_REPLACED, /* who asks for that page now gets a newer one */
	FT_AGE_FORMER,	 /* the last one answers another query */
};

/* A page at one time, shared by all clients that fetch it. Freed by libmicrohttpd with its last user. */
struct ft_http_body {
	struct ft_http *http;
	size_t page;
	unsigned int status;
	struct MHD_Response *response; /* not owned */
	char *state;		       /* value of the header; NULL: none */
	char tag[24];		       /* ETag; "": none */
	enum ft_http_age age;
	size_t length;
	char data[];
};

/* The stages of a connection. When places run short, those listed first are evicted first. */
enum ft_http_stage { FT_STAGE_HEAD, FT_STAGE_NEXT_HEAD, FT_STAGE_ANSWER, FT_STAGE_STREAM };

struct ft_http_place {
	struct MHD_Connection *mhd;	 /* NULL: a free place */
	const struct ft_http_body *body; /* the page being fetched; NULL: none, or a static one */
	struct ft_stream *stream;	 /* NULL: it is none */
	enum ft_http_stage stage;
	uint64_t since_us; /* when the stage began */
	uint64_t number;   /* of the connection */
	uint64_t order;	   /* order of the begins: several may have the same time */
	bool ended;	   /* the client has closed its sending side, and libmicrohttpd was notified */
	bool cut;
};

enum {
	FT_PAGE_INDEX,
	FT_PAGE_SUMMARY,
	FT_PAGE_DRAWING,
	FT_PAGE_BUILD,
	FT_PAGE_NODES,
	FT_PAGE_HISTORY,
	FT_PAGE_HEALTH,
	FT_PAGE_METRICS,
	FT_PAGE_REPORT,
	FT_PAGE_COUNT
};

struct ft_http {
	sd_event *loop;
	sd_event_source *io, *timer;
	struct MHD_Daemon *mhd;
	struct ft_http_pages pages;
	void *userdata;
	unsigned int port;
	bool checks_host;
	bool closed; /* a connection, by the last MHD_run() */
	struct ft_http_place connections[FT_PLACES_MAX];
	size_t connection_count; /* without those being closed */
	uint64_t connections_opened, stages_begun;
	struct ft_http_body *newest[FT_PAGE_COUNT]; /* the last that was written. Not owned; NULL: not being fetched */
	size_t bodies_size;
	struct ft_streams streams;
	struct ft_text policy; /* Content-Security-Policy of the index */
};

/* http_pages.c */

extern const char ft_http_plain_type[], ft_http_plain_policy[];

/* The page of that path; FT_PAGE_COUNT: none of them. */
size_t ft_http_page_find(const char *path);

/* Sends that page. MHD_NO, as from all that send, ends the connection. */
enum MHD_Result ft_http_page_send(struct ft_http *http, struct MHD_Connection *mhd, size_t page);

/* Sends an answer of one fixed line. */
enum MHD_Result ft_http_line_send(struct MHD_Connection *mhd, unsigned int status, const char *line);

/*
 * The headers of every answer.
 *
 * @tag  its ETag; "": it may not be kept
 * Returns false without memory.
 */
bool ft_http_headers_add(struct MHD_Response *response, const char *type, const char *policy, const char *tag);

/* http_places.c */

/* The place of a connection; NULL: one without, which does not happen. */
struct ft_http_place *ft_http_place_of(struct MHD_Connection *mhd);
int ft_http_place_fd(const struct ft_http_place *place);

/* Begins a stage, unless it is in it already. @place may be NULL. */
void ft_http_stage_begin(struct ft_http *http, struct ft_http_place *place, enum ft_http_stage stage);

/* On the monotonic clock. */
uint64_t ft_http_now_us(struct ft_http *http);

/*
 * Closes connections that took too long, or whose place others need, and lets streams beat. Returns whether there were
 * any.
 */
bool ft_http_places_check(struct ft_http *http, uint64_t now_us);

/* The next deadline of a connection; UINT64_MAX: there is none. */
uint64_t ft_http_places_end(const struct ft_http *http);

/* Called by libmicrohttpd: a connection was opened or closed, a request was answered. */
void ft_http_place_notified(void *userdata, struct MHD_Connection *mhd, void **context,
			    enum MHD_ConnectionNotificationCode code);
void ft_http_request_done(void *userdata, struct MHD_Connection *mhd, void **mark,
			  enum MHD_RequestTerminationCode code);

#endif
