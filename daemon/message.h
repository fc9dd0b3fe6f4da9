/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What there is to say of a finding, once for all who need it: the alert and the events that tell of it share one.
 */
#ifndef FT_DAEMON_MESSAGE_H
#define FT_DAEMON_MESSAGE_H

#include "base/text.h"
#include "verify/report.h"

/* A port as a key. */
struct ft_spot {
	uint64_t guid;
	uint32_t port;
	uint32_t looks; /* of a gap: in how many looks in a row it was one */
};

struct ft_message {
	uint32_t refs;
	uint32_t number; /* while the state is written: its place in the list of findings */
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
	char *finding;	/* the finding as JSON on one line */
};

/*
 * The id of its alert: the finding's, but for how many cables of a pair are missing. One more is a change of the alert,
 * and no new one. The caller frees it; NULL where memory ran out.
 */
char *ft_alert_id(const struct ft_finding *finding);

/*
 * Takes over what @finding says. @code: the name of its code; NULL: as the finding has it. @finding is not changed, and
 * its strings are not needed afterwards.
 *
 * @json  scratch; what ft_message_write_json() made of the same two
 * Returns 0 or -ENOMEM.
 */
int ft_message_new(const struct ft_finding *finding, const char *code, const char *json,
		   struct ft_message **ret_message);

struct ft_message *ft_message_ref(struct ft_message *message);
void ft_message_unref(struct ft_message *message);
static inline void ft_message_unrefp(struct ft_message **message)
{
	ft_message_unref(*message);
}

/* The object FINDING of SPEC 6 on one line, with @code in place of the finding's own (NULL: that). */
void ft_message_write_json(struct ft_text *text, const struct ft_finding *finding, const char *code);

/*
 * Adds the sentence of a finding that is over, in the past tense: "the cable … was missing". Words are told by the
 * blanks around them, so that names with none in them stay as they are.
 */
void ft_message_add_past(struct ft_text *text, const char *sentence);

/*
 * Is it worth telling? Another severity, count or place, or another text. That a port became known, or is not known any
 * more because of another fault, is not.
 */
bool ft_message_differs(const struct ft_message *a, const struct ft_message *b);

/* The order of spots, for qsort() and bsearch(). */
int ft_spot_compare(const void *a, const void *b);

#endif
