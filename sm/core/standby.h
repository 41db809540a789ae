/*
 * standby: what a standby knows of the fabric: a view like that of a master,
 * with the tables that the switches hold instead of computed ones. It is read
 * with Gets alone, with a topology builder and a device store of its own:
 * nothing of it enters what this manager plans from when it is master, which
 * is read anew.
 *
 * 	RESTS --due--> SWEEPS --> NAMES --> READS --> JUDGES --> RESTS
 * 	              topology           LFTs, P_Keys   worker
 *
 * The master clears PortStateChange, so a light sweep shows a standby next to
 * nothing. Topology, LIDs and P_Keys are read in full each time. LFTs are nine
 * tenths of the rest: where the topology is what it was, those of one switch in
 * STANDBY_ROUND are read, and one block of every other switch; if any of that
 * differs from what was read before, the master has changed tables, and all are
 * read.
 *
 * The master comes first: a standby has a small window for its requests, and
 * rests at least nine times as long as it reads.
 *
 * Layers and their SLs are the secret of the master's SA: the tables are judged
 * as if all packets had one VL.
 */
#ifndef HEDDLE_SM_CORE_STANDBY_H
#define HEDDLE_SM_CORE_STANDBY_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/clock.h"

struct sm;
struct view;
struct topo;
struct routes;
struct device_store;
struct pkeys;
struct lft_read;
struct pkey_read;
struct builder;
struct sweep;
struct take_over;

/* What a standby reads; standby.c. */
enum {
	STANDBY_ROUND = 8,  /* readings in which every table is read */
	STANDBY_WINDOW = 8, /* requests in flight */
};

struct standby_state {
	enum {
		STANDBY_RESTS,
		STANDBY_SWEEPS,
		STANDBY_NAMES,
		STANDBY_READS,
		STANDBY_JUDGES
	} step;
	struct view *view; /* of the last one, or NULL */
	struct device_store *hw;
	unsigned part;			    /* of a round */
	struct mono read_at[STANDBY_ROUND]; /* when its switches were read */
	/* the reading in progress */
	struct mono began, swept, tables; /* ... and when a part was done */
	uint64_t sent_before, reads;
	bool all; /* all tables are read */
	struct builder *builder;
	struct sweep *sweep;
	struct topo *topo; /* with the LIDs that ports hold */
	struct pkeys *pkeys;
	struct lft_read *lft;
	struct pkey_read *keys;
	struct take_over *take_over; /* in SM_CONFIRM */
};

void standby_begin(struct sm *sm, struct mono now); /* another one is master */
void standby_step(struct sm *sm, struct mono now);
struct mono standby_next(const struct sm *sm); /* while resting */
/* The worker is done with these tables. */
void standby_judged(struct sm *sm, struct routes *r, struct mono now);
/* Standing by is over: what is under way is given up, the view stays ... */
void standby_end(struct sm *sm, struct mono now);
void standby_forget(struct sm *sm); /* ... until there is a better one */
void standby_free(struct sm *sm);   /* nothing is in flight */

#endif
