/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "probe/confine.h"
#include "probe/fabric.h"
#include "probe/guard.h"

/*
 * The cache file of libibnetdisc (ibnetdiscover --cache) holds raw NodeInfo, NodeDescription and PortInfo, so states,
 * LIDs and rates are known. It lacks ExtendedPortInfo, so that the speed of a QDR port of a device that supports FDR10
 * is unknown; the time and the entry port of the sweep; the number of SMPs.
 */

enum {
	DEADLINE_MS = 60000,
	/* Upper bound of the library's allocations for each byte of the file, and its fixed part. */
	MEMORY_A_BYTE = 64,
	MEMORY_BASE = 64 << 20,
};

struct cache {
	const char *bytes;
	size_t length;
};

static void fabric_destroyp(ibnd_fabric_t **fabric)
{
	if (*fabric)
		ibnd_destroy_fabric(*fabric);
}

static int write_memory_file(const struct cache *cache, int *ret_fd)
{
	_cleanup_(ft_closep) int fd = memfd_create("libibnetdisc-cache", MFD_CLOEXEC);
	size_t done = 0;

	if (fd < 0)
		return -errno;
	while (done < cache->length) {
		ssize_t n = write(fd, cache->bytes + done, cache->length - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			done += (size_t)n;
	}
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* In the child. */
static int cache_work(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	_cleanup_(fabric_destroyp) ibnd_fabric_t *fabric = NULL;
	_cleanup_(ft_closep) int fd = -1;
	char path[64];
	int r;

	(void)end_ms;
	ft_confine();
	r = write_memory_file(arg, &fd);
	if (r < 0)
		return ft_error_set(err, r, 0, 0, "%s", strerror(-r));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fabric = ibnd_load_fabric(path, 0);
	if (!fabric)
		return ft_error_set(err, -EINVAL, 0, 0, "libibnetdisc refuses it");
	survey.without_ext_info = true;
	r = ft_fabric_survey(fabric, &survey);
	if (r == 0)
		r = ft_survey_snapshot(&survey, &result->snapshot, err);
	if (r < 0)
		return r;
	result->snapshot->source.live = false;
	return 0;
}

int ft_dump_read_cache(const char *bytes, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	struct ft_guard guard = {.what = "reading it", .deadline_ms = DEADLINE_MS};
	struct cache cache = {bytes, length};
	struct ft_error reason = {0};
	int r;

	if (length > (SIZE_MAX - MEMORY_BASE) / MEMORY_A_BYTE)
		return ft_error_set(err, -EFBIG, 0, 0, "too large for a libibnetdisc cache");
	guard.memory = MEMORY_BASE + length * MEMORY_A_BYTE;
	r = ft_guard_run_snapshot(&guard, cache_work, &cache, ret_snapshot, &reason);
	if (r == 0)
		return 0;
	if (r == -ENOMEM)
		return ft_error_set(err, r, 0, 0, "%s", reason.text);
	return ft_error_set(err, -EINVAL, 0, 0, "not a readable libibnetdisc cache: %s", reason.text);
}
