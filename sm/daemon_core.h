/*
 * daemon_core: what the core asks the daemon for, by struct sm_ops: to compute
 * routes, to save its state, to tell what happened. The core itself does no
 * input and no output (sm/core/sm.h); here is where each of its wishes goes:
 * the worker, the saver, the log, systemd, the clients that wait at the control
 * socket.
 */
#ifndef HEDDLE_SM_DAEMON_CORE_H
#define HEDDLE_SM_DAEMON_CORE_H

#include "sm/daemon.h"

/* Make the core over the open port, with the state of the previous run: d->sm
 * and d->ops. It does not run yet: sm_start. */
void daemon_core_make(struct daemon *d);

#endif
