/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The view of one switch, port by port: planned and observed far ends, and findings. */
#ifndef FT_VERIFY_REPORT_LOOK_H
#define FT_VERIFY_REPORT_LOOK_H

#include "base/error.h"
#include "verify/model/report.h"
#include "verify/model/verify.h"

/* What is said of a port. */
enum ft_look_cell {
	FT_LOOK_CHIP,	 /* for a director: the port's board, "core01 L05 port 3"; else NULL */
	FT_LOOK_PLANNED, /* "core01 port 3", "node017", "host"; NULL: nothing */
	FT_LOOK_SEEN,	 /* likewise; NULL: nothing, and the link gives the reason */
	FT_LOOK_LINK,	 /* "Active", "Init", "up", "down", "silent", "unread", "not seen" */
	FT_LOOK_RATE,	 /* "4xHDR"; NULL: the link is down */
	FT_LOOK_ERRORS,	 /* "3 receive errors", "none"; NULL: they were not read */
	FT_LOOK_CODES,	 /* of the findings that name this port, separated by commas; NULL: none */
	FT_LOOK_CELLS
};

/* Strings are safe for a terminal; they and the list of ports are in the memory of the report. */
struct ft_look_port {
	uint32_t number; /* 0: a planned cable whose port the plan does not give */
	char *cells[FT_LOOK_CELLS];
};

struct ft_look {
	const struct ft_report_switch *row; /* of the report */
	char *name, *planned_as;	    /* NULL: not seen; not in the plan */
	bool director, counted;		    /* the ports have chips, errors */
	struct ft_look_port *ports;
	size_t port_count;
	struct ft_report *report; /* with only the findings about this switch, and their verdict */
};

void ft_look_free(struct ft_look *look);
static inline void ft_look_freep(struct ft_look **look)
{
	ft_look_free(*look);
}

/*
 * Shows the switch @name: a GUID, its observed name, whole or short, or its name in the plan; case-insensitive.
 *
 * @ret_look  out: the caller frees it. Untouched on failure.
 * @err       filled on -ENOENT (there is none; similar names are listed), -EEXIST (there are several) and -EXDEV (the
 *            design is that of another fabric)
 * Returns 0, -ENOENT, -EEXIST, -EXDEV or -ENOMEM.
 */
int ft_look_make(const struct ft_verify_input *input, const char *name, struct ft_look **ret_look,
		 struct ft_error *err);

/* Writes a head, the table of ports, the findings. */
void ft_look_write_text(struct ft_text *text, const struct ft_look *look, bool verbose,
			const struct ft_terminal *terminal);
void ft_look_write_json(struct ft_text *text, const struct ft_look *look);

#endif
