/*
 * verify_graph: what the three parts of the verifier share, private to them.
 *
 * The switches that take part ("live": not quarantined) are numbered anew,
 * component by component, so that everything a destination needs lies in one
 * range [lo, hi) of every array. The number after the last one stands for
 * "nowhere": a port without a cable to a live switch leads there, so that the
 * inner loops need no branch.
 *
 * A channel is a directed cable, named by where it arrives: switch, in-port.
 * The port arrays (peer, turn, load) are indexed by off[switch] + port.
 */
#ifndef HEDDLE_ROUTING_VERIFY_GRAPH_H
#define HEDDLE_ROUTING_VERIFY_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/verify.h"

/* A switch and one of its ports in one word. */
static inline uint32_t
verify_graph_pack(uint32_t s, uint32_t port)
{
	return s << 8 | port;
}

struct verify_graph {
	const struct topo *t;
	uint32_t n;	     /* live switches; also the number of "nowhere" */
	uint32_t nports;     /* port records, those of "nowhere" included */
	sw_ix *sw;	     /* [n] their place in topo.sw */
	uint32_t *ix;	     /* [topo.nsw] live number or TOPO_NONE */
	uint32_t ncomp;	     /* components */
	uint32_t *comp_lo;   /* [ncomp + 1] first switch of each */
	uint32_t *comp;	     /* [n] component of a switch */
	uint32_t *off;	     /* [n + 1] first port record */
	uint8_t *top;	     /* [n + 1] highest port an entry may name */
	uint32_t *peer;	     /* [nports] packed (switch, port) behind a port */
	uint32_t *hosts;     /* [n] compute ports with a LID on the switch */
	unsigned shift;	     /* log2 of the words in a row of turn */
	uint64_t *turn;	     /* [nports << shift] bit out of row (switch, in) */
	uint32_t *load;	     /* [nports] host pairs leaving by a port */
	uint64_t host_pairs; /* that arrive */
};

/* Build; NULL and a reason when there are more switches than LIDs. */
struct verify_graph *verify_graph_new(const struct topo *t, struct reason *why);
void verify_graph_free(struct verify_graph *g); /* NULL allowed */

/*
 * Where LID owner p hangs: the topology's switch and the port that ejects to
 * it. TOPO_NONE when it hangs on no switch.
 */
sw_ix verify_graph_home(const struct topo *t, port_ix p, uint8_t *eject);

/* True for CA and router ports with a LID that are not aggregation nodes. */
bool verify_graph_is_host(const struct topo *t, port_ix p);

/* A node's name for people: its description in quotes, or its GUID. */
struct verify_name {
	char s[72];
};
struct verify_name verify_graph_name(const struct topo *t, node_ix n);

/* The entry of live switch s for a LID. */
uint8_t verify_graph_entry(const struct verify_graph *g,
	const struct verify_tables *in, uint32_t s, uint32_t lid);

/* Walk all LIDs: fills turn, load and the counts of the report. */
void verify_walk_all(struct verify_graph *g, const struct verify_tables *in,
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
void verify_words_pair(const struct verify_graph *g, const uint8_t *col,
	const struct verify_pair *pair, char *text, size_t size);

/* Is the graph of turns free of cycles? Fills cyclic_channels and first. */
void verify_cycle_find(const struct verify_graph *g,
	const struct verify_tables *in, struct verify_report *out);

#endif
