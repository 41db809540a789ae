/*
 * health: the counters of all cabled ports, read again and again from the
 * performance agents of the fabric (IBA volume 1, 16.1).
 *
 * A pass asks every port that has a link, the first port of all nodes first,
 * then the second of all: so no agent is asked for all its ports at once. An
 * agent tells once what it knows (ClassPortInfo); then a port costs one
 * request, for the widest attribute that has its errors, or two where data is
 * wanted in 64 bits and the agent has only that so. The next pass begins an
 * interval after the last one began.
 *
 * What is left of the interval, and a quarter of the time of the pass at least,
 * is for a second round: the counters of forward error correction
 * (sm/health/port_fec.h) of links of FDR and faster. Of RS-FEC, which links of
 * HDR and faster have, the agent says that it has them; the others are asked
 * for until the agent refuses them, which it is seldom asked again. The round
 * goes on where it was when a pass came between, so that the errors of all
 * ports are read as often as without it.
 *
 * Nothing that matters waits for it: it sends only while its caller lets it,
 * HEALTH_RATE requests a second at most, which is 5 % of what the management of
 * a fabric sends at its busiest, and asks nothing twice in a pass. A node that
 * has no such agent, or left two requests in a row unanswered, is no fault: it
 * is asked in one pass of 16; one that is silent also in the first pass over
 * another topology, since it may have been cut off. Counters are read and never
 * cleared.
 *
 * Answers are matched by TID, sender, attribute and port; all others are
 * counted and dropped.
 */
#ifndef HEDDLE_SM_HEALTH_HEALTH_H
#define HEDDLE_SM_HEALTH_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/clock.h"
#include "sm/health/port_health.h"
#include "sm/transport/transport.h"

enum {
	HEALTH_RATE = 2500, /* requests a second, of all kinds */
	HEALTH_WINDOW = 64, /* in flight */
	HEALTH_ANSWER_MS = 500,
};

struct health;

struct health_options {
	bool enabled;
	struct mono interval;
	bool data; /* data and packets are wanted in 64 bits, too */
};

struct health_ops {
	void *cookie;
	/* The SL by which port p of t is reached. */
	uint8_t (*sl)(void *cookie, const struct topo *t, port_ix p);
	/* Port p of t, which has a link, was read. */
	void (*read)(
		void *cookie, const struct topo *t, port_ix p, struct mono now);
	/* A pass is over. */
	void (*passed)(void *cookie, struct mono now);
};

struct health_stats {
	uint64_t passes; /* that ended */
	uint64_t asked, answered, unanswered;
	uint64_t refused; /* answered with a status */
	uint64_t alien;	  /* messages that answer nothing that was asked */
	/* of the last pass: its duration, the ports with a link, and those of
	 * them whose counters were read */
	struct mono took;
	uint32_t ports, read;
	/* of the last whole round of FEC counters: those that were read, and
	 * the time from its begin to its end */
	uint32_t fec_read;
	struct mono fec_took;
};

/* t (the transport) and ops are borrowed. Nothing is asked before
 * health_configure enables it. */
struct health *health_new(struct transport *t, const struct health_ops *ops);
void health_free(struct health *h); /* NULL allowed */

/* Take options; where it is no longer enabled, all is forgotten. */
void health_configure(
	struct health *h, const struct health_options *o, struct mono now);
bool health_is_enabled(const struct health *h);

/* Ask on, where may_ask: t is the topology of the fabric as it is now. Not to
 * be asked, t may be NULL. */
void health_step(
	struct health *h, const struct topo *t, bool may_ask, struct mono now);

/* When health_step has something to do. */
struct mono health_next(const struct health *h, bool may_ask);

/* A message of the class has arrived. t as above. */
void health_receive(struct health *h, const struct transport_msg *m,
	const struct topo *t, struct mono now);

/* What is known of a port, by node GUID and port number; NULL: nothing. */
struct port_health *health_port(
	const struct health *h, uint64_t guid, unsigned num);

const struct health_stats *health_stats(const struct health *h);

#endif
