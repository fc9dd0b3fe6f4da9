/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * To be preloaded, last: notes every MAD that a program sends, one line each, "CLASS METHOD ATTRIBUTE" in hexadecimal,
 * in the file that FT_RECORD names. What is sent cannot be read from the sources of libraries.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <infiniband/umad_types.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void note(void *umad)
{
	const struct umad_hdr *mad = umad_get_mad(umad);
	const char *path = getenv("FT_RECORD");
	char line[64];
	int fd, length;

	if (!path)
		return;
	length = snprintf(line, sizeof(line), "%02x %02x %04x\n", mad->mgmt_class, mad->method, ntohs(mad->attr_id));
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	/* A record with holes proves nothing. */
	if (fd < 0 || write(fd, line, (size_t)length) != length)
		abort();
	close(fd);
}

int umad_send(int fd, int agent, void *umad, int length, int timeout_ms, int retries)
{
	int (*send)(int, int, void *, int, int, int) = dlsym(RTLD_NEXT, "umad_send");

	if (!send)
		abort();
	note(umad);
	return send(fd, agent, umad, length, timeout_ms, retries);
}
