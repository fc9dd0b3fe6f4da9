/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/fields.h"

#include <inttypes.h>
#include <time.h>

void ft_time_add(struct ft_text *text, int64_t wall_ms)
{
	int64_t fraction = wall_ms % 1000;
	char string[32];
	struct tm tm;
	time_t when;

	if (fraction < 0)
		fraction += 1000;
	when = (time_t)((wall_ms - fraction) / 1000);
	if (!gmtime_r(&when, &tm) || strftime(string, sizeof(string), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
		return;
	ft_text_printf(text, "%s.%03" PRId64 "Z", string, fraction);
}

void ft_span_add(struct ft_text *text, int64_t ms)
{
	static const struct {
		int64_t seconds;
		const char *name;
		bool with_next; /* is the next smaller unit shown, too? */
	} units[] = {{86400, "d", true}, {3600, "h", true}, {60, "min", false}, {1, "s", false}};
	int64_t left = ms > 0 ? ms / 1000 : 0;
	size_t i = 0;

	while (i + 1 < FT_COUNT(units) && left < units[i].seconds)
		i++;
	ft_text_printf(text, "%" PRId64 " %s", left / units[i].seconds, units[i].name);
	left %= units[i].seconds;
	if (units[i].with_next && left >= units[i + 1].seconds)
		ft_text_printf(text, " %" PRId64 " %s", left / units[i + 1].seconds, units[i + 1].name);
}

static void add_string(struct ft_text *text, const char *string)
{
	if (string)
		ft_text_puts(text, string);
}

#define WRITER(name)                                                                                     \
	static void write_##name(struct ft_text *text, const struct ft_event *event, const char *fabric, \
				 const char *instance)

WRITER(event)
{
	(void)fabric, (void)instance;
	ft_text_puts(text, ft_event_kind_name(event->kind));
}

WRITER(seq)
{
	(void)fabric, (void)instance;
	ft_text_printf(text, "%" PRIu64, event->seq);
}

WRITER(code)
{
	(void)fabric, (void)instance;
	add_string(text, event->code);
}

WRITER(id)
{
	(void)fabric, (void)instance;
	add_string(text, event->id);
}

WRITER(severity)
{
	(void)fabric, (void)instance;
	ft_text_puts(text, ft_severity_name(event->severity));
}

WRITER(text)
{
	(void)fabric, (void)instance;
	add_string(text, event->text);
}

WRITER(fix)
{
	(void)fabric, (void)instance;
	add_string(text, event->fix);
}

WRITER(switch)
{
	(void)fabric, (void)instance;
	add_string(text, event->place.name);
}

WRITER(guid)
{
	(void)fabric, (void)instance;
	if (event->place.guid)
		ft_text_printf(text, "0x%016" PRIx64, event->place.guid);
}

WRITER(port)
{
	(void)fabric, (void)instance;
	if (event->place.port)
		ft_text_printf(text, "%" PRIu32, event->place.port);
}

WRITER(fabric)
{
	(void)event, (void)instance;
	add_string(text, fabric);
}

WRITER(instance)
{
	(void)event, (void)fabric;
	add_string(text, instance);
}

WRITER(time)
{
	(void)fabric, (void)instance;
	ft_time_add(text, event->wall_ms);
}

WRITER(raised_at)
{
	(void)fabric, (void)instance;
	ft_time_add(text, event->raised_ms);
}

WRITER(duration)
{
	int64_t ms = event->duration_ms > 0 ? event->duration_ms : 0;

	(void)fabric, (void)instance;
	ft_text_printf(text, "%" PRId64 ".%03d", ms / 1000, (int)(ms % 1000));
}

const struct ft_field ft_fields[] = {
	{"FTCHECK_EVENT", write_event, "raised, changed or cleared"},
	{"FTCHECK_SEQ", write_seq, "the number of the event; never used twice"},
	{"FTCHECK_CODE", write_code, "the code of the finding"},
	{"FTCHECK_ID", write_id, "the id of the finding: the same in all events of one alert"},
	{"FTCHECK_SEVERITY", write_severity, "critical, warning or info"},
	{"FTCHECK_TEXT", write_text, "what is wrong, in one sentence"},
	{"FTCHECK_FIX", write_fix, "what to do"},
	{"FTCHECK_SWITCH", write_switch, "the name of the first place of the finding"},
	{"FTCHECK_GUID", write_guid, "its GUID"},
	{"FTCHECK_PORT", write_port, "its port"},
	{"FTCHECK_FABRIC", write_fabric, "the name of the plan"},
	{"FTCHECK_INSTANCE", write_instance, "the instance of the daemon"},
	{"FTCHECK_TIME", write_time, "when it happened (RFC 3339, UTC)"},
	{"FTCHECK_RAISED_AT", write_raised_at, "since when the alert stands, or stood"},
	{"FTCHECK_DURATION_S", write_duration, "how long that is, in seconds"},
};

const size_t ft_field_count = FT_COUNT(ft_fields);
