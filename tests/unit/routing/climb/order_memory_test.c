/* Orders of layers that are remembered: kept over losses and returns, printed
 * and read back, and learned anew only when they have to be. */
#include "routing/climb/order_memory.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/graph/swgraph.h"
#include "sm/base/mem.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { LAYERS = 3 };

struct rig {
	struct fabric *f;
	struct topo *t;
	struct arena *a;
	struct route_job job;
	struct swgraph g;
	struct directions d;
};

static void
rig_graph(struct rig *x)
{
	x->a = arena_new();
	x->job = (struct route_job){.topo = x->t};
	x->g = (struct swgraph){.job = &x->job, .t = x->t, .a = x->a};
	swgraph_build(&x->g);
	directions_build(&x->d, &x->g);
}

static void
rig_open(struct rig *x)
{
	static const struct frozen_lids plain = {0};

	x->f = shape_of("random:12:4:1:3");
	x->t = frozen_topo(x->f, &plain);
	rig_graph(x);
}

/* The same without some cables between switches: numbers from *first to
 * *end - 1 of them. */
static void
rig_less(const struct rig *x, uint32_t first, uint32_t end, struct rig *out)
{
	AUTO(mem) bool *drop = mem_zalloc(x->f->ncables, sizeof(*drop));
	uint32_t n = 0;

	for (uint32_t c = 0; c < x->f->ncables; c++) {
		const uint32_t *node = x->f->cable[c].node;

		if (x->f->node[node[0]].type != FABRIC_SWITCH ||
			x->f->node[node[1]].type != FABRIC_SWITCH)
			continue;
		drop[c] = n >= first && n < end;
		n++;
	}
	*out = (struct rig){.t = frozen_less(x->f, drop, x->t)};
	rig_graph(out);
}

static void
rig_close(struct rig *x)
{
	arena_free(x->a);
	topo_unref(x->t);
	if (x->f != NULL)
		fabric_free(x->f);
}
AUTO_VALUE(rig, struct rig, rig_close)

static uint64_t
guid_of(const struct rig *x, sw_ix s)
{
	return x->t->node[x->t->sw[s].node].guid;
}

/* The direction of b that is c of a, or UINT32_MAX. */
static uint32_t
same_link(const struct rig *a, uint32_t c, const struct rig *b)
{
	for (uint32_t i = 0; i < b->d.n; i++)
		if (guid_of(a, a->d.from[c]) == guid_of(b, b->d.from[i]) &&
			guid_of(a, a->g.group[c].peer) ==
				guid_of(b, b->g.group[i].peer))
			return i;
	return UINT32_MAX;
}

/* Links of both graphs follow each other as before in learned layers. */
static void
check_sequence(const struct rig *a, const struct layer_orders *was,
	const struct rig *b, const struct layer_orders *is)
{
	for (unsigned l = 1; l < is->n; l++)
		for (uint32_t c = 0; c < a->d.n; c++)
			for (uint32_t k = 0; k < a->d.n; k++) {
				uint32_t i = same_link(a, c, b);
				uint32_t j = same_link(a, k, b);

				if (i == UINT32_MAX || j == UINT32_MAX)
					continue;
				ck_assert_int_eq(
					was->rank[l * a->d.n + c] <
						was->rank[l * a->d.n + k],
					is->rank[l * b->d.n + i] <
						is->rank[l * b->d.n + j]);
			}
}

/* Every switch but the first of a component has a neighbour above it. */
static void
check_escapes(const struct rig *x, const struct layer_orders *o)
{
	uint32_t tops = 0;

	for (sw_ix s = 0; s < x->g.nsw; s++) {
		bool has = !x->g.live[s];

		for (uint32_t i = x->g.first[s]; i < x->g.first[s + 1]; i++)
			has |= o->pos[x->g.group[i].peer] < o->pos[s];
		tops += !has;
	}
	ck_assert_uint_eq(tops, x->g.ncomp);
	for (uint32_t c = 0; c < x->d.n; c++)
		ck_assert_int_eq(o->rank[c], -o->rank[x->d.back[c]]);
}

TEST(links_come_back_to_their_places)
{
	struct rig all, less, again;
	struct layer_orders first, lost, back;
	struct order_memory *m, *next;

	rig_open(&all);
	layer_orders_make(&all.d, LAYERS, 0, &first);
	m = order_memory_learned(&all.d, &first, LAYERS, all.a);
	for (uint32_t c = 0; c < 8; c++) {
		rig_less(&all, c, c + 3, &less);
		next = order_memory_fit(
			m, &less.d, LAYERS, LAYERS, &lost, all.a);
		ck_assert_ptr_nonnull(next);
		ck_assert_uint_eq(lost.n, LAYERS);
		check_sequence(&all, &first, &less, &lost);
		check_escapes(&less, &lost);
		rig_less(&all, 0, 0, &again);
		ck_assert_ptr_nonnull(order_memory_fit(
			next, &again.d, LAYERS, LAYERS, &back, all.a));
		check_sequence(&all, &first, &again, &back);
		check_escapes(&again, &back);
		rig_close(&less);
		rig_close(&again);
	}
	rig_close(&all);
}

TEST(few_new_links_join)
{
	AUTO(rig) struct rig all, less;
	struct layer_orders first, is;
	struct order_memory *m, *next;

	rig_open(&all);
	rig_less(&all, 0, 4, &less);
	layer_orders_make(&less.d, LAYERS, 0, &first);
	m = order_memory_learned(&less.d, &first, LAYERS, all.a);
	next = order_memory_fit(m, &all.d, LAYERS, LAYERS, &is, all.a);
	ck_assert_ptr_nonnull(next);
	ck_assert_uint_eq(next->nlinks, all.d.n / 2);
	check_sequence(&less, &first, &all, &is);
	check_escapes(&all, &is);
}

TEST(orders_are_learned_anew)
{
	AUTO(rig) struct rig all, less;
	struct layer_orders first, is;
	struct order_memory *m;

	rig_open(&all);
	rig_less(&all, 0, 8, &less);
	layer_orders_make(&less.d, LAYERS, 0, &first);
	m = order_memory_learned(&less.d, &first, LAYERS, all.a);
	/* another number is asked for; a third of the links is new */
	ck_assert_ptr_null(order_memory_fit(
		m, &less.d, LAYERS + 1, LAYERS + 1, &is, all.a));
	ck_assert_ptr_null(
		order_memory_fit(m, &all.d, LAYERS, LAYERS, &is, all.a));
	/* fewer than asked because links have no VLs for them */
	ck_assert_ptr_nonnull(
		order_memory_fit(m, &less.d, LAYERS, 2, &is, all.a));
	ck_assert_uint_eq(is.n, 2);
}

TEST(what_is_away_for_good_is_forgotten)
{
	AUTO(rig) struct rig all, less;
	struct layer_orders first, is;
	struct order_memory *m;

	rig_open(&all);
	layer_orders_make(&all.d, LAYERS, 0, &first);
	m = order_memory_learned(&all.d, &first, LAYERS, all.a);
	rig_less(&all, 0, all.d.n / 2 - 4, &less); /* more than four for each */
	m = order_memory_fit(m, &less.d, LAYERS, LAYERS, &is, all.a);
	ck_assert_ptr_nonnull(m);
	ck_assert_uint_eq(m->nlinks, less.d.n / 2);
	check_sequence(&all, &first, &less, &is);
}

/* Places of switches: those that are away keep theirs. */
TEST(places_are_kept)
{
	const char *text = "layers 1 1\n"
			   "shape ring 5 groups 2\n"
			   "place 0x0000000000000001 4 1\n";
	AUTO(rig) struct rig all;
	struct layer_orders first;
	struct dimensions d, again;
	struct order_memory *m;
	AUTO(buf) struct buf out = {0};
	struct reason why = {""};

	rig_open(&all);
	layer_orders_make(&all.d, 1, 0, &first);
	m = order_memory_parse(text, all.a, &why);
	ck_assert_msg(m != NULL, "%s", why.text);
	order_memory_print(m, &out);
	ck_assert_str_eq(out.text, text);
	/* no switch of the graph has a place in it */
	ck_assert(!place_memory_fit(m->places, &all.g, &d));
	d = (struct dimensions){.n = 2,
		.dim = {{5, DIMENSION_RING}, {2, DIMENSION_GROUPS}},
		.at = arena_array(all.a, 2 * all.g.nsw, sizeof(uint32_t))};
	for (sw_ix s = 0; s < all.g.nsw; s++)
		d.at[2 * s] = s % 5;
	m->places = place_memory_note(m->places, &all.g, &d, all.a);
	ck_assert_uint_eq(m->places->nsw, all.g.nsw + 1);
	ck_assert(place_memory_fit(m->places, &all.g, &again));
	for (sw_ix s = 0; s < all.g.nsw; s++)
		ck_assert_uint_eq(again.at[2 * s], s % 5);
}

TEST(text_is_read_back)
{
	AUTO(rig) struct rig all;
	struct layer_orders first;
	struct order_memory *m;
	AUTO(buf) struct buf text = {0}, again = {0};
	struct reason why = {""};

	rig_open(&all);
	layer_orders_make(&all.d, LAYERS, 0, &first);
	m = order_memory_learned(&all.d, &first, LAYERS, all.a);
	order_memory_print(m, &text);
	m = order_memory_parse(text.text, all.a, &why);
	ck_assert_msg(m != NULL, "%s", why.text);
	order_memory_print(m, &again);
	ck_assert_str_eq(text.text, again.text);
}

static const struct {
	const char *text;
	unsigned line;
} bad[] = {
	{"", 1},
	{"layers\n", 1},
	{"layers 4 17\n", 1},
	{"layers 4 0\n", 1},
	{"layers 4 2 1\n", 1},
	{"layers 2 2\nswitch 0x12\n", 2},
	{"layers 2 2\nswitch 0x0000000000000001 2\n", 2},
	{"layers 2 2\nrouter 0x0000000000000001\n", 2},
	{"layers 2 2\nlink 0x0000000000000001 0x0000000000000002\n", 2},
	{"layers 2 2\nlink 0x0000000000000001 0x0000000000000002 0\n", 2},
	{"layers 2 2\nlink 0x0000000000000001 0x0000000000000002 3 4\n", 2},
	{"layers 2 2\nlink 0x0000000000000002 0x0000000000000001 3\n", 2},
	{"layers 2 2\nswitch 0x0000000000000001\n\n", 3},
	{"layers 1 1\nplace 0x0000000000000001 0\n", 2},
	{"layers 1 1\nshape\n", 2},
	{"layers 1 1\nshape cube 5\n", 2},
	{"layers 1 1\nshape ring 0\n", 2},
	{"layers 1 1\nshape ring 5\nshape ring 5\n", 3},
	{"layers 1 1\nshape ring 5 line 2\nplace 0x0000000000000001 4\n", 3},
	{"layers 1 1\nshape ring 5\nplace 0x0000000000000001 5\n", 3},
	{"layers 1 1\nshape ring 5\nplace 0x0000000000000001 4 1\n", 3},
	{"layers 2 2\nlink 0x0000000000000001 0x0000000000000002 "
	 "99999999999999999999\n",
		2},
};

LOOP_TEST(bad_text_is_refused, 0, LEN(bad))
{
	AUTO(arena) struct arena *a = arena_new();
	struct reason why = {""};
	char line[32];

	(void)snprintf(line, sizeof(line), "line %u ", bad[_i].line);
	ck_assert_ptr_null(order_memory_parse(bad[_i].text, a, &why));
	ck_assert_msg(strstr(why.text, line) == why.text, "%s", why.text);
}
