/*
 * The port that the manager runs at comes back as another one: a new adapter on
 * the same fabric, the same state before another fabric, a link that leads
 * elsewhere. What was known of the old fabric must not be written to the new
 * one, nor be mixed with what is known of it.
 */
#include <check.h>
#include <string.h>

#include "tests/sim/referee/referee.h"
#include "tests/topo/shape.h"
#include "tests/unit/sm/sa/sa_registrations_fixture.h"

enum { LIDS = 200, FOREIGN_BIT = 60 };

/* Six leaves of six hosts, three spines; its GUIDs are none of core_tree's. */
static struct fabric *
other_tree(void)
{
	struct fabric *f = shape_of("two:6:6:3:6");

	for (uint32_t n = 0; n < f->nnodes; n++) {
		f->node[n].guid |= UINT64_C(1) << FOREIGN_BIT;
		f->node[n].sysimg |= UINT64_C(1) << FOREIGN_BIT;
		for (unsigned p1 = 0; p1 <= f->node[n].nports; p1++)
			if (fabric_port(f, n, p1)->guid != 0)
				fabric_port(f, n, p1)->guid |= UINT64_C(1)
							       << FOREIGN_BIT;
	}
	return f;
}

static struct fabric *
first_tree(void)
{
	return shape_of("two:4:8:4");
}

static void
expect_order(struct world *w, const char *when)
{
	struct referee_report r;
	struct reason why;

	ck_assert_msg(
		world_settle(w, mono_ms(60000)), "%s: %s", when, w->last_why);
	ck_assert_msg(referee_fabric(w->sim, fabric_first_host(w->fabric),
			      REFEREE_ALL, &r, &why) == 0,
		"%s: %s", when, why.text);
}

/* A service, a subscription, an alias GUID. */
static void
register_host(struct host *o)
{
	const uint64_t alias[8] = {0, 0x1111};
	struct service s = service_of(o, 7, 0);

	ck_assert_uint_eq(change_service(o, MAD_SET, &s, ID | GID), 0);
	ck_assert_uint_eq(send_inform(o, &everything, 0), 0);
	ck_assert_uint_eq(
		change_aliases(o, MAD_SET, LID | BLOCK | GUID1, o->lid, alias),
		0);
	world_run(o->w, mono_ms(3000));
	ck_assert_ptr_nonnull(strstr(o->w->saved.sa, "service 0x"));
}

static bool
is_foreign(uint64_t guid)
{
	return (guid >> FOREIGN_BIT & 1) != 0;
}

/* Nothing of what will be saved is about the first fabric. */
static void
expect_foreign_state(const struct state_file *s)
{
	for (size_t i = 0; i < s->nlid; i++)
		ck_assert(is_foreign(s->lid[i].guid));
	for (size_t i = 0; i < s->nrank; i++)
		ck_assert(is_foreign(s->rank[i].guid));
	for (size_t i = 0; i < s->nleaf; i++)
		ck_assert(is_foreign(s->leaf[i].guid));
	for (size_t i = 0; i < s->nmember; i++)
		ck_assert(is_foreign(s->member[i].owner));
	ck_assert_uint_eq(s->nblock, 0);
	ck_assert(s->sa == NULL || strstr(s->sa, " 0x0002c9") == NULL);
}

/* Both fabrics hold the same: LIDs, tables, P_Keys. */
static void
expect_same_devices(const struct world *a, const struct world *b)
{
	uint8_t x[MAD_DATA], y[MAD_DATA];

	for (uint32_t n = 0; n < a->fabric->nnodes; n++) {
		bool sw = a->fabric->node[n].type == FABRIC_SWITCH;
		unsigned p = sw ? 0 : 1;

		ck_assert_uint_eq(sim_port_info(a->sim, n, p)->lid,
			sim_port_info(b->sim, n, p)->lid);
		for (uint16_t lid = 1; lid < LIDS && sw; lid++)
			ck_assert_uint_eq(sim_lft(a->sim, n, lid),
				sim_lft(b->sim, n, lid));
		ck_assert_uint_eq(
			sim_read(a->sim, n, p, MAD_PKEY_TABLE, 0, x), 0);
		ck_assert_uint_eq(
			sim_read(b->sim, n, p, MAD_PKEY_TABLE, 0, y), 0);
		ck_assert_mem_eq(x, y, MAD_DATA);
	}
}

/* The device is back, before another fabric, with the state of the first one:
 * all is as if there had been no state. */
TEST(another_fabric)
{
	const char *yaml = "partitions:\n  blue:\n    pkey: 0x0101\n"
			   "    members: {\"h2*\": full}\n";
	AUTO(fabric) struct fabric *f = first_tree(), *g = other_tree();
	struct sim_options o = sim_defaults();
	AUTO(world)
	struct world *a = world_new(f, &o, yaml), *b = NULL, *fresh = NULL;
	AUTO(host) struct host *h = NULL;
	struct sm_status s;

	world_start(a);
	expect_order(a, "the first fabric");
	h = host_on(a, "h20");
	register_host(h);
	b = world_new(g, &o, yaml);
	fresh = world_new(g, &o, yaml);
	b->saved = a->saved;
	a->saved = (struct state_file){0};
	world_kill(a);
	world_start(b);
	world_start(fresh);
	expect_order(b, "the second fabric");
	expect_order(fresh, "without a state");
	world_run(b, mono_ms(5000));
	expect_same_devices(b, fresh);
	expect_foreign_state(&b->saved);
	sm_status(b->sm, &s);
	ck_assert_str_eq(s.alarm, "");
	ck_assert_uint_eq(s.sa.services, 0);
	ck_assert_uint_eq(s.sa.subscriptions, 0);
}

/* A new adapter: the fabric keeps its LIDs and registrations, every port learns
 * the LID of the new one. */
TEST(another_adapter)
{
	AUTO(fabric) struct fabric *f = first_tree();
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = world_new(f, &o, "");
	const uint64_t guid = UINT64_C(0x0002c903dead0000);
	uint32_t own = fabric_first_host(f);
	uint16_t was[256], sm_lid;
	AUTO(host) struct host *h = NULL;
	struct sm_status s;

	world_start(w);
	expect_order(w, "the first adapter");
	h = host_on(w, "h20");
	register_host(h);
	ck_assert_uint_lt(f->nnodes, 256);
	for (uint32_t n = 0; n < f->nnodes; n++)
		was[n] = sim_port_info(
			w->sim, n, f->node[n].type == FABRIC_SWITCH ? 0 : 1)
				 ->lid;
	world_kill(w);
	sim_fault_guid(w->sim, own, guid);
	fabric_port(f, own, 1)->guid += guid - f->node[own].guid;
	f->node[own].guid = guid;
	sim_fault_reboot(w->sim, own);
	world_start(w);
	expect_order(w, "the second adapter");
	sm_lid = sim_port_info(w->sim, own, 1)->lid;
	for (uint32_t n = 0; n < f->nnodes; n++) {
		unsigned p = f->node[n].type == FABRIC_SWITCH ? 0 : 1;

		if (n != own)
			ck_assert_uint_eq(
				sim_port_info(w->sim, n, p)->lid, was[n]);
		ck_assert_uint_eq(sim_port_info(w->sim, n, p)->sm_lid, sm_lid);
	}
	sm_status(w->sm, &s);
	ck_assert_str_eq(s.alarm, "");
	ck_assert_uint_eq(s.sa.services, 1);
	ck_assert_uint_eq(s.sa.subscriptions, 1);
}

/* Sets that arrive before the fabric was read anew. */
struct witness {
	struct world *w;
	unsigned sets;
	bool watching;
};

static void
count_set(void *cookie, const struct sim_set *set)
{
	struct witness *v = cookie;

	v->sets += v->watching && set->node != v->w->host;
}

/*
 * Our own link goes down while tables are written, and comes back: who knows
 * where it leads now. No Set that was planned before arrives there.
 */
LOOP_TEST(our_link_may_lead_elsewhere, 0, 4)
{
	AUTO(fabric) struct fabric *f = first_tree();
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = NULL;
	struct witness v = {.w = NULL};
	uint32_t own = fabric_first_host(f);
	struct sm_status s;

	o.service = mono_us(500);
	w = v.w = world_new(f, &o, "");
	sim_trace(w->sim, count_set, &v);
	world_start(w);
	do {
		world_run(w, mono_us(20));
		sm_status(w->sm, &s);
	} while (s.phase != SM_PUSH);
	world_run(w, mono_ms(1 + 4 * _i));
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.phase, SM_PUSH);
	sim_fault_link(w->sim, own, 1, false);
	world_run(w, mono_ms(100));
	sm_own_link(w->sm, false, sim_now(w->sim));
	world_run(w, mono_ms(100));
	sim_fault_link(w->sim, own, 1, true);
	v.watching = true;
	do {
		world_run(w, mono_us(20));
		sm_status(w->sm, &s);
	} while (s.phase != SM_IDLE && s.phase != SM_ROUTE && v.sets == 0);
	ck_assert_uint_eq(v.sets, 0);
	v.watching = false;
	sm_own_link(w->sm, true, sim_now(w->sim));
	expect_order(w, "the link is back");
}

/* Layers of pairs outlive a view without switches: nothing is written when our
 * cable is back, and no port goes down for it. */
TEST(our_cable_and_layers)
{
	AUTO(fabric) struct fabric *f = shape_of("torus:5x6:2");
	struct sim_options o = sim_defaults();
	AUTO(world)
	struct world *w =
		world_new(f, &o, "routing: {engines: [torus, updn]}\n");
	uint32_t host = fabric_first_host(f);
	const struct view *v;

	world_start(w);
	ck_assert(world_settle(w, mono_ms(20000)));
	ck_assert_str_eq(sm_view(w->sm)->routes->engine, "torus");
	for (int i = 0; i < 2; i++) {
		sim_fault_link(w->sim, host, 1, i == 1);
		world_run(w, mono_ms(15000));
		ck_assert(world_settle(w, mono_ms(60000)));
		v = sm_view(w->sm);
		ck_assert_uint_eq(v->topo->nsw, i == 1 ? 30 : 0);
	}
	ck_assert_str_eq(v->routes->engine, "torus");
	ck_assert_uint_gt(v->routes->layers.n, 1);
	ck_assert_ptr_null(v->change.ports_down);
	ck_assert_uint_eq(v->change.entries, 0);
	ck_assert_uint_eq(v->change.nstays, 0);
}
