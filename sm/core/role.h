/*
 * role: the role of this manager: which others outrank it, and what ends when
 * it becomes a standby.
 */
#ifndef HEDDLE_SM_CORE_ROLE_H
#define HEDDLE_SM_CORE_ROLE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/core/peers.h"

struct sm;

/* The manager that this one stands by for, or gives cause to. */
struct mastership {
	struct sm_peer master; /* that this one stands by for */
	unsigned missed;       /* polls in a row */
	struct mono heard;     /* last answer as active master */
	bool poll_open;	       /* a poll is not answered yet */
	uint64_t yield_to;     /* a master that outranks this one */
	uint64_t not_taken;    /* that did not take a hand-over */
	bool paused; /* the daemon was stopped; others are asked first */
};

/* What others may have written while, or before, this manager is master. */
struct reign {
	enum {
		TABLES_OURS,
		TABLES_ELECTED,	  /* elected, and nothing is forgotten yet */
		TABLES_DISTRUSTED /* until LIDs are given */
	} tables;
	bool from_other; /* another manager was known as master */
	bool clean;	 /* ... and handed over: nothing of it is under cause */
	bool elected;	 /* just now: silent managers need not be asked again */
	bool retake; /* the next full sweep reads what a second master wrote */
	bool stood_by;	       /* another manager reigned since */
	bool change_bits_left; /* by the sweep before we became master */
};

enum role_cause { ROLE_OUTRANKED, ROLE_GAVE };
/* True if p outranks this manager. */
bool role_is_below(const struct sm *sm, const struct sm_peer *p);
/* Become a standby of p: what a master does ends. ROLE_GAVE: it was given
 * the fabric. */
void role_stand_by(struct sm *sm, const struct sm_peer *p,
	enum role_cause cause, struct mono now);

#endif
