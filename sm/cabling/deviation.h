/*
 * deviation: what differs between a plan and the fabric, one deviation for what
 * a technician does in one go: two links that are plugged the wrong way round
 * are one, a switch that is missing is one with its links and the hosts that
 * hang on it alone.
 *
 * Links: draw an edge between two ports for each planned link that is not
 * there, and for each link that was not planned. A port has at most one edge of
 * either kind, so that the edges are chains and rings, in which both kinds
 * alternate, and each of them is one deviation:
 *
 *	a = b			planned only		missing
 *	a - b			there only		extra
 *	a = b - c		b is at c, not at a	moved
 *	a = b - c = d - (a)	a ring, of any length	swapped
 *	longer chains					moved
 *
 * Nothing is told that is not known: a link between two nodes that do not
 * answer is counted as unknown, and types of nodes that the plan does not have
 * at all, as hosts in a plan of the links between switches, are not compared.
 * Neither tells a plan of another fabric 10,000 deviations: it is an error.
 */
#ifndef HEDDLE_SM_CABLING_DEVIATION_H
#define HEDDLE_SM_CABLING_DEVIATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "sm/base/clock.h"
#include "sm/base/reason.h"
#include "sm/cabling/cabling.h"
#include "sm/event/event.h"
#include "sm/view/drains.h"

/* In the order in which they are listed. */
enum deviation_kind {
	DEVIATION_MISSING_NODE,
	DEVIATION_EXTRA_NODE,
	DEVIATION_REPLACED,  /* another GUID or name in its place */
	DEVIATION_AMBIGUOUS, /* several nodes have the name */
	DEVIATION_SWAPPED,
	DEVIATION_MOVED,
	DEVIATION_MISSING,
	DEVIATION_EXTRA,
	DEVIATION_SLOW, /* narrower or slower than planned */
	DEVIATION_KINDS
};

/* What a node is called: "switch", "host", "router", "aggregation node", or
 * "node" where that is not told. */
enum deviation_class {
	DEVIATION_NODE,
	DEVIATION_HOST,
	DEVIATION_SWITCH,
	DEVIATION_ROUTER,
	DEVIATION_AGGREGATION,
	DEVIATION_CLASSES
};

struct deviation {
	enum deviation_kind kind;
	bool drained;		     /* it, or what it is linked to */
	uint64_t key;		     /* the same for the same deviation later */
	enum deviation_class of;     /* nodes: its type */
	uint32_t links, with;	     /* nodes: its links, as planned if it is
					missing; nodes that hang on it alone */
	struct event_end node;	     /* nodes: as planned, or the extra one */
	struct event_end other;	     /* extra: the port it is linked to;
					replaced: the node that is there */
	const struct event_end *end; /* links: [n], as drawn above */
	uint32_t n;
	bool starts_there, ring; /* the first edge is a link that is there */
	struct mono since; /* kept by the caller: when it was first seen */
	struct cabling_link planned, is; /* slow: their widths and speeds */
};

struct deviations {
	struct arena *arena;
	const char *source; /* of the plan */
	struct deviation *list;
	size_t n, cap;
	uint32_t count[DEVIATION_KINDS];
	uint32_t drained;	 /* of all */
	uint32_t nodes, matched; /* of the plan */
	uint32_t links, right;	 /* of the plan; and there as planned, slow
				    ones included */
	uint32_t unknown; /* links of the plan between nodes that do not answer
			   */
	uint32_t unread;  /* lines of the plan that are not about such links */
	uint32_t left_out[DEVIATION_CLASSES]; /* nodes that are not compared */
	uint32_t unnamed; /* nodes whose names were needed, and not known */
};

/*
 * Compare. NULL and a sentence if this is the plan of another fabric: hardly a
 * node of either is in the other. O(nodes + links). Free with deviations_free.
 */
struct deviations *deviations_find(const struct cabling *plan,
	const struct cabling *fabric, struct reason *why);
void deviations_free(struct deviations *d); /* NULL allowed */

/* Mark what is drained by this list. */
void deviations_mark_drained(struct deviations *d, const struct drains *drains);

/* "missing-node", "swapped". */
const char *deviation_kind_name(enum deviation_kind kind);
const char *deviation_class_name(enum deviation_class of);

/* Append one in words, without its end: "swapped: ...". */
void deviation_print(const struct deviation *x, struct buf *out);

/* Append "as planned", or how many there are of each kind: "3 deviations: 1
 * missing-node, 2 moved". */
void deviations_print_counts(const struct deviations *d, struct buf *out);

#endif
