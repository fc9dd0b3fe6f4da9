/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a confined child, and a hook, cannot do any more; and what they still can. Each row in a process of its own. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/landlock.h"
#include "base/sanitized.h"
#include "probe/confine.h"

enum { NO_LANDLOCK = 100, CANNOT_BEGIN = 101 };

static char directory[] = "/tmp/ftcheck-confine.XXXXXX";

/* What a row does: 0, or errno. */
typedef int deed(void);

static int outcome(long r)
{
	return r < 0 ? errno : 0;
}

static int do_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return outcome(pid);
}

static void *thread_run(void *arg)
{
	return arg;
}

static int do_thread(void)
{
	pthread_t thread;
	int r = pthread_create(&thread, NULL, thread_run, NULL);

	return r != 0 ? r : pthread_join(thread, NULL);
}

static int do_exec(void)
{
	char *const arguments[] = {(char *)(uintptr_t) "/bin/true", NULL};

	return outcome(execve(arguments[0], arguments, arguments + 1));
}

static int do_trace(void)
{
	return outcome(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
}

static int do_signal_parent(void)
{
	return outcome(kill(getppid(), 0));
}

static int do_signal_self(void)
{
	return outcome(kill(getpid(), 0));
}

static int do_inet(void)
{
	return outcome(socket(AF_INET, SOCK_STREAM, 0));
}

static int do_unix(void)
{
	return outcome(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int do_mount(void)
{
	return outcome(mount("none", "/mnt", "tmpfs", 0, NULL));
}

static int do_setuid(void)
{
	return outcome(setuid(getuid()));
}

static int do_memory(void)
{
	void *p = malloc(50 << 20);

	free(p);
	return p ? 0 : ENOMEM;
}

/* In the directory of the test: names as there are below. */
static int open_there(const char *name, int flags)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return outcome(open(path, flags | O_CLOEXEC, 0600));
}

static int do_read(void)
{
	return open_there("open/file", O_RDONLY);
}

static int do_write(void)
{
	return open_there("open/file", O_WRONLY);
}

static int do_create(void)
{
	return open_there("open/fresh", O_WRONLY | O_CREAT);
}

static int do_null(void)
{
	return outcome(open("/dev/null", O_RDWR | O_CLOEXEC));
}

static int do_read_hidden(void)
{
	return open_there("hidden/device", O_RDONLY);
}

static int do_write_hidden(void)
{
	return open_there("hidden/device", O_RDWR);
}

static int do_create_hidden(void)
{
	return open_there("hidden/fresh", O_WRONLY | O_CREAT);
}

static int do_rename(void)
{
	char from[PATH_MAX], to[PATH_MAX];

	snprintf(from, sizeof(from), "%s/open/moving", directory);
	snprintf(to, sizeof(to), "%s/other/moved", directory);
	if (open_there("open/moving", O_WRONLY | O_CREAT) != 0)
		return EIO;
	return outcome(rename(from, to));
}

static int do_run_shell(void)
{
	return system("/bin/true") == 0 ? 0 : ECHILD;
}

/* The confined child. */
static const struct confined {
	const char *name;
	deed *deed;
	int outcome;
	bool landlock; /* it is Landlock that refuses it */
	const char *preload;
} confined[] = {
	{"starts no process", do_fork, EPERM, false, NULL},
	{"may start a thread", do_thread, 0, false, NULL},
	{"starts no program", do_exec, EPERM, false, NULL},
	{"traces no other", do_trace, EPERM, false, NULL},
	{"signals no other", do_signal_parent, EPERM, false, NULL},
	{"may signal itself", do_signal_self, 0, false, NULL},
	{"mounts nothing", do_mount, EPERM, false, NULL},
	{"becomes nobody else", do_setuid, EPERM, false, NULL},
	{"opens no socket of the network", do_inet, EPERM, false, NULL},
	{"opens no socket at all", do_unix, EPERM, false, NULL},
	{"a preloaded library opens no socket of the network", do_inet, EPERM, false, "x"},
	{"a preloaded library opens a Unix socket", do_unix, 0, false, "x"},
	{"takes memory", do_memory, 0, false, NULL},
	{"reads files", do_read, 0, false, NULL},
	{"writes no file", do_write, EACCES, true, NULL},
	{"makes no file", do_create, EACCES, true, NULL},
	{"a preloaded library writes files", do_write, 0, false, "x"},
};

/* The hook; the hidden directory stands for /dev/infiniband. */
static const struct confined hooked[] = {
	{"reads no hidden device", do_read_hidden, EACCES, true, NULL},
	{"opens no hidden device", do_write_hidden, EACCES, true, NULL},
	{"makes no file beside it", do_create_hidden, EACCES, true, NULL},
	{"reads other files", do_read, 0, false, NULL},
	{"writes other files", do_write, 0, false, NULL},
	{"makes other files", do_create, 0, false, NULL},
	{"opens /dev/null", do_null, 0, false, NULL},
	{"moves files from one directory to another", do_rename, 0, false, NULL},
	{"starts programs", do_run_shell, 0, false, NULL},
	{"opens sockets", do_inet, 0, false, NULL},
};

static bool has_landlock(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(ft_landlock_hide("/nowhere") == 0 ? 0 : NO_LANDLOCK);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void hide(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/hidden", directory);
	if (ft_landlock_hide(path) < 0)
		_exit(NO_LANDLOCK);
}

static int run(const struct confined *c, void (*confine)(void))
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(60);
		if (c->preload ? setenv("LD_PRELOAD", c->preload, 1) < 0 : unsetenv("LD_PRELOAD") < 0)
			_exit(CANNOT_BEGIN);
		if (chdir(directory) < 0)
			_exit(CANNOT_BEGIN);
		confine();
		_exit(c->deed());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void run_all(const struct confined *rows, size_t count, void (*confine)(void))
{
	bool landlock = has_landlock();

	for (size_t i = 0; i < count; i++) {
		int got;

		if (rows[i].landlock && !landlock) {
			print_message("skipped, this kernel has no Landlock: %s\n", rows[i].name);
			continue;
		}
		got = run(&rows[i], confine);
		if (got != rows[i].outcome && got != NO_LANDLOCK)
			fail_msg("%s: %s instead of %s", rows[i].name, strerror(got), strerror(rows[i].outcome));
	}
}

static void test_confined(void **state)
{
	(void)state;
	/* A sanitizer traces its own process: there is no wall in such a build. */
	if (FT_SANITIZED)
		skip();
	run_all(confined, FT_COUNT(confined), ft_confine);
}

static void test_hook(void **state)
{
	(void)state;
	run_all(hooked, FT_COUNT(hooked), hide);
}

/* Nor is a confined child of another opinion about how it ends. */
static void test_abort(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	if (FT_SANITIZED)
		skip();
	pid = fork();
	if (pid == 0) {
		ft_confine();
		signal(SIGABRT, SIG_DFL);
		abort();
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

static int make(void **state)
{
	static const char *const directories[] = {"open", "other", "hidden"};
	static const char *const files[] = {"open/file", "hidden/device"};
	char path[PATH_MAX];

	(void)state;
	if (!mkdtemp(directory))
		return -1;
	for (size_t i = 0; i < FT_COUNT(directories); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, directories[i]);
		if (mkdir(path, 0700) < 0)
			return -1;
	}
	for (size_t i = 0; i < FT_COUNT(files); i++)
		if (open_there(files[i], O_WRONLY | O_CREAT) != 0)
			return -1;
	return 0;
}

static int unmake(void **state)
{
	static const char *const names[] = {"open/file",    "open/fresh", "open/moving", "other/moved", "hidden/device",
					    "hidden/fresh", "open",	  "other",	 "hidden",	""};
	char path[PATH_MAX];

	(void)state;
	for (size_t i = 0; i < FT_COUNT(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		remove(path);
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_confined),
		cmocka_unit_test(test_hook),
		cmocka_unit_test(test_abort),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
