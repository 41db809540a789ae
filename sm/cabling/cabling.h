/*
 * cabling: which ports are linked, as a value: as it was planned, in a file, or
 * as it is, in a topology. Both are compared in the same form, so that a plan
 * can be written by a program, by hand, or by this fabric on a good day.
 *
 *	file -> cabling_read ---> cabling --+
 *	                                    +--> cabling_match --> deviations
 *	topology -> cabling_add_topo -------+
 *
 * A plan may know less of a node than the fabric tells: an NDT file has neither
 * GUIDs nor types. Such nodes are found by their names (cabling_match.h).
 *
 * Folder sm/cabling: a plan and a topology -> what differs, as a technician
 * would say it. Callers: sm/cabling_watch.c in the daemon and
 * sm/verify_command.c in heddlectl; sm/report/verify_json.c tells the result.
 * Read next: sm/cabling/deviation.h.
 */
#ifndef HEDDLE_SM_CABLING_CABLING_H
#define HEDDLE_SM_CABLING_CABLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/arena.h"
#include "sm/base/reason.h"

#define CABLING_NONE UINT32_MAX /* no such node or link */

struct cabling_node {
	uint64_t guid;	  /* 0: not told */
	const char *name; /* NodeDescription, or what the plan calls it; "" */
	uint32_t first;	  /* of its ports in cabling.at; set by cabling_seal */
	uint8_t type;	  /* enum topo_type; 0: not told */
	uint8_t nports;	  /* its highest port number */
	bool aggregation; /* a SHARP aggregation node */
	bool silent;	  /* it did not answer, or not all: that a link of it is
			     not seen proves nothing */
};

struct cabling_end {
	uint32_t node;
	uint8_t port; /* from 1 */
};

struct cabling_link {
	struct cabling_end end[2];
	uint8_t width, speed, speed_ext; /* as in topo_port; width 0: not told
					  */
	uint32_t line;			 /* of the file; 0: not known */
};

struct cabling {
	struct arena *arena; /* holds the texts */
	const char *source;  /* the name of the file, for messages */
	struct cabling_node *node;
	struct cabling_link *link;
	uint32_t *at; /* [node.first + port]: its link, or CABLING_NONE */
	size_t nnodes, nlinks, nports; /* nports: of all, that is, of at */
	size_t node_cap, link_cap;
	size_t unread; /* lines of the file that are not about links of data */
};

/* An empty one, of this source; the text is copied. */
struct cabling *cabling_new(const char *source);
void cabling_free(struct cabling *c); /* NULL allowed */

/* Add a node, its name copied without blanks behind it; its index. */
uint32_t cabling_add_node(struct cabling *c, const struct cabling_node *n);

/* Add a link. Its nodes get as many ports as it needs. */
void cabling_add_link(struct cabling *c, const struct cabling_link *l);

/* Add all nodes and links of a topology, of a file perhaps one after the other:
 * it may be in pieces. */
void cabling_add_topo(struct cabling *c, const struct topo *t);

/*
 * After the last link: make `at`. CABLING_NONE, or the index of the first link
 * that needs a port of an earlier one, or has the same port at both ends; then
 * c may only be freed.
 */
uint32_t cabling_seal(struct cabling *c);

/* The link at a port, or CABLING_NONE, also where there is no such port. */
uint32_t cabling_link_at(const struct cabling *c, uint32_t node, unsigned port);

/* The other end of link l than the one at this port. */
const struct cabling_end *cabling_far_end(
	const struct cabling *c, uint32_t l, struct cabling_end near);

/* The rate of a link, in units of 100 Mb/s; 0: not told. */
uint32_t cabling_rate(const struct cabling_link *l);

/* A topology that is whole, as it is. The caller frees it. */
struct cabling *cabling_of_topo(const struct topo *t, const char *source);

#endif
