/*
 * m_keys: M_Keys of ports in operation. While this manager is master:
 *
 * Lease. A port drops its protection when M_KeyLeasePeriod passes after a
 * request with a wrong key and none with the right one comes (IBA 14.2.4.2).
 * Each port with a LID is therefore asked for its PortInfo RENEWALS times in a
 * lease, with its key; the requests are spread evenly over that time, and go on
 * during runs, whatever the interval of sweeps is. Reports of wrong keys (trap
 * 256) change nothing of this: they cannot be used to cause requests. An answer
 * that shows another key or protection than is known marks the port dirty: the
 * run writes it anew.
 *
 * Locked ports (keyring.h). They are counted and named, together with the links
 * of switches behind which nothing answers: at protection levels 2 and 3 that
 * is all that shows of a port with another key. The same requests, or, where no
 * lease is to be kept, some of their own find out when a lease has run out
 * there: the key is readable then.
 */
#ifndef HEDDLE_SM_CORE_M_KEYS_H
#define HEDDLE_SM_CORE_M_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/clock.h"
#include "sm/report/sm_status.h"

struct sm;
struct topo;

/* Requests that renew the leases of M_Keys; m_keys.c. */
struct leases {
	struct mono asked; /* when the last was due */
	port_ix next;
	uint32_t generation, ports; /* of the view, which has so many ports */
	struct mono began; /* the round of requests; 0: there is none */
	uint32_t pending;  /* without an answer */
	bool late;	   /* the last round took longer than a lease */
};

struct mono m_keys_next(const struct sm *sm);
void m_keys_step(struct sm *sm, struct mono now);
/* The node behind port p of a switch may guard itself with an M_Key that is not
 * known, until its lease has run out. */
bool m_keys_is_silent(const struct sm *sm, const struct topo *t, port_ix p);
/* A run is over: count the ports of sm->topo that cannot be written. */
void m_keys_review(struct sm *sm);
void m_keys_reset(struct sm *sm); /* another manager is master */
/* Names them, and makes the alarm about them. */
void m_keys_tell(const struct sm *sm, struct sm_status *out);

#endif
