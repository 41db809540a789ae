/*
 * transport: how MADs are sent and received. Two implementations: umad.c
 * (libibumad, for hardware and ibsim) and the in-process fabric of tests/sim.
 * The core does not know which one it has.
 *
 * Folder sm/transport: requests -> MADs with TID, key and deadline -> one
 * completion each. Callers: discovery/sweep, distribution, sm/sa, sm/core and
 * sm/audit send through it; sm/daemon_run.c opens the port. Read next:
 * sm/transport/xact.h (transactions), then sm/transport/umad.h (threads and
 * devices).
 */
#ifndef HEDDLE_SM_TRANSPORT_TRANSPORT_H
#define HEDDLE_SM_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/mad/mad.h"

/*
 * The other side of a MAD. An answer goes to the address from which its request
 * came, whole: a requester that sent a GRH (it shares a LID with others, or is
 * in another subnet) takes no answer without one, nor one of another partition.
 */
struct transport_addr {
	uint16_t lid;	     /* 0xffff for directed routes */
	uint16_t pkey_index; /* of our port's P_Key table */
	uint32_t qpn;	     /* 0 SMPs, 1 SA */
	uint8_t sl;
	struct {
		bool present;	   /* the rest is 0 where it is not */
		uint8_t gid[16];   /* the other side's */
		uint8_t gid_index; /* ours, in our port's GID table */
		uint8_t hop_limit, traffic_class;
		uint32_t flow_label;
	} grh;
};

/* The low bits of a TID that tell the tries of one request apart. */
enum { TRANSPORT_TRY_BITS = 4 };

/* A MAD with its address, either direction. */
struct transport_msg {
	struct transport_addr addr;
	/* Senders of requests: how long those below us should match an answer
	 * to this try; 0: a while. */
	unsigned timeout_ms;
	int error; /* received: 0, or the errno with which our own request came
		      back unanswered */
	/*
	 * Bytes of the message. Senders: MAD_SIZE, or the exact length of a
	 * message with the Active flag in its RMPP header. If it is above
	 * MAD_SIZE, body holds the whole message, and mad its beginning.
	 */
	size_t len;
	uint8_t *body; /* lent by senders; received: as the function says that
			  hands the message over */
	uint8_t mad[MAD_SIZE];
};

struct transport {
	/*
	 * Send m. The low 32 bits of its TID are ours and come back in the
	 * answer; the upper ones may be overwritten. A message longer than a
	 * MAD is split and put together by RMPP below us (in the kernel), where
	 * both ends speak it. 0, or -1 when it cannot be sent now (the
	 * transaction's timer will retry).
	 */
	int (*send)(struct transport *t, const struct transport_msg *m);
	/* Where the TIDs of transactions begin: random on hardware, so that an
	 * answer cannot be forged blindly. */
	uint32_t tid_start;
};

#endif
