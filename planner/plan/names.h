/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Matching of spellings of names: in a spreadsheet a switch is "leaf7", "Leaf007" or "LEAF-07", on the fabric it is
 * "MF0;leaf07:MQM8700/U1".
 */
#ifndef FT_PLANNER_PLAN_NAMES_H
#define FT_PLANNER_PLAN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/text.h"

/*
 * Adds the normal form of a name: small letters and digits, without blanks, punctuation and leading zeros. Two adjacent
 * numbers stay separate. Of "MF0;leaf07:MQM8700/U1", the form of managed switches, only the name in the middle counts.
 */
void ft_name_add_normal(struct ft_text *text, const char *name);

/* How long a name is without its domain ("leaf07.example.org"): what follows the dot is no number, as in "leaf0.7". */
size_t ft_name_bare_length(const char *name);

/* The same of a name without its domain ("leaf07.example.org"). Returns false, and adds nothing, where it has none. */
bool ft_name_add_bare(struct ft_text *text, const char *name);

/*
 * Adds the stem of a name, which identifies its kind: its normal form with "#" for each number, so that leaf07 and
 * leaf19 are of one stem.
 */
void ft_name_add_stem(struct ft_text *text, const char *name);

/*
 * The GUID in "0x" and one to sixteen digits, or in such digits in groups of four with colons between; 0: it is none.
 */
uint64_t ft_name_guid(const char *name);

/* Names that are looked up; they are borrowed, and must outlive it. */
struct ft_names {
	const char *const *names;
	size_t count;
	struct ft_map exact; /* of hashes, to the first name of that hash */
	uint32_t *next_exact;
	struct ft_name_forms {
		struct ft_map map;
		uint32_t *next;
		char **forms; /* by name; NULL: it has none */
	} normal, bare;
};

int ft_names_make(const char *const *names, size_t count, struct ft_names *ret_names);
void ft_names_release(struct ft_names *names);

/* The index of exactly @name, or FT_NONE. */
uint32_t ft_names_find_exact(const struct ft_names *names, const char *name);

/*
 * The name that @name is a spelling of: equal, else with the same normal form, else with the same normal form after one
 * of the two has lost its domain ("leaf07.example.org").
 *
 * @ret_index   out: which
 * @candidates  if several match: their names are added, in quotes, with "and" between
 *
 * Returns 1, 0 (none), -EEXIST (several) or -ENOMEM.
 */
int ft_names_find(const struct ft_names *names, const char *name, uint32_t *ret_index, struct ft_text *candidates);

#endif
