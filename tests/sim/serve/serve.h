/*
 * serve: the simulated fabric as a server, for unmodified programs: opensm,
 * ibnetdiscover, smpquery, heddled, preloaded with libumad2sim.so.
 *
 *	client --NAME:inPID--> NAME:outI --> sim_send --> the fabric --+
 *	  ^                                                            |
 *	  +--- a queue per client <--- by TID or IsSM <--- endpoint <--+
 *
 * Programs with libheddle-umad.so attach to the same fabric through umadserve.
 *
 * One process, one thread, one loop. Several clients may attach to one port:
 * they share its endpoint. Requests that arrive at a port go to the client
 * there that has raised IsSM, answers to the client with the number in bits
 * 63:48 of the TID: the server writes it there when the request passes.
 *
 * libumad2sim.so has no timers, and programs that use it wait for ever for a
 * message that was lost (ibnetdiscover reads without a time limit; opensm
 * counts what is outstanding). The kernel would return such a request with
 * ETIMEDOUT; so does the server, some time after it was sent. With zero
 * latencies messages are answered in the same pass of the loop in which they
 * arrive.
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
	bool planar;	      /* umadserve_options.planar */
};

/* No latencies, 200 ms, 10 s, no retries. */
struct serve_options serve_defaults(void);

/*
 * Bind the sockets and build the fabric. f must live as long as the server; the
 * command `add` adds hosts to it. NULL and a reason if the name is taken.
 */
struct serve *serve_new(
	struct fabric *f, const struct serve_options *o, struct reason *why);

/* Serve until `quit`, SIGINT or SIGTERM. */
void serve_run(struct serve *s);

/* One pass of the loop: wait for events and serve them. For tests. */
void serve_once(struct serve *s);

void serve_free(struct serve *s); /* NULL allowed */

#endif
