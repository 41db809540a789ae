/*
 * master: mastership (IBA 14.4.1). After discovery every other SM that was seen
 * is asked for its SMInfo. A master, whatever its priority, or an SM of higher
 * priority (equal: lower GUID) makes us a standby (role.h): nothing is written,
 * a warning is logged, and the master is polled (poll.h). An SM that has handed
 * over to us is not given way to again, although it would outrank us.
 *
 * A master gives way to another master that outranks it and shares its SM_Key.
 * One that does not is not obeyed: an alarm names it. Where another manager is
 * master already, a manager without its key stays standby: it never writes to a
 * fabric of another one.
 *
 * SMInfo requests of other SMs are answered here as well; peers.h knows them.
 */
#ifndef HEDDLE_SM_CORE_MASTER_H
#define HEDDLE_SM_CORE_MASTER_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/core/peers.h"

struct sm;
struct transport_msg;
struct smp;

bool master_begin(struct sm *sm, struct mono now);  /* false: no other SM */
void master_review(struct sm *sm, struct mono now); /* ask the other SMs */
/* Ask the SM at this port at once, if it is one that is known. */
void master_look(struct sm *sm, uint64_t guid, struct mono now);
/* The timer that was due then is served now: if the daemon was stopped
 * meanwhile, the others are asked first. */
void master_paused(struct sm *sm, struct mono due, struct mono now);
/* True if this manager became a standby. */
bool master_between_runs(struct sm *sm, struct mono now);
/* One step of SM_ELECT. */
bool master_step(struct sm *sm, struct mono now);
/* True when it is decided; this manager is a standby then, or elected. */
bool master_elect(struct sm *sm, struct mono now);
void master_become(struct sm *sm, struct mono now); /* elected */
void master_sminfo(struct sm *sm, const struct transport_msg *m,
	const struct smp *s, struct mono now);

#endif
