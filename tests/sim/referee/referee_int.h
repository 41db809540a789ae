/*
 * referee_int: what the files of the judge share.
 */
#ifndef HEDDLE_TESTS_SIM_REFEREE_REFEREE_INT_H
#define HEDDLE_TESTS_SIM_REFEREE_REFEREE_INT_H

#include "tests/sim/model/sim_int.h"
#include "tests/sim/referee/referee.h"

/* A LID of an end port in scope. */
struct referee_lid {
	uint32_t node;
	uint16_t lid;
	uint8_t port;
	bool base; /* the first of its port's */
};

struct referee {
	const struct sim *s;
	struct referee_report *r;
	struct reason *why;
	bool *scope;	 /* [nnodes] */
	uint32_t *order; /* nodes in scope, nearest to the SM first */
	uint32_t norder;
	struct referee_lid *lid;
	size_t nlid, lid_cap;
	unsigned said; /* kinds of faults already named */

	/* per LID */
	uint32_t *next;	 /* [nnodes]: next node, or REFEREE_END, REFEREE_LOST */
	uint8_t *out;	 /* [nnodes]: by which port */
	uint32_t *depth; /* [nnodes]: switches to go; 0 unknown */
	uint32_t *stack; /* [nnodes] */

	/* dependencies, per in-port: from lane a to lane b of which ports */
	const struct referee_sls *sls; /* NULL: any SL between any two */
	unsigned lanes;
	uint64_t (**dep)[4]; /* [first + in], NULL or [a * lanes + b] */
	uint16_t *on; /* [(first + in) * lanes + a]: SLs, while a LID is done */

	/* load: pairs on the channel out of port [first + out] */
	uint64_t *load;
	uint64_t *flow;	 /* [nnodes], per LID */
	uint32_t *hosts; /* [nnodes]: CAs at a switch */
};

#define REFEREE_END (UINT32_MAX - 1)
#define REFEREE_LOST (UINT32_MAX - 2)

/* Name a fault, the first of its kind only. */
void referee_say(struct referee *j, unsigned kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Does the way of the LID under work lead from this switch to its end? */
bool referee_arrives(const struct referee *j, uint32_t sw);

/* referee_lane.c: collect dependencies, one LID at a time. */
void referee_lane_begin(struct referee *j);
void referee_lane_add(struct referee *j, const struct referee_lid *l,
	const uint32_t *by_depth);
void referee_lane_end(struct referee *j);

/* referee_cycle.c: find cycles in the dependencies. */
void referee_cycle_find(struct referee *j);

#endif
