/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A preload for ftcheckd: a library that does not return. FT_HANG says where:
 *
 *   exit      when the daemon ends
 *   children  when a child of the daemon ends; it hears no SIGTERM either
 *   loop      within the loop, once the file FT_HANG_FILE is there (in libmicrohttpd, so that a request brings it on);
 *             it takes the file away when it does
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct MHD_Daemon;
int MHD_run(struct MHD_Daemon *daemon);

static pid_t first;

static bool wanted(const char *where)
{
	const char *hang = getenv("FT_HANG");

	/* Hooks have the preload, too. */
	return hang && strcmp(hang, where) == 0 && strcmp(program_invocation_short_name, "ftcheckd") == 0;
}

static _Noreturn void hang(void)
{
	for (;;)
		pause();
}

__attribute__((constructor)) static void begin(void)
{
	first = getpid();
}

__attribute__((destructor)) static void end(void)
{
	if (getpid() == first && wanted("exit"))
		hang();
	if (getpid() != first && wanted("children")) {
		signal(SIGTERM, SIG_IGN);
		hang();
	}
}

int MHD_run(struct MHD_Daemon *daemon)
{
	static int (*next)(struct MHD_Daemon *);
	const char *file = getenv("FT_HANG_FILE");

	if (wanted("loop") && file && unlink(file) == 0)
		hang();
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "MHD_run");
	return next(daemon);
}
