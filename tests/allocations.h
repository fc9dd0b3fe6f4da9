/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Allocations that fail on demand, by the linker's --wrap (ALLOCATION_WRAPS in Makefile.am). To be included once by a
 * test program:
 *
 *     allocation_failing = 7;             the seventh allocation from now fails
 *     allocation_keeps_failing = true;    and all after it (jansson 2.14 writes beyond its buffer if only one does)
 *     allocation_failing = 0;             none does
 */
#ifndef FT_TESTS_ALLOCATIONS_H
#define FT_TESTS_ALLOCATIONS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static size_t allocation_failing;
static bool allocation_keeps_failing;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *string);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strdup(const char *string);

static bool allocation_fails(void)
{
	if (allocation_failing == 0 || --allocation_failing > 0)
		return false;
	if (allocation_keeps_failing)
		allocation_failing = 1;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return allocation_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return allocation_fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return allocation_fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return allocation_fails() ? NULL : __real_reallocarray(old, count, size);
}

char *__wrap_strdup(const char *string)
{
	return allocation_fails() ? NULL : __real_strdup(string);
}

#endif
