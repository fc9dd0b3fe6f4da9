/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ids.h"

/* In the order of enum ft_over, up to FT_OVER_PART: the name in the state file, and the beginning of the text. */
static const struct {
	const char *name;
	const char *words;
} overs[FT_OVER_PART] = {
	[FT_OVER_REPAIRED] = {"repaired", "repaired: "},
	[FT_OVER_WAIVED] = {"waived", "waived: "},
	[FT_OVER_MINOR] = {"minor", "no alert any more: "},
	[FT_OVER_FLAPPING] = {"flapping", "flapping now: "},
	[FT_OVER_STEADY] = {"steady", "steady again: "},
	[FT_OVER_COMPLETE] = {"complete", "seen whole again: "},
	[FT_OVER_SINGLY] = {"singly", "told one by one now: "},
	[FT_OVER_KNOWN] = {"known", "known now: "},
	[FT_OVER_REPLANNED] = {"replanned", "not in the new plan: "},
};

const char *ft_over_name(enum ft_over over)
{
	return over < FT_OVER_PART ? overs[over].name : ft_codes[over - FT_OVER_PART].name;
}

void ft_queued_free(struct ft_queued *queued)
{
	if (!queued)
		return;
	ft_message_unref(queued->message);
	free(queued->text);
	free(queued->event.waiting);
	free(queued);
}

static void queued_freep(struct ft_queued **queued)
{
	ft_queued_free(*queued);
}

void ft_queued_free_all(struct ft_queued *first)
{
	while (first) {
		struct ft_queued *next = first->next;

		ft_queued_free(first);
		first = next;
	}
}

void ft_outbox_release(struct ft_outbox *outbox)
{
	ft_queued_free_all(outbox->head);
	for (size_t i = 0; i < outbox->sink_count; i++)
		free(outbox->sinks[i].name);
	free(outbox->sinks);
	*outbox = (struct ft_outbox){0};
}

static char *over_text(enum ft_over over, const struct ft_message *message)
{
	const char *text = message->text, *back = message->returning ? strstr(text, " is coming back: ") : NULL;
	_cleanup_(ft_text_release) struct ft_text words = {0};

	if (over < FT_OVER_PART)
		ft_text_puts(&words, overs[over].words);
	else
		ft_text_printf(&words, "now part of %s: ", ft_over_name(over));
	/* How many of its links were up when somebody last asked is of no use any more. */
	if (over == FT_OVER_REPAIRED && back)
		ft_text_printf(&words, "%.*s is back", (int)(back - text), text);
	else if (over == FT_OVER_REPAIRED)
		ft_message_add_past(&words, text);
	else
		ft_text_puts(&words, text);
	return ft_text_failed(&words) ? NULL : FT_STEAL(words.data);
}

/* Takes the message. */
static void message_point(struct ft_queued *queued, struct ft_message *message)
{
	struct ft_event *event = &queued->event;

	ft_message_unref(queued->message);
	queued->message = message;
	event->id = message->id;
	event->code = message->code;
	event->severity = message->severity;
	event->text = queued->text ? queued->text : message->text;
	event->fix = event->kind == FT_EVENT_CLEARED && queued->over < FT_OVER_PART ? (char *)"" : message->fix;
	event->place = message->place;
	event->finding = message->finding;
}

int ft_queued_new(const struct ft_outbox *outbox, enum ft_event_kind kind, struct ft_message *message,
		  enum ft_over over, struct ft_queued **ret_queued)
{
	_cleanup_(queued_freep) struct ft_queued *queued = calloc(1, sizeof(*queued));

	if (!queued)
		return -ENOMEM;
	queued->over = over;
	queued->event.kind = kind;
	if (kind == FT_EVENT_CLEARED) {
		queued->text = over_text(over, message);
		if (!queued->text)
			return -ENOMEM;
	}
	message_point(queued, ft_message_ref(message));
	if (outbox->sink_count > 0) {
		queued->event.waiting = calloc(outbox->sink_count, sizeof(*queued->event.waiting));
		if (!queued->event.waiting)
			return -ENOMEM;
	}
	for (size_t i = 0; i < outbox->sink_count; i++)
		queued->event.waiting[queued->event.waiting_count++] = outbox->sinks[i].name;
	*ret_queued = FT_STEAL(queued);
	return 0;
}

/* Names are compared by address: each sink has one, and the events point to it. */
static size_t waiting_find(const struct ft_queued *queued, const char *name)
{
	size_t i = 0;

	while (i < queued->event.waiting_count && queued->event.waiting[i] != name)
		i++;
	return i;
}

static bool waits(const struct ft_queued *queued, const char *name)
{
	return waiting_find(queued, name) < queued->event.waiting_count;
}

static void queued_unlink(struct ft_outbox *outbox, struct ft_queued *queued)
{
	outbox->bytes -= queued->bytes;
	*(queued->prev ? &queued->prev->next : &outbox->head) = queued->next;
	*(queued->next ? &queued->next->prev : &outbox->tail) = queued->prev;
	ft_queued_free(queued);
}

/* Removes it from the queue of @name; an event without sinks is freed. */
static void waiting_remove(struct ft_outbox *outbox, struct ft_queued *queued, const char *name)
{
	struct ft_event *event = &queued->event;
	size_t at = waiting_find(queued, name);

	if (at == event->waiting_count)
		return;
	event->waiting_count--;
	memmove(&event->waiting[at], &event->waiting[at + 1], (event->waiting_count - at) * sizeof(*event->waiting));
	if (event->waiting_count == 0)
		queued_unlink(outbox, queued);
}

static void sink_remove(struct ft_outbox *outbox, struct ft_sink *sink, struct ft_queued *queued)
{
	if (sink->first == queued) {
		sink->first = queued->next;
		while (sink->first && !waits(sink->first, sink->name))
			sink->first = sink->first->next;
	}
	sink->waiting--;
	waiting_remove(outbox, queued, sink->name);
}

static bool is_too_large(const struct ft_outbox *outbox)
{
	return outbox->max_bytes > 0 && outbox->bytes > outbox->max_bytes;
}

/* True if it has to give up events: too many wait, or all are too large and no other sink has more waiting. */
static bool is_full(const struct ft_outbox *outbox, const struct ft_sink *sink)
{
	if (sink->waiting > FT_EVENTS_MAX)
		return true;
	for (size_t i = 0; i < outbox->sink_count; i++)
		if (outbox->sinks[i].waiting > sink->waiting)
			return false;
	return sink->waiting > 0 && is_too_large(outbox);
}

/* The events of one alert from its raised event on. */
struct story {
	struct ft_queued *raised, *last; /* raised NULL: none is open */
	struct ft_message *message;	 /* a reference: its id is the key here, also when the events are gone */
};

struct stories {
	struct ft_ids ids; /* from an alert's id to its story */
	struct story *stories;
};

static void stories_release(struct stories *all)
{
	for (uint32_t i = 0; i < all->ids.count; i++)
		ft_message_unref(all->stories[i].message);
	ft_ids_release(&all->ids);
	free(all->stories);
}

static int story_begin(struct stories *all, struct ft_queued *raised)
{
	uint32_t number;
	int r = ft_ids_add(&all->ids, raised->event.id, &number);

	if (r < 0)
		return r;
	if (r > 0)
		all->stories[number].message = ft_message_ref(raised->message);
	all->stories[number].raised = all->stories[number].last = raised;
	return 0;
}

static struct story *story_go_on(struct stories *all, struct ft_queued *queued)
{
	uint32_t number = ft_ids_find(&all->ids, queued->event.id);
	struct story *story = number == FT_NONE ? NULL : &all->stories[number];

	if (!story || !story->raised)
		return NULL;
	story->last->same = queued;
	story->last = queued;
	return story;
}

static void story_give_up(struct ft_outbox *outbox, struct ft_sink *sink, struct story *story)
{
	struct ft_queued *queued = story->raised, *last = story->last, *next;
	bool more = true;

	while (more) {
		more = queued != last;
		next = queued->same;
		sink_remove(outbox, sink, queued);
		outbox->dropped++;
		queued = next;
	}
	story->raised = NULL;
}

/*
 * Drops pairs of raised and cleared events that the sink has not received: it loses nothing that is still true. The
 * cleared event of one being delivered now is kept. If there is no memory for this the oldest events are dropped.
 */
static void whole_stories_give_up(struct ft_outbox *outbox, struct ft_sink *sink)
{
	_cleanup_(stories_release) struct stories all = {.stories = calloc(sink->waiting, sizeof(*all.stories))};
	struct ft_queued *next;

	if (!all.stories)
		return;
	for (struct ft_queued *q = sink->first; q && is_full(outbox, sink); q = next) {
		struct story *story;

		next = q->next;
		if (!waits(q, sink->name) || q->event.seq == sink->busy_seq)
			continue;
		if (q->event.kind == FT_EVENT_RAISED) {
			if (story_begin(&all, q) < 0)
				return;
			continue;
		}
		story = story_go_on(&all, q);
		if (story && q->event.kind == FT_EVENT_CLEARED)
			story_give_up(outbox, sink, story);
	}
}

static void sink_trim(struct ft_outbox *outbox, struct ft_sink *sink)
{
	if (is_full(outbox, sink))
		whole_stories_give_up(outbox, sink);
	while (is_full(outbox, sink)) {
		sink_remove(outbox, sink, sink->first);
		outbox->dropped++;
	}
}

/* The oldest event, for all sinks: those that wait for the same ones are trimmed in turn, and only until one has less.
 */
static void oldest_give_up(struct ft_outbox *outbox)
{
	struct ft_queued *oldest = outbox->head;

	for (size_t i = 0; i < outbox->sink_count && outbox->head == oldest; i++) {
		if (!waits(oldest, outbox->sinks[i].name))
			continue;
		sink_remove(outbox, &outbox->sinks[i], oldest);
		outbox->dropped++;
	}
	if (outbox->head == oldest)
		queued_unlink(outbox, oldest);
}

static size_t queued_bytes(const struct ft_outbox *outbox, const struct ft_queued *queued)
{
	enum { NUMBERS = 200 };

	return NUMBERS * (1 + outbox->sink_count) + strlen(queued->message->finding);
}

/* Before an event is given up: the report has what its lists had. If memory runs out they stay. */
static void events_shorten(struct ft_outbox *outbox)
{
	for (struct ft_queued *q = outbox->head; q && is_too_large(outbox); q = q->next) {
		struct ft_message *brief;

		if (q->brief || ft_message_brief(q->message, &brief) < 0)
			continue;
		q->brief = true;
		message_point(q, brief);
		outbox->bytes -= q->bytes;
		q->bytes = queued_bytes(outbox, q);
		outbox->bytes += q->bytes;
	}
}

static void sinks_note(struct ft_outbox *outbox, struct ft_queued *queued)
{
	for (size_t i = 0; i < outbox->sink_count; i++) {
		struct ft_sink *sink = &outbox->sinks[i];

		if (!waits(queued, sink->name))
			continue;
		sink->waiting++;
		if (!sink->first)
			sink->first = queued;
	}
}

void ft_outbox_append(struct ft_outbox *outbox, struct ft_queued *first, size_t max_bytes)
{
	outbox->max_bytes = max_bytes;
	while (first) {
		struct ft_queued *queued = first;

		first = queued->next;
		queued->next = NULL;
		if (queued->event.waiting_count == 0) {
			ft_queued_free(queued);
			continue;
		}
		queued->prev = outbox->tail;
		*(outbox->tail ? &outbox->tail->next : &outbox->head) = queued;
		outbox->tail = queued;
		queued->bytes = queued_bytes(outbox, queued);
		outbox->bytes += queued->bytes;
		sinks_note(outbox, queued);
	}
	events_shorten(outbox);
	for (size_t i = 0; i < outbox->sink_count; i++)
		sink_trim(outbox, &outbox->sinks[i]);
	while (is_too_large(outbox) && outbox->head)
		oldest_give_up(outbox);
}

static struct ft_sink *sink_find(struct ft_sink *sinks, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(sinks[i].name, name) == 0)
			return &sinks[i];
	return NULL;
}

const struct ft_sink *ft_outbox_sink(const struct ft_outbox *outbox, const char *name)
{
	return sink_find(outbox->sinks, outbox->sink_count, name);
}

static void names_free(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

/* All new sinks, each once; the names of existing ones keep their addresses. */
static int sinks_make(const struct ft_outbox *outbox, const char *const *names, size_t count,
		      struct ft_sink **ret_sinks, size_t *ret_count)
{
	_cleanup_free_ struct ft_sink *sinks = calloc(count + 1, sizeof(*sinks));
	char **fresh = calloc(count + 1, sizeof(*fresh));
	size_t sink_count = 0, fresh_count = 0;

	if (!sinks || !fresh) {
		free(fresh);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		const struct ft_sink *known = ft_outbox_sink(outbox, names[i]);

		if (sink_find(sinks, sink_count, names[i]))
			continue;
		if (known) {
			sinks[sink_count++] = *known;
			continue;
		}
		fresh[fresh_count] = strdup(names[i]);
		if (!fresh[fresh_count]) {
			names_free(fresh, fresh_count);
			return -ENOMEM;
		}
		sinks[sink_count++].name = fresh[fresh_count++];
	}
	free(fresh);
	*ret_sinks = FT_STEAL(sinks);
	*ret_count = sink_count;
	return 0;
}

/* No sink has it queued, so it is no sink's first event. */
static void sink_forget(struct ft_outbox *outbox, struct ft_sink *sink)
{
	struct ft_queued *next;

	for (struct ft_queued *q = sink->first; q; q = next) {
		next = q->next;
		waiting_remove(outbox, q, sink->name);
	}
	free(sink->name);
}

static bool sinks_same(const struct ft_outbox *outbox, const char *const *names, size_t count)
{
	if (outbox->sink_count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (strcmp(outbox->sinks[i].name, names[i]) != 0)
			return false;
	return true;
}

int ft_outbox_set_sinks(struct ft_outbox *outbox, const char *const *names, size_t count, bool *ret_changed)
{
	struct ft_sink *sinks;
	size_t sink_count;
	int r;

	*ret_changed = !sinks_same(outbox, names, count);
	if (!*ret_changed)
		return 0;
	r = sinks_make(outbox, names, count, &sinks, &sink_count);
	if (r < 0)
		return r;
	for (size_t i = 0; i < outbox->sink_count; i++)
		if (!sink_find(sinks, sink_count, outbox->sinks[i].name))
			sink_forget(outbox, &outbox->sinks[i]);
	free(outbox->sinks);
	outbox->sinks = sinks;
	outbox->sink_count = sink_count;
	return 0;
}

const struct ft_queued *ft_outbox_after(const struct ft_sink *sink, const struct ft_queued *queued)
{
	do
		queued = queued->next;
	while (queued && !waits(queued, sink->name));
	return queued;
}

void ft_outbox_begin(struct ft_outbox *outbox, const char *name, uint64_t seq)
{
	struct ft_sink *sink = sink_find(outbox->sinks, outbox->sink_count, name);

	if (sink)
		sink->busy_seq = seq;
}

bool ft_outbox_done(struct ft_outbox *outbox, const char *name, uint64_t seq)
{
	struct ft_sink *sink = sink_find(outbox->sinks, outbox->sink_count, name);
	struct ft_queued *queued = sink ? sink->first : NULL;

	while (queued && queued->event.seq < seq)
		queued = queued->next;
	if (sink && sink->busy_seq == seq)
		sink->busy_seq = 0;
	if (!queued || queued->event.seq != seq || !waits(queued, sink->name))
		return false;
	sink_remove(outbox, sink, queued);
	return true;
}
