/*
 * topo_events: what happened to the fabric between two topologies, told as an
 * administrator would: which node left or came, which link went down, came up,
 * was reset or changed its rate, which switch entered or left quarantine, which
 * port has another LID. Nodes are matched by GUID and links by both their ends,
 * so that neither a new numbering nor a new name is an event. Pure.
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
#include "sm/event/event.h"

struct topo_event {
	enum event_kind kind;
	/* the ends of a link; or a node, and the port that it is linked to */
	struct event_end a, b;
	uint32_t links;	  /* of a node */
	double lasted;	  /* seconds, of what is over by it; 0: unknown */
	uint32_t was, is; /* rates, in units of 100 Mb/s; or LIDs */
	bool unseen;	  /* a link that left with both its nodes */
	bool folded;	  /* a link that left or came with a node */
	const char *why;  /* of a quarantine, lent; or NULL */
};

typedef void topo_event_sink(void *cookie, const struct topo_event *e);

/* Tell sink each event that led from was to is, by kind: nodes that left, links
 * down, quarantines, then what came. O(nodes log nodes + ports). */
void topo_events(const struct topo *was, const struct topo *is,
	topo_event_sink *sink, void *cookie);

/* The end that is port num of node n. */
void topo_event_end_of(
	const struct topo *t, node_ix n, unsigned num, struct event_end *out);

/* The same as an event, which lends from e. */
struct event topo_event_value(const struct topo_event *e);

#endif
