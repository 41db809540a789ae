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

/* The arrays are borrowed. */
struct dep_graph {
	uint32_t nv;	       /* vertices: records of one layer times layers */
	const uint32_t *off;   /* [nsw + 1] first record of a switch */
	const uint32_t *owner; /* [nv] switch, or nsw */
	const uint32_t
		*base; /* [nv] vertex of port 0 of its switch and layer */
	const uint32_t *peer; /* [nv] the other end of the link */
	unsigned shift;	      /* log2 of the words in a row */
};

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

/* Next out-port of row v, of 1 << shift words, at or after *at; false at the
 * end. */
static inline bool
dep_graph_next(unsigned shift, const uint64_t *dep, uint32_t v, unsigned *at)
{
	const uint64_t *row = dep + ((size_t)v << shift);

	while (*at < 64U << shift) {
		uint64_t rest = row[*at >> 6] >> (*at & 63);

		if (rest != 0) {
			*at += (unsigned)__builtin_ctzll(rest);
			return true;
		}
		*at = (*at | 63) + 1;
	}
	return false;
}

#endif
