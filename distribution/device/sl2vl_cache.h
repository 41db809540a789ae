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

enum { TURNS_ROW = 8 }; /* bytes: 16 SLs, that of SL 0 in the high nibble */

/* A turn that is closed. */
struct turns_hold {
	uint64_t guid; /* of the switch */
	uint8_t in, out;
	uint8_t before[TURNS_ROW]; /* what the row shall be again */
	uint64_t pairs;		   /* (switch, LID) that lose packets by it */
	struct mono since;
	bool told; /* it outlived its time and somebody was told */
};

struct turns;

struct turns *turns_new(void);
void turns_free(struct turns *t); /* NULL allowed */

/* The row of a turn; false: nobody knows. */
bool turns_row(const struct turns *t, uint64_t guid, unsigned in, unsigned out,
	uint8_t row[TURNS_ROW]);

/* The switch acknowledged this row, or it was read. */
void turns_set_row(struct turns *t, uint64_t guid, unsigned in, unsigned out,
	const uint8_t row[TURNS_ROW]);

/* Turns from each of some in-ports to each of some out-ports. */
struct turns_span {
	uint8_t in, last_in, out, last_out;
};

/* It acknowledged one row for all of these at once; or they are unknown. */
void turns_set_span(struct turns *t, uint64_t guid, const struct turns_span *s,
	const uint8_t row[TURNS_ROW]);
void turns_unknown_span(
	struct turns *t, uint64_t guid, const struct turns_span *s);

/* Have all turns from these in-ports (a bit each) to out this row? */
bool turns_all(const struct turns *t, uint64_t guid, unsigned out,
	const uint64_t in[4], const uint8_t row[TURNS_ROW]);

/* A Set of this row is under way, or its answer was lost. */
void turns_unknown(struct turns *t, uint64_t guid, unsigned in, unsigned out);

/*
 * Packets may be on VLs that no row says any more: a row was written, and what
 * was under way has not drained since.
 */
void turns_move(struct turns *t);
void turns_drained(struct turns *t);
bool turns_moved(const struct turns *t);

/* Everything about the switch's rows is unknown again; about everybody's. */
void turns_forget(struct turns *t, uint64_t guid);
void turns_forget_all(struct turns *t);

/* Rows for levels or lanes were written there, in this life. */
void turns_lay(struct turns *t, uint64_t guid);
bool turns_laid(const struct turns *t, uint64_t guid);

/* The switch refused a row: it cannot do what its capabilities promise. */
void turns_refuse(struct turns *t, uint64_t guid);
bool turns_refused(const struct turns *t, uint64_t guid);

/* It refused a row for many turns at once: it gets them one by one. */
void turns_refuse_span(struct turns *t, uint64_t guid);
bool turns_span_refused(const struct turns *t, uint64_t guid);

/* Hold a turn (once: what a hold has as its row before is not overwritten). */
void turns_hold(struct turns *t, const struct turns_hold *h);
void turns_lift(struct turns *t, uint64_t guid, unsigned in, unsigned out);
void turns_lift_all(struct turns *t);

/* What is held; NULL: this turn is not. */
struct turns_hold *turns_held(
	const struct turns *t, uint64_t guid, unsigned in, unsigned out);
struct turns_hold *turns_holds(const struct turns *t, size_t *n);

/* SL i on VL i below n lanes, else on VL 0. */
void turns_straight(unsigned n, uint8_t row[TURNS_ROW]);

/* These SLs, a bit each, go to VL 15 instead. */
void turns_close(uint8_t row[TURNS_ROW], uint16_t sls);
/* Is everything on VL 15? */
bool turns_is_closed(const uint8_t row[TURNS_ROW]);

#endif
