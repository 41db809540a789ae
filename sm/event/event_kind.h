/*
 * event_kind: the kinds of events that an administrator hears of, as a table: a
 * kind is a row of event_kind.c, and nothing else knows what it has. Its text
 * in the log, its member names in JSON, its fields in the journal and its entry
 * in heddle-events(7) are made from that row.
 *
 * Folder sm/event: an event as a value -> its text, its fields for journald(8),
 * the manual. Callers: sm/view and sm/core make events of the fabric,
 * sm/daemon*.c those of the daemon; sm/report shows them, sm/event_store.h
 * keeps them. Read next: sm/event/event.h.
 */
#ifndef HEDDLE_SM_EVENT_EVENT_KIND_H
#define HEDDLE_SM_EVENT_EVENT_KIND_H

#include "sm/base/log.h"

enum event_kind {
	/* the fabric */
	EVENT_NODE_GONE,
	EVENT_LINK_DOWN,
	EVENT_QUARANTINED,
	EVENT_RELEASED,
	EVENT_NODE_NEW,
	EVENT_LINK_UP,
	EVENT_LINK_RESET, /* Active before, Init when it was read again */
	EVENT_LINK_RATE,  /* another width or speed */
	EVENT_LID_MOVED,
	EVENT_ODDITY,	   /* what was read contradicts itself */
	EVENT_LINK_FAULT,  /* traps 129 to 131 */
	EVENT_VIOLATION,   /* traps 256 to 259 */
	EVENT_PORT_CHANGE, /* traps 144 and 145 */
	EVENT_LINK_BAD,	   /* by its counters */
	EVENT_LINK_GOOD,
	EVENT_LINK_KEPT, /* bad, but not drained */
	EVENT_DEVIATION, /* from the plan of fabric.expected */
	EVENT_DEVIATION_OVER,
	EVENT_CABLING, /* the fabric was compared with that plan */
	/* what was done */
	EVENT_CHANGE, /* tables were written, and no event above says so */
	EVENT_SWEEP,  /* the whole fabric was read, and nothing written */
	EVENT_ENGINE,
	EVENT_FALLBACK,
	EVENT_DRIFT,
	EVENT_ALARM_ON,
	EVENT_ALARM_OFF,
	/* managers */
	EVENT_MANAGER_SEEN,
	EVENT_MANAGER_GONE,
	EVENT_MASTER,
	EVENT_STANDBY,
	/* the daemon and its users */
	EVENT_START,
	EVENT_STOP,
	EVENT_RELOAD,
	EVENT_RELOAD_REFUSED,
	EVENT_COMMAND,
	EVENT_OWN_LINK,
	EVENT_PORT_LOST,
	EVENT_DRAINED, /* for maintenance: a switch, or a link */
	EVENT_UNDRAINED,
	EVENT_NAME_WAITS, /* for an administrator to accept it */
	EVENT_SUPPRESSED, /* events beyond the budget of their kind */
	EVENT_KINDS
};

/* How the value of a field is written. */
enum event_type {
	EVENT_TEXT,
	EVENT_NUMBER,
	EVENT_SECONDS, /* as "3 min 20 s" in texts, a number in JSON */
	EVENT_RATE,    /* given in units of 100 Mb/s; as "2.5 Gb/s" */
	EVENT_END,     /* a port of a node, or a node: GUID, name, port */
};

struct event_field {
	const char *name; /* "pairs_lost"; in the journal HEDDLE_PAIRS_LOST */
	enum event_type type;
	const char *help; /* what it means, for the manual */
};

enum { EVENT_FIELDS = 16 };

struct event_row {
	const char *name;	/* "link-down" */
	const char *message_id; /* of the journal: 32 digits, random, final */
	enum log_level level;	/* ... of its line in the log */
	const char *group, *count; /* its counter in the status; or NULL */
	/*
	 * Its text: {NAME} is the value of a field, and what is in brackets is
	 * left out if a field in it has no value or is 0; brackets may be
	 * nested.
	 */
	const char *text;
	const char *help; /* when it happens, for the manual */
	struct event_field field[EVENT_FIELDS]; /* ends with a NULL name */
};

/* What is known of a kind. */
const struct event_row *event_kind_row(enum event_kind kind);

/* The kind with this name; EVENT_KINDS: there is none. */
enum event_kind event_kind_find(const char *name);

#endif
