/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/sanitized.h"
#include "probe/child.h"
#include "probe/parcel.h"
#include "probe/pidfd.h"

enum {
	RESULT_FD = FT_CHILD_FIRST_FD, /* the child's end of the result pipe */
	ORDERS_FD,		       /* and of that of its orders, if it waits for any */
	LINE_SIZE = 256,	       /* of a line that the child printed; longer lines are cut */
	RESULT_MAX = 1 << 30,	       /* bytes; far above any fabric */
	RESULT_PIPE = 1 << 20,	       /* bytes of the pipe: as much as anybody may have (pipe(7)) */
	READS_MAX = 16,		       /* of a pipe in one step: the child's output may be endless */
	LINGER_MS = 2000,	       /* for a child to end: after its result has arrived, and after it was killed */
	FREE_MS = 100,		       /* the same when the caller has nothing else to do */
	EXIT_POLL_MS = 2,
	NICE_AFTER = 10,
	CHILD_NO_RESULT = FT_CHILD_FAILED,
};

/* Later than any deadline, and still a number of microseconds. */
static const int64_t NEVER_MS = INT64_MAX / 1000000;

/* Precedes the parcel if the work called ft_guard_go_on(). */
static const uint32_t GO_ON_MAGIC = 0x66744767;

/* Follows the parcel: it is whole, however the child ends. */
static const uint32_t WHOLE_MAGIC = 0x66745767;

/* The child's output. */
struct log {
	char line[LINE_SIZE];	 /* the one being read */
	char telling[LINE_SIZE]; /* the last line that is not about a single SMP */
	char any[LINE_SIZE];	 /* the last one */
	size_t length;
	uint32_t timeouts;
};

struct buffer {
	char *data;
	size_t length;
	size_t size;
};

enum { FD_RESULT, FD_LOG, FD_END };

struct ft_guard_job {
	struct ft_guard guard;
	struct buffer buffer;
	struct log log;
	int64_t end_ms;
	int64_t whole_end_ms; /* of the deadline; later than @end_ms until ft_guard_go_on() */
	pid_t child;
	int fds[FT_GUARD_FDS];
	int orders;   /* for those of a child that waits; -1: it does not */
	int status;   /* of the child */
	int code;     /* why there will be no result: -ETIMEDOUT, -ENOMEM, … */
	bool went_on; /* part of its result has arrived */
	bool told;    /* all of it has */
	bool lingers;
	bool killed;
	bool over;
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

/* Bytes of writable memory that is this process' own; 0: not known. */
static uint64_t memory_now(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file)
		return 0;
	/* proc_pid_statm(5): size, resident, shared, text, lib, data and stack */
	if (fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * RLIMIT_DATA counts what can be written to, mapped or not by malloc() (Linux 4.7 on). RLIMIT_AS would count address
 * space that is only reserved: the heap of a further thread reserves 64 MiB, and where that is refused, glibc tries
 * again with each malloc() of the thread, and maps pages for it. The simulator's library allocates each packet in a
 * thread: a sweep took eight times as long.
 */
static void memory_limit(size_t memory, bool programs)
{
	/* Memory mapped already counts, too; a sanitizer's own as well, and its search for leaks at the end needs much.
	 */
	uint64_t now = memory_now();
	struct rlimit limit;

	if (FT_SANITIZED || now == 0 || getrlimit(RLIMIT_DATA, &limit) < 0)
		return;
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max <= now + memory)
		return;
	limit.rlim_cur = now + memory;
	if (!programs)
		limit.rlim_max = limit.rlim_cur;
	setrlimit(RLIMIT_DATA, &limit);
}

void ft_guard_limit_memory(size_t memory)
{
	memory_limit(memory, false);
}

/* So few bytes are written at once. A dead parent is noticed when the result is sent. */
static void magic_send(uint32_t magic)
{
	while (write(RESULT_FD, &magic, sizeof(magic)) < 0 && errno == EINTR)
		;
}

void ft_guard_go_on(void)
{
	magic_send(GO_ON_MAGIC);
}

/* Precedes the orders. */
struct order {
	int64_t end_ms;
	size_t length;
};

static bool orders_read(void *to, size_t length)
{
	for (size_t have = 0; have < length;) {
		ssize_t n = read(ORDERS_FD, (char *)to + have, length - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return true;
}

/* Waits for the orders; without any the child ends here. Returns what take() does. */
static int child_wait(const struct ft_guard *guard, const void *arg, int64_t *ret_end_ms)
{
	static _Alignas(max_align_t) char orders[FT_GUARD_ORDERS_MAX];
	/* It is the child's own. */
	void *own = (void *)(uintptr_t)arg;
	struct order order;
	char name[16] = "";

	/* Who looks at the processes can tell it from one that is at work. */
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, "ftcheckd-waits");
	guard->wait->prepare(own);
	if (!orders_read(&order, sizeof(order)) || order.length > sizeof(orders) || !orders_read(orders, order.length))
		exit(0);
	prctl(PR_SET_NAME, name);
	*ret_end_ms = order.end_ms;
	return guard->wait->take(own, orders, order.length);
}

static int child_work(const struct ft_guard *guard, ft_guard_work *work, const void *arg, int64_t end_ms)
{
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	struct ft_error err = {0};
	int code, r;

	if (guard->memory > 0)
		memory_limit(guard->memory, guard->programs);
	code = guard->wait ? child_wait(guard, arg, &end_ms) : 0;
	if (code == 0)
		code = work(arg, end_ms, &result, &err);
	if (code == 0 && ft_text_failed(&result.text))
		code = -ENOMEM;
	r = ft_parcel_send(RESULT_FD, code, &err, &result);
	if (r == 0)
		magic_send(WHOLE_MAGIC);
	/* Before the result is released, which takes a while, and nobody waits for it: what was told comes first. */
	close(RESULT_FD);
	(void)setpriority(PRIO_PROCESS, 0, NICE_AFTER);
	return r;
}

static _Noreturn void child_main(const struct ft_guard *guard, ft_guard_work *work, const void *arg, int64_t end_ms,
				 pid_t parent, int result, int orders, int log)
{
	const int keep[] = {result, orders};
	int r;

	ft_child_begin(parent, log, keep, guard->wait ? 2 : 1);
	r = child_work(guard, work, arg, end_ms);
	/* Not _exit(): a simulator's client library disconnects in an exit handler. */
	exit(r == 0 ? 0 : CHILD_NO_RESULT);
}

/* The parent: the child's output. */

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
	/* By error number: the message depends on the locale. */
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

/* "@what happened", and the child's last message. */
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

/* Reads available data, up to a limit. Returns 1, 0 at the end of file, or -errno. */
static int pipe_read(int fd, struct buffer *buffer, struct log *log)
{
	char bytes[1 << 16];

	for (int i = 0; i < READS_MAX; i++) {
		ssize_t n = read(fd, bytes, sizeof(bytes));
		int r = 0;

		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 1 : -errno;
		if (buffer)
			r = buffer_add(buffer, bytes, (size_t)n);
		if (r < 0)
			return r;
		if (log)
			log_add(log, bytes, (size_t)n);
	}
	return 1;
}

static void close_fd(int *fd)
{
	ft_closep(fd);
	*fd = -1;
}

/* The parent: the child's end. */

static bool child_reap(pid_t child, int *ret_status)
{
	pid_t r;

	do
		r = waitpid(child, ret_status, WNOHANG);
	while (r < 0 && errno == EINTR);
	if (r < 0) {
		/* SIGCHLD is ignored: the child has ended, only its status is lost. */
		*ret_status = 0;
		return true;
	}
	return r == child;
}

static void job_kill(struct ft_guard_job *job)
{
	if (job->fds[FD_END] >= 0)
		ft_pidfd_kill(job->fds[FD_END]);
	else
		kill(job->child, SIGKILL);
	job->killed = true;
	job->end_ms = ft_guard_now_ms() + LINGER_MS;
}

static void job_fail(struct ft_guard_job *job, int code)
{
	if (job->code == 0)
		job->code = code;
	if (!job->killed)
		job_kill(job);
}

static void job_end(struct ft_guard_job *job)
{
	close_fd(&job->orders);
	for (size_t i = 0; i < FT_GUARD_FDS; i++)
		close_fd(&job->fds[i]);
	job->over = true;
}

static void job_give_up(struct ft_guard_job *job)
{
	ft_child_give_up(job->child);
	job_end(job);
}

static void job_read(struct ft_guard_job *job, size_t which)
{
	int r;

	if (job->fds[which] < 0)
		return;
	r = pipe_read(job->fds[which], which == FD_RESULT ? &job->buffer : NULL, which == FD_LOG ? &job->log : NULL);
	if (r > 0)
		return;
	close_fd(&job->fds[which]);
	if (r < 0)
		job_fail(job, r);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* A child that has sent its result and does not end is killed, and the result counts. */
static void job_linger(struct ft_guard_job *job)
{
	if (job->lingers || job->killed || job->fds[FD_RESULT] >= 0)
		return;
	job->lingers = true;
	job->end_ms = earlier(job->end_ms, ft_guard_now_ms() + LINGER_MS);
}

/* The length of the part of the result behind the parcel. */
static size_t whole_size(const struct ft_guard_job *job)
{
	size_t size = sizeof(WHOLE_MAGIC);

	return job->buffer.length >= size &&
			       memcmp(job->buffer.data + job->buffer.length - size, &WHOLE_MAGIC, size) == 0
		       ? size
		       : 0;
}

/*
 * The result is whole: the child only closes its port and frees its memory, which takes a while and concerns nobody.
 * What it printed was printed before.
 */
static void job_tell(struct ft_guard_job *job)
{
	if (job->told || job->killed || job->fds[FD_RESULT] >= 0 || whole_size(job) == 0)
		return;
	job_read(job, FD_LOG);
	job->told = true;
}

/* It has sent something, so it is past the part that may hang. */
static void job_go_on(struct ft_guard_job *job)
{
	if (job->buffer.length == 0 || job->killed || job->lingers)
		return;
	job->went_on = true;
	job->end_ms = job->whole_end_ms;
}

bool ft_guard_step(struct ft_guard_job *job)
{
	bool ended;

	if (job->over)
		return true;
	/* First check whether it ended, then read: so that none of its output is missed. */
	ended = child_reap(job->child, &job->status);
	job_read(job, FD_LOG);
	job_read(job, FD_RESULT);
	job_go_on(job);
	job_linger(job);
	job_tell(job);
	if (ended) {
		job_end(job);
	} else if (ft_guard_now_ms() >= job->end_ms) {
		if (job->killed)
			job_give_up(job);
		else if (job->fds[FD_RESULT] >= 0)
			job_fail(job, -ETIMEDOUT);
		else
			job_kill(job);
	}
	return job->over;
}

bool ft_guard_is_told(const struct ft_guard_job *job)
{
	return job->told;
}

const int *ft_guard_fds(const struct ft_guard_job *job)
{
	return job->fds;
}

pid_t ft_guard_pid(const struct ft_guard_job *job)
{
	return job->child;
}

int64_t ft_guard_end_ms(const struct ft_guard_job *job)
{
	return job->fds[FD_END] < 0 ? earlier(job->end_ms, ft_guard_now_ms() + EXIT_POLL_MS) : job->end_ms;
}

void ft_guard_result_release(struct ft_guard_result *result)
{
	ft_snapshot_free(result->snapshot);
	ft_text_release(&result->text);
	*result = (struct ft_guard_result){0};
}

static int remaining_ms(int64_t end_ms)
{
	int64_t left = end_ms - ft_guard_now_ms();

	if (left <= 0)
		return 0;
	return left > 1000000 ? 1000000 : (int)left;
}

static void job_free_child(struct ft_guard_job *job)
{
	struct pollfd end;

	job_kill(job);
	job->end_ms = ft_guard_now_ms() + FREE_MS;
	while (!child_reap(job->child, &job->status)) {
		if (ft_guard_now_ms() >= job->end_ms) {
			ft_child_give_up(job->child);
			return;
		}
		end = (struct pollfd){.fd = job->fds[FD_END], .events = POLLIN};
		poll(&end, 1, remaining_ms(ft_guard_end_ms(job)));
	}
}

void ft_guard_free(struct ft_guard_job *job)
{
	if (!job)
		return;
	if (!job->over)
		job_free_child(job);
	job_end(job);
	buffer_release(&job->buffer);
	free(job);
}

/* The parent: start. */

static int no_process(const struct ft_guard *guard, struct ft_error *err, int code)
{
	return ft_error_set(err, code, 0, 0, "no process for %s: %s", guard->what, strerror(-code));
}

static int job_fork(struct ft_guard_job *job, ft_guard_work *work, const void *arg, int result, int orders, int log,
		    struct ft_error *err)
{
	pid_t parent = getpid();
	int r;

	job->child = fork();
	if (job->child < 0)
		return no_process(&job->guard, err, -errno);
	if (job->child == 0)
		child_main(&job->guard, work, arg, job->whole_end_ms, parent, result, orders, log);
	/*
	 * Without a pidfd (Linux before 5.3, valgrind 3.19; a child that ended already while SIGCHLD is ignored) the
	 * child is polled.
	 */
	job->fds[FD_END] = ft_pidfd_open(job->child);
	if (job->fds[FD_END] >= 0 || errno == ENOSYS || errno == ESRCH)
		return 0;
	r = -errno;
	kill(job->child, SIGKILL);
	waitpid(job->child, NULL, 0);
	return no_process(&job->guard, err, r);
}

static int no_pipe(const struct ft_guard *guard, struct ft_error *err)
{
	return ft_error_set(err, -errno, 0, 0, "no pipe to %s: %s", guard->what, strerror(errno));
}

static int open_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

/* Best effort. Whenever a pipe is full or empty another process has to be scheduled, and a result has megabytes. */
static int result_pipe(int ends[2])
{
	if (open_pipe(ends) < 0)
		return -1;
	(void)fcntl(ends[1], F_SETPIPE_SZ, RESULT_PIPE);
	return 0;
}

/* The parent's end does not block: orders have room in it. */
static int orders_pipe(int ends[2])
{
	return pipe2(ends, O_CLOEXEC) < 0 ? -1 : fcntl(ends[1], F_SETFL, O_NONBLOCK);
}

/* It counts from now on. */
static void job_deadline(struct ft_guard_job *job)
{
	unsigned int first_ms = job->guard.first_ms, deadline_ms = job->guard.deadline_ms;

	job->whole_end_ms = job->end_ms = ft_guard_now_ms() + deadline_ms;
	if (first_ms > 0 && first_ms < deadline_ms)
		job->end_ms += (int64_t)first_ms - deadline_ms;
}

int ft_guard_order(struct ft_guard_job *job, const void *orders, size_t length)
{
	char bytes[sizeof(struct order) + FT_GUARD_ORDERS_MAX];
	struct order order = {.length = length};
	ssize_t n;

	if (job->over || job->orders < 0)
		return -ESRCH;
	if (length > FT_GUARD_ORDERS_MAX)
		return -E2BIG;
	job_deadline(job);
	order.end_ms = job->whole_end_ms;
	memcpy(bytes, &order, sizeof(order));
	if (length > 0)
		memcpy(bytes + sizeof(order), orders, length);
	n = write(job->orders, bytes, sizeof(order) + length);
	close_fd(&job->orders);
	return n == (ssize_t)(sizeof(order) + length) ? 0 : n < 0 ? -errno : -EIO;
}

void ft_guard_dismiss(struct ft_guard_job *job)
{
	if (job->over || job->orders < 0)
		return;
	close_fd(&job->orders);
	job->whole_end_ms = job->end_ms = ft_guard_now_ms() + LINGER_MS;
}

int ft_guard_start(const struct ft_guard *guard, ft_guard_work *work, const void *arg, struct ft_guard_job **ret_job,
		   struct ft_error *err)
{
	_cleanup_(pipe_close) int result[2] = {-1, -1};
	_cleanup_(pipe_close) int log[2] = {-1, -1};
	_cleanup_(pipe_close) int orders[2] = {-1, -1};
	_cleanup_free_ struct ft_guard_job *job = NULL;
	int r;

	ft_child_reap_given_up();
	job = calloc(1, sizeof(*job));
	if (!job)
		return no_process(guard, err, -ENOMEM);
	job->guard = *guard;
	job->orders = -1;
	job->whole_end_ms = job->end_ms = NEVER_MS;
	if (!guard->wait)
		job_deadline(job);
	if (result_pipe(result) < 0 || open_pipe(log) < 0 || (guard->wait && orders_pipe(orders) < 0))
		return no_pipe(guard, err);
	r = job_fork(job, work, arg, result[1], orders[0], log[1], err);
	if (r < 0)
		return r;
	job->orders = orders[1];
	orders[1] = -1;
	job->fds[FD_RESULT] = result[0];
	job->fds[FD_LOG] = log[0];
	result[0] = log[0] = -1;
	*ret_job = FT_STEAL(job);
	return 0;
}

/* The parent: the result. */

/* Why there is no result. */
static int guard_explain_status(struct ft_guard_job *job, struct ft_error *err)
{
	char happened[128];

	if (WIFSIGNALED(job->status))
		snprintf(happened, sizeof(happened), "was ended by signal %d (%s)", WTERMSIG(job->status),
			 strsignal(WTERMSIG(job->status)));
	else
		snprintf(happened, sizeof(happened), "ended with status %d and no result", WEXITSTATUS(job->status));
	return guard_fail(&job->guard, &job->log, err, -EIO, happened);
}

static int guard_explain_timeout(struct ft_guard_job *job, struct ft_error *err)
{
	unsigned int first_ms = job->guard.first_ms, ms = job->guard.deadline_ms;
	char happened[80];

	if (!job->went_on && first_ms > 0 && first_ms < ms)
		ms = first_ms;
	snprintf(happened, sizeof(happened), "did not end within %u.%03u s and was stopped", ms / 1000, ms % 1000);
	return guard_fail(&job->guard, &job->log, err, -ETIMEDOUT, happened);
}

static int no_memory(const struct ft_guard_job *job, struct ft_error *err)
{
	return ft_error_set(err, -ENOMEM, 0, 0, "%s: %s", job->guard.what, strerror(ENOMEM));
}

/* The length of the part of the result before the parcel. */
static size_t go_on_size(const struct ft_guard_job *job)
{
	size_t size = sizeof(GO_ON_MAGIC);

	return job->buffer.length >= size && memcmp(job->buffer.data, &GO_ON_MAGIC, size) == 0 ? size : 0;
}

static int take_result(struct ft_guard_job *job, struct ft_guard_result *result, struct ft_error *err)
{
	size_t begin = go_on_size(job);
	struct ft_error said = {0};
	int code = 0, r;

	r = ft_parcel_open(job->buffer.data + begin, job->buffer.length - begin - whole_size(job), &code, result,
			   &said);
	if (r == -ENODATA)
		return guard_explain_status(job, err);
	if (r == -EBADMSG)
		return guard_fail(&job->guard, &job->log, err, -EIO, "sent a damaged result");
	if (r == -ENOMEM)
		return no_memory(job, err);
	/* If the child crashed, that is why the parcel is cut short: report the crash. */
	if (r < 0 && job->over && !(WIFEXITED(job->status) && WEXITSTATUS(job->status) == 0))
		return guard_explain_status(job, err);
	if (r < 0)
		return ft_error_set(err, -EIO, 0, 0, "%s sent a damaged result: %s", job->guard.what, said.text);
	if (code < 0)
		return ft_error_set(err, code, 0, 0, "%s", said.text);
	result->timeouts = job->log.timeouts;
	if (result->snapshot)
		result->snapshot->source.timeouts += job->log.timeouts;
	return 0;
}

int ft_guard_finish(struct ft_guard_job *job, struct ft_guard_result *ret_result, struct ft_error *err)
{
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	int r;

	if (!job->over && !job->told)
		return ft_error_set(err, -EAGAIN, 0, 0, "%s is not over", job->guard.what);
	if (job->code == -ETIMEDOUT)
		return guard_explain_timeout(job, err);
	if (job->code < 0)
		return ft_error_set(err, job->code, 0, 0, "%s: %s", job->guard.what, strerror(-job->code));
	r = take_result(job, &result, err);
	if (r < 0)
		return r;
	*ret_result = result;
	result = (struct ft_guard_result){0};
	return 0;
}

int ft_guard_run(const struct ft_guard *guard, ft_guard_work *work, const void *arg, struct ft_guard_result *result,
		 struct ft_error *err)
{
	_cleanup_(ft_guard_freep) struct ft_guard_job *job = NULL;
	struct pollfd fds[FT_GUARD_FDS];
	int r;

	r = ft_guard_start(guard, work, arg, &job, err);
	if (r < 0)
		return r;
	while (!ft_guard_step(job)) {
		for (size_t i = 0; i < FT_GUARD_FDS; i++)
			fds[i] = (struct pollfd){.fd = job->fds[i], .events = POLLIN};
		/* EINTR is handled like any other wake-up. */
		poll(fds, FT_GUARD_FDS, remaining_ms(ft_guard_end_ms(job)));
	}
	return ft_guard_finish(job, result, err);
}

int ft_guard_run_snapshot(const struct ft_guard *guard, ft_guard_work *work, const void *arg,
			  struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	int r;

	r = ft_guard_run(guard, work, arg, &result, err);
	if (r < 0)
		return r;
	if (!result.snapshot)
		return ft_error_set(err, -EIO, 0, 0, "%s sent no snapshot", guard->what);
	*ret_snapshot = FT_STEAL(result.snapshot);
	return 0;
}
