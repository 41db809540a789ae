/*
 * blocked_rows: the dependencies (in-port, out-port) of switches that are
 * blocked.
 *
 * A dependency is blocked when the subnet manager set its row of SL2VL to VL
 * 15, or tried to: packets that would take it are discarded, packets that took
 * it before have to drain. The record of a blocked dependency keeps the
 * previous row; it goes to the journal (the core's state file) before the first
 * Set leaves, and stays until the switch has acknowledged the final row,
 * whatever else is forgotten about that switch.
 *
 * Some SLs may stay blocked for old connections when all other SLs have their
 * final VL. The record is settled then: it waits for nothing, and keeps these
 * SLs, over restarts too, so that they are not unblocked before what replaces
 * them is blocked.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_BLOCKED_ROWS_H
#define HEDDLE_DISTRIBUTION_DEVICE_BLOCKED_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distribution/tables/sl2vl_row.h"
#include "sm/base/clock.h"

/* A blocked dependency. */
struct blocked_row {
	uint64_t guid; /* of the switch */
	uint8_t in, out;
	uint8_t before[SL2VL_ROW]; /* the row to restore */
	uint64_t pairs;		   /* (switch, LID) that lose packets here */
	uint16_t stays; /* SLs blocked for old connections, a bit each */
	bool settled;	/* nothing but these is blocked any more */
	struct mono since;
	bool told; /* its age was reported */
};

struct blocked_rows {
	struct blocked_row *row;
	size_t n, cap;
};

/*
 * Record a blocked dependency. A second call keeps the previous row and the SLs
 * that stay blocked of the first one.
 */
void blocked_rows_add(struct blocked_rows *b, const struct blocked_row *r);
/* The row of a blocked dependency is known, and may have been written since it
 * was recorded: SLs that are not blocked have these VLs when it is restored. */
void blocked_rows_renew(struct blocked_rows *b, uint64_t guid, unsigned in,
	unsigned out, const uint8_t row[SL2VL_ROW]);
/* The row was read: if it discards all SLs it is blocked, whoever did it. */
void blocked_rows_found(struct blocked_rows *b, uint64_t guid, unsigned in,
	unsigned out, const uint8_t row[SL2VL_ROW], struct mono now);
void blocked_rows_remove(
	struct blocked_rows *b, uint64_t guid, unsigned in, unsigned out);

/* It has its final row, but for SLs that stay blocked; 0: remove it. */
void blocked_rows_settle(struct blocked_rows *b, uint64_t guid, unsigned in,
	unsigned out, uint16_t stays);

/* The record of a blocked dependency; NULL: it is not blocked. */
struct blocked_row *blocked_rows_find(
	const struct blocked_rows *b, uint64_t guid, unsigned in, unsigned out);

/*
 * SLs that a row blocks by now: a plan that was stopped may have blocked others
 * than the next one, and what it wrote relies on that until the tables are new.
 * r: its record, or NULL: none is blocked; is: the row, or NULL: unknown, it
 * may block any.
 */
uint16_t blocked_row_sls(const struct blocked_row *r, const uint8_t *is);

#endif
