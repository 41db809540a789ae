#include <check.h>
#include <stdio.h>

#include "routing/core/lid.h"
#include "sm/base/rng.h"
#include "tests/unit/hand_topo.h"
#include "tests/unit/suite.h"

static const struct lid_policy plain = {.first = 1, .last = TOPO_LID_MAX};

/* Port GUID of node n as hand_topo makes it (CAs: port 1). */
static uint64_t
ca_guid(node_ix n)
{
	return 0x1000 + (uint64_t)n * 0x10 + 1;
}

/*
 * nsw switches in a row with `each` single-port CAs; nodes: switches first,
 * then the CAs of switch 0, of switch 1 ...
 */
static struct topo *
switch_row(unsigned nsw, unsigned each)
{
	struct hand h = {0};

	for (unsigned i = 0; i < nsw; i++)
		(void)hand_node(&h, TOPO_SWITCH, (uint8_t)(each + 2), "sw");
	for (unsigned i = 0; i < nsw; i++) {
		if (i > 0)
			hand_link(&h, i - 1, each + 2, i, each + 1);
		/* linked in reverse: the order is the switch port's, not the
		 * node's */
		for (unsigned k = each; k > 0; k--)
			hand_link(
				&h, i, k, hand_node(&h, TOPO_CA, 1, "host"), 1);
	}
	return hand_topo(&h);
}

static port_ix
ca_port(const struct topo *t, node_ix n)
{
	return topo_port_of(t, n, 1);
}

static void
assign_lids(const struct topo *t, const struct lid_policy *p,
	const struct lid_record *r, size_t n, struct lid_table *out)
{
	struct reason why = {""};

	ck_assert_msg(lid_assign(t, p, r, n, out, &why) == 0, "%s", why.text);
}

TEST(fresh_order)
{
	AUTO(hand) struct topo *t = switch_row(2, 3);
	AUTO(lid_table) struct lid_table l;

	t->node[3].flags |= TN_AGGREGATION; /* middle port of switch 0 */
	t->node[7].type = TOPO_ROUTER;	    /* first port of switch 1 */
	assign_lids(t, &plain, NULL, 0, &l);
	ck_assert_uint_eq(l.lid[ca_port(t, 4)], 1); /* port 1 of switch 0 */
	ck_assert_uint_eq(l.lid[ca_port(t, 2)], 2); /* its port 3 */
	ck_assert_uint_eq(l.lid[ca_port(t, 6)], 3); /* switch 1, hosts */
	ck_assert_uint_eq(l.lid[ca_port(t, 5)], 4);
	ck_assert_uint_eq(l.lid[ca_port(t, 7)], 5); /* then its router */
	ck_assert_uint_eq(l.lid[ca_port(t, 3)], 6); /* aggregation node */
	ck_assert_uint_eq(l.lid[t->node[0].first_port], 7);
	ck_assert_uint_eq(l.lid[t->node[1].first_port], 8);
	ck_assert_uint_eq(l.assigned, 8);
	ck_assert_uint_eq(l.moved + l.conflicts + l.reclaimed, 0);
	ck_assert_uint_eq(l.nrecord, 8);
	ck_assert_uint_eq(l.lid[t->node[2].first_port], 0);
}

TEST(back_to_back)
{
	AUTO(hand) struct topo *t = NULL;
	struct hand h = {0};
	AUTO(lid_table) struct lid_table l;

	(void)hand_node(&h, TOPO_CA, 2, "a");
	(void)hand_node(&h, TOPO_CA, 1, "b");
	hand_link(&h, 0, 1, 1, 1);
	t = hand_topo(&h);
	t->port[2].flags |= TP_ABSENT;
	assign_lids(t, &plain, NULL, 0, &l);
	ck_assert_uint_eq(l.lid[1], 1);
	ck_assert_uint_eq(l.lid[2], 0);
	ck_assert_uint_eq(l.lid[ca_port(t, 1)], 2);
}

/* Two ports claim LID 5. The host GUIDs are ca_guid(1) < ca_guid(2). */
static const struct {
	const char *what;
	struct lid_record rec[2];
	size_t nrec;
	uint16_t held[2], want[2];
	unsigned conflicts, moved;
} claims[] = {
	{"both hold it: lower GUID", {{0}}, 0, {5, 5}, {5, 1}, 1, 1},
	{"recorded owner keeps it", {{0x1021, 5, 0}}, 1, {5, 5}, {1, 5}, 1, 1},
	{"record beats holding", {{0x1011, 9, 0}}, 1, {5, 5}, {9, 5}, 1, 1},
	{"both recorded", {{0x1011, 5, 0}, {0x1021, 5, 0}}, 2, {0, 0}, {5, 1},
		1, 0},
	{"absent owner", {{0x1, 5, 0}}, 1, {5, 0}, {1, 2}, 1, 1},
	{"held, unrecorded", {{0}}, 0, {5, 7}, {5, 7}, 0, 0},
	{"held out of range", {{0}}, 0, {0xc001, 0xffff}, {1, 2}, 0, 2},
	{"record out of range", {{0x1011, 0, 0}, {0x1021, 0xc000, 0}}, 2,
		{0, 0}, {1, 2}, 0, 0},
	{"record with a strange LMC", {{0x1011, 8, 9}}, 1, {0, 0}, {1, 2}, 0,
		0},
	{"nobody is moved into another's", {{0x1011, 7, 0}}, 1, {6, 7}, {7, 1},
		1, 2},
};

LOOP_TEST(claim, 0, LEN(claims))
{
	AUTO(hand) struct topo *t = switch_row(1, 2);
	AUTO(lid_table) struct lid_table l;

	t->port[ca_port(t, 1)].found_lid = claims[_i].held[0];
	t->port[ca_port(t, 2)].found_lid = claims[_i].held[1];
	/* the leaf's order gives LIDs to node 2 first: swap its links */
	t->end[1].port = ca_port(t, 1);
	t->end[2].port = ca_port(t, 2);
	assign_lids(t, &plain, claims[_i].rec, claims[_i].nrec, &l);
	for (node_ix n = 1; n <= 2; n++)
		ck_assert_msg(l.lid[ca_port(t, n)] == claims[_i].want[n - 1],
			"%s: node %u has %u", claims[_i].what, n,
			l.lid[ca_port(t, n)]);
	ck_assert_msg(l.conflicts == claims[_i].conflicts &&
			      l.moved == claims[_i].moved,
		"%s: %u conflicts, %u moved: %s", claims[_i].what, l.conflicts,
		l.moved, l.conflict);
	ck_assert_int_eq(l.conflict[0] != '\0', claims[_i].conflicts > 0);
}

/* What another manager gave counts, and records are for those that are away. */
TEST(outdated_records)
{
	struct lid_policy p = plain;
	AUTO(hand) struct topo *t = switch_row(1, 6);
	const struct lid_record r[] = {
		{ca_guid(1), 11, 0}, /* holds 21, which is on record for 2 */
		{ca_guid(2), 21, 0}, /* holds 22 */
		{ca_guid(3), 22, 0}, /* holds nothing */
		{ca_guid(4), 24, 0}, /* holds 25, and so does 5, whose it is */
		{ca_guid(5), 25, 0}, {ca_guid(6), 26, 0}, /* holds nothing */
		{ca_guid(8), 31, 0},			  /* away */
		{ca_guid(9), 22, 0}, /* away, and given to another since */
	};
	static const uint16_t held[] = {0, 21, 22, 0, 25, 25, 0};
	static const uint16_t gets[] = {0, 21, 22, 0, 24, 25, 26};
	AUTO(lid_table) struct lid_table l;
	bool kept = false;

	for (node_ix n = 1; n <= 6; n++)
		t->port[ca_port(t, n)].found_lid = held[n];
	p.held_first = true;
	assign_lids(t, &p, r, 8, &l);
	for (node_ix n = 1; n <= 6; n++)
		if (gets[n] != 0)
			ck_assert_uint_eq(l.lid[ca_port(t, n)], gets[n]);
	ck_assert_uint_eq(l.lid[ca_port(t, 3)], 1); /* new: 22 is in use */
	ck_assert_uint_eq(l.moved, 1);		    /* 4, of the two */
	ck_assert_uint_eq(l.conflicts, 1);	    /* that of 4 and 5 */
	for (size_t i = 0; i < l.nrecord; i++) {
		kept |= l.record[i].guid == ca_guid(8) && l.record[i].lid == 31;
		ck_assert_uint_ne(l.record[i].guid, ca_guid(9));
	}
	ck_assert(kept);
}

TEST(conflict_in_words)
{
	AUTO(hand) struct topo *t = switch_row(1, 2);
	AUTO(lid_table) struct lid_table l;

	t->port[ca_port(t, 1)].found_lid = 5;
	t->port[ca_port(t, 2)].found_lid = 5;
	t->text[t->node[1].desc] = '\n';
	assign_lids(t, &plain, NULL, 0, &l);
	ck_assert_str_eq(l.conflict,
		"LID 5 is claimed twice: port 0x0000000000001011 ('.ost') "
		"keeps it, not port 0x0000000000001021 ('host')");
}

/* LMC changes: {recorded base, LMC} of host 1, LMC wanted, base expected. */
static const struct {
	uint16_t base;
	uint8_t lmc, want;
	uint16_t neighbour; /* recorded base of host 2, LMC 0 */
	uint16_t expect;
} lmcs[] = {
	{8, 0, 2, 100, 8}, /* extended in place */
	{9, 0, 2, 100, 4}, /* misaligned: moved */
	{8, 0, 2, 11, 8},  /* the neighbour must move itself */
	{8, 0, 2, 12, 8},  /* the neighbour just fits behind */
	{8, 3, 0, 9, 8},   /* shrunk, and its tail freed */
	{8, 2, 2, 100, 8}, /* unchanged */
	{8, 1, 2, 100, 8},
};

LOOP_TEST(lmc_change, 0, LEN(lmcs))
{
	AUTO(hand) struct topo *t = switch_row(1, 2);
	struct lid_policy p = plain;
	struct lid_record r[] = {{ca_guid(1), lmcs[_i].base, lmcs[_i].lmc},
		{ca_guid(2), lmcs[_i].neighbour, 0}};
	struct lid_table l;

	p.lmc_hosts = lmcs[_i].want;
	assign_lids(t, &p, r, 2, &l);
	ck_assert_uint_eq(l.lmc[ca_port(t, 1)], p.lmc_hosts);
	ck_assert_msg(
		l.lid[ca_port(t, 1)] == lmcs[_i].expect ||
			(lmcs[_i].base == 9 && l.lid[ca_port(t, 1)] % 4 == 0),
		"case %d: LID %u", _i, l.lid[ca_port(t, 1)]);
	ck_assert_uint_eq(l.lid[ca_port(t, 2)] % (1U << p.lmc_hosts), 0);
	/* a base switch port 0 has one LID, whatever is configured */
	p.lmc_switches = 3;
	lid_table_free(&l);
	assign_lids(t, &p, NULL, 0, &l);
	ck_assert_uint_eq(l.lmc[t->node[0].first_port], 0);
	lid_table_free(&l);
	t->node[0].flags |= TN_ENHANCED_P0;
	assign_lids(t, &p, NULL, 0, &l);
	ck_assert_uint_eq(l.lmc[t->node[0].first_port], 3);
	ck_assert_uint_eq(l.lid[t->node[0].first_port] % 8, 0);
	lid_table_free(&l);
}

TEST(override)
{
	AUTO(hand) struct topo *t = switch_row(1, 3);
	struct lid_override o[] = {{0x1, 5}, {ca_guid(2), 3}, {~0ULL, 1}};
	struct lid_policy p = plain;
	AUTO(lid_table) struct lid_table l;

	p.override = o;
	p.noverride = 3;
	p.lmc_hosts = 1;
	assign_lids(t, &p, NULL, 0, &l);
	ck_assert_uint_eq(l.lmc[ca_port(t, 1)], 1);
	ck_assert_uint_eq(l.lmc[ca_port(t, 2)], 3);
	ck_assert_uint_eq(l.lid[ca_port(t, 2)], 8);
	/* gaps left by alignment are used by the smaller ranges */
	ck_assert_uint_eq(l.lid[t->node[0].first_port], 1);
}

TEST(duplicates)
{
	AUTO(hand) struct topo *t = switch_row(1, 2);
	struct lid_record r[] = {{0x77, 20, 0}};
	struct lid_table l;

	for (node_ix n = 1; n <= 2; n++) {
		t->port[ca_port(t, n)].guid = 0x77;
		t->node[n].flags |= TN_DUPLICATE;
	}
	t->port[ca_port(t, 1)].found_lid = 21;
	t->port[ca_port(t, 2)].found_lid = 20;
	assign_lids(t, &plain, r, 1, &l);
	/* the port that holds the recorded LID is meant */
	ck_assert_uint_eq(l.lid[ca_port(t, 2)], 20);
	ck_assert_uint_eq(l.lid[ca_port(t, 1)], 21);
	ck_assert_uint_eq(l.nrecord, 2);
	ck_assert_uint_eq(l.moved, 0);
	lid_table_free(&l);
	t->port[ca_port(t, 2)].found_lid = 0;
	t->port[ca_port(t, 1)].found_lid = 0;
	assign_lids(t, &plain, r, 1, &l);
	ck_assert_uint_eq(l.lid[ca_port(t, 1)], 20);
	ck_assert_uint_eq(l.lid[ca_port(t, 2)], 1);
	lid_table_free(&l);
}

TEST(exhaustion)
{
	AUTO(hand) struct topo *t = switch_row(1, 3);
	struct lid_policy p = plain;
	struct lid_record r[] = {{0x1, 1, 0}, {0x2, 2, 0}, {0x3, 3, 0}};
	struct reason why = {""};
	struct lid_table l;

	/* absent ports keep their LIDs while there are others */
	p.last = 7;
	assign_lids(t, &p, r, 3, &l);
	ck_assert_uint_eq(l.reclaimed, 0);
	ck_assert_uint_eq(l.nrecord, 7);
	lid_table_free(&l);
	/* then only as many as needed are reclaimed, lowest first */
	p.last = 5;
	assign_lids(t, &p, r, 3, &l);
	ck_assert_uint_eq(l.reclaimed, 2);
	ck_assert_uint_eq(l.nrecord, 5);
	ck_assert_uint_eq(l.record[0].guid, 0x3);
	lid_table_free(&l);
	p.last = 3;
	ck_assert_int_eq(lid_assign(t, &p, r, 3, &l, &why), -1);
	ck_assert_str_eq(why.text,
		"LID space exhausted: 4 ports need 4 LIDs, 3 are available "
		"(1-3), 0 of them kept for absent ports");
	ck_assert_ptr_null(l.lid);
	lid_table_free(&l);
	/* enough LIDs, but no aligned range */
	p.last = 9;
	p.first = 4;
	p.lmc_hosts = 1;
	p.override = (const struct lid_override[]){{ca_guid(1), 0}};
	p.noverride = 1;
	t->port[ca_port(t, 1)].found_lid = 6;
	ck_assert_int_eq(lid_assign(t, &p, r, 3, &l, &why), 0);
	lid_table_free(&l);
	p.last = 8;
	p.first = 3;
	ck_assert_int_eq(lid_assign(t, &p, NULL, 0, &l, &why), -1);
	ck_assert_msg(
		strstr(why.text, "4 ports need 6 LIDs, 6 are available "
				 "(3-8), 0 of them kept for absent "
				 "ports; 1 ports find no free range") != NULL,
		"%s", why.text);
	/* a range that is reversed or begins with LID 0 */
	p = (struct lid_policy){.first = 9, .last = 4};
	ck_assert_int_eq(lid_assign(t, &p, NULL, 0, &l, &why), -1);
	p = (struct lid_policy){.first = 0, .last = 4};
	t->port[ca_port(t, 1)].found_lid = 0;
	assign_lids(t, &p, NULL, 0, &l);
	for (node_ix n = 1; n < 4; n++)
		ck_assert_uint_ne(l.lid[ca_port(t, n)], 0);
	lid_table_free(&l);
}

/* ---- properties over random churn ---- */

static void
check_table(const struct topo *t, const struct lid_policy *p,
	const struct lid_table *l, uint64_t seed)
{
	static uint8_t used[0x10000];

	memset(used, 0, sizeof(used));
	for (size_t i = 0; i < l->nrecord; i++) {
		const struct lid_record *r = &l->record[i];

		ck_assert_msg(i == 0 || r[-1].guid < r->guid,
			"records unsorted, seed %lu", (unsigned long)seed);
		ck_assert_msg(r->lid >= p->first &&
				      r->lid + (1U << r->lmc) - 1 <= p->last &&
				      r->lid % (1U << r->lmc) == 0,
			"bad range %u/%u, seed %lu", r->lid, r->lmc,
			(unsigned long)seed);
		for (unsigned k = 0; k < 1U << r->lmc; k++)
			ck_assert_msg(used[r->lid + k]++ == 0,
				"LID %u twice, seed %lu", r->lid + k,
				(unsigned long)seed);
	}
	for (port_ix i = 0; i < t->nports; i++)
		ck_assert_msg((l->lid[i] != 0) == topo_has_lid(t, i),
			"port %u, seed %lu", i, (unsigned long)seed);
}

static uint16_t
recorded_lid(const struct lid_table *l, uint64_t guid)
{
	for (size_t i = 0; i < l->nrecord; i++)
		if (l->record[i].guid == guid)
			return l->record[i].lid;
	return 0;
}

/* The ports present now: some are absent, some rebooted without a LID. */
static struct topo *
churn_topo(const struct rng *seed, struct rng *r, const struct lid_table *was)
{
	struct rng same = *seed;
	unsigned nsw = 1 + rng_below(&same, 6), each = 1 + rng_below(&same, 9);
	struct topo *t = switch_row(nsw, each);

	for (port_ix i = 0; i < t->nports; i++) {
		if (!topo_has_lid(t, i))
			continue;
		if (t->node[t->port[i].node].type == TOPO_CA &&
			rng_below(r, 5) == 0) {
			t->port[i].flags |= TP_ABSENT;
			continue;
		}
		if (was != NULL && rng_below(r, 4) > 0)
			t->port[i].found_lid =
				recorded_lid(was, t->port[i].guid);
		else if (rng_below(r, 3) == 0)
			t->port[i].found_lid = (uint16_t)rng_below(r, 200);
	}
	return t;
}

LOOP_TEST(properties, 0, 60)
{
	uint64_t seed = (uint64_t)_i;
	struct rng shape = {seed}, r = {seed ^ 0xabcdef};
	struct lid_policy p = {
		.first = (uint16_t)(1 + rng_below(&r, 4)), .last = 900};
	struct lid_table was = {0}, now, again;

	p.lmc_hosts = (uint8_t)rng_below(&r, 4);
	for (int round = 0; round < 6; round++) {
		AUTO(hand)
		struct topo *t =
			churn_topo(&shape, &r, round > 0 ? &was : NULL);

		assign_lids(t, &p, was.record, was.nrecord, &now);
		check_table(t, &p, &now, seed);
		ck_assert_uint_eq(now.reclaimed, 0);
		for (size_t i = 0; i < was.nrecord; i++)
			ck_assert_msg(recorded_lid(&now, was.record[i].guid) ==
					      was.record[i].lid,
				"record of 0x%lx moved, seed %lu",
				(unsigned long)was.record[i].guid,
				(unsigned long)seed);
		/* once LIDs are assigned, assigning again changes nothing */
		for (port_ix i = 0; i < t->nports; i++)
			t->port[i].found_lid = now.lid[i];
		assign_lids(t, &p, now.record, now.nrecord, &again);
		ck_assert_uint_eq(
			again.moved + again.assigned + again.conflicts, 0);
		ck_assert(memcmp(again.lid, now.lid,
				  t->nports * sizeof(*now.lid)) == 0);
		lid_table_free(&again);
		/* nor does losing the state file while the ports keep their
		 * LIDs */
		assign_lids(t, &p, NULL, 0, &again);
		ck_assert_uint_eq(again.moved + again.assigned, 0);
		lid_table_free(&again);
		lid_table_free(&was);
		was = now;
	}
	lid_table_free(&was);
}

/* The LMC changes at random and records are junk: ranges stay disjoint. */
LOOP_TEST(junk_records, 0, 100)
{
	uint64_t seed = (uint64_t)_i;
	struct rng shape = {seed}, r = {seed ^ 0x1234567};
	struct lid_policy p = {.first = 1, .last = 1500};
	struct lid_record rec[64];
	size_t n = 1 + rng_below(&r, 64);
	AUTO(hand) struct topo *t = churn_topo(&shape, &r, NULL);
	AUTO(lid_table) struct lid_table l;

	p.lmc_hosts = (uint8_t)rng_below(&r, 4);
	for (size_t i = 0; i < n; i++)
		rec[i] = (struct lid_record){.guid = 0x1001 + i * 0x10,
			.lid = (uint16_t)rng_below(&r, 400),
			.lmc = (uint8_t)rng_below(&r, 9)};
	assign_lids(t, &p, rec, n, &l);
	check_table(t, &p, &l, seed);
	for (port_ix i = 0; i < t->nports; i++)
		if (t->node[t->port[i].node].type == TOPO_CA && l.lid[i] != 0)
			ck_assert_uint_eq(l.lmc[i], p.lmc_hosts);
}

/* The whole space, to the last LID. */
TEST(full_space)
{
	struct topo *t = switch_row(194, 251); /* 194 + 48694 ports */
	struct lid_policy p = plain;
	struct lid_table l, again;

	p.last = 194 + 48694;
	assign_lids(t, &p, NULL, 0, &l);
	ck_assert_uint_eq(l.assigned, 48888);
	ck_assert_uint_eq(l.lid[t->node[193].first_port], 48888);
	assign_lids(t, &p, l.record, l.nrecord, &again);
	ck_assert_uint_eq(again.assigned, 0);
	lid_table_free(&l);
	lid_table_free(&again);
	hand_free(t);
}
