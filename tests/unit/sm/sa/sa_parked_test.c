/*
 * When subnet administration is silent: a request is parked before the first
 * view, and when the view does not have the requester; it is ignored while
 * another manager is master. Hosts take any status as final.
 */
#include "sm/core/sm_priv.h"
#include "tests/topo/shape.h"
#include "tests/unit/sm/sa/sa_fixture.h"

static struct fabric *
small_fabric(void)
{
	return shape_of("mesh:2:2");
}

static struct sa_stats
stats_of(const struct fixture *x)
{
	struct sm_status st;

	sm_status(x->w->sm, &st);
	return st.sa;
}

/* Hands the SM a request for all nodes as if it came from this LID. */
static void
ask_from(struct fixture *x, uint16_t lid, uint32_t tid)
{
	const struct mad_sa h = {.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = MAD_SA_GET_TABLE,
		.attr = MAD_SA_NODE,
		.tid = tid};
	struct transport_msg m = {
		.addr.lid = lid, .addr.qpn = 1, .len = MAD_SIZE};

	mad_sa_encode(&h, m.mad);
	sm_receive(x->w->sm, &m, sim_now(x->w->sim));
}

/* Runs until the next commit, at most for a second, then a tick. */
static void
next_commit(struct fixture *x)
{
	unsigned before = x->w->commits;

	for (int i = 0; i < 10000 && x->w->commits == before; i++)
		world_run(x->w, mono_us(100));
	ck_assert_uint_gt(x->w->commits, before);
	world_run(x->w, mono_ms(1));
}

/* Runs until both ends of a host's link are Active, at most for a second. */
static void
run_until_active(struct fixture *x, const struct host *o)
{
	uint32_t sw;
	unsigned port;

	ck_assert(fabric_peer(x->f, o->node, 1, &sw, &port));
	for (int i = 0; i < 100000; i++) {
		world_run(x->w, mono_us(10));
		if (sim_port_info(x->w->sim, o->node, 1)->state ==
				PORT_ACTIVE &&
			sim_port_info(x->w->sim, sw, port)->state ==
				PORT_ACTIVE)
			return;
	}
	ck_abort_msg("not Active");
}

/* A host comes back and asks as soon as it is Active: before the commit. */
static void
come_back(struct fixture *x, struct host *o)
{
	unsigned before;

	set_present(x, o->node, false);
	before = x->w->commits;
	sim_fault_node(x->w->sim, o->node, true);
	run_until_active(x, o);
	ck_assert_uint_eq(x->w->commits, before);
	o->lid = sim_port_info(x->w->sim, o->node, 1)->lid;
}

TEST(a_new_host_is_answered_after_the_commit)
{
	AUTO(fixture) struct fixture x = fixture_with(small_fabric(), "");
	AUTO(host) struct host *o = host_on(x.w, "h2");
	const struct ask all = {0};

	come_back(&x, o);
	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_TABLE, MAD_SA_NODE, &all), 0);
	ck_assert_uint_eq(host_records(o, 112), 6);
	ck_assert_uint_eq(stats_of(&x).parked, 1);
	ck_assert_uint_eq(stats_of(&x).unanswered, 0);
}

/* While all ports are down for a change, nothing that the view says of paths is
 * given out. */
TEST(a_pause_ends_with_the_next_view)
{
	AUTO(fixture) struct fixture x = fixture_with(small_fabric(), "");
	struct host *o = host_on(x.w, "h2"), *h3 = host_on(x.w, "h3");
	const struct ask all = {0};
	uint64_t answers = stats_of(&x).answers;

	ck_assert(sm_gives_paths(x.w->sm));
	sa_pause(x.w->sm->hosts.sa);
	ck_assert(!sm_gives_paths(x.w->sm));
	ask_from(&x, o->lid, 7);
	world_run(x.w, mono_ms(100));
	ck_assert_uint_eq(stats_of(&x).answers, answers);
	ck_assert_uint_eq(stats_of(&x).parked, 1);
	set_present(&x, h3->node, false); /* the next view */
	ck_assert(sm_gives_paths(x.w->sm));
	ck_assert_uint_eq(stats_of(&x).answers, answers + 1);
	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_TABLE, MAD_SA_NODE, &all), 0);
	host_free(h3);
	host_free(o);
}

/* With a request that is longer than a MAD. */
TEST(a_long_request_is_kept_whole)
{
	AUTO(fixture) struct fixture x = fixture_with(small_fabric(), "");
	struct host *o = host_on(x.w, "h2"), *h3 = host_on(x.w, "h3");
	const struct mad_gid from = {PREFIX, o->guid}, to = {PREFIX, h3->guid};
	uint8_t rec[24 + 16 * 20] = {0};
	const struct ask a = {
		.mask = MAD_SA_MULTI_NSGID | MAD_SA_MULTI_NDGID,
		.rec = rec,
		.len = sizeof(rec),
	};

	rec[15] = 19;
	rec[16] = 1;
	for (unsigned i = 0; i < 20; i++)
		mad_sa_gid_encode(i < 19 ? &from : &to, rec + 24 + 16 * i);
	come_back(&x, o);
	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_MULTI, MAD_SA_MULTI_PATH, &a), 0);
	ck_assert_uint_eq(host_records(o, 64), 19);
	ck_assert_uint_eq(stats_of(&x).parked, 1);
	host_free(h3);
	host_free(o);
}

/* A request that is repeated while it is parked is answered once. */
TEST(a_repetition_replaces_its_request)
{
	AUTO(fixture) struct fixture x = fixture_with(small_fabric(), "");
	AUTO(host) struct host *o = host_on(x.w, "h2");

	come_back(&x, o);
	o->tid = 77;
	ask_from(&x, o->lid, 77);
	ask_from(&x, o->lid, 77);
	ask_from(&x, o->lid, 76);
	ask_from(&x, o->lid, 77);
	next_commit(&x);
	ck_assert_uint_eq(o->answers, 1);
	ck_assert_uint_eq(stats_of(&x).parked, 4);
	ck_assert_uint_eq(stats_of(&x).answers, 2);
}

TEST(the_first_view_is_waited_for)
{
	struct sim_options so = sim_defaults();
	AUTO(fixture) struct fixture x = {.f = small_fabric()};
	struct sm_status st = {0};
	AUTO(host) struct host *o = NULL;
	const struct ask all = {0};

	/* a slow host keeps the run from its end */
	x.f->node[fabric_find(x.f, "h4")].attrs.service_ns = 20000000;
	x.w = world_new(x.f, &so, "");
	o = host_on(x.w, "h2");
	world_start(x.w);
	run_until_active(&x, o);
	sm_status(x.w->sm, &st);
	ck_assert_int_eq(st.role, SM_MASTER);
	ck_assert_uint_eq(x.w->commits, 0);
	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_TABLE, MAD_SA_NODE, &all), 0);
	ck_assert_uint_eq(x.w->commits, 1);
}

TEST(unknown_requesters_are_dropped)
{
	AUTO(fixture) struct fixture x = fixture_with(small_fabric(), "");
	struct sa_stats s;

	/* after the next commit */
	ask_from(&x, 999, 1);
	world_run(x.w, mono_ms(100));
	ck_assert_uint_eq(stats_of(&x).unanswered, 0);
	sim_fault_node(x.w->sim, fabric_find(x.f, "h4"), false);
	next_commit(&x);
	ck_assert_uint_eq(stats_of(&x).unanswered, 1);
	ck_assert(world_settle(x.w, mono_ms(60000)));
	/* after four seconds */
	ask_from(&x, 999, 2);
	world_run(x.w, mono_ms(3900));
	ck_assert_uint_eq(stats_of(&x).unanswered, 1);
	world_run(x.w, mono_ms(200));
	ck_assert_uint_eq(stats_of(&x).unanswered, 2);
	/* the oldest one when there are too many */
	for (unsigned i = 0; i < 300; i++)
		ask_from(&x, (uint16_t)(1000 + i), 3);
	ck_assert_uint_eq(stats_of(&x).unanswered, 2 + 300 - 256);
	world_run(x.w, mono_ms(5000));
	s = stats_of(&x);
	ck_assert_uint_eq(s.unanswered, 302);
	ck_assert_uint_eq(s.parked, 302);
	ck_assert_uint_eq(s.answers + s.refused + s.busy, 0);
}

/* Silence, also for what was parked when another manager took over. */
TEST(not_while_another_is_master)
{
	AUTO(fixture) struct fixture x = fixture_with(small_fabric(), "");
	struct mad_sm_info other = {.act_count = 1, .priority = 15, .state = 3};
	AUTO(host) struct host *o = host_on(x.w, "h2");
	const struct ask all = {0};
	struct sm_status st = {0};

	ask_from(&x, 999, 1);
	sim_fault_other_sm(x.w->sim, fabric_find(x.f, "h4"), 1, &other);
	sm_resweep(x.w->sm, sim_now(x.w->sim), "test");
	for (int i = 0; i < 3000 && st.role != SM_STANDING_BY; i++) {
		world_run(x.w, mono_ms(1));
		sm_status(x.w->sm, &st);
	}
	ck_assert_int_eq(st.role, SM_STANDING_BY);
	ck_assert_uint_eq(st.sa.unanswered, 1);
	host_send(o, MAD_SA_GET_TABLE, MAD_SA_NODE, &all);
	world_run(x.w, mono_ms(100));
	ck_assert_uint_eq(o->answers, 0);
	sm_status(x.w->sm, &st);
	ck_assert_uint_eq(st.sa.unanswered, 2);
	ck_assert_uint_eq(st.requests_refused, 0);
}
