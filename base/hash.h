/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Keys for base/map.h that an attacker cannot choose. GUIDs and names come from the fabric, and with a known hash
 * function an attacker could choose thousands that collide in one slot, or two names with one hash. So the hash of
 * bytes is SipHash-1-3 with a random key of 128 bits for each process; a child inherits its parent's.
 *
 * Numbers, of which maps have one for each node and port, are hashed by two multiplications to 128 bits whose halves
 * are folded, with the same key, in a tenth of the time: maps compare the numbers themselves, so that a collision costs
 * time and no more, and whoever does not know the key can choose none. One multiplication alone would map the GUIDs of
 * a shipment, which are equally far apart, to equally distant slots, which linear probing does not bear.
 *
 * Invariant: no result depends on the hashes: they are for look-ups, never for an order, and never stored.
 * Sources: Aumasson, Bernstein: SipHash, a fast short-input PRF (2012); Yi: wyhash (2019), for the folded
 * multiplication.
 */
#ifndef FT_BASE_HASH_H
#define FT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Of @length bytes. */
uint64_t ft_hash_bytes(const void *bytes, size_t length);

/* SipHash-1-3 with the caller's key: the same always and everywhere. */
uint64_t ft_hash_keyed(const uint64_t key[2], const void *bytes, size_t length);

/* For tables whose entries have the number itself. */
uint64_t ft_hash_number(uint64_t number);

/* ft_hash_bytes() of two numbers, such as a GUID and a port; the least significant byte first. */
uint64_t ft_hash_pair(uint64_t a, uint64_t b);

#endif
