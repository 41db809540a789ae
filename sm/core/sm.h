/*
 * sm: the subnet manager as a state machine without I/O.
 *
 * Events come in with the time as an argument (a message, a timer, routes that
 * are ready, a command, a new configuration); what leaves goes through the
 * transport and the ops below. In production sm/daemon.h drives it from one
 * libev loop, with routing and planning in a worker thread; under test the
 * simulator drives the same code on a virtual clock.
 *
 *            start, trap, light sweep, command: only mark what is dirty
 *                                  |
 *                        hold-down | timer
 *                                  v
 *   IDLE --> DISCOVER --> ELECT --> TAKE --> READBACK --> ROUTE --> PUSH
 *    ^ |     full/probe     |       (LIDs)                            |
 *    | |     /light         v                                         v
 *    | |     CONFIRM <-- STANDBY (polls the master)               COMMIT
 *    | |        |                                                     |
 *    | +--> NAMES, CHECK: a moment after a run                        |
 *    +----------+-----------------------------------------------------+
 *
 * Phases never nest: what becomes dirty during one waits for the next run. IBA
 * volume 1, chapter 14.4 (SM state machine 14.4.1).
 *
 * To read the core: sm_priv.h lists its files from the top down; sm.c has the
 * events, idle.c what begins, run.c a run from phase to phase, commit.c its
 * end.
 *
 * Folder sm/core: events with their time -> runs of the pipeline -> messages, a
 * view, texts for the log. Callers: sm/daemon.h, and tests/sim in its place.
 * Read next: sm/core/sm_priv.h, then sm/core/run.c.
 */
#ifndef HEDDLE_SM_CORE_SM_H
#define HEDDLE_SM_CORE_SM_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/base/clock.h"
#include "sm/event/event.h"
#include "sm/health/link_verdict.h"
#include "sm/health/link_watch.h"
#include "sm/report/sm_status.h"
#include "sm/state/state_file.h"
#include "sm/transport/transport.h"
#include "sm/transport/xact.h"
#include "sm/view/view.h"

struct sm;
struct drains;
struct mcast_tree;
struct sm_work; /* routing and planning, on the way to and from the worker */

struct sm_input; /* sm/core/sm_input.h */

struct sm_ops {
	void *cookie;
	/* An event came in, and is about to be acted on; NULL: not wanted. */
	void (*input)(void *cookie, const struct sm_input *in);
	/*
	 * Have work_run(w) called, here or in another thread, then
	 * sm_routed(sm, w, now) in the core's thread. Never more than one.
	 */
	void (*route)(void *cookie, struct sm_work *w);
	/* Save this state; it is valid during the call. at_once: when this
	 * returns, it survives the end of the daemon. */
	void (*save)(void *cookie, const struct state_file *s, bool at_once);
	/* Tables of switches are about to be written; or no Set can be under
	 * way any more. The next start must know. */
	void (*writing)(void *cookie, bool on);
	/* The state that sm_new was given is of another fabric and is not used:
	 * keep the file for its owner. Called before any save. */
	void (*set_aside)(void *cookie, const char *why);
	/* The configuration that sm_new was given would take too much from the
	 * ports of the fabric: c, what was in force before the start, stays in
	 * force, and why. */
	void (*kept)(void *cookie, struct config *c, const char *why);
	/* A view was committed (pin it with view_ref to keep it). */
	void (*committed)(void *cookie, struct view *v);
	/* A standby has read the fabric anew: another view than before. */
	void (*read)(void *cookie, struct view *v);
	/*
	 * A run is over: ok when the fabric is verified and acknowledged;
	 * otherwise why not. Called after every run; with --once, the program
	 * ends.
	 */
	void (*finished)(void *cookie, bool ok, const char *why);
	/* We are a standby, and why. A run that ends so has not failed; with
	 * --once, the program ends. */
	void (*stood_by)(void *cookie, const char *why);
	/* Something happened that an administrator should hear of; e is used
	 * during the call only. The number that it gets, not 0. */
	uint64_t (*event)(void *cookie, const struct event *e);
	/* Seconds since 1970, for records; may be NULL. */
	uint64_t (*seconds)(void *cookie);
	/* Raise or clear IsSM on our port. */
	void (*set_issm)(void *cookie, bool on);
};

/* c and state are copied as far as they are needed; ops is borrowed. */
struct sm *sm_new(struct config *c, const struct state_file *state,
	struct transport *t, const struct sm_ops *ops, uint64_t port_guid);

/* Only when no worker runs a job of it any more. NULL allowed. */
void sm_free(struct sm *sm);

/* Begin: sweep the fabric and become master unless another SM is. */
void sm_start(struct sm *sm, struct mono now);

/*
 * The daemon is about to end: hand the fabric over to the best standby. False:
 * there is none. Else drive the core on while hand_over_is_pending is true, for
 * at most a few seconds.
 */
bool sm_resign(struct sm *sm, struct mono now);
bool hand_over_is_pending(const struct sm *sm);

/* Whether hosts get path records: there is a view, and no port is down for a
 * change. */
bool sm_gives_paths(const struct sm *sm);

/*
 * Hand the fabric over to the best standby, and go on as a standby of it; cause
 * is for the log. *to: that standby. -1 and why: there is none, or this is not
 * the master.
 */
int sm_hand_over(struct sm *sm, const char *cause, struct mono now,
	struct sm_other *to, struct reason *why);

/* Save what waits to be saved: the daemon ends. */
void sm_save(struct sm *sm);

/* A message arrived. */
void sm_receive(struct sm *sm, const struct transport_msg *m, struct mono now);

/* When sm_tick is to be called next (MONO_NEVER: no timer). */
struct mono sm_next(const struct sm *sm);
void sm_tick(struct sm *sm, struct mono now);

/* Route and plan: work_run is the pure part, in any thread; sm_routed hands it
 * back. */
void work_run(struct sm_work *w);
void sm_routed(struct sm *sm, struct sm_work *w, struct mono now);

/* Whether the present fabric can have what c asks for: 0, or -1 with why where
 * c says that a shortage of VLs is to be refused, or takes more from ports than
 * c accepts (sm/policy/config_loss.h). */
int sm_accepts_config(
	const struct sm *sm, struct config *c, struct reason *why);

/* Take a new configuration, which differs from the present one by ch; a run
 * follows where that changes tables. */
void sm_reconfigure(struct sm *sm, struct config *c,
	const struct config_changes *ch, struct mono now);

/* The link of our own port came up, or went down: an alarm while it is down,
 * and a sweep. A standby notices by its polls. */
void sm_own_link(struct sm *sm, bool up, struct mono now);

/* How many events there were, and what is missing; the core's. */
struct event_log *sm_events(const struct sm *sm);

/* True while names of nodes are read, or about to be. */
bool sm_reads_names(const struct sm *sm);

/* An administrator accepts that nothing is missing. */
void sm_missing_accept(struct sm *sm, struct mono now);

/* The names of members as they are resolved; NULL where nodes are trusted, or
 * there are no names. The core's. */
const struct name_pins *sm_names(const struct sm *sm);

/* An administrator accepts what names of members match now. */
void sm_names_accept(struct sm *sm, struct mono now, const char *cause);

/*
 * Drain a switch, or a link between switches: no route shall lead over it, so
 * that it can be pulled. The run that follows sees to it; sm_drains tells when
 * it is done. by: who asks, "root (uid 0)"; reason: or "". 0 and in *generation
 * the first view that can know of it (0: this is a standby, which keeps it for
 * when it is master); -1 and why not.
 */
struct sm_drain {
	uint64_t guid;	      /* of the switch */
	unsigned port;	      /* 0: the whole switch */
	struct mono duration; /* MONO_NEVER: until it is taken back */
	bool force;	      /* even if that cuts hosts off */
	const char *by, *reason;
};
int sm_drain(struct sm *sm, const struct sm_drain *ask, struct mono now,
	uint32_t *generation, struct reason *why);

/* Take the drain of exactly this switch or port back, as sm_drain. */
struct sm_undrain {
	uint64_t guid;
	unsigned port;
	const char *by;
};
int sm_undrain(struct sm *sm, const struct sm_undrain *ask, struct mono now,
	uint32_t *generation, struct reason *why);

/* What is drained; the core's. */
const struct drains *sm_drains(const struct sm *sm);

/* Ask for a full sweep, as soon as the current run is over. */
void sm_resweep(struct sm *sm, struct mono now, const char *cause);

/* Ask for tables as a fresh computation gives them, whatever is in force;
 * planned, verified and staged as any others. */
void sm_rebalance(struct sm *sm, struct mono now, const char *cause);

/* Append what is remembered of the fabric, as in the state file, without the
 * records of subnet administration and the configuration. */
void state_keep_print(const struct sm *sm, struct buf *out);

/* The committed view, or what a standby reads of the fabric; NULL before the
 * first one. Not pinned. */
struct view *sm_view(const struct sm *sm);

/* Subnet administration, read only. */
const struct sa *sm_sa(const struct sm *sm);

/* The health of links, read only, and what is called bad of them. */
const struct health *sm_health(const struct sm *sm);
struct link_limits sm_link_limits(const struct sm *sm);
/* What is known of links that are bad, or were; the core's. */
const struct link_watches *sm_link_watches(const struct sm *sm);

/* The trees of multicast groups by MLID, from 0xc000 on; NULL: no tree. */
const struct mcast_tree *const *run_mcast_trees(const struct sm *sm);

/* The present state, by value. */
void sm_status(const struct sm *sm, struct sm_status *out);
const struct xact_stats *sm_xact_stats(const struct sm *sm);

#endif
