/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/hash.h"

#include <endian.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

static uint64_t hash_key[2];

/*
 * Drawn before main(), so that every thread has it, and children that may not call getrandom(2) any more. Fallback
 * early at boot, while the pool is not ready: the random bytes that the kernel passes to every process.
 */
__attribute__((constructor)) static void key_draw(void)
{
	const void *given = (const void *)getauxval(AT_RANDOM);

	if (getrandom(hash_key, sizeof(hash_key), GRND_NONBLOCK) == (ssize_t)sizeof(hash_key) || !given)
		return;
	memcpy(hash_key, given, sizeof(hash_key));
}

struct state {
	uint64_t v0, v1, v2, v3;
};

static inline uint64_t rotate(uint64_t x, unsigned int bits)
{
	return x << bits | x >> (64 - bits);
}

static inline void state_round(struct state *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = rotate(s->v1, 13) ^ s->v0;
	s->v3 = rotate(s->v3, 16) ^ s->v2;
	s->v0 = rotate(s->v0, 32);
	s->v2 += s->v1;
	s->v0 += s->v3;
	s->v1 = rotate(s->v1, 17) ^ s->v2;
	s->v3 = rotate(s->v3, 21) ^ s->v0;
	s->v2 = rotate(s->v2, 32);
}

static inline struct state state_begin(const uint64_t key[2])
{
	return (struct state){
		key[0] ^ 0x736f6d6570736575ULL,
		key[1] ^ 0x646f72616e646f6dULL,
		key[0] ^ 0x6c7967656e657261ULL,
		key[1] ^ 0x7465646279746573ULL,
	};
}

static inline void state_take(struct state *s, uint64_t word)
{
	s->v3 ^= word;
	state_round(s);
	s->v0 ^= word;
}

/* @last: the bytes after the last whole word, and above them the length modulo 256. */
static inline uint64_t state_end(struct state *s, uint64_t last)
{
	state_take(s, last);
	s->v2 ^= 0xff;
	state_round(s);
	state_round(s);
	state_round(s);
	return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

uint64_t ft_hash_keyed(const uint64_t key[2], const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	struct state s = state_begin(key);
	uint64_t last = (uint64_t)length << 56, word;

	for (size_t left = length; left >= sizeof(word); left -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		state_take(&s, le64toh(word));
	}
	for (unsigned int i = 0; i < length % sizeof(word); i++)
		last |= (uint64_t)at[i] << 8 * i;
	return state_end(&s, last);
}

uint64_t ft_hash_bytes(const void *bytes, size_t length)
{
	return ft_hash_keyed(hash_key, bytes, length);
}

static inline uint64_t folded_product(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t ft_hash_number(uint64_t number)
{
	static const uint64_t odd = 0x9e3779b97f4a7c15ULL;

	return folded_product(folded_product(number ^ hash_key[0], hash_key[1] | 1) ^ hash_key[1], odd);
}

uint64_t ft_hash_pair(uint64_t a, uint64_t b)
{
	struct state s = state_begin(hash_key);

	state_take(&s, a);
	state_take(&s, b);
	return state_end(&s, (uint64_t)(2 * sizeof(a)) << 56);
}
