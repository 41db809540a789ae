/*
 * lid: which port gets which LIDs. Pure: from a topology and what is
 * remembered.
 *
 * Stability is everything: jobs hold LIDs. In order: what the state file
 * records for a port GUID (also while the port is away, so that a rebooting
 * node finds its LID again); else what the port already holds, if no other port
 * owns it and it fits its LMC; else the lowest free range, given in the order
 * of switches so that the hosts of one leaf have neighbouring LIDs (hosts
 * first, switches last: the pattern stores of forwarding tables rely on that).
 *
 * Where another subnet manager has reigned since the records were made, they
 * come second: a port that is up keeps what it holds, and the records reserve
 * LIDs for ports that are away. Of several ports that hold one LID the record
 * still decides.
 */
#ifndef HEDDLE_ROUTING_CORE_LID_H
#define HEDDLE_ROUTING_CORE_LID_H

#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/buf.h"
#include "sm/base/reason.h"

/* A remembered assignment; arrays of these are sorted by GUID. */
struct lid_record {
	uint64_t guid;
	uint16_t lid;
	uint8_t lmc;
};

struct lid_override {
	uint64_t guid;
	uint8_t lmc;
};

struct lid_policy {
	uint8_t lmc_hosts, lmc_switches, lmc_routers, lmc_aggregation;
	const struct lid_override *override; /* sorted by GUID */
	size_t noverride;
	uint16_t first, last; /* LIDs that may be given out, inclusive */
	bool held_first;      /* the records are older than what ports hold */
};

/* The outcome; free with lid_table_free. */
struct lid_table {
	uint16_t *lid; /* [topo->nports]; 0 for ports that own none */
	uint8_t *lmc;
	struct lid_record *record; /* remembered and new together, sorted */
	size_t nrecord;
	unsigned assigned;  /* new ranges given */
	unsigned moved;	    /* ports that must change the LID they hold */
	unsigned conflicts; /* LIDs claimed twice, decided for one port */
	unsigned reclaimed; /* ranges of absent ports given away: space ran
			       out */
	char conflict[256]; /* the first conflict in words */
};

/*
 * Assign. 0, or -1 when the space is exhausted, with a count of the LIDs needed
 * and available; never LID 0. Ports of nodes flagged TN_DUPLICATE share a GUID:
 * the second one is treated as having no record.
 * LMC of base switch port 0 is always 0 (IBA 14.2.5.6).
 */
int lid_assign(const struct topo *t, const struct lid_policy *policy,
	const struct lid_record *record, size_t nrecord, struct lid_table *out,
	struct reason *why);

void lid_table_free(struct lid_table *t);

#endif
