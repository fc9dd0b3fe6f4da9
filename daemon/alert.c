/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The life cycle of alerts: all calls except those for checks (alert_look.c). */
#include "config.h"

#include "daemon/alert_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const struct ft_alert_rules ft_alert_rules_defaults = {
	.raise_after = {.looks = 1},
	.clear_after = {.looks = 1},
	.severity = FT_SEVERITY_WARNING,
	.flap_count = 6,
	.flap_window_ms = 10 * 60 * 1000,
	.incomplete_after = 3,
	.storm = 30,
};

const char *ft_event_kind_name(enum ft_event_kind kind)
{
	static const char *const names[] = {"raised", "changed", "cleared"};

	return names[kind];
}

/* ---- the calls ---- */

int ft_alerts_new(struct ft_alerts **ret_alerts)
{
	struct ft_alerts *alerts = calloc(1, sizeof(*alerts));

	if (!alerts)
		return -ENOMEM;
	alerts->next_seq = 1;
	*ret_alerts = alerts;
	return 0;
}

void ft_alerts_free(struct ft_alerts *alerts)
{
	if (!alerts)
		return;
	for (size_t i = 0; i < alerts->track_count; i++)
		ft_track_free(alerts->tracks[i]);
	free(alerts->tracks);
	free(alerts->gaps);
	ft_ids_release(&alerts->index);
	ft_outbox_release(&alerts->outbox);
	free(alerts);
}

void ft_alerts_skip_seq(struct ft_alerts *alerts, uint64_t seq)
{
	if (seq <= alerts->next_seq)
		return;
	alerts->next_seq = seq;
	alerts->version++;
}

int ft_alerts_tick(struct ft_alerts *alerts, const struct ft_alert_rules *rules, struct ft_now now)
{
	enum { RETRY_MS = 1000 };
	_cleanup_(ft_draft_release) struct ft_draft d = ft_draft_begin(alerts, rules, now);
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < alerts->track_count; i++)
		r = ft_track_let_be(&d, i);
	if (r == 0)
		r = ft_draft_commit(&d);
	/* What was due stays due, so without a delay the tick would repeat at once, for ever. */
	alerts->retry_ms = r < 0 ? now.mono_ms + RETRY_MS : 0;
	if (r == 0)
		ft_draft_forget(&d);
	return r;
}

/* ---- hosts ---- */

static int index_make(struct ft_alerts *alerts)
{
	int r = 0;

	for (size_t i = alerts->index.count; r >= 0 && i < alerts->track_count; i++)
		r = ft_ids_add(&alerts->index, alerts->tracks[i]->message->id, NULL);
	if (r < 0)
		ft_ids_release(&alerts->index);
	return r < 0 ? r : 0;
}

static int host_flaps(struct ft_draft *d, struct ft_track *track, struct ft_message *message)
{
	int r;

	track->since_ms = d->now.mono_ms;
	if (track->flap)
		return 0;
	r = ft_track_flap_note(d, track);
	if (r < 0 || track->flaps_count < d->rules->flap_count)
		return r;
	/* The id is the same, but another string now. */
	ft_track_message_set(track, message);
	d->indexed = false;
	return ft_track_flap_begin(d, track, message);
}

int ft_alerts_host_link_down(struct ft_alerts *alerts, const struct ft_alert_rules *rules, uint64_t guid, uint32_t port,
			     const char *name, const char *host, struct ft_now now)
{
	struct ft_place where[] = {{.name = (char *)name, .guid = guid, .port = port}, {.name = (char *)host}};
	const struct ft_finding link = {.where = where, .where_count = host && host[0] ? 2 : 1};
	_cleanup_(ft_draft_release) struct ft_draft d = ft_draft_begin(alerts, rules, now);
	_cleanup_(ft_message_unrefp) struct ft_message *message = NULL;
	struct ft_track *track = NULL;
	char id[64];
	uint32_t at;
	int r;

	if (!ft_track_counts_flaps(rules))
		return 0;
	snprintf(id, sizeof(id), "%s:0x%016" PRIx64 ":%" PRIu32, ft_track_flapping_code, guid, port);
	r = index_make(alerts);
	if (r == 0)
		r = ft_track_flap_message(&d, &link, id, "went down", &message);
	if (r < 0)
		return r;
	at = ft_ids_find(&alerts->index, id);
	d.indexed = true;
	r = at == FT_NONE ? ft_draft_track_add(&d, FT_TRACK_HOST, message, &track)
			  : ft_draft_track_edit(&d, at, &track);
	if (r == 0 && at == FT_NONE)
		r = ft_ids_add(&alerts->index, message->id, NULL);
	if (r >= 0)
		r = host_flaps(&d, track, message);
	if (r == 0)
		r = ft_draft_commit(&d);
	if (r < 0)
		ft_ids_release(&alerts->index); /* it may contain a track that does not exist */
	return r;
}

/* ---- queries ---- */

int64_t ft_alerts_due_ms(const struct ft_alerts *alerts, const struct ft_alert_rules *rules)
{
	int64_t due_ms = ft_storm_due_ms(alerts);

	for (size_t i = 0; i < alerts->track_count; i++) {
		const struct ft_track *track = alerts->tracks[i];
		const struct ft_patience *patience = ft_track_waits(rules, track);
		int64_t when_ms = INT64_MAX;

		if (track->flap)
			when_ms = track->since_ms + (ft_track_counts_flaps(rules) ? rules->flap_window_ms : 0);
		else if (patience)
			when_ms = ft_track_due_ms(patience, track);
		if (when_ms < due_ms)
			due_ms = when_ms;
	}
	return due_ms < alerts->retry_ms ? alerts->retry_ms : due_ms;
}

bool ft_alerts_want_look(const struct ft_alerts *alerts, const struct ft_alert_rules *rules)
{
	for (size_t i = 0; i < alerts->track_count; i++) {
		const struct ft_patience *patience = ft_track_waits(rules, alerts->tracks[i]);

		if (patience && patience->ms == 0)
			return true;
	}
	return false;
}

size_t ft_alerts_standing(const struct ft_alerts *alerts, enum ft_severity severity)
{
	size_t count = 0;

	for (size_t i = 0; i < alerts->track_count; i++) {
		const struct ft_track *track = alerts->tracks[i];

		if (ft_track_stands(track) && !track->hushed)
			count += (track->flap ? track->flap : track->message)->severity == severity;
	}
	return count;
}

size_t ft_alerts_summed_up(const struct ft_alerts *alerts)
{
	size_t count = 0;

	for (size_t i = 0; i < alerts->track_count; i++)
		count += alerts->tracks[i]->hushed;
	return count;
}

uint64_t ft_alerts_version(const struct ft_alerts *alerts)
{
	return alerts->version;
}

/* ---- sinks ---- */

int ft_alerts_set_sinks(struct ft_alerts *alerts, const char *const *names, size_t count)
{
	bool changed;
	int r = ft_outbox_set_sinks(&alerts->outbox, names, count, &changed);

	if (r == 0)
		alerts->version += changed;
	return r;
}

bool ft_alerts_has_sink(const struct ft_alerts *alerts, const char *name)
{
	return ft_outbox_sink(&alerts->outbox, name) != NULL;
}

const struct ft_event *ft_alerts_next(const struct ft_alerts *alerts, const char *name)
{
	const struct ft_sink *sink = ft_outbox_sink(&alerts->outbox, name);

	return sink && sink->first ? &sink->first->event : NULL;
}

const struct ft_event *ft_alerts_after(const struct ft_alerts *alerts, const char *name, const struct ft_event *event)
{
	const struct ft_sink *sink = ft_outbox_sink(&alerts->outbox, name);
	const struct ft_queued *queued = sink ? ft_outbox_after(sink, (const struct ft_queued *)event) : NULL;

	return queued ? &queued->event : NULL;
}

void ft_alerts_begin(struct ft_alerts *alerts, const char *sink, uint64_t seq)
{
	ft_outbox_begin(&alerts->outbox, sink, seq);
}

void ft_alerts_done(struct ft_alerts *alerts, const char *sink, uint64_t seq)
{
	alerts->version += ft_outbox_done(&alerts->outbox, sink, seq);
}

size_t ft_alerts_waiting(const struct ft_alerts *alerts, const char *name)
{
	const struct ft_sink *sink = ft_outbox_sink(&alerts->outbox, name);

	return sink ? sink->waiting : 0;
}

uint64_t ft_alerts_dropped(const struct ft_alerts *alerts)
{
	return alerts->outbox.dropped;
}
