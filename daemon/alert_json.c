/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Alerts as JSON: an event for hooks, and all of it for the state file.
 *
 *     {"ftcheckd_state": 1, "checksum": "16 hex digits", "state": {
 *     "seq": the next event's number, "dropped", "misses", "gaps": [{"guid", "port", "looks"}], "sinks": [names],
 *     "findings": [FINDING of the report, ...],
 *     "alerts": [{"kind", "finding": its number in the list, "flap": the same or null, "present", "raised", "looks",
 *                 "since", "over", "raised_at", "standing", "announced", "flaps": [times],
 *                 "storm": true where alert-storm stands for it, else absent}, ...],
 *     "events": [{"seq", "event", "finding", "over", "time", "raised_at", "duration", "waiting": [names]}, ...]}}
 *
 * All times are of the wall clock in ms. The checksum is that of everything behind "state": and the blank after it. A
 * file that was cut, or in which a byte is another, is refused as a whole.
 */
#include "config.h"

#include "base/moment.h"
#include "daemon/alert_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ft_track_kinds[FT_TRACK_KIND_COUNT] = {
	[FT_TRACK_FINDING] = "finding",
	[FT_TRACK_HOST] = "host",
	[FT_TRACK_SWEEP] = "sweep",
	[FT_TRACK_STORM] = "storm",
};

/* ---- an event ---- */

void ft_alerts_add_time(struct ft_text *t, const char *key, int64_t wall_ms)
{
	int64_t ms = ((wall_ms % 1000) + 1000) % 1000;
	char string[FT_TIME_SIZE];

	/* "2026-11-20T12:00:00Z", with the fraction before the Z */
	if (ft_time_string((wall_ms - ms) / 1000, string) < 0)
		ft_text_printf(t, ", \"%s\": null", key);
	else
		ft_text_printf(t, ", \"%s\": \"%.*s.%03dZ\"", key, (int)strlen(string) - 1, string, (int)ms);
}

void ft_event_write_json(struct ft_text *t, const struct ft_event *event, const char *fabric, const char *instance)
{
	int64_t ms = event->duration_ms > 0 ? event->duration_ms : 0;

	ft_text_printf(t, "{\"ftcheck_alert\": 1, \"seq\": %" PRIu64, event->seq);
	ft_text_add_member(t, "event", ft_event_kind_name(event->kind));
	ft_alerts_add_time(t, "time", event->wall_ms);
	ft_text_add_member(t, "fabric", fabric);
	ft_text_add_member(t, "instance", instance);
	ft_text_add_member(t, "id", event->id);
	ft_text_add_member(t, "code", event->code);
	ft_text_add_member(t, "severity", ft_severity_name(event->severity));
	ft_text_add_member(t, "text", event->text);
	ft_text_add_member(t, "fix", event->fix);
	ft_alerts_add_time(t, "raised_at", event->raised_ms);
	ft_text_printf(t, ", \"duration_s\": %" PRId64 ".%03d, \"finding\": %s}\n", ms / 1000, (int)(ms % 1000),
		       event->finding ? event->finding : "null");
}

/* ---- writing ---- */

struct writer {
	struct ft_text *t;
	struct ft_now now;
	uint32_t findings;
};

/* FNV-1a, as in ft_text_checksum(), of bytes. */
static uint64_t bytes_hash(const char *bytes, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3ULL;
	return hash;
}

size_t ft_state_head(char ret_head[FT_STATE_HEAD_SIZE], const char *body, size_t length)
{
	return (size_t)snprintf(
		ret_head, FT_STATE_HEAD_SIZE,
		"{\"ftcheckd_state\": 1, \"checksum\": \"%016" PRIx64 "\", \"state\": ", bytes_hash(body, length));
}

static int64_t wall_from_mono(const struct writer *w, int64_t mono_ms)
{
	return w->now.wall_ms - (w->now.mono_ms - mono_ms);
}

/* Each message once, even if several share it. */
static void findings_unmark(const struct ft_alerts *alerts)
{
	for (size_t i = 0; i < alerts->track_count; i++) {
		alerts->tracks[i]->message->number = UINT32_MAX;
		if (alerts->tracks[i]->flap)
			alerts->tracks[i]->flap->number = UINT32_MAX;
	}
	for (const struct ft_queued *q = alerts->outbox.head; q; q = q->next)
		q->message->number = UINT32_MAX;
}

static void finding_put(struct writer *w, struct ft_message *message)
{
	if (!message || message->number != UINT32_MAX)
		return;
	ft_text_puts(w->t, w->findings ? ",\n" : "\n");
	ft_text_puts(w->t, message->finding);
	message->number = w->findings++;
}

static void findings_write(struct writer *w, const struct ft_alerts *alerts)
{
	findings_unmark(alerts);
	ft_text_puts(w->t, ",\n\"findings\": [");
	for (size_t i = 0; i < alerts->track_count; i++) {
		finding_put(w, alerts->tracks[i]->message);
		finding_put(w, alerts->tracks[i]->flap);
	}
	for (const struct ft_queued *q = alerts->outbox.head; q; q = q->next)
		finding_put(w, q->message);
	ft_text_puts(w->t, "]");
}

static void number_or_null(struct ft_text *t, const char *key, const struct ft_message *message)
{
	if (message)
		ft_text_printf(t, ", \"%s\": %" PRIu32, key, message->number);
	else
		ft_text_printf(t, ", \"%s\": null", key);
}

static void track_write(struct writer *w, const struct ft_track *track)
{
	ft_text_printf(w->t, "{\"kind\": \"%s\"", ft_track_kinds[track->kind]);
	number_or_null(w->t, "finding", track->message);
	number_or_null(w->t, "flap", track->flap);
	ft_text_printf(w->t,
		       ", \"present\": %s, \"raised\": %s, \"looks\": %" PRIu32 ", \"since\": %" PRId64
		       ", \"over\": \"%s\", \"raised_at\": %" PRId64 ", \"standing\": %" PRId64
		       ", \"announced\": \"%016" PRIx64 "\", \"flaps\": [",
		       track->present ? "true" : "false", track->raised ? "true" : "false", track->looks,
		       wall_from_mono(w, track->since_ms), ft_over_name(track->over), track->raised_ms,
		       wall_from_mono(w, track->standing_ms), track->announced);
	for (uint32_t i = 0; i < track->flaps_count; i++)
		ft_text_printf(w->t, "%s%" PRId64, i ? ", " : "", wall_from_mono(w, track->flaps[i]));
	ft_text_puts(w->t, track->hushed ? "], \"storm\": true}" : "]}");
}

static void event_write(struct writer *w, const struct ft_queued *q)
{
	const struct ft_event *event = &q->event;

	ft_text_printf(w->t,
		       "{\"seq\": %" PRIu64 ", \"event\": \"%s\", \"finding\": %" PRIu32
		       ", \"over\": \"%s\", \"time\": %" PRId64 ", \"raised_at\": %" PRId64 ", \"duration\": %" PRId64
		       ", \"waiting\": [",
		       event->seq, ft_event_kind_name(event->kind), q->message->number, ft_over_name(q->over),
		       event->wall_ms, event->raised_ms, event->duration_ms);
	for (size_t i = 0; i < event->waiting_count; i++) {
		ft_text_puts(w->t, i ? ", " : "");
		ft_text_add_json(w->t, event->waiting[i]);
	}
	ft_text_puts(w->t, "]}");
}

static void state_write(struct writer *w, const struct ft_alerts *alerts)
{
	ft_text_printf(w->t, "{\n\"seq\": %" PRIu64 ", \"dropped\": %" PRIu64 ", \"misses\": %" PRIu32 ",\n\"gaps\": [",
		       alerts->next_seq, alerts->outbox.dropped, alerts->misses);
	for (size_t i = 0; i < alerts->gap_count; i++)
		ft_text_printf(w->t, "%s{\"guid\": \"%016" PRIx64 "\", \"port\": %" PRIu32 ", \"looks\": %" PRIu32 "}",
			       i ? ", " : "", alerts->gaps[i].guid, alerts->gaps[i].port, alerts->gaps[i].looks);
	ft_text_puts(w->t, "],\n\"sinks\": [");
	for (size_t i = 0; i < alerts->outbox.sink_count; i++) {
		ft_text_puts(w->t, i ? ", " : "");
		ft_text_add_json(w->t, alerts->outbox.sinks[i].name);
	}
	ft_text_puts(w->t, "]");
	findings_write(w, alerts);
	ft_text_puts(w->t, ",\n\"alerts\": [");
	for (size_t i = 0; i < alerts->track_count; i++) {
		ft_text_puts(w->t, i ? ",\n" : "\n");
		track_write(w, alerts->tracks[i]);
	}
	ft_text_puts(w->t, "],\n\"events\": [");
	for (const struct ft_queued *q = alerts->outbox.head; q; q = q->next) {
		ft_text_puts(w->t, q->prev ? ",\n" : "\n");
		event_write(w, q);
	}
	ft_text_puts(w->t, "]}}\n");
}

void ft_alerts_write_json(struct ft_text *t, const struct ft_alerts *alerts, struct ft_now now)
{
	struct writer w = {.t = t, .now = now};
	char head[FT_STATE_HEAD_SIZE];
	size_t at = t->length, body;

	/* Filled in when the rest is complete. */
	ft_text_add(t, head, ft_state_head(head, "", 0));
	body = t->length;
	state_write(&w, alerts);
	if (ft_text_failed(t))
		return;
	ft_state_head(head, t->data + body, t->length - body);
	memcpy(t->data + at, head, body - at);
}

/* ---- for display ---- */

static const char *track_state(const struct ft_track *track)
{
	if (track->flap)
		return "flapping";
	if (track->raised)
		return track->present ? "raised" : "clearing";
	return track->present ? "pending" : NULL;
}

void ft_alerts_write_list(struct ft_text *t, const struct ft_alerts *alerts, struct ft_now now)
{
	const struct writer w = {.t = t, .now = now};
	const char *comma = "";

	ft_text_puts(t, "[");
	for (size_t i = 0; i < alerts->track_count; i++) {
		const struct ft_track *track = alerts->tracks[i];
		const struct ft_message *message = track->flap ? track->flap : track->message;
		const char *state = track_state(track);
		bool stands = ft_track_stands(track);

		if (!state || track->hushed)
			continue;
		ft_text_printf(t, "%s\n    {", comma);
		ft_text_add_member(t, "id", message->id);
		ft_text_add_member(t, "code", message->code);
		ft_text_add_member(t, "severity", ft_severity_name(message->severity));
		ft_text_add_member(t, "state", state);
		ft_alerts_add_time(t, "since", stands ? track->raised_ms : wall_from_mono(&w, track->since_ms));
		ft_text_add_member(t, "text", message->text);
		ft_text_puts(t, "}");
		comma = ",";
	}
	ft_text_puts(t, "]");
}
