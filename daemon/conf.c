/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/conf.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "planner/write/phases.h"
#include "daemon/socket.h"

enum {
	CONFIG_SIZE_MAX = 1 << 20,
	LINE_MAX_BYTES = 4096,
	CA_NAME_MAX = 19, /* UMAD_CA_NAME_LEN of libibumad, without the NUL */
	PORT_MAX = 254,
	INSTANCE_MAX = 128, /* it becomes the name of a directory, and a label */

	SECOND = 1000,
	MINUTE = 60 * SECOND,
	HOUR = 60 * MINUTE,
	DAY = 24 * HOUR,
};

/* One "key = value" on its way into a configuration. */
struct ft_config_setting {
	const struct ft_config_key *key;
	const char *value; /* trimmed, not empty */
	struct ft_config *config;
	const char *directory;
	unsigned int line, column; /* of the value */
	struct ft_error *err;
};

static void *setting_field(const struct ft_config_setting *setting)
{
	return (char *)setting->config + setting->key->offset;
}

/* Replaces a string of the configuration; takes @value, which is NULL if memory ran out. */
static int field_take(char **field, char *value)
{
	if (!value)
		return -ENOMEM;
	free(*field);
	*field = value;
	return 0;
}

/* ---- times ---- */

static const struct {
	const char *name;
	uint64_t ms;
} units[] = {
	{"ms", 1},	     {"msec", 1},     {"s", SECOND},  {"sec", SECOND},	  {"second", SECOND},
	{"seconds", SECOND}, {"min", MINUTE}, {"m", MINUTE},  {"minute", MINUTE}, {"minutes", MINUTE},
	{"h", HOUR},	     {"hr", HOUR},    {"hour", HOUR}, {"hours", HOUR},	  {"d", DAY},
	{"day", DAY},	     {"days", DAY},
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
static const char digits[] = "0123456789";

/* The milliseconds of a unit; 0: unknown unit. */
static uint64_t unit_ms(const char *name, size_t length)
{
	for (size_t i = 0; i < FT_COUNT(units); i++)
		if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0)
			return units[i].ms;
	return 0;
}

/* "12" or "1.25" as thousandths, and its end; false: no number, too long, or more than three decimals. */
static bool thousandths_parse(const char **text, uint64_t *ret_thousandths)
{
	const char *s = *text;
	size_t whole = strspn(s, digits), fraction = 0;
	uint64_t value = 0;

	if (whole == 0 || whole > 10)
		return false;
	for (size_t i = 0; i < whole; i++)
		value = value * 10 + (uint64_t)(s[i] - '0');
	s += whole;
	if (*s == '.') {
		fraction = strspn(++s, digits);
		if (fraction == 0 || fraction > 3)
			return false;
	}
	for (size_t i = 0; i < 3; i++)
		value = value * 10 + (i < fraction ? (uint64_t)(s[i] - '0') : 0);
	*text = s + fraction;
	*ret_thousandths = value;
	return true;
}

/* "90s", "1h 30min", "1.5 h"; a lone number is of @bare_ms each (0: it needs a unit). */
static bool duration_parse(const char *text, uint64_t bare_ms, uint64_t *ret_ms)
{
	const char *s = text;
	uint64_t total = 0;

	do {
		uint64_t thousandths, each;
		size_t name;

		if (!thousandths_parse(&s, &thousandths))
			return false;
		s += strspn(s, " \t");
		name = strspn(s, letters);
		each = name > 0 ? unit_ms(s, name) : bare_ms;
		/* A number without a unit must be the only part. */
		if (each == 0 || (name == 0 && (total > 0 || *s != '\0')))
			return false;
		if (thousandths % 1000 * each % 1000 != 0)
			return false;
		/* At most ten digits: 10^10 days are 8.64 * 10^17 ms, and the sum is kept far below. */
		total += thousandths / 1000 * each + thousandths % 1000 * each / 1000;
		s += name;
		s += strspn(s, " \t");
		if (total > UINT64_C(1000) * DAY)
			total = UINT64_C(1000) * DAY;
	} while (*s != '\0');
	*ret_ms = total;
	return true;
}

/* In the largest unit that divides it. */
static void duration_text(uint64_t ms, char ret_text[32])
{
	static const struct {
		const char *name;
		uint64_t ms;
	} shown[] = {{"d", DAY}, {"h", HOUR}, {"min", MINUTE}, {"s", SECOND}, {"ms", 1}};
	size_t i = 0;

	while (i + 1 < FT_COUNT(shown) && (ms == 0 || ms % shown[i].ms != 0))
		i++;
	snprintf(ret_text, 32, "%" PRIu64 "%s", ms / shown[i].ms, shown[i].name);
}

static int set_time(const struct ft_config_setting *setting, uint64_t bare_ms)
{
	const struct ft_config_key *key = setting->key;
	char min[32], max[32];
	uint64_t ms;

	if (!duration_parse(setting->value, bare_ms, &ms))
		return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
				    "\"%s\" takes a time such as \"250ms\", \"30s\" or \"5min\", not \"%s\"", key->name,
				    setting->value);
	if (ms < key->min || ms > key->max) {
		duration_text(key->min, min);
		duration_text(key->max, max);
		return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
				    "\"%s\" has to be from %s to %s, not \"%s\"", key->name, min, max, setting->value);
	}
	*(uint32_t *)setting_field(setting) = (uint32_t)ms;
	return 0;
}

static int set_duration(const struct ft_config_setting *setting)
{
	return set_time(setting, SECOND);
}

static int set_age(const struct ft_config_setting *setting)
{
	if (strcmp(setting->value, setting->key->standard) != 0)
		return set_duration(setting);
	*(uint32_t *)setting_field(setting) = 0;
	return 0;
}

/* As ftcheck -t. */
static int set_milliseconds(const struct ft_config_setting *setting)
{
	return set_time(setting, 1);
}

/* ---- the other kinds of values ---- */

/* Only a number, clamped to its maximum; false: it is none. */
static bool number_parse(const char *text, uint64_t *ret_number)
{
	uint64_t number = 0;

	if (text[strspn(text, digits)] != '\0')
		return false;
	for (const char *s = text; *s; s++)
		number = number > UINT32_MAX ? number : number * 10 + (uint64_t)(*s - '0');
	*ret_number = number;
	return true;
}

static int set_number(const struct ft_config_setting *setting)
{
	const struct ft_config_key *key = setting->key;
	uint64_t number;

	if (!number_parse(setting->value, &number) || number < key->min || number > key->max)
		return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
				    "\"%s\" has to be a number from %" PRIu64 " to %" PRIu64 ", not \"%s\"", key->name,
				    key->min, key->max, setting->value);
	*(uint32_t *)setting_field(setting) = (uint32_t)number;
	return 0;
}

/* "256MB", "2GB"; "none": 0. */
static int set_history(const struct ft_config_setting *setting)
{
	enum { UNIT_LENGTH = 2, MB_IN_GB = 1024 };
	const struct ft_config_key *key = setting->key;
	size_t length = strlen(setting->value);
	const char *unit = setting->value + (length > UNIT_LENGTH ? length - UNIT_LENGTH : 0);
	bool gigabytes = strcmp(unit, "GB") == 0;
	_cleanup_free_ char *number = strndup(setting->value, (size_t)(unit - setting->value));
	uint64_t mb = 0;

	if (!number)
		return -ENOMEM;
	if (strcmp(setting->value, "none") != 0) {
		if ((!gigabytes && strcmp(unit, "MB") != 0) || !number[0] || !number_parse(number, &mb) ||
		    (mb *= gigabytes ? MB_IN_GB : 1) < key->min || mb > key->max)
			return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
					    "\"%s\" takes a size from 16MB to 1024GB, or none, not \"%s\"", key->name,
					    setting->value);
	}
	*(uint32_t *)setting_field(setting) = (uint32_t)mb;
	return 0;
}

/* A number, or the word for the default, which is none of our numbers. */
static int set_number_or_word(const struct ft_config_setting *setting)
{
	const struct ft_config_key *key = setting->key;
	int r;

	if (strcmp(setting->value, key->standard) == 0) {
		*(uint32_t *)setting_field(setting) = 0;
		return 0;
	}
	r = set_number(setting);
	if (r == -EINVAL)
		return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
				    "\"%s\" has to be \"%s\" or a number from %" PRIu64 " to %" PRIu64 ", not \"%s\"",
				    key->name, key->standard, key->min, key->max, setting->value);
	return r;
}

/* A number of sweeps, or, with a unit, a time. */
static int set_patience(const struct ft_config_setting *setting)
{
	struct ft_patience patience = {.looks = 1};
	uint64_t number;

	if (number_parse(setting->value, &number)) {
		if (number < 1 || number > setting->key->max)
			return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
					    "\"%s\" has to be from 1 to %" PRIu64 " looks, not \"%s\"",
					    setting->key->name, setting->key->max, setting->value);
		patience.looks = (uint32_t)number;
	} else {
		if (!duration_parse(setting->value, 0, &number))
			return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
					    "\"%s\" takes a number of looks such as \"2\" or a time such as \"30s\", "
					    "not \"%s\"",
					    setting->key->name, setting->value);
		if (number < 1 || number > DAY)
			return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
					    "\"%s\" has to be from 1ms to 1d, not \"%s\"", setting->key->name,
					    setting->value);
		patience.ms = (uint32_t)number;
	}
	*(struct ft_patience *)setting_field(setting) = patience;
	return 0;
}

static int set_flag(const struct ft_config_setting *setting)
{
	static const struct {
		const char *name;
		bool value;
	} words[] = {{"yes", true}, {"no", false}, {"true", true}, {"false", false}, {"on", true}, {"off", false}};

	for (size_t i = 0; i < FT_COUNT(words); i++)
		if (strcmp(setting->value, words[i].name) == 0) {
			*(bool *)setting_field(setting) = words[i].value;
			return 0;
		}
	return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
			    "\"%s\" has to be \"yes\" or \"no\", not \"%s\"", setting->key->name, setting->value);
}

static int set_severity(const struct ft_config_setting *setting)
{
	static const enum ft_severity all[] = {FT_SEVERITY_INFO, FT_SEVERITY_WARNING, FT_SEVERITY_CRITICAL};

	for (size_t i = 0; i < FT_COUNT(all); i++)
		if (strcmp(setting->value, ft_severity_name(all[i])) == 0) {
			*(enum ft_severity *)setting_field(setting) = all[i];
			return 0;
		}
	return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
			    "\"%s\" has to be \"info\", \"warning\" or \"critical\", not \"%s\"", setting->key->name,
			    setting->value);
}

static int set_engine(const struct ft_config_setting *setting)
{
	enum ft_engine engine = ft_engine_find(setting->value);

	if (engine == FT_ENGINE_COUNT)
		return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
				    "\"%s\" has to be \"%s\", \"%s\" or \"%s\", not \"%s\"", setting->key->name,
				    ft_engine_name(FT_ENGINE_AUTO), ft_engine_name(FT_ENGINE_LIBIBNETDISC),
				    ft_engine_name(FT_ENGINE_LIBIBUMAD), setting->value);
	*(enum ft_engine *)setting_field(setting) = engine;
	return 0;
}

static int set_path(const struct ft_config_setting *setting);

/* Its place, for errors when the file is read. */
static int set_plan(const struct ft_config_setting *setting)
{
	int r = set_path(setting);

	if (r == 0) {
		setting->config->plan_line = setting->line;
		setting->config->plan_column = setting->column;
	}
	return r;
}

/* The value is secret, so no message quotes it. */
static int set_m_key(const struct ft_config_setting *setting)
{
	if (ft_m_key_read(setting->value, setting_field(setting)) == 0)
		return 0;
	return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
			    "\"%s\" takes a number of up to 64 bits, such as 0x1234abcd", setting->key->name);
}

static int set_path(const struct ft_config_setting *setting)
{
	char *path;

	/* Quotes are usual in other configuration files; as part of a name they would be confusing. */
	if (setting->value[0] == '"' || setting->value[0] == '\'')
		return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
				    "values are written without quotes");
	if (setting->value[0] == '/')
		return field_take(setting_field(setting), strdup(setting->value));
	if (asprintf(&path, "%s/%s", setting->directory, setting->value) < 0)
		return -ENOMEM;
	return field_take(setting_field(setting), path);
}

/* For the shell, as it is. */
static int set_command(const struct ft_config_setting *setting)
{
	return field_take(setting_field(setting), strdup(setting->value));
}

/* Names of devices, as given by the kernel and udev: "mlx5_0", "ibp0s12f4". */
static bool ca_name_is_good(const char *name, size_t length)
{
	return length > 0 && length <= CA_NAME_MAX && name[0] != '.' &&
	       strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") >= length;
}

static int set_ca(const struct ft_config_setting *setting)
{
	if (!ca_name_is_good(setting->value, strlen(setting->value)))
		return ft_error_set(setting->err, -EINVAL, setting->line, setting->column,
				    "\"%s\" takes the name of a channel adapter such as \"mlx5_0\", not \"%s\"",
				    setting->key->name, setting->value);
	return field_take(setting_field(setting), strdup(setting->value));
}

static int set_listen(const struct ft_config_setting *setting)
{
	char **field = setting_field(setting);
	struct ft_error why = {0};

	if (strcmp(setting->value, "none") == 0) {
		free(*field);
		*field = NULL;
		return 0;
	}
	if (ft_socket_check_address(setting->value, &why) < 0)
		return ft_error_set(setting->err, -EINVAL, setting->line, setting->column, "\"%s\": %s",
				    setting->key->name, why.text);
	return field_take(field, strdup(setting->value));
}

#define FIELD(name) offsetof(struct ft_config, name)

const struct ft_config_key ft_config_keys[] = {
	{"plan", "FILE", "", "the design of the fabric; required", set_plan, FIELD(plan), 0, 0},
	{"ca", "NAME", "", "channel adapter to look through; the first with a port that is up", set_ca, FIELD(ca), 0,
	 0},
	{"lldp", "DIRECTORY", "", "Ethernet: where the switches put their LLDP neighbors", set_path, FIELD(lldp), 0, 0},
	{"lldp_command", "COMMAND", "", "or a command that prints them", set_command, FIELD(lldp_command), 0, 0},
	{"lldp_max_age", "TIME | any", "any", "older files are not counted", set_age, FIELD(lldp_max_age_ms), SECOND,
	 7 * DAY},
	{"lldp_wait", "TIME", "2min", "after a start, how long alerts wait for switches without a file", set_duration,
	 FIELD(lldp_wait_ms), 0, HOUR},
	{"port", "NUMBER", "", "its port; the first that is up", set_number, FIELD(sweep.port), 1, PORT_MAX},
	{"timeout", "MILLISECONDS", "1000", "how long to wait for one answer", set_milliseconds,
	 FIELD(sweep.timeout_ms), 1, 1000000},
	{"m_key", "KEY", "", "the M_Key of a fabric that is protected by one", set_m_key, FIELD(sweep.m_key), 0, 0},
	{"node_name_map", "FILE", "", "names instead of node descriptions; " FT_NODE_NAME_MAP, set_path,
	 FIELD(name_map), 0, 0},
	{"engine", "auto | libibnetdisc | libibumad", "auto", "who asks: libibnetdisc, or the daemon alone", set_engine,
	 FIELD(sweep.engine), 0, 0},
	{"outstanding_smps", "NUMBER | auto", "auto", "management packets on the wire at a time, at most",
	 set_number_or_word, FIELD(sweep.max_smps), 1, 1024},
	{"max_smps_per_switch", "NUMBER", "4", "of them on the way to one switch", set_number,
	 FIELD(sweep.max_smps_per_switch), 1, 1024},
	{"max_smps_per_second", "NUMBER | any", "any", "packets sent in a second, at most", set_number_or_word,
	 FIELD(sweep.max_smps_per_second), 1, 10000000},
	{"retries", "NUMBER", "3", "of one packet", set_number, FIELD(sweep.retries), 0, 100},
	{"deadline", "TIME", "60s", "how long a look at the fabric may take", set_duration, FIELD(sweep.deadline_ms),
	 SECOND, HOUR},
	{"sweep_interval", "TIME", "5min", "between two full sweeps", set_duration, FIELD(sweep_interval_ms), SECOND,
	 7 * DAY},
	{"events", "yes | no", "yes", "listen to the fabric's own events", set_flag, FIELD(events), 0, 0},
	{"sm", "yes | no", "yes", "ask who manages the subnet, and tell what they left undone", set_flag, FIELD(sm), 0,
	 0},
	{"counters", "yes | no", "no", "read the error counters of all ports after each full sweep", set_flag,
	 FIELD(counters), 0, 0},
	{"settle", "TIME", "10ms", "how long it has to be quiet after an event", set_duration, FIELD(settle_ms), 0,
	 MINUTE},
	{"settle_max", "TIME", "250ms", "how long to wait for that", set_duration, FIELD(settle_max_ms), 0,
	 10 * MINUTE},
	{"raise_after", "LOOKS | TIME", "1", "patience before an alert is raised", set_patience,
	 FIELD(rules.raise_after), 0, 1000},
	{"clear_after", "LOOKS | TIME", "1", "patience before it is cleared", set_patience, FIELD(rules.clear_after), 0,
	 1000},
	{"severity", "info | warning | critical", "warning", "findings below it are no alerts", set_severity,
	 FIELD(rules.severity), 0, 0},
	{"flap_count", "NUMBER", "6", "how often a fault comes again before it is flapping; 0: never", set_number,
	 FIELD(rules.flap_count), 0, 1000},
	{"flap_window", "TIME", "10min", "within so long, and how long it has to keep still", set_duration,
	 FIELD(rules.flap_window_ms), SECOND, 7 * DAY},
	{"returning", "TIME", "5min", "how long the links of a switch that was gone may take to come up", set_duration,
	 FIELD(returning_ms), SECOND, HOUR},
	{"incomplete_after", "NUMBER", "3", "looks in a row that failed before that is an alert", set_number,
	 FIELD(rules.incomplete_after), 1, 1000},
	{"storm", "NUMBER", "30", "more new alerts at once are summed up in one; 0: never", set_number,
	 FIELD(rules.storm), 0, 10000},
	{"listen", "ADDRESS:PORT | none", "127.0.0.1:9683", "where metrics and the report are served", set_listen,
	 FIELD(listen), 0, 0},
	{"history", "SIZE | none", "256MB", "how much of the fabric's past is kept on disk", set_history,
	 FIELD(history_mb), 16, 1024 * 1024},
	{"hooks", "DIRECTORY", "hooks.d", "the programs that are told of alerts", set_path, FIELD(hook_directory), 0,
	 0},
	{"hook_timeout", "TIME", "30s", "how long one may run", set_duration, FIELD(hook_timeout_ms), 100, HOUR},
	{"hook_retry", "TIME", "1s", "before the second try of one that failed", set_duration, FIELD(hook_retry_ms), 10,
	 HOUR},
	{"hook_give_up", "TIME", "1d", "how long to go on trying", set_duration, FIELD(hook_give_up_ms), SECOND,
	 30 * (uint64_t)DAY},
};
const size_t ft_config_key_count = FT_COUNT(ft_config_keys);

enum { KEY_COUNT = FT_COUNT(ft_config_keys) };

/* These are written through uint32_t. */
_Static_assert(sizeof(int) == sizeof(uint32_t) && sizeof(unsigned int) == sizeof(uint32_t), "int has 32 bits");

static const struct ft_config_key *key_find(const char *name)
{
	for (size_t i = 0; i < KEY_COUNT; i++)
		if (strcmp(ft_config_keys[i].name, name) == 0)
			return &ft_config_keys[i];
	return NULL;
}

/* ---- the file ---- */

struct section {
	char *name; /* "" before the first */
	unsigned int line;
	unsigned int key_lines[KEY_COUNT]; /* where each key was given; 0: nowhere */
	unsigned int key_columns[KEY_COUNT];
};

struct reader {
	const char *directory;
	const char *instance; /* "" without */
	struct ft_error *err;
	struct ft_config *config;
	struct ft_config *others; /* receives values of other instances, so that they are checked too */
	struct section *sections; /* the first is that before all sections */
	size_t count;
};

static void reader_release(struct reader *reader)
{
	for (size_t i = 0; i < reader->count; i++)
		free(reader->sections[i].name);
	free(reader->sections);
	ft_config_free(reader->config);
	ft_config_free(reader->others);
}

static int section_add(struct reader *reader, const char *name, unsigned int line)
{
	struct section *more = reallocarray(reader->sections, reader->count + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	reader->sections = more;
	more[reader->count] = (struct section){.name = strdup(name), .line = line};
	if (!more[reader->count].name)
		return -ENOMEM;
	reader->count++;
	return 0;
}

/* Defaults are parsed by the same functions as the file. */
static int config_new(const char *directory, struct ft_config **ret_config)
{
	_cleanup_(ft_config_freep) struct ft_config *config = calloc(1, sizeof(*config));

	if (!config)
		return -ENOMEM;
	for (size_t i = 0; i < KEY_COUNT; i++) {
		struct ft_config_setting setting = {
			.key = &ft_config_keys[i],
			.value = ft_config_keys[i].standard,
			.config = config,
			.directory = directory,
		};
		int r = setting.value[0] ? setting.key->set(&setting) : 0;

		if (r < 0)
			return r;
	}
	*ret_config = FT_STEAL(config);
	return 0;
}

static int reader_begin(struct reader *reader)
{
	int r = config_new(reader->directory, &reader->config);

	if (r == 0)
		r = config_new(reader->directory, &reader->others);
	return r == 0 ? section_add(reader, "", 0) : r;
}

/* Removes trailing blanks of @text. */
static void trim_end(char *text)
{
	size_t length = strlen(text);

	while (length > 0 && strchr(" \t\r\v\f", text[length - 1]))
		text[--length] = '\0';
}

static int section_check_name(const struct reader *reader, const char *name, unsigned int line, unsigned int column)
{
	if (name[0] == '\0')
		return ft_error_set(reader->err, -EINVAL, line, column, "a section needs a name");
	if (strlen(name) > INSTANCE_MAX || name[0] == '.' ||
	    name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:@-")] != '\0')
		return ft_error_set(
			reader->err, -EINVAL, line, column,
			"\"%.*s\" is no name of an instance: up to %d letters, digits and _.:@-, no dot first",
			INSTANCE_MAX + 1, name, INSTANCE_MAX);
	return 0;
}

/* "[NAME]"; @text begins after the bracket. */
static int read_section(struct reader *reader, char *text, unsigned int line, unsigned int column)
{
	char *end = strchr(text, ']');
	size_t blank = strspn(text, " \t");
	int r;

	if (!end || end[1] != '\0')
		return ft_error_set(
			reader->err, -EINVAL, line, end ? column + (unsigned int)(end - text) + 1 : column - 1,
			end ? "nothing may stand behind the \"]\" of a section" : "a section without \"]\"");
	*end = '\0';
	trim_end(text);
	blank = strspn(text, " \t");
	text += blank;
	column += (unsigned int)blank;
	r = section_check_name(reader, text, line, column);
	if (r < 0)
		return r;
	for (size_t i = 1; i < reader->count; i++)
		if (strcmp(reader->sections[i].name, text) == 0)
			return ft_error_set(reader->err, -EINVAL, line, column,
					    "a second section \"%s\"; the first is in line %u", text,
					    reader->sections[i].line);
	return section_add(reader, text, line);
}

static int unknown_key(const struct reader *reader, const char *name, unsigned int line, unsigned int column)
{
	const char *near = ft_text_near(name, ft_config_keys, KEY_COUNT, sizeof(ft_config_keys[0]));

	if (near)
		return ft_error_set(reader->err, -EINVAL, line, column, "unknown key \"%s\"; did you mean \"%s\"?",
				    name, near);
	return ft_error_set(reader->err, -EINVAL, line, column, "unknown key \"%s\"", name);
}

/* "key = value" */
static int read_setting(struct reader *reader, char *text, unsigned int line, unsigned int column)
{
	struct section *section = &reader->sections[reader->count - 1];
	struct ft_config_setting setting = {.directory = reader->directory, .line = line, .err = reader->err};
	char *equals = strchr(text, '='), *value;
	size_t which;

	if (!equals)
		return ft_error_set(reader->err, -EINVAL, line, column,
				    "expected \"key = value\" or \"[INSTANCE]\", not \"%s\"", text);
	value = equals + 1 + strspn(equals + 1, " \t");
	*equals = '\0';
	trim_end(text);
	if (text[0] == '\0')
		return ft_error_set(reader->err, -EINVAL, line, column, "no key before the \"=\"");
	setting.key = key_find(text);
	if (!setting.key)
		return unknown_key(reader, text, line, column);
	which = (size_t)(setting.key - ft_config_keys);
	if (section->key_lines[which] != 0)
		return ft_error_set(reader->err, -EINVAL, line, column, "a second \"%s\"; the first is in line %u",
				    text, section->key_lines[which]);
	setting.value = value;
	setting.column = column + (unsigned int)(value - text);
	if (value[0] == '\0')
		return ft_error_set(reader->err, -EINVAL, line, column + (unsigned int)(equals - text),
				    "no value for \"%s\"", text);
	section->key_lines[which] = line;
	section->key_columns[which] = setting.column;
	/* Common keys come first, so that those of the instance's own section override them. */
	setting.config =
		reader->count == 1 || strcmp(section->name, reader->instance) == 0 ? reader->config : reader->others;
	return setting.key->set(&setting);
}

/* Removes a comment: a # inside a word is part of a name. */
static void comment_cut(char *line)
{
	for (char *s = line; *s; s++)
		if (*s == '#' && (s == line || strchr(" \t", s[-1]))) {
			*s = '\0';
			return;
		}
}

static int read_line(struct reader *reader, const char *bytes, size_t length, unsigned int line)
{
	const char *nul = memchr(bytes, '\0', length);
	char text[LINE_MAX_BYTES + 1], *begin = text;
	unsigned int column;

	if (nul)
		return ft_error_set(reader->err, -EINVAL, line, (unsigned int)(nul - bytes) + 1,
				    "a NUL byte: this is no text file");
	if (length > LINE_MAX_BYTES)
		return ft_error_set(reader->err, -EINVAL, line, LINE_MAX_BYTES + 1, "the line is longer than %d bytes",
				    LINE_MAX_BYTES);
	memcpy(text, bytes, length);
	text[length] = '\0';
	comment_cut(text);
	trim_end(text);
	begin += strspn(text, " \t");
	column = (unsigned int)(begin - text) + 1;
	if (*begin == '\0')
		return 0;
	return *begin == '[' ? read_section(reader, begin + 1, line, column + 1)
			     : read_setting(reader, begin, line, column);
}

static int read_lines(struct reader *reader, const char *text, size_t length)
{
	const char *end = text + length;
	unsigned int line = 1;

	/* A byte order mark of an editor on Windows. */
	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		int r = read_line(reader, text, (size_t)((newline ? newline : end) - text), line++);

		if (r < 0)
			return r;
		text = newline ? newline + 1 : end;
	}
	return 0;
}

static const struct section *section_of_instance(const struct reader *reader)
{
	for (size_t i = 1; i < reader->count; i++)
		if (strcmp(reader->sections[i].name, reader->instance) == 0)
			return &reader->sections[i];
	return NULL;
}

static size_t key_index(const char *name)
{
	return (size_t)(key_find(name) - ft_config_keys);
}

/* "mlx5_0:1", as rdma-core names a port, into its parts; false: it is of another form. */
static bool port_name_parse(const char *name, size_t *ret_ca_length, int *ret_port)
{
	const char *colon = strrchr(name, ':');
	uint64_t port;

	if (!colon || colon[1] == '\0' || !ca_name_is_good(name, (size_t)(colon - name)) ||
	    !number_parse(colon + 1, &port) || port < 1 || port > PORT_MAX)
		return false;
	*ret_ca_length = (size_t)(colon - name);
	*ret_port = (int)port;
	return true;
}

/* An instance without these keys is named after its port. */
static int apply_instance(struct reader *reader)
{
	const struct section *section = section_of_instance(reader);
	size_t ca_length;
	int port, r;

	if (reader->instance[0] == '\0')
		return 0;
	if (section && (section->key_lines[key_index("ca")] != 0 || section->key_lines[key_index("port")] != 0))
		return 0;
	if (!port_name_parse(reader->instance, &ca_length, &port)) {
		if (section)
			return 0;
		return ft_error_set(reader->err, -EINVAL, 1, 1,
				    "there is no section [%s], and it is no name of a port such as \"mlx5_0:1\"",
				    reader->instance);
	}
	r = field_take(&reader->config->ca, strndup(reader->instance, ca_length));
	if (r == 0)
		reader->config->sweep.port = port;
	return r;
}

static int check_plan(const struct reader *reader)
{
	const struct section *section = section_of_instance(reader);

	if (reader->config->plan)
		return 0;
	if (section)
		return ft_error_set(reader->err, -EINVAL, section->line, 1, "no \"plan\" for [%s]", section->name);
	if (reader->count > 1 && reader->instance[0] == '\0')
		return ft_error_set(reader->err, -EINVAL, 1, 1,
				    "no \"plan\" before the first section: name an instance with --instance");
	return ft_error_set(reader->err, -EINVAL, 1, 1, "no \"plan\": which design is the fabric to be held against?");
}

static int check_settle(const struct reader *reader)
{
	const struct section *section = section_of_instance(reader);
	size_t settle = key_index("settle"), most = key_index("settle_max");
	size_t key;

	if (reader->config->settle_ms <= reader->config->settle_max_ms)
		return 0;
	/* The key given by the user, that of the instance's own section first. */
	if (!section || section->key_lines[settle] + section->key_lines[most] == 0)
		section = &reader->sections[0];
	key = section->key_lines[settle] > section->key_lines[most] ? settle : most;
	return ft_error_set(reader->err, -EINVAL, section->key_lines[key], section->key_columns[key],
			    "\"settle\" may not be longer than \"settle_max\"");
}

static int check_pace(const struct reader *reader)
{
	const struct section *section = section_of_instance(reader);
	size_t key = key_index("max_smps_per_second");
	struct ft_error why = {0};

	if (ft_sweep_options_check(&reader->config->sweep, &why) == 0)
		return 0;
	if (!section || section->key_lines[key] == 0)
		section = &reader->sections[0];
	return ft_error_set(reader->err, -EINVAL, section->key_lines[key], section->key_columns[key], "\"%s\": %s",
			    ft_config_keys[key].name, why.text);
}

static int check_lldp(const struct reader *reader)
{
	const struct section *section = section_of_instance(reader);
	size_t key = key_index("lldp_command");

	if (!reader->config->lldp || !reader->config->lldp_command)
		return 0;
	if (!section || section->key_lines[key] == 0)
		section = &reader->sections[0];
	return ft_error_set(reader->err, -EINVAL, section->key_lines[key], section->key_columns[key],
			    "neighbors come from \"lldp\" or from \"lldp_command\", not from both");
}

/* It may be absent, but an existing one must be usable for hooks. */
static int check_hooks(const struct reader *reader)
{
	const struct section *section = section_of_instance(reader);
	size_t key = key_index("hooks");
	struct stat st;

	if (stat(reader->config->hook_directory, &st) < 0 || S_ISDIR(st.st_mode))
		return 0;
	if (!section || section->key_lines[key] == 0)
		section = &reader->sections[0];
	if (section->key_lines[key] == 0)
		return ft_error_set(reader->err, -EINVAL, 1, 1, "%s, where \"hooks\" are unless told, is no directory",
				    reader->config->hook_directory);
	return ft_error_set(reader->err, -EINVAL, section->key_lines[key], section->key_columns[key],
			    "\"hooks\": %s is no directory", reader->config->hook_directory);
}

int ft_config_read(const char *text, size_t length, const char *directory, const char *instance,
		   struct ft_config **ret_config, struct ft_error *err)
{
	_cleanup_(reader_release) struct reader reader = {
		.directory = directory,
		.instance = instance ? instance : "",
		.err = err,
	};
	static int (*const checks[])(const struct reader *) = {check_plan, check_settle, check_pace, check_lldp,
							       check_hooks};
	int r = reader_begin(&reader);

	if (r == 0)
		r = read_lines(&reader, text, length);
	if (r == 0)
		r = apply_instance(&reader);
	for (size_t i = 0; i < FT_COUNT(checks) && r == 0; i++)
		r = checks[i](&reader);
	if (r < 0)
		return r;
	reader.config->sweep.ca = reader.config->ca;
	*ret_config = FT_STEAL(reader.config);
	return 0;
}

/* The directory that @path is in, absolute. */
static int directory_of(const char *path, char **ret_directory)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *here = NULL;
	char *directory;

	if (path[0] == '/') {
		directory = strndup(path, (size_t)(slash - path));
		if (!directory)
			return -ENOMEM;
		*ret_directory = directory;
		return 0;
	}
	here = getcwd(NULL, 0);
	if (!here)
		return -errno;
	if (!slash) {
		*ret_directory = FT_STEAL(here);
		return 0;
	}
	if (asprintf(&directory, "%s/%.*s", here, (int)(slash - path), path) < 0)
		return -ENOMEM;
	*ret_directory = directory;
	return 0;
}

/* The configured node name map, or the default one. */
static int names_take(struct ft_config *config, struct ft_error *err)
{
	struct ft_error why = {0};
	struct stat st;
	int r = 0;

	if (config->name_map && stat(config->name_map, &st) == 0 && !S_ISREG(st.st_mode))
		r = ft_error_set(&why, -EINVAL, 0, 0, "it is no regular file");
	if (r == 0)
		r = ft_names_load(config->name_map, &config->names, &why);
	if (r == 0)
		return 0;
	return ft_error_set(err, r, 0, 0, "the node name map %s, line %u: %s",
			    config->name_map ? config->name_map : FT_NODE_NAME_MAP, why.line,
			    why.text[0] ? why.text : strerror(-r));
}

int ft_config_load(const char *path, const char *instance, struct ft_config **ret_config, struct ft_error *err)
{
	_cleanup_(ft_config_freep) struct ft_config *config = NULL;
	_cleanup_free_ char *text = NULL, *directory = NULL;
	size_t length;
	int r;

	if (err)
		err->file = path;
	r = ft_file_read_plain(path, 0, CONFIG_SIZE_MAX, &text, &length, err);
	if (r < 0)
		return r;
	r = directory_of(path, &directory);
	if (r < 0)
		return ft_error_set(err, r, 0, 0, "which directory it is in cannot be told: %s", strerror(-r));
	r = ft_config_read(text, length, directory, instance, &config, err);
	if (r == 0)
		r = names_take(config, err);
	if (r == 0)
		*ret_config = FT_STEAL(config);
	return r;
}

/* Pointers and what they point to in one piece. */
static int names_copy(const struct reader *reader, size_t first, char ***ret_names)
{
	size_t count = reader->count - first, size = (count + 1) * sizeof(char *);
	char **names, *end;

	for (size_t i = first; i < reader->count; i++)
		size += strlen(reader->sections[i].name) + 1;
	names = malloc(size);
	if (!names)
		return -ENOMEM;
	end = (char *)(names + count + 1);
	for (size_t i = 0; i < count; i++) {
		names[i] = end;
		end = stpcpy(end, reader->sections[first + i].name) + 1;
	}
	names[count] = NULL;
	*ret_names = names;
	return 0;
}

int ft_config_instances(const char *path, char ***ret_names, struct ft_error *err)
{
	_cleanup_(reader_release) struct reader reader = {.directory = "", .instance = "", .err = err};
	_cleanup_free_ char *text = NULL;
	size_t length;
	int r;

	if (err)
		err->file = path;
	r = ft_file_read_plain(path, 0, CONFIG_SIZE_MAX, &text, &length, err);
	if (r == 0)
		r = reader_begin(&reader);
	if (r == 0)
		r = read_lines(&reader, text, length);
	if (r < 0)
		return r;
	return names_copy(&reader, reader.count == 1 || reader.config->plan ? 0 : 1, ret_names);
}

bool ft_config_clash(const struct ft_config *a, const struct ft_config *b)
{
	static const char any_port[] = ":0";
	size_t length;

	if (!a->listen || !b->listen || strcmp(a->listen, b->listen) != 0)
		return false;
	length = strlen(a->listen);
	return length < strlen(any_port) || strcmp(a->listen + length - strlen(any_port), any_port) != 0;
}

/* "plan FILE: why", with the line that names it. */
static int plan_error(const struct ft_config *config, const char *path, int code, const struct ft_error *why,
		      struct ft_error *err)
{
	bool absent = code == -ENOENT;

	if (!err)
		return code;
	err->file = path;
	return ft_error_set(err, code, config->plan_line, config->plan_column, "plan %s: %s%s", config->plan,
			    why->text[0] ? why->text : strerror(-code),
			    absent ? "; correct the name, or write the plan with ftplan" : "");
}

/* Phases that the plan cannot have are refused at once, and not by each check. */
static int plan_load(const char *path, struct ft_design **ret_design, struct ft_plan **ret_plan, struct ft_error *err)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_phases_freep) struct ft_phases *phases = NULL;
	int r = ft_design_load(path, &design, &plan, err);

	if (r == 0)
		r = ft_phases_make(design, plan, &phases, err);
	if (r < 0)
		return r;
	*ret_design = FT_STEAL(design);
	*ret_plan = FT_STEAL(plan);
	return 0;
}

int ft_config_load_plan(const struct ft_config *config, const char *path, struct ft_design **ret_design,
			struct ft_plan **ret_plan, struct ft_error *err)
{
	struct ft_error why = {0};
	int r = ft_file_open(config->plan, 0, &why);

	if (r < 0)
		return plan_error(config, path, r, &why, err);
	close(r);
	why = (struct ft_error){0};
	r = plan_load(config->plan, ret_design, ret_plan, &why);
	if (r < 0 && why.line == 0 && (!why.file || strcmp(why.file, config->plan) == 0))
		return plan_error(config, path, r, &why, err);
	if (r < 0 && err)
		*err = why;
	return r;
}

bool ft_config_failure_passes(int code)
{
	static const int passing[] = {ENOMEM, EMFILE, ENFILE, EAGAIN, EINTR, EIO, ENOBUFS, ENOSPC, ESTALE, ETIMEDOUT};

	for (size_t i = 0; i < FT_COUNT(passing); i++)
		if (code == -passing[i])
			return true;
	return false;
}

void ft_config_free(struct ft_config *config)
{
	if (!config)
		return;
	free(config->plan);
	free(config->ca);
	free(config->lldp);
	free(config->lldp_command);
	free(config->name_map);
	ft_names_free(config->names);
	free(config->listen);
	free(config->hook_directory);
	free(config);
}
