/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The progress line on a terminal: on standard error, the current phase and its progress, from 2 seconds on until the
 * work is done. A process of its own writes it, so that nothing waits for the terminal. Part of the program ftcheck and
 * of no library.
 */
#ifndef FT_VERIFY_CMD_WAITING_H
#define FT_VERIFY_CMD_WAITING_H

#include "probe/progress.h"

/*
 * Starts, if standard error is a terminal. Returns the shared progress for the work to update; NULL: no terminal, or no
 * process or memory for it; the work goes on without.
 */
struct ft_progress *ft_waiting_begin(void);

/* Removes the line, before anything else is written. May be called repeatedly, and without a start. */
void ft_waiting_end(void);

#endif
