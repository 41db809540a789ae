/* The referee: good tables, and every kind of bad ones. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/referee/referee.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

struct court {
	struct fabric *f;
	struct sim *s;
	uint32_t sm;
	uint16_t *lid; /* [nnodes] */
	struct referee_report r;
	struct reason why;
};

/* A fabric with LIDs 1, 2, ... in node order, all links Active. */
static struct court
court_new(struct fabric *f)
{
	struct sim_options o = sim_defaults();
	struct court c = {.f = f};

	ck_assert(f != NULL);
	c.s = sim_new(f, &o);
	c.sm = fabric_first_host(f);
	c.lid = calloc(f->nnodes, sizeof(*c.lid));
	for (uint32_t n = 0; n < f->nnodes; n++) {
		c.lid[n] = (uint16_t)(n + 1);
		sim_set_lid(c.s, n, f->node[n].type == FABRIC_SWITCH ? 0 : 1,
			c.lid[n]);
	}
	sim_activate_all(c.s);
	return c;
}

static void
court_free(struct court *c)
{
	sim_free(c->s);
	fabric_free(c->f);
	free(c->lid);
}
AUTO_VALUE(court, struct court, court_free)

/* Routes breadth first from each destination, lowest port first. */
static void
route_shortest(struct court *c)
{
	const struct fabric *f = c->f;
	AUTO(mem) uint32_t *queue = calloc(f->nnodes, sizeof(*queue));
	AUTO(mem) bool *seen = calloc(f->nnodes, sizeof(*seen));

	for (uint32_t dst = 0; dst < f->nnodes; dst++) {
		uint32_t n = 0;

		memset(seen, 0, f->nnodes * sizeof(*seen));
		if (f->node[dst].type == FABRIC_SWITCH)
			sim_set_lft(c->s, dst, c->lid[dst], 0);
		seen[dst] = true;
		queue[n++] = dst;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t at = queue[i], peer;
			unsigned pp;

			for (unsigned p = 1; p <= f->node[at].nports; p++) {
				if ((i && f->node[at].type == FABRIC_CA) ||
					!fabric_peer(f, at, p, &peer, &pp) ||
					seen[peer])
					continue;
				seen[peer] = true;
				queue[n++] = peer;
				if (f->node[peer].type == FABRIC_SWITCH)
					sim_set_lft(c->s, peer, c->lid[dst],
						(uint8_t)pp);
			}
		}
	}
}

/* Routes every LID clockwise on a ring of gen_grid. */
static void
route_clockwise(struct court *c)
{
	for (uint32_t sw = 0; sw < c->f->nnodes; sw++) {
		uint32_t peer;
		unsigned pp, next = 0;

		if (c->f->node[sw].type != FABRIC_SWITCH)
			continue;
		for (unsigned p = 1; p <= c->f->node[sw].nports; p++) {
			/* the next switch has the next higher index, or 0 */
			if (fabric_peer(c->f, sw, p, &peer, &pp) &&
				c->f->node[peer].type == FABRIC_SWITCH &&
				peer == (sw + 2) % c->f->nnodes)
				next = p;
		}
		for (uint32_t d = 0; d < c->f->nnodes; d++)
			sim_set_lft(c->s, sw, c->lid[d], (uint8_t)next);
		sim_set_lft(c->s, sw, c->lid[sw], 0);
		sim_set_lft(c->s, sw, c->lid[sw + 1], 1);
	}
}

static int
judge_court(struct court *c)
{
	return referee_fabric(c->s, c->sm, REFEREE_ALL, &c->r, &c->why);
}

static struct fabric *
make_ring(unsigned n)
{
	return gen_grid(&n, 1, true, 1, NULL);
}

TEST(good_tables_pass)
{
	AUTO(court) struct court c = court_new(shape_of("two:18:36:18"));

	route_shortest(&c);
	ck_assert_msg(judge_court(&c) == 0, "%s", c.why.text);
	ck_assert_uint_eq(c.r.switches, 54);
	ck_assert_uint_eq(c.r.end_ports, 702);
	ck_assert_uint_eq(c.r.lids, 702);
	ck_assert_uint_eq(c.r.pairs, 54 * 702);
	ck_assert_uint_eq(c.r.max_hops, 3);
	/* all paths up lead over the first spine: 18 hosts at the leaf to
	 * 630 */
	ck_assert_uint_eq(c.r.max_load, 18 * 630);
	ck_assert(c.r.mean_load > 629.9 && c.r.mean_load < 630.1);
}

TEST(spread_tables_balance)
{
	AUTO(court) struct court c = court_new(shape_of("two:18:36:18"));

	route_shortest(&c);
	for (uint32_t sw = 0; sw < c.f->nnodes; sw++) {
		unsigned spread = 0;

		if (strncmp(c.f->node[sw].name, "leaf", 4) != 0)
			continue;
		for (uint32_t d = 0; d < c.f->nnodes; d++) {
			bool host = c.f->node[d].type == FABRIC_CA;

			/* ports 19..36 go up; not for its own hosts */
			if (host && sim_lft(c.s, sw, c.lid[d]) > 18)
				sim_set_lft(c.s, sw, c.lid[d],
					(uint8_t)(19 + spread % 18));
			spread += host;
		}
	}
	ck_assert_msg(judge_court(&c) == 0, "%s", c.why.text);
	ck_assert_uint_eq(c.r.max_load, 630);
}

TEST(small_fabrics_pass)
{
	unsigned one = 1;
	struct court c = court_new(gen_pair());

	ck_assert_msg(judge_court(&c) == 0, "%s", c.why.text);
	ck_assert_uint_eq(c.r.lids, 2);
	court_free(&c);
	c = court_new(gen_grid(&one, 1, false, 3, NULL));
	route_shortest(&c);
	ck_assert_msg(judge_court(&c) == 0, "%s", c.why.text);
	ck_assert_uint_eq(c.r.pairs, 4);
	court_free(&c);
}

TEST(holes_are_found)
{
	AUTO(court) struct court c = court_new(make_ring(5));

	route_shortest(&c);
	ck_assert_msg(!(judge_court(&c) != 0 && c.r.holes), "%s", c.why.text);
	sim_set_lft(c.s, 0, c.lid[0], 255);
	ck_assert_int_eq(judge_court(&c), -1);
	ck_assert_uint_eq(c.r.holes, 5); /* no other switch reaches switch 0 */
	ck_assert_msg(
		strstr(c.why.text, "\"sw0\" sends LID 1 (\"sw0\") to port 255"),
		"%s", c.why.text);
	/* a host's LID out of the wrong port, into another host */
	sim_set_lft(c.s, 0, c.lid[0], 0);
	sim_set_lft(c.s, 0, c.lid[3], 1);
	ck_assert_int_eq(judge_court(&c), -1);
	ck_assert_uint_ge(c.r.holes, 1);
}

TEST(loops_are_found)
{
	AUTO(court) struct court c = court_new(make_ring(5));

	route_clockwise(&c);
	/* switch 4's host: its switch forwards the packet, in a loop */
	sim_set_lft(c.s, 8, c.lid[9], sim_lft(c.s, 8, c.lid[0]));
	ck_assert_int_eq(judge_court(&c), -1);
	ck_assert_uint_eq(c.r.loops, 5);
	ck_assert_uint_eq(c.r.holes, 0);
	ck_assert_msg(strstr(c.why.text, "LID 10 (\"h5\") goes round") != NULL,
		"%s", c.why.text);
}

TEST(credit_cycles_are_found)
{
	AUTO(court) struct court c = court_new(make_ring(5));

	route_clockwise(&c);
	ck_assert_int_eq(judge_court(&c), -1);
	ck_assert_uint_eq(c.r.loops + c.r.holes, 0);
	ck_assert_uint_eq(c.r.cycle_length, 5);
	/* the ring's channels, and none of the host channels behind them */
	ck_assert_uint_ge(c.r.cyclic, 5);
	ck_assert_msg(strstr(c.why.text, "cycle of 5 channels: \"sw") != NULL,
		"%s", c.why.text);
	for (unsigned i = 0; i < 5; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "\"sw%u\"", i);
		ck_assert_msg(strstr(c.why.text, name), "%s", c.why.text);
	}
	/* without a check of cycles all is well */
	ck_assert_int_eq(referee_fabric(c.s, c.sm,
				 REFEREE_ALL & ~REFEREE_CYCLES, &c.r, &c.why),
		0);
}

TEST(a_cut_ring_has_no_cycle)
{
	AUTO(court) struct court c = court_new(make_ring(6));
	uint32_t a = 0, b = 10;

	/* a line: the link between the last and the first switch is not used,
	 * though it exists */
	for (uint32_t dst = 0; dst < c.f->nnodes; dst++) {
		for (uint32_t sw = 0; sw < c.f->nnodes; sw += 2) {
			uint32_t to = dst & ~1U, peer, want;
			unsigned pp;

			if (sw == to) {
				sim_set_lft(c.s, sw, c.lid[dst], dst & 1);
				continue;
			}
			want = to > sw ? sw + 2 : sw - 2;
			for (unsigned p = 1; p <= 3; p++) {
				if (fabric_peer(c.f, sw, p, &peer, &pp) &&
					peer == want)
					sim_set_lft(c.s, sw, c.lid[dst],
						(uint8_t)p);
			}
		}
	}
	ck_assert_msg(judge_court(&c) == 0, "%s", c.why.text);
	ck_assert_uint_eq(c.r.cyclic, 0);
	ck_assert_uint_eq(c.r.max_hops, 6);
	/* and when it fails, nothing changes for paths that do not use it */
	for (unsigned p = 1; p <= 3; p++) {
		uint32_t peer;
		unsigned pp;

		if (fabric_peer(c.f, a, p, &peer, &pp) && peer == b)
			sim_fault_link(c.s, a, p, false);
	}
	ck_assert_msg(judge_court(&c) == 0, "%s", c.why.text);
}

TEST(lids_are_judged)
{
	AUTO(court) struct court c = court_new(make_ring(4));

	route_shortest(&c);
	sim_set_lid(c.s, 2, 0, 1);
	ck_assert_int_eq(judge_court(&c), -1);
	ck_assert_uint_eq(c.r.bad_lids, 1);
	ck_assert_msg(
		strstr(c.why.text, "LID 1 is \"sw0\"'s and \"sw1\"'s") ||
			strstr(c.why.text, "LID 1 is \"sw1\"'s and \"sw0\"'s"),
		"%s", c.why.text);
	sim_set_lid(c.s, 2, 0, 0);
	ck_assert_int_eq(judge_court(&c), -1);
	ck_assert_uint_eq(c.r.bad_lids, 1);
	ck_assert(strstr(c.why.text, "\"sw1\" has LID 0"));
}

TEST(links_are_judged)
{
	AUTO(court) struct court c = court_new(make_ring(4));

	route_shortest(&c);
	sim_fault_link(c.s, 0, 1, false);
	sim_fault_link(c.s, 0, 1, true);
	ck_assert_int_eq(
		referee_fabric(c.s, c.sm, REFEREE_ACTIVE, &c.r, &c.why), -1);
	ck_assert_uint_eq(c.r.not_active, 2);
	ck_assert_msg(strstr(c.why.text, "is in state 2"), "%s", c.why.text);
}

TEST(hung_and_lost_nodes_are_out_of_scope)
{
	unsigned n = 3;
	AUTO(court) struct court c = court_new(gen_grid(&n, 1, false, 1, NULL));
	struct sim_behaviour hung = {.hung = true};

	route_shortest(&c);
	ck_assert_msg(judge_court(&c) == 0, "%s", c.why.text);
	ck_assert_uint_eq(c.r.switches, 3);
	/* the middle one hangs: only the first and its host remain */
	sim_fault_behave(c.s, 2, &hung);
	ck_assert_msg(judge_court(&c) == 0, "%s", c.why.text);
	ck_assert_uint_eq(c.r.switches, 1);
	ck_assert_uint_eq(c.r.lids, 2);
	hung.hung = false;
	sim_fault_behave(c.s, 2, &hung);
	sim_fault_node(c.s, 4, false);
	ck_assert_msg(judge_court(&c) == 0, "%s", c.why.text);
	ck_assert_uint_eq(c.r.switches, 2);
	/* back, but as after power-on */
	sim_fault_node(c.s, 4, true);
	ck_assert_int_eq(judge_court(&c), -1);
	ck_assert_uint_eq(c.r.switches, 3);
}

TEST(cycles_hide_behind_others)
{
	AUTO(court) struct court c = court_new(shape_of("torus:3x3"));

	/* shortest paths on a torus, lowest port first: judged consistently */
	route_shortest(&c);
	(void)judge_court(&c);
	ck_assert_uint_eq(c.r.holes + c.r.loops, 0);
	ck_assert((c.r.cyclic == 0) == (c.r.cycle_length == 0));
	ck_assert(c.r.cyclic >= c.r.cycle_length);
}

/* All ports have two VLs; SL 0 maps to VL 0, SL 1 to the one that `vl`
 * gives. */
static void
set_vls(struct court *c, unsigned (*vl)(uint32_t sw, bool from_host))
{
	for (uint32_t sw = 0; sw < c->f->nnodes; sw += 2) {
		for (unsigned out = 1; out <= 3; out++) {
			struct mad_port_info pi = *sim_port_info(c->s, sw, out);

			pi.op_vls = 2;
			sim_hand_port(c->s, sw, out, &pi);
			for (unsigned in = 0; in <= 3; in++) {
				uint8_t row[8] = {0};

				row[0] = (uint8_t)vl(sw, in <= 1);
				sim_hand_sl2vl(c->s, sw, in, out, row);
			}
		}
	}
}

/* The second VL up to the first switch, where the ring is cut. */
static unsigned
vl_by_dateline(uint32_t sw, bool from_host)
{
	return sw > 2 || (sw == 2 && from_host);
}

static unsigned
vl_second(uint32_t sw, bool from_host)
{
	(void)sw;
	(void)from_host;
	return 1;
}

static unsigned
vl_dropped(uint32_t sw, bool from_host)
{
	return sw == 4 && !from_host ? 15 : 1;
}

/* SL 1 for paths that pass the cut. */
static uint16_t
by_dateline(void *cookie, uint16_t from, uint16_t to)
{
	(void)cookie;
	return (from - 1) / 2 > (to - 1) / 2 ? 1 << 1 : 1 << 0;
}

TEST(vls_are_distinguished)
{
	static const struct referee_sls sls = {NULL, by_dateline};
	AUTO(court) struct court c = court_new(make_ring(4));

	route_clockwise(&c);
	set_vls(&c, vl_second);
	/* one SL per VL everywhere: a cycle on each of both */
	ck_assert_int_eq(judge_court(&c), -1);
	ck_assert_uint_eq(c.r.vls, 1);
	ck_assert_uint_eq(c.r.cycle_length, 4);
	/* packets over the cut begin on the second VL and end on the first */
	set_vls(&c, vl_by_dateline);
	ck_assert_msg(referee_with_sls(
			      c.s, c.sm, REFEREE_ALL, &sls, &c.r, &c.why) == 0,
		"%s", c.why.text);
	ck_assert_uint_eq(c.r.vls, 2);
	/* with any SL for all pairs the first VL is a ring again */
	ck_assert_int_eq(judge_court(&c), -1);
	ck_assert(strstr(c.why.text, "cycle of 4 channels: \"sw") != NULL);
	ck_assert_msg(
		strstr(c.why.text, " VL 0 -> ") != NULL, "%s", c.why.text);
	ck_assert_uint_eq(c.r.blocked, 0);
}

TEST(packets_without_a_vl_are_found)
{
	static const struct referee_sls sls = {NULL, by_dateline};
	AUTO(court) struct court c = court_new(make_ring(4));

	route_clockwise(&c);
	set_vls(&c, vl_dropped);
	ck_assert_int_eq(
		referee_with_sls(c.s, c.sm, REFEREE_ALL, &sls, &c.r, &c.why),
		-1);
	ck_assert_uint_gt(c.r.blocked, 0);
	ck_assert_msg(
		strstr(c.why.text, "SLs 0x0002 have no VL on port") != NULL,
		"%s", c.why.text);
	/* if any SL will do, SL 0 remains */
	(void)judge_court(&c);
	ck_assert_uint_eq(c.r.blocked, 0);
}

/* Packets to a node's LID may leave a switch by these ports. */
static void
give_ports(struct court *c, uint32_t sw, uint32_t to, uint64_t ports)
{
	const struct mad_ar_group group = {{{ports}}};
	const struct mad_ar_entry entry = {
		MAD_AR_FREE, 0, sim_lft(c->s, sw, c->lid[to]), c->lid[to]};

	if (sim_ar_info(c->s, sw) == NULL)
		sim_hand_adaptive(c->s, sw, MAD_AR_ON_GROUPS, SIM_AR_OBEYS);
	sim_hand_ar_group(c->s, sw, c->lid[to], &group);
	sim_hand_ar_entry(c->s, sw, c->lid[to], &entry);
}

TEST(alternatives_are_judged)
{
	AUTO(court) struct court c = court_new(shape_of("two:2:2:2"));
	uint32_t leaf = fabric_find(c.f, "leaf1"), far, spine;
	unsigned back, there;

	ck_assert(fabric_peer(c.f, fabric_find(c.f, "leaf2"), 1, &far, &there));
	ck_assert(fabric_peer(c.f, leaf, 3, &spine, &back));
	route_shortest(&c);
	give_ports(&c, leaf, far, 3 << 3);
	ck_assert_msg(judge_court(&c) == 0, "%s", c.why.text);
	/* a host that is not meant */
	give_ports(&c, leaf, far, 3 << 3 | 1 << 1);
	ck_assert_int_eq(judge_court(&c), -1);
	ck_assert_uint_eq(c.r.holes, 1);
	ck_assert_uint_eq(c.r.loops, 0);
	ck_assert_msg(strstr(c.why.text, "an alternative of \"leaf1\" for LID"),
		"%s", c.why.text);
	/* up and down again */
	give_ports(&c, leaf, far, 3 << 3);
	give_ports(&c, spine, far,
		1ULL << back | 1ULL << sim_lft(c.s, spine, c.lid[far]));
	ck_assert_int_eq(judge_court(&c), -1);
	ck_assert_uint_gt(c.r.loops, 0);
	ck_assert_uint_eq(c.r.holes, 0);
	ck_assert_msg(
		strstr(c.why.text, "can go round from"), "%s", c.why.text);
}

TEST(alternatives_make_cycles)
{
	AUTO(court) struct court c = court_new(make_ring(4));

	/* to the opposite host both ways round: neither hole nor loop */
	route_shortest(&c);
	for (uint32_t sw = 0; sw < 8; sw += 2)
		give_ports(&c, sw, (sw + 5) % 8, 3 << 2);
	ck_assert_int_eq(judge_court(&c), -1);
	ck_assert_uint_eq(c.r.loops + c.r.holes, 0);
	ck_assert_uint_eq(c.r.cycle_length, 4);
}
