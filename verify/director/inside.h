/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Shared by the checks inside directors. Private to inside.c, outer.c and traces.c. */
#ifndef FT_VERIFY_DIRECTOR_INSIDE_H
#define FT_VERIFY_DIRECTOR_INSIDE_H

#include "verify/explain/explain.h"

/* A director under inspection. */
struct ft_inspection {
	struct explain *x;
	const struct ft_director *d;
	uint32_t observed, place;
	struct ft_inside want; /* what it should have: by the plan, else like most directors of its kind */
	struct ft_map *widths; /* results of ft_traces_wanted() */
	uint32_t *hosts_told;  /* missing hosts of it that findings account for */
	uint32_t *holes;       /* dark ports between its cables, more than others have; FT_NONE: not counted yet */
	bool lines_planned;    /* the plan gives the number of line boards */
	struct ft_lost *lost;  /* chips that the baseline knows and that are not there, board by board */
	uint32_t lost_count;
	uint32_t *gap_count;   /* gaps that have a number */
	uint32_t *absent;      /* chips without a slot that boards which are coming back still lack: fabric, line */
	uint32_t *known_board; /* by chip: as of lost ones, or FT_NONE */
	bool *returning;       /* by chip: it is coming back, or others of its board are */
};

static inline const struct ft_chip *ft_inspected_chips(const struct ft_inspection *in)
{
	return in->x->m->chassis->chips + in->d->first;
}

/* The place of a chip in directors of a kind. */
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

/* A chip that was there. */
struct ft_lost {
	const struct ft_baseline_chip *chip;
	bool line;
	bool named; /* its name gives @slot */
	struct ft_slot slot;
	uint32_t board; /* number of its board among those of the side that are known; see recalled.c */
	uint32_t mates; /* without a slot: lost chips of that board, itself too; else 0 */
	uint32_t gap;	/* number of the gap that it is missing in; 0: none yet, FT_NONE: nothing waits for it */
};

/* A missing board, or a missing chip of a board. */
struct ft_gap {
	struct ft_spot spot;
	bool placed;	       /* the board is identified; else only the number of boards is too low */
	const bool *empty;     /* if not placed, by place: the possible slots; NULL: any */
	bool whole;	       /* the whole board is missing */
	bool *members;	       /* of a board that is coming back, by chip of the director: those on it; else NULL */
	uint32_t number;       /* of gaps with lost chips: from 1; 0: none is known */
	uint32_t seen, wanted; /* boards on this side, or chips on the board */
};

/* recalled.c */

/* Finds the lost chips of the director, and those that are coming back. 0 or -ENOMEM. */
int ft_lost_find(struct ft_inspection *in);

/* A lost chip of the board that @chip is on, that is in no gap; NULL: none is known to be. */
const struct ft_lost *ft_lost_on_board(const struct ft_inspection *in, const struct ft_chip *chip);

/* Puts up to @count lost chips of the board of @like into @gap; NULL: none. Returns how many. */
uint32_t ft_lost_take(const struct ft_inspection *in, struct ft_gap *gap, uint32_t count, const struct ft_lost *like);

/* The lost chip of the gap with the lowest GUID, or NULL: none is known. */
const struct ft_lost *ft_lost_of(const struct ft_inspection *in, const struct ft_gap *gap);
/* Calls the finding by the chip of the gap with the lowest GUID, and tells in it which lost ones are not seen. */
void ft_lost_tell(const struct ft_inspection *in, struct ft_finding *f, const struct ft_gap *gap);

/* True if port @port of m->chips led to the gap, and does not lead anywhere now. */
bool ft_port_led_to(const struct ft_inspection *in, const struct ft_gap *gap, uint32_t port);

/* Reports the boards that are coming back. */
void ft_returning_boards(const struct ft_inspection *in);

/* traces.c */

/* Inner ports in state @link without a finding. */
uint32_t ft_traces_in_state(const struct ft_model *m, const struct ft_chip *chip, enum ft_link link);

/*
 * Picks up to @need ports of @chip in state @link, without a finding, that lead to @spot of the same director, judged
 * by their use on other directors and on other chips of this kind. Returns how many are in @ret_ports (ports of
 * m->chips).
 */
uint32_t ft_traces_pick(const struct ft_inspection *in, const struct ft_chip *chip, struct ft_spot spot, uint32_t need,
			enum ft_link link, uint32_t *ret_ports);

/* Takes up to @count arbitrary ports of @chip in state @link for a finding. */
void ft_traces_claim(struct ft_model *m, const struct ft_chip *chip, uint32_t count, enum ft_link link);

/* Adds the port to the finding, and marks it as having one. */
void ft_finding_where_trace(struct ft_model *m, struct ft_finding *f, uint32_t chip_port);

/* Expected traces between them: by the plan, else as many as most pairs of their kinds have. */
uint32_t ft_traces_wanted(const struct ft_inspection *in, const struct ft_chip *a, const struct ft_chip *b);

/* Reports dead traces, and line boards without any trace. 0 or -ENOMEM. */
int ft_traces_explain(const struct ft_inspection *in);

/* Reports traces that are slower, or narrower, than most. */
void ft_traces_rate(struct ft_model *m);

/* outer.c */

/* The first outer port, of the whole director, of the missing part; and how many in @ret_count. */
uint32_t ft_gap_ports(const struct ft_inspection *in, const struct ft_gap *gap, uint32_t *ret_count);

/*
 * Adds the outer cables that are missing with the board to the finding; of a director without any fabric board all
 * missing cables. Returns how many. @f: NULL: only counts them, and takes none.
 */
uint32_t ft_outer_cables_fold(const struct ft_inspection *in, struct ft_finding *f, const struct ft_gap *gap,
			      enum ft_link link);
void ft_outer_cables_fold_all(const struct ft_inspection *in, struct ft_finding *f);

/* The missing hosts of the director, planned in its place, that no finding accounts for. */
uint32_t ft_outer_hosts_lacking(const struct ft_inspection *in);

/* The number of them that are missing with the gap: as many as it has ports without a cable. */
uint32_t ft_outer_hosts_fold(const struct ft_inspection *in, const struct ft_gap *gap, uint32_t cables);

/* inside.c: adds "line board L05" or, without slot names, "line board 5" to @text. */
void ft_board_add(const struct ft_inspection *in, struct ft_spot spot, struct ft_text *text);

/* Adds the ports that led, or should lead, to the board to the finding. */
void ft_gap_where(const struct ft_inspection *in, struct ft_finding *f, const struct ft_gap *gap, enum ft_link link);

/*
 * The action to reseat a line or fabric board, or a chip of it; @name: what it is called; @gap: what is missing, or
 * NULL.
 */
void ft_board_act(const struct ft_inspection *in, struct ft_finding *f, const struct ft_gap *gap, bool line,
		  const char *name);

#endif
