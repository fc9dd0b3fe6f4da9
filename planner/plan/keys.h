/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Objects of JSON files, read by tables: a row a key. Unknown keys are refused, with the most similar known one if a
 * misspelling is likely; errors have their place.
 */
#ifndef FT_PLANNER_PLAN_KEYS_H
#define FT_PLANNER_PLAN_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

enum { FT_KEY_AMOUNT_MAX = 1000000000 }; /* of money, watts and so on, whole ones */

struct ft_key;

struct ft_key_reader {
	struct ft_json json;
	struct ft_error *err;
	void *owner; /* the destination of the whole file, for the rows' functions; not used here */
};

/* One value of the file: a member of an object (@key) or an element of an array (@index). */
struct ft_key_at {
	const json_t *parent;
	const char *key; /* NULL: an element */
	size_t index;
	json_t *value;
	const struct ft_key *rule; /* of the member; an element keeps that of its array */
};

/* How one key of an object is read. */
struct ft_key {
	const char *name;
	int (*read)(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
	size_t offset;	     /* offset of the value, in the struct that the table is for */
	uint32_t min, max;   /* of a count, or the bytes of a string (max 0: any number) */
	const char *missing; /* its description, if it is mandatory; NULL: optional */
};

/* Fills the reader's error with the place of @at, its name and the text; returns -EINVAL. */
int ft_key_error(const struct ft_key_reader *reader, const struct ft_key_at *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "an object", "a number", … */
const char *ft_key_type_name(const json_t *value);

/* Element @index of the list @list. */
struct ft_key_at ft_key_element(const struct ft_key_at *list, size_t index);

/*
 * Reads every member of @object by the @count rows of @keys into the struct at @out; what the members before a failing
 * one filled stays filled, and is the caller's to free.
 *
 * Returns 0, -EINVAL with the reader's error filled, or -ENOMEM.
 */
int ft_key_read_object(struct ft_key_reader *reader, json_t *object, const struct ft_key *keys, size_t count,
		       void *out);

/* The same of the value @at, which must be an object. */
int ft_key_read_part(struct ft_key_reader *reader, const struct ft_key_at *at, const struct ft_key *keys, size_t count,
		     void *out);

/*
 * Reads every element of the list @at by @read, the first into @out and each next one @size bytes further. A value that
 * is not a list has no elements. Returns as ft_key_read_object() does.
 */
int ft_key_read_elements(struct ft_key_reader *reader, const struct ft_key_at *at,
			 int (*read)(struct ft_key_reader *reader, const struct ft_key_at *at, void *out), size_t size,
			 void *out);

/*
 * Reads the list @at, which must not be empty, into a new array of elements of @size bytes, all zero before.
 *
 * @ret_list  out: a pointer to the array; set before the elements are read, and the caller's to free also on failure
 * Returns as ft_key_read_object() does.
 */
int ft_key_read_list(struct ft_key_reader *reader, const struct ft_key_at *at,
		     int (*read)(struct ft_key_reader *reader, const struct ft_key_at *at, void *out), size_t size,
		     void *ret_list, size_t *ret_count);

/* -EINVAL, with the error filled, if the value is not an object, or not a list with at least one element. */
int ft_key_expect_object(const struct ft_key_reader *reader, const struct ft_key_at *at);
int ft_key_expect_filled_list(const struct ft_key_reader *reader, const struct ft_key_at *at);

/* -EINVAL where the value is not a string, is empty, too long by the row, or not safe to print. Or -ENOMEM. */
int ft_key_check_string(const struct ft_key_reader *reader, const struct ft_key_at *at);

/* Which of @words (ended by NULL) the value is. Returns 0, or -EINVAL: none, and the reader's error names them. */
int ft_key_find_word(const struct ft_key_reader *reader, const struct ft_key_at *at, const char *const *words,
		     int *ret_word);

/* For the column "read". The comments give the type of @out. */
int ft_key_version(struct ft_key_reader *reader, const struct ft_key_at *at, void *out); /* nothing: it must be 1 */
int ft_key_count(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);	 /* uint32_t */
int ft_key_bool(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);	 /* bool */
int ft_key_string(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);	 /* char *, to be freed */
int ft_key_note(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);	 /* nothing: a string */
int ft_key_notes(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);	 /* nothing: strings by name */

/*
 * int64_t in thousandths, or FT_AMOUNT_UNKNOWN for null: 77.3 is 77300. A decimal that needs more than three digits
 * behind the point is refused, one beyond FT_KEY_AMOUNT_MAX too.
 */
int ft_key_amount(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);

#endif
