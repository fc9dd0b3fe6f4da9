/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The life cycle of alerts, told in a few words a step:
 *
 *   L:a,b!    a look that saw the faults a and b. Behind a letter: ! critical, - info, w waived, 1..9 that many, ' in
 *             other words, * at another port, " symptoms, ^ coming back, o as older versions kept it
 *   L?:a      the same, where parts of the fabric were not reached; X: the whole of it could not be judged
 *   M         a look that failed
 *   M:xy/a    one that saw a, and that the ports x and y are mute; U:xy/a that they were not reached; W:xy/a waived
 *   pL:a      a look that read only what changed; pM:x/a, pM also; nL:a one that read nothing, by a new plan
 *   C, W      for a letter: core-missing at the edges' ports of a and b; cables-swapped at a's and b's cores
 *   B, D      likewise: board-missing at a's core; a's edge is dead, at b's core
 *   R, S      likewise: a's edge, or one that is not seen any more, stands in the place of another
 *   H:x       the link of host x went down
 *   +3s +3    time passes; ^+3s ^-3s the wall clock is stepped
 *   T         the clock's turn
 *   K         killed and started again
 *   R:…       other rules: r2 c2 looks, r5s c5s, f3 flaps, w10s window, i3 incomplete, s! critical only, m2 storm
 *
 * and the events: +a raised, ~a changed, -a cleared (repaired), -a:w waived, -a:m minor, -a:f flapping now, -F:a:s
 * link-flapping of a is steady, -S:c sweep-incomplete is over, -a:p now part of another, -a:n not in the new plan; M4
 * alert-storm, which sums up four; -M4:1 those that are left are told one by one.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "daemon/message.h"
#include "daemon/state.h"
#include "tests/allocations.h"

static uint64_t random_seed, random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)((random_state >> 16) % limit);
}

static int random_setup(void **state)
{
	const char *seed = getenv("FT_SEED");

	(void)state;
	random_state = seed ? strtoull(seed, NULL, 0) : ((uint64_t)time(NULL) << 20 ^ (uint64_t)getpid()) | 1;
	random_seed = random_state;
	print_message("FT_SEED=0x%" PRIx64 "\n", random_seed);
	return 0;
}

/* ---- reports by hand ---- */

enum { FINDINGS_MAX = 32, PLACES_MAX = 8, UNSEEN_AT = 6, STRING_SIZE = 160 };

struct made {
	struct ft_report report;
	struct ft_finding findings[FINDINGS_MAX];
	struct ft_place places[FINDINGS_MAX][PLACES_MAX];
	struct ft_symptom symptom;
	char strings[FINDINGS_MAX][3][STRING_SIZE];
	char *unreached;
	struct ft_report_switch seen; /* a's edge */
};

static uint64_t guid_of(char letter)
{
	return 0x1000U + (unsigned char)letter;
}

static struct ft_finding *made_add(struct made *made)
{
	size_t i = made->report.finding_count++;
	struct ft_finding *f = &made->findings[i];

	assert_true(i < FINDINGS_MAX);
	made->report.findings = made->findings;
	*f = (struct ft_finding){
		.evidence = FT_EVIDENCE_ABSENT,
		.severity = FT_SEVERITY_WARNING,
		.where = made->places[i],
		.count = 1,
		.expected = (char *)"9 cables",
		.observed = (char *)"8 cables",
		.text = made->strings[i][1],
		.fix = (char *)"find the cable, and seat it",
		.id = made->strings[i][0],
	};
	return f;
}

/* Each letter has an edge of its own, and a port of the one core. */
static uint32_t core_port_of(char letter)
{
	return 2U + (unsigned char)letter - 'a';
}

static void places_make(struct ft_finding *f, char letter, const char *marks, char *name)
{
	static const char both[] = "ab";

	snprintf(name, STRING_SIZE, "switch \"%c\" \xc3\xa9\\x1b", letter);
	f->where_count = 2;
	f->where[0] = (struct ft_place){.name = name, .guid = guid_of(letter), .port = strchr(marks, '*') ? 7 : 1};
	f->where[1] = (struct ft_place){.name = (char *)"core01", .guid = 0x2000, .port = core_port_of(letter)};
	for (size_t i = 0; letter == 'C' && i < 2; i++)
		f->where[i] = (struct ft_place){.name = name, .guid = guid_of(both[i]), .port = 1};
	for (size_t i = 0; letter == 'W' && i < 2; i++)
		f->where[i] = (struct ft_place){.name = name, .guid = 0x2000, .port = core_port_of(both[i])};
	if (!strchr("BDEFRS", letter))
		return;
	f->where_count = 1;
	if (letter == 'R' || letter == 'S') {
		f->where[0] = (struct ft_place){.name = name, .guid = guid_of(letter == 'R' ? 'a' : 'S')};
		return;
	}
	f->where[0] = (struct ft_place){.name = name,
					.guid = 0x2000,
					.port = core_port_of(letter == 'D'   ? 'b'
							     : letter == 'B' ? 'a'
									     : 'e')};
	if (letter == 'B')
		return;
	/* Of D a's edge is gone, of E that one and e's, behind which it is, of F the core. */
	f->subject = (struct ft_place){.name = name, .guid = guid_of(letter == 'D' ? 'a' : 'e')};
	if (letter == 'F') {
		f->subject.guid = f->where[0].guid;
		f->where[0].guid = guid_of('f');
	}
	f->unseen = f->where + UNSEEN_AT;
	f->unseen[f->unseen_count++] = f->subject;
	if (letter == 'E')
		f->unseen[f->unseen_count++] = (struct ft_place){.name = name, .guid = guid_of('a')};
}

static enum ft_code code_of(char letter)
{
	if (letter >= 'C' && letter <= 'F')
		return FT_CODE_CORE_MISSING;
	if (letter == 'B')
		return FT_CODE_BOARD_MISSING;
	if (letter == 'R' || letter == 'S')
		return FT_CODE_SWITCH_REPLACED;
	return letter == 'W' ? FT_CODE_CABLES_SWAPPED : FT_CODE_CABLE_MISSING;
}

static void finding_make(struct made *made, char letter, const char *marks)
{
	struct ft_finding *f = made_add(made);
	bool other_words = strchr(marks, '\'');
	char *name = made->strings[made->report.finding_count - 1][2];

	f->code = code_of(letter);
	snprintf(f->id, STRING_SIZE, "%s:%c", ft_codes[f->code].name, letter);
	places_make(f, letter, marks, name);
	for (const char *m = marks; *m; m++) {
		if (*m == '!')
			f->severity = FT_SEVERITY_CRITICAL;
		if (*m == '-' || *m == 'w')
			f->severity = FT_SEVERITY_INFO;
		if (*m == 'w')
			f->waived = (char *)"until 2030-01-01: known";
		if (*m == '^')
			f->returning.of = 12, f->unseen_count = 0;
		if (*m == 'o')
			f->unseen_count = 0;
		if (*m >= '1' && *m <= '9')
			f->count = (uint32_t)(*m - '0');
		if (*m == '"') {
			made->symptom = (struct ft_symptom){(char *)"edge001 is degraded", {.name = name, .guid = 7}};
			f->symptoms = &made->symptom;
			f->symptom_count = 1;
		}
	}
	/* As the verifier calls it; an alert's id has no number of cables. */
	if (f->code == FT_CODE_CABLE_MISSING && f->count > 1)
		snprintf(f->id, STRING_SIZE, "%s:%c*%u", ft_codes[f->code].name, letter, f->count);
	snprintf(f->text, STRING_SIZE, "%c: a cable is %s", letter, other_words ? "lost" : "missing");
}

/* "a,b!,c'" */
static void findings_make(struct made *made, const char *words)
{
	while (*words) {
		char marks[16] = "";
		char letter = *words++;
		size_t length = strcspn(words, ",");

		assert_true(length < sizeof(marks));
		memcpy(marks, words, length);
		finding_make(made, letter, marks);
		words += length + (words[length] == ',');
	}
}

/* Ports x and y: of the switches of these letters, the port that a fault of that letter is at. */
static void gaps_make(struct made *made, const char *letters, size_t count, enum ft_evidence evidence, bool waived)
{
	struct ft_finding *f = made_add(made);

	f->code = FT_CODE_SWEEP_INCOMPLETE;
	f->evidence = evidence;
	f->where_count = count;
	f->count = (uint32_t)count;
	if (waived) {
		f->severity = FT_SEVERITY_INFO;
		f->waived = (char *)"known";
	}
	for (size_t i = 0; i < count; i++)
		f->where[i] = (struct ft_place){.name = (char *)"edge", .guid = guid_of(letters[i]), .port = 1};
	snprintf(f->id, STRING_SIZE, "sweep-incomplete");
	snprintf(f->text, STRING_SIZE, "not everything could be judged: %zu ports up and silent, %u packets lost",
		 count, random_below(1000));
}

/* ---- one run ---- */

struct run {
	struct ft_alerts *alerts;
	struct ft_alert_rules rules;
	struct ft_now now;
	struct ft_text said;
	enum ft_look_kind kind; /* of the look that is made */
	bool judged;		/* what the last miss said */
	bool try_failures;
};

static struct ft_text state_text(const struct run *run)
{
	struct ft_text text = {0};

	ft_alerts_write_json(&text, run->alerts, run->now);
	assert_false(ft_text_failed(&text));
	return text;
}

static void state_reload(struct run *run)
{
	_cleanup_(ft_text_release) struct ft_text text = state_text(run), again = {0};
	struct ft_alerts *alerts = NULL;
	struct ft_error err = {0};
	int r = ft_alerts_read_json(text.data, text.length, run->now, &alerts, &err);

	if (r < 0)
		print_message("%u:%u: %s\n%s\n", err.line, err.column, err.text, text.data);
	assert_int_equal(r, 0);
	ft_alerts_free(run->alerts);
	run->alerts = alerts;
	again = state_text(run);
	assert_string_equal(again.data, text.data);
}

/* Waiting for the next look is only over when the clock says so or a look comes: both must agree with what is due. */
static void due_check(struct run *run)
{
	int64_t due_ms = ft_alerts_due_ms(run->alerts, &run->rules);

	if (due_ms == INT64_MAX)
		return;
	assert_true(due_ms > run->now.mono_ms);
}

typedef int (*call)(struct run *run, const void *what);

/* Each allocation fails once before the call succeeds: until then nothing may have changed. */
static void call_make(struct run *run, call function, const void *what)
{
	for (size_t n = 1; run->try_failures; n++) {
		_cleanup_(ft_text_release) struct ft_text before = state_text(run), after = {0};
		uint64_t version = ft_alerts_version(run->alerts);
		int r;

		allocation_failing = n;
		r = function(run, what);
		if (allocation_failing > 0) {
			allocation_failing = 0;
			assert_int_equal(r, 0);
			return;
		}
		/* It can do without some, as a rule without none. */
		if (r == 0)
			return;
		assert_int_equal(r, -ENOMEM);
		assert_int_equal(ft_alerts_version(run->alerts), version);
		after = state_text(run);
		assert_string_equal(before.data, after.data);
	}
	assert_int_equal(function(run, what), 0);
}

static int look_call(struct run *run, const void *what)
{
	return ft_alerts_look(run->alerts, &run->rules, what, run->kind, run->now);
}

static int miss_call(struct run *run, const void *what)
{
	int r = ft_alerts_miss(run->alerts, &run->rules, what, run->kind, "the sweep was killed by signal 9", run->now);

	run->judged = r > 0;
	return r < 0 ? r : 0;
}

static int tick_call(struct run *run, const void *what)
{
	(void)what;
	return ft_alerts_tick(run->alerts, &run->rules, run->now);
}

static int host_call(struct run *run, const void *what)
{
	const char *letter = what;
	char host[] = {'n', 'o', 'd', 'e', *letter, '\0'};

	return ft_alerts_host_link_down(run->alerts, &run->rules, guid_of(*letter), 5, "edge001", host, run->now);
}

static int64_t span(const char **s)
{
	char *end;
	int64_t value = strtol(*s, &end, 10);

	if (*end == 's') {
		value *= 1000;
		end++;
	}
	*s = end;
	return value;
}

static void rules_read(struct ft_alert_rules *rules, const char *s)
{
	while (*s) {
		char what = *s++;
		bool seconds = strchr("rc", what) && s[strspn(s, "0123456789")] == 's';
		struct ft_patience *patience = what == 'r' ? &rules->raise_after : &rules->clear_after;
		int64_t value;

		if (what == 's') {
			rules->severity = *s == '!'   ? FT_SEVERITY_CRITICAL
					  : *s == '-' ? FT_SEVERITY_INFO
						      : FT_SEVERITY_WARNING;
			s++;
			continue;
		}
		value = span(&s);
		if (what == 'f')
			rules->flap_count = (uint32_t)value;
		else if (what == 'w')
			rules->flap_window_ms = (uint32_t)value;
		else if (what == 'i')
			rules->incomplete_after = (uint32_t)value;
		else if (what == 'm')
			rules->storm = (uint32_t)value;
		else
			*patience = seconds ? (struct ft_patience){1, (uint32_t)value}
					    : (struct ft_patience){(uint32_t)value, 0};
	}
}

/* "cable-missing:a" -> "a", "link-flapping:cable-missing:a" -> "F:a", "sweep-incomplete" -> "S" */
static void id_say(struct ft_text *text, const char *id)
{
	static const struct {
		const char *long_form, *short_form;
	} forms[] = {{"link-flapping:", "F:"}, {"cable-missing:", ""},	  {"core-missing:", ""},
		     {"cables-swapped:", ""},  {"sweep-incomplete", "S"}, {"alert-storm", "M"}};

	for (size_t i = 0; i < FT_COUNT(forms); i++)
		if (strncmp(id, forms[i].long_form, strlen(forms[i].long_form)) == 0) {
			ft_text_puts(text, forms[i].short_form);
			id += strlen(forms[i].long_form);
		}
	if (strncmp(id, "0x", 2) == 0)
		ft_text_printf(text, "host%c", (char)(strtoul(id, NULL, 16) - 0x1000));
	else
		ft_text_puts(text, id);
}

static void event_say(struct ft_text *text, const struct ft_event *event)
{
	static const struct {
		const char *words, *mark;
	} overs[] = {{"repaired: ", ""},
		     {"waived: ", ":w"},
		     {"no alert any more: ", ":m"},
		     {"flapping now: ", ":f"},
		     {"steady again: ", ":s"},
		     {"seen whole again: ", ":c"},
		     {"now part of ", ":p"},
		     {"not in the new plan: ", ":n"},
		     {"told one by one now: ", ":1"}};

	ft_text_printf(text, "%s%c", text->length ? " " : "", "+~-"[event->kind]);
	id_say(text, event->id);
	if (strcmp(event->code, "alert-storm") == 0)
		ft_text_printf(text, "%lu", strtoul(strpbrk(event->text, "0123456789"), NULL, 10));
	for (size_t i = 0; event->kind == FT_EVENT_CLEARED && i < FT_COUNT(overs); i++)
		if (strncmp(event->text, overs[i].words, strlen(overs[i].words)) == 0)
			ft_text_puts(text, overs[i].mark);
}

/* What every event must hold; and its JSON is JSON. */
static void event_check(const struct ft_event *event)
{
	_cleanup_(ft_json_release) struct ft_json json = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	const char *finding_id;
	struct ft_error err = {0};

	ft_event_write_json(&text, event, "fab\"ric", NULL);
	assert_int_equal(ft_json_read(text.data, text.length, &json, &err), 0);
	assert_int_equal(strcspn(text.data, "\n"), text.length - 1);
	assert_true(json_is_object(json_object_get(json.root, "finding")));
	/* The finding's own id, which has the number of cables behind it. */
	finding_id = json_string_value(json_object_get(json_object_get(json.root, "finding"), "id"));
	assert_true(finding_id && strncmp(finding_id, event->id, strlen(event->id)) == 0);
	assert_true(finding_id[strlen(event->id)] == '\0' || finding_id[strlen(event->id)] == '*');
	assert_int_equal(json_object_size(json.root), 14);
	assert_true(event->duration_ms >= 0);
	if (event->kind == FT_EVENT_RAISED)
		assert_int_equal(event->duration_ms, 0);
	/* There is something to do, unless it is over. */
	assert_int_equal(event->fix[0] != '\0',
			 event->kind != FT_EVENT_CLEARED || strncmp(event->text, "now part of ", 12) == 0);
}

static void drain(struct run *run)
{
	const struct ft_event *event;
	uint64_t last = 0;

	while ((event = ft_alerts_next(run->alerts, "sink"))) {
		assert_true(event->seq > last);
		last = event->seq;
		event_check(event);
		event_say(&run->said, event);
		ft_alerts_done(run->alerts, "sink", event->seq);
	}
	assert_int_equal(ft_alerts_waiting(run->alerts, "sink"), 0);
}

static void look_step(struct run *run, const char *word)
{
	struct made made = {0};
	const char *colon = strchr(word, ':'), *slash = strchr(word, '/');
	char kind = word[0];

	if (kind == 'X')
		made.report.verdict = FT_VERDICT_UNKNOWN;
	if (word[1] == '?') {
		made.unreached = (char *)"core02";
		made.report.source.unreached = &made.unreached;
		made.report.source.unreached_count = 1;
	}
	if (strchr("MUW", kind)) {
		const char *end = slash ? slash : word + strlen(word);

		findings_make(&made, slash ? slash + 1 : "");
		gaps_make(&made, colon + 1, (size_t)(end - colon - 1),
			  kind == 'U' ? FT_EVIDENCE_UNREACHED : FT_EVIDENCE_MUTE, kind == 'W');
	} else {
		findings_make(&made, colon ? colon + 1 : "");
	}
	made.seen.guid = guid_of('a');
	/* '~': it is in no place of the plan. */
	made.seen.status = strchr(word, '~') ? FT_STATUS_UNPLANNED : FT_STATUS_OK;
	made.report.switches = &made.seen;
	made.report.switch_count = 1;
	assert_int_equal(ft_report_is_incomplete(&made.report), kind != 'L');
	call_make(run, kind == 'L' ? look_call : miss_call, &made.report);
}

static void step(struct run *run, const char *word)
{
	const char *at = word + 1;
	int64_t passed;

	switch (*word) {
	case '+':
		passed = span(&at);
		run->now.mono_ms += passed;
		run->now.wall_ms += passed;
		break;
	case '^':
		run->now.wall_ms += span(&at);
		break;
	case 'p':
	case 'n':
		run->kind = *word == 'p' ? FT_LOOK_PART : FT_LOOK_REPLANNED;
		step(run, at);
		run->kind = FT_LOOK_ALL;
		break;
	case 'R':
		rules_read(&run->rules, word + 2);
		break;
	case 'K':
		state_reload(run);
		break;
	case 'T':
		call_make(run, tick_call, NULL);
		break;
	case 'H':
		call_make(run, host_call, word + 2);
		break;
	case 'M':
		if (!word[1]) {
			call_make(run, miss_call, NULL);
			break;
		}
		look_step(run, word);
		break;
	default:
		look_step(run, word);
	}
}

static void run_begin(struct run *run)
{
	static const char *const sinks[] = {"sink"};

	*run = (struct run){
		.rules = {.raise_after = {1, 0},
			  .clear_after = {1, 0},
			  .severity = FT_SEVERITY_WARNING,
			  .incomplete_after = 3,
			  .flap_window_ms = 10000},
		.now = {.mono_ms = 5000, .wall_ms = 1790000000123},
	};
	assert_int_equal(ft_alerts_new(&run->alerts), 0);
	assert_int_equal(ft_alerts_set_sinks(run->alerts, sinks, 1), 0);
}

static void run_end(struct run *run)
{
	ft_alerts_free(run->alerts);
	ft_text_release(&run->said);
}

/* ---- the life cycle ---- */

struct row {
	const char *what, *steps, *events;
};

static const struct row rows[] = {
	{"said once", "L:a +1s L:a +1s L:a", "+a"},
	{"and once more when it is over", "L:a L: L:", "+a -a"},
	{"again when it comes again", "L:a L: L:a", "+a -a +a"},
	{"worst first, as in the report; then what is over", "L:b!,a L:c,a", "+b +a +c -b"},
	{"another count", "L:a L:a2 L:a2", "+a ~a"},
	{"another text", "L:a L:a' L:a", "+a ~a ~a"},
	{"another place", "L:a L:a*", "+a ~a"},
	{"another severity", "L:a L:a!", "+a ~a"},
	{"symptoms are not worth a word", "L:a L:a\" L:a", "+a"},
	{"info is no alert", "L:a-,b", "+b"},
	{"unless it is asked for", "R:s- L:a-", "+a"},
	{"critical only", "R:s! L:a,b! L:a!", "+b +a -b"},
	{"a waiver clears", "L:a L:aw", "+a -a:w"},
	{"and its end raises", "L:aw L:a", "+a"},
	{"less severe now", "L:a L:a-", "+a -a:m"},
	{"other rules", "L:a R:s! L:a R:s. L:a", "+a -a:m +a"},
	{"two of one id are one alert, the worse", "L:a,a! L:a! L:a!,a", "+a"},
	{"two of one id, one waived", "L:aw,a L:aw", "+a -a:w"},
	{"patience in looks", "R:r3 L:a L:a T +9s T L:a", "+a"},
	{"patience runs out", "R:r3 L:a L:a L: L:a L:a L:a", "+a"},
	{"no trace of what was not raised", "R:r2 L:a L: L:a L: L:", ""},
	{"failed looks do not count", "R:r2 L:a M M L:a", "+a"},
	{"patience in time", "R:r3s L:a +2999 T L:a +1 T", "+a"},
	{"or at a look", "R:r3s L:a +3s L:a", "+a"},
	{"gone when it was due, but not looked", "R:r3s L:a +5s L: T", ""},
	{"clearing in looks", "R:c3 L:a L: L: L:a L: L: L:", "+a -a"},
	{"clearing in time", "R:c3s L:a L: +2s T L:a L: +2s T +1s T", "+a -a"},
	{"back before it was cleared, and changed", "R:c3 L:a L: L:a2 L:a2", "+a ~a"},
	{"waived while it was clearing", "R:c2 L:a L: L:aw", "+a -a:w"},
	{"nothing changes while it is pending", "R:r3 L:a L:a2 L:a3 L:a3", "+a"},
	{"waits over a restart, looks", "R:r3 L:a L:a K L:a K L:a", "+a"},
	{"waits over a restart, time", "R:r3s L:a +1s K +1s T K +1s T", "+a"},
	{"clears over a restart", "L:a K L: K L:", "+a -a"},
	{"known over a restart", "L:a K L:a K L:a2 K L:a2", "+a ~a"},
	{"the clock stepped within a run", "R:r3s L:a ^+90s T +1s ^-500s T +2s T", "+a"},
	{"the clock stepped forward over a restart", "R:r3s L:a +1s K +0 T ^+2s T", ""},
	{"wall stepped back, then restart", "R:r3s L:a +2s ^-50s K +1s T", "+a"},

	{"three in a row that failed", "M M M M", "+S"},
	{"not in a row", "M M L: M M L:", ""},
	{"over at the next look", "M M M L: M", "+S -S:c"},
	{"a look that failed says nothing of cables", "L:a M M M M L:a", "+a +S -S:c"},
	{"nor does one that could not be judged", "L:a X: X:b X:b X:b L:a", "+a +S -S:c"},
	{"nor one that did not reach all", "L:a U:x/b U:x/b U:x/b U:x/b L:", "+a +S -a -S:c"},
	{"counted over restarts", "M K M K M K M K", "+S"},
	{"more patience", "R:i5 M M M M M", "+S"},
	{"none", "R:i1 M L:", "+S -S:c"},
	{"mute ports, the same each time: the rest is judged", "M:xy/a M:xy/a M:xy/a M:xy/b", "+a +S +b -a"},
	{"others each time: it is not", "M:x/a M:y/a M:x/a M:y/a M:z/a", "+S"},
	{"one more is not known to be mute yet", "M:x M:x M:x M:xy/a M:xy/a M:xy/a", "+S +a ~S"},
	{"one fewer is", "M:xy M:xy M:xy M:x/a", "+S +a ~S"},
	{"one that failed says nothing of them", "M:x M M:x M M:x/a", "+S +a ~S"},
	{"one that saw all does", "M:x M:x M:x/a L:a M:x M:x/b L:a", "+a +S -S:c"},
	{"remembered over a restart", "M:x M:x K M:x/a K M:x/a,b", "+a +S +b"},
	{"settles later", "M:x M:y M:z M:z M:z/a M:z", "+S +a ~S -a"},
	{"a fault at a port that is mute now is not repaired", "L:a,b M:a M:a M:a M:a L:", "+a +b -b +S -a -S:c"},
	{"waived: judged all the same, and no alert", "W:x/a W:x/a W:x/a W:x/a,b", "+a +b"},
	{"waived while it stands", "M:x M:x M:x W:x", "+S -S:w"},
	{"not severe enough", "R:s! M M M M", ""},
	{"a sweep that flaps is none", "R:i1f2 M L: M L: M L:", "+S -S:c +S -S:c +S -S:c"},
	{"a clear cannot come from beyond what was reached", "L:a,b L?:c! L:c! L:", "+a +b +c -a -b -c"},

	{"partial looks, at once", "pL:a pL:a2 pL: nL:b", "+a ~a -a +b"},
	{"do not count up", "R:r3 pL:a pL:a pL:a nL:a pL:a L:a pL:a L:a", "+a"},
	{"nor does what was begun by a full one", "R:r3 L:a pL:a nL:a pL:a L:a pL:a L:a", "+a"},
	{"nor down", "R:c3 L:a pL: pL: nL: pL: L: pL: L:", "+a -a"},
	{"but begin anew", "R:r3 L:a L:a pL: pL:a L:a pL:a L:a", "+a"},
	{"and are over", "R:c2 L:a pL: pL:a L: pL: pL:a", "+a"},
	{"in time, whatever the look", "R:r3sc3s pL:a +3s pL:a nL: +3s pL:", "+a -a:n"},
	{"partial looks over restarts", "R:r2 pL:a K pL:a K L:a", "+a"},
	{"do not reset what failed", "M M pL: M", "+S"},
	{"nor does a new plan", "M M nL:a M L:a", "+a +S -S:c"},
	{"nor count as failed", "M M pM pM nM pX: pU:x nM:x M", "+S"},
	{"a sweep that failed stays failed", "M M M pL:a pL: nL: L:", "+S +a -a -S:c"},
	{"a mute port stays known", "M:x M:x M:x pM:x/a pM:x/a pL:a,b pM:x/b M:x/b L:b", "+S +a +b -a -S:c"},
	{"is not made known by partial looks", "M:x pM:x/a pM:x/a pM:x/a M:x/a pM:x/a nM:x/a M:x/a", "+a +S"},
	{"partial, and another port is mute", "M:x M:x M:x pM:xy/a pM:y/a pM:x/b", "+S +b"},
	{"partial, and packets were lost", "M:x M:x M:x pU:x/a nM:x/a", "+S +a"},
	{"a new plan with a mute port", "M:x M:x M:x/a nM:x/b", "+a +S +b -a:n"},
	{"a mute port hides in partial looks, too", "L:a M:a M:a pM:a M:a pM:a L:", "+a +S -a -S:c"},

	{"its core dies", "L:a L:C L:", "+a +C -a:p -C"},
	{"of a core that dies, only the ends that were its", "L:a,c L:C", "+a +c +C -a:p -c"},
	{"the core is back, a cable is not", "L:C L:a", "+C +a -C"},
	{"missing cables that were put back swapped", "L:a,b L:W", "+a +b +W -a:p -b:p"},
	{"one end of a swap is pulled", "L:W L:a", "+W +a -W:p"},
	{"what is there was there before", "L:C,a L:C", "+C +a -a:p"},
	{"its core dies, which is known", "L:a L:Cw", "+a -a:p"},
	{"its core dies, which is not worth a word", "L:a L:C-", "+a -a"},
	{"part of it, then not", "R:c2 L:a L:C! L:", "+a +C -a"},
	{"part of it in the end", "R:c2 L:a L: L:C!", "+a +C -a:p"},
	{"part of it over a restart", "R:c5s L:a L:C- +1s L:C K +4s T", "+a +C -a:p"},
	{"not in the new plan", "L:a,b nL:b nL:", "+a +b -a:n -b:n"},
	{"still not in it", "R:c3 L:a nL: L: K L:", "+a -a:n"},
	{"repaired before it was", "R:c3 L:a L: nL: L: L:", "+a -a"},
	{"the new plan waives it", "L:a nL:aw", "+a -a:w"},
	{"waived is no alert, whatever the severity", "R:s- L:a-,b L:aw,b! L:aw,a-,b!", "+a +b ~b -a:w +a"},

	{"flaps", "R:f3 L:a L: L:a L: L:a L: L:a", "+a -a +a -a +a -a +F:a"},
	{"flaps, and stands", "R:f2c9 L:a L: L:a L: L:a L:", "+a +F:a -a:f"},
	{"flaps before it was ever raised", "R:f2r9 L:a L: L:a L: L:a", "+F:a"},
	{"nothing is said then", "R:f2r9 L:a L: L:a L: L:a L: L:a L:a2 L:a2! L:", "+F:a"},
	{"until it kept still, gone", "R:f2r9 L:a L: L:a L: L:a L: +9999 T +1 T L:", "+F:a -F:a:s"},
	{"or is there", "R:f2r2 L:a L: L:a L: L:a L:a +9999 T +1 T L:a", "+F:a +a -F:a:s"},
	{"or is there, to be waited for", "R:f2r3 L:a L: L:a L: L:a +10s T L:a L:a", "+F:a -F:a:s +a"},
	{"still means no flap", "R:f2r9 L:a L: L:a L: L:a +9s L: +9s L:a +9s T +1s T", "+F:a -F:a:s"},
	{"at a look", "R:f2r9 L:a L: L:a L: L:a L: +10s L:", "+F:a -F:a:s"},
	{"changed at that very look", "R:f2r9 L:a L: L:a L: L:a L: +10s L:a +5s T +5s T", "+F:a -F:a:s"},
	{"slowly enough", "R:f2 L:a +6s L: +6s L:a +6s L: +6s L:a", "+a -a +a -a +a"},
	{"too slow to be one at all", "R:f1 L:a L: +10s L:a", "+a -a +a"},
	{"just not", "R:f1 L:a L: +9999 L:a", "+a -a +F:a"},
	{"counted over restarts", "R:f3r9 L:a L: K L:a K L: L:a K L: L:a K L:a", "+F:a"},
	{"still over restarts", "R:f2r9 L:a L: L:a L: L:a L: +5s K +5s T", "+F:a -F:a:s"},
	{"no flaps any more", "R:f2r2 L:a L: L:a L: L:a L:a R:f0 T", "+F:a +a -F:a:s"},
	{"only the worst is wanted: it stays what it is", "R:f2s! L:a! L: L:a! L: L:a! L:", "+a -a +a -a +a -a"},
	{"two of them", "R:f1 L:a,b L: L:a,b L:c", "+a +b -a -b +F:a +F:b +c"},
	{"not while it cannot be seen", "R:f1 L:a M M L:a", "+a"},
	{"as many as are told one by one", "R:m3 L:a,b,c L:", "+a +b +c -a -b -c"},
	{"a storm is one alert, and its end", "R:m3 L:a,b,c,d L:a,b,c,d +9s L:", "+M4 -M4"},
	{"which goes bit by bit", "R:m3 L:a,b,c,d L:a,b L:b L:", "+M4 -M4"},
	{"one that comes next is told", "R:m3 L:a,b,c,d L:a,b,c,d,e L:a,b,c,d L:", "+M4 +e -e -M4"},
	{"over a restart", "R:m3 L:a,b,c,d K L:a,b,c,d K L:a K L:", "+M4 -M4"},
	{"critical ones are told", "R:m3 L:a!,b!,c,d,e L:c,d L:", "+M3 +a +b -a -b -M3"},
	{"as far as there are not many", "R:m3 L:a!,b!,c!,d!,e!,f!,g!,h!,i!,j!,k!,l! L:",
	 "+M2 +a +b +c +d +e +f +g +h +i +j -a -b -c -d -e -f -g -h -i -j -M2"},
	{"one that becomes critical is told", "R:m3 L:a,b,c,d L:a!,b,c,d L:a,b,c,d L:", "+M4 +a ~a -a -M4"},
	{"what changes otherwise is not", "R:m3 L:a,b,c,d L:a2,b',c*,d L:", "+M4 -M4"},
	{"a storm upon a storm", "R:m3 L:a,b,c,d L:a,b,c,d,e,f,g,h L:e,f,g,h L:", "+M4 ~M8 -M8"},
	{"one after a storm", "R:m3 L:a,b,c,d L: L:a,b,c,d L:", "+M4 -M4 +M4 -M4"},
	{"a plan of another fabric", "R:m3 nL:a,b,c,d nL:", "+M4 -M4:n"},
	{"too many within a minute", "R:m2 L:a,b L:a,b,c,d L:a,b,c,d,e,f L:a,b,c,d,e,f,g T +59s T +1s T L:",
	 "+a +b +c +d +e +f +M1 -a -b -c -d -e -f -M1"},
	{"those that join are told once none does",
	 "R:m2 L:a,b,c L:a,b,c,d,e L:a,b,c,d,e,f,g L:a,b,c,d,e,f,g,h,i "
	 "L:a,b,c,d,e,f,g,h,i,j +59s T +1s T T",
	 "+M3 +d +e +f +g +h +i ~M4"},
	{"what is left is told one by one",
	 "R:m3 L:a,b,c,d L:a,b +59s L:a,b +1s pL:a,b T L:a,b L:a L:", "+M4 +a +b -M4:1 -b -a"},
	{"not while it is many", "R:m3 L:a,b,c,d +99s L:a,b,c,d +99s L:a,b,c,d L:a,b,c +59s L:a,b,c L:", "+M4 -M4"},
	{"no storms any more", "R:m3 L:a,b,c,d R:m0 L:a,b,c,d L:", "+M4 +a +b +c +d -M4:1 -a -b -c -d"},
	{"by the clock", "R:m3r3s L:a,b,c,d +3s T L:a,b,c,d L:", "+M4 -M4"},
	{"cleared by the clock, over a restart", "R:m3c3s L:a,b,c,d L: K +2s T K +1s T", "+M4 -M4"},
	{"one of a storm flaps", "R:m3f2 L:a,b,c,d L:b,c,d L:a,b,c,d L:b,c,d L:a,b,c,d L:", "+M4 +a -a +F:a -M4"},
	{"a storm of flaps", "R:m3f1 L:a,b,c,d L: L:a,b,c,d K L: +9s T +1s T", "+M4 -M4 +M4 -M4"},
	{"of alerts that were told",
	 "R:m3f1 L:a,b L:a,b,c,d L:a,b L: L:a,b,c,d +9s T +1s T L:", "+a +b +c +d -c -d -a -b +M4 ~M4 -M4"},
	{"waived, all of it", "R:m3 L:a,b,c,d L:aw,bw,cw,dw", "+M4 -M4:w"},
	{"with a sweep that fails", "R:m3i1 L:a,b,c,d M L:a,b,c,d L:", "+M4 +S -S:c -M4"},
	{"a host's link", "R:f3 H:x H:x H:y H:x H:x", "+F:hostx"},
	{"too slowly", "R:f3 H:x +6s H:x +6s H:x +6s H:x", ""},
	{"kept still", "R:f2 H:x H:x +9s H:x +9s T +1s T", "+F:hostx -F:hostx:s"},
	{"over restarts and looks", "R:f3 H:x K H:x L:a L:a2 K H:x L: K", "+a ~a +F:hostx -a"},
	{"at once", "R:f1 H:x", "+F:hostx"},
	{"nobody asked", "H:x H:x H:x H:x H:x H:x H:x H:x", ""},
};

static void row_play(const struct row *row, bool try_failures)
{
	char steps[512], *save = NULL;
	struct run run;

	run_begin(&run);
	run.try_failures = try_failures;
	snprintf(steps, sizeof(steps), "%s", row->steps);
	for (char *word = strtok_r(steps, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		step(&run, word);
		drain(&run);
		if (*word == 'T' || *word == 'L' || strncmp(word, "pL", 2) == 0)
			due_check(&run);
	}
	assert_string_equal(ft_text_string(&run.said), row->events);
	run_end(&run);
}

static void test_row(void **state)
{
	row_play(*state, false);
}

static void test_row_failures(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++)
		row_play(&rows[i], true);
}

/* ---- what is said ---- */

static const struct ft_event *next(struct run *run)
{
	return ft_alerts_next(run->alerts, "sink");
}

static void test_words(void **state)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct run run;

	(void)state;
	run_begin(&run);
	run.rules.flap_count = 2;
	run.rules.flap_window_ms = 600000;
	step(&run, "L:a");
	assert_string_equal(next(&run)->text, "a: a cable is missing");
	assert_string_equal(next(&run)->code, "cable-missing");
	assert_string_equal(next(&run)->place.name, "switch \"a\" \xc3\xa9\\x1b");
	assert_int_equal(next(&run)->place.guid, guid_of('a'));
	assert_int_equal(next(&run)->place.port, 1);
	assert_int_equal(ft_alerts_standing(run.alerts, FT_SEVERITY_WARNING), 1);
	assert_int_equal(ft_alerts_standing(run.alerts, FT_SEVERITY_CRITICAL), 0);
	ft_event_write_json(&text, next(&run), "fabric", "mlx5_0-1");
	assert_string_equal(
		text.data,
		"{\"ftcheck_alert\": 1, \"seq\": 1, \"event\": \"raised\", \"time\": \"2026-09-21T14:13:20.123Z\", "
		"\"fabric\": "
		"\"fabric\", \"instance\": \"mlx5_0-1\", \"id\": \"cable-missing:a\", \"code\": \"cable-missing\", "
		"\"severity\": \"warning\", \"text\": \"a: a cable is missing\", \"fix\": \"find the cable, and seat "
		"it\", "
		"\"raised_at\": \"2026-09-21T14:13:20.123Z\", \"duration_s\": 0.000, \"finding\": {\"id\": "
		"\"cable-missing:a\", \"code\": \"cable-missing\", \"severity\": \"warning\", \"evidence\": "
		"\"absent\", "
		"\"where\": [{\"name\": \"switch \\\"a\\\" \xc3\xa9\\\\x1b\", \"guid\": \"0x0000000000001061\", "
		"\"port\": 1}, "
		"{\"name\": \"core01\", \"guid\": \"0x0000000000002000\", \"port\": 2}], \"expected\": \"9 cables\", "
		"\"observed\": \"8 cables\", \"count\": 1, \"text\": \"a: a cable is missing\", \"fix\": \"find the "
		"cable, "
		"and seat it\", \"impact\": {\"links_lost\": 0, \"hosts_cut_off\": 0}, \"symptoms\": [], "
		"\"alternatives\": "
		"[]}}\n");
	ft_alerts_done(run.alerts, "sink", next(&run)->seq);
	step(&run, "^+900s");
	step(&run, "+1234");
	step(&run, "L:");
	assert_string_equal(next(&run)->text, "repaired: a: a cable was missing");
	assert_string_equal(next(&run)->fix, "");
	assert_int_equal(next(&run)->duration_ms, 1234);
	assert_int_equal(next(&run)->raised_ms, 1790000000123);
	step(&run, "L:a");
	step(&run, "L:");
	drain(&run);
	assert_int_equal(ft_alerts_standing(run.alerts, FT_SEVERITY_WARNING), 0);
	step(&run, "L:a");
	assert_string_equal(next(&run)->id, "link-flapping:cable-missing:a");
	assert_string_equal(next(&run)->code, "link-flapping");
	assert_string_equal(
		next(&run)->text,
		"flapping: switch \"a\" \xc3\xa9\\x1b port 1 - core01 port 2: went and came back 2 times in 10 "
		"min; the fault: a: a cable is missing");
	assert_int_equal(ft_alerts_standing(run.alerts, FT_SEVERITY_WARNING), 1);
	drain(&run);
	step(&run, "H:x");
	step(&run, "H:x");
	assert_string_equal(next(&run)->id, "link-flapping:0x0000000000001078:5");
	assert_string_equal(next(&run)->text, "flapping: edge001 port 5 - nodex: went down 2 times in 10 min");
	drain(&run);
	for (int i = 0; i < 3; i++)
		step(&run, "M");
	assert_string_equal(next(&run)->text, "the sweep was killed by signal 9");
	assert_string_equal(next(&run)->id, "sweep-incomplete");
	assert_non_null(strstr(next(&run)->fix, "raise \"deadline\" in the configuration"));
	assert_null(next(&run)->place.name);
	run_end(&run);
}

/* The design of another fabric: nothing that stands is repaired, and the one alert says what is wrong. */
static void test_foreign_plan(void **state)
{
	struct made made = {0};
	struct ft_finding *f;
	struct run run;
	(void)state;

	run_begin(&run);
	step(&run, "L:a");
	drain(&run);
	made.report.verdict = FT_VERDICT_UNKNOWN;
	f = made_add(&made);
	f->code = FT_CODE_PLAN_FOREIGN;
	snprintf(f->id, STRING_SIZE, "plan-foreign");
	snprintf(f->text, STRING_SIZE, "this is the design of another fabric");
	for (int i = 0; i < 3; i++)
		call_make(&run, look_call, &made.report);
	assert_string_equal(next(&run)->id, "plan-foreign");
	assert_string_equal(next(&run)->text, "this is the design of another fabric");
	drain(&run);
	step(&run, "L:a");
	assert_string_equal(next(&run)->id, "plan-foreign");
	assert_int_equal(next(&run)->kind, FT_EVENT_CLEARED);
	drain(&run);
	assert_int_equal(ft_alerts_standing(run.alerts, FT_SEVERITY_WARNING), 1);
	run_end(&run);
}

/* How it is said that something is over that is not repaired; after a restart, too. */
static void test_words_over(void **state)
{
	static const struct {
		const char *before, *after, *text, *fix;
	} words[] = {
		{"L:a", "L:C", "now part of core-missing: a: a cable is missing", "find the cable, and seat it"},
		{"L:a", "pL:W", "now part of cables-swapped: a: a cable is missing", "find the cable, and seat it"},
		{"L:a", "L:W,C", "now part of cables-swapped: a: a cable is missing", "find the cable, and seat it"},
		{"L:a", "L:B", "now part of board-missing: a: a cable is missing", "find the cable, and seat it"},
		{"L:a", "L:D", "now part of core-missing: a: a cable is missing", "find the cable, and seat it"},
		{"L:b*", "L:D", "now part of core-missing: b: a cable is missing", "find the cable, and seat it"},
		{"L:c", "L:D", "repaired: c: a cable was missing", ""},
		{"L:D", "L:E", "now part of core-missing: D: a cable is missing", "find the cable, and seat it"},
		{"L:D", "L:F", "repaired: D: a cable was missing", ""},
		{"L:Do", "L:F", "repaired: D: a cable was missing", ""},
		{"L:a", "L:F", "now part of core-missing: a: a cable is missing", "find the cable, and seat it"},
		{"L:D", "L:E^", "repaired: D: a cable was missing", ""},
		{"L:a", "L:D^", "repaired: a: a cable was missing", ""},
		{"L:R", "L:b", "known now: R: a cable is missing", ""},
		{"L:R", "L:b~", "repaired: R: a cable was missing", ""},
		{"L:S", "L:b", "repaired: S: a cable was missing", ""},
		{"L:a", "nL:C", "not in the new plan: a: a cable is missing", ""},
		{"L:a", "L:aw", "waived: a: a cable is missing", ""},
		{"L:a", "L:a-", "no alert any more: a: a cable is missing", ""},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(words); i++) {
		struct run run;

		run_begin(&run);
		step(&run, words[i].before);
		drain(&run);
		step(&run, words[i].after);
		while (next(&run)->kind != FT_EVENT_CLEARED)
			ft_alerts_done(run.alerts, "sink", next(&run)->seq);
		for (int again = 0; again < 2; again++) {
			assert_string_equal(next(&run)->text, words[i].text);
			assert_string_equal(next(&run)->fix, words[i].fix);
			state_reload(&run);
		}
		run_end(&run);
	}
}

/* The caller saves when the version moved: it may not move for nothing, nor stay where it must not. */
static void test_version(void **state)
{
	static const struct {
		const char *step;
		bool moves;
	} steps[] = {{"L:a", true},    {"L:a", false}, {"pL:a", false}, {"pM", false}, {"nM:x/b", false},
		     {"L:a\"", false}, {"T", false},   {"L:", true},	{"L:", false}, {"M", true},
		     {"M", true},      {"M", true},    {"M", true},	{"L:a", true}, {"L:a", false}};
	struct run run;

	(void)state;
	run_begin(&run);
	for (size_t i = 0; i < FT_COUNT(steps); i++) {
		uint64_t before = ft_alerts_version(run.alerts);

		step(&run, steps[i].step);
		assert_int_equal(ft_alerts_version(run.alerts) != before, steps[i].moves);
		/* What a sink had must be known, too. */
		while (next(&run)) {
			before = ft_alerts_version(run.alerts);
			ft_alerts_done(run.alerts, "sink", next(&run)->seq);
			assert_int_not_equal(ft_alerts_version(run.alerts), before);
		}
	}
	run_end(&run);
}

static void test_due(void **state)
{
	struct run run;

	(void)state;
	run_begin(&run);
	assert_int_equal(ft_alerts_due_ms(run.alerts, &run.rules), INT64_MAX);
	step(&run, "R:r3s");
	step(&run, "L:a");
	assert_int_equal(ft_alerts_due_ms(run.alerts, &run.rules), run.now.mono_ms + 3000);
	assert_false(ft_alerts_want_look(run.alerts, &run.rules));
	step(&run, "R:r3");
	assert_int_equal(ft_alerts_due_ms(run.alerts, &run.rules), INT64_MAX);
	assert_true(ft_alerts_want_look(run.alerts, &run.rules));
	/* Less patience at once: it is due. */
	step(&run, "R:r1");
	assert_true(ft_alerts_due_ms(run.alerts, &run.rules) <= run.now.mono_ms);
	step(&run, "T");
	drain(&run);
	assert_string_equal(ft_text_string(&run.said), "+a");
	assert_false(ft_alerts_want_look(run.alerts, &run.rules));
	/* A turn that failed is not tried again at once, but what is due stays so. */
	step(&run, "R:r3s");
	step(&run, "L:a,b");
	step(&run, "+3s");
	assert_true(ft_alerts_due_ms(run.alerts, &run.rules) <= run.now.mono_ms);
	allocation_failing = 1;
	assert_int_equal(tick_call(&run, NULL), -ENOMEM);
	assert_int_equal(ft_alerts_due_ms(run.alerts, &run.rules), run.now.mono_ms + 1000);
	step(&run, "+1s");
	assert_true(ft_alerts_due_ms(run.alerts, &run.rules) <= run.now.mono_ms);
	step(&run, "T");
	drain(&run);
	assert_string_equal(ft_text_string(&run.said), "+a +b");
	assert_int_equal(ft_alerts_due_ms(run.alerts, &run.rules), INT64_MAX);
	step(&run, "R:r1f1c9");
	step(&run, "L:");
	step(&run, "L:a");
	assert_int_equal(ft_alerts_due_ms(run.alerts, &run.rules), run.now.mono_ms + 10000);
	run_end(&run);
}

/* ---- sinks ---- */

static void said_by(struct run *run, const char *sink, const char *expected)
{
	_cleanup_(ft_text_release) struct ft_text said = {0};
	const struct ft_event *event;

	while ((event = ft_alerts_next(run->alerts, sink))) {
		event_say(&said, event);
		ft_alerts_done(run->alerts, sink, event->seq);
	}
	assert_string_equal(ft_text_string(&said), expected);
}

static void sinks_set(struct run *run, const char *a, const char *b, const char *c)
{
	const char *const names[] = {a, b, c};

	assert_int_equal(ft_alerts_set_sinks(run->alerts, names, a ? b ? c ? 3 : 2 : 1 : 0), 0);
}

static void test_sinks(void **state)
{
	struct run run;
	uint64_t version;

	(void)state;
	run_begin(&run);
	sinks_set(&run, "one", "two", "one");
	step(&run, "L:a");
	step(&run, "L:");
	assert_int_equal(ft_alerts_waiting(run.alerts, "one"), 2);
	assert_int_equal(ft_alerts_waiting(run.alerts, "sink"), 0);
	assert_null(ft_alerts_next(run.alerts, "sink"));
	assert_null(ft_alerts_next(run.alerts, "nobody"));
	said_by(&run, "one", "+a -a");
	assert_int_equal(ft_alerts_waiting(run.alerts, "two"), 2);
	/* Raised and cleared while it was blocked stay two. A new one is told of what comes. */
	step(&run, "K");
	sinks_set(&run, "three", "two", NULL);
	step(&run, "L:b");
	said_by(&run, "two", "+a -a +b");
	said_by(&run, "three", "+b");
	/* Out of order, twice, and what nobody knows. */
	step(&run, "L:c,d");
	version = ft_alerts_version(run.alerts);
	ft_alerts_done(run.alerts, "two", 99);
	ft_alerts_done(run.alerts, "nobody", 4);
	assert_int_equal(ft_alerts_version(run.alerts), version);
	ft_alerts_done(run.alerts, "two", 5);
	ft_alerts_done(run.alerts, "two", 5);
	assert_int_equal(ft_alerts_waiting(run.alerts, "two"), 2);
	said_by(&run, "two", "+c -b");
	said_by(&run, "three", "+c +d -b");
	/* Nobody: nothing is kept, and the numbers go on. */
	step(&run, "L:c,d,e");
	sinks_set(&run, NULL, NULL, NULL);
	step(&run, "L:c,d,e,f");
	sinks_set(&run, "two", NULL, NULL);
	step(&run, "L:");
	assert_int_equal(next(&run) ? 1 : 0, 0);
	assert_int_equal(ft_alerts_next(run.alerts, "two")->seq, 9);
	for (size_t n = 1;; n++) {
		_cleanup_(ft_text_release) struct ft_text before = state_text(&run), after = {0};
		static const char *const names[] = {"new", "two", "newer"};
		int r;

		allocation_failing = n;
		r = ft_alerts_set_sinks(run.alerts, names, 3);
		allocation_failing = 0;
		after = state_text(&run);
		if (r == 0)
			break;
		assert_int_equal(r, -ENOMEM);
		assert_string_equal(before.data, after.data);
	}
	said_by(&run, "two", "-c -d -e -f");
	run_end(&run);
}

static void look_at(struct run *run, size_t count, size_t first)
{
	struct ft_finding *findings = calloc(count + 1, sizeof(*findings));
	char(*ids)[40] = calloc(count + 1, sizeof(*ids));
	struct ft_report report = {.findings = findings, .finding_count = count};

	assert_non_null(findings);
	assert_non_null(ids);
	for (size_t i = 0; i < count; i++) {
		snprintf(ids[i], sizeof(ids[i]), "cable-missing:%zu", first + i);
		findings[i] = (struct ft_finding){.id = ids[i],
						  .code = FT_CODE_CABLE_MISSING,
						  .severity = FT_SEVERITY_WARNING,
						  .text = ids[i],
						  .fix = ids[i]};
	}
	assert_int_equal(ft_alerts_look(run->alerts, &run->rules, &report, FT_LOOK_ALL, run->now), 0);
	free(findings);
	free(ids);
}

/* A sink that is blocked for long: alerts that came and went while it was are given up first. */
static void test_events_max(void **state)
{
	const struct ft_event *event;
	struct run run;

	(void)state;
	run_begin(&run);
	sinks_set(&run, "sink", "quick", NULL);
	look_at(&run, 10, 0);
	for (size_t i = 0; i < FT_EVENTS_MAX / 2 + 100; i++) {
		struct made made = {0};

		look_at(&run, 11, 0);
		look_at(&run, 10, 0);
		while ((event = ft_alerts_next(run.alerts, "quick")))
			ft_alerts_done(run.alerts, "quick", event->seq);
		(void)made;
	}
	assert_int_equal(ft_alerts_waiting(run.alerts, "sink"), FT_EVENTS_MAX);
	assert_int_equal(ft_alerts_dropped(run.alerts), 210);
	for (uint64_t seq = 1; seq <= 10; seq++) {
		assert_int_equal(next(&run)->seq, seq);
		ft_alerts_done(run.alerts, "sink", seq);
	}
	assert_int_equal(next(&run)->seq, 221);
	assert_int_equal(next(&run)->kind, FT_EVENT_RAISED);
	step(&run, "K");
	assert_int_equal(ft_alerts_dropped(run.alerts), 210);
	assert_int_equal(ft_alerts_waiting(run.alerts, "sink"), FT_EVENTS_MAX - 10);
	run_end(&run);

	/* Where all of them stand the oldest go. */
	run_begin(&run);
	look_at(&run, FT_EVENTS_MAX + 7, 0);
	assert_int_equal(next(&run)->seq, 8);
	assert_int_equal(ft_alerts_dropped(run.alerts), 7);
	/* What is with the sink just now is told its end, whatever else is given up; it need not be the oldest. */
	ft_alerts_begin(run.alerts, "sink", 9);
	look_at(&run, 0, 0);
	assert_int_equal(ft_alerts_waiting(run.alerts, "sink"), FT_EVENTS_MAX - 1);
	assert_int_equal(next(&run)->seq, 9);
	for (event = next(&run); event->kind != FT_EVENT_CLEARED || strcmp(event->id, next(&run)->id) != 0;) {
		event = ft_alerts_after(run.alerts, "sink", event);
		assert_non_null(event);
	}
	run_end(&run);
}

/* Findings whose symptoms fill some 20 kB each. */
static void large_look(struct run *run, size_t count, size_t first)
{
	enum { SYMPTOMS = 200 };
	static const char words[] =
		"what else is wrong because of it, in words of about a hundred bytes, so that they count";
	struct ft_symptom symptoms[SYMPTOMS];
	struct ft_finding findings[4] = {0};
	struct ft_report report = {.findings = findings, .finding_count = count};
	char ids[4][40];

	for (size_t i = 0; i < SYMPTOMS; i++)
		symptoms[i] = (struct ft_symptom){.text = (char *)words};
	for (size_t i = 0; i < count; i++) {
		snprintf(ids[i], sizeof(ids[i]), "core-missing:%zu", first + i);
		findings[i] = (struct ft_finding){.id = ids[i],
						  .code = FT_CODE_CORE_MISSING,
						  .severity = FT_SEVERITY_WARNING,
						  .text = ids[i],
						  .fix = ids[i],
						  .symptoms = symptoms,
						  .symptom_count = SYMPTOMS};
	}
	assert_int_equal(ft_alerts_look(run->alerts, &run->rules, &report, FT_LOOK_ALL, run->now), 0);
}

/* Beyond so many bytes, first the lists in old events are cut; nothing is lost. */
static void test_bytes_max(void **state)
{
	enum { BYTES = 4 << 20, ROUNDS = 200 };
	const struct ft_event *event;
	struct ft_text text;
	size_t brief = 0, events = 0, before;
	struct run run;

	(void)state;
	run_begin(&run);
	sinks_set(&run, "sink", "another", NULL);
	run.rules.max_bytes = BYTES;
	for (size_t i = 0; i < ROUNDS; i++) {
		large_look(&run, 3, 3 * i);
		run.now.mono_ms += run.rules.flap_window_ms;
	}
	state_reload(&run);
	assert_int_equal(ft_alerts_dropped(run.alerts), 0);
	/* All are raised, and all but the last three are cleared. */
	assert_int_equal(ft_alerts_waiting(run.alerts, "sink"), 6 * ROUNDS - 3);
	for (event = next(&run); event; event = ft_alerts_after(run.alerts, "sink", event)) {
		events++;
		if (strstr(event->finding, "{\"text\": \"and 193 more\", \"where\": null}]")) {
			/* The oldest. */
			assert_int_equal(++brief, events);
			assert_true(strlen(event->finding) < 2000);
		} else {
			assert_true(strlen(event->finding) > 15000);
		}
	}
	assert_true(brief > 0 && brief < events);
	text = state_text(&run);
	assert_in_range(text.length, BYTES / 2, 3 * BYTES);
	ft_text_release(&text);
	/* Where that is not enough the oldest are given up. */
	run.rules.max_bytes = BYTES / 10;
	large_look(&run, 3, 0);
	assert_true(ft_alerts_dropped(run.alerts) > 0);
	assert_in_range(ft_alerts_waiting(run.alerts, "sink"), 1, 6 * ROUNDS - 4);
	text = state_text(&run);
	assert_in_range(text.length, 1, BYTES / 4);
	ft_text_release(&text);
	run_end(&run);

	/* Of those that are over, but may be flapping, the oldest are forgotten. */
	run_begin(&run);
	sinks_set(&run, NULL, NULL, NULL);
	run.rules.flap_count = 3;
	run.rules.flap_window_ms = 1000000;
	run.rules.max_bytes = BYTES;
	for (size_t i = 0; i < ROUNDS; i++) {
		large_look(&run, 3, 3 * i);
		run.now.mono_ms++;
	}
	text = state_text(&run);
	before = text.length;
	ft_text_release(&text);
	assert_in_range(before, BYTES / 2, 2 * BYTES);
	/* A young one is not. */
	for (size_t i = 0; i < 3; i++) {
		large_look(&run, 0, 0);
		large_look(&run, 1, 3 * ROUNDS - 1);
	}
	text = state_text(&run);
	assert_non_null(strstr(text.data, "link-flapping:core-missing:599"));
	ft_text_release(&text);
	run_end(&run);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Random runs; FT_RUNS sets how many. With fewer than a hundred, other tests that repeat things do so less, too. */
static unsigned long runs_wanted(void)
{
	return getenv("FT_RUNS") ? strtoul(getenv("FT_RUNS"), NULL, 0) : 2000;
}

static double wrong_plan(size_t count)
{
	double begin = seconds();
	struct run run;

	run_begin(&run);
	sinks_set(&run, "sink", "quick", NULL);
	look_at(&run, count, 0);
	look_at(&run, count, 0);
	look_at(&run, count, count / 2);
	/* As many once more, summed up. */
	run.rules.storm = 30;
	look_at(&run, count, count * 2);
	for (const struct ft_event *event; (event = ft_alerts_next(run.alerts, "quick"));)
		ft_alerts_done(run.alerts, "quick", event->seq);
	step(&run, "K");
	for (size_t i = 0; i < count; i++)
		assert_int_equal(
			ft_alerts_host_link_down(run.alerts, &ft_alert_rules_defaults, i, 1, "a", "b", run.now), 0);
	step(&run, "T");
	run_end(&run);
	return seconds() - begin;
}

static void test_wrong_plan(void **state)
{
	double small = wrong_plan(runs_wanted() < 100 ? 250 : 2500),
	       large = wrong_plan(runs_wanted() < 100 ? 2000 : 20000);

	(void)state;
	print_message("findings at once: %.3f s; eight times as many: %.3f s\n", small, large);
	/* Eight times as many: 8 if it is linear, 64 if it is not. Of processor time, so a busy machine does no harm.
	 */
	assert_true(large < 24 * small + 0.1);
}

/* ---- against an independent model ---- */

enum { IDS = 6, HOSTS = 2, RETURNS_MAX = 256, LOG_MAX = 512 };

/* One id as the documentation has it: kept as what was observed of it, and what follows is worked out each time. */
struct model_id {
	bool known, there, stands, flaps;
	int64_t since; /* there or not */
	uint32_t run;  /* looks in a row */
	int64_t returns[RETURNS_MAX];
	size_t return_count;
	char marks[8];
};

struct model_log {
	char kind;
	int64_t wall;
};

struct model {
	struct model_id ids[IDS], hosts[HOSTS];
	bool sweep_stands;
	char sweep_told[8];
	uint32_t misses;
	uint32_t mute[4];
	/* what should have been said of each id, and of its link-flapping; of the hosts', and of the sweep */
	struct model_log logs[2 * IDS + HOSTS + 1][LOG_MAX];
	size_t log_counts[2 * IDS + HOSTS + 1];
};

struct play {
	struct run run;
	struct model *m;
	/* what each of two sinks was told */
	size_t told[2][2 * IDS + HOSTS + 1];
	uint64_t last_seq[2];
	bool standing[2][2 * IDS + HOSTS + 1];
};

static void model_say(struct play *p, size_t what, char kind)
{
	size_t *count = &p->m->log_counts[what];

	assert_true(*count < LOG_MAX);
	p->m->logs[what][(*count)++] = (struct model_log){kind, p->run.now.wall_ms};
}

static bool model_flapping_wanted(const struct play *p)
{
	return p->run.rules.flap_count > 0 && p->run.rules.severity != FT_SEVERITY_CRITICAL;
}

static bool model_recent(const struct play *p, int64_t then)
{
	return model_flapping_wanted(p) && then + p->run.rules.flap_window_ms > p->run.now.mono_ms;
}

static bool model_waited(const struct play *p, const struct ft_patience *patience, const struct model_id *id)
{
	if (patience->ms)
		return id->since + patience->ms <= p->run.now.mono_ms;
	return id->run >= patience->looks;
}

static void model_time(struct play *p, size_t i)
{
	struct model_id *id = &p->m->ids[i];

	if (!id->known)
		return;
	if (id->flaps) {
		if (model_recent(p, id->since))
			return;
		id->flaps = false;
		model_say(p, IDS + i, '-');
		if (id->there && model_waited(p, &p->run.rules.raise_after, id)) {
			id->stands = true;
			model_say(p, i, '+');
		}
		return;
	}
	if (id->there && !id->stands && model_waited(p, &p->run.rules.raise_after, id)) {
		id->stands = true;
		model_say(p, i, '+');
	} else if (!id->there && id->stands && model_waited(p, &p->run.rules.clear_after, id)) {
		id->stands = false;
		model_say(p, i, '-');
	}
}

/* What is beyond the window is forgotten, also where a later one is wider. */
static void model_return(struct play *p, struct model_id *id)
{
	size_t kept = 0;

	for (size_t i = 0; i < id->return_count; i++)
		if (model_recent(p, id->returns[i]))
			id->returns[kept++] = id->returns[i];
	assert_true(kept < RETURNS_MAX);
	id->returns[kept] = p->run.now.mono_ms;
	id->return_count = kept + 1;
}

static void model_there(struct play *p, size_t i, const char *marks, bool full)
{
	struct model_id *id = &p->m->ids[i];
	bool same = strcmp(id->marks, marks) == 0;

	if (!id->known || !id->there) {
		if (id->known && !id->flaps && model_recent(p, id->since)) {
			model_return(p, id);
			if (id->return_count >= p->run.rules.flap_count) {
				id->flaps = true;
				id->return_count = 0;
				model_say(p, IDS + i, '+');
				if (id->stands)
					model_say(p, i, '-');
				id->stands = false;
			}
		}
		id->known = id->there = true;
		id->since = p->run.now.mono_ms;
		id->run = 0;
	}
	id->run += id->run == 0 || full;
	snprintf(id->marks, sizeof(id->marks), "%s", marks);
	if (id->stands && !same)
		model_say(p, i, '~');
	model_time(p, i);
}

static void model_away(struct play *p, size_t i, bool full)
{
	struct model_id *id = &p->m->ids[i];

	if (!id->known)
		return;
	if (id->there) {
		id->there = false;
		id->since = p->run.now.mono_ms;
		id->run = 0;
	}
	id->run += id->run == 0 || full;
	model_time(p, i);
}

static void model_host_time(struct play *p, size_t i)
{
	struct model_id *host = &p->m->hosts[i];

	if (host->flaps && !model_recent(p, host->since)) {
		host->flaps = false;
		model_say(p, 2 * IDS + i, '-');
	}
}

static void model_forget(struct play *p)
{
	for (size_t i = 0; i < IDS; i++) {
		struct model_id *id = &p->m->ids[i];

		if (id->known && !id->there && !id->stands && !id->flaps && !model_recent(p, id->since)) {
			id->known = false;
			id->return_count = 0;
		}
	}
	for (size_t i = 0; i < HOSTS; i++) {
		struct model_id *host = &p->m->hosts[i];

		if (host->known && !host->flaps && !model_recent(p, host->since)) {
			host->known = false;
			host->return_count = 0;
		}
	}
}

/* What was seen: marks[i] NULL: not there. @hidden: bits of ids that may be there unseen. */
static void model_judge(struct play *p, const char *const *marks, unsigned int hidden, bool full)
{
	for (size_t i = 0; i < IDS; i++) {
		bool critical = marks[i] && strchr(marks[i], '!');
		bool alert = marks[i] && !strpbrk(marks[i], "-w") &&
			     (critical || p->run.rules.severity == FT_SEVERITY_WARNING);

		if (alert)
			model_there(p, i, marks[i], full);
		else if (!marks[i] && hidden & 1U << i)
			model_time(p, i);
		else
			model_away(p, i, full);
	}
	for (size_t i = 0; i < HOSTS; i++)
		model_host_time(p, i);
}

enum { SWEEP = 2 * IDS + HOSTS };

/* @full: all was read anew. */
static void model_look(struct play *p, const char *const *marks, bool partial, bool full)
{
	model_judge(p, marks, partial ? ~0U : 0, full);
	if (full && p->m->sweep_stands)
		model_say(p, SWEEP, '-');
	p->m->sweep_stands &= !full;
	p->m->misses = full ? 0 : p->m->misses;
	if (full)
		memset(p->m->mute, 0, sizeof(p->m->mute));
	model_forget(p);
}

/* What was not read anew teaches nothing of ports: all of them must be known. */
static void model_miss_part(struct play *p, const char *const *marks, const char *ports)
{
	bool all_mute = ports && *ports;
	struct model *m = p->m;

	for (int i = 0; ports && i < 4; i++)
		all_mute &= !strchr(ports, "aUVW"[i]) || m->mute[i] >= p->run.rules.incomplete_after;
	assert_int_equal(p->run.judged, all_mute);
	if (!all_mute)
		return;
	model_judge(p, marks, strchr(ports, 'a') && !strchr(m->ids[0].marks, '*') ? 1 : 0, false);
	model_forget(p);
}

/* @ports: which of four are mute; port 0 is where id 0 is. NULL: the look failed. */
static void model_miss(struct play *p, const char *const *marks, const char *ports)
{
	bool all_mute = ports && *ports;
	struct model *m = p->m;

	m->misses++;
	for (int i = 0; ports && i < 4; i++)
		m->mute[i] = strchr(ports, "aUVW"[i]) ? m->mute[i] + 1 : 0;
	for (int i = 0; ports && i < 4; i++)
		all_mute &= m->mute[i] == 0 || m->mute[i] >= p->run.rules.incomplete_after;
	assert_int_equal(p->run.judged, all_mute);
	if (all_mute)
		model_judge(p, marks, strchr(ports, 'a') && !strchr(m->ids[0].marks, '*') ? 1 : 0, true);
	if (m->misses >= p->run.rules.incomplete_after && p->run.rules.severity != FT_SEVERITY_CRITICAL) {
		if (!m->sweep_stands)
			model_say(p, SWEEP, '+');
		else if (all_mute && strcmp(m->sweep_told, ports) != 0)
			model_say(p, SWEEP, '~');
		if (!m->sweep_stands || all_mute)
			snprintf(m->sweep_told, sizeof(m->sweep_told), "%s", all_mute ? ports : "");
		m->sweep_stands = true;
	}
	model_forget(p);
}

static void model_tick(struct play *p)
{
	for (size_t i = 0; i < IDS; i++)
		model_time(p, i);
	for (size_t i = 0; i < HOSTS; i++)
		model_host_time(p, i);
	model_forget(p);
}

static void model_host(struct play *p, size_t i)
{
	struct model_id *host = &p->m->hosts[i];

	if (!model_flapping_wanted(p))
		return;
	host->known = true;
	host->since = p->run.now.mono_ms;
	if (host->flaps)
		return;
	model_return(p, host);
	if (host->return_count >= p->run.rules.flap_count) {
		host->flaps = true;
		host->return_count = 0;
		model_say(p, 2 * IDS + i, '+');
	}
}

static void model_moved(struct model_id *ids, size_t count, struct ft_now before, struct ft_now after)
{
	for (size_t i = 0; i < count; i++)
		for (size_t n = 0; n <= ids[i].return_count; n++) {
			int64_t *when = n ? &ids[i].returns[n - 1] : &ids[i].since;
			int64_t wall = before.wall_ms - before.mono_ms + *when;

			*when = after.mono_ms - (after.wall_ms > wall ? after.wall_ms - wall : 0);
		}
}

/* ---- both, side by side ---- */

static void play_restart(struct play *p)
{
	_cleanup_(ft_text_release) struct ft_text text = state_text(&p->run);
	struct ft_alerts *alerts = NULL;
	struct ft_now before = p->run.now;

	/* A reboot: the monotonic clock begins anew, the wall clock may have been set. */
	p->run.now.mono_ms = random_below(100000);
	p->run.now.wall_ms += (int64_t)random_below(8000) - 3000;
	assert_int_equal(ft_alerts_read_json(text.data, text.length, p->run.now, &alerts, NULL), 0);
	ft_alerts_free(p->run.alerts);
	p->run.alerts = alerts;
	model_moved(p->m->ids, IDS, before, p->run.now);
	model_moved(p->m->hosts, HOSTS, before, p->run.now);
}

static size_t log_of(const char *id)
{
	bool flap = strncmp(id, "link-flapping:", 14) == 0;

	if (strcmp(id, "sweep-incomplete") == 0)
		return SWEEP;
	if (flap && strncmp(id + 14, "0x", 2) == 0)
		return 2 * IDS + strtoul(id + 14, NULL, 16) - guid_of('x');
	return (size_t)(id[strlen(id) - 1] - 'a') + (flap ? IDS : 0);
}

/* One event to a sink: it must be the next of its alert in the model's log, and make sense by itself. */
static void play_tell(struct play *p, size_t sink, const struct ft_event *event)
{
	size_t what = log_of(event->id), at = p->told[sink][what]++;
	bool *standing = &p->standing[sink][what];

	assert_true(event->seq > p->last_seq[sink]);
	p->last_seq[sink] = event->seq;
	assert_true(at < p->m->log_counts[what]);
	assert_int_equal("+~-"[event->kind], p -> m -> logs[what][at].kind);
	assert_int_equal(event->wall_ms, p->m->logs[what][at].wall);
	assert_int_equal(*standing, event->kind != FT_EVENT_RAISED);
	*standing = event->kind != FT_EVENT_CLEARED;
}

static void play_drain(struct play *p, size_t sink, size_t most)
{
	static const char *const names[] = {"sink", "slow"};
	const struct ft_event *event;

	while (most-- > 0 && (event = ft_alerts_next(p->run.alerts, names[sink]))) {
		play_tell(p, sink, event);
		ft_alerts_done(p->run.alerts, names[sink], event->seq);
	}
}

static void play_look(struct play *p, char kind)
{
	static const char *const kinds_of_marks[] = {"", "", "", "!", "2", "'", "-", "w", "*"};
	const char *marks[IDS] = {0};
	const char *how = random_below(3) ? "" : random_below(3) ? "p" : "n";
	char word[128], ports[8] = "";

	snprintf(word, sizeof(word), "%sL%s:", how, kind == 'P' ? "?" : "");
	for (int i = 0; kind == 'M' && i < 4; i++)
		if (random_below(8) < (i < 2 ? 6 : 1))
			snprintf(ports + strlen(ports), 2, "%c", "aUVW"[i]);
	if (kind == 'M' && !ports[0])
		snprintf(ports, sizeof(ports), "U");
	if (kind == 'M')
		snprintf(word, sizeof(word), "%sM:%s/", how, ports);
	for (size_t i = 0; i < IDS; i++) {
		const struct model_id *id = &p->m->ids[i];
		bool there = random_below(4) ? id->known && id->there : random_below(2);

		if (!there)
			continue;
		marks[i] = random_below(5) ? id->marks : kinds_of_marks[random_below(FT_COUNT(kinds_of_marks))];
		snprintf(word + strlen(word), sizeof(word) - strlen(word), "%c%s,", (char)('a' + i), marks[i]);
	}
	/* Marks are the model's own memory: a copy, or saying so changes what is said. */
	{
		char copies[IDS][8];
		const char *copied[IDS] = {0};

		for (size_t i = 0; i < IDS; i++)
			if (marks[i]) {
				snprintf(copies[i], sizeof(copies[i]), "%s", marks[i]);
				copied[i] = copies[i];
			}
		step(&p->run, word);
		if (kind == 'M' && *how)
			model_miss_part(p, copied, ports);
		else if (kind == 'M')
			model_miss(p, copied, ports);
		else
			model_look(p, copied, kind == 'P', !*how);
	}
}

static void play_step(struct play *p)
{
	char host[] = {'H', ':', (char)('x' + random_below(HOSTS)), '\0'};
	int64_t passed = random_below(4) ? random_below(1500) : random_below(9000);

	p->run.now.mono_ms += passed;
	p->run.now.wall_ms += passed;
	if (random_below(20) == 0)
		p->run.now.wall_ms += (int64_t)random_below(20000) - 10000;
	switch (random_below(17)) {
	case 16:
		step(&p->run, "pM");
		model_miss_part(p, NULL, NULL);
		break;
	case 0:
		step(&p->run, "M");
		model_miss(p, NULL, NULL);
		break;
	case 1:
	case 2:
	case 3:
		play_look(p, 'M');
		break;
	case 4:
		play_look(p, 'P');
		break;
	case 5:
	case 6:
		step(&p->run, "T");
		model_tick(p);
		break;
	case 7:
	case 8:
		step(&p->run, host);
		model_host(p, (size_t)(host[2] - 'x'));
		break;
	default:
		play_look(p, 'L');
	}
	if (random_below(6) == 0)
		play_restart(p);
	play_drain(p, 0, random_below(3) ? SIZE_MAX : random_below(3));
	if (random_below(6) == 0)
		play_restart(p);
	if (random_below(12) == 0)
		play_drain(p, 1, random_below(10));
}

static void play_rules(struct ft_alert_rules *rules)
{
	struct ft_patience *patiences[] = {&rules->raise_after, &rules->clear_after};

	for (size_t i = 0; i < FT_COUNT(patiences); i++)
		*patiences[i] = random_below(3) ? (struct ft_patience){1 + random_below(3), 0}
						: (struct ft_patience){1, 1 + random_below(5000)};
	rules->severity = random_below(5) ? FT_SEVERITY_WARNING : FT_SEVERITY_CRITICAL;
	rules->flap_count = random_below(5);
	rules->flap_window_ms = 1000 + random_below(20000);
	rules->incomplete_after = 1 + random_below(3);
}

static void play(struct play *p)
{
	uint32_t steps = 1 + random_below(80);

	run_begin(&p->run);
	play_rules(&p->run.rules);
	sinks_set(&p->run, "sink", "slow", NULL);
	for (uint32_t i = 0; i < steps; i++) {
		if (random_below(40) == 0 && p->run.rules.severity == FT_SEVERITY_WARNING) {
			play_rules(&p->run.rules);
			p->run.rules.severity = FT_SEVERITY_WARNING;
		}
		play_step(p);
	}
	for (size_t sink = 0; sink < 2; sink++) {
		play_drain(p, sink, SIZE_MAX);
		for (size_t what = 0; what <= SWEEP; what++)
			assert_int_equal(p->told[sink][what], p->m->log_counts[what]);
		for (size_t i = 0; i < IDS; i++) {
			assert_int_equal(p->standing[sink][i], p->m->ids[i].known && p->m->ids[i].stands);
			assert_int_equal(p->standing[sink][IDS + i], p->m->ids[i].known && p->m->ids[i].flaps);
		}
	}
	assert_int_equal(ft_alerts_dropped(p->run.alerts), 0);
	run_end(&p->run);
}

static void test_model(void **state)
{
	unsigned long runs = runs_wanted();
	uint64_t seed = random_seed;
	size_t events = 0;

	(void)state;
	for (unsigned long i = 0; i < runs; i++) {
		struct play p = {.m = calloc(1, sizeof(*p.m))};

		assert_non_null(p.m);
		/* The seed of this run alone, to be given back as FT_SEED with FT_RUNS=1. */
		random_state = (seed + i * 2) | 1;
		if (getenv("FT_VERBOSE"))
			print_message("run FT_SEED=0x%" PRIx64 "\n", random_state);
		for (int warm = 0; warm < 4; warm++)
			random_below(2);
		play(&p);
		for (size_t what = 0; what <= SWEEP; what++)
			events += p.m->log_counts[what];
		free(p.m);
	}
	print_message("%lu runs, %zu events\n", runs, events);
}

/* ---- storms, at random ---- */

enum { STORM_IDS = 12 };

struct storm_play {
	struct run run;
	bool stands[STORM_IDS + 2], flaps[STORM_IDS]; /* as told; the last ones are alert-storm, sweep-incomplete */
	size_t told;
};

static void storm_told(struct storm_play *p, const struct ft_event *event)
{
	bool *stands;

	if (strcmp(event->id, "alert-storm") == 0)
		stands = &p->stands[STORM_IDS];
	else if (strcmp(event->id, "sweep-incomplete") == 0)
		stands = &p->stands[STORM_IDS + 1];
	else if (strncmp(event->id, "link-flapping:", 14) == 0)
		stands = &p->flaps[event->id[strlen(event->id) - 1] - 'a'];
	else
		stands = &p->stands[event->id[strlen(event->id) - 1] - 'a'];
	assert_int_equal(*stands, event->kind != FT_EVENT_RAISED);
	*stands = event->kind != FT_EVENT_CLEARED;
	p->told += event->kind == FT_EVENT_RAISED;
}

/* Who hears all of it is never told of one twice, nor of an end without a beginning; and what stands is told, alone or
 * by the storm. */
static void storm_check(struct storm_play *p)
{
	const struct ft_event *event;
	size_t standing = 0, told = 0;

	p->told = 0;
	while ((event = ft_alerts_next(p->run.alerts, "sink"))) {
		event_check(event);
		storm_told(p, event);
		ft_alerts_done(p->run.alerts, "sink", event->seq);
	}
	/* One by one: what is no storm by itself, or ten critical ones; the storm, and the sweep. */
	assert_true(p->told <= 12 + 2);
	for (enum ft_severity i = FT_SEVERITY_INFO; i <= FT_SEVERITY_CRITICAL; i++)
		standing += ft_alerts_standing(p->run.alerts, i);
	for (size_t i = 0; i <= STORM_IDS + 1; i++)
		told += p->stands[i] + (i < STORM_IDS && p->flaps[i]);
	assert_int_equal(standing, told);
	assert_int_equal(ft_alerts_summed_up(p->run.alerts) > 0, p->stands[STORM_IDS]);
}

static void storm_step(struct storm_play *p)
{
	static const char *const others[] = {"K",    "T",    "+1s",  "+9s",  "+61s",  "M",
					     "R:m0", "R:m3", "R:r2", "R:r1", "R:c2s", "R:c1"};
	char word[128];
	size_t length = 0;

	if (random_below(3) == 0) {
		step(&p->run, others[random_below(FT_COUNT(others))]);
		return;
	}
	length = (size_t)snprintf(word, sizeof(word), "%sL:", random_below(3) ? "" : "p");
	for (unsigned int i = 0, rare = 1 + random_below(4); i < STORM_IDS; i++)
		if (random_below(rare + 1) == 0)
			length += (size_t)snprintf(word + length, sizeof(word) - length, "%s%c%s",
						   word[length - 1] == ':' ? "" : ",", 'a' + (int)i,
						   random_below(4) ? "" : "!");
	step(&p->run, word);
}

static void test_storms(void **state)
{
	unsigned long runs = runs_wanted();

	(void)state;
	for (unsigned long i = 0; i < runs; i++) {
		struct storm_play p = {0};

		run_begin(&p.run);
		p.run.rules.storm = 3;
		p.run.rules.flap_count = random_below(4);
		for (size_t steps = 20 + random_below(40); steps > 0; steps--) {
			storm_step(&p);
			storm_check(&p);
		}
		/* Nothing is left of it once all is well. */
		p.run.rules = (struct ft_alert_rules){.raise_after = {1, 0},
						      .clear_after = {1, 0},
						      .storm = 3,
						      .severity = FT_SEVERITY_WARNING,
						      .incomplete_after = 3};
		step(&p.run, "L:");
		step(&p.run, "T");
		storm_check(&p);
		for (size_t k = 0; k <= STORM_IDS + 1; k++)
			assert_false(p.stands[k] || (k < STORM_IDS && p.flaps[k]));
		run_end(&p.run);
	}
}

/* The list of a storm, and what it says. */
static void test_storm_words(void **state)
{
	_cleanup_(ft_json_release) struct ft_json json = {0};
	struct ft_error err = {0};
	struct run run;

	(void)state;
	run_begin(&run);
	run.rules.storm = 3;
	step(&run, "L:C,a,b,c!,d");
	assert_int_equal(ft_alerts_waiting(run.alerts, "sink"), 2);
	assert_string_equal(next(&run)->text, "alert storm: 4 alerts summed up: 3 cable-missing, 1 core-missing");
	assert_string_equal(next(&run)->code, "alert-storm");
	assert_int_equal(next(&run)->severity, FT_SEVERITY_WARNING);
	assert_null(next(&run)->place.name);
	assert_int_equal(ft_json_read(next(&run)->finding, strlen(next(&run)->finding), &json, &err), 0);
	assert_int_equal(json_integer_value(json_object_get(json.root, "count")), 4);
	assert_int_equal(json_array_size(json_object_get(json.root, "symptoms")), 4);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(json_object_get(json.root, "symptoms"), 1), "text")),
		"a: a cable is missing");
	assert_int_equal(ft_alerts_summed_up(run.alerts), 4);
	assert_int_equal(ft_alerts_standing(run.alerts, FT_SEVERITY_WARNING), 1);
	assert_int_equal(ft_alerts_standing(run.alerts, FT_SEVERITY_CRITICAL), 1);
	run_end(&run);
}

/* ---- the file ---- */

/* A state in which there is something of everything. */
static void rich_run(struct run *run)
{
	static const char *const steps[] = {"R:f2w60s", "L:a,b!",     "L:b!",	"L:a,b!",  "L:b!",
					    "L:a,b!2",	"H:x",	      "H:y",	"H:y",	   "M:xz",
					    "M:xz",	"M:xz/b!2,c", "R:r3c3", "M:xz/c,d"};

	run_begin(run);
	sinks_set(run, "sink", "hook:mail", NULL);
	for (size_t i = 0; i < FT_COUNT(steps); i++) {
		step(run, steps[i]);
		step(run, "+100");
	}
	ft_alerts_done(run->alerts, "sink", 1);
	ft_alerts_done(run->alerts, "hook:mail", 2);
}

static void test_damage(void **state)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_free_ char *copy = NULL;
	/* Every byte; a prime apart where each step is dear (valgrind). */
	const size_t stride = runs_wanted() < 100 ? 23 : 1;
	struct ft_alerts *alerts = NULL;
	struct ft_error err;
	struct run run;

	(void)state;
	rich_run(&run);
	text = state_text(&run);
	copy = malloc(text.length + 1);
	assert_non_null(copy);
	/* Each in a block of its own size, so that reading beyond the end is seen. */
	for (size_t i = 0; i < text.length; i += stride) {
		_cleanup_free_ char *cut = malloc(i + 1);

		assert_non_null(cut);
		memcpy(cut, text.data, i);
		err = (struct ft_error){0};
		assert_int_equal(ft_alerts_read_json(cut, i, run.now, &alerts, &err), -EINVAL);
		assert_true(err.text[0]);
	}
	for (size_t i = 0; i < text.length; i += stride) {
		memcpy(copy, text.data, text.length + 1);
		copy[i] = (char)(copy[i] ^ 1 << i % 8);
		err = (struct ft_error){0};
		assert_int_equal(ft_alerts_read_json(copy, text.length, run.now, &alerts, &err), -EINVAL);
		assert_true(err.text[0]);
	}
	assert_null(alerts);
	state_reload(&run);
	run_end(&run);
}

static void test_read_failures(void **state)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_alerts *alerts = NULL;
	struct run run;
	int r = -ENOMEM;

	(void)state;
	rich_run(&run);
	text = state_text(&run);
	for (size_t n = 1; r == -ENOMEM; n++) {
		allocation_failing = n;
		r = ft_alerts_read_json(text.data, text.length, run.now, &alerts, NULL);
		if (allocation_failing > 0)
			assert_int_equal(r, 0);
		allocation_failing = 0;
	}
	assert_int_equal(r, 0);
	ft_alerts_free(alerts);
	/* And the writer says that it failed. */
	for (size_t n = 1;; n++) {
		_cleanup_(ft_text_release) struct ft_text again = {0};

		allocation_failing = n;
		ft_alerts_write_json(&again, run.alerts, run.now);
		if (allocation_failing > 0)
			break;
		assert_true(ft_text_failed(&again));
	}
	allocation_failing = 0;
	run_end(&run);
}

/* A file of somebody who knows how to sum it up: what it may not hold, and how it is refused. */
struct bad {
	const char *what;
	const char *find, *put; /* the first @find of a good file becomes @put */
	const char *error;
};

static const struct bad bads[] = {
	{"newer", "\"ftcheckd_state\": 1", "\"ftcheckd_state\": 2",
	 "state of version 2; this ftcheckd reads version 1"},
	{"another file", "\"ftcheckd_state\": 1", "\"ftcheck_report\": 1", "this is no state of ftcheckd"},
	{"no number", "\"ftcheckd_state\": 1", "\"ftcheckd_state\": \"1\"", "this is no state of ftcheckd"},
	{"not summed up", "\"misses\": 4", "\"misses\": 2", "damaged: its checksum is not that of its text"},
	{"seq", "\"seq\": ", "\"seq\": -", "\"seq\" is not what it should be"},
	{"events beyond seq", "\"seq\": ", "\"seq\": 3, \"x\": ", "a key too many"},
	{"a key missing", "\"dropped\"", "\"drooped\"", "\"dropped\" is missing"},
	{"misses", "\"misses\": 4", "\"misses\": 4294967296", "\"misses\" is not what it should be"},
	{"gaps out of order", "\"port\": 1", "\"port\": 9999999999", "\"port\" is not what it should be"},
	{"a gap twice", "{\"guid\": \"0000000000001078\"", "{\"guid\": \"000000000000107a\"",
	 "\"gaps\" is not what it should be"},
	{"a sink twice", "\"hook:mail\"]", "\"sink\"]", "\"sinks\" is not what it should be"},
	{"a sink that is none", "\"hook:mail\"]", "7]", "\"sinks\" is not what it should be"},
	{"a terminal's bytes", "a cable is missing", "a cable\\u001b[2J", "a text in it is not safe"},
	{"an unknown severity", "\"severity\": \"warning\"", "\"severity\": \"fatal\"",
	 "\"severity\" is not what it should be"},
	{"a port that is none", "\"port\": 2}", "\"port\": -2}", "\"port\" is not what it should be"},
	{"no places", "\"where\": [", "\"where\": 0, \"w\": [", "\"where\" is not what it should be"},
	{"a place that is none", "\"where\": [{", "\"where\": [7, {", "an object is missing"},
	{"a finding that is none", "\"findings\": [", "\"findings\": [false, ", "a finding is no object"},
	{"no finding", "\"finding\": 0", "\"finding\": 999", "\"finding\" is not what it should be"},
	{"one alert twice", "\"finding\": 2, \"flap\"", "\"finding\": 0, \"flap\"",
	 "\"finding\" is not what it should be"},
	{"an impossible alert", "\"kind\": \"finding\"", "\"kind\": \"sweep\"", "\"kind\" is not what it should be"},
	{"an unknown kind", "\"kind\": \"finding\"", "\"kind\": \"?\"", "\"kind\" is not what it should be"},
	{"present or not", "\"present\": true", "\"present\": 1", "\"present\" is not what it should be"},
	{"a time beyond all times", "\"since\": ", "\"since\": 9007199254740993, \"s\": ", "a key too many"},
	{"an unknown reason", "\"over\": \"repaired\"", "\"over\": \"tired\"", "\"over\" is not what it should be"},
	{"an unknown event", "\"event\": \"raised\"", "\"event\": \"risen\"", "\"event\" is not what it should be"},
	{"waits for nobody", "\"waiting\": [\"hook:mail\"]", "\"waiting\": []", "\"waiting\" is not what it should be"},
	{"waits for a stranger", "\"waiting\": [\"hook:mail\"]", "\"waiting\": [\"hook:fail\"]",
	 "\"waiting\" is not what it should be"},
	{"waits twice", "\"waiting\": [\"hook:mail\"]", "\"waiting\": [\"sink\", \"sink\"]",
	 "\"waiting\" is not what it should be"},
	{"one event twice", "{\"seq\": 2", "{\"seq\": 1", "\"seq\" is not what it should be"},
	{"an event of the future", "{\"seq\": 2", "{\"seq\": 222222", "\"seq\" is not what it should be"},
};

static uint64_t fnv(const char *bytes)
{
	return ft_text_checksum(bytes);
}

static void sum_put(char *text)
{
	char *sum = strstr(text, "\"checksum\": \""), *body = strstr(text, "\"state\": "), digits[17];

	if (!sum || !body)
		return;
	snprintf(digits, sizeof(digits), "%016" PRIx64, fnv(body + strlen("\"state\": ")));
	memcpy(sum + strlen("\"checksum\": \""), digits, 16);
}

static void test_bad(void **state)
{
	const struct bad *bad = *state;
	_cleanup_(ft_text_release) struct ft_text text = {0}, changed = {0};
	struct ft_alerts *alerts = NULL;
	struct ft_error err = {0};
	struct run run;
	char *at;

	rich_run(&run);
	text = state_text(&run);
	at = strstr(text.data, bad->find);
	if (!at)
		print_message("%s\n", text.data);
	assert_non_null(at);
	ft_text_add(&changed, text.data, (size_t)(at - text.data));
	ft_text_puts(&changed, bad->put);
	ft_text_puts(&changed, at + strlen(bad->find));
	if (strcmp(bad->what, "not summed up") != 0)
		sum_put(changed.data);
	assert_int_equal(ft_alerts_read_json(changed.data, changed.length, run.now, &alerts, &err), -EINVAL);
	assert_string_equal(err.text, bad->error);
	run_end(&run);
}

/* Summed up, but otherwise anything: no crash, and what is taken can be used. */
static void test_hostile(void **state)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_free_ char *copy = NULL;
	size_t taken = 0;
	struct run run;

	(void)state;
	rich_run(&run);
	text = state_text(&run);
	copy = malloc(text.length + 1);
	assert_non_null(copy);
	for (size_t i = 0; i < 1000; i++) {
		struct run other = {.rules = run.rules, .now = run.now};

		memcpy(copy, text.data, text.length + 1);
		for (uint32_t n = 1 + random_below(3); n > 0; n--) {
			size_t at = random_below((uint32_t)text.length);

			copy[at] = random_below(2) ? (char)('0' + random_below(10))
						   : text.data[random_below((uint32_t)text.length)];
		}
		sum_put(copy);
		if (ft_alerts_read_json(copy, text.length, run.now, &other.alerts, NULL) < 0)
			continue;
		taken++;
		step(&other, "L:a,b!,c");
		step(&other, "+90s");
		step(&other, "T");
		step(&other, "H:y");
		step(&other, "L:");
		for (const struct ft_event *event; (event = next(&other));)
			ft_alerts_done(other.alerts, "sink", event->seq);
		run_end(&other);
	}
	print_message("%zu of 1000 taken\n", taken);
	run_end(&run);
}

/* Seconds of the processor that reading a state takes in which so many events wait. */
static double reading_s(uint32_t events)
{
	_cleanup_(ft_text_release) struct ft_text text = {0}, changed = {0};
	struct ft_alerts *alerts = NULL;
	struct timespec begin, end;
	const char *from, *to;
	struct run run;

	rich_run(&run);
	text = state_text(&run);
	from = strstr(text.data, "{\"seq\": 1,");
	to = strchr(from, '\n');
	assert_true(from && to);
	ft_text_add(&changed, text.data, (size_t)(from - text.data));
	for (uint32_t i = 1; i <= events; i++) {
		ft_text_printf(&changed, "{\"seq\": %" PRIu32, i);
		ft_text_add(&changed, from + strlen("{\"seq\": 1"), (size_t)(to - from) - strlen("{\"seq\": 1"));
		if (i == events)
			changed.data[--changed.length] = '\0';
	}
	ft_text_puts(&changed, "]}}\n");
	from = strstr(changed.data, "\"state\": {\n\"seq\": ");
	assert_non_null(from);
	/* As many digits as it has: the next number is beyond all of these. */
	from += strlen("\"state\": {\n\"seq\": ");
	ft_text_reset(&text);
	ft_text_add(&text, changed.data, (size_t)(from - changed.data));
	ft_text_printf(&text, "%" PRIu32, events + 1);
	ft_text_puts(&text, strchr(from, ','));
	sum_put(text.data);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	assert_int_equal(ft_alerts_read_json(text.data, text.length, run.now, &alerts, NULL), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	assert_true(ft_alerts_waiting(alerts, "sink") <= FT_EVENTS_MAX);
	ft_alerts_free(alerts);
	run_end(&run);
	return (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
}

/* More events than are kept cost as much as others: what is to be given up is looked for once, not for each. */
static void test_many_events(void **state)
{
	double few, many;

	(void)state;
	few = reading_s(FT_EVENTS_MAX);
	many = reading_s(2 * FT_EVENTS_MAX);
	print_message("%.3f s and %.3f s\n", few, many);
	assert_true(many < 8 * few + 0.2);
}

/* ---- state on disk ---- */

struct disk {
	char directory[256];
	char now[300], old[300], damaged[300], new[300];
	struct run run;
};

static void disk_begin(struct disk *disk)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(disk->directory, sizeof(disk->directory), "%s/test_alert.XXXXXX", tmp ? tmp : P_tmpdir);
	assert_non_null(mkdtemp(disk->directory));
	snprintf(disk->now, sizeof(disk->now), "%s/alerts.json", disk->directory);
	snprintf(disk->old, sizeof(disk->old), "%s/alerts.json.old", disk->directory);
	snprintf(disk->new, sizeof(disk->new), "%s/alerts.json.new", disk->directory);
	snprintf(disk->damaged, sizeof(disk->damaged), "%s/alerts.json.damaged", disk->directory);
	run_begin(&disk->run);
}

static void disk_end(struct disk *disk)
{
	run_end(&disk->run);
	unlink(disk->now);
	unlink(disk->old);
	unlink(disk->damaged);
	/* Nothing else may be left. */
	assert_int_equal(rmdir(disk->directory), 0);
}

static int disk_save(struct disk *disk)
{
	return ft_state_save(disk->directory, disk->run.alerts, disk->run.now, true);
}

/* The note without the directory. */
static void disk_load(struct disk *disk, const char *note)
{
	_cleanup_(ft_text_release) struct ft_text said = {0}, short_note = {0};
	struct ft_alerts *alerts = NULL;
	const char *s;

	assert_int_equal(ft_state_load(disk->directory, disk->run.now, &alerts, &said), 0);
	s = ft_text_string(&said);
	for (const char *at; (at = strstr(s, disk->directory)); s = at + strlen(disk->directory) + 1)
		ft_text_add(&short_note, s, (size_t)(at - s));
	ft_text_puts(&short_note, s);
	assert_string_equal(ft_text_string(&short_note), note);
	ft_alerts_free(disk->run.alerts);
	disk->run.alerts = alerts;
}

static void file_put(const char *path, const char *text)
{
	struct ft_text t = {0};

	ft_text_puts(&t, text);
	assert_int_equal(ft_file_write(path, &t), 0);
	ft_text_release(&t);
}

static char *file_get(const char *path)
{
	char *text = NULL;
	size_t length;

	assert_int_equal(ft_file_read(path, 0, &text, &length, NULL), 0);
	return text;
}

static void state_expect(struct disk *disk, const char *events)
{
	drain(&disk->run);
	assert_string_equal(ft_text_string(&disk->run.said), events);
	ft_text_reset(&disk->run.said);
}

static void test_state(void **state)
{
	struct disk disk;

	(void)state;
	disk_begin(&disk);
	disk_load(&disk, "");
	sinks_set(&disk.run, "sink", NULL, NULL);
	assert_int_equal(disk_save(&disk), 0);
	step(&disk.run, "L:a");
	assert_int_equal(disk_save(&disk), 0);
	step(&disk.run, "L:a,b");
	assert_int_equal(ft_state_save(disk.directory, disk.run.alerts, disk.run.now, false), 0);
	disk_load(&disk, "");
	state_expect(&disk, "+a +b");
	assert_int_equal(disk_save(&disk), 0);
	disk_load(&disk, "");
	step(&disk.run, "L:a");
	state_expect(&disk, "-b");
	/* Killed between the two renames: both names are one file. */
	assert_int_equal(unlink(disk.old), 0);
	assert_int_equal(link(disk.now, disk.old), 0);
	assert_int_equal(disk_save(&disk), 0);
	disk_load(&disk, "");
	step(&disk.run, "L:a");
	state_expect(&disk, "");
	disk_end(&disk);
}

static void test_state_damaged(void **state)
{
	_cleanup_free_ char *older = NULL, *kept = NULL;
	struct disk disk;
	uint64_t seq;

	(void)state;
	disk_begin(&disk);
	step(&disk.run, "L:a");
	assert_int_equal(disk_save(&disk), 0);
	older = file_get(disk.now);
	step(&disk.run, "L:a,b");
	assert_int_equal(disk_save(&disk), 0);
	kept = file_get(disk.old);
	assert_string_equal(kept, older);
	file_put(disk.now, "");
	disk_load(&disk, "alerts.json:1:1: '[' or '{' expected near end of file (set aside as alerts.json.damaged); "
			 "alerts.json.old is taken, the state before the last one");
	/* b is said again, under a number that was not used for it before. */
	step(&disk.run, "L:a,b");
	seq = next(&disk.run)->seq;
	assert_int_equal(seq, 1);
	state_expect(&disk, "+a +b");
	step(&disk.run, "L:a");
	assert_true(next(&disk.run)->seq > (uint64_t)disk.run.now.wall_ms);
	assert_int_equal(access(disk.damaged, F_OK), 0);
	assert_int_equal(disk_save(&disk), 0);
	disk_load(&disk, "");
	/* Both of them. */
	file_put(disk.now, "{}");
	file_put(disk.old, "nothing");
	disk_load(&disk,
		  "alerts.json:1:1: this is no state of ftcheckd (set aside as alerts.json.damaged); "
		  "alerts.json.old:1:7: '[' or '{' expected near 'nothing'; no alert is remembered: what stands is "
		  "said once more");
	sinks_set(&disk.run, "sink", NULL, NULL);
	step(&disk.run, "L:a");
	assert_int_equal(next(&disk.run)->seq, disk.run.now.wall_ms);
	state_expect(&disk, "+a");
	assert_int_equal(disk_save(&disk), 0);
	assert_int_equal(disk_save(&disk), 0);
	/* Only the older one is there. */
	assert_int_equal(unlink(disk.now), 0);
	disk_load(&disk, "alerts.json is not there; alerts.json.old is taken, the state before the last one");
	step(&disk.run, "L:a");
	drain(&disk.run);
	disk_end(&disk);
}

/* Cut at every byte: what is there before is taken, or nothing; never anything else. */
static void test_state_truncated(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct disk disk;
	size_t length;

	(void)state;
	disk_begin(&disk);
	step(&disk.run, "L:a");
	assert_int_equal(disk_save(&disk), 0);
	text = file_get(disk.now);
	length = strlen(text);
	for (size_t i = 0; i < length; i++) {
		_cleanup_(ft_text_release) struct ft_text note = {0};
		_cleanup_(ft_alerts_freep) struct ft_alerts *alerts = NULL;

		assert_int_equal(truncate(disk.now, (off_t)(length - i - 1)), 0);
		assert_int_equal(ft_state_load(disk.directory, disk.run.now, &alerts, &note), 0);
		assert_true(note.length > 0);
		assert_int_equal(ft_alerts_standing(alerts, FT_SEVERITY_WARNING), 0);
		assert_int_equal(rename(disk.damaged, disk.now), 0);
	}
	disk_end(&disk);
}

/* One that is there and cannot be read is not written over. */
static void test_state_unreadable(void **state)
{
	struct disk disk;

	(void)state;
	disk_begin(&disk);
	assert_int_equal(mkdir(disk.now, 0700), 0);
	disk_load(&disk, "alerts.json: it is a directory, not a file (set aside as alerts.json.damaged); no alert is "
			 "remembered: what "
			 "stands is said once more");
	assert_int_equal(disk_save(&disk), 0);
	assert_int_equal(rmdir(disk.damaged), 0);
	disk_end(&disk);
}

/* What was wrong, once it is not any more. */
static void test_past(void **state)
{
	static const struct {
		const char *present, *past;
	} sentences[] = {
		{"the cable between edge008 port 30 and core12 port 8 is missing",
		 "the cable between edge008 port 30 and core12 port 8 was missing"},
		{"2 cables of 4 are missing between leaf01 ports 9, 10 and core02",
		 "2 cables of 4 were missing between leaf01 ports 9, 10 and core02"},
		{"the cable from edge004 port 20 ends on core05 port 40, but belongs on core01 port 11",
		 "the cable from edge004 port 20 ended on core05 port 40, but belonged on core01 port 11"},
		{"line board L04 of core01 is cut off: none of its 12 traces to the fabric boards is up",
		 "line board L04 of core01 was cut off: none of its 12 traces to the fabric boards was up"},
		{"core02 does not answer: its links are up (edge001 port 4), but its management agent is silent",
		 "core02 did not answer: its links were up (edge001 port 4), but its management agent was silent"},
		{"edge001 has 7 hosts where 6 are planned: they share its 5 uplinks",
		 "edge001 had 7 hosts where 6 were planned: they shared its 5 uplinks"},
		{"the routes of 3 pairs of hosts end early, at core01 port 2",
		 "the routes of 3 pairs of hosts ended early, at core01 port 2"},
		{"4 hosts are missing that the plan counts, on is-01",
		 "4 hosts were missing that the plan counts, on is-01"},
		{"the host cable edge001 port 1 - node001 port 1 runs at 4xQDR instead of 4xHDR: both can do no more",
		 "the host cable edge001 port 1 - node001 port 1 ran at 4xQDR instead of 4xHDR: both could do no more"},
		{"the cable runs at 4xQDR: its port is set to no more, though able to do more",
		 "the cable ran at 4xQDR: its port was set to no more, though able to do more"},
		{"edge001 does not lead to 3 hosts, which cannot be told apart",
		 "edge001 did not lead to 3 hosts, which could not be told apart"},
		{"is", "is"},
		{"", ""},
		{"two  blanks ", "two  blanks "},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(sentences); i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};

		ft_message_add_past(&text, sentences[i].present);
		assert_string_equal(ft_text_string(&text), sentences[i].past);
	}
}

/* One daemon a directory; free again with the descriptor, whatever children there are that closed theirs. */
/* What is news of a fault whose places stay the same. */
static void test_differs(void **state)
{
	static const struct {
		const char *a, *b;
		bool differs;
	} pairs[] = {
		{"leaf07 port 3 runs at 4xFDR", "leaf07 port 3 runs at 4xFDR", false},
		{"leaf07 port 3 runs at 4xFDR", "leaf07 port 3 runs at 4xQDR", true},
		{"of sw port 3", "of sw 0x00000000000000a1 port 3", false},
		{"of sw port 3", "of sw 0x00000000000000a1 (hosts node001-node002) port 3", false},
		{"of sw 0x00000000000000a1 (hosts a, b), and c", "of sw 0x00000000000000a1, and c", false},
		{"of sw 0x00000000000000a1 (hosts a)", "of sw 0x00000000000000a1 (hosts b)", false},
		{"of sw 0x00000000000000a1 port 3", "of sw 0x00000000000000a2 port 3", true},
		{"of sw 0x00000000000000a1 port 3", "of sx port 3", true},
		{"of sw 0xa1", "of sw", true},
		{"of sw (hosts a", "of sw", true},
		{"of sw", "of sw (hosts a)", false},
		{"", " 0x00000000000000a1", false},
		/* A new plan has its switches in another order. */
		{"sw is missing; the ports that went dark: a port 1, b port 2",
		 "sw is missing; the ports that went dark: b port 2, a port 1", false},
		{"sw is missing; the ports that went dark: a port 1", "sw is missing", true},
		{"sx is missing; the ports that went dark: a port 1",
		 "sw is missing; the ports that went dark: a port 1", true},
		{"", "x", true},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(pairs); i++) {
		struct ft_message a = {.code = (char *)"x", .text = (char *)(uintptr_t)pairs[i].a}, b = a;

		b.text = (char *)(uintptr_t)pairs[i].b;
		if (ft_message_differs(&a, &b) != pairs[i].differs || ft_message_differs(&b, &a) != pairs[i].differs)
			fail_msg("\"%s\" and \"%s\"", a.text, b.text);
	}
}

static void test_state_lock(void **state)
{
	struct ft_error err = {0};
	int first = -1, second = -1;
	char path[400];
	struct disk disk;

	(void)state;
	disk_begin(&disk);
	assert_int_equal(ft_state_lock(disk.directory, &first, &err), 0);
	assert_int_equal(fcntl(first, F_GETFD), FD_CLOEXEC);
	assert_int_equal(ft_state_lock(disk.directory, &second, &err), -EWOULDBLOCK);
	assert_int_equal(second, -1);
	snprintf(path, sizeof(path),
		 "%s/lock: another ftcheckd has this state directory; stop that one, or give this one a "
		 "--state-directory of its own",
		 disk.directory);
	assert_string_equal(err.text, path);
	assert_int_equal(close(first), 0);
	assert_int_equal(ft_state_lock(disk.directory, &second, &err), 0);
	assert_int_equal(close(second), 0);
	assert_int_equal(ft_state_lock("/nonexistent", &second, &err), -ENOENT);
	assert_string_equal(err.text, "/nonexistent/lock: No such file or directory");
	snprintf(path, sizeof(path), "%s/lock", disk.directory);
	assert_int_equal(unlink(path), 0);
	disk_end(&disk);
}

/* What cannot be written leaves what was. */
static void test_state_unwritable(void **state)
{
	_cleanup_free_ char *before = NULL, *after = NULL;
	struct rlimit limit, small;
	struct ft_alerts *alerts = NULL;
	struct ft_text note = {0};
	struct disk disk;
	int r;

	(void)state;
	disk_begin(&disk);
	step(&disk.run, "L:a");
	assert_int_equal(disk_save(&disk), 0);
	before = file_get(disk.now);
	step(&disk.run, "L:a,b,c,d");
	/* A disk that is full in the middle of the file. */
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = (struct rlimit){.rlim_cur = 200, .rlim_max = limit.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	r = disk_save(&disk);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(r, -EFBIG);
	after = file_get(disk.now);
	assert_string_equal(before, after);
	assert_int_equal(access(disk.new, F_OK), -1);
	/* The name is taken by a directory. */
	assert_int_equal(mkdir(disk.new, 0700), 0);
	assert_int_equal(disk_save(&disk), -EISDIR);
	assert_int_equal(rmdir(disk.new), 0);
	free(after);
	after = file_get(disk.now);
	assert_string_equal(before, after);
	/* No directory at all, whoever asks. */
	assert_int_equal(ft_state_save(disk.now, disk.run.alerts, disk.run.now, true), -ENOTDIR);
	assert_int_equal(ft_state_load(disk.now, disk.run.now, &alerts, &note), 0);
	assert_non_null(strstr(ft_text_string(&note), "Not a directory"));
	ft_alerts_free(alerts);
	ft_text_release(&note);
	assert_int_equal(ft_state_save("/nonexistent", disk.run.alerts, disk.run.now, true), -ENOENT);
	/* One that may not be written; it binds nobody who is root. */
	if (geteuid() != 0) {
		assert_int_equal(chmod(disk.directory, 0500), 0);
		assert_int_equal(disk_save(&disk), -EACCES);
		assert_int_equal(chmod(disk.directory, 0700), 0);
	}
	/* A directory where the file should be: nothing takes its place; what cannot be read is set aside, and said. */
	unlink(disk.now);
	assert_int_equal(mkdir(disk.now, 0700), 0);
	assert_int_equal(disk_save(&disk), -EISDIR);
	disk_load(&disk, "alerts.json: it is a directory, not a file (set aside as alerts.json.damaged); no alert is "
			 "remembered: what "
			 "stands is said once more");
	assert_int_equal(rmdir(disk.damaged), 0);
	/* And with all of it in order again it goes on. */
	assert_int_equal(disk_save(&disk), 0);
	disk_load(&disk, "");
	disk_end(&disk);
}

/* Newer than this program: kept for the newer one. */
static void test_state_newer(void **state)
{
	_cleanup_free_ char *kept = NULL;
	struct disk disk;

	(void)state;
	disk_begin(&disk);
	file_put(disk.now, "{\"ftcheckd_state\": 7}\n");
	disk_load(&disk, "alerts.json:1:20: state of version 7; this ftcheckd reads version 1 (set aside as "
			 "alerts.json.damaged); no alert is remembered: what stands is said once more");
	kept = file_get(disk.damaged);
	assert_string_equal(kept, "{\"ftcheckd_state\": 7}\n");
	disk_end(&disk);
}

static void test_state_failures(void **state)
{
	struct disk disk;
	int r = -ENOMEM;

	(void)state;
	disk_begin(&disk);
	step(&disk.run, "L:a");
	for (size_t n = 1; r == -ENOMEM; n++) {
		allocation_failing = n;
		r = disk_save(&disk);
		allocation_failing = 0;
	}
	assert_int_equal(r, 0);
	r = -ENOMEM;
	for (size_t n = 1; r == -ENOMEM; n++) {
		_cleanup_(ft_alerts_freep) struct ft_alerts *alerts = NULL;
		_cleanup_(ft_text_release) struct ft_text note = {0};

		allocation_failing = n;
		r = ft_state_load(disk.directory, disk.run.now, &alerts, &note);
		allocation_failing = 0;
	}
	assert_int_equal(r, 0);
	/* What memory was short for is no damage. */
	assert_int_equal(access(disk.damaged, F_OK), -1);
	disk_end(&disk);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_row_failures),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_foreign_plan),
		cmocka_unit_test(test_words_over),
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_due),
		cmocka_unit_test(test_sinks),
		cmocka_unit_test(test_events_max),
		cmocka_unit_test(test_bytes_max),
		cmocka_unit_test(test_wrong_plan),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_storms),
		cmocka_unit_test(test_storm_words),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_read_failures),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_many_events),
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_state_damaged),
		cmocka_unit_test(test_state_unreadable),
		cmocka_unit_test(test_past),
		cmocka_unit_test(test_differs),
		cmocka_unit_test(test_state_lock),
		cmocka_unit_test(test_state_truncated),
		cmocka_unit_test(test_state_unwritable),
		cmocka_unit_test(test_state_newer),
		cmocka_unit_test(test_state_failures),
	};
	static struct CMUnitTest tests[FT_COUNT(rows) + FT_COUNT(bads) + FT_COUNT(others)];
	size_t count = 0;

	for (size_t i = 0; i < FT_COUNT(rows); i++)
		tests[count++] = (struct CMUnitTest){rows[i].what, test_row, NULL, NULL, (void *)&rows[i]};
	for (size_t i = 0; i < FT_COUNT(bads); i++)
		tests[count++] = (struct CMUnitTest){bads[i].what, test_bad, NULL, NULL, (void *)&bads[i]};
	for (size_t i = 0; i < FT_COUNT(others); i++)
		tests[count++] = others[i];
	return cmocka_run_group_tests_name("alert", tests, random_setup, NULL);
}
