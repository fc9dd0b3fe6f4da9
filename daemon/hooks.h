/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Hooks: every executable in a directory is run for every alert, with the JSON of the event (ft_event_write_json()) on
 * standard input and the essentials in the environment. Never through a shell; never two of the same at once; each
 * event is repeated until the hook accepts it (exit status 0). The events of one alert are delivered in order. Each
 * event has its own retries: those of other alerts do not wait for one that fails, and critical ones come first.
 *
 * A hook that users other than root and the daemon's own can write is not run (daemon/trust.h).
 *
 * Each hook runs in a process group of its own under a small runner process, which outlives the daemon: it records
 * success in the state directory, so that a restarted daemon does not run the hook twice for one event. A hook that was
 * killed is run again.
 */
#ifndef FT_DAEMON_HOOKS_H
#define FT_DAEMON_HOOKS_H

#include <systemd/sd-event.h>

#include "daemon/alert.h"

struct ft_hooks_options {
	const char *directory;	     /* of the hooks; may be absent */
	const char *state_directory; /* for the runners' notes, in hooks/ below it; NULL: none are kept */
	const char *fabric;	     /* the plan's name */
	const char *instance;	     /* "" without */
	unsigned int timeout_ms;     /* of one run: then SIGTERM, and SIGKILL to its whole group 2 s later */
	unsigned int retry_ms;	     /* before the second try of an event; doubles up to 5 minutes */
	unsigned int give_up_ms;     /* an event older than this that still fails is given up, which is logged */
};

struct ft_hooks;

/*
 * @loop     SIGCHLD has to be blocked, as sd_event_add_child(3) wants it
 * @alerts   where events come from and are marked as done; must outlive the hooks
 * @changed  called after ft_alerts_done(): the state must be saved Strings of @options are copied. Returns 0 or -errno
 * with @err filled.
 */
int ft_hooks_new(sd_event *loop, const struct ft_hooks_options *options, struct ft_alerts *alerts,
		 void (*changed)(void *userdata), void *userdata, struct ft_hooks **ret_hooks, struct ft_error *err);

/*
 * Replaces the options (a reload). Running hooks continue; a hook that waits for its next try may be tried at the next
 * kick, as it may have been repaired. Returns 0, or -ENOMEM (the old ones stay).
 */
int ft_hooks_set_options(struct ft_hooks *hooks, const struct ft_hooks_options *options);

/*
 * The sinks for the present executables of the directory, "hook:NAME", for ft_alerts_set_sinks(). The directory is read
 * again. Owned by the hooks, valid until the next call. Hidden files, directories, what is not executable, what editors
 * and package managers leave behind (.bak, .dpkg-old, …), and names beyond [A-Za-z0-9._-] or longer than 200 are left
 * out (the last two are logged once). An untrusted one is logged once, too; it is a sink only if it was one before, so
 * that its queued events are delivered once it is trusted again. A missing directory has no hooks.
 *
 * Returns NULL, with a count of 0, if it could not be read; then the sinks must not be changed, or events queued for
 * hooks are lost. That is logged once, and the previous hooks stay.
 */
const char *const *ft_hooks_scan(struct ft_hooks *hooks, size_t *ret_count);

/* Starts the hooks that can be started. Never waits. */
void ft_hooks_kick(struct ft_hooks *hooks);

/*
 * Removes runners' notes on events that are not queued any more. Called after each save of the alerts to disk, and only
 * then: an event that is still queued on disk without its note is run again after a restart.
 */
void ft_hooks_saved(struct ft_hooks *hooks);

/* For metrics: runs that succeeded and failed so far, events that were given up, and hooks that are refused now. */
struct ft_hooks_counts {
	uint64_t succeeded, failed, given_up, refused;
};
struct ft_hooks_counts ft_hooks_counts(const struct ft_hooks *hooks);

/* The runs of one hook, by a number from 0 on; NULL: there is none with that number. */
struct ft_hook_runs {
	const char *name;
	uint64_t succeeded, failed;
};
const struct ft_hook_runs *ft_hooks_runs(const struct ft_hooks *hooks, size_t number);

/* Running hooks continue by themselves. */
void ft_hooks_free(struct ft_hooks *hooks);
static inline void ft_hooks_freep(struct ft_hooks **hooks)
{
	ft_hooks_free(*hooks);
}

#endif
