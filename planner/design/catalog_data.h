/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The catalogs of etc/catalog/, compiled in: catalog_data.c is made of these files when the project is built.
 * Private to planner/design/catalog.c.
 */
#ifndef FT_PLANNER_DESIGN_CATALOG_DATA_H
#define FT_PLANNER_DESIGN_CATALOG_DATA_H

struct ft_catalog_data {
	const char *name; /* of the file, without ".json" */
	const char *text; /* its bytes */
};

/* Ended by a row of NULL. */
extern const struct ft_catalog_data ft_catalog_data[];

#endif
