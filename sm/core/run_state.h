/*
 * run_state: what a run holds, from its beginning to its end.
 */
#ifndef HEDDLE_SM_CORE_RUN_STATE_H
#define HEDDLE_SM_CORE_RUN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/sweep/sweep.h"
#include "routing/driver/compute.h"
#include "sm/base/map.h"
#include "sm/view/view.h"

struct sm;
struct topo;
struct layer_memory;
struct routes;
struct plan;
struct pkeys;
struct lft_read;
struct pkey_read;
struct device_read;
struct sweep;
struct adaptive_read;
struct foreign_adaptive;
struct push;
struct qos;

/* One run, from its cause to its commit; what it holds is freed with it. A
 * light sweep, names and checks are short runs of their own. */
struct run {
	enum sweep_kind kind;
	char cause_text[256]; /* for the log */
	struct mono began, phase_began;
	struct mono first_heard; /* when its cause was heard of */
	struct mono waited;	 /* from then to the push */
	struct view_times times;
	struct view_counts counts;
	uint64_t sent_before;
	uint64_t timeouts_before; /* requests given up before this phase */
	unsigned passes;	  /* of the pipeline */
	unsigned mute_stops;	  /* of these, how many nothing answered in */
	struct map probed;	  /* switches that it has probed */
	bool names_read;	  /* names were read before routing */
	bool rows_read;		  /* rows of SL2VL were asked for */
	bool new_duplicates;	  /* it met new nodes with one GUID */
	bool cut_short;		  /* a light sweep that was ended early */
	/* what is under way, one after the other */
	struct sweep *sweep;
	struct lft_read *readback;
	struct pkey_read *pkey_read;
	struct device_read *row_read; /* of SL2VL, or NULL */
	struct foreign_adaptive *adaptive;
	struct adaptive_read *groups_read;
	struct push *push;
	/* what it has made so far */
	struct topo *topo;	    /* with LIDs, from SM_TAKE on */
	struct topo *topo_written;  /* ports as after the push, or NULL */
	struct pkeys *pkeys;	    /* that the ports of topo shall have */
	struct routes *routes;	    /* not yet acknowledged */
	struct layer_memory *pairs; /* of these, or NULL: nothing is new */
	struct route_account story;
	struct qos *qos;   /* of these routes */
	struct plan *plan; /* ... and the way to them */
	struct view_change change;
	enum { COMMIT_SETTLE, COMMIT_REFRESH, COMMIT_PUBLISH } commit_step;
	bool publish; /* it ends in a new view */
};

/* A run begins; what it has made is given up; the core ends. */
void run_state_begin(struct sm *sm, struct mono now, enum sweep_kind kind);
void run_state_discard(struct sm *sm);
void run_state_free(struct sm *sm);

#endif
