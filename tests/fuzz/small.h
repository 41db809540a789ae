/*
 * small: a small fabric for fuzzers: two switches of four ports with LIDs 1 and
 * 2, and up to three hosts, alternately on one and the other, with LIDs from 8
 * on, eight apart, LMC 2. The first host is the SM's.
 */
#ifndef HEDDLE_TESTS_FUZZ_SMALL_H
#define HEDDLE_TESTS_FUZZ_SMALL_H

#include <stdlib.h>

#include "discovery/builder/builder.h"
#include "sm/base/mem.h"

enum { SMALL_LEAVES = 2, SMALL_HOSTS = 3 };

static inline struct topo *
small_topo(unsigned hosts, uint32_t generation)
{
	struct builder *d = builder_new();
	builder_id sw[SMALL_LEAVES], h;
	struct topo *raw, *t;
	uint16_t *lid;
	uint8_t *lmc;

	for (unsigned i = 0; i < SMALL_LEAVES; i++)
		sw[i] = builder_add_node(d, TOPO_SWITCH, 0x100 + i, 4, "sw");
	builder_add_link(d, sw[0], 4, sw[1], 4);
	for (unsigned i = 0; i < hosts; i++) {
		h = builder_add_node(
			d, TOPO_CA, 0x200 + (uint64_t)16 * i, 1, "host");
		builder_add_link(d, h, 1, sw[i % 2], 1 + i / 2);
		if (i == 0)
			builder_set_self(d, h, 1);
	}
	raw = builder_freeze(d, generation, NULL);
	lid = mem_zalloc(raw->nports, sizeof(*lid));
	lmc = mem_zalloc(raw->nports, sizeof(*lmc));
	for (port_ix p = 0; p < raw->nports; p++) {
		const struct topo_node *n = &raw->node[raw->port[p].node];

		if (!topo_has_lid(raw, p))
			continue;
		lid[p] = (uint16_t)(n->type == TOPO_SWITCH
					    ? n->guid - 0xff
					    : 8 + (n->guid - 0x200) / 2);
		lmc[p] = n->type == TOPO_SWITCH ? 0 : 2;
	}
	t = topo_with_lids(raw, &(struct topo_lids){lid, lmc});
	free(lid);
	free(lmc);
	topo_unref(raw);
	builder_free(d);
	return t;
}

#endif
