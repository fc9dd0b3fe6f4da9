/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/repair/repair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/numbers.h"
#include "base/text.h"
#include "planner/write/floor.h"
#include "verify/model/chassis.h"
#include "verify/model/model.h"
#include "verify/repair/what_if.h"

/* A job: an action of one finding or, if it repairs two, of several. */
struct job {
	struct ft_action action; /* its names are owned by the finding */
	uint32_t *mends;	 /* findings; owned */
	uint32_t mend_count;
	uint32_t stop;		 /* where it is done */
	const struct job *after; /* NULL: it need not wait for another one */
	bool dropped;		 /* another one does its work, or it cannot be done */
	bool done;
};

/* The sort key of a job. */
struct order {
	uint32_t turn, act, port, job;
};

/* A stop: a switch at which something is to be done. */
struct stop {
	const struct ft_place *place; /* any that names it */
	uint32_t row;		      /* row of the report's table of switches, or FT_NONE */
	uint32_t rack;		      /* index in the floor plan, or FT_NONE */
	uint32_t turn;		      /* its place in the walk */
	uint32_t jobs;		      /* number of jobs that could be done here and have no other stop yet */
};

struct repair {
	const struct ft_model *m;
	const struct ft_verify_input *input;
	struct ft_report *report;
	struct ft_what_if *what_if;
	struct ft_floor *floor; /* NULL: the places of the switches are not known */
	struct job *jobs;
	uint32_t job_count;
	struct stop *stops;
	uint32_t stop_count;
	uint32_t (*ends)[2];   /* by job: the stops at its two ends, or FT_NONE */
	uint32_t *open;	       /* by finding: number of its actions not done yet */
	struct ft_map by_guid; /* row of the table of switches */
	struct ft_map names;   /* the first row of that name */
	bool *alike;	       /* by row: another one has its name */
	struct ft_map assumed; /* ids of findings that are repaired, though no snapshot can show it */
	struct order *order;   /* [job_count] */
	uint32_t stride;       /* the least number of steps between two predictions */
	uint32_t since;	       /* steps since the last prediction */
	uint32_t last_stop;
	bool each;		/* predict after each step; else only where the next stop begins */
	struct ft_arena memory; /* of lists and words that are not the report's */
};

static void repair_release(struct repair *x)
{
	ft_arena_release(&x->memory);
	ft_map_release(&x->by_guid);
	ft_map_release(&x->names);
	ft_map_release(&x->assumed);
	ft_what_if_free(x->what_if);
	ft_floor_free(x->floor);
}

/* ---- what there is to do ---- */

static bool place_is(const struct ft_place *a, const struct ft_place *b)
{
	if (!a->name || !b->name)
		return !a->name && !b->name;
	return a->port == b->port && a->guid == b->guid && (a->guid || strcmp(a->name, b->name) == 0);
}

/* True if both are one particular port. */
static bool place_is_exact(const struct ft_place *a, const struct ft_place *b)
{
	return a->name && a->port > 0 && place_is(a, b);
}

/* The same cable, in either direction. */
static bool ends_are(const struct ft_action *a, const struct ft_action *b)
{
	return (place_is_exact(&a->a, &b->a) && place_is_exact(&a->b, &b->b)) ||
	       (place_is_exact(&a->a, &b->b) && place_is_exact(&a->b, &b->a));
}

static void mends_add(struct repair *x, struct job *job, uint32_t finding)
{
	uint32_t *mend;

	if (ft_number_is_among(job->mends, job->mend_count, finding))
		return;
	mend = FT_ARENA_MORE(&x->memory, job->mends, job->mend_count);
	if (mend)
		*mend = finding;
}

/* One job does the work of both. */
static void jobs_join(struct repair *x, struct job *to, struct job *from)
{
	from->dropped = true;
	for (uint32_t i = 0; i < from->mend_count; i++)
		mends_add(x, to, from->mends[i]);
}

/* Whether one job does the work of two: then the second is dropped. A faulty cable that is removed is not replaced. */
static void jobs_merge(struct repair *x, struct job *one, struct job *other)
{
	const struct ft_action *a = &one->action, *b = &other->action;
	bool whole = a->act == FT_ACT_POWER || a->act == FT_ACT_BOARD;

	if (a->act == b->act ? ends_are(a, b) || (whole && place_is(&a->a, &b->a))
			     : a->act == FT_ACT_REMOVE && b->act == FT_ACT_RENEW && ends_are(a, b))
		jobs_join(x, one, other);
}

/* The end of job i / 2 that is numbered @i: first a, then b. */
static const struct ft_place *end_at(const struct repair *x, uint32_t i)
{
	const struct ft_action *action = &x->jobs[i / 2].action;

	return i % 2 ? &action->b : &action->a;
}

static uint64_t place_key(const struct ft_place *place)
{
	if (place->guid)
		return ft_hash_pair(place->guid, place->port);
	return ft_text_hash(place->name);
}

/* True if @key is new to @map, or memory ran out: else *@ret_value is what is there. */
static bool place_is_new(struct repair *x, struct ft_map *map, uint64_t key, uint32_t value, uint32_t *ret_value)
{
	int r = ft_map_add(map, key, value, ret_value);

	x->memory.failed |= r < 0;
	return r != 0;
}

/* Only jobs with a place in common are compared. */
static void jobs_reduce(struct repair *x)
{
	_cleanup_(ft_map_release) struct ft_map first = {0};
	uint32_t *next = ft_arena_numbers(&x->memory, 2UL * x->job_count, FT_NONE);
	uint32_t *last = ft_arena_zeros(&x->memory, 2UL * x->job_count, sizeof(*last));

	for (uint32_t i = 0; !x->memory.failed && i < 2 * x->job_count; i++) {
		struct job *job = &x->jobs[i / 2];
		const struct ft_place *place = end_at(x, i);
		uint32_t head = i;

		last[i] = i;
		if (!place->name || (place->guid && place->port == 0))
			continue;
		if (place_is_new(x, &first, place_key(place), i, &head))
			continue;
		for (uint32_t n = head; n != FT_NONE; n = next[n]) {
			struct job *other = &x->jobs[n / 2];

			if (other != job && !other->dropped && !job->dropped)
				jobs_merge(x, other, job);
		}
		next[last[head]] = i;
		last[head] = i;
	}
}

static void job_add(struct repair *x, const struct ft_action *action, uint32_t finding)
{
	struct job *job = FT_ARENA_MORE(&x->memory, x->jobs, x->job_count);

	if (!job)
		return;
	*job = (struct job){.action = *action, .stop = FT_NONE};
	mends_add(x, job, finding);
}

/* A setting is no manual work: the other actions alone do not repair a finding that has one. */
static void jobs_gather(struct repair *x)
{
	const struct ft_report *report = x->report;

	x->open = ft_arena_zeros(&x->memory, report->finding_count, sizeof(*x->open));
	for (size_t i = 0; x->open && i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];

		x->open[i] = f->action_count || f->waived ? 0 : 1;
		for (size_t n = 0; !f->waived && n < f->action_count; n++) {
			x->open[i]++;
			if (f->actions[n].act != FT_ACT_SETTING)
				job_add(x, &f->actions[n], (uint32_t)i);
		}
	}
}

/* ---- where to do it ---- */

static void rows_map(struct repair *x)
{
	const struct ft_report *report = x->report;

	x->alike = ft_arena_zeros(&x->memory, report->switch_count, sizeof(*x->alike));
	for (size_t i = 0; x->alike && i < report->switch_count; i++) {
		const struct ft_report_switch *sw = &report->switches[i];

		x->memory.failed |= ft_map_mark(&x->names, ft_text_hash(sw->name), (uint32_t)i, x->alike) < 0;
		if (sw->guid)
			ft_map_put(&x->by_guid, sw->guid, (uint32_t)i, &x->memory.failed);
	}
}

/* The row of the table of switches for @place, or FT_NONE. */
static uint32_t row_of(const struct repair *x, const struct ft_place *place)
{
	uint32_t row;

	if (!place->name)
		return FT_NONE;
	row = place->guid ? ft_map_get(&x->by_guid, place->guid) : ft_map_get(&x->names, ft_text_hash(place->name));
	return row < x->report->switch_count ? row : FT_NONE;
}

/* Greater than all row numbers. */
static uint64_t stop_key(const struct ft_place *place)
{
	return (place->guid ? ft_hash_pair(place->guid, 0) : ft_text_hash(place->name)) | (uint64_t)1 << 63;
}

static void stops_gather(struct repair *x)
{
	_cleanup_(ft_map_release) struct ft_map by_row = {0};

	x->stops = ft_arena_zeros(&x->memory, 2UL * x->job_count, sizeof(*x->stops));
	x->ends = ft_arena_zeros(&x->memory, x->job_count, sizeof(*x->ends));
	for (uint32_t i = 0; !x->memory.failed && i < 2 * x->job_count; i++) {
		const struct ft_action *action = &x->jobs[i / 2].action;
		const struct ft_place *place = end_at(x, i);
		uint32_t row = row_of(x, place), stop = x->stop_count;

		x->ends[i / 2][i % 2] = FT_NONE;
		/* A host is not a stop, unless there is no other. */
		if (x->jobs[i / 2].dropped || !place->name ||
		    (row == FT_NONE && action->b.name && (i % 2 || row_of(x, &action->b) != FT_NONE)))
			continue;
		if (place_is_new(x, &by_row, row == FT_NONE ? stop_key(place) : row, stop, &stop))
			x->stops[x->stop_count++] = (struct stop){.place = place, .row = row, .rack = FT_NONE};
		x->ends[i / 2][i % 2] = stop;
	}
}

/*
 * A port that another cable must leave first is best filled at the stop where that cable is unplugged: waiting for a
 * job at another stop would need a second walk.
 */
static void stops_bind(struct repair *x)
{
	_cleanup_(ft_map_release) struct ft_map pulled = {0};

	for (uint32_t i = 0; i < 2 * x->job_count; i++) {
		const struct ft_action *action = &x->jobs[i / 2].action;
		const struct ft_place *place = end_at(x, i);

		if (action->act == FT_ACT_REMOVE && !x->jobs[i / 2].dropped && place->name && place->port)
			ft_map_put(&pulled, place_key(place), i, &x->memory.failed);
	}
	for (uint32_t i = 0; i < 2 * x->job_count; i++) {
		const struct ft_action *action = &x->jobs[i / 2].action;
		const struct ft_place *place = end_at(x, i);

		if (action->act == FT_ACT_CONNECT && x->ends[i / 2][i % 2] != FT_NONE && place->name && place->port &&
		    ft_map_get(&pulled, place_key(place)) != FT_NONE)
			x->ends[i / 2][1 - i % 2] = FT_NONE;
	}
}

/*
 * The exchanges of one swap cycle share an end, and each leaves there the cable that the next one takes away: they are
 * done in their order, at the stop of that end.
 */
static bool exchanges_follow(const struct job *before, const struct job *after)
{
	return before->action.act == FT_ACT_EXCHANGE && after->action.act == FT_ACT_EXCHANGE && !before->dropped &&
	       !after->dropped && before->mends[0] == after->mends[0] &&
	       place_is_exact(&before->action.a, &after->action.a);
}

static void cycles_bind(struct repair *x)
{
	for (uint32_t i = 1; i < x->job_count; i++)
		if (exchanges_follow(&x->jobs[i - 1], &x->jobs[i])) {
			x->ends[i - 1][1] = x->ends[i][1] = FT_NONE;
			x->jobs[i].after = &x->jobs[i - 1];
		}
}

/* The floor plan is used if all switches concerned have their planned names: then it applies to this fabric. */
static int floor_take(struct repair *x)
{
	const struct ft_report *report = x->report;
	const struct ft_plan tree = ft_plan_tree(x->input->plan);
	int r;

	if (x->input->plan->topology == FT_TOPOLOGY_STAR)
		return 0;
	for (uint32_t i = 0; i < x->stop_count; i++) {
		const struct ft_report_switch *sw;

		if (x->stops[i].row == FT_NONE)
			continue;
		sw = &report->switches[x->stops[i].row];
		if (!sw->planned_as || strcmp(sw->name, sw->planned_as) != 0)
			return 0;
	}
	for (uint32_t i = 0; i < tree.switch_count; i++) {
		const struct ft_bind *bind = &x->input->design->binds[x->input->plan->switches[i].tier];

		if (bind->count > 0 || bind->match)
			return 0;
	}
	r = ft_floor_make(&tree, NULL, NULL, &x->floor);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (uint32_t i = 0; i < x->stop_count; i++)
		if (x->stops[i].row < x->floor->switch_count)
			x->stops[i].rack = x->floor->switches[x->stops[i].row].rack;
	return 0;
}

/* The stop with the most jobs that have no other stop yet, or FT_NONE. */
static uint32_t stop_busiest(const struct repair *x)
{
	uint32_t best = FT_NONE;

	for (uint32_t i = 0; i < x->stop_count; i++)
		if (x->stops[i].jobs > 0 && (best == FT_NONE || x->stops[i].jobs > x->stops[best].jobs))
			best = i;
	return best;
}

/* Greedy set cover, so nearly the fewest stops: next is always the stop with the most remaining jobs. */
static void stops_choose(struct repair *x)
{
	enum { CHOICES_MAX = 100000000 };
	uint32_t stop;

	for (uint32_t i = 0; i < 2 * x->job_count; i++)
		if (x->ends[i / 2][i % 2] != FT_NONE && (i % 2 == 0 || x->ends[i / 2][0] != x->ends[i / 2][1]))
			x->stops[x->ends[i / 2][i % 2]].jobs++;
	/* So many actions mean a wrong design, and no walk helps. */
	for (uint32_t i = 0; (uint64_t)x->job_count * x->stop_count > CHOICES_MAX && i < x->job_count; i++)
		x->jobs[i].stop = x->ends[i][0] == FT_NONE ? x->ends[i][1] : x->ends[i][0];
	while ((uint64_t)x->job_count * x->stop_count <= CHOICES_MAX && (stop = stop_busiest(x)) != FT_NONE)
		for (uint32_t i = 0; i < x->job_count; i++) {
			const uint32_t *ends = x->ends[i];

			if (x->jobs[i].stop != FT_NONE || (ends[0] != stop && ends[1] != stop))
				continue;
			x->jobs[i].stop = stop;
			for (unsigned int n = 0; n < 2; n++)
				if (ends[n] != FT_NONE && (n == 0 || ends[1] != ends[0]))
					x->stops[ends[n]].jobs--;
		}
}

/* The sort key of a stop. */
struct station {
	uint32_t rack, height;
	const char *name;
	uint32_t stop;
};

static int station_compare(const void *a, const void *b)
{
	const struct station *x = a, *y = b;

	return FT_ORDER(x->rack, y->rack) ?: FT_ORDER(x->height, y->height)
		?: ft_text_natural_compare(x->name, y->name) ?: FT_ORDER(x->stop, y->stop);
}

/* The rank; the first rows are the planned switches, in the plan's order. */
static uint32_t height_of(const struct repair *x, uint32_t row)
{
	const struct ft_plan *plan = x->input->plan;

	return row < plan->switch_count ? ft_rank_of_kind(plan, plan->switches[row].kind) : FT_NONE;
}

/* The order of the stops: rack by rack or, if racks are not known, in natural order of names. */
static void stops_sort(struct repair *x)
{
	struct station *stations = ft_arena_zeros(&x->memory, x->stop_count, sizeof(*stations));

	if (!stations)
		return;
	for (uint32_t i = 0; i < x->stop_count; i++)
		stations[i] =
			(struct station){x->stops[i].rack, height_of(x, x->stops[i].row), x->stops[i].place->name, i};
	qsort(stations, x->stop_count, sizeof(*stations), station_compare);
	for (uint32_t i = 0; i < x->stop_count; i++)
		x->stops[stations[i].stop].turn = i;
}

static int order_compare(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	return FT_ORDER(x->turn, y->turn) ?: FT_ORDER(x->act, y->act) ?: FT_ORDER(x->port, y->port)
		?: FT_ORDER(x->job, y->job);
}

static void jobs_sort(struct repair *x)
{
	static const uint32_t ranks[FT_ACT_COUNT] = {
		[FT_ACT_POWER] = 0, [FT_ACT_BOARD] = 1,	  [FT_ACT_REMOVE] = 2, [FT_ACT_EXCHANGE] = 3,
		[FT_ACT_MOVE] = 4,  [FT_ACT_CONNECT] = 5, [FT_ACT_RENEW] = 6,  [FT_ACT_SETTING] = 7,
	};

	x->order = ft_arena_zeros(&x->memory, x->job_count, sizeof(*x->order));
	for (uint32_t i = 0; x->order && i < x->job_count; i++) {
		const struct job *job = &x->jobs[i];
		const struct stop *stop = job->stop == FT_NONE ? NULL : &x->stops[job->stop];
		bool at_b = stop && x->ends[i][0] != job->stop;

		x->order[i] = (struct order){.turn = stop ? stop->turn : FT_NONE,
					     .act = ranks[job->action.act],
					     .port = at_b ? job->action.b.port : job->action.a.port,
					     .job = i};
	}
	if (x->order)
		qsort(x->order, x->job_count, sizeof(*x->order), order_compare);
}

/* ---- in words ---- */

/* Its short name: for "MF0;core01:CS7500/L05/U1", a chip of a director, "core01 L05/U1". */
static void name_short(struct ft_text *text, const char *name)
{
	_cleanup_free_ char *brief = ft_switch_short_name(name);
	size_t length = strlen(name);
	struct ft_slot slot;

	text->failed |= !brief;
	ft_text_puts(text, brief ? brief : "");
	while (length > 0 && name[length - 1] == ' ')
		length--;
	if (brief && ft_slot_read(name, length, &slot) &&
	    !memmem(brief, strlen(brief), name + slot.word, length - slot.word))
		ft_text_printf(text, " %.*s", (int)(length - slot.word), name + slot.word);
}

/* "core01 port 7"; "a free port of core01"; with the GUID where names repeat. */
static char *place_words(struct repair *x, const struct ft_place *place, bool with_port)
{
	uint32_t row = ft_map_get(&x->names, ft_text_hash(place->name));
	char words[FT_PORT_WORDS_SIZE];
	struct ft_text text = {0};

	if (with_port && place->port == 0)
		ft_text_puts(&text, "a free port of ");
	name_short(&text, place->name);
	if (place->guid && row != FT_NONE && x->alike[row])
		ft_text_printf(&text, " (0x%016llx)", (unsigned long long)place->guid);
	if (with_port)
		ft_text_puts(&text, ft_port_words(place, words));
	return ft_arena_text(&x->report->memory, &text);
}

/* A switch that was not seen is an action's by its planned name. NULL, or what it was called when it was last seen. */
static const char *name_before(const struct repair *x, const struct job *job, const struct ft_place *place)
{
	const char *name = x->report->findings[job->mends[0]].subject.name;

	if (job->action.act != FT_ACT_POWER || !place->name || !place_is(place, &job->action.a) ||
	    (name && strcmp(name, place->name) == 0))
		return NULL;
	return name;
}

static char *step_words(struct repair *x, const struct job *job)
{
	struct ft_arena *memory = &x->report->memory;
	const struct ft_action *action = &job->action;
	bool ports = action->act != FT_ACT_POWER && action->act != FT_ACT_BOARD;
	const char *here = place_words(x, &action->a, ports && (!action->trace || action->a.port > 0));
	const char *there =
		action->b.name ? place_words(x, &action->b, ports && (!action->trace || action->b.port > 0)) : "";
	struct ft_text name = {0};

	if (action->trace && (action->act == FT_ACT_CONNECT || action->act == FT_ACT_RENEW))
		return ft_arena_print(memory,
				      "mend the backplane trace between %s and %s: reseat the two boards, one after "
				      "the other, and replace the one with which it moves",
				      here, there);
	switch (action->act) {
	case FT_ACT_CONNECT:
		return ft_arena_print(memory, "connect %s and %s: reseat the cable that belongs there, or replace it",
				      here, there);
	case FT_ACT_REMOVE:
		if (!action->b.name || place_is(&action->a, &action->b))
			return ft_arena_print(memory, "unplug what is in %s", here);
		return ft_arena_print(memory, "unplug the cable between %s and %s", here, there);
	case FT_ACT_MOVE:
		return ft_arena_print(memory, "move the cable end in %s to %s", here, there);
	case FT_ACT_EXCHANGE:
		return ft_arena_print(memory, "exchange the cable ends in %s and %s", here, there);
	case FT_ACT_RENEW:
		return ft_arena_print(
			memory, "reseat the cable between %s and %s at both ends; replace it if that does not help",
			here, there);
	case FT_ACT_POWER:
		if (name_before(x, job, &action->a)) {
			name_short(&name, name_before(x, job, &action->a));
			ft_text_printf(&name, " (%s in the plan)", here);
			here = ft_arena_text(memory, &name);
		}
		if (x->report->findings[job->mends[0]].code == FT_CODE_SWITCH_MUTE)
			return ft_arena_print(memory, "restart %s, which does not answer", here);
		return ft_arena_print(memory, "bring %s back: look at its power, then replace it", here);
	default:
		return ft_arena_print(memory, "reseat %s, or replace it", here);
	}
}

static char *stop_words(struct repair *x, const struct job *job, const struct ft_place *place)
{
	const char *before = name_before(x, job, place);
	struct ft_text text = {0};

	if (!before)
		return place_words(x, place, false);
	name_short(&text, before);
	return ft_arena_text(&x->report->memory, &text);
}

static void step_add(struct repair *x, const struct job *job)
{
	struct ft_report *report = x->report;
	struct ft_repair_step *step = FT_ARENA_MORE(&report->memory, report->repair, report->repair_count);
	const struct stop *stop = &x->stops[job->stop];
	char rack[FT_FLOOR_RACK_SIZE];

	if (!step)
		return;
	*step = (struct ft_repair_step){
		.act = job->action.act,
		.mends = ft_arena_zeros(&report->memory, job->mend_count, sizeof(*step->mends)),
		.mend_count = job->mend_count,
		.a = job->action.a,
		.b = job->action.b,
		.place = stop_words(x, job, stop->place),
		.text = step_words(x, job),
	};
	if (stop->rack != FT_NONE)
		step->rack = ft_arena_string(&report->memory, ft_floor_rack_name(x->floor, stop->rack, rack));
	for (uint32_t i = 0; step->mends && i < job->mend_count; i++)
		step->mends[i] = report->findings[job->mends[i]].id;
}

/* ---- predictions ---- */

/*
 * Findings expected to remain: those of @seen, a predicted report, or those of the first report that no snapshot shows.
 */
static bool is_left(const struct repair *x, const struct ft_report *seen, size_t i)
{
	const struct ft_finding *f = &seen->findings[i];

	if (seen == x->report)
		return ft_finding_has(f, FT_TRAIT_UNTOLD) && x->open[i] > 0 && !f->waived;
	return ft_map_get(&x->assumed, ft_text_hash(f->id)) == FT_NONE;
}

/* Verifies the what-if fabric as it is now. */
static int look(struct repair *x, struct ft_report **ret_report)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct ft_verify_input input = *x->input;
	_cleanup_(ft_plan_variant_freep) struct ft_plan *plan = NULL;
	int r = ft_what_if_look(x->what_if, &snapshot);

	if (r < 0)
		return r;
	plan = ft_what_if_plan(x->what_if);
	if (!plan)
		return -ENOMEM;
	input.snapshot = snapshot;
	input.plan = plan;
	input.routes = NULL;
	input.counters = NULL;
	input.sms = NULL;
	input.without_impact = true;
	input.doubt_plan = false;
	return ft_verify_all(&input, ret_report);
}

/* True if its repair brings back what was not seen. */
static bool brings_back(const struct ft_finding *f)
{
	for (size_t i = 0; i < f->action_count; i++)
		if (f->actions[i].act == FT_ACT_BOARD || f->actions[i].act == FT_ACT_POWER)
			return true;
	return false;
}

/* Adds to a prediction what comes back with boards and directors, which the what-if fabric does not have. */
static void returns_add(const struct repair *x, struct ft_repair_step *step)
{
	uint32_t uplinks = 0, hosts = 0, up = x->report->uplinks.planned, found = x->report->hosts.planned;

	for (size_t i = 0; i < x->report->finding_count; i++) {
		const struct ft_finding *f = &x->report->findings[i];

		if (ft_map_get(&x->assumed, ft_text_hash(f->id)) == FT_NONE)
			continue;
		uplinks += f->impact.links_lost;
		hosts += brings_back(f) ? f->impact.hosts_cut_off : 0;
	}
	if (step->uplinks_up < up)
		step->uplinks_up = uplinks < up - step->uplinks_up ? step->uplinks_up + uplinks : up;
	if (step->hosts_found < found)
		step->hosts_found = hosts < found - step->hosts_found ? step->hosts_found + hosts : found;
}

/* Verifies again after the last step. The caller frees the snapshot. */
static int predict(struct repair *x, struct ft_report **ret_seen)
{
	struct ft_repair_step *step = &x->report->repair[x->report->repair_count - 1];
	_cleanup_(ft_report_freep) struct ft_report *seen = NULL;
	int r = look(x, &seen);

	if (r < 0)
		return r;
	x->since = 0;
	step->predicted = true;
	step->verdict = seen->verdict == FT_VERDICT_UNKNOWN ? FT_VERDICT_UNKNOWN : FT_VERDICT_OK;
	for (size_t i = 0; i < seen->finding_count; i++)
		if (is_left(x, seen, i)) {
			step->findings++;
			ft_verdict_raise(&step->verdict, seen->findings[i].severity);
		}
	for (size_t i = 0; i < x->report->finding_count; i++)
		if (is_left(x, x->report, i)) {
			step->findings++;
			ft_verdict_raise(&step->verdict, x->report->findings[i].severity);
		}
	step->uplinks_up = seen->uplinks.up;
	step->hosts_found = seen->hosts.found;
	returns_add(x, step);
	if (ret_seen)
		*ret_seen = FT_STEAL(seen);
	return 0;
}

static int left_add(struct repair *x, const struct ft_report *seen)
{
	struct ft_report *report = x->report;

	for (size_t i = 0; i < seen->finding_count; i++) {
		const struct ft_finding *f = &seen->findings[i];
		struct ft_repair_left *left;

		/* Without a single step, all findings remain. */
		if (f->waived || (!is_left(x, seen, i) && report->repair_count > 0))
			continue;
		left = FT_ARENA_MORE(&report->memory, report->left, report->left_count);
		if (left)
			*left = (struct ft_repair_left){.id = ft_arena_string(&report->memory, f->id),
							.text = ft_arena_string(&report->memory, f->text)};
	}
	return report->memory.failed ? -ENOMEM : 0;
}

/* ---- the walk ---- */

static void job_finish(struct repair *x, struct job *job, bool shown)
{
	job->done = true;
	for (uint32_t i = 0; i < job->mend_count; i++) {
		uint32_t finding = job->mends[i];

		if (x->open[finding] > 0)
			x->open[finding]--;
		if (!shown && x->open[finding] == 0)
			ft_map_put(&x->assumed, ft_text_hash(x->report->findings[finding].id), finding,
				   &x->memory.failed);
	}
	x->since++;
	x->last_stop = job->stop;
	step_add(x, job);
}

/* Returns 1 if the job was done, 0 if it has to wait. */
static int job_try(struct repair *x, struct job *job)
{
	const struct ft_report *report = x->report;
	int r;

	if (job->after && !job->after->done)
		return 0;
	/* Predicts the state after the steps so far before anything changes. */
	if (x->since >= x->stride && (x->each || x->last_stop != job->stop)) {
		r = predict(x, NULL);
		if (r < 0)
			return r;
	}
	ft_what_if_reserve(x->what_if, &job->action, false);
	r = ft_what_if_do(x->what_if, &job->action, &report->findings[job->mends[0]]);
	if (r == -EBUSY || r == -ENODEV) {
		ft_what_if_reserve(x->what_if, &job->action, true);
		return 0;
	}
	if (r < 0 && r != -ENOTSUP)
		return r;
	job_finish(x, job, r == 0);
	return x->memory.failed || report->memory.failed ? -ENOMEM : 1;
}

/* The job that will move the cable that is in the way of @job, or NULL. */
static struct job *mover_find(const struct repair *x, const struct job *job)
{
	for (uint32_t i = 0; i < x->job_count; i++) {
		struct job *other = &x->jobs[i];

		if (other == job || other->done || other->dropped || other->action.act != FT_ACT_MOVE)
			continue;
		if (job->action.b.port > 0 ? place_is_exact(&other->action.a, &job->action.b)
					   : other->action.a.guid == job->action.b.guid && job->action.b.guid)
			return other;
	}
	return NULL;
}

/* Swaps the order: the cable in the way goes to where this one comes from, and on from there. */
static void job_exchange(struct repair *x, struct job *job, struct job *other)
{
	job->action.act = FT_ACT_EXCHANGE;
	job->action.b = other->action.a;
	other->action.a = job->action.a;
	if (place_is_exact(&other->action.a, &other->action.b))
		jobs_join(x, job, other);
}

/* The port holds another cable permanently: use any free port instead. */
static bool port_give_up(struct repair *x, struct ft_place *place)
{
	if (place->port == 0 || !ft_what_if_is_taken(x->what_if, place))
		return false;
	place->port = 0;
	return true;
}

/* All jobs wait for each other. Returns 1 if one was changed so that it can proceed, 0 if none can. */
static int knot_undo(struct repair *x)
{
	for (uint32_t i = 0; i < x->job_count; i++) {
		struct job *job = &x->jobs[i], *other;

		if (job->done || job->dropped || job->action.act != FT_ACT_MOVE)
			continue;
		other = mover_find(x, job);
		if (!other)
			continue;
		job_exchange(x, job, other);
		return x->memory.failed ? -ENOMEM : 1;
	}
	for (uint32_t i = 0; i < x->job_count; i++) {
		struct job *job = &x->jobs[i];

		if (job->done || job->dropped || (job->action.act != FT_ACT_MOVE && job->action.act != FT_ACT_CONNECT))
			continue;
		if (port_give_up(x, &job->action.b) ||
		    (job->action.act == FT_ACT_CONNECT && port_give_up(x, &job->action.a)))
			return 1;
	}
	return 0;
}

/* In rounds: a job that waits for another stop is done on the next visit. */
static int walk(struct repair *x)
{
	bool more = true;
	int r = 0;

	while (more) {
		more = false;
		for (uint32_t i = 0; r >= 0 && i < x->job_count; i++) {
			struct job *job = &x->jobs[x->order[i].job];

			if (job->done || job->dropped || job->stop == FT_NONE)
				continue;
			r = job_try(x, job);
			more |= r > 0;
		}
		if (r >= 0 && !more)
			more = (r = knot_undo(x)) > 0;
		if (r < 0)
			return r;
	}
	return 0;
}

static int walk_begin(struct repair *x)
{
	uint32_t count = 0;
	int r = ft_what_if_new(x->m, &x->what_if);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < x->job_count; i++) {
		if (x->jobs[i].dropped)
			continue;
		ft_what_if_reserve(x->what_if, &x->jobs[i].action, true);
		count++;
	}
	x->each = count <= FT_REPAIR_LOOKS_MAX;
	x->stride = x->each || x->stop_count <= FT_REPAIR_LOOKS_MAX
			    ? 1
			    : (count + FT_REPAIR_LOOKS_MAX - 1) / FT_REPAIR_LOOKS_MAX;
	return 0;
}

static int walk_end(struct repair *x)
{
	_cleanup_(ft_report_freep) struct ft_report *seen = NULL;
	int r = 0;

	if (x->report->repair_count > 0) {
		r = predict(x, &seen) ?: left_add(x, seen);
	}
	return r ?: left_add(x, x->report);
}

int ft_repair_make(struct ft_model *m)
{
	_cleanup_(repair_release) struct repair x = {.m = m, .input = m->input, .report = m->report};
	int r;

	m->report->repair_asked = true;
	jobs_gather(&x);
	jobs_reduce(&x);
	rows_map(&x);
	stops_gather(&x);
	r = x.memory.failed ? -ENOMEM : floor_take(&x);
	if (r < 0)
		return r;
	stops_bind(&x);
	cycles_bind(&x);
	stops_choose(&x);
	stops_sort(&x);
	jobs_sort(&x);
	return x.memory.failed ? -ENOMEM : walk_begin(&x) ?: walk(&x) ?: walk_end(&x);
}
