#include <assert.h>
#include <stdlib.h>

#include "sm/base/mem.h"
#include "tests/topo/gen.h"

enum {
	/* A chassis of 648 ports, built of switches of 36. */
	TOPS = 18,
	INNER = 36,
	BOX_PORTS = 18, /* of an inner switch, to the outside */
	/* A rack: two switches of 36 ports, a third for each use. */
	THIRD = 12,
	BUNDLE = 3, /* links from one rack switch to one above */
	/* The tree of 3456 ports, built of switches of 24. */
	CORE_K = 24,
	CORE_LEAVES = 288,
	DUAL_UP = 6, /* links from a rack switch into each of two trees */
};

static void
connect_nodes(struct fabric *f, uint32_t a, uint32_t b, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		uint32_t c = fabric_connect(f, a, fabric_free_port(f, a), b,
			fabric_free_port(f, b), NULL);

		assert(c != FABRIC_NONE);
		(void)c;
	}
}

/* Add one of a rack's two switches with its hosts. */
static uint32_t
rack_switch(struct fabric *f, unsigned rack, unsigned half, unsigned hosts)
{
	uint32_t sw = fabric_addf(f, FABRIC_SWITCH, 3 * THIRD, "rack%u.%c",
		rack + 1, half == 0 ? 'a' : 'b');

	for (unsigned i = 0; i < hosts; i++)
		connect_nodes(f, sw,
			fabric_addf(f, FABRIC_CA, 1, "h%u", f->nhosts + 1), 1);
	return sw;
}

static void
add_chassis(struct fabric *f, unsigned box, uint32_t *inner, unsigned ninner)
{
	for (unsigned i = 0; i < ninner; i++)
		inner[i] = fabric_addf(f, FABRIC_SWITCH, 2 * BOX_PORTS,
			"box%u.leaf%u", box + 1, i + 1);
	for (unsigned i = 0; i < TOPS; i++) {
		uint32_t top = fabric_addf(
			f, FABRIC_SWITCH, INNER, "box%u.top%u", box + 1, i + 1);

		for (unsigned k = 0; k < ninner; k++)
			connect_nodes(f, inner[k], top, 1);
	}
}

static struct fabric *
make_racks(unsigned boxes, unsigned ninner, unsigned even, unsigned odd)
{
	unsigned n = boxes * ninner * BOX_PORTS / (2 * THIRD);
	struct fabric *f = fabric_new();
	uint32_t *rack = mem_zalloc((size_t)2 * n, sizeof(*rack));
	uint32_t *inner = mem_zalloc((size_t)boxes * ninner, sizeof(*inner));

	for (unsigned r = 0; r < n; r++) {
		unsigned hosts = r % 2 == 0 ? even : odd;
		uint32_t *pair = rack + (size_t)2 * r;

		pair[0] = rack_switch(f, r, 0, (hosts + 1) / 2);
		pair[1] = rack_switch(f, r, 1, hosts / 2);
		connect_nodes(f, pair[0], pair[1], THIRD);
	}
	for (unsigned b = 0; b < boxes; b++)
		add_chassis(f, b, inner + (size_t)b * ninner, ninner);
	for (unsigned i = 0; i < 2 * n; i++)
		for (unsigned k = 0; k < THIRD / BUNDLE; k++) {
			unsigned box = boxes == 1 ? 0 : i % 2 * 4 + k;
			unsigned at = boxes == 1 ? i / 6 * 4 + k : i / 2 / 6;

			connect_nodes(
				f, rack[i], inner[box * ninner + at], BUNDLE);
		}
	free(rack);
	free(inner);
	return f;
}

struct fabric *
gen_paper_racks(unsigned boxes, unsigned even, unsigned odd, struct reason *why)
{
	if ((boxes == 1 || boxes == 8) && even <= 2 * THIRD && odd <= 2 * THIRD)
		return make_racks(boxes, INNER, even, odd);
	reason_set(why,
		"1 or 8 chassis, at most %u hosts a rack, not %u of %u and %u",
		2 * THIRD, boxes, even, odd);
	return NULL;
}

struct fabric *
gen_paper_thirds(unsigned thirds, unsigned hosts, struct reason *why)
{
	if (thirds >= 1 && thirds <= 3 && hosts <= 2 * THIRD)
		return make_racks(1, thirds * (INNER / 3), hosts, hosts);
	reason_set(why, "1 to 3 thirds, at most %u hosts a rack, not %u and %u",
		2 * THIRD, thirds, hosts);
	return NULL;
}

struct fabric *
gen_paper_planes(const struct gen_planes *p)
{
	struct fabric *f = fabric_new();
	unsigned n = p->planes * p->racks;
	unsigned ports = p->spines + p->hosts + (p->planes - 1) * p->across;
	uint32_t *leaf = mem_zalloc(n, sizeof(*leaf));

	for (unsigned i = 0; i < n; i++) {
		leaf[i] = fabric_addf(f, FABRIC_SWITCH, ports, "rack%u.%u",
			i / p->planes + 1, i % p->planes + 1);
		for (unsigned h = 0; h < p->hosts; h++)
			connect_nodes(f, leaf[i],
				fabric_addf(
					f, FABRIC_CA, 1, "h%u", f->nhosts + 1),
				1);
		for (unsigned k = i - i % p->planes; k < i; k++)
			connect_nodes(f, leaf[i], leaf[k], p->across);
	}
	for (unsigned i = 0; i < p->planes * p->spines; i++) {
		uint32_t top = fabric_addf(f, FABRIC_SWITCH, p->racks,
			"top%u.%u", i / p->spines + 1, i % p->spines + 1);

		for (unsigned r = 0; r < p->racks; r++)
			connect_nodes(
				f, leaf[r * p->planes + i / p->spines], top, 1);
	}
	free(leaf);
	return f;
}

/* Add a tree of 3456 ports without hosts; leaf[]: its leaves. */
static void
add_core(struct fabric *f, unsigned tree, uint32_t leaf[CORE_LEAVES])
{
	uint32_t mid[CORE_LEAVES];
	const unsigned half = CORE_K / 2;

	for (unsigned i = 0; i < CORE_LEAVES; i++)
		leaf[i] = fabric_addf(f, FABRIC_SWITCH, CORE_K,
			"tree%u.pod%u.leaf%u", tree + 1, i / half + 1,
			i % half + 1);
	for (unsigned i = 0; i < CORE_LEAVES; i++) {
		mid[i] = fabric_addf(f, FABRIC_SWITCH, CORE_K,
			"tree%u.pod%u.mid%u", tree + 1, i / half + 1,
			i % half + 1);
		for (unsigned k = 0; k < half; k++)
			connect_nodes(f, leaf[i / half * half + k], mid[i], 1);
	}
	for (unsigned i = 0; i < half * half; i++) {
		uint32_t top = fabric_addf(f, FABRIC_SWITCH, CORE_K,
			"tree%u.top%u", tree + 1, i + 1);

		for (unsigned pod = 0; pod < CORE_K; pod++)
			connect_nodes(f, mid[pod * half + i / half], top, 1);
	}
}

struct fabric *
gen_paper_dual(unsigned even, unsigned odd, struct reason *why)
{
	uint32_t rack[CORE_LEAVES], leaf[2][CORE_LEAVES];
	struct fabric *f;

	if (even > CORE_K / 2 || odd > CORE_K / 2) {
		reason_set(why, "at most %u hosts a rack, not %u and %u",
			CORE_K / 2, even, odd);
		return NULL;
	}
	f = fabric_new();
	for (unsigned i = 0; i < CORE_LEAVES; i++) {
		unsigned hosts = i % 2 == 0 ? even : odd;

		rack[i] =
			fabric_addf(f, FABRIC_SWITCH, CORE_K, "rack%u", i + 1);
		for (unsigned h = 0; h < hosts; h++)
			connect_nodes(f, rack[i],
				fabric_addf(
					f, FABRIC_CA, 1, "h%u", f->nhosts + 1),
				1);
	}
	for (unsigned t = 0; t < 2; t++)
		add_core(f, t, leaf[t]);
	for (unsigned i = 0; i < CORE_LEAVES; i++)
		for (unsigned k = 0; k < 2 * DUAL_UP; k++)
			connect_nodes(f, rack[i],
				leaf[k / DUAL_UP]
				    [i / DUAL_UP * DUAL_UP + k % DUAL_UP],
				1);
	return f;
}
