/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Keys for base/map.h that nobody outside can choose. GUIDs and names come from the fabric, and whoever knows the hash
 * can choose thousands that end in one slot, or two names of one hash. So the hash is SipHash-1-3 with a key of 128
 * random bits, drawn once a process; a child has its parent's.
 *
 * No result may depend on these numbers: they are for looking things up, never for an order, and never written down.
 * Source: Aumasson, Bernstein: SipHash, a fast short-input PRF (2012).
 */
#ifndef FT_BASE_HASH_H
#define FT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Of @length bytes. */
uint64_t ft_hash_bytes(const void *bytes, size_t length);

/* SipHash-1-3 with a key of the caller's: the same always and everywhere. */
uint64_t ft_hash_keyed(const uint64_t key[2], const void *bytes, size_t length);

/* ft_hash_bytes() of the 8 bytes of @number, the least significant first. */
uint64_t ft_hash_number(uint64_t number);

/* The same of two numbers, such as a GUID and a port. */
uint64_t ft_hash_pair(uint64_t a, uint64_t b);

#endif
