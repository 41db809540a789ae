/* The topology value: made by hand through the builder, read through topo.h. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder.h"
#include "discovery/topo.h"
#include "sm/mad/mad.h"
#include "tests/unit/suite.h"

/* Two leaves, two spines, one host each; the first host is the manager's. */
static struct builder *
small_builder(void)
{
	struct builder *d = builder_new();
	builder_id l0 = builder_add_node(d, TOPO_SWITCH, 0x20, 4, "leaf 0");
	builder_id l1 = builder_add_node(d, TOPO_SWITCH, 0x21, 4, "leaf 1");
	builder_id s0 = builder_add_node(d, TOPO_SWITCH, 0x11, 4, "spine 0");
	builder_id s1 = builder_add_node(d, TOPO_SWITCH, 0x10, 4, "spine 1");
	builder_id h0 = builder_add_node(d, TOPO_CA, 0x300, 1, "host 0");
	builder_id h1 = builder_add_node(d, TOPO_CA, 0x310, 2, NULL);

	builder_add_link(d, l0, 1, h0, 1);
	builder_add_link(d, l1, 1, h1, 2);
	builder_add_link(d, l0, 3, s0, 1);
	builder_add_link(d, l0, 2, s1, 1);
	builder_add_link(d, l1, 3, s0, 2);
	builder_add_link(d, l1, 2, s1, 2);
	builder_add_link(d, l0, 4, s1, 4);
	builder_set_self(d, h0, 1);
	return d;
}

static struct topo *
freeze_topo(struct builder *d)
{
	struct reason why;
	struct topo *t = builder_freeze(d, 7, &why);

	ck_assert_ptr_nonnull(t);
	return t;
}

TEST(order_and_routes)
{
	AUTO(builder) struct builder *d = small_builder();
	AUTO(topo) struct topo *t = freeze_topo(d);
	static const uint64_t guid[] = {0x300, 0x20, 0x10, 0x11, 0x21, 0x310};
	static const uint8_t far[] = {0, 1, 2, 2, 1};
	uint8_t path[64];

	ck_assert_uint_eq(t->generation, 7);
	ck_assert_uint_eq(t->nnodes, 6);
	for (node_ix i = 0; i < t->nnodes; i++) {
		ck_assert_uint_eq(t->node[i].guid, guid[i]);
		ck_assert_uint_eq(topo_by_node_guid(t, guid[i]), i);
	}
	ck_assert_uint_eq(topo_by_node_guid(t, 0x99), TOPO_NONE);
	ck_assert_int_eq(topo_route(t, 0, path), 0);
	ck_assert_int_eq(topo_route(t, 5, path), 4);
	ck_assert_mem_eq(path, far, sizeof(far));
	ck_assert_uint_eq(t->nports, 2 + 4 * 5 + 3);
	ck_assert_str_eq(topo_desc(t, 0), "host 0");
	ck_assert_str_eq(topo_desc(t, 5), "");
	ck_assert_uint_ne(t->node[0].flags & TN_SM, 0);
	ck_assert_uint_eq(t->sm_port, topo_port_of(t, 0, 1));
}

TEST(switch_view)
{
	AUTO(builder) struct builder *d = small_builder();
	AUTO(topo) struct topo *t = freeze_topo(d);
	const struct topo_switch *w = &t->sw[0]; /* leaf 0 */
	const struct topo_adj *a = &t->adj[w->adj];

	ck_assert_uint_eq(t->nsw, 4);
	ck_assert_uint_eq(t->nadj, 10);
	ck_assert_uint_eq(t->nend, 6);
	ck_assert_uint_eq(w->nadj, 3);
	ck_assert_uint_eq(w->nend, 2);
	/* spine 0x10 is switch 1, with two links; then spine 0x11 */
	ck_assert(a[0].peer == 1 && a[0].out == 2 && a[0].peer_port == 1);
	ck_assert(a[1].peer == 1 && a[1].out == 4 && a[1].peer_port == 4);
	ck_assert(a[2].peer == 2 && a[2].out == 3 && a[2].peer_port == 1);
	ck_assert_uint_eq(t->end[w->end].out, 0);
	ck_assert_uint_eq(t->end[w->end + 1].out, 1);
	ck_assert_uint_eq(t->end[w->end + 1].port, t->sm_port);
}

/* The rate of the link at this port of the switch with this GUID. */
static uint16_t
rate_at(const struct topo *t, uint64_t guid, unsigned out)
{
	const struct topo_switch *sw =
		&t->sw[t->node[topo_by_node_guid(t, guid)].sw];

	for (uint32_t i = 0; i < sw->nadj; i++)
		if (t->adj[sw->adj + i].out == out)
			return t->adj[sw->adj + i].rate;
	ck_abort_msg("no such link");
	return 0;
}

/* Of the two ends of a link the slower one counts; one that is not known does
 * not, and a link of which nothing is known is as fast as any. */
TEST(rates)
{
	AUTO(builder) struct builder *d = small_builder();
	builder_id l0 = 0, l1 = 1, s1 = 3, h0 = 4;
	struct topo *t, *u;

	builder_set_port_speed(d, l0, 3, 2, 4, 2);
	builder_set_port_speed(d, l1, 3, 1, 4, 1);
	builder_set_port_speed(d, l0, 2, 0, 0, 0);
	builder_set_port_speed(d, l1, 2, 0, 0, 0);
	builder_set_port_speed(d, s1, 2, 2, 0, 0);
	builder_set_port_speed(d, h0, 1, 2, 4, 1);
	t = freeze_topo(d);
	ck_assert_uint_eq(rate_at(t, 0x20, 3), 1000);
	ck_assert_uint_eq(rate_at(t, 0x11, 1), 1000);
	ck_assert_uint_eq(rate_at(t, 0x21, 3), 140);
	ck_assert_uint_eq(rate_at(t, 0x20, 2), 2000);
	ck_assert_uint_eq(rate_at(t, 0x21, 2), 2000);
	ck_assert_uint_eq(rate_at(t, 0x20, 4), 2000);
	ck_assert_uint_eq(t->rate_min, 140);
	ck_assert_uint_eq(t->rate_max, 2000);
	ck_assert_uint_eq(t->rate_host, 2000);
	/* routes depend on them */
	builder_set_port_speed(d, l1, 3, 2, 4, 4);
	u = freeze_topo(d);
	ck_assert(u->hash != t->hash);
	ck_assert_uint_eq(u->rate_min, 1000);
	/* hosts that are slower, and faster, than links between switches */
	builder_set_port_speed(d, 5, 2, 2, 4, 1);
	topo_unref(t);
	t = freeze_topo(d);
	ck_assert_uint_eq(t->rate_host, 560);
	builder_set_port_speed(d, l0, 1, 2, 4, 8);
	builder_set_port_speed(d, h0, 1, 2, 4, 8);
	topo_unref(t);
	t = freeze_topo(d);
	ck_assert_uint_eq(t->rate_host, 2000);
	topo_unref(t);
	topo_unref(u);
}

TEST(ports)
{
	AUTO(builder) struct builder *d = small_builder();
	AUTO(topo) struct topo *t = freeze_topo(d);
	node_ix far = topo_by_node_guid(t, 0x310);
	port_ix p1 = topo_port_of(t, far, 1);
	port_ix p2 = topo_port_of(t, far, 2);
	struct mad_port_info pi;

	ck_assert_uint_ne(t->port[p1].flags & TP_ABSENT, 0);
	ck_assert_uint_eq(t->port[p2].flags & TP_ABSENT, 0);
	ck_assert(!topo_has_lid(t, p1));
	ck_assert(topo_has_lid(t, p2));
	ck_assert(!topo_has_lid(t, topo_port_of(t, far, 0)));
	ck_assert(topo_has_lid(t, topo_port_of(t, 1, 0)));
	ck_assert(!topo_has_lid(t, topo_port_of(t, 1, 1)));
	ck_assert_uint_eq(topo_by_port_guid(t, 0x312), p2);
	ck_assert_uint_eq(topo_by_port_guid(t, 0x20), topo_port_of(t, 1, 0));
	ck_assert_uint_eq(topo_by_port_guid(t, 0x9999), TOPO_NONE);
	ck_assert_uint_eq(topo_switch_of(t, p2), t->node[4].sw);
	ck_assert_int_eq(mad_port_info_decode(topo_info(t, p2), &pi, NULL), 0);
	ck_assert_uint_eq(pi.state, 4);
	ck_assert_uint_eq(pi.local_port, 2);
	ck_assert_uint_eq(topo_switch_of(t, p1), TOPO_NONE);
	ck_assert_uint_eq(topo_switch_of(t, topo_port_of(t, 1, 0)), 0);
}

TEST(lids)
{
	AUTO(builder) struct builder *d = small_builder();
	struct topo *t = freeze_topo(d);
	AUTO(mem) uint16_t *lid = calloc(t->nports, sizeof(*lid));
	AUTO(mem) uint8_t *lmc = calloc(t->nports, 1);
	port_ix far = topo_by_port_guid(t, 0x312);
	struct topo_lids l = {lid, lmc};
	AUTO(topo) struct topo *c = NULL;
	unsigned path = 9;

	ck_assert_uint_eq(topo_by_lid(t, 4, NULL), TOPO_NONE);
	lid[t->sm_port] = 1;
	lid[far] = 4;
	lmc[far] = 2;
	c = topo_with_lids(t, &l);
	topo_unref(t);
	ck_assert_uint_eq(c->max_lid, 7);
	ck_assert_uint_eq(topo_by_lid(c, 1, &path), c->sm_port);
	ck_assert_uint_eq(path, 0);
	ck_assert_uint_eq(topo_by_lid(c, 7, &path), far);
	ck_assert_uint_eq(path, 3);
	ck_assert_uint_eq(topo_by_lid(c, 0, NULL), TOPO_NONE);
	ck_assert_uint_eq(topo_by_lid(c, 3, NULL), TOPO_NONE);
	ck_assert_uint_eq(topo_by_lid(c, 8, NULL), TOPO_NONE);
	ck_assert_uint_eq(topo_by_lid(c, 0xffff, NULL), TOPO_NONE);
	ck_assert_uint_eq(c->port[far].lmc, 2);
	ck_assert_uint_eq(topo_by_port_guid(c, 0x312), far);
}

TEST(hash_and_refs)
{
	AUTO(builder) struct builder *d = small_builder();
	struct topo *a = freeze_topo(d);
	struct topo *b = freeze_topo(d);
	builder_id l0;

	ck_assert_uint_eq(a->hash, b->hash);
	topo_unref(b);
	ck_assert(builder_find(d, 0x20, &l0));
	builder_remove_link(d, l0, 4);
	b = freeze_topo(d);
	ck_assert_uint_ne(a->hash, b->hash);
	ck_assert_ptr_eq(topo_ref(b), b);
	topo_unref(b);
	ck_assert_uint_eq(b->nadj, 8);
	topo_unref(b);
	topo_unref(a);
	topo_unref(NULL);
	ck_assert_ptr_null(topo_ref(NULL));
}

/* Switches are found again in other topologies, by the same index or not. */
TEST(switches_found_again)
{
	AUTO(builder) struct builder *d = small_builder();
	struct topo *a = freeze_topo(d), *b;
	builder_id l0, h1;

	ck_assert(builder_find(d, 0x20, &l0) && builder_find(d, 0x310, &h1));
	for (unsigned other = 0; other < 2; other++) {
		if (other == 0)
			builder_remove_link(d, l0, 4);
		else
			builder_set_self(d, h1, 2); /* indices go by distance */
		b = freeze_topo(d);
		ck_assert_uint_eq(b->nsw, a->nsw);
		for (sw_ix s = 0; s < a->nsw; s++) {
			sw_ix x = topo_switch_in(b, a, s);

			ck_assert_uint_lt(x, b->nsw);
			ck_assert_uint_eq(a->node[a->sw[s].node].guid,
				b->node[b->sw[x].node].guid);
		}
		ck_assert(other == 0 || topo_switch_in(b, a, 0) != 0);
		topo_unref(b);
	}
	b = freeze_topo(d);
	for (sw_ix s = 0; s < b->nsw; s++)
		if (b->node[b->sw[s].node].guid == 0x20) {
			b->node[b->sw[s].node].guid = 0x1f;
			ck_assert_uint_eq(topo_switch_in(a, b, s), TOPO_NONE);
		}
	topo_unref(b);
	topo_unref(a);
}
