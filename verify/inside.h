/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the checks of the insides of directors share. Private to inside.c and inside_traces.c. */
#ifndef FT_VERIFY_INSIDE_H
#define FT_VERIFY_INSIDE_H

#include "verify/explain.h"

/* How many traces a line chip of that number has to a fabric chip of a tier's directors, as most have it. */
struct ft_trace_width {
	enum ft_tier tier;
	uint32_t line_chip, board, chip;
	uint32_t traces;
};

/* What has been counted already. */
struct ft_trace_widths {
	struct ft_trace_width *list; /* owned */
	uint32_t count, size;
};

/* A director under inspection. */
struct ft_inspection {
	struct explain *x;
	const struct ft_director *d;
	uint32_t live, place;
	struct ft_inside want; /* what it should have: by the plan, else as most directors of the tier have it */
	struct ft_trace_widths *widths;
	bool lines_planned; /* how many line boards there should be is in the plan */
};

/* A place of a chip in directors of a tier. */
struct ft_spot {
	bool line;
	uint32_t board, chip;
};

static inline bool ft_chip_is_at(const struct ft_chip *chip, struct ft_spot spot)
{
	return chip->line == spot.line && chip->board == spot.board && chip->chip == spot.chip;
}

static inline struct ft_spot ft_spot_of(const struct ft_chip *chip)
{
	return (struct ft_spot){chip->line, chip->board, chip->chip};
}

/* inside_traces.c */

/* Ports inside that are in state @link and that no finding has yet. */
uint32_t ft_traces_in_state(const struct ft_model *m, const struct ft_chip *chip, enum ft_link link);

/*
 * Picks up to @need ports of @chip that are in state @link, belong to no finding yet, and lead to @spot of the same
 * director by what other directors, and other chips of this kind, use them for. Returns how many are in @ret_ports
 * (ports of m->chips).
 */
uint32_t ft_traces_pick(const struct ft_inspection *in, const struct ft_chip *chip, struct ft_spot spot, uint32_t need,
			enum ft_link link, uint32_t *ret_ports);

/* Up to @count ports of @chip in state @link, whichever, belong to a finding now. */
void ft_traces_claim(struct ft_model *m, const struct ft_chip *chip, uint32_t count, enum ft_link link);

/* Adds the port to the finding, and to those that a finding has. */
void ft_finding_where_trace(struct ft_model *m, struct ft_finding *f, uint32_t chip_port);

/* Traces that are seen between two chips. */
uint32_t ft_traces_between(const struct ft_model *m, const struct ft_chip *a, const struct ft_chip *b);

/* Traces there should be between them: by the plan, else as most pairs of their kinds have. */
uint32_t ft_traces_wanted(const struct ft_inspection *in, const struct ft_chip *line, const struct ft_chip *fabric);

/* The dead ones, and line boards that have lost all. */
void ft_traces_explain(const struct ft_inspection *in);

/* Traces that run slower, or narrower, than most. */
void ft_traces_rate(struct ft_model *m);

/* inside.c: "line board L05" or, where names tell none, "line board 5"; @text is added to. */
void ft_board_add(const struct ft_inspection *in, struct ft_spot spot, struct ft_text *text);

/* The board at @spot, or one chip of it, is to be reseated; @words: what it is called. */
void ft_board_act(const struct ft_inspection *in, struct ft_finding *f, struct ft_spot spot, bool whole,
		  const char *words);

/* Whether names of chips tell what that board is called. */
bool ft_board_is_named(const struct ft_inspection *in, struct ft_spot spot);

#endif
