/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/listen.h"

#include <errno.h>
#include <infiniband/umad.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/child.h"
#include "probe/listen_child.h"

enum {
	MS_MAX = 1000000, /* the kernel stores milliseconds in an int */
	RETRIES_MAX = 100,
	PORT_MAX = 254,
};

const struct ft_listener_options ft_listener_defaults = {
	.timeout_ms = 1000,
	.retries = 3,
	.poll_ms = 500,
	.renew_ms = 60000,
	.alive_ms = 5000,
};

struct ft_listener {
	int fd;
	pid_t pid;
};

static int check_options(const struct ft_listener_options *options, struct ft_error *err)
{
	if (options->timeout_ms == 0 || options->timeout_ms > MS_MAX)
		return ft_error_set(err, -EINVAL, 0, 0, "the time-out has to be from 1 to %d ms", MS_MAX);
	if (options->retries > RETRIES_MAX)
		return ft_error_set(err, -EINVAL, 0, 0, "the number of retries has to be up to %d", RETRIES_MAX);
	if (options->poll_ms == 0 || options->poll_ms > MS_MAX || options->renew_ms < options->poll_ms)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "the listener has to look every 1 to %d ms, and to renew no more often", MS_MAX);
	if (options->port < 0 || options->port > PORT_MAX)
		return ft_error_set(err, -EINVAL, 0, 0, "no port has the number %d", options->port);
	if (options->ca && (options->ca[0] == '\0' || strlen(options->ca) >= UMAD_CA_NAME_LEN))
		return ft_error_set(err, -EINVAL, 0, 0, "no device has the name \"%s\"", options->ca);
	if (options->alive_ms == 0 || options->alive_ms > MS_MAX)
		return ft_error_set(err, -EINVAL, 0, 0, "the listener has to give a sign of life every 1 to %d ms",
				    MS_MAX);
	return 0;
}

static _Noreturn void child_main(const struct ft_listener_options *options, pid_t parent, int fd)
{
	ft_child_begin(parent, -1, &fd, 1);
	ft_listen(options, FT_CHILD_FIRST_FD);
}

int ft_listener_start(const struct ft_listener_options *options, struct ft_listener **ret_listener,
		      struct ft_error *err)
{
	_cleanup_free_ struct ft_listener *listener = NULL;
	int ends[2];
	pid_t parent;
	int r;

	r = check_options(options, err);
	if (r < 0)
		return r;
	ft_child_reap_given_up();
	listener = calloc(1, sizeof(*listener));
	if (!listener)
		return ft_error_set(err, -ENOMEM, 0, 0, "no memory for the listener");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return ft_error_set(err, -errno, 0, 0, "no socket to the listener: %s", strerror(errno));
	parent = getpid();
	listener->pid = fork();
	if (listener->pid == 0)
		child_main(options, parent, ends[1]);
	r = -errno;
	close(ends[1]);
	if (listener->pid < 0) {
		close(ends[0]);
		return ft_error_set(err, r, 0, 0, "no process for the listener: %s", strerror(-r));
	}
	listener->fd = ends[0];
	*ret_listener = FT_STEAL(listener);
	return 0;
}

int ft_listener_fd(const struct ft_listener *listener)
{
	return listener->fd;
}

pid_t ft_listener_pid(const struct ft_listener *listener)
{
	return listener->pid;
}

/* The bytes are not trusted: what the fabric sent may have crashed the child. */
static bool message_is_sound(const struct ft_listener_message *message, size_t length)
{
	if (length < ft_listener_message_size(0) || length > sizeof(*message))
		return false;
	if (message->kind < FT_LISTENER_SUBSCRIBED || message->kind > FT_LISTENER_ALIVE)
		return false;
	return strnlen(message->text, sizeof(message->text)) < sizeof(message->text);
}

int ft_listener_read(struct ft_listener *listener, struct ft_listener_message *ret_message)
{
	struct ft_listener_message message = {0};
	ssize_t n;

	do
		n = recv(listener->fd, &message, sizeof(message), MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n <= 0 || !message_is_sound(&message, (size_t)n))
		return -EPIPE;
	*ret_message = message;
	return 1;
}

void ft_listener_free(struct ft_listener *listener)
{
	if (!listener)
		return;
	close(listener->fd);
	ft_child_end(listener->pid);
	free(listener);
}
