/*
 * state_keep: what outlives the process (sm/state/state_file.h): gathered from
 * the modules that have it, saved a moment after it changed, and given back to
 * them at the start. Before the first view it is saved only where a push needs
 * that: before it blocks dependencies, and before ports come up on which no SL
 * was ever given out.
 */
#ifndef HEDDLE_SM_CORE_STATE_KEEP_H
#define HEDDLE_SM_CORE_STATE_KEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/core/lid.h"
#include "routing/driver/compute.h"
#include "sm/base/map.h"
#include "sm/core/pair_layers.h"
#include "sm/state/state_file.h"

struct sm;
struct routes;

/* Registrations of hosts change often, and hosts repeat them after a crash: a
 * storm of joins is one save in this time. */
enum { SAVE_MS = 1000 };

/* Kept from run to run, and over a restart; state_keep.c. */
struct kept {
	struct lid_record *record;
	size_t nrecord;
	struct route_rank *rank;
	size_t nrank;
	enum route_order rank_order;
	bool rank_known;
	bool order_outdated; /* another manager has reigned since the view, or
				what is noted of it: tables in switches count */
	struct topo_class reading;
	char *remembered; /* what engines printed of their state, as in struct
			     state_file; or NULL */
	struct layer_memory *pairs; /* of all views, and of a previous run;
				       or NULL */
	uint64_t routed, load;	    /* as in struct state_file */
	struct map saved_pkeys; /* port GUID -> enum state_file_pkeys, of its
				   P_Key table */
	uint64_t keys_stamp;	/* of the tables when they were last settled */
};

void state_keep_free(struct sm *sm);
/* Enter the records of the state file, each with its module. */
void state_keep_load(struct sm *sm, const struct state_file *s);
/* Set the state file aside, whose records are loaded, if it is of another
 * fabric. */
void state_keep_check(struct sm *sm);
/* The switch order of the routes that are in force from now on. */
void state_keep_routes(struct sm *sm, const struct routes *r);
/* Save what must survive a restart; at_once: it does when this returns. Modules
 * below have it saved by TIMER_SAVE. */
void state_keep_save(struct sm *sm, bool at_once);
/* When the state is to be saved; MONO_NEVER before the first view. */
struct mono state_keep_next(const struct sm *sm);
void state_keep_step(struct sm *sm, struct mono now); /* if it is time */

#endif
