/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/listen_child.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <infiniband/umad_types.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "probe/confine.h"
#include "probe/guard.h"
#include "probe/notice.h"
#include "probe/port.h"

enum {
	GRACE_MS = 1000,    /* beyond the time-out, in which the kernel gives every request back */
	FULL_POLL_MS = 100, /* how often to retry what did not fit into the socket */
	RECEIVE_BATCH = 64, /* packets received before the clock is read again */
	QUICK_BACKOFF = 4,  /* times poll_ms: the longest wait for an SA that does not answer yet */
	WAIT_MAX_MS = 1000000,
	LOSSES_MAX = 4,
	LID_PERMISSIVE = 0xFFFF,
	QP_MANAGEMENT = 0,
	QP_GENERAL_SERVICES = 1,
};

/* The requests, sent one at a time, in this order. */
enum ask {
	ASK_NOTHING,
	ASK_PORT, /* the own one */
	ASK_SM,
	ASK_SUBSCRIPTION, /* is there one? */
	ASK_LINK_STATE,	  /* subscriptions; the first one is essential */
	ASK_IN_SERVICE,
	ASK_OUT_OF_SERVICE,
};

enum agent { AGENT_DIRECTED, AGENT_SM, AGENT_SA, AGENT_COUNT };

static const struct {
	uint8_t class;
	uint8_t version;
	uint8_t unasked; /* the method of unsolicited MADs, or 0 */
} agents[AGENT_COUNT] = {
	[AGENT_DIRECTED] = {FT_CLASS_SM_DIRECTED, 1, 0},
	[AGENT_SM] = {FT_CLASS_SM, 1, 0},
	[AGENT_SA] = {FT_CLASS_SA, 2, FT_METHOD_REPORT},
};

static const uint16_t traps[] = {
	[ASK_LINK_STATE] = FT_TRAP_LINK_STATE,
	[ASK_IN_SERVICE] = FT_TRAP_IN_SERVICE,
	[ASK_OUT_OF_SERVICE] = FT_TRAP_OUT_OF_SERVICE,
};

/* struct ib_user_mad and the MAD behind it. */
struct packet {
	ib_user_mad_t head;
	uint8_t mad[FT_MAD_SIZE];
};

struct listener {
	const struct ft_listener_options *options;
	int parent;
	int fd; /* of the umad port, or -1 */
	int agent[AGENT_COUNT];
	struct ft_port_choice port;
	uint64_t guid; /* of that port, or 0 */
	bool subscribed;

	/* The one outstanding request. */
	enum ask asked;
	uint8_t request[FT_MAD_SIZE];
	uint16_t request_lid;
	int64_t request_end_ms;
	uint32_t tid;

	int64_t next_ms;    /* when to poll again, or to open the port again */
	int64_t renew_ms;   /* when to subscribe again */
	int64_t choose_ms;  /* when to check whether another port is up */
	int64_t backoff_ms; /* the last wait after a failure, or 0 */
	int64_t alive_ms;   /* time of the next sign of life */
	bool broken;	    /* events may have been lost since the last subscription, or there is none */

	struct ft_own_port own;
	struct ft_sm_info sm; /* as last heard */
	bool sm_known;
	unsigned int sm_misses; /* requests to the SM without an answer, in a row */
	unsigned int port_misses;
	unsigned int losses;	 /* of an open port, since it last answered */
	unsigned int rejections; /* of the subscription, in a row */

	char said[FT_ERROR_TEXT_SIZE]; /* the last reason sent; empty: none since SUBSCRIBED */
	bool no_port;		       /* no port could be opened */
	bool unsaid;		       /* something did not fit into the socket */
};

/* To the parent. */

/* Returns false where it did not fit into the socket. */
static bool try_to_say(struct listener *l, const struct ft_listener_message *message)
{
	size_t size = ft_listener_message_size(strlen(message->text));
	ssize_t n;

	do
		n = send(l->parent, message, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		return true;
	if (errno != EAGAIN && errno != ENOBUFS && errno != ENOMEM)
		exit(0);
	return false;
}

static void say(struct listener *l, const struct ft_listener_message *message)
{
	if (!try_to_say(l, message))
		l->unsaid = true;
}

static void say_subscribed(struct listener *l)
{
	struct ft_listener_message message = {.kind = FT_LISTENER_SUBSCRIBED};

	snprintf(message.text, sizeof(message.text), "%s port %d (LID %u), SM LID %u", l->port.ca, l->port.port,
		 l->own.lid, l->own.sm_lid);
	say(l, &message);
}

static void say_deaf(struct listener *l)
{
	struct ft_listener_message message = {.kind = FT_LISTENER_DEAF};

	memcpy(message.text, l->said, sizeof(message.text));
	message.no_port = l->no_port;
	say(l, &message);
}

static void say_trap(struct listener *l, const struct ft_notice *notice)
{
	say(l, &(struct ft_listener_message){
		       .kind = FT_LISTENER_TRAP,
		       .trap = notice->trap,
		       .lid = notice->lid,
		       .guid = notice->guid,
	       });
}

static void say_busy(struct listener *l, uint32_t smps)
{
	if (smps >= FT_LISTENER_BUSY_MIN)
		say(l, &(struct ft_listener_message){.kind = FT_LISTENER_BUSY, .smps = smps});
}

/* If it does not fit, nothing is lost: the messages waiting in the socket show the same. */
static void say_alive(struct listener *l)
{
	l->alive_ms = ft_guard_now_ms() + l->options->alive_ms;
	try_to_say(l, &(struct ft_listener_message){.kind = FT_LISTENER_ALIVE});
}

/*
 * A message did not fit: sending the current state makes up for it. After SUBSCRIBED the parent sweeps the whole
 * fabric, and DEAF is followed by SUBSCRIBED in the end.
 */
static void say_again(struct listener *l)
{
	l->unsaid = false;
	if (l->subscribed)
		say_subscribed(l);
	else if (l->said[0])
		say_deaf(l);
}

static void become_deaf(struct listener *l, const struct ft_error *why)
{
	l->subscribed = false;
	l->broken = true;
	if (strcmp(l->said, why->text) == 0)
		return;
	memcpy(l->said, why->text, sizeof(l->said));
	say_deaf(l);
}

/* When. */

static void look_in(struct listener *l, int64_t wait_ms)
{
	l->next_ms = ft_guard_now_ms() + wait_ms;
}

static void look_regularly(struct listener *l)
{
	look_in(l, l->options->poll_ms);
}

/* Packets may have been lost: retry soon, but not at once, since a simulator reports losses at once. */
static void look_soon(struct listener *l)
{
	unsigned int wait_ms = l->options->timeout_ms;

	look_in(l, wait_ms < l->options->poll_ms ? wait_ms : l->options->poll_ms);
}

/* The wait after one more failure: it doubles up to @max_ms. */
static int64_t back_off(struct listener *l, int64_t max_ms)
{
	l->backoff_ms = l->backoff_ms ? l->backoff_ms * 2 : l->options->poll_ms;
	if (l->backoff_ms > max_ms)
		l->backoff_ms = max_ms;
	return l->backoff_ms;
}

static int64_t quick_max_ms(const struct listener *l)
{
	int64_t max_ms = (int64_t)l->options->poll_ms * QUICK_BACKOFF;

	return max_ms < l->options->renew_ms ? max_ms : l->options->renew_ms;
}

static void renew_in(struct listener *l, int64_t wait_ms)
{
	l->renew_ms = ft_guard_now_ms() + wait_ms;
}

static void renew_now(struct listener *l)
{
	l->renew_ms = 0;
	l->backoff_ms = 0;
	l->rejections = 0;
}

/* The subscription is gone, or may be. */
static void subscription_broke(struct listener *l)
{
	l->broken = true;
	l->sm_known = false;
	renew_now(l);
}

/* The port. */

static void close_port(struct listener *l)
{
	for (size_t i = 0; i < AGENT_COUNT; i++)
		if (l->agent[i] >= 0)
			umad_unregister(l->fd, l->agent[i]);
	umad_close_port(l->fd);
	l->fd = -1;
	l->asked = ASK_NOTHING;
}

/*
 * An open port became useless, for instance because its device was unplugged. If a port opens repeatedly and never
 * works, the process exits for a fresh one to take over: nothing else helps if the library is at fault (or the
 * simulator went away).
 */
static void lose_port(struct listener *l, const struct ft_error *why)
{
	if (l->losses++ == 0)
		become_deaf(l, why);
	else if (l->losses == LOSSES_MAX)
		exit(1);
	close_port(l);
	look_in(l, back_off(l, l->options->renew_ms));
}

static int register_agents(struct listener *l, struct ft_error *err)
{
	for (size_t i = 0; i < AGENT_COUNT; i++)
		l->agent[i] = -1;
	for (size_t i = 0; i < AGENT_COUNT; i++) {
		long methods[16 / sizeof(long)] = {agents[i].unasked ? 1L << agents[i].unasked : 0};

		errno = 0;
		l->agent[i] =
			umad_register(l->fd, agents[i].class, agents[i].version, 0, agents[i].unasked ? methods : NULL);
		if (l->agent[i] >= 0)
			continue;
		/* The kernel allows one listener a port, and returns EINVAL to the second one. */
		if (errno == EINVAL && agents[i].unasked)
			return ft_error_set(err, -EBUSY, 0, 0, "another program gets the reports of %s port %d",
					    l->port.ca, l->port.port);
		return ft_error_set(err, -EIO, 0, 0, "cannot use %s port %d for management packets: %s", l->port.ca,
				    l->port.port, errno ? strerror(errno) : "not allowed");
	}
	return 0;
}

static uint64_t guid_of(const struct ft_port_choice *choice)
{
	umad_port_t port;
	uint64_t guid;

	if (umad_get_port(choice->ca, choice->port, &port) < 0)
		return 0;
	guid = be64toh(port.port_guid);
	umad_release_port(&port);
	return guid;
}

static int open_chosen_port(struct listener *l, struct ft_error *err)
{
	l->guid = guid_of(&l->port);
	errno = 0;
	l->fd = umad_open_port(l->port.ca, l->port.port);
	if (l->fd < 0) {
		l->fd = -1;
		return ft_error_set(err, -EIO, 0, 0, "cannot open %s port %d for management packets: %s", l->port.ca,
				    l->port.port, errno ? strerror(errno) : "no umad device");
	}
	return register_agents(l, err);
}

static int choose_port(const struct listener *l, struct ft_port_choice *ret_choice, struct ft_error *err)
{
	int r = ft_port_choose(l->options->ca, l->options->port, ret_choice, err);

	if (r < 0 && !err->text[0])
		ft_error_set(err, r, 0, 0, "%s", strerror(-r));
	return r;
}

static void open_port(struct listener *l)
{
	struct ft_error err = {0};
	int r;

	r = choose_port(l, &l->port, &err);
	l->no_port = r < 0;
	if (r == 0)
		r = open_chosen_port(l, &err);
	if (r < 0) {
		become_deaf(l, &err);
		if (l->fd >= 0)
			close_port(l);
		look_in(l, back_off(l, l->options->renew_ms));
		return;
	}
	l->own = (struct ft_own_port){0};
	l->port_misses = l->sm_misses = 0;
	l->choose_ms = ft_guard_now_ms() + l->options->renew_ms;
	look_in(l, 0);
}

/* If several ports may be used, another one may be up. */
static bool other_port_is_up(struct listener *l)
{
	struct ft_port_choice choice;
	struct ft_error err = {0};

	if ((l->options->ca && l->options->port) || ft_guard_now_ms() < l->choose_ms)
		return false;
	l->choose_ms = ft_guard_now_ms() + l->options->renew_ms;
	if (choose_port(l, &choice, &err) < 0)
		return false;
	return choice.port != l->port.port || strcmp(choice.ca, l->port.ca) != 0;
}

/* Asking. */

static enum agent agent_of(enum ask ask)
{
	return ask == ASK_PORT ? AGENT_DIRECTED : ask == ASK_SM ? AGENT_SM : AGENT_SA;
}

static void build_request(struct listener *l, enum ask ask)
{
	l->tid++;
	if (ask == ASK_PORT)
		ft_mad_ask_own_port(l->request, l->tid);
	else if (ask == ASK_SM)
		ft_mad_ask_sm(l->request, l->tid);
	else if (ask == ASK_SUBSCRIPTION)
		ft_mad_ask_subscription(l->request, l->tid, l->own.gid_prefix, l->guid);
	else
		ft_mad_subscribe(l->request, l->tid, traps[ask]);
	l->request_lid = ask == ASK_PORT ? LID_PERMISSIVE : l->own.sm_lid;
}

/* Returns false, and closes the port, if it cannot be written to. */
static bool send_mad(struct listener *l, enum agent agent, struct packet *packet, unsigned int timeout_ms,
		     unsigned int retries)
{
	struct ft_error err = {0};

	if (umad_send(l->fd, l->agent[agent], packet, FT_MAD_SIZE, (int)timeout_ms, (int)retries) >= 0)
		return true;
	/* Handled like a lost packet. */
	if (errno == EAGAIN || errno == EINTR || errno == ENOMEM)
		return true;
	ft_error_set(&err, 0, 0, 0, "cannot send on %s port %d: %s", l->port.ca, l->port.port, strerror(errno));
	lose_port(l, &err);
	return false;
}

static void ask(struct listener *l, enum ask what)
{
	enum agent agent = agent_of(what);
	/* All but subscriptions are repeated periodically anyway. */
	unsigned int retries = what >= ASK_LINK_STATE ? l->options->retries : 0;
	struct packet packet = {0};

	build_request(l, what);
	l->asked = what;
	l->request_end_ms = ft_guard_now_ms() + (int64_t)l->options->timeout_ms * (retries + 1) + GRACE_MS;
	memcpy(umad_get_mad(&packet), l->request, FT_MAD_SIZE);
	if (agent == AGENT_SA)
		umad_set_addr(&packet, l->request_lid, QP_GENERAL_SERVICES, l->own.sm_sl, (int)UMAD_QKEY);
	else
		umad_set_addr(&packet, l->request_lid, QP_MANAGEMENT, 0, 0);
	send_mad(l, agent, &packet, l->options->timeout_ms, retries);
}

/* Handles answers. @mad is NULL if none came. */

static void find_port_down(struct listener *l)
{
	struct ft_error err = {0};

	ft_error_set(&err, 0, 0, 0, "%s port %d is down", l->port.ca, l->port.port);
	become_deaf(l, &err);
	if (other_port_is_up(l)) {
		close_port(l);
		look_in(l, 0);
	}
}

static void find_no_sm(struct listener *l)
{
	struct ft_error err = {0};

	ft_error_set(&err, 0, 0, 0, "no subnet manager has brought up %s port %d", l->port.ca, l->port.port);
	become_deaf(l, &err);
}

static void take_port(struct listener *l, const uint8_t *mad, uint16_t status)
{
	struct ft_own_port before = l->own;
	struct ft_error err = {0};

	look_regularly(l);
	if (!mad || status != 0) {
		if (l->port_misses++ < l->options->retries) {
			look_soon(l);
			return;
		}
		ft_error_set(&err, 0, 0, 0, "%s port %d does not answer itself", l->port.ca, l->port.port);
		lose_port(l, &err);
		return;
	}
	l->port_misses = l->losses = 0;
	ft_mad_own_port(mad, &l->own);
	if (l->own.state != FT_PORT_ACTIVE || l->own.lid == 0 || l->own.sm_lid == 0) {
		/* So that it counts as changed once it is up again. */
		bool down = l->own.state == FT_PORT_DOWN;

		l->own = (struct ft_own_port){0};
		if (down)
			find_port_down(l);
		else
			find_no_sm(l);
		return;
	}
	if (l->own.lid != before.lid || l->own.sm_lid != before.sm_lid) {
		subscription_broke(l);
		l->sm_misses = 0;
	}
	ask(l, ASK_SM);
}

/* The SM did not answer, or not as the master. Only the answer to the subscription decides whether we are deaf. */
static void miss_sm(struct listener *l)
{
	unsigned int limit = l->options->retries ? l->options->retries : 1;

	l->sm_misses++;
	if (!l->sm_known)
		return;
	if (l->sm_misses < limit)
		look_soon(l);
	else
		subscription_broke(l);
}

static void hear_sm(struct listener *l, const struct ft_sm_info *info)
{
	/* Another SM, or the same one restarted, without our subscription. */
	if (l->sm_known && (info->guid != l->sm.guid || info->act_count < l->sm.act_count))
		subscription_broke(l);
	else if (l->sm_misses > 0)
		renew_now(l);
	if (l->sm_known)
		say_busy(l, info->act_count - l->sm.act_count);
	l->sm = *info;
	l->sm_known = true;
	l->sm_misses = 0;
}

static void take_sm(struct listener *l, const uint8_t *mad, uint16_t status)
{
	struct ft_sm_info info = {0};

	if (mad && status == 0)
		ft_mad_sm_info(mad, &info);
	if (info.state == FT_SM_MASTER)
		hear_sm(l, &info);
	else
		miss_sm(l);
	if (ft_guard_now_ms() >= l->renew_ms)
		ask(l, l->broken || l->guid == 0 ? ASK_LINK_STATE : ASK_SUBSCRIPTION);
}

/*
 * Before a subscription is renewed: an SM that restarted without any other sign, or that did not see our port for a
 * while, has lost it, and with it events. If the SM does not support the query, the subscription is assumed to stand.
 */
static void take_subscription(struct listener *l, const uint8_t *mad, uint16_t status)
{
	if (mad && status == FT_STATUS_NO_RECORDS)
		l->broken = true;
	ask(l, ASK_LINK_STATE);
}

static void become_subscribed(struct listener *l)
{
	bool news = l->broken || !l->subscribed;

	l->subscribed = true;
	l->broken = false;
	l->said[0] = '\0';
	l->rejections = 0;
	l->backoff_ms = 0;
	renew_in(l, l->options->renew_ms);
	if (news)
		say_subscribed(l);
}

static void find_sa_busy(struct listener *l)
{
	struct ft_error err = {0};

	renew_in(l, back_off(l, quick_max_ms(l)));
	/* A subscription whose renewal failed still stands. */
	if (l->rejections++ < l->options->retries || !l->broken)
		return;
	ft_error_set(&err, 0, 0, 0, "the subnet administration (LID %u) is busy", l->own.sm_lid);
	become_deaf(l, &err);
}

static void find_sa_silent(struct listener *l)
{
	struct ft_error err = {0};

	ft_error_set(&err, 0, 0, 0, "the subnet manager (LID %u) does not answer", l->own.sm_lid);
	become_deaf(l, &err);
	renew_in(l, back_off(l, quick_max_ms(l)));
}

static void find_refused(struct listener *l, uint16_t status)
{
	/* IBTA Vol 1, 15.2.1, SA-specific status codes: the upper half. */
	static const char *const words[] = {"",
					    "no resources",
					    "request invalid",
					    "no records",
					    "too many records",
					    "invalid GID",
					    "insufficient components",
					    "request denied"};
	const char *word = status >> 8 < FT_COUNT(words) ? words[status >> 8] : "";
	struct ft_error err = {0};

	l->broken = true;
	renew_in(l, back_off(l, l->options->renew_ms));
	/* An SM that has just started answers so too, until it knows our LID. */
	if (l->rejections++ < l->options->retries)
		return;
	ft_error_set(&err, 0, 0, 0, "the subnet administration (LID %u) refuses the subscription (status 0x%04x%s%s)",
		     l->own.sm_lid, status, word[0] ? ": " : "", word);
	become_deaf(l, &err);
}

static void take_link_state(struct listener *l, const uint8_t *mad, uint16_t status)
{
	if (!mad)
		find_sa_silent(l);
	else if (status & FT_STATUS_BUSY)
		find_sa_busy(l);
	else if (status != 0)
		find_refused(l, status);
	else {
		become_subscribed(l);
		ask(l, ASK_IN_SERVICE);
	}
}

/* If refused or lost, no harm is done: the host's switch reports the link too. */
static void take_in_service(struct listener *l, const uint8_t *mad, uint16_t status)
{
	(void)mad;
	(void)status;
	ask(l, ASK_OUT_OF_SERVICE);
}

static void take_out_of_service(struct listener *l, const uint8_t *mad, uint16_t status)
{
	(void)l;
	(void)mad;
	(void)status;
}

static void take_answer(struct listener *l, const uint8_t *mad, uint16_t status)
{
	static void (*const take[])(struct listener * l, const uint8_t *mad, uint16_t status) = {
		[ASK_PORT] = take_port,
		[ASK_SM] = take_sm,
		[ASK_SUBSCRIPTION] = take_subscription,
		[ASK_LINK_STATE] = take_link_state,
		[ASK_IN_SERVICE] = take_in_service,
		[ASK_OUT_OF_SERVICE] = take_out_of_service,
	};
	enum ask asked = l->asked;

	l->asked = ASK_NOTHING;
	take[asked](l, mad, status);
}

/* What comes in. */

/* Any host may send a Report; only the SM's own counts, from its QP 1, which takes privileges there. */
static bool is_from_sm(const struct listener *l, struct packet *packet)
{
	const ib_mad_addr_t *from = umad_get_mad_addr(packet);

	return l->own.sm_lid != 0 && ntohs(from->lid) == l->own.sm_lid && ntohl(from->qpn) == QP_GENERAL_SERVICES;
}

static void answer_report(struct listener *l, struct packet *packet)
{
	const ib_mad_addr_t *from = umad_get_mad_addr(packet);

	ft_report_answer(umad_get_mad(packet));
	umad_set_addr_net(packet, from->lid, from->qpn, from->sl, htonl(UMAD_QKEY));
	send_mad(l, AGENT_SA, packet, 0, 0);
}

static void take_report(struct listener *l, struct packet *packet, size_t length)
{
	struct ft_notice notice;
	int r;

	r = ft_report_parse(umad_get_mad(packet), length, &notice);
	if (r < 0 || !is_from_sm(l, packet))
		return;
	if (r > 0)
		say_trap(l, &notice);
	/* A Report without a response is repeated a limited number of times. */
	answer_report(l, packet);
}

static void take_packet(struct listener *l, struct packet *packet, size_t length)
{
	const ib_mad_addr_t *from = umad_get_mad_addr(packet);
	const uint8_t *mad = umad_get_mad(packet);
	uint16_t status;

	/* A request that timed out. */
	if (umad_status(packet) != 0) {
		if (l->asked != ASK_NOTHING && ft_mad_tid(mad) == ft_mad_tid(l->request))
			take_answer(l, NULL, 0);
		return;
	}
	if (l->asked == ASK_NOTHING || !ft_mad_is_answer(mad, length, l->request, &status)) {
		take_report(l, packet, length);
		return;
	}
	if (l->asked == ASK_PORT || ntohs(from->lid) == l->request_lid)
		take_answer(l, mad, status);
}

static void receive(struct listener *l)
{
	struct ft_error err = {0};

	for (int i = 0; i < RECEIVE_BATCH && l->fd >= 0; i++) {
		struct packet packet = {0};
		int length = FT_MAD_SIZE;

		if (umad_recv(l->fd, &packet, &length, 0) >= 0) {
			take_packet(l, &packet, (size_t)length);
			continue;
		}
		if (errno == EAGAIN || errno == EINTR)
			return;
		ft_error_set(&err, 0, 0, 0, "cannot receive on %s port %d: %s", l->port.ca, l->port.port,
			     strerror(errno));
		lose_port(l, &err);
	}
}

static void do_what_is_due(struct listener *l)
{
	if (l->unsaid)
		say_again(l);
	if (ft_guard_now_ms() >= l->alive_ms)
		say_alive(l);
	if (l->fd < 0 && ft_guard_now_ms() >= l->next_ms)
		open_port(l);
	if (l->fd < 0)
		return;
	if (l->asked != ASK_NOTHING && ft_guard_now_ms() >= l->request_end_ms)
		take_answer(l, NULL, 0);
	if (l->fd >= 0 && l->asked == ASK_NOTHING && ft_guard_now_ms() >= l->next_ms)
		ask(l, ASK_PORT);
}

static int wait_ms(const struct listener *l)
{
	int64_t end_ms = l->fd >= 0 && l->asked != ASK_NOTHING ? l->request_end_ms : l->next_ms;
	int64_t left_ms = (end_ms < l->alive_ms ? end_ms : l->alive_ms) - ft_guard_now_ms();

	if (left_ms <= 0)
		return 0;
	if (l->unsaid && left_ms > FULL_POLL_MS)
		return FULL_POLL_MS;
	return left_ms < WAIT_MAX_MS ? (int)left_ms : WAIT_MAX_MS;
}

static void wait_for_input(struct listener *l)
{
	struct pollfd fds[] = {{.fd = l->fd, .events = POLLIN}, {.fd = l->parent}};
	struct ft_error err = {0};

	/* A simulator's poll() may fail without a reason, and checks the umad port only. */
	errno = 0;
	if (poll(fds, FT_COUNT(fds), wait_ms(l)) < 0) {
		if (errno != 0 && errno != EINTR && errno != EAGAIN)
			exit(0);
		return;
	}
	if (fds[1].revents != 0)
		exit(0);
	if (fds[0].revents & (POLLERR | POLLHUP | POLLNVAL)) {
		ft_error_set(&err, 0, 0, 0, "%s port %d is gone", l->port.ca, l->port.port);
		lose_port(l, &err);
	} else if (fds[0].revents & POLLIN) {
		receive(l);
	}
}

void ft_listen(const struct ft_listener_options *options, int parent_fd)
{
	struct listener l = {.options = options, .parent = parent_fd, .fd = -1, .broken = true};

	ft_confine();
	/* Random, so that no host can guess it: with a known transaction id any host can answer in the SM's place. */
	if (getrandom(&l.tid, sizeof(l.tid), GRND_NONBLOCK) < 0)
		l.tid = (uint32_t)ft_guard_now_ms();
	l.alive_ms = ft_guard_now_ms() + options->alive_ms;
	for (;;) {
		/* In this order: an answer that has arrived is not late, however late this process is. */
		wait_for_input(&l);
		do_what_is_due(&l);
	}
}
