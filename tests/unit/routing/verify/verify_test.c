#include <check.h>
#include <stdio.h>

#include "routing/improve/load_bound.h"
#include "routing/verify/verify.h"
#include "sm/base/rng.h"
#include "tests/unit/hand_topo.h"
#include "tests/unit/suite.h"

static int
verify_hand_tables(
	struct topo *t, struct hand_tables *h, struct verify_report *r)
{
	struct verify_tables in = {.topo = t, .nblocks = h->nblocks};
	struct reason why = {""};
	uint64_t load = 0;
	bool all;
	int ret;

	hand_tables_pack(h);
	in.pool = &h->pool;
	in.row = h->row;
	ret = verify_tables(&in, r, &why);
	all = verify_load(&in, 1, &load);
	hand_tables_unpack(h);
	ck_assert_uint_eq(load, r->load_max);
	ck_assert(all || r->unreachable + r->loops > 0);
	ck_assert_int_eq(ret, r->ok ? 0 : -1);
	if (!r->ok)
		ck_assert_str_eq(why.text, r->first);
	return ret;
}

/*
 * Two leaves (0, 1) with two hosts each, two spines (2, 3):
 * leaf ports 1, 2 to hosts, 3 to S0, 4 to S1; spine ports 1, 2 to the leaves.
 * LIDs: hosts 1..4, switches 5..8.
 */
static struct topo *
small_tree(void)
{
	struct hand h = {0};
	const char *name[] = {"L0", "L1", "S0", "S1", "h0", "h1", "h2", "h3"};
	struct topo *t;

	for (unsigned i = 0; i < 8; i++)
		(void)hand_node(&h, i < 4 ? TOPO_SWITCH : TOPO_CA,
			i < 4 ? 4 : 1, name[i]);
	for (unsigned i = 0; i < 2; i++) {
		hand_link(&h, i, 1, 4 + 2 * i, 1);
		hand_link(&h, i, 2, 5 + 2 * i, 1);
		hand_link(&h, i, 3, 2, i + 1);
		hand_link(&h, i, 4, 3, i + 1);
	}
	t = hand_topo(&h);
	hand_lids(t);
	return t;
}

static const uint8_t small_entries[4][9] = {
	{255, 1, 2, 3, 4, 0, 3, 3, 4},
	{255, 3, 4, 1, 2, 3, 0, 3, 4},
	{255, 1, 1, 2, 2, 1, 2, 0, 1},
	{255, 1, 1, 2, 2, 1, 2, 1, 0},
};

static void
small_tables(struct hand_tables *h, const struct topo *t)
{
	hand_tables_new(h, t);
	for (sw_ix s = 0; s < 4; s++)
		memcpy(hand_entry(h, s, 0), small_entries[s], 9);
}

/* Pairs count by the rate of the link, rounded up; so does the bound. */
TEST(loads_by_rate)
{
	AUTO(hand) struct topo *t = small_tree();
	AUTO(hand_tables) struct hand_tables h;
	struct verify_tables in;
	struct verify_report r;
	struct verify_state *v;
	struct reason why;

	small_tables(&h, t);
	t->rate_max = t->rate_host = 4;
	t->rate_min = 3;
	for (uint32_t i = 0; i < t->nadj; i++)
		t->adj[i].rate = 4;
	for (uint32_t i = 0; i < t->sw[0].nadj; i++)
		if (t->adj[t->sw[0].adj + i].out == 3)
			t->adj[t->sw[0].adj + i].rate = 3;
	hand_tables_pack(&h);
	in = (struct verify_tables){
		.topo = t, .pool = &h.pool, .row = h.row, .nblocks = h.nblocks};
	ck_assert_int_eq(verify_keep(&in, 1, &r, &v, &why), 0);
	ck_assert_uint_eq(r.load_max, 3);
	ck_assert_uint_eq(r.load_min, 2);
	ck_assert_uint_eq(r.load_sw, 0);
	ck_assert_uint_eq(r.load_port, 3);
	ck_assert_double_eq_tol(r.load_mean, 17.0 / 8, 1e-9);
	ck_assert_double_eq_tol(r.hops_mean, 16.0 / 12.0, 1e-9);
	ck_assert_uint_eq(verify_state_pairs(v, 0, 3), 2);
	ck_assert_uint_eq(verify_state_load(v, 0, 3), 3);
	/* a host's own link: 3 pairs; leaf 0: 4 pairs by rates of 7 */
	ck_assert_uint_eq(load_bound_switches(t), 3);
	verify_state_unref(v);
	t->rate_host = 3;
	ck_assert_int_eq(verify_keep(&in, 1, &r, &v, &why), 0);
	ck_assert_uint_eq(load_bound_switches(t), 4);
	verify_state_unref(v);
}

TEST(good_tree)
{
	AUTO(hand) struct topo *t = small_tree();
	AUTO(hand_tables) struct hand_tables h;
	struct verify_report r;

	small_tables(&h, t);
	(void)verify_hand_tables(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.pairs, 32);
	ck_assert_uint_eq(r.unreachable + r.loops + r.cut_off, 0);
	ck_assert_uint_eq(r.cyclic_channels, 0);
	ck_assert_uint_eq(r.vls, 1);
	ck_assert_uint_eq(r.load_max, 2);
	ck_assert_double_eq_tol(r.load_mean, 2.0, 1e-9);
	ck_assert_uint_eq(r.hops_max, 2);
	ck_assert_double_eq_tol(r.hops_mean, 16.0 / 12.0, 1e-9);
	ck_assert_str_eq(r.first, "");
	/* everything over S0: its links carry all four pairs a direction */
	*hand_entry(&h, 0, 4) = 3;
	*hand_entry(&h, 1, 2) = 3;
	(void)verify_hand_tables(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.load_max, 4);
	ck_assert_double_eq_tol(r.load_mean, 2.0, 1e-9);
	ck_assert_uint_eq(r.load_sw, 0);
	ck_assert_uint_eq(r.load_port, 3);
	/* an aggregation node is no compute node, but must be reached */
	t->node[7].flags |= TN_AGGREGATION;
	(void)verify_hand_tables(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.load_max, 2);
	ck_assert_uint_eq(r.pairs, 32);
}

static const struct {
	sw_ix sw;
	uint8_t lid, entry;
	unsigned unreachable;
	const char *words;
} broken[] = {
	{2, 3, 255, 2,
		"LID 3 ('h2') from switch 'L0': it ends at switch 'S0', which "
		"has no entry (255)"},
	{2, 3, 77, 2, "'S0', whose entry is port 77 of 4"},
	{2, 3, 4, 2, "'S0', whose entry is port 4, which has no link"},
	{2, 3, 0, 2, "'S0', which takes it as its own (port 0)"},
	{2, 3, 1, 2,
		"'L0' sends it out of port 3 to 'S0', whose entry is port 1, "
		"the link it came from"},
	{1, 3, 2, 4,
		"it ends at switch 'L1', whose entry is port 2 to 'h3', which "
		"is not its owner, instead of port 1"},
	{1, 3, 255, 4, "which has no entry (255), instead of port 1"},
	{1, 3, 3, 4, "whose entry is port 3, the link it came from"},
	{1, 3, 0, 4, "(port 0), instead of port 1"},
	{1, 6, 1, 4, "port 1 to 'h2', which is not its owner, instead of"},
	{0, 6, 255, 1, "LID 6 ('L1') from switch 'L0': it ends at"},
};

LOOP_TEST(broken_entries, 0, LEN(broken))
{
	AUTO(hand) struct topo *t = small_tree();
	AUTO(hand_tables) struct hand_tables h;
	struct verify_report r;

	small_tables(&h, t);
	*hand_entry(&h, broken[_i].sw, broken[_i].lid) = broken[_i].entry;
	ck_assert_int_eq(verify_hand_tables(t, &h, &r), -1);
	ck_assert_uint_eq(r.unreachable, broken[_i].unreachable);
	ck_assert_uint_eq(r.loops, 0);
	ck_assert_uint_eq(r.pairs, 32);
	ck_assert_msg(strstr(r.first, broken[_i].words) != NULL,
		"case %d: \"%s\" lacks \"%s\"", _i, r.first, broken[_i].words);
}

TEST(short_tables)
{
	AUTO(hand) struct topo *t = small_tree();
	AUTO(hand_tables) struct hand_tables h;
	struct verify_report r;

	small_tables(&h, t);
	/* h3 moves to a LID beyond the tables: nothing is there for it */
	t->port[topo_port_of(t, 7, 1)].lid = 70;
	hand_index(t);
	(void)verify_hand_tables(t, &h, &r);
	ck_assert_uint_eq(r.unreachable, 4);
	ck_assert(strstr(r.first, "LID 70") != NULL);
}

/* A ring of n switches with a host each, all traffic clockwise. */
static struct topo *
make_ring(unsigned n, unsigned port, struct hand_tables *tables)
{
	struct hand h = {0};
	struct topo *t;

	for (unsigned i = 0; i < n; i++) {
		char name[8];

		(void)snprintf(name, sizeof(name), "R%u", i);
		(void)hand_node(&h, TOPO_SWITCH, (uint8_t)(port + 1), name);
	}
	for (unsigned i = 0; i < n; i++) {
		hand_link(&h, i, 1, hand_node(&h, TOPO_CA, 1, ""), 1);
		hand_link(&h, i, port, (i + 1) % n, port + 1);
	}
	t = hand_topo(&h);
	hand_lids(t);
	hand_tables_new(tables, t);
	for (sw_ix s = 0; s < n; s++)
		for (uint32_t lid = 1; lid <= 2 * n; lid++) {
			sw_ix d = (lid - 1) % n;

			*hand_entry(tables, s, lid) = (uint8_t)(d != s ? port
								: lid <= n ? 1
									   : 0);
		}
	return t;
}

LOOP_TEST(cyclic_ring, 0, 7)
{
	static const unsigned ports[] = {2, 63, 64, 127, 128, 191, 252};
	AUTO(hand_tables) struct hand_tables h;
	struct verify_report r;
	AUTO(hand) struct topo *t = make_ring(4, ports[_i], &h);
	char words[64];

	(void)verify_hand_tables(t, &h, &r);
	ck_assert(!r.ok);
	ck_assert_uint_eq(r.unreachable + r.loops, 0);
	ck_assert_uint_eq(r.cyclic_channels, 4);
	ck_assert_uint_eq(r.hops_max, 3);
	ck_assert_double_eq_tol(r.hops_mean, 2.0, 1e-9);
	ck_assert_uint_eq(r.load_max, 6);
	(void)snprintf(words, sizeof(words),
		"credit loop of 4 links: 'R0' port %u (LID ", ports[_i]);
	ck_assert_msg(strstr(r.first, words) != NULL, "%s", r.first);
	ck_assert(strstr(r.first, "'R3' port") != NULL);
	/* break it: what would pass from R3 over R0 takes the other
	 * direction */
	for (sw_ix s = 1; s < 4; s++)
		for (uint32_t lid = 1; lid <= 8; lid++)
			if ((lid - 1) % 4 < s && (lid - 1) % 4 > 0)
				*hand_entry(&h, s, lid) =
					(uint8_t)(ports[_i] + 1);
	(void)verify_hand_tables(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
}

/* A and B with two links, C behind B with a host: LID 1. */
TEST(parallel_cables)
{
	struct hand h = {0};
	AUTO(hand_tables) struct hand_tables tb;
	struct verify_report r;
	AUTO(hand) struct topo *t = NULL;

	for (unsigned i = 0; i < 3; i++)
		(void)hand_node(&h, TOPO_SWITCH, 4,
			(char[]){(char)('A' + (char)i), '\0'});
	hand_link(&h, 0, 1, 1, 1);
	hand_link(&h, 0, 2, 1, 2);
	hand_link(&h, 1, 3, 2, 3);
	hand_link(&h, 2, 1, hand_node(&h, TOPO_CA, 1, "host"), 1);
	t = hand_topo(&h);
	t->port[topo_port_of(t, 3, 1)].lid = 1;
	hand_index(t);
	hand_tables_new(&tb, t);
	*hand_entry(&tb, 0, 1) = 1;
	*hand_entry(&tb, 1, 1) = 3;
	*hand_entry(&tb, 2, 1) = 1;
	(void)verify_hand_tables(t, &tb, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.pairs, 3);
	/* back over the other link: a loop, and a credit loop */
	*hand_entry(&tb, 1, 1) = 2;
	(void)verify_hand_tables(t, &tb, &r);
	ck_assert_uint_eq(r.loops, 2);
	ck_assert_uint_eq(r.unreachable, 0);
	ck_assert_uint_eq(r.cyclic_channels, 2);
	ck_assert_str_eq(r.first, "LID 1 ('host') from switch 'A': it loops: "
				  "'A' port 1 -> 'B' port 2 -> 'A'");
	/* back over the same link: discarded by the hardware */
	*hand_entry(&tb, 1, 1) = 1;
	(void)verify_hand_tables(t, &tb, &r);
	ck_assert_uint_eq(r.loops, 0);
	ck_assert_uint_eq(r.unreachable, 2);
	ck_assert_uint_eq(r.cyclic_channels, 0);
	/* the same when it comes in through a third switch */
	*hand_entry(&tb, 2, 1) = 3;
	(void)verify_hand_tables(t, &tb, &r);
	ck_assert_uint_eq(r.unreachable, 3);
}

TEST(quarantined)
{
	AUTO(hand) struct topo *t = small_tree();
	AUTO(hand_tables) struct hand_tables h;
	struct verify_report r;

	small_tables(&h, t);
	t->node[3].flags |= TN_QUARANTINED;
	(void)verify_hand_tables(t, &h, &r);
	ck_assert(!r.ok);
	ck_assert_uint_eq(r.pairs, 21);
	ck_assert_uint_eq(r.cut_off, 3);
	ck_assert_uint_eq(r.unreachable, 2);
	ck_assert_msg(strstr(r.first, "port 4 to the quarantined 'S1'") != NULL,
		"%s", r.first);
	*hand_entry(&h, 0, 4) = 3;
	*hand_entry(&h, 1, 2) = 3;
	(void)verify_hand_tables(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.load_max, 4);
	ck_assert_double_eq_tol(r.load_mean, 4.0, 1e-9);
}

/* S1 and both its links are gone, L1 is alone: two components. */
TEST(cut_off)
{
	AUTO(hand) struct topo *t = small_tree();
	AUTO(hand_tables) struct hand_tables h;
	struct verify_report r;

	small_tables(&h, t);
	t->node[3].flags |= TN_QUARANTINED;
	t->node[2].flags |= TN_QUARANTINED;
	for (uint32_t lid = 1; lid <= 8; lid++) {
		*hand_entry(&h, 0, lid) =
			lid <= 2 || lid == 5 ? small_entries[0][lid] : 255;
		*hand_entry(&h, 1, lid) = lid == 3 || lid == 4 || lid == 6
						  ? small_entries[1][lid]
						  : 255;
	}
	(void)verify_hand_tables(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.pairs, 6);
	ck_assert_uint_eq(r.cut_off, 10);
	ck_assert_uint_eq(r.load_max, 0);
	ck_assert_uint_eq(r.hops_max, 0);
}

/* A loop for a LID that does not exist is a fault, too. */
TEST(stray_loop)
{
	AUTO(hand_tables) struct hand_tables h;
	struct verify_report r;
	AUTO(hand) struct topo *t = make_ring(3, 2, &h);

	for (sw_ix s = 0; s < 3; s++)
		for (uint32_t lid = 1; lid <= 6; lid++)
			if (*hand_entry(&h, s, lid) == 2 &&
				(lid - 1) % 3 != (s + 1) % 3)
				*hand_entry(&h, s, lid) = 3;
	(void)verify_hand_tables(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	for (sw_ix s = 0; s < 3; s++)
		*hand_entry(&h, s, 20) = 2;
	(void)verify_hand_tables(t, &h, &r);
	ck_assert_uint_eq(r.loops, 3);
	ck_assert_uint_eq(r.unreachable, 0);
	ck_assert_uint_eq(r.cyclic_channels, 3);
	ck_assert_str_eq(r.first, "LID 20 (no port has it) from switch 'R0': "
				  "it loops: 'R0' port 2 -> 'R1' port 2 -> "
				  "'R2' port 2 -> 'R0'");
	/* an entry for such a LID that only ends is none */
	*hand_entry(&h, 2, 20) = 255;
	(void)verify_hand_tables(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
}

/* Each layer has an SL of its own. */
TEST(more_layers_than_sls)
{
	AUTO(hand) struct topo *t = small_tree();
	AUTO(hand_tables) struct hand_tables h;
	const struct route_layers layers = {.n = ROUTE_LAYERS + 1};
	struct verify_tables in;
	struct verify_report r;
	struct reason why = {""};

	small_tables(&h, t);
	hand_tables_pack(&h);
	in = (struct verify_tables){.topo = t,
		.pool = &h.pool,
		.row = h.row,
		.nblocks = h.nblocks,
		.layers = &layers};
	ck_assert_int_eq(verify_tables(&in, &r, &why), -1);
	ck_assert_str_eq(why.text, "17 layers are more than there are SLs");
	ck_assert(!r.ok);
}

TEST(no_switch)
{
	struct hand h = {0};
	AUTO(hand_tables) struct hand_tables tb;
	struct verify_report r;
	AUTO(hand) struct topo *t = NULL;

	(void)hand_node(&h, TOPO_CA, 1, "a");
	(void)hand_node(&h, TOPO_CA, 1, "b");
	hand_link(&h, 0, 1, 1, 1);
	t = hand_topo(&h);
	t->port[topo_port_of(t, 0, 1)].lid = 1;
	t->port[topo_port_of(t, 1, 1)].lid = 2;
	hand_index(t);
	hand_tables_new(&tb, t);
	ck_assert_int_eq(verify_hand_tables(t, &tb, &r), 0);
	ck_assert_uint_eq(r.pairs + r.cut_off, 0);
}

/* A switch of 254 ports full of hosts, and one more behind its last port. */
TEST(wide_switch)
{
	struct hand h = {0};
	AUTO(hand_tables) struct hand_tables tb;
	struct verify_report r;
	AUTO(hand) struct topo *t = NULL;
	node_ix a = hand_node(&h, TOPO_SWITCH, 254, "wide");
	node_ix b = hand_node(&h, TOPO_SWITCH, 254, "far");

	for (unsigned i = 1; i < 254; i++)
		hand_link(&h, a, i, hand_node(&h, TOPO_CA, 1, ""), 1);
	hand_link(&h, a, 254, b, 254);
	hand_link(&h, b, 1, hand_node(&h, TOPO_CA, 1, "end"), 1);
	t = hand_topo(&h);
	hand_lids(t);
	hand_tables_new(&tb, t);
	for (uint32_t lid = 1; lid <= 256; lid++) {
		*hand_entry(&tb, 0, lid) = (uint8_t)(lid < 254	  ? lid
						     : lid == 255 ? 0
								  : 254);
		*hand_entry(&tb, 1, lid) = (uint8_t)(lid == 254	  ? 1
						     : lid == 256 ? 0
								  : 254);
	}
	(void)verify_hand_tables(t, &tb, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.pairs, 512);
	ck_assert_uint_eq(r.load_max, 253);
	ck_assert_uint_eq(r.hops_max, 1);
}

/* Two LIDs a port (LMC 1): both must arrive, only the base one counts as
 * load. */
TEST(lmc)
{
	AUTO(hand) struct topo *t = small_tree();
	AUTO(hand_tables) struct hand_tables h;
	struct verify_report r;

	for (node_ix n = 4; n < 8; n++) {
		struct topo_port *p = &t->port[topo_port_of(t, n, 1)];

		p->lid = (uint16_t)(2 + 2 * (n - 4));
		p->lmc = 1;
	}
	for (node_ix n = 0; n < 4; n++)
		t->port[t->node[n].first_port].lid = (uint16_t)(20 + n);
	hand_index(t);
	hand_tables_new(&h, t);
	for (sw_ix s = 0; s < 4; s++) {
		for (unsigned i = 0; i < 8; i++) {
			uint8_t e = small_entries[s][1 + i / 2];

			/* the second path over the other spine */
			if (i % 2 == 1 && e >= 3)
				e = (uint8_t)(7 - e);
			*hand_entry(&h, s, 2 + i) = e;
		}
		memcpy(hand_entry(&h, s, 20), &small_entries[s][5], 4);
	}
	(void)verify_hand_tables(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.pairs, 4 * 12);
	ck_assert_uint_eq(r.load_max, 2);
	*hand_entry(&h, 2, 3) = 255;
	(void)verify_hand_tables(t, &h, &r);
	ck_assert(!r.ok);
	ck_assert(strstr(r.first, "LID 3 ('h0')") != NULL);
}

/*
 * Against a naive verifier without columns and peeling: it forwards every
 * packet from every switch, port by port, on random nets with random faults.
 */
struct naive {
	const struct topo *t;
	const struct hand_tables *h;
	uint64_t pairs, unreachable, loops, cut_off, hosts, hops, hops_max;
	uint32_t *load; /* [nports] */
	uint8_t *turn;	/* [nports][nports]: in-port record -> out record */
	uint32_t cyclic;
};

static bool
is_live(const struct topo *t, node_ix n)
{
	return !(t->node[n].flags & TN_QUARANTINED);
}

/* The far end of a link between two live switches, or TOPO_NONE. */
static port_ix
far_port(const struct topo *t, port_ix p)
{
	port_ix far = t->port[p].peer;

	if (far == TOPO_NONE || t->port[far].node == t->port[p].node ||
		t->node[t->port[far].node].type != TOPO_SWITCH ||
		!is_live(t, t->port[far].node))
		return TOPO_NONE;
	return far;
}

enum { ARRIVED, LOST, CIRCLES };

/* Forwards a packet; *hops: links; adds w to the load of those. */
static int
forward_packet(
	struct naive *v, node_ix n, uint32_t lid, unsigned *hops, uint32_t w)
{
	const struct topo *t = v->t;
	port_ix in = TOPO_NONE;

	for (*hops = 0; *hops < 200; ++*hops) {
		uint8_t e = *hand_entry((struct hand_tables *)(uintptr_t)v->h,
			t->node[n].sw, lid);
		port_ix out, far;

		if (e == LFT_DROP || e > t->node[n].nports)
			return LOST;
		out = topo_port_of(t, n, e);
		if (out == in)
			return LOST;
		if (in != TOPO_NONE)
			v->turn[(size_t)in * t->nports + out] = 1;
		if (e == 0 || t->port[out].peer == t->by_lid[lid])
			return t->by_lid[lid] != TOPO_NONE &&
					       (e > 0 ? t->port[out].peer
						      : out) == t->by_lid[lid]
				       ? ARRIVED
				       : LOST;
		far = far_port(t, out);
		if (far == TOPO_NONE)
			return LOST;
		v->load[out] += w;
		in = far;
		n = t->port[far].node;
	}
	return CIRCLES;
}

/* Marks the live nodes that a path over live switches joins to n. */
static void
mark_reachable(const struct topo *t, node_ix n, bool *seen)
{
	seen[n] = true;
	for (unsigned i = 1; i <= t->node[n].nports; i++) {
		port_ix far = far_port(t, topo_port_of(t, n, i));

		if (far != TOPO_NONE && !seen[t->port[far].node])
			mark_reachable(t, t->port[far].node, seen);
	}
}

static bool
is_host(const struct topo *t, port_ix p)
{
	return t->node[t->port[p].node].type != TOPO_SWITCH &&
	       !(t->node[t->port[p].node].flags & TN_AGGREGATION);
}

/* The switch of a LID's owner, TOPO_NONE: none. */
static node_ix
home_switch(const struct topo *t, port_ix p)
{
	if (t->node[t->port[p].node].type == TOPO_SWITCH)
		return t->port[p].node;
	return t->port[p].peer == TOPO_NONE ? TOPO_NONE
					    : t->port[t->port[p].peer].node;
}

static void
naive_pair(struct naive *v, node_ix n, uint32_t lid, bool connected)
{
	const struct topo *t = v->t;
	port_ix owner = t->by_lid[lid];
	unsigned hops, all = 0;
	int fate = forward_packet(v, n, lid, &hops, 0);

	v->loops += fate == CIRCLES;
	if (owner == TOPO_NONE)
		return;
	v->pairs += connected;
	v->cut_off += !connected;
	v->unreachable += connected && fate == LOST;
	if (fate != ARRIVED || !is_host(t, owner) || t->port[owner].lid != lid)
		return;
	for (port_ix p = 0; p < t->nports; p++)
		if (t->port[p].lid > 0 && is_host(t, p) &&
			home_switch(t, p) == n)
			all++;
	(void)forward_packet(v, n, lid, &hops, all);
	if (home_switch(t, owner) == n)
		all--;
	v->hosts += all;
	v->hops += (uint64_t)all * hops;
	if (all > 0 && hops > v->hops_max)
		v->hops_max = hops;
}

/* Channels without a predecessor are removed until none is left. */
static void
naive_cycles(struct naive *v)
{
	const struct topo *t = v->t;
	AUTO(mem) uint8_t *gone = mem_zalloc(t->nports, 1);
	bool again = true;

	for (port_ix c = 0; c < t->nports; c++)
		gone[c] = t->node[t->port[c].node].type != TOPO_SWITCH ||
			  !is_live(t, t->port[c].node) ||
			  far_port(t, c) == TOPO_NONE;
	while (again) {
		again = false;
		for (port_ix c = 0; c < t->nports; c++) {
			/* c is entered from the out-port at its other end */
			port_ix out = t->port[c].peer;
			bool led = false;

			for (port_ix b = 0; !gone[c] && b < t->nports; b++)
				led |= !gone[b] &&
				       v->turn[(size_t)b * t->nports + out];
			if (gone[c] || led)
				continue;
			gone[c] = true;
			again = true;
		}
	}
	for (port_ix c = 0; c < t->nports; c++)
		v->cyclic += !gone[c];
}

static void
naive_judge(struct naive *v)
{
	const struct topo *t = v->t;
	AUTO(mem) bool *seen = mem_alloc(t->nnodes * sizeof(*seen));

	v->load = mem_zalloc(t->nports, sizeof(*v->load));
	v->turn = mem_zalloc(t->nports, t->nports);
	for (node_ix n = 0; n < t->nnodes; n++) {
		if (t->node[n].type != TOPO_SWITCH || !is_live(t, n))
			continue;
		memset(seen, 0, t->nnodes * sizeof(*seen));
		mark_reachable(t, n, seen);
		for (uint32_t lid = 0; lid <= t->max_lid; lid++) {
			port_ix p = t->by_lid[lid];
			node_ix d =
				p == TOPO_NONE ? TOPO_NONE : home_switch(t, p);

			naive_pair(v, n, lid, d != TOPO_NONE && seen[d]);
		}
	}
	naive_cycles(v);
}

/* A random net: parallel links, links to itself, quarantine, islands. */
static struct topo *
random_net(struct rng *r)
{
	struct hand h = {0};
	unsigned nsw = 1 + rng_below(r, 9), used[16] = {0}, each;
	struct topo *t;

	each = rng_below(r, 3);
	for (unsigned i = 0; i < nsw; i++)
		(void)hand_node(&h, TOPO_SWITCH, 14, "");
	for (unsigned i = 0; i < nsw; i++)
		for (unsigned k = 0; k < each; k++)
			hand_link(&h, i, ++used[i],
				hand_node(&h, TOPO_CA, 1, ""), 1);
	for (unsigned i = 0; i < nsw * 2; i++) {
		unsigned a = rng_below(r, nsw), b = rng_below(r, nsw);

		if (used[a] < 12 && used[b] < 12) {
			unsigned pa = ++used[a], pb = ++used[b];

			hand_link(&h, a, pa, b, pb);
		}
	}
	for (size_t i = 0; i < h.nnodes; i++) {
		if (h.node[i].type == TOPO_SWITCH && rng_below(r, 12) == 0)
			h.node[i].flags |= TN_QUARANTINED;
		if (h.node[i].type == TOPO_CA && rng_below(r, 8) == 0)
			h.node[i].flags |= TN_AGGREGATION;
	}
	t = hand_topo(&h);
	hand_lids(t);
	return t;
}

/* Shortest paths to every LID, chosen at random, then some entries spoilt. */
static void
random_tables(struct hand_tables *h, const struct topo *t, struct rng *r,
	unsigned spoil)
{
	for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
		port_ix p = t->by_lid[lid];
		node_ix root = home_switch(t, p);
		bool seen[64] = {false}, more = true;

		seen[root] = true;
		*hand_entry(h, t->node[root].sw, lid) =
			root == t->port[p].node ? 0
						: t->port[t->port[p].peer].num;
		while (more) {
			bool was[64];

			memcpy(was, seen, sizeof(was));
			more = false;
			for (port_ix c = 0; c < t->nports; c++) {
				node_ix n = t->port[c].node;
				port_ix far = t->node[n].type == TOPO_SWITCH
						      ? far_port(t, c)
						      : TOPO_NONE;

				if (far == TOPO_NONE || was[n] ||
					!was[t->port[far].node] ||
					(seen[n] && rng_below(r, 2) == 0))
					continue;
				seen[n] = more = true;
				*hand_entry(h, t->node[n].sw, lid) =
					t->port[c].num;
			}
		}
	}
	for (unsigned i = 0; i < spoil; i++)
		*hand_entry(h, rng_below(r, t->nsw),
			rng_below(r, t->max_lid + 1U)) =
			(uint8_t)(rng_below(r, 8) ? rng_below(r, 16) : 255);
}

LOOP_TEST(against_naive, 0, FEWER(1000))
{
	static const unsigned spoils[] = {0, 0, 1, 4, 30};
	struct rng r = {(uint64_t)_i};
	AUTO(hand) struct topo *t = random_net(&r);
	AUTO(hand_tables) struct hand_tables h;
	struct verify_report got;
	struct naive v = {.t = t, .h = &h};
	uint32_t load_max = 0;

	hand_tables_new(&h, t);
	random_tables(&h, t, &r, spoils[_i % 5]);
	(void)verify_hand_tables(t, &h, &got);
	naive_judge(&v);
	ck_assert_msg(got.pairs == v.pairs && got.cut_off == v.cut_off,
		"seed %d: pairs %lu not %lu, cut off %lu not %lu", _i,
		got.pairs, v.pairs, got.cut_off, v.cut_off);
	ck_assert_msg(got.unreachable == v.unreachable && got.loops == v.loops,
		"seed %d: unreachable %lu not %lu, loops %lu not %lu", _i,
		got.unreachable, v.unreachable, got.loops, v.loops);
	ck_assert_msg(got.cyclic_channels == v.cyclic,
		"seed %d: %u cyclic, not %u", _i, got.cyclic_channels,
		v.cyclic);
	for (port_ix p = 0; p < t->nports; p++)
		load_max = v.load[p] > load_max ? v.load[p] : load_max;
	ck_assert_msg(got.load_max == load_max, "seed %d: load %lu not %u", _i,
		got.load_max, load_max);
	ck_assert_msg(got.hops_max == v.hops_max, "seed %d: hops", _i);
	if (v.hosts > 0)
		ck_assert_double_eq_tol(
			got.hops_mean, (double)v.hops / (double)v.hosts, 1e-9);
	ck_assert_int_eq(got.ok, got.first[0] == '\0');
	free(v.load);
	free(v.turn);
}
