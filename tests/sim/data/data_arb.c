/*
 * VLArb (IBA volume 1, 7.6.9): two tables of up to 64 entries (VL, weight in 64
 * bytes), served round robin, an entry until its weight is used up or its VL
 * has nothing to send. The high table goes first until VLHighLimit (4 KiB each,
 * 255 no limit, 0 one packet) is used up and the low one has a packet. A VL in
 * neither table is served when no other can be. A port without written tables
 * serves its VLs round robin, packet by packet.
 */
#include "tests/sim/data/data_int.h"

enum { ENTRIES = 64, HIGH_AT = 128, UNLIMITED = 255, LIMIT_BLOCKS = 64 };

/* The VL that a table serves next, with its entry; DATA_NO_VL if none. */
static unsigned
serve_table(const uint8_t *table, unsigned ready, uint8_t *at, uint16_t *left)
{
	const uint8_t *next = table + (size_t)*at * 2;
	unsigned vl = next[0] & 15;

	if (*left && next[1] && ready >> vl & 1)
		return vl;
	for (unsigned i = 1; i <= ENTRIES; i++) {
		unsigned e = (*at + i) % ENTRIES;

		vl = table[(size_t)e * 2] & 15;
		if (table[(size_t)e * 2 + 1] && ready >> vl & 1) {
			*at = (uint8_t)e;
			*left = table[e * 2 + 1];
			return vl;
		}
	}
	return DATA_NO_VL;
}

/* The next VL, round robin. */
static unsigned
next_vl(struct data_port *p, unsigned ready)
{
	unsigned later = ready & ~((2U << p->last_vl) - 1);

	p->last_vl = (uint8_t)__builtin_ctz(later ? later : ready);
	return p->last_vl;
}

static uint16_t
use_weight(uint16_t left, uint16_t blocks)
{
	return (uint16_t)(left > blocks ? left - blocks : 0);
}

static unsigned
pick_by_tables(
	struct data *d, uint32_t port, unsigned ready, const uint16_t *blocks)
{
	const struct sim_port *q = &d->s->port[port];
	struct data_arb *a = &d->port[port].arb, try = *a;
	unsigned limit = q->pi.vl_high_limit, hi, lo;

	hi = serve_table(q->vlarb + HIGH_AT, ready, &try.hi, &try.hi_left);
	lo = serve_table(q->vlarb, ready, &try.lo, &try.lo_left);
	if (hi != DATA_NO_VL && (lo == DATA_NO_VL || limit == UNLIMITED ||
					(limit ? a->spent < limit * LIMIT_BLOCKS
					       : a->spent == 0))) {
		a->hi = try.hi;
		a->hi_left = use_weight(try.hi_left, blocks[hi]);
		a->spent += blocks[hi];
		return hi;
	}
	if (lo == DATA_NO_VL)
		return next_vl(&d->port[port], ready);
	a->lo = try.lo;
	a->lo_left = use_weight(try.lo_left, blocks[lo]);
	a->spent = 0;
	return lo;
}

unsigned
data_arb_pick(struct data *d, uint32_t port, unsigned ready,
	const uint16_t blocks[16])
{
	struct data_port *p = &d->port[port];

	if (d->s->port[port].vlarb && p->vls > 1)
		return pick_by_tables(d, port, ready, blocks);
	if (!(ready & (ready - 1)))
		return (unsigned)__builtin_ctz(ready);
	return next_vl(p, ready);
}
