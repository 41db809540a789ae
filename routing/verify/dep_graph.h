/*
 * dep_graph: the frame of a channel dependency graph: which channels there are
 * and what follows what. The dependencies themselves are a matrix beside it, so
 * that several (a mixture, a stage, the new routing) share one frame.
 *
 * A port record is off[switch] + port; a channel (link direction) is named by
 * the record where it arrives, a vertex by layer * nrec + record. A dependency
 * is (vertex, out-port): bit `out` of the vertex's row. The last record of each
 * layer is "nowhere": channels that lead to no switch end there, so that inner
 * loops need no branch.
 */
#ifndef HEDDLE_ROUTING_VERIFY_DEP_GRAPH_H
#define HEDDLE_ROUTING_VERIFY_DEP_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"

struct dep_graph {
	uint32_t nsw;	 /* also the number of "nowhere" */
	uint32_t nrec;	 /* records of one layer */
	uint32_t nv;	 /* vertices: nrec * layers */
	uint32_t *off;	 /* [nsw + 1] first record of a switch */
	uint32_t *owner; /* [nv] switch, or nsw */
	uint32_t *base;	 /* [nv] vertex of port 0 of its switch and layer */
	uint32_t *peer;	 /* [nv] the other end of the link */
	unsigned shift;	 /* log2 of the words in a row */
};

/*
 * The frame of switches whose records begin at off[nsw + 1] (taken over), in
 * which no link leads anywhere; dep_graph_link sets the vertices behind record
 * rec.
 */
void dep_graph_new(
	struct dep_graph *n, uint32_t nsw, uint32_t *off, unsigned layers);
/* The same of all switches of t. */
void dep_graph_by_topo(
	struct dep_graph *n, const struct topo *t, unsigned layers);
void dep_graph_link(struct dep_graph *n, uint32_t rec, uint32_t peer);
void dep_graph_free(struct dep_graph *n);

/* Words of a matrix. */
static inline size_t
dep_graph_words(const struct dep_graph *n)
{
	return (size_t)n->nv << n->shift;
}

/* The vertex that follows v through port out. */
static inline uint32_t
dep_graph_head(const struct dep_graph *n, uint32_t v, unsigned out)
{
	return n->peer[n->base[v] + out];
}

static inline bool
dep_graph_has(const struct dep_graph *n, const uint64_t *dep, uint32_t v,
	unsigned out)
{
	return dep[((size_t)v << n->shift) + (out >> 6)] >> (out & 63) & 1;
}

static inline void
dep_graph_put(
	const struct dep_graph *n, uint64_t *dep, uint32_t v, unsigned out)
{
	dep[((size_t)v << n->shift) + (out >> 6)] |= UINT64_C(1) << (out & 63);
}

static inline void
dep_graph_clear(
	const struct dep_graph *n, uint64_t *dep, uint32_t v, unsigned out)
{
	dep[((size_t)v << n->shift) + (out >> 6)] &=
		~(UINT64_C(1) << (out & 63));
}

/* Next out-port of row v at or after *at; false at the end. */
static inline bool
dep_graph_next(const struct dep_graph *n, const uint64_t *dep, uint32_t v,
	unsigned *at)
{
	const uint64_t *row = dep + ((size_t)v << n->shift);

	while (*at < 64U << n->shift) {
		uint64_t rest = row[*at >> 6] >> (*at & 63);

		if (rest != 0) {
			*at += (unsigned)__builtin_ctzll(rest);
			return true;
		}
		*at = (*at | 63) + 1;
	}
	return false;
}

/* Next vertex that v follows, a channel into the switch before it, by in-port
 * from *in on, which is behind it then; false at the end. */
static inline bool
dep_graph_prev(const struct dep_graph *n, const uint64_t *dep, uint32_t v,
	unsigned *in, uint32_t *prev)
{
	uint32_t e = n->peer[v], lo = n->base[e], s = n->owner[e];

	while (s != n->nsw && *in < n->off[s + 1] - n->off[s]) {
		*prev = lo + (*in)++;
		if (dep_graph_has(n, dep, *prev, e - lo))
			return true;
	}
	return false;
}

#endif
