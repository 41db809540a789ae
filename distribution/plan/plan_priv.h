/*
 * plan_priv: shared by plan.c (phases, forwarding tables, blocked
 * dependencies), plan_switchinfo.c, plan_portinfo.c (ports), plan_pkeys.c
 * (P_Keys), plan_slvl.c (SL2VL and arbitration), plan_adaptive.c (adaptive
 * groups) and plan_tables.c (tables that no path depends on), and included by
 * no other file. Each of them adds phases by plan_steps.c; plan.c puts them in
 * order.
 */
#ifndef HEDDLE_DISTRIBUTION_PLAN_PLAN_PRIV_H
#define HEDDLE_DISTRIBUTION_PLAN_PLAN_PRIV_H

#include "distribution/plan/plan.h"

/* Whether a switch port shall enforce partitions. */
enum plan_enforce { GUARD_OFF, GUARD_ON, GUARD_AS_IS };

struct plan_maker {
	struct plan *p;
	const struct topo *t;
	const struct device_store *hw;
	const struct plan_params *params;
	const struct pkey_table_want *keys; /* or NULL */
	struct vlarb_want vlarb;
	uint8_t *guard; /* [nports] enum plan_enforce, or NULL */
	port_ix *drop;	/* ports that lose keys */
	size_t ndrop, capdrop;
	sw_ix sm_switch; /* of the port that we send from, or TOPO_NONE */
	uint32_t *rise;	 /* [nports] payload of a port in Init + 1, or NULL */
	port_ix *sl;	 /* ports that get another MasterSMSL at the end */
	size_t nsl, capsl;
	size_t capsteps, capphases, cappayload, capunfit, capkept;
	struct plan_phase *now;		      /* the phase that is being made */
	bool drain;			      /* before the next one */
	struct plan_adaptive_state *adaptive; /* or NULL: left as it is */
	bool rising; /* SL2VL of hosts that come up is being planned */
};

/* plan_steps.c */
void plan_add_step(struct plan_maker *m, port_ix port, enum device_attr attr,
	uint32_t block, uint32_t payload);
/* Room for one more 64-byte payload, zeroed; *ix is its number. */
uint8_t *plan_add_payload(struct plan_maker *m, uint32_t *ix);
/* The port keeps its own. */
void plan_note_kept(struct plan_maker *m, port_ix port, enum plan_keeps what);
/*
 * plan_begin: a phase of this kind begins. plan_end: false if it has no steps.
 */
void plan_begin(struct plan_maker *m, enum plan_kind kind);
bool plan_end(struct plan_maker *m);

/* plan_switchinfo.c: LifeTimeValue of switches whose LinearFDBTop stays, into
 * this phase. */
void plan_switchinfo_lifetimes(struct plan_maker *m);
/* A phase of the switches whose LinearFDBTop changes in this kind of phase. */
void plan_switchinfo_tops(
	struct plan_maker *m, enum plan_kind kind, bool fresh);
/* CLEAR: what this plan did to ports needs no sweep afterwards. */
void plan_switchinfo_clears(struct plan_maker *m);
/* VERIFY: but a change by anything else meanwhile does. */
void plan_switchinfo_verifies(struct plan_maker *m);

/* plan_portinfo.c */
void plan_portinfo_params(struct plan_maker *m);
/* MasterSMSL of ports that are up, when the tables that it is for are written.
 */
void plan_portinfo_sm_sl(struct plan_maker *m);
/*
 * PREPARE, ARM, ACTIVATE: of ports in Init or Armed, or of ports taken down.
 */
void plan_portinfo_rise(struct plan_maker *m, bool downed);
/* DOWN and SETTLE phases for what the method takes down; false: nothing. */
bool plan_portinfo_fall(struct plan_maker *m);
/* A live external port begins to enforce partitions, unless it does already. */
void plan_portinfo_guard(struct plan_maker *m, port_ix ix);

/* plan_slvl.c: SL2VL and arbitration tables. */
void plan_slvl_add(struct plan_maker *m);
/* The same for host ports that are Armed by then. */
void plan_slvl_rise(struct plan_maker *m);
/* Whether a copy of an older Set may change a row. */
bool plan_slvl_in_doubt(const struct plan_maker *m);
/* A step that unblocks (in, out), unless it is settled as it shall be. */
void plan_slvl_unblock(
	struct plan_maker *m, node_ix n, unsigned in, unsigned out);

/* plan_pkeys.c: P_Keys that are added; P_Keys that are removed, and guards. */
void plan_pkeys_add(struct plan_maker *m);
void plan_pkeys_drop(struct plan_maker *m);

/*
 * plan_adaptive.c: find what adaptive routing needs; then add the phases of one
 * kind after the other, PLAN_ADAPTIVE_OFF to PLAN_ADAPTIVE_ON. False: there is
 * nothing.
 */
void plan_adaptive_begin(
	struct plan_maker *m, const struct plan_adaptive *want);
bool plan_adaptive_add(struct plan_maker *m, enum plan_kind kind);
/* Add the steps of a stage of forwarding tables to the phase that is made. */
void plan_adaptive_put(
	struct plan_maker *m, enum plan_kind kind, unsigned stage);
/* Whether packets drain before forwarding tables change. */
bool plan_adaptive_drains(const struct plan_maker *m);
void plan_adaptive_end(struct plan_maker *m);

/* plan_tables.c: further blocks of ports, where they are not in place. */
void plan_tables_add(
	struct plan_maker *m, const struct plan_block *block, size_t n);

#endif
