/*
 * hwstate: what the switches' forwarding tables are known to hold.
 *
 * Two-valued until acknowledged: a block is what a switch acknowledged last or
 * what was read back from it; everything else is DEVICE_UNKNOWN, and the next
 * plan sends it. Keyed by switch GUID, so that it outlives topologies, and
 * sharing its blocks with the routes that they came from. Port parameters are
 * not here: discovery's draft holds them as last read or acknowledged.
 *
 * It changes only on an acknowledgement, on a read-back, or when something
 * shows that a switch lost its memory.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_DEVICE_STORE_H
#define HEDDLE_DISTRIBUTION_DEVICE_DEVICE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/sl2vl_cache.h"
#include "distribution/tables/pkey_table.h"
#include "distribution/tables/vlarb.h"
#include "routing/core/lft.h"
#include "sm/base/clock.h"

#define DEVICE_UNKNOWN UINT32_MAX /* no lft_ref: contents unknown */

struct device_store;

struct device_store *device_new(struct lft_pool *pool);
void device_free(struct device_store *h); /* drops its blocks; NULL allowed */

/* Is anything known of this switch? */
bool device_knows(const struct device_store *h, uint64_t guid);

/* Block b of the switch: a reference that hw keeps, or DEVICE_UNKNOWN. */
lft_ref device_block(const struct device_store *h, uint64_t guid, uint32_t b);

/*
 * All of a switch at once: what device_block says of block 0 .. *n - 1,
 * DEVICE_UNKNOWN beyond. *plain: device_values has nothing more to say than
 * that. NULL and 0 when nothing was ever known. Good until hw changes.
 */
const lft_ref *device_row(
	const struct device_store *h, uint64_t guid, uint32_t *n, bool *plain);

/* The switch has block b = r (takes a reference of its own). */
void device_set_block(
	struct device_store *h, uint64_t guid, uint32_t b, lft_ref r);

/* A Set(LFT) failed, or its answer was lost: old or new, nobody knows. */
void device_unknown_block(struct device_store *h, uint64_t guid, uint32_t b);

/*
 * A Set of this image is about to leave: until it is acknowledged the block
 * holds what it held or the image. Takes a reference of its own.
 */
void device_sending(
	struct device_store *h, uint64_t guid, uint32_t b, lft_ref image);

/*
 * It is acknowledged, and no packet has met what the block held before: none
 * passes the switch yet.
 */
void device_set_never_used(struct device_store *h, uint64_t guid, uint32_t b);

/*
 * The values that packets on their way may meet or have met in block b: what
 * it holds, what it may hold, and what it held since the last drain. Up to max
 * into out (borrowed), the acknowledged one first; returns how many there are.
 * 0: that may be anything, for nobody knows the contents, or knew them before
 * an acknowledgement that is younger than the last drain. What was sent there
 * meanwhile does not make them known.
 */
size_t device_values(const struct device_store *h, uint64_t guid, uint32_t b,
	lft_ref *out, size_t max);

/*
 * Nothing is under way that was routed by older tables: what blocks held
 * before their last acknowledgement is history.
 */
void device_drained(struct device_store *h);

/* Everything about this switch is unknown again (it rebooted, was replaced). */
void device_forget_node(struct device_store *h, uint64_t guid);

/*
 * The switch refused a block above its LinearFDBTop: from now on its top is
 * raised before such blocks, whose contents count as unknown meanwhile.
 */
void device_set_top_first(struct device_store *h, uint64_t guid);
bool device_top_first(const struct device_store *h, uint64_t guid);

/*
 * Compare with a fresh topology: a switch whose LinearFDBTop is not what was
 * acknowledged, or that has no LID, has lost its memory and is forgotten; end
 * ports that are not up yet may have lost how they map and arbitrate lanes.
 */
void device_reconcile(struct device_store *h, const struct topo *t);

/*
 * This port acknowledged a Set but kept its own time-outs or lifetimes: they
 * are its own business from now on, until a different value is wanted.
 */
void device_set_refused(struct device_store *h, uint64_t node_guid,
	unsigned port, uint32_t wanted);
bool device_is_refused(const struct device_store *h, uint64_t node_guid,
	unsigned port, uint32_t wanted);

/* Remember LinearFDBTop as acknowledged or read, for device_reconcile. */
void device_set_top(struct device_store *h, uint64_t guid, uint16_t top);

/* What is known of rows of SL2VL, and the turns that are closed. */
struct sl2vl_cache *device_sl2vl(const struct device_store *h);

/* What is known of P_Key tables, of hosts as well. */
struct pkey_tables *device_ptables(const struct device_store *h);

/* What is known of VLArbitrationTables, of hosts as well. */
struct vlarb_cache *device_vlarbs(const struct device_store *h);

/* Another one may have written tables of ports: SL2VL, arbitration, P_Keys. */
void device_distrust_ports(struct device_store *h);

/*
 * A Set of this block was sent more than once, or nobody knows what became of
 * it: a copy may still be under way and overtake what is acknowledged later.
 * Until then the block has to be looked at once more, and keeps its values
 * through device_drained.
 */
struct device_doubt {
	uint64_t guid;
	uint32_t block;
	struct mono until;
};

void device_doubt(
	struct device_store *h, uint64_t guid, uint32_t b, struct mono until);

/* What is in doubt, a borrowed array. */
const struct device_doubt *device_doubts(
	const struct device_store *h, size_t *n);

/* Blocks whose time was over at t are no longer in doubt. */
void device_believe(struct device_store *h, struct mono t);

#endif
