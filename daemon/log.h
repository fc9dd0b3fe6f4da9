/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The journal: alerts as structured entries, and messages about the daemon itself.
 *
 * Alerts go to the journal's own socket (sd_journal_sendv()). Without one (no systemd), they go to standard error, one
 * line each, like all other messages; with the <N> prefix of sd-daemon(3) if that is connected to a journal.
 */
#ifndef FT_DAEMON_LOG_H
#define FT_DAEMON_LOG_H

#include <syslog.h>

#include "daemon/alert.h"

/* One line about the daemon itself; @priority is LOG_ERR and so on. Unsafe bytes are escaped. */
void ft_log(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * The MESSAGE_ID of a code and kind of event: stable for ever, made from the code's name by a documented rule
 * (a name-based UUID in a namespace of the project's own), listed in ftcheckd(8).
 */
void ft_log_message_id(const char *code, enum ft_event_kind kind, char ret_id[33]);

/*
 * One alert into the journal, with MESSAGE, PRIORITY, MESSAGE_ID and the fields FTCHECK_* of ftcheckd(8). Never waits.
 * Returns 0 or -errno; 0 means that one of the two has it. -EAGAIN: the reader does not read at present. If a journal
 * exists and is full the entry is retried: standard error is only for systems without one.
 */
int ft_log_alert(const struct ft_event *event, const char *fabric, const char *instance);

#endif
