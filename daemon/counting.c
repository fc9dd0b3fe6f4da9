/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Error counters: read once after each full sweep by a child of their own, so that no event waits for it. What each
 * port has counted since the reading before goes into all reports until the next one.
 *
 * The child hands over the number of ports (64 bits), that many struct ft_counted_port, and the worst links as JSON:
 *
 *     [{"a": PLACE, "b": PLACE or null, "errors": number, "interval_ms": number, "text": "12 symbol errors"}, ...]
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/counting.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "probe/guard.h"

enum {
	LINKS_MAX = 20,
	RESERVE_MS = 10000, /* of the time of a check: to hand over the result */
	PORT_LAST = 254,
};

const struct ft_counted_port *ft_counting_ports(const struct ft_text *known, size_t *ret_count)
{
	uint64_t count = 0;

	*ret_count = 0;
	if (!known || known->length < sizeof(count))
		return NULL;
	memcpy(&count, known->data, sizeof(count));
	*ret_count = (size_t)count;
	return (const struct ft_counted_port *)(const void *)(known->data + sizeof(count));
}

/* The bytes are not trusted: the child may have crashed. */
static bool text_is_good(const struct ft_text *text)
{
	enum { BITS = (1 << FT_COUNTER_COUNT) - 1 };
	size_t count, room = text->length / sizeof(struct ft_counted_port);
	const struct ft_counted_port *ports = ft_counting_ports(text, &count);

	if (!ports || count > room || sizeof(uint64_t) + count * sizeof(*ports) > text->length)
		return false;
	for (size_t i = 0; i < count; i++)
		if (ports[i].number > PORT_LAST || ports[i].count.status != FT_COUNTED ||
		    ports[i].count.at_least > BITS || ports[i].count.stuck > BITS)
			return false;
	return true;
}

/* ---- in the child ---- */

struct worst {
	uint32_t items[2]; /* of the two ends; FT_NONE: it was not read */
	uint32_t ports[2];
	uint64_t errors, per_hour;
	uint64_t counts[FT_COUNTER_COUNT];
	uint32_t interval_ms;
};

static int worst_compare(const void *a, const void *b)
{
	const struct worst *x = a, *y = b;

	if (x->per_hour != y->per_hour)
		return x->per_hour < y->per_hour ? 1 : -1;
	return (x->ports[0] > y->ports[0]) - (x->ports[0] < y->ports[0]);
}

static void worst_add(struct worst *w, const struct ft_port_count *count)
{
	for (unsigned int i = 0; i < FT_COUNTER_COUNT; i++) {
		w->counts[i] += count->counts[i];
		/* Discards are congestion, and of a link that went down nothing is here. */
		if (i != FT_COUNTER_DISCARDS)
			w->errors += count->counts[i];
	}
	if (count->interval_ms > w->interval_ms)
		w->interval_ms = count->interval_ms;
}

/* Each cable once. @item_of: by port. */
static void worst_gather(const struct ft_snapshot *s, const struct ft_counters *counters, const uint32_t *item_of,
			 struct worst *worst, size_t *ret_count)
{
	const uint64_t hour_ms = 3600 * 1000;

	*ret_count = 0;
	for (uint32_t i = 0; i < counters->count; i++) {
		uint32_t port = counters->items[i].port, peer = s->ports[port].peer;
		struct worst w = {.ports = {port, peer}};

		if (peer != FT_NONE && peer < port && item_of[peer] != FT_NONE)
			continue;
		worst_add(&w, &counters->items[i]);
		if (peer != FT_NONE && item_of[peer] != FT_NONE)
			worst_add(&w, &counters->items[item_of[peer]]);
		if (w.errors == 0 || w.interval_ms == 0)
			continue;
		w.per_hour = w.errors > UINT64_MAX / hour_ms ? UINT64_MAX : w.errors * hour_ms / w.interval_ms;
		worst[(*ret_count)++] = w;
	}
	qsort(worst, *ret_count, sizeof(*worst), worst_compare);
}

static int place_write(struct ft_text *t, const struct ft_check_request *request, const struct ft_snapshot *s,
		       uint32_t port)
{
	const struct ft_node *node;
	_cleanup_free_ char *name = NULL;

	if (port == FT_NONE) {
		ft_text_puts(t, "null");
		return 0;
	}
	node = ft_port_node(s, &s->ports[port]);
	name = ft_names_safe_dup(request->names, s, node);
	if (!name)
		return -ENOMEM;
	ft_text_puts(t, "{");
	ft_text_add_member(t, "name", name);
	ft_text_printf(t, ", \"guid\": \"0x%016" PRIx64 "\", \"port\": %u}", node->guid, s->ports[port].number);
	return 0;
}

static int worst_write(struct ft_text *t, const struct ft_check_request *request, const struct ft_snapshot *s,
		       const struct worst *w)
{
	_cleanup_(ft_text_release) struct ft_text words = {0};
	int r;

	ft_text_puts(t, "{\"a\": ");
	r = place_write(t, request, s, w->ports[0]);
	ft_text_puts(t, ", \"b\": ");
	if (r == 0)
		r = place_write(t, request, s, w->ports[1]);
	for (unsigned int i = 0; i < FT_COUNTER_COUNT; i++)
		if (w->counts[i] > 0)
			ft_text_printf(&words, "%s%" PRIu64 " %s", words.length ? ", " : "", w->counts[i],
				       ft_counter_name((enum ft_counter)i, w->counts[i]));
	ft_text_printf(t, ", \"errors\": %" PRIu64 ", \"interval_ms\": %u", w->errors, w->interval_ms);
	ft_text_add_member(t, "text", ft_text_string(&words));
	ft_text_puts(t, "}");
	return r < 0 || words.failed ? -ENOMEM : 0;
}

static int links_write(struct ft_text *t, const struct ft_check_request *request, const struct ft_counters *counters)
{
	const struct ft_snapshot *s = request->snapshot;
	_cleanup_free_ uint32_t *item_of = malloc((s->port_count + 1UL) * sizeof(*item_of));
	_cleanup_free_ struct worst *worst = calloc(counters->count + 1UL, sizeof(*worst));
	size_t count;
	int r = 0;

	if (!item_of || !worst)
		return -ENOMEM;
	for (uint32_t p = 0; p < s->port_count; p++)
		item_of[p] = FT_NONE;
	for (uint32_t i = 0; i < counters->count; i++)
		item_of[counters->items[i].port] = i;
	worst_gather(s, counters, item_of, worst, &count);
	ft_text_puts(t, "[");
	for (size_t i = 0; r == 0 && i < count && i < LINKS_MAX; i++) {
		ft_text_puts(t, i ? ", " : "");
		r = worst_write(t, request, s, &worst[i]);
	}
	ft_text_puts(t, "]");
	return r;
}

static void ports_write(struct ft_text *t, const struct ft_snapshot *s, const struct ft_counters *counters)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < counters->count; i++)
		count += counters->items[i].status == FT_COUNTED;
	ft_text_add(t, (const char *)&count, sizeof(count));
	for (uint32_t i = 0; i < counters->count; i++) {
		const struct ft_port *port = &s->ports[counters->items[i].port];
		struct ft_counted_port known;

		if (counters->items[i].status != FT_COUNTED)
			continue;
		/* All of it goes through a pipe, padding too. */
		memset(&known, 0, sizeof(known));
		memcpy(&known.count, &counters->items[i], sizeof(known.count));
		known.guid = ft_port_node(s, port)->guid;
		known.number = port->number;
		ft_text_add(t, (const char *)&known, sizeof(known));
	}
}

int ft_counting_read(const struct ft_check_request *request, int64_t end_ms, struct ft_text *text, struct ft_error *err)
{
	_cleanup_(ft_counters_freep) struct ft_counters *now = NULL;
	_cleanup_(ft_counters_freep) struct ft_counters *judged = NULL;
	const struct ft_counted_port *ports;
	size_t count;
	int r;

	ports = ft_counting_ports(request->counted, &count);
	r = ft_counters_read_on(request->sweep, request->snapshot, ports, count, end_ms - RESERVE_MS, &now, err);
	if (r < 0)
		return r;
	/* No further packets are sent. */
	ft_guard_go_on();
	ports_write(text, request->snapshot, now);
	if (ft_text_failed(text))
		return -ENOMEM;
	ports = ft_counting_ports(text, &count);
	r = ft_counters_known(request->snapshot, ports, count, false, &judged);
	return r < 0 ? r : links_write(text, request, judged);
}

/* ---- in the parent ---- */

static void counted_take(struct ft_daemon *d, struct ft_text *text)
{
	size_t count, head;

	if (!text_is_good(text)) {
		snprintf(d->counting.trouble, sizeof(d->counting.trouble),
			 "reading the counters gave a damaged result");
		ft_log(LOG_WARNING, "%s", d->counting.trouble);
		return;
	}
	ft_counting_ports(text, &count);
	head = sizeof(uint64_t) + count * sizeof(struct ft_counted_port);
	ft_text_reset(&d->counting.links);
	ft_text_add(&d->counting.links, text->data + head, text->length - head);
	ft_text_release(&d->counting.known);
	d->counting.known = *text;
	*text = (struct ft_text){0};
	d->counting.at_ms = ft_daemon_now().wall_ms;
	d->counting.serial++;
	d->counting.trouble[0] = '\0';
	ft_http_tell(d->http);
}

static void on_counted(struct ft_check *check, int r, struct ft_check_result *result, const struct ft_error *err,
		       void *userdata)
{
	struct ft_daemon *d = userdata;

	(void)check;
	ft_check_free(FT_STEAL(d->counting.check));
	if (r == 0) {
		counted_take(d, &result->text);
		return;
	}
	if (strcmp(d->counting.trouble, err->text) != 0)
		ft_log(LOG_WARNING, "error counters: %s", err->text);
	snprintf(d->counting.trouble, sizeof(d->counting.trouble), "%s", err->text);
}

static void counting_forget(struct ft_daemon *d)
{
	ft_text_release(&d->counting.known);
	ft_text_release(&d->counting.links);
	d->counting.known = d->counting.links = (struct ft_text){0};
}

void ft_counting_look(struct ft_daemon *d)
{
	struct ft_check_request request = ft_looks_request(d, FT_CHECK_COUNT);
	struct ft_error err = {0};

	if (!d->config->counters || d->config->lldp) {
		counting_forget(d);
		return;
	}
	/* What was read last is judged by a sweep before it is replaced. */
	if (!d->snapshot || d->counting.check || d->counting.swept != d->counting.serial)
		return;
	request.snapshot = d->snapshot;
	if (ft_check_start(d->loop, &request, on_counted, d, &d->counting.check, &err) < 0)
		ft_log(LOG_WARNING, "error counters: %s", err.text);
}

void ft_counting_end(struct ft_daemon *d)
{
	ft_check_free(FT_STEAL(d->counting.check));
	counting_forget(d);
}
