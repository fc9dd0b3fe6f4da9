/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/work/simulate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/queue.h"
#include "planner/work/fair.h"

enum { NONE = UINT32_MAX, TELL_EVERY = 1024 };

/* Events that are closer than this part of the shortest time that a message can take are at one moment. */
#define MOMENT 1e-7

/* Of those that are merged: this part of the mean time that the messages under way take at their rates. */
#define MOMENT_MERGED (FT_SIMULATE_MERGED_PERCENT / 100.0)

enum event { EVENT_START, EVENT_ARRIVE };

/* A task's host while it sends; a host sends one message at a time, so that the flow of task i is number i. */
struct flow {
	struct ft_message message;
	uint32_t class;		      /* NONE: it is not on its way */
	uint32_t in_before, in_after; /* others to the same host */
	uint32_t path;
	double end;  /* bytes that a member of the class will have got then */
	double owed; /* bytes that the last message of the task was spared, where its end was merged with an earlier one
		      */
};

/* What a class of fair.h is in the simulation. */
struct group {
	struct ft_queue ends; /* of tasks, by their end */
	double bytes;	      /* that each member has got up to @since_ns */
	double since_ns;
};

struct event_item {
	struct ft_message message;
	enum event kind;
};

struct simulation {
	const struct ft_simulate_input *input;
	struct ft_workload_run *run;
	double bytes; /* of a message */
	double now_ns;
	double moment_ns, moment_least_ns;
	bool merges; /* events that are close to each other */
	struct ft_fair fair;
	uint32_t first_in;	       /* the resource of the first host's link from its switch */
	struct flow *flows;	       /* by task */
	uint32_t *in_first, *in_count; /* by host: flows to it */
	bool *busy;		       /* by task: it sends, or prepares to */
	uint32_t *ready, ready_count;  /* tasks to be asked */
	bool *is_ready;
	uint32_t *end_places;	/* by task: in the queue of its class */
	struct group *groups;	/* by class */
	uint32_t *class_places; /* likewise, in the next one */
	uint32_t group_count, group_size;
	struct ft_queue classes; /* by the time of their next end */
	struct ft_queue waiting; /* of events, by time */
	struct event_item *events;
	uint32_t *event_places; /* by event */
	uint32_t *free_events, free_count, event_count, event_size;
	uint32_t *dirty, dirty_count, dirty_size; /* classes whose members changed */
	uint32_t *class_of_path;		  /* by path; NONE: no flow is on it alone */
	uint32_t class_of_path_size;
	uint64_t arrived, steps;
	uint64_t arrived_alone; /* before events are merged */
};

static void simulation_release(struct simulation *s)
{
	for (uint32_t i = 0; i < s->group_count; i++)
		ft_queue_release(&s->groups[i].ends);
	ft_workload_run_free(s->run);
	ft_fair_release(&s->fair);
	free(s->flows);
	free(s->in_first);
	free(s->in_count);
	free(s->busy);
	free(s->ready);
	free(s->is_ready);
	free(s->groups);
	free(s->end_places);
	free(s->class_places);
	free(s->event_places);
	ft_queue_release(&s->classes);
	ft_queue_release(&s->waiting);
	free(s->events);
	free(s->free_events);
	free(s->dirty);
	free(s->class_of_path);
}

static uint32_t larger(uint32_t size)
{
	return size ? 2 * size : 256;
}

/* Room for @size items. 0 or -ENOMEM. */
static int grow(void *array, uint32_t size, size_t item)
{
	void *grown = reallocarray(*(void **)array, size, item);

	if (!grown)
		return -ENOMEM;
	*(void **)array = grown;
	return 0;
}

/* ---- classes ---- */

/* The bytes that each member of a class has got, up to now, at the rate that it had since. */
static void group_advance(struct simulation *s, uint32_t class, double rate)
{
	struct group *group = &s->groups[class];

	group->bytes += rate * (s->now_ns - group->since_ns);
	group->since_ns = s->now_ns;
}

static int dirty_add(struct simulation *s, uint32_t class)
{
	if (s->dirty_count == s->dirty_size) {
		if (grow(&s->dirty, larger(s->dirty_size), sizeof(*s->dirty)) < 0)
			return -ENOMEM;
		s->dirty_size = larger(s->dirty_size);
	}
	s->dirty[s->dirty_count++] = class;
	return 0;
}

static int groups_grow(struct simulation *s, uint32_t class)
{
	while (class >= s->group_size) {
		uint32_t size = larger(s->group_size);

		if (grow(&s->groups, size, sizeof(*s->groups)) < 0 ||
		    grow(&s->class_places, size, sizeof(*s->class_places)) < 0)
			return -ENOMEM;
		s->group_size = size;
	}
	for (; s->group_count <= class; s->group_count++) {
		s->groups[s->group_count] = (struct group){0};
		s->class_places[s->group_count] = FT_QUEUE_NOWHERE;
	}
	return 0;
}

static int class_new(struct simulation *s, const struct ft_path *path, const struct ft_message *message, bool shared,
		     uint32_t *ret_class)
{
	uint32_t to = s->input->host_of[message->to];
	double out = s->input->traffic->hosts[s->input->host_of[message->from]].bytes_per_ns;
	double in = s->input->traffic->hosts[to].bytes_per_ns;
	int r = ft_fair_add(&s->fair, path, shared ? s->first_in + to : FT_FAIR_NONE, in < out ? in : out, ret_class);

	if (r == 0)
		r = groups_grow(s, *ret_class);
	if (r == 0) {
		s->groups[*ret_class].bytes = 0;
		s->groups[*ret_class].since_ns = s->now_ns;
	}
	return r;
}

/* The class of flows to the same host over the same path: they are few. */
static uint32_t class_shared(const struct simulation *s, uint32_t task)
{
	uint32_t to = s->input->host_of[s->flows[task].message.to];

	for (uint32_t i = s->in_first[to]; i != NONE; i = s->flows[i].in_after)
		if (i != task && s->flows[i].path == s->flows[task].path && s->flows[i].class != NONE &&
		    s->fair.classes[s->flows[i].class].extra != FT_FAIR_NONE)
			return s->flows[i].class;
	return NONE;
}

static int class_of_path_at(struct simulation *s, uint32_t path)
{
	uint32_t known = s->class_of_path_size;

	while (path >= s->class_of_path_size) {
		if (grow(&s->class_of_path, larger(s->class_of_path_size), sizeof(*s->class_of_path)) < 0)
			return -ENOMEM;
		s->class_of_path_size = larger(s->class_of_path_size);
	}
	for (; known < s->class_of_path_size; known++)
		s->class_of_path[known] = NONE;
	return 0;
}

/* Puts the flow of @task, which has @left bytes to go, into the class that it belongs to now. */
static int flow_enter(struct simulation *s, uint32_t task, double left)
{
	struct flow *flow = &s->flows[task];
	bool shared = s->in_count[s->input->host_of[flow->message.to]] > 1;
	const struct ft_path *path;
	uint32_t class;
	int r = ft_paths_find(s->input->paths, s->input->host_of[flow->message.from],
			      s->input->host_of[flow->message.to], &flow->path, &path);

	if (r == 0)
		r = class_of_path_at(s, flow->path);
	if (r < 0)
		return r;
	class = shared ? class_shared(s, task) : s->class_of_path[flow->path];
	if (class == NONE) {
		r = class_new(s, path, &flow->message, shared, &class);
		if (r == 0 && !shared)
			s->class_of_path[flow->path] = class;
	} else {
		group_advance(s, class, s->fair.classes[class].rate);
	}
	if (r == 0)
		r = ft_fair_join(&s->fair, class);
	if (r < 0)
		return r;
	flow->class = class;
	flow->end = s->groups[class].bytes + left;
	r = ft_queue_put(&s->groups[class].ends, s->end_places, task, flow->end);
	return r == 0 ? dirty_add(s, class) : r;
}

/* Takes it out of its class. @ret_left: the bytes that it still has to go. */
static int flow_leave(struct simulation *s, uint32_t task, double *ret_left)
{
	struct flow *flow = &s->flows[task];
	uint32_t class = flow->class;

	group_advance(s, class, s->fair.classes[class].rate);
	*ret_left = flow->end - s->groups[class].bytes;
	ft_queue_remove(&s->groups[class].ends, s->end_places, task);
	if (s->fair.classes[class].members == 1 && s->fair.classes[class].extra == FT_FAIR_NONE)
		s->class_of_path[flow->path] = NONE;
	ft_fair_leave(&s->fair, class);
	flow->class = NONE;
	return dirty_add(s, class);
}

/* The flow to @host that was alone, or is now, changes its class. */
static int flow_move(struct simulation *s, uint32_t host)
{
	uint32_t task = s->in_first[host];
	double left;
	int r;

	if (task == NONE || s->flows[task].class == NONE)
		return 0;
	r = flow_leave(s, task, &left);
	return r == 0 ? flow_enter(s, task, left > 0 ? left : 0) : r;
}

/* ---- flows ---- */

static int flow_start(struct simulation *s, const struct ft_message *message)
{
	uint32_t to = s->input->host_of[message->to], task = message->from;
	struct flow *flow = &s->flows[task];
	int r = 0;

	*flow = (struct flow){*message, NONE, NONE, s->in_first[to], 0, 0, flow->owed};
	s->in_count[to]++;
	if (s->in_count[to] == 2)
		r = flow_move(s, to);
	if (flow->in_after != NONE)
		s->flows[flow->in_after].in_before = task;
	s->in_first[to] = task;
	return r == 0 ? flow_enter(s, task, s->bytes + flow->owed) : r;
}

static int event_add(struct simulation *s, double time_ns, const struct ft_message *message, enum event kind)
{
	uint32_t index;

	if (s->free_count == 0 && s->event_count == s->event_size) {
		uint32_t size = larger(s->event_size);

		if (grow(&s->events, size, sizeof(*s->events)) < 0 ||
		    grow(&s->event_places, size, sizeof(*s->event_places)) < 0 ||
		    grow(&s->free_events, size, sizeof(*s->free_events)) < 0)
			return -ENOMEM;
		s->event_size = size;
	}
	index = s->free_count > 0 ? s->free_events[--s->free_count] : s->event_count++;
	s->events[index] = (struct event_item){*message, kind};
	s->event_places[index] = FT_QUEUE_NOWHERE;
	return ft_queue_put(&s->waiting, s->event_places, index, time_ns);
}

static void ready_add(struct simulation *s, uint32_t task)
{
	if (s->busy[task] || s->is_ready[task])
		return;
	s->is_ready[task] = true;
	s->ready[s->ready_count++] = task;
}

/* Its last byte has left. */
static int flow_end(struct simulation *s, uint32_t task)
{
	struct flow *flow = &s->flows[task];
	struct ft_message message = flow->message;
	uint32_t to = s->input->host_of[message.to], index;
	const struct ft_path *path;
	double left, latency_ns = s->input->host_overhead_ns;
	int r = flow_leave(s, task, &left);

	flow->owed = left > 0 ? left : 0;
	if (flow->in_before != NONE)
		s->flows[flow->in_before].in_after = flow->in_after;
	else
		s->in_first[to] = flow->in_after;
	if (flow->in_after != NONE)
		s->flows[flow->in_after].in_before = flow->in_before;
	s->in_count[to]--;
	if (r == 0 && s->in_count[to] == 1)
		r = flow_move(s, to);
	if (r == 0)
		r = ft_paths_find(s->input->paths, s->input->host_of[message.from], to, &index, &path);
	if (r < 0)
		return r;
	latency_ns += path->switches * s->input->switch_latency_ns;
	s->busy[task] = false;
	ready_add(s, task);
	return event_add(s, s->now_ns + latency_ns, &message, EVENT_ARRIVE);
}

static int task_ask(struct simulation *s, uint32_t task)
{
	struct ft_message message;

	s->is_ready[task] = false;
	if (s->busy[task] || !ft_workload_next(s->run, task, &message))
		return 0;
	s->busy[task] = true;
	if (s->input->host_overhead_ns > 0)
		return event_add(s, s->now_ns + s->input->host_overhead_ns, &message, EVENT_START);
	return flow_start(s, &message);
}

static void message_arrive(struct simulation *s, const struct ft_message *message)
{
	const uint32_t *wake;
	uint32_t count;

	s->arrived++;
	ft_workload_arrived(s->run, message, &wake, &count);
	for (uint32_t i = 0; i < count; i++)
		ready_add(s, wake[i]);
}

/* ---- time ---- */

/* The next end of a class, in the queue of all classes. */
static int class_schedule(struct simulation *s, uint32_t class)
{
	const struct group *group = &s->groups[class];
	double rate = s->fair.classes[class].rate, left;

	ft_queue_remove(&s->classes, s->class_places, class);
	if (s->fair.classes[class].members == 0 || rate <= 0)
		return 0;
	left = ft_queue_key(&group->ends) - group->bytes;
	return ft_queue_put(&s->classes, s->class_places, class, group->since_ns + (left > 0 ? left : 0) / rate);
}

/* Ends of flows at this moment. */
static int ends_take(struct simulation *s)
{
	while (!ft_queue_is_empty(&s->classes) && ft_queue_key(&s->classes) <= s->now_ns + s->moment_ns) {
		uint32_t class = ft_queue_take(&s->classes, s->class_places);
		double rate = s->fair.classes[class].rate;

		group_advance(s, class, rate);
		while (!ft_queue_is_empty(&s->groups[class].ends) &&
		       ft_queue_key(&s->groups[class].ends) <= s->groups[class].bytes + rate * s->moment_ns) {
			int r = flow_end(s, ft_queue_first(&s->groups[class].ends));

			if (r < 0)
				return r;
		}
		if (dirty_add(s, class) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int events_take(struct simulation *s)
{
	while (!ft_queue_is_empty(&s->waiting) && ft_queue_key(&s->waiting) <= s->now_ns + s->moment_ns) {
		uint32_t index = ft_queue_take(&s->waiting, s->event_places);
		struct event_item item = s->events[index];
		int r = 0;

		s->free_events[s->free_count++] = index;
		if (item.kind == EVENT_START)
			r = flow_start(s, &item.message);
		else
			message_arrive(s, &item.message);
		if (r < 0)
			return r;
	}
	return 0;
}

static int ready_ask(struct simulation *s)
{
	while (s->ready_count > 0) {
		int r = task_ask(s, s->ready[--s->ready_count]);

		if (r < 0)
			return r;
	}
	return 0;
}

/* How far ahead the next moment reaches. */
static void moment_measure(struct simulation *s)
{
	double rates = 0;
	uint64_t flows = 0;

	for (uint32_t i = 0; i < s->fair.class_count && s->merges; i++) {
		rates += s->fair.classes[i].members * s->fair.classes[i].rate;
		flows += s->fair.classes[i].members;
	}
	s->moment_ns = s->moment_least_ns;
	if (flows > 0 && MOMENT_MERGED * s->bytes * (double)flows > s->moment_least_ns * rates)
		s->moment_ns = MOMENT_MERGED * s->bytes * (double)flows / rates;
}

/* All that happens now; then the shares, and the next ends of the classes that they concern. */
static int moment_pass(struct simulation *s)
{
	int r;

	ft_fair_begin(&s->fair);
	s->dirty_count = 0;
	r = ends_take(s);
	if (r == 0)
		r = events_take(s);
	if (r == 0)
		r = ready_ask(s);
	if (r < 0)
		return r;
	ft_fair_update(&s->fair);
	for (uint32_t i = 0; i < s->fair.filled_count; i++)
		group_advance(s, s->fair.filled[i], s->fair.classes[s->fair.filled[i]].rate_before);
	for (uint32_t i = 0; i < s->fair.filled_count && r == 0; i++)
		r = class_schedule(s, s->fair.filled[i]);
	for (uint32_t i = 0; i < s->dirty_count && r == 0; i++)
		r = class_schedule(s, s->dirty[i]);
	moment_measure(s);
	return r;
}

/* The next moment. False: nothing is under way any more. */
static bool time_advance(struct simulation *s)
{
	bool ends = !ft_queue_is_empty(&s->classes), events = !ft_queue_is_empty(&s->waiting);
	double next;

	if (!ends && !events)
		return false;
	next = ends ? ft_queue_key(&s->classes) : ft_queue_key(&s->waiting);
	if (ends && events && ft_queue_key(&s->waiting) < next)
		next = ft_queue_key(&s->waiting);
	if (next > s->now_ns)
		s->now_ns = next;
	return true;
}

static double fastest_host(const struct ft_work_net *traffic)
{
	double most = 0;

	for (uint32_t i = 0; i < traffic->host_count; i++)
		if (traffic->hosts[i].bytes_per_ns > most)
			most = traffic->hosts[i].bytes_per_ns;
	return most;
}

static int simulation_make(struct simulation *s, uint32_t tasks)
{
	const struct ft_work_net *traffic = s->input->traffic;
	_cleanup_free_ double *in = calloc(traffic->host_count + 1UL, sizeof(*in));
	const double *capacities = ft_paths_capacities(s->input->paths, &s->first_in);

	s->flows = calloc(tasks + 1UL, sizeof(*s->flows));
	s->end_places = malloc((tasks + 1UL) * sizeof(*s->end_places));
	s->busy = calloc(tasks + 1UL, sizeof(*s->busy));
	s->ready = calloc(tasks + 1UL, sizeof(*s->ready));
	s->is_ready = calloc(tasks + 1UL, sizeof(*s->is_ready));
	s->in_first = malloc((traffic->host_count + 1UL) * sizeof(*s->in_first));
	s->in_count = calloc(traffic->host_count + 1UL, sizeof(*s->in_count));
	if (!in || !s->flows || !s->end_places || !s->busy || !s->ready || !s->is_ready || !s->in_first || !s->in_count)
		return -ENOMEM;
	for (uint32_t i = 0; i < traffic->host_count; i++) {
		in[i] = traffic->hosts[i].bytes_per_ns;
		s->in_first[i] = NONE;
	}
	for (uint32_t task = tasks; task-- > 0;) {
		s->end_places[task] = FT_QUEUE_NOWHERE;
		ready_add(s, task);
	}
	s->moment_least_ns = s->moment_ns = MOMENT * s->bytes / fastest_host(traffic);
	return ft_fair_make(capacities, s->first_in, in, traffic->host_count, &s->fair);
}

int ft_simulate(const struct ft_simulate_input *input, const struct ft_workload *workload,
		const struct ft_workload_setup *setup, struct ft_simulated *ret)
{
	_cleanup_(simulation_release) struct simulation s = {.input = input, .bytes = ft_workload_bytes(workload)};
	uint64_t messages, work_most;
	int r = ft_workload_begin(workload, setup, &s.run);

	if (r < 0)
		return r;
	messages = ft_workload_messages(s.run);
	work_most = input->work_most ? input->work_most : FT_SIMULATE_WORK + FT_SIMULATE_WORK_PER_MESSAGE * messages;
	r = simulation_make(&s, setup->tasks);
	if (r < 0)
		return r;
	do {
		if (!s.merges && s.fair.work > work_most) {
			s.merges = true;
			s.arrived_alone = s.arrived;
		}
		r = moment_pass(&s);
		if (r == 0 && input->progress.tell && s.steps++ % TELL_EVERY == 0)
			input->progress.tell(input->progress.data, s.arrived, messages);
	} while (r == 0 && time_advance(&s));
	if (r < 0)
		return r;
	*ret = (struct ft_simulated){s.now_ns, s.arrived, s.merges ? s.arrived_alone : s.arrived};
	return 0;
}
