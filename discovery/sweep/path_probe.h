/*
 * path_probe: finds the failed link behind a late answer. A link of the path
 * may be down, and the switch before it knows: PortInfo of every port on the
 * path is asked, from the near end on. A port that is down proves that no node
 * beyond it can answer by this path: requests that take it are given up at once
 * (xact_cut) instead of after all their time-outs, and the owner is told which
 * port it is.
 *
 * Nothing is concluded from silence, nor from a port that is up: then the
 * time-outs and their retries decide. IBA volume 1, 14.2.
 */
#ifndef HEDDLE_DISCOVERY_SWEEP_PATH_PROBE_H
#define HEDDLE_DISCOVERY_SWEEP_PATH_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/transport/xact.h"

struct path_probe;

/*
 * The node that path[1..hops] leads to has its port path[hops + 1] down. Called
 * before the requests beyond it are given up.
 */
typedef void path_probe_found(
	void *cookie, const uint8_t path[64], unsigned hops, struct mono now);

/* Borrows x. */
struct path_probe *path_probe_new(
	struct xact *x, path_probe_found *found, void *cookie);

/* Only after xact_cancel_all. NULL allowed. */
void path_probe_free(struct path_probe *s);

/*
 * Request r of an owner is late: probe its path from the port at hop first on
 * (0: our own). Late requests of the probe itself are ignored, and a path is
 * not probed twice at a time.
 */
void path_probe_late(struct path_probe *s, const void *owner,
	const struct xact_request *r, unsigned first, struct mono now);

#endif
