/*
 * event: something that happened, as a value: its kind, and values for the
 * fields of that kind. It is made where it is known, told by one call, and used
 * during that call only: what it points to is lent.
 *
 *	struct event e = {.kind = EVENT_NAME_WAITS};
 *
 *	event_end(&e, "node", &end);
 *	event_text(&e, "why", why);
 *	events_tell(sm, &e, now);
 *
 * It has neither time nor number: who keeps it (sm/event_store.h) gives both.
 */
#ifndef HEDDLE_SM_EVENT_EVENT_H
#define HEDDLE_SM_EVENT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "sm/event/event_kind.h"

enum { EVENT_NAME = 65 };

/* What a node is, where that is known. */
enum event_node {
	EVENT_IS_UNKNOWN,
	EVENT_IS_SWITCH,
	EVENT_IS_HOST,
	EVENT_IS_OTHER, /* a router, an aggregation node */
};

/* "switch", "host", "other"; NULL: EVENT_IS_UNKNOWN. And back. */
const char *event_node_name(enum event_node is);
enum event_node event_node_of(const char *name);

/* A port of a node, or a node (port 0). */
struct event_end {
	uint64_t guid; /* of the node; 0: there is no such end */
	uint8_t port;
	uint8_t is;	       /* enum event_node */
	char name[EVENT_NAME]; /* "" while it is not known */
};

struct event_value {
	bool is_set;
	union {
		uint64_t number; /* EVENT_NUMBER, EVENT_RATE */
		double seconds;
		const char *text;
		const struct event_end *end;
	} is;
};

struct event {
	enum event_kind kind;
	struct event_value value[EVENT_FIELDS]; /* by the fields of the kind */
};

/* Give a field its value. It is a field of this kind and of this type
 * (asserted). A text that is NULL or "", and an end without a GUID, are no
 * value. */
void event_text(struct event *e, const char *field, const char *text);
void event_number(struct event *e, const char *field, uint64_t number);
void event_rate(struct event *e, const char *field, uint32_t rate);
void event_seconds(struct event *e, const char *field, double seconds);
void event_end(struct event *e, const char *field, const struct event_end *end);

/* Append a time as texts have it: 0.13 s, 3 min 20 s, 2 d 4 h. */
void event_print_seconds(double seconds, struct buf *out);

/* Append the text of an event. */
void event_print(const struct event *e, struct buf *out);

#endif
