/*
 * pkey_read: reading what P_Key tables hold, instead of overwriting it.
 *
 * Every unknown block of the ports that matter is read. A block without an
 * answer stays unknown, and the table is left alone until it is read; a port
 * that is silent or refuses once gets no further Get. Known blocks are read
 * again where the owner wants to be sure of them; what the answer holds then
 * counts.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_PKEY_READ_H
#define HEDDLE_DISTRIBUTION_DEVICE_PKEY_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/device_store.h"
#include "distribution/tables/pkey_table.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

struct pkey_read;

/* Which blocks of a port's table to read: none, unknown ones, all. */
enum { PKEY_TABLE_ASK_NOTHING, PKEY_TABLE_ASK_UNKNOWN, PKEY_TABLE_ASK_ALL };

/*
 * Takes a reference to t; hw and x are borrowed; ask ([nports], as above)
 * is not kept.
 */
struct pkey_read *pkey_read_new(struct topo *t, struct device_store *hw,
	const uint8_t *ask, struct xact *x);

/* Only when done, or after xact_cancel_all. NULL allowed. */
void pkey_read_free(struct pkey_read *r);

void pkey_read_feed(struct pkey_read *r, struct mono now);
bool pkey_read_done(const struct pkey_read *r);

/* Give up what is unanswered; the reading is done then. */
void pkey_read_stop(struct pkey_read *r, struct mono now);

/*
 * Tables that held something else than was known; *first: one of these ports.
 */
size_t pkey_read_wrong(const struct pkey_read *r, port_ix *first);

/* Blocks that were asked for. */
size_t pkey_read_count(const struct pkey_read *r);

#endif
