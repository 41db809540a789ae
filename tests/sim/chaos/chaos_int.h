/*
 * chaos_int: a day's script, between the file that writes it and the one that
 * plays it.
 */
#ifndef HEDDLE_TESTS_SIM_CHAOS_CHAOS_INT_H
#define HEDDLE_TESTS_SIM_CHAOS_CHAOS_INT_H

#include "sm/base/rng.h"
#include "tests/sim/chaos/chaos.h"
#include "tests/sim/model/sim.h"
#include "tests/sim/referee/tenants.h"
#include "tests/topo/fabric.h"

enum chaos_kind {
	CHAOS_LINK_DOWN,
	CHAOS_LINK_UP,
	CHAOS_REBOOT,
	CHAOS_NODE_OUT,
	CHAOS_NODE_IN,
	CHAOS_HANG,
	CHAOS_SLOW,
	CHAOS_WAKE,
	CHAOS_FLAP,
	CHAOS_LOSS,
	CHAOS_NO_LOSS,
	CHAOS_RENAME,
	CHAOS_RESWEEP,
	CHAOS_KILL,
	CHAOS_START,
	CHAOS_RELOAD,
	CHAOS_TAMPER,
	CHAOS_JOIN,
	CHAOS_LEAVE,
	CHAOS_KINDS,
};

struct chaos_step {
	struct mono at;
	enum chaos_kind kind;
	uint32_t node, port;
	uint32_t value; /* millionths, microseconds, times, or a group */
};

struct chaos_script {
	struct fabric *f;
	struct sim_options sim;
	char what[160]; /* the fabric in words */
	char yaml[512];
	struct mono route_delay;
	uint32_t other_sm;	 /* host of a lesser SM, or FABRIC_NONE */
	uint32_t speaker;	 /* host that joins for all, or FABRIC_NONE */
	struct chaos_step *step; /* by time */
	size_t nsteps, cap;
	struct mono end;	 /* of trouble */
	struct tenants *tenants; /* or NULL */
	uint8_t narrow;		 /* VLCap of some cables between switches; 0:
				    all are alike */
	struct rng cables;	 /* which ones */
};

/* Write the script of a seed, and free what it holds. */
void chaos_script_make(
	struct chaos_script *s, uint64_t seed, const struct chaos_limits *l);
void chaos_script_free(struct chaos_script *s);

/* Append a step's line: when, what, where. */
void chaos_script_print(const struct chaos_script *s,
	const struct chaos_step *step, struct buf *out);

/* chaos_group.c: groups on a day. */
struct chaos_group {
	struct sim *s;
	const struct fabric *f;
	struct sim_endpoint *ep; /* speaks for all; NULL: no groups */
	uint32_t node;		 /* where it sits */
	uint64_t answers;	 /* that all is well */
};
void chaos_group_begin(struct chaos_group *g, uint32_t speaker);
/* Join or leave; nobody waits. */
void chaos_group_say(struct chaos_group *g, const struct chaos_step *e);
/*
 * Do the switches carry to the members that the daemon knows, each once, what
 * any member sends, and to nobody else? 0 or -1.
 */
struct sm;
int chaos_group_judge(
	const struct chaos_group *g, const struct sm *sm, struct reason *why);

#endif
