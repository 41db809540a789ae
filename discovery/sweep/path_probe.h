/*
 * scout: why is there no answer? When an answer is late, the reason may be a
 * link on the way that is down, and the switch before it knows: PortInfo of
 * every port on the way is asked, from the near end on. One that says "down"
 * proves that nothing beyond it can answer by this way: what is on its way
 * there is given up at once (xact_cut) instead of after all its time-outs, and
 * the owner is told which port it is.
 *
 * Nothing is concluded from silence, nor from a port that is up: then the
 * time-outs and their retries decide, as without a scout. IBA volume 1, 14.2.
 */
#ifndef HEDDLE_DISCOVERY_SWEEP_PATH_PROBE_H
#define HEDDLE_DISCOVERY_SWEEP_PATH_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/transport/xact.h"

struct path_probe;

/*
 * The node that path[1..hops] leads to has its port path[hops + 1] down. Told
 * before what lies beyond is given up.
 */
typedef void path_probe_found(
	void *cookie, const uint8_t path[64], unsigned hops, struct mono now);

/* Borrows x. */
struct path_probe *path_probe_new(
	struct xact *x, path_probe_found *found, void *cookie);

/* Only after xact_cancel_all. NULL allowed. */
void path_probe_free(struct path_probe *s);

/*
 * Request r of an owner is late; from the port at hop first on (0: our own),
 * look. What is late of the scout's own does not count, and no way is looked at
 * twice at a time.
 */
void path_probe_late(struct path_probe *s, const void *owner,
	const struct xact_request *r, unsigned first, struct mono now);

#endif
