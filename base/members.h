/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * JSON of structs by tables: a table has the members of an object in their order, and from it the object is written and
 * read. What is written and read again is the same, and a member that is added is one row.
 *
 *     static const struct ft_member switch_members[] = {
 *             {"name", FT_VALUE(string, ft_report_switch, name)},
 *             {"guid", FT_VALUE(guid, ft_report_switch, guid)},
 *     };
 */
#ifndef FT_BASE_MEMBERS_H
#define FT_BASE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"

/* The place of a value: the member @key of the object @parent; @key NULL: an element of the list @parent. */
struct ft_json_place {
	const struct ft_json *json;
	struct ft_arena *memory; /* of what is read */
	struct ft_error *err;
	const json_t *parent;
	const char *key;
};

/* A kind of value. */
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

/* Few kinds need all of the arguments of their functions. */
#define FT_VALUE_PARSED                                                                                            \
	FT_UNUSED const struct ft_value_kind *kind, FT_UNUSED const struct ft_json_place *at, const json_t *value, \
		void *to
#define FT_VALUE_ADDED FT_UNUSED const struct ft_value_kind *kind, struct ft_text *t, const void *from

/*
 * values.c: kinds of uint32_t, uint64_t, bool, struct ft_ratio (exact, or rounded to six decimals), char * (NULL: null,
 * or not set), char [65], uint64_t as "0x…" (0: null) and int64_t seconds since 1970.
 */
extern const struct ft_value_kind ft_value_count, ft_value_pair_count, ft_value_truth, ft_value_ratio,
	ft_value_fraction, ft_value_string, ft_value_string_or_null, ft_value_sha256, ft_value_guid, ft_value_time;

/* values.c, for further kinds: of strings, of strings within the struct ("": not set), and of words. */
void ft_value_string_add(FT_VALUE_ADDED);
void ft_value_array_add(FT_VALUE_ADDED);
bool ft_value_array_is_set(const void *from);
/* Returns 0 with the index of the word, or -EINVAL. */
int ft_value_word_find(const struct ft_value_kind *kind, const json_t *value, unsigned int *ret_index);
/* Of an enumeration; and of a word kept as a string. */
int ft_value_word_parse(FT_VALUE_PARSED);
void ft_value_word_add(FT_VALUE_ADDED);
int ft_value_name_parse(FT_VALUE_PARSED);

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

#define FT_OBJECT(table) .members = (table), .member_count = FT_COUNT(table)
#define FT_AT(type, field) .offset = offsetof(struct type, field)
#define FT_FLAG(type, field) .flag = offsetof(struct type, field) + 1
#define FT_VALUE(of, type, field) .kind = &ft_value_##of, FT_AT(type, field)
#define FT_ROWS(type, field, length)                                               \
	FT_AT(type, field), .element_size = sizeof(*((struct type *)NULL)->field), \
			    .length_offset = offsetof(struct type, length)

/* An object, and the rest of one after @written members; @gap: what is before a member that begins a line. */
void ft_members_write(struct ft_text *t, const void *from, const struct ft_member *members, size_t count,
		      const char *gap);
void ft_members_add(struct ft_text *t, const void *from, const struct ft_member *members, size_t count, const char *gap,
		    size_t written);

/*
 * Reads @at->parent, an object, into @to, which is all 0. Unknown keys are ignored. Strings are made safe, as the
 * source is not trusted. Returns 0; -ENOMEM; or with @at->err filled -EINVAL, or what a kind returned.
 */
int ft_members_read(const struct ft_json_place *at, const struct ft_member *members, size_t count, void *to);

#endif
