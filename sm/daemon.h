/*
 * daemon: the one value of a running heddled, and what each of its parts needs.
 *
 * One loop drives the core: messages from the receiving thread's ring, the
 * core's one timer, routes from the worker, signals, the control socket. After
 * each of them daemon_arm_timer() sets that timer anew. The parts, each of
 * which sees struct daemon and none of which keeps anything of its own:
 *
 *	daemon_run	starts and ends all of it, also when the port is lost
 *	daemon_loop	what the loop calls: packets, timers, signals, watchdog
 *	daemon_core	what the core asks for: struct sm_ops
 *	daemon_control	what the control socket asks for: struct ctl_ops
 *	daemon_config	reads the configuration, and reads it again
 *
 * daemon_run calls the others; all call this file; no other calls cross.
 */
#ifndef HEDDLE_SM_DAEMON_H
#define HEDDLE_SM_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/base/clock.h"
#include "sm/base/loop.h"
#include "sm/cabling_watch.h"
#include "sm/core/sm.h"
#include "sm/ctl/ctl.h"
#include "sm/daemon_events.h"
#include "sm/daemon_record.h"
#include "sm/event/event.h"
#include "sm/event_store.h"
#include "sm/options.h"
#include "sm/redundancy_worker.h"
#include "sm/report/status_json.h"
#include "sm/state/saver.h"
#include "sm/transport/umad.h"
#include "sm/worker.h"

struct daemon {
	const struct options *opt;
	struct config *config; /* in force */
	struct config *boot; /* as it was at the start: source of the keys that
				need a restart */
	struct loop *loop;
	struct loop_timer *tick;
	struct loop_timer *watchdog;
	struct loop_timer *look;     /* reads the link of our own port */
	struct loop_timer *reopen;   /* tries to open the port */
	struct loop_timer *farewell; /* the daemon ends: hands over first */
	struct mono end_by;	     /* 0: it does not end */
	struct mono reopen_wait;
	char spec[64]; /* the port to open: as configured, or the lost one */
	bool lost;     /* the port is gone: begin anew */
	int link;      /* when it was read last; -1: unknown */
	struct loop_wake *inbox;
	struct loop_signal *signal[3];
	struct umad *umad;
	struct worker *worker;
	struct redundancy_worker *counter;
	struct saver *saver;
	struct event_store *events;
	struct cabling_watch *cabling;
	struct daemon_events *own;    /* what the daemon tells of itself */
	uint64_t last_event;	      /* its number */
	struct daemon_record *record; /* or NULL */
	struct sm_ops ops;	      /* lent to the core */
	struct sm *sm;
	struct ctl *ctl;
	struct umad_port_name port;
	struct status_daemon facts;
	struct status_control control;
	struct mono watchdog_half;
	uint64_t watchdog_answered, watchdog_sent; /* when last fed */
	struct mono told; /* when the view was made that was logged last */
	bool ready;	  /* systemd has been told that we are up */
	int exit_code;
};

/* What a status is made of, in *f; it borrows from d and *sm. Without a core:
 * an alarm that says which port is missing. */
void daemon_gather_status(
	struct daemon *d, struct sm_status *sm, struct status_facts *f);

/* Set the timer of the core; nothing without a core. Also tell systemd, once,
 * that heddled is ready: the master of the fabric is decided, or a first run
 * is over. */
void daemon_arm_timer(struct daemon *d);

/* Store and log an event of the fabric or of this daemon, which is lent.
 * cookie: the struct daemon. The number of the event. */
uint64_t daemon_tell(void *cookie, const struct event *e);

/* Whether views may be released: the worker owns the pool of their tables
 * while it computes. cookie: the struct daemon. */
bool daemon_may_release(void *cookie);

/* Seconds since 1970, by the clock of the machine. */
double daemon_wall_time(void);

#endif
