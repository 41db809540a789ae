/*
 * sl2vl_cache: SLtoVLMappingTable rows of nodes, as far as they are known, and
 * the dependencies that are blocked.
 *
 * A row belongs to (node, in-port, out-port) and gives each SL its VL; an end
 * port has one, of in-port 0. Rows are known only where they were needed: a
 * fabric with one layer and one QoS level has none. Rows of one out-port are
 * mostly alike, whatever the in-port, and take no more memory than one. A
 * dependency (in-port, out-port) is blocked when the subnet manager set its row
 * to VL 15, or tried to: packets that would take it are discarded, packets that
 * took it before have to drain. The record of a blocked dependency keeps the
 * previous row; it goes to the journal (the core's state file) before the first
 * Set leaves, and stays until the switch has acknowledged the final row.
 *
 * IBA volume 1, 14.2.5.8; VL 15 in the table discards (7.6.6).
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_SL2VL_CACHE_H
#define HEDDLE_DISTRIBUTION_DEVICE_SL2VL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/clock.h"

enum { SL2VL_ROW = 8 }; /* bytes: 16 SLs, SL 0 in the high nibble */

/* A blocked dependency. */
struct sl2vl_block {
	uint64_t guid; /* of the switch */
	uint8_t in, out;
	uint8_t before[SL2VL_ROW]; /* the row to restore */
	uint64_t pairs;		   /* (switch, LID) that lose packets here */
	struct mono since;
	bool told; /* its age was reported */
};

struct sl2vl_cache;

struct sl2vl_cache *sl2vl_new(void);
void sl2vl_free(struct sl2vl_cache *t); /* NULL allowed */

/* The row of (in, out); false: unknown. */
bool sl2vl_get_row(const struct sl2vl_cache *t, uint64_t guid, unsigned in,
	unsigned out, uint8_t row[SL2VL_ROW]);

/* The switch acknowledged this row, or it was read. */
void sl2vl_set_row(struct sl2vl_cache *t, uint64_t guid, unsigned in,
	unsigned out, const uint8_t row[SL2VL_ROW]);

/* Rows from a range of in-ports to a range of out-ports. */
struct sl2vl_span {
	uint8_t in, last_in, out, last_out;
};

/*
 * The switch acknowledged one row for the whole span; or the span is unknown.
 */
void sl2vl_set_span(struct sl2vl_cache *t, uint64_t guid,
	const struct sl2vl_span *s, const uint8_t row[SL2VL_ROW]);
void sl2vl_unknown_span(
	struct sl2vl_cache *t, uint64_t guid, const struct sl2vl_span *s);

/* Whether the rows from all these in-ports (a bit each) to out are this one. */
bool sl2vl_all(const struct sl2vl_cache *t, uint64_t guid, unsigned out,
	const uint64_t in[4], const uint8_t row[SL2VL_ROW]);

/* A Set of this row is in flight, or its answer was lost. */
void sl2vl_unknown(
	struct sl2vl_cache *t, uint64_t guid, unsigned in, unsigned out);

/*
 * Packets may be on VLs that no row gives them any more: a row was written, and
 * packets in flight have not drained since.
 */
void sl2vl_mark_undrained(struct sl2vl_cache *t);
void sl2vl_drained(struct sl2vl_cache *t);
bool sl2vl_is_undrained(const struct sl2vl_cache *t);

/* All rows of the switch are unknown again; of all switches. */
void sl2vl_forget(struct sl2vl_cache *t, uint64_t guid);
void sl2vl_forget_all(struct sl2vl_cache *t);

/* Rows for QoS levels or layers were written there since the start. */
void sl2vl_mark_assigned(struct sl2vl_cache *t, uint64_t guid);
bool sl2vl_is_assigned(const struct sl2vl_cache *t, uint64_t guid);

/* The switch refused a row: it does not do what its capabilities promise. */
void sl2vl_refuse(struct sl2vl_cache *t, uint64_t guid);
bool sl2vl_refused(const struct sl2vl_cache *t, uint64_t guid);

/* The switch refused one row for a whole span: it gets them one by one. */
void sl2vl_refuse_span(struct sl2vl_cache *t, uint64_t guid);
bool sl2vl_span_refused(const struct sl2vl_cache *t, uint64_t guid);

/*
 * Record a blocked dependency. A second call changes nothing: the previous row
 * of the first one is kept.
 */
void sl2vl_block(struct sl2vl_cache *t, const struct sl2vl_block *h);
void sl2vl_unblock(
	struct sl2vl_cache *t, uint64_t guid, unsigned in, unsigned out);
void sl2vl_unblock_all(struct sl2vl_cache *t);

/* The record of a blocked dependency; NULL: it is not blocked. */
struct sl2vl_block *sl2vl_is_blocked(
	const struct sl2vl_cache *t, uint64_t guid, unsigned in, unsigned out);
struct sl2vl_block *sl2vl_blocked_list(const struct sl2vl_cache *t, size_t *n);

/* SL i on VL i for i < n, else on VL 0. */
void sl2vl_make_default(unsigned n, uint8_t row[SL2VL_ROW]);

/* Set these SLs, a bit each, to VL 15. */
void sl2vl_block_sls(uint8_t row[SL2VL_ROW], uint16_t sls);
/* Whether all SLs are on VL 15. */
bool sl2vl_is_closed(const uint8_t row[SL2VL_ROW]);

#endif
