/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/stop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Global, as signal handlers are. */
static pid_t owner;
static int told_fd = -1;
static volatile sig_atomic_t counts, saved;

/* From here to on_signal() only what signal-safety(7) allows. */

static void on_alarm(int number)
{
	static const char text[] = "ftcheckd: does not come to its end by itself, and is ended\n";

	(void)number;
	/* SIGALRM kills by now (SA_RESETHAND), in case writing blocks. */
	alarm(1);
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(saved ? EXIT_SUCCESS : EXIT_FAILURE);
}

void ft_stop_now(void)
{
	if (counts)
		return;
	counts = 1;
	alarm(FT_STOP_MAX_S);
}

static void on_signal(int number)
{
	int error = errno;

	(void)number;
	/* A child that was forked just now: it gets signals of its own, and the loop is not its own. */
	if (getpid() != owner)
		return;
	ft_stop_now();
	(void)eventfd_write(told_fd, 1);
	errno = error;
}

static int on_told(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	(void)fd;
	(void)events;
	(void)userdata;
	return sd_event_exit(sd_event_source_get_event(source), 0);
}

static int handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	sigset_t set;

	sigemptyset(&action.sa_mask);
	sigemptyset(&set);
	sigaddset(&set, number);
	if (sigaction(number, &action, NULL) < 0 || sigprocmask(SIG_UNBLOCK, &set, NULL) < 0)
		return -errno;
	return 0;
}

static int watch(sd_event *loop)
{
	sd_event_source *source = NULL;
	int r;

	r = sd_event_add_io(loop, &source, told_fd, EPOLLIN, on_told, NULL);
	if (r < 0)
		return r;
	r = sd_event_source_set_priority(source, SD_EVENT_PRIORITY_IMPORTANT);
	if (r >= 0)
		r = sd_event_source_set_floating(source, 1);
	sd_event_source_unref(source);
	return r < 0 ? r : 0;
}

int ft_stop_begin(sd_event *loop)
{
	int r;

	told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (told_fd < 0)
		return -errno;
	owner = getpid();
	r = watch(loop);
	if (r == 0)
		r = handle(SIGALRM, on_alarm, SA_RESETHAND | SA_NODEFER);
	if (r == 0)
		r = handle(SIGTERM, on_signal, SA_RESTART);
	if (r == 0)
		r = handle(SIGINT, on_signal, SA_RESTART);
	return r;
}

void ft_stop_saved(void)
{
	saved = 1;
}
