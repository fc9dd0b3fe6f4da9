/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Hooks: every executable in a directory is run for every alert, with the JSON of the event (ft_event_write_json()) on
 * standard input and the essentials in the environment. Never through a shell; never two of the same at once; each gets
 * each event until it says (by exit status 0) that it took it. The events of one alert come in their order. Each event
 * has its own retries: those of other alerts do not wait for one that fails, and critical ones come first.
 *
 * A hook that others than root and the daemon's own user may have written is not run (daemon/trust.h).
 *
 * Each hook runs in a process group of its own under a small runner process, which outlives the daemon: it notes in the
 * state directory that a hook succeeded, so that a daemon that was killed meanwhile and started again does not run it
 * twice for one event. A hook that was cut off itself is run again.
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
	unsigned int give_up_ms;     /* an event older than this that still fails is given up, and that is logged */
};

struct ft_hooks;

/*
 * @loop     SIGCHLD has to be blocked, as sd_event_add_child(3) wants it
 * @alerts   where events come from and are marked as done; must outlive the hooks
 * @changed  called after ft_alerts_done(): the state wants to be saved
 * Strings of @options are copied. Returns 0 or -errno with @err filled.
 */
int ft_hooks_new(sd_event *loop, const struct ft_hooks_options *options, struct ft_alerts *alerts,
		 void (*changed)(void *userdata), void *userdata, struct ft_hooks **ret_hooks, struct ft_error *err);

/*
 * Other options from now on (a reload). What runs goes on; a hook that waits for its next try may be tried at the next
 * kick: somebody may just have mended it. Returns 0, or -ENOMEM (the old ones stay).
 */
int ft_hooks_set_options(struct ft_hooks *hooks, const struct ft_hooks_options *options);

/*
 * The names of the sinks that the executables of the directory are now, "hook:NAME", for ft_alerts_set_sinks(). The
 * directory is read again. Owned by the hooks, valid until the next call. Hidden files, directories, what is not
 * executable, what editors and package managers leave behind (.bak, .dpkg-old, …), and names beyond [A-Za-z0-9._-] or
 * longer than 200 are left out (the last two are logged once). One that is not trusted is logged once, too; it is
 * a sink only if it was one before, so that what waits for it is told once that is mended. A directory that is not
 * there has no hooks.
 *
 * Returns NULL, with a count of 0, if it could not be read; leave the sinks as they are, or what waits for hooks that
 * cannot be seen just now is forgotten. That is logged once, and the hooks of before stay.
 */
const char *const *ft_hooks_scan(struct ft_hooks *hooks, size_t *ret_count);

/* There may be something to do: starts what can be started. Never waits. */
void ft_hooks_kick(struct ft_hooks *hooks);

/*
 * The alerts are on disk as they are now: runners' notes on events that wait there no longer are removed. To be called
 * after each time they were saved, and not otherwise: an event that still waits on disk without its note is run again
 * after a restart.
 */
void ft_hooks_saved(struct ft_hooks *hooks);

/* For metrics: runs that succeeded and failed so far, events that were given up, and hooks that are refused now. */
struct ft_hooks_counts {
	uint64_t succeeded, failed, given_up, refused;
};
struct ft_hooks_counts ft_hooks_counts(const struct ft_hooks *hooks);

/* The runs of one of them, by a number from 0 on; NULL: there is none of that number. */
struct ft_hook_runs {
	const char *name;
	uint64_t succeeded, failed;
};
const struct ft_hook_runs *ft_hooks_runs(const struct ft_hooks *hooks, size_t number);

/* The hooks that run go on by themselves. */
void ft_hooks_free(struct ft_hooks *hooks);
static inline void ft_hooks_freep(struct ft_hooks **hooks)
{
	ft_hooks_free(*hooks);
}

#endif
