/* GUIDInfo: which entries a port has, and which of them it lacks. */
#include <check.h>
#include <string.h>

#include "discovery/builder/builder.h"
#include "distribution/tables/guid_table.h"
#include "sm/mad/mad.h"
#include "tests/unit/suite.h"

enum { BYTES = GUID_TABLE_BLOCK * sizeof(uint64_t) };

struct rig {
	struct builder *d;
	struct topo *t;
	port_ix port;
};

/* A host whose port has that many entries. */
static void
rig_open(struct rig *g, uint8_t cap)
{
	builder_id sw, ca;
	struct mad_port_info pi = {.guid_cap = cap, .state = PORT_ACTIVE};
	uint8_t info[MAD_DATA];

	g->d = builder_new();
	sw = builder_add_node(g->d, TOPO_SWITCH, 0x100, 4, "s");
	ca = builder_add_node(g->d, TOPO_CA, 0x200, 1, "h");
	builder_add_link(g->d, sw, 1, ca, 1);
	builder_set_self(g->d, ca, 1);
	mad_port_info_encode(&pi, info);
	builder_port_written(g->d, 0x200, 1, info);
	g->t = builder_freeze(g->d, 1, NULL);
	g->port = topo_port_of(g->t, topo_by_node_guid(g->t, 0x200), 1);
}

static void
rig_close(struct rig *g)
{
	topo_unref(g->t);
	builder_free(g->d);
}

TEST(bytes_by_capacity)
{
	struct rig g;

	rig_open(&g, 11);
	ck_assert_uint_eq(guid_table_bytes(g.t, g.port, 0), 64);
	ck_assert_uint_eq(guid_table_bytes(g.t, g.port, 1), 24);
	ck_assert_uint_eq(guid_table_bytes(g.t, g.port, 2), 0);
	rig_close(&g);
	rig_open(&g, 0);
	ck_assert_uint_eq(guid_table_bytes(g.t, g.port, 0), 0);
	rig_close(&g);
}

/* The port's own GUID is none of ours, and what it has no room for neither. */
TEST(what_it_lacks)
{
	const uint64_t a[GUID_TABLE_BLOCK] = {1, 2, 3, 4, 5, 6, 7, 8};
	const uint64_t b[GUID_TABLE_BLOCK] = {9, 2, 0, 4, 5, 6, 7, 0};
	uint8_t is[BYTES], want[BYTES];
	struct rig g;

	guid_table_lay(a, want);
	guid_table_lay(b, is);
	ck_assert_uint_eq(want[15], 2);
	rig_open(&g, 15);
	ck_assert_uint_eq(
		guid_table_lacks(g.t, g.port, 0, is, want), 1U << 2 | 1U << 7);
	ck_assert_uint_eq(
		guid_table_lacks(g.t, g.port, 1, is, want), 1U << 0 | 1U << 2);
	ck_assert_uint_eq(guid_table_lacks(g.t, g.port, 2, is, want), 0);
	ck_assert_uint_eq(guid_table_lacks(g.t, g.port, 0, want, want), 0);
	rig_close(&g);
}
