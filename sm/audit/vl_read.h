/*
 * audit_lanes: which virtual lane a packet takes, by the SLtoVLMappingTables
 * that switches hold.
 *
 * First one table of each cable between switches is read, of a host's port or
 * of another cable. Where those lead to one lane, nothing more is asked. Else,
 * if so wanted, the tables of all turns that the forwarding tables make are
 * read, as far as a limit goes: beyond it they are taken to be what all others
 * are (alike), or, where others differ, what most are (a guess, and whatever
 * follows from it is not sure). Ports of hosts on one switch are taken to be
 * alike: one of them is asked about. So is port 0: a switch sends too.
 *
 * IBA volume 1: SLtoVLMappingTable 14.2.5.8; 7.6.6: VL 15 and lanes that are
 * not in operation discard, a port of a single lane needs no table.
 */
#ifndef HEDDLE_SM_AUDIT_VL_READ_H
#define HEDDLE_SM_AUDIT_VL_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/verify/verify.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

enum { AUDIT_VL_READ_DISCARD = 15, AUDIT_VL_READ_MAX = 60000 };

struct audit_lanes;

/* Through a switch, from port to port. */
struct audit_vl_row {
	sw_ix sw;
	uint8_t in, out;
};

struct audit_vl_read_job {
	const struct topo *t;
	struct xact *x;
	uint64_t mkey;
	const struct verify_dependencies *turns; /* that the tables make */
	bool all; /* ask about all turns, where there is more than a lane */
};

/* Borrows all of the job but the turns, which it does not keep. */
struct audit_lanes *audit_vl_read_new(const struct audit_vl_read_job *job);
void audit_vl_read_free(struct audit_lanes *l); /* nothing in flight; NULL ok */

void audit_vl_read_feed(struct audit_lanes *l, struct mono now);
bool audit_vl_read_done(const struct audit_lanes *l);

struct audit_vl_read_facts {
	uint64_t tables;  /* that the turns go through, on ports with lanes */
	uint64_t read;	  /* of these */
	uint64_t refused; /* of these: no answer, or no such table */
	uint32_t kinds;	  /* different tables among those read */
	uint16_t vls;	  /* bit v: some SL is led to VL v */
	unsigned lanes;	  /* lanes in use, 1 or more */
	bool discards;	  /* some SL is led to VL 15 or to no lane */
};
struct audit_vl_read_facts audit_vl_read_facts(const struct audit_lanes *l);

/*
 * The VL of an SL from in-port to out-port, or AUDIT_VL_READ_DISCARD. *sure
 * becomes false where that is a guess, else it stays.
 */
uint8_t audit_vl_read_vl(const struct audit_lanes *l,
	const struct audit_vl_row *turn, unsigned sl, bool *sure);

/* For each SL the lowest one that takes the same lanes everywhere. */
void audit_vl_read_alike(const struct audit_lanes *l, uint8_t same[16]);

#endif
