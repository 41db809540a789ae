/* Partitions as ports have them. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/partition_options.h"
#include "routing/driver/registry.h"
#include "sm/policy/pkeys.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

static struct topo *
small_topo(void)
{
	AUTO(fabric) struct fabric *f = shape_of("two:2:2:3");
	struct topo *t = frozen_topo(f, NULL);

	return t;
}

static struct pkeys *
make_pkeys(const char *yaml, struct topo *t)
{
	struct diag_list d;
	AUTO(config)
	struct config *c =
		config_parse("t", yaml, strlen(yaml), registry_modules(), &d);
	struct pkeys *k;

	ck_assert(c != NULL);
	diag_free(&d);
	k = pkeys_make(c, t, NULL);
	return k;
}

/* Keys of the first port with a LID at the node of this name, as text. */
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

TEST(memberships)
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
	AUTO(topo) struct topo *t = small_topo();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pkeys *k = make_pkeys(cases[i].yaml, t);

		ck_assert_msg(
			strcmp(keys_of(k, cases[i].host), cases[i].keys) == 0,
			"case %zu: %s", i, keys_of(k, cases[i].host));
		ck_assert_uint_eq(k->nunmatched, cases[i].nobody);
		pkeys_unref(k);
	}
}

TEST(the_manager_is_full)
{
	AUTO(topo) struct topo *t = small_topo();
	struct pkeys *k =
		make_pkeys("partitions: {a: {pkey: 0x5, members: {}}}", t);
	const uint16_t *key;

	ck_assert_uint_eq(pkeys_of(k, t->sm_port, &key), 1);
	ck_assert_uint_eq(key[0], 0xffff);
	pkeys_unref(k);
}

TEST(in_the_file)
{
	static const char yaml[] =
		"partitions:\n"
		"  storage:\n"
		"    pkey: 0x11\n"
		"    members: {sm: full, \"gpu-*\": limited, 0x1: both}\n"
		"    ipoib: {enabled: true, mtu: 4096, rate: 2.5, scope: 5,\n"
		"      qkey: 0xffffffff}\n"
		"  empty: {pkey: 0x7fff}\n";
	AUTO(diag_list) struct diag_list d;
	AUTO(config)
	struct config *c =
		config_parse("t", yaml, strlen(yaml), registry_modules(), &d);
	const struct partition_options *p = c->partitions.record;
	uint64_t guid = 0;

	ck_assert_uint_eq(c->partitions.n, 2);
	ck_assert_str_eq(c->partitions.name[0], "storage");
	ck_assert_uint_eq(p[0].pkey, 0x11);
	ck_assert_uint_eq(p[0].members.n, 3);
	ck_assert_str_eq(p[0].members.entry[1].text, "gpu-*");
	ck_assert_uint_eq(p[0].members.entry[1].value, PARTITION_AS_LIMITED);
	ck_assert_uint_eq(p[0].members.entry[2].value, PARTITION_AS_BOTH);
	ck_assert(p[0].ipoib.enabled);
	ck_assert_uint_eq(p[0].ipoib.mtu, 4096);
	ck_assert_str_eq(partition_rates[p[0].ipoib.rate], "2.5");
	ck_assert_uint_eq(p[0].ipoib.scope, 5);
	ck_assert_uint_eq(p[0].ipoib.qkey, 0xffffffff);
	ck_assert_uint_eq(p[1].pkey, PARTITION_DEFAULT_KEY);
	ck_assert(!p[1].ipoib.enabled);
	ck_assert_uint_eq(p[1].ipoib.mtu, 2048);
	ck_assert_uint_eq(partition_member("sm", &guid), PARTITION_SM);
	ck_assert_uint_eq(partition_member("0x1", &guid), PARTITION_GUID);
	ck_assert_uint_eq(guid, 1);
	ck_assert_uint_eq(partition_member("gpu-*", &guid), PARTITION_NAME);
}
