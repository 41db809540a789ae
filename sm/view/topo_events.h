/*
 * topo_events: what happened to the fabric between two topologies, told as an
 * administrator would: which node left or came, which link went down, came up,
 * was reset or changed its rate, which switch entered or left quarantine. Nodes
 * are matched by GUID and links by both their ends, so that neither a new
 * numbering nor a new name is an event. Pure.
 *
 * Nothing is told that was not seen: a link between two nodes that both left is
 * not known to be down. A node whose link is up and that does not answer is not
 * gone: discovery keeps it, in quarantine.
 */
#ifndef HEDDLE_SM_VIEW_TOPO_EVENTS_H
#define HEDDLE_SM_VIEW_TOPO_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"

enum topo_event_kind {
	TOPO_NODE_GONE,
	TOPO_LINK_DOWN,
	TOPO_QUARANTINED,
	TOPO_RELEASED,
	TOPO_NODE_NEW,
	TOPO_LINK_UP,
	TOPO_LINK_RESET, /* Active before, Init when it was read again */
	TOPO_LINK_RATE,	 /* another width or speed */
	TOPO_MANAGER_SEEN,
	TOPO_MANAGER_GONE,
	TOPO_NAME_WAITS, /* for an administrator to accept it */
	TOPO_EVENT_KINDS
};

enum { TOPO_EVENT_NAME = 65 };

struct topo_event_end {
	uint64_t guid; /* of the node; 0: there is no such end */
	uint8_t port;
	char name[TOPO_EVENT_NAME]; /* "" while it is not known */
};

struct topo_event {
	enum topo_event_kind kind;
	/* the ends of a link; or a node, and the port that it is linked to */
	struct topo_event_end a, b;
	uint32_t links;	  /* of a node */
	uint32_t was, is; /* rates, in units of 100 Mb/s */
	bool unseen;	  /* a link that left with both its nodes */
	const char *why;  /* of a quarantine, lent; or NULL */
};

typedef void topo_event_sink(void *cookie, const struct topo_event *e);

/* Tell sink each event that led from was to is, by kind: nodes that left, links
 * down, quarantines, then what came. O(nodes log nodes + ports). */
void topo_events(const struct topo *was, const struct topo *is,
	topo_event_sink *sink, void *cookie);

/* The end that is port num of node n. */
void topo_event_end_of(const struct topo *t, node_ix n, unsigned num,
	struct topo_event_end *out);

/* The subsystem's word and one sentence: link: down "leaf1" (0x...) port 5 -
 * "spine1" (0x...) port 1. */
void topo_event_text(const struct topo_event *e, char *out, size_t size);

/* What is known of a kind of event. A new kind is a row of the table. */
struct topo_event_class {
	const char *name;	   /* in JSON: "link-down" */
	bool warns;		   /* logged as a warning */
	const char *group, *count; /* its counter in the status; or NULL */
	const char *said, *linked; /* before the first end, and the second */
};
const struct topo_event_class *topo_event_class(enum topo_event_kind kind);

#endif
