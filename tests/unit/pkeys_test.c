/* Partitions as ports have them, and tables that change without moving. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/partition.h"
#include "sm/base/rng.h"
#include "sm/pkeys.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"

static struct topo *
small(void)
{
	static const struct gen_fattree2 p = {2, 2, 1, 3, 3};
	struct reason why = {""};
	struct fabric *f = gen_tree_two(&p, &why);
	struct topo *t = frozen_topo(f, NULL);

	fabric_free(f);
	return t;
}

static struct pkeys *
made(const char *yaml, struct topo *t)
{
	struct diag_list d;
	struct config *c = config_parse("t", yaml, strlen(yaml), NULL, &d);
	struct pkeys *k;

	ck_assert(c != NULL);
	diag_free(&d);
	k = pkeys_make(c, t);
	config_unref(c);
	return k;
}

/* Keys of the first port with a LID at the node of this name, in words. */
static const char *
keys_of(const struct pkeys *k, const char *name)
{
	static char text[128];
	const struct topo *t = k->topo;
	const uint16_t *key;
	size_t n, i, at = 0;
	port_ix p;

	text[0] = '\0';
	for (p = 0; p < t->nports; p++)
		if (topo_has_lid(t, p) &&
			strcmp(topo_desc(t, t->port[p].node), name) == 0)
			break;
	ck_assert_uint_lt(p, t->nports);
	n = pkeys_of(k, p, &key);
	for (i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%04x",
			i > 0 ? " " : "", key[i]);
	return text;
}

START_TEST(memberships)
{
	static const struct {
		const char *yaml, *host, *keys;
		size_t nobody;
	} cases[] = {
		{"", "h2", "ffff", 0},
		{"", "spine1", "ffff", 0},
		{"partitions: {a: {pkey: 0x5, members: {h2: full}}}", "h2",
			"7fff 8005", 0},
		{"partitions: {a: {pkey: 0x5, members: {h2: full}}}", "h3",
			"7fff", 0},
		{"partitions: {a: {pkey: 0x5, members: {\"h*\": limited}}}",
			"h3", "7fff 0005", 0},
		{"partitions: {a: {pkey: 0x5, members: {all: limited, h2: "
		 "both}}}",
			"h2", "7fff 8005 0005", 0},
		{"partitions: {a: {pkey: 0x5, members: {hosts: full}}}",
			"spine1", "7fff", 0},
		{"partitions: {a: {pkey: 0x5, members: {switches: full}}}",
			"spine1", "7fff 8005", 0},
		{"partitions: {a: {pkey: 0x5, members: {gone: full, \"0x99\": "
		 "full, routers: full}}}",
			"h2", "7fff", 2},
		{"partitions: {z: {pkey: 0x9, members: {all: full}}, d: {pkey: "
		 "0x7fff, members: {all: full}}}",
			"h2", "ffff 8009", 0},
		{"partitions: {d: {pkey: 0x7fff, members: {h2: full}}}", "h3",
			"", 0},
	};
	struct topo *t = small();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pkeys *k = made(cases[i].yaml, t);

		ck_assert_msg(
			strcmp(keys_of(k, cases[i].host), cases[i].keys) == 0,
			"case %zu: %s", i, keys_of(k, cases[i].host));
		ck_assert_uint_eq(k->nnobody, cases[i].nobody);
		pkeys_unref(k);
	}
	topo_unref(t);
}
END_TEST

START_TEST(the_manager_is_full)
{
	struct topo *t = small();
	struct pkeys *k = made("partitions: {a: {pkey: 0x5, members: {}}}", t);
	const uint16_t *key;

	ck_assert_uint_eq(pkeys_of(k, t->sm_port, &key), 1);
	ck_assert_uint_eq(key[0], 0xffff);
	pkeys_unref(k);
	topo_unref(t);
}
END_TEST

START_TEST(tables)
{
	static const struct {
		uint16_t was[4], want[5];
		size_t n;
		uint16_t grown[4], out[4];
		int rc;
	} cases[] = {
		/* a new port; the default comes first */
		{{0}, {0x8005, 0xffff}, 2, {0xffff, 0x8005}, {0xffff, 0x8005},
			0},
		{{0}, {0x8005}, 1, {0, 0x8005}, {0, 0x8005}, 0},
		/* what stays does not move, even to a better place */
		{{0x8005, 0x8006, 0, 0xffff}, {0xffff, 0x8005}, 2,
			{0x8005, 0x8006, 0, 0xffff}, {0x8005, 0, 0, 0xffff}, 0},
		/* rights are given first and taken last */
		{{0xffff, 0x0005}, {0x7fff, 0x8005}, 2, {0xffff, 0x8005},
			{0x7fff, 0x8005}, 0},
		/* both memberships */
		{{0xffff, 0x0005}, {0xffff, 0x8005, 0x0005}, 3,
			{0xffff, 0x0005, 0x8005}, {0xffff, 0x0005, 0x8005}, 0},
		/* room comes from what goes: in the second step */
		{{0xffff, 1, 2, 3}, {0xffff, 4}, 2, {0xffff, 1, 2, 3},
			{0xffff, 4, 0, 0}, 0},
		/* no room */
		{{0xffff}, {0xffff, 1, 2, 3, 4}, 5, {0xffff, 1, 2, 3},
			{0xffff, 1, 2, 3}, -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint16_t grown[4], out[4];
		int rc = pkeys_lay(
			cases[i].was, 4, cases[i].want, cases[i].n, grown, out);

		ck_assert_int_eq(rc, cases[i].rc);
		ck_assert_msg(memcmp(grown, cases[i].grown, 8) == 0,
			"case %zu: grown %04x %04x %04x %04x", i, grown[0],
			grown[1], grown[2], grown[3]);
		ck_assert_msg(memcmp(out, cases[i].out, 8) == 0,
			"case %zu: out %04x %04x %04x %04x", i, out[0], out[1],
			out[2], out[3]);
	}
}
END_TEST

START_TEST(random_tables)
{
	struct rng rng = {(uint64_t)_i};
	uint16_t was[32] = {0}, grown[32], out[32];

	for (unsigned round = 0; round < 200; round++) {
		uint16_t want[12];
		size_t n = 0;

		while (n < 12 && rng_below(&rng, 8) > 0) {
			uint16_t key = (uint16_t)(1 + rng_below(&rng, 20));

			key |= rng_below(&rng, 2) ? PKEYS_FULL : 0;
			for (size_t i = 0; i < n; i++)
				if (want[i] == key)
					key = 0;
			if (key != 0)
				want[n++] = key;
		}
		ck_assert_int_eq(pkeys_lay(was, 32, want, n, grown, out), 0);
		for (unsigned i = 0; i < 32; i++) {
			bool both = was[i] != 0 && out[i] != 0;

			/* indexes of live keys do not move, rights grow */
			ck_assert(!both || (was[i] & PKEYS_BASE) ==
						   (out[i] & PKEYS_BASE));
			ck_assert(was[i] == 0 || (grown[i] | PKEYS_FULL) ==
							 (was[i] | PKEYS_FULL));
			ck_assert(grown[i] >= was[i]);
		}
		for (size_t k = 0; k < n; k++) {
			unsigned there = 0;

			for (unsigned i = 0; i < 32; i++)
				there += out[i] == want[k];
			ck_assert_uint_eq(there, 1);
		}
		memcpy(was, out, sizeof(was));
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("pkeys");
	TCase *t = tcase_create("core");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, memberships);
	tcase_add_test(t, the_manager_is_full);
	tcase_add_test(t, tables);
	tcase_add_loop_test(t, random_tables, 1, 10);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
