/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Listening to the fabric's own events: a long-lived child process that holds the umad port, subscribes at the subnet
 * administration to the traps that tell of links, and passes on each one that comes.
 *
 * The child asks the SA for trap 128 (a switch's link state changed), 64 and 65 (an end port came, went): IBTA Vol 1,
 * 13.4.8.2 (Notices) and 15.2.5.12 (InformInfo). Setting InformInfo is the only Set that ftcheck ever sends. It goes to
 * the SM's LID as the own port's PortInfo has it, so nothing of it is configured. It is renewed when the SM or the own
 * LID changes, when the port comes up again, when the SM was started anew (SMInfo:ActCount runs backwards, which is
 * what a client reregister amounts to), and on a slow timer, since an SM forgets: whether it did, it is asked before
 * (SubnAdmGet(InformInfoRecord)), and if so events were lost.
 *
 * The child never opens issm. It is no part of what the parent may wait for: all calls here return at once.
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
	unsigned int poll_ms;	 /* how often to look at the own port and at the SM: both are single MADs */
	unsigned int renew_ms;	 /* the slow timer of the subscription */
	unsigned int alive_ms;	 /* how often to say FT_LISTENER_ALIVE */
};

/* The defaults: 1000 ms, 3 retries, look every 500 ms, renew every 60 s, a sign of life every 5 s. */
extern const struct ft_listener_options ft_listener_defaults;

enum ft_listener_kind {
	/* Events will come from now on. Said again after a break only: who hears it looks at the whole fabric once. */
	FT_LISTENER_SUBSCRIBED,
	/* None will, for the reason in @text. Said once a reason; the child goes on trying. */
	FT_LISTENER_DEAF,
	/* A trap: @trap, and where it points to, @lid or @guid. */
	FT_LISTENER_TRAP,
	/*
	 * The SM sent @smps SMPs since the last look (SMInfo:ActCount; at least FT_LISTENER_BUSY_MIN). It routes anew,
	 * as a rule, and a Report that it sent before that may have been lost on the old way to us: an SM that was busy
	 * without a trap is a reason to look for oneself.
	 */
	FT_LISTENER_BUSY,
	/*
	 * Said every @alive_ms whatever the state of the port: a child that is stopped, or hangs in the kernel, keeps
	 * its socket open and could not be told from one that has nothing to say.
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
 * Starts the child. That no port is there or up is its to find out, and no error here.
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
