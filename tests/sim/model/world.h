/*
 * world: the SM core and a simulated fabric in one process, on one virtual
 * clock. A test takes the place of sm/daemon.h: messages are handed in when the
 * simulation delivers them, timers when they are due, routes at once (after a
 * configurable delay). The state that the daemon saves is kept, so that it can
 * be started again with it.
 */
#ifndef HEDDLE_TESTS_SIM_MODEL_WORLD_H
#define HEDDLE_TESTS_SIM_MODEL_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/core/sm.h"
#include "sm/record/record_tap.h"
#include "sm/state/state_file.h"
#include "tests/scope.h"
#include "tests/sim/model/sim.h"
#include "tests/topo/fabric.h"

/* An event that the core told. */
struct world_event {
	enum event_kind kind;
	uint64_t guid; /* of the first end, or node, in it; or 0 */
	uint8_t port;
	char *text;
};

struct world {
	const struct fabric *fabric; /* borrowed */
	struct sim *sim;
	struct world *beside; /* another SM on the same fabric, or NULL */
	struct sim_endpoint *ep;
	uint32_t host; /* the SM's node */
	struct sm *sm;
	struct config *config;
	struct sm_ops ops;
	struct sm_work *work; /* routed at work_due */
	struct mono work_due, route_delay;
	struct state_file saved; /* the daemon's state file */
	unsigned runs, runs_failed, stood_by, commits, reads;
	unsigned kept; /* configurations refused at a start */
	char last_why[512];
	struct world_event *event; /* all of them, oldest first */
	size_t nevents, cap_events;
	/* called for every committed view; or NULL */
	void (*told)(void *cookie, const struct view *v);
	void *told_cookie;
	/* called for every event that is told; or NULL */
	void (*heard)(void *cookie, const struct world_event *e);
	void *heard_cookie;
	struct record_tap *tap; /* or NULL: listens at every core */
	bool stopped;	 /* SIGSTOP: no event is served; messages are lost */
	struct mono cpu; /* of this process: routing, verification, plan */
	/* If timed: the longest CPU time of one call into the core, in which it
	 * answers no query (the worker's part does not count), and the phase it
	 * ended in. */
	bool timed;
	struct mono longest;
	enum sm_phase longest_to;
};

/*
 * A world around f; yaml ("" or NULL: all defaults) is the configuration of the
 * SM, which runs on the first host. A configuration that does not parse is
 * asserted. Nothing runs yet.
 */
struct world *world_new(
	const struct fabric *f, const struct sim_options *o, const char *yaml);
void world_free(struct world *w); /* NULL allowed */
AUTO_POINTER(world, struct world, world_free)

/*
 * A second daemon on w's fabric, on this host, port 1; freed with w. Time
 * passes for both when it passes for w.
 */
struct world *world_beside(struct world *w, uint32_t host, const char *yaml);

/* Have everything that comes into the cores that are started from now on, and
 * what they send, recorded; tap is borrowed. */
void world_record(struct world *w, struct record_tap *tap);

/* Start the daemon at the present virtual time. */
void world_start(struct world *w);

/*
 * Kill the daemon without shutdown; world_start restarts it with what was
 * saved.
 */
void world_kill(struct world *w);

/* Lose what was saved, as if the daemon were started on another machine. */
void world_forget(struct world *w);
/*
 * The same, and move the SM to this host, port 1. Not while the daemon runs
 * (asserted).
 */
void world_elsewhere(struct world *w, uint32_t host);

/* Load another configuration: into the running daemon, and for later starts. */
void world_reload(struct world *w, const char *yaml);
/* The same with a configuration, of which the caller keeps its reference. */
void world_take_config(struct world *w, struct config *c);

/* Let time pass. */
void world_run(struct world *w, struct mono duration);

/*
 * Run until the SM is idle with nothing dirty and nothing in flight for a
 * while, at most limit. True when it settled.
 */
bool world_settle(struct world *w, struct mono limit);

#endif
