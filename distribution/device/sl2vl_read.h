/*
 * sl2vl_read: reading the rows of SL2VL that packets between switches meet,
 * instead of overwriting them.
 *
 * Tables that need their layers are judged by what rows say
 * (transition/vl_graphs.c): after a restart these are read before routes are
 * made, so that they are known to be in place; where nothing says that there
 * were layers, only when a plan shows that all ports would go down for want of
 * them, because there are many. A row without an answer stays unknown.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_SL2VL_READ_H
#define HEDDLE_DISTRIBUTION_DEVICE_SL2VL_READ_H

#include "discovery/topo.h"
#include "distribution/device/device_read.h"
#include "distribution/device/device_store.h"
#include "sm/transport/xact.h"

/*
 * A reading of the unknown rows of live links between switches, from ports that
 * carry data. Takes a reference to t; hw and x are borrowed.
 */
struct device_read *sl2vl_read_new(
	struct topo *t, struct device_store *hw, struct xact *x);

#endif
