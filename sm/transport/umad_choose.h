/*
 * umad_choose: which local port the subnet manager runs on. Pure, so that it
 * can be tested without hardware; umad.c finds the ports.
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
};

/*
 * The index of the port that spec names ("auto", "DEVICE/PORT" or a GUID,
 * 0x...), or -1 and a reason that lists the ports found.
 */
int umad_choose(const struct umad_choose_port *p, size_t n, const char *spec,
	struct reason *why);

#endif
