/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A preload for the simulator: ibsim 0.10 ends when a client that asked to be let in was killed before it is, and takes
 * its fabric along. Here such a client is let in; ibsim notices that it is dead once it writes to it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
	static int (*next)(int, const struct sockaddr *, socklen_t);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "connect");
	if (next(fd, address, length) == 0)
		return 0;
	return errno == ECONNREFUSED && address->sa_family == AF_UNIX ? 0 : -1;
}
