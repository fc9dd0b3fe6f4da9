/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Storms: too many new alerts in one call to be read one by one. Each has its track as usual, but no events (hushed);
 * one alert, "alert-storm", covers all of them, so that the next fault is not queued behind hundreds.
 *
 *     storm: rules->storm       more new alerts than this in one call, or three times as many within a minute
 *     critical ones             up to ten within a minute have events all the same
 *     a hushed one goes         no event; the last one that goes clears alert-storm
 *     more join                 alert-storm is changed: at once if they are a storm by themselves or worse than
 *                               before, else once none joined for a minute
 *     few are left              no more than the limit of a storm, and for a minute none came or went: in the next full
 *                               sweep they are raised one by one, and alert-storm is cleared
 *
 * The hushed state is part of the track, so it survives a restart. All changes are part of the draft with the new
 * alerts: committed together with them or not at all.
 */
#include "config.h"

#include "daemon/alert_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	WINDOW_MS = 60000,
	TRICKLE = 3,	    /* a storm is also this many times the limit within the window */
	CRITICALS_MAX = 10, /* within the window */
	LISTED_MAX = 100,   /* alerts that alert-storm lists */
};

static const char storm_code[] = "alert-storm";

static struct ft_message *told_message(const struct ft_track *track)
{
	return track->flap ? track->flap : track->message;
}

/* ---- the draft after its commit ---- */

/* The tracks after the commit: the existing ones, with the steps applied, and after them the new ones. */
struct future {
	const struct ft_track **tracks;
	size_t count;
};

static void future_release(struct future *future)
{
	free(future->tracks);
}

static int future_make(const struct ft_draft *d, struct future *future)
{
	const struct ft_alerts *alerts = d->alerts;

	future->tracks = calloc(alerts->track_count + d->step_count + 1, sizeof(*future->tracks));
	if (!future->tracks)
		return -ENOMEM;
	for (size_t i = 0; i < alerts->track_count; i++)
		future->tracks[i] = alerts->tracks[i];
	future->count = alerts->track_count;
	for (size_t i = 0; i < d->step_count; i++) {
		const struct ft_draft_step *step = &d->steps[i];

		future->tracks[step->at == FT_DRAFT_NEW_TRACK ? future->count++ : step->at] = step->track;
	}
	return 0;
}

static uint32_t storm_track_find(const struct ft_alerts *alerts)
{
	uint32_t i = alerts->stormy ? 0 : (uint32_t)alerts->track_count;

	while (i < alerts->track_count && alerts->tracks[i]->kind != FT_TRACK_STORM)
		i++;
	return i < alerts->track_count ? i : FT_DRAFT_NEW_TRACK;
}

/* ---- which alerts are hushed ---- */

/* Alerts of this severity and above that were raised one by one within the window, before this call. */
static size_t told_lately(const struct ft_draft *d, enum ft_severity severity)
{
	const struct ft_alerts *alerts = d->alerts;
	size_t count = 0;

	for (size_t i = 0; i < alerts->track_count; i++) {
		const struct ft_track *track = alerts->tracks[i];

		count += (track->kind == FT_TRACK_FINDING || track->kind == FT_TRACK_HOST) && ft_track_stands(track) &&
			 !track->hushed && told_message(track)->severity >= severity &&
			 d->now.mono_ms - track->standing_ms < WINDOW_MS;
	}
	return count;
}

static bool is_storm(const struct ft_draft *d)
{
	size_t limit = d->rules->storm;

	if (limit == 0 || d->raise_count == 0)
		return false;
	return d->raise_count > limit || told_lately(d, FT_SEVERITY_INFO) + d->raise_count > limit * TRICKLE;
}

/* Removes the events of hushed alerts from the draft's list. */
static void events_drop(struct ft_draft *d, const struct ft_queued *const *hushed, size_t count)
{
	struct ft_queued **at = &d->first;
	size_t next = 0;

	d->last = NULL;
	while (*at) {
		struct ft_queued *queued = *at;

		/* Both are in the order of the events. */
		if (next < count && queued == hushed[next]) {
			next++;
			*at = queued->next;
			ft_queued_free(queued);
			continue;
		}
		d->last = queued;
		at = &queued->next;
	}
}

static int hush(struct ft_draft *d, size_t *ret_fresh)
{
	_cleanup_free_ const struct ft_queued **hushed = calloc(d->raise_count + 1, sizeof(*hushed));
	size_t criticals = told_lately(d, FT_SEVERITY_CRITICAL), count = 0;

	if (!hushed)
		return -ENOMEM;
	/* The worst come first, as in the report. */
	for (size_t i = 0; i < d->raise_count; i++) {
		struct ft_draft_raise *raise = &d->raises[i];

		if (raise->queued->event.severity == FT_SEVERITY_CRITICAL && criticals < CRITICALS_MAX) {
			criticals++;
			continue;
		}
		raise->track->hushed = true;
		hushed[count++] = raise->queued;
	}
	events_drop(d, hushed, count);
	*ret_fresh = count;
	return 0;
}

/* ---- the text of alert-storm ---- */

struct tally {
	struct ft_ids codes;
	uint32_t *counts; /* by the number of the code */
	size_t members;
	enum ft_severity severity;
};

static void tally_release(struct tally *tally)
{
	ft_ids_release(&tally->codes);
	free(tally->counts);
}

static int tally_make(const struct future *future, struct tally *tally)
{
	/* No more codes than those of reports and the daemon's own. */
	tally->counts = calloc(future->count + 1, sizeof(*tally->counts));
	if (!tally->counts)
		return -ENOMEM;
	for (size_t i = 0; i < future->count; i++) {
		const struct ft_track *track = future->tracks[i];
		uint32_t number;

		if (!track->hushed)
			continue;
		if (ft_ids_add(&tally->codes, told_message(track)->code, &number) < 0)
			return -ENOMEM;
		tally->counts[number]++;
		tally->members++;
		if (told_message(track)->severity > tally->severity)
			tally->severity = told_message(track)->severity;
	}
	return 0;
}

/* "144 alerts at once: 72 cable-missing, 72 cable-slow", the most frequent first. */
static void storm_words(struct ft_text *text, struct tally *tally)
{
	const char *between = ": ";

	ft_text_printf(text, "alert storm: %zu alert%s summed up", tally->members, tally->members == 1 ? "" : "s");
	for (;;) {
		uint32_t most = 0;

		for (uint32_t i = 1; i < tally->codes.count; i++)
			if (tally->counts[i] > tally->counts[most])
				most = i;
		if (tally->codes.count == 0 || tally->counts[most] == 0)
			return;
		ft_text_printf(text, "%s%" PRIu32 " %s", between, tally->counts[most], tally->codes.names[most]);
		tally->counts[most] = 0;
		between = ", ";
	}
}

/* The first of them, as symptoms with their own texts. */
static struct ft_symptom *symptoms_make(const struct future *future, size_t *ret_count)
{
	struct ft_symptom *symptoms = calloc(LISTED_MAX, sizeof(*symptoms));
	size_t count = 0;

	for (size_t i = 0; symptoms && i < future->count && count < LISTED_MAX; i++) {
		const struct ft_track *track = future->tracks[i];

		if (track->hushed)
			symptoms[count++] = (struct ft_symptom){.text = told_message(track)->text,
								.place = told_message(track)->place};
	}
	*ret_count = count;
	return symptoms;
}

static int storm_message(struct ft_draft *d, const struct future *future, struct tally *tally,
			 struct ft_message **ret_message)
{
	_cleanup_(ft_text_release) struct ft_text text = {0}, observed = {0};
	_cleanup_free_ struct ft_symptom *symptoms = NULL;
	struct ft_finding storm = {
		.id = (char *)storm_code,
		.severity = tally->severity,
		.evidence = FT_EVIDENCE_SEEN,
		.count = (uint32_t)tally->members,
		.expected = (char *)"few new alerts at once",
		.fix = (char *)"see all of them with ftcheck --status, and look for what they have in common: a "
			       "switch, "
			       "power, or the wrong plan",
	};

	symptoms = symptoms_make(future, &storm.symptom_count);
	ft_text_printf(&observed, "%zu alert%s", tally->members, tally->members == 1 ? "" : "s");
	storm_words(&text, tally);
	if (!symptoms || ft_text_failed(&text) || ft_text_failed(&observed))
		return -ENOMEM;
	storm.symptoms = symptoms;
	storm.observed = observed.data;
	storm.text = text.data;
	return ft_draft_message_make(d, &storm, storm_code, ret_message);
}

/* ---- alert-storm ---- */

/* Its event precedes all others of this call, so that the number of standing alerts is never too low. */
static void last_to_front(struct ft_draft *d)
{
	struct ft_queued *said = d->last, **at = &d->first;

	if (d->first == said)
		return;
	d->last = NULL;
	while (*at != said) {
		d->last = *at;
		at = &(*at)->next;
	}
	*at = NULL;
	said->next = d->first;
	d->first = said;
}

static int storm_raise(struct ft_draft *d, const struct future *future, struct tally *tally)
{
	_cleanup_(ft_message_unrefp) struct ft_message *message = NULL;
	struct ft_track *track = NULL;
	int r = storm_message(d, future, tally, &message);

	if (r == 0)
		r = ft_draft_track_add(d, FT_TRACK_STORM, message, &track);
	if (r < 0)
		return r;
	track->present = track->raised = true;
	r = ft_draft_say_raised(d, track, message);
	if (r == 0)
		last_to_front(d);
	return r;
}

static int storm_change(struct ft_draft *d, struct ft_track *track, const struct future *future, struct tally *tally)
{
	_cleanup_(ft_message_unrefp) struct ft_message *message = NULL;
	int r = storm_message(d, future, tally, &message);

	if (r < 0)
		return r;
	ft_track_message_set(track, message);
	track->announced = 0;
	r = ft_draft_say(d, track, FT_EVENT_CHANGED, message, FT_OVER_REPAIRED);
	if (r == 0)
		last_to_front(d);
	return r;
}

static int storm_clear(struct ft_draft *d, struct ft_track *track, enum ft_over over)
{
	int r = ft_draft_say(d, track, FT_EVENT_CLEARED, track->message, over);

	track->present = track->raised = false;
	track->since_ms = INT64_MIN / 2; /* forgotten at once */
	return r;
}

/* The reason why the last ones went: some were repaired, or all went otherwise. */
static enum ft_over over_find(const struct ft_draft *d)
{
	enum ft_over over = FT_OVER_REPAIRED;

	for (size_t i = 0; i < d->step_count; i++) {
		const struct ft_draft_step *step = &d->steps[i];

		if (step->at == FT_DRAFT_NEW_TRACK || !d->alerts->tracks[step->at]->hushed || step->track->present)
			continue;
		if (step->track->over == FT_OVER_REPAIRED)
			return FT_OVER_REPAIRED;
		over = step->track->over;
	}
	return over;
}

/* The few remaining ones are raised one by one. */
static int storm_dissolve(struct ft_draft *d, struct ft_track *storm)
{
	uint32_t count = (uint32_t)d->alerts->track_count;
	_cleanup_free_ struct ft_track **edited = calloc(count + 1UL, sizeof(struct ft_track *));
	int r = 0;

	if (!edited)
		return -ENOMEM;
	for (size_t i = 0; i < d->step_count; i++)
		if (d->steps[i].at != FT_DRAFT_NEW_TRACK)
			edited[d->steps[i].at] = d->steps[i].track;
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		if (!(edited[i] ? edited[i] : d->alerts->tracks[i])->hushed)
			continue;
		if (!edited[i])
			r = ft_draft_track_edit(d, i, &edited[i]);
		if (r == 0)
			r = ft_draft_say_raised(d, edited[i], told_message(edited[i]));
	}
	return r < 0 ? r : storm_clear(d, storm, FT_OVER_SINGLY);
}

/* The number of the draft's tracks that were hushed and are not any more. */
static size_t left_count(const struct ft_draft *d)
{
	size_t count = 0;

	for (size_t i = 0; i < d->step_count; i++)
		if (d->steps[i].at != FT_DRAFT_NEW_TRACK)
			count += d->alerts->tracks[d->steps[i].at]->hushed && !d->steps[i].track->hushed;
	return count;
}

static bool is_still(const struct ft_draft *d, const struct ft_track *storm)
{
	return d->now.mono_ms - storm->since_ms >= WINDOW_MS;
}

/* A quick test whether anything needs to be done: called for each of many hosts. */
static bool is_moved(const struct ft_draft *d, const struct ft_track *storm, size_t fresh)
{
	return fresh > 0 || left_count(d) > 0 || d->rules->storm == 0 ||
	       (is_still(d, storm) && (d->full || storm->announced > 0));
}

static int storm_go_on(struct ft_draft *d, uint32_t at, size_t fresh, const struct future *future, struct tally *tally)
{
	const struct ft_track *known = d->alerts->tracks[at];
	bool still = is_still(d, known) && fresh == 0 && left_count(d) == 0;
	bool few = d->rules->storm == 0 || (d->full && still && tally->members <= d->rules->storm);
	bool worse = tally->severity > known->message->severity;
	struct ft_track *track = NULL;
	int r = ft_draft_track_edit(d, at, &track);

	if (r < 0)
		return r;
	if (tally->members == 0)
		return storm_clear(d, track, over_find(d));
	if (few)
		return storm_dissolve(d, track);
	track->announced += fresh;
	if (fresh > 0 || left_count(d) > 0)
		track->since_ms = d->now.mono_ms;
	if (track->announced > 0 && (track->announced > d->rules->storm || worse || still))
		return storm_change(d, track, future, tally);
	return 0;
}

int ft_storm_settle(struct ft_draft *d)
{
	_cleanup_(future_release) struct future future = {0};
	_cleanup_(tally_release) struct tally tally = {0};
	uint32_t at = storm_track_find(d->alerts);
	size_t fresh = 0;
	int r = 0;

	if (is_storm(d))
		r = hush(d, &fresh);
	if (r < 0 || (at == FT_DRAFT_NEW_TRACK ? fresh == 0 : !is_moved(d, d->alerts->tracks[at], fresh)))
		return r;
	r = future_make(d, &future);
	if (r == 0)
		r = tally_make(&future, &tally);
	if (r < 0)
		return r;
	return at == FT_DRAFT_NEW_TRACK ? storm_raise(d, &future, &tally) : storm_go_on(d, at, fresh, &future, &tally);
}

int64_t ft_storm_due_ms(const struct ft_alerts *alerts)
{
	uint32_t at = storm_track_find(alerts);

	if (at == FT_DRAFT_NEW_TRACK || alerts->tracks[at]->announced == 0)
		return INT64_MAX;
	return alerts->tracks[at]->since_ms + WINDOW_MS;
}
