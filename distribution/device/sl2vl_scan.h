/*
 * sl2vl_scan: search for dependencies that another subnet manager left blocked.
 *
 * A subnet manager that died while it had dependencies blocked, or lost its
 * journal, leaves rows of SL2VL behind that send packets to VL 15. Nothing
 * shows until a path uses them, and all rows of a large fabric are two million
 * Gets. So they are read in the background, a few at a time, one switch after
 * the other and nearest first; faster where blocked dependencies are to be
 * expected: the previous manager did not hand over, no journal was found, or an
 * operator asks. A switch that came up fresh has rows of its own making, and a
 * switch that was read completely is trusted until another manager had the
 * fabric. A switch that did not answer, or was read while a plan wrote rows, is
 * read again in another lap. The pause before a lap doubles, from a second
 * while something is expected and from a minute otherwise, up to an hour; the
 * expectation ends when the pause exceeds a minute.
 *
 * Only rows that discard an SL that paths use are of interest. They are handed
 * to the owner, which unblocks them like any other blocked dependency.
 *
 * IBA volume 1, 14.2.5.8 SLtoVLMappingTable.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_SL2VL_SCAN_H
#define HEDDLE_DISTRIBUTION_DEVICE_SL2VL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/tables/sl2vl_row.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

struct sl2vl_scan;

/* An (in-port, out-port) that discards what paths use. */
struct sl2vl_scan_row {
	uint64_t guid;
	uint8_t in, out;
	uint8_t row[SL2VL_ROW]; /* as read, but for the discarded SLs, which are
				   on VL 0 */
};

struct sl2vl_scan *sl2vl_scan_new(void);
void sl2vl_scan_free(
	struct sl2vl_scan *s); /* nothing may be in flight; NULL allowed */

/* The switch's rows are of its own making. */
void sl2vl_scan_mark_own(struct sl2vl_scan *s, uint64_t guid);

/*
 * No switch is trusted any more. hurry: blocked dependencies are to be
 * expected.
 */
void sl2vl_scan_doubt(struct sl2vl_scan *s, bool hurry);

/* Rows are about to be written: answers not yet handed over, or still to come,
 * say nothing. */
void sl2vl_scan_discard(struct sl2vl_scan *s);

/* The fabric is t now (a reference is taken); find the switches to read. */
void sl2vl_scan_adopt(struct sl2vl_scan *s, struct topo *t, struct mono now);

/*
 * Send the Gets that are due. x is borrowed for the answers, sls are the SLs of
 * paths.
 */
void sl2vl_scan_feed(
	struct sl2vl_scan *s, struct xact *x, uint16_t sls, struct mono now);

/* When sl2vl_scan_feed is due. */
struct mono sl2vl_scan_next(const struct sl2vl_scan *s);

/* What was found since the last call; valid until the next one. */
const struct sl2vl_scan_row *sl2vl_scan_found(struct sl2vl_scan *s, size_t *n);

struct sl2vl_scan_counts {
	uint64_t left;	/* rows still to be read */
	uint64_t read;	/* answered, since sl2vl_scan_new */
	uint64_t found; /* of these, discard */
};

struct sl2vl_scan_counts sl2vl_scan_counts(const struct sl2vl_scan *s);

#endif
