/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "probe/snapshot_build.h"

enum {
	RESULT_FD = 3,	      /* the child's end of the result pipe */
	LINE_SIZE = 256,      /* of a line that the child printed; the rest of a longer one is dropped */
	RESULT_MAX = 1 << 30, /* bytes; no fabric comes near */
	EXIT_POLL_MS = 1,
	LINGER_MS = 2000,     /* a child may take to end: once its result is in, and once it was killed */
	CHILD_NO_RESULT = 70, /* exit status of a child that could not even say what is wrong */
};

/* What the child sends first; a snapshot follows where @code is 0. */
struct head {
	uint32_t magic;
	int32_t code;
	char text[FT_ERROR_TEXT_SIZE];
};

static const uint32_t HEAD_MAGIC = 0x66744731;

/* What the child printed. */
struct log {
	char line[LINE_SIZE];	 /* the one being read */
	char telling[LINE_SIZE]; /* the last one that is not about a single SMP */
	char any[LINE_SIZE];	 /* the last one */
	size_t length;
	uint32_t timeouts;
};

struct buffer {
	char *data;
	size_t length;
	size_t size;
};

int64_t ft_guard_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void buffer_release(struct buffer *buffer)
{
	free(buffer->data);
}

static void pipe_close(int (*ends)[2])
{
	ft_closep(&(*ends)[0]);
	ft_closep(&(*ends)[1]);
}

/* The child. */

static void child_limit_memory(size_t memory)
{
	unsigned long pages = 0;
	struct rlimit limit;
	FILE *file;

	if (memory == 0)
		return;
	/* What is mapped already counts too, and under AddressSanitizer that is terabytes. */
	file = fopen("/proc/self/statm", "re");
	if (!file)
		return;
	if (fscanf(file, "%lu", &pages) == 1) {
		limit.rlim_cur = limit.rlim_max = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + memory;
		setrlimit(RLIMIT_AS, &limit);
	}
	fclose(file);
}

static void child_reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	/* A parent that is gone is told by EPIPE. */
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Standard input empty, output and errors to @log, the result pipe as RESULT_FD, and nothing else open. */
static int child_arrange_files(int result, int log)
{
	int null, high;

	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	/* Above the numbers that are about to be overwritten. */
	high = fcntl(result, F_DUPFD_CLOEXEC, RESULT_FD + 1);
	if (null < 0 || high < 0)
		return -errno;
	log = fcntl(log, F_DUPFD_CLOEXEC, RESULT_FD + 1);
	if (log < 0)
		return -errno;
	if (dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0 || dup2(high, RESULT_FD) < 0)
		return -errno;
	close_range(RESULT_FD + 1, ~0U, 0);
	fcntl(RESULT_FD, F_SETFD, FD_CLOEXEC);
	return 0;
}

static int write_all(int fd, const void *bytes, size_t length)
{
	const char *p = bytes;

	while (length > 0) {
		ssize_t n = write(fd, p, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		length -= (size_t)n;
	}
	return 0;
}

static int child_work(const struct ft_guard *guard, ft_guard_work *work, const void *arg, int64_t end_ms)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct head head = {.magic = HEAD_MAGIC};
	struct ft_error err = {0};
	int r;

	child_limit_memory(guard->memory);
	head.code = work(arg, end_ms, &snapshot, &err);
	memcpy(head.text, err.text, sizeof(head.text));
	r = write_all(RESULT_FD, &head, sizeof(head));
	if (r == 0 && head.code == 0)
		r = ft_snapshot_send(RESULT_FD, snapshot);
	return r;
}

static _Noreturn void child_main(const struct ft_guard *guard, ft_guard_work *work, const void *arg, int64_t end_ms,
				 pid_t parent, int result, int log)
{
	static const struct rlimit no_core = {0, 0};
	int r;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(CHILD_NO_RESULT);
	/* A Ctrl-C is for the parent to handle; its death ends the child. */
	setpgid(0, 0);
	child_reset_signals();
	setrlimit(RLIMIT_CORE, &no_core);
	/* What the parent has not written yet is its own to write. */
	__fpurge(stdout);
	__fpurge(stderr);
	if (child_arrange_files(result, log) < 0)
		_exit(CHILD_NO_RESULT);
	r = child_work(guard, work, arg, end_ms);
	close(RESULT_FD);
	/* Not _exit(): a simulator's client library takes its leave in an exit handler. */
	exit(r == 0 ? 0 : CHILD_NO_RESULT);
}

/* The parent: what the child prints. */

static bool line_is_smp(const char *line)
{
	return strstr(line, " bad status ") != NULL;
}

static void log_end_line(struct log *log)
{
	static const char timed_out[] = " bad status %d;";
	char pattern[sizeof(timed_out) + 16];

	log->line[log->length] = '\0';
	log->length = 0;
	if (log->line[0] == '\0')
		return;
	/* By number: the text behind it depends on the locale. */
	snprintf(pattern, sizeof(pattern), timed_out, ETIMEDOUT);
	if (strstr(log->line, pattern))
		log->timeouts++;
	memcpy(log->any, log->line, sizeof(log->any));
	if (!line_is_smp(log->line))
		memcpy(log->telling, log->line, sizeof(log->telling));
}

static void log_add(struct log *log, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '\n')
			log_end_line(log);
		else if (log->length < sizeof(log->line) - 1)
			log->line[log->length++] = bytes[i] ? bytes[i] : ' ';
	}
}

/* "./libibnetdisc/ibnetdisc.c:796; can't open …" and "ibwarn: [123] function: can't open …" without what is in front.
 */
static const char *log_trim(const char *line)
{
	const char *p = strchr(line, ';');

	if (p && p[1] == ' ' && memchr(line, ':', (size_t)(p - line)))
		return p + 2;
	if (strncmp(line, "ibwarn: [", 9) != 0)
		return line;
	p = strstr(line, "] ");
	if (p)
		p = strstr(p, ": ");
	return p ? p + 2 : line;
}

static const char *log_telling(struct log *log)
{
	if (log->length > 0)
		log_end_line(log);
	return log_trim(log->telling[0] ? log->telling : log->any);
}

/* "@what happened", and what the child said last. */
static int guard_fail(const struct ft_guard *guard, struct log *log, struct ft_error *err, int code,
		      const char *happened)
{
	const char *said = log_telling(log);

	return ft_error_set(err, code, 0, 0, "%s %s%s%s", guard->what, happened, said[0] ? ": " : "", said);
}

/* The parent: the pipes. */

static int buffer_add(struct buffer *buffer, const char *bytes, size_t length)
{
	if (buffer->length + length > buffer->size) {
		size_t size = buffer->size ? buffer->size * 2 : 1 << 16;
		char *data;

		while (size < buffer->length + length)
			size *= 2;
		if (size > RESULT_MAX)
			return -EFBIG;
		data = realloc(buffer->data, size);
		if (!data)
			return -ENOMEM;
		buffer->data = data;
		buffer->size = size;
	}
	memcpy(buffer->data + buffer->length, bytes, length);
	buffer->length += length;
	return 0;
}

/* Reads what is there once. Returns 1, 0 at the end, or -errno. */
static int pipe_read(int fd, struct buffer *buffer, struct log *log)
{
	char bytes[1 << 16];
	ssize_t n;
	int r;

	n = read(fd, bytes, sizeof(bytes));
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : -errno;
	if (n == 0)
		return 0;
	if (buffer) {
		r = buffer_add(buffer, bytes, (size_t)n);
		if (r < 0)
			return r;
	}
	if (log)
		log_add(log, bytes, (size_t)n);
	return 1;
}

static int remaining_ms(int64_t end_ms)
{
	int64_t left = end_ms - ft_guard_now_ms();

	if (left <= 0)
		return 0;
	return left > 1000000 ? 1000000 : (int)left;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * Reads both pipes to their ends; of a child that gave its result and then does not end, not that far.
 * Returns 0, -ETIMEDOUT or another -errno.
 */
static int guard_listen(int result, int log_fd, int64_t end_ms, struct buffer *buffer, struct log *log)
{
	struct pollfd fds[] = {{.fd = result, .events = POLLIN}, {.fd = log_fd, .events = POLLIN}};
	int r;

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		r = remaining_ms(end_ms);
		if (r == 0)
			return fds[0].fd < 0 ? 0 : -ETIMEDOUT;
		r = poll(fds, FT_COUNT(fds), r);
		if (r < 0 && errno != EINTR)
			return -errno;
		if (r <= 0)
			continue;
		for (size_t i = 0; i < FT_COUNT(fds); i++) {
			if (fds[i].fd < 0 || fds[i].revents == 0)
				continue;
			r = pipe_read(fds[i].fd, i == 0 ? buffer : NULL, i == 1 ? log : NULL);
			if (r < 0)
				return r;
			if (r > 0)
				continue;
			fds[i].fd = -1;
			end_ms = earlier(end_ms, ft_guard_now_ms() + LINGER_MS);
		}
	}
	return 0;
}

static bool child_reap(pid_t child, int *ret_status)
{
	pid_t r;

	do
		r = waitpid(child, ret_status, WNOHANG);
	while (r < 0 && errno == EINTR);
	if (r < 0) {
		/* Somebody ignores SIGCHLD: its status is lost, the child is not. */
		*ret_status = 0;
		return true;
	}
	return r == child;
}

static bool child_wait(pid_t child, int64_t end_ms, int *ret_status)
{
	while (!child_reap(child, ret_status)) {
		if (remaining_ms(end_ms) == 0)
			return false;
		poll(NULL, 0, EXIT_POLL_MS);
	}
	return true;
}

/*
 * Waits a while for the child's end, and then makes it end. One that hangs in the kernel is not waited for even so: the
 * deadline is a promise.
 */
static void child_end(pid_t child, bool now, int *ret_status)
{
	if (!now && child_wait(child, ft_guard_now_ms() + LINGER_MS, ret_status))
		return;
	kill(child, SIGKILL);
	child_wait(child, ft_guard_now_ms() + LINGER_MS, ret_status);
}

/* Why there is no result. */
static int guard_explain_status(const struct ft_guard *guard, struct log *log, int status, struct ft_error *err)
{
	char happened[128];

	if (WIFSIGNALED(status))
		snprintf(happened, sizeof(happened), "was ended by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(happened, sizeof(happened), "ended with status %d and no result", WEXITSTATUS(status));
	return guard_fail(guard, log, err, -EIO, happened);
}

static int guard_explain_timeout(const struct ft_guard *guard, struct log *log, struct ft_error *err)
{
	char happened[80];

	snprintf(happened, sizeof(happened), "did not end within %u.%03u s and was stopped", guard->deadline_ms / 1000,
		 guard->deadline_ms % 1000);
	return guard_fail(guard, log, err, -ETIMEDOUT, happened);
}

static int guard_take_result(const struct ft_guard *guard, const struct buffer *buffer, struct log *log, int status,
			     struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct ft_error reason = {0};
	struct head head;
	int r;

	if (buffer->length < sizeof(head))
		return guard_explain_status(guard, log, status, err);
	memcpy(&head, buffer->data, sizeof(head));
	head.text[sizeof(head.text) - 1] = '\0';
	if (head.magic != HEAD_MAGIC || head.code > 0)
		return guard_fail(guard, log, err, -EIO, "sent a damaged result");
	if (head.code < 0)
		return ft_error_set(err, head.code, 0, 0, "%s", head.text[0] ? head.text : strerror(-head.code));
	r = ft_snapshot_receive(buffer->data + sizeof(head), buffer->length - sizeof(head), &snapshot, &reason);
	if (r == -ENOMEM)
		return ft_error_set(err, r, 0, 0, "%s: %s", guard->what, strerror(-r));
	if (r < 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return guard_explain_status(guard, log, status, err);
	if (r < 0)
		return ft_error_set(err, -EIO, 0, 0, "%s sent a damaged result: %s", guard->what, reason.text);
	snapshot->source.timeouts += log->timeouts;
	*ret_snapshot = FT_STEAL(snapshot);
	return 0;
}

int ft_guard_run(const struct ft_guard *guard, ft_guard_work *work, const void *arg, struct ft_snapshot **ret_snapshot,
		 struct ft_error *err)
{
	_cleanup_(pipe_close) int result[2] = {-1, -1};
	_cleanup_(pipe_close) int log_pipe[2] = {-1, -1};
	_cleanup_(buffer_release) struct buffer buffer = {0};
	int64_t end_ms = ft_guard_now_ms() + guard->deadline_ms;
	struct log log = {0};
	pid_t parent, child;
	int status = 0, r;

	if (pipe2(result, O_CLOEXEC) < 0 || pipe2(log_pipe, O_CLOEXEC) < 0)
		return ft_error_set(err, -errno, 0, 0, "no pipe to %s: %s", guard->what, strerror(errno));
	parent = getpid();
	child = fork();
	if (child < 0)
		return ft_error_set(err, -errno, 0, 0, "no process for %s: %s", guard->what, strerror(errno));
	if (child == 0)
		child_main(guard, work, arg, end_ms, parent, result[1], log_pipe[1]);
	close(result[1]);
	close(log_pipe[1]);
	result[1] = log_pipe[1] = -1;

	r = guard_listen(result[0], log_pipe[0], end_ms, &buffer, &log);
	child_end(child, r < 0, &status);
	if (r == -ETIMEDOUT)
		return guard_explain_timeout(guard, &log, err);
	if (r < 0)
		return ft_error_set(err, r, 0, 0, "%s: %s", guard->what, strerror(-r));
	return guard_take_result(guard, &buffer, &log, status, ret_snapshot, err);
}
