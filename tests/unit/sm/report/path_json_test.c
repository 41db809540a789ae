/* Why a path is slow: the choices of its switches, and its worst link. */
#include <string.h>

#include "sm/base/buf.h"
#include "sm/mad/mad_perf.h"
#include "sm/report/json_util.h"
#include "sm/report/path_json.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"

static struct fabric_cable *
link_at(struct fabric *f, const char *name, unsigned port)
{
	return &f->cable[fabric_port(f, fabric_find(f, name), port)->cable];
}

static struct world *
start_on(struct fabric *f, const char *yaml)
{
	struct world *w = core_start(f, yaml);

	core_expect_order(w, "start");
	world_run(w, mono_ms(15000));
	return w;
}

/* The answer as JSON, all of it; the caller's. */
static json_t *
ask_path(const struct world *w, const char *from, const char *to)
{
	const struct links_facts facts = {
		.t = sm_view(w->sm)->topo,
		.health = sm_health(w->sm),
		.limits = sm_link_limits(w->sm),
		.now = sim_now(w->sim),
	};
	AUTO(json)
	json_t *request = json_pack(
		"{s:s, s:s, s:s}", "cmd", "path", "from", from, "to", to);
	struct answer *a = path_answer(request, sm_view(w->sm), &facts);
	AUTO(buf) struct buf text = {0};
	json_t *reply;

	while (answer_more(a, SIZE_MAX, &text))
		;
	(void)answer_free(a);
	reply = json_loads(text.text, 0, NULL);
	ck_assert_msg(reply != NULL, "%s", text.text);
	return reply;
}

static json_t *
link_of(const json_t *reply, const char *direction, size_t i)
{
	const json_t *r = json_object_get(reply, "result");

	return json_array_get(
		json_object_get(json_object_get(r, direction), "links"), i);
}

static void
expect_verdict(const struct world *w, const char *from, const char *to,
	const char *has)
{
	AUTO(json) json_t *reply = ask_path(w, from, to);
	const char *is =
		json_util_text(json_object_get(reply, "result"), "verdict");

	ck_assert_msg(strstr(is, has) != NULL, "%s", is);
}

static void
expect_reason(const json_t *link, const char *reason, long long choices)
{
	ck_assert_str_eq(json_util_text(link, "reason"), reason);
	ck_assert_int_eq(json_util_num(link, "choices"), choices);
}

TEST(both_directions_link_by_link)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_on(f, "");
	json_t *reply = ask_path(w, "h1", "h30"), *l;

	l = link_of(reply, "there", 0);
	ck_assert_ptr_null(json_object_get(l, "reason"));
	ck_assert_int_eq(json_util_num(l, "mtu"), 4096);
	expect_reason(link_of(reply, "there", 1), "balance", 4);
	l = link_of(reply, "there", 2);
	expect_reason(l, "only-one", 1);
	ck_assert_int_eq(json_util_num(l, "load"), 28);
	ck_assert(json_util_real(l, "times_mean") > 0.99);
	ck_assert(json_util_real(l, "times_mean") < 1.01);
	expect_reason(link_of(reply, "there", 3), "exit", 1);
	ck_assert_ptr_null(link_of(reply, "there", 4));
	expect_reason(link_of(reply, "back", 1), "balance", 4);
	ck_assert_ptr_nonnull(link_of(reply, "back", 3));
	json_decref(reply);
	expect_verdict(
		w, "h1", "h30", "nothing is known to be wrong with these");
	expect_verdict(w, "h1", "h30", "errors are not counted");
}

TEST(paths_of_few_links)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_on(f, "");
	json_t *reply;

	expect_verdict(w, "h1", "h2",
		"these 2 links: the slowest runs at 200 Gb/s; errors");
	expect_verdict(w, "leaf1", "spine1",
		"this link: it runs at 200 Gb/s, and carries 1.0 times");
	reply = ask_path(w, "h1", "h1");
	ck_assert_str_eq(json_util_text(reply, "code"), "no-path");
	json_decref(reply);
	reply = ask_path(w, "h1", "nothing");
	ck_assert_str_eq(json_util_text(reply, "code"), "not-found");
	json_decref(reply);
	reply = ask_path(w, "h", "h1");
	ck_assert_str_eq(json_util_text(reply, "code"), "not-found");
	json_decref(reply);
}

/* Both ends of a link came up at EDR, though they can do HDR. */
static void
slow_down(struct world *w, const char *name, unsigned port)
{
	uint32_t node = fabric_find(w->fabric, name), peer;
	struct mad_port_info pi = *sim_port_info(w->sim, node, port);
	unsigned other;

	pi.speed_ext_active = 2;
	ck_assert(fabric_peer(w->fabric, node, port, &peer, &other));
	sim_hand_port(w->sim, node, port, &pi);
	pi = *sim_port_info(w->sim, peer, other);
	pi.speed_ext_active = 2;
	sim_hand_port(w->sim, peer, other, &pi);
	sm_resweep(w->sm, sim_now(w->sim), "test");
	core_expect_order(w, "slower");
}

/* One of two links of a leaf is slow, the other is down. */
TEST(a_slow_link_that_carries_much)
{
	AUTO(fabric) struct fabric *f = shape_of("two:2:4:4");
	AUTO(world) struct world *w = start_on(f, "");

	slow_down(w, "leaf3", 5);
	sim_fault_link(w->sim, fabric_find(f, "leaf3"), 6, false);
	core_expect_order(w, "one link left");
	expect_verdict(w, "h9", "h1",
		" times the mean load and runs at 25 instead of 50 Gb/s a "
		"lane");
	expect_verdict(w, "h9", "h1", "the link \"leaf3\" port 5 - \"spine1\"");
}

TEST(a_narrow_link)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = NULL;

	link_at(f, "h9", 1)->rate.width = PORT_WIDTH_1X;
	w = start_on(f, "");
	expect_verdict(w, "h1", "h9", "is 1x instead of 4x wide");
	expect_verdict(w, "h1", "h9", "\"leaf3\" port 1");
}

TEST(counters_name_the_link)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world)
	struct world *w =
		start_on(f, "health: {enabled: true, interval: 10s}\n");
	uint32_t h9 = fabric_find(f, "h9");

	expect_verdict(w, "h1", "h9", "1.0 times the mean load");
	/* a host counts what it receives, a switch what it discards */
	sim_hand_counter(w->sim, h9, 1, MAD_PERF_SYMBOL_ERRORS, 2);
	world_run(w, mono_ms(15000));
	expect_verdict(w, "h1", "h9",
		"\"leaf3\" port 1 - \"h9\" port 1 counted 2 errors in an "
		"hour");
	sim_hand_counter(
		w->sim, fabric_find(f, "leaf3"), 1, MAD_PERF_XMIT_DISCARDS, 7);
	world_run(w, mono_ms(15000));
	expect_verdict(w, "h1", "h9",
		"counted 2 errors in an hour and discarded 7 packets in an "
		"hour");
	expect_verdict(w, "h9", "h1", ", on the way back, counted 2 errors");
	sim_hand_counter(w->sim, h9, 1, MAD_PERF_SYMBOL_ERRORS, 3000);
	world_run(w, mono_ms(15000));
	expect_verdict(w, "h9", "h1", "is bad: 3000 symbol errors");
}

/* Entries that were kept although another link carries less. */
TEST(kept_entries)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_on(f, "routing: {load_limit: 2}\n");
	uint32_t leaf = fabric_find(f, "leaf3");
	json_t *reply;
	bool kept = false;

	sim_fault_link(w->sim, leaf, 6, false);
	core_expect_order(w, "link out");
	sim_fault_link(w->sim, leaf, 6, true);
	core_expect_order(w, "link back");
	for (int h = 17; h <= 32; h++) {
		char name[8];

		(void)snprintf(name, sizeof(name), "h%d", h);
		reply = ask_path(w, "h9", name);
		kept |= strcmp(json_util_text(
				       link_of(reply, "there", 1), "reason"),
				"kept") == 0;
		json_decref(reply);
	}
	ck_assert(kept);
}

/* Three of the four links of a leaf are drained. */
TEST(drained_links)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_on(f, "");
	uint64_t leaf = f->node[fabric_find(f, "leaf1")].guid;
	json_t *reply;

	for (unsigned port = 5; port < 8; port++) {
		const struct sm_drain d = {.guid = leaf,
			.port = port,
			.duration = MONO_NEVER,
			.by = "the test",
			.reason = ""};
		uint32_t generation;
		struct reason why;

		reply = ask_path(w, "h1", "h30");
		ck_assert_int_eq(
			json_util_num(link_of(reply, "there", 1), "drained"),
			port - 5);
		json_decref(reply);
		ck_assert_msg(sm_drain(w->sm, &d, sim_now(w->sim), &generation,
				      &why) == 0,
			"%s", why.text);
		core_expect_order(w, "drained");
	}
	reply = ask_path(w, "h1", "h30");
	expect_reason(link_of(reply, "there", 1), "drained", 1);
	json_decref(reply);
}

/* A host with two ports on two leaves: its paths keep clear of each other. */
TEST(redundant_paths)
{
	struct fabric *f = gen_edit_rails(core_tree(), 2, false, NULL);
	struct world *w = start_on(f, "");
	AUTO(json) json_t *reply = ask_path(w, "h1", "h16");

	ck_assert_str_eq(json_util_text(link_of(reply, "there", 1), "reason"),
		"redundancy");
	core_end(w, f);
}

/* On a ring of four the neighbours of the root have one way to each other: the
 * other one would go up after it came down. */
TEST(what_would_go_up_again_is_no_choice)
{
	const unsigned four = 4;
	struct fabric *f = gen_grid(&four, 1, true, 1, NULL);
	struct world *w = start_on(f, "routing: {engines: [updn]}\n");
	const struct topo *t = sm_view(w->sm)->topo;
	long long choices = 0;

	for (port_ix a = 0; a < t->nports; a++)
		for (port_ix b = 0; b < t->nports; b++) {
			char from[8], to[8];
			json_t *reply, *l;

			if (!topo_is_host(t, a) || !topo_is_host(t, b))
				continue;
			(void)snprintf(
				from, sizeof(from), "%u", t->port[a].lid);
			(void)snprintf(to, sizeof(to), "%u", t->port[b].lid);
			reply = ask_path(w, from, to);
			l = link_of(reply, "there", 1);
			if (link_of(reply, "there", 3) != NULL)
				choices += json_util_num(l, "choices");
			json_decref(reply);
		}
	ck_assert_int_eq(choices, 2 + 2 + 1 + 1);
	core_end(w, f);
}
