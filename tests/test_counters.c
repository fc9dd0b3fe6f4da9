/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Error counters: how they are read, on a wire of the test's own; what they count between two readings; how many symbol
 * errors are too many; and which cables are reported.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <errno.h>
#include <infiniband/mad.h>

#include "probe/counters.h"
#include "probe/guard.h"
#include "probe/port.h"
#include "probe/smp.h"
#include "tests/allocations.h"
#include "tests/bench.h"
#include "tests/rows.h"
#include "tests/slots.h"
#include "verify/model/model.h"
#include "verify/check/check.h"

#define SMALL "{\"ftcheck\":1,\"name\":\"t\",\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}}"
#define STAR "{\"ftcheck\":1,\"name\":\"t\",\"nodes\":3,\"edge\":{\"ports\":36}}"

/* ---- between two readings ---- */

static const struct between {
	const char *what;
	uint64_t first, second, max;
	uint64_t count;
	bool at_least, stuck;
} betweens[] = {
	{"nothing", 7, 7, 0xffff, 0, false, false},
	{"some", 7, 9, 0xffff, 2, false, false},
	{"up to its end", 65530, 65535, 0xffff, 5, true, false},
	{"at its end all the time", 65535, 65535, 0xffff, 0, false, true},
	{"one before its end", 15, 14, 0xf, 14, true, false},
	{"reset, and at its end again", 65535, 65535, 0xffff, 0, false, true},
	{"reset by somebody", 900, 3, 0xffff, 3, true, false},
	{"reset to nothing", 900, 0, 0xffff, 0, true, false},
	{"four bits", 0, 15, 0xf, 15, true, false},
	{"64 bits", 1ULL << 40, (1ULL << 40) + 70000, UINT64_MAX, 70000, false, false},
};

static void test_between(void **state)
{
	const struct between *b = *state;
	uint64_t count;
	bool at_least, stuck;

	ft_counter_between(b->first, b->second, b->max, &count, &at_least, &stuck);
	assert_int_equal(count, b->count);
	assert_int_equal(at_least, b->at_least);
	assert_int_equal(stuck, b->stuck);
}

/* ---- symbol errors ---- */

/* By another program: the least k with P(X > k) < 10^-9 where 10^-12 of the bits are expected to be wrong. */
static const struct allowed {
	unsigned int mbps;
	uint32_t interval_ms;
	uint64_t allowed;
} alloweds[] = {
	{0, 10000, 0},	   {212500, 0, 0},    {212500, 10000, 16}, {103125, 10000, 12}, {425000, 10000, 22},
	{56250, 10000, 9}, {40000, 10000, 8}, {2500, 1000, 3},	   {850000, 60000, 99},
};

static void test_allowed(void **state)
{
	const struct allowed *a = *state;

	assert_int_equal(ft_rate_errors_allowed(a->mbps, a->interval_ms), a->allowed);
}

/* Over the whole range, and where one formula follows the other, more bits never allow fewer errors. */
static void test_allowed_grows(void **state)
{
	uint64_t last = 0;
	(void)state;

	for (uint32_t ms = 1000; ms <= 86400000; ms += ms / 50) {
		uint64_t allowed = ft_rate_errors_allowed(850000, ms);
		uint64_t mean = 850000ULL * ms / 1000000000ULL;

		assert_true(allowed >= last);
		/* Six standard deviations and a bit. */
		assert_true(allowed > mean && allowed < mean + 30 + 7 * mean / (mean > 10000 ? 50 : 1));
		last = allowed;
	}
}

/* ---- reading ---- */

enum { WIRE_SLOTS = 16 }; /* in use */

/* What the nodes on the wire do, by LID. */
static struct {
	uint16_t wide_lid, silent_lid, deaf_lid, refusing_lid, late_lid, busy_lid;
	unsigned int asked_of_deaf, classes;
	uint32_t readings[0xc000][64]; /* of a LID's port, so far */
} wire;

int __wrap_ft_smp_open(const struct ft_smp_options *options, struct ft_smp_wire **ret_wire, struct ft_error *err)
{
	if (options->kind != FT_SMP_PERFORMANCE)
		return ft_error_set(err, -EIO, 0, 0, "not what a reader of counters opens");
	*ret_wire = slots_open();
	return 0;
}

int __wrap_ft_smp_send(struct ft_smp_wire *unused, const struct ft_smp_request *request)
{
	(void)unused;
	if (request->lid == 0 || request->lid > 0xbfff || request->hops > 0 || request->timeout_ms == 0)
		return -EINVAL;
	return slots_take(request);
}

static enum ft_smp_outcome outcome_of(const struct ft_smp_request *request, uint32_t reading)
{
	if (request->lid == wire.silent_lid)
		return FT_SMP_LOST;
	if (request->lid == wire.deaf_lid && request->attribute != CLASS_PORT_INFO && ++wire.asked_of_deaf % 3)
		return FT_SMP_LOST;
	if (request->lid == wire.busy_lid && reading % 2 == 0 && request->attribute != CLASS_PORT_INFO)
		return FT_SMP_BUSY;
	if (request->lid == wire.late_lid && reading > 0)
		return FT_SMP_LOST;
	return request->lid == wire.refusing_lid ? FT_SMP_REFUSED : FT_SMP_ANSWERED;
}

/* Each reading counts one more symbol error for each port number; wide ones begin where narrow ones end. */
static void counters_answer(const struct ft_smp_request *request, uint32_t reading, uint8_t *data)
{
	uint64_t symbols = (uint64_t)request->port_select * reading;

	wire.classes += request->attribute == CLASS_PORT_INFO;
	if (request->attribute == CLASS_PORT_INFO && request->lid == wire.wide_lid)
		mad_set_field(data, 0, IB_CPI_CAPMASK2_F, 2);
	if (request->attribute == IB_GSI_PORT_COUNTERS)
		mad_set_field(data, 0, IB_PC_ERR_SYM_F, (uint32_t)symbols);
	if (request->attribute == IB_GSI_PORT_COUNTERS_EXT)
		mad_set_field64(data, 0, IB_PC_EXT_ERR_SYM_F, 0x100000000ULL + 1000 * symbols);
}

bool __wrap_ft_smp_receive_until(struct ft_smp_wire *unused, int64_t until_ns, struct ft_smp_answer *ret_answer)
{
	unsigned int slot = WIRE_SLOTS - 1;
	const struct ft_smp_request *request;
	uint32_t *readings;

	(void)unused;
	(void)until_ns;
	if (slots.pending == 0)
		return false;
	/* The last one first: answers come in any order. */
	while (!slots.busy[slot])
		slot--;
	request = slots_free(slot);
	readings = &wire.readings[request->lid][request->port_select % 64];
	*ret_answer = (struct ft_smp_answer){.slot = slot, .outcome = outcome_of(request, *readings)};
	counters_answer(request, *readings, ret_answer->data);
	if (request->attribute != CLASS_PORT_INFO && ret_answer->outcome != FT_SMP_LOST)
		++*readings;
	return true;
}

static struct ft_counters *read_all(struct bench *b)
{
	const struct ft_sweep_options options = {.timeout_ms = 1000,
						 .max_smps = WIRE_SLOTS,
						 .max_smps_per_switch = 4,
						 .retries = 3,
						 .deadline_ms = 60000};
	struct ft_counters *counters = NULL;
	struct ft_error err = {0};

	if (ft_counters_read(&options, b->snapshot, 20, &counters, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(counters->interval_ms, 20);
	return counters;
}

static const struct ft_port_count *count_at(const struct bench *b, const struct ft_counters *counters,
					    const char *place)
{
	uint32_t port = (uint32_t)(port_find(b->snapshot, place) - b->snapshot->ports);

	for (uint32_t i = 0; i < counters->count; i++)
		if (counters->items[i].port == port)
			return &counters->items[i];
	fail_msg("%s was not read", place);
	return NULL;
}

static uint16_t lid_of(const struct bench *b, const char *name)
{
	return b->snapshot->nodes[node_find(b->snapshot, name)].lid;
}

static void test_read(void **state)
{
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_counters_freep) struct ft_counters *counters = NULL;
	const struct ft_port_count *c;
	(void)state;

	memset(&wire, 0, sizeof(wire));
	bench_make(&b, SMALL);
	faults_apply(&b, "cut edge001:1; hide edge001:2");
	wire.wide_lid = lid_of(&b, "core01");
	wire.silent_lid = lid_of(&b, "edge002");
	wire.deaf_lid = lid_of(&b, "edge003");
	wire.refusing_lid = port_find(b.snapshot, "node072:1")->lid;
	wire.late_lid = port_find(b.snapshot, "node071:1")->lid;
	wire.busy_lid = port_find(b.snapshot, "node070:1")->lid;
	port_find(b.snapshot, "node069:1")->lid = 0;
	b.snapshot->nodes[node_find(b.snapshot, "core02")].lid = 0xffff;
	counters = read_all(&b);
	/* 2 * 144 cables, one of which is cut; of another only one end is up. */
	assert_int_equal(counters->count, 2 * 144 - 3);
	for (uint32_t i = 0; i < counters->count; i++)
		if (counters->items[i].status == FT_COUNTED)
			assert_true(counters->items[i].interval_ms >= 20);
	c = count_at(&b, counters, "edge001:2");
	assert_int_equal(c->status, FT_COUNTED);
	assert_int_equal(c->counts[FT_COUNTER_SYMBOL], 2);
	assert_int_equal(count_at(&b, counters, "edge004:36")->counts[FT_COUNTER_SYMBOL], 36);
	assert_int_equal(count_at(&b, counters, "core01:5")->counts[FT_COUNTER_SYMBOL], 5000);
	assert_int_equal(count_at(&b, counters, "edge002:7")->status, FT_COUNTED_SILENT);
	/* What is lost is asked again. */
	assert_int_equal(count_at(&b, counters, "edge003:7")->status, FT_COUNTED);
	assert_int_equal(count_at(&b, counters, "edge003:7")->counts[FT_COUNTER_SYMBOL], 7);
	assert_int_equal(count_at(&b, counters, "node070:1")->status, FT_COUNTED);
	assert_int_equal(count_at(&b, counters, "node072:1")->status, FT_COUNTED_REFUSED);
	assert_int_equal(count_at(&b, counters, "node071:1")->status, FT_COUNTED_SILENT);
	assert_int_equal(count_at(&b, counters, "node069:1")->status, FT_COUNTED_NO_LID);
	assert_int_equal(count_at(&b, counters, "core02:1")->status, FT_COUNTED_NO_LID);
}

static void test_read_nothing(void **state)
{
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_counters_freep) struct ft_counters *counters = NULL;
	(void)state;

	memset(&wire, 0, sizeof(wire));
	bench_make(&b, STAR);
	for (uint32_t i = 0; i < b.snapshot->node_count; i++)
		b.snapshot->nodes[i].lid = 0;
	for (uint32_t i = 0; i < b.snapshot->port_count; i++)
		b.snapshot->ports[i].lid = 0;
	counters = read_all(&b);
	assert_int_equal(counters->count, 6);
	for (uint32_t i = 0; i < counters->count; i++)
		assert_int_equal(counters->items[i].status, FT_COUNTED_NO_LID);
}

/* One reading after another: what was counted since the one before. */
static void read_on(const struct bench *b, struct ft_counted_port *ports, uint32_t *count)
{
	const struct ft_sweep_options options = {.timeout_ms = 1000,
						 .max_smps = WIRE_SLOTS,
						 .max_smps_per_switch = 4,
						 .retries = 3,
						 .deadline_ms = 60000};
	_cleanup_(ft_counters_freep) struct ft_counters *counters = NULL;
	struct ft_error err = {0};

	wire.classes = 0;
	if (ft_counters_read_on(&options, b->snapshot, ports, *count, ft_guard_now_ms() + 60000, &counters, &err) != 0)
		fail_msg("%s", err.text);
	*count = 0;
	for (uint32_t i = 0; i < counters->count; i++) {
		const struct ft_port *port = &b->snapshot->ports[counters->items[i].port];

		if (counters->items[i].status == FT_COUNTED)
			ports[(*count)++] = (struct ft_counted_port){
				counters->items[i], ft_port_node(b->snapshot, port)->guid, port->number};
	}
}

/* Which counters a node has is asked once; again where it did not say, or where its counters began anew. */
static void test_class_once(void **state)
{
	enum { PORTS = 2 * 144 };
	_cleanup_free_ struct ft_counted_port *ports = calloc(PORTS, sizeof(*ports));
	_cleanup_(bench_release) struct bench b;
	uint32_t count = 0;
	(void)state;

	assert_non_null(ports);
	memset(&wire, 0, sizeof(wire));
	bench_make(&b, SMALL);
	wire.wide_lid = lid_of(&b, "core01");
	wire.refusing_lid = port_find(b.snapshot, "node072:1")->lid;
	read_on(&b, ports, &count);
	assert_int_equal(wire.classes, b.snapshot->node_count);
	assert_int_equal(count, PORTS - 1);
	read_on(&b, ports, &count);
	/* node072, which refuses. */
	assert_int_equal(wire.classes, 1);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(ports[i].count.wide,
				 ports[i].guid == b.snapshot->nodes[node_find(b.snapshot, "core01")].guid);
	/* core01 boots, and its counters begin anew; it is asked with the reading after that which shows it. */
	for (uint32_t number = 1; number < 64; number++)
		wire.readings[wire.wide_lid][number] = 0;
	read_on(&b, ports, &count);
	assert_int_equal(wire.classes, 1);
	wire.wide_lid = 0;
	read_on(&b, ports, &count);
	assert_int_equal(wire.classes, 2);
	for (uint32_t i = 0; i < count; i++)
		assert_false(ports[i].count.wide);
}

/* ---- which cables are reported ---- */

/*
 * Changes: "edge003:20 SymbolErrorCounter 500", with "+" behind the number where it is at least so many, "!" alone
 * where the counter was at its end all the time; "edge003:20 no-lid", "silent", "refused"; else as in bench.h. All
 * ports were read 10 s apart.
 */
struct scene {
	struct bench bench;
	struct ft_counters counters;
};

static struct ft_port_count *item_of(struct scene *scene, const char *place)
{
	return (struct ft_port_count *)(uintptr_t)count_at(&scene->bench, &scene->counters, place);
}

static void counter_set(struct ft_port_count *item, const char *key, const char *value)
{
	static const char *const states[] = {"counted", "no-lid", "silent", "refused"};

	for (unsigned int i = 0; i < FT_COUNT(states); i++)
		if (strcmp(states[i], key) == 0) {
			*item = (struct ft_port_count){.port = item->port, .status = (uint8_t)i};
			return;
		}
	for (unsigned int i = 0; i < FT_COUNTER_COUNT; i++) {
		if (strcmp(ft_counter_key((enum ft_counter)i), key) != 0)
			continue;
		item->counts[i] = strtoull(value, NULL, 10);
		item->at_least |= (uint8_t)((strchr(value, '+') != NULL) << i);
		item->stuck |= (uint8_t)((strchr(value, '!') != NULL) << i);
		return;
	}
	fail_msg("no counter is called %s", key);
}

static void scene_make(struct scene *scene, const char *design, const char *changes)
{
	char copy[1024], *rest = copy, *change;
	struct ft_snapshot *s;

	*scene = (struct scene){0};
	bench_make(&scene->bench, design);
	/* First what changes the fabric, then what was counted on it. */
	for (unsigned int pass = 0; pass < 2; pass++) {
		snprintf(copy, sizeof(copy), "%s", changes);
		for (rest = copy; (change = strtok_r(rest, ";", &rest));) {
			char *words = change + strspn(change, " "), *place;
			bool counts = strchr(words, ':') && strchr(words, ' ') > strchr(words, ':');

			if (counts && pass == 1) {
				place = strtok_r(words, " ", &words);
				change = strtok_r(words, " ", &words);
				counter_set(item_of(scene, place), change, words);
			} else if (!counts && pass == 0) {
				fault_apply(&scene->bench, words);
			}
		}
		s = scene->bench.snapshot;
		if (pass > 0)
			break;
		scene->counters.interval_ms = 10000;
		scene->counters.items = calloc(s->port_count, sizeof(*scene->counters.items));
		assert_non_null(scene->counters.items);
		for (uint32_t p = 0; p < s->port_count; p++)
			if (s->ports[p].link == FT_LINK_UP || s->ports[p].link == FT_LINK_SILENT)
				scene->counters.items[scene->counters.count++] =
					(struct ft_port_count){.port = p, .interval_ms = 10040, .status = FT_COUNTED};
	}
}

static void scene_release(struct scene *scene)
{
	bench_release(&scene->bench);
	free(scene->counters.items);
}

static struct ft_verify_input scene_input(const struct scene *scene)
{
	return (struct ft_verify_input){.design = scene->bench.design,
					.plan = scene->bench.plan,
					.snapshot = scene->bench.snapshot,
					.today = "2026-11-20",
					.counters = &scene->counters};
}

static int scene_verify(const struct scene *scene, struct ft_report **ret_report)
{
	const struct ft_verify_input input = scene_input(scene);

	return ft_verify_all(&input, ret_report);
}

static const struct row {
	const char *what, *changes, *expected;
	const char *text; /* of the first finding's text, fix, expected or observed; separated by | */
} rows[] = {
	{"no errors", "", "ok", NULL},
	{"as many symbol errors as may be", "edge003:20 SymbolErrorCounter 16", "ok", NULL},
	{"one more", "edge003:20 SymbolErrorCounter 17", "warning; port-errors seen edge003:20 core01:20",
	 "the cable edge003 port 20 - core01 port 20 has errors: edge003 port 20 counted 17 symbol errors in 10.0 s|"
	 "at most 16 symbol errors in 10.0 s|done on the way to edge003 port 20|core01 port 20 is next"},
	{"of a slower cable, fewer may be",
	 "rate edge003:20 4xHDR; rate edge003:21 1xHDR; edge003:21 SymbolErrorCounter 9",
	 "warning; cable-narrow seen edge003:21 core01:21", NULL},
	{"both ends of a cable are one finding", "edge003:20 PortRcvErrors 2; core01:20 SymbolErrorCounter 99",
	 "warning; port-errors seen edge003:20 core01:20",
	 "edge003 port 20 counted 2 receive errors in 10.0 s, and core01 port 20 counted 99 symbol errors|damaged both "
	 "ways"},
	{"at the host, and at the switch",
	 "node001:1 LocalLinkIntegrityErrors 1; edge001:2 ExcessiveBufferOverrunErrors 1",
	 "warning; port-errors seen edge001:1 node001:1; port-errors seen edge001:2 node002:1",
	 "node001 port 1 counted 1 link integrity error in|on the way to node001 port 1|edge001 port 1 is next"},
	{"a recovery", "core02:3 LinkErrorRecoveryCounter 1", "warning; port-errors seen edge001:30 core02:3",
	 "core02 port 3 counted 1 link recovery in"},
	{"a link that failed", "edge001:1 LinkDownedCounter 1", "warning; port-errors seen edge001:1 node001:1",
	 "1 link failure|if nobody took the link down"},
	{"several of one port",
	 "edge003:20 SymbolErrorCounter 65535+; edge003:20 LinkDownedCounter 2; "
	 "edge003:20 PortRcvErrors 7",
	 "warning; port-errors seen edge003:20 core01:20",
	 "counted at least 65535 symbol errors, 2 link failures and 7 receive errors in 10.0 s"},
	{"discards are congestion", "edge003:20 PortXmitDiscards 5000", "ok", NULL},
	{"a counter that stands at its end tells nothing", "edge003:20 SymbolErrorCounter !", "ok", NULL},
	{"a cable whose far end is mute", "hide edge003:20; edge003:20 PortRcvErrors 7",
	 "warning; cable-missing mute edge003:20 core01:20; port-errors seen edge003:20", NULL},
	{"a cable that is slow for no setting: one fault", "rate edge003:20 4xEDR; core01:20 PortRcvErrors 7",
	 "warning; cable-slow seen edge003:20 core01:20", NULL},
	{"ports that could not be read", "edge003:20 silent; edge003:21 no-lid; edge003:22 refused",
	 "warning; sweep-incomplete unreached x2",
	 "counters of 2 of 288 ports are not known: 1 without a LID, 1 that did not answer|subnet manager"},
	{"ports that have no counters", "edge003:22 refused", "ok", NULL},
	{"one end was read", "edge003:20 silent; core01:20 PortRcvErrors 7",
	 "warning; port-errors seen edge003:20 core01:20; sweep-incomplete unreached",
	 "core01 port 20 counted 7 receive errors"},
};

static bool finding_says(const struct ft_finding *f, const char *words)
{
	return strstr(f->text, words) || strstr(f->fix, words) || strstr(f->expected, words) ||
	       strstr(f->observed, words);
}

static void test_row(void **state)
{
	const struct row *row = *state;
	_cleanup_(scene_release) struct scene scene;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text words = {0};
	char copy[512], *rest = copy, *part;

	scene_make(&scene, SMALL, row->changes);
	assert_int_equal(scene_verify(&scene, &report), 0);
	report_check(report);
	report_words(report, &words);
	assert_string_equal(ft_text_string(&words), row->expected);
	snprintf(copy, sizeof(copy), "%s", row->text ? row->text : "");
	while ((part = strtok_r(rest, "|", &rest)))
		if (!finding_says(&report->findings[0], part))
			fail_msg("\"%s\" is not in: %s; %s; %s", part, report->findings[0].text,
				 report->findings[0].fix, report->findings[0].expected);
	for (size_t i = 0; i < report->finding_count; i++)
		if (report->findings[i].code == FT_CODE_PORT_ERRORS)
			assert_int_equal(report->findings[i].actions[0].act, FT_ACT_RENEW);
	report_returns(report);
}

static void test_symptom(void **state)
{
	_cleanup_(scene_release) struct scene scene;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	(void)state;

	scene_make(&scene, SMALL, "rate edge003:20 4xEDR; core01:20 PortRcvErrors 7");
	assert_int_equal(scene_verify(&scene, &report), 0);
	assert_int_equal(report->findings[0].symptom_count, 1);
	assert_string_equal(report->findings[0].symptoms[0].text, "core01 port 20 counted 7 receive errors in 10.0 s");
}

static void test_figures(void **state)
{
	_cleanup_(scene_release) struct scene scene;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	(void)state;

	scene_make(&scene, SMALL,
		   "edge003:20 silent; edge003:21 no-lid; edge003:22 refused; edge003:23 SymbolErrorCounter !; "
		   "edge003:23 PortRcvErrors !; edge003:24 PortXmitDiscards 1; edge003:25 PortXmitDiscards !");
	assert_int_equal(scene_verify(&scene, &report), 0);
	ft_report_write_text(&text, report, true, false);
	assert_non_null(
		strstr(ft_text_string(&text),
		       "\nerror counters: 285 of 288 ports read, 10.000 s apart; 1 without a LID; 1 that did not "
		       "answer; 1 without such counters; 1 with one that stood at its greatest value, so that "
		       "it tells nothing (perfquery -R resets it); 1 that discarded packets, which is "
		       "congestion and no fault of a cable\n"));
	ft_text_reset(&text);
	ft_report_write_json(&text, report);
	assert_non_null(strstr(ft_text_string(&text),
			       "\"counters\": {\"interval_ms\": 10000, \"ports\": 288, \"read\": 285, \"no_lid\": 1, "
			       "\"silent\": 1, \"refused\": 1, \"stuck\": 1, \"discarding\": 1},\n"));
}

/* What was asked for is answered in a line, where nothing is wrong too. */
static void test_line(void **state)
{
	static const struct {
		const char *words, *line;
	} cases[] = {
		{"", "Error counters of 288 ports over 10 s: none above the limit"},
		{"edge003:20 silent", "Error counters of 287 of 288 ports over 10 s: none above the limit"},
		{"edge003:20 PortRcvErrors 3",
		 "Error counters of 288 ports over 10 s: those of 1 cable above the limit"},
		{"rate edge003:20 4xEDR; edge003:20 PortRcvErrors 3",
		 "Error counters of 288 ports over 10 s: those of 1 cable above the limit"},
		{"edge003:20 PortRcvErrors 3; edge004:21 PortRcvErrors 3",
		 "Error counters of 288 ports over 10 s: those of 2 cables above the limit"},
	};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		_cleanup_(scene_release) struct scene scene;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0};

		scene_make(&scene, SMALL, cases[i].words);
		assert_int_equal(scene_verify(&scene, &report), 0);
		ft_report_write_text(&text, report, false, false);
		if (!strstr(ft_text_string(&text), cases[i].line))
			fail_msg("%s: %s", cases[i].words, ft_text_string(&text));
	}
}

/* ---- every allocation may fail ---- */

static void test_no_memory(void **state)
{
	_cleanup_(scene_release) struct scene scene;
	struct ft_verify_input input;
	(void)state;

	scene_make(&scene, SMALL,
		   "rate edge003:20 4xEDR; core01:20 PortRcvErrors 7; edge003:21 SymbolErrorCounter 999; core01:21 "
		   "PortRcvErrors 1; edge001:1 LinkDownedCounter 1; edge004:1 silent");
	input = scene_input(&scene);
	input_out_of_memory(&input, 100, false);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_line),	   cmocka_unit_test(test_allowed_grows),
		cmocka_unit_test(test_read),	   cmocka_unit_test(test_read_nothing),
		cmocka_unit_test(test_class_once), cmocka_unit_test(test_symptom),
		cmocka_unit_test(test_figures),	   cmocka_unit_test(test_no_memory),
	};
	struct CMUnitTest tests[FT_COUNT(betweens) + FT_COUNT(alloweds) + FT_COUNT(rows) + FT_COUNT(others)];
	char names[FT_COUNT(alloweds)][64];
	size_t count = 0;

	for (size_t i = 0; i < FT_COUNT(betweens); i++)
		tests[count++] = (struct CMUnitTest){betweens[i].what, test_between, NULL, NULL,
						     (void *)(uintptr_t)&betweens[i]};
	for (size_t i = 0; i < FT_COUNT(alloweds); i++) {
		snprintf(names[i], sizeof(names[i]), "%u Mb/s, %u ms", alloweds[i].mbps, alloweds[i].interval_ms);
		tests[count++] =
			(struct CMUnitTest){names[i], test_allowed, NULL, NULL, (void *)(uintptr_t)&alloweds[i]};
	}
	for (size_t i = 0; i < FT_COUNT(rows); i++)
		tests[count++] = (struct CMUnitTest){rows[i].what, test_row, NULL, NULL, (void *)(uintptr_t)&rows[i]};
	memcpy(tests + count, others, sizeof(others));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
