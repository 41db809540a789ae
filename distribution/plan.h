/*
 * plan: what must change, as pure data.
 *
 * Made from (routes with their topology, hwstate, link parameters); nothing is
 * sent here. A plan is a list of steps in phases; a phase begins when every
 * step of the one before is acknowledged (or has failed for good). What is
 * known to be in place produces no step.
 *
 *   PARAMS   port 0 of switches, and end ports that are already Armed or
 *            Active: LID, LMC, SM's LID, time-outs, with NoChange of the state
 *            (a Set of the state a port is in is an error, IBA 14.2.5.6)
 *   TOP      LinearFDBTop of switches that refuse blocks above it
 *   LFT      delta blocks, interleaved over the switches
 *   RAISE    LinearFDBTop of the others, now that the blocks below it are true
 *   ARM      ports in Init go to Armed; their parameters ride on that Set
 *   ACTIVATE all armed ports go to Active
 *   LOWER    LinearFDBTop that may come down
 *
 * IBA volume 1, 14.2.5.4 and 14.2.5.6; pitfalls: no echoed physical state, 0
 * (no change) for link width and speed, no LID on external switch ports, MTU
 * and VLs as both ends can.
 */
#ifndef HEDDLE_DISTRIBUTION_PLAN_H
#define HEDDLE_DISTRIBUTION_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "distribution/hwstate.h"
#include "routing/routes.h"
#include "sm/mad/mad.h"

enum plan_phase {
	PLAN_PARAMS,
	PLAN_TOP,
	PLAN_LFT,
	PLAN_RAISE,
	PLAN_ARM,
	PLAN_ACTIVATE,
	PLAN_LOWER,
	PLAN_PHASES,
};

struct plan_step {
	port_ix port;  /* target port; port 0 for a switch's own attributes */
	uint16_t attr; /* MAD_PORT_INFO, MAD_SWITCH_INFO or MAD_LFT */
	uint8_t phase; /* enum plan_phase */
	uint32_t mod;  /* attribute modifier; block number for MAD_LFT */
	uint32_t payload; /* MAD_LFT: an lft_ref; else index into payload[] */
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

struct plan {
	struct routes *routes;	/* a reference; routes->topo is the topology */
	struct plan_step *step; /* in the order of phases */
	size_t nsteps;
	size_t first[PLAN_PHASES + 1]; /* phase p: step[first[p]..first[p+1]) */
	uint8_t (*payload)[64];
	size_t npayload;
	size_t kept_blocks;	 /* blocks that were in place */
	size_t mismatched_ports; /* live links whose MTU or VLs are not what
				    both ends can: left alone, not bounced */
};

/*
 * Make a plan for r. Quarantined nodes get no step. The plan keeps r alive;
 * free with plan_free.
 */
struct plan *plan_make(struct routes *r, const struct hwstate *hw,
	const struct plan_params *params);

void plan_free(struct plan *p); /* NULL allowed */

/* The fields that a Set(PortInfo) must never echo become "no change". */
void plan_no_change(struct mad_port_info *i);

/*
 * The time-outs and lifetimes of a PortInfo as one number: what a device may
 * keep to itself although it acknowledged the Set.
 */
uint32_t plan_tunables(const struct mad_port_info *i);

/* "Set(PortInfo) on S1 port 3", for messages. */
void plan_step_text(
	const struct plan *p, const struct plan_step *s, char *out, size_t n);

#endif
