/*
 * The inside of the subnet manager, shared by sm.c (events and dispatch),
 * run.c (the phases of a run), roles.c (places in a tree), master.c
 * (mastership), inbound.c (requests and traps from others), run_sa.c (questions
 * to the SA), group_keep.c (groups that are kept) and run_mcast.c (their
 * tables). Nobody else includes this.
 */
#ifndef HEDDLE_SM_CORE_SM_PRIV_H
#define HEDDLE_SM_CORE_SM_PRIV_H

#include "discovery/builder/builder.h"
#include "discovery/sweep/path_probe.h"
#include "discovery/sweep/sweep.h"
#include "distribution/device/device_check.h"
#include "distribution/device/device_store.h"
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
#include "sm/core/trap.h"
#include "sm/policy/pkeys.h"
#include "sm/policy/qos.h"
#include "sm/policy/roles.h"
#include "sm/sa/sa.h"
#include "sm/view/view_slvl.h"

/* What became of the request to register anew. */
enum sm_rereg { SM_TOLD, SM_TO_TELL };

/* A switch to probe. */
struct sm_suspect {
	uint64_t guid;
	bool told; /* there is a trap, and no other reason */
};

/* What waits for the next run. Events only mark; a timer starts the work. */
struct sm_dirty {
	bool full;		/* sweep everything */
	bool replan;		/* route and plan again, nothing to ask */
	bool rebalance;		/* ... and fresh tables */
	struct sm_suspect *who; /* unsorted, no duplicates */
	size_t n, cap;
	struct mono due;   /* hold-down: not before */
	struct mono since; /* the first of it was heard of */
	bool patient;	   /* it does not stop a push: all of it is expected */
	char cause[256];
};

/* A switch that refused its tables: kept out until a time, then tried again. */
struct sm_quarantined {
	uint64_t guid;
	struct mono until;
	struct mono wait; /* doubles each time; 0: never banned yet */
	unsigned lies;	  /* blocks it acknowledged and did not hold */
	struct mono lied; /* the last time */
	unsigned silent;  /* pushes in a row that it did not answer */
	char why[128];	  /* it was banned the last time */
};

/* One poll or question to another SM. */
struct sm_peer {
	struct sm_other id;
	uint64_t node_guid;
	uint32_t act_count;
	uint8_t hops;
	uint8_t path[64];
};

/* A view that waits for the worker's end. */
struct sm_pending_view {
	struct view *view;
};

/* What is not as we left it; drift.c. */
struct drift_state {
	uint32_t turn, round; /* the switch, and the block, to look at next */
	bool all;	      /* look at every switch after this push */
	bool again;	      /* look at all there is after a light sweep */
	bool left_so;	      /* something altered waits for its time */
	unsigned found;	      /* in this check */
	unsigned times, switches;
	struct mono altered, wait, wait_until;
	struct map flaws;	       /* (node, port) -> how often */
	struct device_check_item flaw; /* the port of the alarm; guid 0: none */
	struct mono flawed;
	bool master_seen; /* in this round of questions */
	unsigned masters; /* rounds in a row */
};

struct sm {
	struct config *cfg;
	struct transport *t;
	const struct sm_ops *ops;
	uint64_t port_guid;

	struct xact *x;
	struct path_probe *scout;
	struct builder *draft;
	struct lft_pool *pool;
	struct device_store *hw;
	struct sl_history *sl_history; /* outlives views: connections do */
	struct trap_filter *traps;

	enum sm_phase phase;
	bool phase_is_new; /* and nothing was done in it yet */
	enum sm_role role;
	uint32_t generation;
	struct sm_dirty dirty;
	struct mono light_due, poll_due, retry_due, retry_wait, names_due;
	bool light_short;	   /* the light sweep was ended early ... */
	unsigned light_early_ends; /* ... so many times in a row */
	struct mono check_due; /* a while after a push: drained, and true? */
	struct sm_quarantined *banned;
	size_t nbanned, capbanned;

	/* the run in progress */
	enum sweep_kind kind;
	port_ix pkey_check_next; /* whose P_Key table is looked at next */
	struct sweep *sweep;
	struct map probed; /* switches this run has asked by name */
	struct lft_read *readback;
	struct pkey_read *pkey_read;
	struct plan *plan;
	struct push *push;
	struct check *check;
	struct sl2vl_scan *scan; /* for turns that others left closed */
	size_t nleft_closed;	 /* of these found, and not planned for yet */
	struct mono free_due;	 /* when that is to be done */
	struct device_check_item *sample; /* what the next check looks at */
	size_t nsample, capsample;
	struct drift_state trust;
	struct map
		self_caused; /* switches whose ports our own plan takes down */
	bool held_alarm;     /* the alarm is about turns that are blocked */
	bool self_caused_trap_seen;   /* a trap of one of them was no news */
	bool write_recorded;	      /* as the next life is to know it */
	bool previous_blocks_unknown; /* the last life may have closed turns
					 unrecorded */
	struct mono late_sets_until;  /* what others sent; or MONO_NEVER */
	bool keys_due;		      /* P_Key tables, in the next check */
	unsigned overtaken_pushes; /* pushes in a row that a change overtook */
	bool is_idle;		   /* nothing is left to do but what is dirty */
	char why_few_layers[VIEW_SLVL_SHORT]; /* why so few lanes, as it was
						 logged */
	char why_shared_vls[VIEW_SLVL_SHORT]; /* where they share VLs, likewise
					       */
	struct view_change change;
	struct topo *topo;	   /* with LIDs */
	struct topo *topo_written; /* the same when all is written, or NULL */
	bool publish_view;	   /* the run ends in another view */
	unsigned commit_step;	   /* turns of its end that are over */
	struct pkeys *pkeys;	   /* that its ports shall have */
	struct qos *qos;	   /* likewise, once there are routes */
	struct sm_work *work;	   /* with the worker */
	struct routes *routes;	   /* computed, not yet acknowledged */
	struct route_account story;
	struct mono began, phase_began;
	struct mono first_heard; /* of what the run is about */
	struct mono waited;	 /* from then to the push */
	struct view_times times;
	struct view_counts counts;
	uint64_t sent_before;
	char cause[256];
	char lid_conflict[256];
	unsigned passes; /* pipeline passes of this run */
	bool names_read; /* switch names were read before routing */
	bool rebalance;	 /* this run's tables are to be fresh */
	/* nodes to ask again because ports of theirs are not as they should be
	 * (0: everything), and by GUID the run that last said so */
	uint64_t *retry;
	size_t nretry, capretry;
	struct map retried;
	uint32_t run;	  /* counts runs */
	bool retry_fresh; /* one of them was not on the list before */
	bool has_new_duplicate_guids; /* this run met nodes of one GUID that are
					 new */

	/* kept from run to run */
	struct view *view;
	struct lid_record *record;
	size_t nrecord;
	struct route_rank *rank;
	size_t nrank;
	enum route_order rank_order;
	bool rank_known;
	struct topo_class reading;
	uint64_t routed, load, turn; /* as in struct state_file */
	struct map saved_pkeys; /* port GUID -> enum state_file_pkeys, of its
			    P_Key table */
	uint64_t keys_stamp;	/* of the tables when they were last settled */

	/* mastership */
	struct sm_peer *peer;
	size_t npeers, cappeers;
	unsigned asked; /* SMInfo questions open */
	uint32_t ask_round;
	struct sm_peer master;
	unsigned missed;
	struct mono master_heard; /* when it last was one, and awake */
	bool handed_over;	  /* the old master gave us the fabric */
	bool took_over; /* it became ours, others may have been there */
	bool poll_open;

	/* subnet administration */
	struct sa *sa;
	struct sa_ops sa_ops; /* lent to it */
	struct view *sa_view; /* the one it has; only compared */
	struct mono sa_now;
	struct mono save_due; /* of what hosts told */
	char *sa_kept;	      /* of its last life, until it starts */
	uint64_t sa_away;
	struct sm_pending_view
		*pending_views; /* let go by it while a worker ran */
	size_t nshed, capshed;
	struct map rereg; /* who is to register anew, by GUID: enum sm_rereg */
	port_ix rereg_next; /* the port of the view that is told next */
	struct sm_mcast *mcast;

	struct sm_status stat;
	struct log_limit noise;
};

/* run.c: one step of the phase; true when the phase changed. */
bool run_idle(struct sm *sm, struct mono now);
bool run_discover(struct sm *sm, struct mono now);
/* Discovery is over and the fabric is ours: assign LIDs and go on. */
bool run_assign_lids(struct sm *sm, struct mono now);
bool run_readback(struct sm *sm, struct mono now);
bool run_push(struct sm *sm, struct mono now);
bool run_commit(struct sm *sm, struct mono now);
bool run_names(struct sm *sm, struct mono now);
/* The worker's answer. */
void run_routed(struct sm *sm, struct sm_work *w, struct mono now);
/* Free a job, its result included; NULL allowed. */
void run_job_free(struct sm_work *w);
/* End a run without a commit: the last good tables stay. */
void run_fail(struct sm *sm, struct mono now, const char *why);

/* routes_from_lft.c: routes that were read back, or NULL. */
struct routes *run_routes_from_lft(const struct sm *sm);

/* run_push.c: a transition is planned, pushed, and looked after. */

/* What the worker plans from; it ends with the worker's job. */
struct run_push_job {
	struct config *cfg;	    /* a reference */
	struct routes *from;	    /* likewise: what is in force; or NULL */
	struct pkeys *keys;	    /* likewise */
	struct transition_job safe; /* but for where it leads to */
	struct plan_params params;
	struct qos *qos; /* made with the plan */
};
void run_push_job(const struct sm *sm, struct run_push_job *job);
void run_push_drop(struct run_push_job *job); /* in the core's thread */
/* In the worker: the plan that leads to these routes. */
struct plan *run_push_make(struct run_push_job *job, struct routes *to);
/* Carry out that plan, for sm->routes. */
void run_push_start(struct sm *sm, struct run_push_job *job, struct plan *plan,
	struct mono now);
/* cookie: the sm. A switch acknowledged this SwitchInfo: the builder has it. */
void run_push_switch_written(
	void *cookie, uint64_t node_guid, const uint8_t info[MAD_DATA]);
struct mono run_push_next(const struct sm *sm);
void run_push_watch(struct sm *sm, struct mono now); /* stop it if overtaken */
void run_push_finish(struct sm *sm, struct mono now);
bool run_push_check(struct sm *sm, struct mono now); /* the phase */
bool run_push_check_begin(struct sm *sm, struct mono now);
const char *run_push_writes(const struct sm *sm); /* the phase's name */
/* Is a trap from this switch our own plan's doing? */
bool run_push_caused(struct sm *sm, uint64_t guid);
/* Master of sm->topo: who was it meanwhile may have written anything there, and
 * given out any SL. */
void run_push_forget(struct sm *sm);
void run_push_load(struct sm *sm, const struct state_file *s);
void run_push_account(struct sm *sm); /* into sm->change */
/* How long packets that were sent by older tables may be on their way. */
struct mono run_push_drain(const struct sm *sm);
/* Tables are about to be written; or perhaps nothing is under way any more. */
void run_push_writing(struct sm *sm);
void run_push_written(struct sm *sm);
/* The core starts: may Sets of an earlier life still arrive? */
void run_push_wake(struct sm *sm, struct mono now);
/* Somebody else may have sent Sets until then. */
void run_push_inherit(struct sm *sm, struct mono then);
/* May such Sets still arrive? Then nothing is read, nor written. */
bool run_push_expects_late_sets(const struct sm *sm, struct mono now);
/* blocked.c: turns that are closed. */
void blocked_load(struct sm *sm, const struct state_file *s);
void blocked_start(struct sm *sm, struct mono now);
/* Seconds that it has been closed. */
uint64_t blocked_age(const struct sm *sm, const struct sl2vl_block *h);
/* When the first will have been so for too long; then tell of it. */
struct mono blocked_next(const struct sm *sm);
void blocked_watch(struct sm *sm, struct mono now);
void blocked_review(struct sm *sm, struct mono now); /* after a check */
/* drift_sl2vl.c: turns that others left closed. */
void drift_sl2vl_forget(
	struct sm *sm, bool hurry); /* nobody's rows are known */
void drift_sl2vl_publish(struct sm *sm, struct mono now); /* a run is over */
void drift_sl2vl_renew(struct sm *sm, struct mono now);	  /* another view */
struct mono drift_sl2vl_next(const struct sm *sm);
void drift_sl2vl_step(struct sm *sm, struct mono now);
/* roles.c: tell the draft which switches to ask for theirs. */
void roles_ask(struct sm *sm);

/* quarantine.c: what failures of a push lead to, and who is kept out. */
enum sm_verdict {
	SM_WRITTEN,
	SM_PLAN_AGAIN,
	SM_PROBE_FIRST, /* what is marked dirty has to be seen */
	SM_SWEEP_AGAIN
};
enum sm_verdict quarantine_failures(struct sm *sm, struct mono now);
struct sm_quarantined *quarantine_find(
	struct sm *sm, uint64_t guid);		       /* or NULL */
void quarantine_apply(struct sm *sm, struct mono now); /* before a freeze */
void quarantine_release(struct sm *sm); /* silence, after a good push */
/* It acknowledged a block and holds another. */
void quarantine_for_disobedience(
	struct sm *sm, const struct device_check_item *i, struct mono now);

/* drift.c: what another hand has written, ports that do not do as told. */
/* Have this looked at by the next check. */
void drift_sample(struct sm *sm, const struct device_check_item *i);
void drift_light(struct sm *sm, struct mono now); /* look at some in turn */
/* Items for the next check, where all of t are to be looked at. */
void drift_sample_all(struct sm *sm, const struct topo *t);
/* A check is over: what was wrong, and what is done about it. */
void drift_checked(struct sm *sm, struct mono now);
/* Port p of the view acknowledges and does not keep what it is told, by an
 * attribute. It is asked and told again. */
void drift_port_disobeys(
	struct sm *sm, port_ix p, uint16_t attr, struct mono now);
/* Is the state file, whose records are loaded, of this fabric at all? */
void drift_check_state_file(struct sm *sm);
/* Others are asked how they are; one of them is master and gives way to us. */
void drift_review(struct sm *sm);
void drift_master(struct sm *sm, const struct sm_peer *p);
/* The fabric is another's, or this is the end. */
void drift_end(struct sm *sm);

/* commit.c: swap the view, save, tell; schedule what comes next. */
void commit_run(struct sm *sm, struct mono now);
/* What must survive a restart; at once: on return it does. */
void commit_save(struct sm *sm, bool at_once);
/* What hosts tell changes often, and after a crash they tell it again: a storm
 * of joins and registrations is one save in a while. */
void commit_save_soon(struct sm *sm, struct mono now);
struct mono commit_save_next(const struct sm *sm);
void commit_save_tick(struct sm *sm, struct mono now); /* if it is time */
void commit_schedule(struct sm *sm, struct mono now);
/* Port p of t is not as it should be: ask it and its switch again later. */
void commit_retry(struct sm *sm, const struct topo *t, port_ix p);
/* The next light sweep, an interval from now. */
void commit_light(struct sm *sm, struct mono now);
/* Say that a run is over, and what is not as it should be. */
void commit_log_run(struct sm *sm);
/* Order of struct route_rank, for qsort and bsearch. */
int commit_by_guid(const void *a, const void *b);
/* t with the port states and names known by now, or NULL: it changed. */
struct topo *commit_refresh(struct sm *sm, const struct topo *t);

/* master.c */
bool master_begin(struct sm *sm, struct mono now);  /* false: nobody there */
void master_review(struct sm *sm, struct mono now); /* how are the others? */
bool master_step(struct sm *sm, struct mono now);
bool master_standby(struct sm *sm, struct mono now);
void master_sminfo(struct sm *sm, const struct transport_msg *m,
	const struct smp *s, struct mono now);

/* late_answer.c: silence, and what a look at the way to it says. */
void late_answer_new(struct sm *sm);
void late_answer_free(struct sm *sm); /* nothing is in flight */
/* When a light sweep that only waits for who is silent is to end. */
struct mono late_answer_light_until(const struct sm *sm);
void late_answer_light_done(struct sm *sm, struct mono now);

/* inbound.c */
void inbound_request(struct sm *sm, const struct transport_msg *m,
	const struct smp *s, struct mono now);
void inbound_refuse(struct sm *sm, const struct transport_msg *m);

/* run_sa.c: subnet administration as a part of the core. */
void run_sa_new(struct sm *sm);
void run_sa_free(struct sm *sm);
void run_sa_configure(struct sm *sm);
void run_sa_message(
	struct sm *sm, const struct transport_msg *m, struct mono now);
void run_sa_tick(struct sm *sm, struct mono now);
struct mono run_sa_next(const struct sm *sm);
/* What it knew before a restart. */
void run_sa_load(struct sm *sm, const struct state_file *s);
void run_sa_start(struct sm *sm, struct mono now);
/* It shall answer from the view in force. */
void run_sa_publish(struct sm *sm, struct mono now);
/* Hosts that came since are asked to register anew; there is a view. */
void run_sa_reregister(struct sm *sm, struct mono now);
/* Ask further ones, as transactions have room. */
void run_sa_step(struct sm *sm, struct mono now);
/* Another SM has the fabric. */
void run_sa_lost(struct sm *sm, struct mono now);
/* No worker runs any more: views let go meanwhile. */
void run_sa_shed(struct sm *sm);

/* run_mcast.c: tables of groups. */
void run_mcast_new(struct sm *sm);
void run_mcast_free(struct sm *sm); /* nothing is in flight */
/* Somebody joined or left a group of this MLID. */
void run_mcast_regroup(struct sm *sm, uint16_t mlid, struct mono now);
/* The tree of an MLID's groups, or NULL. */
const struct mcast_tree *run_mcast_tree(const struct sm *sm, uint16_t mlid);
/* The view in force has another topology, or routes. */
void run_mcast_publish(struct sm *sm, struct mono now);
/* Switches of sm->topo that lost their memory; all: nothing is known. */
void run_mcast_forget(struct sm *sm, bool all);
/* A switch whose table is written no more, in words, or "". */
const char *run_mcast_alarm(const struct sm *sm);
void run_mcast_lost(struct sm *sm); /* another SM has the fabric */
struct mono run_mcast_next(const struct sm *sm);
void run_mcast_step(struct sm *sm, struct mono now);
/* Before routes are made: what do switches hold that nobody has read? True: it
 * is known. */
void run_mcast_look(struct sm *sm);
bool run_mcast_looked(struct sm *sm, struct mono now);
/* Are there trees that a transition has to count with? *unsettled: and not
 * known to keep the order of the view. */
bool run_mcast_dependencies(const struct sm *sm, bool *unsettled);
/* sm->plan is about to be written: trees that it has no room for go first;
 * then true, and nothing is in flight. */
void run_mcast_before_push(struct sm *sm, struct mono now);
bool run_mcast_ready(struct sm *sm, struct mono now);
/* Trees had to go and switches did not answer: the push was stopped. */
bool run_mcast_is_stuck(const struct sm *sm);
/* Are tables of groups written, or is something to be looked at again? */
bool run_mcast_writing(const struct sm *sm);
/* The push waits for answers about tables of groups: nothing else is due. */
bool run_mcast_busy(const struct sm *sm);
/* The push is over, and the switches hold what the view says. */
void run_mcast_settle(struct sm *sm, struct mono now);
/* What a switch acknowledged; false: not known. */
bool run_mcast_cell(const struct sm *sm, uint64_t guid, unsigned block,
	unsigned pos, uint8_t out[64]);

/* group_keep.c: groups that outlive their members, and the daemon. */
struct group_keep_saved {
	struct state_file_group *group;
	size_t ngroup;
	struct state_file_member *member;
	size_t nmember;
};
void group_keep_load(struct sm *sm, const struct state_file *s);
void group_keep_configure(struct sm *sm); /* those that are always there */
void group_keep_save(const struct sm *sm, struct group_keep_saved *out);
void group_keep_saved_free(struct group_keep_saved *s);

/* run_pkeys.c: P_Keys, from the configuration to the view. */
void run_pkeys_load(struct sm *sm, const struct state_file *s);
/* It became ours: ports that another SM had may hold anything. */
void run_pkeys_distrust(struct sm *sm);
void run_pkeys_make(struct sm *sm); /* for sm->topo */
/* Begin to read the tables that matter and are not known. */
void run_pkeys_read(struct sm *sm);
/* For the state file. */
uint8_t run_pkeys_saved(const struct sm *sm, uint64_t guid);
/*
 * Are tables still what they were? Those in doubt, and some others in turn;
 * sm->pkey_read. Then: what was found, and a run to mend it.
 */
void run_pkeys_check(struct sm *sm);
void run_pkeys_checked(struct sm *sm, struct mono now);
/* It gives way to a change: the same tables are read next time. */
void run_pkeys_unchecked(struct sm *sm, struct mono now);
/* A light sweep is over: look at some tables. */
void run_pkeys_light(struct sm *sm, struct mono now);
/* Tables that could not be read, or have no room: again later; an alarm. */
void run_pkeys_review(struct sm *sm);
/* The push is over: what the ports have; true: the view says otherwise. */
bool run_pkeys_settle(struct sm *sm);
/* Names were read: has anybody become another member by them? */
bool run_pkeys_renamed(const struct sm *sm, struct topo *fresh);

/* run_qos.c: levels of service, from the configuration to the view. */
void run_qos_drop(struct sm *sm); /* the run is over */
/* For a view that has another topology: who is called what may differ. */
void run_qos_renew(const struct sm *sm, struct view *v);
/* The push is over: what is there; true: the view says otherwise. */
bool run_qos_settle(struct sm *sm);
/* Log why routing has fewer lanes than asked for, and where they share VLs,
 * when it is news. */
void run_qos_log_layers(struct sm *sm);
/* A shortage, in words: log, status, alarm. */
void run_qos_review(struct sm *sm);

/* sm.c */
void sm_enter(struct sm *sm, enum sm_phase phase, struct mono now);
void dirty_mark(struct sm *sm, uint64_t switch_guid, struct mono now,
	const char *cause);
/* ... because of a trap: it may have been asked since what happened. */
void dirty_mark_reported(
	struct sm *sm, uint64_t guid, struct mono now, const char *cause);
/* ... but what is being written already follows from it, as far as we know. */
void dirty_mark_known(
	struct sm *sm, uint64_t guid, struct mono now, const char *cause);
void dirty_mark_full(struct sm *sm, struct mono now, const char *cause);
void dirty_mark_replan(struct sm *sm, struct mono now, const char *cause);

#endif
