#include "sm/report/fabric_areas.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sm/report/names.h"

/* Switches with names beside them: so many fit a screen. */
enum { NAMED_MOST = 96, CIRCLE_MOST = 48, AREAS_MOST = 96, ALIKE_MOST = 24 };

struct work {
	const struct fabric_graph *g;
	struct arena *a;
	struct fabric_areas *out;
};

const char *
fabric_layout_name(enum fabric_layout layout)
{
	static const char *const name[] = {"tiers", "groups", "grid", "circle"};

	return name[layout];
}

/* The part between the first ';' and the first ':' behind it, which is the name
 * of the host; of what follows the model, all but a lone "/U1". */
struct fabric_short_name
fabric_short_name(const struct fabric_graph_switch *s)
{
	struct fabric_short_name out;
	const char *begin = strchr(s->name, ';'), *end, *unit;

	end = begin != NULL ? strchr(begin, ':') : NULL;
	if (s->name[0] == '\0') {
		(void)snprintf(out.s, sizeof(out.s), "0x%016" PRIx64, s->guid);
	} else if (end == NULL || end == begin + 1) {
		(void)snprintf(out.s, sizeof(out.s), "%s", s->name);
	} else {
		unit = strchr(end, '/');
		if (unit != NULL && strcmp(unit, "/U1") == 0)
			unit = NULL;
		(void)snprintf(out.s, sizeof(out.s), "%.*s%s",
			(int)(end - begin - 1), begin + 1,
			unit != NULL ? unit : "");
	}
	return out;
}

/* ---- areas ---- */

static uint32_t
add_area(struct work *w, uint32_t band, bool framed)
{
	struct fabric_areas *x = w->out;

	x->area[x->n] = (struct fabric_area){.band = band, .framed = framed};
	if (band >= x->nbands)
		x->nbands = band + 1;
	return x->n++;
}

static void
put_switch(struct work *w, uint32_t s, uint32_t area, uint32_t row)
{
	w->out->of[s] = area;
	w->out->row[s] = row;
	w->out->area[area].switches++;
	w->out->area[area].hosts += w->g->sw[s].hosts;
}

static void
describe_area(struct fabric_area *x)
{
	int n = snprintf(x->detail, sizeof(x->detail), "%" PRIu32 " switch%s",
		x->switches, names_plural_es(x->switches));

	if (x->hosts > 0 && n > 0)
		(void)snprintf(x->detail + n, sizeof(x->detail) - (size_t)n,
			", %" PRIu32 " host port%s", x->hosts,
			names_plural(x->hosts));
}

/* "leaf1 .. leaf18": the first and the last switch of its last row by name. */
static void
title_by_names(struct work *w, uint32_t area)
{
	const struct fabric_areas *x = w->out;
	uint32_t first = FABRIC_GRAPH_NONE, last = 0, row = 0;
	struct fabric_short_name from, to;

	for (uint32_t s = 0; s < w->g->nsw; s++)
		if (x->of[s] == area && x->row[s] > row)
			row = x->row[s];
	for (uint32_t i = 0; i < w->g->nsw; i++) {
		uint32_t s = x->order[i];

		if (x->of[s] != area || x->row[s] != row)
			continue;
		if (first == FABRIC_GRAPH_NONE)
			first = s;
		last = s;
	}
	if (first == FABRIC_GRAPH_NONE)
		return;
	from = fabric_short_name(&w->g->sw[first]);
	to = fabric_short_name(&w->g->sw[last]);
	(void)snprintf(x->area[area].title, FABRIC_AREA_TITLE, "%.34s%s%.34s",
		from.s, first == last ? "" : " .. ", first == last ? "" : to.s);
}

/* ---- trees ---- */

/* Whether a neighbour of a switch of this tier counts for being alike: those
 * below, or of the last tier those above. */
static bool
counts_for(const struct fabric_graph *g, uint32_t s, uint32_t peer)
{
	bool last = g->sw[s].tier + 1 == g->ntiers;

	return last ? g->sw[peer].tier < g->sw[s].tier
		    : g->sw[peer].tier > g->sw[s].tier;
}

/* Whether two switches share more than half of all neighbours that count. */
static bool
are_alike(const struct work *w, uint32_t s, uint32_t t, uint32_t *mark)
{
	const struct fabric_graph *g = w->g;
	uint32_t n = 0, both = 0, peer;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		peer = fabric_graph_peer(&g->link[g->by_switch[i]], s);
		if (counts_for(g, s, peer)) {
			mark[peer] = s + 1;
			n++;
		}
	}
	for (uint32_t i = g->first[t]; i < g->first[t + 1]; i++) {
		peer = fabric_graph_peer(&g->link[g->by_switch[i]], t);
		if (counts_for(g, t, peer)) {
			both += mark[peer] == s + 1;
			n += mark[peer] != s + 1;
		}
	}
	return both * 2 > n;
}

/* All of a tier in one area. */
static void
take_tier(struct work *w, uint32_t tier)
{
	const struct fabric_graph *g = w->g;
	uint32_t area = add_area(w, tier, false);

	for (uint32_t i = 0; i < g->nsw; i++)
		if (g->sw[w->out->order[i]].tier == tier)
			put_switch(w, w->out->order[i], area, 0);
	if (g->shape == FABRIC_GRAPH_TREE)
		(void)snprintf(w->out->area[area].title, FABRIC_AREA_TITLE,
			"tier %" PRIu32 "%s", tier,
			tier == 0 ? ", the top" : "");
	else
		(void)snprintf(w->out->area[area].title, FABRIC_AREA_TITLE,
			"distance %" PRIu32 " from the centre", tier);
}

/* The switches of a tier, those that are alike in one area; all in one if few
 * are alike. */
static void
split_tier(struct work *w, uint32_t tier)
{
	const struct fabric_graph *g = w->g;
	struct fabric_areas *x = w->out;
	uint32_t *head = arena_array(w->a, AREAS_MOST, sizeof(*head));
	uint32_t *mark = arena_array(w->a, g->nsw, sizeof(*mark));
	uint32_t begin = x->n, k;

	for (uint32_t i = 0; i < g->nsw; i++) {
		uint32_t s = x->order[i];

		if (g->sw[s].tier != tier)
			continue;
		for (k = 0; k < x->n - begin; k++)
			if (are_alike(w, s, head[k], mark))
				break;
		if (k == x->n - begin && k < AREAS_MOST) {
			(void)add_area(w, tier, true);
			head[k] = s;
		}
		put_switch(w, s, begin + (k < AREAS_MOST ? k : k - 1), 0);
	}
	if (x->n - begin <= ALIKE_MOST)
		return;
	x->n = begin;
	take_tier(w, tier);
}

/* An area for each set of switches that only the top connects; rows are tiers.
 */
static void
take_sets(struct work *w, const uint32_t *set)
{
	const struct fabric_graph *g = w->g;
	uint32_t *area = arena_array(w->a, g->nsw, sizeof(*area));

	for (uint32_t i = 0; i < g->nsw; i++) {
		uint32_t s = w->out->order[i], head = set[s];

		if (head == FABRIC_GRAPH_NONE)
			continue;
		if (area[head] == 0)
			area[head] = add_area(w, 1, true) + 1;
		put_switch(w, s, area[head] - 1, g->sw[s].tier);
	}
}

/* Switches in no tier, or whose place is not known, in an area of their own. */
static void
take_rest(struct work *w)
{
	const struct fabric_graph *g = w->g;
	bool tiers = w->out->layout == FABRIC_LAYOUT_TIERS;
	uint32_t area = FABRIC_GRAPH_NONE;

	for (uint32_t i = 0; i < g->nsw; i++) {
		uint32_t s = w->out->order[i];

		if (tiers ? g->sw[s].tier != FABRIC_GRAPH_NONE
			  : g->sw[s].at != NULL)
			continue;
		if (area == FABRIC_GRAPH_NONE)
			area = add_area(w, w->out->nbands, true);
		put_switch(w, s, area, 0);
		w->out->col[s] = w->out->area[area].switches - 1;
	}
	if (area != FABRIC_GRAPH_NONE)
		(void)snprintf(w->out->area[area].title, FABRIC_AREA_TITLE,
			"%s", tiers ? "in no tier" : "elsewhere");
}

/* How many sets there are with several switches; *alone: with one. */
static uint32_t
count_sets(const struct work *w, const uint32_t *set, uint32_t *alone)
{
	uint32_t *n = arena_array(w->a, w->g->nsw, sizeof(*n)), found = 0;

	*alone = 0;
	for (uint32_t s = 0; s < w->g->nsw; s++)
		if (set[s] != FABRIC_GRAPH_NONE)
			n[set[s]]++;
	for (uint32_t s = 0; s < w->g->nsw; s++) {
		found += n[s] > 1;
		*alone += n[s] == 1;
	}
	return found;
}

static void
take_tree(struct work *w)
{
	const struct fabric_graph *g = w->g;
	uint32_t *set = arena_array(w->a, g->nsw, sizeof(*set));
	uint32_t sets, alone;

	w->out->layout = FABRIC_LAYOUT_TIERS;
	fabric_graph_sets(g, 1, set);
	sets = count_sets(w, set, &alone);
	if (g->ntiers > 2 && sets > 1 && sets + alone <= AREAS_MOST) {
		take_tier(w, 0);
		take_sets(w, set);
	} else {
		for (uint32_t tier = 0; tier < g->ntiers; tier++)
			if (w->out->named)
				take_tier(w, tier);
			else
				split_tier(w, tier);
	}
	take_rest(w);
	for (uint32_t i = 0; i < w->out->n; i++)
		if (w->out->area[i].title[0] == '\0')
			title_by_names(w, i);
}

/* ---- others ---- */

static void
take_groups(struct work *w)
{
	uint32_t n = w->g->dim[0].size;

	w->out->layout = FABRIC_LAYOUT_GROUPS;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t area = add_area(w, 0, true);

		(void)snprintf(w->out->area[area].title, FABRIC_AREA_TITLE,
			"group %" PRIu32, i);
	}
	for (uint32_t i = 0; i < w->g->nsw; i++) {
		uint32_t s = w->out->order[i];

		if (w->g->sw[s].at != NULL)
			put_switch(w, s, w->g->sw[s].at[0], 0);
	}
	take_rest(w);
}

/* Planes of the first two dimensions, numbered by the others. */
static uint32_t
plane_of(const struct fabric_graph *g, const uint32_t *at)
{
	uint32_t plane = 0;

	for (unsigned i = g->ndim; i-- > 2;)
		plane = plane * g->dim[i].size + at[i];
	return plane;
}

static void
title_plane(struct work *w, uint32_t plane)
{
	const struct fabric_graph *g = w->g;
	char *title = w->out->area[plane].title;
	size_t n = 0;

	for (unsigned i = 2; i < g->ndim && n < FABRIC_AREA_TITLE; i++) {
		int k = snprintf(title + n, FABRIC_AREA_TITLE - n,
			"%sdimension %u: %" PRIu32, n > 0 ? ", " : "", i,
			plane % g->dim[i].size);

		n += k > 0 ? (size_t)k : 0;
		plane /= g->dim[i].size;
	}
}

static void
take_grid(struct work *w, uint32_t planes)
{
	const struct fabric_graph *g = w->g;

	w->out->layout = FABRIC_LAYOUT_GRID;
	for (uint32_t i = 0; i < planes; i++) {
		(void)add_area(w, 0, planes > 1);
		title_plane(w, i);
	}
	for (uint32_t i = 0; i < g->nsw; i++) {
		uint32_t s = w->out->order[i];
		const uint32_t *at = g->sw[s].at;

		if (at == NULL)
			continue;
		put_switch(w, s, plane_of(g, at), g->ndim > 1 ? at[1] : 0);
		w->out->col[s] = at[0];
	}
	take_rest(w);
}

static void
take_circle(struct work *w)
{
	w->out->layout = FABRIC_LAYOUT_CIRCLE;
	(void)add_area(w, 0, false);
	for (uint32_t i = 0; i < w->g->nsw; i++)
		put_switch(w, w->out->order[i], 0, 0);
}

/* The number of planes; 0: too many to show. */
static uint32_t
count_planes(const struct fabric_graph *g)
{
	uint64_t n = 1;

	for (unsigned i = 2; i < g->ndim; i++) {
		n *= g->dim[i].size;
		if (n > AREAS_MOST)
			return 0;
	}
	return (uint32_t)n;
}

struct fabric_areas *
fabric_areas_find(const struct fabric_graph *g, struct arena *a)
{
	struct fabric_areas *x = arena_alloc(a, sizeof(*x));
	struct work w = {.g = g, .a = a, .out = x};
	uint32_t tiers = g->ntiers > 0 ? g->ntiers : 1;
	uint32_t planes =
		g->shape == FABRIC_GRAPH_DIMENSIONS ? count_planes(g) : 0;

	x->named = g->nsw <= NAMED_MOST;
	x->area = arena_array(
		a, ((size_t)tiers + 2) * AREAS_MOST + 2, sizeof(*x->area));
	x->of = arena_array(a, g->nsw, sizeof(*x->of));
	x->row = arena_array(a, g->nsw, sizeof(*x->row));
	x->col = arena_array(a, g->nsw, sizeof(*x->col));
	x->order = fabric_graph_by_name(g, a);
	if (g->shape == FABRIC_GRAPH_GROUPS && g->dim[0].size <= AREAS_MOST)
		take_groups(&w);
	else if (planes > 0 && g->ndim > 1)
		take_grid(&w, planes);
	else if (g->shape != FABRIC_GRAPH_TREE && g->nsw <= CIRCLE_MOST)
		take_circle(&w);
	else
		take_tree(&w);
	for (uint32_t i = 0; i < x->n; i++)
		describe_area(&x->area[i]);
	return x;
}
