/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * To be preloaded: notes every MAD that a program sends, one line each, "CLASS METHOD ATTRIBUTE" in hexadecimal, in the
 * file that FT_RECORD names. What is sent cannot be read from the sources of libraries.
 *
 * With FT_RECORD_WHOLE set, a line says which of the same kind it is, too: "CLASS METHOD ATTRIBUTE MODIFIER WHERE".
 * WHERE is the directed route ("0,1,17"), or "lid 5" and the first bytes of the attribute, which name the port there.
 * And there is "open PATH" for each device of InfiniBand that is opened: to see those, it has to be preloaded before
 * the simulator's library, which keeps them to itself.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_SIZE = 1024, PERF_DATA_OFFSET = 64, PERF_DATA_TOLD = 4 };

static void *next(const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	if (!symbol)
		abort();
	return symbol;
}

static void note(const char *line, int length)
{
	int (*real_open)(const char *, int, ...) = (int (*)(const char *, int, ...))next("open");
	int fd = real_open(getenv("FT_RECORD"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

	/* A record with holes proves nothing. */
	if (length < 0 || length >= LINE_SIZE || fd < 0 || write(fd, line, (size_t)length) != length)
		abort();
	close(fd);
}

static int add_where(char *line, size_t size, void *umad)
{
	const struct umad_smp *smp = umad_get_mad(umad);
	const unsigned char *bytes = umad_get_mad(umad);
	int length;

	if (smp->mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE) {
		length = snprintf(line, size, " 0");
		for (unsigned int hop = 1; hop <= smp->hop_cnt && length < (int)size; hop++)
			length += snprintf(line + length, size - (size_t)length, ",%u", smp->initial_path[hop]);
		return length;
	}
	length = snprintf(line, size, " lid %u ", ntohs(umad_get_mad_addr(umad)->lid));
	for (unsigned int i = 0; i < PERF_DATA_TOLD; i++)
		length += snprintf(line + length, size - (size_t)length, "%02x", bytes[PERF_DATA_OFFSET + i]);
	return length;
}

static void note_mad(void *umad)
{
	const struct umad_hdr *mad = umad_get_mad(umad);
	char line[LINE_SIZE];
	int length;

	if (!getenv("FT_RECORD"))
		return;
	length = snprintf(line, sizeof(line), "%02x %02x %04x", mad->mgmt_class, mad->method, ntohs(mad->attr_id));
	if (getenv("FT_RECORD_WHOLE")) {
		length += snprintf(line + length, sizeof(line) - (size_t)length, " %08x", ntohl(mad->attr_mod));
		length += add_where(line + length, sizeof(line) - (size_t)length, umad);
	}
	line[length++] = '\n';
	note(line, length);
}

int umad_send(int fd, int agent, void *umad, int length, int timeout_ms, int retries)
{
	int (*send)(int, int, void *, int, int, int) = (int (*)(int, int, void *, int, int, int))next("umad_send");

	note_mad(umad);
	return send(fd, agent, umad, length, timeout_ms, retries);
}

int open(const char *path, int flags, ...)
{
	int (*real_open)(const char *, int, ...) = (int (*)(const char *, int, ...))next("open");
	char line[LINE_SIZE];
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);
	if (getenv("FT_RECORD_WHOLE") && getenv("FT_RECORD") && strncmp(path, "/dev/infiniband/", 16) == 0)
		note(line, snprintf(line, sizeof(line), "open %s\n", path));
	return real_open(path, flags, mode);
}
