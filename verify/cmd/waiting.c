/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/cmd/waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/child.h"
#include "probe/guard.h"

enum {
	PATIENCE_MS = 2000, /* shorter work needs no line */
	REDRAW_MS = 250,
	END_MS = 500,	 /* time for the painter to clear the line: a terminal may be stopped */
	LINE_SIZE = 160, /* of the longest line */
	TERMINAL_FD = FT_CHILD_FIRST_FD,
	END_FD, /* readable once the work is over */
};

/* Global, as there is one terminal. */
static struct {
	struct ft_progress *progress; /* shared; NULL: nothing is displayed */
	pid_t painter;
	int end; /* closing it ends the painter */
} waiting = {.end = -1};

/* ---- the painter ---- */

/* The progress figures of a phase, besides its name. */
enum figure { FIGURE_NONE, FIGURE_NODES, FIGURE_PACKETS, FIGURE_INTERVAL };

static const struct {
	const char *what;
	enum figure figure;
} phases[FT_PHASE_COUNT] = {
	[FT_PHASE_BEGIN] = {"Reading", FIGURE_NONE},
	[FT_PHASE_SWEEP] = {"Sweeping the fabric", FIGURE_NODES},
	[FT_PHASE_ROUTES] = {"Reading forwarding tables", FIGURE_PACKETS},
	[FT_PHASE_LANES] = {"Reading virtual lanes", FIGURE_PACKETS},
	[FT_PHASE_SMS] = {"Asking the subnet managers", FIGURE_PACKETS},
	[FT_PHASE_COUNTERS] = {"Reading error counters", FIGURE_PACKETS},
	[FT_PHASE_INTERVAL] = {"Waiting for the second reading of error counters", FIGURE_INTERVAL},
	[FT_PHASE_AGAIN] = {"Reading error counters again", FIGURE_PACKETS},
	[FT_PHASE_JUDGE] = {"Comparing the fabric with the plan", FIGURE_NONE},
	[FT_PHASE_REPAIR] = {"Computing the repair", FIGURE_NONE},
	[FT_PHASE_AFTER] = {"Computing what more failures do", FIGURE_NONE},
};

/* "Sweeping the fabric: 1234 nodes so far, 5 s" */
static void line_write(char line[LINE_SIZE], const struct ft_progress *p, int64_t elapsed_ms, int64_t phase_ms)
{
	uint32_t phase = p->phase, nodes = p->nodes, done = p->done, total = p->total;
	char figure[64] = "";

	/* It comes from another process. */
	if (phase >= FT_PHASE_COUNT)
		phase = FT_PHASE_BEGIN;
	switch (phases[phase].figure) {
	case FIGURE_NODES:
		if (nodes > 0)
			snprintf(figure, sizeof(figure), ": %u nodes so far", nodes);
		break;
	case FIGURE_PACKETS:
		if (total > 0)
			snprintf(figure, sizeof(figure), ": %u of %u packets", done, total);
		break;
	case FIGURE_INTERVAL:
		snprintf(figure, sizeof(figure), ": %u of %u s",
			 (unsigned int)(phase_ms < total ? phase_ms / 1000 : total / 1000), total / 1000);
		break;
	case FIGURE_NONE:
		break;
	}
	snprintf(line, LINE_SIZE, "%s%s, %u s", phases[phase].what, figure, (unsigned int)(elapsed_ms / 1000));
}

/* The rest of the previous line is overwritten with blanks, which every terminal supports. */
static size_t line_show(const char *line, size_t before)
{
	char out[2 * LINE_SIZE + 8] = "\r";
	struct winsize size = {0};
	size_t length = strlen(line), width = 79, n = 1;

	if (ioctl(TERMINAL_FD, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
		width = size.ws_col - 1;
	length = length < width ? length : width;
	before = before < width ? before : width;
	memcpy(out + n, line, length);
	n += length;
	for (size_t i = length; i < before; i++)
		out[n++] = ' ';
	if (before > length || length == 0)
		out[n++] = '\r';
	/* If it cannot be written, there is nothing to do. */
	if (write(TERMINAL_FD, out, n) < 0)
		return length;
	return length;
}

static _Noreturn void paint(const struct ft_progress *p)
{
	struct pollfd end = {.fd = END_FD, .events = POLLIN};
	int64_t began_ms = ft_guard_now_ms(), phase_ms = began_ms;
	uint32_t round = p->round;
	char line[LINE_SIZE];
	size_t shown = 0;

	while (poll(&end, 1, REDRAW_MS) == 0) {
		int64_t now_ms = ft_guard_now_ms();

		if (p->round != round) {
			round = p->round;
			phase_ms = now_ms;
		}
		if (now_ms - began_ms < PATIENCE_MS)
			continue;
		line_write(line, p, now_ms - began_ms, now_ms - phase_ms);
		shown = line_show(line, shown);
	}
	if (shown > 0)
		line_show("", shown);
	_exit(0);
}

static _Noreturn void painter_main(pid_t parent, int end)
{
	const int keep[] = {STDERR_FILENO, end};

	ft_child_begin(parent, -1, keep, 2);
	/* End of file on the pipe: the parent is gone, and the line is cleared. */
	prctl(PR_SET_PDEATHSIG, 0);
	/* It is in no foreground process group, and writes all the same. */
	signal(SIGTTOU, SIG_IGN);
	paint(waiting.progress);
}

/* ---- the parent ---- */

static void progress_release(void)
{
	if (waiting.progress)
		munmap(waiting.progress, sizeof(*waiting.progress));
	waiting.progress = NULL;
}

struct ft_progress *ft_waiting_begin(void)
{
	int ends[2];
	void *shared;
	pid_t parent = getpid();

	if (!isatty(STDERR_FILENO) || waiting.progress)
		return waiting.progress;
	shared = mmap(NULL, sizeof(*waiting.progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return NULL;
	waiting.progress = shared;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		progress_release();
		return NULL;
	}
	waiting.painter = fork();
	if (waiting.painter == 0)
		painter_main(parent, ends[0]);
	close(ends[0]);
	waiting.end = ends[1];
	if (waiting.painter < 0) {
		close(waiting.end);
		waiting.end = -1;
		progress_release();
	}
	return waiting.progress;
}

static bool painter_is_over(void)
{
	pid_t r;

	do
		r = waitpid(waiting.painter, NULL, WNOHANG);
	while (r < 0 && errno == EINTR);
	return r != 0;
}

/* The memory stays mapped: other processes may still write to it. */
void ft_waiting_end(void)
{
	int64_t end_ms;

	if (waiting.end < 0)
		return;
	close(waiting.end);
	waiting.end = -1;
	end_ms = ft_guard_now_ms() + END_MS;
	while (!painter_is_over()) {
		if (ft_guard_now_ms() >= end_ms) {
			kill(waiting.painter, SIGKILL);
			waitpid(waiting.painter, NULL, 0);
			return;
		}
		poll(NULL, 0, 1);
	}
}
