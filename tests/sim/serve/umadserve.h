/*
 * umadserve: the side of a heddle-sim server that programs with
 * libheddle-umad.so attach to (preload/proto.h). It takes the kernel's part:
 * what ib_umad and the MAD layer below it do for one port, here for every port
 * of a simulated fabric that a program is attached to.
 *
 *	program			umadserve			sim
 *	write MAD	--> agent, TID's upper half, timer --> sim_send
 *	read MAD	<-- agent by TID (answers) or by	<-- endpoint
 *			    class and method (requests)
 *	read ETIMEDOUT	<-- timer
 *
 * As in the kernel: an answer goes only to the agent that waits for it; a
 * request goes to the agent registered for its class, method and version, and a
 * Get or Set without such an agent is answered with status 0x000C; a method can
 * have one agent per port; a request is repeated after its time-out as often as
 * it says, then its header is returned with ETIMEDOUT.
 *
 * Of messages of more than 256 bytes, the first 256 travel through the fabric
 * as any other MAD (and can be lost there); the whole waits in a memory file
 * beside it until they arrive. The simulated wire has no segmentation; the RMPP
 * header is that of a first segment, as the kernel would send it.
 *
 * The owner's loop: wait until umadserve_fd is readable or the time
 * umadserve_next has come, call umadserve_turn, let the simulation run, call
 * umadserve_flush.
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
 * m has arrived at a port that umadserve is attached to. True: one of its
 * agents took it.
 */
typedef bool umadserve_take(
	void *cookie, const struct transport_msg *m, struct mono now);

/*
 * Lets a server share ports with other kinds of clients: attach gives the
 * endpoint of a port (NULL: not possible) and calls take for every message that
 * arrives there, until detach. umadserve_unmatched answers messages that no
 * client takes.
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
	/* Each port is in two devices, smi0 with QP0 and heddle0 with QP1, as
	 * those of a planarized adapter. */
	bool planar;
	const struct umadserve_hub *hub; /* NULL: the ports are ours alone */
};

struct umadserve_stats {
	uint64_t connections, sent, delivered, big, timeouts, unmatched;
	uint64_t dropped; /* to programs that do not read */
	uint64_t late;	  /* answers that no agent waits for any more */
	uint64_t refused; /* connections ended for a protocol error */
};

/* Listen. NULL and a reason if the name is taken. */
struct umadserve *umadserve_new(
	const struct umadserve_options *o, struct reason *why);
void umadserve_free(struct umadserve *u); /* NULL allowed */

/* A descriptor that is readable when umadserve_turn is to be called. */
int umadserve_fd(const struct umadserve *u);

/* The time of the next time-out. */
struct mono umadserve_next(const struct umadserve *u);

/* Read what programs have sent, end requests that timed out. Never waits. */
void umadserve_turn(struct umadserve *u, struct mono now);

/* Write to programs what has arrived for them since the last flush. */
void umadserve_flush(struct umadserve *u);

/* Answer a Get or Set without an agent at this port: status 0x000C. */
void umadserve_unmatched(struct sim_endpoint *e, const struct transport_msg *m);

const struct umadserve_stats *umadserve_stats(const struct umadserve *u);

#endif
