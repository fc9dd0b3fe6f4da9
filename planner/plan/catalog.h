/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The switch catalog: what can be bought. Its file is described in ftcheck-catalog(5).
 *
 * A fixed switch is one type. A modular one is described once (chassis, boards) and is as many types as it has
 * populations: a switch half full of line boards has other ports, another price and another weight (the tutorial,
 * "Different configurations of modular switches").
 */
#ifndef FT_PLANNER_PLAN_CATALOG_H
#define FT_PLANNER_PLAN_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "planner/plan/design.h"

/* The default catalog: the one in which every price is known. */
#define FT_CATALOG_DEFAULT "mellanox-fdr-2013"

/* Roles a type may have, as bits. A catalog that names no spine at all lets core switches be spines. */
enum ft_role { FT_ROLE_EDGE = 1, FT_ROLE_SPINE = 2, FT_ROLE_CORE = 4, FT_ROLE_STAR = 8 };

/* The chassis a blade switch sits in: edge switches come with it, and the hosts are its servers. */
struct ft_blade {
	uint32_t servers;      /* that one chassis holds, each on an internal port; 0: no blade switch */
	uint32_t size_u;       /* of a chassis, in rack units; 0: unknown */
	uint32_t rack_chassis; /* chassis in a rack; 0: unknown */
	char *pass_through;    /* the module that replaces the second of two switches; NULL: there is none */
};

/*
 * One switch that can be bought. Owned by the catalog. Names, and families among themselves and with the names of other
 * entries, are unique in it, so that either tells an entry.
 */
struct ft_switch_type {
	char *name;	  /* of this population: "Mellanox SX6506 (with 90 ports)" */
	char *family;	  /* of the entry: "Mellanox SX6506"; a fixed switch may have another name, or the same */
	char *vendor;	  /* "" if unknown */
	char *technology; /* "IB 4X FDR"; "" if unknown */
	char *connector;  /* "QSFP"; "" if unknown */
	uint32_t ports;	  /* external ports; for a blade switch also those to the servers of its chassis */
	unsigned int roles;
	uint32_t mac_table; /* static entries that an Ethernet switch holds; 0: unknown */
	bool modular;	    /* a packet crosses three chips in it */
	uint32_t line_boards, line_boards_max, line_board_ports; /* of a modular switch; 0: unknown */
	uint32_t fabric_boards, fabric_boards_max; /* fewer than all of them: it blocks inside; 0: unknown */
	int64_t cost, power_w, weight_kg, size_u;  /* thousandths; FT_AMOUNT_UNKNOWN */

	/*
	 * Of a modular one, likewise, for the bill. Where the price of a fabric board is unknown, that of the chassis
	 * is with all of them in it; the same goes for power and weight.
	 */
	int64_t chassis_cost, line_board_cost, fabric_board_cost;
	int64_t fabric_board_power_w, fabric_board_weight_kg;
	struct ft_blade blade;
};

/* What a cable is, as its length allows. */
enum ft_cable_medium { FT_CABLE_ELECTRIC, FT_CABLE_OPTICAL, FT_CABLE_MEDIA };

/* A sort of cables: what they cost by their length. */
struct ft_cable_type {
	enum ft_cable_medium medium;
	uint32_t length_max_mm; /* of the longest; UINT32_MAX: any */
	int64_t cost;		/* of one, whatever its length; thousandths; 0 where only a metre has a price */
	int64_t cost_per_m;	/* likewise; FT_AMOUNT_UNKNOWN in both: not known */
};

struct ft_catalog {
	char *name;		      /* "mellanox-fdr-2013" */
	char *source;		      /* where the figures are from; "" if it does not say */
	char *notice;		      /* that must be kept with them; "" if there is none */
	char *currency;		      /* "USD"; "" if unknown */
	char *prices_of;	      /* when they held: "December 2013"; "" if unknown */
	int64_t cable_cost;	      /* of any cable, thousandths; FT_AMOUNT_UNKNOWN */
	struct ft_cable_type *cables; /* in the order of the file; NULL: it has none */
	size_t cable_count;
	struct ft_switch_type *types; /* in the order of the file, full populations first; each has a role */
	size_t count;
};

void ft_catalog_free(struct ft_catalog *catalog);
static inline void ft_catalog_freep(struct ft_catalog **catalog)
{
	ft_catalog_free(*catalog);
}

/*
 * Reads a catalog from @length bytes of JSON (not kept).
 *
 * @ret_catalog  out: the caller frees it. Untouched on failure.
 * @err          filled with line, column and text on -EINVAL
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_catalog_read(const char *text, size_t length, struct ft_catalog **ret_catalog, struct ft_error *err);

/*
 * The catalog called @name: one of the built-in ones ("infiniband"), or else a file; a name with a slash or ".json" is
 * always a file. @err->file is set to @name. Also -errno of open() and read(), and -ENOENT, with @err filled, where
 * neither exists.
 */
int ft_catalog_load(const char *name, struct ft_catalog **ret_catalog, struct ft_error *err);

/* The first sort of cables that is long enough. NULL: there is none. */
const struct ft_cable_type *ft_catalog_cable(const struct ft_catalog *catalog, uint32_t length_mm);

/*
 * The price of a cable of that length, in thousandths: by its sort, or "cable_cost" where the catalog lists none.
 * FT_AMOUNT_UNKNOWN: not known, or @catalog is NULL.
 */
int64_t ft_catalog_cable_cost(const struct ft_catalog *catalog, uint32_t length_mm);

/* Adds the currency, " USD", and the date, " (prices of December 2013)"; nothing if unknown. */
struct ft_text;
void ft_catalog_add_currency(struct ft_text *text, const struct ft_catalog *catalog);
void ft_catalog_add_time(struct ft_text *text, const struct ft_catalog *catalog);

/* The name of built-in catalog @index, NULL behind the last; and its file's text. */
const char *ft_catalog_builtin_name(size_t index);
const char *ft_catalog_builtin_text(size_t index);

/*
 * Whether @asked names the type called @name of @family (NULL: the same as the name): either of the two, or the family
 * without the vendor's name, as in "SX6036" for "Mellanox SX6036".
 */
bool ft_model_is(const char *name, const char *family, const char *asked);

/*
 * A population with only @fabric_boards of its fabric boards installed: the same type with that number, and with its
 * cost, power and weight reduced by those of the missing boards, or unknown.
 *
 * @ret_type  out: points into @type for its strings; not to be freed
 * Returns 0, or -EINVAL: not modular, none, or more than there are.
 */
int ft_switch_type_with_fabric(const struct ft_switch_type *type, uint32_t fabric_boards,
			       struct ft_switch_type *ret_type);

#endif
