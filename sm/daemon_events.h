/*
 * daemon_events: what the daemon tells of itself and of its users, as events:
 * when it starts and ends, what became of a reload, who asked for what. Each
 * kind has a budget as the core's have (sm/view/event_log.h): a user can ask a
 * thousand times a second.
 */
#ifndef HEDDLE_SM_DAEMON_EVENTS_H
#define HEDDLE_SM_DAEMON_EVENTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "config/config.h"
#include "sm/base/clock.h"
#include "sm/event/event.h"

struct daemon_events;

/* Called for each event, which is lent. */
typedef uint64_t daemon_events_sink(void *cookie, const struct event *e);

struct daemon_events *daemon_events_new(daemon_events_sink *sink, void *cookie);
void daemon_events_free(struct daemon_events *d); /* NULL allowed */

/* killed: the previous run did not end in order. */
void daemon_events_start(struct daemon_events *d, bool killed, struct mono now);
void daemon_events_stop(struct daemon_events *d, struct mono now);

/* The configuration was read again, and differs by c from what it was; or has
 * mistakes. */
void daemon_events_reload(struct daemon_events *d,
	const struct config_changes *c, struct mono now);
void daemon_events_refused(
	struct daemon_events *d, const char *why, struct mono now);

/* "root (uid 0)", in out. */
enum { DAEMON_EVENTS_USER = 32 };
const char *daemon_events_user(uid_t uid, char out[DAEMON_EVENTS_USER]);

/* A user asked for something; refused: why it was not done, or NULL. */
void daemon_events_command(struct daemon_events *d, const char *command,
	uid_t uid, const char *refused, struct mono now);

void daemon_events_own_link(struct daemon_events *d, bool up, struct mono now);
void daemon_events_port_lost(
	struct daemon_events *d, const char *why, struct mono now);

/* The state file cannot be written any more, or again. */
void daemon_events_state(
	struct daemon_events *d, const char *why, struct mono now);

#endif
