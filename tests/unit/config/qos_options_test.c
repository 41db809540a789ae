/* Service levels in the configuration: what the texts mean, which mistakes are
 * reported and where; and VL arbitration tables made from weights. */
#include "config/qos_options.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "discovery/builder/builder.h"
#include "distribution/tables/vlarb.h"
#include "routing/driver/registry.h"
#include "sm/base/rng.h"
#include "sm/mad/mad.h"
#include "tests/unit/suite.h"

enum { SEED = 9, ROUNDS = 2000 };

TEST(services)
{
	static const struct {
		const char *text;
		uint64_t first, last;
	} row[] = {
		{"iser", 0x01060cbc, 0x01060cbc},
		{"nvme", 0x01061144, 0x01061144},
		{"rdma_cm", 0x01000000, 0x01ffffff},
		{"tcp:5-7", 0x01060005, 0x01060007},
		{"udp:1", 0x01110001, 0x01110001},
		{"0x10000-0x1ffff", 0x10000, 0x1ffff},
		{"0xffffffffffffffff", UINT64_MAX, UINT64_MAX},
	};
	static const char *const bad[] = {"", "isr", "tcp:", "tcp:65536", "7-5",
		"-5", "5-", "0x1ffffffffffffffff", "tcp:1-2-3"};
	struct qos_range r;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		ck_assert_msg(qos_service(row[i].text, &r), "%s", row[i].text);
		ck_assert_uint_eq(r.first, row[i].first);
		ck_assert_uint_eq(r.last, row[i].last);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!qos_service(bad[i], &r), "%s", bad[i]);
	ck_assert(qos_class("8-15", &r) && r.first == 8 && r.last == 15);
	ck_assert(!qos_class("4096", &r));
}

TEST(mistakes)
{
	static const struct {
		const char *yaml;
		unsigned line, col;
		const char *says;
	} row[] = {
		{"qos:\n  levels: {a: {sl: 16}}\n", 2, 20, "'16'"},
		{"qos:\n  levels: {a: {weight: 0}}\n", 2, 24, "out of range"},
		{"qos:\n  levels:\n    a: {}\n    a: {}\n", 4, 5,
			"duplicate key"},
		{"qos:\n  levels:\n    a: {sl: 3}\n    b: {sl: 3}\n", 4, 5,
			"sl 3 is already that of a"},
		{"qos:\n  levels:\n    a: {sl: 3, adaptive: true}\n"
		 "    b: {sl: 3, adaptive: false}\n",
			4, 5, "sl 3 is already that of a"},
		{"qos:\n  levels:\n    a: {shares_with: x}\n", 3, 5,
			"x does not lead to a level that exists"},
		{"qos:\n  levels:\n    a: {shares_with: b}\n"
		 "    b: {shares_with: a}\n",
			3, 5, "shares_with loops at"},
		{"routing: {adaptive: {enabled: true}}\n"
		 "qos:\n  levels:\n    a: {sl: 1}\n",
			4, 5, "no level is adaptive"},
		{"routing:\n  adaptive: {enabled: true, by: lid}\n", 2, 33,
			"needs a second LID"},
		{"fabric: {lmc: {hosts: 0, routers: 1}}\n"
		 "routing:\n  adaptive: {by: lid, enabled: true}\n",
			3, 18, "fabric.lmc.hosts is 0"},
		{"routing:\n  adaptive: {by: lids}\n", 2, 18, "'lids'"},
		{"fabric: {lmc: {hosts: 1}}\n"
		 "routing: {adaptive: {enabled: true, by: lid}}\n"
		 "qos:\n  levels:\n    a: {sl: 1}\n",
			5, 5, "no level is adaptive"},
		{"qos:\n  levels:\n    a: {sl: 16}\n", 3, 13,
			"'16' is not any, 0, 1"},
		{"routing: {ftree: {layers: 8}}\nqos:\n  levels:\n    a: {}\n"
		 "    b: {}\n",
			5, 5, "need 24 service levels"},
		{"qos:\n  rules:\n    r: {level: a}\n", 3, 5, "no qos.levels"},
		{"qos:\n  levels: {gold: {}}\n  rules:\n"
		 "    r: {level: golf, services: [iser]}\n",
			4, 5, "did you mean 'gold'?"},
		{"qos:\n  levels: {a: {}}\n  rules:\n"
		 "    r: {level: a, services: [iser, isr]}\n",
			4, 36, "'isr' is not a service"},
		{"qos:\n  levels: {a: {}}\n  rules:\n"
		 "    r: {level: a, partitions: [none]}\n",
			4, 32, "'none' is not a partition"},
		{"qos:\n  levels: {a: {}}\n  rules:\n"
		 "    r: {level: a, with: [0xzz]}\n",
			4, 26, "'0xzz' is not a GUID"},
		{"qos:\n  levels: {a: {}, b: {}}\n  rules:\n"
		 "    r: {level: a, services: ['tcp:1-9']}\n"
		 "    s: {level: b, services: ['tcp:9-12']}\n",
			5, 5, "overlaps r"},
		{"qos:\n  levels: {a: {}, b: {}}\n  rules:\n"
		 "    r: {level: a, services: [rdma_cm]}\n"
		 "    s: {level: b, services: [iser], classes: [3]}\n",
			5, 5, "never applies"},
		{"partitions:\n  p: {pkey: 0x5, ipoib: {sl: 2}}\n"
		 "qos: {levels: {a: {}}}\n",
			2, 3, "a rule with this partition"},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		AUTO(diag_list) struct diag_list d;
		struct config *c = config_parse("t", row[i].yaml,
			strlen(row[i].yaml), registry_modules(), &d);

		ck_assert_msg(c == NULL && d.n >= 1, "case %zu", i);
		ck_assert_msg(strstr(d.item[0].message, row[i].says) != NULL,
			"case %zu: %s", i, d.item[0].message);
		ck_assert_msg(d.item[0].at.line == row[i].line &&
				      d.item[0].at.col == row[i].col,
			"case %zu: %u:%u: %s", i, d.item[0].at.line,
			d.item[0].at.col, d.item[0].message);
	}
}

TEST(no_mistakes)
{
	static const char *const yaml[] = {
		"qos: {levels: {default: {sl: 1}, a: {sl: 0}}}\n",
		/* the rules overlap in part only, and not in the same kinds */
		"qos:\n  levels: {a: {}, b: {}}\n  rules:\n"
		"    r: {level: a, services: [iser], with: [h1]}\n"
		"    s: {level: b, services: [iser]}\n"
		"    t: {level: a, partitions: ['0x7fff']}\n",
		/* overlapping rules of one level */
		"qos:\n  levels: {a: {}}\n  rules:\n"
		"    r: {level: a, services: ['tcp:1-9']}\n"
		"    s: {level: a, services: ['tcp:9-12']}\n",
	};

	for (size_t i = 0; i < sizeof(yaml) / sizeof(yaml[0]); i++) {
		AUTO(diag_list) struct diag_list d;
		AUTO(config)
		struct config *c = config_parse(
			"t", yaml[i], strlen(yaml[i]), registry_modules(), &d);

		ck_assert_msg(c != NULL, "case %zu: %s", i,
			d.n > 0 ? d.item[0].message : "?");
	}
}

/* ---- arbitration ---- */

/* A switch and a host, linked. */
static struct topo *
one_link_topo(uint8_t vl_cap, uint8_t low_cap, uint8_t high_cap)
{
	AUTO(builder) struct builder *d = builder_new();
	builder_id s = builder_add_node(d, TOPO_SWITCH, 0x100, 4, "s");
	builder_id h = builder_add_node(d, TOPO_CA, 0x200, 1, "h");
	struct topo *was, *t;

	builder_add_link(d, s, 1, h, 1);
	builder_set_self(d, h, 1);
	was = builder_freeze(d, 1, NULL);
	for (port_ix p = 0; p < was->nports; p++) {
		uint64_t guid = was->node[was->port[p].node].guid;
		uint8_t info[MAD_DATA] = {0};
		struct mad_port_info i;

		if (mad_port_info_decode(topo_info(was, p), &i, NULL) != 0)
			continue;
		i.vl_cap = i.op_vls = vl_cap;
		i.arb_low_cap = low_cap;
		i.arb_high_cap = high_cap;
		mad_port_info_encode(&i, info);
		builder_port_written(d, guid, was->port[p].num, info);
	}
	topo_unref(was);
	t = builder_freeze(d, 2, NULL);
	return t;
}

static unsigned
weight_of(const struct vlarb_table *v, unsigned first, unsigned vl)
{
	unsigned sum = 0;

	for (unsigned part = first; part < first + 2; part++)
		for (unsigned i = 0; i < 32; i++)
			if ((v->part[part][2 * i] & 15) == vl)
				sum += v->part[part][2 * i + 1];
	return sum;
}

TEST(shares)
{
	static const struct {
		uint8_t weight[3];
		uint8_t cap;
		unsigned is[3];
	} row[] = {
		{{1, 1, 1}, 8, {64, 64, 64}},
		{{1, 2, 5}, 8, {64, 128, 320}},
		{{5, 5, 5}, 64, {64, 64, 64}},
		{{1, 255, 1}, 64, {61, 15555, 61}},
	};
	struct slvl_want w = {.n = 3};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct topo *t = one_link_topo(3, row[i].cap, row[i].cap);
		port_ix p = topo_by_port_guid(t, 0x200) != TOPO_NONE
				    ? topo_by_port_guid(t, 0x200)
				    : t->sm_port;
		struct vlarb_want v = {0};
		struct vlarb_table out;

		for (unsigned k = 0; k < 3; k++)
			w.level[k].sl = SLVL_ANY;
		slvl_allocate(&w, 1, true, &v.levels);
		memcpy(v.weight[VLARB_HOST], row[i].weight, 3);
		ck_assert(vlarb_make(&v, t, p, &out));
		for (unsigned vl = 0; vl < 3; vl++)
			ck_assert_msg(weight_of(&out, 0, vl) == row[i].is[vl],
				"case %zu VL %u: %u", i, vl,
				weight_of(&out, 0, vl));
		/* the VL is operational and has no share: it has to drain */
		ck_assert_uint_eq(weight_of(&out, 0, 3), 1);
		topo_unref(t);
	}
}

/* For any shares, no operational VL is left out and no table has an entry too
 * many. */
TEST(any_shares)
{
	struct rng r = {SEED};

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint8_t low = (uint8_t)(1 + rng_below(&r, 64));
		uint8_t high = (uint8_t)rng_below(&r, 65);
		AUTO(topo)
		struct topo *t = one_link_topo(
			(uint8_t)(2 + rng_below(&r, 4)), low, high);
		struct slvl_want w = {.n = 1 + rng_below(&r, SLVL_MAX)};
		struct vlarb_want v = {0};
		struct vlarb_table out;
		unsigned vls;

		for (unsigned k = 0; k < w.n; k++)
			w.level[k].sl = SLVL_ANY;
		slvl_allocate(&w, 1 + rng_below(&r, 4), true, &v.levels);
		v.high = (uint16_t)rng_below(&r, 1U << w.n);
		for (unsigned k = 0; k < w.n; k++)
			v.weight[VLARB_HOST][k] =
				(uint8_t)(1 + rng_below(&r, 255));
		ck_assert(vlarb_make(&v, t, t->sm_port, &out));
		vls = vlarb_vls(&v, t, t->sm_port);
		for (unsigned sl = 0; sl < SLVL_SLS; sl++) {
			unsigned vl = slvl_vl(&v.levels, sl,
				(struct slvl_hop){vls, .end = true});

			ck_assert_msg(
				vl < vls && (weight_of(&out, 0, vl) > 0 ||
						    weight_of(&out, 2, vl) > 0),
				"seed %d round %u SL %u", SEED, round, sl);
		}
		for (unsigned i = low; i < 64; i++)
			ck_assert_uint_eq(
				out.part[i / 32][2 * (i % 32) + 1], 0);
		for (unsigned i = high; i < 64; i++)
			ck_assert_uint_eq(
				out.part[2 + i / 32][2 * (i % 32) + 1], 0);
	}
}
