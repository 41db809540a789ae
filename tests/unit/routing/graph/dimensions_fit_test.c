/*
 * Dimensions that are given: found where links or switches are missing, checked
 * where they are not; what has others is refused with the option and a port.
 */
#include "routing/graph/dimensions_fit.h"

#include <check.h>
#include <string.h>

#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

enum { LINE = DIMENSION_LINE, RING = DIMENSION_RING, FULL = DIMENSION_FULL };

/* A fabric with links and switches out, and what is given. */
struct shape {
	unsigned dim[5], n;
	enum { TORUS, MESH, HYPERX } kind;
	unsigned links, switches;
	struct schema_shape given[5];
	unsigned ngiven;
};

/* A graph of switches, open until close_graph. */
struct rig {
	struct fabric *f;
	struct topo *t;
	struct arena *a;
	struct lft_pool *pool;
	struct route_job job;
	struct swgraph g;
};

static void
open_graph(struct rig *x, const struct shape *s, uint64_t seed)
{
	const struct frozen_lids lids = {.shuffle = seed + 1};
	struct reason why = {""};

	x->f = s->kind == HYPERX
		       ? gen_hyperx(s->dim, s->n, 1, &why)
		       : gen_grid(s->dim, s->n, s->kind == TORUS, 1, &why);
	if (x->f != NULL && s->links > 0)
		x->f = gen_edit_fail_links(x->f, s->links, seed, true, &why);
	if (x->f != NULL && s->switches > 0)
		x->f = gen_edit_fail_switches(
			x->f, s->switches, seed, true, &why);
	ck_assert_msg(x->f != NULL, "%s", why.text);
	x->t = frozen_topo(x->f, &lids);
	x->a = arena_new();
	x->pool = lft_pool_new();
	x->job = (struct route_job){.topo = x->t, .pool = x->pool};
	x->g = (struct swgraph){.job = &x->job, .t = x->t, .a = x->a};
	swgraph_build(&x->g);
}

static void
close_graph(struct rig *x)
{
	arena_free(x->a);
	lft_pool_free(x->pool);
	topo_unref(x->t);
	fabric_free(x->f);
}

static struct dimensions_given
take_given(const struct shape *s)
{
	const struct dimension_options o = {{s->given, s->ngiven}};

	return dimensions_take(&o, "routing.torus");
}

/* Every switch has a place of its own, every link leads to a neighbour. */
static void
check_places(const struct rig *x, struct dimensions *d)
{
	dimensions_of_links(&x->g, d);
	ck_assert_uint_eq(d->odd, 0);
	for (sw_ix s = 0; s < x->t->nsw; s++)
		for (sw_ix p = 0; p < s; p++)
			ck_assert(memcmp(d->at + (size_t)s * d->n,
					  d->at + (size_t)p * d->n,
					  d->n * sizeof(*d->at)) != 0);
}

static const struct shape found[] = {
	{{8, 8}, 2, TORUS, 0, 0, {{RING, 8}, {RING, 8}}, 2},
	{{6, 6}, 2, TORUS, 4, 0, {{RING, 6}, {RING, 6}}, 2},
	{{6, 6}, 2, TORUS, 10, 0, {{RING, 6}, {RING, 6}}, 2},
	{{5, 7}, 2, TORUS, 5, 2, {{RING, 7}, {RING, 5}}, 2},
	{{8, 3}, 2, TORUS, 5, 0, {{RING, 3}, {RING, 8}}, 2},
	{{5, 5, 5}, 3, TORUS, 50, 0, {{RING, 5}, {RING, 5}, {RING, 5}}, 3},
	{{4, 6, 8}, 3, TORUS, 50, 0, {{RING, 8}, {RING, 6}, {RING, 4}}, 3},
	{{8, 8, 8}, 3, TORUS, 200, 5, {{RING, 8}, {RING, 8}, {RING, 8}}, 3},
	/* a torus of rings of four, however it is called */
	{{4, 4, 4, 4}, 4, TORUS, 20, 0,
		{{RING, 4}, {RING, 4}, {LINE, 2}, {RING, 4}, {LINE, 2}}, 5},
	{{4, 5, 6}, 3, MESH, 12, 0, {{LINE, 6}, {LINE, 5}, {LINE, 4}}, 3},
	{{6, 5}, 2, HYPERX, 12, 0, {{FULL, 6}, {FULL, 5}}, 2},
	/* its ring has lost a link: what is given counts */
	{{9}, 1, TORUS, 1, 0, {{RING, 9}}, 1},
};

LOOP_TEST(places, 0, LEN(found))
{
	enum { SEEDS = FEWER(20) };
	unsigned failed = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct dimensions_given given = take_given(&found[_i]);
		struct reason why = {""};
		struct dimensions d;
		struct rig x;

		open_graph(&x, &found[_i], seed);
		if (dimensions_find(&x.g, &given, &d, &why) != 0) {
			failed++;
		} else {
			check_places(&x, &d);
			ck_assert(dimensions_are_given(&d, &given));
		}
		close_graph(&x);
	}
	ck_assert_uint_eq(failed, 0);
}

/* What nobody gives is guessed where it cannot be read. */
static const struct shape guessed[] = {
	{{8, 8}, 2, TORUS, 13, 0, {{RING, 8}, {RING, 8}}, 2},
	{{16, 16}, 2, TORUS, 26, 2, {{RING, 16}, {RING, 16}}, 2},
	{{5, 9}, 2, TORUS, 5, 2, {{RING, 9}, {RING, 5}}, 2},
	{{8, 6}, 2, MESH, 4, 0, {{LINE, 8}, {LINE, 6}}, 2},
};

LOOP_TEST(guesses, 0, LEN(guessed))
{
	static const struct dimensions_given nothing = {
		"routing.torus", 0, {{0, DIMENSION_LINE}}};

	for (uint64_t seed = 1; seed <= FEWER(20); seed++) {
		struct dimensions_given is = take_given(&guessed[_i]);
		struct reason why = {""};
		struct dimensions d;
		struct rig x;

		open_graph(&x, &guessed[_i], seed);
		ck_assert_msg(dimensions_find(&x.g, &nothing, &d, &why) == 0,
			"%s", why.text);
		check_places(&x, &d);
		ck_assert(dimensions_are_given(&d, &is));
		close_graph(&x);
	}
}

static const struct {
	struct shape s;
	const char *why;
} other[] = {
	{{{8, 8, 8}, 3, TORUS, 0, 0, {{RING, 8}, {RING, 8}, {RING, 7}}, 3},
		"routing.torus.dimensions gives ring 8, ring 8, ring "
		"7: 448 places for 512 switches"},
	{{{6, 8}, 2, TORUS, 0, 0, {{RING, 8}, {RING, 8}}, 2},
		"gives ring 8, ring 8: its links make ring "},
	{{{6, 8}, 2, MESH, 0, 0, {{LINE, 8}, {FULL, 6}}, 2},
		"its links make line "},
	{{{6, 8}, 2, TORUS, 0, 0, {{LINE, 8}, {RING, 6}}, 2},
		"its links make ring "},
	{{{5, 5}, 2, TORUS, 0, 0, {{RING, 5}, {RING, 5}, {LINE, 2}}, 3},
		"its links make ring 5, ring 5"},
	{{{7, 7}, 2, TORUS, 12, 0, {{RING, 8}, {RING, 8}}, 2},
		" leads to no neighbour, one of "},
	{{{7, 7}, 2, TORUS, 12, 0, {{RING, 2}, {FULL, 40}}, 2},
		": no switch has the neighbours that these take"},
	{{{5, 5}, 2, TORUS, 5, 0, {{LINE, 4000}, {LINE, 4000}}, 2},
		": more places than are read"},
};

LOOP_TEST(refused, 0, LEN(other))
{
	struct dimensions_given given = take_given(&other[_i].s);
	struct reason why = {""};
	struct dimensions d;
	struct rig x;

	open_graph(&x, &other[_i].s, 1);
	ck_assert_int_eq(dimensions_find(&x.g, &given, &d, &why), -1);
	ck_assert_msg(strstr(why.text, other[_i].why) != NULL, "%s", why.text);
	close_graph(&x);
}
