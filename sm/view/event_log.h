/*
 * event_log: what happened to the fabric, for an administrator: the last events
 * in words, how many of each kind there were, and what is missing since.
 *
 * An event that repeats without end, as of a loose connector, must fill neither
 * the log nor memory: each kind has a budget, and what exceeds it is one event
 * that says how many. All are counted.
 *
 * Missing are nodes and links that were there and are not, until they are back,
 * their ports are linked otherwise, or an administrator accepts the fabric as
 * it is.
 */
#ifndef HEDDLE_SM_VIEW_EVENT_LOG_H
#define HEDDLE_SM_VIEW_EVENT_LOG_H

#include "sm/base/clock.h"
#include "sm/view/topo_events.h"

/* The events that are kept; the budget of a kind: so many at once, and one more
 * a second. */
enum { EVENT_LOG_KEPT = 512, EVENT_LOG_BURST = 64 };

struct event_entry {
	uint64_t seq; /* 1 is the first one */
	struct mono when;
	enum topo_event_kind kind;
	struct topo_event_end a, b; /* guid 0: there is none */
	char text[320];
};

struct event_missing {
	bool is_node;
	struct topo_event_end a, b; /* of a node: what it was linked to */
	struct mono since;
};

struct event_log;

struct event_log *event_log_new(void);
void event_log_free(struct event_log *l); /* NULL allowed */

/* Enter an event. The entry, to be logged, or NULL: beyond the budget, or not
 * seen by itself. It is valid until the next one is entered. */
const struct event_entry *event_log_add(
	struct event_log *l, const struct topo_event *e, struct mono now);

/* After a batch: an entry that sums up what exceeded the budget of a kind, or
 * NULL when all are told. Call it until then. */
const struct event_entry *event_log_rest(struct event_log *l, struct mono now);

/* Take over what was missing before: one of a previous run, oldest first. */
void event_log_restore(struct event_log *l, const struct event_missing *m);

/* All that is missing was so since a time that was counted from 0. */
void event_log_shift(struct event_log *l, struct mono zero);

/* What is in this topology is not missing. */
void event_log_settle(struct event_log *l, const struct topo *t);

/* Nothing is missing any more. */
void event_log_accept(struct event_log *l);

/* A number that is another one when something else is missing. */
uint64_t event_log_stamp(const struct event_log *l);

/* Events of a kind since the start. */
uint64_t event_log_count(const struct event_log *l, enum topo_event_kind kind);

/* The oldest entry after seq that is kept, or NULL. */
const struct event_entry *event_log_after(
	const struct event_log *l, uint64_t seq);

/* What is missing, oldest first; *n is their number. */
const struct event_missing *event_log_missing(
	const struct event_log *l, size_t *n);

/* False for a link of which a node is missing, by t, the topology of now: it is
 * told with the node. */
bool event_log_is_told(const struct event_missing *m, const struct topo *t);

#endif
