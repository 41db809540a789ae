/*
 * tree: the fabric read as a tree: the tier of every switch, where it comes
 * from, and which links, hosts and roles contradict it.
 *
 * Tiers count from the top: tier 0 is the top of the largest tree, and every
 * leaf switch is in the tree's last tier. A fabric is read in five steps:
 *
 * 1. Roles are taken from the configuration, else from the switches that report
 *    one (vendor attribute 0xFFE0).
 * 2. Each switch gets a height above the leaves: by its role, else inferred
 *    from hosts and links (tree_priv.h says how). Tiers are these heights,
 *    counted from the top.
 * 3. Each component is classified as a tree or as a mesh, by the hosts above
 *    the leaves and the links inside tiers; on the border it keeps the class
 *    that it had (topo_class.h). In a mesh the tier is the distance from its
 *    centre.
 * 4. Ranks in force are kept against the inferred ones: a sweep does not turn a
 *    tree over. An order in force that contradicts a role is void.
 * 5. Leaves and tops are marked, and the irregularities are listed by name and
 *    port. No connected fabric is refused: routing deals with what does not
 *    fit.
 *
 * Source: Bogdanski et al., Discovery and Routing of Degraded Fat-Trees (PDCAT
 * 2012).
 *
 * Folder routing/tiers: the graph of switches -> ranks of a tree, and what
 * contradicts them; or: this is no tree. Callers: routing/updown, the engine
 * ftree, routing/driver; sm/core and sm/report for irregularities. Read next:
 * routing/tiers/topo_class.h (tree or mesh), then tree_priv.h.
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
	TREE_UNPLACED,	 /* cannot be placed: other component, quarantined */
	TREE_CONFIGURED, /* role in the configuration */
	TREE_TOLD,	 /* role reported by the switch */
	TREE_REMEMBERED, /* the rank in force, inference gives another */
	TREE_HOSTS,	 /* inferred: hosts hang on it as on a leaf */
	TREE_LINKS,	 /* inferred from its links to placed switches */
};

enum irregularity {
	TREE_LEVEL_LINK,    /* a link inside one tier */
	TREE_SKIP_LINK,	    /* a link that skips tiers */
	TREE_LEAVES_LINKED, /* two leaf switches linked */
	TREE_SELF_LINK,	    /* a link from a switch to itself */
	TREE_ROOT_HOSTS,    /* hosts on a top */
	TREE_SPINE_HOSTS,   /* hosts on a switch between top and leaves */
	TREE_BARE_LEAF,	    /* a leaf switch without hosts */
	TREE_NO_UPLINK,	    /* not a top, and no link to the tiers above */
	TREE_NO_DOWNLINK,   /* above the leaves, and no link to those below */
	TREE_UNEQUAL,	    /* unequal numbers of links to the switches above */
	TREE_ROLE_CONFLICT, /* the configured role is not the reported one */
	TREE_ROLE_UNKNOWN,  /* a role configured for a switch not present */
	TREE_ROLE_AMBIGUOUS, /* patterns of equal length give different roles */
	TREE_ROLE_PLACE,     /* its place in the tree contradicts its role */
	TREE_MULTI_PORT_UNKNOWN, /* a port in a group, or passive, is not
				    present */
	TREE_MULTI_PORT_ALONE,	 /* it is present, but no other port of its node
				  */
	TREE_PIECES,		 /* the fabric has several components */
	TREE_NO_TREE,	 /* no tiers can be inferred: ranks are distances */
	TREE_STAYS_TREE, /* kept as a tree: inference sees a mesh */
	TREE_STAYS_MESH, /* kept as a mesh: inference sees a tree */
	TREE_ODDITIES,
};

/* One irregularity. A port number is 0 where no port is meant. */
struct irregularity_kind {
	enum irregularity what;
	sw_ix sw, other; /* other: TOPO_NONE where there is none */
	uint8_t port, other_port;
	uint32_t n;  /* how many links, hosts or switches; TREE_ROLE_CONFLICT:
			the role that is reported */
	uint32_t of; /* TREE_UNEQUAL: links up of most switches of the tier;
			TREE_MULTI_PORT_*: the group, or ROUTE_HOME_NODE;
			TREE_ROLE_CONFLICT: the role configured;
			TREE_ROLE_PLACE: the role; TREE_NO_TREE: switches with a
			role; TREE_STAYS_*: percent of the links that are inside
			a tier */
	uint32_t above; /* TREE_STAYS_*: percent of the hosts that are above the
			   leaves; TREE_ROLE_PLACE: where the role comes from,
			   enum tree_origin */
	uint64_t guid;	/* TREE_ROLE_UNKNOWN; 0: a name or pattern;
			   TREE_MULTI_PORT_*: of the port */
	const char *entry; /* the entry of the configuration, or NULL */
};

struct tree {
	uint32_t ntiers;
	uint32_t *tier;	 /* [nsw]; UINT32_MAX: not placed */
	uint8_t *origin; /* [nsw] enum tree_origin */
	bool *leaf;	 /* [nsw] treated as a leaf switch */
	bool *top; /* [nsw] no switch is above it, and none is missing there:
		      the top of a tree, of a smaller one too */
	bool *treeless; /* [nsw] in a component that is a mesh: the tier is the
			   distance from its centre */
	struct irregularity_kind *odd;
	size_t nodd;
	uint32_t count[TREE_ODDITIES]; /* [kind] number, beyond odd[] too */
	bool regular; /* every tier fully linked to the next, equal groups */
};

/*
 * Read job->topo as a tree; everything is in the arena. Roles:
 * job->options->role. Ranks in force: those of job->prev, else job->ranks. At
 * most 4096 irregularities are listed, all are counted.
 */
struct tree *tree_read(const struct route_job *job, struct arena *a);

/* The same for a caller that has built the graph of the job (swgraph_build). */
struct swgraph;
struct tree *tree_read_graph(const struct swgraph *g);

/* The rank in force of switch s of job->topo; false: it has none. */
bool tree_previous_rank(const struct route_job *job, sw_ix s, uint32_t *rank);

/*
 * Store the tree with the routes that were made from it, unless they have one
 * already. t is copied: its arena may be freed.
 */
void tree_keep(const struct tree *t, struct routes *r);

/* The tree that is stored with these routes, or NULL. */
const struct tree *tree_kept(const struct routes *r);

const char *tree_origin_name(enum tree_origin o);

/* "level-link", "bare-leaf": names for programs. */
const char *irregularity_name(enum irregularity what);

/* One irregularity as text for people: names and ports. */
void irregularity_text(const struct topo *t, const struct irregularity_kind *o,
	char *out, size_t n);

#endif
