/* The watch, which judges every moment, on tables made by hand. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/model/world.h"
#include "tests/sim/referee/referee.h"
#include "tests/sim/referee/watch.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { RING = 4 };

/* A ring of switches, a host each, every link Active. */
struct ring {
	struct fabric *f;
	struct sim *s;
	struct watch *w;
	uint32_t sw[RING];
	unsigned right[RING]; /* port to the next switch */
	unsigned left[RING];
};

static unsigned
port_to(const struct fabric *f, uint32_t a, uint32_t b)
{
	uint32_t peer;
	unsigned q;

	for (unsigned p = 1; p <= f->node[a].nports; p++) {
		if (fabric_peer(f, a, p, &peer, &q) && peer == b)
			return p;
	}
	return 0;
}

static struct ring
ring_new(void)
{
	static const char *const name[] = {"sw0", "sw1", "sw2", "sw3"};
	struct sim_options o = sim_defaults();
	struct ring r = {.f = shape_of("torus:%u", RING)};

	for (int i = 0; i < RING; i++)
		r.sw[i] = fabric_find(r.f, name[i]);
	for (int i = 0; i < RING; i++) {
		r.right[i] = port_to(r.f, r.sw[i], r.sw[(i + 1) % RING]);
		r.left[i] = port_to(r.f, r.sw[i], r.sw[(i + 3) % RING]);
		ck_assert(r.right[i] && r.left[i]);
	}
	r.s = sim_new(r.f, &o);
	sim_activate_all(r.s);
	r.w = watch_new(r.s);
	return r;
}

static void
ring_free(struct ring *r)
{
	watch_free(r->w);
	sim_free(r->s);
	fabric_free(r->f);
}
AUTO_VALUE(ring, struct ring, ring_free)

/* Switch i sends LID lid to the right. */
static void
to_right(struct ring *r, int i, uint16_t lid)
{
	sim_set_lft(r->s, r->sw[i], lid, (uint8_t)r->right[i]);
}

TEST(a_loop_is_seen_when_it_closes)
{
	AUTO(ring) struct ring r = ring_new();

	for (int i = 0; i < RING; i++) {
		ck_assert_uint_eq(watch_report(r.w)->loops, 0);
		to_right(&r, i, 7);
	}
	ck_assert_uint_eq(watch_report(r.w)->loops, 1);
	ck_assert_str_eq(watch_report(r.w)->loop.text,
		"LID 7 goes round: \"sw3\"[3] -> \"sw0\"[2] -> \"sw1\"[3] -> "
		"\"sw2\"[3] -> \"sw3\"");
	/* all LIDs in a loop are a cycle, too */
	ck_assert_uint_eq(watch_report(r.w)->cycles, 1);
}

/* A packet does not leave by its in-port: no loop. */
TEST(two_switches_at_odds)
{
	AUTO(ring) struct ring r = ring_new();

	to_right(&r, 0, 9);
	sim_set_lft(r.s, r.sw[1], 9, (uint8_t)r.left[1]);
	ck_assert_uint_eq(watch_report(r.w)->loops, 0);
	ck_assert_uint_eq(watch_report(r.w)->cycles, 0);
	/* the same value again is no change */
	to_right(&r, 0, 9);
	ck_assert_uint_eq(watch_report(r.w)->changes, 2);
}

/* Two links between two switches: there by one, back by the other. */
TEST(two_switches_with_two_cables)
{
	AUTO(fabric) struct fabric *f = fabric_new();
	struct sim_options o = sim_defaults();
	uint32_t h = fabric_add(f, FABRIC_CA, 1, "h");
	uint32_t a = fabric_add(f, FABRIC_SWITCH, 4, "a");
	uint32_t b = fabric_add(f, FABRIC_SWITCH, 4, "b");
	struct watch *w;
	struct sim *s;

	fabric_connect(f, h, 1, a, 1, NULL);
	fabric_connect(f, a, 2, b, 2, NULL);
	fabric_connect(f, a, 3, b, 3, NULL);
	s = sim_new(f, &o);
	sim_activate_all(s);
	w = watch_new(s);
	sim_set_lft(s, a, 9, 2);
	sim_set_lft(s, b, 9, 3);
	ck_assert_uint_eq(watch_report(w)->loops, 1);
	ck_assert_uint_eq(watch_report(w)->cycles, 1);
	watch_free(w);
	sim_free(s);
}

static void
map_row(struct ring *r, int i, const uint8_t row[8])
{
	sim_hand_sl2vl(r->s, r->sw[i], r->left[i], r->right[i], row);
}

/* A dependency mapped to VL 15 closes no cycle; unblocked again, it does. */
TEST(a_blocked_dependency_breaks_the_ring)
{
	static const uint8_t shut[8] = {255, 255, 255, 255, 255, 255, 255, 255};
	static const uint8_t open[8] = {0};
	AUTO(ring) struct ring r = ring_new();

	map_row(&r, 2, shut);
	for (int i = 0; i < RING; i++)
		to_right(&r, i, 7);
	ck_assert_uint_eq(watch_report(r.w)->loops, 0);
	ck_assert_uint_eq(watch_report(r.w)->cycles, 0);
	map_row(&r, 2, open);
	ck_assert_uint_eq(watch_report(r.w)->loops, 1);
	ck_assert_uint_eq(watch_report(r.w)->cycles, 1);
}

/* Four LIDs, each half round: no loop, but the classic cycle of channels. */
TEST(a_cycle_without_a_loop)
{
	AUTO(ring) struct ring r = ring_new();

	for (int i = 0; i < RING; i++) {
		ck_assert_uint_eq(watch_report(r.w)->cycles, 0);
		to_right(&r, i, (uint16_t)(10 + i));
		to_right(&r, (i + 1) % RING, (uint16_t)(10 + i));
		sim_set_lft(r.s, r.sw[(i + 2) % RING], (uint16_t)(10 + i), 0);
	}
	ck_assert_uint_eq(watch_report(r.w)->loops, 0);
	ck_assert_uint_eq(watch_report(r.w)->cycles, 1);
	/* opened at two places, closed again by the second */
	sim_set_lft(r.s, r.sw[3], 13, 255);
	sim_set_lft(r.s, r.sw[3], 12, 255);
	ck_assert_uint_eq(watch_report(r.w)->cycles, 1);
	to_right(&r, 3, 13);
	ck_assert_uint_eq(watch_report(r.w)->cycles, 1);
	to_right(&r, 3, 12);
	ck_assert_uint_eq(watch_report(r.w)->cycles, 2);
}

/* Every other switch of the ring sends with SL 1. */
static uint16_t
by_half(void *cookie, uint64_t from, uint64_t to)
{
	const struct ring *r = cookie;
	int a = 0, b = 0;

	for (int i = 0; i < RING; i++) {
		uint64_t guid = fabric_port(r->f, r->sw[i], 0)->guid;

		a = guid == from ? i + 1 : a;
		b = guid == to ? i + 1 : b;
	}
	return a == 0 || b == 0 ? 0 : a % 2 == 0 ? 2 : 1;
}

static uint16_t
by_one(void *cookie, uint64_t from, uint64_t to)
{
	return by_half(cookie, from, to) != 0;
}

/* The same ring, half of the packets on another VL: a cycle if both map to
 * one. */
TEST(vls_are_distinguished)
{
	static const uint8_t together[8] = {0};
	AUTO(ring) struct ring r = ring_new();
	struct watch_sls sls = {&r, by_half, 1};
	struct mad_port_info pi;

	for (int i = 0; i < RING; i++) {
		uint32_t to = r.sw[(i + 2) % RING];

		pi = *sim_port_info(r.s, to, 0);
		pi.lid = (uint16_t)(10 + i);
		sim_hand_port(r.s, to, 0, &pi);
		pi = *sim_port_info(r.s, r.sw[i], r.right[i]);
		pi.op_vls = 2;
		sim_hand_port(r.s, r.sw[i], r.right[i], &pi);
	}
	watch_vls(r.w, NULL, NULL);
	watch_paths(r.w, &sls);
	for (int i = 0; i < RING; i++) {
		to_right(&r, i, (uint16_t)(10 + i));
		to_right(&r, (i + 1) % RING, (uint16_t)(10 + i));
		sim_set_lft(r.s, r.sw[(i + 2) % RING], (uint16_t)(10 + i), 0);
	}
	ck_assert_uint_eq(watch_report(r.w)->cycles, 0);
	/* both halves on one VL */
	for (int i = 0; i < RING; i++)
		for (unsigned in = 0; in <= 3; in++)
			sim_hand_sl2vl(r.s, r.sw[i], in, r.right[i], together);
	ck_assert_uint_eq(watch_report(r.w)->cycles, 1);
}

/* A path gets another SL, which counts for a switch at once. */
TEST(what_paths_say_counts)
{
	AUTO(ring) struct ring r = ring_new();
	struct watch_sls sls = {&r, by_one, 1};
	struct mad_port_info pi;

	watch_vls(r.w, NULL, NULL);
	for (int i = 0; i < RING; i++) {
		pi = *sim_port_info(r.s, r.sw[i], 0);
		pi.lid = (uint16_t)(10 + (i + 2) % RING);
		sim_hand_port(r.s, r.sw[i], 0, &pi);
		to_right(&r, i, (uint16_t)(10 + i));
		to_right(&r, (i + 1) % RING, (uint16_t)(10 + i));
	}
	ck_assert_uint_eq(watch_report(r.w)->cycles, 0);
	watch_paths(r.w, &sls);
	ck_assert_uint_eq(watch_report(r.w)->cycles, 1);
	ck_assert(strstr(watch_report(r.w)->cycle.text, "VL 0") != NULL);
}

/* A loop over a link that is down is none until the link is back in service. */
TEST(a_link_closes_a_loop)
{
	AUTO(ring) struct ring r = ring_new();

	sim_fault_link(r.s, r.sw[2], r.right[2], false);
	for (int i = 0; i < RING; i++)
		to_right(&r, i, 7);
	ck_assert_uint_eq(watch_report(r.w)->loops, 0);
	ck_assert_uint_eq(watch_report(r.w)->cycles, 0);
	sim_fault_link(r.s, r.sw[2], r.right[2], true);
	ck_assert_uint_eq(watch_report(r.w)->loops, 0); /* Init */
	watch_free(r.w);
	sim_activate_all(r.s);
	r.w = watch_new(r.s); /* what exists already is seen as well */
	ck_assert_uint_gt(watch_report(r.w)->loops, 0);
	ck_assert_uint_gt(watch_report(r.w)->cycles, 0);
}

/* ---- groups ---- */

enum { MLID = 0xc000 };

/* Switch i sends packets of a group to the right, to the left, or both. */
static void
send_group(struct ring *r, int i, uint16_t mlid, bool right, bool left)
{
	unsigned ports = (right ? 1U << r->right[i] : 0U) |
			 (left ? 1U << r->left[i] : 0U);

	sim_hand_mft(r->s, r->sw[i], mlid, (uint16_t)ports);
}

/*
 * What a host at switch 0 sends goes both ways to switch 2, as soon as switch
 * `last` is written. The others of `silent`, a bit each, do not answer. Returns
 * the copies.
 */
static uint64_t
copies_both_ways(unsigned silent, int last)
{
	AUTO(ring) struct ring r = ring_new();
	uint64_t n;

	for (int step = 0; step < 2; step++) {
		if ((last == 0) == step)
			send_group(&r, 0, MLID, true, true);
		if ((last == 1) == step)
			send_group(&r, 1, MLID, true, false);
		if ((last == 3) == step)
			send_group(&r, 3, MLID, false, true);
		ck_assert(step == 1 || watch_report(r.w)->copies == 0);
		for (int i = 0; i < RING; i++)
			watch_excuse(r.w, r.sw[i], silent >> i & 1);
	}
	n = watch_report(r.w)->copies;
	return n;
}

TEST(a_second_copy_is_seen)
{
	ck_assert_uint_eq(copies_both_ways(0, 0), 1);
	ck_assert_uint_eq(copies_both_ways(0, 1), 1);
	ck_assert_uint_eq(copies_both_ways(0, 3), 1);
}

/* Both ways have to lead through silent switches; where they part counts, where
 * they meet does not. */
TEST(silent_switches_are_excused)
{
	ck_assert_uint_eq(copies_both_ways(1U << 0, 3), 0);
	ck_assert_uint_eq(copies_both_ways(1U << 1 | 1U << 3, 0), 0);
	ck_assert_uint_eq(copies_both_ways(1U << 1, 0), 1);
	ck_assert_uint_eq(copies_both_ways(1U << 3, 0), 1);
	ck_assert_uint_eq(copies_both_ways(1U << 2, 0), 1);
	ck_assert_uint_eq(copies_both_ways(1U << 1 | 1U << 2, 0), 1);
	/* written again, one is silent no more */
	ck_assert_uint_eq(copies_both_ways(1U << 1 | 1U << 3, 3), 1);
}

/* A host at switch 1 sends to switch 2 directly, and by 0 and 3. That 0 is
 * silent is no excuse while 1 is not. */
TEST(one_way_through_a_silent_switch)
{
	AUTO(ring) struct ring r = ring_new();

	send_group(&r, 0, MLID, false, true);
	send_group(&r, 1, MLID, true, true);
	watch_excuse(r.w, r.sw[0], true);
	watch_excuse(r.w, r.sw[1], true);
	ck_assert_uint_eq(watch_report(r.w)->copies, 0);
	send_group(&r, 3, MLID, false, true);
	ck_assert_uint_eq(watch_report(r.w)->copies, 0);
	watch_excuse(r.w, r.sw[1], false);
	send_group(&r, 3, MLID, false, false);
	send_group(&r, 3, MLID, false, true);
	ck_assert_uint_eq(watch_report(r.w)->copies, 1);
}

/* Whoever is silent, a loop is a fault. */
TEST(a_group_in_a_loop)
{
	AUTO(ring) struct ring r = ring_new();

	for (int i = 0; i < RING; i++) {
		ck_assert_uint_eq(watch_report(r.w)->copies, 0);
		send_group(&r, i, MLID, true, false);
		watch_excuse(r.w, r.sw[i], true);
	}
	ck_assert_uint_gt(watch_report(r.w)->copies, 0);
}

/* Entries above LinearFDBTop are not used; a reboot wipes them all. */
TEST(tables_are_followed)
{
	AUTO(ring) struct ring r = ring_new();

	for (int i = 0; i < RING; i++)
		to_right(&r, i, 7);
	ck_assert_uint_eq(watch_report(r.w)->changes, 4);
	sim_fault_reboot(r.s, r.sw[1]);
	ck_assert_uint_eq(watch_report(r.w)->changes, 5);
	ck_assert_uint_eq(watch_report(r.w)->loops, 1);
}

/* A whole bring-up, and a failed link, without a loop; counts add up. */
TEST(a_daemon_is_watched)
{
	AUTO(fabric) struct fabric *f = shape_of("two:4:8:4");
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = world_new(f, &o, "");
	struct watch *watch = watch_new(w->sim);

	world_start(w);
	ck_assert(world_settle(w, mono_ms(60000)));
	ck_assert_uint_eq(watch_report(watch)->loops, 0);
	ck_assert_uint_eq(watch_report(watch)->cycles, 0);
	/* 12 switches, 44 LIDs: every entry was set once */
	ck_assert_uint_eq(watch_report(watch)->changes, 12 * 44);
	watch_free(watch);
}

/* Switch i has all of these ports for a LID. */
static void
give_ports(struct ring *r, int i, uint16_t lid, uint64_t ports)
{
	const struct mad_ar_group group = {{{ports}}};
	const struct mad_ar_entry entry = {MAD_AR_FREE, 0,
		(uint8_t)__builtin_ctzll(ports), (uint16_t)(i + 1)};

	sim_set_lft(r->s, r->sw[i], (uint16_t)(lid + 1), 255); /* its top */
	sim_hand_adaptive(r->s, r->sw[i], 0, SIM_AR_OBEYS);
	sim_hand_ar_group(r->s, r->sw[i], (uint16_t)(i + 1), &group);
	sim_hand_ar_entry(r->s, r->sw[i], lid, &entry);
}

static void
switch_on(struct ring *r, int i, bool on)
{
	sim_hand_adaptive(
		r->s, r->sw[i], on ? MAD_AR_ON_GROUPS : 0, SIM_AR_OBEYS);
}

TEST(every_alternative_is_followed)
{
	struct ring r = ring_new();

	/* both ways round from sw0 to sw2, which is fine: 1 and 3 lead there */
	sim_set_lft(r.s, r.sw[0], 7, (uint8_t)r.right[0]);
	sim_set_lft(r.s, r.sw[1], 7, (uint8_t)r.right[1]);
	sim_set_lft(r.s, r.sw[3], 7, (uint8_t)r.left[3]);
	give_ports(&r, 0, 7, 1ULL << r.right[0] | 1ULL << r.left[0]);
	switch_on(&r, 0, true);
	ck_assert_uint_eq(watch_report(r.w)->loops, 0);
	ck_assert_uint_eq(watch_report(r.w)->cycles, 0);
	/* sw1 may send back, but a packet from sw0 does not return by its
	 * in-port: it goes round only if sw2 sends on to sw3, which leads to
	 * sw0 */
	give_ports(&r, 1, 7, 1ULL << r.right[1] | 1ULL << r.left[1]);
	switch_on(&r, 1, true);
	ck_assert_uint_eq(watch_report(r.w)->loops, 0);
	give_ports(&r, 2, 7, 1ULL << r.right[2]);
	give_ports(&r, 3, 7, 1ULL << r.right[3]);
	switch_on(&r, 2, true);
	ck_assert_uint_eq(watch_report(r.w)->loops, 0);
	switch_on(&r, 3, true);
	ck_assert_uint_gt(watch_report(r.w)->loops, 0);
	ck_assert_msg(strstr(watch_report(r.w)->loop.text,
			      "LID 7 can go round by alternatives"),
		"%s", watch_report(r.w)->loop.text);
	ring_free(&r);
}

TEST(alternatives_close_a_cycle)
{
	AUTO(ring) struct ring r = ring_new();

	/* LID 10 + i: from sw i right to sw i + 1, and on to i + 2, where it
	 * is. All four together wait in a circle, the last by its alternative.
	 */
	for (int i = 0; i < RING; i++) {
		uint16_t lid = (uint16_t)(10 + i);
		int next = (i + 1) % RING;

		if (i == RING - 1) {
			give_ports(&r, i, lid, 1ULL << r.right[i]);
		} else {
			sim_set_lft(r.s, r.sw[i], lid, (uint8_t)r.right[i]);
		}
		sim_set_lft(r.s, r.sw[next], lid, (uint8_t)r.right[next]);
	}
	ck_assert_uint_eq(watch_report(r.w)->cycles, 0);
	switch_on(&r, RING - 1, true);
	ck_assert_uint_gt(watch_report(r.w)->cycles, 0);
	/* and the counts come back to nothing */
	switch_on(&r, RING - 1, false);
	watch_free(r.w);
	r.w = watch_new(r.s);
	ck_assert_uint_eq(watch_report(r.w)->cycles, 0);
}
