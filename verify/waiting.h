/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What somebody at a terminal sees while he waits: one line on standard error, which says what is being done and how
 * far it is, from 2 seconds on and until it is through. A process of its own writes it, so that nothing waits for the
 * terminal. Part of the program ftcheck and of no library.
 */
#ifndef FT_VERIFY_WAITING_H
#define FT_VERIFY_WAITING_H

#include "probe/progress.h"

/*
 * Begins, if standard error is a terminal. Returns what the work writes into how far it is; NULL: nobody looks, or
 * there is no process or memory for it, and the work goes on without.
 */
struct ft_progress *ft_waiting_begin(void);

/* Takes the line away, before anything else is written. May be called more than once, and where nothing began. */
void ft_waiting_end(void);

#endif
