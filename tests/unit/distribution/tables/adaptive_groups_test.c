/*
 * Adaptive groups: what a switch is given by hand-made cases; and by random
 * changes, in which after every write no LID has a port that neither its old
 * routes nor its new ones allow.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/tables/adaptive_groups.h"
#include "sm/base/bitset.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/unit/suite.h"

enum { LIDS = 64, SETS = 5, PORTS = 8, CAP = 40, FEW = 12, DROP = 0xff };

/* A switch, and the routes for it. */
struct rig {
	struct mad_ar_entry held[LIDS];
	struct mad_ar_group slot[CAP];
	uint8_t port[LIDS];
	uint16_t set[LIDS];
	struct route_set sets[SETS];
	struct adaptive_groups_job job;
	uint32_t no_room; /* of the last change */
};

static void
rig_init(struct rig *g)
{
	memset(g, 0, sizeof(*g));
	for (unsigned i = 0; i < LIDS; i++) {
		g->held[i] = (struct mad_ar_entry){
			.state = MAD_AR_STATIC, .port = DROP};
		g->port[i] = DROP;
	}
	g->job = (struct adaptive_groups_job){.cap = CAP,
		.default_first = true,
		.state = MAD_AR_FREE,
		.linked = {0x1fe},
		.nlids = LIDS,
		.port = g->port,
		.set = g->set,
		.sets = g->sets,
		.nsets = SETS,
		.held = g->held,
		.slot = g->slot,
		.nslots = CAP};
}

static void
rig_route(struct rig *g, unsigned lid, uint16_t set, uint8_t port)
{
	g->set[lid] = set;
	g->port[lid] = port;
}

static void
rig_set(struct rig *g, unsigned set, uint64_t ports)
{
	g->sets[set].port[0] = ports;
}

/* The switch takes everything. */
static void
rig_take(struct rig *g, const struct adaptive_groups *a)
{
	memcpy(g->slot, a->slot[ADAPTIVE_GROW], sizeof(g->slot));
	memcpy(g->held, a->entry, sizeof(g->held));
	g->job.in_force = true;
}

static uint64_t
ports_of_entry(const struct mad_ar_entry *e, const struct mad_ar_group *slot)
{
	uint64_t p = e->port < 64 ? UINT64_C(1) << e->port : 0;

	if (e->state != MAD_AR_STATIC)
		p |= slot[e->group].port[0][0] | slot[e->group].port[1][0];
	return p;
}

/* What routes allow a LID. */
static uint64_t
ports_of_routes(const struct rig *g, unsigned lid)
{
	uint64_t p = g->port[lid] < 64 ? UINT64_C(1) << g->port[lid] : 0;

	return p | (g->set[lid] != 0 ? g->sets[g->set[lid]].port[0] &
					       g->job.linked[0]
				     : 0);
}

static unsigned
count_slot_writes(const struct adaptive_groups *a)
{
	unsigned n = 0;

	for (unsigned i = ADAPTIVE_FILL; i < ADAPTIVE_STEPS; i++)
		for (unsigned k = 0; k < CAP; k++)
			n += memcmp(&a->slot[i][k], &a->slot[i - 1][k],
				     sizeof(a->slot[i][k])) != 0;
	return n;
}

static bool
entry_equal(const struct mad_ar_entry *a, const struct mad_ar_entry *b)
{
	return a->state == b->state && a->port == b->port &&
	       a->group == b->group && a->table == b->table;
}

static unsigned
count_entry_writes(const struct rig *g, const struct adaptive_groups *a)
{
	unsigned n = 0;

	for (unsigned l = 0; l < LIDS; l++)
		n += (unsigned)!entry_equal(&g->held[l], &a->early[l]) +
		     (unsigned)!entry_equal(&a->early[l], &a->entry[l]);
	return n;
}

TEST(default_first_and_flat)
{
	struct adaptive_groups a;
	struct rig g;

	rig_init(&g);
	rig_set(&g, 1, 0x6);
	rig_route(&g, 5, 1, 1);
	rig_route(&g, 6, 1, 2);
	rig_route(&g, 7, 0, 2);
	rig_route(&g, 8, 1, 1);
	rig_route(&g, 9, 1, 2);
	adaptive_groups_make(&g.job, &a);
	ck_assert_uint_eq(a.entry[5].state, MAD_AR_FREE);
	ck_assert_uint_eq(a.entry[5].port, 1);
	ck_assert_uint_ne(a.entry[5].group, a.entry[6].group);
	ck_assert_uint_eq(a.entry[7].state, MAD_AR_STATIC);
	ck_assert_uint_eq(a.entry[7].port, 2);
	ck_assert_uint_eq(a.entry[0].state, MAD_AR_STATIC);
	ck_assert_uint_eq(a.entry[0].port, DROP);
	ck_assert_uint_eq(a.slot[ADAPTIVE_FILL][0].port[0][0], 0x2);
	ck_assert_uint_eq(a.slot[ADAPTIVE_FILL][0].port[1][0], 0x4);
	ck_assert_uint_eq(a.top, 1);
	ck_assert(a.complete);
	adaptive_groups_free(&a);
	g.job.default_first = false;
	adaptive_groups_make(&g.job, &a);
	ck_assert_uint_eq(a.entry[5].group, a.entry[6].group);
	ck_assert_uint_eq(a.slot[ADAPTIVE_FILL][0].port[0][0], 0x6);
	ck_assert_uint_eq(a.slot[ADAPTIVE_FILL][0].port[1][0], 0);
	ck_assert_uint_eq(a.chosen, 4);
	adaptive_groups_free(&a);
}

/* No group: no other port, a default without a link, ports that are not there.
 */
TEST(no_choice)
{
	static const struct {
		uint64_t ports;
		uint8_t port;
		bool has;
	} cases[] = {{0x2, 1, false}, {0, 1, false}, {0x6, DROP, false},
		{0x6, 40, false}, {0x100000002, 1, false}, {0x5, 2, false},
		{0x1, 0, false}, {0x4, 1, true}, {0xf0000000c, 2, true}};
	struct adaptive_groups a;
	struct rig g;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rig_init(&g);
		rig_set(&g, 1, cases[i].ports);
		rig_route(&g, 3, 1, cases[i].port);
		adaptive_groups_make(&g.job, &a);
		ck_assert_msg((a.entry[3].state == MAD_AR_FREE) == cases[i].has,
			"case %zu", i);
		ck_assert_uint_eq(a.entry[3].port, cases[i].port);
		if (cases[i].has)
			ck_assert_uint_eq(ports_of_entry(&a.entry[3],
						  a.slot[ADAPTIVE_GROW]),
				(cases[i].ports & 0x1fe) |
					UINT64_C(1) << cases[i].port);
		adaptive_groups_free(&a);
	}
}

/* Three LIDs with two defaults: one group, without a preference. */
TEST(a_rare_set_is_flat)
{
	struct adaptive_groups a;
	struct rig g;

	rig_init(&g);
	rig_set(&g, 1, 0x6);
	rig_route(&g, 5, 1, 1);
	rig_route(&g, 6, 1, 2);
	rig_route(&g, 7, 1, 2);
	adaptive_groups_make(&g.job, &a);
	ck_assert_uint_eq(a.chosen, 3);
	ck_assert_uint_eq(a.top, 0);
	ck_assert_uint_eq(a.slot[ADAPTIVE_GROW][0].port[0][0], 0x6);
	ck_assert_uint_eq(a.slot[ADAPTIVE_GROW][0].port[1][0], 0);
	adaptive_groups_free(&a);
}

/* Many LIDs have all ports, some lack one: these have one group, however many
 * they are. */
TEST(a_part_of_a_set_is_flat)
{
	struct adaptive_groups a;
	struct rig g;

	rig_init(&g);
	rig_set(&g, 1, 0xe);
	rig_set(&g, 2, 0x6);
	for (unsigned l = 1; l < 40; l++)
		rig_route(&g, l, l < 30 ? 1 : 2, (uint8_t)(1 + l % 2));
	adaptive_groups_make(&g.job, &a);
	ck_assert_uint_eq(a.chosen, 39);
	ck_assert_uint_eq(count_slot_writes(&a), 3);
	ck_assert_uint_eq(
		ports_of_entry(&a.entry[30], a.slot[ADAPTIVE_GROW]), 0x6);
	ck_assert_uint_eq(a.entry[30].group, a.entry[31].group);
	adaptive_groups_free(&a);
}

/* LIDs of one destination after another lose a port that others keep: it is
 * lost before tables change, unless it leads up, as all that they may use then,
 * and a group that is in use already is entered at once. */
TEST(a_port_up_is_lost_with_the_table)
{
	static const struct {
		uint64_t up;
		bool late;
	} cases[] = {{0, false}, {0x6, false}, {0x8, false}, {0xe, true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct adaptive_groups a;
		struct rig g;

		rig_init(&g);
		rig_set(&g, 1, 0xe);
		rig_set(&g, 2, 0x6);
		for (unsigned l = 1; l < 40; l++)
			rig_route(&g, l, 1, (uint8_t)(1 + l % 2));
		adaptive_groups_make(&g.job, &a);
		rig_take(&g, &a);
		adaptive_groups_free(&a);
		g.job.careful = true;
		g.job.up[0] = cases[i].up;
		for (unsigned l = 30; l < 40; l++) {
			rig_route(&g, l, 2, g.port[l]);
			adaptive_groups_make(&g.job, &a);
			ck_assert_msg(entry_equal(&a.early[l], &g.held[l]) ==
					      cases[i].late,
				"case %zu", i);
			ck_assert(cases[i].late ||
				  entry_equal(&a.early[l], &a.entry[l]));
			ck_assert_uint_eq(ports_of_entry(&a.entry[l],
						  a.slot[ADAPTIVE_GROW]),
				0x6);
			ck_assert(a.complete);
			rig_take(&g, &a);
			adaptive_groups_free(&a);
		}
	}
}

/* A port that is no default is lost: a write for each slot, none of entries. */
TEST(a_lost_port_is_one_write)
{
	struct adaptive_groups a;
	struct rig g;

	rig_init(&g);
	rig_set(&g, 1, 0xe);
	for (unsigned l = 1; l < 40; l++)
		rig_route(&g, l, 1, (uint8_t)(1 + l % 2));
	adaptive_groups_make(&g.job, &a);
	ck_assert_uint_eq(count_slot_writes(&a), 2);
	rig_take(&g, &a);
	adaptive_groups_free(&a);
	for (unsigned i = 0; i < 2; i++) {
		g.job.careful = i == 0;
		rig_set(&g, 1, i == 0 ? 0x6 : 0xe);
		adaptive_groups_make(&g.job, &a);
		ck_assert(a.complete);
		ck_assert_uint_eq(count_slot_writes(&a), 2);
		ck_assert_uint_eq(count_entry_writes(&g, &a), 0);
		rig_take(&g, &a);
		adaptive_groups_free(&a);
	}
	adaptive_groups_make(&g.job, &a);
	ck_assert_uint_eq(count_slot_writes(&a), 0);
	ck_assert_uint_eq(count_entry_writes(&g, &a), 0);
	adaptive_groups_free(&a);
}

TEST(the_rarest_have_no_room)
{
	struct adaptive_groups a;
	struct rig g;

	rig_init(&g);
	g.job.cap = g.job.nslots = 2;
	rig_set(&g, 1, 0x1fe);
	for (unsigned l = 1; l <= 10; l++)
		rig_route(&g, l, 1, l < 6 ? 1 : l < 10 ? 2 : 3);
	adaptive_groups_make(&g.job, &a);
	ck_assert_uint_eq(a.no_room, 1);
	ck_assert_uint_eq(a.chosen, 9);
	ck_assert_uint_eq(a.entry[10].state, MAD_AR_STATIC);
	ck_assert_uint_eq(a.entry[10].port, 3);
	ck_assert(a.complete);
	adaptive_groups_free(&a);
}

/* ---- random changes ---- */

static void
random_routes(struct rig *g, struct rng *r)
{
	bool fresh = rng_below(r, 4) == 0;

	g->job.linked[0] = 0x1fe;
	if (rng_below(r, 2) == 0)
		g->job.linked[0] &= ~(UINT64_C(1) << (1 + rng_below(r, PORTS)));
	for (unsigned i = 1; i < SETS; i++)
		if (fresh || rng_below(r, 3) == 0)
			rig_set(g, i, rng_below(r, 0x200));
	for (unsigned l = 1; l < LIDS; l++) {
		unsigned p = 1 + rng_below(r, PORTS);

		if (!fresh && rng_below(r, 8) != 0 &&
			(g->port[l] == DROP ||
				bitset_has(g->job.linked, g->port[l])))
			continue;
		rig_route(g, l, (uint16_t)rng_below(r, SETS),
			bitset_has(g->job.linked, p) ? (uint8_t)p : DROP);
	}
}

/* What LIDs may use at any moment: by what they had, and by the routes; and
 * without what other switches do not know of yet. */
struct bounds {
	uint64_t any[LIDS], careful[LIDS];
};

static void
check_moment(const struct rig *g, const struct bounds *b,
	const struct mad_ar_entry *e, const struct mad_ar_group *slot)
{
	for (unsigned l = 0; l < LIDS && g->job.in_force; l++) {
		uint64_t has = ports_of_entry(&e[l], slot);

		ck_assert_uint_eq(has & ~b->any[l], 0);
		if (g->job.careful)
			ck_assert_uint_eq(has & ~b->careful[l], 0);
		if (e[l].state != MAD_AR_STATIC)
			ck_assert_uint_ne(slot[e[l].group].port[0][0], 0);
	}
}

/* Writes of slots in random order, one after the other. */
static void
write_slots(struct rig *g, const struct bounds *b,
	const struct adaptive_groups *a, enum adaptive_step to, struct rng *r)
{
	unsigned k = rng_below(r, g->job.cap);

	for (unsigned i = 0; i < g->job.cap; i++, k = (k + 1) % g->job.cap) {
		g->slot[k] = a->slot[to][k];
		check_moment(g, b, g->held, g->slot);
	}
}

static void
write_entries(struct rig *g, const struct bounds *b,
	const struct mad_ar_entry *want, struct rng *r)
{
	unsigned n = LIDS / MAD_AR_ENTRIES, k = rng_below(r, n);

	for (unsigned i = 0; i < n; i++, k = (k + 1) % n) {
		memcpy(g->held + k * MAD_AR_ENTRIES, want + k * MAD_AR_ENTRIES,
			MAD_AR_ENTRIES * sizeof(*want));
		check_moment(g, b, g->held, g->slot);
	}
}

/* After SHRINK: what both allow, and the old default. */
static void
check_shrunk(const struct rig *g, const struct rig *was)
{
	for (unsigned l = 0; l < LIDS && g->job.in_force; l++) {
		uint64_t e = was->held[l].port < 64
				     ? UINT64_C(1) << was->held[l].port
				     : 0;

		ck_assert_uint_eq(ports_of_entry(&g->held[l], g->slot) &
					  ~(ports_of_routes(g, l) | e),
			0);
	}
}

static bool
change_once(struct rig *g, struct rng *r)
{
	struct rig was = *g;
	struct adaptive_groups a;
	struct bounds b;
	bool complete;

	for (unsigned l = 0; l < LIDS; l++) {
		uint64_t new = g->port[l] < 64 ? UINT64_C(1) << g->port[l] : 0;

		b.careful[l] = ports_of_entry(&g->held[l], g->slot) | new;
		b.any[l] = b.careful[l] | ports_of_routes(g, l);
	}
	adaptive_groups_make(&g->job, &a);
	write_slots(g, &b, &a, ADAPTIVE_FILL, r);
	if (rng_below(r, 2) == 0) {
		write_slots(g, &b, &a, ADAPTIVE_SHRINK, r);
		write_entries(g, &b, a.early, r);
	} else {
		write_entries(g, &b, a.early, r);
		write_slots(g, &b, &a, ADAPTIVE_SHRINK, r);
	}
	check_shrunk(g, &was);
	write_entries(g, &b, a.entry, r);
	for (unsigned l = 0; l < LIDS; l++)
		b.any[l] = ports_of_routes(g, l);
	check_moment(g, &b, g->held, g->slot);
	write_slots(g, &b, &a, ADAPTIVE_GROW, r);
	complete = a.complete;
	g->no_room = a.no_room;
	adaptive_groups_free(&a);
	return complete;
}

/* Every LID has what its routes allow. */
static void
check_complete(const struct rig *g)
{
	for (unsigned l = 0; l < LIDS; l++) {
		uint64_t all = ports_of_routes(g, l);
		bool choice = g->set[l] != 0 && g->port[l] != DROP &&
			      bitset_count64(all) > 1;

		ck_assert_uint_eq(g->held[l].port, g->port[l]);
		ck_assert_int_eq(g->held[l].state == MAD_AR_FREE, choice);
		if (choice)
			ck_assert_uint_eq(
				ports_of_entry(&g->held[l], g->slot), all);
	}
}

LOOP_TEST(random_changes, 0, 20)
{
	struct rng r;
	struct rig g;

	r.state = 4711 + (uint64_t)_i;
	rig_init(&g);
	g.job.default_first = _i % 2 == 0;
	/* with fewer slots than groups some are left out */
	g.job.cap = g.job.nslots = _i % 3 == 0 ? FEW : CAP;
	for (unsigned round = 0; round < 200; round++) {
		unsigned tries = 0;

		random_routes(&g, &r);
		g.job.careful = g.job.in_force && rng_below(&r, 2) == 0;
		if (!change_once(&g, &r))
			tries++;
		g.job.in_force = true;
		g.job.careful = false;
		while (tries > 0 && !change_once(&g, &r))
			ck_assert_uint_lt(++tries, 20);
		if (g.no_room == 0)
			check_complete(&g);
	}
}
