/*
 * audit_vl_read: the VL that a packet takes, from the SLtoVLMappingTables that
 * switches hold.
 *
 * First one table of each link between switches is read, for an in-port of a
 * host or of another link. Then, unless these map everything to one VL, the
 * tables of all other in-ports are read: of links, of port 0, as a switch sends
 * packets, too, and of each host port.
 * If they are more than a limit, nothing more is read, or only as many. A table
 * that was not read is taken to be like that of another host port of the
 * switch, or like most others: a guess, and what follows from it is not sure.
 *
 * IBA volume 1: SLtoVLMappingTable 14.2.5.8; 7.6.6: VL 15 and VLs that are not
 * operational discard, a port with a single VL needs no table.
 */
#ifndef HEDDLE_SM_AUDIT_VL_READ_H
#define HEDDLE_SM_AUDIT_VL_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

/* The most tables that are read: where VLs matter, or else; beyond the latter
 * only one of each link. */
enum { AUDIT_VL_READ_MAX = 1000000, AUDIT_VL_READ_FEW = 60000 };

enum { AUDIT_VL_READ_DISCARD = 15 };

struct audit_vls;

/* A table row: a switch, the in-port and the out-port. */
struct audit_vl_row {
	sw_ix sw;
	uint8_t in, out;
};

struct audit_vl_read_job {
	struct topo *t;
	struct xact *x;
	bool matters; /* whether there is a credit loop depends on VLs */
};

/* The job's data is borrowed. */
struct audit_vls *audit_vl_read_new(const struct audit_vl_read_job *job);
void audit_vl_read_free(
	struct audit_vls *l); /* no request may be in flight; NULL allowed */

void audit_vl_read_feed(struct audit_vls *l, struct mono now);
bool audit_vl_read_done(const struct audit_vls *l);

struct audit_vl_read_facts {
	uint64_t tables;   /* tables of the dependencies, on ports with several
			      VLs */
	uint64_t read;	   /* of these */
	uint64_t refused;  /* of these: no answer, or unsupported */
	uint32_t kinds;	   /* different tables among those read */
	unsigned vls;	   /* VLs in use, 1 or more */
	uint16_t discards; /* bit s: SL s is mapped to VL 15 or to a VL that is
			      not operational, in some table */
};
struct audit_vl_read_facts audit_vl_read_facts(const struct audit_vls *l);

/*
 * The VL of an SL from in-port to out-port, or AUDIT_VL_READ_DISCARD. *sure
 * becomes false if that is a guess, and else keeps its value.
 */
uint8_t audit_vl_read_vl(const struct audit_vls *l,
	const struct audit_vl_row *dep, unsigned sl, bool *sure);

/* True if packets from two ports of a switch are mapped alike, by all tables
 * that were read for one of them. */
bool audit_vl_read_same(
	const struct audit_vls *l, sw_ix s, unsigned in, unsigned other);

/* For each SL the lowest SL that is mapped to the same VLs in all tables. */
void audit_vl_read_alike(const struct audit_vls *l, uint8_t same[16]);

#endif
