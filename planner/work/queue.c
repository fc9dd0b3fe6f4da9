/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/work/queue.h"

#include <errno.h>
#include <stdlib.h>

void ft_queue_release(struct ft_queue *q)
{
	free(q->items);
}

static bool is_before(const struct ft_queue_item *a, const struct ft_queue_item *b)
{
	if (a->key < b->key || a->key > b->key)
		return a->key < b->key;
	return a->number < b->number;
}

static void place(struct ft_queue *q, uint32_t *places, uint32_t at, struct ft_queue_item item)
{
	q->items[at] = item;
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
	if (q->count == q->size) {
		uint32_t size = q->size ? 2 * q->size : 4;
		struct ft_queue_item *items = reallocarray(q->items, size, sizeof(*items));

		if (!items)
			return -ENOMEM;
		q->items = items;
		q->size = size;
	}
	rise(q, places, q->count++, (struct ft_queue_item){key, number});
	return 0;
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
