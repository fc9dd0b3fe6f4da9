/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void event_write(struct ft_text *t, const struct ft_event *event)
{
	const char *const members[][2] = {
		{"event", ft_event_kind_name(event->kind)},	 {"id", event->id},	{"code", event->code},
		{"severity", ft_severity_name(event->severity)}, {"text", event->text},
	};

	ft_text_printf(t, "{\"seq\": %" PRIu64, event->seq);
	ft_alerts_add_time(t, "time", event->wall_ms);
	for (size_t i = 0; i < FT_COUNT(members); i++)
		ft_text_add_member(t, members[i][0], members[i][1]);
	ft_text_printf(t, ", \"duration_s\": %" PRId64 "}", event->duration_ms / 1000);
}

void ft_history_add(struct ft_history *history, char *event)
{
	free(history->events[history->next]);
	history->events[history->next] = event;
	history->next = (history->next + 1) % FT_HISTORY_MAX;
}

const char *ft_history_note(struct ft_history *history, const struct ft_event *event)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	char *copy;

	event_write(&text, event);
	copy = ft_text_failed(&text) ? NULL : strdup(ft_text_string(&text));
	if (copy)
		ft_history_add(history, copy);
	return copy;
}

void ft_history_write(struct ft_text *t, const struct ft_history *history)
{
	ft_text_puts(t, "[");
	for (size_t i = 1; i <= FT_HISTORY_MAX; i++) {
		const char *event = history->events[(history->next + FT_HISTORY_MAX - i) % FT_HISTORY_MAX];

		if (!event)
			break;
		ft_text_puts(t, i > 1 ? ",\n    " : "\n    ");
		ft_text_puts(t, event);
	}
	ft_text_puts(t, "]");
}

void ft_history_release(struct ft_history *history)
{
	for (size_t i = 0; i < FT_HISTORY_MAX; i++)
		free(history->events[i]);
	*history = (struct ft_history){0};
}
