/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/hook_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/landlock.h"
#include "daemon/hook_notes.h"
#include "probe/child.h"

enum {
	STATUS_CANNOT_RUN = 127, /* exit status of the hook's process if execve(2) fails; its output gives the reason */
	DRAIN_MAX = 1 << 20,	 /* after a hook has ended at most the content of a pipe is read */
};

/* The runner: its inputs and its state. */
struct runner {
	const struct ft_hook_job *job;
	struct ft_hook_result *result;
	int input;
	int note;
	int output;	    /* the read end of the hook's output */
	int children;	    /* tells of SIGCHLD */
	int64_t kill_at_ms; /* time of SIGTERM, or of SIGKILL if @timed_out; INT64_MAX: none */
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* In the hook's process. Never returns. */
static void become_hook(const struct runner *r, pid_t runner, int output)
{
	char *const arguments[] = {(char *)(uintptr_t)r->job->path, NULL};
	sigset_t none;

	/* A session, and so a process group, of its own; no controlling terminal. */
	setsid();
	/* Recorded by the hook itself, before it starts anything: a runner may be killed before it can do so. */
	r->result->hook = getpid();
	/* If the runner is killed the hook must die too, as it will be run again. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != runner)
		_exit(STATUS_CANNOT_RUN);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/*
	 * The group with access to the management ports is for the daemon only. Without Landlock in the kernel this has
	 * no effect.
	 */
	(void)ft_landlock_hide("/dev/infiniband");
	if (dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0 && dup2(r->input, STDIN_FILENO) >= 0 &&
	    chdir("/") == 0)
		execve(r->job->path, arguments, r->job->environment);
	dprintf(STDERR_FILENO, "cannot be run: %s",
		errno == ENOEXEC ? "neither a program nor a script with a #! line" : strerror(errno));
	_exit(STATUS_CANNOT_RUN);
}

static int start_hook(struct runner *r)
{
	int ends[2];
	pid_t self = getpid(), pid;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &child, NULL) < 0)
		return -errno;
	r->children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->children < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	/* Non-blocking at our end only: the hook's end must block as usual. */
	if (fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		become_hook(r, self, ends[1]);
	r->result->hook = pid;
	close(ends[1]);
	close(r->input);
	r->output = ends[0];
	return 0;
}

/* Reads available output, @limit bytes at most, and closes the pipe at its end. */
static void drain(struct runner *r, size_t limit)
{
	struct ft_hook_result *result = r->result;

	while (r->output >= 0 && limit > 0) {
		char buffer[65536];
		ssize_t n = read(r->output, buffer, sizeof(buffer));
		size_t room = FT_HOOK_OUTPUT_MAX - result->length, taken;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			close(r->output);
			r->output = -1;
			return;
		}
		taken = (size_t)n < room ? (size_t)n : room;
		memcpy(result->output + result->length, buffer, taken);
		result->length += taken;
		limit -= (size_t)n < limit ? (size_t)n : limit;
	}
}

/* The group may not exist yet: the hook's process makes it its own. */
static void signal_group(pid_t hook, int number)
{
	if (kill(-hook, number) < 0)
		(void)kill(hook, number);
}

static void enforce(struct runner *r)
{
	if (now_ms() < r->kill_at_ms)
		return;
	if (!r->result->timed_out) {
		r->result->timed_out = true;
		signal_group(r->result->hook, SIGTERM);
		r->kill_at_ms = now_ms() + FT_HOOK_GRACE_MS;
		return;
	}
	signal_group(r->result->hook, SIGKILL);
	r->kill_at_ms = INT64_MAX;
}

/* It has ended, but is not reaped yet. */
static bool hook_has_ended(const struct runner *r)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)r->result->hook, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

/* Until the hook's own process has ended, even if others still hold its output open. */
static void watch(struct runner *r)
{
	while (!hook_has_ended(r)) {
		struct pollfd fds[] = {{.fd = r->children, .events = POLLIN}, {.fd = r->output, .events = POLLIN}};
		int64_t left = r->kill_at_ms - now_ms();
		int wait_ms = r->kill_at_ms == INT64_MAX ? -1 : left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
		struct signalfd_siginfo info;

		if (poll(fds, FT_COUNT(fds), wait_ms) < 0 && errno != EINTR) {
			/* It is too late to end it in time. */
			signal_group(r->result->hook, SIGKILL);
			return;
		}
		/* Only its arrival matters; one signal may represent several. */
		(void)!read(r->children, &info, sizeof(info));
		drain(r, DRAIN_MAX);
		enforce(r);
	}
}

/*
 * A hook that failed, or was terminated, will be run again: its whole group is killed. Processes left by a successful
 * hook are not touched. The hook's process is not reaped yet, so that its group id cannot be reused.
 */
static bool end_hook(struct runner *r)
{
	struct ft_hook_result *result = r->result;
	siginfo_t info = {0};
	bool good;

	while (waitid(P_PID, (id_t)result->hook, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	good = info.si_code == CLD_EXITED && info.si_status == 0 && !result->timed_out;
	if (!good)
		(void)kill(-result->hook, SIGKILL);
	while (waitpid(result->hook, &result->status, 0) < 0 && errno == EINTR)
		;
	result->ended = true;
	drain(r, DRAIN_MAX);
	return good;
}

/*
 * Signals that end the runner are passed on to its hook, or the hook ends by itself: either way the result is recorded.
 */
static void ignore_signals(void)
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2};

	for (size_t i = 0; i < FT_COUNT(numbers); i++)
		signal(numbers[i], SIG_IGN);
}

/* The runner's process. Never returns. */
static void be_runner(const struct ft_hook_job *job, struct ft_hook_result *result, pid_t daemon_pid, int input)
{
	struct runner r = {.job = job, .result = result, .output = -1, .children = -1};
	int keep[] = {input, job->note};

	ft_child_begin(daemon_pid, -1, keep, job->note >= 0 ? 2 : 1);
	/* From here on the daemon may die, and the hook continues. */
	prctl(PR_SET_PDEATHSIG, 0);
	prctl(PR_SET_NAME, "ftcheckd-hook");
	ignore_signals();
	r.input = FT_CHILD_FIRST_FD;
	r.note = job->note >= 0 ? FT_CHILD_FIRST_FD + 1 : -1;
	r.kill_at_ms = now_ms() + job->timeout_ms;
	if (start_hook(&r) < 0)
		_exit(FT_CHILD_FAILED);
	watch(&r);
	if (!end_hook(&r))
		_exit(1);
	if (r.note >= 0)
		result->note_failed = ft_note_done(r.note) < 0;
	_exit(0);
}

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* Some sites allow only non-executable memfds (sysctl vm.memfd_noexec); kernels before 6.3 do not have the flag. */
static int make_memory_file(void)
{
	int fd = memfd_create("ftcheck-event", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("ftcheck-event", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? -errno : fd;
}

/* A file without a name with the hook's input: a hook that does not read it blocks no one. */
static int make_input(const struct ft_text *input)
{
	_cleanup_(ft_closep) int fd = make_memory_file();
	const char *bytes = ft_text_string(input);
	int ret;

	if (fd < 0)
		return fd;
	for (size_t done = 0; done < input->length;) {
		ssize_t n = write(fd, bytes + done, input->length - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	if (lseek(fd, 0, SEEK_SET) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		return -errno;
	ret = fd;
	fd = -1;
	return ret;
}

int ft_hook_run_start(const struct ft_hook_job *job, struct ft_hook_run *ret_run)
{
	_cleanup_(ft_hook_run_release) struct ft_hook_run run = {0};
	_cleanup_(ft_closep) int input = -1;
	pid_t self = getpid();
	void *shared;

	input = make_input(job->input);
	if (input < 0)
		return input;
	shared = mmap(NULL, sizeof(*run.result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -errno;
	run.result = shared;
	run.runner = fork();
	if (run.runner < 0)
		return -errno;
	if (run.runner == 0)
		be_runner(job, run.result, self, input);
	*ret_run = run;
	run.result = NULL;
	return 0;
}

void ft_hook_run_release(struct ft_hook_run *run)
{
	if (run->result)
		munmap(run->result, sizeof(*run->result));
	*run = (struct ft_hook_run){0};
}

/* Cuts at FT_HOOK_LOGGED_MAX, but not inside a character or a \xNN. */
static void cut_output(struct ft_text *text)
{
	size_t end = FT_HOOK_LOGGED_MAX;

	if (ft_text_failed(text) || text->length <= end)
		return;
	for (size_t back = 1; back <= 3; back++)
		if (text->data[end - back] == '\\') {
			end -= back;
			break;
		}
	while (end > 0 && ((unsigned char)text->data[end] & 0xc0) == 0x80)
		end--;
	text->length = end;
	text->data[end] = '\0';
	ft_text_puts(text, "...");
}

/* The hook's output, its lines joined; a NUL ends a line as well. */
static void join_output(struct ft_text *text, const struct ft_hook_result *result)
{
	size_t length = result->length < FT_HOOK_OUTPUT_MAX ? result->length : FT_HOOK_OUTPUT_MAX, start = 0;
	const char *between = "";

	for (size_t i = 0; i <= length; i++) {
		if (i < length && result->output[i] != '\n' && result->output[i] != '\0')
			continue;
		if (i > start) {
			ft_text_puts(text, between);
			ft_text_add_safe(text, result->output + start, i - start);
			between = " | ";
		}
		start = i + 1;
	}
}

static void add_output(struct ft_text *text, const struct ft_hook_result *result)
{
	_cleanup_(ft_text_release) struct ft_text output = {0};

	join_output(&output, result);
	cut_output(&output);
	if (output.length > 0)
		ft_text_printf(text, ": %s", ft_text_string(&output));
}

static void add_reason(struct ft_text *text, const struct ft_hook_result *result, int code, int status)
{
	if (code != CLD_EXITED)
		ft_text_printf(text, "its runner was killed by signal %d", status);
	else if (!result->ended)
		ft_text_puts(text, "it could not be started");
	else if (result->timed_out)
		ft_text_puts(text, "it took too long");
	else if (WIFSIGNALED(result->status))
		ft_text_printf(text, "killed by signal %d", WTERMSIG(result->status));
	else
		ft_text_printf(text, "exit status %d", WEXITSTATUS(result->status));
}

bool ft_hook_run_end(struct ft_hook_run *run, int code, int status, struct ft_text *ret_why)
{
	const struct ft_hook_result *result = run->result;
	bool good = code == CLD_EXITED && status == 0;

	/*
	 * The hook's own process died with its runner, but not the processes that it started. Its group id is not
	 * reused within such a short time.
	 */
	if (code != CLD_EXITED && result->hook > 0 && !result->ended)
		(void)kill(-result->hook, SIGKILL);
	if (!good) {
		add_reason(ret_why, result, code, status);
		add_output(ret_why, result);
	}
	ft_hook_run_release(run);
	return good;
}
