/*
 * sm_status: the state and the counters of the subnet manager, as a value. The
 * core fills it (sm_status in sm/core/sm.h); status_json.h and the daemon
 * report it.
 */
#ifndef HEDDLE_SM_REPORT_SM_STATUS_H
#define HEDDLE_SM_REPORT_SM_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distribution/device/sl2vl_scan.h"
#include "sm/base/clock.h"
#include "sm/sa/sa.h"

enum sm_phase {
	SM_IDLE,
	SM_DISCOVER,
	SM_ELECT,
	SM_STANDBY,
	SM_CONFIRM,
	SM_TAKE,
	SM_READBACK,
	SM_ROUTE,
	SM_PUSH,
	SM_COMMIT,
	SM_NAMES,
	SM_CHECK,
};

enum sm_role { SM_DISCOVERING, SM_STANDING_BY, SM_MASTER };

/* Another SM that was seen. */
struct sm_other {
	uint64_t guid;
	uint8_t priority, state; /* as in SMInfo, once it answered */
	bool answers;
	char name[65];
};

enum { SM_OTHERS = 16 };    /* that are reported */
enum { SM_SETTINGS = 384 }; /* bytes of a text about a port's settings */

/* Faults that traps report: 129, 130, 131, 256 to 259. */
enum sm_fault {
	SM_FAULT_LINK_ERRORS,
	SM_FAULT_OVERRUNS,
	SM_FAULT_FLOW_CONTROL,
	SM_FAULT_M_KEY,
	SM_FAULT_P_KEY,
	SM_FAULT_Q_KEY,
	SM_FAULT_SWITCH_P_KEY,
	SM_FAULTS,
};

enum { SM_M_KEY_PORTS = 16 }; /* that are named */

/* A port that has an M_Key that is not known; or, if silent, a port of a switch
 * that leads to a node that does not answer and may have one. */
struct sm_m_key_port {
	uint64_t guid; /* its node's */
	uint8_t port;
	bool silent;
	char name[65];
};

struct sm_m_keys {
	uint32_t unknown, silent; /* how many there are of each */
	struct sm_m_key_port port[SM_M_KEY_PORTS];
	unsigned nports;
	uint64_t print;	 /* of all of them */
	char alarm[512]; /* about them, or "" */
};

/* Adaptive routing of our own. */
struct sm_adaptive {
	bool enabled;	     /* by the configuration */
	bool left;	     /* tables are still to be written */
	uint32_t switches;   /* of the fabric; of them ... */
	uint32_t on;	     /* ... choose among ports */
	uint32_t fixed;	     /* ... cannot; the others could, and have none */
	char first[224];     /* the first that cannot, and why */
	char why[160];	     /* why there are no groups at all, or "" */
	uint32_t escape;     /* they choose, and are listed as escaping */
	char no_escape[160]; /* why these have the groups of all others, or ""
			      */
	uint64_t no_room;    /* (switch, destination) without a group for want
				of room in the switch */
	uint64_t narrow; /* (switch, destination) whose group has fewer ports
			    than it may have, until a rebalance */
};

struct sm_status {
	enum sm_role role;
	enum sm_phase phase;
	bool dirty; /* something waits for the next run */
	uint64_t port_guid;
	uint8_t priority;
	struct sm_other master;		  /* guid 0 when none is known */
	struct sm_other other[SM_OTHERS]; /* seen in the last sweep */
	unsigned nothers;
	uint64_t traps, traps_repeated, traps_refused;
	uint64_t traps_ours;	    /* caused by our own plan, not acted on */
	uint64_t faults[SM_FAULTS]; /* reported by traps, by kind ... */
	char fault[448];	    /* ... and the last one in words, or "" */
	uint64_t paths_lost;	    /* links found down behind late answers */
	bool directed_only; /* SMPs routed by LID are not answered here */
	uint64_t malformed; /* MADs dropped by the decoder */
	uint64_t requests_refused; /* SMPs other than SMInfo */
	uint64_t sweeps_full, sweeps_light, probes;
	uint64_t pushes_stopped;    /* overtaken by a change in the fabric */
	const char *writing;	    /* the phase of a push, "" else; static */
	uint64_t checked, not_held; /* read after a push; not as acked */
	uint64_t drifted; /* blocks and ports that another SM changed */
	uint64_t keys_checked, keys_drifted; /* P_Key blocks; tables altered */
	struct sl2vl_scan_counts
		scan;	     /* SL2VL rows read for blocked pairs of others */
	uint64_t rows_freed; /* blocked pairs of others that we opened */
	uint64_t plan_failures; /* runs that did not end in a commit */
	struct sa_stats sa;	/* subnet administration */
	size_t held;		/* (in-port, out-port) pairs blocked now */
	uint64_t held_pairs;	/* (switch, LID) that lose packets by them */
	struct mono held_until; /* when the first should be open, or NEVER */
	uint32_t alarms;	/* kinds of alarms that are on, as bits */
	char alarm[2048];	/* what an administrator should act on, or "" */
	char blocked[256];	/* of it: a pair is still blocked; or "" */
	char own[64];		/* of it: our own port has no link; or "" */
	char rival[512];	/* of it: another manager writes; or "" */
	char masters[384];	/* of it: two masters; or "" */
	char taken[320];	/* of it: another manager is master; or "" */
	char sm_key[256]; /* of it: the master has another SM_Key; or "" */
	char flaw[192];	  /* of it: a port does not hold what it acks */
	char settings[SM_SETTINGS]; /* of it: a port lacks what it needs */
	uint32_t settings_kept; /* ports that keep settings of their own ... */
	char settings_first[SM_SETTINGS]; /* ... and the first of them */
	char names[320];       /* of it: names wait to be accepted; or "" */
	char adaptive[768];    /* of it: switches that forward otherwise than
				  by their tables; or "" */
	uint64_t adaptive_off; /* switches where it was switched off */
	struct sm_adaptive adaptive_use;
	struct sm_m_keys m_keys;
	char keys[256];	    /* P_Key tables that are too small; or "" */
	char drained[320];  /* of it: what is drained carries traffic; or "" */
	char shortage[256]; /* links with fewer VLs than wanted; or "" */
};

/* Names of enumerators for people: "idle", "master". */
const char *sm_phase_name(enum sm_phase p);
const char *sm_role_name(enum sm_role r);

/* Counters of a status, uint64_t, by their names in the member "sweeps" of the
 * command status. A new counter is a member of struct sm_status and a row. */
struct sm_status_counter {
	const char *name;
	size_t offset;
};
const struct sm_status_counter *sm_status_counters(size_t *n);
uint64_t sm_status_count(
	const struct sm_status *s, const struct sm_status_counter *c);

#endif
