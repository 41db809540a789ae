/*
 * log: the daemon's log. Only code under sm/ that runs in the daemon calls it;
 * libraries return reasons. Lines are "subsystem: message key=value". Levels
 * follow syslog; with systemd each line carries its <N> prefix.
 */
#ifndef HEDDLE_SM_BASE_LOG_H
#define HEDDLE_SM_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "sm/base/clock.h"

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG
};

/* Set the most verbose level that is printed. */
void log_set_level(enum log_level level);

/* Prefix lines with <N> as journald reads it (JOURNAL_STREAM is set). */
void log_set_journal(bool on);

/* A line of this level, as it is. */
void log_print(enum log_level level, const char *line);

/* Whether lines of this level are printed, and its number for syslog. */
bool log_shows(enum log_level level);
int log_syslog(enum log_level level);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * A token bucket for a class of lines that messages from the wire can cause: at
 * most burst lines, one more token a second; suppressed lines are counted.
 */
struct log_limit {
	struct mono last;
	unsigned tokens;
	unsigned suppressed;
	bool started;
};

/*
 * True if a line of this class may be printed now; *suppressed (NULL allowed)
 * then is the number of lines suppressed since the last one.
 */
bool log_allowed(struct log_limit *l, unsigned burst, struct mono now,
	unsigned *suppressed);

/*
 * A line that is logged once while what it says lasts: true if text is not ""
 * and not what logged has, which becomes text (size bytes, cut to fit).
 */
bool log_is_news(char *logged, size_t size, const char *text);

#endif
