/*
 * notify: messages to systemd (sd_notify(3)). Without NOTIFY_SOCKET in the
 * environment every call but notify_journal and notify_watchdog does nothing.
 */
#ifndef HEDDLE_SM_NOTIFY_H
#define HEDDLE_SM_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/event/event.h"

/* True if standard error goes to the journal (JOURNAL_STREAM names it). */
bool notify_journal(void);

/* heddled is up, or a reload is over. Repeating it does no harm. */
void notify_ready(void);

/* A reload begins now. */
void notify_reloading(struct mono now);

void notify_stopping(void);

/* One line for `systemctl status`. */
void notify_status(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Send an event to the journal, with its fields (sm/event/event_journal.h).
 * False: the journal does not take it. */
bool notify_event(const struct event *e, uint64_t seq);

/* The longest time between two calls of notify_alive, or MONO_NEVER without a
 * watchdog. */
struct mono notify_watchdog(void);

/* Feed the watchdog. */
void notify_alive(void);

#endif
