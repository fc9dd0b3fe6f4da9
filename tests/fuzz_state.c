/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target for the daemon's alerts.json: any bytes are alerts, or an error; alerts can be lived with, and come
 * back from being written the same. The checksum is put right, so that what is behind it is tried.
 * Seeds: tests/data/fuzz_state/.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "daemon/alert.h"
#include "daemon/alert_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct ft_now begin = {.mono_ms = 1000000, .wall_ms = 1790000000000};

static void check(int truth)
{
	if (!truth)
		abort();
}

static void round_trip(const struct ft_alerts *alerts, struct ft_now now)
{
	_cleanup_(ft_alerts_freep) struct ft_alerts *again = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0}, twice = {0};
	struct ft_error err = {0};

	ft_alerts_write_json(&text, alerts, now);
	check(ft_alerts_read_json(text.data, text.length, now, &again, &err) == 0);
	ft_alerts_write_json(&twice, again, now);
	check(text.length == twice.length && memcmp(text.data, twice.data, text.length) == 0);
}

/* One line, that a log and a hook can be given. */
static void event_check(const struct ft_event *event)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_event_write_json(&text, event, "fabric", "instance");
	check(text.length > 0 && text.data[text.length - 1] == '\n');
	for (size_t i = 0; i + 1 < text.length; i++)
		check((unsigned char)text.data[i] >= 0x20);
}

/* An hour, with sweeps that find nothing, that fail, and with a host that goes. Returns when it is over. */
static struct ft_now live(struct ft_alerts *alerts)
{
	static const char *const sinks[] = {"journal", "hook"};
	struct ft_report report = {.verdict = FT_VERDICT_OK};
	struct ft_now now = begin;
	const struct ft_event *event;

	check(ft_alerts_set_sinks(alerts, sinks, FT_COUNT(sinks)) == 0);
	for (int i = 0; i < 6; i++) {
		now.mono_ms += 600000;
		now.wall_ms += 600000;
		check(ft_alerts_due_ms(alerts, &ft_alert_rules_defaults) >= 0 || i == 0);
		check(ft_alerts_tick(alerts, &ft_alert_rules_defaults, now) == 0);
		check(ft_alerts_miss(alerts, &ft_alert_rules_defaults, NULL, FT_LOOK_ALL, "lost", now) == 0);
		check(ft_alerts_host_link_down(alerts, &ft_alert_rules_defaults, 0x100, 1, "leaf", "host", now) == 0);
		check(ft_alerts_look(alerts, &ft_alert_rules_defaults, &report, FT_LOOK_ALL, now) == 0);
	}
	check(ft_alerts_standing(alerts, FT_SEVERITY_CRITICAL) == 0);
	for (size_t i = 0; i < FT_COUNT(sinks); i++)
		while ((event = ft_alerts_next(alerts, sinks[i]))) {
			event_check(event);
			ft_alerts_done(alerts, sinks[i], event->seq);
		}
	check(ft_alerts_waiting(alerts, sinks[0]) == 0);
	return now;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(ft_alerts_freep) struct ft_alerts *alerts = NULL;
	_cleanup_free_ char *text = malloc(size + 1);
	char head[FT_STATE_HEAD_SIZE];
	size_t body = ft_state_head(head, "", 0);
	struct ft_error err = {0};
	int r;

	check(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	if (size > body) {
		ft_state_head(head, text + body, size - body);
		memcpy(text, head, body);
	}
	r = ft_alerts_read_json(text, size, begin, &alerts, &err);
	if (r < 0) {
		check(r == -EINVAL && !alerts && err.text[0]);
		return 0;
	}
	round_trip(alerts, begin);
	round_trip(alerts, live(alerts));
	return 0;
}
