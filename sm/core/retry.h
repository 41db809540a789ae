/*
 * retry: nodes that are asked again, because something of theirs is not as it
 * should be: a port that did not come up, a table that could not be read, a
 * setting that was not kept. They are asked after a time that doubles while
 * all of them were on the list of the run before.
 */
#ifndef HEDDLE_SM_CORE_RETRY_H
#define HEDDLE_SM_CORE_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/clock.h"
#include "sm/base/map.h"

struct sm;
struct topo;

/* Nodes that are asked again; retry.c. */
struct retry {
	uint64_t *guid; /* 0: a full sweep */
	size_t n, cap;
	struct map listed; /* by GUID the run that last listed it */
	uint32_t number;   /* of this run */
	bool fresh;	   /* one of them was not listed by the last run */
	struct mono wait;
	/* switches to read again, as nothing may report that they changed */
	uint64_t *recheck;
	size_t nrecheck, cap_recheck;
};

void retry_free(struct sm *sm);
void retry_begin(struct sm *sm); /* a run begins: it makes a list of its own */
/* A node is to be asked again later; 0: by a full sweep. */
void retry_node(struct sm *sm, uint64_t guid);
/* Port p of t is not as it should be: ask it and its switch again later. */
void retry_port(struct sm *sm, const struct topo *t, port_ix p);
/* The list is complete: when it is due. */
void retry_schedule(struct sm *sm, struct mono now);
void retry_mark(struct sm *sm, struct mono now); /* it is due */

#endif
