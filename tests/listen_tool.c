/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Listens to the fabric's events and prints one line a message as it comes:
 *
 *   pid 4711 4710                           the child and the tool, first of all
 *   subscribed ibsim0 port 1 (LID 5), SM LID 1
 *   deaf the subnet manager (LID 1) does not answer
 *   trap 128 lid 3
 *   trap 64 guid 0x0000000000200002
 *   gone                                    the child is; status 1
 *
 * listen_tool [-C CA] [-P PORT] [-t TIMEOUT_MS] [-r RETRIES] [-i POLL_MS] [-w RENEW_MS] [-n MESSAGES] [-z]
 *
 * -n: ends with status 0 after so many messages. -z: reads nothing until SIGUSR1 comes. Ends on SIGTERM too.
 */
#include "config.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/listen.h"

static volatile sig_atomic_t ended, woken;

static void on_signal(int number)
{
	if (number == SIGUSR1)
		woken = 1;
	else
		ended = 1;
}

static void print_message(const struct ft_listener_message *message)
{
	switch (message->kind) {
	case FT_LISTENER_SUBSCRIBED:
		printf("subscribed %s\n", message->text);
		break;
	case FT_LISTENER_DEAF:
		printf("deaf %s\n", message->text);
		break;
	case FT_LISTENER_TRAP:
		if (message->lid)
			printf("trap %u lid %u\n", message->trap, message->lid);
		else
			printf("trap %u guid 0x%016" PRIx64 "\n", message->trap, message->guid);
		break;
	case FT_LISTENER_BUSY:
	case FT_LISTENER_ALIVE:
		/* Whenever the SM looks at the fabric, and now and then: not for tests that count. */
		return;
	}
	fflush(stdout);
}

static bool is_printed(const struct ft_listener_message *message)
{
	return message->kind != FT_LISTENER_BUSY && message->kind != FT_LISTENER_ALIVE;
}

/* Returns true once there is nothing more to wait for, with the exit status. */
static bool print_all(struct ft_listener *listener, long *left, int *ret_status)
{
	struct ft_listener_message message;
	int r;

	while ((r = ft_listener_read(listener, &message)) > 0) {
		print_message(&message);
		if (is_printed(&message) && --*left == 0) {
			*ret_status = 0;
			return true;
		}
	}
	if (r == 0)
		return false;
	puts("gone");
	*ret_status = 1;
	return true;
}

static int listen_until_end(struct ft_listener *listener, long left, const sigset_t *unblocked)
{
	struct pollfd fd = {.fd = ft_listener_fd(listener), .events = POLLIN};
	int status = 0;

	while (!ended) {
		if (ppoll(&fd, woken ? 1 : 0, NULL, unblocked) > 0 && print_all(listener, &left, &status))
			break;
	}
	return status;
}

static void catch_signals(sigset_t *ret_unblocked)
{
	static const int numbers[] = {SIGTERM, SIGINT, SIGUSR1};
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t blocked;

	/* Blocked but in ppoll(), so that none is missed. */
	sigemptyset(&blocked);
	for (size_t i = 0; i < FT_COUNT(numbers); i++) {
		sigaddset(&blocked, numbers[i]);
		sigaction(numbers[i], &action, NULL);
	}
	sigprocmask(SIG_BLOCK, &blocked, ret_unblocked);
}

int main(int argc, char **argv)
{
	_cleanup_(ft_listener_freep) struct ft_listener *listener = NULL;
	struct ft_listener_options options = ft_listener_defaults;
	struct ft_error err = {0};
	sigset_t unblocked;
	long count = -1;
	int c;

	woken = 1;
	while ((c = getopt(argc, argv, "C:P:t:r:i:w:n:z")) != -1) {
		switch (c) {
		case 'C':
			options.ca = optarg;
			break;
		case 'P':
			options.port = atoi(optarg);
			break;
		case 't':
			options.timeout_ms = (unsigned int)atoi(optarg);
			break;
		case 'r':
			options.retries = (unsigned int)atoi(optarg);
			break;
		case 'i':
			options.poll_ms = (unsigned int)atoi(optarg);
			break;
		case 'w':
			options.renew_ms = (unsigned int)atoi(optarg);
			break;
		case 'n':
			count = atol(optarg);
			break;
		case 'z':
			woken = 0;
			break;
		default:
			return 2;
		}
	}
	catch_signals(&unblocked);
	if (ft_listener_start(&options, &listener, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	printf("pid %d %d\n", (int)ft_listener_pid(listener), (int)getpid());
	fflush(stdout);
	return listen_until_end(listener, count, &unblocked);
}
