/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Comma-separated values with the names of their columns in the first row. Private to planner/ethernet/. */
#ifndef FT_PLANNER_ETHERNET_TABLE_FILE_H
#define FT_PLANNER_ETHERNET_TABLE_FILE_H

#include "base/error.h"
#include "planner/site/sheet_parts.h"

enum { FT_TABLE_COLUMNS_MAX = 8 };

/* A row: by column its cell; of one that the file has not, or that is left out here, an empty text. */
typedef int ft_table_taker(void *owner, const struct ft_sheet_cell *cells, struct ft_error *err);

/* One of several names, with | between, in small letters: "switch|edge". */
struct ft_table_form {
	const char *columns[FT_TABLE_COLUMNS_MAX]; /* ended by NULL where there are fewer */
	unsigned int needed;			   /* the columns, as bits, that the file must have */
	ft_table_taker *take;
};

/*
 * Hands each row to the taker of the first form whose columns the first row has.
 *
 * @bytes     [length + 1], cut in place
 * @ret_form  out: which form it was; NULL is fine
 * @err       filled on -EINVAL, with the place
 * Returns 0, -EINVAL or -ENOMEM, or what the taker returned.
 */
int ft_table_file_read(char *bytes, size_t length, const struct ft_table_form *forms, size_t form_count, void *owner,
		       size_t *ret_form, struct ft_error *err);

/* A cell that is a whole number from @min to @max. Returns 0, or -EINVAL with @err filled: @what it is not. */
int ft_table_number(const struct ft_sheet_cell *cell, const char *what, uint32_t min, uint32_t max,
		    uint32_t *ret_number, struct ft_error *err);

/* A cell that is an address: ft_mac_read(). Returns 0, or -EINVAL with @err filled. */
int ft_table_mac(const struct ft_sheet_cell *cell, uint64_t *ret_mac, struct ft_error *err);

#endif
