/*
 * loss_estimate_priv: shared by loss_estimate.c (what is lost at a moment),
 * loss_schedule.c (which moments there are) and loss_in_flight.c (what is lost
 * on links), and included by no other file.
 */
#ifndef HEDDLE_DISTRIBUTION_TRANSITION_LOSS_ESTIMATE_PRIV_H
#define HEDDLE_DISTRIBUTION_TRANSITION_LOSS_ESTIMATE_PRIV_H

#include "distribution/transition/loss_estimate.h"
#include "distribution/transition/transition.h"
#include "routing/core/routes.h"

enum { LOSS_ESTIMATE_STEPS = 4000000 };

static inline uint64_t
loss_estimate_steps(const struct loss_estimate_job *job)
{
	return job->steps > 0 ? job->steps : LOSS_ESTIMATE_STEPS;
}

/* Whether the port sends and receives. */
static inline bool
loss_estimate_is_host(const struct topo *t, port_ix p)
{
	return topo_is_host(t, p) && t->port[p].state >= PORT_ARMED;
}

/* The share of one LID of a port in what is sent to it. */
static inline double
loss_estimate_share(const struct topo *t, port_ix p)
{
	return 1.0 / (double)(1U << t->port[p].lmc);
}

/* Which dependencies are blocked at a moment. */
enum { LOSS_ESTIMATE_STAYING = 1, LOSS_ESTIMATE_PASSING = 2 };

/* A state of the fabric that stands for `seconds` of a phase. */
struct loss_estimate_moment {
	size_t phase;
	double seconds;
	size_t written; /* write[0 .. written) of the transition are in place */
	unsigned closed; /* LOSS_ESTIMATE_STAYING, LOSS_ESTIMATE_PASSING */
	/*
	 * Of the links that the method takes: down are links with a near end at
	 * least down_from hops from us, back are links with both port numbers
	 * below back_to.
	 */
	unsigned down_from;
	port_ix back_to;
};

/* Whether this port, one that the method takes, is down at the moment. */
static inline bool
loss_estimate_is_down(
	const struct topo *t, port_ix p, const struct loss_estimate_moment *m)
{
	port_ix peer = t->port[p].peer;
	port_ix near = topo_is_near_end(t, p) ? p : peer;

	return t->node[t->port[near].node].hops >= m->down_from &&
	       (p > peer ? p : peer) >= m->back_to;
}

struct loss_estimate_moments {
	struct loss_estimate_moment *m;
	size_t n, cap;
};

/*
 * Both ends of what the transition takes down, [nports of to->topo], or NULL.
 */
bool *loss_schedule_down(const struct loss_estimate_job *job);

/*
 * Fills out->phase with kinds, times and SMPs, and lists the moments in the
 * order in which they come. The first one is the state before all writes, with
 * the time that was waited, which may be none.
 */
void loss_schedule(const struct loss_estimate_job *job, const bool *downed,
	struct loss_estimate *out, struct loss_estimate_moments *m);

/* Adds to out's phases what is on links that go away; downed as above. */
void loss_in_flight(const struct loss_estimate_job *job, const bool *downed,
	struct loss_estimate *out);

#endif
