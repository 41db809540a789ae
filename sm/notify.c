#include "sm/notify.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
/* Fields are of the event, not of the line that sends it. */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/event/event_journal.h"

/* JOURNAL_STREAM is inherited by processes that write elsewhere, so it is
 * compared with standard error. */
bool
notify_journal(void)
{
	const char *s = getenv("JOURNAL_STREAM");
	unsigned long long dev;
	struct stat st;
	char *end;

	if (s == NULL || fstat(STDERR_FILENO, &st) != 0)
		return false;
	dev = strtoull(s, &end, 10);
	return *end == ':' && st.st_dev == dev &&
	       st.st_ino == strtoull(end + 1, NULL, 10);
}

void
notify_ready(void)
{
	(void)sd_notify(0, "READY=1");
}

void
notify_reloading(struct mono now)
{
	(void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld",
		(long long)(now.ns / 1000));
}

void
notify_stopping(void)
{
	(void)sd_notify(0, "STOPPING=1");
}

void
notify_status(const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	(void)sd_notifyf(0, "STATUS=%s", line);
}

bool
notify_event(const struct event *e, uint64_t seq)
{
	struct buf text = {0};
	size_t n = event_journal_fields(e, seq, &text);
	struct iovec *field = mem_alloc(n * sizeof(*field));
	char *at = text.text;
	bool sent;

	for (size_t i = 0; i < n; i++) {
		field[i] = (struct iovec){at, strlen(at)};
		at += field[i].iov_len + 1;
	}
	sent = sd_journal_sendv(field, (int)n) == 0;
	free(field);
	buf_free(&text);
	return sent;
}

struct mono
notify_watchdog(void)
{
	uint64_t us = 0;

	if (sd_watchdog_enabled(0, &us) <= 0 || us > INT64_MAX / 1000)
		return MONO_NEVER;
	return mono_us((int64_t)us);
}

void
notify_alive(void)
{
	(void)sd_notify(0, "WATCHDOG=1");
}
