/*
 * scan: turns that somebody else left closed.
 *
 * A subnet manager that died while it had turns blocked, or whose journal is
 * lost, leaves rows of SL2VL behind that send packets to VL 15. Nobody misses
 * them until a path goes that way, and all rows of a large fabric are two
 * million questions. So they are read in the background, a few at a time, one
 * switch after the other and nearest first; faster where there is a reason to
 * expect something: the master before did not hand over, no journal was found,
 * or somebody asks. A switch that came up fresh has rows of its own making, and
 * one that was read through is believed until another SM had the fabric. One
 * that did not answer, or whose answers were overtaken by a plan, is read again
 * in another lap, after a pause that doubles: from a second on while something
 * is expected, which ends after a minute of this, then for as long as it takes.
 *
 * Only rows that discard an SL that paths use are of interest. What is found is
 * handed to the owner, who has it opened like any other turn that is held.
 *
 * IBA volume 1, 14.2.5.8 SLtoVLMappingTable.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_SL2VL_SCAN_H
#define HEDDLE_DISTRIBUTION_DEVICE_SL2VL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/sl2vl_cache.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

struct sl2vl_scan;

/* A turn that discards what paths use. */
struct sl2vl_scan_row {
	uint64_t guid;
	uint8_t in, out;
	uint8_t row[SL2VL_ROW]; /* as it should be: elsewhere as it is */
};

struct sl2vl_scan *sl2vl_scan_new(void);
void sl2vl_scan_free(
	struct sl2vl_scan *s); /* nothing may be in flight; NULL allowed */

/* The switch's rows are of its own making. */
void sl2vl_scan_mark_own(struct sl2vl_scan *s, uint64_t guid);

/* Nobody's rows are known any more. hurry: something is to be expected. */
void sl2vl_scan_doubt(struct sl2vl_scan *s, bool hurry);

/* Rows are about to be written: what was read and not taken says nothing. */
void sl2vl_scan_discard(struct sl2vl_scan *s);

/* The fabric is this one now (a reference is taken): who is to be read? */
void sl2vl_scan_adopt(struct sl2vl_scan *s, struct topo *t, struct mono now);

/* Ask what is due. x is borrowed for the answers, sls are the SLs of paths. */
void sl2vl_scan_feed(struct sl2vl_scan *s, struct xact *x, uint64_t mkey,
	uint16_t sls, struct mono now);

/* When sl2vl_scan_feed wants to be called. */
struct mono sl2vl_scan_next(const struct sl2vl_scan *s);

/* What was found since this was last asked; good until the next call. */
const struct sl2vl_scan_row *sl2vl_scan_found(struct sl2vl_scan *s, size_t *n);

struct sl2vl_scan_counts {
	uint64_t left;	/* rows still to be read */
	uint64_t read;	/* answered, since sl2vl_scan_new */
	uint64_t found; /* of these: discarding */
};

struct sl2vl_scan_counts sl2vl_scan_counts(const struct sl2vl_scan *s);

#endif
