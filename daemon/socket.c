/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/cleanup.h"

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un local;
};

static socklen_t address_length(const union address *address)
{
	return address->any.sa_family == AF_INET ? sizeof(address->v4) : sizeof(address->v6);
}

static bool address_is_loopback(const union address *address)
{
	static const struct in6_addr mapped = {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127}}};

	if (address->any.sa_family == AF_INET)
		return ntohl(address->v4.sin_addr.s_addr) >> 24 == 127;
	return address->any.sa_family == AF_INET6 &&
	       (IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr) || memcmp(&address->v6.sin6_addr, &mapped, 13) == 0);
}

static unsigned int address_port(const union address *address)
{
	switch (address->any.sa_family) {
	case AF_INET:
		return ntohs(address->v4.sin_port);
	case AF_INET6:
		return ntohs(address->v6.sin6_port);
	default:
		return 0;
	}
}

/* Returns 0 or -EINVAL: not a port number. */
static int port_read(const char *string, uint16_t *ret_port)
{
	size_t length = strlen(string);
	unsigned long port;

	if (length == 0 || length > 5 || strspn(string, "0123456789") != length)
		return -EINVAL;
	port = strtoul(string, NULL, 10);
	if (port > UINT16_MAX)
		return -EINVAL;
	*ret_port = (uint16_t)port;
	return 0;
}

static int address_read(const char *string, union address *ret_address, struct ft_error *err)
{
	static const char *const form = "\"%s\" is not ADDRESS:PORT, such as 127.0.0.1:9683 or [::1]:9683";
	const char *colon = strrchr(string, ':');
	union address address = {.any.sa_family = AF_UNSPEC};
	char host[INET6_ADDRSTRLEN + 2];
	size_t length = colon ? (size_t)(colon - string) : 0;
	uint16_t port;

	if (length == 0 || length >= sizeof(host))
		return ft_error_set(err, -EINVAL, 0, 0, form, string);
	memcpy(host, string, length);
	host[length] = '\0';
	if (port_read(colon + 1, &port) < 0)
		return ft_error_set(err, -EINVAL, 0, 0, "\"%s\" is not a port, 0 to 65535", colon + 1);

	if (host[0] == '[' && host[length - 1] == ']') {
		host[length - 1] = '\0';
		if (inet_pton(AF_INET6, host + 1, &address.v6.sin6_addr) != 1)
			return ft_error_set(err, -EINVAL, 0, 0, form, string);
		address.v6.sin6_family = AF_INET6;
		address.v6.sin6_port = htons(port);
	} else {
		if (inet_pton(AF_INET, strcasecmp(host, "localhost") == 0 ? "127.0.0.1" : host, &address.v4.sin_addr) !=
		    1)
			return ft_error_set(err, -EINVAL, 0, 0, form, string);
		address.v4.sin_family = AF_INET;
		address.v4.sin_port = htons(port);
	}
	if (!address_is_loopback(&address))
		return ft_error_set(err, -EINVAL, 0, 0,
				    "\"%s\" is no loopback address; for others let systemd open the socket, or a proxy",
				    string);
	*ret_address = address;
	return 0;
}

int ft_socket_check_address(const char *address, struct ft_error *err)
{
	union address parsed;

	return address_read(address, &parsed, err);
}

int ft_socket_open(const char *string, int *ret_fd, struct ft_error *err)
{
	_cleanup_(ft_closep) int fd = -1;
	union address address;
	const int on = 1;
	int r = address_read(string, &address, err);

	if (r < 0)
		return r;
	fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	/* A port with lingering connections of an earlier process can be reused. */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(fd, &address.any, address_length(&address)) < 0 || listen(fd, SOMAXCONN) < 0) {
		r = -errno;
		return ft_error_set(err, r, 0, 0, "cannot listen on %s: %s", string, strerror(-r));
	}
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int ft_socket_check(int fd, struct ft_error *err)
{
	int listens = 0, type = 0, flags = fcntl(fd, F_GETFL);
	socklen_t size = sizeof(int);

	if (flags < 0 || getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || !listens || type != SOCK_STREAM)
		return ft_error_set(err, -EINVAL, 0, 0, "file descriptor %d is no listening stream socket", fd);
	if (fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return ft_error_set(err, -errno, 0, 0, "file descriptor %d: %s", fd, strerror(errno));
	return 0;
}

int ft_socket_describe(int fd, unsigned int *ret_port, bool *ret_loopback)
{
	union address address = {.any.sa_family = AF_UNSPEC};
	socklen_t length = sizeof(address);

	if (getsockname(fd, &address.any, &length) < 0)
		return -errno;
	*ret_port = address_port(&address);
	*ret_loopback = address_is_loopback(&address);
	return 0;
}
