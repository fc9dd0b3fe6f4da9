/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * An Ethernet fabric as its machines see it by LLDP: what "lldpcli show neighbors -f json" or "-f json0" printed on
 * each of them, one file a machine, or one file with an object {"machine": NAME, "lldp": …} for each machine: on lines,
 * one after the other, or in an array. All of it becomes one snapshot, the same that InfiniBand fabrics become.
 *
 *     _cleanup_(ft_lldp_freep) struct ft_lldp *lldp = NULL;
 *
 *     r = ft_lldp_new(&lldp);
 *     r = ft_lldp_add(lldp, text, length, "leaf01", err);    and so on, in any order
 *     r = ft_lldp_finish(lldp, &snapshot, err);
 *
 * - lldp_read.c reads the forms. lldpd's "json" collapses: one interface, neighbour or value is an object, several are
 *   an array, and a chassis is keyed by its name, or by none. "json0" is regular. Without neighbours there are no
 *   interfaces.
 * - lldp_machines.c tells which names are one machine: leaf01 and leaf01.example.com, unless another domain has a
 *   leaf01 too; and a neighbour without a name by its chassis id.
 * - lldp_ports.c tells which port a neighbour's port id is: an interface name as it is; else the description or the
 *   local name, if the machine has an interface called so; else what the other end of the cable says of itself (port
 *   ids by MAC address); else the description, if it looks like one.
 *   Cables that lead to one address, or to one bond, are of as many ports.
 * - lldp_links.c makes links. Two ports that see each other are a link. What one side sees alone is a link too, unless
 *   the other port sees somebody else: a silent neighbour is no missing cable. Of several neighbours on a port the one
 *   that sees it in return holds, then the one that came last; a stale entry, and who is known by it only, is left out.
 *   So is the bridge or bond of a machine that hears what its port hears.
 *
 * Where the records have times, one is void if every machine that it names, and that has a record, handed that over
 * some seconds later and does not hear the machine any more: that has died, and nobody took its record away. Within
 * these seconds it may have begun just now: it hears its neighbours before they hear it.
 *
 * A machine that is named and has no record is silent: its other ports are FT_LINK_UNREAD. Of one with a record, ports
 * without a neighbour are FT_LINK_DOWN. Management ports are left out, and with them what only they see.
 *
 * The input is not trusted: strings are cut at FT_LLDP_STRING_MAX, and the number of neighbours is bounded.
 */
#ifndef FT_PROBE_LLDP_H
#define FT_PROBE_LLDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/snapshot.h"

enum {
	FT_LLDP_STRING_MAX = 255, /* bytes of a name: IEEE 802.1AB, the System Name TLV */
	FT_LLDP_HEARD_MAX = 1000000,
	FT_LLDP_FILE_MAX = 256 << 20, /* bytes of a file */
};

struct ft_lldp;

/* Returns 0 or -ENOMEM. */
int ft_lldp_new(struct ft_lldp **ret_lldp);
void ft_lldp_free(struct ft_lldp *lldp);
static inline void ft_lldp_freep(struct ft_lldp **lldp)
{
	ft_lldp_free(*lldp);
}

/* Whether this may be such a recording: an object, or an array of objects, whose first key is "lldp", "machine" or what
 * lldpcli watch prints. */
bool ft_lldp_is(const char *text, size_t length);

/*
 * The machine that a file is of, by its name: leaf01 of "site/leaf01.json". The caller frees @ret_machine, which is
 * NULL for standard input. Returns 0 or -ENOMEM.
 */
int ft_lldp_machine(const char *path, char **ret_machine);

/*
 * Adds what one file holds.
 *
 * @machine  whose neighbours they are, where the text does not say it; NULL: it has to
 * @time_ns  Unix time when it was handed over; 0: not known
 * Returns 0, -ENOMEM, or -EINVAL or -EFBIG with @err filled: line and column too. Then nothing of it was added.
 */
int ft_lldp_add_at(struct ft_lldp *lldp, const char *text, size_t length, const char *machine, int64_t time_ns,
		   struct ft_error *err);
static inline int ft_lldp_add(struct ft_lldp *lldp, const char *text, size_t length, const char *machine,
			      struct ft_error *err)
{
	return ft_lldp_add_at(lldp, text, length, machine, 0, err);
}

/*
 * Makes the snapshot. A node's GUID is its name's checksum, or the MAC address of a neighbour without a name.
 *
 * Returns 0, -ENOMEM, or -EINVAL with @err filled (without a line): a machine has more ports than a snapshot holds.
 */
int ft_lldp_finish(struct ft_lldp *lldp, struct ft_snapshot **ret_snapshot, struct ft_error *err);

#endif
