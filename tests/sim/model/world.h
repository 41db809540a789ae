/*
 * world: the SM core and a simulated fabric in one process, on one virtual
 * clock. What main.c does in production is done here by a test: messages go in
 * when the simulation delivers them, timers when they are due, routes at once
 * (after a configurable delay). State that is saved is kept, so that a second
 * life of the daemon can be started with it.
 */
#ifndef HEDDLE_TESTS_SIM_MODEL_WORLD_H
#define HEDDLE_TESTS_SIM_MODEL_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/core/sm.h"
#include "sm/state/state_file.h"
#include "tests/sim/model/sim.h"
#include "tests/topo/fabric.h"

struct world {
	const struct fabric *fabric; /* borrowed */
	struct sim *sim;
	struct sim_endpoint *ep;
	uint32_t host; /* where it is */
	struct sm *sm;
	struct config *config;
	struct sm_ops ops;
	struct sm_work *work; /* waiting for its time */
	struct mono work_due, route_delay;
	struct state_file saved; /* what the daemon wanted on disk */
	unsigned runs, runs_failed, commits;
	char last_why[512];
	/* is told of every view that is committed; or NULL */
	void (*told)(void *cookie, const struct view *v);
	void *told_cookie;
	struct mono cpu; /* of this process, in routing, judging, planning */
	/* If asked for: CPU of the core's longest turn, in which it answers
	 * nobody (the worker's part is none of it), and where that led. */
	bool timed;
	struct mono longest;
	enum sm_phase longest_to;
};

/*
 * A world around f; yaml ("" or NULL: all defaults) is the configuration of
 * the SM, which sits on the first host. A configuration that does not parse is
 * asserted. Nothing runs yet.
 */
struct world *world_new(
	const struct fabric *f, const struct sim_options *o, const char *yaml);
void world_free(struct world *w); /* NULL allowed */

/* Start the daemon at the present virtual time. */
void world_start(struct world *w);

/* Kill it without ceremony; world_start begins a second life with what was
 * saved. */
void world_kill(struct world *w);

/* Lose what was saved: the next life is that of a daemon elsewhere. */
void world_forget(struct world *w);
/* And on that host, by its first port; nobody lives now. */
void world_elsewhere(struct world *w, uint32_t host);

/* Another configuration, for the daemon that runs and those to come. */
void world_reload(struct world *w, const char *yaml);

/* Let time pass. */
void world_run(struct world *w, struct mono duration);

/*
 * Run until the SM is idle with nothing dirty and nothing in flight for a
 * while, at most limit. True when it settled.
 */
bool world_settle(struct world *w, struct mono limit);

#endif
