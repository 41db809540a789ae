/*
 * Hosts with two ports, each of which has an SMA of its own: what was planned
 * for a port has to arrive over the port's own link. What the simulated devices
 * hold is compared with the view: every link is Active with the MTU and VLs
 * that both ends can do, every port has its LID and its partition keys.
 */
#include <stdio.h>

#include "sm/base/be.h"
#include "tests/topo/gen.h"
#include "tests/unit/core_fixture.h"

static const char settings[] =
	"partitions: {blue: {pkey: 0x5, members: {\"h*\": full}}}\n"
	"qos: {levels: {default: {weight: 3}, fast: {weight: 8, sl: 3}}}\n";

static uint32_t
find_node(const struct world *w, const struct topo *t, node_ix n)
{
	for (uint32_t i = 0; i < w->fabric->nnodes; i++)
		if (w->fabric->node[i].guid == t->node[n].guid)
			return i;
	ck_abort_msg("no such node");
}

/* A linked port, as its device shows it. */
static void
expect_link_values(
	const struct world *w, const struct topo *t, port_ix p, uint32_t at)
{
	const struct topo_port *port = &t->port[p],
			       *peer = &t->port[port->peer];
	const struct mad_port_info *is = sim_port_info(w->sim, at, port->num);
	const char *name = w->fabric->node[at].name;
	uint8_t mtu =
		port->mtu_cap < peer->mtu_cap ? port->mtu_cap : peer->mtu_cap;

	ck_assert_msg(is->state == PORT_ACTIVE, "%s port %u: state %u", name,
		port->num, is->state);
	ck_assert_msg(is->mtu == mtu, "%s port %u: MTU code %u", name,
		port->num, is->mtu);
	ck_assert_msg(is->op_vls > 1, "%s port %u: OperVLs %u", name, port->num,
		is->op_vls);
}

/* The port of a host, as its device shows it. */
static void
expect_host_values(
	const struct world *w, const struct topo *t, port_ix p, uint32_t at)
{
	const struct topo_port *port = &t->port[p];
	const struct mad_port_info *is = sim_port_info(w->sim, at, port->num);
	const char *name = w->fabric->node[at].name;
	uint8_t key[MAD_DATA];
	bool blue = false;

	ck_assert_msg(is->lid == port->lid && port->lid != 0,
		"%s port %u: LID %u, not %u", name, port->num, is->lid,
		port->lid);
	ck_assert_msg(is->sm_lid == t->port[t->sm_port].lid,
		"%s port %u: SM LID %u", name, port->num, is->sm_lid);
	ck_assert_uint_eq(
		sim_read(w->sim, at, port->num, MAD_PKEY_TABLE, 0, key), 0);
	for (unsigned i = 0; i < 32; i++)
		blue |= be_get16(key + (size_t)2 * i) == 0x8005;
	ck_assert_msg(blue, "%s port %u: no key", name, port->num);
}

/* Returns the number of ports of hosts. */
static unsigned
expect_planned_values(const struct world *w)
{
	const struct topo *t = sm_view(w->sm)->topo;
	unsigned hosts = 0;

	for (port_ix p = 0; p < t->nports; p++) {
		node_ix n = t->port[p].node;
		uint32_t at = find_node(w, t, n);

		if (t->port[p].peer == TOPO_NONE)
			continue;
		expect_link_values(w, t, p, at);
		if (t->node[n].type == TOPO_SWITCH)
			continue;
		expect_host_values(w, t, p, at);
		hosts++;
	}
	return hosts;
}

static void
expect_all_ports(struct fabric *f, unsigned ports)
{
	struct world *w = core_start(f, settings);
	unsigned sets;

	core_expect_order(w, "bring-up");
	ck_assert_uint_eq(expect_planned_values(w), ports);
	/* each is asked to register anew, once */
	ck_assert_uint_eq(sim_stats(w->sim)->client_rereg, ports);
	ck_assert_uint_eq(w->runs_failed, 0);
	sets = (unsigned)sim_stats(w->sim)->port_sets;
	world_run(w, mono_ms(1000));
	ck_assert_uint_eq(sim_stats(w->sim)->port_sets, sets);
	core_end(w, f);
}

/* ---- modifier bit 31 ---- */

enum { NODES = 64, PORTS = 16 };

/* Ports that were read with the bit. */
struct reads {
	bool ext[NODES][PORTS];
	unsigned gets, sets; /* with the bit */
	unsigned without;    /* of these Sets, to ports not read with it */
};

static enum sim_verdict
watch_bit(void *cookie, struct sim_msg *q)
{
	struct reads *r = cookie;
	struct smp m;
	unsigned port;
	bool ext;

	if (q->where != SIM_AT_SMA ||
		smp_decode(q->m.mad, q->m.len, &m, NULL) != 0 ||
		m.attr != MAD_PORT_INFO)
		return SIM_PASS;
	port = m.mod & 0xff;
	ext = (m.mod & MAD_PORT_INFO_EXT) != 0;
	ck_assert(q->node < NODES && port < PORTS);
	if (m.method == MAD_GET)
		r->ext[q->node][port] |= ext;
	r->gets += m.method == MAD_GET && ext;
	if (m.method != MAD_SET || !ext)
		return SIM_PASS;
	r->sets++;
	r->without += !r->ext[q->node][port];
	return SIM_PASS;
}

/*
 * A Set with the bit echoes what was read with it, on every port: ours, which
 * is read before its link is known, and port 0 of switches among them.
 */
TEST(a_set_echoes_what_was_read)
{
	struct fabric *f = gen_edit_rails(core_tree(), 2, false, NULL);
	struct sim_options o = sim_defaults();
	struct world *w = world_new(f, &o, settings);
	struct reads r = {0};

	sim_set_hook(w->sim, watch_bit, &r);
	world_start(w);
	core_expect_order(w, "bring-up");
	ck_assert_uint_gt(r.sets, 4 * 64);
	ck_assert_uint_eq(r.without, 0);
	/* two sweeps; hosts' ports once more where the first has not the bit;
	 * the samples of a check */
	ck_assert_uint_le(r.gets, 360);
	core_end(w, f);
}

TEST(both_ports_of_hosts)
{
	struct fabric *f = gen_edit_rails(core_tree(), 2, false, NULL);

	ck_assert_ptr_nonnull(f);
	expect_all_ports(f, 64);
}

/* Two hosts, no switch: the far port is reached over our own link. */
TEST(back_to_back)
{
	expect_all_ports(gen_pair(), 2);
}

/* Our second port is at the other end of our own link. */
TEST(own_two_ports_linked)
{
	struct fabric *f = fabric_new();
	uint32_t h = fabric_add(f, FABRIC_CA, 2, "h1");

	ck_assert_uint_ne(fabric_connect(f, h, 1, h, 2, NULL), FABRIC_NONE);
	expect_all_ports(f, 2);
}

/*
 * The second link of a host comes up later, and the first one is gone then:
 * the port is the only one left, and is reached.
 */
TEST(one_link_for_the_other)
{
	struct fabric *f = gen_edit_rails(core_tree(), 2, false, NULL);
	struct world *w = core_start(f, settings);
	uint32_t h = fabric_find(f, "h9");

	sim_fault_link(w->sim, h, 2, false);
	core_expect_order(w, "one link");
	sim_fault_link(w->sim, h, 2, true);
	core_expect_order(w, "both");
	(void)expect_planned_values(w);
	sim_fault_link(w->sim, h, 1, false);
	core_expect_order(w, "the other link");
	(void)expect_planned_values(w);
	core_end(w, f);
}
