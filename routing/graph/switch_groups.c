#include "routing/graph/switch_groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/base/node_entry.h"

enum {
	GROUPS_LEAST = 3,
	DENSE = 70,  /* per cent of the links that a group could have */
	LINKED = 75, /* per cent of the pairs of groups */
	HUNDRED = 100,
	LEFT = 2, /* of groups that were there before, 1/LEFT of that */
};

/* ---- groups that are given ---- */

/* The group of a switch. -1 and why: none, or two alike. */
static int
take_group(const struct swgraph *g, const struct schema_names *given, sw_ix s,
	uint32_t *of, struct reason *why)
{
	const struct topo_node *node = &g->t->node[g->t->sw[s].node];
	const char *name = topo_desc(g->t, g->t->sw[s].node), *twice = NULL;
	size_t most = 0;

	for (size_t i = 0; i < given->n; i++) {
		size_t w = node_entry_weight(given->name[i], node->guid, name);

		if (w > 0 && w == most)
			twice = given->name[i];
		if (w <= most)
			continue;
		most = w;
		twice = NULL;
		*of = (uint32_t)i;
	}
	if (most == 0)
		return reason_set(why,
			"switch 0x%016" PRIx64 " \"%.64s\" is in none of the "
			"%zu groups given",
			node->guid, name, given->n);
	if (twice != NULL)
		return reason_set(why,
			"switch 0x%016" PRIx64 " \"%.64s\" is in two of the "
			"groups given: %.64s and %.64s",
			node->guid, name, given->name[*of], twice);
	return 0;
}

int
switch_groups_take(const struct swgraph *g, const struct schema_names *given,
	struct switch_groups *out, struct reason *why)
{
	bool *has = arena_array(g->a, given->n + 1, sizeof(*has));
	uint32_t groups = 0;

	*out = (struct switch_groups){(uint32_t)given->n,
		arena_array(g->a, g->nsw + 1U, sizeof(*out->of))};
	for (sw_ix s = 0; s < g->nsw; s++) {
		if (!g->live[s])
			continue;
		if (take_group(g, given, s, &out->of[s], why) != 0)
			return -1;
		groups += !has[out->of[s]];
		has[out->of[s]] = true;
	}
	if (groups < GROUPS_LEAST)
		return reason_set(why,
			"no dragonfly: %" PRIu32 " of the groups given %s "
			"switches",
			groups, groups == 1 ? "has" : "have");
	return 0;
}

/* ---- triangles ---- */

/* Switches that both ends of a link are linked to; near[] is those of one. */
static uint32_t
count_common(const struct swgraph *g, const bool *near, sw_ix b)
{
	uint32_t n = 0;

	for (uint32_t i = g->first[b]; i < g->first[b + 1]; i++)
		n += near[g->group[i].peer];
	return n;
}

/* The triangles of each link group, in count[]; returns the most. */
static uint32_t
count_triangles(const struct swgraph *g, uint32_t *count)
{
	bool *near = mem_zalloc(g->nsw + 1U, sizeof(*near));
	uint32_t most = 0;

	for (sw_ix s = 0; s < g->nsw; s++) {
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
			near[g->group[i].peer] = true;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			count[i] = count_common(g, near, g->group[i].peer);
			most = count[i] > most ? count[i] : most;
		}
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
			near[g->group[i].peer] = false;
	}
	free(near);
	return most;
}

/* ---- groups ---- */

/* All that hangs on s by links in at least this many triangles is the next
 * group. */
static void
spread_group(const struct swgraph *g, const uint32_t *count, uint32_t least,
	sw_ix s, struct switch_groups *out, sw_ix *queue)
{
	uint32_t head = 0, tail = 0, group = out->n++;

	out->of[s] = group;
	for (queue[tail++] = s; head < tail; head++)
		for (uint32_t i = g->first[queue[head]];
			i < g->first[queue[head] + 1]; i++) {
			sw_ix p = g->group[i].peer;

			if (count[i] < least || !g->live[p] ||
				out->of[p] != UINT32_MAX)
				continue;
			out->of[p] = group;
			queue[tail++] = p;
		}
}

static void
find_groups(const struct swgraph *g, struct switch_groups *out)
{
	uint32_t *count =
		arena_array(g->a, g->first[g->nsw] + 1, sizeof(*count));
	uint32_t least = (count_triangles(g, count) + 1) / 2, n = 0;
	const uint32_t *place = swgraph_by_guid(g);
	sw_ix *by = arena_array(g->a, g->nsw + 1U, sizeof(*by));
	sw_ix *queue = arena_array(g->a, g->nsw + 1U, sizeof(*queue));

	out->of = arena_array(g->a, g->nsw + 1U, sizeof(*out->of));
	memset(out->of, 0xff, g->nsw * sizeof(*out->of));
	for (sw_ix s = 0; s < g->nsw; s++)
		if (g->live[s]) {
			by[place[s]] = s;
			n++;
		}
	for (uint32_t i = 0; i < n; i++)
		if (out->of[by[i]] == UINT32_MAX)
			spread_group(g, count, least > 0 ? least : 1, by[i],
				out, queue);
}

/* ---- what there is of a dragonfly ---- */

/* Links inside groups, both directions; pairs of groups are marked in linked[n
 * * n]. */
static uint64_t
count_inside(
	const struct swgraph *g, const struct switch_groups *x, bool *linked)
{
	uint64_t inside = 0;

	for (sw_ix s = 0; s < g->nsw; s++)
		for (uint32_t i = g->first[s];
			g->live[s] && i < g->first[s + 1]; i++) {
			uint32_t a = x->of[s], b = x->of[g->group[i].peer];

			inside += a == b;
			linked[(size_t)a * x->n + b] = true;
		}
	return inside;
}

/* Links that groups could have inside, both directions. */
static uint64_t
count_possible(const struct swgraph *g, const struct switch_groups *x)
{
	uint32_t *size = mem_zalloc(x->n + 1U, sizeof(*size));
	uint64_t links = 0;

	for (sw_ix s = 0; s < g->nsw; s++)
		if (g->live[s])
			size[x->of[s]]++;
	for (uint32_t i = 0; i < x->n; i++)
		links += (uint64_t)size[i] * (size[i] - 1);
	free(size);
	return links;
}

int
switch_groups_check(const struct swgraph *g, const struct switch_groups *x,
	bool were, struct reason *why)
{
	const unsigned share = were ? HUNDRED * LEFT : HUNDRED;
	bool *linked = mem_zalloc((size_t)x->n * x->n + 1, sizeof(*linked));
	uint64_t inside = count_inside(g, x, linked);
	uint64_t possible = count_possible(g, x);
	uint32_t all = x->n * (x->n - 1) / 2, pairs = 0;

	for (uint32_t a = 0; a < x->n; a++)
		for (uint32_t b = 0; b < a; b++)
			pairs += linked[(size_t)a * x->n + b];
	free(linked);
	if (x->n < GROUPS_LEAST)
		return reason_set(why,
			"no dragonfly: all switches are in %" PRIu32 " group%s",
			x->n, x->n == 1 ? "" : "s");
	if (possible == 0)
		return reason_set(why,
			"no dragonfly: no two of its switches make a group");
	if (inside * share < possible * DENSE)
		return reason_set(why,
			"no dragonfly: its %" PRIu32 " groups have %" PRIu64
			" of %" PRIu64 " links inside",
			x->n, inside / 2, possible / 2);
	if ((uint64_t)pairs * share < (uint64_t)all * LINKED)
		return reason_set(why,
			"no dragonfly: %" PRIu32 " of %" PRIu32
			" pairs of its %" PRIu32 " groups have a link",
			pairs, all, x->n);
	return 0;
}

int
switch_groups_read(
	const struct swgraph *g, struct switch_groups *out, struct reason *why)
{
	*out = (struct switch_groups){0};
	find_groups(g, out);
	return switch_groups_check(g, out, false, why);
}
