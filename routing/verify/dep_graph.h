/*
 * dep_graph: the frame of a channel dependency graph: which channels there are
 * and what follows what. The dependencies themselves are a matrix beside it, so
 * that several (a mixture, a stage, the new routing) share one frame.
 *
 * A port record is off[switch] + port; a channel (link direction) is named by
 * the record where it arrives, a vertex by plane * nrec + record. A dependency
 * is (vertex, out-port): bit `out` of the vertex's row. The last record of each
 * plane is "nowhere": channels that lead to no switch end there, so that inner
 * loops need no branch.
 *
 * Without a map of VLs a plane is a layer, and what follows a vertex is in the
 * same plane. With one (routing/core/vl_map.h) a plane is a layer and the class
 * of the link by which packets came to the switch where the channel begins:
 * plane = class * layers + layer. The channel's own class at the switch where
 * it arrives then is the class of the plane that follows. Vertices of one
 * channel whose group of VLs is the same wait together: they are one node of
 * the graph, of which the first of them is the name; its dependencies are those
 * of all.
 */
#ifndef HEDDLE_ROUTING_VERIFY_DEP_GRAPH_H
#define HEDDLE_ROUTING_VERIFY_DEP_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/vl_map.h"

struct dep_graph {
	uint32_t nsw;	 /* also the number of "nowhere" */
	uint32_t nrec;	 /* records of one plane */
	uint32_t nv;	 /* vertices: nrec * planes */
	uint32_t *off;	 /* [nsw + 1] first record of a switch */
	uint32_t *owner; /* [nv] switch, or nsw */
	uint32_t *base;	 /* [nv] vertex of port 0 of its switch and plane */
	uint32_t *peer;	 /* [nv] the other end of the link */
	unsigned shift;	 /* log2 of the words in a row */
	/* With a map of VLs, else NULL: */
	unsigned layers, ins; /* planes are ins * layers */
	uint8_t *in;	      /* [nrec] class of packets that arrive there */
	uint32_t *lead;	      /* [nv] as base, in the plane of what follows */
	uint32_t *node;	      /* [nv] the first vertex of its node */
	uint32_t *mate;	      /* [nv] the next vertex of its node, in a ring */
};

/*
 * The frame of switches whose records begin at off[nsw + 1] (taken over), in
 * which no link leads anywhere; dep_graph_link sets the vertices behind record
 * rec.
 */
void dep_graph_new(
	struct dep_graph *n, uint32_t nsw, uint32_t *off, unsigned planes);
/* The same of all switches of t. */
void dep_graph_by_topo(
	struct dep_graph *n, const struct topo *t, unsigned planes);
void dep_graph_link(struct dep_graph *n, uint32_t rec, uint32_t peer);
/*
 * All links are there, and the planes are those of a map for some layers:
 * vertices become nodes. port: [nrec], by record, as vl_map.port is by port.
 */
void dep_graph_use_map(struct dep_graph *n, const struct vl_map *map,
	unsigned layers, const uint8_t *port);
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
	return n->peer[(n->lead != NULL ? n->lead : n->base)[v] + out];
}

/* The node of a vertex, by its first vertex. */
static inline uint32_t
dep_graph_node(const struct dep_graph *n, uint32_t v)
{
	return n->node != NULL ? n->node[v] : v;
}

/* The next vertex of the same node, after the last one the first. */
static inline uint32_t
dep_graph_mate(const struct dep_graph *n, uint32_t v)
{
	return n->mate != NULL ? n->mate[v] : v;
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

/* What the functions below do with a map. */
bool dep_graph_prev_plane(const struct dep_graph *n, const uint64_t *dep,
	uint32_t v, unsigned *in, uint32_t *prev);
uint32_t dep_graph_after_node(const struct dep_graph *n, const uint64_t *dep,
	uint32_t v, unsigned *at);
uint32_t dep_graph_before_node(const struct dep_graph *n, const uint64_t *dep,
	uint32_t v, unsigned *at);

/*
 * Next vertex that v follows, a channel into the switch before it, by in-port
 * (and class, with a map) from *in on, which is behind it then; false at the
 * end.
 */
static inline bool
dep_graph_prev(const struct dep_graph *n, const uint64_t *dep, uint32_t v,
	unsigned *in, uint32_t *prev)
{
	uint32_t e = n->peer[v], s = n->owner[e], lo, ports;

	if (n->in != NULL)
		return dep_graph_prev_plane(n, dep, v, in, prev);
	lo = n->base[e];
	ports = s != n->nsw ? n->off[s + 1] - n->off[s] : 0;
	while (*in < ports) {
		*prev = lo + (*in)++;
		if (dep_graph_has(n, dep, *prev, e - lo))
			return true;
	}
	return false;
}

/*
 * The nodes that follow node v, or that it follows, one after the other: *at is
 * 0 at first. One may come several times. TOPO_NONE: the end.
 */
static inline uint32_t
dep_graph_after(const struct dep_graph *n, const uint64_t *dep, uint32_t v,
	unsigned *at)
{
	if (n->mate != NULL)
		return dep_graph_after_node(n, dep, v, at);
	if (!dep_graph_next(n, dep, v, at))
		return TOPO_NONE;
	return dep_graph_head(n, v, (*at)++);
}

static inline uint32_t
dep_graph_before(const struct dep_graph *n, const uint64_t *dep, uint32_t v,
	unsigned *at)
{
	uint32_t prev;

	if (n->mate != NULL)
		return dep_graph_before_node(n, dep, v, at);
	return dep_graph_prev(n, dep, v, at, &prev) ? prev : TOPO_NONE;
}

#endif
