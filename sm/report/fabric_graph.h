/*
 * fabric_graph: the fabric as pictures and schedulers want to see it: switches,
 * the links between each two of them as one, and the hosts at each switch; what
 * is there and what is missing of it (sm/view/event_log.h). So a link that is
 * down for a moment, or drained, changes what is said of the link, not where
 * anything is.
 *
 * What the fabric looks like is read, in this order: from the tree that was
 * stored with the routes (routing/tiers), which remembers tiers; from the
 * places that the engine in force remembers (groups of a dragonfly, coordinates
 * of a torus); from the links.
 *
 *	view, what is missing -> fabric_graph -> fabric_map -> fabric_svg
 *					      -> fabric_dot, fabric_slurm
 */
#ifndef HEDDLE_SM_REPORT_FABRIC_GRAPH_H
#define HEDDLE_SM_REPORT_FABRIC_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "routing/graph/dimensions.h"
#include "sm/base/arena.h"
#include "sm/view/event_log.h"
#include "sm/view/view.h"

#define FABRIC_GRAPH_NONE UINT32_MAX

enum fabric_graph_shape {
	FABRIC_GRAPH_TREE,	 /* switches have tiers */
	FABRIC_GRAPH_GROUPS,	 /* the groups of a dragonfly */
	FABRIC_GRAPH_DIMENSIONS, /* coordinates */
	FABRIC_GRAPH_NO_SHAPE,	 /* tiers are distances from the centre */
};

enum fabric_graph_state {
	FABRIC_GRAPH_OK,
	FABRIC_GRAPH_MISSING,	  /* it was there and is not */
	FABRIC_GRAPH_QUARANTINED, /* it answers no longer, or refuses tables */
	FABRIC_GRAPH_DRAINED,	  /* the whole switch */
};

struct fabric_graph_switch {
	uint64_t guid;
	const char *name;   /* printable; "" if it was not read */
	uint32_t tier;	    /* 0 is the top; FABRIC_GRAPH_NONE: in none */
	uint32_t hosts;	    /* ports of hosts at it, missing ones included */
	uint32_t missing;   /* ... of these; */
	uint32_t links;	    /* to other switches, missing ones included */
	uint32_t down;	    /* ... of these; */
	uint32_t broken;    /* ... of these, to switches that are there */
	const uint32_t *at; /* [ndim] places, or NULL: unknown */
	enum fabric_graph_state state;
};

/* All links between two switches, a < b. */
struct fabric_graph_link {
	uint32_t a, b;
	uint32_t n;	  /* missing and drained ones included */
	uint32_t missing; /* of these */
	uint32_t drained; /* of these */
};

/* A port of a host that is, or was, linked to a switch. */
struct fabric_graph_host {
	uint64_t guid;	  /* of the node */
	const char *name; /* of the node, printable; "" if it was not read */
	uint32_t sw;
	uint8_t port; /* of the host */
	bool missing; /* the host, or its link */
};

struct fabric_graph {
	enum fabric_graph_shape shape;
	uint32_t ntiers; /* 0: no switch is in a tier */
	unsigned ndim;	 /* numbers that a place has: 1 for groups */
	struct dimension dim[DIMENSIONS_MAX];
	/* Present ones in the order of the topology, then missing ones. */
	struct fabric_graph_switch *sw;
	uint32_t nsw;
	struct fabric_graph_link *link; /* sorted by a, b */
	uint32_t nlinks;
	/* Links of switch s: by_switch[first[s]] .. by_switch[first[s + 1] -
	 * 1], numbers in link. */
	uint32_t *first, *by_switch;
	struct fabric_graph_host *host; /* sorted by switch, name, GUID, port */
	uint32_t nhosts;
};

/*
 * The graph of v, in arena a; nothing of v is lent. missing: NULL, nothing is
 * known to be missing. O(ports log ports), and where there is no tree the
 * reading of dimensions.
 */
struct fabric_graph *fabric_graph_make(
	const struct view *v, const struct event_log *missing, struct arena *a);

/* The other end of a link of switch s. */
static inline uint32_t
fabric_graph_peer(const struct fabric_graph_link *l, uint32_t s)
{
	return l->a == s ? l->b : l->a;
}

/*
 * The sets of switches that hang together by links among tiers `tier` and
 * below: in a tree the parts that only higher tiers connect. set[nsw] is the
 * lowest switch of a switch's set; FABRIC_GRAPH_NONE for those above. Missing
 * links count.
 */
void fabric_graph_sets(
	const struct fabric_graph *g, uint32_t tier, uint32_t *set);

/* The numbers of all switches, in the order of their names (h9 before h10),
 * then GUIDs; in the arena. */
uint32_t *fabric_graph_by_name(const struct fabric_graph *g, struct arena *a);

/* "ok", "missing", "quarantined", "drained". */
const char *fabric_graph_state_name(enum fabric_graph_state state);

/* Whether what a user gives means this host: by its GUID, its description, or
 * the first word of that, its name; entry is one of these, or a pattern. */
bool fabric_graph_matches(
	const struct fabric_graph_host *host, const char *entry);

#endif
