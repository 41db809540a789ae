/*
 * serve: the simulated fabric as a server, for programs that know nothing of
 * it: opensm, ibnetdiscover, smpquery, heddled, preloaded with libumad2sim.so.
 *
 *	client --NAME:inPID--> NAME:outI --> sim_send --> the fabric --+
 *	  ^                                                            |
 *	  +--- a queue per client <--- who is it for? <--- endpoint <--+
 *
 * Programs with libheddle-umad.so attach to the same fabric, by umadserve.
 *
 * One process, one thread, one loop. Several clients may sit on one port: they
 * share its endpoint. Requests that arrive at a port go to the client there
 * that has raised IsSM, answers to the client whose number is in bits 63:48 of
 * the TID: the server puts it there when the request passes.
 *
 * libumad2sim.so has no timers, and what uses it waits for ever for a message
 * that was lost (ibnetdiscover reads without a time limit; opensm counts what
 * is outstanding). The kernel would hand such a request back with ETIMEDOUT;
 * so does the server, a while after it was sent. With the latencies at zero
 * messages are answered in the turn in which they arrive.
 */
#ifndef HEDDLE_TESTS_SIM_SERVE_SERVE_H
#define HEDDLE_TESTS_SIM_SERVE_SERVE_H

#include "sm/base/reason.h"
#include "tests/sim/model/sim.h"
#include "tests/topo/fabric.h"

enum { SERVE_CLIENTS = 32 };

struct serve;

struct serve_options {
	const char *name; /* of the sockets: IBSIM_SOCKNAME */
	const char *ctl;  /* path of another control socket, or NULL */
	struct sim_options sim;
	struct mono timeout;  /* lost SMPs come back after this */
	struct mono patience; /* requests to other clients after this */
	unsigned retries;     /* times that a lost SMP is sent again first */
};

/* No latencies, 200 ms, 10 s, no retries. */
struct serve_options serve_defaults(void);

/*
 * Bind the sockets and build the fabric; f lives as long as the server, which
 * adds hosts to it when told to. NULL and a reason when the name is taken.
 */
struct serve *serve_new(
	struct fabric *f, const struct serve_options *o, struct reason *why);

/* Serve until `quit`, SIGINT or SIGTERM. */
void serve_run(struct serve *s);

/* Serve what is there and due, waiting for it at first: for tests. */
void serve_once(struct serve *s);

void serve_free(struct serve *s); /* NULL allowed */

#endif
