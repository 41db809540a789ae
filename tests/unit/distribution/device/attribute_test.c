/* How blocks of attributes are addressed: port or switch, and modifier. */
#include <check.h>
#include <stdlib.h>

#include "discovery/builder/builder.h"
#include "distribution/device/device_request.h"
#include "sm/mad/mad.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

/* A port of a switch, or of a host. */
static const struct {
	enum device_attr attr;
	bool of_switch;
	uint32_t block;
	uint16_t id;
	uint32_t mod; /* port 2 of a switch, port 1 of a host */
} cases[] = {
	{DEVICE_LFT, true, 7, MAD_LFT, 7},
	{DEVICE_SL2VL, true, 3, MAD_SL2VL, 3 << 8 | 2},
	{DEVICE_SL2VL, false, 0, MAD_SL2VL, 0},
	{DEVICE_VLARB, true, 4, MAD_VLARB, 4 << 16 | 2},
	{DEVICE_VLARB, false, 4, MAD_VLARB, 4 << 16},
	{DEVICE_PKEY, true, 5, MAD_PKEY_TABLE, 2 << 16 | 5},
	{DEVICE_PKEY, false, 5, MAD_PKEY_TABLE, 5},
	{DEVICE_MFT, true, 6, MAD_MFT, 2U << 28 | 6},
	{DEVICE_PORT_INFO, true, 0, MAD_PORT_INFO, MAD_PORT_INFO_EXT | 2},
	{DEVICE_PORT_INFO, false, 0, MAD_PORT_INFO, MAD_PORT_INFO_EXT | 1},
	{DEVICE_SWITCH_INFO, true, 0, MAD_SWITCH_INFO, 0},
};

/* A far switch's port, or a host's. */
static port_ix
find_port(const struct topo *t, bool of_switch)
{
	for (port_ix p = t->nports; p-- > 0;) {
		const struct topo_node *n = &t->node[t->port[p].node];

		if ((n->type == TOPO_SWITCH) == of_switch &&
			t->port[p].num == (of_switch ? 2 : 1) &&
			t->port[p].peer != TOPO_NONE && p != t->sm_port)
			return p;
	}
	return TOPO_NONE;
}

LOOP_TEST(blocks_are_addressed, 0, LEN(cases))
{
	AUTO(fabric) struct fabric *f = shape_of("two:2:2:3");
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	port_ix p = find_port(t, cases[_i].of_switch);
	struct xact_request r;

	ck_assert_uint_ne(p, TOPO_NONE);
	ck_assert_int_eq(
		device_request_block(t, p, cases[_i].attr, cases[_i].block, &r),
		0);
	ck_assert_uint_eq(r.attr, cases[_i].id);
	ck_assert_uint_eq(r.mod, cases[_i].mod);
	ck_assert_uint_eq(r.target, topo_sma_guid(t, p));
	/* what a switch is asked as a whole is of its port 0, with the LID */
	ck_assert_uint_eq(
		r.own_port, !cases[_i].of_switch ||
				    device_attribute[cases[_i].attr].by_port0);
}
