/*
 * transport: how MADs leave and arrive. Two implementations: umad.c (libibumad,
 * hardware and ibsim) and the in-process fabric of tests/sim. The core never
 * knows which one it talks to.
 */
#ifndef HEDDLE_SM_TRANSPORT_TRANSPORT_H
#define HEDDLE_SM_TRANSPORT_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#include "sm/mad/mad.h"

/* A MAD with its address, either direction. */
struct transport_msg {
	uint16_t lid; /* other side's LID; 0xffff for directed routes */
	uint32_t qpn; /* other side's QP: 0 SMPs, 1 SA */
	uint8_t sl;
	int error; /* received: 0, or errno with which our own request
		      came back unanswered */
	/*
	 * Bytes of the message. Senders: MAD_SIZE, or the exact length of a
	 * message whose RMPP header says Active. Above MAD_SIZE all of it is
	 * in body, and mad holds its beginning.
	 */
	size_t len;
	uint8_t *body; /* lent by senders; receivers: see who handed it over */
	uint8_t mad[MAD_SIZE];
};

struct transport {
	/*
	 * Hand m to the wire. The low 32 bits of its TID are ours and come
	 * back in the answer; the upper ones may be overwritten. What is longer
	 * than a MAD is cut up and put together by RMPP below us (the kernel's)
	 * where both ends speak it. 0, or -1 when the wire cannot take it now
	 * (the transaction's timer will retry).
	 */
	int (*send)(struct transport *t, const struct transport_msg *m);
};

#endif
