/*
 * The inside of the core; no other file of the product includes it. A function
 * is named for the file that it is in:
 *
 *	sm.c		events in, dispatch to the current phase, status out
 *	phase.c		the phase, and what readers see
 *	dirty.c		what waits for the next run
 *	wire.c		the transactions, and answers that are late
 *	in_flight.c	what may still be on its way
 *	retry.c		nodes that are asked again
 *	idle.c		what begins between runs
 *	run.c		a run, phase by phase: discovery to commit
 *	run_state.c	what it holds
 *	run_sweep.c	its sweep
 *	work.c		routes and plan, made by the worker
 *	run_push.c	the push
 *	run_check.c	what is read back after it
 *	run_adaptive.c	adaptive routing that another manager left on
 *	run_pkeys.c	P_Key tables in a run
 *	run_qos.c	service levels in a run
 *	run_settings.c	ports that keep settings of their own
 *	run_mcast.c	multicast trees and their tables
 *	run_sa.c	subnet administration, and hosts that register anew
 *	name_accept.c	names of members, as an administrator accepted them
 *	group_keep.c	multicast groups that are configured or were saved
 *	commit.c	the end of a run: view, retries, log
 *	state_keep.c	what outlives the process
 *	in_force.c	the configuration in force, and what another one takes
 *	events.c	what happened to the fabric, for an administrator
 *	light_sweep.c	the light sweep between runs
 *	master.c	mastership: election, SMInfo
 *	role.c		rank, and becoming a standby
 *	poll.c		a standby asks its master, and takes over
 *	standby.c	what a standby reads of the fabric
 *	take_over.c	a standby becomes master, and serves hosts at once
 *	hand_over.c	mastership that is given to another manager, or taken
 *	peers.c		the other managers: what they answer, their SM_Keys
 *	m_keys.c	leases of M_Keys, and ports with an unknown one
 *	trap.c		traps: what they mark dirty
 *	trap_filter.c	which traps are acted on
 *	trap_fault.c	traps about faults: counted and logged
 *	quarantine.c	switches excluded from transit
 *	blocked.c	blocked (in-port, out-port) pairs across restarts
 *	drift.c		device state that another manager changed
 *	drift_sl2vl.c	pairs that another manager left blocked
 */
#ifndef HEDDLE_SM_CORE_SM_PRIV_H
#define HEDDLE_SM_CORE_SM_PRIV_H

#include "discovery/builder/builder.h"
#include "discovery/sweep/path_probe.h"
#include "discovery/sweep/sweep.h"
#include "distribution/device/device_check.h"
#include "distribution/device/device_store.h"
#include "distribution/device/foreign_adaptive.h"
#include "distribution/device/lft_read.h"
#include "distribution/device/pkey_read.h"
#include "distribution/device/sl2vl_scan.h"
#include "distribution/plan/plan.h"
#include "distribution/push/push.h"
#include "distribution/transition/transition.h"
#include "routing/core/lid.h"
#include "routing/driver/compute.h"
#include "routing/mcast/mcast.h"
#include "sm/base/log.h"
#include "sm/base/map.h"
#include "sm/core/sm.h"
#include "sm/core/timers.h"
#include "sm/core/trap_filter.h"
#include "sm/policy/pkeys.h"
#include "sm/policy/qos.h"
#include "sm/policy/roles.h"
#include "sm/sa/sa.h"
#include "sm/view/event_log.h"
#include "sm/view/view_slvl.h"

/* The request to a host to register anew: sent, or to be sent. */
enum sm_rereg { SM_TOLD, SM_TO_TELL };

/* A switch to probe. */
struct sm_suspect {
	uint64_t guid;
	bool told; /* a trap reported it, and nothing else did */
};

/* Registrations of hosts change often, and hosts repeat them after a crash: a
 * storm of joins is one save in this time. */
enum { SAVE_MS = 1000 };

/* Light sweeps and probes for traps about unknown LIDs: one in this time. */
enum { STRANGER_MS = 5000 };

/*
 * Why there is a run. A run has a set of them (1U << cause); dirty.c has their
 * texts for the log, which nothing compares.
 */
enum dirty_cause {
	DIRTY_START,
	DIRTY_REQUEST,	 /* a sweep was asked for */
	DIRTY_CONFIG,	 /* an option that routes depend on was changed */
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
	DIRTY_LATE_COPY,
	DIRTY_UNTRUE,
	DIRTY_MCAST,
	DIRTY_M_KEY,
	DIRTY_UNLOCKED,
	DIRTY_CAUSES,
};

/* What waits for the next run. Events only mark; a timer starts the run. */
struct sm_dirty {
	uint32_t causes;
	bool full;   /* sweep everything */
	bool replan; /* route and plan again without asking the fabric */
	struct sm_suspect *who; /* unsorted, no duplicates */
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

/* A switch that refused its tables: excluded from transit until a time, then
 * tried again. */
struct sm_quarantined {
	uint64_t guid;
	struct mono until;
	struct mono wait; /* doubles each time; 0: never excluded yet */
	unsigned lies;	  /* blocks it acknowledged and did not hold */
	struct mono lied; /* the last of them */
	unsigned silent;  /* pushes in a row that it did not answer */
	bool locked;	  /* until its M_Key is known */
	char why[128];	  /* for the last exclusion */
};

/* SMInfo: states, and the orders of a Set. */
enum { SMI_NOT_ACTIVE, SMI_DISCOVERING, SMI_STANDBY, SMI_MASTER };
enum { SMI_HANDOVER = 1, SMI_ACKNOWLEDGE = 2 };

/* Whether another SM shows our SM_Key; UNSEEN: it shows none, and was not shown
 * ours. */
enum sm_peer_key { SM_KEY_UNSEEN, SM_KEY_SHARED, SM_KEY_OTHER };

/* Another SM: what it answered, and its path. */
struct sm_peer {
	struct sm_other id;
	uint64_t node_guid;
	uint64_t sma;	/* topo_sma_guid of its port */
	uint64_t alias; /* a GUID that is not the port's, in its answer */
	enum sm_peer_key key;
	bool showed; /* our SM_Key was in the question */
	bool silent; /* the last question was not answered */
	bool met;    /* it was master, and so were we */
	bool noted;  /* logged: it is not handed over to */
	uint32_t act_count;
	struct mono looked;	 /* when it was asked out of turn */
	struct mono offer_after; /* no hand-over to it before ... */
	struct mono back_after;	 /* ... nor without need: it handed over */
	uint8_t hops;
	uint8_t path[64];
};

/* A view that is released when the worker has ended. */
struct sm_pending_view {
	struct view *view;
};

/* Drift detection; drift.c. */
struct drift_state {
	uint32_t turn, round; /* the switch, and the block, to sample next */
	uint32_t port_turn;   /* the port, by topo.by_pguid, to sample next */
	bool all;	      /* sample every switch after this push */
	bool again;	      /* read all blocks after the next light sweep */
	bool left_so;	      /* a repair waits for its time */
	bool left_ports;      /* among what waits are ports of hosts */
	unsigned found;	      /* differences in this check ... */
	bool tables;	      /* ... of switches among them */
	unsigned times, switches;
	struct mono altered, wait, wait_until;
	struct map flaws;	       /* (node, port) -> how often it failed */
	struct device_check_item flaw; /* the port of the alarm; guid 0: none */
	struct mono flawed;
	bool master_seen; /* in this round of SMInfo questions */
	unsigned masters; /* rounds in a row */
};

/* What a standby reads; standby.c. */
enum {
	STANDBY_TURNS = 8,  /* readings in which every table is read */
	STANDBY_WINDOW = 8, /* requests in flight */
};

struct standby_state {
	enum {
		STANDBY_RESTS,
		STANDBY_SWEEPS,
		STANDBY_NAMES,
		STANDBY_READS,
		STANDBY_JUDGES
	} step;
	struct view *view; /* of the last one, or NULL */
	struct device_store *hw;
	unsigned turn;
	struct mono read_at[STANDBY_TURNS]; /* when its switches were read */
	/* the reading in progress */
	struct mono began, swept, tables; /* ... and when a part was done */
	uint64_t sent_before, reads;
	bool all; /* all tables are read */
	struct builder *draft;
	struct sweep *sweep;
	struct topo *topo; /* with the LIDs that ports hold */
	struct pkeys *pkeys;
	struct lft_read *lft;
	struct pkey_read *keys;
	struct take_over *take_over; /* in SM_CONFIRM */
};

/* Ports that keep settings of their own: the first, and how many there are. */
struct sm_settings {
	uint64_t guid;
	uint8_t port;
	uint32_t ports;
	char what[256];
};

/* Requests that renew the leases of M_Keys; m_keys.c. */
struct leases {
	struct mono asked; /* when the last was due */
	port_ix next;
	uint32_t generation, ports; /* of the view, which has so many ports */
	struct mono began; /* the round of requests; 0: there is none */
	uint32_t pending;  /* without an answer */
	bool late;	   /* the last round took longer than a lease */
};

/* The configuration in force; in_force.c. */
struct in_force {
	struct config *was;	 /* before the start, until it is settled */
	struct buf text;	 /* of it, or of ... */
	const struct config *of; /* ... the present one; NULL: to be printed */
};

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
	bool new_duplicates;	  /* it met new nodes with one GUID */
	bool cut_short;		  /* a light sweep that was ended early */
	/* what is under way, one after the other */
	struct sweep *sweep;
	struct lft_read *readback;
	struct pkey_read *pkey_read;
	struct foreign_adaptive *adaptive;
	struct push *push;
	/* what it has made so far */
	struct topo *topo;	   /* with LIDs, from SM_TAKE on */
	struct topo *topo_written; /* ports as after the push, or NULL */
	struct pkeys *pkeys;	   /* that the ports of topo shall have */
	struct routes *routes;	   /* not yet acknowledged */
	struct route_account story;
	struct qos *qos;   /* of these routes */
	struct plan *plan; /* ... and the way to them */
	struct view_change change;
	enum { COMMIT_SETTLE, COMMIT_REFRESH, COMMIT_PUBLISH } commit_step;
	bool publish; /* it ends in a new view */
};

/* The worker, and what waits until it has ended: views that the SA released
 * while it owned the pool of tables. */
struct worker {
	struct sm_work *work; /* its job, or NULL */
	struct sm_pending_view *pending;
	size_t npending, cap;
};

/* Nodes that are asked again; retry.c. */
struct retry {
	uint64_t *guid; /* 0: a full sweep */
	size_t n, cap;
	struct map listed; /* by GUID the run that last listed it */
	uint32_t number;   /* of this run */
	bool fresh;	   /* one of them was not listed by the last run */
	struct mono wait;
	/* switches to read again, as nothing may report that they changed */
	uint64_t *recheck;
	size_t nrecheck, cap_recheck;
};

/* What is read back; run_check.c. */
struct check_state {
	struct check *reading;
	struct device_check_item *sample; /* what the next check reads */
	size_t nsample, capsample;
	struct map self_caused; /* switches whose ports our plan takes down */
	bool self_caused_trap_seen; /* a trap of one of them was not acted on */
	bool keys_due;		    /* the next check reads P_Key tables */
	port_ix pkey_next;	    /* ... from this port on */
};

/* in_flight.c */
struct in_flight {
	bool recorded; /* the next start finds the mark of a push */
	bool previous_blocks_unknown; /* pairs may be blocked unrecorded */
	struct mono late_sets_until;  /* late Sets may arrive; or MONO_NEVER */
	struct mono adaptive_off_at;  /* adaptive routing was switched off; or
					 MONO_NEVER */
};

/* Kept from run to run, and over a restart; state_keep.c. */
struct kept {
	struct lid_record *record;
	size_t nrecord;
	char lid_conflict[256]; /* as it was logged */
	struct route_rank *rank;
	size_t nrank;
	enum route_order rank_order;
	bool rank_known;
	bool order_outdated; /* another manager has reigned since the view, or
				what is noted of it: tables in switches count */
	struct topo_class reading;
	uint64_t routed, load, sftree_root; /* as in struct state_file */
	struct map saved_pkeys; /* port GUID -> enum state_file_pkeys, of its
				   P_Key table */
	uint64_t keys_stamp;	/* of the tables when they were last settled */
};

/* name_accept.c */
struct names {
	struct name_pins *pins; /* NULL: there are none, or names are trusted */
	struct map told;	/* what waits and was told */
};

struct quarantine {
	struct sm_quarantined *list;
	size_t n, cap;
};

/* Pairs that others left blocked; drift_sl2vl.c. */
struct foreign_blocks {
	struct sl2vl_scan *scan;
	size_t nleft_closed; /* found, and not planned for yet */
};

/* Ports that have settings of their own, and that lack needed ones. */
struct settings {
	struct sm_settings own, lacking;
};

/* Why there are so few layers, and where they share VLs, as it was logged. */
struct layers_logged {
	char few[VIEW_SLVL_SHORT], shared[VIEW_SLVL_SHORT];
};

/* events.c */
struct events {
	struct event_log *log;
	uint64_t missing_saved;	 /* event_log_stamp of what is saved */
	struct topo *seen;	 /* before our own link went down, or NULL */
	struct topo_event *held; /* they wait for names */
	size_t nheld, cap_held;
};

/* peers.c */
struct peers {
	struct sm_peer *list;
	size_t n, cap;
	unsigned asked; /* SMInfo questions without an answer yet */
	uint32_t round;
	struct map key_shown;	/* port GUIDs that have shown our SM_Key */
	struct map once_master; /* port GUIDs of managers stood by for */
};

/* master.c, role.c, poll.c */
struct mastership {
	struct sm_peer master; /* that this one stands by for */
	unsigned missed;       /* polls in a row */
	struct mono heard;     /* last answer as active master */
	bool poll_open;	       /* a poll is not answered yet */
	uint64_t yield_to;     /* a master that outranks this one */
	uint64_t not_taken;    /* that did not take a hand-over */
	bool paused; /* the daemon was stopped; others are asked first */
};

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
	bool none_under_way;	    /* ... which says that no Set of its is */
	struct mono distrust_until; /* no further hand-over is looked at */
};

/* Since we are master: what others may have written. */
struct reign {
	enum {
		TABLES_OURS,
		TABLES_ELECTED,	  /* elected, and nothing is forgotten yet */
		TABLES_DISTRUSTED /* until LIDs are given */
	} tables;
	bool from_other; /* another manager was known as master */
	bool clean;	 /* ... and handed over: nothing of it is under way */
	bool elected;	 /* just now: silent managers need not be asked again */
	bool retake; /* the next full sweep reads what a second master wrote */
	bool stood_by;	       /* another manager reigned since */
	bool change_bits_left; /* by the sweep before we became master */
};

/* Subnet administration in the core; run_sa.c. */
struct hosts {
	struct sa_ops ops; /* lent to the SA */
	struct view *view; /* that the SA has; only compared */
	char *kept;	   /* records of the previous run, until the start */
	uint64_t away;
	struct map rereg;   /* hosts to register anew, by GUID: enum sm_rereg */
	port_ix rereg_next; /* the port of the view that is asked next */
};

struct traps {
	struct trap_filter *filter;
	struct mono stranger_next; /* not before: a light sweep, or probe, for a
				      trap about an unknown LID */
	struct log_limit noise, fault_noise;
};

struct sm {
	/* given */
	struct config *cfg;
	struct transport *t;
	const struct sm_ops *ops;
	uint64_t port_guid;

	/* tools */
	struct xact *x;
	struct path_probe *scout;
	struct builder *draft;
	struct lft_pool *pool;
	struct device_store *hw;
	struct sl_history *sl_history; /* outlives views: connections do */

	/* the machine */
	enum sm_phase phase;
	enum sm_role role;
	uint32_t generation;
	struct mono now; /* of the present event */
	struct timers timers;
	struct sm_dirty dirty;
	struct run run;
	struct worker worker;
	struct view *view; /* in force */

	/* what modules keep from run to run */
	struct kept kept;
	struct in_force in_force;
	struct names names;
	struct retry retry;
	struct check_state check;
	struct in_flight in_flight;
	struct quarantine quarantine;
	struct drift_state drift;
	struct foreign_blocks foreign;
	struct leases leases;
	struct settings settings;
	struct layers_logged layers;
	struct events events;
	struct sa *sa;
	struct hosts hosts;
	struct sm_mcast *mcast;
	struct traps traps;

	/* mastership */
	struct peers peers;
	struct mastership mastership;
	struct hand_over hand_over;
	struct reign reign;
	struct standby_state standby;

	struct sm_status stat;
};

/* run.c: the marks become a run. */
void run_start(struct sm *sm, struct mono now);
/* One step of a phase; true when the phase changed. */
bool run_discover(struct sm *sm, struct mono now);
/* Discovery is over and we are master: assign LIDs and go on. */
bool run_assign_lids(struct sm *sm, struct mono now);
bool run_readback(struct sm *sm, struct mono now);
bool run_push(struct sm *sm, struct mono now);
bool run_commit(struct sm *sm, struct mono now);
bool run_names(struct sm *sm, struct mono now);
/* The worker is done. */
void run_routed(struct sm *sm, struct sm_work *w, struct mono now);

/*
 * Our own link is down. It may come back before other switches, which the open
 * requests were not meant for, Sets among them: they are given up, and no more
 * of them are sent. A sweep that was cut short says nothing: it is dropped.
 */
void run_link_lost(struct sm *sm, struct mono now);

/* run_state.c: a run begins; what it has made is given up; the core ends. */
void run_state_begin(struct sm *sm, struct mono now, enum sweep_kind kind);
void run_state_discard(struct sm *sm);
void run_state_free(struct sm *sm);

/* run_sweep.c */
void run_sweep_start(struct sm *sm, struct mono now, enum sweep_kind kind);
/* Of these switches, or of those that are marked. */
void run_sweep_probe(
	struct sm *sm, struct mono now, const uint64_t *guid, size_t n);
void run_sweep_suspects(struct sm *sm, struct mono now);

/* light_sweep.c */
void light_sweep_start(struct sm *sm, struct mono now);
/* True if it has waited for other runs for a whole interval. */
bool light_sweep_is_overdue(const struct sm *sm, struct mono now);
/* When one that only waits for silent switches is to end early. */
struct mono light_sweep_until(const struct sm *sm);
void light_sweep_end(struct sm *sm, struct mono now);
/* Due an interval from now. */
void light_sweep_schedule(struct sm *sm, struct mono now);

/* idle.c */
bool idle_step(struct sm *sm, struct mono now); /* SM_IDLE */

/* work.c */
/* True if nothing that routing depends on has changed: the routes in force
 * stay. */
bool work_is_same_fabric(const struct sm *sm);
/* Hand sm->topo to the worker, for routes and plan. */
void work_start(struct sm *sm, struct mono now);
/* The tables that hw knows of the switches of t, as routes; have the worker
 * judge such routes, which takes them over. */
struct routes *work_found(
	const struct sm *sm, struct topo *t, const struct device_store *hw);
void work_judge(struct sm *sm, struct routes *found);
/* The worker is done. What it judged, which stays its own; or NULL. */
struct routes *work_judged(const struct sm_work *w);
/* ... its routes and plan are the run's. False: there are none, and why. */
bool work_take(struct sm *sm, struct sm_work *w, struct reason *why);
/* Free a job, its result included; NULL allowed. In the core's thread. */
void work_free(struct sm_work *w);

/* run_check.c */
void run_check_free(struct sm *sm);
void run_check_schedule(struct sm *sm, struct mono now); /* a push is over */
/* False: there is nothing to check. */
bool run_check_begin(struct sm *sm, struct mono now);
bool run_check_step(struct sm *sm, struct mono now); /* SM_CHECK */

/* run_push.c */

/* Push sm->plan, for sm->routes. */
void run_push_start(struct sm *sm, struct mono now);
struct mono run_push_next(const struct sm *sm);
/* True if the fabric has changed since this run began, so that its push would
 * write tables of a fabric that is no more; not for ever, or a port that flaps
 * would keep the tables from ever arriving. */
bool run_push_is_overtaken(const struct sm *sm, struct mono now);
void run_push_watch(struct sm *sm, struct mono now); /* stop it if overtaken */
void run_push_finish(struct sm *sm, struct mono now);
const char *run_push_writes(const struct sm *sm); /* name of its phase */
/* True if a trap from this switch is caused by our own plan. */
bool run_push_caused(struct sm *sm, uint64_t guid);
/* We became master of sm->topo: the manager before may have written anything,
 * and given out any SL. */
void run_push_forget(struct sm *sm);

/* blocked.c */
void blocked_load(struct sm *sm, const struct state_file *s);
void blocked_start(struct sm *sm, struct mono now);
/* Seconds for which it has been blocked. */
uint64_t blocked_age(const struct sm *sm, const struct sl2vl_block *h);
/* When the first will have been blocked for too long; then raise the alarm. */
struct mono blocked_next(const struct sm *sm);
void blocked_watch(struct sm *sm, struct mono now);
void blocked_review(struct sm *sm, struct mono now); /* after a check */

/* drift_sl2vl.c */
void drift_sl2vl_forget(struct sm *sm, bool hurry); /* all rows are unknown */
void drift_sl2vl_publish(struct sm *sm, struct mono now); /* a run is over */
void drift_sl2vl_renew(struct sm *sm, struct mono now);	  /* another view */
struct mono drift_sl2vl_next(const struct sm *sm);
void drift_sl2vl_step(struct sm *sm, struct mono now);

/* quarantine.c: what failures of a push lead to, worst last. */
enum sm_verdict {
	SM_WRITTEN,
	SM_PLAN_AGAIN,
	SM_PROBE_FIRST, /* read what is marked dirty first */
	SM_SWEEP_AGAIN
};
enum sm_verdict quarantine_failures(struct sm *sm, struct mono now);
struct sm_quarantined *quarantine_find(
	struct sm *sm, uint64_t guid);		       /* or NULL */
void quarantine_apply(struct sm *sm, struct mono now); /* before a freeze */
/* M_Keys became known: switches that were locked are probed. */
void quarantine_unlock(struct sm *sm, struct mono now);
void quarantine_release(struct sm *sm); /* forgets silence, after a good push */
/* A node acknowledged a block and holds another. */
void quarantine_for_disobedience(
	struct sm *sm, const struct device_check_item *i, struct mono now);

/* drift.c */
/* Have this read by the next check. */
void drift_sample(struct sm *sm, const struct device_check_item *i);
void drift_light(struct sm *sm, struct mono now); /* sample some in rotation */
/* Add one block and port 0 of every switch, if a full check is due. */
void drift_sample_all(struct sm *sm, const struct topo *t);
/* A check is over: act on what differs. */
void drift_checked(struct sm *sm, struct mono now);
/* Port p of the view acknowledges an attribute and does not hold it. It is
 * asked and written again. */
void drift_port_disobeys(
	struct sm *sm, port_ix p, uint16_t attr, struct mono now);
/* Other SMs are about to be asked for their SMInfo; one of them is a master
 * that we outrank. */
void drift_review(struct sm *sm);
void drift_other_master(struct sm *sm, const struct sm_peer *p);
/* Another SM is master, or the core ends. */
void drift_reset(struct sm *sm);

/* state_keep.c */
void state_keep_free(struct sm *sm);
void state_keep_load(struct sm *sm, const struct state_file *s);
/* Set the state file aside, whose records are loaded, if it is of another
 * fabric. */
void state_keep_check(struct sm *sm);
/* The switch order of the routes that are in force from now on. */
void state_keep_routes(struct sm *sm, const struct routes *r);
/* Save what must survive a restart; at_once: it does when this returns. Modules
 * below have it saved by TIMER_SAVE. */
void state_keep_save(struct sm *sm, bool at_once);
struct mono state_keep_next(const struct sm *sm);
void state_keep_step(struct sm *sm, struct mono now); /* if it is time */

/* commit.c: swap the view and call the ops. */
void commit_run(struct sm *sm, struct mono now);
void commit_schedule(struct sm *sm, struct mono now);
/* Report that a run is over, and what is not as it should be. */
void commit_log_run(struct sm *sm);

/* events.c: what led from sm->view to the view that replaces it. */
void events_note(struct sm *sm, const struct view *is, struct mono now);
/* Names were read: the events that waited for them. */
void events_release(struct sm *sm, struct mono now);
/* One more of them. */
/* What is missing, over a restart. */
void events_load(struct sm *sm, const struct state_file *s);
void events_start(struct sm *sm, struct mono now);
/* The caller frees the result. */
struct state_file_missing *events_gather(
	const struct sm *sm, struct state_file *s);
void events_free(struct sm *sm);
void events_accept(struct sm *sm, struct mono now);
void events_log(struct sm *sm, const struct topo_event *e, struct mono now);
/* Another manager came, or left. */
void events_manager(
	struct sm *sm, const struct sm_peer *p, bool seen, struct mono now);
/* t with the port states and names known by now, or NULL. */
struct topo *commit_refresh(struct sm *sm, const struct topo *t);

/* master.c */
bool master_begin(struct sm *sm, struct mono now);  /* false: no other SM */
void master_review(struct sm *sm, struct mono now); /* ask the other SMs */
/* Ask the SM at this port at once, if it is one that is known. */
void master_look(struct sm *sm, uint64_t guid, struct mono now);
/* The timer that was due then is served now: if the daemon was stopped
 * meanwhile, the others are asked first. */
void master_paused(struct sm *sm, struct mono due, struct mono now);
/* True if this manager became a standby. */
bool master_between_runs(struct sm *sm, struct mono now);
bool master_step(struct sm *sm, struct mono now);
/* True when it is decided; this manager is a standby then, or elected. */
bool master_elect(struct sm *sm, struct mono now);
void master_become(struct sm *sm, struct mono now); /* elected */
void master_sminfo(struct sm *sm, const struct transport_msg *m,
	const struct smp *s, struct mono now);

/* role.c */
enum role_way { ROLE_OUTRANKED, ROLE_GAVE };
/* True if p outranks this manager. */
bool role_is_below(const struct sm *sm, const struct sm_peer *p);
void role_stand_by(struct sm *sm, const struct sm_peer *p, enum role_way way,
	struct mono now);

/* poll.c */
bool poll_step(struct sm *sm, struct mono now); /* SM_STANDBY */

/* standby.c */
void standby_begin(struct sm *sm, struct mono now); /* another one is master */
void standby_step(struct sm *sm, struct mono now);
struct mono standby_next(const struct sm *sm); /* while resting */
/* The worker is done with these tables. */
void standby_judged(struct sm *sm, struct routes *r, struct mono now);
/* Standing by is over: what is under way is given up, the view stays ... */
void standby_end(struct sm *sm, struct mono now);
void standby_forget(struct sm *sm); /* ... until there is a better one */
void standby_free(struct sm *sm);   /* nothing is in flight */

/* take_over.c: false: nothing is known that hosts could be served by. */
bool take_over_begin(struct sm *sm, struct mono now);
bool take_over_step(struct sm *sm, struct mono now); /* in SM_CONFIRM */
void take_over_free(struct sm *sm);		     /* nothing is in flight */

/* hand_over.c */
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
bool hand_over_is_pending(const struct sm *sm);
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
void hand_over_reset(struct sm *sm);
/* We are master now. */
void hand_over_taken(struct sm *sm, struct mono now);

/* peers.c */
void peers_free(struct sm *sm);
/* The managers in sm->run.topo. */
void peers_list(struct sm *sm, struct mono now);
struct sm_peer *peers_find(struct sm *sm, uint64_t guid); /* or NULL */
struct sm_peer *peers_add(
	struct sm *sm, uint64_t guid, struct mono now); /* of the view */
void peers_name(struct sm *sm);
/* The port GUID of the sender of a request, by its path or LID; or 0. */
uint64_t peers_sender(const struct sm *sm, const struct transport_msg *m,
	const struct smp *s);
/* Ask for SMInfo. once: one packet, with the deadline of a poll. */
void peers_ask(struct sm *sm, struct sm_peer *p, bool once, struct mono now,
	xact_done *done, uint64_t tag);
/* All of them, and one out of turn; done calls peers_answered. */
void peers_ask_all(struct sm *sm, struct mono now, xact_done *done);
void peers_look(
	struct sm *sm, struct sm_peer *p, struct mono now, xact_done *done);
/* The manager that this answers for, or NULL: the list is another one. */
struct sm_peer *peers_answered(
	struct sm *sm, uint64_t tag, const struct xact_result *res);
void peers_take(
	struct sm *sm, struct sm_peer *p, const struct xact_result *res);
/* A Get(SMInfo) to p with our own SMInfo. */
void peers_request(const struct sm *sm, const struct sm_peer *p, bool show_key,
	struct mono now, struct xact_request *r);
/* Our SMInfo. */
void peers_say(const struct sm *sm, bool show_key, struct mono now,
	struct mad_sm_info *out);
/* True if that key is ours, or neither is a secret. */
bool peers_key_fits(const struct sm *sm, uint64_t key);
bool peers_may_see_key(const struct sm *sm, const struct sm_peer *p);
/* The manager at this port has shown a key. */
void peers_note_key(struct sm *sm, uint64_t guid, uint64_t key);
void peers_forget_keys(struct sm *sm); /* ours is another one */
bool peers_outranks(const struct sm_peer *a, const struct sm_peer *b);

/* trap.c: a trap has arrived. */
void trap_receive(struct sm *sm, const struct transport_msg *m,
	const struct smp *s, struct mono now);

/* trap_fault.c: a trap about a fault, from a LID, is counted and, if it is to
 * be told, logged. */
void trap_fault_report(struct sm *sm, uint16_t lid, const struct mad_notice *n,
	const uint8_t data[MAD_DATA], bool told, struct mono now);

/* m_keys.c */
struct mono m_keys_next(const struct sm *sm);
void m_keys_step(struct sm *sm, struct mono now);
/* The node behind port p of a switch may guard itself with an M_Key that is not
 * known, until its lease has run out. */
bool m_keys_is_silent(const struct sm *sm, const struct topo *t, port_ix p);
/* A run is over: count the ports of sm->topo that cannot be written. */
void m_keys_review(struct sm *sm);
void m_keys_reset(struct sm *sm); /* another manager is master */
/* Names them, and makes the alarm about them. */
void m_keys_tell(const struct sm *sm, struct sm_status *out);

/* run_sa.c */
void run_sa_new(struct sm *sm);
void run_sa_free(struct sm *sm);
void run_sa_configure(struct sm *sm);
void run_sa_message(
	struct sm *sm, const struct transport_msg *m, struct mono now);
struct mono run_sa_next(const struct sm *sm);
/* Its records of the previous run. */
void run_sa_load(struct sm *sm, const struct state_file *s);
void run_sa_start(struct sm *sm, struct mono now);
/* It is to answer from the view in force. */
void run_sa_publish(struct sm *sm, struct mono now);
/* It is to answer from what a standby read; groups are left as they are. */
void run_sa_serve(struct sm *sm, struct view *v, struct mono now);
/* New hosts are asked to register anew; there is a view. */
void run_sa_reregister(struct sm *sm, struct mono now);
/* Ask further hosts, as transactions have room; timers of the SA. */
void run_sa_step(struct sm *sm, struct mono now);
/* Another SM is master. */
void run_sa_lost(struct sm *sm, struct mono now);
/* The worker has ended: release views that waited for it. */
void run_sa_release_views(struct sm *sm);

/* run_mcast.c */
void run_mcast_new(struct sm *sm);
void run_mcast_free(struct sm *sm); /* nothing is in flight */
/* A port joined or left a group of this MLID. */
void run_mcast_regroup(struct sm *sm, uint16_t mlid, struct mono now);
/* For sm_mcast_trees. */
const struct mcast_tree *const *run_mcast_trees(const struct sm *sm);
/* The view in force has another topology, or routes. */
void run_mcast_publish(struct sm *sm, struct mono now);
/* Switches of sm->topo that have rebooted; all: no table is known. */
void run_mcast_forget(struct sm *sm, bool all);
/* An alarm about a switch whose table is written no more, or "". */
const char *run_mcast_alarm(const struct sm *sm);
void run_mcast_lost(struct sm *sm); /* another SM is master */
struct mono run_mcast_next(const struct sm *sm);
void run_mcast_step(struct sm *sm, struct mono now);
/* Before routes are made: begin to read unread tables of switches; true when
 * all are known. */
void run_mcast_start_reading(struct sm *sm);
bool run_mcast_has_read(struct sm *sm, struct mono now);
void run_mcast_stop_reading(struct sm *sm); /* the run ends here */
/* True if there are trees that a transition has to count with. *unsettled: and
 * they are not known to obey the order of the view. */
bool run_mcast_dependencies(const struct sm *sm, bool *unsettled);
/* sm->plan is about to be written: trees that it cannot admit go first; then
 * run_mcast_ready is true, and nothing is in flight. */
void run_mcast_before_push(struct sm *sm, struct mono now);
bool run_mcast_ready(struct sm *sm, struct mono now);
/* True if trees had to go and switches did not answer: the push was stopped. */
bool run_mcast_is_stuck(const struct sm *sm);
/* True if tables are being written, or are to be read again. */
bool run_mcast_writing(const struct sm *sm);
/* True while a push waits for multicast tables: no other timer is due. */
bool run_mcast_busy(const struct sm *sm);
/* The push is over, and the switches hold the unicast tables of the view. */
void run_mcast_settle(struct sm *sm, struct mono now);
/* What a switch acknowledged; false: unknown. */
bool run_mcast_cell(const struct sm *sm, uint64_t guid, unsigned block,
	unsigned pos, uint8_t out[64]);

/* group_keep.c */
struct group_keep_saved {
	struct state_file_group *group;
	size_t ngroup;
	struct state_file_member *member;
	size_t nmember;
};
void group_keep_load(struct sm *sm, const struct state_file *s);
void group_keep_configure(struct sm *sm); /* the groups of the configuration */
void group_keep_save(const struct sm *sm, struct group_keep_saved *out);
void group_keep_saved_free(struct group_keep_saved *s);

/* run_adaptive.c */
/* After the forwarding tables were read: go on to read what forwards beside
 * them, and switch it off; true when that is done. */
bool run_adaptive_read(struct sm *sm, struct mono now);
/* The alarm about switches of t, by the names that it has. */
void run_adaptive_name(struct sm *sm, const struct topo *t);
/* True if packets that it sent on may still be on their way. */
bool run_adaptive_drains(const struct sm *sm, struct mono now);
/* The push is over: true if the view differs. */
bool run_adaptive_changed(const struct sm *sm);
/* Enter the switches where it is on, as far as is known. */
void run_adaptive_list(struct sm *sm, struct view *v);
/* Have those that do not obey asked again later. */
void run_adaptive_retry(struct sm *sm, const struct topo *t);
/* End a reading that is not over: what was asked is given up. */
void run_adaptive_stop(struct sm *sm, struct mono now);
void run_adaptive_lost(struct sm *sm); /* another SM is master */

/* run_pkeys.c */
void run_pkeys_load(struct sm *sm, const struct state_file *s);
/* We became master: ports of another SM may hold anything. */
void run_pkeys_distrust(struct sm *sm);
void run_pkeys_make(struct sm *sm); /* for sm->topo */
/* Begin to read the tables that are relevant and not known. */
void run_pkeys_read(struct sm *sm);
/* enum state_file_pkeys of a port, for the state file. */
uint8_t run_pkeys_saved(const struct sm *sm, uint64_t guid);
/* Begin to read tables that are in doubt, and some others in rotation
 * (sm->pkey_read); then act on those that differ. */
void run_pkeys_check(struct sm *sm);
void run_pkeys_checked(struct sm *sm, struct mono now);
/* The check gives way to a change: the same tables are read next time. */
void run_pkeys_stop_check(struct sm *sm, struct mono now);
/* A light sweep is over: have some tables read. */
void run_pkeys_light(struct sm *sm, struct mono now);
/* Tables that could not be read, or are too small: asked again; an alarm. */
void run_pkeys_review(struct sm *sm);
/* The push is over: enter what the ports hold; true: the view differs. */
bool run_pkeys_settle(struct sm *sm);
/* Names were read: true if a port is another member by its name. */
bool run_pkeys_renamed(const struct sm *sm, struct topo *fresh);

/* name_accept.c */
void name_accept_free(struct sm *sm);
void name_accept_load(struct sm *sm, const struct state_file *s);
/* Into s; free the result when it is saved. */
struct state_file_pin *name_accept_gather(
	const struct sm *sm, struct state_file *s);
/* Resolve the names of members that are not yet, on sm->topo. */
void name_accept_update(struct sm *sm);
/* What waits in the view: log, events, alarm. */
void name_accept_review(struct sm *sm, struct mono now);
/* What names match now is accepted; a run follows. */
void name_accept_all(struct sm *sm, struct mono now, const char *cause);

/* in_force.c */
/* c is the configuration from now on. */
void in_force_take(struct sm *sm, struct config *c);
/* Judge what a change of the configuration takes from the ports of t, which has
 * LIDs; 0, or -1 and why it is refused. */
int in_force_judge(const struct sm *sm, struct config *was, struct config *is,
	struct topo *t, struct reason *why);
void in_force_load(struct sm *sm, const struct state_file *s);
/* What the state file shall say of it. */
const char *in_force_text(struct sm *sm);
/* True if names decide what was in force before the start, and it counts. */
bool in_force_by_name(const struct sm *sm);
/* The fabric is known, and nothing is written yet: what was in force before the
 * start is what the new one is judged against. outdated: another manager has
 * reigned since. */
void in_force_settle(struct sm *sm, bool outdated);
void in_force_forget(struct sm *sm); /* it is of another fabric */

/* run_qos.c */
/* For a view that has another topology: nodes may have other names. */
void run_qos_renew(const struct sm *sm, struct view *v);
/* The push is over: enter what is written; true: the view differs. */
bool run_qos_settle(struct sm *sm);
/* Log why there are fewer layers than asked for, and where they share VLs, when
 * it has changed. */
void run_qos_log_layers(struct sm *sm);
/* A shortage of VLs: log, status, alarm. */
void run_qos_review(struct sm *sm);

/* run_settings.c: the push is over: log, status, alarm. */
void run_settings_review(struct sm *sm);
void run_settings_tell(const struct sm *sm, struct sm_status *out);
void run_settings_reset(struct sm *sm); /* another manager is master */

/* phase.c */
void phase_enter(struct sm *sm, enum sm_phase phase, struct mono now);
/* For sm_view: what readers have in this role. */
struct view *phase_view(const struct sm *sm);

/* wire.c */
void wire_new(struct sm *sm);
void wire_configure(struct sm *sm); /* for its role and configuration */

/* in_flight.c */
/* How long packets of older tables may be on their way; late copies of a Set.
 */
struct mono in_flight_drain(const struct sm *sm);
struct mono in_flight_stray(const struct sm *sm);
/* Tables are about to be written; or no Set may be under way any more. mcast:
 * multicast tables are being written. */
void in_flight_writing(struct sm *sm);
void in_flight_written(struct sm *sm, bool mcast);
/* The core starts: the previous run may have ended while it wrote. */
void in_flight_restart(struct sm *sm, struct mono now);
/* Another master may have sent Sets until then. */
void in_flight_inherit(struct sm *sm, struct mono then);
/* True while such Sets may arrive: nothing is read, nor written. */
bool in_flight_expects_sets(const struct sm *sm, struct mono now);
/* cookie: the sm. A switch acknowledged this SwitchInfo: the builder has it. */
void in_flight_switch_written(
	void *cookie, uint64_t node_guid, const uint8_t info[MAD_DATA]);

/* retry.c */
void retry_free(struct sm *sm);
void retry_begin(struct sm *sm); /* a run begins: it makes a list of its own */
/* A node is to be asked again later; 0: by a full sweep. */
void retry_node(struct sm *sm, uint64_t guid);
/* Port p of t is not as it should be: ask it and its switch again later. */
void retry_port(struct sm *sm, const struct topo *t, port_ix p);
/* The list is complete: when it is due. */
void retry_schedule(struct sm *sm, struct mono now);
void retry_mark(struct sm *sm, struct mono now); /* it is due */

/* dirty.c: a switch is to be probed, by its GUID. text: the cause in the log,
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
