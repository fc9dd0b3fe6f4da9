/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The contents of a finding, reference-counted: the alert and its events share one message. */
#ifndef FT_DAEMON_MESSAGE_H
#define FT_DAEMON_MESSAGE_H

#include "base/text.h"
#include "verify/model/report.h"

/* A port as a key. */
struct ft_spot {
	uint64_t guid;
	uint32_t port;
	uint32_t looks; /* of a gap: number of checks in a row that had it */
};

struct ft_message {
	uint32_t refs;
	uint32_t number; /* while the state is written: its index in the list of findings */
	enum ft_severity severity;
	uint32_t count;
	char *id;
	char *code;
	char *text;
	char *fix;
	struct ft_place place; /* the first; name NULL: there is none */
	struct ft_spot *spots; /* all places, in order */
	size_t spot_count;
	bool returning; /* a switch that is coming back, cable by cable */
	bool dead;	/* switches or chips of directors that were seen before and are not now; @place is one */
	char *finding;	/* the finding as JSON on one line */
};

/*
 * The id of its alert: the finding's without the number of missing cables of a pair: one more missing cable is a change
 * of the alert, and no new one. The caller frees it; NULL where memory ran out.
 */
char *ft_alert_id(const struct ft_finding *finding);

/*
 * Copies the contents of @finding. @code: the name of its code; NULL: as the finding has it. @finding is not changed,
 * and its strings are not needed afterwards.
 *
 * @json  scratch; what ft_message_write_json() made of the same two
 * Returns 0 or -ENOMEM.
 */
int ft_message_new(const struct ft_finding *finding, const char *code, const char *json,
		   struct ft_message **ret_message);

/*
 * A copy in whose finding no list has more than FT_BRIEF_LIST entries: the last one of those that were longer says how
 * many more there were. Returns 0, or -ENOMEM.
 */
enum { FT_BRIEF_LIST = 8 };
int ft_message_brief(const struct ft_message *message, struct ft_message **ret_message);

struct ft_message *ft_message_ref(struct ft_message *message);
void ft_message_unref(struct ft_message *message);
static inline void ft_message_unrefp(struct ft_message **message)
{
	ft_message_unref(*message);
}

/* The object FINDING of SPEC 6 on one line, with @code in place of the finding's own (NULL: that). */
void ft_message_write_json(struct ft_text *text, const struct ft_finding *finding, const char *code);

/*
 * Adds the sentence of a cleared finding in the past tense: "the cable … was missing". Only whole words between blanks
 * are replaced, so that names without blanks stay as they are.
 */
void ft_message_add_past(struct ft_text *text, const char *sentence);

/*
 * Is the change worth an event? Another severity, count, place or text is. A port that became known, or unknown because
 * of another fault, is not, and neither is what labels in the text have besides the name of a switch.
 */
bool ft_message_differs(const struct ft_message *a, const struct ft_message *b);

/* The order of spots, for qsort() and bsearch(). */
int ft_spot_compare(const void *a, const void *b);

#endif
