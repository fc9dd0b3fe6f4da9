/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/ask.h"

#include <errno.h>
#include <stdlib.h>

#include "probe/guard.h"
#include "probe/pace.h"
#include "probe/progress.h"

enum {
	NONE = UINT32_MAX,
	/* Lost in a row, of a target that did not answer in between: it may be mute. */
	SUSPECT = 4,
	/* What is on the wire for so long is in nobody's buffer any more, but where answers took long before. */
	STALE_MS = 50,
	/* So many such may be waited for, beside those that count. */
	STALE_MAX = 512,
	/* A target that says that it is busy is left alone for so long; so is a question that could not be sent. */
	BUSY_MS = 20,
	/* One that cannot be sent may be to blame for it; where the next one cannot either, it is the device. */
	FAILED_ALONE = 1,
	/* That is tried again each BUSY_MS, and gone if it takes none of so many in a row. */
	FAILED_MAX = 16,
};

struct entry {
	struct ft_question question;
	uint32_t next;	  /* in the list that it is in, or NONE */
	uint32_t answers; /* of its target, when it was sent first */
	int64_t wake_ns;  /* of a list of sleepers */
	uint16_t spent;	  /* on tries so far, in weights */
	bool tried;
	bool lost; /* its last try was */
	bool told; /* at least one of its losses was told at once: somebody is there who drops it */
};

struct list {
	uint32_t first, last; /* entries, or NONE */
};

/* What is asked of one target. */
struct lane {
	struct list queue;
	uint32_t next_ready;
	uint32_t answers; /* that came from it */
	int64_t slow_ns;  /* what its last answer took, if overdue: that the next one is is no sign of a loss; or 0 */
	uint16_t pending; /* on the wire, but for what is both beyond it and stale */
	uint16_t recent;  /* on the wire, and not stale */
	uint16_t lost;	  /* in a row */
	uint16_t asleep;  /* questions that it was too busy for: until they wake up it is left alone */
	bool ready;	  /* in the ring */
};

enum state {
	FRESH, /* takes a place in the window */
	LATE,  /* overdue: another has its place, unless that were too many */
	STALE,
};

/* What is on the wire, by slot. Those that are not stale are listed in the order in which they were sent. */
struct flight {
	int64_t sent_ns;
	uint32_t entry;
	uint32_t older, newer; /* slots, or NONE */
	enum state state;
	bool repeated;
	bool blamed; /* the window was halved for it */
};

struct ft_asker {
	struct ft_ask_options options;
	ft_ask_make *make;
	ft_ask_take *take;
	void *arg;
	struct ft_smp_wire *wire;
	struct ft_pace pace;
	struct entry *entries;
	uint32_t entry_count, entry_size;
	uint32_t free; /* the first entry that is */
	struct lane *lanes;
	uint32_t lane_count, lane_size;
	uint32_t ready_first, ready_last; /* lanes that have something to ask and may, in turns */
	struct list asleep;		  /* entries, in the order of waking up */
	struct flight *flights;
	uint32_t oldest, newest; /* slots */
	uint32_t oldest_fresh;	 /* likewise */
	size_t fresh, late;	 /* how many are */
	size_t flying;		 /* entries on the wire */
	size_t queued;		 /* entries in lanes */
	unsigned int failed;	 /* sends in a row */
	int64_t send_ns;	 /* no send before that */
	int code;
};

static uint32_t max_slots(const struct ft_ask_options *o)
{
	return o->max_smps + STALE_MAX;
}

int ft_asker_new(const struct ft_ask_options *options, ft_ask_make *make, ft_ask_take *take, void *arg,
		 struct ft_asker **ret_asker, struct ft_error *err)
{
	_cleanup_(ft_asker_freep) struct ft_asker *a = calloc(1, sizeof(*a));
	int r;

	if (!a)
		return -ENOMEM;
	a->options = *options;
	a->make = make;
	a->take = take;
	a->arg = arg;
	a->free = a->oldest = a->newest = a->oldest_fresh = a->ready_first = a->ready_last = NONE;
	a->asleep = (struct list){NONE, NONE};
	a->flights = calloc(max_slots(options), sizeof(*a->flights));
	if (!a->flights)
		return -ENOMEM;
	for (uint32_t slot = 0; slot < max_slots(options); slot++)
		a->flights[slot].entry = NONE;
	r = ft_smp_open(&(struct ft_smp_options){.kind = options->kind,
						 .ca = options->ca,
						 .port = options->port,
						 .m_key = options->m_key,
						 .max_smps = max_slots(options),
						 .end_ms = options->end_ms},
			&a->wire, err);
	if (r < 0)
		return r;
	ft_pace_init(&a->pace, options->max_smps, options->max_smps_per_second, options->timeout_ms, ft_smp_now_ns());
	*ret_asker = FT_STEAL(a);
	return 0;
}

void ft_asker_free(struct ft_asker *a)
{
	if (!a)
		return;
	ft_smp_close(a->wire);
	free(a->entries);
	free(a->lanes);
	free(a->flights);
	free(a);
}

struct ft_smp_count ft_asker_count(const struct ft_asker *a)
{
	return ft_smp_count(a->wire);
}

/* Entries. */

/* Room for @count elements. */
static bool reserve(struct ft_asker *a, void *array, uint32_t *size, uint32_t count, size_t element)
{
	void **data = array, *more;
	uint32_t wanted = *size ? *size : 256;

	if (count <= *size)
		return true;
	while (wanted < count)
		wanted *= 2;
	more = reallocarray(*data, wanted, element);
	if (!more) {
		a->code = -ENOMEM;
		return false;
	}
	*data = more;
	*size = wanted;
	return true;
}

static uint32_t entry_new(struct ft_asker *a, const struct ft_question *question)
{
	uint32_t entry = a->free;

	if (entry != NONE) {
		a->free = a->entries[entry].next;
	} else {
		if (!reserve(a, &a->entries, &a->entry_size, a->entry_count + 1, sizeof(*a->entries)))
			return NONE;
		entry = a->entry_count++;
	}
	a->entries[entry] = (struct entry){.question = *question, .next = NONE};
	return entry;
}

static void entry_free(struct ft_asker *a, uint32_t entry)
{
	a->entries[entry].next = a->free;
	a->free = entry;
}

static void list_add(struct ft_asker *a, struct list *list, uint32_t entry)
{
	a->entries[entry].next = NONE;
	if (list->first == NONE)
		list->first = entry;
	else
		a->entries[list->last].next = entry;
	list->last = entry;
}

static uint32_t list_take(struct ft_asker *a, struct list *list)
{
	uint32_t entry = list->first;

	if (entry != NONE)
		list->first = a->entries[entry].next;
	return entry;
}

/* Lanes. That of nobody is the first. */

static uint32_t lane_of(const struct ft_question *question)
{
	return question->target == FT_NO_NODE ? 0 : question->target + 1;
}

static bool lane_exists(struct ft_asker *a, uint32_t lane)
{
	if (!reserve(a, &a->lanes, &a->lane_size, lane + 1, sizeof(*a->lanes)))
		return false;
	while (a->lane_count <= lane)
		a->lanes[a->lane_count++] = (struct lane){.queue = {NONE, NONE}};
	return true;
}

/* Is silence a sign that the target is mute? */
static bool tells_of_target(const struct ft_question *question)
{
	return !question->beyond && !question->optional;
}

static bool lane_is_suspect(const struct lane *lane)
{
	return lane->lost >= SUSPECT;
}

static bool lane_may_ask(const struct ft_asker *a, const struct lane *lane)
{
	if (lane->queue.first == NONE || lane->asleep > 0)
		return false;
	/* Beyond it there may be many who do not answer, and they have nothing to do with each other. */
	if (a->entries[lane->queue.first].question.beyond)
		return lane->recent < a->options.max_smps_per_target;
	return lane->pending < (lane_is_suspect(lane) ? 1 : a->options.max_smps_per_target);
}

/* Puts it at the end of the ring, if it is not there and has something to ask that it may. */
static void lane_wake(struct ft_asker *a, uint32_t number)
{
	struct lane *lane = &a->lanes[number];

	if (lane->ready || !lane_may_ask(a, lane))
		return;
	lane->ready = true;
	lane->next_ready = NONE;
	if (a->ready_first == NONE)
		a->ready_first = number;
	else
		a->lanes[a->ready_last].next_ready = number;
	a->ready_last = number;
}

/* The next lane of the ring that still may ask, or NONE. */
static uint32_t lane_next(struct ft_asker *a)
{
	while (a->ready_first != NONE) {
		uint32_t number = a->ready_first;
		struct lane *lane = &a->lanes[number];

		a->ready_first = lane->next_ready;
		lane->ready = false;
		if (lane_may_ask(a, lane))
			return number;
	}
	return NONE;
}

static void entry_queue(struct ft_asker *a, uint32_t entry)
{
	uint32_t lane = lane_of(&a->entries[entry].question);

	list_add(a, &a->lanes[lane].queue, entry);
	a->queued++;
	lane_wake(a, lane);
}

/*
 * The others of its target have their turn first. Where the target may be mute they do not: this one is to find out
 * whether it is, in all of its tries.
 */
static void entry_queue_again(struct ft_asker *a, uint32_t entry)
{
	uint32_t number = lane_of(&a->entries[entry].question);
	struct lane *lane = &a->lanes[number];

	if (!lane_is_suspect(lane) || lane->queue.first == NONE) {
		entry_queue(a, entry);
		return;
	}
	a->entries[entry].next = lane->queue.first;
	lane->queue.first = entry;
	a->queued++;
	lane_wake(a, number);
}

static uint32_t lane_take(struct ft_asker *a, struct lane *lane)
{
	a->queued--;
	return list_take(a, &lane->queue);
}

void ft_asker_push(struct ft_asker *a, const struct ft_question *question)
{
	uint32_t entry;

	if (a->code < 0 || !lane_exists(a, lane_of(question)))
		return;
	entry = entry_new(a, question);
	if (entry == NONE)
		return;
	ft_progress_add(a->options.progress, 1, 0);
	entry_queue(a, entry);
}

/* Giving up. */

static void entry_lose(struct ft_asker *a, uint32_t entry)
{
	const struct ft_smp_answer lost = {.outcome = FT_SMP_LOST};
	struct ft_question question = a->entries[entry].question;

	entry_free(a, entry);
	ft_progress_add(a->options.progress, 0, 1);
	a->take(a->arg, &question, &lost);
}

/* What was to be asked of a mute target. What goes through it has still to show that it does not arrive. */
static void lane_lose(struct ft_asker *a, uint32_t number)
{
	struct list queue = a->lanes[number].queue;
	uint32_t entry;

	a->lanes[number].queue = (struct list){NONE, NONE};
	while ((entry = list_take(a, &queue)) != NONE) {
		a->queued--;
		if (a->entries[entry].question.beyond)
			entry_queue(a, entry);
		else
			entry_lose(a, entry);
	}
}

/* All of its tries were in vain. */
static void entry_give_up(struct ft_asker *a, uint32_t entry)
{
	uint32_t number = lane_of(&a->entries[entry].question);
	const struct entry *e = &a->entries[entry];
	bool mute = tells_of_target(&e->question) && !e->told && lane_is_suspect(&a->lanes[number]) &&
		    e->answers == a->lanes[number].answers;

	/* Of nobody it cannot be said that he is mute. */
	if (mute && number != 0)
		lane_lose(a, number);
	/* Last: what is asked in its place has a chance of its own. */
	entry_lose(a, entry);
}

/* The wire. */

static struct lane *flight_lane(struct ft_asker *a, const struct flight *f)
{
	return &a->lanes[lane_of(&a->entries[f->entry].question)];
}

static void flight_add(struct ft_asker *a, uint32_t slot, uint32_t entry, int64_t now_ns)
{
	a->flights[slot] = (struct flight){
		.sent_ns = now_ns,
		.entry = entry,
		.older = a->newest,
		.newer = NONE,
		.state = FRESH,
		.repeated = a->entries[entry].spent > 0,
	};
	if (a->newest == NONE)
		a->oldest = slot;
	else
		a->flights[a->newest].newer = slot;
	a->newest = slot;
	if (a->oldest_fresh == NONE)
		a->oldest_fresh = slot;
	a->fresh++;
}

/* It leaves the window. */
static void flight_age(struct ft_asker *a, uint32_t slot)
{
	struct flight *f = &a->flights[slot];

	if (f->state != FRESH)
		return;
	f->state = LATE;
	if (a->oldest_fresh == slot)
		a->oldest_fresh = f->newer;
	a->fresh--;
	a->late++;
}

/* It counts no longer. */
static void flight_drop(struct ft_asker *a, uint32_t slot)
{
	struct flight *f = &a->flights[slot];

	if (f->state == STALE)
		return;
	flight_age(a, slot);
	f->state = STALE;
	a->late--;
	flight_lane(a, f)->recent--;
	flight_lane(a, f)->pending -= a->entries[f->entry].question.beyond;
	if (f->older == NONE)
		a->oldest = f->newer;
	else
		a->flights[f->older].newer = f->newer;
	if (f->newer == NONE)
		a->newest = f->older;
	else
		a->flights[f->newer].older = f->older;
}

/*
 * A loss tells of a fabric that is asked too much, unless it was to be expected: of one who did not answer before
 * either.
 */
static void flight_lost(struct ft_asker *a, struct flight *f, int64_t now_ns)
{
	const struct lane *lane = flight_lane(a, f);

	if (f->repeated || lane->slow_ns > 0 || lane_is_suspect(lane))
		return;
	f->blamed = true;
	ft_pace_lost(&a->pace, f->sent_ns, now_ns);
}

/*
 * When it is in nobody's buffer any more, if it is late by then: INT64_MAX where somebody is there to answer it. Where
 * answers took long it may have as long again; but not for ever, for who answered may not be who is silent.
 */
static int64_t flight_stale_ns(struct ft_asker *a, const struct flight *f)
{
	const struct lane *lane = flight_lane(a, f);
	int64_t least_ns = STALE_MS * FT_NS_PER_MS;

	if (!a->entries[f->entry].question.beyond && !lane_is_suspect(lane))
		return INT64_MAX;
	return f->sent_ns + (2 * lane->slow_ns > least_ns ? 2 * lane->slow_ns : least_ns);
}

/* Which of those that are late is to be stale next, and when; or NONE. */
static uint32_t next_stale(struct ft_asker *a, int64_t *ret_ns)
{
	uint32_t next = NONE;

	*ret_ns = INT64_MAX;
	for (uint32_t slot = a->oldest; slot != a->oldest_fresh; slot = a->flights[slot].newer) {
		int64_t stale_ns = flight_stale_ns(a, &a->flights[slot]);

		if (stale_ns < *ret_ns) {
			*ret_ns = stale_ns;
			next = slot;
		}
	}
	return next;
}

static void age(struct ft_asker *a, int64_t now_ns)
{
	int64_t overdue_ns = ft_pace_overdue_ns(&a->pace), stale_ns;
	uint32_t stale;

	while (a->oldest_fresh != NONE && now_ns - a->flights[a->oldest_fresh].sent_ns > overdue_ns) {
		uint32_t slot = a->oldest_fresh;

		flight_lost(a, &a->flights[slot], now_ns);
		flight_age(a, slot);
	}
	while ((stale = next_stale(a, &stale_ns)) != NONE && now_ns > stale_ns) {
		uint32_t lane = lane_of(&a->entries[a->flights[stale].entry].question);

		flight_drop(a, stale);
		lane_wake(a, lane);
	}
}

static unsigned int patience_ms(const struct ft_asker *a, const struct entry *e)
{
	unsigned int repeats = e->spent / FT_SMP_WEIGHT_SLOW;

	return repeats >= a->options.retries ? a->options.timeout_ms : ft_pace_patience_ms(&a->pace, repeats);
}

/* It did not go out, or did not come back. */
static void entry_repeat(struct ft_asker *a, uint32_t entry, unsigned int weight)
{
	struct entry *e = &a->entries[entry];

	e->spent += weight;
	if (e->spent < FT_SMP_WEIGHT_SLOW * (a->options.retries + 1))
		entry_queue_again(a, entry);
	else
		entry_give_up(a, entry);
}

/* Where it is for somebody beyond the target, it is not the target who was busy. */
static void entry_sleep(struct ft_asker *a, uint32_t entry, int64_t now_ns)
{
	a->entries[entry].wake_ns = now_ns + BUSY_MS * FT_NS_PER_MS;
	a->lanes[lane_of(&a->entries[entry].question)].asleep += !a->entries[entry].question.beyond;
	list_add(a, &a->asleep, entry);
}

/* Sends the next question of a lane that may ask. */
static void send_one(struct ft_asker *a, uint32_t number, int64_t now_ns)
{
	uint32_t entry = lane_take(a, &a->lanes[number]);
	struct entry *e = &a->entries[entry];
	struct ft_smp_request request = {0};
	int slot;

	if (!a->make(a->arg, &e->question, &request)) {
		entry_free(a, entry);
		return;
	}
	request.timeout_ms = patience_ms(a, e);
	slot = ft_smp_send(a->wire, &request);
	if (slot < 0) {
		if (++a->failed >= FAILED_MAX)
			a->code = -EIO;
		if (a->failed > FAILED_ALONE)
			a->send_ns = now_ns + BUSY_MS * FT_NS_PER_MS;
		entry_sleep(a, entry, now_ns);
		return;
	}
	a->failed = 0;
	if (!e->tried)
		e->answers = a->lanes[number].answers;
	e->tried = true;
	ft_pace_sent(&a->pace);
	flight_add(a, (uint32_t)slot, entry, now_ns);
	a->lanes[number].recent++;
	a->lanes[number].pending++;
	a->flying++;
}

static bool has_room(const struct ft_asker *a)
{
	return a->fresh < ft_pace_window(&a->pace) && a->fresh + a->late < a->options.max_smps &&
	       ft_smp_pending(a->wire) < max_slots(&a->options);
}

/* When the next one may be sent, as to time: up to @now_ns, now. */
static int64_t next_send_ns(struct ft_asker *a, int64_t now_ns)
{
	return a->send_ns > now_ns ? a->send_ns : ft_pace_next_ns(&a->pace, now_ns);
}

static void fill_wire(struct ft_asker *a, int64_t now_ns)
{
	uint32_t number;

	while (a->code == 0 && has_room(a) && next_send_ns(a, now_ns) <= now_ns) {
		number = lane_next(a);
		if (number == NONE)
			return;
		send_one(a, number, now_ns);
		lane_wake(a, number);
	}
}

static void sleepers_wake(struct ft_asker *a, int64_t now_ns)
{
	while (a->asleep.first != NONE && a->entries[a->asleep.first].wake_ns <= now_ns) {
		uint32_t entry = list_take(a, &a->asleep), lane = lane_of(&a->entries[entry].question);

		a->lanes[lane].asleep -= !a->entries[entry].question.beyond;
		/* It answers, so it may have more patience than one that does not. */
		entry_repeat(a, entry, FT_SMP_WEIGHT_FAST);
		lane_wake(a, lane);
	}
}

static void take_answer(struct ft_asker *a, uint32_t entry, const struct ft_smp_answer *answer)
{
	struct ft_question question = a->entries[entry].question;

	entry_free(a, entry);
	ft_progress_add(a->options.progress, 0, 1);
	a->take(a->arg, &question, answer);
}

static void take(struct ft_asker *a, const struct ft_smp_answer *answer, int64_t now_ns)
{
	struct flight *f = &a->flights[answer->slot];
	uint32_t entry = f->entry, number;
	bool overdue = f->state != FRESH;
	struct lane *lane;

	/* An earlier run was over before it came. */
	if (entry == NONE)
		return;
	number = lane_of(&a->entries[entry].question);
	lane = &a->lanes[number];
	lane->pending -= !a->entries[entry].question.beyond;
	a->flying--;
	if (answer->outcome == FT_SMP_LOST) {
		/* That a buffer was full nobody could have told at once. */
		if (!overdue && answer->slow)
			flight_lost(a, f, now_ns);
		flight_drop(a, answer->slot);
		f->entry = NONE;
		a->entries[entry].told |= !answer->slow;
		a->entries[entry].lost = true;
		lane->lost += tells_of_target(&a->entries[entry].question) && lane->lost < UINT16_MAX;
		entry_repeat(a, entry, ft_smp_weight(answer->slow));
	} else {
		flight_drop(a, answer->slot);
		f->entry = NONE;
		ft_pace_answered(&a->pace, f->sent_ns, now_ns, f->blamed, a->fresh);
		/* That it is slow may show in no first try: they are all given up before. */
		if (overdue || !f->repeated)
			lane->slow_ns = overdue ? now_ns - f->sent_ns : 0;
		lane->answers++;
		lane->lost = 0;
		a->entries[entry].lost = false;
		if (answer->outcome == FT_SMP_BUSY)
			entry_sleep(a, entry, now_ns);
		else
			take_answer(a, entry, answer);
	}
	lane_wake(a, number);
}

/* When there is something to be done though nothing is received. */
static int64_t next_ns(struct ft_asker *a, int64_t now_ns, int64_t end_ns)
{
	int64_t until_ns = end_ns, stale_ns;

	if (a->oldest_fresh != NONE && a->queued > 0)
		until_ns =
			ft_sooner_ns(until_ns, a->flights[a->oldest_fresh].sent_ns + ft_pace_overdue_ns(&a->pace) + 1);
	if (a->queued > 0 && next_stale(a, &stale_ns) != NONE)
		until_ns = ft_sooner_ns(until_ns, stale_ns + 1);
	if (a->asleep.first != NONE)
		until_ns = ft_sooner_ns(until_ns, a->entries[a->asleep.first].wake_ns);
	if (a->ready_first != NONE && has_room(a))
		until_ns = ft_sooner_ns(until_ns, next_send_ns(a, now_ns));
	return until_ns;
}

static bool anything_left(const struct ft_asker *a)
{
	return a->queued > 0 || a->asleep.first != NONE || a->flying > 0;
}

/* Time is up. What comes back of it later is nobody's. */
static void all_lose(struct ft_asker *a)
{
	uint32_t entry;

	for (uint32_t slot = 0; slot < max_slots(&a->options) && a->flying > 0; slot++) {
		entry = a->flights[slot].entry;
		if (entry == NONE)
			continue;
		a->flying--;
		a->lanes[lane_of(&a->entries[entry].question)].pending -= !a->entries[entry].question.beyond;
		flight_drop(a, slot);
		a->flights[slot].entry = NONE;
		entry_lose(a, entry);
	}
	while ((entry = list_take(a, &a->asleep)) != NONE) {
		a->lanes[lane_of(&a->entries[entry].question)].asleep -= !a->entries[entry].question.beyond;
		entry_lose(a, entry);
	}
	/* What is asked in its place is lost as well. */
	while (a->queued > 0)
		for (uint32_t i = 0; i < a->lane_count; i++)
			while (a->lanes[i].queue.first != NONE)
				entry_lose(a, lane_take(a, &a->lanes[i]));
}

/*
 * Does somebody answer who was not asked that, or who has had no time for it yet, or wanted to be asked again? Of those
 * who do not answer, more time would make nothing.
 */
static bool entry_is_unfinished(const struct ft_asker *a, uint32_t entry)
{
	const struct entry *e = &a->entries[entry];

	return !e->lost && a->lanes[lane_of(&e->question)].lost == 0;
}

static bool list_is_unfinished(const struct ft_asker *a, const struct list *list)
{
	for (uint32_t entry = list->first; entry != NONE; entry = a->entries[entry].next)
		if (entry_is_unfinished(a, entry))
			return true;
	return false;
}

static bool is_unfinished(const struct ft_asker *a)
{
	if (list_is_unfinished(a, &a->asleep))
		return true;
	for (uint32_t i = 0; i < a->lane_count; i++)
		if (list_is_unfinished(a, &a->lanes[i].queue))
			return true;
	for (uint32_t slot = 0; slot < max_slots(&a->options); slot++)
		if (a->flights[slot].entry != NONE && entry_is_unfinished(a, a->flights[slot].entry))
			return true;
	return false;
}

int ft_asker_run(struct ft_asker *a, int64_t end_ms)
{
	int64_t end_ns = end_ms * FT_NS_PER_MS;
	struct ft_smp_answer answer;

	while (a->code == 0 && anything_left(a)) {
		int64_t now_ns = ft_smp_now_ns();

		if (now_ns >= end_ns) {
			bool unfinished = is_unfinished(a);

			all_lose(a);
			return unfinished ? -ETIMEDOUT : 0;
		}
		sleepers_wake(a, now_ns);
		age(a, now_ns);
		fill_wire(a, now_ns);
		if (a->code != 0 || !anything_left(a) ||
		    !ft_smp_receive_until(a->wire, next_ns(a, now_ns, end_ns), &answer))
			continue;
		now_ns = ft_smp_now_ns();
		/* What is lost because time is up tells of nobody. */
		if (answer.outcome != FT_SMP_LOST || now_ns < end_ns)
			take(a, &answer, now_ns);
	}
	return a->code;
}
