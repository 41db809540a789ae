/*
 * M_Keys: what the simulated ports hold is what was configured, whatever they
 * held before; a change of key, and a fabric that another manager keyed with a
 * key that is configured, lose nothing; nodes with a key that is not known are
 * named and left out.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/core_fixture.h"

enum { LEASE = 20 };

#define KEY_A UINT64_C(0x1111)
#define KEY_B UINT64_C(0x2222)

static bool
is_end_port(const struct world *w, uint32_t node, unsigned port)
{
	return (w->fabric->node[node].type == FABRIC_SWITCH) == (port == 0);
}

/* Give all ports of a node this key, as another manager would. */
static void
give_key(struct world *w, uint32_t node, uint64_t key, uint8_t protect)
{
	for (unsigned p = 0; p <= w->fabric->node[node].nports; p++) {
		struct mad_port_info i;

		if (!is_end_port(w, node, p))
			continue;
		i = *sim_port_info(w->sim, node, p);
		i.mkey = key;
		i.mkey_prot = protect;
		i.mkey_lease = LEASE;
		sim_hand_port(w->sim, node, p, &i);
	}
}

static void
give_keys(struct world *w, uint64_t key, uint8_t protect)
{
	for (uint32_t n = 0; n < w->fabric->nnodes; n++)
		give_key(w, n, key, protect);
}

/* How many end ports hold this key, with level and lease. */
static unsigned
count_keyed(
	const struct world *w, uint64_t key, uint8_t protect, uint16_t lease)
{
	unsigned count = 0;

	for (uint32_t n = 0; n < w->fabric->nnodes; n++)
		for (unsigned p = 0; p <= w->fabric->node[n].nports; p++) {
			const struct mad_port_info *i;

			if (!is_end_port(w, n, p))
				continue;
			i = sim_port_info(w->sim, n, p);
			count += i->mkey == key && i->mkey_prot == protect &&
				 i->mkey_lease == lease;
		}
	return count;
}

/* A settled world in which all ports had this key before. */
static struct world *
start_keyed(
	const struct fabric *f, const char *yaml, uint64_t key, uint8_t protect)
{
	struct sim_options o = sim_defaults();
	struct world *w = world_new(f, &o, yaml);

	give_keys(w, key, protect);
	world_start(w);
	return w;
}

static unsigned
end_ports(const struct fabric *f)
{
	return f->nnodes; /* a port of each host, port 0 of each switch */
}

static unsigned
count_quarantined(const struct world *w)
{
	const struct topo *t = sm_view(w->sm)->topo;
	unsigned count = 0;

	for (node_ix n = 0; n < t->nnodes; n++)
		count += (t->node[n].flags & TN_QUARANTINED) != 0;
	return count;
}

static void
expect_keys(struct world *w, uint64_t key, const char *when)
{
	core_expect_order(w, when);
	ck_assert_msg(count_keyed(w, key, 1, 60) == end_ports(w->fabric),
		"%s: %u of %u ports have the key", when,
		count_keyed(w, key, 1, 60), end_ports(w->fabric));
	ck_assert_uint_eq(count_quarantined(w), 0);
}

START_TEST(fresh)
{
	struct fabric *f = core_tree();
	struct world *w = start_keyed(f, "fabric: {m_key: 0x1111}", 0, 0);

	expect_keys(w, KEY_A, "bring-up");
	ck_assert_uint_eq(sm_xact_stats(w->sm)->timeouts, 0);
	ck_assert_uint_eq(sm_xact_stats(w->sm)->retried, 0);
	core_end(w, f);
}
END_TEST

/* In use, at every level: no packet, no switch and no SMP is lost. */
START_TEST(change)
{
	struct fabric *f = core_tree();
	struct world *w = start_keyed(f, "fabric: {m_key: 0x1111}", 0, 0);
	uint64_t blocks;

	expect_keys(w, KEY_A, "bring-up");
	blocks = sim_stats(w->sim)->lft_sets;
	world_reload(w, "fabric: {m_key: 0x2222}");
	expect_keys(w, KEY_B, "another key");
	ck_assert_uint_eq(sm_xact_stats(w->sm)->retried, 0);
	ck_assert_uint_eq(sim_stats(w->sim)->lft_sets, blocks);
	world_reload(w, "fabric: {m_key: 0x2222, m_key_protection: 2}");
	core_expect_order(w, "level 2");
	ck_assert_uint_eq(count_keyed(w, KEY_B, 2, 60), end_ports(f));
	world_reload(w, "fabric: {m_key: 0x1111, m_key_protection: 2}");
	core_expect_order(w, "another key at level 2");
	ck_assert_uint_eq(count_keyed(w, KEY_A, 2, 60), end_ports(f));
	world_reload(w, "");
	core_expect_order(w, "no key");
	ck_assert_uint_eq(count_keyed(w, 0, 0, 60), end_ports(f));
	ck_assert_uint_eq(sm_xact_stats(w->sm)->timeouts, 0);
	ck_assert_uint_eq(sim_stats(w->sim)->lft_sets, blocks);
	core_end(w, f);
}
END_TEST

/* Another manager keyed the fabric: readable, or with a key that we have. */
START_TEST(foreign)
{
	static const struct {
		const char *yaml;
		uint8_t protect;
	} cases[] = {
		{"fabric: {m_key: 0x1111}", 0},
		{"fabric: {m_key: 0x1111, m_key_previous: 0x2222}", 1},
		{"fabric: {m_key: 0x1111, m_key_previous: 0x2222}", 2},
		{"fabric: {m_key: 0x1111, m_key_previous: 0x2222}", 3},
	};
	struct fabric *f = core_tree();
	struct world *w =
		start_keyed(f, cases[_i].yaml, KEY_B, cases[_i].protect);

	expect_keys(w, KEY_A, "take-over");
	ck_assert_uint_eq(sm_xact_stats(w->sm)->timeouts, 0);
	ck_assert_uint_eq(w->runs_failed, 0);
	core_end(w, f);
}
END_TEST

START_TEST(restart)
{
	struct fabric *f = core_tree();
	struct world *w = start_keyed(f, "fabric: {m_key: 0x2222}", 0, 0);

	expect_keys(w, KEY_B, "bring-up");
	world_kill(w);
	world_reload(w, "fabric: {m_key: 0x1111, m_key_previous: 0x2222}");
	world_start(w);
	expect_keys(w, KEY_A, "restarted with another key");
	core_end(w, f);
}
END_TEST

/*
 * A node with a key that is not known is named and left out, until the key is
 * configured, or until the lease of a switch has ended.
 */
START_TEST(unknown)
{
	struct sim_options o = sim_defaults();
	struct fabric *f = core_tree();
	struct world *w = world_new(f, &o, "fabric: {m_key: 0x1111}");
	uint32_t n = f->nnodes - 1;

	while ((f->node[n].type == FABRIC_SWITCH) != (_i % 2 == 0) ||
		n == w->host)
		n--;
	give_key(w, n, KEY_B, 1);
	world_start(w);
	core_expect(w, 0, "without one key");
	ck_assert_uint_eq(count_keyed(w, KEY_A, 1, 60), end_ports(f) - 1);
	if (_i < 2)
		world_reload(
			w, "fabric: {m_key: 0x1111, m_key_previous: 0x2222}");
	world_run(w, mono_ms(_i < 2 ? 60000 : 180000));
	expect_keys(w, KEY_A, "the key is known, or protection over");
	core_end(w, f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("m_keys");
	TCase *t = tcase_create("m_keys");

	tcase_add_test(t, fresh);
	tcase_add_test(t, change);
	tcase_add_loop_test(t, foreign, 0, 4);
	tcase_add_test(t, restart);
	tcase_add_loop_test(t, unknown, 0, 3);
	suite_add_tcase(s, t);
	return suite_run(s);
}
