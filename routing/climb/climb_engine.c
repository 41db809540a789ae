#include "routing/climb/climb_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/climb/climb.h"
#include "routing/core/layer_links.h"
#include "routing/core/slvl.h"
#include "sm/base/mem.h"

/* Passes over all trees. Those of a torus need one: another leaves more pairs
 * without a layer, and what the first leaves uneven climb_rebalance.c evens out
 * as well. */
enum { PASSES = 3, PASSES_TORUS = 1 };

/* Of a fabric of few switches orders are learned several times, which takes
 * milliseconds: the best one's busiest link often carries a tenth less. */
enum { FEW_SWITCHES = 48, TRIES = 8 };

/* Ranks of links by group of VLs, which prove the tables. */
static void
give_ranks(struct routes *r, const struct directions *d,
	const struct layer_orders *o)
{
	const struct swgraph *g = d->g;

	unsigned groups = o->map != NULL ? o->map->groups : o->n;

	r->link_ranks = link_ranks_new(groups, g->t->nadj);
	for (uint32_t i = 0; i < groups * d->n; i++)
		for (unsigned k = 0; k < g->group[i % d->n].n; k++)
			r->link_ranks->of[i / d->n * g->t->nadj +
					  g->group[i % d->n].adj + k] =
				(uint32_t)(o->rank[i] + (int32_t)d->n);
}

/* ---- memory ---- */

/* What the engine keeps with its routes. */
struct climb_state {
	struct order_memory *memory;
	struct climb_basis *basis;
};

static const struct climb_state *
state_of(const struct routes *r)
{
	return r->state->what;
}

static bool
is_own(const struct climb_engine *e, const struct routes *r)
{
	return r != NULL && strcmp(r->engine, e->name) == 0;
}

/* Whether the layers of these routes are those that are remembered. */
static bool
knows_layers(const struct climb_engine *e, const struct routes *r)
{
	return is_own(e, r) || (r != NULL && r->layers.n > 1);
}

/* What is remembered of the routes in force, or of a previous run; NULL:
 * nothing. */
static const struct order_memory *
find_memory(const struct climb_engine *e, const struct route_job *job,
	struct arena *a, struct reason *why)
{
	size_t own = strlen(e->name);
	const struct order_memory *m;
	struct buf text = {0};
	const char *line = job->remembered;

	if (is_own(e, job->prev) && job->prev->state != NULL)
		return state_of(job->prev)->memory;
	for (; line != NULL && *line != '\0'; line += *line == '\n') {
		size_t n = strcspn(line, "\n");

		if (strncmp(line, e->name, own) == 0 && line[own] == ' ')
			buf_printf(&text, "%.*s\n", (int)(n - own - 1),
				line + own + 1);
		line += n;
	}
	if (text.n == 0)
		return NULL;
	m = order_memory_parse(text.text, a, why);
	buf_free(&text);
	return m;
}

static void
print_memory(const struct routes *r, struct buf *out)
{
	struct buf text = {0};

	order_memory_print(state_of(r)->memory, &text);
	for (char *save = NULL, *line = strtok_r(text.text, "\n", &save);
		line != NULL; line = strtok_r(NULL, "\n", &save))
		buf_printf(out, "%s %s\n", r->engine, line);
	buf_free(&text);
}

const struct engine_state_ops climb_engine_state = {.print = print_memory};

const struct place_memory *
climb_engine_places(const struct routes *r)
{
	return r->state != NULL && r->state->ops == &climb_engine_state
		       ? state_of(r)->memory->places
		       : NULL;
}

/* The routes are made: layers that new orders have and no pair needs are not
 * asked for again. */
static void
remember_orders(
	const struct climb_engine *e, struct climb_plan *p, struct routes *r)
{
	struct climb_state *state;

	if (p->memory == NULL) {
		p->orders.n = r->layers.n;
		p->memory = order_memory_learned(
			p->d, &p->orders, e->asked(p->job->options), p->state);
	}
	r->layers.n = (uint8_t)p->orders.n;
	state = arena_alloc(p->state, sizeof(*state));
	*state = (struct climb_state){p->memory, p->basis};
	routes_set_state(r, &climb_engine_state, p->state, state);
}

/* ---- places ---- */

bool
climb_engine_fit(struct climb_plan *p, struct layer_orders *first,
	struct dimensions *places)
{
	if (p->was != NULL)
		p->memory =
			order_memory_fit(p->was, p->d, 1, 1, first, p->state);
	if (p->memory != NULL)
		return place_memory_fit(p->was->places, p->d->g, places);
	layer_orders_make(p->d, 1, 0, first);
	p->memory = order_memory_learned(p->d, first, 1, p->state);
	return false;
}

void
climb_engine_note(
	struct climb_plan *p, const struct dimensions *places, bool known)
{
	p->known = known;
	p->memory->places = place_memory_note(
		known ? p->was->places : NULL, p->d->g, places, p->state);
}

int
climb_engine_place(struct climb_plan *p, const struct dimensions_given *given,
	struct layer_orders *first, struct dimensions *places,
	struct reason *why)
{
	bool known = climb_engine_fit(p, first, places) &&
		     dimensions_are_given(places, given);

	if (known) {
		dimensions_of_links(p->d->g, places);
		known = dimensions_has_few_odd(places, p->d->n);
	}
	if (!known && dimensions_find(p->d->g, given, places, why) != 0)
		return -1;
	climb_engine_note(p, places, known);
	return 0;
}

/* ---- VLs ---- */

unsigned
climb_engine_count_layers(const struct layer_links *x, unsigned asked)
{
	unsigned vls = x->least / x->levels, sls = SLVL_SLS / x->levels;
	unsigned most = vls < sls ? vls : sls;

	if (x->ports == 0 || x->unmapped > 0 || most < 1)
		return 1;
	return asked < most ? asked : most;
}

unsigned
climb_engine_choose_layers(const struct climb_plan *p, unsigned asked)
{
	struct layer_links x =
		layer_links_survey(p->job->topo, p->job->options, asked);

	return p->was != NULL && x.ports == 0
		       ? asked
		       : climb_engine_count_layers(&x, asked);
}

int
climb_engine_check_vls(const struct route_job *job,
	const struct layer_map_size *size, struct reason *why)
{
	const struct topo *t = job->topo;
	struct layer_links x =
		layer_links_survey(t, job->options, size->groups);

	if (size->layers * x.levels > SLVL_SLS)
		return reason_set(why,
			"%u layers for each of %u QoS levels are more than "
			"there are SLs",
			size->layers, x.levels);
	if (x.ports == 0)
		return 0;
	if (x.unmapped > 0)
		return reason_set(why, "%s cannot map SLs to its VLs",
			layer_links_name(t, x.first_unmapped).s);
	if (x.least / x.levels < size->groups)
		return reason_set(why,
			"%s has %u VL%s for %u QoS level%s, each of which "
			"takes "
			"%u",
			layer_links_name(t, x.first).s, x.least,
			x.least == 1 ? "" : "s", x.levels,
			x.levels == 1 ? "" : "s", size->groups);
	return 0;
}

/* ---- the whole ---- */

/* What the engine knows of its routes, beside the tables. */
static void
complete_routes(const struct climb_engine *e, struct climb_plan *p,
	const struct reason *bad, struct routes *r)
{
	r->engine = e->name;
	(void)snprintf(r->note, sizeof(r->note), "%s, in %u of %u layers%s%s",
		p->note, r->layers.n, p->orders.n,
		bad->text[0] != '\0' ? "; not understood: " : "", bad->text);
	remember_orders(e, p, r);
	give_ranks(r, p->d, &p->orders);
	/* multicast obeys what the first layer does, if that is an order of
	 * switches */
	if (p->orders.escape == 0)
		r->mcast.pos = mem_dup(
			p->orders.pos, p->d->g->nsw * sizeof(*r->mcast.pos));
}

static enum engine_result
route_plan(const struct climb_engine *e, struct climb_plan *p, bool keep,
	struct routes **out, struct reason *why)
{
	const struct route_job *job = p->job;
	struct reason bad = {""};
	struct climb_job climb = {.d = p->d,
		.orders = &p->orders,
		.prev = job->prev,
		.cancel = job->cancel,
		.state = p->state};

	p->was = find_memory(e, job, p->d->g->a, &bad);
	if (e->make(p, why) != 0 ||
		vl_map_check(p->orders.map, job->topo, p->orders.n, why) != 0)
		return ENGINE_REFUSED;
	climb.passes = p->orders.ties.at != NULL ? PASSES_TORUS : PASSES;
	if (p->known && knows_layers(e, job->prev))
		climb.layers = &job->prev->layers;
	if (p->known)
		climb.pairs = job->pairs;
	climb.keep = keep && p->known && job->prev != NULL;
	if (is_own(e, job->prev) && job->prev->state != NULL)
		climb.basis = state_of(job->prev)->basis;
	*out = climb_routes(&climb, &p->basis, why);
	if (*out == NULL)
		return ENGINE_REFUSED;
	complete_routes(e, p, &bad, *out);
	return ENGINE_OK;
}

/* ---- orders that are learned several times ---- */

/* One computation, by orders that are learned from `first` on where they are.
 */
static enum engine_result
route_from(const struct climb_engine *e, struct climb_plan *p, bool keep,
	struct routes **out, struct reason *why)
{
	enum engine_result result;

	p->state = arena_new();
	result = route_plan(e, p, keep, out, why);
	layer_orders_free(&p->orders);
	if (result != ENGINE_OK)
		arena_free(p->state);
	return result;
}

/* What the busiest link carries. */
static uint64_t
find_highest_load(const struct routes *r)
{
	return climb_highest_load(r->topo, state_of(r)->basis->load);
}

/* Routes by new orders are made again by others, and the better ones taken;
 * the other ones are dropped. */
static void
try_other_orders(const struct climb_engine *e, const struct climb_plan *p,
	struct routes **r)
{
	sw_ix n = (sw_ix)p->d->g->nsw;

	for (unsigned i = 1; i < TRIES; i++) {
		struct climb_plan other = {.job = p->job,
			.d = p->d,
			.first = (sw_ix)(i * n / TRIES)};
		struct reason why = {""};
		struct routes *worse = NULL;

		if (route_from(e, &other, false, &worse, &why) != ENGINE_OK)
			continue;
		if (find_highest_load(worse) < find_highest_load(*r)) {
			struct routes *better = worse;

			worse = *r;
			*r = better;
		}
		routes_unref(worse);
	}
}

enum engine_result
climb_engine_route(const struct climb_engine *e, const struct route_job *job,
	bool keep, unsigned attempt, struct arena *arena, struct routes **out,
	struct reason *why)
{
	struct swgraph g = {.job = job, .t = job->topo, .a = arena};
	struct directions d;
	struct climb_plan plan = {.job = job, .d = &d};
	enum engine_result result;

	*out = NULL;
	if (attempt > 0)
		return ENGINE_NO_MORE;
	swgraph_build(&g);
	directions_build(&d, &g);
	result = route_from(e, &plan, keep, out, why);
	if (result == ENGINE_OK && e->asked != NULL && !plan.known &&
		plan.orders.n > 1 && g.nsw <= FEW_SWITCHES)
		try_other_orders(e, &plan, out);
	return result;
}
