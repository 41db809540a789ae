/*
 * beside_tables: what a result has beside its verified tables, found from the
 * tables alone: room for multicast where they obey no order of switches, and
 * sets of ports for switches that choose among ports themselves.
 */
#ifndef HEDDLE_ROUTING_DRIVER_BESIDE_TABLES_H
#define HEDDLE_ROUTING_DRIVER_BESIDE_TABLES_H

#include <stdbool.h>

#include "routing/core/engine.h"
#include "routing/core/verdict.h"

/* r as the verifier is given it, and the same with the ranks of its links, a
 * reference. */
struct verify_tables beside_tables_as_judged(const struct routes *r);
struct verify_tables beside_tables_ranked(
	const struct routes *r, struct link_ranks **ranks);

/* Fill r->mcast where r obeys no order of switches. False: there is no room for
 * multicast trees. */
bool beside_tables_mcast(const struct route_job *job, struct routes *r);

/* Fill r->sets where job->adaptive says that switches may choose: sets that
 * verify_sets.h found to be safe, or none and why. */
void beside_tables_sets(const struct route_job *job, struct routes *r);

#endif
