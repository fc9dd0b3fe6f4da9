/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The life cycle of alerts. Each call works on copies of the tracks that it touches and on a list of new events, and
 * puts them in place when nothing can fail any more: so it is taken in as a whole or not at all.
 */
#include "config.h"

#include "daemon/alert_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct ft_alert_rules ft_alert_rules_defaults = {
	.raise_after = {.looks = 1},
	.clear_after = {.looks = 1},
	.severity = FT_SEVERITY_WARNING,
	.flap_count = 6,
	.flap_window_ms = 10 * 60 * 1000,
	.incomplete_after = 3,
};

static const char flapping_code[] = "link-flapping";
static const char flapping_fix[] = "reseat the cable at both ends; if that does not help, replace it";

const char *ft_event_kind_name(enum ft_event_kind kind)
{
	static const char *const names[] = {"raised", "changed", "cleared"};

	return names[kind];
}

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

/* As far as it has to outlive the process: the words of a finding alone are found again in the next look. */
static bool track_same(const struct ft_track *a, const struct ft_track *b)
{
	return a->present == b->present && a->raised == b->raised && a->looks == b->looks &&
	       a->since_ms == b->since_ms && a->over == b->over && a->flap == b->flap && a->announced == b->announced &&
	       a->flaps_count == b->flaps_count;
}

static bool track_stands(const struct ft_track *track)
{
	return track->raised || track->flap;
}

static bool patience_is_over(const struct ft_patience *patience, const struct ft_track *track, int64_t now_ms)
{
	return patience->ms ? now_ms - track->since_ms >= patience->ms : track->looks >= patience->looks;
}

/* The waited-for end on the monotonic clock; INT64_MAX: only looks can bring it. */
static int64_t patience_due_ms(const struct ft_patience *patience, const struct ft_track *track)
{
	if (patience->ms)
		return track->since_ms + patience->ms;
	return track->looks >= patience->looks ? track->since_ms : INT64_MAX;
}

/* A link-flapping is a warning: who wants to hear of worse only must not have the worse replaced by it. */
static bool flaps_count(const struct ft_alert_rules *rules)
{
	return rules->flap_count > 0 && rules->severity <= FT_SEVERITY_WARNING;
}

static bool in_flap_window(const struct ft_alert_rules *rules, int64_t then_ms, int64_t now_ms)
{
	return flaps_count(rules) && now_ms - then_ms < rules->flap_window_ms;
}

/* What a track waits for, if anything: the patience that has to run out. */
static const struct ft_patience *track_waits(const struct ft_alert_rules *rules, const struct ft_track *track)
{
	if (track->kind != FT_TRACK_FINDING || track->flap || track->present == track->raised)
		return NULL;
	return track->present ? &rules->raise_after : &rules->clear_after;
}

/* Is anything due by the clock alone? */
static bool track_is_due(const struct ft_alert_rules *rules, const struct ft_track *track, int64_t now_ms)
{
	const struct ft_patience *patience = track_waits(rules, track);

	if (track->flap)
		return !in_flap_window(rules, track->since_ms, now_ms);
	return patience && patience_is_over(patience, track, now_ms);
}

/* ---- a call's draft ---- */

enum { NEW_TRACK = UINT32_MAX };

struct step {
	uint32_t at; /* the track that is replaced, or NEW_TRACK */
	struct ft_track *track;
};

struct draft {
	struct ft_alerts *alerts;
	const struct ft_alert_rules *rules;
	struct ft_now now;
	enum ft_look_kind kind; /* of a look */
	struct step *steps;
	size_t step_count, step_size;
	struct ft_queued *first, *last; /* the events */
	uint64_t next_seq;
	bool indexed;	     /* what it adds is in the index already, and it renames nothing */
	bool matters;	     /* something besides the steps changes what has to outlive the process */
	struct ft_text json; /* scratch */
};

static struct draft draft_begin(struct ft_alerts *alerts, const struct ft_alert_rules *rules, struct ft_now now)
{
	return (struct draft){.alerts = alerts, .rules = rules, .now = now, .next_seq = alerts->next_seq};
}

static void draft_release(struct draft *d)
{
	for (size_t i = 0; i < d->step_count; i++)
		ft_track_free(d->steps[i].track);
	free(d->steps);
	ft_queued_free_all(d->first);
	ft_text_release(&d->json);
}

/* Takes @track, also on failure. */
static int step_add(struct draft *d, uint32_t at, struct ft_track *track)
{
	if (d->step_count == d->step_size) {
		size_t size = d->step_size ? d->step_size * 2 : 16;
		struct step *steps = reallocarray(d->steps, size, sizeof(*steps));

		if (!steps) {
			ft_track_free(track);
			return -ENOMEM;
		}
		d->steps = steps;
		d->step_size = size;
	}
	d->steps[d->step_count++] = (struct step){at, track};
	return 0;
}

static int track_edit(struct draft *d, uint32_t at, struct ft_track **ret_track)
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

/* Takes a reference of its own. */
static int track_add(struct draft *d, enum ft_track_kind kind, struct ft_message *message, struct ft_track **ret_track)
{
	struct ft_track *track = calloc(1, sizeof(*track));
	int r;

	if (!track)
		return -ENOMEM;
	track->kind = kind;
	track->message = ft_message_ref(message);
	track->since_ms = d->now.mono_ms;
	r = step_add(d, NEW_TRACK, track);
	if (r == 0)
		*ret_track = track;
	return r;
}

/* Tells of @track as it stands now, in the words of @message. */
static int say(struct draft *d, const struct ft_track *track, enum ft_event_kind kind, struct ft_message *message,
	       enum ft_over over)
{
	struct ft_queued *queued;
	int r = ft_queued_new(&d->alerts->outbox, kind, message, over, &queued);

	if (r < 0)
		return r;
	queued->event.seq = d->next_seq++;
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

static void stand(const struct draft *d, struct ft_track *track)
{
	track->raised_ms = d->now.wall_ms;
	track->standing_ms = d->now.mono_ms;
}

static int say_raised(struct draft *d, struct ft_track *track, struct ft_message *message)
{
	stand(d, track);
	return say(d, track, FT_EVENT_RAISED, message, FT_OVER_REPAIRED);
}

static void message_set(struct ft_track *track, struct ft_message *message)
{
	ft_message_unref(track->message);
	track->message = ft_message_ref(message);
}

/* Nothing is said, nothing stands, and it was not here for so long that its return would be no flap. */
static bool track_is_forgotten(const struct draft *d, const struct ft_track *track)
{
	return !track->present && !track_stands(track) && !in_flap_window(d->rules, track->since_ms, d->now.mono_ms);
}

static void forget(struct draft *d)
{
	struct ft_alerts *alerts = d->alerts;
	size_t kept = 0;

	for (size_t i = 0; i < alerts->track_count; i++)
		if (track_is_forgotten(d, alerts->tracks[i]))
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

static void step_put(struct ft_alerts *alerts, struct step *step, bool *matters)
{
	struct ft_track **place;

	if (step->at == NEW_TRACK) {
		alerts->tracks[alerts->track_count++] = FT_STEAL(step->track);
		*matters = true;
		return;
	}
	place = &alerts->tracks[step->at];
	*matters |= !track_same(*place, step->track);
	ft_track_free(*place);
	*place = FT_STEAL(step->track);
}

static int draft_commit(struct draft *d)
{
	struct ft_alerts *alerts = d->alerts;
	bool matters = d->matters || d->first;

	if (tracks_reserve(alerts, d->step_count) < 0)
		return -ENOMEM;
	if (d->step_count > 0 && !d->indexed)
		ft_ids_release(&alerts->index);
	for (size_t i = 0; i < d->step_count; i++)
		step_put(alerts, &d->steps[i], &matters);
	d->step_count = 0;
	alerts->next_seq = d->next_seq;
	ft_outbox_append(&alerts->outbox, FT_STEAL(d->first));
	alerts->version += matters;
	return 0;
}

/* ---- messages ---- */

static int message_make(struct draft *d, const struct ft_finding *finding, const char *code,
			struct ft_message **ret_message)
{
	ft_text_reset(&d->json);
	ft_message_write_json(&d->json, finding, code);
	if (ft_text_failed(&d->json))
		return -ENOMEM;
	return ft_message_new(finding, code, ft_text_string(&d->json), ret_message);
}

static void place_words(struct ft_text *text, const struct ft_place *place)
{
	ft_text_puts(text, place->name ? place->name : "?");
	if (place->port)
		ft_text_printf(text, " port %" PRIu32, place->port);
}

/* "edge003 port 20 - core01 port 20"; of more than two ends the first, and how many there are. */
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
	} else if (f->where_count > 2) {
		ft_text_printf(text, " and %zu more", f->where_count - 1);
	}
}

static void span_words(struct ft_text *text, uint32_t ms)
{
	enum { SECOND = 1000, MINUTE = 60 * SECOND };

	if (ms >= MINUTE && ms % MINUTE == 0)
		ft_text_printf(text, "%" PRIu32 " min", ms / MINUTE);
	else if (ms >= SECOND)
		ft_text_printf(text, "%" PRIu32 " s", ms / SECOND);
	else
		ft_text_printf(text, "%" PRIu32 " ms", ms);
}

/* "link-flapping:ID", from what is flapping: where it is, and what was last said of it. */
static int flap_message(struct draft *d, const struct ft_finding *f, const char *id, const char *what,
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
	span_words(&text, d->rules->flap_window_ms);
	observed = ft_text_failed(&text) ? NULL : strdup(text.data + start);
	if (f->text)
		ft_text_printf(&text, "; the fault: %s", f->text);
	if (!observed || ft_text_failed(&text))
		return -ENOMEM;
	flap.observed = observed;
	flap.text = text.data;
	return message_make(d, &flap, flapping_code, ret_message);
}

/* ---- flaps ---- */

/* One more, now; those before the window no longer count. */
static int flap_note(struct draft *d, struct ft_track *track)
{
	int64_t *flaps;
	uint32_t gone = 0;

	while (gone < track->flaps_count && !in_flap_window(d->rules, track->flaps[gone], d->now.mono_ms))
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

/*
 * From now on link-flapping stands in its place. That is said first, and what it replaces is over after it, so that
 * whoever counts what stands never sees nothing.
 */
static int flap_begin(struct draft *d, struct ft_track *track, struct ft_message *flap)
{
	const struct ft_track before = *track;
	int r = say_raised(d, track, flap);

	if (r == 0 && before.raised)
		r = say(d, &before, FT_EVENT_CLEARED, track->message, FT_OVER_FLAPPING);
	if (r < 0)
		return r;
	track->raised = false;
	track->flap = ft_message_ref(flap);
	flaps_forget(track);
	return 0;
}

/* It kept still. What is there now is said first, for the same reason. */
static int flap_end(struct draft *d, struct ft_track *track)
{
	const struct ft_track before = *track;
	int r = 0;

	if (track->present && patience_is_over(&d->rules->raise_after, track, d->now.mono_ms)) {
		r = say_raised(d, track, track->message);
		track->raised = true;
	}
	if (r == 0)
		r = say(d, &before, FT_EVENT_CLEARED, before.flap, FT_OVER_STEADY);
	ft_message_unref(FT_STEAL(track->flap));
	return r;
}

static int finding_flaps(struct draft *d, struct ft_track *track, const struct ft_finding *f)
{
	_cleanup_(ft_message_unrefp) struct ft_message *flap = NULL;
	_cleanup_(ft_text_release) struct ft_text id = {0};
	int r;

	r = flap_note(d, track);
	if (r < 0 || track->flaps_count < d->rules->flap_count)
		return r;
	ft_text_printf(&id, "%s:%s", flapping_code, track->message->id);
	if (ft_text_failed(&id))
		return -ENOMEM;
	r = flap_message(d, f, id.data, "went and came back", &flap);
	return r < 0 ? r : flap_begin(d, track, flap);
}

/* ---- what a look does to a track ---- */

/* By the clock, or because the look was the last that was waited for. */
static int track_settle(struct draft *d, struct ft_track *track)
{
	int r;

	if (!track_is_due(d->rules, track, d->now.mono_ms))
		return 0;
	if (track->flap)
		return flap_end(d, track);
	if (track->present)
		r = say_raised(d, track, track->message);
	else
		r = say(d, track, FT_EVENT_CLEARED, track->message, track->over);
	track->raised = track->present;
	return r;
}

/* Only full sweeps are worth counting: some fabrics have a hundred events a second. */
static void looks_count(const struct draft *d, struct ft_track *track)
{
	track->looks += d->kind == FT_LOOK_ALL && track->looks < UINT32_MAX;
}

/* @message is what @f says now. */
static int track_seen(struct draft *d, struct ft_track *track, const struct ft_finding *f, struct ft_message *message)
{
	bool differs = ft_message_differs(track->message, message);
	bool back = !track->present, again = in_flap_window(d->rules, track->since_ms, d->now.mono_ms);
	int r = 0;

	message_set(track, message);
	if (back) {
		track->present = true;
		track->since_ms = d->now.mono_ms;
		track->looks = 1;
	} else if (!track->raised) {
		looks_count(d, track);
	}
	if (back && again && !track->flap)
		r = finding_flaps(d, track, f);
	if (r == 0 && differs && track->raised)
		r = say(d, track, FT_EVENT_CHANGED, message, FT_OVER_REPAIRED);
	return r < 0 ? r : track_settle(d, track);
}

static int finding_first_seen(struct draft *d, const struct ft_finding *f)
{
	_cleanup_(ft_message_unrefp) struct ft_message *message = NULL;
	struct ft_track *track = NULL;
	int r;

	r = message_make(d, f, NULL, &message);
	if (r == 0)
		r = track_add(d, FT_TRACK_FINDING, message, &track);
	if (r < 0)
		return r;
	track->present = true;
	track->looks = 1;
	return track_settle(d, track);
}

static int finding_seen(struct draft *d, uint32_t at, const struct ft_finding *f)
{
	const struct ft_track *known = d->alerts->tracks[at];
	_cleanup_(ft_message_unrefp) struct ft_message *message = NULL;
	struct ft_track *track = NULL;
	int r;

	/* What stands is written anew only where it says something else: as a rule it does not. */
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
	r = track_edit(d, at, &track);
	return r < 0 ? r : track_seen(d, track, f, message);
}

static int finding_gone(struct draft *d, uint32_t at, enum ft_over over)
{
	const struct ft_track *known = d->alerts->tracks[at];
	struct ft_track *track = NULL;
	int r;

	if (!known->present && !known->raised && !track_is_due(d->rules, known, d->now.mono_ms))
		return 0;
	r = track_edit(d, at, &track);
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

/* The look does not tell of it: only its time passes. */
static int track_let_be(struct draft *d, uint32_t at)
{
	struct ft_track *track = NULL;
	int r;

	if (!track_is_due(d->rules, d->alerts->tracks[at], d->now.mono_ms))
		return 0;
	r = track_edit(d, at, &track);
	return r < 0 ? r : track_settle(d, track);
}

/* ---- looks ---- */

/* A place of a finding that others may have become a part of. */
struct taker {
	struct ft_spot spot;
	size_t finding; /* its place in the report, where the worst is first */
};

/* What a look saw, by id, and what it could not see. */
struct view {
	const struct ft_report *report;
	bool partial;		    /* parts of the fabric were not reached */
	const struct ft_spot *gaps; /* ports that are mute, in order */
	size_t gap_count;
	struct ft_ids ids;
	char **names;			    /* of @ids, one a finding of the report */
	const struct ft_finding **findings; /* by the ids' number: the worst of that id, waived and minor ones too */
	bool *known;			    /* is there a track of it? */
	struct taker *takers;		    /* in order of their spots; made when they are needed */
	size_t taker_count;
};

static void view_release(struct view *view)
{
	for (size_t i = 0; view->names && i < view->report->finding_count; i++)
		free(view->names[i]);
	free(view->names);
	ft_ids_release(&view->ids);
	free(view->findings);
	free(view->known);
	free(view->takers);
}

/* One that is waived is none. */
static bool is_worse(const struct ft_finding *a, const struct ft_finding *b)
{
	return a->severity != b->severity ? a->severity > b->severity : b->waived && !a->waived;
}

/* Two of one id must not be, and are one alert if they are. */
static int view_fill(struct view *view)
{
	size_t count = view->report->finding_count;

	view->findings = calloc(count + 1, sizeof(*view->findings));
	view->known = calloc(count + 1, sizeof(*view->known));
	view->names = calloc(count + 1, sizeof(*view->names));
	if (!view->findings || !view->known || !view->names)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct ft_finding *f = &view->report->findings[i];
		uint32_t number;
		int r;

		if (f->code == FT_CODE_SWEEP_INCOMPLETE)
			continue;
		view->names[i] = ft_alert_id(f);
		r = view->names[i] ? ft_ids_add(&view->ids, view->names[i], &number) : -ENOMEM;
		if (r < 0)
			return r;
		if (r > 0 || is_worse(f, view->findings[number]))
			view->findings[number] = f;
	}
	return 0;
}

/*
 * One of its ports is mute, or it may be beyond what was reached (the sweep began on a switch that is cut off): that it
 * is not reported does not mean that it is repaired.
 */
static bool view_hides(const struct view *view, const struct ft_message *message)
{
	for (size_t i = 0; view->gap_count > 0 && i < message->spot_count; i++)
		if (message->spots[i].port &&
		    bsearch(&message->spots[i], view->gaps, view->gap_count, sizeof(*view->gaps), ft_spot_compare))
			return true;
	return view->partial;
}

/* What is waived is no alert, even where alerts of severity info are wanted. */
static bool is_alert(const struct draft *d, const struct ft_finding *f)
{
	return !f->waived && f->severity >= d->rules->severity;
}

/* ---- what became part of another ---- */

/*
 * How much a fault of a code takes in: a switch that is gone those of its cables, cables those of cables (missing ones
 * turn out to be swapped). The others tell of a link that is up, or of no port at all. Nothing becomes part of what is
 * less: where a dead switch is back and one of its cables is still missing, the switch is repaired.
 */
static const uint8_t takes_in[FT_CODE_COUNT] = {
	[FT_CODE_EDGE_ISOLATED] = 2,   [FT_CODE_CORE_MISSING] = 2,    [FT_CODE_SWITCH_MUTE] = 2,
	[FT_CODE_CABLE_MISSING] = 1,   [FT_CODE_CABLE_MISPLACED] = 1, [FT_CODE_CABLES_SWAPPED] = 1,
	[FT_CODE_CABLE_UNPLANNED] = 1, [FT_CODE_LOOPBACK] = 1,	      [FT_CODE_SWITCH_UNPLANNED] = 1,
	[FT_CODE_HOST_ON_CORE] = 1,
};

static uint8_t takes_in_by_name(const char *code)
{
	for (size_t i = 0; i < FT_CODE_COUNT; i++)
		if (strcmp(ft_codes[i].name, code) == 0)
			return takes_in[i];
	return 0;
}

/* Waived or not: a cable of a dead switch is not repaired because somebody knows of the switch. */
static bool is_taker(const struct draft *d, const struct ft_finding *f)
{
	enum ft_severity severity = f->waived ? ft_codes[f->code].severity : f->severity;

	return takes_in[f->code] > 0 && severity >= d->rules->severity;
}

static int taker_compare(const void *a, const void *b)
{
	const struct taker *x = a, *y = b;
	int order = ft_spot_compare(&x->spot, &y->spot);

	return order ? order : (x->finding > y->finding) - (x->finding < y->finding);
}

static int takers_make(const struct draft *d, struct view *view)
{
	const struct ft_report *report = view->report;
	size_t count = 0;

	for (size_t i = 0; i < report->finding_count; i++)
		count += report->findings[i].where_count;
	view->takers = calloc(count + 1, sizeof(*view->takers));
	if (!view->takers)
		return -ENOMEM;
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];

		for (size_t k = 0; k < f->where_count && is_taker(d, f); k++)
			if (f->where[k].guid && f->where[k].port)
				view->takers[view->taker_count++] =
					(struct taker){{f->where[k].guid, f->where[k].port, 0}, i};
	}
	qsort(view->takers, view->taker_count, sizeof(*view->takers), taker_compare);
	return 0;
}

static size_t takers_from(const struct view *view, const struct ft_spot *spot)
{
	const struct taker wanted = {.spot = *spot};
	size_t low = 0, high = view->taker_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (taker_compare(&view->takers[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first of the report that has a place of @message's; NULL: none. */
static const struct ft_finding *taker_find(const struct view *view, const struct ft_message *message)
{
	const struct ft_finding *findings = view->report->findings, *best = NULL;
	uint8_t least = takes_in_by_name(message->code);

	for (size_t i = 0; i < message->spot_count; i++) {
		const struct ft_spot *spot = &message->spots[i];

		for (size_t k = takers_from(view, spot);
		     k < view->taker_count && ft_spot_compare(&view->takers[k].spot, spot) == 0; k++) {
			const struct ft_finding *f = &findings[view->takers[k].finding];

			if (takes_in[f->code] >= least && (!best || f < best))
				best = f;
		}
	}
	return best;
}

/* Why one that the report does not hold is over. */
static int over_find(const struct draft *d, struct view *view, const struct ft_track *track, enum ft_over *ret_over)
{
	const struct ft_finding *taker;
	int r = 0;

	*ret_over = FT_OVER_REPAIRED;
	if (!track->raised)
		return 0;
	/* A new plan repairs nothing, nor does it undo what was repaired before. */
	if (d->kind == FT_LOOK_REPLANNED) {
		*ret_over = track->present ? FT_OVER_REPLANNED : track->over;
		return 0;
	}
	if (!view->takers)
		r = takers_make(d, view);
	if (r < 0)
		return r;
	taker = taker_find(view, track->message);
	if (taker)
		*ret_over = FT_OVER_PART + taker->code;
	else if (!track->present && track->over == FT_OVER_REPLANNED)
		*ret_over = FT_OVER_REPLANNED;
	return 0;
}

static int finding_missing(struct draft *d, struct view *view, uint32_t at)
{
	const struct ft_track *track = d->alerts->tracks[at];
	enum ft_over over;
	int r;

	if (view_hides(view, track->message))
		return track_let_be(d, at);
	r = over_find(d, view, track, &over);
	return r < 0 ? r : finding_gone(d, at, over);
}

static int track_judge(struct draft *d, struct view *view, uint32_t at)
{
	const struct ft_track *track = d->alerts->tracks[at];
	uint32_t number = ft_ids_find(&view->ids, track->message->id);
	const struct ft_finding *f = number == FT_MAP_NONE ? NULL : view->findings[number];

	if (track->kind != FT_TRACK_FINDING)
		return track_let_be(d, at);
	if (!f)
		return finding_missing(d, view, at);
	return finding_gone(d, at, f->waived ? FT_OVER_WAIVED : FT_OVER_MINOR);
}

/* Which findings have a track: where[i] is its place. */
static int tracks_by_finding(const struct draft *d, struct view *view, uint32_t **ret_where)
{
	uint32_t *where = calloc(view->ids.count + 1UL, sizeof(*where));

	if (!where)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->alerts->track_count; i++) {
		const struct ft_track *track = d->alerts->tracks[i];
		uint32_t number = ft_ids_find(&view->ids, track->message->id);

		if (track->kind != FT_TRACK_FINDING || number == FT_MAP_NONE)
			continue;
		where[number] = i;
		view->known[number] = true;
	}
	*ret_where = where;
	return 0;
}

/* First what is there, worst first as in the report; then what is not, in the order in which it had come. */
static int judge(struct draft *d, struct view *view)
{
	_cleanup_free_ uint32_t *where = NULL;
	int r;

	r = view_fill(view);
	if (r == 0)
		r = tracks_by_finding(d, view, &where);
	for (uint32_t i = 0; r == 0 && i < view->ids.count; i++) {
		if (!is_alert(d, view->findings[i]))
			continue;
		if (view->known[i])
			r = finding_seen(d, where[i], view->findings[i]);
		else
			r = finding_first_seen(d, view->findings[i]);
	}
	for (uint32_t i = 0; r == 0 && i < d->alerts->track_count; i++) {
		const struct ft_track *track = d->alerts->tracks[i];
		uint32_t number = ft_ids_find(&view->ids, track->message->id);

		if (track->kind == FT_TRACK_FINDING && number != FT_MAP_NONE && is_alert(d, view->findings[number]))
			continue;
		r = track_judge(d, view, i);
	}
	return r;
}

static const struct ft_finding *incomplete_finding(const struct ft_report *report)
{
	for (size_t i = 0; report && i < report->finding_count; i++)
		if (report->findings[i].code == FT_CODE_SWEEP_INCOMPLETE)
			return &report->findings[i];
	return NULL;
}

bool ft_report_is_incomplete(const struct ft_report *report)
{
	return report->verdict == FT_VERDICT_UNKNOWN || incomplete_finding(report);
}

static bool is_partial(const struct ft_report *report)
{
	if (report->source.unreached_count > 0)
		return true;
	for (size_t i = 0; i < report->switch_count; i++)
		if (report->switches[i].status == FT_STATUS_UNREACHED)
			return true;
	return false;
}

/* ---- the sweep-incomplete alert ---- */

static uint32_t sweep_track_find(const struct ft_alerts *alerts)
{
	uint32_t i = 0;

	while (i < alerts->track_count && alerts->tracks[i]->kind != FT_TRACK_SWEEP)
		i++;
	return i < alerts->track_count ? i : NEW_TRACK;
}

static int sweep_alert_clear(struct draft *d, enum ft_over over)
{
	uint32_t at = sweep_track_find(d->alerts);
	struct ft_track *track = NULL;
	int r;

	if (at == NEW_TRACK)
		return 0;
	r = track_edit(d, at, &track);
	if (r == 0)
		r = say(d, track, FT_EVENT_CLEARED, track->message, over);
	if (r < 0)
		return r;
	track->present = track->raised = false;
	track->since_ms = INT64_MIN / 2; /* forgotten at once: it is counted in looks, not in flaps */
	return 0;
}

/*
 * It stands, or has to. How many packets were lost this time is no news, nor is another reason for the same; that other
 * ports are mute for good is.
 */
static int sweep_alert_raise(struct draft *d, const struct ft_finding *f, uint64_t mute)
{
	_cleanup_(ft_message_unrefp) struct ft_message *message = NULL;
	uint32_t at = sweep_track_find(d->alerts);
	struct ft_track *track = NULL;
	int r;

	r = message_make(d, f, NULL, &message);
	if (r == 0)
		r = at == NEW_TRACK ? track_add(d, FT_TRACK_SWEEP, message, &track) : track_edit(d, at, &track);
	if (r < 0)
		return r;
	if (at == NEW_TRACK) {
		track->present = track->raised = true;
		track->announced = mute;
		return say_raised(d, track, message);
	}
	message_set(track, message);
	if (mute == 0 || mute == track->announced)
		return 0;
	track->announced = mute;
	return say(d, track, FT_EVENT_CHANGED, message, FT_OVER_REPAIRED);
}

/* @f NULL: the look failed, @why tells. */
static int sweep_alert(struct draft *d, const struct ft_finding *f, const char *why, uint64_t mute)
{
	const struct ft_finding failed = {
		.id = (char *)ft_codes[FT_CODE_SWEEP_INCOMPLETE].name,
		.code = FT_CODE_SWEEP_INCOMPLETE,
		.severity = ft_codes[FT_CODE_SWEEP_INCOMPLETE].severity,
		.evidence = FT_EVIDENCE_UNREACHED,
		.expected = (char *)"an answer from everything that is there",
		.observed = (char *)why,
		.text = (char *)why,
		.fix = (char *)"check the port that the sweep starts from, its cable and its permissions",
	};

	if (!f)
		f = &failed;
	if (!is_alert(d, f))
		return sweep_alert_clear(d, f->waived ? FT_OVER_WAIVED : FT_OVER_MINOR);
	return sweep_alert_raise(d, f, mute);
}

/* ---- gaps ---- */

static uint32_t misses_enough(const struct ft_alert_rules *rules)
{
	return rules->incomplete_after > 0 ? rules->incomplete_after : 1;
}

/* The ports that did not answer, each once, and in how many full sweeps in a row. The caller frees them. */
static int gaps_make(const struct draft *d, const struct ft_finding *f, struct ft_spot **ret_gaps, size_t *ret_count)
{
	const struct ft_alerts *alerts = d->alerts;
	struct ft_spot *gaps = calloc(f->where_count + 1, sizeof(*gaps));
	uint32_t one = d->kind == FT_LOOK_ALL ? 1 : 0;
	size_t count = 0;

	if (!gaps)
		return -ENOMEM;
	for (size_t i = 0; i < f->where_count; i++)
		gaps[i] = (struct ft_spot){f->where[i].guid, f->where[i].port, one};
	qsort(gaps, f->where_count, sizeof(*gaps), ft_spot_compare);
	for (size_t i = 0; i < f->where_count; i++) {
		const struct ft_spot *before = NULL;

		if (count > 0 && ft_spot_compare(&gaps[count - 1], &gaps[i]) == 0)
			continue;
		if (alerts->gap_count > 0)
			before = bsearch(&gaps[i], alerts->gaps, alerts->gap_count, sizeof(*gaps), ft_spot_compare);
		gaps[count] = gaps[i];
		if (before)
			gaps[count].looks = before->looks + (before->looks < UINT32_MAX ? one : 0);
		count++;
	}
	*ret_gaps = gaps;
	*ret_count = count;
	return 0;
}

/* Has each of them been silent long enough to be called mute? */
static bool gaps_are_mute(const struct draft *d, const struct ft_finding *f, const struct ft_spot *gaps, size_t count)
{
	if (f->evidence != FT_EVIDENCE_MUTE || count == 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (gaps[i].looks < misses_enough(d->rules))
			return false;
	return true;
}

/* Never 0. */
static uint64_t gaps_hash(const struct ft_spot *gaps, size_t count)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < count; i++)
		hash = ((hash ^ gaps[i].guid) * 0x100000001b3ULL ^ gaps[i].port) * 0x9e3779b97f4a7c15ULL;
	return hash ? hash : 1;
}

static void gaps_put(struct ft_alerts *alerts, struct ft_spot *gaps, size_t count)
{
	free(alerts->gaps);
	alerts->gaps = gaps;
	alerts->gap_count = count;
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

int ft_alerts_look(struct ft_alerts *alerts, const struct ft_alert_rules *rules, const struct ft_report *report,
		   enum ft_look_kind kind, struct ft_now now)
{
	_cleanup_(draft_release) struct draft d = draft_begin(alerts, rules, now);
	_cleanup_(view_release) struct view view = {.report = report, .partial = is_partial(report)};
	int r;

	if (ft_report_is_incomplete(report)) {
		r = ft_alerts_miss(alerts, rules, report, kind, "not everything could be judged", now);
		return r < 0 ? r : 0;
	}
	d.kind = kind;
	r = judge(&d, &view);
	if (r == 0 && kind == FT_LOOK_ALL)
		r = sweep_alert_clear(&d, FT_OVER_COMPLETE);
	d.matters = kind == FT_LOOK_ALL && (alerts->misses > 0 || alerts->gap_count > 0);
	if (r == 0)
		r = draft_commit(&d);
	if (r < 0)
		return r;
	if (kind == FT_LOOK_ALL) {
		alerts->misses = 0;
		gaps_put(alerts, NULL, 0);
	}
	forget(&d);
	return 0;
}

/* The ports that were silent, and whether all of them are known to be: then the rest can be judged. */
static int gaps_judge(struct draft *d, struct view *view, const struct ft_finding *f, struct ft_spot **ret_gaps,
		      size_t *ret_count)
{
	int r;

	if (!f)
		return 0;
	r = gaps_make(d, f, ret_gaps, ret_count);
	if (r < 0 || view->report->verdict == FT_VERDICT_UNKNOWN || !gaps_are_mute(d, f, *ret_gaps, *ret_count))
		return r;
	view->gaps = *ret_gaps;
	view->gap_count = *ret_count;
	r = judge(d, view);
	return r < 0 ? r : 1;
}

int ft_alerts_miss(struct ft_alerts *alerts, const struct ft_alert_rules *rules, const struct ft_report *report,
		   enum ft_look_kind kind, const char *why, struct ft_now now)
{
	_cleanup_(draft_release) struct draft d = draft_begin(alerts, rules, now);
	_cleanup_(view_release) struct view view = {.report = report, .partial = report && is_partial(report)};
	const struct ft_finding *f = incomplete_finding(report);
	uint32_t misses = alerts->misses + (alerts->misses < UINT32_MAX);
	_cleanup_free_ struct ft_spot *gaps = NULL;
	size_t gap_count = 0;
	int judged, r;

	d.kind = kind;
	judged = gaps_judge(&d, &view, f, &gaps, &gap_count);
	if (judged < 0 || (judged == 0 && kind != FT_LOOK_ALL))
		return judged;
	r = 0;
	if (kind == FT_LOOK_ALL && misses >= misses_enough(rules))
		r = sweep_alert(&d, f, why, judged ? gaps_hash(gaps, gap_count) : 0);
	d.matters = kind == FT_LOOK_ALL;
	if (r == 0)
		r = draft_commit(&d);
	if (r < 0)
		return r;
	if (kind == FT_LOOK_ALL)
		alerts->misses = misses;
	/* A look that failed altogether says nothing of them. */
	if (kind == FT_LOOK_ALL && f)
		gaps_put(alerts, FT_STEAL(gaps), gap_count);
	forget(&d);
	return judged;
}

int ft_alerts_tick(struct ft_alerts *alerts, const struct ft_alert_rules *rules, struct ft_now now)
{
	enum { RETRY_MS = 1000 };
	_cleanup_(draft_release) struct draft d = draft_begin(alerts, rules, now);
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < alerts->track_count; i++)
		r = track_let_be(&d, i);
	if (r == 0)
		r = draft_commit(&d);
	/* What is due stays so, and would be due at once for ever. */
	alerts->retry_ms = r < 0 ? now.mono_ms + RETRY_MS : 0;
	if (r == 0)
		forget(&d);
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

static int host_flaps(struct draft *d, struct ft_track *track, struct ft_message *message)
{
	int r;

	track->since_ms = d->now.mono_ms;
	if (track->flap)
		return 0;
	r = flap_note(d, track);
	if (r < 0 || track->flaps_count < d->rules->flap_count)
		return r;
	/* Its id stays, but it is another string now. */
	message_set(track, message);
	d->indexed = false;
	return flap_begin(d, track, message);
}

int ft_alerts_host_link_down(struct ft_alerts *alerts, const struct ft_alert_rules *rules, uint64_t guid, uint32_t port,
			     const char *name, const char *host, struct ft_now now)
{
	struct ft_place where[] = {{.name = (char *)name, .guid = guid, .port = port}, {.name = (char *)host}};
	const struct ft_finding link = {.where = where, .where_count = host && host[0] ? 2 : 1};
	_cleanup_(draft_release) struct draft d = draft_begin(alerts, rules, now);
	_cleanup_(ft_message_unrefp) struct ft_message *message = NULL;
	struct ft_track *track = NULL;
	char id[64];
	uint32_t at;
	int r;

	if (!flaps_count(rules))
		return 0;
	snprintf(id, sizeof(id), "%s:0x%016" PRIx64 ":%" PRIu32, flapping_code, guid, port);
	r = index_make(alerts);
	if (r == 0)
		r = flap_message(&d, &link, id, "went down", &message);
	if (r < 0)
		return r;
	at = ft_ids_find(&alerts->index, id);
	d.indexed = true;
	r = at == FT_MAP_NONE ? track_add(&d, FT_TRACK_HOST, message, &track) : track_edit(&d, at, &track);
	if (r == 0 && at == FT_MAP_NONE)
		r = ft_ids_add(&alerts->index, message->id, NULL);
	if (r >= 0)
		r = host_flaps(&d, track, message);
	if (r == 0)
		r = draft_commit(&d);
	if (r < 0)
		ft_ids_release(&alerts->index); /* it may know of a track that is none */
	return r;
}

/* ---- questions ---- */

int64_t ft_alerts_due_ms(const struct ft_alerts *alerts, const struct ft_alert_rules *rules)
{
	int64_t due_ms = INT64_MAX;

	for (size_t i = 0; i < alerts->track_count; i++) {
		const struct ft_track *track = alerts->tracks[i];
		const struct ft_patience *patience = track_waits(rules, track);
		int64_t when_ms = INT64_MAX;

		if (track->flap)
			when_ms = track->since_ms + (flaps_count(rules) ? rules->flap_window_ms : 0);
		else if (patience)
			when_ms = patience_due_ms(patience, track);
		if (when_ms < due_ms)
			due_ms = when_ms;
	}
	return due_ms < alerts->retry_ms ? alerts->retry_ms : due_ms;
}

bool ft_alerts_want_look(const struct ft_alerts *alerts, const struct ft_alert_rules *rules)
{
	for (size_t i = 0; i < alerts->track_count; i++) {
		const struct ft_patience *patience = track_waits(rules, alerts->tracks[i]);

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

		if (track_stands(track))
			count += (track->flap ? track->flap : track->message)->severity == severity;
	}
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
