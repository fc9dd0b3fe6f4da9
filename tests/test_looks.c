/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The schedule of sweeps and of what is read again, without children: the test says when a check ends, and how. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/daemon.h"
#include "probe/guard.h"

enum { CHECKS_MAX = 16, WAIT_US = 10000000, HOUR_MS = 3600000 };

/* A check that was started. */
struct ft_check {
	enum ft_check_kind kind;
	ft_check_done *done;
	void *userdata;
	int64_t begin_ms;
	bool waits; /* for its orders */
	bool left;
	size_t changes; /* that it reads */
};

static struct ft_check checks[CHECKS_MAX];
static size_t check_count, told_count;

int __wrap_ft_check_start(sd_event *loop, const struct ft_check_request *request, ft_check_done *done, void *userdata,
			  struct ft_check **ret_check, struct ft_error *err);
int __wrap_ft_check_start(sd_event *loop, const struct ft_check_request *request, ft_check_done *done, void *userdata,
			  struct ft_check **ret_check, struct ft_error *err)
{
	(void)loop;
	(void)err;
	assert_true(check_count < CHECKS_MAX);
	checks[check_count] = (struct ft_check){.kind = request->kind,
						.done = done,
						.userdata = userdata,
						.begin_ms = ft_guard_now_ms(),
						.waits = request->waits,
						.changes = request->change_count};
	*ret_check = &checks[check_count++];
	return 0;
}

int __wrap_ft_check_go(struct ft_check *check, const struct ft_change *changes, size_t change_count);
int __wrap_ft_check_go(struct ft_check *check, const struct ft_change *changes, size_t change_count)
{
	(void)changes;
	assert_true(check->waits && !check->left);
	check->waits = false;
	check->changes = change_count;
	return 0;
}

void __wrap_ft_check_leave(struct ft_check *check, struct ft_check **list);
void __wrap_ft_check_leave(struct ft_check *check, struct ft_check **list)
{
	(void)list;
	if (check)
		check->left = true;
}

void __wrap_ft_check_free(struct ft_check *check);
void __wrap_ft_check_free(struct ft_check *check)
{
	if (check)
		check->left = true;
}

void __wrap_ft_check_free_all(struct ft_check **list);
void __wrap_ft_check_free_all(struct ft_check **list)
{
	(void)list;
}

enum ft_check_kind __wrap_ft_check_kind(const struct ft_check *check);
enum ft_check_kind __wrap_ft_check_kind(const struct ft_check *check)
{
	return check->kind;
}

int64_t __wrap_ft_check_begin_ms(const struct ft_check *check);
int64_t __wrap_ft_check_begin_ms(const struct ft_check *check)
{
	return check->begin_ms;
}

/* Nothing is told, learned or counted. */
bool __wrap_ft_tell_look(struct ft_daemon *d, struct ft_check_result *result, enum ft_look_kind kind);
bool __wrap_ft_tell_look(struct ft_daemon *d, struct ft_check_result *result, enum ft_look_kind kind)
{
	(void)kind;
	told_count++;
	ft_report_free(d->report);
	d->report = FT_STEAL(result->report);
	return true;
}

void __wrap_ft_tell_status(struct ft_daemon *d, bool ready);
void __wrap_ft_tell_status(struct ft_daemon *d, bool ready)
{
	(void)d;
	(void)ready;
}

void __wrap_ft_building_look(struct ft_daemon *d);
void __wrap_ft_building_look(struct ft_daemon *d)
{
	(void)d;
}

void __wrap_ft_counting_look(struct ft_daemon *d);
void __wrap_ft_counting_look(struct ft_daemon *d)
{
	(void)d;
}

void __wrap_ft_remember_now(struct ft_daemon *d);
void __wrap_ft_remember_now(struct ft_daemon *d)
{
	(void)d;
}

struct rig {
	struct ft_config config;
	struct ft_daemon d;
};

static int rig_begin(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	if (!rig || sd_event_new(&rig->d.loop) < 0 || ft_alerts_new(&rig->d.alerts) < 0)
		return -1;
	check_count = told_count = 0;
	rig->config =
		(struct ft_config){.events = true, .sweep_interval_ms = HOUR_MS, .settle_ms = 1, .settle_max_ms = 10};
	rig->config.rules = ft_alert_rules_defaults;
	rig->d.config = &rig->config;
	rig->d.metrics.listens = true;
	*state = rig;
	return ft_looks_begin(&rig->d);
}

static int rig_end(void **state)
{
	struct rig *rig = *state;

	ft_looks_end(&rig->d);
	ft_snapshot_free(rig->d.snapshot);
	ft_report_free(rig->d.report);
	ft_alerts_free(rig->d.alerts);
	sd_event_unref(rig->d.loop);
	free(rig);
	return 0;
}

/* Until so many checks were started in all; the last one. */
static struct ft_check *started(struct rig *rig, size_t count)
{
	while (check_count < count)
		assert_true(sd_event_run(rig->d.loop, WAIT_US) > 0);
	assert_int_equal(check_count, count);
	return &checks[count - 1];
}

static void ended(struct rig *rig, struct ft_check *check, bool with_report)
{
	struct ft_check_result result = {.snapshot = calloc(1, sizeof(*result.snapshot))};
	struct ft_error err = {0};

	result.report = with_report ? calloc(1, sizeof(*result.report)) : NULL;
	assert_true(result.snapshot && (result.report || !with_report));
	check->done(check, 0, &result, &err, &rig->d);
	ft_snapshot_free(result.snapshot);
	ft_report_free(result.report);
}

static void event(struct rig *rig, uint16_t lid)
{
	ft_looks_change(&rig->d, &(struct ft_change){.lid = lid});
}

/* A swept fabric, and a child that waits for events. */
static struct ft_check *swept(struct rig *rig)
{
	ft_looks_sweep_in(&rig->d, 0);
	ended(rig, started(rig, 1), true);
	return started(rig, 2);
}

/* Not a second after the sweep: each takes packets and processors from what made the subnet manager busy. */
static void sweeps_keep_their_distance(void **state)
{
	struct rig *rig = *state;
	struct ft_check *sweep;
	int64_t asked;

	ft_looks_sweep_in(&rig->d, 0);
	sweep = started(rig, 1);
	asked = ft_guard_now_ms();
	ft_looks_sweep_after_busy(&rig->d, false);
	ended(rig, sweep, true);
	assert_in_range(rig->d.looks.sweep_due_ms - asked, 4000, 60000);
}

/* What has to come soon comes soon after the sweep. */
static void sweep_follows_at_once(void **state)
{
	struct rig *rig = *state;
	struct ft_check *sweep;

	ft_looks_sweep_in(&rig->d, 0);
	sweep = started(rig, 1);
	ft_looks_sweep_after_busy(&rig->d, false);
	ft_looks_sweep_in(&rig->d, 0);
	ended(rig, sweep, true);
	sweep = NULL;
	assert_true(rig->d.looks.sweep_due_ms - ft_guard_now_ms() <= 1000);
	/* And not once more: the next one is the regular one. A child that waits for events has started, too, before or
	 * after. */
	while (!sweep) {
		for (size_t i = 1; i < check_count && !sweep; i++)
			sweep = checks[i].waits ? NULL : &checks[i];
		if (!sweep)
			assert_true(sd_event_run(rig->d.loop, WAIT_US) > 0);
	}
	ended(rig, sweep, true);
	assert_true(rig->d.looks.sweep_due_ms - ft_guard_now_ms() > HOUR_MS / 2);
}

/* An event, its alert, and the timer by which its place is read once more. */
static struct ft_check *confirming(struct rig *rig, struct ft_check **ret_ready)
{
	struct ft_check *first = swept(rig);

	assert_true(first->waits);
	event(rig, 1);
	while (first->waits)
		assert_true(sd_event_run(rig->d.loop, WAIT_US) > 0);
	ended(rig, first, true);
	*ret_ready = started(rig, 3);
	assert_true((*ret_ready)->waits);
	sd_event_source_set_time(rig->d.looks.confirm_timer, 0);
	return started(rig, 4);
}

/* The place of an event is read once more: the child that waits for the next event goes on waiting. */
static void ready_stays(void **state)
{
	struct rig *rig = *state;
	struct ft_check *ready, *confirm = confirming(rig, &ready);

	assert_true(confirm->kind == FT_CHECK_REREAD && !confirm->waits && confirm->changes == 1);
	assert_true(ready->waits && !ready->left);
	ended(rig, confirm, false);
	assert_true(ready->waits && !ready->left);
	event(rig, 2);
	while (ready->waits)
		assert_true(sd_event_run(rig->d.loop, WAIT_US) > 0);
	assert_int_equal(ready->changes, 1);
}

/* An event while that is being read waits for nothing, and its reading takes both places. */
static void event_goes_first(void **state)
{
	struct rig *rig = *state;
	struct ft_check *ready, *confirm = confirming(rig, &ready);

	event(rig, 2);
	while (ready->waits)
		assert_true(sd_event_run(rig->d.loop, WAIT_US) > 0);
	assert_true(confirm->left && !ready->left);
	assert_int_equal(ready->changes, 2);
	/* It found something: a new one waits. */
	ended(rig, ready, true);
	assert_true(started(rig, 5)->waits);
}

/* Nor does an event wait for as long as that took, as it does after the reading of another event. */
static void event_follows_at_once(void **state)
{
	struct rig *rig = *state;
	struct ft_check *ready, *confirm = confirming(rig, &ready);

	confirm->begin_ms -= WAIT_US / 1000;
	ended(rig, confirm, false);
	event(rig, 2);
	while (ready->waits)
		assert_true(sd_event_run(rig->d.loop, WAIT_US / 2) > 0);
	ready->begin_ms -= WAIT_US / 1000;
	ended(rig, ready, true);
	assert_in_range(rig->d.looks.incremental_after_ms - ft_guard_now_ms(), WAIT_US / 2000, WAIT_US / 1000 * 2);
}

/* What it finds makes the copy of the child that waits old. */
static void ready_is_replaced(void **state)
{
	struct rig *rig = *state;
	struct ft_check *ready, *confirm = confirming(rig, &ready);

	ended(rig, confirm, true);
	assert_true(ready->left);
	assert_true(started(rig, 5)->waits);
}

/* The alert of an event during a sweep does not wait for what is read after the sweep. */
static void sweep_waits_for_an_event(void **state)
{
	struct rig *rig = *state;
	struct ft_check *ready = swept(rig), *sweep;
	struct ft_snapshot *known = rig->d.snapshot;

	ft_looks_sweep_in(&rig->d, 0);
	sweep = started(rig, 3);
	event(rig, 1);
	while (ready->waits)
		assert_true(sd_event_run(rig->d.loop, WAIT_US) > 0);
	assert_int_equal(told_count, 1);
	ended(rig, sweep, true);
	assert_true(!ready->left && rig->d.snapshot == known);
	assert_int_equal(told_count, 1);
	ended(rig, ready, true);
	assert_int_equal(told_count, 2);
	/* Then the place is read once more, upon what the sweep saw: it is not judged until then. */
	assert_non_null(rig->d.judged);
	assert_int_equal(started(rig, 4)->changes, 1);
	ended(rig, &checks[3], true);
	assert_int_equal(told_count, 3);
	assert_null(rig->d.judged);
}

/* A new plan in between: the place of the event is read, whatever became of its reading and of the sweep. */
static void sweep_waits_in_vain(void **state)
{
	struct rig *rig = *state;
	struct ft_check *ready = swept(rig), *sweep;

	ft_looks_sweep_in(&rig->d, 0);
	sweep = started(rig, 3);
	event(rig, 1);
	while (ready->waits)
		assert_true(sd_event_run(rig->d.loop, WAIT_US) > 0);
	ended(rig, sweep, true);
	ft_looks_judge_again(&rig->d);
	assert_true(ready->left && !rig->d.looks.swept);
	while (check_count < 5)
		assert_true(sd_event_run(rig->d.loop, WAIT_US) > 0);
	assert_int_equal(checks[3].kind == FT_CHECK_REREAD ? checks[3].changes : checks[4].changes, 1);
}

int main(void)
{
#define ROW(test) cmocka_unit_test_setup_teardown(test, rig_begin, rig_end)
	const struct CMUnitTest tests[] = {
		ROW(sweeps_keep_their_distance), ROW(sweep_follows_at_once), ROW(ready_stays),
		ROW(event_goes_first),		 ROW(event_follows_at_once), ROW(ready_is_replaced),
		ROW(sweep_waits_for_an_event),	 ROW(sweep_waits_in_vain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
