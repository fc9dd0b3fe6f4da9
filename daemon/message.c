/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/message.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int ft_spot_compare(const void *a, const void *b)
{
	const struct ft_spot *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->port < y->port ? -1 : x->port > y->port;
}

struct ft_message *ft_message_ref(struct ft_message *message)
{
	if (message)
		message->refs++;
	return message;
}

void ft_message_unref(struct ft_message *message)
{
	if (!message || --message->refs > 0)
		return;
	free(message->id);
	free(message->code);
	free(message->text);
	free(message->fix);
	free(message->place.name);
	free(message->spots);
	free(message->finding);
	free(message);
}

/* A missing string of a finding is stored as an empty one. */
static int string_copy(char **ret_copy, const char *string)
{
	*ret_copy = strdup(string ? string : "");
	return *ret_copy ? 0 : -ENOMEM;
}

/* A missing switch is a place itself; the ports that went down are on its neighbours. */
static int place_copy(struct ft_message *message, const struct ft_finding *f)
{
	const struct ft_place *place = f->subject.name ? &f->subject : &f->where[0];

	message->place = (struct ft_place){.guid = place->guid, .port = place->port};
	return string_copy(&message->place.name, place->name);
}

static int places_copy(struct ft_message *message, const struct ft_finding *f)
{
	if (f->where_count == 0)
		return f->subject.name ? place_copy(message, f) : 0;
	message->spots = calloc(f->where_count, sizeof(*message->spots));
	if (!message->spots)
		return -ENOMEM;
	for (size_t i = 0; i < f->where_count; i++)
		message->spots[i] = (struct ft_spot){f->where[i].guid, f->where[i].port, 0};
	message->spot_count = f->where_count;
	qsort(message->spots, message->spot_count, sizeof(*message->spots), ft_spot_compare);
	return place_copy(message, f);
}

/* By the name of the code: a finding of a saved state has no other. */
static char *alert_id(const char *id, const char *code)
{
	const char *star = strcmp(code, ft_codes[FT_CODE_CABLE_MISSING].name) == 0 ? strrchr(id, '*') : NULL;

	return strndup(id, star ? (size_t)(star - id) : strlen(id));
}

char *ft_alert_id(const struct ft_finding *f)
{
	return alert_id(f->id, ft_codes[f->code].name);
}

int ft_message_new(const struct ft_finding *f, const char *code, const char *json, struct ft_message **ret_message)
{
	_cleanup_(ft_message_unrefp) struct ft_message *message = calloc(1, sizeof(*message));

	if (!message)
		return -ENOMEM;
	message->refs = 1;
	message->severity = f->severity;
	message->count = f->count;
	message->returning = f->returning.of > 0;
	message->dead = f->subject.name && f->returning.of == 0;
	if (!code)
		code = ft_codes[f->code].name;
	message->id = alert_id(f->id, code);
	if (!message->id || string_copy(&message->code, code) < 0 || string_copy(&message->text, f->text) < 0 ||
	    string_copy(&message->fix, f->fix) < 0 || string_copy(&message->finding, json) < 0 ||
	    places_copy(message, f) < 0)
		return -ENOMEM;
	*ret_message = FT_STEAL(message);
	return 0;
}

/* In place of @entry, in its form: a name, a symptom, or a place. */
static json_t *more_entry(const json_t *entry, size_t more)
{
	char words[48];

	snprintf(words, sizeof(words), "and %zu more", more);
	if (json_is_string(entry))
		return json_string(words);
	if (json_object_get(entry, "text"))
		return json_pack("{s:s, s:n}", "text", words, "where");
	return json_pack("{s:s, s:n, s:n}", "name", words, "guid", "port");
}

static int list_shorten(json_t *list)
{
	size_t count = json_array_size(list);
	json_t *last;

	if (count <= FT_BRIEF_LIST)
		return 0;
	last = more_entry(json_array_get(list, FT_BRIEF_LIST - 1), count - FT_BRIEF_LIST + 1);
	while (count > FT_BRIEF_LIST)
		json_array_remove(list, --count);
	return json_array_set_new(list, FT_BRIEF_LIST - 1, last) < 0 ? -ENOMEM : 0;
}

/* The caller frees it; NULL where memory ran out. */
static char *finding_brief(const char *finding)
{
	enum { DIGITS = 9 };
	json_t *object = json_loads(finding, 0, NULL), *member;
	char *brief = NULL;
	const char *key;
	int r = object ? 0 : -ENOMEM;

	json_object_foreach(object, key, member)
		if (r == 0 && json_is_array(member))
			r = list_shorten(member);
	/* It keeps the order, and has the blanks of ft_finding_write_json(); numbers there have at most nine digits. */
	if (r == 0)
		brief = json_dumps(object, JSON_REAL_PRECISION(DIGITS));
	json_decref(object);
	return brief;
}

int ft_message_brief(const struct ft_message *of, struct ft_message **ret_message)
{
	_cleanup_(ft_message_unrefp) struct ft_message *message = calloc(1, sizeof(*message));

	if (!message)
		return -ENOMEM;
	message->refs = 1;
	message->severity = of->severity;
	message->count = of->count;
	message->returning = of->returning;
	message->dead = of->dead;
	message->place = (struct ft_place){.guid = of->place.guid, .port = of->place.port};
	message->finding = finding_brief(of->finding);
	if (!message->finding || string_copy(&message->id, of->id) < 0 || string_copy(&message->code, of->code) < 0 ||
	    string_copy(&message->text, of->text) < 0 || string_copy(&message->fix, of->fix) < 0 ||
	    (of->place.name && string_copy(&message->place.name, of->place.name) < 0))
		return -ENOMEM;
	message->spots = calloc(of->spot_count + 1, sizeof(*message->spots));
	if (!message->spots)
		return -ENOMEM;
	if (of->spot_count > 0)
		memcpy(message->spots, of->spots, of->spot_count * sizeof(*of->spots));
	message->spot_count = of->spot_count;
	*ret_message = FT_STEAL(message);
	return 0;
}

/* The verbs in the sentences of verify/, as words between blanks; none of these is used as a noun there. */
static const struct {
	const char *present, *past;
} verbs[] = {
	{"is", "was"},	      {"are", "were"},	   {"has", "had"},	    {"have", "had"},
	{"does", "did"},      {"do", "did"},	   {"ends", "ended"},	    {"belongs", "belonged"},
	{"runs", "ran"},      {"stands", "stood"}, {"stand", "stood"},	    {"stays", "stayed"},
	{"shares", "shared"}, {"share", "shared"}, {"carries", "carried"},  {"carry", "carried"},
	{"sends", "sent"},    {"leads", "led"},	   {"lead", "led"},	    {"lacks", "lacked"},
	{"goes", "went"},     {"go", "went"},	   {"arrive", "arrived"},   {"end", "ended"},
	{"undo", "undid"},    {"can", "could"},	   {"cannot", "could not"},
};

/* Behind these a verb stays as it is: "can do no more", "able to do more", "does not lead there". */
static const char *const keep_next[] = {"can", "cannot", "could", "may", "not", "to"};

/* What @word, of @length bytes, is in the past, or NULL; what ends a clause may be at its end. */
static const char *past_of(const char *word, size_t length)
{
	for (size_t i = 0; i < FT_COUNT(verbs); i++)
		if (strlen(verbs[i].present) == length && memcmp(verbs[i].present, word, length) == 0)
			return verbs[i].past;
	return NULL;
}

static bool keeps_next(const char *word, size_t length)
{
	for (size_t i = 0; i < FT_COUNT(keep_next); i++)
		if (strlen(keep_next[i]) == length && memcmp(keep_next[i], word, length) == 0)
			return true;
	return false;
}

void ft_message_add_past(struct ft_text *text, const char *sentence)
{
	/* The first word is no verb. */
	bool keep = true;

	for (const char *at = sentence; *at;) {
		size_t length = strcspn(at, " "), blanks = strspn(at + length, " ");
		size_t bare = strcspn(at, " ,;:");
		const char *past = keep ? NULL : past_of(at, bare);

		keep = keeps_next(at, length);
		/* Only the last word of a clause has something behind it. */
		if (past && bare + 1 >= length) {
			ft_text_puts(text, past);
			ft_text_add(text, at + bare, length - bare + blanks);
		} else {
			ft_text_add(text, at, length + blanks);
		}
		at += length + blanks;
	}
}

static void place_write(struct ft_text *t, const struct ft_place *place)
{
	ft_text_puts(t, "{");
	ft_text_add_member(t, "name", place->name);
	if (place->guid)
		ft_text_printf(t, ", \"guid\": \"0x%016" PRIx64 "\"", place->guid);
	else
		ft_text_puts(t, ", \"guid\": null");
	if (place->port)
		ft_text_printf(t, ", \"port\": %" PRIu32, place->port);
	else
		ft_text_puts(t, ", \"port\": null");
	if (place->interface[0])
		ft_text_add_member(t, "interface", place->interface);
	ft_text_puts(t, "}");
}

void ft_message_write_json(struct ft_text *t, const struct ft_finding *f, const char *code)
{
	if (!code) {
		ft_finding_write_json(t, f);
		return;
	}
	/* A code of the daemon's own, which is not in reports. */
	ft_text_puts(t, "{");
	ft_text_add_member(t, "id", f->id);
	ft_text_add_member(t, "code", code);
	ft_text_add_member(t, "severity", ft_severity_name(f->severity));
	ft_text_add_member(t, "evidence", ft_evidence_name(f->evidence));
	ft_text_puts(t, ", \"where\": [");
	for (size_t i = 0; i < f->where_count; i++) {
		ft_text_puts(t, i ? ", " : "");
		place_write(t, &f->where[i]);
	}
	ft_text_puts(t, "]");
	ft_text_add_member(t, "expected", f->expected);
	ft_text_add_member(t, "observed", f->observed);
	ft_text_printf(t, ", \"count\": %" PRIu32, f->count);
	ft_text_add_member(t, "text", f->text);
	ft_text_add_member(t, "fix", f->fix);
	ft_text_printf(t,
		       ", \"impact\": {\"links_lost\": %" PRIu32 ", \"hosts_cut_off\": %" PRIu32 "}, \"symptoms\": [",
		       f->impact.links_lost, f->impact.hosts_cut_off);
	for (size_t i = 0; i < f->symptom_count; i++) {
		ft_text_puts(t, i ? ", {" : "{");
		ft_text_add_member(t, "text", f->symptoms[i].text);
		ft_text_puts(t, ", \"where\": ");
		if (f->symptoms[i].place.name)
			place_write(t, &f->symptoms[i].place);
		else
			ft_text_puts(t, "null");
		ft_text_puts(t, "}");
	}
	ft_text_puts(t, "], \"alternatives\": []}");
}

/* Is each place of @a in @b, or possibly so, if one of the two lacks the port? */
static bool spots_within(const struct ft_message *a, const struct ft_message *b)
{
	for (size_t i = 0, j; i < a->spot_count; i++) {
		const struct ft_spot *x = &a->spots[i];

		for (j = 0; j < b->spot_count; j++) {
			const struct ft_spot *y = &b->spots[j];

			if (x->guid == y->guid && (x->port == y->port || x->port == 0 || y->port == 0))
				break;
		}
		if (j == b->spot_count)
			return false;
	}
	return true;
}

static bool spots_equal(const struct ft_message *a, const struct ft_message *b)
{
	if (a->spot_count != b->spot_count)
		return false;
	for (size_t i = 0; i < a->spot_count; i++)
		if (ft_spot_compare(&a->spots[i], &b->spots[i]) != 0)
			return false;
	return true;
}

/* The bytes of a GUID behind a name, as labels of switches have it; 0: there is none. */
static size_t guid_length(const char *at)
{
	enum { BEFORE = 3, DIGITS = 16 };

	if (strncmp(at, " 0x", BEFORE) != 0 || strspn(at + BEFORE, "0123456789abcdef") != DIGITS)
		return 0;
	return BEFORE + DIGITS;
}

/* Likewise of the hosts that are on the switch now. */
static size_t hosts_length(const char *at)
{
	static const char begin[] = " (hosts ";
	const char *end = strncmp(at, begin, sizeof(begin) - 1) == 0 ? strchr(at, ')') : NULL;

	return end ? (size_t)(end + 1 - at) : 0;
}

/* The rest of the sentence is a list of places, in the order in which the plan has the switches. */
static bool ports_follow(const char *at)
{
	static const char begin[] = " that went dark: ";

	return strncmp(at, begin, sizeof(begin) - 1) == 0;
}

/*
 * Do they say something else of the same places? A label has the GUID and the hosts of a switch while another one of
 * the same name is seen: that this one has gone, or a host, is no change of a fault elsewhere.
 */
static bool sentences_differ(const char *a, const char *b)
{
	for (;; a++, b++) {
		if (ports_follow(a) && ports_follow(b))
			return false;
		a += hosts_length(a);
		b += hosts_length(b);
		if (guid_length(a) == 0 && guid_length(b) > 0)
			b += guid_length(b) + hosts_length(b + guid_length(b));
		else if (guid_length(a) > 0 && guid_length(b) == 0)
			a += guid_length(a) + hosts_length(a + guid_length(a));
		if (*a != *b)
			return true;
		if (*a == '\0')
			return false;
	}
}

bool ft_message_differs(const struct ft_message *a, const struct ft_message *b)
{
	/* The number of its links that are up is no change. */
	if (a->returning && b->returning)
		return false;
	/* Nor are the ports of a dead switch's neighbours, which depend on who of these is seen. */
	if (a->dead && b->dead)
		return a->severity != b->severity || sentences_differ(a->text, b->text);
	if (a->severity != b->severity || a->count != b->count)
		return true;
	/* Each reading of error counters has other numbers. */
	if (spots_equal(a, b))
		return strcmp(a->code, ft_codes[FT_CODE_PORT_ERRORS].name) != 0 && sentences_differ(a->text, b->text);
	return !spots_within(a, b) || !spots_within(b, a);
}
