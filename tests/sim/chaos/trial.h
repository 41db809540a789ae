/*
 * trial: a small fabric under traffic with switches that leave and return, and
 * the cost of that under a method of distribution: SMPs, time, packets,
 * throughput, beside the packet loss that the daemon expected
 * (loss_estimate.h).
 *
 * As in the evaluation of Bermudez, Casado and Quiles (2003), traffic is
 * uniform with Poisson sources, a port in Init discards the packets it is
 * given, and the host of a removed switch neither sends nor receives. Links are
 * 1x SDR and retrain in no time. distribution.drain is 200 us, enough for such
 * fabrics: a packet is in flight for some 10 us.
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
	unsigned n; /* number of changes */
	unsigned unsettled, deadlocks;
	const char *engine; /* of the last tables */
	double sets;	    /* SMPs that write tables or ports */
	double smps;	    /* all of them */
	double micros;	    /* first write to last one */
	double planned;	    /* the same as the daemon expected */
	double lost;	    /* packets discarded since the change */
	double written;	    /* of these, since the first write */
	double dropped[LOSS_ESTIMATE_CAUSES];  /* lost by cause: a missing port
						  is BROKEN, no cause is DOWN */
	double expected[LOSS_ESTIMATE_CAUSES]; /* packets */
	double least; /* throughput of the worst ms by the usual one, summed */
	double worst; /* the lowest of these ratios */
	unsigned way[TRANSITION_BLOCKED + 1]; /* changes by kind */
	double pairs, paper; /* of BLOCKED ones: pairs cut, and by the paper's
				choice */
};

/* The writes of a run as they arrive at the switches. */
struct trial_writes {
	bool on, any;
	uint64_t sets;
	struct mono first, last;
	uint64_t lost_before; /* packets dropped when the first one came */
	uint32_t *bin;	      /* [bins] writes by time, or NULL */
	uint32_t bins;
	struct mono origin, width;
};

struct trial {
	struct world *w;
	struct data *d;
	struct trial_writes writes;
	struct trial_outcome *o; /* where commits are counted, or NULL */
	struct mono bin;
	double rate;	  /* packets a second that each host sends */
	uint32_t *target; /* hosts that receive */
	bool *silent;	  /* [ends] hosts that do not send */
	struct data_traffic traffic;
};

/*
 * A random fabric of n four-port switches with a host each, at least one port
 * free; and the rate of links in all such fabrics.
 */
struct fabric *trial_irregular(unsigned n, uint64_t seed);
void trial_slow(struct fabric *f);

/* True if the fabric stays connected without this switch, and the SM stays. */
bool trial_removable(const struct fabric *f, uint32_t s);

/*
 * The uniform traffic that the fabric accepts from saturated sources, as a part
 * of its links' rate.
 */
double trial_saturation(const struct fabric *f);

/*
 * Bring the fabric up under this part of its links' rate; f is borrowed. bin:
 * of the time series.
 */
void trial_open(struct trial *r, const struct fabric *f, const char *method,
	double load, struct mono bin);
void trial_close(struct trial *r);

/* Remove or return the switch, let the fabric settle; add the cost to o. */
void trial_change(
	struct trial *r, uint32_t sw, bool present, struct trial_outcome *o);

#endif
