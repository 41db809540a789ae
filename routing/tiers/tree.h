/*
 * tree: the fabric read as a tree. Which tier each switch is in, who said so,
 * and what contradicts it.
 *
 * Tiers count from the top: 0 is the top of the largest tree, and every leaf
 * switch has the tree's last tier. What is known decides, in this order: roles
 * given in the configuration, roles that switches told (vendor attribute
 * 0xFFE0), ranks in force (a sweep does not turn a tree over), inference from
 * hosts and links. What is no tree at all is judged by where hosts and cables
 * are, and on the border it stays what it was (topo_class.h). No fabric that is
 * connected is refused: what does not fit is listed, by name and port, and
 * routing deals with it.
 *
 * Source: Bogdanski et al., Discovery and Routing of Degraded Fat-Trees
 * (PDCAT 2012).
 */
#ifndef HEDDLE_ROUTING_TIERS_TREE_H
#define HEDDLE_ROUTING_TIERS_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/engine.h"
#include "sm/base/arena.h"

/* Where the tier of a switch comes from. */
enum tree_origin {
	TREE_UNPLACED,	 /* no way to place it: other component, quarantined */
	TREE_CONFIGURED, /* role in the configuration */
	TREE_TOLD,	 /* role told by the switch */
	TREE_REMEMBERED, /* the rank in force, and a fresh look sees another */
	TREE_HOSTS,	 /* inferred: hosts hang on it as on a leaf */
	TREE_LINKS,	 /* inferred from its links to placed switches */
};

enum irregularity {
	TREE_LEVEL_LINK,    /* a cable inside one tier */
	TREE_SKIP_LINK,	    /* a cable that skips tiers */
	TREE_LEAVES_LINKED, /* two leaf switches linked */
	TREE_SELF_LINK,	    /* a cable from a switch to itself */
	TREE_ROOT_HOSTS,    /* hosts on a top */
	TREE_SPINE_HOSTS,   /* hosts on a switch between */
	TREE_BARE_LEAF,	    /* a leaf switch without hosts */
	TREE_NO_UPLINK,	    /* no top, and nothing above it */
	TREE_NO_DOWNLINK,   /* above the leaves and nothing below it */
	TREE_UNEQUAL,	    /* unequal number of cables to the switches above */
	TREE_ROLE_CONFLICT, /* configuration and switch say different roles */
	TREE_ROLE_UNKNOWN,  /* configured for whom is not here */
	TREE_ROLE_TORN,	    /* two patterns that count alike disagree */
	TREE_ROLE_PLACE,    /* where it stands nothing is what its role says */
	TREE_HOME_UNKNOWN,  /* a port in a group or passive is not here */
	TREE_HOME_ALONE,    /* ... is, and has no other to stand in for */
	TREE_PIECES,	    /* the fabric is in several pieces */
	TREE_NO_TREE,	    /* nothing to infer tiers from; ranks by distance */
	TREE_STAYS_TREE,    /* read as a tree before: a fresh look sees none */
	TREE_STAYS_MESH,    /* read as none before: a fresh look sees a tree */
	TREE_ODDITIES,
};

/* One contradiction; port numbers 0 where none is meant. */
struct irregularity_kind {
	enum irregularity what;
	sw_ix sw, other; /* other: TOPO_NONE where there is none */
	uint8_t port, other_port;
	uint32_t n;	   /* cables, hosts: how many of what it is about;
			      TREE_ROLE_CONFLICT: the role that is told */
	uint32_t of;	   /* TREE_UNEQUAL: how many most of the tier have;
			      TREE_HOME_*: the group, or ROUTE_HOME_NODE;
			      TREE_ROLE_CONFLICT: the role configured;
			      TREE_ROLE_PLACE: the role;
			      TREE_NO_TREE: switches with a role;
			      TREE_STAYS_*: percent of the cables in a tier */
	uint32_t above;	   /* TREE_STAYS_*: percent of the hosts;
			      TREE_ROLE_PLACE: who says so, enum tree_origin */
	uint64_t guid;	   /* TREE_ROLE_UNKNOWN; 0: a name or pattern;
			      TREE_HOME_*: of the port */
	const char *entry; /* what the configuration says, or NULL */
};

struct tree {
	uint32_t ntiers;
	uint32_t *tier;	 /* [nsw]; UINT32_MAX: not placed */
	uint8_t *origin; /* [nsw] enum tree_origin */
	bool *leaf;	 /* [nsw] treated as a leaf switch */
	bool *top;	 /* [nsw] nothing is above it and nothing should be: the
			    top of a tree, of a smaller one too */
	bool *treeless;	 /* [nsw] in a piece that is no tree: the tier is the
			    distance from its middle */
	struct irregularity_kind *odd;
	size_t nodd;
	uint32_t count[TREE_ODDITIES]; /* how many of each, beyond odd[] too */
	bool regular; /* every tier fully linked to the next, equal groups */
	const struct rank_cache *memory; /* what the next reading may begin
					     with, or NULL; nobody else's */
};

/*
 * Read t as a tree; everything is in the arena. roles: job->options.role.
 * Ranks in force: job->prev or job->ranks. At most 4096 oddities are listed,
 * all are counted.
 */
struct tree *tree_read(const struct route_job *job, struct arena *a);

/* The same for who has made the graph of the job (swgraph_build) already. */
struct swgraph;
struct tree *tree_read_graph(const struct swgraph *g);

/* The rank in force of switch s of job->topo, if any. */
bool tree_previous_rank(const struct route_job *job, sw_ix s, uint32_t *rank);

/* Will that go on from the reading before, very likely? It is quick then. */
bool rank_cache_is_usable(const struct swgraph *g);

/*
 * Keep what was read with the routes that were made from it, unless there is
 * a tree already: t is copied, its arena may go.
 */
void tree_keep(const struct tree *t, struct routes *r);

const char *tree_origin_name(enum tree_origin o);

/* "level-link", "bare-leaf": for programs. */
const char *irregularity_name(enum irregularity what);

/* One oddity in words: names and ports. */
void irregularity_text(const struct topo *t, const struct irregularity_kind *o,
	char *out, size_t n);

#endif
