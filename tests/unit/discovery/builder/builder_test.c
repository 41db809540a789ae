/* The topology builder: links, quarantine, written attributes, and freezing in
 * odd cases. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder.h"
#include "discovery/builder/builder_priv.h"
#include "sm/base/rng.h"
#include "tests/unit/suite.h"

static struct topo *
freeze_topo(struct builder *d)
{
	struct reason why;
	struct topo *t = builder_freeze(d, 1, &why);

	ck_assert_ptr_nonnull(t);
	return t;
}

TEST(no_nodes)
{
	struct builder *d = builder_new();
	struct reason why = {""};

	ck_assert_ptr_null(builder_freeze(d, 1, &why));
	ck_assert_str_ne(why.text, "");
	builder_free(d);
	builder_free(NULL);
}

/* A host on two paths of equal length, one spine quarantined. */
TEST(quarantine)
{
	AUTO(builder) struct builder *d = builder_new();
	builder_id h = builder_add_node(d, TOPO_CA, 1, 1, "us");
	builder_id l = builder_add_node(d, TOPO_SWITCH, 0x20, 4, "leaf");
	builder_id s0 = builder_add_node(d, TOPO_SWITCH, 0x10, 4, "spine 0");
	builder_id s1 = builder_add_node(d, TOPO_SWITCH, 0x11, 4, "spine 1");
	builder_id m = builder_add_node(d, TOPO_SWITCH, 0x21, 4, "far leaf");
	builder_id x = builder_add_node(d, TOPO_CA, 0x30, 1, "behind");
	struct topo *t;
	node_ix ix;

	builder_add_link(d, h, 1, l, 1);
	builder_add_link(d, l, 2, s0, 1);
	builder_add_link(d, l, 3, s1, 1);
	builder_add_link(d, s0, 2, m, 1);
	builder_add_link(d, s1, 2, m, 2);
	builder_add_link(d, s0, 3, x, 1);
	builder_set_self(d, h, 1);
	t = freeze_topo(d);
	ix = topo_by_node_guid(t, 0x21);
	ck_assert_uint_eq(t->node[t->port[t->node[ix].via].node].guid, 0x10);
	topo_unref(t);
	builder_quarantine(d, 0x10, "refuses its tables");
	ck_assert_str_eq(builder_quarantine_why(d, 0x10), "refuses its tables");
	ck_assert_str_eq(builder_quarantine_why(d, 0x11), "");
	ck_assert_str_eq(builder_quarantine_why(d, 0x99), "");
	t = freeze_topo(d);
	ck_assert_uint_eq(t->nnodes, 6);
	ix = topo_by_node_guid(t, 0x21);
	ck_assert_uint_eq(t->node[t->port[t->node[ix].via].node].guid, 0x11);
	ix = topo_by_node_guid(t, 0x10);
	ck_assert_uint_ne(t->node[ix].flags & TN_QUARANTINED, 0);
	ix = topo_by_node_guid(t, 0x30);
	ck_assert_uint_eq(t->node[t->port[t->node[ix].via].node].guid, 0x10);
	ck_assert_uint_eq(t->nadj, 8);
	topo_unref(t);
}

/* Self-loops, a loopback plug, an island, a router, a second rail. */
TEST(odd_cables)
{
	AUTO(builder) struct builder *d = builder_new();
	builder_id s = builder_add_node(d, TOPO_SWITCH, 0x10, 255, NULL);
	builder_id r = builder_add_node(d, TOPO_ROUTER, 0x40, 2, NULL);
	builder_id c = builder_add_node(d, TOPO_CA, 0x50, 254, NULL);
	builder_id far = builder_add_node(d, TOPO_SWITCH, 0x11, 3, NULL);
	struct topo *t;
	port_ix p;

	builder_add_link(d, s, 1, s, 2);
	builder_add_link(d, s, 255, s, 255);
	builder_add_link(d, s, 3, r, 2);
	builder_add_link(d, s, 4, c, 254);
	/* what only a CA leads to is not reachable */
	builder_add_link(d, c, 1, far, 1);
	builder_set_self(d, s, 0);
	t = freeze_topo(d);
	ck_assert_uint_eq(t->nnodes, 3);
	ck_assert_uint_eq(t->nadj, 0);
	ck_assert_uint_eq(t->nend, 3);
	ck_assert_uint_eq(t->sm_port, 0);
	p = topo_port_of(t, 0, 1);
	ck_assert_uint_eq(t->port[p].peer, topo_port_of(t, 0, 2));
	ck_assert_uint_ne(t->port[p].flags & TP_SELF, 0);
	p = topo_port_of(t, 0, 255);
	ck_assert_uint_eq(t->port[p].peer, p);
	ck_assert_uint_ne(t->port[p].flags & TP_SELF, 0);
	topo_unref(t);
	builder_remove_link(d, s, 255);
	builder_remove_link(d, s, 255);
	builder_remove_link(d, c, 254);
	t = freeze_topo(d);
	ck_assert_uint_eq(t->nnodes, 2);
	topo_unref(t);
	builder_node_drop(d, s);
	ck_assert_ptr_null(builder_freeze(d, 1, NULL));
}

TEST(too_far)
{
	AUTO(builder) struct builder *d = builder_new();
	builder_id last = builder_add_node(d, TOPO_SWITCH, 1, 2, NULL);
	uint8_t path[64];
	AUTO(topo) struct topo *t = NULL;

	builder_set_self(d, last, 0);
	for (unsigned i = 0; i < 70; i++) {
		builder_id n = builder_add_node(d, TOPO_SWITCH, i + 2, 2, NULL);

		builder_add_link(d, last, 2, n, 1);
		last = n;
	}
	t = freeze_topo(d);
	ck_assert_int_eq(topo_route(t, 63, path), 63);
	ck_assert_uint_eq(path[63], 2);
	ck_assert_int_eq(topo_route(t, 64, path), -1);
}

TEST(duplicate_guids)
{
	AUTO(builder) struct builder *d = builder_new();
	builder_id a = builder_add_node(d, TOPO_SWITCH, 0x10, 4, NULL);
	builder_id b = builder_add_node(d, TOPO_SWITCH, 0x10, 4, NULL);
	builder_id c = builder_add_node(d, TOPO_SWITCH, 0x10, 4, NULL);
	builder_id n;
	struct topo *t;

	builder_add_link(d, a, 1, b, 1);
	builder_add_link(d, b, 2, c, 2);
	builder_set_self(d, a, 0);
	t = freeze_topo(d);
	ck_assert_uint_eq(t->nnodes, 3);
	ck_assert_uint_eq(topo_by_node_guid(t, 0x10), 0);
	topo_unref(t);
	builder_node_drop(d, b);
	ck_assert(builder_find(d, 0x10, &n) && n == a);
	builder_node_drop(d, a);
	ck_assert(builder_find(d, 0x10, &n) && n == c);
	builder_node_drop(d, c);
	ck_assert(!builder_find(d, 0x10, &n));
}

TEST(written)
{
	AUTO(builder) struct builder *d = builder_new();
	builder_id s = builder_add_node(d, TOPO_SWITCH, 0x10, 4, NULL);
	struct mad_port_info pi = {.state = 3, .phys_state = 5, .lid = 9};
	struct mad_switch_info si = {.lft_cap = 1024, .lft_top = 100};
	uint8_t data[64] = {0};
	AUTO(topo) struct topo *t = NULL;

	builder_set_self(d, s, 0);
	mad_port_info_encode(&pi, data);
	builder_port_written(d, 0x10, 0, data);
	builder_port_written(d, 0x10, 2, data);
	builder_port_written(d, 0x10, 5, data);
	builder_port_written(d, 0x99, 1, data);
	memset(data, 0, sizeof(data));
	mad_switch_info_encode(&si, data);
	builder_switch_written(d, 0x10, data);
	builder_switch_written(d, 0x99, data);
	t = freeze_topo(d);
	ck_assert_uint_eq(t->port[0].found_lid, 9);
	ck_assert_uint_eq(t->port[2].found_lid, 0); /* no LID of its own */
	ck_assert_uint_eq(t->port[2].state, 3);
	ck_assert_uint_eq(t->sw[0].lft_top, 100);
	ck_assert_uint_eq(t->sw[0].lft_cap, 1024);
}

TEST(oddities)
{
	AUTO(builder) struct builder *d = builder_new();
	AUTO(buf) struct buf b = {0};

	for (int i = 0; i < 150; i++)
		builder_add_oddity(d, "line %d", i);
	ck_assert_uint_eq(builder_oddities(d, &b), 150);
	ck_assert_ptr_nonnull(strstr(b.text, "line 99\n"));
	ck_assert_ptr_null(strstr(b.text, "line 100\n"));
	ck_assert_ptr_nonnull(strstr(b.text, "and 50 more\n"));
	ck_assert_uint_eq(builder_oddities(d, &b), 0);
}

/* Random links removed and added: every freeze is consistent. */
LOOP_TEST(shuffled, 0, 20)
{
	struct rng rng = {(uint64_t)_i};
	AUTO(builder) struct builder *d = builder_new();
	builder_id n[20];

	for (unsigned i = 0; i < 20; i++)
		n[i] = builder_add_node(d, i % 4 ? TOPO_SWITCH : TOPO_CA,
			0x100 + rng_below(&rng, 30), 1 + rng_below(&rng, 12),
			NULL);
	builder_set_self(d, n[1], 0);
	for (unsigned i = 0; i < 200; i++) {
		builder_id a = n[rng_below(&rng, 20)];
		builder_id b = n[rng_below(&rng, 20)];
		unsigned pa = 1 + rng_below(&rng, d->node[a]->nports);
		unsigned pb = 1 + rng_below(&rng, d->node[b]->nports);
		AUTO(topo) struct topo *t = NULL;

		if (rng_below(&rng, 3) == 0)
			builder_remove_link(d, a, pa);
		else
			builder_add_link(d, a, pa, b, pb);
		t = freeze_topo(d);
		for (port_ix p = 0; p < t->nports; p++) {
			port_ix q = t->port[p].peer;

			ck_assert_msg(q == TOPO_NONE || t->port[q].peer == p,
				"seed %d", _i);
		}
		for (node_ix k = 0; k < t->nnodes; k++) {
			uint8_t path[64];

			ck_assert_int_eq(
				topo_route(t, k, path), t->node[k].hops);
		}
	}
}

/* A builder made from t freezes to the same topology, byte for byte. */
static void
expect_round_trip(const struct topo *t)
{
	AUTO(builder) struct builder *d = builder_from_topo(t);
	AUTO(topo) struct topo *is = freeze_topo(d);

	ck_assert_uint_eq(is->hash, t->hash);
	ck_assert_uint_eq(is->nports, t->nports);
	ck_assert_uint_eq(is->sm_port, t->sm_port);
	ck_assert_mem_eq(is->port, t->port, t->nports * sizeof(*t->port));
	ck_assert_mem_eq(is->sw, t->sw, t->nsw * sizeof(*t->sw));
	ck_assert_mem_eq(is->sinfo, t->sinfo, t->nsw * sizeof(*t->sinfo));
	for (port_ix p = 0; p < t->nports; p++)
		ck_assert_mem_eq(topo_info(is, p), topo_info(t, p), 64);
	for (node_ix n = 0; n < t->nnodes; n++) {
		ck_assert_str_eq(topo_desc(is, n), topo_desc(t, n));
		ck_assert_uint_eq(is->node[n].flags, t->node[n].flags);
		ck_assert_uint_eq(is->node[n].role, t->node[n].role);
		ck_assert_uint_eq(is->node[n].sysimg, t->node[n].sysimg);
		ck_assert_uint_eq(is->node[n].hops, t->node[n].hops);
	}
}

TEST(builder_from_topology)
{
	AUTO(builder) struct builder *d = builder_new();
	builder_id h = builder_add_node(d, TOPO_CA, 1, 2, "us");
	builder_id a = builder_add_node(d, TOPO_SWITCH, 0x20, 6, "a");
	builder_id b = builder_add_node(d, TOPO_SWITCH, 0x10, 6, NULL);
	builder_id c = builder_add_node(d, TOPO_SWITCH, 0x11, 4, "sick");
	struct topo *t;

	builder_add_link(d, h, 1, a, 1);
	builder_add_link(d, a, 2, b, 1);
	builder_add_link(d, a, 3, b, 2);
	builder_add_link(d, b, 4, c, 1);
	builder_add_link(d, b, 5, b, 6);
	builder_set_ids(d, h, 0x99, 0x2c9, 0x1017);
	builder_set_role(d, b, 2);
	builder_set_found_lid(d, h, 1, 7);
	builder_set_port_speed(d, a, 2, 2, 4, 8);
	builder_set_port_state(d, a, 3, 2);
	builder_set_lft(d, a, 4096, 100);
	builder_set_enhanced_p0(d, c, true);
	builder_quarantine(d, 0x11, "refuses its tables");
	builder_set_self(d, h, 1);
	t = freeze_topo(d);
	expect_round_trip(t);
	topo_unref(t);
	builder_remove_link(d, a, 2);
	builder_remove_node(d, c);
	t = freeze_topo(d);
	ck_assert_uint_eq(t->nnodes, 3);
	ck_assert_uint_eq(t->nadj, 2);
	expect_round_trip(t);
	topo_unref(t);
}
