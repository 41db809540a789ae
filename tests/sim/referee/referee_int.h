/* referee_int: what the files of the referee share. */
#ifndef HEDDLE_TESTS_SIM_REFEREE_REFEREE_INT_H
#define HEDDLE_TESTS_SIM_REFEREE_REFEREE_INT_H

#include "tests/sim/model/sim_int.h"
#include "tests/sim/referee/referee.h"

/* A LID of an end port in scope. */
struct referee_lid {
	uint32_t node;
	uint16_t lid;
	uint8_t port;
	bool base; /* the base LID of its port */
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
	bool sets;     /* some switch routes adaptively */
	unsigned said; /* kinds of faults already reported */

	/* per LID */
	uint32_t *next;	 /* [nnodes]: next node, or REFEREE_END, REFEREE_LOST */
	uint8_t *out;	 /* [nnodes]: out-port */
	uint32_t *depth; /* [nnodes]: switches left to go; 0: unknown */
	uint32_t *stack; /* [nnodes] */

	/* dependencies, per in-port: from VL a to VL b of a set of out-ports */
	const struct referee_sls *sls; /* NULL: any SL between any two */
	unsigned vls;
	uint64_t (**dep)[4]; /* [first + in], NULL or [a * vls + b] */
	uint16_t *on; /* [(first + in) * vls + a]: SLs, for the current LID */

	/* load: pairs on the link out of port [first + out] */
	uint64_t *load;
	uint64_t *flow;	 /* [nnodes], per LID */
	uint32_t *hosts; /* [nnodes]: host ports at a switch */
};

#define REFEREE_END (UINT32_MAX - 1)
#define REFEREE_LOST (UINT32_MAX - 2)

/* Report a fault, only the first of its kind. */
void referee_say(struct referee *j, unsigned kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* True if the path of the current LID leads from this switch to its port. */
bool referee_arrives(const struct referee *j, uint32_t sw);

/* referee_vl.c: collect dependencies, one LID at a time. */
void referee_vl_begin(struct referee *j);
void referee_vl_add(struct referee *j, const struct referee_lid *l,
	const uint32_t *by_depth);
void referee_vl_end(struct referee *j);

/*
 * Packets from an in-port may go on by an out-port: dependencies between all
 * VLs that some SL maps so.
 */
void referee_vl_pair(struct referee *j, uint32_t sw, unsigned in, unsigned out);

/* referee_sets.c: whether some switch in scope routes adaptively; its ports. */
bool referee_sets_exist(const struct referee *j);
void referee_sets_add(
	struct referee *j, const struct referee_lid *l, unsigned what);

/* referee_cycle.c: find cycles of dependencies. */
void referee_cycle_find(struct referee *j);

#endif
