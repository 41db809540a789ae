/*
 * Settings of ports from the plan to the alarm: devices that take parameters
 * only apart from the state, a port that keeps its MTU, devices with time-outs
 * of their own, and hosts that restart between two Sets.
 */
#include <stdio.h>
#include <string.h>

#include "sm/sa/sa_priv.h"
#include "tests/unit/core_fixture.h"

enum { MTU_256 = 1, MTU_4096 = 5 };

/* The port of a switch that leads to another node. */
static unsigned
port_towards(const struct fabric *f, const char *from, const char *to)
{
	uint32_t node, at = fabric_find(f, from);
	unsigned port;

	for (unsigned p = 1; p <= f->node[at].nports; p++)
		if (fabric_peer(f, at, p, &node, &port) &&
			node == fabric_find(f, to))
			return p;
	ck_abort_msg("no link from %s to %s", from, to);
	return 0;
}

static struct sm_status
status_of(const struct world *w)
{
	struct sm_status s;

	sm_status(w->sm, &s);
	return s;
}

static uint64_t
count_port_sets(const struct world *w)
{
	return sim_stats(w->sim)->port_sets - sim_stats(w->sim)->client_rereg;
}

/* Fails unless all ports of links are Active with this MTU, but for one. */
static void
expect_mtu(const struct world *w, uint8_t mtu, uint32_t node, unsigned port)
{
	for (uint32_t n = 0; n < w->fabric->nnodes; n++)
		for (unsigned p = 1; p <= w->fabric->node[n].nports; p++) {
			const struct mad_port_info *i =
				sim_port_info(w->sim, n, p);

			if (i->phys_state != 5 || (n == node && p == port))
				continue;
			ck_assert_uint_eq(i->state, 4);
			ck_assert_uint_eq(i->mtu, mtu);
			/* adapters have one code fewer than switches */
			ck_assert_uint_ge(i->op_vls, i->vl_cap - 1);
		}
}

/* MTU of the path from one node of the fabric to another, as SA gives it. */
static uint8_t
path_mtu(const struct world *w, const char *from, const char *to)
{
	const struct view *v = sm_view(w->sm);
	struct sa_end end[2] = {{0}};
	struct sa_path path;

	for (unsigned i = 0; i < 2; i++) {
		uint32_t n = fabric_find(w->fabric, i == 0 ? from : to);
		node_ix at =
			topo_by_node_guid(v->topo, w->fabric->node[n].guid);

		end[i].port = topo_port_of(v->topo, at, 1);
		end[i].lid = v->topo->port[end[i].port].lid;
	}
	ck_assert(sa_path_find(sm_sa(w->sm), v, &end[0], &end[1], &path));
	return path.mtu;
}

static void
sweep_again(struct world *w, const char *when)
{
	sim_clear_stats(w->sim);
	sm_resweep(w->sm, sim_now(w->sim), "asked for");
	core_expect_order(w, when);
}

/* One Set of parameters for each port, once; the state alone thereafter. */
TEST(parameters_apart_from_the_state)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint32_t nsw = 0;

	for (uint32_t n = 0; n < f->nnodes; n++)
		nsw += f->node[n].type == FABRIC_SWITCH;
	core_expect_order(w, "bring-up");
	expect_mtu(w, MTU_4096, FABRIC_NONE, 0);
	ck_assert_uint_eq(count_port_sets(w),
		nsw + 3 * sm_view(w->sm)->counts.ports_linked);
	ck_assert_str_eq(status_of(w).alarm, "");
	ck_assert_uint_eq(status_of(w).settings_kept, 0);
	sweep_again(w, "sweep");
	ck_assert_uint_eq(count_port_sets(w), 0);
	world_kill(w);
	sim_clear_stats(w->sim);
	world_start(w);
	core_expect_order(w, "restart");
	ck_assert_uint_eq(count_port_sets(w), 0);
}

/* The link comes up; the alarm says what it has, paths have no more, and the
 * port is not sent it for ever. When it does take it the alarm ends. */
TEST(a_port_that_keeps_its_mtu)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint32_t leaf = fabric_find(f, "leaf8");
	unsigned up = port_towards(f, "leaf8", "h29"), retries = 2;
	const struct sim_behaviour keeps = {.keeps_mtu = (uint8_t)up};
	const struct sim_behaviour sound = {0};
	struct sm_status s;

	sim_fault_behave(w->sim, leaf, &keeps);
	core_expect_order(w, "bring-up");
	ck_assert_uint_eq(w->runs_failed, 0);
	expect_mtu(w, MTU_4096, leaf, up);
	ck_assert_uint_eq(sim_port_info(w->sim, leaf, up)->mtu, MTU_256);
	s = status_of(w);
	ck_assert_msg(
		strstr(s.alarm, "leaf8") != NULL &&
			strstr(s.alarm, "NeighborMTU 256 instead of 4096") !=
				NULL &&
			strstr(s.alarm, "have MTU 256") != NULL,
		"alarm: %s", s.alarm);
	ck_assert_uint_eq(s.settings_kept, 1);
	ck_assert_uint_eq(path_mtu(w, "h1", "h29"), MTU_256);
	ck_assert_uint_eq(path_mtu(w, "h29", "h1"), MTU_256);
	ck_assert_uint_eq(path_mtu(w, "h1", "h30"), MTU_4096);
	ck_assert_uint_le(count_port_sets(w),
		12 + 3 * sm_view(w->sm)->counts.ports_linked + retries);
	sweep_again(w, "sweep");
	ck_assert_uint_eq(count_port_sets(w), 0);
	ck_assert_str_eq(status_of(w).alarm, s.alarm);
	ck_assert_uint_eq(sm_view(w->sm)->change.mismatched_ports, 0);
	sim_fault_behave(w->sim, leaf, &sound);
	sim_fault_link(w->sim, leaf, up, false);
	core_expect_order(w, "unplugged");
	ck_assert_str_eq(status_of(w).alarm, "");
	sim_fault_link(w->sim, leaf, up, true);
	core_expect_order(w, "plugged in");
	expect_mtu(w, MTU_4096, FABRIC_NONE, 0);
	ck_assert_str_eq(status_of(w).alarm, "");
	ck_assert_uint_eq(path_mtu(w, "h1", "h29"), MTU_4096);
}

/* A port that acknowledges an MTU and does not hold it is found by the check
 * after the push, and paths have the MTU that it holds. */
TEST(a_port_that_claims_its_mtu)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint32_t leaf = fabric_find(f, "leaf8");
	unsigned up = port_towards(f, "leaf8", "h29");
	const struct sim_behaviour claims = {
		.keeps_mtu = (uint8_t)up, .claims_mtu = true};

	core_expect_order(w, "bring-up");
	sim_fault_behave(w->sim, leaf, &claims);
	sim_fault_link(w->sim, leaf, up, false);
	core_expect_order(w, "unplugged");
	sim_fault_link(w->sim, leaf, up, true);
	core_expect_order(w, "plugged in");
	ck_assert_uint_eq(sim_port_info(w->sim, leaf, up)->mtu, MTU_256);
	ck_assert_uint_eq(status_of(w).not_held, 1);
	ck_assert_uint_eq(path_mtu(w, "h1", "h29"), MTU_256);
	ck_assert_ptr_nonnull(
		strstr(status_of(w).alarm, "NeighborMTU 256 instead of 4096"));
}

/* The least MTU that ports hold on the way that the tables give packets. */
static uint8_t
least_held(const struct world *w, const char *from, const char *to)
{
	const struct fabric *f = w->fabric;
	uint32_t n = fabric_find(f, from), end = fabric_find(f, to), peer;
	uint16_t lid = sim_port_info(w->sim, end, 1)->lid;
	unsigned out = 1, far;
	uint8_t least = MTU_4096;

	while (n != end) {
		ck_assert(fabric_peer(f, n, out, &peer, &far));
		if (sim_port_info(w->sim, n, out)->mtu < least)
			least = sim_port_info(w->sim, n, out)->mtu;
		if (sim_port_info(w->sim, peer, far)->mtu < least)
			least = sim_port_info(w->sim, peer, far)->mtu;
		n = peer;
		out = n == end ? 0 : sim_lft(w->sim, n, lid);
	}
	return least;
}

/* The same at a link between switches, refused openly or in silence: paths
 * over it have the MTU that its ports hold, all others more. */
LOOP_TEST(an_inner_link_that_keeps_its_mtu, 0, 2)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint32_t leaf = fabric_find(f, "leaf8");
	unsigned up = port_towards(f, "leaf8", "spine2"), low = 0, high = 0;
	const struct sim_behaviour keeps = {
		.keeps_mtu = (uint8_t)up, .claims_mtu = _i == 1};
	char host[8];

	core_expect_order(w, "bring-up");
	sim_fault_behave(w->sim, leaf, &keeps);
	sim_fault_link(w->sim, leaf, up, false);
	core_expect_order(w, "unplugged");
	sim_fault_link(w->sim, leaf, up, true);
	core_expect_order(w, "plugged in");
	ck_assert_uint_eq(sim_port_info(w->sim, leaf, up)->mtu, MTU_256);
	ck_assert_ptr_nonnull(
		strstr(status_of(w).alarm, "NeighborMTU 256 instead of 4096"));
	for (unsigned h = 2; h <= 32; h++) {
		uint8_t least;

		(void)snprintf(host, sizeof(host), "h%u", h);
		least = least_held(w, "h1", host);
		low += least == MTU_256;
		high += least == MTU_4096;
		ck_assert_uint_le(path_mtu(w, "h1", host), least);
		ck_assert_uint_le(
			path_mtu(w, host, "h1"), least_held(w, host, "h1"));
	}
	ck_assert_uint_gt(low, 0);
	ck_assert_uint_gt(high, 0);
	ck_assert_uint_eq(path_mtu(w, "h1", "h2"), MTU_4096);
}

/* Devices that keep time-outs and thresholds of their own: counted, no alarm,
 * and not asked again. */
TEST(devices_with_settings_of_their_own)
{
	struct sim_options o = sim_defaults();
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = NULL;
	struct sm_status s;

	o.ibsim = true; /* it stores no thresholds */
	w = world_new(f, &o, "");
	world_start(w);
	core_expect_order(w, "bring-up");
	s = status_of(w);
	ck_assert_str_eq(s.settings, "");
	ck_assert_uint_eq(s.settings_kept, 12 + 32 + 8 * 8 + 4 * 8);
	ck_assert_ptr_nonnull(strstr(s.settings_first, "instead of"));
	sweep_again(w, "sweep");
	ck_assert_uint_eq(count_port_sets(w), 0);
	ck_assert_uint_eq(status_of(w).settings_kept, s.settings_kept);
}

/* The host that restarts when its port is about to go to Armed. */
struct restart {
	struct world *w;
	uint32_t host;
	bool done;
};

static enum sim_verdict
restart_before_armed(void *cookie, struct sim_msg *q)
{
	struct restart *r = cookie;
	struct smp m;
	struct mad_port_info i;

	if (q->where != SIM_AT_SMA || q->node != r->host || r->done ||
		smp_decode(q->m.mad, q->m.len, &m, NULL) != 0 ||
		m.method != MAD_SET || m.attr != MAD_PORT_INFO ||
		mad_port_info_decode(m.data, &i, NULL) != 0 ||
		i.state != PORT_ARMED)
		return SIM_PASS;
	r->done = true;
	sim_fault_reboot(r->w->sim, r->host);
	return SIM_PASS;
}

/* What it lost it is sent again, before its port carries data. */
TEST(a_host_that_restarts_before_it_is_armed)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	struct restart r = {w, fabric_find(f, "h20"), false};

	sim_set_hook(w->sim, restart_before_armed, &r);
	core_expect_order(w, "bring-up");
	ck_assert(r.done);
	expect_mtu(w, MTU_4096, FABRIC_NONE, 0);
	ck_assert_str_eq(status_of(w).alarm, "");
}
