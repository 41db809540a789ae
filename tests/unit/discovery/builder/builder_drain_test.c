/* Which links carry no routes when links and switches are drained. */
#include <check.h>

#include "discovery/builder/builder.h"
#include "tests/unit/suite.h"

enum { HOST = 1, FAR = 2, SPINE = 0x10, LEAF = 0x20 };

/* Two leaves of a host each, linked to both of two spines: to the first by two
 * links, to the second by one. */
struct net {
	struct builder *d;
	builder_id leaf[2], spine[2];
};

static struct net
two_spines(void)
{
	struct net n = {.d = builder_new()};
	builder_id host[2];

	for (unsigned i = 0; i < 2; i++) {
		n.leaf[i] =
			builder_add_node(n.d, TOPO_SWITCH, LEAF + i, 8, "leaf");
		n.spine[i] = builder_add_node(
			n.d, TOPO_SWITCH, SPINE + i, 8, "spine");
		host[i] = builder_add_node(n.d, TOPO_CA, HOST + i, 1, "host");
		builder_add_link(n.d, host[i], 1, n.leaf[i], 1);
	}
	for (unsigned i = 0; i < 2; i++) {
		builder_add_link(n.d, n.leaf[i], 2, n.spine[0], 1 + 2 * i);
		builder_add_link(n.d, n.leaf[i], 3, n.spine[0], 2 + 2 * i);
		builder_add_link(n.d, n.leaf[i], 4, n.spine[1], 1 + i);
	}
	builder_set_self(n.d, host[0], 1);
	return n;
}

/* The links with routes between two nodes, by GUID; all others are idle. */
static unsigned
routed_links(struct builder *d, uint64_t from, uint64_t to)
{
	AUTO(topo) struct topo *t = builder_freeze(d, 1, NULL);
	node_ix a = topo_by_node_guid(t, from), b = topo_by_node_guid(t, to);
	const struct topo_switch *sw = &t->sw[t->node[a].sw];
	unsigned found = 0, cabled = 0, idle = 0;

	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
		found += t->adj[i].peer == t->node[b].sw;
	for (unsigned p = 1; p <= t->node[a].nports; p++) {
		const struct topo_port *port = &t->port[topo_port_of(t, a, p)];

		if (port->peer == TOPO_NONE || t->port[port->peer].node != b)
			continue;
		cabled++;
		idle += (port->flags & TP_IDLE) != 0;
		ck_assert_uint_eq(port->flags & TP_IDLE,
			t->port[port->peer].flags & TP_IDLE);
	}
	ck_assert_uint_eq(found + idle, cabled);
	return found;
}

static void
expect_links(struct builder *d, const unsigned want[4])
{
	for (unsigned l = 0; l < 2; l++)
		for (unsigned s = 0; s < 2; s++) {
			unsigned got = routed_links(d, LEAF + l, SPINE + s);

			ck_assert_msg(got == want[2 * l + s],
				"leaf %u, spine %u: %u links, not %u", l, s,
				got, want[2 * l + s]);
			ck_assert_uint_eq(
				got, routed_links(d, SPINE + s, LEAF + l));
		}
}

TEST(links)
{
	struct net n = two_spines();

	expect_links(n.d, (unsigned[]){2, 1, 2, 1});
	/* by either end */
	builder_drain(n.d, LEAF, 2, false);
	builder_drain(n.d, SPINE, 3, false);
	expect_links(n.d, (unsigned[]){1, 1, 1, 1});
	builder_drain(n.d, LEAF, 3, false);
	expect_links(n.d, (unsigned[]){0, 1, 1, 1});
	/* not here, no such port, of a host */
	builder_drain(n.d, 0x99, 1, false);
	builder_drain(n.d, LEAF, 9, false);
	builder_drain(n.d, FAR, 1, false);
	expect_links(n.d, (unsigned[]){0, 1, 1, 1});
	builder_drain_none(n.d);
	expect_links(n.d, (unsigned[]){2, 1, 2, 1});
	builder_free(n.d);
}

/* One of the links is in use, the same one each time. */
TEST(last_link)
{
	struct net n = two_spines();

	builder_remove_link(n.d, n.spine[1], 1);
	builder_drain(n.d, LEAF, 2, false);
	builder_drain(n.d, LEAF, 3, false);
	expect_links(n.d, (unsigned[]){1, 0, 2, 1});
	builder_remove_link(n.d, n.leaf[0], 2);
	expect_links(n.d, (unsigned[]){1, 0, 2, 1});
	builder_free(n.d);
}

/* A drained spine is a destination and passes nothing on. */
TEST(spine)
{
	struct net n = two_spines();
	struct topo *t, *was = builder_freeze(n.d, 1, NULL);

	builder_drain(n.d, SPINE, 0, false);
	expect_links(n.d, (unsigned[]){0, 1, 2, 1});
	t = builder_freeze(n.d, 1, NULL);
	ck_assert_uint_eq(t->nadj, 8);
	ck_assert_uint_ne(t->hash, was->hash);
	ck_assert_uint_ne(
		t->port[topo_port_of(t, topo_by_node_guid(t, SPINE), 0)].flags &
			TP_DRAINED,
		0);
	topo_unref(t);
	builder_drain_none(n.d);
	t = builder_freeze(n.d, 1, NULL);
	ck_assert_uint_eq(t->hash, was->hash);
	topo_unref(t);
	topo_unref(was);
	builder_free(n.d);
}

/* Of two drained spines one connects the leaves, the other is a destination. */
TEST(both_spines)
{
	struct net n = two_spines();
	unsigned sum = 0;

	builder_drain(n.d, SPINE, 0, false);
	builder_drain(n.d, SPINE + 1, 0, false);
	expect_links(n.d, (unsigned[]){0, 1, 2, 1});
	/* what is not drained comes first, even if it is the last link */
	builder_drain_none(n.d);
	builder_drain(n.d, SPINE, 0, false);
	builder_drain(n.d, LEAF, 4, false);
	for (unsigned s = 0; s < 2; s++)
		sum += routed_links(n.d, LEAF, SPINE + s);
	ck_assert_uint_eq(routed_links(n.d, LEAF, SPINE + 1), 1);
	ck_assert_uint_eq(sum + routed_links(n.d, LEAF + 1, SPINE), 3);
	builder_free(n.d);
}

/* A spine that refuses its tables connects nothing. */
TEST(quarantined)
{
	struct net n = two_spines();

	builder_drain(n.d, SPINE, 0, false);
	builder_quarantine(n.d, SPINE + 1, "refuses");
	ck_assert_uint_eq(routed_links(n.d, LEAF, SPINE), 2);
	ck_assert_uint_eq(routed_links(n.d, LEAF + 1, SPINE), 2);
	builder_free(n.d);
}

/* Its hosts are reached by all its links; aggregation nodes are no hosts. */
TEST(leaf)
{
	enum { MELLANOX = 0x0002c9, AGGREGATION = 0xcf09 };
	struct net n = two_spines();
	builder_id an = builder_add_node(n.d, TOPO_CA, 0x30, 1, "AN");

	ck_assert(topo_is_aggregation(MELLANOX, AGGREGATION));
	builder_set_ids(n.d, an, 0x30, MELLANOX, AGGREGATION);
	builder_add_link(n.d, an, 1, n.spine[0], 8);
	builder_drain(n.d, LEAF + 1, 0, false);
	expect_links(n.d, (unsigned[]){2, 1, 2, 1});
	builder_drain(n.d, LEAF + 1, 2, false);
	expect_links(n.d, (unsigned[]){2, 1, 1, 1});
	builder_drain(n.d, LEAF + 1, 0, true);
	expect_links(n.d, (unsigned[]){2, 1, 1, 0});
	builder_drain_none(n.d);
	builder_drain(n.d, LEAF + 1, 0, false);
	expect_links(n.d, (unsigned[]){2, 1, 2, 1});
	builder_free(n.d);
}

/* Where neighbours have hosts, too, it keeps the links to one of them. */
TEST(ring)
{
	AUTO(builder) struct builder *d = builder_new();
	builder_id sw[4], host;

	for (unsigned i = 0; i < 4; i++) {
		sw[i] = builder_add_node(d, TOPO_SWITCH, LEAF + i, 3, "ring");
		host = builder_add_node(d, TOPO_CA, HOST + i, 1, "host");
		builder_add_link(d, host, 1, sw[i], 3);
		if (i == 0)
			builder_set_self(d, host, 1);
	}
	for (unsigned i = 0; i < 4; i++)
		builder_add_link(d, sw[i], 1, sw[(i + 1) % 4], 2);
	builder_drain(d, LEAF + 1, 0, false);
	ck_assert_uint_eq(routed_links(d, LEAF + 1, LEAF) +
				  routed_links(d, LEAF + 1, LEAF + 2),
		1);
	ck_assert_uint_eq(routed_links(d, LEAF + 2, LEAF + 3), 1);
}

/* A copy of the topology is drained as it is. */
TEST(copy)
{
	struct net n = two_spines();
	struct topo *t, *u;
	struct builder *d;

	builder_drain(n.d, SPINE, 0, false);
	builder_drain(n.d, LEAF + 1, 0, true);
	t = builder_freeze(n.d, 1, NULL);
	d = builder_from_topo(t);
	u = builder_freeze(d, 1, NULL);
	ck_assert_uint_eq(t->hash, u->hash);
	builder_remove_link(d, topo_by_node_guid(t, LEAF + 1), 4);
	ck_assert_uint_eq(routed_links(d, LEAF + 1, SPINE), 2);
	topo_unref(t);
	topo_unref(u);
	builder_free(d);
	builder_free(n.d);
}
