/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The effect of a check on all alerts together: which are present, cleared (and why), or could not be judged. */
#include "config.h"

#include "daemon/alert_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- looks ---- */

/* A place of a finding that may contain other faults: a port, or with port 0 all of a switch that is not seen. */
struct taker {
	struct ft_spot spot;
	size_t finding; /* its index in the report, where the worst is first */
};

/* The result of a check, by id, and its gaps. */
struct view {
	const struct ft_report *report;
	bool partial;		    /* the sweep did not reach parts of the fabric */
	const struct ft_spot *gaps; /* silent ports, sorted */
	size_t gap_count;
	struct ft_ids ids;
	char **names;			    /* of @ids, one for each finding of the report */
	const struct ft_finding **findings; /* by the ids' number: the worst with that id, waived and minor ones too */
	bool *known;			    /* does it have a track? */
	struct taker *takers;		    /* sorted by their spots; built when needed */
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

/* A waived one does not count. */
static bool is_worse(const struct ft_finding *a, const struct ft_finding *b)
{
	return a->severity != b->severity ? a->severity > b->severity : b->waived && !a->waived;
}

/* Ids should be unique; two findings with one id are one alert. */
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

		if (f->code == FT_CODE_SWEEP_INCOMPLETE || f->code == FT_CODE_FINDINGS_OMITTED)
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
 * One of its ports does not respond, or it may be outside of the part that was reached (the sweep began on a switch
 * that is cut off): its absence from the report does not mean that it is repaired.
 */
static bool view_hides(const struct view *view, const struct ft_message *message)
{
	for (size_t i = 0; view->gap_count > 0 && i < message->spot_count; i++)
		if (message->spots[i].port &&
		    bsearch(&message->spots[i], view->gaps, view->gap_count, sizeof(*view->gaps), ft_spot_compare))
			return true;
	return view->partial;
}

/* Waived findings are no alerts, even if alerts of severity info are wanted. */
static bool is_alert(const struct ft_draft *d, const struct ft_finding *f)
{
	return !f->waived && f->severity >= d->rules->severity;
}

/* ---- absorption by another finding ---- */

static uint8_t takes_in_by_name(const char *name)
{
	enum ft_code code = ft_code_of(name);

	return code == FT_CODE_COUNT ? 0 : ft_codes[code].takes_in;
}

/* Waived or not: a waiver for a dead switch does not mean that its cables are repaired. */
static bool is_taker(const struct ft_draft *d, const struct ft_finding *f)
{
	enum ft_severity severity = f->waived ? ft_codes[f->code].severity : f->severity;

	return ft_codes[f->code].takes_in > 0 && severity >= d->rules->severity;
}

static int taker_compare(const void *a, const void *b)
{
	const struct taker *x = a, *y = b;
	int order = ft_spot_compare(&x->spot, &y->spot);

	return order ? order : (x->finding > y->finding) - (x->finding < y->finding);
}

static void taker_add(struct view *view, uint64_t guid, uint32_t port, size_t finding)
{
	view->takers[view->taker_count++] = (struct taker){{guid, port, 0}, finding};
}

static int takers_make(const struct ft_draft *d, struct view *view)
{
	const struct ft_report *report = view->report;
	size_t count = 0;

	for (size_t i = 0; i < report->finding_count; i++)
		count += report->findings[i].where_count + report->findings[i].unseen_count;
	view->takers = calloc(count + 1, sizeof(*view->takers));
	if (!view->takers)
		return -ENOMEM;
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];

		if (!is_taker(d, f))
			continue;
		for (size_t k = 0; k < f->where_count; k++)
			if (f->where[k].guid && f->where[k].port)
				taker_add(view, f->where[k].guid, f->where[k].port, i);
		for (size_t k = 0; k < f->unseen_count; k++)
			if (f->unseen[k].guid)
				taker_add(view, f->unseen[k].guid, 0, i);
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

/* The first finding of the report, of a level of @least, that has this place; or else @best. */
static const struct ft_finding *taker_at(const struct view *view, struct ft_spot spot, uint8_t least,
					 const struct ft_finding *best)
{
	for (size_t k = takers_from(view, &spot);
	     k < view->taker_count && ft_spot_compare(&view->takers[k].spot, &spot) == 0; k++) {
		const struct ft_finding *f = &view->report->findings[view->takers[k].finding];

		if (ft_codes[f->code].takes_in >= least && (!best || f < best))
			best = f;
	}
	return best;
}

/*
 * The first finding of the report that shares a port with @message, or an unseen switch; NULL: there is none. Of a dead
 * switch the ports are its neighbours': that one of these is dead too says nothing of it, which may be back.
 */
static const struct ft_finding *taker_find(const struct view *view, const struct ft_message *message)
{
	const struct ft_spot dead = {.guid = message->dead ? message->place.guid : 0};
	uint8_t least = takes_in_by_name(message->code);
	const struct ft_finding *best = taker_at(view, dead, least, NULL);

	for (size_t i = 0; i < message->spot_count; i++) {
		struct ft_spot spot = message->spots[i];

		best = taker_at(view, spot, least, best);
		spot.port = 0;
		if (!message->dead)
			best = taker_at(view, spot, least, best);
	}
	return best;
}

/*
 * True of a switch-replaced whose switch is still seen in a place of the plan: without names the one that stands there
 * is remembered in place of the former one, and nobody has repaired anything.
 */
static bool is_known_now(const struct view *view, const struct ft_message *message)
{
	const struct ft_report *report = view->report;

	if (ft_code_of(message->code) != FT_CODE_SWITCH_REPLACED || message->spot_count == 0)
		return false;
	for (size_t i = 0; i < report->switch_count; i++)
		if (report->switches[i].guid == message->spots[0].guid &&
		    report->switches[i].status != FT_STATUS_UNPLANNED)
			return true;
	return false;
}

/* Why an alert that is not in the report is over. */
static int over_find(const struct ft_draft *d, struct view *view, const struct ft_track *track, enum ft_over *ret_over)
{
	const struct ft_finding *taker;
	int r = 0;

	*ret_over = FT_OVER_REPAIRED;
	if (!track->raised)
		return 0;
	/* A new plan does not repair anything, nor does it change the reason of alerts cleared before. */
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
	else if (is_known_now(view, track->message))
		*ret_over = FT_OVER_KNOWN;
	return 0;
}

static int finding_missing(struct ft_draft *d, struct view *view, uint32_t at)
{
	const struct ft_track *track = d->alerts->tracks[at];
	enum ft_over over;
	int r;

	if (view_hides(view, track->message))
		return ft_track_let_be(d, at);
	r = over_find(d, view, track, &over);
	return r < 0 ? r : ft_track_finding_gone(d, at, over);
}

static int track_judge(struct ft_draft *d, struct view *view, uint32_t at)
{
	const struct ft_track *track = d->alerts->tracks[at];
	uint32_t number = ft_ids_find(&view->ids, track->message->id);
	const struct ft_finding *f = number == FT_NONE ? NULL : view->findings[number];

	if (track->kind != FT_TRACK_FINDING)
		return ft_track_let_be(d, at);
	if (!f)
		return finding_missing(d, view, at);
	return ft_track_finding_gone(d, at, f->waived ? FT_OVER_WAIVED : FT_OVER_MINOR);
}

/* Which findings have a track: where[i] is its index. */
static int tracks_by_finding(const struct ft_draft *d, struct view *view, uint32_t **ret_where)
{
	uint32_t *where = calloc(view->ids.count + 1UL, sizeof(*where));

	if (!where)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->alerts->track_count; i++) {
		const struct ft_track *track = d->alerts->tracks[i];
		uint32_t number = ft_ids_find(&view->ids, track->message->id);

		if (track->kind != FT_TRACK_FINDING || number == FT_NONE)
			continue;
		where[number] = i;
		view->known[number] = true;
	}
	*ret_where = where;
	return 0;
}

/* First the present ones, worst first as in the report; then absent ones, in the order in which they appeared. */
static int judge(struct ft_draft *d, struct view *view)
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
			r = ft_track_finding_seen(d, where[i], view->findings[i]);
		else
			r = ft_track_finding_first_seen(d, view->findings[i]);
	}
	for (uint32_t i = 0; r == 0 && i < d->alerts->track_count; i++) {
		const struct ft_track *track = d->alerts->tracks[i];
		uint32_t number = ft_ids_find(&view->ids, track->message->id);

		if (track->kind == FT_TRACK_FINDING && number != FT_NONE && is_alert(d, view->findings[number]))
			continue;
		r = track_judge(d, view, i);
	}
	return r;
}

/* The finding that limits the judgement: against the design of another fabric nothing could be judged. */
static const struct ft_finding *incomplete_finding(const struct ft_report *report)
{
	for (size_t i = 0; report && i < report->finding_count; i++)
		if (report->findings[i].code == FT_CODE_SWEEP_INCOMPLETE ||
		    report->findings[i].code == FT_CODE_PLAN_FOREIGN)
			return &report->findings[i];
	return NULL;
}

bool ft_report_is_incomplete(const struct ft_report *report)
{
	return report->verdict == FT_VERDICT_UNKNOWN || incomplete_finding(report);
}

static bool is_partial(const struct ft_report *report)
{
	/* Findings cut from the report may still be present. */
	for (size_t i = 0; i < report->finding_count; i++)
		if (report->findings[i].code == FT_CODE_FINDINGS_OMITTED)
			return true;
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
	return i < alerts->track_count ? i : FT_DRAFT_NEW_TRACK;
}

static int sweep_alert_clear(struct ft_draft *d, enum ft_over over)
{
	uint32_t at = sweep_track_find(d->alerts);
	struct ft_track *track = NULL;
	int r;

	if (at == FT_DRAFT_NEW_TRACK)
		return 0;
	r = ft_draft_track_edit(d, at, &track);
	if (r == 0)
		r = ft_draft_say(d, track, FT_EVENT_CLEARED, track->message, over);
	if (r < 0)
		return r;
	track->present = track->raised = false;
	track->since_ms = INT64_MIN / 2; /* removed at once: it is counted in sweeps, not in flaps */
	return 0;
}

/*
 * Raises or updates it. Another number of lost packets or another reason is no change; another set of permanently
 * silent ports is.
 */
static int sweep_alert_raise(struct ft_draft *d, const struct ft_finding *f, uint64_t mute)
{
	_cleanup_(ft_message_unrefp) struct ft_message *message = NULL;
	uint32_t at = sweep_track_find(d->alerts);
	struct ft_track *track = NULL;
	int r;

	r = ft_draft_message_make(d, f, NULL, &message);
	if (r == 0)
		r = at == FT_DRAFT_NEW_TRACK ? ft_draft_track_add(d, FT_TRACK_SWEEP, message, &track)
					     : ft_draft_track_edit(d, at, &track);
	if (r < 0)
		return r;
	if (at == FT_DRAFT_NEW_TRACK) {
		track->present = track->raised = true;
		track->announced = mute;
		return ft_draft_say_raised(d, track, message);
	}
	ft_track_message_set(track, message);
	if (mute == 0 || mute == track->announced)
		return 0;
	track->announced = mute;
	return ft_draft_say(d, track, FT_EVENT_CHANGED, message, FT_OVER_REPAIRED);
}

/* @f NULL: the check failed, @why gives the reason. */
static int sweep_alert(struct ft_draft *d, const struct ft_finding *f, const char *why, uint64_t mute)
{
	const struct ft_finding failed = {
		.id = (char *)ft_codes[FT_CODE_SWEEP_INCOMPLETE].name,
		.code = FT_CODE_SWEEP_INCOMPLETE,
		.severity = ft_codes[FT_CODE_SWEEP_INCOMPLETE].severity,
		.evidence = FT_EVIDENCE_UNREACHED,
		.expected = (char *)"an answer from everything that is there",
		.observed = (char *)why,
		.text = (char *)why,
		.fix = (char *)"check the port that the sweep starts from, its cable and its permissions; if the "
			       "fabric "
			       "only takes longer, raise \"deadline\" in the configuration",
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

/* The ports without a response, each once, with the number of full sweeps in a row. The caller frees them. */
static int gaps_make(const struct ft_draft *d, const struct ft_finding *f, struct ft_spot **ret_gaps, size_t *ret_count)
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

/* Has each of them been silent long enough to count as permanently silent? */
static bool gaps_are_mute(const struct ft_draft *d, const struct ft_finding *f, const struct ft_spot *gaps,
			  size_t count)
{
	/* A sweep that hit its limits, in a fabric that has all planned nodes and further ones. */
	if (f->evidence == FT_EVIDENCE_SEEN)
		return count == 0;
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

int ft_alerts_look(struct ft_alerts *alerts, const struct ft_alert_rules *rules, const struct ft_report *report,
		   enum ft_look_kind kind, struct ft_now now)
{
	_cleanup_(ft_draft_release) struct ft_draft d = ft_draft_begin(alerts, rules, now);
	_cleanup_(view_release) struct view view = {.report = report, .partial = is_partial(report)};
	int r;

	if (ft_report_is_incomplete(report)) {
		r = ft_alerts_miss(alerts, rules, report, kind, "not everything could be judged", now);
		return r < 0 ? r : 0;
	}
	d.kind = kind;
	d.full = kind == FT_LOOK_ALL;
	r = judge(&d, &view);
	if (r == 0 && kind == FT_LOOK_ALL)
		r = sweep_alert_clear(&d, FT_OVER_COMPLETE);
	d.matters = kind == FT_LOOK_ALL && (alerts->misses > 0 || alerts->gap_count > 0);
	if (r == 0)
		r = ft_draft_commit(&d);
	if (r < 0)
		return r;
	if (kind == FT_LOOK_ALL) {
		alerts->misses = 0;
		gaps_put(alerts, NULL, 0);
	}
	ft_draft_forget(&d);
	return 0;
}

/* The silent ports, and whether all of them are known as permanently silent: then the rest can be judged. */
static int gaps_judge(struct ft_draft *d, struct view *view, const struct ft_finding *f, struct ft_spot **ret_gaps,
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
	_cleanup_(ft_draft_release) struct ft_draft d = ft_draft_begin(alerts, rules, now);
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
	d.full = judged > 0 && kind == FT_LOOK_ALL;
	r = 0;
	if (kind == FT_LOOK_ALL && misses >= misses_enough(rules))
		r = sweep_alert(&d, f, why, judged ? gaps_hash(gaps, gap_count) : 0);
	d.matters = kind == FT_LOOK_ALL;
	if (r == 0)
		r = ft_draft_commit(&d);
	if (r < 0)
		return r;
	if (kind == FT_LOOK_ALL)
		alerts->misses = misses;
	/* A failed check says nothing about them. */
	if (kind == FT_LOOK_ALL && f)
		gaps_put(alerts, FT_STEAL(gaps), gap_count);
	ft_draft_forget(&d);
	return judged;
}
