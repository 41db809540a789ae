/*
 * sim_ibsim: SMAs that answer as ibsim 0.10 does, the simulator that Debian
 * ships, so that a subnet manager meets the same devices on either simulator
 * and treats them alike. The behaviour is known from asking ibsim; its
 * deliberately kept peculiarities:
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
 * Left out: ibsim reads and writes memory beyond its tables.
 */
#ifndef HEDDLE_TESTS_SIM_MODEL_SIM_IBSIM_H
#define HEDDLE_TESTS_SIM_MODEL_SIM_IBSIM_H

#include "tests/sim/model/sim_int.h"

/* True if the SMA knows this attribute. */
bool sim_ibsim_knows(uint16_t attr);

/* PortInfo of a port after power-on, with or without a link. */
void sim_ibsim_boot(struct sim *s, uint32_t node, unsigned port, bool linked);

/* SwitchInfo after power-on. */
void sim_ibsim_boot_switch(struct sim_switch *sw, bool enhanced_p0);

/* The fields of NodeInfo that differ. */
void sim_ibsim_node_info(struct mad_node_info *ni);

/*
 * Carry out req. d holds the request's data and takes the answer's. Returns the
 * MAD status.
 */
uint16_t sim_ibsim_act(struct sim *s, const struct sim_msg *q,
	const struct smp *req, uint8_t d[MAD_DATA]);

#endif
