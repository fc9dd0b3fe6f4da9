/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Where snapshots come from, as far as it goes without a fabric: options, the guarded child and all that can become of
 * it, what SMPs are decoded to, libibnetdisc's partial fabrics, and its cache files whole and damaged.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <infiniband/mad.h>

#include "base/sanitized.h"
#include "probe/device.h"
#include "probe/fabric.h"
#include "probe/guard.h"
#include "probe/names.h"
#include "probe/snapshot_build.h"
#include "probe/source.h"
#include "probe/survey.h"
#include "tests/allocations.h"
#include "tests/skipped.h"

enum {
	SHORT_MS = 300,	  /* the deadline of work that hangs */
	LONG_MS = 20000,  /* of work that does not */
	SLACK_MS = 10000, /* for a busy machine, on top of a deadline */
	RESULT_FD = 3,
};

/* One snapshot of one switch with one port that is down. */
static struct ft_snapshot *make_snapshot(const char *description)
{
	_cleanup_(ft_builder_freep) struct ft_builder *builder = NULL;
	struct ft_snapshot *snapshot = NULL;
	uint32_t node;

	assert_int_equal(ft_builder_new(&builder), 0);
	assert_int_equal(ft_builder_add_node(builder,
					     &(struct ft_build_node){.guid = 0x1234,
								     .type = FT_NODE_SWITCH,
								     .description = description,
								     .description_length = strlen(description),
								     .port_count = 1,
								     .port_count_known = true},
					     &node),
			 0);
	assert_int_equal(ft_builder_add_port(builder, node, &(struct ft_build_port){.number = 1, .link = FT_LINK_DOWN}),
			 0);
	assert_int_equal(ft_builder_finish(builder, &snapshot, NULL, NULL), 0);
	return snapshot;
}

/* Options. */

struct option_case {
	const char *name;
	struct ft_sweep_options options;
	const char *text;
};

#define GOOD .timeout_ms = 1000, .max_smps = 16, .max_smps_per_switch = 4, .retries = 3, .deadline_ms = 1000

static const struct option_case option_cases[] = {
	{"time-out 0",
	 {.max_smps = 16, .retries = 3, .deadline_ms = 1000},
	 "the time-out has to be from 1 to 1000000 ms"},
	{"time-out beyond an int of microseconds",
	 {.timeout_ms = 1000001, .max_smps = 16, .deadline_ms = 1000},
	 "the time-out has to be from 1 to 1000000 ms"},
	{"no SMP for a switch",
	 {.timeout_ms = 1000, .deadline_ms = 1000},
	 "the number of SMPs per switch has to be from 1 to 1024"},
	{"too many SMPs for a switch",
	 {.timeout_ms = 1000, .max_smps_per_switch = 1025, .deadline_ms = 1000},
	 "the number of SMPs per switch has to be from 1 to 1024"},
	{"libibnetdisc keeps no pace",
	 {GOOD, .engine = FT_ENGINE_LIBIBNETDISC, .max_smps_per_second = 1},
	 "libibnetdisc cannot be held to a number of SMPs per second: use the engine libibumad"},
	{"too many SMPs on the wire",
	 {.timeout_ms = 1000, .max_smps = 1025, .deadline_ms = 1000},
	 "the number of SMPs on the wire has to be from 1 to 1024"},
	{"too many retries",
	 {.timeout_ms = 1000, .max_smps = 1, .max_smps_per_switch = 4, .retries = 101, .deadline_ms = 1000},
	 "the number of retries has to be up to 100"},
	{"no time",
	 {.timeout_ms = 1000, .max_smps = 1, .max_smps_per_switch = 4},
	 "the deadline has to be later than now"},
	{"port beyond 254", {GOOD, .port = 255}, "no port has the number 255"},
	{"port below 0", {GOOD, .port = -1}, "no port has the number -1"},
	{"no device name", {GOOD, .ca = ""}, "no device has the name \"\""},
	{"device name too long",
	 {GOOD, .ca = "mlx5_12345678901234567890"},
	 "no device has the name \"mlx5_12345678901234567890\""},
};

/* ---- what sweeps ---- */

static const struct engine_case {
	const char *name;
	struct ft_sweep_options options;
	enum ft_engine engine;
	const char *why;
} engine_cases[] = {
	{"no plan", {0}, FT_ENGINE_LIBIBNETDISC, "the plan is small (fewer than 1000 nodes)"},
	{"a small plan", {.planned_nodes = 999}, FT_ENGINE_LIBIBNETDISC, "the plan is small (fewer than 1000 nodes)"},
	{"a large plan", {.planned_nodes = 1000}, FT_ENGINE_LIBIBUMAD, "the plan is large (1000 nodes or more)"},
	{"a limit of packets", {.max_smps_per_second = 1}, FT_ENGINE_LIBIBUMAD, "the packets per second are limited"},
	{"a large plan after a failure",
	 {.planned_nodes = 1000, .after = FT_ENGINE_FAILED},
	 FT_ENGINE_LIBIBNETDISC,
	 "the sweep before, by libibumad, failed"},
	{"a large plan after losses",
	 {.planned_nodes = 1000, .after = FT_ENGINE_INCOMPLETE},
	 FT_ENGINE_LIBIBNETDISC,
	 "the sweep before, by libibumad, could not see everything"},
	{"a small plan after a failure",
	 {.planned_nodes = 999, .after = FT_ENGINE_FAILED},
	 FT_ENGINE_LIBIBNETDISC,
	 "the plan is small (fewer than 1000 nodes)"},
	{"a limit of packets after a failure",
	 {.planned_nodes = 1000, .after = FT_ENGINE_FAILED, .max_smps_per_second = 1},
	 FT_ENGINE_LIBIBUMAD,
	 "the packets per second are limited"},
	{"libibumad for a small plan", {.engine = FT_ENGINE_LIBIBUMAD}, FT_ENGINE_LIBIBUMAD, NULL},
	{"libibnetdisc for a large plan",
	 {.engine = FT_ENGINE_LIBIBNETDISC, .planned_nodes = 30000},
	 FT_ENGINE_LIBIBNETDISC,
	 NULL},
};

static void test_engine(void **state)
{
	const struct engine_case *c = *state;
	enum ft_engine_reason reason;
	const char *why;

	assert_int_equal(ft_sweep_engine(&c->options, &reason), c->engine);
	why = ft_engine_reason_text(reason);
	assert_int_equal(!why, !c->why);
	if (why)
		assert_string_equal(why, c->why);
}

static void test_option(void **state)
{
	const struct option_case *c = *state;
	struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};

	assert_int_equal(ft_sweep(&c->options, &snapshot, &err), -EINVAL);
	assert_string_equal(err.text, c->text);
	assert_null(snapshot);
}

static void test_no_device(void **state)
{
	struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};

	(void)state;
	if (access("/sys/class/infiniband", F_OK) == 0)
		skip_for("this machine has an InfiniBand device");
	assert_int_equal(ft_sweep(&ft_sweep_defaults, &snapshot, &err), -ENODEV);
	assert_non_null(strstr(err.text, "no InfiniBand device found"));
}

/* Machines on which no management packet can be sent: their files, and what is said. */
static const struct machine_case {
	const char *name;
	struct {
		const char *path, *text;
	} files[6];
	const char *ca;
	bool closed; /* it has that device, whose port 1 does not open */
	bool nobody; /* as an unprivileged user */
	const char *said;
} machine_cases[] = {
	{"no adapter",
	 {{NULL, NULL}},
	 NULL,
	 false,
	 false,
	 "no InfiniBand device found: /sys/class/infiniband is empty, so this machine has no adapter, or its drivers "
	 "are not loaded (as root: modprobe -a mlx5_ib ib_umad)"},
	{"no adapter, one asked for",
	 {{NULL, NULL}},
	 "mlx5_0",
	 false,
	 false,
	 "no InfiniBand device found, so no mlx5_0: /sys/class/infiniband is empty, so this machine has no adapter, or "
	 "its drivers are not loaded (as root: modprobe -a mlx5_ib ib_umad)"},
	{"a simulator",
	 {{"/proc/net/unix", "Num RefCount\n0: 00000002 00000000 00000000 0002 03 463587 @sim:ctl@@@@@\n"}},
	 NULL,
	 false,
	 false,
	 "no InfiniBand device found; a simulator runs here: put ibsim-run in front of the command"},
	{"an adapter of another kind",
	 {{"/sys/class/infiniband/efa_0/node_type", "7: unspecified\n"}},
	 NULL,
	 false,
	 false,
	 "no InfiniBand device found: those in /sys/class/infiniband are of other kinds (iWARP, EFA, ...)"},
	{"no module",
	 {{"/sys/class/infiniband/mlx5_0/node_type", "1: CA\n"}},
	 "mlx5_0",
	 true,
	 false,
	 "cannot open mlx5_0 port 1 for management packets: the kernel module ib_umad is not loaded; as root: modprobe "
	 "ib_umad"},
	{"no umad device",
	 {{"/sys/class/infiniband_mad/abi_version", "5\n"},
	  {"/sys/class/infiniband_mad/umad0/ibdev", "mlx5_0\n"},
	  {"/sys/class/infiniband_mad/umad0/port", "2\n"}},
	 "mlx5_0",
	 true,
	 false,
	 "cannot open mlx5_0 port 1 for management packets: it has no umad device in /sys/class/infiniband_mad"},
	{"a container without the device",
	 {{"/sys/class/infiniband_mad/abi_version", "5\n"},
	  {"/sys/class/infiniband_mad/umad3/ibdev", "mlx5_0\n"},
	  {"/sys/class/infiniband_mad/umad3/port", "1\n"}},
	 "mlx5_0",
	 true,
	 false,
	 "cannot open mlx5_0 port 1 for management packets: /dev/infiniband/umad3 is missing (a container has to be "
	 "given "
	 "it)"},
	{"no permission",
	 {{"/sys/class/infiniband_mad/abi_version", "5\n"},
	  {"/sys/class/infiniband_mad/umad3/ibdev", "mlx5_0\n"},
	  {"/sys/class/infiniband_mad/umad3/port", "1\n"},
	  {"/dev/infiniband/umad3", ""}},
	 "mlx5_0",
	 true,
	 true,
	 "cannot open mlx5_0 port 1 for management packets: no permission for /dev/infiniband/umad3: run this as root"},
	{"a device that fails",
	 {{"/sys/class/infiniband_mad/abi_version", "5\n"},
	  {"/sys/class/infiniband_mad/umad3/ibdev", "mlx5_0\n"},
	  {"/sys/class/infiniband_mad/umad3/port", "1\n"},
	  {"/dev/infiniband/umad3", ""}},
	 "mlx5_0",
	 true,
	 false,
	 "cannot open mlx5_0 port 1 for management packets: /dev/infiniband/umad3 does not open"},
};

/* Node name maps, and what three nodes are called by them: 0x11, 0x12 and 0x13 of the names "a", "b" and "c". */
static const struct map_case {
	const char *name, *map;
	const char *said; /* the three names, or the error */
} map_cases[] = {
	{"an empty map", "", "a|b|c"},
	{"quoted names", "0x11 \"leaf 1\"\n0x12\t\"leaf 2\" # the second\n", "leaf 1|leaf 2|c"},
	{"names without quotes", "0x11 leaf 1  # the first\n 0x12 leaf2", "leaf 1|leaf2|c"},
	{"decimal, capitals, zeros", "17 x\n0X0000000000000012 y\n", "x|y|c"},
	{"comments and empty lines", "# 0x11 x\n\n  \t\r\n  # 0x12 y\n0x13 z\r\n", "a|b|z"},
	{"a # in a name", "0x11 \"leaf #1\"\n", "leaf #1|b|c"},
	{"the first line of a GUID holds", "0x11 x\n0x11 y\n", "x|b|c"},
	{"no name", "0x11\n0x12 # none\n0x13 \"\"\n", "a|b|c"},
	{"a comment right behind a GUID", "0x11# none\n", "a|b|c"},
	{"a mark of UTF-8",
	 "\xef\xbb\xbf"
	 "0x11 x",
	 "x|b|c"},
	{"GUIDs of others", "0x99 x\n", "a|b|c"},
	{"no GUID", "0x11 x\nleaf1 0x12\n",
	 "2:1: a line begins with a GUID such as 0x0002c90300001234, and its name follows"},
	{"a GUID and something", "\t0x11g x\n",
	 "1:2: a line begins with a GUID such as 0x0002c90300001234, and its name follows"},
	{"nothing behind 0x", "0x x\n",
	 "1:1: a line begins with a GUID such as 0x0002c90300001234, and its name follows"},
	{"a negative GUID", "-1 x\n",
	 "1:1: a line begins with a GUID such as 0x0002c90300001234, and its name follows"},
	{"a GUID of 68 bits", "0x10000000000000000 x\n", "1:1: a GUID has no more than 64 bits"},
	{"a decimal GUID of 65 bits", "18446744073709551616 x\n", "1:1: a GUID has no more than 64 bits"},
	{"an open quotation", "0x11 \"x\n", "1:6: the name that begins here has no closing quotation mark"},
};

static void test_map(void **state)
{
	const struct map_case *c = *state;
	_cleanup_(ft_names_freep) struct ft_names *names = NULL;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	_cleanup_(ft_text_release) struct ft_text said = {0};
	_cleanup_(ft_builder_freep) struct ft_builder *builder = NULL;
	static const char *const own[] = {"a", "b", "c"};
	struct ft_error err = {0};
	uint32_t node;

	assert_int_equal(ft_builder_new(&builder), 0);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(ft_builder_add_node(builder,
						     &(struct ft_build_node){.guid = 0x11 + i,
									     .type = FT_NODE_SWITCH,
									     .description = own[i],
									     .description_length = 1},
						     &node),
				 0);
	assert_int_equal(ft_builder_finish(builder, &snapshot, NULL, NULL), 0);
	if (ft_names_read(c->map, strlen(c->map), &names, &err) < 0) {
		assert_null(names);
		ft_text_printf(&said, "%u:%u: %s", err.line, err.column, err.text);
	} else {
		assert_int_equal(ft_names_apply(names, snapshot), 0);
		assert_int_equal(ft_snapshot_check(snapshot, &err), 0);
		for (uint32_t i = 0; i < 3; i++) {
			_cleanup_free_ char *safe = ft_names_safe_dup(names, snapshot, &snapshot->nodes[i]);

			assert_string_equal(safe, ft_node_description(snapshot, &snapshot->nodes[i]));
			ft_text_printf(&said, "%s%s", i > 0 ? "|" : "", safe);
		}
	}
	assert_string_equal(ft_text_string(&said), c->said);
}

static void machine_file_make(const char *root, const char *path, const char *text)
{
	char name[512];
	FILE *file;

	snprintf(name, sizeof(name), "%s%s", root, path);
	for (char *slash = strchr(name + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(mkdir(name, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
	file = fopen(name, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(name, strstr(path, "/dev/") ? 0600 : 0644), 0);
}

static int machine_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void test_machine(void **state)
{
	const struct machine_case *c = *state;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	const char *parent = getenv("TMPDIR");
	char root[256];
	bool privileged = geteuid() == 0;

	snprintf(root, sizeof(root), "%s/ftcheck-machine.XXXXXX", parent ? parent : P_tmpdir);
	assert_non_null(mkdtemp(root));
	assert_int_equal(chmod(root, 0755), 0);
	for (size_t i = 0; i < FT_COUNT(c->files) && c->files[i].path; i++)
		machine_file_make(root, c->files[i].path, c->files[i].text);
	if (c->nobody && privileged)
		assert_int_equal(seteuid(65534), 0);
	if (c->nobody && !privileged) {
		char device[sizeof(root) + 32];

		snprintf(device, sizeof(device), "%s/dev/infiniband/umad3", root);
		assert_int_equal(chmod(device, 0), 0);
	}
	if (c->closed)
		ft_device_explain_closed(root, c->ca, 1, &text);
	else
		ft_device_explain_none(root, c->ca, &text);
	if (c->nobody && privileged)
		assert_int_equal(seteuid(0), 0);
	nftw(root, machine_remove, 8, FTW_DEPTH | FTW_PHYS);
	assert_string_equal(ft_text_string(&text), c->said);
}

/* What can become of a child. */

static int work_good(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	(void)err;
	assert_true(end_ms > ft_guard_now_ms());
	result->snapshot = make_snapshot(arg ? arg : "good");
	return 0;
}

static int work_refuses(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	(void)arg;
	(void)end_ms;
	(void)result;
	fprintf(stderr, "this is not asked for\n");
	return ft_error_set(err, -ENODEV, 0, 0, "no port at all");
}

static int work_hangs(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	(void)arg;
	(void)result;
	(void)err;
	/* Not even these make it stop, nor go unheard. */
	signal(SIGTERM, SIG_IGN);
	fprintf(stderr, "./libibnetdisc/query_smp.c:186; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status "
			"110; Connection timed out\n");
	while (end_ms > 0)
		pause();
	return 0;
}

static int work_spins(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	(void)arg;
	(void)result;
	(void)err;
	while (end_ms > 0)
		fprintf(stderr, "again and again and again and again and again and again and again and again\n");
	return 0;
}

static int work_segfaults(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	(void)arg;
	(void)end_ms;
	(void)result;
	(void)err;
	/* Sanitizers catch the signal otherwise. */
	signal(SIGSEGV, SIG_DFL);
	fprintf(stderr, "./libibnetdisc/query_smp.c:166; umad_recv failed: -5\n"
			"./libibnetdisc/query_smp.c:186; umad (x) bad status 110; Connection timed out\n");
	raise(SIGSEGV);
	return 0;
}

static int work_is_killed(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	(void)arg;
	(void)end_ms;
	(void)result;
	(void)err;
	raise(SIGKILL);
	return 0;
}

static int work_aborts(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	(void)arg;
	(void)end_ms;
	(void)result;
	(void)err;
	signal(SIGABRT, SIG_DFL);
	fprintf(stderr, "free(): double free detected in tcache 2\n");
	abort();
}

static int work_exits(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	(void)arg;
	(void)end_ms;
	(void)result;
	(void)err;
	fprintf(stderr, "ibwarn: [4711] mad_rpc_open_port: can't open \033[31mUMAD port\n");
	_exit(7);
}

static int work_sends_nothing(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	(void)arg;
	(void)end_ms;
	(void)result;
	(void)err;
	_exit(0);
}

static int work_sends_garbage(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	char garbage[4096];

	(void)arg;
	(void)end_ms;
	(void)result;
	(void)err;
	memset(garbage, 'x', sizeof(garbage));
	_exit(write(RESULT_FD, garbage, sizeof(garbage)) == sizeof(garbage) ? 0 : 1);
}

/* Gives its result and lives on, holding all its descriptors. */
static void linger(void)
{
	for (;;)
		pause();
}

static int work_lingers(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	atexit(linger);
	return work_good(arg, end_ms, result, err);
}

/* Says that it is well, gives half a snapshot, and crashes. */
static int work_sends_half(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	/* Beyond this many bytes into the pipe's copy, which is what a crash in the middle looks like. */
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = make_snapshot("half");
	struct {
		uint32_t magic;
		int32_t code;
		uint64_t length;
		uint32_t has_snapshot, reserved;
		char text[FT_ERROR_TEXT_SIZE];
	} head = {.magic = 0x66744732, .has_snapshot = 1};
	char whole[65536];
	ssize_t length;
	int ends[2];

	(void)arg;
	(void)end_ms;
	(void)result;
	(void)err;
	if (pipe(ends) < 0 || ft_snapshot_send(ends[1], snapshot) < 0)
		_exit(1);
	length = read(ends[0], whole, sizeof(whole));
	if (length < 2 || write(RESULT_FD, &head, sizeof(head)) < 0 || write(RESULT_FD, whole, (size_t)length / 2) < 0)
		_exit(1);
	signal(SIGBUS, SIG_DFL);
	raise(SIGBUS);
	return 0;
}

static int work_eats_memory(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	enum { BLOCKS = 4096 };
	static void *volatile blocks[BLOCKS];
	int count = 0;

	(void)arg;
	(void)end_ms;
	(void)result;
	while (count < BLOCKS) {
		blocks[count] = malloc(1 << 20);
		if (!blocks[count])
			break;
		count++;
	}
	for (int i = 0; i < count; i++)
		free(blocks[i]);
	if (count < BLOCKS)
		return ft_error_set(err, -ENOMEM, 0, 0, "no more memory");
	return ft_error_set(err, -EIO, 0, 0, "memory without limit");
}

enum { SMALL_BLOCKS = 64 };

static void *thread_allocates(void *arg)
{
	static void *volatile blocks[SMALL_BLOCKS];
	size_t *more = arg;
	size_t before = mallinfo2().hblks;

	for (int i = 0; i < SMALL_BLOCKS; i++)
		blocks[i] = malloc(100);
	*more = mallinfo2().hblks - before;
	for (int i = 0; i < SMALL_BLOCKS; i++)
		free(blocks[i]);
	return NULL;
}

/* As a simulator's library does for each packet. No block is worth pages, and a call of the kernel, of its own. */
static int work_has_a_thread(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	pthread_t thread;
	size_t more = 0;

	(void)arg;
	(void)end_ms;
	(void)result;
	if (pthread_create(&thread, NULL, thread_allocates, &more) != 0 || pthread_join(thread, NULL) != 0)
		return ft_error_set(err, -EIO, 0, 0, "no thread");
	return ft_error_set(err, -ENODEV, 0, 0, "%zu of %d blocks have pages of their own", more, SMALL_BLOCKS);
}

struct child_case {
	const char *name;
	ft_guard_work *work;
	unsigned int deadline_ms;
	size_t memory;
	int code;
	const char *text; /* the beginning of it */
	unsigned int first_ms;
};

static int work_goes_on_and_hangs(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	ft_guard_go_on();
	return work_hangs(arg, end_ms, result, err);
}

/* Longer than what may hang may take. */
static int work_takes_its_time(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	(void)arg;
	(void)result;
	ft_guard_go_on();
	while (ft_guard_now_ms() < end_ms - LONG_MS + 3 * SHORT_MS)
		poll(NULL, 0, 10);
	return ft_error_set(err, -ENODEV, 0, 0, "it came to its end");
}

static const struct child_case child_cases[] = {
	{"it refuses", work_refuses, LONG_MS, 0, -ENODEV, "no port at all", 0},
	{"it hangs", work_hangs, SHORT_MS, 0, -ETIMEDOUT,
	 "the work did not end within 0.300 s and was stopped: umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad "
	 "status 110; Connection timed out",
	 0},
	{"it hangs in its first part", work_hangs, LONG_MS, 0, -ETIMEDOUT, "the work did not end within 0.300 s and",
	 SHORT_MS},
	{"it hangs in its second part", work_goes_on_and_hangs, 3 * SHORT_MS, 0, -ETIMEDOUT,
	 "the work did not end within 0.900 s and", SHORT_MS},
	{"its second part takes longer than the first may", work_takes_its_time, LONG_MS, 0, -ENODEV,
	 "it came to its end", SHORT_MS},
	{"it prints without end", work_spins, SHORT_MS, 0, -ETIMEDOUT,
	 "the work did not end within 0.300 s and was stopped: again and again", 0},
	{"it segfaults", work_segfaults, LONG_MS, 0, -EIO,
	 "the work was ended by signal 11 (Segmentation fault): umad_recv failed: -5", 0},
	{"it is killed", work_is_killed, LONG_MS, 0, -EIO, "the work was ended by signal 9 (Killed)", 0},
	{"it aborts", work_aborts, LONG_MS, 0, -EIO,
	 "the work was ended by signal 6 (Aborted): free(): double free detected in tcache 2", 0},
	{"it exits", work_exits, LONG_MS, 0, -EIO,
	 "the work ended with status 7 and no result: can't open \\x1b[31mUMAD port", 0},
	{"it sends nothing", work_sends_nothing, LONG_MS, 0, -EIO, "the work ended with status 0 and no result", 0},
	{"it sends garbage", work_sends_garbage, LONG_MS, 0, -EIO, "the work sent a damaged result", 0},
	{"it sends half of it", work_sends_half, LONG_MS, 0, -EIO, "the work was ended by signal 7 (Bus error)", 0},
	{"it eats memory", work_eats_memory, LONG_MS, 64 << 20, -ENOMEM, "no more memory", 0},
	{"a thread of it allocates", work_has_a_thread, LONG_MS, 64 << 20, -ENODEV,
	 "0 of 64 blocks have pages of their own", 0},
};

static unsigned int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	if (!dir)
		return 0;
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* Nothing is left of it: no process, no descriptor, in time. */
static void run_guarded(const struct ft_guard *guard, ft_guard_work *work, const void *arg, int code,
			struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	unsigned int descriptors = count_descriptors();
	int64_t began_ms = ft_guard_now_ms();

	assert_int_equal(ft_guard_run_snapshot(guard, work, arg, ret_snapshot, err), code);
	assert_true(ft_guard_now_ms() - began_ms < (int64_t)guard->deadline_ms + SLACK_MS);
	assert_int_equal(count_descriptors(), descriptors);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_child(void **state)
{
	const struct child_case *c = *state;
	struct ft_guard guard = {
		.what = "the work", .deadline_ms = c->deadline_ms, .first_ms = c->first_ms, .memory = c->memory};
	struct ft_snapshot *snapshot = NULL;
	int64_t began_ms = ft_guard_now_ms();
	struct ft_error err = {0};

	/* Its malloc() ends the process instead of failing. */
	if (c->memory && FT_SANITIZED)
		skip_for("not under AddressSanitizer");
	/* It keeps limits of data to itself. */
	if (c->memory && getenv("LD_PRELOAD") && strstr(getenv("LD_PRELOAD"), "vgpreload"))
		skip_for("not under valgrind");
	run_guarded(&guard, c->work, NULL, c->code, &snapshot, &err);
	assert_true(c->code != -ETIMEDOUT || ft_guard_now_ms() - began_ms < LONG_MS);
	assert_null(snapshot);
	assert_memory_equal(err.text, c->text, strlen(c->text));
}

static void test_child_good(void **state)
{
	static const struct ft_guard guard = {.what = "the work", .deadline_ms = LONG_MS};
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};

	(void)state;
	run_guarded(&guard, work_good, "of the child's own", 0, &snapshot, &err);
	assert_int_equal(snapshot->node_count, 1);
	assert_string_equal(ft_node_description(snapshot, &snapshot->nodes[0]), "of the child's own");
	assert_int_equal(snapshot->source.timeouts, 0);
}

/* Its result counts, though it has to be killed. */
static void test_child_lingers(void **state)
{
	static const struct ft_guard guard = {.what = "the work", .deadline_ms = LONG_MS};
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	int64_t began_ms = ft_guard_now_ms();

	(void)state;
	run_guarded(&guard, work_lingers, NULL, 0, &snapshot, NULL);
	assert_int_equal(snapshot->node_count, 1);
	assert_true(ft_guard_now_ms() - began_ms < LONG_MS);
}

enum { TALK_TIMEOUTS = 20000 };

static int work_talks(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	for (int i = 0; i < TALK_TIMEOUTS; i++)
		fprintf(stderr,
			"./x.c:1; umad (DR path slid 0; dlid 0; 0,1,%d Attr 0x15:3) bad status 110; Connection "
			"timed out\nmad (DR path slid 0; dlid 0; 0,1 Attr 0xff90:3) bad status 0x1c\n",
			i);
	printf("and on standard output, without an end of line");
	return work_good(arg, end_ms, result, err);
}

static void test_child_talks(void **state)
{
	static const struct ft_guard guard = {.what = "the work", .deadline_ms = LONG_MS};
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;

	(void)state;
	run_guarded(&guard, work_talks, NULL, 0, &snapshot, NULL);
	assert_int_equal(snapshot->source.timeouts, TALK_TIMEOUTS);
}

/* What the parent has not flushed yet is written once, and the child sees none of the parent's descriptors. */
static int work_looks_around(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	const int *theirs = arg;

	if (fcntl(*theirs, F_GETFD) != -1 || getpgrp() != getpid())
		return -EPERM;
	return work_good(NULL, end_ms, result, err);
}

static void test_child_is_apart(void **state)
{
	static const struct ft_guard guard = {.what = "the work", .deadline_ms = LONG_MS};
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	FILE *file = tmpfile();
	int fd;

	(void)state;
	assert_non_null(file);
	fprintf(file, "once");
	/* A number that the child has no use for. */
	fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 100);
	assert_true(fd >= 100);
	run_guarded(&guard, work_looks_around, &fd, 0, &snapshot, NULL);
	assert_int_equal(fflush(file), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 4);
	close(fd);
	fclose(file);
}

/* Without waiting. */

static int work_writes(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	(void)end_ms;
	(void)err;
	/* More than a pipe holds, and any bytes. */
	for (size_t i = 0; i < *(const size_t *)arg; i++)
		ft_text_add(&result->text, "a\0\377\n", 4);
	return 0;
}

static int work_writes_both(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	ft_text_puts(&result->text, "and a word");
	return work_good(arg, end_ms, result, err);
}

/* Its own child lives on and holds the pipes. */
static int work_forks(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	pid_t child = fork();

	if (child == 0) {
		poll(NULL, 0, LONG_MS);
		_exit(0);
	}
	return child < 0 ? -errno : work_good(arg, end_ms, result, err);
}

/* As an event loop does. */
static void watch(struct ft_guard_job *job)
{
	struct pollfd fds[FT_GUARD_FDS];
	int64_t left;

	while (!ft_guard_step(job)) {
		for (size_t i = 0; i < FT_GUARD_FDS; i++)
			fds[i] = (struct pollfd){.fd = ft_guard_fds(job)[i], .events = POLLIN};
		left = ft_guard_end_ms(job) - ft_guard_now_ms();
		assert_true(left <= LONG_MS);
		assert_true(poll(fds, FT_GUARD_FDS, left > 0 ? (int)left : 0) >= 0);
	}
	for (size_t i = 0; i < FT_GUARD_FDS; i++)
		assert_int_equal(ft_guard_fds(job)[i], -1);
	assert_true(ft_guard_step(job));
}

static void test_job_text(void **state)
{
	static const struct ft_guard guard = {.what = "the work", .deadline_ms = LONG_MS};
	static const size_t counts[] = {0, 1, 200000};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(counts); i++) {
		_cleanup_(ft_guard_freep) struct ft_guard_job *job = NULL;
		_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
		struct ft_error err = {0};

		assert_int_equal(ft_guard_start(&guard, work_writes, &counts[i], &job, &err), 0);
		assert_true(ft_guard_pid(job) > 0);
		watch(job);
		assert_int_equal(ft_guard_finish(job, &result, &err), 0);
		assert_null(result.snapshot);
		assert_int_equal(result.text.length, counts[i] * 4);
		for (size_t n = 0; n < counts[i]; n++)
			assert_memory_equal(result.text.data + n * 4, "a\0\377\n", 4);
	}
}

static void test_job_both(void **state)
{
	static const struct ft_guard guard = {.what = "the work", .deadline_ms = LONG_MS};
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};

	(void)state;
	assert_int_equal(ft_guard_run(&guard, work_writes_both, NULL, &result, NULL), 0);
	assert_string_equal(ft_text_string(&result.text), "and a word");
	assert_int_equal(result.snapshot->node_count, 1);
}

static void test_job_no_snapshot(void **state)
{
	static const struct ft_guard guard = {.what = "the work", .deadline_ms = LONG_MS};
	struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};
	size_t count = 0;

	(void)state;
	run_guarded(&guard, work_writes, &count, -EIO, &snapshot, &err);
	assert_string_equal(err.text, "the work sent no snapshot");
}

/* The result does not wait for those that hold the pipes and are none of ours. */
static void test_job_forks(void **state)
{
	static const struct ft_guard guard = {.what = "the work", .deadline_ms = LONG_MS};
	_cleanup_(ft_guard_freep) struct ft_guard_job *job = NULL;
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	int64_t began_ms = ft_guard_now_ms();

	(void)state;
	assert_int_equal(ft_guard_start(&guard, work_forks, NULL, &job, NULL), 0);
	watch(job);
	assert_true(ft_guard_now_ms() - began_ms < LONG_MS);
	assert_int_equal(ft_guard_finish(job, &result, NULL), 0);
	assert_int_equal(result.snapshot->node_count, 1);
	/* They are of the child's process group. */
	assert_int_equal(kill(-ft_guard_pid(job), SIGKILL), 0);
}

/* Several at once; the stopped one is not waited for by the others. */
static void test_jobs(void **state)
{
	static const struct ft_guard hurried = {.what = "the work", .deadline_ms = SHORT_MS};
	static const struct ft_guard patient = {.what = "the work", .deadline_ms = LONG_MS};
	_cleanup_(ft_guard_freep) struct ft_guard_job *stopped = NULL, *good = NULL, *refuses = NULL;
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	unsigned int descriptors = count_descriptors();
	struct ft_error err = {0};

	(void)state;
	assert_int_equal(ft_guard_start(&hurried, work_hangs, NULL, &stopped, NULL), 0);
	kill(ft_guard_pid(stopped), SIGSTOP);
	assert_int_equal(ft_guard_start(&patient, work_good, NULL, &good, NULL), 0);
	assert_int_equal(ft_guard_start(&patient, work_refuses, NULL, &refuses, NULL), 0);
	assert_int_equal(ft_guard_finish(good, &result, &err), -EAGAIN);
	watch(refuses);
	watch(good);
	watch(stopped);
	assert_int_equal(ft_guard_finish(stopped, &result, &err), -ETIMEDOUT);
	assert_int_equal(ft_guard_finish(refuses, &result, &err), -ENODEV);
	assert_null(result.snapshot);
	assert_int_equal(ft_guard_finish(good, &result, &err), 0);
	assert_non_null(result.snapshot);
	assert_int_equal(count_descriptors(), descriptors);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void hang(void)
{
	for (;;)
		pause();
}

static int work_hangs_at_its_end(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	return atexit(hang) == 0 ? work_good(arg, end_ms, result, err) : -ENOMEM;
}

/* The result is there before the child has ended, which may close its port for a while. */
static void test_job_told(void **state)
{
	static const struct ft_guard guard = {.what = "the work", .deadline_ms = LONG_MS};
	_cleanup_(ft_guard_freep) struct ft_guard_job *job = NULL;
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	struct pollfd fd;

	(void)state;
	assert_int_equal(ft_guard_start(&guard, work_hangs_at_its_end, NULL, &job, NULL), 0);
	while (!ft_guard_is_told(job)) {
		assert_false(ft_guard_step(job));
		fd = (struct pollfd){.fd = ft_guard_fds(job)[0], .events = POLLIN};
		assert_true(ft_guard_is_told(job) || poll(&fd, 1, LONG_MS) == 1);
	}
	assert_int_equal(ft_guard_finish(job, &result, NULL), 0);
	assert_int_equal(result.snapshot->node_count, 1);
	assert_false(ft_guard_step(job));
	assert_int_equal(kill(ft_guard_pid(job), 0), 0);
}

/* What a child that waits knows, in its own memory. */
struct waiter {
	bool prepared;
	const char *orders;
	size_t length;
};

static void waiter_prepare(void *arg)
{
	((struct waiter *)arg)->prepared = true;
}

static int waiter_take(void *arg, const char *orders, size_t length)
{
	struct waiter *waiter = arg;

	waiter->orders = orders;
	waiter->length = length;
	return length > 0 ? 0 : -ENODEV;
}

static int work_waited(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	const struct waiter *waiter = arg;

	(void)err;
	ft_text_printf(&result->text, "%d %d %.*s", waiter->prepared,
		       end_ms > ft_guard_now_ms() && end_ms <= ft_guard_now_ms() + LONG_MS, (int)waiter->length,
		       waiter->orders);
	return 0;
}

/* Its deadline counts from the orders on; without any it ends by itself, and leaves no result. */
static void test_job_waits(void **state)
{
	static const struct ft_guard_wait wait = {waiter_prepare, waiter_take};
	static const struct ft_guard guard = {.what = "the work", .deadline_ms = LONG_MS, .wait = &wait};
	static const struct {
		const char *orders; /* NULL: it is dismissed */
		int code;
		const char *says;
	} rows[] = {
		{"port 7", 0, "1 1 port 7"},
		{"", -ENODEV, "No such device"},
		{NULL, -EIO, "the work ended with status 0 and no result"},
	};
	unsigned int descriptors = count_descriptors();

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_guard_freep) struct ft_guard_job *job = NULL;
		_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
		struct waiter waiter = {0};
		struct ft_error err = {0};

		assert_int_equal(ft_guard_start(&guard, work_waited, &waiter, &job, NULL), 0);
		assert_false(ft_guard_step(job));
		/* Without a pidfd, as under valgrind, it is looked at now and then, and no more is told. */
		if (ft_guard_fds(job)[FT_GUARD_FDS - 1] >= 0)
			assert_true(ft_guard_end_ms(job) > ft_guard_now_ms() + 1000L * LONG_MS);
		if (rows[i].orders)
			assert_int_equal(ft_guard_order(job, rows[i].orders, strlen(rows[i].orders)), 0);
		else
			ft_guard_dismiss(job);
		assert_int_equal(ft_guard_order(job, "again", 5), -ESRCH);
		watch(job);
		assert_int_equal(ft_guard_finish(job, &result, &err), rows[i].code);
		assert_string_equal(rows[i].code < 0 ? err.text : ft_text_string(&result.text), rows[i].says);
		assert_false(waiter.prepared);
	}
	assert_int_equal(count_descriptors(), descriptors);
}

/* Nobody waits for the end of what is thrown away. */
static void test_job_thrown_away(void **state)
{
	static const struct ft_guard guard = {.what = "the work", .deadline_ms = LONG_MS};
	unsigned int descriptors = count_descriptors();
	int64_t began_ms = ft_guard_now_ms();

	(void)state;
	for (int steps = 0; steps < 3; steps++) {
		struct ft_guard_job *job = NULL;

		assert_int_equal(ft_guard_start(&guard, work_hangs, NULL, &job, NULL), 0);
		for (int i = 0; i < steps; i++)
			assert_false(ft_guard_step(job));
		ft_guard_free(job);
	}
	ft_guard_free(NULL);
	assert_true(ft_guard_now_ms() - began_ms < LONG_MS);
	assert_int_equal(count_descriptors(), descriptors);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* Where SIGCHLD is ignored, children leave no status behind, but their results. */
static void test_job_unreaped(void **state)
{
	static const struct ft_guard guard = {.what = "the work", .deadline_ms = LONG_MS};
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	void (*old)(int) = signal(SIGCHLD, SIG_IGN);

	(void)state;
	run_guarded(&guard, work_good, NULL, 0, &snapshot, NULL);
	signal(SIGCHLD, old);
	assert_non_null(snapshot);
}

/* What SMPs say. */

struct smp {
	uint8_t bytes[FT_SMP_SIZE];
};

static struct smp node_info(int type, unsigned int ports, uint64_t guid, unsigned int device, unsigned int local_port)
{
	struct smp smp = {0};

	mad_set_field(smp.bytes, 0, IB_NODE_TYPE_F, (uint32_t)type);
	mad_set_field(smp.bytes, 0, IB_NODE_NPORTS_F, ports);
	mad_set_field64(smp.bytes, 0, IB_NODE_GUID_F, guid);
	mad_set_field64(smp.bytes, 0, IB_NODE_SYSTEM_GUID_F, guid + 0x1000);
	mad_set_field64(smp.bytes, 0, IB_NODE_PORT_GUID_F, type == IB_NODE_SWITCH ? guid : guid + local_port);
	mad_set_field(smp.bytes, 0, IB_NODE_VENDORID_F, 0x2c9);
	mad_set_field(smp.bytes, 0, IB_NODE_DEVID_F, device);
	mad_set_field(smp.bytes, 0, IB_NODE_LOCAL_PORT_F, local_port);
	return smp;
}

static struct smp port_info(unsigned int phys, unsigned int state, unsigned int width, unsigned int speed,
			    unsigned int speed_ext, unsigned int speed_ext2, unsigned int lid)
{
	struct smp smp = {0};

	mad_set_field(smp.bytes, 0, IB_PORT_PHYS_STATE_F, phys);
	mad_set_field(smp.bytes, 0, IB_PORT_STATE_F, state);
	mad_set_field(smp.bytes, 0, IB_PORT_LINK_WIDTH_ACTIVE_F, width);
	mad_set_field(smp.bytes, 0, IB_PORT_LINK_SPEED_ACTIVE_F, speed);
	mad_set_field(smp.bytes, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F, speed_ext);
	mad_set_field(smp.bytes, 0, IB_PORT_LID_F, lid);
	smp.bytes[56] = (uint8_t)(smp.bytes[56] | speed_ext2 << 5);
	return smp;
}

enum {
	CAP_NONE = 0,
	CAP_EXT = 1 << 14,
	CAP_EXT2 = CAP_EXT | 1 << 15, /* with CapabilityMask2 saying so */
	OLD_DEVICE = 0xb924,
	SWITCHX = 0xc738,
};

struct rate_case {
	const char *name;
	unsigned int capability, device;
	unsigned int width, speed, speed_ext, speed_ext2;
	int ext_info; /* -1: did not come; else its LinkSpeedActive */
	const char *rate;
};

static const struct rate_case rate_cases[] = {
	{"SDR", CAP_NONE, OLD_DEVICE, 2, 1, 0, 0, -1, "4xSDR"},
	{"DDR, 12x", CAP_NONE, OLD_DEVICE, 8, 2, 0, 0, -1, "12xDDR"},
	{"QDR of a device that knows nothing else", CAP_NONE, OLD_DEVICE, 2, 4, 0, 0, -1, "4xQDR"},
	{"QDR, told from FDR10", CAP_EXT, SWITCHX, 2, 4, 0, 0, 0, "4xQDR"},
	{"FDR10", CAP_EXT, SWITCHX, 2, 4, 0, 0, 1, "4xFDR10"},
	{"QDR or FDR10", CAP_EXT, SWITCHX, 2, 4, 0, 0, -1, "4x?"},
	{"FDR", CAP_EXT, SWITCHX, 2, 4, 1, 0, -1, "4xFDR"},
	{"EDR, one lane", CAP_EXT, SWITCHX, 1, 4, 2, 0, -1, "1xEDR"},
	{"HDR100", CAP_EXT, SWITCHX, 16, 4, 4, 0, -1, "2xHDR"},
	{"NDR", CAP_EXT, SWITCHX, 2, 4, 8, 0, -1, "4xNDR"},
	{"NDR, 8x", CAP_EXT2, SWITCHX, 4, 4, 8, 0, -1, "8xNDR"},
	{"XDR", CAP_EXT2, SWITCHX, 2, 4, 0, 1, -1, "4xXDR"},
	{"extended field of a device that has none", CAP_NONE, OLD_DEVICE, 2, 4, 8, 1, -1, "4xQDR"},
	{"second extended field of a device that has none", CAP_EXT, SWITCHX, 2, 4, 8, 1, -1, "4xNDR"},
	{"a speed of the future", CAP_EXT2, OLD_DEVICE, 2, 0, 0, 2, -1, "4x?"},
};

static void test_rate(void **state)
{
	const struct rate_case *c = *state;
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct smp info = node_info(IB_NODE_SWITCH, 1, 0x10, c->device, 1);
	struct smp port = port_info(5, 4, c->width, c->speed, c->speed_ext, c->speed_ext2, 0);
	struct smp port0 = port_info(5, 4, 2, 1, 0, 0, 77);
	char name[FT_RATE_NAME_SIZE];
	uint32_t node;

	mad_set_field(port0.bytes, 0, IB_PORT_CAPMASK_F, c->capability);
	if (c->capability == CAP_EXT2)
		mad_set_field(port0.bytes, 0, IB_PORT_CAPMASK2_F, 1 << 11);
	assert_int_equal(ft_survey_add_node(&survey, info.bytes, NULL, 0, &node), 0);
	ft_survey_set_port_info(&survey, node, 0, port0.bytes);
	ft_survey_set_port_info(&survey, node, 1, port.bytes);
	if (c->ext_info >= 0) {
		struct smp ext = {0};

		mad_set_field(ext.bytes, 0, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, (uint32_t)c->ext_info);
		ft_survey_set_ext_info(&survey, node, 1, ext.bytes);
	}
	assert_int_equal(ft_survey_snapshot(&survey, &snapshot, NULL), 0);
	assert_string_equal(ft_rate_name(snapshot->ports[0].rate, name), c->rate);
	assert_int_equal(snapshot->nodes[0].lid, 77);
}

static void test_descriptions(void **state)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct smp info = node_info(IB_NODE_CA, 255, 0x10, OLD_DEVICE, 1);
	uint8_t full[FT_SMP_SIZE], early[FT_SMP_SIZE] = "\"\033]0;x\a\n\377\xc3(";
	uint32_t node;

	(void)state;
	memset(full, 0xfe, sizeof(full));
	assert_int_equal(ft_survey_add_node(&survey, info.bytes, NULL, 0, &node), 0);
	ft_survey_set_description(&survey, node, full);
	info = node_info(7, 1, 0x20, OLD_DEVICE, 1);
	assert_int_equal(ft_survey_add_node(&survey, info.bytes, NULL, 0, &node), 0);
	ft_survey_set_description(&survey, node, early);
	assert_int_equal(ft_survey_snapshot(&survey, &snapshot, NULL), 0);

	assert_int_equal(snapshot->nodes[0].description_length, sizeof(full));
	assert_memory_equal(ft_node_description(snapshot, &snapshot->nodes[0]), full, sizeof(full));
	assert_int_equal(snapshot->nodes[0].port_count, FT_PORT_NUMBER_MAX);
	assert_string_equal(ft_node_description(snapshot, &snapshot->nodes[1]), (const char *)early);
	assert_int_equal(snapshot->nodes[1].type, FT_NODE_UNKNOWN);
}

static void test_route_too_long(void **state)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	struct smp info = node_info(IB_NODE_SWITCH, 1, 0x10, OLD_DEVICE, 1);
	uint8_t path[FT_SMP_HOPS_MAX + 2] = {0};
	uint32_t node;

	(void)state;
	assert_int_equal(ft_survey_add_node(&survey, info.bytes, path, FT_SMP_HOPS_MAX + 1, &node), -E2BIG);
	assert_int_equal(survey.node_count, 0);
	assert_int_equal(ft_survey_add_node(&survey, info.bytes, path, FT_SMP_HOPS_MAX, &node), 0);
}

/* What libibnetdisc leaves behind: a CA, its switch, and a second switch. */

enum { CA, SWITCH, FAR, NODES, PORTS = 6 };

struct fake {
	ibnd_fabric_t fabric;
	ibnd_node_t nodes[NODES];
	ibnd_port_t ports[NODES][PORTS + 1];
	ibnd_port_t *pointers[NODES][PORTS + 1];
};

static void fake_cable(struct fake *fake, int a, int a_port, int b, int b_port)
{
	fake->ports[a][a_port].remoteport = &fake->ports[b][b_port];
	fake->ports[b][b_port].remoteport = &fake->ports[a][a_port];
}

static void fake_port(struct fake *fake, int n, int number, const struct smp *info)
{
	ibnd_port_t *port = &fake->ports[n][number];

	fake->pointers[n][number] = port;
	port->node = &fake->nodes[n];
	port->portnum = number;
	port->guid = fake->nodes[n].guid + (n == CA ? (uint64_t)number : 0);
	if (info) {
		memcpy(port->info, info->bytes, sizeof(port->info));
		port->base_lid = (uint16_t)mad_get_field(port->info, 0, IB_PORT_LID_F);
	}
	/* Any bucket will do for ibnd_cache_fabric(), which looks at all of them. */
	port->htnext = fake->fabric.portstbl[0];
	fake->fabric.portstbl[0] = port;
}

static void fake_node(struct fake *fake, int n, int type, int ports, const char *description)
{
	ibnd_node_t *node = &fake->nodes[n];
	struct smp info = node_info(type, (unsigned int)ports, 0x100 + (uint64_t)n * 0x10, SWITCHX, 1);

	node->guid = 0x100 + (uint64_t)n * 0x10;
	node->type = type;
	node->numports = ports;
	node->ports = fake->pointers[n];
	memcpy(node->info, info.bytes, sizeof(node->info));
	snprintf(node->nodedesc, sizeof(node->nodedesc), "%s", description);
	node->next = fake->fabric.nodes;
	fake->fabric.nodes = node;
}

/* The CA on port 1 of the switch, whose ports 2 to 4 lead to the same ports of the far one. */
static void fake_make(struct fake *fake)
{
	struct smp up = port_info(5, 4, 2, 2, 0, 0, 9), down = port_info(2, 1, 2, 1, 0, 0, 0);
	struct smp zero = port_info(5, 4, 2, 1, 0, 0, 21);

	memset(fake, 0, sizeof(*fake));
	fake_node(fake, CA, IB_NODE_CA, 1, "host");
	fake_node(fake, SWITCH, IB_NODE_SWITCH, PORTS, "near");
	fake_node(fake, FAR, IB_NODE_SWITCH, PORTS, "far");
	fake_port(fake, CA, 1, &up);
	for (int n = SWITCH; n <= FAR; n++) {
		fake_port(fake, n, 0, &zero);
		for (int number = 1; number <= PORTS; number++)
			fake_port(fake, n, number, number <= 4 ? &up : &down);
	}
	memcpy(fake->ports[FAR][1].info, down.bytes, FT_SMP_SIZE);
	fake->fabric.from_node = &fake->nodes[CA];
	fake->fabric.from_portnum = 1;
	fake->nodes[SWITCH].path_portid.drpath.cnt = 1;
	fake->nodes[SWITCH].path_portid.drpath.p[1] = 1;
	fake_cable(fake, CA, 1, SWITCH, 1);
	for (int number = 2; number <= 4; number++)
		fake_cable(fake, SWITCH, number, FAR, number);
}

static void break_nothing(struct fake *fake)
{
	(void)fake;
}

static void break_port_info(struct fake *fake)
{
	fake->pointers[SWITCH][5] = NULL;
}

static void break_shell(struct fake *fake)
{
	memset(fake->ports[FAR][2].info, 0, FT_SMP_SIZE);
}

static void break_node_info(struct fake *fake)
{
	fake->ports[SWITCH][3].remoteport = NULL;
	fake->ports[FAR][3].remoteport = NULL;
}

static void break_one_direction(struct fake *fake)
{
	fake->ports[FAR][3].remoteport = NULL;
}

static void break_port0(struct fake *fake)
{
	for (int number = 0; number <= PORTS; number++)
		if (number < 2 || number > 4)
			fake->pointers[FAR][number] = NULL;
		else
			memset(fake->ports[FAR][number].info, 0, FT_SMP_SIZE);
}

static void break_description(struct fake *fake)
{
	memset(fake->nodes[FAR].nodedesc, 0, sizeof(fake->nodes[FAR].nodedesc));
}

static void break_ca_port(struct fake *fake)
{
	memset(fake->ports[CA][1].info, 0, FT_SMP_SIZE);
}

static void break_ports_array(struct fake *fake)
{
	for (int number = 2; number <= 4; number++)
		fake->ports[SWITCH][number].remoteport = NULL;
	fake->nodes[FAR].ports = NULL;
}

/* Two switches of one GUID, taken for one: a cable that ends on a port that is down. */
static void break_by_twin(struct fake *fake)
{
	fake->ports[SWITCH][4].remoteport = NULL;
	fake->ports[FAR][4].remoteport = NULL;
	fake_cable(fake, SWITCH, 4, FAR, 6);
}

static void break_loop(struct fake *fake)
{
	fake->ports[FAR][4].remoteport = NULL;
	fake_cable(fake, SWITCH, 4, SWITCH, 4);
}

struct fabric_case {
	const char *name;
	void (*spoil)(struct fake *fake);
	bool complete;
	unsigned int unread, down, silent, up; /* ports */
};

/* 13 ports: 8 ends of cables; 5 down. */
static const struct fabric_case fabric_cases[] = {
	{"whole", break_nothing, true, 0, 5, 0, 8},
	{"PortInfo lost", break_port_info, false, 1, 4, 0, 8},
	{"PortInfo lost of a port known from its far end", break_shell, false, 0, 5, 0, 8},
	{"NodeInfo lost both ways", break_node_info, false, 0, 5, 2, 6},
	{"a far end that says nothing", break_one_direction, false, 0, 5, 2, 6},
	{"PortInfo of port 0 lost", break_port0, false, 3, 2, 0, 8},
	{"NodeDescription lost", break_description, false, 0, 5, 0, 8},
	{"PortInfo of a CA lost", break_ca_port, false, 0, 5, 0, 8},
	{"no port array", break_ports_array, false, 6, 2, 3, 2},
	{"a cable that ends on a port that is down", break_by_twin, false, 0, 5, 2, 6},
	{"a port looped to itself", break_loop, false, 0, 5, 1, 7},
};

static void test_fabric(void **state)
{
	const struct fabric_case *c = *state;
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	unsigned int counts[4] = {0};
	struct ft_error err = {0};
	struct fake fake;

	fake_make(&fake);
	c->spoil(&fake);
	assert_int_equal(ft_fabric_survey(&fake.fabric, &survey), 0);
	assert_int_equal(ft_survey_snapshot(&survey, &snapshot, &err), 0);
	assert_int_equal(ft_snapshot_check(snapshot, &err), 0);
	for (uint32_t i = 0; i < snapshot->port_count; i++)
		counts[snapshot->ports[i].link]++;
	assert_int_equal(counts[FT_LINK_UNREAD], c->unread);
	assert_int_equal(counts[FT_LINK_DOWN], c->down);
	assert_int_equal(counts[FT_LINK_SILENT], c->silent);
	assert_int_equal(counts[FT_LINK_UP], c->up);
	assert_int_equal(snapshot->source.complete, c->complete);
	assert_int_equal(snapshot->nodes[snapshot->source.entry_node].guid, 0x100);
	assert_int_equal(snapshot->source.entry_port, 1);
}

static void test_fabric_empty(void **state)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	ibnd_fabric_t fabric = {0};

	(void)state;
	assert_int_equal(ft_fabric_survey(&fabric, &survey), 0);
	assert_int_equal(survey.node_count, 0);
	assert_false(ft_survey_is_complete(&survey));
}

/* Each allocation on the way allocation_failing once: from libibnetdisc's fabric to a snapshot, in the child and in its
 * parent. */
static int fabric_work(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	const struct fake *fake = arg;
	int r;

	(void)end_ms;
	r = ft_fabric_survey(&fake->fabric, &survey);
	return r < 0 ? r : ft_survey_snapshot(&survey, &result->snapshot, err);
}

static void test_no_memory(void **state)
{
	unsigned int nth = 0, failed = 0, unused;
	struct fake fake;
	int r;

	(void)state;
	fake_make(&fake);
	do {
		_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
		struct ft_error err = {0};

		allocation_failing = ++nth;
		r = fabric_work(&fake, 0, &result, &err);
		unused = allocation_failing;
		allocation_failing = 0;
		/* One that only gives memory back may fail. */
		assert_true(r == 0 ? result.snapshot != NULL : r == -ENOMEM && !result.snapshot && !unused);
		failed += r != 0;
	} while (!unused);
	assert_true(failed > 5);
}

static void test_no_memory_guarded(void **state)
{
	static const struct ft_guard guard = {.what = "the work", .deadline_ms = LONG_MS};
	unsigned int failed = 0;
	struct fake fake;

	(void)state;
	fake_make(&fake);
	/* Child and parent count on their own, so some of these fail in both. */
	for (unsigned int nth = 1; nth <= 60; nth++) {
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
		struct ft_error err = {0};
		int r;

		allocation_failing = nth;
		r = ft_guard_run_snapshot(&guard, fabric_work, &fake, &snapshot, &err);
		allocation_failing = 0;
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		assert_true(r == 0 ? snapshot != NULL : r == -ENOMEM && !snapshot && err.text[0]);
		failed += r != 0;
	}
	assert_in_range(failed, 5, 55);
}

/* Cache files. */

static void cache_make(char **ret_bytes, size_t *ret_length)
{
	const char *parent = getenv("TMPDIR");
	char dir[256], path[sizeof(dir) + 16];
	struct fake fake;
	FILE *file;
	long length;

	fake_make(&fake);
	snprintf(dir, sizeof(dir), "%s/ftcheck-cache.XXXXXX", parent ? parent : P_tmpdir);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/cache", dir);
	assert_int_equal(ibnd_cache_fabric(&fake.fabric, path, 0), 0);
	file = fopen(path, "r");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	length = ftell(file);
	rewind(file);
	*ret_bytes = malloc((size_t)length);
	assert_non_null(*ret_bytes);
	assert_int_equal(fread(*ret_bytes, 1, (size_t)length, file), length);
	*ret_length = (size_t)length;
	fclose(file);
	unlink(path);
	rmdir(dir);
}

static void test_cache(void **state)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *loaded = NULL;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *made = NULL;
	_cleanup_(ft_text_release) struct ft_text difference = {0};
	_cleanup_free_ char *bytes = NULL;
	struct ft_error err = {0};
	struct fake fake;
	size_t length;

	(void)state;
	cache_make(&bytes, &length);
	assert_int_equal(ft_dump_read_cache(bytes, length, &loaded, &err), 0);
	fake_make(&fake);
	assert_int_equal(ft_fabric_survey(&fake.fabric, &survey), 0);
	assert_int_equal(ft_survey_snapshot(&survey, &made, &err), 0);
	assert_int_equal(ft_snapshot_equal(loaded, made, &difference), 1);
	assert_true(loaded->source.complete);
	assert_false(loaded->source.live);
	assert_true(loaded->source.lists_down_ports);
}

/* Whatever the library makes of it, we live, and say so. */
static void check_damaged(const char *bytes, size_t length)
{
	static const char prefix[] = "not a readable libibnetdisc cache: ";
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};
	int r;

	r = ft_dump_read_cache(bytes, length, &snapshot, &err);
	if (r == 0) {
		assert_int_equal(ft_snapshot_check(snapshot, &err), 0);
		return;
	}
	assert_int_equal(r, -EINVAL);
	assert_null(snapshot);
	assert_memory_equal(err.text, prefix, sizeof(prefix) - 1);
}

static void test_cache_truncated(void **state)
{
	_cleanup_free_ char *bytes = NULL;
	struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};
	size_t length;

	(void)state;
	cache_make(&bytes, &length);
	for (size_t cut = 4; cut < length; cut += length / 40)
		assert_int_equal(ft_dump_read_cache(bytes, cut, &snapshot, &err), -EINVAL);
	assert_string_equal(err.text, "not a readable libibnetdisc cache: libibnetdisc refuses it");
	assert_int_equal(ft_dump_read_cache("", 0, &snapshot, &err), -EINVAL);
}

static void test_cache_damaged(void **state)
{
	const char *given = getenv("FT_SEED");
	unsigned int seed = given ? (unsigned int)strtoul(given, NULL, 10) : (unsigned int)time(NULL);
	_cleanup_free_ char *bytes = NULL;
	_cleanup_free_ char *damaged = NULL;
	size_t length;

	(void)state;
	print_message("FT_SEED=%u\n", seed);
	cache_make(&bytes, &length);
	damaged = malloc(length);
	assert_non_null(damaged);
	for (int i = 0; i < 60; i++) {
		memcpy(damaged, bytes, length);
		for (int flips = 0; flips <= i % 8; flips++)
			damaged[4 + (size_t)rand_r(&seed) % (length - 4)] = (char)rand_r(&seed);
		check_damaged(damaged, length);
	}
	/* 4 thousand million nodes. */
	memcpy(damaged, bytes, length);
	memset(damaged + 8, 0xff, 8);
	check_damaged(damaged, length);
}

/* One reported result a row. */
#define ROWS(cases, run)                                                                                         \
	do {                                                                                                     \
		for (size_t i = 0; i < FT_COUNT(cases); i++)                                                     \
			tests[count++] = (struct CMUnitTest){.name = (cases)[i].name,                            \
							     .test_func = run,                                   \
							     .initial_state = (void *)(uintptr_t) & (cases)[i]}; \
	} while (0)

int main(void)
{
	static const struct CMUnitTest single[] = {
		cmocka_unit_test(test_no_device),	  cmocka_unit_test(test_child_good),
		cmocka_unit_test(test_child_lingers),	  cmocka_unit_test(test_child_talks),
		cmocka_unit_test(test_child_is_apart),	  cmocka_unit_test(test_job_text),
		cmocka_unit_test(test_job_both),	  cmocka_unit_test(test_job_no_snapshot),
		cmocka_unit_test(test_job_forks),	  cmocka_unit_test(test_jobs),
		cmocka_unit_test(test_job_told),	  cmocka_unit_test(test_job_waits),
		cmocka_unit_test(test_job_thrown_away),	  cmocka_unit_test(test_job_unreaped),
		cmocka_unit_test(test_descriptions),	  cmocka_unit_test(test_route_too_long),
		cmocka_unit_test(test_fabric_empty),	  cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_no_memory_guarded), cmocka_unit_test(test_cache),
		cmocka_unit_test(test_cache_truncated),	  cmocka_unit_test(test_cache_damaged),
	};
	struct CMUnitTest tests[FT_COUNT(engine_cases) + FT_COUNT(option_cases) + FT_COUNT(child_cases) +
				FT_COUNT(rate_cases) + FT_COUNT(fabric_cases) + FT_COUNT(machine_cases) +
				FT_COUNT(map_cases) + FT_COUNT(single)];
	size_t count = 0;

	ROWS(engine_cases, test_engine);
	ROWS(option_cases, test_option);
	ROWS(child_cases, test_child);
	ROWS(rate_cases, test_rate);
	ROWS(fabric_cases, test_fabric);
	ROWS(machine_cases, test_machine);
	ROWS(map_cases, test_map);
	memcpy(tests + count, single, sizeof(single));
	return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
