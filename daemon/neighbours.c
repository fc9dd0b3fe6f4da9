/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/neighbours.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "probe/confine.h"
#include "probe/guard.h"
#include "probe/lldp_directory.h"
#include "probe/snapshot_build.h"
#include "verify/model/ethernet.h"

enum { COMMAND_LOST = 127 }; /* exit status, as that of sh(1), of a command that cannot be run */

struct ft_neighbours {
	sd_event_source *source;
	ft_neighbours_changed *changed;
	void *userdata;
};

/* Files that are being written change nothing until they are closed or renamed. */
enum {
	CHANGES = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE,
	LOSSES = IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT,
};

static int on_change(sd_event_source *source, const struct inotify_event *event, void *userdata)
{
	struct ft_neighbours *neighbours = userdata;
	bool lost = event->mask & LOSSES;

	if (lost)
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
	/* The callee may free all of this. */
	neighbours->changed(lost, neighbours->userdata);
	return 0;
}

int ft_neighbours_watch(sd_event *loop, const char *path, ft_neighbours_changed *changed, void *userdata,
			struct ft_neighbours **ret_neighbours)
{
	struct ft_neighbours *neighbours = calloc(1, sizeof(*neighbours));
	int r;

	if (!neighbours)
		return -ENOMEM;
	*neighbours = (struct ft_neighbours){.changed = changed, .userdata = userdata};
	r = sd_event_add_inotify(loop, &neighbours->source, path, CHANGES | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR,
				 on_change, neighbours);
	if (r < 0) {
		free(neighbours);
		return r;
	}
	*ret_neighbours = neighbours;
	return 0;
}

void ft_neighbours_free(struct ft_neighbours *neighbours)
{
	if (!neighbours)
		return;
	sd_event_source_disable_unref(neighbours->source);
	free(neighbours);
}

/* ---- the command ---- */

/* In its own process. Never returns. */
static _Noreturn void command_become(const char *command, pid_t parent, int output)
{
	struct rlimit limit;
	sigset_t none;

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(COMMAND_LOST);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* The check has little memory, as it parses what others wrote; a program has what the daemon was given. */
	if (getrlimit(RLIMIT_DATA, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_DATA, &limit);
	}
	if (dup2(output, STDOUT_FILENO) >= 0 && chdir("/") == 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(COMMAND_LOST);
}

/* Reads until the end of the output. 0, -ETIMEDOUT, -EFBIG, -ENOMEM or -errno. */
static int output_read(int fd, int64_t end_ms, struct ft_text *text)
{
	char buffer[65536];

	for (;;) {
		int64_t left = end_ms - ft_guard_now_ms();
		struct pollfd input = {.fd = fd, .events = POLLIN};
		ssize_t got;

		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&input, 1, left > INT_MAX ? INT_MAX : (int)left) == 0)
			return -ETIMEDOUT;
		got = read(fd, buffer, sizeof(buffer));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : ft_text_failed(text) ? -ENOMEM : 0;
		ft_text_add(text, buffer, (size_t)got);
		if (text->length > FT_LLDP_FILE_MAX)
			return -EFBIG;
	}
}

static int command_run(const char *command, int64_t end_ms, struct ft_text *text, int *ret_status, struct ft_error *err)
{
	pid_t self = getpid(), pid;
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return ft_error_set(err, -errno, 0, 0, "lldp_command: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		command_become(command, self, ends[1]);
	r = pid < 0 ? -errno : 0;
	close(ends[1]);
	if (r == 0) {
		r = output_read(ends[0], end_ms, text);
		/* Whatever it started and left behind goes with it, also after an end in time. */
		if (r < 0)
			kill(-pid, SIGKILL);
		while (waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
			;
		kill(-pid, SIGKILL);
	}
	close(ends[0]);
	if (r == -ETIMEDOUT)
		return ft_error_set(err, r, 0, 0, "lldp_command did not end in time");
	if (r == -EFBIG)
		return ft_error_set(err, r, 0, 0, "lldp_command printed more than %d MiB", FT_LLDP_FILE_MAX >> 20);
	return r < 0 ? ft_error_set(err, r, 0, 0, "lldp_command: %s", strerror(-r)) : 0;
}

/* What was printed counts, even if the command failed: it may have failed at one of many machines. */
static int printed_take(const char *command, int64_t end_ms, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_(ft_lldp_freep) struct ft_lldp *lldp = NULL;
	struct ft_error why = {0};
	int status = 0, r = command_run(command, end_ms, &text, &status, err);

	if (r < 0)
		return r;
	ft_confine();
	if (text.length == 0 && WIFEXITED(status))
		return ft_error_set(err, -ENODATA, 0, 0, "lldp_command printed nothing, and exited with status %d",
				    WEXITSTATUS(status));
	if (text.length == 0)
		return ft_error_set(err, -ENODATA, 0, 0, "lldp_command printed nothing, and was ended by signal %d",
				    WTERMSIG(status));
	r = ft_lldp_new(&lldp);
	if (r == 0)
		r = ft_lldp_add(lldp, ft_text_string(&text), text.length, NULL, &why);
	if (r < 0 && r != -ENOMEM)
		return ft_error_set(err, r, 0, 0, "what lldp_command printed, %u:%u: %s", why.line, why.column,
				    why.text);
	return r < 0 ? r : ft_lldp_finish(lldp, ret_snapshot, err);
}

/* ---- both ---- */

static int files_take(const char *path, uint32_t max_age_ms, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_lldp_files_release) struct ft_lldp_files files = {0};
	size_t faults = 0;
	int r = ft_lldp_directory_read(path, max_age_ms ? max_age_ms : FT_LLDP_ANY_AGE, &files, err);

	if (r < 0)
		return r;
	ft_confine();
	if (files.count == 0 && max_age_ms)
		return ft_error_set(err, -ENODATA, 0, 0, "%s has no neighbors that are young enough (lldp_max_age)",
				    path);
	if (files.count == 0)
		return ft_error_set(err, -ENODATA, 0, 0,
				    "%s has no neighbors: lldpcli show neighbors -f json > %s/%s.json", path, path,
				    "MACHINE");
	r = ft_lldp_directory_parse(&files, ret_snapshot, &faults, err);
	if (r == 0 && faults == files.count)
		return ft_error_set(err, -EINVAL, 0, 0, "no file in %s is a recording of neighbors", path);
	return r;
}

int ft_neighbours_take(const struct ft_neighbours_source *source, const struct ft_plan *plan, int64_t end_ms,
		       struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	int r = source->command ? printed_take(source->command, end_ms, &snapshot, err)
				: files_take(source->directory, source->max_age_ms, &snapshot, err);

	if (r == 0)
		r = ft_ethernet_fit(plan, snapshot);
	if (r == 0)
		r = ft_snapshot_set_detail(snapshot, source->command ? "lldp_command" : source->directory);
	if (r < 0)
		return r;
	snapshot->source.live = true;
	snapshot->source.time_s = (int64_t)time(NULL);
	*ret_snapshot = FT_STEAL(snapshot);
	return 0;
}
