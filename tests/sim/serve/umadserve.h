/*
 * umadserve: the side of a heddle-sim server that programs with
 * libheddle-umad.so attach to (preload/proto.h). It plays the kernel's part:
 * what ib_umad and the MAD layer below it do for one port, here for every port
 * of a simulated fabric that somebody sits on.
 *
 *	program			umadserve			sim
 *	write MAD	--> agent, TID's upper half, timer --> sim_send
 *	read MAD	<-- agent by TID (answers) or by	<-- endpoint
 *			    class and method (requests)
 *	read ETIMEDOUT	<-- timer
 *
 * As in the kernel: an answer goes to the agent whose request waits for it and
 * to nobody else; a request to the agent that registered for its class, method
 * and version, and a Get or Set that nobody registered for is answered with
 * status 0x000C; a method can have one agent a port; a request is repeated
 * after its time-out as often as it says, then its header comes back with
 * ETIMEDOUT.
 *
 * Messages of more than 256 bytes: their first 256 travel through the fabric
 * as any other MAD (and can be lost there), the whole waits in a memory file
 * beside it until they arrive. There is no segmentation on the simulated wire;
 * the RMPP header is left as the kernel's would be: that of a first segment.
 *
 * The owner's loop: wait until umadserve_fd is readable or umadserve_next has
 * come, call umadserve_turn, let the simulation run, call umadserve_flush.
 */
#ifndef HEDDLE_TESTS_SIM_SERVE_UMADSERVE_H
#define HEDDLE_TESTS_SIM_SERVE_UMADSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/base/reason.h"
#include "tests/sim/model/sim.h"

struct umadserve;

/*
 * m has arrived at a port that umadserve was attached to. True: it was for one
 * of its agents.
 */
typedef bool umadserve_take(
	void *cookie, const struct transport_msg *m, struct mono now);

/*
 * How to share ports with other kinds of clients, for a server that has them:
 * attach gives the endpoint of a port (NULL: not possible) and calls take for
 * what arrives there, until detach. What nobody takes, umadserve_unmatched
 * answers.
 */
struct umadserve_hub {
	struct sim_endpoint *(*attach)(void *cookie, uint32_t node,
		unsigned port, umadserve_take *take, void *take_cookie);
	void (*detach)(void *cookie, struct sim_endpoint *e);
	void *cookie;
};

struct umadserve_options {
	struct sim *sim;	     /* outlives the umadserve */
	const struct fabric *fabric; /* the same; names its nodes */
	const char *name;	     /* of the socket; NULL: $IBSIM_SOCKNAME */
	const struct umadserve_hub *hub; /* NULL: the ports are ours alone */
};

struct umadserve_stats {
	uint64_t connections, sent, delivered, big, timeouts, unmatched;
	uint64_t dropped; /* to programs that do not read */
	uint64_t late;	  /* answers that nobody waits for any more */
	uint64_t refused; /* connections ended for what they said */
};

/* Listen. NULL and a reason when that name is taken. */
struct umadserve *umadserve_new(
	const struct umadserve_options *o, struct reason *why);
void umadserve_free(struct umadserve *u); /* NULL allowed */

/* A descriptor that is readable when there is something to do. */
int umadserve_fd(const struct umadserve *u);

/* When a time-out is due. */
struct mono umadserve_next(const struct umadserve *u);

/* Take in what programs have sent, end what has timed out. Never waits. */
void umadserve_turn(struct umadserve *u, struct mono now);

/* Give programs what has arrived for them since the last flush. */
void umadserve_flush(struct umadserve *u);

/* Answer a Get or Set that nobody at this port registered for: 0x000C. */
void umadserve_unmatched(struct sim_endpoint *e, const struct transport_msg *m);

const struct umadserve_stats *umadserve_stats(const struct umadserve *u);

#endif
