/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * To be preloaded before ibsim's client library: a wire that takes time, and a buffer of VL15 that overflows. A program
 * that asks more than fits has it dropped without a word, as there is no flow control on VL15 (IBTA Vol 1, 7.6.4); what
 * that costs it is a time-out. ibsim answers at once, and says at once what is lost.
 *
 * It stands where the kernel does, below libibumad: what is written to a umad device, read from it and waited for. An
 * SMP is on the wire from when it is sent until its answer is due, be ibsim there or not: how busy the machine is has
 * no say in what fits. One that is sent while there are as many already is dropped, and comes back with ETIMEDOUT when
 * all its time is over. The repeats that umad_send() was told to make are made here, and may be dropped like any other.
 * What ibsim itself loses (its command "Error") is lost in the same way. SMPs only: other management packets go by data
 * lanes and pass as they are.
 *
 *   FT_VL15_DELAY_US   from sending to the answer, in microseconds; 1000 where it is not set
 *   FT_VL15_SLOW_EVERY where it is set, every one in so many answers takes twenty times as long
 *   FT_VL15_DEPTH      how many SMPs the wire carries; 0 or not set: any number
 *   FT_VL15_PER_NODE   likewise to one node, which is told by its directed path (or LID)
 *   FT_VL15_BREAKS     after so many SMPs sending fails with EIO; 0 or not set: never
 *   FT_VL15_ONCE       a file that the first process to send anything makes; others that find it have a wire with room
 *                      for any number, which does not break
 *   FT_VL15_STATS      a file to which each process that sent anything adds a line at exit, of names and figures:
 *     sent         SMPs sent, repeats included
 *     repeated     of which were made here
 *     dropped      of which found the buffer full
 *     late         of which were given less time than the answer takes
 *     lost         of which ibsim lost
 *     failed       requests that came back with ETIMEDOUT
 *     wire_peak    the most that were on the wire at a time
 *     asked_peak   the most that the program waited for at a time, those that were dropped among them
 *     node_peak    the most that were on the wire to one node, with one that was dropped for it
 *     second_peak  the most that were sent in any second
 *     elapsed_ms   from the first that was sent to the last that came back
 *
 * Not for programs of which several threads send or receive.
 */
#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
	/* What ibsim's library gives out as descriptors of umad devices. */
	FD_FIRST = 1024,
	FD_END = 2048,
	PACKET_SIZE = sizeof(struct ib_user_mad) + 256,
	HEADER_SIZE = sizeof(struct umad_hdr), /* of a request that timed out the kernel gives back no more */
	DELAY_US = 1000,
	SLOWER = 20,
	IDLE_MS = 10,	 /* how long to look away where nothing is awaited, but may come */
	MUTE_MS = 10000, /* after so long ibsim does not answer any more */
	/*
	 * So many may ibsim have at a time. Its client library comes to a stop for ever where more are sent in a row
	 * than the sockets of both directions hold.
	 */
	HANDED_MAX = 16,
	PACKETS = 4096, /* more than any program here has under way */
	RESPONSE = 0x80,
};

enum state {
	FREE,
	WIRE, /* not answered yet */
	CAME, /* its answer is there, and is handed out when it is due */
	GONE, /* lost, which nobody knows before its time is over */
	OVER, /* to be handed out as timed out */
};

struct packet {
	enum state state;
	bool handed; /* of one on the wire: ibsim has it */
	bool slow;   /* of one that is gone: it was on the wire, for longer than it may take */
	int fd;
	uint32_t trid;
	size_t serial;
	int64_t sent_us;
	int64_t due_us;
	int64_t end_us; /* when this attempt has taken all its time */
	unsigned int timeout_ms;
	unsigned int retries; /* left */
	size_t request_length;
	size_t answer_length;
};

static struct {
	struct packet packets[PACKETS]; /* which are gone through for each that is sent, received or looked for */
	uint8_t requests[PACKETS][PACKET_SIZE];
	uint8_t answers[PACKETS][PACKET_SIZE];
	size_t count; /* that were ever in use */
	int64_t delay_us;
	size_t depth;
	size_t per_node;
	size_t slow_every;
	size_t breaks;
	int epoll_fd, epoll_umad; /* 0: none */
	struct epoll_event epoll_event;
	bool ready;
} own;

static struct {
	int64_t *times_us; /* when each was sent */
	size_t sent;
	size_t repeated, dropped, late, lost, failed;
	size_t wire_peak, asked_peak, node_peak;
	int64_t last_us;
} figures;

static void *next(const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	if (!symbol)
		abort();
	return symbol;
}

static int next_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	static int (*call)(struct pollfd *, nfds_t, int);

	if (!call)
		call = next("poll");
	return call(fds, count, timeout_ms);
}

static ssize_t next_read(int fd, void *buffer, size_t size)
{
	static ssize_t (*call)(int, void *, size_t);

	if (!call)
		call = next("read");
	return call(fd, buffer, size);
}

static ssize_t next_write(int fd, const void *buffer, size_t length)
{
	static ssize_t (*call)(int, const void *, size_t);

	if (!call)
		call = next("write");
	return call(fd, buffer, length);
}

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static size_t number(const char *name, size_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 10) : otherwise;
}

/* True if another process has had the wire that is meant for one. */
static bool is_over(void)
{
	const char *path = getenv("FT_VL15_ONCE");
	int fd = path && *path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

	if (fd >= 0)
		close(fd);
	return path && *path && fd < 0;
}

static void prepare(void)
{
	if (own.ready)
		return;
	own.ready = true;
	own.delay_us = (int64_t)number("FT_VL15_DELAY_US", DELAY_US);
	if (is_over())
		return;
	own.breaks = number("FT_VL15_BREAKS", 0);
	own.depth = number("FT_VL15_DEPTH", 0);
	own.per_node = number("FT_VL15_PER_NODE", 0);
	own.slow_every = number("FT_VL15_SLOW_EVERY", 0);
	/* Of the 50 microseconds that the kernel may else sleep on, many would be many. */
	prctl(PR_SET_TIMERSLACK, 1);
}

static bool is_umad(int fd)
{
	return fd >= FD_FIRST && fd < FD_END;
}

static const struct umad_smp *smp_of(const uint8_t *packet)
{
	return umad_get_mad((void *)(uintptr_t)packet);
}

static bool is_smp(const struct umad_smp *smp)
{
	return smp->mgmt_class == UMAD_CLASS_SUBN_LID_ROUTED || smp->mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE;
}

static uint32_t trid_of(const struct umad_smp *smp)
{
	/* Of its upper half the kernel makes what it likes, and so does ibsim's library. */
	return (uint32_t)be64toh(smp->tid);
}

static uint8_t *request_of(const struct packet *p)
{
	return own.requests[p - own.packets];
}

static uint8_t *answer_of(const struct packet *p)
{
	return own.answers[p - own.packets];
}

static bool is_same_node(const uint8_t *a, const uint8_t *b)
{
	const struct umad_smp *p = smp_of(a), *q = smp_of(b);

	if (p->mgmt_class != q->mgmt_class)
		return false;
	if (p->mgmt_class != UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		return ((const struct ib_user_mad *)a)->addr.lid == ((const struct ib_user_mad *)b)->addr.lid;
	/* The first byte of a path is none of it. */
	return p->hop_cnt == q->hop_cnt && p->hop_cnt < sizeof(p->initial_path) &&
	       memcmp(p->initial_path + 1, q->initial_path + 1, p->hop_cnt) == 0;
}

static struct packet *free_packet(void)
{
	for (size_t i = 0; i < own.count; i++)
		if (own.packets[i].state == FREE)
			return &own.packets[i];
	if (own.count == PACKETS)
		abort();
	return &own.packets[own.count++];
}

/* What is on the wire, awaited by the program, and on the wire to one node. */
struct load {
	size_t wire, asked;
	size_t node_wire;
};

/* @candidate  the one that is about to be sent, and does not count itself */
static struct load load(const struct packet *candidate, int64_t now)
{
	struct load load = {0};

	for (size_t i = 0; i < own.count; i++) {
		const struct packet *p = &own.packets[i];

		if (p == candidate || p->state == FREE || p->request_length == 0)
			continue;
		load.asked++;
		if (p->due_us <= now || (p->state == GONE && !p->slow))
			continue;
		load.wire++;
		load.node_wire += is_same_node(request_of(p), request_of(candidate));
	}
	return load;
}

/* Of the one that was noted last. */
static int64_t delay_us(void)
{
	return own.slow_every && figures.sent % own.slow_every == 0 ? SLOWER * own.delay_us : own.delay_us;
}

static bool is_full(const struct load *load)
{
	return (own.depth && load->wire >= own.depth) || (own.per_node && load->node_wire >= own.per_node);
}

static void grow(size_t *peak, size_t value)
{
	if (*peak < value)
		*peak = value;
}

static void note_sending(int64_t now)
{
	if ((figures.sent & (figures.sent - 1)) == 0) {
		size_t room = figures.sent ? figures.sent * 2 : 1;

		figures.times_us = reallocarray(figures.times_us, room, sizeof(*figures.times_us));
		if (!figures.times_us)
			abort();
	}
	figures.times_us[figures.sent++] = now;
}

static struct packet *packet_of(const struct umad_smp *smp)
{
	for (size_t i = 0; i < own.count; i++)
		if (own.packets[i].state == WIRE && own.packets[i].trid == trid_of(smp) &&
		    smp_of(request_of(&own.packets[i]))->mgmt_class == smp->mgmt_class)
			return &own.packets[i];
	return NULL;
}

static void take_answer(int fd, const uint8_t *answer, size_t length, int64_t now)
{
	struct packet *p = is_smp(smp_of(answer)) ? packet_of(smp_of(answer)) : NULL;

	if (p && ((const struct ib_user_mad *)answer)->status != 0) {
		figures.lost++;
		p->state = GONE;
		return;
	}
	/* The answer to one that is given up comes to nobody. */
	if (!p && is_smp(smp_of(answer)) && smp_of(answer)->method & RESPONSE)
		return;
	if (!p) {
		p = free_packet();
		*p = (struct packet){.fd = fd, .due_us = now};
	}
	p->state = CAME;
	p->answer_length = length;
	memcpy(answer_of(p), answer, length);
}

/* Hands those on the wire to ibsim, in the order in which they were sent. */
static void hand_over(void)
{
	size_t handed = 0;

	for (size_t i = 0; i < own.count; i++)
		handed += own.packets[i].state == WIRE && own.packets[i].handed;
	for (; handed < HANDED_MAX; handed++) {
		struct packet *first = NULL;

		for (size_t i = 0; i < own.count; i++) {
			struct packet *p = &own.packets[i];

			if (p->state == WIRE && !p->handed && (!first || p->serial < first->serial))
				first = p;
		}
		if (!first)
			return;
		first->handed = true;
		if (next_write(first->fd, request_of(first), first->request_length) != (ssize_t)first->request_length)
			abort();
	}
}

/* Whatever ibsim's library has for this descriptor. */
static void drain(int fd)
{
	uint8_t answer[2 * PACKET_SIZE];
	ssize_t length;

	while ((length = next_read(fd, answer, sizeof(answer))) > 0)
		take_answer(fd, answer, (size_t)length < PACKET_SIZE ? (size_t)length : PACKET_SIZE, now_us());
	hand_over();
}

static void transmit(struct packet *p, int64_t now)
{
	struct load load_now = load(p, now);

	p->state = GONE;
	p->slow = p->handed = false;
	note_sending(now);
	p->sent_us = now;
	p->due_us = now + delay_us();
	p->end_us = now + 1000LL * p->timeout_ms;
	grow(&figures.asked_peak, load_now.asked + 1);
	grow(&figures.node_peak, load_now.node_wire + 1);
	if (is_full(&load_now)) {
		figures.dropped++;
		return;
	}
	grow(&figures.wire_peak, load_now.wire + 1);
	if (p->due_us > p->end_us) {
		figures.late++;
		p->slow = true;
		return;
	}
	p->state = WIRE;
	p->serial = figures.sent;
	hand_over();
}

/* What the kernel does when a request has taken its time. */
static void repeat_or_end(struct packet *p, int64_t now)
{
	if (p->state == WIRE)
		figures.lost++;
	if (p->retries > 0) {
		p->retries--;
		figures.repeated++;
		transmit(p, now);
		return;
	}
	figures.failed++;
	p->state = OVER;
	p->answer_length = umad_size() + HEADER_SIZE;
	memcpy(answer_of(p), request_of(p), p->answer_length);
	((struct ib_user_mad *)answer_of(p))->status = ETIMEDOUT;
	((struct ib_user_mad *)answer_of(p))->length = (uint32_t)p->answer_length;
}

/* Of what ibsim is only slow to answer nothing is lost: how busy the machine is says nothing about the program. */
static bool has_ended(const struct packet *p, int64_t now)
{
	if (p->state == WIRE)
		return p->end_us <= now && p->sent_us + 1000LL * MUTE_MS <= now;
	return p->state == GONE && p->end_us <= now;
}

static void advance(int fd, int64_t now)
{
	drain(fd);
	for (size_t i = 0; i < own.count; i++)
		if (has_ended(&own.packets[i], now))
			repeat_or_end(&own.packets[i], now);
}

static bool is_due(const struct packet *p, int fd, int64_t now)
{
	return p->fd == fd && (p->state == OVER || (p->state == CAME && p->due_us <= now));
}

/* The one that was due first. */
static struct packet *due_packet(int fd, int64_t now)
{
	struct packet *first = NULL;

	for (size_t i = 0; i < own.count; i++) {
		struct packet *p = &own.packets[i];
		int64_t when = p->state == OVER ? p->end_us : p->due_us;

		if (is_due(p, fd, now) && (!first || when < (first->state == OVER ? first->end_us : first->due_us)))
			first = p;
	}
	return first;
}

/* When next to look, at @until at the latest; @ret_late: what ibsim answers is to be looked for meanwhile. */
static int64_t next_look(int64_t until, int64_t now, bool *ret_late)
{
	*ret_late = false;
	for (size_t i = 0; i < own.count; i++) {
		const struct packet *p = &own.packets[i];
		int64_t when = p->state == CAME ? p->due_us : p->end_us;

		if (p->state == FREE)
			continue;
		if (p->state == WIRE)
			when = p->due_us > now ? p->due_us : until;
		*ret_late |= p->state == WIRE && (p->due_us <= now || !p->handed);
		if (when < until)
			until = when;
	}
	return until;
}

/* Sleeps until then, or until one of @others has something. */
static int sleep_until(int64_t when, int64_t now, struct pollfd *others, nfds_t count)
{
	int64_t left = when > now ? when - now : 0;

	return ppoll(others, count, &(struct timespec){left / 1000000, left % 1000000 * 1000}, NULL);
}

/* Until a packet for @fd is due (1), one of @others has something (as poll() says), or @end_us (0). */
static int await(int fd, int64_t end_us, struct pollfd *others, nfds_t count)
{
	for (;;) {
		int64_t now = now_us(), when;
		bool late;
		int r;

		advance(fd, now);
		if (due_packet(fd, now))
			return 1;
		if (now >= end_us)
			return count ? ppoll(others, count, &(struct timespec){0}, NULL) : 0;
		when = next_look(end_us, now, &late);
		if (late || when > now + 1000 * IDLE_MS) {
			/* Its library tells at once when something comes, but of milliseconds only. */
			next_poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, late || count ? 1 : IDLE_MS);
			when = now;
			if (!count)
				continue;
		}
		r = sleep_until(when, now, others, count);
		if (r != 0)
			return r;
	}
}

int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct pollfd others[64];
	nfds_t own_index = count;
	int r;

	for (nfds_t i = 0; i < count && own_index == count; i++)
		if (is_umad(fds[i].fd))
			own_index = i;
	if (own_index == count || count > sizeof(others) / sizeof(*others))
		return next_poll(fds, count, timeout_ms);
	prepare();
	for (nfds_t i = 0; i < count; i++) {
		others[i] = fds[i];
		others[i].revents = 0;
		/* A negative one is passed over. */
		if (i == own_index)
			others[i].fd = -1;
	}
	r = await(fds[own_index].fd, timeout_ms < 0 ? INT64_MAX : now_us() + 1000LL * timeout_ms, others,
		  count > 1 ? count : 0);
	if (r < 0)
		return r;
	if (count > 1)
		ppoll(others, count, &(struct timespec){0}, NULL);
	r = 0;
	for (nfds_t i = 0; i < count; i++) {
		fds[i].revents = others[i].revents;
		if (i == own_index)
			fds[i].revents = due_packet(fds[i].fd, now_us()) && fds[i].events & POLLIN ? POLLIN : 0;
		r += fds[i].revents != 0;
	}
	return r;
}

/*
 * ibsim's descriptors are none, which epoll_ctl() would tell; as the kernel's would they can be waited for here. One to
 * an epoll descriptor.
 */
int epoll_ctl(int epoll_fd, int operation, int fd, struct epoll_event *event)
{
	static int (*call)(int, int, int, struct epoll_event *);

	if (is_umad(fd) && operation == EPOLL_CTL_ADD && own.epoll_fd == 0) {
		own.epoll_fd = epoll_fd;
		own.epoll_umad = fd;
		own.epoll_event = *event;
		return 0;
	}
	if (!call)
		call = next("epoll_ctl");
	return call(epoll_fd, operation, fd, event);
}

int epoll_wait(int epoll_fd, struct epoll_event *events, int max, int timeout_ms)
{
	static int (*call)(int, struct epoll_event *, int, int);
	struct pollfd fds[] = {{.fd = own.epoll_umad, .events = POLLIN}, {.fd = epoll_fd, .events = POLLIN}};
	int r;

	if (!call)
		call = next("epoll_wait");
	if (epoll_fd != own.epoll_fd || max < 1)
		return call(epoll_fd, events, max, timeout_ms);
	r = poll(fds, 2, timeout_ms);
	if (r <= 0 || !fds[0].revents)
		return r > 0 ? call(epoll_fd, events, max, 0) : r;
	events[0] = own.epoll_event;
	events[0].events = EPOLLIN;
	return 1;
}

ssize_t read(int fd, void *buffer, size_t size)
{
	struct packet *p;
	int64_t now;

	if (!is_umad(fd))
		return next_read(fd, buffer, size);
	prepare();
	now = now_us();
	advance(fd, now);
	p = due_packet(fd, now);
	if (!p) {
		errno = EAGAIN;
		return -1;
	}
	if (p->answer_length > size) {
		errno = EINVAL;
		return -1;
	}
	memcpy(buffer, answer_of(p), p->answer_length);
	p->state = FREE;
	figures.last_us = now;
	return (ssize_t)p->answer_length;
}

ssize_t write(int fd, const void *buffer, size_t length)
{
	const struct ib_user_mad *umad = buffer;
	struct packet *p;
	int64_t now;

	if (!is_umad(fd))
		return next_write(fd, buffer, length);
	if (length < umad_size() + HEADER_SIZE || length > PACKET_SIZE || umad->timeout_ms == 0 ||
	    !is_smp(smp_of(buffer)) || smp_of(buffer)->method & RESPONSE)
		return next_write(fd, buffer, length);
	prepare();
	if (own.breaks && figures.sent >= own.breaks) {
		errno = EIO;
		return -1;
	}
	now = now_us();
	advance(fd, now);
	p = free_packet();
	*p = (struct packet){
		.fd = fd,
		.trid = trid_of(smp_of(buffer)),
		.timeout_ms = umad->timeout_ms,
		.retries = umad->retries,
		.request_length = length,
	};
	memcpy(request_of(p), buffer, length);
	transmit(p, now);
	return (ssize_t)length;
}

int close(int fd)
{
	static int (*call)(int);

	for (size_t i = 0; i < own.count; i++)
		if (own.packets[i].fd == fd && is_umad(fd))
			own.packets[i].state = FREE;
	if (fd == own.epoll_fd || fd == own.epoll_umad)
		own.epoll_fd = own.epoll_umad = 0;
	if (!call)
		call = next("close");
	return call(fd);
}

static size_t second_peak(void)
{
	size_t peak = 0;

	for (size_t first = 0, i = 0; i < figures.sent; i++) {
		while (figures.times_us[i] - figures.times_us[first] >= 1000000)
			first++;
		grow(&peak, i - first + 1);
	}
	return peak;
}

__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("FT_VL15_STATS");
	FILE *file;

	if (!path || figures.sent == 0)
		return;
	file = fopen(path, "a");
	if (!file)
		abort();
	fprintf(file,
		"sent %zu repeated %zu dropped %zu late %zu lost %zu failed %zu wire_peak %zu asked_peak %zu node_peak "
		"%zu "
		"second_peak %zu elapsed_ms %lld\n",
		figures.sent, figures.repeated, figures.dropped, figures.late, figures.lost, figures.failed,
		figures.wire_peak, figures.asked_peak, figures.node_peak, second_peak(),
		(long long)(figures.last_us - figures.times_us[0]) / 1000);
	if (fclose(file) != 0)
		abort();
}
