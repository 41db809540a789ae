/*
 * log: the daemon's voice. Only code under sm/ that runs in the daemon calls
 * it; libraries return reasons. Lines are "subsystem: message key=value".
 * Levels follow syslog; with systemd each line carries its <N> prefix.
 */
#ifndef HEDDLE_SM_BASE_LOG_H
#define HEDDLE_SM_BASE_LOG_H

#include <stdbool.h>

#include "sm/base/clock.h"

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG
};

/* Set the most talkative level that is printed. */
void log_set_level(enum log_level level);

/* Prefix lines with <N> as journald reads it (JOURNAL_STREAM is set). */
void log_set_journal(bool on);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * A token bucket for a class of lines that the wire can drive: at most burst
 * lines, one more token a second; what was suppressed is counted.
 */
struct log_limit {
	struct mono last;
	unsigned tokens;
	unsigned suppressed;
	bool started;
};

/*
 * May a line of this class be printed now? When true, *suppressed (NULL
 * allowed) says how many were swallowed since the last one.
 */
bool log_allowed(struct log_limit *l, unsigned burst, struct mono now,
	unsigned *suppressed);

#endif
