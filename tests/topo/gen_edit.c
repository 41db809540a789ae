#include <assert.h>
#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/gen.h"

enum { MAX_RADIX = 254 };

static bool
is_switch(const struct fabric *f, uint32_t n)
{
	return f->node[n].type == FABRIC_SWITCH;
}

static void
shuffle_numbers(uint32_t *a, uint32_t n, uint64_t seed)
{
	struct rng r = {seed};

	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = rng_below(&r, i), t = a[i - 1];

		a[i - 1] = a[j];
		a[j] = t;
	}
}

/* fabric_rebuild, then free the original. */
static struct fabric *
replace_fabric(struct fabric *f, const struct fabric_edit *e)
{
	struct fabric *out = fabric_rebuild(f, e);

	fabric_free(f);
	return out;
}

/* Remove one cable or switch. */
static struct fabric *
drop_one(struct fabric *f, uint32_t cable, uint32_t node)
{
	bool *dc = mem_zalloc(f->ncables, sizeof(*dc));
	bool *dn = mem_zalloc(f->nnodes, sizeof(*dn));
	struct fabric_edit e = {
		.drop_cable = dc, .drop_node = dn, .drop_orphans = true};

	if (cable != FABRIC_NONE)
		dc[cable] = true;
	if (node != FABRIC_NONE)
		dn[node] = true;
	f = replace_fabric(f, &e);
	free(dc);
	free(dn);
	return f;
}

/* Candidates for failure: cables between switches, or switches. */
static uint32_t
list_candidates(const struct fabric *f, bool cables, uint32_t *out)
{
	uint32_t n = 0;

	for (uint32_t c = 0; cables && c < f->ncables; c++) {
		const struct fabric_cable *w = &f->cable[c];

		if (is_switch(f, w->node[0]) && is_switch(f, w->node[1]) &&
			w->node[0] != w->node[1])
			out[n++] = c;
	}
	for (uint32_t i = 0; !cables && i < f->nnodes; i++) {
		if (is_switch(f, i))
			out[n++] = i;
	}
	return n;
}

/* The first candidate without which the rest stays connected. */
static uint32_t
first_safe(
	const struct fabric *f, bool cables, const uint32_t *cand, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (cables ? fabric_connected(f, cand[i], FABRIC_NONE)
			   : fabric_connected(f, FABRIC_NONE, cand[i]))
			return cand[i];
	}
	return FABRIC_NONE;
}

static struct fabric *
fail_parts(struct fabric *f, bool cables, unsigned n, uint64_t seed, bool keep,
	struct reason *why)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t *cand =
			mem_zalloc(f->ncables + f->nnodes, sizeof(*cand));
		uint32_t left = list_candidates(f, cables, cand), pick;

		shuffle_numbers(
			cand, left, (seed ^ i) * 0xd6e8feb86659fd93U + i);
		pick = keep   ? first_safe(f, cables, cand, left)
		       : left ? cand[0]
			      : FABRIC_NONE;
		free(cand);
		if (pick == FABRIC_NONE) {
			reason_set(why, "only %u of %u %s can fail", i, n,
				cables ? "cables" : "switches");
			fabric_free(f);
			return NULL;
		}
		f = drop_one(f, cables ? pick : FABRIC_NONE,
			cables ? FABRIC_NONE : pick);
	}
	return f;
}

struct fabric *
gen_edit_fail_links(struct fabric *f, unsigned n, uint64_t seed, bool keep,
	struct reason *why)
{
	return fail_parts(f, true, n, seed, keep, why);
}

struct fabric *
gen_edit_fail_switches(struct fabric *f, unsigned n, uint64_t seed, bool keep,
	struct reason *why)
{
	return fail_parts(f, false, n, seed, keep, why);
}

/* True if a CA is linked to switch n. */
static bool
has_hosts(const struct fabric *f, uint32_t n)
{
	for (unsigned p = 1; p <= f->node[n].nports; p++) {
		uint32_t peer;
		unsigned pp;

		if (fabric_peer(f, n, p, &peer, &pp) && !is_switch(f, peer))
			return true;
	}
	return false;
}

struct fabric *
gen_edit_populate(struct fabric *f, unsigned even, unsigned odd)
{
	bool *drop = mem_zalloc(f->nnodes, sizeof(*drop));
	struct fabric_edit e = {.drop_node = drop};
	unsigned leaf = 0;

	for (uint32_t n = 0; n < f->nnodes; n++) {
		unsigned kept = 0;

		if (!is_switch(f, n) || !has_hosts(f, n))
			continue;
		for (unsigned p = 1; p <= f->node[n].nports; p++) {
			uint32_t peer;
			unsigned pp;

			if (fabric_peer(f, n, p, &peer, &pp) &&
				!is_switch(f, peer))
				drop[peer] = ++kept > (leaf % 2 ? odd : even);
		}
		leaf++;
	}
	f = replace_fabric(f, &e);
	free(drop);
	return f;
}

/* Add more[n] ports to node n. f is freed; NULL and a reason on failure. */
static struct fabric *
grow_ports(struct fabric *f, const unsigned *more, struct reason *why)
{
	uint8_t *nports = mem_zalloc(f->nnodes, 1);
	struct fabric_edit e = {.nports = nports};

	for (uint32_t n = 0; n < f->nnodes; n++) {
		unsigned want = f->node[n].nports + more[n];

		if (want > MAX_RADIX) {
			reason_set(why, "\"%s\" would need %u ports",
				f->node[n].name, want);
			fabric_free(f);
			free(nports);
			return NULL;
		}
		nports[n] = (uint8_t)want;
	}
	f = replace_fabric(f, &e);
	free(nports);
	return f;
}

static struct fabric *
grow_switches(struct fabric *f, unsigned first, unsigned by, struct reason *why)
{
	unsigned *more = mem_zalloc(f->nnodes, sizeof(*more)), done = 0;

	for (uint32_t n = 0; n < f->nnodes; n++) {
		if (is_switch(f, n) && done++ < first)
			more[n] = by;
	}
	f = grow_ports(f, more, why);
	free(more);
	return f;
}

/* Set the GUIDs of a CA with the system image of node n. */
static void
set_guids(struct fabric *f, uint32_t ca, uint32_t n, unsigned offset)
{
	f->node[ca].guid = f->node[n].guid + offset;
	f->node[ca].sysimg = f->node[n].sysimg;
	for (unsigned p = 1; p <= f->node[ca].nports; p++)
		fabric_port(f, ca, p)->guid = f->node[ca].guid + p;
}

struct fabric *
gen_edit_aggregation(struct fabric *f, struct reason *why)
{
	uint32_t was = f->nnodes;

	f = grow_switches(f, f->nswitches, 1, why);
	for (uint32_t n = 0; f && n < was; n++) {
		uint32_t an;

		if (!is_switch(f, n))
			continue;
		an = fabric_add(f, FABRIC_CA, 1,
			"Mellanox Technologies Aggregation Node");
		f->node[an].device = 0xcf09;
		set_guids(f, an, n, 8);
		(void)fabric_connect(f, n, f->node[n].nports, an, 1, why);
	}
	return f;
}

/* The switches that have hosts, in order. */
static uint32_t
list_leaves(const struct fabric *f, uint32_t *leaf, uint32_t *place)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->nnodes; i++) {
		if (is_switch(f, i) && has_hosts(f, i)) {
			place[i] = n;
			leaf[n++] = i;
		}
	}
	return n;
}

/* The switch of rail r of host h, or FABRIC_NONE. */
static uint32_t
rail_switch(const struct fabric *f, uint32_t h, unsigned r,
	const uint32_t *leaf, const uint32_t *place, uint32_t nleaf)
{
	uint32_t sw;
	unsigned pp;

	if (nleaf == 0 || is_switch(f, h) || !fabric_peer(f, h, 1, &sw, &pp) ||
		!is_switch(f, sw))
		return FABRIC_NONE;
	return leaf[(place[sw] + r) % nleaf];
}

static void
add_rails(struct fabric *f, uint32_t h, unsigned rails, bool separate,
	const uint32_t *to)
{
	for (unsigned r = 1; r < rails; r++) {
		uint32_t ca = h, made;

		if (separate) {
			ca = fabric_addf(f, FABRIC_CA, 1, "%s HCA-%u",
				f->node[h].name, r + 1);
			set_guids(f, ca, h, 16 * r);
		}
		made = fabric_connect(f, ca, separate ? 1 : r + 1, to[r],
			fabric_free_port(f, to[r]), NULL);
		assert(made != FABRIC_NONE);
		(void)made;
	}
}

struct fabric *
gen_edit_rails(
	struct fabric *f, unsigned rails, bool separate, struct reason *why)
{
	uint32_t nnodes = f->nnodes, nleaf;
	uint32_t *leaf = mem_zalloc(nnodes, sizeof(*leaf));
	uint32_t *place = mem_zalloc(nnodes, sizeof(*place));
	unsigned *more = mem_zalloc(nnodes, sizeof(*more));

	nleaf = list_leaves(f, leaf, place);
	if (rails == 0 || rails > 8) {
		reason_set(why, "1 to 8 rails, not %u", rails);
		fabric_free(f);
		f = NULL;
	}
	for (uint32_t h = 0; f && h < nnodes; h++) {
		for (unsigned r = 1; r < rails; r++) {
			uint32_t sw = rail_switch(f, h, r, leaf, place, nleaf);

			if (sw == FABRIC_NONE)
				continue;
			more[sw]++;
			more[h] += separate ? 0 : 1;
		}
	}
	f = f ? grow_ports(f, more, why) : NULL;
	for (uint32_t h = 0; f && h < nnodes; h++) {
		uint32_t to[8];

		for (unsigned r = 1; r < rails; r++)
			to[r] = rail_switch(f, h, r, leaf, place, nleaf);
		if (rails > 1 && to[1] != FABRIC_NONE)
			add_rails(f, h, rails, separate, to);
	}
	free(leaf);
	free(place);
	free(more);
	return f;
}

struct fabric *
gen_edit_self_loops(struct fabric *f, unsigned n, struct reason *why)
{
	unsigned done = 0;

	f = grow_switches(f, n, 2, why);
	for (uint32_t i = 0; f && i < f->nnodes && done < n; i++) {
		unsigned last = f->node[i].nports;

		if (!is_switch(f, i))
			continue;
		(void)fabric_connect(f, i, last - 1, i, last, why);
		done++;
	}
	return f;
}

struct fabric *
gen_edit_ports(struct fabric *f, unsigned nports, bool high, struct reason *why)
{
	uint8_t *want, *shift;
	struct fabric_edit e;

	for (uint32_t n = 0; n < f->nnodes; n++) {
		if (is_switch(f, n) && (f->node[n].nports > nports ||
					       nports > FABRIC_MAX_PORTS)) {
			reason_set(why, "\"%s\" has %u ports, cannot have %u",
				f->node[n].name, f->node[n].nports, nports);
			fabric_free(f);
			return NULL;
		}
	}
	want = mem_zalloc(f->nnodes, 1);
	shift = mem_zalloc(f->nnodes, 1);
	e = (struct fabric_edit){.nports = want, .add_port = shift};
	for (uint32_t n = 0; n < f->nnodes; n++) {
		if (!is_switch(f, n))
			continue;
		want[n] = (uint8_t)nports;
		if (high)
			shift[n] = (uint8_t)(nports - f->node[n].nports);
	}
	f = replace_fabric(f, &e);
	free(want);
	free(shift);
	return f;
}
