/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The wiring of an Ethernet fabric as ptmd reads it, topology.dot: an undirected graph of graphviz whose edges join
 * ports of machines,
 *
 *     graph G {
 *         "leaf01":"swp1" -- "spine01":"swp3";
 *         "leaf01" [function="leaf"];
 *     }
 *
 * It becomes a design: a graph of switches, with ports and hosts, and without the VLANs of planner/ethernet/.
 *
 * - A machine is a host if its function says so ("host", "server"), or if its interfaces are called as Linux calls
 *   network adapters and others' are not; else by its name ("server101"). All others are switches.
 * - The kind of a switch is its function, or its name without the number: leaf01 is a leaf.
 * - Ports have the numbers at the end of their names, if no two of a switch have the same; else those of their natural
 *   order. "interfaces" of the design names them. Management ports are left out.
 * - Ports that the file gives to several cables contradict each other, as does a cable from a port to itself. Of cables
 *   that exclude each other as many are kept as go together, without their ports; "contradictions" of the design says
 *   what the file says.
 *
 * Source: ptmd's README (github.com/CumulusNetworks/ptm), and the grammar of graphviz' DOT language.
 */
#ifndef FT_PLANNER_DESIGN_DOT_H
#define FT_PLANNER_DESIGN_DOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* Whether the text begins as a graph: "graph" or "digraph", after comments. */
bool ft_dot_is(const char *text, size_t length);

/*
 * Writes the design.
 *
 * Returns 0, -ENOMEM, or -EINVAL with @err filled, line and column included.
 */
int ft_dot_design(const char *text, size_t length, struct ft_text *ret_design, struct ft_error *err);

#endif
