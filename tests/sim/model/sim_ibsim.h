/*
 * sim_ibsim: SMAs as those of ibsim 0.10, the simulator that Debian ships, so
 * that a subnet manager meets the same devices on either and does the same to
 * them. What it does is known by asking it; deliberately kept are also:
 *
 *	PortInfo	a Set keeps GID prefix, LIDs, LMC, HOQ life, VLs, the
 *			width and the extended speed, and nothing else; of a
 *			refused one some fields stay
 *	port states	Down makes both ends Init; Armed and Active need the
 *			other end to be no more than one step away
 *	physical state	whatever is written; only LinkUp at both ends carries
 *	P_Keys, VLArb	an answer to a Set echoes it, stored is less
 *	MFT		1024 groups and 32 ports, the rest reads as zeroes
 *	unknown		no answer, not even a status
 *
 * Left out: memory beyond its tables, which it hands out and writes to.
 */
#ifndef HEDDLE_TESTS_SIM_MODEL_SIM_IBSIM_H
#define HEDDLE_TESTS_SIM_MODEL_SIM_IBSIM_H

#include "tests/sim/model/sim_int.h"

/* Does an SMA do anything with this attribute? */
bool sim_ibsim_knows(uint16_t attr);

/* PortInfo of a port without a cable, or with one. */
void sim_ibsim_boot(struct sim *s, uint32_t node, unsigned port, bool linked);

/* SwitchInfo after power-on. */
void sim_ibsim_boot_switch(struct sim_switch *sw, bool enhanced_p0);

/* NodeInfo, where it differs. */
void sim_ibsim_node_info(struct mad_node_info *ni);

/*
 * Do what req asks. d holds the request's data and takes the answer's; the MAD
 * status.
 */
uint16_t sim_ibsim_act(struct sim *s, const struct sim_msg *q,
	const struct smp *req, uint8_t d[MAD_DATA]);

#endif
