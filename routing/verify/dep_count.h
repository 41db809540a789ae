/*
 * dep_count: how many pairs of a switch and a LID make each dependency, layer
 * by layer; private to the verifier.
 *
 * A dependency is an in-port and an out-port of a switch, both with a link to a
 * live switch. Since pairs are counted, a path can be taken out again: what is
 * left are the dependencies that the other paths make, no others.
 *
 * With a map of VLs (routing/core/vl_map.h) the VLs of a dependency depend on
 * the class of the link before it, too: on its plane, class * layers + layer.
 * Planes are noted, not counted: there may be some that are no longer made.
 * Without a map a plane is a layer.
 */
#ifndef HEDDLE_ROUTING_VERIFY_DEP_COUNT_H
#define HEDDLE_ROUTING_VERIFY_DEP_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cdg;

struct dep_count {
	unsigned stride; /* counters of a dependency: a power of 2, at least as
			    many as there are layers */
	uint32_t n;	 /* dependencies */
	uint32_t *first; /* [nports] the first one of packets that arrive by a
			    port with a link; see dep_count_of */
	uint8_t *place;	 /* [nports] of such a port among those of its switch */
	uint32_t *pairs; /* [n * stride] */
	uint64_t *planes; /* [n] a bit each; NULL: no map */
};

/* No pairs, for the links of g; and its end, NULL allowed. */
struct dep_count *dep_count_new(const struct cdg *g);
void dep_count_free(struct dep_count *c);

/* The pairs of `from`, of a graph with the same port records, for the links of
 * g: dependencies on links that g does not have are left out. */
struct dep_count *dep_count_follow(const struct dep_count *from,
	const struct cdg *was, const struct cdg *g);

/* Add the pairs of another count for the same links. */
void dep_count_add(struct dep_count *c, const struct dep_count *more);

/* The dependency of what arrives by one port record and leaves by another, both
 * of one switch. */
static inline uint32_t
dep_count_of(const struct dep_count *c, uint32_t in, uint32_t out)
{
	return c->first[in] + c->place[out];
}

/* One pair more makes a dependency, in all layers and planes. */
void dep_count_add_all(struct dep_count *c, const struct cdg *g, uint32_t dep);

/* What is made, as g's matrices: to be added to dep [g->nplanes * g->plane]. */
void dep_count_planes(
	const struct dep_count *c, const struct cdg *g, uint64_t *dep);

/* The dependencies of some layers, a bit each, as rows of g's matrix: to be
 * added to dep [g->plane]. */
void dep_count_rows(const struct dep_count *c, const struct cdg *g,
	uint16_t layers, uint64_t *dep);

/*
 * True if all that are made lead to a channel of higher rank, in all planes in
 * which they may be made. rank: by VL group, then by the port record at which a
 * link arrives.
 */
bool dep_count_all_climb(
	const struct dep_count *c, const struct cdg *g, const uint32_t *rank);

#endif
