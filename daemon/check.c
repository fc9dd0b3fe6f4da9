/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/moment.h"
#include "daemon/check.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"
#include "base/sanitized.h"
#include "daemon/building.h"
#include "daemon/counting.h"
#include "planner/write/phases.h"
#include "probe/confine.h"
#include "probe/guard.h"
#include "probe/names.h"
#include "probe/sms.h"
#include "verify/model/bounds.h"
#include "verify/model/verify.h"
#include "verify/report/draw.h"

enum {
	FIRST_MORE_MS = 1000, /* a check that hangs is killed so long after its deadline */
	LEAVE_MS = 200,	      /* for those that end to end, before they are killed */
	SM_MORE_MS = 500,     /* the subnet managers are queried until so long after it */
	NICE_BEHIND = 10,     /* of what gives way */
};

struct ft_check {
	enum ft_check_kind kind;
	struct ft_guard_job *job;
	bool waits; /* for its orders */
	sd_event *loop;
	sd_event_source *inputs[FT_GUARD_FDS];
	sd_event_source *deadline;
	ft_check_done *done;
	void *userdata;
	int64_t begin_ms;

	/* The result, after it was read; until then it belongs to the thread, if there is one. */
	struct ft_check_result result;
	struct ft_error err;
	int r;
	int read; /* an eventfd that signals the end of the thread */
	pthread_t reader;
	bool reading; /* there is a thread */
	sd_event_source *read_source;

	/* Of those that were left to themselves: their list, and the next in it. */
	struct ft_check **list, *next;
};

static const struct {
	const char *what;
	/* Part of the given deadline: matching and handing over the result take time too. */
	unsigned int more_ms;
	bool reads;   /* the fabric */
	bool reports; /* its text is a report */
} kinds[] = {
	[FT_CHECK_SWEEP] = {"the sweep", 10000, true, true},
	[FT_CHECK_REREAD] = {"reading again", 10000, true, true},
	[FT_CHECK_JUDGE] = {"judging", 10000, false, true},
	[FT_CHECK_DRAW] = {"the drawing", 10000, false, false},
	[FT_CHECK_BUILD] = {"the state of the build", 10000, false, false},
	[FT_CHECK_COUNT] = {"reading the error counters", 10000, false, false},
};

/* The given options, bounded by the plan. */
static struct ft_sweep_options sweep_bounded(const struct ft_check_request *request)
{
	struct ft_sweep_options sweep = *request->sweep;

	ft_bounds_sweep(request->plan, &sweep);
	sweep.after = request->after;
	return sweep;
}

/* In the child. */

/*
 * Behind the reading of an event: with a subnet manager at work a processor is what an alert waits for most. Only once
 * it has read itself: who waits for a processor takes answers that are there for lost.
 */
static void step_back(const struct ft_check_request *request)
{
	if (request->gives_way)
		(void)setpriority(PRIO_PROCESS, 0, NICE_BEHIND);
}

static int snapshot_take(const struct ft_check_request *request, int64_t end_ms, struct ft_snapshot **ret_snapshot,
			 struct ft_error *err)
{
	struct ft_sweep_options sweep = sweep_bounded(request);
	int64_t read_ms = ft_guard_now_ms() + sweep.deadline_ms;

	if (read_ms > end_ms)
		read_ms = end_ms;
	if (ft_neighbours_is_set(&request->lldp))
		return ft_neighbours_take(&request->lldp, request->plan, read_ms, ret_snapshot, err);
	if (request->kind == FT_CHECK_SWEEP)
		return ft_sweep_here(&sweep, read_ms, ret_snapshot, err);
	if (request->reread)
		return ft_reread_run(request->reread, request->changes, request->change_count, read_ms, ret_snapshot,
				     err);
	ft_confine();
	return ft_sweep_incremental(&sweep, request->snapshot, request->changes, request->change_count, read_ms,
				    ret_snapshot, err);
}

/* The node of @known in the last report; FT_NONE: it does not exist any more. */
static uint32_t sm_node(const struct ft_snapshot *snapshot, const struct ft_map *by_guid,
			const struct ft_report_sm *known)
{
	uint32_t node = ft_map_get(by_guid, known->place.guid);

	return node != FT_NONE && known->place.port <= snapshot->nodes[node].port_count ? node : FT_NONE;
}

static uint8_t sm_state(const char *name)
{
	uint8_t state = 0;

	while (state < FT_SM_SILENT && strcmp(ft_sm_state_name(state), name) != 0)
		state++;
	return state;
}

/* The subnet managers of the last report whose nodes still exist. NULL if it has none. */
static int sms_keep(const struct ft_report *last, const struct ft_snapshot *snapshot, struct ft_sms **ret_sms)
{
	_cleanup_(ft_sms_freep) struct ft_sms *sms = NULL;
	_cleanup_(ft_map_release) struct ft_map by_guid = {0};

	if (!last || !last->sms)
		return 0;
	sms = calloc(1, sizeof(*sms));
	if (!sms)
		return -ENOMEM;
	sms->items = calloc(last->sm_count + 1, sizeof(*sms->items));
	if (!sms->items || ft_snapshot_map_nodes(snapshot, &by_guid) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < last->sm_count; i++) {
		const struct ft_report_sm *known = &last->sms[i];
		uint32_t node = sm_node(snapshot, &by_guid, known);

		if (node == FT_NONE)
			continue;
		sms->items[sms->count++] = (struct ft_sm){
			.guid = known->port_guid,
			.node = node,
			.activity = known->activity,
			.port = (uint8_t)known->place.port,
			.state = sm_state(known->state),
			.priority = (uint8_t)known->priority,
		};
	}
	*ret_sms = FT_STEAL(sms);
	return 0;
}

/*
 * Only full sweeps query them. Incremental ones do not: a hanging manager would delay events that must be reported
 * within a second. Nor does a sweep fail if the query does.
 */
static int sms_take(const struct ft_check_request *request, const struct ft_snapshot *snapshot, int64_t end_ms,
		    struct ft_sms **ret_sms)
{
	struct ft_error err = {0};
	/* When the work began, and when reading had to end. */
	int64_t begin_ms = end_ms - request->sweep->deadline_ms - kinds[request->kind].more_ms;
	int64_t ask_ms = begin_ms + request->sweep->deadline_ms + SM_MORE_MS;
	int r;

	if (!request->sm)
		return 0;
	if (request->kind == FT_CHECK_SWEEP) {
		r = ft_sms_ask_here(request->sweep, snapshot, ask_ms, ret_sms, &err);
		if (r == 0 || r == -ENOMEM)
			return r;
	}
	return sms_keep(request->last, snapshot, ret_sms);
}

/*
 * Unfinished work of the subnet manager is reported by full sweeps, after it had time for it; and not at all if
 * managers are not checked.
 */
static const struct ft_report *known_before(const struct ft_check_request *request)
{
	static const struct ft_report nothing;

	if (!request->sm)
		return &nothing;
	return request->kind == FT_CHECK_REREAD ? request->last : NULL;
}

/*
 * What is known of error counters. A course of a build compares totals, and a reading that it has seen proves nothing
 * once more.
 */
static int counters_take(const struct ft_check_request *request, const struct ft_snapshot *snapshot,
			 struct ft_counters **ret_counters)
{
	bool build = request->kind == FT_CHECK_BUILD;
	size_t count;
	const struct ft_counted_port *ports = ft_counting_ports(request->counted, &count);

	if (!ports)
		return 0;
	return ft_counters_known(snapshot, ports, build && !request->counted_new ? 0 : count, build, ret_counters);
}

static int judge_named(const struct ft_check_request *request, const struct ft_snapshot *snapshot, int64_t end_ms,
		       struct ft_text *ret_text, struct ft_error *err)
{
	_cleanup_(ft_sms_freep) struct ft_sms *sms = NULL;
	_cleanup_(ft_counters_freep) struct ft_counters *counters = NULL;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_phases_freep) struct ft_phases *phases = NULL;
	struct ft_verify_input input;
	struct ft_bounds bounds;
	char today[FT_DAY_SIZE];
	int64_t now_s = (int64_t)time(NULL);
	int r = ft_day_string(now_s, today);

	if (r < 0)
		return r;
	r = sms_take(request, snapshot, end_ms, &sms);
	/* No further packets are sent. */
	ft_guard_go_on();
	step_back(request);
	if (r == 0)
		r = counters_take(request, snapshot, &counters);
	if (r == 0)
		r = ft_phases_make(request->design, request->plan, &phases, err);
	input = (struct ft_verify_input){.design = request->design,
					 .plan = request->plan,
					 .snapshot = snapshot,
					 .today = today,
					 .phases = phases,
					 .day = today,
					 .building = phases != NULL,
					 .sms = sms,
					 .counters = counters,
					 .baseline = request->baseline,
					 .returning_s = request->returning_s,
					 .before = known_before(request),
					 .doubt_plan = true};
	if (r == 0)
		r = ft_verify_all(&input, &report);
	if (r == 0)
		r = ft_report_set_plan(report, request->plan_file, request->design);
	if (r < 0)
		return r;
	if (request->kind == FT_CHECK_DRAW)
		return ft_report_draw(ret_text, report, request->design, request->plan, ft_draw_svg, err);
	report->time_s = snapshot->source.time_s ? snapshot->source.time_s : now_s;
	if (request->kind == FT_CHECK_BUILD)
		return ft_building_write(&input, report, request->course, ret_text);
	ft_bounds_of_plan(request->plan, &bounds);
	return ft_report_write_bounded(ret_text, report, &bounds);
}

/*
 * The name map is applied to the report only: the stored snapshot, which is read again in part, has the original names.
 */
int ft_check_judge(const struct ft_check_request *request, const struct ft_snapshot *snapshot, int64_t end_ms,
		   struct ft_text *ret_text, struct ft_error *err)
{
	_cleanup_(ft_names_view_release) struct ft_snapshot view = {0};
	int r;

	if (!request->names)
		return judge_named(request, snapshot, end_ms, ret_text, err);
	r = ft_names_view(request->names, snapshot, &view);
	return r < 0 ? r : judge_named(request, &view, end_ms, ret_text, err);
}

/*
 * True if reading again gave what the last report was made of, which stands then. After each event its place is read
 * once more: mostly that is all there is to do.
 */
static bool is_known(const struct ft_check_request *request, const struct ft_snapshot *snapshot)
{
	return request->kind == FT_CHECK_REREAD && request->judged && ft_snapshot_same(request->snapshot, snapshot);
}

static int check_work(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	const struct ft_check_request *request = arg;
	int r;

	if (request->kind == FT_CHECK_COUNT)
		return ft_counting_read(request, end_ms, &result->text, err);
	if (!kinds[request->kind].reads)
		return ft_check_judge(request, request->snapshot, end_ms, &result->text, err);
	r = snapshot_take(request, end_ms, &result->snapshot, err);
	if (r < 0 || is_known(request, result->snapshot))
		return r;
	return ft_check_judge(request, result->snapshot, end_ms, &result->text, err);
}

/* Opens the port and makes the survey. If that fails, the work tries it again, and says why it cannot be done. */
static void check_prepare(void *arg)
{
	struct ft_check_request *request = arg;
	const struct ft_sweep_options sweep = sweep_bounded(request);
	struct ft_error err = {0};

	ft_confine();
	if (ft_reread_open(&sweep, request->snapshot, &request->reread, &err) < 0)
		request->reread = NULL;
}

static int check_take(void *arg, const char *orders, size_t length)
{
	struct ft_check_request *request = arg;

	request->changes = (const struct ft_change *)orders;
	request->change_count = length / sizeof(*request->changes);
	return 0;
}

static const struct ft_guard_wait check_wait = {check_prepare, check_take};

/* In the parent. */

static void check_result_release(struct ft_check_result *result)
{
	ft_snapshot_free(result->snapshot);
	ft_report_free(result->report);
	ft_text_release(&result->text);
}

static int result_take(struct ft_check *check, struct ft_check_result *result, struct ft_error *err)
{
	_cleanup_(ft_guard_result_release) struct ft_guard_result raw = {0};
	struct ft_error reason = {0};
	int r;

	r = ft_guard_finish(check->job, &raw, err);
	if (r < 0)
		return r;
	if (!raw.snapshot && kinds[check->kind].reads)
		return ft_error_set(err, -EIO, 0, 0, "%s gave no snapshot", kinds[check->kind].what);
	if (kinds[check->kind].reports && (check->kind != FT_CHECK_REREAD || raw.text.length > 0))
		r = ft_report_read_json(ft_text_string(&raw.text), raw.text.length, &result->report, &reason);
	if (r < 0)
		return ft_error_set(err, r == -ENOMEM ? r : -EIO, 0, 0, "%s gave a damaged report: %s",
				    kinds[check->kind].what, reason.text);
	result->snapshot = FT_STEAL(raw.snapshot);
	result->text = raw.text;
	raw.text = (struct ft_text){0};
	result->duration_ms = ft_guard_now_ms() - check->begin_ms;
	return 0;
}

static void sources_drop(struct ft_check *check)
{
	for (size_t i = 0; i < FT_GUARD_FDS; i++)
		check->inputs[i] = sd_event_source_disable_unref(check->inputs[i]);
	check->deadline = sd_event_source_disable_unref(check->deadline);
}

static void result_read(struct ft_check *check)
{
	check->r = result_take(check, &check->result, &check->err);
	if (check->r < 0 && check->err.text[0] == '\0')
		ft_error_set(&check->err, check->r, 0, 0, "%s: %s", kinds[check->kind].what, strerror(-check->r));
}

/* In the thread. */
static void *reader_run(void *arg)
{
	struct ft_check *check = arg;
	const uint64_t one = 1;

	result_read(check);
	/* From here on the loop watches the job. This cannot fail: it has no sources yet. */
	(void)!write(check->read, &one, sizeof(one));
	return NULL;
}

static void reader_join(struct ft_check *check)
{
	if (check->reading)
		pthread_join(check->reader, NULL);
	check->reading = false;
	check->read_source = sd_event_source_disable_unref(check->read_source);
	ft_closep(&check->read);
	check->read = -1;
}

static void check_tell(struct ft_check *check)
{
	struct ft_error err = check->err;
	struct ft_check_result result = check->result;

	check->result = (struct ft_check_result){0};
	/* The callback may free the check. */
	check->done(check, check->r, &result, &err, check->userdata);
	check_result_release(&result);
}

static int on_read(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	(void)source;
	(void)fd;
	(void)events;
	reader_join(userdata);
	check_tell(userdata);
	return 0;
}

/* The loop handles signals, so the thread has them blocked from the start. */
static int reader_create(struct ft_check *check)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	r = -pthread_sigmask(SIG_SETMASK, &all, &before);
	if (r < 0)
		return r;
	r = -pthread_create(&check->reader, NULL, reader_run, check);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

static int reader_start(struct ft_check *check)
{
	int r;

	/* A sanitizer's allocator may stay locked for ever in a child that is forked meanwhile. */
	if (FT_SANITIZED)
		return -EOPNOTSUPP;
	/* One heap for both: what the thread allocates and the loop frees is reused. */
	mallopt(M_ARENA_MAX, 1);
	check->read = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (check->read < 0)
		return -errno;
	r = sd_event_add_io(check->loop, &check->read_source, check->read, EPOLLIN, on_read, check);
	if (r >= 0)
		r = reader_create(check);
	check->reading = r >= 0;
	if (r < 0)
		reader_join(check);
	return r < 0 ? r : 0;
}

static int check_step(struct ft_check *check);

/*
 * The report of a large fabric is megabytes of JSON: a thread reads it, so that the loop goes on. If no thread can be
 * created, it is read synchronously.
 */
static void check_finish(struct ft_check *check)
{
	sources_drop(check);
	if (reader_start(check) == 0)
		return;
	result_read(check);
	check_tell(check);
}

static int check_step(struct ft_check *check)
{
	const int *fds = ft_guard_fds(check->job);
	bool over = ft_guard_step(check->job);

	if (over && check->list) {
		ft_check_free(check);
		return 0;
	}
	/* Nobody waits for it: ft_check_go() will fail. */
	if (over && check->waits) {
		sources_drop(check);
		return 0;
	}
	if (over || (kinds[check->kind].reads && !check->list && ft_guard_is_told(check->job))) {
		check_finish(check);
		return 0;
	}
	for (size_t i = 0; i < FT_GUARD_FDS; i++)
		if (fds[i] < 0)
			check->inputs[i] = sd_event_source_disable_unref(check->inputs[i]);
	return sd_event_source_set_time(check->deadline, (uint64_t)ft_guard_end_ms(check->job) * 1000);
}

static int on_input(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	(void)source;
	(void)fd;
	(void)events;
	return check_step(userdata);
}

static int on_deadline(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)usec;
	sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return check_step(userdata);
}

/*
 * The loop watches a duplicate descriptor: the job closes its own before the source is removed, and if a child forked
 * just then has a copy of it, epoll would still report events for the freed source (sd-event aborts).
 */
static int input_add(struct ft_check *check, size_t i, int fd)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 3), r;

	if (own < 0)
		return -errno;
	r = sd_event_add_io(check->loop, &check->inputs[i], own, EPOLLIN, on_input, check);
	if (r >= 0)
		r = sd_event_source_set_io_fd_own(check->inputs[i], 1);
	if (r < 0 && !check->inputs[i])
		close(own);
	return r;
}

static int sources_add(struct ft_check *check)
{
	const int *fds = ft_guard_fds(check->job);
	int r = 0;

	for (size_t i = 0; r >= 0 && i < FT_GUARD_FDS; i++)
		if (fds[i] >= 0)
			r = input_add(check, i, fds[i]);
	if (r >= 0)
		r = sd_event_add_time(check->loop, &check->deadline, CLOCK_MONOTONIC,
				      (uint64_t)ft_guard_end_ms(check->job) * 1000, 1000, on_deadline, check);
	return r < 0 ? r : 0;
}

int ft_check_start(sd_event *loop, const struct ft_check_request *request, ft_check_done *done, void *userdata,
		   struct ft_check **ret_check, struct ft_error *err)
{
	const struct ft_sweep_options sweep = sweep_bounded(request);
	const struct ft_guard guard = {
		.what = kinds[request->kind].what,
		.wait = request->waits ? &check_wait : NULL,
		.deadline_ms = request->sweep->deadline_ms + kinds[request->kind].more_ms,
		.first_ms = request->sweep->deadline_ms + FIRST_MORE_MS,
		.programs = request->lldp.command != NULL,
		.memory = ft_sweep_memory(&sweep) + ft_bounds_memory(request->plan, sweep.max_nodes, sweep.max_ports),
	};
	_cleanup_(ft_check_freep) struct ft_check *check = calloc(1, sizeof(*check));
	int r;

	if (!check)
		return ft_error_set(err, -ENOMEM, 0, 0, "%s: out of memory", guard.what);
	check->kind = request->kind;
	check->waits = request->waits;
	check->loop = sd_event_ref(loop);
	check->done = done;
	check->userdata = userdata;
	check->begin_ms = ft_guard_now_ms();
	check->read = -1;
	r = ft_guard_start(&guard, check_work, request, &check->job, err);
	if (r < 0)
		return r;
	r = sources_add(check);
	if (r < 0)
		return ft_error_set(err, r, 0, 0, "%s: %s", guard.what, strerror(-r));
	*ret_check = FT_STEAL(check);
	return 0;
}

int ft_check_go(struct ft_check *check, const struct ft_change *changes, size_t change_count)
{
	int r = ft_guard_order(check->job, changes, change_count * sizeof(*changes));

	check->waits = false;
	check->begin_ms = ft_guard_now_ms();
	if (r == 0)
		r = sd_event_source_set_time(check->deadline, (uint64_t)ft_guard_end_ms(check->job) * 1000);
	return r < 0 ? r : 0;
}

enum ft_check_kind ft_check_kind(const struct ft_check *check)
{
	return check->kind;
}

int64_t ft_check_begin_ms(const struct ft_check *check)
{
	return check->begin_ms;
}

int64_t ft_check_end_ms(const struct ft_check *check)
{
	return ft_guard_end_ms(check->job);
}

static void list_leave(struct ft_check *check)
{
	struct ft_check **at = check->list;

	while (at && *at != check)
		at = &(*at)->next;
	if (at)
		*at = check->next;
}

void ft_check_free(struct ft_check *check)
{
	if (!check)
		return;
	list_leave(check);
	sources_drop(check);
	reader_join(check);
	check_result_release(&check->result);
	ft_guard_free(check->job);
	sd_event_unref(check->loop);
	free(check);
}

void ft_check_leave(struct ft_check *check, struct ft_check **list)
{
	if (!check)
		return;
	reader_join(check);
	sources_drop(check);
	ft_guard_dismiss(check->job);
	check->waits = false;
	if (!ft_guard_step(check->job) && sources_add(check) >= 0) {
		check->next = *list;
		check->list = list;
		*list = check;
		return;
	}
	ft_check_free(check);
}

void ft_check_free_all(struct ft_check **list)
{
	int64_t end_ms = ft_guard_now_ms() + LEAVE_MS;

	while (*list) {
		while (!ft_guard_step((*list)->job) && ft_guard_now_ms() < end_ms)
			poll(NULL, 0, 1);
		ft_check_free(*list);
	}
}
