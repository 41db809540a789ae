/*
 * Switches that are declared to escape (routing.adaptive.escapes): by the
 * groups that they hold, and by what they carry under full load.
 */
#include "tests/sim/data/field.h"
#include "tests/sim/model/sim_hops.h"
#include "tests/topo/shape.h"
#include "tests/unit/adaptive_fixture.h"
#include "tests/unit/suite.h"

enum { NETS = 4, OTHER = 0xd2f2, LATE_US = 10 };

static const char as_others[] =
	"routing: {engines: [updn], adaptive: {enabled: true}}\n";
static const char declared[] =
	"routing: {engines: [updn], adaptive: {enabled: true, "
	"escapes: [\"0x0002c9\"]}}\n";
static const char some_declared[] =
	"routing: {engines: [updn], adaptive: {enabled: true, "
	"escapes: [\"0x0002c9:0xd2f2\"]}}\n";

/* One in `each` switches commits, the others escape and are of kind OTHER. */
static struct fabric *
late_fabric(const char *shape, unsigned each)
{
	struct fabric *f = adaptive_give(shape_of("%s", shape));
	unsigned n = 0;

	for (uint32_t i = 0; i < f->nnodes; i++) {
		if (f->node[i].type != FABRIC_SWITCH)
			continue;
		f->node[i].attrs.groups = 1024;
		if (each > 0 && n++ % each == 0)
			continue;
		f->node[i].attrs.ar_late = true;
		f->node[i].device = OTHER;
	}
	return f;
}

static struct fabric *
random_fabric(int seed, unsigned each)
{
	char shape[32];

	(void)snprintf(shape, sizeof(shape), "random:16:4:4:%d", seed + 1);
	return late_fabric(shape, each);
}

static struct sm_status
reload_settled(struct world *w, const char *yaml)
{
	world_reload(w, yaml);
	return adaptive_settled(w, yaml);
}

/* Accepted load where hosts send so much; it never deadlocks. */
static double
load_at(struct world *w, double load)
{
	struct data_options o = data_defaults();
	struct data_traffic u = data_traffic_defaults();
	struct data_report r;
	struct data *d;

	o.escape_wait = mono_us(LATE_US);
	d = data_new(w->sim, &o);
	u.pattern = DATA_UNIFORM;
	u.load = load;
	data_traffic_start(d, &u);
	world_run(w, mono_us(40));
	data_report_mark(d);
	world_run(w, mono_us(60));
	data_report_get(d, &r);
	ck_assert(!r.deadlock);
	data_free(d);
	return r.accepted;
}

/* The most that is accepted, full load included: there irregular networks carry
 * less than they can. */
static double
measure_load(struct world *w)
{
	double most = load_at(w, 0);

	for (unsigned i = 1; i <= 6; i++) {
		double got = load_at(w, .08 * i);

		most = got > most ? got : most;
	}
	return most;
}

/* Alternatives of all switches, each as the routes have it. */
static uint64_t
count_alternatives(const struct world *w)
{
	const struct routes *r = sm_view(w->sm)->routes;
	const struct topo *t = r->topo;
	uint64_t n = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		uint32_t node =
			fabric_find(w->fabric, topo_desc(t, t->sw[s].node));

		for (uint16_t l = 1; l <= t->max_lid; l++) {
			port_ix p = t->by_lid[l];
			const struct route_set *set;
			struct sim_hops is;

			if (p == TOPO_NONE || p == t->sm_port ||
				t->node[t->port[p].node].type == TOPO_SWITCH)
				continue;
			set = route_sets_get(r->sets, s, topo_switch_of(t, p));
			sim_hops(w->sim, node, l, 0, &is);
			ck_assert_uint_eq(is.port, routes_port(r, s, l));
			if (is.kind != SIM_ESCAPES)
				continue;
			ck_assert_ptr_nonnull(set);
			for (unsigned q = 1; q <= w->fabric->node[node].nports;
				q++)
				ck_assert(
					q == is.port ||
					route_set_has(set, q) ==
						(sim_hops_has(is.tier[0], q) ||
							sim_hops_has(is.tier[1],
								q)));
			n += route_set_count(set);
		}
	}
	return n;
}

/* All of it is proven, written and in force, and worth its while. */
LOOP_TEST(declared_switches_use_all_shortest_paths, 0, NETS)
{
	AUTO(fabric) struct fabric *f = random_fabric(_i, 0);
	AUTO(world)
	struct world *w = field_bring_up(f, "routing: {engines: [updn]}\n");
	double ordered = measure_load(w), legal, all;
	struct sm_status s = reload_settled(w, as_others);
	uint64_t few;

	ck_assert_uint_eq(s.adaptive_use.escape, 0);
	few = count_alternatives(w);
	legal = measure_load(w);
	s = reload_settled(w, declared);
	ck_assert_str_eq(s.adaptive_use.no_escape, "");
	ck_assert_uint_eq(s.adaptive_use.escape, s.adaptive_use.on);
	ck_assert_uint_gt(count_alternatives(w), few);
	all = measure_load(w);
	ck_assert_msg(all > ordered && all > legal,
		"%.3f ordered, %.3f legal, %.3f all", ordered, legal, all);
	s = reload_settled(w, as_others);
	ck_assert_uint_eq(count_alternatives(w), few);
}

/* A dragonfly on one VL. */
TEST(a_dragonfly_carries_twice_as_much)
{
	AUTO(fabric) struct fabric *f = late_fabric("dragonfly:4:2:2", 0);
	AUTO(world)
	struct world *w = field_bring_up(f, "routing: {engines: [updn]}\n");
	double ordered = load_at(w, 0), all;

	(void)reload_settled(w, declared);
	all = load_at(w, 0);
	ck_assert_msg(all > 2 * ordered, "%.3f, ordered %.3f", all, ordered);
}

/* Options towards those that commit obey the order. */
LOOP_TEST(beside_switches_that_commit, 0, NETS)
{
	AUTO(fabric) struct fabric *f = random_fabric(_i, 4);
	AUTO(world) struct world *w = field_bring_up(f, some_declared);
	struct sm_status s = adaptive_settled(w, "bring-up");

	ck_assert_str_eq(s.adaptive_use.no_escape, "");
	ck_assert_uint_gt(s.adaptive_use.escape, 8);
	ck_assert_uint_lt(s.adaptive_use.escape, s.adaptive_use.on);
	(void)measure_load(w);
}

/* A link is lost and comes back. */
LOOP_TEST(a_link_of_declared_switches, 0, NETS)
{
	AUTO(fabric) struct fabric *f = random_fabric(_i, 0);
	AUTO(world) struct world *w = field_bring_up(f, declared);
	uint64_t was = count_alternatives(w);
	uint32_t c = 0;

	while (f->node[f->cable[c].node[0]].type != FABRIC_SWITCH ||
		f->node[f->cable[c].node[1]].type != FABRIC_SWITCH)
		c++;
	for (unsigned up = 0; up < 2; up++) {
		struct sm_status s;

		sim_fault_link(
			w->sim, f->cable[c].node[0], f->cable[c].port[0], up);
		s = adaptive_settled(w, up ? "back" : "lost");
		ck_assert_str_eq(s.adaptive_use.no_escape, "");
		ck_assert_uint_eq(s.adaptive_use.escape, s.adaptive_use.on);
		if (!up)
			ck_assert_uint_ne(count_alternatives(w), was);
		(void)count_alternatives(w);
	}
	(void)measure_load(w);
}

/* Tables that need their layers are no escape on one VL. */
TEST(refused_without_an_escape)
{
	AUTO(fabric) struct fabric *f = late_fabric("torus:5x5", 0);
	AUTO(world)
	struct world *w = field_bring_up(f,
		"routing: {engines: [torus], adaptive: {enabled: true, "
		"escapes: [\"0x0002c9\"]}}\n");
	struct sm_status s;

	sm_status(w->sm, &s);
	ck_assert_uint_gt(sm_view(w->sm)->routes->layers.n, 1);
	ck_assert_str_ne(s.adaptive_use.no_escape, "");
	ck_assert_uint_eq(s.adaptive_use.on, 0);
}
