/*
 * umad_choose: which local port the subnet manager runs on. Pure, so that it
 * can be tested without hardware; umad.c finds the ports.
 *
 * A planarized adapter (XDR) presents one port as two devices with the same
 * port GUID: one with a subnet management interface (QP0) and one with a
 * general services interface (QP1), whose CapabilityMask has IsSMDisabled. SMPs
 * go through the one, subnet administration through the other, as in
 * libibumad's umad_get_smi_gsi_pairs (which older releases lack).
 */
#ifndef HEDDLE_SM_TRANSPORT_UMAD_CHOOSE_H
#define HEDDLE_SM_TRANSPORT_UMAD_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/reason.h"

struct umad_choose_port {
	char device[32];
	int port;
	uint64_t guid;
	unsigned state;	 /* 1 down .. 4 active */
	bool infiniband; /* link layer; else Ethernet */
	bool no_smi;	 /* IsSMDisabled: it has no QP0 */
};

/*
 * The index of the port that spec names ("auto", "DEVICE/PORT" or a GUID,
 * 0x...), or -1 and a reason that lists the ports found. It has QP0: of a port
 * in two devices either name stands for both.
 */
int umad_choose(const struct umad_choose_port *p, size_t n, const char *spec,
	struct reason *why);

/*
 * The index of the port for QP1 that belongs to port smi, an answer of
 * umad_choose: smi itself unless the port is in two devices.
 */
int umad_choose_gsi(const struct umad_choose_port *p, size_t n, int smi);

#endif
