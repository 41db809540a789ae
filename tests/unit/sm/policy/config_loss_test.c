/* What a configuration takes from ports: against a count of all pairs. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "config/partition_options.h"
#include "routing/driver/registry.h"
#include "sm/base/mem.h"
#include "sm/policy/config_loss.h"
#include "sm/policy/pkeys.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

/* 2 spines, 4 leaves, hosts h1 to h12 */
enum { HOSTS = 12 };

struct rig {
	struct topo *t;
	struct lid_record *record;
	size_t n;
};

static int
by_guid(const void *x, const void *y)
{
	const struct lid_record *a = x, *b = y;

	return a->guid < b->guid ? -1 : a->guid > b->guid;
}

static struct rig
rig_new(void)
{
	struct fabric *f = shape_of("two:2:4:3");
	struct rig r = {.t = frozen_topo(f, NULL)};

	fabric_free(f);
	r.record = mem_zalloc(r.t->nports, sizeof(*r.record));
	for (port_ix i = 0; i < r.t->nports; i++)
		if (topo_has_lid(r.t, i))
			r.record[r.n++] = (struct lid_record){r.t->port[i].guid,
				r.t->port[i].lid, r.t->port[i].lmc};
	qsort(r.record, r.n, sizeof(*r.record), by_guid);
	return r;
}

static void
rig_free(struct rig *r)
{
	topo_unref(r->t);
	free(r->record);
}
AUTO_VALUE(rig, struct rig, rig_free)

static struct config *
parse_config(const char *yaml)
{
	AUTO(diag_list) struct diag_list d;
	struct config *c =
		config_parse("t", yaml, strlen(yaml), registry_modules(), &d);
	AUTO(buf) struct buf text = {0};

	diag_text(&d, &text);
	ck_assert_msg(c != NULL, "%s", text.text);
	return c;
}

static bool
is_end(const struct topo *t, port_ix p)
{
	return topo_has_lid(t, p) &&
	       t->node[t->port[p].node].type != TOPO_SWITCH;
}

static bool
share_partition(const struct pkeys *k, port_ix a, port_ix b)
{
	const uint16_t *x, *y;
	size_t n = pkeys_of(k, a, &x), m = pkeys_of(k, b, &y);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			if ((x[i] & PKEY_NUMBER) == (y[j] & PKEY_NUMBER) &&
				((x[i] | y[j]) & PKEY_FULL) != 0)
				return true;
	return false;
}

/* Count all pairs, one by one. */
static uint64_t
count_pairs(struct topo *t, struct config *was, struct config *is)
{
	struct pkeys *a = pkeys_make(was, t, NULL);
	struct pkeys *b = pkeys_make(is, t, NULL);
	uint64_t n = 0;

	for (port_ix p = 0; p < t->nports; p++)
		for (port_ix q = p + 1; q < t->nports; q++)
			n += is_end(t, p) && is_end(t, q) &&
			     share_partition(a, p, q) &&
			     !share_partition(b, p, q);
	pkeys_unref(a);
	pkeys_unref(b);
	return n;
}

static int
judge_config(struct rig *r, struct config *was, struct config *is,
	struct config_loss *out, struct reason *why)
{
	return config_loss_judge(&(struct config_loss_ask){.was = was,
					 .is = is,
					 .topo = r->t,
					 .record = r->record,
					 .nrecord = r->n},
		out, why);
}

#define TRUSTED "fabric: {names: trusted}\n"

TEST(pairs_that_lose_each_other)
{
	static const char *const yaml[] = {
		TRUSTED,
		/* all others become limited members */
		TRUSTED
		"partitions: {a: {pkey: 0x1, members: {\"h1*\": full}}}",
		TRUSTED
		"partitions: {a: {pkey: 0x1, members: {\"h1*\": full}},\n"
		" d: {pkey: 0x7fff, members: {all: full}}}",
		TRUSTED "partitions: {a: {pkey: 0x1, members: {h1: full,\n"
			" h2: limited, h3: limited}}}",
		TRUSTED "partitions: {a: {pkey: 0x1, members: {all: full}}}",
		TRUSTED
		"partitions: {a: {pkey: 0x1, members: {\"h[1-5]\": both}},\n"
		" b: {pkey: 0x2, members: {\"h[4-9]\": limited, h1: full}}}",
	};
	enum { N = sizeof(yaml) / sizeof(yaml[0]) };
	AUTO(rig) struct rig r = rig_new();
	struct config_loss l;
	struct reason why = {""};

	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < N; k++) {
			struct config *a = parse_config(yaml[i]),
				      *b = parse_config(yaml[k]);
			uint64_t want = count_pairs(r.t, a, b);

			ck_assert_int_eq(judge_config(&r, a, b, &l, &why), 0);
			ck_assert_msg(l.pairs == want,
				"%zu to %zu: %llu pairs, not %llu", i, k,
				(unsigned long long)l.pairs,
				(unsigned long long)want);
			ck_assert_int_eq(l.affected > 0, want > 0);
			ck_assert_int_eq(config_loss_refused(&l, b), want > 0);
			ck_assert_uint_eq(l.renumbered, 0);
			ck_assert(i != k || want == 0);
			config_unref(a);
			config_unref(b);
		}
}

TEST(the_first_partition)
{
	AUTO(rig) struct rig r = rig_new();
	AUTO(config) struct config *was = parse_config(TRUSTED);
	AUTO(config)
	struct config *is = parse_config(
		"fabric: {names: trusted, accept_loss: 10}\n"
		"partitions: {a: {pkey: 0x1, members: {h2: full, h3: full}}}");
	struct config_loss l;
	struct reason why = {""};
	struct buf text = {0};

	ck_assert_int_eq(judge_config(&r, was, is, &l, &why), 0);
	/* our own port stays a full member, and h2 and h3 have each other */
	ck_assert_uint_eq(l.limited, HOSTS - 1);
	ck_assert_uint_eq(l.ports, HOSTS - 1);
	ck_assert_uint_eq(l.affected, HOSTS - 1);
	ck_assert_uint_eq(l.pairs, (HOSTS - 1) * (HOSTS - 2) / 2 - 1);
	ck_assert(config_loss_refused(&l, is));
	is->fabric.accept_loss = HOSTS - 1;
	ck_assert(!config_loss_refused(&l, is));
	config_loss_kind_text(&l, CONFIG_LOSS_PAIRS, is, r.t, &text);
	ck_assert_msg(strstr(text.text, "11 ports lose others: 54 pairs") &&
			      strstr(text.text, "0x7fff, which is not"),
		"%s", text.text);
	buf_free(&text);
	config_loss_kind_text(&l, CONFIG_LOSS_LIDS, is, r.t, &text);
	ck_assert_uint_eq(text.n, 0);
	buf_free(&text);
}

TEST(lids_that_ports_lose)
{
	static const struct {
		const char *was, *is;
		bool any;
	} cases[] = {
		{"fabric: {}", "fabric: {}", false},
		/* every second base LID is odd */
		{"fabric: {}", "fabric: {lmc: {hosts: 1}}", true},
		{"fabric: {}", "fabric: {lids: {first: 40}}", true},
		{"fabric: {}", "fabric: {lids: {last: 4000}}", false},
	};
	struct reason why = {""};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO(rig) struct rig r = rig_new();
		struct config *a = parse_config(cases[i].was),
			      *b = parse_config(cases[i].is);
		struct config_loss l;
		AUTO(buf) struct buf text = {0};

		ck_assert_int_eq(judge_config(&r, a, b, &l, &why), 0);
		ck_assert_msg((l.renumbered > 0) == cases[i].any, "%s: %u",
			cases[i].is, l.renumbered);
		ck_assert_uint_eq(l.affected, l.renumbered);
		config_loss_kind_text(&l, CONFIG_LOSS_LIDS, b, r.t, &text);
		ck_assert_int_eq(text.n > 0, cases[i].any);
		config_unref(a);
		config_unref(b);
	}
}

/* Another subnet prefix takes its GIDs from every port, switches' own too. */
TEST(gids_that_ports_lose)
{
	AUTO(rig) struct rig r = rig_new();
	AUTO(config) struct config *was = parse_config("fabric: {}");
	AUTO(config)
	struct config *is = parse_config(
		"fabric: {subnet_prefix: 0xfec0000000000001, lids: {first: "
		"40}}");
	struct config_loss l;
	struct reason why = {""};
	AUTO(buf) struct buf text = {0};

	ck_assert_int_eq(judge_config(&r, was, was, &l, &why), 0);
	ck_assert_uint_eq(l.readdressed, 0);
	ck_assert_int_eq(judge_config(&r, was, is, &l, &why), 0);
	ck_assert_uint_eq(l.readdressed, r.n);
	ck_assert_uint_eq(l.affected, r.n);
	ck_assert(config_loss_refused(&l, is));
	is->fabric.accept_loss = (uint32_t)r.n;
	ck_assert(!config_loss_refused(&l, is));
	config_loss_text(&l, is, r.t, "; ", &text);
	ck_assert_msg(strstr(text.text, "; 18 ports get other GIDs, of subnet "
					"prefix 0xfec0000000000001") != NULL,
		"%s", text.text);
}

TEST(too_few_lids)
{
	AUTO(rig) struct rig r = rig_new();
	AUTO(config) struct config *a = parse_config("fabric: {}");
	AUTO(config)
	struct config *b = parse_config(
		"fabric: {lids: {first: 1, last: 30}, lmc: {hosts: 4}}");
	struct config_loss l;
	struct reason why = {""};

	ck_assert_int_eq(judge_config(&r, a, b, &l, &why), -1);
	ck_assert(why.text[0] != '\0');
}
