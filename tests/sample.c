/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A preload for unit tests: of each group the first of every FT_SAMPLE tests run, and none of the others. Rows of a
 * table stand beside others of their kind, so that all kinds are among them. Small groups run whole. For what makes a
 * test many times slower, as valgrind does.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those first. */
#include <cmocka.h>

#define SMALL 12 /* tests */

typedef int (*run_fn)(const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
		      CMFixtureFunction teardown);

int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
			    CMFixtureFunction teardown)
{
	const char *given = getenv("FT_SAMPLE");
	size_t every = given ? strtoul(given, NULL, 10) : 1, taken = 0;
	struct CMUnitTest *sample = malloc(count * sizeof(*sample));
	run_fn run = NULL;
	int r;

	/* ISO C converts no pointer to an object into one to a function. */
	*(void **)&run = dlsym(RTLD_NEXT, "_cmocka_run_group_tests");
	if (!run || !sample)
		abort();
	for (size_t i = 0; i < count; i += count < SMALL || every < 1 ? 1 : every)
		sample[taken++] = tests[i];
	r = run(name, sample, taken, setup, teardown);
	free(sample);
	return r;
}
