/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/source.h"

#include <ctype.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe/confine.h"
#include "probe/fabric.h"
#include "probe/guard.h"
#include "probe/port.h"
#include "probe/progress.h"
#include "probe/routes.h"
#include "probe/snapshot_build.h"
#include "probe/discovery.h"

enum {
	/* For handing the snapshot over and ending, out of the deadline: a tenth, but at most this. */
	RESERVE_MS = 2000,
	/* Twice as many as there are LIDs for (IBTA Vol 1, 4.1.1), and more ports than these can have cables. */
	NODES_MAX = 2 * 0xbfff,
	PORTS_MAX = 1000 * 1000,
	/*
	 * Memory in bytes: of libibnetdisc's records and its queries on the wire (43 MB for 13,284 nodes with 69,984
	 * ports); and of the survey and the snapshot, each of which may take twice its size while it grows.
	 */
	DISCOVER_SHARE = 60, /* of the time, in hundredths: to do it all again without libibnetdisc takes less */
	DISCOVER_BASE = 16 << 20,
	DISCOVER_A_PORT = 450,
	DISCOVER_A_NODE = 400,
	OWN_BASE = 16 << 20,
	OWN_A_PORT = 400,
	OWN_A_NODE = 1000,
};

const struct ft_sweep_options ft_sweep_defaults = {
	.timeout_ms = 1000,
	.max_smps_per_switch = 4,
	.retries = 3,
	.deadline_ms = 60000,
};

/* What begins the survey; what is missing then, ft_discover() asks for. Works in a process of its own. */
typedef int engine_discover(const struct ft_sweep_options *options, struct ft_port_choice *from,
			    struct ft_survey *survey, struct ft_smp_count *ret_count);

static engine_discover libibnetdisc_discover;

static const struct engine {
	const char *name;
	engine_discover *discover; /* NULL: it begins with nothing */
	unsigned int max_smps;
} engines[FT_ENGINE_COUNT] = {
	[FT_ENGINE_AUTO] = {"auto", NULL, 0},
	/* Its window is fixed: what a shallow VL15 bears as a rule. */
	[FT_ENGINE_LIBIBNETDISC] = {"libibnetdisc", libibnetdisc_discover, 16},
	/* An upper end of a window that finds its size. */
	[FT_ENGINE_LIBIBUMAD] = {"libibumad", NULL, 64},
};

const char *ft_engine_name(enum ft_engine engine)
{
	return engines[engine].name;
}

enum ft_engine ft_engine_find(const char *name)
{
	enum ft_engine engine = 0;

	while (engine < FT_ENGINE_COUNT && strcmp(engines[engine].name, name) != 0)
		engine++;
	return engine;
}

static const char *const engine_reasons[FT_ENGINE_REASONS] = {
	[FT_ENGINE_SMALL] = "the plan is small (fewer than 1000 nodes)",
	[FT_ENGINE_LARGE] = "the plan is large (1000 nodes or more)",
	[FT_ENGINE_LIMITED] = "the packets per second are limited",
	[FT_ENGINE_FAILED] = "the sweep before, by libibumad, failed",
	[FT_ENGINE_INCOMPLETE] = "the sweep before, by libibumad, could not see everything",
};

const char *ft_engine_reason_text(enum ft_engine_reason reason)
{
	_Static_assert(FT_SWEEP_LARGE == 1000, "the texts say so");

	return engine_reasons[reason];
}

enum ft_engine ft_sweep_engine(const struct ft_sweep_options *options, enum ft_engine_reason *ret_reason)
{
	bool large = options->planned_nodes >= FT_SWEEP_LARGE;

	*ret_reason = FT_ENGINE_SAID;
	if (options->engine != FT_ENGINE_AUTO)
		return options->engine;
	if (options->max_smps_per_second > 0) {
		*ret_reason = FT_ENGINE_LIMITED;
		return FT_ENGINE_LIBIBUMAD;
	}
	if (large && options->after != FT_ENGINE_SAID) {
		*ret_reason = options->after;
		return FT_ENGINE_LIBIBNETDISC;
	}
	*ret_reason = large ? FT_ENGINE_LARGE : FT_ENGINE_SMALL;
	return large ? FT_ENGINE_LIBIBUMAD : FT_ENGINE_LIBIBNETDISC;
}

/* What sweeps, where nobody needs to know why. */
static const struct engine *engine_of(const struct ft_sweep_options *options)
{
	enum ft_engine_reason reason;

	return &engines[ft_sweep_engine(options, &reason)];
}

int ft_m_key_read(const char *text, uint64_t *ret_key)
{
	bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hexadecimal ? text + 2 : text;
	unsigned long long key;
	char *end;

	/* strtoull() takes blanks and signs, too. */
	if (!isxdigit((unsigned char)digits[0]))
		return -EINVAL;
	errno = 0;
	key = strtoull(digits, &end, hexadecimal ? 16 : 10);
	if (errno || *end)
		return -EINVAL;
	*ret_key = key;
	return 0;
}

unsigned int ft_sweep_max_smps(const struct ft_sweep_options *options)
{
	return options->max_smps ? options->max_smps : engine_of(options)->max_smps;
}

static uint32_t max_nodes(const struct ft_sweep_options *options)
{
	return options->max_nodes ? options->max_nodes : NODES_MAX;
}

static uint32_t max_ports(const struct ft_sweep_options *options)
{
	return options->max_ports ? options->max_ports : PORTS_MAX;
}

static size_t discover_memory(const struct ft_sweep_options *options)
{
	return DISCOVER_BASE + (size_t)max_ports(options) * DISCOVER_A_PORT +
	       (size_t)max_nodes(options) * DISCOVER_A_NODE;
}

size_t ft_sweep_memory(const struct ft_sweep_options *options)
{
	return discover_memory(options) + OWN_BASE + (size_t)max_ports(options) * OWN_A_PORT +
	       (size_t)max_nodes(options) * OWN_A_NODE;
}

static int check_port_opens(const struct ft_port_choice *from, struct ft_error *err)
{
	int fd = umad_open_port(from->ca, from->port);

	if (fd < 0)
		return ft_port_explain_closed(from->ca, from->port, err);
	umad_close_port(fd);
	return 0;
}

static void fabric_destroyp(ibnd_fabric_t **fabric)
{
	if (*fabric)
		ibnd_destroy_fabric(*fabric);
}

static int libibnetdisc_discover(const struct ft_sweep_options *options, struct ft_port_choice *from,
				 struct ft_survey *survey, struct ft_smp_count *ret_count)
{
	_cleanup_(fabric_destroyp) ibnd_fabric_t *fabric = NULL;
	struct ibnd_config config = {
		.max_smps = ft_sweep_max_smps(options),
		.timeout_ms = options->timeout_ms,
		.retries = options->retries,
		.flags = IBND_CONFIG_MLX_EPI,
		.mkey = options->m_key,
	};
	int r;

	fabric = ibnd_discover_fabric(from->ca, from->port, NULL, &config);
	/* It gives up altogether where its first packets are lost, or an answer comes that it does not expect. */
	if (!fabric)
		return 0;
	r = ft_fabric_survey(fabric, survey);
	if (r < 0)
		return r;
	ft_progress_nodes(options->progress, (uint32_t)survey->node_count);
	ret_count->mads = fabric->total_mads_used;
	return 0;
}

struct ft_scheduler_options ft_sweep_ask_options(const struct ft_sweep_options *options,
						 const struct ft_port_choice *from, int64_t end_ms)
{
	return (struct ft_scheduler_options){
		.ca = from->ca,
		.port = from->port,
		.m_key = options->m_key,
		.timeout_ms = options->timeout_ms,
		.max_smps = ft_sweep_max_smps(options),
		.max_smps_per_target = options->max_smps_per_switch,
		.max_smps_per_second = options->max_smps_per_second,
		.retries = options->retries,
		.progress = options->progress,
		.end_ms = end_ms,
	};
}

/* The same, with time left for the rest. */
static struct ft_scheduler_options asking_options(const struct ft_sweep_options *options,
						  const struct ft_port_choice *from, int64_t end_ms)
{
	int64_t tenth_ms = (end_ms - ft_guard_now_ms()) / 10;

	return ft_sweep_ask_options(options, from, end_ms - (tenth_ms < RESERVE_MS ? tenth_ms : RESERVE_MS));
}

static int walk(const struct ft_sweep_options *options, const struct ft_port_choice *from, int64_t end_ms,
		struct ft_survey *survey, struct ft_smp_count *count, struct ft_error *err)
{
	struct ft_scheduler_options asking = asking_options(options, from, end_ms);
	struct ft_smp_count more = {0};
	int r;

	r = ft_discover(survey, &asking, &more, err);
	count->mads += more.mads;
	count->timeouts += more.timeouts;
	return r;
}

/* In a child of the sweep's process. */
static int discover_work(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	const struct ft_sweep_options *options = arg;
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	struct ft_smp_count count = {0};
	struct ft_port_choice from;
	int r;

	(void)end_ms;
	ft_confine();
	survey.max_nodes = max_nodes(options);
	survey.max_ports = max_ports(options);
	survey.planned_switches = options->planned_switches;
	r = ft_port_choose(options->ca, options->port, &from, err);
	if (r == 0)
		r = engine_of(options)->discover(options, &from, &survey, &count);
	if (r < 0)
		return r;
	ft_text_add(&result->text, (const char *)&count, sizeof(count));
	ft_survey_pack(&result->text, &survey);
	return 0;
}

/*
 * Runs libibnetdisc. It has no limit of its own: on a malicious device that pretends to be any number of switches it
 * takes all memory, and crashes when that is exhausted. So it has a process of its own, and discovery continues from
 * its result, or from nothing if it failed. It runs before this process has used libibumad: a simulator's library keeps
 * descriptors that a child does not have.
 */
static int discover(const struct ft_sweep_options *options, int64_t end_ms, struct ft_survey *survey,
		    struct ft_smp_count *ret_count)
{
	int64_t left_ms = end_ms - ft_guard_now_ms();
	const struct ft_guard guard = {
		.what = "libibnetdisc",
		.deadline_ms = left_ms > 0 ? (unsigned int)(left_ms * DISCOVER_SHARE / 100) : 0,
		.memory = discover_memory(options),
	};
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	struct ft_smp_count count = {0};
	int r;

	if (!engine_of(options)->discover)
		return 0;
	r = ft_guard_run(&guard, discover_work, options, &result, NULL);
	if (r < 0 || result.text.length < sizeof(count))
		return r == -ENOMEM ? r : 0;
	memcpy(&count, result.text.data, sizeof(count));
	r = ft_survey_unpack(result.text.data + sizeof(count), result.text.length - sizeof(count), survey);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	*ret_count = count;
	ret_count->timeouts += result.timeouts;
	return 0;
}

static int survey_fabric(const struct ft_sweep_options *options, struct ft_port_choice *from, int64_t end_ms,
			 struct ft_survey *survey, struct ft_smp_count *count, struct ft_error *err)
{
	int r = 0;

	if (engine_of(options)->discover && survey->node_count == 0)
		r = check_port_opens(from, err);
	if (r == 0)
		r = walk(options, from, end_ms, survey, count, err);
	if (r == 0 && survey->node_count == 0)
		return ft_error_set(err, -EIO, 0, 0, "%s port %d does not answer itself", from->ca, from->port);
	return r;
}

int ft_sweep_options_check(const struct ft_sweep_options *options, struct ft_error *err)
{
	/* libibnetdisc takes 0 for its own default, and the kernel counts milliseconds in an int. */
	if (options->timeout_ms == 0 || options->timeout_ms > 1000000)
		return ft_error_set(err, -EINVAL, 0, 0, "the time-out has to be from 1 to 1000000 ms");
	if (options->max_smps > 1024)
		return ft_error_set(err, -EINVAL, 0, 0, "the number of SMPs on the wire has to be from 1 to 1024");
	if (options->max_smps_per_switch == 0 || options->max_smps_per_switch > 1024)
		return ft_error_set(err, -EINVAL, 0, 0, "the number of SMPs per switch has to be from 1 to 1024");
	if (options->max_smps_per_second > 0 && engine_of(options) == &engines[FT_ENGINE_LIBIBNETDISC])
		return ft_error_set(err, -EINVAL, 0, 0,
				    "libibnetdisc cannot be held to a number of SMPs per second: use the engine %s",
				    engines[FT_ENGINE_LIBIBUMAD].name);
	if (options->retries > 100)
		return ft_error_set(err, -EINVAL, 0, 0, "the number of retries has to be up to 100");
	if (options->port < 0 || options->port > 254)
		return ft_error_set(err, -EINVAL, 0, 0, "no port has the number %d", options->port);
	if (options->ca && (options->ca[0] == '\0' || strlen(options->ca) >= UMAD_CA_NAME_LEN))
		return ft_error_set(err, -EINVAL, 0, 0, "no device has the name \"%s\"", options->ca);
	return 0;
}

/* @ret_routes  the forwarding tables; NULL: not needed */
static int sweep_here(const struct ft_sweep_options *options, int64_t end_ms, struct ft_snapshot **ret_snapshot,
		      struct ft_routes **ret_routes, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	int64_t began_ms = ft_guard_now_ms();
	struct ft_smp_count count = {0};
	char detail[UMAD_CA_NAME_LEN + 32];
	struct ft_port_choice from;
	int r;

	survey.max_nodes = max_nodes(options);
	survey.max_ports = max_ports(options);
	survey.planned_switches = options->planned_switches;
	ft_progress_enter(options->progress, FT_PHASE_SWEEP, 0);
	r = ft_sweep_options_check(options, err);
	if (r == 0)
		r = discover(options, end_ms, &survey, &count);
	/* From here on no process is started any more. */
	ft_confine();
	if (r == 0)
		r = ft_port_choose(options->ca, options->port, &from, err);
	if (r == 0)
		r = survey_fabric(options, &from, end_ms, &survey, &count, err);
	if (r == 0)
		r = ft_survey_snapshot(&survey, &snapshot, err);
	if (r < 0)
		return r;
	snprintf(detail, sizeof(detail), "%s port %d", from.ca, from.port);
	r = ft_snapshot_set_detail(snapshot, detail);
	if (r < 0)
		return r;
	snapshot->source.engine = ft_sweep_engine(options, &snapshot->source.engine_reason);
	snapshot->source.mads = count.mads;
	snapshot->source.timeouts = count.timeouts;
	snapshot->source.time_s = time(NULL);
	snapshot->source.duration_ms = (uint32_t)(ft_guard_now_ms() - began_ms);
	if (ret_routes) {
		struct ft_scheduler_options asking = asking_options(options, &from, end_ms);

		ft_progress_enter(options->progress, FT_PHASE_ROUTES, 0);
		r = ft_routes_ask(&survey, snapshot, &asking, ret_routes, err);
		if (r < 0)
			return r;
	}
	*ret_snapshot = FT_STEAL(snapshot);
	return 0;
}

int ft_sweep_here(const struct ft_sweep_options *options, int64_t end_ms, struct ft_snapshot **ret_snapshot,
		  struct ft_error *err)
{
	return sweep_here(options, end_ms, ret_snapshot, NULL, err);
}

/* In the child. */
static int sweep_work(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	return ft_sweep_here(arg, end_ms, &result->snapshot, err);
}

/* The same, with the forwarding tables as the text of the result. */
static int sweep_routes_work(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	_cleanup_(ft_routes_freep) struct ft_routes *routes = NULL;
	int r;

	r = sweep_here(arg, end_ms, &result->snapshot, &routes, err);
	if (r == 0)
		ft_routes_pack(&result->text, routes);
	return r;
}

static int sweep_guard(const struct ft_sweep_options *options, struct ft_guard *ret_guard, struct ft_error *err)
{
	int r = ft_sweep_options_check(options, err);

	if (r < 0)
		return r;
	if (options->deadline_ms == 0)
		return ft_error_set(err, -EINVAL, 0, 0, "the deadline has to be later than now");
	*ret_guard = (struct ft_guard){
		.what = "the sweep", .deadline_ms = options->deadline_ms, .memory = ft_sweep_memory(options)};
	return 0;
}

/* ---- once more ---- */

/*
 * True if libibnetdisc is to sweep again: it was for us to choose, and the sweep by libibumad failed, though not for
 * want of time, memory or a port; or it could not see everything, and one SMP in a hundred was lost, more than those
 * that a device which never answers is sent.
 */
static bool again_by_libibnetdisc(const struct ft_sweep_options *options, int r, const struct ft_snapshot *snapshot,
				  enum ft_engine_reason *ret_after)
{
	enum { LOST_SHARE = 100 };
	enum ft_engine_reason reason;

	if (ft_sweep_engine(options, &reason) != FT_ENGINE_LIBIBUMAD || reason != FT_ENGINE_LARGE)
		return false;
	if (r < 0) {
		*ret_after = FT_ENGINE_FAILED;
		return r != -ENODEV && r != -EINVAL && r != -ENOMEM && r != -ETIMEDOUT;
	}
	*ret_after = FT_ENGINE_INCOMPLETE;
	return !snapshot->source.complete && (uint64_t)snapshot->source.timeouts * LOST_SHARE >= snapshot->source.mads;
}

static int sweep_once(const struct ft_sweep_options *options, bool routes, struct ft_guard_result *result,
		      struct ft_error *err)
{
	struct ft_guard guard;
	int r;

	r = sweep_guard(options, &guard, err);
	if (r == 0)
		r = ft_guard_run(&guard, routes ? sweep_routes_work : sweep_work, options, result, err);
	if (r == 0 && !result->snapshot)
		r = ft_error_set(err, -EIO, 0, 0, "%s sent no snapshot", guard.what);
	return r;
}

/* The result of the second sweep where there are two, unless only the first came to an end. */
static int sweep_run(const struct ft_sweep_options *options, bool routes, struct ft_guard_result *result,
		     struct ft_error *err)
{
	_cleanup_(ft_guard_result_release) struct ft_guard_result second = {0};
	int64_t began_ms = ft_guard_now_ms(), left_ms;
	struct ft_sweep_options again = *options;
	int r, r_again;

	r = sweep_once(options, routes, result, err);
	if (!again_by_libibnetdisc(options, r, result->snapshot, &again.after))
		return r;
	left_ms = began_ms + options->deadline_ms - ft_guard_now_ms();
	if (left_ms <= 0)
		return r;
	again.deadline_ms = (unsigned int)left_ms;
	r_again = sweep_once(&again, routes, &second, NULL);
	if (r_again < 0)
		return r;
	ft_guard_result_release(result);
	*result = second;
	second = (struct ft_guard_result){0};
	return 0;
}

int ft_sweep(const struct ft_sweep_options *options, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	int r = sweep_run(options, false, &result, err);

	if (r == 0)
		*ret_snapshot = FT_STEAL(result.snapshot);
	return r;
}

int ft_sweep_routes(const struct ft_sweep_options *options, struct ft_snapshot **ret_snapshot,
		    struct ft_routes **ret_routes, struct ft_error *err)
{
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	int r = sweep_run(options, true, &result, err);

	if (r == 0)
		r = ft_routes_unpack(result.text.data, result.text.length, result.snapshot->node_count, ret_routes,
				     err);
	if (r == 0)
		*ret_snapshot = FT_STEAL(result.snapshot);
	return r;
}
