/*
 * What a standby knows of the fabric, that it only reads, and how soon it
 * serves hosts when it takes over.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/rng.h"
#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/sm/sa/sa_fixture.h"
#include "tests/unit/suite.h"

enum { READING_MS = 60000 }; /* standby.refresh */

/* A master on the first host, a standby on h9. */
struct pair {
	struct fabric *f;
	struct world *a, *b;
};

static struct pair
pair_on(struct fabric *f, const struct sim_options *o, const char *b)
{
	struct pair p = {.f = f};

	p.a = world_new(f, o, "fabric: {priority: 5}\n");
	p.b = world_beside(p.a, fabric_find(f, "h9"), b);
	world_start(p.a);
	core_expect_order(p.a, "bring-up");
	world_start(p.b);
	return p;
}

static struct pair
pair_with(struct fabric *f, const char *b)
{
	struct sim_options o = sim_defaults();

	return pair_on(f, &o, b);
}

/* The standby has read the fabric once. */
static struct pair
pair_known(void)
{
	struct pair p = pair_with(core_tree(), "fabric: {priority: 3}\n");

	world_run(p.a, mono_ms(5000));
	ck_assert_uint_eq(p.b->reads, 1);
	return p;
}

static void
pair_end(struct pair *p)
{
	world_free(p->a);
	fabric_free(p->f);
}
AUTO_VALUE(pair, struct pair, pair_end)

static struct sm_status
status_of(const struct world *w)
{
	struct sm_status s;

	sm_status(w->sm, &s);
	return s;
}

static uint64_t
sets_of(const struct pair *p)
{
	const struct sim_stats *s = sim_stats(p->a->sim);
	uint64_t n = 0;

	for (unsigned i = 0; i < SIM_ATTRS; i++)
		n += s->by[i][MAD_SET & 7];
	return n;
}

/* The fabric's node with this GUID. */
static uint32_t
node_by_guid(const struct pair *p, uint64_t guid)
{
	uint32_t n = 0;

	while (n < sim_nodes(p->a->sim) && p->f->node[n].guid != guid)
		n++;
	ck_assert_uint_lt(n, sim_nodes(p->a->sim));
	return n;
}

/* What the standby says is what the switches and ports hold. */
static void
expect_truth(const struct pair *p, const char *when)
{
	const struct view *v = sm_view(p->b->sm);
	const struct topo *t = v->topo;

	ck_assert_msg(v->read_only && v->routes->report.ok, "%s", when);
	ck_assert_uint_eq(t->nnodes, sim_nodes(p->a->sim));
	for (port_ix port = 0; port < t->nports; port++) {
		uint32_t n = node_by_guid(p, t->node[t->port[port].node].guid);

		if (topo_has_lid(t, port))
			ck_assert_uint_eq(t->port[port].lid,
				sim_port_info(p->a->sim, n, t->port[port].num)
					->lid);
	}
	for (sw_ix s = 0; s < t->nsw; s++) {
		uint32_t n = node_by_guid(p, t->node[t->sw[s].node].guid);

		for (uint16_t lid = 1; lid <= t->max_lid; lid++)
			ck_assert_msg(routes_port(v->routes, s, lid) ==
					      sim_lft(p->a->sim, n, lid),
				"%s: LID %u of %s", when, lid,
				sim_name(p->a->sim, n));
	}
}

/* It reads the fabric, and again, and writes nothing; no alarm. */
TEST(a_standby_knows_the_fabric)
{
	AUTO(pair) struct pair p = pair_known();
	uint64_t sets = sets_of(&p);

	ck_assert_int_eq(status_of(p.b).role, SM_STANDING_BY);
	expect_truth(&p, "read once");
	ck_assert_str_eq(topo_desc(sm_view(p.b->sm)->topo, 0), "h9");
	ck_assert_str_eq(status_of(p.b).master.name, "h1");
	world_run(p.a, mono_ms(3 * READING_MS));
	ck_assert_uint_eq(p.b->reads, 4);
	expect_truth(&p, "read again");
	ck_assert_str_eq(status_of(p.b).alarm, "");
	ck_assert_uint_eq(sets_of(&p), sets);
	ck_assert_uint_eq(p.b->commits, 0);
}

/* Another topology; the same topology with other tables: of one entry, which
 * may take as many readings as there are turns. */
TEST(and_what_the_master_changed)
{
	AUTO(pair) struct pair p = pair_known();
	uint32_t leaf = fabric_find(p.f, "leaf3");

	sim_fault_link(p.a->sim, leaf, 5, false);
	world_run(p.a, mono_ms(READING_MS + 5000));
	expect_truth(&p, "a link failed");
	sim_fault_link(p.a->sim, leaf, 5, true);
	world_run(p.a, mono_ms(READING_MS + 5000));
	expect_truth(&p, "the link is back");
	sim_fault_link(p.a->sim, leaf, 5, false);
	world_run(p.a, mono_ms(5000));
	sim_fault_link(p.a->sim, leaf, 5, true);
	world_run(p.a, mono_ms(8 * READING_MS));
	expect_truth(&p, "all turns");
}

/* The oldest table is at most as many readings old as there are turns. */
TEST(every_table_has_its_turn)
{
	AUTO(pair) struct pair p = pair_known();
	const struct view *v;

	world_run(p.a, mono_ms(20 * READING_MS));
	v = sm_view(p.b->sm);
	ck_assert_uint_gt(v->read_at, v->tables_at);
	ck_assert_uint_le(v->read_at - v->tables_at, 8 * READING_MS / 1000);
}

TEST(not_if_it_is_told_not_to)
{
	struct pair p = pair_with(core_tree(), "standby: {refresh: 0}\n");

	world_run(p.a, mono_ms(2 * READING_MS));
	ck_assert_uint_eq(p.b->reads, 0);
	ck_assert_ptr_null(sm_view(p.b->sm));
	pair_end(&p);
}

/* Few requests at once, and long rests: a fabric whose nodes take their time is
 * not read all the time. */
TEST(it_leaves_the_fabric_alone)
{
	struct sim_options o = sim_defaults();
	AUTO(pair) struct pair p;
	unsigned reads;

	o.service = mono_ms(100);
	p = pair_on(core_tree(), &o, "standby: {refresh: 1s}\n");
	for (int s = 0; p.b->reads == 0; s++) {
		ck_assert_int_lt(s, 120);
		world_run(p.a, mono_ms(1000));
		ck_assert(status_of(p.b).role != SM_STANDING_BY ||
			  sm_xact_stats(p.b->sm)->window <= 8);
	}
	ck_assert_int_gt(sm_view(p.b->sm)->times.total.ns, mono_ms(1000).ns);
	reads = p.b->reads;
	world_run(p.a, (struct mono){18 * sm_view(p.b->sm)->times.total.ns});
	ck_assert_uint_le(p.b->reads - reads, 2);
	ck_assert_uint_ge(p.b->reads - reads, 1);
}

/* A switch that does not tell its table is named, and its entries are not taken
 * for known. */
TEST(a_switch_that_does_not_tell_its_table)
{
	AUTO(pair) struct pair p = pair_known();
	const struct sim_behaviour mute = {.mute = 1ULL << MAD_LFT}, none = {0};
	uint32_t leaf = fabric_find(p.f, "leaf3");
	const struct view *v;

	sim_fault_behave(p.a->sim, leaf, &mute);
	world_run(p.a, mono_ms(9 * READING_MS));
	v = sm_view(p.b->sm);
	ck_assert_uint_eq(v->unread, 1);
	ck_assert_uint_eq(v->unread_guid, p.f->node[leaf].guid);
	ck_assert_str_eq(status_of(p.b).alarm, "");
	sim_fault_behave(p.a->sim, leaf, &none);
	world_run(p.a, mono_ms(READING_MS + 10000));
	ck_assert_uint_eq(sm_view(p.b->sm)->unread, 0);
	expect_truth(&p, "it tells");
}

/* A host is not answered by a standby, whatever that knows. */
TEST(it_answers_no_host)
{
	AUTO(pair) struct pair p = pair_known();
	AUTO(host) struct host *h = host_on(p.b, "h20");
	struct mad_port_info i = *sim_port_info(p.a->sim, h->node, 1);

	i.sm_lid = sim_port_info(p.a->sim, p.b->host, 1)->lid;
	sim_hand_port(p.a->sim, h->node, 1, &i);
	host_send(h, MAD_GET, MAD_SA_CLASS_PORT_INFO, &(struct ask){0});
	world_run(p.a, mono_ms(2000));
	ck_assert_uint_eq(h->answers, 0);
}

/* A former master tells what it reads, not what it once wrote. */
TEST(a_former_master)
{
	struct pair p = pair_with(core_tree(), "fabric: {priority: 10}\n");

	world_run(p.a, mono_ms(5000));
	ck_assert_int_eq(status_of(p.b).role, SM_MASTER);
	ck_assert_int_eq(status_of(p.a).role, SM_STANDING_BY);
	ck_assert_ptr_nonnull(sm_view(p.a->sm));
	ck_assert(sm_view(p.a->sm)->read_only);
	ck_assert(!sm_view(p.b->sm)->read_only);
	pair_end(&p);
}

/* What an administrator should act on is what the fabric's master says. */
TEST(an_alarm_of_a_former_reign)
{
	struct sim_options o = sim_defaults();
	AUTO(pair) struct pair p = {.f = core_tree()};

	o.pkeys = 1;
	p.a = world_new(p.f, &o,
		"partitions: {blue: {pkey: 0x5, members: {\"h*\": full}}}\n");
	world_start(p.a);
	ck_assert(world_settle(p.a, mono_ms(10000)));
	ck_assert_str_ne(status_of(p.a).alarm, "");
	p.b = world_beside(
		p.a, fabric_find(p.f, "h9"), "fabric: {priority: 10}\n");
	world_start(p.b);
	world_run(p.a, mono_ms(5000));
	ck_assert_int_eq(status_of(p.a).role, SM_STANDING_BY);
	ck_assert_str_eq(status_of(p.a).alarm, "");
}

/* ---- taking over ---- */

/* Milliseconds until a host has an answer from the SA that it knows. */
static unsigned
until_served(struct pair *p, struct host *h, unsigned limit)
{
	for (unsigned ms = 0; ms < limit; ms++) {
		if (ms % 10 == 0)
			host_send(h, MAD_GET, MAD_SA_CLASS_PORT_INFO,
				&(struct ask){0});
		world_run(p->a, mono_ms(1));
		if (h->answers > 0)
			return ms;
	}
	return limit;
}

/* A large fabric: a sweep of it takes some time. */
static struct fabric *
large_tree(void)
{
	return shape_of("two:12:24:12");
}

/* The master hands over, and its host answers nothing more; b serves hosts
 * before it has read the fabric again, and then reads and proves all of it. */
TEST(hosts_are_served_at_once)
{
	struct pair p = pair_with(large_tree(), "fabric: {priority: 3}\n");
	struct host *h = host_on(p.b, "h20");
	unsigned served;

	world_run(p.a, mono_ms(20000));
	ck_assert_uint_eq(p.b->reads, 1);
	sim_clear_stats(p.a->sim);
	ck_assert(sm_resign(p.a->sm, sim_now(p.a->sim)));
	while (hand_over_is_pending(p.a->sm))
		world_run(p.a, mono_us(100));
	world_kill(p.a);
	served = until_served(&p, h, 5000);
	ck_assert_int_eq(status_of(p.b).role, SM_MASTER);
	ck_assert_msg(p.b->commits == 0, "after %u ms, with the run", served);
	ck_assert(sm_view(p.b->sm)->read_only);
	ck_assert_uint_eq(sim_port_info(p.b->sim, h->node, 1)->sm_lid,
		sim_port_info(p.b->sim, p.b->host, 1)->lid);
	core_expect_order(p.b, "read and proven");
	ck_assert(!sm_view(p.b->sm)->read_only);
	ck_assert_uint_eq(sim_stats(p.b->sim)->lft_sets, 0);
	ck_assert_uint_eq(sm_view(p.b->sm)->counts.lids_moved, 0);
	host_free(h);
	pair_end(&p);
}

/* Something is not as it was read, and nothing tells the standby: hosts are not
 * answered before the fabric is read. */
LOOP_TEST(what_differs_is_read_first, 0, 4)
{
	AUTO(pair) struct pair p = pair_known();
	uint32_t leaf = fabric_find(p.f, "leaf3");
	uint32_t h20 = fabric_find(p.f, "h20");
	struct mad_port_info i = *sim_port_info(p.a->sim, h20, 1);

	sim_clear_stats(p.a->sim);
	world_kill(p.a);
	switch (_i) {
	case 0: /* another LID */
		i.lid = 99;
		sim_hand_port(p.a->sim, h20, 1, &i);
		break;
	case 1: /* a host left */
		sim_fault_node(p.a->sim, h20, false);
		break;
	case 2: /* a link between switches */
		sim_fault_link(p.a->sim, leaf, 5, false);
		break;
	case 3: /* packets to the manager have another SL */
		i.sm_sl = 3;
		sim_hand_port(p.a->sim, h20, 1, &i);
		break;
	}
	for (int ms = 0; p.b->commits == 0; ms++) {
		ck_assert_int_lt(ms, 10000);
		world_run(p.a, mono_ms(1));
		ck_assert(p.b->commits > 0 ||
			  status_of(p.b).role != SM_MASTER ||
			  status_of(p.b).phase != SM_DISCOVER);
	}
	core_expect_order(p.b, "read anew");
}

/* Handed over at any moment of its first reading. */
LOOP_TEST(in_the_middle_of_a_reading, 0, 24)
{
	struct pair p = pair_with(core_tree(), "fabric: {priority: 3}\n");

	for (int ms = 0; status_of(p.b).role != SM_STANDING_BY; ms++) {
		ck_assert_int_lt(ms, 5000);
		world_run(p.a, mono_us(100));
	}
	world_run(p.a, mono_us(400 * _i));
	/* it was asked for its SMInfo before, or it is found out now */
	for (int k = 0; !sm_resign(p.a->sm, sim_now(p.a->sim)); k++) {
		ck_assert_int_lt(k, 20000);
		world_run(p.a, mono_us(500));
	}
	while (hand_over_is_pending(p.a->sm))
		world_run(p.a, mono_us(100));
	world_kill(p.a);
	world_run(p.a, mono_ms(3000));
	ck_assert_int_eq(status_of(p.b).role, SM_MASTER);
	core_expect_order(p.b, "handed over");
	ck_assert_str_eq(status_of(p.b).alarm, "");
	pair_end(&p);
}

/* A host that joins a group while the fabric is read anew is answered when the
 * switches have the tree, and not before. */
TEST(no_group_is_written_from_the_view)
{
	AUTO(pair) struct pair p = pair_known();

	sim_clear_stats(p.a->sim);
	ck_assert(sm_resign(p.a->sm, sim_now(p.a->sim)));
	while (p.b->commits == 0) {
		world_run(p.a, mono_us(100));
		ck_assert(p.b->commits > 0 ||
			  (sim_stats(p.a->sim)->mft_sets == 0 &&
				  sim_stats(p.a->sim)->lft_sets == 0));
	}
	core_expect_order(p.b, "handed over");
}

/* Links fail and come back while a standby reads every second, at any moment it
 * becomes master, and what the other one left is soon in order. */
LOOP_TEST(taken_over_in_trouble, 0, 40)
{
	AUTO(pair)
	struct pair p = pair_with(
		core_tree(), "fabric: {priority: 3}\nstandby: {refresh: 1s}\n");
	uint32_t leaf[] = {fabric_find(p.f, "leaf2"), fabric_find(p.f, "leaf5"),
		fabric_find(p.f, "leaf8")};
	struct rng rng = {(uint64_t)_i};

	world_run(p.a, mono_ms(3000));
	for (unsigned i = 0; i < 8; i++) {
		sim_fault_link(p.a->sim, leaf[rng_below(&rng, 3)],
			5 + rng_below(&rng, 4), rng_below(&rng, 2) == 0);
		world_run(p.a, mono_ms(rng_below(&rng, 700)));
		if (i != 4)
			continue;
		if (_i % 2 == 0 && sm_resign(p.a->sm, sim_now(p.a->sim)))
			world_run(p.a, mono_us(rng_below(&rng, 3000)));
		world_kill(p.a);
	}
	for (unsigned i = 0; i < 3; i++)
		for (unsigned port = 5; port <= 8; port++)
			sim_fault_link(p.b->sim, leaf[i], port, true);
	while (p.b->commits == 0)
		world_run(p.b, mono_ms(100));
	core_expect_order(p.b, "after trouble");
	ck_assert_int_eq(status_of(p.b).role, SM_MASTER);
	ck_assert_str_eq(status_of(p.b).alarm, "");
}
