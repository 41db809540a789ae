/*
 * adaptive_groups: what a switch with adaptive routing shall hold beside its
 * forwarding table: groups of ports, and for each LID a default port and a
 * group. Pure: from the table, the sets of the routes and what the switch holds
 * now.
 *
 * A group lies in a slot, which entries of LIDs name. One write of a slot
 * changes all LIDs that name it, so a slot keeps its number as long as its LIDs
 * want the same: each wanted group goes into the slot that most of its LIDs
 * name now. A lost port is then one write of a group in place, and no write of
 * an entry. Groups are many where each default port has one of its own: a set
 * with less than two LIDs a default gets one in which all ports are alike, and
 * so does a part of the set that most LIDs have, as of a leaf that has lost a
 * port: how many LIDs have such a part differs from change to change. Where
 * there are more groups than slots, the LIDs of the rarest take their default
 * port (static).
 *
 * While what the switch holds is in force, other switches hold old values too.
 * So the writes are four steps, and a step begins when that before it is
 * acknowledged everywhere:
 *
 *	FILL	slots that no entry names get their group
 *	SHRINK	slots in use lose the ports that their LIDs shall not use; a
 *		LID that would still have such a port moves to its group if
 *		that has no port which is new to it, or else becomes static;
 *		it has its old default port
 *	MOVE	with the forwarding tables entries get their default port, and
 *		then their slot
 *	GROW	slots in use get all of their group
 *
 * After SHRINK every LID has ports that both the old routes and the new ones
 * allow, or its old default, so that forwarding tables change as without
 * adaptive routing. Ports that lead up are lost with MOVE, in one write, where
 * the LID goes on leading up: nothing comes down to the switch by old or new
 * routes, and what it sends up may go on up or down. While they change
 * (careful) nothing grows: no LID gets a port that it did not have, but its new
 * default port. What is missing then is for a later plan, by which time every
 * switch has the new defaults. No prefix of these writes gives a LID a port
 * that neither its old routes nor its new ones allow.
 *
 * sm/mad/mad_ar.h has the attributes; the ranks of sub-groups are from there.
 */
#ifndef HEDDLE_DISTRIBUTION_TABLES_ADAPTIVE_GROUPS_H
#define HEDDLE_DISTRIBUTION_TABLES_ADAPTIVE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/core/route_sets.h"
#include "sm/mad/mad_ar.h"

enum adaptive_step {
	ADAPTIVE_HELD, /* before any write */
	ADAPTIVE_FILL,
	ADAPTIVE_SHRINK,
	ADAPTIVE_GROW,
	ADAPTIVE_STEPS,
};

/* Everything is borrowed. */
struct adaptive_groups_job {
	uint16_t cap;	    /* slots that the switch has */
	bool default_first; /* the default port alone is primary; else all
			       ports of a group are alike */
	bool escapes;	    /* the default is no port of a group: packets wait
			       for these before they take it */
	bool in_force;	    /* what it holds forwards packets, and is known */
	bool careful;	    /* other switches' tables are changing */
	uint8_t state;	    /* of LIDs with a group: free or bounded, of
			       enum mad_ar_state */
	uint64_t linked[ROUTE_SET_WORDS]; /* ports that have a link */
	uint64_t up[ROUTE_SET_WORDS]; /* of them, those that lead up in an order
					 of switches that old and new routes
					 obey; none where there is no such */
	uint32_t nlids;		      /* a multiple of MAD_AR_ENTRIES */
	const uint8_t *port;	      /* [nlids] of the forwarding table */
	const uint16_t *set;	      /* [nlids] number in sets; 0: none */
	const struct route_set *sets; /* [nsets] */
	uint16_t nsets;
	const struct mad_ar_entry *held; /* [nlids]; unknown: static */
	const struct mad_ar_group *slot; /* [nslots] as held; unknown: empty */
	uint16_t nslots; /* at most cap; no entry held names another one */
};

struct adaptive_groups {
	struct mad_ar_group *slot[ADAPTIVE_STEPS]; /* [nslots] after each step;
						      those beyond are empty */
	uint16_t nslots;
	struct mad_ar_entry *early; /* [nlids] after SHRINK */
	struct mad_ar_entry *entry; /* [nlids] after MOVE */
	uint16_t top;		    /* the highest slot that any of it names */
	uint32_t chosen;	    /* LIDs with a group in the end */
	uint32_t no_room;	    /* LIDs that are static for want of slots */
	bool complete;		    /* nothing is left for a later plan */
};

static inline bool
adaptive_group_has(const struct mad_ar_group *g, unsigned port)
{
	return ((g->port[0][port / 64] | g->port[1][port / 64]) >> port % 64 &
		       1) != 0;
}

/* The result is the caller's, to be freed with adaptive_groups_free. */
void adaptive_groups_make(
	const struct adaptive_groups_job *job, struct adaptive_groups *out);
void adaptive_groups_free(struct adaptive_groups *g);

#endif
