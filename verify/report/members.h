/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The members of the JSON of a report, as tables: json.c writes by them, read.c reads by them. Private to report/. */
#ifndef FT_VERIFY_REPORT_MEMBERS_H
#define FT_VERIFY_REPORT_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/text.h"
#include "verify/model/report.h"

/* The place of a value: the member @key of the object @parent; @key NULL: an element of the list @parent. */
struct ft_json_place {
	const struct ft_json *json;
	struct ft_arena *memory; /* of the report */
	struct ft_error *err;
	const json_t *parent;
	const char *key;
};

/* A kind of value (kinds.c). */
struct ft_value_kind {
	/*
	 * Sets what @to points to, and leaves it alone on failure: -ENOMEM, -EINVAL (not what is @expected, which the
	 * caller says), or -ENOTSUP with the error filled.
	 */
	int (*parse)(const struct ft_value_kind *kind, const struct ft_json_place *at, const json_t *value, void *to);
	void (*add)(const struct ft_value_kind *kind, struct ft_text *t, const void *from);
	/* Whether there is a value, if the member is optional. */
	bool (*is_set)(const void *from);
	const char *expected;
	const char *(*word)(unsigned int index); /* for kinds that are words: the first @words of them */
	unsigned int words;
};

extern const struct ft_value_kind ft_value_act, ft_value_after, ft_value_code, ft_value_count, ft_value_evidence,
	ft_value_fraction, ft_value_guid, ft_value_histogram, ft_value_interface, ft_value_milli, ft_value_pair_count,
	ft_value_port, ft_value_ratio, ft_value_severity, ft_value_sha256, ft_value_sm_state, ft_value_source,
	ft_value_status, ft_value_string, ft_value_string_or_null, ft_value_tier, ft_value_time, ft_value_truth,
	ft_value_verdict;

/* A member of an object: a value of a @kind, or an object with @members; or a list of such values or objects. */
struct ft_member {
	const char *name;
	const struct ft_value_kind *kind;
	const struct ft_member *members;
	size_t member_count;
	size_t offset;	      /* in the struct that the object is read into, if it has one */
	size_t element_size;  /* of a list; 0: it is none */
	size_t length_offset; /* of a list: of its length, a size_t */
	bool rows;	      /* of a list: an element a line */
	bool optional;	      /* without @flag and @when, an object is present if its first member is */
	bool nullable;	      /* an object that may be null: then the struct stays empty */
	/* For an optional one: offset + 1 of a bool that tells whether it is present; 0: there is none. */
	size_t flag;
	bool (*when)(const void *object); /* whether it is written; NULL: if it is set */
	bool line;			  /* begins a line */
};

extern const struct ft_member ft_report_members[];
extern const size_t ft_report_member_count;
extern const struct ft_member ft_finding_members[];
extern const size_t ft_finding_member_count;

#endif
