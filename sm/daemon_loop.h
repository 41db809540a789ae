/*
 * daemon_loop: what the loop calls while heddled runs: packets that arrived,
 * the timer of the core, routes that are computed, signals, the watchdog of
 * systemd, and a look at the link of our own port, which no trap reports. Each
 * ends by setting the timer of the core.
 *
 * A port that is lost stops the loop with d->lost set; daemon_run begins anew.
 */
#ifndef HEDDLE_SM_DAEMON_LOOP_H
#define HEDDLE_SM_DAEMON_LOOP_H

#include <stdbool.h>

#include "sm/base/clock.h"
#include "sm/daemon.h"

/* Make the loop, and in it what wakes the core: d->loop, d->inbox, d->tick.
 * False: there is no loop, errno says why. */
bool daemon_loop_make(struct daemon *d);

/* Make the signals, and the timers of the link, of the end and of the
 * watchdog; the latter begins. SIGHUP is left to daemon_config_reload. */
void daemon_loop_watch(struct daemon *d);

/* Look at the link of our own port once a second from now on. */
void daemon_loop_watch_link(struct daemon *d, struct mono now);

/* The ring is no longer empty: called in the receiving thread of sm/transport.
 * cookie: the struct daemon. */
void daemon_loop_wire(void *cookie);

/* The worker has done `work`, a struct sm_work. cookie: the struct daemon. */
void daemon_loop_routed(void *cookie, void *work, struct mono now);

/* Free all that daemon_loop_make and daemon_loop_watch made. */
void daemon_loop_free(struct daemon *d);

#endif
