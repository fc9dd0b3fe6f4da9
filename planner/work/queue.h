/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A queue of numbers by a key, lowest first: a binary heap that knows where each number is, so that any can be removed
 * in O(log n). Equal keys are in the order of their numbers.
 */
#ifndef FT_PLANNER_WORK_QUEUE_H
#define FT_PLANNER_WORK_QUEUE_H

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

void ft_queue_release(struct ft_queue *queue);

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

/*
 * Adds a number that is not in it.
 *
 * @places  by number: where it is, FT_QUEUE_NOWHERE where it is not; always the same array for a queue, and one for
 *          several queues if a number is in one of them at most
 * Returns 0 or -ENOMEM.
 */
int ft_queue_put(struct ft_queue *queue, uint32_t *places, uint32_t number, double key);

/* Does nothing where the number is not in it. */
void ft_queue_remove(struct ft_queue *queue, uint32_t *places, uint32_t number);

#endif
