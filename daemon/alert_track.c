/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* One alert over time: its waits, its flaps, and the effect of a check in which it is present or absent. */
#include "config.h"

#include "daemon/alert_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char ft_track_flapping_code[] = "link-flapping";
static const char flapping_fix[] = "reseat the cable at both ends; if that does not help, replace it";

/* ---- patience ---- */

bool ft_track_stands(const struct ft_track *track)
{
	return track->raised || track->flap;
}

void ft_track_message_set(struct ft_track *track, struct ft_message *message)
{
	ft_message_unref(track->message);
	track->message = ft_message_ref(message);
}

static bool patience_is_over(const struct ft_patience *patience, const struct ft_track *track, int64_t now_ms)
{
	return patience->ms ? now_ms - track->since_ms >= patience->ms : track->looks >= patience->looks;
}

int64_t ft_track_due_ms(const struct ft_patience *patience, const struct ft_track *track)
{
	if (patience->ms)
		return track->since_ms + patience->ms;
	return track->looks >= patience->looks ? track->since_ms : INT64_MAX;
}

bool ft_track_counts_flaps(const struct ft_alert_rules *rules)
{
	return rules->flap_count > 0 && rules->severity <= FT_SEVERITY_WARNING;
}

bool ft_track_in_flap_window(const struct ft_alert_rules *rules, int64_t then_ms, int64_t now_ms)
{
	return ft_track_counts_flaps(rules) && now_ms - then_ms < rules->flap_window_ms;
}

/* The subnet manager finishes its work within a moment: only a second sweep confirms that it does not. */
static const struct ft_patience *raise_patience(const struct ft_alert_rules *rules, const struct ft_track *track)
{
	static const struct ft_patience twice = {.looks = 2};
	enum ft_code code = ft_code_of(track->message->code);

	if (code != FT_CODE_COUNT && ft_codes[code].traits & FT_TRAIT_PASSING && rules->raise_after.ms == 0 &&
	    rules->raise_after.looks < twice.looks)
		return &twice;
	return &rules->raise_after;
}

const struct ft_patience *ft_track_waits(const struct ft_alert_rules *rules, const struct ft_track *track)
{
	if (track->kind != FT_TRACK_FINDING || track->flap || track->present == track->raised)
		return NULL;
	return track->present ? raise_patience(rules, track) : &rules->clear_after;
}

/* Does the clock alone cause a transition? */
static bool track_is_due(const struct ft_alert_rules *rules, const struct ft_track *track, int64_t now_ms)
{
	const struct ft_patience *patience = ft_track_waits(rules, track);

	if (track->flap)
		return !ft_track_in_flap_window(rules, track->since_ms, now_ms);
	return patience && patience_is_over(patience, track, now_ms);
}

/* ---- messages ---- */

static void place_words(struct ft_text *text, const struct ft_place *place)
{
	char words[FT_PORT_WORDS_SIZE];

	ft_text_puts(text, place->name ? place->name : "?");
	ft_text_puts(text, ft_port_words(place, words));
}

/* "edge003 port 20 - core01 port 20"; with more than two ends the first, and their number. */
static void where_words(struct ft_text *text, const struct ft_finding *f)
{
	if (f->where_count == 0) {
		ft_text_puts(text, f->id);
		return;
	}
	place_words(text, &f->where[0]);
	if (f->where_count == 2) {
		ft_text_puts(text, " - ");
		place_words(text, &f->where[1]);
	} else {
		ft_text_more(text, f->where_count, 1);
	}
}

int ft_track_flap_message(struct ft_draft *d, const struct ft_finding *f, const char *id, const char *what,
			  struct ft_message **ret_message)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_free_ char *observed = NULL;
	struct ft_finding flap = {
		.id = (char *)id,
		.severity = FT_SEVERITY_WARNING,
		.evidence = FT_EVIDENCE_SEEN,
		.where = f->where,
		.where_count = f->where_count,
		.count = d->rules->flap_count,
		.expected = (char *)"a link that stays up",
		.fix = (char *)flapping_fix,
		.impact = f->impact,
	};
	size_t start;

	ft_text_puts(&text, "flapping: ");
	where_words(&text, f);
	ft_text_puts(&text, ": ");
	start = text.length;
	ft_text_printf(&text, "%s %" PRIu32 " times in ", what, d->rules->flap_count);
	ft_text_add_span(&text, d->rules->flap_window_ms);
	observed = ft_text_failed(&text) ? NULL : strdup(text.data + start);
	if (f->text)
		ft_text_printf(&text, "; the fault: %s", f->text);
	if (!observed || ft_text_failed(&text))
		return -ENOMEM;
	flap.observed = observed;
	flap.text = text.data;
	return ft_draft_message_make(d, &flap, ft_track_flapping_code, ret_message);
}

/* ---- flaps ---- */

int ft_track_flap_note(struct ft_draft *d, struct ft_track *track)
{
	int64_t *flaps;
	uint32_t gone = 0;

	while (gone < track->flaps_count && !ft_track_in_flap_window(d->rules, track->flaps[gone], d->now.mono_ms))
		gone++;
	track->flaps_count -= gone;
	if (gone > 0)
		memmove(track->flaps, track->flaps + gone, track->flaps_count * sizeof(*flaps));
	flaps = reallocarray(track->flaps, track->flaps_count + 1UL, sizeof(*flaps));
	if (!flaps)
		return -ENOMEM;
	track->flaps = flaps;
	flaps[track->flaps_count++] = d->now.mono_ms;
	return 0;
}

static void flaps_forget(struct ft_track *track)
{
	free(FT_STEAL(track->flaps));
	track->flaps_count = 0;
}

int ft_track_flap_begin(struct ft_draft *d, struct ft_track *track, struct ft_message *flap)
{
	const struct ft_track before = *track;
	int r = ft_draft_say_raised(d, track, flap);

	if (r == 0 && before.raised)
		r = ft_draft_say(d, &before, FT_EVENT_CLEARED, track->message, FT_OVER_FLAPPING);
	if (r < 0)
		return r;
	track->raised = false;
	track->flap = ft_message_ref(flap);
	flaps_forget(track);
	return 0;
}

/* It is stable. The present state is raised first, for the same reason. */
static int flap_end(struct ft_draft *d, struct ft_track *track)
{
	const struct ft_track before = *track;
	int r = 0;

	track->hushed = false;
	if (track->present && patience_is_over(raise_patience(d->rules, track), track, d->now.mono_ms)) {
		r = ft_draft_say_raised(d, track, track->message);
		track->raised = true;
	}
	if (r == 0)
		r = ft_draft_say(d, &before, FT_EVENT_CLEARED, before.flap, FT_OVER_STEADY);
	ft_message_unref(FT_STEAL(track->flap));
	return r;
}

static int finding_flaps(struct ft_draft *d, struct ft_track *track, const struct ft_finding *f)
{
	_cleanup_(ft_message_unrefp) struct ft_message *flap = NULL;
	_cleanup_(ft_text_release) struct ft_text id = {0};
	int r;

	r = ft_track_flap_note(d, track);
	if (r < 0 || track->flaps_count < d->rules->flap_count)
		return r;
	ft_text_printf(&id, "%s:%s", ft_track_flapping_code, track->message->id);
	if (ft_text_failed(&id))
		return -ENOMEM;
	r = ft_track_flap_message(d, f, id.data, "went and came back", &flap);
	return r < 0 ? r : ft_track_flap_begin(d, track, flap);
}

/* ---- the effect of a check on a track ---- */

/* Ends a wait by the clock, or by the last check that was needed. */
static int track_settle(struct ft_draft *d, struct ft_track *track)
{
	int r;

	if (!track_is_due(d->rules, track, d->now.mono_ms))
		return 0;
	if (track->flap)
		return flap_end(d, track);
	if (track->present)
		r = ft_draft_say_raised(d, track, track->message);
	else
		r = ft_draft_say(d, track, FT_EVENT_CLEARED, track->message, track->over);
	track->raised = track->present;
	track->hushed = track->hushed && track->raised;
	return r;
}

/* Only full sweeps are counted: some fabrics have a hundred events a second. */
static void looks_count(const struct ft_draft *d, struct ft_track *track)
{
	track->looks += d->kind == FT_LOOK_ALL && track->looks < UINT32_MAX;
}

/* @message is that of @f. */
static int track_seen(struct ft_draft *d, struct ft_track *track, const struct ft_finding *f,
		      struct ft_message *message)
{
	bool differs = ft_message_differs(track->message, message);
	bool worse = message->severity == FT_SEVERITY_CRITICAL && track->message->severity < FT_SEVERITY_CRITICAL;
	bool back = !track->present, again = ft_track_in_flap_window(d->rules, track->since_ms, d->now.mono_ms);
	int r = 0;

	ft_track_message_set(track, message);
	if (back) {
		track->present = true;
		track->since_ms = d->now.mono_ms;
		track->looks = 1;
	} else if (!track->raised) {
		looks_count(d, track);
	}
	if (back && again && !track->flap)
		r = finding_flaps(d, track, f);
	if (r == 0 && worse && track->raised && track->hushed)
		r = ft_draft_say_raised(d, track, message);
	else if (r == 0 && differs && track->raised)
		r = ft_draft_say(d, track, FT_EVENT_CHANGED, message, FT_OVER_REPAIRED);
	return r < 0 ? r : track_settle(d, track);
}

int ft_track_finding_first_seen(struct ft_draft *d, const struct ft_finding *f)
{
	_cleanup_(ft_message_unrefp) struct ft_message *message = NULL;
	struct ft_track *track = NULL;
	int r;

	r = ft_draft_message_make(d, f, NULL, &message);
	if (r == 0)
		r = ft_draft_track_add(d, FT_TRACK_FINDING, message, &track);
	if (r < 0)
		return r;
	track->present = true;
	track->looks = 1;
	return track_settle(d, track);
}

int ft_track_finding_seen(struct ft_draft *d, uint32_t at, const struct ft_finding *f)
{
	const struct ft_track *known = d->alerts->tracks[at];
	_cleanup_(ft_message_unrefp) struct ft_message *message = NULL;
	struct ft_track *track = NULL;
	int r;

	/* A standing alert is replaced only if the text changed, which is rare. */
	ft_text_reset(&d->json);
	ft_message_write_json(&d->json, f, NULL);
	if (ft_text_failed(&d->json))
		return -ENOMEM;
	if (strcmp(ft_text_string(&d->json), known->message->finding) == 0) {
		if (known->present && known->raised)
			return 0;
		message = ft_message_ref(known->message);
	} else {
		r = ft_message_new(f, NULL, ft_text_string(&d->json), &message);
		if (r < 0)
			return r;
	}
	r = ft_draft_track_edit(d, at, &track);
	return r < 0 ? r : track_seen(d, track, f, message);
}

int ft_track_finding_gone(struct ft_draft *d, uint32_t at, enum ft_over over)
{
	const struct ft_track *known = d->alerts->tracks[at];
	struct ft_track *track = NULL;
	int r;

	if (!known->present && !known->raised && !track_is_due(d->rules, known, d->now.mono_ms))
		return 0;
	r = ft_draft_track_edit(d, at, &track);
	if (r < 0)
		return r;
	track->over = over;
	if (track->present) {
		track->present = false;
		track->since_ms = d->now.mono_ms;
		track->looks = 1;
	} else {
		looks_count(d, track);
	}
	return track_settle(d, track);
}

int ft_track_let_be(struct ft_draft *d, uint32_t at)
{
	struct ft_track *track = NULL;
	int r;

	if (!track_is_due(d->rules, d->alerts->tracks[at], d->now.mono_ms))
		return 0;
	r = ft_draft_track_edit(d, at, &track);
	return r < 0 ? r : track_settle(d, track);
}
