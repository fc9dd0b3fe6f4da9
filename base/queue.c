/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/queue.h"

#include <errno.h>
#include <stdlib.h>

void ft_queue_release(struct ft_queue *q)
{
	free(q->items);
}

int ft_queue_reserve(struct ft_queue *q, uint32_t size)
{
	struct ft_queue_item *items;

	if (size <= q->size)
		return 0;
	items = reallocarray(q->items, size, sizeof(*items));
	if (!items)
		return -ENOMEM;
	q->items = items;
	q->size = size;
	return 0;
}

static inline bool is_before(const struct ft_queue_item *a, const struct ft_queue_item *b)
{
	if (a->key < b->key || a->key > b->key)
		return a->key < b->key;
	return a->number < b->number;
}

static inline void place(struct ft_queue *q, uint32_t *places, uint32_t at, struct ft_queue_item item)
{
	q->items[at] = item;
	if (places)
		places[item.number] = at;
}

static void rise(struct ft_queue *q, uint32_t *places, uint32_t at, struct ft_queue_item item)
{
	for (; at > 0 && is_before(&item, &q->items[(at - 1) / 2]); at = (at - 1) / 2)
		place(q, places, at, q->items[(at - 1) / 2]);
	place(q, places, at, item);
}

static void sink(struct ft_queue *q, uint32_t *places, uint32_t at, struct ft_queue_item item)
{
	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child + 1 < q->count && is_before(&q->items[child + 1], &q->items[child]))
			child++;
		if (child >= q->count || !is_before(&q->items[child], &item))
			break;
		place(q, places, at, q->items[child]);
		at = child;
	}
	place(q, places, at, item);
}

int ft_queue_put(struct ft_queue *q, uint32_t *places, uint32_t number, double key)
{
	if (q->count == q->size && ft_queue_reserve(q, q->size ? 2 * q->size : 4) < 0)
		return -ENOMEM;
	rise(q, places, q->count++, (struct ft_queue_item){key, number});
	return 0;
}

void ft_queue_advance(struct ft_queue *q, uint32_t *places, uint32_t number, double key)
{
	rise(q, places, places[number], (struct ft_queue_item){key, number});
}

void ft_queue_defer(struct ft_queue *q, uint32_t *places, double key)
{
	sink(q, places, 0, (struct ft_queue_item){key, q->items[0].number});
}

uint32_t ft_queue_take(struct ft_queue *q, uint32_t *places)
{
	uint32_t first = q->items[0].number;
	struct ft_queue_item last = q->items[--q->count];

	if (places)
		places[first] = FT_QUEUE_NOWHERE;
	if (q->count > 0)
		sink(q, places, 0, last);
	return first;
}

void ft_queue_remove(struct ft_queue *q, uint32_t *places, uint32_t number)
{
	uint32_t at = places[number];
	struct ft_queue_item last;

	if (at == FT_QUEUE_NOWHERE)
		return;
	places[number] = FT_QUEUE_NOWHERE;
	last = q->items[--q->count];
	if (at == q->count)
		return;
	if (at > 0 && is_before(&last, &q->items[(at - 1) / 2]))
		rise(q, places, at, last);
	else
		sink(q, places, at, last);
}

void ft_queue_order(struct ft_queue *q, uint32_t *places)
{
	for (uint32_t at = q->count; at-- > q->count / 2;)
		place(q, places, at, q->items[at]);
	for (uint32_t at = q->count / 2; at-- > 0;)
		sink(q, places, at, q->items[at]);
}
