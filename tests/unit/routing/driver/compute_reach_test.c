/*
 * A change of the routing engine takes reachability from no port: whatever the
 * list of engines and their options, tables that are computed reach the same
 * ports from every switch, also after those of another engine.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "routing/engines/updn/updn.h"
#include "sm/base/mem.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { HOPS = 64, LISTS_MAX = 16 };

/* True if a packet of switch s to this LID arrives at its port. */
static bool
packet_arrives(const struct routes *r, sw_ix s, uint16_t lid, port_ix to)
{
	const struct topo *t = r->topo;
	node_ix n = t->sw[s].node;

	for (unsigned hop = 0; hop < HOPS; hop++) {
		uint8_t out = routes_port(r, t->node[n].sw, lid);
		port_ix p;

		if (out == LFT_DROP || out > t->node[n].nports)
			return false;
		p = topo_port_of(t, n, out);
		if (out == 0)
			return p == to;
		p = t->port[p].peer;
		if (p == TOPO_NONE || p == to)
			return p == to;
		n = t->port[p].node;
		if (t->node[n].type != TOPO_SWITCH ||
			(t->node[n].flags & TN_QUARANTINED) != 0)
			return false;
	}
	return false;
}

/* A byte for each switch and port: whether the port is reached. */
static uint8_t *
list_reached(const struct routes *r)
{
	const struct topo *t = r->topo;
	uint8_t *yes = mem_zalloc(t->nsw, t->nports);

	for (sw_ix s = 0; s < t->nsw; s++)
		for (port_ix p = 0; p < t->nports; p++)
			yes[(size_t)s * t->nports + p] =
				topo_has_lid(t, p) &&
				packet_arrives(r, s, t->port[p].lid, p);
	return yes;
}

/* All lists of one engine, all in their order, and none: up/down alone. */
static size_t
list_engines(const char *list[LISTS_MAX][LISTS_MAX], size_t *len)
{
	const struct schema_module *const *name = registry_modules();
	size_t n = 0;

	while (name[n] != NULL) {
		list[n][0] = name[n]->name;
		len[n++] = 1;
		ck_assert_uint_lt(n + 2, LISTS_MAX);
	}
	for (size_t i = 0; i < n; i++)
		list[n][i] = name[i]->name;
	len[n] = n;
	len[n + 1] = 0;
	return n + 2;
}

/* Go from each list of engines to each other; prints what differs. */
static void
check_changes(struct topo *t)
{
	const uint64_t root[] = {t->node[t->sw[t->nsw / 2].node].guid};
	const struct updn_options roots = {{root, 1}};
	const struct schema_values own = {engine_updn.module.options, &roots};
	const struct engine_options options = {.own = &own, .nown = 1};
	const char *list[LISTS_MAX][LISTS_MAX];
	size_t len[LISTS_MAX], n = list_engines(list, len);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct routes *prev = NULL, *r;
	uint8_t *was = NULL;

	for (size_t step = 0; step < 2 * n * n; step++) {
		size_t i = (step * 3 + step / n) % n;
		struct route_job job = {.topo = t,
			.pool = pool,
			.prev = prev,
			.options = step % 2 == 1 ? &options : NULL,
			.load_limit = 1250};
		struct route_account story;
		struct reason why = {""};
		uint8_t *is;

		r = compute_routes(&job, list[i], len[i], &story, &why);
		ck_assert_msg(r != NULL, "%s", why.text);
		ck_assert_uint_eq(r->report.unreachable, 0);
		is = list_reached(r);
		if (was != NULL)
			ck_assert_msg(memcmp(was, is,
					      (size_t)t->nsw * t->nports) == 0,
				"%s reaches other ports", r->engine);
		free(was);
		was = is;
		routes_unref(prev);
		prev = r;
	}
	free(was);
	routes_unref(prev);
}

/* ---- fabrics ---- */

static const char *const fabrics[] = {"two:4:6:3:2",
	"two:4:6:3:2,cut=14,seed=7", "torus:4x3:2", "torus:4x3:2,cut=12,seed=3",
	"dragonfly:4:2:1", "random:12:3:2:5"};

/* With all switches, and with one in quarantine. */
LOOP_TEST(engines_reach_alike, 0, LEN(fabrics))
{
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = shape_of("%s", fabrics[_i]);
	struct topo *t;
	uint64_t guid;

	ck_assert_msg(f != NULL, "%s", why.text);
	t = frozen_topo(f, &(struct frozen_lids){.lmc = 1});
	guid = t->node[t->sw[t->nsw - 1].node].guid;
	check_changes(t);
	topo_unref(t);
	t = frozen_topo(f, &(struct frozen_lids){.quarantine = guid});
	check_changes(t);
	topo_unref(t);
}
