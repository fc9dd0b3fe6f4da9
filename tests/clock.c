/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * To be preloaded: the wall clock is off by as many seconds as the file $CLOCK_OFFSET says, at each look at it; 0 where
 * there is none. The monotonic clock goes on as it is, as the kernel's does when somebody sets the time.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long offset_s(void)
{
	const char *path = getenv("CLOCK_OFFSET");
	int saved = errno, fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	char text[32] = "";
	ssize_t length;

	if (fd < 0) {
		errno = saved;
		return 0;
	}
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	errno = saved;
	return length > 0 ? atoll(text) : 0;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	static int (*next)(clockid_t, struct timespec *);
	int r;

	if (!next)
		next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	r = next(id, now);
	if (r == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		now->tv_sec += offset_s();
	return r;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec exact;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &exact);
	now->tv_sec = exact.tv_sec;
	now->tv_usec = exact.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *ret_now)
{
	struct timespec exact;

	clock_gettime(CLOCK_REALTIME, &exact);
	if (ret_now)
		*ret_now = exact.tv_sec;
	return exact.tv_sec;
}
