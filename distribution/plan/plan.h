/*
 * plan: what must change and in which order, as pure data.
 *
 * Made from (routes with their topology, the transition that safe.h found,
 * hwstate, link parameters); nothing is sent here. A plan is a list of steps
 * in phases; a phase begins when every step of the one before is acknowledged
 * (or has failed for good), and, where it says so, when what was sent before
 * has had the time to leave the fabric. What is known to be in place produces
 * no step. Phases without steps are left out.
 *
 *   KEYS     P_Keys that ports gain
 *   PARAMS   port 0 of switches, and end ports that are already Armed or
 *            Active: LID, LMC, SM's LID, time-outs, with NoChange of the state
 *            (a Set of the state a port is in is an error, IBA 14.2.5.6)
 *   TOP      LinearFDBTop of switches that refuse blocks above it
 *   WALL     what nobody knows becomes 255, and entries that lead there; what
 *            comes next drains first
 *   LFT      blocks of fresh switches: nothing flows there yet; their RAISE,
 *            which lowers, too: what is above is not to come to life
 *   LEARN    read tables of lanes of live ports that are not known
 *   ARBS     VLArbitrationTables, before anybody is sent to other lanes
 *   LANES    SL2VL, where there are levels of service, or several lanes; the
 *            many rows of a switch at once where it can take them so
 *   LEARN    read the rows that BLOCK will change
 *   BLOCK    turns of the transition go to VL 15; where stages come first, just
 *            before the last one
 *   DOWN     ports of the port methods, the farthest first; SETTLE: until they
 *            are in Init again, the nearest first; CLEAR: PortStateChange of
 *            their switches, so that what is set from now on is not our doing;
 *            VERIFY: nothing else happened there meanwhile
 *   ARM      ports in Init go to Armed; their parameters ride on that Set
 *   ACTIVATE all armed ports go to Active. New cables carry traffic before the
 *            entries that use them are written: the mixture has them already
 *   LFT      delta blocks of live switches, one phase for each stage; all
 *            but the first drain, and the first when something was blocked
 *   UNBLOCK  rows become what they shall be, after a drain; also those that an
 *            earlier life or a broken push left behind
 *   RAISE    LinearFDBTop of the others, now that the blocks below it are true
 *   ARM, ACTIVATE  ports that DOWN took
 *   LOWER    LinearFDBTop that may come down
 *   UNKEY    P_Keys that ports lose
 *   GUARD    live switch ports begin to enforce partitions; ports in Init do
 *            so from ARM on
 *
 * IBA volume 1, 14.2.5.4, 14.2.5.6, 14.2.5.8; pitfalls: no echoed physical
 * state, 0 (no change) for link width and speed, no LID on external switch
 * ports, MTU and VLs as both ends can.
 */
#ifndef HEDDLE_DISTRIBUTION_PLAN_PLAN_H
#define HEDDLE_DISTRIBUTION_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distribution/device/device_store.h"
#include "distribution/tables/vlarb.h"
#include "distribution/transition/transition.h"
#include "routing/core/routes.h"
#include "sm/mad/mad.h"

enum plan_kind {
	PLAN_KEYS,
	PLAN_PARAMS,
	PLAN_WALL,
	PLAN_TOP,
	PLAN_LFT,
	PLAN_ARBS,
	PLAN_LANES,
	PLAN_LEARN,
	PLAN_BLOCK,
	PLAN_DOWN,
	PLAN_SETTLE,
	PLAN_CLEAR,
	PLAN_VERIFY,
	PLAN_ARM,
	PLAN_ACTIVATE,
	PLAN_UNBLOCK,
	PLAN_RAISE,
	PLAN_LOWER,
	PLAN_UNKEY,
	PLAN_GUARD,
	PLAN_KINDS,
};

/* Modifiers of SLtoVLMappingTable: for every port, IBA 14.2.5.8. */
enum { PLAN_ALL_OUT = 1 << 16, PLAN_ALL_IN = 1 << 17 };

#define PLAN_BEFORE UINT32_MAX /* payload: the row that the hold remembers */

struct plan_step {
	port_ix port;  /* target port; port 0 for a switch's own attributes */
	uint16_t attr; /* MAD_PORT_INFO, MAD_SWITCH_INFO, MAD_LFT, MAD_SL2VL,
			  MAD_VLARB, MAD_PKEY_TABLE */
	uint8_t kind;  /* enum plan_kind */
	uint32_t mod;  /* attribute modifier; block number for MAD_LFT */
	uint32_t payload; /* MAD_LFT: an lft_ref; else index into payload[];
			     of BLOCK the mask of SLs to close; without
			     meaning for LEARN, SETTLE and VERIFY */
};

/* step[first .. end) */
struct plan_phase {
	enum plan_kind kind;
	bool fresh;	/* LFT, RAISE: of switches that carry nothing */
	bool drain;	/* wait before it for what is on its way */
	uint16_t stage; /* LFT of live switches: of the transition */
	size_t first, end;
};

/* Parameters every linked port shall have. */
struct plan_params {
	uint64_t subnet_prefix;
	uint64_t mkey;
	uint8_t subnet_timeout;
	uint8_t hoq_life,
		leaf_hoq_life; /* switch ports to switches, to hosts */
	uint8_t vl_stall;
	uint8_t max_vls_code; /* OperationalVLs code, 1..5 */
};

/* A P_Key table without room for all that it shall hold. */
struct plan_unfit {
	port_ix port;
	uint32_t keys, cap;
};

struct plan {
	struct routes *routes; /* a reference; routes->topo is the topology */
	struct transition_result *change; /* owned */
	struct plan_step *step;		  /* in the order of phases */
	size_t nsteps;
	struct plan_phase *phase;
	size_t nphases;
	uint8_t (*payload)[64];
	size_t npayload;
	bool *downed; /* [nports] taken to Init, or NULL: none */
	struct plan_unfit *unfit;
	size_t nunfit;
	size_t mismatched_ports; /* live links whose MTU or VLs are not what
				    both ends can: left alone, not bounced */
};

/* What a plan is made from. */
struct plan_job {
	struct routes *routes;
	struct transition_result *change; /* becomes the plan's */
	const struct device_store *hw;
	const struct plan_params *params;
	const struct pkey_table_want *keys; /* NULL: P_Keys stay as they are */
	const struct vlarb_want *lanes; /* NULL: no levels, and routing's lanes
					   alone */
};

/*
 * Make a plan. Quarantined nodes get no step. The plan keeps the routes alive;
 * free with plan_free, in the thread that owns their pool.
 */
struct plan *plan_make(const struct plan_job *job);

/* Forget the steps, which may be large; what was found out stays. */
void plan_carried_out(struct plan *p);

void plan_free(struct plan *p); /* NULL allowed */

/* The fields that a Set(PortInfo) must never echo become "no change". */
void plan_no_change(struct mad_port_info *i);

/*
 * The time-outs and lifetimes of a PortInfo as one number: what a device may
 * keep to itself although it acknowledged the Set.
 */
uint32_t plan_tunables(const struct mad_port_info *i);

/* "block", "LFT"; never NULL. */
const char *plan_kind_name(enum plan_kind k);

/* Does the step only ask? */
bool plan_reads(const struct plan_step *s);

/* Steps of a kind, over all phases. */
size_t plan_count(const struct plan *p, enum plan_kind k);

/* "Set(PortInfo) on S1 port 3", for messages. */
void plan_step_text(
	const struct plan *p, const struct plan_step *s, char *out, size_t n);

#endif
