/*
 * judge_int: what the files of the judge share.
 */
#ifndef HEDDLE_SIM_JUDGE_INT_H
#define HEDDLE_SIM_JUDGE_INT_H

#include "tests/sim/judge.h"
#include "tests/sim/sim_int.h"

/* A LID of an end port in scope. */
struct judge_lid {
	uint32_t node;
	uint16_t lid;
	uint8_t port;
	bool base; /* the first of its port's */
};

struct judge {
	const struct sim *s;
	struct judge_report *r;
	struct reason *why;
	bool *scope;	 /* [nnodes] */
	uint32_t *order; /* nodes in scope, nearest to the SM first */
	uint32_t norder;
	struct judge_lid *lid;
	size_t nlid, lid_cap;
	unsigned said; /* kinds of faults already named */

	/* per LID */
	uint32_t *next;	 /* [nnodes]: next node, or JUDGE_END, JUDGE_LOST */
	uint8_t *out;	 /* [nnodes]: by which port */
	uint32_t *depth; /* [nnodes]: switches to go; 0 unknown */
	uint32_t *stack; /* [nnodes] */

	/* dependencies: bit (in, out) of each switch */
	uint64_t (*dep)[4]; /* [first + in] */
	/* load: pairs on the channel out of port [first + out] */
	uint64_t *load;
	uint64_t *flow;	 /* [nnodes], per LID */
	uint32_t *hosts; /* [nnodes]: CAs at a switch */
};

#define JUDGE_END (UINT32_MAX - 1)
#define JUDGE_LOST (UINT32_MAX - 2)

/* Name a fault, the first of its kind only. */
void judge_say(struct judge *j, unsigned kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* judge_cycle.c: find cycles in the dependencies. */
void judge_cycle_find(struct judge *j);

#endif
