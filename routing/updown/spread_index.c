#include <assert.h>

#include "routing/updown/updown.h"

enum {
	SPREAD = 12, /* ways of parallel cables worth telling apart exactly */
	SUBSTITUTES = 4,
	FINEST = 16,
};

/* lcm of a and b where it is worth telling apart, else the greater one. */
static uint32_t
together(uint32_t a, uint32_t b)
{
	uint32_t x = a, y = b, lcm;

	assert(a > 0);
	if (b == 1 || b == a)
		return a; /* nearly always */
	while (y != 0) {
		uint32_t c = x % y;

		x = y;
		y = c;
	}
	lcm = a / x * b;
	return lcm <= SPREAD ? lcm : a > b ? a : b;
}

/* Cables of s that lead up to an apex, of the first there is; 1 if none. */
static uint32_t
cables_up(const struct updown *u, const struct dest_table *d, sw_ix s)
{
	const uint64_t *above = u->tier_above[s];
	uint32_t k = 0, n = 0;

	while (k < d->napex &&
		(d->apex[k] == s || !bitset_has(above, d->apex[k])))
		k++;
	for (uint32_t g = u->graph.first[s];
		k < d->napex && g < u->graph.first[s + 1]; g++) {
		sw_ix peer = u->graph.group[g].peer;

		if (sw_is_above(u, s, peer) &&
			bitset_has(u->tier_above[peer], d->apex[k]))
			n += u->graph.group[g].n;
	}
	return n > 0 ? n : 1;
}

/*
 * How many ways of splitting a key must tell apart: over parallel cables, and
 * over several switches that lead to the same apex.
 */
static uint32_t
spread_of(const struct updown *u, const struct dest_table *d)
{
	uint32_t n = 1;

	for (uint32_t g = 0; g < u->graph.first[u->graph.nsw]; g++)
		n = together(n, u->graph.group[g].n);
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.live[s])
			n = together(n, cables_up(u, d, s));
	return n;
}

static sw_ix
apex_of(const struct down_path *c)
{
	return c->sw[c->len - 1];
}

/* Number the apexes of hosts' LIDs, or of others', in the order of their use.
 */
static void
number_apexes(struct dest_table *d, bool others, uint32_t *number)
{
	for (uint32_t i = 0; i < d->n; i++) {
		sw_ix x = apex_of(&d->chain[i]);

		if ((d->other[i] != 0) != others || number[x] != 0)
			continue;
		d->apex[d->napex++] = x;
		number[x] = d->napex;
	}
}

/*
 * What a source makes of a key where several switches lead to each apex (see
 * take_turns in row_fill.c): which of them it goes up by, seen from a switch
 * of hosts in an undamaged tree.
 */
struct ups {
	const struct updown *u;
	uint32_t cables, groups, apexes, period;
};

static struct ups
ups_of_sources(const struct updown *u, const struct dest_table *d)
{
	struct ups up = {.u = u};
	uint32_t x, y;

	for (sw_ix s = 0; s < u->graph.nsw && up.groups < 2; s++) {
		uint32_t n = 0;

		if (!u->graph.live[s] || u->graph.weight[s] == 0)
			continue;
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			n += sw_is_above(u, s, u->graph.group[g].peer) &&
			     bitset_has(u->tier_above[u->graph.group[g].peer],
				     d->apex[0]);
		up.groups = n;
		up.cables = n > 0 ? cables_up(u, d, s) : 0;
	}
	up.apexes = d->nmain;
	if (up.groups < 2 || up.apexes == 0)
		return (struct ups){.u = NULL};
	for (x = up.apexes, y = up.cables; y != 0;) {
		uint32_t c = x % y;

		x = y;
		y = c;
	}
	up.period = up.apexes / x * up.cables;
	return up;
}

static uint32_t
way_up(const struct dest_table *d, const struct ups *up, uint16_t key)
{
	uint32_t i = key % d->spread * up->apexes + key / d->spread;

	return (i + i / up->period) % up->cables % up->groups;
}

static bool
crosses(const struct down_path *a, const struct down_path *b)
{
	for (uint32_t k = 0; k < a->len; k++)
		for (uint32_t l = 0; l < b->len; l++)
			if (a->sw[k] == b->sw[l])
				return true;
	return false;
}

/* Which of the switches above its own a way comes down by. */
static uint32_t
way_down(const struct ups *up, const struct down_path *c)
{
	const struct updown *u = up->u;
	uint32_t n = 0;

	for (uint32_t g = u->graph.first[c->sw[0]];
		g < u->graph.first[c->sw[0] + 1]; g++) {
		if (!sw_is_above(u, c->sw[0], u->graph.group[g].peer))
			continue;
		if (c->len > 1 && u->graph.group[g].peer == c->sw[1])
			return n;
		n++;
	}
	return UINT32_MAX;
}

/* Sources beside the one port come to it by the switch that leads down to it,
 * and by that of the key to the other one, if it is elsewhere. */
static bool
meets_beside(const struct ups *up, const struct down_path *one,
	const struct down_path *other, uint32_t others_way)
{
	const struct updown *u = up->u;

	return one->len > 1 && way_down(up, one) == others_way &&
	       !bitset_has(u->tier_above[other->sw[0]], one->sw[1]);
}

/* Had LID i the way of LID k, would it meet another port of its node? */
static bool
would_meet(const struct dest_table *d, const struct ups *up, uint32_t i,
	uint32_t k)
{
	uint32_t way = up->groups > 0 ? way_up(d, up, d->key[k]) : 0;

	for (uint32_t j = d->home[i]; j != i; j = d->home[j]) {
		uint32_t its;

		if (crosses(&d->chain[j], &d->chain[k]))
			return true;
		if (up->groups == 0)
			continue; /* sources follow the ways down */
		its = way_up(d, up, d->key[j]);
		if (its == way ||
			meets_beside(up, &d->chain[j], &d->chain[k], way) ||
			meets_beside(up, &d->chain[k], &d->chain[j], its))
			return true;
	}
	return false;
}

static void
swap_ways(struct dest_table *d, uint32_t i, uint32_t k)
{
	struct down_path chain = d->chain[i];
	uint16_t key = d->key[i];

	d->chain[i] = d->chain[k];
	d->chain[k] = chain;
	d->key[i] = d->key[k];
	d->key[k] = key;
}

/* Two ports of a node on one switch: their ways end alike, whatever they are.
 */
static bool
is_beside(const struct dest_table *d, uint32_t i)
{
	for (uint32_t j = d->home[i]; j != i; j = d->home[j])
		if (d->dest[j] == d->dest[i])
			return true;
	return false;
}

/*
 * The first of two ports finds its way without knowing that the other will have
 * no choice; and ways down that have nothing in common are of no use where
 * sources go up to both by one switch. LIDs of the same switch change their
 * ways with each other until neither is so, which puts nothing more on any
 * cable.
 */
static void
part_homes(struct dest_table *d, const struct ups *up)
{
	for (uint32_t i = 0; i < d->n; i++) {
		sw_ix s = d->dest[i];

		if (d->home[i] == i || d->other[i] || d->share_of[i] != 0 ||
			!would_meet(d, up, i, i) || is_beside(d, i))
			continue;
		for (uint32_t k = d->at[s]; k < d->end[s]; k++) {
			if (d->other[k] || d->share_of[k] != 0 ||
				would_meet(d, up, i, k) ||
				(would_meet(d, up, k, i) &&
					!would_meet(d, up, k, k)))
				continue;
			swap_ways(d, i, k);
			break;
		}
	}
}

void
spread_index_number(
	const struct updown *u, struct dest_table *d, const uint32_t *seq)
{
	uint32_t *number =
		arena_array(u->graph.a, u->graph.nsw, sizeof(*number));
	uint32_t *turn[2];
	struct ups up;

	d->apex = arena_array(u->graph.a, u->graph.nsw, sizeof(*d->apex));
	for (unsigned kind = 0; kind < 2; kind++)
		turn[kind] = arena_array(
			u->graph.a, u->graph.nsw, sizeof(*turn[kind]));
	number_apexes(d, false, number);
	d->nmain = d->napex;
	number_apexes(d, true, number);
	d->spread = spread_of(u, d);
	assert(d->spread > 0);
	/* Damaged: what replaces an apex can be told apart more finely. */
	if (d->nsplit > 0 && d->spread * SUBSTITUTES <= FINEST)
		d->spread *= SUBSTITUTES;
	if (d->napex * d->spread > UINT16_MAX)
		d->spread = 1;
	d->nkey = arena_array(
		u->graph.a, (size_t)d->napex * d->spread, sizeof(*d->nkey));
	up = ups_of_sources(u, d);
	for (uint32_t at = 0; at < d->n; at++) {
		uint32_t i = seq[at];
		sw_ix x = apex_of(&d->chain[i]);
		uint32_t k = number[x] - 1;
		uint32_t q = turn[d->other[i]][x]++ % d->spread;

		d->key[i] = (uint16_t)(k * d->spread + q);
		d->nkey[d->key[i]] += !d->other[i];
	}
	part_homes(d, &up);
}
