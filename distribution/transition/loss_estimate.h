/*
 * loss_estimate: what a transition will cost the hosts, before anything is
 * sent.
 *
 * The transition is simulated as a sequence of moments. A schedule
 * (loss_schedule.c) says how long each phase will take, by the time an SMP
 * takes to be answered, how many may be in flight, and the drains; at some
 * moments of each phase every LID of a host is followed from every switch with
 * hosts, by the tables, blocked dependencies and ports of that moment. A pair
 * of hosts without a working path loses what it sends as long as the moment
 * lasts, for one of these causes:
 *
 *   broken   the old path is gone, or there never was one, and the new one is
 *            not written; from the moment on that the fabric changed
 *   turned   between stages: sent back by the link it came by, or in a loop
 *   closed   a dependency that is blocked (VL 15) meanwhile
 *   down     a port that the method takes to Init, a host's own included
 *   flight   what was on links and in switches that went away, or were taken
 *            down, at that moment: as much as is sent while a packet travels
 *
 * Costs are pairs times seconds. Packets are that times what a pair of hosts
 * sends a second, which only the reader knows: loss_estimate_packets takes what
 * a host sends, evenly to all others. A fluid model: no queues, no packet that
 * gets through just before a block arrives. Hosts of switches that are new or
 * gone count neither as source nor as destination, links retrain in no time,
 * all LIDs of a port count alike. Above a number of steps every n-th LID stands
 * for n.
 *
 * Tables come from the transition itself (lft_write.was, image), so that the
 * estimate may be made when all is over; it is rarely asked for. What is known
 * only before and while the transition runs is noted (hosts, schedule, what was
 * in flight), references to the blocks that the transition replaced are kept,
 * and the rest is done on demand. Where that would keep many blocks alive that
 * are not needed any more, it is done at once.
 */
#ifndef HEDDLE_DISTRIBUTION_TRANSITION_LOSS_ESTIMATE_H
#define HEDDLE_DISTRIBUTION_TRANSITION_LOSS_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/clock.h"

struct routes;
struct transition_result;

enum loss_estimate_cause {
	LOSS_ESTIMATE_BROKEN,
	LOSS_ESTIMATE_LOOPED,
	LOSS_ESTIMATE_CLOSED,
	LOSS_ESTIMATE_DOWN,
	LOSS_ESTIMATE_FLIGHT,
	LOSS_ESTIMATE_CAUSES,
};

enum loss_estimate_kind {
	LOSS_ESTIMATE_BEFORE, /* from the change to the first write */
	LOSS_ESTIMATE_WALLS,
	LOSS_ESTIMATE_CLOSE, /* dependencies go to VL 15 */
	LOSS_ESTIMATE_FALL,  /* ports go to Init */
	LOSS_ESTIMATE_LIVEN, /* links in Init come up */
	LOSS_ESTIMATE_TABLES,
	LOSS_ESTIMATE_OPEN,
	LOSS_ESTIMATE_RISE, /* ports come back */
};

/* How long SMPs and packets take. */
struct loss_estimate_pace {
	struct mono answer; /* an SMP, from its sending to its answer */
	unsigned window;    /* SMPs in flight at once */
	unsigned target;    /* of these, to one node */
	struct mono drain;
	struct mono hop; /* a packet, from one switch to the next */
};

/* An answer of 100 us, hops of 1 us; the rest as without any configuration. */
struct loss_estimate_pace loss_estimate_pace_defaults(void);

struct loss_estimate_job {
	const struct transition_result *change;
	const struct routes *to;   /* what it leads to */
	const struct routes *from; /* its links may be gone; NULL: none */
	struct loss_estimate_pace pace;
	struct mono waited; /* since the fabric changed, if it did */
	uint64_t steps;	    /* table entries to look at, about; 0: 4 million */
};

struct loss_estimate_phase {
	enum loss_estimate_kind kind;
	unsigned stage; /* of TABLES, from 1 */
	size_t smps;
	struct mono drain; /* waited before it, part of time */
	struct mono time;
	double lost[LOSS_ESTIMATE_CAUSES]; /* pairs times seconds */
};

struct loss_estimate {
	uint32_t hosts; /* that send and are sent to */
	double now;	/* pairs without a path until something is written */
	struct mono answer; /* of the pace */
	struct loss_estimate_phase *phase;
	size_t nphases;
	double lost[LOSS_ESTIMATE_CAUSES]; /* of all phases */
	struct mono time;
};

/* Never fails; loss_estimate_clear frees what it holds. */
void loss_estimate_compute(
	const struct loss_estimate_job *job, struct loss_estimate *out);
void loss_estimate_clear(struct loss_estimate *e);

/*
 * The same in two steps. The second step needs nothing of the job but `to`:
 * these routes, or the same for another freeze of the fabric (routes_for). The
 * last reference drops blocks: in the thread that owns the pool;
 * loss_estimate_cost, which computes the cost once, may be called at any time.
 */
struct expectation;
struct expectation *loss_estimate_begin(const struct loss_estimate_job *job);
const struct loss_estimate *loss_estimate_cost(
	struct expectation *x, const struct routes *to);
struct expectation *loss_estimate_ref(struct expectation *x); /* NULL allowed */
void loss_estimate_unref(struct expectation *x);	      /* NULL allowed */

/* Over all causes. */
double loss_estimate_sum(const double lost[LOSS_ESTIMATE_CAUSES]);

/*
 * Packets that are lost in `lost` pairs times seconds when each of the hosts
 * sends `rate` packets a second, evenly to all others.
 */
double loss_estimate_packets(
	const struct loss_estimate *e, double lost, double rate);

/* The default rate: 2 KiB packets at 100 Gb/s. */
#define LOSS_ESTIMATE_RATE 6.1e6

/* "broken", "closed"; "tables", "ports down". */
const char *loss_estimate_cause_name(enum loss_estimate_cause c);
const char *loss_estimate_kind_name(enum loss_estimate_kind k);

#endif
