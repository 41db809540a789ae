/*
 * The private header of tree: shared by the files of this folder, no other
 * folder includes it.
 *
 *   host_dist     host distances
 *   rank_infer    which switches are leaves, heights above them
 *   tree          roles, tree or mesh, ranks in force, leaves and tops
 *   irregularity  what contradicts the tree
 *
 * The host distance of a switch is the mean squared distance to the hosts of
 * all other switches. A switch is clearly above another if its host distance is
 * clearly less: the middle of a fabric is close to all hosts, a leaf is far
 * from most. Heights are inferred in three steps, each made so that one
 * misplaced link, one dead switch or one half-empty rack does not change the
 * result:
 *
 * 1. A switch that has hosts is a leaf, unless more than a third of its
 *    neighbours are clearly below it: then it is above them, a spine with hosts
 *    on it.
 * 2. A switch without hosts and with no neighbour below it is at the bottom: a
 *    leaf without its hosts for now, or a higher switch that has lost its links
 *    down. It is what it resembles: the switches that share the most neighbours
 *    with it decide. (Counting steps from the nearest host alone would put an
 *    empty leaf two tiers above the leaves: the flipping switch.)
 * 3. From the leaves upwards, tier by tier: next come the neighbours of the
 *    last tier, except those that have most of their links to other candidates:
 *    for these the one link from below skips a tier.
 */
#ifndef HEDDLE_ROUTING_TIERS_TREE_PRIV_H
#define HEDDLE_ROUTING_TIERS_TREE_PRIV_H

#include "routing/graph/swgraph.h"
#include "routing/tiers/tree.h"

enum { TREE_CLASSES = 1024 }; /* classes that rank_infer looks at, at most */

/*
 * The counts by which a component is classified as a tree or as a mesh; each
 * link counts from both ends.
 */
struct tree_look {
	uint64_t links, level;	   /* level: inside a tier */
	uint64_t hosts, misplaced; /* misplaced: above the leaves */
	uint32_t switches, roles, lost;
	uint32_t trees, meshes; /* switches of that class in force */
};

/*
 * A component that keeps its class although inference sees the other one, and
 * the counts that inference goes by.
 */
struct tree_kept {
	bool is;
	uint32_t level;	    /* percent of the links that are inside a tier */
	uint32_t misplaced; /* percent of the hosts that are above the leaves */
};

struct tree_work {
	const struct route_job *job;
	struct swgraph g; /* links as groups, components, hosts */
	struct tree *out;
	uint8_t *role;	  /* [nsw] enum route_role: configured, else reported */
	uint8_t *said;	  /* [nsw] enum tree_origin of the role */
	bool roles;	  /* some switch has one */
	uint64_t *far;	  /* [nsw] host distance, see host_dist_of */
	uint64_t *closer; /* [nsw] distances below this are clearly less */
	bool *leaf;	  /* [nsw] */
	sw_ix *like;	  /* [nsw] not a leaf, but in the tier of this switch */
	uint32_t *high; /* [nsw] height above the leaves; UINT32_MAX: unknown */
	bool *none;	/* [ncomp] a mesh */
	struct tree_kept *stays; /* [ncomp] */
};

/*
 * Host distance: the mean squared distance of a switch to hosts of other
 * switches, in units of 1/1024, from the sum of squares and the number of these
 * hosts; UINT64_MAX where there are none.
 */
static inline uint64_t
host_dist_of(uint64_t sum, uint64_t hosts)
{
	return hosts > 0 ? sum * 1024 / hosts : UINT64_MAX;
}

/* A host distance below this is clearly less: by more than a sixteenth. */
static inline uint64_t
host_dist_threshold(uint64_t far)
{
	return far == UINT64_MAX ? far : far - far / 16;
}

/*
 * Whether hosts hang on s. Its weight alone does not say: in a component
 * without hosts every switch has weight 1.
 */
static inline bool
tree_has_hosts(const struct tree_work *w, sw_ix s)
{
	return w->g.weight[s] > 0 && w->g.hosts[w->g.comp[s]] > 0;
}

/*
 * host_dist.c: fill far[] and closer[]. Distances are squared, because squares
 * tell tiers apart however hosts are spread: with plain distances the middle
 * switches of two equal pods are as close as the tops. Hosts of the switch
 * itself do not count: otherwise a leaf that has most of the hosts would be the
 * centre of the fabric.
 */
void host_dist_measure(struct tree_work *w);

/*
 * rank_infer.c: fill leaf[], like[] and high[], after the distances. Where the
 * height stays unknown, no path leads to a leaf.
 */
void rank_infer(struct tree_work *w);

/* Fill out->odd and out->count, out->regular. */
void irregularity_list(const struct tree_work *w, struct arena *a);

static inline uint64_t
tree_guid(const struct tree_work *w, sw_ix s)
{
	return w->g.t->node[w->g.t->sw[s].node].guid;
}

#endif
