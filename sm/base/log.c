#include "sm/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The one state that modules share: a process has one log. */
/* NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables) */
static enum log_level max_level = LOG_LEVEL_INFO;
static bool journal;
/* NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables) */

static const struct {
	const char *name;
	int syslog;
} levels[] = {
	[LOG_LEVEL_ERROR] = {"error", 3},
	[LOG_LEVEL_WARN] = {"warning", 4},
	[LOG_LEVEL_INFO] = {"info", 6},
	[LOG_LEVEL_DEBUG] = {"debug", 7},
};

void
log_set_level(enum log_level level)
{
	max_level = level;
}

void
log_set_journal(bool on)
{
	journal = on;
}

bool
log_shows(enum log_level level)
{
	return level <= max_level;
}

int
log_syslog(enum log_level level)
{
	return levels[level].syslog;
}

void
log_print(enum log_level level, const char *line)
{
	if (!log_shows(level))
		return;
	if (journal)
		(void)fprintf(stderr, "<%d>%s\n", levels[level].syslog, line);
	else if (level == LOG_LEVEL_INFO)
		(void)fprintf(stderr, "heddled: %s\n", line);
	else
		(void)fprintf(
			stderr, "heddled: %s: %s\n", levels[level].name, line);
}

static void log_vprint(enum log_level level, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void
log_vprint(enum log_level level, const char *fmt, va_list ap)
{
	char line[1024];

	if (level > max_level)
		return;
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	log_print(level, line);
}

void
log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_vprint(LOG_LEVEL_ERROR, fmt, ap);
	va_end(ap);
}

void
log_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_vprint(LOG_LEVEL_WARN, fmt, ap);
	va_end(ap);
}

void
log_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_vprint(LOG_LEVEL_INFO, fmt, ap);
	va_end(ap);
}

void
log_debug(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_vprint(LOG_LEVEL_DEBUG, fmt, ap);
	va_end(ap);
}

bool
log_allowed(struct log_limit *l, unsigned burst, struct mono now,
	unsigned *suppressed)
{
	int64_t earned;

	if (!l->started) {
		*l = (struct log_limit){now, burst, 0, true};
	} else if (!mono_before(now, l->last)) {
		earned = mono_sub(now, l->last).ns / 1000000000;
		if (earned > 0) {
			l->tokens = earned > burst - l->tokens
					    ? burst
					    : l->tokens + (unsigned)earned;
			l->last = now;
		}
	}
	if (l->tokens == 0) {
		l->suppressed++;
		return false;
	}
	l->tokens--;
	if (suppressed != NULL)
		*suppressed = l->suppressed;
	l->suppressed = 0;
	return true;
}

bool
log_is_news(char *logged, size_t size, const char *text)
{
	size_t n = strnlen(text, size - 1);
	bool same = strncmp(logged, text, n) == 0 && logged[n] == '\0';

	memmove(logged, text, n);
	logged[n] = '\0';
	return n > 0 && !same;
}
