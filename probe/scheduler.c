/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/scheduler.h"

#include <errno.h>
#include <stdlib.h>

#include "probe/guard.h"
#include "probe/window.h"
#include "probe/progress.h"

enum {
	NONE = UINT32_MAX,
	/* Queries lost in a row after which a target without an answer in between is suspected not to respond. */
	SUSPECT = 4,
	/* An SMP on the wire for so long occupies no buffer any more, unless the target's answers took long before. */
	STALE_MS = 50,
	/* Limit of such stale SMPs on the wire, beside those in the window. */
	STALE_MAX = 512,
	/* Pause for a target that reports busy, and for a query that could not be sent. */
	BUSY_MS = 20,
	/* A first failed send may be the fault of its query; if the next one fails too, it is the device's. */
	FAILED_ALONE = 1,
	/* Such a send is repeated every BUSY_MS; after so many failures in a row the device counts as gone. */
	FAILED_MAX = 16,
};

struct entry {
	struct ft_query query;
	uint32_t next;	  /* in its list, or NONE */
	uint32_t answers; /* of its target, at the first try */
	int64_t wake_ns;  /* in a list of sleepers */
	uint16_t spent;	  /* spent on tries so far, in weights */
	bool tried;
	bool lost; /* its last try was */
	bool told; /* at least one of its losses was reported at once: a node on the path dropped it */
};

struct list {
	uint32_t first, last; /* entries, or NONE */
};

/* The queries for one target. */
struct lane {
	struct list queue;
	uint32_t next_ready;
	uint32_t answers; /* that came from it */
	int64_t slow_ns;  /* response time of its last answer, if overdue: then a further overdue one is no sign of a
			     loss; else 0 */
	uint16_t pending; /* SMPs on the wire, without those that are both beyond it and stale */
	uint16_t recent;  /* SMPs on the wire that are not stale */
	uint16_t lost;	  /* in a row */
	uint16_t asleep;  /* queries that it was too busy for: until they wake up it gets no others */
	bool ready;	  /* in the ring */
};

enum state {
	FRESH, /* takes a place in the window */
	LATE,  /* overdue: its place in the window is free again, up to a limit */
	STALE,
};

/* SMPs on the wire, by slot. Those that are not stale are listed in the order of sending. */
struct flight {
	int64_t sent_ns;
	uint32_t entry;
	uint32_t older, newer; /* slots, or NONE */
	enum state state;
	bool repeated;
	bool blamed; /* the window was halved because of it */
};

struct ft_scheduler {
	struct ft_scheduler_options options;
	ft_scheduler_make *make;
	ft_scheduler_take *take;
	void *arg;
	struct ft_smp_wire *wire;
	struct ft_window pace;
	struct entry *entries;
	uint32_t entry_count, entry_size;
	uint32_t free; /* the first free entry */
	struct lane *lanes;
	uint32_t lane_count, lane_size;
	uint32_t ready_first, ready_last; /* lanes with queries that may be sent, in round-robin order */
	struct list asleep;		  /* entries, in the order of waking up */
	struct flight *flights;
	uint32_t oldest, newest; /* slots */
	uint32_t oldest_fresh;	 /* likewise */
	size_t fresh, late;	 /* how many are */
	size_t flying;		 /* entries on the wire */
	size_t queued;		 /* entries in lanes */
	unsigned int failed;	 /* sends in a row */
	int64_t send_ns;	 /* no send before that time */
	int code;
};

static uint32_t max_slots(const struct ft_scheduler_options *o)
{
	return o->max_smps + STALE_MAX;
}

int ft_scheduler_new(const struct ft_scheduler_options *options, ft_scheduler_make *make, ft_scheduler_take *take,
		     void *arg, struct ft_scheduler **ret_asker, struct ft_error *err)
{
	_cleanup_(ft_scheduler_freep) struct ft_scheduler *a = calloc(1, sizeof(*a));
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
	ft_window_init(&a->pace, options->max_smps, options->max_smps_per_second, options->timeout_ms, ft_smp_now_ns());
	*ret_asker = FT_STEAL(a);
	return 0;
}

void ft_scheduler_free(struct ft_scheduler *a)
{
	if (!a)
		return;
	ft_smp_close(a->wire);
	free(a->entries);
	free(a->lanes);
	free(a->flights);
	free(a);
}

struct ft_smp_count ft_scheduler_count(const struct ft_scheduler *a)
{
	return ft_smp_count(a->wire);
}

/* Entries. */

/* Room for @count elements. */
static bool reserve(struct ft_scheduler *a, void *array, uint32_t *size, uint32_t count, size_t element)
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

static uint32_t entry_new(struct ft_scheduler *a, const struct ft_query *query)
{
	uint32_t entry = a->free;

	if (entry != NONE) {
		a->free = a->entries[entry].next;
	} else {
		if (!reserve(a, &a->entries, &a->entry_size, a->entry_count + 1, sizeof(*a->entries)))
			return NONE;
		entry = a->entry_count++;
	}
	a->entries[entry] = (struct entry){.query = *query, .next = NONE};
	return entry;
}

static void entry_free(struct ft_scheduler *a, uint32_t entry)
{
	a->entries[entry].next = a->free;
	a->free = entry;
}

static void list_add(struct ft_scheduler *a, struct list *list, uint32_t entry)
{
	a->entries[entry].next = NONE;
	if (list->first == NONE)
		list->first = entry;
	else
		a->entries[list->last].next = entry;
	list->last = entry;
}

static uint32_t list_take(struct ft_scheduler *a, struct list *list)
{
	uint32_t entry = list->first;

	if (entry != NONE)
		list->first = a->entries[entry].next;
	return entry;
}

/* Lanes. The first one is for queries without a target. */

static uint32_t lane_of(const struct ft_query *query)
{
	return query->target == FT_NONE ? 0 : query->target + 1;
}

static bool lane_exists(struct ft_scheduler *a, uint32_t lane)
{
	if (!reserve(a, &a->lanes, &a->lane_size, lane + 1, sizeof(*a->lanes)))
		return false;
	while (a->lane_count <= lane)
		a->lanes[a->lane_count++] = (struct lane){.queue = {NONE, NONE}};
	return true;
}

/* Does a loss of this query indicate that its target does not respond? */
static bool tells_of_target(const struct ft_query *query)
{
	return !query->beyond && !query->optional;
}

static bool lane_is_suspect(const struct lane *lane)
{
	return lane->lost >= SUSPECT;
}

static bool lane_may_ask(const struct ft_scheduler *a, const struct lane *lane)
{
	if (lane->queue.first == NONE || lane->asleep > 0)
		return false;
	/* Many nodes beyond it may fail to respond, independently of each other. */
	if (a->entries[lane->queue.first].query.beyond)
		return lane->recent < a->options.max_smps_per_target;
	return lane->pending < (lane_is_suspect(lane) ? 1 : a->options.max_smps_per_target);
}

/* Appends the lane to the ring, if it is not there and has a query that may be sent. */
static void lane_wake(struct ft_scheduler *a, uint32_t number)
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

/* The next lane of the ring that still may send, or NONE. */
static uint32_t lane_next(struct ft_scheduler *a)
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

static void entry_queue(struct ft_scheduler *a, uint32_t entry)
{
	uint32_t lane = lane_of(&a->entries[entry].query);

	list_add(a, &a->lanes[lane].queue, entry);
	a->queued++;
	lane_wake(a, lane);
}

/*
 * The other queries of its target have their turn first, unless the target is suspected not to respond: then this query
 * goes first and decides that with all of its tries.
 */
static void entry_queue_again(struct ft_scheduler *a, uint32_t entry)
{
	uint32_t number = lane_of(&a->entries[entry].query);
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

static uint32_t lane_take(struct ft_scheduler *a, struct lane *lane)
{
	a->queued--;
	return list_take(a, &lane->queue);
}

void ft_scheduler_push(struct ft_scheduler *a, const struct ft_query *query)
{
	uint32_t entry;

	if (a->code < 0 || !lane_exists(a, lane_of(query)))
		return;
	entry = entry_new(a, query);
	if (entry == NONE)
		return;
	ft_progress_add(a->options.progress, 1, 0);
	entry_queue(a, entry);
}

/* Giving up. */

static void entry_lose(struct ft_scheduler *a, uint32_t entry)
{
	const struct ft_smp_answer lost = {.outcome = FT_SMP_LOST};
	struct ft_query query = a->entries[entry].query;

	entry_free(a, entry);
	ft_progress_add(a->options.progress, 0, 1);
	a->take(a->arg, &query, &lost);
}

/* Drops the queries for a target that does not respond. Queries that pass through it still have their own tries. */
static void lane_lose(struct ft_scheduler *a, uint32_t number)
{
	struct list queue = a->lanes[number].queue;
	uint32_t entry;

	a->lanes[number].queue = (struct list){NONE, NONE};
	while ((entry = list_take(a, &queue)) != NONE) {
		a->queued--;
		if (a->entries[entry].query.beyond)
			entry_queue(a, entry);
		else
			entry_lose(a, entry);
	}
}

/* All of its tries failed. */
static void entry_give_up(struct ft_scheduler *a, uint32_t entry)
{
	uint32_t number = lane_of(&a->entries[entry].query);
	const struct entry *e = &a->entries[entry];
	bool mute = tells_of_target(&e->query) && !e->told && lane_is_suspect(&a->lanes[number]) &&
		    e->answers == a->lanes[number].answers;

	/* Lane 0 holds queries without a target: it cannot be marked as not responding. */
	if (mute && number != 0)
		lane_lose(a, number);
	/* Last: queries that take() pushes in its place have a chance of their own. */
	entry_lose(a, entry);
}

/* The wire. */

static struct lane *flight_lane(struct ft_scheduler *a, const struct flight *f)
{
	return &a->lanes[lane_of(&a->entries[f->entry].query)];
}

static void flight_add(struct ft_scheduler *a, uint32_t slot, uint32_t entry, int64_t now_ns)
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

/* Removes the SMP from the window. */
static void flight_age(struct ft_scheduler *a, uint32_t slot)
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

/* The SMP is not counted any more. */
static void flight_drop(struct ft_scheduler *a, uint32_t slot)
{
	struct flight *f = &a->flights[slot];

	if (f->state == STALE)
		return;
	flight_age(a, slot);
	f->state = STALE;
	a->late--;
	flight_lane(a, f)->recent--;
	flight_lane(a, f)->pending -= a->entries[f->entry].query.beyond;
	if (f->older == NONE)
		a->oldest = f->newer;
	else
		a->flights[f->older].newer = f->newer;
	if (f->newer == NONE)
		a->newest = f->older;
	else
		a->flights[f->newer].older = f->older;
}

/* A loss is a sign of congestion, unless it was to be expected because the target did not respond before either. */
static void flight_lost(struct ft_scheduler *a, struct flight *f, int64_t now_ns)
{
	const struct lane *lane = flight_lane(a, f);

	if (f->repeated || lane->slow_ns > 0 || lane_is_suspect(lane))
		return;
	f->blamed = true;
	ft_window_lost(&a->pace, f->sent_ns, now_ns);
}

/*
 * When an overdue SMP becomes stale, that is, occupies no buffer any more: never (INT64_MAX) while its target responds.
 * After a slow answer the limit is twice that response time; it is finite, as the node that answered may not be the one
 * that is silent.
 */
static int64_t flight_stale_ns(struct ft_scheduler *a, const struct flight *f)
{
	const struct lane *lane = flight_lane(a, f);
	int64_t least_ns = STALE_MS * FT_NS_PER_MS;

	if (!a->entries[f->entry].query.beyond && !lane_is_suspect(lane))
		return INT64_MAX;
	return f->sent_ns + (2 * lane->slow_ns > least_ns ? 2 * lane->slow_ns : least_ns);
}

/* Which of the overdue SMPs becomes stale next, and when; or NONE. */
static uint32_t next_stale(struct ft_scheduler *a, int64_t *ret_ns)
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

static void age(struct ft_scheduler *a, int64_t now_ns)
{
	int64_t overdue_ns = ft_window_overdue_ns(&a->pace), stale_ns;
	uint32_t stale;

	while (a->oldest_fresh != NONE && now_ns - a->flights[a->oldest_fresh].sent_ns > overdue_ns) {
		uint32_t slot = a->oldest_fresh;

		flight_lost(a, &a->flights[slot], now_ns);
		flight_age(a, slot);
	}
	while ((stale = next_stale(a, &stale_ns)) != NONE && now_ns > stale_ns) {
		uint32_t lane = lane_of(&a->entries[a->flights[stale].entry].query);

		flight_drop(a, stale);
		lane_wake(a, lane);
	}
}

static unsigned int patience_ms(const struct ft_scheduler *a, const struct entry *e)
{
	unsigned int repeats = e->spent / FT_SMP_WEIGHT_SLOW;

	return repeats >= a->options.retries ? a->options.timeout_ms : ft_window_timeout_ms(&a->pace, repeats);
}

/* The SMP was not sent, or was lost. */
static void entry_repeat(struct ft_scheduler *a, uint32_t entry, unsigned int weight)
{
	struct entry *e = &a->entries[entry];

	e->spent += weight;
	if (e->spent < FT_SMP_WEIGHT_SLOW * (a->options.retries + 1))
		entry_queue_again(a, entry);
	else
		entry_give_up(a, entry);
}

/* If the query passes through the target, the target is not the one that is busy. */
static void entry_sleep(struct ft_scheduler *a, uint32_t entry, int64_t now_ns)
{
	a->entries[entry].wake_ns = now_ns + BUSY_MS * FT_NS_PER_MS;
	a->lanes[lane_of(&a->entries[entry].query)].asleep += !a->entries[entry].query.beyond;
	list_add(a, &a->asleep, entry);
}

/* Sends the next query of a lane that may send. */
static void send_one(struct ft_scheduler *a, uint32_t number, int64_t now_ns)
{
	uint32_t entry = lane_take(a, &a->lanes[number]);
	struct entry *e = &a->entries[entry];
	struct ft_smp_request request = {0};
	int slot;

	if (!a->make(a->arg, &e->query, &request)) {
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
	ft_window_sent(&a->pace);
	flight_add(a, (uint32_t)slot, entry, now_ns);
	a->lanes[number].recent++;
	a->lanes[number].pending++;
	a->flying++;
}

static bool has_room(const struct ft_scheduler *a)
{
	return a->fresh < ft_window_size(&a->pace) && a->fresh + a->late < a->options.max_smps &&
	       ft_smp_pending(a->wire) < max_slots(&a->options);
}

/* When the pace allows the next send: up to @now_ns, now. */
static int64_t next_send_ns(struct ft_scheduler *a, int64_t now_ns)
{
	return a->send_ns > now_ns ? a->send_ns : ft_window_next_ns(&a->pace, now_ns);
}

static void fill_wire(struct ft_scheduler *a, int64_t now_ns)
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

static void sleepers_wake(struct ft_scheduler *a, int64_t now_ns)
{
	while (a->asleep.first != NONE && a->entries[a->asleep.first].wake_ns <= now_ns) {
		uint32_t entry = list_take(a, &a->asleep), lane = lane_of(&a->entries[entry].query);

		a->lanes[lane].asleep -= !a->entries[entry].query.beyond;
		/* The target responds, so it may have a longer time-out than one that does not. */
		entry_repeat(a, entry, FT_SMP_WEIGHT_FAST);
		lane_wake(a, lane);
	}
}

static void take_answer(struct ft_scheduler *a, uint32_t entry, const struct ft_smp_answer *answer)
{
	struct ft_query query = a->entries[entry].query;

	entry_free(a, entry);
	ft_progress_add(a->options.progress, 0, 1);
	a->take(a->arg, &query, answer);
}

static void take(struct ft_scheduler *a, const struct ft_smp_answer *answer, int64_t now_ns)
{
	struct flight *f = &a->flights[answer->slot];
	uint32_t entry = f->entry, number;
	bool overdue = f->state != FRESH;
	struct lane *lane;

	/* The answer belongs to an earlier run, which is over. */
	if (entry == NONE)
		return;
	number = lane_of(&a->entries[entry].query);
	lane = &a->lanes[number];
	lane->pending -= !a->entries[entry].query.beyond;
	a->flying--;
	if (answer->outcome == FT_SMP_LOST) {
		/* A loss that is reported at once is no sign of a full buffer. */
		if (!overdue && answer->slow)
			flight_lost(a, f, now_ns);
		flight_drop(a, answer->slot);
		f->entry = NONE;
		a->entries[entry].told |= !answer->slow;
		a->entries[entry].lost = true;
		lane->lost += tells_of_target(&a->entries[entry].query) && lane->lost < UINT16_MAX;
		entry_repeat(a, entry, ft_smp_weight(answer->slow));
	} else {
		flight_drop(a, answer->slot);
		f->entry = NONE;
		ft_window_answered(&a->pace, f->sent_ns, now_ns, f->blamed, a->fresh);
		/*
		 * An overdue repetition counts too: the first tries of a slow target may all be given up before their
		 * answers come.
		 */
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

/* When to act even if nothing is received. */
static int64_t next_ns(struct ft_scheduler *a, int64_t now_ns, int64_t end_ns)
{
	int64_t until_ns = end_ns, stale_ns;

	if (a->oldest_fresh != NONE && a->queued > 0)
		until_ns = ft_sooner_ns(until_ns,
					a->flights[a->oldest_fresh].sent_ns + ft_window_overdue_ns(&a->pace) + 1);
	if (a->queued > 0 && next_stale(a, &stale_ns) != NONE)
		until_ns = ft_sooner_ns(until_ns, stale_ns + 1);
	if (a->asleep.first != NONE)
		until_ns = ft_sooner_ns(until_ns, a->entries[a->asleep.first].wake_ns);
	if (a->ready_first != NONE && has_room(a))
		until_ns = ft_sooner_ns(until_ns, next_send_ns(a, now_ns));
	return until_ns;
}

static bool anything_left(const struct ft_scheduler *a)
{
	return a->queued > 0 || a->asleep.first != NONE || a->flying > 0;
}

/* Time is up. Answers that come later are ignored. */
static void all_lose(struct ft_scheduler *a)
{
	uint32_t entry;

	for (uint32_t slot = 0; slot < max_slots(&a->options) && a->flying > 0; slot++) {
		entry = a->flights[slot].entry;
		if (entry == NONE)
			continue;
		a->flying--;
		a->lanes[lane_of(&a->entries[entry].query)].pending -= !a->entries[entry].query.beyond;
		flight_drop(a, slot);
		a->flights[slot].entry = NONE;
		entry_lose(a, entry);
	}
	while ((entry = list_take(a, &a->asleep)) != NONE) {
		a->lanes[lane_of(&a->entries[entry].query)].asleep -= !a->entries[entry].query.beyond;
		entry_lose(a, entry);
	}
	/* Queries that take() pushes in their place are lost as well. */
	while (a->queued > 0)
		for (uint32_t i = 0; i < a->lane_count; i++)
			while (a->lanes[i].queue.first != NONE)
				entry_lose(a, lane_take(a, &a->lanes[i]));
}

/*
 * Whether more time would help: the target responds, and the query is unsent, may still be answered, or is to be
 * repeated as the target was busy. Of targets that do not respond, more time yields nothing.
 */
static bool entry_is_unfinished(const struct ft_scheduler *a, uint32_t entry)
{
	const struct entry *e = &a->entries[entry];

	return !e->lost && a->lanes[lane_of(&e->query)].lost == 0;
}

static bool list_is_unfinished(const struct ft_scheduler *a, const struct list *list)
{
	for (uint32_t entry = list->first; entry != NONE; entry = a->entries[entry].next)
		if (entry_is_unfinished(a, entry))
			return true;
	return false;
}

static bool is_unfinished(const struct ft_scheduler *a)
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

int ft_scheduler_run(struct ft_scheduler *a, int64_t end_ms)
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
		/* A loss because time is up says nothing about the target. */
		if (answer.outcome != FT_SMP_LOST || now_ns < end_ns)
			take(a, &answer, now_ns);
	}
	return a->code;
}
