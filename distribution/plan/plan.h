/*
 * plan: what must change and in which order, as pure data.
 *
 * Made from (routes with their topology, the transition that transition.h
 * found, the device store, link parameters); nothing is sent here. A plan is a
 * list of steps in phases; a phase begins when every step of the phase before
 * is acknowledged (or has failed for good), and, where it says so, when what
 * was sent before has had the time to leave the fabric. What is known to be in
 * place gets no step. Phases without steps are left out.
 *
 *   KEYS     P_Keys that ports gain
 *   PARAMS   port 0 of switches, and ports that are already Armed or Active:
 *            LID, LMC, SM's LID, time-outs, with NoChange of the state (a Set
 *            of the state a port is in is an error, IBA 14.2.5.6);
 *            LifeTimeValue of switches that no later phase sends SwitchInfo.
 *            The ports that have LIDs come first: what follows needs the
 *            M_Keys that they are given
 *   TOP      LinearFDBTop of switches that refuse blocks above it
 *   WALL     quench: unknown blocks become 255, and so do entries that lead
 *            into the unknown; the phase that follows drains first
 *   LFT      blocks of fresh switches, which carry no traffic yet; their RAISE,
 *            which lowers, too: blocks above the top must not come to life
 *   LEARN    read SL2VL and arbitration tables of live ports that are unknown
 *   ARBS     VLArbitrationTables, before packets are sent to other VLs
 *   LANES    SL2VL, where there are QoS levels, or several layers; many rows of
 *            a switch in one Set where it can take them so. Rows with blocked
 *            SLs wait for UNBLOCK, unless a link of theirs comes up before, or
 *            the tables rely on all rows
 *   LEARN    read the rows that BLOCK will change
 *   BLOCK    dependencies of the transition go to VL 15; where stages come
 *            first, just before the last one
 *   DOWN     ports of the port methods, the farthest first; SETTLE: until they
 *            are in Init again, the nearest first; CLEAR: PortStateChange of
 *            their switches, so that what is set from now on is not our doing;
 *            VERIFY: nothing else happened there meanwhile
 *   PREPARE  the parameters of ports in Init, with NoChange of the state: MTU,
 *            VLs and what PARAMS sets of others, where a port has not all of
 *            them. Devices may ignore parameters in a Set that changes the
 *            state
 *   ARM      ports in Init go to Armed; their Sets repeat the parameters
 *   ACTIVATE all armed ports go to Active. New links carry traffic before the
 *            entries that use them are written: the mixture has them already
 *   LFT      delta blocks of live switches, one phase for each stage; all but
 *            the first drain, and the first when something was blocked.
 *            Before PREPARE adaptive groups get slots (FILL, TOP) and lose
 *            ports (SHRINK), or packets would be led into links that come up
 *            by groups that no routes have with them; entries change in the
 *            same stages, and gain ports afterwards (MOVE, GROW, ON):
 *            adaptive_groups.h. Where the change does not allow that, adaptive
 *            routing is switched OFF before QUENCH
 *   LOWER    LinearFDBTop that may come down: blocks above it that the new
 *            tables do not have are in force until then, as no LFT phase writes
 *            them
 *   UNBLOCK  rows get their final value, after a drain; also rows that a
 *            previous run or a broken push left blocked
 *   RAISE    LinearFDBTop of the others, now that the blocks below it are right
 *   PREPARE, ARM, ACTIVATE  ports that DOWN took, after a drain where others
 *            stayed up: they hold what a port holds in Init, which was not read
 *            when the plan was made
 *   PARAMS   MasterSMSL of end ports that are up: the SL belongs to the tables
 *            that are in place by now
 *   TABLES   further tables of ports, which no path depends on: alias GUIDs
 *   UNKEY    P_Keys that ports lose
 *   GUARD    live switch ports begin to enforce partitions; ports in Init do so
 *            from PREPARE on
 *
 * IBA volume 1, 14.2.5.4, 14.2.5.6, 14.2.5.8; pitfalls: no echoed physical
 * state, 0 (no change) for link width and speed, no LID on external switch
 * ports, MTU and VLs as both ends can.
 *
 * Folder distribution/plan: transition, store and wanted tables -> steps in
 * phases. Callers: sm/core makes plans, distribution/push carries them out.
 * Read next: plan_priv.h, then plan.c.
 */
#ifndef HEDDLE_DISTRIBUTION_PLAN_PLAN_H
#define HEDDLE_DISTRIBUTION_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distribution/device/device_store.h"
#include "distribution/tables/adaptive_info.h"
#include "distribution/tables/pkey_table.h"
#include "distribution/tables/vlarb.h"
#include "distribution/transition/transition.h"
#include "routing/core/routes.h"
#include "sm/mad/mad.h"

enum plan_kind {
	PLAN_KEYS,
	PLAN_PARAMS,
	PLAN_QUENCH,
	PLAN_TOP,
	PLAN_LFT,
	PLAN_ARBS,
	PLAN_SLVL,
	PLAN_LEARN,
	PLAN_BLOCK,
	PLAN_DOWN,
	PLAN_SETTLE,
	PLAN_CLEAR,
	PLAN_VERIFY,
	PLAN_PREPARE,
	PLAN_ARM,
	PLAN_ACTIVATE,
	PLAN_UNBLOCK,
	PLAN_RAISE,
	PLAN_TABLES,
	PLAN_LOWER,
	PLAN_UNKEY,
	PLAN_GUARD,
	PLAN_ADAPTIVE_OFF,
	PLAN_ADAPTIVE_FILL,
	PLAN_ADAPTIVE_TOP,
	PLAN_ADAPTIVE_SHRINK,
	PLAN_ADAPTIVE_MOVE,
	PLAN_ADAPTIVE_GROW,
	PLAN_ADAPTIVE_READ,
	PLAN_ADAPTIVE_ON,
	PLAN_MCAST_TOP,
	PLAN_MCAST_BREAK,
	PLAN_MCAST_MAKE,
	PLAN_KINDS,
};

/* In the block of a row of SL2VL: from every in-port, to every out-port, as in
 * the modifier of SLtoVLMappingTable, IBA 14.2.5.8. */
enum { PLAN_ALL_OUT = 1 << 8, PLAN_ALL_IN = 1 << 9 };

#define PLAN_BEFORE UINT32_MAX /* payload: the row before it was blocked */

struct plan_step {
	port_ix port;	/* with the attribute; port 0 for a switch as a whole */
	uint8_t attr;	/* enum device_attr */
	uint8_t kind;	/* enum plan_kind */
	uint16_t stays; /* UNBLOCK: SLs that stay blocked, a bit each */
	uint32_t block; /* of the attribute, attribute.h */
	uint32_t payload; /* DEVICE_LFT: an lft_ref; else index into payload[];
			     of BLOCK the mask of SLs to block; no meaning for
			     LEARN, SETTLE and VERIFY */
};

/* step[first .. end) */
struct plan_phase {
	enum plan_kind kind;
	bool fresh;	/* LFT, RAISE: of switches that carry no traffic */
	bool drain;	/* wait before it for what is in flight */
	bool settle;	/* ... for late copies of Sets alone */
	uint16_t stage; /* LFT of live switches: of the transition */
	size_t first, end;
};

/* Parameters that every linked port shall have. */
struct plan_params {
	uint64_t subnet_prefix;
	uint64_t mkey;		 /* 0: none, without protection and lease */
	uint16_t mkey_lease;	 /* seconds; 0: it does not run out */
	uint8_t mkey_protection; /* M_KeyProtectBits */
	uint8_t subnet_timeout;
	uint8_t hoq_life,
		leaf_hoq_life; /* switch ports to switches, to hosts */
	uint8_t vl_stall;
	uint8_t phy_errors, overrun_errors; /* thresholds for traps */
	uint8_t packet_life;		    /* LifeTimeValue of switches */
	uint8_t max_vls_code;		    /* OperationalVLs code, 1..5 */
};

/* Adaptive routing, as configured; the ports are routes.sets. */
struct plan_adaptive {
	bool enabled;
	bool in_flight; /* packets may be where groups sent them that have
			   changed since */
	bool by_sl;	/* packets of some service levels alone may choose */
	bool by_lid;	/* packets to every second LID of a host alone may */
	struct adaptive_settings settings;
};

/* What a plan makes of it. */
struct plan_adaptive_counts {
	bool careful;	  /* forwarding tables change, so that groups wait */
	bool left;	  /* something is to be written by a later plan */
	size_t steps;	  /* of this one */
	bool moved;	  /* LIDs lose ports at switches that choose */
	uint64_t no_room; /* (switch, LID) without a group for want of slots */
};

/* A P_Key table without room for all that it shall hold. */
struct plan_unfit {
	port_ix port;
	uint32_t keys, cap;
};

/* What a device keeps of its own. */
enum plan_keeps {
	PLAN_KEEPS_SETTINGS,	/* a port, of its PortInfo: see device_kept */
	PLAN_KEEPS_LIFE,	/* a switch, by its port 0: LifeTimeValue */
	PLAN_KEEPS_ENFORCEMENT, /* a port does not enforce partitions */
};

/* A port that keeps its own, known from an earlier answer: not asked again. */
struct plan_kept {
	port_ix port;
	enum plan_keeps what;
};

struct plan {
	struct topo *topo;		  /* a reference */
	struct routes *routes;		  /* a reference, of a plan of routes */
	struct transition_result *change; /* owned; of a plan of routes */
	struct plan_step *step;		  /* in the order of phases */
	size_t nsteps;
	struct plan_phase *phase;
	size_t nphases;
	uint8_t (*payload)[64];
	size_t npayload;
	bool *downed; /* [nports] taken to Init, or NULL: none */
	struct plan_unfit *unfit;
	size_t nunfit;
	struct plan_kept *kept;
	size_t nkept;
	struct plan_adaptive_counts adaptive;
	size_t mismatched_ports; /* live links with another MTU or VLs than both
				    ends can do: left alone, not bounced */
};

/* A block of a port that no path depends on, as it shall be. */
struct plan_block {
	port_ix port;
	enum device_attr attr;
	uint32_t block;
	uint8_t want[64];
};

/* What a plan is made from. */
struct plan_job {
	struct routes *routes;
	struct transition_result *change; /* becomes the plan's */
	const struct device_store *hw;
	const struct plan_params *params;
	const struct pkey_table_want *keys; /* NULL: P_Keys stay as they are */
	const struct plan_block *block;	    /* [nblocks] */
	size_t nblocks;
	/* NULL: no QoS levels, and routing's layers alone */
	const struct vlarb_want *vlarb;
	const struct plan_adaptive *adaptive; /* NULL: left as it is */
};

/*
 * Make a plan. Quarantined nodes get no step. The plan keeps the routes alive;
 * free with plan_free, in the thread that owns their pool.
 */
struct plan *plan_make(const struct plan_job *job);

/* The same of adaptive groups alone, for a preview: of the job routes, change,
 * hw and adaptive count. */
struct plan *plan_make_groups(const struct plan_job *job);

/* A cell of a multicast forwarding table. */
struct plan_cell {
	port_ix port; /* whose number is the position */
	uint32_t block;
	const uint16_t *want; /* [MFT_COLUMNS] */
	uint16_t links;	      /* ports of it that lead to switches */
};

/* What SwitchInfo says of multicast. */
struct plan_mcast_top {
	sw_ix sw;
	uint16_t top; /* MulticastFDBTop */
	bool no_default_ports;
};

/* What a plan for multicast is made from; everything is borrowed. */
struct plan_mcast_job {
	struct topo *topo;
	const struct device_store *hw;
	const struct plan_cell *cell; /* that hold something else, or are
					 unknown */
	size_t ncells;
	const struct plan_mcast_top *top;
	size_t ntops;
};

/*
 * A plan for multicast trees alone, which is carried out between those for
 * routes. At no moment of it is there a loop or a duplicate packet:
 *
 *   MCAST_TOP    MulticastFDBTop that must be higher, default ports that go
 *   MCAST_BREAK  cells with trees that move: links that are in the old tree and
 *                in the new one. Left out where all trees only gain links, or
 *                only lose some: they stay inside one tree in any order
 *   MCAST_MAKE   cells get all that is wanted
 *
 * A phase in which trees gain links settles first.
 */
struct plan *plan_mcast(const struct plan_mcast_job *job);

/* Free the steps, which may be large; unfit, kept and mismatched_ports stay. */
void plan_carried_out(struct plan *p);

void plan_free(struct plan *p); /* NULL allowed */

/* The fields that a Set(PortInfo) must never echo become "no change". */
void plan_no_change(struct mad_port_info *i);

/* "block", "LFT"; never NULL. */
const char *plan_kind_name(enum plan_kind k);

/* Whether the step is a Get. */
bool plan_reads(const struct plan_step *s);

/* "Set(PortInfo) on S1 port 3", for messages. */
void plan_step_text(
	const struct plan *p, const struct plan_step *s, char *out, size_t n);

#endif
