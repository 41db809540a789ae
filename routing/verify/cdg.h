/*
 * cdg: the channel dependency graph, and what the parts of the verifier share.
 * Other modules that put findings into words use it to name nodes and to find
 * the switch of a LID.
 *
 * The switches that take part ("live": not quarantined) are numbered anew,
 * component by component, so that everything a destination needs lies in one
 * range [lo, hi) of every array. The number after the last one stands for
 * "nowhere": a port without a link to a live switch leads there, so that the
 * inner loops need no branch.
 *
 * A channel is a link direction, named by the port where it arrives: switch,
 * in-port. The port arrays (peer, dep, load) are indexed by off[switch] +
 * port. dep holds the dependencies, a bit matrix per switch and plane; planes
 * are layers, or with a map of VLs those of dep_graph.h.
 */
#ifndef HEDDLE_ROUTING_VERIFY_CDG_H
#define HEDDLE_ROUTING_VERIFY_CDG_H

#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/link_load.h"
#include "routing/core/route_layers.h"
#include "routing/verify/verify.h"

/* A switch and one of its ports in one word. */
static inline uint32_t
cdg_pack(uint32_t s, uint32_t port)
{
	return s << 8 | port;
}

struct verify_state;

struct cdg {
	const struct topo *t;
	uint32_t n;	   /* live switches; also the number of "nowhere" */
	uint32_t nports;   /* port records, those of "nowhere" included */
	sw_ix *sw;	   /* [n] their index in topo.sw */
	uint32_t *ix;	   /* [topo.nsw] live number or TOPO_NONE */
	uint32_t ncomp;	   /* components */
	uint32_t *comp_lo; /* [ncomp + 1] first switch of each */
	uint32_t *comp;	   /* [n] component of a switch */
	uint32_t *off;	   /* [n + 1] first port record */
	uint8_t *top;	   /* [n + 1] highest port an entry may name */
	uint32_t *peer;	   /* [nports] packed (switch, port) behind a port */
	uint32_t *hosts;   /* [n] compute ports with a LID on the switch */
	uint16_t *rate; /* [nports] of the link behind a port; NULL: all links
			   have the same rate */
	uint16_t rate_max; /* as in the topology */
	unsigned shift;	   /* log2 of the words in a row of dep */

	unsigned nlayers;	      /* layers */
	struct layer_row **layer_row; /* [n] by destination, sources by the
					 topology's numbers; NULL: one layer */

	struct vl_map *map;  /* a reference; NULL: none, or one layer */
	unsigned nplanes;    /* of dep */
	uint8_t *port_class; /* [nports] as vl_map.port, with a map */

	struct dep_count *count; /* dependencies counted by layer instead of
				    noted in dep, which is NULL then; see
				    cdg_count */
	bool light; /* one layer; only loads are wanted, no dependencies */

	/* what a walk finds; everything above stays as it was built */
	size_t plane;	/* words of dep for one plane: nports << shift */
	uint64_t *dep;	/* [nplanes * plane] bit out of row (switch, in) */
	uint32_t *load; /* [nports] host pairs leaving by a port */
	uint64_t *hops; /* [n + 1] host pairs by links on their path */
};

/*
 * Build; NULL and a reason when there are more switches than LIDs. like (NULL
 * allowed): a judgement; its numbers of switches are taken over, and NULL is
 * returned when the switches are not the same or are not all connected.
 */
struct cdg *cdg_new(const struct verify_tables *in,
	const struct verify_state *like, struct reason *why);
void cdg_free(struct cdg *g); /* NULL allowed */

/*
 * A graph over the same arrays, for another thread, with findings of its own,
 * empty; cdg_join adds them to g's and frees it.
 */
struct cdg *cdg_copy(const struct cdg *g);
void cdg_join(struct cdg *g, struct cdg *fork);

/* From now on dependencies are counted; there are several layers, and nothing
 * has been found yet. */
void cdg_count(struct cdg *g);

/* Note again what has been counted, and count no more. */
void cdg_count_end(struct cdg *g);

/* The same as cdg_count, beginning with what another graph of the same port
 * records has counted, as far as g has the links. */
void cdg_count_as(struct cdg *g, const struct cdg *was);

/* True if the port of a record leads to a live switch. */
static inline bool
cdg_has_link(const struct cdg *g, uint32_t port)
{
	return g->peer[port] >> 8 != g->n;
}

/* The record at which the link of a port arrives. */
static inline uint32_t
cdg_far_end(const struct cdg *g, uint32_t port)
{
	return g->off[g->peer[port] >> 8] + (g->peer[port] & 255);
}

/*
 * The dependencies of all layers as if they were one: [plane], to be freed.
 * NULL: there is only one plane, g->dep.
 */
uint64_t *cdg_one_layer(const struct cdg *g);

/* The dependencies of one layer: [plane], to be freed. */
uint64_t *cdg_layer_dependencies(const struct cdg *g, unsigned layer);

/* The layer from live switch src to dst. Only with several layers. */
static inline uint8_t
cdg_layer(const struct cdg *g, uint32_t src, uint32_t dst)
{
	return layer_row_get(g->layer_row[dst], g->sw[src]);
}

/*
 * The switch of the topology that port p, which owns a LID, hangs on, and the
 * port there that ejects to it. TOPO_NONE when it hangs on no switch.
 */
sw_ix cdg_dest_switch(const struct topo *t, port_ix p, uint8_t *eject);

/* The load (routing/core/link_load.h) of the link behind port record c. */
static inline uint64_t
cdg_load(const struct cdg *g, uint32_t c)
{
	return g->rate == NULL ? g->load[c]
			       : link_load_of_pairs(
					 g->load[c], g->rate[c], g->rate_max);
}

/* The entry of live switch s for a LID. */
uint8_t cdg_entry(const struct cdg *g, const struct verify_tables *in,
	uint32_t s, uint32_t lid);

/* Blocks of 64 LIDs to walk: those of the tables and of the LIDs in use. */
uint32_t verify_walk_blocks(const struct verify_tables *in);

/* The destination of a LID. */
struct verify_dest {
	uint32_t root; /* live switch, or g->n */
	uint8_t eject;
	bool owned, host;
};
struct verify_dest verify_walk_dest(const struct cdg *g, uint32_t lid);

/* Those of all LIDs of the blocks to walk, nlid of them, to be freed. */
struct verify_dest *verify_walk_dests(
	const struct cdg *g, const struct verify_tables *in, uint32_t *nlid);

/*
 * Walk all LIDs, whose destinations are dest: adds loads, hops and dependencies
 * to g, and the faults to the report. threads: as in verify_keep.
 */
void verify_walk(struct cdg *g, const struct verify_tables *in,
	const struct verify_dest *dest, unsigned threads,
	struct verify_report *out);

/*
 * The first fault in words: a pair that does not arrive (loop says which
 * kind). from: live switch; col: the LID's entries by live number.
 */
struct verify_pair {
	uint32_t from;
	uint32_t root; /* the LID's live switch */
	uint8_t eject;
	uint16_t lid;
	bool loop;
};
void verify_text_pair(const struct cdg *g, const uint8_t *col,
	const struct verify_pair *pair, char *text, size_t size);

/*
 * Look for cycles of dependencies, in all layers as one and then in each layer.
 * Fills plain, cyclic_channels, cycle and first.
 */
void verify_cycle_find(const struct cdg *g, const struct verify_tables *in,
	struct verify_report *out);

/* True if the tables have several layers and ranks for each of their groups of
 * VLs. */
bool cdg_layers_ranked(const struct verify_tables *in);

/*
 * The ranks given with tables, whose graph is g: by VL group, then by the port
 * record at which a link arrives. To be freed.
 */
uint32_t *cdg_ranks(const struct cdg *g, const struct verify_tables *in);

/* True if all dependencies in the one plane of g lead to a link of higher rank,
 * by the record at which it arrives. */
bool cdg_climbs(const struct cdg *g, const uint32_t *rank);

/* True if the dependencies of several layers have no cycle as one. */
bool verify_cycle_is_plain(const struct cdg *g);

/*
 * Count the pairs of live switches whose packets come back in another layer;
 * the first one is a fault in words. was: layers that are known to be alike, of
 * the same numbers of switches: rows shared with them are not looked at.
 */
void verify_compare_directions(const struct cdg *g,
	const struct route_layers *l, const struct route_layers *was,
	struct verify_report *out);

/* Busiest link, means and hops of the report from what the walk found. */
void verify_sum(const struct cdg *g, struct verify_report *out);

/* What verify_keep keeps of a judgement; g->t is not used any more. */
struct verify_state {
	unsigned refs;
	unsigned
		steps; /* verify_incremental since the last judgement in full */
	struct cdg *g;
	bool ok;    /* proven by ranks: the next may build on it */
	bool plain; /* all layers are ordered as one */
	struct route_layers layers; /* judged; g may have them as one */
	uint64_t *guid;		    /* [g->n] of the switches */
	struct verify_dest *dest;   /* [nlid]; NULL unless ok */
	uint32_t nlid;
};

/*
 * Keep g (taken over), which was judged with the report `found`. dest (taken
 * over): the destinations of all LIDs; NULL: to be found.
 */
struct verify_state *verify_state_new(struct cdg *g,
	const struct verify_tables *in, const struct verify_report *found,
	struct verify_dest *dest);

#endif
