/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * packets cube|tree RACKS near-neighbor|n-bodies PACKETS: the systems of the indirect cube document by packets, which
 * is what ftplan's flows leave out. It prints the time, in times of one message.
 *
 * The switches are those of its section 3: virtual cut-through, packets of 8 phits, two virtual channels an input port
 * with a queue of PLACES packets each (4 in the document), and credits. A packet takes the free port of a shortest way
 * with most credit, among equals a random one; down a tree there is one way. In a torus the first channel is for the
 * order of dimensions alone, and a packet enters a ring on it only where two places are free (the bubble). A message is
 * PACKETS packets; a host sends one at a time.
 *
 * Algorithm: cycle by cycle. In each, the packet at the head of each queue asks for a port, in an order that begins
 * at random.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"

enum {
	PHITS = 8,
	CHANNELS = 2,
	PLACES_MAX = 64,
	HOSTS = 20, /* of a switch */
	UP = 16,    /* its other ports */
	PORTS = 36,
	BUNDLE = 4,  /* cables of a direction */
	BLOCK_X = 5, /* hosts of a switch in the virtual torus */
	BLOCK_Y = 4,
	PASS = 2, /* cycles from the head's leaving to its being ready at the next switch */
	WHEEL = 32,
	RACK = 6, /* switches */
	TWO_LEVELS = 18,
};

struct packet {
	uint32_t to, message;
	uint64_t ready;
};

struct queue {
	struct packet packets[PLACES_MAX];
	uint32_t head, count, taken; /* @taken: places that are occupied or promised */
	uint64_t busy;		     /* its last packet leaves until then */
};

/* Where a port leads: a switch's port, a host, or nowhere. */
struct end {
	enum { NOWHERE, SWITCH, HOST } kind;
	uint32_t index, port;
};

struct message {
	uint32_t from, to, chain, to_send, to_come;
};

/* Messages that a host is to send, in their order. */
struct list {
	uint32_t *items, first, count, room;
};

static struct {
	bool tree;
	uint32_t switches, leafs, spine_first, core_first, levels, columns, rows, hosts, packets, places;
	struct end *ends;     /* [switch][port] */
	struct queue *queues; /* [switch][port][channel] */
	uint64_t *port_busy, *host_busy, now, chance;
	uint32_t *waiting; /* by switch: packets in its queues */
	uint32_t *host_of; /* by task */
	struct list *to_send;
	struct message *messages;
	uint32_t message_count, message_room, arrived, expected;
	uint32_t width, height, bodies, *steps;
	struct {
		uint32_t *items, count, room;
	} freed[WHEEL], came[WHEEL]; /* by cycle: queues with a place more, and messages with a packet more */
} s;

static void *grown(void *array, uint32_t count, uint32_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = 2 * *room + 64;
	array = reallocarray(array, *room, size);
	if (!array)
		abort();
	return array;
}

static void *zeroes(size_t count, size_t size)
{
	void *array = calloc(count + 1, size);

	if (!array)
		abort();
	return array;
}

/* ---- networks ---- */

static struct end *end_at(uint32_t sw, uint32_t port)
{
	return &s.ends[sw * PORTS + port];
}

static void join(uint32_t a, uint32_t a_port, uint32_t b, uint32_t b_port)
{
	*end_at(a, a_port) = (struct end){SWITCH, b, b_port};
	*end_at(b, b_port) = (struct end){SWITCH, a, a_port};
}

/* Behind the hosts' ports those of X+, X-, Y+, Y-. */
static void cube_make(void)
{
	for (uint32_t sw = 0; sw < s.switches; sw++)
		for (uint32_t k = 0; k < BUNDLE; k++) {
			uint32_t x = sw % s.columns, y = sw / s.columns;

			join(sw, HOSTS + k, y * s.columns + (x + 1) % s.columns, HOSTS + BUNDLE + k);
			join(sw, HOSTS + 2 * BUNDLE + k, (y + 1) % s.rows * s.columns + x, HOSTS + 3 * BUNDLE + k);
		}
}

/* Pods of 20 leafs and 16 spines; a core joins the spines of one number. */
static void tree_make(void)
{
	for (uint32_t leaf = 0; leaf < s.leafs; leaf++)
		for (uint32_t k = 0; k < UP; k++)
			join(leaf, HOSTS + k, s.spine_first + leaf / HOSTS * UP + k, leaf % HOSTS);
	for (uint32_t spine = 0; s.levels == 3 && spine < s.core_first - s.spine_first; spine++)
		for (uint32_t k = 0; k < UP; k++)
			join(s.spine_first + spine, HOSTS + k, s.core_first + spine % UP * UP + k, spine / UP);
}

static void network_make(uint32_t racks)
{
	static const uint32_t columns[] = {[1] = 2, [2] = 3, [3] = 3, [4] = 4, [6] = 6, [8] = 6, [12] = 8, [16] = 8};
	uint32_t pods;

	s.leafs = s.switches = racks * RACK;
	s.columns = columns[racks];
	s.rows = s.leafs / s.columns;
	s.levels = s.leafs <= TWO_LEVELS ? 2 : 3;
	pods = s.levels == 2 ? 1 : (s.leafs + HOSTS - 1) / HOSTS;
	s.spine_first = s.leafs;
	s.core_first = s.leafs + pods * UP;
	if (s.tree)
		s.switches = s.core_first + (s.levels == 3 ? UP * UP : 0);
	s.ends = zeroes((size_t)s.switches * PORTS, sizeof(*s.ends));
	s.queues = zeroes((size_t)s.switches * PORTS * CHANNELS, sizeof(*s.queues));
	s.port_busy = zeroes((size_t)s.switches * PORTS, sizeof(*s.port_busy));
	s.waiting = zeroes(s.switches, sizeof(*s.waiting));
	s.hosts = s.leafs * HOSTS;
	for (uint32_t host = 0; host < s.hosts; host++)
		*end_at(host / HOSTS, host % HOSTS) = (struct end){HOST, host, 0};
	if (s.tree)
		tree_make();
	else
		cube_make();
}

/* ---- shortest ways ---- */

static uint32_t ports_add(uint32_t *ports, uint32_t count, uint32_t first, uint32_t more)
{
	for (uint32_t k = 0; k < more; k++)
		ports[count++] = first + k;
	return count;
}

/* Ports of one dimension that lead nearer, @ahead of @size switches along it. */
static uint32_t ports_along(uint32_t *ports, uint32_t count, uint32_t first, uint32_t ahead, uint32_t size)
{
	if (ahead > 0 && 2 * ahead <= size)
		count = ports_add(ports, count, first, BUNDLE);
	if (2 * ahead >= size)
		count = ports_add(ports, count, first + BUNDLE, BUNDLE);
	return count;
}

/* Ports from @sw towards @host. @ret_first: of so many the dimension is the first one that is left. */
static uint32_t ports_find(uint32_t sw, uint32_t host, uint32_t ports[PORTS], uint32_t *ret_first)
{
	uint32_t to = host / HOSTS, x, count;

	*ret_first = PORTS;
	if (sw == to)
		return ports_add(ports, 0, host % HOSTS, 1);
	if (s.tree && sw >= s.core_first)
		return ports_add(ports, 0, to / HOSTS, 1);
	if (s.tree && sw >= s.spine_first && (sw - s.spine_first) / UP == to / HOSTS)
		return ports_add(ports, 0, to % HOSTS, 1);
	if (s.tree)
		return ports_add(ports, 0, HOSTS, UP);
	x = (to % s.columns + s.columns - sw % s.columns) % s.columns;
	*ret_first = ports_along(ports, 0, HOSTS, x, s.columns);
	count = ports_along(ports, *ret_first, HOSTS + 2 * BUNDLE, (to / s.columns + s.rows - sw / s.columns) % s.rows,
			    s.rows);
	if (*ret_first == 0)
		*ret_first = count;
	return count;
}

/* ---- workloads ---- */

static void message_send(uint32_t from, uint32_t to, uint32_t chain)
{
	struct list *list = &s.to_send[s.host_of[from]];

	s.messages = grown(s.messages, s.message_count, &s.message_room, sizeof(*s.messages));
	list->items = grown(list->items, list->count, &list->room, sizeof(*list->items));
	list->items[list->count++] = s.message_count;
	s.messages[s.message_count++] = (struct message){from, to, chain, s.packets, s.packets};
}

static void neighbors_begin(void)
{
	for (uint32_t task = 0; task < s.hosts; task++) {
		uint32_t x = task % s.width, y = task / s.width;

		message_send(task, y * s.width + (x + 1) % s.width, 0);
		message_send(task, y * s.width + (x + s.width - 1) % s.width, 0);
		message_send(task, (y + 1) % s.height * s.width + x, 0);
		message_send(task, (y + s.height - 1) % s.height * s.width + x, 0);
	}
	s.expected = s.message_count;
}

static void bodies_begin(void)
{
	s.bodies = s.hosts - 1;
	s.steps = zeroes(s.bodies, sizeof(*s.steps));
	s.expected = s.bodies * (s.bodies / 2 + 1);
	for (uint32_t task = 0; task < s.bodies; task++)
		message_send(task, (task + 1) % s.bodies, task);
}

static void message_come(uint32_t index)
{
	struct message message = s.messages[index];
	uint32_t half = s.bodies / 2;

	s.arrived++;
	if (!s.steps || s.steps[message.chain]++ >= half)
		return;
	message_send(message.to, s.steps[message.chain] == half ? message.chain : (message.to + 1) % s.bodies,
		     message.chain);
}

/* On the cube blocks of 5x4, on the tree one after the other. */
static void tasks_place(void)
{
	s.width = BLOCK_X * s.columns;
	s.height = BLOCK_Y * s.rows;
	s.host_of = zeroes(s.hosts, sizeof(*s.host_of));
	s.to_send = zeroes(s.hosts, sizeof(*s.to_send));
	s.host_busy = zeroes(s.hosts, sizeof(*s.host_busy));
	for (uint32_t task = 0; task < s.hosts; task++) {
		uint32_t x = task % s.width, y = task / s.width;

		s.host_of[task] =
			s.tree ? task
			       : (y / BLOCK_Y * s.columns + x / BLOCK_X) * HOSTS + y % BLOCK_Y * BLOCK_X + x % BLOCK_X;
	}
}

/* ---- packets ---- */

static void packet_put(struct queue *queue, uint32_t sw, struct packet packet)
{
	queue->packets[(queue->head + queue->count++) % PLACES_MAX] = packet;
	queue->taken++;
	s.waiting[sw]++;
}

/* Places that must be free for a packet to go from a queue into channel @channel behind @port. */
static uint32_t places_needed(uint32_t from_port, uint32_t from_channel, uint32_t port, uint32_t channel)
{
	bool same_ring = from_port >= HOSTS && from_channel == 0 &&
			 (from_port - HOSTS) / (2 * BUNDLE) == (port - HOSTS) / (2 * BUNDLE);

	return s.tree || channel > 0 || same_ring ? 1 : 2;
}

struct choice {
	uint32_t port, channel, credit, equals;
};

/* The free port with most credit. @credit 0: there is none. */
static struct choice port_choose(uint32_t sw, uint32_t from, uint32_t host)
{
	struct choice best = {0};
	uint32_t ports[PORTS], first, count = ports_find(sw, host, ports, &first);

	for (uint32_t i = 0; i < count; i++) {
		const struct end *end = end_at(sw, ports[i]);

		if (s.port_busy[sw * PORTS + ports[i]] > s.now)
			continue;
		if (end->kind == HOST)
			return (struct choice){ports[i], 0, s.places, 1};
		for (uint32_t channel = 0; channel < CHANNELS; channel++) {
			uint32_t credit =
				s.places - s.queues[(end->index * PORTS + end->port) * CHANNELS + channel].taken;

			if ((!s.tree && channel == 0 && i >= first) || credit < best.credit ||
			    credit < places_needed(from / CHANNELS, from % CHANNELS, ports[i], channel))
				continue;
			if (credit > best.credit)
				best = (struct choice){ports[i], channel, credit, 1};
			else if (ft_chance_below(&s.chance, ++best.equals) == 0)
				best = (struct choice){ports[i], channel, credit, best.equals};
		}
	}
	return best;
}

static void later(bool freed, uint64_t cycle, uint32_t item)
{
	uint32_t slot = cycle % WHEEL;

	if (freed) {
		s.freed[slot].items =
			grown(s.freed[slot].items, s.freed[slot].count, &s.freed[slot].room, sizeof(item));
		s.freed[slot].items[s.freed[slot].count++] = item;
	} else {
		s.came[slot].items = grown(s.came[slot].items, s.came[slot].count, &s.came[slot].room, sizeof(item));
		s.came[slot].items[s.came[slot].count++] = item;
	}
}

static void queue_pass(uint32_t sw, uint32_t from)
{
	uint32_t index = sw * PORTS * CHANNELS + from;
	struct queue *queue = &s.queues[index];
	struct packet packet = queue->packets[queue->head];
	struct choice choice;
	const struct end *end;

	if (queue->count == 0 || queue->busy > s.now || packet.ready > s.now)
		return;
	choice = port_choose(sw, from, packet.to);
	if (choice.credit == 0)
		return;
	end = end_at(sw, choice.port);
	s.port_busy[sw * PORTS + choice.port] = queue->busy = s.now + PHITS;
	queue->head = (queue->head + 1) % PLACES_MAX;
	queue->count--;
	s.waiting[sw]--;
	later(true, s.now + PHITS, index);
	packet.ready = s.now + PASS;
	if (end->kind == HOST)
		later(false, s.now + PHITS + 1, packet.message);
	else
		packet_put(&s.queues[(end->index * PORTS + end->port) * CHANNELS + choice.channel], end->index, packet);
}

static void host_pass(uint32_t host)
{
	struct list *list = &s.to_send[host];
	struct queue *queues = &s.queues[(host / HOSTS * PORTS + host % HOSTS) * CHANNELS];
	struct queue *queue = queues[1].taken < queues[0].taken ? &queues[1] : &queues[0];
	struct message *message;

	if (list->first == list->count || s.host_busy[host] > s.now || queue->taken == s.places)
		return;
	message = &s.messages[list->items[list->first]];
	packet_put(queue, host / HOSTS,
		   (struct packet){s.host_of[message->to], list->items[list->first], s.now + PASS});
	s.host_busy[host] = s.now + PHITS;
	if (--message->to_send == 0)
		list->first++;
}

static void cycle_pass(void)
{
	uint32_t slot = s.now % WHEEL;

	for (uint32_t i = 0; i < s.freed[slot].count; i++)
		s.queues[s.freed[slot].items[i]].taken--;
	for (uint32_t i = 0; i < s.came[slot].count; i++)
		if (--s.messages[s.came[slot].items[i]].to_come == 0)
			message_come(s.came[slot].items[i]);
	s.freed[slot].count = s.came[slot].count = 0;
	for (uint32_t sw = 0; sw < s.switches; sw++) {
		uint32_t first = s.waiting[sw] > 0 ? ft_chance_below(&s.chance, PORTS * CHANNELS) : 0;

		for (uint32_t i = 0; s.waiting[sw] > 0 && i < PORTS * CHANNELS; i++)
			queue_pass(sw, (first + i) % (PORTS * CHANNELS));
	}
	for (uint32_t host = 0; host < s.hosts; host++)
		host_pass(host);
	s.now++;
}

int main(int argc, char **argv)
{
	uint32_t racks = argc == 6 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;

	s.places = argc == 6 ? (uint32_t)strtoul(argv[5], NULL, 10) : 0;
	if (racks < 1 || racks > 16 || s.places < 2 || s.places > PLACES_MAX) {
		fputs("usage: packets cube|tree RACKS near-neighbor|n-bodies PACKETS PLACES\n", stderr);
		return 3;
	}
	s.tree = strcmp(argv[1], "tree") == 0;
	s.packets = (uint32_t)strtoul(argv[4], NULL, 10);
	s.chance = 1;
	network_make(racks);
	tasks_place();
	if (strcmp(argv[3], "n-bodies") == 0)
		bodies_begin();
	else
		neighbors_begin();
	while (s.arrived < s.expected)
		cycle_pass();
	printf("%.3f\n", (double)s.now / (s.packets * PHITS));
	return 0;
}
