/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The transaction of a call: copies of tracks and new events, committed when nothing can fail any more. */
#include "config.h"

#include "daemon/alert_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

/* ---- tracks ---- */

void ft_track_free(struct ft_track *track)
{
	if (!track)
		return;
	ft_message_unref(track->message);
	ft_message_unref(track->flap);
	free(track->flaps);
	free(track);
}

static void track_freep(struct ft_track **track)
{
	ft_track_free(*track);
}

static struct ft_track *track_copy(const struct ft_track *track)
{
	_cleanup_(track_freep) struct ft_track *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *track;
	copy->flaps = NULL;
	ft_message_ref(copy->message);
	ft_message_ref(copy->flap);
	if (track->flaps_count > 0) {
		copy->flaps = calloc(track->flaps_count, sizeof(*copy->flaps));
		if (!copy->flaps)
			return NULL;
		memcpy(copy->flaps, track->flaps, track->flaps_count * sizeof(*copy->flaps));
	}
	return FT_STEAL(copy);
}

/* Compares the part to be saved: the text of a finding alone is restored by the next check. */
static bool track_same(const struct ft_track *a, const struct ft_track *b)
{
	return a->present == b->present && a->raised == b->raised && a->hushed == b->hushed && a->looks == b->looks &&
	       a->since_ms == b->since_ms && a->over == b->over && a->flap == b->flap && a->announced == b->announced &&
	       a->flaps_count == b->flaps_count;
}

/* ---- a call's draft ---- */

struct ft_draft ft_draft_begin(struct ft_alerts *alerts, const struct ft_alert_rules *rules, struct ft_now now)
{
	return (struct ft_draft){.alerts = alerts, .rules = rules, .now = now};
}

void ft_draft_release(struct ft_draft *d)
{
	for (size_t i = 0; i < d->step_count; i++)
		ft_track_free(d->steps[i].track);
	free(d->steps);
	free(d->raises);
	ft_queued_free_all(d->first);
	ft_text_release(&d->json);
}

/* Takes @track, also on failure. */
static int step_add(struct ft_draft *d, uint32_t at, struct ft_track *track)
{
	struct ft_draft_step *step = FT_LIST_MORE(d->steps, d->step_count);

	if (!step) {
		ft_track_free(track);
		return -ENOMEM;
	}
	*step = (struct ft_draft_step){at, track};
	return 0;
}

int ft_draft_track_edit(struct ft_draft *d, uint32_t at, struct ft_track **ret_track)
{
	struct ft_track *track = track_copy(d->alerts->tracks[at]);
	int r;

	if (!track)
		return -ENOMEM;
	r = step_add(d, at, track);
	if (r == 0)
		*ret_track = track;
	return r;
}

int ft_draft_track_add(struct ft_draft *d, enum ft_track_kind kind, struct ft_message *message,
		       struct ft_track **ret_track)
{
	struct ft_track *track = calloc(1, sizeof(*track));
	int r;

	if (!track)
		return -ENOMEM;
	track->kind = kind;
	track->message = ft_message_ref(message);
	track->since_ms = d->now.mono_ms;
	r = step_add(d, FT_DRAFT_NEW_TRACK, track);
	if (r == 0)
		*ret_track = track;
	return r;
}

int ft_draft_say(struct ft_draft *d, const struct ft_track *track, enum ft_event_kind kind, struct ft_message *message,
		 enum ft_over over)
{
	struct ft_queued *queued;
	int r;

	if (track->hushed)
		return 0;
	r = ft_queued_new(&d->alerts->outbox, kind, message, over, &queued);
	if (r < 0)
		return r;
	queued->event.wall_ms = d->now.wall_ms;
	queued->event.raised_ms = track->raised_ms;
	queued->event.duration_ms = d->now.mono_ms - track->standing_ms;
	if (d->last)
		d->last->next = queued;
	else
		d->first = queued;
	d->last = queued;
	return 0;
}

static void stand(const struct ft_draft *d, struct ft_track *track)
{
	track->raised_ms = d->now.wall_ms;
	track->standing_ms = d->now.mono_ms;
}

/* The last event raised @track. */
static int raise_note(struct ft_draft *d, struct ft_track *track)
{
	struct ft_draft_raise *raise;

	if (track->kind != FT_TRACK_FINDING && track->kind != FT_TRACK_HOST)
		return 0;
	raise = FT_LIST_MORE(d->raises, d->raise_count);
	if (!raise)
		return -ENOMEM;
	*raise = (struct ft_draft_raise){d->last, track};
	return 0;
}

int ft_draft_say_raised(struct ft_draft *d, struct ft_track *track, struct ft_message *message)
{
	int r;

	stand(d, track);
	track->hushed = false;
	r = ft_draft_say(d, track, FT_EVENT_RAISED, message, FT_OVER_REPAIRED);
	return r < 0 ? r : raise_note(d, track);
}

/* Over: it is kept for the count of its flaps only. */
static bool track_is_over(const struct ft_track *track)
{
	return !track->present && !ft_track_stands(track);
}

/* And for so long that its return would be no flap. */
static bool track_is_forgotten(const struct ft_draft *d, const struct ft_track *track)
{
	return track_is_over(track) && !ft_track_in_flap_window(d->rules, track->since_ms, d->now.mono_ms);
}

static int since_compare(const void *a, const void *b)
{
	const struct ft_track *x = *(const struct ft_track *const *)a, *y = *(const struct ft_track *const *)b;

	return (x->since_ms > y->since_ms) - (x->since_ms < y->since_ms);
}

/*
 * Of those that are over, the time since which they are kept: a fabric in which other faults come and go all the time
 * may not fill the memory and the disk. If memory ran out, all of them are.
 */
static int64_t over_since_ms(const struct ft_draft *d)
{
	const struct ft_alerts *alerts = d->alerts;
	_cleanup_free_ const struct ft_track **over = calloc(alerts->track_count + 1, sizeof(*over));
	size_t count = 0, bytes = 0;

	for (size_t i = 0; over && i < alerts->track_count; i++)
		if (track_is_over(alerts->tracks[i]))
			over[count++] = alerts->tracks[i];
	if (count > 0)
		qsort(over, count, sizeof(*over), since_compare);
	while (count > 0) {
		bytes += strlen(over[--count]->message->finding);
		if (bytes > d->rules->max_bytes)
			return over[count]->since_ms + 1;
	}
	return INT64_MIN;
}

void ft_draft_forget(struct ft_draft *d)
{
	struct ft_alerts *alerts = d->alerts;
	int64_t since_ms = d->rules->max_bytes ? over_since_ms(d) : INT64_MIN;
	size_t kept = 0;

	for (size_t i = 0; i < alerts->track_count; i++)
		if (track_is_forgotten(d, alerts->tracks[i]) ||
		    (track_is_over(alerts->tracks[i]) && alerts->tracks[i]->since_ms < since_ms))
			ft_track_free(alerts->tracks[i]);
		else
			alerts->tracks[kept++] = alerts->tracks[i];
	if (kept < alerts->track_count)
		ft_ids_release(&alerts->index);
	alerts->track_count = kept;
}

static int tracks_reserve(struct ft_alerts *alerts, size_t more)
{
	size_t size = alerts->track_size ? alerts->track_size : 16;
	struct ft_track **tracks;

	while (size < alerts->track_count + more)
		size *= 2;
	if (size == alerts->track_size)
		return 0;
	tracks = reallocarray(alerts->tracks, size, sizeof(struct ft_track *));
	if (!tracks)
		return -ENOMEM;
	alerts->tracks = tracks;
	alerts->track_size = size;
	return 0;
}

static void step_put(struct ft_alerts *alerts, struct ft_draft_step *step, bool *matters)
{
	struct ft_track **place;

	if (step->track->kind == FT_TRACK_STORM)
		alerts->stormy = step->track->raised;
	if (step->at == FT_DRAFT_NEW_TRACK) {
		alerts->tracks[alerts->track_count++] = FT_STEAL(step->track);
		*matters = true;
		return;
	}
	place = &alerts->tracks[step->at];
	*matters |= !track_same(*place, step->track);
	ft_track_free(*place);
	*place = FT_STEAL(step->track);
}

int ft_draft_commit(struct ft_draft *d)
{
	struct ft_alerts *alerts = d->alerts;
	bool matters;

	if (ft_storm_settle(d) < 0)
		return -ENOMEM;
	matters = d->matters || d->first;
	if (tracks_reserve(alerts, d->step_count) < 0)
		return -ENOMEM;
	if (d->step_count > 0 && !d->indexed)
		ft_ids_release(&alerts->index);
	for (size_t i = 0; i < d->step_count; i++)
		step_put(alerts, &d->steps[i], &matters);
	d->step_count = 0;
	for (struct ft_queued *queued = d->first; queued; queued = queued->next)
		queued->event.seq = alerts->next_seq++;
	ft_outbox_append(&alerts->outbox, FT_STEAL(d->first), d->rules->max_bytes);
	alerts->version += matters;
	return 0;
}

int ft_draft_message_make(struct ft_draft *d, const struct ft_finding *finding, const char *code,
			  struct ft_message **ret_message)
{
	ft_text_reset(&d->json);
	ft_message_write_json(&d->json, finding, code);
	if (ft_text_failed(&d->json))
		return -ENOMEM;
	return ft_message_new(finding, code, ft_text_string(&d->json), ret_message);
}
