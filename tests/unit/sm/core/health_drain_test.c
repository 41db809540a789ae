/*
 * Links that are bad are drained by the core, as far as limits allow, and used
 * again when they were well for long enough.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/core/health_drain.h"
#include "sm/view/drains.h"
#include "sm/view/event_log.h"
#include "tests/sim/data/data.h"
#include "tests/sim/data/data_report.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"

static const char drain_on[] =
	"health: {enabled: true, interval: 10s, action: drain,"
	" quiet_time: 20m, quiet_time_max: 1h}\n"
	"fabric: {lmc: {hosts: 0}}\n";

enum { MINUTE_MS = 60000, TOO_MANY = 721 }; /* of 200 Gb/s in an hour */

struct lab {
	struct fabric *f;
	struct world *w;
};

/* Readings have begun. */
static struct lab
lab_of(struct fabric *f, const char *yaml)
{
	struct lab l = {.f = f, .w = core_start(f, yaml)};

	core_expect_order(l.w, "bring-up");
	world_run(l.w, mono_ms(25000));
	return l;
}

static struct lab
lab_new(void)
{
	return lab_of(core_tree(), drain_on);
}

static void
lab_free(struct lab *l)
{
	core_end(l->w, l->f);
}
AUTO_VALUE(lab, struct lab, lab_free)

static uint64_t
count_of(const struct lab *l, enum event_kind kind)
{
	return event_log_count(sm_events(l->w->sm), kind);
}

static unsigned
port_to(const struct lab *l, const char *from, const char *to)
{
	unsigned p = core_port_between(
		l->f, fabric_find(l->f, from), fabric_find(l->f, to));

	ck_assert_uint_gt(p, 0);
	return p;
}

static void
count_errors(struct lab *l, const char *name, unsigned port, uint64_t n)
{
	uint32_t node = fabric_find(l->f, name);

	sim_hand_counter(l->w->sim, node, port, MAD_PERF_SYMBOL_ERRORS,
		sim_counter(l->w->sim, node, port, MAD_PERF_SYMBOL_ERRORS) + n);
}

/* Times that tables were written. */
static unsigned
count_changes(const struct lab *l)
{
	unsigned n = 0;

	for (size_t i = 0; i < l->w->nevents; i++)
		n += l->w->event[i].kind == EVENT_CHANGE;
	return n;
}

/* The drain of the link between two switches, or NULL. */
static const struct drain *
drain_of(const struct lab *l, const char *from, const char *to)
{
	const struct topo *t = sm_view(l->w->sm)->topo;
	node_ix n =
		topo_by_node_guid(t, l->f->node[fabric_find(l->f, from)].guid);

	return drains_find_link(sm_drains(l->w->sm), t,
		topo_port_of(t, n, port_to(l, from, to)));
}

static const struct link_watch *
watch_of(const struct lab *l, const char *from, const char *to)
{
	const struct link_watch_end a = {
		l->f->node[fabric_find(l->f, from)].guid,
		(uint8_t)port_to(l, from, to)};
	const struct link_watch_end b = {l->f->node[fabric_find(l->f, to)].guid,
		(uint8_t)port_to(l, to, from)};

	return link_watch_find(sm_link_watches(l->w->sm), &a, &b);
}

static void
run_minutes(struct lab *l, int n)
{
	world_run(l->w, mono_ms((int64_t)n * MINUTE_MS));
}

static void
expect_free(const struct lab *l, const char *from, const char *to)
{
	const struct drain *d = drain_of(l, from, to);
	struct drain_use use;

	ck_assert_ptr_nonnull(d);
	ck_assert_str_eq(d->by, "health");
	drains_use(d, sm_view(l->w->sm)->routes, NULL, 0, &use);
	ck_assert(use.there && use.linked);
	ck_assert_uint_eq(use.entries, 0);
}

/* An hour until the errors are forgotten, then the quiet time. */
TEST(a_bad_link_is_drained_and_comes_back)
{
	AUTO(lab) struct lab l = lab_new();

	count_errors(&l, "leaf2", port_to(&l, "leaf2", "spine3"), TOO_MANY);
	run_minutes(&l, 1);
	core_expect_order(l.w, "drained");
	expect_free(&l, "leaf2", "spine3");
	ck_assert_ptr_nonnull(strstr(drain_of(&l, "leaf2", "spine3")->reason,
		"721 symbol errors in an hour"));
	ck_assert_ptr_nonnull(
		strstr(core_event(l.w, EVENT_DRAINED), " by health: 721 "));
	run_minutes(&l, 70);
	ck_assert_uint_eq(count_of(&l, EVENT_UNDRAINED), 0);
	run_minutes(&l, 15);
	ck_assert_uint_eq(count_of(&l, EVENT_UNDRAINED), 1);
	ck_assert_ptr_nonnull(strstr(core_event(l.w, EVENT_UNDRAINED),
		"nothing was wrong with it for 20 min"));
	core_expect_order(l.w, "back");
	ck_assert_ptr_null(drain_of(&l, "leaf2", "spine3"));
}

TEST(the_quiet_time_doubles)
{
	static const int minutes[] = {20, 40, 60, 60};
	AUTO(lab) struct lab l = lab_new();
	unsigned port = port_to(&l, "leaf2", "spine3");

	for (unsigned i = 0; i < 4; i++) {
		count_errors(&l, "leaf2", port, TOO_MANY);
		run_minutes(&l, 1);
		ck_assert_ptr_nonnull(drain_of(&l, "leaf2", "spine3"));
		ck_assert_int_eq(watch_of(&l, "leaf2", "spine3")->quiet.ns,
			mono_ms((int64_t)minutes[i] * MINUTE_MS).ns);
		run_minutes(&l, 60 + minutes[i] - 5);
		ck_assert_ptr_nonnull(drain_of(&l, "leaf2", "spine3"));
		run_minutes(&l, 25);
		ck_assert_ptr_null(drain_of(&l, "leaf2", "spine3"));
	}
	/* well for an hour: all is forgotten */
	run_minutes(&l, 65);
	ck_assert_ptr_null(watch_of(&l, "leaf2", "spine3"));
}

/* It went down three times in ten minutes: drained, with nothing lost when it
 * goes down once more, and the quiet time begins anew each time. */
TEST(a_link_that_flaps)
{
	AUTO(lab) struct lab l = lab_new();
	uint32_t leaf = fabric_find(l.f, "leaf2");
	unsigned port = port_to(&l, "leaf2", "spine3");

	for (int i = 0; i < 3; i++) {
		sim_fault_link(l.w->sim, leaf, port, false);
		world_run(l.w, mono_ms(15000));
		sim_fault_link(l.w->sim, leaf, port, true);
		world_run(l.w, mono_ms(25000));
	}
	expect_free(&l, "leaf2", "spine3");
	ck_assert_ptr_nonnull(strstr(drain_of(&l, "leaf2", "spine3")->reason,
		"went down 3 times in 10 minutes"));
	core_expect_order(l.w, "drained");
	run_minutes(&l, 25);
	sim_fault_link(l.w->sim, leaf, port, false);
	world_run(l.w, mono_ms(15000));
	ck_assert_uint_eq(sm_view(l.w->sm)->counts.lft_blocks, 0);
	sim_fault_link(l.w->sim, leaf, port, true);
	world_run(l.w, mono_ms(15000));
	ck_assert_uint_eq(sm_view(l.w->sm)->counts.lft_blocks, 0);
	core_expect_order(l.w, "once more");
	expect_free(&l, "leaf2", "spine3");
	run_minutes(&l, 30);
	ck_assert_ptr_null(drain_of(&l, "leaf2", "spine3"));
}

/* Of 32 links one may be drained; the second waits, and that is said once. */
TEST(two_percent_of_a_tier)
{
	AUTO(lab) struct lab l = lab_new();
	unsigned generation;

	count_errors(&l, "leaf2", port_to(&l, "leaf2", "spine3"), TOO_MANY);
	count_errors(&l, "leaf4", port_to(&l, "leaf4", "spine1"), 9000);
	count_errors(&l, "leaf5", port_to(&l, "leaf5", "spine2"), 800);
	run_minutes(&l, 5);
	core_expect_order(l.w, "the worst");
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 1);
	expect_free(&l, "leaf4", "spine1");
	ck_assert_uint_eq(count_of(&l, EVENT_LINK_KEPT), 2);
	ck_assert_ptr_nonnull(strstr(core_event(l.w, EVENT_LINK_KEPT),
		"1 of the 32 links of tier 1 is drained for health already: "
		"the limit is 2 %, but at least one"));
	ck_assert_str_ne(watch_of(&l, "leaf2", "spine3")->kept, "");
	/* its turn, when the other is back */
	generation = sm_view(l.w->sm)->generation;
	count_errors(&l, "leaf2", port_to(&l, "leaf2", "spine3"), TOO_MANY);
	run_minutes(&l, 50);
	ck_assert_uint_eq(sm_view(l.w->sm)->generation, generation);
	run_minutes(&l, 30);
}

/* A link that is drained has its share while it is down, too: it comes back. */
TEST(the_share_of_a_link_that_is_down)
{
	AUTO(lab) struct lab l = lab_new();
	uint32_t leaf = fabric_find(l.f, "leaf4");

	count_errors(&l, "leaf4", port_to(&l, "leaf4", "spine1"), 9000);
	run_minutes(&l, 5);
	expect_free(&l, "leaf4", "spine1");
	sim_fault_link(l.w->sim, leaf, port_to(&l, "leaf4", "spine1"), false);
	core_expect_order(l.w, "down");
	count_errors(&l, "leaf2", port_to(&l, "leaf2", "spine3"), TOO_MANY);
	run_minutes(&l, 5);
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 1);
	ck_assert_uint_eq(count_of(&l, EVENT_LINK_KEPT), 1);
}

/* 200 links between tiers: four that turn bad at once are one change. */
TEST(several_at_once_are_one_change)
{
	AUTO(lab) struct lab l = lab_of(shape_of("two:10:20:4:10"), drain_on);
	unsigned changes = count_changes(&l);

	count_errors(&l, "leaf2", port_to(&l, "leaf2", "spine3"), TOO_MANY);
	count_errors(&l, "leaf3", port_to(&l, "leaf3", "spine4"), TOO_MANY);
	count_errors(&l, "leaf4", port_to(&l, "leaf4", "spine5"), TOO_MANY);
	count_errors(&l, "leaf5", port_to(&l, "leaf5", "spine6"), TOO_MANY);
	count_errors(&l, "leaf6", port_to(&l, "leaf6", "spine7"), 9000);
	run_minutes(&l, 5);
	core_expect_order(l.w, "drained");
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 4);
	ck_assert_uint_eq(count_of(&l, EVENT_LINK_KEPT), 1);
	expect_free(&l, "leaf6", "spine7");
	ck_assert_uint_eq(count_changes(&l), changes + 1);
}

/* Neither the link of a host nor the last one of a leaf is drained. */
TEST(nothing_is_cut_off)
{
	AUTO(lab) struct lab l = lab_of(shape_of("two:1:4:2:1"), drain_on);

	count_errors(&l, "h1", 1, TOO_MANY);
	count_errors(&l, "leaf3", port_to(&l, "leaf3", "spine1"), TOO_MANY);
	run_minutes(&l, 5);
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 0);
	ck_assert_uint_eq(count_of(&l, EVENT_LINK_KEPT), 2);
	ck_assert_uint_eq(count_of(&l, EVENT_LINK_BAD), 2);
	ck_assert_ptr_nonnull(strstr(watch_of(&l, "leaf3", "spine1")->kept,
		"it is the last link to 'leaf3'"));
}

/* A host on leaves 2 and 3, of which leaf 3 has one link left, to spine 2:
 * without its other link leaf 2 would depend on spine 2 as well. */
TEST(no_redundancy_is_taken)
{
	struct reason why = {""};
	AUTO(lab)
	struct lab l =
		lab_of(gen_edit_rails(shape_of("two:2:4:1:2"), 2, false, &why),
			drain_on);
	const struct sm_drain ask = {
		.guid = l.f->node[fabric_find(l.f, "leaf3")].guid,
		.port = port_to(&l, "leaf3", "spine1"),
		.duration = MONO_NEVER,
		.by = "root",
		.reason = ""};
	uint32_t generation;

	ck_assert_msg(sm_drain(l.w->sm, &ask, sim_now(l.w->sim), &generation,
			      &why) == 0,
		"%s", why.text);
	core_expect_order(l.w, "asked for");
	count_errors(&l, "leaf2", port_to(&l, "leaf2", "spine1"), TOO_MANY);
	run_minutes(&l, 2);
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 1);
	ck_assert_ptr_nonnull(strstr(core_event(l.w, EVENT_LINK_KEPT),
		": all ports of 'h2' would depend on one link or switch"));
	/* its other link may be: then it depends on spine 1, and leaf 3 on
	 * spine 2 */
	count_errors(&l, "leaf2", port_to(&l, "leaf2", "spine2"), TOO_MANY);
	run_minutes(&l, 2);
	expect_free(&l, "leaf2", "spine2");
}

/* It is obeyed for the quiet time; then what is still bad is drained again. */
TEST(an_administrator_takes_it_back)
{
	AUTO(lab) struct lab l = lab_new();
	unsigned port = port_to(&l, "leaf2", "spine3");
	const struct drain *d;
	uint32_t generation;
	struct reason why;

	count_errors(&l, "leaf2", port, TOO_MANY);
	run_minutes(&l, 2);
	d = drain_of(&l, "leaf2", "spine3");
	ck_assert_int_eq(sm_undrain(l.w->sm,
				 &(struct sm_undrain){d->guid, d->port, "root"},
				 sim_now(l.w->sim), &generation, &why),
		0);
	core_expect_order(l.w, "taken back");
	run_minutes(&l, 15);
	count_errors(&l, "leaf2", port, TOO_MANY);
	ck_assert_ptr_null(drain_of(&l, "leaf2", "spine3"));
	ck_assert_int_eq(
		watch_of(&l, "leaf2", "spine3")->state, LINK_WATCH_SPARED);
	run_minutes(&l, 8);
	expect_free(&l, "leaf2", "spine3");
	ck_assert_uint_eq(watch_of(&l, "leaf2", "spine3")->drained, 2);
}

/* One who drains it himself decides when it ends. */
TEST(an_administrator_takes_it_over)
{
	AUTO(lab) struct lab l = lab_new();
	unsigned port = port_to(&l, "spine3", "leaf2");
	const struct sm_drain ask = {
		.guid = l.f->node[fabric_find(l.f, "spine3")].guid,
		.port = port,
		.duration = MONO_NEVER,
		.by = "root",
		.reason = "new cable"};
	uint32_t generation, was;
	struct reason why;

	count_errors(&l, "spine3", port, TOO_MANY);
	run_minutes(&l, 2);
	was = sm_view(l.w->sm)->generation;
	ck_assert_msg(sm_drain(l.w->sm, &ask, sim_now(l.w->sim), &generation,
			      &why) == 0,
		"%s", why.text);
	run_minutes(&l, 120);
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 1);
	ck_assert_str_eq(sm_drains(l.w->sm)->list[0].by, "root");
	ck_assert_str_eq(sm_drains(l.w->sm)->list[0].reason, "new cable");
	ck_assert_uint_eq(sm_view(l.w->sm)->generation, was);
	ck_assert_int_ne(
		sm_drain(l.w->sm, &ask, sim_now(l.w->sim), &generation, &why),
		0);
}

/* Drain, time and how often it was so are those of the run before. */
TEST(over_a_restart)
{
	AUTO(lab) struct lab l = lab_new();
	struct mono left;

	count_errors(&l, "leaf2", port_to(&l, "leaf2", "spine3"), TOO_MANY);
	run_minutes(&l, 70);
	left = watch_of(&l, "leaf2", "spine3")->left;
	ck_assert_int_lt(left.ns, mono_ms(12 * MINUTE_MS).ns);
	ck_assert_int_gt(left.ns, mono_ms(8 * MINUTE_MS).ns);
	world_kill(l.w);
	run_minutes(&l, 120);
	world_start(l.w);
	core_expect_order(l.w, "again");
	expect_free(&l, "leaf2", "spine3");
	ck_assert_uint_eq(watch_of(&l, "leaf2", "spine3")->drained, 1);
	/* time without readings is no quiet time, and what was left of it is
	 * known to a quarter */
	run_minutes(&l, 5);
	expect_free(&l, "leaf2", "spine3");
	run_minutes(&l, 16);
	ck_assert_ptr_null(drain_of(&l, "leaf2", "spine3"));
	core_expect_order(l.w, "back");
	/* the second time */
	count_errors(&l, "leaf2", port_to(&l, "leaf2", "spine3"), TOO_MANY);
	run_minutes(&l, 2);
	ck_assert_int_eq(watch_of(&l, "leaf2", "spine3")->quiet.ns,
		mono_ms(40 * MINUTE_MS).ns);
}

/* A counter that stopped says nothing: until it is cleared no quiet time
 * passes.
 */
TEST(a_counter_that_is_full)
{
	AUTO(lab) struct lab l = lab_new();
	uint32_t leaf = fabric_find(l.f, "leaf2");
	unsigned port = port_to(&l, "leaf2", "spine3");

	count_errors(&l, "leaf2", port, 70000);
	run_minutes(&l, 180);
	expect_free(&l, "leaf2", "spine3");
	ck_assert(watch_of(&l, "leaf2", "spine3")->full);
	sim_hand_counter(l.w->sim, leaf, port, MAD_PERF_SYMBOL_ERRORS, 0);
	run_minutes(&l, 15);
	expect_free(&l, "leaf2", "spine3");
	run_minutes(&l, 10);
	ck_assert_ptr_null(drain_of(&l, "leaf2", "spine3"));
}

/* Nothing stays drained that is not judged any more. */
TEST(the_action_is_another)
{
	AUTO(lab) struct lab l = lab_new();

	count_errors(&l, "leaf2", port_to(&l, "leaf2", "spine3"), TOO_MANY);
	run_minutes(&l, 2);
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 1);
	world_reload(l.w, "health: {enabled: true, interval: 10s}\n");
	core_expect_order(l.w, "told alone");
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 0);
	run_minutes(&l, 2);
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 0);
}

/* While one link is drained the other fails, and an administrator takes a drain
 * back, all in one hold-down: nobody is cut off, and what has to be used is
 * drained no more. */
TEST(in_one_hold_down)
{
	AUTO(lab)
	struct lab l = lab_of(shape_of("two:2:4:2"),
		"health: {enabled: true, interval: 10s, action: drain}\n"
		"sweep: {hold_down: 10s}\n");
	const struct sm_drain other = {
		.guid = l.f->node[fabric_find(l.f, "leaf4")].guid,
		.port = port_to(&l, "leaf4", "spine2"),
		.duration = MONO_NEVER,
		.by = "root",
		.reason = ""};
	uint32_t generation;
	struct reason why;

	count_errors(&l, "leaf2", port_to(&l, "leaf2", "spine1"), TOO_MANY);
	for (int i = 0; i < 60 && sm_drains(l.w->sm)->n == 0; i++)
		world_run(l.w, mono_ms(1000));
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 1);
	ck_assert_int_eq(
		sm_drain(l.w->sm, &other, sim_now(l.w->sim), &generation, &why),
		0);
	sim_fault_link(l.w->sim, fabric_find(l.f, "leaf2"),
		port_to(&l, "leaf2", "spine2"), false);
	ck_assert_int_eq(
		sm_undrain(l.w->sm,
			&(struct sm_undrain){other.guid, other.port, "root"},
			sim_now(l.w->sim), &generation, &why),
		0);
	core_expect_order(l.w, "settled");
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 0);
	ck_assert_ptr_nonnull(strstr(
		core_event(l.w, EVENT_UNDRAINED), "no other path is left"));
	run_minutes(&l, 5);
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 0);
	ck_assert_uint_eq(count_of(&l, EVENT_LINK_KEPT), 1);
}

/* Packets to and from every host for a while: none is lost. */
static void
run_under_load(struct lab *l, int ms)
{
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	AUTO(data) struct data *d = data_new(l->w->sim, &o);
	struct data_report r;

	t.load = 0.00004;
	data_traffic_start(d, &t);
	world_run(l->w, mono_ms(ms));
	data_report_get(d, &r);
	ck_assert_uint_gt(r.delivered, 1000);
	ck_assert_uint_eq(r.dropped, 0);
}

TEST(no_packet_is_lost)
{
	AUTO(lab)
	struct lab l = lab_of(core_tree(),
		"health: {enabled: true, interval: 1s, action: drain,"
		" flap_limit: 1, quiet_time: 10s}\n");
	uint32_t leaf = fabric_find(l.f, "leaf2");
	unsigned port = port_to(&l, "leaf2", "spine3");

	sim_hand_counter(l.w->sim, leaf, port, MAD_PERF_LINK_DOWNED, 1);
	run_under_load(&l, 1500);
	expect_free(&l, "leaf2", "spine3");
	while (watch_of(&l, "leaf2", "spine3")->left.ns > mono_ms(1500).ns)
		world_run(l.w, mono_ms(1000));
	ck_assert_uint_eq(count_of(&l, EVENT_UNDRAINED), 0);
	run_under_load(&l, 3000);
	ck_assert_uint_eq(count_of(&l, EVENT_UNDRAINED), 1);
	core_expect_order(l.w, "back");
}

const struct suite_around suite_around = {.seconds = 600};
