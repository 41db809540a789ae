/*
 * hand_over: hand-over (IBA 14.4.1): the master gives the fabric to another
 * manager with Set(SMInfo) HANDOVER; the other one answers, becomes master,
 * and sends Set(SMInfo) ACKNOWLEDGE.
 *
 * 	giving	IDLE --HANDOVER--> offered --answer, or ACKNOWLEDGE--> given
 * 		given: a standby that polls often, until the other manager has
 * 		acknowledged or says that it is master; else it takes over again
 *
 * 	taking	HANDOVER --> answered, ACKNOWLEDGE sent --accepted--> taken
 *
 * A HANDOVER is a packet that any host can send in the name of the master. So
 * its receiver sends the acknowledgement by its own directed route to the
 * manager that is named, which refuses it unless it has handed over; until it
 * is accepted nothing changes. OpenSM sends no acknowledgement: it is polled,
 * and says that it is master.
 *
 * The fabric is given to a standby that would outrank this manager and shares
 * its SM_Key; and when this daemon ends, or an administrator says so, to the
 * best standby that shares the key, of any priority. Nothing is written from
 * the offer on, and no Set is under way then. That is said by an activity count
 * of 0, which managers that count what they sent never have: the new master
 * need not wait for late Sets.
 */
#ifndef HEDDLE_SM_CORE_HAND_OVER_H
#define HEDDLE_SM_CORE_HAND_OVER_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/core/peers.h"

struct sm;
struct reason;
struct mad_sm_info;
struct sm_other;

/* hand_over.c */
struct hand_over {
	enum { GIVES_NOTHING, GIVES_OFFERED, GIVES_GIVEN } giving;
	struct sm_peer to; /* ... to this manager */
	struct mono until; /* given: it is to be master by then */
	uint64_t gave;	   /* who took it */
	bool resigning;	   /* to the best standby, whoever outranks */
	char resign_why[64];
	enum {
		TAKES_NOTHING,
		TAKES_OFFERED,	/* a hand-over came in this name ... */
		TAKES_ASKED,	/* ... and is to be confirmed by it */
		TAKES_CONFIRMED /* the old master gave us the fabric */
	} taking;
	uint64_t offered;	    /* ... by this manager */
	bool nothing_in_flight;	    /* ... which says that no Set of its is */
	struct mono distrust_until; /* no further hand-over is looked at */
};

/* Between runs of a master: offer the fabric to a manager that should have it.
 * True: nothing may begin. */
bool hand_over_idle(struct sm *sm, struct mono now);
/* True while an offer is not answered: nothing is written. */
bool hand_over_is_open(const struct sm *sm);
/* Hand over to the best standby, of any priority; why is for the log. False:
 * there is no manager to hand over to. */
bool hand_over_resign(struct sm *sm, const char *why, struct mono now);
/* The manager that would be handed over to now; NULL and why: there is none. */
const struct sm_other *hand_over_choice(
	const struct sm *sm, struct mono now, struct reason *why);
/* A poll of the manager that was given the fabric was answered, or not. False:
 * there is none, this is a usual poll. */
bool hand_over_polled(struct sm *sm, struct mono now);
/* Orders of another manager: the status of the answer. */
uint16_t hand_over_acknowledged(
	struct sm *sm, const struct mad_sm_info *from, struct mono now);
uint16_t hand_over_offered(
	struct sm *sm, const struct mad_sm_info *from, struct mono now);
/* In an election: confirm a hand-over that came during discovery. True: its
 * answer is waited for. */
bool hand_over_confirm(struct sm *sm, struct mono now);
/* Nothing is given or taken any more: what was offered is forgotten. */
void hand_over_reset(struct sm *sm);
/* We are master now. */
void hand_over_taken(struct sm *sm, struct mono now);

#endif
