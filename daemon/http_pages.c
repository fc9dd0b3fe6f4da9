/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The pages, and how one is sent: all clients that fetch the same text of a page share it.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "daemon/http_parts.h"
#include "daemon/page.h"

enum page_header {
	HEADER_STATE = 1,  /* X-Ftcheck-State */
	HEADER_TAG = 2,	   /* ETag: the client keeps it, and asks whether it is still the same */
	HEADER_POLICY = 4, /* the policy of the index */
};

enum page_text {
	TEXT_ONE,   /* one at a time, the same for all */
	TEXT_ASKED, /* as the query asks: what another client gets is no newer one */
};

struct page {
	const char *path;
	const char *type;
	int (*write)(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text);
	unsigned int headers; /* enum page_header, several */
	enum page_text text;
};

static int index_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	(void)http;
	(void)connection;
	ft_page_write(text);
	return 0;
}

static int summary_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	(void)connection;
	return http->pages.summary(http->userdata, text);
}

static int drawing_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	(void)connection;
	return http->pages.drawing(http->userdata, text);
}

static int build_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	(void)connection;
	return http->pages.build(http->userdata, text);
}

static int nodes_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	const char *name = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "name");
	const char *guid = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "guid");

	return http->pages.nodes(http->userdata, name, guid, text);
}

static int history_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	const char *before = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "before");

	return http->pages.history(http->userdata, before, text);
}

static int health_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	(void)connection;
	return http->pages.health(http->userdata, text);
}

static int metrics_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	(void)connection;
	http->pages.metrics(http->userdata, text);
	return 0;
}

static int report_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	(void)connection;
	return http->pages.report(http->userdata, text);
}

const char ft_http_plain_type[] = "text/plain; charset=utf-8";

static const char json_type[] = "application/json";

static const struct page pages_table[FT_PAGE_COUNT] = {
	[FT_PAGE_INDEX] = {"/", "text/html; charset=utf-8", index_write, HEADER_TAG | HEADER_POLICY, TEXT_ONE},
	[FT_PAGE_SUMMARY] = {"/summary", json_type, summary_write, HEADER_TAG, TEXT_ONE},
	[FT_PAGE_DRAWING] = {"/drawing.svg", "image/svg+xml", drawing_write, HEADER_TAG, TEXT_ONE},
	[FT_PAGE_BUILD] = {"/build", json_type, build_write, HEADER_TAG, TEXT_ONE},
	[FT_PAGE_NODES] = {"/nodes", json_type, nodes_write, 0, TEXT_ASKED},
	[FT_PAGE_HISTORY] = {"/history", json_type, history_write, 0, TEXT_ASKED},
	[FT_PAGE_HEALTH] = {"/healthz", ft_http_plain_type, health_write, 0, TEXT_ONE},
	[FT_PAGE_METRICS] = {"/metrics", "text/plain; version=0.0.4; charset=utf-8", metrics_write, 0, TEXT_ONE},
	[FT_PAGE_REPORT] = {"/report", json_type, report_write, HEADER_STATE, TEXT_ONE},
};

size_t ft_http_page_find(const char *path)
{
	size_t page = 0;

	while (page < FT_COUNT(pages_table) && strcmp(path, pages_table[page].path) != 0)
		page++;
	return page;
}

/* Answers. */

static const struct {
	const char *name, *value;
} headers_always[] = {
	{"X-Content-Type-Options", "nosniff"},
	{"Referrer-Policy", "no-referrer"},
};

const char ft_http_plain_policy[] = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

static bool header_add(struct MHD_Response *response, const char *name, const char *value)
{
	return MHD_add_response_header(response, name, value) == MHD_YES;
}

bool ft_http_headers_add(struct MHD_Response *response, const char *type, const char *policy, const char *tag)
{
	for (size_t i = 0; i < FT_COUNT(headers_always); i++)
		if (!header_add(response, headers_always[i].name, headers_always[i].value))
			return false;
	return header_add(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) &&
	       header_add(response, "Content-Security-Policy", policy) &&
	       header_add(response, MHD_HTTP_HEADER_CACHE_CONTROL, tag[0] ? "no-cache" : "no-store") &&
	       (!tag[0] || header_add(response, MHD_HTTP_HEADER_ETAG, tag));
}

enum MHD_Result ft_http_line_send(struct MHD_Connection *connection, unsigned int status, const char *line)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(strlen(line), (void *)(uintptr_t)line, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result = MHD_NO;

	if (!response)
		return MHD_NO;
	if (ft_http_headers_add(response, ft_http_plain_type, ft_http_plain_policy, "") &&
	    (status != MHD_HTTP_METHOD_NOT_ALLOWED || header_add(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD")))
		result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

/* libmicrohttpd passes only the buffer, which is the end of the body. */
static void body_free(void *data)
{
	struct ft_http_body *body = (struct ft_http_body *)(void *)((char *)data - offsetof(struct ft_http_body, data));

	if (body->http->newest[body->page] == body)
		body->http->newest[body->page] = NULL;
	body->http->bodies_size -= body->length;
	free(body->state);
	free(body);
}

static bool body_add_headers(struct ft_http_body *body)
{
	static const uint64_t key[2] = {0};
	const struct page *page = &pages_table[body->page];
	bool policy = page->headers & HEADER_POLICY;

	if (page->headers & HEADER_TAG && body->status == MHD_HTTP_OK)
		snprintf(body->tag, sizeof(body->tag), "\"%016llx\"",
			 (unsigned long long)ft_hash_keyed(key, body->data, body->length));
	return ft_http_headers_add(body->response, body->status == MHD_HTTP_OK ? page->type : ft_http_plain_type,
				   policy ? ft_text_string(&body->http->policy) : ft_http_plain_policy, body->tag) &&
	       (!body->state || header_add(body->response, "X-Ftcheck-State", body->state));
}

static struct ft_http_body *body_new(struct ft_http *http, size_t page, unsigned int status, const struct ft_text *text,
				     const char *state)
{
	struct ft_http_body *body = malloc(sizeof(*body) + text->length + 1);

	if (!body)
		return NULL;
	*body = (struct ft_http_body){.http = http, .page = page, .status = status, .length = text->length};
	memcpy(body->data, ft_text_string(text), text->length + 1);
	body->state = state ? strdup(state) : NULL;
	if (state && !body->state) {
		free(body);
		return NULL;
	}
	body->response = MHD_create_response_from_buffer_with_free_callback(body->length, body->data, body_free);
	if (!body->response) {
		free(body->state);
		free(body);
		return NULL;
	}
	http->bodies_size += body->length;
	if (body_add_headers(body))
		return body;
	MHD_destroy_response(body->response);
	return NULL;
}

static bool body_is(const struct ft_http_body *body, unsigned int status, const struct ft_text *text, const char *state)
{
	return body && body->status == status && body->length == text->length &&
	       memcmp(body->data, ft_text_string(text), text->length) == 0 &&
	       (state ? body->state && strcmp(body->state, state) == 0 : !body->state);
}

/* A valid header value: one line of printable ASCII. NULL if it is empty. */
static const char *state_write(struct ft_http *http, const struct page *page, struct ft_text *state)
{
	_cleanup_(ft_text_release) struct ft_text said = {0};

	if (!(page->headers & HEADER_STATE))
		return NULL;
	http->pages.state(http->userdata, &said);
	while (said.length > 0 && said.data[said.length - 1] == '\n')
		said.data[--said.length] = '\0';
	ft_text_add_safe(state, ft_text_string(&said), said.length);
	for (size_t i = 0; i < state->length; i++)
		if ((unsigned char)state->data[i] >= 0x7f)
			state->data[i] = '?';
	return state->length > 0 ? state->data : NULL;
}

/* Does the client have that one already? It may list several (RFC 9110, section 13.1.2). */
static bool is_kept(struct MHD_Connection *mhd, const char *tag)
{
	const char *kept = MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);

	return tag[0] && kept && strstr(kept, tag);
}

static enum MHD_Result unchanged_send(struct MHD_Connection *mhd, const struct ft_http_body *body)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result = MHD_NO;

	if (response && header_add(response, MHD_HTTP_HEADER_ETAG, body->tag) &&
	    header_add(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache"))
		result = MHD_queue_response(mhd, MHD_HTTP_NOT_MODIFIED, response);
	if (response)
		MHD_destroy_response(response);
	return result;
}

static enum MHD_Result body_send(struct MHD_Connection *mhd, const struct ft_http_body *body)
{
	struct ft_http_place *connection = ft_http_place_of(mhd);

	if (is_kept(mhd, body->tag))
		return unchanged_send(mhd, body);
	if (connection)
		connection->body = body;
	return MHD_queue_response(mhd, body->status, body->response);
}

static unsigned int status_of(int r)
{
	if (r == 0)
		return MHD_HTTP_OK;
	return r == -EINPROGRESS ? MHD_HTTP_ACCEPTED : MHD_HTTP_SERVICE_UNAVAILABLE;
}

enum MHD_Result ft_http_page_send(struct ft_http *http, struct MHD_Connection *connection, size_t number)
{
	_cleanup_(ft_text_release) struct ft_text text = {0}, state_text = {0};
	const struct page *page = &pages_table[number];
	unsigned int status = status_of(page->write(http, connection, &text));
	const char *state = state_write(http, page, &state_text);
	struct ft_http_body *body = http->newest[number];
	enum MHD_Result result;

	if (ft_text_failed(&text) || ft_text_failed(&state_text))
		return ft_http_line_send(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
	if (status != MHD_HTTP_OK && (text.length == 0 || text.data[text.length - 1] != '\n'))
		ft_text_puts(&text, "\n");
	if (body_is(body, status, &text, state))
		return body_send(connection, body);

	body = body_new(http, number, status, &text, state);
	if (!body)
		return ft_http_line_send(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
	if (http->newest[number])
		http->newest[number]->age = page->text == TEXT_ONE ? FT_AGE_REPLACED : FT_AGE_FORMER;
	http->newest[number] = body;
	result = body_send(connection, body);
	MHD_destroy_response(body->response);
	return result;
}
