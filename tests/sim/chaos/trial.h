/*
 * trial: a small fabric under traffic whose switches leave and return, and what
 * that costs under a method of distribution: SMPs, time, packets, throughput,
 * beside the packets that the daemon expected to be lost (loss_estimate.h).
 *
 * As in the evaluation of Bermudez, Casado and Quiles (2003) traffic is uniform
 * with Poisson sources, a port in Init discards what it is given, and a removed
 * switch's host neither sends nor is sent to. Links are 1x SDR and retrain in
 * no time. distribution.drain is what such fabrics need, 200 us: a packet is
 * on its way for some 10 us.
 */
#ifndef HEDDLE_TESTS_SIM_CHAOS_TRIAL_H
#define HEDDLE_TESTS_SIM_CHAOS_TRIAL_H

#include "distribution/transition/loss_estimate.h"
#include "distribution/transition/transition.h"
#include "tests/sim/data/data.h"
#include "tests/sim/data/data_report.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/sim/model/world.h"

enum { TRIAL_METHODS = 5, TRIAL_PACKET = 256 };
extern const char *const trial_method[TRIAL_METHODS];

/* Changes under one method, added up. */
struct trial_outcome {
	unsigned n; /* changes added up here */
	unsigned unsettled, deadlocks;
	const char *engine; /* of the last tables */
	double sets;	    /* SMPs that write tables or ports */
	double smps;	    /* all of them */
	double micros;	    /* first write to last one */
	double planned;	    /* ... as it was expected */
	double lost;	    /* packets discarded, from the change on */
	double written;	    /* of these from the first write on */
	double dropped[LOSS_ESTIMATE_CAUSES];  /* the same by cause: a port that
					  is  not there is BROKEN, DOWN none */
	double expected[LOSS_ESTIMATE_CAUSES]; /* packets */
	double least; /* throughput of the worst ms, of the usual one */
	double worst; /* the lowest of these */
	unsigned way[TRANSITION_BLOCKED + 1]; /* how many went this way */
	double pairs, paper; /* closed, and by the paper's choice, of BLOCKED */
};

/* The writes of a run as they arrive at the switches. */
struct trial_writes {
	bool on, any;
	uint64_t sets;
	struct mono first, last;
	uint64_t lost_before; /* dropped when the first one came */
	uint32_t *bin;	      /* [bins] writes over time, or NULL */
	uint32_t bins;
	struct mono origin, width;
};

struct trial {
	struct world *w;
	struct data *d;
	struct trial_writes writes;
	struct trial_outcome *o; /* where commits are noted, or NULL */
	struct mono bin;
	double rate;	  /* packets a second that each host sends */
	uint32_t *target; /* hosts that are there */
	bool *silent;	  /* those that are not */
	struct data_traffic traffic;
};

/* A random fabric of n four-port switches with a host each, one port free at
 * least; and how cables of all such fabrics are. */
struct fabric *trial_irregular(unsigned n, uint64_t seed);
void trial_slow(struct fabric *f);

/* May this switch go away without cutting the fabric or the SM off? */
bool trial_removable(const struct fabric *f, uint32_t s);

/* What the fabric takes of uniform traffic when sources are saturated, as a
 * part of its links' rate. */
double trial_saturation(const struct fabric *f);

/* Up and carrying this part of its links' rate; f is borrowed. bin: of the time
 * series. */
void trial_open(struct trial *r, const struct fabric *f, const char *method,
	double load, struct mono bin);
void trial_close(struct trial *r);

/* Let the switch go or come and the fabric settle; add what it took. */
void trial_change(
	struct trial *r, uint32_t sw, bool present, struct trial_outcome *o);

#endif
