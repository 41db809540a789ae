/*
 * event_log: how many events of each kind there were, which of them are told,
 * and what is missing since.
 *
 * An event that repeats without end, as of a loose connector, must fill neither
 * the log nor a disk: each kind has a budget, and what exceeds it is one event
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

/* The budget of a kind: so many at once, and one more in so many seconds. */
enum { EVENT_LOG_BURST = 64, EVENT_LOG_SECONDS = 10 };

struct event_missing {
	bool is_node;
	struct event_end a, b; /* of a node: what it was linked to */
	struct mono since;
};

struct event_log;

struct event_log *event_log_new(void);
void event_log_free(struct event_log *l); /* NULL allowed */

/* A node or a link that has gone is missing from now on; when a link came up is
 * noted. */
void event_log_note(
	struct event_log *l, const struct topo_event *e, struct mono now);

/* For how many seconds lasted what is over by this event: a link was up, or a
 * link or a node was missing. Before event_log_note and event_log_settle. 0:
 * unknown. */
double event_log_lasted(
	const struct event_log *l, const struct topo_event *e, struct mono now);

/* Count an event. */
void event_log_add(struct event_log *l, enum event_kind kind);

/* Whether an event of this kind that is counted is to be told; else it is
 * beyond the budget. */
bool event_log_allows(
	struct event_log *l, enum event_kind kind, struct mono now);

/* Both. */
bool event_log_take(struct event_log *l, enum event_kind kind, struct mono now);

/* After a batch: true with an event in *out that sums up what exceeded the
 * budget of a kind. Call it until it is false. Such events have a budget, too:
 * what exceeds that is in a later sum. */
bool event_log_rest(struct event_log *l, struct event *out, struct mono now);

/* Take over what was missing before: one of a previous run, oldest first. */
void event_log_restore(struct event_log *l, const struct event_missing *m);

/* All that is missing was so since a time that was counted from 0. */
void event_log_shift(struct event_log *l, struct mono zero);

/* Tell sink what is missing and is in this topology again, the first one of a
 * run of the daemon: it came back meanwhile. Before event_log_settle. */
void event_log_back(const struct event_log *l, const struct topo *t,
	topo_event_sink *sink, void *cookie);

/* Tell sink each link that went with a node which is in this topology again,
 * and the link is not: nothing has told of it by itself. Before
 * event_log_settle. */
void event_log_left(const struct event_log *l, const struct topo *t,
	topo_event_sink *sink, void *cookie);

/* What is in this topology is not missing. */
void event_log_settle(struct event_log *l, const struct topo *t);

/* Nothing is missing any more. */
void event_log_accept(struct event_log *l);

/* A number that is another one when something else is missing. */
uint64_t event_log_stamp(const struct event_log *l);

/* Events of a kind since the start. */
uint64_t event_log_count(const struct event_log *l, enum event_kind kind);

/* What is missing, oldest first; *n is their number. */
const struct event_missing *event_log_missing(
	const struct event_log *l, size_t *n);

/* False for a link of which a node is missing, by t, the topology of now: it is
 * told with the node. */
bool event_log_is_told(const struct event_missing *m, const struct topo *t);

#endif
