/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The host's end of a cable: "HCA-1", "mlx5_0/2", "port 2". */
#ifndef FT_PLANNER_PLAN_ADAPTER_H
#define FT_PLANNER_PLAN_ADAPTER_H

#include <stddef.h>
#include <stdint.h>

/* CAs have ports 1 to 254 (IBTA Vol 1, NodeInfo: NumPorts). */
enum { FT_ADAPTER_PORT_MAX = 254 };

enum ft_adapter_relation { FT_ADAPTER_UNLIKE, FT_ADAPTER_SAME, FT_ADAPTER_OTHER };

/*
 * Whether two names mean one adapter of a host. "HCA-1" and "hca1" do; "HCA-1" and "HCA-2" are two. Names of different
 * kinds, as "HCA-1" and "mlx5_0", cannot be compared: they may mean one adapter or not. Names need no NUL.
 */
enum ft_adapter_relation ft_adapter_compare(const char *a, size_t a_length, const char *b, size_t b_length);

/*
 * Parses a list's entry for a host's end: "HCA-2", "mlx5_0/2", "HCA-1 port 2", "2", "p2". The part that is no port
 * number is the adapter.
 *
 * @ret_length  out: bytes of @text that name the adapter; 0: none do
 * @ret_port    out: 0: not said
 */
void ft_adapter_read(const char *text, size_t *ret_length, uint32_t *ret_port);

#endif
