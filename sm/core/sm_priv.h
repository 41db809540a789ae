/*
 * sm_priv: the inside of the core, for its own files. A function is named for
 * the file that it is in. Calls go down this list, never up:
 *
 *	sm		events in, dispatch to the current phase, status out
 *	idle		what begins between runs
 *	run		a run, phase by phase: discovery to commit
 *	commit		the end of a run: view, retries, log
 *	poll		a standby asks its master, and leaves standby
 *	light_sweep	the light sweep between runs
 *	alarm		what an administrator should act on
 *	take_over	a standby becomes master, and serves hosts at once
 *	trap		what a trap marks dirty
 *	master		mastership: election, SMInfo
 *	run_push	the push
 *	hand_over	mastership that is given to another manager, or taken
 *	state_keep	what outlives the process
 *	in_force	the configuration in force, and what another one takes
 *	role		rank, and becoming a standby
 *	run_check	what is read back after a push
 *	run_pkeys	P_Key tables in a run
 *	run_sa		subnet administration, and hosts that register anew
 *	drift		device state that another manager changed
 *	m_keys		leases of M_Keys, and ports with an unknown one
 *	standby		what a standby reads of the fabric
 *	shared_drains	the drains of the master, told to its standbys
 *	quarantine	switches excluded from transit
 *	run_health	counters of ports, links that are bad
 *	health_drain	bad links, drained as far as limits allow
 *	maintenance	switches and links that are drained
 *	run_adaptive	adaptive routing that another manager left on
 *	adaptive_use	adaptive routing of our own
 *	work		routes and plan, made by the worker
 *	blocked		blocked (in-port, out-port) pairs across restarts
 *	drift_sl2vl	pairs that another manager left blocked
 *	name_accept	names of members, as an administrator accepted them
 *	peers		the other managers: what they answer, their SM_Keys
 *	retry		nodes that are asked again
 *	run_mcast	multicast trees and their tables
 *	run_sweep	the sweep of a run
 *	wire		the transactions, and answers that are late
 *	dirty		what waits for the next run
 *	events		what happened to the fabric, for an administrator
 *	group_keep	multicast groups that are configured or were saved
 *	in_flight	what may still be on its way
 *	phase		the phase, and what readers see
 *	run_qos		service levels in a run
 *	run_settings	ports that keep settings of their own
 *	run_state	what a run holds
 *	trap_fault	traps about faults: counted and logged
 *	trap_filter	which traps are acted on
 *	timers		the times at which there is something to do
 *
 * Endings that mean the same everywhere:
 *
 *	_new _free	with the core
 *	_load		from the state file, before the start; _start: it starts
 *	_next		when _step is due, besides the timers of the module
 *	_step		after every event, as far as something is due; of a
 *			phase: true when another phase was entered
 *	_review		a run is over: log, status, alarm
 *	_tell		into a status
 *	_lost _reset	another manager is master
 */
#ifndef HEDDLE_SM_CORE_SM_PRIV_H
#define HEDDLE_SM_CORE_SM_PRIV_H

#include "discovery/builder/builder.h"
#include "discovery/sweep/path_probe.h"
#include "discovery/sweep/sweep.h"
#include "distribution/device/adaptive_read.h"
#include "distribution/device/device_check.h"
#include "distribution/device/device_store.h"
#include "distribution/device/foreign_adaptive.h"
#include "distribution/device/lft_read.h"
#include "distribution/device/pkey_read.h"
#include "distribution/device/sl2vl_read.h"
#include "distribution/device/sl2vl_scan.h"
#include "distribution/plan/plan.h"
#include "distribution/push/push.h"
#include "distribution/transition/transition.h"
#include "routing/core/lid.h"
#include "routing/driver/compute.h"
#include "routing/mcast/mcast.h"
#include "sm/base/log.h"
#include "sm/base/map.h"
#include "sm/core/adaptive_use.h"
#include "sm/core/alarm.h"
#include "sm/core/blocked.h"
#include "sm/core/commit.h"
#include "sm/core/dirty.h"
#include "sm/core/drift.h"
#include "sm/core/drift_sl2vl.h"
#include "sm/core/events.h"
#include "sm/core/group_keep.h"
#include "sm/core/hand_over.h"
#include "sm/core/health_drain.h"
#include "sm/core/idle.h"
#include "sm/core/in_flight.h"
#include "sm/core/in_force.h"
#include "sm/core/light_sweep.h"
#include "sm/core/m_keys.h"
#include "sm/core/maintenance.h"
#include "sm/core/master.h"
#include "sm/core/name_accept.h"
#include "sm/core/peers.h"
#include "sm/core/phase.h"
#include "sm/core/poll.h"
#include "sm/core/quarantine.h"
#include "sm/core/retry.h"
#include "sm/core/role.h"
#include "sm/core/run.h"
#include "sm/core/run_adaptive.h"
#include "sm/core/run_check.h"
#include "sm/core/run_health.h"
#include "sm/core/run_mcast.h"
#include "sm/core/run_pkeys.h"
#include "sm/core/run_push.h"
#include "sm/core/run_qos.h"
#include "sm/core/run_sa.h"
#include "sm/core/run_settings.h"
#include "sm/core/run_state.h"
#include "sm/core/run_sweep.h"
#include "sm/core/shared_drains.h"
#include "sm/core/sm.h"
#include "sm/core/standby.h"
#include "sm/core/state_keep.h"
#include "sm/core/take_over.h"
#include "sm/core/timers.h"
#include "sm/core/trap.h"
#include "sm/core/trap_fault.h"
#include "sm/core/trap_filter.h"
#include "sm/core/wire.h"
#include "sm/core/work.h"
#include "sm/health/link_verdict.h"
#include "sm/policy/pkeys.h"
#include "sm/policy/qos.h"
#include "sm/policy/roles.h"
#include "sm/sa/sa.h"
#include "sm/view/event_log.h"
#include "sm/view/view_slvl.h"

/* What has been logged, and is not logged again while it lasts. */
struct logged {
	struct sm_settings own, lacking; /* ports that have settings of their
					    own, and that lack needed ones */
	char few_layers[VIEW_SLVL_SHORT];
	char shared_vls[VIEW_SLVL_SHORT];
	char lid_conflict[256];
	char adaptive[512];
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
	struct builder *builder;
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
	struct drains maintenance;
	struct health_drains health_drains;
	struct drift_state drift;
	struct foreign_blocks foreign;
	struct leases leases;
	struct logged logged;
	struct events events;
	struct alarm_state alarms;
	struct hosts hosts;
	struct sm_mcast *mcast;
	struct health *health;
	struct traps traps;

	/* mastership */
	struct peers peers;
	struct mastership mastership;
	struct hand_over hand_over;
	struct reign reign;
	struct standby_state standby;
	struct shared_drains shared;

	struct sm_status stat;
};

#endif
