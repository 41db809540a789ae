/*
 * What an administrator may get wrong, and fabrics that are not quite what they
 * are called: each is refused by a reason that names what is wrong, or routed,
 * and what is refused is routed by the next engine. All tables hold before a
 * judge that shares nothing with the engines.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "routing/engines/dragonfly/dragonfly.h"
#include "routing/engines/nue/nue.h"
#include "routing/graph/dimensions_fit.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/engine_rig.h"
#include "tests/unit/suite.h"

enum { ONE_VL = 1, EIGHT_VLS = 4 }; /* codes of VLCap */

struct bed {
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
	struct route_account story;
};

static void
bed_open(struct bed *b, struct fabric *f, const struct reason *why)
{
	ck_assert_msg(f != NULL, "%s", why->text);
	*b = (struct bed){
		.f = f, .t = frozen_topo(f, NULL), .pool = lft_pool_new()};
	for (port_ix p = 0; p < b->t->nports; p++)
		b->t->port[p].vl_cap = b->t->port[p].op_vls = EIGHT_VLS;
}

static void
bed_close(struct bed *b)
{
	ck_assert_uint_eq(b->pool->live, 0);
	topo_unref(b->t);
	lft_pool_free(b->pool);
	fabric_free(b->f);
}
AUTO_VALUE(bed, struct bed, bed_close)

/* Routes by this engine, else by nue; own: options of it, or NULL. They are
 * verified by two judges. */
static struct routes *
bed_route(struct bed *b, const struct engine *e, const void *own)
{
	const char *const names[] = {e->module.name, "nue"};
	const struct schema_values values = {e->module.options, own};
	const struct engine_options o = {
		.own = &values, .nown = own != NULL, .levels = 1};
	const struct route_job job = {
		.topo = b->t, .pool = b->pool, .options = &o};
	struct reason why = {""};
	struct routes *r = compute_routes(&job, names, 2, &b->story, &why);

	ck_assert_msg(r != NULL, "%s", why.text);
	ck_assert(r->report.ok);
	(void)rig_check(r);
	return r;
}

/* That engine refuses it by these words, and nue routes it. */
static void
expect_refused(struct bed *b, const struct engine *e, const void *own,
	const char *words)
{
	AUTO(routes) struct routes *r = bed_route(b, e, own);

	ck_assert_str_eq(b->story.engine, "nue");
	ck_assert(b->story.fallback);
	ck_assert_msg(strstr(b->story.tried, words) != NULL,
		"'%s' is not in: %s", words, b->story.tried);
}

static struct fabric *
make_torus(void)
{
	return shape_of("torus:6x5:4");
}

/* ---- a torus of other sizes ---- */

LOOP_TEST(wrong_sizes, 0, 4)
{
	static const struct schema_shape wide[] = {{DIMENSION_RING, 6},
		{DIMENSION_RING, 6}},
					 deep[] = {{DIMENSION_RING, 6},
						 {DIMENSION_RING, 5},
						 {DIMENSION_RING, 5}},
					 open[] = {{DIMENSION_RING, 6},
						 {DIMENSION_LINE, 5}},
					 flat[] = {{DIMENSION_RING, 30}};
	static const struct {
		struct dimension_options o;
		const char *gives;
	} row[] = {{{{wide, 2}}, "ring 6, ring 6"},
		{{{deep, 3}}, "ring 6, ring 5, ring 5"},
		{{{open, 2}}, "ring 6, line 5"}, {{{flat, 1}}, "ring 30"}};
	struct reason why = {""};
	char words[128];
	AUTO(bed) struct bed b;

	(void)snprintf(words, sizeof(words),
		"torus refused: routing.torus.dimensions gives %s: its links "
		"make ring 6, ring 5",
		row[_i].gives);
	bed_open(&b, make_torus(), &why);
	expect_refused(&b, &engine_torus, &row[_i].o, words);
}

/* ---- parallel links ---- */

/* Each link between switches a second time; f is freed. */
static struct fabric *
double_trunks(struct fabric *f, struct reason *why)
{
	enum { PORTS = 40 };
	uint32_t n;

	f = gen_edit_ports(f, PORTS, false, why);
	ck_assert_msg(f != NULL, "%s", why->text);
	n = f->ncables;
	for (uint32_t c = 0; c < n; c++) {
		uint32_t x = f->cable[c].node[0], y = f->cable[c].node[1];

		if (rig_is_trunk(f, c))
			ck_assert_uint_ne(
				fabric_connect(f, x, fabric_free_port(f, x), y,
					fabric_free_port(f, y), why),
				FABRIC_NONE);
	}
	return f;
}

/* The load of the busiest link by an engine of the fabric. */
static uint64_t
busiest_link(struct fabric *f, const struct engine *e, unsigned *layers,
	struct reason *why)
{
	AUTO(bed) struct bed b;
	AUTO(routes) struct routes *r = NULL;
	uint64_t load;

	bed_open(&b, f, why);
	r = bed_route(&b, e, NULL);
	ck_assert_str_eq(b.story.engine, e->module.name);
	load = rig_load(r);
	*layers = r->layers.n;
	return load;
}

/* Two links where there was one: no more layers, and half the load. */
LOOP_TEST(parallel_links, 0, 4)
{
	static const struct engine *const engine[] = {
		&engine_torus, &engine_dragonfly, &engine_dor, &engine_nue};
	unsigned layers[2];
	uint64_t load[2];

	for (int i = 0; i < 2; i++) {
		struct reason why = {""};
		struct fabric *f = _i == 0   ? make_torus()
				   : _i == 1 ? shape_of("dragonfly:4:2:2")
				   : _i == 2 ? shape_of("hyperx:5x4:4")
					     : shape_of("random:24:5:4:3");

		if (i == 1)
			f = double_trunks(f, &why);
		load[i] = busiest_link(f, engine[_i], &layers[i], &why);
	}
	ck_assert_uint_eq(layers[0], layers[1]);
	ck_assert_uint_le(load[1] * 20, load[0] * 11);
}

/* ---- dragonflies that are none ---- */

TEST(one_group)
{
	static const char *const all[] = {"sw*"};
	static const struct dragonfly_options given = {{all, 1}};
	struct reason why = {""};
	AUTO(bed) struct bed b;

	bed_open(&b, shape_of("hyperx:7:2"), &why);
	expect_refused(&b, &engine_dragonfly, NULL,
		"dragonfly refused: no dragonfly: ");
	expect_refused(&b, &engine_dragonfly, &given,
		"dragonfly refused: no dragonfly: 1 of the groups given has "
		"switches");
}

/* Every second link between switches is not cabled yet, or every second switch
 * is not there. */
LOOP_TEST(half_a_dragonfly, 0, 2)
{
	struct reason why = {""};
	struct fabric *f = shape_of("dragonfly:6:2:3");
	AUTO(bed) struct bed b;

	if (_i == 0)
		f = gen_edit_fail_links(
			f, (f->ncables - f->nhosts) / 2, 7, true, &why);
	else
		f = gen_edit_fail_switches(f, f->nswitches / 2, 7, true, &why);
	bed_open(&b, f, &why);
	expect_refused(&b, &engine_dragonfly, NULL,
		"dragonfly refused: no dragonfly: ");
}

/* ---- too few VLs ---- */

/* A link between switches gets one VL; the port at its first end. */
static port_ix
narrow_link(struct topo *t)
{
	port_ix p = topo_port_of(t, t->sw[3].node, t->adj[t->sw[3].adj].out);

	t->port[p].vl_cap = t->port[p].op_vls = ONE_VL;
	t->port[t->port[p].peer].vl_cap = ONE_VL;
	t->port[t->port[p].peer].op_vls = ONE_VL;
	return p;
}

/* One link has one VL, all others eight: it is named, and one layer does. */
LOOP_TEST(one_vl_among_eight, 0, 2)
{
	static const struct engine *const engine[] = {
		&engine_torus, &engine_dragonfly};
	struct reason why = {""};
	struct routes *r;
	AUTO(bed) struct bed b;
	char words[128];

	bed_open(
		&b, _i == 0 ? make_torus() : shape_of("dragonfly:4:2:2"), &why);
	(void)narrow_link(b.t);
	(void)snprintf(words, sizeof(words), "%s refused: port ",
		engine[_i]->module.name);
	expect_refused(&b, engine[_i], NULL, words);
	expect_refused(&b, engine[_i], NULL, " has 1 VL for 1 QoS level, each");
	r = bed_route(&b, &engine_nue, NULL);
	ck_assert_uint_eq(r->layers.n, 1);
	routes_unref(r);
	r = bed_route(&b, &engine_auto, NULL);
	ck_assert_uint_eq(r->layers.n, 1);
	routes_unref(r);
}

/* More layers than there are VLs for: as many as there are, and a text says
 * so. */
TEST(more_layers_than_vls)
{
	AUTO(bed) struct bed b;
	static const struct nue_options eight = {8};
	const struct schema_values own = {engine_nue.module.options, &eight};
	const struct engine_options o = {.own = &own, .nown = 1, .levels = 1};
	struct reason why = {""};
	AUTO(routes) struct routes *r = NULL;
	char few[256];

	bed_open(&b, shape_of("random:24:5:1:3"), &why);
	for (port_ix p = 0; p < b.t->nports; p++)
		b.t->port[p].vl_cap = b.t->port[p].op_vls = 3;
	r = bed_route(&b, &engine_nue, &eight);
	ck_assert_uint_gt(r->layers.n, 1);
	ck_assert_uint_le(r->layers.n, 4);
	registry_layers_short(r, &o, few, sizeof(few));
	ck_assert_msg(strstr(few, " of the 8 layers configured: port ") != NULL,
		"%s", few);
	ck_assert_msg(
		strstr(few, " has 4 VLs for 1 QoS level, one of ") != NULL,
		"%s", few);
}
