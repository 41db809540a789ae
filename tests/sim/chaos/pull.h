/*
 * pull: a switch, or one link of it, is pulled under traffic, either as it is
 * or after a drain; then it is put back, undrained, and given its share of the
 * routes again. What that costs: entries, blocks, time, packets.
 *
 * All hosts send to all, at two loads: a low one while nothing happens, since
 * time is long then, and a high one from the first block that is written until
 * a while after the pull, so that many packets meet each change. The pull comes
 * in the microsecond in which the drain is told to be over. The hosts of a
 * switch that is pulled neither send nor receive from then on, and the pull
 * waits until their packets have arrived: their jobs ended before.
 */
#ifndef HEDDLE_TESTS_SIM_CHAOS_PULL_H
#define HEDDLE_TESTS_SIM_CHAOS_PULL_H

#include "tests/sim/data/data.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/sim/model/world.h"

enum pull_step {
	PULL_DRAIN,	/* until it may be pulled */
	PULL_OUT,	/* pulled, until the manager has come to rest */
	PULL_BACK,	/* plugged again */
	PULL_UNDRAIN,	/* may be used again */
	PULL_REBALANCE, /* is used again */
	PULL_STEPS,
};
extern const char *const pull_step_name[PULL_STEPS];

struct pull_load {
	double low, high; /* parts of the rate of the hosts' links */
};

/* A bring-up with traffic on it. */
struct pull {
	struct world *w;
	struct data *d;
	struct data_traffic traffic;
	struct pull_load load;
	uint32_t *target; /* ends that receive */
	bool *silent;	  /* [ends] */
};

struct pull_target {
	uint32_t node; /* a switch */
	unsigned port; /* of a link to another switch; 0: the whole switch */
};

struct pull_cost {
	uint64_t least;	  /* entries that led over it: all of these must
			     change */
	uint64_t entries; /* that the drain changed in the switches */
	uint64_t blocks;  /* that it wrote */
	bool clear;	  /* nothing leads over it */
	struct mono wait; /* from the command until it may be pulled, */
	struct mono cpu;  /* and the computation, which takes no virtual time */
	/* by step; lost if all hosts had sent as fast as they can: packets of
	 * each load, divided by it */
	uint64_t sent[PULL_STEPS], lost[PULL_STEPS];
	double lost_full[PULL_STEPS];
};

/* Bring the fabric up, yaml is the manager's configuration; f is borrowed. */
void pull_open(struct pull *p, const struct fabric *f, const char *yaml,
	const struct pull_load *load);
void pull_close(struct pull *p);

/*
 * Drain (by force) or not, pull, put back. 0, or -1 and why: the drain was
 * refused, or a step never ended.
 */
int pull_run(struct pull *p, const struct pull_target *at, bool drain,
	struct pull_cost *cost, struct reason *why);

/*
 * The last switch of each tier, counted from the hosts, which is not the one
 * that the manager is linked to, then the first link up of that with hosts.
 * Returns how many, at most max.
 */
unsigned pull_targets(
	const struct fabric *f, struct pull_target *out, unsigned max);

#endif
