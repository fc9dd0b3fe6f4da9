/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The rows of a site's list on their way into the plan. Private to planner/site*.c. */
#ifndef FT_PLANNER_SITE_ROWS_H
#define FT_PLANNER_SITE_ROWS_H

#include "base/map.h"
#include "planner/site/site_parts.h"

/* The kinds of skipped rows. */
enum skipped { SKIP_FOREIGN, SKIP_UNKNOWN, SKIP_FREE, SKIP_UPPER, SKIP_AGAIN, SKIP_COUNT };

/* Invalid rows. */
struct ft_site_doubts {
	bool *rows; /* by row: it is one of them */
	size_t count;
	struct ft_error first[32]; /* the errors of the first of them */
	uint32_t *lost;		   /* by planned switch: its rows that gave no cable; UINT32_MAX: it has none at all */
	uint32_t absent_count;	   /* switches without any cable */
	uint32_t absent;	   /* one of them */
	size_t filled;		   /* cables that are as the rules have them */
};

struct rows {
	struct ft_site *site;
	struct ft_map stems;	/* of planned switches, and of what the sheet calls them */
	struct ft_map families; /* stems of all other names, to how many names have them */
	uint32_t *family;	/* by number of a family */
	struct ft_map seen;	/* cables, by both ports */
	struct ft_cabling_cable *cables;
	uint32_t *cable_rows; /* where each stands in the sheet; FT_NONE: it is the plan's */
	size_t cable_count;
	struct ft_cabling_host *hosts;
	uint32_t *host_rows;
	size_t host_count;
	char **adapters;	       /* of hosts, by row; owned */
	struct ft_map ends;	       /* a host in a port of a switch, to its index in @hosts */
	uint32_t chips[FT_TIER_COUNT]; /* a board of its directors has, as far as the list tells; 0: it does not */
	uint8_t *fate;		       /* by row: 0, or one more than what of enum skipped became of it */
	size_t skipped[SKIP_COUNT];
	struct ft_site_doubts doubts;
};

void ft_site_doubts_release(struct ft_site_doubts *doubts);
int ft_site_doubts_init(struct ft_site_doubts *doubts, const struct ft_site *site);

/* Marks a row as invalid, once for each row, and records the error of the first ones. */
void ft_site_doubt(struct ft_site_doubts *doubts, uint32_t row, const struct ft_sheet_cell *cell, const char *format,
		   ...) __attribute__((format(printf, 4, 5)));

/* "LINE:COLUMN: what is wrong", a line each, of the first ones. */
void ft_site_doubts_write(const struct ft_site_doubts *doubts, struct ft_text *faults);

/* -EINVAL if so many of @judged rows are invalid that the list is not that of this plan; else 0. */
int ft_site_doubts_check(const struct ft_site *site, const struct ft_site_doubts *doubts, size_t judged);

/* A claim to a port that another row claims gets any port, and both rows are invalid. Returns 0 or -ENOMEM. */
int ft_site_ports_contested(struct rows *rows);

/*
 * Cables missing because of invalid rows, and those of a switch without any row, are added by the rules, in any port.
 * Returns 0 or -ENOMEM.
 */
int ft_site_rules_fill(struct rows *rows);

#endif
