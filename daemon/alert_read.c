/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Reads the state written by alert_json.c; everything is validated, since a disk fault or a user may have changed it.
 */
#include "config.h"

#include "daemon/alert_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

enum { STATE_VERSION = 1, HASH_DIGITS = 16 };

/* Numbers that a double holds exactly, as other JSON readers may need: times for some 285,000 years. */
#define NUMBER_MAX (INT64_C(1) << 53)

struct reader {
	struct ft_json json;
	struct ft_error *err;
	struct ft_now now;
	struct ft_alerts *alerts;
	struct ft_message **messages;
	size_t message_count;
};

static void reader_release(struct reader *r)
{
	for (size_t i = 0; i < r->message_count; i++)
		ft_message_unref(r->messages[i]);
	free(r->messages);
	ft_alerts_free(r->alerts);
	ft_json_release(&r->json);
}

static int refuse(const struct reader *r, const json_t *parent, const char *key)
{
	return ft_json_error_value(&r->json, r->err, parent, key, "\"%s\" is not what it should be", key);
}

/* The members of an object, exactly these. */
static int members_check(const struct reader *r, const json_t *object, const char *const *keys, size_t count)
{
	if (!json_is_object(object))
		return ft_error_set(r->err, -EINVAL, 0, 0, "an object is missing");
	for (size_t i = 0; i < count; i++)
		if (!json_object_get(object, keys[i]))
			return ft_json_error_key(&r->json, r->err, object, NULL, "\"%s\" is missing", keys[i]);
	if (json_object_size(object) != count)
		return ft_json_error_key(&r->json, r->err, object, NULL, "a key too many");
	return 0;
}

static int number_read(const struct reader *r, const json_t *object, const char *key, int64_t min, int64_t max,
		       int64_t *ret_number)
{
	const json_t *value = json_object_get(object, key);
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < min || number > max)
		return refuse(r, object, key);
	*ret_number = number;
	return 0;
}

static int count_read(const struct reader *r, const json_t *object, const char *key, uint32_t *ret_count)
{
	int64_t number;
	int ret = number_read(r, object, key, 0, UINT32_MAX, &number);

	if (ret == 0)
		*ret_count = (uint32_t)number;
	return ret;
}

static int bool_read(const struct reader *r, const json_t *object, const char *key, bool *ret_bool)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_boolean(value))
		return refuse(r, object, key);
	*ret_bool = json_is_true(value);
	return 0;
}

/* The number of a word in a table. */
static int word_read(const struct reader *r, const json_t *object, const char *key, size_t count,
		     const char *(*word)(unsigned int), unsigned int *ret_number)
{
	const char *string = json_string_value(json_object_get(object, key));

	for (unsigned int i = 0; string && i < count; i++)
		if (strcmp(string, word(i)) == 0) {
			*ret_number = i;
			return 0;
		}
	return refuse(r, object, key);
}

static const char *kind_word(unsigned int i)
{
	return ft_track_kinds[i];
}

static const char *over_word(unsigned int i)
{
	return ft_over_name(i);
}

static const char *event_word(unsigned int i)
{
	return ft_event_kind_name(i);
}

static const char *severity_word(unsigned int i)
{
	return ft_severity_name(i);
}

/* @prefix "0x", or "". */
static int hex_read(const struct reader *r, const json_t *object, const char *key, const char *prefix,
		    uint64_t *ret_number)
{
	const char *string = json_string_value(json_object_get(object, key));

	if (!string || strncmp(string, prefix, strlen(prefix)) != 0)
		return refuse(r, object, key);
	string += strlen(prefix);
	if (strlen(string) != HASH_DIGITS || strspn(string, "0123456789abcdef") != HASH_DIGITS)
		return refuse(r, object, key);
	*ret_number = strtoull(string, NULL, 16);
	return 0;
}

static int array_read(const struct reader *r, const json_t *object, const char *key, const json_t **ret_array)
{
	*ret_array = json_object_get(object, key);
	return json_is_array(*ret_array) ? 0 : refuse(r, object, key);
}

/* The time on the monotonic clock of this run; future times (the clock was stepped back) become now. */
static int64_t mono_from_wall(const struct reader *r, int64_t wall_ms)
{
	int64_t ago = r->now.wall_ms - wall_ms;

	return r->now.mono_ms - (ago > 0 ? ago : 0);
}

static int mono_read(const struct reader *r, const json_t *object, const char *key, int64_t *ret_mono_ms)
{
	int64_t wall_ms;
	int ret = number_read(r, object, key, -NUMBER_MAX, NUMBER_MAX, &wall_ms);

	if (ret == 0)
		*ret_mono_ms = mono_from_wall(r, wall_ms);
	return ret;
}

/*
 * Strings go to terminals, logs and hooks: they were made safe before they were saved, so unsafe ones mean tampering.
 */
static int string_check(const char *string, size_t length)
{
	_cleanup_free_ char *safe = ft_text_safe_dup(string, length);

	if (!safe)
		return -ENOMEM;
	return strcmp(safe, string) == 0 ? 0 : -EINVAL;
}

static int strings_check(const json_t *value)
{
	const char *key;
	json_t *member;
	int r = 0;

	if (json_is_string(value))
		return string_check(json_string_value(value), json_string_length(value));
	if (json_is_array(value))
		for (size_t i = 0; r == 0 && i < json_array_size(value); i++)
			r = strings_check(json_array_get(value, i));
	if (json_is_object(value)) {
		json_object_foreach((json_t *)value, key, member) {
			r = string_check(key, strlen(key));
			if (r == 0)
				r = strings_check(member);
			if (r < 0)
				return r;
		}
	}
	return r;
}

static int place_read(const struct reader *r, const json_t *value, struct ft_place *ret_place)
{
	static const char *const keys[] = {"name", "guid", "port", "interface"};
	const char *interface = json_string_value(json_object_get(value, "interface"));
	int64_t port = 0;
	size_t count = json_object_get(value, "interface") ? FT_COUNT(keys) : FT_COUNT(keys) - 1;
	int ret = members_check(r, value, keys, count);

	if (ret < 0)
		return ret;
	if (!json_is_null(json_object_get(value, "port")))
		ret = number_read(r, value, "port", 1, UINT32_MAX, &port);
	if (ret == 0 && !json_is_null(json_object_get(value, "guid")))
		ret = hex_read(r, value, "guid", "0x", &ret_place->guid);
	if (ret == 0 && !json_is_null(json_object_get(value, "name")) &&
	    !json_is_string(json_object_get(value, "name")))
		ret = refuse(r, value, "name");
	if (ret == 0 && count == FT_COUNT(keys) && !ft_place_interface_set(ret_place, interface))
		ret = refuse(r, value, "interface");
	ret_place->port = (uint32_t)port;
	ret_place->name = (char *)json_string_value(json_object_get(value, "name"));
	return ret;
}

/* Strings of @f are the tree's. */
static int finding_fill(const struct reader *r, const json_t *value, struct ft_finding *f, const char **ret_code)
{
	const struct {
		const char *key;
		char **to;
		bool optional;
	} strings[] = {
		{"id", &f->id, false},
		{"code", (char **)ret_code, false},
		{"text", &f->text, true},
		{"fix", &f->fix, true},
	};
	const json_t *where = NULL;
	unsigned int severity = 0;
	int ret;

	for (size_t i = 0; i < FT_COUNT(strings); i++) {
		const json_t *string = json_object_get(value, strings[i].key);

		*strings[i].to = (char *)json_string_value(string);
		if (!json_is_string(string) && !(strings[i].optional && json_is_null(string)))
			return refuse(r, value, strings[i].key);
	}
	ret = word_read(r, value, "severity", FT_SEVERITY_CRITICAL + 1, severity_word, &severity);
	if (ret == 0)
		ret = count_read(r, value, "count", &f->count);
	if (ret == 0)
		ret = array_read(r, value, "where", &where);
	f->returning.of = json_object_get(value, "returning") ? 1 : 0;
	if (ret == 0 && json_object_get(value, "subject"))
		ret = place_read(r, json_object_get(value, "subject"), &f->subject);
	if (ret < 0)
		return ret;
	f->severity = severity;
	f->where = calloc(json_array_size(where) + 1, sizeof(*f->where));
	if (!f->where)
		return -ENOMEM;
	for (f->where_count = 0; ret == 0 && f->where_count < json_array_size(where); f->where_count++)
		ret = place_read(r, json_array_get(where, f->where_count), &f->where[f->where_count]);
	return ret;
}

static int finding_read(struct reader *r, const json_t *value)
{
	_cleanup_free_ char *line = NULL;
	struct ft_finding f = {0};
	const char *code;
	int ret;

	/* For other types jansson returns no text, which looks like a lack of memory. */
	if (!json_is_object(value))
		return ft_error_set(r->err, -EINVAL, 0, 0, "a finding is no object");
	/* jansson's usual form has the blanks of ft_finding_write_json(), and keeps the order. */
	line = json_dumps(value, 0);
	if (!line)
		return -ENOMEM;
	ret = finding_fill(r, value, &f, &code);
	if (ret == 0)
		ret = ft_message_new(&f, code, line, &r->messages[r->message_count]);
	if (ret == 0)
		r->message_count++;
	free(f.where);
	return ret;
}

static int findings_read(struct reader *r, const json_t *state)
{
	const json_t *findings;
	int ret = array_read(r, state, "findings", &findings);

	if (ret < 0)
		return ret;
	r->messages = calloc(json_array_size(findings) + 1, sizeof(struct ft_message *));
	if (!r->messages)
		return -ENOMEM;
	for (size_t i = 0; ret == 0 && i < json_array_size(findings); i++)
		ret = finding_read(r, json_array_get(findings, i));
	return ret;
}

/* A reference. */
static int message_read(const struct reader *r, const json_t *object, const char *key, struct ft_message **ret_message)
{
	int64_t number;
	int ret = number_read(r, object, key, 0, (int64_t)r->message_count - 1, &number);

	if (ret == 0)
		*ret_message = ft_message_ref(r->messages[number]);
	return ret;
}

static int gaps_read(struct reader *r, const json_t *state)
{
	static const char *const keys[] = {"guid", "port", "looks"};
	struct ft_alerts *alerts = r->alerts;
	const json_t *gaps;
	int ret = array_read(r, state, "gaps", &gaps);

	if (ret < 0 || json_array_size(gaps) == 0)
		return ret;
	alerts->gaps = calloc(json_array_size(gaps), sizeof(*alerts->gaps));
	if (!alerts->gaps)
		return -ENOMEM;
	for (size_t i = 0; i < json_array_size(gaps); i++) {
		const json_t *value = json_array_get(gaps, i);
		struct ft_spot *gap = &alerts->gaps[i];

		ret = members_check(r, value, keys, FT_COUNT(keys));
		if (ret == 0)
			ret = hex_read(r, value, "guid", "", &gap->guid);
		if (ret == 0)
			ret = count_read(r, value, "port", &gap->port);
		if (ret == 0)
			ret = count_read(r, value, "looks", &gap->looks);
		/* They are found by binary search. */
		if (ret == 0 && i > 0 && ft_spot_compare(gap - 1, gap) >= 0)
			ret = refuse(r, state, "gaps");
		if (ret < 0)
			return ret;
	}
	alerts->gap_count = json_array_size(gaps);
	return 0;
}

static int sinks_read(struct reader *r, const json_t *state)
{
	_cleanup_free_ const char **names = NULL;
	const json_t *sinks;
	bool changed;
	int ret = array_read(r, state, "sinks", &sinks);

	if (ret < 0)
		return ret;
	names = calloc(json_array_size(sinks) + 1, sizeof(*names));
	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < json_array_size(sinks); i++) {
		names[i] = json_string_value(json_array_get(sinks, i));
		if (!names[i])
			return refuse(r, state, "sinks");
	}
	ret = ft_outbox_set_sinks(&r->alerts->outbox, names, json_array_size(sinks), &changed);
	if (ret == 0 && r->alerts->outbox.sink_count != json_array_size(sinks))
		ret = refuse(r, state, "sinks");
	return ret;
}

static int flaps_read(const struct reader *r, const json_t *value, struct ft_track *track)
{
	const json_t *flaps;
	int ret = array_read(r, value, "flaps", &flaps);

	if (ret < 0 || json_array_size(flaps) == 0)
		return ret;
	track->flaps = calloc(json_array_size(flaps), sizeof(*track->flaps));
	if (!track->flaps)
		return -ENOMEM;
	for (size_t i = 0; i < json_array_size(flaps); i++) {
		const json_t *time = json_array_get(flaps, i);
		json_int_t wall_ms = json_integer_value(time);

		if (!json_is_integer(time) || wall_ms < -NUMBER_MAX || wall_ms > NUMBER_MAX)
			return refuse(r, value, "flaps");
		track->flaps[i] = mono_from_wall(r, wall_ms);
	}
	track->flaps_count = (uint32_t)json_array_size(flaps);
	return 0;
}

/* See the table in alert_parts.h. */
static bool track_is_possible(const struct ft_track *track)
{
	if (track->hushed && !ft_track_stands(track))
		return false;
	switch (track->kind) {
	case FT_TRACK_FINDING:
		return !(track->flap && track->raised);
	case FT_TRACK_HOST:
		return !track->present && !track->raised;
	case FT_TRACK_SWEEP:
	case FT_TRACK_STORM:
		return !track->hushed && track->present && track->raised && !track->flap;
	default:
		return false;
	}
}

static int track_fill(const struct reader *r, const json_t *value, struct ft_track *track)
{
	static const char *const keys[] = {"kind", "finding",	"flap",	    "present",	 "raised", "looks", "since",
					   "over", "raised_at", "standing", "announced", "flaps",  "storm"};
	bool in_storm = json_object_get(value, "storm") != NULL;
	unsigned int kind = 0, over = 0;
	int ret = members_check(r, value, keys, FT_COUNT(keys) - !in_storm);

	if (ret == 0)
		ret = word_read(r, value, "kind", FT_TRACK_KIND_COUNT, kind_word, &kind);
	if (ret == 0)
		ret = message_read(r, value, "finding", &track->message);
	if (ret == 0 && !json_is_null(json_object_get(value, "flap")))
		ret = message_read(r, value, "flap", &track->flap);
	if (ret == 0)
		ret = bool_read(r, value, "present", &track->present);
	if (ret == 0)
		ret = bool_read(r, value, "raised", &track->raised);
	if (ret == 0 && in_storm)
		ret = bool_read(r, value, "storm", &track->hushed);
	if (ret == 0)
		ret = count_read(r, value, "looks", &track->looks);
	if (ret == 0)
		ret = mono_read(r, value, "since", &track->since_ms);
	if (ret == 0)
		ret = word_read(r, value, "over", FT_OVER_COUNT, over_word, &over);
	if (ret == 0)
		ret = number_read(r, value, "raised_at", -NUMBER_MAX, NUMBER_MAX, &track->raised_ms);
	if (ret == 0)
		ret = mono_read(r, value, "standing", &track->standing_ms);
	if (ret == 0)
		ret = hex_read(r, value, "announced", "", &track->announced);
	if (ret == 0)
		ret = flaps_read(r, value, track);
	track->kind = kind;
	track->over = over;
	if (ret == 0 && !track_is_possible(track))
		ret = refuse(r, value, "kind");
	return ret;
}

static int track_read(struct reader *r, const json_t *value, struct ft_ids *ids)
{
	struct ft_alerts *alerts = r->alerts;
	struct ft_track *track = calloc(1, sizeof(*track));
	int ret;

	if (!track)
		return -ENOMEM;
	ret = track_fill(r, value, track);
	if (ret < 0) {
		ft_track_free(track);
		return ret;
	}
	alerts->tracks[alerts->track_count++] = track;
	alerts->stormy |= track->kind == FT_TRACK_STORM;
	ret = ft_ids_add(ids, track->message->id, NULL);
	return ret == 0 ? refuse(r, value, "finding") : ret < 0 ? ret : 0;
}

static int tracks_read(struct reader *r, const json_t *state)
{
	_cleanup_(ft_ids_release) struct ft_ids ids = {0};
	const json_t *tracks;
	int ret = array_read(r, state, "alerts", &tracks);

	if (ret < 0)
		return ret;
	r->alerts->track_size = json_array_size(tracks) + 1;
	r->alerts->tracks = calloc(r->alerts->track_size, sizeof(struct ft_track *));
	if (!r->alerts->tracks)
		return -ENOMEM;
	for (size_t i = 0; ret == 0 && i < json_array_size(tracks); i++)
		ret = track_read(r, json_array_get(tracks, i), &ids);
	return ret;
}

/* Of all the sinks only those that are named. */
static int waiting_read(const struct reader *r, const json_t *value, struct ft_event *event)
{
	const json_t *waiting;
	int ret = array_read(r, value, "waiting", &waiting);
	size_t count = 0;

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < json_array_size(waiting); i++) {
		const char *name = json_string_value(json_array_get(waiting, i));
		size_t at = count;
		char *found;

		while (name && at < event->waiting_count && strcmp(event->waiting[at], name) != 0)
			at++;
		if (!name || at >= event->waiting_count)
			return refuse(r, value, "waiting");
		/* Moved to the front; the search for the next one continues behind it. */
		found = event->waiting[at];
		event->waiting[at] = event->waiting[count];
		event->waiting[count++] = found;
	}
	event->waiting_count = count;
	return count > 0 ? 0 : refuse(r, value, "waiting");
}

static int event_fill(const struct reader *r, const json_t *value, int64_t min_seq, struct ft_queued **ret_queued)
{
	_cleanup_(ft_message_unrefp) struct ft_message *message = NULL;
	unsigned int kind = 0, over = 0;
	struct ft_queued *queued = NULL;
	int64_t seq = 0;
	int ret;

	ret = number_read(r, value, "seq", min_seq, (int64_t)r->alerts->next_seq - 1, &seq);
	if (ret == 0)
		ret = word_read(r, value, "event", FT_EVENT_CLEARED + 1, event_word, &kind);
	if (ret == 0)
		ret = word_read(r, value, "over", FT_OVER_COUNT, over_word, &over);
	if (ret == 0)
		ret = message_read(r, value, "finding", &message);
	if (ret == 0)
		ret = ft_queued_new(&r->alerts->outbox, kind, message, over, &queued);
	if (ret < 0)
		return ret;
	queued->event.seq = (uint64_t)seq;
	ret = number_read(r, value, "time", -NUMBER_MAX, NUMBER_MAX, &queued->event.wall_ms);
	if (ret == 0)
		ret = number_read(r, value, "raised_at", -NUMBER_MAX, NUMBER_MAX, &queued->event.raised_ms);
	if (ret == 0)
		ret = number_read(r, value, "duration", 0, NUMBER_MAX, &queued->event.duration_ms);
	if (ret == 0)
		ret = waiting_read(r, value, &queued->event);
	if (ret < 0)
		ft_queued_free(queued);
	else
		*ret_queued = queued;
	return ret;
}

static int events_read(struct reader *r, const json_t *state)
{
	static const char *const keys[] = {"seq",  "event",	"finding",  "over",
					   "time", "raised_at", "duration", "waiting"};
	struct ft_queued *first = NULL, **end = &first;
	int64_t min_seq = 1;
	const json_t *events;
	int ret = array_read(r, state, "events", &events);

	for (size_t i = 0; ret == 0 && i < json_array_size(events); i++) {
		const json_t *value = json_array_get(events, i);

		ret = members_check(r, value, keys, FT_COUNT(keys));
		if (ret == 0)
			ret = event_fill(r, value, min_seq, end);
		if (ret < 0)
			break;
		min_seq = (int64_t)(*end)->event.seq + 1;
		end = &(*end)->next;
	}
	if (ret < 0) {
		ft_queued_free_all(first);
		return ret;
	}
	/* All at once, as each append checks the limits again. */
	ft_outbox_append(&r->alerts->outbox, first, 0);
	return 0;
}

static int state_read(struct reader *r, const json_t *state)
{
	static const char *const keys[] = {"seq", "dropped", "misses", "gaps", "sinks", "findings", "alerts", "events"};
	int64_t seq = 0, dropped = 0;
	int ret = members_check(r, state, keys, FT_COUNT(keys));

	if (ret == 0)
		ret = number_read(r, state, "seq", 1, NUMBER_MAX, &seq);
	if (ret == 0)
		ret = number_read(r, state, "dropped", 0, NUMBER_MAX, &dropped);
	if (ret == 0)
		ret = count_read(r, state, "misses", &r->alerts->misses);
	r->alerts->next_seq = (uint64_t)seq;
	if (ret == 0)
		ret = gaps_read(r, state);
	if (ret == 0)
		ret = sinks_read(r, state);
	if (ret == 0)
		ret = findings_read(r, state);
	if (ret == 0)
		ret = tracks_read(r, state);
	if (ret == 0)
		ret = events_read(r, state);
	r->alerts->outbox.dropped += (uint64_t)dropped;
	return ret;
}

static int version_check(const struct reader *r)
{
	const json_t *version = json_object_get(r->json.root, "ftcheckd_state");

	if (!json_is_integer(version))
		return ft_error_set(r->err, -EINVAL, 1, 1, "this is no state of ftcheckd");
	if (json_integer_value(version) != STATE_VERSION)
		return ft_json_error_value(&r->json, r->err, r->json.root, "ftcheckd_state",
					   "state of version %" JSON_INTEGER_FORMAT "; this ftcheckd reads version %d",
					   json_integer_value(version), STATE_VERSION);
	return 0;
}

/* The head is compared byte by byte, so that no change of the file goes unnoticed. */
static int sum_check(const struct reader *r, const char *text, size_t length)
{
	char head[FT_STATE_HEAD_SIZE];
	size_t body = ft_state_head(head, "", 0);

	if (length > body)
		ft_state_head(head, text + body, length - body);
	if (length <= body || memcmp(text, head, body) != 0)
		return ft_error_set(r->err, -EINVAL, 1, 1, "damaged: its checksum is not that of its text");
	return 0;
}

int ft_alerts_read_json(const char *text, size_t length, struct ft_now now, struct ft_alerts **ret_alerts,
			struct ft_error *err)
{
	_cleanup_(reader_release) struct reader r = {.err = err, .now = now};
	int ret;

	ret = ft_json_read(text, length, &r.json, err);
	if (ret == 0)
		ret = version_check(&r);
	if (ret == 0)
		ret = sum_check(&r, text, length);
	if (ret == 0)
		ret = strings_check(r.json.root);
	if (ret == -EINVAL && r.json.root && err && !err->text[0])
		ft_error_set(err, -EINVAL, 0, 0, "a text in it is not safe");
	if (ret == 0)
		ret = ft_alerts_new(&r.alerts);
	if (ret == 0)
		ret = state_read(&r, json_object_get(r.json.root, "state"));
	if (ret == 0)
		*ret_alerts = FT_STEAL(r.alerts);
	return ret;
}
