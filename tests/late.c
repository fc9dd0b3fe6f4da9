/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * To be preloaded before ibsim's client library. That library has a thread that takes in answers; for one that comes
 * after its descriptor was closed it finds no queue, and locks the queue's mutex before it looks: the program crashes.
 * A machine under load answers late often enough. Here such a mutex, a few bytes into nothing, is not locked; the
 * library then says that it has no queue, and drops the answer.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

enum { PAGE = 4096 }; /* nothing is ever mapped below it */

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*next)(pthread_mutex_t *);

	if ((uintptr_t)mutex < PAGE)
		return EINVAL;
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	return next(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	static int (*next)(pthread_mutex_t *);

	if ((uintptr_t)mutex < PAGE)
		return EINVAL;
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
	return next(mutex);
}
