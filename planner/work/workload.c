/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/work/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"
#include "base/cleanup.h"
#include "base/text.h"

enum { KB = 1024, SHORT = 1 * KB, LONG = 10 * KB, RANDOM_MESSAGES = 40000, NONE = UINT32_MAX };

/* ---- state ---- */

/* What each kind uses of it is said at its functions. */
struct ft_workload_run {
	struct ft_workload workload;
	struct ft_workload_setup setup;
	uint64_t messages;
	uint32_t *sent;			    /* by task */
	uint32_t *received;		    /* by task */
	uint32_t *first, *last, *following; /* lists of messages that a task is to send; NONE ends them */
	struct ft_message *list;	    /* of random */
	uint32_t wave_end, wave_left;	    /* of random: where the wave ends, and how many have not arrived */
	uint32_t *wake, wake_count;
};

struct ft_workload_kind {
	const char *name;
	uint32_t bytes;
	bool has_wave;
	uint32_t least; /* tasks */
	uint64_t (*count)(const struct ft_workload_run *run);
	int (*begin)(struct ft_workload_run *run); /* NULL: nothing but the counts is needed */
	bool (*next)(struct ft_workload_run *run, uint32_t task, struct ft_message *ret);
	void (*arrived)(struct ft_workload_run *run, const struct ft_message *message); /* NULL: only counted */
};

static uint32_t tasks_of(const struct ft_workload_run *run)
{
	return run->setup.tasks;
}

/* ---- all-to-all ---- */

static uint64_t all_count(const struct ft_workload_run *run)
{
	return (uint64_t)tasks_of(run) * (tasks_of(run) - 1);
}

static bool all_next(struct ft_workload_run *run, uint32_t task, struct ft_message *ret)
{
	if (run->sent[task] == tasks_of(run) - 1)
		return false;
	ret->to = (uint32_t)(((uint64_t)task + ++run->sent[task]) % tasks_of(run));
	return true;
}

/* ---- binary-tree ---- */

static uint64_t tree_count(const struct ft_workload_run *run)
{
	return tasks_of(run) - 1;
}

/* Messages to a task: of those 2^s above it, as long as 2^s is below its own lowest bit. */
static uint32_t tree_expected(const struct ft_workload_run *run, uint32_t task)
{
	uint32_t count = 0;

	for (uint64_t step = 1; task + step < tasks_of(run) && (task & step) == 0; step *= 2)
		count++;
	return count;
}

static bool tree_next(struct ft_workload_run *run, uint32_t task, struct ft_message *ret)
{
	if (task == 0 || run->sent[task] > 0 || run->received[task] < tree_expected(run, task))
		return false;
	run->sent[task]++;
	ret->to = task & (task - 1);
	return true;
}

/* ---- butterfly: sent and received have a bit a step ---- */

static uint64_t butterfly_count(const struct ft_workload_run *run)
{
	uint64_t count = 0;

	for (uint32_t bit = 1; bit < tasks_of(run); bit *= 2)
		for (uint32_t task = 0; task < tasks_of(run); task++)
			count += (task ^ bit) < tasks_of(run);
	return count;
}

/* The first step whose message was not sent, or has not come. */
static bool butterfly_next(struct ft_workload_run *run, uint32_t task, struct ft_message *ret)
{
	for (uint32_t bit = 1; bit < tasks_of(run); bit *= 2) {
		uint32_t partner = task ^ bit;

		if (partner >= tasks_of(run) || (run->sent[task] & run->received[task] & bit))
			continue;
		if (run->sent[task] & bit)
			return false;
		run->sent[task] |= bit;
		*ret = (struct ft_message){task, partner, bit};
		return true;
	}
	return false;
}

static void butterfly_arrived(struct ft_workload_run *run, const struct ft_message *message)
{
	run->received[message->to] |= message->tag;
}

/* ---- near-neighbor ---- */

/* The next place along a line of @length, which is a ring. */
static uint32_t neighbor_along(uint32_t at, uint32_t length, bool forward)
{
	return (at + (forward ? 1 : length - 1)) % length;
}

/* Neighbour @direction: X+, X-, Y+, Y-. Where the last row is not full, it and the columns behind it are shorter. */
static uint32_t neighbor_of(const struct ft_workload_run *run, uint32_t task, uint32_t direction)
{
	uint32_t width = run->setup.mesh_x, tasks = tasks_of(run), x = task % width, y = task / width;
	uint32_t in_row = tasks - y * width < width ? tasks - y * width : width;
	uint32_t in_column = tasks / width + (x < tasks % width);

	if (direction < 2)
		return y * width + neighbor_along(x, in_row, direction == 0);
	return neighbor_along(y, in_column, direction == 2) * width + x;
}

static uint64_t neighbor_count(const struct ft_workload_run *run)
{
	uint64_t count = 0;

	for (uint32_t task = 0; task < tasks_of(run); task++)
		for (uint32_t direction = 0; direction < 4; direction++)
			count += neighbor_of(run, task, direction) != task;
	return count;
}

/* Nobody is their own neighbour, as they would be in a torus of one row. */
static bool neighbor_next(struct ft_workload_run *run, uint32_t task, struct ft_message *ret)
{
	while (run->sent[task] < 4) {
		ret->to = neighbor_of(run, task, run->sent[task]++);
		if (ret->to != task)
			return true;
	}
	return false;
}

/*
 * ---- n-bodies: the tag of a message is the chain's source; received: steps that a chain has made ----
 *
 * A chain is in one place at a time: each task has the list of the chains that it is to pass on.
 */

static uint32_t bodies_of(const struct ft_workload_run *run)
{
	return tasks_of(run) - (tasks_of(run) % 2 == 0);
}

static uint64_t bodies_count(const struct ft_workload_run *run)
{
	uint64_t bodies = bodies_of(run);

	return bodies * ((bodies - 1) / 2 + 1);
}

static int lists_make(struct ft_workload_run *run, uint32_t items)
{
	run->first = malloc((tasks_of(run) + 1UL) * sizeof(*run->first));
	run->last = malloc((tasks_of(run) + 1UL) * sizeof(*run->last));
	run->following = malloc((items + 1UL) * sizeof(*run->following));
	if (!run->first || !run->last || !run->following)
		return -ENOMEM;
	for (uint32_t task = 0; task < tasks_of(run); task++)
		run->first[task] = NONE;
	return 0;
}

static void list_add(struct ft_workload_run *run, uint32_t task, uint32_t item)
{
	run->following[item] = NONE;
	if (run->first[task] == NONE)
		run->first[task] = item;
	else
		run->following[run->last[task]] = item;
	run->last[task] = item;
}

static bool list_take(struct ft_workload_run *run, uint32_t task, uint32_t *ret_item)
{
	*ret_item = run->first[task];
	if (*ret_item == NONE)
		return false;
	run->first[task] = run->following[*ret_item];
	return true;
}

static int bodies_begin(struct ft_workload_run *run)
{
	int r = lists_make(run, tasks_of(run));

	for (uint32_t task = 0; r == 0 && task < bodies_of(run); task++)
		list_add(run, task, task);
	return r;
}

static bool bodies_next(struct ft_workload_run *run, uint32_t task, struct ft_message *ret)
{
	uint32_t chain;

	if (!list_take(run, task, &chain))
		return false;
	ret->to = run->received[chain] < (bodies_of(run) - 1) / 2 ? (task + 1) % bodies_of(run) : chain;
	ret->tag = chain;
	return true;
}

static void bodies_arrived(struct ft_workload_run *run, const struct ft_message *message)
{
	if (run->received[message->tag]++ < (bodies_of(run) - 1) / 2)
		list_add(run, message->to, message->tag);
}

/* ---- random ---- */

static uint64_t random_count(const struct ft_workload_run *run)
{
	(void)run;
	return RANDOM_MESSAGES;
}

/* The next wave: its messages are listed with their sources, and these are to be woken, each once. */
static void wave_begin(struct ft_workload_run *run)
{
	uint32_t from = run->wave_end, left = RANDOM_MESSAGES - from;

	run->wave_left = left < run->workload.wave ? left : run->workload.wave;
	run->wave_end = from + run->wave_left;
	for (uint32_t i = from; i < run->wave_end; i++) {
		if (run->first[run->list[i].from] == NONE)
			run->wake[run->wake_count++] = run->list[i].from;
		list_add(run, run->list[i].from, i);
	}
}

static int random_begin(struct ft_workload_run *run)
{
	uint64_t state = run->setup.seed;
	int r = lists_make(run, RANDOM_MESSAGES);

	run->list = calloc(RANDOM_MESSAGES, sizeof(*run->list));
	if (r < 0 || !run->list)
		return -ENOMEM;
	for (uint32_t i = 0; i < RANDOM_MESSAGES; i++) {
		uint32_t from = (uint32_t)(ft_chance_next(&state) % tasks_of(run));
		uint32_t to = (uint32_t)(ft_chance_next(&state) % (tasks_of(run) - 1));

		run->list[i] = (struct ft_message){from, to + (to >= from), i};
	}
	wave_begin(run);
	return 0;
}

static bool random_take(struct ft_workload_run *run, uint32_t task, struct ft_message *ret)
{
	uint32_t item;

	if (!list_take(run, task, &item))
		return false;
	*ret = run->list[item];
	return true;
}

static void random_arrived(struct ft_workload_run *run, const struct ft_message *message)
{
	(void)message;
	run->wake_count = 0;
	if (--run->wave_left == 0 && run->wave_end < RANDOM_MESSAGES)
		wave_begin(run);
}

/* ---- all of them ---- */

static const struct ft_workload_kind kinds[] = {
	{"all-to-all", SHORT, false, 2, all_count, NULL, all_next, NULL},
	{"binary-tree", LONG, false, 2, tree_count, NULL, tree_next, NULL},
	{"butterfly", LONG, false, 2, butterfly_count, NULL, butterfly_next, butterfly_arrived},
	{"near-neighbor", LONG, false, 2, neighbor_count, NULL, neighbor_next, NULL},
	{"n-bodies", LONG, false, 3, bodies_count, bodies_begin, bodies_next, bodies_arrived},
	{"random", LONG, true, 2, random_count, random_begin, random_take, random_arrived},
};

void ft_workload_names(struct ft_text *text)
{
	for (size_t i = 0; i < FT_COUNT(kinds); i++)
		ft_text_printf(text, "%s%s%s",
			       i == 0			 ? ""
			       : i + 1 < FT_COUNT(kinds) ? ", "
							 : " and ",
			       kinds[i].name, kinds[i].has_wave ? ":W" : "");
}

static int unknown(const char *name, size_t length, struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text names = {0};
	_cleanup_free_ char *safe = ft_text_safe_dup(name, length);

	ft_workload_names(&names);
	if (!safe || ft_text_failed(&names))
		return -ENOMEM;
	return ft_error_set(err, -EINVAL, 0, 0, "there is no workload \"%s\"; there are %s", safe,
			    ft_text_string(&names));
}

static int wave_read(const struct ft_workload_kind *kind, const char *wave, size_t length, uint32_t *ret_wave,
		     struct ft_error *err)
{
	size_t digits = strspn(wave, "0123456789");
	unsigned long value = digits > 0 && digits < 10 ? strtoul(wave, NULL, 10) : 0;

	if (digits != length || value < 1 || value > RANDOM_MESSAGES)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "%s takes the length of its waves, from 1 to %u messages: %s:200", kind->name,
				    (unsigned int)RANDOM_MESSAGES, kind->name);
	*ret_wave = (uint32_t)value;
	return 0;
}

static int workload_read(const char *name, size_t length, struct ft_workload *ret, struct ft_error *err)
{
	const char *colon = memchr(name, ':', length);
	size_t word = colon ? (size_t)(colon - name) : length;

	for (size_t i = 0; i < FT_COUNT(kinds); i++) {
		int r = 0;

		if (strlen(kinds[i].name) != word || strncmp(kinds[i].name, name, word) != 0)
			continue;
		if (!kinds[i].has_wave && colon)
			break;
		*ret = (struct ft_workload){.kind = &kinds[i]};
		if (kinds[i].has_wave)
			r = wave_read(&kinds[i], colon ? colon + 1 : "", colon ? length - word - 1 : 0, &ret->wave,
				      err);
		if (kinds[i].has_wave)
			snprintf(ret->name, sizeof(ret->name), "%s:%u", kinds[i].name, ret->wave);
		else
			snprintf(ret->name, sizeof(ret->name), "%s", kinds[i].name);
		return r;
	}
	return unknown(name, length, err);
}

int ft_workload_read(const char *names, struct ft_workload_list *ret_list, struct ft_error *err)
{
	struct ft_workload_list list = {0};

	for (;;) {
		size_t length = strcspn(names, ",");
		int r;

		if (list.count == FT_WORKLOADS_MAX)
			return ft_error_set(err, -EINVAL, 0, 0, "more than %u workloads are too many at once",
					    (unsigned int)FT_WORKLOADS_MAX);
		r = workload_read(names, length, &list.items[list.count], err);
		if (r < 0)
			return r;
		list.count++;
		if (names[length] == '\0')
			break;
		names += length + 1;
	}
	*ret_list = list;
	return 0;
}

int ft_workload_check(const struct ft_workload *workload, const struct ft_workload_setup *setup, struct ft_error *err)
{
	if (setup->tasks >= workload->kind->least)
		return 0;
	return ft_error_set(err, -EINVAL, 0, 0, "%s takes %u hosts or more; there %s %u", workload->name,
			    workload->kind->least, setup->tasks == 1 ? "is" : "are", setup->tasks);
}

uint32_t ft_workload_bytes(const struct ft_workload *workload)
{
	return workload->kind->bytes;
}

void ft_workload_run_free(struct ft_workload_run *run)
{
	if (!run)
		return;
	free(run->sent);
	free(run->received);
	free(run->first);
	free(run->last);
	free(run->following);
	free(run->list);
	free(run->wake);
	free(run);
}

int ft_workload_begin(const struct ft_workload *workload, const struct ft_workload_setup *setup,
		      struct ft_workload_run **ret)
{
	_cleanup_(ft_workload_run_freep) struct ft_workload_run *run = calloc(1, sizeof(*run));

	if (!run)
		return -ENOMEM;
	run->workload = *workload;
	run->setup = *setup;
	run->sent = calloc(setup->tasks + 1UL, sizeof(*run->sent));
	run->received = calloc(setup->tasks + 1UL, sizeof(*run->received));
	run->wake = calloc(setup->tasks + 1UL, sizeof(*run->wake));
	if (!run->sent || !run->received || !run->wake)
		return -ENOMEM;
	run->messages = workload->kind->count(run);
	if (workload->kind->begin && workload->kind->begin(run) < 0)
		return -ENOMEM;
	*ret = FT_STEAL(run);
	return 0;
}

uint64_t ft_workload_messages(const struct ft_workload_run *run)
{
	return run->messages;
}

bool ft_workload_next(struct ft_workload_run *run, uint32_t task, struct ft_message *ret)
{
	struct ft_message message = {task, task, 0};

	if (!run->workload.kind->next(run, task, &message))
		return false;
	*ret = message;
	return true;
}

void ft_workload_arrived(struct ft_workload_run *run, const struct ft_message *message, const uint32_t **ret_wake,
			 uint32_t *ret_count)
{
	/* All but random: the receiver. */
	run->wake[0] = message->to;
	run->wake_count = 1;
	if (run->workload.kind->arrived)
		run->workload.kind->arrived(run, message);
	else
		run->received[message->to]++;
	*ret_wake = run->wake;
	*ret_count = run->wake_count;
}
