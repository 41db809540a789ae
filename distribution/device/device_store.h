/*
 * device_store: what devices are known to hold.
 *
 * One cache of blocks (attribute.h says which attributes there are, and what is
 * special about each), keyed by GUID, so that it outlives topologies. A block
 * is known when the device acknowledged it or it was read back; every other
 * block is unknown, and the next plan reads or sends it. From the moment a Set
 * leaves until its acknowledgement a block has two values, old and new: of
 * forwarding tables both count, every other block is unknown so long. A block
 * is in doubt while a copy of a Set may still overwrite it. Equal blocks share
 * their memory, those of forwarding tables with the routes that they came from.
 * Marks say what a device refuses.
 *
 * The store also owns the list of blocked dependencies (blocked_rows.h), and
 * which settings ports keep although they were sent others. Port parameters are
 * not here: discovery's builder holds them as last read or acknowledged.
 *
 * It changes only on a Set that leaves, an acknowledgement, a read-back, or
 * when something shows that a device lost its memory.
 *
 * Folder distribution/device: acknowledgements and answers -> what devices
 * hold, or that it is unknown. Callers: distribution/push records;
 * distribution/transition and plan compare; sm/core and sm/audit run the
 * readers. Read next: distribution/device/lft_read.h, the simplest reader.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_DEVICE_STORE_H
#define HEDDLE_DISTRIBUTION_DEVICE_DEVICE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/attribute.h"
#include "distribution/device/blocked_rows.h"
#include "routing/core/lft.h"
#include "sm/base/clock.h"
#include "sm/mad/mad.h"

#define DEVICE_UNKNOWN UINT32_MAX /* no lft_ref: contents unknown */

struct device_store;

struct device_store *device_new(struct lft_pool *pool);
void device_free(struct device_store *h); /* drops its blocks; NULL allowed */

/* ---- blocks of every attribute ---- */

/* The 64 bytes of a block, until the store changes; NULL: unknown. */
const uint8_t *device_bytes(const struct device_store *h, struct device_at at);

/* All blocks of a port: values of the store's or DEVICE_UNKNOWN, for block 0 ..
 * *n - 1, DEVICE_UNKNOWN beyond. Valid until the store changes. */
const lft_ref *device_blocks(
	const struct device_store *h, struct device_at at, uint32_t *n);

/* The 64 bytes of such a value. */
const uint8_t *device_value(
	const struct device_store *h, enum device_attr attr, lft_ref value);

/* The block was acknowledged or read; the attribute says how many bytes. A
 * forwarding block keeps its other values, as after device_set_block. */
void device_put(
	struct device_store *h, struct device_at at, const uint8_t *bytes);

/*
 * A Get or Set of the block is about to leave: its answer moves nothing in the
 * store, so that another thread may read other attributes meanwhile.
 */
void device_expect(struct device_store *h, struct device_at at);

/* A Set of the block is in flight (of forwarding tables: device_sending), or
 * its answer was lost. */
void device_lose(struct device_store *h, struct device_at at);

/* What is remembered of a port's table beside its blocks; of a switch as a
 * whole at its port 0. */
enum device_mark {
	DEVICE_REFUSES =
		1 << 0, /* it does not do what its capabilities promise;
			   LFT: refuses blocks above LinearFDBTop */
	DEVICE_REFUSES_SPAN = 1 << 1, /* it gets its rows one by one */
	DEVICE_ASSIGNED = 1
			  << 2, /* rows for QoS levels or layers were written */
	DEVICE_FOUND = 1 << 3,	/* ARInfo: it chooses by groups that it was
				   found with, which no plan has compared yet */
	DEVICE_STAYS_ON = 1 << 4, /* ARInfo: it still chose after a Set of its
				     forwarding table */
};

void device_mark(
	struct device_store *h, struct device_at at, enum device_mark m);
void device_unmark(
	struct device_store *h, struct device_at at, enum device_mark m);
bool device_marked(
	const struct device_store *h, struct device_at at, enum device_mark m);

/* A number that changes whenever something that is known of this attribute has
 * changed, or may have. */
uint64_t device_stamp(const struct device_store *h, enum device_attr attr);

/* Whether the rows from all these in-ports (a bit each) to out are this one. */
bool device_holds_rows(const struct device_store *h, uint64_t guid,
	unsigned out, const uint64_t in[4], const uint8_t row[SL2VL_ROW]);

/* The blocked dependencies. */
struct blocked_rows *device_blocked(const struct device_store *h);

/*
 * Packets may be on VLs that no row gives them any more: a row was written, and
 * packets in flight have not drained since.
 */
void device_mark_undrained(struct device_store *h);
bool device_is_undrained(const struct device_store *h);

/* ---- forwarding tables ---- */

/* Whether anything is known of this switch. */
bool device_knows(const struct device_store *h, uint64_t guid);

/*
 * Block b of the switch: a reference that the store keeps, or DEVICE_UNKNOWN.
 */
lft_ref device_block(const struct device_store *h, uint64_t guid, uint32_t b);

/*
 * All blocks of a switch at once: what device_block returns for block 0 .. *n -
 * 1, DEVICE_UNKNOWN beyond. *plain: device_values returns nothing else for any
 * of them. NULL and 0 when nothing was ever known. Valid until the store
 * changes.
 */
const lft_ref *device_row(
	const struct device_store *h, uint64_t guid, uint32_t *n, bool *plain);

/* The switch holds r in block b (takes a reference of its own). */
void device_set_block(
	struct device_store *h, uint64_t guid, uint32_t b, lft_ref r);

/*
 * A Set(LFT) failed, or its answer was lost: the block holds the old or the new
 * image.
 */
void device_unknown_block(struct device_store *h, uint64_t guid, uint32_t b);

/*
 * A Set of this image is about to leave: until it is acknowledged the block
 * holds its old value or the image. Takes a reference of its own.
 */
void device_sending(
	struct device_store *h, uint64_t guid, uint32_t b, lft_ref image);

/*
 * The block is acknowledged, and no packet has met its previous value: no
 * packet passes the switch yet.
 */
void device_set_never_used(struct device_store *h, uint64_t guid, uint32_t b);

/*
 * The values that packets in flight may meet or have met in block b: what it
 * holds, what it may hold, and what it held since the last drain. Up to max
 * into out (borrowed), the acknowledged value first; returns how many there
 * are. 0: any value is possible, because the contents are unknown, or were
 * until an acknowledgement that is younger than the last drain. A Set that was
 * sent there meanwhile does not make them known.
 */
size_t device_values(const struct device_store *h, uint64_t guid, uint32_t b,
	lft_ref *out, size_t max);

/*
 * No packet is in flight that was routed by older tables: the values that
 * blocks held before their last acknowledgement no longer count.
 */
void device_drained(struct device_store *h);

/*
 * Everything about this switch is unknown again (it rebooted or was replaced).
 */
void device_forget_node(struct device_store *h, uint64_t guid);

/*
 * Compare with a fresh topology: a switch without a LID, or with another
 * LinearFDBTop than was acknowledged, has lost its memory and is forgotten;
 * fresh switches, and end ports that are not up yet, may have lost their SL2VL
 * and arbitration tables.
 */
void device_reconcile(struct device_store *h, const struct topo *t);

/*
 * What a port was sent and what it answered to it, where the two differ: it
 * keeps settings of its own. It is not sent the same once more while it holds
 * the same; a port that lost its memory, or shall have something else, is.
 */
struct device_kept {
	uint64_t guid;
	uint8_t port;
	struct mad_port_info want, held;
};

void device_set_kept(struct device_store *h, const struct device_kept *k);
/* The port took all that it was sent. */
void device_took(struct device_store *h, uint64_t node_guid, unsigned port);
/* NULL: none. Valid until the store changes. */
const struct device_kept *device_kept(
	const struct device_store *h, uint64_t node_guid, unsigned port);

/*
 * This switch does not take the LifeTimeValue: it is not set again until
 * another value is wanted or the switch lost its memory.
 */
void device_set_keeps_life(
	struct device_store *h, uint64_t guid, uint8_t wanted);
bool device_keeps_life(
	const struct device_store *h, uint64_t guid, uint8_t wanted);

/* Record LinearFDBTop as acknowledged or read, for device_reconcile. */
void device_set_top(struct device_store *h, uint64_t guid, uint16_t top);

/*
 * Another subnet manager may have written tables of ports: every attribute that
 * says so is unknown again; or one attribute of all nodes; or of one node, and
 * what that refused.
 */
void device_distrust_ports(struct device_store *h);
void device_forget_attribute(struct device_store *h, enum device_attr attr);
void device_forget_tables(
	struct device_store *h, uint64_t guid, enum device_attr attr);

/*
 * A Set of this block was sent more than once, or without an answer: a copy may
 * still be in flight and overwrite what is acknowledged later. At the time
 * `until` the block has to be read once more, unless it is known to hold what
 * the copies would bring; until then a forwarding block keeps a value that they
 * would bring through device_drained. A P_Key table is in doubt as a whole, by
 * its block 0.
 */
struct device_doubt {
	struct device_at at;
	struct mono until;
	uint8_t copy[LFT_BLOCK]; /* what the block would hold, zero beyond */
	bool any;		 /* ... or another value: there are more Sets */
};

/* copy: what the device made of the Set, or what it was sent; the attribute
 * says how many bytes. NULL: any value. */
void device_doubt(struct device_store *h, struct device_at at,
	const uint8_t *copy, struct mono until);

/* Whether a copy would change what is known of the block. */
bool device_is_threatened(
	const struct device_store *h, const struct device_doubt *d);

/* The blocks in doubt, a borrowed array. */
const struct device_doubt *device_doubts(
	const struct device_store *h, size_t *n);

/* The block was read when no copy could arrive any more. */
void device_settle(struct device_store *h, struct device_at at);

/* Blocks are no longer in doubt when `until` is not after t; those that their
 * owner ends are in doubt until they are settled. */
void device_believe(struct device_store *h, struct mono t);

#endif
