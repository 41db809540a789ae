/* What an administrator hears of the fabric: events, and what is missing. */
#include <string.h>

#include "routing/verify/verify.h"
#include "sm/base/log.h"
#include "sm/report/events_json.h"
#include "sm/report/links_json.h"
#include "tests/unit/core_fixture.h"

static struct world *
start_named(struct fabric *f)
{
	struct world *w = core_start(f, "");

	core_expect_order(w, "start");
	world_run(w, mono_ms(5000));
	return w;
}

static uint64_t
count_of(const struct world *w, enum event_kind kind)
{
	return event_log_count(sm_events(w->sm), kind);
}

/* Events of this kind that were told. */
static unsigned
count_told(const struct world *w, enum event_kind kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < w->nevents; i++)
		n += w->event[i].kind == kind;
	return n;
}

/* Events of the fabric that were told, whatever they are. */
static unsigned
count_fabric(const struct world *w)
{
	unsigned n = 0;

	for (unsigned k = EVENT_NODE_GONE; k <= EVENT_LID_MOVED; k++)
		n += count_told(w, (enum event_kind)k);
	return n;
}

static void
expect_text(const struct world *w, enum event_kind kind, const char *const *has)
{
	const char *text = core_event(w, kind);

	for (; *has != NULL; has++)
		ck_assert_msg(strstr(text, *has) != NULL, "\"%s\" has no %s",
			text, *has);
}

#define EXPECT(kind, ...)                                                      \
	expect_text(w, kind, (const char *const[]){__VA_ARGS__, NULL})

static void
expect_missing(const struct world *w, long long nodes, long long links)
{
	AUTO(json)
	json_t *j = events_missing_json(
		sm_events(w->sm), sm_view(w->sm)->topo, 100, sim_now(w->sim));

	ck_assert_int_eq(
		json_integer_value(json_object_get(j, "nodes")), nodes);
	ck_assert_int_eq(
		json_integer_value(json_object_get(j, "links")), links);
}

static long long
degraded_links(const struct world *w)
{
	AUTO(json) json_t *j = links_degraded_json(sm_view(w->sm)->topo, 100);
	long long n = json_integer_value(json_object_get(j, "links"));

	ck_assert_int_eq(
		(long long)json_array_size(json_object_get(j, "list")), n);
	return n;
}

TEST(links_go_and_come)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_named(f);
	uint32_t leaf = fabric_find(f, "leaf1");

	ck_assert_uint_eq(count_fabric(w), 0);
	sim_fault_link(w->sim, leaf, 5, false);
	core_expect_order(w, "down");
	ck_assert_uint_eq(count_of(w, EVENT_LINK_DOWN), 1);
	/* one event, with what followed */
	ck_assert_uint_eq(count_fabric(w), 1);
	ck_assert_uint_eq(count_told(w, EVENT_CHANGE), 1);
	EXPECT(EVENT_LINK_DOWN, "link: down \"", "\"leaf1\" (0x", ") port 5",
		"\"spine1\" (0x", ") port 1; rerouted in ", "blocks ");
	/* since the trap: the hold-down of 50 ms is no time that is saved */
	ck_assert_double_ge(
		strtod(strstr(core_event(w, EVENT_LINK_DOWN), "rerouted in ") +
				strlen("rerouted in "),
			NULL),
		50);
	expect_missing(w, 0, 1);
	sim_fault_link(w->sim, leaf, 5, true);
	core_expect_order(w, "up");
	ck_assert_uint_eq(count_of(w, EVENT_LINK_UP), 1);
	EXPECT(EVENT_LINK_UP, ", was down for ", "; rerouted in ");
	expect_missing(w, 0, 0);
	/* as quick as the hold-down: down and up in one run */
	sim_fault_link(w->sim, leaf, 5, false);
	sim_fault_link(w->sim, leaf, 5, true);
	core_expect_order(w, "reset");
	ck_assert_uint_eq(count_of(w, EVENT_LINK_DOWN), 1);
	ck_assert_uint_eq(count_of(w, EVENT_LINK_RESET), 1);
	EXPECT(EVENT_LINK_RESET, "\"leaf1\" (0x", ") port 5", ", was up for ");
}

/* What discovery meets is an event: nodes that went because another one has
 * their GUID would be a riddle. */
TEST(two_switches_with_one_guid)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_named(f);
	uint32_t leaf = fabric_find(f, "leaf5");

	ck_assert_uint_eq(count_told(w, EVENT_ODDITY), 0);
	sim_fault_guid(w->sim, leaf, f->node[fabric_find(f, "spine1")].guid);
	sm_resweep(w->sm, sim_now(w->sim), "test");
	core_expect_order(w, "duplicate");
	EXPECT(EVENT_ODDITY, "discovery: duplicate GUID 0x");
}

/* Of what one run answers the first event tells it, and the others name that
 * event. */
TEST(two_links_at_once)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_named(f);
	char see[64];
	size_t first;

	first = w->nevents;
	sim_fault_link(w->sim, fabric_find(f, "leaf1"), 5, false);
	sim_fault_link(w->sim, fabric_find(f, "leaf2"), 6, false);
	core_expect_order(w, "down");
	ck_assert_uint_eq(count_told(w, EVENT_LINK_DOWN), 2);
	ck_assert_uint_eq(w->nevents, first + 2);
	ck_assert_ptr_nonnull(strstr(w->event[first].text, "; rerouted in "));
	(void)snprintf(see, sizeof(see), "; see event %zu", first + 1);
	EXPECT(EVENT_LINK_DOWN, see);
	ck_assert_ptr_null(strstr(core_event(w, EVENT_LINK_DOWN), "rerouted"));
}

/* What is done for another reason is an event of its own. */
TEST(runs_without_events_of_the_fabric)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_named(f);

	EXPECT(EVENT_MASTER, "nodes=44 switches=12");
	EXPECT(EVENT_CHANGE, "change: start: written in ", "blocks ",
		"engine ftree");
	ck_assert_uint_eq(count_told(w, EVENT_SWEEP), 0);
	sm_resweep(w->sm, sim_now(w->sim), "asked by a test");
	core_expect_order(w, "swept");
	EXPECT(EVENT_SWEEP, "sweep: asked by a test: read in ",
		"nothing had to be written, nodes 44");
	world_reload(w, "fabric: {lmc: {hosts: 1}}\n");
	core_expect_order(w, "other LIDs");
	EXPECT(EVENT_LID_MOVED, "lid: \"h", ") port 1 has ", ", had ");
	ck_assert_uint_ge(count_of(w, EVENT_LID_MOVED), 5);
	ck_assert_uint_eq(count_told(w, EVENT_CHANGE), 1);
	world_reload(w, "routing: {engines: [updn]}\n"
			"fabric: {lmc: {hosts: 1}}\n");
	core_expect_order(w, "another engine");
	EXPECT(EVENT_ENGINE, "routing: engine updn, was ftree");
	world_reload(w, "routing: {engines: [torus]}\n"
			"fabric: {lmc: {hosts: 1}}\n");
	core_expect_order(w, "an engine that cannot route it");
	EXPECT(EVENT_FALLBACK,
		"routing: fallback to engine updn, tried: torus");
}

TEST(nodes_go_and_come)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_named(f);
	uint32_t spine = fabric_find(f, "spine2"), host = fabric_find(f, "h9");

	sim_fault_node(w->sim, spine, false);
	core_expect_order(w, "gone");
	ck_assert_uint_eq(count_of(w, EVENT_NODE_GONE), 1);
	ck_assert_uint_eq(count_of(w, EVENT_LINK_DOWN), 8);
	EXPECT(EVENT_NODE_GONE, "node: gone \"spine2\" (0x",
		", was linked to \"leaf1\" (0x", " and by 7 more; rerouted");
	/* the links are counted, and told with the switch */
	ck_assert_uint_eq(count_told(w, EVENT_LINK_DOWN), 0);
	ck_assert_uint_eq(count_fabric(w), 1);
	expect_missing(w, 1, 0);
	/* it is back, with one link less */
	sim_fault_node(w->sim, spine, true);
	sim_fault_link(w->sim, spine, 3, false);
	core_expect_order(w, "back");
	world_run(w, mono_ms(2000));
	ck_assert_uint_eq(count_of(w, EVENT_NODE_NEW), 1);
	EXPECT(EVENT_NODE_NEW, "node: new \"spine2\" (0x", " and by 6 more",
		", was gone for ");
	ck_assert_uint_eq(count_told(w, EVENT_LINK_UP), 0);
	ck_assert_uint_eq(count_of(w, EVENT_LINK_UP), 7);
	expect_missing(w, 0, 1);
	/* which link, nothing had told: it went with the switch */
	ck_assert_uint_eq(count_told(w, EVENT_LINK_DOWN), 1);
	ck_assert_uint_eq(count_of(w, EVENT_LINK_DOWN), 8);
	EXPECT(EVENT_LINK_DOWN, "link: down \"", "\"spine2\" (0x", ") port 3");
	event_log_accept(sm_events(w->sm));
	expect_missing(w, 0, 0);
	/* a node that hangs is not gone: its link is up */
	sim_fault_behave(w->sim, host, &(struct sim_behaviour){.hung = true});
	sm_resweep(w->sm, sim_now(w->sim), "test");
	world_run(w, mono_ms(60000));
	ck_assert_uint_eq(count_of(w, EVENT_NODE_GONE), 1);
	ck_assert_uint_eq(count_of(w, EVENT_QUARANTINED), 1);
	EXPECT(EVENT_QUARANTINED, "quarantined \"h9\" (0x",
		": does not answer");
}

/* What is missing is still named after a restart, until it is back, or an
 * administrator accepts the fabric without it. */
TEST(a_restart_forgets_nothing)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_named(f);
	uint32_t leaf = fabric_find(f, "leaf1"),
		 spine = fabric_find(f, "spine2");
	const struct event_missing *m;
	size_t n;

	sim_fault_link(w->sim, leaf, 5, false);
	core_expect_order(w, "a link is down");
	sim_fault_node(w->sim, spine, false);
	core_expect_order(w, "a switch is gone");
	world_run(w, mono_ms(100000));
	expect_missing(w, 1, 1);
	world_kill(w);
	w->saved.away = 150;
	world_start(w);
	core_expect_order(w, "again");
	expect_missing(w, 1, 1);
	m = event_log_missing(sm_events(w->sm), &n);
	ck_assert_str_eq(m[0].a.name, "leaf1");
	ck_assert_uint_eq(m[0].a.port, 5);
	ck_assert_str_eq(m[0].b.name, "spine1");
	/* its age goes on */
	ck_assert(mono_before(
		mono_ms(120000), mono_sub(sim_now(w->sim), m[0].since)));
	ck_assert(mono_before(
		mono_sub(sim_now(w->sim), m[0].since), mono_ms(600000)));
	/* it is back when the daemon starts */
	world_kill(w);
	w->saved.away = 0;
	sim_fault_link(w->sim, leaf, 5, true);
	world_start(w);
	core_expect_order(w, "repaired");
	expect_missing(w, 1, 0);
	/* accepted */
	sm_missing_accept(w->sm, sim_now(w->sim));
	world_run(w, mono_ms(5000));
	world_kill(w);
	world_start(w);
	core_expect_order(w, "accepted");
	expect_missing(w, 0, 0);
}

TEST(quarantine_is_told)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_named(f);
	uint32_t leaf = fabric_find(f, "leaf3");
	const struct sim_behaviour disobedient = {.lies = UINT64_C(1)
							  << MAD_LFT},
				   well = {0};

	sim_fault_behave(w->sim, leaf, &disobedient);
	sim_fault_link(w->sim, fabric_find(f, "h9"), 1, false);
	world_run(w, mono_ms(20000));
	sim_fault_link(w->sim, fabric_find(f, "leaf1"), 5, false);
	world_run(w, mono_ms(60000));
	ck_assert_uint_ge(count_of(w, EVENT_QUARANTINED), 1);
	EXPECT(EVENT_QUARANTINED, "node: quarantined \"leaf3\" (0x", ": ");
	sim_fault_behave(w->sim, leaf, &well);
	world_run(w, mono_ms(2000000));
	ck_assert_uint_eq(
		count_of(w, EVENT_RELEASED), count_of(w, EVENT_QUARANTINED));
	EXPECT(EVENT_RELEASED, "node: left quarantine \"leaf3\" (0x");
}

/* While our own link is down nothing is known of the fabric. */
TEST(our_own_link)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_named(f);
	uint32_t us = fabric_first_host(f);

	sim_fault_link(w->sim, us, 1, false);
	sm_own_link(w->sm, false, sim_now(w->sim));
	world_run(w, mono_ms(20000));
	ck_assert_uint_eq(sm_view(w->sm)->topo->nnodes, 1);
	ck_assert_uint_eq(count_fabric(w), 0);
	EXPECT(EVENT_ALARM_ON, "alarm: on own-link: our own port has no link");
	ck_assert_uint_eq(count_told(w, EVENT_ALARM_OFF), 0);
	sim_fault_node(w->sim, fabric_find(f, "h9"), false);
	sim_fault_link(w->sim, us, 1, true);
	sm_own_link(w->sm, true, sim_now(w->sim));
	core_expect_order(w, "back");
	world_run(w, mono_ms(2000));
	ck_assert_uint_eq(count_told(w, EVENT_ALARM_ON), 1);
	EXPECT(EVENT_ALARM_OFF, "alarm: off own-link, was on for ");
	ck_assert_uint_eq(count_of(w, EVENT_NODE_GONE), 1);
	ck_assert_uint_eq(count_of(w, EVENT_NODE_NEW), 0);
	expect_missing(w, 1, 0);
}

/* A loose connector: all is counted, and neither the log nor memory fills. */
TEST(a_loose_connector)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_named(f);
	unsigned sums = 0;

	sim_fault_flap(w->sim, fabric_find(f, "leaf1"), 5, mono_ms(300), 1000);
	world_run(w, mono_ms(310000));
	core_expect_order(w, "at rest");
	ck_assert_uint_ge(
		count_of(w, EVENT_LINK_DOWN) + count_of(w, EVENT_LINK_RESET),
		300);
	for (size_t i = 0; i < w->nevents; i++)
		sums += w->event[i].kind == EVENT_SUPPRESSED;
	/* of each of these kinds, and of sums, one more in 10 s */
	ck_assert_uint_le(w->nevents, 4 * (EVENT_LOG_BURST + 32));
	ck_assert_uint_ge(sums, 1);
	expect_missing(w, 0, 0);
}

/* The cable at a port. */
static struct fabric_cable *
cable_at(const struct fabric *f, uint32_t node, unsigned port)
{
	for (uint32_t i = 0; i < f->ncables; i++)
		for (unsigned end = 0; end < 2; end++)
			if (f->cable[i].node[end] == node &&
				f->cable[i].port[end] == port)
				return &f->cable[i];
	ck_abort_msg("no such cable");
	return NULL;
}

static void
note_event(void *cookie, const struct topo_event *e)
{
	const struct event value = topo_event_value(e);
	struct buf *out = cookie;

	event_print(&value, out);
	buf_printf(out, "\n");
}

TEST(narrow_links)
{
	AUTO(fabric) struct fabric *f = core_tree(), *g = core_tree();
	AUTO(world) struct world *w = start_named(f), *x = NULL;
	AUTO(buf) struct buf out = {0};

	ck_assert_int_eq(degraded_links(w), 0);
	cable_at(g, fabric_find(g, "leaf1"), 5)->rate.width = 1;
	x = start_named(g);
	ck_assert_int_eq(degraded_links(x), 1);
	topo_events(
		sm_view(w->sm)->topo, sm_view(x->sm)->topo, note_event, &out);
	ck_assert_str_eq(out.text,
		"link: rate changed \"leaf1\" (0x0002c90200000100) port 5 - "
		"\"spine1\" (0x0002c90200002900) port 1: 50 Gb/s, was 200 "
		"Gb/s\n");
}

static uint64_t
pairs_at(const struct world *w, uint32_t node, unsigned out)
{
	const struct routes *r = sm_view(w->sm)->routes;
	const struct topo *t = r->topo;
	node_ix n = topo_by_node_guid(t, w->fabric->node[node].guid);

	return verify_state_pairs(r->verified, t->node[n].sw, out);
}

static void
set_width(struct world *w, uint32_t node, unsigned port, uint8_t width)
{
	struct mad_port_info pi = *sim_port_info(w->sim, node, port);

	pi.width_active = width;
	sim_hand_port(w->sim, node, port, &pi);
}

/* A link that becomes narrow without going down carries less from then on: the
 * next sweep leads to a run that takes entries off it. */
TEST(link_becomes_narrow)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_named(f);
	uint32_t leaf = fabric_find(f, "leaf1");
	uint32_t spine = fabric_find(f, "spine1");

	ck_assert_uint_eq(pairs_at(w, leaf, 5), 28);
	ck_assert_uint_eq(pairs_at(w, spine, 1), 28);
	set_width(w, leaf, 5, 1);
	set_width(w, spine, 1, 1);
	sm_resweep(w->sm, sim_now(w->sim), "test");
	core_expect_order(w, "narrow");
	EXPECT(EVENT_LINK_RATE, "50 Gb/s, was 200 Gb/s");
	ck_assert_uint_eq(count_of(w, EVENT_LINK_DOWN), 0);
	/* 4 leaves' worth: 112 pairs by 13 quarters of a link, and a quarter */
	ck_assert_uint_le(pairs_at(w, leaf, 5), 28 * 4 / 13 * 5 / 4);
	ck_assert_uint_le(pairs_at(w, spine, 1), 28 * 4 / 13 * 5 / 4);
	ck_assert(!sm_view(w->sm)->story.rebalanced);
}

TEST(another_manager)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_named(f);

	sim_fault_other_sm(w->sim, fabric_find(f, "h20"), 1,
		&(struct mad_sm_info){.priority = 1, .state = 2});
	world_run(w, mono_ms(20000));
	ck_assert_uint_eq(count_of(w, EVENT_MANAGER_SEEN), 1);
	EXPECT(EVENT_MANAGER_SEEN, "sm: another manager at \"h20\" (0x");
	sim_fault_node(w->sim, fabric_find(f, "h20"), false);
	world_run(w, mono_ms(20000));
	ck_assert_uint_eq(count_of(w, EVENT_MANAGER_GONE), 1);
	EXPECT(EVENT_MANAGER_GONE, "sm: no manager any more at \"h20\" (0x");
}

/* A master that a standby has found is told when the standby knows its name,
 * and before it is gone. */
TEST(a_master_before_us)
{
	AUTO(fabric) struct fabric *f = core_tree();
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = world_new(f, &o, "");
	uint32_t host = fabric_find(f, "h20");

	sim_fault_other_sm(w->sim, host, 1,
		&(struct mad_sm_info){.priority = 15, .state = 3});
	world_start(w);
	world_run(w, mono_ms(20000));
	ck_assert_uint_eq(count_told(w, EVENT_MANAGER_SEEN), 1);
	EXPECT(EVENT_MANAGER_SEEN, "sm: another manager at \"h20\" (0x");
	ck_assert_uint_eq(count_told(w, EVENT_MANAGER_GONE), 0);
	sim_fault_node(w->sim, host, false);
	world_run(w, mono_ms(30000));
	ck_assert_uint_eq(count_told(w, EVENT_MASTER), 1);
	ck_assert_uint_eq(count_told(w, EVENT_MANAGER_SEEN), 1);
	ck_assert_uint_eq(count_told(w, EVENT_MANAGER_GONE), 1);
}

/* What was missing comes back while no daemon runs: the next one tells it. */
TEST(back_without_a_daemon)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_named(f);
	uint32_t host = fabric_find(f, "h9"), leaf = fabric_find(f, "leaf2");
	unsigned port = core_port_between(f, leaf, fabric_find(f, "spine1"));

	sim_fault_node(w->sim, host, false);
	sim_fault_link(w->sim, leaf, port, false);
	core_expect_order(w, "gone");
	world_run(w, mono_ms(60000));
	world_kill(w);
	sim_fault_node(w->sim, host, true);
	sim_fault_link(w->sim, leaf, port, true);
	world_start(w);
	core_expect_order(w, "back");
	ck_assert_uint_eq(count_told(w, EVENT_NODE_NEW), 1);
	ck_assert_uint_eq(count_told(w, EVENT_LINK_UP), 1);
	EXPECT(EVENT_NODE_NEW, "node: new \"h9\" (0x", "was gone for", "");
}
