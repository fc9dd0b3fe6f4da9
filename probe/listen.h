/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Listens to the fabric's traps: a long-lived child process holds the umad port, subscribes with the SA (subnet
 * administration) to the traps about links, and forwards each one.
 *
 * The child subscribes to trap 128 (a switch's link state changed), 64 and 65 (an end port in service, out of service):
 * IBTA Vol 1, 13.4.8.2 (Notices) and 15.2.5.12 (InformInfo). Setting InformInfo is the only Set that ftcheck ever
 * sends. It goes to the SM's LID as the own port's PortInfo has it, so nothing of it is configured. It is renewed when
 * the SM or the own LID changes, when the port comes up again, when the SM was started anew (SMInfo:ActCount runs
 * backwards, which is equivalent to a client reregister), and on a slow timer, since an SM may lose subscriptions:
 * SubnAdmGet(InformInfoRecord) checks that first, and if it did, events were lost.
 *
 * The child never opens issm. The parent never waits for it: all calls here return at once.
 */
#ifndef FT_PROBE_LISTEN_H
#define FT_PROBE_LISTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct ft_listener;

struct ft_listener_options {
	const char *ca;		 /* as in struct ft_sweep_options */
	int port;		 /* the same */
	unsigned int timeout_ms; /* of one MAD */
	unsigned int retries;	 /* of one MAD */
	unsigned int poll_ms;	 /* how often to check the own port and the SM: a single MAD each */
	unsigned int renew_ms;	 /* period of the renewal of the subscription */
	unsigned int alive_ms;	 /* period of FT_LISTENER_ALIVE */
};

/* The defaults: 1000 ms, 3 retries, poll every 500 ms, renew every 60 s, a sign of life every 5 s. */
extern const struct ft_listener_options ft_listener_defaults;

enum ft_listener_kind {
	/*
	 * Events will come from now on. Repeated only after an interruption: the receiver then sweeps the whole fabric
	 * once.
	 */
	FT_LISTENER_SUBSCRIBED,
	/* No events will come, for the reason in @text. Sent once a reason; the child keeps trying. */
	FT_LISTENER_DEAF,
	/* A trap: its number @trap, and its origin, @lid or @guid. */
	FT_LISTENER_TRAP,
	/*
	 * The SM sent @smps SMPs since the last look (SMInfo:ActCount; at least FT_LISTENER_BUSY_MIN). As a rule it is
	 * rerouting, and a Report that it sent before may have been lost on the old route: activity of the SM without a
	 * trap is a reason to sweep.
	 */
	FT_LISTENER_BUSY,
	/*
	 * Sent every @alive_ms whatever the state of the port: a child that is stopped, or hangs in the kernel, keeps
	 * its socket open and would look like one without events.
	 */
	FT_LISTENER_ALIVE,
};

enum { FT_LISTENER_BUSY_MIN = 64 };

struct ft_listener_message {
	enum ft_listener_kind kind;
	uint16_t trap;		       /* 128, 64, 65 */
	uint16_t lid;		       /* 128: of the switch; 0 else */
	uint64_t guid;		       /* 64, 65: of the end port; 0 else */
	uint32_t smps;		       /* FT_LISTENER_BUSY */
	bool no_port;		       /* FT_LISTENER_DEAF: there is no device, or no port that is up */
	char text[FT_ERROR_TEXT_SIZE]; /* FT_LISTENER_SUBSCRIBED: "mlx5_0 port 1 (LID 5), SM LID 1"; DEAF: why; safe */
};

/*
 * Starts the child. A missing port, or one that is down, is no error here: the child reports it.
 * @options  copied
 * Returns 0, or -errno with @err filled.
 */
int ft_listener_start(const struct ft_listener_options *options, struct ft_listener **ret_listener,
		      struct ft_error *err);

/* To be watched for input; owned by the listener. */
int ft_listener_fd(const struct ft_listener *listener);
pid_t ft_listener_pid(const struct ft_listener *listener);

/*
 * The next message, without waiting. Returns 1, 0 (none yet), or -EPIPE: the child is gone, and only
 * ft_listener_free() is left. It goes by itself where a port can be opened time and again and never be used: a new
 * process may have more luck; it should be started some seconds later.
 */
int ft_listener_read(struct ft_listener *listener, struct ft_listener_message *ret_message);

/* Ends the child and reaps it, and never waits long for that. */
void ft_listener_free(struct ft_listener *listener);
static inline void ft_listener_freep(struct ft_listener **listener)
{
	ft_listener_free(*listener);
}

#endif
