/*
 * notify: what systemd wants to hear (sd_notify(3)). Without NOTIFY_SOCKET in
 * the environment every call does nothing.
 */
#ifndef HEDDLE_SM_NOTIFY_H
#define HEDDLE_SM_NOTIFY_H

#include <stdbool.h>

#include "sm/base/clock.h"

/* Does standard error go to the journal (JOURNAL_STREAM names it)? */
bool notify_journal(void);

/* We are up (also: the reload is over). Repeating it does no harm. */
void notify_ready(void);

/* A reload begins now. */
void notify_reloading(struct mono now);

void notify_stopping(void);

/* One line for `systemctl status`. */
void notify_status(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* How long we may stay silent, or MONO_NEVER without a watchdog. */
struct mono notify_watchdog(void);

/* Feed the watchdog. */
void notify_alive(void);

#endif
