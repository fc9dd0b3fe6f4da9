/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/guard.h"

enum {
	END_SOON_MS = 100,
	GIVEN_UP_MAX = 64, /* further hanging children stay zombies */
};

/* Global, as the children of a process are. */
static pid_t given_up[GIVEN_UP_MAX];
static size_t given_up_count;

static void reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int arrange_files(int output, const int *keep, size_t count)
{
	int end = FT_CHILD_FIRST_FD + (int)count;
	int high[FT_CHILD_KEEP_MAX];
	int null;

	if (count > FT_CHILD_KEEP_MAX)
		return -EINVAL;
	/* First move all of them above the numbers that are about to be overwritten. */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return -errno;
	null = fcntl(null, F_DUPFD_CLOEXEC, end);
	output = output < 0 ? null : fcntl(output, F_DUPFD_CLOEXEC, end);
	if (null < 0 || output < 0)
		return -errno;
	for (size_t i = 0; i < count; i++) {
		high[i] = fcntl(keep[i], F_DUPFD_CLOEXEC, end);
		if (high[i] < 0)
			return -errno;
	}
	if (dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
		return -errno;
	for (size_t i = 0; i < count; i++)
		if (dup3(high[i], FT_CHILD_FIRST_FD + (int)i, O_CLOEXEC) < 0)
			return -errno;
	return close_range((unsigned int)end, ~0U, 0) < 0 ? -errno : 0;
}

void ft_child_begin(pid_t parent, int output, const int *keep, size_t count)
{
	static const struct rlimit no_core = {0, 0};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(FT_CHILD_FAILED);
	setpgid(0, 0);
	reset_signals();
	setrlimit(RLIMIT_CORE, &no_core);
	__fpurge(stdout);
	__fpurge(stderr);
	if (arrange_files(output, keep, count) < 0)
		_exit(FT_CHILD_FAILED);
}

static bool is_over(pid_t child)
{
	pid_t r;

	do
		r = waitpid(child, NULL, WNOHANG);
	while (r < 0 && errno == EINTR);
	/* An error: SIGCHLD is ignored, or the child was reaped elsewhere. */
	return r != 0;
}

static bool wait_for_end(pid_t child, int ms)
{
	int64_t end_ms = ft_guard_now_ms() + ms;

	while (!is_over(child)) {
		if (ft_guard_now_ms() >= end_ms)
			return false;
		poll(NULL, 0, 1);
	}
	return true;
}

void ft_child_give_up(pid_t child)
{
	if (given_up_count < GIVEN_UP_MAX)
		given_up[given_up_count++] = child;
}

void ft_child_reap_given_up(void)
{
	size_t count = 0;

	for (size_t i = 0; i < given_up_count; i++)
		if (!is_over(given_up[i]))
			given_up[count++] = given_up[i];
	given_up_count = count;
}

void ft_child_end(pid_t child)
{
	ft_child_reap_given_up();
	/* The child may have been reaped already, and its id reused. */
	if (is_over(child))
		return;
	kill(child, SIGTERM);
	if (wait_for_end(child, END_SOON_MS))
		return;
	kill(child, SIGKILL);
	if (!wait_for_end(child, END_SOON_MS))
		ft_child_give_up(child);
}
