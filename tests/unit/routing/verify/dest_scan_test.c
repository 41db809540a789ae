/*
 * Destinations as bits: which leave by some ports is what a look at each entry
 * says, whatever the LIDs are; destinations with other blocks are all found.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/verify/dest_scan.h"
#include "sm/base/bitset.h"
#include "tests/unit/routing/core/sets_walk.h"
#include "tests/unit/suite.h"

enum { WALKS = 24, PORTS = 6 };

/* Bit 0: a LID of the hosts on d leaves s by one of the ports; bit 1: all do.
 */
static unsigned
look_at_entries(
	const struct routes *r, sw_ix s, sw_ix d, const struct route_set *ports)
{
	const struct topo *t = r->topo;
	unsigned some = 0, all = 2;

	for (uint16_t lid = 1; lid <= t->max_lid; lid++) {
		port_ix p = t->by_lid[lid];

		if (p == TOPO_NONE || !topo_is_host(t, p) ||
			topo_switch_of(t, p) != d)
			continue;
		if (route_set_has(ports, routes_port(r, s, lid)))
			some = 1;
		else
			all = 0;
	}
	return some | all;
}

static void
compare_scan(struct sets_walk *x, const struct dest_lids *d)
{
	struct dest_scan scan;

	dest_scan_open(&scan, d);
	for (sw_ix s = 0; s < x->t->nsw; s++) {
		struct route_set ports = {
			{rng_next(&x->rng) & ((2U << PORTS) - 2)}};

		dest_scan_row(
			&scan, x->pool, x->r->row[s], x->r->nblocks, &ports);
		for (uint32_t i = 0; i < d->n; i++) {
			uint64_t some, all, bit = UINT64_C(1) << i % 64;

			dest_scan_word(&scan, i / 64, bit, &some, &all);
			ck_assert_uint_eq((unsigned)(some == bit) |
						  (unsigned)(all == bit) << 1,
				look_at_entries(x->r, s, d->sw[i], &ports));
		}
	}
	dest_scan_close(&scan);
}

TEST(test_scan)
{
	for (uint64_t seed = 1; seed <= WALKS; seed++) {
		struct dest_lids d;
		AUTO(sets_walk) struct sets_walk x;

		sets_walk_open(&x, seed);
		dest_lids_open(&d, x.t);
		compare_scan(&x, &d);
		dest_lids_close(&d);
	}
}

/* A changed entry concerns at least its own destination, and none that has no
 * LID in its block. */
TEST(test_differ)
{
	AUTO(sets_walk) struct sets_walk x;
	struct dest_lids d;

	sets_walk_open(&x, 6);
	dest_lids_open(&d, x.t);
	for (uint16_t lid = 1; lid <= x.r->top; lid++) {
		AUTO(routes) struct routes *other = routes_for(x.r, x.t);
		uint64_t differ = 0, want = 0;

		routes_put_entry(other, 2, lid, 77, NULL);
		dest_scan_differ(&d, x.r->row[2], x.r->nblocks, other->row[2],
			other->nblocks, &differ);
		for (uint16_t l = 1; l <= x.t->max_lid; l++) {
			port_ix p = x.t->by_lid[l];

			if (p != TOPO_NONE && topo_is_host(x.t, p) &&
				l / LFT_BLOCK == lid / LFT_BLOCK)
				bitset_add(&want,
					d.number[topo_switch_of(x.t, p)]);
		}
		ck_assert_uint_eq(differ, want);
	}
	dest_lids_close(&d);
}
