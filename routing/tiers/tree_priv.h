/*
 * The inside of tree: shared by the files of this folder, nobody else includes
 * it.
 *
 *   rank_infer    how far each switch is from hosts of others, which ones are
 *                 leaves, heights above them
 *   rank_cache    all of it as they were, but for one cable
 *   tree          ranks in force over that, what is no tree at all
 *   irregularity  what contradicts the tree
 *
 * Inference in three steps, each made so that one odd cable, one dead switch
 * or one half-empty rack does not tip it over:
 *
 * 1. A switch that has hosts is a leaf, unless a good part of its neighbours
 *    are clearly farther from other switches' hosts than it is itself: then it
 *    is above them, a spine with hosts on it.
 * 2. A switch without hosts and with nothing farther than itself around it is
 *    at the bottom: a leaf whose hosts are away, or something above that lost
 *    its cables downwards. Whose neighbours does it share? What it resembles
 *    it is. (Counting steps from the nearest host alone would put an empty
 *    leaf two tiers above the leaves: the flipping switch.)
 * 3. From the leaves upwards, tier by tier: next come the neighbours of the
 *    last tier, but not those that have most of their cables to other
 *    candidates: for them that one cable from below skips a tier.
 */
#ifndef HEDDLE_ROUTING_TIERS_TREE_PRIV_H
#define HEDDLE_ROUTING_TIERS_TREE_PRIV_H

#include "routing/graph/swgraph.h"
#include "routing/tiers/tree.h"

enum { TREE_CLASSES = 1024 }; /* of switches, as many as rank_infer looks at */

/* What a component looks like as a tree. */
struct tree_look {
	uint64_t cables, level;	   /* ... inside a tier */
	uint64_t hosts, misplaced; /* ... above the leaves */
	uint32_t switches, roles, lost;
	uint32_t trees, meshes; /* were read as such, and it is in force */
};

/*
 * What a calm reading leaves to the next one. Calm means that there was nothing
 * to decide: no roles, no leaf without hosts, heights that are the steps from
 * the leaves and nothing else, no cable that leads elsewhere than to the next
 * height, and far from the border of what is a tree.
 */
struct rank_cache {
	uint64_t *sum, *far;	/* [nsw] as in struct tree_work */
	bool *leaf;		/* [nsw] */
	uint32_t *high;		/* [nsw] */
	struct tree_look *look; /* [ncomp] by heights */
	uint32_t ncomp, classes;
	const sw_ix *seq; /* live switches by GUID, and */
	uint32_t nseq;	  /* how many they are */
	bool doubt;	  /* hosts are above the leaves, and no cable is lone */
};

/* A component that is not what a fresh look sees, and what that goes by. */
struct tree_kept {
	bool is;
	uint32_t level;	    /* percent of the cables are inside a tier */
	uint32_t misplaced; /* percent of the hosts are above the leaves */
};

struct tree_work {
	const struct route_job *job;
	struct swgraph g; /* cables as groups, components, hosts */
	struct tree *out;
	uint8_t *role;	  /* [nsw] enum route_role: configured, else told */
	uint8_t *said;	  /* [nsw] enum tree_origin of the role */
	bool roles;	  /* anybody has one */
	uint64_t *sum;	  /* [nsw] squared distances to others' hosts */
	uint32_t classes; /* that rank_infer saw, or fewer */
	uint64_t *far;	  /* [nsw] as host_dist_of says */
	uint64_t *closer; /* [nsw] who is less far than this is clearly so */
	bool *leaf;	  /* [nsw] */
	sw_ix *like;	  /* [nsw] not a leaf: same tier as this one */
	uint32_t *high;	  /* [nsw] above the leaves; UINT32_MAX: not known */
	bool *none;	  /* [ncomp] no tree */
	struct tree_kept *stays; /* [ncomp] */
	bool restless;		 /* there was something to decide */
	bool doubt; /* it contradicts the fabric, see rank_infer.c */
	const struct rank_cache *was; /* this reading goes on from it */
	struct rank_cache *memory;    /* this reading's own, or NULL */
};

/*
 * Mean squared distance of a switch to hosts that hang on other switches, in
 * small units, from the sum of squares and how many hosts they are; UINT64_MAX
 * where there are none.
 */
static inline uint64_t
host_dist_of(uint64_t sum, uint64_t hosts)
{
	return hosts > 0 ? sum * 1024 / hosts : UINT64_MAX;
}

static inline uint64_t
host_dist_threshold(uint64_t far)
{
	return far == UINT64_MAX ? far : far - far / 16;
}

/* A component without hosts has weights, too. */
static inline bool
tree_has_hosts(const struct tree_work *w, sw_ix s)
{
	return w->g.weight[s] > 0 && w->g.hosts[w->g.comp[s]] > 0;
}

/* rank_infer.c: fill far[], leaf[], like[] and high[]. What stays without a
 * height has no way to a leaf. */
void rank_infer(struct tree_work *w);

/* Is there no other way around these cables of s, by two other switches? */
bool rank_infer_is_lone(const struct tree_work *w, sw_ix s, uint32_t group);

/*
 * rank_cache.c: remember what was inferred in w, if it was calm. And: take that
 * over from the routes in force, where it cannot have become anything else by
 * what has changed since; false: it may have, w is to be filled in.
 */
void rank_cache_store(struct tree_work *w, const struct tree_look *look);
bool rank_cache_use(struct tree_work *w);

/* Fill out->odd and out->count, out->regular. */
void irregularity_list(const struct tree_work *w, struct arena *a);

static inline uint64_t
tree_guid(const struct tree_work *w, sw_ix s)
{
	return w->g.t->node[w->g.t->sw[s].node].guid;
}

#endif
