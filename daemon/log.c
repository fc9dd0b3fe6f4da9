/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/log.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sha1.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
/* Entries have no source line: the fields have all that an operator needs. */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include "base/text.h"
#include "daemon/fields.h"

/* The namespace UUID of all MESSAGE_IDs: 6d5b0f7c-40a1-4c1e-9b3e-2f1d7a64c8e5. Must never be changed. */
static const uint8_t message_namespace[16] = {0x6d, 0x5b, 0x0f, 0x7c, 0x40, 0xa1, 0x4c, 0x1e,
					      0x9b, 0x3e, 0x2f, 0x1d, 0x7a, 0x64, 0xc8, 0xe5};

static const int severity_priorities[] = {
	[FT_SEVERITY_INFO] = LOG_INFO,
	[FT_SEVERITY_WARNING] = LOG_WARNING,
	[FT_SEVERITY_CRITICAL] = LOG_CRIT,
};

/* Is standard error a stream to the journal? Then its lines may begin with <N> (sd-daemon(3)). */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;
	int end = 0;

	if (!stream || sscanf(stream, "%llu:%llu%n", &device, &inode, &end) != 2 || stream[end])
		return false;
	return fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

/*
 * Writes one line to standard error, or returns -EAGAIN: its reader does not read, and waiting would stop the
 * monitoring. A pipe that is writable by poll(2) accepts PIPE_BUF bytes at once.
 */
static int write_line(int priority, const char *safe)
{
	_cleanup_(ft_text_release) struct ft_text line = {0};
	struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
	ssize_t written;

	if (stderr_is_journal())
		ft_text_printf(&line, "<%d>%s\n", priority, safe);
	else
		ft_text_printf(&line, "ftcheckd: %s\n", safe);
	if (ft_text_failed(&line))
		return -ENOMEM;
	if (line.length > PIPE_BUF) {
		line.length = PIPE_BUF;
		line.data[line.length - 1] = '\n';
	}
	if (poll(&ready, 1, 0) < 0)
		return -errno;
	/* The other end is closed: writing would raise SIGPIPE. */
	if (ready.revents & (POLLERR | POLLHUP | POLLNVAL))
		return -EPIPE;
	if (!(ready.revents & POLLOUT))
		return -EAGAIN;
	do
		written = write(STDERR_FILENO, line.data, line.length);
	while (written < 0 && errno == EINTR);
	return written < 0 ? -errno : 0;
}

void ft_log(int priority, const char *format, ...)
{
	_cleanup_(ft_text_release) struct ft_text safe = {0};
	_cleanup_free_ char *text = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0) {
		text = NULL;
		(void)write_line(LOG_ERR, "out of memory");
		return;
	}
	ft_text_add_safe(&safe, text, (size_t)length);
	(void)write_line(priority, ft_text_failed(&safe) ? "out of memory" : ft_text_string(&safe));
}

void ft_log_message_id(const char *code, enum ft_event_kind kind, char ret_id[33])
{
	const char *name = ft_event_kind_name(kind);
	uint8_t digest[SHA1_DIGEST_LENGTH];
	SHA1_CTX sha;

	/* RFC 4122, 4.3: version 5, of the name CODE/EVENT. */
	SHA1Init(&sha);
	SHA1Update(&sha, message_namespace, sizeof(message_namespace));
	SHA1Update(&sha, (const uint8_t *)code, strlen(code));
	SHA1Update(&sha, (const uint8_t *)"/", 1);
	SHA1Update(&sha, (const uint8_t *)name, strlen(name));
	SHA1Final(digest, &sha);
	digest[6] = (uint8_t)((digest[6] & 0x0f) | 0x50);
	digest[8] = (uint8_t)((digest[8] & 0x3f) | 0x80);
	for (size_t i = 0; i < 16; i++)
		snprintf(ret_id + 2 * i, 3, "%02x", digest[i]);
}

/*
 * The message for the operator: what happened, where, and what to do. For a cleared alert the text begins with the
 * reason ("repaired: the cable between …"), followed by its duration.
 */
static void write_message(struct ft_text *text, const struct ft_event *event)
{
	const char *what = event->text ? event->text : "", *rest = strstr(what, ": ");

	if (event->kind == FT_EVENT_CLEARED) {
		ft_text_add(text, what, rest ? (size_t)(rest - what) : 0);
		ft_text_puts(text, rest ? " after " : "over after ");
		ft_span_add(text, event->duration_ms);
		ft_text_printf(text, "%s%s", rest ? "" : ": ", rest ? rest : what);
		return;
	}
	if (event->kind == FT_EVENT_CHANGED)
		ft_text_puts(text, "changed: ");
	ft_text_puts(text, what);
	if (event->fix && *event->fix)
		ft_text_printf(text, "; fix: %s", event->fix);
}

static int event_priority(const struct ft_event *event)
{
	return event->kind == FT_EVENT_CLEARED ? LOG_NOTICE : severity_priorities[event->severity];
}

/*
 * Does the journal accept an entry now? sd_journal_sendv() reports no error if there is no journal, and blocks if the
 * journal does not read: both must be avoided.
 *
 * Returns 0, -EAGAIN, or another -errno where there is none.
 */
static int journal_ready(void)
{
	static const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/run/systemd/journal/socket"};
	_cleanup_(ft_closep) int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd ready = {.fd = fd, .events = POLLOUT};

	/* A lack of resources: the next try shows whether there is a journal. */
	if (fd < 0)
		return errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM ? -EAGAIN : -errno;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return poll(&ready, 1, 0) == 1 && ready.revents & POLLOUT ? 0 : -EAGAIN;
}

/* The fields of an entry, as "NAME=value". */
enum { ENTRY_MAX = 32 };
struct entry {
	struct ft_text fields[ENTRY_MAX];
	size_t count;
};

static void entry_release(struct entry *entry)
{
	for (size_t i = 0; i < entry->count; i++)
		ft_text_release(&entry->fields[i]);
}

static struct ft_text *entry_add(struct entry *entry, const char *name)
{
	struct ft_text *field = &entry->fields[entry->count++];

	ft_text_printf(field, "%s=", name);
	return field;
}

static void entry_fill(struct entry *entry, const struct ft_event *event, const char *fabric, const char *instance)
{
	char id[33];

	ft_log_message_id(event->code, event->kind, id);
	write_message(entry_add(entry, "MESSAGE"), event);
	ft_text_printf(entry_add(entry, "PRIORITY"), "%d", event_priority(event));
	ft_text_puts(entry_add(entry, "MESSAGE_ID"), id);
	ft_text_puts(entry_add(entry, "SYSLOG_IDENTIFIER"), "ftcheckd");
	for (size_t i = 0; i < ft_field_count; i++) {
		struct ft_text *field = entry_add(entry, ft_fields[i].name);

		ft_fields[i].write(field, event, fabric, instance);
		/* Nothing follows the "=". */
		if (field->length == strlen(ft_fields[i].name) + 1 && !ft_text_failed(field)) {
			ft_text_release(field);
			entry->count--;
		}
	}
	if (event->finding && *event->finding)
		ft_text_puts(entry_add(entry, "FTCHECK_FINDING"), event->finding);
}

static int send_entry(const struct entry *entry)
{
	struct iovec parts[ENTRY_MAX];

	for (size_t i = 0; i < entry->count; i++) {
		if (ft_text_failed(&entry->fields[i]))
			return -ENOMEM;
		parts[i] = (struct iovec){entry->fields[i].data, entry->fields[i].length};
	}
	return sd_journal_sendv(parts, (int)entry->count);
}

int ft_log_alert(const struct ft_event *event, const char *fabric, const char *instance)
{
	_cleanup_(entry_release) struct entry entry = {0};
	_cleanup_(ft_text_release) struct ft_text line = {0};
	int ret;

	ret = journal_ready();
	if (ret == 0) {
		entry_fill(&entry, event, fabric, instance);
		ret = send_entry(&entry);
	}
	if (ret == 0 || ret == -ENOMEM || ret == -EAGAIN)
		return ret;
	write_message(&line, event);
	ft_text_printf(&line, " [%s %s]", ft_severity_name(event->severity), event->id);
	if (ft_text_failed(&line))
		return -ENOMEM;
	return write_line(event_priority(event), ft_text_string(&line));
}
