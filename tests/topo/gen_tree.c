#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "sm/base/mem.h"
#include "tests/topo/gen.h"

enum { MAX_RADIX = 254, MAX_NODES = 1000000, MAX_LEVELS = 8 };

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

static void
add_hosts(struct fabric *f, uint32_t sw, unsigned hosts)
{
	for (unsigned i = 0; i < hosts; i++)
		connect_nodes(f, sw,
			fabric_addf(f, FABRIC_CA, 1, "h%u", f->nhosts + 1), 1);
}

struct fabric *
gen_tree_two(const struct gen_fattree2 *p, struct reason *why)
{
	unsigned most =
		p->hosts_even > p->hosts_odd ? p->hosts_even : p->hosts_odd;
	uint64_t leaf = (uint64_t)p->spines * p->parallel + most;
	uint64_t spine = (uint64_t)p->leaves * p->parallel;
	struct fabric *f;
	uint32_t *at;

	if (p->leaves == 0 || (p->spines && p->parallel == 0)) {
		reason_set(why, "a fat tree needs leaves and their cables");
		return NULL;
	}
	if (leaf > MAX_RADIX || (p->spines && spine > MAX_RADIX)) {
		reason_set(why,
			"leaves of %ju ports, spines of %ju: at most %d",
			(uintmax_t)leaf, (uintmax_t)spine, MAX_RADIX);
		return NULL;
	}
	f = fabric_new();
	at = mem_zalloc(p->leaves, sizeof(*at));
	for (unsigned i = 0; i < p->leaves; i++) {
		at[i] = fabric_addf(
			f, FABRIC_SWITCH, (unsigned)leaf, "leaf%u", i + 1);
		add_hosts(f, at[i], i % 2 ? p->hosts_odd : p->hosts_even);
	}
	for (unsigned s = 0; s < p->spines; s++) {
		uint32_t sw = fabric_addf(
			f, FABRIC_SWITCH, (unsigned)spine, "spine%u", s + 1);

		for (unsigned i = 0; i < p->leaves; i++)
			connect_nodes(f, at[i], sw, p->parallel);
	}
	free(at);
	return f;
}

/* Add a pod: leaves with hosts, then middle switches; returns the first one. */
static uint32_t
add_pod(struct fabric *f, unsigned k, unsigned pod, uint32_t *leaf,
	uint32_t *mid)
{
	for (unsigned i = 0; i < k / 2; i++) {
		leaf[i] = fabric_addf(
			f, FABRIC_SWITCH, k, "pod%u.leaf%u", pod + 1, i + 1);
		add_hosts(f, leaf[i], k / 2);
	}
	for (unsigned i = 0; i < k / 2; i++) {
		mid[i] = fabric_addf(
			f, FABRIC_SWITCH, k, "pod%u.mid%u", pod + 1, i + 1);
		for (unsigned j = 0; j < k / 2; j++)
			connect_nodes(f, leaf[j], mid[i], 1);
	}
	return mid[0];
}

struct fabric *
gen_tree_three(unsigned k, struct reason *why)
{
	struct fabric *f;
	uint32_t leaf[MAX_RADIX], *mid;

	if (k / 2 == 0 || k % 2 || k > 64) {
		reason_set(why, "k is even, 2 to 64, not %u", k);
		return NULL;
	}
	f = fabric_new();
	mid = mem_zalloc((size_t)k * k / 2, sizeof(*mid));
	for (unsigned pod = 0; pod < k; pod++)
		add_pod(f, k, pod, leaf, mid + (size_t)pod * (k / 2));
	for (unsigned t = 0; t < k * k / 4; t++) {
		uint32_t top = fabric_addf(f, FABRIC_SWITCH, k, "top%u", t + 1);

		for (unsigned pod = 0; pod < k; pod++)
			connect_nodes(
				f, mid[pod * (k / 2) + t / (k / 2)], top, 1);
	}
	free(mid);
	return f;
}

/* A PGFT under construction. */
struct pgft {
	unsigned h;
	unsigned m[MAX_LEVELS], w[MAX_LEVELS], p[MAX_LEVELS];
	uint64_t count[MAX_LEVELS + 1]; /* nodes of a level */
	uint32_t first[MAX_LEVELS + 1]; /* index of the first of them */
};

/* Number of values of digit i (1..h) of a label at level l. */
static unsigned
digit_range(const struct pgft *t, unsigned l, unsigned i)
{
	return i <= l ? t->w[i - 1] : t->m[i - 1];
}

static unsigned
level_radix(const struct pgft *t, unsigned l)
{
	unsigned up = l < t->h ? t->w[l] * t->p[l] : 0;
	unsigned down = l ? t->m[l - 1] * t->p[l - 1] : 0;

	return up + down;
}

static int
pgft_check(struct pgft *t, struct reason *why)
{
	for (unsigned l = 0; l <= t->h; l++) {
		t->count[l] = 1;
		for (unsigned i = 1; i <= t->h; i++) {
			unsigned r = digit_range(t, l, i);

			if (r == 0 || r > MAX_RADIX || t->p[i - 1] == 0 ||
				t->p[i - 1] > MAX_RADIX)
				return reason_set(why,
					"level %u: 1 to %d, not %u", i,
					MAX_RADIX, r);
			t->count[l] *= r;
			if (t->count[l] > MAX_NODES)
				return reason_set(
					why, "level %u is too wide", l);
		}
		if (level_radix(t, l) > MAX_RADIX)
			return reason_set(why,
				"level %u needs %u ports, at most %d", l,
				level_radix(t, l), MAX_RADIX);
	}
	return 0;
}

/*
 * Link the nodes of level l to the nodes of level l + 1 with the same digits
 * except digit l + 1, which has its own range at each level.
 */
static void
pgft_cable(struct fabric *f, const struct pgft *t, unsigned l)
{
	uint32_t below = 1;
	unsigned m = t->m[l], w = t->w[l];

	for (unsigned i = 1; i <= l; i++)
		below *= t->w[i - 1];
	for (uint32_t x = 0; x < t->count[l]; x++) {
		uint32_t lo = x % below, hi = x / below / m;

		for (unsigned up = 0; up < w; up++) {
			uint32_t y = (hi * w + up) * below + lo;

			connect_nodes(f, t->first[l] + x, t->first[l + 1] + y,
				t->p[l]);
		}
	}
}

struct fabric *
gen_tree_pgft(unsigned h, const unsigned *m, const unsigned *w,
	const unsigned *p, struct reason *why)
{
	struct pgft t = {.h = h};
	struct fabric *f;

	if (h == 0 || h > MAX_LEVELS) {
		reason_set(why, "1 to %d levels, not %u", MAX_LEVELS, h);
		return NULL;
	}
	for (unsigned i = 0; i < h; i++) {
		t.m[i] = m[i];
		t.w[i] = w[i];
		t.p[i] = p ? p[i] : 1;
	}
	if (pgft_check(&t, why))
		return NULL;
	f = fabric_new();
	for (unsigned l = 0; l <= h; l++) {
		t.first[l] = f->nnodes;
		for (unsigned i = 0; i < t.count[l]; i++) {
			if (l == 0)
				fabric_addf(f, FABRIC_CA, level_radix(&t, l),
					"h%u", i + 1);
			else
				fabric_addf(f, FABRIC_SWITCH,
					level_radix(&t, l), "l%u.%u", l, i + 1);
		}
	}
	for (unsigned l = 0; l < h; l++)
		pgft_cable(f, &t, l);
	return f;
}

struct fabric *
gen_tree_kary(unsigned k, unsigned n, struct reason *why)
{
	unsigned m[MAX_LEVELS], w[MAX_LEVELS];

	for (unsigned i = 0; i < MAX_LEVELS; i++) {
		m[i] = k;
		w[i] = i ? k : 1;
	}
	return gen_tree_pgft(n, m, w, NULL, why);
}
