/*
 * take_over: a standby that takes over serves hosts before it has read the
 * fabric anew, by the view that it has, if a look at every switch and at every
 * port with a LID finds them as in that view:
 *
 * 	STANDBY --> CONFIRM: SwitchInfo and PortInfo asked, election
 * 	              |  all alike, elected: master; the SA has the view;
 * 	              |  ports are told the SM LID
 * 	              v
 * 	            IDLE --> a full run, as after any take-over
 *
 * Nothing else is written before that run: it reads topology and tables itself,
 * and neither its plan nor its proof rests on the view. The view may be wrong
 * only about what no port with a LID shows, for as long as the run takes; a
 * link that failed meanwhile shows in PortStateChange, unless the old master
 * has dealt with it. Whatever differs, or does not answer, leaves everything to
 * the run.
 *
 * Tables that are not known to be safe on one VL, SLs other than 0, and
 * configured service levels need what only the run finds out.
 */
#ifndef HEDDLE_SM_CORE_TAKE_OVER_H
#define HEDDLE_SM_CORE_TAKE_OVER_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"

struct sm;

/* False: nothing is known that hosts could be served by. */
bool take_over_begin(struct sm *sm, struct mono now);
bool take_over_step(struct sm *sm, struct mono now); /* in SM_CONFIRM */
void take_over_free(struct sm *sm);		     /* nothing is in flight */

#endif
