/*
 * dirty: what waits for the next run. Events only mark; run.c makes a run of
 * the marks when the hold-down is over.
 */
#ifndef HEDDLE_SM_CORE_DIRTY_H
#define HEDDLE_SM_CORE_DIRTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/clock.h"

struct sm;

/* A switch to probe. */
struct sm_suspect {
	uint64_t guid;
	bool told; /* a trap reported it, and nothing else did */
};

/*
 * Why there is a run. A run has a set of them (1U << cause); dirty.c has their
 * texts for the log, which nothing compares.
 */
enum dirty_cause {
	DIRTY_START,
	DIRTY_REQUEST,	 /* a sweep was asked for */
	DIRTY_CONFIG,	 /* an option that routes depend on was changed */
	DIRTY_DRAIN,	 /* something was drained, or undrained */
	DIRTY_REBALANCE, /* fresh tables were asked for */
	DIRTY_RENAMED,
	DIRTY_TRAP,
	DIRTY_NO_ANSWER, /* from behind a link */
	DIRTY_LIGHT,
	DIRTY_MISSING,
	DIRTY_OWN_PORT,
	DIRTY_SILENT,
	DIRTY_NOT_UP,
	DIRTY_HALF_DOWN,
	DIRTY_FAILED_RUN,
	DIRTY_MASTERSHIP,
	DIRTY_SECOND_MASTER,
	DIRTY_BLOCKED,
	DIRTY_LEFT_BLOCKED,
	DIRTY_LOST,
	DIRTY_TABLES,
	DIRTY_PORTS,
	DIRTY_PKEYS,
	DIRTY_GUIDS,
	DIRTY_LATE_COPY,
	DIRTY_NOT_HELD,
	DIRTY_MCAST,
	DIRTY_M_KEY,
	DIRTY_UNLOCKED,
	DIRTY_RELAYERED,
	DIRTY_ADAPTIVE, /* adaptive groups are to be written */
	DIRTY_CAUSES,
};

/* What waits for the next run. Events only mark; a timer starts the run. */
struct sm_dirty {
	uint32_t causes;
	bool full;   /* sweep everything */
	bool replan; /* route and plan again without asking the fabric */
	struct sm_suspect *suspect; /* unsorted, no duplicates */
	size_t n, cap;
	struct mono since; /* when the first event was heard of */
	bool patient;	   /* a push goes on: its plan knows all of this */
	/* of this run, and of those before it since the last commit: what they
	 * asked for is not done yet */
	uint32_t unfinished;
	bool is_all;	    /* no run is unfinished */
	unsigned overtook;  /* pushes, and read-backs before them, in a row */
	unsigned cut_short; /* light sweeps in a row */
	char text[256];	    /* the causes, for the log */
};

/* A switch is to be probed, by its GUID. text: the cause in the log,
 * where that of its table does not say it all; or NULL. */
void dirty_mark(struct sm *sm, uint64_t switch_guid, struct mono now,
	enum dirty_cause cause, const char *text);
/* ... because of a trap: the switch may have been asked after what the trap
 * reports. */
void dirty_mark_reported(
	struct sm *sm, uint64_t guid, struct mono now, const char *text);
/* ... and the tables that are being written already follow from it, as far as
 * is known. */
void dirty_mark_known(
	struct sm *sm, uint64_t guid, struct mono now, const char *text);
/* Everything is to be swept. */
void dirty_mark_full(struct sm *sm, struct mono now, enum dirty_cause cause,
	const char *text);
/* Routes and plan are to be made again from what is known. */
void dirty_mark_replan(struct sm *sm, struct mono now, enum dirty_cause cause,
	const char *text);
/* The marks are the run's from now on. */
void dirty_take(struct sm *sm);
/* Another manager is master: nothing is to be swept or written. What was to be
 * routed anew is so when this one is master again. */
void dirty_forget(struct sm *sm);

#endif
