/*
 * turns: SLtoVLMappingTable rows of switches, as far as they are known, and
 * the turns that are closed to traffic.
 *
 * A row belongs to (node, in-port, out-port) and gives each SL its VL; an end
 * port has one, of in-port 0. Rows are known only where somebody needed them:
 * a fabric of one lane and one level has none. Those of one out-port are mostly
 * alike, whatever the in-port, and take no more memory than one. A
 * turn is held when its row is, or may be, all VL 15 by our doing: packets
 * that would make it are discarded, those that came before have to drain. What
 * the row was before is kept with the hold; a hold goes to the journal (the
 * core's state file) before the first Set leaves, and stays until the row is
 * acknowledged to be itself again.
 *
 * IBA volume 1, 14.2.5.8; VL 15 in the table discards (7.6.6).
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_SL2VL_CACHE_H
#define HEDDLE_DISTRIBUTION_DEVICE_SL2VL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/clock.h"

enum { SL2VL_ROW = 8 }; /* bytes: 16 SLs, that of SL 0 in the high nibble */

/* A turn that is closed. */
struct sl2vl_block {
	uint64_t guid; /* of the switch */
	uint8_t in, out;
	uint8_t before[SL2VL_ROW]; /* what the row shall be again */
	uint64_t pairs;		   /* (switch, LID) that lose packets by it */
	struct mono since;
	bool told; /* it outlived its time and somebody was told */
};

struct sl2vl_cache;

struct sl2vl_cache *sl2vl_new(void);
void sl2vl_free(struct sl2vl_cache *t); /* NULL allowed */

/* The row of a turn; false: nobody knows. */
bool sl2vl_get_row(const struct sl2vl_cache *t, uint64_t guid, unsigned in,
	unsigned out, uint8_t row[SL2VL_ROW]);

/* The switch acknowledged this row, or it was read. */
void sl2vl_set_row(struct sl2vl_cache *t, uint64_t guid, unsigned in,
	unsigned out, const uint8_t row[SL2VL_ROW]);

/* Turns from each of some in-ports to each of some out-ports. */
struct sl2vl_span {
	uint8_t in, last_in, out, last_out;
};

/* It acknowledged one row for all of these at once; or they are unknown. */
void sl2vl_set_span(struct sl2vl_cache *t, uint64_t guid,
	const struct sl2vl_span *s, const uint8_t row[SL2VL_ROW]);
void sl2vl_unknown_span(
	struct sl2vl_cache *t, uint64_t guid, const struct sl2vl_span *s);

/* Have all turns from these in-ports (a bit each) to out this row? */
bool sl2vl_all(const struct sl2vl_cache *t, uint64_t guid, unsigned out,
	const uint64_t in[4], const uint8_t row[SL2VL_ROW]);

/* A Set of this row is under way, or its answer was lost. */
void sl2vl_unknown(
	struct sl2vl_cache *t, uint64_t guid, unsigned in, unsigned out);

/*
 * Packets may be on VLs that no row says any more: a row was written, and what
 * was under way has not drained since.
 */
void sl2vl_mark_undrained(struct sl2vl_cache *t);
void sl2vl_drained(struct sl2vl_cache *t);
bool sl2vl_is_undrained(const struct sl2vl_cache *t);

/* Everything about the switch's rows is unknown again; about everybody's. */
void sl2vl_forget(struct sl2vl_cache *t, uint64_t guid);
void sl2vl_forget_all(struct sl2vl_cache *t);

/* Rows for levels or lanes were written there, in this life. */
void sl2vl_mark_assigned(struct sl2vl_cache *t, uint64_t guid);
bool sl2vl_is_assigned(const struct sl2vl_cache *t, uint64_t guid);

/* The switch refused a row: it cannot do what its capabilities promise. */
void sl2vl_refuse(struct sl2vl_cache *t, uint64_t guid);
bool sl2vl_refused(const struct sl2vl_cache *t, uint64_t guid);

/* It refused a row for many turns at once: it gets them one by one. */
void sl2vl_refuse_span(struct sl2vl_cache *t, uint64_t guid);
bool sl2vl_span_refused(const struct sl2vl_cache *t, uint64_t guid);

/* Hold a turn (once: what a hold has as its row before is not overwritten). */
void sl2vl_block(struct sl2vl_cache *t, const struct sl2vl_block *h);
void sl2vl_unblock(
	struct sl2vl_cache *t, uint64_t guid, unsigned in, unsigned out);
void sl2vl_unblock_all(struct sl2vl_cache *t);

/* What is held; NULL: this turn is not. */
struct sl2vl_block *sl2vl_is_blocked(
	const struct sl2vl_cache *t, uint64_t guid, unsigned in, unsigned out);
struct sl2vl_block *sl2vl_blocked_list(const struct sl2vl_cache *t, size_t *n);

/* SL i on VL i below n lanes, else on VL 0. */
void sl2vl_make_default(unsigned n, uint8_t row[SL2VL_ROW]);

/* These SLs, a bit each, go to VL 15 instead. */
void sl2vl_block_sls(uint8_t row[SL2VL_ROW], uint16_t sls);
/* Is everything on VL 15? */
bool sl2vl_is_closed(const uint8_t row[SL2VL_ROW]);

#endif
