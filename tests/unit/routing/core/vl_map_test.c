/*
 * Maps of VLs: which ones are accepted, what stays of one when the fabric
 * changes, and that rows of SLtoVLMappingTable keep the groups apart.
 */
#include "routing/core/vl_map.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/slvl.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

enum { ROUNDS = 200 };

static struct fabric *
make_fabric(uint64_t seed)
{
	struct reason why = {""};

	return gen_random(8, 3, 1, seed, &why);
}

static struct vl_map *
random_map(const struct topo *t, unsigned layers, struct rng *r)
{
	struct vl_map *m = vl_map_new(t);

	m->in = (uint8_t)(2 + rng_below(r, 3));
	m->out = (uint8_t)(1 + rng_below(r, 4));
	m->groups = (uint8_t)(2 + rng_below(r, layers));
	for (unsigned l = 1; l < layers; l++)
		for (unsigned i = 0; i < m->in; i++)
			for (unsigned o = 0; o < m->out; o++)
				m->group[l][i][o] =
					(uint8_t)(1 +
						  rng_below(r, m->groups - 1U));
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++)
			vl_map_put(m,
				topo_port_of(t, t->sw[s].node,
					t->adj[t->sw[s].adj + i].out),
				1 + rng_below(r, m->in - 1U),
				rng_below(r, m->out));
	return m;
}

TEST(sizes)
{
	const struct frozen_lids lids = {0};
	AUTO(fabric) struct fabric *f = make_fabric(1);
	AUTO(topo) struct topo *t = frozen_topo(f, &lids);
	struct rng r = {1};
	struct reason why = {""};
	struct vl_map *m = random_map(t, 4, &r), *same = vl_map_share(m);

	ck_assert_int_eq(vl_map_check(NULL, t, 4, &why), 0);
	ck_assert_int_eq(vl_map_check(m, t, 4, &why), 0);
	m->in = VL_MAP_IN;
	m->groups = 9;
	ck_assert_int_eq(vl_map_check(m, t, 1, &why), 0);
	/* more than VL_MAP_PLANES */
	ck_assert_int_eq(vl_map_check(m, t, 9, &why), -1);
	m->in = VL_MAP_IN + 1;
	ck_assert_int_eq(vl_map_check(m, t, 1, &why), -1);
	m->in = VL_MAP_IN;
	m->groups = 16;
	ck_assert_int_eq(vl_map_check(m, t, 1, &why), -1);
	m->groups = 9;
	m->nports--;
	ck_assert_int_eq(vl_map_check(m, t, 1, &why), -1);
	ck_assert(vl_map_same(m, same) && vl_map_same(NULL, NULL));
	ck_assert(!vl_map_same(m, NULL) && !vl_map_same(NULL, m));
	same->refs--; /* vl_map_drop, which the compiler takes for the end */
	vl_map_drop(m);
}

/* The classes of ports that both have, whatever their numbers; others: 0. */
static void
check_classes(const struct vl_map *was, const struct topo *from,
	const struct vl_map *is, const struct topo *to)
{
	for (port_ix p = 0; p < to->nports; p++) {
		const struct topo_node *n = &to->node[to->port[p].node];
		node_ix old = topo_by_node_guid(from, n->guid);

		if (n->type == TOPO_SWITCH && old != TOPO_NONE)
			ck_assert_uint_eq(
				is->port[p], was->port[topo_port_of(from, old,
						     to->port[p].num)]);
		else
			ck_assert_uint_eq(is->port[p], 0);
	}
}

LOOP_TEST(another_topology, 0, 8)
{
	const struct frozen_lids lids = {0};
	AUTO(fabric) struct fabric *f = make_fabric(2), *g = NULL;
	AUTO(topo) struct topo *t = frozen_topo(f, &lids), *less = NULL;
	struct rng r = {2};
	struct reason why = {""};
	struct vl_map *m = random_map(t, 3, &r), *fewer, *back;

	g = gen_edit_fail_switches(
		make_fabric(2), 1, (uint64_t)_i + 1, true, &why);
	less = frozen_again(g, t, 0);
	ck_assert_uint_lt(less->nsw, t->nsw);
	fewer = vl_map_for(m, t, less);
	back = vl_map_for(fewer, less, t);
	check_classes(m, t, fewer, less);
	check_classes(fewer, less, back, t);
	ck_assert_int_eq(vl_map_check(fewer, less, 3, &why), 0);
	ck_assert_mem_eq(fewer->group, m->group, sizeof(m->group));
	ck_assert(!vl_map_same(m, back));
	ck_assert_ptr_null(vl_map_for(NULL, t, less));
	vl_map_drop(back);
	back = vl_map_for(m, t, t);
	ck_assert(vl_map_same(m, back));
	vl_map_drop(m);
	vl_map_drop(fewer);
	vl_map_drop(back);
}

static unsigned
vl_of(const uint8_t row[SLVL_ROW], unsigned sl)
{
	return row[sl / 2] >> (sl % 2 != 0 ? 0 : 4) & 15;
}

static void
set_vl(uint8_t row[SLVL_ROW], unsigned sl, unsigned vl)
{
	unsigned shift = sl % 2 != 0 ? 0 : 4;

	row[sl / 2] = (uint8_t)((row[sl / 2] & ~(15U << shift)) | vl << shift);
}

/* A map, its layers in SLs of some levels, and a link. */
struct bed {
	struct rng r;
	struct topo *t;
	struct vl_map *m;
	struct slvl l, other; /* the same layers, other levels */
	struct slvl_hop hop;
	unsigned vls;
};

static void
bed_new(struct bed *b, uint64_t seed)
{
	const struct frozen_lids lids = {0};
	struct fabric *f = make_fabric(seed);
	struct slvl_want want = {0}, more = {0};
	struct route_layers layers;

	*b = (struct bed){.r = {seed}, .t = frozen_topo(f, &lids)};
	fabric_free(f);
	layers.n = (uint8_t)(2 + rng_below(&b->r, 4));
	b->m = random_map(b->t, layers.n, &b->r);
	layers.plain = false;
	layers.map = b->m;
	for (unsigned i = 0; i < SLVL_MAX; i++)
		want.level[i].sl = more.level[i].sl = SLVL_ANY;
	want.n = rng_below(&b->r, 4);
	more.n = rng_below(&b->r, 4);
	slvl_of_layers(&want, &layers, &b->l);
	slvl_of_layers(&more, &layers, &b->other);
	b->vls = 1 + rng_below(&b->r, 15);
}

static void
bed_free(struct bed *b)
{
	vl_map_drop(b->m);
	topo_unref(b->t);
}
AUTO_VALUE(bed, struct bed, bed_free)

/* No VL of a link is in two groups, whatever links packets come by or leave. */
LOOP_TEST(groups_share_no_vl, 0, ROUNDS)
{
	AUTO(bed) struct bed b;

	bed_new(&b, (uint64_t)_i + 1);
	for (unsigned out = 0; out < b.m->out; out++) {
		unsigned owner[16];

		memset(owner, 0xff, sizeof(owner));
		for (unsigned in = 0; in < b.m->in; in++)
			for (unsigned sl = 0; sl < SLVL_SLS; sl++) {
				struct slvl_hop hop = {.vls = b.vls,
					.in = (uint8_t)in,
					.out = (uint8_t)out};
				unsigned vl = slvl_vl(&b.l, sl, hop);
				unsigned group = vl_map_group(
					b.m, b.l.layer[sl], in, out);

				ck_assert(vl == SLVL_DROP || vl < b.vls);
				ck_assert(
					(vl == SLVL_DROP) ==
					(b.vls < b.m->groups || b.l.drop[sl]));
				if (vl == SLVL_DROP)
					continue;
				ck_assert(owner[vl] == UINT32_MAX ||
					  owner[vl] == group);
				owner[vl] = group;
			}
	}
}

/* Rows keep layers where each SL has a VL of its group, or none of the link. */
static void
check_row(struct bed *b, struct slvl_hop hop)
{
	unsigned own[16], sl = rng_below(&b->r, SLVL_SLS), vl;
	uint8_t row[SLVL_ROW];

	memset(own, 0xff, sizeof(own));
	for (unsigned i = 0; i < b->m->groups; i++)
		for (unsigned k = 0; k < b->vls / b->m->groups; k++)
			own[i * (b->vls / b->m->groups) + k] = i;
	slvl_row(&b->other, hop, row);
	ck_assert(
		slvl_keeps_layers(&b->l, hop, row) == (b->vls >= b->m->groups));
	slvl_row(&b->l, hop, row);
	ck_assert(
		slvl_keeps_layers(&b->l, hop, row) == (b->vls >= b->m->groups));
	vl = rng_below(&b->r, 16);
	set_vl(row, sl, vl);
	ck_assert_uint_eq(vl_of(row, sl), vl);
	ck_assert(slvl_keeps_layers(&b->l, hop, row) ==
		  (b->vls >= b->m->groups &&
			  (vl >= b->vls ||
				  own[vl] == vl_map_group(b->m, b->l.layer[sl],
						     hop.in, hop.out))));
}

LOOP_TEST(rows_keep_groups, 0, ROUNDS)
{
	AUTO(bed) struct bed b;

	bed_new(&b, (uint64_t)_i + 1);
	for (unsigned in = 0; in < b.m->in; in++)
		for (unsigned out = 0; out < b.m->out; out++)
			for (unsigned i = 0; i < 10; i++)
				check_row(&b, (struct slvl_hop){.vls = b.vls,
						      .in = (uint8_t)in,
						      .out = (uint8_t)out});
}

/* The in-ports of all classes are all in-ports, each once. */
LOOP_TEST(ports_by_class, 0, ROUNDS / 10)
{
	AUTO(bed) struct bed b;

	bed_new(&b, (uint64_t)_i + 1);
	for (sw_ix s = 0; s < b.t->nsw; s++) {
		node_ix n = b.t->sw[s].node;
		uint64_t all[4] = {rng_next(&b.r), 0, 0, 0}, sum = 0;

		all[0] &= (UINT64_C(2) << b.t->node[n].nports) - 1;
		for (unsigned in = 0; in < slvl_ins(&b.l); in++) {
			uint64_t of[4];

			slvl_in_ports(&b.l, b.t, n, in, all, of);
			ck_assert_uint_eq(sum & of[0], 0);
			sum |= of[0];
			for (unsigned p = 0; p <= b.t->node[n].nports; p++)
				if ((of[0] >> p & 1) != 0)
					ck_assert_uint_eq(
						vl_map_in(b.m, topo_port_of(b.t,
								       n, p)),
						in);
		}
		ck_assert_uint_eq(sum, all[0]);
	}
}
