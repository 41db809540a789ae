/*
 * ndtext: reader of the output of standard tools about a fabric.
 *
 * Two texts are enough to judge a subnet manager from outside: the fabric with
 * its LIDs as ibnetdiscover prints it, and the unicast tables as dump_fts reads
 * them out of the switches. This reader shares nothing with the product's own
 * topology on purpose: the judge must not rely on the code that it judges.
 *
 * A node with N ports owns N + 1 consecutive records in port[]: its port n is
 * port[node.first + n]. Port 0 of a switch carries its LID.
 */
#ifndef HEDDLE_TESTS_E2E_NDTEXT_H
#define HEDDLE_TESTS_E2E_NDTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sm/base/arena.h"
#include "sm/base/map.h"
#include "sm/base/reason.h"

#define NDTEXT_NONE UINT32_MAX

enum { NDTEXT_LIDS = 0xc000, NDTEXT_DROP = 255 };

struct ndtext_port {
	uint64_t guid; /* of a CA's port, 0 otherwise */
	uint32_t node; /* node of the port */
	uint32_t peer; /* port record at the other end, or NDTEXT_NONE */
	uint16_t lid;  /* 0: none was printed */
	uint8_t lmc;
	uint8_t num;
};

struct ndtext_node {
	uint64_t guid;
	const char *name;
	uint32_t first; /* record of port 0 */
	uint32_t sw;	/* index among switches, or NDTEXT_NONE */
	uint8_t nports;
	bool aggregation; /* a SHARP node inside a switch, not a host */
};

struct ndtext {
	struct arena *arena;
	struct ndtext_node *node;
	struct ndtext_port *port;
	uint32_t *sw; /* switch index -> node index */
	uint32_t nnodes, nports, nsw;
	uint32_t nlinks;       /* links, each counted once */
	uint32_t linked;       /* ports with a link, without port 0 */
	uint32_t one_way;      /* links that only one end reports */
	struct map by_guid[2]; /* GUID -> node: switches, all others */
	/* The tables: lft[sw * stride + lid], NDTEXT_DROP: no entry. */
	uint8_t *lft;
	uint8_t *has_table; /* per switch: dump_fts printed it */
	uint32_t stride;
	uint64_t entries; /* entries with an out-port */
	uint64_t blocks;  /* 64-LID blocks with such an entry */
	uint64_t stray;	  /* entries for LIDs above the highest in use */
};

/*
 * Read a fabric from ibnetdiscover's text. Lines that are not about nodes and
 * links are skipped. The caller frees it with ndtext_free; NULL and why if the
 * text contradicts itself or has no node.
 */
struct ndtext *ndtext_read(FILE *in, const char *file, struct reason *why);

/*
 * Add the tables as dump_fts prints them (with or without -n). 0, or -1 and why
 * if they are of switches that the fabric does not have.
 */
int ndtext_read_tables(
	struct ndtext *t, FILE *in, const char *file, struct reason *why);

/*
 * Number of 64-LID blocks of the same switches that differ between two readings
 * of one fabric (a switch without a table counts as empty).
 */
uint64_t ndtext_diff_blocks(const struct ndtext *a, const struct ndtext *b);

/* Free t; NULL is allowed. */
void ndtext_free(struct ndtext *t);

/* The port record of port n of a node. */
static inline uint32_t
ndtext_at(const struct ndtext *t, uint32_t node, unsigned n)
{
	return t->node[node].first + n;
}

/*
 * The port record of the out-port of a switch for lid, or NDTEXT_NONE if it
 * drops the packets (no entry, no such port). May be port 0.
 */
uint32_t ndtext_out(const struct ndtext *t, uint32_t sw, uint32_t lid);

#endif
