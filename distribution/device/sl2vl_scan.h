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

struct scan;

/* A turn that discards what paths use. */
struct scan_turn {
	uint64_t guid;
	uint8_t in, out;
	uint8_t row[TURNS_ROW]; /* as it should be: elsewhere as it is */
};

struct scan *scan_new(void);
void scan_free(struct scan *s); /* nothing may be in flight; NULL allowed */

/* The switch's rows are of its own making. */
void scan_trust(struct scan *s, uint64_t guid);

/* Nobody's rows are known any more. hurry: something is to be expected. */
void scan_doubt(struct scan *s, bool hurry);

/* Rows are about to be written: what was read and not taken says nothing. */
void scan_void(struct scan *s);

/* The fabric is this one now (a reference is taken): who is to be read? */
void scan_adopt(struct scan *s, struct topo *t, struct mono now);

/* Ask what is due. x is borrowed for the answers, sls are the SLs of paths. */
void scan_feed(struct scan *s, struct xact *x, uint64_t mkey, uint16_t sls,
	struct mono now);

/* When scan_feed wants to be called. */
struct mono scan_next(const struct scan *s);

/* What was found since this was last asked; good until the next call. */
const struct scan_turn *scan_found(struct scan *s, size_t *n);

struct scan_counts {
	uint64_t left;	/* rows still to be read */
	uint64_t read;	/* answered, since scan_new */
	uint64_t found; /* of these: discarding */
};

struct scan_counts scan_counts(const struct scan *s);

#endif
