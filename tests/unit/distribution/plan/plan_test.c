/* Plans: values that are in place are not sent, nor any that must never be
 * echoed. */
#include "tests/unit/distribution/plan/plan_fixture.h"
#include "tests/unit/routing/layers_fixture.h"

TEST(fresh_fabric)
{
	AUTO(rig) struct rig g;
	size_t i;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_PARAMS), 2); /* port 0 twice */
	ck_assert_uint_eq(count_steps(&g, PLAN_TOP), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_LFT), 2);
	ck_assert_uint_eq(count_steps(&g, PLAN_RAISE), 2);
	ck_assert_uint_eq(count_steps(&g, PLAN_PREPARE), 6);
	ck_assert_uint_eq(count_steps(&g, PLAN_ARM), 6);
	ck_assert_uint_eq(count_steps(&g, PLAN_ACTIVATE), 6);
	ck_assert_uint_eq(count_steps(&g, PLAN_LOWER), 0);
	for (i = 0; i < g.p->nsteps; i++) {
		const struct plan_step *s = &g.p->step[i];
		const struct topo_port *port = &g.t->port[s->port];
		struct mad_port_info pi;

		if (s->attr != DEVICE_PORT_INFO)
			continue;
		ck_assert_int_eq(mad_port_info_decode(
					 g.p->payload[s->payload], &pi, NULL),
			0);
		ck_assert_uint_eq(pi.phys_state, 0); /* never echoed */
		ck_assert_uint_eq(pi.down_default, 2);
		ck_assert_uint_eq(pi.width_enabled, 0);
		ck_assert_uint_eq(pi.speed_enabled, 0);
		ck_assert(!pi.client_rereg);
		ck_assert_uint_eq(pi.state, s->kind == PLAN_ARM	       ? 3
					    : s->kind == PLAN_ACTIVATE ? 4
								       : 0);
		if (topo_has_lid(g.t, s->port)) {
			ck_assert_uint_eq(pi.lid, port->lid);
			ck_assert_uint_eq(
				pi.sm_lid, g.t->port[g.t->sm_port].lid);
		} else {
			ck_assert_uint_eq(pi.lid, 0);
			ck_assert_uint_eq(pi.sm_lid, 0);
		}
	}
}

TEST(what_is_in_place_is_not_sent)
{
	AUTO(rig) struct rig g;
	sw_ix s;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	for (s = 0; s < g.t->nsw; s++)
		device_set_block(g.hw, g.t->node[g.t->sw[s].node].guid, 0,
			routes_ref_of(g.r, s, 0));
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_LFT), 0);
	ck_assert_uint_eq(g.p->change->kept, 2);
	/* one answer lost: that block alone goes out again */
	device_unknown_block(g.hw, 0x101, 0);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_LFT), 1);
}

TEST(top_first_where_blocks_above_are_refused)
{
	AUTO(rig) struct rig g;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	device_mark(g.hw, device_at_switch(0x101, DEVICE_LFT), DEVICE_REFUSES);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_TOP), 1);
	ck_assert_uint_eq(count_steps(&g, PLAN_RAISE), 1);
}

/* LifeTimeValue is set with LinearFDBTop, or alone where that stays. */
TEST(lifetimes_of_switches)
{
	struct plan_params wanted = params;
	struct plan_job job = {.params = &wanted};
	struct mad_switch_info si;
	AUTO(rig) struct rig g;
	size_t i, sets = 0;

	rig_draft(&g);
	rig_state(&g, 4);
	builder_set_lft(g.d, g.sw[1], 1024, 4); /* the top that it shall have */
	rig_routes(&g);
	wanted.packet_life = 18;
	job.routes = g.r;
	job.hw = g.hw;
	job.change = transition_find(&(struct transition_job){
		.to = g.r, .hw = g.hw, .max_stages = 8});
	g.p = plan_make(&job);
	for (i = 0; i < g.p->nsteps; i++) {
		if (g.p->step[i].attr != DEVICE_SWITCH_INFO)
			continue;
		sets++;
		(void)mad_switch_info_decode(
			g.p->payload[g.p->step[i].payload], &si, NULL);
		ck_assert_uint_eq(si.life, 18);
		ck_assert_uint_eq(si.lft_top, g.r->top);
		ck_assert_int_eq(g.p->step[i].kind,
			g.t->node[g.t->port[g.p->step[i].port].node].guid ==
					0x101
				? PLAN_PARAMS
				: PLAN_RAISE);
	}
	ck_assert_uint_eq(sets, 2);
	device_set_keeps_life(g.hw, 0x101, 18);
	job.change = transition_find(&(struct transition_job){
		.to = g.r, .hw = g.hw, .max_stages = 8});
	plan_free(g.p);
	g.p = plan_make(&job);
	for (i = 0; i < g.p->nsteps; i++)
		ck_assert(g.p->step[i].attr != DEVICE_SWITCH_INFO ||
			  g.p->step[i].kind != PLAN_PARAMS);
}

TEST(live_ports_get_no_change_sets)
{
	AUTO(rig) struct rig g;
	size_t i;

	rig_draft(&g);
	rig_state(&g, 4);
	builder_set_lft(g.d, g.sw[0], 1024, 200);
	rig_routes(&g);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_ARM), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_ACTIVATE), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_LOWER), 1);
	ck_assert_uint_eq(count_steps(&g, PLAN_RAISE), 1);
	for (i = 0; i < count_steps(&g, PLAN_PARAMS); i++) {
		struct mad_port_info pi;

		ck_assert_int_eq(
			mad_port_info_decode(
				g.p->payload[g.p->step[i].payload], &pi, NULL),
			0);
		ck_assert_uint_eq(pi.state, 0);
	}
}

TEST(quarantined_switches_are_left_alone)
{
	AUTO(rig) struct rig g;
	size_t i;

	rig_draft(&g);
	rig_state(&g, 2);
	builder_quarantine(g.d, 0x101, "test");
	rig_routes(&g);
	rig_plan(&g);
	for (i = 0; i < g.p->nsteps; i++) {
		node_ix n = g.t->port[g.p->step[i].port].node;

		ck_assert_uint_ne(g.t->node[n].guid, 0x101);
	}
	/* at the other end, too, the link stays in Init */
	ck_assert_uint_eq(count_steps(&g, PLAN_ARM), 2);
}

TEST(half_raised_links_are_finished)
{
	AUTO(rig) struct rig g;

	rig_draft(&g);
	rig_state(&g, 4);
	builder_set_port_state(g.d, g.sw[0], 2, 2); /* Init */
	builder_set_port_state(g.d, g.sw[1], 2, 3); /* Armed */
	rig_routes(&g);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_ARM), 1);
	ck_assert_uint_eq(count_steps(&g, PLAN_ACTIVATE), 2);
}

/* A fresh switch is written and raised before its ports come up. */
TEST(fresh_switches_first)
{
	AUTO(rig) struct rig g;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	rig_plan(&g);
	ck_assert_uint_lt(
		phase_of(&g, PLAN_LFT, true), phase_of(&g, PLAN_RAISE, true));
	ck_assert_uint_lt(
		phase_of(&g, PLAN_RAISE, true), phase_of(&g, PLAN_ARM, false));
	ck_assert_uint_eq(phase_of(&g, PLAN_LFT, false), g.p->nphases);
}

/* The step of this kind for a port, or NULL. */
static const struct plan_step *
step_of(const struct rig *g, enum plan_kind k, port_ix p)
{
	for (size_t i = 0; i < g->p->nsteps; i++)
		if (g->p->step[i].kind == k && g->p->step[i].port == p)
			return &g->p->step[i];
	return NULL;
}

static struct mad_port_info
sent_by(const struct rig *g, const struct plan_step *s)
{
	struct mad_port_info i;

	ck_assert_ptr_nonnull(s);
	ck_assert_int_eq(
		mad_port_info_decode(g->p->payload[s->payload], &i, NULL), 0);
	return i;
}

/* The fabric once more, with what the builder knows by now. */
static void
rig_reread(struct rig *g)
{
	plan_free(g->p);
	g->p = NULL;
	routes_unref(g->r);
	device_free(g->hw);
	lft_pool_free(g->pool);
	topo_unref(g->t);
	rig_routes(g);
}

/* What a port answers from now on. */
static void
rig_answers(struct rig *g, port_ix p, const struct mad_port_info *i)
{
	uint8_t d[MAD_DATA];

	mad_port_info_encode(i, d);
	builder_port_written(g->d, g->t->node[g->t->port[p].node].guid,
		g->t->port[p].num, d);
}

/* Port 2 of s0: of the link between the switches. */
static port_ix
link_port(const struct rig *g)
{
	return topo_port_of(g->t, topo_by_node_guid(g->t, 0x100), 2);
}

/* MTU, VLs and the rest go to ports in Init with NoChange, then the state with
 * the same; where everything is in place, the state alone. */
TEST(parameters_before_the_state)
{
	struct mad_port_info i, armed;
	AUTO(rig) struct rig g;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	ck_assert_int_eq(
		mad_port_info_decode(topo_info(g.t, link_port(&g)), &i, NULL),
		0);
	i.mtu = i.op_vls = 1;
	rig_answers(&g, link_port(&g), &i);
	rig_reread(&g);
	rig_plan(&g);
	ck_assert_uint_lt(phase_of(&g, PLAN_PREPARE, false),
		phase_of(&g, PLAN_ARM, false));
	i = sent_by(&g, step_of(&g, PLAN_PREPARE, link_port(&g)));
	ck_assert_uint_eq(i.state, 0);
	ck_assert_uint_eq(i.mtu, 5);
	ck_assert_uint_eq(i.op_vls, 3);
	ck_assert_uint_eq(i.hoq_life, 18);
	armed = sent_by(&g, step_of(&g, PLAN_ARM, link_port(&g)));
	ck_assert_uint_eq(armed.state, 3);
	armed.state = 0;
	ck_assert_int_eq(memcmp(&armed, &i, sizeof(i)), 0);
	for (size_t k = 0; k < g.p->nsteps; k++)
		if (g.p->step[k].kind == PLAN_PREPARE) {
			i = sent_by(&g, &g.p->step[k]);
			i.state = 2;
			rig_answers(&g, g.p->step[k].port, &i);
		}
	rig_reread(&g);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_PREPARE), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_ARM), 6);
}

/* The end of a link that came up first keeps its MTU, and the other follows. */
TEST(an_end_that_is_armed_keeps_its_mtu)
{
	struct mad_port_info i;
	AUTO(rig) struct rig g;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	ck_assert_int_eq(
		mad_port_info_decode(topo_info(g.t, link_port(&g)), &i, NULL),
		0);
	i.mtu = 3;
	i.state = 3;
	rig_answers(&g, link_port(&g), &i);
	rig_reread(&g);
	rig_plan(&g);
	ck_assert_ptr_null(step_of(&g, PLAN_PREPARE, link_port(&g)));
	ck_assert_ptr_null(step_of(&g, PLAN_ARM, link_port(&g)));
	i = sent_by(&g, step_of(&g, PLAN_ACTIVATE, link_port(&g)));
	ck_assert_uint_eq(i.mtu, 3);
	i = sent_by(
		&g, step_of(&g, PLAN_PREPARE, g.t->port[link_port(&g)].peer));
	ck_assert_uint_eq(i.mtu, 3);
	ck_assert_uint_eq(g.p->mismatched_ports, 1);
}

/* A port is not sent again what it did not take, unless it holds something else
 * by now. */
TEST(settings_that_a_port_keeps)
{
	struct device_kept k = {.guid = 0x100, .port = 2};
	AUTO(rig) struct rig g;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	rig_plan(&g);
	k.want = sent_by(&g, step_of(&g, PLAN_PREPARE, link_port(&g)));
	ck_assert_int_eq(mad_port_info_decode(
				 topo_info(g.t, link_port(&g)), &k.held, NULL),
		0);
	device_set_kept(g.hw, &k);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_PREPARE), 5);
	ck_assert_uint_eq(g.p->nkept, 1);
	ck_assert_uint_eq(g.p->kept[0].port, link_port(&g));
	k.held.hoq_life = 3; /* it has another one now: it has restarted */
	device_set_kept(g.hw, &k);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_PREPARE), 6);
	ck_assert_uint_eq(g.p->nkept, 0);
}

/* Further blocks of ports: those that are not in place, unless the port refuses
 * them or its node is in quarantine. */
TEST(blocks_that_no_path_depends_on)
{
	static const uint8_t held[64] = {0};
	struct plan_block b[4];
	AUTO(rig) struct rig g;

	rig_draft(&g);
	rig_state(&g, 4);
	rig_routes(&g);
	for (unsigned i = 0; i < 4; i++)
		b[i] = (struct plan_block){
			topo_port_of(g.t,
				topo_by_node_guid(g.t, 0x200 + i % 2 * 16), 1),
			DEVICE_GUIDS, i / 2, {7}};
	rig_plan_with(&g, b, 4);
	ck_assert_uint_eq(count_steps(&g, PLAN_TABLES), 4);
	ck_assert_uint_eq(phase_of(&g, PLAN_TABLES, false), g.p->nphases - 1);
	/* ports without entries lack none once that is known */
	device_put(g.hw, device_at_guids(0x200, 1, 0), held);
	rig_plan_with(&g, b, 4);
	ck_assert_uint_eq(count_steps(&g, PLAN_TABLES), 3);
	device_mark(g.hw, device_at_guids(0x210, 1, 0), DEVICE_REFUSES);
	rig_plan_with(&g, b, 4);
	ck_assert_uint_eq(count_steps(&g, PLAN_TABLES), 1);
	g.t->node[topo_by_node_guid(g.t, 0x200)].flags |= TN_QUARANTINED;
	rig_plan_with(&g, b, 4);
	ck_assert_uint_eq(count_steps(&g, PLAN_TABLES), 0);
}

/* An enhanced port 0 gets the MTU that it can do; a base one has none. */
TEST(the_mtu_of_port_0)
{
	struct mad_switch_info si = {.lft_cap = 1024, .enhanced_p0 = true};
	struct mad_port_info i;
	uint8_t d[MAD_DATA];
	AUTO(rig) struct rig g;
	node_ix n;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	for (unsigned k = 0; k < 2; k++) {
		n = topo_by_node_guid(g.t, 0x100 + k);
		ck_assert_int_eq(
			mad_port_info_decode(
				topo_info(g.t, g.t->node[n].first_port), &i,
				NULL),
			0);
		i.mtu = 1;
		i.mtu_cap = 4;
		rig_answers(&g, g.t->node[n].first_port, &i);
	}
	mad_switch_info_encode(&si, d);
	builder_switch_written(g.d, 0x101, d);
	rig_reread(&g);
	rig_plan(&g);
	for (unsigned k = 0; k < 2; k++) {
		n = topo_by_node_guid(g.t, 0x100 + k);
		i = sent_by(
			&g, step_of(&g, PLAN_PARAMS, g.t->node[n].first_port));
		ck_assert_uint_eq(i.mtu, k == 0 ? 1 : 4);
	}
}

/* With two layers a node reaches the manager on the SL of the layer of their
 * switches; live ports get it when the tables are written. */
LOOP_TEST(the_sl_to_the_manager, 0, 2)
{
	const bool live = _i == 1;
	struct mad_port_info i;
	AUTO(rig) struct rig g;
	port_ix far;

	rig_draft(&g);
	rig_state(&g, live ? 4 : 2);
	rig_routes(&g);
	g.r->layers.n = 2;
	g.r->layers.plain = true;
	layers_put(&g.r->layers, 0, 1, 1);
	rig_plan(&g);
	far = topo_port_of(g.t, topo_by_node_guid(g.t, 0x210), 1);
	ck_assert_uint_eq(routes_layer(&g.r->layers, 1, 0), 1);
	if (live) {
		size_t last = g.p->nphases - 1;

		i = sent_by(&g, step_of(&g, PLAN_PARAMS, far));
		ck_assert_uint_eq(i.sm_sl, 0);
		while (g.p->phase[last].kind != PLAN_PARAMS)
			last--;
		ck_assert_uint_gt(last, phase_of(&g, PLAN_LFT, false));
		for (size_t k = g.p->phase[last].first;
			k < g.p->phase[last].end; k++)
			ck_assert_uint_eq(sent_by(&g, &g.p->step[k]).sm_sl, 1);
		ck_assert_uint_eq(
			g.p->phase[last].end - g.p->phase[last].first, 2);
	} else {
		i = sent_by(&g, step_of(&g, PLAN_PREPARE, far));
		ck_assert_uint_eq(i.sm_sl, 1);
		i = sent_by(&g, step_of(&g, PLAN_ARM, far));
		ck_assert_uint_eq(i.sm_sl, 1);
	}
}
