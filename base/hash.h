/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Keys for base/map.h that an attacker cannot choose. GUIDs and names come from the fabric, and with a known hash
 * function an attacker could choose thousands that collide in one slot, or two names with one hash. So the hash is
 * SipHash-1-3 with a random key of 128 bits for each process; a child inherits its parent's.
 *
 * Invariant: no result depends on the hashes: they are for look-ups, never for an order, and never stored.
 * Source: Aumasson, Bernstein: SipHash, a fast short-input PRF (2012).
 */
#ifndef FT_BASE_HASH_H
#define FT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Of @length bytes. */
uint64_t ft_hash_bytes(const void *bytes, size_t length);

/* SipHash-1-3 with the caller's key: the same always and everywhere. */
uint64_t ft_hash_keyed(const uint64_t key[2], const void *bytes, size_t length);

/* ft_hash_bytes() of the 8 bytes of @number, the least significant first. */
uint64_t ft_hash_number(uint64_t number);

/* The same for two numbers, such as a GUID and a port. */
uint64_t ft_hash_pair(uint64_t a, uint64_t b);

#endif
