/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A queue of numbers by a key, lowest first: a binary heap. Equal keys are in the order of their numbers, so that what
 * is taken next does not depend on what was put first. Source: J. Williams, "Algorithm 232: Heapsort", 1964; R. Floyd,
 * "Algorithm 245: Treesort 3", 1964, for ft_queue_order().
 *
 * Invariant: no item is before its parent. With an array of places it also knows where each number is, so that any can
 * be removed, or get another key. All is O(log n), but for ft_queue_order(), which is O(n).
 */
#ifndef FT_BASE_QUEUE_H
#define FT_BASE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#define FT_QUEUE_NOWHERE UINT32_MAX

struct ft_queue_item {
	double key;
	uint32_t number;
};

struct ft_queue {
	struct ft_queue_item *items;
	uint32_t count, size;
};

/*
 * In all of these, @places has by number where it is, FT_QUEUE_NOWHERE where it is not. It is always the same array for
 * a queue, and one for several queues if a number is in one of them at most; or it is always NULL, and then a number
 * may be in the queue several times.
 */

void ft_queue_release(struct ft_queue *queue);

/* Room for so many numbers at a time: as long as there are no more, ft_queue_put() does not fail. Returns 0 or -ENOMEM.
 */
int ft_queue_reserve(struct ft_queue *queue, uint32_t size);

static inline bool ft_queue_is_empty(const struct ft_queue *queue)
{
	return queue->count == 0;
}

/* Of a queue that is not empty. */
static inline uint32_t ft_queue_first(const struct ft_queue *queue)
{
	return queue->items[0].number;
}

static inline double ft_queue_key(const struct ft_queue *queue)
{
	return queue->items[0].key;
}

/* Adds a number that is not in it. Returns 0 or -ENOMEM. */
int ft_queue_put(struct ft_queue *queue, uint32_t *places, uint32_t number, double key);

/* A number that is in it comes earlier: its key is now @key, which is no greater than before. */
void ft_queue_advance(struct ft_queue *queue, uint32_t *places, uint32_t number, double key);

/* The first one comes later: its key is now @key, which is no less than before. */
void ft_queue_defer(struct ft_queue *queue, uint32_t *places, double key);

/* Removes the first one of a queue that is not empty, and returns it. */
uint32_t ft_queue_take(struct ft_queue *queue, uint32_t *places);

/* Does nothing where the number is not in it. @places is not NULL. */
void ft_queue_remove(struct ft_queue *queue, uint32_t *places, uint32_t number);

/* Adds a number for which there is room, out of order: ft_queue_order() is next, after the last of them. */
static inline void ft_queue_append(struct ft_queue *queue, uint32_t number, double key)
{
	queue->items[queue->count++] = (struct ft_queue_item){key, number};
}

/* Puts all into order, after numbers were appended or keys changed in place. */
void ft_queue_order(struct ft_queue *queue, uint32_t *places);

#endif
